/* SPDX-License-Identifier: BSD-3-Clause */
/* The certificate of a run: the energy balance closes to rounding for systems and relations of all
 * kinds and any theta, figures against sums that are made here, units, checkpoints, thresholds. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/kernel_rig.h"
#include "tests/fixtures/model_zoo.h"
#include "tests/fixtures/verdict.h"

static void closes(const rig *r, double tol)
{
    perp_verdict verdict = verdict_of(r->sim);
    perp_figure energy = figure_of(r->sim, "energy"), dynamics = figure_of(r->sim, "dynamics");
    ck_assert_int_eq(energy.known && dynamics.known, 1);
    ck_assert_msg(fabs(verdict.balance) <= tol * verdict.scale, "%g of %g", verdict.balance,
                  verdict.scale);
    ck_assert_double_le(energy.value, tol);
    ck_assert_double_le(dynamics.value, tol);
    ck_assert_double_gt(verdict.scale, 0.0);
}

static const double weights[] = {0.5, 0.55, 0.8, 1.0};

static perp_scheme theta_scheme(int k)
{
    char text[64];
    snprintf(text, sizeof text, "theta=%g", weights[k]);
    return rig_scheme("moreau-jean", text);
}

/* Springs, dampers, full mass, friction in the plane. */
START_TEST(linear_systems_close)
{
    static const double M[9] = {2.0, 0.3, 0.1, 0.3, 1.5, 0.2, 0.1, 0.2, 1.0};
    static const double K[9] = {90.0, -40.0, 0.0, -40.0, 80.0, -30.0, 0.0, -30.0, 60.0};
    static const double D[9] = {0.4, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.2};
    static const double q0[3] = {0.1, -0.2, 0.05}, v0[3] = {1.0, 0.5, -1.0};
    static const double F[3] = {1.0, -2.0, -9.0}, C[6] = {0.0, 1.0, 0.0, 0.0, 1.0, 0.0};
    rig r;
    perp_lagrangian_def def;
    perp_scheme scheme = theta_scheme(_i);
    rig_init(&r, 1e-3);
    r.options.solver = NULL;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.v0 = v0;
    def.F = F;
    def.M = rig_dense(M, 3, 3);
    def.K = rig_dense(K, 3, 3);
    def.C = rig_dense(D, 3, 3);
    perp_system_id s = rig_add_lagrangian(&r, &def);
    rig_linear(&r, s, 2, C, NULL, perp_law_friction(2, 0.4, 0.3));
    rig_start(&r, &scheme);
    rig_run(&r, 1.0);
    closes(&r, 1e-11);
    ck_assert_double_gt(figure_of(r.sim, "law").value, -1.0);
    ck_assert_int_eq(figure_of(r.sim, "law").kind, PERP_VERDICT_VERIFIED);
    rig_free(&r);
}
END_TEST

/* Callbacks of every kind, a mass that depends on q. */
START_TEST(nonlinear_systems_close)
{
    rig r;
    perp_lagrangian_def def;
    perp_scheme scheme = theta_scheme(_i);
    rig_init(&r, 1e-3);
    r.options.newton_tol = 1e-13;
    verdict_zoo_def(&def);
    def.controls = 2;
    def.T = zoo_T;
    def.u = zoo_u;
    def.control_q = zoo_control_x;
    def.control_v = zoo_control_v;
    rig_add_lagrangian(&r, &def);
    rig_start(&r, &scheme);
    rig_run(&r, 0.3);
    closes(&r, 1e-9);
    rig_free(&r);
}
END_TEST

static int soft_h(double *out, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)z, (void)user;
    out[0] = x[0] * (1.0 + 0.2 * x[0]) + lambda[0] / 400.0;
    return 0;
}

static int soft_h_x(double *out, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = 1.0 + 0.4 * x[0];
    return 0;
}

static int soft_h_lambda(double *out, double t, const double *x, const double *lambda,
                         const double *z, void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    out[0] = 1.0 / 400.0;
    return 0;
}

/* A mass that falls on a nonlinear soft support: lambda is a force, no impulse. */
START_TEST(compliant_rows_close)
{
    static const double q0[1] = {0.3}, F[1] = {-9.81};
    rig r;
    perp_lagrangian_def def;
    rig_init(&r, 2e-3);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = q0;
    def.F = F;
    perp_system_id s = rig_add_lagrangian(&r, &def);
    perp_interaction_def link;
    perp_interaction_def_init(&link, sizeof link);
    link.systems = &s;
    link.nsystems = 1;
    link.relation.kind = PERP_RELATION_COMPLIANT;
    link.relation.rows = 1;
    link.relation.h = soft_h;
    link.relation.h_x = soft_h_x;
    link.relation.h_lambda = soft_h_lambda;
    link.law = perp_law_complementarity();
    perp_interaction_id id;
    ck_assert_int_eq(perp_model_add_interaction(r.model, &link, &id, NULL), PERP_SOLVED);
    rig_start(&r, NULL);
    rig_run(&r, 1.0);
    closes(&r, 1e-6);
    rig_free(&r);
}
END_TEST

static perp_system_id add_body(rig *r, const double *place, const double *angular, double weight)
{
    static const double J[3] = {0.02, 0.05, 0.06};
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.mass = 2.0;
    for (int k = 0; k < 3; k++) {
        def.inertia[4 * k] = J[k];
        def.position[k] = place[k];
        def.angular[k] = angular[k];
    }
    def.force[2] = -weight;
    def.moment[0] = 0.01;
    return rig_add_body(r, &def);
}

static void join(rig *r, const perp_system_id *systems, int count, perp_joint joint)
{
    perp_relation relation = rig_relation(PERP_RELATION_JOINT, perp_joint_rows(joint));
    relation.joint = joint;
    relation.anchor[0] = count == 2 ? 0.5 : 0.0;
    relation.anchor_b[2] = 1.0;
    relation.axis[1] = 1.0;
    relation.axis_b[2] = 1.0;
    rig_interact(r, systems, count, &relation, perp_law_equality());
}

/* Bodies with a gyroscopic term on joints of each kind. */
START_TEST(joints_close)
{
    static const perp_joint joints[] = {
        PERP_JOINT_POINT,    PERP_JOINT_PIVOT,       PERP_JOINT_PRISMATIC, PERP_JOINT_FIXED,
        PERP_JOINT_DISTANCE, PERP_JOINT_CYLINDRICAL, PERP_JOINT_UNIVERSAL};
    static const double place[2][3] = {{0.25, 0.0, 0.0}, {0.75, 0.0, 0.0}};
    static const double angular[2][3] = {{0.5, 2.0, 0.1}, {3.0, -1.0, 0.7}};
    rig r;
    perp_system_id bodies[2];
    perp_scheme scheme = theta_scheme(_i % 2);
    rig_init(&r, 1e-3);
    r.options.solver = NULL;
    r.options.newton_tol = 1e-13;
    bodies[0] = add_body(&r, place[0], angular[0], 20.0);
    bodies[1] = add_body(&r, place[1], angular[1], 20.0);
    join(&r, bodies, 1, PERP_JOINT_POINT);
    perp_system_id back[2] = {bodies[1], bodies[0]};
    join(&r, back, 2, joints[_i / 2]);
    rig_start(&r, &scheme);
    rig_run(&r, 0.1);
    closes(&r, 1e-9);
    ck_assert_int_eq(figure_of(r.sim, "joints").known, 1);
    rig_free(&r);
}
END_TEST

/* The default figures of a ball beside sums that are made here, at theta = 1/2. */
START_TEST(sums_of_a_ball)
{
    const double m = 3.0, g = 9.81, h = 1e-3, q0 = 0.4, F = -m * g, M = m, one = 1.0;
    double contact = 0.0, kinetic = 0.0, lowest = 0.0, highest = 0.0, v, last_v = 0.0;
    rig r;
    perp_scheme scheme = rig_scheme("moreau-jean", "");
    rig_init(&r, h);
    perp_system_id ball = rig_lagrangian(&r, 1, &q0, NULL, &M, &F);
    perp_interaction_id floor = rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.7));
    rig_start(&r, &scheme);
    for (int k = 0; k < 1000; k++) {
        rig_step(&r);
        v = *rig_v(&r, ball);
        contact += fabs(0.5 * *rig_lambda(&r, floor) * (v + last_v));
        kinetic = fmax(kinetic, 0.5 * m * v * v);
        lowest = fmin(lowest, m * g * (*rig_q(&r, ball) - q0));
        highest = fmax(highest, m * g * (*rig_q(&r, ball) - q0));
        last_v = v;
    }
    perp_verdict verdict = verdict_of(r.sim);
    ck_assert_double_eq_tol(verdict.contact, contact, 1e-10);
    ck_assert_double_eq_tol(verdict.kinetic, kinetic, 1e-10);
    ck_assert_double_eq_tol(verdict.potential, highest - lowest, 1e-10);
    ck_assert_int_eq(verdict.steps, 1000);
    rig_free(&r);
}
END_TEST

/* The same motion in other units has the same figures: lengths by 1e3, masses by 1e-6, time by
 * 10. */
static void run_in_units(rig *r, double length, double mass, double time)
{
    const double m = 2.0 * mass, F = -m * 9.81 * length / (time * time), q0 = 0.3 * length;
    const double v0 = 0.5 * length / time, one = 1.0;
    perp_scheme scheme = rig_scheme("moreau-jean", "");
    rig_init(r, 1e-3 * time);
    perp_system_id ball = rig_lagrangian(r, 1, &q0, &v0, &m, &F);
    rig_linear(r, ball, 1, &one, NULL, perp_law_impact(0.5));
    rig_start(r, &scheme);
    ck_assert_int_eq(perp_sim_set_size(r->sim, ball, 0.05 * length), PERP_SOLVED);
    for (int k = 0; k < 800; k++)
        rig_step(r);
}

START_TEST(units_do_not_matter)
{
    rig a, b;
    perp_figure one, other;
    run_in_units(&a, 1.0, 1.0, 1.0);
    run_in_units(&b, 1024.0, 0x1p-20, 16.0);
    ck_assert_int_eq(verdict_of(a.sim).kind, verdict_of(b.sim).kind);
    for (int k = 0; perp_sim_figure(a.sim, k, &one, sizeof one) == PERP_SOLVED; k++) {
        perp_sim_figure(b.sim, k, &other, sizeof other);
        ck_assert_msg(fabs(one.value - other.value) <= 1e-9 * (1e-3 + one.value), "%s: %g, %g",
                      one.name, one.value, other.value);
        ck_assert_int_eq(one.kind, other.kind);
        ck_assert_int_eq(one.step, other.step);
    }
    rig_free(&a);
    rig_free(&b);
}
END_TEST

/* The worst figure of the last step, found among all figures. */
static perp_step_figure worst_of_figures(const perp_sim *sim)
{
    const perp_step_info *step = perp_sim_info(sim);
    perp_step_figure worst = {.size = sizeof worst, .measure = -1};
    perp_figure f;
    for (int k = 0; perp_sim_figure(sim, k, &f, sizeof f) == PERP_SOLVED; k++) {
        int fails = f.kind == PERP_VERDICT_NOT_VERIFIED && f.step == step->step;
        double over = f.known && f.remarks > 0.0 ? f.last / f.remarks : 0.0;
        if (fails && !(over > 1.0))
            over = f.remarks > 0.0 ? f.value / f.remarks : 2.0;
        worst.failed |= fails;
        if (isfinite(over) && over > worst.over) {
            worst.over = over;
            worst.measure = k;
        }
    }
    return worst;
}

/* Of a ball that bounces, under thresholds so low that measures fail, each for the first time once.
 */
START_TEST(the_worst_of_a_step)
{
    const double q0 = 0.3, F = -9.81, one = 1.0, M = 1.0;
    const char *const strict[] = {"penetration_remarks", "energy_remarks", "momentum_remarks"};
    rig r;
    perp_step_figure figure;
    perp_thresholds thresholds;
    perp_scheme scheme = rig_scheme("moreau-jean", "");
    int failed = 0;
    perp_thresholds_init(&thresholds, sizeof thresholds);
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(perp_thresholds_set(&thresholds, strict[k], k < 2 ? "1e-17" : "0"),
                         PERP_SOLVED);
    rig_init(&r, 2e-3);
    perp_system_id ball = rig_lagrangian(&r, 1, &q0, NULL, &M, &F);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.5));
    rig_start(&r, &scheme);
    ck_assert_int_eq(perp_sim_set_thresholds(r.sim, &thresholds), PERP_SOLVED);
    for (int k = 0; k < 600; k++) {
        rig_step(&r);
        perp_step_figure worst = worst_of_figures(r.sim);
        ck_assert_int_eq(perp_sim_step_figure(r.sim, &figure, sizeof figure), PERP_SOLVED);
        ck_assert_int_eq(figure.measure, worst.measure);
        ck_assert_double_eq(figure.over, worst.over);
        ck_assert_int_eq(figure.failed, worst.failed);
        failed += figure.failed;
    }
    ck_assert_int_gt(failed, 0);
    ck_assert_int_lt(failed, 10);
    ck_assert_int_eq(perp_sim_step_figure(NULL, &figure, sizeof figure), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_step_figure(r.sim, NULL, sizeof figure), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_step_figure(r.sim, &figure, 0), PERP_ERR_ARGUMENT);
    rig_free(&r);
}
END_TEST

/* A run that went on from a checkpoint has the verdict of the run in one go, bit for bit. */
START_TEST(checkpoints_hold_it)
{
    const double q0 = 0.3, F = -9.81, one = 1.0, M = 1.0;
    rig r[2];
    perp_verdict whole, resumed;
    perp_scheme scheme = rig_scheme("moreau-jean", "");
    size_t bytes = 0;
    for (int k = 0; k < 2; k++) {
        rig_init(&r[k], 2e-3);
        perp_system_id ball = rig_lagrangian(&r[k], 1, &q0, NULL, &M, &F);
        rig_linear(&r[k], ball, 1, &one, NULL, perp_law_impact(0.5));
        rig_start(&r[k], &scheme);
    }
    rig_run(&r[0], 0.5);
    ck_assert_int_eq(perp_sim_save(r[0].sim, NULL, &bytes), PERP_SOLVED);
    void *buf = malloc(bytes);
    ck_assert_ptr_nonnull(buf);
    ck_assert_int_eq(perp_sim_save(r[0].sim, buf, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_load(r[1].sim, buf, bytes), PERP_SOLVED);
    free(buf);
    for (int k = 0; k < 2; k++)
        rig_run(&r[k], 1.0);
    whole = verdict_of(r[0].sim);
    resumed = verdict_of(r[1].sim);
    ck_assert_mem_eq(&whole, &resumed, sizeof whole);
    rig_free(&r[0]);
    rig_free(&r[1]);
}
END_TEST

START_TEST(thresholds_decide)
{
    const double q0 = 0.3, F = -9.81, one = 1.0, M = 1.0;
    rig r;
    perp_thresholds thresholds;
    perp_scheme scheme = rig_scheme("moreau-jean", "");
    perp_thresholds_init(&thresholds, sizeof thresholds);
    ck_assert_double_eq(thresholds.joints, 1e-6);
    ck_assert_double_eq(thresholds.joints_remarks, 1e-3);
    ck_assert_int_eq(perp_thresholds_set(&thresholds, "flight", "1e-9"), PERP_SOLVED);
    ck_assert_int_eq(perp_thresholds_set(&thresholds, "flight_remarks", "2e-9"), PERP_SOLVED);
    ck_assert_int_eq(perp_thresholds_set(&thresholds, "flights", "1"), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_thresholds_set(&thresholds, "flight", "-1"), PERP_ERR_SETTING);
    rig_init(&r, 2e-3);
    perp_system_id ball = rig_lagrangian(&r, 1, &q0, NULL, &M, &F);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.5));
    rig_start(&r, &scheme);
    ck_assert_int_eq(perp_sim_set_thresholds(r.sim, &thresholds), PERP_SOLVED);
    rig_run(&r, 1.0);
    perp_verdict verdict = verdict_of(r.sim);
    perp_figure flight = figure_of(r.sim, "flight");
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
    ck_assert_int_eq(flight.kind, PERP_VERDICT_NOT_VERIFIED);
    ck_assert_double_gt(flight.value, 2e-9);
    /* sqrt(2 q0 / g) = 0.2473: the first overlap. */
    ck_assert_int_le(labs(flight.step - 124), 1);
    thresholds.rises = -1.0;
    ck_assert_int_eq(perp_sim_set_thresholds(r.sim, &thresholds), PERP_ERR_SETTING);
    rig_free(&r);
}
END_TEST

/* A step that was accepted unsolved is never verified. */
static perp_failure_action accept(void *ctx, const perp_sim *sim, const perp_info *info,
                                  int attempt, const char **solver)
{
    (void)ctx, (void)sim, (void)info, (void)attempt, (void)solver;
    return PERP_FAILURE_ACCEPT;
}

START_TEST(unsolved_is_told)
{
    static const double q0[2] = {0.0, 0.0}, F[2] = {1.0, -9.81}, C[4] = {0.0, 1.0, 1.0, 0.3};
    rig r;
    rig_init(&r, 1e-2);
    r.options.solver = "admm";
    r.settings.max_iter = 1;
    r.settings.tol = 1e-15;
    perp_system_id block = rig_lagrangian(&r, 2, q0, NULL, NULL, F);
    perp_scheme scheme = rig_scheme("moreau-jean", "");
    rig_linear(&r, block, 2, C, NULL, perp_law_friction(2, 0.0, 0.4));
    rig_start(&r, &scheme);
    perp_sim_set_on_failure(r.sim, accept, NULL);
    long before = 0;
    for (int k = 0; k < 20; k++)
        before += perp_sim_step(r.sim) > 0;
    ck_assert_int_gt(before, 0);
    perp_verdict verdict = verdict_of(r.sim);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
    ck_assert_double_eq(figure_of(r.sim, "unsolved").value, (double)before);
    rig_free(&r);
}
END_TEST

START_TEST(bad_arguments)
{
    rig r;
    perp_verdict verdict;
    perp_figure figure;
    perp_system_id none = {7, 9};
    double q0 = 0.0;
    rig_init(&r, 1e-2);
    perp_system_id one = rig_lagrangian(&r, 1, &q0, NULL, NULL, NULL);
    rig_start(&r, NULL);
    ck_assert_int_eq(perp_sim_verdict(NULL, &verdict, sizeof verdict), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_verdict(r.sim, NULL, sizeof verdict), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_verdict(r.sim, &verdict, 0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_figure(r.sim, -1, &figure, sizeof figure), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_figure(r.sim, 1000, &figure, sizeof figure), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_size(r.sim, one, -1.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_size(r.sim, one, (double)NAN), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_size(r.sim, none, 1.0), PERP_ERR_STATE);
    ck_assert_ptr_null(perp_verdict_name((perp_verdict_kind)3));
    ck_assert_str_eq(perp_verdict_name(PERP_VERDICT_REMARKS), "done with remarks");
    ck_assert_int_eq(perp_sim_verdict(r.sim, &verdict, sizeof verdict), PERP_SOLVED);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED); /* nothing was done */
    ck_assert_int_eq(verdict.steps, 0);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("certificate of a run");
    TCase *tc = tcase_create("verdict");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, linear_systems_close, 0, 4);
    tcase_add_loop_test(tc, nonlinear_systems_close, 0, 4);
    tcase_add_loop_test(tc, joints_close, 0, 14);
    tcase_add_test(tc, compliant_rows_close);
    tcase_add_test(tc, sums_of_a_ball);
    tcase_add_test(tc, units_do_not_matter);
    tcase_add_test(tc, the_worst_of_a_step);
    tcase_add_test(tc, checkpoints_hold_it);
    tcase_add_test(tc, thresholds_decide);
    tcase_add_test(tc, unsolved_is_told);
    tcase_add_test(tc, bad_arguments);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
