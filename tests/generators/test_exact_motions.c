/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact motions of bench/impacts, against [ACA10] (69)-(71) as printed, against a classical
 * Runge-Kutta method, and as inputs of the norms. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "generators/exact_motions.h"

static perp_impacts_motion motion_of(const char *name)
{
    perp_impacts_motion motion;
    const perp_impacts_example *example = perp_impacts_find(name);
    ck_assert_ptr_nonnull(example);
    perp_impacts_prepare(&motion, example);
    return motion;
}

/* For t in [3 - 2^(1-n), 3 - 2^-n) as [ACA10] has it. */
START_TEST(ball)
{
    perp_impacts_motion m = motion_of("ball");
    double q, v;
    ck_assert_int_gt(m.pieces, 40);
    for (int n = 0; n < 40; n++)
        ck_assert(m.start[n + 1] == 3.0 - ldexp(1.0, 1 - n));
    for (double t = 0.0; t < 5.0; t += 0.00137) {
        double eq, ev;
        perp_impacts_at(&q, &v, &m, t);
        if (t < 1.0) {
            eq = 1.0 - t * t;
            ev = -2.0 * t;
        } else if (t < 3.0) {
            int n = 0;
            while (t >= 3.0 - ldexp(1.0, -n))
                n++;
            double part = 3.0 / ldexp(1.0, n);
            eq = -(t - 3.0) * (t - 3.0) - part * (t - 1.0) +
                 (3.0 - ldexp(1.0, -n)) / ldexp(1.0, n - 1);
            ev = -2.0 * (t - 3.0) - part;
        } else {
            eq = ev = 0.0;
        }
        ck_assert_msg(fabs(q - eq) < 1e-14 && fabs(v - ev) < 1e-14, "t = %g: %g %g, not %g %g", t,
                      q, v, eq, ev);
    }
}
END_TEST

static void runge_kutta(double *q, double *v, const perp_impacts_example *x, double h)
{
    double a[4], w[4], dq = *q, dv = *v;
    for (int k = 0; k < 4; k++) {
        double step = k == 2 ? h : 0.5 * h;
        w[k] = dv;
        a[k] = x->force - x->damping * dv - x->stiffness * dq;
        dq = *q + step * w[k];
        dv = *v + step * a[k];
    }
    *q += h / 6.0 * (w[0] + 2.0 * w[1] + 2.0 * w[2] + w[3]);
    *v += h / 6.0 * (a[0] + 2.0 * a[1] + 2.0 * a[2] + a[3]);
}

/* Each piece is the motion of its equations, ends on the ground, and the next begins with -e v. */
START_TEST(pieces)
{
    enum { STEPS = 2000 };
    for (const perp_impacts_example *x = perp_impacts_examples; x->name; x++) {
        perp_impacts_motion m = motion_of(x->name);
        for (int k = 0; k < m.pieces && m.start[k] < x->rest; k++) {
            double q = m.q[k], v = m.v[k], eq, ev;
            double end = k + 1 < m.pieces ? m.start[k + 1] : x->end;
            for (int s = 1; s <= STEPS; s++) {
                double t = m.start[k] + (end - m.start[k]) * s / STEPS;
                runge_kutta(&q, &v, x, (end - m.start[k]) / STEPS);
                perp_impacts_on(&eq, &ev, &m, k, t);
                ck_assert_msg(fabs(q - eq) < 1e-11 && fabs(v - ev) < 1e-11, "%s, %g", x->name, t);
                ck_assert(eq > -1e-14);
            }
            if (k + 1 < m.pieces && m.start[k + 1] < x->rest) {
                ck_assert_msg(fabs(eq) < 4e-16 * (1.0 + fabs(ev)), "%s: %g at %g", x->name, eq,
                              end);
                ck_assert(fabs(m.v[k + 1] + x->e * ev) < 1e-15);
            }
        }
    }
    perp_impacts_motion m = motion_of("oscillator");
    const double speed[] = {1.65, 1.19, 0.85};
    ck_assert_int_eq(m.pieces, 4);
    for (int k = 0; k < 3; k++)
        ck_assert(fabs(m.v[k + 1] / 0.8 - speed[k]) < 5e-3);
}
END_TEST

START_TEST(in_a_model)
{
    for (const perp_impacts_example *x = perp_impacts_examples; x->name; x++) {
        perp_model *model;
        perp_sim *sim;
        perp_sim_options options;
        perp_system_id system;
        perp_interaction_id contact;
        perp_impacts_motion m = motion_of(x->name);
        double *q, *v, eq, ev;
        ck_assert_int_eq(perp_model_create(&model, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_impacts_add(model, x, &system, &contact), PERP_SOLVED);
        perp_sim_options_init(&options, sizeof options);
        options.h = 1e-3;
        ck_assert_int_eq(perp_sim_create(&sim, model, &options, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_run(sim, 2.2), PERP_SOLVED);
        perp_model_state(model, system, &q, &v, NULL, NULL);
        perp_impacts_at(&eq, &ev, &m, perp_sim_time(sim));
        ck_assert_msg(fabs(*q - eq) < 0.01 && fabs(*v - ev) < 0.05, "%s: %g %g, not %g %g", x->name,
                      *q, *v, eq, ev);
        perp_sim_destroy(sim);
        perp_model_destroy(model);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exact impacts");
    TCase *tcase = tcase_create("exact impacts");
    tcase_add_test(tcase, ball);
    tcase_add_test(tcase, pieces);
    tcase_add_test(tcase, in_a_model);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
