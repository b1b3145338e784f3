/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxed problems beside the solvers of physics engines (docs/notes/benchmarks.md).
 *
 *     boxed [--cpu K] [--seeds S] [--repeats R] [--solver NAME] [--only FAMILY] [--csv FILE]
 *
 * Each cell (family and n) is run by ours on a reused handle with default settings, once counted as
 * update + solve and once as the solve alone, and then by each peer program that was built, before
 * the next cell.  Errors are judged by one formula.  A table of ratios follows the CSV lines. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/boxed_race.h"
#include "bench/measure.h"

static const char *const peer_names[] = {"ode", "dart", "bullet", "siconos"};

typedef struct line {
    char name[48], family[16];
    int n, runs, solved[3];
    double seconds;
} line;

typedef struct race {
    const char *only, *directory;
    int cpu, seeds, repeats;
    FILE *csv;
    line *lines;
    int count, capacity;
} race;

/* The current handle, and the size and sets that it was set up for. */
static perp_solver *handle;
static const char *solver_name = "dantzig";
static int handle_rows;
static perp_segment box;

static void view(perp_problem *problem, const boxed_problem *p)
{
    box = (perp_segment){PERP_BOX, 1, p->n, {p->lo, p->hi}, {1, 1}};
    *problem = (perp_problem){.q = p->q, .seg = &box, .nseg = 1};
    perp_mat_init_dense(&problem->M, p->n, p->n, p->M, p->n);
}

/* The handle is set up by the first problem of each size. */
static int prepare(const perp_problem *problem)
{
    if (handle && handle_rows == problem->M.rows)
        return perp_solver_update(handle, problem);
    perp_solver_destroy(handle);
    handle_rows = problem->M.rows;
    if (perp_solver_create(&handle, perp_solver_find(solver_name), NULL, NULL, NULL) != PERP_SOLVED)
        return -1;
    return perp_solver_setup(handle, problem);
}

static int run_ours(const boxed_problem *p, double *z, double *seconds, int solve_only)
{
    static double w[4096];
    perp_problem problem;
    view(&problem, p);
    if (p->n > 4096 || prepare(&problem) != PERP_SOLVED)
        return 1;
    double start = boxed_now();
    perp_status status = perp_solver_update(handle, &problem);
    if (solve_only)
        start = boxed_now();
    if (status == PERP_SOLVED)
        status = perp_solver_solve(handle, z, w, NULL);
    *seconds = boxed_now() - start;
    return status != PERP_SOLVED;
}

static int run_whole(const boxed_problem *p, double *z, double *seconds)
{
    return run_ours(p, z, seconds, 0);
}

static int run_solve(const boxed_problem *p, double *z, double *seconds)
{
    return run_ours(p, z, seconds, 1);
}

static void keep(race *r, const char *text)
{
    line l;
    double ignored;
    if (r->csv)
        fputs(text, r->csv);
    if (sscanf(text, "%47[^,],%15[^,],%d,%d,%d,%d,%d,%lf,%lf,%lf", l.name, l.family, &l.n, &l.runs,
               &l.solved[0], &l.solved[1], &l.solved[2], &ignored, &ignored, &l.seconds) != 10)
        return;
    if (r->count == r->capacity) {
        int capacity = 2 * r->capacity + 64;
        line *more = realloc(r->lines, (size_t)capacity * sizeof *more);
        if (!more)
            return;
        r->lines = more;
        r->capacity = capacity;
    }
    r->lines[r->count++] = l;
}

/* Runs a program of the race, this one too, and keeps its lines. */
static void run_program(race *r, const char *name, const char *family, int n)
{
    char command[4400], text[512];
    snprintf(command, sizeof command, "'%s%s' %s %d %d %d 2>/dev/null", r->directory, name, family,
             n, r->seeds, r->repeats);
    fflush(stdout);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return;
    while (fgets(text, sizeof text, pipe))
        keep(r, text);
    pclose(pipe);
}

static const line *find(const race *r, const char *name, const char *family, int n)
{
    for (int k = 0; k < r->count; k++)
        if (!strcmp(r->lines[k].name, name) && !strcmp(r->lines[k].family, family) &&
            r->lines[k].n == n)
            return &r->lines[k];
    return NULL;
}

/* The fastest of the others that solve as many at 1e-8, or the fastest of all. */
static const line *best_peer(const race *r, const char *family, int n, int all)
{
    const line *best = NULL;
    for (int k = 0; k < r->count; k++) {
        const line *l = &r->lines[k];
        if (strcmp(l->family, family) != 0 || l->n != n || !strncmp(l->name, "perp", 4))
            continue;
        if ((all || l->solved[1] == l->runs) && (!best || l->seconds < best->seconds))
            best = l;
    }
    return best;
}

static void print_table(const race *r)
{
    printf(
        "\n| family | n | solved 1e-4, 1e-8, 1e-12 | us, update + solve | solve alone | best peer "
        "that solves all | its us | ratio | fastest of all, its us, solved 1e-8 |\n"
        "|---|---|---|---|---|---|---|---|---|\n");
    for (int f = 0; boxed_families[f]; f++)
        for (int s = 0; boxed_sizes[s]; s++) {
            int n = boxed_sizes[s];
            const line *ours = find(r, "perp", boxed_families[f], n);
            const line *alone = find(r, "perp solve", boxed_families[f], n);
            const line *peer = best_peer(r, boxed_families[f], n, 0);
            const line *any = best_peer(r, boxed_families[f], n, 1);
            if (!ours || !alone)
                continue;
            printf("| %s | %d | %d, %d, %d of %d | %.3g | %.3g |", ours->family, n, ours->solved[0],
                   ours->solved[1], ours->solved[2], ours->runs, 1e6 * ours->seconds,
                   1e6 * alone->seconds);
            if (peer)
                printf(" %s | %.3g | %.2f |", peer->name, 1e6 * peer->seconds,
                       ours->seconds / peer->seconds);
            else
                printf(" - | - | - |");
            if (any)
                printf(" %s, %.3g, %d |\n", any->name, 1e6 * any->seconds, any->solved[1]);
            else
                printf(" - |\n");
        }
}

static int parse(race *r, int argc, char **argv)
{
    for (int k = 1; k < argc; k += 2) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (!*value)
            return -1;
        if (!strcmp(argv[k], "--cpu"))
            r->cpu = atoi(value);
        else if (!strcmp(argv[k], "--seeds"))
            r->seeds = atoi(value);
        else if (!strcmp(argv[k], "--repeats"))
            r->repeats = atoi(value);
        else if (!strcmp(argv[k], "--solver"))
            solver_name = value;
        else if (!strcmp(argv[k], "--only"))
            r->only = value;
        else if (!strcmp(argv[k], "--csv"))
            r->csv = fopen(value, "w");
        else
            return -1;
    }
    return perp_solver_find(solver_name) && r->seeds > 0 && r->repeats > 0 ? 0 : -1;
}

static const boxed_peer ours[] = {{"perp", run_whole}, {"perp solve", run_solve}};

int main(int argc, char **argv)
{
    char directory[4096] = "";
    race r = {.directory = directory, .cpu = -1, .seeds = 20, .repeats = 5, .csv = stdout};
    const char *name = getenv("PERP_BOXED_SOLVER"), *slash = strrchr(argv[0], '/');
    if (argc == 5 && argv[1][0] != '-') { /* started by run_program() */
        solver_name = name && perp_solver_find(name) ? name : solver_name;
        return boxed_peer_main(argc, argv, ours, 2);
    }
    if (parse(&r, argc, argv) != 0 || perp_measure_pin(r.cpu) != 0) {
        fprintf(stderr,
                "usage: %s [--cpu K] [--seeds S] [--repeats R] [--solver NAME] "
                "[--only FAMILY] [--csv FILE]\n",
                argv[0]);
        return 2;
    }
    setenv("PERP_BOXED_SOLVER", solver_name, 1);
    if (slash)
        snprintf(directory, sizeof directory, "%.*s", (int)(slash - argv[0]) + 1, argv[0]);
    if (r.csv)
        fprintf(r.csv, "solver,family,n,runs,ok1e-4,ok1e-8,ok1e-12,reported_fail,crash_or_20s,"
                       "geomean_s,median_error,max_error\n");
    for (int f = 0; boxed_families[f]; f++)
        for (int s = 0; boxed_sizes[s] && (!r.only || !strcmp(r.only, boxed_families[f])); s++) {
            run_program(&r, slash ? slash + 1 : argv[0], boxed_families[f], boxed_sizes[s]);
            for (size_t k = 0; k < sizeof peer_names / sizeof *peer_names; k++) {
                char peer[64];
                snprintf(peer, sizeof peer, "perp-boxed-%s", peer_names[k]);
                run_program(&r, peer, boxed_families[f], boxed_sizes[s]);
            }
        }
    print_table(&r);
    free(r.lines);
    return 0;
}
