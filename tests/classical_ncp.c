/* SPDX-License-Identifier: BSD-3-Clause */
#include "classical_ncp.h"

#include <math.h>
#include <string.h>

/* Josephy 1979 (ctx unused), and Kojima and Shindo 1986 with other constants. */
static void four(double *F, const double *x, double a, double b, double c)
{
    F[0] = 3 * x[0] * x[0] + 2 * x[0] * x[1] + 2 * x[1] * x[1] + x[2] + 3 * x[3] - 6;
    F[1] = 2 * x[0] * x[0] + x[0] + x[1] * x[1] + a * x[2] + 2 * x[3] - 2;
    F[2] = 3 * x[0] * x[0] + x[0] * x[1] + 2 * x[1] * x[1] + 2 * x[2] + b * x[3] - c;
    F[3] = x[0] * x[0] + 3 * x[1] * x[1] + 2 * x[2] + 3 * x[3] - 3;
}

static void four_jacobian(double *J, const double *x, double a, double b)
{
    const double rows[4][4] = {{6 * x[0] + 2 * x[1], 2 * x[0] + 4 * x[1], 1, 3},
                               {4 * x[0] + 1, 2 * x[1], a, 2},
                               {6 * x[0] + x[1], x[0] + 4 * x[1], 2, b},
                               {2 * x[0], 6 * x[1], 2, 3}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            J[i + 4 * j] = rows[i][j];
}

static int josephy(void *ctx, double *F, const double *x)
{
    (void)ctx;
    four(F, x, 3, 3, 1);
    return 0;
}

static int josephy_jacobian(void *ctx, double *J, const double *x)
{
    (void)ctx;
    four_jacobian(J, x, 3, 3);
    return 0;
}

static int kojima(void *ctx, double *F, const double *x)
{
    (void)ctx;
    four(F, x, 10, 9, 9);
    return 0;
}

static int kojima_jacobian(void *ctx, double *J, const double *x)
{
    (void)ctx;
    four_jacobian(J, x, 10, 9);
    return 0;
}

/* Mathiesen 1987: a Walras equilibrium. */
static int mathiesen(void *ctx, double *F, const double *x)
{
    (void)ctx;
    F[0] = -x[1] + x[2] + x[3];
    F[1] = x[0] - (4.5 * x[2] + 2.7 * x[3]) / (x[1] + 1);
    F[2] = 5 - x[0] - (0.5 * x[2] + 0.3 * x[3]) / (x[2] + 1);
    F[3] = 3 - x[0];
    return 0;
}

static int mathiesen_jacobian(void *ctx, double *J, const double *x)
{
    double a = x[1] + 1, c = x[2] + 1;
    (void)ctx;
    memset(J, 0, 16 * sizeof *J);
    J[0 + 4 * 1] = -1;
    J[0 + 4 * 2] = J[0 + 4 * 3] = 1;
    J[1] = 1;
    J[1 + 4 * 1] = (4.5 * x[2] + 2.7 * x[3]) / (a * a);
    J[1 + 4 * 2] = -4.5 / a;
    J[1 + 4 * 3] = -2.7 / a;
    J[2] = J[3] = -1;
    J[2 + 4 * 2] = (0.3 * x[3] - 0.5) / (c * c);
    J[2 + 4 * 3] = -0.3 / c;
    return 0;
}

/* Hock and Schittkowski 34: min -x1, x2 >= exp x1, x3 >= exp x2, its optimality conditions. */
static int hs34(void *ctx, double *F, const double *x)
{
    (void)ctx;
    F[0] = -1 + x[3] * exp(x[0]);
    F[1] = -x[3] + x[4] * exp(x[1]);
    F[2] = -x[4];
    F[3] = x[1] - exp(x[0]);
    F[4] = x[2] - exp(x[1]);
    return 0;
}

static int hs34_jacobian(void *ctx, double *J, const double *x)
{
    (void)ctx;
    memset(J, 0, 25 * sizeof *J);
    J[0] = x[3] * exp(x[0]);
    J[0 + 5 * 3] = exp(x[0]);
    J[1 + 5 * 1] = x[4] * exp(x[1]);
    J[1 + 5 * 3] = -1;
    J[1 + 5 * 4] = exp(x[1]);
    J[2 + 5 * 4] = -1;
    J[3] = -exp(x[0]);
    J[3 + 5 * 1] = 1;
    J[4 + 5 * 1] = -exp(x[1]);
    J[4 + 5 * 2] = 1;
    return 0;
}

/* Murphy, Sherali, Soyster 1982: five firms in Nash-Cournot equilibrium. */
static const double cost[5] = {10, 8, 6, 4, 2}, elasticity[5] = {1.2, 1.1, 1.0, 0.9, 0.8};
static const double demand_elasticity = 1.1;

static int cournot(void *ctx, double *F, const double *x)
{
    double g = demand_elasticity, sum = 0.0;
    (void)ctx;
    for (int i = 0; i < 5; i++)
        sum += x[i];
    double price = pow(5000.0 / sum, 1.0 / g);
    for (int i = 0; i < 5; i++)
        F[i] = cost[i] + pow(x[i] / 5.0, 1.0 / elasticity[i]) - price * (1.0 - x[i] / (g * sum));
    return 0;
}

static int cournot_jacobian(void *ctx, double *J, const double *x)
{
    double g = demand_elasticity, sum = 0.0;
    (void)ctx;
    for (int i = 0; i < 5; i++)
        sum += x[i];
    double price = pow(5000.0 / sum, 1.0 / g), slope = -price / (g * sum);
    for (int i = 0; i < 5; i++) {
        double e = 1.0 / elasticity[i];
        for (int j = 0; j < 5; j++)
            J[i + 5 * j] = -slope * (1.0 - x[i] / (g * sum)) - price * x[i] / (g * sum * sum);
        J[i + 5 * i] += price / (g * sum) + e / 5.0 * pow(x[i] / 5.0, e - 1.0);
    }
    return 0;
}

/* Braess' network: three paths, six travellers; the time of travel is the free unknown.  Links 1
 * and 4 take 10 f, 2 and 3 50 + f, the fifth 10 + f. */
static const double path_time[3][3] = {{11, 0, 10}, {0, 11, 10}, {10, 10, 21}};
static const double path_fixed[3] = {50, 50, 10};

static int braess(void *ctx, double *F, const double *x)
{
    (void)ctx;
    for (int i = 0; i < 3; i++) {
        F[i] = path_fixed[i] - x[3];
        for (int j = 0; j < 3; j++)
            F[i] += path_time[i][j] * x[j];
    }
    F[3] = x[0] + x[1] + x[2] - 6;
    return 0;
}

static int braess_jacobian(void *ctx, double *J, const double *x)
{
    (void)ctx;
    (void)x;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            J[i + 4 * j] = path_time[i][j];
        J[i + 12] = -1;
        J[3 + 4 * i] = 1;
    }
    J[15] = 0;
    return 0;
}

/* Rows between two bounds, one of width 0, under a cubic. */
static int cubic(void *ctx, double *F, const double *x)
{
    (void)ctx;
    F[0] = x[0] * x[0] * x[0] + x[1] - 9;
    F[1] = x[1] * x[1] * x[1] - x[0] + x[2];
    F[2] = exp(x[2]) + x[1] - 0.5;
    F[3] = 2 * x[3] + x[0] - 40;
    return 0;
}

static int cubic_jacobian(void *ctx, double *J, const double *x)
{
    (void)ctx;
    memset(J, 0, 16 * sizeof *J);
    J[0] = 3 * x[0] * x[0];
    J[0 + 4] = 1;
    J[1] = -1;
    J[1 + 4] = 3 * x[1] * x[1];
    J[1 + 8] = 1;
    J[2 + 4] = 1;
    J[2 + 8] = exp(x[2]);
    J[3] = 1;
    J[3 + 12] = 2;
    return 0;
}

#define ROOT 1.2247448713915890491 /* sqrt(6) / 2 */
#define INF INFINITY

const classical_ncp classical_ncps[CLASSICAL_COUNT] = {
    {"josephy",
     4,
     josephy,
     josephy_jacobian,
     {0, 0, 0, 0},
     {INF, INF, INF, INF},
     {{0, 0, 0, 0}, {1, 1, 1, 1}, {100, 100, 100, 100}},
     1,
     {{ROOT, 0, 0, 0.5}}},
    {"kojima-shindo",
     4,
     kojima,
     kojima_jacobian,
     {0, 0, 0, 0},
     {INF, INF, INF, INF},
     {{0, 0, 0, 0}, {1, 1, 1, 1}, {10, 10, 10, 10}},
     2,
     {{ROOT, 0, 0, 0.5}, {1, 0, 3, 0}}},
    {"mathiesen",
     4,
     mathiesen,
     mathiesen_jacobian,
     {0, 0, 0, 0},
     {INF, INF, INF, INF},
     {{0, 0, 0, 0}, {1, 1, 1, 1}, {3, 2, 1, 1}},
     0,
     {{0}}},
    {"hs34",
     5,
     hs34,
     hs34_jacobian,
     {0, 0, 0, 0, 0},
     {100, 100, 10, INF, INF},
     {{0, 1, 3, 0, 0}, {1, 2, 5, 1, 1}, {0.5, 2, 9, 0, 0}},
     1,
     {{0.83403244524795594, 2.3025850929940457, 10, 0.43429448190325176, 0.043429448190325176}}},
    {"nash-cournot",
     5,
     cournot,
     cournot_jacobian,
     {0.01, 0.01, 0.01, 0.01, 0.01},
     {INF, INF, INF, INF, INF},
     {{10, 10, 10, 10, 10}, {1, 1, 1, 1, 1}, {50, 50, 50, 50, 50}},
     0,
     {{36.9325, 41.8181, 43.7066, 42.6592, 39.1790}}},
    {"braess",
     4,
     braess,
     braess_jacobian,
     {0, 0, 0, -INF},
     {INF, INF, INF, INF},
     {{0, 0, 0, 0}, {6, 0, 0, 0}, {100, 0, 50, -7}},
     1,
     {{2, 2, 2, 92}}},
    {"cubic",
     4,
     cubic,
     cubic_jacobian,
     {-1, -1, -5, 3},
     {1.5, INF, 5, 3},
     {{0, 0, 0, 0}, {1, 1, 1, 1}, {-9, 9, -9, 9}},
     0,
     {{0}}},
};
