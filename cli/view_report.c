/* SPDX-License-Identifier: BSD-3-Clause */
/* perp view of a file of results: scores, performance profiles and runs. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "cli/view_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/campaign/results_grid.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/live_progress.h"
#include "cli/message.h"
#include "cli/table_page.h"
#include "cli/view_problem.h"

int perp_is_campaign(const char *path)
{
    size_t length = strlen(path);

    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

/* "DIR/NAME.csv" of the report in "DIR/NAME-report", which is what perp bench report makes of it.
 */
int perp_report_source(char *path, size_t size, const char *folder)
{
    static const char end[] = "-report";
    size_t length = strlen(folder);
    struct stat info;

    while (length > 1 && folder[length - 1] == '/')
        length--;
    snprintf(path, size, "%.*s/summary.md", (int)length, folder);
    if (stat(path, &info) != 0)
        return 0;
    path[0] = '\0';
    if (length > strlen(end) && strncmp(folder + length - strlen(end), end, strlen(end)) == 0)
        snprintf(path, size, "%.*s.csv", (int)(length - strlen(end)), folder);
    if (path[0] != '\0' && stat(path, &info) != 0)
        path[0] = '\0';
    return 1;
}

/* The page of a problem beside that of the campaign: "spheres.html" of "spheres.hdf5"; its name
 * begins at *name of the path. */
static void name_page(char *path, size_t size, size_t *name, const char *problem, const char *out)
{
    const char *slash = strrchr(problem, '/'), *from = slash != NULL ? slash + 1 : problem;
    const char *dot = strrchr(from, '.'), *end = strrchr(out, '/');

    *name = end != NULL ? (size_t)(end - out + 1) : 0;
    snprintf(path, size, "%.*s%.*s.html", (int)*name, out,
             (int)(dot != NULL ? (size_t)(dot - from) : strlen(from)), from);
}

static int write_link(perp_json *json, const char *problem, const char *out,
                      perp_serve_links *links)
{
    char path[4200];
    size_t name;

    name_page(path, sizeof path, &name, problem, out);
    int is_there = access(path, R_OK) == 0;
    perp_json_text(json, NULL, is_there ? path + name : NULL);
    return is_there ? perp_serve_links_add(links, path + name) : 0;
}

/* The file of a problem in a folder: under its whole name, or what is left of that without its
 * first folders; 0, or -1. */
static int find_file(char *path, size_t size, struct stat *info, const char *folder,
                     const char *problem)
{
    for (const char *name = problem; name != NULL; name = strchr(name, '/')) {
        name += *name == '/';
        snprintf(path, size, "%.2000s/%.2000s", folder, name);
        if (stat(path, info) == 0 && S_ISREG(info->st_mode))
            return 0;
    }
    return -1;
}

/* Pages of the problems whose files are in the folder; one that is younger than its problem stays.
 * 0, or an exit status where the user stopped it. */
static int write_problems(const perp_bench_grid *grid, const perp_shared *shared,
                          const char *folder, const char *out)
{
    char file[4200], page[4200];
    struct stat old, made;
    size_t name;

    for (int p = 0; p < grid->problems; p++) {
        name_page(page, sizeof page, &name, grid->problem[p], out);
        if (find_file(file, sizeof file, &old, folder, grid->problem[p]) != 0) {
            perp_complain("%s: not in %s, its row opens nothing", grid->problem[p], folder);
            continue;
        }
        if (stat(page, &made) == 0 && made.st_mtime >= old.st_mtime)
            continue;
        perp_view_problem(shared, file, page); /* the message of one that fails says why */
        if (perp_interrupted())
            return PERP_EXIT_STOPPED;
    }
    return PERP_EXIT_DONE;
}

static void write_scores(perp_json *json, const perp_bench_grid *grid)
{
    perp_json_array(json, "scores");
    for (int t = 0; t < grid->tols; t++)
        for (int s = 0; s < grid->count; s++) {
            perp_bench_score score = perp_bench_score_of(grid, s, t);
            perp_json_object(json, NULL);
            perp_json_text(json, "solver", grid->series[s].label);
            perp_json_real(json, "tol", grid->tol[t]);
            perp_json_integer(json, "runs", score.runs);
            perp_json_integer(json, "solved", score.solved);
            perp_json_integer(json, "false", score.false_solved);
            perp_json_real(json, "mean", score.mean);
            perp_json_end_object(json);
        }
    perp_json_end_array(json);
}

static void write_runs(perp_json *json, const perp_bench_grid *grid)
{
    static const char *const words[] = {"absent", "unsupported", "not solved", "false", "solved"};

    perp_json_array(json, "runs");
    for (int t = 0; t < grid->tols; t++)
        for (int s = 0; s < grid->count; s++)
            for (int p = 0; p < grid->problems; p++) {
                const perp_bench_row *row = perp_bench_cell(grid, s, t, p);
                if (row == NULL)
                    continue;
                perp_json_object(json, NULL);
                perp_json_integer(json, "s", s);
                perp_json_integer(json, "t", t);
                perp_json_integer(json, "p", p);
                perp_json_text(json, "verdict", words[perp_bench_judge(row)]);
                perp_json_text(json, "status", row->run.status);
                perp_json_real(json, "seconds", perp_bench_seconds(row));
                perp_json_real(json, "error", row->run.error);
                perp_json_integer(json, "iterations", row->run.iterations);
                perp_json_end_object(json);
            }
    perp_json_end_array(json);
}

static int write_json(FILE *out, const perp_bench_grid *grid, const char *path, const char *page,
                      perp_serve_links *links)
{
    perp_json json;
    int bad = 0;

    perp_json_open(&json, out, "view");
    perp_json_text(&json, "file", path);
    perp_json_reals(&json, "tols", grid->tol, grid->tols);
    perp_json_array(&json, "series");
    for (int s = 0; s < grid->count; s++)
        perp_json_text(&json, NULL, grid->series[s].label);
    perp_json_end_array(&json);
    perp_json_array(&json, "problems");
    for (int p = 0; p < grid->problems; p++)
        perp_json_text(&json, NULL, grid->problem[p]);
    perp_json_end_array(&json);
    perp_json_array(&json, "links");
    for (int p = 0; p < grid->problems; p++)
        bad |= write_link(&json, grid->problem[p], page, links);
    perp_json_end_array(&json);
    write_scores(&json, grid);
    write_runs(&json, grid);
    perp_json_close(&json);
    return bad;
}

static int write_page(const perp_bench_grid *grid, const char *path, const char *out,
                      perp_serve_links *links)
{
    perp_table_page page;

    if (perp_table_page_open(&page) != 0)
        return PERP_EXIT_ERROR;
    if (write_json(page.data, grid, path, out, links) != 0)
        perp_complain("no memory for the links of %s", out);
    return perp_table_page_write(&page, "campaign", path, out);
}

int perp_view_campaign(const perp_shared *shared, const char *path, const char *problems,
                       const char *out, perp_serve_links *links)
{
    perp_bench_table table;
    perp_bench_grid grid;
    char message[1024];
    int code;

    if (perp_bench_table_read(&table, path, message, sizeof message) != 0)
        return perp_complain("%s", message);
    perp_bench_merge_limits(&table);
    if (table.rows == 0) {
        perp_bench_table_free(&table);
        return perp_complain("%s: no runs of perp bench are in it", path);
    }
    if (perp_bench_grid_make(&grid, &table) != 0) {
        perp_bench_table_free(&table);
        return perp_complain("no memory for %s", path);
    }
    code = problems != NULL ? write_problems(&grid, shared, problems, out) : PERP_EXIT_DONE;
    if (code == PERP_EXIT_DONE)
        code = write_page(&grid, path, out, links);
    if (code == PERP_EXIT_DONE && !shared->quiet)
        printf("%s: %d solvers, %d problems\n", out, grid.count, grid.problems);
    perp_bench_grid_free(&grid);
    perp_bench_table_free(&table);
    return code;
}
