/* SPDX-License-Identifier: BSD-3-Clause */
/* The single place that decides whether an iteration goes on. */
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "handle/costs.h"
#include "handle/solver_type.h"
#include "problem/rounding.h"

/* The larger of the two measures, and the square of the dual part: both measures
 * divide by |z|, so that alone a z that runs to infinity on a problem without
 * solution would pass.  A NaN stays; a scaled measure that does not exist is left out. */
static double both(const perp_residuals *residual)
{
    double error = residual->natural, guard = residual->dual * residual->dual;
    if (residual->scaled > error)
        error = residual->scaled;
    return guard > error ? guard : error;
}

double perp_error_of(const perp_work *work)
{
    const perp_residuals *residual = &work->info->residual;
    switch (work->settings->measure) {
    case PERP_MEASURE_NATURAL:
        return residual->natural;
    case PERP_MEASURE_SCALED:
        return residual->scaled; /* asked for without one, it is refused at the start */
    default:
        return both(residual);
    }
}

int perp_reads_measure(const perp_work *work, int measure)
{
    int scaled = work->scaling.d != NULL;
    return measure ? scaled && work->settings->measure != PERP_MEASURE_NATURAL
                   : !scaled || work->settings->measure != PERP_MEASURE_SCALED;
}

void perp_monitor_begin(perp_monitor *monitor, const perp_settings *settings,
                        const perp_solver_type *type, int max_iter)
{
    int own = settings->max_iter ? settings->max_iter : type->max_iter;
    monitor->reference = INFINITY;
    monitor->first = INFINITY;
    monitor->since = 0;
    monitor->verdict = PERP_SOLVED;
    monitor->window = settings->stall_window ? settings->stall_window : type->stall;
    monitor->max_iter = max_iter ? max_iter : own;
    monitor->seen = settings->time_limit > 0 ? perp_clock_seconds() : 0.0;
}

/* The error where the measures are larger by so much. */
static double error_with(perp_work *work, const double bound[3])
{
    perp_residuals *residual = &work->info->residual, before = *residual;
    residual->natural += bound[0];
    residual->scaled += bound[1];
    residual->dual += bound[2];
    double error = perp_error_of(work);
    *residual = before;
    return error;
}

/* The error as it is without what rounding hides: where that could make the difference, w and
 * the residual are computed again with more digits. */
static double trusted_error(perp_work *work, const double *z)
{
    double bound[3], tol = work->settings->tol;
    perp_rounding_bound(bound, work->problem, &work->blocks, &work->scaling, z, work->w);
    if (error_with(work, bound) <= tol)
        return perp_error_of(work);
    perp_residual_sharpen(bound, work->problem, &work->blocks, &work->scaling, z, work->w,
                          &work->info->residual);
    double error = perp_error_of(work), most = error_with(work, bound);
    return error <= tol ? most : error;
}

/* 1: the error is both(), which knows the dual part. */
static int reads_dual(const perp_work *work)
{
    int measure = work->settings->measure;
    return measure == PERP_MEASURE_SCALED ? !work->scaling.d : measure != PERP_MEASURE_NATURAL;
}

double perp_measure(perp_work *work, const double *z)
{
    work->monitor.measures++;
    work->monitor.of_iterate = z == work->z;
    perp_status status =
        perp_residual_compute_on(work->threads, work->touched, work->problem, &work->blocks,
                                 &work->scaling, z, work->w, work->scratch, &work->info->residual);
    if (status != PERP_SOLVED) {
        work->monitor.verdict = status;
        return NAN;
    }
    double error = perp_error_of(work), tol = work->settings->tol;
    if (!(error <= tol))
        return error;
    double most = work->scaling.at_most, bound[3] = {most, most, 0.0};
    if (reads_dual(work))
        bound[2] = perp_rounding_of_dual(work->problem, &work->scaling, z, work->w);
    double all = error_with(work, bound);
    if (all <= tol)
        return error;
    return trusted_error(work, z);
}

/* 1: the limit is reached, or would be by another step as long as the last. */
static int is_late(perp_work *work, double now)
{
    perp_monitor *monitor = &work->monitor;
    double step = now - monitor->seen, seconds = now - monitor->start;
    monitor->seen = now;
    return seconds + step >= work->settings->time_limit;
}

/* 1: another iteration like those so far would spend more than the budget. */
static int is_spent(const perp_work *work, int iteration)
{
    double spent = perp_costs_spent(work, iteration), own = spent - work->monitor.spent;
    double each = iteration > 0 ? own / iteration : 1.0;
    return spent + fmax(each, 1.0) > work->settings->budget;
}

/* Limits and callback: what can end an iteration besides its error. */
static perp_status limits(perp_work *work, int iteration, double error)
{
    const perp_settings *settings = work->settings;
    const perp_monitor *monitor = &work->monitor;
    double now = 0.0, seconds = 0.0;
    if (settings->time_limit > 0 || settings->progress) {
        now = perp_clock_seconds();
        seconds = now - monitor->start;
    }
    if (settings->progress) {
        perp_progress progress = {sizeof progress,
                                  monitor->solver,
                                  work->info->solver,
                                  monitor->before + iteration,
                                  error,
                                  monitor->best,
                                  seconds};
        if (settings->progress(settings->progress_ctx, &progress) != 0)
            return PERP_INTERRUPTED;
    }
    if (settings->time_limit > 0 && is_late(work, now))
        return PERP_TIME_LIMIT;
    if (settings->budget > 0.0 && is_spent(work, iteration))
        return PERP_WORK_LIMIT;
    return iteration >= work->monitor.max_iter ? PERP_ITERATION_LIMIT : PERP_SOLVED;
}

static void keep_best(perp_work *work, int iteration, double error)
{
    perp_monitor *monitor = &work->monitor;
    if (error < monitor->best) {
        monitor->best = error;
        monitor->best_iteration = iteration;
        memcpy(work->best, work->z, sizeof(double) * (size_t)work->blocks.n);
    }
    if (error < 0.5 * monitor->reference) {
        monitor->reference = error;
        monitor->since = 0;
    } else {
        monitor->since++;
    }
}

/* work->best starts as the first iterate, so there is always one to return. */
static int halt(perp_work *work, perp_status verdict, double error)
{
    perp_monitor *monitor = &work->monitor;
    monitor->verdict = verdict;
    if (!(error <= monitor->best)) {
        memcpy(work->z, work->best, sizeof(double) * (size_t)work->blocks.n);
        work->info->notes |= PERP_NOTE_BEST;
    }
    return 1;
}

/* Iterations that a start which is nearly an answer may have for more than that: at rest, what an
 * answer lacks is the same from step to step. */
enum { SETTLE = 30 };
static const double nearly = 100.0;
/* Of tol, and in any case: errors of an answer at rest (warm_start = 4), small enough for what it
 * carries to be seen to rest. */
static const double SETTLED = 1e-3, STILL = 1e-11;

double perp_settled(const perp_work *work)
{
    return work->settings->warm_start > 3 ? fmin(SETTLED, STILL / work->settings->tol) : 0.1;
}

int perp_is_from_rest(const perp_work *work)
{
    return work->settings->warm_start > 4;
}

int perp_is_at_rest(const perp_work *work)
{
    return work->settings->warm_start > 2 && work->monitor.first <= nearly * work->settings->tol;
}

/* In a sequence of problems a start within tol would be the answer again and again, and what it
 * lacks would add up: warm_start = 2. */
static double wanted_error(const perp_work *work, int iteration)
{
    const perp_settings *settings = work->settings;
    int rests = perp_is_at_rest(work) || perp_is_from_rest(work);
    int more = iteration == 0 ? settings->warm_start > 1 : iteration <= SETTLE && rests;
    return more ? perp_settled(work) * settings->tol : settings->tol;
}

int perp_stop(perp_work *work, int iteration, double error)
{
    perp_monitor *monitor = &work->monitor;
    work->info->iterations = iteration;
    if (iteration == 0)
        monitor->first = error;
    if (monitor->verdict != PERP_SOLVED)
        return halt(work, monitor->verdict, NAN);
    if (error <= wanted_error(work, iteration)) {
        monitor->best = error;
        monitor->best_iteration = iteration;
        monitor->verdict = PERP_SOLVED;
        monitor->certified = monitor->of_iterate ? monitor->measures : 0;
        memcpy(work->best, work->z, sizeof(double) * (size_t)work->blocks.n);
        return 1;
    }
    if (!isfinite(error))
        return halt(work, PERP_STALLED, NAN);
    keep_best(work, iteration, error);
    perp_status verdict = limits(work, iteration, error);
    if (verdict == PERP_SOLVED && monitor->window > 0 && monitor->since >= monitor->window)
        verdict = PERP_STALLED;
    if (verdict == PERP_SOLVED && monitor->watch &&
        monitor->watch(monitor->watch_ctx, iteration, error))
        verdict = PERP_STALLED;
    return verdict == PERP_SOLVED ? 0 : halt(work, verdict, error);
}

int perp_stop_light(perp_work *work, int iteration, double light_error)
{
    work->info->iterations = iteration;
    perp_status verdict = limits(work, iteration, light_error);
    if (verdict == PERP_SOLVED)
        return 0;
    double error = perp_measure(work, work->z);
    keep_best(work, iteration, error);
    return halt(work, verdict, error);
}

int perp_measure_and_stop(perp_work *work, int iteration, double *error)
{
    *error = perp_measure(work, work->z);
    return perp_stop(work, iteration, *error);
}

void perp_project_answer(perp_work *work, double *trial)
{
    double limit = fmax(perp_measure(work, work->z), work->settings->tol);
    perp_blocks_project(trial, &work->blocks, work->z);
    if (perp_measure(work, trial) <= limit)
        memcpy(work->z, trial, sizeof(double) * (size_t)work->blocks.n);
}

int perp_zero_is_far(const perp_work *work)
{
    const perp_settings *settings = work->settings;
    const double *q = work->problem->q;
    double even = 0.0, odd = 0.0;
    int n = work->blocks.n, i = 0;
    if (settings->warm_start || settings->measure == PERP_MEASURE_SCALED)
        return 0;
    for (; i + 2 <= n; i += 2) {
        even += q[i] * q[i];
        odd += q[i + 1] * q[i + 1];
    }
    double sum = i < n ? even + odd + q[i] * q[i] : even + odd;
    double limit = 1.001 * settings->tol * settings->tol * sum;
    for (int k = 0; k < work->blocks.count; k++) {
        const perp_block *block = &work->blocks.at[k];
        double normal = q[block->row], mu = block->par[0];
        if (normal < 0.0 && block->set == PERP_COULOMB && normal * normal > limit * (1.0 + mu * mu))
            return 1;
    }
    return 0;
}
