/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of impacts.csv: a relation that was struck in a stage of a step. */
#ifndef PERP_SCENE_VERIFY_IMPACTS_H
#define PERP_SCENE_VERIFY_IMPACTS_H

#include <math.h>

#include "scene/verify/verify_inside.h"

typedef enum perp_verify_impact_law {
    PERP_VERIFY_CARRIED, /* no impact */
    PERP_VERIFY_NEWTON,
    PERP_VERIFY_COMPRESSION, /* of Poisson's law, and its */
    PERP_VERIFY_EXPANSION
} perp_verify_impact_law;

struct perp_verify_impact {
    int stage, relation, feature, rows, is_point, shape[2];
    perp_verify_impact_law law;
    const perp_verify_interaction *interaction; /* or, of a detected contact, */
    perp_verify_system *first, *second;
    /* time: of the step, as a part of it; at: that of its Jacobian.  In this order in the file. */
    double time, restitution, at;
    double normal[3], point_a[3], point_b[3]; /* of a point; 21 numbers with what follows */
    /* Vectors of the world of a point, else its rows. */
    double impulse[3], moment[3], before[3], after[3];
};

static inline int perp_verify_stands(const perp_verify_system *s)
{
    return s == NULL || s->fixed;
}

/* impact_drift.c: of the rates of a line whose systems are known. */
double perp_verify_drift(const perp_verification *v, const perp_verify_impact *i);
/* Inverse mass of its lighter body whose mass is known; *known = 0: one is not. */
double perp_verify_mobility(const perp_verify_impact *i, int *known);

/* The next line, or NULL behind the last one. */
void perp_verify_next_impact_line(perp_verification *v);

#endif
