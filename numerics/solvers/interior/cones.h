/* SPDX-License-Identifier: BSD-3-Clause */
/* The problem of an interior-point method: rows X in scaled units, and Lorentz cones whose
 * slots x follow the rows:
 *
 *     z = offset + unit S X,    S (M z + q) / unit = Wb X + qb = sum of the cones' parts of y,
 *     x = A X + a in L,  y in L,  x.y = 0 for each cone.
 *
 * NONNEG and the normal row of TRESCA are cones of dimension 1, each finite bound of a BOX is
 * one (x = X - lo, y; x = hi - X, -y), COULOMB and SOC are x = (mu z_N, z_T) in their own
 * units, with y = (w_N/mu + |w_T|, w_T), the De Saxce term, for COULOMB.  ROLLING is such a cone
 * for each disk k, x = (z_N, z_k / mu_k), all with the same first number; w_N is divided among
 * them.  The disk of TRESCA is x = (r, z_T), y = (free, w_T).  Rows that mu = 0, r = 0 or lo = hi
 * fix are pinned: S = 0 there. */
#ifndef PERP_SOLVERS_INTERIOR_CONES_H
#define PERP_SOLVERS_INTERIOR_CONES_H

#include "core/arena.h"
#include "problem/blocks.h"

typedef enum perp_interior_kind {
    PERP_INTERIOR_ROWS, /* x = X */
    PERP_INTERIOR_LOW,  /* x = X - lo */
    PERP_INTERIOR_HIGH, /* x = hi - X, enters with the sign - */
    PERP_INTERIOR_DISK  /* x = (r, X of the tangential rows) */
} perp_interior_kind;

typedef struct perp_interior_cone {
    int block;
    int row, slot; /* row of the slot with index `head` */
    int tangent;   /* row of slot 1, those of the others follow */
    int dim;       /* slots */
    short kind;
    short shifted; /* 1: y0 has the De Saxce term */
} perp_interior_cone;

enum { PERP_ROW_CONED, PERP_ROW_FREE, PERP_ROW_PINNED };

typedef struct perp_interior {
    const perp_blocks *blocks;
    int n, count, slots; /* rows, cones, slots of all cones */
    int shifted;         /* cones with the De Saxce term */
    perp_interior_cone *cones;
    unsigned char *shape; /* per block: which of its parameters are 0, infinite or equal */
    unsigned char *role;  /* per row */
    double *scale;        /* n: S */
    double *offset;       /* n */
} perp_interior;

/* Slots of a cone that have no row: 1 for a disk. */
static inline int perp_interior_head(const perp_interior_cone *cone)
{
    return cone->kind == PERP_INTERIOR_DISK;
}

static inline double perp_interior_sign(const perp_interior_cone *cone)
{
    return cone->kind == PERP_INTERIOR_HIGH ? -1.0 : 1.0;
}

/* Row of slot i, from `head` on. */
static inline int perp_interior_row(const perp_interior_cone *cone, int i)
{
    return i == 0 ? cone->row : cone->tangent + i - 1;
}

/* Takes all arrays; d: one number per block as in the scaled measure. */
perp_status perp_interior_build(perp_interior *interior, const perp_blocks *blocks, const double *d,
                                perp_arena *arena);
/* New parameters and d.  PERP_ERR_STATE: other cones than before, build again. */
perp_status perp_interior_load(perp_interior *interior, const double *d);

/* dx = A dX for all slots. */
void perp_interior_to_slots(double *dx, const perp_interior *interior, const double *dX);
/* rows += A' y. */
void perp_interior_add_rows(double *rows, const perp_interior *interior, const double *y);
/* x = A X + a from the parameters, in units `unit`. */
void perp_interior_place(double *x, const perp_interior *interior, const double *X, double unit);
/* A start: X and x well inside, y the inverse of x. */
void perp_interior_start(double *X, double *x, double *y, const perp_interior *interior,
                         double unit);
/* The same near a given X with rows = Wb X + qb: eigenvalues of x and y are at least `depth`. */
void perp_interior_near(double *X, double *x, double *y, const perp_interior *interior,
                        const double *rows, double unit, double depth);
/* Where all cones have dimension 1: near X, with equal products x.y that are as large as the
 * natural residuals ask for and at least `least`, so that the point is central:
 * x - y keeps the value X - rows has.  PERP_INTERIOR_HIGH follows its LOW. */
void perp_interior_centre(double *X, double *x, double *y, const perp_interior *interior,
                          const double *rows, double unit, double least);
/* z = P_K(offset + unit S X). */
void perp_interior_answer(double *z, const perp_interior *interior, const double *X, double unit);

#endif
