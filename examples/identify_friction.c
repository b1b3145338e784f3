/* SPDX-License-Identifier: BSD-3-Clause */
/* The coefficient of friction from a recorded slide.  A block is thrown over the ground; its velocity
 * was recorded at every step.  Gauss and Newton's method with the derivative of each step's contact
 * problem finds mu, through slip, stop and rest. */
#include <math.h>
#include <perp/numerics.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 60 };

static const double h = 0.02, gravity = 9.81, mass = 2.0;

/* Velocities (N, T1, T2) at the ends of the steps, and their derivatives by mu where d is there. */
static int slide(double mu, perp_derivative *d, double v[STEPS][3], double by_mu[STEPS][3])
{
    const double W[9] = {1 / mass, 0, 0, 0, 1 / mass, 0, 0, 0, 1 / mass}, one = 1.0;
    double q[3], dq[3] = {0, 0, 0}, r[3], now[3] = {0, 3, 1};
    perp_segment contact = {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &contact, .nseg = 1};
    perp_tangent along = {.size = sizeof along, .q = dq, .par = {&one, NULL}};
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    perp_mat_init_dense(&problem.M, 3, 3, W, 3);
    for (int k = 0; k < STEPS; k++) {
        memcpy(q, now, sizeof q);
        q[0] -= h * gravity;
        if (perp_solve(NULL, &problem, &settings, r, now, NULL) != PERP_SOLVED)
            return 0;
        memcpy(v[k], now, sizeof now);
        if (!d)
            continue;
        if (perp_derivative_factor(d, &problem, r, NULL) < 0 ||
            perp_derivative_jvp(d, 1, &along, NULL, by_mu[k], NULL) < 0)
            return 0;
        memcpy(dq, by_mu[k], sizeof dq);
    }
    return 1;
}

int main(void)
{
    static double recorded[STEPS][3], v[STEPS][3], by_mu[STEPS][3];
    perp_derivative *d;
    double mu = 0.8;
    if (perp_derivative_create(&d, NULL, NULL, NULL) != PERP_SOLVED)
        return 1;
    int good = slide(0.37, NULL, recorded, NULL);
    for (int pass = 0; good && pass < 12; pass++) {
        double slope = 0.0, square = 0.0, misfit = 0.0;
        good = slide(mu, d, v, by_mu);
        for (int k = 0; k < STEPS; k++) {
            for (int i = 0; i < 3; i++) {
                double off = v[k][i] - recorded[k][i];
                misfit += off * off;
                slope += by_mu[k][i] * off;
                square += by_mu[k][i] * by_mu[k][i];
            }
        }
        printf("mu %.12f  misfit %.1e\n", mu, sqrt(misfit));
        if (sqrt(misfit) < 1e-10 || !(square > 0.0))
            break;
        mu -= slope / square;
    }
    perp_derivative_destroy(d);
    return !(good && fabs(mu - 0.37) < 1e-9);
}
