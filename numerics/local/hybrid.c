/* SPDX-License-Identifier: BSD-3-Clause */
#include "local/slip.h"

/* Everything else, when neither stick nor the Newton iteration gave an answer. */
static perp_status search(double r[3], const double A[9], const perp_local_prep *prep,
                          const double b[3], double mu)
{
    const perp_contact contact = {.A = A, .b = b, .norm = prep->norm, .mu = mu};
    const perp_circle circle = perp_slip_circle(A, b, mu);
    perp_candidate best = {.error = HUGE_VAL};
    double c[24];
    for (int stage = 0; stage < 2 && best.error > PERP_LOCAL_SOLVED; stage++) {
        const int count =
            stage == 0 ? perp_circle_roots(c, &circle) : perp_circle_bracket(c, &circle);
        for (int k = 0; k < count && best.error > PERP_LOCAL_ACCEPT; k++)
            perp_contact_consider_slip(&best, &contact, c + 2 * k);
        if (stage == 0 && best.error > PERP_LOCAL_ACCEPT)
            perp_contact_consider_stick(&best, &contact);
    }
    if (best.error <= PERP_LOCAL_SOLVED)
        return perp_contact_finish(r, &best, 1);
    (void)perp_contact_consider(&best, &contact, r);
    (void)perp_contact_consider(&best, &contact, (const double[3]){0.0, 0.0, 0.0});
    /* Two complete searches saw nothing near: iterating would only cost time. */
    const int tries = best.error > PERP_LOCAL_NEAR ? 0 : 2;
    for (int k = 0; k < tries && best.error > PERP_LOCAL_SOLVED; k++) {
        double x[3] = {best.r[0], best.r[1], best.r[2]};
        (void)(k == 0 ? perp_local_newton(x, A, prep, b, mu)
                      : perp_local_projection(x, A, prep, b, mu));
        (void)perp_contact_consider(&best, &contact, x);
    }
    return perp_contact_finish(r, &best, 1);
}

/* The direction of the guess where it slid, else -v of no sliding force. */
static inline void start(double c[2], const double r[3], const perp_circle *e, double mu)
{
    const double force = mu * r[0], inverse = 1.0 / force;
    const double c0 = r[1] * inverse, c1 = r[2] * inverse, square = c0 * c0 + c1 * c1;
    /* A sliding guess is a unit vector but for rounding: no square root. */
    if (fabs(square - 1.0) < 1e-8) {
        c[0] = c0 * (1.5 - 0.5 * square);
        c[1] = c1 * (1.5 - 0.5 * square);
        return;
    }
    const int slid = square > 0.25 && isfinite(square);
    const double d0 = slid ? c0 : -e->p0, d1 = slid ? c1 : -e->p1;
    const double length = sqrt(d0 * d0 + d1 * d1);
    c[0] = length > 0.0 ? d0 / length : 1.0;
    c[1] = length > 0.0 ? d1 / length : 0.0;
}

/* The slip solution near the guess.  1: accurate, and written to r. */
static int slip(double r[3], const double A[9], double norm, const double b[3], double mu)
{
    const perp_circle circle = perp_slip_circle(A, b, mu);
    double c[2];
    start(c, r, &circle, mu);
    if (!perp_circle_newton(&circle, c))
        return 0;
    const double den = A[0] + mu * (A[3] * c[0] + A[6] * c[1]);
    if (!(den > 0.0))
        return 0;
    const double normal = -b[0] / den;
    double x[3] = {normal, mu * normal * c[0], mu * normal * c[1]};
    const double size = fabs(b[0]) + fabs(b[1]) + fabs(b[2]);
    for (int k = 0; k < 3; k++) {
        const double u0 = b[0] + (A[0] * x[0] + (A[3] * x[1] + A[6] * x[2]));
        const double u1 = b[1] + (A[1] * x[0] + (A[4] * x[1] + A[7] * x[2]));
        const double u2 = b[2] + (A[2] * x[0] + (A[5] * x[1] + A[8] * x[2]));
        const double small = PERP_LOCAL_ACCEPT * fmax(size, norm * x[0]);
        if (u1 * c[0] + u2 * c[1] > small)
            return 0;
        if (fabs(u0) <= small && fabs(u1 * c[1] - u2 * c[0]) <= small) {
            r[0] = x[0];
            r[1] = x[1];
            r[2] = x[2];
            return 1;
        }
        perp_slip_polish(x, c, A, b, mu);
    }
    return 0;
}

perp_status perp_local_hybrid(double r[3], const double A[9], const perp_local_prep *prep,
                              const double b[3], double mu)
{
    if (b[0] >= 0.0) {
        r[0] = r[1] = r[2] = 0.0;
        return PERP_SOLVED;
    }
    if (perp_contact_stick(r, A, prep, b, mu))
        return PERP_SOLVED;
    if (mu > 0.0 && slip(r, A, prep->norm, b, mu))
        return PERP_SOLVED;
    perp_status status;
    if (perp_contact_trivial(r, A, b, mu, &status))
        return status;
    return search(r, A, prep, b, mu);
}
