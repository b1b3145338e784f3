/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/central/precise.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"

static const perp_twofold zero = {0.0, 0.0};

perp_status perp_precise_take(perp_precise *precise, const perp_central *central, perp_arena *arena)
{
    precise->w = PERP_TAKE(arena, perp_twofold, central->blocks->n);
    precise->v = PERP_TAKE(arena, perp_twofold, central->form.order);
    precise->x = PERP_TAKE(arena, perp_twofold, central->blocks->max_dim);
    precise->y = PERP_TAKE(arena, perp_twofold, central->blocks->max_dim);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* w += M z, M kept in the local form. */
static void add_local(perp_precise *precise, const perp_central *central, const double *z,
                      const double *low)
{
    const perp_csc *J = &central->nsn.J;
    for (int c = 0; c < J->cols; c++) {
        perp_twofold x = {z[c], low[c]};
        for (int p = J->colptr[c]; p < J->colptr[c + 1]; p++) {
            perp_twofold *w = &precise->w[J->row[p]];
            *w = perp_twofold_add(*w, perp_twofold_times(x, central->nsn.fixed[p]));
        }
    }
}

/* v += P_k (z + low), and */
static void push(perp_twofold *v, const perp_body_form *form, int k, int dim, const double *z,
                 const double *low)
{
    for (int e = form->touch_ptr[k]; e < form->touch_ptr[k + 1]; e++) {
        const perp_body_touch *touch = &form->touch[e];
        int size = perp_body_form_size(form, touch->body);
        const double *P = form->P + touch->lever;
        perp_twofold *own = v + form->first[touch->body];
        for (int l = 0; l < dim; l++, P += size)
            for (int i = 0; i < size; i++)
                own[i] = perp_twofold_add(own[i],
                                          perp_twofold_times((perp_twofold){z[l], low[l]}, P[i]));
    }
}

/* w += Q_k v. */
static void add_rates(perp_twofold *w, const perp_body_form *form, int k, int dim,
                      const perp_twofold *v)
{
    for (int e = form->touch_ptr[k]; e < form->touch_ptr[k + 1]; e++) {
        const perp_body_touch *touch = &form->touch[e];
        int size = perp_body_form_size(form, touch->body);
        const double *Q = form->Q + touch->lever;
        const perp_twofold *own = v + form->first[touch->body];
        for (int l = 0; l < dim; l++, Q += size)
            for (int i = 0; i < size; i++)
                w[l] = perp_twofold_add(w[l], perp_twofold_times(own[i], Q[i]));
    }
}

/* w += Q P z. */
static void add_bodies(perp_precise *precise, const perp_central *central, const double *z,
                       const double *low)
{
    const perp_body_form *form = &central->form;
    for (int i = 0; i < form->order; i++)
        precise->v[i] = zero;
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        push(precise->v, form, k, block->dim, z + block->row, low + block->row);
    }
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        add_rates(precise->w + block->row, form, k, block->dim, precise->v);
    }
}

static perp_twofold norm(const perp_twofold *x, int n)
{
    perp_twofold sum = zero;
    for (int i = 0; i < n; i++)
        sum = perp_twofold_add(sum, perp_twofold_product(x[i], x[i]));
    return perp_twofold_root(sum);
}

/* sqrt(t^2 + 4 tau) */
static perp_twofold smooth(perp_twofold t, double tau)
{
    perp_twofold square = perp_twofold_product(t, t);
    return perp_twofold_root(perp_twofold_add(square, (perp_twofold){4.0 * tau, 0.0}));
}

/* x + y - ((x - y)^2 + 4 tau e)^(1/2). */
static void cone(double *G, perp_precise *precise, const perp_block *block, const perp_smoothing *s,
                 double d, const perp_twofold *w, const double *z, const double *low)
{
    int dim = block->dim;
    double mu = block->par[0], to_x = d / s->size, to_y = 1.0 / (d * s->size);
    perp_twofold *x = precise->x, *y = precise->y;
    for (int i = 0; i < dim; i++) {
        x[i] = perp_twofold_times((perp_twofold){z[i], low[i]}, i == 0 ? to_x * mu : to_x);
        y[i] = perp_twofold_times(w[i], i == 0 ? to_y / mu : to_y);
    }
    if (block->set == PERP_COULOMB) {
        double soft = s->kappa * sqrt(s->tau);
        perp_twofold length = norm(y + 1, dim - 1);
        if (soft > 0.0) {
            length = perp_twofold_root(
                perp_twofold_add(perp_twofold_product(length, length),
                                 perp_twofold_times((perp_twofold){soft, 0.0}, soft)));
            length = perp_twofold_add(length, (perp_twofold){-soft, 0.0});
        }
        y[0] = perp_twofold_add(y[0], length);
    }
    for (int i = 0; i < dim; i++) {
        perp_twofold sum = perp_twofold_add(x[i], y[i]);
        x[i] = perp_twofold_subtract(x[i], y[i]);
        y[i] = sum;
    }
    perp_twofold length = norm(x + 1, dim - 1);
    perp_twofold sum = perp_twofold_add(smooth(perp_twofold_subtract(x[0], length), s->tau),
                                        smooth(perp_twofold_add(x[0], length), s->tau));
    G[0] = perp_twofold_add(y[0], perp_twofold_times(sum, -0.5)).high;
    perp_twofold share =
        sum.high > 0.0 ? perp_twofold_quotient(perp_twofold_times(x[0], 2.0), sum) : zero;
    for (int i = 1; i < dim; i++)
        G[i] = perp_twofold_subtract(y[i], perp_twofold_product(share, x[i])).high;
}

/* 2 (x - lo - p(t - lo) + p(t - hi)), p(t) = (t + f) / 2, t = x - y. */
static double bounded(perp_twofold x, perp_twofold y, double lo, double hi, double tau)
{
    perp_twofold t = perp_twofold_subtract(x, y), sum = perp_twofold_times(y, 2.0);
    if (isfinite(lo)) {
        perp_twofold below = perp_twofold_add(t, (perp_twofold){-lo, 0.0});
        sum = perp_twofold_add(sum, perp_twofold_subtract(below, smooth(below, tau)));
    }
    if (isfinite(hi)) {
        perp_twofold above = perp_twofold_add(t, (perp_twofold){-hi, 0.0});
        sum = perp_twofold_add(sum, perp_twofold_add(above, smooth(above, tau)));
    }
    return sum.high;
}

static double row(const perp_block *block, const perp_smoothing *s, double d, perp_twofold w,
                  perp_twofold z)
{
    double to_x = d / s->size, to_y = 1.0 / (d * s->size);
    perp_twofold x = perp_twofold_times(z, to_x), y = perp_twofold_times(w, to_y);
    if (block->set == PERP_FREE)
        return 2.0 * perp_twofold_add(y, perp_twofold_times(x, s->free * s->tau)).high;
    int box = block->set == PERP_BOX;
    return bounded(x, y, box ? to_x * block->par[0] : 0.0, box ? to_x * block->par[1] : INFINITY,
                   s->tau);
}

/* w += M (z + low) */
static void add_product(perp_precise *precise, const perp_central *central, const double *z,
                        const double *low)
{
    if (central->in_bodies)
        add_bodies(precise, central, z, low);
    else
        add_local(precise, central, z, low);
}

void perp_precise_product(double *out, perp_precise *precise, const perp_central *central,
                          const double *z, const double *low)
{
    for (int i = 0; i < central->blocks->n; i++)
        precise->w[i] = zero;
    add_product(precise, central, z, low);
    for (int i = 0; i < central->blocks->n; i++)
        out[i] = precise->w[i].high;
}

double perp_precise_residual(double *G, double *w, perp_precise *precise,
                             const perp_central *central, const double *q, const double *z,
                             const double *low)
{
    const perp_smoothing *s = &central->smoothing;
    int n = central->blocks->n, count = central->blocks->count;
    for (int i = 0; i < n; i++)
        precise->w[i] = (perp_twofold){q[i], 0.0};
    add_product(precise, central, z, low);
    for (int k = 0; k < count; k++) {
        const perp_block *block = &central->blocks->at[k];
        int first = block->row, is_cone = block->set == PERP_COULOMB || block->set == PERP_SOC;
        if (is_cone && block->par[0] > 0.0) {
            cone(G + first, precise, block, s, central->d[k], precise->w + first, z + first,
                 low + first);
            continue;
        }
        G[first] =
            row(block, s, central->d[k], precise->w[first], (perp_twofold){z[first], low[first]});
        for (int i = 1; i < block->dim; i++)
            G[first + i] = 2.0 * z[first + i] * central->d[k] / s->size;
    }
    for (int i = 0; i < n; i++)
        w[i] = precise->w[i].high;
    return 0.5 * perp_norm(G, n) / sqrt(count > 0 ? (double)count : 1.0);
}
