/* SPDX-License-Identifier: BSD-3-Clause */
/* A problem solved in one call. */
#include <math.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "handle/explain.h"
#include "handle/solver_type.h"

/* What perp_solve() reports where no handle was made. */
static void describe(perp_info *own, perp_status status, const perp_where *where,
                     const perp_problem *problem, const perp_settings *settings, const char *name)
{
    own->size = sizeof *own;
    own->residual.size = sizeof own->residual;
    own->status = status;
    own->where = *where;
    own->error = NAN;
    perp_explain(own->detail, status, where, problem, settings, name);
}

/* Of a solver that is there. */
static perp_status solve_by(const perp_solver_type *type, const perp_problem *problem,
                            const perp_settings *settings, double *z, double *w, perp_info *own)
{
    perp_solver *solver;
    perp_where where;
    perp_status status = perp_solver_create(&solver, type, settings, NULL, &where);
    if (status != PERP_SOLVED) {
        describe(own, status, &where, problem, settings, type->name);
        return status;
    }
    status = perp_solver_setup(solver, problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, NULL);
    *own = *perp_solver_info(solver);
    own->status = status;
    perp_solver_destroy(solver);
    return status;
}

perp_status perp_solve(const char *name, const perp_problem *problem, const perp_settings *settings,
                       double *z, double *w, perp_info *info)
{
    PERP_HOLD_ENVIRONMENT();
    const perp_solver_type *type = name ? perp_solver_find(name) : perp_solver_choose(problem);
    perp_where where = {"solver", -1, -1};
    perp_status status = PERP_ERR_ARGUMENT;
    perp_info own = {0};
    if (info && !perp_sized_claim(info))
        return PERP_ERR_ARGUMENT;
    if (type) {
        status = solve_by(type, problem, settings, z, w, &own);
    } else { /* where none is chosen the problem is at fault, or too general */
        if (!name)
            status = perp_problem_check(problem, NULL, &where);
        status = status == PERP_SOLVED ? PERP_ERR_UNSUPPORTED : status;
        describe(&own, status, &where, problem, settings, name);
    }
    if (info)
        perp_sized_write(info, &own, sizeof own);
    return status;
}
