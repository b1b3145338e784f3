/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <string.h>

#include "linalg/factor/front.h"
#include "linalg/factor/ordering.h"

/* Nested dissection is tried where minimum degree leaves more flops per group of rows. */
static const double dissection_flops = 2e5;

/* Groups of rows, their graph and its elimination.  "Place" is the number of a node in the
 * order of elimination that was found; arrays of nodes are by place once that is known. */
typedef struct analysis {
    int nodes;
    int *node_of;           /* n */
    int *dim;               /* nodes: rows in it */
    perp_csc graph;         /* of the nodes; then of both triangles */
    int *perm, *place;      /* node at a place, and back */
    int *parent;            /* elimination tree */
    int *below_ptr, *below; /* places below the diagonal in a column of L */
    double *upper;          /* rows below the diagonal of a column */
    double *pivots, *zeros; /* rows that a front eliminates; zeros stored as entries */
    int *into; /* front (named by its last place) that took this one's pivots, or itself */
} analysis;

/* Neighbours with the same pattern are one node; or as the caller says. */
static void find_nodes(analysis *a, const perp_csc *A, const int *group, int groups)
{
    if (group) {
        memcpy(a->node_of, group, (size_t)A->cols * sizeof(int));
        a->nodes = groups;
        return;
    }
    a->nodes = 0;
    for (int j = 0; j < A->cols; j++) {
        int begin = A->colptr[j], length = A->colptr[j + 1] - begin;
        int same =
            j > 0 && length == begin - A->colptr[j - 1] &&
            memcmp(A->row + begin, A->row + A->colptr[j - 1], (size_t)length * sizeof(int)) == 0;
        a->nodes += !same;
        a->node_of[j] = a->nodes - 1;
    }
}

static void count_rows(analysis *a, const perp_csc *A)
{
    memset(a->dim, 0, (size_t)a->nodes * sizeof(int));
    for (int i = 0; i < A->cols; i++)
        if (a->node_of[i] >= 0)
            a->dim[a->node_of[i]]++;
}

/* Columns of A by nodes, then the union of each node's columns. */
static perp_status build_graph(analysis *a, const perp_csc *A, perp_arena *arena)
{
    int n = A->cols, nodes = a->nodes, end = 0;
    int *first = PERP_TAKE(arena, int, nodes), *next = PERP_TAKE(arena, int, n);
    int *seen = PERP_TAKE(arena, int, nodes);
    a->graph.rows = a->graph.cols = nodes;
    a->graph.colptr = PERP_TAKE(arena, int, (size_t)nodes + 1);
    a->graph.row = PERP_TAKE(arena, int, (size_t)A->colptr[n] + (size_t)nodes);
    a->graph.x = PERP_TAKE(arena, double, (size_t)A->colptr[n] + (size_t)nodes);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    memset(first, 0xff, (size_t)nodes * sizeof(int));
    memset(seen, 0xff, (size_t)nodes * sizeof(int));
    for (int j = n - 1; j >= 0; j--) {
        if (a->node_of[j] < 0)
            continue;
        next[j] = first[a->node_of[j]];
        first[a->node_of[j]] = j;
    }
    for (int k = 0; k < nodes; k++) {
        a->graph.colptr[k] = end;
        for (int j = first[k]; j >= 0; j = next[j])
            for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
                int i = a->node_of[A->row[p]];
                if (i >= 0 && seen[i] != k) {
                    seen[i] = k;
                    a->graph.x[end] = 0.0;
                    a->graph.row[end++] = i;
                }
            }
    }
    a->graph.colptr[nodes] = end;
    return PERP_SOLVED;
}

/* Walks up the elimination tree from each neighbour (Liu).  The first time it counts the
 * columns of L, the second time it fills them, in rising order. */
static void walk(analysis *a, const perp_csc *T, int *flag, int *count, int fill)
{
    const perp_csc *side[2] = {&a->graph, T};
    for (int k = 0; k < a->nodes; k++) {
        if (!fill)
            a->parent[k] = -1;
        flag[k] = k;
        for (int s = 0; s < 2; s++)
            for (int p = side[s]->colptr[a->perm[k]]; p < side[s]->colptr[a->perm[k] + 1]; p++) {
                int i = a->place[side[s]->row[p]];
                for (; i < k && flag[i] != k; i = a->parent[i]) {
                    if (a->parent[i] < 0)
                        a->parent[i] = k;
                    if (fill)
                        a->below[count[i]] = k;
                    count[i]++;
                    flag[i] = k;
                }
            }
    }
}

static perp_status find_columns(analysis *a, perp_arena *arena)
{
    int nodes = a->nodes;
    perp_csc T;
    perp_status status = perp_csc_transpose(&T, &a->graph, arena);
    int *flag = PERP_TAKE(arena, int, nodes);
    int *count = perp_arena_take_zero(arena, (size_t)nodes, sizeof(int));
    double total = 0.0;
    if (status != PERP_SOLVED || arena->failed)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < nodes; k++)
        a->place[a->perm[k]] = k;
    walk(a, &T, flag, count, 0);
    for (int k = 0; k < nodes; k++) {
        a->below_ptr[k] = (int)total;
        total += count[k];
        if (total > INT_MAX)
            return PERP_ERR_OVERFLOW;
        count[k] = a->below_ptr[k];
    }
    a->below_ptr[nodes] = (int)total;
    a->below = PERP_TAKE(arena, int, total);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    walk(a, &T, flag, count, 1);
    for (int k = 0; k < nodes; k++) {
        a->upper[k] = 0.0;
        for (int p = a->below_ptr[k]; p < a->below_ptr[k + 1]; p++)
            a->upper[k] += a->dim[a->perm[a->below[p]]];
    }
    return PERP_SOLVED;
}

static double entries_of(double pivots, double rest)
{
    return pivots * (pivots + 2.0 * rest);
}

static double flops_of(double s, double u)
{
    return 2.0 / 3.0 * s * s * s + 2.0 * s * s * u + 2.0 * s * u * u;
}

/* A child's pivots go to its parent where that stores few zeros as entries. */
static void merge(analysis *a)
{
    static const double size[] = {12.0, 32.0, 96.0}, share[] = {0.6, 0.25, 0.1};
    for (int k = 0; k < a->nodes; k++) {
        a->pivots[k] = a->dim[a->perm[k]];
        a->zeros[k] = 0.0;
        a->into[k] = k;
    }
    for (int k = 0; k < a->nodes; k++) {
        int p = a->parent[k], accept;
        if (p < 0)
            continue;
        double both = a->pivots[k] + a->pivots[p], all = entries_of(both, a->upper[p]);
        double zeros = a->zeros[k] + a->zeros[p] + all - entries_of(a->pivots[k], a->upper[k]) -
                       entries_of(a->pivots[p], a->upper[p]);
        accept = zeros <= 0.0 || zeros <= 0.04 * all;
        for (int i = 0; i < 3; i++)
            accept |= both <= size[i] && zeros <= share[i] * all;
        if (!accept)
            continue;
        a->into[k] = p;
        a->pivots[p] = both;
        a->zeros[p] = zeros;
    }
    for (int k = a->nodes - 1; k >= 0; k--)
        a->into[k] = a->into[a->into[k]];
}

/* Numbers the fronts in a postorder: front[k] of the place k that names it. */
static int number_fronts(const analysis *a, int *front, int *child, int *sibling, int *path)
{
    int count = 0, depth = 0, roots = -1;
    for (int k = 0; k < a->nodes; k++)
        child[k] = -1;
    for (int k = a->nodes - 1; k >= 0; k--) {
        if (a->into[k] != k)
            continue;
        int *list = a->parent[k] < 0 ? &roots : &child[a->into[a->parent[k]]];
        sibling[k] = *list;
        *list = k;
    }
    for (int k = roots; k >= 0 || depth > 0;) {
        for (; k >= 0; k = child[k])
            path[depth++] = k;
        k = path[--depth];
        front[k] = count++;
        k = sibling[k];
    }
    return count;
}

/* Pivots of the fronts; place becomes a node's number in the new order. */
static perp_status take_fronts(perp_front *front, analysis *a, perp_arena *arena,
                               perp_arena *temporary)
{
    int nodes = a->nodes, *number = PERP_TAKE(temporary, int, nodes);
    int *child = PERP_TAKE(temporary, int, nodes), *sibling = PERP_TAKE(temporary, int, nodes);
    int *path = PERP_TAKE(temporary, int, nodes);
    if (temporary->failed)
        return PERP_ERR_MEMORY;
    front->nodes = nodes;
    front->count = number_fronts(a, number, child, sibling, path);
    size_t count = (size_t)front->count;
    front->pivot_ptr = PERP_TAKE(arena, int, count + 1);
    front->update_ptr = PERP_TAKE(arena, int, count + 1);
    front->children = perp_arena_take_zero(arena, count, sizeof(int));
    front->node_ptr = PERP_TAKE(arena, int, (size_t)nodes + 1);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    memset(front->pivot_ptr, 0, (count + 1) * sizeof(int));
    memset(front->update_ptr, 0, (count + 1) * sizeof(int));
    for (int k = 0; k < nodes; k++) {
        front->pivot_ptr[number[a->into[k]] + 1]++;
        if (a->into[k] != k)
            continue;
        front->update_ptr[number[k] + 1] = a->below_ptr[k + 1] - a->below_ptr[k];
        if (a->parent[k] >= 0)
            front->children[number[a->into[a->parent[k]]]]++;
    }
    for (size_t f = 0; f < count; f++) {
        front->pivot_ptr[f + 1] += front->pivot_ptr[f];
        front->update_ptr[f + 1] += front->update_ptr[f];
    }
    /* Afterwards into[k] is the new number of the node at the old place k. */
    memcpy(path, front->pivot_ptr, count * sizeof(int));
    for (int k = nodes - 1; k >= 0; k--)
        sibling[k] = number[a->into[k]];
    for (int k = 0; k < nodes; k++) {
        child[k] = a->into[k] == k ? sibling[k] : -1;
        a->into[k] = path[sibling[k]]++;
    }
    a->parent = child;
    return PERP_SOLVED;
}

/* Nodes of the fronts' rests in the new order: each node in turn is put into all its fronts.
 * parent[k] is the front that the old place k names, or -1. */
static perp_status take_updates(perp_front *front, analysis *a, perp_arena *arena,
                                perp_arena *temporary)
{
    size_t total = (size_t)front->update_ptr[front->count], nodes = (size_t)a->nodes;
    int *ptr = perp_arena_take_zero(temporary, nodes + 1, sizeof(int));
    int *user = PERP_TAKE(temporary, int, total), *end = PERP_TAKE(temporary, int, front->count);
    front->update = PERP_TAKE(arena, int, total);
    if (arena->failed || temporary->failed)
        return PERP_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < a->nodes; k++)
            for (int p = a->below_ptr[k]; a->parent[k] >= 0 && p < a->below_ptr[k + 1]; p++) {
                int node = a->into[a->below[p]];
                if (pass == 0)
                    ptr[node + 1]++;
                else
                    user[ptr[node]++] = a->parent[k];
            }
        for (size_t k = 0; pass == 0 && k < nodes; k++)
            ptr[k + 1] += ptr[k];
    }
    memcpy(end, front->update_ptr, (size_t)front->count * sizeof(int));
    for (int k = 0, p = 0; k < a->nodes; k++)
        for (; p < ptr[k]; p++)
            front->update[end[user[p]]++] = k;
    return PERP_SOLVED;
}

/* Rows by nodes, and the entries of A by the front that takes them: the first of those of
 * their row and column. */
static perp_status take_entries(perp_front *front, const analysis *a, perp_arena *arena,
                                perp_arena *temporary)
{
    const perp_csc *A = front->A;
    size_t n = (size_t)A->cols, entries = (size_t)A->colptr[n];
    int *front_of = PERP_TAKE(temporary, int, n), *ptr = front->node_ptr;
    front->row = PERP_TAKE(arena, int, n);
    front->entry_ptr = perp_arena_take_zero(arena, (size_t)front->count + 1, sizeof(int));
    front->entry = PERP_TAKE(arena, int, entries);
    front->column = PERP_TAKE(arena, int, entries);
    if (arena->failed || temporary->failed)
        return PERP_ERR_MEMORY;
    memset(ptr, 0, ((size_t)a->nodes + 1) * sizeof(int));
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < A->cols; i++) {
            int node = a->node_of[i] < 0 ? -1 : a->into[a->place[a->node_of[i]]];
            if (node >= 0 && pass == 0)
                ptr[node + 1]++;
            else if (node >= 0)
                front->row[ptr[node]++] = i;
        }
        for (int k = 0; pass == 0 && k < a->nodes; k++)
            ptr[k + 1] += ptr[k];
    }
    memmove(ptr + 1, ptr, (size_t)a->nodes * sizeof(int));
    ptr[0] = 0;
    memset(front_of, 0xff, n * sizeof(int));
    for (int f = 0; f < front->count; f++)
        for (int p = ptr[front->pivot_ptr[f]]; p < ptr[front->pivot_ptr[f + 1]]; p++)
            front_of[front->row[p]] = f;
    int *end = front->entry_ptr;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < A->cols; j++)
            for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
                int f = front_of[A->row[p]] < front_of[j] ? front_of[A->row[p]] : front_of[j];
                if (f >= 0 && pass == 0) {
                    end[f + 1]++;
                } else if (f >= 0) {
                    front->entry[end[f]] = p;
                    front->column[end[f]++] = j;
                }
            }
        for (int f = 0; pass == 0 && f < front->count; f++)
            end[f + 1] += end[f];
    }
    memmove(end + 1, end, (size_t)front->count * sizeof(int));
    end[0] = 0;
    return PERP_SOLVED;
}

/* Memory for the factors, the largest contribution and the stack. */
static perp_status reserve(perp_front *front, perp_arena *arena, perp_arena *temporary)
{
    size_t count = (size_t)front->count, depth = 0, high = 0, stack = 0, deepest = 0, work = 0;
    size_t *waiting = PERP_TAKE(temporary, size_t, count), n = (size_t)front->n;
    front->start = PERP_TAKE(arena, size_t, count + 1);
    front->index_start = PERP_TAKE(arena, size_t, count + 1);
    if (arena->failed || temporary->failed)
        return PERP_ERR_MEMORY;
    front->start[0] = front->index_start[0] = 0;
    front->nnz = front->flops = 0.0;
    for (size_t f = 0; f < count; f++) {
        size_t s = (size_t)(front->node_ptr[front->pivot_ptr[f + 1]] -
                            front->node_ptr[front->pivot_ptr[f]]);
        size_t u = 0;
        for (int p = front->update_ptr[f]; p < front->update_ptr[f + 1]; p++)
            u +=
                (size_t)(front->node_ptr[front->update[p] + 1] - front->node_ptr[front->update[p]]);
        front->start[f + 1] = front->start[f] + s * (s + 2 * u);
        front->index_start[f + 1] = front->index_start[f] + s + u;
        front->nnz += entries_of((double)s, (double)u);
        front->flops += flops_of((double)s, (double)u);
        for (int c = 0; c < front->children[f]; c++)
            stack -= waiting[--depth];
        waiting[depth++] = u * u;
        stack += u * u;
        deepest = stack > deepest ? stack : deepest;
        work = u * u > work ? u * u : work;
        high = depth > high ? depth : high;
    }
    front->lu = PERP_TAKE(arena, double, front->start[count]);
    front->index = PERP_TAKE(arena, int, front->index_start[count]);
    front->order = PERP_TAKE(arena, int, count);
    front->size = PERP_TAKE(arena, int, count);
    front->waiting = PERP_TAKE(arena, int, high);
    front->swap = PERP_TAKE(arena, int, n);
    front->where = PERP_TAKE(arena, int, n);
    front->place = PERP_TAKE(arena, int, n);
    front->work = PERP_TAKE(arena, double, work);
    front->stack = PERP_TAKE(arena, double, deepest);
    front->largest = PERP_TAKE(arena, double, n);
    front->local = PERP_TAKE(arena, double, n);
    front->b = PERP_TAKE(arena, double, n);
    front->r = PERP_TAKE(arena, double, n);
    front->weight = PERP_TAKE(arena, double, n);
    front->sum = PERP_TAKE(arena, double, n);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static perp_status take_analysis(analysis *a, perp_arena *arena)
{
    size_t nodes = (size_t)a->nodes;
    a->dim = PERP_TAKE(arena, int, nodes);
    a->perm = PERP_TAKE(arena, int, nodes);
    a->place = PERP_TAKE(arena, int, nodes);
    a->parent = PERP_TAKE(arena, int, nodes);
    a->below_ptr = PERP_TAKE(arena, int, nodes + 1);
    a->upper = PERP_TAKE(arena, double, nodes);
    a->pivots = PERP_TAKE(arena, double, nodes);
    a->zeros = PERP_TAKE(arena, double, nodes);
    a->into = PERP_TAKE(arena, int, nodes);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static double flops_of_columns(const analysis *a)
{
    double flops = 0.0;
    for (int k = 0; k < a->nodes; k++)
        flops += flops_of(a->dim[a->perm[k]], a->upper[k]);
    return flops;
}

/* Minimum degree; where much work is left nested dissection too, and the cheaper is kept. */
static perp_status order_nodes(analysis *a, perp_ordering_kind ordering, perp_arena *arena)
{
    perp_ordering_kind first =
        ordering == PERP_ORDERING_METIS ? PERP_ORDERING_METIS : PERP_ORDERING_AMD;
    perp_fill fill;
    perp_status status = perp_order(a->perm, &fill, &a->graph, first, &arena->allocator);
    if (status == PERP_SOLVED)
        status = find_columns(a, arena);
    if (status != PERP_SOLVED || ordering != PERP_ORDERING_AUTO)
        return status;
    double flops = flops_of_columns(a);
    if (flops < dissection_flops * a->nodes)
        return PERP_SOLVED;
    analysis other = *a;
    status = take_analysis(&other, arena);
    if (status != PERP_SOLVED)
        return status;
    memcpy(other.dim, a->dim, (size_t)a->nodes * sizeof(int));
    status = perp_order(other.perm, &fill, &a->graph, PERP_ORDERING_METIS, &arena->allocator);
    if (status == PERP_SOLVED)
        status = find_columns(&other, arena);
    if (status == PERP_SOLVED && flops_of_columns(&other) < flops)
        *a = other;
    return status;
}

perp_status perp_front_analyse(perp_front *front, const perp_csc *A, const int *group, int groups,
                               perp_ordering_kind ordering, perp_arena *arena)
{
    analysis a;
    perp_arena temporary;
    perp_arena_init(&temporary, &arena->allocator);
    *front = (perp_front){.n = A->cols, .A = A};
    front->full = A->rows == A->cols && A->colptr[A->cols] == (long long)A->cols * A->cols;
    a.node_of = PERP_TAKE(&temporary, int, A->cols);
    perp_status status = a.node_of ? PERP_SOLVED : PERP_ERR_MEMORY;
    if (status == PERP_SOLVED) {
        find_nodes(&a, A, group, groups);
        status = take_analysis(&a, &temporary);
    }
    if (status == PERP_SOLVED) {
        count_rows(&a, A);
        status = build_graph(&a, A, &temporary);
    }
    if (status == PERP_SOLVED)
        status = order_nodes(&a, ordering, &temporary);
    if (status == PERP_SOLVED) {
        merge(&a);
        status = take_fronts(front, &a, arena, &temporary);
    }
    if (status == PERP_SOLVED)
        status = take_updates(front, &a, arena, &temporary);
    if (status == PERP_SOLVED)
        status = take_entries(front, &a, arena, &temporary);
    if (status == PERP_SOLVED)
        status = reserve(front, arena, &temporary);
    perp_arena_free(&temporary);
    return status;
}
