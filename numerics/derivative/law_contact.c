/* SPDX-License-Identifier: BSD-3-Clause */
/* COULOMB, ROLLING and TRESCA: a normal row, and disks |z_T| <= m z_N (or r) with -w_T normal to
 * them at z_T.  That is the inclusion with the De Saxce term in other words: w_N >= 0, z_N >= 0,
 * z_N w_N = 0 and the disks hold the slip. */
#include <math.h>

#include "derivative/laws.h"
#include "sets/cone.h"
#include "sets/rolling.h"

typedef struct disk {
    int row, rows; /* of the block; 1 or 2 */
    int p;         /* its parameter */
    double slope, radius;
    double d; /* d of its rows: that of the block over l for moments */
    double z,
        slip; /* |z_T| and |w_T|, and t: the direction of w_T, or that against z_T at the edge */
    double t[2];
    enum { STICKS, SLIPS, EDGE, POINT } state;
} disk;

static void classify(disk *k, const perp_law_site *s)
{
    const double *z = s->z + k->row, *w = s->w + k->row;
    k->z = perp_cone_length(z, k->rows);
    k->slip = perp_cone_length(w, k->rows);
    double inside = k->d * (k->radius - k->z) / perp_length2(1.0, k->slope), slip = k->slip / k->d;
    const double *from = z;
    double length = -k->z;
    if (inside > s->zero && inside >= slip) {
        k->state = STICKS;
    } else if (slip > s->zero) {
        k->state = SLIPS;
        from = w;
        length = k->slip;
    } else {
        k->state = k->d * k->radius > s->zero && k->z > 0.0 ? EDGE : POINT;
    }
    for (int i = 0; i < k->rows; i++)
        k->t[i] = k->state == SLIPS || k->state == EDGE ? from[i] / length : 0.0;
}

static int disks_of(disk disks[PERP_ROLLING_DISKS], const perp_law_site *s)
{
    const perp_block *b = s->block;
    const int rolls = b->set == PERP_ROLLING, count = rolls ? perp_rolling_disks(b->dim) : 1;
    for (int k = 0; k < count; k++) {
        double slope = b->set == PERP_TRESCA ? 0.0 : b->par[k];
        disks[k] = (disk){.row = rolls ? perp_rolling_first(b->dim, k) : 1, .p = k, .slope = slope};
        disks[k].rows = rolls ? perp_rolling_count(b->dim, k) : b->dim - 1;
        disks[k].radius = b->set == PERP_TRESCA ? b->par[0] : slope * fmax(s->z[0], 0.0);
        disks[k].d = k ? s->d / b->length : s->d;
        classify(&disks[k], s);
    }
    return count;
}

/* Rows of one disk while z_N > 0; its part of the normal column was added before. */
static void tangent_rows(const perp_law_site *s, const disk *k, int moves_with_normal)
{
    perp_laws *laws = s->laws;
    int first = s->block->row + k->row;
    double by_parameter = moves_with_normal ? fmax(s->z[0], 0.0) : 1.0;
    if (k->state == STICKS) {
        for (int i = 0; i < k->rows; i++)
            perp_law_plain(laws, s->index, PERP_FREE, first + i);
        return;
    }
    if (k->state == POINT) {
        laws->flags[s->index] |= (unsigned char)(PERP_LAW_FROZEN_0 << k->p);
        return;
    }
    for (int i = 0; i < k->rows; i++)
        laws->cz[k->p][first + i] = -by_parameter * k->t[i];
    if (k->state == EDGE) {
        int row = perp_law_add(laws, s->index, PERP_NONNEG);
        for (int i = 0; i < k->rows; i++) {
            perp_law_c(laws, row, first + i, k->t[i]);
            perp_law_r(laws, row, first + i, k->t[i]);
        }
    }
    if (k->rows == 2) {
        double a = k->radius * k->d * k->d, b = k->state == SLIPS ? k->slip : 0.0;
        double share = b > 0.0 ? (a > 0.0 ? 1.0 / (1.0 + b / a) : 0.0) : 1.0;
        int row = perp_law_add(laws, s->index, PERP_FREE);
        laws->row[row].beta = (1.0 - share) * k->d * k->d;
        perp_law_c(laws, row, first, -k->t[1]);
        perp_law_c(laws, row, first + 1, k->t[0]);
        perp_law_r(laws, row, first, -share * k->t[1]);
        perp_law_r(laws, row, first + 1, share * k->t[0]);
    }
}

/* Normal row with what moves with it. */
static int normal_row(const perp_law_site *s, int set, const disk *disks, int count)
{
    perp_laws *laws = s->laws;
    int k = perp_law_plain(laws, s->index, set, s->block->row);
    for (int j = 0; j < count; j++) {
        const disk *t = &disks[j];
        for (int i = 0; t->slope > 0.0 && t->state != STICKS && i < t->rows; i++)
            perp_law_c(laws, k, s->block->row + t->row + i, -t->slope * t->t[i]);
    }
    return k;
}

/* z = 0 and w_N = 0: disks without slip rest, and make a law of friction again with the normal row.
 */
static void touching(const perp_law_site *s, disk *disks, int count)
{
    perp_laws *laws = s->laws;
    /* A block of all three disks has the rows S before R. */
    static const int of_three[] = {0, 2, 1}, in_turn[] = {0, 1, 2};
    int resting = 0, which[PERP_ROLLING_DISKS] = {0};
    for (int k = 0; k < count; k++) {
        int rests = disks[k].slope > 0.0 && !(disks[k].slip / disks[k].d > s->zero);
        for (int i = 0; rests && i < disks[k].rows; i++)
            disks[k].t[i] = 0.0;
        disks[k].state = rests ? STICKS : disks[k].state;
        if (rests)
            which[resting++] = k;
    }
    const int *order = resting == 3 ? of_three : in_turn;
    int set = resting > 1 ? PERP_ROLLING : resting ? PERP_COULOMB : PERP_NONNEG;
    int head = normal_row(s, set, disks, count);
    for (int at = 0; at < resting; at++) {
        const disk *t = &disks[which[order[at]]];
        for (int i = 0; i < t->rows; i++)
            perp_law_plain(laws, s->index, PERP_LAW_INNER, s->block->row + t->row + i);
        laws->row[head].dim += t->rows;
        laws->row[head].par[at] = disks[which[at]].slope;
    }
}

void perp_laws_contact(const perp_law_site *s)
{
    disk disks[PERP_ROLLING_DISKS];
    int count = disks_of(disks, s), tresca = s->block->set == PERP_TRESCA;
    double z = s->d * s->z[0], w = s->w[0] / s->d;
    int closed = z > s->zero && z >= w, open = !closed && w > s->zero;
    if (closed)
        normal_row(s, PERP_FREE, disks, tresca ? 0 : count);
    else if (!open && tresca)
        perp_law_plain(s->laws, s->index, PERP_NONNEG, s->block->row);
    else if (!open)
        touching(s, disks, count);
    for (int k = 0; (closed || tresca) && k < count; k++)
        tangent_rows(s, &disks[k], !tresca);
}
