/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/mass.h"

#include <string.h>

static void forget(int *number, const int *list, int found)
{
    for (int b = 0; b < found; b++)
        number[list[b]] = -1;
}

/* Numbers the blocks that the rows name, in the order in which they come; -1: one of them is in
 * the sparse part. */
static int number_blocks(int *list, int *number, const perp_mass *whole, const int *row, int count)
{
    int found = 0;
    for (int p = 0; p < count; p++) {
        int b = whole->block_of[row[p]];
        if (b < 0) {
            forget(number, list, found);
            return -1;
        }
        if (number[b] < 0) {
            number[b] = found;
            list[found++] = b;
        }
    }
    return found;
}

static perp_status take_blocks(perp_mass *part, const perp_mass *whole, const int *list, int count,
                               perp_arena *arena)
{
    part->blocks = PERP_TAKE(arena, perp_mass_block, count);
    if (!part->blocks)
        return PERP_ERR_MEMORY;
    for (int b = 0; b < count; b++) {
        part->blocks[b] = whole->blocks[list[b]];
        part->blocks[b].first = part->n;
        part->n += part->blocks[b].dim;
    }
    part->nblocks = count;
    part->dof = PERP_TAKE(arena, int, part->n);
    part->place = PERP_TAKE(arena, int, part->n);
    part->block_of = PERP_TAKE(arena, int, part->n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int b = 0; b < count; b++)
        for (int i = part->blocks[b].first; i < part->blocks[b].first + part->blocks[b].dim; i++) {
            part->dof[i] = part->place[i] = i;
            part->block_of[i] = b;
        }
    return PERP_SOLVED;
}

perp_status perp_mass_part(perp_mass *part, int *row, int count, const perp_mass *whole,
                           int *number, perp_arena *arena)
{
    memset(part, 0, sizeof *part);
    part->symmetric = whole->symmetric;
    part->inverses = whole->inverses;
    part->roots = whole->roots;
    int *list = PERP_TAKE(arena, int, count < whole->nblocks ? count : whole->nblocks);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    int found = number_blocks(list, number, whole, row, count);
    if (found < 0)
        return PERP_ERR_UNSUPPORTED;
    perp_status status = take_blocks(part, whole, list, found, arena);
    for (int p = 0; status == PERP_SOLVED && p < count; p++) {
        int b = whole->block_of[row[p]];
        int inside = whole->place[row[p]] - whole->blocks[b].first;
        row[p] = part->blocks[number[b]].first + inside;
    }
    forget(number, list, found);
    return status;
}
