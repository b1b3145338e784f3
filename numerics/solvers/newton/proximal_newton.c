/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/newton/proximal_newton.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPAIRS = 8, SWEEPS_PER_CHECK = 10, MANY_ROWS = 400 };

static const double weight_low = 1e-7, weight_high = 10.0;
/* Below this error the weight falls with the error itself, where its power is less, with many rows:
 * along stresses that nothing but rounding, or a change of contacts far away, decides, steps are as
 * long as the error over the weight, and would grow short.  Of few rows that are wedged it keeps
 * such stresses small. */
static const double NEAR_AN_ANSWER = 1e-6;

/* When the first stage of a search was not enough: another equation from where it is, with
 * several weights, then other starts.  Which of them arrives on a hard problem is chance; these
 * did most often on packings of 100 to 1000 contacts (docs/reference/solvers.md).  fb:
 * Fischer-Burmeister, or the natural map where a set has none; else the equation of the solver. */
typedef struct step_stage {
    perp_proximal_stage stage;
    int fb;
} step_stage;

static const step_stage stages[] = {
    {{0, 150, 1.0, 1.0}, 1},    {{0, 150, 10.0, 1.0}, 1},  {{0, 150, 1.0, 0.75}, 1},
    {{0, 200, 30.0, 1.0}, 1},   {{500, 200, 1.0, 1.0}, 0}, {{500, 700, 0.1, 0.5}, 0},
    {{1000, 700, 0.3, 0.5}, 0},
};
enum { STAGES = sizeof stages / sizeof stages[0] };
/* From the best iterate before a new start: a weight that falls faster.  A degenerate solution
 * is often nearer than the path that passed it. */
static const perp_proximal_stage finish = {0, 60, 1.0, 1.25};

perp_status perp_proximal_load(perp_proximal *proximal, perp_work *work)
{
    const perp_allocator *memory = &work->arena->allocator;
    perp_status status = perp_nsn_load(&proximal->system, work->problem, memory);
    if (status != PERP_SOLVED)
        return status;
    proximal->by_bodies = proximal->bodies.ready &&
                          perp_nsn_bodies_load(&proximal->bodies, &proximal->system, work->problem);
    return perp_nsn_sweep_load(&proximal->sweep, &proximal->system, work->problem, memory);
}

/* Says which set the equation is not made for. */
static perp_status refuse(perp_work *work, const perp_reform *reform)
{
    unsigned refused = work->blocks.sets & ~reform->sets;
    int set = 0;
    while (!(refused >> set & 1u))
        set++;
    work->info->where = (perp_where){"formulation", -1, -1};
    snprintf(work->info->detail, sizeof work->info->detail, "formulation=%s does not take %s",
             reform->name, perp_set_name((perp_set)set));
    return PERP_ERR_UNSUPPORTED;
}

/* Where all of it is left to the library. */
static perp_status build_bodies(perp_proximal *proximal, perp_work *work)
{
    if (work->settings->factor != PERP_FACTOR_AUTO ||
        !perp_nsn_bodies_take(&work->problem->M, &work->blocks))
        return PERP_SOLVED;
    perp_status status =
        perp_nsn_bodies_build(&proximal->bodies, &proximal->system, work->problem,
                              (perp_ordering_kind)work->settings->ordering, work->arena);
    if (status == PERP_SOLVED && proximal->bodies.flops < proximal->lu.flops)
        work->info->flops = proximal->bodies.flops;
    else
        proximal->bodies.ready = 0;
    return status == PERP_ERR_OVERFLOW ? PERP_SOLVED : status;
}

perp_status perp_proximal_setup(perp_proximal *proximal, perp_work *work, const perp_reform *reform)
{
    int n = work->blocks.n;
    if (work->blocks.sets & ~reform->sets)
        return refuse(work, reform);
    perp_status status =
        perp_nsn_build(&proximal->system, work->problem, &work->blocks, reform, work->arena);
    if (status == PERP_SOLVED)
        status = perp_nsn_sweep_take(&proximal->sweep, &proximal->system, work->arena);
    proximal->dz = PERP_TAKE(work->arena, double, n);
    proximal->trial = PERP_TAKE(work->arena, double, n);
    if (status == PERP_SOLVED && work->arena->failed)
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = perp_nsn_lu_build(&proximal->lu, &proximal->system, work->problem,
                                   (perp_factor_kind)work->settings->factor,
                                   (perp_ordering_kind)work->settings->ordering, work->arena);
    work->info->flops = proximal->lu.flops;
    if (status == PERP_SOLVED)
        status = build_bodies(proximal, work);
    return status == PERP_SOLVED ? perp_proximal_load(proximal, work) : status;
}

void perp_proximal_restart(perp_proximal *proximal)
{
    proximal->iteration = 0;
    perp_nsn_lu_restart(&proximal->lu);
}

static perp_status direction(perp_proximal *proximal)
{
    if (proximal->by_bodies && perp_nsn_bodies_direction(proximal->dz, &proximal->bodies,
                                                         &proximal->system) == PERP_SOLVED)
        return PERP_SOLVED;
    perp_nsn_fill(&proximal->system);
    return perp_nsn_lu_direction(proximal->dz, &proximal->lu, &proximal->system);
}

perp_status perp_proximal_direction(perp_proximal *proximal, perp_work *work, const double *w,
                                    double weight, double *merit)
{
    for (int repair = 0; repair < REPAIRS; repair++) {
        perp_nsn_steps(&proximal->system, work->scaling.d, weight);
        *merit = perp_nsn_evaluate(&proximal->system, w, work->z);
        perp_status status = direction(proximal);
        work->info->factorisations++;
        if (status != PERP_ERR_SINGULAR && status != PERP_ERR_NUMERICAL)
            return status;
        weight = fmax(100.0 * weight, 1e-12);
    }
    return PERP_ERR_SINGULAR;
}

int perp_proximal_sweep(perp_proximal *proximal, perp_work *work, int count, double *error)
{
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    double first = *error;
    memcpy(proximal->trial, work->z, bytes);
    perp_nsn_sweep_start(&proximal->sweep, &proximal->system, work->z, work->w);
    for (int k = 1; k <= count; k++) {
        perp_nsn_sweep_run(&proximal->sweep, &proximal->system, work->problem, work->z);
        /* One sweep of a large problem takes long: the limits are looked at after each. */
        if (k % SWEEPS_PER_CHECK == 0 || k == count) {
            if (perp_measure_and_stop(work, proximal->iteration, error))
                return 1;
            if (*error < 0.1 * work->settings->tol)
                break;
        } else if (perp_stop_light(work, proximal->iteration, *error)) {
            return 1;
        }
    }
    if (*error <= first)
        return 0;
    memcpy(work->z, proximal->trial, bytes);
    return perp_measure_and_stop(work, proximal->iteration, error);
}

static double weight_at(const perp_proximal_stage *stage, int rows, double error)
{
    double weight = stage->c * pow(error, stage->p);
    if (rows >= MANY_ROWS && error < NEAR_AN_ANSWER && stage->p < 1.0)
        weight *= pow(error / NEAR_AN_ANSWER, 1.0 - stage->p);
    return fmin(fmax(weight, weight_low), weight_high);
}

int perp_proximal_steps(perp_proximal *proximal, perp_work *work, const perp_proximal_stage *stage,
                        double *error, perp_status *status)
{
    double merit;
    for (int k = 0; k < stage->steps; k++) {
        double weight = weight_at(stage, work->blocks.n, *error);
        *status = perp_proximal_direction(proximal, work, work->w, weight, &merit);
        if (*status == PERP_ERR_SINGULAR)
            break;
        if (*status != PERP_SOLVED)
            return 1;
        for (int i = 0; i < work->blocks.n; i++)
            work->z[i] += proximal->dz[i];
        proximal->iteration++;
        if (perp_measure_and_stop(work, proximal->iteration, error))
            return 1;
    }
    *status = PERP_SOLVED;
    return 0;
}

/* The finish, then sweeps from 0.  1: stopped. */
static int start_over(perp_proximal *proximal, perp_work *work, int sweeps, double *error,
                      perp_status *status)
{
    *error = perp_proximal_best(work);
    if (perp_proximal_steps(proximal, work, &finish, error, status))
        return 1;
    if (sweeps == 0)
        return 0;
    memset(work->z, 0, (size_t)work->blocks.n * sizeof(double));
    return perp_measure_and_stop(work, proximal->iteration, error) ||
           perp_proximal_sweep(proximal, work, sweeps, error);
}

perp_status perp_proximal_search(perp_proximal *proximal, perp_work *work,
                                 const perp_proximal_stage *first, double error)
{
    perp_status status = PERP_SOLVED;
    const perp_reform *own = proximal->system.reform, *smooth = &perp_reform_fischer_burmeister;
    if (work->blocks.sets & ~smooth->sets)
        smooth = &perp_reform_natural_map;
    int stopped = perp_proximal_steps(proximal, work, first, &error, &status);
    for (int k = 0; k < STAGES && !stopped; k++) {
        const perp_proximal_stage *stage = &stages[k].stage;
        proximal->system.reform = own;
        if (stage->sweeps > 0)
            stopped = start_over(proximal, work, stage->sweeps, &error, &status);
        if (stages[k].fb)
            proximal->system.reform = smooth;
        if (!stopped)
            stopped = perp_proximal_steps(proximal, work, stage, &error, &status);
    }
    proximal->system.reform = own;
    if (!stopped)
        stopped = start_over(proximal, work, 0, &error, &status);
    if (stopped)
        return status == PERP_SOLVED ? work->monitor.verdict : status;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    return PERP_STALLED;
}

double perp_proximal_best(perp_work *work)
{
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    return perp_measure(work, work->z);
}
