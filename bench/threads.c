/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads bring: the same sweeps of gs on one thread and on several, in alternation.
 *
 *     threads [--threads T,U] [--sizes N,M] [--generator NAME] [--sweeps S] [--rounds R]
 *             [--tol X] [--set name=value] [FILE...]
 *
 * Packings of `perp generate` in global form, of the sizes given, and the files.  Every round
 * solves once with one thread and once with each of T, U (2), S sweeps from zero each, or with
 * --tol to that tolerance, on kept handles.
 * Columns: contacts; T; milliseconds of a solve with one thread and with T, the fastest of R;
 * nanoseconds per contact and sweep; ratio of the fastest, of the tenth and of the median
 * rounds (other work on the machine makes the last ones small); bits: same where the two answers
 * and residuals agree in all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generators/friction_problems.h"
#include "bench/measure.h"

enum { LIST = 32, ROUNDS_MOST = 1000 };

typedef struct options {
    double size[LIST];
    int threads[LIST], sizes, teams, sweeps, rounds;
    double tol;
    const char *generator;
    perp_settings settings;
} options;

typedef struct side {
    perp_solver *solver;
    double *z, *w, seconds[ROUNDS_MOST];
    perp_info info;
} side;

static int read_sizes(options *o, char *text)
{
    o->sizes = 0;
    for (char *item = strtok(text, ","); item && o->sizes < LIST; item = strtok(NULL, ","))
        o->size[o->sizes++] = strtod(item, NULL);
    return o->sizes > 0 ? 0 : -1;
}

static int read_threads(options *o, char *text)
{
    int least = LIST;
    o->teams = 0;
    for (char *item = strtok(text, ","); item && o->teams < LIST; item = strtok(NULL, ",")) {
        o->threads[o->teams] = atoi(item);
        least = o->threads[o->teams] < least ? o->threads[o->teams] : least;
        o->teams++;
    }
    return o->teams > 0 && least > 1 ? 0 : -1;
}

/* Returns where the files begin, or -1. */
static int read_options(options *o, int argc, char **argv)
{
    int k = 1;
    memset(o, 0, sizeof *o);
    *o = (options){.threads = {2}, .teams = 1, .sweeps = 20, .rounds = 20, .generator = "spheres"};
    perp_settings_init(&o->settings, sizeof o->settings);
    for (; k + 1 < argc && !strncmp(argv[k], "--", 2); k += 2) {
        char *value = argv[k + 1];
        if (!strcmp(argv[k], "--sweeps"))
            o->sweeps = atoi(value);
        else if (!strcmp(argv[k], "--rounds"))
            o->rounds = atoi(value);
        else if (!strcmp(argv[k], "--tol"))
            o->tol = strtod(value, NULL);
        else if (!strcmp(argv[k], "--generator"))
            o->generator = value;
        else if (!strcmp(argv[k], "--sizes") ? read_sizes(o, value)
                 : !strcmp(argv[k], "--threads")
                     ? read_threads(o, value)
                     : (strcmp(argv[k], "--set") != 0 || perp_measure_setting(&o->settings, value)))
            return -1;
    }
    o->settings.tol = o->tol;
    o->settings.max_iter = o->tol > 0.0 ? 0 : o->sweeps;
    int good = o->teams > 0 && o->sweeps > 0 && o->rounds > 0 && o->rounds <= ROUNDS_MOST &&
               perp_generator_find(o->generator) && (k == argc || argv[k][0] != '-');
    return good ? k : -1;
}

static int open_side(side *s, const options *o, int threads, const perp_problem *problem)
{
    size_t n = (size_t)problem->M.rows + 1;
    perp_settings settings = o->settings;
    settings.threads = threads;
    s->z = calloc(n, sizeof *s->z);
    s->w = calloc(n, sizeof *s->w);
    return !s->z || !s->w ||
           perp_solver_create(&s->solver, perp_solver_find("gs"), &settings, NULL, NULL) ||
           perp_solver_setup(s->solver, problem);
}

static void close_side(side *s)
{
    perp_solver_destroy(s->solver);
    free(s->z);
    free(s->w);
}

static void print_result(const char *name, const options *o, int contacts, side *one, side *many,
                         int threads)
{
    double each = 1e9 / one->info.iterations / contacts, ratio[3];
    static const double quantile[3] = {0.0, 0.1, 0.5};
    for (int i = 0; i < 3; i++)
        ratio[i] = perp_measure_quantile(one->seconds, o->rounds, quantile[i]) /
                   perp_measure_quantile(many->seconds, o->rounds, quantile[i]);
    size_t bytes = sizeof(double) * 3 * (size_t)contacts;
    int same = memcmp(one->z, many->z, bytes) == 0 && memcmp(one->w, many->w, bytes) == 0 &&
               memcmp(&one->info.residual, &many->info.residual, sizeof one->info.residual) == 0;
    printf("%-24s %8d %3d %10.3f %10.3f %9.1f %9.1f %8.2f %8.2f %8.2f  %s\n", name, contacts,
           threads, 1e3 * one->seconds[0], 1e3 * many->seconds[0], each * one->seconds[0],
           each * many->seconds[0], ratio[0], ratio[1], ratio[2], same ? "same" : "DIFFERENT");
    fflush(stdout);
}

static int compare(const char *name, const options *o, const perp_problem_file *file,
                   const perp_problem *problem)
{
    static side sides[LIST + 1];
    memset(sides, 0, sizeof sides);
    int bad = open_side(&sides[0], o, 1, problem);
    for (int i = 0; !bad && i < o->teams; i++)
        bad = open_side(&sides[i + 1], o, o->threads[i], problem);
    for (int r = 0; !bad && r < o->rounds; r++) {
        for (int i = 0; i <= o->teams; i++) {
            double start = perp_measure_now();
            sides[i].info.size = sizeof sides[i].info;
            bad |= perp_solver_solve(sides[i].solver, sides[i].z, sides[i].w, &sides[i].info) < 0;
            sides[i].seconds[r] = perp_measure_now() - start;
        }
    }
    if (bad)
        printf("%s: no result\n", name);
    for (int i = 0; !bad && i < o->teams; i++)
        print_result(name, o, file->contacts, &sides[0], &sides[i + 1], o->threads[i]);
    for (int i = 0; i <= o->teams; i++)
        close_side(&sides[i]);
    return bad;
}

static int one_size(const options *o, double size)
{
    const perp_generator *generator = perp_generator_find(o->generator);
    perp_generate_options scene;
    perp_problem problem;
    perp_problem_file *file = NULL;
    perp_generate_options_init(&scene, generator);
    scene.size = (int)size;
    int bad = perp_generate(&file, generator, &scene, NULL) ||
              perp_problem_file_get(file, &problem, NULL) ||
              compare(o->generator, o, file, &problem);
    perp_problem_file_destroy(file);
    return bad;
}

static int one_file(const options *o, const char *path)
{
    const char *name = strrchr(path, '/');
    perp_problem problem;
    perp_problem_file *file = NULL;
    int bad = perp_measure_load(&file, &problem, path) ||
              compare(name ? name + 1 : path, o, file, &problem);
    perp_problem_file_destroy(file);
    return bad;
}

int main(int argc, char **argv)
{
    options o;
    int k = read_options(&o, argc, argv), bad = 0;
    if (k < 0) {
        fprintf(stderr, "usage: threads [--threads T,U] [--sizes N,M] [--generator NAME] "
                        "[--sweeps S] [--rounds R] [--tol X] [--set name=value] [FILE...]\n");
        return 2;
    }
    if (k == argc && o.sizes == 0) {
        o.sizes = 3;
        o.size[0] = 5e3, o.size[1] = 2e4, o.size[2] = 1e5;
    }
    char until[32];
    snprintf(until, sizeof until, o.tol > 0.0 ? "to %g" : "%g sweeps",
             o.tol > 0.0 ? o.tol : o.sweeps);
    printf("gs, %s, 1 and T threads\n%-24s %8s %3s %10s %10s %9s %9s %8s %8s %8s  %s\n", until,
           "problem", "contacts", "T", "1: ms", "T: ms", "1: ns/c/s", "T: ns/c/s", "fastest",
           "10 %", "median", "bits");
    for (int i = 0; i < o.sizes; i++)
        bad |= one_size(&o, o.size[i]);
    for (; k < argc; k++)
        bad |= one_file(&o, argv[k]);
    return bad;
}
