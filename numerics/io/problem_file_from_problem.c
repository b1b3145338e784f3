/* SPDX-License-Identifier: BSD-3-Clause */
/* Any problem whose sets a file format has, as a problem file. */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "io/problem_file.h"
#include "io/failure.h"
#include "io/sparse.h"

/* How a problem goes into a file: the place of each row, and what pads it. */
typedef struct plan {
    int dim;       /* of contacts; 0: no friction */
    int contacts;  /* COULOMB, and NONNEG as frictionless ones with tangential rows */
    int bilateral; /* FREE rows, behind the contacts */
    int boxes, nonneg, rows;
    int *place; /* of each row of the problem in the file */
    double *mu, *lo, *hi;
} plan;

static perp_status refuse(perp_io_error *error, const char *text)
{
    return perp_io_fail(error, PERP_ERR_UNSUPPORTED, NULL, 0, "%s", text);
}

static perp_status count_sets(plan *p, const perp_problem *problem, perp_io_error *error)
{
    for (int s = 0; s < problem->nseg; s++) {
        const perp_segment *seg = &problem->seg[s];
        if (seg->set == PERP_FREE) {
            p->bilateral += seg->count;
        } else if (seg->set == PERP_NONNEG) {
            p->nonneg += seg->count;
        } else if (seg->set == PERP_BOX) {
            p->boxes += seg->count;
        } else if (seg->set == PERP_COULOMB) {
            if (p->dim != 0 && p->dim != seg->dim)
                return refuse(error, "friction of two and of three rows together");
            p->dim = seg->dim;
            p->contacts += seg->count;
        } else {
            return refuse(error, "a set that no file format has");
        }
    }
    if (p->dim != 0 && p->boxes > 0)
        return refuse(error, "boxes together with friction");
    if (p->dim != 0)
        p->contacts += p->nonneg;
    return PERP_SOLVED;
}

/* Friction: contacts first, then equalities.  Else the rows as they are, with bounds. */
static void place_rows(plan *p, const perp_problem *problem)
{
    int contact = 0, equality = p->dim * p->contacts, row = 0;
    for (int s = 0; s < problem->nseg; s++) {
        const perp_segment *seg = &problem->seg[s];
        for (int k = 0; k < seg->count; k++) {
            for (int i = 0; i < seg->dim; i++, row++) {
                p->place[row] = p->dim == 0             ? row
                                : seg->set == PERP_FREE ? equality++
                                                        : p->dim * contact + i;
                p->lo[row] = seg->set == PERP_NONNEG ? 0.0
                             : seg->set == PERP_BOX  ? seg->par[0][k * seg->stride[0]]
                                                     : -INFINITY;
                p->hi[row] = seg->set == PERP_BOX ? seg->par[1][k * seg->stride[1]] : INFINITY;
            }
            if (p->dim != 0 && seg->set != PERP_FREE)
                p->mu[contact++] = seg->set == PERP_COULOMB ? seg->par[0][k * seg->stride[0]] : 0.0;
        }
    }
}

/* One entry that is not 0; T has space for *capacity. */
static perp_status add(perp_triplets *T, int *capacity, int row, int col, double x, perp_heap *work)
{
    if (x == 0.0)
        return PERP_SOLVED;
    if (T->count == *capacity) {
        perp_triplets grown;
        if (*capacity > INT32_MAX / 2 - 256)
            return PERP_ERR_OVERFLOW;
        *capacity = 2 * *capacity + 256;
        perp_status status = perp_triplets_take(&grown, T->rows, T->cols, *capacity, work);
        if (status != PERP_SOLVED)
            return status;
        if (T->count > 0) {
            memcpy(grown.row, T->row, (size_t)T->count * sizeof *T->row);
            memcpy(grown.col, T->col, (size_t)T->count * sizeof *T->col);
            memcpy(grown.x, T->x, (size_t)T->count * sizeof *T->x);
        }
        grown.count = T->count;
        *T = grown;
    }
    T->row[T->count] = row;
    T->col[T->count] = col;
    T->x[T->count++] = x;
    return PERP_SOLVED;
}

/* A matrix that is no list of entries is applied to each unit vector. */
static perp_status collect_products(perp_triplets *T, int *capacity, const perp_mat *A,
                                    const int *place, perp_heap *work)
{
    double *unit = PERP_HEAP_ZERO(work, double, A->cols);
    double *column = PERP_HEAP_ZERO(work, double, A->rows);
    double *scratch = PERP_HEAP_ZERO(work, double, perp_mat_scratch(A));
    perp_status status = unit && column && scratch ? PERP_SOLVED : PERP_ERR_MEMORY;
    for (int j = 0; j < A->cols && !status; j++) {
        unit[j] = 1.0;
        status = perp_mat_apply(A, unit, scratch, column);
        unit[j] = 0.0;
        for (int i = 0; i < A->rows && !status; i++)
            status = add(T, capacity, place[i], place[j], column[i], work);
    }
    return status;
}

/* Entry (i, j) of A becomes (place[i], place[j]) of T; zeros are left out. */
static perp_status collect(perp_triplets *T, int *capacity, const perp_mat *A, const int *place,
                           perp_heap *work)
{
    perp_triplets all;
    perp_status status;
    if (A->kind != PERP_CSC && A->kind != PERP_BSR)
        return collect_products(T, capacity, A, place, work);
    status = perp_triplets_from_mat(&all, A, work);
    for (int k = 0; !status && k < all.count; k++)
        status = add(T, capacity, place[all.row[k]], place[all.col[k]], all.x[k], work);
    return status;
}

/* Frictionless contacts are padded by rows of the identity. */
static perp_status pad(perp_triplets *T, int *capacity, const plan *p, perp_heap *work)
{
    int n = p->dim * p->contacts;
    char *taken = PERP_HEAP_ZERO(work, char, n);
    perp_status status = taken ? PERP_SOLVED : PERP_ERR_MEMORY;
    for (int k = 0; k < p->rows && !status; k++)
        if (p->place[k] < n)
            taken[p->place[k]] = 1;
    for (int k = 0; k < n && !status; k++)
        if (!taken[k])
            status = add(T, capacity, k, k, 1.0, work);
    return status;
}

/* The block of rows and columns from (row, col) on, with the memory of the problem file. */
static perp_status take_block(perp_mat *A, perp_problem_file *file, const perp_triplets *T, int row,
                              int col, int rows, int cols, perp_heap *work)
{
    perp_triplets part;
    perp_status status = perp_triplets_take(&part, rows, cols, T->count, work);
    if (status != PERP_SOLVED)
        return status;
    part.count = 0;
    for (int k = 0; k < T->count; k++) {
        int i = T->row[k] - row, j = T->col[k] - col;
        if (i < 0 || i >= rows || j < 0 || j >= cols)
            continue;
        part.row[part.count] = i;
        part.col[part.count] = j;
        part.x[part.count++] = T->x[k];
    }
    return perp_triplets_to_csc(A, &part, perp_problem_file_heap(file), work);
}

/* 1 where V and the transposed of U are the same to 1e-10. */
static int couples_alike(const perp_mat *V, const perp_mat *U)
{
    double largest = 0.0, difference = 0.0;
    for (int j = 0; j < V->cols; j++) {
        int a = V->as.csc.colptr[j], b = U->as.csc.colptr[j];
        while (a < V->as.csc.colptr[j + 1] || b < U->as.csc.colptr[j + 1]) {
            int i = a < V->as.csc.colptr[j + 1] ? V->as.csc.row[a] : V->rows;
            int k = b < U->as.csc.colptr[j + 1] ? U->as.csc.row[b] : V->rows;
            double x = i <= k ? V->as.csc.x[a++] : 0.0, y = k <= i ? U->as.csc.x[b++] : 0.0;
            largest = fmax(largest, fabs(x));
            difference = fmax(difference, fabs(x - y));
        }
    }
    return difference <= 1e-10 * largest;
}

static perp_status fill_equalities(perp_problem_file *file, const plan *p, perp_triplets *T,
                                   perp_heap *work, perp_io_error *error)
{
    int m = p->dim * p->contacts;
    perp_mat below;
    perp_status status = take_block(&file->V, file, T, 0, m, m, p->bilateral, work);
    if (status == PERP_SOLVED)
        status = take_block(&file->R, file, T, m, m, p->bilateral, p->bilateral, work);
    perp_triplets_transpose(T);
    if (status == PERP_SOLVED)
        status = take_block(&below, file, T, 0, m, m, p->bilateral, work);
    if (status == PERP_SOLVED && !couples_alike(&file->V, &below))
        return refuse(error, "contacts and equalities that are not coupled symmetrically");
    return status;
}

static perp_status fill_friction(perp_problem_file *file, const plan *p, perp_triplets *T,
                                 const double *q, perp_heap *work, perp_io_error *error)
{
    int m = p->dim * p->contacts;
    file->cls = PERP_CLASS_FRICTION;
    file->spacedim = p->dim;
    file->contacts = p->contacts;
    file->bilateral = p->bilateral;
    file->has_V = p->bilateral > 0;
    file->mu = perp_problem_file_take(file, (size_t)p->contacts, sizeof(double));
    file->q = perp_problem_file_take(file, (size_t)m, sizeof(double));
    file->b = perp_problem_file_take(file, (size_t)p->bilateral + 1, sizeof(double));
    if (!file->mu || !file->q || !file->b)
        return PERP_ERR_MEMORY;
    memcpy(file->mu, p->mu, (size_t)p->contacts * sizeof(double));
    memcpy(file->q, q, (size_t)m * sizeof(double));
    if (p->bilateral > 0)
        memcpy(file->b, q + m, (size_t)p->bilateral * sizeof(double));
    perp_status status = take_block(&file->M, file, T, 0, 0, m, m, work);
    return status != PERP_SOLVED || !file->has_V ? status
                                                 : fill_equalities(file, p, T, work, error);
}

static perp_status fill_complementarity(perp_problem_file *file, const plan *p,
                                        const perp_triplets *T, const double *q, perp_heap *work)
{
    int n = p->rows;
    file->cls = p->boxes > 0       ? PERP_CLASS_RELAY
                : p->bilateral > 0 ? PERP_CLASS_MLCP
                                   : PERP_CLASS_LCP;
    file->q = perp_problem_file_take(file, (size_t)n, sizeof(double));
    file->lo = perp_problem_file_take(file, (size_t)n, sizeof(double));
    file->hi = perp_problem_file_take(file, (size_t)n, sizeof(double));
    file->is_free = perp_problem_file_take(file, (size_t)n, sizeof(int));
    if (!file->q || !file->lo || !file->hi || !file->is_free)
        return PERP_ERR_MEMORY;
    memcpy(file->q, q, (size_t)n * sizeof(double));
    memcpy(file->lo, p->lo, (size_t)n * sizeof(double));
    memcpy(file->hi, p->hi, (size_t)n * sizeof(double));
    for (int k = 0; k < n; k++)
        file->is_free[k] = isinf(p->lo[k]) && isinf(p->hi[k]);
    return take_block(&file->M, file, T, 0, 0, n, n, work);
}

static perp_status fill(perp_problem_file *file, const perp_problem *problem, perp_heap *work,
                        perp_io_error *error)
{
    plan p = {.rows = problem->M.rows};
    perp_status status = count_sets(&p, problem, error);
    if (status != PERP_SOLVED)
        return status;
    int n = p.dim != 0 ? p.dim * p.contacts + p.bilateral : p.rows, capacity = 0;
    double *q = PERP_HEAP_ZERO(work, double, n);
    perp_triplets T = {.rows = n, .cols = n};
    p.place = PERP_HEAP_ZERO(work, int, p.rows);
    p.mu = PERP_HEAP_ZERO(work, double, p.rows);
    p.lo = PERP_HEAP_ZERO(work, double, p.rows);
    p.hi = PERP_HEAP_ZERO(work, double, p.rows);
    if (!q || !p.place || !p.mu || !p.lo || !p.hi)
        return PERP_ERR_MEMORY;
    place_rows(&p, problem);
    for (int k = 0; k < p.rows; k++)
        q[p.place[k]] = problem->q[k];
    status = collect(&T, &capacity, &problem->M, p.place, work);
    if (status == PERP_SOLVED && p.dim != 0)
        status = pad(&T, &capacity, &p, work);
    if (status != PERP_SOLVED)
        return status;
    return p.dim != 0 ? fill_friction(file, &p, &T, q, work, error)
                      : fill_complementarity(file, &p, &T, q, work);
}

perp_status perp_problem_file_from_problem(perp_problem_file **file, const perp_problem *problem,
                                           const perp_allocator *allocator, perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    perp_where where = {NULL, -1, -1};
    perp_problem_file *made;
    perp_heap work;
    if (error)
        *error = (perp_io_error){0};
    if (!file)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "file");
    *file = NULL;
    perp_status status = perp_problem_check(problem, allocator, &where);
    if (status != PERP_SOLVED)
        return perp_io_fail(error, status, NULL, 0, "%s: %s", where.what, perp_status_text(status));
    if (perp_problem_file_create(&made, allocator))
        return perp_io_fail(error, PERP_ERR_MEMORY, NULL, 0, "no memory");
    perp_heap_init(&work, allocator);
    status = fill(made, problem, &work, error);
    perp_heap_free(&work);
    if (status == PERP_ERR_MEMORY)
        perp_io_fail(error, status, NULL, 0, "no memory");
    if (status != PERP_SOLVED)
        perp_problem_file_destroy(made);
    else
        *file = made;
    return status;
}
