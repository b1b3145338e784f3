/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/problem_file_write.h"

#include <string.h>

#include "io/sparse.h"
#include "io/text_out.h"

static void put_int(perp_text_out *out, int value)
{
    perp_text_out_ints(out, &value, 1);
}

static void put_vector(perp_text_out *out, const double *x, int count)
{
    perp_text_out_doubles(out, x, (size_t)count, '\n');
}

static void put_dense(perp_text_out *out, const perp_mat *A)
{
    int sizes[2] = {A->rows, A->cols};
    put_int(out, 0);
    put_int(out, A->rows);
    put_int(out, A->cols);
    perp_text_out_ints(out, sizes, 2);
    for (int j = 0; j < A->cols; j++)
        put_vector(out, A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld, A->rows);
}

/* block, 2 block, ..., count block */
static void put_ends(perp_text_out *out, int count, int block)
{
    for (int k = 1; k <= count; k++)
        put_int(out, k * block);
}

static void put_blocks(perp_text_out *out, const perp_mat *A)
{
    int block = A->as.bsr.block, nb = A->rows / block, blocks = A->as.bsr.rowptr[nb];
    size_t area = (size_t)block * (size_t)block;
    put_int(out, 1);
    put_int(out, A->rows);
    put_int(out, A->cols);
    put_int(out, blocks);
    put_int(out, nb);
    put_int(out, nb);
    put_ends(out, nb, block);
    put_ends(out, nb, block);
    put_int(out, nb + 1);
    put_int(out, blocks);
    perp_text_out_ints(out, A->as.bsr.rowptr, (size_t)nb + 1);
    perp_text_out_ints(out, A->as.bsr.col, (size_t)blocks);
    for (int k = 0; k < blocks && !out->status; k++) {
        put_int(out, k);
        perp_text_out_doubles(out, A->as.bsr.x + (size_t)k * area, area, '\n');
    }
}

/* As triplets: the one sparse form without a layout of lines. */
static void put_sparse(perp_text_out *out, const perp_mat *A)
{
    char line[96];
    int nnz = A->as.csc.colptr[A->cols];
    put_int(out, 2);
    put_int(out, A->rows);
    put_int(out, A->cols);
    put_int(out, 1);
    perp_text_out_word(out, "CSparse Version 3, values with 17 digits");
    snprintf(line, sizeof line, "triplet: %d-by-%d, nzmax: %d nnz: %d", A->rows, A->cols, nnz, nnz);
    perp_text_out_word(out, line);
    for (int j = 0; j < A->cols; j++)
        for (int p = A->as.csc.colptr[j]; p < A->as.csc.colptr[j + 1] && !out->status; p++) {
            snprintf(line, sizeof line, "%d %d : ", A->as.csc.row[p], j);
            fputs(line, out->stream);
            perp_text_out_doubles(out, A->as.csc.x + p, 1, '\n');
        }
}

static void put_matrix(perp_text_out *out, const perp_mat *A)
{
    if (A->kind == PERP_DENSE)
        put_dense(out, A);
    else if (A->kind == PERP_BSR)
        put_blocks(out, A);
    else
        put_sparse(out, A);
}

static void put_friction(perp_text_out *out, const perp_problem_file *file)
{
    int rows = file->spacedim * file->contacts;
    put_int(out, file->spacedim);
    put_int(out, file->contacts);
    put_matrix(out, &file->M);
    if (file->cls == PERP_CLASS_GLOBAL) {
        put_matrix(out, &file->H);
        put_vector(out, file->q, file->dofs);
        put_vector(out, file->w, rows);
    } else {
        put_vector(out, file->q, rows);
    }
    put_vector(out, file->mu, file->contacts);
    if (file->mu_r)
        put_vector(out, file->mu_r, file->contacts);
}

static void put_lcp(perp_text_out *out, const perp_problem_file *file)
{
    int n = file->M.rows;
    put_int(out, n);
    put_matrix(out, &file->M);
    put_vector(out, file->q, n);
    if (file->cls == PERP_CLASS_RELAY) {
        perp_text_out_bounds(out, file->lo, (size_t)n, '\n');
        perp_text_out_bounds(out, file->hi, (size_t)n, '\n');
    }
}

/* Type 1: runs of equal rows are its blocks. */
static void put_mlcp(perp_text_out *out, const perp_problem_file *file)
{
    int n = file->M.rows, equations = 0;
    const int *is_free = file->is_free;
    for (int i = 0; i < n; i++)
        equations += is_free[i] != 0;
    put_int(out, 1);
    put_int(out, 0);
    put_int(out, equations);
    put_int(out, n - equations);
    put_int(out, 0);
    for (int i = 1; i <= n; i++)
        if (i == n || !is_free[i] != !is_free[i - 1])
            put_int(out, i);
    for (int i = 1; i <= n; i++)
        if (i == n || !is_free[i] != !is_free[i - 1])
            put_int(out, !is_free[i - 1]);
    put_matrix(out, &file->M);
    put_vector(out, file->q, n);
}

perp_status perp_siconos_write(const perp_problem_file *file, const char *path, perp_heap *work,
                               perp_io_error *error)
{
    if (file->has_V || file->has_G)
        return perp_io_fail(error, PERP_ERR_UNSUPPORTED, path, 0,
                            "this text format has no place for bilateral constraints (%s)",
                            file->has_V ? "V, R" : "G");
    if (file->mu_r && (file->spacedim == 4 || file->mu_s))
        return perp_io_fail(error, PERP_ERR_UNSUPPORTED, path, 0,
                            "this text format has no torsional friction (contacts of %d rows)",
                            file->spacedim);
    perp_text_out out;
    if (!perp_text_out_begin(&out, path, work, error)) {
        if (file->cls == PERP_CLASS_FRICTION || file->cls == PERP_CLASS_GLOBAL)
            put_friction(&out, file);
        else if (file->cls == PERP_CLASS_MLCP)
            put_mlcp(&out, file);
        else
            put_lcp(&out, file);
    }
    return perp_text_out_end(&out);
}
