/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <string.h>

#include "io/problem_file.h"
#include "io/sparse.h"
#include "io/text.h"
#include "io/text_out.h"

/* Rows and columns without entries cost memory that no byte of the file pays for; more than the
 * first number, and so many times the bytes, are refused. */
enum { PERP_MTX_FREE_COLUMNS = 1 << 18, PERP_MTX_COLUMNS_PER_BYTE = 16 };

typedef struct banner {
    int coordinate, symmetric, skew;
} banner;

/* Case does not matter in the banner. */
static int same_word(const char *word, size_t length, const char *wanted)
{
    if (strlen(wanted) != length)
        return 0;
    for (size_t k = 0; k < length; k++) {
        char c = word[k] >= 'A' && word[k] <= 'Z' ? (char)(word[k] - 'A' + 'a') : word[k];
        if (c != wanted[k])
            return 0;
    }
    return 1;
}

/* The next word of a line: its length, and *line moved to it. */
static size_t next_word(const char **line, const char *stop)
{
    const char *p = *line;
    while (p < stop && (*p == ' ' || *p == '\t'))
        p++;
    *line = p;
    while (p < stop && *p != ' ' && *p != '\t')
        p++;
    return (size_t)(p - *line);
}

/* "%%MatrixMarket matrix coordinate|array real|integer general|symmetric|skew-symmetric" */
static perp_status read_banner(banner *b, perp_text *text)
{
    size_t length;
    const char *line = perp_text_line(text, &length), *word[5] = {0};
    size_t size[5] = {0};
    const char *stop = line ? line + length : NULL;
    for (int k = 0; line && k < 5; k++) {
        size[k] = next_word(&line, stop);
        word[k] = line;
        line += size[k];
    }
    if (!line || !same_word(word[0], size[0], "%%matrixmarket") ||
        !same_word(word[1], size[1], "matrix"))
        return perp_text_fail(text, PERP_ERR_FORMAT, "no line \"%%%%MatrixMarket matrix ...\"");
    b->coordinate = same_word(word[2], size[2], "coordinate");
    b->symmetric = same_word(word[4], size[4], "symmetric");
    b->skew = same_word(word[4], size[4], "skew-symmetric");
    if (!b->coordinate && !same_word(word[2], size[2], "array"))
        return perp_text_fail(text, PERP_ERR_FORMAT, "neither coordinate nor array");
    if (!same_word(word[3], size[3], "real") && !same_word(word[3], size[3], "integer"))
        return perp_text_fail(text, PERP_ERR_UNSUPPORTED, "neither real nor integer");
    if (!b->symmetric && !b->skew && !same_word(word[4], size[4], "general"))
        return perp_text_fail(text, PERP_ERR_UNSUPPORTED,
                              "none of general, symmetric, skew-symmetric");
    return PERP_SOLVED;
}

/* Comment lines and empty ones. */
static void skip_comments(perp_text *text)
{
    for (;;) {
        perp_text look = *text;
        size_t length;
        const char *line = perp_text_line(&look, &length);
        if (!line)
            return;
        const char *first = line;
        size_t word = next_word(&first, line + length);
        if (word > 0 && *first != '%')
            return;
        *text = look;
    }
}

static int has_both_triangles(const perp_triplets *T)
{
    int upper = 0, lower = 0;
    for (int e = 0; e < T->count; e++) {
        upper |= T->col[e] > T->row[e];
        lower |= T->col[e] < T->row[e];
    }
    return upper && lower;
}

/* The mirror puts the transposed entry right behind its original. */
static void negate_mirrored(perp_triplets *T)
{
    for (int e = 1; e < T->count; e++)
        if (T->row[e] != T->col[e] && T->row[e] == T->col[e - 1] && T->col[e] == T->row[e - 1]) {
            T->x[e] = -T->x[e];
            e++;
        }
}

static perp_status read_coordinates(perp_mat *A, const banner *b, perp_text *text, perp_heap *keep,
                                    perp_heap *work)
{
    int rows = perp_text_int(text, 0, INT_MAX - 1, "rows");
    int cols = perp_text_int(text, 0, INT_MAX - 1, "columns");
    int count = perp_text_int(text, 0, INT_MAX - 1, "number of entries");
    int most = rows > cols ? rows : cols;
    if (text->status || !perp_text_fits(text, 3 * (size_t)count, "the entries"))
        return text->status;
    if ((b->symmetric || b->skew) && rows != cols)
        return perp_text_fail(text, PERP_ERR_FORMAT, "a symmetric matrix is square");
    if ((size_t)most > PERP_MTX_FREE_COLUMNS + PERP_MTX_COLUMNS_PER_BYTE * perp_text_left(text))
        return perp_text_fail(text, PERP_ERR_OVERFLOW, "%d rows or columns for %d entries", most,
                              count);
    perp_triplets T;
    perp_status status = perp_triplets_take(&T, rows, cols, count, work);
    for (int e = 0; !status && e < count && !text->status; e++) {
        T.row[e] = perp_text_int(text, 1, rows, "a row") - 1;
        T.col[e] = perp_text_int(text, 1, cols, "a column") - 1;
        perp_text_doubles(text, T.x + e, 1, "an entry");
    }
    if (text->status)
        return text->status;
    if (!status && (b->symmetric || b->skew) && has_both_triangles(&T))
        return perp_text_fail(text, PERP_ERR_FORMAT,
                              "a symmetric matrix with entries on both sides of the diagonal");
    if (!status && (b->symmetric || b->skew))
        status = perp_triplets_mirror(&T, work);
    if (!status && b->skew)
        negate_mirrored(&T);
    if (!status)
        status = perp_triplets_to_csc(A, &T, keep, work);
    return status ? perp_text_fail(text, status, "%s", perp_status_text(status)) : PERP_SOLVED;
}

static perp_status read_array(perp_mat *A, const banner *b, perp_text *text, perp_heap *keep)
{
    int rows = perp_text_int(text, 0, INT_MAX - 1, "rows");
    int cols = perp_text_int(text, 0, INT_MAX - 1, "columns");
    if (text->status)
        return text->status;
    int half = b->symmetric || b->skew;
    if (half && rows != cols)
        return perp_text_fail(text, PERP_ERR_FORMAT, "a symmetric matrix is square");
    size_t m = (size_t)rows, n = (size_t)cols, skip = b->skew ? 1 : 0;
    if (!perp_text_fits(text, half ? m * (m + 1) / 2 - skip * m : m * n, "the entries"))
        return text->status;
    double *x = PERP_HEAP_ZERO(keep, double, m *n);
    if (!x)
        return perp_text_fail(text, PERP_ERR_MEMORY, "no memory");
    for (size_t j = 0; j < n && !text->status; j++) {
        size_t i0 = half ? j + skip : 0;
        if (i0 < m)
            perp_text_doubles(text, x + i0 + m * j, m - i0, "an entry");
        for (size_t i = j + 1; half && i < m; i++)
            x[j + m * i] = b->skew ? -x[i + m * j] : x[i + m * j];
    }
    if (text->status)
        return text->status;
    return perp_mat_init_dense(A, rows, cols, x, rows > 0 ? rows : 1);
}

perp_status perp_mtx_read(perp_problem_file *owner, const char *path, perp_mat *A,
                          perp_io_error *error)
{
    if (error)
        *error = (perp_io_error){0};
    if (!A || !owner || !path)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "an argument is out of its range");
    perp_heap work, *keep = perp_problem_file_heap(owner);
    perp_text text;
    banner b = {0};
    perp_heap_init(&work, &keep->allocator);
    perp_status status = perp_text_open(&text, path, &work, error);
    if (!status)
        status = read_banner(&b, &text);
    if (!status) {
        skip_comments(&text);
        status = b.coordinate ? read_coordinates(A, &b, &text, keep, &work)
                              : read_array(A, &b, &text, keep);
    }
    perp_heap_free(&work);
    return status;
}

static void put_coordinates(perp_text_out *out, const perp_triplets *T)
{
    char line[64];
    int sizes[3] = {T->rows, T->cols, T->count};
    perp_text_out_word(out, "%%MatrixMarket matrix coordinate real general");
    perp_text_out_ints(out, sizes, 3);
    for (int e = 0; e < T->count && !out->status; e++) {
        snprintf(line, sizeof line, "%d %d ", T->row[e] + 1, T->col[e] + 1);
        fputs(line, out->stream);
        perp_text_out_doubles(out, T->x + e, 1, '\n');
    }
}

static void put_array(perp_text_out *out, const perp_mat *A)
{
    int sizes[2] = {A->rows, A->cols};
    perp_text_out_word(out, "%%MatrixMarket matrix array real general");
    perp_text_out_ints(out, sizes, 2);
    for (int j = 0; j < A->cols; j++)
        perp_text_out_doubles(out, A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld,
                              (size_t)A->rows, '\n');
}

perp_status perp_mtx_write(const perp_mat *A, const char *path, perp_io_error *error)
{
    if (error)
        *error = (perp_io_error){0};
    if (!A || !path)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "an argument is out of its range");
    perp_heap work;
    perp_triplets T = {0};
    perp_text_out out;
    perp_heap_init(&work, NULL);
    perp_status status = PERP_SOLVED;
    if (A->kind != PERP_DENSE)
        status = perp_triplets_from_mat(&T, A, &work);
    if (status) {
        perp_heap_free(&work);
        return perp_io_fail(error, status, path, 0, "%s", perp_status_text(status));
    }
    if (!perp_text_out_begin(&out, path, &work, error)) {
        if (A->kind == PERP_DENSE)
            put_array(&out, A);
        else
            put_coordinates(&out, &T);
    }
    status = perp_text_out_end(&out);
    perp_heap_free(&work);
    return status;
}
