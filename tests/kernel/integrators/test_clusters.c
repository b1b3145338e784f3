/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands of one simulation that discrete-gradient makes one after the other: each moves as it does
 * alone, whatever the others do. */
#include <stdlib.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/mechanism.h"

enum { LINKS = 6, CHAINS = 3, ENTRIES = 13 * CHAINS * (LINKS + 2) };

/* A chain from a point of the world along x, with balls that meet the plane z = -0.5. */
typedef struct chain {
    double at[3], tip;
    int links;
} chain;

/* One hangs low, one falls for longer, one is heavy at its end. */
static const chain chains[CHAINS] = {
    {{0.0, 0.0, 0.0}, 5.0, LINKS}, {{0.0, 3.0, 0.4}, 1.0, LINKS + 1}, {{0.0, 6.0, 0.1}, 100.0, 5}};

static void add_chain(mechanism *m, const chain *c)
{
    static const double link[] = {0.0005, 0.0035, 0.0035};
    static const mechanism_sphere ball = {0.05, 0.0, -0.5, {0.1, 0.0, 0.0}};
    int first = m->bodies;
    for (int k = 0; k < c->links; k++) {
        double place[] = {c->at[0] + 0.2 * k + 0.1, c->at[1], c->at[2]};
        double anchor[] = {c->at[0] + 0.2 * k, c->at[1], c->at[2]};
        double axis[] = {k % 2 ? 0.3 : -0.3, 1.0, 0.0};
        int mine = mechanism_body(m, k + 1 < c->links ? 1.0 : c->tip, link, place, NULL);
        mechanism_join(m, PERP_JOINT_PIVOT, mine, k > 0 ? mine - 1 : MECHANISM_WORLD, anchor, axis);
    }
    for (int k = first; k < m->bodies; k++)
        mechanism_sphere_on_plane(m, k, &ball, perp_law_friction(3, 0.4, 0.5));
}

/* The chains whose bits are set. */
static void open_chains(mechanism *m, int which, const perp_allocator *allocator)
{
    mechanism_open_with(m, "", allocator);
    for (int k = 0; k < CHAINS; k++)
        if (which >> k & 1)
            add_chain(m, &chains[k]);
    mechanism_start(m, 1.0 / 240.0);
}

static int states(double out[ENTRIES], mechanism *m, int first, int count)
{
    for (int k = 0; k < count; k++) {
        memcpy(out + 13 * k, mechanism_x(m, first + k), 7 * sizeof *out);
        memcpy(out + 13 * k + 7, mechanism_v(m, first + k), 6 * sizeof *out);
    }
    return 13 * count;
}

/* Bodies first ... of a are all those of b. */
static void assert_same(mechanism *a, int first, mechanism *b, int step)
{
    double in_a[ENTRIES], in_b[ENTRIES];
    int count = states(in_b, b, 0, b->bodies);
    states(in_a, a, first, b->bodies);
    for (int i = 0; i < count; i++)
        ck_assert_msg(memcmp(&in_a[i], &in_b[i], sizeof *in_a) == 0,
                      "step %d, state %d: %.17g, %.17g", step, i, in_a[i], in_b[i]);
}

/* To the last bit; the certificate of all is no better than that of any. */
START_TEST(each_moves_as_alone)
{
    mechanism all, alone[CHAINS];
    int iterates = 0, most = 0;
    open_chains(&all, 7, NULL);
    for (int k = 0; k < CHAINS; k++)
        open_chains(&alone[k], 1 << k, NULL);
    for (int step = 0; step < 200; step++) {
        int first = 0, largest = 0;
        mechanism_step(&all);
        for (int k = 0; k < CHAINS; k++) {
            mechanism_step(&alone[k]);
            assert_same(&all, first, &alone[k], step);
            first += alone[k].bodies;
            int own = perp_sim_info(alone[k].run.sim)->newton;
            largest = own > largest ? own : largest;
        }
        ck_assert_int_eq(perp_sim_info(all.run.sim)->newton, largest);
        iterates += largest;
        most = largest > most ? largest : most;
    }
    ck_assert_int_gt(most, 2 * iterates / 200); /* some step is hard for one of them */
    for (int k = 0; k < CHAINS; k++) {
        ck_assert_double_ge(mechanism_figure(&all, "joints"),
                            mechanism_figure(&alone[k], "joints"));
        ck_assert_double_ge(mechanism_figure(&all, "dynamics"),
                            mechanism_figure(&alone[k], "dynamics"));
        mechanism_close(&alone[k]);
    }
    mechanism_close(&all);
}
END_TEST

/* The problem of each is one of the step, in the order of the chains. */
START_TEST(each_shows_its_problem)
{
    mechanism all, alone[CHAINS];
    int together = 0;
    open_chains(&all, 7, NULL);
    for (int k = 0; k < CHAINS; k++)
        open_chains(&alone[k], 1 << k, NULL);
    for (int step = 0; step < 300; step++) {
        int problems = 0, rows = 0, active = 0;
        mechanism_step(&all);
        for (int k = 0; k < CHAINS; k++) {
            perp_problem mine, shown;
            const double *z, *z_shown;
            mechanism_step(&alone[k]);
            const perp_step_info *info = perp_sim_info(alone[k].run.sim);
            rows += info->rows;
            active += info->active;
            if (perp_sim_problems(alone[k].run.sim) == 0)
                continue;
            ck_assert_int_eq(perp_sim_problem(alone[k].run.sim, 0, &mine, &z, NULL), PERP_SOLVED);
            ck_assert_int_eq(perp_sim_problem(all.run.sim, problems++, &shown, &z_shown, NULL),
                             PERP_SOLVED);
            ck_assert_int_eq((int)mine.M.rows, (int)shown.M.rows);
            ck_assert_mem_eq(z, z_shown, sizeof *z * (size_t)mine.M.rows);
        }
        ck_assert_int_eq(perp_sim_problems(all.run.sim), problems);
        ck_assert_int_eq(perp_sim_info(all.run.sim)->rows, rows);
        ck_assert_int_eq(perp_sim_info(all.run.sim)->active, active);
        together += problems == CHAINS;
    }
    ck_assert_int_gt(together, 5);
    for (int k = 0; k < CHAINS; k++)
        mechanism_close(&alone[k]);
    mechanism_close(&all);
}
END_TEST

/* Two of them are tied for a while, so that lists and memory change hands. */
static void tie_or_part(mechanism *m, int step)
{
    if (step == 40)
        mechanism_join(m, PERP_JOINT_DISTANCE, 2, LINKS + 2, mechanism_x(m, 2),
                       mechanism_x(m, LINKS + 2));
    if (step == 80)
        ck_assert_int_eq(perp_model_remove_interaction(m->run.model, m->joint[--m->joints]),
                         PERP_SOLVED);
}

START_TEST(tied_and_parted)
{
    mechanism m;
    perp_verdict verdict;
    open_chains(&m, 7, NULL);
    double energy = mechanism_energy(&m), stage = 0.0;
    for (int step = 0; step < 140; step++) {
        tie_or_part(&m, step);
        mechanism_step(&m);
        perp_sim_verdict(m.run.sim, &verdict, sizeof verdict);
        double now = mechanism_energy(&m);
        ck_assert_double_le(mechanism_opening(&m), 1e-9);
        ck_assert_double_le(now, energy + fmax(0.0, verdict.stage - stage) + 1e-8);
        energy = now;
        stage = verdict.stage;
    }
    mechanism_close(&m);
}
END_TEST

START_TEST(from_a_checkpoint)
{
    mechanism saved, loaded;
    open_chains(&saved, 7, NULL);
    open_chains(&loaded, 7, NULL);
    for (int k = 0; k < 5; k++) {
        for (int step = 0; step < 20 + k; step++)
            mechanism_step(&saved);
        mechanism_continue(&loaded, &saved);
        for (int step = 0; step < 10; step++) {
            mechanism_step(&saved);
            mechanism_step(&loaded);
            assert_same(&saved, 0, &loaded, step);
        }
        mechanism_step(&loaded);
    }
    mechanism_close(&saved);
    mechanism_close(&loaded);
}
END_TEST

/* Every allocation of the steps fails in turn: all bits stay, and the run goes on as without. */
START_TEST(no_memory)
{
    enum { STEPS = 90 };
    mechanism plain;
    open_chains(&plain, 3, NULL);
    for (int k = 0; k < STEPS; k++)
        mechanism_step(&plain);
    for (long k = 1, failed = 1; failed; k++) {
        mechanism m;
        perp_status status = PERP_SOLVED;
        double before[ENTRIES], after[ENTRIES];
        counter c = {0, 0, 0, 1};
        perp_allocator allocator = counter_allocator(&c);
        open_chains(&m, 3, &allocator);
        int count = states(before, &m, 0, m.bodies), made = 0;
        c.fail_at = c.allocations + k;
        for (; made < STEPS && status == PERP_SOLVED; made++) {
            states(before, &m, 0, m.bodies);
            status = perp_sim_step(m.run.sim);
        }
        failed = c.allocations >= c.fail_at;
        c.fail_at = 0;
        ck_assert_msg(status == PERP_SOLVED || status == PERP_ERR_MEMORY, "allocation %ld: %s", k,
                      perp_status_name(status));
        if (status == PERP_ERR_MEMORY) {
            states(after, &m, 0, m.bodies);
            ck_assert_mem_eq(before, after, sizeof(double) * (size_t)count);
            for (made--; made < STEPS; made++)
                mechanism_step(&m);
        }
        if (status == PERP_ERR_MEMORY || !failed)
            assert_same(&m, 0, &plain, (int)k);
        mechanism_close(&m);
        ck_assert_int_eq((int)c.live, 0);
        ck_assert_int_lt(k, 500);
    }
    mechanism_close(&plain);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("discrete-gradient, clusters");
    TCase *tcase = tcase_create("clusters");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, each_moves_as_alone);
    tcase_add_test(tcase, each_shows_its_problem);
    tcase_add_test(tcase, tied_and_parted);
    tcase_add_test(tcase, from_a_checkpoint);
    tcase_add_test(tcase, no_memory);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
