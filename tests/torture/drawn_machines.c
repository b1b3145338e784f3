/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies stand apart on a grid of three by three; those of a tree hang on one before them or on the
 * world, the others are thrown. */
#include <math.h>
#include <string.h>

#include "tests/torture/drawing.h"

enum { PIVOT, PRISMATIC, CYLINDRICAL, POINT, UNIVERSAL, SCREW, PLANAR, FIXED, DISTANCE };
static const char *const kinds[] = {"pivot", "prismatic", "cylindrical", "point",   "universal",
                                    "screw", "planar",    "fixed",       "distance"};

typedef struct machine {
    drawing *d;
    int kind[DRAWING_BODIES]; /* of the joint of each body; -1: none */
    int driven[DRAWING_BODIES], ndriven;
} machine;

static int one_of(drawing *d, int n)
{
    return perp_rng_below(&d->rng, n) == 0;
}

static double within(drawing *d, double size)
{
    return size * perp_rng_signed(&d->rng);
}

static void put_floor(drawing *d)
{
    static const char *const floors[] = {
        "\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}",
        "\"fixed\": true, \"shape\": {\"type\": \"box\", \"sides\": [10, 10, 1]}, \"position\": "
        "[0, 0, -0.5], \"surface\": {\"velocity\": [0.7, 0, 0]}",
        "\"shape\": {\"type\": \"box\", \"sides\": [10, 10, 1]}, \"position\": [0, 0, -0.5], "
        "\"motion\": {\"slide\": {\"axis\": [0, 0, 1], \"amplitude\": 0.01, \"frequency\": 5}}",
        "\"fixed\": true, \"shape\": {\"type\": \"height-field\", \"spacing\": [1, 1], "
        "\"heights\": [[0, -0.05, 0, -0.02], [-0.04, 0, -0.05, 0], [0, -0.03, 0, -0.05], "
        "[-0.05, 0, -0.01, 0]]}"};
    drawing_put(d, "{\"name\": \"floor\", \"material\": \"ground\", %s}",
                floors[perp_rng_below(&d->rng, 4)]);
}

static void put_shape(drawing *d, double s)
{
    switch (perp_rng_below(&d->rng, 8)) {
    case 0:
        drawing_put(d, "{\"type\": \"sphere\", \"radius\": %g", s);
        break;
    case 1:
        drawing_put(d, "{\"type\": \"capsule\", \"radius\": %g, \"length\": %g", 0.5 * s, 2.0 * s);
        break;
    case 2:
        drawing_put(d, "{\"type\": \"cylinder\", \"radius\": %g, \"length\": %g", s, s);
        break;
    case 3:
        drawing_put(d, "{\"type\": \"cone\", \"radius\": %g, \"height\": %g", s, 2.0 * s);
        break;
    case 4:
        drawing_put(d, "{\"type\": \"ellipsoid\", \"radii\": [%g, %g, %g]", s, 0.7 * s, 0.5 * s);
        break;
    case 5:
        drawing_put(d, "{\"type\": \"hull\", \"points\": [[%g, 0, 0], [-%g, %g, 0]", s, s, s);
        for (int k = 0; k < 8; k++)
            drawing_put(d, ", [%.4g, %.4g, %.4g]", within(d, s), within(d, s), within(d, s));
        drawing_put(d, "]");
        break;
    default:
        drawing_put(d, "{\"type\": \"box\", \"sides\": [%g, %g, %g]", 2.0 * s, s, s);
    }
}

static void put_body(machine *m, int k)
{
    static const double sizes[] = {0.03, 0.06, 0.12}, densities[] = {100.0, 1000.0, 7800.0},
                        masses[] = {0.01, 0.3, 3.0, 50.0};
    drawing *d = m->d;
    double *at = d->place[k], s = drawing_pick(d, sizes, 3);
    at[0] = 0.6 * (k % 3) + within(d, 0.03);
    at[1] = 0.6 * (k / 3) + within(d, 0.03);
    at[2] = m->kind[k] < 0 ? 0.4 : 0.8 + within(d, 0.1);
    drawing_put(d, ", {\"name\": \"b%d\", ", k);
    if (one_of(d, 6)) {
        drawing_put(d, "\"shapes\": [");
        put_shape(d, 0.5 * s);
        drawing_put(d, "}, ");
        put_shape(d, s);
        drawing_put(d, ", \"position\": [%g, 0, 0]}]", s);
    } else {
        drawing_put(d, "\"shape\": ");
        put_shape(d, s);
        drawing_put(d, "}");
    }
    if (one_of(d, 2))
        drawing_put(d, ", \"density\": %g", drawing_pick(d, densities, 3));
    else
        drawing_put(d, ", \"mass\": %g", drawing_pick(d, masses, 4));
    drawing_put(d, ", \"position\": [%.6g, %.6g, %.6g]", at[0], at[1], at[2]);
    if (one_of(d, 3))
        drawing_vector(d, "rotation", 1.0);
    if (m->kind[k] < 0) {
        drawing_vector(d, "velocity", 2.0);
        drawing_vector(d, "angular", 5.0);
    }
    drawing_put(d, "}");
}

/* A constant, or a function of time. */
static void put_function(drawing *d, const char *name, double size)
{
    switch (perp_rng_below(&d->rng, 4)) {
    case 0:
        drawing_put(d, "\"%s\": {\"amplitude\": %.4g, \"frequency\": 3}", name, within(d, size));
        return;
    case 1:
        drawing_put(d, "\"%s\": {\"ramp\": {\"from\": 0.02, \"to\": 0.1, \"by\": %.4g}}", name,
                    within(d, size));
        return;
    case 2:
        drawing_put(d, "\"%s\": {\"table\": [[0, 0], [0.05, %.4g], [0.2, %.4g]]}", name,
                    within(d, size), within(d, size));
        return;
    default:
        drawing_put(d, "\"%s\": %.4g", name, within(d, size));
    }
}

/* Keys of a coordinate, each after a comma. */
static void put_drives(drawing *d, int slides)
{
    static const double bounds[] = {0.5, 5.0, 50.0}, stiff[] = {10.0, 100.0, 1e4},
                        frictions[] = {0.0, 0.1, 1.0, 20.0}, dampings[] = {0.01, 0.5, 5.0};
    const char *force = slides ? "force" : "torque";
    double unit = slides ? 0.1 : 1.0, bound = drawing_pick(d, bounds, 3);
    if (one_of(d, 2))
        drawing_put(d, ", \"limits\": [%.3g, %.3g], \"e\": %g",
                    -unit * (0.1 + perp_rng_uniform(&d->rng)),
                    unit * (0.1 + perp_rng_uniform(&d->rng)), one_of(d, 2) ? 0.0 : 0.5);
    switch (perp_rng_below(&d->rng, 5)) {
    case 0:
        drawing_put(d, ", \"motor\": {");
        put_function(d, "speed", 5.0 * unit);
        drawing_put(d, ", \"%s\": %g}", force, bound);
        break;
    case 1:
        drawing_put(d, ", \"servo\": {");
        put_function(d, "target", unit);
        drawing_put(d, ", \"stiffness\": %g, \"damping\": 1, \"%s\": %g}",
                    drawing_pick(d, stiff, 3), force, bound);
        break;
    case 2:
        drawing_put(d,
                    ", \"servo\": {\"target\": %.3g, \"speed\": 1, \"acceleration\": 5, \"%s\": "
                    "%g}",
                    within(d, unit), force, bound);
        break;
    default:
        break;
    }
    if (one_of(d, 3))
        drawing_put(d, ", \"friction\": %g", drawing_pick(d, frictions, 4));
    if (one_of(d, 4))
        drawing_put(d, ", \"spring\": {\"stiffness\": %g, \"rest\": %.3g}",
                    drawing_pick(d, stiff, 2), within(d, unit));
    if (one_of(d, 3))
        drawing_put(d, ", \"damping\": %g", drawing_pick(d, dampings, 3));
}

/* The joint of body k on `on`, -1 the world. */
static void put_joint(machine *m, int k, int on)
{
    static const double leads[] = {0.01, 0.1, -0.05};
    drawing *d = m->d;
    const double *p = d->place[k];
    double q[3] = {p[0], p[1], p[2] + 0.3};
    if (on >= 0)
        memcpy(q, d->place[on], sizeof q);
    int kind = m->kind[k], axis = kind <= CYLINDRICAL || kind == SCREW || kind == PLANAR;
    drawing_put(d, "{\"name\": \"j%d\", \"systems\": [\"b%d\"", k, k);
    if (on >= 0)
        drawing_put(d, ", \"b%d\"", on);
    drawing_put(d, "], \"relation\": {\"type\": \"joint\", \"joint\": \"%s\"", kinds[kind]);
    if (kind == DISTANCE)
        drawing_put(d, ", \"anchor\": [%.6g, %.6g, %.6g], \"anchor_b\": [%.6g, %.6g, %.6g]", p[0],
                    p[1], p[2], q[0], q[1], q[2]);
    else
        drawing_put(d, ", \"anchor\": [%.6g, %.6g, %.6g]", 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]),
                    0.5 * (p[2] + q[2]));
    if (axis)
        drawing_vector(d, "axis", 1.0);
    if (kind == UNIVERSAL)
        drawing_put(d, ", \"axis\": [1, 0, 0], \"axis_b\": [0, 1, 0]");
    if (kind == SCREW)
        drawing_put(d, ", \"lead\": %g", drawing_pick(d, leads, 3));
    if (kind == PIVOT || kind == PRISMATIC)
        put_drives(d, kind == PRISMATIC);
    if (kind == CYLINDRICAL) {
        drawing_put(d, ", \"angle\": {\"start\": 0");
        put_drives(d, 0);
        drawing_put(d, "}, \"slide\": {\"start\": 0");
        put_drives(d, 1);
        drawing_put(d, "}");
    }
    if (kind == POINT && one_of(d, 2))
        drawing_put(d, ", \"friction\": 0.1, \"damping\": 0.2");
    drawing_put(d, "}}");
    if (kind == PIVOT || kind == PRISMATIC)
        m->driven[m->ndriven++] = k;
}

static void put_interactions(machine *m)
{
    drawing *d = m->d;
    const char *before = "";
    drawing_put(d, ", \"interactions\": [");
    for (int k = 0; k < d->bodies; k++) {
        if (m->kind[k] < 0)
            continue;
        int on = perp_rng_below(&d->rng, k + 1) - 1;
        drawing_put(d, "%s", before);
        put_joint(m, k, on >= 0 && m->kind[on] < 0 ? -1 : on);
        before = ", ";
    }
    /* Not through the centres: anchors lie between those, and three in a line are a dead centre. */
    if (d->bodies >= 3 && one_of(d, 4)) {
        const double *p = d->place[0], *q = d->place[d->bodies - 1];
        drawing_put(d,
                    "%s{\"systems\": [\"b0\", \"b%d\"], \"relation\": {\"type\": \"joint\", "
                    "\"joint\": \"distance\", \"anchor\": [%.6g, %.6g, %.6g], \"anchor_b\": "
                    "[%.6g, %.6g, %.6g]}}",
                    before, d->bodies - 1, p[0], p[1], p[2] + 0.1, q[0], q[1], q[2]);
        before = ", ";
    }
    if (m->ndriven >= 2 && one_of(d, 3))
        drawing_put(d,
                    "%s{\"relation\": {\"type\": \"gear\", \"of\": \"j%d\", \"with\": \"j%d\", "
                    "\"ratio\": %g}}",
                    before, m->driven[0], m->driven[1], one_of(d, 2) ? 1.0 : -0.5);
    drawing_put(d, "]");
}

static void put_control(machine *m)
{
    drawing *d = m->d;
    if (m->ndriven == 0 || !one_of(d, 3))
        return;
    drawing_put(d, ", \"controllers\": [{\"name\": \"c\", \"joint\": \"j%d\", ", m->driven[0]);
    put_function(d, "target", 0.2);
    drawing_put(d, one_of(d, 2) ? ", \"type\": \"pid\", \"period\": 0.013, \"kp\": 20, \"ki\": 5, "
                                  "\"kd\": 1, \"largest\": 20}]"
                                : ", \"type\": \"sliding-mode\", \"period\": 0.01, \"gain\": 5, "
                                  "\"slope\": 5}]");
}

static void put_forces(drawing *d)
{
    int b = perp_rng_below(&d->rng, d->bodies);
    switch (perp_rng_below(&d->rng, 8)) {
    case 0:
        drawing_put(d,
                    ", \"forces\": [{\"type\": \"spring\", \"from\": {\"system\": \"b%d\", "
                    "\"point\": [0, 0, 0]}, \"to\": {\"world\": [0, 0, 2]}, \"stiffness\": 100, "
                    "\"damping\": 1, \"length\": 1}]",
                    b);
        return;
    case 1:
        drawing_put(
            d,
            ", \"forces\": [{\"type\": \"drag\", \"system\": \"b%d\", \"point\": [0, 0, 0], "
            "\"damping\": 2}]",
            b);
        return;
    case 2:
        drawing_put(d,
                    ", \"forces\": [{\"type\": \"load\", \"system\": \"b%d\", \"vector\": [3, -2, "
                    "1], \"amplitude\": 1, \"frequency\": 3}]",
                    b);
        return;
    case 3:
        drawing_put(d,
                    ", \"forces\": [{\"type\": \"turn-spring\", \"from\": \"b%d\", \"stiffness\": "
                    "5, \"damping\": 0.1}]",
                    b);
        return;
    default:
        return;
    }
}

static void put_contacts(drawing *d)
{
    static const double mu[] = {0.0, 0.3, 1.0}, e[] = {0.0, 0.5, 1.0};
    double friction = drawing_pick(d, mu, 3);
    drawing_put(d, ", \"contacts\": {\"mu\": %g", friction);
    int soft = one_of(d, 8);
    if (soft)
        drawing_put(d, ", \"compliance\": 1e-6, \"damping\": %g", one_of(d, 2) ? 0.0 : 100.0);
    else
        drawing_put(d, ", \"e\": %g", drawing_pick(d, e, 3));
    if (friction > 0.0 && !soft && one_of(d, 3))
        drawing_put(d, ", \"rolling\": 0.005");
    if (friction > 0.0 && !soft && one_of(d, 3))
        drawing_put(d, ", \"torsion\": 0.005");
    drawing_put(d, ", \"materials\": [{\"name\": \"ground\", \"mu\": %g}]}}",
                one_of(d, 4) ? 0.02 * friction : friction);
}

void drawing_of_machine(drawing *d, uint64_t seed)
{
    static const double steps[] = {0.001, 0.002, 0.004};
    machine m = {.d = d};
    memset(d, 0, sizeof *d);
    d->rng.state = seed;
    d->bodies = 1 + perp_rng_below(&d->rng, DRAWING_BODIES);
    for (int k = 0; k < d->bodies; k++)
        m.kind[k] = one_of(d, 4) ? -1 : perp_rng_below(&d->rng, DISTANCE + 1);
    drawing_put(d, "{\"version\": 1, \"time\": {\"step\": %g, \"until\": 1}, ",
                drawing_pick(d, steps, 3));
    drawing_put(d, "\"gravity\": [0, 0, %g], \"bodies\": [", one_of(d, 5) ? 0.0 : -9.81);
    put_floor(d);
    for (int k = 0; k < d->bodies; k++)
        put_body(&m, k);
    drawing_put(d, "]");
    put_interactions(&m);
    put_control(&m);
    put_forces(d);
    put_contacts(d);
}
