/* SPDX-License-Identifier: BSD-3-Clause */
/* One row after the other.  Between two drives w_F = 0: z is the least point of its face.  A drive
 * moves one row with a wrong sign of w, F following, until its w is 0 or it meets a bound; rows of
 * F that meet one before leave F.  F only shrinks within a drive, so that each drive ends with a
 * step that lowers the objective, and no face comes back: no rule for ties is needed. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "handle/refute.h"
#include "solvers/dantzig/dantzig_boxed.h"

/* A pivot below this share of d_i^2 leaves its row out of the first F. */
static const double regular = 1e-10;
/* What rounding may leave, in units of the sums that it comes from. */
static const double rounding = 8.0 * DBL_EPSILON;
/* Final rounds: w again, refinement, and the rows that this shows to be wrong. */
enum { ROUNDS = 8 };

/* Drives, a multiple of the rows, after which so much more is taken for rounding; how often. */
enum { DRIVES = 3, RELAXATIONS = 8 };
static const double relaxation = 8.0;

static int is_free(const perp_boxed *b, int i)
{
    return isinf(b->lo[i]) && isinf(b->hi[i]);
}

/* Column of row i in F, and its pivot; b->y becomes L^-1 of it. */
static double pivot_of(perp_boxed *b, int i)
{
    const double *a = b->a + (size_t)i * b->ld;
    for (int k = 0; k < b->count; k++)
        b->y[k] = a[b->row[k]];
    return perp_dense_ldl_pivot(&b->ldl, b->y, b->y, a[i]);
}

static void append(perp_boxed *b, int i, double pivot)
{
    perp_dense_ldl_append(&b->ldl, b->y, pivot);
    b->row[b->count++] = i;
    b->side[i] = PERP_SIDE_IN;
}

/* FREE rows, of either sign of the pivot; again while one more makes others regular. */
static void append_free(perp_boxed *b)
{
    for (int added = 1; added > 0;) {
        added = 0;
        for (int i = 0; i < b->n; i++) {
            if (b->side[i] == PERP_SIDE_IN || !is_free(b, i))
                continue;
            double pivot = pivot_of(b, i);
            if (!(fabs(pivot) > regular * b->d[i] * b->d[i]) || !isfinite(pivot))
                continue;
            append(b, i, pivot);
            added++;
        }
    }
}

/* Rows of the list `first` .. as F with a factor; those that are dependent stay out. */
static void append_inside(perp_boxed *b)
{
    for (int i = 0; i < b->n; i++) {
        if (b->side[i] == PERP_SIDE_IN || is_free(b, i) || !(b->z[i] > b->lo[i]) ||
            !(b->z[i] < b->hi[i]))
            continue;
        double pivot = pivot_of(b, i);
        if (pivot > regular * b->d[i] * b->d[i] && isfinite(pivot))
            append(b, i, pivot);
    }
}

static void build(perp_boxed *b, perp_work *work)
{
    memset(b->side, PERP_SIDE_LOWER, (size_t)b->n);
    b->count = b->ldl.m = 0;
    work->info->factorisations++;
    append_free(b);
    append_inside(b);
}

/* The factor again, for the current rows; one that is dependent now stays where it is. */
static void rebuild(perp_boxed *b, perp_work *work)
{
    int count = b->count;
    memcpy(b->pivots, b->row, (size_t)count * sizeof(int));
    memset(b->side, PERP_SIDE_LOWER, (size_t)b->n);
    b->count = b->ldl.m = 0;
    work->info->factorisations++;
    for (int k = 0; k < count; k++) {
        double pivot = pivot_of(b, b->pivots[k]);
        if (fabs(pivot) > rounding * b->d[b->pivots[k]] * b->d[b->pivots[k]] && isfinite(pivot))
            append(b, b->pivots[k], pivot);
    }
}

static void drop(perp_boxed *b, perp_work *work, int k)
{
    b->side[b->row[k]] = PERP_SIDE_LOWER;
    b->count--;
    memmove(b->row + k, b->row + k + 1, (size_t)(b->count - k) * sizeof(int));
    if (!perp_dense_ldl_remove(&b->ldl, k))
        rebuild(b, work);
}

/* The longest step along b->x in F, at most `step`; *who: the row of F that ends it, or -1. */
static double longest(const perp_boxed *b, double step, double least, int *who)
{
    double size = 0.0;
    *who = -1;
    for (int k = 0; k < b->count; k++) {
        int i = b->row[k];
        double x = b->x[k];
        if (fabs(x) * b->d[i] <= least)
            continue;
        double distance = x > 0.0 ? b->hi[i] - b->z[i] : b->z[i] - b->lo[i];
        double reach = distance > 0.0 ? distance / fabs(x) : 0.0;
        if (reach < step || (*who >= 0 && reach == step && fabs(x) * b->d[i] > size)) {
            step = reach;
            size = fabs(x) * b->d[i];
            *who = k;
        }
    }
    return step;
}

static void advance(perp_boxed *b, double step, int who)
{
    for (int k = 0; k < b->count; k++) {
        int i = b->row[k];
        double z = b->z[i] + step * b->x[k];
        z = z > b->lo[i] ? z : b->lo[i];
        b->z[i] = z < b->hi[i] ? z : b->hi[i];
    }
    if (who >= 0)
        b->z[b->row[who]] = b->x[who] > 0.0 ? b->hi[b->row[who]] : b->lo[b->row[who]];
}

/* Newton steps of F to the least point of the face.  1: stopped by a limit. */
static int settle(perp_boxed *b, perp_work *work, double error)
{
    int who = 0;
    while (who >= 0) {
        for (int k = 0; k < b->count; k++)
            b->x[k] = -b->w[b->row[k]];
        perp_dense_ldl_solve(&b->ldl, b->x);
        double step = longest(b, 1.0, 0.0, &who);
        advance(b, step, who);
        for (int k = 0; k < b->count; k++)
            b->w[b->row[k]] *= 1.0 - step;
        if (who < 0)
            break;
        drop(b, work, who);
        if (perp_stop_light(work, ++b->iteration, error))
            return 1;
    }
    perp_boxed_multiply(b);
    memcpy(b->start, b->z, (size_t)b->n * sizeof(double));
    return 0;
}

/* The row outside F whose w is most wrong in its own unit, -1: none beyond rounding, in units of
 * the sums that it comes from. */
static int worst(const perp_boxed *b, double share)
{
    double most = 0.0, sum = 0.0;
    int at = -1;
    for (int i = 0; i < b->n; i++)
        sum += b->d[i] * fabs(b->z[i]);
    for (int i = 0; i < b->n; i++) {
        double w = b->w[i], d = b->d[i];
        if (b->side[i] == PERP_SIDE_IN || !(w < 0.0 ? b->z[i] < b->hi[i] : b->z[i] > b->lo[i]))
            continue;
        w = fabs(w);
        if (w > share * (fabs(b->q[i]) + d * sum) && w / d > most) {
            most = w / d;
            at = i;
        }
    }
    return at;
}

/* y in work->certificate proves that there is no solution: a direction of K with M y = 0, q.y < 0.
 * Entries that are rounding are cleaned. */
static int proves_infeasible(const perp_boxed *b, double *y)
{
    double largest = 0.0, value = 0.0, terms = 0.0;
    for (int i = 0; i < b->n; i++)
        largest = fmax(largest, b->d[i] * fabs(y[i]));
    for (int i = 0; i < b->n; i++) {
        if (b->d[i] * fabs(y[i]) <= 1e-12 * largest)
            y[i] = 0.0;
        if ((y[i] > 0.0 && isfinite(b->hi[i])) || (y[i] < 0.0 && isfinite(b->lo[i])))
            return 0;
        value += b->q[i] * y[i];
        terms += fabs(b->q[i] * y[i]);
    }
    for (size_t i = 0; i < (size_t)b->n; i++) {
        double sum = 0.0, size = 0.0;
        for (size_t j = 0; j < (size_t)b->n; j++) {
            sum += b->a[i + j * b->ld] * y[j];
            size += fabs(b->a[i + j * b->ld] * y[j]);
        }
        if (fabs(sum) > 1e-10 * size)
            return 0;
    }
    return value < -1e-8 * terms;
}

/* Nothing ends the step of row j along b->x. */
static perp_status endless(perp_boxed *b, perp_work *work, int j, double way)
{
    double *y = work->certificate;
    memset(y, 0, (size_t)b->n * sizeof(double));
    y[j] = way;
    for (int k = 0; k < b->count; k++)
        y[b->row[k]] = b->x[k];
    if (proves_infeasible(b, y)) {
        perp_status status = perp_refute(work);
        if (status != PERP_STALLED)
            return status;
    }
    snprintf(work->info->detail, sizeof work->info->detail,
             "z'Mz/2 + q'z falls for ever along a direction: M is not semidefinite there");
    return PERP_STALLED;
}

/* Row j until its w is 0 or it is at a bound. */
static perp_status drive(perp_boxed *b, perp_work *work, int j, double error)
{
    double way = b->w[j] < 0.0 ? 1.0 : -1.0, slope = fabs(b->w[j]);
    for (;;) {
        double pivot = pivot_of(b, j), sum = b->d[j];
        memcpy(b->x, b->y, (size_t)b->count * sizeof(double));
        perp_dense_ldl_finish(&b->ldl, b->x);
        for (int k = 0; k < b->count; k++) {
            b->x[k] *= -way;
            sum += b->d[b->row[k]] * fabs(b->x[k]);
        }
        int who, flat = !(pivot > 2.0 * rounding * sum * sum);
        double own = way > 0.0 ? b->hi[j] - b->z[j] : b->z[j] - b->lo[j];
        double least = flat ? INFINITY : slope / pivot;
        double step = longest(b, fmin(own, least), 0.01 * rounding * sum, &who);
        if (isinf(step)) {
            perp_status status = endless(b, work, j, way);
            if (status != PERP_STALLED || !(pivot > 0.0))
                return status;
            flat = 0;
            step = least = slope / pivot;
        }
        advance(b, step, who);
        b->z[j] += way * step;
        slope = flat ? slope : fmax(slope - step * pivot, 0.0);
        if (perp_stop_light(work, ++b->iteration, error))
            return work->monitor.verdict;
        if (who >= 0) {
            drop(b, work, who);
            continue;
        }
        if (own <= least)
            b->z[j] = way > 0.0 ? b->hi[j] : b->lo[j];
        else
            append(b, j, pivot);
        return PERP_SOLVED;
    }
}

/* w follows the rows that moved since b->start. */
static void follow(perp_boxed *b)
{
    int moved = 0;
    for (int i = 0; i < b->n; i++) {
        if (b->z[i] == b->start[i])
            continue;
        b->x[moved] = b->z[i] - b->start[i];
        b->pivots[moved++] = i;
        b->start[i] = b->z[i];
    }
    perp_boxed_move(b, b->pivots, b->x, moved);
}

perp_status perp_boxed_pivots(perp_boxed *b, perp_work *work, double error)
{
    double share = rounding;
    int drives = 0, enough = 100 + DRIVES * b->n;
    for (int i = 0; i < b->n; i++)
        b->z[i] = isfinite(b->start[i]) ? b->start[i] : fmin(fmax(0.0, b->lo[i]), b->hi[i]);
    if (isinf(error))
        error = perp_measure(work, b->z);
    perp_boxed_multiply(b);
    build(b, work);
    for (int round = 0; round < ROUNDS; round++) {
        if (settle(b, work, error))
            return work->monitor.verdict;
        int j = worst(b, share);
        if (j < 0)
            return PERP_SOLVED;
        for (; j >= 0; j = worst(b, share)) {
            perp_status status = drive(b, work, j, error);
            if (status != PERP_SOLVED)
                return status;
            follow(b);
            if (++drives % enough == 0)
                share *= relaxation;
            if (drives == RELAXATIONS * enough)
                return PERP_SOLVED;
        }
    }
    return PERP_SOLVED;
}
