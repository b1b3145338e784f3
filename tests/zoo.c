/* SPDX-License-Identifier: BSD-3-Clause */
#include "zoo.h"

#include <math.h>
#include <string.h>

#include "zoo_build.h"
#include "zoo_rolling.h"

/* 2 z - 4 >= 0: z = 2. */
static void lcp_one(stored_problem *p)
{
    zoo_lcp(p, 1, (double[]){2}, (double[]){-4});
}

static void lcp_one_open(stored_problem *p)
{
    zoo_lcp(p, 1, (double[]){2}, (double[]){3});
}

/* z = (4/3, 7/3). */
static void lcp_two(stored_problem *p)
{
    zoo_lcp(p, 2, (double[]){2, 1, 1, 2}, (double[]){-5, -6});
}

/* q = 0: the answer is 0 and every denominator vanishes there. */
static void lcp_homogeneous(stored_problem *p)
{
    zoo_lcp(p, 3, (double[]){4, 1, 0, 1, 3, 1, 0, 1, 5}, (double[]){0, 0, 0});
}

/* z = w = 0 in the second row. */
static void lcp_degenerate(stored_problem *p)
{
    zoo_lcp(p, 3, (double[]){2, 0, 0, 1, 3, 1, 0, 0, 2}, (double[]){-2, -1, 3});
}

/* Ties in every ratio test. */
static void lcp_ties(stored_problem *p)
{
    zoo_lcp(p, 4, (double[]){3, 1, 1, 0, 1, 3, 0, 1, 1, 0, 3, 1, 0, 1, 1, 3},
            (double[]){-1, -1, -1, -1});
}

/* Murty: pivots that number 2^n on some paths; z = (1, 0, .., 0). */
static void lcp_murty(stored_problem *p)
{
    double M[100], q[10];
    for (int i = 0; i < 10; i++) {
        q[i] = -1.0;
        for (int j = 0; j < 10; j++)
            M[i * 10 + j] = i == j ? 1.0 : i > j ? 2.0 : 0.0;
    }
    zoo_lcp(p, 10, M, q);
}

/* Fathi: positive definite, and still 2^n pivots on some paths. */
static void lcp_fathi(stored_problem *p)
{
    double M[64], q[8];
    for (int i = 0; i < 8; i++) {
        q[i] = -1.0;
        for (int j = 0; j < 8; j++) {
            int low = i < j ? i : j;
            M[i * 8 + j] = i == j ? 4.0 * i + 1.0 : 4.0 * low + 2.0;
        }
    }
    zoo_lcp(p, 8, M, q);
}

/* A P-matrix on which simple principal pivoting cycles; z = 1/3. */
static void lcp_cycle(stored_problem *p)
{
    zoo_lcp(p, 3, (double[]){1, 2, 0, 0, 1, 2, 2, 0, 1}, (double[]){-1, -1, -1});
}

/* Cottle, Pang, Stone: all z1 + z2 = 1. */
static void lcp_segment_of_solutions(stored_problem *p)
{
    zoo_lcp(p, 2, (double[]){1, 1, 1, 1}, (double[]){-1, -1});
}

/* Cottle, Pang, Stone: all z2 = z1 + 1. */
static void lcp_singular_difference(stored_problem *p)
{
    zoo_lcp(p, 2, (double[]){1, -1, -1, 1}, (double[]){1, -1});
}

/* A bimatrix game. */
static void lcp_bimatrix(stored_problem *p)
{
    zoo_lcp(p, 4, (double[]){0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0},
            (double[]){-1, -1, -1, -1});
}

/* Pang: M is not copositive, the only solution is (1, 0, 0). */
static void lcp_isolated(stored_problem *p)
{
    zoo_lcp(p, 3, (double[]){0, -1, -1, 1, 0, 0, -1, 0, 0}, (double[]){0, -1, 1});
}

/* An unsymmetric row sufficient matrix, positive definite. */
static void lcp_unsymmetric(stored_problem *p)
{
    zoo_lcp(p, 4, (double[]){3, -1, 0, 0, 1, 2, 1, 0, 0, 1, 3, 1, -1, 1, -1, 2},
            (double[]){-2, 1, -1, 1});
}

/* min -x1 - x2, x1 + 2 x2 <= 4, 3 x1 + x2 <= 6, x >= 0: the skew matrix of an LP. */
static void lcp_linear_program(stored_problem *p)
{
    zoo_lcp(p, 4, (double[]){0, 0, 1, 3, 0, 0, 2, 1, -1, -2, 0, 0, -3, -1, 0, 0},
            (double[]){-1, -1, 4, 6});
}

static void lcp_infeasible_one(stored_problem *p)
{
    zoo_lcp(p, 1, (double[]){-1}, (double[]){-1});
}

/* x1 <= -1, x1 >= 0. */
static void lcp_infeasible_program(stored_problem *p)
{
    zoo_lcp(p, 2, (double[]){0, 1, -1, 0}, (double[]){1, -1});
}

static void lcp_infeasible_zero(stored_problem *p)
{
    zoo_lcp(p, 2, (double[]){0, 0, 0, 0}, (double[]){1, -1});
}

/* M = 0 and q >= 0: z = 0, and no block has a diagonal. */
static void lcp_zero_matrix(stored_problem *p)
{
    zoo_lcp(p, 3, (double[]){0, 0, 0, 0, 0, 0, 0, 0, 0}, (double[]){1, 0, 2});
}

static void lcp_twenty(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_NONNEG, 1, 20, 0, 0);
    zoo_random_matrix(p, 41, 0.0);
    zoo_plant(p, 42);
}

static void lcp_twenty_unsymmetric(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_NONNEG, 1, 20, 0, 0);
    zoo_random_matrix(p, 43, 0.3);
    zoo_plant(p, 44);
}

/* Entries between 1e-6 and 1e6: impulses and velocities in unlike units. */
static void lcp_units(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_NONNEG, 1, 8, 0, 0);
    zoo_random_matrix(p, 45, 0.0);
    zoo_plant(p, 46);
    for (int i = 0; i < p->n; i++) {
        double a = i % 2 ? 1e3 : 1e-3;
        p->q[i] *= a;
        p->z[i] /= a;
        for (int j = 0; j < p->n; j++)
            p->M[i + j * p->n] *= a * (j % 2 ? 1e3 : 1e-3);
    }
}

static void equations(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_FREE, 1, 5, 0, 0);
    zoo_random_matrix(p, 51, 0.2);
    zoo_plant(p, 52);
}

static void equations_contradict(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_FREE, 1, 2, 0, 0);
    zoo_dense(p, (double[]){1, 1, 1, 1}, (double[]){-1, -2});
}

static void mlcp(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_FREE, 1, 4, 0, 0);
    stored_segment(p, PERP_NONNEG, 1, 5, 0, 0);
    stored_segment(p, PERP_FREE, 1, 2, 0, 0);
    zoo_random_matrix(p, 53, 0.2);
    zoo_plant(p, 54);
}

/* Equality constrained: the rows of the multipliers have no diagonal. */
static void mlcp_saddle(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_NONNEG, 1, 4, 0, 0);
    stored_segment(p, PERP_FREE, 1, 2, 0, 0);
    zoo_random_matrix(p, 55, 0.0);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double g = i < 4 ? -1.0 - (i * (j - 3)) % 3 : 1.0 + (j * (i - 3)) % 3;
            if (i >= 4 || j >= 4)
                p->M[i + j * 6] = i >= 4 && j >= 4 ? 0.0 : g;
        }
    zoo_plant(p, 56);
}

static void box_one(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_BOX, 1, 1, -1, 1);
    zoo_dense(p, (double[]){1}, (double[]){-5});
}

/* Ten rows on all sides of their bounds; relay, half-lines and a line among them. */
static void boxes(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_BOX, 1, 3, -0.5, 0.5);
    stored_segment(p, PERP_BOX, 1, 2, -INFINITY, 0.3);
    stored_segment(p, PERP_BOX, 1, 2, -0.2, INFINITY);
    stored_segment(p, PERP_BOX, 1, 2, -INFINITY, INFINITY);
    stored_segment(p, PERP_BOX, 1, 1, 0.1, 0.1);
    zoo_random_matrix(p, 61, 0.2);
    zoo_plant(p, 62);
}

/* Twelve rows of rank 4, each thrice: rows between their bounds depend on each other. */
static void boxes_dependent(stored_problem *p)
{
    perp_rng rng = {63};
    double g[4][4];
    stored_init(p, "");
    stored_segment(p, PERP_BOX, 1, 12, -1, 1);
    stored_allocate(p);
    for (int k = 0; k < 16; k++)
        g[k / 4][k % 4] = perp_rng_signed(&rng);
    for (int k = 0; k < 144; k++) {
        const double *a = g[k % 12 % 4], *b = g[k / 12 % 4];
        p->M[k] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    }
    zoo_plant(p, 64);
}

/* A relay: -w in sign(z) as z in [-1, 1], M singular. */
static void relay(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_BOX, 1, 3, -1, 1);
    zoo_dense(p, (double[]){0, 0, 0, 0, 1, 0, 0, 0, 2}, (double[]){-3, 0.5, 4});
}

static void contact2_open(stored_problem *p)
{
    zoo_contact(p, 2, ZOO_OPEN, 0.4);
}

static void contact2_stick(stored_problem *p)
{
    zoo_contact(p, 2, ZOO_STICK, 0.4);
}

static void contact2_slip(stored_problem *p)
{
    zoo_contact(p, 2, ZOO_SLIP, 0.4);
}

static void contact3_open(stored_problem *p)
{
    zoo_contact(p, 3, ZOO_OPEN, 0.4);
}

static void contact3_stick(stored_problem *p)
{
    zoo_contact(p, 3, ZOO_STICK, 0.4);
}

static void contact3_slip(stored_problem *p)
{
    zoo_contact(p, 3, ZOO_SLIP, 0.4);
}

static void contact3_frictionless(stored_problem *p)
{
    zoo_contact(p, 3, ZOO_SLIP, 0.0);
}

static void contact3_rough(stored_problem *p)
{
    zoo_contact(p, 3, ZOO_SLIP, 3.0);
}

/* No mass to move and a wall that comes nearer. */
static void contact3_squeezed(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_COULOMB, 3, 1, 0.5, 0);
    zoo_dense(p, (double[]){0, 0, 0, 0, 1, 0, 0, 0, 1}, (double[]){-1, 0, 0});
}

/* Two walls that approach: W of rank 1, no impulse opens both. */
static void contact2_vice(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_COULOMB, 2, 2, 0.1, 0);
    zoo_dense(p, (double[]){1, 0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 0, 1},
              (double[]){-1, 0, -1, 0});
}

static void friction2(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_COULOMB, 2, 6, 0.3, 0);
    zoo_random_matrix(p, 71, 0.0);
    zoo_plant_regimes(p, 72);
}

static void friction3(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_COULOMB, 3, 6, 0.3, 0);
    zoo_random_matrix(p, 73, 0.0);
    zoo_plant_regimes(p, 74);
}

static void friction3_unsymmetric(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_COULOMB, 3, 4, 0.2, 0);
    zoo_random_matrix(p, 75, 0.1);
    zoo_plant_regimes(p, 76);
}

static void friction3_rough(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_COULOMB, 3, 4, 2.0, 0);
    zoo_random_matrix(p, 77, 0.0);
    zoo_plant_regimes(p, 78);
}

static void tresca2(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_TRESCA, 2, 5, 0.3, 0);
    zoo_random_matrix(p, 81, 0.0);
    zoo_plant(p, 82);
}

static void tresca3(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_TRESCA, 3, 4, 0.3, 0);
    stored_segment(p, PERP_TRESCA, 3, 1, 0.0, 0);
    zoo_random_matrix(p, 83, 0.1);
    zoo_plant(p, 84);
}

static void second_order_cones(stored_problem *p)
{
    stored_init(p, "");
    for (int dim = 2; dim <= 7; dim++)
        stored_segment(p, PERP_SOC, dim, 1, 0.4 * dim - 0.5, 0);
    zoo_random_matrix(p, 85, 0.1);
    zoo_plant(p, 86);
}

static void cone_of_three(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_SOC, 3, 4, 0.6, 0);
    zoo_random_matrix(p, 87, 0.0);
    zoo_plant(p, 88);
}

static void every_set(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_FREE, 1, 2, 0, 0);
    stored_segment(p, PERP_COULOMB, 3, 2, 0.3, 0);
    stored_segment(p, PERP_NONNEG, 1, 3, 0, 0);
    stored_segment(p, PERP_BOX, 1, 2, -0.4, 0.4);
    stored_segment(p, PERP_TRESCA, 3, 1, 0.3, 0);
    stored_segment(p, PERP_COULOMB, 2, 2, 0.3, 0);
    stored_segment(p, PERP_SOC, 4, 1, 0.8, 0);
    stored_segment(p, PERP_TRESCA, 2, 1, 0.3, 0);
    zoo_random_matrix(p, 91, 0.0);
    zoo_plant(p, 92);
}

static void sphere_on_plane(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_COULOMB, 3, 1, 0.2, 0);
    zoo_bodies(p, 1);
    zoo_support(p, 0, 0, (double[]){0, 0, -1});
    zoo_fall(p, (double[]){0.6, 0.1, -1, 0, 0, 0});
}

/* Four corners: six unknowns carry twelve rows. */
static void box_on_plane(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_COULOMB, 3, 4, 0.5, 0);
    zoo_bodies(p, 1);
    for (int k = 0; k < 4; k++)
        zoo_support(p, 3 * k, 0, (double[]){k % 2 ? 1 : -1, k / 2 ? 1 : -1, -0.5});
    zoo_fall(p, (double[]){0.1, 0.05, -1, 0.02, 0.03, 0.1});
}

/* Two boxes, one upon the other. */
static void two_boxes(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_COULOMB, 3, 8, 0.5, 0);
    zoo_bodies(p, 2);
    for (int k = 0; k < 4; k++) {
        double x = k % 2 ? 1 : -1, y = k / 2 ? 1 : -1;
        zoo_support(p, 3 * k, 0, (double[]){x, y, -0.5});
        zoo_touch(p, 12 + 3 * k, 1, 0, (double[]){x, y, -0.5}, (double[]){x, y, 0.5});
    }
    zoo_fall(p, (double[]){0.1, 0.05, -1, 0, 0, 0.1, 0.3, 0, -1, 0, 0, 0});
}

/* Two bodies held together at a point, each with one contact. */
static void joint_and_contacts(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_FREE, 1, 3, 0, 0);
    stored_segment(p, PERP_COULOMB, 3, 2, 0.3, 0);
    zoo_bodies(p, 2);
    zoo_touch(p, 0, 1, 0, (double[]){-0.5, 0, 0}, (double[]){0.5, 0, 0});
    zoo_support(p, 3, 0, (double[]){-0.3, 0, -0.4});
    zoo_support(p, 6, 1, (double[]){0.3, 0, -0.4});
    zoo_fall(p, (double[]){0.1, 0.2, -1, 0, 0, 0, 0.1, 0.2, -1, 0, 0, 0});
}

/* The same joint twice: equal rows, M singular, a solution exists. */
static void joint_twice(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_FREE, 1, 6, 0, 0);
    stored_segment(p, PERP_COULOMB, 3, 1, 0.3, 0);
    zoo_bodies(p, 2);
    for (int k = 0; k < 2; k++)
        zoo_touch(p, 3 * k, 1, 0, (double[]){-0.5, 0, 0}, (double[]){0.5, 0, 0});
    zoo_support(p, 6, 0, (double[]){-0.3, 0, -0.4});
    zoo_fall(p, (double[]){0.1, 0.2, -1, 0, 0, 0, 0.1, 0.2, -1, 0, 0, 0});
}

/* A mass matrix with coupling, frictionless unilateral rows on it. */
static void unilateral_on_bodies(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_NONNEG, 1, 6, 0, 0);
    zoo_random_factors(p, 9, 97);
    zoo_plant(p, 98);
}

static const zoo_entry table[] = {
    {"lcp-one", ZOO_EASY, "", lcp_one},
    {"lcp-one-open", ZOO_EASY, "", lcp_one_open},
    {"lcp-two", ZOO_EASY, "", lcp_two},
    {"lcp-homogeneous", ZOO_EASY, "", lcp_homogeneous},
    {"lcp-degenerate", ZOO_EASY, "", lcp_degenerate},
    {"lcp-ties", ZOO_EASY, "", lcp_ties},
    {"lcp-murty", ZOO_HARD, "lemke ppm enum dantzig lp avi gs fixed-point extragradient nsn-ac ipm",
     lcp_murty},
    {"lcp-fathi", ZOO_HARD, "lemke ppm enum dantzig lp avi gs fixed-point extragradient nsn-ac ipm",
     lcp_fathi},
    {"lcp-cycle", ZOO_HARD, "lemke ppm enum dantzig lp avi", lcp_cycle},
    {"lcp-segment-of-solutions", ZOO_HARD,
     "lemke ppm enum dantzig lp avi gs fixed-point extragradient nsn-ac ipm",
     lcp_segment_of_solutions},
    {"lcp-singular-difference", ZOO_HARD,
     "lemke ppm enum dantzig lp avi gs fixed-point extragradient nsn-ac ipm",
     lcp_singular_difference},
    {"lcp-bimatrix", ZOO_HARD, "lemke enum lp", lcp_bimatrix},
    {"lcp-isolated", ZOO_HARD, "lemke ppm enum lp avi", lcp_isolated},
    {"lcp-unsymmetric", ZOO_EASY, "", lcp_unsymmetric},
    {"lcp-linear-program", ZOO_HARD, "lemke ppm enum dantzig lp avi extragradient nsn-ac ipm",
     lcp_linear_program},
    {"lcp-infeasible-one", ZOO_UNSOLVABLE, "", lcp_infeasible_one},
    {"lcp-infeasible-program", ZOO_UNSOLVABLE, "", lcp_infeasible_program},
    {"lcp-infeasible-zero", ZOO_UNSOLVABLE, "", lcp_infeasible_zero},
    {"lcp-zero-matrix", ZOO_HARD,
     "lemke ppm enum dantzig lp avi gs fixed-point extragradient nsn-ac ipm", lcp_zero_matrix},
    {"lcp-twenty", ZOO_EASY, "", lcp_twenty},
    {"lcp-twenty-unsymmetric", ZOO_EASY, "", lcp_twenty_unsymmetric},
    {"lcp-units", ZOO_HARD, "lemke ppm enum dantzig lp avi gs nsn-ac ipm", lcp_units},
    {"equations", ZOO_EASY, "", equations},
    {"equations-contradict", ZOO_UNSOLVABLE, "", equations_contradict},
    {"mlcp", ZOO_EASY, "", mlcp},
    {"mlcp-saddle", ZOO_HARD, "lemke ppm enum dantzig lp avi extragradient nsn-ac ipm",
     mlcp_saddle},
    {"box-one", ZOO_EASY, "", box_one},
    {"boxes", ZOO_EASY, "", boxes},
    {"relay", ZOO_HARD, "lemke ppm enum dantzig lp avi gs fixed-point extragradient nsn-ac ipm",
     relay},
    {"boxes-dependent", ZOO_HARD, "lemke dantzig gs ipm", boxes_dependent},
    {"contact2-open", ZOO_EASY, "", contact2_open},
    {"contact2-stick", ZOO_EASY, "", contact2_stick},
    {"contact2-slip", ZOO_EASY, "", contact2_slip},
    {"contact3-open", ZOO_EASY, "", contact3_open},
    {"contact3-stick", ZOO_EASY, "", contact3_stick},
    {"contact3-slip", ZOO_EASY, "", contact3_slip},
    {"contact3-frictionless", ZOO_EASY, "", contact3_frictionless},
    {"contact3-rough", ZOO_HARD, "gs nsn-ac ipm", contact3_rough},
    {"contact3-squeezed", ZOO_UNSOLVABLE, "", contact3_squeezed},
    {"contact2-vice", ZOO_UNSOLVABLE, "", contact2_vice},
    {"friction2", ZOO_EASY, "", friction2},
    {"friction3", ZOO_EASY, "", friction3},
    {"friction3-unsymmetric", ZOO_EASY, "", friction3_unsymmetric},
    {"friction3-rough", ZOO_HARD, "gs nsn-ac ipm", friction3_rough},
    {"tresca2", ZOO_EASY, "", tresca2},
    {"tresca3", ZOO_EASY, "", tresca3},
    {"second-order-cones", ZOO_EASY, "", second_order_cones},
    {"cone-of-three", ZOO_EASY, "", cone_of_three},
    {"every-set", ZOO_EASY, "", every_set},
    {"sphere-on-plane", ZOO_EASY, "", sphere_on_plane},
    {"box-on-plane", ZOO_HARD, "gs fixed-point extragradient nsn-ac ipm", box_on_plane},
    {"two-boxes", ZOO_HARD, "gs fixed-point extragradient nsn-ac ipm", two_boxes},
    {"joint-and-contacts", ZOO_EASY, "", joint_and_contacts},
    {"joint-twice", ZOO_HARD, "gs fixed-point extragradient nsn-ac ipm", joint_twice},
    {"unilateral-on-bodies", ZOO_EASY, "", unilateral_on_bodies},
    {"rolling-open", ZOO_EASY, "", zoo_rolling_open},
    {"rolling-rests", ZOO_EASY, "", zoo_rolling_rests},
    {"rolling-slides", ZOO_EASY, "", zoo_rolling_slides},
    {"rolling-rolls", ZOO_EASY, "", zoo_rolling_rolls},
    {"rolling-both", ZOO_EASY, "", zoo_rolling_both},
    {"rolling2", ZOO_EASY, "", zoo_rolling2},
    {"rolling3", ZOO_EASY, "", zoo_rolling3},
    {"rolling-unsymmetric", ZOO_EASY, "", zoo_rolling_unsymmetric},
    {"rolling-flat", ZOO_EASY, "", zoo_rolling_flat},
    {"rolling-rough", ZOO_HARD, "gs nsn-ac ipm", zoo_rolling_rough},
    {"rolling-units", ZOO_HARD, "gs nsn-ac ipm", zoo_rolling_units},
    {"rolling-mixture", ZOO_EASY, "", zoo_rolling_mixture},
    {"rolling-sphere", ZOO_EASY, "", zoo_rolling_sphere},
    {"rolling-box", ZOO_HARD, "gs fixed-point extragradient nsn-ac ipm", zoo_rolling_box},
    {"rolling-squeezed", ZOO_UNSOLVABLE, "", zoo_rolling_squeezed},
};

const zoo_entry *zoo_at(int k)
{
    return (size_t)k < sizeof table / sizeof table[0] ? &table[k] : NULL;
}

void zoo_build(stored_problem *p, const zoo_entry *entry)
{
    entry->build(p);
    strncpy(p->name, entry->name, sizeof p->name - 1);
}

int zoo_expects(const zoo_entry *entry, const char *solver)
{
    size_t length = strlen(solver);
    if (entry->level == ZOO_EASY)
        return 1;
    for (const char *at = entry->must; *at;) {
        size_t span = strcspn(at, " ");
        if (span == length && strncmp(at, solver, length) == 0)
            return 1;
        at += span + strspn(at + span, " ");
    }
    return 0;
}
