/* SPDX-License-Identifier: BSD-3-Clause */
/* Principal pivoting for boxes with a symmetric M: whole active sets first, then single rows with a
 * factor L D L' of the free block that is changed row by row ([DantzigCottle1967];
 * [CottlePangStone1992], sections 4.2 and 4.3; for bounds [JudicePires1992]).  Each pivot lowers
 * z'Mz/2 + q'z, so that no active set comes back; ties by least index.  A dependent row moves along
 * the null direction of the free block until a bound is met; where none is met, the direction
 * proves that there is no solution. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "handle/refute.h"
#include "solvers/dantzig/dantzig_boxed.h"

/* An answer with a larger error is refined once. */
static const double exact = 1e-14;

static perp_status dantzig_setup(perp_work *work)
{
    size_t n = (size_t)work->blocks.n;
    int copied = work->problem->M.kind != PERP_DENSE;
    size_t bytes = perp_boxed_bytes(n, copied);
    perp_boxed *b = PERP_TAKE(work->arena, perp_boxed, 1);
    void *memory = bytes < SIZE_MAX ? perp_arena_take(work->arena, bytes, 1) : NULL;
    work->certificate = perp_refute_take(work, work->arena);
    if (work->arena->failed || !memory)
        return PERP_ERR_MEMORY;
    perp_boxed_place(b, n, copied, memory);
    work->state = b;
    return perp_boxed_load(b, work);
}

static perp_status dantzig_update(perp_work *work)
{
    return perp_boxed_load(work->state, work);
}

/* The measured point is the answer where tol says so, or its refinement. */
static int accept(perp_boxed *b, perp_work *work, double error, int refine)
{
    if (refine && error > exact)
        error = perp_boxed_polish(b, work, error);
    return perp_stop(work, b->iteration, error);
}

static perp_status stalled(perp_work *work)
{
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    return PERP_STALLED;
}

/* 1: *status is the answer.  0: the pivots stalled, where M is not semidefinite. */
static int end_by_pivots(perp_boxed *b, perp_work *work, perp_status *status)
{
    *status = perp_boxed_pivots(b, work, work->monitor.best);
    if (*status == PERP_STALLED && work->monitor.verdict == PERP_SOLVED)
        return 0;
    if (*status == PERP_SOLVED)
        *status =
            accept(b, work, perp_measure(work, work->z), 1) ? work->monitor.verdict : stalled(work);
    return 1;
}

/* 1: the start may be the answer, or the best iterate where a limit ends the solve. */
static int begins_measured(const perp_settings *settings)
{
    return settings->warm_start || settings->time_limit > 0.0 || settings->budget > 0.0;
}

static perp_status dantzig_solve(perp_work *work)
{
    perp_boxed *b = work->state;
    perp_status status;
    double error = INFINITY;
    b->iteration = 0;
    if (begins_measured(work->settings) && perp_stop(work, 0, perp_measure(work, work->z)))
        return work->monitor.verdict;
    perp_boxed_begin(b, work);
    if (perp_boxed_blocks(b, work, &error) && accept(b, work, error, 1))
        return work->monitor.verdict;
    if (work->monitor.verdict != PERP_SOLVED)
        return work->monitor.verdict;
    if (perp_boxed_is_symmetric(b) && end_by_pivots(b, work, &status))
        return status;
    memcpy(work->z, b->start, (size_t)b->n * sizeof(double));
    error = perp_measure(work, work->z);
    if (accept(b, work, error, 0))
        return work->monitor.verdict;
    if (perp_boxed_unsymmetric(b, work, &error) && accept(b, work, error, 0))
        return work->monitor.verdict;
    return work->monitor.verdict == PERP_SOLVED ? stalled(work) : work->monitor.verdict;
}

const perp_solver_type perp_solver_dantzig = {
    .name = "dantzig",
    .everyday = 1,
    .summary = "principal pivoting for bounds, exact for symmetric matrices",
    .reads = "",
    .sets = PERP_LINEAR_SETS,
    .matrices =
        PERP_BIT(PERP_DENSE) | PERP_BIT(PERP_CSC) | PERP_BIT(PERP_BSR) | PERP_BIT(PERP_DELASSUS),
    .flags = PERP_READS_BLOCKS,
    .max_iter = 1000000,
    .stall = 0,
    .setup = dantzig_setup,
    .update = dantzig_update,
    .solve = dantzig_solve,
};
