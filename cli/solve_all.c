/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/solve_all.h"

#include <stdio.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/report.h"

typedef struct listing {
    int rows, quiet;
} listing;

static void print_vector(const char *name, const double *x, int rows)
{
    printf("  %s", name);
    for (int i = 0; i < rows; i++)
        printf(" %.10g", x[i]);
    putchar('\n');
}

static int print_solution(void *ctx, int k, const double *z, const double *w, int piece)
{
    const listing *list = ctx;
    if (list->quiet)
        return 0;
    printf("solution %d%s\n", k + 1, piece ? ", one of a polyhedron of solutions" : "");
    print_vector("z", z, list->rows);
    print_vector("w", w, list->rows);
    return 0;
}

int perp_solve_all(const char *file, const perp_problem *problem, const perp_settings *settings,
                   int quiet)
{
    listing list = {problem->M.rows, quiet};
    perp_settings wish = *settings;
    perp_enumerate_info info = {.size = sizeof info};
    perp_view view;

    perp_view_init(&view, 1);
    wish.progress = perp_view_show;
    wish.progress_ctx = &view;
    perp_catch_interrupts();
    perp_status status = perp_enumerate(problem, &wish, print_solution, &list, NULL, &info);
    if (status < 0)
        return perp_complain_where(file, status, &info.where, "");
    if (!quiet) {
        perp_row("solutions", "%d, %d of them inner points of polyhedra", info.solutions,
                 info.pieces);
        perp_row("complete", "%s",
                 status == PERP_SOLVED       ? "yes: every other complementary choice was refuted"
                 : status == PERP_INFEASIBLE ? "yes: every complementary choice was refuted"
                                             : perp_status_text(status));
        if (info.undecided > 0)
            perp_row("undecided", "%ld choices", info.undecided);
        perp_row("nodes", "%d", info.nodes);
        perp_row("worst error", "%.3g", info.worst);
    }
    return status == PERP_SOLVED ? PERP_EXIT_DONE : PERP_EXIT_STOPPED;
}
