/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of the Newton loop that serve more than once: they are most of the cost of a mechanism,
 * and change with the errors.  And when its iterates are good enough. */
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
/* Where more iterates follow in any case, since this one leaves more than the tolerance, larger
 * parts serve as well: the matrices are symmetric parts, so that new ones mostly leave no less than
 * a few thousandths of the error either.  Where they would leave less, so did the end of the loop:
 * it ends with this part of the tolerance, or where it gets no further. */
static const double EARLY = 1e-2, ALIKE = 0.5, LEAVES = 1e-3, STRICT = 0.05, NO_FURTHER = 0.5;

/* What the first iterate changed in the multipliers of the joints, relative to them. */
static double change_of(const perp_dg *dg)
{
    double change = 0.0, size = 0.0;
    for (int k = 0; k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        const double *increment = perp_dg_joint_increment(dg, link);
        for (int i = 0; i < link->rows; i++) {
            change += fabs(increment[i]);
            size += fabs(link->lambda[i]);
        }
    }
    return change > 0.0 ? change / size : 0.0;
}

/* 2: though new matrices might leave less. */
static int is_linear(const perp_dg *dg, double before, double error)
{
    int follows = LEAVES * error > 1.0;
    if (error > (follows ? EARLY : LINEAR) * before)
        return 0;
    double change = change_of(dg);
    if (error <= LINEAR * before && change <= SAME)
        return 1;
    return follows && change <= ALIKE ? 2 : 0;
}

/* At a dead centre gaps of rows that follow from others are of second order in a motion that no row
 * asks for: iterates leave them as they are.  After so many of these, a gap of at most LOST
 * tolerances is left to the next steps, whose motion closes it; joints that give way leave as much.
 */
enum { ASTRAY = 3 };
static const double LOST = 100.0, AS_BEFORE = 0.5;

void perp_dg_count_astray(const perp_step *step, perp_dg *dg, double before)
{
    if (step->iteration > 0 && dg->others <= 1.0 && dg->lost > 1.0 && dg->lost > AS_BEFORE * before)
        dg->astray++;
}

int perp_dg_is_enough(const perp_dg *dg, double before, double error)
{
    if (dg->astray >= ASTRAY && dg->others <= 1.0 && dg->lost <= LOST)
        return 1;
    return error <= 1.0 && (!dg->hasty || error <= STRICT || error > NO_FURTHER * before);
}

/* Not where rows of joints were left out, which are others in each configuration. */
int perp_dg_may_keep(const perp_step *step, perp_dg *dg, double before, double error)
{
    int linear = step->iteration == 1 ? is_linear(dg, before, error) : 0;
    if (step->iteration < KEEP_FROM)
        dg->hasty = 0;
    if (step->iteration < KEEP_FROM && !linear)
        return 0;
    if (step->iteration >= KEEP_UNTIL || dg->njoints == 0 || dg->moving.ndropped > 0 ||
        dg->clamped || error > KEEP * before || perp_dg_has_bias(dg) || perp_dg_is_stressed(dg))
        return 0;
    for (int k = 0; k < dg->nlinks; k++) {
        const perp_link *link = dg->links[k];
        if (link->active && (!link->symmetric || perp_law_gives_way(&link->law)))
            return 0;
    }
    if (step->iteration < KEEP_FROM)
        dg->hasty = linear > 1;
    return 1;
}
