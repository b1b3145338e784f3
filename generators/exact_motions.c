/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/exact_motions.h"

#include <math.h>
#include <string.h>

const perp_impacts_example perp_impacts_examples[] = {
    {.name = "ball",
     .title = "bouncing ball, accumulation at t = 3",
     .force = -2.0,
     .e = 0.5,
     .q0 = 1.0,
     .end = 4.987,
     .rest = 3.0},
    {.name = "oscillator",
     .title = "impacting linear oscillator, transversal impacts",
     .damping = 0.1,
     .stiffness = 4.0,
     .force = 0.5,
     .e = 0.8,
     .q0 = 1.0,
     .end = 4.987,
     .rest = INFINITY},
    {.name = NULL}};

const perp_impacts_example *perp_impacts_find(const char *name)
{
    for (const perp_impacts_example *one = perp_impacts_examples; one->name; one++)
        if (!strcmp(one->name, name))
            return one;
    return NULL;
}

/* tau after a start in (q, v): damped oscillation about force / stiffness, or a parabola. */
static void flow(double *q, double *v, const perp_impacts_example *x, double q0, double v0,
                 double tau)
{
    if (!(x->stiffness > 0.0)) {
        *q = q0 + tau * (v0 + 0.5 * x->force * tau);
        *v = v0 + x->force * tau;
        return;
    }
    double decay = 0.5 * x->damping, omega = sqrt(x->stiffness - decay * decay);
    double middle = x->force / x->stiffness, a = q0 - middle, b = (v0 + decay * a) / omega;
    double size = exp(-decay * tau), c = cos(omega * tau), s = sin(omega * tau);
    *q = middle + size * (a * c + b * s);
    *v = size * ((b * omega - decay * a) * c - (a * omega + decay * b) * s);
}

/* The first root of q after `from`, to the last place of its distance; INFINITY without one. */
static double next_impact(const perp_impacts_example *x, double q0, double v0, double longest)
{
    if (!(x->stiffness > 0.0)) {
        double root = sqrt(v0 * v0 - 2.0 * x->force * q0);
        return (v0 + root) / -x->force;
    }
    enum { SCAN = 4000 };
    double low = 0.0, high = 0.0, q, v;
    for (int k = 1; k <= SCAN; k++) {
        high = longest * k / SCAN;
        flow(&q, &v, x, q0, v0, high);
        if (q < 0.0)
            break;
        low = high;
    }
    if (!(low < high))
        return INFINITY;
    for (double middle = 0.5 * (low + high); low < middle && middle < high;
         middle = 0.5 * (low + high)) {
        flow(&q, &v, x, q0, v0, middle);
        if (q < 0.0)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static void begin_piece(perp_impacts_motion *m, double t, double q, double v)
{
    m->start[m->pieces] = t;
    m->q[m->pieces] = q;
    m->v[m->pieces++] = v;
}

/* The impacts of the ball are numbers with few bits, and so are its speeds. */
void perp_impacts_prepare(perp_impacts_motion *motion, const perp_impacts_example *example)
{
    double t = 0.0, q = example->q0, v = example->v0;
    memset(motion, 0, sizeof *motion);
    motion->example = example;
    while (motion->pieces + 1 < PERP_IMPACTS_PIECES) {
        double before, tau;
        begin_piece(motion, t, q, v);
        tau = next_impact(example, q, v, example->end - t + 1.0);
        if (t + tau > example->end || t + tau >= example->rest || t + tau <= t)
            break;
        flow(&q, &before, example, q, v, tau);
        t += tau;
        q = 0.0;
        v = -example->e * before;
    }
    if (isfinite(example->rest))
        begin_piece(motion, example->rest, 0.0, 0.0);
}

int perp_impacts_piece(const perp_impacts_motion *motion, double t)
{
    int piece = motion->pieces - 1;
    while (piece > 0 && t < motion->start[piece])
        piece--;
    return piece;
}

void perp_impacts_on(double *q, double *v, const perp_impacts_motion *motion, int piece, double t)
{
    if (motion->start[piece] >= motion->example->rest)
        *q = *v = 0.0;
    else
        flow(q, v, motion->example, motion->q[piece], motion->v[piece], t - motion->start[piece]);
}

void perp_impacts_at(double *q, double *v, const perp_impacts_motion *motion, double t)
{
    perp_impacts_on(q, v, motion, perp_impacts_piece(motion, t), t);
}

perp_status perp_impacts_add(perp_model *model, const perp_impacts_example *x,
                             perp_system_id *system, perp_interaction_id *contact)
{
    static const double one = 1.0;
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &x->q0;
    def.v0 = &x->v0;
    def.F = &x->force;
    if (x->damping > 0.0)
        perp_mat_init_dense(&def.C, 1, 1, &x->damping, 1);
    if (x->stiffness > 0.0)
        perp_mat_init_dense(&def.K, 1, 1, &x->stiffness, 1);
    perp_status status = perp_model_add_lagrangian(model, &def, system, NULL);
    if (status != PERP_SOLVED)
        return status;
    perp_interaction_def link;
    perp_interaction_def_init(&link, sizeof link);
    link.systems = system;
    link.nsystems = 1;
    link.relation = (perp_relation){
        .size = sizeof(perp_relation), .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
    link.law = perp_law_impact(x->e);
    return perp_model_add_interaction(model, &link, contact, NULL);
}
