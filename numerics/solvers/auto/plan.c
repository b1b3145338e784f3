/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/plan.h"

#include "handle/registry.h"

enum { WALK = 2000 };

static void one_attempt(perp_settings *settings)
{
    settings->attempts = 1;
}

static void light_weight(perp_settings *settings)
{
    settings->prox_weight = 0.1;
    settings->prox_power = 0.5;
}

/* All steps alike: they walk towards a solution, up and down, and mostly end after some hundred. */
static void walking(perp_settings *settings)
{
    light_weight(settings);
    settings->prox_steps = WALK;
}

static void walking_slower(perp_settings *settings)
{
    walking(settings);
    settings->prox_power = 0.4;
}

/* Whatever `polish` says of answers of sweeps. */
static void refined(perp_settings *settings)
{
    perp_settings own;
    perp_settings_init(&own, sizeof own);
    settings->polish = own.polish;
}

static void symmetric(perp_settings *settings)
{
    settings->sweep = PERP_SWEEP_SYMMETRIC;
}

/* Contact with friction: sweeps, single-step Newton-prox from where they end; for what resists,
 * sweeps from there and a splitting with one factorisation, which cost a tenth of what follows, the
 * smoothed and the interior methods and other starts.  Near a solution, where a step of a
 * simulation begins, Newton-prox with a light weight ends in some twenty iterations more often than
 * Newton's method, the interior method in twenty or never.  Where neither does the splitting ends
 * the dearest solves of heaps, which have half of their time, in some hundred iterations of a tenth
 * of the cost, but none of walls; the central path of small problems often ends first, or takes ten
 * times as long, so that it has as much work as came before it.  Where Newton-prox
 * circles there it mostly ends from zero, in some hundred steps, which pays while these are cheap;
 * else the accelerated gradient ends many of those that it does not, in some thousand steps of the
 * cost of a sweep.  Then Newton-prox again, and from zero.  With rolling friction proximal points
 * that are each solved end it in half of the work of single steps, where with friction alone they
 * take twice as much, and from zero the accelerated gradient gains on sweeps, whose blocks are
 * dear, after the first hundred. */
static const perp_plan_stage contact[] = {
    {.solver = &perp_solver_gs, .watch = PERP_WATCH_COST},
    {.solver = &perp_solver_apgd,
     .sets = PERP_BIT(PERP_ROLLING),
     .watch = PERP_WATCH_COST,
     .fresh = 1},
    {.solver = &perp_solver_prox_single, .adjust = light_weight, .max_iter = 40, .warm = 1},
    {.solver = &perp_solver_prox, .max_iter = 40, .sets = PERP_BIT(PERP_ROLLING), .warm = 1},
    {.solver = &perp_solver_ipm,
     .adjust = one_attempt,
     .cold = 1,
     .max_iter = 35,
     .max_rows = PERP_PLAN_SMALL_ROWS,
     .warm = 1},
    {.solver = &perp_solver_prox, .max_iter = 1500, .sets = PERP_BIT(PERP_ROLLING), .warm = 1},
    {.solver = &perp_solver_prox_single,
     .adjust = light_weight,
     .max_iter = 300,
     .max_rows = PERP_PLAN_SMALL_ROWS,
     .warm = 1},
    {.solver = &perp_solver_admm,
     .adjust = refined,
     .max_iter = 1500,
     .max_rows = PERP_PLAN_SMALL_ROWS,
     .warm = 1},
    {.solver = &perp_solver_central_path,
     .cold = 1,
     .max_rows = 600,
     .max_iter = 400,
     .share = 1,
     .warm = 1},
    {.solver = &perp_solver_prox_single,
     .adjust = light_weight,
     .cold = 1,
     .max_iter = 360,
     .max_cost = 150,
     .warm = 1},
    {.solver = &perp_solver_prox_single,
     .adjust = walking,
     .cold = 1,
     .max_iter = 1000,
     .max_cost = 400,
     .warm = 1},
    {.solver = &perp_solver_apgd,
     .cold = 1,
     .watch = PERP_WATCH_SLOW,
     .max_iter = 12000,
     .warm = 1},
    {.solver = &perp_solver_prox_single, .max_iter = 200},
    {.solver = &perp_solver_prox_single, .adjust = walking_slower, .max_iter = 1500, .warm = 1},
    {.solver = &perp_solver_prox_single, .cold = 1, .max_iter = 1000, .warm = 1},
    {.solver = &perp_solver_gs, .watch = PERP_WATCH_FLOOR, .max_iter = 1000},
    {.solver = &perp_solver_admm, .adjust = refined, .cold = 1, .max_rows = 600, .max_iter = 3000},
    {.solver = &perp_solver_prox_smoothed, .cold = 1, .max_iter = 60},
    {.solver = &perp_solver_ipm, .adjust = one_attempt, .cold = 1, .max_iter = 60},
    {.solver = &perp_solver_apgd, .cold = 1, .max_iter = 1000},
    {.solver = &perp_solver_nsn_natural_map, .cold = 1, .max_iter = 100},
    {.solver = &perp_solver_prox_single, .adjust = walking_slower, .cold = 1, .max_iter = 1500},
    {.solver = &perp_solver_central_path, .cold = 1, .max_rows = PERP_PLAN_SMALL_ROWS, .warm = 1},
    {.solver = &perp_solver_central_path, .cold = 1, .max_rows = 3000, .fresh = 1},
    {.solver = &perp_solver_prox_single, .cold = 1},
    {.solver = &perp_solver_gs, .adjust = symmetric},
    {0},
};

static const perp_plan_stage from_rest = {
    .solver = &perp_solver_ipm, .adjust = one_attempt, .cold = 1, .max_iter = 35};

/* Up to so many rows a verdict is wanted, too: a solution or a proof that there is none. */
enum { VERDICT_ROWS = 40, PROGRAM_ROWS = 100 };

static const perp_plan_stage small_linear[] = {
    {.solver = &perp_solver_dantzig},
    {.solver = &perp_solver_lemke, .past_floor = 2},
    {.solver = &perp_solver_pgs_nncg, .max_iter = 1000, .max_rows = PROGRAM_ROWS, .past_floor = 1},
    {.solver = &perp_solver_enumerative,
     .max_iter = 500000,
     .max_rows = VERDICT_ROWS,
     .past_floor = 1},
    {.solver = &perp_solver_lp, .max_iter = 100, .max_rows = PROGRAM_ROWS, .past_floor = 1},
    {.solver = &perp_solver_pgs_nncg, .max_iter = 20000, .max_rows = PROGRAM_ROWS, .past_floor = 1},
    {.solver = &perp_solver_newton_fischer_burmeister, .cold = 1},
    {.solver = &perp_solver_prox_single, .watch = PERP_WATCH_FLOOR},
    {.solver = &perp_solver_gs},
    {0},
};

/* Newton's method ends in a dozen steps or begins to wander, where the interior method does not. */
static const perp_plan_stage large_linear[] = {
    {.solver = &perp_solver_newton, .max_iter = 30},
    {.solver = &perp_solver_ipm, .cold = 1},
    {.solver = &perp_solver_newton},
    {.solver = &perp_solver_newton_fischer_burmeister, .cold = 1},
    {.solver = &perp_solver_nsn, .watch = PERP_WATCH_FLOOR},
    {.solver = &perp_solver_gs},
    {.solver = &perp_solver_lemke, .max_rows = 4000},
    {0},
};

/* Products with M are all there is. */
static const perp_plan_stage products[] = {
    {.solver = &perp_solver_apgd},
    {.solver = &perp_solver_projection},
    {.solver = &perp_solver_projection_plain},
    {0},
};

/* Pivoting is exact but dense: from here on sparse factorisations are several times faster
 * (docs/reference/solvers.md). */
enum { PIVOT_ROWS = 1000, PIVOT_SPARSE_ROWS = 50 };

static int is_small(const perp_mat *M)
{
    return M->rows <= (M->kind == PERP_DENSE ? PIVOT_ROWS : PIVOT_SPARSE_ROWS);
}

const perp_plan_stage *perp_plan_of(const perp_work *work)
{
    perp_mat_kind kind = work->problem->M.kind;
    if (kind == PERP_OPERATOR)
        return products;
    if (work->blocks.sets & ~PERP_LINEAR_SETS)
        return contact;
    return is_small(&work->problem->M) ? small_linear : large_linear;
}

const perp_plan_stage *perp_plan_from_rest(void)
{
    return &from_rest;
}
