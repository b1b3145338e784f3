/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of every solver: none taken in solve, a failure at any allocation is
 * reported as such, nothing leaks, outputs stay, and the handle lives on. */
#include "tests/fixtures/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_N = 64, EVERY_FORM = FEW_STORAGES | 1 << STORED_DELASSUS | 1 << STORED_DENSE };

static const double marker = -98.5;

static void mark(double *z, double *w)
{
    for (int i = 0; i < MAX_N; i++)
        z[i] = w[i] = marker;
}

static int untouched(const double *z, const double *w)
{
    for (int i = 0; i < MAX_N; i++)
        if (z[i] != marker || w[i] != marker)
            return 0;
    return 1;
}

/* Solvers that factorise meet each factorisation; the others have one round. */
static const char *const factors[] = {"auto", "lapack", "klu", "mumps"};

static perp_settings settings_of(int round)
{
    perp_settings s;
    settings_default(&s);
    perp_settings_set(&s, "factor", factors[round]);
    return s;
}

static int rounds(const contract_case *c)
{
    int matters = c->kind == STORED_CSC || c->kind == STORED_DELASSUS;
    return matters && strstr(perp_solver_reads(c->type), "factor") ? 4 : 1;
}

static void count_in_solve_with(contract_case *c, const perp_settings *s)
{
    double z[MAX_N], w[MAX_N];
    counter memory = {0, 0, 0, 0}, seen;
    perp_allocator allocator = counter_allocator(&memory);
    perp_solver *solver;
    perp_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_solver_create(&solver, c->type, s, &allocator, NULL), PERP_SOLVED);
    if (perp_solver_setup(solver, &c->view->problem) == PERP_SOLVED) {
        size_t bytes = perp_solver_info(solver)->bytes;
        for (int round = 0; round < 2; round++) {
            long before = memory.allocations;
            malloc_watch_start(0, 0);
            perp_solver_solve(solver, z, w, &info);
            malloc_watch_stop(&seen);
            if (memory.allocations != before && !perp_solver_allocates(c->type))
                complain(c->complaints, "%s: %ld allocations in solve", c->name,
                         memory.allocations - before);
            if (seen.allocations != 0 && !perp_solver_allocates(c->type))
                complain(c->complaints, "%s: %ld calls of malloc in solve", c->name,
                         seen.allocations);
            if (info.bytes != bytes && !perp_solver_allocates(c->type))
                complain(c->complaints, "%s: grew from %zu to %zu bytes", c->name, bytes,
                         info.bytes);
        }
    }
    perp_solver_destroy(solver);
    if (memory.live != 0)
        complain(c->complaints, "%s: %ld blocks leaked", c->name, memory.live);
}

static void count_in_solve(contract_case *c)
{
    for (int round = 0; round < rounds(c); round++) {
        perp_settings s = settings_of(round);
        count_in_solve_with(c, &s);
    }
}

START_TEST(no_allocation_in_solve)
{
    contract_each(count_in_solve, ZOO_UNSOLVABLE, 2, EVERY_FORM | 1 << STORED_OPERATOR);
}
END_TEST

typedef enum failure { FOR_GOOD, ONCE, ONE_BLOCK } failure;

/* 1 where the status fits to a failure.  For want of a block that was reserved in set-up a solver
 * may take another way, to a solution. */
static int is_told(const contract_case *c, failure how, perp_status status, const double *z)
{
    if (how != ONE_BLOCK || status != PERP_SOLVED)
        return status == PERP_ERR_MEMORY;
    perp_residuals r = contract_judge(c->stored, c->kind, z, NULL);
    return contract_error(&r, c->kind) <= 1.001e-8;
}

/* A life of a handle under memory that fails; 1 when nothing failed any more. */
static int live_with_failure(contract_case *c, const perp_settings *s, long fail_at, failure how)
{
    double z[MAX_N], w[MAX_N];
    counter memory = {0, 0, fail_at, how != FOR_GOOD};
    perp_allocator allocator =
        how == ONE_BLOCK ? block_allocator(&memory) : counter_allocator(&memory);
    perp_solver *solver;
    mark(z, w);
    perp_status status = perp_solver_create(&solver, c->type, s, &allocator, NULL);
    int made = status == PERP_SOLVED;
    if (!made && solver)
        complain(c->complaints, "%s: a handle without memory", c->name);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, &c->view->problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, NULL);
    int failed = memory.allocations >= fail_at;
    if (failed && !is_told(c, how, status, z))
        complain(c->complaints, "%s: allocation %ld fails, %s", c->name, fail_at,
                 perp_status_name(status));
    if (status < 0 && !untouched(z, w))
        complain(c->complaints, "%s: outputs touched", c->name);
    /* With memory again the same handle works. */
    memory.fail_at = 0;
    if (made && failed) {
        status = perp_solver_setup(solver, &c->view->problem);
        if (status == PERP_SOLVED)
            status = perp_solver_solve(solver, z, w, NULL);
        if (status != PERP_SOLVED)
            complain(c->complaints, "%s: %s after memory came back at %ld", c->name,
                     perp_status_name(status), fail_at);
    }
    if (made)
        perp_solver_destroy(solver);
    if (memory.live != 0)
        complain(c->complaints, "%s: %ld blocks leaked after failure %ld", c->name, memory.live,
                 fail_at);
    return !failed;
}

/* 0 when this build lacks the factorisation.  Libraries that keep memory of their
 * own take it in this run. */
static int is_built(const contract_case *c, const perp_settings *s)
{
    double z[MAX_N], w[MAX_N];
    perp_status status = contract_solve(c->type, &c->view->problem, s, z, w, NULL);
    if (status < 0 && status != PERP_ERR_UNSUPPORTED)
        complain(c->complaints, "%s: %s with factor=%d", c->name, perp_status_name(status),
                 s->factor);
    return status >= 0;
}

static void fail_as(contract_case *c, failure how)
{
    for (int round = 0; round < rounds(c); round++) {
        perp_settings s = settings_of(round);
        if (!is_built(c, &s))
            continue;
        for (long k = 1; k < 10000; k++)
            if (live_with_failure(c, &s, k, how))
                break;
    }
}

static void fail_everywhere(contract_case *c)
{
    fail_as(c, FOR_GOOD);
    fail_as(c, ONCE);
}

static void fail_blocks(contract_case *c)
{
    fail_as(c, ONE_BLOCK);
}

START_TEST(failing_allocator)
{
    contract_each(fail_everywhere, ZOO_EASY, 4, EVERY_FORM);
}
END_TEST

/* Each block of an arena, which its chunks hide from the allocator. */
START_TEST(failing_blocks)
{
    contract_each(fail_blocks, ZOO_EASY, 8, 1 << STORED_CSC | 1 << STORED_DELASSUS);
}
END_TEST

/* The same below Perp: factorisations and BLAS call malloc themselves. */
static int live_without_malloc(contract_case *c, const perp_settings *s, long fail_at)
{
    double z[MAX_N], w[MAX_N];
    counter seen;
    perp_solver *solver = NULL;
    perp_info info = {.size = sizeof info};
    mark(z, w);
    malloc_watch_start(fail_at, 0);
    perp_status status = perp_solver_create(&solver, c->type, s, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, &c->view->problem);
    int in_solve = status == PERP_SOLVED;
    if (in_solve)
        status = perp_solver_solve(solver, z, w, &info);
    perp_solver_destroy(solver);
    malloc_watch_stop(&seen);
    int failed = fail_at && seen.allocations >= fail_at;
    int fine = !failed || status == PERP_ERR_MEMORY || (in_solve && status >= 0);
    if (!fine)
        complain(c->complaints, "%s: malloc %ld fails%s, %s", c->name, fail_at,
                 in_solve ? " in solve" : "", perp_status_name(status));
    if (status == PERP_SOLVED) {
        perp_residuals r = contract_judge(c->stored, c->kind, z, NULL);
        if (!(contract_error(&r, c->kind) <= 1.001e-8))
            complain(c->complaints, "%s: malloc %ld fails, false SOLVED", c->name, fail_at);
    }
    if (status < 0 && !untouched(z, w))
        complain(c->complaints, "%s: outputs touched", c->name);
    if (seen.live != 0)
        complain(c->complaints, "%s: %ld blocks leaked after malloc %ld failed", c->name, seen.live,
                 fail_at);
    return !failed;
}

static void fail_malloc_everywhere(contract_case *c)
{
    for (int round = 0; round < rounds(c); round++) {
        perp_settings s = settings_of(round);
        if (!is_built(c, &s))
            continue;
        for (long k = 1; k < 10000; k++)
            if (live_without_malloc(c, &s, k))
                break;
    }
}

START_TEST(failing_malloc)
{
    if (malloc_is_seen())
        contract_each(fail_malloc_everywhere, ZOO_EASY, 4, EVERY_FORM);
}
END_TEST

START_TEST(residual_without_memory)
{
    for (int k = 0; zoo_at(k); k++) {
        stored_problem p;
        zoo_build(&p, zoo_at(k));
        for (int kind = 0; kind < STORED_COUNT; kind++) {
            stored_view v;
            if (!stored_view_make(&v, &p, (storage)kind))
                continue;
            for (long fail_at = 1;; fail_at++) {
                double w[MAX_N], z[MAX_N];
                perp_residuals r = {.size = sizeof r};
                counter memory = {0, 0, fail_at, fail_at % 2 == 0};
                perp_allocator allocator = counter_allocator(&memory);
                mark(z, w);
                perp_status status = perp_residual(&v.problem, p.z, &allocator, w, &r);
                ck_assert_int_eq(memory.live, 0);
                if (memory.allocations < fail_at) {
                    ck_assert_int_eq(status, PERP_SOLVED);
                    break;
                }
                ck_assert_int_eq(status, PERP_ERR_MEMORY);
                ck_assert(untouched(z, w));
            }
            stored_view_free(&v);
        }
        stored_free(&p);
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {
        no_allocation_in_solve,
        failing_allocator,
        failing_blocks,
        failing_malloc,
        residual_without_memory,
    };
    return contract_main("contract-memory", tests, (int)(sizeof tests / sizeof tests[0]));
}
