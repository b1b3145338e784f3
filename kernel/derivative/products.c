/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of the derivative of a motion with directions, step by step forwards, and with
 * cotangents, step by step backwards.  Both use the same numbers, so that they agree to rounding.
 */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "kernel/derivative/linear.h"
#include "kernel/derivative/product.h"
#include "kernel/derivative/stage_system.h"
#include "kernel/derivative/tape.h"

static int is_finite(const double *x, size_t count)
{
    for (size_t k = 0; x && k < count; k++)
        if (!isfinite(x[k]))
            return 0;
    return 1;
}

/* The part of a vector of dofs that the systems of an interaction have. */
static void gather(double *part, const perp_tape *tape, const int *system, int count,
                   const double *x)
{
    for (int k = 0; k < count; k++) {
        const perp_tape_system *s = &tape->systems[system[k]];
        memcpy(part, x + s->at, sizeof(double) * (size_t)s->nv);
        part += s->nv;
    }
}

static void scatter(double *x, const perp_tape *tape, const int *system, int count,
                    const double *part)
{
    for (int k = 0; k < count; k++) {
        const perp_tape_system *s = &tape->systems[system[k]];
        for (int i = 0; i < s->nv; i++)
            x[s->at + i] += *part++;
    }
}

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
        gather(x_g, tape, tie->system, tie->nsystems, l->guess);
        gather(q, tape, tie->system, tie->nsystems, dq);
        gather(v, tape, tie->system, tie->nsystems, dv);
        memset(out, 0, sizeof(double) * (size_t)nv);
        perp_tape_add(out, tie->A1, nv, nv, x_g, 1.0);
        scatter(l->rho, tape, tie->system, tie->nsystems, out);
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
    double *arrays[] = {l->rho, l->dbeta, l->dfirst, l->dsecond};
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
    memset(l->dfirst, 0, rows);
    memset(l->dsecond, 0, rows);
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
        perp_tangent along = {.size = sizeof along, .q = l->dbeta, .par = {l->dfirst, l->dsecond}};
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
        gather(rho, tape, tie->system, tie->nsystems, l->rho);
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
        scatter(l->guess, tape, tie->system, tie->nsystems, x_g);
        scatter(q_bar, tape, tie->system, tie->nsystems, q);
        scatter(v_bar, tape, tie->system, tie->nsystems, v);
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
        perp_gradient of = {.size = sizeof of, .q = l->dbeta, .par = {l->dfirst, l->dsecond}};
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

perp_status perp_tape_ready(const perp_tape *tape)
{
    if (tape->info.status != PERP_SOLVED)
        return tape->info.status;
    return tape->nsteps > 0 && tape->dofs > 0 ? PERP_SOLVED : PERP_ERR_STATE;
}

void perp_tape_note(perp_tape_report *report, perp_status status, long step)
{
    if (status > report->status || (status == report->status && step < report->step)) {
        report->status = status;
        report->step = step;
    }
}

static perp_status check_tangent(const perp_tape *tape, const perp_tape_tangent *along, int count)
{
    size_t dofs = (size_t)tape->dofs, many = (size_t)count;
    return is_finite(along->q, dofs * many) && is_finite(along->v, dofs * many) &&
                   is_finite(along->parameters, (size_t)tape->nparameters * many) &&
                   is_finite(along->forces, (size_t)tape->nsteps * dofs * many)
               ? PERP_SOLVED
               : PERP_ERR_NONFINITE;
}

/* Where the states of direction c stand at instant k: one place, or a path with `stride` = dofs. */
static size_t place_of(const perp_tape *tape, size_t c, size_t k, size_t stride)
{
    size_t dofs = (size_t)tape->dofs;
    return stride > 0 ? (c * ((size_t)tape->nsteps + 1) + k) * dofs : c * dofs;
}

/* A step by its matrices. */
static perp_status plain_forward(perp_tape *tape, const perp_tape_step *node,
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

/* Step k of all directions. */
static perp_status bundle_forward(perp_tape *tape, size_t k, perp_tape_bundle *bundle,
                                  perp_status *each, perp_tape_report *report)
{
    const perp_tape_step *node = &tape->steps[k];
    size_t dofs = (size_t)tape->dofs;
    for (int c = 0; c < bundle->count; c++)
        bundle->each[c] = PERP_SOLVED;
    perp_status status = node->stages ? perp_tape_stages_forward(tape, node, bundle)
                                      : plain_forward(tape, node, bundle);
    for (int c = 0; c < bundle->count && status >= 0; c++) {
        if (!is_finite(bundle->q[c], dofs) || !is_finite(bundle->v[c], dofs))
            status = PERP_ERR_NUMERICAL;
        each[c] = bundle->each[c] > each[c] ? bundle->each[c] : each[c];
        perp_tape_note(report, bundle->each[c], tape->info.first + (long)k);
    }
    return status;
}

/* q and v: states of all directions, then the whole path of them. */
static perp_status forward(perp_tape *tape, int count, const perp_tape_tangent *along, double *q,
                           double *v, size_t stride, perp_status *each, perp_tape_report *report)
{
    size_t dofs = (size_t)tape->dofs, steps = (size_t)tape->nsteps, many = (size_t)count;
    double **at = perp_pool_take_array(&tape->pool, 2 * many + 1, sizeof *at);
    perp_status *now = perp_pool_take_array(&tape->pool, many + 1, sizeof *now);
    perp_tape_bundle bundle = {.count = count,
                               .q = at,
                               .v = at ? at + many : NULL,
                               .parameters = along->parameters,
                               .forces_stride = steps * dofs,
                               .each = now};
    perp_status status = at && now ? PERP_SOLVED : PERP_ERR_MEMORY;
    for (size_t k = 0; k < steps && status >= 0; k++) {
        for (size_t c = 0; c < many; c++) {
            size_t from = place_of(tape, c, k, stride), to = place_of(tape, c, k + 1, stride);
            if (to != from) {
                memcpy(q + to, q + from, dofs * sizeof(double));
                memcpy(v + to, v + from, dofs * sizeof(double));
            }
            bundle.q[c] = q + to;
            bundle.v[c] = v + to;
        }
        bundle.forces = along->forces ? along->forces + k * dofs : NULL;
        status = bundle_forward(tape, k, &bundle, each, report);
        if (status < 0) {
            report->status = status;
            report->step = tape->info.first + (long)k;
        }
    }
    perp_pool_give(&tape->pool, at);
    perp_pool_give(&tape->pool, now);
    return status < 0 ? status : report->status;
}

perp_status perp_tape_jvp(perp_tape *tape, int count, const perp_tape_tangent *along, int path,
                          double *dq, double *dv, perp_status *each, perp_tape_report *report)
{
    PERP_HOLD_ENVIRONMENT();
    perp_tape_tangent own = {.size = sizeof own};
    perp_tape_report found = {sizeof found, PERP_SOLVED, -1};
    if (!tape || count < 0 || perp_sized_read(&own, sizeof own, along) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    perp_status status = perp_tape_ready(tape);
    if (status == PERP_SOLVED)
        status = check_tangent(tape, &own, count);
    if (status != PERP_SOLVED)
        return status;
    size_t dofs = (size_t)tape->dofs, instants = path ? (size_t)tape->nsteps + 1 : 1;
    size_t numbers = (size_t)count * instants * dofs;
    double *q = perp_pool_take_array(&tape->pool, 2 * numbers + 1, sizeof *q), *v = q + numbers;
    perp_status *statuses = perp_pool_take_array(&tape->pool, (size_t)count + 1, sizeof *statuses);
    status = q && statuses ? PERP_SOLVED : PERP_ERR_MEMORY;
    for (int c = 0; c < count && status == PERP_SOLVED; c++) {
        size_t to = (size_t)c * instants * dofs, from = (size_t)c * dofs;
        if (own.q)
            memcpy(q + to, own.q + from, dofs * sizeof(double));
        if (own.v)
            memcpy(v + to, own.v + from, dofs * sizeof(double));
    }
    if (status == PERP_SOLVED)
        status = forward(tape, count, &own, q, v, path ? dofs : 0, statuses, &found);
    if (status >= 0 && dq)
        memcpy(dq, q, numbers * sizeof(double));
    if (status >= 0 && dv)
        memcpy(dv, v, numbers * sizeof(double));
    for (int c = 0; c < count && status >= 0 && each; c++)
        each[c] = statuses[c];
    perp_pool_give(&tape->pool, q);
    perp_pool_give(&tape->pool, statuses);
    if (report)
        (void)perp_sized_write(report, &found, sizeof found);
    return status;
}

/* q_bar += those of the path at one instant. */
static void add_instant(const perp_tape *tape, double *to, const double *path, int c, size_t at)
{
    size_t dofs = (size_t)tape->dofs, instants = (size_t)tape->nsteps + 1;
    for (size_t i = 0; path && i < dofs; i++)
        to[i] += path[((size_t)c * instants + at) * dofs + i];
}

static perp_status plain_backward(perp_tape *tape, const perp_tape_step *node,
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

/* Step k of all cotangents. */
static perp_status bundle_backward(perp_tape *tape, size_t k, const perp_tape_cotangents *bars,
                                   perp_tape_bundle *bundle, perp_tape_report *report)
{
    const perp_tape_step *node = &tape->steps[k];
    size_t dofs = (size_t)tape->dofs, parameters = (size_t)tape->nparameters;
    for (int c = 0; c < bundle->count; c++)
        bundle->each[c] = PERP_SOLVED;
    perp_status status = node->stages ? perp_tape_stages_backward(tape, node, bundle)
                                      : plain_backward(tape, node, bundle);
    for (int c = 0; c < bundle->count && status >= 0; c++) {
        double *p = bundle->parameters_bar, *f = bundle->forces_bar;
        add_instant(tape, bundle->q[c], bars->q_path, c, k);
        add_instant(tape, bundle->v[c], bars->v_path, c, k);
        if (!is_finite(bundle->q[c], dofs) || !is_finite(bundle->v[c], dofs) ||
            !is_finite(p ? p + (size_t)c * parameters : NULL, parameters) ||
            !is_finite(f ? f + (size_t)c * bundle->forces_stride : NULL, dofs))
            status = PERP_ERR_NUMERICAL;
        perp_tape_note(report, bundle->each[c], tape->info.first + (long)k);
    }
    return status;
}

perp_status perp_tape_backward(perp_tape *tape, const perp_tape_cotangents *bars,
                               perp_tape_report *report)
{
    size_t dofs = (size_t)tape->dofs, steps = (size_t)tape->nsteps, many = (size_t)bars->count;
    double **at = perp_pool_take_array(&tape->pool, 2 * many + 1, sizeof *at);
    perp_status *now = perp_pool_take_array(&tape->pool, many + 1, sizeof *now);
    perp_tape_bundle bundle = {.count = bars->count,
                               .q = at,
                               .v = at ? at + many : NULL,
                               .forces_stride = steps * dofs,
                               .each = now,
                               .parameters_bar = bars->parameters};
    perp_status status = at && now ? PERP_SOLVED : PERP_ERR_MEMORY;
    for (size_t c = 0; c < many && status == PERP_SOLVED; c++) {
        bundle.q[c] = bars->q + c * dofs;
        bundle.v[c] = bars->v + c * dofs;
        add_instant(tape, bundle.q[c], bars->q_path, (int)c, steps);
        add_instant(tape, bundle.v[c], bars->v_path, (int)c, steps);
    }
    for (size_t k = steps; k-- > 0 && status >= 0;) {
        bundle.forces_bar = bars->forces ? bars->forces + k * dofs : NULL;
        status = bundle_backward(tape, k, bars, &bundle, report);
        if (status < 0) {
            report->status = status;
            report->step = tape->info.first + (long)k;
        }
    }
    perp_pool_give(&tape->pool, at);
    perp_pool_give(&tape->pool, now);
    return status < 0 ? status : report->status;
}

/* Work arrays of a backward product, in one block. */
static perp_status take_cotangents(perp_tape *tape, perp_tape_cotangents *bars, int path,
                                   const double *q_bar, const double *v_bar,
                                   const perp_tape_gradient *of)
{
    size_t many = (size_t)bars->count, dofs = many * (size_t)tape->dofs;
    size_t parameters = many * (size_t)tape->nparameters;
    size_t forces = of->forces ? dofs * (size_t)tape->nsteps : 0;
    bars->q = perp_pool_take_array(&tape->pool, 2 * dofs + parameters + forces + 1, sizeof(double));
    if (!bars->q)
        return PERP_ERR_MEMORY;
    bars->v = bars->q + dofs;
    bars->parameters = of->parameters ? bars->v + dofs : NULL;
    bars->forces = of->forces ? bars->v + dofs + parameters : NULL;
    bars->q_path = path ? q_bar : NULL;
    bars->v_path = path ? v_bar : NULL;
    if (!path && q_bar)
        memcpy(bars->q, q_bar, dofs * sizeof(double));
    if (!path && v_bar)
        memcpy(bars->v, v_bar, dofs * sizeof(double));
    return PERP_SOLVED;
}

static void give_out(const perp_tape *tape, const perp_tape_cotangents *bars,
                     const perp_tape_gradient *of)
{
    size_t many = (size_t)bars->count, dofs = many * (size_t)tape->dofs;
    if (of->q)
        memcpy(of->q, bars->q, dofs * sizeof(double));
    if (of->v)
        memcpy(of->v, bars->v, dofs * sizeof(double));
    if (of->parameters)
        memcpy(of->parameters, bars->parameters, many * (size_t)tape->nparameters * sizeof(double));
    if (of->forces)
        memcpy(of->forces, bars->forces, dofs * (size_t)tape->nsteps * sizeof(double));
}

perp_status perp_tape_vjp(perp_tape *tape, int count, int path, const double *q_bar,
                          const double *v_bar, const perp_tape_gradient *of,
                          perp_tape_report *report)
{
    PERP_HOLD_ENVIRONMENT();
    perp_tape_gradient own = {.size = sizeof own};
    perp_tape_report found = {sizeof found, PERP_SOLVED, -1};
    if (!tape || count < 0 || perp_sized_read(&own, sizeof own, of) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    perp_status status = perp_tape_ready(tape);
    if (status != PERP_SOLVED)
        return status;
    size_t numbers = (size_t)count * (size_t)tape->dofs * (path ? (size_t)tape->nsteps + 1 : 1);
    if (!is_finite(q_bar, numbers) || !is_finite(v_bar, numbers))
        return PERP_ERR_NONFINITE;
    perp_tape_cotangents bars = {.count = count};
    status = take_cotangents(tape, &bars, path, q_bar, v_bar, &own);
    if (status == PERP_SOLVED)
        status = perp_tape_backward(tape, &bars, &found);
    if (status >= 0)
        give_out(tape, &bars, &own);
    perp_pool_give(&tape->pool, bars.q);
    if (report)
        (void)perp_sized_write(report, &found, sizeof found);
    return status;
}
