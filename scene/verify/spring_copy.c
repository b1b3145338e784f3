/* SPDX-License-Identifier: BSD-3-Clause */
/* Springs of scene.json and pendulums: places, energies and forces, from the positions alone. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

/* One number, or an array of three: the first, and the others. */
static double line_of(double *more, const json_t *value)
{
    if (!perp_verify_is(value, JSON_ARRAY))
        return json_number_value(value);
    for (size_t k = 0; k < 2; k++)
        more[k] = json_number_value(json_array_get(value, k + 1));
    return json_number_value(json_array_get(value, 0));
}

static int read_end(perp_verify_end *end, perp_verification *v, const json_t *at)
{
    const json_t *point = json_object_get(at, "point"), *world = json_object_get(at, "world");
    const char *name = json_string_value(json_object_get(at, "system"));
    const json_t *place = world != NULL ? world : point;

    end->system = name != NULL ? perp_verify_find(v, name) : NULL;
    if (world != NULL)
        end->is_point = json_array_size(world) > 0;
    else /* without either it is the origin of a body */
        end->is_point = name != NULL && json_object_get(at, "coordinate") == NULL;
    end->index =
        perp_verify_whole(at, perp_verify_is(point, JSON_INTEGER) ? "point" : "coordinate", 0);
    for (size_t k = 0; k < 3 && k < json_array_size(place); k++)
        end->place[k] = json_number_value(json_array_get(place, k));
    return name != NULL && end->system == NULL ? -1 : 0;
}

/* Force and moment of a fluid: linear and quadratic along each axis. */
static void read_fluid(perp_verify_spring *spring, const json_t *at)
{
    static const double identity[] = {1.0, 0.0, 0.0, 0.0};
    double turn[3] = {0.0, 0.0, 0.0};

    perp_verify_reals(turn, json_object_get(at, "rotation"), 3);
    space_move(spring->axes, identity, turn);
    perp_verify_reals(spring->wind, json_object_get(at, "wind"), 3);
    perp_verify_reals(spring->fluid_damping, json_object_get(at, "damping"), 3);
    perp_verify_reals(spring->fluid_damping + 3, json_object_get(at, "turn_damping"), 3);
    perp_verify_reals(spring->fluid_drag, json_object_get(at, "drag"), 3);
    perp_verify_reals(spring->fluid_drag + 3, json_object_get(at, "turn_drag"), 3);
    perp_verify_read_ellipsoid(spring, at);
    spring->end[0].is_point = 1;
}

/* 1: the coordinate or the point of an end is one of its system. */
static int is_there(const perp_verify_end *end, int of_points)
{
    const perp_verify_system *s = end->system;

    if (s == NULL || s->nq == 0 || (of_points && s->dim == 0)) /* not looked at, or of a body */
        return 1;
    return end->index >= 0 && end->index < (of_points ? s->nq / s->dim : s->nv);
}

int perp_verify_read_spring(perp_verification *v, const json_t *at)
{
    perp_verify_spring *spring = perp_verify_take(v, 1, sizeof *spring);

    if (spring == NULL)
        return -1;
    if (strcmp(perp_verify_word(at, "type"), "muscle") == 0) {
        perp_verify_system *s = perp_verify_find(v, perp_verify_word(at, "system"));
        if (s != NULL)
            s->springs = v->muscles = 1;
        return 0;
    }
    spring->fluid = strcmp(perp_verify_word(at, "type"), "fluid") == 0;
    spring->drags = spring->fluid || strcmp(perp_verify_word(at, "type"), "drag") == 0;
    if (spring->fluid)
        read_fluid(spring, at);
    if (spring->drags && read_end(&spring->end[0], v, at) != 0)
        return 0;
    spring->turns = perp_verify_is(json_object_get(at, "from"), JSON_STRING);
    for (int k = 0; k < 2 && spring->turns; k++)
        spring->end[k].system = perp_verify_find(v, perp_verify_word(at, k == 0 ? "from" : "to"));
    if (!spring->turns && !spring->drags &&
        (read_end(&spring->end[0], v, json_object_get(at, "from")) != 0 ||
         read_end(&spring->end[1], v, json_object_get(at, "to")) != 0))
        return 0;
    if (spring->end[0].system == NULL) /* the world is never `from` */
        return 0;
    for (int k = 0; k < 2; k++)
        if (!spring->turns && !is_there(&spring->end[k], spring->drags || spring->end[0].is_point))
            return perp_verify_fail(v, PERP_ERR_FORMAT,
                                    "%.400s/scene.json: a spring at %d of '%s', which has no such "
                                    "coordinate or point",
                                    v->folder, spring->end[k].index, spring->end[k].system->name);
    if (spring->end[1].system == NULL)
        spring->end[0].system->touches_world = 1;
    else
        spring->end[0].system->springs = spring->end[1].system->springs = 1;
    spring->stiffness = line_of(spring->bend, json_object_get(at, "stiffness"));
    spring->damping = spring->fluid ? 0.0 : line_of(spring->brake, json_object_get(at, "damping"));
    const json_t *length = json_object_get(at, "length");
    int range = perp_verify_is(length, JSON_ARRAY);
    spring->length = json_number_value(range ? json_array_get(length, 0) : length);
    spring->longest = range ? json_number_value(json_array_get(length, 1)) : spring->length;
    spring->next = v->springs;
    v->springs = spring;
    return 0;
}

/* Bobs of a pendulum of one or two rods hang one below the other. */
static void bob(double *place, const perp_verify_system *s, const double *q, int index)
{
    for (int k = 0; k <= index && k < s->rods; k++) {
        place[0] += s->rod[k] * sin(q[k]);
        place[1] -= s->rod[k] * cos(q[k]);
    }
}

/* Entry k of the derivative of the place of an end by velocity j. */
static void derivative(double *by, const perp_verify_end *end, const double *q, int j)
{
    const perp_verify_system *s = end->system;

    by[0] = by[1] = by[2] = 0.0;
    if (s->kind == PERP_VERIFY_BODY && j < 3) {
        by[j] = 1.0;
    } else if (s->kind == PERP_VERIFY_BODY) {
        double axis[3] = {j == 3, j == 4, j == 5};
        space_cross(by, axis, end->place);
        space_turn(by, q + 3, by);
    } else if (s->rods > 0 && j <= end->index) {
        by[0] = s->rod[j] * cos(q[j]);
        by[1] = s->rod[j] * sin(q[j]);
    } else if (s->planar && j < 2) {
        by[j] = 1.0;
    } else if (s->planar) {
        by[0] = -sin(q[2]) * end->place[0] - cos(q[2]) * end->place[1];
        by[1] = cos(q[2]) * end->place[0] - sin(q[2]) * end->place[1];
    } else if (s->dim > 0 && j / s->dim == end->index) {
        by[j % s->dim] = 1.0;
    }
}

/* 0 where the system has no places that are known here. */
static int place_of(double *place, const perp_verify_end *end, const double *q)
{
    const perp_verify_system *s = end->system;

    memset(place, 0, 3 * sizeof *place);
    if (s == NULL) {
        memcpy(place, end->place, 3 * sizeof *place);
    } else if (s->kind == PERP_VERIFY_BODY) {
        space_turn(place, q + 3, end->place);
        for (int i = 0; i < 3; i++)
            place[i] += q[i];
    } else if (s->rods > 0) {
        bob(place, s, q, end->index);
    } else if (s->planar) {
        place[0] = q[0] + cos(q[2]) * end->place[0] - sin(q[2]) * end->place[1];
        place[1] = q[1] + sin(q[2]) * end->place[0] + cos(q[2]) * end->place[1];
    } else if (s->dim > 0) {
        for (int i = 0; i < s->dim; i++)
            place[i] = q[end->index * s->dim + i];
    } else {
        return 0;
    }
    return 1;
}

static double beyond(const perp_verify_spring *spring, double length)
{
    return fmax(length - spring->longest, 0.0) + fmin(length - spring->length, 0.0);
}

/* The stretch, and for points the unit vector from `to` to `from`; 0 where it is not known. */
static int stretch_of(double *stretch, double *line, const perp_verify_spring *spring,
                      const double *const q[2])
{
    double a[3], b[3];

    *stretch = 0.0;
    memset(line, 0, 3 * sizeof *line);
    if (spring->turns)
        return 0;
    for (int k = 0; k < 2; k++)
        if (spring->end[k].system != NULL && q[k] == NULL)
            return 0;
    if (!spring->end[0].is_point) {
        for (int k = 0; k < 2; k++)
            if (q[k] != NULL)
                *stretch += (k == 0 ? 1.0 : -1.0) * q[k][spring->end[k].index];
        *stretch = beyond(spring, *stretch);
        return 1;
    }
    if (!place_of(a, &spring->end[0], q[0]) || !place_of(b, &spring->end[1], q[1]))
        return 0;
    for (int i = 0; i < 3; i++)
        line[i] = a[i] - b[i];
    double length = space_length(line);
    for (int i = 0; i < 3; i++)
        line[i] /= length > 0.0 ? length : 1.0;
    *stretch = beyond(spring, length);
    return 1;
}

static int is_to_world(const perp_verify_spring *spring)
{
    return spring->end[1].system == NULL;
}

int perp_verify_spring_energy(double *energy, double *size, const perp_verification *v,
                              const perp_verify_system *s)
{
    for (const perp_verify_spring *p = v->springs; p != NULL; p = p->next) {
        const double *q[2] = {NULL, NULL};
        double stretch, line[3];
        int own = is_to_world(p) ? p->end[0].system == s : s == NULL;
        if (!own)
            continue;
        for (int k = 0; k < 2; k++)
            if (p->end[k].system != NULL)
                q[k] = perp_verify_q(p->end[k].system, v->now);
        if (!stretch_of(&stretch, line, p, q))
            return 0;
        const double x = stretch, reach = fabs(stretch) + fabs(p->length);
        *energy += (p->stiffness / 2.0 + p->bend[0] / 3.0 * x + p->bend[1] / 4.0 * x * x) * x * x;
        *size += (p->stiffness / 2.0 + fabs(p->bend[0]) / 3.0 * reach +
                  fabs(p->bend[1]) / 4.0 * reach * reach) *
                 reach * reach;
    }
    return 1;
}

static void drag_force(double *f, const perp_verify_spring *p, const perp_verify_system *s,
                       const double *q, const double *rates)
{
    double by[3], speed[3] = {0.0, 0.0, 0.0};

    for (int j = 0; j < s->nv; j++) {
        derivative(by, &p->end[0], q, j);
        for (int i = 0; i < 3; i++)
            speed[i] += by[i] * rates[j];
    }
    for (int j = 0; j < s->nv; j++) {
        derivative(by, &p->end[0], q, j);
        f[j] -= p->damping * space_dot(by, speed);
    }
}

/* By virtual velocities: unit ones of the body give the entries of the force. */
static void fluid_force(double *f, const perp_verify_spring *p, const double *q,
                        const double *rates)
{
    double by[3], speed[3] = {0.0, 0.0, 0.0}, turn[4], u[3], w[3];
    double force[3] = {0.0, 0.0, 0.0}, moment[3] = {0.0, 0.0, 0.0};

    space_times(turn, q + 3, p->axes);
    for (int j = 0; j < 6; j++) {
        derivative(by, &p->end[0], q, j);
        for (int i = 0; i < 3; i++)
            speed[i] += by[i] * rates[j];
    }
    for (int i = 0; i < 3; i++)
        speed[i] -= p->wind[i];
    space_turn_back(u, turn, speed);
    space_turn_back(w, p->axes, rates + 3);
    if (p->radii[0] > 0.0)
        perp_verify_ellipsoid(force, moment, p, u, w);
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        double axis[3], own[3];
        space_turn(axis, turn, unit);
        space_turn(own, p->axes, unit);
        force[k] -= (p->fluid_damping[k] + p->fluid_drag[k] * fabs(u[k])) * u[k];
        moment[k] -= (p->fluid_damping[3 + k] + p->fluid_drag[3 + k] * fabs(w[k])) * w[k];
        for (int j = 0; j < 6; j++) {
            derivative(by, &p->end[0], q, j);
            f[j] += force[k] * space_dot(by, axis) + (j > 2 ? moment[k] * own[j - 3] : 0.0);
        }
    }
}

int perp_verify_spring_force(double *f, const perp_verification *v, const perp_verify_system *s,
                             const double *row)
{
    for (const perp_verify_spring *p = v->springs; p != NULL; p = p->next) {
        const perp_verify_end *end = &p->end[0];
        const double *q[2] = {perp_verify_q(s, row), NULL}, *rates = row + s->v_at;
        double stretch, line[3], by[3], speed = 0.0;
        if (!is_to_world(p) || end->system != s)
            continue;
        if (s->v_at < 0 || !stretch_of(&stretch, line, p, q))
            return 0;
        if (p->fluid) {
            fluid_force(f, p, q[0], rates);
            continue;
        }
        if (p->drags) {
            drag_force(f, p, s, q[0], rates);
            continue;
        }
        if (!end->is_point) {
            double x = stretch, u = rates[end->index], fast = fabs(u);
            f[end->index] -= p->stiffness * x + p->bend[0] * x * x + p->bend[1] * x * x * x +
                             (p->damping + p->brake[0] * fast + p->brake[1] * fast * fast) * u;
            continue;
        }
        for (int j = 0; j < s->nv; j++) {
            derivative(by, end, q[0], j);
            speed += space_dot(by, line) * rates[j];
        }
        for (int j = 0; j < s->nv; j++) {
            derivative(by, end, q[0], j);
            f[j] -= space_dot(by, line) * (p->stiffness * stretch + p->damping * speed);
        }
    }
    return 1;
}

/* Pendulums: energies of point masses at the ends of their rods. */
void perp_verify_bobs(double *kinetic, double *potential, double *size, const perp_verify_system *s,
                      const double *q, const double *v)
{
    double u[2] = {0.0, 0.0}, place[3] = {0.0, 0.0, 0.0};

    *kinetic = *potential = 0.0;
    for (int k = 0; k < s->rods; k++) {
        memset(place, 0, sizeof place);
        bob(place, s, q, k);
        *potential += s->bob[k] * s->weight * place[1];
        *size += fabs(s->bob[k] * s->weight) * (s->rod[0] + s->rod[1]);
        if (v == NULL)
            continue;
        u[0] += s->rod[k] * cos(q[k]) * v[k];
        u[1] += s->rod[k] * sin(q[k]) * v[k];
        *kinetic += 0.5 * s->bob[k] * (u[0] * u[0] + u[1] * u[1]);
    }
}

int perp_verify_has_springs(const perp_verification *v, const perp_verify_system *s, int between)
{
    for (const perp_verify_spring *p = v->springs; p != NULL; p = p->next)
        if ((p->end[0].system == s || p->end[1].system == s || s == NULL) &&
            between == !is_to_world(p))
            return 1;
    return 0;
}
