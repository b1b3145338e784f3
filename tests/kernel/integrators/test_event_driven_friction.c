/* SPDX-License-Identifier: BSD-3-Clause */
/* The event-driven scheme with friction in 2D: slide, stop, break away, stick and slip, roll, rock,
 * and a paradox. */
#include "tests/fixtures/event_run.h"
#include "generators/rocking_block.h"

/* A block on the ground, rows (normal, tangential). */
static const double frame[] = {0.0, 1.0, 1.0, 0.0};

static perp_interaction_id add_ground(scheme_run *run, perp_system_id id, double e, double mu)
{
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = 2, .C = frame};
    return run_link(run, &id, 1, &relation, perp_law_friction(2, e, mu));
}

START_TEST(a_block_slides_to_rest)
{
    const double q0[] = {0.0, 0.0}, v0[] = {3.0, 0.0}, F[] = {0.0, -g}, mu = 0.3;
    scheme_run run;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id block = add_point(&run, 2, q0, v0, F);
    perp_interaction_id ground = add_ground(&run, block, 0.0, mu);
    run_start(&run, 0.1);
    double stop = 3.0 / (mu * g), t;
    run_until(&run, 0.5);
    t = perp_sim_time(run.sim);
    ck_assert_double_eq_tol(run_x(&run, block)[0], 3.0 * t - 0.5 * mu * g * t * t, 1e-13);
    ck_assert_double_eq_tol(run_lambda(&run, ground)[1], -mu * g, 1e-12);
    run_until(&run, 2.0);
    ck_assert_double_eq_tol(run_x(&run, block)[0], 1.5 * stop, 1e-12);
    ck_assert_double_eq_tol(run_v(&run, block)[0], 0.0, 1e-15);
    ck_assert_double_eq_tol(run_lambda(&run, ground)[1], 0.0, 1e-12);
    run_close(&run);
}
END_TEST

/* Pulled by t, held by mu g until t = mu g; then x'' = t - mu g. */
static int pull(double *out, double t, const double *q, const double *v, const double *z, void *u)
{
    (void)q, (void)v, (void)z, (void)u;
    out[0] = t;
    out[1] = -g;
    return 0;
}

START_TEST(a_block_breaks_away)
{
    const double q0[] = {0.0, 0.0}, mu = 0.1;
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id block;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.F_ext = pull;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &block, NULL), PERP_SOLVED);
    perp_interaction_id ground = add_ground(&run, block, 0.0, mu);
    run_start(&run, 0.05);
    run_until(&run, 0.9);
    ck_assert_double_eq_tol(run_x(&run, block)[0], 0.0, 1e-15);
    ck_assert_double_eq_tol(run_lambda(&run, ground)[1], -0.9, 1e-12);
    run_until(&run, 2.0);
    ck_assert_double_eq_tol(run_x(&run, block)[0], pow(2.0 - mu * g, 3) / 6.0, 1e-11);
    ck_assert_double_eq_tol(run_v(&run, block)[0], pow(2.0 - mu * g, 2) / 2.0, 1e-11);
    run_close(&run);
}
END_TEST

/* A mass on a belt of speed 1 held by a spring: it sticks until k x = mu N, slips half an
 * oscillation about x = mu N / k, until its speed is that of the belt again. */
static int spring(double *out, double t, const double *q, const double *v, const double *z, void *u)
{
    (void)t, (void)v, (void)z, (void)u;
    out[0] = 4.0 * q[0];
    out[1] = 0.0;
    return 0;
}
static int spring_q(double *out, double t, const double *q, const double *v, const double *z,
                    void *u)
{
    (void)t, (void)q, (void)v, (void)z, (void)u;
    out[0] = 4.0;
    out[1] = out[2] = out[3] = 0.0;
    return 0;
}
static int none_v(double *out, double t, const double *q, const double *v, const double *z, void *u)
{
    (void)t, (void)q, (void)v, (void)z, (void)u;
    memset(out, 0, 4 * sizeof *out);
    return 0;
}
static int belt(double *y, double t, const double *q, const double *lambda, const double *z,
                void *u)
{
    (void)lambda, (void)z, (void)u;
    y[0] = q[1];
    y[1] = q[0] - t;
    return 0;
}
static int belt_q(double *H, double t, const double *q, const double *lambda, const double *z,
                  void *u)
{
    (void)t, (void)q, (void)lambda, (void)z, (void)u;
    memcpy(H, frame, sizeof frame);
    return 0;
}
static int belt_t(double *h_t, double t, const double *q, const double *lambda, const double *z,
                  void *u)
{
    (void)t, (void)q, (void)lambda, (void)z, (void)u;
    h_t[0] = 0.0;
    h_t[1] = -1.0;
    return 0;
}

START_TEST(stick_and_slip)
{
    /* omega = 2; sliding about a = mu N / k at amplitude with speed 1 at both ends. */
    const double q0[] = {0.0, 0.0}, v0[] = {1.0, 0.0}, F[] = {0.0, -g}, mu = 0.2;
    const double a = mu * g / 4.0;
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id mass;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.v0 = v0;
    def.F = F;
    def.F_int = spring;
    def.F_int_q = spring_q;
    def.F_int_v = none_v;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &mass, NULL), PERP_SOLVED);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_RHEONOMOUS,
                              .rows = 2,
                              .h = belt,
                              .h_x = belt_q,
                              .h_t = belt_t};
    run_link(&run, &mass, 1, &relation, perp_law_friction(2, 0.0, mu));
    run_start(&run, 0.05);
    for (int k = 1; k <= 100; k++) {
        run_step(&run);
        double t = 0.05 * k, x = run_x(&run, mass)[0], v = run_v(&run, mass)[0];
        if (t < a - 1e-9)
            ck_assert_double_eq_tol(v, 1.0, 1e-13);
        /* From x = a with speed 1 the friction force is constant as long as v < 1: the motion is
         * centred at a and comes back to speed 1 after a whole period at x = a. */
        double s = t - a;
        if (s > 1e-9 && s < acos(-1.0) - 1e-9)
            ck_assert_double_eq_tol(x, a + 0.5 * sin(2.0 * s), 1e-10);
    }
    run_close(&run);
}
END_TEST

/* A block of half width b and half height 1 that rocks on two corners with friction: it never
 * slides, and at each change of corner its speed falls by 1 - 3/2 sin^2 alpha, tan alpha = b
 * (Housner). */
typedef struct turns {
    perp_system_id id;
    double before, ratio[64], lowest;
    int count;
} turns;

static int note_turn(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *at)
{
    turns *seen = ctx;
    double *v = NULL;
    (void)sim;
    perp_model_state(model, seen->id, NULL, &v, NULL, NULL);
    if (at->kind == PERP_INSTANT_BEFORE)
        seen->before = v[2];
    else if (at->kind == PERP_INSTANT_AFTER && seen->count < 64)
        seen->ratio[seen->count++] = v[2] / seen->before;
    return 0;
}

START_TEST(a_rocking_block)
{
    const double tilt = 0.1, inertia = (1.0 + half * half) / 3.0, F[] = {0.0, -g, 0.0};
    const double M[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, inertia};
    const double q0[] = {0.0, half * sin(tilt) + cos(tilt), tilt};
    scheme_run run;
    turns seen = {.count = 0};
    perp_lagrangian_def def;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.F = F;
    perp_mat_init_dense(&def.M, 3, 3, M, 3);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &seen.id, NULL), PERP_SOLVED);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 4,
                              .h = corners,
                              .h_x = corners_q};
    perp_interaction_id feet = run_link(&run, &seen.id, 1, &relation, perp_law_friction(2, 0, 0.8));
    run_start(&run, 0.02);
    perp_sim_set_at_instants(run.sim, note_turn, &seen);
    double ratio = 1.0 - 1.5 * half * half / (1.0 + half * half);
    for (int k = 0; k < 350; k++) {
        run_step(&run);
        ck_assert_double_lt(perp_sim_info(run.sim)->violation, 1e-11);
    }
    ck_assert_int_gt(seen.count, 20);
    for (int k = 0; k < 20; k++)
        ck_assert_double_eq_tol(seen.ratio[k], ratio, 1e-10);
    /* At rest on two corners, where the forces are not unique. */
    run_until(&run, 14.0);
    ck_assert_double_eq_tol(run_x(&run, seen.id)[2], 0.0, 1e-12);
    ck_assert_double_eq_tol(run_lambda(&run, feet)[0], 0.5 * g, 1e-8);
    ck_assert_double_eq_tol(run_lambda(&run, feet)[2], 0.5 * g, 1e-8);
    run_close(&run);
}
END_TEST

/* A disc of radius 1 set down with speed 3 and no spin rolls from v0 / (3 mu g) on with 2/3 of its
 * speed. */
START_TEST(a_disc_begins_to_roll)
{
    static const double C[] = {0.0, 1.0, 1.0, 0.0, 0.0, 1.0}, M[] = {1.0, 1.0, 0.5};
    const double q0[] = {0.0, 0.0, 0.0}, v0[] = {3.0, 0.0, 0.0}, F[] = {0.0, -g, 0.0}, mu = 0.1;
    double dense[9] = {M[0], 0.0, 0.0, 0.0, M[1], 0.0, 0.0, 0.0, M[2]};
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id disc;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.v0 = v0;
    def.F = F;
    perp_mat_init_dense(&def.M, 3, 3, dense, 3);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &disc, NULL), PERP_SOLVED);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = 2, .C = C};
    perp_interaction_id ground = run_link(&run, &disc, 1, &relation, perp_law_friction(2, 0.0, mu));
    run_start(&run, 0.1);
    double start = 3.0 / (3.0 * mu * g);
    run_until(&run, 0.9);
    ck_assert_double_eq_tol(run_v(&run, disc)[0], 3.0 - 0.9 * mu * g, 1e-12);
    ck_assert_double_eq_tol(run_lambda(&run, ground)[1], -mu * g, 1e-12);
    run_until(&run, 3.0);
    double slid = 3.0 * start - 0.5 * mu * g * start * start;
    ck_assert_double_eq_tol(run_v(&run, disc)[0], 2.0, 1e-12);
    ck_assert_double_eq_tol(run_v(&run, disc)[2], -2.0, 1e-12);
    ck_assert_double_eq_tol(run_x(&run, disc)[0], slid + 2.0 * (3.0 - start), 1e-11);
    ck_assert_double_eq_tol(run_lambda(&run, ground)[1], 0.0, 1e-12);
    run_close(&run);
}
END_TEST

/* A rod that slides on its lower end with cos = 0.6 and mu = 2: no force holds and none lets go
 * (Painleve), where it slides backward: H_N M^-1 (H_N + mu H_T)' = 1 + 3 cos (cos - mu sin) < 0. */
static int foot(double *y, double t, const double *q, const double *lambda, const double *z,
                void *u)
{
    (void)t, (void)lambda, (void)z, (void)u;
    y[0] = q[1] - sin(q[2]);
    y[1] = q[0] - cos(q[2]);
    return 0;
}
static int foot_q(double *H, double t, const double *q, const double *lambda, const double *z,
                  void *u)
{
    (void)t, (void)lambda, (void)z, (void)u;
    const double rows[] = {0.0, 1.0, 1.0, 0.0, -cos(q[2]), sin(q[2])};
    memcpy(H, rows, sizeof rows);
    return 0;
}

START_TEST(a_paradox)
{
    const double M[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 3.0};
    const double F[] = {0.0, -g, 0.0}, q0[] = {0.0, 0.8, acos(0.6)};
    for (int side = -1; side <= 1; side += 2) {
        const double v0[] = {side * 1.0, 0.0, 0.0};
        scheme_run run;
        perp_lagrangian_def def;
        perp_system_id rod;
        run_open(&run, "event-driven");
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 3;
        def.q0 = q0;
        def.v0 = v0;
        def.F = F;
        perp_mat_init_dense(&def.M, 3, 3, M, 3);
        ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &rod, NULL), PERP_SOLVED);
        perp_relation relation = {.size = sizeof(perp_relation),
                                  .kind = PERP_RELATION_SCLERONOMOUS,
                                  .rows = 2,
                                  .h = foot,
                                  .h_x = foot_q};
        run_link(&run, &rod, 1, &relation, perp_law_friction(2, 0.0, 2.0));
        run_start(&run, 0.01);
        perp_status status = perp_sim_step(run.sim);
        double mobility = 1.0 + 3.0 * 0.6 * (0.6 + side * 2.0 * 0.8);
        ck_assert_int_eq(status, mobility < 0.0 ? PERP_UNDETERMINED : PERP_SOLVED);
        if (status != PERP_SOLVED)
            ck_assert_mem_eq(run_x(&run, rod), q0, sizeof q0);
        run_close(&run);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("event driven friction");
    TCase *tcase = tcase_create("modes");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_block_slides_to_rest);
    tcase_add_test(tcase, a_block_breaks_away);
    tcase_add_test(tcase, stick_and_slip);
    tcase_add_test(tcase, a_rocking_block);
    tcase_add_test(tcase, a_disc_begins_to_roll);
    tcase_add_test(tcase, a_paradox);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
