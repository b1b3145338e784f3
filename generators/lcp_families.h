/* SPDX-License-Identifier: BSD-3-Clause */
/* Random linear complementarity problems of known kinds, sparse and of any size:
 *
 *     w = M z + q,   0 <= z perp w >= 0, some rows free, or bounds on some.
 *
 * M has a few entries in each column.  Where a solution is planted, z and w are chosen first and
 * q = w - M z: a third of the rows has z > 0, and in `degenerate` many have z = w = 0. */
#ifndef PERP_GENERATORS_LCP_FAMILIES_H
#define PERP_GENERATORS_LCP_FAMILIES_H

#include <stdint.h>

#include <perp/io.h>

typedef enum perp_family {
    PERP_FAMILY_PD,         /* G G', G with 2 n columns of 4 entries                       */
    PERP_FAMILY_PSD,        /* G G', rank at most 3 n / 4                                   */
    PERP_FAMILY_LOW,        /* G G', rank at most n / 3: the active rows are dependent, too  */
    PERP_FAMILY_TWINS,      /* G G', each row two or three times, as of duplicated contacts  */
    PERP_FAMILY_MONOTONE,   /* G G' of rank n / 2 and a skew matrix                          */
    PERP_FAMILY_P,          /* unsymmetric, the diagonal outweighs its row: a P matrix       */
    PERP_FAMILY_COPOSITIVE, /* entries >= 0, diagonal > 0                                    */
    PERP_FAMILY_DEGENERATE, /* small integers, G G', ties everywhere                        */
    PERP_FAMILY_BIMATRIX,   /* [0 A; B' 0], q = -1: an equilibrium of a game; nothing planted */
    PERP_FAMILY_GENERAL,    /* anything; nothing planted                                     */
    PERP_FAMILY_INFEASIBLE, /* G G' and q.y < 0 for a y >= 0 with M y = 0                     */
    PERP_FAMILY_COUNT
} perp_family;

/* "pd", "psd", ...; NULL outside the range.  By name: PERP_FAMILY_COUNT when unknown. */
const char *perp_family_name(perp_family family);
perp_family perp_family_find(const char *name);

typedef struct perp_family_options {
    perp_family family;
    perp_problem_class cls; /* PERP_CLASS_LCP; _MLCP: every fifth row is free; _RELAY: and bounds */
    int rows;               /* 1 to 1e7; bimatrix: made even */
    uint64_t seed;
} perp_family_options;

/* A problem file with a CSC matrix, owned by the caller.  planted, where not NULL, gets an array of
 * the problem file's with the z that was chosen, or NULL.  bimatrix and infeasible are LCP whatever
 * cls. PERP_ERR_ARGUMENT: an option is out of its range.  On error *file is NULL; allocator may be
 * NULL. */
perp_status perp_generate_family(perp_problem_file **file, const double **planted,
                                 const perp_family_options *options,
                                 const perp_allocator *allocator);

#endif
