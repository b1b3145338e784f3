/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_rig.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static void solved(perp_status status, const perp_where *where)
{
    ck_assert_msg(status == PERP_SOLVED, "%s at %s, index %d", perp_status_name(status),
                  where && where->what ? where->what : "?", where ? where->index : -1);
}

void rig_init(rig *r, double h)
{
    rig_init_with(r, h, NULL);
}

void rig_init_with(rig *r, double h, const perp_allocator *allocator)
{
    memset(r, 0, sizeof *r);
    r->allocator = allocator;
    solved(perp_model_create(&r->model, allocator), NULL);
    perp_sim_options_init(&r->options, sizeof r->options);
    r->options.h = h;
    r->options.solver = "lemke";
    r->options.settings.tol = 1e-12;
}

void rig_free(rig *r)
{
    perp_sim_destroy(r->sim);
    perp_model_destroy(r->model);
    memset(r, 0, sizeof *r);
}

perp_mat rig_dense(const double *x, int rows, int cols)
{
    perp_mat mat;
    solved(perp_mat_init_dense(&mat, rows, cols, x, rows), NULL);
    return mat;
}

perp_scheme rig_scheme(const char *name, const char *parameters)
{
    perp_scheme scheme;
    char text[256], *rest = NULL;
    solved(perp_scheme_init(&scheme, name, sizeof scheme), NULL);
    snprintf(text, sizeof text, "%s", parameters);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        ck_assert_ptr_nonnull(value);
        *value = '\0';
        perp_status status = perp_scheme_set(&scheme, word, value + 1);
        ck_assert_msg(status == PERP_SOLVED, "%s = %s: %s", word, value + 1,
                      perp_status_name(status));
    }
    return scheme;
}

perp_system_id rig_add_first_order(rig *r, const perp_first_order_def *def)
{
    perp_system_id id;
    perp_where where = {NULL, -1, -1};
    solved(perp_model_add_first_order(r->model, def, &id, &where), &where);
    return id;
}

perp_system_id rig_add_lagrangian(rig *r, const perp_lagrangian_def *def)
{
    perp_system_id id;
    perp_where where = {NULL, -1, -1};
    solved(perp_model_add_lagrangian(r->model, def, &id, &where), &where);
    return id;
}

perp_system_id rig_add_body(rig *r, const perp_body_def *def)
{
    perp_system_id id;
    perp_where where = {NULL, -1, -1};
    solved(perp_model_add_body(r->model, def, &id, &where), &where);
    return id;
}

perp_system_id rig_first_order(rig *r, int n, const double *x0, const double *A)
{
    perp_first_order_def def;
    perp_first_order_def_init(&def);
    def.n = n;
    def.x0 = x0;
    if (A)
        def.A = rig_dense(A, n, n);
    return rig_add_first_order(r, &def);
}

perp_system_id rig_lagrangian(rig *r, int n, const double *q0, const double *v0, const double *M,
                              const double *F)
{
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def);
    def.n = n;
    def.q0 = q0;
    def.v0 = v0;
    def.F = F;
    if (M)
        def.M = rig_dense(M, n, n);
    return rig_add_lagrangian(r, &def);
}

perp_interaction_id rig_interact(rig *r, const perp_system_id *systems, int count,
                                 const perp_relation *relation, perp_law law)
{
    perp_interaction_def def;
    perp_interaction_id id;
    perp_where where = {NULL, -1, -1};
    perp_interaction_def_init(&def);
    def.systems = systems;
    def.nsystems = count;
    def.relation = *relation;
    def.law = law;
    solved(perp_model_add_interaction(r->model, &def, &id, &where), &where);
    return id;
}

perp_relation rig_relation(perp_relation_kind kind, int rows)
{
    perp_relation relation;
    memset(&relation, 0, sizeof relation);
    relation.kind = kind;
    relation.rows = rows;
    return relation;
}

perp_interaction_id rig_linear(rig *r, perp_system_id system, int rows, const double *C,
                               const double *e, perp_law law)
{
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, rows);
    relation.C = C;
    relation.e = e;
    return rig_interact(r, &system, 1, &relation, law);
}

void rig_start(rig *r, const perp_scheme *scheme)
{
    perp_where where = {NULL, -1, -1};
    solved(perp_sim_create(&r->sim, r->model, &r->options, r->allocator, &where), &where);
    if (scheme)
        solved(perp_sim_set_scheme(r->sim, (perp_system_id){0, 0}, scheme), NULL);
}

void rig_step(rig *r)
{
    perp_status status = perp_sim_step(r->sim);
    const perp_step_info *info = perp_sim_info(r->sim);
    ck_assert_msg(status == PERP_SOLVED,
                  "step %ld at t = %g: %s at %s %d: %s; solver %s: %s %g; newton %d, %g",
                  info->step, info->t, perp_status_name(status),
                  info->where.what ? info->where.what : "?", info->where.index, info->detail,
                  info->solver.solver ? info->solver.solver : "none",
                  perp_status_name(info->solver.status), info->solver.error, info->newton,
                  info->newton_residual);
}

void rig_run(rig *r, double t_end)
{
    while (perp_sim_time(r->sim) < t_end - 0.5 * r->options.h)
        rig_step(r);
}

double *rig_q(const rig *r, perp_system_id id)
{
    double *x;
    solved(perp_model_state(r->model, id, &x, NULL, NULL, NULL), NULL);
    return x;
}

double *rig_v(const rig *r, perp_system_id id)
{
    double *v;
    solved(perp_model_state(r->model, id, NULL, &v, NULL, NULL), NULL);
    return v;
}

const double *rig_input(const rig *r, perp_system_id id)
{
    const double *p;
    solved(perp_model_input(r->model, id, &p), NULL);
    return p;
}

const double *rig_y(const rig *r, perp_interaction_id id)
{
    const double *y;
    solved(perp_model_output(r->model, id, &y, NULL, NULL, NULL, NULL), NULL);
    return y;
}

const double *rig_u(const rig *r, perp_interaction_id id)
{
    const double *u;
    solved(perp_model_output(r->model, id, NULL, &u, NULL, NULL, NULL), NULL);
    return u;
}

const double *rig_lambda(const rig *r, perp_interaction_id id)
{
    const double *lambda;
    solved(perp_model_output(r->model, id, NULL, NULL, &lambda, NULL, NULL), NULL);
    return lambda;
}
