/* SPDX-License-Identifier: BSD-3-Clause */
/* Lagrangian systems: M(q) v' = F + F_ext(t) + T(q) u(t, q, v) - C v - K q - N(q, v)
 * - F_int(t, q, v) + p ([SDN] sec. 2.4, 2.5, (10.1), with the internal forces on the left). */
#include <string.h>

#include "kernel/systems/dynamic_system.h"
#include "numerics/core/sized.h"

void perp_lagrangian_def_init(perp_lagrangian_def *def, size_t size)
{
    const perp_lagrangian_def begun = {0};
    perp_sized_init(def, size, &begun, sizeof begun);
}

static const char *check_jacobians(const perp_lagrangian_def *def)
{
    if (def->differences)
        return NULL;
    if (def->N && !def->N_q)
        return "N_q";
    if (def->N && !def->N_v)
        return "N_v";
    if (def->F_int && !def->F_int_q)
        return "F_int_q";
    if (def->F_int && !def->F_int_v)
        return "F_int_v";
    if (def->controls > 0 && !def->control_q)
        return "control_q";
    if (def->controls > 0 && !def->control_v)
        return "control_v";
    return NULL;
}

/* The name of the first field that is missing or in conflict with another, NULL where none. */
static const char *check_fields(const perp_lagrangian_def *def)
{
    if (def->n <= 0)
        return "n";
    if (!def->q0)
        return "q0";
    if (def->mass && def->M.rows)
        return "mass";
    if (def->controls < 0 || (def->controls == 0 && (def->T || def->u)))
        return "controls";
    if (def->controls > 0 && !def->T)
        return "T";
    if (def->controls > 0 && !def->u)
        return "u";
    return check_jacobians(def);
}

static perp_status fill(perp_system *s, const perp_lagrangian_def *def, perp_pool *pool,
                        perp_where *where)
{
    int n = def->n;
    perp_lagrangian_def *own = &s->as.lagrangian;
    perp_status status = perp_system_fill(s->q[PERP_NOW], def->q0, n, "q0", where);
    if (status == PERP_SOLVED)
        status = perp_system_fill(s->v[PERP_NOW], def->v0, n, "v0", where);
    if (def->mass)
        s->mass_diagonal = NULL;
    else if (status == PERP_SOLVED)
        status = perp_system_mass(s, &def->M, 1, pool, where);
    if (status == PERP_SOLVED)
        status = perp_system_copy_mat(&own->C, &def->C, n, n, "C", pool, where);
    if (status == PERP_SOLVED)
        status = perp_system_copy_mat(&own->K, &def->K, n, n, "K", pool, where);
    if (status == PERP_SOLVED)
        status = perp_system_fill(s->constant, def->F, n, "F", where);
    if (status == PERP_SOLVED)
        status = perp_system_parameters(s, def->z, def->nz, pool, where);
    return status;
}

perp_status perp_lagrangian_make(perp_system *s, const perp_lagrangian_def *def, perp_pool *pool,
                                 perp_where *where)
{
    const char *field = check_fields(def);
    if (field)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, field, -1);
    perp_lagrangian_def *own = &s->as.lagrangian;
    int callbacks = def->mass || def->N || def->F_int || def->controls > 0;
    s->kind = PERP_SYSTEM_LAGRANGIAN;
    s->user = def->user;
    s->linear = !callbacks;
    s->W_constant = !callbacks;
    s->steady = !callbacks && !def->F_ext;
    s->plain = !callbacks && !def->F_ext && !def->C.rows && !def->K.rows;
    *own = *def;
    memset(&own->C, 0, sizeof own->C);
    memset(&own->K, 0, sizeof own->K);
    perp_status status = perp_system_vectors(s, def->n, def->n, 1, pool);
    if (status == PERP_SOLVED)
        status = fill(s, def, pool, where);
    if (status == PERP_SOLVED && callbacks)
        status = perp_system_callback_memory(s, def->controls, pool);
    if (status != PERP_SOLVED)
        return status;
    const perp_mat *terms[] = {&own->C, &own->K};
    memset(&own->M, 0, sizeof own->M);
    own->q0 = own->v0 = NULL;
    own->F = s->constant;
    own->z = s->z;
    return perp_system_make_iteration(s, terms, 2, callbacks, pool, where);
}

static int term_N(double *out, perp_system *s, double t, const double *q, const double *v)
{
    return s->as.lagrangian.N(out, t, q, v, s->z, s->user);
}

static int term_F_int(double *out, perp_system *s, double t, const double *q, const double *v)
{
    return s->as.lagrangian.F_int(out, t, q, v, s->z, s->user);
}

static int term_F_ext(double *out, perp_system *s, double t, const double *q, const double *v)
{
    return s->as.lagrangian.F_ext(out, t, q, v, s->z, s->user);
}

static int term_control(double *out, perp_system *s, double t, const double *q, const double *v)
{
    const perp_lagrangian_def *def = &s->as.lagrangian;
    return perp_system_control(out, s, def->T, def->u, def->controls, t, q, v);
}

static int add_term(double *f, perp_system *s, perp_system_term term, double t, const double *q,
                    const double *v, double sign)
{
    int refused = term(s->base, s, t, q, v);
    for (int i = 0; !refused && i < s->nv; i++)
        f[i] += sign * s->base[i];
    return refused;
}

int perp_lagrangian_force(double *f, perp_system *s, double t, const double *q, const double *v)
{
    const perp_lagrangian_def *def = &s->as.lagrangian;
    memcpy(f, s->constant, (size_t)s->nv * sizeof(double));
    perp_system_add_product(f, &def->C, v, -1.0);
    perp_system_add_product(f, &def->K, q, -1.0);
    return (def->F_ext && add_term(f, s, term_F_ext, t, q, v, 1.0)) ||
           (def->N && add_term(f, s, term_N, t, q, v, -1.0)) ||
           (def->F_int && add_term(f, s, term_F_int, t, q, v, -1.0)) ||
           (def->controls > 0 && add_term(f, s, term_control, t, q, v, 1.0));
}

int perp_lagrangian_jacobian(perp_system *s, double t, const double *q, const double *v)
{
    const perp_lagrangian_def *def = &s->as.lagrangian;
    size_t bytes = (size_t)s->nv * (size_t)s->nv * sizeof(double);
    memset(s->jacobian_q, 0, bytes);
    memset(s->jacobian_v, 0, bytes);
    perp_system_add_matrix(s->jacobian_q, &def->K, -1.0);
    perp_system_add_matrix(s->jacobian_v, &def->C, -1.0);
    const struct {
        int there;
        perp_system_fn by_q, by_v;
        perp_system_term term;
        double sign;
    } terms[] = {{def->N != NULL, def->N_q, def->N_v, term_N, -1.0},
                 {def->F_int != NULL, def->F_int_q, def->F_int_v, term_F_int, -1.0},
                 {def->controls > 0, def->control_q, def->control_v, term_control, 1.0}};
    for (int k = 0; k < 3; k++)
        if (terms[k].there && (perp_system_add_jacobian(s->jacobian_q, s, terms[k].by_q,
                                                        terms[k].term, t, q, v, 0, terms[k].sign) ||
                               perp_system_add_jacobian(s->jacobian_v, s, terms[k].by_v,
                                                        terms[k].term, t, q, v, 1, terms[k].sign)))
            return 1;
    return 0;
}

int perp_lagrangian_mass(double *M, perp_system *s, const double *q)
{
    return s->as.lagrangian.mass(M, 0.0, q, NULL, s->z, s->user);
}
