/* SPDX-License-Identifier: BSD-3-Clause */
/* Schatzman-Paoli for Lagrangian systems: two steps, in positions ([SDN] sec. 10.3, with F on the
 * right as in docs/theory.md).
 *
 *     M(q_k) (q - 2 q_k + q_k-1) - h^2 F(t_k+theta, q_k+theta, v_k+theta) = H(m)' lambda,
 *     0 <= (1 + e) y(m) perp lambda >= 0,        m = (q + e q_k-1) / (1 + e),
 *
 * which is y + e y_k-1 where y is affine; t is averaged as q is, so that e acts on the velocity
 * relative to a moving obstacle.  lambda is h times an impulse.  There is no index set: each
 * relation is in each problem.  v is (q - q_k-1) / 2h or (q - q_k) / h.
 *
 * The memory of the second step is q_kept = q_k-1 of the last accepted step, of length
 * h_kept; where h differs, the difference q_k - q_k-1 is scaled.  GUESS holds the state as it
 * was accepted: a state that was changed by hand starts again. */
#include <string.h>

#include "kernel/integrators/moreau_jean.h"

static perp_status accepts(const perp_link *link, const perp_scheme *scheme, const char **why)
{
    (void)scheme;
    *why = NULL;
    if (perp_law_rolls(&link->law)) /* friction, too */
        *why = "rolling and torsional friction are taken by discrete-gradient and moreau-jean";
    else if (link->law.kind == PERP_LAW_FRICTION)
        *why = "it has no friction, its law acts on positions, Coulomb's on velocities";
    else if (link->law.kind == PERP_LAW_BOX)
        *why = "a box bounds a force on a rate, its multiplier belongs to positions";
    else if (perp_law_gives_way(&link->law))
        *why = "contacts that give way have the schemes discrete-gradient and moreau-jean";
    else if (perp_link_has_feedthrough(link))
        *why = "its multiplier is no force, y must not depend on lambda";
    else if (perp_link_has_input(link))
        *why = "the input of the systems must be H' lambda";
    return *why ? PERP_ERR_UNSUPPORTED : PERP_SOLVED;
}

/* q_k-1 for a step of length h. */
static double before(const perp_system *s, double h, int i)
{
    double q = s->q[PERP_START][i];
    return h == s->h_kept ? s->q_kept[i] : q - h / s->h_kept * (q - s->q_kept[i]);
}

static double velocity(const perp_system *s, const perp_scheme *scheme, double h, int i)
{
    double q = s->q[PERP_NOW][i];
    return scheme->velocity == PERP_VELOCITY_CENTRED ? (q - before(s, h, i)) / (2.0 * h)
                                                     : (q - s->q[PERP_START][i]) / h;
}

static void keep_accepted(perp_system *s, perp_moment moment)
{
    memcpy(s->q[PERP_GUESS], s->q[moment], sizeof(double) * (size_t)s->nq);
    memcpy(s->v[PERP_GUESS], s->v[moment], sizeof(double) * (size_t)s->nv);
}

/* q_-1 such that v_0 = (q_0 - q_-1) / h, or v_0 = (q_1 - q_-1) / 2h for the free motion. */
static perp_status start(perp_step *step, perp_system *s)
{
    const perp_scheme *scheme = perp_step_scheme(step, s);
    const double *q = s->q[PERP_START], *v = s->v[PERP_START];
    double h = step->h;
    s->h_kept = h;
    for (int i = 0; i < s->nv; i++)
        s->q_kept[i] = q[i] - h * v[i];
    keep_accepted(s, PERP_START);
    if (scheme->start == PERP_START_BACKWARD)
        return PERP_SOLVED;
    if (perp_system_force(s->work, s, step->t, q, v))
        return PERP_INTERRUPTED;
    perp_status status = perp_system_iteration(s, step->t, q, q, v, 0.0, 0.0, NULL, 0.0);
    if (status != PERP_SOLVED)
        return status;
    perp_system_solve(s, s->work, 1);
    for (int i = 0; i < s->nv; i++)
        s->q_kept[i] += 0.5 * h * h * s->work[i];
    return PERP_SOLVED;
}

static perp_status begin(perp_step *step, perp_system *s)
{
    size_t bytes = sizeof(double) * (size_t)s->nq;
    if (memcmp(s->q[PERP_GUESS], s->q[PERP_START], bytes) != 0 ||
        memcmp(s->v[PERP_GUESS], s->v[PERP_START], bytes) != 0) {
        s->started = 0;
        return start(step, s);
    }
    return PERP_SOLVED;
}

/* The law already holds e: the assembler adds no restitution of its own. */
static perp_status activate(perp_step *step, perp_link *link)
{
    (void)step;
    memset(link->on, 1, (size_t)link->relations);
    link->active = 1;
    link->own_restitution = 1;
    link->ready = 0;
    return PERP_SOLVED;
}

/* q_k+theta into work and v_k+theta into force, at the iterate; returns t_k+theta. */
static double force_point(const perp_step *step, perp_system *s, const perp_scheme *scheme)
{
    double theta = scheme->theta;
    for (int i = 0; i < s->nv; i++) {
        s->work[i] = theta * s->q[PERP_NOW][i] + (1.0 - theta) * s->q[PERP_START][i];
        s->force[i] = theta * velocity(s, scheme, step->h, i) + (1.0 - theta) * s->v[PERP_START][i];
    }
    return step->t + theta * step->h;
}

/* out = M(q_k) (q - 2 q_k + q_k-1) - h^2 F (10.11). */
static perp_status free_residual(double *out, perp_step *step, perp_system *s)
{
    double h = step->h, t = force_point(step, s, perp_step_scheme(step, s));
    const double *q = s->q[PERP_NOW], *q_k = s->q[PERP_START];
    if (perp_system_force(out, s, t, s->work, s->force))
        return PERP_INTERRUPTED;
    for (int i = 0; i < s->nv; i++)
        s->work[i] = (q[i] - q_k[i]) - (q_k[i] - before(s, h, i));
    if (perp_system_mass_apply(s->force, s, q_k, s->work))
        return PERP_INTERRUPTED;
    for (int i = 0; i < s->nv; i++)
        out[i] = s->force[i] - h * h * out[i];
    return PERP_SOLVED;
}

/* W = M(q_k) - h^2 theta dF/dq - h theta (1/2 or 1) dF/dv (10.12). */
static perp_status iterate(perp_step *step, perp_system *s)
{
    const perp_scheme *scheme = perp_step_scheme(step, s);
    double b = step->h * step->h * scheme->theta;
    double a = step->h * scheme->theta * (scheme->velocity == PERP_VELOCITY_CENTRED ? 0.5 : 1.0);
    double t = force_point(step, s, scheme);
    perp_status status =
        perp_system_iteration(s, t, s->q[PERP_START], s->work, s->force, a, b, NULL, 0.0);
    if (status == PERP_SOLVED)
        status = free_residual(s->free, step, s);
    if (status != PERP_SOLVED)
        return status;
    perp_system_solve(s, s->free, 1);
    for (int i = 0; i < s->nv; i++)
        s->free[i] = s->q[PERP_NOW][i] - s->free[i];
    return PERP_SOLVED;
}

static double restitution(const perp_link *link)
{
    return perp_law_is_impact(&link->law) ? link->law.e : 0.0;
}

/* The averaged configuration into spare, and its time; X holds the iterate afterwards. */
static double law_point(const perp_step *step, perp_link *link)
{
    double e = restitution(link);
    const double *q = perp_link_gather_x(link, PERP_NOW);
    int at = 0;
    for (int k = 0; k < link->nsystems; k++)
        for (int i = 0; i < link->systems[k]->nq; i++, at++)
            link->spare[at] = (q[at] + e * before(link->systems[k], step->h, i)) / (1.0 + e);
    return (step->t_end + e * (step->t - step->h)) / (1.0 + e);
}

/* out -= H x for H: rows x nv. */
static void subtract_product(double *out, const perp_link *link, const double *x)
{
    for (int j = 0; j < link->nv; j++)
        for (int i = 0; i < link->rows; i++)
            out[i] -= link->left[i + j * link->rows] * x[j];
}

static perp_status rows(perp_step *step, perp_link *link)
{
    double t = law_point(step, link), e = restitution(link);
    link->symmetric = 1;
    if (perp_link_evaluate(link->offset, link->left, link, t, link->spare, link->lambda))
        return PERP_INTERRUPTED;
    for (int i = 0; i < link->rows; i++)
        link->offset[i] *= 1.0 + e;
    subtract_product(link->offset, link, link->X);
    return PERP_SOLVED;
}

static perp_status advance(perp_step *step, perp_system *s)
{
    const perp_scheme *scheme = perp_step_scheme(step, s);
    double *q = s->q[PERP_NOW];
    memcpy(q, s->p, sizeof(double) * (size_t)s->nv);
    perp_system_solve(s, q, 1);
    for (int i = 0; i < s->nv; i++) {
        q[i] += s->free[i];
        s->v[PERP_NOW][i] = velocity(s, scheme, step->h, i);
    }
    return PERP_SOLVED;
}

static perp_status residual(double *square, perp_step *step, perp_system *s)
{
    perp_status status = free_residual(s->residual, step, s);
    if (status == PERP_SOLVED)
        perp_step_add_squares(square, s, NULL);
    return status;
}

/* The linearised law against the law at the new point.  u is scratch memory. */
static perp_status relation_residual(double *square, perp_step *step, perp_link *link)
{
    if (link->linear)
        return PERP_SOLVED;
    double t = law_point(step, link), e = restitution(link);
    if (perp_link_output(link->u, link, t, link->spare, link->lambda))
        return PERP_INTERRUPTED;
    for (int i = 0; i < link->rows; i++)
        link->u[i] = (1.0 + e) * link->u[i] - link->offset[i];
    subtract_product(link->u, link, link->X);
    for (int i = 0; i < link->rows; i++)
        *square += link->u[i] * link->u[i];
    return PERP_SOLVED;
}

static void accepted(perp_step *step, perp_system *s)
{
    memcpy(s->q_kept, s->q[PERP_START], sizeof(double) * (size_t)s->nq);
    s->h_kept = step->h;
    keep_accepted(s, PERP_NOW);
}

/* M ((q - q_k) - (q_k - q_k-1)) / h = h F + H' lambda / h: the positions move by (q - q_k) / h. */
static int balance(perp_step *step, perp_system *s, perp_balance *balance)
{
    double h = step->h;
    if (free_residual(s->residual, step, s) != PERP_SOLVED)
        return -1;
    balance->staggered = 1;
    for (int i = 0; i < s->nv; i++) {
        double now = s->q[PERP_NOW][i] - s->q[PERP_START][i];
        balance->change[i] = s->force[i] / h; /* M times the second difference */
        balance->driven[i] = (s->force[i] - s->residual[i]) / h;
        balance->mean[i] = now / h;
    }
    balance->weight = perp_step_scheme(step, s)->theta;
    return 1;
}

static int paired(perp_step *step, perp_link *link, perp_pairing *pairing)
{
    double t = law_point(step, link);
    if (perp_link_jacobian(pairing->H, link, t, link->spare, link->lambda))
        return -1;
    if (perp_link_has_drift(link) &&
        perp_link_drift(pairing->drift, link, t, link->spare, link->lambda))
        return -1;
    for (int i = 0; i < link->rows; i++)
        pairing->impulse[i] = link->lambda[i] / step->h;
    return 1;
}

const perp_integrator perp_schatzman_paoli = {
    .name = "schatzman-paoli",
    .summary = "two-step scheme in positions with the impact law on positions, no friction",
    .reads = "theta velocity start",
    .kinds = 1u << PERP_SYSTEM_LAGRANGIAN,
    .accepts = accepts,
    .start = start,
    .begin = begin,
    .activate = activate,
    .iterate = iterate,
    .rows = rows,
    .advance = advance,
    .residual = residual,
    .relation_residual = relation_residual,
    .accepted = accepted,
    .output = perp_mj_output,
    .balance = balance,
    .paired = paired,
    .is_linear = perp_step_link_is_linear,
    .unstated = "no statement by schatzman-paoli: its positions and velocities belong to different "
                "times, which have no common energy"};
