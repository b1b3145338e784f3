/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "bench/boxed_race.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Crashes of one runner in one cell, after which its other seeds are not tried. */
enum { PATIENCE = 3, LONGEST = 20 };
/* A run this long is not repeated. */
static const double long_run = 0.02;

static sigjmp_buf trap;

static void on_signal(int number)
{
    siglongjmp(trap, number);
}

double boxed_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Least seconds of some runs, -1 after a crash.  *failed: what the last one reported. */
static double run_trapped(boxed_run run, const boxed_problem *p, double *z, int repeats,
                          volatile int *failed)
{
    volatile double best = INFINITY;
    for (volatile int k = 0; k < repeats; k++) {
        double seconds = 0.0;
        if (sigsetjmp(trap, 1)) {
            alarm(0);
            return -1.0;
        }
        alarm(LONGEST);
        memset(z, 0, (size_t)p->n * sizeof(double));
        *failed = run(p, z, &seconds);
        alarm(0);
        best = fmin(best, seconds);
        if (seconds > long_run)
            break;
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct cell {
    int runs, solved[3], failed, crashed;
    double logs;
} cell;

static void run_seed(cell *c, boxed_run run, const char *family, int n, int seed, int repeats,
                     double *error)
{
    static const double limits[3] = {1e-4, 1e-8, 1e-12};
    boxed_problem p;
    volatile int failed = 0;
    double *z = malloc((size_t)n * sizeof(double));
    if (!z || boxed_make(&p, family, n, seed) != 0) {
        free(z);
        return;
    }
    double seconds = run_trapped(run, &p, z, repeats, &failed);
    if (seconds < 0.0) {
        c->crashed++;
    } else {
        double e = boxed_error(&p, z);
        for (int k = 0; k < 3; k++)
            c->solved[k] += e <= limits[k];
        c->failed += failed != 0;
        c->logs += log(fmax(seconds, 1e-9));
        error[c->runs++] = e;
    }
    boxed_free(&p);
    free(z);
}

void boxed_race(const char *name, boxed_run run, const char *family, int n, int seeds, int repeats)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGALRM, SIGBUS};
    cell c = {0};
    double *error = malloc((size_t)seeds * sizeof(double));
    if (!error)
        return;
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        signal(signals[k], on_signal);
    for (int seed = 1; seed <= seeds && c.crashed < PATIENCE; seed++)
        run_seed(&c, run, family, n, seed, repeats, error);
    qsort(error, (size_t)c.runs, sizeof *error, ascending);
    double mean = c.runs > 0 ? exp(c.logs / c.runs) : NAN;
    printf("%s,%s,%d,%d,%d,%d,%d,%d,%d,%.4g,%.2e,%.2e\n", name, family, n, c.runs + c.crashed,
           c.solved[0], c.solved[1], c.solved[2], c.failed, c.crashed, mean,
           c.runs > 0 ? error[c.runs / 2] : NAN, c.runs > 0 ? error[c.runs - 1] : NAN);
    fflush(stdout);
    free(error);
}

int boxed_peer_main(int argc, char **argv, const boxed_peer *peers, int count)
{
    if (argc != 5 || atoi(argv[2]) < 1 || atoi(argv[3]) < 1 || atoi(argv[4]) < 1) {
        fprintf(stderr, "usage: %s FAMILY N SEEDS REPEATS\n", argv[0]);
        return 2;
    }
    for (int k = 0; k < count; k++)
        boxed_race(peers[k].name, peers[k].run, argv[1], atoi(argv[2]), atoi(argv[3]),
                   atoi(argv[4]));
    _exit(0); /* a library that crashed may not leave in order */
}
