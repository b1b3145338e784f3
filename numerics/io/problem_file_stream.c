/* SPDX-License-Identifier: BSD-3-Clause */
/* Problem files from one process to another.  Nothing is believed of what comes: sizes are compared
 * with what they have to be before memory is taken, and the whole is checked as a file that a
 * caller filled. */
#include <limits.h>
#include <string.h>

#include "core/float_environment.h"
#include "io/failure.h"
#include "io/problem_file.h"

static const char whole[8] = "perp end";

typedef struct channel {
    perp_stream_put put;
    perp_stream_get get;
    void *ctx;
    int broken;
    double most; /* bytes that may be taken still */
    perp_heap *heap;
} channel;

static void put(channel *c, const void *data, size_t bytes)
{
    c->broken |= bytes > 0 && !c->broken && c->put(c->ctx, data, bytes) != 0;
}

static int get(channel *c, void *data, size_t bytes)
{
    c->broken |= bytes > 0 && !c->broken && c->get(c->ctx, data, bytes) != 0;
    return !c->broken;
}

/* NULL: no memory, or not whole. */
static void *get_array(channel *c, size_t count, size_t size)
{
    void *data = NULL;
    if ((double)count * (double)size <= c->most)
        data = perp_heap_take(c->heap, count, size);
    c->most -= (double)count * (double)size;
    c->broken |= !data;
    return data && get(c, data, count * size) ? data : NULL;
}

typedef struct mat_head {
    int present, kind, rows, cols, block, entries;
} mat_head;

static mat_head head_of(const perp_mat *A)
{
    mat_head h = {0, (int)A->kind, A->rows, A->cols, 1, 0};
    switch (A->kind) {
    case PERP_DENSE:
        h.present = A->as.dense.x != NULL;
        break;
    case PERP_CSC:
        h.present = A->as.csc.colptr != NULL;
        h.entries = h.present ? A->as.csc.colptr[A->cols] : 0;
        break;
    case PERP_BSR:
        h.present = A->as.bsr.rowptr != NULL;
        h.block = A->as.bsr.block;
        h.entries = h.present ? A->as.bsr.rowptr[A->rows / h.block] : 0;
        break;
    default:
        break;
    }
    return h;
}

static void put_mat(channel *c, const perp_mat *A)
{
    mat_head h = head_of(A);
    size_t entries = (size_t)h.entries, square = (size_t)h.block * (size_t)h.block;
    put(c, &h, sizeof h);
    if (!h.present)
        return;
    if (A->kind == PERP_DENSE)
        for (int j = 0; j < A->cols; j++)
            put(c, A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld,
                (size_t)A->rows * sizeof(double));
    if (A->kind == PERP_CSC) {
        put(c, A->as.csc.colptr, ((size_t)A->cols + 1) * sizeof(int));
        put(c, A->as.csc.row, entries * sizeof(int));
        put(c, A->as.csc.x, entries * sizeof(double));
    }
    if (A->kind == PERP_BSR) {
        put(c, A->as.bsr.rowptr, ((size_t)(A->rows / h.block) + 1) * sizeof(int));
        put(c, A->as.bsr.col, entries * sizeof(int));
        put(c, A->as.bsr.x, entries * square * sizeof(double));
    }
}

static void get_mat(channel *c, perp_mat *A)
{
    mat_head h;
    memset(A, 0, sizeof *A);
    if (!get(c, &h, sizeof h) || !h.present)
        return;
    int explicit_kind = h.kind == PERP_DENSE || h.kind == PERP_CSC || h.kind == PERP_BSR;
    if (!explicit_kind || h.rows < 0 || h.cols < 0 || h.entries < 0 || h.block < 1 || h.block > 6 ||
        h.rows % h.block != 0) {
        c->broken = 1;
        return;
    }
    size_t entries = (size_t)h.entries, square = (size_t)h.block * (size_t)h.block;
    int lines = h.kind == PERP_CSC ? h.cols : h.rows / h.block;
    if (h.kind == PERP_DENSE) {
        double *x = get_array(c, (size_t)h.rows * (size_t)h.cols, sizeof *x);
        c->broken |= !x || perp_mat_init_dense(A, h.rows, h.cols, x, h.rows > 0 ? h.rows : 1);
        return;
    }
    int *ptr = get_array(c, (size_t)lines + 1, sizeof *ptr);
    int *index = get_array(c, entries, sizeof *index);
    double *x = get_array(c, entries * square, sizeof *x);
    if (c->broken || ptr[lines] != h.entries)
        c->broken = 1;
    else if (h.kind == PERP_CSC)
        c->broken |= perp_mat_init_csc(A, h.rows, h.cols, ptr, index, x) != PERP_SOLVED;
    else
        c->broken |= perp_mat_init_bsr(A, lines, h.block, ptr, index, x) != PERP_SOLVED;
}

/* The vectors and their lengths. */
enum { VECTORS = 8 };

static void list_vectors(perp_problem_file *file, double ***at, size_t *count)
{
    size_t rows = (size_t)file->spacedim * (size_t)file->contacts, all = (size_t)file->M.rows;
    size_t contacts = (size_t)file->contacts, bilateral = (size_t)file->bilateral;
    double **vectors[VECTORS] = {&file->q,    &file->w,    &file->b,  &file->mu,
                                 &file->mu_r, &file->mu_s, &file->lo, &file->hi};
    size_t counts[VECTORS] = {all, rows, bilateral, contacts, contacts, contacts, all, all};
    memcpy(at, vectors, sizeof vectors);
    memcpy(count, counts, sizeof counts);
}

static void put_file(channel *c, const perp_problem_file *whole_file)
{
    perp_problem_file own = *whole_file, *file = &own;
    double **at[VECTORS];
    size_t count[VECTORS];
    put(c, file, sizeof *file);
    put_mat(c, &file->M);
    put_mat(c, &file->H);
    put_mat(c, &file->G);
    put_mat(c, &file->V);
    put_mat(c, &file->R);
    list_vectors(file, at, count);
    for (int k = 0; k < VECTORS; k++)
        if (*at[k])
            put(c, *at[k], count[k] * sizeof(double));
    if (file->is_free)
        put(c, file->is_free, (size_t)file->M.rows * sizeof(int));
    put(c, whole, sizeof whole);
}

static int sizes_are_sound(const perp_problem_file *file)
{
    return file->cls > PERP_CLASS_AUTO && file->cls <= PERP_CLASS_RELAY && file->spacedim >= 0 &&
           file->spacedim <= 6 && file->contacts >= 0 && file->contacts <= INT_MAX / 6 &&
           file->dofs >= 0 && file->bilateral >= 0;
}

/* Into a new file. */
static void get_file(channel *c, perp_problem_file *file)
{
    perp_problem_file sent;
    double **at[VECTORS], **from[VECTORS];
    size_t count[VECTORS];
    char end[sizeof whole];
    void *owner = file->owner;
    if (!get(c, &sent, sizeof sent))
        return;
    if (!sizes_are_sound(&sent)) {
        c->broken = 1;
        return;
    }
    *file = (perp_problem_file){.cls = sent.cls,
                                .spacedim = sent.spacedim,
                                .contacts = sent.contacts,
                                .dofs = sent.dofs,
                                .bilateral = sent.bilateral,
                                .has_V = sent.has_V != 0,
                                .has_G = sent.has_G != 0,
                                .owner = owner};
    memcpy(file->title, sent.title, sizeof file->title - 1);
    memcpy(file->note, sent.note, sizeof file->note - 1);
    get_mat(c, &file->M);
    get_mat(c, &file->H);
    get_mat(c, &file->G);
    get_mat(c, &file->V);
    get_mat(c, &file->R);
    list_vectors(file, at, count);
    list_vectors(&sent, from, count);
    for (int k = 0; k < VECTORS && !c->broken; k++)
        if (*from[k])
            *at[k] = get_array(c, count[k], sizeof(double));
    if (sent.is_free && !c->broken)
        file->is_free = get_array(c, (size_t)file->M.rows, sizeof(int));
    if (!get(c, end, sizeof end) || memcmp(end, whole, sizeof whole) != 0)
        c->broken = 1;
}

perp_status perp_problem_file_send(const perp_problem_file *file, perp_stream_put put_bytes,
                                   void *ctx)
{
    channel c = {.put = put_bytes, .ctx = ctx};
    if (!file || !put_bytes)
        return PERP_ERR_ARGUMENT;
    put_file(&c, file);
    return c.broken ? PERP_ERR_OPEN : PERP_SOLVED;
}

perp_status perp_problem_file_receive(perp_problem_file **file, perp_stream_get get_bytes,
                                      void *ctx, double most, const perp_allocator *allocator,
                                      perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    perp_problem_file *made;
    if (error)
        *error = (perp_io_error){0};
    if (!file || !get_bytes)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "an argument is out of its range");
    *file = NULL;
    perp_status status = perp_problem_file_create(&made, allocator);
    if (status)
        return perp_io_fail(error, status, NULL, 0, "no memory");
    channel c = {.get = get_bytes, .ctx = ctx, .most = most, .heap = perp_problem_file_heap(made)};
    get_file(&c, made);
    if (c.broken)
        status = perp_io_fail(error, PERP_ERR_FORMAT, NULL, 0, "what was sent is not whole");
    else
        status = perp_problem_file_check(made, error);
    if (status)
        perp_problem_file_destroy(made);
    else
        *file = made;
    return status;
}
