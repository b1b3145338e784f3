/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/flow/tableau.h"

#include <perp/choices.h>

#include <stddef.h>

static const double midpoint_a[] = {0.0, 0.0, 0.5, 0.0};
static const double midpoint_b[] = {0.0, 1.0};
static const double midpoint_c[] = {0.0, 0.5};

static const double heun_a[] = {0.0, 0.0, 0.0, 1.0 / 3.0, 0.0, 0.0, 0.0, 2.0 / 3.0, 0.0};
static const double heun_b[] = {0.25, 0.0, 0.75};
static const double heun_c[] = {0.0, 1.0 / 3.0, 2.0 / 3.0};

static const double rk4_a[] = {0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0,
                               0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0};
static const double rk4_b[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
static const double rk4_c[] = {0.0, 0.5, 0.5, 1.0};

/* clang-format off */
static const double dp_a[] = {
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0, 0.0,
    19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0, 0.0,
    9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0, 0.0,
    35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0};
static const double dp_b[] = {
    35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0};
static const double dp_embedded[] = {
    5179.0 / 57600.0, 0.0, 7571.0 / 16695.0, 393.0 / 640.0, -92097.0 / 339200.0, 187.0 / 2100.0,
    1.0 / 40.0};
static const double dp_c[] = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};

/* b (3 s^2 - 2 s^3) + first (s - 2 s^2 + s^3) + last (s^3 - s^2) + d s^2 (1 - s)^2, which is
 * Hermite with one term more (II.6). */
#define DENSE(b, first, last, d)                                                                   \
    (first), 3.0 * (b) - 2.0 * (first) - (last) + (d),                                             \
        -2.0 * (b) + (first) + (last) - 2.0 * (d), (d)
static const double dp_dense[] = {
    DENSE(35.0 / 384.0, 1.0, 0.0, -12715105075.0 / 11282082432.0),
    DENSE(0.0, 0.0, 0.0, 0.0),
    DENSE(500.0 / 1113.0, 0.0, 0.0, 87487479700.0 / 32700410799.0),
    DENSE(125.0 / 192.0, 0.0, 0.0, -10690763975.0 / 1880347072.0),
    DENSE(-2187.0 / 6784.0, 0.0, 0.0, 701980252875.0 / 199316789632.0),
    DENSE(11.0 / 84.0, 0.0, 0.0, -1453857185.0 / 822651844.0),
    DENSE(0.0, 0.0, 1.0, 69997945.0 / 29380423.0)};
#undef DENSE

static const double rkf_a[] = {
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    1.0 / 4.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    3.0 / 32.0, 9.0 / 32.0, 0.0, 0.0, 0.0, 0.0,
    1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0, 0.0, 0.0, 0.0,
    439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0, 0.0, 0.0,
    -8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0, 0.0};
static const double rkf_b[] = {
    16.0 / 135.0, 0.0, 6656.0 / 12825.0, 28561.0 / 56430.0, -9.0 / 50.0, 2.0 / 55.0};
static const double rkf_embedded[] = {
    25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0, 0.0};
static const double rkf_c[] = {0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0, 1.0 / 2.0};

/* The collocation polynomials of Radau IIA: integrals of the Lagrange polynomials on c. */
static const double radau3_a[] = {5.0 / 12.0, -1.0 / 12.0, 3.0 / 4.0, 1.0 / 4.0};
static const double radau3_b[] = {3.0 / 4.0, 1.0 / 4.0};
static const double radau3_c[] = {1.0 / 3.0, 1.0};
static const double radau3_dense[] = {1.5, -0.75, -0.5, 0.75};

#define ROOT6 2.4494897427831780982
static const double radau5_a[] = {
    (88.0 - 7.0 * ROOT6) / 360.0, (296.0 - 169.0 * ROOT6) / 1800.0, (-2.0 + 3.0 * ROOT6) / 225.0,
    (296.0 + 169.0 * ROOT6) / 1800.0, (88.0 + 7.0 * ROOT6) / 360.0, (-2.0 - 3.0 * ROOT6) / 225.0,
    (16.0 - ROOT6) / 36.0, (16.0 + ROOT6) / 36.0, 1.0 / 9.0};
static const double radau5_b[] = {(16.0 - ROOT6) / 36.0, (16.0 + ROOT6) / 36.0, 1.0 / 9.0};
static const double radau5_c[] = {(4.0 - ROOT6) / 10.0, (4.0 + ROOT6) / 10.0, 1.0};
/* Row of the node own among own, p and q. */
#define LAGRANGE(own, p, q)                                                                        \
    (p) * (q) / (((own) - (p)) * ((own) - (q))),                                                   \
        -0.5 * ((p) + (q)) / (((own) - (p)) * ((own) - (q))),                                      \
        1.0 / (3.0 * ((own) - (p)) * ((own) - (q)))
#define C1 ((4.0 - ROOT6) / 10.0)
#define C2 ((4.0 + ROOT6) / 10.0)
static const double radau5_dense[] = {LAGRANGE(C1, C2, 1.0), LAGRANGE(C2, C1, 1.0),
                                      LAGRANGE(1.0, C1, C2)};
#undef LAGRANGE
#undef C1
#undef C2

static const perp_tableau tableaux[PERP_TABLEAUX] = {
    [PERP_TABLEAU_MIDPOINT] = {"midpoint", 2, 2, 0, 0, midpoint_a, midpoint_b, NULL, midpoint_c, NULL, 0, 2, 0},
    [PERP_TABLEAU_HEUN3] = {"heun3", 3, 3, 0, 0, heun_a, heun_b, NULL, heun_c, NULL, 0, 3, 0},
    [PERP_TABLEAU_RK4] = {"rk4", 4, 4, 0, 0, rk4_a, rk4_b, NULL, rk4_c, NULL, 0, 3, 0},
    [PERP_TABLEAU_DORMAND_PRINCE] = {"dormand-prince", 7, 5, 4, 0, dp_a, dp_b, dp_embedded, dp_c, dp_dense, 4, 4, 1},
    [PERP_TABLEAU_FEHLBERG] = {"fehlberg", 6, 5, 4, 0, rkf_a, rkf_b, rkf_embedded, rkf_c, NULL, 0, 3, 0},
    [PERP_TABLEAU_RADAU3] = {"radau3", 2, 3, 0, 1, radau3_a, radau3_b, NULL, radau3_c, radau3_dense, 2, 2, 1},
    [PERP_TABLEAU_RADAU5] = {"radau5", 3, 5, 0, 1, radau5_a, radau5_b, NULL, radau5_c, radau5_dense, 3, 3, 1}};
/* clang-format on */

const perp_tableau *perp_tableau_at(int k)
{
    if (k == PERP_TABLEAU_DORMAND_PRINCE8)
        return &perp_dormand_prince8;
    return k >= 0 && k < PERP_TABLEAUX ? &tableaux[k] : NULL;
}
