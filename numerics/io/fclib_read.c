/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/fclib.h"

#include <limits.h>
#include <stdio.h>

#include "io/problem_file.h"
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

/* mu, mu_r and, of six rows, mu_s. */
static void read_friction(perp_problem_file *file, perp_h5 *h5, place *p)
{
    perp_heap *keep = perp_problem_file_heap(file);
    file->mu = perp_h5_doubles(h5, at(p, "vectors/mu"), file->contacts, keep);
    if (p->rolling)
        file->mu_r = perp_h5_doubles(h5, at(p, "vectors/mu_r"), file->contacts, keep);
    if (file->spacedim == 6)
        file->mu_s = perp_h5_doubles(h5, at(p, "vectors/mu_s"), file->contacts, keep);
}

static void read_spacedim(perp_problem_file *file, perp_h5 *h5, place *p)
{
    int least = p->rolling ? 3 : 2, most = p->rolling ? 6 : 3;
    file->spacedim = perp_h5_int(h5, at(p, "spacedim"), least, most);
}

/* rows (at `leaf`) / spacedim. */
static void count_contacts(perp_problem_file *file, perp_h5 *h5, place *p, const char *leaf,
                           int rows)
{
    if (!h5->status && rows % file->spacedim != 0)
        perp_h5_fail(h5, PERP_ERR_FORMAT, at(p, leaf), "is %d, no multiple of %d", rows,
                     file->spacedim);
    if (!h5->status)
        file->contacts = rows / file->spacedim;
}

static void read_local(perp_problem_file *file, perp_h5 *h5, place *p)
{
    perp_heap *keep = perp_problem_file_heap(file);
    file->cls = PERP_CLASS_FRICTION;
    read_spacedim(file, h5, p);
    int rows = perp_h5_int(h5, at(p, "W/m"), 0, INT_MAX - 1);
    count_contacts(file, h5, p, "W/m", rows);
    if (h5->status)
        return;
    file->q = perp_h5_doubles(h5, at(p, "vectors/q"), rows, keep);
    read_friction(file, h5, p);
    file->has_V = perp_h5_has(h5, at(p, "V"));
    if (!h5->status && perp_h5_has(h5, at(p, "R")) != file->has_V)
        perp_h5_fail(h5, PERP_ERR_FORMAT, p->group, "V and R come both or not at all");
    if (!file->has_V) {
        perp_fclib_blocks(&file->M, h5, at(p, "W"), rows, file->spacedim, file);
        return;
    }
    file->bilateral = perp_h5_int(h5, at(p, "R/m"), 0, INT_MAX - 1 - rows);
    file->b = perp_h5_doubles(h5, at(p, "vectors/s"), file->bilateral, keep);
    perp_fclib_symmetric(&file->M, h5, at(p, "W"), rows, file);
    perp_fclib_csc(&file->V, h5, at(p, "V"), rows, file->bilateral, file);
    perp_fclib_csc(&file->R, h5, at(p, "R"), file->bilateral, file->bilateral, file);
}

static void read_global(perp_problem_file *file, perp_h5 *h5, place *p)
{
    perp_heap *keep = perp_problem_file_heap(file);
    file->cls = PERP_CLASS_GLOBAL;
    read_spacedim(file, h5, p);
    file->dofs = perp_h5_int(h5, at(p, "M/m"), 0, INT_MAX - 1);
    int cols = perp_h5_int(h5, at(p, "H/n"), 0, INT_MAX - 1);
    count_contacts(file, h5, p, "H/n", cols);
    if (h5->status)
        return;
    file->q = perp_h5_doubles(h5, at(p, "vectors/f"), file->dofs, keep);
    file->w = perp_h5_doubles(h5, at(p, "vectors/w"), cols, keep);
    read_friction(file, h5, p);
    perp_fclib_symmetric(&file->M, h5, at(p, "M"), file->dofs, file);
    perp_fclib_csc(&file->H, h5, at(p, "H"), file->dofs, cols, file);
    file->has_G = perp_h5_has(h5, at(p, "G"));
    if (!file->has_G)
        return;
    file->bilateral = perp_h5_int(h5, at(p, "G/n"), 0, INT_MAX - 1 - cols);
    file->b = perp_h5_doubles(h5, at(p, "vectors/b"), file->bilateral, keep);
    perp_fclib_csc(&file->G, h5, at(p, "G"), file->dofs, file->bilateral, file);
}

/* The first group that is there and is of the class asked for. */
static void read_problem(perp_problem_file *file, perp_problem_class cls, perp_h5 *h5)
{
    static const struct {
        const char *group;
        perp_problem_class cls;
        int rolling;
    } groups[] = {{"/fclib_local", PERP_CLASS_FRICTION, 0},
                  {"/fclib_global", PERP_CLASS_GLOBAL, 0},
                  {"/fclib_local_rolling", PERP_CLASS_FRICTION, 1},
                  {"/fclib_global_rolling", PERP_CLASS_GLOBAL, 1}};
    int present = 0;
    for (int k = 0; k < 4; k++) {
        place p = {.group = groups[k].group, .rolling = groups[k].rolling};
        if (!perp_h5_has(h5, p.group))
            continue;
        present = 1;
        if (cls != PERP_CLASS_AUTO && cls != groups[k].cls &&
            !(cls == PERP_CLASS_ROLLING && p.rolling))
            continue;
        if (groups[k].cls == PERP_CLASS_FRICTION)
            read_local(file, h5, &p);
        else
            read_global(file, h5, &p);
        perp_h5_string(h5, at(&p, "info/title"), file->title, sizeof file->title);
        return;
    }
    if (present)
        perp_h5_fail(h5, PERP_ERR_FORMAT, NULL, "holds no problem of the class asked for");
    else
        perp_h5_fail(h5, PERP_ERR_FORMAT, NULL, "has no group /fclib_local or /fclib_global");
}

static perp_status read_file(perp_problem_file *file, perp_problem_class cls, const char *path,
                             perp_heap *work, perp_io_error *error)
{
    perp_h5 h5;
    if (!perp_h5_open(&h5, path, work, error))
        read_problem(file, cls, &h5);
    /* What was read is complete; closing cannot change it. */
    perp_status status = h5.status;
    perp_h5_close(&h5);
    return status;
}

perp_status perp_fclib_read(perp_problem_file *file, perp_problem_class cls, const char *path,
                            perp_io_error *error)
{
    perp_heap work;
    perp_status status = PERP_ERR_FORMAT;
    perp_heap_init(&work, &perp_problem_file_heap(file)->allocator);
    H5E_BEGIN_TRY
    {
        status = read_file(file, cls, path, &work, error);
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
