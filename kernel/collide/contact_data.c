/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts as data, and callbacks when they begin, persist and end. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "core/float_environment.h"
#include "kernel/collide/collider.h"
#include "kernel/laws/law.h"
#include "numerics/core/sized.h"

/* Friction within this part of its largest slides. */
static const double AT_BOUND = 1e-6;
/* A turn in a step that is none. */
static const double NO_TURN = 1e-9;

/* The axes of the rows: normal and tangents. */
static void axes(double frame[9], const perp_contact *contact, const double *normal)
{
    if (!contact->flat) {
        perp_contact_frame(normal, frame);
        return;
    }
    memset(frame, 0, 9 * sizeof(double));
    frame[0] = normal[0];
    frame[1] = normal[1];
    frame[3] = -normal[1];
    frame[4] = normal[0];
}

static void add_spin(double *spin, double sign, const double *q, const double *v, int flat)
{
    double w[3] = {0.0, 0.0, 0.0};
    if (flat)
        w[2] = v[2];
    else
        perp_quaternion_rotate(q + 3, v + 3, w);
    for (int k = 0; k < 3; k++)
        spin[k] += sign * w[k];
}

perp_contact_state perp_contact_state_of(const perp_law *law, const double *u, const double *lambda,
                                         const double normal[3], const double spin[3], double h)
{
    double along = 0.0, square = 0.0, friction = 0.0;
    if (!law || !u || !lambda || !normal || !spin || !(lambda[0] > 0.0))
        return PERP_CONTACT_OPEN;
    for (int i = 1; i <= perp_law_slips(law); i++)
        friction += lambda[i] * lambda[i];
    if (law->dim == 1 || sqrt(friction) >= (1.0 - AT_BOUND) * law->mu * lambda[0])
        return PERP_CONTACT_SLIDING;
    for (int k = 0; k < 3; k++) {
        along += normal[k] * spin[k];
        square += spin[k] * spin[k];
    }
    square -= along * along;
    if (square > 0.0 && h * sqrt(square) > NO_TURN)
        return PERP_CONTACT_ROLLING;
    int turns = law->mu_s > 0.0 && h * fabs(u[3]) > NO_TURN &&
                fabs(lambda[3]) >= (1.0 - AT_BOUND) * law->mu_s * lambda[0];
    return turns ? PERP_CONTACT_SPINNING : PERP_CONTACT_STICKING;
}

static perp_status describe(perp_contact_info *own, const perp_collider *c,
                            const perp_contact *contact)
{
    double *q[2] = {NULL, NULL}, *v[2] = {NULL, NULL}, frame[9];
    const double *u = NULL, *lambda = NULL;
    *own = (perp_contact_info){.first = {contact->first, c->shapes[contact->first].generation},
                               .second = {contact->second, c->shapes[contact->second].generation},
                               .feature = contact->feature,
                               .interaction = contact->id,
                               .e = contact->law.e,
                               .mu = contact->law.mu,
                               .mu_r = contact->law.mu_r,
                               .mu_s = contact->law.mu_s,
                               .skin = contact->skin};
    for (int i = 0; i < contact->nsystems; i++) {
        perp_status status =
            perp_model_state(c->model, contact->systems[i], &q[i], &v[i], NULL, NULL);
        if (status != PERP_SOLVED)
            return status;
        add_spin(own->spin, i == 0 ? 1.0 : -1.0, q[i], v[i], contact->flat);
    }
    perp_contact_at(&own->point, contact, q[0], q[1]);
    if (perp_model_output(c->model, contact->id, NULL, &u, &lambda, NULL, NULL) != PERP_SOLVED)
        return PERP_SOLVED;
    axes(frame, contact, own->point.normal);
    int slips = perp_law_slips(&contact->law);
    const double *axis = contact->law.dim == 5 ? frame + 3 : frame; /* of the first moment */
    for (int i = 0; i < contact->law.dim - 1 - slips; i++)
        for (int k = 0; k < 3; k++)
            own->moment[k] +=
                lambda[1 + slips + i] * (contact->flat ? (double)(k == 2) : axis[3 * i + k]);
    for (int i = 0; i <= slips; i++)
        for (int k = 0; k < 3; k++) {
            own->velocity[k] += u[i] * frame[3 * i + k];
            own->impulse[k] += lambda[i] * frame[3 * i + k];
        }
    own->state =
        perp_contact_state_of(&contact->law, u, lambda, own->point.normal, own->spin, c->h);
    return PERP_SOLVED;
}

perp_status perp_collider_contact(const perp_collider *collider, int k, perp_contact_info *info)
{
    PERP_HOLD_ENVIRONMENT();
    perp_contact_info own;
    if (!collider || !info || k < 0 || k >= collider->nnow)
        return PERP_ERR_ARGUMENT;
    perp_status status = describe(&own, collider, collider->now[k]);
    return status == PERP_SOLVED ? perp_sized_write(info, &own, sizeof own) : status;
}

void perp_collider_set_on_contact(perp_collider *collider, perp_contact_event_fn fn, void *ctx)
{
    if (!collider)
        return;
    collider->on_contact = fn;
    collider->on_contact_ctx = ctx;
}

static int tell(perp_collider *c, const perp_contact *contact, perp_contact_event event)
{
    perp_contact_info info;
    if (!c->on_contact || describe(&info, c, contact) != PERP_SOLVED)
        return 0;
    info.size = sizeof info;
    return c->on_contact(c->on_contact_ctx, c, event, &info);
}

void perp_collider_tell_end(perp_collider *c, const perp_contact *contact)
{
    if (contact->pressed && tell(c, contact, PERP_CONTACT_ENDS))
        c->interrupted = 1;
}

int perp_collider_after_step(void *collider, perp_sim *sim, perp_model *model, double t, double h)
{
    PERP_HOLD_ENVIRONMENT();
    perp_collider *c = collider;
    (void)sim;
    (void)model;
    (void)t;
    (void)h;
    int stop = c ? c->interrupted : 0;
    for (int k = 0; c && k < c->nnow; k++) {
        perp_contact *contact = c->now[k];
        const double *lambda = NULL;
        int before = contact->pressed;
        if (perp_model_output(c->model, contact->id, NULL, NULL, &lambda, NULL, NULL) !=
            PERP_SOLVED)
            continue;
        contact->pressed = lambda[0] > 0.0;
        if (contact->pressed || before)
            stop |= tell(c, contact,
                         !before            ? PERP_CONTACT_BEGINS
                         : contact->pressed ? PERP_CONTACT_PERSISTS
                                            : PERP_CONTACT_ENDS);
    }
    if (c)
        c->interrupted = 0;
    return stop;
}
