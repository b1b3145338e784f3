/* SPDX-License-Identifier: BSD-3-Clause */
/* Extragradient iteration on one contact, r <- P_K(r - rho (u + s)) with the
 * step of He and Liao: rho |F(r) - F(r')| <= 0.9 |r - r'|. */
#include "local/slip.h"

/* Iterations in which the error is to fall to this part. */
enum { WINDOW = 50 };
static const double FALL = 0.9;

static void field(double F[3], const perp_contact *contact, const double r[3])
{
    const double *A = contact->A;
    for (int i = 0; i < 3; i++)
        F[i] = contact->b[i] + (A[i] * r[0] + A[3 + i] * r[1] + A[6 + i] * r[2]);
    F[0] += contact->mu * sqrt(F[1] * F[1] + F[2] * F[2]);
}

static void forward(double p[3], const double r[3], double rho, const double F[3], double mu)
{
    const double x[3] = {r[0] - rho * F[0], r[1] - rho * F[1], r[2] - rho * F[2]};
    const double t = sqrt(x[1] * x[1] + x[2] * x[2]);
    double normal = x[0], scale = 1.0;
    if (mu * t <= -x[0]) {
        normal = scale = 0.0;
    } else if (t > mu * x[0]) {
        normal = (x[0] + mu * t) / (1.0 + mu * mu);
        scale = mu * normal / t;
    }
    p[0] = normal;
    p[1] = scale * x[1];
    p[2] = scale * x[2];
}

static double distance(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

perp_status perp_local_projection(double r[3], const double A[9], const perp_local_prep *prep,
                                  const double b[3], double mu)
{
    perp_status status;
    if (perp_contact_trivial(r, A, b, mu, &status))
        return status;
    const perp_contact contact = {.A = A, .b = b, .norm = prep->norm, .mu = mu};
    perp_candidate best = {.error = HUGE_VAL};
    double x[3] = {r[0], r[1], r[2]}, y[3], F[3], G[3], rho = 1.0 / prep->norm;
    double before = perp_contact_consider(&best, &contact, x);
    for (int k = 1; k <= 500 && best.error > PERP_LOCAL_ACCEPT; k++) {
        double ratio = 0.0;
        field(F, &contact, x);
        for (int shrink = 0; shrink < 60; shrink++) {
            forward(y, x, rho, F, mu);
            field(G, &contact, y);
            const double moved = distance(x, y);
            ratio = moved > 0.0 ? rho * distance(F, G) / moved : 0.0;
            if (!(ratio > 0.9))
                break;
            rho *= 2.0 / 3.0 * fmin(1.0, 1.0 / ratio);
        }
        forward(x, x, rho, G, mu);
        if (ratio < 0.3)
            rho *= 1.5;
        (void)perp_contact_consider(&best, &contact, x);
        if (k % WINDOW > 0)
            continue;
        if (best.error > FALL * before)
            break;
        before = best.error;
    }
    return perp_contact_finish(r, &best, 0);
}
