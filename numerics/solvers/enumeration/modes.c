/* SPDX-License-Identifier: BSD-3-Clause */
/* The modes of a block, in each of which its law is linear:
 *
 *     FREE     w = 0
 *     NONNEG   w = 0;  z = 0
 *     BOX      w = 0;  z = lo;  z = hi
 *     COULOMB  stick w = 0;  slip w_N = 0, z_T = mu z_N;  w_N = 0, z_T = -mu z_N;  open z = 0
 *     TRESCA   w_N = 0 or z_N = 0, each with w_T = 0;  z_T = r;  z_T = -r
 *
 * COULOMB and TRESCA of two rows. */
#include <math.h>

#include "solvers/enumeration/enumeration.h"

static int modes_of(const perp_block *block)
{
    static const int count[PERP_SET_COUNT] = {
        [PERP_FREE] = 1, [PERP_NONNEG] = 2, [PERP_BOX] = 3, [PERP_TRESCA] = 6, [PERP_COULOMB] = 4};
    return block->dim > 2 ? 0 : count[block->set];
}

double perp_modes_count(const perp_blocks *blocks)
{
    double count = 1.0;
    for (int k = 0; k < blocks->count; k++) {
        int modes = modes_of(&blocks->at[k]);
        count *= modes > 0 ? (double)modes : HUGE_VAL;
    }
    return count;
}

int perp_modes_next(perp_enumeration *e, const perp_blocks *blocks)
{
    for (int k = 0; k < blocks->count; k++) {
        if (++e->mode[k] < modes_of(&blocks->at[k]))
            return 1;
        e->mode[k] = 0;
    }
    return 0;
}

/* Row i: w_i = 0, in the unit of z. */
static void rests(perp_enumeration *e, const perp_work *work, int i, double d)
{
    size_t n = (size_t)e->n;
    double unit = 1.0 / (d * d);
    for (size_t j = 0; j < n; j++)
        e->J[(size_t)i + j * n] = unit * e->M[(size_t)i + j * n];
    e->right[i] = -unit * work->problem->q[i];
}

/* Row i: z_i = slope z_(i - 1) + value. */
static void follows(perp_enumeration *e, int i, double slope, double value)
{
    size_t n = (size_t)e->n;
    for (size_t j = 0; j < n; j++)
        e->J[(size_t)i + j * n] = 0.0;
    e->J[(size_t)i * (n + 1)] = 1.0;
    if (slope != 0.0)
        e->J[(size_t)i + ((size_t)i - 1) * n] = -slope;
    e->right[i] = value;
}

static void write_rows(perp_enumeration *e, const perp_work *work, int k)
{
    static const double sign[3] = {0.0, 1.0, -1.0};
    const perp_block *block = &work->blocks.at[k];
    double d = work->scaling.d[k];
    int i = block->row, mode = e->mode[k], contact = block->set == PERP_COULOMB;
    if (block->dim == 1 && mode > 0)
        follows(e, i, 0.0, block->set == PERP_BOX ? block->par[mode - 1] : 0.0);
    else if (block->dim == 2 && mode >= 3)
        follows(e, i, 0.0, 0.0);
    else
        rests(e, work, i, d);
    if (block->dim == 1)
        return;
    if (contact && mode == 3)
        follows(e, i + 1, 0.0, 0.0);
    else if (mode % 3 == 0)
        rests(e, work, i + 1, d);
    else if (contact)
        follows(e, i + 1, sign[mode] * block->par[0], 0.0);
    else
        follows(e, i + 1, 0.0, sign[mode % 3] * block->par[0]);
}

void perp_modes_solve(perp_enumeration *e, perp_work *work)
{
    for (int k = 0; k < work->blocks.count; k++)
        write_rows(e, work, k);
    perp_enumeration_eliminate(e, work->z);
}
