/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/one_step_part.h"

#include <limits.h>
#include <string.h>

#include "kernel/laws/law.h"

#define GROW(pool, part, array, capacity, count)                                                   \
    perp_pool_grow((pool), (void **)&(part)->array, &(part)->capacity, (count),                    \
                   sizeof *(part)->array)

static int grow_numbers(perp_pool *pool, perp_one_step_part *part, int rows)
{
    double **arrays[] = {&part->q, &part->z, &part->w, &part->par[0], &part->par[1], &part->par[2]};
    int capacity = part->capacity_numbers;
    for (size_t k = 0; rows > part->capacity_numbers && k < sizeof arrays / sizeof arrays[0]; k++) {
        capacity = part->capacity_numbers;
        if (!perp_pool_grow(pool, (void **)arrays[k], &capacity, rows, sizeof(double)))
            return 0;
    }
    part->capacity_numbers = capacity;
    return 1;
}

static int list_rows(perp_one_step_part *part, const perp_one_step *one, const int *member,
                     int count)
{
    part->rows = 0;
    for (int k = 0; k < count; k++)
        part->rows += perp_one_step_width(one->active[member[k]]);
    if (!GROW(one->pool, part, row, capacity_row, part->rows) ||
        !GROW(one->pool, part, map, capacity_map, one->rows) ||
        !grow_numbers(one->pool, part, part->rows))
        return 0;
    for (int k = 0, at = 0; k < count; k++) {
        const perp_link *link = one->active[member[k]];
        for (int i = 0; i < perp_one_step_width(link); i++, at++) {
            part->row[at] = link->first_row + i;
            part->map[link->first_row + i] = at;
        }
    }
    return 1;
}

/* Adds blocks of a set, whose parameters begin at `from` in the whole. */
static int add_blocks(perp_one_step_part *part, const perp_one_step *one, perp_set set, int dim,
                      int count, int *block, int from)
{
    perp_segment *last = part->nsegments > 0 ? &part->segments[part->nsegments - 1] : NULL;
    for (int p = 0; p < PERP_PARAMETERS; p++)
        memcpy(part->par[p] + *block, one->par[p] + from, sizeof(double) * (size_t)count);
    if (last && last->set == set && last->dim == dim) {
        last->count += count;
    } else {
        if (!GROW(one->pool, part, segments, capacity_segments, part->nsegments + 1))
            return 0;
        last = &part->segments[part->nsegments++];
        *last = (perp_segment){.set = set, .dim = dim, .count = count};
        for (int p = 0; p < PERP_PARAMETERS; p++) {
            last->par[p] = part->par[p] + *block;
            last->stride[p] = 1;
        }
    }
    *block += count;
    return 1;
}

static int make_segments(perp_one_step_part *part, const perp_one_step *one, const int *member,
                         int count, const int *first_block)
{
    int block = 0;
    part->nsegments = 0;
    for (int k = 0; k < count; k++) {
        const perp_link *link = one->active[member[k]];
        int from = first_block[member[k]], own = perp_one_step_blocks(one, link) - link->inner;
        int dim = one->bilateral ? 1 : link->law.dim;
        if (!add_blocks(part, one, perp_one_step_set(one, link), dim, own, &block, from) ||
            (link->inner && !add_blocks(part, one, PERP_FREE, 1, link->inner, &block, from + own)))
            return 0;
    }
    part->problem.seg = part->segments;
    part->problem.nseg = part->nsegments;
    return 1;
}

/* The numbers of columns of the whole, for each of its forms, in a dense matrix. */
static void fill_dense(perp_one_step_part *part, const perp_one_step *one, const int *member,
                       int count)
{
    size_t n = (size_t)part->rows;
    memset(part->x, 0, sizeof(double) * n * n);
    for (size_t j = 0; one->form == PERP_FORM_DENSE && j < n; j++) {
        const double *from = one->x + (size_t)part->row[j] * (size_t)one->rows;
        for (size_t i = 0; i < n; i++)
            part->x[i + j * n] = from[part->row[i]];
    }
    for (size_t j = 0; one->form == PERP_FORM_CSC && j < n; j++)
        for (int p = one->column[part->row[j]]; p < one->column[part->row[j] + 1]; p++)
            part->x[(size_t)part->map[one->index[p]] + j * n] = one->x[p];
    for (int k = 0; one->form == PERP_FORM_BSR && k < count; k++) {
        int a = member[k], m = one->active[a]->rows;
        size_t top = (size_t)part->map[one->active[a]->first_row];
        for (int p = one->column[a]; p < one->column[a + 1]; p++) {
            size_t left = (size_t)part->map[one->active[one->index[p]]->first_row];
            const double *from = one->x + (size_t)p * (size_t)(m * m);
            for (int c = 0; c < m; c++)
                for (int r = 0; r < m; r++)
                    part->x[top + (size_t)r + (left + (size_t)c) * n] = *from++;
        }
    }
}

/* Columns, or rows of blocks. */
static perp_status fill_sparse(perp_one_step_part *part, const perp_one_step *one,
                               const int *member, int count)
{
    int bsr = one->form == PERP_FORM_BSR, m = bsr ? one->active[0]->rows : 1, total = 0;
    int columns = bsr ? count : part->rows;
    for (int j = 0; j < columns; j++) {
        int from = bsr ? member[j] : part->row[j];
        total += one->column[from + 1] - one->column[from];
    }
    if (!GROW(one->pool, part, column, capacity_column, columns + 1) ||
        !GROW(one->pool, part, index, capacity_index, total) ||
        !GROW(one->pool, part, x, capacity_x, total * m * m))
        return PERP_ERR_MEMORY;
    size_t block = (size_t)(m * m);
    part->column[0] = 0;
    for (int j = 0, at = 0; j < columns; j++) {
        int from = bsr ? member[j] : part->row[j];
        for (int p = one->column[from]; p < one->column[from + 1]; p++, at++) {
            int row = bsr ? one->active[one->index[p]]->first_row : one->index[p];
            part->index[at] = part->map[row] / m;
            memcpy(part->x + (size_t)at * block, one->x + (size_t)p * block,
                   sizeof(double) * block);
        }
        part->column[j + 1] = at;
    }
    return bsr ? perp_mat_init_bsr(&part->problem.M, count, m, part->column, part->index, part->x)
               : perp_mat_init_csc(&part->problem.M, part->rows, part->rows, part->column,
                                   part->index, part->x);
}

perp_status perp_one_step_part_take(perp_one_step_part *part, const perp_one_step *one,
                                    const int *member, int count, const int *first_block, int dense)
{
    if (!list_rows(part, one, member, count) ||
        !make_segments(part, one, member, count, first_block))
        return PERP_ERR_MEMORY;
    int n = part->rows;
    for (int i = 0; i < n; i++) {
        part->q[i] = one->q[part->row[i]];
        part->z[i] = one->z[part->row[i]];
    }
    part->problem.q = part->q;
    if (!dense && one->form != PERP_FORM_DENSE)
        return fill_sparse(part, one, member, count);
    if (n > INT_MAX / n)
        return PERP_ERR_OVERFLOW;
    if (!GROW(one->pool, part, x, capacity_x, n * n))
        return PERP_ERR_MEMORY;
    fill_dense(part, one, member, count);
    return perp_mat_init_dense(&part->problem.M, n, n, part->x, n);
}

void perp_one_step_part_give(const perp_one_step_part *part, perp_one_step *one)
{
    for (int i = 0; i < part->rows; i++) {
        one->z[part->row[i]] = part->z[i];
        one->w[part->row[i]] = part->w[i];
    }
}

void perp_one_step_part_free(perp_one_step_part *part, perp_pool *pool)
{
    void *own[] = {part->row,    part->map,    part->q,      part->z,
                   part->w,      part->x,      part->par[0], part->par[1],
                   part->par[2], part->column, part->index,  part->segments};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
        perp_pool_give(pool, own[k]);
    *part = (perp_one_step_part){0};
}
