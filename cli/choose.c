/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/choose.h"

#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/message.h"

/* The first set that the solver does not take, or PERP_SET_COUNT. */
static perp_set unfit_set(const perp_solver_type *type, const perp_problem *problem)
{
    for (int k = 0; k < problem->nseg; k++)
        if (problem->seg[k].count > 0 && !perp_solver_takes_set(type, problem->seg[k].set))
            return problem->seg[k].set;
    return PERP_SET_COUNT;
}

int perp_solver_fits(const perp_solver_type *type, const perp_problem *problem)
{
    return perp_solver_takes_matrix(type, problem->M.kind) &&
           unfit_set(type, problem) == PERP_SET_COUNT;
}

/* 1: no more than the rows that pivoting takes. */
static int is_linear_complementarity(const perp_problem *problem)
{
    for (int k = 0; k < problem->nseg; k++) {
        perp_set set = problem->seg[k].set;
        if (set != PERP_NONNEG && set != PERP_FREE && set != PERP_BOX)
            return 0;
    }
    return 1;
}

/* Pivoting is exact but dense; Newton is the sturdiest as long as its
 * factorisations are cheap. */
enum { LEMKE_ROWS = 1000, NEWTON_ROWS = 6000 };

static const perp_solver_type *first_fit(const perp_problem *problem)
{
    const char *preferred[] = {"nsn-ac", "gs"};
    const perp_solver_type *type = perp_solver_find("auto");

    if (type != NULL && perp_solver_fits(type, problem))
        return type;
    type = perp_solver_find("lemke");
    if (type != NULL && problem->M.rows <= LEMKE_ROWS && is_linear_complementarity(problem) &&
        perp_solver_fits(type, problem))
        return type;
    if (problem->M.rows > NEWTON_ROWS) {
        preferred[0] = "gs";
        preferred[1] = "nsn-ac";
    }
    for (size_t k = 0; k < sizeof preferred / sizeof preferred[0]; k++) {
        type = perp_solver_find(preferred[k]);
        if (type != NULL && perp_solver_fits(type, problem))
            return type;
    }
    for (int k = 0; (type = perp_solver_at(k)) != NULL; k++)
        if (perp_solver_fits(type, problem))
            return type;
    return NULL;
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
        type = first_fit(problem);
        if (type == NULL)
            perp_complain("no solver takes the sets and the matrix of this problem");
        return type;
    }
    type = perp_solver_find(name);
    if (type == NULL) {
        perp_complain("unknown solver '%s'", name);
        fputs("solvers: ", stderr);
        perp_help_solver_names(stderr);
        fputs("\n'perp solvers' says what each one does\n", stderr);
        return NULL;
    }
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
