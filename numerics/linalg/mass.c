/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/mass.h"

#include "core/float_environment.h"
#include "linalg/components.h"
#include "linalg/csc.h"
#include "linalg/mat.h"

/* The components while they are listed. */
typedef struct listing {
    int count;
    int *of;   /* n: component of an unknown */
    int *size; /* unknowns of a component */
} listing;

/* The pattern: exact zeros off the diagonal do not count. */
static void drop_zeros(perp_csc *M)
{
    int end = 0;
    for (int j = 0, p = 0; j < M->cols; j++) {
        for (; p < M->colptr[j + 1]; p++) {
            if (M->x[p] != 0.0 || M->row[p] == j) {
                M->row[end] = M->row[p];
                M->x[end++] = M->x[p];
            }
        }
        M->colptr[j + 1] = end;
    }
}

/* with[i]: the unknown before i in its component of the old mass, or i. */
static void chain(int *with, const perp_mass *old)
{
    int tail = old->n - old->nsparse;
    for (int k = 0; k < old->n; k++) {
        int i = old->dof[k], before = k > 0 ? old->dof[k - 1] : i, same = k > 0;
        if (k < tail)
            same = same && old->block_of[before] == old->block_of[i];
        else
            same = k > tail && old->large[k - 1 - tail] == old->large[k - tail];
        with[i] = same ? before : i;
    }
}

static perp_status find_components(listing *list, const perp_mat *M, const perp_mass *old,
                                   perp_arena *local)
{
    perp_csc C;
    perp_status status = perp_csc_from_mat(&C, M, local);
    if (status != PERP_SOLVED)
        return status;
    drop_zeros(&C);
    int *with = old ? PERP_TAKE(local, int, old->n) : NULL;
    list->of = PERP_TAKE(local, int, C.cols);
    if (local->failed)
        return PERP_ERR_MEMORY;
    if (old)
        chain(with, old);
    list->count = perp_components(list->of, &C, with, local);
    if (list->count < 0)
        return PERP_ERR_MEMORY;
    list->size = perp_arena_take_zero(local, (size_t)list->count, sizeof(int));
    if (local->failed)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < C.cols; i++)
        list->size[list->of[i]]++;
    return PERP_SOLVED;
}

/* Unknowns component by component, the small components first.  next, block:
 * count ints each. */
static void order_unknowns(perp_mass *mass, const listing *list, int *next, int *block)
{
    int at = 0;
    for (int large = 0; large < 2; large++) {
        for (int c = 0; c < list->count; c++) {
            if ((list->size[c] > PERP_MASS_BLOCK_MAX) != large)
                continue;
            next[c] = at;
            block[c] = large ? -1 : mass->nblocks;
            if (!large)
                mass->blocks[mass->nblocks++] =
                    (perp_mass_block){.first = at, .dim = list->size[c]};
            at += list->size[c];
            mass->nsparse += large ? list->size[c] : 0;
        }
    }
    for (int i = 0; i < mass->n; i++) {
        mass->place[i] = next[list->of[i]]++;
        mass->dof[mass->place[i]] = i;
        mass->block_of[i] = block[list->of[i]];
    }
    for (int k = 0; k < mass->nsparse; k++)
        mass->large[k] = list->of[mass->dof[mass->n - mass->nsparse + k]];
}

static perp_status take_arrays(perp_mass *mass)
{
    size_t total = 0;
    for (int k = 0; k < mass->nblocks; k++) {
        mass->blocks[k].inverse = mass->blocks[k].root = total;
        total += (size_t)(mass->blocks[k].dim * mass->blocks[k].dim);
    }
    mass->inverses = PERP_TAKE(&mass->arena, double, total);
    mass->root_memory = PERP_TAKE(&mass->arena, double, total);
    mass->next_inverses = PERP_TAKE(&mass->arena, double, total);
    mass->next_roots = PERP_TAKE(&mass->arena, double, total);
    return mass->arena.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* Everything that does not depend on the numbers. */
static perp_status analyse(perp_mass *mass, const perp_mat *M, const perp_mass *old,
                           perp_arena *local)
{
    listing list;
    perp_status status = find_components(&list, M, old, local);
    if (status != PERP_SOLVED)
        return status;
    int *next = PERP_TAKE(local, int, list.count), *block = PERP_TAKE(local, int, list.count);
    mass->dof = PERP_TAKE(&mass->arena, int, mass->n);
    mass->place = PERP_TAKE(&mass->arena, int, mass->n);
    mass->block_of = PERP_TAKE(&mass->arena, int, mass->n);
    mass->large = PERP_TAKE(&mass->arena, int, mass->n);
    mass->seen = PERP_TAKE(&mass->arena, int, mass->n);
    mass->blocks = PERP_TAKE(&mass->arena, perp_mass_block, list.count);
    if (local->failed || mass->arena.failed)
        return PERP_ERR_MEMORY;
    order_unknowns(mass, &list, next, block);
    return take_arrays(mass);
}

static void free_arenas(perp_mass *mass)
{
    perp_arena_free(&mass->arena);
    perp_arena_free(&mass->factors);
}

/* The numbers of M, which must not couple components (*coupled).  Unless
 * PERP_SOLVED the mass is as it was. */
static perp_status fill(perp_mass *mass, const perp_mat *M, int *coupled, int *singular)
{
    perp_mass_report report;
    perp_lu lu = mass->lu;
    perp_arena factors;
    int symmetric = 1;
    perp_status status = perp_mass_invert_blocks(mass, M, &report);
    *singular = report.singular;
    *coupled = report.coupled;
    if (status != PERP_SOLVED || report.coupled)
        return status;
    if (mass->nsparse > 0) {
        perp_arena_init(&factors, &mass->arena.allocator);
        status = perp_mass_factor(&lu, &symmetric, mass, M, &factors, singular);
        if (status != PERP_SOLVED) {
            perp_arena_free(&factors);
            return status;
        }
        perp_arena_free(&mass->factors);
        mass->factors = factors;
        mass->lu = lu;
    }
    mass->symmetric = symmetric && report.symmetric;
    perp_mass_exchange(mass, report.definite);
    return PERP_SOLVED;
}

perp_status perp_mass_build(perp_mass *mass, const perp_mat *M, const perp_mass *old,
                            const perp_allocator *memory, int *singular)
{
    perp_arena local;
    int coupled = 0;
    *singular = -1;
    *mass = (perp_mass){.n = M->rows};
    perp_arena_init(&mass->arena, memory);
    perp_arena_init(&mass->factors, memory);
    perp_arena_init(&local, memory);
    perp_status status = analyse(mass, M, old, &local);
    perp_arena_free(&local);
    if (status == PERP_SOLVED)
        status = fill(mass, M, &coupled, singular);
    if (status != PERP_SOLVED)
        free_arenas(mass);
    return status;
}

static perp_status fail(perp_where *where, const char *what, int index, perp_status status)
{
    if (where)
        *where = (perp_where){what, -1, index};
    return status;
}

/* Shape and kind; the contents have been scanned. */
static perp_status check_kind(const perp_mat *M, perp_where *where)
{
    if (M->rows != M->cols)
        return fail(where, "rows", -1, PERP_ERR_ARGUMENT);
    if (M->kind == PERP_OPERATOR || M->kind == PERP_DELASSUS)
        return fail(where, "kind", -1, PERP_ERR_UNSUPPORTED);
    return PERP_SOLVED;
}

static perp_status finish(perp_status status, int singular, perp_where *where)
{
    if (status == PERP_SOLVED)
        return status;
    return fail(where, status == PERP_ERR_MEMORY ? "memory" : "M", singular, status);
}

perp_status perp_mass_create(perp_mass **out, const perp_mat *M, const perp_allocator *allocator,
                             perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    if (out)
        *out = NULL;
    if (!out || !M)
        return fail(where, out ? "M" : "mass", -1, PERP_ERR_ARGUMENT);
    perp_status status = perp_mat_check(M, allocator, where);
    if (status == PERP_SOLVED)
        status = check_kind(M, where);
    if (status != PERP_SOLVED)
        return status;

    int singular = -1;
    perp_allocator memory = perp_allocator_or_malloc(allocator);
    perp_mass *mass = memory.allocate(memory.ctx, sizeof *mass);
    if (!mass)
        return fail(where, "memory", -1, PERP_ERR_MEMORY);
    status = perp_mass_build(mass, M, NULL, &memory, &singular);
    if (status == PERP_SOLVED)
        *out = mass;
    else
        memory.release(memory.ctx, mass);
    return finish(status, singular, where);
}

/* New components, which hold the old ones: the mass is made again. */
static perp_status rebuild(perp_mass *mass, const perp_mat *M, int *singular)
{
    perp_mass made;
    perp_allocator memory = mass->arena.allocator;
    perp_status status = perp_mass_build(&made, M, mass, &memory, singular);
    if (status != PERP_SOLVED)
        return status;
    free_arenas(mass);
    *mass = made;
    return PERP_SOLVED;
}

perp_status perp_mass_update(perp_mass *mass, const perp_mat *M, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    if (!mass || !M)
        return fail(where, mass ? "M" : "mass", -1, PERP_ERR_ARGUMENT);
    const perp_check_memory with = {mass->seen, mass->n, &mass->arena.allocator};
    perp_status status = perp_mat_check_with(M, &with, where);
    if (status == PERP_SOLVED)
        status = check_kind(M, where);
    if (status != PERP_SOLVED)
        return status;
    if (M->rows != mass->n)
        return fail(where, "rows", -1, PERP_ERR_ARGUMENT);
    int singular = -1, coupled = 0;
    status = fill(mass, M, &coupled, &singular);
    if (status == PERP_SOLVED && coupled)
        status = rebuild(mass, M, &singular);
    return finish(status, singular, where);
}

void perp_mass_destroy(perp_mass *mass)
{
    if (!mass)
        return;
    perp_allocator memory = mass->arena.allocator;
    free_arenas(mass);
    memory.release(memory.ctx, mass);
}
