/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the shapes are in this detection, and how far they may move in the step. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/collide/collider.h"
#include "kernel/model/away.h"
#include "kernel/model/model_inside.h"

/* half = |R| box_half + radius. */
void perp_shape_place_box(perp_shape *shape)
{
    const double *local = shape->box_half;
    double radius = shape->ball;
    perp_contact_outside(shape->centre, shape->q, shape->flat, shape->middle);
    for (int k = 0; k < 3; k++)
        shape->half[k] = shape->flat && k == 2 ? 0.0 : radius;
    for (int k = 0; k < 2 && shape->flat; k++)
        shape->half[k] += local[k];
    if (shape->flat || (local[0] == 0.0 && local[1] == 0.0 && local[2] == 0.0))
        return;
    double p[4], R[9];
    memcpy(p, shape->def.quaternion, sizeof p);
    if (shape->q)
        perp_quaternion_product(shape->q + 3, p, p);
    perp_quaternion_matrix(p, R);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            shape->half[k] += fabs(R[k + 3 * j]) * local[j];
}

static perp_status read_state(perp_collider *c, perp_shape *shape)
{
    double *v = NULL, spin;
    int nx = 0, nv = 0, dim = shape->flat ? 2 : 3;
    memset(shape->shift, 0, sizeof shape->shift);
    shape->turn = shape->push = 0.0;
    shape->q = NULL;
    shape->absent = 0;
    shape->rests = shape->seen && !c->changed;
    if (!shape->moving)
        return PERP_SOLVED;
    const perp_system *s = perp_model_system(c->model, shape->def.body);
    int absent = perp_model_is_absent(c->model, shape->def.body);
    if (perp_shape_list_points(c, shape, !absent) != PERP_SOLVED)
        return PERP_ERR_MEMORY;
    shape->absent = absent && !c->all;
    if (shape->absent)
        return PERP_SOLVED;
    shape->prescribed = s && perp_system_is_prescribed(s);
    if (perp_model_state(c->model, shape->def.body, &shape->q, &v, &nx, &nv) != PERP_SOLVED)
        return PERP_ERR_STATE;
    for (int i = 0; i < nx; i++)
        if (!isfinite(shape->q[i]) || (i < nv && !isfinite(v[i])))
            return perp_collider_fail(c, PERP_ERR_NONFINITE, (int)(shape - c->shapes),
                                      "the state of the system that carries shape %d is not finite",
                                      (int)(shape - c->shapes));
    shape->rests &= s && perp_system_rests(s);
    for (int i = 0; i < dim; i++)
        shape->shift[i] = c->h * v[i];
    spin = shape->flat ? fabs(v[2]) : sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
    shape->turn = c->h * spin * shape->arm;
    memcpy(shape->at, shape->q, sizeof(double) * (shape->flat ? 3 : 7));
    return PERP_SOLVED;
}

/* Of the two shapes against each other. */
static double way_between(const perp_shape *a, const perp_shape *b)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++)
        square += (a->shift[k] - b->shift[k]) * (a->shift[k] - b->shift[k]);
    return sqrt(square);
}

double perp_collider_distance(const perp_collider *c, int i, int j)
{
    const perp_shape *a = &c->shapes[i], *b = &c->shapes[j];
    return c->margin + way_between(a, b) + a->turn + b->turn + a->push + b->push;
}

static void give_push(perp_shape *shape, double way)
{
    if (shape->moving && !shape->prescribed)
        shape->push = fmax(shape->push, way);
}

/* What is struck in the step goes on with at most the speed at which it was met; what is slow stays
 * within the margin. */
static void foresee(perp_collider *c)
{
    for (int k = 0; k < c->nnow; k++) {
        perp_shape *a = &c->shapes[c->now[k]->first], *b = &c->shapes[c->now[k]->second];
        if (!perp_shape_is_here(a) || !perp_shape_is_here(b))
            continue;
        double way = way_between(a, b);
        if (way <= 0.5 * c->margin)
            continue;
        give_push(a, way);
        give_push(b, way);
    }
}

/* Twice the distance of any pair is within what the two boxes are enlarged by. */
static void place_spot(perp_spot *spot, const perp_collider *c, const perp_shape *shape)
{
    const double *s = shape->shift;
    double more =
        c->margin + c->nearer + 0.5 * c->most_skin +
        2.0 * (sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) + shape->turn + shape->push);
    for (int k = 0; k < 3; k++) {
        double enlarged = shape->flat && k == 2 ? 0.0 : shape->half[k] + more;
        spot->lo[k] = shape->centre[k] - enlarged;
        spot->hi[k] = shape->centre[k] + enlarged;
    }
}

perp_status perp_collider_place(perp_collider *c, double h, int foresees)
{
    c->h = h;
    perp_collider_renew_margin(c);
    for (int i = 0; i < c->nshapes; i++) {
        perp_shape *shape = &c->shapes[i];
        if (!shape->alive)
            continue;
        perp_status status = read_state(c, shape);
        if (status == PERP_ERR_STATE) {
            perp_shape_drop(c, i);
            continue;
        }
        if (status != PERP_SOLVED)
            return status;
    }
    if (foresees)
        foresee(c);
    for (int i = 0; i < c->nshapes; i++) {
        perp_shape *shape = &c->shapes[i];
        if (!perp_shape_is_here(shape))
            continue;
        perp_shape_place_box(shape);
        if (shape->endless)
            perp_contact_turn(shape->normal, shape->q, shape->flat, shape->def.normal);
        else
            place_spot(&c->spots[i], c, shape);
    }
    return PERP_SOLVED;
}
