/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/engines/step_residual.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length(const double *a)
{
    return sqrt(dot(a, a));
}

static void add_cross(double *to, const double *a, const double *b)
{
    to[0] += a[1] * b[2] - a[2] * b[1];
    to[1] += a[2] * b[0] - a[0] * b[2];
    to[2] += a[0] * b[1] - a[1] * b[0];
}

static void rate_of_point(double *rate, const double *velocity, const double *angular,
                          const double *arm)
{
    memcpy(rate, velocity, 3 * sizeof *rate);
    add_cross(rate, angular, arm);
}

void step_mean_rates(double *velocity, double *angular, const double *before, const double *after,
                     double h)
{
    const double *p = before + 3, *q = after + 3;
    /* d = q times the inverse of p, a turn by 2 atan2(|v|, w) about v. */
    double d[4] = {q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3],
                   -q[0] * p[1] + q[1] * p[0] - q[2] * p[3] + q[3] * p[2],
                   -q[0] * p[2] + q[1] * p[3] + q[2] * p[0] - q[3] * p[1],
                   -q[0] * p[3] - q[1] * p[2] + q[2] * p[1] + q[3] * p[0]};
    double sine = length(d + 1), sign = d[0] < 0.0 ? -1.0 : 1.0;
    double scale = sine > 0.0 ? 2.0 * sign * atan2(sine, sign * d[0]) / sine / h : 0.0;

    for (int k = 0; k < 3; k++) {
        velocity[k] = (after[k] - before[k]) / h;
        angular[k] = scale * d[1 + k];
    }
}

/* On {p_N >= 0, |p_T| <= mu p_N}, in place. */
static void project(double p[3], const double *n, double mu)
{
    double normal = dot(p, n), tangent[3], slide, along;

    for (int k = 0; k < 3; k++)
        tangent[k] = p[k] - normal * n[k];
    slide = length(tangent);
    if (slide <= mu * normal)
        return;
    if (normal <= -mu * slide) {
        memset(p, 0, 3 * sizeof *p);
        return;
    }
    along = (normal + mu * slide) / (1.0 + mu * mu);
    for (int k = 0; k < 3; k++)
        p[k] = along * n[k] + mu * along * tangent[k] / slide;
}

/* Of the slip of u and a rate of the gap. */
static double natural(const motion_contact *c, const double *u, double normal_rate, double mass,
                      double mu)
{
    double tangent[3], p[3], slide, normal = dot(u, c->normal);

    for (int k = 0; k < 3; k++)
        tangent[k] = u[k] - normal * c->normal[k];
    slide = length(tangent);
    for (int k = 0; k < 3; k++)
        p[k] = c->impulse[k] - mass * (tangent[k] + (normal_rate + mu * slide) * c->normal[k]);
    project(p, c->normal, mu);
    for (int k = 0; k < 3; k++)
        p[k] -= c->impulse[k];
    return length(p);
}

/* The least over both rates of the gap and both slips. */
static double least_natural(const motion_contact *c, const double *end, const double *mean,
                            const double rate[2], double mass, double mu)
{
    double least = INFINITY;

    for (int k = 0; k < 2; k++) {
        least = fmin(least, natural(c, end, rate[k], mass, mu));
        least = fmin(least, natural(c, mean, rate[k], mass, mu));
    }
    return least;
}

static double law_of(const rigid_scene *scene, double h, const double *before, const double *after,
                     const motion_contact *c)
{
    double u[3] = {0}, old[3] = {0}, mean[3] = {0}, inverse = 0.0, closing;
    double rate[2];

    for (int side = 0; side < 2; side++) {
        int body = (int)(side == 0 ? c->a : c->b);
        const double *arm = side == 0 ? c->arm_a : c->arm_b, *was, *is;
        double point[3], velocity[3], angular[3], sign = side == 0 ? 1.0 : -1.0;
        if (body < 0 || body >= scene->bodies)
            continue;
        was = before + (size_t)body * MOTION_BODY;
        is = after + (size_t)body * MOTION_BODY;
        inverse += 1.0 / scene->body[body].mass;
        rate_of_point(point, is + 7, is + 10, arm);
        for (int k = 0; k < 3; k++)
            u[k] += sign * point[k];
        rate_of_point(point, was + 7, was + 10, arm);
        for (int k = 0; k < 3; k++)
            old[k] += sign * point[k];
        step_mean_rates(velocity, angular, was, is, h);
        rate_of_point(point, velocity, angular, arm);
        for (int k = 0; k < 3; k++)
            mean[k] += sign * point[k];
    }
    if (!(inverse > 0.0))
        return 0.0;
    closing = fmin(0.0, dot(old, c->normal));
    rate[0] = dot(u, c->normal) + scene->e * closing;
    rate[1] = dot(mean, c->normal) + c->gap / h;
    return least_natural(c, u, mean, rate, 1.0 / inverse, scene->mu);
}

static int is_held(const rigid_scene *scene, int body)
{
    for (int k = 0; k < scene->joints; k++)
        if (scene->joint[k].a == body || scene->joint[k].b == body)
            return 1;
    return 0;
}

double step_residual(const rigid_scene *scene, double h, const double *before, const double *after,
                     const motion_contact *contact, int contacts, double *scratch)
{
    double worst = 0.0, scale = 0.0, gravity = length(scene->gravity);

    memset(scratch, 0, (size_t)scene->bodies * 3 * sizeof *scratch);
    for (int i = 0; i < contacts; i++) {
        const motion_contact *c = &contact[i];
        scale = fmax(scale, length(c->impulse));
        for (int k = 0; k < 3; k++) {
            if (c->a >= 0.0 && c->a < scene->bodies)
                scratch[3 * (int)c->a + k] += c->impulse[k];
            if (c->b >= 0.0 && c->b < scene->bodies)
                scratch[3 * (int)c->b + k] -= c->impulse[k];
        }
        worst = fmax(worst, law_of(scene, h, before, after, c));
    }
    for (int b = 0; b < scene->bodies; b++) {
        const double *was = before + (size_t)b * MOTION_BODY, mass = scene->body[b].mass;
        const double *is = after + (size_t)b * MOTION_BODY;
        double missing[3];
        for (int k = 0; k < MOTION_BODY; k++)
            if (!isfinite(was[k]) || !isfinite(is[k]))
                return NAN;
        scale = fmax(scale, h * mass * gravity);
        if (is_held(scene, b))
            continue;
        for (int k = 0; k < 3; k++)
            missing[k] =
                mass * (is[7 + k] - was[7 + k] - h * scene->gravity[k]) - scratch[3 * b + k];
        worst = fmax(worst, length(missing));
    }
    return scale > 0.0 ? worst / scale : 0.0;
}
