/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that a problem has no solution, with every rounding bounded (docs/theory.md). */
#ifndef PERP_PROBLEM_PROOF_H
#define PERP_PROBLEM_PROOF_H

#include <perp/certificate.h>

#include "problem/blocks.h"

/* Doubles that the check works in. */
size_t perp_proof_work(const perp_mat *M);

/* A row of a block of one in a case of a search: z between lo and hi, and the signs that w may
 * have. */
typedef struct perp_row_case {
    double lo, hi;
    int positive, negative;
} perp_row_case;
perp_row_case perp_row_case_of(const perp_block *block);

/* What y (n entries, not all 0, finite) proves.  right, c, size: n entries each, written: y in
 * units of a power of two with the signs that a proof has, what the check knows of M'y (bounds
 * of it from above for z that may only grow, say), and the sums of its absolute terms.
 * work: perp_proof_work(M) doubles.  Not for an OPERATOR. */
typedef struct perp_proof_vectors {
    double *right, *c, *size, *work;
} perp_proof_vectors;
void perp_proof_check(perp_certificate_figures *figures, const perp_problem *problem,
                      const perp_blocks *blocks, const double *y, const perp_proof_vectors *at);
/* The same in a case, given by rows (n); all blocks have one row. */
void perp_proof_check_case(perp_certificate_figures *figures, const perp_problem *problem,
                           const perp_blocks *blocks, const perp_row_case *cases, const double *y,
                           const perp_proof_vectors *at);

/* The nearest y of a block that has the signs of a proof; its distance. */
double perp_proof_signs(double *p, const perp_block *block, const double *y);

/* 1: z may grow, z may fall, without bound. */
typedef struct perp_open_ends {
    int up, down;
} perp_open_ends;
perp_open_ends perp_block_ends(const perp_block *block);

/* What is let pass of a breach, and the least value, for a proof with a reach to be of use. */
#define PERP_PROOF_SIGN 1e-12
#define PERP_PROOF_COLUMN 1e-10
#define PERP_PROOF_VALUE 1e-8

#endif
