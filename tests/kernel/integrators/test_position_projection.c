/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_project() itself: which contacts take part, and the metric of the masses against closed
 * forms, KKT conditions and the first-order formula d = -M^-1 H' (H M^-1 H')^-1 g. */
#include <stdlib.h>

#include "kernel/integrators/position_projection.h"
#include "kernel/integrators/projection_matrix.h"
#include "kernel/sim/sim_inside.h"
#include "tests/fixtures/dense_reference.h"
#include "tests/fixtures/scheme_run.h"

static const double ends[] = {-1.0, 1.0}, minus = -1.0;

static perp_system_id add_mass(scheme_run *run, double q0, double mass)
{
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    perp_mat_init_dense(&def.M, 1, 1, &mass, 1);
    ck_assert_int_eq(perp_model_add_lagrangian(run->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

/* q_b - q_a - 1 >= 0. */
static perp_interaction_id add_gap(scheme_run *run, const perp_system_id *pair, double e)
{
    perp_relation gap = {
        .size = sizeof gap, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = ends, .e = &minus};
    return run_link(run, pair, 2, &gap, perp_law_impact(e));
}

static void start_with(scheme_run *run, const char *solver, double tol)
{
    perp_sim_options options;
    perp_settings settings;
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    options.h = 1e-3;
    options.solver = solver;
    settings.tol = tol;
    options.settings = &settings;
    ck_assert_int_eq(perp_sim_create(&run->sim, run->model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_check(run->sim), PERP_SOLVED);
}

/* The simulation's solver and its tolerance were used, and no other. */
static void expect_solver(const perp_projection *p, const scheme_run *run)
{
    const perp_stepper *stepper = &run->sim->stepper;
    const char *name = stepper->options.solver;
    if (!name || p->rows == 0)
        return;
    ck_assert_str_eq(perp_solver_name(p->one.handles[0].type), name);
    ck_assert_double_le(p->one.handles[0].tol, stepper->settings.tol);
    ck_assert_ptr_null(p->one.handles[1].type);
}

/* One projection from the states of the model, outside any step. */
static perp_projection_report project(scheme_run *run, const perp_projection_options *options)
{
    perp_stepper *stepper = &run->sim->stepper;
    perp_step step = perp_stepper_step(stepper, 0.0, 1e-3);
    perp_projection *p = perp_projection_make(&stepper->pool);
    perp_projection_report report = {0};
    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(perp_project(&step, stepper->systems[0]->scheme, p, options, &report),
                     PERP_SOLVED);
    expect_solver(p, run);
    perp_projection_free(p);
    return report;
}

START_TEST(overlap_is_shared_by_the_masses)
{
    static const char *const solvers[] = {NULL, "gs", "lemke", "direct", "nsn"};
    const double m = 1.0, R = 1e6, overlap = 0.25;
    scheme_run run;
    run_open(&run, "moreau-jean");
    perp_system_id ids[] = {add_mass(&run, 0.0, m), add_mass(&run, 1.0 - overlap, R)};
    add_gap(&run, ids, 0.0);
    start_with(&run, solvers[_i], 1e-12);
    const perp_projection_options options = {
        .metric = PERP_METRIC_MASS, .tol = 1e-12, .passes = 3};
    perp_projection_report report = project(&run, &options);
    ck_assert_int_eq(report.rows, 1);
    ck_assert_double_eq_tol(report.before, overlap, 1e-15);
    ck_assert_double_le(report.after, 1e-12);
    ck_assert_double_eq_tol(run_x(&run, ids[0])[0], -overlap * R / (m + R), 1e-12);
    ck_assert_double_eq_tol(run_x(&run, ids[1])[0], 1.0 - overlap * R / (m + R), 1e-12);
    run_close(&run);
}
END_TEST

/* Nothing is in the index set before the first step. */
START_TEST(contacts_that_take_part)
{
    static const struct {
        perp_projection_contacts contacts;
        double e;
        int moves;
    } cases[] = {{PERP_PROJECT_ALL, 0.5, 1},
                 {PERP_PROJECT_ACTIVE, 0.0, 0},
                 {PERP_PROJECT_ACTIVE_IF_BOUNCING, 0.0, 1},
                 {PERP_PROJECT_ACTIVE_IF_BOUNCING, 0.5, 0}};
    for (int marked = 0; marked < 2; marked++) {
        scheme_run run;
        run_open(&run, "moreau-jean");
        perp_system_id ids[] = {add_mass(&run, 0.0, 1.0), add_mass(&run, 0.5, 1.0)};
        add_gap(&run, ids, cases[_i].e);
        start_with(&run, NULL, 1e-10);
        perp_link *link = run.sim->stepper.links[0];
        link->active = link->on[0] = (unsigned char)marked;
        const perp_projection_options options = {
            .contacts = cases[_i].contacts, .metric = PERP_METRIC_MASS, .tol = 1e-9, .passes = 2};
        perp_projection_report report = project(&run, &options);
        int moves = marked || cases[_i].moves;
        ck_assert_int_eq(report.rows, moves);
        ck_assert_double_eq_tol(run_x(&run, ids[0])[0], moves ? -0.25 : 0.0, 1e-9);
        run_close(&run);
    }
}
END_TEST

START_TEST(part_of_an_overlap_may_stay)
{
    scheme_run run;
    run_open(&run, "moreau-jean");
    perp_system_id ids[] = {add_mass(&run, 0.0, 1.0), add_mass(&run, 0.5, 1.0)};
    add_gap(&run, ids, 0.0);
    start_with(&run, NULL, 1e-10);
    run.sim->stepper.links[0]->y_start[0] = -0.5;
    const perp_projection_options options = {
        .metric = PERP_METRIC_MASS, .tol = 1e-12, .passes = 3, .keep = 0.8};
    project(&run, &options);
    ck_assert_double_eq_tol(run_x(&run, ids[1])[0] - run_x(&run, ids[0])[0], 0.6, 1e-10);
    run_close(&run);
}
END_TEST

START_TEST(tolerance_by_the_size_of_the_coordinates)
{
    for (int loose = 0; loose < 2; loose++) {
        scheme_run run;
        run_open(&run, "moreau-jean");
        perp_system_id ids[] = {add_mass(&run, 1000.0, 1.0), add_mass(&run, 1001.0 - 1e-4, 1.0)};
        add_gap(&run, ids, 0.0);
        start_with(&run, NULL, 1e-10);
        const perp_projection_options options = {
            .metric = PERP_METRIC_MASS, .rtol = loose ? 1e-6 : 1e-8, .passes = 3};
        ck_assert_int_eq(project(&run, &options).passes, loose ? 0 : 1);
        run_close(&run);
    }
}
END_TEST

/* Masses in a row that overlap, few or so many that the matrix stays as factors:
 * m_k d_k = lambda_k-1 - lambda_k, 0 <= y perp lambda >= 0. */
START_TEST(row_of_masses_meets_the_kkt_conditions)
{
    enum { MOST = 300 };
    const int n = _i ? MOST : 15;
    perp_system_id ids[MOST];
    double q[MOST], m[MOST], lambda = 0.0;
    scheme_run run;
    run_open(&run, "moreau-jean");
    for (int k = 0; k < n; k++) {
        q[k] = 0.9 * k + 0.35 * sin(2.5 * k);
        m[k] = pow(10.0, 2.0 * sin(1.3 * k));
        ids[k] = add_mass(&run, q[k], m[k]);
    }
    for (int k = 0; k + 1 < n; k++)
        add_gap(&run, ids + k, 0.0);
    start_with(&run, NULL, 1e-12);
    const perp_projection_options options = {
        .metric = PERP_METRIC_MASS, .tol = 1e-9, .passes = 3};
    perp_projection_report report = project(&run, &options);
    ck_assert_int_eq(report.rows, n - 1);
    ck_assert_double_le(report.after, 1e-9);
    int pushed = 0;
    for (int k = 0; k + 1 < n; k++) {
        double y = run_x(&run, ids[k + 1])[0] - run_x(&run, ids[k])[0] - 1.0;
        lambda -= m[k] * (run_x(&run, ids[k])[0] - q[k]);
        ck_assert_double_ge(lambda, -1e-6);
        ck_assert_double_le(fmin(y, lambda), 1e-6);
        pushed += lambda > 1e-3;
    }
    ck_assert_double_eq_tol(lambda, m[n - 1] * (run_x(&run, ids[n - 1])[0] - q[n - 1]), 1e-6);
    ck_assert_int_gt(pushed, n / 3);
    run_close(&run);
}
END_TEST

/* Two links of unit length: M(q), tips' height as the relation. */
static int arm_mass(double *M, double t, const double *q, const double *v, const double *z,
                    void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    double c = cos(q[1]);
    M[0] = 3.0 + 2.0 * c;
    M[1] = M[2] = 1.0 + c;
    M[3] = 1.0;
    return 0;
}
static int arm_tip(double *y, double t, const double *q, const double *lambda, const double *z,
                   void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    y[0] = sin(q[0]) + sin(q[0] + q[1]);
    return 0;
}
static int arm_tip_q(double *H, double t, const double *q, const double *lambda, const double *z,
                     void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    H[1] = cos(q[0] + q[1]);
    H[0] = cos(q[0]) + H[1];
    return 0;
}

START_TEST(mass_that_depends_on_the_configuration)
{
    const double start[] = {0.4, -1e-4 - 0.8};
    scheme_run run;
    perp_system_id id;
    perp_lagrangian_def def;
    run_open(&run, "moreau-jean");
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = start;
    def.mass = arm_mass;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation tip = {.size = sizeof tip,
                         .kind = PERP_RELATION_SCLERONOMOUS,
                         .rows = 1,
                         .h = arm_tip,
                         .h_x = arm_tip_q};
    run_link(&run, &id, 1, &tip, perp_law_impact(0.0));
    start_with(&run, NULL, 1e-12);
    double M[4], H[2], y, x[2];
    arm_mass(M, 0.0, start, NULL, NULL, NULL);
    arm_tip(&y, 0.0, start, NULL, NULL, NULL);
    arm_tip_q(H, 0.0, start, NULL, NULL, NULL);
    double det = M[0] * M[3] - M[1] * M[2];
    x[0] = (M[3] * H[0] - M[1] * H[1]) / det;
    x[1] = (M[0] * H[1] - M[1] * H[0]) / det;
    double lambda = -y / (H[0] * x[0] + H[1] * x[1]);
    ck_assert_double_gt(lambda, 0.0);
    const perp_projection_options options = {
        .metric = PERP_METRIC_MASS, .tol = 1e-13, .passes = 3};
    ck_assert_double_le(project(&run, &options).after, 1e-13);
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol(run_x(&run, id)[i] - start[i], lambda * x[i], 1e-8);
    run_close(&run);
}
END_TEST

/* Bodies hang on each other by point joints; the last has R times the mass of the others.  Not
 * straight: a straight chain cannot become longer, to first order. */
enum { LINKS = 20 };
static void joint_at(double *out, int k)
{
    out[0] = 0.15 * k;
    out[1] = 0.1 * sin(1.3 * k);
    out[2] = 0.1 * cos(2.0 * k);
}
static void add_chain(scheme_run *run, perp_system_id *ids, double R)
{
    for (int k = 0; k < LINKS; k++) {
        double scale = k == LINKS - 1 ? R : 1.0;
        perp_body_def body;
        perp_body_def_init(&body, sizeof body);
        body.mass = scale;
        for (int i = 0; i < 3; i++)
            body.inertia[4 * i] = scale * (i ? 0.0035 : 0.0005);
        double from[3], to[3];
        joint_at(from, k);
        joint_at(to, k + 1);
        for (int i = 0; i < 3; i++)
            body.position[i] = 0.5 * (from[i] + to[i]);
        ck_assert_int_eq(perp_model_add_body(run->model, &body, &ids[k], NULL), PERP_SOLVED);
    }
    for (int k = 0; k < LINKS; k++) {
        perp_relation point = {.size = sizeof(perp_relation),
                               .kind = PERP_RELATION_JOINT,
                               .rows = 3,
                               .joint = PERP_JOINT_POINT};
        joint_at(point.anchor, k);
        run_link(run, k ? ids + k - 1 : ids, k ? 2 : 1, &point, perp_law_equality());
    }
}

START_TEST(heavy_chain_closes_in_three_passes)
{
    static const double ratios[] = {1.0, 1e3, 1e6};
    perp_system_id ids[LINKS];
    scheme_run run;
    run_open(&run, "moreau-jean");
    add_chain(&run, ids, ratios[_i]);
    start_with(&run, NULL, 1e-8);
    for (int k = 0; k < LINKS; k++) {
        double *q = run_x(&run, ids[k]);
        for (int i = 0; i < 3; i++)
            q[i] += 1e-3 * sin(3.0 * k + i);
        q[4] += 1e-3 * cos(5.0 * k);
        q[5] += 1e-3 * sin(7.0 * k);
        ck_assert_int_eq(perp_quaternion_normalise(q + 3), PERP_SOLVED);
    }
    double tip[3];
    memcpy(tip, run_x(&run, ids[LINKS - 1]), sizeof tip);
    const perp_projection_options options = {
        .metric = PERP_METRIC_MASS, .tol = 1e-12, .passes = 3};
    perp_projection_report report = project(&run, &options);
    ck_assert_int_eq(report.rows, 3 * LINKS);
    ck_assert_double_gt(report.before, 1e-4);
    ck_assert_double_le(report.after, 1e-12);
    if (ratios[_i] == 1e6) /* the heavy end stays where it is, the light links move */
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(run_x(&run, ids[LINKS - 1])[i], tip[i], 1e-3);
    run_close(&run);
}
END_TEST

/* One body on the world: twist (d, w) with w in body axes, g = d - r x w and H = (I, -[r]x). */
START_TEST(body_moves_by_the_first_order_formula)
{
    const double g[] = {2e-6, -1e-6, 3e-6}, r[] = {-0.5, 0.2, 0.1}, inertia[] = {0.2, 0.3, 0.4};
    scheme_run run;
    perp_system_id id;
    perp_body_def body;
    run_open(&run, "moreau-jean");
    perp_body_def_init(&body, sizeof body);
    body.mass = 2.0;
    for (int i = 0; i < 3; i++)
        body.inertia[4 * i] = inertia[i];
    ck_assert_int_eq(perp_model_add_body(run.model, &body, &id, NULL), PERP_SOLVED);
    perp_relation point = {.size = sizeof(perp_relation),
                           .kind = PERP_RELATION_JOINT,
                           .rows = 3,
                           .joint = PERP_JOINT_POINT,
                           .anchor = {r[0], r[1], r[2]}};
    run_link(&run, &id, 1, &point, perp_law_equality());
    start_with(&run, NULL, 1e-12);
    double *q = run_x(&run, id);
    for (int i = 0; i < 3; i++)
        q[i] += g[i];
    const double H[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0};
    double X[18], W[9] = {0.0};
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 3; i++)
            X[j + 6 * i] = H[i + 3 * j] / (j < 3 ? 2.0 : inertia[j - 3]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 6; j++)
                W[i + 3 * k] += H[i + 3 * j] * X[j + 6 * k];
    double *lambda = ref_solve(W, g, 3, 1);
    const perp_projection_options options = {
        .metric = PERP_METRIC_MASS, .tol = 1e-14, .passes = 3};
    ck_assert_double_le(project(&run, &options).after, 1e-14);
    for (int j = 0; j < 6; j++) {
        double d = 0.0;
        for (int i = 0; i < 3; i++)
            d -= X[j + 6 * i] * lambda[i];
        double moved = j < 3 ? q[j] - g[j] : 2.0 * q[j + 1];
        ck_assert_double_eq_tol(moved, d, 1e-10);
    }
    free(lambda);
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("projection of positions");
    TCase *tc = tcase_create("perp_project");
    tcase_add_loop_test(tc, overlap_is_shared_by_the_masses, 0, 5);
    tcase_add_loop_test(tc, contacts_that_take_part, 0, 4);
    tcase_add_test(tc, part_of_an_overlap_may_stay);
    tcase_add_test(tc, tolerance_by_the_size_of_the_coordinates);
    tcase_add_loop_test(tc, row_of_masses_meets_the_kkt_conditions, 0, 2);
    tcase_add_test(tc, mass_that_depends_on_the_configuration);
    tcase_add_loop_test(tc, heavy_chain_closes_in_three_passes, 0, 3);
    tcase_add_test(tc, body_moves_by_the_first_order_formula);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
