/* SPDX-License-Identifier: BSD-3-Clause */
/* The two examples of [ACA10] (68)-(71) with their exact motions: a point on a line above q >= 0,
 *
 *     v' + damping v + stiffness q = force,  q' = v,  v+ = -e v- at impacts,
 *
 * in closed form between impacts; impact times are roots to the last place.
 *
 *     ball        v' = -2, e = 1/2, q = 1, v = 0 at t = 0: impacts at 3 - 2^(1-n), n = 0, 1, ...,
 *                 at rest from t = 3 on
 *     oscillator  v' + v/10 + 4 q = 1/2, e = 4/5, q = 1, v = 0 at t = 0: impacts at 0.87304,
 *                 2.64116, 4.48317 with speeds 1.65, 1.19, 0.85: transversal
 *
 * [ACA10] gives no data of its oscillator; these are ours.  Both are compared up to t = 4.987,
 * so that no impact of the ball, at multiples of powers of 2, is on a grid end/N, where it would
 * have to be said on which side of the jump the grid lies.
 */
#ifndef PERP_GENERATORS_EXACT_MOTIONS_H
#define PERP_GENERATORS_EXACT_MOTIONS_H

#include <perp/kernel.h>

typedef struct perp_impacts_example {
    const char *name, *title;
    double damping, stiffness, force, e, q0, v0;
    double end;  /* of the comparison */
    double rest; /* at rest on the ground from here on; INFINITY: never */
} perp_impacts_example;

/* The last one has the name NULL. */
extern const perp_impacts_example perp_impacts_examples[];
const perp_impacts_example *perp_impacts_find(const char *name); /* or NULL */

enum { PERP_IMPACTS_PIECES = 64 };

/* The motion in pieces between impacts: piece k begins at start[k] with (q[k], v[k]). */
typedef struct perp_impacts_motion {
    const perp_impacts_example *example;
    int pieces;
    double start[PERP_IMPACTS_PIECES], q[PERP_IMPACTS_PIECES], v[PERP_IMPACTS_PIECES];
} perp_impacts_motion;

/* All pieces that begin within [0, end]; the last of the ball is its rest. */
void perp_impacts_prepare(perp_impacts_motion *motion, const perp_impacts_example *example);
/* The piece at t; at an impact the one after it. */
int perp_impacts_piece(const perp_impacts_motion *motion, double t);
/* The motion at t as piece k goes on before and behind its ends. */
void perp_impacts_on(double *q, double *v, const perp_impacts_motion *motion, int piece, double t);
/* Right limits at t. */
void perp_impacts_at(double *q, double *v, const perp_impacts_motion *motion, double t);

/* Adds the example to a model: one Lagrangian system and one contact. */
perp_status perp_impacts_add(perp_model *model, const perp_impacts_example *example,
                             perp_system_id *system, perp_interaction_id *contact);

#endif
