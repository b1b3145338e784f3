/* SPDX-License-Identifier: BSD-3-Clause */
/* Problem and solution files: FCLib HDF5, Siconos text, Matrix Market.
 *
 * A perp_problem_file is a problem file in memory: the matrices and vectors as the file has
 * them, which it owns, and the unified problem made from them.  Calls into
 * this library from several threads must be serialised by the caller (HDF5).
 */
#ifndef PERP_IO_H
#define PERP_IO_H

#include <perp/numerics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which problem a file holds. */
typedef enum perp_problem_class {
    PERP_CLASS_AUTO,     /* for reading: recognise it */
    PERP_CLASS_FRICTION, /* u = W r + V l + q, V' r + R l + s = 0, r in K, mu (and mu_r)   */
    PERP_CLASS_GLOBAL,   /* M v = H r + G l + f, G' v + b = 0, u = H' v + w, mu (and mu_r) */
    PERP_CLASS_LCP,      /* 0 <= z perp M z + q >= 0                            */
    PERP_CLASS_MLCP,     /* the same with some rows w = 0                       */
    PERP_CLASS_RELAY,    /* lo <= z <= hi                                       */
    PERP_CLASS_ROLLING   /* for reading only: a FRICTION or GLOBAL file with mu_r          */
} perp_problem_class;

typedef enum perp_file_format {
    PERP_FORMAT_AUTO,   /* reading: by content; writing: by the file's ending   */
    PERP_FORMAT_FCLIB,  /* HDF5                        .hdf5 .h5                */
    PERP_FORMAT_SICONOS /* text                        .dat                     */
} perp_file_format;

/* Plain data; every array belongs to the file.  Unused ones are NULL / empty. */
typedef struct perp_problem_file {
    perp_problem_class cls;
    int spacedim; /* rows of a contact: 2 or 3, with mu_r 3, 4 or 5, with mu_s too 6; 0 without
                     friction */
    int contacts;
    int dofs;      /* GLOBAL: rows of M */
    int bilateral; /* columns of G, or rows of R */
    int has_V, has_G;
    perp_mat M;      /* GLOBAL: mass, CSC.  Else the matrix of the problem: BSR for
                        friction without V, else CSC or DENSE */
    perp_mat H, G;   /* GLOBAL, CSC: dofs x spacedim*contacts, dofs x bilateral */
    perp_mat V, R;   /* FRICTION with has_V, CSC */
    double *q;       /* q; GLOBAL: f */
    double *w;       /* GLOBAL: w, spacedim*contacts */
    double *b;       /* GLOBAL with has_G: b; FRICTION with has_V: s */
    double *mu;      /* contacts */
    double *mu_r;    /* contacts, a length: rolling friction, of 4 rows torsional (ROLLING blocks);
                        else NULL.  SICONOS has no 4 rows */
    double *mu_s;    /* contacts, a length: torsional friction beside rolling, 6 rows; else NULL.
                        SICONOS has none */
    double *lo, *hi; /* RELAY */
    int *is_free;    /* MLCP: 1 for an equality row */
    char title[128];
    char note[256]; /* what the reader had to do: "M: one triangle, mirrored", or "" */
    void *owner;    /* memory; private */
} perp_problem_file;

/* What went wrong in a file: text names path, dataset or line.  Its sizeof is the same in every
 * release. */
typedef struct perp_io_error {
    int line;        /* of a text file, from 1; 0 where it means nothing */
    int reserved[7]; /* 0 */
    char text[320];
} perp_io_error;

/* Reads a file.  error and allocator may be NULL.  On error *file is NULL and
 * the status PERP_ERR_OPEN, _FORMAT, _NONFINITE, _OVERFLOW (sizes beyond int),
 * _UNSUPPORTED (HDF5 in a build without it) or _MEMORY.
 * AUTO tells the classes apart by their numbers; a text file in which an LCP is
 * followed by too few numbers for the bounds of a relay needs its class named, and
 * so does a rolling problem of one contact with three rows. */
PERP_API perp_status perp_problem_file_read(perp_problem_file **file, const char *path,
                                            perp_problem_class cls, const perp_allocator *allocator,
                                            perp_io_error *error);
/* A problem file as bytes, for another process of the same program: a file that is not trusted is
 * read by a child process with limits (setrlimit()), which sends what it has, so that a crash of
 * HDF5 stays there.  The calls return 0 where all bytes went; PERP_ERR_OPEN: they said otherwise. */
typedef int (*perp_stream_put)(void *ctx, const void *data, size_t bytes);
typedef int (*perp_stream_get)(void *ctx, void *data, size_t bytes);
PERP_API perp_status perp_problem_file_send(const perp_problem_file *file, perp_stream_put put,
                                            void *ctx);
/* Nothing is believed of what comes: PERP_ERR_FORMAT where it is not whole or would take more than
 * `most` bytes, else as perp_problem_file_read(). */
PERP_API perp_status perp_problem_file_receive(perp_problem_file **file, perp_stream_get get,
                                               void *ctx, double most,
                                               const perp_allocator *allocator,
                                               perp_io_error *error);
/* An empty one, whose arrays the caller takes with perp_problem_file_take(). */
PERP_API perp_status perp_problem_file_create(perp_problem_file **file,
                                              const perp_allocator *allocator);
/* Memory that lives as long as the file; NULL when there is none. */
PERP_API void *perp_problem_file_take(perp_problem_file *file, size_t count, size_t size);
PERP_API void perp_problem_file_destroy(perp_problem_file *file);

/* A part of a GLOBAL problem, for one of several processes.  Ranges of the
 * vectors are the process's own; of each matrix any entries, which all parts together have once. */
typedef struct perp_part_entries {
    int count;
    int *row, *col; /* in the numbers of the whole */
    double *x;
} perp_part_entries;
typedef struct perp_problem_part {
    int spacedim, contacts, dofs, bilateral;       /* of the whole */
    int first_contact, first_dof, first_bilateral; /* where this part begins, */
    int own_contacts, own_dofs, own_bilateral;     /* and how many it has */
    perp_part_entries M, H, G;
    double *f;   /* own_dofs */
    double *w;   /* spacedim * own_contacts */
    double *mu;  /* own_contacts */
    double *b;   /* own_bilateral */
    void *owner; /* memory; private */
    int rolling; /* 1: the whole has rolling friction, with rows as in a perp_problem_file */
    double *mu_r; /* then, own_contacts: a length */
    double *mu_s; /* and of contacts of 6 rows, own_contacts: a length */
} perp_problem_part;

/* Part number `part` of `parts` of an HDF5 file: contiguous ranges, of which nothing else is read.
 * Several processes may read one file.  No vector may have more than 2^31-2 entries, a matrix may
 * where none of its parts has.  Errors as of perp_problem_file_read(); PERP_ERR_UNSUPPORTED: no
 * global form. */
PERP_API perp_status perp_problem_part_read(perp_problem_part **made, const char *path, int part,
                                            int parts, const perp_allocator *allocator,
                                            perp_io_error *error);
/* An empty one, whose arrays the caller takes with perp_problem_part_take(). */
PERP_API perp_status perp_problem_part_create(perp_problem_part **made,
                                              const perp_allocator *allocator);
PERP_API void *perp_problem_part_take(perp_problem_part *part, size_t count, size_t size);
PERP_API void perp_problem_part_destroy(perp_problem_part *part); /* NULL is accepted */

/* The unified problem.  Borrows the arrays of the file; what it needs beside them (mass, joined
 * matrices, segments) is made once and lives as long as they do.
 * GLOBAL becomes a DELASSUS matrix; rows of G or V follow the contacts as FREE. */
PERP_API perp_status perp_problem_file_get(perp_problem_file *file, perp_problem *problem,
                                           perp_io_error *error);
/* A file of any problem whose sets a file format has, for perp_problem_file_write(): FREE and
 * NONNEG with COULOMB of one dimension become FRICTION (contacts first, then equalities; a NONNEG
 * row is a contact with mu = 0, padded by rows of the identity), FREE, NONNEG and BOX become LCP,
 * MLCP or RELAY.  An OPERATOR or DELASSUS is applied to each unit vector.  Everything is copied.
 * PERP_ERR_UNSUPPORTED, with a reason in error: other sets, boxes with friction, contacts and
 * equalities that are not coupled symmetrically.  On error *file is NULL. */
PERP_API perp_status perp_problem_file_from_problem(perp_problem_file **file,
                                                    const perp_problem *problem,
                                                    const perp_allocator *allocator,
                                                    perp_io_error *error);
/* GLOBAL to FRICTION: forms W = H' M^-1 H (BSR) and q; G becomes V, R, s, and
 * then M must be symmetric to 1e-10 (else PERP_ERR_UNSUPPORTED). */
PERP_API perp_status perp_problem_file_to_local(perp_problem_file **local,
                                                const perp_problem_file *global,
                                                const perp_allocator *allocator,
                                                perp_io_error *error);

/* Writes through a temporary file that is synced and renamed.  A format that
 * cannot hold the class gives PERP_ERR_UNSUPPORTED. */
PERP_API perp_status perp_problem_file_write(const perp_problem_file *file, const char *path,
                                             perp_file_format format, perp_io_error *error);

/* Solution of the problem of a file: z and w as perp_solver_solve() left them, n
 * entries.  With an HDF5 path: a copy of the problem (in the form of FCLib)
 * with /solution/ v l u r; with any other ending: text, two columns z w with 17
 * digits below a header line. */
PERP_API perp_status perp_solution_write(perp_problem_file *file, const double *z, const double *w,
                                         const char *path, perp_io_error *error);
/* The same with an HDF5 path, where the problem is only in a file, FCLib in global form with masses
 * of bodies or single unknowns, as of perp_problem_part_read(): a copy of that file, whatever else it
 * holds, with this /solution.  Memory is taken for the unknowns and their masses, not for the
 * matrices. */
PERP_API perp_status perp_solution_write_copy(const char *problem, const double *z, const double *w,
                                              int n, const char *path, perp_io_error *error);
/* Reads z (n entries) from such a file, or r and l from an FCLib file's
 * /solution.  Nothing is believed of it: many stored solutions are all zeros. */
PERP_API perp_status perp_solution_read(perp_problem_file *file, const char *path, double *z,
                                        perp_io_error *error);

/* A file of your own that appears complete or not at all: write it under another name in the same
 * folder, close it, and give both names.  `written` is synced to the disk and renamed to `path`,
 * and the folder is synced.  PERP_ERR_OPEN, with `written` removed: that could not be done; errno
 * says why.  perp_problem_file_write(), perp_solution_write() and perp_mtx_write() work like that
 * by themselves. */
PERP_API perp_status perp_file_publish(const char *written, const char *path, perp_io_error *error);

/* Matrix Market, coordinate (to CSC) and array (to DENSE); real or integer;
 * general, symmetric or skew-symmetric.  The arrays belong to `owner`. */
PERP_API perp_status perp_mtx_read(perp_problem_file *owner, const char *path, perp_mat *A,
                                   perp_io_error *error);
PERP_API perp_status perp_mtx_write(const perp_mat *A, const char *path, perp_io_error *error);

#ifdef __cplusplus
}
#endif
#endif
