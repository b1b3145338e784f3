/* SPDX-License-Identifier: BSD-3-Clause */
/* A small problem kept dense, and its views in every storage. */
#ifndef PERP_TESTS_STORED_H
#define PERP_TESTS_STORED_H

#include <perp/numerics.h>

#include "core/rng.h"

enum { STORED_SEGMENTS = 12 };

/* Owns its arrays.  Parameters are one array each over all blocks, stride 1. */
typedef struct stored_problem {
    char name[64];
    int n, nblocks, nseg;
    perp_segment seg[STORED_SEGMENTS];
    double *par[2];
    double *M, *q; /* n x n column-major, n */
    double *z;     /* a solution, where one was planted; else zeros */
    int dofs;      /* with factors: M = H' mass^-1 H */
    double *H, *mass;
} stored_problem;

typedef enum storage {
    STORED_DENSE,
    STORED_DENSE_LD, /* leading dimension above n, NaN between */
    STORED_CSC,      /* rows out of order */
    STORED_BSR,      /* blocks of the common dimension, else of order 1 */
    STORED_OPERATOR,
    STORED_OPERATOR_BARE, /* without a diagonal */
    STORED_DELASSUS,
    STORED_COUNT
} storage;

extern const char *const storage_names[STORED_COUNT];

/* Segments first, then rows are allocated by stored_allocate(). */
void stored_init(stored_problem *p, const char *name);
void stored_segment(stored_problem *p, perp_set set, int dim, int count, double par0, double par1);
void stored_allocate(stored_problem *p);
void stored_free(stored_problem *p);
/* Allocates H (dofs x n) and mass (dofs x dofs, identity). */
void stored_factors(stored_problem *p, int dofs);
/* M = H' mass^-1 H, by elimination in long double. */
void stored_multiply(stored_problem *p);
/* H with 2 n rows, near to the identity, and M = H' H: well-conditioned. */
void stored_definite(stored_problem *p, perp_rng *rng);
/* z = P_K(x) for random x, w with -(w + s(w)) normal to K at z, q = w - M z. */
void stored_plant(stored_problem *p, perp_rng *rng);
/* Set and first row of block k. */
perp_set stored_block(const stored_problem *p, int k, int *row, int *dim);

typedef struct stored_array {
    const char *what; /* as perp_where names it */
    double *x;
    int count;
} stored_array;

/* A view with arrays of its own. */
typedef struct stored_view {
    perp_problem problem;
    perp_segment seg[STORED_SEGMENTS];
    perp_mass *mass;
    const stored_problem *from;
    stored_array real[8]; /* every array of reals, for tests of bad input */
    int nreal;
    void *owned[24];
    int nowned;
    int applies, stop_after; /* of an operator: stops with the stop_after-th product */
} stored_view;

/* 0 where the problem has no such storage. */
int stored_view_make(stored_view *v, const stored_problem *p, storage kind);
void stored_view_free(stored_view *v);

#endif
