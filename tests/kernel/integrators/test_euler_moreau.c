/* SPDX-License-Identifier: BSD-3-Clause */
/* Euler-Moreau against recurrences in closed form and against an independent Newton. */
#include "tests/fixtures/scheme_run.h"

static double a_of(double t)
{
    return -1.0 - 0.5 * sin(t);
}
static double b_of(double t)
{
    return cos(3.0 * t);
}
static int A_at(double *out, double t, const double *x, const double *v, const double *z,
                void *user)
{
    (void)x, (void)v, (void)z, (void)user;
    out[0] = a_of(t);
    return 0;
}
static int b_at(double *out, double t, const double *x, const double *v, const double *z,
                void *user)
{
    (void)x, (void)v, (void)z, (void)user;
    out[0] = b_of(t);
    return 0;
}

/* M x' = a(t) x + b(t), by hand. */
static double linear_step(double x, double t, double h, double M, const perp_scheme *s)
{
    double theta = s->theta, T = t + h;
    if (s->variant == 2) {
        double m = t + theta * h;
        return ((M + h * (1 - theta) * a_of(m)) * x + h * b_of(m)) / (M - h * theta * a_of(m));
    }
    return (M * x + h * (1 - theta) * (a_of(t) * x + b_of(t)) + h * theta * b_of(T)) /
           (M - h * theta * a_of(T));
}

START_TEST(time_varying_linear_recurrence)
{
    static const double thetas[] = {0.0, 0.5, 1.0};
    scheme_run run;
    run_open(&run, "euler-moreau");
    run.scheme.theta = thetas[_i % 3];
    run.scheme.variant = _i / 3;
    double x0 = 1.5, mass = 2.0, h = 0.1, x = x0;
    perp_first_order_def def;
    perp_system_id id;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 1;
    def.x0 = &x0;
    perp_mat_init_dense(&def.M, 1, 1, &mass, 1);
    def.A_at = A_at;
    def.b_at = b_at;
    ck_assert_int_eq(perp_model_add_first_order(run.model, &def, &id, NULL), PERP_SOLVED);
    run_start(&run, h);
    for (int k = 0; k < 50; k++) {
        x = linear_step(x, k * h, h, mass, &run.scheme);
        run_step(&run);
        ck_assert_double_eq_tol(run_x(&run, id)[0], x, 1e-13);
        ck_assert_int_eq(perp_sim_info(run.sim)->newton, 1);
    }
    run_close(&run);
}
END_TEST

static perp_system_id add_scalar(scheme_run *run, double x0, double a, double b)
{
    perp_first_order_def def;
    perp_system_id id;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 1;
    def.x0 = &x0;
    perp_mat_init_dense(&def.A, 1, 1, &a, 1);
    def.b = &b;
    ck_assert_int_eq(perp_model_add_first_order(run->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

/* A capacitor charged through a resistor by a diode with series resistance:
 * x' = -x / RC + lambda / C, 0 <= lambda perp x - E(t) + r lambda >= 0. */
static double source(double t)
{
    return sin(5.0 * t);
}
static int minus_source(double *out, double t, const double *x, const double *lambda,
                        const double *z, void *user)
{
    (void)x, (void)lambda, (void)z, (void)user;
    out[0] = -source(t);
    return 0;
}

START_TEST(rectifier_recurrence)
{
    const double R = 2.0, C = 0.3, r = 0.05, h = 0.01, one = 1.0, B = 1.0 / C, a = -1.0 / (R * C);
    scheme_run run;
    run_open(&run, "euler-moreau");
    run.scheme.theta = 1.0;
    perp_system_id id = add_scalar(&run, 0.0, a, 0.0);
    perp_relation relation = {.size = sizeof relation,
                              .kind = PERP_RELATION_LINEAR,
                              .rows = 1,
                              .C = &one,
                              .D = &r,
                              .B = &B};
    relation.e_at = minus_source;
    perp_interaction_id diode = run_link(&run, &id, 1, &relation, perp_law_complementarity());
    run_start(&run, h);
    double x = 0.0;
    int conducts = 0;
    for (int k = 0; k < 300; k++) {
        double W = 1.0 - h * a, q = x / W - source((k + 1) * h), M = r + h * B / W;
        double lambda = fmax(0.0, -q / M);
        x = (x + h * B * lambda) / W;
        conducts += lambda > 0.0;
        run_step(&run);
        ck_assert_double_eq_tol(run_x(&run, id)[0], x, 1e-12);
        ck_assert_double_eq_tol(run_lambda(&run, diode)[0], lambda, 1e-11);
    }
    ck_assert_int_gt(conducts, 30);
    ck_assert_int_lt(conducts, 270);
    run_close(&run);
}
END_TEST

/* x' = 1/2 + 2 lambda, lambda in -Sign(x): x reaches 0 and stays there with lambda = -1/4. */
START_TEST(relay_slides_without_chattering)
{
    const double h = 0.013, one = 1.0, two = 2.0;
    scheme_run run;
    run_open(&run, "euler-moreau");
    perp_system_id id = add_scalar(&run, 1.0, 0.0, 0.5);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one, .B = &two};
    perp_interaction_id relay = run_link(&run, &id, 1, &relation, perp_law_relay(-1.0, 1.0));
    run_start(&run, h);
    for (int k = 1; k <= 200; k++) {
        run_step(&run);
        double x = 1.0 - 1.5 * h * k;
        if (x > 0.0) {
            ck_assert_double_eq_tol(run_x(&run, id)[0], x, 1e-13);
        } else {
            ck_assert_double_le(fabs(run_x(&run, id)[0]), 1e-15);
            if (x < -1.5 * h)
                ck_assert_double_eq_tol(run_lambda(&run, relay)[0], -0.25, 1e-12);
        }
    }
    run_close(&run);
}
END_TEST

/* x' = a x + lambda with 0 <= x - c perp lambda >= 0, c = 1: each variant with its memory. */
/* 0 <= y perp lambda >= 0 for what the model shows, and the report agrees. */
static void expect_complementary(scheme_run *run, perp_interaction_id id, int rows, double tol)
{
    for (int i = 0; i < rows; i++) {
        ck_assert_double_ge(run_y(run, id)[i], -tol);
        ck_assert_double_ge(run_lambda(run, id)[i], -tol);
        ck_assert_double_le(fmin(run_y(run, id)[i], run_lambda(run, id)[i]), tol);
    }
    ck_assert_double_le(perp_sim_info(run->sim)->violation, tol);
}

START_TEST(theta_gamma_recurrence)
{
    static const double gammas[] = {0.5, 0.7, 1.0};
    const double a = -1.0, h = 0.05, one = 1.0, minus = -1.0, theta = 0.6;
    scheme_run run;
    run_open(&run, "euler-moreau");
    run.scheme.theta = theta;
    run.scheme.gamma = gammas[_i % 3];
    run.scheme.variant = _i / 3;
    perp_system_id id = add_scalar(&run, 1.3, a, 0.2);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_LINEAR,
                              .rows = 1,
                              .C = &one,
                              .B = &one,
                              .e = &minus};
    perp_interaction_id stop = run_link(&run, &id, 1, &relation, perp_law_complementarity());
    run_start(&run, h);
    double x = 1.3, lambda = 0.0, gamma = run.scheme.gamma;
    for (int k = 0; k < 60; k++) {
        double W = 1.0 - h * theta * a;
        int standard = run.scheme.variant == 0;
        double memory = standard ? h * (1.0 - gamma) * lambda : 0.0;
        double weight = standard ? gamma : 1.0, point = standard ? 1.0 : gamma;
        double free = (x + h * (1.0 - theta) * a * x + h * 0.2 + memory) / W;
        double q = point * free + (1.0 - point) * x - 1.0;
        lambda = fmax(0.0, -q / (point * weight * h / W));
        double before = x;
        x = free + weight * h * lambda / W;
        run_step(&run);
        ck_assert_double_eq_tol(run_x(&run, id)[0], x, 1e-12);
        ck_assert_double_eq_tol(run_lambda(&run, stop)[0], lambda, 1e-10);
        double y = point * x + (1.0 - point) * before - 1.0; /* the one that lambda belongs to */
        ck_assert_double_eq_tol(run_y(&run, stop)[0], y, 1e-12);
        expect_complementary(&run, stop, 1, 1e-11);
        ck_assert_double_eq_tol(run_input(&run, id)[0], lambda, 1e-10);
    }
    ck_assert_double_gt(lambda, 0.0);
    run_close(&run);
}
END_TEST

/* Two scalar systems x' = -x^3 - x + cos t, y and r nonlinear as the kind allows. */
static int cubic(double *out, double t, const double *x, const double *v, const double *z,
                 void *user)
{
    (void)v, (void)z, (void)user;
    out[0] = -x[0] * x[0] * x[0] - x[0] + cos(2.0 * t);
    return 0;
}
static int cubic_x(double *out, double t, const double *x, const double *v, const double *z,
                   void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    out[0] = -3.0 * x[0] * x[0] - 1.0;
    return 0;
}

/* user: {terms in lambda of h, terms in x of g}. */
static int h_fn(double *y, double t, const double *x, const double *lambda, const double *z,
                void *user)
{
    const double *on = user;
    (void)z;
    y[0] = x[0] - 0.5 * x[1] + 0.2 * x[0] * x[0] - 0.1;
    y[0] += on[0] * (0.3 * lambda[0] + 0.1 * lambda[0] * lambda[0]);
    y[0] += on[1] * 0.1 * sin(t);
    return 0;
}
static int h_x(double *H, double t, const double *x, const double *lambda, const double *z,
               void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    H[0] = 1.0 + 0.4 * x[0];
    H[1] = -0.5;
    return 0;
}
static int h_lambda(double *D, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    (void)t, (void)x, (void)z;
    D[0] = ((const double *)user)[0] * (0.3 + 0.2 * lambda[0]);
    return 0;
}
static int g_fn(double *g, double t, const double *x, const double *lambda, const double *z,
                void *user)
{
    const double *on = user;
    (void)z;
    g[0] =
        lambda[0] + 0.2 * lambda[0] * lambda[0] + on[1] * (0.3 * x[1] * lambda[0] + 0.1 * sin(t));
    g[1] = -0.5 * lambda[0] + on[1] * (0.2 * x[0] * x[1]);
    return 0;
}
static int g_x(double *K, double t, const double *x, const double *lambda, const double *z,
               void *user)
{
    (void)t, (void)z, (void)user;
    K[0] = 0.0;
    K[1] = 0.2 * x[1];
    K[2] = 0.3 * lambda[0];
    K[3] = 0.2 * x[0];
    return 0;
}
static int g_lambda(double *B, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    (void)t, (void)z;
    B[0] = 1.0 + 0.4 * lambda[0] + ((const double *)user)[1] * 0.3 * x[1];
    B[1] = -0.5;
    return 0;
}

typedef struct nonlinear_step {
    const perp_scheme *scheme;
    double t, h, x[2], lambda, r[2], *on;
    int closed; /* y = 0, else lambda = 0 */
} nonlinear_step;

static double relation_at(double *r, const nonlinear_step *s, double t, const double *x,
                          double lambda)
{
    double y;
    h_fn(&y, t, x, &lambda, NULL, s->on);
    g_fn(r, t, x, &lambda, NULL, s->on);
    return y;
}

/* The equations of the step in (x_0, x_1, lambda), (9.5)-(9.7). */
static double equations(double *out, const double *u, const nonlinear_step *s)
{
    double theta = s->scheme->theta, gamma = s->scheme->gamma, h = s->h, T = s->t + h;
    double r[2], r_k[2], f[2], f_k[2], m[2], y;
    for (int i = 0; i < 2; i++) {
        double mid = theta * u[i] + (1 - theta) * s->x[i];
        m[i] = gamma * u[i] + (1 - gamma) * s->x[i];
        if (s->scheme->variant == 2) {
            cubic(&f[i], s->t + theta * h, &mid, NULL, NULL, NULL);
            f_k[i] = f[i];
        } else {
            cubic(&f[i], T, &u[i], NULL, NULL, NULL);
            cubic(&f_k[i], s->t, &s->x[i], NULL, NULL, NULL);
        }
    }
    if (s->scheme->variant == 0) {
        y = relation_at(r, s, T, u, u[2]);
        relation_at(r_k, s, s->t, s->x, s->lambda);
        for (int i = 0; i < 2; i++)
            r[i] = gamma * r[i] + (1 - gamma) * r_k[i];
    } else {
        y = relation_at(r, s, s->t + gamma * h, m, u[2]);
    }
    for (int i = 0; i < 2; i++)
        out[i] = u[i] - s->x[i] - h * (theta * f[i] + (1 - theta) * f_k[i]) - h * r[i];
    return y;
}
static void root_of(double *out, const double *u, void *ctx)
{
    const nonlinear_step *s = ctx;
    double y = equations(out, u, s);
    out[2] = s->closed ? y : u[2];
}

/* Complementarity by trying both pieces. */
static void reference_step(nonlinear_step *s, double h)
{
    double u[3] = {s->x[0], s->x[1], 0.0}, out[3];
    s->h = h;
    s->closed = 0;
    root_find(u, 3, root_of, s);
    if (equations(out, u, s) < 0.0) {
        s->closed = 1;
        root_find(u, 3, root_of, s);
        ck_assert_double_ge(u[2], -1e-12);
    }
    double gamma = s->scheme->variant ? s->scheme->gamma : 1.0, m[2];
    for (int i = 0; i < 2; i++) {
        m[i] = gamma * u[i] + (1 - gamma) * s->x[i];
        s->x[i] = u[i];
    }
    relation_at(s->r, s, s->t + gamma * h, m, u[2]);
    s->lambda = u[2];
    s->t += h;
}

static perp_system_id add_cubic(scheme_run *run, double x0)
{
    perp_first_order_def def;
    perp_system_id id;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 1;
    def.x0 = &x0;
    def.f = cubic;
    def.f_x = cubic_x;
    ck_assert_int_eq(perp_model_add_first_order(run->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

START_TEST(nonlinear_relations_match_newton)
{
    static const perp_relation_kind kinds[] = {PERP_RELATION_TYPE1, PERP_RELATION_TYPE2,
                                               PERP_RELATION_NONLINEAR};
    static double on[][2] = {{0, 0}, {1, 0}, {1, 1}};
    int kind = _i % 3, variant = _i / 3 % 3, differences = _i / 9;
    const double h = 0.02;
    scheme_run run;
    run_open(&run, "euler-moreau");
    run.scheme.variant = variant;
    run.scheme.theta = 0.7;
    run.scheme.gamma = variant == 0 ? 0.8 : 0.6;
    perp_system_id ids[2] = {add_cubic(&run, 0.4), add_cubic(&run, -0.3)};
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = kinds[kind],
                              .rows = 1,
                              .h = h_fn,
                              .h_x = h_x,
                              .g = g_fn,
                              .user = on[kind]};
    relation.differences = differences;
    relation.h_lambda = kind > 0 && !differences ? h_lambda : NULL;
    relation.g_x = kind > 1 && !differences ? g_x : NULL;
    relation.g_lambda = differences ? NULL : g_lambda;
    perp_interaction_id id = run_link(&run, ids, 2, &relation, perp_law_complementarity());
    run_start(&run, h);
    nonlinear_step s = {.scheme = &run.scheme, .x = {0.4, -0.3}, .on = on[kind]};
    int closed = 0;
    for (int k = 0; k < 150; k++) {
        reference_step(&s, h);
        closed += s.closed;
        run_step(&run);
        ck_assert_double_eq_tol(run_x(&run, ids[0])[0], s.x[0], 1e-11);
        ck_assert_double_eq_tol(run_x(&run, ids[1])[0], s.x[1], 1e-11);
        ck_assert_double_eq_tol(run_lambda(&run, id)[0], s.lambda, 1e-9);
        ck_assert_double_eq_tol(run_input(&run, ids[1])[0], s.r[1], 1e-9);
        expect_complementary(&run, id, 1, 1e-9);
    }
    ck_assert_int_gt(closed, 10);
    ck_assert_int_lt(closed, 140);
    ck_assert_int_eq(perp_sim_info(run.sim)->differences, differences);
    run_close(&run);
}
END_TEST

/* A diode bridge with theta = gamma = 1/2: stored and dissipated energy keep their sum. */
START_TEST(theta_gamma_keeps_the_energy)
{
    const double L = 1e-2, Cap = 1e-6, R = 1e3, h = 1e-6, x0[] = {10.0, 0.0};
    const double A[] = {0.0, 1.0 / L, -1.0 / Cap, 0.0};
    const double B[] = {0, 0, 0, 0, -1.0 / Cap, 0, 1.0 / Cap, 0};
    const double C[] = {0, 0, -1, 1, 0, 0, 0, 0};
    const double D[] = {1 / R, 1 / R, 1, 0, 1 / R, 1 / R, 0, 1, -1, 0, 0, 0, 0, -1, 0, 0};
    scheme_run run;
    run_open(&run, "euler-moreau");
    run.scheme.gamma = 0.5;
    run.scheme.variant = 1;
    perp_first_order_def def;
    perp_system_id id;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 2;
    def.x0 = x0;
    perp_mat_init_dense(&def.A, 2, 2, A, 2);
    ck_assert_int_eq(perp_model_add_first_order(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = 4, .C = C, .D = D, .B = B};
    perp_interaction_id bridge = run_link(&run, &id, 1, &relation, perp_law_complementarity());
    run_start(&run, h);
    double lost = 0.0;
    for (int k = 0; k < 2000; k++) {
        run_step(&run);
        const double *x = run_x(&run, id), *lambda = run_lambda(&run, bridge);
        double current = (lambda[0] + lambda[1]) / R;
        lost += h * R * current * current;
        expect_complementary(&run, bridge, 4, 1e-9);
        double stored = 0.5 * (Cap * x[0] * x[0] + L * x[1] * x[1]);
        ck_assert_double_eq_tol(stored + lost, 5e-5, 1e-15);
    }
    ck_assert_double_gt(lost, 1e-5);
    run_close(&run);
}
END_TEST

START_TEST(laws_at_the_wrong_level_are_refused)
{
    const double one = 1.0;
    scheme_run run;
    run_open(&run, "euler-moreau");
    run.scheme.gamma = _i ? 0.0 : 1.0;
    perp_system_id id = add_scalar(&run, 1.0, 0.0, 0.0);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one, .B = &one};
    run_link(&run, &id, 1, &relation, _i ? perp_law_complementarity() : perp_law_impact(0.5));
    run_start(&run, 0.1);
    ck_assert_int_eq(perp_sim_step(run.sim), PERP_ERR_UNSUPPORTED);
    ck_assert_str_ne(perp_sim_info(run.sim)->detail, "");
    run_close(&run);
}
END_TEST

START_TEST(parameters_out_of_range_are_refused)
{
    scheme_run run;
    run_open(&run, "euler-moreau");
    add_scalar(&run, 1.0, 0.0, 0.0);
    run_start(&run, 0.1);
    perp_scheme wrong = run.scheme;
    wrong.theta = _i ? 1.5 : NAN;
    ck_assert_int_eq(perp_sim_set_scheme(run.sim, (perp_system_id){0, 0}, &wrong),
                     PERP_ERR_SETTING);
    wrong = run.scheme;
    wrong.variant = _i ? 3 : -1;
    ck_assert_int_eq(perp_sim_set_scheme(run.sim, (perp_system_id){0, 0}, &wrong),
                     PERP_ERR_SETTING);
    run_close(&run);
}
END_TEST

START_TEST(parameters_by_name)
{
    perp_scheme s;
    ck_assert_int_eq(perp_scheme_init(&s, "no-such", sizeof s), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_scheme_init(&s, "euler-moreau", sizeof(size_t) - 1), PERP_ERR_SETTING);
    for (int k = 0; perp_scheme_at(k); k++) {
        ck_assert_int_eq(perp_scheme_init(&s, perp_scheme_at(k), sizeof s), PERP_SOLVED);
        ck_assert_ptr_nonnull(perp_scheme_summary(s.name));
        ck_assert_double_eq(s.theta, 0.5);
    }
    ck_assert_int_eq(perp_scheme_set(&s, "theta", "0.500000000000001"), PERP_SOLVED);
    ck_assert_double_eq(s.theta, 0.500000000000001);
    ck_assert_int_eq(perp_scheme_set(&s, "projection_tol", "1.25E-7"), PERP_SOLVED);
    ck_assert_double_eq(s.projection_tol, 1.25e-7);
    ck_assert_int_eq(perp_scheme_set(&s, "variant", "midpoint"), PERP_SOLVED);
    ck_assert_int_eq(s.variant, 2);
    static const char *const refused[][2] = {
        {"theta", "1.01"},        {"theta", "-0.1"},     {"theta", "0,5"},    {"theta", ""},
        {"theta", "nan"},         {"theta", "1e"},       {"theta", "."},      {"variant", "other"},
        {"projection_iter", "0"}, {"hysteresis", "0.5"}, {"nothing", "1"},    {"theta", "1e99999"},
        {"theta", "0x1p-1"},      {"theta", "0.5 "},     {"variant", "full|"}};
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++)
        ck_assert_int_eq(perp_scheme_set(&s, refused[k][0], refused[k][1]), PERP_ERR_SETTING);
    perp_scheme_init(&s, "moreau-jean-combined-projection", sizeof s);
    ck_assert_double_eq(s.projection_tol, 1e-10);
    ck_assert_int_eq(s.projection_iter, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("euler-moreau");
    TCase *tc = tcase_create("closed forms");
    tcase_set_timeout(tc, 30);
    tcase_add_loop_test(tc, time_varying_linear_recurrence, 0, 9);
    tcase_add_test(tc, rectifier_recurrence);
    tcase_add_test(tc, relay_slides_without_chattering);
    tcase_add_loop_test(tc, theta_gamma_recurrence, 0, 6);
    tcase_add_loop_test(tc, nonlinear_relations_match_newton, 0, 18);
    tcase_add_test(tc, theta_gamma_keeps_the_energy);
    tcase_add_loop_test(tc, laws_at_the_wrong_level_are_refused, 0, 2);
    tcase_add_loop_test(tc, parameters_out_of_range_are_refused, 0, 2);
    tcase_add_test(tc, parameters_by_name);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
