/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/problem_file.h"
#include "io/failure.h"

typedef struct checker {
    const perp_problem_file *file;
    perp_io_error *error;
    perp_status status;
} checker;

static void wrong(checker *c, perp_status status, const char *name, const char *what)
{
    if (!c->status)
        c->status = perp_io_fail(c->error, status, NULL, 0, "%s: %s", name, what);
}

static void need(checker *c, const void *array, const char *name)
{
    if (!array)
        wrong(c, PERP_ERR_ARGUMENT, name, "is missing");
}

static void need_matrix(checker *c, const perp_mat *A, int rows, int cols, int csc_only,
                        const char *name)
{
    if (c->status)
        return;
    int explicit_kind =
        A->kind == PERP_CSC || (!csc_only && (A->kind == PERP_DENSE || A->kind == PERP_BSR));
    perp_where where = {"", -1, -1};
    if (!explicit_kind)
        wrong(c, PERP_ERR_UNSUPPORTED, name, "this kind of matrix does not belong here");
    else if (A->rows != rows || A->cols != cols)
        wrong(c, PERP_ERR_STRUCTURE, name, "its size does not fit");
    else {
        perp_status status =
            perp_mat_check(A, &perp_problem_file_owner_of(c->file)->heap.allocator, &where);
        if (status)
            wrong(c, status, name, perp_status_text(status));
    }
}

static void check_friction(checker *c)
{
    const perp_problem_file *d = c->file;
    int rows = d->spacedim * d->contacts;
    if (d->has_G)
        wrong(c, PERP_ERR_STRUCTURE, "has_G", "does not belong to this class");
    need(c, d->q, "q");
    need(c, d->mu, "mu");
    need_matrix(c, &d->M, rows, rows, d->has_V, "M");
    if (d->has_V) {
        need(c, d->b, "s");
        need_matrix(c, &d->V, rows, d->bilateral, 1, "V");
        need_matrix(c, &d->R, d->bilateral, d->bilateral, 1, "R");
    }
}

static void check_global(checker *c)
{
    const perp_problem_file *d = c->file;
    int cols = d->spacedim * d->contacts;
    if (d->has_V)
        wrong(c, PERP_ERR_STRUCTURE, "has_V", "does not belong to this class");
    need(c, d->q, "f");
    need(c, d->w, "w");
    need(c, d->mu, "mu");
    need_matrix(c, &d->M, d->dofs, d->dofs, 1, "M");
    need_matrix(c, &d->H, d->dofs, cols, 1, "H");
    if (d->has_G) {
        need(c, d->b, "b");
        need_matrix(c, &d->G, d->dofs, d->bilateral, 1, "G");
    }
}

static int sizes_fit(const perp_problem_file *d)
{
    int least = d->mu_r ? 3 : 2, most = d->mu_r ? 6 : 3;
    if ((d->spacedim == 6) != (d->mu_s != NULL) || (d->mu_s && !d->mu_r))
        return 0;
    if (d->spacedim < least || d->spacedim > most)
        return 0;
    if (d->contacts < 0 || d->bilateral < 0 || d->dofs < 0)
        return 0;
    return (long long)d->spacedim * d->contacts + d->bilateral < 2147483647;
}

perp_status perp_problem_file_check(const perp_problem_file *file, perp_io_error *error)
{
    checker c = {file, error, PERP_SOLVED};
    int friction = file->cls == PERP_CLASS_FRICTION || file->cls == PERP_CLASS_GLOBAL;
    if (file->cls <= PERP_CLASS_AUTO || file->cls > PERP_CLASS_RELAY)
        wrong(&c, PERP_ERR_ARGUMENT, "cls", "is no class");
    else if (friction && !sizes_fit(file))
        wrong(&c, PERP_ERR_STRUCTURE, "spacedim, contacts, bilateral, dofs", "out of range");
    else if (file->cls == PERP_CLASS_FRICTION)
        check_friction(&c);
    else if (file->cls == PERP_CLASS_GLOBAL)
        check_global(&c);
    if (c.status || friction)
        return c.status;
    need(&c, file->q, "q");
    need_matrix(&c, &file->M, file->M.rows, file->M.rows, 0, "M");
    if (file->cls == PERP_CLASS_MLCP)
        need(&c, file->is_free, "is_free");
    if (file->cls == PERP_CLASS_RELAY) {
        need(&c, file->lo, "lo");
        need(&c, file->hi, "hi");
    }
    return c.status;
}

int perp_problem_file_rows(const perp_problem_file *file)
{
    if (file->cls != PERP_CLASS_FRICTION && file->cls != PERP_CLASS_GLOBAL)
        return file->M.rows;
    int bilateral = file->has_V || file->has_G ? file->bilateral : 0;
    return file->spacedim * file->contacts + bilateral;
}
