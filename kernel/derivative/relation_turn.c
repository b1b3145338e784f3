/* SPDX-License-Identifier: BSD-3-Clause */
/* How rows turn: nothing for constant rows, closed forms, or central differences.  Joints have the
 * second derivatives of y along one-parameter turns; the derivative of H = (X_j y) in direction k
 * is X_k X_j y = Hess_jk + [X_k, X_j] y / 2, and on rotations [X_k, X_j] is X of e_k x e_j. */
#include "kernel/derivative/relation_turn.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/collide/collider.h"
#include "kernel/relations/discrete_gradient.h"

static const perp_contact *detected(const perp_link *link)
{
    const perp_relation *r = &link->relation;
    if (r->kind == PERP_RELATION_CONTACT)
        return r->contact == perp_contact_callback ? r->user : NULL;
    return r->h_x == perp_contact_flat_jacobian ? r->user : NULL;
}

int perp_link_is_found_again(const perp_link *link)
{
    const perp_contact *contact = detected(link);
    return contact && contact->frozen;
}

/* Its sides are balls, points or planes that stand or move with bodies of the model. */
static int is_closed(const perp_link *link, const perp_contact *contact)
{
    return contact && !contact->flat && !contact->frozen && contact->semi[0] == 0.0 &&
           !contact->has_belt && !link->guide;
}

perp_turn_source perp_link_turn_source(const perp_link *link)
{
    const perp_relation *r = &link->relation;
    if (link->linear && !r->C_at) /* no columns of it are on quaternions */
        return PERP_TURN_NONE;
    if (is_closed(link, detected(link)))
        return PERP_TURN_CLOSED;
    int joint = (r->kind == PERP_RELATION_JOINT && r->joint != PERP_JOINT_SPIN) ||
                r->kind == PERP_RELATION_COUPLING;
    return joint && !perp_link_has_drift(link) ? PERP_TURN_CLOSED : PERP_TURN_DIFFERENCES;
}

size_t perp_link_turn_work(const perp_link *link)
{
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv;
    return 2 * (size_t)link->N + nv * nv + 2 * rows * nv + 2 * rows;
}

/* The configurations of the systems become those of x; what they were goes to `kept`. */
static void exchange_guess(double *kept, const perp_link *link, const double *x)
{
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        size_t bytes = sizeof(double) * (size_t)s->nq;
        if (kept)
            memcpy(kept, s->q[PERP_GUESS], bytes);
        memcpy(s->q[PERP_GUESS], x, bytes);
        kept = kept ? kept + s->nq : NULL;
        x += s->nq;
    }
}

/* G += [X_k, X_j] y / 2 for the rotation that begins at coordinate `first`. */
static void add_bracket(double *G, const double *H, int row, int rows, int nv, int first)
{
    for (int l = 0; l < 3; l++) {
        int k = first + (l + 1) % 3, j = first + (l + 2) % 3;
        double half = 0.5 * H[row + (first + l) * rows];
        G[row + (j + k * nv) * rows] += half;
        G[row + (k + j * nv) * rows] -= half;
    }
}

/* Joints: row by row from the stiffness of a unit multiplier, -Hess/2. */
static int joint_turn(double *G, perp_link *link, double t, const double *x, double *work)
{
    int rows = link->rows, nv = link->nv;
    double *kept = work, *K = kept + link->N, *H = K + (size_t)nv * (size_t)nv, unit[6] = {0.0};
    if (perp_link_jacobian(H, link, t, x, unit))
        return 1;
    exchange_guess(kept, link, x);
    for (int i = 0; i < rows; i++) {
        unit[i] = 1.0;
        perp_link_stiffness(K, link, unit);
        unit[i] = 0.0;
        for (int k = 0; k < nv; k++)
            for (int j = 0; j < nv; j++)
                G[i + (j + k * nv) * rows] = -2.0 * K[j + k * nv];
        int at = 0;
        for (int s = 0; s < link->nsystems; at += link->systems[s++]->nv)
            if (link->systems[s]->kind == PERP_SYSTEM_BODY)
                add_bracket(G, H, i, rows, nv, at + 3);
    }
    exchange_guess(NULL, link, kept);
    return 0;
}

/* x with coordinate j of system k moved by step. */
static void moved(double *x, const perp_link *link, int k, int at, int j, double step,
                  const double *from)
{
    const perp_system *s = link->systems[k];
    memcpy(x, from, sizeof(double) * (size_t)link->N);
    if (s->kind == PERP_SYSTEM_BODY) {
        double unit[6] = {0.0};
        unit[j] = 1.0;
        perp_system_move(x + at, s, from + at, unit, step);
    } else {
        x[at + j] += step;
    }
}

static int differences(double *G, double *drift, perp_link *link, double t, const double *x,
                       double *work)
{
    size_t rows = (size_t)link->rows, each = rows * (size_t)link->nv;
    double *place = work, *H = place + link->N, *h_t = H + 2 * each;
    int at = 0, drifts = perp_link_has_drift(link);
    for (int k = 0; k < link->nsystems; at += link->systems[k++]->nq) {
        const perp_system *s = link->systems[k];
        for (int j = 0; j < s->nv; j++, G += each, drift += rows) {
            int turn = s->kind == PERP_SYSTEM_BODY && j >= 3;
            double step = cbrt(DBL_EPSILON) * fmax(1.0, turn ? 0.0 : fabs(x[at + j]));
            for (int side = 0; side < 2; side++) {
                moved(place, link, k, at, j, side ? step : -step, x);
                if (perp_link_jacobian(H + (size_t)side * each, link, t, place, link->lambda) ||
                    (drifts &&
                     perp_link_drift(h_t + (size_t)side * rows, link, t, place, link->lambda)))
                    return 1;
            }
            for (size_t i = 0; i < each; i++)
                G[i] = (H[each + i] - H[i]) / (2.0 * step);
            for (size_t i = 0; i < rows; i++)
                drift[i] = drifts ? (h_t[rows + i] - h_t[i]) / (2.0 * step) : 0.0;
        }
    }
    return 0;
}

int perp_link_turn(double *G, double *drift, perp_link *link, double t, const double *x,
                   double *work)
{
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv;
    memset(G, 0, sizeof(double) * rows * nv * nv);
    memset(drift, 0, sizeof(double) * rows * nv);
    if (perp_link_turn_source(link) == PERP_TURN_NONE)
        return 0;
    if (perp_link_turn_source(link) == PERP_TURN_DIFFERENCES)
        return differences(G, drift, link, t, x, work);
    const perp_contact *contact = detected(link);
    if (!contact)
        return joint_turn(G, link, t, x, work);
    perp_contact_turns(G, link->rows, contact, x, link->nsystems == 2 ? x + 7 : NULL);
    return 0;
}
