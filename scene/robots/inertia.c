/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/inertia.h"

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

static const double pi = 3.14159265358979323846;

/* Areas of the three kinds of faces of a box, each with its opposite; of the side of a cylinder or
 * capsule and of its ends. */
static int areas(double *out, const perp_robot_geom *geom)
{
    const double *s = geom->size;

    out[0] = out[1] = out[2] = 0.0;
    switch (geom->form) {
    case PERP_ROBOT_BOX:
        for (int k = 0; k < 3; k++)
            out[k] = 8.0 * s[(k + 1) % 3] * s[(k + 2) % 3];
        return 1;
    case PERP_ROBOT_CYLINDER:
    case PERP_ROBOT_CAPSULE:
        out[0] = 4.0 * pi * s[0] * s[1];
        out[1] = (geom->form == PERP_ROBOT_CAPSULE ? 4.0 : 2.0) * pi * s[0] * s[0];
        return 1;
    case PERP_ROBOT_SPHERE:
        out[1] = 4.0 * pi * s[0] * s[0];
        return 1;
    default:
        return 0;
    }
}

int perp_robot_can_be_shell(const perp_robot_geom *geom)
{
    double part[3];

    return areas(part, geom);
}

/* Principal moments of a shell about its centre, of mass 1. */
static void shell_moments(double *out, const perp_robot_geom *geom)
{
    const double *s = geom->size;
    double part[3], r = s[0], h = geom->form == PERP_ROBOT_SPHERE ? 0.0 : s[1], whole;

    areas(part, geom);
    whole = part[0] + part[1] + part[2];
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < 3 && geom->form == PERP_ROBOT_BOX; k++)
        for (int face = 0; face < 3; face++) { /* squares of the other two coordinates */
            int i = (k + 1) % 3, j = (k + 2) % 3;
            double square = s[i] * s[i] * (i == face ? 1.0 : 1.0 / 3.0) +
                            s[j] * s[j] * (j == face ? 1.0 : 1.0 / 3.0);
            out[k] += part[face] / whole * square;
        }
    if (geom->form == PERP_ROBOT_BOX)
        return;
    int flat = geom->form == PERP_ROBOT_CYLINDER;
    double end = flat ? r * r / 4.0 + h * h : 2.0 / 3.0 * r * r + h * h + h * r;
    double about = flat ? r * r / 2.0 : 2.0 / 3.0 * r * r;
    out[0] = out[1] = (part[0] * (r * r / 2.0 + h * h / 3.0) + part[1] * end) / whole;
    out[2] = (part[0] * r * r + part[1] * about) / whole;
}

double perp_robot_volume(const perp_robot_geom *geom)
{
    const double *s = geom->size;
    double part[3];

    if (geom->shell && areas(part, geom))
        return part[0] + part[1] + part[2];
    switch (geom->form) {
    case PERP_ROBOT_SPHERE:
        return 4.0 / 3.0 * pi * s[0] * s[0] * s[0];
    case PERP_ROBOT_CAPSULE:
        return pi * s[0] * s[0] * (2.0 * s[1] + 4.0 / 3.0 * s[0]);
    case PERP_ROBOT_ELLIPSOID:
        return 4.0 / 3.0 * pi * s[0] * s[1] * s[2];
    case PERP_ROBOT_CYLINDER:
        return pi * s[0] * s[0] * 2.0 * s[1];
    case PERP_ROBOT_BOX:
        return 8.0 * s[0] * s[1] * s[2];
    case PERP_ROBOT_MESH:
        return geom->mesh->volume;
    case PERP_ROBOT_PLANE:
    case PERP_ROBOT_FIELD:
        break;
    }
    return 0.0;
}

/* Principal moments about the centre, of mass 1. */
static void moments(double *out, const perp_robot_geom *geom)
{
    const double *s = geom->size;
    double r = s[0], h = s[1], ball;

    out[0] = out[1] = out[2] = 0.0;
    if (geom->shell) {
        shell_moments(out, geom);
        return;
    }
    switch (geom->form) {
    case PERP_ROBOT_SPHERE:
        out[0] = out[1] = out[2] = 0.4 * r * r;
        break;
    case PERP_ROBOT_CAPSULE: /* a cylinder and two half balls, each 3/8 r beyond its end */
        ball = (2.0 / 3.0 * r) / (2.0 / 3.0 * r + h);
        out[0] = out[1] = (1.0 - ball) * (r * r / 4.0 + h * h / 3.0) +
                          ball * (0.4 * r * r + h * h + 0.75 * h * r);
        out[2] = (1.0 - ball) * r * r / 2.0 + ball * 0.4 * r * r;
        break;
    case PERP_ROBOT_ELLIPSOID:
        for (int k = 0; k < 3; k++)
            out[k] = 0.2 * (s[(k + 1) % 3] * s[(k + 1) % 3] + s[(k + 2) % 3] * s[(k + 2) % 3]);
        break;
    case PERP_ROBOT_CYLINDER:
        out[0] = out[1] = r * r / 4.0 + h * h / 3.0;
        out[2] = r * r / 2.0;
        break;
    case PERP_ROBOT_BOX:
        for (int k = 0; k < 3; k++)
            out[k] = (s[(k + 1) % 3] * s[(k + 1) % 3] + s[(k + 2) % 3] * s[(k + 2) % 3]) / 3.0;
        break;
    case PERP_ROBOT_PLANE:
    case PERP_ROBOT_FIELD:
    case PERP_ROBOT_MESH:
        break;
    }
}

void perp_robot_lump_add(perp_robot_lump *lump, double mass, const double *centre,
                         const double *inertia)
{
    double total = lump->mass + mass, reduced, way[3];

    for (int k = 0; k < 9; k++)
        lump->second[k] += inertia[k];
    if (!(mass > 0.0))
        return;
    for (int i = 0; i < 3; i++)
        way[i] = centre[i] - lump->centre[i];
    reduced = lump->mass * (mass / total);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            lump->second[3 * i + j] +=
                reduced * ((i == j ? perp_dot3(way, way) : 0.0) - way[i] * way[j]);
    for (int i = 0; i < 3; i++)
        lump->centre[i] += way[i] * (mass / total);
    lump->mass = total;
}

void perp_robot_lump_add_at(perp_robot_lump *lump, const perp_pose *pose,
                            const perp_robot_lump *other)
{
    double centre[3], inertia[9];

    perp_pose_apply(centre, pose, other->centre);
    perp_turn_tensor(inertia, pose->q, other->second);
    perp_robot_lump_add(lump, other->mass, centre, inertia);
}

void perp_robot_lump_of_shapes(perp_robot_lump *lump, const perp_robot *robot, int body)
{
    memset(lump, 0, sizeof *lump);
    for (int k = 0; k < robot->ngeoms; k++) {
        const perp_robot_geom *geom = &robot->geoms[k];
        perp_robot_lump one;
        double principal[3];
        if (geom->body != body || !geom->weighs || !(geom->mass > 0.0))
            continue;
        memset(&one, 0, sizeof one);
        one.mass = geom->mass;
        moments(principal, geom);
        for (int i = 0; i < 3; i++)
            one.second[4 * i] = geom->mass * principal[i];
        if (geom->form == PERP_ROBOT_MESH && geom->mesh->volume > 0.0) {
            memcpy(one.centre, geom->mesh->centre, sizeof one.centre);
            for (int i = 0; i < 9; i++)
                one.second[i] = geom->mesh->second[i] * (geom->mass / geom->mesh->volume);
        }
        perp_robot_lump_add_at(lump, &geom->pose, &one);
    }
}

int perp_robot_inertia_is_flat(const double *inertia)
{
    double value[3];

    perp_tensor_eigenvalues(value, inertia);
    return isfinite(value[2]) && value[2] >= 0.0 && fabs(value[0]) <= 1e-12 * value[2];
}

int perp_robot_inertia_holds(const double *inertia)
{
    double value[3];

    perp_tensor_eigenvalues(value, inertia);
    if (!(value[0] > 0.0) || !isfinite(value[2]))
        return 0;
    return value[2] <= (value[0] + value[1]) * (1.0 + 1e-9) ? 1 : -1;
}

/* The row and column of the largest product, and the axis that is left. */
static void largest_product(int *at, const double *m)
{
    static const int places[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
    double xy = fabs(m[1]), xz = fabs(m[2]), yz = fabs(m[5]);

    memcpy(at, places[xy > xz && xy > yz ? 0 : xz > yz ? 1 : 2], sizeof places[0]);
}

void perp_robot_principal_turn(double *q, double *moment, const double *inertia)
{
    /* MuJoCo takes less for rounding. */
    const double small = 4e-15 * fmax(fabs(inertia[0]), fmax(fabs(inertia[4]), fabs(inertia[8])));
    double m[9];

    q[0] = 1.0;
    q[1] = q[2] = q[3] = 0.0;
    memcpy(m, inertia, sizeof m);
    for (int sweep = 0; sweep < 500; sweep++) {
        double ratio, tangent, cosine, turn[4] = {1.0, 0.0, 0.0, 0.0}, back[4];
        int at[3];
        largest_product(at, m);
        double product = m[3 * at[0] + at[1]];
        if (!(fabs(product) > small))
            break;
        ratio = (m[4 * at[1]] - m[4 * at[0]]) / (2.0 * product);
        tangent = (ratio >= 0.0 ? 1.0 : -1.0) / (fabs(ratio) + hypot(1.0, ratio));
        cosine = 1.0 / hypot(1.0, tangent);
        /* the sine of half the angle loses no digits where that is small */
        turn[0] = sqrt(0.5 + 0.5 * cosine);
        turn[1 + at[2]] = 0.5 * tangent * cosine / turn[0] * (at[2] == 1 ? 1.0 : -1.0);
        perp_quaternion_product(q, turn, q);
        (void)perp_quaternion_normalise(q);
        perp_turn_back(back, q);
        perp_turn_tensor(m, back, inertia);
    }
    for (int k = 0; k < 3; k++)
        moment[k] = m[4 * k];
}
