/* SPDX-License-Identifier: BSD-3-Clause */
/* With R the rotation of the body, A that of the axes of the fluid in it, r the point and
 * [.] x the matrix of a cross product,
 *
 *     u = A'(R'v + w x r),   f_b = - A (d + k |u|) u,   m_b = - A (d_w + k_w |A'w|) A'w + r x f_b
 *
 * in the body frame; f = R f_b; v is the velocity less that of the fluid.  With S = A diag(d + 2 k
 * |u|) A', T the same of the turns, and a small turn theta of the body, R (1 + [theta] x),
 *
 *     df_b = - S (R'dv - [r] x dw + [R'v] x dtheta),   df = R (df_b - [f_b] x dtheta),
 *     dm_b = - T dw + [r] x df_b,                      dtheta = 4 T(Q)'dQ.
 */
#include "scene/fluid.h"

#include <math.h>

#include "scene/cross.h"

/* What moves in the fluid: velocities in the body and along the axes of the fluid. */
typedef struct flow {
    double body[3], speed[3], rate[3];
} flow;

static flow flow_of(const perp_scene_spring *spring, const double *q, const double *v)
{
    const perp_scene_fluid *fluid = spring->fluid;
    double arm[3];
    const double through[3] = {v[0] - fluid->wind[0], v[1] - fluid->wind[1], v[2] - fluid->wind[2]};
    flow f;

    perp_quaternion_rotate_back(q + 3, through, f.body);
    perp_scene_cross(arm, v + 3, spring->end[0].place);
    for (int k = 0; k < 3; k++)
        arm[k] += f.body[k];
    perp_quaternion_rotate_back(fluid->axes, arm, f.speed);
    perp_quaternion_rotate_back(fluid->axes, v + 3, f.rate);
    return f;
}

/* Along the axes of the body.  Where the fluid rests no power is ever positive: each entry is
 * against its own velocity. */
static void resist(double force[3], double moment[3], const perp_scene_fluid *fluid, const flow *f)
{
    for (int k = 0; k < 3; k++) {
        force[k] = -(fluid->damping[k] + fluid->drag[k] * fabs(f->speed[k])) * f->speed[k];
        moment[k] = -(fluid->damping[3 + k] + fluid->drag[3 + k] * fabs(f->rate[k])) * f->rate[k];
    }
    if (fluid->ellipsoid.radii[0] > 0.0)
        perp_ellipsoid_drag_add(force, moment, &fluid->ellipsoid, f->speed, f->rate);
    perp_quaternion_rotate(fluid->axes, force, force);
    perp_quaternion_rotate(fluid->axes, moment, moment);
}

void perp_scene_fluid_force(double *out, const perp_scene_spring *spring, const double *q,
                            const double *v)
{
    flow f = flow_of(spring, q, v);
    double force[3], moment[3], turned[3], arm[3];

    resist(force, moment, spring->fluid, &f);
    perp_quaternion_rotate(q + 3, force, turned);
    perp_scene_cross(arm, spring->end[0].place, force);
    for (int k = 0; k < 3; k++) {
        out[k] += turned[k];
        out[3 + k] += moment[k] + arm[k];
    }
}

int perp_scene_fluid_has_slope(const perp_scene_spring *spring)
{
    return spring->fluid != NULL && !(spring->fluid->ellipsoid.radii[0] > 0.0);
}

/* out = - A diag(damping + 2 drag |u|) A'x. */
static void resisted(double out[3], const perp_scene_fluid *fluid, int turn, const double u[3],
                     const double x[3])
{
    perp_quaternion_rotate_back(fluid->axes, x, out);
    for (int k = 0; k < 3; k++)
        out[k] *= -(fluid->damping[turn + k] + 2.0 * fluid->drag[turn + k] * fabs(u[k]));
    perp_quaternion_rotate(fluid->axes, out, out);
}

/* Column += the change of the wrench as the velocity in the body changes by dv and the angular
 * velocity by dw; turn: NULL, or the turn of the body, which turns the force with it. */
static void add_column(double *column, const perp_scene_spring *spring, const flow *f,
                       const double *q, const double dv[3], const double dw[3],
                       const double force[3], const double *turn)
{
    const double *r = spring->end[0].place;
    double change[3], own[3], moment[3], arm[3];

    perp_scene_cross(arm, dw, r);
    for (int k = 0; k < 3; k++)
        change[k] = dv[k] + arm[k];
    resisted(own, spring->fluid, 0, f->speed, change);
    resisted(moment, spring->fluid, 3, f->rate, dw);
    perp_scene_cross(arm, r, own);
    for (int k = 0; k < 3; k++)
        column[3 + k] += moment[k] + arm[k];
    if (turn != NULL) {
        perp_scene_cross(arm, turn, force);
        for (int k = 0; k < 3; k++)
            own[k] += arm[k];
    }
    perp_quaternion_rotate(q + 3, own, own);
    for (int k = 0; k < 3; k++)
        column[k] += own[k];
}

/* by_q += derivatives by small turns of the body, taken by the quaternion: T'T = I/4 there. */
static void add_quaternion(double *by_q, const double turned[18], const double *q)
{
    double T[42];

    perp_body_rates(q, T);
    for (int c = 3; c < 7; c++)
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 6; i++)
                by_q[i + 6 * c] += 4.0 * turned[i + 6 * k] * T[c + 7 * (3 + k)];
}

void perp_scene_fluid_slope(double *by_q, double *by_v, const perp_scene_spring *spring,
                            const double *q, const double *v)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    flow f = flow_of(spring, q, v);
    double force[3], moment[3], turned[18] = {0.0};

    resist(force, moment, spring->fluid, &f);
    for (int k = 0; k < 3; k++) {
        double unit[3] = {0.0, 0.0, 0.0}, own[3];
        unit[k] = 1.0;
        perp_quaternion_rotate_back(q + 3, unit, own);
        add_column(by_v + 6 * k, spring, &f, q, own, none, force, NULL);
        add_column(by_v + 6 * (3 + k), spring, &f, q, none, unit, force, NULL);
        perp_scene_cross(own, f.body, unit);
        add_column(turned + 6 * k, spring, &f, q, own, none, force, unit);
    }
    add_quaternion(by_q, turned, q);
}
