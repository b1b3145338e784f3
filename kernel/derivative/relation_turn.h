/* SPDX-License-Identifier: BSD-3-Clause */
/* How the rows of a relation turn with the state: dH/dx, H rows x nv, x in the coordinates of the
 * velocities of its systems. */
#ifndef PERP_KERNEL_RELATION_TURN_H
#define PERP_KERNEL_RELATION_TURN_H

#include "kernel/relations/link.h"

struct perp_contact;

typedef enum perp_turn_source {
    PERP_TURN_GIVEN,      /* by the caller of the tape, who knows it */
    PERP_TURN_NONE,       /* the rows do not depend on the state */
    PERP_TURN_CLOSED,     /* closed form: contacts of a detection, joints, couplings */
    PERP_TURN_DIFFERENCES /* central differences of the callback alone */
} perp_turn_source;

perp_turn_source perp_link_turn_source(const perp_link *link);
/* 1: a contact whose points a narrow phase finds again in each detection, so that its callback says
 * how the points that were found move, and not how others would have been found. */
int perp_link_is_found_again(const perp_link *link);
/* G: rows x nv x nv, the matrix of one coordinate of x behind the other, and drift: rows x nv, that
 * of h_t (zero but for differences).  At time t; x: N entries, the states of the moment that
 * `moment` says.  work: as many numbers as perp_link_turn_work() says.  Non-zero: a callback
 * refused. */
int perp_link_turn(double *G, double *drift, perp_link *link, double t, const double *x,
                   double *work);
size_t perp_link_turn_work(const perp_link *link);

/* Closed form of a contact of a detection: G of `rows` rows. */
void perp_contact_turns(double *G, int rows, const struct perp_contact *contact, const double *q_a,
                        const double *q_b);

#endif
