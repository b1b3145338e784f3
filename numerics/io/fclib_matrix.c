/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/fclib_matrix.h"

#include <limits.h>
#include <stdio.h>

#include "io/problem_file.h"

enum { NAME = 64 };

/* As the file has it: triplets, or compressed with T's index arrays made only
 * when they are asked for.  C is the CSC of the matrix or (by_row) of its
 * transposed. */
typedef struct stored {
    perp_triplets T;
    perp_mat C;
    int compressed, by_row;
    perp_heap *heap; /* of the arrays */
} stored;

static const char *join(char *name, const char *group, const char *leaf)
{
    snprintf(name, NAME, "%s/%s", group, leaf);
    return name;
}

/* Pointers from 0, never falling. */
static void check_pointers(perp_h5 *h5, const char *name, const int *p, int major, int entries)
{
    if (p[0] != 0)
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "does not begin with 0");
    for (int k = 0; k < major && !h5->status; k++)
        if (p[k + 1] < p[k] || p[k + 1] > entries)
            perp_h5_fail(h5, PERP_ERR_FORMAT, name, "entry %d falls or exceeds the %d entries",
                         k + 1, entries);
}

static void check_indices(perp_h5 *h5, const char *group, const char *leaf, const int *index,
                          int count, int size)
{
    for (int e = 0; e < count && !h5->status; e++)
        if (index[e] < 0 || index[e] >= size)
            perp_h5_fail(h5, PERP_ERR_FORMAT, group, "%s[%d] is %d, outside 0 to %d", leaf, e,
                         index[e], size - 1);
}

/* CSC (nz -1) or CSR (nz -2). */
static void read_compressed(stored *S, perp_h5 *h5, const char *group, int by_row)
{
    char name[NAME];
    int major = by_row ? S->T.rows : S->T.cols, minor = by_row ? S->T.cols : S->T.rows;
    int entries = perp_h5_count(h5, join(name, group, "x"));
    const double *x = perp_h5_doubles(h5, name, entries, S->heap);
    const int *i = perp_h5_ints(h5, join(name, group, "i"), entries, S->heap);
    const int *p = perp_h5_ints(h5, join(name, group, "p"), major + 1, S->heap);
    if (h5->status)
        return;
    check_pointers(h5, name, p, major, entries);
    if (h5->status)
        return;
    check_indices(h5, group, "i", i, p[major], minor);
    perp_mat_init_csc(&S->C, minor, major, p, i, x);
    S->T.count = p[major];
    S->compressed = 1;
    S->by_row = by_row;
}

static int largest(const int *index, int count)
{
    int most = -1;
    for (int e = 0; e < count; e++)
        most = index[e] > most ? index[e] : most;
    return most;
}

/* Triplets: p is the column and i the row, whatever the comment in fclib.h
 * says; a file that obeyed the comment is seen by an index out of range. */
static void read_triplets(stored *S, perp_h5 *h5, const char *group, int nz,
                          perp_problem_file *file)
{
    char name[NAME];
    perp_triplets *T = &S->T;
    int entries = perp_h5_count(h5, join(name, group, "x"));
    T->x = perp_h5_doubles(h5, name, entries, S->heap);
    T->row = perp_h5_ints(h5, join(name, group, "i"), entries, S->heap);
    T->col = perp_h5_ints(h5, join(name, group, "p"), entries, S->heap);
    if (h5->status)
        return;
    if (entries < nz) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, group, "nz is %d and %d entries are stored", nz, entries);
        return;
    }
    T->count = nz;
    int row = largest(T->row, nz), col = largest(T->col, nz);
    if ((row >= T->rows || col >= T->cols) && row < T->cols && col < T->rows) {
        int *swap = T->row;
        T->row = T->col;
        T->col = swap;
        perp_io_note(file, "%s: p holds rows and i columns, read so", group);
    }
    check_indices(h5, group, "row", T->row, nz, T->rows);
    check_indices(h5, group, "column", T->col, nz, T->cols);
}

static void read_stored(stored *S, perp_h5 *h5, const char *group, int rows, int cols,
                        perp_problem_file *file, perp_heap *heap)
{
    char name[NAME];
    *S = (stored){.T = {.rows = rows, .cols = cols}, .heap = heap};
    int m = perp_h5_int(h5, join(name, group, "m"), 0, INT_MAX - 1);
    int n = perp_h5_int(h5, join(name, group, "n"), 0, INT_MAX - 1);
    int nz = perp_h5_int(h5, join(name, group, "nz"), -2, INT_MAX);
    if (!h5->status && (m != rows || n != cols))
        perp_h5_fail(h5, PERP_ERR_FORMAT, group, "is %d x %d, not %d x %d", m, n, rows, cols);
    if (h5->status)
        return;
    if (nz < 0)
        read_compressed(S, h5, group, nz == -2);
    else
        read_triplets(S, h5, group, nz, file);
}

static void failed(perp_h5 *h5, perp_status status, const char *group)
{
    if (status)
        perp_h5_fail(h5, status, group, "%s", perp_status_text(status));
}

/* Index arrays of the triplets.  They may end up in the problem file: see adopt. */
static void expand(stored *S, perp_h5 *h5, const char *group)
{
    if (h5->status || !S->compressed)
        return;
    int *outer = PERP_HEAP_TAKE(S->by_row ? S->heap : h5->work, int, S->T.count);
    int *inner = (int *)(uintptr_t)S->C.as.csc.row;
    if (!outer) {
        failed(h5, PERP_ERR_MEMORY, group);
        return;
    }
    for (int k = 0; k < S->C.cols; k++)
        for (int e = S->C.as.csc.colptr[k]; e < S->C.as.csc.colptr[k + 1]; e++)
            outer[e] = k;
    S->T.row = S->by_row ? outer : inner;
    S->T.col = S->by_row ? inner : outer;
    S->T.x = (double *)(uintptr_t)S->C.as.csc.x;
    S->compressed = 0;
}

static int one_triangle(const stored *S)
{
    int before = 0, after = 0;
    if (!S->compressed)
        return perp_triplets_one_triangle(&S->T);
    for (int k = 0; k < S->C.cols; k++)
        for (int e = S->C.as.csc.colptr[k]; e < S->C.as.csc.colptr[k + 1]; e++) {
            before |= S->C.as.csc.x[e] != 0.0 && S->C.as.csc.row[e] < k;
            after |= S->C.as.csc.x[e] != 0.0 && S->C.as.csc.row[e] > k;
        }
    return before != after;
}

/* Some files hold one triangle of a symmetric matrix, and say so nowhere. */
static void mirror(stored *S, perp_h5 *h5, const char *group, perp_problem_file *file)
{
    if (h5->status || !one_triangle(S))
        return;
    expand(S, h5, group);
    if (!h5->status)
        failed(h5, perp_triplets_mirror(&S->T, S->heap), group);
    perp_io_note(file, "%s: one triangle, mirrored", group);
}

static void keep_csc(perp_mat *A, stored *S, perp_h5 *h5, const char *group)
{
    expand(S, h5, group);
    if (!h5->status)
        failed(h5, perp_triplets_adopt(A, &S->T, S->heap, h5->work), group);
}

void perp_fclib_csc(perp_mat *A, perp_h5 *h5, const char *group, int rows, int cols,
                    perp_problem_file *file)
{
    stored S;
    read_stored(&S, h5, group, rows, cols, file, perp_problem_file_heap(file));
    keep_csc(A, &S, h5, group);
}

void perp_fclib_symmetric(perp_mat *A, perp_h5 *h5, const char *group, int rows,
                          perp_problem_file *file)
{
    stored S;
    read_stored(&S, h5, group, rows, rows, file, perp_problem_file_heap(file));
    mirror(&S, h5, group, file);
    keep_csc(A, &S, h5, group);
}

void perp_fclib_blocks(perp_mat *A, perp_h5 *h5, const char *group, int rows, int block,
                       perp_problem_file *file)
{
    stored S;
    perp_heap *keep = perp_problem_file_heap(file);
    read_stored(&S, h5, group, rows, rows, file, h5->work);
    mirror(&S, h5, group, file);
    if (h5->status)
        return;
    if (!S.compressed)
        failed(h5, perp_triplets_to_bsr(A, &S.T, block, keep, h5->work), group);
    else if (S.by_row)
        failed(h5, perp_rows_to_blocks(A, &S.C, block, keep, h5->work), group);
    else
        failed(h5, perp_csc_to_blocks(A, &S.C, block, keep, h5->work), group);
}
