/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast the best error of an iteration falls. */
#ifndef PERP_SOLVERS_AUTO_RATE_H
#define PERP_SOLVERS_AUTO_RATE_H

enum { PERP_RATE_POINTS = 64 };

typedef struct perp_rate {
    int count;
    int iteration[PERP_RATE_POINTS];
    double best[PERP_RATE_POINTS]; /* log of the lowest error up to there */
    double low;                    /* the lowest of all */
} perp_rate;

void perp_rate_start(perp_rate *rate);
void perp_rate_add(perp_rate *rate, int iteration, double error);
/* Iterations that are missing to `tol` at the mean rate of the later half; INFINITY where the
 * error has not fallen in it. */
double perp_rate_missing(const perp_rate *rate, double tol);

#endif
