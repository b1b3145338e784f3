/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the nonlinear solver share. */
#ifndef PERP_NCP_STATE_H
#define PERP_NCP_STATE_H

#include <perp/ncp.h>

#include "core/arena.h"
#include "linalg/csc.h"
#include "linalg/factor/factor.h"
#include "problem/blocks.h"

struct perp_ncp_solver {
    perp_ncp ncp;
    perp_ncp_settings settings;
    perp_arena arena;
    perp_blocks blocks;
    perp_csc J;                /* pattern of the caller and the diagonal, sorted */
    int *from;                 /* entry of J: index in the caller's values, -1: none */
    int *diagonal;             /* n: its entry in J */
    double *values;            /* the caller's */
    perp_csc V;                /* same pattern: Newton matrix of FISCHER */
    double *fischer, *dz, *dF; /* n: the function of each row and its derivatives */
    double *z, *F, *trial, *trial_F, *step, *gradient, *q, *best, *best_F;
    perp_factor *factor;
    perp_solver *inner;
    perp_problem problem; /* of the inner solver */
    double *inner_z, *inner_w;
    perp_ncp_info info;
    double start; /* clock */
};

/* Fischer's function of each row and half the sum of its squares; derivatives in dz and dF
 * unless they are NULL. */
double perp_ncp_fischer(double *value, double *dz, double *dF, const perp_blocks *blocks,
                        const double *z, const double *F);
/* V = diag(dz) + diag(dF) J. */
void perp_ncp_fischer_matrix(perp_ncp_solver *h);
/* gradient = V' fischer. */
void perp_ncp_fischer_gradient(perp_ncp_solver *h);

/* |z - P_K(z - F)|. */
double perp_ncp_natural(const perp_blocks *blocks, const double *z, const double *F);

#endif
