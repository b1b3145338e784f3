/* SPDX-License-Identifier: BSD-3-Clause */
/* Euler-Moreau for first-order systems: theta for f, gamma for r ([SDN] ch. 9, with the
 * corrections of docs/theory.md).  lambda is a value; h stands in the blocks.
 *
 *     theta-gamma     M (x - x_k) = h theta f(t_k+1, x) + h (1 - theta) f_k
 *                                 + h gamma r + h (1 - gamma) r_k,     y, r at (t_k+1, x, lambda)
 *     full            the same f,  + h r,          y, r at (t_k+gamma, x_k+gamma, lambda)
 *     midpoint        h f(t_k+theta, x_k+theta) + h r,         y, r as in full
 *
 * One Newton step on all three lines (9.12), (9.17), (9.22) from the iterate (x, lambda):
 * x_new = free + W^-1 (bias + right lambda_new), W = M - h theta df/dx, right = h gamma B (h B),
 * bias = h gamma (g - B lambda), and w = C x_new + D lambda_new + h(x, lambda) - C x - D lambda.
 * Where g depends on x, K is not put into W as in (9.27), which would couple the systems of a
 * relation: rho = g + K (x_new - x) + B (lambda_new - lambda) has FREE rows of its own. */
#include <string.h>

#include "kernel/integrators/euler_moreau.h"
#include "kernel/step/stepper.h"

/* Weight of the new input r in the dynamics, h apart. */
static double input_weight(const perp_scheme *scheme)
{
    return scheme->variant == PERP_VARIANT_THETA_GAMMA ? scheme->gamma : 1.0;
}

/* Weight of the new state in the point of the relation. */
static double relation_weight(const perp_scheme *scheme)
{
    return scheme->variant == PERP_VARIANT_THETA_GAMMA ? 1.0 : scheme->gamma;
}

static double relation_time(const perp_step *step, const perp_scheme *scheme)
{
    return scheme->variant == PERP_VARIANT_THETA_GAMMA ? step->t_end
                                                       : step->t + scheme->gamma * step->h;
}

static perp_status accepts(const perp_link *link, const perp_scheme *scheme, const char **why)
{
    *why = NULL;
    if (perp_law_is_impact(&link->law))
        *why = "first-order systems have no velocity for an impact law";
    else if (scheme->gamma == 0.0 && !perp_link_has_feedthrough(link))
        *why = "with gamma = 0 y does not depend on lambda but through D, and there is none";
    return *why ? PERP_ERR_UNSUPPORTED : PERP_SOLVED;
}

/* r_k is gathered by `activate`; a step that is redone keeps it. */
static perp_status begin(perp_step *step, perp_system *s)
{
    const perp_scheme *scheme = perp_step_scheme(step, s);
    if (step->pass == 0)
        memset(s->v_kept, 0, sizeof(double) * (size_t)s->nv);
    if (scheme->variant == PERP_VARIANT_MIDPOINT)
        return PERP_SOLVED;
    return perp_system_force(s->force, s, step->t, s->q[PERP_START], NULL) ? PERP_INTERRUPTED
                                                                           : PERP_SOLVED;
}

/* All relations stay in the problem.  r_k = g(t_k, x_k, lambda_k) is computed again rather than
 * kept, so that it belongs to the present state after a restart or a cut step. */
static perp_status activate(perp_step *step, perp_link *link)
{
    const perp_scheme *scheme = perp_link_scheme(step, link);
    memset(link->on, 1, (size_t)link->relations);
    link->active = 1;
    if (input_weight(scheme) == 1.0)
        return PERP_SOLVED;
    const double *x = perp_link_gather_x(link, PERP_START);
    if (perp_link_input(link->V, link, step->t, x, link->lambda_start))
        return PERP_INTERRUPTED;
    const double *r = link->V;
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        for (int i = 0; i < s->nv; i++)
            s->v_kept[i] += *r++;
    }
    return PERP_SOLVED;
}

/* Time and state at which f is taken: the iterate, or the mid-point in GUESS. */
static double force_point(const double **x, const perp_step *step, perp_system *s,
                          const perp_scheme *scheme)
{
    *x = s->q[PERP_NOW];
    if (scheme->variant != PERP_VARIANT_MIDPOINT)
        return step->t_end;
    double theta = scheme->theta;
    for (int i = 0; i < s->nq; i++)
        s->q[PERP_GUESS][i] = theta * s->q[PERP_NOW][i] + (1.0 - theta) * s->q[PERP_START][i];
    *x = s->q[PERP_GUESS];
    return step->t + theta * step->h;
}

/* out = M (x - x_k) - h (weighted f) - h (1 - gamma) r_k at NOW (9.11), (9.53). */
static perp_status free_residual(double *out, perp_step *step, perp_system *s)
{
    const perp_scheme *scheme = perp_step_scheme(step, s);
    double h = step->h, theta = scheme->variant == PERP_VARIANT_MIDPOINT ? 1.0 : scheme->theta;
    double memory = h * (1.0 - input_weight(scheme));
    for (int i = 0; i < s->nv; i++)
        s->work[i] = s->q[PERP_NOW][i] - s->q[PERP_START][i];
    if (perp_system_mass_apply(out, s, s->q[PERP_NOW], s->work))
        return PERP_INTERRUPTED;
    if (theta > 0.0) {
        const double *x;
        double t = force_point(&x, step, s, scheme);
        if (perp_system_force(s->work, s, t, x, NULL))
            return PERP_INTERRUPTED;
        for (int i = 0; i < s->nv; i++)
            out[i] -= h * theta * s->work[i];
    }
    if (theta < 1.0)
        for (int i = 0; i < s->nv; i++)
            out[i] -= h * (1.0 - theta) * s->force[i];
    if (memory > 0.0)
        for (int i = 0; i < s->nv; i++)
            out[i] -= memory * s->v_kept[i];
    return PERP_SOLVED;
}

static perp_status iterate(perp_step *step, perp_system *s)
{
    const perp_scheme *scheme = perp_step_scheme(step, s);
    const double *x;
    double t = force_point(&x, step, s, scheme);
    perp_status status =
        perp_system_iteration(s, t, x, x, NULL, 0.0, step->h * scheme->theta, NULL, 0.0);
    if (status == PERP_SOLVED)
        status = free_residual(s->free, step, s);
    if (status != PERP_SOLVED)
        return status;
    perp_system_solve(s, s->free, 1);
    for (int i = 0; i < s->nv; i++)
        s->free[i] = s->q[PERP_NOW][i] - s->free[i];
    return PERP_SOLVED;
}

/* Point of the relation, in spare or X; X holds the iterate afterwards. */
static const double *relation_point(perp_link *link, double weight)
{
    if (weight == 1.0)
        return perp_link_gather_x(link, PERP_NOW);
    const double *x = perp_link_gather_x(link, PERP_START);
    for (int i = 0; i < link->N; i++)
        link->spare[i] = (1.0 - weight) * x[i];
    x = perp_link_gather_x(link, PERP_NOW);
    for (int i = 0; i < link->N; i++)
        link->spare[i] += weight * x[i];
    return link->spare;
}

/* out -= A x for A: rows x cols column-major. */
static void subtract_product(double *out, const double *A, const double *x, int rows, int cols)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            out[i] -= A[i + j * rows] * x[j];
}

static void scale(double *A, double factor, int count)
{
    for (int i = 0; i < count; i++)
        A[i] *= factor;
}

/* The systems get `factor` (g - B lambda), which V keeps for the residual. */
static void plain_input(perp_link *link, double factor)
{
    const double *part = link->V;
    subtract_product(link->V, link->right, link->lambda, link->nv, link->rows);
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        s->biased = 1;
        for (int i = 0; i < s->nv; i++)
            s->bias[i] += factor * *part++;
    }
    scale(link->right, factor, link->nv * link->rows);
}

/* 0 = weight K x_new + B lambda_new - rho + g - weight K x - B lambda. */
static int inner_input(perp_link *link, double t, const double *x, double factor, double weight)
{
    int nv = link->nv, rows = link->rows;
    if (perp_link_input_x(link->inner_left, link, t, x, link->lambda))
        return 1;
    scale(link->inner_left, weight, nv * nv);
    memcpy(link->inner_offset, link->V, sizeof(double) * (size_t)nv);
    memcpy(link->inner_D, link->right, sizeof(double) * (size_t)nv * (size_t)rows);
    subtract_product(link->inner_offset, link->inner_left, link->X, nv, nv);
    subtract_product(link->inner_offset, link->inner_D, link->lambda, nv, rows);
    memset(link->right, 0, sizeof(double) * (size_t)nv * (size_t)rows);
    *link->inner_right = factor;
    return 0;
}

/* y = C x + D lambda + F z + e and r = B lambda need no iterate: the offset is y at
 * (1 - weight) x_k without lambda, and the systems get no bias.  Constant blocks are kept. */
static perp_status linear_rows(perp_link *link, double t, double factor, double weight)
{
    const perp_relation *r = &link->relation;
    double *zero = memset(link->u, 0, sizeof(double) * (size_t)link->rows);
    int n = link->rows, kept = link->ready && link->key[0] == factor && link->key[1] == weight;
    memset(link->spare, 0, sizeof(double) * (size_t)link->N);
    if (weight != 1.0) {
        memcpy(link->spare, perp_link_gather_x(link, PERP_START), sizeof(double) * (size_t)link->N);
        scale(link->spare, 1.0 - weight, link->N);
    }
    if (perp_link_output(link->offset, link, t, link->spare, zero))
        return PERP_INTERRUPTED;
    if (kept)
        return PERP_SOLVED;
    if (perp_link_jacobian(link->left, link, t, link->spare, zero) ||
        perp_link_feedthrough(link->D, link, t, link->spare, zero) ||
        perp_link_input_lambda(link->right, link, t, link->spare, zero))
        return PERP_INTERRUPTED;
    scale(link->left, weight, n * link->nv);
    scale(link->right, factor, n * link->nv);
    link->key[0] = factor;
    link->key[1] = weight;
    link->ready = !r->C_at && !r->D_at && !r->B_at;
    return PERP_SOLVED;
}

static perp_status rows(perp_step *step, perp_link *link)
{
    const perp_scheme *scheme = perp_link_scheme(step, link);
    double weight = relation_weight(scheme), factor = step->h * input_weight(scheme);
    double t = relation_time(step, scheme);
    link->symmetric = 0;
    if (link->linear)
        return linear_rows(link, t, factor, weight);
    const double *x = relation_point(link, weight), *lambda = link->lambda;
    int n = link->rows;
    if (perp_link_evaluate(link->offset, link->left, link, t, x, lambda) ||
        perp_link_feedthrough(link->D, link, t, x, lambda) ||
        perp_link_input(link->V, link, t, x, lambda) ||
        perp_link_input_lambda(link->right, link, t, x, lambda))
        return PERP_INTERRUPTED;
    if (weight != 1.0)
        scale(link->left, weight, n * link->nv);
    subtract_product(link->offset, link->left, link->X, n, link->nv);
    subtract_product(link->offset, link->D, lambda, n, n);
    if (!link->inner)
        plain_input(link, factor);
    else if (inner_input(link, t, x, factor, weight))
        return PERP_INTERRUPTED;
    return PERP_SOLVED;
}

static perp_status advance(perp_step *step, perp_system *s)
{
    (void)step;
    double *x = s->q[PERP_NOW];
    memcpy(x, s->p, sizeof(double) * (size_t)s->nv);
    perp_system_solve(s, x, 1);
    for (int i = 0; i < s->nv; i++)
        x[i] += s->free[i];
    return PERP_SOLVED;
}

/* The dynamics with the linearised input; what that lacks is in relation_residual. */
static perp_status residual(double *square, perp_step *step, perp_system *s)
{
    perp_status status = free_residual(s->residual, step, s);
    if (status == PERP_SOLVED)
        perp_step_add_squares(square, s, s->biased ? s->bias : NULL);
    return status;
}

/* Linearised y and r against h and g at the new iterate; r weighted as in the dynamics. */
static perp_status relation_residual(double *square, perp_step *step, perp_link *link)
{
    if (link->linear)
        return PERP_SOLVED;
    const perp_scheme *scheme = perp_link_scheme(step, link);
    double factor = step->h * input_weight(scheme), t = relation_time(step, scheme);
    const double *x = relation_point(link, relation_weight(scheme)), *lambda = link->lambda;
    if (perp_link_output(link->u, link, t, x, lambda))
        return PERP_INTERRUPTED;
    for (int i = 0; i < link->rows; i++)
        link->u[i] -= link->offset[i];
    subtract_product(link->u, link->left, link->X, link->rows, link->nv);
    subtract_product(link->u, link->D, lambda, link->rows, link->rows);
    for (int i = 0; i < link->rows; i++)
        *square += link->u[i] * link->u[i];
    const double *linear = link->inner ? link->rho : link->V;
    double *input = link->H; /* rows x nv doubles, free here */
    if (perp_link_input(input, link, t, x, lambda))
        return PERP_INTERRUPTED;
    for (int i = 0; i < link->nv; i++) {
        double r = factor * (linear[i] - input[i]);
        for (int j = 0; j < link->rows; j++)
            r += link->right[i + j * link->nv] * lambda[j];
        *square += r * r;
    }
    return PERP_SOLVED;
}

/* y at the point of the relation, where it is complementary to lambda: under full and midpoint at
 * t_k+gamma.  At the end of the step where there was none yet (t_end = t), and where a scheme that
 * chooses its own instants shows what it put together from several steps. */
static perp_status output(perp_step *step, perp_link *link)
{
    const perp_scheme *scheme = perp_link_scheme(step, link);
    int made = step->t_end != step->t && !step->stepper->march;
    const double *x = relation_point(link, made ? relation_weight(scheme) : 1.0);
    double t = made ? relation_time(step, scheme) : step->t_end;
    memset(link->u, 0, sizeof(double) * (size_t)link->rows);
    return perp_link_output(link->y, link, t, x, link->lambda) ? PERP_INTERRUPTED : PERP_SOLVED;
}

/* What the model shows as input is r, without h; nothing is left of it where gamma = 0. */
static void accepted(perp_step *step, perp_system *s)
{
    double factor = step->h * input_weight(perp_step_scheme(step, s));
    if (factor == 0.0)
        return;
    for (int i = 0; i < s->nv; i++)
        s->p[i] = (s->p[i] + (s->biased ? s->bias[i] : 0.0)) / factor;
}

/* M (x - x_k), and all of the right-hand side but the new input. */
static int balance(perp_step *step, perp_system *s, perp_balance *balance)
{
    if (free_residual(s->residual, step, s) != PERP_SOLVED)
        return -1;
    for (int i = 0; i < s->nv; i++)
        s->work[i] = s->q[PERP_NOW][i] - s->q[PERP_START][i];
    if (perp_system_mass_apply(balance->change, s, s->q[PERP_NOW], s->work))
        return -1;
    for (int i = 0; i < s->nv; i++)
        balance->driven[i] = balance->change[i] - s->residual[i];
    return 1;
}

static int paired(perp_step *step, perp_link *link, perp_pairing *pairing)
{
    const perp_scheme *scheme = perp_link_scheme(step, link);
    double factor = step->h * input_weight(scheme), t = relation_time(step, scheme);
    if (!link->linear && step->stepper->options.newton_iter == 1)
        return 0; /* linearised at an iterate that is gone */
    const double *x = relation_point(link, relation_weight(scheme));
    pairing->kind = PERP_PAIRING_INPUT;
    if (perp_link_input(pairing->impulse, link, t, x, link->lambda))
        return -1;
    scale(pairing->impulse, factor, link->nv);
    return 1;
}

const perp_integrator perp_euler_moreau = {
    .name = "euler-moreau",
    .summary = "theta-gamma method for first-order systems, implicit in the multiplier",
    .reads = "theta gamma variant",
    .kinds = 1u << PERP_SYSTEM_FIRST_ORDER,
    .default_for = 1u << PERP_SYSTEM_FIRST_ORDER,
    .accepts = accepts,
    .begin = begin,
    .activate = activate,
    .iterate = iterate,
    .rows = rows,
    .advance = advance,
    .residual = residual,
    .relation_residual = relation_residual,
    .output = output,
    .accepted = accepted,
    .is_linear = perp_step_link_is_linear,
    .balance = balance,
    .paired = paired};
