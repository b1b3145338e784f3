/* SPDX-License-Identifier: BSD-3-Clause */
/* The distributed solver "schwarz": a domain decomposition over the bodies that ranks share, after
 * [AlartIcetaDureisseix2012] and, for the masses, [TongeEtAl2012].
 *
 * Body b that m_b ranks touch has the mass M_b / m_b in each of them.  The problem of a rank alone,
 *     w = V_r z + (w_r(y) - V_r y),   V_r = H_r (M / m)^-1 H_r' + C_r,
 * is treated by our block Gauss-Seidel from y: one pass forward and backward, or to tol on one
 * rank, where "auto" leaves it to all solvers of the library.  With v_r = H_r' z_r Cauchy's
 * inequality gives |sum_r v_r|^2 in M_b^-1  <=  m_b sum_r |v_r|^2 in M_b^-1, so that diag(V_r) - W
 * is positive semidefinite: what a step minimises, where s = 0, lies above the function and touches
 * it at y, and the steps descend whatever the number of ranks.  y carries the momentum of
 * [BeckTeboulle2009], which ends where it points uphill
 * ([ODonoghueCandes2015]): y = z + beta (z - z_old),   V (y - z+) . (z+ - z) > 0. With friction
 * nothing is proved, as for Gauss-Seidel itself.  Where the error is not halved for long the best
 * iterate is taken up again, by passes with the momentum limited; then each rank's problem solved
 * by Newton's method in place of a pass, and both with the momentum limited, and left out, in turn;
 * Newton's turn is left out where passes arrive soon at their pace. */
#include <math.h>
#include <string.h>

#include "distributed/method.h"

/* Factors of larger problems would need too much memory. */
enum { MOST_PASSES = 8, MOST_NEWTON = 20, NEWTON_ROWS = 100000 };
/* Iterations that do not halve the error before another manner has its turn.  Passes have two short
 * turns at first, the second with the momentum limited, which is what packings on many ranks need.
 * What resists has long ones, since momentum may need hundreds of passes to halve the error once,
 * and loses them where it begins again; where few iterations are allowed each manner has its turn
 * all the same. */
enum { NEWTON_WINDOW = 60, PASS_WINDOW = 600, FEW = 1000 };
enum { ROWS_FOR_A_WINDOW = 1000 };
/* One pass, forward and backward, is a step: the handle takes what is within tol = GROWTH times the
 * error at the start, but not the start itself, which with warm_start = 2 would need tol/10. */
static const double GROWTH = 5.0;
/* A Newton step takes the error of the rank's problem that far down, but not far below tol. */
static const double NEWTON = 0.1;
/* In turn: a pass or Newton's method. */
static const struct manner {
    double momentum;
    int newton;
} manners[] = {{1.0, 0}, {1.0, 1}, {0.9, 0}, {0.9, 1}, {0.0, 0}, {0.0, 1}};
enum { MANNERS = sizeof manners / sizeof manners[0], EARLY = 4 }; /* of the first turns */

typedef struct schwarz {
    perp_solver *gs, *nsn; /* nsn: NULL until it is needed, and where it takes no such problem */
    perp_settings settings, newton;
    double *d;             /* by block, of V */
    double *q, *y, *w_y;   /* of the rank's problem */
    double *z_old, *w_old; /* rows each */
    double *v, *v_old;     /* V z and V z_old */
    double *next, *next_w; /* the rank's answer with V z + q */
    double *scratch;
    double t, reference, sweep_flops;
    int since, manner, pass_window, newton_window;
    int early; /* the first turns */
    int asked; /* for nsn */
    int known; /* 1: v and v_old are; else z_old is z */
    int whole; /* 1: one rank, all of whose problem the library has solved, or has not */
} schwarz;

static void copy(double *to, const double *from, int n)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* The handle of the rank's own problem, on one rank with the solver `alone`; none without rows. */
static perp_status make_gs(schwarz *state, perp_petsc_run *run, const char *alone,
                           perp_petsc_where *where)
{
    perp_petsc *system = run->system;
    perp_settings *settings = &state->settings;
    perp_settings_init(settings, sizeof *settings);
    settings->warm_start = system->size > 1 ? 2 : 1;
    settings->sweep = system->size > 1 ? PERP_SWEEP_SYMMETRIC : PERP_SWEEP_FORWARD;
    settings->measure = system->size > 1 ? (int)PERP_MEASURE_SCALED : run->settings.measure;
    settings->timing = 0;
    settings->threads = run->settings.threads;
    settings->local = run->settings.local;
    settings->max_iter = system->size > 1 ? MOST_PASSES : 0;
    settings->factor = PERP_FACTOR_FRONTS; /* never MUMPS, which may be the parallel one */
    if (system->rows == 0)
        return PERP_SOLVED;
    if (system->size == 1) {
        settings->time_limit = run->settings.time_limit;
        settings->progress = run->settings.progress;
        settings->progress_ctx = run->settings.progress_ctx;
    }
    const char *name = system->size > 1 ? "gs" : alone;
    perp_status status = perp_solver_create(&state->gs, perp_solver_find(name), settings,
                                            &system->arena.allocator, NULL);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(state->gs, &system->local);
    if (status != PERP_SOLVED)
        perp_petsc_at(where, status, name, -1);
    return status;
}

/* Newton's method for the same; without it, where it cannot be had, passes go on. */
static void make_nsn(schwarz *state, perp_petsc_run *run)
{
    perp_petsc *system = run->system;
    perp_settings *settings = &state->newton;
    if (state->asked || system->rows == 0 || system->rows > NEWTON_ROWS)
        return;
    state->asked = 1;
    perp_settings_init(settings, sizeof *settings);
    settings->warm_start = 1;
    settings->measure = (int)PERP_MEASURE_SCALED;
    settings->timing = 0;
    settings->threads = run->settings.threads;
    settings->max_iter = MOST_NEWTON;
    settings->factor = PERP_FACTOR_FRONTS; /* never MUMPS, which may be the parallel one */
    perp_status status = perp_solver_create(&state->nsn, perp_solver_find("nsn"), settings,
                                            &system->arena.allocator, NULL);
    if (status == PERP_SOLVED && perp_solver_setup(state->nsn, &system->local) == PERP_SOLVED)
        return;
    perp_solver_destroy(state->nsn);
    state->nsn = NULL;
}

static perp_status setup_with(perp_petsc_run *run, const char *alone, perp_petsc_where *where)
{
    perp_petsc *system = run->system;
    perp_arena *arena = &run->arena;
    int n = system->rows;
    schwarz *state = perp_arena_take_zero(arena, 1, sizeof *state);
    if (!state)
        return PERP_ERR_MEMORY;
    run->state = state;
    state->q = PERP_TAKE(arena, double, n);
    state->y = PERP_TAKE(arena, double, n);
    state->w_y = PERP_TAKE(arena, double, n);
    state->z_old = PERP_TAKE(arena, double, n);
    state->w_old = PERP_TAKE(arena, double, n);
    state->v = PERP_TAKE(arena, double, n);
    state->v_old = PERP_TAKE(arena, double, n);
    state->next = PERP_TAKE(arena, double, n);
    state->next_w = PERP_TAKE(arena, double, n);
    state->d = PERP_TAKE(arena, double, system->blocks.count);
    state->scratch = PERP_TAKE(arena, double, perp_mat_scratch(&system->local.M));
    if (arena->failed)
        return PERP_ERR_MEMORY;
    perp_status status = perp_petsc_scales(system, 1, state->d);
    /* A pass reads H and the velocities twice, and solves each block. */
    state->sweep_flops = 4.0 * system->colptr[n] + 60.0 * system->blocks.count;
    return status == PERP_SOLVED ? make_gs(state, run, alone, where) : status;
}

static perp_status setup(perp_petsc_run *run, perp_petsc_where *where)
{
    return setup_with(run, "gs", where);
}

static perp_status setup_auto(perp_petsc_run *run, perp_petsc_where *where)
{
    perp_status status = setup_with(run, "auto", where);
    if (status == PERP_SOLVED)
        ((schwarz *)run->state)->whole = run->system->size == 1;
    return status;
}

static void release(perp_petsc_run *run)
{
    schwarz *state = run->state;
    if (state)
        perp_solver_destroy(state->gs);
    if (state)
        perp_solver_destroy(state->nsn);
}

static perp_status begin(perp_petsc_run *run)
{
    schwarz *state = run->state;
    perp_petsc *system = run->system;
    copy(state->z_old, system->z, system->rows);
    copy(state->w_old, system->w, system->rows);
    state->t = 1.0;
    state->reference = INFINITY;
    state->newton_window = NEWTON_WINDOW;
    state->pass_window = NEWTON_WINDOW;
    state->early = !(run->settings.max_iter > 0 && run->settings.max_iter <= FEW);
    state->known = 0;
    return PERP_SOLVED;
}

/* q = w(y) - V y of y = z + beta (z - z_old).  V z is known from the solve that made z. */
static perp_status offset(schwarz *state, const perp_petsc *system, double beta)
{
    perp_status status = PERP_SOLVED;
    if (!state->known) {
        status = perp_mat_apply(&system->local.M, system->z, state->scratch, state->v);
        copy(state->v_old, state->v, system->rows);
        state->known = 1;
    }
    for (int i = 0; i < system->rows; i++)
        state->q[i] = state->w_y[i] - (state->v[i] + beta * (state->v[i] - state->v_old[i]));
    return status;
}

/* From y to next and next_w, with q as it is set; a status above 0 says that tol was not met. */
static perp_status treat(schwarz *state, perp_petsc *system, int newton, perp_info *info)
{
    perp_solver *solver = newton ? state->nsn : state->gs;
    perp_status status =
        perp_solver_set_settings(solver, newton ? &state->newton : &state->settings);
    if (status == PERP_SOLVED)
        status = perp_solver_update_q(solver, state->q);
    if (status != PERP_SOLVED)
        return status;
    copy(state->next, state->y, system->rows);
    return perp_solver_solve(solver, state->next, state->next_w, info);
}

/* The rank's problem at y, solved roughly: next and next_w. */
static perp_status solve_own(schwarz *state, perp_petsc_run *run, double beta)
{
    perp_petsc *system = run->system;
    perp_info info = {.size = sizeof info};
    int n = system->rows;
    if (n == 0)
        return PERP_SOLVED;
    perp_status status = offset(state, system, beta), newton = PERP_STALLED;
    double error = perp_petsc_own_error(system, state->d, state->q, state->y, state->w_y);
    state->settings.tol = system->size > 1 ? fmin(1.0, GROWTH * error) : 0.999 * run->settings.tol;
    state->newton.tol = fmin(1.0, NEWTON * fmax(error, run->settings.tol));
    if (status != PERP_SOLVED)
        return status;
    if (manners[state->manner].newton && state->nsn) {
        newton = treat(state, system, 1, &info);
        system->load.flops += info.factorisations * info.flops;
    }
    if (newton != PERP_SOLVED) {
        status = treat(state, system, 0, &info);
        double passes = info.iterations * (system->size > 1 ? 2.0 : 1.0);
        system->load.sweeps += passes;
        system->load.flops += passes * state->sweep_flops;
    }
    copy(state->v_old, state->v, n);
    for (int i = 0; i < n; i++)
        state->v[i] = state->next_w[i] - state->q[i];
    return status;
}

static perp_status step(perp_petsc_run *run)
{
    schwarz *state = run->state;
    perp_petsc *system = run->system;
    double t = 0.5 * (1.0 + sqrt(1.0 + 4.0 * state->t * state->t));
    double beta = fmin((state->t - 1.0) / t, manners[state->manner].momentum), x[2] = {0.0, 0.0};
    for (int i = 0; i < system->rows; i++) {
        state->y[i] = system->z[i] + beta * (system->z[i] - state->z_old[i]);
        state->w_y[i] = system->w[i] + beta * (system->w[i] - state->w_old[i]);
    }
    perp_status status = solve_own(state, run, beta);
    for (int i = 0; status >= 0 && i < system->rows; i++)
        x[0] += (state->w_y[i] - state->next_w[i]) * (state->next[i] - system->z[i]);
    x[1] = status < 0;
    perp_petsc_total(system, x, 2);
    if (x[1] > 0.0) {
        perp_petsc_where where;
        memset(&where, 0, sizeof where);
        return perp_petsc_agree(system->comm, status, &where);
    }
    copy(state->z_old, system->z, system->rows);
    copy(state->w_old, system->w, system->rows);
    copy(system->z, state->next, system->rows);
    state->t = x[0] > 0.0 ? 1.0 : t;
    return perp_petsc_product(system, system->z, system->w);
}

/* 1: at the pace since the reference passes arrive within some windows, and within what Newton's
 * factors cost: of a packing they cost as much as a number of passes that grows with the rows. */
static int arrives(const schwarz *state, const perp_petsc_run *run)
{
    const perp_petsc *system = run->system;
    double rows = (double)system->all_rows / system->size;
    double passes = 2 * NEWTON_WINDOW + rows * NEWTON_WINDOW / ROWS_FOR_A_WINDOW;
    double pace = log(run->best / state->reference) / state->pass_window;
    return pace < 0.0 && log(run->settings.tol / run->best) >= passes * pace;
}

/* Another manner has its turn. */
static void turn(schwarz *state, const perp_petsc_run *run)
{
    int pass = !manners[state->manner].newton;
    state->manner += pass && (state->early || arrives(state, run)) ? 2 : 1;
    if (state->manner < (state->early ? EARLY : MANNERS))
        return;
    state->manner = 0;
    if (state->early) {
        state->early = 0;
        state->pass_window = PASS_WINDOW;
        return;
    }
    state->newton_window *= 2;
    state->pass_window *= 2;
}

static perp_status watch(perp_petsc_run *run)
{
    schwarz *state = run->state;
    perp_petsc *system = run->system;
    if (state->whole)
        return PERP_STALLED;
    if (run->error < 0.5 * state->reference) {
        state->reference = run->error;
        state->since = 0;
        return PERP_SOLVED;
    }
    const int *window = manners[state->manner].newton ? &state->newton_window : &state->pass_window;
    if (++state->since < *window)
        return PERP_SOLVED;
    state->since = 0;
    turn(state, run);
    if (system->size > 1 && manners[state->manner].newton)
        make_nsn(state, run);
    copy(system->z, system->best, system->rows);
    state->reference = run->best;
    state->t = 1.0;
    perp_status status = perp_petsc_product(system, system->z, system->w);
    copy(state->z_old, system->z, system->rows);
    copy(state->w_old, system->w, system->rows);
    state->known = 0;
    return status;
}

#define SCHWARZ                                                                                    \
    .max_iter = 20000, .stall = 4000, .check_every = 1, .begin = begin, .step = step,              \
    .watch = watch, .release = release

const perp_petsc_method perp_petsc_schwarz = {
    .name = "schwarz",
    .summary = "Gauss-Seidel inside each rank, momentum across them",
    .setup = setup,
    SCHWARZ,
};

const perp_petsc_method perp_petsc_auto = {
    .name = "auto",
    .summary = "schwarz, and from its best iterate apgd where it stands still",
    .setup = setup_auto,
    SCHWARZ,
    .then = &perp_petsc_apgd,
};
