/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of discrete-gradient beside other schemes, from checkpoints, in threads, with changes
 * between the steps and without memory. */
#include <pthread.h>
#include <stdlib.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/mechanism.h"

enum { LINKS = 6, ROOM = 13 * (LINKS + 1) };

static const mechanism_sphere ball = {0.05, 0.0, -0.5, {0.1, 0.0, 0.0}};

/* A chain that is about to fall on the ground: joints, impacts, friction, position stage. */
static void falling_chain_with(mechanism *m, const char *parameters,
                               const perp_allocator *allocator)
{
    mechanism_open_with(m, parameters, allocator);
    mechanism_chain(m, LINKS, PERP_JOINT_PIVOT, 5.0);
    for (int k = 0; k <= LINKS; k++)
        mechanism_sphere_on_plane(m, k, &ball, perp_law_friction(3, 0.4, 0.5));
    mechanism_start(m, 1.0 / 240.0);
}

static void falling_chain(mechanism *m)
{
    falling_chain_with(m, "", NULL);
}

static int states(double out[ROOM], mechanism *m)
{
    int count = 0;
    for (int k = 0; k < m->bodies; k++) {
        memcpy(out + count, mechanism_x(m, k), 7 * sizeof *out);
        memcpy(out + count + 7, mechanism_v(m, k), 6 * sizeof *out);
        count += 13;
    }
    return count;
}

static void assert_same(mechanism *a, mechanism *b, const char *what)
{
    double in_a[ROOM], in_b[ROOM];
    int count = states(in_a, a);
    ck_assert_int_eq(states(in_b, b), count);
    for (int i = 0; i < count; i++)
        ck_assert_msg(memcmp(&in_a[i], &in_b[i], sizeof *in_a) == 0, "%s: state %d: %.17g, %.17g",
                      what, i, in_a[i], in_b[i]);
}

static void steps(mechanism *m, int count)
{
    for (int k = 0; k < count; k++)
        mechanism_step(m);
}

START_TEST(from_a_checkpoint)
{
    mechanism saved, loaded;
    falling_chain(&saved);
    falling_chain(&loaded);
    for (int k = 0; k < 5; k++) {
        steps(&saved, 20 + k);
        mechanism_continue(&loaded, &saved);
        for (int i = 0; i < 10; i++) {
            steps(&saved, 1);
            steps(&loaded, 1);
            assert_same(&saved, &loaded, "continued");
        }
        steps(&loaded, 3);
    }
    mechanism_close(&saved);
    mechanism_close(&loaded);
}
END_TEST

static void *run_to_the_end(void *argument)
{
    mechanism *m = argument;
    for (int k = 0; k < 120; k++)
        perp_sim_step(m->run.sim);
    return NULL;
}

START_TEST(in_threads)
{
    mechanism *m = calloc(3, sizeof *m);
    pthread_t thread[2];
    for (int k = 0; k < 3; k++)
        falling_chain(&m[k]);
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(pthread_create(&thread[k], NULL, run_to_the_end, &m[k]), 0);
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], NULL);
    run_to_the_end(&m[2]);
    assert_same(&m[0], &m[2], "first thread");
    assert_same(&m[1], &m[2], "second thread");
    for (int k = 0; k < 3; k++)
        mechanism_close(&m[k]);
    free(m);
}
END_TEST

/* A bouncing ball on the side, one more system of the model. */
static perp_system_id add_ball(mechanism *m, double at, perp_interaction_id *floor)
{
    static const double one = 1.0, weight = -9.81;
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &at;
    def.F = &weight;
    ck_assert_int_eq(perp_model_add_lagrangian(m->run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
    *floor = run_link(&m->run, &id, 1, &relation, perp_law_impact(0.7));
    return id;
}

static const struct {
    const char *scheme;
    double theta;
} others[] = {{"moreau-jean", 0.5}, {"discrete-gradient", 0.7}, {"generalized-alpha", 0.5}};

/* What does not touch the chain changes none of its bits, nor the chain those of the ball. */
START_TEST(two_schemes_in_one_simulation)
{
    mechanism chain, both, alone;
    perp_interaction_id floor;
    perp_scheme other;
    ck_assert_int_eq(perp_scheme_init(&other, others[_i].scheme, sizeof other), PERP_SOLVED);
    other.theta = others[_i].theta;
    falling_chain(&chain);
    falling_chain(&both);
    perp_system_id ball_of_both = add_ball(&both, 0.3, &floor);
    ck_assert_int_eq(perp_sim_set_scheme(both.run.sim, ball_of_both, &other), PERP_SOLVED);
    mechanism_open(&alone, "");
    perp_system_id ball_alone = add_ball(&alone, 0.3, &floor);
    mechanism_start(&alone, 1.0 / 240.0);
    ck_assert_int_eq(perp_sim_set_scheme(alone.run.sim, ball_alone, &other), PERP_SOLVED);
    for (int k = 0; k < 150; k++) {
        steps(&chain, 1);
        steps(&both, 1);
        steps(&alone, 1);
        assert_same(&chain, &both, others[_i].scheme);
        ck_assert_double_eq(run_x(&both.run, ball_of_both)[0], run_x(&alone.run, ball_alone)[0]);
    }
    mechanism_close(&chain);
    mechanism_close(&both);
    mechanism_close(&alone);
}
END_TEST

/* Both problems of a step are shown: that of the circuit, then the contacts of the chain. */
static int check_problems(mechanism *chain, mechanism *both, double current)
{
    const perp_step_info *alone = perp_sim_info(chain->run.sim);
    const perp_step_info *info = perp_sim_info(both->run.sim);
    int contacts = alone->rows > 0;
    perp_problem problem, last;
    const double *z, *w;
    ck_assert_int_eq(info->rows, alone->rows + 1);
    ck_assert_int_eq(info->active, alone->active + 1);
    ck_assert_int_eq(perp_sim_problems(chain->run.sim), contacts);
    ck_assert_int_eq(perp_sim_problems(both->run.sim), 1 + contacts);
    ck_assert_int_eq(perp_sim_problem(both->run.sim, 0, &problem, &z, &w), PERP_SOLVED);
    ck_assert_int_eq((int)problem.M.rows, 1);
    ck_assert_double_eq(z[0], current);
    ck_assert_double_ge(w[0], -1e-9);
    ck_assert_int_eq(perp_sim_problem(both->run.sim, contacts, &problem, &z, &w), PERP_SOLVED);
    ck_assert_int_eq((int)problem.M.rows, contacts ? alone->rows : 1);
    ck_assert_int_eq(perp_sim_last_problem(both->run.sim, &last, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq((int)problem.M.rows, (int)last.M.rows);
    ck_assert_int_lt(perp_sim_problem(both->run.sim, 1 + contacts, &problem, NULL, NULL), 0);
    ck_assert_int_lt(perp_sim_problem(both->run.sim, -1, &problem, NULL, NULL), 0);
    return contacts;
}

/* Beside a circuit with a diode, x' = A x + B lambda. */
START_TEST(with_a_circuit)
{
    static const double x0[] = {10.0, 0.0}, A[] = {0.0, 2.0, -3.0, 0.0}, B[] = {-3.0, 0.0},
                        C[] = {-1.0, 0.0}, D = 2.0;
    mechanism chain, both;
    perp_system_id id;
    perp_first_order_def def;
    falling_chain(&chain);
    falling_chain(&both);
    perp_first_order_def_init(&def, sizeof def);
    def.n = 2;
    def.x0 = x0;
    ck_assert_int_eq(perp_mat_init_dense(&def.A, 2, 2, A, 2), PERP_SOLVED);
    ck_assert_int_eq(perp_model_add_first_order(both.run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation diode = {.size = sizeof diode,
                           .kind = PERP_RELATION_LINEAR,
                           .rows = 1,
                           .B = B,
                           .C = C,
                           .D = &D};
    perp_interaction_id link = run_link(&both.run, &id, 1, &diode, perp_law_complementarity());
    double largest = 0.0;
    int touched = 0;
    for (int k = 0; k < 150; k++) {
        steps(&chain, 1);
        steps(&both, 1);
        assert_same(&chain, &both, "circuit");
        largest = fmax(largest, run_lambda(&both.run, link)[0]);
        touched += check_problems(&chain, &both, run_lambda(&both.run, link)[0]);
        ck_assert_double_ge(run_lambda(&both.run, link)[0], -1e-9);
    }
    ck_assert_double_gt(largest, 0.1);
    ck_assert_int_gt(touched, 10);
    mechanism_close(&chain);
    mechanism_close(&both);
}
END_TEST

/* The hook of the changes: a mechanism, and what was added. */
typedef struct changes {
    mechanism *m;
    int steps;
    perp_system_id guest;
    perp_interaction_id floor;
} changes;

static int change(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    changes *c = ctx;
    mechanism *m = c->m;
    int k = c->steps++;
    (void)t, (void)h;
    if (k % 7 == 3)
        ck_assert_int_eq(perp_sim_set_h(sim, k % 2 ? 1.0 / 500.0 : 1.0 / 200.0), PERP_SOLVED);
    if (k % 10 == 4)
        c->guest = add_ball(m, 0.1, &c->floor);
    if (k % 10 == 8)
        ck_assert_int_eq(perp_model_remove_system(model, c->guest), PERP_SOLVED);
    if (k == 30) { /* the chain is cut, and joined to the world where it was cut */
        ck_assert_int_eq(perp_model_remove_interaction(model, m->joint[3]), PERP_SOLVED);
        m->joint[3] = m->joint[--m->joints];
    }
    if (k == 45) {
        const double *x = mechanism_x(m, 2);
        mechanism_join(m, PERP_JOINT_POINT, 2, MECHANISM_WORLD, x, NULL);
    }
    if (k == 60) {
        ck_assert_int_eq(perp_model_remove_interaction(model, m->joint[--m->joints]), PERP_SOLVED);
        mechanism_sphere_on_plane(m, 0, &ball, perp_law_impact(0.0));
    }
    perp_law law = perp_law_friction(3, k % 20 < 10 ? 0.0 : 0.8, k % 8 < 4 ? 0.2 : 0.9);
    if (k % 5 == 0)
        ck_assert_int_eq(perp_model_set_law(model, m->contact[k % LINKS], &law), PERP_SOLVED);
    return 0;
}

/* Joints hold and energy does not rise, whatever is changed; what is added comes at rest. */
START_TEST(changes_between_steps)
{
    mechanism m;
    changes c = {.m = &m};
    falling_chain(&m);
    perp_sim_set_before_step(m.run.sim, change, &c);
    double energy = mechanism_energy(&m);
    for (int k = 0; k < 120; k++) {
        double stage = 0.0;
        perp_verdict verdict;
        perp_sim_verdict(m.run.sim, &verdict, sizeof verdict);
        stage = verdict.stage;
        mechanism_step(&m);
        perp_sim_verdict(m.run.sim, &verdict, sizeof verdict);
        double now = mechanism_energy(&m);
        ck_assert_double_le(mechanism_opening(&m), 1e-9);
        ck_assert_double_le(now, energy + fmax(0.0, verdict.stage - stage) + 1e-8);
        energy = now;
    }
    mechanism_close(&m);
}
END_TEST

/* Every allocation of a step fails in turn: all bits stay, and the run goes on as without; or the
 * step is made all the same, by another solver. */
START_TEST(no_memory)
{
    static const int begin[] = {0, 70, 70};
    const char *parameters = _i < 2 ? "" : "impacts=poisson";
    mechanism plain;
    falling_chain_with(&plain, parameters, NULL);
    steps(&plain, begin[_i] + 30);
    for (long k = 1, failed = 1; failed; k++) {
        mechanism m;
        perp_status status = PERP_SOLVED;
        double before[ROOM], after[ROOM];
        counter c = {0, 0, 0, 1};
        perp_allocator allocator = counter_allocator(&c);
        falling_chain_with(&m, parameters, &allocator);
        steps(&m, begin[_i]);
        int count = states(before, &m), made = 0;
        c.fail_at = c.allocations + k;
        for (; made < 30 && status == PERP_SOLVED; made++) {
            states(before, &m);
            status = perp_sim_step(m.run.sim);
        }
        failed = c.allocations >= c.fail_at;
        c.fail_at = 0;
        ck_assert_msg(status == PERP_SOLVED || status == PERP_ERR_MEMORY, "allocation %ld: %s", k,
                      perp_status_name(status));
        if (status == PERP_ERR_MEMORY) {
            states(after, &m);
            ck_assert_mem_eq(before, after, sizeof(double) * (size_t)count);
            steps(&m, 31 - made);
        }
        if (status == PERP_ERR_MEMORY || !failed)
            assert_same(&m, &plain, "after a failure");
        mechanism_close(&m);
        ck_assert_int_eq((int)c.live, 0);
        ck_assert_int_lt(k, 500);
    }
    mechanism_close(&plain);
}
END_TEST

/* The same motion again, but for the impulses that its solves start from. */
static void repeat(mechanism *m, const double *start, int count)
{
    for (int k = 0; k < m->bodies; k++) {
        memcpy(mechanism_x(m, k), start + 13 * k, 7 * sizeof *start);
        memcpy(mechanism_v(m, k), start + 13 * k + 7, 6 * sizeof *start);
    }
    perp_model_changed(m->run.model);
    steps(m, count);
}

/* Repeated it takes no more memory: problems of sizes that it had not met are met the second time. */
START_TEST(no_allocation_after_the_high_water_mark)
{
    mechanism m;
    double start[ROOM];
    counter c = {0, 0, 0, 0};
    perp_allocator allocator = counter_allocator(&c);
    falling_chain_with(&m, _i ? "impacts=poisson" : "", &allocator);
    states(start, &m);
    steps(&m, 200);
    repeat(&m, start, 200);
    long before = c.allocations;
    for (int k = 0; k < 3; k++)
        repeat(&m, start, 200);
    ck_assert_int_eq((int)(c.allocations - before), 0);
    mechanism_close(&m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("discrete-gradient, runs");
    TCase *tcase = tcase_create("runs");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, from_a_checkpoint);
    tcase_add_test(tcase, in_threads);
    tcase_add_loop_test(tcase, two_schemes_in_one_simulation, 0, 3);
    tcase_add_test(tcase, with_a_circuit);
    tcase_add_test(tcase, changes_between_steps);
    tcase_add_loop_test(tcase, no_memory, 0, 3);
    tcase_add_loop_test(tcase, no_allocation_after_the_high_water_mark, 0, 2);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
