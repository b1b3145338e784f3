/* SPDX-License-Identifier: BSD-3-Clause */
/* Moreau-Jean whose index set is found by the outcome: a step begins with no contact; those whose
 * gap closed are added and the step is made again, until none is added; then the positions are
 * projected with the contacts of the index set as equalities, which may also pull a body back
 * onto its constraint.  Contacts are never removed within a step. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/moreau_jean.h"
#include "kernel/integrators/position_projection.h"

static int by_outcome(const perp_link *link)
{
    return perp_law_is_impact(&link->law) && perp_projection_takes(link);
}

static perp_status activate(perp_step *step, perp_link *link)
{
    if (!by_outcome(link))
        return perp_mj_activate(step, link);
    memset(link->on, 0, (size_t)link->relations);
    link->active = 0;
    return PERP_SOLVED;
}

/* Adds the relations of one link whose gap is closed; 1 where there were any. */
static int add_closed(perp_link *link)
{
    int added = 0;
    for (int r = 0; r < link->relations; r++) {
        if (link->on[r] || !(link->y[r * link->law.dim] <= 0.0))
            continue;
        link->on[r] = 1;
        if (!link->active) /* warm start, which the empty index set took away */
            memcpy(link->lambda, link->lambda_start, sizeof(double) * (size_t)link->rows);
        link->active = added = 1;
    }
    return added;
}

static perp_status finish(perp_step *step, int scheme, int *again)
{
    *again = 0;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        if (link->systems[0]->scheme != scheme || !by_outcome(link))
            continue;
        const double *x = perp_link_gather_x(link, PERP_NOW);
        if (perp_link_output(link->y, link, step->t_end, x, link->lambda))
            return PERP_INTERRUPTED;
        for (int i = 0; i < link->rows; i++)
            if (isnan(link->y[i]))
                return perp_step_refuse(step, PERP_ERR_NUMERICAL, "interaction", link->slot,
                                        "its output is not a number");
        *again |= add_closed(link);
    }
    return *again ? PERP_SOLVED : perp_project_by_scheme(step, scheme, 1);
}

static void defaults(perp_scheme *scheme)
{
    scheme->projection_tol = 1e-10;
    scheme->projection_iter = 4;
    scheme->projection_of = PERP_PROJECTION_OF_ACTIVE;
}

const perp_integrator perp_combined_projection = {
    .name = "moreau-jean-combined-projection",
    .summary = "moreau-jean with contacts activated by their outcome and projected upon",
    .reads = "theta configuration prediction forces inconsistent_compliance projection_tol "
             "projection_iter projection_in projection_of",
    .kinds = 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,
    .accepts = perp_mj_accepts,
    PERP_MJ_STEP,
    .activate = activate,
    .finish = finish,
    .defaults = defaults,
    .release = perp_projection_release,
    .forget = perp_projection_forget_memory,
};
