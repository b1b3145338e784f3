/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/step_on_ranks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/live_progress.h"

/* One problem while it is divided. */
typedef struct divided {
    perp_petsc_share *share;
    perp_petsc *system;
    Vec z;
} divided;

int perp_solve_interrupted(void *ctx, const perp_progress *progress)
{
    (void)ctx;
    (void)progress;
    return perp_interrupted();
}

static perp_status divide(divided *d, MPI_Comm comm, const perp_problem *problem,
                          const perp_mat *mass, perp_petsc_where *where)
{
    perp_status status = perp_petsc_share_create(&d->share, comm, problem, mass, NULL, where);

    if (status == PERP_SOLVED)
        status =
            perp_petsc_create(&d->system, comm, perp_petsc_share_problem(d->share), NULL, where);
    if (status == PERP_SOLVED && VecDuplicate(perp_petsc_share_problem(d->share)->q, &d->z) != 0)
        status = PERP_ERR_MEMORY;
    return status;
}

static void release(divided *d)
{
    (void)VecDestroy(&d->z);
    perp_petsc_destroy(d->system);
    perp_petsc_share_destroy(d->share);
}

void perp_count_solve(perp_step_ranks *ranks, const perp_petsc_info *info, perp_status status)
{
    perp_petsc_load sum = info->sum;

    if (status < 0)
        return;
    sum.products += ranks->sum.products;
    sum.sweeps += ranks->sum.sweeps;
    sum.messages += ranks->sum.messages;
    sum.bytes += ranks->sum.bytes;
    sum.sums += ranks->sum.sums;
    sum.sum_bytes += ranks->sum.sum_bytes;
    sum.flops += ranks->sum.flops;
    ranks->sum = sum;
    ranks->solves++;
    ranks->unsolved += status != PERP_SOLVED;
    ranks->iterations += info->iterations;
    ranks->imbalance = fmax(ranks->imbalance, info->imbalance);
}

/* Strict: a start within tol is improved, so that what it leaves does not add up over the steps. */
static perp_status solve(divided *d, perp_step_ranks *ranks, const perp_settings *given,
                         perp_petsc_info *info, perp_petsc_where *where)
{
    perp_settings settings = *given;
    int strict = given->warm_start > 1;
    perp_status status;

    settings.warm_start = given->warm_start > 0;
    settings.progress = perp_solve_interrupted;
    if (settings.max_iter <= 0)
        settings.max_iter = ranks->max_iter;
    status = perp_petsc_solve(d->system, ranks->solver, &settings, d->z, NULL, info, where);
    perp_count_solve(ranks, info, status);
    if (status != PERP_SOLVED || !strict || info->iterations > 0 ||
        !(info->error > 0.1 * settings.tol))
        return status;
    settings.tol *= 0.1;
    status = perp_petsc_solve(d->system, ranks->solver, &settings, d->z, NULL, info, where);
    perp_count_solve(ranks, info, PERP_SOLVED);
    return status < 0 || status == PERP_INTERRUPTED ? status : PERP_SOLVED;
}

static perp_status solve_divided(divided *d, perp_step_ranks *ranks, const perp_settings *settings,
                                 double *z, perp_info *info, perp_petsc_where *where)
{
    perp_petsc_info own = {.size = sizeof own};
    perp_status status = PERP_SOLVED, gathered;

    ranks->cut = *perp_petsc_share_cut(d->share);
    if (settings->warm_start > 0)
        status = perp_petsc_share_scatter(d->share, z, d->z);
    if (status == PERP_SOLVED)
        status = solve(d, ranks, settings, &own, where);
    if (status < 0)
        return status;
    info->solver = ranks->solver;
    info->iterations = own.iterations;
    gathered = perp_petsc_share_gather(d->share, d->z, z);
    return gathered != PERP_SOLVED ? gathered : status;
}

perp_status perp_solve_led(perp_step_ranks *ranks, MPI_Comm comm, const perp_problem *problem,
                           const perp_mat *mass, const perp_settings *settings, double *z,
                           perp_info *info)
{
    divided d = {NULL, NULL, NULL};
    perp_petsc_where where = {.rank = -1, .segment = -1, .index = -1};
    perp_status status = divide(&d, comm, problem, mass, &where);

    if (status == PERP_SOLVED)
        status = solve_divided(&d, ranks, settings, z, info, &where);
    release(&d);
    ranks->left += status == PERP_ERR_UNSUPPORTED;
    if (status < 0 && where.rank >= 0)
        snprintf(info->detail, sizeof info->detail, "rank %d: %.40s %.90s", where.rank, where.what,
                 where.text);
    return status;
}

/* Where each rank begins and what it has is the same: that of rank 0 is divided. */
perp_status perp_solve_on_ranks(void *ctx, const perp_problem *problem, const perp_mat *mass,
                                const perp_settings *settings, double *z, perp_info *info)
{
    perp_step_ranks *ranks = ctx;
    size_t rows = (size_t)problem->M.rows;
    uint64_t bits =
        perp_bits_of(perp_bits_of(0, problem->q, rows), z, settings->warm_start > 0 ? rows : 0);
    int first = ranks->rank == 0;
    perp_status status;

    if (!perp_meet(ranks->meeting, PERP_MEET_SOLVE, bits, 0, NULL))
        return PERP_INTERRUPTED;
    status = perp_solve_led(ranks, MPI_COMM_WORLD, first ? problem : NULL, first ? mass : NULL,
                            settings, z, info);
    if (status >= 0)
        MPI_Bcast(z, (int)rows, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return status;
}
