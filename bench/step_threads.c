/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads bring to the steps of a simulation, and that they change no bit of it.
 *
 *     step_threads [--threads T,U] [--steps N] [--skip S] [--solver NAME] [--set name=value]
 *                  [--scheme NAME] [SYSTEM:SIZE...]
 *
 * Systems: bench/step_systems.h (heap:10000).  For each number of threads the system is made and
 * goes S + N steps, of which the last N are measured.  Columns: milliseconds a step, those in the
 * solver of the one-step problem, in assembly, in the update, and what is left, for the most part
 * the detection of contacts; rows, iterations of the last solve and solves a step; how many times
 * as fast as with the first number of threads the step and its solves are; a number made of all
 * bits of the state at the end, and "DIFFERENT" where that of the first number of threads is
 * another.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/step_systems.h"

enum { LIST = 16 };

typedef struct options {
    perp_bench_how how;
    int threads[LIST], teams, steps, skip;
} options;

typedef struct result {
    double all, solve, assembly, update, rows, iterations, solves; /* of a step */
    long unsolved;
    uint64_t bits;
} result;

static int read_threads(options *o, char *text)
{
    o->teams = 0;
    for (char *item = strtok(text, ","); item && o->teams < LIST; item = strtok(NULL, ",")) {
        o->threads[o->teams] = atoi(item);
        if (o->threads[o->teams++] < 1)
            return -1;
    }
    return o->teams > 0 ? 0 : -1;
}

/* Returns where the systems begin, or -1. */
static int read_options(options *o, int argc, char **argv)
{
    int k = 1;
    memset(o, 0, sizeof *o);
    *o = (options){.threads = {1, 2}, .teams = 2, .steps = 20, .skip = 20};
    for (; k + 1 < argc && !strncmp(argv[k], "--", 2); k += 2) {
        char *value = argv[k + 1];
        if (!strcmp(argv[k], "--threads") && read_threads(o, value))
            return -1;
        else if (!strcmp(argv[k], "--steps"))
            o->steps = atoi(value);
        else if (!strcmp(argv[k], "--skip"))
            o->skip = atoi(value);
        else if (!strcmp(argv[k], "--solver"))
            o->how.solver = value;
        else if (!strcmp(argv[k], "--set"))
            o->how.set = value;
        else if (!strcmp(argv[k], "--scheme"))
            o->how.scheme = value;
        else if (strcmp(argv[k], "--threads") != 0)
            return -1;
    }
    return o->steps > 0 && o->skip >= 0 && (k == argc || argv[k][0] != '-') ? k : -1;
}

static uint64_t add_bits(uint64_t sum, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        sum = (sum ^ bits) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29;
    }
    return sum;
}

static uint64_t state_bits(const perp_bench_system *s)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    perp_system_id id = {0, 0};
    for (int k = perp_model_systems(s->model); k > 0; k--) {
        double *x, *v;
        int nx, nv;
        id = perp_model_next_system(s->model, id);
        if (perp_model_state(s->model, id, &x, &v, &nx, &nv) != PERP_SOLVED)
            return 0;
        sum = add_bits(sum, x, nx);
        sum = add_bits(sum, v, v ? nv : 0);
    }
    return sum;
}

static void add_info(result *r, const perp_step_info *info, double part)
{
    r->solve += part * info->solve_seconds;
    r->assembly += part * info->assembly_seconds;
    r->update += part * info->update_seconds;
    r->rows += part * info->rows;
    r->iterations += part * (info->rows > 0 ? info->solver->iterations : 0);
    r->solves += part * info->solves;
}

static perp_status run(result *r, const options *o, const perp_bench_kind *kind, int size,
                       int threads)
{
    perp_bench_system s;
    perp_bench_how how = o->how;
    double begin = 0.0, part = 1.0 / o->steps;
    memset(r, 0, sizeof *r);
    how.threads = threads;
    perp_status status = perp_bench_make(&s, kind, size, 1, &how);
    for (int k = 0; k < o->skip + o->steps && status >= 0; k++) {
        if (k == o->skip)
            begin = perp_measure_now();
        status = perp_sim_step(s.sim);
        if (k >= o->skip && status >= 0)
            add_info(r, perp_sim_info(s.sim), part);
    }
    r->all = part * (perp_measure_now() - begin);
    if (status >= 0) {
        r->unsolved = perp_sim_info(s.sim)->unsolved;
        r->bits = state_bits(&s);
    }
    perp_bench_destroy(&s);
    return status < 0 ? status : PERP_SOLVED;
}

static int measure(const options *o, const perp_bench_kind *kind, int size)
{
    result first = {0};
    int bad = 0;
    for (int i = 0; i < o->teams; i++) {
        result r;
        perp_status status = run(&r, o, kind, size, o->threads[i]);
        if (status < 0) {
            fprintf(stderr, "%s: %s\n", kind->name, perp_status_text(status));
            return -1;
        }
        if (i == 0)
            first = r;
        double rest = r.all - r.solve - r.assembly - r.update;
        printf("%-8s %7d %3d %9.2f %9.2f %9.2f %9.2f %9.2f %8.0f %7.1f %6.2f %6ld %6.2f %6.2f  "
               "%016" PRIx64 "%s\n",
               kind->name, size, o->threads[i], 1e3 * r.all, 1e3 * r.solve, 1e3 * r.assembly,
               1e3 * r.update, 1e3 * rest, r.rows, r.iterations, r.solves, r.unsolved,
               first.all / r.all, first.solve / r.solve, r.bits,
               r.bits == first.bits ? "" : "  DIFFERENT");
        fflush(stdout);
        bad |= r.bits != first.bits;
    }
    return bad;
}

static int one(const options *o, const char *text)
{
    int size;
    const perp_bench_kind *kind = perp_bench_find(text, &size);
    if (kind)
        return measure(o, kind, size);
    fprintf(stderr, "%s: no such system\n", text);
    return -1;
}

int main(int argc, char **argv)
{
    options o;
    int bad = 0, first = read_options(&o, argc, argv);
    if (first < 0) {
        fprintf(stderr, "usage: step_threads [--threads T,U] [--steps N] [--skip S] "
                        "[--solver NAME] [--set name=value] [--scheme NAME] [SYSTEM:SIZE...]\n");
        return 2;
    }
    printf("%-8s %7s %3s %9s %9s %9s %9s %9s %8s %7s %6s %6s %6s %6s  %s\n", "system", "size", "T",
           "ms", "solve", "assembly", "update", "rest", "rows", "iter", "solves", "early", "x",
           "x solve", "bits");
    for (int k = first; k < argc; k++)
        bad |= one(&o, argv[k]) != 0;
    if (first == argc)
        bad |= one(&o, "heap:10000") != 0;
    return bad;
}
