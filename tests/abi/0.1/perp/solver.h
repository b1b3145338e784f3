/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver handles: create, setup, solve as often as wanted, destroy. */
#ifndef PERP_SOLVER_H
#define PERP_SOLVER_H

#include <perp/certificate.h>
#include <perp/problem.h>
#include <perp/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_solver_type perp_solver_type; /* what a name stands for; static */
typedef struct perp_solver perp_solver;           /* a handle */

/* By name ("gs", "nsn", "lemke", ...), NULL when unknown; and by number from 0, NULL past the
 * end.  The solvers of everyday use come first, then those for study. */
PERP_API const perp_solver_type *perp_solver_find(const char *name);
PERP_API const perp_solver_type *perp_solver_at(int k);
/* For a name that a solver had before, one sentence with its present name and the setting that
 * chooses the method; NULL for all other names. */
PERP_API const char *perp_solver_renamed(const char *name);
/* 1: one of those that a user may choose without having studied it. */
PERP_API int perp_solver_is_everyday(const perp_solver_type *type);
PERP_API const char *perp_solver_name(const perp_solver_type *type);
PERP_API const char *perp_solver_summary(const perp_solver_type *type);
/* The method settings that it reads, separated by blanks. */
PERP_API const char *perp_solver_reads(const perp_solver_type *type);
/* 1 when one of its methods handles the set / the kind of matrix (OPERATOR, for some, only with a
 * diagonal: perp_solver_fits()).  Where the settings choose one that does not, setup says so. */
PERP_API int perp_solver_takes_set(const perp_solver_type *type, perp_set set);
PERP_API int perp_solver_takes_matrix(const perp_solver_type *type, perp_mat_kind kind);
/* 1 when solve may allocate (PERP_ALLOCATES): inside a sparse factorisation, auto where it begins
 * another stage, lp its linear programs.  0 for the fixed
 * points with an inner solver, which allocate nothing unless the setting `inner` names a
 * solver that does, or one that has to be updated for new parameters (lemke, ipm, admm). */
PERP_API int perp_solver_allocates(const perp_solver_type *type);
/* 1 when it takes every set that occurs in the problem, and its matrix, with default settings. */
PERP_API int perp_solver_fits(const perp_solver_type *type, const perp_problem *problem);
/* A solver for this problem, from its sets, its kind of matrix and its number of
 * rows alone; no array but seg is read: auto, which looks at the numbers itself.  NULL where it does
 * not fit. */
PERP_API const perp_solver_type *perp_solver_choose(const perp_problem *problem);

/* Notes in perp_info.notes, an or of: */
typedef enum perp_note {
    PERP_NOTE_UNREAD = 1,     /* a setting was changed that this solver does not read */
    PERP_NOTE_NO_SCALED = 2,  /* no diagonal: only the natural measure was judged     */
    PERP_NOTE_SUBSTITUTE = 4, /* some d_i come from neighbours (negligible diagonal)  */
    PERP_NOTE_BEST = 8,       /* the iterate returned is not the last but the best    */
    PERP_NOTE_FLOOR = 16,     /* its error is that of rounding z: doubles hold no better one */
    PERP_NOTE_DEAR = 32,      /* auto: more than a hundred times the work of its cheapest stage */
    PERP_NOTE_SETTLED = 64    /* auto: an answer near its start, or of what begins at rest, was
                                 polished: the next of a sequence ask for warm_start = 4 until some
                                 starts are taken */
} perp_note;

/* What one of the solvers that `auto` ran did. */
typedef struct perp_stage {
    const char *solver;
    const char *why; /* it ended, in words */
    int iterations, factorisations;
    double first, best; /* error at its start, lowest one at its end */
    double seconds;
    double reserved[4]; /* 0 */
} perp_stage;

#define PERP_STAGES 12 /* recorded; the last record is overwritten by those that follow */

typedef struct perp_info {
    size_t size; /* set by the caller */
    perp_status status;
    const char *solver;
    int iterations;
    int factorisations;
    double flops;            /* of one factorisation, by its analysis; 0: none was analysed */
    double error;            /* what was compared with tol, recomputed (docs/theory.md); where
                                rounding of that could make the difference, with more digits */
    double floor;            /* where not solved: what rounding z to doubles adds to the error,
                                estimated; 0: not known */
    perp_residuals residual; /* recomputed from the problem's own arrays           */
    double setup_seconds, solve_seconds;
    size_t bytes; /* held by the handle, but for sparse factorisations  */
    unsigned notes;
    perp_where where; /* of an error, or the setting that was not read      */
    char detail[160]; /* one sentence more: what is wrong, how it ended; or "" */
    int nstages;      /* decision trail of `auto`, oldest first */
    perp_stage stages[PERP_STAGES];
    double reach; /* no solution has all |z_i| below this, proven: infinite with PERP_INFEASIBLE,
                     finite with PERP_INFEASIBLE_WITHIN, else 0 */
    double work;  /* counted, in sweeps over the problem: an iteration is one, a factorisation as many
                     as its entries and flops say (docs/reference/solvers.md); no clock is in it */
} perp_info;

/* Creates a handle; settings NULL: defaults; allocator NULL: malloc.  Settings
 * and allocator are copied.  On error *solver is NULL. */
PERP_API perp_status perp_solver_create(perp_solver **solver, const perp_solver_type *type,
                                        const perp_settings *settings,
                                        const perp_allocator *allocator, perp_where *where);
/* Checks the problem and prepares for it.  Keeps its pointers: the arrays must
 * live until the next setup or destroy.  Details of an error: perp_solver_info(). */
PERP_API perp_status perp_solver_setup(perp_solver *solver, const perp_problem *problem);
/* New numbers in the same shape and pattern; keeps the analysis.  The struct
 * and the arrays may be other ones; all of it is checked again.  What the check
 * refuses, and another shape, other segments or another number of entries
 * (PERP_ERR_ARGUMENT), leave the handle as it was.  After any other error, such
 * as a pattern that the solver cannot follow (PERP_ERR_STRUCTURE), the handle
 * needs a setup. */
PERP_API perp_status perp_solver_update(perp_solver *solver, const perp_problem *problem);
/* A new q (as many entries, borrowed from now on) with everything else as it was: M and
 * the parameters of the sets are not read again before the next solve.  NaN or Inf in q
 * (PERP_ERR_NONFINITE) leaves the handle as it was. */
PERP_API perp_status perp_solver_update_q(perp_solver *solver, const double *q);
/* z and w: n entries each, apart from each other.  z is read when settings.warm_start is not 0.  info may
 * be NULL.  Both are written unless the status is negative; w is NaN, and so are
 * the residuals, where an operator's callback refused even the last product. */
PERP_API perp_status perp_solver_solve(perp_solver *solver, double *z, double *w, perp_info *info);
PERP_API const perp_info *perp_solver_info(const perp_solver *solver);
/* The certificate of the last solve, as perp_certificate_check() wants it: n entries into
 * y (may be NULL). */
PERP_API perp_status perp_solver_certificate(const perp_solver *solver, int n,
                                             perp_certificate_kind *kind, double *y);
/* New settings for the next solve; those read in setup need a setup to matter. */
PERP_API perp_status perp_solver_set_settings(perp_solver *solver, const perp_settings *settings);
/* What a handle remembers between solves (step lengths, say), as bytes for a
 * checkpoint.  save: *bytes is the size of buf; it becomes the size needed, and
 * buf may be NULL to ask for it.  load wants the same solver and size of problem. */
PERP_API perp_status perp_solver_save(const perp_solver *solver, void *buf, size_t *bytes);
PERP_API perp_status perp_solver_load(perp_solver *solver, const void *buf, size_t bytes);
PERP_API void perp_solver_destroy(perp_solver *solver); /* NULL is accepted */

/* All of it in one call, solver by name; NULL: the one of perp_solver_choose(). */
PERP_API perp_status perp_solve(const char *solver, const perp_problem *problem,
                                const perp_settings *settings, double *z, double *w,
                                perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
