/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles, and what is made once for a solution. */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "derivative/state.h"
#include "handle/solver_handle.h"
#include "linalg/mass.h"
#include "problem/residual.h"
#include "sets/rolling.h"

/* Above this z is no solution. */
static const double worst_error = 1e-4;
enum { FEW_ROWS = 100 };

void perp_derivative_settings_init(perp_derivative_settings *settings, size_t size)
{
    const perp_derivative_settings own = {.kink = 1e-9, .dense = 1000};
    perp_sized_init(settings, size, &own, sizeof own);
}

static perp_status fail(perp_where *where, perp_status status, const char *what)
{
    if (where)
        *where = (perp_where){what, -1, -1};
    return status;
}

perp_status perp_derivative_create(perp_derivative **derivative,
                                   const perp_derivative_settings *settings,
                                   const perp_allocator *allocator, perp_where *where)
{
    perp_derivative_settings own = {.size = sizeof own};
    if (!derivative)
        return fail(where, PERP_ERR_ARGUMENT, "derivative");
    *derivative = NULL;
    perp_derivative_settings_init(&own, sizeof own);
    if (settings && perp_sized_read(&own, sizeof own, settings) != PERP_SOLVED)
        return fail(where, PERP_ERR_SETTING, "size");
    if (!(own.kink >= 0.0 && own.kink <= 1e-2))
        return fail(where, PERP_ERR_SETTING, "kink");
    if (own.dense < 0)
        return fail(where, PERP_ERR_SETTING, "dense");
    if (own.velocities < 0)
        return fail(where, PERP_ERR_SETTING, "velocities");
    perp_allocator memory = perp_allocator_or_malloc(allocator);
    perp_derivative *d = memory.allocate(memory.ctx, sizeof *d);
    if (!d)
        return fail(where, PERP_ERR_MEMORY, "derivative");
    *d = (perp_derivative){.settings = own};
    perp_arena_init(&d->arena, &memory);
    perp_arena_init(&d->temporary, &memory);
    *derivative = d;
    return PERP_SOLVED;
}

void perp_derivative_destroy(perp_derivative *d)
{
    if (!d)
        return;
    perp_allocator memory = d->arena.allocator;
    perp_kinks_destroy(&d->kinks);
    perp_least_norm_destroy(&d->least_norm);
    perp_arena_free(&d->arena);
    perp_arena_free(&d->temporary);
    memory.release(memory.ctx, d);
}

void perp_derivative_trim(perp_derivative *d)
{
    if (d)
        perp_arena_free(&d->temporary);
}

/* w, the errors of z, and what counts as zero; a product of factors is multiplied out by now. */
static perp_status judge(perp_derivative *d, const perp_problem *callers, const double *z,
                         perp_scaling *scaling, double *w, perp_where *where)
{
    perp_arena *temporary = &d->temporary;
    perp_problem own = *callers, *problem = &own;
    if (own.M.kind == PERP_DELASSUS)
        own.M = perp_csc_view(&d->A);
    perp_residuals found = {.size = sizeof found};
    double *scratch = PERP_TAKE(temporary, double, perp_mat_scratch(&problem->M));
    perp_status status = perp_scaling_build(scaling, problem, &d->blocks, temporary);
    if (status != PERP_SOLVED || !scratch)
        return status != PERP_SOLVED ? status : PERP_ERR_MEMORY;
    status = perp_residual_compute(problem, &d->blocks, scaling, z, w, scratch, &found);
    if (status != PERP_SOLVED)
        return status;
    d->info.error = fmax(found.natural, found.scaled);
    if (!(d->info.error <= worst_error))
        return fail(where, PERP_ERR_ARGUMENT, "z");
    double largest = 0.0, squares[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < d->blocks.count; k++) {
        const perp_block *b = &d->blocks.at[k];
        for (int i = b->row; i < b->row + b->dim; i++) {
            int turns = b->set == PERP_ROLLING && i - b->row > perp_rolling_rows(b->dim);
            double unit = turns ? scaling->d[k] / b->length : scaling->d[k];
            double size[3] = {unit * z[i], w[i] / unit, problem->q[i] / unit};
            for (int j = 0; j < 3; j++) {
                largest = fmax(largest, fabs(size[j]));
                squares[j] += size[j] * size[j];
            }
        }
    }
    double base = sqrt(fmax(squares[0], fmax(squares[1], squares[2])));
    d->info.zero = fmax(d->settings.kink * largest, 10.0 * found.scaled * base);
    return PERP_SOLVED;
}

static perp_status take_vectors(perp_derivative *d)
{
    double **at[] = {&d->c, &d->offset, &d->dz, &d->dw, &d->rhs, &d->y, &d->size};
    size_t n = (size_t)d->info.rows;
    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++)
        *at[k] = perp_arena_take_zero(&d->arena, n, sizeof(double));
    return d->arena.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* More of them than velocities, and rows that give way. */
static int has_many_rows(const perp_derivative *d)
{
    if (d->M.kind != PERP_DELASSUS)
        return d->settings.velocities > 0 && d->laws.regular > d->settings.velocities;
    const double *diagonal = d->M.as.delassus.diagonal;
    int most = d->M.as.delassus.mass->n;
    for (int i = 0; diagonal && i < d->M.rows; i++)
        most += diagonal[i] != 0.0;
    return d->laws.regular > most;
}

/* The regular rows of the system. */
static perp_status regular_rows(perp_csc *A, perp_derivative *d)
{
    int regular = d->laws.regular, count = 0;
    *A = (perp_csc){.rows = regular, .cols = regular};
    A->colptr = PERP_TAKE(&d->temporary, int, regular + 1);
    A->row = PERP_TAKE(&d->temporary, int, d->B.colptr[regular]);
    A->x = PERP_TAKE(&d->temporary, double, d->B.colptr[regular]);
    if (d->temporary.failed)
        return PERP_ERR_MEMORY;
    for (int j = 0; j < regular; j++) {
        A->colptr[j] = count;
        for (int p = d->B.colptr[j]; p < d->B.colptr[j + 1]; p++) {
            if (d->B.row[p] < regular) {
                A->row[count] = d->B.row[p];
                A->x[count++] = d->B.x[p];
            }
        }
    }
    A->colptr[regular] = count;
    return PERP_SOLVED;
}

static perp_status factor_regular(perp_derivative *d)
{
    perp_csc A = d->B;
    perp_status status = d->laws.regular < d->laws.count ? regular_rows(&A, d) : PERP_SOLVED;
    return status == PERP_SOLVED ? perp_square_factor(&d->system, &A, d->settings.dense,
                                                      has_many_rows(d), &d->arena, &d->temporary)
                                 : status;
}

static void describe(perp_derivative *d)
{
    d->info.system = d->laws.regular;
    d->info.kinks = d->laws.count - d->laws.regular;
    d->info.kink_row = perp_first_kink(d);
    d->info.free_z = d->nulls;
    d->info.lost = d->system.n - d->system.rank;
    d->info.rcond = d->system.rcond;
    d->info.status = d->info.kinks > 0 ? PERP_ONE_SIDED : PERP_SOLVED;
    if (d->info.lost > 0 || (d->info.kinks > 0 && !d->kinks.unique))
        d->info.status = PERP_NOT_UNIQUE;
}

/* All entries of a dense matrix, zeros too. */
static perp_status all_entries(perp_csc *A, const perp_mat *B, perp_arena *arena,
                               perp_arena *temporary)
{
    size_t n = (size_t)B->rows;
    *A = (perp_csc){.rows = B->rows, .cols = B->cols};
    A->colptr = PERP_TAKE(arena, int, n + 1);
    A->row = PERP_TAKE(temporary, int, n *n);
    A->x = PERP_TAKE(arena, double, n *n);
    if (arena->failed || temporary->failed)
        return PERP_ERR_MEMORY;
    for (size_t j = 0; j < n; j++) {
        A->colptr[j] = (int)(j * n);
        for (size_t i = 0; i < n; i++)
            A->row[j * n + i] = (int)i;
        memcpy(A->x + j * n, B->as.dense.x + j * (size_t)B->as.dense.ld, n * sizeof(double));
    }
    A->colptr[n] = (int)(n * n);
    return PERP_SOLVED;
}

/* M in compressed columns, with all entries where there are few rows and they are there; factors
 * are multiplied out all at once where there are few rows, else in the blocks of the sets where
 * these are alike. */
static perp_status entries_of(perp_derivative *d)
{
    perp_mat B = d->M;
    int block = d->blocks.uniform, few = d->blocks.n <= FEW_ROWS;
    perp_status status = PERP_ERR_UNSUPPORTED;
    if (d->M.kind == PERP_DELASSUS && few)
        status = perp_dense_from_delassus(&B, &d->M, &d->temporary);
    if (status != PERP_SOLVED && status != PERP_ERR_UNSUPPORTED)
        return status;
    if (status == PERP_ERR_UNSUPPORTED && d->M.kind == PERP_DELASSUS && block >= 2 && block <= 6) {
        status = perp_bsr_from_delassus(&B, &d->M, block, &d->temporary);
        if (status != PERP_SOLVED)
            return status;
    }
    return few && B.kind == PERP_DENSE ? all_entries(&d->A, &B, &d->arena, &d->temporary)
                                       : perp_csc_from_mat(&d->A, &B, &d->arena);
}

static perp_status build(perp_derivative *d, const perp_problem *problem, const double *z,
                         perp_where *where)
{
    perp_scaling scaling;
    perp_status status = perp_blocks_build(&d->blocks, problem, &d->arena);
    if (status != PERP_SOLVED)
        return status;
    size_t n = (size_t)d->blocks.n;
    d->M = problem->M;
    d->info.rows = d->blocks.n;
    d->info.blocks = d->blocks.count;
    d->z = PERP_TAKE(&d->arena, double, n);
    double *w = PERP_TAKE(&d->temporary, double, n);
    if (!d->z || !w)
        return PERP_ERR_MEMORY;
    memcpy(d->z, z, n * sizeof(double));
    if ((status = entries_of(d)) != PERP_SOLVED ||
        (status = judge(d, problem, z, &scaling, w, where)) != PERP_SOLVED ||
        (status = perp_laws_build(&d->laws, &d->blocks, scaling.d, d->info.zero, z, w,
                                  &d->arena)) != PERP_SOLVED ||
        (status = take_vectors(d)) != PERP_SOLVED ||
        (status = perp_reduced_build(d)) != PERP_SOLVED ||
        (status = factor_regular(d)) != PERP_SOLVED ||
        (status = perp_nulls_build(d)) != PERP_SOLVED ||
        (status = perp_kinks_build(d)) != PERP_SOLVED ||
        (status = perp_least_norm_build(d)) != PERP_SOLVED ||
        (status = perp_entries_prepare(d)) != PERP_SOLVED)
        return status;
    if (d->full) /* products know where entries are */
        d->A.row = d->B.row = NULL;
    describe(d);
    return PERP_SOLVED;
}

perp_status perp_derivative_factor(perp_derivative *d, const perp_problem *problem, const double *z,
                                   perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    if (where)
        *where = (perp_where){NULL, -1, -1};
    if (!d || !problem || !z)
        return fail(where, PERP_ERR_ARGUMENT, !d ? "derivative" : problem ? "z" : "problem");
    d->ready = 0;
    d->info = (perp_derivative_info){.size = sizeof d->info, .kink_row = -1};
    perp_status status = perp_problem_check(problem, &d->arena.allocator, where);
    if (status != PERP_SOLVED)
        return d->info.status = status;
    if (problem->M.kind == PERP_OPERATOR)
        return d->info.status = fail(where, PERP_ERR_UNSUPPORTED, "M");
    for (int i = 0; i < problem->M.rows; i++)
        if (!isfinite(z[i])) {
            if (where)
                *where = (perp_where){"z", -1, i};
            return d->info.status = PERP_ERR_NONFINITE;
        }
    perp_kinks_destroy(&d->kinks);
    perp_least_norm_destroy(&d->least_norm);
    perp_arena_reset(&d->arena);
    perp_arena_reset(&d->temporary);
    status = build(d, problem, z, where);
    d->ready = status == PERP_SOLVED;
    if (!d->ready)
        d->info.status = status;
    return d->info.status;
}

perp_status perp_derivative_factor_solver(perp_derivative *d, const perp_solver *solver,
                                          const double *z, perp_where *where)
{
    if (!solver || !solver->ready)
        return fail(where, solver ? PERP_ERR_STATE : PERP_ERR_ARGUMENT, "solver");
    return perp_derivative_factor(d, &solver->problem, z, where);
}

perp_status perp_derivative_info_get(const perp_derivative *d, perp_derivative_info *info)
{
    return d ? perp_sized_write(info, &d->info, sizeof d->info) : PERP_ERR_ARGUMENT;
}
