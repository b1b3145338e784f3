/* SPDX-License-Identifier: BSD-3-Clause */
/* Few contacts: a sweep, Newton steps on the modes that it found (open, stick, slip), and all
 * combinations of modes in turn where they are few.  What `auto` begins with, without
 * a handle of its own, and what the solver enumerative does before its search (tree.h). */
#ifndef PERP_SOLVERS_ENUMERATION_H
#define PERP_SOLVERS_ENUMERATION_H

#include "handle/solver_type.h"

typedef struct perp_enumeration {
    int stored;  /* the sweep reads the blocks of a BSR matrix */
    int n;       /* rows of the dense arrays, 0 where there are none: then a sweep is all */
    double most; /* combinations that are worth trying */
    double *M;   /* n * n, column-major */
    double *J;   /* n * n, the current system */
    double *right, *step, *d, *back; /* n; d of each row and 1 / d */
    int *pivot, *mode;               /* n */
} perp_enumeration;

/* 1 where the blocks of the problem are stored blocks of a BSR matrix, of three rows at most. */
int perp_sweep_is_stored(const perp_work *work);

/* Takes memory from work->arena; dense: for all stages, 0: for the sweep of stored blocks alone.
 * NULL: no memory. */
perp_enumeration *perp_enumeration_take(const perp_work *work, int dense, double most);
/* As perp_solver_type.solve. */
perp_status perp_enumeration_solve(perp_enumeration *e, perp_work *work);

/* Each block in turn to its solution for the newest z, from work->z. */
void perp_enumeration_sweep(const perp_enumeration *e, perp_work *work);
/* M, d and back from the problem. */
perp_status perp_enumeration_fill(perp_enumeration *e, perp_work *work);
/* A full step of semismooth Newton (Alart-Curnier, rho_i = 1 / d_i^2) from work->z and work->w. */
void perp_enumeration_newton(perp_enumeration *e, perp_work *work);

/* Combinations of the modes of sets with finitely many, INFINITY for others. */
double perp_modes_count(const perp_blocks *blocks);
/* work->z where each block is in its mode: one linear system. */
void perp_modes_solve(perp_enumeration *e, perp_work *work);
/* The next combination in e->mode; 0: that was the last. */
int perp_modes_next(perp_enumeration *e, const perp_blocks *blocks);

/* x = a solution of J x = right with the weights d of the blocks, 0 where a column has no pivot.
 * J and right are overwritten. */
void perp_enumeration_eliminate(perp_enumeration *e, double *x);

#endif
