/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/fault_scenes.h"

#include <math.h>
#include <string.h>

static const double WEIGHT = 9.81;

/* y = C q + e (NULL: 0) of the first system, `rows` rows. */
static perp_status add_rows(perp_model *model, const perp_system_id *system, int rows,
                            const double *C, const double *e, perp_law law)
{
    perp_interaction_def def;
    perp_interaction_id id;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = system;
    def.nsystems = 1;
    def.relation.rows = rows;
    def.relation.C = C;
    def.relation.e = e;
    def.law = law;
    return perp_model_add_interaction(model, &def, &id, NULL);
}

/* A point on the ground with friction: rows (height, way). */
static perp_status build_block(perp_model *model, perp_fault_errs *errs, perp_system_id *first)
{
    static const double q0[2] = {0.0, 0.004}, v0[2] = {2.0, -0.3}, F[2] = {0.0, -2.0 * 9.81};
    static const double M[4] = {2.0, 0.0, 0.0, 2.0}, C[4] = {0.0, 1.0, 1.0, 0.0};
    perp_lagrangian_def block;
    (void)errs;
    perp_lagrangian_def_init(&block, sizeof block);
    block.n = 2;
    block.q0 = q0;
    block.v0 = v0;
    block.F = F;
    perp_mat_init_dense(&block.M, 2, 2, M, 2);
    perp_status status = perp_model_add_lagrangian(model, &block, first, NULL);
    return status == PERP_SOLVED
               ? add_rows(model, first, 2, C, NULL, perp_law_friction(2, 0.3, 0.4))
               : status;
}

/* A mass on a circle: y = (x^2 + z^2 - 1)/2. */
static int circle(double *out, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = 0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0);
    return 0;
}

static int circle_x(double *out, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    const perp_fault_errs *errs = user;
    (void)t, (void)lambda, (void)z;
    out[0] = x[0];
    out[1] = x[1];
    if (errs->kind == PERP_CALLBACK_SIGN_OF_ENTRY)
        out[1] = -out[1];
    return 0;
}

static perp_status build_pendulum(perp_model *model, perp_fault_errs *errs, perp_system_id *first)
{
    static const double q0[2] = {0.8, -0.6}, v0[2] = {0.6, 0.8}, F[2] = {0.0, -9.81};
    perp_lagrangian_def mass;
    perp_interaction_def rod;
    perp_interaction_id id;
    perp_lagrangian_def_init(&mass, sizeof mass);
    mass.n = 2;
    mass.q0 = q0;
    mass.v0 = v0;
    mass.F = F;
    perp_status status = perp_model_add_lagrangian(model, &mass, first, NULL);
    perp_interaction_def_init(&rod, sizeof rod);
    rod.systems = first;
    rod.nsystems = 1;
    rod.relation.kind = PERP_RELATION_SCLERONOMOUS;
    rod.relation.rows = 1;
    rod.relation.h = circle;
    rod.relation.h_x = circle_x;
    rod.relation.user = errs;
    rod.law = perp_law_equality();
    return status == PERP_SOLVED ? perp_model_add_interaction(model, &rod, &id, NULL) : status;
}

static void err_in_contact(perp_contact_point *p, perp_fault_errs *errs)
{
    switch (errs->kind) {
    case PERP_CALLBACK_SIGN_OF_ROW:
        for (int k = 0; k < 3; k++)
            p->normal[k] = -p->normal[k];
        break;
    case PERP_CALLBACK_STALE_NORMAL:
        if (!errs->kept)
            memcpy(errs->normal, p->normal, sizeof errs->normal);
        errs->kept = 1;
        memcpy(p->normal, errs->normal, sizeof errs->normal);
        break;
    case PERP_CALLBACK_LOST_CONTACT:
        p->gap = 1.0;
        break;
    default:
        break;
    }
}

static perp_status add_sphere(perp_model *model, perp_system_id *id, double mass, double radius,
                              const double *place, const double *velocity, const double *angular,
                              const double *force)
{
    perp_body_def body;
    perp_body_def_init(&body, sizeof body);
    body.mass = mass;
    for (int k = 0; k < 3; k++) {
        body.inertia[4 * k] = 0.4 * mass * radius * radius;
        body.position[k] = place[k];
        body.velocity[k] = velocity[k];
        body.angular[k] = angular[k];
        body.force[k] = force[k];
    }
    return perp_model_add_body(model, &body, id, NULL);
}

/* A ball of radius 0.5 on a slope: the plane through the origin with this normal. */
static int slope(perp_contact_point *p, double t, const double *a, const double *b, const double *z,
                 void *user)
{
    const double n[3] = {0.28, 0.0, 0.96};
    (void)t, (void)b, (void)z;
    p->gap = -0.5;
    for (int k = 0; k < 3; k++)
        p->gap += n[k] * a[k];
    for (int k = 0; k < 3; k++) {
        p->normal[k] = n[k];
        p->point_a[k] = a[k] - 0.5 * n[k];
        p->point_b[k] = p->point_a[k] - p->gap * n[k];
    }
    err_in_contact(p, user);
    return 0;
}

static perp_status add_contact(perp_model *model, const perp_system_id *systems, int count,
                               perp_contact_fn fn, perp_fault_errs *errs, perp_law law)
{
    perp_interaction_def contact;
    perp_interaction_id id;
    perp_interaction_def_init(&contact, sizeof contact);
    contact.systems = systems;
    contact.nsystems = count;
    contact.relation.kind = PERP_RELATION_CONTACT;
    contact.relation.rows = 3;
    contact.relation.contact = fn;
    contact.relation.user = errs;
    contact.law = law;
    return perp_model_add_interaction(model, &contact, &id, NULL);
}

static perp_status build_ball(perp_model *model, perp_fault_errs *errs, perp_system_id *first)
{
    const double place[3] = {0.14, 0.0, 0.4805}, velocity[3] = {0.3, 0.4, 0.0};
    const double angular[3] = {1.0, -60.0, 0.5}, force[3] = {0.0, 0.0, -3.0 * WEIGHT};
    perp_status status = add_sphere(model, first, 3.0, 0.5, place, velocity, angular, force);
    return status == PERP_SOLVED
               ? add_contact(model, first, 1, slope, errs, perp_law_friction(3, 0.2, 0.15))
               : status;
}

/* Two balls that are pressed together in empty space, radii 0.3 and 0.2. */
static int touch(perp_contact_point *p, double t, const double *a, const double *b, const double *z,
                 void *user)
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    (void)t, (void)z;
    p->gap = length - 0.5;
    for (int k = 0; k < 3; k++) {
        p->normal[k] = d[k] / length;
        p->point_a[k] = a[k] - 0.3 * p->normal[k];
        p->point_b[k] = b[k] + 0.2 * p->normal[k];
    }
    err_in_contact(p, user);
    return 0;
}

static perp_status build_pair(perp_model *model, perp_fault_errs *errs, perp_system_id *first)
{
    static const double place[2][3] = {{0.0, 0.0, 0.0}, {0.5001, 0.0, 0.0}};
    static const double velocity[2][3] = {{0.1, 0.3, 0.0}, {-0.4, -0.5, 0.2}};
    static const double angular[2][3] = {{0.0, 3.0, 0.0}, {1.0, 0.0, -4.0}};
    static const double force[2][3] = {{40.0, 0.0, 0.0}, {-40.0, 0.0, 0.0}};
    perp_system_id pair[2];
    perp_status status =
        add_sphere(model, &pair[0], 2.0, 0.3, place[0], velocity[0], angular[0], force[0]);
    if (status == PERP_SOLVED)
        status = add_sphere(model, &pair[1], 1.0, 0.2, place[1], velocity[1], angular[1], force[1]);
    *first = pair[0];
    return status == PERP_SOLVED
               ? add_contact(model, pair, 2, touch, errs, perp_law_friction(3, 0.3, 0.3))
               : status;
}

/* Two rods on ball joints, the second with a spin. */
static perp_status build_chain(perp_model *model, perp_fault_errs *errs, perp_system_id *first)
{
    perp_system_id rods[2];
    perp_status status = PERP_SOLVED;
    (void)errs;
    for (int k = 0; k < 2 && status == PERP_SOLVED; k++) {
        perp_body_def rod;
        perp_body_def_init(&rod, sizeof rod);
        rod.mass = 1.0 + k;
        const double inertia[3] = {0.01, 0.04, 0.045};
        for (int i = 0; i < 3; i++)
            rod.inertia[4 * i] = inertia[i] * rod.mass;
        rod.position[0] = 0.25 + 0.5 * k;
        rod.angular[0] = 2.0 + 3.0 * k;
        rod.force[2] = -WEIGHT * rod.mass;
        status = perp_model_add_body(model, &rod, &rods[k], NULL);
    }
    for (int k = 0; k < 2 && status == PERP_SOLVED; k++) {
        const perp_system_id both[2] = {rods[k], rods[0]};
        perp_interaction_def joint;
        perp_interaction_id id;
        perp_interaction_def_init(&joint, sizeof joint);
        joint.systems = both;
        joint.nsystems = 1 + k;
        joint.relation.kind = PERP_RELATION_JOINT;
        joint.relation.joint = PERP_JOINT_POINT;
        joint.relation.rows = 3;
        joint.relation.anchor[0] = 0.5 * k;
        joint.law = perp_law_equality();
        status = perp_model_add_interaction(model, &joint, &id, NULL);
    }
    *first = rods[0];
    return status;
}

/* Three masses with springs, dampers and a stop that the last one meets. */
static perp_status build_springs(perp_model *model, perp_fault_errs *errs, perp_system_id *first)
{
    static const double M[9] = {2.0, 0.3, 0.0, 0.3, 1.5, 0.2, 0.0, 0.2, 1.0};
    static const double K[9] = {300.0, -100.0, 0.0, -100.0, 200.0, -100.0, 0.0, -100.0, 100.0};
    static const double D[9] = {0.4, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.2};
    static const double q0[3] = {0.1, -0.1, 0.02}, v0[3] = {0.0, 0.5, -1.0};
    static const double F[3] = {1.0, 0.0, -3.0}, C[3] = {0.0, 0.0, 1.0};
    perp_lagrangian_def masses;
    (void)errs;
    perp_lagrangian_def_init(&masses, sizeof masses);
    masses.n = 3;
    masses.q0 = q0;
    masses.v0 = v0;
    masses.F = F;
    perp_mat_init_dense(&masses.M, 3, 3, M, 3);
    perp_mat_init_dense(&masses.K, 3, 3, K, 3);
    perp_mat_init_dense(&masses.C, 3, 3, D, 3);
    perp_status status = perp_model_add_lagrangian(model, &masses, first, NULL);
    return status == PERP_SOLVED ? add_rows(model, first, 1, C, NULL, perp_law_impact(0.5))
                                 : status;
}

/* A slider whose mass depends on its place, between two stops. */
static int mass_of(double *out, double t, const double *q, const double *v, const double *z,
                   void *user)
{
    perp_fault_errs *errs = user;
    (void)t, (void)v, (void)z;
    out[0] = 1.0 + 0.5 * q[0] * q[0];
    if (errs->kind == PERP_CALLBACK_FICKLE_MASS && ++errs->calls % 2 == 0)
        out[0] *= 1.0 + errs->amount;
    return 0;
}

static int inertia_of(double *out, double t, const double *q, const double *v, const double *z,
                      void *user)
{
    (void)t, (void)z, (void)user;
    out[0] = 0.5 * q[0] * v[0] * v[0] + 20.0 * sin(q[0]);
    return 0;
}

static int inertia_q(double *out, double t, const double *q, const double *v, const double *z,
                     void *user)
{
    (void)t, (void)z, (void)user;
    out[0] = 0.5 * v[0] * v[0] + 20.0 * cos(q[0]);
    return 0;
}

static int inertia_v(double *out, double t, const double *q, const double *v, const double *z,
                     void *user)
{
    (void)t, (void)z, (void)user;
    out[0] = q[0] * v[0];
    return 0;
}

static perp_status build_slider(perp_model *model, perp_fault_errs *errs, perp_system_id *first)
{
    static const double q0 = 0.4, v0 = 1.0, C[2] = {1.0, -1.0}, e[2] = {0.5, 0.5};
    perp_lagrangian_def slider;
    perp_lagrangian_def_init(&slider, sizeof slider);
    slider.n = 1;
    slider.q0 = &q0;
    slider.v0 = &v0;
    slider.mass = mass_of;
    slider.N = inertia_of;
    slider.N_q = inertia_q;
    slider.N_v = inertia_v;
    slider.user = errs;
    perp_status status = perp_model_add_lagrangian(model, &slider, first, NULL);
    return status == PERP_SOLVED ? add_rows(model, first, 2, C, e, perp_law_impact(0.6)) : status;
}

/* Four masses in a row between two walls, with gaps of 1e-3 to 0.1 and the first two together. */
static perp_status build_row(perp_model *model, perp_fault_errs *errs, perp_system_id *first)
{
    static const double q0[4] = {0.1, 0.1, 0.15, 0.151}, v0[4] = {2.0, 0.0, 0.0, -1.0};
    static const double M[16] = {1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0,
                                 0.0, 0.0, 0.7, 0.0, 0.0, 0.0, 0.0, 1.3};
    static const double C[20] = {1.0, -1.0, 0.0, 0.0,  0.0, 0.0, 1.0, -1.0, 0.0, 0.0,
                                 0.0, 0.0,  1.0, -1.0, 0.0, 0.0, 0.0, 0.0,  1.0, -1.0};
    static const double e[5] = {0.0, 0.0, 0.0, 0.0, 0.2};
    perp_lagrangian_def masses;
    (void)errs;
    perp_lagrangian_def_init(&masses, sizeof masses);
    masses.n = 4;
    masses.q0 = q0;
    masses.v0 = v0;
    perp_mat_init_dense(&masses.M, 4, 4, M, 4);
    perp_status status = perp_model_add_lagrangian(model, &masses, first, NULL);
    return status == PERP_SOLVED ? add_rows(model, first, 5, C, e, perp_law_impact(0.95)) : status;
}

/* Between the planes z = 0 and z = 1.2, radius 0.3. */
static int ground(perp_contact_point *p, double t, const double *a, const double *b,
                  const double *z, void *user)
{
    (void)t, (void)b, (void)z;
    memset(p, 0, sizeof *p);
    p->gap = a[2] - 0.3;
    p->normal[2] = 1.0;
    memcpy(p->point_a, a, sizeof p->point_a);
    memcpy(p->point_b, a, sizeof p->point_b);
    p->point_a[2] = a[2] - 0.3;
    p->point_b[2] = 0.0;
    err_in_contact(p, user);
    return 0;
}

static int ceiling(perp_contact_point *p, double t, const double *a, const double *b,
                   const double *z, void *user)
{
    (void)t, (void)b, (void)z, (void)user;
    memset(p, 0, sizeof *p);
    p->gap = 0.9 - a[2];
    p->normal[2] = -1.0;
    memcpy(p->point_a, a, sizeof p->point_a);
    memcpy(p->point_b, a, sizeof p->point_b);
    p->point_a[2] = a[2] + 0.3;
    p->point_b[2] = 1.2;
    return 0;
}

/* A ball with spin between a floor and a ceiling that rub differently. */
static perp_status build_between(perp_model *model, perp_fault_errs *errs, perp_system_id *first)
{
    const double place[3] = {0.0, 0.0, 0.45}, velocity[3] = {1.0, 0.4, -3.0};
    const double angular[3] = {1.0, -6.0, 0.5}, force[3] = {0.0, 0.0, -2.0 * WEIGHT};
    perp_status status = add_sphere(model, first, 2.0, 0.3, place, velocity, angular, force);
    if (status == PERP_SOLVED)
        status = add_contact(model, first, 1, ground, errs, perp_law_friction(3, 0.95, 0.02));
    return status == PERP_SOLVED
               ? add_contact(model, first, 1, ceiling, errs, perp_law_friction(3, 0.9, 0.03))
               : status;
}

static const perp_fault_scene scenes[] = {
    {"block", 1e-4, 800, "moreau-jean", "", "imsdwtpcuf", build_block},
    {"pendulum", 1e-4, 500, "moreau-jean", "2", "imswtpjf", build_pendulum},
    {"ball", 1e-4, 800, "moreau-jean", "14", "imsdwtpuf", build_ball},
    {"pair", 1e-4, 3000, "moreau-jean", "134", "imsadwtpf", build_pair},
    {"chain", 1e-4, 400, "moreau-jean", "", "imsawtpjgf", build_chain},
    {"springs", 1e-4, 2000, "moreau-jean", "", "wtpf", build_springs},
    {"slider", 1e-4, 2000, "moreau-jean", "5", "wtp", build_slider},
    {"block, default scheme", 2e-3, 300, NULL, "", "", build_block},
    {"pendulum, default scheme", 2e-3, 300, NULL, "2", "", build_pendulum},
    {"ball, default scheme", 2e-3, 300, NULL, "14", "", build_ball},
    {"pair, default scheme", 1e-3, 600, NULL, "134", "", build_pair},
    {"chain, default scheme", 2e-3, 300, NULL, "", "", build_chain},
    {"springs, default scheme", 2e-3, 400, NULL, "", "", build_springs},
    {"slider, default scheme", 1e-3, 400, NULL, "5", "", build_slider},
    {"row, default scheme", 1e-3, 600, NULL, "", "EVGNID", build_row},
    {"between, default scheme", 2e-3, 600, NULL, "", "EFVGNID", build_between},
};

const perp_fault_scene *perp_fault_scene_at(int k)
{
    return k >= 0 && k < (int)(sizeof scenes / sizeof scenes[0]) ? &scenes[k] : NULL;
}
