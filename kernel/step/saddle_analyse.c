/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of a saddle system, the pattern of its factor, and where each number goes. */
#include <limits.h>
#include <string.h>

#include "kernel/step/saddle.h"

#define TAKE(saddle, type, count)                                                                  \
    ((type *)perp_saddle_take((saddle), (size_t)(count), sizeof(type)))

static int nodes_of(const perp_saddle *saddle, int system)
{
    int first = saddle->system_node[system];
    return saddle->weight[first] == saddle->systems[system]->nv ? 1 : saddle->systems[system]->nv;
}

/* Both directions of an edge, counted at ptr or put into adjacent at ptr. */
static void edge(perp_saddle_graph *g, int *at, int a, int b)
{
    if (a == b)
        return;
    if (g->adjacent) {
        g->adjacent[at[a]] = b;
        g->adjacent[at[b]] = a;
    }
    at[a]++;
    at[b]++;
}

static void sparse_edges(perp_saddle *saddle, perp_saddle_graph *g, int *at, int system)
{
    const perp_iteration *W = &saddle->systems[system]->W;
    int first = saddle->system_node[system];
    if (W->kind == PERP_ITERATION_SPARSE)
        for (int c = 0; c < W->n; c++)
            for (int k = W->colptr[c]; k < W->colptr[c + 1]; k++)
                edge(g, at, first + W->row[k], first + c);
}

/* Edges between the nodes of a joint's systems and its own node, and among them where its K is
 * not block-diagonal. */
static void joint_edges(perp_saddle *saddle, perp_saddle_graph *g, int *at, int j)
{
    int from = saddle->block_ptr[j], to = saddle->block_ptr[j + 1];
    for (int k = from; k < to; k++) {
        edge(g, at, saddle->joint_node[j], saddle->block_node[k]);
        for (int i = from; saddle->stiff[j] && i < k; i++)
            edge(g, at, saddle->block_node[i], saddle->block_node[k]);
    }
}

static void edges(perp_saddle *saddle, perp_saddle_graph *g, int *at)
{
    for (int k = 0; k < saddle->nsystems; k++)
        if (nodes_of(saddle, k) > 1)
            sparse_edges(saddle, g, at, k);
    for (int j = 0; j < saddle->njoints; j++)
        joint_edges(saddle, g, at, j);
}

/* A list may name a neighbour twice: both patterns of W, two joints between the same systems. */
static void without_repeats(perp_saddle_graph *g, int *mark)
{
    int at = 0, from = 0;
    for (int k = 0; k < g->nodes; k++)
        mark[k] = -1;
    for (int k = 0; k < g->nodes; k++) {
        int to = g->ptr[k + 1];
        for (; from < to; from++)
            if (mark[g->adjacent[from]] != k) {
                mark[g->adjacent[from]] = k;
                g->adjacent[at++] = g->adjacent[from];
            }
        g->ptr[k + 1] = at;
    }
}

/* A system can carry one joint that has no more rows than it has velocities. */
static void capacities(const perp_saddle *saddle, int *pending, int *capacity)
{
    for (int k = 0; k < saddle->nsystems; k++) {
        pending[k] = nodes_of(saddle, k);
        capacity[k] = 1;
    }
    for (int j = 0; j < saddle->njoints; j++)
        for (int k = saddle->tie_ptr[j]; k < saddle->tie_ptr[j + 1]; k++)
            if (saddle->joints[j]->rows > saddle->systems[saddle->tie_system[k]]->nv)
                capacity[saddle->tie_system[k]] = 0;
}

static int list_blocks(perp_saddle *saddle)
{
    size_t count = 0;
    saddle->block_ptr = TAKE(saddle, int, saddle->njoints + 1);
    if (!saddle->block_ptr)
        return 0;
    for (int k = 0; k < saddle->tie_ptr[saddle->njoints]; k++)
        count += (size_t)nodes_of(saddle, saddle->tie_system[k]);
    saddle->block_node = TAKE(saddle, int, count);
    saddle->block_column = TAKE(saddle, int, count);
    saddle->block_at = TAKE(saddle, size_t, count);
    if (!saddle->block_node || !saddle->block_column || !saddle->block_at || count > INT_MAX)
        return 0;
    int at = 0;
    for (int j = 0; j < saddle->njoints; j++) {
        saddle->block_ptr[j] = at;
        for (int k = saddle->tie_ptr[j]; k < saddle->tie_ptr[j + 1]; k++) {
            int system = saddle->tie_system[k], nodes = nodes_of(saddle, system);
            for (int i = 0; i < nodes; i++, at++) {
                saddle->block_node[at] = saddle->system_node[system] + i;
                saddle->block_column[at] = saddle->tie_column[k] + i;
            }
        }
    }
    saddle->block_ptr[saddle->njoints] = at;
    return 1;
}

static int take_order(perp_saddle *saddle)
{
    size_t nodes = (size_t)saddle->nodes;
    perp_saddle_order *o = &saddle->elimination;
    int **of_nodes[] = {&o->order, &o->place, &o->length,  &o->elements, &o->mark,
                        &o->slack, &o->heap,  &o->heap_at, &o->waiting};
    for (size_t k = 0; k < sizeof of_nodes / sizeof of_nodes[0]; k++)
        *of_nodes[k] = TAKE(saddle, int, nodes);
    o->column_ptr = TAKE(saddle, int, nodes + 1);
    o->row_ptr = TAKE(saddle, int, nodes + 1);
    o->key = TAKE(saddle, long, nodes);
    o->state = TAKE(saddle, unsigned char, nodes);
    o->last = TAKE(saddle, unsigned char, nodes);
    return !saddle->pool->failed;
}

static perp_status make_order(perp_saddle *saddle)
{
    perp_saddle_graph g = {.nodes = saddle->nodes,
                           .weight = saddle->weight,
                           .system = saddle->node_system,
                           .late = saddle->late,
                           .part = saddle->node_part,
                           .parts = saddle->islands};
    g.ptr = TAKE(saddle, int, saddle->nodes + 1);
    g.pending = TAKE(saddle, int, saddle->nsystems);
    int *capacity = TAKE(saddle, int, saddle->nsystems);
    if (!g.ptr || !g.pending || !capacity || !list_blocks(saddle) || !take_order(saddle))
        return PERP_ERR_MEMORY;
    int *at = saddle->elimination.mark;
    size_t total = 0;
    memset(at, 0, sizeof *at * (size_t)saddle->nodes);
    edges(saddle, &g, at);
    for (int k = 0; k < saddle->nodes; k++) {
        g.ptr[k] = (int)total;
        total += (size_t)at[k];
        if (total > INT_MAX)
            return PERP_ERR_OVERFLOW;
    }
    g.ptr[saddle->nodes] = (int)total;
    if (!(g.adjacent = TAKE(saddle, int, total)))
        return PERP_ERR_MEMORY;
    memcpy(at, g.ptr, sizeof *at * (size_t)saddle->nodes);
    edges(saddle, &g, at);
    without_repeats(&g, at);
    capacities(saddle, g.pending, capacity);
    g.capacity = capacity;
    return perp_saddle_order_make(&saddle->elimination, &g, saddle->pool) ? PERP_SOLVED
                                                                          : PERP_ERR_MEMORY;
}

/* Panels: w x w of the diagonal block and below it the rows of the column, all with stride w. */
static int place_panels(perp_saddle *saddle, size_t *total)
{
    const perp_saddle_order *o = &saddle->elimination;
    saddle->first = TAKE(saddle, int, saddle->nodes + 1);
    saddle->width = TAKE(saddle, int, saddle->nodes);
    saddle->panel = TAKE(saddle, size_t, saddle->nodes + 1);
    saddle->entry_at = TAKE(saddle, size_t, o->column_ptr[saddle->nodes]);
    if (!saddle->first || !saddle->width || !saddle->panel || !saddle->entry_at)
        return 0;
    int first = 0;
    saddle->widest = 1;
    for (int k = 0; k < saddle->nodes; k++) {
        int width = saddle->width[k] = saddle->weight[o->order[k]];
        saddle->first[k] = first;
        first += width;
        saddle->widest = width > saddle->widest ? width : saddle->widest;
    }
    saddle->first[saddle->nodes] = first;
    size_t at = 0;
    for (int k = 0; k < saddle->nodes; k++) {
        size_t width = (size_t)saddle->width[k];
        saddle->panel[k] = at;
        at += width * width;
        for (int e = o->column_ptr[k]; e < o->column_ptr[k + 1]; e++) {
            saddle->entry_at[e] = at;
            at += width * (size_t)saddle->width[o->column[e]];
        }
    }
    *total = saddle->panel[saddle->nodes] = at;
    return 1;
}

/* Space for the scalars of the permuted vector, whose order the factorisation chooses inside
 * joints; those below each block. */
static int place_scalars(perp_saddle *saddle)
{
    const perp_saddle_order *o = &saddle->elimination;
    size_t rows = 0;
    for (int k = 0; k < o->column_ptr[saddle->nodes]; k++)
        rows += (size_t)saddle->width[o->column[k]];
    saddle->scalar = TAKE(saddle, int, saddle->first[saddle->nodes]);
    saddle->row_ptr = TAKE(saddle, int, saddle->nodes + 1);
    saddle->row_at = TAKE(saddle, int, rows);
    if (!saddle->scalar || !saddle->row_ptr || !saddle->row_at || rows > INT_MAX)
        return 0;
    int at = 0;
    for (int k = 0; k < saddle->nodes; k++) {
        saddle->row_ptr[k] = at;
        for (int e = o->column_ptr[k]; e < o->column_ptr[k + 1]; e++)
            for (int i = 0; i < saddle->width[o->column[e]]; i++)
                saddle->row_at[at++] = saddle->first[o->column[e]] + i;
    }
    saddle->row_ptr[saddle->nodes] = at;
    return 1;
}

/* Where the block of two nodes begins: in the column of the first of both to be eliminated. */
static size_t find_block(const perp_saddle *saddle, int a, int b)
{
    const perp_saddle_order *o = &saddle->elimination;
    int row = o->place[a], column = o->place[b];
    if (row < column) {
        row = column;
        column = o->place[a];
    }
    if (row == column)
        return saddle->panel[row];
    int low = o->column_ptr[column], high = o->column_ptr[column + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (o->column[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return saddle->entry_at[low];
}

static int find_joint_blocks(perp_saddle *saddle)
{
    size_t pairs = 0;
    saddle->pair_ptr = TAKE(saddle, size_t, saddle->njoints + 1);
    if (!saddle->pair_ptr)
        return 0;
    for (int j = 0; j < saddle->njoints; j++) {
        size_t count = (size_t)(saddle->block_ptr[j + 1] - saddle->block_ptr[j]);
        saddle->pair_ptr[j] = pairs;
        pairs += saddle->stiff[j] ? count * (count + 1) / 2 : 0;
    }
    saddle->pair_ptr[saddle->njoints] = pairs;
    saddle->pair_at = TAKE(saddle, size_t, pairs);
    if (!saddle->pair_at)
        return 0;
    size_t at = 0;
    for (int j = 0; j < saddle->njoints; j++)
        for (int k = saddle->block_ptr[j]; k < saddle->block_ptr[j + 1]; k++) {
            saddle->block_at[k] = find_block(saddle, saddle->joint_node[j], saddle->block_node[k]);
            for (int i = saddle->block_ptr[j]; saddle->stiff[j] && i <= k; i++)
                saddle->pair_at[at++] =
                    find_block(saddle, saddle->block_node[i], saddle->block_node[k]);
        }
    return 1;
}

static int find_sparse_blocks(perp_saddle *saddle)
{
    size_t count = 0;
    saddle->sparse_ptr = TAKE(saddle, size_t, saddle->nsystems + 1);
    if (!saddle->sparse_ptr)
        return 0;
    for (int k = 0; k < saddle->nsystems; k++) {
        saddle->sparse_ptr[k] = count;
        count += nodes_of(saddle, k) > 1 ? (size_t)saddle->system_sizes[3 * k + 2] : 0;
    }
    saddle->sparse_ptr[saddle->nsystems] = count;
    saddle->sparse_at = TAKE(saddle, size_t, count);
    if (!saddle->sparse_at)
        return 0;
    size_t at = 0;
    for (int s = 0; s < saddle->nsystems; s++) {
        const perp_iteration *W = &saddle->systems[s]->W;
        int first = saddle->system_node[s];
        for (int c = 0; nodes_of(saddle, s) > 1 && c < W->n; c++) {
            if (W->kind != PERP_ITERATION_SPARSE) {
                saddle->sparse_at[at++] = find_block(saddle, first + c, first + c);
                continue;
            }
            for (int k = W->colptr[c]; k < W->colptr[c + 1]; k++)
                saddle->sparse_at[at++] = find_block(saddle, first + W->row[k], first + c);
        }
    }
    return 1;
}

/* Copies of the matrices: W of each system (in full where it is one node), G, K where it connects.
 */
static int place_copies(perp_saddle *saddle, size_t *total)
{
    size_t at = 0;
    saddle->A_at = TAKE(saddle, size_t, saddle->nsystems + 1);
    saddle->G_at = TAKE(saddle, size_t, saddle->njoints + 1);
    saddle->K_at = TAKE(saddle, size_t, saddle->njoints + 1);
    if (!saddle->A_at || !saddle->G_at || !saddle->K_at)
        return 0;
    for (int k = 0; k < saddle->nsystems; k++) {
        size_t nv = (size_t)saddle->systems[k]->nv;
        saddle->A_at[k] = at;
        at += nodes_of(saddle, k) > 1 ? (size_t)saddle->system_sizes[3 * k + 2] : nv * nv;
    }
    for (int j = 0; j < saddle->njoints; j++) {
        size_t rows = (size_t)saddle->joints[j]->rows, nv = (size_t)saddle->joints[j]->nv;
        saddle->G_at[j] = at;
        at += rows * nv;
        saddle->K_at[j] = at;
        at += saddle->stiff[j] ? nv * nv : 0;
    }
    *total = at;
    return 1;
}

static int take_numbers(perp_saddle *saddle, size_t values, size_t numbers)
{
    size_t n = (size_t)saddle->dofs + (size_t)saddle->rows, widest = (size_t)saddle->widest;
    saddle->values = TAKE(saddle, double, values);
    saddle->numbers = TAKE(saddle, double, numbers);
    saddle->earlier = TAKE(saddle, double, numbers);
    saddle->nnumbers = numbers;
    saddle->pivots = TAKE(saddle, double, n);
    saddle->scale = TAKE(saddle, double, n);
    saddle->size = TAKE(saddle, double, widest);
    saddle->doubt = TAKE(saddle, double, widest);
    saddle->doubts = TAKE(saddle, double, n);
    saddle->doubtful = TAKE(saddle, unsigned char, saddle->nodes);
    saddle->inverse = TAKE(saddle, double, widest);
    saddle->product = TAKE(saddle, double, widest *widest);
    saddle->permuted = TAKE(saddle, double, n);
    saddle->right = TAKE(saddle, double, n);
    saddle->change = TAKE(saddle, double, n);
    saddle->map = TAKE(saddle, size_t, saddle->nodes);
    saddle->dropped = TAKE(saddle, unsigned char, saddle->rows);
    saddle->loss = TAKE(saddle, double, saddle->islands);
    return !saddle->pool->failed;
}

perp_status perp_saddle_analyse(perp_saddle *saddle)
{
    size_t values = 0, numbers = 0;
    saddle->analysed = saddle->factored = 0;
    while (saddle->nheld > saddle->noutline)
        perp_pool_give(saddle->pool, saddle->held[--saddle->nheld]);
    saddle->pool->failed = 0;
    perp_status status = make_order(saddle);
    if (status != PERP_SOLVED)
        return status;
    if (!place_panels(saddle, &values) || !place_scalars(saddle) || !find_joint_blocks(saddle) ||
        !find_sparse_blocks(saddle) || !place_copies(saddle, &numbers) ||
        !take_numbers(saddle, values, numbers))
        return PERP_ERR_MEMORY;
    saddle->analysed = 1;
    return PERP_SOLVED;
}
