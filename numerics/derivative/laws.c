/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of one row, and what all blocks share. */
#include "derivative/laws.h"

#include <math.h>

#include "sets/rolling.h"

int perp_law_add(perp_laws *laws, int block, int set)
{
    int k = laws->count++;
    laws->row[k] = (perp_law_row){.block = block,
                                  .set = set,
                                  .dim = 1,
                                  .c = laws->c_count,
                                  .c_end = laws->c_count,
                                  .r = laws->r_count,
                                  .r_end = laws->r_count,
                                  .first = k,
                                  .last = k + 1};
    for (int p = 0; p < PERP_PARAMETERS; p++)
        laws->cw[p][k] = 0.0;
    if (set != PERP_FREE)
        laws->flags[block] |= PERP_LAW_KINK;
    return k;
}

/* Entries of a row are added before the next row. */
void perp_law_c(perp_laws *laws, int k, int row, double value)
{
    laws->c_at[laws->c_count] = row;
    laws->c[laws->c_count++] = value;
    laws->row[k].c_end = laws->c_count;
}

void perp_law_r(perp_laws *laws, int k, int row, double value)
{
    laws->r_at[laws->r_count] = row;
    laws->r[laws->r_count++] = value;
    laws->row[k].r_end = laws->r_count;
}

int perp_law_plain(perp_laws *laws, int block, int set, int row)
{
    int k = perp_law_add(laws, block, set);
    perp_law_c(laws, k, row, 1.0);
    perp_law_r(laws, k, row, 1.0);
    return k;
}

static void half_line(const perp_law_site *s)
{
    double z = s->d * s->z[0], w = s->w[0] / s->d;
    if (z > s->zero && z >= w)
        perp_law_plain(s->laws, s->index, PERP_FREE, s->block->row);
    else if (!(w > s->zero))
        perp_law_plain(s->laws, s->index, PERP_NONNEG, s->block->row);
}

/* dz = dpar[p] + sign zeta with zeta >= 0: a value at its bound with w = 0. */
static void at_bound(const perp_law_site *s, int p, double sign)
{
    int k = perp_law_add(s->laws, s->index, PERP_NONNEG);
    perp_law_c(s->laws, k, s->block->row, sign);
    perp_law_r(s->laws, k, s->block->row, sign);
    s->laws->cz[p][s->block->row] = 1.0;
}

static void interval(const perp_law_site *s)
{
    perp_laws *laws = s->laws;
    const double *par = s->block->par;
    int row = s->block->row;
    double w = s->w[0] / s->d, below = s->d * (s->z[0] - par[0]), above = s->d * (par[1] - s->z[0]);
    int free_of_low = below > s->zero && below >= w, free_of_high = above > s->zero && above >= -w;
    if (w > s->zero && !free_of_low) {
        laws->cz[0][row] = 1.0;
    } else if (-w > s->zero && !free_of_high) {
        laws->cz[1][row] = 1.0;
    } else if (free_of_low && free_of_high) {
        perp_law_plain(laws, s->index, PERP_FREE, row);
    } else if (free_of_high) {
        at_bound(s, 0, 1.0);
    } else if (free_of_low) {
        at_bound(s, 1, -1.0);
    } else {
        laws->cz[0][row] = laws->cz[1][row] = 0.5;
        laws->flags[s->index] |= PERP_LAW_POINT;
    }
}

/* Unknowns and equations of about the same size: each row by its largest entry in the units of
 * its block, and blocks of a critical cone by those of the block. */
static void scale(perp_laws *laws, const double *d)
{
    for (int k = 0; k < laws->count; k++) {
        perp_law_row *row = &laws->row[k];
        double up = 0.0, down = 0.0;
        if (row->set == PERP_FREE || row->set == PERP_NONNEG) {
            for (int p = row->c; p < row->c_end; p++)
                up = fmax(up, fabs(laws->c[p]) * laws->unit[laws->c_at[p]]);
            for (int p = row->r; p < row->r_end; p++)
                down = fmax(down, fabs(laws->r[p]) * laws->unit[laws->r_at[p]]);
            down = fmax(down, row->beta * (1.0 + row->tau * row->tau) / d[row->block]);
        }
        row->column_scale = 1.0 / (up > 0.0 ? up : d[row->block]);
        row->row_scale = 1.0 / (down > 0.0 ? down : d[row->block]);
        for (int p = row->c; p < row->c_end; p++)
            laws->c[p] *= row->column_scale;
        for (int p = row->r; p < row->r_end; p++)
            laws->r[p] *= row->row_scale;
        for (int p = 0; p < PERP_PARAMETERS; p++)
            laws->cw[p][k] *= row->row_scale;
    }
}

static perp_status take(perp_laws *laws, const perp_blocks *blocks, perp_arena *arena)
{
    size_t n = (size_t)blocks->n, count = (size_t)blocks->count;
    *laws = (perp_laws){0};
    laws->row = PERP_TAKE(arena, perp_law_row, n);
    laws->first = PERP_TAKE(arena, int, count + 1);
    laws->c_at = PERP_TAKE(arena, int, 4 * n);
    laws->r_at = PERP_TAKE(arena, int, 4 * n);
    laws->c = PERP_TAKE(arena, double, 4 * n);
    laws->r = PERP_TAKE(arena, double, 4 * n);
    for (int p = 0; p < PERP_PARAMETERS; p++) {
        laws->cz[p] = perp_arena_take_zero(arena, n, sizeof(double));
        laws->cw[p] = perp_arena_take_zero(arena, n, sizeof(double));
    }
    laws->flags = perp_arena_take_zero(arena, count, 1);
    laws->unit = PERP_TAKE(arena, double, n);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static void place_rows(perp_laws *laws)
{
    int kink;
    for (int k = 0; k < laws->count; k++)
        laws->regular += laws->row[k].set == PERP_FREE;
    kink = laws->regular;
    for (int k = 0, at = 0; k < laws->count; k++)
        laws->row[k].place = laws->row[k].set == PERP_FREE ? at++ : kink++;
}

perp_status perp_laws_build(perp_laws *laws, const perp_blocks *blocks, const double *d,
                            double zero, const double *z, const double *w, perp_arena *arena)
{
    perp_status status = take(laws, blocks, arena);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *b = &blocks->at[k];
        const perp_law_site site = {laws, b, k, d[k], zero, z + b->row, w + b->row};
        int half = perp_rolling_rows(b->dim);
        for (int i = 0; i < b->dim; i++)
            laws->unit[b->row + i] = b->set == PERP_ROLLING && i > half ? d[k] / b->length : d[k];
        laws->first[k] = laws->count;
        switch (b->set) {
        case PERP_FREE:
            perp_law_plain(laws, k, PERP_FREE, b->row);
            break;
        case PERP_NONNEG:
            half_line(&site);
            break;
        case PERP_BOX:
            interval(&site);
            break;
        case PERP_SOC:
            perp_law_soc(&site);
            break;
        default:
            perp_laws_contact(&site);
        }
    }
    laws->first[blocks->count] = laws->count;
    scale(laws, d);
    place_rows(laws);
    return PERP_SOLVED;
}
