/* SPDX-License-Identifier: BSD-3-Clause */
/* One-block problems:  w = A z + b,  -(w + s(w)) in N_K(z),  A dim x dim. */
#ifndef PERP_LOCAL_LOCAL_H
#define PERP_LOCAL_LOCAL_H

#include <perp/choices.h>

#include "problem/blocks.h"

/* What can be prepared once per block: inverse of A and spectral data. */
typedef struct perp_local_prep {
    double inverse[9]; /* dim <= 3, column-major; the pseudo-inverse when !invertible */
    double norm;       /* |A|_2; for dim > 3 the bound sqrt(|A|_1 |A|_inf) */
    int invertible;    /* smallest singular value above 1e-14 of the largest */
} perp_local_prep;

/* A is dim x dim, column-major. */
void perp_local_prepare(perp_local_prep *prep, const double *A, int dim);
/* The same for three rows whose |A|_2 is known. */
void perp_local_prepare_given(perp_local_prep *prep, const double A[9], double norm);

/* The contact of three rows, Coulomb friction mu.  A, column-major, need not be
 * symmetric.  r: guess on entry, answer on return.  PERP_SOLVED when the scaled
 * natural map is at most 1e-13, else the point of least natural map found and
 * PERP_INFEASIBLE (no solution exists: shown by the signs of the normal row, or
 * every root of the slip equation was tried) or PERP_STALLED.  Newton and
 * projection do not search: they stall where the others may still solve. */
perp_status perp_local_quartic(double r[3], const double A[9], const perp_local_prep *prep,
                               const double b[3], double mu);
perp_status perp_local_newton(double r[3], const double A[9], const perp_local_prep *prep,
                              const double b[3], double mu);
perp_status perp_local_projection(double r[3], const double A[9], const perp_local_prep *prep,
                                  const double b[3], double mu);
/* The default: open, stick, slip by Newton on the angle (from the guess), then all
 * roots of the quartic, sticking points of singular blocks, bracketing over the
 * angle, and near a solution Newton and projection.  About 10 ns for stick, 60 ns for
 * a slip with a good guess, 7 us where nothing solves. */
perp_status perp_local_hybrid(double r[3], const double A[9], const perp_local_prep *prep,
                              const double b[3], double mu);
/* The contact of two rows: exact enumeration of open, stick, slip, slip. */
perp_status perp_local_contact2(double r[2], const double A[4], const double b[2], double mu);

/* Any block of any set.  z: guess and answer.  prep may be NULL for sets other
 * than COULOMB 3D.  scratch: perp_local_scratch(dim) doubles, used by blocks of
 * more than 3 rows. */
perp_status perp_local_solve(double *z, const perp_block *block, const double *A,
                             const perp_local_prep *prep, const double *b, perp_local_kind kind,
                             double *scratch);
size_t perp_local_scratch(int dim);

#endif
