/* SPDX-License-Identifier: BSD-3-Clause */
/* Microseconds per solve of small problems on a reused handle.
 *
 *     latency [--solver NAME] [--set name=value] [--solves N] [--cpu K] FILE...
 *
 * Per file: set-up once, then N times an update with the same numbers and a
 * solve from zero, each timed apart; median and 99th percentile.  The clock's
 * own cost, printed first, is part of every figure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"

typedef struct options {
    const char *solver;
    perp_settings settings;
    int solves, cpu;
} options;

static int read_options(options *o, int argc, char **argv)
{
    int k = 1;
    o->solver = "gs";
    o->solves = 20000;
    o->cpu = -1;
    perp_settings_init(&o->settings, sizeof o->settings);
    for (; k + 1 < argc && argv[k][0] == '-'; k += 2)
        if (!strcmp(argv[k], "--solver"))
            o->solver = argv[k + 1];
        else if (!strcmp(argv[k], "--solves"))
            o->solves = atoi(argv[k + 1]);
        else if (!strcmp(argv[k], "--cpu"))
            o->cpu = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--set") || perp_measure_setting(&o->settings, argv[k + 1]))
            return -1;
    return k < argc && argv[k][0] != '-' && o->solves > 0 && perp_solver_find(o->solver) ? k : -1;
}

static perp_status time_solves(perp_solver *solver, const perp_problem *problem, double *update,
                               double *solve, int solves, double *z, double *w)
{
    for (int k = 0; k < solves; k++) {
        double start = perp_measure_now();
        perp_status status = perp_solver_update(solver, problem);
        double middle = perp_measure_now();
        if (status == PERP_SOLVED)
            status = perp_solver_solve(solver, z, w, NULL);
        double end = perp_measure_now();
        if (status < 0)
            return status;
        update[k] = 1e6 * (middle - start);
        solve[k] = 1e6 * (end - middle);
    }
    return PERP_SOLVED;
}

static void print_line(const options *o, const char *path, const perp_problem_file *file,
                       const perp_info *info, double *update, double *solve)
{
    const char *name = strrchr(path, '/');
    double median = perp_measure_quantile(solve, o->solves, 0.5);
    printf("%-40s %8d %-16s %6d %9.2e %9.2f %9.2f %9.2f %9.2f\n", name ? name + 1 : path,
           file->contacts, perp_status_name(info->status) + 5, info->iterations, info->error,
           median, perp_measure_quantile(solve, o->solves, 0.99),
           perp_measure_quantile(update, o->solves, 0.5),
           info->iterations > 0 ? median / info->iterations : median);
}

static int one_file(const options *o, const char *path, double *update, double *solve)
{
    perp_problem_file *file = NULL;
    perp_problem problem;
    perp_solver *solver = NULL;
    double *z = NULL, *w = NULL;
    perp_status status = PERP_ERR_FORMAT;
    if (perp_measure_load(&file, &problem, path) == 0) {
        z = calloc((size_t)problem.M.rows + 1, sizeof *z);
        w = calloc((size_t)problem.M.rows + 1, sizeof *w);
        status = z && w ? perp_solver_create(&solver, perp_solver_find(o->solver), &o->settings,
                                             NULL, NULL)
                        : PERP_ERR_MEMORY;
        status = status == PERP_SOLVED ? perp_solver_setup(solver, &problem) : status;
        if (status == PERP_SOLVED)
            status = time_solves(solver, &problem, update, solve, o->solves, z, w);
        if (status < 0)
            fprintf(stderr, "%s: %s\n", path, perp_status_text(status));
        else
            print_line(o, path, file, perp_solver_info(solver), update, solve);
    }
    perp_solver_destroy(solver);
    perp_problem_file_destroy(file);
    free(z);
    free(w);
    return status < 0;
}

static double clock_cost(double *cost, int count)
{
    for (int k = 0; k < count; k++) {
        double start = perp_measure_now();
        cost[k] = 1e6 * (perp_measure_now() - start);
    }
    return perp_measure_quantile(cost, count, 0.5);
}

int main(int argc, char **argv)
{
    options o;
    int bad = 0, first = read_options(&o, argc, argv);
    if (first < 0) {
        fprintf(stderr, "usage: latency [--solver NAME] [--set name=value] [--solves N] [--cpu K] "
                        "FILE...\n");
        return 2;
    }
    double *update = calloc((size_t)o.solves, sizeof *update);
    double *solve = calloc((size_t)o.solves, sizeof *solve);
    if (!update || !solve || perp_measure_pin(o.cpu)) {
        fprintf(stderr, "latency: no memory, or no such CPU\n");
        return 2;
    }
    printf("%s, tol %g, %d solves a file, clock %.3f us\n", o.solver, o.settings.tol, o.solves,
           clock_cost(update, o.solves));
    printf("%-40s %8s %-16s %6s %9s %9s %9s %9s %9s\n", "file", "contacts", "status", "iter",
           "error", "median us", "99% us", "update us", "us/iter");
    for (int k = first; k < argc; k++)
        bad |= one_file(&o, argv[k], update, solve);
    free(update);
    free(solve);
    return bad;
}
