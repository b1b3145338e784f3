/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/select.h"

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

static void visit(const pass *p, const perp_mat *A)
{
    if (A->kind == PERP_CSC) {
        for (int j = 0; j < A->cols; j++)
            for (int e = A->as.csc.colptr[j]; e < A->as.csc.colptr[j + 1]; e++)
                entry(p, A->as.csc.row[e], j, A->as.csc.x[e]);
        return;
    }
    int m = A->as.bsr.block;
    for (int i = 0; i < A->rows / m; i++)
        for (int e = A->as.bsr.rowptr[i]; e < A->as.bsr.rowptr[i + 1]; e++) {
            const double *x = A->as.bsr.x + (size_t)e * (size_t)(m * m);
            for (int k = 0; k < m * m; k++)
                entry(p, i * m + k % m, A->as.bsr.col[e] * m + k / m, x[k]);
        }
}

static size_t count_sparse(perp_select *part, const perp_mat *A)
{
    const pass p = {part, 0};
    memset(part->colptr, 0, ((size_t)part->rows + 1) * sizeof(int));
    visit(&p, A);
    for (int j = 0; j < part->rows; j++)
        part->colptr[j + 1] += part->colptr[j];
    return (size_t)part->colptr[part->rows];
}

static void fill_sparse(perp_select *part, const perp_mat *A)
{
    const pass p = {part, 1};
    visit(&p, A);
    for (int j = part->rows; j > 0; j--)
        part->colptr[j] = part->colptr[j - 1];
    part->colptr[0] = 0;
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

perp_status perp_select_load(perp_select *part, const perp_mat *A)
{
    size_t count = 0;
    switch (A->kind) {
    case PERP_DENSE:
        fill_dense(part, A);
        return perp_mat_init_dense(&part->mat, part->rows, part->rows, part->x, part->rows);
    case PERP_OPERATOR:
        return load_operator(part, A);
    case PERP_DELASSUS:
        count = count_columns(part, A);
        break;
    default:
        count = count_sparse(part, A);
    }
    if (count != part->room)
        return PERP_ERR_STATE;
    if (A->kind != PERP_DELASSUS) {
        fill_sparse(part, A);
        return perp_mat_init_csc(&part->mat, part->rows, part->rows, part->colptr, part->row,
                                 part->x);
    }
    fill_columns(part, A);
    return perp_mat_init_delassus(&part->mat, A->as.delassus.dofs, part->rows, part->colptr,
                                  part->row, part->x, A->as.delassus.mass);
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
        part->colptr = PERP_TAKE(arena, int, n + 1);
        if (arena->failed)
            return PERP_ERR_MEMORY;
        part->room = A->kind == PERP_DELASSUS ? count_columns(part, A) : count_sparse(part, A);
        part->row = PERP_TAKE(arena, int, part->room);
        part->x = PERP_TAKE(arena, double, part->room);
    }
    return arena->failed ? PERP_ERR_MEMORY : perp_select_load(part, A);
}
