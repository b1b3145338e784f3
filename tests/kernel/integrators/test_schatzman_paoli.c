/* SPDX-License-Identifier: BSD-3-Clause */
/* Schatzman-Paoli against its recurrences, written out or solved by an independent Newton. */
#include <stdlib.h>

#include "tests/fixtures/scheme_run.h"

static perp_system_id add_mass(scheme_run *run, double q0, double v0, double M, double C, double K,
                               double F)
{
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    def.v0 = &v0;
    perp_mat_init_dense(&def.M, 1, 1, &M, 1);
    perp_mat_init_dense(&def.C, 1, 1, &C, 1);
    perp_mat_init_dense(&def.K, 1, 1, &K, 1);
    def.F = &F;
    ck_assert_int_eq(perp_model_add_lagrangian(run->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

/* One step of the ball from the two states before it; rounding is not carried on. */
START_TEST(bouncing_ball_step_by_step)
{
    static const perp_form forms[] = {PERP_FORM_DENSE, PERP_FORM_DELASSUS};
    const double h = 5e-3, g = 9.81, e = 0.9, one = 1.0;
    scheme_run run;
    run_open(&run, "schatzman-paoli");
    run.form = forms[_i];
    perp_system_id ball = add_mass(&run, 1.0, 0.0, 1.0, 0.0, 0.0, -g);
    perp_relation floor = {
        .size = sizeof floor, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
    perp_interaction_id contact = run_link(&run, &ball, 1, &floor, perp_law_impact(e));
    run_start(&run, h);
    double before = 1.0, q = 1.0;
    int impacts = 0;
    for (int k = 0; k < 2000; k++) {
        double free = 2.0 * q - before - h * h * g, p = fmax(0.0, -(free + e * before));
        run_step(&run);
        ck_assert_double_eq_tol(run_x(&run, ball)[0], free + p, 1e-14);
        ck_assert_double_eq_tol(run_v(&run, ball)[0], (free + p - before) / (2.0 * h), 1e-11);
        ck_assert_double_eq_tol(run_lambda(&run, contact)[0], p, 1e-14);
        ck_assert_int_eq(perp_sim_info(run.sim)->rows, 1);
        before = q;
        q = run_x(&run, ball)[0];
        impacts += p > 1e-3;
    }
    ck_assert_int_gt(impacts, 5);
    run_close(&run);
}
END_TEST

/* M q'' + C q' + K q = F with theta, both velocities, both starts. */
START_TEST(damped_oscillator_recurrence)
{
    const double h = 0.02, M = 2.0, C = 0.3, K = 5.0, F = 0.7, theta = 0.6;
    int backward = _i % 2, centred_start = _i / 2;
    double q = 0.4, v = -1.1, before = q - h * v, c = backward ? 1.0 / h : 0.5 / h;
    scheme_run run;
    run_open(&run, "schatzman-paoli");
    run.scheme.theta = theta;
    run.scheme.velocity = backward;
    run.scheme.start = centred_start;
    perp_system_id id = add_mass(&run, q, v, M, C, K, F);
    run_start(&run, h);
    if (centred_start)
        before += 0.5 * h * h * (F - C * v - K * q) / M;
    for (int k = 0; k < 300; k++) {
        double from = backward ? q : before; /* v = c (next - from) */
        double right = M * (2.0 * q - before) + h * h * F - h * h * K * (1.0 - theta) * q -
                       h * h * C * ((1.0 - theta) * v - theta * c * from);
        double next = right / (M + h * h * theta * (K + c * C));
        v = c * (next - from);
        before = q;
        q = next;
        run_step(&run);
        ck_assert_double_eq_tol(run_x(&run, id)[0], q, 1e-11);
        ck_assert_double_eq_tol(run_v(&run, id)[0], v, 1e-9);
    }
    run_close(&run);
}
END_TEST

/* (1 + q^2/4) q'' = -sin q - v^3/5 above the curve sin q + q^3 >= -b(t). */
static int mass_at(double *out, double t, const double *q, const double *v, const double *z,
                   void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    out[0] = 1.0 + 0.25 * q[0] * q[0];
    return 0;
}
static int inner(double *out, double t, const double *q, const double *v, const double *z,
                 void *user)
{
    (void)t, (void)z, (void)user;
    out[0] = sin(q[0]) + 0.2 * v[0] * v[0] * v[0];
    return 0;
}
static int inner_q(double *out, double t, const double *q, const double *v, const double *z,
                   void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    out[0] = cos(q[0]);
    return 0;
}
static int inner_v(double *out, double t, const double *q, const double *v, const double *z,
                   void *user)
{
    (void)t, (void)q, (void)z, (void)user;
    out[0] = 0.6 * v[0] * v[0];
    return 0;
}
static int curve(double *y, double t, const double *q, const double *lambda, const double *z,
                 void *user)
{
    (void)lambda, (void)z;
    y[0] = sin(q[0]) + q[0] * q[0] * q[0] + 0.3 + (user ? 0.1 * sin(4.0 * t) : 0.0);
    return 0;
}
static int curve_q(double *H, double t, const double *q, const double *lambda, const double *z,
                   void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    H[0] = cos(q[0]) + 3.0 * q[0] * q[0];
    return 0;
}
static int curve_t(double *out, double t, const double *q, const double *lambda, const double *z,
                   void *user)
{
    (void)q, (void)lambda, (void)z, (void)user;
    out[0] = 0.4 * cos(4.0 * t);
    return 0;
}

typedef struct curve_step {
    double t, h, theta, e, q, before, v;
    void *moves;
    int closed;
} curve_step;

static double curve_equations(double *out, const double *u, const curve_step *s)
{
    double h = s->h, v = (u[0] - s->before) / (2.0 * h), M, F, y, H;
    double m = (u[0] + s->e * s->before) / (1.0 + s->e);
    double t = (s->t + h + s->e * (s->t - h)) / (1.0 + s->e);
    double q_theta = s->theta * u[0] + (1.0 - s->theta) * s->q;
    double v_theta = s->theta * v + (1.0 - s->theta) * s->v;
    mass_at(&M, 0.0, &s->q, NULL, NULL, NULL);
    inner(&F, 0.0, &q_theta, &v_theta, NULL, NULL);
    curve(&y, t, &m, NULL, NULL, s->moves);
    curve_q(&H, t, &m, NULL, NULL, NULL);
    out[0] = M * (u[0] - 2.0 * s->q + s->before) + h * h * F - H * u[1];
    return y;
}
static void curve_root(double *out, const double *u, void *ctx)
{
    const curve_step *s = ctx;
    double y = curve_equations(out, u, s);
    out[1] = s->closed ? y : u[1];
}

START_TEST(nonlinear_motion_matches_newton)
{
    static int moves = 1;
    const double h = 0.02, q0 = 1.0;
    scheme_run run;
    run_open(&run, "schatzman-paoli");
    run.scheme.theta = 0.6;
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    def.mass = mass_at;
    def.F_int = inner;
    def.F_int_q = inner_q;
    def.F_int_v = inner_v;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {.size = sizeof relation,
                              .kind = _i ? PERP_RELATION_RHEONOMOUS : PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = curve,
                              .h_x = curve_q,
                              .h_t = _i ? curve_t : NULL,
                              .user = _i ? &moves : NULL};
    perp_interaction_id wall = run_link(&run, &id, 1, &relation, perp_law_impact(0.5));
    run_start(&run, h);
    curve_step s = {.h = h, .theta = 0.6, .e = 0.5, .q = q0, .before = q0, .moves = relation.user};
    int closed = 0;
    for (int k = 0; k < 400; k++) {
        double u[2] = {s.q, 0.0}, out[2];
        s.t = k * h;
        s.closed = 0;
        root_find(u, 2, curve_root, &s);
        if (curve_equations(out, u, &s) < 0.0) {
            s.closed = 1;
            closed++;
            u[0] = s.q;
            root_find(u, 2, curve_root, &s);
            ck_assert_double_ge(u[1], -1e-12);
        }
        run_step(&run);
        ck_assert_double_eq_tol(run_x(&run, id)[0], u[0], 1e-10);
        ck_assert_double_eq_tol(run_lambda(&run, wall)[0], u[1], 1e-10);
        s.before = s.q;
        s.q = run_x(&run, id)[0];
        s.v = run_v(&run, id)[0];
    }
    ck_assert_int_gt(closed, 3);
    run_close(&run);
}
END_TEST

/* Another h keeps the velocity; free fall then follows the parabola of the new grid. */
START_TEST(length_of_step_may_change)
{
    const double h[] = {0.01, 0.025}, F = -2.0;
    scheme_run run;
    run_open(&run, "schatzman-paoli");
    run.scheme.velocity = 1;
    perp_system_id id = add_mass(&run, 3.0, 0.5, 1.0, 0.0, 0.0, F);
    run_start(&run, h[0]);
    double q = 3.0, v = 0.5;
    for (int k = 0; k < 40; k++) {
        double now = h[k >= 20];
        if (k == 20)
            perp_sim_set_h(run.sim, now);
        v += now * F;
        q += now * v;
        run_step(&run);
        ck_assert_double_eq_tol(run_x(&run, id)[0], q, 1e-12);
        ck_assert_double_eq_tol(run_v(&run, id)[0], v, 1e-11);
    }
    /* A state changed by hand starts again. */
    run_v(&run, id)[0] = v = 7.0;
    perp_model_changed(run.model);
    v += h[1] * F;
    q += h[1] * v;
    run_step(&run);
    ck_assert_double_eq_tol(run_x(&run, id)[0], q, 1e-12);
    run_close(&run);
}
END_TEST

START_TEST(checkpoint_continues_bit_for_bit)
{
    double after[2][40];
    const double one = 1.0;
    char *state = NULL;
    size_t bytes = 0;
    for (int which = 0; which < 2; which++) {
        scheme_run run;
        run_open(&run, "schatzman-paoli");
        perp_system_id id = add_mass(&run, 0.3, 0.0, 1.0, 0.1, 2.0, -3.0);
        perp_relation floor = {
            .size = sizeof floor, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
        run_link(&run, &id, 1, &floor, perp_law_impact(0.6));
        run_start(&run, 0.01);
        for (int k = 0; k < 40 && which == 0; k++)
            run_step(&run);
        if (which == 0) {
            ck_assert_int_eq(perp_sim_save(run.sim, NULL, &bytes), PERP_SOLVED);
            state = malloc(bytes);
            ck_assert_int_eq(perp_sim_save(run.sim, state, &bytes), PERP_SOLVED);
        } else {
            ck_assert_int_eq(perp_sim_load(run.sim, state, bytes), PERP_SOLVED);
        }
        for (int k = 0; k < 40; k++) {
            run_step(&run);
            after[which][k] = run_x(&run, id)[0];
        }
        run_close(&run);
    }
    ck_assert_mem_eq(after[0], after[1], sizeof after[0]);
    free(state);
}
END_TEST

START_TEST(what_it_cannot_do_is_refused)
{
    static const double C[] = {1.0, 0.0, 0.0, 1.0}, D[] = {0.1, 0, 0, 0.1};
    const double zero[] = {0.0, 0.0};
    scheme_run run;
    run_open(&run, "schatzman-paoli");
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = zero;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = 2, .C = C};
    relation.D = _i == 2 ? D : NULL;
    run_link(&run, &id, 1, &relation,
             _i == 0   ? perp_law_friction(2, 0.0, 0.3)
             : _i == 1 ? perp_law_relay(-1.0, 1.0)
                       : perp_law_complementarity());
    run_start(&run, 0.01);
    ck_assert_int_eq(perp_sim_step(run.sim), PERP_ERR_UNSUPPORTED);
    ck_assert_str_ne(perp_sim_info(run.sim)->detail, "");
    perp_sim_destroy(run.sim);
    run.sim = NULL;
    perp_body_def body;
    perp_body_def_init(&body, sizeof body);
    ck_assert_int_eq(perp_model_add_body(run.model, &body, &id, NULL), PERP_SOLVED);
    run_start(&run, 0.01);
    ck_assert_int_eq(perp_sim_set_scheme(run.sim, id, &run.scheme), PERP_ERR_UNSUPPORTED);
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("schatzman-paoli");
    TCase *tc = tcase_create("recurrences");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, bouncing_ball_step_by_step, 0, 2);
    tcase_add_loop_test(tc, damped_oscillator_recurrence, 0, 4);
    tcase_add_loop_test(tc, nonlinear_motion_matches_newton, 0, 2);
    tcase_add_test(tc, length_of_step_may_change);
    tcase_add_test(tc, checkpoint_continues_bit_for_bit);
    tcase_add_loop_test(tc, what_it_cannot_do_is_refused, 0, 3);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
