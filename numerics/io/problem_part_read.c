/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of an FCLib file in global form: ranges of its datasets, by the serial HDF5. */
#include <limits.h>
#include <stdio.h>

#include "core/float_environment.h"
#include "io/h5.h"

enum { NAME = 64, BODY = 6, ROWS_TORSION = 6 };

static const char plain[] = "/fclib_global", rolling[] = "/fclib_global_rolling";

typedef struct reader {
    perp_h5 h5;
    perp_problem_part *part;
    int number, parts;
    const char *group;
    char name[NAME];
} reader;

static const char *at(reader *r, const char *leaf)
{
    snprintf(r->name, sizeof r->name, "%s/%s", r->group, leaf);
    return r->name;
}

static const char *in(reader *r, const char *matrix, const char *leaf)
{
    snprintf(r->name, sizeof r->name, "%s/%s/%s", r->group, matrix, leaf);
    return r->name;
}

/* Where part `number` begins of `total`, in pieces of `piece`. */
static long long begin_of(long long total, int piece, int number, int parts)
{
    long long pieces = total / piece, share = pieces / parts, more = pieces % parts;
    if (number == parts)
        return total;
    return piece * (share * number + (number < more ? number : more));
}

static void check_entries(reader *r, const char *matrix, const perp_part_entries *e, int rows,
                          int cols)
{
    for (int k = 0; k < e->count && !r->h5.status; k++)
        if (e->row[k] < 0 || e->row[k] >= rows || e->col[k] < 0 || e->col[k] >= cols)
            perp_h5_fail(&r->h5, PERP_ERR_FORMAT, matrix, "entry (%d, %d) is outside %d x %d",
                         e->row[k], e->col[k], rows, cols);
}

static int fits(reader *r, const char *matrix, long long count)
{
    if (count > INT_MAX - 1)
        perp_h5_fail(&r->h5, PERP_ERR_OVERFLOW, matrix, "a part has more than 2^31-2 entries");
    return !r->h5.status;
}

/* p: columns, i: rows. */
static void read_triplets(reader *r, perp_part_entries *e, const char *matrix, int nz)
{
    perp_heap *heap = r->part->owner;
    long long from = begin_of(nz, 1, r->number, r->parts);
    long long to = begin_of(nz, 1, r->number + 1, r->parts);
    if (!fits(r, matrix, to - from))
        return;
    e->count = (int)(to - from);
    e->col = perp_h5_some_ints(&r->h5, in(r, matrix, "p"), from, e->count, heap);
    e->row = perp_h5_some_ints(&r->h5, in(r, matrix, "i"), from, e->count, heap);
    e->x = perp_h5_some_doubles(&r->h5, in(r, matrix, "x"), from, e->count, heap);
}

/* A range of the columns (rows: by_row), with all their entries. */
static void read_compressed(reader *r, perp_part_entries *e, const char *matrix, int major,
                            int by_row)
{
    perp_heap *heap = r->part->owner;
    int from = (int)begin_of(major, 1, r->number, r->parts);
    int count = (int)begin_of(major, 1, r->number + 1, r->parts) - from;
    const int *p = perp_h5_some_ints(&r->h5, in(r, matrix, "p"), from, count + 1, r->h5.work);
    for (int k = 0; p && k < count; k++)
        if (p[k] < 0 || p[k + 1] < p[k])
            perp_h5_fail(&r->h5, PERP_ERR_FORMAT, r->name, "entry %d falls", from + k + 1);
    if (!p || r->h5.status)
        return;
    e->count = p[count] - p[0];
    int *inner = perp_h5_some_ints(&r->h5, in(r, matrix, "i"), p[0], e->count, heap);
    int *outer = PERP_HEAP_TAKE(heap, int, e->count);
    e->x = perp_h5_some_doubles(&r->h5, in(r, matrix, "x"), p[0], e->count, heap);
    if (!outer)
        perp_h5_fail(&r->h5, PERP_ERR_MEMORY, matrix, "no memory");
    if (r->h5.status)
        return;
    for (int k = 0; k < count; k++)
        for (int i = p[k]; i < p[k + 1]; i++)
            outer[i - p[0]] = from + k;
    e->row = by_row ? outer : inner;
    e->col = by_row ? inner : outer;
}

static void read_matrix(reader *r, perp_part_entries *e, const char *matrix, int rows, int cols)
{
    int m = perp_h5_int(&r->h5, in(r, matrix, "m"), 0, INT_MAX - 1);
    int n = perp_h5_int(&r->h5, in(r, matrix, "n"), 0, INT_MAX - 1);
    int nz = perp_h5_int(&r->h5, in(r, matrix, "nz"), -2, INT_MAX);
    if (!r->h5.status && (m != rows || n != cols))
        perp_h5_fail(&r->h5, PERP_ERR_FORMAT, matrix, "is %d x %d, not %d x %d", m, n, rows, cols);
    if (r->h5.status)
        return;
    if (nz >= 0)
        read_triplets(r, e, matrix, nz);
    else
        read_compressed(r, e, matrix, nz == -2 ? rows : cols, nz == -2);
    if (!r->h5.status)
        check_entries(r, matrix, e, rows, cols);
}

/* Bodies are not cut, and as far as they can be known from the size, six unknowns or three. */
static void find_ranges(reader *r)
{
    perp_problem_part *p = r->part;
    int in_plane = p->spacedim == (p->rolling ? 3 : 2), body = in_plane ? BODY / 2 : BODY;
    if (p->dofs % body != 0)
        body = 1;
    p->first_dof = (int)begin_of(p->dofs, body, r->number, r->parts);
    p->own_dofs = (int)begin_of(p->dofs, body, r->number + 1, r->parts) - p->first_dof;
    p->first_contact = (int)begin_of(p->contacts, 1, r->number, r->parts);
    p->own_contacts = (int)begin_of(p->contacts, 1, r->number + 1, r->parts) - p->first_contact;
    p->first_bilateral = (int)begin_of(p->bilateral, 1, r->number, r->parts);
    p->own_bilateral = (int)begin_of(p->bilateral, 1, r->number + 1, r->parts) - p->first_bilateral;
}

/* A vector that has so many entries in all. */
static double *read_vector(reader *r, const char *leaf, int total, int from, int count)
{
    if (!r->h5.status && perp_h5_length(&r->h5, at(r, leaf)) != total)
        perp_h5_fail(&r->h5, PERP_ERR_FORMAT, r->name, "does not have %d entries", total);
    return r->h5.status ? NULL
                        : perp_h5_some_doubles(&r->h5, at(r, leaf), from, count, r->part->owner);
}

/* Friction, or a length, of each own contact. */
static double *read_friction(reader *r, const char *leaf)
{
    perp_problem_part *p = r->part;
    double *mu = read_vector(r, leaf, p->contacts, p->first_contact, p->own_contacts);
    for (int k = 0; mu && k < p->own_contacts && !r->h5.status; k++)
        if (mu[k] < 0.0)
            perp_h5_fail(&r->h5, PERP_ERR_FORMAT, at(r, leaf), "entry %d is negative",
                         p->first_contact + k);
    return mu;
}

static void read_vectors(reader *r)
{
    perp_problem_part *p = r->part;
    int s = p->spacedim;
    p->f = read_vector(r, "vectors/f", p->dofs, p->first_dof, p->own_dofs);
    p->w = read_vector(r, "vectors/w", s * p->contacts, s * p->first_contact, s * p->own_contacts);
    p->mu = read_friction(r, "vectors/mu");
    if (p->rolling)
        p->mu_r = read_friction(r, "vectors/mu_r");
    if (s == ROWS_TORSION)
        p->mu_s = read_friction(r, "vectors/mu_s");
    if (p->bilateral > 0)
        p->b = read_vector(r, "vectors/b", p->bilateral, p->first_bilateral, p->own_bilateral);
}

static void read_sizes(reader *r)
{
    perp_problem_part *p = r->part;
    p->rolling = !perp_h5_has(&r->h5, plain);
    r->group = p->rolling ? rolling : plain;
    if (!perp_h5_has(&r->h5, r->group)) {
        perp_h5_fail(&r->h5, PERP_ERR_UNSUPPORTED, NULL, "holds no problem in global form");
        return;
    }
    p->spacedim =
        perp_h5_int(&r->h5, at(r, "spacedim"), p->rolling ? 3 : 2, p->rolling ? ROWS_TORSION : 3);
    p->dofs = perp_h5_int(&r->h5, at(r, "M/m"), 0, INT_MAX - 1);
    int cols = perp_h5_int(&r->h5, at(r, "H/n"), 0, INT_MAX - 1);
    if (!r->h5.status && cols % p->spacedim != 0)
        perp_h5_fail(&r->h5, PERP_ERR_FORMAT, at(r, "H/n"), "is %d, no multiple of %d", cols,
                     p->spacedim);
    if (!r->h5.status)
        p->contacts = cols / p->spacedim;
    if (perp_h5_has(&r->h5, at(r, "G")))
        p->bilateral = perp_h5_int(&r->h5, at(r, "G/n"), 0, INT_MAX - 1 - cols);
}

static void read_part(reader *r)
{
    perp_problem_part *p = r->part;
    read_sizes(r);
    if (r->h5.status)
        return;
    find_ranges(r);
    read_vectors(r);
    if (!r->h5.status)
        read_matrix(r, &p->M, "M", p->dofs, p->dofs);
    if (!r->h5.status)
        read_matrix(r, &p->H, "H", p->dofs, p->spacedim * p->contacts);
    if (!r->h5.status && p->bilateral > 0)
        read_matrix(r, &p->G, "G", p->dofs, p->bilateral);
}

perp_status perp_problem_part_read(perp_problem_part **made, const char *path, int part, int parts,
                                   const perp_allocator *allocator, perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    if (!made)
        return PERP_ERR_ARGUMENT;
    *made = NULL;
    if (!path || part < 0 || part >= parts)
        return PERP_ERR_ARGUMENT;
    perp_heap work;
    reader r = {.number = part, .parts = parts};
    perp_status status = perp_problem_part_create(&r.part, allocator);
    if (status != PERP_SOLVED)
        return status;
    perp_heap_init(&work, allocator);
    H5E_BEGIN_TRY
    {
        if (!perp_h5_open(&r.h5, path, &work, error))
            read_part(&r);
        status = r.h5.status;
        perp_h5_close(&r.h5);
    }
    H5E_END_TRY;
    perp_heap_free(&work);
    if (status == PERP_SOLVED)
        *made = r.part;
    else
        perp_problem_part_destroy(r.part);
    return status;
}
