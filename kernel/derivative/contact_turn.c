/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a detected contact by the places of its bodies, in closed form.  Row i of a body is
 * (f_i, R'(arm x f_i)) with f_i the normal or a tangent and arm from its centre of mass to the
 * point; when the body turns by a small phi in its own axes, d(R'm) = R' dm - phi x R'm. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/collide/collider.h"
#include "kernel/derivative/relation_turn.h"
#include "kernel/relations/twist.h"

/* A vector and its change. */
typedef struct pair {
    double x[3], dx[3];
} pair;

/* The bodies, and which of them moves: by a shift or by a turn about one of its axes. */
typedef struct motion {
    const double *q[2]; /* NULL: the world */
    double R[2][9];
    int body;
    double shift[3], turn[3], own_turn[3]; /* turn: inertial; own_turn: body frame */
} motion;

/* A point of a body given in its frame, or of the world. */
static pair carried(const motion *m, int body, const double *local, int direction)
{
    pair p;
    memcpy(p.x, local, sizeof p.x);
    memset(p.dx, 0, sizeof p.dx);
    if (!m->q[body])
        return p;
    perp_rotate3(p.x, m->R[body], local);
    if (body == m->body)
        perp_cross3(p.dx, m->turn, p.x);
    for (int k = 0; !direction && k < 3; k++) {
        p.x[k] += m->q[body][k];
        p.dx[k] += body == m->body ? m->shift[k] : 0.0;
    }
    return p;
}

/* a + s b + ds b for a number s that changes by ds. */
static pair sum(const pair *a, double s, double ds, const pair *b)
{
    pair p;
    for (int k = 0; k < 3; k++) {
        p.x[k] = a->x[k] + s * b->x[k];
        p.dx[k] = a->dx[k] + s * b->dx[k] + ds * b->x[k];
    }
    return p;
}

static pair cross(const pair *a, const pair *b)
{
    pair p;
    double more[3];
    perp_cross3(p.x, a->x, b->x);
    perp_cross3(p.dx, a->dx, b->x);
    perp_cross3(more, a->x, b->dx);
    for (int k = 0; k < 3; k++)
        p.dx[k] += more[k];
    return p;
}

/* Normal and points of both sides. */
static void geometry(pair *n, pair point[2], const perp_contact *contact, const motion *m)
{
    int ball = contact->reversed != 0;
    pair a = carried(m, ball, contact->ball, 0), b = carried(m, !ball, contact->other, 0);
    pair apart = sum(&a, -1.0, 0.0, &b);
    if (contact->plane) {
        pair up = carried(m, !ball, contact->normal, 1);
        double height = perp_dot3(up.x, apart.x);
        double grows = perp_dot3(up.dx, apart.x) + perp_dot3(up.x, apart.dx);
        point[ball] = sum(&a, -contact->radius, 0.0, &up);
        point[!ball] = sum(&a, -height, -grows, &up);
        for (int k = 0; k < 3; k++) {
            n->x[k] = ball ? -up.x[k] : up.x[k];
            n->dx[k] = ball ? -up.dx[k] : up.dx[k];
        }
        return;
    }
    double distance = sqrt(perp_dot3(apart.x, apart.x)), grows = 0.0;
    for (int k = 0; k < 3; k++)
        n->x[k] = distance > 0.0 ? apart.x[k] / distance : k == 2;
    grows = perp_dot3(n->x, apart.dx);
    for (int k = 0; k < 3; k++)
        n->dx[k] = distance > 0.0 ? (apart.dx[k] - grows * n->x[k]) / distance : 0.0;
    point[0] = sum(&a, -contact->radius, 0.0, n);
    point[1] = sum(&b, contact->other_radius, 0.0, n);
}

/* The tangents of perp_contact_frame(). */
static void tangents(pair frame[3])
{
    const pair *n = &frame[0];
    int axis = fabs(n->x[0]) < 0.8 ? 0 : 1;
    double along = n->x[axis], grows = n->dx[axis];
    double scale = 1.0 / sqrt(1.0 - along * along), widens = along * grows * scale * scale * scale;
    pair e = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, none = e;
    e.x[axis] = 1.0;
    frame[1] = sum(&none, scale, widens, &e);
    frame[1] = sum(&frame[1], -along * scale, -grows * scale - along * widens, n);
    frame[2] = cross(n, &frame[1]);
}

/* Change of row i of a body: sign (df, R' dm - phi x R'm). */
static void write_row(double *dH, int i, int rows, double sign, const motion *m, int body,
                      const pair *force, const pair *moment)
{
    double back[3], dback[3], turned[3] = {0.0, 0.0, 0.0};
    perp_rotate_back3(back, m->R[body], moment->x);
    perp_rotate_back3(dback, m->R[body], moment->dx);
    if (body == m->body)
        perp_cross3(turned, m->own_turn, back);
    for (int k = 0; k < 3; k++) {
        dH[i + k * rows] = force ? sign * force->dx[k] : 0.0;
        dH[i + (3 + k) * rows] = sign * (dback[k] - turned[k]);
    }
}

static void turn_rows(double *dH, int rows, const perp_contact *contact, const motion *m)
{
    pair frame[3], point[2];
    geometry(&frame[0], point, contact, m);
    tangents(frame);
    for (int body = 0; body < 2 && m->q[body]; body++, dH += 6 * rows) {
        double sign = body ? -1.0 : 1.0;
        static const double zero[3] = {0.0, 0.0, 0.0};
        pair centre = carried(m, body, zero, 0);
        pair arm = sum(&point[body], -1.0, 0.0, &centre);
        for (int i = 0; i < rows && i < 3; i++) {
            pair moment = cross(&arm, &frame[i]);
            write_row(dH, i, rows, sign, m, body, &frame[i], &moment);
        }
        for (int i = 3; i < rows; i++) /* turns about the tangents, the normal alone, or all */
            write_row(dH, i, rows, sign, m, body, NULL, &frame[rows == 5 ? i - 2 : i - 3]);
    }
}

void perp_contact_turns(double *G, int rows, const perp_contact *contact, const double *q_a,
                        const double *q_b)
{
    motion m = {.q = {q_a, q_b}};
    int bodies = q_b ? 2 : 1;
    for (int body = 0; body < bodies; body++)
        perp_quaternion_matrix(m.q[body] + 3, m.R[body]);
    for (m.body = 0; m.body < bodies; m.body++)
        for (int k = 0; k < 6; k++, G += (size_t)(rows * 6 * bodies)) {
            memset(m.shift, 0, sizeof m.shift);
            memset(m.turn, 0, sizeof m.turn);
            memset(m.own_turn, 0, sizeof m.own_turn);
            if (k < 3) {
                m.shift[k] = 1.0;
            } else {
                m.own_turn[k - 3] = 1.0;
                memcpy(m.turn, m.R[m.body] + 3 * (k - 3), sizeof m.turn);
            }
            turn_rows(G, rows, contact, &m);
        }
}
