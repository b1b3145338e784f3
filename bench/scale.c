/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost per contact as problems grow: packings of `perp generate` in global form.
 *
 *     scale [--sizes N,M] [--generator NAME] [--solvers A,B] [--set name=value] [--seed S]
 *           [--repeat R] [--cpu K] [--out STEM]
 *
 * Each (solver, size) has a process of its own.  Columns: contacts; status and error;
 * iterations; seconds of set-up and of the solve from zero, the fastest of R; microseconds
 * per contact of both together; nanoseconds per contact and iteration; bytes that the handle
 * held at most over the bytes of the problem's own arrays, plus 1 (bench/peak_memory.c);
 * GB/s that a sweep would move at least if every iteration were one (measure.h),
 * and that in per cent of reading as many bytes, and 1 GiB, on this core in the same run.
 *
 * A solver is named gs, or gs/2 for two threads.  With --out: STEM.dat, STEM.gp and, where there is
 * gnuplot, STEM.svg and STEM.png.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generators/friction_problems.h"
#include "bench/measure.h"
#include "bench/campaign/solve_clock.h"

enum { LIST = 32 };

typedef struct options {
    int size[LIST], sizes, solvers, repeats, cpu;
    const char *solver[LIST];
    const char *generator, *stem;
    uint64_t seed;
    perp_settings settings;
    double far_bandwidth;
} options;

typedef struct result {
    int done, contacts, iterations;
    perp_status status;
    double error, setup, solve, arrays, handle, sweep_bytes, near_bandwidth;
} result;

static int read_list(const char **item, char *text)
{
    int count = 0;
    for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
        if (count == LIST)
            return -1;
        item[count++] = name;
    }
    return count > 0 ? count : -1;
}

static int read_sizes(options *o, char *text)
{
    const char *number[LIST];
    o->sizes = read_list(number, text);
    for (int k = 0; k < o->sizes; k++) {
        o->size[k] = (int)strtod(number[k], NULL);
        if (o->size[k] < 1 || o->size[k] > PERP_GENERATE_SIZE_MAX)
            return -1;
    }
    return o->sizes > 0 ? 0 : -1;
}

static int read_options(options *o, int argc, char **argv)
{
    static char sizes[] = "1e3,1e4,1e5,1e6", solvers[] = "gs";
    char *size_text = sizes, *solver_text = solvers;
    memset(o, 0, sizeof *o);
    o->repeats = 1;
    o->cpu = -1;
    o->seed = 1;
    o->generator = "spheres";
    perp_settings_init(&o->settings, sizeof o->settings);
    o->settings.tol = 1e-4;
    o->settings.measure = PERP_MEASURE_NATURAL;
    for (int k = 1; k < argc; k += 2) {
        if (k + 1 == argc)
            return -1;
        char *value = argv[k + 1];
        if (!strcmp(argv[k], "--sizes"))
            size_text = value;
        else if (!strcmp(argv[k], "--solvers"))
            solver_text = value;
        else if (!strcmp(argv[k], "--generator"))
            o->generator = value;
        else if (!strcmp(argv[k], "--out"))
            o->stem = value;
        else if (!strcmp(argv[k], "--repeat"))
            o->repeats = atoi(value);
        else if (!strcmp(argv[k], "--seed"))
            o->seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[k], "--cpu"))
            o->cpu = atoi(value);
        else if (strcmp(argv[k], "--set") || perp_measure_setting(&o->settings, value))
            return -1;
    }
    o->solvers = read_list(o->solver, solver_text);
    return read_sizes(o, size_text) || o->solvers < 0 || o->repeats < 1 ||
                   !perp_generator_find(o->generator)
               ? -1
               : 0;
}

static perp_status make(perp_problem_file **file, perp_problem *problem, const options *o, int size)
{
    const perp_generator *generator = perp_generator_find(o->generator);
    perp_generate_options scene;
    perp_generate_options_init(&scene, generator);
    scene.size = size;
    scene.seed = o->seed;
    perp_status status = perp_generate(file, generator, &scene, NULL);
    return status == PERP_SOLVED ? perp_problem_file_get(*file, problem, NULL) : status;
}

/* name/threads. */
static const perp_solver_type *type_of(const char *text, const perp_problem *problem, int *threads)
{
    char name[32];
    const char *slash = strchr(text, '/');
    snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - text) : 31, text);
    *threads = slash ? atoi(slash + 1) : *threads;
    return strcmp(name, "default") ? perp_solver_find(name) : perp_solver_choose(problem);
}

/* One set-up and solve from zero; the fastest stays. */
static perp_status solve(result *r, const options *o, const char *name, const perp_problem *problem,
                         double *z, double *w)
{
    perp_measure_counter counter = {0, 0};
    const perp_allocator allocator = perp_measure_allocator(&counter);
    perp_solver *solver = NULL;
    perp_info info = {.size = sizeof info};
    perp_settings settings = o->settings;
    memset(z, 0, (size_t)problem->M.rows * sizeof *z);
    const perp_solver_type *type = type_of(name, problem, &settings.threads);
    perp_status status = perp_solver_create(&solver, type, &settings, &allocator, NULL);
    perp_bench_stopwatch start = perp_bench_start();
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, problem);
    double setup = perp_bench_seconds_since(start);
    perp_bench_stopwatch middle = perp_bench_start();
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, &info);
    double seconds = perp_bench_seconds_since(middle);
    if (!r->done || setup + seconds < r->setup + r->solve) {
        r->setup = setup;
        r->solve = seconds;
    }
    r->done = 1;
    r->status = status;
    r->error = info.error;
    r->iterations = info.iterations;
    r->handle = (double)counter.peak;
    perp_solver_destroy(solver);
    return status;
}

static void measure(result *r, const options *o, const char *name, int size)
{
    perp_problem_file *file = NULL;
    perp_problem problem;
    int threads = 1;
    if (perp_measure_pin(o->cpu) || make(&file, &problem, o, size) ||
        !type_of(name, &problem, &threads))
        return;
    size_t n = (size_t)problem.M.rows + 1;
    double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w);
    r->contacts = file->contacts;
    r->arrays = (double)perp_measure_file_bytes(file, &problem);
    r->sweep_bytes = perp_measure_sweep_bytes(file, &problem);
    for (int k = 0; z && w && k < o->repeats && (k == 0 || r->status >= 0); k++)
        solve(r, o, name, &problem, z, w);
    free(z);
    free(w);
    perp_problem_file_destroy(file);
    r->near_bandwidth = perp_measure_read((size_t)r->sweep_bytes);
}

/* In a process of its own. */
static result in_child(const options *o, const char *name, int size)
{
    result r;
    int fd[2];
    memset(&r, 0, sizeof r);
    fflush(NULL);
    if (pipe(fd))
        return r;
    pid_t child = fork();
    if (child == 0) {
        measure(&r, o, name, size);
        _exit(write(fd[1], &r, sizeof r) != (ssize_t)sizeof r);
    }
    close(fd[1]);
    if (read(fd[0], &r, sizeof r) != (ssize_t)sizeof r)
        memset(&r, 0, sizeof r);
    close(fd[0]);
    waitpid(child, NULL, 0);
    return r;
}

static void print_result(FILE *data, const options *o, const char *name, int size, const result *r)
{
    if (!r->done) {
        printf("%-10s %9d: no result\n", name, size);
        return;
    }
    double total = r->setup + r->solve, each = 1e9 * r->solve / r->contacts;
    double rate = r->sweep_bytes * r->iterations / r->solve;
    printf("%-10s %9d %-16s %9.2e %7d %9.4f %9.4f %10.3f %9.2f %7.3f %7.2f %7.1f %7.1f\n", name,
           r->contacts, perp_status_name(r->status) + 5, r->error, r->iterations, r->setup,
           r->solve, 1e6 * total / r->contacts, r->iterations ? each / r->iterations : each,
           (r->arrays + r->handle) / r->arrays, 1e-9 * rate, 100.0 * rate / r->near_bandwidth,
           100.0 * rate / o->far_bandwidth);
    if (data) {
        fprintf(data, "%d %.6g %.6g %.6g %d %.6g %.6g\n", r->contacts, 1e6 * total / r->contacts,
                r->iterations ? each / r->iterations : each, 100.0 * rate / o->far_bandwidth,
                r->iterations, 100.0 * rate / r->near_bandwidth,
                (r->arrays + r->handle) / r->arrays);
    }
    fflush(stdout);
}

static FILE *open_beside(const char *stem, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.%s", stem, ending);
    FILE *f = fopen(path, "w");
    if (!f)
        perror(path);
    return f;
}

/* Three panels: microseconds per contact, nanoseconds per contact and iteration, bandwidth. */
static void write_script(FILE *f, const options *o)
{
    static const char *const terminal[2][2] = {
        {"svg size 900,1000 dynamic noenhanced background 'white' font 'sans,14'", "svg"},
        {"pngcairo size 900,1000 noenhanced font 'sans,14'", "png"}};
    static const char *const title[3] = {"set-up and solve, us per contact",
                                         "solve, ns per contact and iteration",
                                         "bytes moved, % of reading 1 GiB"};
    for (int k = 0; k < 2; k++) {
        fprintf(f, "set terminal %s\nset output '%s.%s'\n", terminal[k][0], o->stem,
                terminal[k][1]);
        fprintf(f,
                "set multiplot layout 3,1 title '%s packings, tol %g'\nset logscale xy\n"
                "set grid\nset key left top\nset xlabel 'contacts'\n",
                o->generator, o->settings.tol);
        for (int p = 0; p < 3; p++) {
            fprintf(f, "set ylabel '%s'\n", title[p]);
            if (p == 1)
                fprintf(f, "unset logscale y\nset yrange [0:*]\n");
            for (int s = 0; s < o->solvers; s++)
                fprintf(f, "%s'%s.dat' index %d using 1:%d with linespoints linewidth 2 title '%s'",
                        s ? ", " : "plot ", o->stem, s, p + 2, o->solver[s]);
            fprintf(f, "\n");
        }
        fprintf(f, "unset multiplot\nreset\n");
    }
    fprintf(f, "set output\n");
}

static void draw(const options *o)
{
    char command[4200];
    FILE *f = open_beside(o->stem, "gp");
    if (!f)
        return;
    write_script(f, o);
    fclose(f);
    snprintf(command, sizeof command, "gnuplot '%s.gp'", o->stem);
    if (system(command))
        fprintf(stderr, "scale: no picture: gnuplot is absent or failed\n");
}

int main(int argc, char **argv)
{
    options o;
    FILE *data = NULL;
    if (read_options(&o, argc, argv)) {
        fprintf(stderr,
                "usage: scale [--sizes N,M] [--generator NAME] [--solvers A,B] [--set name=value] "
                "[--seed S] [--repeat R] [--cpu K] [--out STEM]\n");
        return 2;
    }
    if (perp_measure_pin(o.cpu) || (o.stem && !(data = open_beside(o.stem, "dat"))))
        return 2;
    o.far_bandwidth = perp_measure_read((size_t)1 << 30);
    printf("%s, tol %g, reading 1 GiB: %.1f GB/s\n", o.generator, o.settings.tol,
           1e-9 * o.far_bandwidth);
    printf("%-10s %9s %-16s %9s %7s %9s %9s %10s %9s %7s %7s %7s %7s\n", "solver", "contacts",
           "status", "error", "iter", "set-up s", "solve s", "us/contact", "ns/c/it", "memory",
           "GB/s", "% near", "% 1GiB");
    for (int s = 0; s < o.solvers; s++) {
        if (data)
            fprintf(data,
                    "%s# %s: contacts us/contact ns/contact/iteration %%1GiB iterations %%near "
                    "memory\n",
                    s ? "\n\n" : "", o.solver[s]);
        for (int k = 0; k < o.sizes; k++) {
            result r = in_child(&o, o.solver[s], o.size[k]);
            print_result(data, &o, o.solver[s], o.size[k], &r);
        }
    }
    if (data) {
        fclose(data);
        draw(&o);
    }
    return 0;
}
