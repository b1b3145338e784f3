/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear system of solvers/central/central_system.h to more digits than its factors have:
 * flexible GMRES ([Saad1993]) with the factors as preconditioner.  Where contacts stick the blocks
 * C grow as 1 / tau and a solution loses all digits in the few directions that are soft beside
 * them; plain refinement then gains a digit a step or none.  Near the end of the path and
 * at its folds M dz itself must be exact, with dz kept as a sum of two. */
#ifndef PERP_SOLVERS_CENTRAL_KRYLOV_H
#define PERP_SOLVERS_CENTRAL_KRYLOV_H

#include "solvers/central/precise.h"

enum { PERP_KRYLOV_STEPS = 16 };

typedef struct perp_krylov {
    double *basis, *made;  /* (STEPS + 1) n, STEPS n: orthonormal; dz of each before a step */
    double *r;             /* n */
    double *low, *zero;    /* n: low part of dz, zeros */
    perp_precise *precise; /* products with M in 31 digits; NULL: in 16 */
    double h[PERP_KRYLOV_STEPS + 1][PERP_KRYLOV_STEPS]; /* triangular */
    double c[PERP_KRYLOV_STEPS], s[PERP_KRYLOV_STEPS];  /* rotations */
    double g[PERP_KRYLOV_STEPS + 1];
} perp_krylov;

perp_status perp_krylov_take(perp_krylov *krylov, int n, perp_arena *arena);
/* dz solves the system for r to `share` of |r|, or as far as it goes; dw = M dz.  n each. */
void perp_krylov_solve(double *dz, double *dw, perp_krylov *krylov, perp_central *central,
                       const perp_work *work, const double *r, double share);

#endif
