/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast a gap may close within a step though nothing strikes. */
#include <float.h>
#include <math.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

/* Coordinates round to half of DBL_EPSILON, a gap is a sum of a few of them that turn, and what
 * rests has moved by some of that for many steps. */
static const double ROUNDING = 1024.0 * DBL_EPSILON;
/* Of the rate that turns make in a step: what the step before may have left of it. */
static const double LEFT = 0.05;

double perp_verify_rest(const perp_verification *v, double place)
{
    return ROUNDING * place / v->h;
}

/* Of these coordinates. */
static double rest_rate(const perp_verification *v, const double *x, int n, double around)
{
    double most = around;

    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(x[k]));
    return perp_verify_rest(v, most);
}

/* By how much the velocity of the point of a body whose motion is given changes in the step: from
 * its places at three times a step apart. */
static double swing_of(const perp_verification *v, const perp_verify_system *s, const double *point)
{
    double t = v->t - v->h, q[3][7], own[3], at[3][3], change[3];

    for (int k = 0; k < 3; k++)
        perp_verify_pose(q[k], s, t + (k - 1) * v->h);
    for (int i = 0; i < 3; i++)
        own[i] = point[i] - q[1][i];
    space_turn_back(own, q[1] + 3, own);
    for (int k = 0; k < 3; k++) {
        space_turn(at[k], q[k] + 3, own);
        for (int i = 0; i < 3; i++)
            at[k][i] += q[k][i];
    }
    for (int i = 0; i < 3; i++)
        change[i] = (at[2][i] - 2.0 * at[1][i] + at[0][i]) / v->h;
    return space_length(change);
}

/* Velocity of the point of a body in the row before, added with a sign; its spin, and the speed of
 * the point by that alone. */
static double velocity_of(const perp_verification *v, const perp_verify_system *s,
                          const double *point, double sign, double *velocity, double *around)
{
    const double *q = v->before + s->q_at, *u = v->before + s->v_at;
    double w[3], arm[3];

    space_turn(w, q + 3, u + 3);
    for (int i = 0; i < 3; i++)
        arm[i] = point[i] - q[i];
    space_cross(arm, w, arm);
    for (int i = 0; i < 3; i++)
        velocity[i] += sign * (u[i] + arm[i]);
    *around += space_length(arm);
    return space_length(w);
}

double perp_verify_slow_contact(const perp_verification *v, const perp_verify_contact *c)
{
    const perp_verify_system *pair[2] = {c->first, c->second};
    double sum = 0.0, spin = 0.0, around = 0.0, velocity[3] = {0.0};

    for (int k = 0; k < 2; k++) {
        const perp_verify_system *s = pair[k];
        const double *point = k == 0 ? c->point_a : c->point_b;
        if (s == NULL || s->fixed)
            continue;
        if (s->q_at < 0 || s->v_at < 0)
            return HUGE_VAL;
        spin += velocity_of(v, s, point, k == 0 ? 1.0 : -1.0, velocity, &around);
        sum += rest_rate(v, v->before + s->q_at, 3, s->around);
        sum += s->motion != NULL ? swing_of(v, s, point) : v->h * space_length(s->force) / s->mass;
    }
    return sum + LEFT * v->h * spin * (2.0 * space_length(velocity) + around);
}

/* The same of row r of a relation that moves with time. */
static double row_swing(const perp_verification *v, const perp_verify_interaction *i, int r)
{
    double t = v->t - v->h, sum = 0.0;

    for (size_t k = 0; k < json_array_size(i->motion); k++) {
        const json_t *f = json_array_get(i->motion, k);
        if (perp_verify_whole(f, "row", 0) == r)
            sum += perp_verify_function(f, t + v->h) - 2.0 * perp_verify_function(f, t) +
                   perp_verify_function(f, t - v->h);
    }
    return fabs(sum) / v->h;
}

double perp_verify_slow_row(const perp_verification *v, const perp_verify_interaction *i, int r)
{
    double sum = row_swing(v, i, r);
    int column = 0;

    for (int k = 0; k < i->nsystems; k++) {
        const perp_verify_system *s = i->systems[k];
        if (s->kind != PERP_VERIFY_LINEAR || s->loads != NULL || s->K != NULL || s->springs ||
            s->q_at < 0)
            return HUGE_VAL;
        sum += rest_rate(v, v->before + s->q_at, s->nq, 0.0);
        for (int j = 0; j < s->nv; j++, column++)
            sum += v->h * fabs(i->C[r + column * i->rows] * s->F[j]) /
                   (s->M != NULL ? s->M[j * (s->nv + 1)] : 1.0);
    }
    return sum;
}
