/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a computed motion is from an exact one ([ACA10], "Empirical order").
 *
 * Velocities jump, so the largest difference over an interval says little: a jump felt one
 * step late is an error of its whole height.  Two measures remain sensible: sums over a
 * grid, and the distance of the graphs with their jumps filled in.
 */
#ifndef PERP_NORMS_H
#define PERP_NORMS_H

#include <perp/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of vectors with n entries; the same for n = 1. */
typedef enum perp_vector_norm { PERP_NORM_MAX, PERP_NORM_EUCLIDEAN } perp_vector_norm;

/* Norm of the error on a grid, [ACA10] (48) for p = 1 and (49):
 *
 *     *error = (sum_i h_i |value_i - exact_i|^p)^(1/p),    the largest |.| for p = INFINITY
 *
 * value, exact: points rows of n entries; |.| is `norm`.  Row i has the weight
 * h[i * h_stride]; h_stride 0 gives h[0], the step, to all of them, and that is (48), (49).
 * On other grids perp_grid_weights() makes weights.  The sum then differs from the integral of
 * |e|^p by at most the longest step times the variation of |e|^p: that is all that holds where
 * e jumps, and it hides an error below it; where e is smooth the difference is of second order in
 * the steps.  So the order of a scheme above 2 is seen by this norm on its own grid (each row is an
 * error at an instant), and not as an error of the functions between the instants.
 * PERP_ERR_ARGUMENT: p < 1, a negative weight, sizes below 1, NULL; PERP_ERR_NONFINITE. */
PERP_API perp_status perp_error_lp(double p, perp_vector_norm norm, const double *h, int h_stride,
                                   const double *value, const double *exact, int n, int points,
                                   double *error);
PERP_API perp_status perp_error_l1(perp_vector_norm norm, const double *h, int h_stride,
                                   const double *value, const double *exact, int n, int points,
                                   double *error);

/* h_i = (t_{i+1} - t_{i-1})/2, half a step at both ends (trapezoidal rule); they add up to
 * t_last - t_first.  Of the two rows of an instant that is there twice, before and after a jump,
 * each weighs the half step on its side.  PERP_ERR_ARGUMENT: times that decrease, no points. */
PERP_API perp_status perp_grid_weights(const double *t, int points, double *h);

/* A graph {(t, x)} in R x R^n as a chain of points, t not decreasing: straight between neighbours,
 * so that two with the same t are a jump with the segment between its ends, as in the filled-in
 * graph gr* of [ACA10] (44).  A function that is constant on steps has two points at each step.
 * Entry k of point i is x[i * x_stride + k], its time t[i * t_stride]: rows of a
 * perp_recorder can be handed over as they are.  Borrowed. */
typedef struct perp_graph {
    const double *t, *x;
    int points;
    int t_stride, x_stride; /* in doubles; 0: 1 and n */
} perp_graph;

/* Distances between the chains, with d((t, x), (s, y)) = max(|t - s|, |x - y|), |.| being `norm`,
 * [ACA10] (45); time and x are weighed alike, so the caller scales them:
 *     perp_excess     *distance = sup over a of the distance to b, (46); not symmetric
 *     perp_hausdorff  *distance = max of excess(a, b) and excess(b, a), (47); a metric
 * Exact for the chains, up to a few units in the last place of the largest coordinate: all points
 * of the segments count, not the given ones alone.  (A curve that is sampled at steps h is
 * h^2 |x''|/8 away from its chain at most.)
 * Points are bounded by boxes in a tree over time, so that the nearest segment costs O(log points)
 * steps where the chains run beside each other; segments of a on which the distance may exceed that
 * at their ends are halved until it cannot.  1e5 points of each take some tenths of a second; of
 * white noise in R^3, about which boxes say nothing, half a minute.  Memory: at most 3 (n + 1) + 2
 * numbers a point, returned before the call ends.
 * PERP_ERR_ARGUMENT: no points, times that decrease, n < 1, NULL, a stride below 0 or
 * |x_stride| < n; PERP_ERR_NONFINITE; PERP_ERR_MEMORY.  *where: "a.t", "b.x"... and the point. */
PERP_API perp_status perp_excess(const perp_graph *a, const perp_graph *b, int n,
                                 perp_vector_norm norm, const perp_allocator *allocator,
                                 double *distance, perp_where *where);
PERP_API perp_status perp_hausdorff(const perp_graph *a, const perp_graph *b, int n,
                                    perp_vector_norm norm, const perp_allocator *allocator,
                                    double *distance, perp_where *where);

#ifdef __cplusplus
}
#endif
#endif
