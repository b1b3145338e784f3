/* SPDX-License-Identifier: BSD-3-Clause */
/* In L1 the instants of a scheme are the grid, with trapezoidal weights.  An impact that a scheme
 * localised, that is two instants at one time or much nearer than a neighbour with velocities
 * of both signs, is compared with the exact impact nearest to it, limits with limits: taken
 * literally, an impact found 1e-12 too early would be an error of its whole jump over half the
 * next step.  What the functions differ by, the jump times the time between the impacts, is added.
 */
#include "bench/campaign/accuracy/accuracy.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Instants that differ by rounding are one; the end of a step just before an impact is shown twice.
 */
void perp_accuracy_track_add(perp_accuracy_track *track, double t, double q, double v)
{
    int last = track->points - 1;
    if (last >= 0 && fabs(t - track->t[last]) <= 8.0 * DBL_EPSILON * fmax(1.0, fabs(t))) {
        t = track->t[last];
        if (fabs(q - track->q[last]) <= 0.0 && fabs(v - track->v[last]) <= 0.0)
            return;
    }
    if (track->points == track->capacity && !track->failed) {
        int capacity = track->capacity ? 2 * track->capacity : 1024;
        double *all = malloc(3 * (size_t)capacity * sizeof *all);
        track->failed = !all;
        for (int k = 0; all && k < track->points; k++) {
            all[k] = track->t[k];
            all[capacity + k] = track->q[k];
            all[2 * capacity + k] = track->v[k];
        }
        if (all) {
            free(track->t);
            track->t = all;
            track->q = all + capacity;
            track->v = all + 2 * (size_t)capacity;
            track->capacity = capacity;
        }
    }
    if (track->failed)
        return;
    track->t[track->points] = t;
    track->q[track->points] = q;
    track->v[track->points++] = v;
}

void perp_accuracy_track_free(perp_accuracy_track *track)
{
    free(track->t);
    *track = (perp_accuracy_track){.points = 0};
}

/* The longer one of the steps before and after the instants i and i + 1. */
static double around(const perp_accuracy_track *track, int i)
{
    return fmax(track->t[i] - track->t[i - 1], track->t[i + 2] - track->t[i + 1]);
}

/* 1 where instants i and i + 1 are the two sides of an impact that was localised. */
static int is_impact(const perp_accuracy_track *track, int i)
{
    const double share = 0.05;
    return i >= 1 && i + 2 < track->points && track->v[i] < 0.0 && track->v[i + 1] >= 0.0 &&
           track->t[i + 1] - track->t[i] <= share * around(track, i);
}

/* The exact impact nearest to that of the instants i and i + 1, within a step; 0: none.  Piece k
 * begins with impact k. */
static int exact_impact(const perp_accuracy_track *track, const perp_impacts_motion *motion, int i)
{
    double t = 0.5 * (track->t[i] + track->t[i + 1]), least = around(track, i);
    int best = 0;
    for (int k = 1; k < motion->pieces; k++) {
        double away = fabs(motion->start[k] - t);
        if (away < least) {
            least = away;
            best = k;
        }
    }
    return best;
}

/* Jump of impact k times the time by which it lies outside the instants i and i + 1. */
static double displaced(const perp_accuracy_track *track, const perp_impacts_motion *motion, int i,
                        int k)
{
    double q, before, early = track->t[i] - motion->start[k];
    double late = motion->start[k] - track->t[i + 1];
    perp_impacts_on(&q, &before, motion, k - 1, motion->start[k]);
    return fabs(motion->v[k] - before) * fmax(0.0, fmax(early, late));
}

/* Instants between the exact impact k and that of i and i + 1 are compared with the piece on whose
 * side the scheme has them. */
static void take_sides(double *v, const perp_accuracy_track *track,
                       const perp_impacts_motion *motion, int i, int k)
{
    double unused;
    for (int j = i; j >= 0 && track->t[j] >= motion->start[k]; j--)
        perp_impacts_on(&unused, &v[j], motion, k - 1, track->t[j]);
    for (int j = i + 1; j < track->points && track->t[j] < motion->start[k]; j++)
        perp_impacts_on(&unused, &v[j], motion, k, track->t[j]);
}

/* Fills the exact motion at the instants; returns the area of displaced jumps. */
static double sample(double *q, double *v, const perp_accuracy_track *track,
                     const perp_impacts_motion *motion)
{
    double area = 0.0;
    for (int i = 0; i < track->points; i++)
        perp_impacts_at(&q[i], &v[i], motion, track->t[i]);
    for (int i = 0; i + 1 < track->points; i++) {
        int k = is_impact(track, i) ? exact_impact(track, motion, i) : 0;
        if (k == 0)
            continue;
        take_sides(v, track, motion, i, k);
        area += displaced(track, motion, i, k);
    }
    return area;
}

/* The exact graph as a chain with the instants of the track, so that both have the same chords, and
 * with its impacts. */
static int exact_chain(double *t, double *q, double *v, const perp_accuracy_track *track,
                       const perp_impacts_motion *motion)
{
    int count = 0, piece = 0;
    double last = track->t[track->points - 1];
    for (int i = 0; i <= track->points; i++) {
        double now = i < track->points ? track->t[i] : last;
        while (piece + 1 < motion->pieces && motion->start[piece + 1] <= now) {
            double at = motion->start[piece + 1];
            for (int side = 0; side < 2; side++, count++) {
                t[count] = at;
                perp_impacts_on(&q[count], &v[count], motion, piece + side, at);
            }
            piece++;
        }
        if (i < track->points) {
            t[count] = now;
            perp_impacts_on(&q[count], &v[count], motion, piece, now);
            count++;
        }
    }
    return count;
}

static perp_status distances(double error[2], const perp_accuracy_track *track,
                             const perp_impacts_motion *motion, double *scratch, size_t most)
{
    double *t = scratch, *q = scratch + most, *v = q + most;
    int count = exact_chain(t, q, v, track, motion);
    perp_graph found = {.t = track->t, .x = track->q, .points = track->points};
    perp_graph exact = {.t = t, .x = q, .points = count};
    perp_status status = perp_hausdorff(&found, &exact, 1, PERP_NORM_MAX, NULL, &error[0], NULL);
    found.x = track->v;
    exact.x = v;
    if (status == PERP_SOLVED)
        status = perp_hausdorff(&found, &exact, 1, PERP_NORM_MAX, NULL, &error[1], NULL);
    return status;
}

perp_status perp_accuracy_errors(double error[PERP_ACCURACY_ERRORS],
                                 const perp_accuracy_track *track,
                                 const perp_impacts_motion *motion)
{
    size_t most = (size_t)track->points + 2 * PERP_IMPACTS_PIECES;
    double *scratch = track->failed ? NULL : malloc(3 * most * sizeof *scratch);
    double *q = scratch, *v = scratch ? scratch + most : NULL, *h = scratch ? v + most : NULL;
    if (!scratch)
        return PERP_ERR_MEMORY;
    perp_status status = perp_grid_weights(track->t, track->points, h);
    double area = status == PERP_SOLVED ? sample(q, v, track, motion) : 0.0;
    if (status == PERP_SOLVED)
        status = perp_error_l1(PERP_NORM_MAX, h, 1, track->q, q, 1, track->points, &error[0]);
    if (status == PERP_SOLVED)
        status = perp_error_l1(PERP_NORM_MAX, h, 1, track->v, v, 1, track->points, &error[1]);
    error[1] += area;
    if (status == PERP_SOLVED)
        status = distances(error + 2, track, motion, scratch, most);
    free(scratch);
    return status;
}
