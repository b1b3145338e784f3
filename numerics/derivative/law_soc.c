/* SPDX-License-Identifier: BSD-3-Clause */
/* SOC: the cone |z_T| <= mu z_N, w in its dual mu |w_T| <= w_N, z.w = 0.  On both boundaries z is
 * along (1, -mu t) and w along (mu, t), t the direction of w_T. */
#include <math.h>

#include "derivative/laws.h"
#include "linalg/small.h"
#include "sets/cone.h"

typedef struct cone_ray {
    const double *t; /* dim - 1 entries to be divided by length, which has a sign */
    double length;
    double slip; /* |w_T| */
} cone_ray;

/* zeta along (1, -mu t), and omega = (1, -mu t).dw - |w_T| dmu. */
static void along(const perp_law_site *s, int set, const cone_ray *ray, int p_moves)
{
    perp_laws *laws = s->laws;
    double mu = s->block->par[0];
    int row = s->block->row, k = perp_law_plain(laws, s->index, set, row);
    for (int i = 1; i < s->block->dim && mu > 0.0; i++) {
        double t = ray->t[i - 1] / ray->length;
        perp_law_c(laws, k, row + i, -mu * t);
        perp_law_r(laws, k, row + i, -mu * t);
    }
    laws->cw[0][k] = -ray->slip;
    for (int i = 1; i < s->block->dim && p_moves; i++)
        laws->cz[0][row + i] = -s->z[0] * (ray->t[i - 1] / ray->length);
}

/* The cone is left inward by zeta: the column (0, t), and so the row. */
static void inward(const perp_law_site *s, const cone_ray *ray)
{
    int k = perp_law_add(s->laws, s->index, PERP_NONNEG);
    for (int i = 1; i < s->block->dim; i++) {
        perp_law_c(s->laws, k, s->block->row + i, ray->t[i - 1] / ray->length);
        perp_law_r(s->laws, k, s->block->row + i, ray->t[i - 1] / ray->length);
    }
}

/* Directions across t, e_j - (t_j / t_k) e_k with the largest t_k: sparse, and C'C = I + tau tau'.
 */
static void across(const perp_law_site *s, const cone_ray *ray, double a, double b)
{
    perp_laws *laws = s->laws;
    int dim = s->block->dim, row = s->block->row, first = laws->count, pivot = 1;
    double share = b > 0.0 ? (a > 0.0 ? 1.0 / (1.0 + b / a) : 0.0) : 1.0;
    for (int i = 2; i < dim; i++)
        pivot = fabs(ray->t[i - 1]) > fabs(ray->t[pivot - 1]) ? i : pivot;
    for (int i = 1; i < dim; i++) {
        if (i == pivot)
            continue;
        int k = perp_law_add(laws, s->index, PERP_FREE);
        double tau = ray->t[i - 1] / ray->t[pivot - 1];
        perp_law_c(laws, k, row + i, 1.0);
        perp_law_c(laws, k, row + pivot, -tau);
        perp_law_r(laws, k, row + i, share);
        perp_law_r(laws, k, row + pivot, -share * tau);
        laws->row[k].beta = (1.0 - share) * s->d * s->d;
        laws->row[k].tau = tau;
        laws->row[k].first = first;
        laws->row[k].last = first + dim - 2;
    }
}

static void whole_cone(const perp_law_site *s)
{
    int head = perp_law_plain(s->laws, s->index, PERP_SOC, s->block->row);
    for (int i = 1; i < s->block->dim; i++)
        perp_law_plain(s->laws, s->index, PERP_LAW_INNER, s->block->row + i);
    s->laws->row[head].dim = s->block->dim;
    s->laws->row[head].par[0] = s->block->par[0];
}

void perp_law_soc(const perp_law_site *s)
{
    int dim = s->block->dim;
    double mu = s->block->par[0], zt = perp_cone_length(s->z + 1, dim - 1);
    double wt = perp_cone_length(s->w + 1, dim - 1), h = perp_length2(1.0, mu);
    double z_inside = s->d * (mu * s->z[0] - zt) / h, w_inside = (s->w[0] - mu * wt) / h / s->d;
    double z = s->d * perp_length2(s->z[0], zt), w = perp_length2(s->w[0], wt) / s->d;
    int moves = z > s->zero, pressed = w > s->zero;
    if (z_inside > s->zero && z_inside >= w) {
        for (int i = 0; i < dim; i++)
            perp_law_plain(s->laws, s->index, PERP_FREE, s->block->row + i);
        return;
    }
    if (w_inside > s->zero && w_inside >= z)
        return;
    cone_ray t = {s->w + 1, wt, wt};
    if (moves && (!pressed || (mu >= 1.0 && zt > 0.0)))
        t = (cone_ray){s->z + 1, -zt, wt};
    int directed = t.length != 0.0, slips = wt / s->d > s->zero;
    if (!moves && !pressed && mu > 0.0) {
        whole_cone(s);
    } else if (mu < 1.0 && !slips && mu * s->d * fmax(s->z[0], 0.0) <= 2.0 * s->zero) {
        /* A cone as thin as a ray, without slip: the rows T do not move. */
        perp_law_plain(s->laws, s->index, moves ? PERP_FREE : PERP_NONNEG, s->block->row);
        s->laws->flags[s->index] |= PERP_LAW_FROZEN_0;
    } else if (!moves && directed) {
        along(s, PERP_NONNEG, &t, 0);
    } else if (directed) {
        double slip = pressed ? wt : 0.0;
        along(s, PERP_FREE, &t, 1);
        if (!pressed)
            inward(s, &t);
        if (dim > 2)
            across(s, &t, mu * s->z[0] * s->d * s->d, slip);
    }
}
