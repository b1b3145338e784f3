/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of the Newton loop that serve more than once: they are most of the cost of a mechanism,
 * and change with the errors. */
#include <math.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"

/* Matrices are kept while an iterate leaves at most this part of the error. */
static const double KEEP = 0.02;
/* From this iterate on: the first takes up the multipliers, in which residuals are linear, so these
 * fall however much the stiffness by the multipliers changes.  And up to this one: what has not
 * ended by then needs its own. */
enum { KEEP_FROM = 2, KEEP_UNTIL = 6 };

/* What moves little is as good as linear: the first iterate left this part or less of the error,
 * and changed the multipliers by this part or less of them. */
static const double LINEAR = 1e-5, SAME = 1e-3;

static int is_linear(const perp_dg *dg, double before, double error)
{
    double change = 0.0, size = 0.0;
    for (int k = 0; error <= LINEAR * before && k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        const double *increment = perp_dg_joint_increment(dg, link);
        for (int i = 0; i < link->rows; i++) {
            change += fabs(increment[i]);
            size += fabs(link->lambda[i]);
        }
    }
    return error <= LINEAR * before && change <= SAME * size;
}

/* Not where rows of joints were left out, which are others in each configuration. */
int perp_dg_may_keep(const perp_step *step, const perp_dg *dg, double before, double error)
{
    if (step->iteration == 0 || (step->iteration < KEEP_FROM && !is_linear(dg, before, error)))
        return 0;
    if (step->iteration >= KEEP_UNTIL || dg->njoints == 0 || dg->moving.ndropped > 0 ||
        dg->clamped || error > KEEP * before || perp_dg_has_bias(dg))
        return 0;
    for (int k = 0; k < dg->nlinks; k++) {
        const perp_link *link = dg->links[k];
        if (link->active && (!link->symmetric || perp_law_gives_way(&link->law)))
            return 0;
    }
    return 1;
}
