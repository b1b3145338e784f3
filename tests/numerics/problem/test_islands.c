/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands: found in every storage, and solved apart by the solver "auto" where sweeps over the
 * whole do not do. */
#include "tests/fixtures/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "problem/islands.h"

enum { ISLANDS = 5, BODY = 6, PER_ISLAND = 6, MANY = 64 };

/* Contacts of two heavy and light bodies an island, in turns; the bodies of different islands
 * share no unknown of the mass.  Six contacts of twelve unknowns: hyperstatic. */
static void build(stored_problem *p, uint64_t seed, int islands)
{
    perp_rng rng = {seed};
    stored_init(p, "islands");
    stored_segment(p, PERP_COULOMB, 3, islands * PER_ISLAND, 0.6, 0.0);
    stored_allocate(p);
    stored_factors(p, islands * 2 * BODY);
    for (int k = 0; k < p->nblocks; k++)
        for (int i = 3 * k; i < 3 * k + 3; i++)
            for (int d = 0; d < 2 * BODY; d++)
                p->H[k % islands * 2 * BODY + d + i * p->dofs] = perp_rng_signed(&rng);
    for (int d = 0; d < p->dofs; d++)
        p->mass[d + d * p->dofs] = d / BODY % 2 == 0 ? 1.0 : 1e-4;
    stored_multiply(p);
    stored_plant(p, &rng);
}

/* The partition that `find` gives, as the lowest block of the island of each block. */
static int partition(int *lowest, const perp_problem *problem)
{
    perp_arena arena;
    perp_blocks blocks;
    perp_islands islands;
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_blocks_build(&blocks, problem, &arena), PERP_SOLVED);
    ck_assert_int_eq(perp_islands_find(&islands, &problem->M, &blocks, &arena), PERP_SOLVED);
    for (int k = 0; k < islands.count; k++)
        for (int b = islands.first[k]; b < islands.first[k + 1]; b++) {
            lowest[islands.block[b]] = islands.block[islands.first[k]];
            ck_assert(b == islands.first[k] || islands.block[b - 1] < islands.block[b]);
        }
    ck_assert_int_eq(islands.first[islands.count], blocks.count);
    int count = islands.count;
    perp_arena_free(&arena);
    return count;
}

/* By reachability in the dense matrix. */
static int reached(int *lowest, const stored_problem *p)
{
    int changed = 1, count = 0;
    for (int k = 0; k < p->nblocks; k++)
        lowest[k] = k;
    while (changed) {
        changed = 0;
        for (int i = 0; i < p->n; i++)
            for (int j = 0; j < p->n; j++)
                if (p->M[i + j * p->n] != 0.0 && lowest[i / 3] < lowest[j / 3]) {
                    lowest[j / 3] = lowest[i / 3];
                    changed = 1;
                }
    }
    for (int k = 0; k < p->nblocks; k++)
        count += lowest[k] == k;
    return count;
}

START_TEST(found_in_every_storage)
{
    for (int islands = 1; islands <= ISLANDS; islands++) {
        stored_problem p;
        stored_view v;
        int lowest[MANY], expected[MANY];
        build(&p, (uint64_t)islands, islands);
        int count = reached(expected, &p);
        ck_assert_int_eq(count, islands);
        for (int kind = 0; kind < STORED_COUNT; kind++) {
            if (!stored_view_make(&v, &p, (storage)kind))
                continue;
            int found = partition(lowest, &v.problem);
            if (v.problem.M.kind == PERP_OPERATOR) {
                ck_assert_int_eq(found, 1);
            } else {
                ck_assert_int_eq(found, count);
                ck_assert_mem_eq(lowest, expected, (size_t)p.nblocks * sizeof(int));
            }
            stored_view_free(&v);
        }
        stored_free(&p);
    }
}
END_TEST

/* Masses of more than twelve unknowns are factorised together, and still are components. */
START_TEST(found_in_a_sparse_mass)
{
    enum { ROD = 20, RODS = 3 };
    stored_problem p;
    stored_view v;
    int lowest[MANY];
    stored_init(&p, "rods");
    stored_segment(&p, PERP_COULOMB, 2, 2 * RODS, 0.3, 0.0);
    stored_allocate(&p);
    stored_factors(&p, ROD * RODS);
    for (int i = 1; i < p.dofs; i++)
        if (i % ROD != 0)
            p.mass[i + (i - 1) * p.dofs] = p.mass[i - 1 + i * p.dofs] = 0.25;
    for (int i = 0; i < p.n; i++)
        p.H[(i / 2 % RODS) * ROD + (i / 2 / RODS) * 15 + i % 2 + i * p.dofs] = 1.0;
    stored_multiply(&p);
    ck_assert_int_eq(stored_view_make(&v, &p, STORED_DELASSUS), 1);
    ck_assert_int_eq(partition(lowest, &v.problem), RODS);
    for (int k = 0; k < p.nblocks; k++)
        ck_assert_int_eq(lowest[k], k % RODS);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

static int went_apart(const perp_info *info)
{
    for (int k = 0; k < info->nstages; k++)
        if (strcmp(info->stages[k].solver, "auto") == 0)
            return 1;
    return 0;
}

static perp_settings strict(void)
{
    perp_settings s;
    settings_default(&s);
    s.tol = 1e-10;
    return s;
}

/* Every storage; what was solved apart fits together. */
START_TEST(solved_apart)
{
    int apart[STORED_COUNT] = {0};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        stored_problem p;
        stored_view v;
        build(&p, seed, ISLANDS);
        for (int kind = 0; kind < STORED_COUNT; kind++) {
            double z[3 * ISLANDS * PER_ISLAND], w[3 * ISLANDS * PER_ISLAND];
            perp_settings s = strict();
            perp_info info = {.size = sizeof info};
            if (kind == STORED_OPERATOR || kind == STORED_OPERATOR_BARE)
                continue;
            ck_assert_int_eq(stored_view_make(&v, &p, (storage)kind), 1);
            perp_status status = perp_solve("auto", &v.problem, &s, z, w, &info);
            ck_assert_msg(status == PERP_SOLVED, "seed %d, %s: %s", (int)seed, storage_names[kind],
                          perp_status_text(status));
            perp_residuals r = judge(&p, z, NULL);
            ck_assert_double_le(contract_error(&r, (storage)kind), 1.001 * s.tol);
            apart[kind] += went_apart(&info);
            stored_view_free(&v);
        }
        stored_free(&p);
    }
    for (int kind = 0; kind < STORED_COUNT; kind++)
        if (kind != STORED_OPERATOR && kind != STORED_OPERATOR_BARE)
            ck_assert_msg(apart[kind] >= 3, "%s: %d of 12", storage_names[kind], apart[kind]);
}
END_TEST

/* A problem that goes apart, by its seed. */
static uint64_t find_seed(void)
{
    for (uint64_t seed = 1;; seed++) {
        double z[3 * ISLANDS * PER_ISLAND], w[3 * ISLANDS * PER_ISLAND];
        stored_problem p;
        stored_view v;
        perp_settings s = strict();
        perp_info info = {.size = sizeof info};
        build(&p, seed, ISLANDS);
        stored_view_make(&v, &p, STORED_DELASSUS);
        perp_solve("auto", &v.problem, &s, z, w, &info);
        stored_view_free(&v);
        stored_free(&p);
        if (went_apart(&info))
            return seed;
    }
}

/* The same handle again, with a new q, with new numbers: the bits of a new handle. */
START_TEST(handle_again)
{
    enum { N = 3 * ISLANDS * PER_ISLAND };
    stored_problem p, other;
    stored_view v, u;
    perp_settings s = strict();
    perp_solver *solver;
    perp_info info = {.size = sizeof info};
    double z[N], fresh[N], w[N], q[N];
    uint64_t seed = find_seed();
    build(&p, seed, ISLANDS);
    build(&other, seed + 1, ISLANDS);
    stored_view_make(&v, &p, STORED_DELASSUS);
    stored_view_make(&u, &other, STORED_DELASSUS);
    for (int i = 0; i < N; i++)
        q[i] = 1.25 * p.q[i];
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), &s, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, &v.problem), PERP_SOLVED);
    for (int round = 0; round < 4; round++) {
        perp_problem problem = round == 3 ? u.problem : v.problem;
        if (round == 2) {
            problem.q = q;
            ck_assert_int_eq(perp_solver_update_q(solver, q), PERP_SOLVED);
        }
        if (round == 3)
            ck_assert_int_eq(perp_solver_update(solver, &u.problem), PERP_SOLVED);
        perp_solver_solve(solver, z, w, &info);
        perp_solve("auto", &problem, &s, fresh, w, NULL);
        ck_assert_mem_eq(z, fresh, sizeof z);
    }
    perp_solver_destroy(solver);
    stored_view_free(&v);
    stored_view_free(&u);
    stored_free(&p);
    stored_free(&other);
}
END_TEST

/* Any allocation that fails, or any block: the answer or a clear status, no leak, and the next
 * solve works. */
static void fail_each(const stored_problem *p, const stored_view *v, int blocks)
{
    enum { N = 3 * ISLANDS * PER_ISLAND };
    perp_settings s = strict();
    double z[N], w[N];
    int done = 0;
    for (long k = 1; !done; k++) {
        counter memory = {0, 0, k, 1};
        perp_allocator allocator = blocks ? block_allocator(&memory) : counter_allocator(&memory);
        perp_solver *solver;
        if (perp_solver_create(&solver, perp_solver_find("auto"), &s, &allocator, NULL) ==
                PERP_SOLVED &&
            perp_solver_setup(solver, &v->problem) == PERP_SOLVED) {
            perp_info info = {.size = sizeof info};
            perp_status status = perp_solver_solve(solver, z, w, &info);
            perp_residuals r = judge(p, z, NULL);
            ck_assert(status == PERP_ERR_MEMORY || status == PERP_STALLED || status == PERP_SOLVED);
            if (status == PERP_SOLVED)
                ck_assert_double_le(contract_error(&r, STORED_BSR), 1.001 * s.tol);
            if (memory.allocations >= k)
                ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
        }
        done = memory.allocations < k;
        perp_solver_destroy(solver);
        ck_assert_int_eq(memory.live, 0);
    }
}

START_TEST(no_memory)
{
    static const storage kinds[] = {STORED_BSR, STORED_DELASSUS};
    stored_problem p;
    stored_view v;
    build(&p, find_seed(), ISLANDS);
    for (int k = 0; k < 4; k++) {
        stored_view_make(&v, &p, kinds[k / 2]);
        fail_each(&p, &v, k % 2);
        stored_view_free(&v);
    }
    stored_free(&p);
}
END_TEST

/* Islands spend no more work than the budget of the whole, and a limit of time that is far away
 * changes no bit. */
START_TEST(within_the_budget)
{
    enum { N = 3 * ISLANDS * PER_ISLAND };
    stored_problem p;
    stored_view v;
    double z[N], w[N], whole[N];
    int stopped = 0;
    perp_settings s = strict();
    perp_info info = {.size = sizeof info};
    build(&p, find_seed(), ISLANDS);
    stored_view_make(&v, &p, STORED_DELASSUS);
    ck_assert_int_eq(perp_solve("auto", &v.problem, &s, whole, w, &info), PERP_SOLVED);
    double all = info.work;
    s.time_limit = 1e6;
    ck_assert_int_eq(perp_solve("auto", &v.problem, &s, z, w, &info), PERP_SOLVED);
    ck_assert_mem_eq(z, whole, sizeof z);
    s.time_limit = 0.0;
    for (int part = 1; part <= 40; part++) {
        s.budget = all * part / 40.0;
        perp_status status = perp_solve("auto", &v.problem, &s, z, w, &info);
        ck_assert(status == PERP_SOLVED || status == PERP_WORK_LIMIT || status == PERP_STALLED);
        ck_assert_double_le(info.work, s.budget * (1.0 + 1e-12) + 1.0);
        stopped += status == PERP_WORK_LIMIT && went_apart(&info);
        perp_residuals r = {.size = sizeof r};
        ck_assert_int_eq(perp_residual(&v.problem, z, NULL, w, &r), PERP_SOLVED);
        ck_assert_double_eq_tol(r.natural, info.residual.natural, 1e-10 * r.natural + 1e-16);
    }
    ck_assert_int_gt(stopped, 0);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* One island without a solution is enough, and its proof is one for all rows. */
START_TEST(one_without_a_solution)
{
    enum { N = 40 };
    perp_rng rng = {3};
    stored_problem p;
    stored_view v;
    double z[N], w[N], y[N];
    perp_certificate_kind kind;
    perp_certificate_figures figures = {.size = sizeof figures};
    stored_init(&p, "one without a solution");
    stored_segment(&p, PERP_NONNEG, 1, N, 0, 0);
    stored_allocate(&p);
    for (int i = 0; i < N; i += 2) {
        int off = i == 22;
        double coupling = off ? -1.0 : 0.5;
        p.M[i + i * N] = p.M[i + 1 + (i + 1) * N] = 1.0;
        p.M[i + 1 + i * N] = p.M[i + (i + 1) * N] = coupling;
        p.q[i] = off ? 0.5 : perp_rng_signed(&rng);
        p.q[i + 1] = off ? -1.0 : perp_rng_signed(&rng);
    }
    ck_assert(stored_view_make(&v, &p, STORED_CSC));
    perp_solver *solver;
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), NULL, NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, &v.problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_INFEASIBLE);
    ck_assert_int_eq(perp_solver_certificate(solver, N, &kind, y), PERP_SOLVED);
    ck_assert_int_eq(kind, PERP_CERTIFICATE_INFEASIBLE);
    ck_assert_int_eq(perp_certificate_check(&v.problem, kind, y, NULL, &figures), PERP_SOLVED);
    ck_assert_int_eq(figures.holds, 1);
    perp_solver_destroy(solver);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

static int stop_inside(void *ctx, const perp_progress *progress)
{
    int *calls = ctx;
    return progress->iteration > 0 && --*calls == 0;
}

/* The callback is asked inside the islands, with iterations that go on from before, and stops. */
START_TEST(interrupted)
{
    enum { N = 3 * ISLANDS * PER_ISLAND };
    stored_problem p;
    stored_view v;
    double z[N], w[N];
    build(&p, find_seed(), ISLANDS);
    stored_view_make(&v, &p, STORED_CSC);
    for (int calls = 1; calls < 200; calls++) {
        perp_settings s = strict();
        perp_info info = {.size = sizeof info};
        int left = calls;
        s.progress = stop_inside;
        s.progress_ctx = &left;
        perp_status status = perp_solve("auto", &v.problem, &s, z, w, &info);
        ck_assert_int_eq(status, left > 0 ? PERP_SOLVED : PERP_INTERRUPTED);
        ck_assert_msg(left >= 0, "asked again after it said stop");
        for (int i = 0; i < N; i++)
            ck_assert(isfinite(z[i]));
        if (left > 0)
            break;
    }
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* Islands go on at once, as it were: together they take no more than the iterations allowed. */
START_TEST(within_the_limit)
{
    enum { N = 3 * ISLANDS * PER_ISLAND };
    static const int limits[] = {31, 33, 40, 60, 100, 1000};
    stored_problem p;
    stored_view v;
    double z[N], w[N];
    build(&p, find_seed(), ISLANDS);
    stored_view_make(&v, &p, STORED_BSR);
    for (int k = 0; k < (int)(sizeof limits / sizeof *limits); k++) {
        perp_settings s = strict();
        perp_info info = {.size = sizeof info};
        s.max_iter = limits[k];
        perp_status status = perp_solve("auto", &v.problem, &s, z, w, &info);
        ck_assert(status == PERP_SOLVED || status == PERP_ITERATION_LIMIT ||
                  status == PERP_STALLED);
        ck_assert_int_le(info.iterations, limits[k]);
    }
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {found_in_every_storage,
                                  found_in_a_sparse_mass,
                                  solved_apart,
                                  handle_again,
                                  no_memory,
                                  one_without_a_solution,
                                  interrupted,
                                  within_the_limit,
                                  within_the_budget};
    return contract_main("islands", tests, (int)(sizeof tests / sizeof *tests));
}
