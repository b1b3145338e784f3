/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/newton/newton_rows.h"

#include <math.h>
#include <string.h>

#include "linalg/mat.h"
#include "solvers/newton/newton_lu.h"
#include "solvers/newton/newton_system.h"

enum { WINDOW = 8, TRIALS = 12, GRADIENT_TRIALS = 50, WEIGHTS = 4, REPAIRS = 8, PATIENCE = 12 };
enum { FREELY = 30, PATH = 80, INNER = 15, POINTS = 30, POLISH = 4, EQUILIBRATIONS = 10 };

/* Proximal weight of a Newton step: what rounding alone needs, and what it may grow to. */
static const double weight_low = 1e-13, weight_high = 1.0;
static const double gain_least = 1e-4, full_gain = 0.9, short_step = 1e-2, least_angle = 1e-9;
static const double first_product = 10.0, quick_fall = 0.05, slow_fall = 0.3, long_step = 0.9;
static const double farthest = 1e11; /* |D z| over |D^-1 q| */
static const double pull_first = 1e-1, pull_low = 1e-9, pull_high = 1e2, inner_share = 1e-2;

typedef struct linear_state {
    perp_nsn system;
    perp_nsn_lu lu;
    int min, has_gradient;
    double *d;                         /* n: scale of z in a row, 1 / d that of w */
    double *dz, *dw, *trial, *trial_w; /* n each */
    double *gradient, *part, *shifted; /* n each */
    double *centre, pull;              /* of a proximal point; 0: none */
    double reach;                      /* |D z|^2 at most */
    double product;                    /* that the smoothed equation aims at; 0: not smoothed */
    double weight, merits[WINDOW];
    int window, filled, iteration;
} linear_state;

/* The scales of the measure, so that |M_ij| <= d_i d_j about; that needs more than the diagonal
 * where M is not symmetric positive ([Ruiz2001], on rows and columns alike). */
static void find_scales(linear_state *state, const double *d)
{
    const perp_nsn *system = &state->system;
    double *largest = state->part;
    memcpy(state->d, d, (size_t)system->n * sizeof(double));
    for (int k = 0; k < EQUILIBRATIONS && system->lead == 0; k++) {
        memset(largest, 0, (size_t)system->n * sizeof(double));
        for (int j = 0; j < system->n; j++)
            for (int p = system->J.colptr[j]; p < system->J.colptr[j + 1]; p++) {
                int i = system->J.row[p];
                double share = fabs(system->fixed[p]) / (state->d[i] * state->d[j]);
                largest[i] = fmax(largest[i], share);
                largest[j] = fmax(largest[j], share);
            }
        for (int i = 0; i < system->n; i++)
            if (largest[i] > 0.0 && largest[i] < INFINITY)
                state->d[i] *= sqrt(largest[i]);
    }
}

perp_status perp_newton_linear_update(perp_work *work)
{
    linear_state *state = work->state;
    perp_status status = perp_nsn_load(&state->system, work->problem, &work->arena->allocator);
    if (status == PERP_SOLVED)
        find_scales(state, work->scaling.d);
    return status;
}

perp_status perp_newton_linear_setup(perp_work *work, int min)
{
    int n = work->blocks.n;
    linear_state *state = perp_arena_take_zero(work->arena, 1, sizeof *state);
    if (!state)
        return PERP_ERR_MEMORY;
    work->state = state;
    state->min = min;
    double **vectors[] = {&state->d,     &state->dz,      &state->dw,
                          &state->trial, &state->trial_w, &state->gradient,
                          &state->part,  &state->shifted, &state->centre};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        *vectors[k] = PERP_TAKE(work->arena, double, n);
    perp_status status = perp_nsn_build(&state->system, work->problem, &work->blocks,
                                        &perp_reform_smooth_rows, work->arena);
    if (status == PERP_SOLVED && work->arena->failed)
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = perp_nsn_lu_build(&state->lu, &state->system, work->problem,
                                   (perp_factor_kind)work->settings->factor,
                                   (perp_ordering_kind)work->settings->ordering, work->arena);
    work->info->flops = state->lu.flops;
    return status == PERP_SOLVED ? perp_newton_linear_update(work) : status;
}

void perp_newton_linear_release(perp_work *work)
{
    linear_state *state = work->state;
    perp_nsn_lu_free(&state->lu);
}

static double square(double x)
{
    return x * x;
}

/* rho = 1 / d^2 whatever the weight, so that merits can be compared. */
static void weigh(linear_state *state, const double *d, double weight)
{
    perp_nsn *system = &state->system;
    for (int k = 0; k < system->n; k++) {
        system->alpha[k] = (weight + state->pull) * square(d[k]);
        system->rho[2 * k] = 1.0 / square(d[k]);
        system->rho[2 * k + 1] = state->product / square(d[k]);
    }
}

/* w of the problem with the proximal term: w itself where there is none. */
static const double *shifted(linear_state *state, const double *d, const double *w, const double *z)
{
    if (state->pull == 0.0)
        return w;
    for (int i = 0; i < state->system.n; i++)
        state->shifted[i] = w[i] + state->pull * square(d[i]) * (z[i] - state->centre[i]);
    return state->shifted;
}

/* F, Fw, Fz and J at work->z; the merit where the equation is Fischer-Burmeister's. */
static double equations(perp_work *work, const perp_reform *reform, double weight)
{
    linear_state *state = work->state;
    const double *d = state->d;
    state->system.reform = reform;
    weigh(state, d, weight);
    return perp_nsn_jacobian(&state->system, shifted(state, d, work->w, work->z), work->z);
}

/* dz = -J^-1 F; the weight grows until J can be factorised. */
static perp_status direction(perp_work *work, const perp_reform *reform, double weight)
{
    linear_state *state = work->state;
    perp_status status = PERP_ERR_SINGULAR;
    for (int k = 0; k < REPAIRS; k++) {
        equations(work, reform, weight);
        status = perp_nsn_lu_direction(state->dz, &state->lu, &state->system);
        work->info->factorisations++;
        if (status != PERP_ERR_SINGULAR && status != PERP_ERR_NUMERICAL)
            break;
        status = PERP_ERR_SINGULAR;
        weight = 100.0 * weight;
    }
    if (status == PERP_SOLVED)
        perp_mat_apply(&work->problem->M, state->dz, work->scratch, state->dw);
    return status;
}

/* Merit at z + step dz, which is left in the trial; infinite where q is rounding beside M z, so
 * that w would say nothing. */
static double merit_at(perp_work *work, double step)
{
    linear_state *state = work->state;
    state->system.reform = &perp_reform_smooth_rows;
    double length = 0.0;
    for (int i = 0; i < work->blocks.n; i++) {
        state->trial[i] = work->z[i] + step * state->dz[i];
        state->trial_w[i] = work->w[i] + step * state->dw[i];
        length += square(state->d[i] * state->trial[i]);
    }
    if (!(length <= state->reach))
        return INFINITY;
    return perp_nsn_residual(&state->system, shifted(state, state->d, state->trial_w, state->trial),
                             state->trial);
}

static void accept(perp_work *work)
{
    linear_state *state = work->state;
    memcpy(work->z, state->trial, (size_t)work->blocks.n * sizeof(double));
}

/* The gradient of the merit from the current F, Fw and Fz. */
static void find_gradient(perp_work *work)
{
    linear_state *state = work->state;
    const perp_nsn *system = &state->system;
    const double *d = state->d;
    for (int i = 0; i < system->n; i++)
        state->part[i] = system->Fw[i] * system->F[i] * square(d[i]);
    state->has_gradient = perp_mat_apply_transposed(state->gradient, &work->problem->M, state->part,
                                                    work->scratch) == PERP_SOLVED;
    for (int i = 0; i < system->n; i++)
        state->gradient[i] +=
            (system->Fz[i] * system->F[i] + state->pull * state->part[i]) * square(d[i]);
}

/* The largest merit of the last steps. */
static double reference(const linear_state *state)
{
    double most = 0.0;
    int count = state->filled < state->window ? state->filled : state->window;
    for (int i = 0; i < count; i++)
        most = fmax(most, state->merits[i]);
    return most;
}

static void note_merit(linear_state *state, double merit)
{
    state->merits[state->filled++ % state->window] = merit;
}

/* The step along dz, halved until it gains enough; 0: none.  It is in the trial. */
static double search(perp_work *work, double slope, int trials)
{
    const linear_state *state = work->state;
    double step = 1.0, limit = reference(state);
    if (work->settings->line_search == PERP_LINE_SEARCH_NONE)
        limit = INFINITY;
    for (int k = 0; k < trials; k++, step *= 0.5)
        if (merit_at(work, step) <= limit + gain_least * step * slope)
            return step;
    return 0.0;
}

/* g.dz; -2 merit, which holds for plain Newton steps, where there is no gradient. */
static double slope_of(const perp_work *work, double merit)
{
    const linear_state *state = work->state;
    const double *d = state->d;
    double slope = 0.0, g2 = 0.0, dz2 = 0.0;
    if (!state->has_gradient)
        return -2.0 * merit;
    for (int i = 0; i < work->blocks.n; i++) {
        slope += state->gradient[i] * state->dz[i];
        g2 += square(state->gradient[i] / d[i]);
        dz2 += square(d[i] * state->dz[i]);
    }
    return slope <= -least_angle * sqrt(g2) * sqrt(dz2) ? slope : 0.0;
}

/* 1: the full step of the natural map is in the trial. */
static int try_min(perp_work *work, perp_status *status)
{
    linear_state *state = work->state;
    *status = direction(work, &perp_reform_natural_map, weight_low);
    if (*status != PERP_SOLVED)
        return 0;
    return merit_at(work, 1.0) <= full_gain * state->merits[(state->filled - 1) % state->window];
}

/* A step along the Fischer-Burmeister direction or the gradient; 0: none. */
static double try_descent(perp_work *work, double merit, perp_status *status)
{
    linear_state *state = work->state;
    const double *d = state->d;
    for (int k = 0; k < WEIGHTS; k++) {
        *status = direction(work, &perp_reform_smooth_rows, state->weight);
        if (*status != PERP_SOLVED && *status != PERP_ERR_SINGULAR)
            return 0.0;
        double slope = *status == PERP_SOLVED ? slope_of(work, merit) : 0.0;
        double step = slope < 0.0 ? search(work, slope, TRIALS) : 0.0;
        if (step >= short_step) {
            state->weight = fmax(weight_low, step == 1.0 ? 0.01 * state->weight : state->weight);
            return step;
        }
        state->weight = fmin(weight_high, fmax(100.0 * state->weight, 1e-7));
    }
    *status = PERP_SOLVED;
    if (!state->has_gradient)
        return 0.0;
    double slope = 0.0;
    for (int i = 0; i < work->blocks.n; i++) {
        state->dz[i] = -state->gradient[i] / square(d[i]);
        slope += state->gradient[i] * state->dz[i];
    }
    perp_mat_apply(&work->problem->M, state->dz, work->scratch, state->dw);
    return slope < 0.0 ? search(work, slope, GRADIENT_TRIALS) : 0.0;
}

/* At most `steps` from work->z until the merit is at most `goal`.  1: stopped, by perp_stop()
 * where *status is PERP_SOLVED. */
static int descend(perp_work *work, int steps, double goal, double *error, perp_status *status)
{
    linear_state *state = work->state;
    double best = INFINITY;
    int since = 0, rejected = 0;
    state->filled = 0;
    for (int k = 0; k < steps && since < PATIENCE; k++) {
        double merit = equations(work, &perp_reform_smooth_rows, 0.0), step = 1.0;
        if (merit <= goal || !isfinite(merit))
            return 0;
        note_merit(state, merit);
        since = merit <= 0.5 * best ? 0 : since + 1;
        best = since ? best : merit;
        find_gradient(work);
        int taken = state->min && rejected == 0 && try_min(work, status);
        if (*status != PERP_SOLVED && *status != PERP_ERR_SINGULAR)
            return 1;
        if (!taken) {
            rejected = state->min && rejected == 0;
            step = try_descent(work, merit, status);
        }
        if (*status != PERP_SOLVED)
            return 1;
        if (step == 0.0)
            return 0;
        accept(work);
        if (perp_measure_and_stop(work, ++state->iteration, error))
            return 1;
    }
    return 0;
}

/* Proximal points from the best iterate.  1: stopped, as above. */
static int approach(perp_work *work, double *error, perp_status *status)
{
    linear_state *state = work->state;
    double pull = pull_first, least = INFINITY;
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    memcpy(work->z, work->best, bytes);
    *error = perp_measure(work, work->z);
    state->window = WINDOW;
    for (int k = 0, since = 0; k < POINTS && since < PATIENCE; k++) {
        double merit = equations(work, &perp_reform_smooth_rows, 0.0);
        since = merit <= 0.5 * least ? 0 : since + 1;
        least = since ? least : merit;
        memcpy(state->centre, work->z, bytes);
        state->pull = pull;
        state->weight = weight_low;
        int stopped = descend(work, INNER, square(inner_share) * merit, error, status);
        double left = equations(work, &perp_reform_smooth_rows, 0.0);
        state->pull = 0.0;
        if (stopped)
            return 1;
        pull = left <= square(inner_share) * merit ? fmax(0.1 * pull, pull_low)
                                                   : fmin(10.0 * pull, pull_high);
    }
    return 0;
}

/* Newton from 0 along the path of equal products, which fall whenever the merit is as small as
 * they are.  1: stopped. */
static int follow(perp_work *work, double *error, perp_status *status)
{
    linear_state *state = work->state;
    int n = work->blocks.n;
    memset(work->z, 0, (size_t)n * sizeof(double));
    *error = perp_measure(work, work->z);
    state->product = first_product * equations(work, &perp_reform_smooth_rows, 0.0) / n;
    state->weight = weight_low;
    state->window = work->settings->line_search == PERP_LINE_SEARCH_NONMONOTONE ? WINDOW : 1;
    state->filled = 0;
    for (int k = 0; k < PATH; k++) {
        double merit = equations(work, &perp_reform_smooth_rows, 0.0);
        note_merit(state, merit);
        find_gradient(work);
        double step = try_descent(work, merit, status);
        if (step == 0.0 || *status != PERP_SOLVED)
            break;
        accept(work);
        int near = merit_at(work, step) <= state->product * n;
        if (perp_measure_and_stop(work, ++state->iteration, error))
            return 1;
        if (near) {
            state->product *= step >= long_step ? quick_fall : slow_fall;
            state->filled = 0;
        }
    }
    return *status != PERP_SOLVED;
}

/* The last digits, which the natural map alone reaches at a degenerate solution.  1: stopped. */
static int polish(perp_work *work, double *error, perp_status *status)
{
    linear_state *state = work->state;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    *error = perp_measure(work, work->z);
    for (int k = 0; k < POLISH; k++) {
        *status = direction(work, &perp_reform_natural_map, weight_low);
        if (*status == PERP_ERR_SINGULAR)
            break;
        if (*status != PERP_SOLVED)
            return 1;
        if (isinf(merit_at(work, 1.0)))
            break;
        accept(work);
        if (perp_measure_and_stop(work, ++state->iteration, error))
            return 1;
    }
    *status = PERP_SOLVED;
    return 0;
}

static perp_status run(perp_work *work)
{
    linear_state *state = work->state;
    perp_status status = PERP_SOLVED;
    double error;
    if (perp_measure_and_stop(work, 0, &error))
        return work->monitor.verdict;
    int stopped = descend(work, FREELY, 0.0, &error, &status) || follow(work, &error, &status);
    state->product = 0.0;
    if (stopped || approach(work, &error, &status) || polish(work, &error, &status))
        return status == PERP_SOLVED ? work->monitor.verdict : status;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    return PERP_STALLED;
}

static void find_reach(perp_work *work)
{
    linear_state *state = work->state;
    double z2 = 0.0, q2 = 0.0;
    for (int i = 0; i < work->blocks.n; i++) {
        z2 += square(state->d[i] * work->z[i]);
        q2 += square(work->problem->q[i] / state->d[i]);
    }
    state->reach = q2 > 0.0 ? fmax(4.0 * z2, square(farthest) * q2) : INFINITY;
}

perp_status perp_newton_linear_solve(perp_work *work)
{
    linear_state *state = work->state;
    perp_nsn_lu_restart(&state->lu);
    state->iteration = 0;
    state->pull = state->product = 0.0;
    state->weight = weight_low;
    state->window = WINDOW;
    find_reach(work);
    perp_status status = run(work);
    if (status >= 0)
        perp_project_answer(work, state->trial);
    return status;
}
