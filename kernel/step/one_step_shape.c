/* SPDX-License-Identifier: BSD-3-Clause */
/* Which interactions are in the one-step problem, the numbers of their rows, segments. */
#include <limits.h>
#include <string.h>

#include "kernel/step/one_step.h"
#include "kernel/step/one_step_islands.h"
#include "kernel/step/one_step_pattern.h"
#include "kernel/laws/law.h"

#define GROW(one, array, capacity, count)                                                          \
    perp_pool_grow((one)->pool, (void **)&(one)->array, &(one)->capacity, (count),                 \
                   sizeof *(one)->array)

void perp_one_step_init(perp_one_step *one, perp_pool *pool, perp_form form)
{
    memset(one, 0, sizeof *one);
    one->pool = pool;
    one->allocator = perp_pool_allocator(pool);
    one->wanted = form;
}

void perp_one_step_free(perp_one_step *one)
{
    for (int k = 0; k < PERP_ONE_STEP_HANDLES; k++)
        perp_solver_destroy(one->handles[k].solver);
    perp_one_step_islands_free(one);
    perp_mass_destroy(one->mass);
    perp_saddle_half_free(&one->half);
    perp_saddle_spread_free(&one->spread);
}

void perp_one_step_forget(perp_one_step *one)
{
    for (int k = 0; k < PERP_ONE_STEP_HANDLES; k++) {
        perp_solver_destroy(one->handles[k].solver);
        perp_pool_give(one->pool, one->handles[k].memory);
        one->handles[k] = (perp_one_step_handle){.type = NULL};
    }
    one->mass_pattern = 0;
    perp_one_step_islands_forget(one);
}

/* Collects the active links; 1 where they are those of the present pattern. */
static int list_active(perp_one_step *one, perp_link *const *links, int nlinks,
                       unsigned long version, int *same)
{
    if (!GROW(one, active, capacity_active, nlinks))
        return 0;
    one->nactive = 0;
    for (int k = 0; k < nlinks; k++)
        if (links[k]->active)
            one->active[one->nactive++] = links[k];
    *same = one->pattern != 0 && version == one->version && one->nactive == one->nbefore &&
            (!one->saddle || one->saddle_pattern == one->saddle->pattern) &&
            (one->nactive == 0 ||
             memcmp(one->active, one->before, sizeof *one->active * (size_t)one->nactive) == 0);
    return 1;
}

static int row_count(perp_one_step *one)
{
    long rows = 0;
    for (int k = 0; k < one->nactive; k++) {
        perp_link *link = one->active[k];
        link->first_row = (int)rows;
        rows += link->rows + link->inner;
        if (rows > INT_MAX)
            return -1;
    }
    return (int)rows;
}

int perp_one_step_grow_rows(perp_one_step *one, int rows)
{
    int capacity = one->capacity_rows;
    double **arrays[] = {&one->q, &one->z, &one->w, &one->par[0], &one->par[1], &one->par[2]};
    if (rows <= capacity)
        return 1;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        int each = one->capacity_rows;
        if (!perp_pool_grow(one->pool, (void **)arrays[k], &each, rows, sizeof(double)))
            return 0;
        capacity = each;
    }
    one->capacity_rows = capacity;
    return 1;
}

/* Adds `count` blocks of a set, to the last segment where it is the same. */
static int add_blocks(perp_one_step *one, perp_set set, int dim, int count, int *block)
{
    perp_segment *last = one->nsegments > 0 ? &one->segments[one->nsegments - 1] : NULL;
    if (last && last->set == set && last->dim == dim) {
        last->count += count;
    } else {
        if (!GROW(one, segments, capacity_segments, one->nsegments + 1))
            return 0;
        last = &one->segments[one->nsegments++];
        *last = (perp_segment){.set = set, .dim = dim, .count = count};
        for (int p = 0; p < PERP_PARAMETERS; p++) {
            last->par[p] = one->par[p] + *block;
            last->stride[p] = 1;
        }
    }
    *block += count;
    return 1;
}

perp_set perp_one_step_set(const perp_one_step *one, const perp_link *link)
{
    if (one->bilateral)
        return PERP_FREE;
    return one->tresca && link->law.kind == PERP_LAW_FRICTION ? PERP_TRESCA
                                                              : perp_law_set(&link->law);
}

static int make_segments(perp_one_step *one)
{
    int block = 0;
    one->nsegments = 0;
    one->linear = 1;
    for (int k = 0; k < one->nactive; k++) {
        const perp_link *link = one->active[k];
        one->linear &= one->bilateral || link->law.kind != PERP_LAW_FRICTION;
        if (one->bilateral ? !add_blocks(one, PERP_FREE, 1, link->rows, &block)
                           : !add_blocks(one, perp_one_step_set(one, link), link->law.dim,
                                         link->relations, &block))
            return 0;
        if (link->inner && !add_blocks(one, PERP_FREE, 1, link->inner, &block))
            return 0;
    }
    return 1;
}

/* Each system of an active link once, its entries numbered in order. */
static int list_touched(perp_one_step *one, int nsystems)
{
    if (!GROW(one, touched, capacity_touched, nsystems))
        return 0;
    for (int k = 0; k < one->nactive; k++)
        for (int j = 0; j < one->active[k]->nsystems; j++)
            one->active[k]->systems[j]->active_head = -1;
    one->ntouched = one->tied = 0;
    for (int k = 0; k < one->nactive; k++) {
        for (int j = 0; j < one->active[k]->nsystems; j++) {
            perp_system *s = one->active[k]->systems[j];
            if (s->active_head == -1) {
                s->active_head = -2;
                one->tied |= one->saddle && s->coupled >= 0;
                one->touched[one->ntouched++] = s;
            }
        }
    }
    return 1;
}

/* Dense while the whole matrix is small; never formed where many contacts have many more rows than
 * their bodies have velocities, since it is then of low rank and its blocks are many; else square
 * blocks where all have the same size. */
enum { DENSE_ROWS = 48, MANY_ROWS = 200 };
static const double ROWS_PER_DOF = 1.5;

/* All blocks are left W^-1 left', which is what that form holds. */
static int is_symmetric(const perp_one_step *one)
{
    for (int a = 0; a < one->nactive; a++)
        if (!one->active[a]->symmetric)
            return 0;
    return 1;
}

static int is_overdetermined(const perp_one_step *one)
{
    int dofs = 0;
    if (one->rows <= MANY_ROWS)
        return 0;
    for (int k = 0; k < one->ntouched; k++) {
        if (one->touched[k]->kind != PERP_SYSTEM_BODY)
            return 0;
        dofs += one->touched[k]->nv;
    }
    return is_symmetric(one) && one->rows > ROWS_PER_DOF * dofs;
}

/* Who is asked first wants bodies and directions, not W. */
static int is_for_others(const perp_one_step *one)
{
    if (!one->given || !one->given->fn || one->rows < one->given->rows)
        return 0;
    for (int k = 0; one->gaps_kept && k < one->ntouched; k++)
        if (one->touched[k]->kind != PERP_SYSTEM_BODY)
            return 0;
    return is_symmetric(one);
}

static perp_form choose_form(const perp_one_step *one)
{
    if (one->tied && one->wanted == PERP_FORM_DELASSUS)
        return PERP_FORM_CSC;
    if (one->wanted != PERP_FORM_AUTO)
        return one->wanted;
    if (!one->tied && is_for_others(one))
        return PERP_FORM_DELASSUS;
    if (one->rows <= DENSE_ROWS)
        return PERP_FORM_DENSE;
    if (one->gaps_kept && !one->tied && is_overdetermined(one))
        return PERP_FORM_DELASSUS;
    return perp_one_step_block(one) > 1 ? PERP_FORM_BSR : PERP_FORM_CSC;
}

perp_status perp_one_step_shape(perp_one_step *one, perp_link *const *links, int nlinks,
                                perp_system *const *systems, int nsystems, unsigned long version)
{
    int same = 0;
    one->posed = 0;
    if (!list_active(one, links, nlinks, version, &same))
        return PERP_ERR_MEMORY;
    int rows = row_count(one); /* links may have been in another problem since */
    if (rows < 0)
        return PERP_ERR_OVERFLOW;
    if (same && (one->rows == 0 || one->form == choose_form(one)))
        return PERP_SOLVED;
    one->pattern++;
    one->version = 0; /* where memory ends on the way, the next call begins again */
    one->rows = rows;
    if (!GROW(one, before, capacity_before, one->nactive) ||
        !perp_one_step_grow_rows(one, one->rows) || !list_touched(one, nsystems) ||
        !make_segments(one))
        return PERP_ERR_MEMORY;
    if (one->nactive > 0)
        memcpy(one->before, one->active, sizeof *one->active * (size_t)one->nactive);
    one->nbefore = one->nactive;
    one->saddle_pattern = one->saddle ? one->saddle->pattern : 0;
    one->form = choose_form(one);
    perp_status status = one->rows > 0 || one->of_parts
                             ? perp_one_step_pattern(one, systems, nsystems)
                             : PERP_SOLVED;
    if (status == PERP_SOLVED)
        one->version = version;
    return status;
}
