/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/select.h"

#include <limits.h>
#include <string.h>

static int is_kept(const perp_select *part, int row, int col)
{
    return part->map[row] >= 0 && part->map[col] >= 0 &&
           (row == col || !(part->alone[row] || part->alone[col]));
}

/* Entries of BSR or CSC: counted by column into colptr[col + 1] where fill is 0, else written at
 * colptr[col]++. */
typedef struct pass {
    perp_select *part;
    int fill;
} pass;

static void entry(const pass *p, int row, int col, double x)
{
    perp_select *part = p->part;
    if (!is_kept(part, row, col))
        return;
    int j = part->map[col];
    if (!p->fill) {
        part->colptr[j + 1]++;
        return;
    }
    part->row[part->colptr[j]] = part->map[row];
    part->x[part->colptr[j]++] = x;
}

/* The kept columns of CSC, the kept rows of BSR. */
static void visit(const pass *p, const perp_mat *A)
{
    const perp_select *part = p->part;
    if (A->kind == PERP_CSC) {
        for (int k = 0; k < part->rows; k++) {
            int j = part->source[k];
            for (int e = A->as.csc.colptr[j]; e < A->as.csc.colptr[j + 1]; e++)
                entry(p, A->as.csc.row[e], j, A->as.csc.x[e]);
        }
        return;
    }
    int m = A->as.bsr.block;
    for (int k = 0; k < part->rows; k++) {
        int i = part->source[k] / m, inside = part->source[k] % m;
        for (int e = A->as.bsr.rowptr[i]; e < A->as.bsr.rowptr[i + 1]; e++) {
            const double *x = A->as.bsr.x + (size_t)e * (size_t)m * (size_t)m + inside;
            for (int c = 0; c < m; c++)
                entry(p, part->source[k], A->as.bsr.col[e] * m + c, x[c * m]);
        }
    }
}

static size_t count_sparse(perp_select *part, const perp_mat *A)
{
    const pass p = {part, 0};
    size_t total = 0;
    memset(part->colptr, 0, ((size_t)part->rows + 1) * sizeof(int));
    visit(&p, A);
    for (int j = 0; j < part->rows; j++) {
        total += (size_t)part->colptr[j + 1];
        if (total > INT_MAX) /* blocks of BSR hold more than were counted there */
            return total;
        part->colptr[j + 1] = (int)total;
    }
    return total;
}

static void fill_sparse(perp_select *part, const perp_mat *A)
{
    const pass p = {part, 1};
    visit(&p, A);
    for (int j = part->rows; j > 0; j--)
        part->colptr[j] = part->colptr[j - 1];
    part->colptr[0] = 0;
}

/* 1 where the kept rows are whole blocks of BSR in their places. */
static int keeps_blocks(const perp_select *part, const perp_mat *A)
{
    int m = A->kind == PERP_BSR ? A->as.bsr.block : 0;
    if (m == 0 || part->rows % m != 0)
        return 0;
    for (int i = 0; i < part->rows; i++)
        if (part->source[i] % m != i % m || part->source[i] / m != part->source[i - i % m] / m ||
            part->alone[part->source[i]])
            return 0;
    return 1;
}

/* Blocks of BSR in rows of blocks, as for entries above. */
static size_t count_blocks(perp_select *part, const perp_mat *A)
{
    int m = A->as.bsr.block;
    part->colptr[0] = 0;
    for (int i = 0; i < part->rows / m; i++) {
        int from = part->source[i * m] / m, kept = 0;
        for (int e = A->as.bsr.rowptr[from]; e < A->as.bsr.rowptr[from + 1]; e++)
            kept += part->map[A->as.bsr.col[e] * m] >= 0;
        part->colptr[i + 1] = part->colptr[i] + kept;
    }
    return (size_t)part->colptr[part->rows / m];
}

static void fill_blocks(perp_select *part, const perp_mat *A)
{
    int m = A->as.bsr.block, at = 0;
    size_t size = (size_t)m * (size_t)m;
    for (int i = 0; i < part->rows / m; i++) {
        int from = part->source[i * m] / m;
        for (int e = A->as.bsr.rowptr[from]; e < A->as.bsr.rowptr[from + 1]; e++) {
            int col = part->map[A->as.bsr.col[e] * m];
            if (col < 0)
                continue;
            part->row[at] = col / m;
            memcpy(part->x + (size_t)at++ * size, A->as.bsr.x + (size_t)e * size,
                   size * sizeof(double));
        }
    }
}

/* Columns of H. */
static size_t count_columns(perp_select *part, const perp_mat *A)
{
    const int *colptr = A->as.delassus.colptr;
    part->colptr[0] = 0;
    for (int i = 0; i < part->rows; i++) {
        int j = part->source[i];
        int length = part->alone[j] ? 0 : colptr[j + 1] - colptr[j];
        part->colptr[i + 1] = part->colptr[i] + length;
    }
    return (size_t)part->colptr[part->rows];
}

static void fill_columns(perp_select *part, const perp_mat *A)
{
    for (int i = 0; i < part->rows; i++) {
        int from = A->as.delassus.colptr[part->source[i]], at = part->colptr[i];
        size_t length = (size_t)(part->colptr[i + 1] - at);
        memcpy(part->row + at, A->as.delassus.row + from, length * sizeof(int));
        memcpy(part->x + at, A->as.delassus.x + from, length * sizeof(double));
    }
    for (int i = 0; part->diagonal && i < part->rows; i++)
        part->diagonal[i] = A->as.delassus.diagonal[part->source[i]];
}

static void fill_dense(perp_select *part, const perp_mat *A)
{
    size_t ld = (size_t)A->as.dense.ld;
    double *x = part->x;
    for (int j = 0; j < part->rows; j++)
        for (int i = 0; i < part->rows; i++) {
            int row = part->source[i], col = part->source[j];
            *x++ = is_kept(part, row, col) ? A->as.dense.x[(size_t)row + (size_t)col * ld] : 0.0;
        }
}

static int apply(void *ctx, double *y, const double *x)
{
    perp_select *part = ctx;
    memset(part->input, 0, (size_t)part->whole.rows * sizeof(double));
    for (int i = 0; i < part->rows; i++)
        if (!part->alone[part->source[i]])
            part->input[part->source[i]] = x[i];
    if (part->whole.as.op.apply(part->whole.as.op.ctx, part->output, part->input))
        return 1;
    for (int i = 0; i < part->rows; i++)
        y[i] = part->alone[part->source[i]] ? (part->x ? part->x[i] : 1.0) * x[i]
                                            : part->output[part->source[i]];
    return 0;
}

static perp_status load_operator(perp_select *part, const perp_mat *A)
{
    part->whole = *A;
    for (int i = 0; part->x && i < part->rows; i++)
        part->x[i] = A->as.op.diagonal[part->source[i]];
    return perp_mat_init_operator(&part->mat, part->rows, apply, part, part->x);
}

/* What `capacity` counts: blocks, columns of H, or entries. */
static size_t count_kept(perp_select *part, const perp_mat *A)
{
    if (part->blocks)
        return count_blocks(part, A);
    return A->kind == PERP_DELASSUS ? count_columns(part, A) : count_sparse(part, A);
}

perp_status perp_select_load(perp_select *part, const perp_mat *A)
{
    if (A->kind == PERP_OPERATOR)
        return load_operator(part, A);
    if (A->kind == PERP_DENSE) {
        fill_dense(part, A);
        return perp_mat_init_dense(&part->mat, part->rows, part->rows, part->x, part->rows);
    }
    if (count_kept(part, A) != part->capacity || part->blocks != keeps_blocks(part, A))
        return PERP_ERR_STATE;
    if (part->blocks) {
        int m = A->as.bsr.block;
        fill_blocks(part, A);
        return perp_mat_init_bsr(&part->mat, part->rows / m, m, part->colptr, part->row, part->x);
    }
    if (A->kind == PERP_DELASSUS) {
        if (!part->diagonal != !A->as.delassus.diagonal)
            return PERP_ERR_STATE;
        fill_columns(part, A);
        perp_status status =
            perp_mat_init_delassus(&part->mat, A->as.delassus.dofs, part->rows, part->colptr,
                                   part->row, part->x, A->as.delassus.mass);
        part->mat.as.delassus.diagonal = part->diagonal;
        return status;
    }
    fill_sparse(part, A);
    return perp_mat_init_csc(&part->mat, part->rows, part->rows, part->colptr, part->row, part->x);
}

perp_status perp_select_take(perp_select *part, const perp_mat *A, int rows, const int *source,
                             const int *map, const unsigned char *alone, perp_arena *arena)
{
    *part = (perp_select){.rows = rows, .source = source, .map = map, .alone = alone};
    size_t n = (size_t)rows;
    if (A->kind == PERP_DENSE) {
        part->x = perp_arena_take(arena, n, n * sizeof(double));
    } else if (A->kind == PERP_OPERATOR) {
        part->x = A->as.op.diagonal ? PERP_TAKE(arena, double, rows) : NULL;
        part->input = PERP_TAKE(arena, double, A->rows);
        part->output = PERP_TAKE(arena, double, A->rows);
    } else {
        part->blocks = keeps_blocks(part, A);
        part->colptr = PERP_TAKE(arena, int, n + 1);
        if (arena->failed)
            return PERP_ERR_MEMORY;
        size_t each = part->blocks ? (size_t)(A->as.bsr.block * A->as.bsr.block) : 1;
        part->capacity = count_kept(part, A);
        if (part->capacity > INT_MAX)
            return PERP_ERR_OVERFLOW;
        part->row = PERP_TAKE(arena, int, part->capacity);
        part->x = perp_arena_take(arena, part->capacity, each * sizeof(double));
        if (A->kind == PERP_DELASSUS && A->as.delassus.diagonal)
            part->diagonal = PERP_TAKE(arena, double, rows);
    }
    return arena->failed ? PERP_ERR_MEMORY : perp_select_load(part, A);
}
