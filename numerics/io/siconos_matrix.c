/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/siconos.h"

#include <limits.h>
#include <string.h>

enum { STORAGE_DENSE, STORAGE_BLOCK, STORAGE_SPARSE };
enum { ORIGIN_TRIPLET = 1, ORIGIN_CSC, ORIGIN_CSR, ORIGIN_HALF_TRIPLET };

static perp_status no_memory(perp_text *text, const char *name)
{
    return perp_text_fail(text, PERP_ERR_MEMORY, "%s: no memory", name);
}

static perp_status read_dense(perp_read_matrix *A, perp_text *text, const char *name,
                              perp_heap *keep)
{
    int rows = perp_text_int(text, 0, INT_MAX, name);
    int cols = perp_text_int(text, 0, INT_MAX, name);
    if (text->status)
        return text->status;
    if (rows != A->rows || cols != A->cols)
        return perp_text_fail(text, PERP_ERR_FORMAT, "%s: sizes %d x %d and %d x %d differ", name,
                              A->rows, A->cols, rows, cols);
    size_t count = (size_t)rows * (size_t)cols;
    if (!perp_text_fits(text, count, name))
        return text->status;
    A->dense = PERP_HEAP_TAKE(keep, double, count);
    if (!A->dense)
        return no_memory(text, name);
    perp_text_doubles(text, A->dense, count, name);
    return text->status;
}

/* The structure of a block matrix.  Block k lies in block row row_of[k] and
 * block column col_of[k]; ends are cumulative sizes. */
typedef struct block_layout {
    int blocks, brows, bcols;
    int *row_end, *col_end;
    int *row_of, *col_of;
    int *ptr;
} block_layout;

static int ends_rise_to(const int *end, int count, int last)
{
    for (int k = 0; k < count; k++)
        if (end[k] < (k ? end[k - 1] : 0))
            return 0;
    return (count ? end[count - 1] : 0) == last;
}

/* Row starts -> row_of; 0 when they are inconsistent. */
static int spread_rows(block_layout *B, int filled)
{
    if (filled > B->brows + 1 || (filled > 0 && B->ptr[0] != 0))
        return 0;
    for (int i = 0; i + 1 < filled; i++) {
        if (B->ptr[i + 1] < B->ptr[i])
            return 0;
        for (int k = B->ptr[i]; k < B->ptr[i + 1]; k++)
            B->row_of[k] = i;
    }
    return (filled > 0 ? B->ptr[filled - 1] : 0) == B->blocks;
}

static perp_status read_layout(block_layout *B, const perp_read_matrix *A, perp_text *text,
                               const char *name, perp_heap *work)
{
    B->blocks = perp_text_int(text, 0, INT_MAX, name);
    B->brows = perp_text_int(text, 0, INT_MAX - 1, name);
    B->bcols = perp_text_int(text, 0, INT_MAX - 1, name);
    if (!perp_text_fits(text, (size_t)B->brows + (size_t)B->bcols + (size_t)B->blocks, name))
        return text->status;
    B->row_end = PERP_HEAP_TAKE(work, int, B->brows);
    B->col_end = PERP_HEAP_TAKE(work, int, B->bcols);
    B->row_of = PERP_HEAP_TAKE(work, int, B->blocks);
    B->col_of = PERP_HEAP_TAKE(work, int, B->blocks);
    if (!B->row_end || !B->col_end || !B->row_of || !B->col_of)
        return no_memory(text, name);
    perp_text_ints(text, B->row_end, (size_t)B->brows, 0, A->rows, "a block's last row");
    perp_text_ints(text, B->col_end, (size_t)B->bcols, 0, A->cols, "a block's last column");
    int filled1 = perp_text_int(text, 0, B->brows + 1, "number of row starts");
    int filled2 = perp_text_int(text, 0, B->blocks, "number of block columns");
    B->ptr = PERP_HEAP_TAKE(work, int, filled1);
    if (!B->ptr)
        return no_memory(text, name);
    perp_text_ints(text, B->ptr, (size_t)filled1, 0, B->blocks, "a row start");
    perp_text_ints(text, B->col_of, (size_t)filled2, 0, B->bcols - 1, "a block's column");
    if (text->status)
        return text->status;
    if (filled2 != B->blocks || !ends_rise_to(B->row_end, B->brows, A->rows) ||
        !ends_rise_to(B->col_end, B->bcols, A->cols) || !spread_rows(B, filled1))
        return perp_text_fail(text, PERP_ERR_FORMAT, "%s: inconsistent block structure", name);
    return PERP_SOLVED;
}

static int block_start(const int *end, int k)
{
    return k ? end[k - 1] : 0;
}

static size_t block_area(const block_layout *B, int k)
{
    int i = B->row_of[k], j = B->col_of[k];
    return (size_t)(B->row_end[i] - block_start(B->row_end, i)) *
           (size_t)(B->col_end[j] - block_start(B->col_end, j));
}

/* One block: its number, then its values column-major. */
static void read_block(perp_triplets *T, const block_layout *B, char *seen, perp_text *text,
                       const char *name)
{
    int k = perp_text_int(text, 0, B->blocks - 1, "a block's number");
    if (text->status)
        return;
    if (seen[k]) {
        perp_text_fail(text, PERP_ERR_FORMAT, "%s: block %d comes twice", name, k);
        return;
    }
    seen[k] = 1;
    int i0 = block_start(B->row_end, B->row_of[k]), i1 = B->row_end[B->row_of[k]];
    int j0 = block_start(B->col_end, B->col_of[k]), j1 = B->col_end[B->col_of[k]];
    perp_text_doubles(text, T->x + T->count, block_area(B, k), name);
    for (int j = j0; j < j1; j++)
        for (int i = i0; i < i1; i++) {
            T->row[T->count] = i;
            T->col[T->count++] = j;
        }
}

static perp_status read_blocks(perp_read_matrix *A, perp_text *text, const char *name,
                               perp_heap *work)
{
    block_layout B = {0};
    if (read_layout(&B, A, text, name, work))
        return text->status;
    size_t total = 0;
    for (int k = 0; k < B.blocks && total <= INT_MAX; k++)
        total += block_area(&B, k);
    if (!perp_text_fits(text, total + (size_t)B.blocks, name))
        return text->status;
    if (total > INT_MAX)
        return perp_text_fail(text, PERP_ERR_OVERFLOW, "%s: too many entries", name);
    char *seen = PERP_HEAP_ZERO(work, char, B.blocks);
    if (!seen || perp_triplets_take(&A->T, A->rows, A->cols, (int)total, work))
        return no_memory(text, name);
    A->T.count = 0;
    for (int k = 0; k < B.blocks && !text->status; k++)
        read_block(&A->T, &B, seen, text, name);
    return text->status;
}

typedef struct sparse_header {
    int rows, cols, nnz;
} sparse_header;

/* The number that ends just before p, not before start; -1: none. */
static int number_before(const char *start, const char *p)
{
    long value = 0, scale = 1;
    const char *q = p;
    while (q > start && q[-1] >= '0' && q[-1] <= '9' && p - q < 10) {
        q--;
        value += scale * (*q - '0');
        scale *= 10;
    }
    return q < p && value <= INT_MAX ? (int)value : -1;
}

static int number_after(const char *p, const char *stop)
{
    long value = 0;
    const char *q = p;
    while (q < stop && *q >= '0' && *q <= '9' && q - p < 10)
        value = 10 * value + (*q++ - '0');
    return q > p && value <= INT_MAX ? (int)value : -1;
}

/* First place of a word in a line that is not ended by a 0. */
static const char *find_word(const char *line, size_t length, const char *word)
{
    size_t n = strlen(word);
    for (size_t k = 0; k + n <= length; k++)
        if (memcmp(line + k, word, n) == 0)
            return line + k;
    return NULL;
}

/* "M-by-N, nzmax: Z nnz: Z" after a line or two of banner. */
static perp_status read_header(sparse_header *h, perp_text *text, const char *name)
{
    enum { LINES = 6 };
    for (int k = 0; k < LINES; k++) {
        size_t length;
        const char *line = perp_text_line(text, &length);
        const char *by = line ? find_word(line, length, "-by-") : NULL;
        if (!by)
            continue;
        const char *nnz = find_word(line, length, " nnz: ");
        h->rows = number_before(line, by);
        h->cols = number_after(by + 4, line + length);
        h->nnz = nnz ? number_after(nnz + 6, line + length) : -1;
        if (h->rows >= 0 && h->cols >= 0 && h->nnz >= 0)
            return PERP_SOLVED;
        break;
    }
    return perp_text_fail(text, PERP_ERR_FORMAT, "%s: no line \"M-by-N, nzmax: Z nnz: Z\"", name);
}

static void read_triplet_lines(perp_triplets *T, perp_text *text, const char *name)
{
    for (int e = 0; e < T->count && !text->status; e++) {
        T->row[e] = perp_text_int(text, 0, T->rows - 1, "a row");
        T->col[e] = perp_text_int(text, 0, T->cols - 1, "a column");
        perp_text_expect(text, ":", name);
        perp_text_doubles(text, T->x + e, 1, name);
    }
}

/* "col J : locations P to Q" and Q - P + 1 lines "I : value", for each J. */
static void read_compressed_lines(perp_triplets *T, perp_text *text, const char *name)
{
    int e = 0;
    for (int j = 0; j < T->cols && !text->status; j++) {
        perp_text_expect(text, perp_text_is(text, "row") ? "row" : "col", name);
        perp_text_int(text, j, j, "number of a column");
        perp_text_expect(text, ":", name);
        perp_text_expect(text, "locations", name);
        perp_text_int(text, e, e, "first location");
        perp_text_expect(text, "to", name);
        int last = perp_text_int(text, e - 1, T->count - 1, "last location");
        for (; e <= last && !text->status; e++) {
            T->row[e] = perp_text_int(text, 0, T->rows - 1, "a row");
            T->col[e] = j;
            perp_text_expect(text, ":", name);
            perp_text_doubles(text, T->x + e, 1, name);
        }
    }
    if (!text->status && e != T->count)
        perp_text_fail(text, PERP_ERR_FORMAT, "%s: %d of %d entries", name, e, T->count);
}

static perp_status read_sparse(perp_read_matrix *A, perp_text *text, const char *name,
                               perp_heap *work)
{
    sparse_header h = {0, 0, 0};
    int origin = perp_text_int(text, ORIGIN_TRIPLET, ORIGIN_HALF_TRIPLET, "sparse origin");
    if (read_header(&h, text, name))
        return text->status;
    /* Rows in compressed form are the columns of the transposed, and the header
     * may name either. */
    int csr = origin == ORIGIN_CSR;
    int same = h.rows == A->rows && h.cols == A->cols;
    if (!same && !(csr && h.rows == A->cols && h.cols == A->rows))
        return perp_text_fail(text, PERP_ERR_FORMAT, "%s: sizes %d x %d and %d x %d differ", name,
                              A->rows, A->cols, h.rows, h.cols);
    if (!perp_text_fits(text, 2 * (size_t)h.nnz, name))
        return text->status;
    if (perp_triplets_take(&A->T, csr ? A->cols : A->rows, csr ? A->rows : A->cols, h.nnz, work))
        return no_memory(text, name);
    if (origin == ORIGIN_CSC || csr)
        read_compressed_lines(&A->T, text, name);
    else
        read_triplet_lines(&A->T, text, name);
    if (text->status)
        return text->status;
    if (csr)
        perp_triplets_transpose(&A->T);
    if (origin == ORIGIN_HALF_TRIPLET && perp_triplets_mirror(&A->T, work))
        return no_memory(text, name);
    return PERP_SOLVED;
}

perp_status perp_siconos_matrix(perp_read_matrix *A, perp_text *text, const char *name,
                                perp_heap *keep, perp_heap *work)
{
    *A = (perp_read_matrix){0};
    int storage = perp_text_int(text, STORAGE_DENSE, STORAGE_SPARSE, "storage of a matrix");
    A->rows = perp_text_int(text, 0, INT_MAX - 1, "rows of a matrix");
    A->cols = perp_text_int(text, 0, INT_MAX - 1, "columns of a matrix");
    /* Each class has vectors of these lengths behind its matrices. */
    if (!perp_text_fits(text, (size_t)A->rows, name) ||
        !perp_text_fits(text, (size_t)A->cols, name))
        return text->status;
    if (storage == STORAGE_DENSE)
        return read_dense(A, text, name, keep);
    if (storage == STORAGE_BLOCK)
        return read_blocks(A, text, name, work);
    return read_sparse(A, text, name, work);
}

perp_status perp_read_matrix_triplets(perp_triplets *T, const perp_read_matrix *A, perp_heap *work)
{
    if (!A->dense) {
        *T = A->T;
        return PERP_SOLVED;
    }
    perp_mat dense;
    perp_status status =
        perp_mat_init_dense(&dense, A->rows, A->cols, A->dense, A->rows > 0 ? A->rows : 1);
    return status ? status : perp_triplets_from_mat(T, &dense, work);
}

perp_status perp_read_matrix_plain(perp_mat *M, const perp_read_matrix *A, perp_heap *keep,
                                   perp_heap *work)
{
    if (A->dense)
        return perp_mat_init_dense(M, A->rows, A->cols, A->dense, A->rows > 0 ? A->rows : 1);
    return perp_triplets_to_csc(M, &A->T, keep, work);
}
