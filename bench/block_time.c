/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of one 3x3 contact, by family and solver: median and 99th percentile of single
 * calls (least of three passes, less the clock's own time), the mean of a pass
 * without a clock inside, and the number that miss 1e-12 of the scaled residual.
 *
 *     bench_local [blocks]      100000 blocks unless told otherwise */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "local/slip.h"
#include "generators/planted_block.h"

enum { PASSES = 3 };

typedef perp_status contact_solver(double *, const double *, const perp_local_prep *,
                                   const double *, double);

static const struct {
    const char *name;
    contact_solver *solve;
} solvers[] = {{"hybrid", perp_local_hybrid},
               {"quartic", perp_local_quartic},
               {"newton", perp_local_newton},
               {"projection", perp_local_projection}};

static const char *const families[PLANTED_FAMILIES + 1] = {
    "spd", "nearly-singular", "rank-1", "rank-2", "unsymmetric", "contact", "all"};

typedef struct sample {
    planted_block block;
    perp_local_prep prep;
    double guess[3];
} sample;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double clock_cost(void)
{
    double times[1001];
    for (int k = 0; k < 1001; k++) {
        const double t = now();
        times[k] = now() - t;
    }
    qsort(times, 1001, sizeof times[0], ascending);
    return times[500];
}

/* Guesses: zero, or the planted solution with each entry off by a few per cent. */
static void make(sample *samples, int count, int family, int regime, int warm)
{
    static const double frictions[5] = {0.0, 1e-3, 0.3, 1.0, 10.0};
    perp_rng rng = {.state = (uint64_t)(100 * family + 10 * regime + warm + 1)};
    for (int k = 0; k < count; k++) {
        sample *s = &samples[k];
        const int f = family < PLANTED_FAMILIES ? family : perp_rng_below(&rng, PLANTED_FAMILIES);
        const int g = regime < 3 ? regime : perp_rng_below(&rng, 3);
        const double mu = frictions[perp_rng_below(&rng, 5)];
        planted_make(&s->block, (planted_family)f, (planted_regime)g, mu, &rng);
        perp_local_prepare(&s->prep, s->block.A, 3);
        for (int i = 0; i < 3; i++)
            s->guess[i] = warm ? s->block.r[i] * planted_between(&rng, 0.97, 1.03) : 0.0;
    }
}

static void run(const sample *samples, double *times, int count, int solver, double cost,
                const char *family, const char *regime, int warm)
{
    contact_solver *solve = solvers[solver].solve;
    double mean = 1e300, r[3];
    int failed = 0, limit = 0;
    for (int k = 0; k < count; k++)
        times[k] = 1e300;
    for (int pass = 0; pass < PASSES; pass++) {
        const double start = now();
        for (int k = 0; k < count; k++) {
            const sample *s = &samples[k];
            memcpy(r, s->guess, sizeof r);
            limit += solve(r, s->block.A, &s->prep, s->block.b, s->block.mu) != PERP_SOLVED;
        }
        const double spent = (now() - start) / count;
        mean = spent < mean ? spent : mean;
        for (int k = 0; k < count; k++) {
            const sample *s = &samples[k];
            memcpy(r, s->guess, sizeof r);
            const double t = now();
            limit += solve(r, s->block.A, &s->prep, s->block.b, s->block.mu) != PERP_SOLVED;
            const double d = now() - t - cost;
            times[k] = d < times[k] ? d : times[k];
            const perp_contact contact = {
                .A = s->block.A, .b = s->block.b, .norm = s->prep.norm, .mu = s->block.mu};
            failed += pass == 0 && !(perp_contact_error(&contact, r) <= 1e-12);
        }
    }
    qsort(times, (size_t)count, sizeof *times, ascending);
    printf("%-11s %-16s %-6s %-5s %8.0f %8.0f %8.0f %8d %8d\n", solvers[solver].name, family,
           regime, warm ? "warm" : "cold", times[count / 2], times[count - 1 - count / 100], mean,
           failed, limit / (2 * PASSES));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const regimes[4] = {"open", "stick", "slip", "all"};
    const int count = argc > 1 ? atoi(argv[1]) : 100000;
    sample *samples = malloc((size_t)(count > 0 ? count : 1) * sizeof *samples);
    double *times = malloc((size_t)(count > 0 ? count : 1) * sizeof *times);
    if (count <= 0 || !samples || !times) {
        free(samples);
        free(times);
        return EXIT_FAILURE;
    }
    const double cost = clock_cost();
    printf("%-11s %-16s %-6s %-5s %8s %8s %8s %8s %8s\n", "solver", "family", "regime", "guess",
           "median", "p99", "mean", ">1e-12", "unsolved");
    for (int solver = 0; solver < 4; solver++)
        for (int family = 0; family <= PLANTED_FAMILIES; family++)
            for (int regime = family == 0 || family == PLANTED_CONTACT ? 0 : 3; regime < 4;
                 regime++)
                for (int warm = 0; warm < 2; warm++) {
                    const int n = solver == 3 ? (count + 19) / 20 : count;
                    make(samples, n, family, regime, warm);
                    run(samples, times, n, solver, cost, families[family], regimes[regime], warm);
                }
    free(samples);
    free(times);
    return EXIT_SUCCESS;
}
