/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a packing that one of several processes makes: its own bodies, and those beside them
 * that they may touch. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "generators/friction_problems.h"

enum { BODY = 6, ROWS = 3 };

/* The range of a part, and that with its neighbours. */
typedef struct range {
    int from, to, first, last;
} range;

static range range_of(const int count[3], int bodies, int part, int parts)
{
    /* Neighbours lie in the layers above and below, one row further at most. */
    long long reach = (long long)count[0] * count[1] + 2LL * count[0] + 2;
    range r;

    r.from = (int)((long long)bodies * part / parts);
    r.to = (int)((long long)bodies * (part + 1) / parts);
    r.first = r.from > reach ? r.from - (int)reach : 0;
    r.last = r.to + reach < bodies ? r.to + (int)reach : bodies;
    return r;
}

/* Whose: -1: of no own body; the later body has the contact. */
static int is_own(const perp_touch *touch, const range *r)
{
    int later = r->first + (touch->a > touch->b ? touch->a : touch->b);

    return later >= r->from && later < r->to;
}

static int take_entries(perp_part_entries *e, perp_problem_part *part, size_t count)
{
    if (count > INT_MAX)
        return 0;
    e->row = perp_problem_part_take(part, count, sizeof *e->row);
    e->col = perp_problem_part_take(part, count, sizeof *e->col);
    e->x = perp_problem_part_take(part, count, sizeof *e->x);
    return e->row != NULL && e->col != NULL && e->x != NULL;
}

static void add(perp_part_entries *e, int row, int col, double x)
{
    e->row[e->count] = row;
    e->col[e->count] = col;
    e->x[e->count++] = x;
}

static perp_status take_masses(perp_problem_part *part, const perp_problem_file *file,
                               const range *r)
{
    const int *ptr = file->M.as.csc.colptr;
    int begin = BODY * (r->from - r->first), end = begin + part->own_dofs;

    if (!take_entries(&part->M, part, (size_t)(ptr[end] - ptr[begin])))
        return PERP_ERR_MEMORY;
    for (int j = begin; j < end; j++)
        for (int e = ptr[j]; e < ptr[j + 1]; e++)
            add(&part->M, file->M.as.csc.row[e] + BODY * r->first, j + BODY * r->first,
                file->M.as.csc.x[e]);
    memcpy(part->f, file->q + begin, (size_t)part->own_dofs * sizeof *part->f);
    return PERP_SOLVED;
}

static perp_status take_contacts(perp_problem_part *part, const perp_problem_file *file,
                                 const perp_packing *scene, const range *r)
{
    const int *ptr = file->H.as.csc.colptr;
    size_t entries = 0;
    int k = 0;

    for (int t = 0; t < scene->touches; t++)
        if (is_own(&scene->touch[t], r))
            entries += (size_t)(ptr[ROWS * (t + 1)] - ptr[ROWS * t]);
    if (!take_entries(&part->H, part, entries))
        return PERP_ERR_MEMORY;
    for (int t = 0; t < scene->touches; t++) {
        if (!is_own(&scene->touch[t], r))
            continue;
        for (int i = 0; i < ROWS; i++) {
            for (int e = ptr[ROWS * t + i]; e < ptr[ROWS * t + i + 1]; e++)
                add(&part->H, file->H.as.csc.row[e] + BODY * r->first, ROWS * k + i,
                    file->H.as.csc.x[e]);
            part->w[ROWS * k + i] = file->w[ROWS * t + i];
        }
        part->mu[k++] = file->mu[t];
    }
    return PERP_SOLVED;
}

static perp_status fill(perp_problem_part *part, const perp_problem_file *file,
                        const perp_packing *scene, const range *r, int bodies)
{
    perp_status status;

    part->spacedim = ROWS;
    part->dofs = BODY * bodies;
    part->first_dof = BODY * r->from;
    part->own_dofs = BODY * (r->to - r->from);
    for (int t = 0; t < scene->touches; t++)
        part->own_contacts += is_own(&scene->touch[t], r);
    part->f = perp_problem_part_take(part, (size_t)part->own_dofs, sizeof *part->f);
    part->w = perp_problem_part_take(part, ROWS * (size_t)part->own_contacts, sizeof *part->w);
    part->mu = perp_problem_part_take(part, (size_t)part->own_contacts, sizeof *part->mu);
    if (part->f == NULL || part->w == NULL || part->mu == NULL)
        return PERP_ERR_MEMORY;
    status = take_masses(part, file, r);
    return status == PERP_SOLVED ? take_contacts(part, file, scene, r) : status;
}

static perp_status make(perp_problem_part *part, const perp_generate_options *options, int number,
                        int parts, const perp_allocator *allocator)
{
    perp_packing scene;
    perp_problem_file *file = NULL;
    int count[3], bodies = perp_spheres_layout(count, options->size);
    range r = range_of(count, bodies, number, parts);
    perp_status status = PERP_ERR_OVERFLOW;

    if (bodies > INT_MAX / BODY)
        return status;
    perp_packing_init(&scene, 3, options->seed, allocator);
    perp_build_spheres_range(&scene, count, r.first, r.last);
    status = perp_packing_to_file(&file, &scene, options->mu, options->restitution, "part");
    if (status == PERP_SOLVED)
        status = fill(part, file, &scene, &r, bodies);
    perp_problem_file_destroy(file);
    perp_packing_free(&scene);
    return status;
}

perp_status perp_generate_part(perp_problem_part **made, const perp_generator *generator,
                               const perp_generate_options *options, int part, int parts,
                               const perp_allocator *allocator)
{
    const perp_generate_options *o = options;
    perp_problem_part *own;
    perp_status status;

    *made = NULL;
    if (generator == NULL || part < 0 || part >= parts || o->size < 1 ||
        o->size > PERP_GENERATE_PART_SIZE_MAX || !(o->mu >= 0.0) || !isfinite(o->mu) ||
        !(o->restitution >= 0.0 && o->restitution <= 1.0))
        return PERP_ERR_ARGUMENT;
    if (generator->build != perp_build_spheres)
        return PERP_ERR_UNSUPPORTED;
    status = perp_problem_part_create(&own, allocator);
    if (status == PERP_SOLVED)
        status = make(own, options, part, parts, allocator);
    if (status == PERP_SOLVED)
        *made = own;
    else
        perp_problem_part_destroy(own);
    return status;
}
