/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/integrators/either_kind.h"

#include "kernel/integrators/euler_moreau.h"
#include "kernel/integrators/moreau_jean.h"

static int is_first(const perp_system *s)
{
    return s->kind == PERP_SYSTEM_FIRST_ORDER;
}

perp_status perp_either_accepts(const perp_link *link, const perp_scheme *scheme, const char **why)
{
    return link->second_order ? perp_mj_accepts(link, scheme, why)
                              : perp_euler_moreau.accepts(link, scheme, why);
}

perp_status perp_either_begin(perp_step *step, perp_system *s)
{
    return is_first(s) ? perp_euler_moreau.begin(step, s) : perp_mj_begin(step, s);
}

perp_status perp_either_activate(perp_step *step, perp_link *link)
{
    return link->second_order ? perp_mj_activate(step, link)
                              : perp_euler_moreau.activate(step, link);
}

perp_status perp_either_iterate(perp_step *step, perp_system *s)
{
    return is_first(s) ? perp_euler_moreau.iterate(step, s) : perp_mj_iterate(step, s);
}

perp_status perp_either_rows(perp_step *step, perp_link *link)
{
    return link->second_order ? perp_mj_rows(step, link) : perp_euler_moreau.rows(step, link);
}

perp_status perp_either_advance(perp_step *step, perp_system *s)
{
    return is_first(s) ? perp_euler_moreau.advance(step, s) : perp_mj_advance(step, s);
}

perp_status perp_either_residual(double *square, perp_step *step, perp_system *s)
{
    return is_first(s) ? perp_euler_moreau.residual(square, step, s)
                       : perp_mj_residual(square, step, s);
}

perp_status perp_either_relation_residual(double *square, perp_step *step, perp_link *link)
{
    return link->second_order ? perp_mj_relation_residual(square, step, link)
                              : perp_euler_moreau.relation_residual(square, step, link);
}

perp_status perp_either_output(perp_step *step, perp_link *link)
{
    return link->second_order ? perp_mj_output(step, link) : perp_euler_moreau.output(step, link);
}

void perp_either_accepted(perp_step *step, perp_system *s)
{
    if (is_first(s))
        perp_euler_moreau.accepted(step, s);
}

int perp_either_is_linear(const perp_link *link, const perp_scheme *scheme)
{
    return link->second_order ? perp_mj_is_linear(link, scheme)
                              : perp_euler_moreau.is_linear(link, scheme);
}

int perp_either_balance(perp_step *step, perp_system *s, perp_balance *balance)
{
    return is_first(s) ? perp_euler_moreau.balance(step, s, balance)
                       : perp_mj_balance(step, s, balance);
}

int perp_either_paired(perp_step *step, perp_link *link, perp_pairing *pairing)
{
    return link->second_order ? perp_mj_paired(step, link, pairing)
                              : perp_euler_moreau.paired(step, link, pairing);
}

int perp_either_smooth_order(const perp_step *step, const perp_scheme *scheme)
{
    if (scheme->theta != 0.5 || scheme->forces != PERP_FORCES_IMPLICIT)
        return 1;
    int middle = (scheme->configuration == PERP_CONFIGURATION_ITERATED ||
                  scheme->configuration == PERP_CONFIGURATION_CONVERGED) &&
                 scheme->prediction == 0.5;
    for (int k = 0; k < step->nsystems && !middle; k++)
        if (step->systems[k]->kind == PERP_SYSTEM_LAGRANGIAN &&
            step->systems[k]->as.lagrangian.mass)
            return 1;
    return 2;
}

static int is_constant(const perp_link *link)
{
    return link->second_order && link->linear && !perp_link_has_drift(link) &&
           !perp_link_has_feedthrough(link) && !perp_link_has_input(link) &&
           link->law.kind != PERP_LAW_BOX;
}

int perp_either_touching_order(const perp_step *step, const perp_scheme *scheme)
{
    for (int k = 0; k < step->nlinks; k++)
        if (step->links[k]->active && !is_constant(step->links[k]))
            return 1;
    return perp_either_smooth_order(step, scheme);
}
