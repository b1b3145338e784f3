/* SPDX-License-Identifier: BSD-3-Clause */
/* The law of each block linearised at a solution, in coordinates of the directions in which z may
 * move:
 *
 *     dz = C zeta + sum_p cz_p dpar_p,     omega = R dw + D zeta + sum_p cw_p dpar_p
 *
 * with omega = 0 in regular rows and zeta, omega in the law of a critical cone in rows on a kink.
 * C and R are block-diagonal, D couples the rows of one tangent space alone.  Which rows there are
 * is docs/reference/derivatives.md. */
#ifndef PERP_DERIVATIVE_LAWS_H
#define PERP_DERIVATIVE_LAWS_H

#include "core/arena.h"
#include "problem/blocks.h"

/* Set of a row in the linearised problem: PERP_FREE is a regular one, PERP_NONNEG a row on a kink;
 * another set is the first row of a block of it, whose others have INNER. */
enum { PERP_LAW_INNER = -1 };

typedef struct perp_law_row {
    int block;       /* of the problem */
    int set, dim;    /* of the critical cone; dim rows, where this is the first */
    double par[PERP_PARAMETERS]; /* its parameters */
    int c, c_end;    /* entries of its column of C */
    int r, r_end;    /* entries of its row of R */
    int first, last; /* rows that D couples it with: D_kl = beta (delta_kl + tau_k tau_l) */
    double beta, tau;
    double row_scale,
        column_scale; /* omega and zeta of the scaled system; C and R hold them, D does not */
    int place;        /* in the system: regular rows first, then those on a kink */
} perp_law_row;

typedef struct perp_laws {
    int count, regular; /* rows; of them regular */
    perp_law_row *row;  /* count; in the order of the blocks */
    int *first;         /* blocks + 1: rows of a block */
    int *c_at, *r_at;   /* rows of the problem */
    double *c, *r;
    int c_count, r_count;
    double *cz[PERP_PARAMETERS]; /* n: change of z by a parameter of the block */
    double *cw[PERP_PARAMETERS]; /* count: change of omega */
    unsigned char *flags;        /* blocks: an or of */
    double *unit; /* n: z of a row times this is in the units that rows are compared in */
} perp_laws;

enum {
    PERP_LAW_KINK = 1,
    PERP_LAW_FROZEN_0 = 2, /* a change of parameter 0 puts the block on a kink that is not followed;
                              shifted by p: of parameter p */
    PERP_LAW_POINT = 16    /* an interval of one point: both bounds move together, or as FROZEN */
};

/* Fills `laws` (memory from the arena) at z, w.  d: one per block; `zero`: what counts as zero
 * beside d z and w / d. */
perp_status perp_laws_build(perp_laws *laws, const perp_blocks *blocks, const double *d,
                            double zero, const double *z, const double *w, perp_arena *arena);

/* For the files that build one kind of block. */
typedef struct perp_law_site {
    perp_laws *laws;
    const perp_block *block;
    int index; /* of the block */
    double d, zero;
    const double *z, *w; /* of the block */
} perp_law_site;

/* A new row of this set; its number. */
int perp_law_add(perp_laws *laws, int block, int set);
/* C(row of the problem, k) = value; R(k, row) = value. */
void perp_law_c(perp_laws *laws, int k, int row, double value);
void perp_law_r(perp_laws *laws, int k, int row, double value);
/* One row with zeta = dz and omega = dw of that row of the problem. */
int perp_law_plain(perp_laws *laws, int block, int set, int row);

void perp_laws_contact(const perp_law_site *site);
void perp_law_soc(const perp_law_site *site);

#endif
