/* SPDX-License-Identifier: BSD-3-Clause */
/* Siconos text files: the parts that share a matrix reader.  Layouts of all
 * classes are described at the functions that read them. */
#ifndef PERP_IO_SICONOS_H
#define PERP_IO_SICONOS_H

#include "io/sparse.h"
#include "io/text.h"

/* A matrix as it was read: dense column-major values, or triplets. */
typedef struct perp_read_matrix {
    int rows, cols;
    double *dense; /* NULL: see T */
    perp_triplets T;
} perp_read_matrix;

/* storage (0 dense, 1 block, 2 sparse), rows, columns, contents.  Temporary
 * memory of the call is left in `work`.  The dense array comes from `keep`. */
perp_status perp_siconos_matrix(perp_read_matrix *A, perp_text *text, const char *name,
                                perp_heap *keep, perp_heap *work);
/* Entries as triplets (a dense matrix drops its zeros). */
perp_status perp_read_matrix_triplets(perp_triplets *T, const perp_read_matrix *A, perp_heap *work);
/* Dense stays dense, the rest becomes CSC. */
perp_status perp_read_matrix_plain(perp_mat *M, const perp_read_matrix *A, perp_heap *keep,
                                   perp_heap *work);

/* Fills an empty problem file of class cls, or of the one it recognises. */
perp_status perp_siconos_read(perp_problem_file *file, perp_problem_class cls, perp_text *text,
                              perp_heap *work);
/* The class the first numbers tell, PERP_CLASS_AUTO when they tell none.  LCP
 * stands for LCP and RELAY, FRICTION for FRICTION and GLOBAL. */
perp_problem_class perp_siconos_recognise(const perp_text *text);
perp_status perp_siconos_mlcp(perp_problem_file *file, perp_text *text, perp_heap *work);

#endif
