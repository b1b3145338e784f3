/* SPDX-License-Identifier: BSD-3-Clause */
/* Slips that friction by the mean rate has turned around (gap_law.c) are stopped at the end of the
 * step: what sticks by the mean rate ends with its slip reversed, which would go to and fro for
 * ever.  Impulses dp at the contacts that carry load make the kinetic energy small,
 *
 *     minimise |v + M^-1 H' dp|_M^2 / 2,    dp_N >= 0,    |p_T + dp_T| <= mu p_N,
 *
 * with p those of the step, so that what friction gives in the whole step lies in the cone.  dp = 0
 * is feasible and each projected sweep goes down, so they only take energy, however many there are.
 * Contacts of systems that joints tie together are left as they are. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

enum { SWEEPS = 60 };
/* Of the energy that the first sweep takes: less than that ends the sweeps. */
static const double LITTLE = 1e-4;

static int is_free(const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k]->coupled >= 0)
            return 0;
    return 1;
}

int perp_dg_stops_slips(const perp_link *link)
{
    return link->active && link->law.kind == PERP_LAW_FRICTION && link->relation.h_t == NULL &&
           perp_dg_role_of(link) == PERP_DG_CONTACT && is_free(link) &&
           !perp_law_is_soft(&link->law);
}

int perp_dg_has_turned(const perp_dg *dg)
{
    for (int k = 0; k < dg->nlinks; k++) {
        const perp_link *link = dg->links[k];
        for (int r = 0; r < link->relations && perp_dg_stops_slips(link); r++)
            if (link->mode[r] & PERP_DG_BACKWARD)
                return 1;
    }
    return 0;
}

/* left = H(q), H = H M^-1 of the end of the step; spare = dp = 0. */
static perp_status open_contact(perp_step *step, perp_link *link)
{
    const double *x = perp_link_gather_x(link, PERP_NOW);
    if (perp_link_jacobian(link->left, link, step->t_end, x, link->lambda))
        return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
    int at = 0, rows = link->rows;
    for (int k = 0; k < link->nsystems; at += link->systems[k++]->nv) {
        perp_system *s = link->systems[k];
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < s->nv; j++)
                s->work[j] = link->left[i + (at + j) * rows];
            perp_system_solve(s, s->work, 1);
            for (int j = 0; j < s->nv; j++)
                link->H[i + (at + j) * rows] = s->work[j];
        }
    }
    memset(link->spare, 0, sizeof(double) * (size_t)rows);
    return PERP_SOLVED;
}

/* Row a of H times row b of H M^-1. */
static double product(const perp_link *link, int a, int b)
{
    double sum = 0.0;
    for (int j = 0; j < link->nv; j++)
        sum += link->left[a + j * link->rows] * link->H[b + j * link->rows];
    return sum;
}

static double rate(const perp_link *link, int i)
{
    double sum = 0.0;
    const double *H = link->left + i;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++, H += link->rows)
            sum += *H * link->systems[k]->v[PERP_NOW][j];
    return sum;
}

static void push(const perp_link *link, int i, double impulse)
{
    const double *H = link->H + i;
    link->spare[i] += impulse;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++, H += link->rows)
            link->systems[k]->v[PERP_NOW][j] += impulse * *H;
}

/* A gradient step for the tangential impulses, back into the disc; returns the energy taken. */
static double stop_slip(perp_link *link, int first, int dim, double radius)
{
    double u[2] = {0.0, 0.0}, p[2] = {0.0, 0.0}, size = 0.0, W = 0.0;
    int tangents = dim - 1;
    for (int i = 0; i < tangents; i++) {
        u[i] = rate(link, first + i);
        W += product(link, first + i, first + i);
    }
    if (!(W > 0.0))
        return 0.0;
    for (int i = 0; i < tangents; i++) {
        p[i] = link->lambda[first + i] + link->spare[first + i] - u[i] / W;
        size += p[i] * p[i];
    }
    double part = size > radius * radius ? radius / sqrt(size) : 1.0, taken = 0.0;
    for (int i = 0; i < tangents; i++) {
        double change = part * p[i] - link->lambda[first + i] - link->spare[first + i];
        taken -= change * (u[i] + 0.5 * W * change);
        push(link, first + i, change);
    }
    return taken;
}

static double stop_approach(perp_link *link, int i)
{
    double u = rate(link, i), W = product(link, i, i);
    if (!(W > 0.0))
        return 0.0;
    double change = fmax(-link->spare[i], -u / W);
    push(link, i, change);
    return -change * (u + 0.5 * W * change);
}

static double sweep(const perp_dg *dg)
{
    double taken = 0.0;
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        int dim = link->law.dim;
        for (int r = 0; r < link->relations && perp_dg_stops_slips(link); r++) {
            double normal = link->lambda[r * dim];
            if (!(normal > 0.0))
                continue;
            taken += stop_approach(link, r * dim);
            taken += stop_slip(link, r * dim + 1, dim, link->law.mu * normal);
        }
    }
    return taken;
}

perp_status perp_dg_stop_slips(perp_step *step, perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < dg->nsystems && status == PERP_SOLVED; k++) {
        perp_system *s = dg->systems[k];
        if (s->coupled >= 0)
            continue;
        status = perp_dg_mass(step, s, PERP_NOW);
        memcpy(s->v_kept, s->v[PERP_NOW], sizeof(double) * (size_t)s->nv);
    }
    for (int k = 0; k < dg->nlinks && status == PERP_SOLVED; k++)
        if (perp_dg_stops_slips(dg->links[k]))
            status = open_contact(step, dg->links[k]);
    double first = 0.0;
    for (int k = 0; k < SWEEPS && status == PERP_SOLVED; k++) {
        double taken = sweep(dg);
        first = k == 0 ? taken : first;
        if (!(taken > LITTLE * first))
            break;
    }
    for (int k = 0; k < dg->nlinks && status == PERP_SOLVED; k++) {
        perp_link *link = dg->links[k];
        for (int i = 0; i < link->rows && perp_dg_stops_slips(link); i++)
            link->lambda[i] += link->spare[i]; /* what acted in the whole step */
    }
    return status;
}
