/* SPDX-License-Identifier: BSD-3-Clause */
/* Surfaces that run over their shapes: a rate of slip of their own in the rows of friction. */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "kernel/collide/collider.h"
#include "kernel/laws/law.h"

perp_status perp_collider_set_surface(perp_collider *collider, perp_shape_id id,
                                      const double *velocity, const double *spin)
{
    PERP_HOLD_ENVIRONMENT();
    if (!collider)
        return PERP_ERR_ARGUMENT;
    if (id.index >= (uint32_t)collider->nshapes || !collider->shapes[id.index].alive ||
        collider->shapes[id.index].generation != id.generation)
        return PERP_ERR_STATE;
    perp_shape *shape = &collider->shapes[id.index];
    for (int k = 0; k < 3; k++)
        if ((velocity && !isfinite(velocity[k])) || (spin && !isfinite(spin[k])))
            return PERP_ERR_NONFINITE;
    for (int k = 0; k < 3; k++) {
        shape->belt[k] = velocity ? velocity[k] : 0.0;
        shape->belt_spin[k] = spin ? spin[k] : 0.0;
    }
    shape->has_belt = velocity || spin;
    collider->changed = 1;
    return PERP_SOLVED;
}

int perp_collider_has_belt(const perp_collider *c, const perp_contact *contact)
{
    return contact->law.dim > 1 &&
           (c->shapes[contact->first].has_belt || c->shapes[contact->second].has_belt);
}

void perp_contact_set_belts(const perp_collider *c, perp_contact *contact)
{
    const uint32_t slots[2] = {contact->first, contact->second};
    for (int k = 0; k < 2; k++) {
        memcpy(contact->belts[k], c->shapes[slots[k]].belt, 3 * sizeof(double));
        memcpy(contact->belts[k] + 3, c->shapes[slots[k]].belt_spin, 3 * sizeof(double));
    }
}

/* Angular velocity along the normal of a surface against its body. */
static double belt_turn(const double *normal, const double *belt, const double *q, int flat)
{
    double w[3];
    perp_contact_turn(w, q, flat, belt + 3);
    return normal[0] * w[0] + normal[1] * w[1] + normal[2] * w[2];
}

/* rate += sign times the velocity of a surface at a point, inertial frame. */
static void add_belt(double *rate, double sign, const double *belt, const double *q, int flat,
                     const double *point)
{
    const double *w = belt + 3;
    double r[3], v[3], out[3];
    perp_contact_inside(r, q, flat, point);
    v[0] = belt[0] + w[1] * r[2] - w[2] * r[1];
    v[1] = belt[1] + w[2] * r[0] - w[0] * r[2];
    v[2] = belt[2] + w[0] * r[1] - w[1] * r[0];
    perp_contact_turn(out, q, flat, v);
    for (int k = 0; k < 3; k++)
        rate[k] += sign * out[k];
}

int perp_contact_surface_rate(double *h_t, double t, const double *x, const double *lambda,
                              const double *z, void *user)
{
    const perp_contact *contact = user;
    const double *q_b = contact->nsystems == 2 ? x + (contact->flat ? 3 : 7) : NULL;
    double rate[3] = {0.0, 0.0, 0.0}, frame[9];
    perp_contact_point point;
    (void)t;
    (void)lambda;
    (void)z;
    perp_contact_at(&point, contact, x, q_b);
    add_belt(rate, 1.0, contact->belts[0], x, contact->flat, point.point_a);
    add_belt(rate, -1.0, contact->belts[1], q_b, contact->flat, point.point_b);
    if (contact->flat) {
        frame[3] = -point.normal[1];
        frame[4] = point.normal[0];
        frame[5] = 0.0;
    } else {
        perp_contact_frame(point.normal, frame);
    }
    h_t[0] = 0.0;
    int slips = perp_law_slips(&contact->law);
    for (int i = 1 + slips; i < contact->law.dim; i++)
        h_t[i] = 0.0;
    if (contact->law.mu_s > 0.0)
        h_t[3] = belt_turn(point.normal, contact->belts[0], x, 0) -
                 belt_turn(point.normal, contact->belts[1], q_b, 0);
    for (int i = 1; i <= slips; i++)
        h_t[i] = frame[3 * i] * rate[0] + frame[3 * i + 1] * rate[1] + frame[3 * i + 2] * rate[2];
    return 0;
}
