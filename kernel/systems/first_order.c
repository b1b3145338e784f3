/* SPDX-License-Identifier: BSD-3-Clause */
/* First-order systems: M x' = A x + b + f(t, x) + T(x) u(t, x) + r ([SDN] sec. 2.2, 2.3, 9.1). */
#include <string.h>

#include "kernel/systems/dynamic_system.h"
#include "numerics/core/sized.h"

void perp_first_order_def_init(perp_first_order_def *def, size_t size)
{
    const perp_first_order_def begun = {0};
    perp_sized_init(def, size, &begun, sizeof begun);
}

/* The name of the first field that is missing or in conflict with another, NULL where none. */
static const char *check_fields(const perp_first_order_def *def)
{
    if (def->n <= 0)
        return "n";
    if (!def->x0)
        return "x0";
    if (def->A_at && def->A.rows)
        return "A_at";
    if (def->b_at && def->b)
        return "b_at";
    if (def->f && !def->f_x && !def->differences)
        return "f_x";
    if (def->controls < 0 || (def->controls == 0 && (def->T || def->u)))
        return "controls";
    if (def->controls > 0 && !def->T)
        return "T";
    if (def->controls > 0 && !def->u)
        return "u";
    if (def->controls > 0 && !def->control_x && !def->differences)
        return "control_x";
    return NULL;
}

static perp_status fill(perp_system *s, const perp_first_order_def *def, perp_pool *pool,
                        perp_where *where)
{
    perp_status status = perp_system_fill(s->q[PERP_NOW], def->x0, def->n, "x0", where);
    if (status == PERP_SOLVED)
        status = perp_system_mass(s, &def->M, 0, pool, where);
    if (status == PERP_SOLVED)
        status =
            perp_system_copy_mat(&s->as.first_order.A, &def->A, def->n, def->n, "A", pool, where);
    if (status == PERP_SOLVED)
        status = perp_system_fill(s->constant, def->b, def->n, "b", where);
    if (status == PERP_SOLVED)
        status = perp_system_parameters(s, def->z, def->nz, pool, where);
    return status;
}

perp_status perp_first_order_make(perp_system *s, const perp_first_order_def *def, perp_pool *pool,
                                  perp_where *where)
{
    const char *field = check_fields(def);
    if (field)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, field, -1);
    perp_first_order_def *own = &s->as.first_order;
    int callbacks = def->A_at || def->f || def->controls > 0;
    s->kind = PERP_SYSTEM_FIRST_ORDER;
    s->user = def->user;
    s->linear = !def->f && def->controls == 0;
    s->W_constant = !callbacks;
    s->plain = !callbacks && !def->b_at && !def->A.rows;
    *own = *def;
    memset(&own->A, 0, sizeof own->A);
    perp_status status = perp_system_vectors(s, def->n, def->n, 0, pool);
    if (status == PERP_SOLVED)
        status = fill(s, def, pool, where);
    if (status == PERP_SOLVED && callbacks)
        status = perp_system_callback_memory(s, def->controls, pool);
    if (status != PERP_SOLVED)
        return status;
    const perp_mat *terms[] = {&own->A};
    memset(&own->M, 0, sizeof own->M);
    own->x0 = NULL;
    own->b = s->constant;
    own->z = s->z;
    return perp_system_make_iteration(s, terms, 1, callbacks, pool, where);
}

static int term_f(double *out, perp_system *s, double t, const double *x, const double *v)
{
    return s->as.first_order.f(out, t, x, v, s->z, s->user);
}

static int term_control(double *out, perp_system *s, double t, const double *x, const double *v)
{
    const perp_first_order_def *def = &s->as.first_order;
    return perp_system_control(out, s, def->T, def->u, def->controls, t, x, v);
}

static int add_term(double *f, perp_system *s, perp_system_term term, double t, const double *x)
{
    int refused = term(s->base, s, t, x, NULL);
    for (int i = 0; !refused && i < s->nv; i++)
        f[i] += s->base[i];
    return refused;
}

int perp_first_order_force(double *f, perp_system *s, double t, const double *x)
{
    const perp_first_order_def *def = &s->as.first_order;
    if (!def->b_at)
        memcpy(f, s->constant, (size_t)s->nv * sizeof(double));
    else if (def->b_at(f, t, x, NULL, s->z, s->user))
        return 1;
    perp_system_add_product(f, &def->A, x, 1.0);
    if (def->A_at) {
        perp_mat view = {PERP_DENSE, s->nv, s->nv, {.dense = {s->matrix, s->nv}}};
        if (def->A_at(s->matrix, t, x, NULL, s->z, s->user))
            return 1;
        perp_system_add_product(f, &view, x, 1.0);
    }
    if (def->f && add_term(f, s, term_f, t, x))
        return 1;
    return def->controls > 0 && add_term(f, s, term_control, t, x);
}

int perp_first_order_jacobian(perp_system *s, double t, const double *x)
{
    const perp_first_order_def *def = &s->as.first_order;
    double *J = s->jacobian_q;
    size_t entries = (size_t)s->nv * (size_t)s->nv;
    memset(J, 0, entries * sizeof(double));
    perp_system_add_matrix(J, &def->A, 1.0);
    if (def->A_at) {
        if (def->A_at(s->matrix, t, x, NULL, s->z, s->user))
            return 1;
        for (size_t k = 0; k < entries; k++)
            J[k] += s->matrix[k];
    }
    if (def->f && perp_system_add_jacobian(J, s, def->f_x, term_f, t, x, NULL, 0, 1.0))
        return 1;
    return def->controls > 0 &&
           perp_system_add_jacobian(J, s, def->control_x, term_control, t, x, NULL, 0, 1.0);
}
