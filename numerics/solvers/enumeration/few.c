/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/enumeration/enumeration.h"

#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 12 };

perp_enumeration *perp_enumeration_take(const perp_work *work, int dense, double most)
{
    perp_enumeration *e = PERP_TAKE(work->arena, perp_enumeration, 1);
    size_t n = (size_t)work->blocks.n;
    if (!e)
        return NULL;
    *e = (perp_enumeration){.stored = perp_sweep_is_stored(work), .most = most};
    if (!dense)
        return e;
    e->n = work->blocks.n;
    e->M = perp_arena_take(work->arena, 2 * n + 4, n * sizeof(double));
    e->pivot = PERP_TAKE(work->arena, int, 2 * n);
    if (!e->M || !e->pivot)
        return NULL;
    e->J = e->M + n * n;
    e->right = e->J + n * n;
    e->step = e->right + n;
    e->d = e->step + n;
    e->back = e->d + n;
    e->mode = e->pivot + n;
    return e;
}

static perp_status every_mode(perp_enumeration *e, perp_work *work, int iteration)
{
    double error;
    if (!(perp_modes_count(&work->blocks) <= e->most))
        return PERP_STALLED;
    memset(e->mode, 0, (size_t)work->blocks.count * sizeof(int));
    do {
        perp_modes_solve(e, work);
        for (int i = 0; i < e->n; i++)
            if (!isfinite(work->z[i]))
                work->z[i] = 0.0;
        if (perp_measure_and_stop(work, ++iteration, &error))
            return work->monitor.verdict;
    } while (perp_modes_next(e, &work->blocks));
    return PERP_STALLED;
}

perp_status perp_enumeration_solve(perp_enumeration *e, perp_work *work)
{
    double error = INFINITY;
    int iteration = 0;
    if (!perp_zero_is_far(work) && perp_measure_and_stop(work, 0, &error))
        return work->monitor.verdict;
    if (e->n && !e->stored && perp_enumeration_fill(e, work) != PERP_SOLVED)
        return PERP_ERR_NUMERICAL;
    perp_enumeration_sweep(e, work);
    if (perp_measure_and_stop(work, ++iteration, &error))
        return work->monitor.verdict;
    if (!e->n)
        return PERP_STALLED;
    if (e->stored)
        perp_enumeration_fill(e, work);
    for (int k = 0; k < NEWTON_STEPS && error > work->settings->tol; k++) {
        perp_enumeration_newton(e, work);
        if (perp_measure_and_stop(work, ++iteration, &error)) {
            if (isfinite(error))
                return work->monitor.verdict;
            break;
        }
    }
    work->monitor.verdict = PERP_SOLVED;
    return every_mode(e, work, iteration);
}
