/* SPDX-License-Identifier: BSD-3-Clause */
/* discrete-gradient-adaptive: errors in proportion to the tolerance through impacts, orders of
 * smooth motion with joints, and steps that are thrown away without a trace. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/exact_impacts.h"
#include "tests/fixtures/mechanism.h"

enum { LEVELS = 5, PHASES = 6, INSTANTS = 20000 };

static const double one = 1.0;

typedef void (*exact_fn)(double *q, double *v, double t);

static void oscillator(double *q, double *v, double t)
{
    exact_oscillator(q, v, t, 0.8);
}

/* What the instants of a run show. */
typedef struct seen {
    scheme_run *run;
    perp_system_id id;
    exact_fn exact;
    double worst, lowest, in_v, t;
    long count;
} seen;

static int look(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *instant)
{
    seen *s = ctx;
    double q, v, *x, *u;
    (void)sim;
    perp_model_state(model, s->id, &x, &u, NULL, NULL);
    s->exact(&q, &v, instant->t);
    s->worst = fmax(s->worst, fabs(x[0] - q));
    s->in_v += instant->h * fabs(u[0] - v);
    s->lowest = fmin(s->lowest, x[0]);
    s->t = instant->t;
    s->count++;
    return 0;
}

static void open_run(scheme_run *run, const char *parameters, double atol)
{
    run_open(run, "discrete-gradient-adaptive");
    run->scheme.rtol = 0.0;
    run->scheme.atol = atol;
    if (parameters[0]) {
        char name[64];
        snprintf(name, sizeof name, "%s", parameters);
        char *value = strchr(name, '=');
        *value++ = '\0';
        ck_assert_int_eq(perp_scheme_set(&run->scheme, name, value), PERP_SOLVED);
    }
}

/* A ball on the ground or a mass on a spring against a wall, over [0, 5]. */
static seen bounce(exact_fn exact, double h, double atol, const char *parameters)
{
    scheme_run run;
    perp_lagrangian_def def;
    const double weight = -2.0;
    seen s = {.run = &run, .exact = exact};
    open_run(&run, parameters, atol);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    if (exact == exact_ball)
        def.F = &weight;
    else
        ck_assert_int_eq(perp_mat_init_dense(&def.K, 1, 1, &one, 1), PERP_SOLVED);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &s.id, NULL), PERP_SOLVED);
    perp_relation wall = {.size = sizeof wall, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
    run_link(&run, &s.id, 1, &wall, perp_law_impact(exact == exact_ball ? 0.5 : 0.8));
    run_start(&run, h);
    perp_sim_set_at_instants(run.sim, look, &s);
    while (perp_sim_time(run.sim) < 5.0)
        run_step(&run);
    run_close(&run);
    return s;
}

/* Slope of log error over log tolerance by least squares, means over some h. */
static double slope(exact_fn exact, double first, const char *parameters)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, atol = first;
    for (int k = 0; k < LEVELS; k++, atol *= 0.1) {
        double error = 0.0;
        long count = 0;
        for (int phase = 0; phase < PHASES; phase++) {
            seen s = bounce(exact, 0.37 + 0.013 * phase, atol, parameters);
            error += s.worst / PHASES;
            count += s.count;
            ck_assert_double_ge(s.lowest, -1e-9 - atol);
        }
        if (getenv("PERP_TEST_ALL"))
            fprintf(stderr, "atol %g: %g in %ld steps\n", atol, error, count / PHASES);
        ck_assert_double_le(error, 20.0 * (exact == exact_ball ? atol : pow(atol, 0.6)));
        x += log(atol) / LEVELS;
        y += log(error) / LEVELS;
        xx += log(atol) * log(atol);
        xy += log(atol) * log(error);
    }
    return (xy - LEVELS * x * y) / (xx - LEVELS * x * x);
}

/* Free fall is exact; each impact makes an error of the size of the tolerance. */
START_TEST(error_in_proportion)
{
    double s = slope(exact_ball, 1e-3, "");
    ck_assert_msg(s > 0.85 && s < 1.15, "%g", s);
}
END_TEST

/* Errors of order h^3 in steps of h ~ tol^(1/3), tol^(-1/3) of them. */
START_TEST(error_of_smooth_motion)
{
    double s = slope(oscillator, 1e-4, "");
    ck_assert_msg(s > 0.6 && s < 0.8, "%g", s);
}
END_TEST

/* The difference of both walks alone does not show an impact that both make too early. */
START_TEST(what_impacts_miss)
{
    seen both = bounce(exact_ball, 0.37, 1e-4, ""),
         error = bounce(exact_ball, 0.37, 1e-4, "step_control=error");
    ck_assert_double_le(both.worst, 2e-3);
    ck_assert_double_gt(error.worst, 5.0 * both.worst);
}
END_TEST

/* Impacts are made at their times: where these are exact, no tolerance makes the steps shorter. */
START_TEST(impacts_at_their_times)
{
    const double weight = -2.0;
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id id;
    double q, v;
    open_run(&run, "", pow(10.0, -2 - 4 * _i));
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    def.F = &weight;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation wall = {.size = sizeof wall, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
    run_link(&run, &id, 1, &wall, perp_law_impact(0.5));
    run_start(&run, 0.07);
    while (perp_sim_time(run.sim) < 2.6) { /* three impacts; bounces longer than steps */
        run_step(&run);
        exact_ball(&q, &v, perp_sim_time(run.sim));
        ck_assert_double_eq_tol(run_x(&run, id)[0], q, 1e-12);
        ck_assert_int_eq(perp_sim_info(run.sim)->rejected, 0);
    }
    run_close(&run);
}
END_TEST

/* Inner steps of a run: their states and lengths. */
typedef struct film {
    mechanism *m;
    int count;
    double h[INSTANTS];
    double opening, rise, energy;
} film;

static int record(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *instant)
{
    film *f = ctx;
    (void)sim, (void)model;
    ck_assert_int_lt(f->count, INSTANTS);
    f->h[f->count++] = instant->h;
    f->opening = fmax(f->opening, mechanism_opening(f->m));
    double now = mechanism_energy(f->m);
    f->rise = fmax(f->rise, now - f->energy);
    f->energy = now;
    return 0;
}

static const mechanism_sphere ball = {0.05, 0.0, -0.5, {0.1, 0.0, 0.0}};

static void chain_on_the_ground(mechanism *m, const char *scheme, double h)
{
    mechanism_open(m, "");
    ck_assert_int_eq(perp_scheme_init(&m->run.scheme, scheme, sizeof m->run.scheme), PERP_SOLVED);
    m->run.scheme.rtol = 0.0;
    m->run.scheme.atol = 1e-3;
    mechanism_chain(m, 4, PERP_JOINT_PIVOT, 3.0);
    for (int k = 0; k < 5; k++)
        mechanism_sphere_on_plane(m, k, &ball, perp_law_friction(3, 0.4, 0.5));
    mechanism_start(m, h);
}

/* Steps are thrown away all the time; those that stand are the ones that discrete-gradient makes
 * when it is told their lengths. */
START_TEST(rejected_steps_leave_no_trace)
{
    film *f = calloc(1, sizeof *f);
    mechanism m, plain;
    int rejected = 0;
    chain_on_the_ground(&m, "discrete-gradient-adaptive", 0.1);
    f->m = &m;
    f->energy = mechanism_energy(&m);
    perp_sim_set_at_instants(m.run.sim, record, f);
    for (int k = 0; k < 7; k++) {
        mechanism_step(&m);
        rejected += perp_sim_info(m.run.sim)->rejected;
    }
    ck_assert_int_gt(rejected, 10);
    ck_assert_double_le(f->opening, 1e-9);
    ck_assert_double_le(f->rise, 1e-8);
    chain_on_the_ground(&plain, "discrete-gradient", 0.1);
    for (int k = 0; k < f->count; k++) {
        ck_assert_int_eq(perp_sim_set_h(plain.run.sim, f->h[k]), PERP_SOLVED);
        mechanism_step(&plain);
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "%d steps, %d rejected, difference %.2g\n", f->count, rejected,
                fabs(mechanism_x(&m, 4)[2] - mechanism_x(&plain, 4)[2]));
    for (int k = 0; k < m.bodies; k++) {
        for (int i = 0; i < 7; i++)
            ck_assert_double_eq_tol(mechanism_x(&m, k)[i], mechanism_x(&plain, k)[i], 1e-8);
        for (int i = 0; i < 6; i++)
            ck_assert_double_eq_tol(mechanism_v(&m, k)[i], mechanism_v(&plain, k)[i], 1e-6);
    }
    mechanism_close(&m);
    mechanism_close(&plain);
    free(f);
}
END_TEST

/* A tolerance that cannot be met ends the step, and all bits are those of its start. */
START_TEST(a_step_that_is_given_up)
{
    mechanism m;
    double x[5][7], v[5][6];
    chain_on_the_ground(&m, "discrete-gradient-adaptive", 0.05);
    for (int k = 0; k < 4; k++)
        mechanism_step(&m);
    perp_scheme strict = m.run.scheme;
    strict.atol = 1e-14;
    strict.h_min = 0.2;
    ck_assert_int_eq(perp_sim_set_scheme(m.run.sim, (perp_system_id){0, 0}, &strict), PERP_SOLVED);
    for (int k = 0; k < 5; k++) {
        memcpy(x[k], mechanism_x(&m, k), sizeof x[k]);
        memcpy(v[k], mechanism_v(&m, k), sizeof v[k]);
    }
    ck_assert_int_eq(perp_sim_step(m.run.sim), PERP_STEP_LIMIT);
    for (int k = 0; k < 5; k++) {
        ck_assert_mem_eq(x[k], mechanism_x(&m, k), sizeof x[k]);
        ck_assert_mem_eq(v[k], mechanism_v(&m, k), sizeof v[k]);
    }
    ck_assert_int_eq(perp_sim_set_scheme(m.run.sim, (perp_system_id){0, 0}, &m.run.scheme),
                     PERP_SOLVED);
    mechanism_step(&m);
    mechanism_close(&m);
}
END_TEST

/* A pendulum on a ball joint: its period by the arithmetic-geometric mean.  Joints leave the order
 * at 2, so that steps are tol^(-1/3) many. */
START_TEST(steps_of_a_pendulum)
{
    static const double origin[3] = {0.0}, mid[] = {0.5, 0.0, 0.0},
                        rod[] = {1e-3, 1.0 / 12.0, 1.0 / 12.0};
    const double pi = acos(-1.0);
    double a = 1.0, b = cos(0.25 * pi), count[2], error[2];
    for (int k = 0; k < 6; k++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    double period = 2.0 * pi * sqrt(2.0 / (3.0 * 9.81)) / a;
    for (int k = 0; k < 2; k++) {
        mechanism m;
        mechanism_open(&m, "");
        ck_assert_int_eq(perp_scheme_init(&m.run.scheme, "discrete-gradient-adaptive",
                                          sizeof m.run.scheme),
                         PERP_SOLVED);
        m.run.scheme.rtol = 0.0;
        m.run.scheme.atol = k ? 1e-8 : 1e-5;
        mechanism_body(&m, 1.0, rod, mid, NULL);
        mechanism_join(&m, PERP_JOINT_POINT, 0, MECHANISM_WORLD, origin, NULL);
        mechanism_start(&m, 0.25 * period);
        mechanism_step(&m); /* down, where it is fastest */
        count[k] = perp_sim_info(m.run.sim)->inner;
        error[k] = fabs(mechanism_x(&m, 0)[0]);
        mechanism_close(&m);
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "pendulum: %g and %g steps, %.2g and %.2g\n", count[0], count[1], error[0],
                error[1]);
    ck_assert_double_ge(count[1] / count[0], 6.0);
    ck_assert_double_le(count[1] / count[0], 16.0);
    ck_assert_double_le(error[1], 1e-6);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("discrete-gradient-adaptive");
    TCase *tcase = tcase_create("adaptive");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, error_in_proportion);
    tcase_add_test(tcase, error_of_smooth_motion);
    tcase_add_test(tcase, what_impacts_miss);
    tcase_add_loop_test(tcase, impacts_at_their_times, 0, 3);
    tcase_add_test(tcase, rejected_steps_leave_no_trace);
    tcase_add_test(tcase, a_step_that_is_given_up);
    tcase_add_test(tcase, steps_of_a_pendulum);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
