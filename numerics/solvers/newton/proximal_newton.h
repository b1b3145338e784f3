/* SPDX-License-Identifier: BSD-3-Clause */
/* Proximal Newton, one full step for each centre: what nsn-ac and snp share. */
#ifndef PERP_SOLVERS_NEWTON_PROXIMAL_NEWTON_H
#define PERP_SOLVERS_NEWTON_PROXIMAL_NEWTON_H

#include "handle/solver_type.h"
#include "solvers/newton/newton_bodies.h"
#include "solvers/newton/newton_lu.h"
#include "solvers/newton/newton_sweep.h"
#include "solvers/newton/newton_system.h"

typedef struct perp_proximal {
    perp_nsn system;
    perp_nsn_sweep sweep;
    perp_nsn_lu lu;
    perp_nsn_bodies bodies;
    int by_bodies; /* steps are found by these, where they cost less, and can be */
    double *dz, *trial; /* n each */
    int iteration;
} perp_proximal;

/* At most `steps` of them, with the weight alpha_i = c error^p d_i^2. */
typedef struct perp_proximal_stage {
    int sweeps, steps; /* symmetric Gauss-Seidel sweeps before the first step */
    double c, p;
} perp_proximal_stage;

/* Pattern, memory and numbers; setup is followed by load where the numbers change. */
perp_status perp_proximal_setup(perp_proximal *proximal, perp_work *work,
                                const perp_reform *reform);
perp_status perp_proximal_load(perp_proximal *proximal, perp_work *work);
/* A solve depends on nothing that came before. */
void perp_proximal_restart(perp_proximal *proximal);

/* dz = -J^-1 F at (w, work->z) and the merit there; the weight grows until J can be
 * factorised.  PERP_ERR_SINGULAR where it never can. */
perp_status perp_proximal_direction(perp_proximal *proximal, perp_work *work, const double *w,
                                    double weight, double *merit);
/* `count` symmetric sweeps from work->z; an end that is worse than the start is not
 * kept.  1: stopped. */
int perp_proximal_sweep(perp_proximal *proximal, perp_work *work, int count, double *error);
/* The steps of a stage from work->z with the error there.  1: stopped, by perp_stop() where
 * `status` is PERP_SOLVED; 0: they are spent, or no matrix can be factorised. */
int perp_proximal_steps(perp_proximal *proximal, perp_work *work, const perp_proximal_stage *stage,
                        double *error, perp_status *status);
/* The whole search: stage `first` from work->z with the error there (its sweeps are the
 * caller's), then stages with other c and p, from where it is and from other starts.  The
 * status of the solve. */
perp_status perp_proximal_search(perp_proximal *proximal, perp_work *work,
                                 const perp_proximal_stage *first, double error);
/* The best iterate so far, and its error. */
double perp_proximal_best(perp_work *work);

#endif
