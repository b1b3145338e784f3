/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a saddle system: their places in the panels, and the factors, column by column from
 * the columns before. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/step/saddle.h"
#include "numerics/core/clones.h"

/* A row whose pivot is below this share of the terms that cancel in it follows from others.  Small
 * as such it may well be: a long chain weighs much. */
static const double DEPENDENT = 1e-12;
/* So does one whose pivot is below so many times what rounding may have changed it by: a small
 * pivot before it makes that much more than the rounding of its terms. */
static const double DOUBTFUL = 16.0;
/* Below this share a joint takes the row of its own that follows least, if another does less. */
static const double SMALL = 1e-6;

enum { WIDEST = 6 }; /* of PERP_EACH_WIDTH */

static void put_system(perp_saddle *saddle, int k)
{
    const double *A = saddle->numbers + saddle->A_at[k];
    if (perp_saddle_is_block(saddle, k)) {
        size_t n = (size_t)saddle->systems[k]->nv;
        int place = saddle->elimination.place[saddle->system_node[k]];
        memcpy(saddle->values + saddle->panel[place], A, sizeof *A * n * n);
        return;
    }
    /* An entry and its mirror image have one place: half of each, all of the diagonal. */
    const perp_iteration *W = &saddle->systems[k]->W;
    const size_t *at = saddle->sparse_at + saddle->sparse_ptr[k];
    for (int c = 0; c < W->n; c++) {
        if (W->kind == PERP_ITERATION_DIAGONAL) {
            saddle->values[at[c]] += A[c];
            continue;
        }
        for (int i = W->colptr[c]; i < W->colptr[c + 1]; i++)
            saddle->values[at[i]] += (W->row[i] == c ? 1.0 : 0.5) * A[i];
    }
}

/* The block of K between two nodes of a joint, by rows of the one that is eliminated later. */
static void put_pair(const perp_saddle *saddle, const double *K, int nv, int a, int b, double *to)
{
    const int *place = saddle->elimination.place;
    int first = place[saddle->block_node[a]] < place[saddle->block_node[b]];
    int rows = first ? b : a, columns = first ? a : b;
    int n = saddle->weight[saddle->block_node[rows]];
    int m = saddle->weight[saddle->block_node[columns]];
    K += (size_t)saddle->block_column[columns] + (size_t)saddle->block_column[rows] * (size_t)nv;
    for (int i = 0; i < n; i++, to += m, K += nv) /* K is symmetric */
        for (int k = 0; k < m; k++)
            to[k] += K[k];
}

/* to += a block of G, by its rows or by its columns. */
static inline __attribute__((always_inline)) void
put_rows(double *restrict to, const double *restrict G, int nv, int rows, int n, int by_row)
{
    for (int r = 0; by_row && r < rows; r++)
        for (int v = 0; v < n; v++)
            to[r * n + v] += G[r * nv + v];
    for (int r = 0; !by_row && r < rows; r++)
        for (int v = 0; v < n; v++)
            to[v * rows + r] += G[r * nv + v];
}

static void put_joint(perp_saddle *saddle, int j)
{
    const double *G = saddle->numbers + saddle->G_at[j], *K = saddle->numbers + saddle->K_at[j];
    const int *place = saddle->elimination.place;
    int rows = saddle->joints[j]->rows, nv = saddle->joints[j]->nv;
    int joint = place[saddle->joint_node[j]], stiff = saddle->stiff[j] && saddle->stiffened;
    size_t pair = saddle->pair_ptr[j];
    double *own = saddle->values + saddle->panel[joint];
    for (int r = 0; saddle->giving && r < rows; r++)
        own[r * rows + r] -= saddle->giving[saddle->joint_at[j] + r];
    for (int b = saddle->block_ptr[j]; b < saddle->block_ptr[j + 1]; b++) {
        int node = saddle->block_node[b], n = saddle->weight[node], at = saddle->block_column[b];
        double *to = saddle->values + saddle->block_at[b];
        int by_row = joint > place[node];
        if (rows == 5 && n == 6)
            put_rows(to, G + at, nv, 5, 6, by_row);
        else
            put_rows(to, G + at, nv, rows, n, by_row);
        for (int a = saddle->block_ptr[j]; stiff && a < b; a++, pair++)
            put_pair(saddle, K, nv, a, b, saddle->values + saddle->pair_at[pair]);
        if (stiff && !perp_saddle_is_block(saddle, saddle->node_system[node]))
            put_pair(saddle, K, nv, b, b, saddle->values + saddle->pair_at[pair]);
        pair += stiff ? 1 : 0;
    }
}

#define PERP_EACH_WIDTH(X) X(1) X(2) X(3) X(4) X(5) X(6)

/* C (rows x w) -= B (rows x depth) T (depth x w), all by rows; one of C in registers. */
static inline __attribute__((always_inline)) void subtract_product(double *restrict C,
                                                                   const double *restrict B,
                                                                   const double *restrict T,
                                                                   int rows, int depth, int w)
{
    for (int r = 0; r < rows; r++, C += w, B += depth)
        for (int k = 0; k < depth; k++) {
            double b = B[k];
            for (int c = 0; c < w; c++)
                C[c] -= b * T[k * w + c];
        }
}

static inline __attribute__((always_inline)) void subtract_small(double *restrict C,
                                                                 const double *restrict B,
                                                                 const double *restrict T, int rows,
                                                                 int depth, int w)
{
    for (int r = 0; r < rows; r++, C += w, B += depth) {
        double sum[WIDEST];
        for (int c = 0; c < w; c++)
            sum[c] = C[c];
        for (int k = 0; k < depth; k++)
            for (int c = 0; c < w; c++)
                sum[c] -= B[k] * T[k * w + c];
        for (int c = 0; c < w; c++)
            C[c] = sum[c];
    }
}

/* size += magnitudes of what the block B (w x depth) takes from the diagonal. */
static void add_sizes(double *size, const double *B, const double *d, int depth, int w)
{
    for (int c = 0; c < w; c++)
        for (int i = 0; i < depth; i++) {
            double b = B[c * depth + i];
            size[c] += b * b * fabs(d[i]);
        }
}

/* doubt += what that of the pivots of another column becomes in the diagonal. */
static void add_doubts(double *doubt, const double *B, const double *from, int depth, int w)
{
    for (int c = 0; c < w; c++)
        for (int i = 0; i < depth; i++)
            doubt[c] += B[c * depth + i] * B[c * depth + i] * from[i];
}

/* Column `place`, of this width, minus what entry o->row[k] of its row, in a column of this depth,
 * contributes. */
static inline __attribute__((always_inline)) void gather_from(perp_saddle *saddle, int place, int k,
                                                              int joint, int depth, int w)
{
    const perp_saddle_order *o = &saddle->elimination;
    int from = o->row_column[k], known = w <= WIDEST && depth <= WIDEST;
    double small[WIDEST * WIDEST], *T = known ? small : saddle->product;
    double *diagonal = saddle->values + saddle->panel[place];
    const double *B = saddle->values + saddle->entry_at[o->row[k]];
    const double *d = saddle->pivots + saddle->first[from];
    for (int i = 0; i < depth; i++)
        for (int c = 0; c < w; c++)
            T[i * w + c] = B[c * depth + i] * d[i];
    if (joint) {
        add_sizes(saddle->size, B, d, depth, w);
        if (saddle->doubtful[from])
            add_doubts(saddle->doubt, B, saddle->doubts + saddle->first[from], depth, w);
    }
    if (known)
        subtract_small(diagonal, B, T, w, depth, w);
    else
        subtract_product(diagonal, B, T, w, depth, w);
    for (int e = o->row[k] + 1; e < o->column_ptr[from + 1]; e++) {
        int row = o->column[e];
        double *C = saddle->values + saddle->map[row];
        const double *entry = saddle->values + saddle->entry_at[e];
        if (known)
            subtract_small(C, entry, T, saddle->width[row], depth, w);
        else
            subtract_product(C, entry, T, saddle->width[row], depth, w);
    }
}

/* The same of all columns before it; of a joint with what its pivots are judged by.  Bodies, pivots
 * and coordinates by their widths. */
static inline __attribute__((always_inline)) void gather_wide(perp_saddle *saddle, int place, int w)
{
    const perp_saddle_order *o = &saddle->elimination;
    int joint = saddle->node_system[o->order[place]] < 0;
    for (int k = o->row_ptr[place]; k < o->row_ptr[place + 1]; k++) {
        int depth = saddle->width[o->row_column[k]];
        if (depth == 6)
            gather_from(saddle, place, k, joint, 6, w);
        else if (depth == 5)
            gather_from(saddle, place, k, joint, 5, w);
        else if (depth == 1)
            gather_from(saddle, place, k, joint, 1, w);
        else
            gather_from(saddle, place, k, joint, depth, w);
    }
}

PERP_CLONES static void gather(perp_saddle *saddle, int place)
{
    const perp_saddle_order *o = &saddle->elimination;
    for (int e = o->column_ptr[place]; e < o->column_ptr[place + 1]; e++)
        saddle->map[o->column[e]] = saddle->entry_at[e];
    memset(saddle->size, 0, sizeof *saddle->size * (size_t)saddle->width[place]);
    memset(saddle->doubt, 0, sizeof *saddle->doubt * (size_t)saddle->width[place]);
    switch (saddle->width[place]) {
#define PERP_GATHER(w)                                                                             \
    case w:                                                                                        \
        gather_wide(saddle, place, w);                                                             \
        return;
        PERP_EACH_WIDTH(PERP_GATHER)
#undef PERP_GATHER
    default:
        gather_wide(saddle, place, saddle->width[place]);
    }
}

static int is_left_out(const perp_saddle *saddle, int row)
{
    return saddle->trusting && saddle->dependent[row - saddle->dofs];
}

void perp_saddle_keep_dropped(perp_saddle *saddle)
{
    memcpy(saddle->dependent, saddle->dropped, (size_t)saddle->rows);
}

void perp_saddle_take_dependent(perp_saddle *saddle, const perp_saddle *other)
{
    memcpy(saddle->dependent, other->dependent, (size_t)saddle->rows);
}

/* The pivot of a row that follows from others, at a joint that could not wait longer; elsewhere
 * the joint has to. */
static double without_row(perp_saddle *saddle, int place, int row)
{
    double scale = saddle->scale[row];
    saddle->dropped[row - saddle->dofs] = 1;
    saddle->ndropped++;
    if (!saddle->elimination.last[place])
        saddle->late[saddle->elimination.order[place]] = 2;
    return scale > 0.0 ? -scale : -1.0;
}

static inline void swap(double *a, double *b)
{
    double x = *a;
    *a = *b;
    *b = x;
}

/* The row of a joint that is column c of its node. */
static inline int row_at(const perp_saddle *saddle, int place, int c)
{
    return saddle->scalar[saddle->first[place] + c];
}

/* Rows c and m > c of a joint change places: in its diagonal block, of which c columns are done, in
 * what is below, and in the columns before. */
static void exchange(perp_saddle *saddle, int place, int w, int c, int m, double *upper)
{
    const perp_saddle_order *o = &saddle->elimination;
    double *block = saddle->values + saddle->panel[place];
    double *end = saddle->values + saddle->panel[place + 1];
    int *rows = saddle->scalar + saddle->first[place], row = rows[c];
    rows[c] = rows[m];
    rows[m] = row;
    swap(&saddle->size[c], &saddle->size[m]);
    swap(&saddle->doubt[c], &saddle->doubt[m]);
    for (int k = 0; k < c; k++) {
        swap(&block[c * w + k], &block[m * w + k]);
        swap(&upper[k * w + c], &upper[k * w + m]);
    }
    swap(&block[c * w + c], &block[m * w + m]);
    for (int k = c + 1; k < m; k++)
        swap(&block[k * w + c], &block[m * w + k]);
    for (double *below = block + (size_t)(m + 1) * (size_t)w; below < end; below += w)
        swap(&below[c], &below[m]);
    for (int k = o->row_ptr[place]; k < o->row_ptr[place + 1]; k++) {
        int depth = saddle->width[o->row_column[k]];
        double *B = saddle->values + saddle->entry_at[o->row[k]];
        for (int i = 0; i < depth; i++)
            swap(&B[c * depth + i], &B[m * depth + i]);
    }
}

/* What two joints both hold, turned a little against each other, is seen by a row of the second one
 * alone: a row along the other's free direction by 1e-6, say, has a pivot of 1e-12, which is exact
 * and makes multipliers 1e6 times as large, where the next row is that direction. */
static void choose_row(perp_saddle *saddle, int place, int w, int c, double *upper)
{
    const double *block = saddle->values + saddle->panel[place], *size = saddle->size;
    int best = c;
    for (int m = c + 1; m < w; m++) {
        int worse = is_left_out(saddle, row_at(saddle, place, m));
        if (!worse && fabs(block[m * w + m]) * size[best] > fabs(block[best * w + best]) * size[m])
            best = m;
    }
    if (best > c)
        exchange(saddle, place, w, c, best, upper);
}

/* The pivot of column c of a joint, with what it is judged by. */
static inline double joint_pivot(perp_saddle *saddle, int place, int c, double pivot)
{
    int row = row_at(saddle, place, c);
    double size = saddle->size[c];
    saddle->doubt[c] += DBL_EPSILON * size;
    if (fabs(pivot) > fmax(DEPENDENT * size, DOUBTFUL * saddle->doubt[c]) &&
        !is_left_out(saddle, row))
        return pivot;
    saddle->doubt[c] = 0.0;
    return without_row(saddle, place, row);
}

/* Entry r of column c has had x = L d taken from it. */
static inline void note_sizes(perp_saddle *saddle, int c, int r, double x, double upper)
{
    saddle->size[r] += fabs(x * upper);
    saddle->doubt[r] += upper * upper * saddle->doubt[c];
}

/* What later joints have to know of the pivots of this one: is there any whose doubt is more than
 * the rounding of what it is part of?  Bodies in between do not pass it on: along a chain it would
 * grow where the factors are as exact as the matrix. */
static inline __attribute__((always_inline)) void keep_doubts(perp_saddle *saddle, int place, int w)
{
    const double *d = saddle->pivots + saddle->first[place];
    double *kept = saddle->doubts + saddle->first[place];
    int any = 0;
    for (int c = 0; c < w; c++) {
        kept[c] = saddle->doubt[c];
        any |= DOUBTFUL * kept[c] > DEPENDENT * fabs(d[c]);
    }
    saddle->doubtful[place] = (unsigned char)any;
}

typedef double lanes __attribute__((vector_size(4 * sizeof(double))));

/* Up to four rows below a block, by its L with unit diagonal and its pivots, each by the same
 * operations as alone.  Inlined with w known, and with their number where it is 4. */
static inline __attribute__((always_inline)) void
finish_rows(double *below, int rows, const double *upper, const double *inverse, int w)
{
    lanes x[WIDEST];
    for (int c = 0; c < w; c++)
        x[c] = (lanes){below[c], rows > 1 ? below[w + c] : 0.0, rows > 2 ? below[2 * w + c] : 0.0,
                       rows > 3 ? below[3 * w + c] : 0.0};
    for (int c = 0; c < w; c++)
        for (int k = c + 1; k < w; k++)
            x[k] -= x[c] * upper[c * w + k];
    for (int c = 0; c < w; c++) {
        x[c] *= inverse[c];
        for (int r = 0; r < 4; r++)
            if (r < rows)
                below[r * w + c] = x[c][r];
    }
}

/* The same of all of them; of any width one by one. */
static inline __attribute__((always_inline)) void
finish_below(double *below, const double *end, const double *upper, const double *inverse, int w)
{
    for (; w <= WIDEST && end - below >= 4 * w; below += 4 * w)
        finish_rows(below, 4, upper, inverse, w);
    if (w <= WIDEST && below < end) {
        finish_rows(below, (int)(end - below) / w, upper, inverse, w);
        return;
    }
    for (; below < end; below += w) {
        for (int c = 0; c < w; c++) {
            double x = below[c];
            for (int k = c + 1; k < w; k++)
                below[k] -= x * upper[c * w + k];
        }
        for (int c = 0; c < w; c++)
            below[c] *= inverse[c];
    }
}

/* L D L' of the diagonal block and the rows below it.  0: a pivot is 0 or not finite. */
static inline __attribute__((always_inline)) int factor_wide(perp_saddle *saddle, int place,
                                                             int *negative, int w)
{
    double small[WIDEST * WIDEST], few[WIDEST];
    double *restrict block = saddle->values + saddle->panel[place];
    double *d = saddle->pivots + saddle->first[place];
    double *end = saddle->values + saddle->panel[place + 1];
    double *upper = w <= WIDEST ? small : saddle->product;
    double *inverse = w <= WIDEST ? few : saddle->inverse;
    int joint = saddle->node_system[saddle->elimination.order[place]] < 0;
    for (int c = 0; c < w; c++) {
        if (joint && fabs(block[c * w + c]) < SMALL * saddle->size[c])
            choose_row(saddle, place, w, c, upper);
        double pivot = block[c * w + c];
        if (joint)
            pivot = joint_pivot(saddle, place, c, pivot);
        if (pivot == 0.0 || !isfinite(pivot))
            return 0;
        d[c] = pivot;
        *negative += pivot < 0.0;
        inverse[c] = 1.0 / pivot;
        for (int r = c + 1; r < w; r++) {
            double x = block[r * w + c];
            upper[c * w + r] = x * inverse[c];
            if (joint)
                note_sizes(saddle, c, r, x, upper[c * w + r]);
            for (int k = c + 1; k <= r; k++)
                block[r * w + k] -= x * upper[c * w + k];
        }
        for (int r = c + 1; r < w; r++)
            block[r * w + c] = upper[c * w + r];
    }
    saddle->doubtful[place] = 0;
    if (joint)
        keep_doubts(saddle, place, w);
    finish_below(block + (size_t)w * (size_t)w, end, upper, inverse, w);
    return 1;
}

PERP_CLONES static int factor_column(perp_saddle *saddle, int place, int *negative)
{
    switch (saddle->width[place]) {
#define PERP_FACTOR(w)                                                                             \
    case w:                                                                                        \
        return factor_wide(saddle, place, negative, w);
        PERP_EACH_WIDTH(PERP_FACTOR)
#undef PERP_FACTOR
    default:
        return factor_wide(saddle, place, negative, saddle->width[place]);
    }
}

/* PERP_INTERRUPTED: a joint has to wait longer. */
static perp_status factor(perp_saddle *saddle, int *negative)
{
    int waits = 0, regular = 1;
    memset(saddle->values, 0, sizeof *saddle->values * saddle->panel[saddle->nodes]);
    memset(saddle->dropped, 0, (size_t)saddle->rows);
    saddle->ndropped = *negative = 0;
    for (int k = 0; k < saddle->nodes; k++)
        for (int i = 0; i < saddle->width[k]; i++)
            saddle->scalar[saddle->first[k] + i] =
                saddle->node_at[saddle->elimination.order[k]] + i;
    for (int k = 0; k < saddle->nsystems; k++)
        put_system(saddle, k);
    for (int j = 0; j < saddle->njoints; j++)
        put_joint(saddle, j);
    for (int place = 0; regular && place < saddle->nodes; place++) {
        gather(saddle, place);
        regular = factor_column(saddle, place, negative);
    }
    for (int k = 0; k < saddle->nodes; k++)
        if (saddle->late[k] == 2)
            saddle->late[k] = 1, waits = 1;
    return waits ? PERP_INTERRUPTED : regular ? PERP_SOLVED : PERP_ERR_SINGULAR;
}

/* May the present factors be those of the next numbers, as at the start of a step after one that
 * ended there? */
static int may_be_known(const perp_saddle *saddle)
{
    if (!saddle->factored || saddle->giving || saddle->stiffened || saddle->trusted ||
        saddle->trusting)
        return 0;
    for (int j = 0; j < saddle->njoints; j++)
        if (saddle->stiff[j])
            return 0;
    return 1;
}

/* Copies the numbers; 1: those before were the same. */
static int copy_same(perp_saddle *saddle)
{
    double *before = saddle->numbers;
    saddle->numbers = saddle->earlier;
    saddle->earlier = before;
    (void)perp_saddle_copy(saddle, NULL, 0.0);
    return memcmp(saddle->numbers, before, sizeof *before * saddle->nnumbers) == 0;
}

static void forget_losses(const perp_saddle *saddle)
{
    for (int k = 0; k < saddle->islands; k++)
        saddle->loss[k] = -1.0;
}

perp_status perp_saddle_factor(perp_saddle *saddle, const double *const *stiffness, double weight,
                               int *negative)
{
    int copied = !stiffness && may_be_known(saddle);
    saddle->version++;
    if (copied && copy_same(saddle)) {
        *negative = saddle->negative;
        forget_losses(saddle);
        return PERP_SOLVED;
    }
    perp_status status = saddle->analysed ? PERP_SOLVED : perp_saddle_analyse(saddle);
    saddle->factored = *negative = 0;
    if (status == PERP_SOLVED && !copied && perp_saddle_copy(saddle, stiffness, weight)) {
        status = perp_saddle_analyse(saddle);
        if (status == PERP_SOLVED)
            (void)perp_saddle_copy(saddle, stiffness, weight);
    }
    while (status == PERP_SOLVED && (status = factor(saddle, negative)) == PERP_INTERRUPTED) {
        status = perp_saddle_analyse(saddle);
        if (status == PERP_SOLVED)
            (void)perp_saddle_copy(saddle, stiffness, weight);
    }
    saddle->factored = status == PERP_SOLVED;
    saddle->negative = *negative;
    saddle->trusted = saddle->trusting;
    if (saddle->factored)
        forget_losses(saddle);
    return status;
}
