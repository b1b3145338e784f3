/* SPDX-License-Identifier: BSD-3-Clause */
/* Primal-dual interior point with Nesterov-Todd scaling, Mehrotra's predictor and corrector,
 * Gondzio's corrections, and the De Saxce term s = mu |w_T| inside the Newton matrix
 * (docs/theory.md, Interior point; [DeSaxceFeng1991]; [Mehrotra1992]; [Gondzio1996]).
 *
 * Each iteration factorises Wb + E once.  Products x.y are not driven below a floor that
 * belongs to the tolerance (and to the residual) while the error can still fall above it:
 * a centred iterate has the error of its product, one beside the path that of the root.
 *
 * With friction the central path may fold back; the steps become short there.  Three of
 * them, or eight iterations that do not halve the error, end an attempt.  The next one
 * starts near the best iterate with a proximal weight alpha = c sqrt(error) in the matrix. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "handle/solver_type.h"
#include "linalg/small.h"
#include "solvers/interior/jordan.h"
#include "solvers/interior/interior_system.h"

enum { SHORT_STEPS = 3, PATIENCE = 8, CORRECTIONS = 2 };
static const double to_boundary = 0.99, short_step = 0.1, long_step = 0.95, pure_centring = 0.8;
static const double first_floor = 0.03, next_floor = 0.01, last_floor = 1e-22;
static const double least_product = 1e-20; /* of a warm start */
static const double residual_floor = 1e-4;
/* c of the attempts in turn. */
static const double weights[] = {0.0, 3e-3, 1e-2, 1e-3};
enum { WEIGHTS = sizeof weights / sizeof weights[0] };

typedef struct direction {
    double *X, *x, *y; /* n, slots, slots */
} direction;

typedef struct ipm_state {
    perp_interior interior;
    perp_interior_system system;
    perp_interior_scaling scaling;
    double unit;
    double *residual, *rhs, *qb;            /* n */
    direction at, step, other;              /* the iterate, its step, another one */
    double *lambda, *second, *rc, *u, *aim; /* slots */
    double floor;                           /* products below it are not aimed at */
    double c, error;                        /* of the proximal weight */
    int short_steps;
} ipm_state;

static perp_status ipm_update(perp_work *work)
{
    ipm_state *state = work->state;
    perp_status status = perp_interior_load(&state->interior, work->scaling.d);
    if (status == PERP_SOLVED)
        status =
            perp_interior_system_load(&state->system, &work->problem->M, &work->arena->allocator);
    return status;
}

static perp_status take(ipm_state *state, perp_arena *arena)
{
    size_t n = (size_t)state->interior.n, slots = (size_t)state->interior.slots;
    double **rows[] = {&state->at.X,     &state->step.X, &state->other.X,
                       &state->residual, &state->rhs,    &state->qb};
    double **cones[] = {&state->at.x,      &state->at.y,     &state->step.x, &state->step.y,
                        &state->other.x,   &state->other.y,  &state->lambda, &state->second,
                        &state->rc,        &state->u,        &state->aim,    &state->scaling.p,
                        &state->scaling.r, &state->scaling.t};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        *rows[k] = PERP_TAKE(arena, double, n);
    for (size_t k = 0; k < sizeof cones / sizeof cones[0]; k++)
        *cones[k] = PERP_TAKE(arena, double, slots);
    state->scaling.eta = PERP_TAKE(arena, double, state->interior.count);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static perp_status ipm_setup(perp_work *work)
{
    const perp_settings *settings = work->settings;
    ipm_state *state = perp_arena_take_zero(work->arena, 1, sizeof *state);
    if (!state)
        return PERP_ERR_MEMORY;
    work->state = state;
    perp_status status =
        perp_interior_build(&state->interior, &work->blocks, work->scaling.d, work->arena);
    if (status == PERP_SOLVED)
        status = take(state, work->arena);
    if (status == PERP_SOLVED)
        status = perp_interior_system_build(&state->system, &work->problem->M, &state->interior,
                                            PERP_INTERIOR_AUTO, (perp_factor_kind)settings->factor,
                                            (perp_ordering_kind)settings->ordering, work->arena);
    if (status == PERP_SOLVED) {
        perp_factor_stats stats;
        perp_factor_stats_get(state->system.factor, &stats);
        work->info->flops = stats.flops;
    }
    return status;
}

static void ipm_release(perp_work *work)
{
    ipm_state *state = work->state;
    perp_interior_system_free(&state->system);
}

/* qb = S (M offset + q) / unit. */
static void load_vector(perp_work *work)
{
    ipm_state *state = work->state;
    const perp_interior *in = &state->interior;
    int moved = 0;
    double largest = 0.0;
    for (int i = 0; i < in->n; i++)
        moved |= in->offset[i] != 0.0;
    if (moved)
        perp_mat_apply(&work->problem->M, in->offset, work->scratch, state->qb);
    for (int i = 0; i < in->n; i++) {
        double q = work->problem->q[i] + (moved ? state->qb[i] : 0.0);
        state->qb[i] = in->scale[i] * q;
        largest = fmax(largest, fabs(state->qb[i]));
    }
    state->unit = largest > 0.0 ? largest : 1.0;
    for (int i = 0; i < in->n; i++)
        state->qb[i] /= state->unit;
}

/* residual = Wb X + qb + s(y) - A' y. */
static void find_residual(ipm_state *state)
{
    const perp_interior *in = &state->interior;
    double *res = state->residual;
    perp_interior_system_apply(res, &state->system, state->at.X);
    for (int i = 0; i < in->n; i++)
        res[i] = -(res[i] + state->qb[i]);
    perp_interior_add_rows(res, in, state->at.y);
    for (int i = 0; i < in->n; i++)
        res[i] = in->role[i] == PERP_ROW_PINNED ? 0.0 : -res[i];
    for (int c = 0; c < in->count; c++)
        if (in->cones[c].shifted)
            res[in->cones[c].row] +=
                perp_norm(state->at.y + in->cones[c].slot + 1, in->cones[c].dim - 1);
}

/* The scaling at (x, y), lambda, and the directions t of y_T.  0: not inside. */
static int scale(ipm_state *state)
{
    const perp_interior *in = &state->interior;
    perp_interior_scaling *s = &state->scaling;
    for (int c = 0; c < in->count; c++) {
        int at = in->cones[c].slot, dim = in->cones[c].dim;
        if (!perp_nt_scaling(s->p + at, s->r + at, &s->eta[c], state->at.x + at, state->at.y + at,
                             dim))
            return 0;
        perp_nt_apply(state->lambda + at, s->eta[c], s->r + at, state->at.x + at, dim);
        double length = perp_norm(state->at.y + at + 1, dim - 1);
        s->t[at] = 0.0;
        for (int i = 1; i < dim; i++)
            s->t[at + i] = length > 0.0 ? state->at.y[at + i] / length : 0.0;
    }
    return 1;
}

/* The direction for the complementarity lambda o (root dx + root^-1 dy) = rc. */
static void find_direction(ipm_state *state, const direction *d)
{
    const perp_interior *in = &state->interior;
    const perp_interior_scaling *s = &state->scaling;
    for (int c = 0; c < in->count; c++) {
        int at = in->cones[c].slot, dim = in->cones[c].dim;
        perp_jordan_divide(d->y + at, state->lambda + at, state->rc + at, dim);
        perp_nt_apply(d->y + at, s->eta[c], s->r + at, d->y + at, dim);
    }
    for (int i = 0; i < in->n; i++)
        state->rhs[i] = -state->residual[i];
    perp_interior_add_rows(state->rhs, in, d->y);
    for (int c = 0; c < in->count; c++)
        if (in->cones[c].shifted)
            state->rhs[in->cones[c].row] -=
                perp_dot(s->t + in->cones[c].slot, d->y + in->cones[c].slot, in->cones[c].dim);
    perp_interior_system_solve(d->X, &state->system, state->rhs);
    perp_interior_to_slots(d->x, in, d->X);
    for (int c = 0; c < in->count; c++) {
        int at = in->cones[c].slot, dim = in->cones[c].dim;
        perp_nt_apply(state->u + at, s->eta[c] * s->eta[c], s->p + at, d->x + at, dim);
        for (int i = 0; i < dim; i++)
            d->y[at + i] -= state->u[at + i];
    }
}

/* Largest step that stays inside, at most 1/to_boundary. */
static double longest(const ipm_state *state, const direction *d)
{
    const perp_interior *in = &state->interior;
    double a = 1.0 / to_boundary;
    for (int c = 0; c < in->count; c++) {
        int at = in->cones[c].slot, dim = in->cones[c].dim;
        double x = perp_jordan_step(state->at.x + at, d->x + at, dim);
        double y = perp_jordan_step(state->at.y + at, d->y + at, dim);
        a = x < a ? x : a;
        a = y < a ? y : a;
    }
    return a;
}

static double product_after(const ipm_state *state, const direction *d, double a)
{
    double sum = 0.0;
    for (int i = 0; i < state->interior.slots; i++)
        sum += (state->at.x[i] + a * d->x[i]) * (state->at.y[i] + a * d->y[i]);
    return sum;
}

/* rc = target e - lambda o lambda, minus the second-order term where `second` says so. */
static void aim_at(ipm_state *state, double target, int second)
{
    const perp_interior *in = &state->interior;
    for (int c = 0; c < in->count; c++) {
        int at = in->cones[c].slot, dim = in->cones[c].dim;
        perp_jordan_product(state->rc + at, state->lambda + at, state->lambda + at, dim);
        for (int i = 0; i < dim; i++)
            state->rc[at + i] = -state->rc[at + i] - (second ? state->second[at + i] : 0.0);
        state->rc[at] += target;
    }
}

/* second = (root dx) o (root^-1 dy) of the predictor. */
static void find_second(ipm_state *state, const direction *d)
{
    const perp_interior *in = &state->interior;
    const perp_interior_scaling *s = &state->scaling;
    for (int c = 0; c < in->count; c++) {
        int at = in->cones[c].slot, dim = in->cones[c].dim;
        perp_nt_apply(state->second + at, s->eta[c], s->r + at, d->x + at, dim);
        perp_nt_undo(state->u + at, s->eta[c], s->r + at, d->y + at, dim);
        perp_jordan_product(state->second + at, state->second + at, state->u + at, dim);
    }
}

/* Gondzio: the products at a longer step are pushed towards the target. */
static void push_products(ipm_state *state, double target, double a)
{
    const perp_interior *in = &state->interior;
    const perp_interior_scaling *s = &state->scaling;
    for (int c = 0; c < in->count; c++) {
        int at = in->cones[c].slot, dim = in->cones[c].dim;
        double *u = state->u + at, *v = state->aim + at;
        for (int i = 0; i < dim; i++) {
            u[i] = state->at.x[at + i] + a * state->step.x[at + i];
            v[i] = state->at.y[at + i] + a * state->step.y[at + i];
        }
        perp_nt_apply(u, s->eta[c], s->r + at, u, dim);
        perp_nt_undo(v, s->eta[c], s->r + at, v, dim);
        perp_jordan_product(v, u, v, dim);
        perp_jordan_push(u, v, 0.1 * target, 10.0 * target, -10.0 * target, dim);
        for (int i = 0; i < dim; i++)
            state->rc[at + i] += u[i];
    }
}

static double mean_product(const ipm_state *state)
{
    const perp_interior *in = &state->interior;
    return in->count > 0 ? perp_dot(state->at.x, state->at.y, in->slots) / in->count : 0.0;
}

static double swap_if_better(ipm_state *state, double a, double gain)
{
    double other = longest(state, &state->other);
    if (!(other >= a + gain))
        return a;
    direction step = state->step;
    state->step = state->other;
    state->other = step;
    return other;
}

/* What the products aim at at least, not above the present mean. */
static double least_target(const ipm_state *state)
{
    double rows = fmax(1.0, state->interior.count);
    double residual = perp_norm(state->residual, state->interior.n) / sqrt(rows);
    return fmin(mean_product(state), fmax(residual_floor * residual, state->floor));
}

/* Predictor, corrector and further corrections into state->step; how far to go, at most 1. */
static double choose_direction(ipm_state *state)
{
    double mean = mean_product(state), gap = mean * state->interior.count;
    double sigma = pure_centring, a;
    int centring = state->short_steps > 0;
    if (!centring) {
        aim_at(state, 0.0, 0);
        find_direction(state, &state->other);
        a = fmin(1.0, longest(state, &state->other));
        double ratio = product_after(state, &state->other, a) / gap;
        ratio = fmin(fmax(ratio, 0.0), 1.0);
        sigma = gap > 0.0 ? fmax(ratio * ratio * ratio, least_target(state) / mean) : 0.0;
        find_second(state, &state->other);
    }
    aim_at(state, sigma * mean, !centring);
    find_direction(state, &state->step);
    a = longest(state, &state->step);
    if (a < short_step && !centring) {
        sigma = fmax(sigma, 0.3);
        aim_at(state, sigma * mean, 0);
        find_direction(state, &state->other);
        a = swap_if_better(state, a, 0.0);
    }
    for (int k = 0; k < CORRECTIONS && a < long_step; k++) {
        double before = a;
        push_products(state, sigma * mean, fmin(1.0, 1.5 * a + 0.1));
        find_direction(state, &state->other);
        a = swap_if_better(state, a, 0.01);
        if (a == before)
            break;
    }
    return fmin(1.0, to_boundary * a);
}

/* Rounding must not put a point that runs into the boundary beyond it. */
static void keep_inside(double *x, int dim)
{
    double length = perp_norm(x + 1, dim - 1), least = (1.0 + 4.0 * DBL_EPSILON) * length;
    if (dim > 1 && x[0] < least)
        x[0] = least;
}

static void move(ipm_state *state, double a)
{
    const perp_interior *in = &state->interior;
    for (int i = 0; i < in->n; i++)
        state->at.X[i] += a * state->step.X[i];
    for (int i = 0; i < in->slots; i++) {
        state->at.x[i] += a * state->step.x[i];
        state->at.y[i] += a * state->step.y[i];
    }
    for (int c = 0; c < in->count; c++) {
        keep_inside(state->at.x + in->cones[c].slot, in->cones[c].dim);
        keep_inside(state->at.y + in->cones[c].slot, in->cones[c].dim);
    }
}

/* One iteration; PERP_STALLED: no further step. */
static perp_status iterate(perp_work *work)
{
    ipm_state *state = work->state;
    find_residual(state);
    if (!scale(state))
        return PERP_STALLED;
    perp_interior_system_weigh(&state->system, &state->scaling, state->c * sqrt(state->error));
    perp_status status =
        perp_interior_system_factorise(&state->system, &work->info->factorisations);
    if (status == PERP_ERR_SINGULAR)
        return PERP_STALLED;
    if (status != PERP_SOLVED)
        return status;
    double a = choose_direction(state);
    state->short_steps = a < short_step ? state->short_steps + 1 : 0;
    if (!(a > 0.0) || !isfinite(perp_norm(state->step.X, state->interior.n)))
        return PERP_STALLED;
    move(state, a);
    return PERP_SOLVED;
}

/* FREE, NONNEG and BOX rows only. */
static int is_linear(const perp_interior *in)
{
    return in->slots == in->count && in->shifted == 0;
}

/* A start near work->z. */
static void start_near(perp_work *work, double depth)
{
    ipm_state *state = work->state;
    const perp_interior *in = &state->interior;
    for (int i = 0; i < in->n; i++)
        state->at.X[i] =
            in->scale[i] > 0.0 ? (work->z[i] - in->offset[i]) / (state->unit * in->scale[i]) : 0.0;
    perp_interior_system_apply(state->rhs, &state->system, state->at.X);
    for (int i = 0; i < in->n; i++)
        state->rhs[i] += state->qb[i];
    if (is_linear(in)) {
        double least = work->settings->tol * work->settings->tol;
        perp_interior_centre(state->at.X, state->at.x, state->at.y, in, state->rhs, state->unit,
                             fmax(least, least_product));
        return;
    }
    perp_interior_near(state->at.X, state->at.x, state->at.y, in, state->rhs, state->unit, depth);
}

/* Iterations from the current start until it is solved, stopped by a limit (*done) or spent. */
static perp_status attempt(perp_work *work, int *iteration, int *done)
{
    ipm_state *state = work->state;
    double best = INFINITY;
    int since = 0;
    state->short_steps = 0;
    state->floor = fmax(first_floor * work->settings->tol, last_floor);
    while (state->short_steps < SHORT_STEPS && since < PATIENCE) {
        perp_status status = iterate(work);
        if (status < 0)
            return status;
        if (status == PERP_STALLED)
            break;
        perp_interior_answer(work->z, &state->interior, state->at.X, state->unit);
        *done = perp_measure_and_stop(work, ++*iteration, &state->error);
        if (*done)
            return work->monitor.verdict;
        since = state->error <= 0.5 * best ? 0 : since + 1;
        best = since ? best : state->error;
        if (since > 0 && mean_product(state) <= 3.0 * state->floor)
            state->floor = fmax(next_floor * state->floor, last_floor);
    }
    return PERP_STALLED;
}

static perp_status run(perp_work *work)
{
    ipm_state *state = work->state;
    int iteration = 0, done = 0;
    if (perp_measure_and_stop(work, 0, &state->error))
        return work->monitor.verdict;
    load_vector(work);
    if (work->settings->warm_start)
        start_near(work, fmin(1.0, state->error));
    else
        perp_interior_start(state->at.X, state->at.x, state->at.y, &state->interior, state->unit);
    for (int k = 0; k < work->settings->attempts; k++) {
        if (k == 1 && work->settings->warm_start && is_linear(&state->interior)) {
            perp_interior_start(state->at.X, state->at.x, state->at.y, &state->interior,
                                state->unit);
        } else if (k > 0) {
            memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
            state->error = work->monitor.best;
            start_near(work, fmin(1.0, state->error));
        }
        state->c = weights[k < WEIGHTS ? k : 1 + (k - 1) % (WEIGHTS - 1)];
        perp_status status = attempt(work, &iteration, &done);
        if (done || status < 0)
            return status;
    }
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    return PERP_STALLED;
}

static perp_status ipm_solve(perp_work *work)
{
    ipm_state *state = work->state;
    state->system.factor->repivot = 1;
    return run(work);
}

const perp_solver_type perp_solver_ipm = {
    .name = "ipm",
    .everyday = 1,
    .summary = "primal-dual interior point, with Nesterov-Todd scaling",
    .reads = "attempts factor ordering",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES,
    .max_iter = 200,
    .stall = 0,
    .setup = ipm_setup,
    .update = ipm_update,
    .solve = ipm_solve,
    .release = ipm_release,
};
