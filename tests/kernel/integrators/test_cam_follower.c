/* SPDX-License-Identifier: BSD-3-Clause */
/* The cam follower of [SDN] chapter 14: event-driven and Moreau-Jean come to each other as h -> 0
 * before chaos sets in; flights are whole; periods; corners of the profile are passed. */
#include <stdlib.h>

#include "examples/cam.h"
#include "tests/fixtures/scheme_run.h"

typedef struct follower {
    scheme_run run;
    perp_system_id id;
    perp_interaction_id cam;
    double lowest;
} follower;

static int lowest(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *at)
{
    follower *f = ctx;
    const double *y = NULL;
    (void)sim, (void)at;
    perp_model_output(model, f->cam, &y, NULL, NULL, NULL, NULL);
    f->lowest = fmin(f->lowest, y[0]);
    return 0;
}

/* From `above` the cam, at rest or with the velocity of chapter 14. */
static void start(follower *f, const char *scheme, double rpm, double above, double v, double h)
{
    double rate;
    f->lowest = 0.0;
    run_open(&f->run, scheme);
    f->run.scheme.atol = f->run.scheme.rtol = 1e-9;
    ck_assert_int_eq(cam_make(f->run.model, rpm / 60, above + cam_height(&rate, 0, rpm / 60), v,
                              &f->id, &f->cam),
                     PERP_SOLVED);
    run_start(&f->run, h);
    perp_sim_set_at_instants(f->run.sim, lowest, f);
}

static double coordinate(follower *f)
{
    double *q = NULL;
    ck_assert_int_eq(perp_model_state(f->run.model, f->id, &q, NULL, NULL, NULL), PERP_SOLVED);
    return q[0];
}

/* Largest difference of the coordinates over `time`, at multiples of 1 ms, against the largest of
 * them. */
static double difference(double rpm, double time, int steps)
{
    follower a, b;
    double worst = 0.0, largest = 0.0;
    start(&a, "event-driven", rpm, 0.4, 0.4, 1e-3);
    start(&b, "moreau-jean", rpm, 0.4, 0.4, 1e-3 / steps);
    for (int k = 0; k < (int)(1e3 * time); k++) {
        run_step(&a.run);
        for (int i = 0; i < steps; i++)
            run_step(&b.run);
        worst = fmax(worst, fabs(coordinate(&a) - coordinate(&b)));
        largest = fmax(largest, fabs(coordinate(&a)));
    }
    ck_assert_double_ge(a.lowest, -1e-12);
    run_close(&a.run);
    run_close(&b.run);
    return worst / largest;
}

START_TEST(schemes_converge_to_each_other)
{
    static const double rpm[] = {358.0, 660.0, 700.0};
    double coarse = difference(rpm[_i], 0.3, 10), fine = difference(rpm[_i], 0.3, 160);
    ck_assert_double_le(fine, 0.15 * coarse);
    ck_assert_double_le(fine, 4e-3);
}
END_TEST

/* Three revolutions at 358 rpm, one at 700; none at 660. */
START_TEST(periods)
{
    static const double rpm[] = {358.0, 660.0, 700.0};
    static const int period[] = {3, 3, 1};
    follower f;
    double before = 0.0;
    start(&f, "event-driven", rpm[_i], 0.4, 0.4, 15.0 / rpm[_i]);
    for (int k = 0; k < 4 * (300 + period[_i]); k++) {
        if (k == 1200)
            before = coordinate(&f);
        run_step(&f.run);
    }
    double change = fabs(coordinate(&f) - before);
    if (rpm[_i] == 660.0)
        ck_assert_double_ge(change, 1e-3);
    else
        ck_assert_double_le(change, 1e-6);
    ck_assert_double_ge(f.lowest, -1e-12);
    run_close(&f.run);
}
END_TEST

/* At 100 rpm the follower stays on the cam: six corners a revolution, each the end of a step. */
START_TEST(corners_on_the_cam)
{
    follower f;
    double rate;
    int inner = 0, rejected = 0;
    start(&f, "event-driven", 100.0, 0.0, 0.0, 0.15);
    for (int k = 0; k < 40; k++) {
        run_step(&f.run);
        inner += perp_sim_info(f.run.sim)->inner;
        rejected += perp_sim_info(f.run.sim)->rejected;
        double q = coordinate(&f), c = cam_height(&rate, perp_sim_time(f.run.sim), 100.0 / 60);
        ck_assert_double_eq_tol(q, c, 1e-12);
        ck_assert_int_eq(perp_sim_info(f.run.sim)->impacts, 0);
    }
    ck_assert_int_le(inner, 1000);
    ck_assert_int_le(rejected, 1000);
    ck_assert_double_ge(f.lowest, -1e-12);
    run_close(&f.run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cam");
    TCase *tc = tcase_create("cam");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, schemes_converge_to_each_other, 0, 3);
    tcase_add_loop_test(tc, periods, 0, 3);
    tcase_add_test(tc, corners_on_the_cam);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
