/* SPDX-License-Identifier: BSD-3-Clause */
/* Directional derivatives and gradients. */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "derivative/state.h"
#include "linalg/small.h"
#include "sets/set.h"

/* What the linear system may leave, beside its terms. */
static const double consistent = 1e-8;

static int is_finite(const double *x, size_t n)
{
    for (size_t i = 0; x && i < n; i++)
        if (!(fabs(x[i]) <= 1.7976931348623157e308))
            return 0;
    return 1;
}

/* Parameter p of a block is a number that can change. */
static int has_parameter(const perp_block *block, int p)
{
    return p < perp_set_reads(perp_set_type_of(block->set), block->dim) &&
           fabs(block->par[p]) <= 1e308 * 1.7;
}

static perp_status check(const perp_derivative *d, const perp_tangent *along, int count)
{
    size_t n = (size_t)d->info.rows, k = (size_t)count, blocks = (size_t)d->info.blocks;
    int delassus = d->M.kind == PERP_DELASSUS;
    if ((along->diagonal || along->mass) && !delassus)
        return PERP_ERR_ARGUMENT;
    for (int j = 0; along->mass && j < count; j++) {
        const perp_mat *mass = &along->mass[j];
        if (mass->rows != d->info.dofs || mass->cols != d->info.dofs ||
            mass->kind == PERP_DELASSUS || mass->kind == PERP_OPERATOR)
            return PERP_ERR_ARGUMENT;
    }
    if (!is_finite(along->q, n * k) || !is_finite(along->diagonal, n * k))
        return PERP_ERR_NONFINITE;
    for (size_t j = 0; along->M && j < k; j++) {
        const double *x = along->M + j * (size_t)d->info.entries;
        size_t ld = d->M.kind == PERP_DENSE ? (size_t)d->M.as.dense.ld : (size_t)d->info.entries;
        size_t rows = d->M.kind == PERP_DENSE ? n : ld, columns = d->M.kind == PERP_DENSE ? n : 1;
        for (size_t c = 0; c < columns; c++)
            if (!is_finite(x + c * ld, rows))
                return PERP_ERR_NONFINITE;
    }
    for (int p = 0; p < PERP_PARAMETERS; p++)
        for (size_t i = 0; along->par[p] && i < blocks * k; i++)
            if (!is_finite(along->par[p] + i, 1) && has_parameter(&d->blocks.at[i % blocks], p))
                return PERP_ERR_NONFINITE;
    return PERP_SOLVED;
}

/* Changes of parameters: into dz and rhs; 0: one of them leads off what is followed. */
static int add_parameters(perp_derivative *d, const perp_tangent *along, int k)
{
    const perp_laws *laws = &d->laws;
    int followed = 1;
    for (int b = 0; b < d->blocks.count; b++) {
        const perp_block *block = &d->blocks.at[b];
        double change[PERP_PARAMETERS] = {0.0};
        for (int p = 0; p < PERP_PARAMETERS; p++) {
            double by = along->par[p]
                            ? along->par[p][(size_t)k * (size_t)d->blocks.count + (size_t)b]
                            : 0.0;
            change[p] = by != 0.0 && has_parameter(block, p) ? by : 0.0;
        }
        followed &= !(laws->flags[b] & PERP_LAW_POINT) || change[0] == change[1];
        for (int p = 0; p < PERP_PARAMETERS; p++)
            followed &= !(laws->flags[b] & PERP_LAW_FROZEN_0 << p) || change[p] == 0.0;
        if (change[0] == 0.0 && change[1] == 0.0 && change[2] == 0.0)
            continue;
        for (int i = block->row; i < block->row + block->dim; i++)
            d->dz[i] += laws->cz[0][i] * change[0] + laws->cz[1][i] * change[1] +
                        laws->cz[2][i] * change[2];
        for (int r = laws->first[b]; r < laws->first[b + 1]; r++)
            d->rhs[laws->row[r].place] -= laws->cw[0][r] * change[0] + laws->cw[1][r] * change[1] +
                                          laws->cw[2][r] * change[2];
    }
    return followed;
}

/* omega of the regular rows at (dz, dw, y), which ought to be 0, into d->size; and whether it is,
 * beside the terms that it is summed from. */
static int residual(perp_derivative *d, double *left)
{
    const perp_laws *laws = &d->laws;
    double largest = 0.0, terms = 0.0;
    memcpy(left, d->rhs, (size_t)laws->count * sizeof(double));
    for (int i = 0; i < laws->count; i++) {
        double size = fabs(left[i]), unknown = fabs(d->y[i]);
        terms = size > terms ? size : terms;
        terms = unknown > terms ? unknown : terms;
    }
    perp_reduced_take_off(left, d, d->y);
    for (int i = 0; i < laws->regular; i++)
        largest = fabs(left[i]) > largest ? fabs(left[i]) : largest;
    return largest <= consistent * terms;
}

/* Solves for y, with one correction. */
static int solve(perp_derivative *d)
{
    const perp_laws *laws = &d->laws;
    int regular = laws->regular;
    memcpy(d->y, d->rhs, (size_t)laws->count * sizeof(double));
    int found = perp_kinks_solve(d, d->y);
    residual(d, d->size);
    perp_square_solve(&d->system, d->size, 0);
    for (int i = 0; i < regular; i++)
        d->y[i] += d->size[i];
    return residual(d, d->size) && found;
}

static perp_status one_jvp(perp_derivative *d, const perp_tangent *along, int k)
{
    size_t n = (size_t)d->info.rows, bytes = n * sizeof(double);
    const perp_laws *laws = &d->laws;
    memset(d->c, 0, bytes);
    memset(d->dz, 0, bytes);
    memset(d->rhs, 0, bytes);
    for (size_t i = 0; along->q && i < n; i++)
        d->c[i] = along->q[(size_t)k * n + i];
    perp_status status = perp_entries_add(d, d->c, along, k);
    if (status != PERP_SOLVED)
        return status;
    int followed = add_parameters(d, along, k);
    memcpy(d->dw, d->c, bytes);
    perp_entries_apply(d->dw, &d->A, d->dz);
    memset(d->offset, 0, bytes);
    perp_reduced_add_r(d->offset, laws, d->dw, 0);
    for (int i = 0; i < laws->count; i++)
        d->rhs[i] -= d->offset[i];
    followed &= solve(d);
    perp_reduced_add_c(d->dz, laws, d->y, 0);
    if (d->nulls > 0)
        perp_take_off_nulls(d, d->dz);
    if (d->least_norm.count > 0 && followed)
        perp_least_norm_take(d, d->dz);
    memcpy(d->dw, d->c, bytes);
    perp_entries_apply(d->dw, &d->A, d->dz);
    if (!is_finite(d->dz, n) || !is_finite(d->dw, n))
        return PERP_ERR_NUMERICAL;
    if (!followed)
        return PERP_NOT_DIFFERENTIABLE;
    if (d->nulls > 0 || (d->kinks.count > 0 && !d->kinks.unique))
        return PERP_NOT_UNIQUE;
    return d->kinks.count > 0 ? PERP_ONE_SIDED : PERP_SOLVED;
}

static perp_status worse(perp_status a, perp_status b)
{
    return a > b ? a : b;
}

perp_status perp_derivative_jvp(perp_derivative *d, int count, const perp_tangent *along,
                                double *dz, double *dw, perp_status *each)
{
    PERP_HOLD_ENVIRONMENT();
    perp_tangent own = {.size = sizeof own};
    perp_status worst = PERP_SOLVED;
    if (!d || count < 0 || perp_sized_read(&own, sizeof own, along) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    if (!d->ready)
        return PERP_ERR_STATE;
    perp_status status = check(d, &own, count);
    if (status != PERP_SOLVED)
        return status;
    size_t n = (size_t)d->info.rows;
    for (int k = 0; k < count; k++) {
        status = one_jvp(d, &own, k);
        if (status < 0)
            return status;
        if (each)
            each[k] = status;
        worst = worse(worst, status);
        if (dz)
            memcpy(dz + (size_t)k * n, d->dz, n * sizeof(double));
        if (dw)
            memcpy(dw + (size_t)k * n, d->dw, n * sizeof(double));
    }
    return worst;
}

/* d->c becomes the gradient by q, d->dz that by z where M and q stay; d->y the multiplier of the
 * laws. */
static void adjoint(perp_derivative *d, const double *z_bar, const double *w_bar)
{
    const perp_laws *laws = &d->laws;
    size_t n = (size_t)d->info.rows, bytes = n * sizeof(double);
    memset(d->dz, 0, bytes);
    memset(d->c, 0, bytes);
    memset(d->y, 0, bytes);
    if (z_bar)
        memcpy(d->dz, z_bar, bytes);
    if (w_bar) {
        memcpy(d->c, w_bar, bytes);
        perp_entries_apply_transposed(d->dz, &d->A, w_bar);
    }
    if (d->nulls > 0)
        perp_take_off_nulls(d, d->dz);
    perp_reduced_add_ct(d->y, laws, d->dz, 1);
    perp_square_solve(&d->system, d->y, 1);
    for (int i = laws->regular; i < laws->count; i++)
        d->y[i] = 0.0;
    memset(d->dw, 0, bytes);
    perp_reduced_add_rt(d->dw, laws, d->y, 1);
    for (size_t i = 0; i < n; i++) {
        d->c[i] -= d->dw[i];
        d->dw[i] = -d->dw[i];
    }
    perp_entries_apply_transposed(d->dz, &d->A, d->dw);
}

static void parameter_gradient(const perp_derivative *d, double *out, int p)
{
    const perp_laws *laws = &d->laws;
    for (int b = 0; b < d->blocks.count; b++) {
        const perp_block *block = &d->blocks.at[b];
        out[b] = 0.0;
        if (!has_parameter(block, p))
            continue;
        for (int i = block->row; i < block->row + block->dim; i++)
            out[b] += laws->cz[p][i] * d->dz[i];
        for (int r = laws->first[b]; r < laws->first[b + 1]; r++)
            out[b] -= laws->cw[p][r] * d->y[laws->row[r].place];
    }
}

static perp_status one_vjp(perp_derivative *d, const double *z_bar, const double *w_bar,
                           const perp_gradient *of, int k)
{
    size_t n = (size_t)d->info.rows, blocks = (size_t)d->info.blocks;
    adjoint(d, z_bar, w_bar);
    if (!is_finite(d->c, n) || !is_finite(d->dz, n) || !is_finite(d->y, n))
        return PERP_ERR_NUMERICAL;
    if (of->q)
        memcpy(of->q + (size_t)k * n, d->c, n * sizeof(double));
    for (int p = 0; p < PERP_PARAMETERS; p++)
        if (of->par[p])
            parameter_gradient(d, of->par[p] + (size_t)k * blocks, p);
    perp_entries_gradient(d, d->c, of, k);
    if (d->nulls > 0)
        return PERP_NOT_UNIQUE;
    return d->kinks.count > 0 ? PERP_ONE_SIDED : PERP_SOLVED;
}

perp_status perp_derivative_vjp(perp_derivative *d, int count, const double *z_bar,
                                const double *w_bar, const perp_gradient *of)
{
    PERP_HOLD_ENVIRONMENT();
    perp_gradient own = {.size = sizeof own};
    perp_status worst = PERP_SOLVED;
    if (!d || count < 0 || perp_sized_read(&own, sizeof own, of) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    if (!d->ready)
        return PERP_ERR_STATE;
    if ((own.diagonal || own.mass_left || own.mass_right) && d->M.kind != PERP_DELASSUS)
        return PERP_ERR_ARGUMENT;
    size_t n = (size_t)d->info.rows;
    if (!is_finite(z_bar, n * (size_t)count) || !is_finite(w_bar, n * (size_t)count))
        return PERP_ERR_NONFINITE;
    for (int k = 0; k < count; k++) {
        perp_status status = one_vjp(d, z_bar ? z_bar + (size_t)k * n : NULL,
                                     w_bar ? w_bar + (size_t)k * n : NULL, &own, k);
        if (status < 0)
            return status;
        worst = worse(worst, status);
    }
    return worst;
}
