/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometric stiffness of relations by callbacks, by central differences of their Jacobian. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/relations/discrete_gradient.h"

/* The states half way with velocity coordinate j of one system moved by `step`, in link->X. */
static void moved_states(perp_link *link, int k, int at, int j, double step)
{
    const perp_system *s = link->systems[k];
    double *x = link->X + at, unit[6] = {0.0};
    (void)perp_link_gather_x(link, PERP_GUESS);
    if (s->kind == PERP_SYSTEM_BODY) {
        unit[j] = 1.0;
        perp_system_move(x, s, s->q[PERP_GUESS], unit, step);
    } else {
        x[j] += step;
    }
}

/* column -= scale H' lambda. */
static void subtract_input(double *column, const perp_link *link, const double *lambda,
                           double scale)
{
    for (int i = 0; i < link->nv; i++)
        for (int r = 0; r < link->rows; r++)
            column[i] -= scale * link->H[r + i * link->rows] * lambda[r];
}

int perp_smooth_stiffness(double *K, perp_link *link, double t, const double *lambda)
{
    int nv = link->nv, column = 0, at = 0;
    memset(K, 0, sizeof(double) * (size_t)nv * (size_t)nv);
    for (int k = 0; k < link->nsystems; at += link->systems[k++]->nq) {
        const perp_system *s = link->systems[k];
        for (int j = 0; j < s->nv; j++, column++) {
            double place = s->kind == PERP_SYSTEM_BODY && j >= 3 ? 1.0 : s->q[PERP_GUESS][j];
            double step = cbrt(DBL_EPSILON) * fmax(1e-3, fabs(place));
            for (int sign = -1; sign <= 1; sign += 2) {
                moved_states(link, k, at, j, sign * step);
                if (perp_link_jacobian(link->H, link, t, link->X, lambda))
                    return 0;
                subtract_input(K + (size_t)column * (size_t)nv, link, lambda, sign * 0.25 / step);
            }
        }
    }
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < j; i++)
            K[i + j * nv] = K[j + i * nv] = 0.5 * (K[i + j * nv] + K[j + i * nv]);
    return 1;
}
