/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives of a solution: of z and w by q, by the entries of M and by the parameters of the
 * sets.
 *
 *     perp_solve(NULL, &problem, &settings, z, w, &info);
 *     perp_derivative_create(&d, NULL, NULL, NULL);
 *     perp_derivative_factor(d, &problem, z, NULL);
 *     perp_tangent by_q = {.size = sizeof by_q, .q = dq};
 *     perp_derivative_jvp(d, 1, &by_q, dz, dw, NULL);          dz, dw along dq
 *     perp_gradient of = {.size = sizeof of, .q = q_bar};
 *     perp_derivative_vjp(d, 1, z_bar, w_bar, &of);            gradient of z_bar.z + w_bar.w
 *     perp_derivative_destroy(d);
 *
 * Implicit function theorem on the equation z - P_K(z - (w + s(w))) = 0, whose linear system is
 * reduced to the directions in which z may move: an open contact has none, a sliding one two in
 * three dimensions (docs/reference/derivatives.md).  It is factorised once, for products both ways
 * and any number of right-hand sides.  The derivative is that of the problem as stated, not of a
 * solver.
 *
 * Three cases are no errors and are told apart by a positive status:
 *   PERP_ONE_SIDED           some block is on a kink: a contact that just touches, a force on the
 *                            edge of its cone without slip, a value at its bound without w.
 *                            perp_derivative_jvp() then gives the one-sided directional
 *                            derivative, from the problem linearised on the critical cone, which
 *                            is solved as one; perp_derivative_vjp() gives the gradient on the side
 *                            where the rows on a kink keep their pieces at zero.
 *   PERP_NOT_UNIQUE          z is not unique (more contacts than bodies have degrees of freedom):
 *                            the derivative of least Euclidean norm, on a kink, too, where all
 *                            its solutions have the same w (half-lines, M symmetric); else one
 *                            of them.  w often is unique: ask perp_derivative_rows().
 *   PERP_NOT_DIFFERENTIABLE  no derivative in this direction was found: the linearised problem has
 *                            no solution, or its solver gave up.  What is written is finite and
 *                            belongs to one side; it may be far from any difference.
 */
#ifndef PERP_DERIVATIVE_H
#define PERP_DERIVATIVE_H

#include <perp/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_derivative perp_derivative;

typedef struct perp_derivative_settings {
    size_t size; /* set by perp_derivative_settings_init() */
    double
        kink;  /* 1e-9: what is below this share of the largest |d z|, |w / d| or |q / d| counts as
                  zero,  with d of perp_residuals; ten times the error of z where that is more */
    int dense; /* 1000: a singular system of up to so many rows is taken apart as a dense one, for
                  the least-norm derivative; a larger one is PERP_ERR_SINGULAR */
    int velocities; /* 0; where M is H W H' of so many velocities, made by the caller: more active
                       rows than these are singular, and looked at as such first.  Of a DELASSUS it
                       is known */
} perp_derivative_settings;

PERP_API void perp_derivative_settings_init(perp_derivative_settings *settings, size_t size);

typedef struct perp_derivative_info {
    size_t size;        /* set by the caller */
    perp_status status; /* of factor: PERP_SOLVED, ONE_SIDED or NOT_UNIQUE (the later one of them
                           where both hold), or an error */
    int rows;           /* n */
    int blocks;   /* of the sets, over all segments: how many parameters of a kind there are */
    int entries;  /* numbers in the array of M (DENSE: ld * cols; DELASSUS: of H) */
    int dofs;     /* DELASSUS: rows of H; else 0 */
    int system;   /* rows of the linear system that was factorised */
    int kinks;    /* rows of it that are on a kink and are left to the one-sided problem */
    int kink_row; /* first row of the problem on a kink; -1: none */
    int free_z; /* dimension of the null space: directions in which z may move with nothing else */
    int lost;   /* directions of q along which there is no derivative */
    double error; /* of z, the larger one of the natural and the scaled measure */
    double zero;  /* what counted as zero, beside |d z| and |w / d| */
    double rcond; /* reciprocal condition of the system in scaled unknowns, estimated */
} perp_derivative_info;

/* A handle, empty.  settings NULL: defaults; allocator NULL: malloc.  On error *derivative is NULL.
 */
PERP_API perp_status perp_derivative_create(perp_derivative **derivative,
                                            const perp_derivative_settings *settings,
                                            const perp_allocator *allocator, perp_where *where);

/* At the solution z (n entries, copied; w is computed from it).  Borrows the problem's arrays
 * until the next factor or destroy.  May be called again, for any problem; where it fails, the
 * handle is empty.  The memory is used again. PERP_SOLVED, PERP_ONE_SIDED, PERP_NOT_UNIQUE: ready.
 * PERP_ERR_ARGUMENT, where "z": its error is above 1e-4.  PERP_ERR_UNSUPPORTED: an OPERATOR.
 * PERP_ERR_SINGULAR: see `dense` of the settings. Else the errors of perp_problem_check(). */
PERP_API perp_status perp_derivative_factor(perp_derivative *derivative,
                                            const perp_problem *problem, const double *z,
                                            perp_where *where);
/* The same for the problem of a handle, after its perp_solver_solve(). */
PERP_API perp_status perp_derivative_factor_solver(perp_derivative *derivative,
                                                   const perp_solver *solver, const double *z,
                                                   perp_where *where);
/* Gives back the memory that factor() alone needs: for handles that are kept.  NULL is accepted. */
PERP_API void perp_derivative_trim(perp_derivative *derivative);
/* info->size must be set. */
PERP_API perp_status perp_derivative_info_get(const perp_derivative *derivative,
                                              perp_derivative_info *info);

/* What is said of a row of the problem, an or of: */
typedef enum perp_derivative_row {
    PERP_ROW_KINK = 1, /* its block is on a kink that this row has part in: of a contact that
                          slides and just touches the normal row, of a force on the edge of
                          its cone the others */
    PERP_ROW_Z_NOT_UNIQUE = 2, /* its z is not unique: derivatives of it are those of least norm */
    PERP_ROW_W_NOT_UNIQUE = 4
} perp_derivative_row;
/* n entries of flags. */
PERP_API perp_status perp_derivative_rows(const perp_derivative *derivative, unsigned char *flags);

/* A direction, or `count` of them one behind the other in each array.  NULL: zero.
 * A change dM that is none of these (H and masses are functions of something, say) enters through
 * q: (dM) z is the only thing that counts, so q = dq + (dM) z. */
typedef struct perp_tangent {
    size_t size;     /* set by the caller */
    const double *q; /* n */
    const double *M; /* info.entries numbers in the places of those of M; DELASSUS: of H */
    const double *par[PERP_PARAMETERS]; /* info.blocks each: of parameter p of every block (mu, lo,
                               hi, r, mu_r, mu_s) in the order of the segments, also where a
                               segment has one value for all.  Sets without such a parameter, and
                               infinite bounds: not read */
    const double *diagonal;             /* DELASSUS with a compliance: n */
    const perp_mat *mass; /* DELASSUS: change of the mass matrix, dofs x dofs; count of them */
} perp_tangent;

/* dz and dw (count * n each; either may be NULL) along the directions; each (count, may be NULL)
 * receives the status of each.  Returns the largest of them: PERP_SOLVED, PERP_ONE_SIDED,
 * PERP_NOT_UNIQUE, PERP_NOT_DIFFERENTIABLE.
 * A one-sided derivative is that of q + t dq, ... for t > 0 alone.
 * Errors, with outputs untouched: PERP_ERR_STATE without a factor, PERP_ERR_NONFINITE for a
 * direction with NaN or an infinity, PERP_ERR_ARGUMENT, PERP_ERR_NUMERICAL where the result
 * would leave the range of double (then the results before that one are written).  No allocation.
 */
PERP_API perp_status perp_derivative_jvp(perp_derivative *derivative, int count,
                                         const perp_tangent *along, double *dz, double *dw,
                                         perp_status *each);

/* Where gradients go; members as in perp_tangent, NULL: not wanted.  The mass matrix has the
 * gradient -mass_left mass_right' (dofs entries each), to be read on its own pattern. */
typedef struct perp_gradient {
    size_t size;
    double *q, *M, *par[PERP_PARAMETERS], *diagonal;
    double *mass_left, *mass_right;
} perp_gradient;

/* Gradients of z_bar.z + w_bar.w (count * n entries each; either may be NULL) by everything in
 * `of`, so that z_bar.dz + w_bar.dw = q.dq + sum M_ij dM_ij + ... for any direction in which the
 * solution is differentiable.  Entries of `of` that belong to no parameter become 0.  Of a matrix
 * the gradient is q_i z_j, the product that (dM) z makes.  Returns and errors as
 * perp_derivative_jvp(); on a kink PERP_ONE_SIDED (see above).  No allocation. */
PERP_API perp_status perp_derivative_vjp(perp_derivative *derivative, int count,
                                         const double *z_bar, const double *w_bar,
                                         const perp_gradient *of);

PERP_API void perp_derivative_destroy(perp_derivative *derivative); /* NULL is accepted */

#ifdef __cplusplus
}
#endif
#endif
