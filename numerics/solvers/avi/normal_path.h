/* SPDX-License-Identifier: BSD-3-Clause */
/* Pivots along the normal map of an affine variational inequality over a box,
 *     M z + q = v - u,  lo <= z <= hi,  0 <= v perp z - lo,  0 <= u perp hi - z,
 * with bounded variables: a row between two bounds is one row, and z may pass from one bound to
 * the other without a change of basis ([CaoFerris1996]; the bounded form: [DirkseFerris1995]).
 *
 * Variables have numbers: z_i is i, v_i is n + i, u_i is 2 n + i, the covering variable 3 n.
 * Everything is scaled by powers of two. */
#ifndef PERP_SOLVERS_NORMAL_PATH_H
#define PERP_SOLVERS_NORMAL_PATH_H

#include "core/rng.h"
#include "linalg/csc.h"
#include "problem/residual.h"

typedef struct perp_normal_path {
    int n;
    perp_csc M; /* scaled */
    double *q, *lo, *hi;
    double *unit;           /* n: z = unit times scaled z / size */
    double size;            /* of q and the bounds */
    unsigned char *at;      /* n: 1 where a z that is not basic is at hi */
    int *basic;             /* n: variable of a position */
    int *place;             /* 3 n + 1: position of a basic variable, else -1 */
    double *inverse;        /* n x n, of the basis, column-major */
    double *order;          /* n x n: what a perturbation of the first basis does to the values */
    double *value;          /* n: of the basic variables */
    double *cover;          /* n: column of the covering variable */
    double *column, *right; /* n */
    double *lu;             /* n x n */
    int *pivots, *rows;     /* n */
    int exchanges;          /* since the inverse was last made again */
} perp_normal_path;

size_t perp_normal_path_bytes(size_t n);
perp_status perp_normal_path_take(perp_normal_path *path, const perp_mat *M, perp_arena *arena);
/* The numbers of the problem, scaled by the diagonal d of the blocks. */
void perp_normal_path_fill(perp_normal_path *path, const perp_csc *M, const double *q,
                           const perp_blocks *blocks, const double *d);

/* A basis with all z that have no bound: over their own rows, or together with a z that has
 * one bound at most.  Returns how many could not be brought in; they stay 0 and their rows are
 * left out of the ratio tests. */
int perp_normal_path_start(perp_normal_path *path);
/* `first` are z to be in the basis, with their rows (an active set): 0: that basis is singular. */
int perp_normal_path_start_with(perp_normal_path *path, const unsigned char *first);

/* Covers what is violated, for attempt 0 evenly, else by numbers that depend on `attempt` only.
 * 1: nothing is violated; 0: *entering is the variable that moves next. */
int perp_normal_path_cover(perp_normal_path *path, int attempt, int *entering);
typedef enum perp_path_end { PERP_PATH_GOES_ON, PERP_PATH_DONE, PERP_PATH_RAY } perp_path_end;
/* Moves `entering`, and names the one that moves next. */
perp_path_end perp_normal_path_pivot(perp_normal_path *path, int *entering);

/* z (unscaled): the basic ones solved again from M, or as the path has them. */
int perp_normal_path_solution(double *z, perp_normal_path *path);
void perp_normal_path_point(double *z, const perp_normal_path *path);
/* z part of the direction in which `entering` moves. */
void perp_normal_path_direction(double *z, perp_normal_path *path, int entering);

#endif
