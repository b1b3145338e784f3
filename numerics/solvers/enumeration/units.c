/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/enumeration/units.h"

#include <math.h>

int perp_units_count(const perp_blocks *blocks, int *rows)
{
    int count = 0, slacks = 0;
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        if (block->dim > 2 || block->set == PERP_SOC || block->set == PERP_ROLLING) {
            *rows = 0;
            return 0;
        }
        count += block->set == PERP_TRESCA ? 2 : 1;
        slacks += block->set == PERP_COULOMB ? 2 : 0;
    }
    *rows = blocks->n + slacks;
    return count;
}

static void set_bound(perp_dictionary *d, int v, double lo, double hi)
{
    d->lo[v] = lo;
    d->hi[v] = hi;
}

static void add(perp_unit *unit, int mode, int v, double lo, double hi)
{
    if (mode == unit->modes)
        unit->count[unit->modes++] = 0;
    unit->on[mode][unit->count[mode]++] = (perp_bound){v, lo, hi};
}

/* lo <= z <= hi with w at its row; both bounds infinite: w = 0. */
static void write_interval(perp_unit *unit, perp_dictionary *d, int z, double lo, double hi)
{
    int w = d->cols + z;
    set_bound(d, z, lo, hi);
    set_bound(d, w,
              isinf(lo)   ? -INFINITY
              : isinf(hi) ? 0.0
                          : -INFINITY,
              isinf(hi)   ? INFINITY
              : isinf(lo) ? 0.0
                          : INFINITY);
    if (isinf(lo) && isinf(hi))
        set_bound(d, w, 0.0, 0.0);
    if (lo == hi || (isinf(lo) && isinf(hi)))
        return;
    add(unit, 0, w, 0.0, 0.0);
    if (isfinite(lo)) {
        int m = unit->modes;
        add(unit, m, z, lo, lo);
        add(unit, m, w, 0.0, INFINITY);
    }
    if (isfinite(hi)) {
        int m = unit->modes;
        add(unit, m, z, hi, hi);
        add(unit, m, w, -INFINITY, 0.0);
    }
}

/* Slack rows s, s + 1: mu z_N -+ z_T >= 0. */
static void write_contact(perp_unit *unit, perp_dictionary *d, int z, int s, double mu)
{
    size_t n = (size_t)d->cols;
    int w = d->cols + z, minus = d->cols + s, plus = minus + 1;
    for (int k = 0; k < 2; k++) {
        double *a = d->a + (size_t)(s + k) * n;
        for (size_t j = 0; j < n; j++)
            a[j] = 0.0;
        a[z] = mu;
        a[z + 1] = k == 0 ? -1.0 : 1.0;
        d->b[s + k] = 0.0;
        set_bound(d, minus + k, 0.0, INFINITY);
    }
    set_bound(d, z, 0.0, INFINITY);
    set_bound(d, z + 1, -INFINITY, INFINITY);
    set_bound(d, w, 0.0, INFINITY);
    set_bound(d, w + 1, -INFINITY, INFINITY);
    add(unit, 0, w, 0.0, 0.0);
    add(unit, 0, w + 1, 0.0, 0.0);
    for (int m = 1; m < 3; m++) {
        add(unit, m, w, 0.0, 0.0);
        add(unit, m, m == 1 ? minus : plus, 0.0, 0.0);
        add(unit, m, w + 1, m == 1 ? -INFINITY : 0.0, m == 1 ? 0.0 : INFINITY);
    }
    add(unit, 3, z, 0.0, 0.0);
    add(unit, 3, z + 1, 0.0, 0.0);
}

void perp_units_write(perp_unit *units, perp_dictionary *d, const perp_blocks *blocks,
                      const double *M, const double *q)
{
    size_t n = (size_t)blocks->n;
    int slack = blocks->n;
    perp_unit *unit = units;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            d->a[i * n + j] = M[i + j * n];
        d->b[i] = q[i];
    }
    for (int k = 0; k < blocks->count; k++, unit++) {
        const perp_block *block = &blocks->at[k];
        double r = block->par[0];
        *unit = (perp_unit){0};
        if (block->set == PERP_COULOMB) {
            write_contact(unit, d, block->row, slack, r);
            slack += 2;
        } else if (block->set == PERP_BOX) {
            write_interval(unit, d, block->row, r, block->par[1]);
        } else {
            write_interval(unit, d, block->row, block->set == PERP_FREE ? -INFINITY : 0.0,
                           INFINITY);
        }
        if (block->set == PERP_TRESCA) {
            *++unit = (perp_unit){0};
            write_interval(unit, d, block->row + 1, -r, r);
        }
    }
}

void perp_units_scale(perp_unit *units, int count, const perp_dictionary *d)
{
    for (int k = 0; k < count; k++)
        for (int m = 0; m < units[k].modes; m++)
            for (int i = 0; i < units[k].count[m]; i++) {
                perp_bound *bound = &units[k].on[m][i];
                bound->lo /= d->scale[bound->variable];
                bound->hi /= d->scale[bound->variable];
            }
}

double perp_unit_miss(const perp_unit *unit, int m, const double *value)
{
    double worst = 0.0;
    for (int i = 0; i < unit->count[m]; i++) {
        const perp_bound *bound = &unit->on[m][i];
        double x = value[bound->variable];
        worst = fmax(worst, fmax(bound->lo - x, x - bound->hi));
    }
    return worst;
}
