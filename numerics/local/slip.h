/* SPDX-License-Identifier: BSD-3-Clause */
/* The slip equation of one contact of three rows, and the search for its roots.
 *
 * A sliding contact with b_N < 0 has r = r_N (1, mu c) with a unit vector c,
 * u_N = 0, so r_N = -b_N / den, den = A_NN + mu A_NT.c, and u_T = -lambda c.
 * Multiplied by den > 0 the tangential rows are
 *
 *     den u_T = p + Q c,   p = A_NN b_T - b_N A_TN,   Q = mu (b_T A_NT' - b_N A_TT),
 *
 * so the slip solutions are the unit c with (p + Q c) x c = 0, (p + Q c).c <= 0
 * and den > 0: the quartic of [SDN] chapter 15 without its diagonalisation. */
#ifndef PERP_LOCAL_SLIP_H
#define PERP_LOCAL_SLIP_H

#include <math.h>

#include "local/local.h"

/* Scaled natural map that is accepted at once, and at the end. */
#define PERP_LOCAL_ACCEPT 4e-15
#define PERP_LOCAL_SOLVED 1e-13
/* A complete search that ends above this has shown that nothing solves. */
#define PERP_LOCAL_NOTHING 1e-7
/* Only from below this is it worth to go on with iterations. */
#define PERP_LOCAL_NEAR 1e-4

/* p + Q c on the unit circle; q_ij is row i, column j. */
typedef struct perp_circle {
    double p0, p1;
    double q00, q10, q01, q11;
} perp_circle;

/* One contact, as the searches pass it on. */
typedef struct perp_contact {
    const double *A, *b;
    double norm, mu;
} perp_contact;

/* The point of least scaled natural map so far. */
typedef struct perp_candidate {
    double r[3];
    double error;
} perp_candidate;

static inline perp_circle perp_slip_circle(const double A[9], const double b[3], double mu)
{
    const double n = -mu * b[0], s = mu * b[1], t = mu * b[2];
    return (perp_circle){.p0 = A[0] * b[1] - b[0] * A[1],
                         .p1 = A[0] * b[2] - b[0] * A[2],
                         .q00 = s * A[3] + n * A[4],
                         .q10 = t * A[3] + n * A[5],
                         .q01 = s * A[6] + n * A[7],
                         .q11 = t * A[6] + n * A[8]};
}

/* f = v x c and its derivative in the angle, along = v.c, for v = p + Q c. */
static inline double perp_circle_value(const perp_circle *e, double c0, double c1, double *slope,
                                       double *along)
{
    const double v0 = e->p0 + (e->q00 * c0 + e->q01 * c1);
    const double v1 = e->p1 + (e->q10 * c0 + e->q11 * c1);
    const double a = v0 * c0 + v1 * c1;
    *along = a;
    *slope = a - ((e->q00 * c1 - e->q10 * c0) * c1 + (e->q11 * c0 - e->q01 * c1) * c0);
    return v0 * c1 - v1 * c0;
}

static inline double perp_circle_size(const perp_circle *e)
{
    return fabs(e->p0) + fabs(e->p1) + (fabs(e->q00) + fabs(e->q10)) +
           (fabs(e->q01) + fabs(e->q11));
}

/* Newton on the angle from c (a unit vector).  The roots with v.c <= 0 have a
 * negative slope, at least where Q is positive, so uphill of zero c is turned
 * towards -v.  Returns 1 when converged. */
static inline int perp_circle_newton(const perp_circle *e, double c[2])
{
    const double zero = 1e-16 * perp_circle_size(e);
    double c0 = c[0], c1 = c[1];
    int done = 0;
    for (int k = 0; k < 16 && !done; k++) {
        double slope, along;
        const double f = perp_circle_value(e, c0, c1, &slope, &along);
        if (fabs(f) <= zero) {
            done = 1;
            break;
        }
        double step = -f / slope;
        if (!(slope < 0.0) || fabs(step) > 0.7)
            step = copysign(0.7, f);
        done = fabs(step) < 3e-8;
        const double d0 = c0 - step * c1, d1 = c1 + step * c0;
        const double square = d0 * d0 + d1 * d1;
        const double scale = square < 1.0 + 1e-4 ? 1.5 - 0.5 * square : 1.0 / sqrt(square);
        c0 = scale * d0;
        c1 = scale * d1;
    }
    c[0] = c0;
    c[1] = c1;
    return done;
}

/* Up to 12 unit vectors (pairs in c) that hold every real root of v x c = 0
 * and its near misses: from the quartic in tan(theta/2), and from samples with
 * bisection.  Return the number. */
int perp_circle_roots(double c[24], const perp_circle *e);
int perp_circle_bracket(double c[24], const perp_circle *e);

/* |A| |r - P_K(r - (u + s)/|A|)| / max(|b|, |A| |r|, |u|): the scaled measure. */
double perp_contact_error(const perp_contact *contact, const double r[3]);
/* Keeps r when it is better.  Returns its error. */
double perp_contact_consider(perp_candidate *best, const perp_contact *contact, const double r[3]);
/* Keeps the slip solution with direction c, polished on the raw rows, when it is better. */
void perp_contact_consider_slip(perp_candidate *best, const perp_contact *contact,
                                const double c[2]);
/* Keeps a sticking point of a singular or nearly singular block. */
void perp_contact_consider_stick(perp_candidate *best, const perp_contact *contact);
/* One Newton step of (r_N, c) on u_N = 0, u_T x c = 0.  r is r_N (1, mu c). */
void perp_slip_polish(double r[3], double c[2], const double A[9], const double b[3], double mu);
/* Open, frictionless and never loaded contacts, and r = guess otherwise.
 * 1: r and *status are final. */
int perp_contact_trivial(double r[3], const double A[9], const double b[3], double mu,
                         perp_status *status);
/* -A^-1 b, refined once where needed.  1: in K and accurate; r is written only then. */
int perp_contact_stick(double r[3], const double A[9], const perp_local_prep *prep,
                       const double b[3], double mu);
/* Copies the best point out and names it. */
perp_status perp_contact_finish(double r[3], const perp_candidate *best, int searched);

/* A = U diag(sigma) V', n = 2 or 3, by one-sided Jacobi; sigma descending. */
void perp_local_svd(double *U, double *sigma, double *V, const double *A, int n);

#endif
