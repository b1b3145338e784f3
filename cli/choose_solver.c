/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/choose_solver.h"

#include <stdio.h>

#include "cli/help.h"
#include "cli/message.h"
#include "cli/names.h"

/* The first set that the solver does not take, or PERP_SET_COUNT. */
static perp_set unfit_set(const perp_solver_type *type, const perp_problem *problem)
{
    for (int k = 0; k < problem->nseg; k++)
        if (problem->seg[k].count > 0 && !perp_solver_takes_set(type, problem->seg[k].set))
            return problem->seg[k].set;
    return PERP_SET_COUNT;
}

static void list_fitting(const perp_problem *problem)
{
    const perp_solver_type *type;
    int found = 0;

    for (int k = 0; (type = perp_solver_at(k)) != NULL; k++) {
        if (perp_solver_fits(type, problem)) {
            fprintf(stderr, "%s%s",
                    found++ > 0 ? ", " : "solvers that do: ", perp_solver_name(type));
        }
    }
    if (found > 0)
        fputc('\n', stderr);
}

const perp_solver_type *perp_choose_solver(const char *name, const perp_problem *problem)
{
    const perp_solver_type *type;
    perp_set unfit;

    if (name == NULL) {
        type = perp_solver_choose(problem);
        if (type == NULL)
            perp_complain("no solver takes the sets and the matrix of this problem");
        return type;
    }
    type = perp_solver_by_name(name);
    if (type == NULL)
        return NULL;
    unfit = unfit_set(type, problem);
    if (unfit != PERP_SET_COUNT) {
        perp_complain("solver '%s' does not take the set %s", name, perp_set_name(unfit));
    } else if (!perp_solver_takes_matrix(type, problem->M.kind)) {
        perp_complain("solver '%s' does not take a %s matrix", name,
                      perp_matrix_kind_word(problem->M.kind));
    } else {
        return type;
    }
    list_fitting(problem);
    return NULL;
}
