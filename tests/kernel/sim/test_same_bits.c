/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that are the same bit for bit: again, in two threads, from a checkpoint. */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/mixture.h"

enum { STEPS = 400, HALF = 170, ROOM = 64 };

static const double one = 1.0;

static void assert_same_bits(const mixture *a, const mixture *b, const char *what)
{
    double in_a[ROOM], in_b[ROOM];
    int count = mixture_states(in_a, a);
    ck_assert_int_eq(mixture_states(in_b, b), count);
    for (int i = 0; i < count; i++)
        ck_assert_msg(memcmp(&in_a[i], &in_b[i], sizeof *in_a) == 0, "%s: state %d: %.17g, %.17g",
                      what, i, in_a[i], in_b[i]);
    perp_interaction_id id = {0, 0};
    for (;;) {
        const double *la, *lb, *ya, *yb;
        int rows;
        id = perp_model_next_interaction(a->r.model, id);
        if (id.generation == 0)
            return;
        perp_model_output(a->r.model, id, &ya, NULL, &la, &rows, NULL);
        perp_model_output(b->r.model, id, &yb, NULL, &lb, &rows, NULL);
        ck_assert_msg(memcmp(la, lb, sizeof *la * (size_t)rows) == 0, "%s: lambda", what);
        ck_assert_msg(memcmp(ya, yb, sizeof *ya * (size_t)rows) == 0, "%s: y", what);
    }
}

static void steps(mixture *m, int count)
{
    for (int k = 0; k < count; k++)
        rig_step(&m->r);
}

START_TEST(again)
{
    mixture a, b;
    mixture_make(&a, WITH_ALL, NULL, NULL);
    mixture_make(&b, WITH_ALL, NULL, NULL);
    for (int k = 0; k < STEPS; k++) {
        steps(&a, 1);
        steps(&b, 1);
        assert_same_bits(&a, &b, "again");
    }
    mixture_free(&a);
    mixture_free(&b);
}
END_TEST

static void *run_to_the_end(void *argument)
{
    mixture *m = argument;
    for (int k = 0; k < STEPS; k++)
        perp_sim_step(m->r.sim);
    return NULL;
}

START_TEST(in_two_threads)
{
    mixture m[3];
    pthread_t thread[2];
    for (int k = 0; k < 3; k++)
        mixture_make(&m[k], WITH_ALL, NULL, NULL);
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(pthread_create(&thread[k], NULL, run_to_the_end, &m[k]), 0);
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], NULL);
    run_to_the_end(&m[2]);
    assert_same_bits(&m[0], &m[2], "first thread");
    assert_same_bits(&m[1], &m[2], "second thread");
    for (int k = 0; k < 3; k++)
        mixture_free(&m[k]);
}
END_TEST

static const struct {
    const char *scheme, *parameters;
    int with;
} kinds[] = {
    {"moreau-jean", "theta=0.5", WITH_ALL},
    {"moreau-jean", "hysteresis=1 activate=1e-4", WITH_ALL},
    {"moreau-jean", "configuration=start forces=explicit", WITH_BALL | WITH_BODY | WITH_ARM},
    {"euler-moreau", "theta=0.6 gamma=0.7", WITH_ALL},
    {"euler-moreau", "theta=0.5 gamma=0.5 variant=full", WITH_CIRCUIT | WITH_RELAY},
    {"euler-moreau", "theta=0.5 gamma=0.5 variant=midpoint", WITH_CIRCUIT | WITH_RELAY},
    {"moreau-jean-direct-projection", "", WITH_BALL | WITH_BODY | WITH_ARM},
    {"moreau-jean-combined-projection", "", WITH_ARM},
    {"event-capturing-rk", "", WITH_BALL},
    {"event-capturing-rk", "tableau=radau3", WITH_BALL | WITH_ARM},
    {"splitting", "tableau=heun3", WITH_BALL | WITH_BODY},
    {"splitting", "contact_forces=continuous inner_steps=controlled", WITH_BALL | WITH_ARM},
    {"moreau-jean-adaptive", "atol=1e-5", WITH_ALL},
    {"moreau-jean-extrapolated", "atol=1e-4 levels=3", WITH_ALL},
    {"generalized-alpha", "", WITH_ALL},
    {"discrete-gradient", "", WITH_ALL},
    {"discrete-gradient-adaptive", "atol=1e-5", WITH_ALL},
    {"event-driven", "", WITH_BALL | WITH_ARM},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static unsigned char *save(const mixture *m, size_t *bytes)
{
    ck_assert_int_eq(perp_sim_save(m->r.sim, NULL, bytes), PERP_SOLVED);
    ck_assert_uint_gt(*bytes, 0);
    unsigned char *buffer = malloc(*bytes);
    ck_assert_ptr_nonnull(buffer);
    ck_assert_int_eq(perp_sim_save(m->r.sim, buffer, bytes), PERP_SOLVED);
    return buffer;
}

/* The run that was saved goes on, another one takes up the bytes, and a third one was never
 * saved; then the first goes back. */
START_TEST(a_checkpoint_continues)
{
    mixture saved, loaded, plain;
    size_t bytes;
    perp_scheme scheme = rig_scheme(kinds[_i].scheme, kinds[_i].parameters);
    mixture_make(&saved, kinds[_i].with, &scheme, NULL);
    mixture_make(&loaded, kinds[_i].with, &scheme, NULL);
    mixture_make(&plain, kinds[_i].with, &scheme, NULL);
    steps(&saved, HALF);
    steps(&loaded, 3);
    unsigned char *buffer = save(&saved, &bytes);
    ck_assert_int_eq(perp_sim_load(loaded.r.sim, buffer, bytes), PERP_SOLVED);
    ck_assert_double_eq(perp_sim_time(loaded.r.sim), perp_sim_time(saved.r.sim));
    assert_same_bits(&saved, &loaded, "loaded");
    for (int k = HALF; k < STEPS; k++) {
        steps(&saved, 1);
        steps(&loaded, 1);
        ck_assert_double_eq(perp_sim_time(loaded.r.sim), perp_sim_time(saved.r.sim));
        assert_same_bits(&saved, &loaded, "continued");
    }
    ck_assert_int_eq((int)perp_sim_info(loaded.r.sim)->step, STEPS);
    steps(&plain, STEPS);
    assert_same_bits(&saved, &plain, "never saved");
    ck_assert_int_eq(perp_sim_load(saved.r.sim, buffer, bytes), PERP_SOLVED);
    steps(&saved, STEPS - HALF);
    assert_same_bits(&saved, &plain, "gone back");
    free(buffer);
    mixture_free(&saved);
    mixture_free(&loaded);
    mixture_free(&plain);
}
END_TEST

/* The two-step scheme keeps q_k-1. */
START_TEST(schatzman_paoli)
{
    rig r[2];
    perp_system_id ball[2];
    const double F = -9.81;
    size_t bytes = 0;
    perp_scheme scheme = rig_scheme("schatzman-paoli", "");
    for (int k = 0; k < 2; k++) {
        rig_init(&r[k], 5e-3);
        ball[k] = rig_lagrangian(&r[k], 1, &one, NULL, NULL, &F);
        rig_linear(&r[k], ball[k], 1, &one, NULL, perp_law_impact(0.8));
        rig_start(&r[k], &scheme);
    }
    rig_run(&r[0], 1.5);
    ck_assert_int_eq(perp_sim_save(r[0].sim, NULL, &bytes), PERP_SOLVED);
    void *buffer = malloc(bytes);
    ck_assert_int_eq(perp_sim_save(r[0].sim, buffer, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_load(r[1].sim, buffer, bytes), PERP_SOLVED);
    for (int k = 0; k < 400; k++) {
        rig_step(&r[0]);
        rig_step(&r[1]);
        ck_assert_double_eq(*rig_q(&r[0], ball[0]), *rig_q(&r[1], ball[1]));
        ck_assert_double_eq(*rig_v(&r[0], ball[0]), *rig_v(&r[1], ball[1]));
    }
    free(buffer);
    rig_free(&r[0]);
    rig_free(&r[1]);
}
END_TEST

/* Refuses at one of its calls. */
typedef struct refusal {
    long calls, at;
} refusal;

static int pull(double *out, double t, const double *x, const double *v, const double *z,
                void *user)
{
    refusal *r = user;
    (void)v, (void)z;
    *out = sin(3.0 * t) - x[0];
    return ++r->calls == r->at;
}

static int pull_x(double *out, double t, const double *x, const double *v, const double *z,
                  void *user)
{
    (void)t, (void)x, (void)v, (void)z, (void)user;
    *out = -1.0;
    return 0;
}

static int nothing(double *out, double t, const double *x, const double *v, const double *z,
                   void *user)
{
    (void)t, (void)x, (void)v, (void)z, (void)user;
    *out = 0.0;
    return 0;
}

/* A mass between two others and a wall, and a state of first order under a relay. */
static void add_refusing(rig *r, refusal *refuses)
{
    const double F = -2.0, pair[] = {-1.0, 1.0}, apart = -0.1;
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    perp_system_id mass[3];
    for (int k = 0; k < 3; k++) {
        const double q0 = 0.1 + 0.3 * k;
        def.n = 1;
        def.q0 = &q0;
        def.F = &F;
        def.F_int = k == 1 ? pull : NULL;
        def.F_int_q = k == 1 ? pull_x : NULL;
        def.F_int_v = k == 1 ? nothing : NULL;
        def.user = refuses;
        mass[k] = rig_add_lagrangian(r, &def);
    }
    rig_linear(r, mass[0], 1, &one, NULL, perp_law_impact(0.6));
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.C = pair;
    relation.e = &apart;
    rig_interact(r, mass, 2, &relation, perp_law_impact(0.6));
    rig_interact(r, mass + 1, 2, &relation, perp_law_impact(0.6));
    perp_first_order_def first;
    perp_first_order_def_init(&first, sizeof first);
    first.n = 1;
    first.x0 = &one;
    first.f = pull;
    first.f_x = pull_x;
    first.user = refuses;
    perp_system_id state = rig_add_first_order(r, &first);
    relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.B = relation.C = &one;
    rig_interact(r, &state, 1, &relation, perp_law_relay(-0.5, 0.5));
}

static const struct {
    const char *scheme, *parameters;
} all_schemes[] = {{"moreau-jean", ""},
                   {"moreau-jean", "hysteresis=1"},
                   {"schatzman-paoli", ""},
                   {"schatzman-paoli", "velocity=backward start=centred"},
                   {"moreau-jean-direct-projection", ""},
                   {"moreau-jean-combined-projection", ""},
                   {"generalized-alpha", ""},
                   {"generalized-alpha", "smooth_contacts=0"},
                   {"discrete-gradient", ""},
                   {"euler-moreau", "theta=0.6 gamma=0.7"},
                   {"euler-moreau", "theta=0.5 gamma=0.5 variant=full"},
                   {"euler-moreau", "theta=0.5 gamma=0.5 variant=midpoint"}};
enum { ALL_SCHEMES = sizeof all_schemes / sizeof all_schemes[0] };

/* The states after 150 steps; *refused: steps that a callback refused, made again each time. */
static int run_refusing(double *states, int which, refusal *refuses, int *refused)
{
    mixture m;
    perp_scheme scheme = rig_scheme(all_schemes[which].scheme, all_schemes[which].parameters);
    memset(&m, 0, sizeof m);
    rig_init(&m.r, 1e-2);
    add_refusing(&m.r, refuses);
    rig_start(&m.r, &scheme);
    int count = mixture_states(states, &m);
    *refused = 0;
    while (perp_sim_info(m.r.sim)->step < 150) {
        double before[ROOM], after[ROOM];
        mixture_states(before, &m);
        perp_status status = perp_sim_step(m.r.sim);
        ck_assert(status == PERP_SOLVED || status == PERP_INTERRUPTED);
        if (status == PERP_SOLVED)
            continue;
        mixture_states(after, &m);
        ck_assert_mem_eq(before, after, sizeof(double) * (size_t)count);
        ++*refused;
    }
    mixture_states(states, &m);
    rig_free(&m.r);
    return count;
}

/* Wherever in a step a callback refuses, the step made again goes as if it had not. */
START_TEST(a_refused_step_leaves_no_trace)
{
    double expected[ROOM], states[ROOM];
    refusal refuses = {0, 0};
    int refused, count = run_refusing(expected, _i, &refuses, &refused);
    ck_assert_int_eq(refused, 0);
    long total = refuses.calls;
    for (long at = 1; at <= total; at += 1 + total / 97) {
        refuses = (refusal){0, at};
        run_refusing(states, _i, &refuses, &refused);
        ck_assert_int_eq(refused, 1);
        for (int i = 0; i < count; i++)
            ck_assert_msg(states[i] == expected[i], "%s %s: call %ld of %ld, state %d: %g",
                          all_schemes[_i].scheme, all_schemes[_i].parameters, at, total, i,
                          states[i] - expected[i]);
    }
}
END_TEST

static int count_call(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    (void)sim, (void)model, (void)t, (void)h;
    ++*(int *)ctx;
    return 0;
}

/* Events that were called before the checkpoint are not called again after it. */
START_TEST(events)
{
    mixture saved, loaded;
    int calls[2] = {0, 0};
    size_t bytes;
    mixture_make(&saved, WITH_ALL, NULL, NULL);
    mixture_make(&loaded, WITH_ALL, NULL, NULL);
    mixture *both[] = {&saved, &loaded};
    for (int k = 0; k < 2; k++) {
        perp_sim_schedule(both[k]->r.sim, 0.1, count_call, &calls[k]);
        perp_sim_schedule(both[k]->r.sim, 0.5, count_call, &calls[k]);
    }
    steps(&saved, HALF);
    ck_assert_int_eq(calls[0], 1);
    unsigned char *buffer = save(&saved, &bytes);
    ck_assert_int_eq(perp_sim_load(loaded.r.sim, buffer, bytes), PERP_SOLVED);
    steps(&saved, STEPS - HALF);
    steps(&loaded, STEPS - HALF);
    ck_assert_int_eq(calls[0], 2);
    ck_assert_int_eq(calls[1], 1);
    free(buffer);
    mixture_free(&saved);
    mixture_free(&loaded);
}
END_TEST

/* Too little memory, cut or foreign bytes, another model: an error, and the run goes on as if
 * nothing had been asked. */
START_TEST(bad_checkpoints)
{
    mixture m, other, plain;
    size_t bytes, less;
    mixture_make(&m, WITH_ALL, NULL, NULL);
    mixture_make(&plain, WITH_ALL, NULL, NULL);
    mixture_make(&other, WITH_BALL | WITH_BODY, NULL, NULL);
    steps(&m, HALF);
    unsigned char *buffer = save(&m, &bytes), *copy = malloc(bytes);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, buffer, bytes);
    less = bytes - 1;
    ck_assert_int_lt(perp_sim_save(m.r.sim, copy, &less), 0);
    ck_assert_uint_eq(less, bytes);
    ck_assert_int_lt(perp_sim_load(other.r.sim, buffer, bytes), 0);
    steps(&plain, HALF);
    for (size_t cut = 0; cut < bytes; cut += 1 + bytes / 50)
        ck_assert_int_lt(perp_sim_load(m.r.sim, buffer, cut), 0);
    memcpy(copy, buffer, bytes);
    copy[0] ^= 1;
    ck_assert_int_lt(perp_sim_load(m.r.sim, copy, bytes), 0);
    assert_same_bits(&m, &plain, "after refused bytes");
    ck_assert_int_lt(perp_sim_save(m.r.sim, copy, NULL), 0);
    ck_assert_int_lt(perp_sim_load(m.r.sim, NULL, bytes), 0);
    steps(&m, STEPS - HALF);
    steps(&plain, STEPS - HALF);
    assert_same_bits(&m, &plain, "in the end");
    free(copy);
    free(buffer);
    mixture_free(&m);
    mixture_free(&other);
    mixture_free(&plain);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim checkpoint");
    TCase *tcase = tcase_create("same bits");
    tcase_add_test(tcase, again);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_checkpoint_continues, 0, KINDS);
    tcase_add_test(tcase, schatzman_paoli);
    tcase_add_loop_test(tcase, a_refused_step_leaves_no_trace, 0, ALL_SCHEMES);
    tcase_add_test(tcase, events);
    tcase_add_test(tcase, bad_checkpoints);
    suite_add_tcase(suite, tcase);
    TCase *threads = tcase_create("threads");
    tcase_add_test(threads, in_two_threads);
    suite_add_tcase(suite, threads);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
