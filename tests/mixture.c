/* SPDX-License-Identifier: BSD-3-Clause */
#include "mixture.h"

#include <string.h>

/* A plane under a sphere of radius 0.2. */
static int floor_gap(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                     const double *z, void *user)
{
    (void)t, (void)q_b, (void)z, (void)user;
    point->gap = q_a[2] - 0.2;
    for (int i = 0; i < 3; i++) {
        point->normal[i] = i == 2;
        point->point_a[i] = point->point_b[i] = q_a[i] - (i == 2 ? 0.2 : 0.0);
    }
    return 0;
}

static void add_ball(mixture *m)
{
    const double q0[] = {0.3, 0.0}, v0[] = {0.0, 1.0}, F[] = {-9.81, 0.0};
    const double C[] = {1.0, 0.0, 0.0, 1.0};
    m->ball = rig_lagrangian(&m->r, 2, q0, v0, NULL, F);
    rig_linear(&m->r, m->ball, 2, C, NULL, perp_law_friction(2, 0.5, 0.1));
}

static void add_body(mixture *m)
{
    perp_body_def def;
    perp_body_def_init(&def);
    def.position[2] = 0.5;
    def.velocity[0] = 1.0;
    def.angular[1] = -3.0;
    def.angular[2] = 1.0;
    def.force[2] = -9.81;
    m->body = rig_add_body(&m->r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_CONTACT, 3);
    relation.contact = floor_gap;
    rig_interact(&m->r, &m->body, 1, &relation, perp_law_friction(3, 0.3, 0.4));
}

static void add_arm(mixture *m)
{
    perp_body_def def;
    perp_body_def_init(&def);
    def.position[0] = 1.0;
    def.force[2] = -9.81;
    m->arm = rig_add_body(&m->r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_JOINT, 5);
    relation.joint = PERP_JOINT_PIVOT;
    relation.axis[1] = 1.0;
    rig_interact(&m->r, &m->arm, 1, &relation, perp_law_equality());
}

static void add_circuit(mixture *m)
{
    const double x0[] = {10.0, 0.0}, A[] = {0.0, 2.0, -3.0, 0.0}, B[] = {-3.0, 0.0};
    const double C[] = {-1.0, 0.0}, D = 2.0;
    m->circuit = rig_first_order(&m->r, 2, x0, A);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.B = B;
    relation.C = C;
    relation.D = &D;
    rig_interact(&m->r, &m->circuit, 1, &relation, perp_law_complementarity());
}

static void add_relay(mixture *m)
{
    const double x0[] = {1.0, -0.4}, A[] = {0.1, -1.0, 1.0, 0.0}, B[] = {1.0, 0.0, 0.0, 1.0};
    m->relay = rig_first_order(&m->r, 2, x0, A);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 2);
    relation.B = relation.C = B;
    rig_interact(&m->r, &m->relay, 1, &relation, perp_law_relay(-1.0, 2.0));
}

void mixture_define(mixture *m, int with, const perp_allocator *allocator)
{
    memset(m, 0, sizeof *m);
    rig_init_with(&m->r, 2e-3, allocator);
    m->r.options.solver = "gs";
    if (with & WITH_BALL)
        add_ball(m);
    if (with & WITH_RELAY)
        add_relay(m);
    if (with & WITH_BODY)
        add_body(m);
    if (with & WITH_CIRCUIT)
        add_circuit(m);
    if (with & WITH_ARM)
        add_arm(m);
}

void mixture_make(mixture *m, int with, const perp_scheme *scheme, const perp_allocator *allocator)
{
    mixture_define(m, with, allocator);
    rig_start(&m->r, scheme);
}

void mixture_free(mixture *m)
{
    rig_free(&m->r);
}

int mixture_states(double *out, const mixture *m)
{
    int count = 0;
    perp_system_id id = {0, 0};
    for (;;) {
        double *x, *v;
        int nx, nv;
        id = perp_model_next_system(m->r.model, id);
        if (id.generation == 0)
            return count;
        perp_model_state(m->r.model, id, &x, &v, &nx, &nv);
        memcpy(out + count, x, (size_t)nx * sizeof *x);
        count += nx;
        if (v)
            memcpy(out + count, v, (size_t)nv * sizeof *v);
        count += v ? nv : 0;
    }
}
