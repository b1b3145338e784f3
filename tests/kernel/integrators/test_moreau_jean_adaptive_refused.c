/* SPDX-License-Identifier: BSD-3-Clause */
/* moreau-jean-adaptive where the tolerance cannot be met, a callback stops, or a trial fails. */
#include <check.h>
#include <stdlib.h>

#include "tests/fixtures/adaptive_example.h"

static const double one = 1.0, none = 0.0;

/* The tolerance cannot be met: the start of the step, a status, and on with other parameters. */
START_TEST(refused)
{
    example x;
    example_make(&x, exact_ball, 0.37, "atol=1e-6 rtol=0 h_min=0.1");
    perp_sim_set_at_instants(x.r.sim, look, &x.s);
    perp_status status = PERP_SOLVED;
    double q = 0.0, v = 0.0, t = 0.0;
    while (status == PERP_SOLVED && t < 5.0) {
        q = *rig_q(&x.r, x.mass);
        v = *rig_v(&x.r, x.mass);
        t = perp_sim_time(x.r.sim);
        status = perp_sim_step(x.r.sim);
    }
    ck_assert_int_eq(status, PERP_STEP_LIMIT);
    const perp_step_info *info = perp_sim_info(x.r.sim);
    ck_assert_int_eq(info->status, PERP_STEP_LIMIT);
    ck_assert_ptr_nonnull(info->where.what);
    ck_assert_int_eq(info->where.index, 0);
    ck_assert_ptr_nonnull(strstr(info->detail, "times the tolerance"));
    ck_assert_int_gt(info->rejected, 0);
    ck_assert_double_eq(*rig_q(&x.r, x.mass), q);
    ck_assert_double_eq(*rig_v(&x.r, x.mass), v);
    ck_assert_double_eq(perp_sim_time(x.r.sim), t);
    x.s.t = t;
    ck_assert_int_eq(perp_sim_step(x.r.sim), PERP_STEP_LIMIT);
    perp_scheme scheme = rig_scheme("moreau-jean-adaptive", "atol=1e-6 rtol=0");
    ck_assert_int_eq(perp_sim_set_scheme(x.r.sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
    x.s.t = t;
    example_run(&x, 5.0);
    ck_assert_double_lt(x.s.worst, 1e-4);
    rig_free(&x.r);
    example_make(&x, exact_ball, 0.37, "atol=0 rtol=0");
    while (perp_sim_time(x.r.sim) < 0.7)
        rig_step(&x.r); /* nothing to forgive in free fall */
    do
        status = perp_sim_step(x.r.sim);
    while (status == PERP_SOLVED && perp_sim_time(x.r.sim) < 5.0);
    ck_assert_int_eq(status, PERP_STEP_LIMIT);
    rig_free(&x.r);
}
END_TEST

/* A callback that stops at an instant: the step was not made. */
START_TEST(interrupted)
{
    example x;
    example_make(&x, oscillator, 0.37, "atol=1e-5 rtol=0");
    perp_recorder *recorder;
    ck_assert_int_eq(perp_recorder_create(&recorder, x.r.model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_recorder_add(recorder, PERP_RECORD_Q, x.mass.index, x.mass.generation, 0),
                     PERP_SOLVED);
    rig_step(&x.r);
    double q = *rig_q(&x.r, x.mass);
    x.s.t = perp_sim_time(x.r.sim);
    x.s.refuse_at = 3;
    perp_sim_set_at_instants(x.r.sim, look, &x.s);
    ck_assert_int_eq(perp_sim_step(x.r.sim), PERP_INTERRUPTED);
    ck_assert_double_eq(*rig_q(&x.r, x.mass), q);
    /* Every inner step, and a row at the end of each step. */
    perp_sim_set_at_instants(x.r.sim, perp_recorder_instant, recorder);
    int rows = 0;
    for (int k = 0; k < 10; k++) {
        rig_step(&x.r);
        rows += perp_sim_info(x.r.sim)->inner;
        const double *last = perp_recorder_data(recorder) + 2 * (perp_recorder_rows(recorder) - 1);
        ck_assert_double_eq_tol(last[0], perp_sim_time(x.r.sim), 1e-13);
        ck_assert_double_eq(last[1], *rig_q(&x.r, x.mass));
    }
    ck_assert_int_eq(perp_recorder_rows(recorder), rows);
    ck_assert_int_gt(rows, 20);
    perp_recorder_destroy(recorder);
    rig_free(&x.r);
}
END_TEST

/* The recorder forgets instants of a step that was not made once that is tried again. */
static int fail_at(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *instant)
{
    perp_recorder *recorder = ctx;
    if (perp_recorder_instant(recorder, sim, model, instant))
        return 1;
    return perp_recorder_rows(recorder) == 3;
}

START_TEST(recorded_once)
{
    example x;
    example_make(&x, oscillator, 0.37, "atol=1e-5 rtol=0");
    perp_recorder *recorder;
    ck_assert_int_eq(perp_recorder_create(&recorder, x.r.model, NULL), PERP_SOLVED);
    perp_sim_set_at_instants(x.r.sim, fail_at, recorder);
    ck_assert_int_eq(perp_sim_step(x.r.sim), PERP_INTERRUPTED);
    ck_assert_int_eq(perp_recorder_rows(recorder), 3);
    perp_sim_set_at_instants(x.r.sim, perp_recorder_instant, recorder);
    rig_step(&x.r);
    ck_assert_int_eq(perp_recorder_rows(recorder), perp_sim_info(x.r.sim)->inner);
    perp_recorder_destroy(recorder);
    rig_free(&x.r);
}
END_TEST

/* One system with another scheme: refused, since this one makes steps of the whole model. */
START_TEST(not_beside_another)
{
    rig r;
    rig_init(&r, 0.1);
    rig_lagrangian(&r, 1, &one, NULL, NULL, NULL);
    perp_system_id other = rig_lagrangian(&r, 1, &none, NULL, NULL, NULL);
    perp_scheme scheme = rig_scheme("moreau-jean-adaptive", "");
    rig_start(&r, &scheme);
    scheme = rig_scheme("moreau-jean", "");
    ck_assert_int_eq(perp_sim_set_scheme(r.sim, other, &scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(r.sim), PERP_ERR_UNSUPPORTED);
    rig_free(&r);
}
END_TEST

/* A force that is defined for q < 1.5 alone: what a trial is told is no error of the run. */
static int wall_of_fire(double *out, double t, const double *q, const double *v, const double *z,
                        void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    out[0] = -log(1.5 - q[0]);
    return 0;
}

START_TEST(trials_may_fail)
{
    rig r;
    const double v0 = 1.0;
    rig_init(&r, 4.0);
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &none;
    def.v0 = &v0;
    def.F_int = wall_of_fire;
    def.differences = 1;
    perp_system_id system = rig_add_lagrangian(&r, &def);
    perp_scheme scheme = rig_scheme("moreau-jean-adaptive", "atol=1e-6");
    rig_start(&r, &scheme);
    for (int k = 0; k < 3; k++)
        rig_step(&r);
    ck_assert_double_lt(*rig_q(&r, system), 1.5);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("adaptive, refused steps");
    TCase *tcase = tcase_create("refused");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, refused);
    tcase_add_test(tcase, interrupted);
    tcase_add_test(tcase, recorded_once);
    tcase_add_test(tcase, not_beside_another);
    tcase_add_test(tcase, trials_may_fail);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
