/* SPDX-License-Identifier: BSD-3-Clause */
/* Springs: a cam follower and an elastic bar of a hundred elements. */
#include <math.h>
#include <stdlib.h>

#include "tests/fixtures/kernel_rig.h"
#include "tests/kernel/trajectories/reference.h"

/* Profile of the cam and its rate, as stated, with its short pi. */
static void cam(double t, double *c, double *rate)
{
    const double pi = 3.14159265, k1 = 0.45, k2 = 0.40393320723821, rho1 = 0.85, rho3 = 0.15;
    double w = 2.0 * pi * 358.0 / 60.0, beta = fmod(w * t + pi / 2.0, 2.0 * pi);
    if (beta > pi) {
        beta = 2.0 * pi - beta;
        w = -w;
    }
    *rate = 0.0;
    if (beta <= pi / 2.0) {
        *c = 0.40 - 0.3;
    } else if (beta <= pi / 2.0 + 1.050328174371336) {
        double s = sqrt(1.0 - pow(k1 * cos(beta) / rho1, 2.0));
        *c = -k1 * sin(beta) + rho1 * s - 0.3;
        *rate = w * (-k1 * cos(beta) + k1 * k1 * sin(beta) * cos(beta) / (rho1 * s));
    } else if (beta <= pi / 2.0 + 1.22173047639603) {
        double x = beta + pi / 9.0, s = sqrt(1.0 - pow(k2 * sin(x) / rho3, 2.0));
        *c = -k2 * cos(x) + rho3 * s - 0.3;
        *rate = w * (k2 * sin(x) - k2 * k2 * sin(x) * cos(x) / (rho3 * s));
    } else {
        *c = 0.55393320723821 - 0.3;
    }
}

static int height(double *out, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    *out = x[0];
    return 0;
}

static int one(double *out, double t, const double *x, const double *lambda, const double *z,
               void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    *out = 1.0;
    return 0;
}

static int nothing(double *out, double t, const double *x, const double *lambda, const double *z,
                   void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    *out = 0.0;
    return 0;
}

/* Declared rheonomous, although its profile never reaches the relation. */
START_TEST(cam_follower)
{
    static const reference_column columns[] = {
        {"t", 5.6e-17}, {"q", 8.6e-16},   {"v", 3.0e-14},        {"lambda", 5.0e-14},
        {"force", 0.0}, {"cam", 2.8e-16}, {"cam rate", 5.3e-15}, {"cam+q", 8.3e-16}};
    reference ref;
    if (!reference_open(&ref, "CamFollower-Rheonomous"))
        return;
    rig r;
    rig_init(&r, 1e-4);
    const double mass = 1.221, stiffness = 1430.8, start = 0.4;
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = def.v0 = &start;
    def.M = rig_dense(&mass, 1, 1);
    def.K = rig_dense(&stiffness, 1, 1);
    perp_system_id follower = rig_add_lagrangian(&r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_RHEONOMOUS, 1);
    relation.h = height;
    relation.h_x = one;
    relation.h_t = nothing;
    perp_interaction_id contact = rig_interact(&r, &follower, 1, &relation, perp_law_impact(0.8));
    rig_start_moreau_jean(&r);
    for (int k = 0; k <= reference_steps(&ref); k++) {
        if (k > 0)
            rig_step(&r);
        double q = *rig_q(&r, follower), c, rate;
        cam(perp_sim_time(r.sim), &c, &rate);
        const double row[] = {perp_sim_time(r.sim),
                              q,
                              *rig_v(&r, follower),
                              *rig_lambda(&r, contact),
                              0.0,
                              c,
                              rate,
                              c + q};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

enum { NODES = 100 };
static const double modulus = 210e9, section = 0.000314, density = 7800.0, element = 0.01;

/* d on the diagonal, half of it at its ends, o beside it. */
static void tridiagonal(double *A, double d, double o)
{
    for (int j = 0; j < NODES; j++) {
        A[j + j * NODES] = j == 0 || j == NODES - 1 ? 0.5 * d : d;
        if (j > 0)
            A[j - 1 + j * NODES] = A[j + (j - 1) * NODES] = o;
    }
}

/* x' A x for a tridiagonal A. */
static double quadratic(const double *A, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < NODES; i++)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < NODES; j++)
            sum += x[i] * A[i + j * NODES] * x[j];
    return sum;
}

/* K and M of 1e7 and 1e-2 on displacements of 1e-5: differences are judged by the scale of
 * each column. */
START_TEST(impacting_bar)
{
    static const reference_column columns[] = {
        {"t", 2.2e-19},      {"q0", 4.6e-19},    {"v0", 2.6e-13},    {"p/h", 2.4e-10},
        {"lambda", 4.7e-16}, {"2 pot", 1.8e-13}, {"2 kin", 1.5e-15}, {"qL", 5.7e-19},
        {"vL", 2.5e-13},     {"qm", 3.9e-19},    {"vm", 1.3e-13},    {"work", 1.8e-19}};
    reference ref;
    if (!reference_open(&ref, "ImpactingBar"))
        return;
    static double M[NODES * NODES], K[NODES * NODES], q0[NODES], v0[NODES], C[NODES];
    const double h = 2e-6;
    tridiagonal(M, density * section * element * 2.0 / 3.0, density * section * element / 6.0);
    tridiagonal(K, 2.0 * modulus * section / element, -modulus * section / element);
    for (int i = 0; i < NODES; i++) {
        q0[i] = 5e-5;
        v0[i] = -0.1;
    }
    C[0] = 1.0;
    rig r;
    rig_init(&r, h);
    r.options.t0 = 1e-8;
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = NODES;
    def.q0 = q0;
    def.v0 = v0;
    def.M = rig_dense(M, NODES, NODES);
    def.K = rig_dense(K, NODES, NODES);
    perp_system_id bar = rig_add_lagrangian(&r, &def);
    perp_interaction_id wall = rig_linear(&r, bar, 1, C, NULL, perp_law_impact(0.0));
    perp_scheme scheme = rig_scheme("moreau-jean", "activation=0");
    rig_start(&r, &scheme);
    double before = v0[0];
    for (int k = 0; k <= reference_steps(&ref); k++) {
        if (k > 0)
            rig_step(&r);
        const double *q = rig_q(&r, bar), *v = rig_v(&r, bar), lambda = *rig_lambda(&r, wall);
        double force = k > 0 ? rig_input(&r, bar)[0] / h : 0.0;
        const double row[] = {perp_sim_time(r.sim),
                              q[0],
                              v[0],
                              force,
                              lambda,
                              quadratic(K, q),
                              quadratic(M, v),
                              q[NODES - 1],
                              v[NODES - 1],
                              q[NODES / 2],
                              v[NODES / 2],
                              0.5 * (v[0] + before) * lambda};
        reference_compare(&ref, k, row);
        before = v[0];
    }
    ck_assert_double_lt(ref.largest[1], 1e-14);
    ck_assert_double_lt(ref.largest[7], 1e-14);
    ck_assert_double_lt(ref.largest[9], 1e-14);
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

TCase *trajectories_structures(void)
{
    TCase *tcase = tcase_create("structures");
    tcase_add_test(tcase, cam_follower);
    tcase_add_test(tcase, impacting_bar);
    return tcase;
}
