/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/equality_report.h"

#include <math.h>
#include <stdlib.h>

#include "cli/text_report.h"

enum { MOST_ROWS = 3000 };

/* 1 where the rows depend on each other; *reach: of a checked proof that they contradict. */
static int find(perp_equalities *found, double *reach, const perp_problem *problem)
{
    perp_certificate_figures seen = {.size = sizeof seen};
    double *y = calloc((size_t)problem->M.rows + 1, sizeof *y);
    int dependent = y != NULL && problem->M.rows <= MOST_ROWS &&
                    perp_equalities_find(problem, NULL, found, NULL, y) == PERP_SOLVED &&
                    (found->rank < found->rows || found->zero_columns > 0);

    *reach = dependent && found->contradictory > 0 &&
                     perp_certificate_check(problem, PERP_CERTIFICATE_INFEASIBLE, y, NULL, &seen) ==
                         PERP_SOLVED
                 ? seen.reach
                 : 0.0;
    free(y);
    return dependent;
}

void perp_report_equalities(const perp_problem *problem)
{
    perp_equalities found;
    double reach;

    if (!find(&found, &reach, problem))
        return;
    perp_row("equalities", "%d rows of rank %d: %d follow from others, %d contradict them",
             found.rows, found.rank, found.redundant, found.contradictory);
    if (found.zero_columns > 0)
        perp_row("", "%d unknowns of them are in no row and stay what they are",
                 found.zero_columns);
    if (isinf(reach))
        perp_row("proof", "no solution exists: the equality rows contradict each other (checked)");
    else if (reach > 0.0)
        perp_row("proof", "the equality rows contradict each other: no solution has all |z_i| below %.3g",
                 reach);
}

void perp_json_equalities(perp_json *json, const perp_problem *problem)
{
    perp_equalities found;
    double reach;

    if (!find(&found, &reach, problem)) {
        perp_json_text(json, "equalities", NULL);
        return;
    }
    perp_json_object(json, "equalities");
    perp_json_integer(json, "rows", found.rows);
    perp_json_integer(json, "rank", found.rank);
    perp_json_integer(json, "redundant", found.redundant);
    perp_json_integer(json, "contradictory", found.contradictory);
    perp_json_integer(json, "zero_columns", found.zero_columns);
    perp_json_boolean(json, "no_solution", isinf(reach));
    perp_json_real(json, "reach", reach);
    perp_json_end_object(json);
}
