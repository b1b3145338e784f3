/* SPDX-License-Identifier: BSD-3-Clause */
/* Every solver with every choice of every setting that it reads, each block of whose memory fails
 * once: it is told, or the solver has another way and its answer holds; nothing leaks, and outputs
 * stay where there is an error. */
#include "tests/fixtures/contract.h"
#include "tests/fixtures/each_choice.h"

#include <stdlib.h>

enum { MAX_N = 64, NUMBERS = 2 };

static const double marker = -98.5;

/* A life of a handle in which block fail_at fails; 0 when none did. */
static int live(contract_case *c, const perp_settings *s, const char *name, const char *text,
                long fail_at)
{
    double z[MAX_N], w[MAX_N];
    counter memory = {.fail_at = fail_at, .once = 1};
    perp_allocator allocator = block_allocator(&memory);
    perp_solver *solver;
    for (int i = 0; i < MAX_N; i++)
        z[i] = w[i] = marker;
    perp_status status = perp_solver_create(&solver, c->type, s, &allocator, NULL);
    int made = status == PERP_SOLVED;
    if (made)
        status = perp_solver_setup(solver, &c->view->problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, NULL);
    int failed = memory.allocations >= fail_at;
    if (failed && status < 0 && status != PERP_ERR_MEMORY)
        complain(c->complaints, "%s, %s=%s: block %ld fails, %s", c->name, name, text, fail_at,
                 perp_status_name(status));
    if (status == PERP_SOLVED) {
        perp_residuals r = contract_judge(c->stored, c->kind, z, NULL);
        if (!(contract_error(&r, c->kind) <= 1.001e-8))
            complain(c->complaints, "%s, %s=%s: block %ld fails, false SOLVED", c->name, name, text,
                     fail_at);
    }
    for (int i = 0; i < MAX_N && status < 0; i++)
        if (z[i] != marker || w[i] != marker) {
            complain(c->complaints, "%s, %s=%s: outputs touched", c->name, name, text);
            break;
        }
    if (made)
        perp_solver_destroy(solver);
    if (memory.live != 0)
        complain(c->complaints, "%s, %s=%s: %ld blocks leaked after failure %ld", c->name, name,
                 text, memory.live, fail_at);
    return failed;
}

static void fail_each(void *ctx, const perp_setting_info *info, const char *text)
{
    contract_case *c = ctx;
    double z[MAX_N], w[MAX_N];
    perp_settings s;
    settings_default(&s);
    ck_assert_int_eq(perp_settings_set(&s, info->name, text), PERP_SOLVED);
    if (contract_solve(c->type, &c->view->problem, &s, z, w, NULL) < 0)
        return; /* not built, or another solver that does not take the problem */
    for (long k = 1; live(c, &s, info->name, text, k); k++)
        ck_assert_int_lt(k, 10000);
}

static void each_choice(contract_case *c)
{
    choice_each(perp_setting_at, perp_solver_reads(c->type), NUMBERS, fail_each, c);
}

START_TEST(failing_blocks)
{
    contract_each(each_choice, ZOO_EASY, 13, 1 << STORED_CSC | 1 << STORED_DELASSUS);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {failing_blocks};
    return contract_main("memory of every choice", tests, (int)(sizeof tests / sizeof tests[0]));
}
