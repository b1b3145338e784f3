/* SPDX-License-Identifier: BSD-3-Clause */
#include "local/slip.h"

#include <float.h>

static void multiply(double u[3], const double A[9], const double r[3], const double b[3])
{
    for (int i = 0; i < 3; i++)
        u[i] = A[i] * r[0] + A[3 + i] * r[1] + A[6 + i] * r[2] + b[i];
}

static double length(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

double perp_contact_error(const perp_contact *contact, const double r[3])
{
    const double mu = contact->mu, norm = contact->norm > 0.0 ? contact->norm : 1.0;
    double u[3], x[3], p[3] = {0.0, 0.0, 0.0};
    multiply(u, contact->A, r, contact->b);
    x[0] = r[0] - (u[0] + mu * sqrt(u[1] * u[1] + u[2] * u[2])) / norm;
    x[1] = r[1] - u[1] / norm;
    x[2] = r[2] - u[2] / norm;
    const double t = sqrt(x[1] * x[1] + x[2] * x[2]);
    if (t <= mu * x[0]) {
        p[0] = x[0];
        p[1] = x[1];
        p[2] = x[2];
    } else if (mu * t > -x[0]) {
        p[0] = (x[0] + mu * t) / (1.0 + mu * mu);
        p[1] = t > 0.0 ? mu * p[0] * x[1] / t : 0.0;
        p[2] = t > 0.0 ? mu * p[0] * x[2] / t : 0.0;
    }
    const double d[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
    const double scale = fmax(fmax(length(contact->b), norm * length(r)), length(u));
    return scale > 0.0 ? norm * length(d) / scale : 0.0;
}

double perp_contact_consider(perp_candidate *best, const perp_contact *contact, const double r[3])
{
    const double error = perp_contact_error(contact, r);
    if (error < best->error) {
        best->error = error;
        best->r[0] = r[0];
        best->r[1] = r[1];
        best->r[2] = r[2];
    }
    return error;
}

void perp_slip_polish(double r[3], double c[2], const double A[9], const double b[3], double mu)
{
    double u[3];
    multiply(u, A, r, b);
    /* Unknowns: the change of r_N, and the angle by which c turns. */
    const double m0 = mu * c[0], m1 = mu * c[1];
    const double g0 = A[0] + m0 * A[3] + m1 * A[6];
    const double g1 = A[1] + m0 * A[4] + m1 * A[7];
    const double g2 = A[2] + m0 * A[5] + m1 * A[8];
    const double t0 = -r[2], t1 = r[1];
    const double h0 = A[3] * t0 + A[6] * t1;
    const double h1 = A[4] * t0 + A[7] * t1, h2 = A[5] * t0 + A[8] * t1;
    const double along = u[1] * c[0] + u[2] * c[1];
    const double a = g0, d = h0, e = g2 * c[0] - g1 * c[1];
    const double f = h2 * c[0] - h1 * c[1] - along;
    const double cross = u[2] * c[0] - u[1] * c[1];
    const double det = a * f - d * e;
    const double change = -(f * u[0] - d * cross) / det, turn = -(a * cross - e * u[0]) / det;
    if (!(fabs(turn) < 0.1) || !(fabs(change) < 0.5 * r[0]))
        return;
    double c0 = c[0] - turn * c[1], c1 = c[1] + turn * c[0];
    const double scale = 1.0 / sqrt(c0 * c0 + c1 * c1);
    c[0] = c0 * scale;
    c[1] = c1 * scale;
    r[0] += change;
    r[1] = mu * r[0] * c[0];
    r[2] = mu * r[0] * c[1];
}

void perp_contact_consider_slip(perp_candidate *best, const perp_contact *contact,
                                const double c_in[2])
{
    const double *A = contact->A, mu = contact->mu;
    double c[2] = {c_in[0], c_in[1]};
    const double den = A[0] + mu * (A[3] * c[0] + A[6] * c[1]);
    if (!(den > 0.0))
        return;
    const double normal = -contact->b[0] / den;
    double r[3] = {normal, mu * normal * c[0], mu * normal * c[1]};
    for (int k = 0; k < 4; k++) {
        const double error = perp_contact_consider(best, contact, r);
        if (!(error <= PERP_LOCAL_NEAR) || best->error <= PERP_LOCAL_ACCEPT)
            return;
        perp_slip_polish(r, c, A, contact->b, mu);
    }
    (void)perp_contact_consider(best, contact, r);
}

int perp_contact_trivial(double r[3], const double A[9], const double b[3], double mu,
                         perp_status *status)
{
    if (b[0] >= 0.0) {
        r[0] = r[1] = r[2] = 0.0;
        *status = PERP_SOLVED;
        return 1;
    }
    if (mu > 0.0 && A[0] > 0.0)
        return 0;
    const double reach = A[0] + mu * sqrt(A[3] * A[3] + A[6] * A[6]);
    if (reach > 0.0 && mu > 0.0)
        return 0;
    /* With mu = 0 the answer, else u_N = b_N + A_N r < 0 for every r in K. */
    *status = reach > 0.0 ? PERP_SOLVED : PERP_INFEASIBLE;
    r[0] = reach > 0.0 ? -b[0] / A[0] : 0.0;
    r[1] = r[2] = 0.0;
    return 1;
}

perp_status perp_contact_finish(double r[3], const perp_candidate *best, int searched)
{
    for (int i = 0; i < 3 && best->error < DBL_MAX; i++)
        r[i] = best->r[i];
    if (best->error <= PERP_LOCAL_SOLVED)
        return PERP_SOLVED;
    return searched && best->error > PERP_LOCAL_NOTHING ? PERP_INFEASIBLE : PERP_STALLED;
}
