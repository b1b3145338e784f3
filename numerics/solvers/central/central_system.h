/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear system of a smoothed method,
 *
 *     (Pz + Pw M) dz = r,    Pz = Gz + Gw A,  Pw = Gw,  A = diag(weight d^2),
 *
 * with the blocks of solvers/central/smoothing.h and a proximal weight, which is the same
 * for all rows in the scaled variables there: mu^2 weight d^2 in the normal row of a cone.
 *
 * Local form: that matrix, on the pattern of M.  In body unknowns, for
 * M = H' Minv H with a mass of small blocks (bodies/body_form.h, M = Q P): dv = P dz,
 *     (I + P C Q) dv = P g,   dz = g - C Q dv,
 * C = Pz^-1 Pw, g = Pz^-1 r block by block: a system of the order of the bodies,
 * however many contacts they have. */
#ifndef PERP_SOLVERS_CENTRAL_CENTRAL_SYSTEM_H
#define PERP_SOLVERS_CENTRAL_CENTRAL_SYSTEM_H

#include "handle/solver_type.h"
#include "solvers/bodies/body_form.h"
#include "solvers/central/smoothing.h"
#include "solvers/newton/newton_sweep.h"
#include "solvers/newton/newton_system.h"

typedef struct perp_central {
    const perp_blocks *blocks;
    perp_nsn nsn; /* pattern and numbers of M, or of Minv H and H' */
    perp_nsn_sweep sweep;
    perp_smoothing smoothing;
    const perp_reform *reform; /* NULL: the smoothed blocks; else its semismooth ones */
    double weight;             /* proximal; with a reform the same in all rows of a block */
    const double *d;           /* per block */
    double *G, *Gt;            /* n */
    double *Pw, *Pz;           /* blocks, at nsn.start[k] */
    double *C, *lu;            /* body unknowns only: C, factors of Pz */
    double *work;              /* 4 of the largest dim */
    int *pivots;               /* n, body unknowns only */
    double *r, *trial;         /* n */
    double *dz, *dw;           /* n: the step of the solver */
    int in_bodies;
    perp_body_form form;
    double *dv; /* unknowns of the bodies */
    perp_factor *factor;
    int sign; /* of the determinants of the blocks Pz, body unknowns only */
} perp_central;

/* The set-up, update and release of a solver whose state, of `bytes`, begins with its perp_central.
 */
perp_status perp_central_setup(perp_work *work, size_t bytes);
perp_status perp_central_update(perp_work *work);
void perp_central_release(perp_work *work);
/* Another factorisation, where the automatic one does not know the sign of its determinant. */
perp_status perp_central_signed(perp_central *central, perp_work *work);
/* Units of the problem: smoothing.size = the largest of |q_i / d_i| and |d_i bound|. */
void perp_central_size(perp_central *central, const perp_problem *problem);

/* G at (w, z); returns |G| / (2 sqrt(blocks)). */
double perp_central_residual(perp_central *central, const double *w, const double *z);
/* G (F of the reform), Gt where tau > 0, and the factorised system there.  PERP_ERR_SINGULAR,
 * PERP_ERR_NUMERICAL when there is none. */
perp_status perp_central_factorise(perp_central *central, const double *w, const double *z);
/* dz solves the system for r, dw = M dz (n each, three arrays).  In body unknowns, where the
 * blocks C of contacts that stick are huge, dz is refined with those of M dz. */
void perp_central_solve(double *dz, double *dw, perp_central *central, const perp_work *work,
                        const double *r);
/* out = Pz dz + Pw dw, and dz = the system's solution for r as the factors give it. */
void perp_central_apply(double *out, const perp_central *central, const double *dz,
                        const double *dw);
void perp_central_precondition(double *dz, perp_central *central, const double *r);
/* Sign of the determinant of the system that was last factorised; 0: not known. */
int perp_central_sign(const perp_central *central);
/* `count` symmetric Gauss-Seidel sweeps from work->z, limits and measures included.  1: stopped. */
int perp_central_sweep(perp_central *central, perp_work *work, int count, int iteration,
                       double *error);

#endif
