/* SPDX-License-Identifier: BSD-3-Clause */
/* Mixed complementarity problems in Siconos text.
 *
 *     0 = A u + C v + a,    0 <= v perp D u + B v + b >= 0
 *
 * Type 1 has one matrix M = [A C; D B] (or with its rows in other blocks) and
 * q; type 2 and the older files have the parts.  Files may hold both, and
 * then type 1 is read.  A rectangular M is made square: surplus equations get
 * zero columns, surplus free unknowns get zero rows. */
#include "io/siconos.h"

#include <limits.h>

#include "io/problem_file.h"

/* A dense square matrix has at most this many times the entries that the file gives, and these. */
enum { FILLED_SHARE = 4, FILLED_FREE = 4096 };

typedef struct mlcp_parts {
    int equations, n, m; /* A is equations x n, B is m x m */
    double *M;           /* equations + m rows, n + m columns, column-major */
    double *q;           /* equations + m */
} mlcp_parts;

static perp_status no_memory(perp_text *text)
{
    return perp_text_fail(text, PERP_ERR_MEMORY, "no memory");
}

static perp_status conversion(perp_text *text, perp_status status)
{
    if (status)
        perp_text_fail(text, status, "M: %s", perp_status_text(status));
    return text->status;
}

/* A part of M, row by row. */
static void read_part(mlcp_parts *P, perp_text *text, int row0, int rows, int col0, int cols,
                      const char *name)
{
    size_t ld = (size_t)P->equations + (size_t)P->m;
    for (int i = row0; i < row0 + rows && !text->status; i++)
        for (int j = col0; j < col0 + cols && !text->status; j++)
            perp_text_doubles(text, &P->M[(size_t)i + ld * (size_t)j], 1, name);
}

static perp_status read_parts(mlcp_parts *P, perp_text *text, perp_heap *work)
{
    size_t rows = (size_t)P->equations + (size_t)P->m, cols = (size_t)P->n + (size_t)P->m;
    if (rows >= INT_MAX || cols >= INT_MAX)
        return perp_text_fail(text, PERP_ERR_OVERFLOW, "too many rows");
    if (!perp_text_fits(text, rows * cols + rows, "A, B, C, D, a, b"))
        return text->status;
    P->M = PERP_HEAP_TAKE(work, double, rows *cols);
    P->q = PERP_HEAP_TAKE(work, double, rows);
    if (!P->M || !P->q)
        return no_memory(text);
    read_part(P, text, 0, P->equations, 0, P->n, "A");
    read_part(P, text, P->equations, P->m, P->n, P->m, "B");
    read_part(P, text, 0, P->equations, P->n, P->m, "C");
    read_part(P, text, P->equations, P->m, 0, P->n, "D");
    perp_text_doubles(text, P->q, (size_t)P->equations, "a");
    perp_text_doubles(text, P->q + P->equations, (size_t)P->m, "b");
    return text->status;
}

/* Place of row or column k of the parts, of which the first `wide` are free, in the square matrix
 * with f free ones. */
static int place(int k, int wide, int f)
{
    return k < wide ? k : k - wide + f;
}

/* The parts with the zeros of the square matrix: dense where the file has a fair share of its
 * entries, else only those that are not 0. */
static perp_status square_matrix(perp_problem_file *file, const mlcp_parts *P, int f,
                                 perp_text *text, perp_heap *work)
{
    perp_heap *keep = perp_problem_file_heap(file);
    size_t rows = (size_t)P->equations + (size_t)P->m, cols = (size_t)P->n + (size_t)P->m;
    size_t order = (size_t)f + (size_t)P->m, given = rows * cols;
    int dense = order * order <= FILLED_SHARE * given + FILLED_FREE;
    double *x = dense ? PERP_HEAP_ZERO(keep, double, order *order) : NULL;
    perp_triplets T = {.rows = (int)order, .cols = (int)order};
    if (!dense && given > INT_MAX)
        return perp_text_fail(text, PERP_ERR_OVERFLOW, "too many entries");
    if (dense ? !x : perp_triplets_take(&T, (int)order, (int)order, (int)given, work))
        return no_memory(text);
    T.count = 0;
    for (int j = 0; j < (int)cols; j++)
        for (int i = 0; i < (int)rows; i++) {
            int row = place(i, P->equations, f), col = place(j, P->n, f);
            double value = P->M[(size_t)i + rows * (size_t)j];
            if (dense) {
                x[(size_t)row + order * (size_t)col] = value;
            } else if (value != 0.0) {
                T.row[T.count] = row;
                T.col[T.count] = col;
                T.x[T.count++] = value;
            }
        }
    int ld = order > 0 ? (int)order : 1;
    return conversion(text, dense ? perp_mat_init_dense(&file->M, (int)order, (int)order, x, ld)
                                  : perp_triplets_to_csc(&file->M, &T, keep, work));
}

/* Free unknowns first, then the rows of P in a square matrix. */
static perp_status finish_parts(perp_problem_file *file, const mlcp_parts *P, perp_text *text,
                                perp_heap *work)
{
    perp_heap *keep = perp_problem_file_heap(file);
    int f = P->equations > P->n ? P->equations : P->n;
    int rows = P->equations + P->m;
    size_t order = (size_t)f + (size_t)P->m;
    if (rows == 0 && order > 0)
        return perp_text_fail(text, PERP_ERR_FORMAT, "%d unknowns and no row", (int)order);
    file->q = PERP_HEAP_ZERO(keep, double, order);
    file->is_free = PERP_HEAP_ZERO(keep, int, order);
    if (!file->q || !file->is_free)
        return no_memory(text);
    for (int i = 0; i < rows; i++)
        file->q[place(i, P->equations, f)] = P->q[i];
    for (int i = 0; i < f; i++)
        file->is_free[i] = 1;
    if (P->equations != P->n)
        perp_io_note(file, "%d equations for %d free unknowns: made square with %d zero %s",
                     P->equations, P->n, f - (P->equations < P->n ? P->equations : P->n),
                     P->equations > P->n ? "columns" : "rows");
    return square_matrix(file, P, f, text, work);
}

/* Ends of the block rows from 0 to size, and 0 (equations) or 1 for each. */
static int read_blocks(perp_problem_file *file, perp_text *text, int size)
{
    int *is_free = PERP_HEAP_TAKE(perp_problem_file_heap(file), int, size);
    perp_text ends = *text;
    int blocks = 0, last = perp_text_int(text, 0, 0, "first block row");
    while (last < size && !text->status) {
        last = perp_text_int(text, last + 1, size, "end of a block row");
        blocks++;
    }
    if (!is_free)
        no_memory(text);
    ends.error = NULL;
    perp_text_int(&ends, 0, 0, "");
    for (int k = 0, from = 0; k < blocks && !text->status; k++) {
        int to = perp_text_int(&ends, from, size, "");
        int comp = perp_text_int(text, 0, 1, "0 or 1 of a block");
        for (; from < to; from++)
            is_free[from] = !comp;
    }
    file->is_free = is_free;
    return !text->status;
}

/* Free columns come first, as the parts demand. */
static int free_columns_first(const int *is_free, int n, int m)
{
    for (int j = 0; j < n + m; j++)
        if (is_free[j] != (j < n))
            return 0;
    return 1;
}

/* A rectangular M.  The program that writes such files gives n + m entries of
 * q only; then b, which follows with the other parts, has what is missing. */
static perp_status read_rectangular(perp_problem_file *file, const perp_read_matrix *A,
                                    perp_text *text, int n, int m, int both, perp_heap *work)
{
    mlcp_parts P = {.equations = A->rows - m, .n = n, .m = m};
    size_t short_q = (size_t)n + (size_t)m, parts = short_q * (short_q + 1);
    int only, exact;
    if (A->cols != n + m || P.equations < 0 || !A->dense)
        return perp_text_fail(text, PERP_ERR_FORMAT, "M is %d x %d for %d unknowns", A->rows,
                              A->cols, n + m);
    if (!free_columns_first(file->is_free, n, m))
        return perp_text_fail(text, PERP_ERR_UNSUPPORTED,
                              "a rectangular M needs its equations before the other rows");
    size_t found = perp_text_count_numbers(text, short_q + parts + 1, &only);
    exact = both && only && found == short_q + parts && (size_t)P.equations <= short_q;
    P.M = A->dense;
    P.q = PERP_HEAP_TAKE(work, double, (size_t)A->rows + short_q);
    if (!P.q)
        return no_memory(text);
    perp_text_doubles(text, P.q, exact ? short_q : (size_t)A->rows, "q");
    if (exact) {
        mlcp_parts square = {.equations = n, .n = n, .m = m};
        if (read_parts(&square, text, work))
            return text->status;
        for (int i = 0; i < m; i++)
            P.q[P.equations + i] = square.q[n + i];
        perp_io_note(file, "q is shorter than M: its last %d entries taken from b", m);
    }
    return text->status ? text->status : finish_parts(file, &P, text, work);
}

static perp_status read_type1(perp_problem_file *file, perp_text *text, int n, int m, int both,
                              perp_heap *work)
{
    perp_heap *keep = perp_problem_file_heap(file);
    if (!perp_text_fits(text, (size_t)n + (size_t)m, "q"))
        return text->status;
    int size = n + m;
    perp_read_matrix A;
    if (!read_blocks(file, text, size) || perp_siconos_matrix(&A, text, "M", keep, work))
        return text->status;
    if (A.rows != size || A.cols != size)
        return read_rectangular(file, &A, text, n, m, both, work);
    file->q = PERP_HEAP_TAKE(keep, double, size);
    if (!file->q)
        return no_memory(text);
    perp_text_doubles(text, file->q, (size_t)size, "q");
    if (text->status)
        return text->status;
    return conversion(text, perp_read_matrix_plain(&file->M, &A, keep, work));
}

/* The two flags of the newer files are told from the sizes of the older ones by
 * what stands behind them. */
static int has_flags(const perp_text *text)
{
    perp_text look = *text;
    look.error = NULL;
    int a = perp_text_int(&look, 0, INT_MAX, ""), b = perp_text_int(&look, 0, INT_MAX, "");
    perp_text_int(&look, 0, INT_MAX, "");
    perp_text_int(&look, 0, INT_MAX, "");
    if (look.status || a > 1 || b > 1 || a + b == 0)
        return 0;
    return a == 0 || perp_text_int(&look, INT_MIN, INT_MAX, "") == 0;
}

perp_status perp_siconos_mlcp(perp_problem_file *file, perp_text *text, perp_heap *work)
{
    file->cls = PERP_CLASS_MLCP;
    int flags = has_flags(text), type1 = 0, type2 = 1;
    if (flags) {
        type1 = perp_text_int(text, 0, 1, "storage type 1");
        type2 = perp_text_int(text, 0, 1, "storage type 2");
    }
    mlcp_parts P = {0};
    P.n = P.equations = perp_text_int(text, 0, INT_MAX - 1, "n");
    P.m = perp_text_int(text, 0, INT_MAX - 1, "m");
    if (text->status)
        return text->status;
    if (type1)
        return read_type1(file, text, P.n, P.m, type2, work);
    if (!flags)
        P.equations = perp_text_int(text, P.m, INT_MAX - 1, "number of rows") - P.m;
    if (text->status || read_parts(&P, text, work))
        return text->status;
    return finish_parts(file, &P, text, work);
}
