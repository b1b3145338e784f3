/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems, callbacks and derivatives for the tests of relations. */
#ifndef PERP_TEST_RELATION_CASES_H
#define PERP_TEST_RELATION_CASES_H

#include <core/rng.h>
#include <perp/model.h>

#include "kernel/model/model_inside.h"

enum { CASE_ROWS = 3, CASE_MOST = 14 };

/* Which systems take part. */
typedef enum cast {
    CAST_FIRST,      /* one first-order system */
    CAST_TWO_FIRST,  /* two */
    CAST_LAGRANGIAN, /* one */
    CAST_BODY,
    CAST_TWO_BODIES,
    CAST_MIXED, /* a Lagrangian system and a body */
    CASTS
} cast;

typedef struct scene {
    perp_model *model;
    perp_system_id id[2];
    perp_system *systems[2];
    int count, N, nv;
} scene;

double case_uniform(perp_rng *rng); /* in [-1, 1) */
void case_fill(perp_rng *rng, double *x, int count);
void case_quaternion(perp_rng *rng, double *q);

/* Systems with random states. */
scene case_scene(cast which, perp_rng *rng);
void case_free(scene *s);
void case_random_states(scene *s, perp_rng *rng);
/* The interaction as a link of the scene's model. */
perp_link *case_link(scene *s, const perp_relation *relation, const perp_law *law);
/* to = x (+) step e_j, j an entry of all velocities. */
void case_move(double *to, const scene *s, const double *x, int j, double step);

/* Smooth functions of (t, x, lambda) with coefficients of their own; their Jacobians are
 * written out.  user: a smooth_case. */
typedef struct smooth_case {
    int N, nv, rows;
} smooth_case;
/* The relation of this kind with all functions given; `user` stays with the caller. */
perp_relation case_smooth(perp_relation_kind kind, smooth_case *user, const scene *s);

#endif
