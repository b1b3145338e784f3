/* SPDX-License-Identifier: BSD-3-Clause */
/* A vertex of the polyhedron {z : A z >= b} of a problem [[M, -A'], [A, 0]] with FREE z and NONNEG
 * multipliers, by a linear program. */
#ifndef PERP_SOLVERS_AVI_VERTEX_H
#define PERP_SOLVERS_AVI_VERTEX_H

#include "linalg/csc.h"
#include "lp/table.h"
#include "problem/blocks.h"

/* 1 where the problem has that form. */
int perp_is_polyhedral(const perp_csc *M, const perp_blocks *blocks);

/* first[i] becomes 1 for every z and for the multipliers of as many active rows, the basis of a
 * vertex; for a problem of that form.  PERP_STALLED: the polyhedron has none, PERP_ERR_MEMORY.
 * Memory is taken for the moment. */
perp_status perp_polyhedron_vertex(unsigned char *first, const perp_csc *M, const double *q,
                                   const perp_blocks *blocks, const perp_lp_table *table,
                                   const perp_allocator *allocator);

#endif
