/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/integrators/either_kind.h"

#include "kernel/integrators/euler_moreau.h"
#include "kernel/step/stepper.h"

/* The scheme whose functions a system, or an interaction, of such a scheme has. */
static const perp_integrator *of_system(const perp_step *step, const perp_system *s)
{
    return s->kind == PERP_SYSTEM_FIRST_ORDER ? &perp_euler_moreau
                                              : step->stepper->integrators[s->scheme]->second;
}

static const perp_integrator *of_link(const perp_step *step, const perp_link *link)
{
    return of_system(step, link->systems[0]);
}

perp_status perp_either_accepts(const perp_integrator *second, const perp_link *link,
                                const perp_scheme *scheme, const char **why)
{
    const perp_integrator *base = link->second_order ? second : &perp_euler_moreau;
    return base->accepts(link, scheme, why);
}

int perp_either_is_linear(const perp_integrator *second, const perp_link *link,
                          const perp_scheme *scheme)
{
    const perp_integrator *base = link->second_order ? second : &perp_euler_moreau;
    return base->is_linear(link, scheme);
}

perp_status perp_either_moreau_jean_accepts(const perp_link *link, const perp_scheme *scheme,
                                            const char **why)
{
    return perp_either_accepts(&perp_moreau_jean, link, scheme, why);
}

int perp_either_moreau_jean_is_linear(const perp_link *link, const perp_scheme *scheme)
{
    return perp_either_is_linear(&perp_moreau_jean, link, scheme);
}

perp_status perp_either_begin(perp_step *step, perp_system *s)
{
    return of_system(step, s)->begin(step, s);
}

perp_status perp_either_activate(perp_step *step, perp_link *link)
{
    return of_link(step, link)->activate(step, link);
}

perp_status perp_either_iterate(perp_step *step, perp_system *s)
{
    return of_system(step, s)->iterate(step, s);
}

perp_status perp_either_rows(perp_step *step, perp_link *link)
{
    return of_link(step, link)->rows(step, link);
}

perp_status perp_either_advance(perp_step *step, perp_system *s)
{
    return of_system(step, s)->advance(step, s);
}

perp_status perp_either_residual(double *square, perp_step *step, perp_system *s)
{
    return of_system(step, s)->residual(square, step, s);
}

perp_status perp_either_relation_residual(double *square, perp_step *step, perp_link *link)
{
    const perp_integrator *base = of_link(step, link);
    return base->relation_residual ? base->relation_residual(square, step, link) : PERP_SOLVED;
}

perp_status perp_either_output(perp_step *step, perp_link *link)
{
    return of_link(step, link)->output(step, link);
}

void perp_either_accepted(perp_step *step, perp_system *s)
{
    const perp_integrator *base = of_system(step, s);
    if (base->accepted)
        base->accepted(step, s);
}

int perp_either_balance(perp_step *step, perp_system *s, perp_balance *balance)
{
    return of_system(step, s)->balance(step, s, balance);
}

int perp_either_paired(perp_step *step, perp_link *link, perp_pairing *pairing)
{
    return of_link(step, link)->paired(step, link, pairing);
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
