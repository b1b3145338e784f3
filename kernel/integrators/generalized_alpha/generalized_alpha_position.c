/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalised-alpha, constraints on the level of positions:
 *
 *     q = q~ (+) U,   S U = H' (Q - Q~),   g = 0 (equalities),   0 <= g(q) perp Q >= 0 (contacts).
 *
 * Q~ = h beta/gamma z is what the smooth impulse z has moved already, so that a contact that
 * presses is held and not only pushed out; S is the iteration matrix of the smooth part, which is
 * what U meets in the coupled equations of the paper once v~' follows q.  By Newton: H at the
 * iterate, contacts join when they are met with g < 0. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "kernel/integrators/generalized_alpha/generalized_alpha.h"
#include "kernel/step/stepper.h"

static int rows_of(const perp_link *link)
{
    return perp_law_is_impact(&link->law) ? link->relations : link->rows;
}

static perp_link normal_of(const perp_link *link)
{
    perp_link normal = {.slot = link->slot,
                        .nsystems = link->nsystems,
                        .systems = link->systems,
                        .second_order = link->second_order,
                        .N = link->N,
                        .nv = link->nv,
                        .rows = rows_of(link),
                        .relations = rows_of(link),
                        .symmetric = 1,
                        .own_restitution = 1,
                        .law = link->law.kind == PERP_LAW_EQUALITY ? perp_law_equality()
                                                                   : perp_law_complementarity()};
    return normal;
}

int perp_alpha_normals(perp_alpha *alpha, perp_pool *pool)
{
    size_t count = 0;
    for (int k = 0; k < alpha->nhard; k++) {
        const perp_link *link = alpha->links[k];
        count += (size_t)rows_of(link) * ((size_t)link->nv + 2) + (size_t)link->rows;
    }
    if (count > INT_MAX ||
        !perp_pool_grow(pool, (void **)&alpha->normal, &alpha->capacity_normal, alpha->nhard,
                        sizeof *alpha->normal) ||
        !perp_pool_grow(pool, (void **)&alpha->normals, &alpha->capacity_normals, alpha->nhard,
                        sizeof *alpha->normals) ||
        !perp_pool_grow(pool, (void **)&alpha->values, &alpha->capacity_values, (int)count,
                        sizeof *alpha->values))
        return 0;
    double *at = alpha->values;
    for (int k = 0; k < alpha->nhard; k++) {
        perp_link *normal = &alpha->normal[k];
        *normal = normal_of(alpha->links[k]);
        alpha->normals[k] = normal;
        normal->left = at;
        normal->offset = at + normal->rows * normal->nv;
        normal->lambda = normal->offset + normal->rows;
        normal->y = normal->lambda + normal->rows;
        at = normal->y + alpha->links[k]->rows;
    }
    return 1;
}

/* Q~ as the first multipliers; only equalities and contacts that press are looked at yet. */
static void begin(perp_step *step, perp_alpha *alpha)
{
    for (int k = 0; k < alpha->nhard; k++) {
        const perp_link *link = alpha->links[k];
        perp_link *normal = &alpha->normal[k];
        perp_alpha_weights w = perp_alpha_weights_of(step, link->systems[0]);
        int dim = link->law.dim;
        normal->active = link->law.kind == PERP_LAW_EQUALITY;
        for (int i = 0; i < normal->rows; i++) {
            normal->lambda[i] =
                link->active ? step->h * w.beta / w.gamma * link->lambda[i * dim] : 0.0;
            normal->active |= normal->lambda[i] > 0.0;
        }
    }
}

/* How far a row is from its constraint at g.  w: what the linear problem said, NULL before. */
static double distance(const perp_link *normal, int i, double g, const double *w)
{
    if (normal->law.kind == PERP_LAW_EQUALITY)
        return fabs(g);
    if (normal->active && normal->lambda[i] > 0.0)
        return fmax(-g, fabs(w ? g - w[normal->first_row + i] : g));
    return -g;
}

/* y at NOW; *worst: the largest distance in units of its tolerance; *grown: contacts joined. */
static perp_status look(double *worst, int *grown, perp_step *step, perp_alpha *alpha,
                        const double *w)
{
    *worst = 0.0;
    *grown = 0;
    for (int k = 0; k < alpha->nhard; k++) {
        perp_link *link = alpha->links[k], *normal = &alpha->normal[k];
        double tol = perp_alpha_closed(step, link);
        if (perp_link_output(link->y, link, step->t_end, link->X, link->lambda))
            return PERP_INTERRUPTED;
        int joins = 0;
        for (int i = 0; i < normal->rows; i++) {
            double g = link->y[i * link->law.dim], d = distance(normal, i, g, w);
            if (isnan(g))
                return perp_step_refuse(step, PERP_ERR_NUMERICAL, "interaction", link->slot,
                                        "the gap is not a number");
            *worst = fmax(*worst, d / tol);
            joins |= !normal->active && d > tol;
        }
        normal->active |= joins;
        *grown |= joins;
    }
    return PERP_SOLVED;
}

/* Rows H and g - H U at NOW. */
static perp_status linearise(perp_step *step, perp_alpha *alpha)
{
    for (int k = 0; k < alpha->nhard; k++) {
        perp_link *link = alpha->links[k], *normal = &alpha->normal[k];
        int dim = link->law.dim, rows = normal->rows, at = 0;
        if (!normal->active)
            continue;
        const double *x = perp_link_gather_x(link, PERP_NOW);
        if (perp_link_jacobian(link->H, link, step->t_end, x, link->lambda))
            return PERP_INTERRUPTED;
        for (int i = 0; i < rows; i++)
            normal->offset[i] = link->y[i * dim];
        for (int s = 0; s < link->nsystems; s++)
            for (int j = 0; j < link->systems[s]->nv; j++, at++)
                for (int i = 0; i < rows; i++) {
                    double entry = link->H[i * dim + at * link->rows];
                    normal->left[i + at * rows] = entry;
                    normal->offset[i] -= entry * link->systems[s]->residual[j];
                }
    }
    return PERP_SOLVED;
}

/* U = 0, and free = - S^-1 H' Q~. */
static void take_back_smooth(perp_alpha *alpha)
{
    for (int k = 0; k < alpha->nsystems; k++) {
        perp_system *s = alpha->systems[k];
        memset(s->free, 0, sizeof(double) * (size_t)s->nv);
    }
    for (int k = 0; k < alpha->nhard; k++) {
        const perp_link *normal = &alpha->normal[k];
        int at = 0;
        for (int s = 0; normal->active && s < normal->nsystems; s++)
            for (int j = 0; j < normal->systems[s]->nv; j++, at++)
                for (int i = 0; i < normal->rows; i++)
                    normal->systems[s]->free[j] -=
                        normal->left[i + at * normal->rows] * normal->lambda[i];
    }
    for (int k = 0; k < alpha->nsystems; k++)
        perp_system_solve(alpha->systems[k], alpha->systems[k]->free, 1);
}

static perp_status solve(perp_step *step, perp_alpha *alpha)
{
    perp_one_step *one = &alpha->position;
    perp_status status = perp_one_step_shape(one, alpha->normals, alpha->nhard, step->systems,
                                             step->nsystems, alpha->version);
    if (status == PERP_SOLVED)
        status = perp_one_step_fill(one, step->systems, step->nsystems, 0);
    if (status != PERP_SOLVED)
        return perp_step_refuse(step, status, "positions", -1, NULL);
    step->one = one;
    status = perp_step_solve(step);
    step->one = &step->stepper->one;
    if (status == PERP_SOLVED)
        perp_one_step_scatter(one, alpha->systems, alpha->nsystems);
    return status;
}

/* The step of Newton from U to free + S^-1 p. */
static void move(perp_alpha *alpha)
{
    for (int k = 0; k < alpha->nsystems; k++) {
        perp_system *s = alpha->systems[k];
        memcpy(s->work, s->p, sizeof(double) * (size_t)s->nv);
        perp_system_solve(s, s->work, 1);
        for (int i = 0; i < s->nv; i++) {
            double U = s->free[i] + s->work[i];
            s->work[i] = U - s->residual[i];
            s->residual[i] = U;
        }
        perp_system_move(s->q[PERP_NOW], s, s->q[PERP_NOW], s->work, 1.0);
    }
}

/* Iterations at least, also where newton_iter = 1 leaves the dynamics unjudged. */
enum { CORRECTIONS = 20 };

perp_status perp_alpha_positions(perp_step *step, perp_alpha *alpha)
{
    double worst;
    int grown, limit = step->stepper->options.newton_iter;
    limit = limit > CORRECTIONS ? limit : CORRECTIONS;
    begin(step, alpha);
    perp_status status = look(&worst, &grown, step, alpha, NULL);
    if (status != PERP_SOLVED || (worst <= 1.0 && !grown))
        return status;
    for (int k = 0; k < alpha->nsystems; k++)
        memset(alpha->systems[k]->residual, 0, sizeof(double) * (size_t)alpha->systems[k]->nv);
    for (int k = 0;; k++) {
        double before = worst;
        status = linearise(step, alpha);
        if (status != PERP_SOLVED)
            return status;
        if (k == 0)
            take_back_smooth(alpha);
        status = solve(step, alpha);
        if (status != PERP_SOLVED)
            return status;
        move(alpha);
        status = look(&worst, &grown, step, alpha, alpha->position.w);
        if (status != PERP_SOLVED || (worst <= 1.0 && !grown))
            return status;
        if (grown)
            continue;
        if (step->stepper->info.status != PERP_SOLVED && worst > 0.5 * before)
            return PERP_SOLVED; /* constraints that contradict each other: accepted as it is */
        if (k + 1 >= limit)
            return perp_step_unsolved(step, PERP_ITERATION_LIMIT, NULL,
                                      "the iteration on positions did not converge");
    }
}
