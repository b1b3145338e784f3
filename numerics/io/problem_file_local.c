/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "io/problem_file.h"
#include "io/failure.h"
#include "io/mass_columns.h"

/* Relative difference to the transposed up to which M counts as symmetric. */
static const double symmetric_to = 1e-10;

/* The part of P with rows and columns from the given places on. */
static perp_status cut(perp_triplets *part, const perp_triplets *P, int row0, int rows, int col0,
                       int cols, perp_heap *work)
{
    int count = 0;
    for (int e = 0; e < P->count; e++)
        count += P->row[e] >= row0 && P->row[e] < row0 + rows && P->col[e] >= col0 &&
                 P->col[e] < col0 + cols;
    perp_status status = perp_triplets_take(part, rows, cols, count, work);
    if (status)
        return status;
    int k = 0;
    for (int e = 0; e < P->count; e++) {
        int i = P->row[e] - row0, j = P->col[e] - col0;
        if (i < 0 || i >= rows || j < 0 || j >= cols)
            continue;
        part->row[k] = i;
        part->col[k] = j;
        part->x[k++] = P->x[e];
    }
    return PERP_SOLVED;
}

/* max |M - M'| <= tolerance max |M|, by merging M and -M'. */
static perp_status check_symmetric(int *symmetric, const perp_mat *M, perp_heap *work)
{
    perp_triplets T, both;
    perp_mat D;
    perp_status status = perp_triplets_from_mat(&T, M, work);
    if (status)
        return status;
    if (T.count > INT_MAX / 2)
        return PERP_ERR_OVERFLOW;
    status = perp_triplets_take(&both, M->rows, M->cols, 2 * T.count, work);
    if (status)
        return status;
    double most = 0.0, off = 0.0;
    for (int e = 0; e < T.count; e++) {
        both.row[e] = both.col[T.count + e] = T.row[e];
        both.col[e] = both.row[T.count + e] = T.col[e];
        both.x[e] = T.x[e];
        both.x[T.count + e] = -T.x[e];
        most = fmax(most, fabs(T.x[e]));
    }
    status = perp_triplets_to_csc(&D, &both, work, work);
    for (int p = 0; !status && p < D.as.csc.colptr[D.cols]; p++)
        off = fmax(off, fabs(D.as.csc.x[p]));
    *symmetric = off <= symmetric_to * most;
    return status;
}

/* y[j] = column j of C . v + shift[j] */
static double *project(perp_problem_file *local, const perp_mat *C, const double *v,
                       const double *shift)
{
    double *y = PERP_HEAP_TAKE(perp_problem_file_heap(local), double, C->cols);
    for (int j = 0; y && j < C->cols; j++) {
        y[j] = shift[j];
        for (int p = C->as.csc.colptr[j]; p < C->as.csc.colptr[j + 1]; p++)
            y[j] += C->as.csc.x[p] * v[C->as.csc.row[p]];
    }
    return y;
}

static perp_status make_vectors(perp_problem_file *local, const perp_problem_file *global,
                                const perp_mass *mass, perp_heap *work)
{
    size_t dofs = (size_t)global->dofs;
    double *v = PERP_HEAP_TAKE(work, double, 2 * dofs);
    local->mu = PERP_HEAP_TAKE(perp_problem_file_heap(local), double, global->contacts);
    if (!v || !local->mu)
        return PERP_ERR_MEMORY;
    memcpy(local->mu, global->mu, (size_t)global->contacts * sizeof *local->mu);
    if (global->mu_r) {
        local->mu_r = PERP_HEAP_TAKE(perp_problem_file_heap(local), double, global->contacts);
        if (!local->mu_r)
            return PERP_ERR_MEMORY;
        memcpy(local->mu_r, global->mu_r, (size_t)global->contacts * sizeof *local->mu_r);
    }
    if (global->mu_s) {
        local->mu_s = PERP_HEAP_TAKE(perp_problem_file_heap(local), double, global->contacts);
        if (!local->mu_s)
            return PERP_ERR_MEMORY;
        memcpy(local->mu_s, global->mu_s, (size_t)global->contacts * sizeof *local->mu_s);
    }
    perp_mass_solve(mass, global->q, v + dofs, v);
    local->q = project(local, &global->H, v, global->w);
    if (local->q && global->has_G)
        local->b = project(local, &global->G, v, global->b);
    return local->q && (local->b || !global->has_G) ? PERP_SOLVED : PERP_ERR_MEMORY;
}

static perp_status make_matrices(perp_problem_file *local, const perp_problem_file *global,
                                 const perp_mass *mass, perp_heap *work)
{
    perp_heap *keep = perp_problem_file_heap(local);
    int rows = global->H.cols, bilateral = global->has_G ? global->bilateral : 0;
    perp_mat C, product;
    perp_triplets P, part;
    perp_status status =
        perp_csc_join_columns(&C, &global->H, global->has_G ? &global->G : NULL, work);
    if (!status)
        status = perp_mass_product(&product, &global->M, mass, &C, work);
    if (status)
        return status;
    if (!global->has_G)
        return perp_csc_to_blocks(&local->M, &product, global->spacedim, keep, work);
    status = perp_triplets_from_mat(&P, &product, work);
    if (!status)
        status = cut(&part, &P, 0, rows, 0, rows, work);
    if (!status)
        status = perp_triplets_to_csc(&local->M, &part, keep, work);
    if (!status)
        status = cut(&part, &P, 0, rows, rows, bilateral, work);
    if (!status)
        status = perp_triplets_to_csc(&local->V, &part, keep, work);
    if (!status)
        status = cut(&part, &P, rows, bilateral, rows, bilateral, work);
    if (!status)
        status = perp_triplets_to_csc(&local->R, &part, keep, work);
    return status;
}

static perp_status convert(perp_problem_file *local, const perp_problem_file *global,
                           perp_heap *work, perp_io_error *error)
{
    int symmetric = 1;
    perp_status status = PERP_SOLVED;
    if (global->has_G)
        status = check_symmetric(&symmetric, &global->M, work);
    if (!symmetric)
        return perp_io_fail(error, PERP_ERR_UNSUPPORTED, NULL, 0,
                            "M is not symmetric: with G there is no local form");
    perp_mass *mass = perp_problem_file_owner_of(global)->mass, *made = NULL;
    if (!status && !mass) {
        status = perp_problem_file_mass(&made, global, error);
        mass = made;
        if (status)
            return status;
    }
    local->cls = PERP_CLASS_FRICTION;
    local->spacedim = global->spacedim;
    local->contacts = global->contacts;
    local->has_V = global->has_G;
    local->bilateral = global->has_G ? global->bilateral : 0;
    memcpy(local->title, global->title, sizeof local->title);
    memcpy(local->note, global->note, sizeof local->note);
    if (!status)
        status = make_vectors(local, global, mass, work);
    if (!status)
        status = make_matrices(local, global, mass, work);
    perp_mass_destroy(made);
    if (status)
        return perp_io_fail(error, status, NULL, 0, "local form: %s", perp_status_text(status));
    return PERP_SOLVED;
}

perp_status perp_problem_file_to_local(perp_problem_file **local, const perp_problem_file *global,
                                       const perp_allocator *allocator, perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    if (error)
        *error = (perp_io_error){0};
    if (!local || !global || global->cls != PERP_CLASS_GLOBAL)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "no global friction problem");
    *local = NULL;
    perp_status status = perp_problem_file_check(global, error);
    if (status)
        return status;
    perp_problem_file *made;
    if (perp_problem_file_create(&made, allocator))
        return perp_io_fail(error, PERP_ERR_MEMORY, NULL, 0, "no memory");
    perp_heap work;
    perp_heap_init(&work, allocator);
    status = convert(made, global, &work, error);
    perp_heap_free(&work);
    if (status)
        perp_problem_file_destroy(made);
    else
        *local = made;
    return status;
}
