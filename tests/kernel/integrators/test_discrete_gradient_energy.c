/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy balance of each step of discrete-gradient, put together from states, outputs and
 * multipliers alone: with vb = (q1 - q0)/h and v1 = (vb - (1 - theta) v0)/theta, the velocity
 * before that of joints is projected,
 *
 *     dT + dV = sum lambda (y1 - y0)/h - (theta - 1/2) (|v1 - v0|_M^2 + |q1 - q0|_K^2),
 *
 * where the change of y is that by the motion alone, the mean of it at both times.  In a step with
 * an impact the position is not moved by that mean of v0 and v1 alone: there the impulse accounts
 * for the change of the momentum, and the energy does not grow. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/mechanism.h"

/* A point in space in an anisotropic spring, with coupled masses. */
static const double mass[] = {2.0, 0.3, 0.0, 0.3, 1.0, -0.2, 0.0, -0.2, 1.5};
static const double spring[] = {5.0, 0.5, 0.0, 0.5, 8.0, 0.0, 0.0, 0.0, 2.0};
static const double weight[] = {0.5, -1.0, -9.81};

typedef double (*height_fn)(double t, const double *q);

/* Of the ellipsoid q0^2 + 2 q1^2 + q2^2/2 = 1, inside; breathing. */
static double inside(double t, const double *q)
{
    (void)t;
    return 0.5 - 0.5 * q[0] * q[0] - q[1] * q[1] - 0.25 * q[2] * q[2];
}
static double breathing(double t, const double *q)
{
    return inside(t, q) + 0.1 * sin(3.0 * t) * (1.0 + 0.5 * q[0]);
}
static double inclined(double t, const double *q)
{
    (void)t;
    return 0.6 * q[0] + 0.8 * q[2] + 0.3;
}

static const double compliance = 2e-3;

#define FN(name)                                                                                   \
    name(double *out, double t, const double *q, const double *lambda, const double *z, void *user)
#define UNUSED (void)t, (void)q, (void)lambda, (void)z, (void)user
static int FN(inside_h)
{
    UNUSED;
    *out = inside(t, q);
    return 0;
}
static int FN(breathing_h)
{
    UNUSED;
    *out = breathing(t, q);
    return 0;
}
static int FN(breathing_t)
{
    UNUSED;
    *out = 0.3 * cos(3.0 * t) * (1.0 + 0.5 * q[0]);
    return 0;
}
static int FN(inside_x)
{
    UNUSED;
    out[0] = -q[0], out[1] = -2.0 * q[1], out[2] = -0.5 * q[2];
    return 0;
}
static int FN(breathing_x)
{
    inside_x(out, t, q, lambda, z, user);
    out[0] += 0.05 * sin(3.0 * t);
    return 0;
}
static int FN(soft_h)
{
    UNUSED;
    *out = inside(t, q) + compliance * *lambda;
    return 0;
}
static int FN(soft_lambda)
{
    UNUSED;
    *out = compliance;
    return 0;
}
static int FN(none)
{
    UNUSED;
    *out = 0.0;
    return 0;
}
/* An input that is not H' lambda. */
static int FN(input)
{
    UNUSED;
    for (int i = 0; i < 3; i++)
        out[i] = (i == 0 ? -q[0] : i == 1 ? -1.8 * q[1] : -0.6 * q[2]) * lambda[0];
    return 0;
}
static int FN(input_x)
{
    UNUSED;
    memset(out, 0, sizeof(double) * 9);
    out[0] = -lambda[0], out[4] = -1.8 * lambda[0], out[8] = -0.6 * lambda[0];
    return 0;
}
static int FN(input_lambda)
{
    UNUSED;
    out[0] = -q[0], out[1] = -1.8 * q[1], out[2] = -0.6 * q[2];
    return 0;
}

static const double plane[] = {0.6, 0.0, 0.8}, level = 0.3;

typedef struct point_case {
    const char *name;
    perp_relation relation;
    perp_law law;
    height_fn height;
    int force, own; /* lambda is a force; p is an input of its own */
    double tol;     /* of the balance, over the largest energy */
} point_case;

#define RELATION(k) .relation = {.size = sizeof(perp_relation), .rows = 1, .kind = PERP_RELATION_##k
static int cases(point_case *out){
    const point_case all[] = {{"linear, equality", RELATION(LINEAR), .C = plane, .e = &level},
                              perp_law_equality(),
                              inclined,
                              0,
                              0,
                              1e-11},
    {"linear, contact", RELATION(LINEAR), .C = plane, .e = &level},
    perp_law_impact(0.0),
    inclined,
    0,
    0,
    1e-11},
    {"linear, relay", RELATION(LINEAR), .C = plane, .e = &level},
    perp_law_relay(-3.0, 3.0), inclined, 1, 0, 1e-11
}
, {"linear, compliant", RELATION(LINEAR), .C = plane, .e = &level, .D = &compliance},
    perp_law_complementarity(), inclined, 1, 0, 1e-11
}
, {"scleronomous, equality", RELATION(SCLERONOMOUS), .h = inside_h, .h_x = inside_x},
    perp_law_equality(), inside, 0, 0, 1e-9
}
, {"scleronomous, contact", RELATION(SCLERONOMOUS), .h = inside_h, .h_x = inside_x},
    perp_law_impact(0.0), inside, 0, 0, 1e-8
}
, {"scleronomous, relay", RELATION(SCLERONOMOUS), .h = inside_h, .h_x = inside_x},
    perp_law_relay(-3.0, 3.0), inside, 1, 0, 1e-8
}
,
    {"rheonomous, equality", RELATION(RHEONOMOUS), .h = breathing_h, .h_x = breathing_x,
     .h_t = breathing_t},
    perp_law_equality(), breathing, 0, 0, 1e-9
}
,
    {"rheonomous, contact", RELATION(RHEONOMOUS), .h = breathing_h, .h_x = breathing_x,
     .h_t = breathing_t},
    perp_law_impact(0.0), breathing, 0, 0, 1e-8
}
,
    {"compliant, equality", RELATION(COMPLIANT), .h = soft_h, .h_x = inside_x,
     .h_lambda = soft_lambda},
    perp_law_equality(), inside, 1, 0, 1e-7
}
,
    {"compliant, complementarity", RELATION(COMPLIANT), .h = soft_h, .h_x = inside_x,
     .h_lambda = soft_lambda},
    perp_law_complementarity(), inside, 1, 0, 1e-7
}
,
    {"nonlinear, complementarity",
     RELATION(NONLINEAR),
     .h = soft_h,
     .h_x = inside_x,
     .h_t = none,
     .h_lambda = soft_lambda,
     .g = input,
     .g_x = input_x,
     .g_lambda = input_lambda},
    perp_law_complementarity(), inside, 1, 1, 1e-7
}
, {"nonlinear, equality",
   RELATION(NONLINEAR),
   .h = soft_h,
   .h_x = inside_x,
   .h_t = none,
   .h_lambda = soft_lambda,
   .g = input,
   .g_x = input_x,
   .g_lambda = input_lambda},
    perp_law_equality(), inside, 1, 1, 1e-7
}
,
}
;
enum { COUNT = sizeof all / sizeof all[0] };
if (out)
    memcpy(out, all, sizeof all);
return COUNT;
}

static double product(const double *A, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += A[i + 3 * j] * x[i] * x[j];
    return sum;
}

static double energy_at(const double *q, const double *v)
{
    double sum = 0.5 * product(mass, v) + 0.5 * product(spring, q);
    for (int i = 0; i < 3; i++)
        sum -= weight[i] * q[i];
    return sum;
}

typedef struct point {
    scheme_run run;
    perp_system_id id;
    perp_interaction_id link;
    double h, theta, t, q[3], v[3];
} point;

static void point_open(point *p, const point_case *c, double theta)
{
    perp_lagrangian_def def;
    const double at_plane[] = {0.1, 0.2, -0.45}, on_surface[] = {1.0, 0.0, 0.0},
                 low[] = {0.2, 0.1, -0.3}, v0[] = {0.0, 1.0, 0.5};
    const double *q0 = c->law.kind != PERP_LAW_EQUALITY || c->force ? low
                       : c->height == inclined                      ? at_plane
                                                                    : on_surface;
    run_open(&p->run, "discrete-gradient");
    p->run.scheme.theta = p->theta = theta;
    p->run.scheme.projection_tol = 1.0; /* no position stage */
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.v0 = v0;
    def.F = weight;
    ck_assert_int_eq(perp_mat_init_dense(&def.M, 3, 3, mass, 3), PERP_SOLVED);
    ck_assert_int_eq(perp_mat_init_dense(&def.K, 3, 3, spring, 3), PERP_SOLVED);
    ck_assert_int_eq(perp_model_add_lagrangian(p->run.model, &def, &p->id, NULL), PERP_SOLVED);
    p->link = run_link(&p->run, &p->id, 1, &c->relation, c->law);
    p->h = 0.005;
    run_start(&p->run, p->h);
}

/* A step with an impact on a fixed obstacle, or of a joint that the velocities at the start
 * contradict: its momentum by the whole impulse, which acts along the
 * normal at some time of the step, and the growth of its energy. */
static double impact_step(point *p, const point_case *c, double v1[3])
{
    const double *q = run_x(&p->run, p->id);
    double lambda = run_lambda(&p->run, p->link)[0], off = 0.0, size = 0.0;
    memcpy(v1, run_v(&p->run, p->id), sizeof p->v);
    for (int i = 0; i < 3; i++) {
        double r = -p->h * weight[i];
        for (int j = 0; j < 3; j++)
            r += mass[i + 3 * j] * (v1[j] - p->v[j]) +
                 p->h * spring[i + 3 * j] * (p->theta * q[j] + (1.0 - p->theta) * p->q[j]);
        size = fmax(size, fabs(r));
        off = fmax(off, fabs(r - lambda * (c->height == inclined ? plane[i] : r / lambda)));
    }
    if (c->law.kind == PERP_LAW_EQUALITY)
        ck_assert_double_eq(p->t, 0.0);
    else
        ck_assert_double_gt(lambda, 0.0);
    ck_assert_double_le(off, 1e-9 * size);
    if (c->height == breathing)
        return 0.0; /* the obstacle works */
    ck_assert_double_ge(c->height(p->t + p->h, q), -20.0 * p->h * p->h);
    return fmax(0.0, energy_at(q, v1) - energy_at(p->q, p->v));
}

/* What is missing in the balance of one step; v1 before any projection. */
static double point_step(point *p, const point_case *c, double v1[3], double *work)
{
    double vb[3], dv[3], dq[3];
    p->t = perp_sim_time(p->run.sim);
    memcpy(p->q, run_x(&p->run, p->id), sizeof p->q);
    memcpy(p->v, run_v(&p->run, p->id), sizeof p->v);
    run_step(&p->run);
    const double *q = run_x(&p->run, p->id), *input_p = run_input(&p->run, p->id);
    double lambda = run_lambda(&p->run, p->link)[0], t1 = perp_sim_time(p->run.sim), h = p->h;
    *work = 0.0;
    for (int i = 0; i < 3; i++) {
        dq[i] = q[i] - p->q[i];
        vb[i] = dq[i] / h;
        v1[i] = (vb[i] - (1.0 - p->theta) * p->v[i]) / p->theta;
        dv[i] = v1[i] - p->v[i];
    }
    if (run_impacts(&p->run) > 0)
        return impact_step(p, c, v1);
    for (int i = 0; i < 3 && c->own; i++)
        *work += input_p[i] * vb[i];
    if (!c->own)
        *work =
            lambda * (c->force ? 1.0 : 1.0 / h) * 0.5 *
            (c->height(p->t, q) - c->height(p->t, p->q) + c->height(t1, q) - c->height(t1, p->q));
    double given = energy_at(q, v1) - energy_at(p->q, p->v);
    return given + (p->theta - 0.5) * (product(mass, dv) + product(spring, dq)) - *work;
}

/* The law of what is stated with lambda. */
static void assert_law(const point *p, const point_case *c, const double *q, double lambda,
                       double work)
{
    double y1 = c->height(p->t + p->h, q), y0 = c->height(p->t, p->q);
    double mean = p->theta * y1 + (1.0 - p->theta) * y0 + compliance * lambda;
    if (c->law.kind == PERP_LAW_BOX) {
        ck_assert_double_le(fabs(lambda), c->law.hi + 1e-12);
    } else if (c->force) {
        ck_assert_double_le(fabs(c->law.kind == PERP_LAW_EQUALITY ? mean : fmin(mean, lambda)),
                            1e-6);
    } else if (c->law.kind == PERP_LAW_EQUALITY) {
        ck_assert_double_le(fabs(y1), 1e-8);
    } else {
        ck_assert_double_ge(lambda, 0.0);
        ck_assert(c->height == breathing || c->own || work <= 1e-9);
    }
}

START_TEST(balance_of_a_point)
{
    point_case all[20];
    int count = cases(all);
    ck_assert_int_lt(_i, 2 * count);
    const point_case *c = &all[_i / 2];
    point p;
    point_open(&p, c, _i % 2 ? 0.7 : 0.5);
    double worst = 0.0, works = 0.0, scale = 0.0, touched = 0.0;
    for (int k = 0; k < 300; k++) {
        double v1[3], work, missing = point_step(&p, c, v1, &work);
        const double *q = run_x(&p.run, p.id), *lambda = run_lambda(&p.run, p.link);
        worst = fmax(worst, fabs(missing));
        works += fabs(work);
        scale = fmax(scale, 0.5 * product(mass, v1) + 0.5 * product(spring, q));
        touched = fmax(touched, fabs(lambda[0]));
        assert_law(&p, c, q, lambda[0], work);
        if (c->own) {
            double g[3], unit = c->force ? p.h : 1.0;
            input(g, 0.0, q, lambda, NULL, NULL);
            for (int i = 0; i < 3; i++)
                ck_assert_double_eq_tol(run_input(&p.run, p.id)[i], unit * g[i],
                                        1e-5 * fabs(unit * lambda[0]) + 1e-12);
        }
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "%s, theta %g: %.2g of %.2g, works %.2g, lambda %.2g\n", c->name, p.theta,
                worst, scale, works, touched);
    ck_assert_msg(worst <= c->tol * scale, "%s: %g of %g", c->name, worst, scale);
    ck_assert_double_gt(touched, 0.0);
    run_close(&p.run);
}
END_TEST

/* A mass that depends on q: the balance holds with M half way, to which v is measured. */
static int arm_mass(double *out, double t, const double *q, const double *v, const double *z,
                    void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    double c = cos(q[1]);
    out[0] = 3.0 + 2.0 * c;
    out[1] = out[2] = 1.0 + c;
    out[3] = 1.0;
    return 0;
}
static int arm_N(double *out, double t, const double *q, const double *v, const double *z,
                 void *user)
{
    (void)t, (void)z, (void)user;
    double s = sin(q[1]);
    out[0] = -s * v[1] * (2.0 * v[0] + v[1]) + 5.0 * sin(q[0]);
    out[1] = s * v[0] * v[0] + 2.0 * sin(q[0] + q[1]);
    return 0;
}

START_TEST(mass_of_the_configuration)
{
    scheme_run run;
    perp_system_id id;
    perp_lagrangian_def def;
    const double q0[] = {1.0, 0.5}, C[] = {1.0, 1.0}, h = 0.005;
    run_open(&run, "discrete-gradient");
    run.scheme.projection_tol = 1.0;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.mass = arm_mass;
    def.N = arm_N;
    def.differences = 1;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation stop = {.size = sizeof stop, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C};
    perp_interaction_id link = run_link(&run, &id, 1, &stop, perp_law_impact(0.0));
    run_start(&run, h);
    double q[2], v[2], worst = 0.0, touched = 0.0;
    int impacts = 0;
    for (int k = 0; k < 400; k++) {
        double vb[2], mid[2], M[4], N0[2], N1[2], missing = 0.0;
        memcpy(q, run_x(&run, id), sizeof q);
        memcpy(v, run_v(&run, id), sizeof v);
        run_step(&run);
        const double *q1 = run_x(&run, id), *v1 = run_v(&run, id);
        double lambda = run_lambda(&run, link)[0];
        for (int i = 0; i < 2; i++) {
            vb[i] = (q1[i] - q[i]) / h;
            mid[i] = 0.5 * (q1[i] + q[i]);
            if (run_impacts(&run) == 0)
                ck_assert_double_eq_tol(vb[i], 0.5 * (v[i] + v1[i]), 1e-9);
        }
        arm_mass(M, 0.0, mid, NULL, NULL, NULL);
        arm_N(N0, 0.0, q, v, NULL, NULL);
        arm_N(N1, 0.0, q1, v1, NULL, NULL);
        for (int i = 0; i < 2; i++) {
            missing += 0.5 * h * (N0[i] + N1[i]) * vb[i] - lambda * vb[i];
            for (int j = 0; j < 2; j++)
                missing += 0.5 * M[i + 2 * j] * (v1[i] * v1[j] - v[i] * v[j]);
        }
        /* The forces are not constant: an impact is left out of their balance. */
        if (run_impacts(&run) > 0)
            impacts++;
        else
            worst = fmax(worst, fabs(missing));
        touched = fmax(touched, lambda);
    }
    ck_assert_int_gt(impacts, 0);
    ck_assert_int_lt(impacts, 40);
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "M(q): %.2g, lambda %.2g\n", worst, touched);
    ck_assert_double_le(worst, 1e-6);
    ck_assert_double_gt(touched, 0.1);
    run_close(&run);
}
END_TEST

/* A disc that falls on a slope and rolls: both rows of friction are linear, so theirs works, too.
 */
START_TEST(disc_in_the_plane)
{
    scheme_run run;
    perp_system_id id;
    perp_lagrangian_def def;
    const double q0[] = {0.0, 0.3, 0.0}, v0[] = {2.0, 0.0, -3.0}, F[] = {3.0, -9.81, 0.0};
    const double M[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.02};
    const double C[] = {0.0, 1.0, 1.0, 0.0, 0.0, 0.2}, e[] = {-0.2, 0.0}, h = 0.005;
    run_open(&run, "discrete-gradient");
    run.scheme.projection_tol = 1.0;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.v0 = v0;
    def.F = F;
    ck_assert_int_eq(perp_mat_init_dense(&def.M, 3, 3, M, 3), PERP_SOLVED);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation floor = {
        .size = sizeof floor, .kind = PERP_RELATION_LINEAR, .rows = 2, .C = C, .e = e};
    perp_interaction_id link = run_link(&run, &id, 1, &floor, perp_law_friction(2, 0.0, 0.4));
    run_start(&run, h);
    for (int k = 0; k < 200; k++) {
        double y[2], q[3], v[3], given = 0.0, work[2];
        memcpy(q, run_x(&run, id), sizeof q);
        memcpy(v, run_v(&run, id), sizeof v);
        for (int i = 0; i < 2; i++)
            y[i] = C[i] * q[0] + C[i + 2] * q[1] + C[i + 4] * q[2] + e[i];
        run_step(&run);
        const double *q1 = run_x(&run, id), *v1 = run_v(&run, id);
        for (int i = 0; i < 3; i++)
            given += 0.5 * M[4 * i] * (v1[i] * v1[i] - v[i] * v[i]) - F[i] * (q1[i] - q[i]);
        if (run_impacts(&run) > 0) { /* the sum of the impulses, at some time in the step */
            const double *p = run_lambda(&run, link);
            for (int i = 0; i < 3; i++)
                ck_assert_double_eq_tol(M[4 * i] * (v1[i] - v[i]) - h * F[i],
                                        C[2 * i] * p[0] + C[2 * i + 1] * p[1], 1e-12);
            ck_assert_double_le(fabs(p[1]), 0.4 * p[0] + 1e-12);
            ck_assert_double_le(given, -0.5);
            continue;
        }
        for (int i = 0; i < 2; i++)
            work[i] = run_lambda(&run, link)[i] * (run_y(&run, link)[i] - y[i]) / h;
        ck_assert_double_eq_tol(given, work[0] + work[1], 1e-11);
        ck_assert_double_le(work[0], 1e-12);
        ck_assert_double_le(work[1], 1e-9);
    }
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("discrete-gradient, energy");
    TCase *tcase = tcase_create("energy");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, balance_of_a_point, 0, 2 * cases(NULL));
    tcase_add_test(tcase, mass_of_the_configuration);
    tcase_add_test(tcase, disc_in_the_plane);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
