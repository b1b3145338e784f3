/* SPDX-License-Identifier: BSD-3-Clause */
/* What is small in a step: the length to which gaps are compared, and the acceleration by which
 * rates that forces cause in a step are told from those of rounding. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/certificate/certificate.h"
#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

void perp_dg_set_length(perp_dg *dg)
{
    double arm = 0.0, place = 0.0, size = 0.0;
    for (int k = 0; k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        arm = fmax(arm, perp_joint_arm(link));
        if (perp_joint_row_turns(link, 0))
            continue;
        place = fmax(place, perp_link_place(link, PERP_START));
        size = fmax(size, perp_certificate_size(link));
    }
    dg->place = place;
    dg->length = arm > 0.0     ? fmax(arm, 1e-4 * place)
                 : place > 0.0 ? place
                 : size > 0.0  ? size
                               : 1.0;
}

/* Of a contact by what impulses along the tangent, or the normal, and moments give its bodies. */
double perp_dg_row_length(const perp_dg *dg, const perp_link *link, int i)
{
    if (perp_joint_row_turns(link, i))
        return perp_dg_arm(dg);
    int dim = link->law.dim, slips = perp_law_rolls(&link->law) ? perp_law_slips(&link->law) : dim;
    if (i % dim <= slips)
        return 1.0;
    double turns = perp_dg_free_diagonal(link, i);
    double slides = perp_dg_free_diagonal(link, i - i % dim + (slips > 0));
    return turns > 0.0 && slides > 0.0 ? sqrt(slides / turns) : 1.0;
}

double perp_dg_rounding(const perp_link *link)
{
    double place = perp_joint_row_turns(link, 0) ? 1.0 : perp_link_place(link, PERP_START);
    return 32.0 * DBL_EPSILON * place;
}

static double slack_of(const perp_dg *dg, const perp_link *link)
{
    double own = fmax(dg->slack * perp_certificate_size(link), perp_dg_rounding(link));
    double most = dg->scheme->projection_tol;
    return fmax(most > 0.0 ? fmin(own, most) : own, DBL_MIN);
}

void perp_dg_set_slacks(const perp_dg *dg)
{
    for (int k = 0; k < dg->njoints; k++)
        dg->joints[k]->slack = slack_of(dg, dg->joints[k]);
    for (int k = 0; k < dg->nlinks; k++)
        dg->links[k]->slack = slack_of(dg, dg->links[k]);
}

/* Coordinates that go with those of joints of bodies, as rotors do: alone they have no motion, and
 * the torque of a damper over the inertia of a light one is the acceleration of nothing. */
static void mark_riders(const perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++)
        dg->systems[k]->rides = 0;
    for (int k = 0; k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        int bodies = 0;
        for (int m = 0; link->coupling && m < link->nsystems; m++)
            bodies |= link->systems[m]->kind == PERP_SYSTEM_BODY;
        for (int m = 0; bodies && m < link->nsystems; m++)
            link->systems[m]->rides = link->systems[m]->kind != PERP_SYSTEM_BODY;
    }
}

perp_status perp_dg_accelerations(perp_step *step, perp_dg *dg)
{
    mark_riders(dg);
    dg->acceleration = 0.0;
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        double *a = s->v[PERP_GUESS];
        perp_status status = perp_dg_mass(step, s, PERP_START);
        if (status != PERP_SOLVED)
            return status;
        memcpy(a, s->force, sizeof(double) * (size_t)s->nv);
        perp_system_solve(s, a, 1);
        for (int i = 0; !s->rides && i < (s->kind == PERP_SYSTEM_BODY ? 3 : s->nv); i++)
            dg->acceleration = fmax(dg->acceleration, fabs(a[i]));
    }
    return PERP_SOLVED;
}
