/* SPDX-License-Identifier: BSD-3-Clause */
/* One block of ROLLING, rows N, T, R (3), N, T1, T2, S (4; S is the R of below),
 * N, T1, T2, R1, R2 (5) or N, T1, T2, S, R1, R2 (6):
 *
 *     w = A z + b,   -(w + s(w)) in N_K(z),   s = (mu |w_T| + mu_r |w_R| + mu_s |w_S|) e_N.
 *
 * Tried first, in the units of the caller: the modes of the disks, from those of the guess
 * (rolling_modes.c).  Everything below works in the unit of the block: z_R / l, l w_R, mu_r / l, and S as R, in
 * which sliding and rolling are of one size.
 *
 * 1. b_N >= 0: z = 0, because b + s(b) is in K* then and only then.
 * 2. mu_r = 0 leaves a Coulomb contact in N, T and mu = 0 one in N, R: contact2,
 *    hybrid.  Six rows, one of the three 0: the block of the other two.  Three rows: the nine
 *    linear systems of sticking, sliding and rolling.
 * 3. Sticking and not rolling, z = -A^-1 b; then Newton on the equations of
 *    reform/reform_rolling.h from the guess, damped.
 * 4. Faces, four rows: S at rest is eliminated, S in motion is +-mu_s times z_N, and each
 *    of the three leaves a contact in N and T.
 *    Five rows: with one of the two parts at rest, that part is eliminated and leaves
 *    the slip equation of a contact (slip.h); with both in motion that equation,
 *    for rolling, is solved along the angle of sliding, and every pair of angles
 *    starts a Newton iteration.
 *    Six rows: S as with four rows; each of the three leaves a block of five for the parts 3
 *    and 4: first its answer, then, as it may have several, each of its points in six rows.
 * 5. The shift: with s a number, z(s) solves a convex problem, and
 *    g(s) = mu |w_T(z(s))| + mu_r |w_R(z(s))| - s is continuous for a positive
 *    definite A (symmetric or not), g(0) >= 0 and g < 0 at mu |b_T| + mu_r |b_R| - b_N,
 *    where z = 0.  So a root exists, and bracketing finds it: where A is positive
 *    definite no block is without an answer.
 * The point of least error (as perp_convex_error(), with s) is kept through 3 to 5. */
#ifndef PERP_LOCAL_LOCAL_ROLLING_H
#define PERP_LOCAL_LOCAL_ROLLING_H

#include "problem/blocks.h"
#include "sets/rolling.h"

enum { PERP_ROLL_ENTRIES = PERP_ROLLING_ROWS * PERP_ROLLING_ROWS };

typedef struct perp_roll {
    int dim;
    double A[PERP_ROLL_ENTRIES], b[PERP_ROLLING_ROWS]; /* dim x dim column-major */
    double par[PERP_PARAMETERS];
    double norm;   /* sqrt(|A|_1 |A|_inf), positive */
    double rho[2]; /* steps of the equations */
    /* Five rows that are left of six, where z_S = -(lift.z + lift[5]); whole: those six, if points
     * are judged there. */
    double lift[6];
    struct perp_roll *whole;
    /* The best point so far. */
    double z[PERP_ROLLING_ROWS], error;
} perp_roll;

/* z: guess and answer, in the caller's units.  PERP_SOLVED when the error is at most
 * 1e-13, else the best point found and PERP_INFEASIBLE (shown by the signs of the
 * normal row) or PERP_STALLED. */
perp_status perp_local_rolling(double *z, const perp_block *block, const double *A,
                               const double *b);

/* 1: solved by modes near those of the guess, and written to z; else z is as it was. */
int perp_roll_modes(double *z, const perp_block *block, const double *A, const double *b);
/* Keeps z when it is better.  Returns its error. */
double perp_roll_consider(perp_roll *roll, const double *z);
/* Damped Newton from z; keeps where it ends. */
void perp_roll_newton(perp_roll *roll, const double *z);
/* z of the six rows from that of the five; 0: not finite. */
int perp_roll_lift(double *z, const perp_roll *five, const double *from);
/* norm and rho from A. */
void perp_roll_measure(perp_roll *roll);
/* Parts 3 and 4, from the guess. */
void perp_roll_search(perp_roll *roll, const double *guess);
/* Part 4. */
void perp_roll_faces(perp_roll *roll);
/* Part 5. */
void perp_roll_shift(perp_roll *roll);

#endif
