/* SPDX-License-Identifier: BSD-3-Clause */
/* Sticking points, u = 0: by the prepared inverse, and for rank-deficient blocks. */
#include "local/slip.h"

/* Below this fraction of the largest, a singular value leaves its direction free. */
#define PERP_LOCAL_FREE 1e-8

static double residual(double e[3], const double A[9], const double x[3], const double b[3])
{
    for (int i = 0; i < 3; i++)
        e[i] = b[i] + (A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2]);
    return fabs(e[0]) + fabs(e[1]) + fabs(e[2]);
}

int perp_contact_stick(double r[3], const double A[9], const perp_local_prep *prep,
                       const double b[3], double mu)
{
    const double *inv = prep->inverse;
    double x[3], e[3];
    for (int i = 0; i < 3; i++)
        x[i] = -(inv[i] * b[0] + inv[3 + i] * b[1] + inv[6 + i] * b[2]);
    const double square = mu * mu, size = fabs(b[0]) + fabs(b[1]) + fabs(b[2]);
    for (int k = 0;; k++) {
        if (!(x[0] >= 0.0 && x[1] * x[1] + x[2] * x[2] <= square * x[0] * x[0]))
            return 0;
        const double scale = fmax(size, prep->norm * x[0]);
        if (residual(e, A, x, b) <= PERP_LOCAL_ACCEPT * scale)
            break;
        if (k == 2)
            return 0;
        for (int i = 0; i < 3; i++)
            x[i] -= inv[i] * e[0] + inv[3 + i] * e[1] + inv[6 + i] * e[2];
    }
    for (int i = 0; i < 3; i++)
        r[i] = x[i];
    return 1;
}

static void consider_on_line(perp_candidate *best, const perp_contact *contact, const double x[3],
                             const double n[3], double t)
{
    const double r[3] = {x[0] + t * n[0], x[1] + t * n[1], x[2] + t * n[2]};
    (void)perp_contact_consider(best, contact, r);
}

/* Where the line x + t n meets the cone: a t^2 + 2 h t + k <= 0. */
static void line(perp_candidate *best, const perp_contact *contact, const double x[3],
                 const double n[3], double exact)
{
    const double m = contact->mu * contact->mu;
    const double a = n[1] * n[1] + n[2] * n[2] - m * n[0] * n[0];
    const double h = x[1] * n[1] + x[2] * n[2] - m * x[0] * n[0];
    const double k = x[1] * x[1] + x[2] * x[2] - m * x[0] * x[0];
    const double disc = sqrt(fmax(h * h - a * k, 0.0));
    const double q = -(h + copysign(disc, h));
    const double t1 = a != 0.0 ? q / a : 0.0, t2 = q != 0.0 ? k / q : 0.0;
    const double lo = fmin(t1, t2), hi = fmax(t1, t2), width = hi - lo;
    const double inside = a > 0.0 ? fmin(fmax(exact, lo), hi) : exact;
    const double t[7] = {0.5 * (lo + hi), inside, lo, hi, lo - width, hi + width, 0.0};
    for (int i = 0; i < 7 && best->error > PERP_LOCAL_ACCEPT; i++)
        consider_on_line(best, contact, x, n, t[i]);
}

/* Where the plane v.r = level meets the cone, most inside: along P_K(+-v). */
static void plane(perp_candidate *best, const perp_contact *contact, const double v[3],
                  double level)
{
    const double mu = contact->mu, sign = level < 0.0 ? -1.0 : 1.0;
    double d[3] = {sign * v[0], sign * v[1], sign * v[2]};
    const double t = sqrt(d[1] * d[1] + d[2] * d[2]);
    if (t > mu * d[0]) {
        const double normal = fmax(d[0] + mu * t, 0.0) / (1.0 + mu * mu);
        d[0] = normal;
        d[1] *= t > 0.0 ? mu * normal / t : 0.0;
        d[2] *= t > 0.0 ? mu * normal / t : 0.0;
    }
    const double dot = v[0] * d[0] + v[1] * d[1] + v[2] * d[2];
    if (dot != 0.0)
        consider_on_line(best, contact, (const double[3]){0.0, 0.0, 0.0}, d, level / dot);
}

void perp_contact_consider_stick(perp_candidate *best, const perp_contact *contact)
{
    double U[9], sigma[3], V[9], x[3] = {0.0, 0.0, 0.0}, level[3];
    perp_local_svd(U, sigma, V, contact->A, 3);
    if (!(sigma[0] > 0.0) || sigma[2] > PERP_LOCAL_FREE * sigma[0])
        return;
    for (int k = 0; k < 3; k++) {
        const double *u = U + 3 * k, *b = contact->b;
        level[k] = -(u[0] * b[0] + u[1] * b[1] + u[2] * b[2]);
        level[k] = sigma[k] > 0.0 ? level[k] / sigma[k] : 0.0;
    }
    for (int i = 0; i < 3; i++)
        x[i] = level[0] * V[i] + level[1] * V[3 + i];
    if (sigma[1] > 1e-15 * sigma[0])
        line(best, contact, x, V + 6, level[2]);
    if (sigma[1] <= PERP_LOCAL_FREE * sigma[0])
        plane(best, contact, V, level[0]);
}
