/* SPDX-License-Identifier: BSD-3-Clause */
/* Five firms sell the same good ([MurphyEtAl1982]).  Each chooses its output z_i >= 0
 * for the highest profit, the others' given: a nonlinear complementarity problem with F_i =
 * marginal cost - marginal revenue. */
#include <math.h>
#include <stdio.h>

#include <perp/numerics.h>

enum { FIRMS = 5 };

static const double cost[FIRMS] = {10, 8, 6, 4, 2}, beta[FIRMS] = {1.2, 1.1, 1.0, 0.9, 0.8};
static const double elasticity = 1.1;

static double total(const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < FIRMS; i++)
        sum += z[i];
    return sum;
}

static int profit(void *ctx, double *F, const double *z)
{
    double Q = total(z), price = pow(5000.0 / Q, 1.0 / elasticity);
    (void)ctx;
    for (int i = 0; i < FIRMS; i++)
        F[i] = cost[i] + pow(z[i] / 5.0, 1.0 / beta[i]) - price * (1.0 - z[i] / (elasticity * Q));
    return 0;
}

static int profit_jacobian(void *ctx, double *J, const double *z)
{
    double Q = total(z), price = pow(5000.0 / Q, 1.0 / elasticity),
           slope = -price / (elasticity * Q);
    (void)ctx;
    for (int i = 0; i < FIRMS; i++) {
        for (int j = 0; j < FIRMS; j++)
            J[i + FIRMS * j] =
                -slope * (1.0 - z[i] / (elasticity * Q)) - price * z[i] / (elasticity * Q * Q);
        J[i + FIRMS * i] +=
            price / (elasticity * Q) + pow(z[i] / 5.0, 1.0 / beta[i] - 1.0) / (5.0 * beta[i]);
    }
    return 0;
}

int main(void)
{
    double z[FIRMS] = {10, 10, 10, 10, 10}, F[FIRMS], off;
    perp_segment firms = {PERP_NONNEG, 1, FIRMS, {NULL, NULL}, {0, 0}};
    perp_ncp game = {.n = FIRMS, .F = profit, .J = profit_jacobian, .seg = &firms, .nseg = 1};
    perp_ncp_info info = {.size = sizeof info};

    perp_ncp_check_jacobian(&game, z, NULL, &off, NULL, NULL);
    perp_status status = perp_ncp_solve(&game, NULL, z, F, &info);
    printf("%s after %d steps, error %.1e; derivatives are right to %.0e\n",
           perp_status_text(status), info.iterations, info.error, off);
    for (int i = 0; i < FIRMS; i++)
        printf("firm %d sells %8.4f\n", i + 1, z[i]);
    return status != PERP_SOLVED;
}
