/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/projection/projected_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "sets/set.h"
#include "solvers/projection/law_resolvent.h"

static const double ratio_high = 0.9, ratio_low = 0.3, shrink = 2.0 / 3.0;
enum { MAX_REJECTIONS = 60 };

perp_status perp_projector_take(perp_projector *projector, perp_work *work)
{
    size_t n = (size_t)work->blocks.n;
    projector->blocks = &work->blocks;
    projector->t = PERP_TAKE(work->arena, double, work->blocks.count);
    projector->y = PERP_TAKE(work->arena, double, n);
    projector->y_trial = PERP_TAKE(work->arena, double, n);
    projector->z_trial = PERP_TAKE(work->arena, double, n);
    projector->rho = perp_arena_take_zero(work->arena, 1, sizeof(double));
    work->memory = projector->rho;
    work->memory_bytes = sizeof(double);
    return work->arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_projector_setup(perp_work *work)
{
    perp_projector *projector = PERP_TAKE(work->arena, perp_projector, 1);
    if (!projector)
        return PERP_ERR_MEMORY;
    work->state = projector;
    return perp_projector_take(projector, work);
}

perp_status perp_projector_update(perp_work *work)
{
    (void)work;
    return PERP_SOLVED;
}

void perp_add_shift(double *y, const perp_blocks *blocks, const double *w)
{
    if (y != w)
        memcpy(y, w, (size_t)blocks->n * sizeof(double));
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        const perp_set_type *set = perp_set_type_of(block->set);
        if (set->shift)
            y[block->row] += set->shift(w + block->row, block->par, block->dim);
    }
}

perp_status perp_projector_value(double *y, const perp_projector *projector, const perp_work *work,
                                 const double *z)
{
    const perp_problem *problem = work->problem;
    perp_status status = perp_mat_apply(&problem->M, z, work->scratch, y);
    if (status != PERP_SOLVED)
        return status;
    for (int i = 0; i < projector->blocks->n; i++)
        y[i] += problem->q[i];
    perp_add_shift(y, projector->blocks, y);
    return PERP_SOLVED;
}

/* P_K in the norm of 1/T, in place. */
static void project(double *x, const perp_block *block)
{
    const double l = block->length;
    const double par[PERP_PARAMETERS] = {block->par[0], block->par[1] / l, block->par[2] / l};
    int first = 1 + perp_rolling_rows(block->dim), scaled = l != 1.0;
    for (int i = first; scaled && i < block->dim; i++)
        x[i] /= l;
    perp_set_type_of(block->set)->project(x, x, scaled ? par : block->par, block->dim);
    for (int i = first; scaled && i < block->dim; i++)
        x[i] *= l;
}

/* |x|_T (power 1) or |x|_(1/T) (power -1). */
static double weighted_norm(const perp_projector *projector, const double *x, int power)
{
    double sum = 0.0;
    for (int k = 0; k < projector->blocks->count; k++) {
        const perp_block *block = &projector->blocks->at[k];
        for (int i = 0; i < block->dim; i++) {
            double t = perp_row_step(block, projector->t[k], i);
            double square = x[block->row + i] * x[block->row + i];
            sum += power > 0 ? t * square : square / t;
        }
    }
    return sqrt(sum);
}

/* 1 / |D^-1 M D^-1| along T q, from one product; 1 where that says nothing. */
static perp_status probe_step(perp_projector *projector, perp_work *work, double *rho)
{
    const perp_problem *problem = work->problem;
    const perp_blocks *blocks = projector->blocks;
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        for (int i = 0; i < block->dim; i++)
            projector->z_trial[block->row + i] =
                perp_row_step(block, projector->t[k], i) * problem->q[block->row + i];
    }
    perp_status status =
        perp_mat_apply(&problem->M, projector->z_trial, work->scratch, projector->y_trial);
    if (status != PERP_SOLVED)
        return status;
    double image = weighted_norm(projector, projector->y_trial, 1);
    *rho = weighted_norm(projector, projector->z_trial, -1) / image;
    if (!(*rho > 0.0) || !isfinite(*rho))
        *rho = 1.0;
    return PERP_SOLVED;
}

perp_status perp_projector_start(perp_projector *projector, perp_work *work, double *rho)
{
    const double *d = work->scaling.d;
    for (int k = 0; k < projector->blocks->count; k++)
        projector->t[k] = d ? 1.0 / (d[k] * d[k]) : 1.0;
    *rho = work->settings->step;
    if (work->settings->warm_start && *projector->rho > 0.0 && isfinite(*projector->rho))
        *rho = *projector->rho;
    if (*rho > 0.0)
        return PERP_SOLVED;
    return probe_step(projector, work, rho);
}

void perp_projected_step(double *out, const perp_projector *projector, double rho, const double *z,
                         const double *y)
{
    for (int k = 0; k < projector->blocks->count; k++) {
        const perp_block *block = &projector->blocks->at[k];
        double step = rho * projector->t[k];
        for (int i = 0, at = block->row; i < block->dim; i++, at++)
            out[at] = z[at] - perp_row_step(block, step, i) * y[at];
        project(out + block->row, block);
    }
}

/* rho |y - y_trial|_T / |z - z_trial|_(1/T), the quantity that is kept below 1; -1 where the two
 * points differ by rounding only. */
static double ratio_of(const perp_projector *projector, double rho, const double *z)
{
    double moved = 0.0, changed = 0.0, size = 0.0;
    for (int k = 0; k < projector->blocks->count; k++) {
        const perp_block *block = &projector->blocks->at[k];
        for (int i = 0, at = block->row; i < block->dim; i++, at++) {
            double t = perp_row_step(block, projector->t[k], i);
            double dz = z[at] - projector->z_trial[at];
            double dy = projector->y[at] - projector->y_trial[at];
            moved += dz * dz / t;
            size += z[at] * z[at] / t;
            changed += dy * dy * t;
        }
    }
    if (!(moved > 16.0 * DBL_EPSILON * DBL_EPSILON * size))
        return -1.0;
    return rho * sqrt(changed / moved);
}

perp_status perp_projector_predict(perp_projector *projector, perp_work *work, double *rho,
                                   double *next)
{
    double ratio = 0.0;
    for (int tries = 0; tries < MAX_REJECTIONS; tries++) {
        perp_projected_step(projector->z_trial, projector, *rho, work->z, projector->y);
        perp_status status =
            perp_projector_value(projector->y_trial, projector, work, projector->z_trial);
        if (status != PERP_SOLVED)
            return status;
        ratio = ratio_of(projector, *rho, work->z);
        if (!(ratio > ratio_high))
            break;
        *rho *= shrink * fmin(1.0, 1.0 / ratio);
    }
    *next = ratio >= 0.0 && ratio < ratio_low ? *rho / shrink : *rho;
    return PERP_SOLVED;
}

perp_status perp_projector_correct(perp_projector *projector, perp_work *work, double *rho)
{
    double next;
    perp_status status = perp_projector_predict(projector, work, rho, &next);
    if (status != PERP_SOLVED)
        return status;
    perp_projected_step(work->z, projector, *rho, work->z, projector->y_trial);
    *rho = next;
    return PERP_SOLVED;
}
