/* SPDX-License-Identifier: BSD-3-Clause */
/* Relations whose input p = g(t, q, lambda) is nonlinear ([SDN] (10.4)) under moreau-jean, against
 * the scalar equations of one step, solved apart. */
#include "tests/fixtures/scheme_run.h"

static int y_is_q(double *out, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = x[0];
    return 0;
}

static int one_by_q(double *out, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    out[0] = 1.0;
    return 0;
}

static int nothing(double *out, double t, const double *x, const double *lambda, const double *z,
                   void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    out[0] = 0.0;
    return 0;
}

/* y = q + c lambda, c = z[0]. */
static int soft(double *out, double t, const double *x, const double *lambda, const double *z,
                void *user)
{
    (void)t, (void)user;
    out[0] = x[0] + z[0] * lambda[0];
    return 0;
}

static int soft_by_lambda(double *out, double t, const double *x, const double *lambda,
                          const double *z, void *user)
{
    (void)t, (void)x, (void)lambda, (void)user;
    out[0] = z[0];
    return 0;
}

/* g = (1 + q^2) lambda + 5 lambda^3. */
static int cubic(double *out, double t, const double *x, const double *lambda, const double *z,
                 void *user)
{
    (void)t, (void)z, (void)user;
    out[0] = (1.0 + x[0] * x[0]) * lambda[0] + 5.0 * lambda[0] * lambda[0] * lambda[0];
    return 0;
}

static int cubic_by_q(double *out, double t, const double *x, const double *lambda, const double *z,
                      void *user)
{
    (void)t, (void)z, (void)user;
    out[0] = 2.0 * x[0] * lambda[0];
    return 0;
}

static int cubic_by_lambda(double *out, double t, const double *x, const double *lambda,
                           const double *z, void *user)
{
    (void)t, (void)z, (void)user;
    out[0] = 1.0 + x[0] * x[0] + 15.0 * lambda[0] * lambda[0];
    return 0;
}

static perp_system_id add_mass(scheme_run *run, double q0, double v0, double F)
{
    double M = 2.0;
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    def.v0 = &v0;
    def.F = &F;
    perp_mat_init_dense(&def.M, 1, 1, &M, 1);
    ck_assert_int_eq(perp_model_add_lagrangian(run->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static perp_relation cubic_relation(void)
{
    return (perp_relation){.size = sizeof(perp_relation),
                           .kind = PERP_RELATION_NONLINEAR,
                           .rows = 1,
                           .h = y_is_q,
                           .h_x = one_by_q,
                           .h_t = nothing,
                           .h_lambda = nothing,
                           .g = cubic,
                           .g_x = cubic_by_q,
                           .g_lambda = cubic_by_lambda};
}

/* M (v - v_k) = h (g + F) and y = q + c lambda = 0 at the end of the step: each step fulfils both
 * to the tolerance of its Newton loop. */
START_TEST(a_soft_bilateral_row)
{
    const double h = 0.05, c = 0.05;
    scheme_run run;
    run_open(&run, "moreau-jean");
    run.scheme.theta = 1.0;
    perp_system_id mass = add_mass(&run, 0.4, -1.0, -3.0);
    perp_relation relation = cubic_relation();
    relation.h = soft;
    relation.h_lambda = soft_by_lambda;
    relation.z = &c;
    relation.nz = 1;
    perp_interaction_id id = run_link(&run, &mass, 1, &relation, perp_law_equality());
    run_start(&run, h);
    for (int k = 0; k < 20; k++) {
        double v_k = *run_v(&run, mass), q_k = *run_x(&run, mass);
        run_step(&run);
        double v = *run_v(&run, mass), q = *run_x(&run, mass), lambda = *run_lambda(&run, id), g;
        cubic(&g, 0.0, &q, &lambda, NULL, NULL);
        ck_assert_double_eq_tol(q, q_k + h * v, 1e-14);
        ck_assert_double_eq_tol(q + c * lambda, 0.0, 1e-11);
        ck_assert_double_eq_tol(2.0 * (v - v_k), h * g - 3.0 * h, 1e-11);
        ck_assert_int_gt(perp_sim_info(run.sim)->newton, 1);
    }
    run_close(&run);
}
END_TEST

/* Its y may depend on lambda, for all that the kernel knows: no impact law. */
START_TEST(impact_is_refused)
{
    scheme_run run;
    run_open(&run, "moreau-jean");
    perp_system_id mass = add_mass(&run, -1e-3, -1.0, 0.0);
    perp_relation relation = cubic_relation();
    run_link(&run, &mass, 1, &relation, perp_law_impact(0.5));
    run_start(&run, 1e-2);
    ck_assert_int_eq(perp_sim_step(run.sim), PERP_ERR_UNSUPPORTED);
    ck_assert_str_eq(perp_sim_info(run.sim)->where.what, "interaction");
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("own input");
    TCase *tcase = tcase_create("moreau-jean");
    tcase_add_test(tcase, a_soft_bilateral_row);
    tcase_add_test(tcase, impact_is_refused);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
