/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/campaign.h"
#include "bench/campaign/solve_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

/* Repeats end when they have taken this long together. */
static const double enough_seconds = 1.0;
/* A file keeps the inverse that was made of it: it is read so often, and each reading makes one. */
enum { READINGS = 5 };

typedef struct child {
    int fd, repeats;
    const perp_solver_type *type;
    double inverse; /* seconds for the inverse of the mass, and q through it: the fastest */
    int chosen;     /* the type is the library's choice for the problem */
    perp_settings settings;
    perp_problem_file *file;
    perp_problem problem;
    double *z, *w;
} child;

static void judge(child *c, perp_bench_record *run)
{
    if (perp_residual(&c->problem, c->z, NULL, c->w, &run->residual) == PERP_SOLVED)
        run->error = perp_bench_error(&run->residual, (perp_measure_kind)c->settings.measure);
}

static void note_where(perp_bench_record *run, const perp_info *info)
{
    if (info->detail[0])
        snprintf(run->note, sizeof run->note, "%.120s", info->detail);
    else if (run->status[0] == 'e' && info->where.what)
        snprintf(run->note, sizeof run->note, "%s, index %d", info->where.what, info->where.index);
}

/* One set-up and solve from zero.  The handle is made before, as the options of a
 * peer are. */
static int run_once(child *c, double *seconds)
{
    perp_bench_record run;
    perp_solver *solver = NULL;
    const perp_info *info = NULL;
    perp_bench_record_init(&run);
    memset(c->z, 0, (size_t)c->problem.M.rows * sizeof *c->z);
    if (perp_bench_tell_begin(c->fd))
        return -1;
    perp_status status = perp_solver_create(&solver, c->type, &c->settings, NULL, NULL);
    perp_bench_stopwatch start = perp_bench_start();
    double middle = start.wall;
    if (status == PERP_SOLVED) {
        status = perp_solver_setup(solver, &c->problem);
        middle = perp_bench_now();
    }
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, c->z, c->w, NULL);
    double seconds_taken = perp_bench_seconds_since(start);
    run.peak_kb = perp_bench_peak_kb();
    run.setup = perp_bench_part_until(start, middle, seconds_taken);
    run.solve = seconds_taken - run.setup;
    run.setup += c->inverse;
    perp_bench_status_word(run.status, sizeof run.status, status);
    if (solver) {
        info = perp_solver_info(solver);
        run.iterations = info->iterations;
        note_where(&run, info);
        if (c->chosen && !run.note[0])
            snprintf(run.note, sizeof run.note, "%s", info->solver);
    }
    if (status >= 0)
        judge(c, &run);
    perp_solver_destroy(solver);
    *seconds += seconds_taken;
    /* Times of failures are not compared: once is enough. */
    return perp_bench_tell_run(c->fd, &run) || status != PERP_SOLVED ? -1 : 0;
}

/* A problem that cannot be read is told as a run that failed. */
static int fail(child *c, perp_status status, const char *text)
{
    perp_bench_record run;
    perp_bench_record_init(&run);
    perp_bench_status_word(run.status, sizeof run.status, status);
    snprintf(run.note, sizeof run.note, "%.120s", text);
    run.setup = run.solve = NAN;
    perp_bench_tell_run(c->fd, &run);
    return 1;
}

/* The first inverse takes what loads its code and fills caches, which the repeats of a peer do not
 * count either. */
static void time_inverses(child *c, const char *path, perp_bench_reader read)
{
    perp_problem_file *file[READINGS] = {NULL};
    perp_problem problem;
    perp_io_error error;
    int count = c->repeats < READINGS ? c->repeats - 1 : READINGS - 1;
    for (int k = 0; k < count; k++)
        if (read(&file[k], path, &error) != PERP_SOLVED)
            file[k] = NULL;
    for (int k = 0; k < count && file[k]; k++) {
        perp_bench_stopwatch start = perp_bench_start();
        perp_status status = perp_problem_file_get(file[k], &problem, NULL);
        double seconds = perp_bench_seconds_since(start);
        if (status == PERP_SOLVED)
            c->inverse = fmin(c->inverse, seconds);
    }
    for (int k = 0; k < count; k++)
        perp_problem_file_destroy(file[k]);
}

static int load(child *c, const char *path, perp_bench_reader read)
{
    perp_io_error error = {.line = 0};
    perp_status status = read(&c->file, path, &error);
    if (status == PERP_SOLVED) {
        perp_bench_stopwatch start = perp_bench_start();
        status = perp_problem_file_get(c->file, &c->problem, &error);
        c->inverse = c->file->cls == PERP_CLASS_GLOBAL ? perp_bench_seconds_since(start) : 0.0;
    }
    if (status != PERP_SOLVED)
        return fail(c, status, error.text);
    if (c->inverse > 0.0)
        time_inverses(c, path, read);
    if (c->chosen)
        c->type = perp_solver_choose(&c->problem);
    if (!c->type)
        return fail(c, PERP_ERR_UNSUPPORTED, "no solver fits");
    size_t n = (size_t)c->problem.M.rows;
    c->z = calloc(n + 1, sizeof *c->z);
    c->w = calloc(n + 1, sizeof *c->w);
    if (!c->z || !c->w)
        return fail(c, PERP_ERR_MEMORY, "");
    return perp_bench_tell_size(c->fd, c->problem.M.rows, c->file->contacts,
                                perp_bench_nnz(c->file, &c->problem));
}

static int read_arguments(child *c, int argc, char **argv)
{
    char name[64];
    if (argc < 5)
        return -1;
    c->fd = atoi(argv[0]);
    c->repeats = atoi(argv[4]);
    c->chosen = !strcmp(argv[2], "default");
    /* The clock is read here, outside, as it is for a peer. */
    perp_settings_init(&c->settings, sizeof c->settings);
    c->settings.timing = 0;
    c->type = perp_bench_solver_of(argv[2], &c->settings);
    if (!(c->type || c->chosen) || perp_settings_set(&c->settings, "tol", argv[3]))
        return -1;
    for (int k = 5; k < argc; k++) {
        const char *equal = strchr(argv[k], '=');
        if (!equal)
            return -1;
        snprintf(name, sizeof name, "%.*s", (int)(equal - argv[k]), argv[k]);
        if (perp_settings_set(&c->settings, name, equal + 1))
            return -1;
    }
    return 0;
}

int perp_bench_child(int argc, char **argv, perp_bench_reader read)
{
    child c = {0};
    double seconds = 0.0;
    if (read_arguments(&c, argc, argv))
        return PERP_BENCH_FAILED;
    int bad = load(&c, argv[1], read);
    for (int k = 0; k < c.repeats && !bad && seconds < enough_seconds; k++)
        bad = run_once(&c, &seconds);
    perp_problem_file_destroy(c.file);
    free(c.z);
    free(c.w);
    return 0;
}
