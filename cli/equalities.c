/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/equalities.h"

#include <stdlib.h>

#include "cli/report.h"

static void report_contradiction(const perp_problem *problem, const double *y)
{
    perp_certificate_figures seen = {.size = sizeof seen};

    if (perp_certificate_check(problem, PERP_CERTIFICATE_INFEASIBLE, y, NULL, &seen) ==
            PERP_SOLVED &&
        seen.holds)
        perp_row("proof", "no solution exists: the equality rows contradict each other (checked)");
}

void perp_report_equalities(const perp_problem *problem)
{
    perp_equalities found;
    double *y = calloc((size_t)problem->M.rows + 1, sizeof *y);

    if (y != NULL && problem->M.rows <= 3000 &&
        perp_equalities_find(problem, NULL, &found, NULL, y) == PERP_SOLVED &&
        (found.rank < found.rows || found.zero_columns > 0)) {
        perp_row("equalities", "%d rows of rank %d: %d follow from others, %d contradict them",
                 found.rows, found.rank, found.redundant, found.contradictory);
        if (found.zero_columns > 0)
            perp_row("", "%d unknowns of them are in no row and stay what they are",
                     found.zero_columns);
        if (found.contradictory > 0)
            report_contradiction(problem, y);
    }
    free(y);
}
