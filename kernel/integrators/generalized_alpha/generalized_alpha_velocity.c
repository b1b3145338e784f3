/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalised-alpha, laws on the level of velocities:
 *
 *     v = v~ + W,   M(q) W = H(q)' P - H(q~)' z,
 *
 * with H v + h_t = 0 for equalities, and for the contacts that are closed at q the law of impact
 * and friction on u = H v + h_t and the whole impulse P: z is the part of the smooth motion, so
 * W = 0 while nothing strikes.  Restitution multiplies the velocity of approach at the start of the
 * step, of contacts that were open then. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/generalized_alpha/generalized_alpha.h"
#include "kernel/step/stepper.h"

/* Relations outside the problem keep their rows, with w = lambda; in the symmetric form with an
 * empty column and w = (1, 0, 0). */
static int silence(perp_link *link)
{
    int off = 0;
    for (int r = 0; r < link->relations; r++) {
        if (link->on[r])
            continue;
        off = 1;
        for (int i = r * link->law.dim; i < (r + 1) * link->law.dim; i++) {
            for (int j = 0; j < link->nv; j++)
                link->left[i + j * link->rows] = 0.0;
            link->offset[i] = link->symmetric && i == r * link->law.dim ? 1.0 : 0.0;
        }
    }
    return off;
}

void perp_alpha_close_rows(perp_step *step, perp_link *link)
{
    int force = link->law.kind == PERP_LAW_BOX, rows = link->rows, off = 0;
    double scale = force ? step->h * perp_alpha_weights_of(step, link->systems[0]).share : 1.0;
    for (int r = 0; r < link->relations; r++)
        off |= !link->on[r];
    link->symmetric = !link->right || (!force && (step->global || !off));
    (void)silence(link);
    if (link->symmetric)
        return;
    memset(link->D, 0, sizeof(double) * (size_t)rows * (size_t)rows);
    for (int j = 0; j < link->nv; j++)
        for (int i = 0; i < rows; i++)
            link->right[j + i * link->nv] = scale * link->left[i + j * rows];
    for (int r = 0; r < link->relations; r++)
        for (int i = r * link->law.dim; !link->on[r] && i < (r + 1) * link->law.dim; i++)
            link->D[i + i * rows] = 1.0;
}

static int is_impulse(const perp_link *link)
{
    return link->law.kind != PERP_LAW_BOX;
}

/* p += scale H' lambda with the H that left holds. */
static void add_input(const perp_link *link, double scale)
{
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        for (int j = 0; j < s->nv; j++, at++)
            for (int i = 0; i < link->rows; i++)
                s->p[j] += scale * link->left[i + at * link->rows] * link->lambda[i];
    }
}

static void clear_inputs(perp_alpha *alpha)
{
    for (int k = 0; k < alpha->nsystems; k++)
        memset(alpha->systems[k]->p, 0, sizeof(double) * (size_t)alpha->systems[k]->nv);
}

/* p = H' z, with the links that give it; marks systems (alpha->restart). */
static void gather_smooth(perp_alpha *alpha)
{
    clear_inputs(alpha);
    memset(alpha->restart, 0, (size_t)alpha->slots);
    for (int k = 0; k < alpha->nhard; k++) {
        perp_link *link = alpha->links[k];
        memcpy(alpha->normal[k].y, link->lambda, sizeof(double) * (size_t)link->rows);
        if (!link->active)
            continue;
        add_input(link, 1.0);
        for (int i = 0; i < link->nsystems; i++)
            alpha->restart[link->systems[i]->slot] = 1;
    }
}

/* free = v~ - M^-1 p of the systems that have to do with links, with M at q. */
static perp_status without_smooth(perp_step *step, perp_alpha *alpha)
{
    for (int k = 0; k < alpha->nhard; k++)
        for (int i = 0; alpha->links[k]->active && i < alpha->links[k]->nsystems; i++)
            alpha->restart[alpha->links[k]->systems[i]->slot] = 1;
    for (int k = 0; k < alpha->nsystems; k++) {
        perp_system *s = alpha->systems[k];
        const double *q = s->q[PERP_NOW], *v = s->v[PERP_NOW];
        if (!alpha->restart[s->slot])
            continue;
        perp_status status = perp_system_iteration(s, step->t_end, q, q, v, 0.0, 0.0, NULL, 0.0);
        if (status != PERP_SOLVED)
            return status;
        memcpy(s->free, s->p, sizeof(double) * (size_t)s->nv);
        perp_system_solve(s, s->free, 1);
        for (int i = 0; i < s->nv; i++)
            s->free[i] = v[i] - s->free[i];
    }
    return PERP_SOLVED;
}

/* Struck: it was open at the start of the step. */
static int is_struck(const perp_link *link, int r)
{
    return (link->mode[r] & 15) == PERP_ALPHA_OPEN;
}

/* u_N + e u_N_k where the bodies approached, and the same for the tangents. */
void perp_alpha_restitution(double *offset, const perp_link *link)
{
    int dim = link->law.dim;
    for (int r = 0; perp_law_is_impact(&link->law) && r < link->relations; r++, offset += dim) {
        const double *u = link->u_start + r * dim;
        if (!link->on[r] || !is_struck(link, r))
            continue;
        offset[0] += link->law.e * fmin(u[0], 0.0);
        for (int i = 1; i < dim; i++)
            offset[i] += link->law.e_t * u[i];
    }
}

/* Equalities and closed contacts, rows at q. */
static perp_status set_rows(perp_step *step, perp_alpha *alpha)
{
    for (int k = 0; k < alpha->nlinks; k++) {
        perp_link *link = alpha->links[k];
        link->active = 0;
        if (k >= alpha->nhard)
            continue;
        double closed = perp_alpha_closed(step, link);
        for (int r = 0; r < link->relations; r++) {
            link->on[r] = !perp_law_is_impact(&link->law) || link->y[r * link->law.dim] <= closed;
            link->active |= link->on[r];
        }
        if (!link->active) {
            memset(link->lambda, 0, sizeof(double) * (size_t)link->rows);
            continue;
        }
        if (perp_link_jacobian(link->left, link, step->t_end, link->X, link->lambda) ||
            perp_link_drift(link->offset, link, step->t_end, link->X, link->lambda))
            return PERP_INTERRUPTED;
        perp_alpha_close_rows(step, link);
        perp_alpha_restitution(link->offset, link);
    }
    return PERP_SOLVED;
}

static perp_status solve(perp_step *step, perp_alpha *alpha)
{
    perp_stepper *stepper = step->stepper;
    perp_one_step *one = &alpha->velocity;
    perp_status status = perp_one_step_shape(one, alpha->links, alpha->nlinks, step->systems,
                                             step->nsystems, alpha->version);
    clear_inputs(alpha);
    if (status == PERP_SOLVED && one->rows > 0)
        status = perp_one_step_fill(one, step->systems, step->nsystems, 0);
    if (status != PERP_SOLVED)
        return perp_step_refuse(step, status, "velocities", -1, NULL);
    if (one->rows == 0)
        return PERP_SOLVED;
    stepper->shown = step->one = one;
    status = perp_step_solve(step);
    step->one = &stepper->one;
    if (status == PERP_SOLVED)
        perp_one_step_scatter(one, alpha->systems, alpha->nsystems);
    return status;
}

/* Of a closed contact that stays: sticking, or sliding and in the plane which way. */
static perp_alpha_mode friction_mode(const perp_link *link, const double *P)
{
    const perp_law *law = &link->law;
    double tangential = law->dim == 3 ? hypot(P[1], P[2]) : law->dim == 2 ? fabs(P[1]) : 0.0;
    if (law->dim == 1 || P[0] <= 0.0 || tangential < (1.0 - 1e-6) * law->mu * P[0])
        return PERP_ALPHA_STICK;
    return law->dim == 2 && P[1] > 0.0 ? PERP_ALPHA_SLIP_BACK : PERP_ALPHA_SLIP;
}

/* How the relations end the step, and which systems begin a phase then.  1: one was struck. */
static int set_modes(perp_alpha *alpha, perp_link *link)
{
    int changed = 0, hit = 0;
    for (int r = 0; r < link->relations; r++) {
        const double *P = link->lambda + r * link->law.dim;
        int i = r * link->law.dim, struck = is_struck(link, r), old = link->mode[r] & 15;
        int closed = perp_law_is_impact(&link->law) && link->active && link->on[r];
        int returns = struck && link->law.e > 0.0 && link->u_start[i] < 0.0;
        int mode = closed && !returns ? (int)friction_mode(link, P) : PERP_ALPHA_OPEN;
        if (!perp_law_is_impact(&link->law))
            mode = old;
        hit |= closed && struck && P[0] > 0.0;
        changed |= mode != old || hit;
        link->mode[r] = (unsigned char)(old | mode << 4);
    }
    for (int k = 0; changed && k < link->nsystems; k++)
        alpha->restart[link->systems[k]->slot] = 1;
    return hit;
}

/* lambda: the impulse of the step, h lambda~ + P - z; inputs are those of lambda. */
static void set_multipliers(perp_step *step, perp_alpha *alpha)
{
    clear_inputs(alpha);
    for (int k = 0; k < alpha->nlinks; k++) {
        perp_link *link = alpha->links[k];
        double share = perp_alpha_weights_of(step, link->systems[0]).share;
        for (int i = 0; is_impulse(link) && link->active && i < link->rows; i++)
            link->lambda[i] += (1.0 / share - 1.0) * alpha->normal[k].y[i];
        link->active |= !is_impulse(link);
        if (link->active)
            add_input(link, is_impulse(link) ? 1.0 : step->h);
    }
}

/* v = free + M^-1 p. */
static void advance(perp_alpha *alpha)
{
    for (int k = 0; k < alpha->nsystems; k++) {
        perp_system *s = alpha->systems[k];
        double *v = s->v[PERP_NOW];
        if (!alpha->restart[s->slot])
            continue;
        memcpy(v, s->p, sizeof(double) * (size_t)s->nv);
        perp_system_solve(s, v, 1);
        for (int i = 0; i < s->nv; i++)
            v[i] += s->free[i];
    }
}

perp_status perp_alpha_velocities(perp_step *step, perp_alpha *alpha)
{
    gather_smooth(alpha);
    perp_status status = set_rows(step, alpha);
    if (status == PERP_SOLVED)
        status = without_smooth(step, alpha);
    if (status == PERP_SOLVED)
        status = solve(step, alpha);
    if (status != PERP_SOLVED)
        return status;
    advance(alpha);
    memset(alpha->restart, 0, (size_t)alpha->slots);
    int struck = 0;
    for (int k = 0; k < alpha->nlinks; k++)
        struck |= set_modes(alpha, alpha->links[k]);
    step->stepper->info.impacts += struck;
    set_multipliers(step, alpha);
    return PERP_SOLVED;
}
