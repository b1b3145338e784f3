/* SPDX-License-Identifier: BSD-3-Clause */
/* A block of ROLLING by its modes: each disk rests (w = 0 there) or moves (z = mu z_N c with w
 * along -c, |c| = 1).  Resting rows are eliminated; what is left gives z_N by its first row, and
 * the directions by Newton's method on c x w = 0, one angle for each moving disk of two rows. Disks
 * that contradict their mode take the other one.  From a guess near the answer, as a sweep has it,
 * that is one elimination and one or two steps. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "local/local_rolling.h"
#include "local/slip.h"

/* With the number of rows as a constant loops over rows become straight code. */
#define INLINE static inline __attribute__((always_inline))

enum { CHANGES = 6, TURNS = 10, COLUMNS = PERP_ROLLING_ROWS + 1 };

/* Of its diagonal entry: less is no pivot.  Of the radius of its disk: a guess so near moves.  Of
 * its terms: c x w is none. */
static const double pivot_part = 1e-9, edge = 2e-2, none = 8.0 * DBL_EPSILON;

typedef struct disk {
    int moves;
    double mu, c[2], w[2], G[2]; /* w = b + z_N G */
} disk;

typedef struct modes {
    disk disk[PERP_ROLLING_DISKS];
    double M[PERP_ROLLING_ROWS * COLUMNS]; /* A and b, column-major, solved for the resting rows */
    double normal;
} modes;

INLINE double length_of(const double *x, int count)
{
    return count == 2 ? sqrt(x[0] * x[0] + x[1] * x[1]) : fabs(x[0]);
}

INLINE void set_direction(disk *d, const double *x, double length, int count)
{
    d->c[0] = x[0] / length;
    d->c[1] = count == 2 ? x[1] / length : 0.0;
}

/* Modes of the guess; 0: a disk is a point. */
INLINE int begin(modes *m, int dim, const double *par, const double *z)
{
    int all = 1;
    for (int k = 0; k < perp_rolling_disks(dim); k++) {
        disk *d = &m->disk[k];
        const double *x = z + perp_rolling_first(dim, k);
        double length = length_of(x, perp_rolling_count(dim, k));
        *d = (disk){.mu = par[k]};
        d->moves = z[0] > 0.0 && length >= (1.0 - edge) * d->mu * z[0] && isfinite(length);
        if (d->moves)
            set_direction(d, x, length, perp_rolling_count(dim, k));
        all &= d->mu > 0.0;
    }
    return all;
}

INLINE int eliminate(double *M, int dim, int i, double diagonal)
{
    double row[COLUMNS], pivot = M[i + i * dim], over = 1.0 / pivot;
    for (int j = 0; j <= dim; j++)
        row[j] = M[i + j * dim] * over;
    for (int k = 0; k < dim; k++) {
        double part = k == i ? 0.0 : M[k + i * dim];
        for (int j = 0; j <= dim; j++)
            M[k + j * dim] -= part * row[j];
    }
    for (int j = 0; j <= dim; j++)
        M[i + j * dim] = row[j];
    return pivot > pivot_part * diagonal;
}

INLINE int reduce(modes *m, int dim, const double *A, const double *b)
{
    int all = 1;
    memcpy(m->M, A, sizeof *A * (size_t)(dim * dim));
    memcpy(m->M + dim * dim, b, sizeof *b * (size_t)dim);
    for (int k = 0; k < perp_rolling_disks(dim); k++)
        for (int i = 0; !m->disk[k].moves && i < perp_rolling_count(dim, k); i++) {
            int row = perp_rolling_first(dim, k) + i;
            all &= eliminate(m->M, dim, row, A[row + row * dim]);
        }
    return all;
}

/* Row i times (x, y) in the columns of disk k, and its coefficient. */
INLINE double along(const modes *m, int dim, int i, int k, double x, double y)
{
    int first = perp_rolling_first(dim, k);
    double sum = m->M[i + first * dim] * x;
    if (perp_rolling_count(dim, k) == 2)
        sum += m->M[i + (first + 1) * dim] * y;
    return m->disk[k].mu * sum;
}

/* Row i times all that z_N = 1 is. */
INLINE double by_normal(const modes *m, int dim, int i)
{
    double sum = m->M[i];
    for (int k = 0; k < perp_rolling_disks(dim); k++)
        if (m->disk[k].moves)
            sum += along(m, dim, i, k, m->disk[k].c[0], m->disk[k].c[1]);
    return sum;
}

/* z_N and w of the moving disks by the directions; 0: the normal row has no z_N > 0. */
INLINE int find_rates(modes *m, int dim)
{
    double D = by_normal(m, dim, 0);
    m->normal = -m->M[dim * dim] / D;
    for (int k = 0; k < perp_rolling_disks(dim); k++) {
        disk *d = &m->disk[k];
        for (int i = 0; d->moves && i < perp_rolling_count(dim, k); i++) {
            int row = perp_rolling_first(dim, k) + i;
            d->G[i] = by_normal(m, dim, row);
            d->w[i] = m->M[row + dim * dim] + m->normal * d->G[i];
        }
    }
    return D > 0.0 && m->normal > 0.0;
}

/* f = c x w of each disk; 1: none of them is more than rounding. */
INLINE int find_turns(double *f, const modes *m, int dim)
{
    int all = 1;
    for (int k = 0; k < perp_rolling_disks(dim); k++) {
        const disk *d = &m->disk[k];
        int first = perp_rolling_first(dim, k);
        f[k] = 0.0;
        if (!d->moves || perp_rolling_count(dim, k) < 2)
            continue;
        f[k] = d->c[0] * d->w[1] - d->c[1] * d->w[0];
        double terms = fabs(m->M[first + dim * dim]) + fabs(m->M[first + 1 + dim * dim]) +
                       m->normal * (fabs(d->G[0]) + fabs(d->G[1]));
        all &= fabs(f[k]) <= none * terms;
    }
    return all;
}

/* d f_p / d angle of q. */
INLINE double slope(const modes *m, int dim, int p, int q)
{
    const disk *d = &m->disk[p], *e = &m->disk[q];
    int first = perp_rolling_first(dim, p);
    double x = -e->c[1], y = e->c[0];
    double n = m->normal * m->normal / m->M[dim * dim] * along(m, dim, 0, q, x, y);
    double w0 = n * d->G[0] + m->normal * along(m, dim, first, q, x, y);
    double w1 = n * d->G[1] + m->normal * along(m, dim, first + 1, q, x, y);
    double own = p == q ? d->c[0] * d->w[0] + d->c[1] * d->w[1] : 0.0;
    return d->c[0] * w1 - d->c[1] * w0 - own;
}

INLINE void turn(disk *d, double angle)
{
    double t = angle > 1.0 ? 1.0 : angle < -1.0 ? -1.0 : angle, scale = 1.0 / sqrt(1.0 + t * t);
    double c0 = d->c[0] - t * d->c[1], c1 = d->c[1] + t * d->c[0];
    d->c[0] = scale * c0;
    d->c[1] = scale * c1;
}

/* A Newton step of the angles: those of disks 0 and 1, of which one may have none. */
INLINE void turn_all(modes *m, int dim, const double *f)
{
    int has[2];
    for (int k = 0; k < 2; k++)
        has[k] = m->disk[k].moves && perp_rolling_count(dim, k) == 2;
    if (!has[0] || !has[1]) {
        int k = has[0] ? 0 : 1;
        turn(&m->disk[k], k ? -f[1] / slope(m, dim, 1, 1) : -f[0] / slope(m, dim, 0, 0));
        return;
    }
    double a = slope(m, dim, 0, 0), b = slope(m, dim, 0, 1);
    double c = slope(m, dim, 1, 0), e = slope(m, dim, 1, 1), over = 1.0 / (a * e - b * c);
    turn(&m->disk[0], over * (b * f[1] - e * f[0]));
    turn(&m->disk[1], over * (c * f[0] - a * f[1]));
}

INLINE int find_directions(modes *m, int dim)
{
    double f[PERP_ROLLING_DISKS];
    for (int k = 0; k < TURNS; k++) {
        if (!find_rates(m, dim))
            return 0;
        if (find_turns(f, m, dim))
            return 1;
        turn_all(m, dim, f);
    }
    return 0;
}

/* z of these modes. */
INLINE void write(double *z, const modes *m, int dim)
{
    z[0] = m->normal;
    for (int k = 0; k < perp_rolling_disks(dim); k++)
        for (int i = 0; i < perp_rolling_count(dim, k); i++) {
            const disk *d = &m->disk[k];
            int row = perp_rolling_first(dim, k) + i;
            z[row] = d->moves ? d->mu * m->normal * d->c[i]
                              : -(m->M[row + dim * dim] + m->normal * by_normal(m, dim, row));
        }
}

/* Disks that contradict their mode get the other one; 1: there are such. */
INLINE int change(modes *m, int dim, const double *z)
{
    int any = 0;
    for (int k = 0; k < perp_rolling_disks(dim); k++) {
        disk *d = &m->disk[k];
        const double *x = z + perp_rolling_first(dim, k);
        double length = length_of(x, perp_rolling_count(dim, k));
        int against =
            d->moves ? d->c[0] * d->w[0] + d->c[1] * d->w[1] > 0.0 : !(length <= d->mu * z[0]);
        any |= against;
        d->moves ^= against;
        if (against && d->moves)
            set_direction(d, x, length, perp_rolling_count(dim, k));
    }
    return any;
}

/* Is w of the whole block what the modes say? */
INLINE int holds(const modes *m, int dim, const double *A, const double *b, const double *z)
{
    double w[PERP_ROLLING_ROWS], terms[PERP_ROLLING_ROWS], force = 0.0, moment = 0.0;
    for (int i = 0; i < dim; i++) {
        w[i] = b[i];
        terms[i] = fabs(b[i]);
    }
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++) {
            w[i] += A[i + j * dim] * z[j];
            terms[i] += fabs(A[i + j * dim] * z[j]);
        }
    for (int i = 0; i < dim; i++)
        if (i > perp_rolling_rows(dim))
            moment += terms[i];
        else
            force += terms[i];
    int good = fabs(w[0]) <= PERP_LOCAL_ACCEPT * force && force + moment < HUGE_VAL;
    for (int k = 0; k < perp_rolling_disks(dim); k++) {
        const disk *d = &m->disk[k];
        const double *x = w + perp_rolling_first(dim, k);
        double small = PERP_LOCAL_ACCEPT * (k ? moment : force);
        double y = perp_rolling_count(dim, k) == 2 ? x[1] : 0.0;
        double across = d->moves ? fabs(d->c[0] * y - d->c[1] * x[0]) : fmax(fabs(x[0]), fabs(y));
        good &= across <= small && d->c[0] * x[0] + d->c[1] * y <= small;
    }
    return good;
}

INLINE int solve(double *z, int dim, const double *par, const double *A, const double *b)
{
    modes m;
    double own[PERP_ROLLING_ROWS];
    if (!begin(&m, dim, par, z))
        return 0;
    for (int k = 0; k < CHANGES; k++) {
        if (!reduce(&m, dim, A, b) || !find_directions(&m, dim))
            return 0;
        write(own, &m, dim);
        if (change(&m, dim, own))
            continue;
        if (!holds(&m, dim, A, b, own))
            return 0;
        memcpy(z, own, sizeof *z * (size_t)dim);
        return 1;
    }
    return 0;
}

int perp_roll_modes(double *z, const perp_block *block, const double *A, const double *b)
{
    switch (block->dim) {
    case 3:
        return solve(z, 3, block->par, A, b);
    case 4:
        return solve(z, 4, block->par, A, b);
    case 5:
        return solve(z, 5, block->par, A, b);
    default:
        return solve(z, 6, block->par, A, b);
    }
}
