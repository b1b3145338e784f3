/* SPDX-License-Identifier: BSD-3-Clause */
/* Four contacts of three rows with friction at once, lane by lane: open, stick, and slip by Newton
 * on the angle from the guess, the steps of perp_local_hybrid() without its searches.  A is
 * symmetric. Lanes do not mix, so that their bits do not depend on the width of the machine's
 * vectors. */
#ifndef PERP_LOCAL_FOUR_CONTACTS_H
#define PERP_LOCAL_FOUR_CONTACTS_H

#include <math.h>
#include <stdint.h>

#include "local/slip.h"

typedef double perp_four __attribute__((vector_size(32)));
typedef long long perp_four_mask __attribute__((vector_size(32)));

/* Entries 00, 01, 02, 11, 12, 22 of symmetric blocks. */
enum { PERP_FOUR_BLOCK = 6 };

/* No function takes or returns a vector by value: how it would depends on the machine that a clone
 * is for. */
#define PERP_FOUR_INLINE static inline __attribute__((always_inline))
#define PERP_FOUR_ALL(x) ((perp_four){(x), (x), (x), (x)})
#define PERP_FOUR_SELECT(m, a, b)                                                                  \
    ((perp_four)(((perp_four_mask)(a) & (m)) | ((perp_four_mask)(b) & ~(m))))
#define PERP_FOUR_ABS(x)                                                                           \
    ((perp_four)((perp_four_mask)(x) &                                                             \
                 (perp_four_mask){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}))

PERP_FOUR_INLINE int perp_four_any(const perp_four_mask *m)
{
    return ((*m)[0] | (*m)[1] | (*m)[2] | (*m)[3]) != 0;
}

/* y = 1 / sqrt(x) in the lanes of m, 1 in the others. */
PERP_FOUR_INLINE void perp_four_rsqrt(perp_four *y, const perp_four_mask *m, const perp_four *x)
{
    for (int l = 0; l < 4; l++)
        (*y)[l] = (*m)[l] ? 1.0 / sqrt((*x)[l]) : 1.0;
}

/* y = A x */
PERP_FOUR_INLINE void perp_four_multiply(perp_four y[3], const perp_four *A, const perp_four x[3])
{
    y[0] = A[0] * x[0] + (A[1] * x[1] + A[2] * x[2]);
    y[1] = A[1] * x[0] + (A[3] * x[1] + A[4] * x[2]);
    y[2] = A[2] * x[0] + (A[4] * x[1] + A[5] * x[2]);
}

typedef struct perp_four_circle {
    perp_four p0, p1, q00, q10, q01, q11;
} perp_four_circle;

/* Where Newton's method begins: the direction of a guess that slid, else that of -p. */
PERP_FOUR_INLINE void perp_four_start(perp_four c[2], const perp_four r[3],
                                      const perp_four_circle *e, const perp_four *mu,
                                      const perp_four_mask *active)
{
    const perp_four force = *mu * r[0], inverse = 1.0 / force;
    const perp_four c0 = r[1] * inverse, c1 = r[2] * inverse, square = c0 * c0 + c1 * c1;
    const perp_four_mask unit = PERP_FOUR_ABS(square - 1.0) < 1e-8;
    const perp_four near = 1.5 - 0.5 * square;
    c[0] = c0 * near;
    c[1] = c1 * near;
    const perp_four_mask other = *active & ~unit;
    if (!perp_four_any(&other))
        return;
    const perp_four_mask slid = (square > 0.25) & (square < HUGE_VAL);
    const perp_four d0 = PERP_FOUR_SELECT(slid, c0, -e->p0),
                    d1 = PERP_FOUR_SELECT(slid, c1, -e->p1);
    const perp_four length = d0 * d0 + d1 * d1;
    const perp_four_mask there = length > 0.0, rooted = there & ~unit;
    perp_four scale;
    perp_four_rsqrt(&scale, &rooted, &length);
    const perp_four zero = PERP_FOUR_ALL(0.0), one = PERP_FOUR_ALL(1.0);
    c[0] = PERP_FOUR_SELECT(unit, c[0], PERP_FOUR_SELECT(there, d0 * scale, one));
    c[1] = PERP_FOUR_SELECT(unit, c[1], PERP_FOUR_SELECT(there, d1 * scale, zero));
}

/* perp_circle_newton() in the lanes of *active, of which those that converged stay. */
PERP_FOUR_INLINE void perp_four_newton(perp_four c[2], const perp_four_circle *e,
                                       perp_four_mask *active)
{
    const perp_four size = PERP_FOUR_ABS(e->p0) + PERP_FOUR_ABS(e->p1) +
                           (PERP_FOUR_ABS(e->q00) + PERP_FOUR_ABS(e->q10)) +
                           (PERP_FOUR_ABS(e->q01) + PERP_FOUR_ABS(e->q11));
    const perp_four zero = 1e-16 * size, far = PERP_FOUR_ALL(0.7);
    perp_four_mask open = *active, done = {0};
    perp_four c0 = c[0], c1 = c[1];
    for (int k = 0; k < 16 && perp_four_any(&open); k++) {
        const perp_four v0 = e->p0 + (e->q00 * c0 + e->q01 * c1);
        const perp_four v1 = e->p1 + (e->q10 * c0 + e->q11 * c1);
        const perp_four f = v0 * c1 - v1 * c0;
        const perp_four slope = (v0 * c0 + v1 * c1) - ((e->q00 * c1 - e->q10 * c0) * c1 +
                                                       (e->q11 * c0 - e->q01 * c1) * c0);
        const perp_four_mask there = open & (PERP_FOUR_ABS(f) <= zero);
        done |= there;
        open &= ~there;
        perp_four step = -f / slope;
        const perp_four_mask good = (slope < 0.0) & (PERP_FOUR_ABS(step) <= far);
        step = PERP_FOUR_SELECT(good, step, PERP_FOUR_SELECT(f < 0.0, -far, far));
        const perp_four d0 = c0 - step * c1, d1 = c1 + step * c0, square = d0 * d0 + d1 * d1;
        const perp_four_mask wide = open & ~(square < 1.0 + 1e-4);
        perp_four scale = 1.5 - 0.5 * square;
        if (perp_four_any(&wide)) {
            perp_four rooted;
            perp_four_rsqrt(&rooted, &wide, &square);
            scale = PERP_FOUR_SELECT(wide, rooted, scale);
        }
        c0 = PERP_FOUR_SELECT(open, scale * d0, c0);
        c1 = PERP_FOUR_SELECT(open, scale * d1, c1);
        const perp_four_mask ends = open & (PERP_FOUR_ABS(step) < 3e-8);
        done |= ends;
        open &= ~ends;
    }
    c[0] = c0;
    c[1] = c1;
    *active = done;
}

/* A Newton step of (x_N, c) on u_N = 0, u_T x c = 0, in the lanes of *active;
 * those stay where it is one of rounding. */
PERP_FOUR_INLINE void perp_four_polish(perp_four x[3], perp_four c[2], const perp_four *A,
                                       const perp_four u[3], const perp_four *friction,
                                       perp_four_mask *active)
{
    const perp_four mu = *friction;
    const perp_four m0 = mu * c[0], m1 = mu * c[1];
    const perp_four g0 = A[0] + m0 * A[1] + m1 * A[2], g1 = A[1] + m0 * A[3] + m1 * A[4];
    const perp_four g2 = A[2] + m0 * A[4] + m1 * A[5];
    const perp_four h0 = A[2] * x[1] - A[1] * x[2], h1 = A[4] * x[1] - A[3] * x[2];
    const perp_four h2 = A[5] * x[1] - A[4] * x[2];
    const perp_four e = g2 * c[0] - g1 * c[1];
    const perp_four f = h2 * c[0] - h1 * c[1] - (u[1] * c[0] + u[2] * c[1]);
    const perp_four cross = u[2] * c[0] - u[1] * c[1], inverse = 1.0 / (g0 * f - h0 * e);
    const perp_four change = (h0 * cross - f * u[0]) * inverse;
    const perp_four turn = (e * u[0] - g0 * cross) * inverse;
    const perp_four_mask small =
        *active & (PERP_FOUR_ABS(turn) < 1e-5) & (PERP_FOUR_ABS(change) < 0.5 * x[0]);
    const perp_four d0 = c[0] - turn * c[1], d1 = c[1] + turn * c[0];
    const perp_four scale = 1.5 - 0.5 * (d0 * d0 + d1 * d1);
    c[0] = PERP_FOUR_SELECT(small, scale * d0, c[0]);
    c[1] = PERP_FOUR_SELECT(small, scale * d1, c[1]);
    x[0] = PERP_FOUR_SELECT(small, x[0] + change, x[0]);
    x[1] = mu * x[0] * c[0];
    x[2] = mu * x[0] * c[1];
    *active = small;
}

/* Slip in the lanes of *active, x from the guess r; those that are solved stay. */
PERP_FOUR_INLINE void perp_four_slip(perp_four x[3], const perp_four r[3], const perp_four *A,
                                     const perp_four *norm, const perp_four b[3],
                                     const perp_four *size, const perp_four *friction,
                                     perp_four_mask *active)
{
    const perp_four mu = *friction;
    const perp_four n = -mu * b[0], s = mu * b[1], t = mu * b[2];
    const perp_four_circle e = {.p0 = A[0] * b[1] - b[0] * A[1],
                                .p1 = A[0] * b[2] - b[0] * A[2],
                                .q00 = s * A[1] + n * A[3],
                                .q10 = t * A[1] + n * A[4],
                                .q01 = s * A[2] + n * A[4],
                                .q11 = t * A[2] + n * A[5]};
    perp_four c[2], u[3];
    perp_four_mask done = {0}, open = *active;
    perp_four_start(c, r, &e, &mu, &open);
    perp_four_newton(c, &e, &open);
    const perp_four den = A[0] + mu * (A[1] * c[0] + A[2] * c[1]);
    open &= den > 0.0;
    x[0] = -b[0] / den;
    x[1] = mu * x[0] * c[0];
    x[2] = mu * x[0] * c[1];
    for (int k = 0; k < 3 && perp_four_any(&open); k++) {
        perp_four_multiply(u, A, x);
        for (int i = 0; i < 3; i++)
            u[i] += b[i];
        const perp_four load = *norm * x[0];
        const perp_four small = PERP_LOCAL_ACCEPT * PERP_FOUR_SELECT(load > *size, load, *size);
        open &= u[1] * c[0] + u[2] * c[1] <= small;
        const perp_four_mask exact =
            (PERP_FOUR_ABS(u[0]) <= small) & (PERP_FOUR_ABS(u[1] * c[1] - u[2] * c[0]) <= small);
        done |= open & exact;
        open &= ~exact;
        if (k < 2 && perp_four_any(&open)) {
            perp_four y[3] = {x[0], x[1], x[2]};
            perp_four_polish(y, c, A, u, &mu, &open);
            for (int i = 0; i < 3; i++)
                x[i] = PERP_FOUR_SELECT(open, y[i], x[i]);
        }
    }
    *active = done;
}

/* A and its inverse V as above, norm |A|_2.  r: guesses on entry, answers in the lanes of *solved;
 * the others are left to perp_local_hybrid(). */
PERP_FOUR_INLINE void perp_four_contacts(perp_four r[3], perp_four_mask *solved, const perp_four *A,
                                         const perp_four *V, const perp_four *norm,
                                         const perp_four b[3], const perp_four *friction)
{
    const perp_four mu = *friction;
    const perp_four size = PERP_FOUR_ABS(b[0]) + PERP_FOUR_ABS(b[1]) + PERP_FOUR_ABS(b[2]);
    const perp_four zero = PERP_FOUR_ALL(0.0);
    const perp_four_mask open = b[0] >= 0.0;
    perp_four x[3], e[3], y[3];
    perp_four_multiply(x, V, b);
    for (int i = 0; i < 3; i++)
        x[i] = -x[i];
    perp_four_multiply(e, A, x);
    for (int i = 0; i < 3; i++)
        e[i] += b[i];
    const perp_four load = *norm * x[0], limit = mu * x[0];
    const perp_four small = PERP_LOCAL_ACCEPT * PERP_FOUR_SELECT(load > size, load, size);
    const perp_four_mask in = ~open & (x[0] >= 0.0) & (x[1] * x[1] + x[2] * x[2] <= limit * limit);
    perp_four_mask done =
        in & (PERP_FOUR_ABS(e[0]) + PERP_FOUR_ABS(e[1]) + PERP_FOUR_ABS(e[2]) <= small);
    perp_four_mask slips = ~open & ~in & (mu > 0.0);
    if (perp_four_any(&slips)) {
        perp_four_slip(y, r, A, norm, b, &size, &mu, &slips);
        for (int i = 0; i < 3; i++)
            x[i] = PERP_FOUR_SELECT(slips, y[i], x[i]);
        done |= slips;
    }
    for (int i = 0; i < 3; i++)
        r[i] = PERP_FOUR_SELECT(open, zero, PERP_FOUR_SELECT(done, x[i], r[i]));
    *solved = done | open;
}

#endif
