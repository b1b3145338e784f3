/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes for the tests of contact detection, and the check of a contact's Jacobian. */
#ifndef PERP_TESTS_COLLIDE_SCENE_H
#define PERP_TESTS_COLLIDE_SCENE_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>

#include "core/rng.h"
#include "kernel/collide/collider.h"
#include "kernel/model/model_inside.h"

/* Memory that counts and fails from one allocation on. */
typedef struct ledger {
    long calls, alive, fail_at;
} ledger;

static inline void *ledger_allocate(void *ctx, size_t bytes)
{
    ledger *l = ctx;
    if (++l->calls >= l->fail_at && l->fail_at > 0)
        return NULL;
    void *block = malloc(bytes);
    l->alive += block != NULL;
    return block;
}

static inline void ledger_release(void *ctx, void *block)
{
    ledger *l = ctx;
    l->alive -= block != NULL;
    free(block);
}

typedef struct scene {
    perp_model *model;
    perp_collider *collider;
    perp_system_id *bodies;
    double *radius;
    int n;
} scene;

static inline double between(perp_rng *rng, double lo, double hi)
{
    return lo + (hi - lo) * perp_rng_uniform(rng);
}

static inline perp_system_id add_body(perp_model *model, const double *position,
                                      const double *rotation)
{
    perp_body_def def;
    perp_system_id id;
    perp_body_def_init(&def);
    memcpy(def.position, position, sizeof def.position);
    if (rotation)
        perp_quaternion_exp(def.quaternion, rotation);
    ck_assert_int_eq(perp_model_add_body(model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static inline perp_system_id add_flat(perp_model *model, double x, double y, double angle)
{
    perp_lagrangian_def def;
    perp_system_id id;
    double q[3] = {x, y, angle};
    perp_lagrangian_def_init(&def);
    def.n = 3;
    def.q0 = q;
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static inline void open_scene(scene *s, int n)
{
    ck_assert_int_eq(perp_model_create(&s->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&s->collider, s->model, NULL), PERP_SOLVED);
    s->bodies = calloc((size_t)n + 1, sizeof *s->bodies);
    s->radius = calloc((size_t)n + 1, sizeof *s->radius);
    s->n = n;
}

static inline void close_scene(scene *s)
{
    perp_collider_destroy(s->collider);
    perp_model_destroy(s->model);
    free(s->bodies);
    free(s->radius);
}

static inline double *state_of(scene *s, int i, double **v)
{
    double *x;
    ck_assert_int_eq(perp_model_state(s->model, s->bodies[i], &x, v, NULL, NULL), PERP_SOLVED);
    return x;
}

static inline void detect(scene *s, double h)
{
    ck_assert_int_eq(perp_collider_detect(s->collider, 0.0, h), PERP_SOLVED);
}

/* Spheres of several sizes, one of them large and one far away. */
static inline void random_spheres(scene *s, int n, perp_rng *rng)
{
    open_scene(s, n);
    for (int i = 0; i < n; i++) {
        double x[3] = {between(rng, -2, 2), between(rng, -2, 2), between(rng, -2, 2)};
        s->radius[i] = i == n / 2 ? 1.5 : between(rng, 0.05, 0.35);
        if (i == n / 3)
            x[0] = 1e12;
        s->bodies[i] = add_body(s->model, x, NULL);
        ck_assert_int_eq(
            perp_collider_add_sphere(s->collider, s->bodies[i], s->radius[i], NULL, NULL, NULL),
            PERP_SOLVED);
    }
}

static inline void shake(scene *s, perp_rng *rng, double shift, double speed)
{
    for (int i = 0; i < s->n; i++) {
        double *v, *x = state_of(s, i, &v);
        for (int k = 0; k < 3; k++) {
            x[k] += between(rng, -shift, shift);
            v[k] = between(rng, -speed, speed);
        }
    }
}

static inline int same(perp_interaction_id a, perp_interaction_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

/* Bodies moved by hand along each unit velocity: gap and points there. */
static inline perp_link *only_link(scene *s, int k)
{
    perp_contact_info info;
    ck_assert_int_eq(perp_collider_contact(s->collider, k, &info), PERP_SOLVED);
    perp_link *link = perp_model_link(s->model, info.interaction);
    ck_assert_ptr_nonnull(link);
    return link;
}

/* State of all systems of the link after a motion by step along velocity `column`. */
static inline void moved(double *x, const perp_link *link, int column, double step)
{
    int q = 0, v = 0;
    for (int i = 0; i < link->nsystems; i++) {
        const perp_system *s = link->systems[i];
        double V[6] = {0};
        if (column >= v && column < v + s->nv)
            V[column - v] = 1.0;
        perp_system_move(x + q, s, s->q[PERP_NOW], V, step);
        q += s->nq;
        v += s->nv;
    }
}

/* The particle of system `which` that is at `point` now: where it is at x. */
static inline void particle(double *out, const perp_link *link, int which, const double *x,
                            const double *point)
{
    int flat = link->systems[which]->kind == PERP_SYSTEM_LAGRANGIAN;
    const double *now = link->systems[which]->q[PERP_NOW];
    double local[3];
    perp_contact_inside(local, now, flat, point);
    perp_contact_outside(out, x + which * (flat ? 3 : 7), flat, local);
}

/* Rows of H: the derivative of the gap, and velocities of the particles in touch. */
static inline void check_jacobian(scene *s, int k, double tolerance)
{
    perp_link *link = only_link(s, k);
    perp_contact_info info;
    double H[36], x[14], y[2][3], step = 1e-6;
    perp_collider_contact(s->collider, k, &info);
    moved(x, link, 0, 0.0);
    ck_assert_int_eq(perp_link_jacobian(H, link, 0.0, x, NULL), 0);
    for (int column = 0; column < link->nv; column++) {
        double rate[3] = {0.0, 0.0, 0.0}, along[3] = {0.0, 0.0, 0.0};
        for (int side = 0; side < 2; side++) {
            double at[3], sign = side ? -1.0 : 1.0;
            moved(x, link, column, sign * step);
            ck_assert_int_eq(perp_link_output(y[side], link, 0.0, x, NULL), 0);
            for (int i = 0; i < link->nsystems; i++) {
                particle(at, link, i, x, i ? info.point.point_b : info.point.point_a);
                for (int c = 0; c < 3; c++)
                    rate[c] += (i ? -sign : sign) * at[c] / (2.0 * step);
            }
        }
        for (int c = 0; c < 3; c++)
            along[0] += rate[c] * info.point.normal[c];
        ck_assert_double_eq_tol(H[column * link->rows], along[0], tolerance);
        ck_assert_double_eq_tol(H[column * link->rows], (y[0][0] - y[1][0]) / (2.0 * step),
                                tolerance);
        if (link->rows == 2)
            ck_assert_double_eq_tol(H[column * 2 + 1],
                                    rate[1] * info.point.normal[0] - rate[0] * info.point.normal[1],
                                    tolerance);
        if (link->rows == 3) {
            double tangential = 0.0;
            for (int c = 0; c < 3; c++)
                tangential += rate[c] * rate[c];
            ck_assert_double_eq_tol(hypot(H[column * 3 + 1], H[column * 3 + 2]),
                                    sqrt(fmax(tangential - along[0] * along[0], 0.0)),
                                    1e3 * tolerance);
        }
    }
}

#endif
