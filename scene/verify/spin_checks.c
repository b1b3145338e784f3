/* SPDX-License-Identifier: BSD-3-Clause */
/* Angular momentum of groups of bodies that touch each other and no world:
 *
 *     sum of (x - c) x m v + R J omega  changes by  h sum of (x half way - c) x F + R M
 *
 * over a step, c the centre of mass of the group at its start.  Interactions give none but for what
 * a step turns their places by: that is taken off, with what a scheme leaves of the rotation of a
 * body that is no sphere, of the order (h omega)^2. */
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

/* Of one group. */
typedef struct group {
    double change[3], scale, slack, centre[3], mass;
    int excluded;
} group;

static int is_rigid(const perp_verify_system *s)
{
    return !s->fixed && !s->motion && (s->kind == PERP_VERIFY_BODY || s->planar);
}

/* Place and velocity of the centre of mass; three entries also in the plane. */
static void centre_of(double *x, double *u, const perp_verify_system *s, const double *row)
{
    for (int i = 0; i < 3; i++) {
        x[i] = s->planar && i == 2 ? 0.0 : row[s->q_at + i];
        u[i] = s->planar && i == 2 ? 0.0 : row[s->v_at + i];
    }
}

/* R J omega; returns |omega|. */
static double spin_of(double *spin, const perp_verify_system *s, const double *row)
{
    const double *w = row + s->v_at + (s->planar ? 2 : 3);

    if (s->planar) {
        spin[0] = spin[1] = 0.0;
        spin[2] = (s->M != NULL ? s->M[8] : 1.0) * w[0];
        return fabs(w[0]);
    }
    for (int i = 0; i < 3; i++)
        spin[i] = s->inertia[i] * w[0] + s->inertia[i + 3] * w[1] + s->inertia[i + 6] * w[2];
    space_turn(spin, row + s->q_at + 3, spin);
    return space_length(w);
}

static void add_cross(double *sum, double factor, const double *a, const double *centre,
                      const double *b)
{
    double arm[3], moment[3];

    for (int i = 0; i < 3; i++)
        arm[i] = a[i] - centre[i];
    space_cross(moment, arm, b);
    for (int i = 0; i < 3; i++)
        sum[i] += factor * moment[i];
}

/* What acts from outside: constant forces half way, a moment that turns with its body. */
static void take_forces(group *g, const perp_verification *v, const perp_verify_system *s,
                        const double *middle)
{
    double moment[3] = {0.0, 0.0, 0.0}, force[3] = {0.0, 0.0, 0.0};

    for (int i = 0; i < 3; i++)
        force[i] = !s->planar ? s->force[i] : i < 2 ? s->F[i] : 0.0;
    if (s->planar)
        moment[2] = s->F[2];
    else
        space_turn(moment, v->now + s->q_at + 3, s->moment);
    add_cross(g->change, -v->h, middle, g->centre, force);
    for (int i = 0; i < 3; i++)
        g->change[i] -= v->h * moment[i];
    g->slack += s->planar ? 0.0 : v->h * space_length(moment) * v->h * v->fastest;
}

/* Length of the arms of a body. */
static double lever_of(const perp_verify_system *s)
{
    const double *J = s->inertia;
    double most = s->planar ? (s->M != NULL ? s->M[8] : 1.0) : fmax(J[0], fmax(J[4], J[8]));

    return sqrt(most / s->mass);
}

static int is_sphere(const perp_verify_system *s)
{
    for (int i = 0; i < 9; i++)
        if (fabs(s->inertia[i] - (i % 4 == 0 ? s->inertia[0] : 0.0)) > 1e-14 * s->inertia[0])
            return 0;
    return 1;
}

static void add_system(group *g, const perp_verification *v, const perp_verify_system *s)
{
    double x0[3], x1[3], u0[3], u1[3], spin0[3], spin1[3], middle[3], missed[3], arm[3];
    double w = fmax(spin_of(spin0, s, v->before), spin_of(spin1, s, v->now));
    double spin = fmax(space_length(spin0), space_length(spin1)), most = 0.0;

    centre_of(x0, u0, s, v->before);
    centre_of(x1, u1, s, v->now);
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5 * (x0[i] + x1[i]);
        arm[i] = middle[i] - g->centre[i];
        missed[i] = x1[i] - x0[i] - v->h * (s->theta * u1[i] + (1.0 - s->theta) * u0[i]);
        g->change[i] += spin1[i] - spin0[i];
    }
    most = s->mass * fmax(space_length(u0), space_length(u1));
    add_cross(g->change, s->mass, x1, g->centre, u1);
    add_cross(g->change, -s->mass, x0, g->centre, u0);
    take_forces(g, v, s, middle);
    double change[3] = {u1[0] - u0[0], u1[1] - u0[1], u1[2] - u0[2]};
    double turned = fmin(v->h * w, 2.0);
    /* Corrections of positions; theta; places of impulses, those of joints to second order;
     * rotation. */
    double lever = lever_of(s), far = space_length(arm),
           touched = space_length(s->pushed) + s->rubbed + s->struck;
    g->scale += spin + most * far;
    g->slack += v->still * s->mass * (lever * lever + far) + 2.0 * space_length(missed) * most +
                fabs(s->theta - 0.5) * v->h * s->mass * space_length(change) * space_length(u1) +
                4.0 * v->h * v->fastest * touched +
                turned * turned * fmax(lever, s->reach) * s->strength;
    if (!s->planar)
        g->slack += (is_sphere(s) ? 0.0 : turned * turned * spin) +
                    turned * space_length(change) * s->mass * lever;
}

static void find_centres(group *groups, const perp_verification *v)
{
    for (int k = 0; k < v->nsystems; k++) {
        const perp_verify_system *s = v->systems[k];
        group *g = &groups[perp_verify_group(v, k)];
        double x[3], u[3];
        int known = s->q_at >= 0 && s->v_at >= 0;
        if (s->fixed || s->motion || s->kind == PERP_VERIFY_FIRST_ORDER)
            continue;
        g->excluded |= !is_rigid(s) || !known || s->world || s->springs || s->unbounded ||
                       s->no_mass || s->loads != NULL || s->scheme == PERP_VERIFY_TWO_STEP ||
                       s->scheme == PERP_VERIFY_OTHER_SCHEME ||
                       (v->has_contacts && !v->has_contact_file);
        if (!is_rigid(s) || !known)
            continue;
        centre_of(x, u, s, v->before);
        for (int i = 0; i < 3; i++)
            g->centre[i] += s->mass * x[i];
        g->mass += s->mass;
    }
    for (int k = 0; k < v->nsystems; k++)
        for (int i = 0; i < 3 && groups[k].mass > 0.0; i++)
            groups[k].centre[i] /= groups[k].mass;
}

void perp_verify_spin(perp_verification *v)
{
    if (v->groups == NULL)
        v->groups = perp_verify_take(v, (size_t)v->nsystems + 1, sizeof(group));
    group *groups = v->groups;
    if (groups == NULL)
        return;
    memset(groups, 0, (size_t)v->nsystems * sizeof *groups);
    find_centres(groups, v);
    for (int k = 0; k < v->nsystems; k++) {
        const perp_verify_system *s = v->systems[k];
        group *g = &groups[perp_verify_group(v, k)];
        if (is_rigid(s) && !g->excluded)
            add_system(g, v, s);
    }
    for (int k = 0; k < v->nsystems; k++) {
        const group *g = &groups[k];
        if (!g->excluded && g->scale > 0.0)
            perp_verify_note(v, PERP_VERIFY_SPIN,
                             fmax(0.0, space_length(g->change) - g->slack) / g->scale,
                             "the group of %s", v->systems[k]->name);
    }
}
