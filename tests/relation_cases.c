/* SPDX-License-Identifier: BSD-3-Clause */
#include "relation_cases.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double case_uniform(perp_rng *rng)
{
    return perp_rng_signed(rng);
}

void case_fill(perp_rng *rng, double *x, int count)
{
    for (int k = 0; k < count; k++)
        x[k] = case_uniform(rng);
}

void case_quaternion(perp_rng *rng, double *q)
{
    double norm = 0.0;
    while (norm < 0.1) {
        case_fill(rng, q, 4);
        norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    }
    for (int k = 0; k < 4; k++)
        q[k] /= norm;
}

static perp_system_id add_first_order(perp_model *model, int n)
{
    perp_first_order_def def;
    perp_system_id id;
    double x0[4] = {0.1, 0.2, 0.3, 0.4};
    perp_first_order_def_init(&def);
    def.n = n;
    def.x0 = x0;
    ck_assert_int_eq(perp_model_add_first_order(model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static perp_system_id add_lagrangian(perp_model *model)
{
    perp_lagrangian_def def;
    perp_system_id id;
    double q0[3] = {0.1, 0.2, 0.3};
    perp_lagrangian_def_init(&def);
    def.n = 3;
    def.q0 = q0;
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static perp_system_id add_body(perp_model *model)
{
    perp_body_def def;
    perp_system_id id;
    perp_body_def_init(&def);
    ck_assert_int_eq(perp_model_add_body(model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

void case_random_states(scene *s, perp_rng *rng)
{
    for (int k = 0; k < s->count; k++) {
        perp_system *one = s->systems[k];
        case_fill(rng, one->q[PERP_NOW], one->nq);
        if (one->kind == PERP_SYSTEM_BODY)
            case_quaternion(rng, one->q[PERP_NOW] + 3);
        if (one->v[PERP_NOW])
            case_fill(rng, one->v[PERP_NOW], one->nv);
    }
}

scene case_scene(cast which, perp_rng *rng)
{
    scene s = {.count = 1};
    ck_assert_int_eq(perp_model_create(&s.model, NULL), PERP_SOLVED);
    if (which == CAST_FIRST || which == CAST_TWO_FIRST)
        s.id[0] = add_first_order(s.model, 4);
    else if (which == CAST_LAGRANGIAN || which == CAST_MIXED)
        s.id[0] = add_lagrangian(s.model);
    else
        s.id[0] = add_body(s.model);
    if (which == CAST_TWO_FIRST)
        s.id[1] = add_first_order(s.model, 2);
    if (which == CAST_MIXED || which == CAST_TWO_BODIES)
        s.id[1] = add_body(s.model);
    s.count = which == CAST_TWO_FIRST || which == CAST_MIXED || which == CAST_TWO_BODIES ? 2 : 1;
    for (int k = 0; k < s.count; k++) {
        s.systems[k] = perp_model_system(s.model, s.id[k]);
        s.N += s.systems[k]->nq;
        s.nv += s.systems[k]->nv;
    }
    case_random_states(&s, rng);
    return s;
}

void case_free(scene *s)
{
    perp_model_destroy(s->model);
}

perp_link *case_link(scene *s, const perp_relation *relation, const perp_law *law)
{
    perp_interaction_def def;
    perp_interaction_id id;
    perp_where where = {"", -1, -1};
    perp_interaction_def_init(&def);
    def.systems = s->id;
    def.nsystems = s->count;
    def.relation = *relation;
    def.law = *law;
    perp_status status = perp_model_add_interaction(s->model, &def, &id, &where);
    ck_assert_msg(status == PERP_SOLVED, "%s: %s", perp_status_name(status), where.what);
    return perp_model_link(s->model, id);
}

void case_move(double *to, const scene *s, const double *x, int j, double step)
{
    memcpy(to, x, (size_t)s->N * sizeof(double));
    for (int k = 0, first = 0; k < s->count; first += s->systems[k++]->nq) {
        double unit[CASE_MOST] = {0.0};
        int nv = s->systems[k]->nv;
        if (j >= 0 && j < nv) {
            unit[j] = 1.0;
            perp_system_move(to + first, s->systems[k], x + first, unit, step);
        }
        j -= nv;
    }
}

/* Coefficients that no symmetry hides: in [-1, 1], different for each table. */
static double coefficient(int table, int i, int j)
{
    return sin(1.0 + 5.0 * table + 3.1 * i + 7.3 * j);
}

/* y_i = sum_k a_ik sin(x_k + t b_i) + sum_j d_ij (lambda_j + lambda_j^2 / 4) + t^2 b_i z. */
static int h(double *out, double t, const double *x, const double *lambda, const double *z,
             void *user)
{
    const smooth_case *c = user;
    for (int i = 0; i < c->rows; i++) {
        double b = coefficient(1, i, 0);
        out[i] = t * t * b * z[0];
        for (int k = 0; k < c->N; k++)
            out[i] += coefficient(0, i, k) * sin(x[k] + t * b);
        for (int j = 0; j < c->rows; j++)
            out[i] += coefficient(2, i, j) * (lambda[j] + 0.25 * lambda[j] * lambda[j]);
    }
    return 0;
}

static int h_x(double *out, double t, const double *x, const double *lambda, const double *z,
               void *user)
{
    const smooth_case *c = user;
    (void)lambda;
    (void)z;
    for (int k = 0; k < c->N; k++)
        for (int i = 0; i < c->rows; i++)
            out[i + k * c->rows] = coefficient(0, i, k) * cos(x[k] + t * coefficient(1, i, 0));
    return 0;
}

static int h_t(double *out, double t, const double *x, const double *lambda, const double *z,
               void *user)
{
    const smooth_case *c = user;
    (void)lambda;
    for (int i = 0; i < c->rows; i++) {
        double b = coefficient(1, i, 0);
        out[i] = 2.0 * t * b * z[0];
        for (int k = 0; k < c->N; k++)
            out[i] += coefficient(0, i, k) * b * cos(x[k] + t * b);
    }
    return 0;
}

static int h_lambda(double *out, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    const smooth_case *c = user;
    (void)t;
    (void)x;
    (void)z;
    for (int j = 0; j < c->rows; j++)
        for (int i = 0; i < c->rows; i++)
            out[i + j * c->rows] = coefficient(2, i, j) * (1.0 + 0.5 * lambda[j]);
    return 0;
}

/* g_i = sum_j b_ij (lambda_j + lambda_j^2 / 3) + sum_k c_ik cos(x_k). */
static int g(double *out, double t, const double *x, const double *lambda, const double *z,
             void *user)
{
    const smooth_case *c = user;
    (void)t;
    (void)z;
    for (int i = 0; i < c->nv; i++) {
        out[i] = 0.0;
        for (int j = 0; j < c->rows; j++)
            out[i] += coefficient(3, i, j) * (lambda[j] + lambda[j] * lambda[j] / 3.0);
        for (int k = 0; k < c->N; k++)
            out[i] += coefficient(4, i, k) * cos(x[k]);
    }
    return 0;
}

static int g_x(double *out, double t, const double *x, const double *lambda, const double *z,
               void *user)
{
    const smooth_case *c = user;
    (void)t;
    (void)lambda;
    (void)z;
    for (int k = 0; k < c->N; k++)
        for (int i = 0; i < c->nv; i++)
            out[i + k * c->nv] = -coefficient(4, i, k) * sin(x[k]);
    return 0;
}

static int g_lambda(double *out, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    const smooth_case *c = user;
    (void)t;
    (void)x;
    (void)z;
    for (int j = 0; j < c->rows; j++)
        for (int i = 0; i < c->nv; i++)
            out[i + j * c->nv] = coefficient(3, i, j) * (1.0 + 2.0 * lambda[j] / 3.0);
    return 0;
}

perp_relation case_smooth(perp_relation_kind kind, smooth_case *user, const scene *s)
{
    static const double z = 0.7;
    *user = (smooth_case){s->N, s->nv, CASE_ROWS};
    return (perp_relation){.kind = kind,
                           .rows = CASE_ROWS,
                           .h = h,
                           .h_x = h_x,
                           .h_t = h_t,
                           .h_lambda = h_lambda,
                           .g = g,
                           .g_x = g_x,
                           .g_lambda = g_lambda,
                           .z = &z,
                           .nz = 1,
                           .user = user};
}
