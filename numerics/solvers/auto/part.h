/* SPDX-License-Identifier: BSD-3-Clause */
/* Some blocks of a problem, with their own rows and columns of M, as a problem of its own. */
#ifndef PERP_SOLVERS_AUTO_PART_H
#define PERP_SOLVERS_AUTO_PART_H

#include "handle/solver_type.h"
#include "linalg/mass.h"
#include "linalg/select.h"

/* What parts are cut out by: memory for all of them. */
typedef struct perp_part_maps {
    int *map;             /* n: row in the part, or -1; where M does not couple parts, of all */
    unsigned char *alone; /* n zeros, for perp_select */
    int *number;          /* -1 for each small block of a mass, for perp_mass_part() */
} perp_part_maps;

typedef struct perp_part {
    int rows, blocks;
    const int *row, *block; /* numbers in the whole problem, by the caller */
    perp_select select;
    perp_mass mass;
    perp_problem problem;
    perp_segment *seg;
    double *par[PERP_PARAMETERS], *q, *z, *w;
} perp_part;

/* map is left to the caller. 0: no memory. */
int perp_part_maps_take(perp_part_maps *maps, const perp_work *work, perp_arena *arena);

/* The problem of rows and blocks, with q and the z of the whole there: what the rows outside do to
 * it is left to the caller. */
perp_status perp_part_build(perp_part *part, const perp_part_maps *maps, const perp_work *work,
                            perp_arena *arena);

/* From settings of a part: the solver of parts with the time and the work that are left, `spent` of
 * the work being gone, of which the part is this share and may take at most so many sweeps of its
 * own (INFINITY: all).  PERP_TIME_LIMIT, PERP_WORK_LIMIT: nothing is left. */
perp_status perp_part_solver(perp_solver **solver, const perp_solver_type *type,
                             perp_settings settings, const perp_work *work, double spent,
                             double share, double most);

#endif
