/* SPDX-License-Identifier: BSD-3-Clause */
/* Moreau-Jean, then a projection of the positions: whatever penetrates at the end of the step is
 * moved onto its constraint, contacts as inequalities and joints as equalities ([SDN] ch. 13). */
#include "kernel/integrators/moreau_jean.h"
#include "kernel/integrators/position_projection.h"

static perp_status finish(perp_step *step, int scheme, int *again)
{
    *again = 0;
    return perp_project_by_scheme(step, scheme, 0);
}

static void defaults(perp_scheme *scheme)
{
    scheme->activate = 1e-7;
    scheme->hysteresis = 1;
}

const perp_integrator perp_direct_projection = {
    .name = "moreau-jean-direct-projection",
    .summary = "moreau-jean with a correction of the positions after each step",
    .reads = "theta activation activation_at activate hysteresis configuration prediction forces "
             "inconsistent_compliance projection_tol projection_iter "
             "projection_in projection_of",
    .kinds = 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,
    .accepts = perp_mj_accepts,
    PERP_MJ_STEP,
    .activate = perp_mj_activate,
    .finish = finish,
    .defaults = defaults,
    .release = perp_projection_release,
    .forget = perp_projection_forget_memory,
};
