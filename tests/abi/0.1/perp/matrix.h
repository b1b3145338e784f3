/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix views.  A perp_mat borrows the caller's arrays and owns nothing.
 *
 * Index arrays are 0-based int.  The order inside a row or column is free,
 * duplicates are an error, and both triangles of a symmetric matrix are
 * stored.  The init functions only store what they are given; contents are
 * scanned once, by perp_solver_setup() or by perp_mat_check().
 */
#ifndef PERP_MATRIX_H
#define PERP_MATRIX_H

#include <perp/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum perp_mat_kind {
    PERP_DENSE,    /* column-major, leading dimension ld                     */
    PERP_CSC,      /* compressed columns                                     */
    PERP_BSR,      /* compressed rows of square blocks                       */
    PERP_OPERATOR, /* a callback, with an optional diagonal                  */
    PERP_DELASSUS  /* H' M^-1 H + diagonal, kept as its factors              */
} perp_mat_kind;

/* y = A x.  x has `cols` entries, y has `rows`; they do not overlap.
 * A non-zero return stops the solve with PERP_INTERRUPTED. */
typedef int (*perp_apply)(void *ctx, double *y, const double *x);

/* The inverse of a mass matrix, made once by the caller; opaque. */
typedef struct perp_mass perp_mass;

typedef struct perp_mat {
    perp_mat_kind kind;
    int rows, cols;
    union {
        struct {
            const double *x; /* x[i + j ld] */
            int ld;
        } dense;
        struct {
            const int *colptr; /* cols + 1 */
            const int *row;    /* colptr[cols] */
            const double *x;   /* colptr[cols] */
        } csc;
        struct {
            int block;         /* rows = cols = block * number of block rows */
            const int *rowptr; /* rows/block + 1, in blocks */
            const int *col;    /* block column of each block */
            const double *x;   /* block*block values each, column-major */
        } bsr;
        struct {
            perp_apply apply;
            void *ctx;
            const double *diagonal; /* rows entries, or NULL */
        } op;
        struct {
            int dofs;          /* rows of H, size of the mass */
            const int *colptr; /* H in compressed columns, dofs x cols: column j */
            const int *row;    /* holds the generalised direction of row j of z */
            const double *x;
            const perp_mass *mass;
            const double *diagonal; /* rows entries >= 0 that are added, or NULL: compliance */
        } delassus;
    } as;
} perp_mat;

/* Each returns PERP_ERR_ARGUMENT for a NULL array or a negative or
 * inconsistent size, PERP_ERR_OVERFLOW for more than INT_MAX rows (then *A is
 * untouched), otherwise PERP_SOLVED. */
PERP_API perp_status perp_mat_init_dense(perp_mat *A, int rows, int cols, const double *x, int ld);
PERP_API perp_status perp_mat_init_csc(perp_mat *A, int rows, int cols, const int *colptr,
                                       const int *row, const double *x);
/* n = block * block_rows unknowns; blocks of order 1 to 6. */
PERP_API perp_status perp_mat_init_bsr(perp_mat *A, int block_rows, int block, const int *rowptr,
                                       const int *col, const double *x);
PERP_API perp_status perp_mat_init_operator(perp_mat *A, int n, perp_apply apply, void *ctx,
                                            const double *diagonal);
/* W = H' M^-1 H with H given by compressed columns, dofs x n. */
PERP_API perp_status perp_mat_init_delassus(perp_mat *A, int dofs, int n, const int *colptr,
                                            const int *row, const double *x, const perp_mass *mass);
/* W = H' M^-1 H + diag(diagonal) from here on: rows that give way in proportion to their
 * multiplier, contacts with a compliance for one.  diagonal: rows entries >= 0, borrowed; NULL:
 * none. PERP_ERR_ARGUMENT: A is NULL or of another kind. */
PERP_API perp_status perp_mat_set_compliance(perp_mat *A, const double *diagonal);

/* Scans sizes, indices (range, duplicates) and values (finite).  Allocates
 * temporarily through `allocator`.  On error *where names array and index;
 * where may be NULL. */
PERP_API perp_status perp_mat_check(const perp_mat *A, const perp_allocator *allocator,
                                    perp_where *where);

/* Doubles of scratch that perp_mat_apply() needs for A (0 but for DELASSUS). */
PERP_API size_t perp_mat_scratch(const perp_mat *A);

/* y = A x; y has `rows` entries, x has `cols`, scratch perp_mat_scratch(A).
 * PERP_INTERRUPTED when an operator's callback asked for it.  No allocation. */
PERP_API perp_status perp_mat_apply(const perp_mat *A, const double *x, double *scratch, double *y);

/* Inverse of a square mass matrix M (DENSE, CSC or BSR).  Connected
 * components of the pattern are found; components of up to 12 unknowns (rigid
 * bodies) are inverted as dense blocks, larger ones by a sparse factorisation.
 * M need not be symmetric.  M may be released after the call.
 * On error *mass is NULL; PERP_ERR_SINGULAR names the first row of the singular component. */
PERP_API perp_status perp_mass_create(perp_mass **mass, const perp_mat *M,
                                      const perp_allocator *allocator, perp_where *where);
/* New numbers: afterwards the mass is the inverse of M, of the same size (any of the
 * three kinds), and the answers are those of a new mass.  M may be released after the call.
 * No allocation where all components have up to 12 unknowns, else the sparse part is
 * factorised again.  Entries that became zero change nothing; a non-zero that couples two
 * components has the mass made again, with both as one component from then on.
 * On error the mass is as it was.  A solver handle on a DELASSUS matrix that
 * borrows the mass needs perp_solver_update() afterwards, and
 * perp_solver_setup() where that one refuses the new components.  Not while another
 * thread uses the mass. */
PERP_API perp_status perp_mass_update(perp_mass *mass, const perp_mat *M, perp_where *where);
PERP_API void perp_mass_destroy(perp_mass *mass);
PERP_API int perp_mass_size(const perp_mass *mass);

/* x = M^-1 b; x and b may be the same array; scratch has perp_mass_size()
 * doubles.  No allocation; safe from several threads with distinct scratch. */
PERP_API void perp_mass_solve(const perp_mass *mass, const double *b, double *scratch, double *x);
/* x = M^-T b, the same otherwise. */
PERP_API void perp_mass_solve_transposed(const perp_mass *mass, const double *b, double *scratch,
                                         double *x);

#ifdef __cplusplus
}
#endif
#endif
