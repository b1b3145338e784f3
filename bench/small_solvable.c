/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/small_check.h"

/* Of the largest |q_i|.  q_N is lowered by SLACK margins, so that a w of the convex problem within
 * one margin of the dual cone (mu up to 2) shows a point inside that of the problem itself. */
static const double MARGIN = 1e-6, SLACK = 4.0;

/* The convex problem: no De Saxce term, and a lower q_N.  Returns the margin over |q|. */
static double relax(perp_segment *seg, double *q, const perp_problem *problem)
{
    double largest = 0.0, square = 0.0;
    int row = 0;
    for (int i = 0; i < problem->M.rows; i++) {
        q[i] = problem->q[i];
        largest = fmax(largest, fabs(q[i]));
    }
    for (int k = 0; k < problem->nseg; k++) {
        seg[k] = problem->seg[k];
        for (int b = 0; b < seg[k].count; b++, row += seg[k].dim)
            if (seg[k].set != PERP_FREE && seg[k].set != PERP_BOX)
                q[row] -= SLACK * MARGIN * largest;
        if (seg[k].set == PERP_COULOMB)
            seg[k].set = PERP_SOC;
    }
    for (int i = 0; i < problem->M.rows; i++)
        square += q[i] * q[i];
    return square > 0.0 ? MARGIN * largest / sqrt(square) : 0.0;
}

/* Every complementary choice, where they are few. */
static int enumerated(const perp_problem *problem)
{
    double z[SMALL_ENUMERATED], w[SMALL_ENUMERATED];
    return problem->M.rows <= SMALL_ENUMERATED &&
           perp_solve("enumerative", problem, NULL, z, w, NULL) == PERP_SOLVED;
}

int small_exists(const small_problem *p)
{
    static const char *const solvers[] = {"ipm", "auto", "admm"};
    perp_problem convex = p->problem;
    perp_settings settings;
    if (p->planted)
        return 1;
    if (p->family >= SMALL_LINEAR)
        return enumerated(&p->problem);
    size_t n = (size_t)convex.M.rows;
    perp_segment *seg = calloc((size_t)convex.nseg + 1, sizeof *seg);
    double *q = calloc(n + 1, sizeof *q), *z = calloc(n + 1, sizeof *z);
    double *w = calloc(n + 1, sizeof *w);
    int found = 0;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-10;
    settings.time_limit = 1.0;
    if (seg && q && z && w) {
        double near = relax(seg, q, &p->problem);
        perp_info info = {.size = sizeof info};
        convex.q = q;
        convex.seg = seg;
        for (int k = 0; k < 3 && !found; k++)
            found = perp_solve(solvers[k], &convex, &settings, z, w, &info) >= 0 &&
                    info.residual.dual <= near;
    }
    free(seg);
    free(q);
    free(z);
    free(w);
    return found;
}
