/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/fclib.h"

#include <math.h>
#include <stdio.h>

#include "io/atomic_file.h"
#include "io/problem_file.h"
#include "io/h5.h"
#include "io/sparse.h"

enum { NAME = 64 };

static const char *join(char *name, const char *group, const char *leaf)
{
    snprintf(name, NAME, "%.40s/%.20s", group, leaf);
    return name;
}

static void put_int(perp_h5 *h5, const char *group, const char *leaf, int value)
{
    char name[NAME];
    perp_h5_put_ints(h5, join(name, group, leaf), &value, 1);
}

static void put_vector(perp_h5 *h5, const char *group, const char *leaf, const double *x, int count)
{
    char name[NAME];
    join(name, group, leaf);
    for (int k = 0; k < count && !h5->status; k++)
        if (!isfinite(x[k]))
            perp_h5_fail(h5, PERP_ERR_NONFINITE, name, "entry %d is a NaN or an infinity", k);
    perp_h5_put_doubles(h5, name, x, count);
}

static void put_matrix(perp_h5 *h5, const char *group, int rows, int cols, int nz, int points,
                       const int *p, int count, const int *i, const double *x)
{
    char name[NAME];
    perp_h5_put_group(h5, group);
    put_int(h5, group, "nzmax", count);
    put_int(h5, group, "m", rows);
    put_int(h5, group, "n", cols);
    put_int(h5, group, "nz", nz);
    perp_h5_put_ints(h5, join(name, group, "p"), p, points);
    perp_h5_put_ints(h5, join(name, group, "i"), i, count);
    put_vector(h5, group, "x", x, count);
}

static int ready(perp_h5 *h5, perp_status status, const char *group)
{
    if (status)
        perp_h5_fail(h5, status, group, "%s", perp_status_text(status));
    return !h5->status;
}

/* Sorted rows: compressed columns of the transposed. */
static void put_by_rows(perp_h5 *h5, const char *group, const perp_mat *A)
{
    perp_triplets T;
    perp_mat rows;
    if (h5->status || !ready(h5, perp_triplets_from_mat(&T, A, h5->work), group))
        return;
    perp_triplets_transpose(&T);
    if (ready(h5, perp_triplets_to_csc(&rows, &T, h5->work, h5->work), group))
        put_matrix(h5, group, A->rows, A->cols, -2, A->rows + 1, rows.as.csc.colptr, T.count,
                   rows.as.csc.row, rows.as.csc.x);
}

/* p is the column and i the row. */
static void put_triplets(perp_h5 *h5, const char *group, const perp_mat *A)
{
    perp_triplets T;
    if (h5->status || !ready(h5, perp_triplets_from_mat(&T, A, h5->work), group))
        return;
    put_matrix(h5, group, A->rows, A->cols, T.count, T.count, T.col, T.count, T.row, T.x);
}

static void put_info(perp_h5 *h5, const char *group, const perp_problem_file *file)
{
    char name[NAME];
    if (!file->title[0])
        return;
    perp_h5_put_group(h5, group);
    perp_h5_put_string(h5, join(name, group, "title"), file->title);
    perp_h5_put_string(h5, join(name, group, "description"), " ");
    perp_h5_put_string(h5, join(name, group, "math_info"), " ");
}

static void put_friction(perp_h5 *h5, const char *vectors, const perp_problem_file *file)
{
    put_vector(h5, vectors, "mu", file->mu, file->contacts);
    if (file->mu_r)
        put_vector(h5, vectors, "mu_r", file->mu_r, file->contacts);
    if (file->mu_s)
        put_vector(h5, vectors, "mu_s", file->mu_s, file->contacts);
}

/* FCLib itself has no rolling friction in local form: that group is our own, as are contacts of 4
 * rows in both, and of 6, with mu_s. */
static void put_local(perp_h5 *h5, const perp_problem_file *file)
{
    const char *group = file->mu_r ? "/fclib_local_rolling" : "/fclib_local";
    const char *vectors = file->mu_r ? "/fclib_local_rolling/vectors" : "/fclib_local/vectors";
    char name[NAME];
    perp_h5_put_group(h5, group);
    put_int(h5, group, "spacedim", file->spacedim);
    put_by_rows(h5, join(name, group, "W"), &file->M);
    if (file->has_V) {
        put_by_rows(h5, join(name, group, "V"), &file->V);
        put_by_rows(h5, join(name, group, "R"), &file->R);
    }
    perp_h5_put_group(h5, vectors);
    put_vector(h5, vectors, "q", file->q, file->M.rows);
    put_friction(h5, vectors, file);
    if (file->has_V)
        put_vector(h5, vectors, "s", file->b, file->bilateral);
    put_info(h5, join(name, group, "info"), file);
}

static void put_global(perp_h5 *h5, const perp_problem_file *file)
{
    const char *group = file->mu_r ? "/fclib_global_rolling" : "/fclib_global";
    const char *vectors = file->mu_r ? "/fclib_global_rolling/vectors" : "/fclib_global/vectors";
    char name[NAME];
    perp_h5_put_group(h5, group);
    put_int(h5, group, "spacedim", file->spacedim);
    put_triplets(h5, join(name, group, "M"), &file->M);
    put_triplets(h5, join(name, group, "H"), &file->H);
    if (file->has_G)
        put_triplets(h5, join(name, group, "G"), &file->G);
    perp_h5_put_group(h5, vectors);
    put_vector(h5, vectors, "f", file->q, file->dofs);
    put_vector(h5, vectors, "w", file->w, file->H.cols);
    put_friction(h5, vectors, file);
    if (file->has_G)
        put_vector(h5, vectors, "b", file->b, file->bilateral);
    put_info(h5, join(name, group, "info"), file);
}

/* v and l are absent where they have no entries. */
static void put_solution(perp_h5 *h5, const perp_problem_file *file, const perp_fclib_solution *s)
{
    int rows = file->spacedim * file->contacts;
    perp_h5_put_group(h5, "/solution");
    if (s->v && file->dofs > 0)
        put_vector(h5, "/solution", "v", s->v, file->dofs);
    if (s->l && file->bilateral > 0)
        put_vector(h5, "/solution", "l", s->l, file->bilateral);
    put_vector(h5, "/solution", "u", s->u, rows);
    put_vector(h5, "/solution", "r", s->r, rows);
}

static perp_status write_target(const perp_problem_file *file, const perp_fclib_solution *solution,
                                const perp_atomic_file *output, perp_heap *work)
{
    perp_h5 h5;
    if (!perp_h5_create(&h5, output->path, work, output->error)) {
        if (file->cls == PERP_CLASS_GLOBAL)
            put_global(&h5, file);
        else
            put_local(&h5, file);
        if (solution)
            put_solution(&h5, file, solution);
        perp_h5_save(&h5, output->target);
    }
    return perp_h5_close(&h5);
}

perp_status perp_fclib_write(const perp_problem_file *file, const perp_fclib_solution *solution,
                             const char *path, perp_io_error *error)
{
    if (file->cls != PERP_CLASS_FRICTION && file->cls != PERP_CLASS_GLOBAL)
        return perp_io_fail(error, PERP_ERR_UNSUPPORTED, path, 0,
                            "FCLib files hold friction problems only");
    perp_heap work;
    perp_atomic_file output;
    perp_heap_init(&work, &perp_problem_file_owner_of(file)->heap.allocator);
    perp_status status = perp_atomic_begin(&output, path, &work, error);
    if (!status) {
        H5E_BEGIN_TRY
        {
            status = write_target(file, solution, &output, &work);
        }
        H5E_END_TRY;
    }
    status = perp_atomic_end(&output, status);
    perp_heap_free(&work);
    return status;
}
