/* SPDX-License-Identifier: BSD-3-Clause */
/* A set K of one block: one file per set, one line in the table of set.c. */
#ifndef PERP_SETS_SET_H
#define PERP_SETS_SET_H

#include <perp/problem.h>

typedef struct perp_set_type {
    const char *name;
    int parameters;                         /* how many of par are read */
    int last_from;                          /* the last of them from so many rows on; 0: always */
    const char *parameter[PERP_PARAMETERS]; /* their names, for messages */
    int min_dim, max_dim;                   /* max_dim 0: any */
    /* p = P_K(x).  p may be x. */
    void (*project)(double *p, const double *x, const double *par, int dim);
    /* One element of the generalised Jacobian of P_K at x; dim x dim, column-major. */
    void (*jacobian)(double *J, const double *x, const double *par, int dim);
    /* De Saxce coefficient: s(w) = shift(w) e_N.  NULL: s = 0. */
    double (*shift)(const double *w, const double *par, int dim);
    /* Row of its derivative: g[j] = d shift / d w_j.  NULL with shift. */
    void (*shift_gradient)(double *g, const double *w, const double *par, int dim);
    /* dist(y, (recession cone of K)*): 0 where -y can be normal to K somewhere. */
    double (*dual_distance)(const double *y, const double *par, int dim);
    /* |z.y + support function of K at -y|, infinite directions left out: 0 at
     * a solution with y = w + s. */
    double (*gap)(const double *z, const double *y, const double *par, int dim);
    /* 1 when the parameters are admissible (not NaN, in range). */
    int (*admissible)(const double *par);
} perp_set_type;

/* Never NULL for set in 0 .. PERP_SET_COUNT - 1. */
const perp_set_type *perp_set_type_of(int set);
/* How many parameters of a block of `dim` rows are read. */
static inline int perp_set_reads(const perp_set_type *type, int dim)
{
    return type->parameters - (dim < type->last_from);
}

/* 1 when blocks of this set may have `dim` rows. */
int perp_set_takes_dim(const perp_set_type *type, int dim);

extern const perp_set_type perp_set_free, perp_set_nonneg, perp_set_box, perp_set_tresca,
    perp_set_coulomb, perp_set_soc, perp_set_rolling;

#endif
