/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/plan.h"

/* Pivoting is exact but dense. */
enum { PIVOT_ROWS = 1000, PIVOT_SPARSE_ROWS = 50 };

/* Contact with friction: sweeps, single-step Newton-prox from where they end, and for what
 * resists the smoothed and the interior methods and other starts (ALGORITHMS-2 section 6). */
static const perp_plan_stage contact[] = {
    {.solver = "gs", .settings = "", .watch = PERP_WATCH_COST},
    {.solver = "snp", .settings = "", .max_iter = 200},
    {.solver = "snp-smooth", .settings = "", .cold = 1, .max_iter = 60},
    {.solver = "ipm", .settings = "attempts=1", .cold = 1, .max_iter = 60},
    {.solver = "path", .settings = "", .cold = 1, .max_rows = 3000},
    {.solver = "snp", .settings = "", .cold = 1},
    {.solver = "gs", .settings = "sweep=symmetric"},
    {0},
};

static const perp_plan_stage small_linear[] = {
    {.solver = "lemke", .settings = ""},
    {.solver = "snp", .settings = "", .watch = PERP_WATCH_FLOOR},
    {.solver = "gs", .settings = ""},
    {0},
};

static const perp_plan_stage large_linear[] = {
    {.solver = "nsn-ac", .settings = "", .watch = PERP_WATCH_FLOOR},
    {.solver = "gs", .settings = ""},
    {.solver = "lemke", .settings = "", .max_rows = 4000},
    {0},
};

/* Products with M are all there is. */
static const perp_plan_stage products[] = {
    {.solver = "apgd", .settings = ""},
    {.solver = "extragradient", .settings = ""},
    {.solver = "fixed-point", .settings = ""},
    {0},
};

const perp_plan_stage *perp_plan_of(const perp_work *work)
{
    const unsigned linear = PERP_BIT(PERP_FREE) | PERP_BIT(PERP_NONNEG) | PERP_BIT(PERP_BOX);
    perp_mat_kind kind = work->problem->M.kind;
    if (kind == PERP_OPERATOR)
        return products;
    if (work->blocks.sets & ~linear)
        return contact;
    int dense = kind == PERP_DENSE;
    return work->blocks.n <= (dense ? PIVOT_ROWS : PIVOT_SPARSE_ROWS) ? small_linear : large_linear;
}
