/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/plan.h"

/* Pivoting is exact but dense. */
enum { PIVOT_ROWS = 1000, PIVOT_SPARSE_ROWS = 50 };

/* Contact with friction: sweeps, single-step Newton-prox from where they end, and for what
 * resists the interior point method and other starts (ALGORITHMS-2 section 6). */
static const perp_plan_stage contact[] = {{"gs", "", 0, 0, 0, PERP_WATCH_COST},
                                          {"nsn-ac", "line_search=none", 0, 0, 0, PERP_WATCH_FLOOR},
                                          {"gs", "sweep=symmetric", 0, 0, 0, PERP_WATCH_NONE},
                                          {0}};

static const perp_plan_stage small_linear[] = {{"lemke", "", 0, 0, 0, PERP_WATCH_NONE},
                                               {"nsn-ac", "", 0, 0, 0, PERP_WATCH_FLOOR},
                                               {"gs", "", 0, 0, 0, PERP_WATCH_NONE},
                                               {0}};

static const perp_plan_stage large_linear[] = {{"nsn-ac", "", 0, 0, 0, PERP_WATCH_FLOOR},
                                               {"gs", "", 0, 0, 0, PERP_WATCH_NONE},
                                               {"lemke", "", 0, 0, 4000, PERP_WATCH_NONE},
                                               {0}};

/* Products with M are all there is. */
static const perp_plan_stage products[] = {{"extragradient", "", 0, 0, 0, PERP_WATCH_NONE},
                                           {"fixed-point", "", 0, 0, 0, PERP_WATCH_NONE},
                                           {0}};

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
