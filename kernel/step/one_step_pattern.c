/* SPDX-License-Identifier: BSD-3-Clause */
/* Two active links are neighbours where they share a system ([SDN] ch. 1) or touch systems
 * that joints tie together: their blocks are the pattern of M, the same in rows and columns. */
#include "kernel/step/one_step_pattern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define GROW(one, array, capacity, count)                                                          \
    perp_pool_grow((one)->pool, (void **)&(one)->array, &(one)->capacity, (count),                 \
                   sizeof *(one)->array)

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Ascending; most lists are short. */
static void sort(int *list, int count)
{
    if (count > 32) {
        qsort(list, (size_t)count, sizeof *list, compare_int);
        return;
    }
    for (int i = 1; i < count; i++) {
        int value = list[i], j = i;
        for (; j > 0 && list[j - 1] > value; j--)
            list[j] = list[j - 1];
        list[j] = value;
    }
}

/* Who holds the list of active links of a system: it, or the first of its island. */
static perp_system *holder(const perp_one_step *one, perp_system *s)
{
    return one->tied && s->coupled >= 0 ? perp_saddle_first(one->saddle, s->island) : s;
}

/* Each system gets the list of its active links: nodes (link, next) in one->index. */
static int link_systems(perp_one_step *one)
{
    int nodes = 0, at = 0;
    for (int k = 0; k < one->nactive; k++)
        nodes += one->active[k]->nsystems;
    if (!GROW(one, index, capacity_index, 2 * nodes) ||
        !GROW(one, mark, capacity_mark, one->nactive))
        return 0;
    for (int k = 0; k < one->ntouched; k++)
        holder(one, one->touched[k])->active_head = -1;
    for (int k = one->nactive - 1; k >= 0; k--) {
        one->mark[k] = -1;
        for (int j = 0; j < one->active[k]->nsystems; j++) {
            perp_system *s = holder(one, one->active[k]->systems[j]);
            one->index[2 * at] = k;
            one->index[2 * at + 1] = s->active_head;
            s->active_head = at++;
        }
    }
    return 1;
}

static perp_status neighbours(perp_one_step *one)
{
    int total = 0;
    if (!link_systems(one) || !GROW(one, neighbour_ptr, capacity_neighbour_ptr, one->nactive + 1))
        return PERP_ERR_MEMORY;
    for (int a = 0; a < one->nactive; a++) {
        one->neighbour_ptr[a] = total;
        for (int j = 0; j < one->active[a]->nsystems; j++) {
            int node = holder(one, one->active[a]->systems[j])->active_head;
            for (; node >= 0; node = one->index[2 * node + 1]) {
                int b = one->index[2 * node];
                if (one->mark[b] == a)
                    continue;
                one->mark[b] = a;
                if (total == INT_MAX)
                    return PERP_ERR_OVERFLOW;
                if (!GROW(one, neighbours, capacity_neighbours, total + 1))
                    return PERP_ERR_MEMORY;
                one->neighbours[total++] = b;
            }
        }
        sort(one->neighbours + one->neighbour_ptr[a], total - one->neighbour_ptr[a]);
    }
    one->neighbour_ptr[one->nactive] = total;
    return PERP_SOLVED;
}

static int width(const perp_link *link)
{
    return link->rows + link->inner;
}

/* Index arrays of whole columns: every neighbour gives all its rows. */
static perp_status columns(perp_one_step *one)
{
    long total = 0;
    for (int b = 0; b < one->nactive; b++) {
        long height = 0;
        for (int k = one->neighbour_ptr[b]; k < one->neighbour_ptr[b + 1]; k++)
            height += width(one->active[one->neighbours[k]]);
        total += height * width(one->active[b]);
        if (total > INT_MAX)
            return PERP_ERR_OVERFLOW;
    }
    if (!GROW(one, column, capacity_column, one->rows + 1) ||
        !GROW(one, index, capacity_index, (int)total) || !GROW(one, x, capacity_x, (int)total))
        return PERP_ERR_MEMORY;
    int at = 0, j = 0;
    for (int b = 0; b < one->nactive; b++) {
        for (int c = 0; c < width(one->active[b]); c++) {
            one->column[j++] = at;
            for (int k = one->neighbour_ptr[b]; k < one->neighbour_ptr[b + 1]; k++) {
                const perp_link *link = one->active[one->neighbours[k]];
                for (int i = 0; i < width(link); i++)
                    one->index[at++] = link->first_row + i;
            }
        }
    }
    one->column[j] = at;
    return PERP_SOLVED;
}

int perp_one_step_block(const perp_one_step *one)
{
    int block = one->nactive > 0 ? one->active[0]->law.dim : 0;
    for (int k = 0; k < one->nactive; k++)
        if (one->active[k]->rows != block || one->active[k]->inner)
            return 0;
    return block;
}

static perp_status blocks(perp_one_step *one)
{
    int block = perp_one_step_block(one);
    if (block == 0)
        return PERP_ERR_UNSUPPORTED;
    int total = one->neighbour_ptr[one->nactive];
    if (total > INT_MAX / (block * block))
        return PERP_ERR_OVERFLOW;
    if (!GROW(one, column, capacity_column, one->nactive + 1) ||
        !GROW(one, index, capacity_index, total) ||
        !GROW(one, x, capacity_x, total * block * block))
        return PERP_ERR_MEMORY;
    memcpy(one->column, one->neighbour_ptr, sizeof(int) * (size_t)(one->nactive + 1));
    memcpy(one->index, one->neighbours, sizeof(int) * (size_t)total);
    return PERP_SOLVED;
}

/* H by columns, and the pattern of the mass of all systems. */
static perp_status delassus(perp_one_step *one, perp_system *const *systems, int nsystems)
{
    long total = 0, entries = 0, dofs = 0;
    for (int a = 0; a < one->nactive; a++)
        total += (long)one->active[a]->rows * one->active[a]->nv;
    for (int k = 0; k < nsystems; k++) {
        systems[k]->first_row = (int)dofs;
        dofs += systems[k]->nv;
        entries += perp_iteration_entries(&systems[k]->W);
    }
    if (total > INT_MAX || entries > INT_MAX || dofs > INT_MAX)
        return PERP_ERR_OVERFLOW;
    one->mass_dofs = (int)dofs;
    if (!GROW(one, column, capacity_column, one->rows + 1) ||
        !GROW(one, index, capacity_index, (int)total) || !GROW(one, x, capacity_x, (int)total) ||
        !GROW(one, mass_column, capacity_mass_column, (int)dofs + 1) ||
        !GROW(one, mass_row, capacity_mass_row, (int)entries) ||
        !GROW(one, mass_x, capacity_mass_x, 2 * (int)entries))
        return PERP_ERR_MEMORY;
    int at = 0, j = 0;
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        for (int i = 0; i < link->rows; i++) {
            one->column[j++] = at;
            for (int k = 0; k < link->nsystems; k++)
                for (int c = 0; c < link->systems[k]->nv; c++)
                    one->index[at++] = link->systems[k]->first_row + c;
        }
    }
    one->column[j] = at;
    return PERP_SOLVED;
}

perp_status perp_one_step_pattern(perp_one_step *one, perp_system *const *systems, int nsystems)
{
    if (one->form == PERP_FORM_DELASSUS)
        return delassus(one, systems, nsystems);
    perp_status status = neighbours(one);
    if (status != PERP_SOLVED)
        return status;
    if (one->form == PERP_FORM_CSC)
        return columns(one);
    if (one->form == PERP_FORM_BSR)
        return blocks(one);
    if (one->rows > INT_MAX / one->rows)
        return PERP_ERR_OVERFLOW;
    return GROW(one, x, capacity_x, one->rows * one->rows) ? PERP_SOLVED : PERP_ERR_MEMORY;
}
