/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/bodies/body_pattern.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/mass.h"

/* What a component is touched by, in one number, and how far it was seen. */
typedef struct touched {
    uint64_t key;
    int block, component;
} touched;

static void note_blocks(touched *seen, const perp_mat *M, const perp_blocks *blocks)
{
    const perp_mass *mass = M->as.delassus.mass;
    for (int c = 0; c < mass->nblocks; c++)
        seen[c] = (touched){.key = 14695981039346656037u, .block = -1, .component = c};
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        int to = M->as.delassus.colptr[block->row + block->dim];
        for (int p = M->as.delassus.colptr[block->row]; p < to; p++) {
            touched *at = &seen[mass->block_of[M->as.delassus.row[p]]];
            if (at->block == k)
                continue;
            at->block = k;
            at->key = (at->key ^ (uint64_t)k) * 1099511628211u;
        }
    }
}

static int by_key(const void *a, const void *b)
{
    const touched *x = a, *y = b;
    if ((x->block < 0) != (y->block < 0))
        return x->block < 0 ? 1 : -1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->component > y->component) - (x->component < y->component);
}

/* Components with the same key become a group, as far as small inverses reach; any other choice
 * would do as well, at another cost.  rows: of each group.  Returns how many. */
static int group_components(perp_body_form *form, int *rows, const touched *seen,
                            const perp_mass *mass)
{
    int groups = 0;
    for (int c = 0; c < mass->nblocks; c++) {
        int component = seen[c].component, dim = mass->blocks[component].dim;
        form->size[component] = dim;
        form->body[component] = -1;
        if (seen[c].block < 0)
            continue;
        if (c == 0 || seen[c].key != seen[c - 1].key ||
            rows[groups - 1] + dim > PERP_MASS_BLOCK_MAX)
            rows[groups++] = 0;
        form->body[component] = groups - 1;
        form->offset[component] = rows[groups - 1];
        rows[groups - 1] += dim;
    }
    return groups;
}

/* Groups are numbered as the mass names them first. */
static void number_bodies(perp_body_form *form, const int *rows, int *number, int groups)
{
    memset(number, 0xff, (size_t)groups * sizeof *number);
    for (int c = 0; c < form->components; c++) {
        int group = form->body[c];
        if (group < 0)
            continue;
        if (number[group] < 0) {
            number[group] = form->bodies;
            form->first[form->bodies++] = form->order;
            form->order += rows[group];
        }
        form->body[c] = number[group];
    }
    form->first[form->bodies] = form->order;
}

/* Bodies of each block, in `touch` where that is there.  Returns how many touches. */
static int list_touches(perp_body_form *form, const perp_mat *M, const perp_blocks *blocks,
                        int *stamp)
{
    const perp_mass *mass = M->as.delassus.mass;
    int count = 0;
    memset(stamp, 0xff, (size_t)form->bodies * sizeof *stamp);
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        int to = M->as.delassus.colptr[block->row + block->dim];
        form->touch_ptr[k] = count;
        for (int p = M->as.delassus.colptr[block->row]; p < to; p++) {
            int body = form->body[mass->block_of[M->as.delassus.row[p]]];
            if (stamp[body] == k)
                continue;
            stamp[body] = k;
            if (form->touch)
                form->touch[count] = (perp_body_touch){.body = body};
            count++;
        }
    }
    form->touch_ptr[blocks->count] = count;
    return count;
}

/* Offsets of the pairs of all touches; how many there are. */
static size_t number_pairs(perp_body_form *form, const perp_blocks *blocks)
{
    size_t pairs = 0;
    for (int k = 0; k < blocks->count; k++) {
        int from = form->touch_ptr[k], to = form->touch_ptr[k + 1];
        double rows = 0.0, dim = blocks->at[k].dim;
        for (int e = from; e < to; e++) {
            form->touch[e].pair = pairs;
            pairs += (size_t)(to - from);
            rows += perp_body_form_size(form, form->touch[e].body);
        }
        form->flops += 2.0 * dim * rows * (rows + dim);
    }
    return pairs;
}

static perp_status build_touches(perp_body_form *form, const perp_mat *M, const perp_blocks *blocks,
                                 perp_arena *arena, perp_arena *temporary)
{
    const perp_mass *mass = M->as.delassus.mass;
    size_t components = (size_t)mass->nblocks;
    touched *seen = PERP_TAKE(temporary, touched, components);
    int *rows = PERP_TAKE(temporary, int, components);
    int *number = PERP_TAKE(temporary, int, components);
    form->body = PERP_TAKE(arena, int, components);
    form->offset = PERP_TAKE(arena, int, components);
    form->size = PERP_TAKE(arena, int, components);
    form->first = PERP_TAKE(arena, int, components + 1);
    form->touch_ptr = PERP_TAKE(arena, int, (size_t)blocks->count + 1);
    if (arena->failed || temporary->failed)
        return PERP_ERR_MEMORY;
    note_blocks(seen, M, blocks);
    qsort(seen, components, sizeof *seen, by_key);
    number_bodies(form, rows, number, group_components(form, rows, seen, mass));
    int count = list_touches(form, M, blocks, number);
    form->touch = PERP_TAKE(arena, perp_body_touch, count);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    (void)list_touches(form, M, blocks, number);
    form->place = PERP_TAKE(arena, int, number_pairs(form, blocks));
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* Blocks of each body. */
static void list_blocks(const perp_body_form *form, int blocks, int *block_ptr, int *block)
{
    memset(block_ptr, 0, ((size_t)form->bodies + 2) * sizeof *block_ptr);
    for (int e = 0; e < form->touch_ptr[blocks]; e++)
        block_ptr[form->touch[e].body + 2]++;
    for (int body = 0; body < form->bodies; body++)
        block_ptr[body + 2] += block_ptr[body + 1];
    for (int k = 0; k < blocks; k++)
        for (int e = form->touch_ptr[k]; e < form->touch_ptr[k + 1]; e++)
            block[block_ptr[form->touch[e].body + 1]++] = k;
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The bodies beside each one, ascending, in `beside` where that is there. */
static size_t list_neighbours(const perp_body_form *form, const int *block_ptr, const int *block,
                              int *beside_ptr, int *beside, int *stamp)
{
    size_t count = 0;
    memset(stamp, 0xff, (size_t)form->bodies * sizeof *stamp);
    for (int body = 0; body < form->bodies; body++) {
        size_t from = count;
        beside_ptr[body] = (int)from;
        for (int p = block_ptr[body]; p < block_ptr[body + 1]; p++)
            for (int e = form->touch_ptr[block[p]]; e < form->touch_ptr[block[p] + 1]; e++) {
                int other = form->touch[e].body;
                if (stamp[other] == body)
                    continue;
                stamp[other] = body;
                if (beside)
                    beside[count] = other;
                count++;
            }
        if (beside)
            qsort(beside + from, count - from, sizeof *beside, by_value);
    }
    beside_ptr[form->bodies] = (int)count;
    return count;
}

/* Columns of A from the neighbours of their bodies. */
static perp_status build_columns(perp_body_form *form, const int *beside_ptr, const int *beside,
                                 perp_arena *arena)
{
    size_t entries = 0;
    for (int body = 0; body < form->bodies; body++)
        for (int p = beside_ptr[body]; p < beside_ptr[body + 1]; p++)
            entries += (size_t)perp_body_form_size(form, body) *
                       (size_t)perp_body_form_size(form, beside[p]);
    if (entries > INT_MAX)
        return PERP_ERR_OVERFLOW;
    form->A = (perp_csc){.rows = form->order, .cols = form->order};
    form->A.colptr = PERP_TAKE(arena, int, (size_t)form->order + 1);
    form->A.row = PERP_TAKE(arena, int, entries);
    form->A.x = PERP_TAKE(arena, double, entries);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    int count = 0;
    for (int body = 0; body < form->bodies; body++)
        for (int c = form->first[body]; c < form->first[body + 1]; c++) {
            form->A.colptr[c] = count;
            for (int p = beside_ptr[body]; p < beside_ptr[body + 1]; p++)
                for (int r = form->first[beside[p]]; r < form->first[beside[p] + 1]; r++)
                    form->A.row[count++] = r;
        }
    form->A.colptr[form->order] = count;
    return PERP_SOLVED;
}

int perp_body_pattern_place(const perp_body_form *form, int column, int body)
{
    int low = form->A.colptr[column], high = form->A.colptr[column + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (form->A.row[middle] < form->first[body])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void place_pairs(perp_body_form *form, int blocks)
{
    for (int k = 0; k < blocks; k++) {
        int from = form->touch_ptr[k], to = form->touch_ptr[k + 1];
        for (int e = from; e < to; e++)
            for (int f = from; f < to; f++)
                form->place[form->touch[e].pair + (size_t)(f - from)] = perp_body_pattern_place(
                    form, form->first[form->touch[f].body], form->touch[e].body);
    }
}

static perp_status build_matrix(perp_body_form *form, int blocks, perp_arena *arena,
                                perp_arena *temporary)
{
    int *block_ptr = PERP_TAKE(temporary, int, (size_t)form->bodies + 2);
    int *block = PERP_TAKE(temporary, int, form->touch_ptr[blocks]);
    int *beside_ptr = PERP_TAKE(temporary, int, (size_t)form->bodies + 1);
    int *stamp = PERP_TAKE(temporary, int, form->bodies);
    if (temporary->failed)
        return PERP_ERR_MEMORY;
    list_blocks(form, blocks, block_ptr, block);
    size_t count = list_neighbours(form, block_ptr, block, beside_ptr, NULL, stamp);
    if (count > INT_MAX)
        return PERP_ERR_OVERFLOW;
    int *beside = PERP_TAKE(temporary, int, count);
    if (temporary->failed)
        return PERP_ERR_MEMORY;
    (void)list_neighbours(form, block_ptr, block, beside_ptr, beside, stamp);
    perp_status status = build_columns(form, beside_ptr, beside, arena);
    if (status == PERP_SOLVED)
        place_pairs(form, blocks);
    return status;
}

perp_status perp_body_pattern_build(perp_body_form *form, const perp_mat *M,
                                    const perp_blocks *blocks, perp_arena *arena)
{
    char stack[PERP_ARENA_STACK];
    perp_arena temporary;
    perp_arena_init_with(&temporary, &arena->allocator, stack, sizeof stack);
    perp_status status = build_touches(form, M, blocks, arena, &temporary);
    if (status == PERP_SOLVED)
        status = build_matrix(form, blocks->count, arena, &temporary);
    perp_arena_free(&temporary);
    return status;
}
