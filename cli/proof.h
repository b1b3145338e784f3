/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs that a problem has no solution: found by a solver, checked here, written to a file and
 * read back. */
#ifndef PERP_CLI_PROOF_H
#define PERP_CLI_PROOF_H

#include <perp/numerics.h>

#include "cli/json.h"

typedef struct perp_proof {
    perp_certificate_kind kind;
    double *y; /* rows entries */
    int rows;
    char problem[256]; /* the file that it was made for */
    perp_certificate_figures figures;
} perp_proof;

/* What the solver found, and the check of it: 1, 0 where there is nothing, -1 without memory.  Free
 * it in each case. */
int perp_proof_take(perp_proof *proof, const perp_solver *solver, const perp_problem *problem,
                    const char *name);
/* Text: a line for each figure, then y, one number a line.  Exit statuses, after a message. */
int perp_proof_write(const perp_proof *proof, const char *path);
int perp_proof_read(perp_proof *proof, const char *path);
/* Checks it against a problem: a new set of figures. */
int perp_proof_confirm(perp_proof *proof, const char *path, const perp_problem *problem);
void perp_proof_free(perp_proof *proof);

/* One row of a report, and one member of a document (NULL: none found). */
void perp_proof_print(const perp_proof *proof);
void perp_proof_json(perp_json *json, const char *key, const perp_proof *proof);

#endif
