/* SPDX-License-Identifier: BSD-3-Clause */
/* The event-driven scheme against motions in closed form: times of impacts, letting go, rest,
 * accumulations; and how it ends where it cannot go on. */
#include <stdlib.h>

#include "tests/fixtures/event_run.h"

/* Instants of impacts, and other changes seen between instants. */
typedef struct history {
    double time[64];
    int count;
    double lowest; /* y of the interaction at all instants */
    perp_interaction_id id;
} history;

static int note(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *at)
{
    history *past = ctx;
    const double *y = NULL;
    (void)sim;
    if (at->kind == PERP_INSTANT_AFTER && past->count < 64)
        past->time[past->count++] = at->t;
    if (past->id.generation) {
        perp_model_output(model, past->id, &y, NULL, NULL, NULL, NULL);
        past->lowest = fmin(past->lowest, y[0]);
    }
    return 0;
}

/* f = -2, e = 1/2, accumulation at t = 3 ([ACA10] (68)-(71)). */
START_TEST(times_of_impacts)
{
    static const double steps[] = {0.01, 0.1, 1.0, 4.0};
    const double q0 = 1.0, F = -2.0;
    scheme_run run;
    history past = {.count = 0};
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id ball = add_point(&run, 1, &q0, NULL, &F);
    perp_interaction_id floor = add_floor(&run, ball, 0.5);
    run_start(&run, steps[_i]);
    perp_sim_set_at_instants(run.sim, note, &past);
    run_until(&run, 4.0);
    ck_assert_int_ge(past.count, 10);
    for (int n = 0; n < past.count; n++)
        ck_assert_double_eq_tol(past.time[n], 3.0 - pow(0.5, n - 1), 1e-13);
    ck_assert_double_eq_tol(*run_x(&run, ball), 0.0, 1e-15);
    ck_assert_double_eq_tol(*run_v(&run, ball), 0.0, 1e-15);
    ck_assert_double_eq_tol(*run_lambda(&run, floor), 2.0, 1e-14);
    run_close(&run);
}
END_TEST

/* A ball that goes to rest, e = 0.9: the recorder keeps every instant that is shown, in an order in
 * which time does not go back, and says which are left and right limits of an impact. */
typedef struct witness {
    perp_recorder *recorder;
    int seen, impacts;
} witness;

static int show_and_record(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *at)
{
    witness *w = ctx;
    w->seen++;
    w->impacts += at->kind == PERP_INSTANT_AFTER;
    return perp_recorder_instant(w->recorder, sim, model, at);
}

START_TEST(recorder_keeps_every_instant)
{
    static const char *const schemes[] = {"event-driven", "event-capturing-rk", "splitting"};
    const double q0 = 0.0, v0 = -1.0, F = -9.81;
    scheme_run run;
    witness w = {.seen = 0};
    run_open(&run, schemes[_i]);
    run.scheme.atol = run.scheme.rtol = 1e-12;
    perp_system_id ball = add_point(&run, 1, &q0, &v0, &F);
    add_floor(&run, ball, 0.9);
    run_start(&run, 0.005);
    ck_assert_int_eq(perp_recorder_create(&w.recorder, run.model, NULL), PERP_SOLVED);
    perp_recorder_add(w.recorder, PERP_RECORD_V, ball.index, ball.generation, 0);
    ck_assert_int_eq(perp_recorder_add(w.recorder, PERP_RECORD_INSTANT, 0, 0, 0), PERP_SOLVED);
    ck_assert_int_eq(perp_recorder_add(w.recorder, PERP_RECORD_INSTANT, 0, 0, 1),
                     PERP_ERR_ARGUMENT);
    perp_sim_set_at_instants(run.sim, show_and_record, &w);
    ck_assert_int_eq(perp_sim_run(run.sim, 8.5), PERP_SOLVED);
    ck_assert_int_eq(perp_recorder_rows(w.recorder), w.seen);
    ck_assert_int_gt(w.impacts, _i < 2 ? 140 : 0);
    int pairs = 0;
    const double *row = perp_recorder_data(w.recorder);
    for (int k = 1; k < w.seen; k++, row += 3) {
        ck_assert_double_ge(row[3], row[0]);
        ck_assert(row[5] == PERP_INSTANT_AFTER ? row[2] == PERP_INSTANT_BEFORE
                                               : row[2] != PERP_INSTANT_BEFORE);
        if (row[5] != PERP_INSTANT_AFTER)
            continue;
        pairs++;
        ck_assert_double_le(row[1], 0.0);
        ck_assert_double_ge(row[4], 0.0);
        if (_i == 0) /* there the two have the same time, and Newton's law holds between them */
            ck_assert(row[3] == row[0] && fabs(row[4] + 0.9 * row[1]) < 1e-12);
    }
    ck_assert_int_eq(pairs, w.impacts);
    perp_recorder_destroy(w.recorder);
    run_close(&run);
}
END_TEST

/* Elastic: 20 000 impacts keep the energy and the phase. */
START_TEST(many_impacts)
{
    const double q0 = 1.0, F = -2.0;
    scheme_run run;
    long impacts = 0;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id ball = add_point(&run, 1, &q0, NULL, &F);
    add_floor(&run, ball, 1.0);
    run_start(&run, 0.73);
    for (int k = 0; k < 54794; k++) {
        run_step(&run);
        impacts += perp_sim_info(run.sim)->impacts;
    }
    ck_assert_int_eq((int)impacts, 20000);
    double t = fmod(54794 * 0.73 + 1.0, 2.0) - 1.0;
    ck_assert_double_eq_tol(*run_x(&run, ball), 1.0 - t * t, 1e-7);
    ck_assert_double_eq_tol(*run_v(&run, ball), -2.0 * t, 1e-7);
    run_close(&run);
}
END_TEST

/* On a circle of radius 1 without friction from the top with speed v0: it lets go where
 * cos = (2 + v0^2 / g) / 3. */
typedef struct let_go {
    perp_interaction_id id;
    perp_system_id system;
    double cosine;
} let_go;

static int see(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *at)
{
    let_go *seen = ctx;
    const double *y = NULL, *lambda = NULL;
    double *q = NULL;
    (void)sim, (void)at;
    perp_model_output(model, seen->id, &y, NULL, &lambda, NULL, NULL);
    perp_model_state(model, seen->system, &q, NULL, NULL, NULL);
    if (fabs(y[0]) < 1e-12)
        seen->cosine = q[1];
    return 0;
}

START_TEST(a_bead_leaves_a_circle)
{
    const double q0[] = {0.0, 1.0}, v0[] = {0.5, 0.0}, F[] = {0.0, -g};
    scheme_run run;
    let_go seen = {.cosine = 1.0};
    run_open(&run, "event-driven");
    sharp(&run);
    seen.system = add_point(&run, 2, q0, v0, F);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = circle,
                              .h_x = circle_q};
    seen.id = run_link(&run, &seen.system, 1, &relation, perp_law_impact(0.5));
    run_start(&run, 0.02);
    perp_sim_set_at_instants(run.sim, see, &seen);
    run_until(&run, 1.0);
    ck_assert_double_eq_tol(seen.cosine, (2.0 + 0.25 / g) / 3.0, 1e-9);
    double *q = run_x(&run, seen.system), *v = run_v(&run, seen.system);
    double energy = 0.5 * (v[0] * v[0] + v[1] * v[1]) + g * q[1];
    ck_assert_double_eq_tol(energy, 0.125 + g, 1e-9);
    run_close(&run);
}
END_TEST

/* A pendulum of bilateral constraint: length and energy stay. */
START_TEST(a_pendulum_does_not_drift)
{
    const double q0[] = {1.0, 0.0}, F[] = {0.0, -g};
    scheme_run run;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id bob = add_point(&run, 2, q0, NULL, F);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = circle,
                              .h_x = circle_q};
    run_link(&run, &bob, 1, &relation, perp_law_equality());
    run_start(&run, 0.05);
    for (int k = 0; k < 2000; k++) {
        run_step(&run);
        double *q = run_x(&run, bob), *v = run_v(&run, bob);
        ck_assert_double_eq_tol(hypot(q[0], q[1]), 1.0, 1e-11);
        ck_assert_double_eq_tol(0.5 * (v[0] * v[0] + v[1] * v[1]) + g * q[1], 0.0, 1e-6);
    }
    run_close(&run);
}
END_TEST

/* Thrown up so that it just reaches a ceiling: no impact. */
static const double minus_one[] = {-1.0};

START_TEST(grazing)
{
    const double q0 = 0.0, v0 = 2.0, F = -2.0, height = 1.0;
    scheme_run run;
    history past = {.count = 0};
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id ball = add_point(&run, 1, &q0, &v0, &F);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_LINEAR,
                              .rows = 1,
                              .C = minus_one,
                              .e = &height};
    run_link(&run, &ball, 1, &relation, perp_law_impact(0.5));
    run_start(&run, 0.3);
    perp_sim_set_at_instants(run.sim, note, &past);
    run_until(&run, 1.8);
    ck_assert_double_eq_tol(*run_x(&run, ball), 1.0 - 0.64, 1e-9);
    run_close(&run);
}
END_TEST

/* A ball between two balls in a row that touch the walls at the same time. */
START_TEST(simultaneous_impacts)
{
    const double q0[] = {0.0, 0.0}, v0[] = {1.0, 2.0};
    static const double walls[] = {-1.0, 0.0, 0.0, -1.0}, distance[] = {0.5, 1.0};
    scheme_run run;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id points = add_point(&run, 2, q0, v0, NULL);
    perp_relation relation = {.size = sizeof relation,
                              .kind = PERP_RELATION_LINEAR,
                              .rows = 2,
                              .C = walls,
                              .e = distance};
    run_link(&run, &points, 1, &relation, perp_law_impact(0.5));
    run_start(&run, 0.2);
    int impacts = 0;
    for (int k = 0; k < 5; k++) {
        run_step(&run);
        impacts += perp_sim_info(run.sim)->impacts;
    }
    ck_assert_int_eq(impacts, 1);
    ck_assert_double_eq_tol(run_x(&run, points)[0], 0.25, 1e-13);
    ck_assert_double_eq_tol(run_x(&run, points)[1], 0.5, 1e-13);
    run_close(&run);
}
END_TEST

/* Bodies: a sphere falls on a plane, spins freely meanwhile. */
static int plane(perp_contact_point *point, double t, const double *a, const double *b,
                 const double *z, void *u)
{
    (void)t, (void)b, (void)z, (void)u;
    point->gap = a[2] - 0.5;
    point->normal[0] = point->normal[1] = 0.0;
    point->normal[2] = 1.0;
    for (int i = 0; i < 3; i++)
        point->point_a[i] = point->point_b[i] = a[i];
    point->point_a[2] -= 0.5;
    point->point_b[2] = 0.0;
    return 0;
}

START_TEST(a_sphere)
{
    scheme_run run;
    perp_body_def def;
    perp_system_id ball;
    history past = {.count = 0};
    run_open(&run, "event-driven");
    sharp(&run);
    perp_body_def_init(&def, sizeof def);
    def.position[2] = 1.5;
    def.force[2] = -2.0;
    def.velocity[0] = 1.0;
    def.angular[2] = 3.0;
    ck_assert_int_eq(perp_model_add_body(run.model, &def, &ball, NULL), PERP_SOLVED);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_CONTACT, .rows = 1, .contact = plane};
    run_link(&run, &ball, 1, &relation, perp_law_impact(0.5));
    run_start(&run, 0.1);
    perp_sim_set_at_instants(run.sim, note, &past);
    run_until(&run, 3.5);
    for (int n = 0; n < 8; n++)
        ck_assert_double_eq_tol(past.time[n], 3.0 - pow(0.5, n - 1), 1e-12);
    double *q = run_x(&run, ball);
    ck_assert_double_eq_tol(q[0], 3.5, 1e-12);
    ck_assert_double_eq_tol(q[2], 0.5, 1e-14);
    ck_assert_double_eq_tol(q[3] * q[3] + q[6] * q[6], 1.0, 1e-14);
    ck_assert_double_eq_tol(2.0 * atan2(q[6], q[3]) + 4.0 * acos(-1.0), 10.5, 1e-9);
    run_close(&run);
}
END_TEST

/* Each ends the step with its status, the state at its start stays, and the run goes on once the
 * cause is gone. */
static const struct {
    const char *name, *value, *back;
    perp_status status;
} ends[] = {{"zeno", "stop", "switch", PERP_ZENO},
            {"max_events", "3", "1000", PERP_ZENO},
            {"rtol", "0", "1e-10", PERP_STEP_LIMIT}};

START_TEST(ends_of_a_step)
{
    const double q0 = 1.0, F = -2.0;
    static const double stiffness[] = {1.0};
    scheme_run run;
    run_open(&run, "event-driven");
    sharp(&run);
    if (ends[_i].status == PERP_STEP_LIMIT)
        run.scheme.atol = 0.0;
    ck_assert_int_eq(perp_scheme_set(&run.scheme, ends[_i].name, ends[_i].value), PERP_SOLVED);
    perp_lagrangian_def def;
    perp_system_id ball;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    def.F = &F;
    if (ends[_i].status == PERP_STEP_LIMIT)
        perp_mat_init_dense(&def.K, 1, 1, stiffness, 1);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &ball, NULL), PERP_SOLVED);
    add_floor(&run, ball, 0.5);
    run_start(&run, 0.5);
    perp_status status = PERP_SOLVED;
    double q = q0, v = 0.0;
    for (int k = 0; k < 8 && status == PERP_SOLVED; k++) {
        q = *run_x(&run, ball);
        v = *run_v(&run, ball);
        status = perp_sim_step(run.sim);
    }
    ck_assert_int_eq(status, ends[_i].status);
    ck_assert(perp_sim_info(run.sim)->detail[0] != '\0');
    ck_assert_double_eq(*run_x(&run, ball), q);
    ck_assert_double_eq(*run_v(&run, ball), v);
    perp_scheme_set(&run.scheme, ends[_i].name, ends[_i].back);
    ck_assert_int_eq(perp_sim_set_scheme(run.sim, (perp_system_id){0, 0}, &run.scheme),
                     PERP_SOLVED);
    run_until(&run, 4.0);
    if (ends[_i].status == PERP_ZENO)
        ck_assert_double_eq_tol(*run_x(&run, ball), 0.0, 1e-14);
    run_close(&run);
}
END_TEST

/* What the scheme does not take is refused with a sentence. */
START_TEST(refused_laws)
{
    const double q0 = 1.0, one = 1.0;
    scheme_run run;
    run_open(&run, "event-driven");
    perp_system_id ball = add_point(&run, 1, &q0, NULL, NULL);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
    run_link(&run, &ball, 1, &relation, perp_law_relay(-1.0, 1.0));
    run_start(&run, 0.1);
    ck_assert_int_eq(perp_sim_step(run.sim), PERP_ERR_UNSUPPORTED);
    ck_assert(perp_sim_info(run.sim)->detail[0] != '\0');
    run_close(&run);
}
END_TEST

/* All systems must have a scheme that chooses its own instants. */
START_TEST(mixed_schemes)
{
    const double q0 = 1.0;
    scheme_run run;
    perp_scheme other;
    run_open(&run, "event-driven");
    add_point(&run, 1, &q0, NULL, NULL);
    perp_system_id second = add_point(&run, 1, &q0, NULL, NULL);
    run_start(&run, 0.1);
    ck_assert_int_eq(perp_scheme_init(&other, "moreau-jean", sizeof other), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(run.sim, second, &other), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(run.sim), PERP_ERR_UNSUPPORTED);
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("event driven");
    TCase *tcase = tcase_create("motions");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, times_of_impacts, 0, 4);
    tcase_add_loop_test(tcase, recorder_keeps_every_instant, 0, 3);
    tcase_add_test(tcase, many_impacts);
    tcase_add_test(tcase, a_bead_leaves_a_circle);
    tcase_add_test(tcase, a_pendulum_does_not_drift);
    tcase_add_test(tcase, grazing);
    tcase_add_test(tcase, simultaneous_impacts);
    tcase_add_test(tcase, a_sphere);
    tcase_add_loop_test(tcase, ends_of_a_step, 0, (int)(sizeof ends / sizeof ends[0]));
    tcase_add_test(tcase, refused_laws);
    tcase_add_test(tcase, mixed_schemes);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
