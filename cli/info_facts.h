/* SPDX-License-Identifier: BSD-3-Clause */
/* What perp info tells of a problem. */
#ifndef PERP_CLI_INFO_FACTS_H
#define PERP_CLI_INFO_FACTS_H

#include <perp/io.h>

#include "cli/spectrum.h"

typedef struct perp_range {
    double low, high, norm; /* norm: Euclidean */
    int count;              /* of entries; 0: the others mean nothing */
} perp_range;

/* A matrix by its entries; found 0: of a product, by its diagonal alone. */
typedef struct perp_matrix_facts {
    int found, rows, cols;
    const char *kind;
    size_t stored, nonzero;
    double asymmetry;
    perp_range diagonal;
    int sampled; /* the diagonal at some of the rows */
} perp_matrix_facts;

typedef struct perp_info_facts {
    perp_range mu, mu_r, mu_s, q;
    int closing;    /* contacts with q_N < 0; -1: no contacts */
    double density; /* contact rows per degree of freedom; NaN: not a global problem */
    int product;    /* kept as H' M^-1 H: `matrix` is that, without entries */
    perp_matrix_facts matrix, mass;
    size_t stored_H, stored_G;
    int rank; /* of a product, at most; -1: nothing is known */
    int has_spectrum;
    perp_spectrum spectrum;
    int has_solution; /* one is stored in the file */
    perp_residuals solution;
    char unread[320]; /* why one that is stored cannot be read, or it is not known, or "" */
} perp_info_facts;

/* path: of the file, where a stored solution is looked for.  0: it cannot be done, `unread` says why;
 * no memory where that is "". */
int perp_info_gather(perp_info_facts *facts, perp_problem_file *file, const perp_problem *problem,
                     const char *path);

#endif
