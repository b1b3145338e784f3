/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonlinear mixed complementarity:
 *
 *     find z in K,  -F(z) in N_K(z),    K of FREE, NONNEG and BOX rows,
 *
 * with callbacks for F and its Jacobian.  Two methods:
 *   JOSEPHY  Josephy's Newton: F is linearised and the problem that is left,
 *            w = J (z' - z) + F, goes to one of the solvers of <perp/solver.h> [Josephy1979].
 *            Quadratic near a regular solution, and often a few steps from far away.
 *   FISCHER  Newton on Fischer and Burmeister's function of each row [DeLucaEtAl1996]; between
 *            two bounds [Billups1995]: one linear system a step.
 * A step is halved until the square of Fischer's function, or for JOSEPHY |z - P_K(z - F)|, is
 * lower than the worst of the last four by a little.  Where a step of JOSEPHY fails that of FISCHER
 * is tried, then both with J + mu I and growing mu, at last the gradient.  F is evaluated in K
 * alone. */
#ifndef PERP_NCP_H
#define PERP_NCP_H

#include <perp/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* F (n entries) at z, a point of K.  Non-zero: the solve ends with PERP_INTERRUPTED.  A NaN or
 * infinity in F says that F is not defined at z: the line search then takes a shorter step. */
typedef int (*perp_ncp_value_fn)(void *ctx, double *F, const double *z);
/* dF/dz at z: n x n column-major, or the entries of the pattern in its order. */
typedef int (*perp_ncp_jacobian_fn)(void *ctx, double *J, const double *z);

/* Borrows everything. */
typedef struct perp_ncp {
    int n;
    perp_ncp_value_fn F;
    perp_ncp_jacobian_fn J;
    void *ctx;
    const int *colptr, *row; /* pattern of J by compressed columns; both NULL: dense */
    const perp_segment *seg; /* rows together n */
    int nseg;
} perp_ncp;

typedef enum perp_ncp_method { PERP_NCP_JOSEPHY, PERP_NCP_FISCHER } perp_ncp_method;

typedef struct perp_ncp_settings {
    size_t size; /* set by perp_ncp_settings_init() */
    perp_ncp_method method;
    double tol;                 /* 1e-8 */
    int max_iter;               /* 200 */
    double time_limit;          /* seconds; 0: none */
    const char *solver;         /* inner one of JOSEPHY; NULL: lemke */
    const perp_settings *inner; /* its settings; NULL: defaults with tol 1e-10 */
    perp_progress_fn progress;  /* after each iteration; non-zero: PERP_INTERRUPTED.  May be NULL */
    void *progress_ctx;
} perp_ncp_settings;

typedef struct perp_ncp_info {
    size_t size; /* set by the caller */
    perp_status status;
    int iterations;
    int values, jacobians;    /* callbacks made */
    int inner_solves;         /* of the inner solver */
    int inner_failed;         /* of them, not solved */
    int inner_iterations;     /* all of them together */
    perp_status inner_status; /* of the last one */
    int regularised;          /* steps with J + mu I */
    int gradients;            /* steps along the gradient */
    double error;     /* |z - P_K(z - F)| / max(|q|, |z|, |F|) with q = F - J z, or the square of
                         dist(F, K*) / |q| where that is more; recomputed at the z returned */
    perp_where where; /* of an error */
    char detail[160]; /* of an error, one sentence; else "" */
} perp_ncp_info;

PERP_API void perp_ncp_settings_init(perp_ncp_settings *settings, size_t size);

/* A handle with all memory; the inner solver may take more when its matrix gets new numbers
 * (perp_solver_update()).  Nothing else is allocated in a solve, but inside a sparse
 * factorisation.  Settings NULL: defaults.  On error *solver is NULL. */
typedef struct perp_ncp_solver perp_ncp_solver;
PERP_API perp_status perp_ncp_solver_create(perp_ncp_solver **solver, const perp_ncp *ncp,
                                            const perp_ncp_settings *settings,
                                            const perp_allocator *allocator, perp_where *where);
/* z (n entries) is the first iterate, put into K, and then the answer; F (n entries) is F(z).
 * Both are written unless the status is negative.  PERP_ERR_NUMERICAL: F is not defined at the
 * first iterate.  info may be NULL. */
PERP_API perp_status perp_ncp_solver_solve(perp_ncp_solver *solver, double *z, double *F,
                                           perp_ncp_info *info);
PERP_API void perp_ncp_solver_destroy(perp_ncp_solver *solver); /* NULL is accepted */

/* All of it in one call. */
PERP_API perp_status perp_ncp_solve(const perp_ncp *ncp, const perp_ncp_settings *settings,
                                    double *z, double *F, perp_ncp_info *info);

/* The largest difference between J(z) and central differences of F, relative to the largest
 * entry of its column (entries outside the pattern count too); row and col (may be NULL) say
 * where.  Temporary memory through `allocator`. */
PERP_API perp_status perp_ncp_check_jacobian(const perp_ncp *ncp, const double *z,
                                             const perp_allocator *allocator, double *worst,
                                             int *row, int *col);

#ifdef __cplusplus
}
#endif
#endif
