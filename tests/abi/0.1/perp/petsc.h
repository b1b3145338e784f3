/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact problems whose rows and bodies lie in several processes, on PETSc and MPI: the library
 * libperp-petsc, there where Perp was configured with PETSC.
 *
 *     w = H M^-1 H' z + C z + q,    -(w + s(w)) in N_K(z)
 *
 * is the problem of <perp/problem.h> in Delassus form: row j of H is the generalised direction of
 * row j of z, M the mass of the bodies, C a diagonal compliance.  H, M and the vectors are PETSc
 * objects that the caller fills row by row (MatSetValues()); each rank names the segments of its
 * own rows.
 *
 *     perp_petsc_problem part = {.H = H, .M = M, .q = q, .seg = seg, .nseg = nseg};
 *     perp_petsc *system;
 *     perp_petsc_create(&system, PETSC_COMM_WORLD, &part, NULL, &where);
 *     perp_petsc_solve(system, "schwarz", NULL, z, NULL, &info, &where);
 *     perp_petsc_destroy(system);
 *
 * PETSc must be initialised (real, double precision) and is not finalised here.  Calls are
 * collective over the communicator, and settings must be the same on all ranks.  Where the input of
 * one rank is refused, every rank returns the same status and the same place.  That is not so where
 * PETSc or MPI themselves fail on one rank, without memory say: MPI then ends the run, or waits.
 *
 * The same input on the same number of ranks has the same bits in each run: sums are taken in the
 * order of the ranks.  Another number of ranks has other roundings and another path to the answer.
 * Status and conventions are those of <perp/base.h>.
 */
#ifndef PERP_PETSC_H
#define PERP_PETSC_H

#include <perp/io.h>
#include <perp/problem.h>
#include <perp/settings.h>

#include <petscmat.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a rank gives; collective objects but for the segments.  Read by perp_petsc_create() alone,
 * so that all may be destroyed after it. */
typedef struct perp_petsc_problem {
    Mat H; /* rows x unknowns of the bodies, any type with MatGetRow() */
    Mat M; /* mass: unknowns x unknowns, block diagonal in any numbering; its rows are
              divided among the ranks as the columns of H.  A block has at most 12
              unknowns and may lie in several ranks; its pattern is symmetric.
              schwarz is made for masses that are symmetric positive definite, and
              faster where M knows its groups of six unknowns: MatSetBlockSize() */
    Vec q; /* divided as the rows of H */
    Vec C; /* compliance, like q, entries >= 0; NULL: none */
    const perp_segment *seg; /* of this rank's rows, any number of them, none too */
    int nseg;
} perp_petsc_problem;

/* Where an error is: the same on every rank.  what, segment and index as in perp_where; indices are
 * those of the rank that found it, of its own rows. */
typedef struct perp_petsc_where {
    char what[48];
    int rank; /* -1: no single one */
    int segment, index;
    char text[160]; /* one sentence more, or "" */
} perp_petsc_where;

typedef struct perp_petsc perp_petsc; /* a distributed problem that was checked; opaque */

/* Collects what a rank needs: its rows, the masses of all bodies that they touch, and the way to
 * the ranks that touch them too.  A rank may have no rows, no bodies, or neither.  memory (may be
 * NULL: malloc) serves what Perp itself takes.  On error *made is NULL. PERP_ERR_STATE: PETSc is
 * not initialised.  PERP_ERR_ARGUMENT: an object is NULL or lies on other ranks than comm.
 * PERP_ERR_STRUCTURE: local sizes that do not fit each other, or a matrix that is not assembled.
 * PERP_ERR_NONFINITE, PERP_ERR_SINGULAR, PERP_ERR_UNSUPPORTED (a block of M beyond 12
 * unknowns), PERP_ERR_OVERFLOW (more rows than PetscInt counts), PERP_ERR_MEMORY, and what
 * perp_problem_check() says of the segments. */
PERP_API perp_status perp_petsc_create(perp_petsc **made, MPI_Comm comm,
                                       const perp_petsc_problem *problem,
                                       const perp_allocator *memory, perp_petsc_where *where);
PERP_API void perp_petsc_destroy(perp_petsc *system); /* NULL is accepted */

/* The measures of perp_residual(), of the whole: w = W z + q is recomputed from the distributed
 * data. They differ from the serial ones by rounding alone, but w is not made again with twice the
 * digits as there.  w (may be NULL, on all ranks then) receives it.  residuals->size must be set.
 */
PERP_API perp_status perp_petsc_residual(perp_petsc *system, Vec z, Vec w,
                                         perp_residuals *residuals, perp_petsc_where *where);

/* What one rank has, and what a solve made it do.  No figure depends on the machine or on a clock.
 * Messages and bytes are those of the products' exchanges that leave the rank; a sum over the ranks
 * is one of `sums`, with its bytes apart in sum_bytes. */
typedef struct perp_petsc_load {
    int rows, blocks;        /* own ones */
    int unknowns;            /* of the bodies that these rows touch */
    int shared;              /* unknowns among these that another rank's rows touch too */
    int neighbours;          /* ranks to which a product sends */
    double products, sweeps; /* products with W; Gauss-Seidel passes over the own blocks */
    double messages, bytes;  /* sent */
    double sums, sum_bytes;  /* taken part in; bytes of this rank's contribution */
    double flops;            /* counted: docs/reference/distributed.md */
} perp_petsc_load;

typedef struct perp_petsc_info {
    size_t size; /* set by the caller */
    perp_status status;
    const char *solver;
    int ranks;
    int iterations;          /* outer ones, as on every rank */
    double error;            /* what was compared with tol; recomputed */
    perp_residuals residual; /* of the answer */
    perp_petsc_load own;     /* of this rank */
    perp_petsc_load sum;     /* of all; shared unknowns count once for each rank */
    double imbalance;        /* largest flops of a rank over their mean; 1: none has more */
    double seconds;          /* of the solve, on this rank; settings timing = 0: 0 */
    char detail[160];        /* one sentence more, or "" */
} perp_petsc_info;

/* Solves to settings->tol.  solver: "apgd", accelerated projected gradient, "schwarz",
 * Gauss-Seidel inside each rank and a momentum across them (docs/reference/distributed.md), or
 * "auto", schwarz (on one rank the library's own "auto") and, where that stalls, apgd from its best
 * iterate with the iterations and the time that are left; NULL: "auto".  Of the settings
 * (NULL: the defaults) tol, max_iter, time_limit, warm_start, measure, stall_window, timing,
 * check_every and progress are read, by apgd also step, and schwarz hands threads and local on.
 * progress is called on each rank; all stop where one asks for it.  z is output, and read where
 * warm_start is not 0; w (may be NULL) receives W z + q.  Both are written unless the status is
 * negative.  info may be NULL. */
PERP_API perp_status perp_petsc_solve(perp_petsc *system, const char *solver,
                                      const perp_settings *settings, Vec z, Vec w,
                                      perp_petsc_info *info, perp_petsc_where *where);

/* Solvers by number, name and one line; NULL past the end. */
PERP_API const char *perp_petsc_solver_name(int k);
PERP_API const char *perp_petsc_solver_summary(int k);

/* A whole problem that rank 0 has, divided among the ranks.
 *
 * A body is a block of the mass, or three or six neighbouring unknowns that blocks do not cut,
 * where rows need fewer numbers so (a diagonal mass does not say what a body is).  Bodies are
 * divided by PETSc's MatPartitioning on rank 0, weighted by their blocks of rows; a block of rows
 * goes to the owner of the heaviest body that it touches (largest diagonal entry of the mass; of
 * equals the first), one without a body to rank 0. PT-Scotch divides with threads and then
 * otherwise in each run: for the same bits put SCOTCH_PTHREAD_NUMBER=1 into the environment, as
 * perp-mpi does. */
typedef struct perp_petsc_share perp_petsc_share;

typedef struct perp_petsc_cut {
    const char *method;      /* "ptscotch", "parmetis", or "chunks": bodies in their order,
                                or "as given" */
    int bodies, edges;       /* of the graph: pairs of bodies with rows in common */
    int cut;                 /* edges between ranks */
    int most_rows, own_rows; /* rows of the rank that has most, and of this one */
    int own_bodies;
} perp_petsc_cut;

/* whole and mass are read on rank 0 alone.  whole->M is DELASSUS, and mass the matrix M (CSC) that
 * it was made with; or DENSE, CSC or BSR, and mass NULL: then each coupling of two blocks becomes a
 * body, and the graph is that of the blocks of rows (docs/reference/distributed.md).  The arrays
 * may go after the call.  On error *made is NULL.  PERP_ERR_UNSUPPORTED: an OPERATOR, an assembled
 * M with a block of more than six rows. */
PERP_API perp_status perp_petsc_share_create(perp_petsc_share **made, MPI_Comm comm,
                                             const perp_problem *whole, const perp_mat *mass,
                                             const perp_allocator *memory, perp_petsc_where *where);
/* The same where each rank has a part, of perp_problem_part_read() or of a generator, and none has
 * the whole: bodies are divided by all ranks together.  A body is six neighbouring unknowns (three
 * in the plane), which M does not couple with others, or each unknown is one where M is diagonal.
 * The part may go after the call.  PERP_ERR_STRUCTURE: the parts are not those of one problem;
 * PERP_ERR_UNSUPPORTED: another M; PERP_ERR_SINGULAR. */
PERP_API perp_status perp_petsc_share_parts(perp_petsc_share **made, MPI_Comm comm,
                                            const perp_problem_part *part,
                                            const perp_allocator *memory, perp_petsc_where *where);
/* The same for an assembled matrix that no rank has whole: problem->M is W, of any type with
 * MatGetRow() and MatTranspose() (AIJ, BAIJ, dense), square, its rows and columns divided as q;
 * problem->H is NULL, and C is added to W.  Each coupling of two blocks becomes a body as above, of
 * the rank of the first.  Rows stay where they are (method "as given"): the caller divides.  The
 * objects may go after the call.  PERP_ERR_ARGUMENT, PERP_ERR_STRUCTURE and PERP_ERR_NONFINITE as
 * of perp_petsc_create(); PERP_ERR_UNSUPPORTED: a block of more than six rows, or one that is
 * singular, not 0, and coupled to nothing; PERP_ERR_OVERFLOW. */
PERP_API perp_status perp_petsc_share_assembled(perp_petsc_share **made, MPI_Comm comm,
                                                const perp_petsc_problem *problem,
                                                const perp_allocator *memory,
                                                perp_petsc_where *where);
/* This rank's part, for perp_petsc_create(); belongs to the share. */
PERP_API const perp_petsc_problem *perp_petsc_share_problem(const perp_petsc_share *share);
PERP_API const perp_petsc_cut *perp_petsc_share_cut(const perp_petsc_share *share);
/* Gathers a vector divided like q into `whole` (all rows, in their first order) on rank 0, where it
 * may not be NULL; and the other way. */
PERP_API perp_status perp_petsc_share_gather(perp_petsc_share *share, Vec x, double *whole);
PERP_API perp_status perp_petsc_share_scatter(perp_petsc_share *share, const double *whole, Vec x);
PERP_API void perp_petsc_share_destroy(perp_petsc_share *share); /* NULL is accepted */

#ifdef __cplusplus
}
#endif
#endif
