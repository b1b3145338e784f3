/* SPDX-License-Identifier: BSD-3-Clause */
/* Moreau-Jean: theta-method on the smooth forces, impact laws on velocities ([SNL]; [SDN] sec. 10.2
 * and 11.4; [SUG] for the prediction of the index set).
 *
 *     M (v - v_k) - h theta F(t_k+1, q(v), v) - h (1 - theta) F_k = p,
 *     q(v) = q_k (+) h (theta v + (1 - theta) v_k),
 *
 * by Newton with W = M - h theta dF/dv - h^2 theta^2 dF/dq T.  A link sits at one of three levels:
 * rates with lambda an impulse; rates with lambda a force (BOX); positions with lambda a force,
 * where y depends on lambda (relative degree 0, [SDN] sec. 8.1.2). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/integrators/moreau_jean.h"

typedef enum level { LEVEL_RATE, LEVEL_FORCE_RATE, LEVEL_POSITION } level;

static level level_of(const perp_link *link)
{
    if (perp_link_has_feedthrough(link))
        return LEVEL_POSITION;
    return link->law.kind == PERP_LAW_BOX ? LEVEL_FORCE_RATE : LEVEL_RATE;
}

perp_status perp_mj_accepts(const perp_link *link, const perp_scheme *scheme, const char **why)
{
    int impact = perp_law_is_impact(&link->law);
    *why = NULL;
    if (level_of(link) == LEVEL_POSITION && impact)
        *why = "an impact law acts on rates: y must not depend on lambda (relative degree 0)";
    else if (level_of(link) == LEVEL_RATE && link->law.kind == PERP_LAW_COMPLEMENTARITY)
        *why = "complementarity on a relation of relative degree 2: use an impact law, or a y "
               "with lambda";
    else if (link->law.drive == PERP_DRIVE_SERVO && !(scheme->theta > 0.0))
        *why = "a servo acts on the mean rate by the end of the step: theta must not be 0";
    else if (impact && perp_law_is_soft(&link->law) && !(scheme->theta > 0.0))
        *why = "a soft contact acts on the mean rate by the end of the step: theta must not be 0";
    else if (perp_law_gives_way(&link->law) && perp_link_has_input(link))
        *why = "contacts that give way act by H' lambda";
    return *why ? PERP_ERR_UNSUPPORTED : PERP_SOLVED;
}

static int follows_iterate(const perp_scheme *scheme)
{
    return scheme->configuration == PERP_CONFIGURATION_ITERATED ||
           scheme->configuration == PERP_CONFIGURATION_CONVERGED;
}

/* Configuration at which mass and Jacobians are taken, from the current iterate. */
static void guess(perp_step *step, perp_system *s, const perp_scheme *scheme)
{
    const double *v_k = s->v[PERP_START], *v = s->v[PERP_NOW];
    if (follows_iterate(scheme)) {
        for (int i = 0; i < s->nv; i++)
            s->work[i] = (1.0 - scheme->theta) * v_k[i] + scheme->theta * v[i];
        perp_system_move(s->q[PERP_GUESS], s, s->q[PERP_START], s->work,
                         step->h * scheme->prediction);
    } else if (scheme->configuration == PERP_CONFIGURATION_START) {
        memcpy(s->q[PERP_GUESS], s->q[PERP_START], sizeof(double) * (size_t)s->nq);
    } else {
        perp_system_move(s->q[PERP_GUESS], s, s->q[PERP_START], v_k, step->h * scheme->prediction);
    }
}

perp_status perp_mj_begin(perp_step *step, perp_system *s)
{
    const perp_scheme *scheme = perp_step_scheme(step, s);
    if (perp_system_force(s->force, s, step->t, s->q[PERP_START], s->v[PERP_START]))
        return PERP_INTERRUPTED;
    perp_system_move(s->q[PERP_NOW], s, s->q[PERP_START], s->v[PERP_START], step->h);
    guess(step, s, scheme);
    return PERP_SOLVED;
}

/* A gap within rounding of the coordinates counts as closed, or a body at rest on a slope
 * would lose its contact for a step. */
static int within_rounding(perp_link *link, double excess)
{
    double largest = 0.0;
    if (excess > 1e-8)
        return 0;
    const double *x = perp_link_gather_x(link, PERP_START);
    for (int i = 0; i < link->N; i++)
        largest = fmax(largest, fabs(x[i]));
    return excess <= 32.0 * DBL_EPSILON * largest;
}

/* Is relation r of the link closed at the end of the step?  y: its normal row. */
static int closes(perp_link *link, const perp_scheme *scheme, int r, double y, double h)
{
    double u = link->u_start[r * link->law.dim];
    double predicted = y + scheme->activation * h * u;
    if (scheme->hysteresis && link->was_active && link->on[r])
        return !(predicted > scheme->activate && u >= 0.0);
    return predicted <= scheme->activate || within_rounding(link, predicted - scheme->activate);
}

static int always_active(const perp_link *link, const perp_scheme *scheme)
{
    return !perp_law_is_impact(&link->law) &&
           !(scheme->inconsistent_compliance && level_of(link) == LEVEL_POSITION);
}

perp_status perp_mj_activate(perp_step *step, perp_link *link)
{
    const perp_scheme *scheme = perp_link_scheme(step, link);
    if (always_active(link, scheme)) {
        memset(link->on, 1, (size_t)link->relations);
        link->active = 1;
        return PERP_SOLVED;
    }
    const double *y = link->y_start;
    if (level_of(link) == LEVEL_POSITION) { /* the gap without its compliance */
        memset(link->spare, 0, sizeof(double) * (size_t)link->rows);
        if (perp_link_output(link->y, link, step->t, perp_link_gather_x(link, PERP_START),
                             link->spare))
            return PERP_INTERRUPTED;
        y = link->y;
    } else if (scheme->activation_at == PERP_ACTIVATION_AT_PREDICTED) {
        const double *x = perp_link_gather_x(link, PERP_NOW);
        if (perp_link_output(link->y, link, step->t_end, x, link->lambda_start))
            return PERP_INTERRUPTED;
        y = link->y;
    }
    link->active = 0;
    memcpy(link->centre, link->lambda_start, sizeof(double) * (size_t)link->rows);
    for (int r = 0; r < link->relations; r++) {
        link->on[r] = (unsigned char)closes(link, scheme, r, y[r * link->law.dim], step->h);
        link->active |= link->on[r];
    }
    return PERP_SOLVED;
}

/* out = M (v - v_k) - h theta F(t_k+1, q, v) - h (1 - theta) F_k at NOW. */
static perp_status free_residual(double *out, perp_step *step, perp_system *s,
                                 const perp_scheme *scheme, int first)
{
    double h = step->h, theta = scheme->forces == PERP_FORCES_EXPLICIT ? 0.0 : scheme->theta;
    const double *v = s->v[PERP_NOW], *v_k = s->v[PERP_START];
    if (first) {
        memset(out, 0, sizeof(double) * (size_t)s->nv);
    } else {
        for (int i = 0; i < s->nv; i++)
            s->work[i] = v[i] - v_k[i];
        if (perp_system_mass_apply(out, s, s->q[PERP_GUESS], s->work))
            return PERP_INTERRUPTED;
    }
    if (theta > 0.0) {
        if (perp_system_force(s->work, s, step->t_end, s->q[PERP_NOW], v))
            return PERP_INTERRUPTED;
        for (int i = 0; i < s->nv; i++)
            out[i] -= h * theta * s->work[i];
    }
    for (int i = 0; i < s->nv; i++)
        out[i] -= h * (1.0 - theta) * s->force[i];
    return PERP_SOLVED;
}

perp_status perp_mj_iterate(perp_step *step, perp_system *s)
{
    const perp_scheme *scheme = perp_step_scheme(step, s);
    double theta = scheme->forces == PERP_FORCES_EXPLICIT ? 0.0 : scheme->theta;
    double a = step->h * theta;
    int first = step->iteration == 0;
    if (!first && follows_iterate(scheme))
        guess(step, s, scheme);
    const double *change = NULL;
    if (!first && follows_iterate(scheme) && s->kind == PERP_SYSTEM_LAGRANGIAN &&
        s->as.lagrangian.mass_q) {
        double *difference = s->v[PERP_GUESS];
        for (int i = 0; i < s->nv; i++)
            difference[i] = s->v[PERP_NOW][i] - s->v[PERP_START][i];
        change = difference;
    }
    perp_status status =
        perp_system_iteration(s, step->t_end, s->q[PERP_GUESS], s->q[PERP_NOW], s->v[PERP_NOW], a,
                              a * a, change, step->h * scheme->prediction * scheme->theta);
    if (status != PERP_SOLVED)
        return status;
    status = free_residual(s->free, step, s, scheme, first);
    if (status != PERP_SOLVED)
        return status;
    perp_system_solve(s, s->free, 1);
    const double *v = s->v[PERP_NOW];
    for (int i = 0; i < s->nv; i++)
        s->free[i] = v[i] - s->free[i];
    return PERP_SOLVED;
}

/* Relations outside the index set keep their rows, with w = lambda instead; in the global
 * form with an empty column and w = 1 (see fill_q). */
static void silence(perp_link *link)
{
    for (int r = 0; r < link->relations; r++) {
        if (link->on[r])
            continue;
        for (int i = r * link->law.dim; i < (r + 1) * link->law.dim; i++) {
            for (int j = 0; j < link->nv; j++) {
                link->left[i + j * link->rows] = 0.0;
                if (!link->symmetric)
                    link->right[j + i * link->nv] = 0.0;
            }
            for (int j = 0; !link->symmetric && j < link->rows; j++)
                link->D[i + j * link->rows] = link->D[j + i * link->rows] = i == j ? 1.0 : 0.0;
            link->offset[i] = 0.0;
        }
    }
}

static int any_off(const perp_link *link)
{
    for (int r = 0; r < link->relations; r++)
        if (!link->on[r])
            return 1;
    return 0;
}

/* right = scale left'. */
static void transpose_left(perp_link *link, double scale)
{
    for (int j = 0; j < link->nv; j++)
        for (int i = 0; i < link->rows; i++)
            link->right[j + i * link->nv] = scale * link->left[i + j * link->rows];
}

/* Input g(t, x, lambda) of its own, which has rows rho (NONLINEAR alone: K is present), linearised
 * at the iterate; lambda is an impulse (scale 1) or a force (scale h).  weight: d(x_new)/d(v_new).
 */
int perp_mj_own_input(perp_step *step, perp_link *link, double scale, double weight)
{
    const double *x = perp_link_gather_x(link, PERP_NOW);
    int nv = link->nv, rows = link->rows;
    if (perp_link_input(link->inner_offset, link, step->t_end, x, link->lambda) ||
        perp_link_input_lambda(link->right, link, step->t_end, x, link->lambda) ||
        perp_link_input_x(link->inner_left, link, step->t_end, x, link->lambda))
        return 1;
    const double *v = perp_link_gather_v(link, PERP_NOW);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nv; i++) {
            link->inner_left[i + j * nv] *= weight;
            link->inner_offset[i] -= link->inner_left[i + j * nv] * v[j];
        }
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < nv; i++) {
            link->inner_D[i + j * nv] = link->right[i + j * nv];
            link->inner_offset[i] -= link->right[i + j * nv] * link->lambda[j];
        }
    memset(link->right, 0, sizeof(double) * (size_t)nv * (size_t)rows);
    *link->inner_right = scale;
    return 0;
}

/* What a drive adds to its row, lambda being the force; offset holds h_t. */
static void add_drive(perp_step *step, perp_link *link, double theta)
{
    double offset, compliance, u = link->offset[0];
    const double *v = perp_link_gather_v(link, PERP_START);
    for (int j = 0; j < link->nv; j++)
        u += link->left[j] * v[j];
    perp_law_drive(&offset, &compliance, &link->law, step->h, theta, link->y_start[0], u,
                   PERP_MJ_SERVO_PLACE);
    link->offset[0] += offset;
    link->D[0] = step->h * compliance;
}

/* Contacts with a stiffness; offset holds h_t. */
static void add_springs(perp_step *step, perp_link *link, double theta)
{
    const double *v = perp_link_gather_v(link, PERP_START);
    for (int i = 0; i < link->rows; i += link->law.dim) {
        double offset, u = link->offset[i];
        for (int j = 0; j < link->nv; j++)
            u += link->left[i + j * link->rows] * v[j];
        perp_law_contact(&offset, &link->give, &link->law, step->h, theta, link->y_start[i],
                         (1.0 - theta) * u);
        link->offset[i] += offset;
    }
}

/* Rates: w = H v + h_t. */
static int rate_rows(perp_step *step, perp_link *link, const perp_scheme *scheme)
{
    int force = level_of(link) == LEVEL_FORCE_RATE;
    const double *x = perp_link_gather_x(link, PERP_GUESS);
    if (perp_link_jacobian(link->left, link, step->t_end, x, link->lambda) ||
        perp_link_drift(link->offset, link, step->t_end, x, link->lambda))
        return 1;
    double scale = force ? step->h : 1.0;
    link->give = 0.0;
    if (perp_law_is_impact(&link->law) && perp_law_is_soft(&link->law))
        add_springs(step, link, scheme->theta);
    link->symmetric = !force && !perp_link_has_input(link) && (step->global || !any_off(link));
    if (link->symmetric) {
        silence(link);
        return 0;
    }
    memset(link->D, 0, sizeof(double) * (size_t)link->rows * (size_t)link->rows);
    int refused = 0;
    if (perp_link_has_input(link))
        refused = perp_mj_own_input(step, link, scale, step->h * scheme->theta);
    else
        transpose_left(link, scale);
    if (link->law.drive != PERP_DRIVE_NONE)
        add_drive(step, link, scheme->theta);
    silence(link);
    return refused;
}

/* The published scheme that takes y at q_k + h v_k and adds h v once more; lambda is an
 * impulse.  Only to reproduce its references. */
static int inconsistent_rows(perp_step *step, perp_link *link, const perp_scheme *scheme)
{
    double h = step->h, theta = scheme->theta;
    int rows = link->rows;
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        perp_system_move(s->q[PERP_GUESS], s, s->q[PERP_START], s->v[PERP_START], h);
    }
    memset(link->spare, 0, sizeof(double) * (size_t)rows);
    const double *x = perp_link_gather_x(link, PERP_GUESS);
    if (perp_link_jacobian(link->left, link, step->t_end, x, link->spare) ||
        perp_link_feedthrough(link->D, link, step->t_end, x, link->spare) ||
        perp_link_output(link->offset, link, step->t_end, x, link->spare))
        return 1;
    transpose_left(link, 1.0);
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        for (int j = 0; j < s->nv; j++, at++)
            for (int i = 0; i < rows; i++)
                link->offset[i] +=
                    link->left[i + at * rows] *
                    ((h - 1.0) * theta * s->free[j] + h * (1.0 - theta) * s->v[PERP_START][j]);
    }
    for (int i = 0; i < rows * link->nv; i++)
        link->left[i] *= theta;
    for (int i = 0; i < rows * rows; i++)
        link->D[i] *= theta + 1.0 / h;
    silence(link);
    return 0;
}

/* Positions: w = y(q, lambda) linearised, q = q_now (+) h theta (v - v_now). */
static int position_rows(perp_step *step, perp_link *link, const perp_scheme *scheme)
{
    double weight = step->h * scheme->theta;
    int rows = link->rows;
    link->symmetric = 0;
    if (scheme->inconsistent_compliance)
        return inconsistent_rows(step, link, scheme);
    const double *x = perp_link_gather_x(link, PERP_NOW);
    if (perp_link_jacobian(link->left, link, step->t_end, x, link->lambda) ||
        perp_link_feedthrough(link->D, link, step->t_end, x, link->lambda) ||
        perp_link_output(link->offset, link, step->t_end, x, link->lambda))
        return 1;
    if (!perp_link_has_input(link))
        transpose_left(link, step->h);
    const double *v = perp_link_gather_v(link, PERP_NOW);
    for (int j = 0; j < link->nv; j++)
        for (int i = 0; i < rows; i++) {
            link->left[i + j * rows] *= weight;
            link->offset[i] -= link->left[i + j * rows] * v[j];
        }
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < rows; i++)
            link->offset[i] -= link->D[i + j * rows] * link->lambda[j];
    return perp_link_has_input(link) ? perp_mj_own_input(step, link, step->h, weight) : 0;
}

/* A constant relation at the level of rates is filled once. */
static int constant(const perp_link *link)
{
    const perp_relation *r = &link->relation;
    return link->linear && r->kind == PERP_RELATION_LINEAR && !r->C_at && !r->B_at && !r->D_at &&
           !r->F_at && !r->e_at && level_of(link) == LEVEL_RATE && !perp_law_is_soft(&link->law);
}

perp_status perp_mj_rows(perp_step *step, perp_link *link)
{
    const perp_scheme *scheme = perp_link_scheme(step, link);
    if (link->ready && !any_off(link))
        return PERP_SOLVED;
    if (step->iteration > 0 && !follows_iterate(scheme) && level_of(link) != LEVEL_POSITION &&
        !perp_link_has_input(link))
        return PERP_SOLVED;
    int refused = level_of(link) == LEVEL_POSITION ? position_rows(step, link, scheme)
                                                   : rate_rows(step, link, scheme);
    link->ready = !refused && constant(link) && link->symmetric && !any_off(link);
    return refused ? PERP_INTERRUPTED : PERP_SOLVED;
}

perp_status perp_mj_advance(perp_step *step, perp_system *s)
{
    double theta = perp_step_scheme(step, s)->theta;
    double *v = s->v[PERP_NOW];
    const double *v_k = s->v[PERP_START];
    memcpy(v, s->p, sizeof(double) * (size_t)s->nv);
    perp_system_solve(s, v, 1);
    for (int i = 0; i < s->nv; i++) {
        v[i] += s->free[i];
        s->work[i] = theta * v[i] + (1.0 - theta) * v_k[i];
    }
    perp_system_move(s->q[PERP_NOW], s, s->q[PERP_START], s->work, step->h);
    return PERP_SOLVED;
}

/* The same with the mass at the configuration of the new iterate.  q[GUESS] stays: H of the solve
 * is that of it. */
static perp_status residual_ahead(perp_step *step, perp_system *s, const perp_scheme *scheme)
{
    size_t bytes = sizeof(double) * (size_t)s->nv;
    memcpy(s->v[PERP_GUESS], s->q[PERP_GUESS], bytes);
    guess(step, s, scheme);
    perp_status status = free_residual(s->residual, step, s, scheme, 0);
    memcpy(s->q[PERP_GUESS], s->v[PERP_GUESS], bytes);
    return status;
}

/* With p of the H that the step was solved with: `iterated` sees by it what forces and masses
 * change, not what a turned H does; `converged` adds that in turned_input(). */
perp_status perp_mj_residual(double *square, perp_step *step, perp_system *s)
{
    const perp_scheme *scheme = perp_step_scheme(step, s);
    int varies = s->kind == PERP_SYSTEM_LAGRANGIAN && s->as.lagrangian.mass;
    if (scheme->configuration == PERP_CONFIGURATION_CONVERGED)
        guess(step, s, scheme);
    perp_status status = varies && scheme->configuration == PERP_CONFIGURATION_ITERATED
                             ? residual_ahead(step, s, scheme)
                             : free_residual(s->residual, step, s, scheme, 0);
    if (status == PERP_SOLVED)
        perp_step_add_squares(square, s, s->biased ? s->bias : NULL);
    return status;
}

/* The linearised input rho against g at the new state. */
static int own_input_residual(double *square, perp_step *step, perp_link *link, const double *x)
{
    if (perp_link_input(link->spare, link, step->t_end, x, link->lambda))
        return 1;
    for (int i = 0; i < link->nv; i++) {
        double r = *link->inner_right * (link->spare[i] - link->rho[i]);
        *square += r * r;
    }
    return 0;
}

/* (H - H_solved)' lambda of one link, H at the configuration of the new iterate; what rounding of H
 * leaves is nothing. */
static int turned_input(double *square, perp_step *step, perp_link *link)
{
    int position = level_of(link) == LEVEL_POSITION, rows = link->rows;
    double scale = level_of(link) == LEVEL_RATE ? 1.0 : step->h;
    double weight = position ? step->h * perp_link_scheme(step, link)->theta : 1.0;
    const double *x = perp_link_gather_x(link, position ? PERP_NOW : PERP_GUESS);
    if (perp_link_jacobian(link->H, link, step->t_end, x, link->lambda))
        return 1;
    for (int j = 0; j < link->nv; j++) {
        double change = 0.0, size = 0.0;
        for (int i = 0; i < rows; i++) {
            double now = link->H[i + j * rows] * weight, solved = link->left[i + j * rows];
            change += (now - solved) / weight * link->lambda[i];
            size += fabs(now / weight * link->lambda[i]);
        }
        if (fabs(change) > 8.0 * DBL_EPSILON * size)
            *square += scale * scale * change * change;
    }
    return 0;
}

/* What the linearised relation promised against the relation at the new state. */
perp_status perp_mj_relation_residual(double *square, perp_step *step, perp_link *link)
{
    if (!link->active || link->linear)
        return PERP_SOLVED;
    const perp_scheme *scheme = perp_link_scheme(step, link);
    if (scheme->configuration == PERP_CONFIGURATION_CONVERGED && !perp_link_has_input(link) &&
        turned_input(square, step, link))
        return PERP_INTERRUPTED;
    const double *x = perp_link_gather_x(link, PERP_NOW);
    if (perp_link_has_input(link) && own_input_residual(square, step, link, x))
        return PERP_INTERRUPTED;
    if (level_of(link) != LEVEL_POSITION || scheme->inconsistent_compliance)
        return PERP_SOLVED;
    if (perp_link_output(link->spare, link, step->t_end, x, link->lambda))
        return PERP_INTERRUPTED;
    const double *v = perp_link_gather_v(link, PERP_NOW);
    for (int i = 0; i < link->rows; i++) {
        double r = link->spare[i] - link->offset[i];
        for (int j = 0; j < link->nv; j++)
            r -= link->left[i + j * link->rows] * v[j];
        for (int j = 0; j < link->rows; j++)
            r -= link->D[i + j * link->rows] * link->lambda[j];
        *square += r * r;
    }
    return PERP_SOLVED;
}

perp_status perp_mj_output(perp_step *step, perp_link *link)
{
    const double *x = perp_link_gather_x(link, PERP_NOW);
    const double *v = perp_link_gather_v(link, PERP_NOW);
    const double *H = link->ready ? link->left : link->H;
    double *drift = NULL;
    int refused = link->ready
                      ? perp_link_output(link->y, link, step->t_end, x, link->lambda)
                      : perp_link_evaluate(link->y, link->H, link, step->t_end, x, link->lambda);
    if (!refused && perp_link_has_drift(link)) {
        drift = link->spare;
        refused = perp_link_drift(drift, link, step->t_end, x, link->lambda);
    }
    if (refused)
        return PERP_INTERRUPTED;
    perp_link_rate(link->u, link, H, v, drift);
    return PERP_SOLVED;
}

int perp_mj_is_linear(const perp_link *link, const perp_scheme *scheme)
{
    if (perp_link_has_input(link) && !link->linear)
        return 0;
    return link->linear || (!follows_iterate(scheme) && level_of(link) != LEVEL_POSITION);
}

const perp_integrator perp_moreau_jean = {
    .name = "moreau-jean",
    .summary = "theta-method with impact laws on velocities (event capturing, order 1)",
    .reads = "theta activation activation_at activate hysteresis configuration prediction forces "
             "inconsistent_compliance",
    .kinds = 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,
    .accepts = perp_mj_accepts,
    PERP_MJ_STEP,
    .activate = perp_mj_activate,
};
