/* SPDX-License-Identifier: BSD-3-Clause */
/* Accelerated projected gradient: [Nesterov1983], [BeckTeboulle2009]; restart of
 * [ODonoghueCandes2015]; for contact [MazharEtAl2015].
 *     p  = z + beta (z - z_old),   beta = (t_old - 1) / t
 *     z+ = R(p - rho T w(p)),      w(p) extrapolated likewise: one product per step
 * R is the resolvent of the law (law_resolvent.h), T = diag(1 / d_k^2).
 *
 * With a symmetric semidefinite M and s = 0 this minimises z'Mz/2 + q'z over K at the
 * rate 1/k^2, or (1 - 1/sqrt(kappa))^k with restarts.  With COULOMB there is no
 * function: it is a fixed point whose friction disks follow the iterate, and nothing
 * is proved.  What keeps it from going astray:
 * - rho is cut while rho |M(z+ - p)|_T > |z+ - p|_(1/T), for any M (0.9 before a correction);
 * - the momentum ends where it points uphill (setting restart);
 * - where the error is not halved for some time, other rules take over in turn, with
 *   smaller steps, less momentum, or none and the correction step of extragradient,
 *   which needs no symmetry, from the best iterate if the last is much worse;
 * - an asymmetry of M that shows in two successive steps leads there at once. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solvers/projection/law_resolvent.h"
#include "solvers/projection/projected_step.h"

enum { MAX_REJECTIONS = 60, FIRST_WINDOW = 40 };

/* How the step grows when the ratio allows it, the largest beta, and whether a correction
 * step (a second product) takes the place of momentum. */
typedef struct rule {
    double growth, momentum;
    int corrected;
} rule;

static const rule rules[] = {
    {1.1, 1.0, 0}, {1.0, 1.0, 0}, {1.0, 0.9, 0}, {1.1, 0.0, 1}, {1.03, 1.0, 0}, {1.0, 0.97, 0},
};
enum { RULES = sizeof rules / sizeof rules[0], CORRECTED = 3 };

static const double growth_ratio = 0.8, shrink = 0.9, corrected_limit = 0.9,
                    visible_asymmetry = 0.1;

typedef struct apgd {
    perp_projector base;     /* z_trial: the next iterate, y_trial: its M z + q, y: unused */
    double *w;               /* n: M z + q at work->z */
    double *z_old, *w_old;   /* n each: of the iterate before */
    double *point, *point_w; /* n each: extrapolated, with its M z + q */
    double t, rho, rho_old;
    double rho_safe;  /* smallest that a rejection led to */
    double value;     /* of the function, at work->z */
    double reference; /* error when it was last halved */
    int rule, since, window;
} apgd;

static perp_status apgd_setup(perp_work *work)
{
    size_t n = (size_t)work->blocks.n;
    apgd *state = PERP_TAKE(work->arena, apgd, 1);
    if (!state)
        return PERP_ERR_MEMORY;
    work->state = state;
    state->w = PERP_TAKE(work->arena, double, n);
    state->z_old = PERP_TAKE(work->arena, double, n);
    state->w_old = PERP_TAKE(work->arena, double, n);
    state->point = PERP_TAKE(work->arena, double, n);
    state->point_w = PERP_TAKE(work->arena, double, n);
    return perp_projector_take(&state->base, work);
}

static perp_status product(double *w, const perp_work *work, const double *z)
{
    perp_status status = perp_mat_apply(&work->problem->M, z, work->scratch, w);
    for (int i = 0; status == PERP_SOLVED && i < work->blocks.n; i++)
        w[i] += work->problem->q[i];
    return status;
}

/* out = R(z - rho T w). */
static void law_step(double *out, const apgd *state, const double *z, const double *w)
{
    const perp_blocks *blocks = state->base.blocks;
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        double step = state->rho * state->base.t[k];
        for (int i = 0, at = block->row; i < block->dim; i++, at++)
            out[at] = z[at] - perp_row_step(block, step, i) * w[at];
        perp_law_resolvent(out + block->row, out + block->row, block);
    }
}

/* rho |M(z+ - p)|_T / |z+ - p|_(1/T); -1 where the points differ by rounding only. */
static double step_ratio(const apgd *state)
{
    const perp_projector *base = &state->base;
    double moved = 0.0, image = 0.0, size = 0.0;
    for (int k = 0; k < base->blocks->count; k++) {
        const perp_block *block = &base->blocks->at[k];
        double dz2 = 0.0, dw2 = 0.0, z2 = 0.0;
        for (int i = 0, at = block->row; i < block->dim; i++, at++) {
            double unit = perp_block_unit(block, i);
            double dz = (base->z_trial[at] - state->point[at]) / unit;
            double dw = unit * (base->y_trial[at] - state->point_w[at]);
            double z = state->point[at] / unit;
            dz2 += dz * dz;
            dw2 += dw * dw;
            z2 += z * z;
        }
        moved += dz2 / base->t[k];
        size += z2 / base->t[k];
        image += dw2 * base->t[k];
    }
    if (!(moved > 16.0 * DBL_EPSILON * DBL_EPSILON * size))
        return -1.0;
    return state->rho * sqrt(image / moved);
}

/* z_trial with its product, from the point; rho is cut until the step is short enough. */
static perp_status trial(apgd *state, perp_work *work, double *ratio)
{
    for (int tries = 0; tries < MAX_REJECTIONS; tries++) {
        law_step(state->base.z_trial, state, state->point, state->point_w);
        perp_status status = product(state->base.y_trial, work, state->base.z_trial);
        if (status != PERP_SOLVED)
            return status;
        *ratio = step_ratio(state);
        if (!(*ratio > (rules[state->rule].corrected ? corrected_limit : 1.0)))
            break;
        state->rho *= shrink / *ratio;
        state->rho_safe = fmin(state->rho_safe, state->rho);
    }
    return PERP_SOLVED;
}

/* Whether the momentum of this step points uphill. */
static int uphill(apgd *state, const perp_work *work)
{
    const perp_projector *base = &state->base;
    double sum = 0.0, value = 0.0;
    if (work->settings->restart == PERP_RESTART_NONE)
        return 0;
    if (work->settings->restart == PERP_RESTART_FUNCTION) {
        for (int i = 0; i < work->blocks.n; i++)
            value += 0.5 * base->z_trial[i] * (base->y_trial[i] + work->problem->q[i]);
        int rises = value > state->value;
        state->value = value;
        return rises;
    }
    for (int k = 0; k < base->blocks->count; k++) {
        const perp_block *block = &base->blocks->at[k];
        double part = 0.0;
        for (int i = 0, at = block->row; i < block->dim; i++, at++) {
            double unit = perp_block_unit(block, i);
            part += ((state->point[at] - base->z_trial[at]) / unit) *
                    ((base->z_trial[at] - work->z[at]) / unit);
        }
        sum += part / base->t[k];
    }
    return sum > 0.0;
}

/* |a'Mb - b'Ma| of the last two steps a, b, as a share of |a| |Mb| + |b| |Ma|; 0 where they
 * are too short to tell. */
static double asymmetry(const apgd *state, const perp_work *work)
{
    const perp_projector *base = &state->base;
    double forward = 0.0, backward = 0.0, a2 = 0.0, b2 = 0.0, Ma2 = 0.0, Mb2 = 0.0, z2 = 0.0;
    for (int k = 0; k < base->blocks->count; k++) {
        const perp_block *block = &base->blocks->at[k];
        for (int i = block->row; i < block->row + block->dim; i++) {
            double t = perp_row_step(block, base->t[k], i - block->row);
            double a = base->z_trial[i] - work->z[i], Ma = base->y_trial[i] - state->w[i];
            double b = work->z[i] - state->z_old[i], Mb = state->w[i] - state->w_old[i];
            forward += a * Mb;
            backward += b * Ma;
            a2 += a * a / t;
            b2 += b * b / t;
            Ma2 += Ma * Ma * t;
            Mb2 += Mb * Mb * t;
            z2 += work->z[i] * work->z[i] / t;
        }
    }
    if (!(fmin(a2, b2) > 1e-12 * z2))
        return 0.0;
    return fabs(forward - backward) / (sqrt(a2 * Mb2) + sqrt(b2 * Ma2) + DBL_MIN);
}

static void use_rule(apgd *state, int k)
{
    state->rule = k;
    state->since = 0;
    state->t = 1.0;
    state->rho = fmin(state->rho, state->rho_safe);
    state->rho_old = state->rho;
    state->rho_safe *= 1.5;
}

/* The trial becomes the iterate. */
static void accept(apgd *state, perp_work *work)
{
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    double *w = state->w_old;
    memcpy(state->z_old, work->z, bytes);
    memcpy(work->z, state->base.z_trial, bytes);
    state->w_old = state->w;
    state->w = state->base.y_trial;
    state->base.y_trial = w;
}

static perp_status advance(apgd *state, perp_work *work)
{
    const rule *now = &rules[state->rule];
    double t = 0.5 * (1.0 + sqrt(1.0 + 4.0 * state->t * state->t * state->rho_old / state->rho));
    double beta = fmin((state->t - 1.0) / t, now->momentum), ratio = 0.0;
    for (int i = 0; i < work->blocks.n; i++) {
        state->point[i] = work->z[i] + beta * (work->z[i] - state->z_old[i]);
        state->point_w[i] = state->w[i] + beta * (state->w[i] - state->w_old[i]);
    }
    perp_status status = trial(state, work, &ratio);
    if (status == PERP_SOLVED && now->corrected) {
        law_step(state->base.z_trial, state, work->z, state->base.y_trial);
        status = product(state->base.y_trial, work, state->base.z_trial);
    }
    if (status != PERP_SOLVED)
        return status;
    int ends = uphill(state, work);
    int skew = !now->corrected && asymmetry(state, work) > visible_asymmetry;
    accept(state, work);
    state->rho_old = state->rho;
    state->t = ends ? 1.0 : t;
    if (ratio >= 0.0 && ratio < growth_ratio)
        state->rho *= isinf(state->rho_safe) ? 2.0 : now->growth;
    if (skew)
        use_rule(state, CORRECTED);
    return PERP_SOLVED;
}

/* After a measurement: the next rule, where the error has not been halved for long. */
static void watch(apgd *state, perp_work *work, double error)
{
    if (error < 0.5 * state->reference) {
        state->reference = error;
        state->since = 0;
        return;
    }
    if (++state->since < state->window)
        return;
    use_rule(state, (state->rule + 1) % RULES);
    if (state->rule == 0)
        state->window *= 2;
    if (error > 10.0 * work->monitor.best) {
        size_t bytes = (size_t)work->blocks.n * sizeof(double);
        memcpy(work->z, work->best, bytes);
        error = perp_measure(work, work->z);
        memcpy(state->w, work->w, bytes);
    }
    state->reference = error;
}

static perp_status begin(apgd *state, perp_work *work)
{
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    perp_status status = perp_projector_start(&state->base, work, &state->rho);
    memcpy(state->w, work->w, bytes);
    memcpy(state->z_old, work->z, bytes);
    memcpy(state->w_old, work->w, bytes);
    state->t = 1.0;
    state->rho_old = state->rho;
    state->rho_safe = state->reference = state->value = INFINITY;
    state->rule = state->since = 0;
    state->window = FIRST_WINDOW;
    return status;
}

static perp_status apgd_solve(perp_work *work)
{
    apgd *state = work->state;
    const int every = work->settings->check_every;
    double error = perp_measure(work, work->z);
    if (perp_stop(work, 0, error))
        return work->monitor.verdict;
    perp_status status = begin(state, work);
    for (int iteration = 1; status == PERP_SOLVED; iteration++) {
        status = advance(state, work);
        if (status != PERP_SOLVED)
            break;
        if (iteration % every == 0) {
            error = perp_measure(work, work->z);
            if (perp_stop(work, iteration, error))
                break;
            watch(state, work, error);
        } else if (perp_stop_light(work, iteration, error)) {
            break;
        }
    }
    *state->base.rho = state->rho;
    return status == PERP_SOLVED ? work->monitor.verdict : status;
}

const perp_solver_type perp_solver_apgd = {
    .name = "apgd",
    .everyday = 1,
    .summary = "accelerated projected gradient with restarts; needs only products with M",
    .reads = "check_every step restart",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices = PERP_ALL_MATRICES,
    .flags = PERP_READS_BLOCKS,
    .max_iter = 100000,
    .stall = 2000,
    .setup = apgd_setup,
    .update = perp_projector_update,
    .solve = apgd_solve,
};
