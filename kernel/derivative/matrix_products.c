/* SPDX-License-Identifier: BSD-3-Clause */
/* Products through a step that is kept as its matrices (tape.h), forwards and backwards.  Both use
 * the same numbers, so that they agree to rounding. */
#include <math.h>
#include <string.h>

#include "kernel/derivative/linear.h"
#include "kernel/derivative/product.h"

/* guess = x_g and rho of the systems alone. */
static void smooth_forward(perp_tape *tape, const perp_tape_step *node, const double *dq,
                           const double *dv)
{
    perp_tape_linear *l = tape->linear;
    memset(l->rho, 0, sizeof(double) * (size_t)tape->dofs);
    memset(l->guess, 0, sizeof(double) * (size_t)tape->dofs);
    for (int k = 0; k < tape->nsystems; k++) {
        const perp_tape_motion *m = &node->motions[k];
        int at = tape->systems[k].at, n = tape->systems[k].nv;
        double *place = l->gather[0], *rho = l->rho + at, *guess = l->guess + at;
        memset(place, 0, sizeof(double) * (size_t)n);
        perp_tape_add_turned(guess, m->A_g, n, dq + at, 1.0);
        perp_tape_add_turned(guess, m->B_g, n, dv + at, m->ahead);
        perp_tape_add_turned(place, m->A, n, dq + at, 1.0);
        perp_tape_add_turned(place, m->B, n, dv + at, node->h * (1.0 - m->theta));
        perp_tape_add(rho, m->mass, n, n, dv + at, 1.0);
        perp_tape_add(rho, m->turn, n, n, guess, -1.0);
        perp_tape_add(rho, m->q0, n, n, dq + at, m->start);
        perp_tape_add(rho, m->v0, n, n, dv + at, m->start);
        perp_tape_add(rho, m->q1, n, n, place, m->end);
    }
}

static void ties_forward(perp_tape *tape, const perp_tape_step *node, const double *dq,
                         const double *dv)
{
    perp_tape_linear *l = tape->linear;
    for (int k = 0; k < node->nties; k++) {
        const perp_tape_tie *tie = &node->ties[k];
        double *x_g = l->gather[0], *q = l->gather[1], *v = l->gather[2], *out = l->gather[3];
        double *beta = l->dbeta + tie->first;
        int rows = tie->rows, nv = tie->nv;
        perp_tape_gather(x_g, tape, tie->system, tie->nsystems, l->guess);
        perp_tape_gather(q, tape, tie->system, tie->nsystems, dq);
        perp_tape_gather(v, tape, tie->system, tie->nsystems, dv);
        memset(out, 0, sizeof(double) * (size_t)nv);
        perp_tape_add(out, tie->A1, nv, nv, x_g, 1.0);
        perp_tape_scatter(l->rho, tape, tie->system, tie->nsystems, out);
        perp_tape_add(beta, tie->A2, rows, nv, x_g, 1.0);
        for (int i = 0; i < rows; i++) {
            perp_tape_row_terms c = perp_tape_terms_of_row(tie, node, i);
            for (int j = 0; j < nv; j++) {
                size_t at = (size_t)i + (size_t)j * (size_t)rows;
                if (c.by_start != 0.0)
                    beta[i] += c.by_start * (tie->Hs[at] * v[j] + tie->A3[at] * q[j]);
                if (c.by_mean != 0.0)
                    beta[i] +=
                        c.by_mean * (tie->H[at] * v[j] + (tie->A4 ? tie->A4[at] * x_g[j] : 0.0));
                if (c.by_place != 0.0)
                    beta[i] += c.by_place * tie->Hs[at] * q[j];
            }
        }
    }
}

/* A parameter times its direction. */
typedef struct change {
    perp_tape_linear *l;
    double by;
} change;

static double *target_of(perp_tape_linear *l, perp_tape_target target, int at)
{
    double *arrays[] = {l->rho, l->dbeta, l->dpar[0], l->dpar[1], l->dpar[2]};
    return arrays[target] + at;
}

static void add_change(void *ctx, perp_tape_target target, int at, double value)
{
    const change *c = ctx;
    *target_of(c->l, target, at) += c->by * value;
}

static void add_gradient(void *ctx, perp_tape_target target, int at, double value)
{
    change *c = ctx;
    c->by += *target_of(c->l, target, at) * value;
}

/* A contact on the threshold leaves or joins the index set along the direction. */
static perp_status edges_forward(const perp_tape *tape, const perp_tape_step *node,
                                 const double *dq, const double *dv)
{
    perp_status worst = PERP_SOLVED;
    for (int k = 0; k < node->nedges; k++) {
        const perp_tape_edge *edge = &node->edges[k];
        double moves = 0.0, size = 0.0;
        int at = 0;
        for (int j = 0; j < edge->nsystems; j++) {
            const perp_tape_system *s = &tape->systems[edge->system[j]];
            for (int i = s->at; i < s->at + s->nv; i++, at++) {
                double q = edge->by_q[at] * dq[i], v = edge->by_v[at] * dv[i];
                moves += q + v;
                size += fabs(q) + fabs(v);
            }
        }
        if (!(fabs(moves) > 1e-12 * size))
            continue;
        int jumps = (moves > 0.0) == (edge->kind == PERP_TAPE_EDGE_CLOSED);
        perp_status status =
            jumps || edge->kind == PERP_TAPE_EDGE_SLOPE ? PERP_NOT_DIFFERENTIABLE : PERP_ONE_SIDED;
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* l->dbeta += H' l->part, the change of q of the problem.  What is nothing but rounding of the
 * terms of a row becomes 0: where impulses are not unique the rows depend on each other, and
 * rounding is a direction that they cannot follow. */
static void change_of_q(perp_tape_linear *l)
{
    static const double rounding = 1e-14;
    for (int j = 0; j < l->rows; j++) {
        double sum = l->dbeta[j], size = fabs(l->dbeta[j]);
        for (int p = l->h_column[j]; p < l->h_column[j + 1]; p++) {
            double term = l->h_x[p] * l->part[l->h_row[p]];
            sum += term;
            size += fabs(term);
        }
        l->dbeta[j] = fabs(sum) > rounding * size ? sum : 0.0;
    }
}

/* dq and dv of the start become those of the end. */
static perp_status step_forward(perp_tape *tape, const perp_tape_step *node,
                                const double *parameters, const double *forces, double *dq,
                                double *dv)
{
    perp_tape_linear *l = tape->linear;
    size_t rows = sizeof(double) * (size_t)(l->rows + 1), dofs = sizeof(double) * (size_t)l->dofs;
    perp_status worst = edges_forward(tape, node, dq, dv), status = PERP_SOLVED;
    memset(l->dbeta, 0, rows);
    for (int p = 0; p < PERP_PARAMETERS; p++)
        memset(l->dpar[p], 0, rows);
    smooth_forward(tape, node, dq, dv);
    ties_forward(tape, node, dq, dv);
    for (int k = 0; parameters && k < tape->nparameters; k++) {
        change c = {l, parameters[k]};
        if (c.by != 0.0)
            perp_tape_parameter_terms(tape, node, k, add_change, &c);
    }
    for (int i = 0; forces && i < l->dofs; i++)
        l->rho[i] += node->h * forces[i];
    if (l->rows > 0) {
        memcpy(l->part, l->rho, dofs);
        perp_tape_solve(l, l->part);
        change_of_q(l);
        perp_tangent along = {
            .size = sizeof along, .q = l->dbeta, .par = {l->dpar[0], l->dpar[1], l->dpar[2]}};
        status = perp_derivative_jvp(l->derivative, 1, &along, l->dz, NULL, NULL);
        if (status < 0)
            return status;
        perp_tape_add_h(l->rho, l, l->dz);
    }
    perp_tape_solve(l, l->rho);
    for (int k = 0; k < tape->nsystems; k++) {
        const perp_tape_motion *m = &node->motions[k];
        int at = tape->systems[k].at, n = tape->systems[k].nv;
        double *mean = l->gather[0], *place = l->gather[1];
        memset(place, 0, sizeof(double) * (size_t)n);
        for (int i = 0; i < n; i++)
            mean[i] = m->theta * l->rho[at + i] + (1.0 - m->theta) * dv[at + i];
        perp_tape_add_turned(place, m->A, n, dq + at, 1.0);
        perp_tape_add_turned(place, m->B, n, mean, node->h);
        memcpy(dq + at, place, sizeof(double) * (size_t)n);
    }
    memcpy(dv, l->rho, dofs);
    return status > worst ? status : worst;
}

/* Cotangents of the end become those of the start where only the smooth motion ties them; l->part
 * is that of v+ with what comes through q+. */
static void end_backward(perp_tape *tape, const perp_tape_step *node, double *q_bar, double *v_bar)
{
    perp_tape_linear *l = tape->linear;
    memcpy(l->part, v_bar, sizeof(double) * (size_t)l->dofs);
    memset(v_bar, 0, sizeof(double) * (size_t)l->dofs);
    for (int k = 0; k < tape->nsystems; k++) {
        const perp_tape_motion *m = &node->motions[k];
        int at = tape->systems[k].at, n = tape->systems[k].nv;
        double *kept = l->gather[0];
        memcpy(kept, q_bar + at, sizeof(double) * (size_t)n);
        memset(q_bar + at, 0, sizeof(double) * (size_t)n);
        perp_tape_add_turned_back(l->part + at, m->B, n, kept, node->h * m->theta);
        perp_tape_add_turned_back(v_bar + at, m->B, n, kept, node->h * (1.0 - m->theta));
        perp_tape_add_turned_back(q_bar + at, m->A, n, kept, 1.0);
    }
}

/* l->guess: cotangent of x_g, of the interactions; they add to those of the start. */
static void ties_backward(perp_tape *tape, const perp_tape_step *node, double *q_bar, double *v_bar)
{
    perp_tape_linear *l = tape->linear;
    for (int k = 0; k < node->nties; k++) {
        const perp_tape_tie *tie = &node->ties[k];
        double *rho = l->gather[0], *x_g = l->gather[1], *q = l->gather[2], *v = l->gather[3];
        const double *beta = l->dbeta + tie->first;
        int rows = tie->rows, nv = tie->nv;
        size_t bytes = sizeof(double) * (size_t)nv;
        perp_tape_gather(rho, tape, tie->system, tie->nsystems, l->rho);
        memset(x_g, 0, bytes);
        memset(q, 0, bytes);
        memset(v, 0, bytes);
        perp_tape_add_transposed(x_g, tie->A1, nv, nv, rho, 1.0);
        perp_tape_add_transposed(x_g, tie->A2, rows, nv, beta, 1.0);
        for (int i = 0; i < rows; i++) {
            perp_tape_row_terms c = perp_tape_terms_of_row(tie, node, i);
            for (int j = 0; j < nv; j++) {
                size_t at = (size_t)i + (size_t)j * (size_t)rows;
                if (c.by_start != 0.0) {
                    v[j] += c.by_start * tie->Hs[at] * beta[i];
                    q[j] += c.by_start * tie->A3[at] * beta[i];
                }
                if (c.by_mean != 0.0) {
                    v[j] += c.by_mean * tie->H[at] * beta[i];
                    x_g[j] += tie->A4 ? c.by_mean * tie->A4[at] * beta[i] : 0.0;
                }
                if (c.by_place != 0.0)
                    q[j] += c.by_place * tie->Hs[at] * beta[i];
            }
        }
        perp_tape_scatter(l->guess, tape, tie->system, tie->nsystems, x_g);
        perp_tape_scatter(q_bar, tape, tie->system, tie->nsystems, q);
        perp_tape_scatter(v_bar, tape, tie->system, tie->nsystems, v);
    }
}

static void smooth_backward(perp_tape *tape, const perp_tape_step *node, double *q_bar,
                            double *v_bar)
{
    perp_tape_linear *l = tape->linear;
    for (int k = 0; k < tape->nsystems; k++) {
        const perp_tape_motion *m = &node->motions[k];
        int at = tape->systems[k].at, n = tape->systems[k].nv;
        double *rho = l->rho + at, *guess = l->guess + at, *place = l->gather[0];
        memset(place, 0, sizeof(double) * (size_t)n);
        perp_tape_add_transposed(guess, m->turn, n, n, rho, -1.0);
        perp_tape_add_transposed(v_bar + at, m->mass, n, n, rho, 1.0);
        perp_tape_add_transposed(q_bar + at, m->q0, n, n, rho, m->start);
        perp_tape_add_transposed(v_bar + at, m->v0, n, n, rho, m->start);
        perp_tape_add_transposed(place, m->q1, n, n, rho, m->end);
        perp_tape_add_turned_back(q_bar + at, m->A, n, place, 1.0);
        perp_tape_add_turned_back(v_bar + at, m->B, n, place, node->h * (1.0 - m->theta));
        perp_tape_add_turned_back(q_bar + at, m->A_g, n, guess, 1.0);
        perp_tape_add_turned_back(v_bar + at, m->B_g, n, guess, m->ahead);
    }
}

/* Cotangents of the end become those of the start; gradients by parameters are added, those by the
 * forces of the step written. */
static perp_status step_backward(perp_tape *tape, const perp_tape_step *node, double *q_bar,
                                 double *v_bar, double *parameters, double *forces)
{
    perp_tape_linear *l = tape->linear;
    perp_status status = PERP_SOLVED;
    size_t rows = sizeof(double) * (size_t)(l->rows + 1), dofs = sizeof(double) * (size_t)l->dofs;
    memset(l->dbeta, 0, rows);
    end_backward(tape, node, q_bar, v_bar);
    perp_tape_solve_transposed(l, l->part);
    memcpy(l->rho, l->part, dofs);
    if (l->rows > 0) {
        memset(l->dz, 0, rows);
        perp_tape_add_ht(l->dz, l, l->part);
        perp_gradient of = {
            .size = sizeof of, .q = l->dbeta, .par = {l->dpar[0], l->dpar[1], l->dpar[2]}};
        status = perp_derivative_vjp(l->derivative, 1, l->dz, NULL, &of);
        if (status < 0)
            return status;
        memset(l->part, 0, dofs);
        perp_tape_add_h(l->part, l, l->dbeta);
        perp_tape_solve_transposed(l, l->part);
        for (int i = 0; i < l->dofs; i++)
            l->rho[i] += l->part[i];
    }
    for (int k = 0; parameters && k < tape->nparameters; k++) {
        change c = {l, 0.0};
        perp_tape_parameter_terms(tape, node, k, add_gradient, &c);
        parameters[k] += c.by;
    }
    for (int i = 0; forces && i < l->dofs; i++)
        forces[i] = node->h * l->rho[i];
    memset(l->guess, 0, dofs);
    ties_backward(tape, node, q_bar, v_bar);
    smooth_backward(tape, node, q_bar, v_bar);
    return node->nedges > 0 && status < PERP_ONE_SIDED ? PERP_ONE_SIDED : status;
}

perp_status perp_tape_matrices_forward(perp_tape *tape, perp_tape_step *node,
                                       const perp_tape_bundle *bundle)
{
    perp_status status = perp_tape_linear_set(tape, node);
    for (int c = 0; c < bundle->count && status >= 0; c++) {
        const double *p = bundle->parameters, *f = bundle->forces;
        status = step_forward(tape, node, p ? p + (size_t)c * (size_t)tape->nparameters : NULL,
                              f ? f + (size_t)c * bundle->forces_stride : NULL, bundle->q[c],
                              bundle->v[c]);
        bundle->each[c] = status;
    }
    return status;
}

perp_status perp_tape_matrices_backward(perp_tape *tape, perp_tape_step *node,
                                        const perp_tape_bundle *bundle)
{
    perp_status status = perp_tape_linear_set(tape, node);
    for (int c = 0; c < bundle->count && status >= 0; c++) {
        double *p = bundle->parameters_bar, *f = bundle->forces_bar;
        status = step_backward(tape, node, bundle->q[c], bundle->v[c],
                               p ? p + (size_t)c * (size_t)tape->nparameters : NULL,
                               f ? f + (size_t)c * bundle->forces_stride : NULL);
        bundle->each[c] = status;
    }
    return status;
}
