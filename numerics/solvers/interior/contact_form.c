/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/interior/contact_form.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Rows of one column: those of C, and those of its block; both sorted. */
static int merge(int *out, const perp_csc *C, int column, int first, int dim)
{
    int count = 0, next = first;
    for (int p = C->colptr[column]; p < C->colptr[column + 1]; p++) {
        for (; next < first + dim && next <= C->row[p]; next++, count++)
            if (out)
                out[count] = next;
        if (C->row[p] < first || C->row[p] >= first + dim) {
            if (out)
                out[count] = C->row[p];
            count++;
        }
    }
    for (; next < first + dim; next++, count++)
        if (out)
            out[count] = next;
    return count;
}

static perp_status build_pattern(perp_contact_form *form, const perp_csc *C,
                                 const perp_interior *in, perp_arena *arena)
{
    size_t total = 0, n = (size_t)in->n;
    perp_csc *K = &form->K;
    for (int k = 0; k < in->blocks->count; k++) {
        const perp_block *block = &in->blocks->at[k];
        for (int j = block->row; j < block->row + block->dim; j++)
            total += (size_t)merge(NULL, C, j, block->row, block->dim);
    }
    if (total > INT_MAX)
        return PERP_ERR_OVERFLOW;
    K->rows = K->cols = in->n;
    K->colptr = PERP_TAKE(arena, int, n + 1);
    K->row = PERP_TAKE(arena, int, total);
    K->x = PERP_TAKE(arena, double, total);
    form->W = PERP_TAKE(arena, double, total);
    form->own = PERP_TAKE(arena, int, n);
    form->cursor = PERP_TAKE(arena, int, n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    K->colptr[0] = 0;
    for (int k = 0; k < in->blocks->count; k++) {
        const perp_block *block = &in->blocks->at[k];
        for (int j = block->row; j < block->row + block->dim; j++) {
            int *rows = K->row + K->colptr[j], p = 0;
            K->colptr[j + 1] = K->colptr[j] + merge(rows, C, j, block->row, block->dim);
            while (rows[p] != block->row)
                p++;
            form->own[j] = K->colptr[j] + p;
        }
    }
    return PERP_SOLVED;
}

/* Adds to entry (row, column); 1 when it lies outside the pattern. */
static int add(perp_contact_form *form, int row, int column, double x)
{
    const perp_csc *K = &form->K;
    int low = K->colptr[column], high = K->colptr[column + 1] - 1, next = form->cursor[column];
    if (next <= high && K->row[next] == row) {
        form->cursor[column] = next + 1;
        form->W[next] += x;
        return 0;
    }
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (K->row[middle] == row) {
            form->cursor[column] = middle + 1;
            form->W[middle] += x;
            return 0;
        }
        if (K->row[middle] < row)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return x != 0.0;
}

static int load_entries(perp_contact_form *form, const perp_mat *M, const double *s)
{
    int outside = 0, b = M->kind == PERP_BSR ? M->as.bsr.block : 1;
    for (int j = 0; M->kind == PERP_DENSE && j < M->cols; j++)
        for (int i = 0; i < M->rows; i++) {
            double x = M->as.dense.x[(size_t)i + (size_t)j * (size_t)M->as.dense.ld];
            if (x != 0.0)
                outside |= add(form, i, j, s[i] * x * s[j]);
        }
    for (int j = 0; M->kind == PERP_CSC && j < M->cols; j++)
        for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++) {
            int i = M->as.csc.row[p];
            outside |= add(form, i, j, s[i] * M->as.csc.x[p] * s[j]);
        }
    for (int i = 0; M->kind == PERP_BSR && i < M->rows / b; i++)
        for (int p = M->as.bsr.rowptr[i]; p < M->as.bsr.rowptr[i + 1]; p++)
            for (int k = 0; k < b * b; k++) {
                int row = i * b + k % b, col = M->as.bsr.col[p] * b + k / b;
                double x = M->as.bsr.x[(size_t)p * (size_t)(b * b) + (size_t)k];
                outside |= add(form, row, col, s[row] * x * s[col]);
            }
    return outside;
}

/* max |W_ij - W_ji| / max |W_ij|, over the entries below the diagonal and above. */
static double asymmetry(perp_contact_form *form)
{
    const perp_csc *K = &form->K;
    double largest = 0.0, difference = 0.0;
    int *at = form->cursor; /* how far row j of the upper part was read, as column j */
    memcpy(at, K->colptr, (size_t)K->cols * sizeof(int));
    for (int j = 0; j < K->cols; j++)
        for (int p = K->colptr[j]; p < K->colptr[j + 1]; p++) {
            int i = K->row[p], end = K->colptr[i + 1];
            largest = fmax(largest, fabs(form->W[p]));
            while (at[i] < end && K->row[at[i]] < j)
                difference = fmax(difference, fabs(form->W[at[i]++]));
            if (at[i] < end && K->row[at[i]] == j)
                difference = fmax(difference, fabs(form->W[p] - form->W[at[i]++]));
            else
                difference = fmax(difference, fabs(form->W[p]));
        }
    return largest > 0.0 ? difference / largest : 0.0;
}

perp_status perp_contact_form_load(perp_contact_form *form, const perp_mat *M,
                                   const perp_interior *in, const perp_allocator *allocator)
{
    const perp_csc *K = &form->K;
    perp_status status = PERP_SOLVED;
    int outside = 0;
    memset(form->W, 0, (size_t)K->colptr[K->cols] * sizeof(double));
    memcpy(form->cursor, K->colptr, (size_t)K->cols * sizeof(int));
    if (M->kind == PERP_DELASSUS) {
        perp_arena temporary;
        perp_csc C;
        perp_arena_init(&temporary, allocator);
        status = perp_csc_from_mat(&C, M, &temporary);
        if (status == PERP_SOLVED) {
            perp_mat view = perp_csc_view(&C);
            outside = load_entries(form, &view, in->scale);
        }
        perp_arena_free(&temporary);
    } else {
        outside = load_entries(form, M, in->scale);
    }
    if (status == PERP_SOLVED)
        form->asymmetry = asymmetry(form);
    return status == PERP_SOLVED && outside ? PERP_ERR_STATE : status;
}

perp_status perp_contact_form_build(perp_contact_form *form, const perp_mat *M,
                                    const perp_interior *in, perp_arena *arena)
{
    char stack[PERP_ARENA_STACK];
    perp_arena temporary;
    perp_csc C;
    perp_arena_init_with(&temporary, &arena->allocator, stack, sizeof stack);
    perp_status status = perp_csc_from_mat(&C, M, &temporary);
    if (status == PERP_SOLVED)
        status = build_pattern(form, &C, in, arena);
    perp_arena_free(&temporary);
    return status;
}

void perp_contact_form_apply(double *y, const perp_contact_form *form, const double *x)
{
    const perp_csc *K = &form->K;
    for (int i = 0; i < K->rows; i++)
        y[i] = 0.0;
    for (int j = 0; j < K->cols; j++)
        for (int p = K->colptr[j]; p < K->colptr[j + 1]; p++)
            y[K->row[p]] += form->W[p] * x[j];
}

void perp_contact_form_add(perp_contact_form *form, const perp_interior *in, const double *E,
                           double shift)
{
    perp_csc *K = &form->K;
    memcpy(K->x, form->W, (size_t)K->colptr[K->cols] * sizeof(double));
    for (int k = 0; k < in->blocks->count; k++) {
        int row = in->blocks->at[k].row, dim = in->blocks->at[k].dim;
        for (int j = 0; j < dim; j++) {
            double *x = K->x + form->own[row + j];
            for (int i = 0; i < dim; i++)
                x[i] += *E++;
            x[j] += shift;
        }
    }
}
