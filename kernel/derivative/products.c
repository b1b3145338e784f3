/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of the derivative of a motion with directions, step by step forwards, and with
 * cotangents, step by step backwards. */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "kernel/derivative/product.h"
#include "kernel/derivative/tape.h"

static int is_finite(const double *x, size_t count)
{
    for (size_t k = 0; x && k < count; k++)
        if (!isfinite(x[k]))
            return 0;
    return 1;
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

/* No argument of the caller is wrong where a step was solved too loosely. */
static perp_status of_step(perp_status status)
{
    return status == PERP_ERR_ARGUMENT ? PERP_ERR_NUMERICAL : status;
}

/* Step k of all directions. */
static perp_status bundle_forward(perp_tape *tape, size_t k, perp_tape_bundle *bundle,
                                  perp_status *each, perp_tape_report *report)
{
    perp_tape_step *node = &tape->steps[k];
    size_t dofs = (size_t)tape->dofs;
    for (int c = 0; c < bundle->count; c++)
        bundle->each[c] = PERP_SOLVED;
    perp_status status = node->stages ? perp_tape_stages_forward(tape, node, bundle)
                                      : perp_tape_matrices_forward(tape, node, bundle);
    status = of_step(status);
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
    tape->keeps = tape->products++ > 0;
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

/* Step k of all cotangents. */
static perp_status bundle_backward(perp_tape *tape, size_t k, const perp_tape_cotangents *bars,
                                   perp_tape_bundle *bundle, perp_tape_report *report)
{
    perp_tape_step *node = &tape->steps[k];
    size_t dofs = (size_t)tape->dofs, parameters = (size_t)tape->nparameters;
    for (int c = 0; c < bundle->count; c++)
        bundle->each[c] = PERP_SOLVED;
    perp_status status = node->stages ? perp_tape_stages_backward(tape, node, bundle)
                                      : perp_tape_matrices_backward(tape, node, bundle);
    status = of_step(status);
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
    tape->keeps = tape->products++ > 0;
    if (status == PERP_SOLVED)
        status = perp_tape_backward(tape, &bars, &found);
    if (status >= 0)
        give_out(tape, &bars, &own);
    perp_pool_give(&tape->pool, bars.q);
    if (report)
        (void)perp_sized_write(report, &found, sizeof found);
    return status;
}
