/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/clones.h"
#include "linalg/factor/front.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { REFINEMENTS = 3 };

/* The three pieces of a front of order s + u while it is assembled. */
typedef struct pieces {
    int s, u;
    double *P, *U, *C; /* pivot columns, pivot rows behind them, rest */
} pieces;

/* Rows of front f that are not skipped: pivots, then the rest. */
static void list_rows(perp_front *front, int f, const unsigned char *skip)
{
    int *index = front->index + front->index_start[f], m = 0;
    for (int p = front->node_ptr[front->pivot_ptr[f]]; p < front->node_ptr[front->pivot_ptr[f + 1]];
         p++)
        if (!skip || !skip[front->row[p]])
            index[m++] = front->row[p];
    front->order[f] = m;
    for (int q = front->update_ptr[f]; q < front->update_ptr[f + 1]; q++)
        for (int p = front->node_ptr[front->update[q]]; p < front->node_ptr[front->update[q] + 1];
             p++)
            if (!skip || !skip[front->row[p]])
                index[m++] = front->row[p];
    front->size[f] = m;
    for (int k = 0; k < m; k++)
        front->where[index[k]] = k;
}

static inline __attribute__((always_inline)) void
add_each(perp_front *front, int f, const pieces *to, const double *x, const unsigned char *skip)
{
    const int *entry = front->entry, *columns = front->column, *where = front->where;
    const int *rows = front->A->row;
    double *largest = front->largest, *P = to->P, *U = to->U;
    int s = to->s, last = front->entry_ptr[f + 1];
    size_t order = (size_t)s, m = order + (size_t)to->u;
    for (int e = front->entry_ptr[f]; e < last; e++) {
        int row = rows[entry[e]], column = columns[e];
        double value = x[entry[e]], size = fabs(value);
        if (skip && (skip[row] || skip[column]))
            continue;
        size_t i = (size_t)where[row];
        int j = where[column];
        double *to_column = j < s ? P + (size_t)j * m : U + (size_t)(j - s) * order;
        to_column[i] = value;
        largest[column] = size > largest[column] ? size : largest[column];
    }
}

static void add_entries(perp_front *front, int f, const pieces *to, const double *x,
                        const unsigned char *skip)
{
    if (skip)
        add_each(front, f, to, x, skip);
    else
        add_each(front, f, to, x, NULL);
}

/* All of a full matrix, in the one front that it is: pivot columns alone. */
static void take_full(perp_front *front, double *P, const double *x)
{
    const int *index = front->index + front->index_start[0];
    int m = front->size[0];
    for (int j = 0; j < m; j++, P += m) {
        const double *column = x + (size_t)index[j] * (size_t)front->n;
        double largest = 0.0;
        for (int i = 0; i < m; i++) {
            double value = column[index[i]], size = fabs(value);
            P[i] = value;
            largest = size > largest ? size : largest;
        }
        front->largest[index[j]] = largest;
    }
}

/* Adds the contribution of front c, whose rows keep their order here. */
static void add_contribution(perp_front *front, int c, const pieces *to, const double *from)
{
    const int *index = front->index + front->index_start[c] + front->order[c];
    int count = front->size[c] - front->order[c], split = 0;
    size_t s = (size_t)to->s, m = s + (size_t)to->u, u = (size_t)to->u;
    int *place = front->place;
    for (int i = 0; i < count; i++) {
        place[i] = front->where[index[i]];
        split += place[i] < to->s;
    }
    for (int j = 0; j < count; j++, from += count) {
        if (place[j] < to->s) {
            double *P = to->P + (size_t)place[j] * m;
            for (int i = 0; i < count; i++)
                P[place[i]] += from[i];
            continue;
        }
        double *U = to->U + ((size_t)place[j] - s) * s;
        double *C = to->C + ((size_t)place[j] - s) * u;
        for (int i = 0; i < split; i++)
            U[place[i]] += from[i];
        for (int i = split; i < count; i++)
            C[place[i] - to->s] += from[i];
    }
}

static void assemble(perp_front *front, int f, const pieces *to, const double *x,
                     const unsigned char *skip, size_t *depth, size_t *top)
{
    size_t s = (size_t)to->s, u = (size_t)to->u;
    if (front->full && front->count == 1) {
        take_full(front, to->P, x);
        return;
    }
    memset(to->P, 0, s * (s + 2 * u) * sizeof(double));
    memset(to->C, 0, u * u * sizeof(double));
    add_entries(front, f, to, x, skip);
    for (int c = 0; c < front->children[f]; c++) {
        int child = front->waiting[--*depth];
        size_t count = (size_t)(front->size[child] - front->order[child]);
        *top -= count * count;
        add_contribution(front, child, to, front->stack + *top);
    }
}

perp_status perp_front_factorise(perp_front *front, const double *x, const unsigned char *skip)
{
    size_t depth = 0, top = 0;
    memset(front->largest, 0, (size_t)front->n * sizeof(double));
    for (int f = 0; f < front->count; f++) {
        list_rows(front, f, skip);
        size_t s = (size_t)front->order[f], u = (size_t)front->size[f] - s;
        double *P = front->lu + front->start[f];
        pieces to = {(int)s, (int)u, P, P + s * (s + u), front->work};
        const int *index = front->index + front->index_start[f];
        assemble(front, f, &to, x, skip, &depth, &top);
        for (size_t k = 0; k < s; k++)
            front->local[k] = front->largest[index[k]];
        if (!perp_front_eliminate(to.P, to.U, to.C, to.s, to.u,
                                  front->swap + front->node_ptr[front->pivot_ptr[f]], front->local))
            return PERP_ERR_SINGULAR;
        memcpy(front->stack + top, to.C, u * u * sizeof(double));
        top += u * u;
        front->waiting[depth++] = f;
    }
    return PERP_SOLVED;
}

int perp_front_sign(const perp_front *front)
{
    int sign = 1;
    for (int f = 0; f < front->count; f++) {
        size_t s = (size_t)front->order[f], m = (size_t)front->size[f];
        const int *swap = front->swap + front->node_ptr[front->pivot_ptr[f]];
        const double *P = front->lu + front->start[f];
        for (size_t k = 0; k < s; k++)
            if ((P[k * (m + 1)] < 0.0) != (swap[k] != (int)k))
                sign = -sign;
    }
    return sign;
}

/* x -= column of L below the pivot, pivot by pivot. */
static void forward(perp_front *front, int f, double *b)
{
    size_t s = (size_t)front->order[f], m = (size_t)front->size[f];
    const int *index = front->index + front->index_start[f];
    const int *swap = front->swap + front->node_ptr[front->pivot_ptr[f]];
    const double *P = front->lu + front->start[f];
    double *local = front->local;
    for (size_t k = 0; k < m; k++)
        local[k] = b[index[k]];
    for (size_t k = 0; k < s; k++) {
        double keep = local[k];
        local[k] = local[swap[k]];
        local[swap[k]] = keep;
    }
    for (size_t k = 0; k < s; k++, P += m) {
        double factor = local[k];
        for (size_t i = k + 1; i < m; i++)
            local[i] -= P[i] * factor;
    }
    for (size_t k = 0; k < m; k++)
        b[index[k]] = local[k];
}

static void backward(perp_front *front, int f, double *b)
{
    size_t s = (size_t)front->order[f], m = (size_t)front->size[f];
    const int *index = front->index + front->index_start[f];
    const double *P = front->lu + front->start[f], *U = P + s * m;
    double *local = front->local;
    for (size_t k = 0; k < s; k++)
        local[k] = b[index[k]];
    for (size_t j = s; j < m; j++, U += s) {
        double factor = b[index[j]];
        for (size_t i = 0; i < s; i++)
            local[i] -= U[i] * factor;
    }
    for (size_t k = s; k-- > 0;) {
        local[k] /= P[k * m + k];
        for (size_t i = 0; i < k; i++)
            local[i] -= P[k * m + i] * local[k];
        b[index[k]] = local[k];
    }
}

static void solve(perp_front *front, double *b)
{
    for (int f = 0; f < front->count; f++)
        forward(front, f, b);
    for (int f = front->count - 1; f >= 0; f--)
        backward(front, f, b);
}

/* r = b without what the known x of skipped rows makes; 0 in these.  1: r is 0. */
static int first_residual(perp_front *front, const double *values, const unsigned char *skip,
                          const double *x)
{
    const perp_csc *A = front->A;
    int nothing = 1;
    memcpy(front->r, front->b, (size_t)front->n * sizeof(double));
    for (int j = 0; skip && j < front->n; j++)
        for (int p = A->colptr[j]; x[j] != 0.0 && p < A->colptr[j + 1]; p++)
            front->r[A->row[p]] -= values[p] * x[j];
    for (int i = 0; i < front->n; i++) {
        if (skip && skip[i])
            front->r[i] = 0.0;
        nothing &= front->r[i] == 0.0;
    }
    return nothing;
}

/* sum += |column|. */
PERP_CLONES static void add_sizes(double *restrict sum, const double *restrict column, int n)
{
    for (int i = 0; i < n; i++)
        sum[i] += fabs(column[i]);
}

/* r -= column x, weight += |column x|. */
PERP_CLONES static void subtract_full(double *restrict r, double *restrict weight,
                                      const double *restrict column, double x, int n)
{
    for (int i = 0; i < n; i++) {
        double t = column[i] * x;
        r[i] -= t;
        weight[i] += fabs(t);
    }
}

static void sum_rows(perp_front *front, const double *values)
{
    const int *row = front->A->row;
    double *restrict sum = front->sum;
    memset(sum, 0, (size_t)front->n * sizeof(double));
    for (int j = 0; front->full && j < front->n; j++)
        add_sizes(sum, values + (size_t)j * (size_t)front->n, front->n);
    if (front->full)
        return;
    for (int p = 0, end = front->A->colptr[front->n]; p < end; p++)
        sum[row[p]] += fabs(values[p]);
}

/* r = b - A x; 0 in skipped rows.  max |r_i| / (|A| |x| + |b|)_i; where that is next to nothing
 * beside |A_i| max |x|, the latter is added to it ([ArioliDemmelDuff1989]): a row may have nothing
 * but what rounding left of others. */
static double residual(perp_front *front, const double *values, const unsigned char *skip,
                       const double *x)
{
    const perp_csc *A = front->A;
    double worst = 0.0, largest = 0.0, least = 1e3 * DBL_EPSILON * front->n;
    double *restrict r = front->r, *restrict weight = front->weight;
    for (int i = 0; i < front->n; i++) {
        r[i] = front->b[i];
        weight[i] = fabs(r[i]);
        largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    }
    const int *row = A->row;
    for (int j = 0; j < front->n; j++) {
        double factor = x[j];
        if (front->full) {
            subtract_full(r, weight, values + A->colptr[j], factor, front->n);
            continue;
        }
        for (int p = A->colptr[j], end = A->colptr[j + 1]; p < end; p++) {
            double t = values[p] * factor;
            r[row[p]] -= t;
            weight[row[p]] += fabs(t);
        }
    }
    for (int i = 0; i < front->n; i++) {
        double size = front->sum[i] * largest;
        if (skip && skip[i])
            r[i] = 0.0;
        if (weight[i] <= least * (size + fabs(front->b[i])))
            weight[i] += size;
        if (!(fabs(r[i]) <= worst * weight[i]))
            worst = fabs(r[i]) / weight[i];
    }
    return worst;
}

void perp_front_solve_once(perp_front *front, double *b)
{
    solve(front, b);
}

double perp_front_solve(perp_front *front, const double *x, const unsigned char *skip, double *b,
                        double goal)
{
    int n = front->n;
    memcpy(front->b, b, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        b[i] = skip && skip[i] ? b[i] : 0.0;
    if (first_residual(front, x, skip, b))
        return 0.0;
    sum_rows(front, x);
    double error = INFINITY, previous = INFINITY;
    for (int step = 1; step <= REFINEMENTS; step++) {
        solve(front, front->r);
        for (int i = 0; i < n; i++)
            b[i] += front->r[i];
        previous = error;
        error = residual(front, x, skip, b);
        if (error <= goal || !(error <= 0.5 * previous || step <= 1))
            break;
    }
    return error;
}
