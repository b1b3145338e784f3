/* SPDX-License-Identifier: BSD-3-Clause */
/* The solution of a problem that is never in memory as a whole: its file is copied, and read in
 * pieces for the velocities. */
#include <limits.h>
#include <math.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/float_environment.h"
#include "io/atomic_file.h"
#include "io/h5.h"

/* Contacts of a piece; largest body; bytes that HDF5 may take beside the vectors. */
enum { PIECE = 1 << 15, BODY = 6, OWN_BYTES = 1 << 16, BUFFER = 1 << 16 };

typedef struct copying {
    const char *problem;
    perp_heap *work;
    perp_io_error *error;
    int pieces, rows, contact_rows, dofs, group;
    double *momentum, *mass; /* dofs; group rows of each dof */
    int below, above;        /* entries of M on each side of its diagonal */
} copying;

static perp_status no_memory(const copying *c)
{
    return perp_io_fail(c->error, PERP_ERR_MEMORY, c->problem, 0, "no memory");
}

static perp_status begin(copying *c, const perp_problem_part *part, int n)
{
    int in_plane = part->spacedim == (part->rolling ? 3 : 2), body = in_plane ? BODY / 2 : BODY;
    c->contact_rows = part->spacedim * part->contacts;
    c->rows = c->contact_rows + part->bilateral;
    c->dofs = part->dofs;
    c->group = part->dofs % body == 0 ? body : 1;
    c->pieces = 1 + part->contacts / PIECE;
    if (n != c->rows)
        return perp_io_fail(c->error, PERP_ERR_ARGUMENT, c->problem, 0, "has %d rows, not %d",
                            c->rows, n);
    c->momentum = PERP_HEAP_TAKE(c->work, double, 2 * (size_t)c->dofs + 1);
    c->mass = PERP_HEAP_TAKE(c->work, double, (size_t)c->group *(size_t)c->dofs + 1);
    if (!c->momentum || !c->mass)
        return no_memory(c);
    memset(c->momentum, 0, sizeof(double) * (size_t)c->dofs);
    memset(c->mass, 0, sizeof(double) * (size_t)c->group * (size_t)c->dofs);
    return PERP_SOLVED;
}

/* Column-major blocks, one after the other. */
static perp_status add_mass(copying *c, const perp_part_entries *M)
{
    int g = c->group;
    for (int k = 0; k < M->count; k++) {
        int i = M->row[k], j = M->col[k];
        if (i / g != j / g && M->x[k] != 0.0)
            return perp_io_fail(c->error, PERP_ERR_UNSUPPORTED, c->problem, 0,
                                "M couples unknowns %d and %d, of two bodies", i, j);
        if (i / g != j / g)
            continue;
        c->mass[(size_t)g * (size_t)j + (size_t)(i % g)] += M->x[k];
        c->below |= i > j && M->x[k] != 0.0;
        c->above |= i < j && M->x[k] != 0.0;
    }
    return PERP_SOLVED;
}

/* f + H r + G l of the entries of a piece. */
static void add_momentum(copying *c, const perp_problem_part *part, const double *z)
{
    for (int k = 0; k < part->own_dofs; k++)
        c->momentum[part->first_dof + k] += part->f[k];
    for (int k = 0; k < part->H.count; k++)
        c->momentum[part->H.row[k]] += part->H.x[k] * z[part->H.col[k]];
    for (int k = 0; k < part->G.count; k++)
        c->momentum[part->G.row[k]] += part->G.x[k] * z[c->contact_rows + part->G.col[k]];
}

static perp_status read_pieces(copying *c, const double *z, int n)
{
    perp_problem_part *part = NULL;
    perp_status status = perp_problem_part_read(&part, c->problem, 0, INT_MAX, NULL, c->error);
    if (status == PERP_SOLVED)
        status = begin(c, part, n);
    perp_problem_part_destroy(part);
    for (int k = 0; k < c->pieces && status == PERP_SOLVED; k++) {
        part = NULL;
        status = perp_problem_part_read(&part, c->problem, k, c->pieces, NULL, c->error);
        if (status == PERP_SOLVED)
            status = add_mass(c, &part->M);
        if (status == PERP_SOLVED)
            add_momentum(c, part, z);
        perp_problem_part_destroy(part);
    }
    return status;
}

/* The other triangle where the file has one. */
static void mirror(double *M, int g)
{
    for (int j = 0; j < g; j++)
        for (int i = j + 1; i < g; i++)
            M[i + g * j] = M[j + g * i] = M[i + g * j] + M[j + g * i];
}

/* M v = momentum of `count` bodies from `from` on, v behind it. */
static perp_status find_some(const copying *c, int from, int count, const int *index)
{
    size_t first = (size_t)from * (size_t)c->group;
    perp_mat M;
    perp_mass *mass;
    perp_where where = {NULL, -1, -1};
    perp_status status =
        perp_mat_init_bsr(&M, count, c->group, index, index, c->mass + first * (size_t)c->group);
    if (status == PERP_SOLVED)
        status = perp_mass_create(&mass, &M, NULL, &where);
    if (status != PERP_SOLVED)
        return perp_io_fail(c->error, status, c->problem, 0, "M, at unknown %zu: %s",
                            first + (size_t)(where.index > 0 ? where.index : 0),
                            perp_status_text(status));
    double *scratch = PERP_HEAP_TAKE(c->work, double, c->group *count);
    if (scratch)
        perp_mass_solve(mass, c->momentum + first, scratch, c->momentum + c->dofs + first);
    perp_mass_destroy(mass);
    return scratch ? PERP_SOLVED : no_memory(c);
}

static perp_status find_velocities(const copying *c)
{
    int g = c->group, bodies = c->dofs / g;
    int *index = PERP_HEAP_TAKE(c->work, int, PIECE + 1);
    perp_status status = index ? PERP_SOLVED : no_memory(c);
    for (int k = 0; index && k <= PIECE; k++)
        index[k] = k;
    for (int b = 0; c->below != c->above && b < bodies; b++)
        mirror(c->mass + (size_t)b * (size_t)(g * g), g);
    for (int from = 0; from < bodies && status == PERP_SOLVED; from += PIECE)
        status = find_some(c, from, bodies - from < PIECE ? bodies - from : PIECE, index);
    return status;
}

/* Bytes of the problem, and place on the disk for `more`: HDF5 must not meet a full one. */
static int copy_bytes(const copying *c, const char *target, off_t more)
{
    static const size_t buffer = BUFFER;
    char *bytes = PERP_HEAP_TAKE(c->work, char, buffer);
    FILE *from = fopen(c->problem, "rb"), *to = fopen(target, "wb");
    size_t n = 1;
    int bad = !from || !to || !bytes;
    while (!bad && (n = fread(bytes, 1, buffer, from)) > 0)
        bad = fwrite(bytes, 1, n, to) != n;
    bad = bad || ferror(from) || fflush(to) != 0;
    if (!bad)
        bad = posix_fallocate(fileno(to), 0, ftello(to) + more) != 0;
    if (from)
        fclose(from);
    if (to && fclose(to) != 0)
        bad = 1;
    return !bad;
}

static void put(perp_h5 *h5, const char *name, const double *x, int count)
{
    for (int k = 0; k < count && !h5->status; k++)
        if (!isfinite(x[k]))
            perp_h5_fail(h5, PERP_ERR_NONFINITE, name, "entry %d is a NaN or an infinity", k);
    perp_h5_put_doubles(h5, name, x, count);
}

static perp_status add_solution(const copying *c, const perp_atomic_file *output, const double *z,
                                const double *w)
{
    perp_h5 h5 = {.path = output->path, .work = c->work, .error = c->error};
    int bilateral = c->rows - c->contact_rows;
    h5.file = H5Fopen(output->target, H5F_ACC_RDWR, H5P_DEFAULT);
    if (h5.file < 0)
        return perp_h5_fail(&h5, PERP_ERR_OPEN, NULL, "HDF5 cannot write to it");
    if (perp_h5_has(&h5, "/solution") && H5Ldelete(h5.file, "/solution", H5P_DEFAULT) < 0)
        perp_h5_fail(&h5, PERP_ERR_OPEN, "/solution", "cannot be replaced");
    perp_h5_put_group(&h5, "/solution");
    if (c->dofs > 0)
        put(&h5, "/solution/v", c->momentum + c->dofs, c->dofs);
    if (bilateral > 0)
        put(&h5, "/solution/l", z + c->contact_rows, bilateral);
    put(&h5, "/solution/u", w, c->contact_rows);
    put(&h5, "/solution/r", z, c->contact_rows);
    return perp_h5_close(&h5);
}

static perp_status write_copy(copying *c, const double *z, const double *w, const char *path)
{
    perp_atomic_file output;
    perp_status status = perp_atomic_begin(&output, path, c->work, c->error);
    off_t more = (off_t)sizeof(double) * (2 * (off_t)c->rows + c->dofs) + OWN_BYTES;
    if (status == PERP_SOLVED && output.target == output.path)
        status = perp_io_fail(c->error, PERP_ERR_UNSUPPORTED, path, 0, "is no regular file");
    else if (status == PERP_SOLVED && !copy_bytes(c, output.target, more))
        status = perp_io_fail(c->error, PERP_ERR_OPEN, path, 0, "cannot be written");
    if (status == PERP_SOLVED)
        status = add_solution(c, &output, z, w);
    return perp_atomic_end(&output, status);
}

perp_status perp_solution_write_copy(const char *problem, const double *z, const double *w, int n,
                                     const char *path, perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    if (error)
        *error = (perp_io_error){0};
    if (!problem || !z || !w || !path || n < 0)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "an argument is out of its range");
    perp_heap work;
    perp_heap_init(&work, NULL);
    copying c = {.problem = problem, .work = &work, .error = error};
    perp_status status = PERP_SOLVED;
    H5E_BEGIN_TRY
    {
        status = read_pieces(&c, z, n);
        if (status == PERP_SOLVED)
            status = find_velocities(&c);
        if (status == PERP_SOLVED)
            status = write_copy(&c, z, w, path);
    }
    H5E_END_TRY;
    perp_heap_free(&work);
    return status;
}
