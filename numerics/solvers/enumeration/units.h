/* SPDX-License-Identifier: BSD-3-Clause */
/* A law with finitely many modes, each of them a few bounds on variables of a dictionary. */
#ifndef PERP_SOLVERS_ENUMERATION_UNITS_H
#define PERP_SOLVERS_ENUMERATION_UNITS_H

#include "problem/blocks.h"
#include "solvers/enumeration/dictionary.h"

enum { PERP_UNIT_MODES = 4, PERP_UNIT_BOUNDS = 3 };

typedef struct perp_bound {
    int variable;
    double lo, hi;
} perp_bound;

/* Mode m: bounds on[m][0 .. count[m]), in the units of the dictionary. */
typedef struct perp_unit {
    int modes, count[PERP_UNIT_MODES];
    perp_bound on[PERP_UNIT_MODES][PERP_UNIT_BOUNDS];
} perp_unit;

/* Units of the blocks; rows of the dictionary.  0 rows: a block has infinitely many modes. */
int perp_units_count(const perp_blocks *blocks, int *rows);
/* A, b, the bounds that hold in every mode, and the units.  M: n x n by columns.  Bounds of the
 * units are in the caller's units until perp_units_scale(). */
void perp_units_write(perp_unit *units, perp_dictionary *d, const perp_blocks *blocks,
                      const double *M, const double *q);
void perp_units_scale(perp_unit *units, int count, const perp_dictionary *d);
/* How far the values of d are from mode m. */
double perp_unit_miss(const perp_unit *unit, int m, const double *value);

#endif
