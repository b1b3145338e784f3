/* SPDX-License-Identifier: BSD-3-Clause */
#include "io_samples.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 53 random bits, exponents from 1e-20 to 1e20, now and then 0 or a denormal. */
static double any_value(perp_rng *rng)
{
    double x = perp_rng_signed(rng);
    int kind = perp_rng_below(rng, 20);
    if (kind == 0)
        return 0.0;
    if (kind == 1)
        return x * 1e-310;
    return kind < 10 ? x : ldexp(x, perp_rng_below(rng, 133) - 66);
}

static double *vector(perp_dump *d, int count, perp_rng *rng)
{
    double *x = perp_dump_take(d, (size_t)count, sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (int i = 0; i < count; i++)
        x[i] = any_value(rng);
    return x;
}

/* Random pattern of the given density, rows sorted, values as asked. */
static perp_mat sparse(perp_dump *d, int rows, int cols, double density, perp_rng *rng)
{
    int *colptr = perp_dump_take(d, (size_t)cols + 1, sizeof *colptr), count = 0;
    int *row = perp_dump_take(d, (size_t)(rows * cols), sizeof *row);
    double *x = perp_dump_take(d, (size_t)(rows * cols), sizeof *x);
    perp_mat A;
    colptr[0] = 0;
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++)
            if (perp_rng_uniform(rng) < density) {
                row[count] = i;
                x[count++] = any_value(rng);
            }
        colptr[j + 1] = count;
    }
    ck_assert_int_eq(perp_mat_init_csc(&A, rows, cols, colptr, row, x), PERP_SOLVED);
    return A;
}

static perp_mat dense(perp_dump *d, int n, perp_rng *rng)
{
    perp_mat A;
    ck_assert_int_eq(perp_mat_init_dense(&A, n, n, vector(d, n * n, rng), n > 0 ? n : 1),
                     PERP_SOLVED);
    return A;
}

static perp_mat blocks(perp_dump *d, int nb, int b, perp_rng *rng)
{
    int *rowptr = perp_dump_take(d, (size_t)nb + 1, sizeof *rowptr), count = 0;
    int *col = perp_dump_take(d, (size_t)(nb * nb), sizeof *col);
    perp_mat A;
    rowptr[0] = 0;
    for (int i = 0; i < nb; i++) {
        for (int j = 0; j < nb; j++)
            if (i == j || perp_rng_uniform(rng) < 0.4)
                col[count++] = j;
        rowptr[i + 1] = count;
    }
    double *x = vector(d, count * b * b, rng);
    ck_assert_int_eq(perp_mat_init_bsr(&A, nb, b, rowptr, col, x), PERP_SOLVED);
    return A;
}

/* Symmetric positive definite, bodies of 1 to 6 unknowns and, when there is room, a
 * chain of 70. */
static perp_mat mass(perp_dump *d, int n, perp_rng *rng)
{
    int *colptr = perp_dump_take(d, (size_t)n + 1, sizeof *colptr), count = 0;
    int *row = perp_dump_take(d, (size_t)n * 6, sizeof *row);
    double *x = perp_dump_take(d, (size_t)n * 6, sizeof *x);
    perp_mat A;
    colptr[0] = 0;
    for (int first = 0, j = 0; first < n;) {
        int chain = first == 0 && n > 80;
        int size = chain ? 70 : 1 + perp_rng_below(rng, 6);
        size = size < n - first ? size : n - first;
        for (; j < first + size; j++) {
            for (int i = first; i < first + size; i++) {
                if (chain && abs(i - j) > 1)
                    continue;
                row[count] = i;
                x[count++] = i == j ? 3.0 + i % 5 : 0.25 / (1 + abs(i - j));
            }
            colptr[j + 1] = count;
        }
        first += size;
    }
    ck_assert_int_eq(perp_mat_init_csc(&A, n, n, colptr, row, x), PERP_SOLVED);
    return A;
}

/* Values of moderate size, so that products can be compared. */
static void tame(const perp_mat *A, perp_rng *rng)
{
    double *x = (double *)(uintptr_t)A->as.csc.x;
    for (int p = 0; p < A->as.csc.colptr[A->cols]; p++)
        x[p] = perp_rng_signed(rng);
}

/* A reader of FCLib takes a matrix with one triangle for half of a symmetric one. */
static void both_triangles(const double *column, int ld, int size)
{
    double *x = (double *)(uintptr_t)column;
    if (size > 0)
        x[1] = x[ld] = 0.5;
}

static void rolling(perp_dump *d, int yes, perp_rng *rng)
{
    if (!yes)
        return;
    d->mu_r = vector(d, d->contacts, rng);
    for (int k = 0; k < d->contacts; k++)
        d->mu_r[k] = fabs(d->mu_r[k]);
}

static void make_friction(perp_dump *d, io_sample kind, int size, perp_rng *rng)
{
    d->cls = PERP_DUMP_FRICTION;
    d->spacedim = kind == IO_FRICTION_2D ? 2 : kind == IO_ROLLING ? 5 : 3;
    d->contacts = size;
    int rows = d->spacedim * size;
    d->q = vector(d, rows, rng);
    d->mu = vector(d, size, rng);
    for (int k = 0; k < size; k++)
        d->mu[k] = fabs(d->mu[k]);
    rolling(d, kind == IO_ROLLING, rng);
    if (kind != IO_FRICTION_V) {
        d->M = blocks(d, size, d->spacedim, rng);
        both_triangles(d->M.as.bsr.x, d->spacedim, size);
        return;
    }
    d->has_V = 1;
    d->bilateral = size;
    d->M = sparse(d, rows, rows, 1.0, rng);
    both_triangles(d->M.as.csc.x, rows, size);
    d->V = sparse(d, rows, size, 0.5, rng);
    d->R = sparse(d, size, size, 0.8, rng);
    d->b = vector(d, size, rng);
}

static void make_global(perp_dump *d, io_sample kind, int size, perp_rng *rng)
{
    d->cls = PERP_DUMP_GLOBAL;
    d->spacedim = kind == IO_GLOBAL_2D ? 2 : kind == IO_GLOBAL_ROLLING ? 5 : 3;
    d->contacts = size;
    d->dofs = 6 * size;
    int cols = d->spacedim * size;
    d->M = mass(d, d->dofs, rng);
    d->H = sparse(d, d->dofs, cols, 3.0 / (d->dofs + 1), rng);
    tame(&d->H, rng);
    d->q = vector(d, d->dofs, rng);
    d->w = vector(d, cols, rng);
    d->mu = vector(d, size, rng);
    for (int k = 0; k < size; k++)
        d->mu[k] = fabs(d->mu[k]);
    rolling(d, kind == IO_GLOBAL_ROLLING, rng);
    if (kind != IO_GLOBAL_G)
        return;
    d->has_G = 1;
    d->bilateral = size / 2;
    d->G = sparse(d, d->dofs, d->bilateral, 4.0 / (d->dofs + 1), rng);
    tame(&d->G, rng);
    d->b = vector(d, d->bilateral, rng);
}

static void make_plain(perp_dump *d, io_sample kind, int size, perp_rng *rng)
{
    int is_sparse = kind == IO_LCP_SPARSE || kind == IO_MLCP_SPARSE;
    d->M = is_sparse ? sparse(d, size, size, 0.4, rng) : dense(d, size, rng);
    d->q = vector(d, size, rng);
    d->cls = PERP_DUMP_LCP;
    if (kind == IO_MLCP_DENSE || kind == IO_MLCP_SPARSE) {
        d->cls = PERP_DUMP_MLCP;
        d->is_free = perp_dump_take(d, (size_t)size, sizeof(int));
        for (int i = 0; i < size; i++)
            d->is_free[i] = perp_rng_below(rng, 2);
    } else if (kind == IO_RELAY) {
        d->cls = PERP_DUMP_RELAY;
        d->lo = vector(d, size, rng);
        d->hi = vector(d, size, rng);
        for (int i = 0; i < size; i++) {
            d->lo[i] = i % 4 == 1 ? -INFINITY : d->lo[i];
            d->hi[i] = i % 4 == 2 ? INFINITY : d->lo[i] + fabs(d->hi[i]);
            d->hi[i] = i % 4 == 1 ? 1.0 : d->hi[i];
        }
    }
}

perp_dump *io_sample_make(io_sample kind, int size, perp_rng *rng)
{
    perp_dump *d;
    ck_assert_int_eq(perp_dump_create(&d, NULL), PERP_SOLVED);
    if (kind <= IO_FRICTION_V)
        make_friction(d, kind, size, rng);
    else if (kind <= IO_GLOBAL_G)
        make_global(d, kind, size, rng);
    else
        make_plain(d, kind, size, rng);
    return d;
}

int io_sample_fits(io_sample kind, perp_file_format format)
{
    if (format == PERP_FORMAT_FCLIB)
        return kind <= IO_GLOBAL_G;
    return kind != IO_FRICTION_V && kind != IO_GLOBAL_G;
}

/* memcmp tells -0 from 0 too. */
static void same_values(const double *a, const double *b, size_t count)
{
    ck_assert_int_eq(a != NULL, b != NULL);
    ck_assert(count == 0 || !a || memcmp(a, b, count * sizeof *a) == 0);
}

static void same_ints(const int *a, const int *b, size_t count)
{
    ck_assert_int_eq(a != NULL, b != NULL);
    ck_assert(count == 0 || !a || memcmp(a, b, count * sizeof *a) == 0);
}

static void same_matrix(const perp_mat *a, const perp_mat *b)
{
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_int_eq(a->rows, b->rows);
    ck_assert_int_eq(a->cols, b->cols);
    if (a->kind == PERP_DENSE) {
        same_values(a->as.dense.x, b->as.dense.x, (size_t)a->rows * (size_t)a->cols);
    } else if (a->kind == PERP_CSC) {
        same_ints(a->as.csc.colptr, b->as.csc.colptr, (size_t)a->cols + 1);
        size_t count = (size_t)a->as.csc.colptr[a->cols];
        same_ints(a->as.csc.row, b->as.csc.row, count);
        same_values(a->as.csc.x, b->as.csc.x, count);
    } else {
        int block = a->as.bsr.block, nb = a->rows / block;
        ck_assert_int_eq(block, b->as.bsr.block);
        same_ints(a->as.bsr.rowptr, b->as.bsr.rowptr, (size_t)nb + 1);
        size_t count = (size_t)a->as.bsr.rowptr[nb];
        same_ints(a->as.bsr.col, b->as.bsr.col, count);
        same_values(a->as.bsr.x, b->as.bsr.x, count * (size_t)(block * block));
    }
}

void io_assert_same(const perp_dump *a, const perp_dump *b)
{
    ck_assert_int_eq(a->cls, b->cls);
    ck_assert_int_eq(a->spacedim, b->spacedim);
    ck_assert_int_eq(a->contacts, b->contacts);
    ck_assert_int_eq(a->dofs, b->dofs);
    ck_assert_int_eq(a->bilateral, b->bilateral);
    ck_assert_int_eq(a->has_V, b->has_V);
    ck_assert_int_eq(a->has_G, b->has_G);
    ck_assert_str_eq(a->title, b->title);
    same_matrix(&a->M, &b->M);
    size_t rows = (size_t)a->M.rows, contacts = (size_t)a->contacts;
    same_values(a->q, b->q, rows);
    same_values(a->mu, b->mu, contacts);
    ck_assert_int_eq(!a->mu_r, !b->mu_r);
    same_values(a->mu_r, b->mu_r, contacts);
    same_values(a->lo, b->lo, rows);
    same_values(a->hi, b->hi, rows);
    same_ints(a->is_free, b->is_free, rows);
    same_values(a->b, b->b, (size_t)a->bilateral);
    if (a->cls == PERP_DUMP_GLOBAL) {
        same_matrix(&a->H, &b->H);
        same_values(a->w, b->w, (size_t)a->spacedim * contacts);
    }
    if (a->has_G)
        same_matrix(&a->G, &b->G);
    if (a->has_V) {
        same_matrix(&a->V, &b->V);
        same_matrix(&a->R, &b->R);
    }
}

double *io_dense(const perp_mat *A)
{
    size_t m = (size_t)A->rows;
    double *x = calloc(m * (size_t)A->cols + 1, sizeof *x);
    ck_assert_ptr_nonnull(x);
    if (A->kind == PERP_DENSE) {
        for (int j = 0; j < A->cols; j++)
            for (size_t i = 0; i < m; i++)
                x[i + m * (size_t)j] = A->as.dense.x[i + (size_t)(j * A->as.dense.ld)];
    } else if (A->kind == PERP_CSC) {
        for (int j = 0; j < A->cols; j++)
            for (int p = A->as.csc.colptr[j]; p < A->as.csc.colptr[j + 1]; p++)
                x[(size_t)A->as.csc.row[p] + m * (size_t)j] += A->as.csc.x[p];
    } else {
        ck_assert_int_eq(A->kind, PERP_BSR);
        int b = A->as.bsr.block;
        for (int i = 0; i < A->rows; i++)
            for (int p = A->as.bsr.rowptr[i / b]; p < A->as.bsr.rowptr[i / b + 1]; p++)
                for (int k = 0; k < b; k++)
                    x[(size_t)i + m * (size_t)(A->as.bsr.col[p] * b + k)] +=
                        A->as.bsr.x[(p * b + k) * b + i % b];
    }
    return x;
}

static char folder[200];

void io_folder_make(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.150s/perp-io-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(99);
    }
}

/* Files of this process, or of all. */
static int visit_folder(int remove_files)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    char path[512], own[24];
    int count = 0;
    snprintf(own, sizeof own, "%d-", (int)getpid());
    while (dir && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += strncmp(entry->d_name, own, strlen(own)) == 0;
        if (remove_files && unlink(path) != 0)
            rmdir(path);
    }
    if (dir)
        closedir(dir);
    return count;
}

int io_folder_count(void)
{
    return visit_folder(0);
}

void io_folder_remove(void)
{
    visit_folder(1);
    rmdir(folder);
}

const char *io_path(const char *leaf)
{
    static char paths[4][300];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%d-%s", folder, (int)getpid(), leaf);
    return path;
}

void io_write(const char *path, const char *text, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
}

char *io_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*bytes + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, *bytes, file), *bytes);
    text[*bytes] = '\0';
    fclose(file);
    return text;
}

perp_status io_parse(perp_dump **dump, const char *leaf, const char *text, perp_dump_class cls,
                     perp_io_error *error)
{
    const char *path = io_path(leaf);
    io_write(path, text, strlen(text));
    perp_status status = perp_dump_read(dump, path, cls, NULL, error);
    ck_assert_int_eq(status == PERP_SOLVED, *dump != NULL);
    unlink(path);
    return status;
}

static void *allocate(void *ctx, size_t bytes)
{
    io_memory *memory = ctx;
    if (memory->calls++ == memory->fail_at)
        return NULL;
    void *block = malloc(bytes ? bytes : 1);
    memory->live += block != NULL;
    return block;
}

static void release(void *ctx, void *block)
{
    io_memory *memory = ctx;
    memory->live -= block != NULL;
    free(block);
}

perp_allocator io_allocator(io_memory *memory)
{
    return (perp_allocator){allocate, release, memory};
}
