/* SPDX-License-Identifier: BSD-3-Clause */
/* perp bench report: tables and pictures; perp bench list: the runs of a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/campaign/campaign.h"
#include "bench/campaign/results_grid.h"
#include "cli/arguments.h"
#include "cli/bench_commands.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/json_report.h"
#include "cli/message.h"

typedef struct request {
    perp_shared shared;
    perp_bench_report_options options;
} request;

static const struct argp_option options[] = {
    {"out", 'o', "DIR", 0, "Folder for the files (RESULTS-report)", 0},
    {"each", 'e', NULL, 0, "Draw each solver of a peer, not its virtual best alone", 0},
    {0}};

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    request *wish = input;

    (void)state;
    switch (key) {
    case 'o':
        wish->options.folder = word;
        return 0;
    case 'e':
        wish->options.each = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void more_help(FILE *out, int all)
{
    (void)all;
    perp_help_wrap(
        out,
        "Makes summary.md (per solver and tolerance: share solved, shifted geometric means of the "
        "time, false \"solved\"), files.md (every problem), measures.md (runs that one measure "
        "calls solved and the other does not), and performance profiles as SVG and PNG, with "
        "their data and gnuplot scripts. Where the files hold runs of a peer, also ratios.md: our "
        "times over those of its virtual best, the fastest of all its solvers on each problem, "
        "which is one line in the profiles.",
        0, 0);
    fputc('\n', out);
    perp_help_wrap(
        out,
        "A run counts as solved when it says so and its recomputed error is within the tolerance. "
        "The means shift by 1 ms: exp(mean log(t + 1 ms)) - 1 ms, t being set-up and solve; an "
        "unsolved problem counts with the time limit of its campaign. Problems that a solver "
        "refuses (wrong set or matrix) are not counted against it. In the profiles a refused "
        "problem is an unsolved one. For the virtual best an error up to 2 tol will do, since a "
        "peer may normalise otherwise.",
        0, 0);
}

static void score_json(perp_json *json, const perp_bench_grid *grid, int series, int tol)
{
    perp_bench_score score = perp_bench_score_of(grid, series, tol);

    perp_json_object(json, NULL);
    perp_json_text(json, "solver", grid->series[series].label);
    perp_json_real(json, "tol", grid->tol[tol]);
    perp_json_integer(json, "runs", score.runs);
    perp_json_integer(json, "solved", score.solved);
    perp_json_integer(json, "false_solved", score.false_solved);
    perp_json_real(json, "worst_false", score.worst_false);
    perp_json_real(json, "mean_seconds", score.mean);
    perp_json_real(json, "common_mean_seconds", score.common_mean);
    perp_json_integer(json, "common", score.common);
    perp_json_end_object(json);
}

static void ratio_json(perp_json *json, const perp_bench_grid *grid, int series, int best, int tol)
{
    perp_bench_ratio ratio = perp_bench_ratio_of(grid, series, best, tol);

    perp_json_object(json, NULL);
    perp_json_text(json, "solver", grid->series[series].label);
    perp_json_text(json, "over", grid->series[best].first->solver);
    perp_json_real(json, "tol", grid->tol[tol]);
    perp_json_integer(json, "problems", ratio.problems);
    perp_json_integer(json, "solved", ratio.solved);
    perp_json_integer(json, "best_solved", ratio.best_solved);
    perp_json_integer(json, "both", ratio.both);
    perp_json_integer(json, "above", ratio.above);
    perp_json_integer(json, "lost", ratio.lost);
    perp_json_integer(json, "won", ratio.won);
    perp_json_real(json, "mean", ratio.mean);
    perp_json_text(json, "worst_problem", ratio.worst >= 0 ? grid->problem[ratio.worst] : NULL);
    perp_json_real(json, "worst", ratio.worst_ratio);
    perp_json_end_object(json);
}

/* The summary in place of the tables on standard output. */
static void show_json(void *ctx, const perp_bench_grid *grid, const char *folder, int pictures)
{
    int best = perp_bench_best_series(grid);
    perp_json json;

    (void)ctx;
    perp_json_open(&json, stdout, "bench report");
    perp_json_text(&json, "folder", folder);
    perp_json_boolean(&json, "pictures", pictures);
    perp_json_integer(&json, "problems", grid->problems);
    perp_json_array(&json, "scores");
    for (int t = 0; t < grid->tols; t++)
        for (int s = 0; s < grid->count; s++)
            score_json(&json, grid, s, t);
    perp_json_end_array(&json);
    perp_json_array(&json, "ratios");
    for (int t = 0; best >= 0 && t < grid->tols; t++)
        for (int s = 0; s < grid->count; s++)
            if (s != best && strchr(grid->series[s].first->solver, ':') == NULL)
                ratio_json(&json, grid, s, best, t);
    perp_json_end_array(&json);
    perp_json_integer(&json, "exit", PERP_EXIT_DONE);
    perp_json_close(&json);
}

int perp_bench_command_report(int argc, char **argv)
{
    perp_command_line line = {.options = options,
                              .option = option,
                              .takes = PERP_TAKES_JSON,
                              .words = "RESULTS.csv...",
                              .about =
                                  "Makes tables and performance profiles from files of results.",
                              .missing = "no file of results given",
                              .least = 1,
                              .most = PERP_BENCH_FILES,
                              .more = more_help};
    request wish;
    int code;

    memset(&wish, 0, sizeof wish);
    perp_read_arguments(&wish.shared, &line, &wish, argc, argv);
    wish.options.files = wish.shared.words;
    for (int k = 0; k < wish.shared.words; k++)
        wish.options.csv[k] = wish.shared.word[k];
    if (wish.shared.json)
        wish.options.show = show_json;
    code = perp_bench_report(&wish.options);
    if (code == PERP_EXIT_ERROR && wish.shared.json)
        perp_json_failure("bench report");
    free(wish.shared.word);
    return code;
}

static void row_json(perp_json *json, const perp_bench_row *row)
{
    perp_json_object(json, NULL);
    perp_json_text(json, "host", row->host);
    perp_json_text(json, "commit", row->commit);
    perp_json_text(json, "problem", row->problem);
    perp_json_integer(json, "rows", row->run.n);
    perp_json_integer(json, "contacts", row->run.contacts);
    perp_json_real(json, "entries", row->run.nnz);
    perp_json_text(json, "solver", row->solver);
    perp_json_text(json, "settings", row->settings);
    perp_json_real(json, "tol", row->tol);
    perp_json_text(json, "status", row->run.status);
    perp_json_integer(json, "iterations", row->run.iterations);
    perp_json_real(json, "error", row->run.error);
    perp_json_residuals(json, "residuals", &row->run.residual);
    perp_json_real(json, "setup_seconds", row->run.setup);
    perp_json_real(json, "solve_seconds", row->run.solve);
    perp_json_integer(json, "peak_kb", row->run.peak_kb);
    perp_json_integer(json, "repeats", row->run.repeats);
    perp_json_text(json, "note", row->run.note);
    perp_json_end_object(json);
}

static void print_row(const perp_bench_row *row)
{
    printf("%-24s %-20s %8.1e  %-16s %8ld it  error %.2e  %.4g s\n", row->problem, row->solver,
           row->tol, row->run.status, row->run.iterations, row->run.error,
           row->run.setup + row->run.solve);
}

/* The rows of one file. */
static int list_file(perp_json *json, const char *path, int as_json)
{
    perp_bench_table table;
    char message[1024];
    FILE *f = fopen(path, "r");

    if (f == NULL)
        return perp_complain("%s: no such file of results", path);
    fclose(f);
    if (perp_bench_table_read(&table, path, message, sizeof message) != 0)
        return perp_complain("%s", message);
    for (int k = 0; k < table.rows; k++)
        if (as_json)
            row_json(json, &table.row[k]);
        else
            print_row(&table.row[k]);
    perp_bench_table_free(&table);
    return PERP_EXIT_DONE;
}

int perp_bench_command_list(int argc, char **argv)
{
    perp_command_line line = {.takes = PERP_TAKES_JSON,
                              .words = "RESULTS.csv...",
                              .about = "Lists the runs that files of results hold.",
                              .missing = "no file of results given",
                              .least = 1,
                              .most = PERP_BENCH_FILES};
    perp_shared shared;
    perp_json json;
    int code = PERP_EXIT_DONE;

    perp_read_arguments(&shared, &line, NULL, argc, argv);
    if (shared.json) {
        perp_json_open(&json, stdout, "bench list");
        perp_json_array(&json, "runs");
    }
    for (int k = 0; k < shared.words && code == PERP_EXIT_DONE; k++)
        code = list_file(&json, shared.word[k], shared.json);
    if (shared.json) {
        perp_json_end_array(&json);
        perp_json_integer(&json, "exit", code);
        perp_json_close(&json);
    }
    free(shared.word);
    return code;
}
