/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads with 128 kB of stack: every solver gives the bits there that it gives in a thread with
 * much more. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/small_stack.h"

enum { MAX_N = 64 };

typedef struct answer {
    const contract_case *c;
    perp_status status;
    double z[MAX_N], w[MAX_N];
    perp_info info;
} answer;

static void *solve(void *ctx)
{
    answer *a = ctx;
    perp_solver *solver = NULL;
    a->info.size = sizeof a->info;
    a->status = perp_solver_create(&solver, a->c->type, NULL, NULL, NULL);
    if (a->status == PERP_SOLVED)
        a->status = perp_solver_setup(solver, &a->c->view->problem);
    if (a->status == PERP_SOLVED)
        a->status = perp_solver_solve(solver, a->z, a->w, &a->info);
    perp_solver_destroy(solver);
    return NULL;
}

static void in_both(contract_case *c)
{
    answer much = {.c = c}, little = {.c = c};
    solve(&much);
    in_small_stack(solve, &little);
    if (much.status != little.status || much.info.iterations != little.info.iterations ||
        memcmp(much.z, little.z, sizeof much.z) != 0 ||
        memcmp(much.w, little.w, sizeof much.w) != 0)
        complain(c->complaints, "%s: %s, not %s", c->name, perp_status_name(little.status),
                 perp_status_name(much.status));
}

START_TEST(every_solver)
{
    contract_each(in_both, ZOO_UNSOLVABLE, 1, FEW_STORAGES);
}
END_TEST

/* A chain of contacts of each set whose rows are more than any array of a fixed length has. */
typedef struct chain {
    perp_set set;
    int dim;
    const char *solver;
    perp_status status;
    double error;
} chain;

static void *solve_chain(void *ctx)
{
    enum { ROWS = 600 };
    static double M[ROWS * ROWS], q[ROWS], z[ROWS], w[ROWS], mu[ROWS];
    chain *c = ctx;
    int count = ROWS / c->dim;
    perp_segment seg = {.set = c->set,
                        .dim = c->dim,
                        .count = count,
                        .par = {c->dim > 1 ? mu : NULL, NULL},
                        .stride = {c->dim > 1, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_info info = {.size = sizeof info};
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.max_iter = 20;
    memset(M, 0, sizeof M);
    for (int i = 0; i < ROWS; i++) {
        M[i + ROWS * i] = 2.0 + i % c->dim;
        if (i >= c->dim)
            M[i + ROWS * (i - c->dim)] = M[i - c->dim + ROWS * i] = -0.5;
        q[i] = i % c->dim == 0 ? -1.0 : 0.25 * (i % 7) - 0.75;
        z[i] = 0.0;
        mu[i] = 0.5;
    }
    perp_mat_init_dense(&p.M, ROWS, ROWS, M, ROWS);
    const perp_solver_type *type = perp_solver_find(c->solver);
    c->status = type != NULL && perp_solver_fits(type, &p)
                    ? perp_solve(c->solver, &p, &settings, z, w, &info)
                    : PERP_ERR_UNSUPPORTED;
    c->error = info.error;
    return NULL;
}

/* A factorisation by several threads of OpenBLAS takes more than the whole stack for itself. */
void openblas_set_num_threads(int count) __attribute__((weak));

START_TEST(many_rows)
{
    if (openblas_set_num_threads != NULL)
        openblas_set_num_threads(1);
    static const perp_set sets[] = {PERP_NONNEG, PERP_FREE, PERP_COULOMB, PERP_SOC};
    int solved = 0;
    for (int k = 0; perp_solver_at(k) != NULL; k++)
        for (int s = 0; s < 4; s++) {
            chain c = {.set = sets[s],
                       .dim = s < 2 ? 1 : 3,
                       .solver = perp_solver_name(perp_solver_at(k))};
            in_small_stack(solve_chain, &c);
            solved += c.status == PERP_SOLVED;
            ck_assert(c.status != PERP_SOLVED || c.error <= 1e-8);
        }
    ck_assert_int_gt(solved, 40);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_solver, many_rows};
    return contract_main("small stack", tests, sizeof tests / sizeof tests[0]);
}
