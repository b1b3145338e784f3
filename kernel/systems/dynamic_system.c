/* SPDX-License-Identifier: BSD-3-Clause */
/* How integrators see systems: dispatch by kind. */
#include "kernel/systems/dynamic_system.h"

#include <string.h>

#include <perp/rotation.h>

int perp_system_force(double *f, perp_system *s, double t, const double *q, const double *v)
{
    s->evaluations++;
    if (s->plain) {
        for (int i = 0; i < s->nv; i++)
            f[i] = s->constant[i];
        return 0;
    }
    switch (s->kind) {
    case PERP_SYSTEM_FIRST_ORDER:
        return perp_first_order_force(f, s, t, q);
    case PERP_SYSTEM_LAGRANGIAN:
        return perp_lagrangian_force(f, s, t, q, v);
    default:
        return perp_body_force(f, s, t, q, v);
    }
}

static int has_mass_callback(const perp_system *s)
{
    return s->kind == PERP_SYSTEM_LAGRANGIAN && s->as.lagrangian.mass;
}

int perp_system_mass_apply(double *y, perp_system *s, const double *q_mass, const double *x)
{
    int n = s->nv;
    if (s->mass_diagonal) {
        for (int i = 0; i < n; i++)
            y[i] = s->mass_diagonal[i] * x[i];
        return 0;
    }
    perp_mat dense = {PERP_DENSE, n, n, {.dense = {s->matrix, n}}};
    const perp_mat *M = &s->mass;
    if (has_mass_callback(s)) {
        int refused = perp_lagrangian_mass(s->matrix, s, q_mass);
        if (refused)
            return refused;
        M = &dense;
    }
    memset(y, 0, (size_t)n * sizeof(double));
    perp_system_add_product(y, M, x, 1.0);
    return 0;
}

/* W += M(q_mass), and its derivative times the step where asked for.  Non-zero: refused. */
static int add_mass(perp_system *s, const double *q_mass, const double *step, double c)
{
    if (s->mass_diagonal) {
        perp_iteration_add_diagonal(&s->W, s->mass_diagonal, 1.0);
        return 0;
    }
    if (!has_mass_callback(s)) {
        perp_iteration_add(&s->W, &s->mass, 1.0);
        return 0;
    }
    const perp_lagrangian_def *def = &s->as.lagrangian;
    int refused = perp_lagrangian_mass(s->matrix, s, q_mass);
    if (refused)
        return refused;
    perp_iteration_add_dense(&s->W, s->matrix, 1.0);
    if (!def->mass_q || !step || c == 0.0)
        return 0;
    refused = def->mass_q(s->matrix, 0.0, q_mass, step, s->z, s->user);
    if (!refused)
        perp_iteration_add_dense(&s->W, s->matrix, c);
    return refused;
}

/* W -= a dF/dv + b dF/dq T(q). */
static int add_right_side(perp_system *s, double t, const double *q, const double *v, double a,
                          double b)
{
    int refused = 0;
    switch (s->kind) {
    case PERP_SYSTEM_FIRST_ORDER:
        if (!s->jacobian_q) {
            perp_iteration_add(&s->W, &s->as.first_order.A, -b);
            return 0;
        }
        refused = perp_first_order_jacobian(s, t, q);
        if (!refused)
            perp_iteration_add_dense(&s->W, s->jacobian_q, -b);
        return refused;
    case PERP_SYSTEM_LAGRANGIAN:
        if (s->W_constant) {
            perp_iteration_add(&s->W, &s->as.lagrangian.C, a);
            perp_iteration_add(&s->W, &s->as.lagrangian.K, b);
            return 0;
        }
        refused = perp_lagrangian_jacobian(s, t, q, v);
        if (!refused) {
            perp_iteration_add_dense(&s->W, s->jacobian_v, -a);
            perp_iteration_add_dense(&s->W, s->jacobian_q, -b);
        }
        return refused;
    default:
        if (!s->jacobian_q)
            return 0;
        refused = perp_body_jacobian(s, t, q, v);
        if (!refused) {
            perp_iteration_add_dense(&s->W, s->jacobian_v, -a);
            perp_system_to_rates(s->matrix, s, s->jacobian_q, q, s->nv);
            perp_iteration_add_dense(&s->W, s->matrix, -b);
        }
        return refused;
    }
}

/* Is W with these weights the constant mass and nothing else? */
static int is_mass(const perp_system *s, double a, double b)
{
    if (has_mass_callback(s) || s->kind == PERP_SYSTEM_FIRST_ORDER)
        return 0;
    if (a == 0.0 && b == 0.0)
        return 1;
    return s->turns_alone && (s->as.body.no_gyroscopic || s->without_gyroscopic);
}

perp_status perp_system_matrix(perp_system *s, double t, const double *q_mass, const double *q,
                               const double *v, double a, double b, const double *step, double c)
{
    int mass = is_mass(s, a, b);
    if (mass && s->W_is_mass)
        return PERP_SOLVED;
    s->W_ready = s->W_is_mass = 0;
    s->W_version++;
    perp_iteration_zero(&s->W);
    if (add_mass(s, q_mass, step, c) || (!mass && add_right_side(s, t, q, v, a, b)))
        return PERP_INTERRUPTED;
    s->W_is_mass = mass;
    return PERP_SOLVED;
}

perp_status perp_system_iteration(perp_system *s, double t, const double *q_mass, const double *q,
                                  const double *v, double a, double b, const double *step, double c)
{
    /* Of a plain system W is M whatever the weights are. */
    if (s->W_ready && s->W_constant && (s->plain || (s->W_key[0] == a && s->W_key[1] == b)))
        return PERP_SOLVED;
    if (s->W_ready && s->W_is_mass && is_mass(s, a, b))
        return PERP_SOLVED;
    int index;
    if (perp_system_matrix(s, t, q_mass, q, v, a, b, step, c) != PERP_SOLVED)
        return PERP_INTERRUPTED;
    perp_status status = perp_iteration_factor(&s->W, &index);
    if (status == PERP_SOLVED) {
        s->W_ready = 1;
        s->W_key[0] = a;
        s->W_key[1] = b;
    }
    return status;
}

void perp_system_move(double *q_out, const perp_system *s, const double *q, const double *v,
                      double h)
{
    if (s->kind == PERP_SYSTEM_BODY) {
        perp_body_move(q, v, h, q_out);
        return;
    }
    for (int i = 0; i < s->nq; i++)
        q_out[i] = q[i] + h * v[i];
}

void perp_system_rates(double *dq, const perp_system *s, const double *q, const double *v)
{
    if (s->kind != PERP_SYSTEM_BODY) {
        memcpy(dq, v, sizeof(double) * (size_t)s->nv);
        return;
    }
    const double *p = q + 3, *w = v + 3;
    memcpy(dq, v, 3 * sizeof(double));
    dq[3] = 0.5 * (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]);
    dq[4] = 0.5 * (p[0] * w[0] - p[3] * w[1] + p[2] * w[2]);
    dq[5] = 0.5 * (p[3] * w[0] + p[0] * w[1] - p[1] * w[2]);
    dq[6] = 0.5 * (-p[2] * w[0] + p[1] * w[1] + p[0] * w[2]);
}

/* out = in T(q) with T of perp_body_rates: columns of the quaternion times Psi(p)/2. */
void perp_system_to_rates(double *out, const perp_system *s, const double *in, const double *q,
                          int rows)
{
    size_t count = (size_t)rows;
    if (s->kind != PERP_SYSTEM_BODY) {
        memcpy(out, in, count * (size_t)s->nq * sizeof(double));
        return;
    }
    const double *p = q + 3;
    memcpy(out, in, 3 * count * sizeof(double));
    const double *c0 = in + 3 * count, *c1 = c0 + count, *c2 = c1 + count, *c3 = c2 + count;
    double *w1 = out + 3 * count, *w2 = w1 + count, *w3 = w2 + count;
    for (size_t i = 0; i < count; i++) {
        w1[i] = 0.5 * (-p[1] * c0[i] + p[0] * c1[i] + p[3] * c2[i] - p[2] * c3[i]);
        w2[i] = 0.5 * (-p[2] * c0[i] - p[3] * c1[i] + p[0] * c2[i] + p[1] * c3[i]);
        w3[i] = 0.5 * (-p[3] * c0[i] + p[2] * c1[i] - p[1] * c2[i] + p[0] * c3[i]);
    }
}
