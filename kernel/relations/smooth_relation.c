/* SPDX-License-Identifier: BSD-3-Clause */
/* Relations by callbacks: their Jacobians, as given or by forward differences.  A step of a
 * body is taken along its twist, so that the quaternion stays of norm 1. */
#include "kernel/relations/link.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double step_of(double x)
{
    return sqrt(DBL_EPSILON) * fmax(1.0, fabs(x));
}

/* at = x moved in direction j of the velocities of s; returns how far. */
static double move(double *at, const perp_system *s, const double *x, int j)
{
    if (s->kind == PERP_SYSTEM_BODY) {
        double unit[6] = {0.0}, step = step_of(j < 3 ? x[j] : 1.0);
        unit[j] = 1.0;
        perp_system_move(at, s, x, unit, step);
        return step;
    }
    at[j] = x[j] + step_of(x[j]);
    return at[j] - x[j];
}

/* J = (fn(moved) - base) / step for a column that holds fn(moved). */
static void quotient(double *column, const double *base, int count, double step)
{
    for (int i = 0; i < count; i++)
        column[i] = (column[i] - base[i]) / step;
}

/* J (count x nv) of fn with `count` entries along T(q). */
static int difference_x(double *J, perp_link *link, perp_relation_fn fn, int count, double t,
                        const double *x, const double *lambda)
{
    void *user = link->relation.user;
    double *at = link->work, *column = J;
    double *base = at + (link->N > link->rows ? link->N : link->rows);
    int refused = fn(base, t, x, lambda, link->z, user);
    memcpy(at, x, (size_t)link->N * sizeof(double));
    for (int k = 0, first = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        for (int j = 0; j < s->nv && !refused; j++) {
            double step = move(at + first, s, x + first, j);
            refused = fn(column, t, at, lambda, link->z, user);
            quotient(column, base, count, step);
            memcpy(at + first, x + first, (size_t)s->nq * sizeof(double));
            column += count;
        }
        first += s->nq;
    }
    return refused;
}

/* J (count x rows) of fn with `count` entries. */
static int difference_lambda(double *J, perp_link *link, perp_relation_fn fn, int count, double t,
                             const double *x, const double *lambda)
{
    void *user = link->relation.user;
    double *at = link->work;
    double *base = at + (link->N > link->rows ? link->N : link->rows);
    int refused = fn(base, t, x, lambda, link->z, user);
    memcpy(at, lambda, (size_t)link->rows * sizeof(double));
    for (int j = 0; j < link->rows && !refused; j++) {
        double *column = J + (size_t)j * (size_t)count;
        at[j] = lambda[j] + step_of(lambda[j]);
        refused = fn(column, t, x, at, link->z, user);
        quotient(column, base, count, at[j] - lambda[j]);
        at[j] = lambda[j];
    }
    return refused;
}

int perp_smooth_jacobian(double *H, perp_link *link, double t, const double *x,
                         const double *lambda)
{
    const perp_relation *r = &link->relation;
    if (link->absent & PERP_PART_H_X)
        return difference_x(H, link, r->h, link->rows, t, x, lambda);
    double *H_x = link->H_x ? link->H_x : H;
    int refused = r->h_x(H_x, t, x, lambda, link->z, r->user);
    if (link->H_x && !refused)
        perp_link_to_rates(H, link, H_x, x, link->rows);
    return refused;
}

int perp_smooth_drift(double *h_t, perp_link *link, double t, const double *x, const double *lambda)
{
    const perp_relation *r = &link->relation;
    if (!(link->absent & PERP_PART_H_T))
        return r->h_t(h_t, t, x, lambda, link->z, r->user);
    double later = t + step_of(t), *base = link->work;
    int refused = perp_link_output(base, link, t, x, lambda);
    if (!refused)
        refused = perp_link_output(h_t, link, later, x, lambda);
    quotient(h_t, base, link->rows, later - t);
    return refused;
}

int perp_smooth_feedthrough(double *D, perp_link *link, double t, const double *x,
                            const double *lambda)
{
    const perp_relation *r = &link->relation;
    if (link->absent & PERP_PART_H_LAMBDA)
        return difference_lambda(D, link, r->h, link->rows, t, x, lambda);
    return r->h_lambda(D, t, x, lambda, link->z, r->user);
}

int perp_smooth_input_lambda(double *B, perp_link *link, double t, const double *x,
                             const double *lambda)
{
    const perp_relation *r = &link->relation;
    if (link->absent & PERP_PART_G_LAMBDA)
        return difference_lambda(B, link, r->g, link->nv, t, x, lambda);
    return r->g_lambda(B, t, x, lambda, link->z, r->user);
}

int perp_smooth_input_x(double *K, perp_link *link, double t, const double *x, const double *lambda)
{
    const perp_relation *r = &link->relation;
    if (link->absent & PERP_PART_G_X)
        return difference_x(K, link, r->g, link->nv, t, x, lambda);
    double *g_x = link->H_x ? link->work : K;
    int refused = r->g_x(g_x, t, x, lambda, link->z, r->user);
    if (link->H_x && !refused)
        perp_link_to_rates(K, link, g_x, x, link->nv);
    return refused;
}
