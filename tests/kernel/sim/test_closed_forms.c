/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs whose end is known in closed form: impacts, dry friction, circuits, sliding modes. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/fixtures/exact_impacts.h"
#include "tests/fixtures/kernel_rig.h"

static const double one = 1.0, none = 0.0;

/* Falls from 1 with force -2 and e = 1/2: impacts at 1, 2, 2.5, ... and rest from t = 3 on
 * ([ACA10]). */
START_TEST(ball_with_accumulation)
{
    rig r;
    const double h = 1e-3, F = -2.0;
    rig_init(&r, h);
    perp_system_id ball = rig_lagrangian(&r, 1, &one, NULL, NULL, &F);
    perp_interaction_id ground = rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.5));
    rig_start_moreau_jean(&r);
    double impact[64], before = 0.0, last = 0.0;
    int impacts = 0;
    for (int k = 1; k <= 4000; k++) {
        rig_step(&r);
        double v = *rig_v(&r, ball), t = perp_sim_time(r.sim);
        if (v > before + h && impacts < 64)
            impact[impacts++] = t;
        if (fabs(v) > 1e-12)
            last = t;
        if (t > 3.1) {
            ck_assert_double_le(fabs(v), 1e-15);
            ck_assert_double_eq_tol(*rig_lambda(&r, ground), -F * h, 1e-14);
        }
        ck_assert_double_ge(*rig_q(&r, ball), -2.0 * h);
        before = v;
    }
    ck_assert_int_ge(impacts, 6);
    const double exact[] = {1.0, 2.0, 2.5, 2.75};
    for (int k = 0; k < 4; k++)
        ck_assert_double_eq_tol(impact[k], exact[k], 5.0 * h);
    ck_assert_double_eq_tol(last, 3.0, 0.03);
    rig_free(&r);
}
END_TEST

/* Mass on a spring against a wall at rest length: half periods, each e times the last. */
START_TEST(impacting_oscillator)
{
    for (int round = 0; round < 2; round++) {
        rig r;
        const double h = round == 0 ? 1e-3 : 2.5e-4, e = 0.8;
        rig_init(&r, h);
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 1;
        def.q0 = &one;
        def.K = rig_dense(&one, 1, 1);
        perp_system_id mass = rig_add_lagrangian(&r, &def);
        rig_linear(&r, mass, 1, &one, NULL, perp_law_impact(e));
        rig_start_moreau_jean(&r);
        double worst = 0.0;
        while (perp_sim_time(r.sim) < 12.0) {
            rig_step(&r);
            double q, v;
            exact_oscillator(&q, &v, perp_sim_time(r.sim), e);
            worst = fmax(worst, fabs(*rig_q(&r, mass) - q));
        }
        ck_assert_double_lt(worst, 3.0 * h);
        rig_free(&r);
    }
}
END_TEST

/* A block thrown along a plane: q = (along, height). */
static perp_interaction_id add_block(rig *r, perp_system_id *block, double speed, double along,
                                     double down, double mu)
{
    const double q0[] = {0.0, 0.0}, v0[] = {speed, 0.0}, F[] = {along, -down};
    const double C[] = {0.0, 1.0, 1.0, 0.0};
    *block = rig_lagrangian(r, 2, q0, v0, NULL, F);
    return rig_linear(r, *block, 2, C, NULL, perp_law_friction(2, 0.0, mu));
}

START_TEST(sliding_block)
{
    rig r;
    perp_system_id block;
    const double h = 1e-3, speed = 3.0, mu = 0.3, g = 9.81;
    rig_init(&r, h);
    r.options.solver = "gs";
    perp_interaction_id floor = add_block(&r, &block, speed, 0.0, g, mu);
    rig_start_moreau_jean(&r);
    double stopped = 0.0;
    for (int k = 1; k <= 2000; k++) {
        rig_step(&r);
        double t = perp_sim_time(r.sim), v = rig_v(&r, block)[0];
        ck_assert_double_eq_tol(rig_lambda(&r, floor)[0], g * h, 1e-15);
        ck_assert_double_eq(rig_q(&r, block)[1], 0.0);
        if (t <= speed / (mu * g))
            ck_assert_double_eq_tol(v, speed - mu * g * t, 1e-12);
        else if (stopped == 0.0)
            stopped = t;
        else
            ck_assert_double_eq(v, 0.0);
    }
    ck_assert_double_eq_tol(stopped, speed / (mu * g), h);
    ck_assert_double_eq_tol(rig_q(&r, block)[0], speed * speed / (2.0 * mu * g), mu * g * h * h);
    rig_free(&r);
}
END_TEST

/* The same stop where a box bounds the force of friction. */
START_TEST(force_in_a_box)
{
    rig r;
    const double h = 1e-3, speed = 3.0, m = 2.0, bound = 1.5;
    rig_init(&r, h);
    perp_system_id block = rig_lagrangian(&r, 1, &none, &speed, &m, NULL);
    perp_interaction_id brake = rig_linear(&r, block, 1, &one, NULL, perp_law_relay(-bound, bound));
    rig_start_moreau_jean(&r);
    for (int k = 1; k <= 5000; k++) {
        rig_step(&r);
        double t = k * h, end = speed * m / bound, v = t < end ? speed - bound / m * t : 0.0;
        ck_assert_double_eq_tol(*rig_v(&r, block), v, 1e-11);
        if (t < end - h)
            ck_assert_double_eq_tol(*rig_lambda(&r, brake), -bound, 1e-12);
    }
    ck_assert_double_eq_tol(*rig_q(&r, block), 0.5 * speed * speed * m / bound, 1e-5);
    rig_free(&r);
}
END_TEST

/* An oblique throw: e on the normal rate; e_t on the tangential one where the point sticks,
 * mu times the normal impulse where it slips. */
START_TEST(oblique_impact)
{
    static const struct {
        double mu, e_t, after; /* tangential rate after (3, -4) with e = 1/2 */
    } throws[] = {{10.0, 0.5, -1.5}, {10.0, 0.0, 0.0}, {0.2, 0.0, 1.8}, {0.2, 0.5, 1.8}};
    for (int k = 0; k < 4; k++) {
        rig r;
        const double q0[] = {0.0, 1.0}, v0[] = {3.0, -4.0}, C[] = {0.0, 1.0, 1.0, 0.0};
        perp_law law = perp_law_friction(2, 0.5, throws[k].mu);
        law.e_t = throws[k].e_t;
        rig_init(&r, 1e-2);
        r.options.solver = "gs";
        perp_system_id point = rig_lagrangian(&r, 2, q0, v0, NULL, NULL);
        rig_linear(&r, point, 2, C, NULL, law);
        rig_start_moreau_jean(&r);
        rig_run(&r, 0.5);
        ck_assert_double_eq_tol(rig_v(&r, point)[1], 2.0, 1e-12);
        ck_assert_double_eq_tol(rig_v(&r, point)[0], throws[k].after, 1e-9);
        rig_free(&r);
    }
}
END_TEST

/* Just below the angle of friction nothing moves, just above it the slip grows as it should. */
START_TEST(incline)
{
    const double mu = 0.5, g = 9.81;
    for (int above = 0; above < 2; above++) {
        rig r;
        perp_system_id block;
        double angle = atan(mu) + (above ? 0.01 : -0.01), h = 1e-3;
        rig_init(&r, h);
        r.options.solver = "gs";
        add_block(&r, &block, 0.0, g * sin(angle), g * cos(angle), mu);
        rig_start_moreau_jean(&r);
        for (int k = 1; k <= 1000; k++) {
            rig_step(&r);
            const double *q = rig_q(&r, block), *v = rig_v(&r, block);
            double a = g * (sin(angle) - mu * cos(angle)), t = k * h;
            if (above) {
                ck_assert_double_eq_tol(v[0], a * t, 1e-12);
                ck_assert_double_eq_tol(q[0], 0.5 * a * t * t, 1e-12);
            } else {
                ck_assert_double_eq(v[0], 0.0);
                ck_assert_double_eq(q[0], 0.0);
            }
        }
        rig_free(&r);
    }
}
END_TEST

/* Plane through the origin with normal n, met at the centre of the body, so that it does not
 * turn. */
static int plane(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                 const double *z, void *user)
{
    const double *n = user;
    (void)t, (void)q_b, (void)z;
    point->gap = 0.0;
    for (int i = 0; i < 3; i++) {
        point->gap += n[i] * q_a[i];
        point->normal[i] = n[i];
        point->point_a[i] = point->point_b[i] = q_a[i];
    }
    return 0;
}

/* The same in space: the normal is tilted, gravity is not.  The gap is 0 up to rounding, and a
 * contact that opens by rounding falls for a step, hence the threshold. */
START_TEST(incline_in_space)
{
    const double mu = 0.5, g = 9.81, heading = 0.7;
    for (int above = 0; above < 2; above++) {
        rig r;
        double angle = atan(mu) + (above ? 0.01 : -0.01), h = 1e-3;
        double n[] = {-sin(angle) * cos(heading), -sin(angle) * sin(heading), cos(angle)};
        rig_init(&r, h);
        r.options.solver = "gs";
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        def.mass = 2.0;
        def.force[2] = -2.0 * g;
        perp_system_id body = rig_add_body(&r, &def);
        perp_relation relation = rig_relation(PERP_RELATION_CONTACT, 3);
        relation.contact = plane;
        relation.user = n;
        perp_interaction_id contact =
            rig_interact(&r, &body, 1, &relation, perp_law_friction(3, 0.0, mu));
        perp_scheme scheme = rig_scheme("moreau-jean", "activate=1e-9");
        rig_start(&r, &scheme);
        for (int k = 1; k <= 500; k++) {
            rig_step(&r);
            const double *v = rig_v(&r, body), *q = rig_q(&r, body);
            double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
            double a = above ? g * (sin(angle) - mu * cos(angle)) : 0.0;
            ck_assert_double_eq_tol(speed, a * k * h, above ? 1e-9 : 1e-14);
            ck_assert_double_eq_tol(fabs(n[0] * q[0] + n[1] * q[1] + n[2] * q[2]), 0.0, 1e-11);
            ck_assert_double_eq_tol(rig_lambda(&r, contact)[0], 2.0 * g * cos(angle) * h, 1e-9);
        }
        rig_free(&r);
    }
}
END_TEST

/* A charged capacitor swings once through a coil, then the diode keeps it. */
START_TEST(diode_holds_the_charge)
{
    for (int round = 0; round < 2; round++) {
        rig r;
        const double h = round == 0 ? 1e-3 : 2.5e-4, C = 0.5, L = 2.0, v0 = 10.0;
        const double x0[] = {v0, 0.0}, A[] = {0.0, 1.0 / L, -1.0 / C, 0.0};
        const double B[] = {0.0, 1.0 / L}, out[] = {0.0, 1.0};
        rig_init(&r, h);
        perp_system_id circuit = rig_first_order(&r, 2, x0, A);
        perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
        relation.C = out;
        relation.B = B;
        perp_interaction_id diode =
            rig_interact(&r, &circuit, 1, &relation, perp_law_complementarity());
        perp_scheme scheme = rig_scheme("euler-moreau", "theta=0.5");
        rig_start(&r, &scheme);
        double omega = 1.0 / sqrt(L * C), pi = acos(-1.0);
        for (int k = 1; k * h < 6.0; k++) {
            rig_step(&r);
            const double *x = rig_q(&r, circuit);
            double t = k * h, end = pi / omega;
            double v = t < end ? v0 * cos(omega * t) : -v0;
            double i = t < end ? v0 * sqrt(C / L) * sin(omega * t) : 0.0;
            ck_assert_double_eq_tol(x[0], v, 2.0 * h);
            ck_assert_double_eq_tol(x[1], i, 20.0 * h);
            ck_assert_double_ge(x[1], -1e-14);
            ck_assert_double_ge(*rig_lambda(&r, diode), 0.0);
            if (t > end + h)
                ck_assert_double_eq_tol(*rig_lambda(&r, diode), v0, 5.0 * h);
        }
        rig_free(&r);
    }
}
END_TEST

static int disturbance(double *out, double t, const double *x, const double *v, const double *z,
                       void *user)
{
    (void)x, (void)v, (void)z, (void)user;
    *out = 0.6 * sin(3.0 * t);
    return 0;
}

/* x' = d(t) + lambda, lambda in -Sign(x): once at 0, x stays there to rounding, and lambda
 * is -d. */
START_TEST(sliding_without_chattering)
{
    rig r;
    const double h = 1e-2;
    rig_init(&r, h);
    perp_first_order_def def;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 1;
    def.x0 = &one;
    def.b_at = disturbance;
    perp_system_id system = rig_add_first_order(&r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.B = relation.C = &one;
    perp_interaction_id relay = rig_interact(&r, &system, 1, &relation, perp_law_relay(-1.0, 1.0));
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=1");
    rig_start(&r, &scheme);
    int sliding = 0;
    for (int k = 1; k <= 1000; k++) {
        rig_step(&r);
        double x = *rig_q(&r, system), lambda = *rig_lambda(&r, relay), d;
        disturbance(&d, k * h, NULL, NULL, NULL, NULL);
        if (sliding) {
            ck_assert_double_eq_tol(x, 0.0, 1e-15);
            ck_assert_double_eq_tol(lambda, -d, 1e-12);
        } else {
            ck_assert_double_ge(x, -1e-15);
            sliding = fabs(x) < 1e-15;
        }
    }
    ck_assert(sliding);
    rig_free(&r);
}
END_TEST

/* Into a corner: two interactions on one system, and the same as one interaction of two
 * relations, of which one or both or none are closed. */
START_TEST(corner)
{
    rig r[2];
    perp_system_id point[2];
    perp_interaction_id walls[2], both;
    const double q0[] = {0.5, 1.0}, v0[] = {-0.4, -0.1}, F[] = {-1.0, -2.0},
                 M[] = {2.0, 0.5, 0.5, 1.0};
    const double C[] = {1.0, 0.0, 0.0, 1.0}, left[] = {1.0, 0.0}, below[] = {0.0, 1.0};
    for (int k = 0; k < 2; k++) {
        rig_init(&r[k], 1e-2);
        point[k] = rig_lagrangian(&r[k], 2, q0, v0, M, F);
    }
    walls[0] = rig_linear(&r[0], point[0], 1, left, NULL, perp_law_impact(0.6));
    walls[1] = rig_linear(&r[0], point[0], 1, below, NULL, perp_law_impact(0.6));
    both = rig_linear(&r[1], point[1], 2, C, NULL, perp_law_impact(0.6));
    rig_start_moreau_jean(&r[0]);
    rig_start_moreau_jean(&r[1]);
    int seen[4] = {0};
    for (int k = 0; k < 1000; k++) {
        rig_step(&r[0]);
        rig_step(&r[1]);
        const double *lambda = rig_lambda(&r[1], both);
        seen[(lambda[0] > 0.0) + 2 * (lambda[1] > 0.0)]++;
        for (int i = 0; i < 2; i++) {
            ck_assert_double_eq_tol(rig_q(&r[1], point[1])[i], rig_q(&r[0], point[0])[i], 1e-12);
            ck_assert_double_eq_tol(rig_v(&r[1], point[1])[i], rig_v(&r[0], point[0])[i], 1e-12);
            ck_assert_double_eq_tol(lambda[i], *rig_lambda(&r[0], walls[i]), 1e-12);
        }
    }
    for (int k = 0; k < 4; k++)
        ck_assert_msg(seen[k] > 0, "never closed as %d", k);
    ck_assert_double_eq_tol(rig_v(&r[0], point[0])[0], 0.0, 1e-12);
    rig_free(&r[0]);
    rig_free(&r[1]);
}
END_TEST

/* A ball that a moving table carries.  The rates agree, the gap drifts by O(h^2): the threshold
 * keeps the contact. */
static int table_gap(double *out, double t, const double *x, const double *lambda, const double *z,
                     void *user)
{
    (void)lambda, (void)user;
    *out = x[0] - z[0] * sin(z[1] * t);
    return 0;
}

static int table_rate(double *out, double t, const double *x, const double *lambda, const double *z,
                      void *user)
{
    (void)x, (void)lambda, (void)user;
    *out = -z[0] * z[1] * cos(z[1] * t);
    return 0;
}

static int unit(double *out, double t, const double *x, const double *lambda, const double *z,
                void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    *out = 1.0;
    return 0;
}

START_TEST(carried_by_a_table)
{
    rig r;
    const double h = 1e-4, g = 9.81, z[] = {0.05, 7.0}, F = -g;
    rig_init(&r, h);
    double start = z[0] * z[1];
    perp_system_id ball = rig_lagrangian(&r, 1, &none, &start, NULL, &F);
    perp_relation relation = rig_relation(PERP_RELATION_RHEONOMOUS, 1);
    relation.h = table_gap;
    relation.h_x = unit;
    relation.h_t = table_rate;
    relation.z = z;
    relation.nz = 2;
    perp_interaction_id contact = rig_interact(&r, &ball, 1, &relation, perp_law_impact(0.0));
    perp_scheme scheme = rig_scheme("moreau-jean", "activate=1e-4");
    rig_start(&r, &scheme);
    for (int k = 1; k <= 20000; k++) {
        rig_step(&r);
        double t = k * h, w = z[1];
        ck_assert_double_eq_tol(*rig_q(&r, ball), z[0] * sin(w * t), 1e-5);
        ck_assert_double_eq_tol(*rig_v(&r, ball), z[0] * w * cos(w * t), 1e-3);
        ck_assert_double_eq_tol(*rig_lambda(&r, contact) / h, g - z[0] * w * w * sin(w * t), 1e-2);
    }
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("closed forms");
    TCase *tcase = tcase_create("closed forms");
    tcase_add_test(tcase, ball_with_accumulation);
    tcase_add_test(tcase, impacting_oscillator);
    tcase_add_test(tcase, sliding_block);
    tcase_add_test(tcase, force_in_a_box);
    tcase_add_test(tcase, oblique_impact);
    tcase_add_test(tcase, incline);
    tcase_add_test(tcase, incline_in_space);
    tcase_add_test(tcase, diode_holds_the_charge);
    tcase_add_test(tcase, sliding_without_chattering);
    tcase_add_test(tcase, corner);
    tcase_add_test(tcase, carried_by_a_table);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
