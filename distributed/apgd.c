/* SPDX-License-Identifier: BSD-3-Clause */
/* The distributed solver "apgd": the iteration of numerics/solvers/apgd.c with its rules
 * ([Nesterov1983], [ODonoghueCandes2015], [MazharEtAl2015]), each product an exchange between the
 * ranks and all its sums together one reduction. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "distributed/method.h"
#include "solvers/projection/law_resolvent.h"

enum { MAX_REJECTIONS = 60, FIRST_WINDOW = 40 };

/* How the step grows when the ratio allows it, the largest beta, and whether a correction step
 * takes the place of momentum. */
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
    double *z_trial, *w_trial, *z_old, *w_old, *point, *point_w; /* rows each */
    double t, rho, rho_old, rho_safe, reference;
    int rule, since, window;
} apgd;

/* Sums of a trial: of the step from the point, of the momentum, and of the last two steps a, b. */
typedef struct figures {
    double moved, size, image, uphill;
    double forward, backward, a2, b2, Ma2, Mb2, z2;
} figures;

enum { FIGURES = sizeof(figures) / sizeof(double) };

static perp_status setup(perp_petsc_run *run, perp_petsc_where *where)
{
    int n = run->system->rows;
    apgd *state = perp_arena_take_zero(&run->arena, 1, sizeof *state);
    (void)where;
    if (!state)
        return PERP_ERR_MEMORY;
    run->state = state;
    state->z_trial = PERP_TAKE(&run->arena, double, n);
    state->w_trial = PERP_TAKE(&run->arena, double, n);
    state->z_old = PERP_TAKE(&run->arena, double, n);
    state->w_old = PERP_TAKE(&run->arena, double, n);
    state->point = PERP_TAKE(&run->arena, double, n);
    state->point_w = PERP_TAKE(&run->arena, double, n);
    return PERP_SOLVED;
}

static void copy(double *to, const double *from, int n)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* T of row i of block k. */
static inline double row_step(const perp_petsc *system, int k, int i)
{
    return perp_row_step(&system->blocks.at[k], 1.0 / (system->d[k] * system->d[k]), i);
}

/* rho = 1 / |D^-1 W D^-1| along q: the first step. */
static perp_status probe(apgd *state, perp_petsc_run *run)
{
    perp_petsc *system = run->system;
    double x[2] = {0.0, 0.0};
    for (int k = 0; k < system->blocks.count; k++) {
        const perp_block *block = &system->blocks.at[k];
        for (int i = 0, at = block->row; i < block->dim; i++, at++)
            state->z_trial[at] = row_step(system, k, i) * system->q[at];
    }
    perp_status status = perp_petsc_product(system, state->z_trial, state->w_trial);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < system->blocks.count; k++) {
        const perp_block *block = &system->blocks.at[k];
        for (int i = 0, at = block->row; i < block->dim; i++, at++) {
            double t = row_step(system, k, i), w = state->w_trial[at] - system->q[at];
            x[0] += state->z_trial[at] * state->z_trial[at] / t;
            x[1] += w * w * t;
        }
    }
    perp_petsc_total(system, x, 2);
    state->rho = sqrt(x[0]) / sqrt(x[1]);
    if (!(state->rho > 0.0) || !isfinite(state->rho))
        state->rho = 1.0;
    return PERP_SOLVED;
}

static perp_status begin(perp_petsc_run *run)
{
    apgd *state = run->state;
    perp_petsc *system = run->system;
    perp_status status = PERP_SOLVED;
    state->rho = run->settings.step;
    if (!(state->rho > 0.0))
        status = probe(state, run);
    copy(state->z_old, system->z, system->rows);
    copy(state->w_old, system->w, system->rows);
    state->t = 1.0;
    state->rho_old = state->rho;
    state->rho_safe = state->reference = INFINITY;
    state->window = FIRST_WINDOW;
    return status;
}

/* out = R(z - rho T w). */
static void law_step(double *out, const apgd *state, const perp_petsc *system, const double *z,
                     const double *w)
{
    for (int k = 0; k < system->blocks.count; k++) {
        const perp_block *block = &system->blocks.at[k];
        for (int i = 0, at = block->row; i < block->dim; i++, at++)
            out[at] = z[at] - state->rho * row_step(system, k, i) * w[at];
        perp_law_resolvent(out + block->row, out + block->row, block);
    }
}

/* What row i adds; t is its step. */
static inline void add_row(figures *f, const apgd *s, const perp_petsc *system, int i, double t)
{
    double dz = s->z_trial[i] - s->point[i], dw = s->w_trial[i] - s->point_w[i];
    double a = s->z_trial[i] - system->z[i], Ma = s->w_trial[i] - system->w[i];
    double b = system->z[i] - s->z_old[i], Mb = system->w[i] - s->w_old[i];
    f->moved += dz * dz / t;
    f->size += s->point[i] * s->point[i] / t;
    f->image += dw * dw * t;
    f->uphill -= dz * a / t;
    f->forward += a * Mb;
    f->backward += b * Ma;
    f->a2 += a * a / t;
    f->b2 += b * b / t;
    f->Ma2 += Ma * Ma * t;
    f->Mb2 += Mb * Mb * t;
    f->z2 += system->z[i] * system->z[i] / t;
}

static figures add_up(const apgd *state, perp_petsc *system)
{
    figures f;
    double x[FIGURES];
    memset(&f, 0, sizeof f);
    for (int k = 0; k < system->blocks.count; k++) {
        const perp_block *block = &system->blocks.at[k];
        for (int i = 0; i < block->dim; i++)
            add_row(&f, state, system, block->row + i, row_step(system, k, i));
    }
    memcpy(x, &f, sizeof x);
    perp_petsc_total(system, x, FIGURES);
    memcpy(&f, x, sizeof x);
    return f;
}

/* rho |M(z+ - p)|_T / |z+ - p|_(1/T); -1 where the points differ by rounding only. */
static double step_ratio(const figures *f, double rho)
{
    if (!(f->moved > 16.0 * DBL_EPSILON * DBL_EPSILON * f->size))
        return -1.0;
    return rho * sqrt(f->image / f->moved);
}

/* z_trial with its product, from the point; rho is cut until the step is short enough. */
static perp_status trial(apgd *state, perp_petsc *system, figures *f, double *ratio)
{
    for (int tries = 0; tries < MAX_REJECTIONS; tries++) {
        law_step(state->z_trial, state, system, state->point, state->point_w);
        perp_status status = perp_petsc_product(system, state->z_trial, state->w_trial);
        if (status != PERP_SOLVED)
            return status;
        *f = add_up(state, system);
        *ratio = step_ratio(f, state->rho);
        if (!(*ratio > (rules[state->rule].corrected ? corrected_limit : 1.0)))
            break;
        state->rho *= shrink / *ratio;
        state->rho_safe = fmin(state->rho_safe, state->rho);
    }
    return PERP_SOLVED;
}

/* |a'Mb - b'Ma| as a share of |a| |Mb| + |b| |Ma|; 0 where the steps are too short to tell. */
static double asymmetry(const figures *f)
{
    if (!(fmin(f->a2, f->b2) > 1e-12 * f->z2))
        return 0.0;
    return fabs(f->forward - f->backward) / (sqrt(f->a2 * f->Mb2) + sqrt(f->b2 * f->Ma2) + DBL_MIN);
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

static perp_status step(perp_petsc_run *run)
{
    apgd *state = run->state;
    perp_petsc *system = run->system;
    const rule *now = &rules[state->rule];
    double t = 0.5 * (1.0 + sqrt(1.0 + 4.0 * state->t * state->t * state->rho_old / state->rho));
    double beta = fmin((state->t - 1.0) / t, now->momentum), ratio = 0.0;
    figures f;
    memset(&f, 0, sizeof f);
    for (int i = 0; i < system->rows; i++) {
        state->point[i] = system->z[i] + beta * (system->z[i] - state->z_old[i]);
        state->point_w[i] = system->w[i] + beta * (system->w[i] - state->w_old[i]);
    }
    perp_status status = trial(state, system, &f, &ratio);
    if (status == PERP_SOLVED && now->corrected) {
        law_step(state->z_trial, state, system, system->z, state->w_trial);
        status = perp_petsc_product(system, state->z_trial, state->w_trial);
        if (status == PERP_SOLVED)
            f = add_up(state, system);
    }
    if (status != PERP_SOLVED)
        return status;
    copy(state->z_old, system->z, system->rows);
    copy(state->w_old, system->w, system->rows);
    copy(system->z, state->z_trial, system->rows);
    copy(system->w, state->w_trial, system->rows);
    state->rho_old = state->rho;
    state->t = f.uphill > 0.0 ? 1.0 : t;
    if (ratio >= 0.0 && ratio < growth_ratio)
        state->rho *= isinf(state->rho_safe) ? 2.0 : now->growth;
    if (!now->corrected && asymmetry(&f) > visible_asymmetry)
        use_rule(state, CORRECTED);
    return PERP_SOLVED;
}

/* After a measurement: the next rule, where the error has not been halved for long. */
static perp_status watch(perp_petsc_run *run)
{
    apgd *state = run->state;
    perp_petsc *system = run->system;
    if (run->error < 0.5 * state->reference) {
        state->reference = run->error;
        state->since = 0;
        return PERP_SOLVED;
    }
    if (++state->since < state->window)
        return PERP_SOLVED;
    use_rule(state, (state->rule + 1) % RULES);
    if (state->rule == 0)
        state->window *= 2;
    state->reference = run->error;
    if (!(run->error > 10.0 * run->best))
        return PERP_SOLVED;
    copy(system->z, system->best, system->rows);
    state->reference = run->best;
    perp_status status = perp_petsc_product(system, system->z, system->w);
    copy(state->z_old, system->z, system->rows);
    copy(state->w_old, system->w, system->rows);
    return status;
}

const perp_petsc_method perp_petsc_apgd = {
    .name = "apgd",
    .summary = "accelerated projected gradient with restarts; one exchange an iteration",
    .max_iter = 100000,
    .stall = 2000,
    .setup = setup,
    .begin = begin,
    .step = step,
    .watch = watch,
};
