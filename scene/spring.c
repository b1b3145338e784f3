/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/spring.h"

#include <math.h>
#include <string.h>

#include "scene/fluid.h"
#include "scene/pose.h"

enum { MOST = 3 };

/* A point in the frame of a rigid body; jacobian 3 x 6 on the twist. */
static void body_point(double *place, double *jacobian, const double *q, const double *r)
{
    double turned[3], unit[3], arm[3];

    perp_quaternion_rotate(q + 3, r, turned);
    for (int k = 0; place != NULL && k < 3; k++)
        place[k] = q[k] + turned[k];
    for (int k = 0; jacobian != NULL && k < 3; k++) {
        memset(unit, 0, sizeof unit);
        unit[k] = 1.0;
        memcpy(jacobian + 3 * k, unit, sizeof unit);
        arm[0] = unit[1] * r[2] - unit[2] * r[1];
        arm[1] = unit[2] * r[0] - unit[0] * r[2];
        arm[2] = unit[0] * r[1] - unit[1] * r[0];
        perp_quaternion_rotate(q + 3, arm, jacobian + 9 + 3 * k);
    }
}

static void end_point(double *place, double *jacobian, const perp_scene_end *end, const double *q)
{
    if (end->system == NULL)
        memcpy(place, end->place, MOST * sizeof *place);
    else if (end->system->kind == PERP_SCENE_BODY)
        body_point(place, jacobian, q, end->place);
    else
        end->system->point(place, jacobian, end->system, q, end);
}

/* Velocity of an end: J v. */
static void end_rate(double *rate, const perp_scene_end *end, const double *jacobian,
                     const double *v, int dim)
{
    for (int j = 0; end->system != NULL && j < end->system->nv; j++)
        for (int i = 0; i < dim; i++)
            rate[i] += jacobian[i + j * dim] * v[j];
}

static int space(const perp_scene_spring *spring)
{
    return spring->end[0].system != NULL ? spring->end[0].system->dim : spring->end[1].system->dim;
}

/* Beyond the range of lengths at rest. */
static double stretch_of(const perp_scene_spring *spring, double length)
{
    return length > spring->longest  ? length - spring->longest
           : length < spring->length ? length - spring->length
                                     : 0.0;
}

static void coordinate_force(double *out, const perp_scene_spring *spring, int which,
                             const double *const q[2], const double *const v[2])
{
    double length = 0.0, rate = 0.0, force;

    for (int k = 0; k < 2; k++) {
        if (q[k] != NULL) {
            length += (k == 0 ? 1.0 : -1.0) * q[k][spring->end[k].coordinate];
            rate += (k == 0 ? 1.0 : -1.0) * v[k][spring->end[k].coordinate];
        }
    }
    length = stretch_of(spring, length);
    force =
        (spring->stiffness + (spring->bend[0] + spring->bend[1] * length) * length) * length +
        (spring->damping + (spring->brake[0] + spring->brake[1] * fabs(rate)) * fabs(rate)) * rate;
    out[spring->end[which].coordinate] += which == 0 ? -force : force;
}

double perp_scene_spring_potential(const perp_scene_spring *spring, double stretch)
{
    return (spring->stiffness / 2.0 +
            (spring->bend[0] / 3.0 + spring->bend[1] / 4.0 * stretch) * stretch) *
           stretch * stretch;
}

double perp_scene_spring_slope(const perp_scene_spring *spring, double coordinate)
{
    double x = stretch_of(spring, coordinate);

    if (x == 0.0 && spring->length != spring->longest)
        return 0.0;
    return spring->stiffness + (2.0 * spring->bend[0] + 3.0 * spring->bend[1] * x) * x;
}

double perp_scene_spring_brake_slope(const perp_scene_spring *spring, double rate)
{
    double u = fabs(rate);

    return spring->damping + (2.0 * spring->brake[0] + 3.0 * spring->brake[1] * u) * u;
}

/* The rotation of the first body against the second since their rest, in the inertial frame. */
static void turned(double rotation[3], const perp_scene_spring *spring, const double *const q[2])
{
    double p[4], back[4];

    memcpy(p, q[0] + 3, sizeof p);
    for (int k = 0; k < 4; k++)
        back[k] = k == 0 ? spring->rest[k] : -spring->rest[k];
    perp_quaternion_product(p, back, p);
    if (q[1] != NULL) {
        for (int k = 0; k < 4; k++)
            back[k] = k == 0 ? q[1][3] : -q[1][3 + k];
        perp_quaternion_product(p, back, p);
    }
    perp_quaternion_log(p, rotation);
}

/* That rotation x in the frame of the first body, and K x. */
static void about_axes(double x[3], double pull[3], const perp_scene_spring *spring,
                       const double *rotation, const double *q)
{
    perp_quaternion_rotate_back(q + 3, rotation, x);
    for (int k = 0; k < 3; k++)
        pull[k] = spring->about[k] * x[k];
}

/* The gradient of x'Kx/2 as the first body turns, in the inertial frame: in that of the body
 * K x - x * K x / 2 + (1/t^2 - cot(t/2)/(2t)) x * (x * K x), t = |x|. */
static void turn_gradient(double *moment, const perp_scene_spring *spring, const double *q)
{
    double x[3], pull[3], once[3], twice[3], angle;

    about_axes(x, pull, spring, moment, q);
    angle = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    perp_cross3(once, x, pull);
    perp_cross3(twice, x, once);
    double second = angle > 1e-3 ? 1.0 / (angle * angle) - 0.5 / (angle * tan(0.5 * angle))
                                 : (1.0 + angle * angle / 60.0) / 12.0;
    for (int k = 0; k < 3; k++)
        pull[k] += second * twice[k] - 0.5 * once[k];
    perp_quaternion_rotate(q + 3, pull, moment);
}

/* The gradient of half the square of that angle as the first body turns is the rotation itself,
 * in the frame of either. */
static void turn_force(double *out, const perp_scene_spring *spring, int which,
                       const double *const q[2], const double *const v[2])
{
    double moment[3], spin[2][3] = {{0.0}}, own[3];

    turned(moment, spring, q);
    for (int k = 0; k < 2; k++)
        if (q[k] != NULL)
            perp_quaternion_rotate(q[k] + 3, v[k] + 3, spin[k]);
    if (spring->has_axes)
        turn_gradient(moment, spring, q[0]);
    for (int k = 0; k < 3; k++) {
        moment[k] = (spring->has_axes ? 1.0 : spring->stiffness) * moment[k] +
                    spring->damping * (spin[0][k] - spin[1][k]);
        moment[k] = which == 0 ? -moment[k] : moment[k];
    }
    perp_quaternion_rotate_back(q[which] + 3, moment, own);
    for (int k = 0; k < 3; k++)
        out[3 + k] += own[k];
}

/* - damping times the velocity of a point. */
static void drag_force(double *out, const perp_scene_spring *spring, const double *q,
                       const double *v)
{
    const perp_scene_end *end = &spring->end[0];
    double place[MOST], jacobian[MOST * 64], rate[MOST] = {0.0};
    int dim = end->system->dim;

    end_point(place, jacobian, end, q);
    end_rate(rate, end, jacobian, v, dim);
    for (int j = 0; j < end->system->nv; j++)
        for (int i = 0; i < dim; i++)
            out[j] -= spring->damping * jacobian[i + j * dim] * rate[i];
}

void perp_scene_spring_force(double *out, const perp_scene_spring *spring, int which,
                             const double *const q[2], const double *const v[2])
{
    double place[2][MOST] = {{0}}, rate[2][MOST] = {{0}}, line[MOST], length = 0.0, speed = 0.0;
    double jacobian[2][MOST * 64], force;
    const perp_scene_end *end = &spring->end[which];
    int dim;

    if (spring->fluid != NULL) {
        perp_scene_fluid_force(out, spring, q[0], v[0]);
        return;
    }
    if (spring->drags) {
        drag_force(out, spring, q[0], v[0]);
        return;
    }
    if (spring->turns) {
        turn_force(out, spring, which, q, v);
        return;
    }
    if (!spring->end[0].is_point) {
        coordinate_force(out, spring, which, q, v);
        return;
    }
    dim = space(spring);
    for (int k = 0; k < 2; k++) {
        end_point(place[k], jacobian[k], &spring->end[k], q[k]);
        end_rate(rate[k], &spring->end[k], jacobian[k], v[k], dim);
    }
    for (int i = 0; i < dim; i++) {
        line[i] = place[0][i] - place[1][i];
        length += line[i] * line[i];
    }
    length = sqrt(length);
    if (!(length > 0.0))
        return;
    for (int i = 0; i < dim; i++) {
        line[i] /= length;
        speed += line[i] * (rate[0][i] - rate[1][i]);
    }
    force = spring->stiffness * stretch_of(spring, length) + spring->damping * speed;
    force = which == 0 ? -force : force;
    for (int j = 0; j < end->system->nv; j++)
        for (int i = 0; i < dim; i++)
            out[j] += jacobian[which][i + j * dim] * line[i] * force;
}

double perp_scene_spring_stretch(const perp_scene_spring *spring, const double *const q[2])
{
    double place[2][MOST] = {{0}}, length = 0.0;

    if (spring->turns) {
        double x[3], pull[3];
        turned(place[0], spring, q);
        if (spring->has_axes) {
            about_axes(x, pull, spring, place[0], q[0]);
            return spring->stiffness > 0.0
                       ? sqrt((x[0] * pull[0] + x[1] * pull[1] + x[2] * pull[2]) /
                              spring->stiffness)
                       : 0.0;
        }
        return sqrt(place[0][0] * place[0][0] + place[0][1] * place[0][1] +
                    place[0][2] * place[0][2]);
    }
    if (!spring->end[0].is_point) {
        length = q[0] != NULL ? q[0][spring->end[0].coordinate] : 0.0;
        length -= q[1] != NULL ? q[1][spring->end[1].coordinate] : 0.0;
        return stretch_of(spring, length);
    }
    for (int k = 0; k < 2; k++)
        end_point(place[k], NULL, &spring->end[k], q[k]);
    for (int i = 0; i < space(spring); i++)
        length += (place[0][i] - place[1][i]) * (place[0][i] - place[1][i]);
    return stretch_of(spring, sqrt(length));
}

int perp_scene_read_point(perp_scene_end *end, const perp_scene_node *at, const char *key)
{
    perp_scene_node node = perp_scene_get(at, key);
    const perp_scene_member *s = end->system;

    end->is_point = 1;
    if (s->kind == PERP_SCENE_BODY)
        return s->fixed ? perp_scene_fail(&node, "'%s' stands still; use the world", s->name)
                        : perp_scene_reals(end->place, at, key, 3);
    if (s->point == NULL)
        return perp_scene_fail(&node, "'%s' has no points; give a coordinate", s->name);
    if (s->nv > 64)
        return perp_scene_fail(&node, "points of '%s': more than 64 coordinates", s->name);
    if (s->points < 0)
        return perp_scene_reals(end->place, at, key, s->dim);
    return perp_scene_integer(&end->index, at, key, 0, s->points - 1);
}

int perp_scene_read_end(perp_scene *scene, perp_scene_end *end, const perp_scene_node *at)
{
    perp_scene_node name = perp_scene_get(at, "system"), where = perp_scene_get(at, "world");
    perp_scene_node coordinate = perp_scene_get(at, "coordinate");
    size_t count = 0;

    if (perp_scene_object(at, "system coordinate point world") != 0)
        return -1;
    if (where.json != NULL) {
        if (name.json != NULL)
            return perp_scene_fail(&where, "an end is a system or the world, not both");
        if (perp_scene_is_number(&where))
            return perp_scene_fail(&where, "a point of the world is an array");
        end->is_point = json_array_size(where.json) > 0;
        return perp_scene_array(&where, &count) != 0 || count > 3
                   ? perp_scene_fail(&where, "at most 3 numbers expected")
                   : perp_scene_reals(end->place, at, "world", (int)count);
    }
    if (perp_scene_is(&name, JSON_STRING) && strcmp(json_string_value(name.json), "world") == 0)
        return perp_scene_fail(&name, "a place in the world is {\"world\": [x, y, z]}");
    end->system = perp_scene_named(scene, &name);
    if (end->system == NULL)
        return -1;
    if (end->system->kind == PERP_SCENE_FIRST_ORDER)
        return perp_scene_fail(&name, "a first-order system takes no spring");
    if (coordinate.json == NULL)
        return perp_scene_read_point(end, at, "point");
    if (end->system->kind != PERP_SCENE_LAGRANGIAN)
        return perp_scene_fail(&coordinate, "a body takes springs at points");
    return perp_scene_integer(&end->coordinate, at, "coordinate", 0, end->system->nx - 1);
}
