/* SPDX-License-Identifier: BSD-3-Clause */
/* What perp_sim_strike() tells of the stages of impacts, by closed forms, and how the certificate
 * judges them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/mechanism.h"

enum { BALLS = 3 };

/* A row of balls that touch; the first one comes at `speed` from `gap` away. */
static void begin(scheme_run *run, perp_system_id *id, const double *m, double e, double gap,
                  double speed, const char *impacts)
{
    static const double C[] = {-1.0, 1.0}, still = 0.0, size = -1.0;
    run_open(run, "discrete-gradient");
    ck_assert_int_eq(perp_scheme_set(&run->scheme, "impacts", impacts), PERP_SOLVED);
    for (int k = 0; k < BALLS; k++) {
        perp_lagrangian_def def;
        double q0 = k > 0 ? k + gap : 0.0;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 1;
        def.q0 = &q0;
        def.v0 = k > 0 ? &still : &speed;
        ck_assert_int_eq(perp_mat_init_dense(&def.M, 1, 1, &m[k], 1), PERP_SOLVED);
        ck_assert_int_eq(perp_model_add_lagrangian(run->model, &def, &id[k], NULL), PERP_SOLVED);
        perp_relation apart = {
            .size = sizeof apart, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C, .e = &size};
        if (k > 0)
            run_link(run, id + k - 1, 2, &apart, perp_law_impact(e));
    }
}

static perp_strike_info strike_of(const scheme_run *run, int k)
{
    perp_strike_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_sim_strike(run->sim, k, &info), PERP_SOLVED);
    return info;
}

static perp_figure figure_of(const scheme_run *run, const char *name)
{
    perp_figure figure = {.size = sizeof figure};
    int k = 0;
    while (perp_sim_figure(run->sim, k, &figure, sizeof figure) == PERP_SOLVED &&
           strcmp(figure.name, name) != 0)
        k++;
    ck_assert_str_eq(figure.name, name);
    return figure;
}

/* The impulse goes through the row, one pair after the other, at the time of the first. */
START_TEST(a_row_is_struck_in_order)
{
    static const double m[BALLS] = {4.0, 1.0, 0.2}, e = 0.8, h = 0.004, gap = 0.005, speed = 6.0;
    scheme_run run;
    perp_system_id id[BALLS];
    begin(&run, id, m, e, gap, speed, "staged");
    run_start(&run, h);
    ck_assert_int_eq(perp_sim_strikes(run.sim), 0);
    run_step(&run);
    ck_assert_int_eq(perp_sim_strikes(run.sim), 2);
    double u = speed;
    for (int k = 0; k < 2; k++) {
        perp_strike_info info = strike_of(&run, k);
        double both = m[k] * m[k + 1] / (m[k] + m[k + 1]);
        ck_assert_int_eq(info.kind, PERP_STRIKE_NEWTON);
        ck_assert_int_eq(info.stage, k);
        ck_assert_int_eq(info.rows, 1);
        ck_assert_int_eq(info.relations, 1);
        ck_assert_int_eq(info.has_point, 0);
        ck_assert_double_eq_tol(info.time[0], gap / (h * speed), 1e-12);
        ck_assert_double_eq(info.restitution[0], 1.0);
        ck_assert_double_eq_tol(info.before[0], -u, 1e-12);
        ck_assert_double_eq_tol(info.after[0], e * u, 1e-12);
        ck_assert_double_eq_tol(info.impulse[0], both * (1.0 + e) * u, 1e-12);
        u *= m[k] * (1.0 + e) / (m[k] + m[k + 1]);
    }
    ck_assert_double_eq_tol(run_v(&run, id[2])[0], u, 1e-12);
    perp_figure figure = figure_of(&run, "impacts");
    ck_assert_int_eq(figure.known, 1);
    ck_assert_double_le(figure.value, 1e-12);
    perp_strike_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_sim_strike(run.sim, 2, &info), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_strike(run.sim, 0, NULL), PERP_ERR_ARGUMENT);
    run_step(&run);
    ck_assert_int_eq(perp_sim_strikes(run.sim), 0);
    run_close(&run);
}
END_TEST

/* Compression ends the approach of the first pair, the touching one takes part; expansion gives
 * back e of each impulse. */
START_TEST(poisson_has_two_phases)
{
    static const double m[BALLS] = {1.0, 1.0, 1.0}, e = 0.5, speed = 3.0;
    scheme_run run;
    perp_system_id id[BALLS];
    begin(&run, id, m, e, 0.0, speed, "poisson");
    run_start(&run, 0.004);
    run_step(&run);
    ck_assert_int_eq(perp_sim_strikes(run.sim), 4);
    for (int k = 0; k < 4; k++) {
        perp_strike_info info = strike_of(&run, k);
        /* M v = 3/3 for all after the compression: p_c = 2, 1. */
        double compressed = k % 2 == 0 ? 2.0 : 1.0;
        ck_assert_int_eq(info.stage, k / 2);
        ck_assert_int_eq(info.kind, k < 2 ? PERP_STRIKE_COMPRESSION : PERP_STRIKE_EXPANSION);
        ck_assert_double_eq_tol(info.impulse[0], k < 2 ? compressed : e * compressed, 1e-12);
    }
    ck_assert_double_le(figure_of(&run, "impacts").value, 1e-12);
    run_close(&run);
}
END_TEST

/* Without impacts there is nothing to measure. */
START_TEST(nothing_is_struck)
{
    static const double m[BALLS] = {1.0, 1.0, 1.0};
    scheme_run run;
    perp_system_id id[BALLS];
    begin(&run, id, m, 0.5, 1.0, 1.0, "staged");
    run_start(&run, 0.004);
    run_step(&run);
    ck_assert_int_eq(perp_sim_strikes(run.sim), 0);
    ck_assert_int_eq(figure_of(&run, "impacts").known, 0);
    ck_assert_int_eq(perp_sim_strikes(NULL), 0);
    run_close(&run);
}
END_TEST

/* A wall at place + speed t + acceleration t^2/2, on the left of a mass. */
typedef struct wall {
    double place, speed, acceleration;
} wall;

static int distance(double *y, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    const wall *w = user;
    (void)lambda, (void)z;
    y[0] = x[0] - w->place - t * (w->speed + 0.5 * w->acceleration * t);
    return 0;
}

static int distance_x(double *H, double t, const double *x, const double *lambda, const double *z,
                      void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    H[0] = 1.0;
    return 0;
}

static int distance_t(double *h_t, double t, const double *x, const double *lambda, const double *z,
                      void *user)
{
    const wall *w = user;
    (void)x, (void)lambda, (void)z;
    h_t[0] = -w->speed - t * w->acceleration;
    return 0;
}

static perp_system_id before_wall(scheme_run *run, wall *w, double e, double h)
{
    static const double mass = 2.0, rest = 0.0;
    perp_lagrangian_def def;
    perp_system_id id;
    run_open(run, "discrete-gradient");
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &rest;
    def.v0 = &w->speed;
    if (w->acceleration == 0.0)
        def.v0 = &rest;
    ck_assert_int_eq(perp_mat_init_dense(&def.M, 1, 1, &mass, 1), PERP_SOLVED);
    ck_assert_int_eq(perp_model_add_lagrangian(run->model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {.size = sizeof relation,
                              .kind = PERP_RELATION_RHEONOMOUS,
                              .rows = 1,
                              .h = distance,
                              .h_x = distance_x,
                              .h_t = distance_t,
                              .user = w};
    run_link(run, &id, 1, &relation, perp_law_impact(e));
    run_start(run, h);
    return id;
}

/* v+ = (1 + e) w at the time when it comes: its work on the mass is positive, that on the relative
 * motion is not. */
START_TEST(a_wall_strikes)
{
    const double e = 0.8, h = 0.004;
    wall w = {-0.01, 3.0, 0.0};
    scheme_run run;
    double *v = NULL;
    perp_system_id id = before_wall(&run, &w, e, h);
    run_step(&run);
    ck_assert_int_eq(perp_sim_strikes(run.sim), 1);
    perp_strike_info info = strike_of(&run, 0);
    ck_assert_double_eq_tol(info.time[0], -w.place / (h * w.speed), 1e-12);
    ck_assert_double_eq(info.restitution[0], 1.0);
    ck_assert_double_eq_tol(info.before[0], -w.speed, 1e-12);
    ck_assert_double_eq_tol(info.after[0], e * w.speed, 1e-12);
    ck_assert_int_eq(perp_model_state(run.model, id, NULL, &v, NULL, NULL), PERP_SOLVED);
    ck_assert_double_eq_tol(v[0], (1.0 + e) * w.speed, 1e-12);
    ck_assert_int_eq(figure_of(&run, "impacts").known, 1);
    ck_assert_double_le(figure_of(&run, "impacts").value, 1e-12);
    run_close(&run);
}
END_TEST

/* What the acceleration of the wall makes in a step is no impact, though there are no forces. */
START_TEST(a_wall_pushes)
{
    const double h = 0.004;
    wall w = {0.0, 1.0, 5.0};
    scheme_run run;
    double *q = NULL, *v = NULL;
    perp_system_id id = before_wall(&run, &w, 0.8, h);
    for (int k = 1; k <= 50; k++) {
        run_step(&run);
        ck_assert_int_eq(perp_sim_strikes(run.sim), 0);
    }
    ck_assert_int_eq(perp_model_state(run.model, id, &q, &v, NULL, NULL), PERP_SOLVED);
    double t = 50 * h;
    ck_assert_double_eq_tol(q[0], t * (w.speed + 0.5 * w.acceleration * t), 1e-9);
    ck_assert_double_eq_tol(v[0], w.speed + w.acceleration * t, 1e-9);
    ck_assert_double_le(figure_of(&run, "impacts").value, 1e-12);
    run_close(&run);
}
END_TEST

/* Two balls that touch move on together, far away, the second one slower by what the rounding of
 * their places stands for in a step: no law can be read from that. */
START_TEST(what_rounding_moves_rests)
{
    static const double C[] = {-1.0, 1.0}, size = -1.0, M = 1.0, place[] = {1000.0, 1001.0};
    const double v[] = {1.0, 1.0 - 1e-11};
    scheme_run run;
    perp_system_id id[2];
    run_open(&run, "discrete-gradient");
    for (int k = 0; k < 2; k++) {
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 1;
        def.q0 = &place[k];
        def.v0 = &v[k];
        ck_assert_int_eq(perp_mat_init_dense(&def.M, 1, 1, &M, 1), PERP_SOLVED);
        ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id[k], NULL), PERP_SOLVED);
    }
    perp_relation apart = {
        .size = sizeof apart, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C, .e = &size};
    run_link(&run, id, 2, &apart, perp_law_impact(0.5));
    run_start(&run, 0.004);
    for (int k = 0; k < 5; k++)
        run_step(&run);
    ck_assert_double_eq(figure_of(&run, "impacts").value, 0.0);
    run_close(&run);
}
END_TEST

/* With Newton's law on all a fast ball strikes a heavy one that a third one touches.  What a loose
 * solve leaves of the slow pair, which is the first in the list, is nothing beside the fast one. */
START_TEST(rates_are_those_of_the_whole_stage)
{
    static const double m[BALLS] = {1.0, 1000.0, 1.0}, v[BALLS] = {0.0, 0.0, -3.0};
    static const double C[] = {-1.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 1.0}, size[] = {-1.0, 0.0};
    scheme_run run;
    perp_system_id id[BALLS];
    perp_sim_options options;
    perp_settings settings;
    run_open(&run, "discrete-gradient");
    ck_assert_int_eq(perp_scheme_set(&run.scheme, "impacts", "newton"), PERP_SOLVED);
    for (int k = 0; k < BALLS; k++) {
        const double M[] = {m[k], 0.0, 0.0, m[k]}, q0[] = {k, 0.0}, v0[] = {v[k], 0.0};
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 2;
        def.q0 = q0;
        def.v0 = v0;
        ck_assert_int_eq(perp_mat_init_dense(&def.M, 2, 2, M, 2), PERP_SOLVED);
        ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id[k], NULL), PERP_SOLVED);
        perp_relation apart = {
            .size = sizeof apart, .kind = PERP_RELATION_LINEAR, .rows = 2, .C = C, .e = size};
        if (k > 0)
            run_link(&run, id + k - 1, 2, &apart, perp_law_friction(2, 0.5, 0.2));
    }
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-2;
    options.settings = &settings;
    options.solver = "gs";
    options.h = 0.004;
    ck_assert_int_eq(perp_sim_create(&run.sim, run.model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(run.sim, (perp_system_id){0, 0}, &run.scheme),
                     PERP_SOLVED);
    run_step(&run);
    double left = strike_of(&run, 0).after[0];
    ck_assert_double_lt(left, -1e-4); /* or there is nothing to judge */
    ck_assert_int_eq(figure_of(&run, "impacts").known, 1);
    ck_assert_double_eq(figure_of(&run, "impacts").value, 0.0);
    run_close(&run);
}
END_TEST

static int off_disc(double *y, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    y[0] = sqrt(x[0] * x[0] + x[1] * x[1]) - 1.0;
    return 0;
}

static int off_disc_x(double *H, double t, const double *x, const double *lambda, const double *z,
                      void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    for (int i = 0; i < 2; i++)
        H[i] = x[i] / sqrt(x[0] * x[0] + x[1] * x[1]);
    return 0;
}

/* A mass flies by a disc within a step: by the rate at the start it strikes, by that of its time it
 * leaves.  Such a stage gives nothing, the next one would be the same. */
START_TEST(a_stage_that_gives_nothing_ends_them)
{
    enum { OTHERS = 12, ORDERED = 8 };
    static const double M[] = {1.0, 0.0, 0.0, 1.0}, q[] = {-0.05, 1.01}, v[] = {100.0, 0.0};
    static const double up[] = {0.0, 1.0}, far = 50.0;
    perp_lagrangian_def def;
    perp_system_id id;
    scheme_run run;
    run_open(&run, "discrete-gradient");
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q;
    def.v0 = v;
    ck_assert_int_eq(perp_mat_init_dense(&def.M, 2, 2, M, 2), PERP_SOLVED);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation disc = {.size = sizeof disc,
                          .kind = PERP_RELATION_SCLERONOMOUS,
                          .rows = 1,
                          .h = off_disc,
                          .h_x = off_disc_x};
    run_link(&run, &id, 1, &disc, perp_law_impact(0.5));
    perp_relation other = {
        .size = sizeof other, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = up, .e = &far};
    for (int k = 0; k < OTHERS; k++)
        run_link(&run, &id, 1, &other, perp_law_impact(0.5));
    run_start(&run, 0.004);
    run_step(&run);
    ck_assert_int_gt(perp_sim_strikes(run.sim), 0); /* or there is nothing to end */
    ck_assert_int_le(perp_sim_strikes(run.sim), ORDERED + 1);
    ck_assert_double_eq(run_v(&run, id)[0], v[0]);
    ck_assert_double_eq(run_v(&run, id)[1], v[1]);
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("staged impacts");
    TCase *tc = tcase_create("strikes");
    tcase_add_test(tc, a_row_is_struck_in_order);
    tcase_add_test(tc, poisson_has_two_phases);
    tcase_add_test(tc, nothing_is_struck);
    tcase_add_test(tc, a_wall_strikes);
    tcase_add_test(tc, a_wall_pushes);
    tcase_add_test(tc, what_rounding_moves_rests);
    tcase_add_test(tc, rates_are_those_of_the_whole_stage);
    tcase_add_test(tc, a_stage_that_gives_nothing_ends_them);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
