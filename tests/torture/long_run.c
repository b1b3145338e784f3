/* SPDX-License-Identifier: BSD-3-Clause */
/* long_run SOLVES STEPS: a day of traffic in small.  SOLVES solves of 64 problems again and again on
 * three handles that are kept, and STEPS steps of two bouncing balls.  Memory may not grow once every
 * problem was seen, each answer must have the bits that it had first, and latency may not drift: the
 * last tenth is compared with the second (said, not judged). */
#include <malloc.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <perp/kernel.h>
#include <perp/numerics.h>

#include "core/rng.h"

enum { PROBLEMS = 64, HANDLES = 3, CONTACTS = 3, N = 3 * CONTACTS };

static int tests, bad;

static void report(int holds, const char *what)
{
    printf("%s %d - %s\n", holds ? "ok" : "not ok", ++tests, what);
    fflush(stdout);
    bad |= !holds;
}

/* Bytes that the program holds; less what malloc only keeps. */
static double held(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
#else
    return 0.0;
#endif
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t digest(const double *x, int n)
{
    uint64_t sum = 14695981039346656037u;
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    return sum;
}

typedef struct traffic {
    perp_solver *solver;
    int n;
    double M[N * N], q[PROBLEMS][N], mu;
    perp_segment seg;
    uint64_t first[PROBLEMS];
} traffic;

static int begin(traffic *t, const char *name, perp_set set, int dim, perp_rng *rng)
{
    double B[N * N];
    t->n = dim * CONTACTS;
    t->mu = 0.4;
    t->seg = (perp_segment){set, dim, CONTACTS, {&t->mu, NULL}, {0, 0}};
    for (int i = 0; i < t->n * t->n; i++)
        B[i] = perp_rng_signed(rng) + (i % (t->n + 1) == 0);
    for (int i = 0; i < t->n * t->n; i++) {
        t->M[i] = i % (t->n + 1) == 0 ? 0.5 : 0.0;
        for (int k = 0; k < t->n; k++)
            t->M[i] += B[i % t->n + k * t->n] * B[i / t->n + k * t->n];
    }
    for (int k = 0; k < PROBLEMS; k++)
        for (int i = 0; i < t->n; i++)
            t->q[k][i] = perp_rng_signed(rng) - (i % dim == 0 ? 0.5 : 0.0);
    perp_problem p = {.q = t->q[0], .seg = &t->seg, .nseg = 1};
    return perp_mat_init_dense(&p.M, t->n, t->n, t->M, t->n) == PERP_SOLVED &&
           perp_solver_create(&t->solver, perp_solver_find(name), NULL, NULL, NULL) ==
               PERP_SOLVED &&
           perp_solver_setup(t->solver, &p) == PERP_SOLVED;
}

static void solves(long count)
{
    static traffic t[HANDLES];
    perp_rng rng = {7};
    double z[N] = {0.0}, w[N], memory = 0.0, at[11] = {0.0};
    long unsolved = 0, other = 0;
    int ready = begin(&t[0], "auto", PERP_NONNEG, 1, &rng) &&
                begin(&t[1], "auto", PERP_COULOMB, 3, &rng) &&
                begin(&t[2], "gs", PERP_COULOMB, 3, &rng);
    report(ready, "handles");
    for (long k = 0; ready && k < count; k++) {
        traffic *own = &t[k % HANDLES];
        long problem = k / HANDLES % PROBLEMS;
        if (k % (count / 10 + 1) == 0)
            at[k / (count / 10 + 1)] = seconds();
        if (k == HANDLES * PROBLEMS)
            memory = held();
        if (perp_solver_update_q(own->solver, own->q[problem]) != PERP_SOLVED ||
            perp_solver_solve(own->solver, z, w, NULL) != PERP_SOLVED)
            unsolved++;
        uint64_t bits = digest(z, own->n);
        if (k < HANDLES * PROBLEMS)
            own->first[problem] = bits;
        other += bits != own->first[problem];
    }
    at[10] = seconds();
    double after = held();
    printf("# %ld solves; second tenth %.3f us, last tenth %.3f us a solve\n", count,
           10e6 * (at[2] - at[1]) / (double)count, 10e6 * (at[10] - at[9]) / (double)count);
    report(unsolved == 0, "every solve is solved");
    report(other == 0, "every answer has the bits that it had first");
    report(after <= memory, "solves hold no more memory at the end");
    for (int k = 0; k < HANDLES; k++)
        perp_solver_destroy(t[k].solver);
}

static perp_status add_ball(perp_model *model, double e)
{
    const double q0[1] = {1.0}, weight[1] = {-9.81}, one[1] = {1.0};
    perp_system_id ball;
    perp_interaction_id ground;
    perp_lagrangian_def def;
    perp_interaction_def gap;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = q0;
    def.F = weight;
    perp_status status = perp_model_add_lagrangian(model, &def, &ball, NULL);
    perp_interaction_def_init(&gap, sizeof gap);
    gap.systems = &ball;
    gap.nsystems = 1;
    gap.relation.kind = PERP_RELATION_LINEAR;
    gap.relation.rows = 1;
    gap.relation.C = one;
    gap.law = perp_law_impact(e);
    return status == PERP_SOLVED ? perp_model_add_interaction(model, &gap, &ground, NULL) : status;
}

/* One bounces for ever, the other comes to rest. */
static void steps(const char *name, long count)
{
    perp_scheme scheme;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_sim_options options;
    double memory = 0.0, at[11] = {0.0};
    char text[100];
    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-3;
    perp_status status = perp_scheme_init(&scheme, name, sizeof scheme);
    if (status == PERP_SOLVED)
        status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = add_ball(model, 1.0);
    if (status == PERP_SOLVED)
        status = add_ball(model, 0.5);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_sim_set_scheme(sim, (perp_system_id){0, 0}, &scheme);
    long k = 0;
    for (; status == PERP_SOLVED && k < count; k++) {
        if (k % (count / 10 + 1) == 0)
            at[k / (count / 10 + 1)] = seconds();
        if (k == count / 2) /* each kind of step was taken */
            memory = held();
        status = perp_sim_step(sim);
    }
    at[10] = seconds();
    double after = held();
    printf("# bytes %.0f, at the end %.0f\n", memory, after);
    printf("# %s: %ld steps; second tenth %.3f us, last tenth %.3f us a step\n", name, k,
           10e6 * (at[2] - at[1]) / (double)count, 10e6 * (at[10] - at[9]) / (double)count);
    snprintf(text, sizeof text, "%s: every step", name);
    report(status == PERP_SOLVED, text);
    snprintf(text, sizeof text, "%s: steps hold no more memory at the end", name);
    report(after <= memory, text);
    perp_sim_destroy(sim);
    perp_model_destroy(model);
}

int main(int argc, char **argv)
{
    solves(argc > 1 ? atol(argv[1]) : 30000);
    steps("moreau-jean", argc > 2 ? atol(argv[2]) : 60000);
    steps("discrete-gradient", argc > 2 ? atol(argv[2]) : 60000);
    printf("1..%d\n", tests);
    return bad;
}
