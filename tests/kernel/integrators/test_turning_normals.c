/* SPDX-License-Identifier: BSD-3-Clause */
/* discrete-gradient where the normal of a contact turns: what that makes of the rate of a gap is an
 * acceleration and no approach, so that sliding in a bowl loses nothing and strikes nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/scheme_run.h"

static int in_bowl(double *y, double t, const double *x, const double *lambda, const double *z,
                   void *user)
{
    (void)t, (void)lambda, (void)z;
    y[0] = *(const double *)user - hypot(x[0], x[1]);
    return 0;
}

static int in_bowl_x(double *H, double t, const double *x, const double *lambda, const double *z,
                     void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    for (int i = 0; i < 2; i++)
        H[i] = -x[i] / hypot(x[0], x[1]);
    return 0;
}

/* A mass at the right of a bowl of this radius, without forces. */
static perp_system_id begin(scheme_run *run, double *radius, const double *v, double e, double h)
{
    const double M[] = {2.0, 0.0, 0.0, 2.0}, q[] = {*radius, 0.0};
    perp_lagrangian_def def;
    perp_system_id id;
    run_open(run, "discrete-gradient");
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q;
    def.v0 = v;
    ck_assert_int_eq(perp_mat_init_dense(&def.M, 2, 2, M, 2), PERP_SOLVED);
    ck_assert_int_eq(perp_model_add_lagrangian(run->model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {.size = sizeof relation,
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = in_bowl,
                              .h_x = in_bowl_x,
                              .user = radius};
    run_link(run, &id, 1, &relation, perp_law_impact(e));
    run_start(run, h);
    ck_assert_int_eq(perp_sim_set_size(run->sim, id, *radius), PERP_SOLVED);
    return id;
}

static double speed_of(scheme_run *run, perp_system_id id)
{
    return hypot(run_v(run, id)[0], run_v(run, id)[1]);
}

static const struct {
    double e, h;
} slides[] = {{0.0, 0.01}, {0.0, 0.1}, {0.3, 0.01}, {0.3, 0.1}, {1.0, 0.05}};
enum { SLIDES = sizeof slides / sizeof slides[0] };

/* The chord of a step is h times the mean of two tangents: 2 R sin(a/2) = h v cos(a/2). */
START_TEST(sliding_in_a_bowl)
{
    double radius = 1.5, speed = 2.0, h = slides[_i].h, v[] = {0.0, speed};
    double turn = 2.0 * atan(0.5 * h * speed / radius);
    perp_verdict verdict = {.size = sizeof verdict};
    scheme_run run;
    perp_system_id id = begin(&run, &radius, v, slides[_i].e, h);
    for (int k = 1; k <= 400; k++) {
        run_step(&run);
        const double *q = run_x(&run, id);
        ck_assert_int_eq(run_impacts(&run), 0);
        ck_assert_double_eq_tol(hypot(q[0], q[1]), radius, 1e-9);
        ck_assert_double_eq_tol(speed_of(&run, id), speed, 1e-9);
        ck_assert_double_eq_tol(remainder(atan2(q[1], q[0]) - k * turn, 2.0 * acos(-1.0)), 0.0,
                                1e-7);
    }
    ck_assert_int_eq(perp_sim_verdict(run.sim, &verdict, sizeof verdict), PERP_SOLVED);
    ck_assert_msg(verdict.kind == PERP_VERDICT_VERIFIED, "%s", verdict.first);
    ck_assert_double_eq(verdict.stage, 0.0);
    run_close(&run);
}
END_TEST

/* An approach at the start is one: of v = (outwards, along) what is outwards is lost. */
START_TEST(an_approach_is_stopped)
{
    double radius = 1.5, along = 2.0, h = 0.001, v[] = {1.0, along};
    scheme_run run;
    perp_system_id id = begin(&run, &radius, v, 0.0, h);
    for (int k = 1; k <= 400; k++) {
        run_step(&run);
        ck_assert_double_eq_tol(speed_of(&run, id), along, 2.0 * h * along / radius);
    }
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("turning normals");
    TCase *tcase = tcase_create("normals");
    tcase_add_loop_test(tcase, sliding_in_a_bowl, 0, SLIDES);
    tcase_add_test(tcase, an_approach_is_stopped);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
