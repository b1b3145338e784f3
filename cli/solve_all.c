/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/solve_all.h"

#include <math.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/live_progress.h"
#include "cli/message.h"
#include "cli/text_report.h"

typedef struct listing {
    int rows;
    const perp_shared *shared;
    perp_json json;
} listing;

static void print_vector(const char *name, const double *x, int rows)
{
    printf("  %s", name);
    for (int i = 0; i < rows; i++)
        printf(" %.10g", x[i]);
    putchar('\n');
}

static int show_solution(void *ctx, int k, const double *z, const double *w, int piece)
{
    listing *list = ctx;

    if (list->shared->json) {
        perp_json_object(&list->json, NULL);
        perp_json_boolean(&list->json, "piece", piece);
        perp_json_reals(&list->json, "z", z, list->rows);
        perp_json_reals(&list->json, "w", w, list->rows);
        perp_json_end_object(&list->json);
    } else if (!list->shared->quiet) {
        printf("solution %d%s\n", k + 1, piece ? ", one of a polyhedron of solutions" : "");
        print_vector("z", z, list->rows);
        print_vector("w", w, list->rows);
    }
    return 0;
}

static void report(const perp_enumerate_info *info, perp_status status)
{
    perp_row("solutions", "%d, %d of them inner points of polyhedra", info->solutions,
             info->pieces);
    if (isfinite(info->reach) && info->reach > 0.0)
        perp_row("complete", "for all |z_i| below %.3g: every other choice was refuted there",
                 info->reach);
    else
        perp_row("complete", "%s",
                 status == PERP_SOLVED       ? "yes: every other complementary choice was refuted"
                 : status == PERP_INFEASIBLE ? "yes: every complementary choice was refuted"
                                             : perp_status_text(status));
    if (info->undecided > 0)
        perp_row("undecided", "%ld choices", info->undecided);
    perp_row("nodes", "%d", info->nodes);
    perp_row("worst error", "%.3g", info->worst);
}

static void end_document(perp_json *json, const perp_enumerate_info *info, perp_status status)
{
    perp_json_end_array(json);
    perp_json_text(json, "status", perp_status_name(status));
    perp_json_text(json, "sentence", perp_status_text(status));
    perp_json_integer(json, "exit", perp_exit_of(status));
    perp_json_integer(json, "pieces", info->pieces);
    perp_json_integer(json, "undecided", info->undecided);
    perp_json_integer(json, "nodes", info->nodes);
    perp_json_real(json, "worst", info->worst);
    perp_json_real(json, "reach", info->reach);
    perp_json_close(json);
}

int perp_solve_all(const char *file, const perp_problem *problem, const perp_shared *shared)
{
    listing list = {.rows = problem->M.rows, .shared = shared};
    perp_settings wish = shared->settings;
    perp_enumerate_info info = {.size = sizeof info};
    perp_view view;
    perp_status status;

    perp_view_init(&view, 1);
    wish.progress = perp_view_show;
    wish.progress_ctx = &view;
    perp_catch_interrupts();
    if (shared->json) {
        perp_json_open(&list.json, stdout, "solve");
        perp_json_text(&list.json, "file", file);
        perp_json_array(&list.json, "solutions");
    }
    status = perp_enumerate(problem, &wish, show_solution, &list, NULL, &info);
    if (status < 0)
        perp_complain_where(file, status, &info.where, "");
    if (shared->json)
        end_document(&list.json, &info, status);
    else if (status >= 0 && !shared->quiet)
        report(&info, status);
    return perp_exit_of(status);
}
