/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generators/ladder.h"

/* The BSR matrix W by columns; the rows of a column come in order. */
static perp_status by_columns(perp_problem_file *boxed, const perp_mat *W)
{
    size_t n = (size_t)W->cols, b = (size_t)W->as.bsr.block, blocks = n / b;
    const int *rowptr = W->as.bsr.rowptr;
    size_t nz = (size_t)rowptr[blocks] * b * b;
    int *colptr = perp_problem_file_take(boxed, n + 1, sizeof(int));
    int *row = perp_problem_file_take(boxed, nz, sizeof(int));
    double *x = perp_problem_file_take(boxed, nz, sizeof(double));
    if (!colptr || !row || !x)
        return PERP_ERR_MEMORY;
    if (nz > INT_MAX)
        return PERP_ERR_OVERFLOW;
    memset(colptr, 0, (n + 1) * sizeof(int));
    for (int e = 0; e < rowptr[blocks]; e++)
        for (size_t c = 0; c < b; c++)
            colptr[(size_t)W->as.bsr.col[e] * b + c + 1] += (int)b;
    for (size_t j = 0; j < n; j++)
        colptr[j + 1] += colptr[j];
    /* colptr[j] moves to the end of column j, which is the start of the next one. */
    for (size_t i = 0; i < blocks; i++)
        for (int e = rowptr[i]; e < rowptr[i + 1]; e++)
            for (size_t c = 0; c < b; c++) {
                int *end = &colptr[(size_t)W->as.bsr.col[e] * b + c];
                for (size_t r = 0; r < b; r++, ++*end) {
                    row[*end] = (int)(i * b + r);
                    x[*end] = W->as.bsr.x[(size_t)e * b * b + c * b + r];
                }
            }
    memmove(colptr + 1, colptr, n * sizeof(int));
    colptr[0] = 0;
    return perp_mat_init_csc(&boxed->M, W->rows, W->cols, colptr, row, x);
}

static perp_status fill(perp_problem_file *boxed, const perp_problem_file *friction, double normal)
{
    size_t n = (size_t)friction->M.cols;
    boxed->q = perp_problem_file_take(boxed, n, sizeof(double));
    boxed->lo = perp_problem_file_take(boxed, n, sizeof(double));
    boxed->hi = perp_problem_file_take(boxed, n, sizeof(double));
    if (!boxed->q || !boxed->lo || !boxed->hi)
        return PERP_ERR_MEMORY;
    memcpy(boxed->q, friction->q, n * sizeof(double));
    for (int i = 0; i < friction->M.cols; i++) {
        double reach = friction->mu[i / friction->spacedim] * normal;
        int tangent = i % friction->spacedim != 0;
        boxed->lo[i] = tangent ? -reach : 0.0;
        boxed->hi[i] = tangent ? reach : INFINITY;
    }
    boxed->cls = PERP_CLASS_RELAY;
    snprintf(boxed->title, sizeof boxed->title, "boxed pyramids: %.100s", friction->title);
    return by_columns(boxed, &friction->M);
}

perp_status perp_generate_pyramid(perp_problem_file **file, const perp_problem_file *friction,
                                  double normal, const perp_allocator *allocator)
{
    *file = NULL;
    if (friction->cls != PERP_CLASS_FRICTION || friction->has_V || friction->mu_r ||
        friction->M.kind != PERP_BSR || !(normal > 0.0) || !isfinite(normal))
        return PERP_ERR_ARGUMENT;
    perp_status status = perp_problem_file_create(file, allocator);
    if (status != PERP_SOLVED)
        return status;
    status = fill(*file, friction, normal);
    if (status != PERP_SOLVED) {
        perp_problem_file_destroy(*file);
        *file = NULL;
    }
    return status;
}
