/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/fclib.h"

#include <limits.h>
#include <stdio.h>

#include "io/dump.h"
#include "io/h5.h"
#include "io/sparse.h"

enum { NAME = 64 };

static const char *join(char *name, const char *group, const char *leaf)
{
    snprintf(name, NAME, "%s/%s", group, leaf);
    return name;
}

/* Pointers from 0, never falling; 0 with an error otherwise. */
static int check_pointers(perp_h5 *h5, const char *name, const int *p, int major, int stored)
{
    for (int k = 0; k < major; k++)
        if (p[k + 1] < p[k] || p[k + 1] > stored) {
            perp_h5_fail(h5, PERP_ERR_FORMAT, name, "entry %d falls or exceeds the %d entries",
                         k + 1, stored);
            return 0;
        }
    if (p[0] != 0)
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "does not begin with 0");
    return !h5->status;
}

/* CSC (nz -1) or CSR (nz -2) -> triplets. */
static void read_compressed(perp_triplets *T, perp_h5 *h5, const char *group, int by_row)
{
    char name[NAME];
    int major = by_row ? T->rows : T->cols;
    int stored = perp_h5_count(h5, join(name, group, "x"));
    double *x = perp_h5_doubles(h5, name, stored, h5->work);
    int *i = perp_h5_ints(h5, join(name, group, "i"), stored, h5->work);
    int *p = perp_h5_ints(h5, join(name, group, "p"), major + 1, h5->work);
    if (h5->status || !check_pointers(h5, name, p, major, stored))
        return;
    int *outer = PERP_HEAP_TAKE(h5->work, int, stored);
    if (!outer) {
        perp_h5_fail(h5, PERP_ERR_MEMORY, group, "no memory");
        return;
    }
    for (int k = 0; k < major; k++)
        for (int e = p[k]; e < p[k + 1]; e++)
            outer[e] = k;
    T->count = p[major];
    T->row = by_row ? outer : i;
    T->col = by_row ? i : outer;
    T->x = x;
}

/* Triplets: p is the column and i the row, whatever the comment in fclib.h
 * says; a file that obeyed the comment is seen by an index out of range. */
static void read_triplets(perp_triplets *T, perp_h5 *h5, const char *group, int nz, perp_dump *dump)
{
    char name[NAME];
    int stored = perp_h5_count(h5, join(name, group, "x"));
    T->x = perp_h5_doubles(h5, name, stored, h5->work);
    T->row = perp_h5_ints(h5, join(name, group, "i"), stored, h5->work);
    T->col = perp_h5_ints(h5, join(name, group, "p"), stored, h5->work);
    if (h5->status)
        return;
    if (stored < nz) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, group, "nz is %d and %d entries are stored", nz, stored);
        return;
    }
    T->count = nz;
    int row = -1, col = -1;
    for (int e = 0; e < nz; e++) {
        row = T->row[e] > row ? T->row[e] : row;
        col = T->col[e] > col ? T->col[e] : col;
    }
    if ((row >= T->rows || col >= T->cols) && row < T->cols && col < T->rows) {
        int *swap = T->row;
        T->row = T->col;
        T->col = swap;
        perp_io_note(dump, "%s: p holds rows and i columns, read so", group);
    }
}

static void read_matrix(perp_triplets *T, perp_h5 *h5, const char *group, int rows, int cols,
                        perp_dump *dump)
{
    char name[NAME];
    *T = (perp_triplets){.rows = rows, .cols = cols};
    int m = perp_h5_int(h5, join(name, group, "m"), 0, INT_MAX - 1);
    int n = perp_h5_int(h5, join(name, group, "n"), 0, INT_MAX - 1);
    int nz = perp_h5_int(h5, join(name, group, "nz"), -2, INT_MAX);
    if (!h5->status && (m != rows || n != cols))
        perp_h5_fail(h5, PERP_ERR_FORMAT, group, "is %d x %d, not %d x %d", m, n, rows, cols);
    if (h5->status)
        return;
    if (nz < 0)
        read_compressed(T, h5, group, nz == -2);
    else
        read_triplets(T, h5, group, nz, dump);
    for (int e = 0; e < T->count && !h5->status; e++)
        if (T->row[e] < 0 || T->row[e] >= rows || T->col[e] < 0 || T->col[e] >= cols)
            perp_h5_fail(h5, PERP_ERR_FORMAT, group, "entry %d at (%d, %d) is outside %d x %d", e,
                         T->row[e], T->col[e], rows, cols);
}

static void to_csc(perp_mat *C, const perp_triplets *T, perp_h5 *h5, const char *group,
                   perp_dump *dump)
{
    if (h5->status)
        return;
    perp_status status = perp_triplets_to_csc(C, T, perp_dump_heap(dump), h5->work);
    if (status)
        perp_h5_fail(h5, status, group, "%s", perp_status_text(status));
}

/* Some files hold one triangle of a symmetric matrix, and say so nowhere. */
static void mirror(perp_triplets *T, perp_h5 *h5, const char *group, perp_dump *dump)
{
    if (h5->status || !perp_triplets_one_triangle(T))
        return;
    perp_status status = perp_triplets_mirror(T, h5->work);
    if (status)
        perp_h5_fail(h5, status, group, "%s", perp_status_text(status));
    perp_io_note(dump, "%s: one triangle, mirrored", group);
}

static void read_csc(perp_mat *C, perp_h5 *h5, const char *group, int rows, int cols,
                     perp_dump *dump)
{
    perp_triplets T;
    read_matrix(&T, h5, group, rows, cols, dump);
    to_csc(C, &T, h5, group, dump);
}

static void read_local(perp_dump *dump, perp_h5 *h5)
{
    perp_heap *keep = perp_dump_heap(dump);
    perp_triplets W;
    dump->cls = PERP_DUMP_FRICTION;
    dump->spacedim = perp_h5_int(h5, "/fclib_local/spacedim", 2, 3);
    int rows = perp_h5_int(h5, "/fclib_local/W/m", 0, INT_MAX - 1);
    if (h5->status)
        return;
    if (rows % dump->spacedim != 0) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, "/fclib_local/W/m", "is %d, no multiple of %d", rows,
                     dump->spacedim);
        return;
    }
    dump->contacts = rows / dump->spacedim;
    dump->q = perp_h5_doubles(h5, "/fclib_local/vectors/q", rows, keep);
    dump->mu = perp_h5_doubles(h5, "/fclib_local/vectors/mu", dump->contacts, keep);
    read_matrix(&W, h5, "/fclib_local/W", rows, rows, dump);
    mirror(&W, h5, "/fclib_local/W", dump);
    dump->has_V = perp_h5_has(h5, "/fclib_local/V");
    if (!h5->status && perp_h5_has(h5, "/fclib_local/R") != dump->has_V)
        perp_h5_fail(h5, PERP_ERR_FORMAT, "/fclib_local", "V and R come both or not at all");
    if (!dump->has_V && !h5->status) {
        perp_status status = perp_triplets_to_bsr(&dump->M, &W, dump->spacedim, keep, h5->work);
        if (status)
            perp_h5_fail(h5, status, "/fclib_local/W", "%s", perp_status_text(status));
        return;
    }
    dump->bilateral = perp_h5_int(h5, "/fclib_local/R/m", 0, INT_MAX - 1 - rows);
    dump->b = perp_h5_doubles(h5, "/fclib_local/vectors/s", dump->bilateral, keep);
    to_csc(&dump->M, &W, h5, "/fclib_local/W", dump);
    read_csc(&dump->V, h5, "/fclib_local/V", rows, dump->bilateral, dump);
    read_csc(&dump->R, h5, "/fclib_local/R", dump->bilateral, dump->bilateral, dump);
}

static void read_global(perp_dump *dump, perp_h5 *h5)
{
    perp_heap *keep = perp_dump_heap(dump);
    perp_triplets M;
    dump->cls = PERP_DUMP_GLOBAL;
    dump->spacedim = perp_h5_int(h5, "/fclib_global/spacedim", 2, 3);
    dump->dofs = perp_h5_int(h5, "/fclib_global/M/m", 0, INT_MAX - 1);
    int cols = perp_h5_int(h5, "/fclib_global/H/n", 0, INT_MAX - 1);
    if (h5->status)
        return;
    if (cols % dump->spacedim != 0) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, "/fclib_global/H/n", "is %d, no multiple of %d", cols,
                     dump->spacedim);
        return;
    }
    dump->contacts = cols / dump->spacedim;
    dump->q = perp_h5_doubles(h5, "/fclib_global/vectors/f", dump->dofs, keep);
    dump->w = perp_h5_doubles(h5, "/fclib_global/vectors/w", cols, keep);
    dump->mu = perp_h5_doubles(h5, "/fclib_global/vectors/mu", dump->contacts, keep);
    read_matrix(&M, h5, "/fclib_global/M", dump->dofs, dump->dofs, dump);
    mirror(&M, h5, "/fclib_global/M", dump);
    to_csc(&dump->M, &M, h5, "/fclib_global/M", dump);
    read_csc(&dump->H, h5, "/fclib_global/H", dump->dofs, cols, dump);
    dump->has_G = perp_h5_has(h5, "/fclib_global/G");
    if (!dump->has_G)
        return;
    dump->bilateral = perp_h5_int(h5, "/fclib_global/G/n", 0, INT_MAX - 1 - cols);
    dump->b = perp_h5_doubles(h5, "/fclib_global/vectors/b", dump->bilateral, keep);
    read_csc(&dump->G, h5, "/fclib_global/G", dump->dofs, dump->bilateral, dump);
}

static void read_problem(perp_dump *dump, perp_dump_class cls, perp_h5 *h5)
{
    int local = perp_h5_has(h5, "/fclib_local"), global = perp_h5_has(h5, "/fclib_global");
    if (local && (cls == PERP_DUMP_AUTO || cls == PERP_DUMP_FRICTION)) {
        read_local(dump, h5);
        perp_h5_string(h5, "/fclib_local/info/title", dump->title, sizeof dump->title);
    } else if (global && (cls == PERP_DUMP_AUTO || cls == PERP_DUMP_GLOBAL)) {
        read_global(dump, h5);
        perp_h5_string(h5, "/fclib_global/info/title", dump->title, sizeof dump->title);
    } else if (perp_h5_has(h5, "/fclib_global_rolling") ||
               perp_h5_has(h5, "/fclib_local_rolling")) {
        perp_h5_fail(h5, PERP_ERR_UNSUPPORTED, "/fclib_global_rolling",
                     "rolling friction is not supported");
    } else if (local || global) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, NULL, "holds no problem of the class asked for");
    } else {
        perp_h5_fail(h5, PERP_ERR_FORMAT, NULL, "has no group /fclib_local or /fclib_global");
    }
}

static perp_status read_file(perp_dump *dump, perp_dump_class cls, const char *path,
                             perp_heap *work, perp_io_error *error)
{
    perp_h5 h5;
    if (!perp_h5_open(&h5, path, work, error))
        read_problem(dump, cls, &h5);
    /* What was read is complete; closing cannot change it. */
    perp_status status = h5.status;
    perp_h5_close(&h5);
    return status;
}

perp_status perp_fclib_read(perp_dump *dump, perp_dump_class cls, const char *path,
                            perp_io_error *error)
{
    perp_heap work;
    perp_status status = PERP_ERR_FORMAT;
    perp_heap_init(&work, &perp_dump_heap(dump)->allocator);
    H5E_BEGIN_TRY
    {
        status = read_file(dump, cls, path, &work, error);
    }
    H5E_END_TRY;
    perp_heap_free(&work);
    return status;
}

static void read_solution(double *z, int rows, int bilateral, perp_h5 *h5)
{
    const double *r = perp_h5_doubles(h5, "/solution/r", rows, h5->work);
    const double *l = NULL;
    if (bilateral > 0)
        l = perp_h5_doubles(h5, "/solution/l", bilateral, h5->work);
    if (h5->status)
        return;
    for (int i = 0; i < rows; i++)
        z[i] = r[i];
    for (int i = 0; i < bilateral; i++)
        z[rows + i] = l[i];
}

perp_status perp_fclib_read_solution(double *z, int rows, int bilateral, const char *path,
                                     const perp_allocator *allocator, perp_io_error *error)
{
    perp_heap work;
    perp_h5 h5;
    perp_status status = PERP_ERR_FORMAT;
    perp_heap_init(&work, allocator);
    H5E_BEGIN_TRY
    {
        if (!perp_h5_open(&h5, path, &work, error)) {
            if (perp_h5_has(&h5, "/solution"))
                read_solution(z, rows, bilateral, &h5);
            else
                perp_h5_fail(&h5, PERP_ERR_FORMAT, "/solution", "is missing");
        }
        status = h5.status;
        perp_h5_close(&h5);
    }
    H5E_END_TRY;
    perp_heap_free(&work);
    return status;
}
