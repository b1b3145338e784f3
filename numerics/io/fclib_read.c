/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/fclib.h"

#include <limits.h>
#include <stdio.h>

#include "io/dump.h"
#include "io/fclib_matrix.h"

enum { NAME = 64 };

/* Group and leaf; valid until the buffer is used again. */
typedef struct place {
    const char *group;
    int rolling;
    char name[NAME];
} place;

static const char *at(place *p, const char *leaf)
{
    snprintf(p->name, sizeof p->name, "%s/%s", p->group, leaf);
    return p->name;
}

/* mu and mu_r. */
static void read_friction(perp_dump *dump, perp_h5 *h5, place *p)
{
    perp_heap *keep = perp_dump_heap(dump);
    dump->mu = perp_h5_doubles(h5, at(p, "vectors/mu"), dump->contacts, keep);
    if (p->rolling)
        dump->mu_r = perp_h5_doubles(h5, at(p, "vectors/mu_r"), dump->contacts, keep);
}

static void read_spacedim(perp_dump *dump, perp_h5 *h5, place *p)
{
    int least = p->rolling ? 3 : 2, most = p->rolling ? 5 : 3;
    dump->spacedim = perp_h5_int(h5, at(p, "spacedim"), least, most);
    if (!h5->status && dump->spacedim != least && dump->spacedim != most)
        perp_h5_fail(h5, PERP_ERR_FORMAT, p->name, "is %d, not %d or %d", dump->spacedim, least,
                     most);
}

/* rows (at `leaf`) / spacedim. */
static void count_contacts(perp_dump *dump, perp_h5 *h5, place *p, const char *leaf, int rows)
{
    if (!h5->status && rows % dump->spacedim != 0)
        perp_h5_fail(h5, PERP_ERR_FORMAT, at(p, leaf), "is %d, no multiple of %d", rows,
                     dump->spacedim);
    if (!h5->status)
        dump->contacts = rows / dump->spacedim;
}

static void read_local(perp_dump *dump, perp_h5 *h5, place *p)
{
    perp_heap *keep = perp_dump_heap(dump);
    dump->cls = PERP_DUMP_FRICTION;
    read_spacedim(dump, h5, p);
    int rows = perp_h5_int(h5, at(p, "W/m"), 0, INT_MAX - 1);
    count_contacts(dump, h5, p, "W/m", rows);
    if (h5->status)
        return;
    dump->q = perp_h5_doubles(h5, at(p, "vectors/q"), rows, keep);
    read_friction(dump, h5, p);
    dump->has_V = perp_h5_has(h5, at(p, "V"));
    if (!h5->status && perp_h5_has(h5, at(p, "R")) != dump->has_V)
        perp_h5_fail(h5, PERP_ERR_FORMAT, p->group, "V and R come both or not at all");
    if (!dump->has_V) {
        perp_fclib_blocks(&dump->M, h5, at(p, "W"), rows, dump->spacedim, dump);
        return;
    }
    dump->bilateral = perp_h5_int(h5, at(p, "R/m"), 0, INT_MAX - 1 - rows);
    dump->b = perp_h5_doubles(h5, at(p, "vectors/s"), dump->bilateral, keep);
    perp_fclib_symmetric(&dump->M, h5, at(p, "W"), rows, dump);
    perp_fclib_csc(&dump->V, h5, at(p, "V"), rows, dump->bilateral, dump);
    perp_fclib_csc(&dump->R, h5, at(p, "R"), dump->bilateral, dump->bilateral, dump);
}

static void read_global(perp_dump *dump, perp_h5 *h5, place *p)
{
    perp_heap *keep = perp_dump_heap(dump);
    dump->cls = PERP_DUMP_GLOBAL;
    read_spacedim(dump, h5, p);
    dump->dofs = perp_h5_int(h5, at(p, "M/m"), 0, INT_MAX - 1);
    int cols = perp_h5_int(h5, at(p, "H/n"), 0, INT_MAX - 1);
    count_contacts(dump, h5, p, "H/n", cols);
    if (h5->status)
        return;
    dump->q = perp_h5_doubles(h5, at(p, "vectors/f"), dump->dofs, keep);
    dump->w = perp_h5_doubles(h5, at(p, "vectors/w"), cols, keep);
    read_friction(dump, h5, p);
    perp_fclib_symmetric(&dump->M, h5, at(p, "M"), dump->dofs, dump);
    perp_fclib_csc(&dump->H, h5, at(p, "H"), dump->dofs, cols, dump);
    dump->has_G = perp_h5_has(h5, at(p, "G"));
    if (!dump->has_G)
        return;
    dump->bilateral = perp_h5_int(h5, at(p, "G/n"), 0, INT_MAX - 1 - cols);
    dump->b = perp_h5_doubles(h5, at(p, "vectors/b"), dump->bilateral, keep);
    perp_fclib_csc(&dump->G, h5, at(p, "G"), dump->dofs, dump->bilateral, dump);
}

/* The first group that is there and is of the class asked for. */
static void read_problem(perp_dump *dump, perp_dump_class cls, perp_h5 *h5)
{
    static const struct {
        const char *group;
        perp_dump_class cls;
        int rolling;
    } groups[] = {{"/fclib_local", PERP_DUMP_FRICTION, 0},
                  {"/fclib_global", PERP_DUMP_GLOBAL, 0},
                  {"/fclib_local_rolling", PERP_DUMP_FRICTION, 1},
                  {"/fclib_global_rolling", PERP_DUMP_GLOBAL, 1}};
    int present = 0;
    for (int k = 0; k < 4; k++) {
        place p = {.group = groups[k].group, .rolling = groups[k].rolling};
        if (!perp_h5_has(h5, p.group))
            continue;
        present = 1;
        if (cls != PERP_DUMP_AUTO && cls != groups[k].cls &&
            !(cls == PERP_DUMP_ROLLING && p.rolling))
            continue;
        if (groups[k].cls == PERP_DUMP_FRICTION)
            read_local(dump, h5, &p);
        else
            read_global(dump, h5, &p);
        perp_h5_string(h5, at(&p, "info/title"), dump->title, sizeof dump->title);
        return;
    }
    if (present)
        perp_h5_fail(h5, PERP_ERR_FORMAT, NULL, "holds no problem of the class asked for");
    else
        perp_h5_fail(h5, PERP_ERR_FORMAT, NULL, "has no group /fclib_local or /fclib_global");
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
