/* SPDX-License-Identifier: BSD-3-Clause */
/* Microseconds of a few contacts on a reused handle, as a simulation asks for them.
 *
 *     contact [--contacts N,M] [--solvers A,B] [--set name=value] [--solves K] [--cpu K]
 *
 * Random bodies (as many as contacts / 3) and contacts, mu 0.5.  Set-up once; then K times new
 * velocities, q = H' v, and a solve: "cold" from zero with unrelated velocities, "warm" from the
 * last z with velocities that changed by one per cent.  Median, 99th and 99.9th percentile of the
 * call of perp_solver_solve(), of perp_solver_update_q() and of perp_solver_update() with a
 * matrix of new numbers (the median); calls of malloc and its kin in all of it; share of
 * the solves that did not end solved.  Times of solves are the smaller of the wall's and the
 * processor's, so that waiting for a busy core does not make their tail; the clock's own
 * cost, printed first, is part of every figure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "generators/small_problem.h"
#include "bench/campaign/solve_clock.h"

enum { LIST = 16 };

typedef struct options {
    int contacts[LIST], sizes, solves, cpu, solvers;
    const char *solver[LIST];
    perp_settings settings;
} options;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* The C library's allocator, counted. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
static long allocations;

void *malloc(size_t bytes)
{
    allocations++;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    allocations++;
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    allocations++;
    return __libc_realloc(block, bytes);
}
#else
static long allocations = -1;
#endif

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

static int read_options(options *o, int argc, char **argv)
{
    static char sizes[] = "1,5,20", solvers[] = "default,gs,nsn";
    char *size_text = sizes, *solver_text = solvers;
    const char *number[LIST];
    o->solves = 20000;
    o->cpu = -1;
    perp_settings_init(&o->settings, sizeof o->settings);
    for (int k = 1; k < argc; k += 2) {
        if (k + 1 == argc)
            return -1;
        if (!strcmp(argv[k], "--contacts"))
            size_text = argv[k + 1];
        else if (!strcmp(argv[k], "--solvers"))
            solver_text = argv[k + 1];
        else if (!strcmp(argv[k], "--solves"))
            o->solves = atoi(argv[k + 1]);
        else if (!strcmp(argv[k], "--cpu"))
            o->cpu = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--set") || perp_measure_setting(&o->settings, argv[k + 1]))
            return -1;
    }
    o->sizes = read_list(number, size_text);
    for (int k = 0; k < o->sizes; k++)
        if ((o->contacts[k] = atoi(number[k])) < 1)
            return -1;
    o->solvers = read_list(o->solver, solver_text);
    return o->sizes > 0 && o->solvers > 0 && o->solves > 0 ? 0 : -1;
}

/* One handle with its problem. */
typedef struct bench {
    small_problem p;
    perp_solver *solver;
    double *H, *v, *q, *z, *w;
    int bodies;
    perp_rng rng;
} bench;

/* v = (1 - share) v + share random, q = H' v. */
static void new_velocities(bench *b, double share)
{
    int dofs = 6 * b->bodies, n = b->p.problem.M.rows;
    for (int i = 0; i < dofs; i++)
        b->v[i] = (1.0 - share) * b->v[i] + share * small_between(&b->rng, -1.0, 1.0);
    for (int j = 0; j < n; j++) {
        b->q[j] = 0.0;
        for (int i = 0; i < dofs; i++)
            b->q[j] += b->H[i + j * dofs] * b->v[i];
    }
}

static const perp_solver_type *type_of(const char *name, const perp_problem *problem)
{
    return strcmp(name, "default") ? perp_solver_find(name) : perp_solver_choose(problem);
}

static perp_status make(bench *b, const options *o, int contacts, const char *name, int warm)
{
    perp_settings settings = o->settings;
    memset(b, 0, sizeof *b);
    b->rng.state = 5;
    b->bodies = contacts / 3 > 0 ? contacts / 3 : 1;
    settings.warm_start = warm;
    if (small_make_rigid(&b->p, &b->H, 12, contacts, b->bodies, 0.5, 0.5))
        return PERP_ERR_MEMORY;
    size_t n = (size_t)b->p.problem.M.rows;
    b->v = small_take(&b->p, 6 * (size_t)b->bodies);
    b->q = small_take(&b->p, n);
    b->z = small_take(&b->p, n);
    b->w = small_take(&b->p, n);
    const perp_solver_type *type = type_of(name, &b->p.problem);
    if (!b->v || !b->q || !b->z || !b->w || !type)
        return type ? PERP_ERR_MEMORY : PERP_ERR_UNSUPPORTED;
    b->p.problem.q = b->q;
    new_velocities(b, 1.0);
    perp_status status = perp_solver_create(&b->solver, type, &settings, NULL, NULL);
    return status == PERP_SOLVED ? perp_solver_setup(b->solver, &b->p.problem) : status;
}

typedef struct times {
    double *solve, *update_q, *update;
    long allocations, unsolved;
} times;

static perp_status run(times *t, bench *b, int solves, int warm)
{
    t->allocations = t->unsolved = 0;
    for (int k = 0; k < solves; k++) {
        new_velocities(b, warm ? 0.01 : 1.0);
        long before = allocations;
        double start = perp_measure_now();
        perp_status status = perp_solver_update(b->solver, &b->p.problem);
        double updated = perp_measure_now();
        if (status == PERP_SOLVED)
            status = perp_solver_update_q(b->solver, b->q);
        double ready = perp_measure_now();
        perp_bench_stopwatch watch = perp_bench_start();
        if (status == PERP_SOLVED)
            status = perp_solver_solve(b->solver, b->z, b->w, NULL);
        double seconds = perp_bench_seconds_since(watch);
        if (status < 0)
            return status;
        t->allocations += allocations - before;
        t->unsolved += status != PERP_SOLVED;
        t->update[k] = 1e6 * (updated - start);
        t->update_q[k] = 1e6 * (ready - updated);
        t->solve[k] = 1e6 * seconds;
    }
    return PERP_SOLVED;
}

static int one_line(const options *o, times *t, int contacts, const char *name, int warm)
{
    bench b;
    perp_status status = make(&b, o, contacts, name, warm);
    if (status == PERP_SOLVED)
        status = run(t, &b, o->solves, warm);
    if (status == PERP_SOLVED) {
        printf("%8d %-10s %-10s %-5s %9.2f %9.2f %9.2f %9.2f %9.2f %7ld %8.3f\n", contacts, name,
               perp_solver_info(b.solver)->solver, warm ? "warm" : "cold",
               perp_measure_quantile(t->solve, o->solves, 0.5),
               perp_measure_quantile(t->solve, o->solves, 0.99),
               perp_measure_quantile(t->solve, o->solves, 0.999),
               perp_measure_quantile(t->update_q, o->solves, 0.5),
               perp_measure_quantile(t->update, o->solves, 0.5), t->allocations,
               100.0 * (double)t->unsolved / o->solves);
    } else {
        printf("%8d %-10s %s\n", contacts, name, perp_status_text(status));
    }
    perp_solver_destroy(b.solver);
    small_free(&b.p);
    return status != PERP_SOLVED;
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
    times t;
    int bad = 0;
    if (read_options(&o, argc, argv)) {
        fprintf(stderr, "usage: contact [--contacts N,M] [--solvers A,B] [--set name=value] "
                        "[--solves K] [--cpu K]\n");
        return 2;
    }
    t.solve = calloc((size_t)o.solves, sizeof(double));
    t.update = calloc((size_t)o.solves, sizeof(double));
    t.update_q = calloc((size_t)o.solves, sizeof(double));
    if (!t.solve || !t.update || !t.update_q || perp_measure_pin(o.cpu)) {
        fprintf(stderr, "contact: no memory, or no such CPU\n");
        return 2;
    }
    printf("tol %g, %d solves a line, clock %.3f us\n", o.settings.tol, o.solves,
           clock_cost(t.solve, o.solves));
    printf("%8s %-10s %-10s %-5s %9s %9s %9s %9s %9s %7s %8s\n", "contacts", "solver", "is",
           "start", "median us", "99% us", "99.9% us", "new q us", "update us", "mallocs", "% not");
    for (int c = 0; c < o.sizes; c++)
        for (int s = 0; s < o.solvers; s++)
            for (int warm = 0; warm < 2; warm++)
                bad |= one_line(&o, &t, o.contacts[c], o.solver[s], warm);
    free(t.solve);
    free(t.update);
    free(t.update_q);
    return bad;
}
