/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/float_environment.h"
#include "io/problem_file.h"
#include "io/failure.h"
#include "io/sparse.h"

static perp_status failed(perp_io_error *error, perp_status status)
{
    return perp_io_fail(error, status, NULL, 0, "problem: %s", perp_status_text(status));
}

static void add_segment(perp_problem *problem, perp_segment *seg, perp_set set, int dim, int count,
                        const double *par0, const double *par1, const double *par2)
{
    if (count == 0)
        return;
    perp_segment *s = &seg[problem->nseg++];
    *s = (perp_segment){.set = set, .dim = dim, .count = count, .par = {par0, par1, par2}};
    for (int p = 0; p < PERP_PARAMETERS; p++)
        s->stride[p] = s->par[p] != NULL;
}

/* Runs of equal rows. */
static perp_status mixed_segments(perp_problem_file *file, perp_problem *problem)
{
    int n = file->M.rows, runs = 0;
    const int *is_free = file->is_free;
    for (int i = 0; i < n; i++)
        runs += i == 0 || !is_free[i] != !is_free[i - 1];
    perp_segment *seg = PERP_HEAP_TAKE(perp_problem_file_heap(file), perp_segment, runs);
    if (!seg)
        return PERP_ERR_MEMORY;
    for (int i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && !is_free[j] == !is_free[i];)
            j++;
        add_segment(problem, seg, is_free[i] ? PERP_FREE : PERP_NONNEG, 1, j - i, NULL, NULL, NULL);
    }
    problem->seg = seg;
    return PERP_SOLVED;
}

static perp_status simple_segments(perp_problem_file *file, perp_problem *problem)
{
    perp_segment *seg = PERP_HEAP_TAKE(perp_problem_file_heap(file), perp_segment, 2);
    if (!seg)
        return PERP_ERR_MEMORY;
    if (file->cls == PERP_CLASS_LCP)
        add_segment(problem, seg, PERP_NONNEG, 1, file->M.rows, NULL, NULL, NULL);
    else if (file->cls == PERP_CLASS_RELAY)
        add_segment(problem, seg, PERP_BOX, 1, file->M.rows, file->lo, file->hi, NULL);
    else {
        perp_set set = file->mu_r ? PERP_ROLLING : PERP_COULOMB;
        add_segment(problem, seg, set, file->spacedim, file->contacts, file->mu, file->mu_r,
                    file->mu_s);
        if (file->has_V || file->has_G)
            add_segment(problem, seg, PERP_FREE, 1, file->bilateral, NULL, NULL, NULL);
    }
    problem->seg = seg;
    return PERP_SOLVED;
}

static void append(perp_triplets *T, const perp_triplets *part, int row0, int col0)
{
    for (int e = 0; e < part->count; e++) {
        T->row[T->count] = row0 + part->row[e];
        T->col[T->count] = col0 + part->col[e];
        T->x[T->count++] = part->x[e];
    }
}

/* [W V; V' R] and (q, s). */
static perp_status join_local(perp_problem_file *file, perp_problem *problem, perp_heap *work)
{
    perp_heap *keep = perp_problem_file_heap(file);
    int m = file->M.rows, p = file->bilateral;
    perp_triplets W, V, R, T;
    perp_status status = perp_triplets_from_mat(&W, &file->M, work);
    if (!status)
        status = perp_triplets_from_mat(&V, &file->V, work);
    if (!status)
        status = perp_triplets_from_mat(&R, &file->R, work);
    if (status)
        return status;
    double count = (double)W.count + 2.0 * V.count + R.count;
    if (count > 2147483647.0 || (double)m + p > 2147483646.0)
        return PERP_ERR_OVERFLOW;
    double *q = PERP_HEAP_TAKE(keep, double, (size_t)m + (size_t)p);
    if (!q || perp_triplets_take(&T, m + p, m + p, (int)count, work))
        return PERP_ERR_MEMORY;
    T.count = 0;
    append(&T, &W, 0, 0);
    append(&T, &V, 0, m);
    perp_triplets_transpose(&V);
    append(&T, &V, m, 0);
    append(&T, &R, m, m);
    memcpy(q, file->q, (size_t)m * sizeof *q);
    memcpy(q + m, file->b, (size_t)p * sizeof *q);
    problem->q = q;
    return perp_triplets_to_csc(&problem->M, &T, keep, work);
}

perp_status perp_problem_file_mass(perp_mass **mass, const perp_problem_file *file,
                                   perp_io_error *error)
{
    perp_where where = {"M", -1, -1};
    perp_status status =
        perp_mass_create(mass, &file->M, &perp_problem_file_owner_of(file)->heap.allocator, &where);
    if (status == PERP_ERR_SINGULAR)
        return perp_io_fail(error, status, NULL, 0, "M is singular: see row %d", where.index);
    if (status)
        return perp_io_fail(error, status, NULL, 0, "M: %s (index %d)", perp_status_text(status),
                            where.index);
    return PERP_SOLVED;
}

/* [H G]' M^-1 [H G], q = [H G]' M^-1 f + (w, b). */
static perp_status make_global(perp_problem_file *file, perp_problem *problem, perp_heap *work)
{
    perp_heap *keep = perp_problem_file_heap(file);
    perp_mat C = file->H;
    const perp_mass *mass = perp_problem_file_owner_of(file)->mass;
    perp_status status = PERP_SOLVED;
    if (file->has_G)
        status = perp_csc_join_columns(&C, &file->H, &file->G, keep);
    if (status)
        return status;
    size_t dofs = (size_t)file->dofs;
    double *y = PERP_HEAP_TAKE(work, double, 2 * dofs);
    double *q = PERP_HEAP_TAKE(keep, double, C.cols);
    if (!y || !q)
        return PERP_ERR_MEMORY;
    perp_mass_solve(mass, file->q, y + dofs, y);
    for (int j = 0; j < C.cols; j++) {
        double sum = j < file->H.cols ? file->w[j] : file->b[j - file->H.cols];
        for (int p = C.as.csc.colptr[j]; p < C.as.csc.colptr[j + 1]; p++)
            sum += C.as.csc.x[p] * y[C.as.csc.row[p]];
        q[j] = sum;
    }
    problem->q = q;
    return perp_mat_init_delassus(&problem->M, file->dofs, C.cols, C.as.csc.colptr, C.as.csc.row,
                                  C.as.csc.x, mass);
}

static perp_status make_matrix(perp_problem_file *file, perp_problem *problem, perp_io_error *error)
{
    perp_heap work;
    perp_heap_init(&work, &perp_problem_file_owner_of(file)->heap.allocator);
    perp_status status = PERP_SOLVED;
    problem->M = file->M;
    problem->q = file->q;
    if (file->cls == PERP_CLASS_FRICTION && file->has_V) {
        status = join_local(file, problem, &work);
    } else if (file->cls == PERP_CLASS_GLOBAL) {
        perp_problem_file_owner *owner = perp_problem_file_owner_of(file);
        if (!owner->mass)
            status = perp_problem_file_mass(&owner->mass, file, error);
        if (status) {
            perp_heap_free(&work);
            return status;
        }
        status = make_global(file, problem, &work);
    }
    perp_heap_free(&work);
    return status ? failed(error, status) : PERP_SOLVED;
}

perp_status perp_problem_file_get(perp_problem_file *file, perp_problem *problem,
                                  perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    if (error)
        *error = (perp_io_error){0};
    if (!file || !problem)
        return failed(error, PERP_ERR_ARGUMENT);
    perp_problem_file_owner *owner = perp_problem_file_owner_of(file);
    if (!owner->made) {
        perp_problem made = {0};
        perp_status status = perp_problem_file_check(file, error);
        if (!status)
            status = make_matrix(file, &made, error);
        if (status)
            return status;
        status = file->cls == PERP_CLASS_MLCP ? mixed_segments(file, &made)
                                              : simple_segments(file, &made);
        if (status)
            return failed(error, status);
        owner->problem = made;
        owner->made = 1;
    }
    *problem = owner->problem;
    return PERP_SOLVED;
}
