/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <math.h>
#include <string.h>

#include "tests/torture/drawing.h"

enum { POINTS = 9, STAIRS = 5 };

/* Half the width of the ground. */
static const double WIDTH = 2.0;

/* A grid of random heights, flat or with cliffs. */
static void put_field(drawing *d)
{
    static const double rough[] = {0.0, 0.02, 0.1, 0.3};
    double most = drawing_pick(d, rough, 4);
    drawing_put(d, "{\"type\": \"height-field\", \"spacing\": [%g, %g], \"heights\": [",
                2.0 * WIDTH / (POINTS - 1), 2.0 * WIDTH / (POINTS - 1));
    for (int k = 0; k < POINTS * POINTS; k++)
        drawing_put(d, "%s%.4g%s", k % POINTS ? "" : "[", most * perp_rng_signed(&d->rng),
                    k % POINTS < POINTS - 1   ? ", "
                    : k < POINTS * POINTS - 1 ? "], "
                                              : "]");
    drawing_put(d, "]}");
}

/* A bowl of triangles, uneven, split along either diagonal. */
static void put_bowl(drawing *d)
{
    static const double rough[] = {0.0, 0.02, 0.1};
    const int n = 4;
    double most = drawing_pick(d, rough, 3);
    drawing_put(d, "{\"type\": \"surface\", \"vertices\": [");
    for (int k = 0; k < (n + 1) * (n + 1); k++) {
        double x = 2.0 * (k % (n + 1)) / n - 1.0, y = 2.0 * (k / (n + 1)) / n - 1.0;
        double z = 0.2 * (x * x + y * y) + most * perp_rng_signed(&d->rng);
        drawing_put(d, "%s[%.4g, %.4g, %.4g]", k ? ", " : "", WIDTH * x, WIDTH * y, z);
    }
    drawing_put(d, "], \"triangles\": [");
    for (int k = 0; k < n * n; k++) {
        int a = k % n + k / n * (n + 1), b = a + 1, c = a + n + 1, e = c + 1;
        if (perp_rng_below(&d->rng, 2))
            drawing_put(d, "%s[%d, %d, %d], [%d, %d, %d]", k ? ", " : "", a, b, e, a, e, c);
        else
            drawing_put(d, "%s[%d, %d, %d], [%d, %d, %d]", k ? ", " : "", a, b, c, b, e, c);
    }
    drawing_put(d, "]}");
}

static void put_belt(drawing *d)
{
    if (perp_rng_below(&d->rng, 6) == 0)
        drawing_put(d, ", \"surface\": {\"velocity\": [%.3g, %.3g, 0]}", perp_rng_signed(&d->rng),
                    perp_rng_signed(&d->rng));
}

/* Stairs or a groove. */
static void put_pieces(drawing *d, int groove)
{
    double angle = 0.2 + 0.8 * perp_rng_uniform(&d->rng);
    for (int k = 0; k < (groove ? 2 : STAIRS); k++) {
        drawing_put(d, "%s{\"name\": \"g%d\", ", k ? ", " : "", k);
        if (groove)
            drawing_put(d, "\"shape\": {\"type\": \"plane\", \"normal\": [%.5g, 0, %.5g]}",
                        (k ? -1.0 : 1.0) * sin(angle), cos(angle));
        else
            drawing_put(d,
                        "\"fixed\": true, \"shape\": {\"type\": \"box\", \"sides\": [0.8, 4, "
                        "%g]}, \"position\": [%g, 0, %g]",
                        0.5 + 0.2 * k, 0.8 * k - 1.6, 0.1 * k - 0.45);
        put_belt(d);
        drawing_put(d, "}");
    }
}

/* 1: bodies may be surfaces of triangles. */
static int put_ground(drawing *d)
{
    int kind = perp_rng_below(&d->rng, 5), flat = kind >= 3;
    if (flat) {
        put_pieces(d, kind == 3);
        return 1;
    }
    drawing_put(d, "{\"name\": \"ground\", \"fixed\": true, \"shape\": ");
    if (kind == 2)
        put_bowl(d);
    else
        put_field(d);
    put_belt(d);
    drawing_put(d, "}");
    return 0;
}

/* A primitive, its type and sizes, without the closing brace. */
static void put_primitive(drawing *d, double s)
{
    static const double parts[] = {0.3, 1.0, 2.0};
    double a = drawing_pick(d, parts, 3), b = drawing_pick(d, parts, 3);
    switch (perp_rng_below(&d->rng, 6)) {
    case 0:
        drawing_put(d, "{\"type\": \"sphere\", \"radius\": %g", s);
        break;
    case 1:
        drawing_put(d, "{\"type\": \"box\", \"sides\": [%g, %g, %g]", s, a * s, b * s);
        break;
    case 2:
        drawing_put(d, "{\"type\": \"capsule\", \"radius\": %g, \"length\": %g", 0.5 * s, a * s);
        break;
    case 3:
        drawing_put(d, "{\"type\": \"cylinder\", \"radius\": %g, \"length\": %g", 0.6 * s, a * s);
        break;
    case 4:
        drawing_put(d, "{\"type\": \"cone\", \"radius\": %g, \"height\": %g", 0.7 * s, s);
        break;
    default:
        drawing_put(d, "{\"type\": \"ellipsoid\", \"radii\": [%g, %g, %g]", s, 0.7 * s, 0.5 * s);
    }
}

/* A hull of some points; without Qhull a cube of triangles or, where none may be, a box. */
static void put_points(drawing *d, double s, int surfaces)
{
#ifdef HAVE_QHULL
    int n = 5 + perp_rng_below(&d->rng, 9);
    if (!surfaces || perp_rng_below(&d->rng, 2)) {
        drawing_put(d, "\"shape\": {\"type\": \"hull\", \"points\": [");
        for (int k = 0; k < n; k++)
            drawing_put(d, "%s[%.4g, %.4g, %.4g]", k ? ", " : "", s * perp_rng_signed(&d->rng),
                        s * perp_rng_signed(&d->rng), s * perp_rng_signed(&d->rng));
        drawing_put(d, "]}");
        return;
    }
#endif
    if (!surfaces) {
        drawing_put(d, "\"shape\": {\"type\": \"box\", \"sides\": [%g, %g, %g]}", s, s, 0.5 * s);
        return;
    }
    drawing_put(d, "\"shape\": {\"type\": \"surface\", \"vertices\": [");
    for (int k = 0; k < 8; k++)
        drawing_put(d, "%s[%g, %g, %g]", k ? ", " : "", k & 4 ? s : -s, k & 2 ? s : -s,
                    k & 1 ? s : -s);
    drawing_put(d,
                "], \"triangles\": [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, "
                "1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]}");
}

/* *surfaces: how many bodies may still be surfaces, which do not touch each other. */
static void put_body(drawing *d, int k, int *surfaces)
{
    static const double sizes[] = {0.05, 0.1, 0.2};
    double s = drawing_pick(d, sizes, 3), *at = d->place[k];
    drawing_put(d, ", {\"name\": \"b%d\", ", k);
    int kind = perp_rng_below(&d->rng, 4), parts = 2 + perp_rng_below(&d->rng, 2);
    if (kind == 0) {
        put_points(d, s, *surfaces);
        *surfaces = 0;
    } else if (kind == 1) {
        drawing_put(d, "\"shapes\": [");
        for (int i = 0; i < parts; i++) {
            drawing_put(d, i ? ", " : "");
            put_primitive(d, 0.6 * s);
            drawing_vector(d, "position", s);
            drawing_vector(d, "rotation", 2.0);
            drawing_put(d, "}");
        }
        drawing_put(d, "]");
    } else {
        drawing_put(d, "\"shape\": ");
        put_primitive(d, s);
        drawing_put(d, "}");
    }
    drawing_put(d, ", \"density\": %.3g", pow(10.0, 1.0 + 3.0 * perp_rng_uniform(&d->rng)));
    for (int i = 0; i < 3; i++)
        at[i] = i < 2 ? 0.5 * perp_rng_signed(&d->rng) : 0.75 + 0.5 * k;
    drawing_vector(d, "rotation", 2.0);
    double fast = perp_rng_below(&d->rng, 4) ? 1.0 : 5.0;
    drawing_put(d, ", \"velocity\": [%.4g, %.4g, %.4g]", fast * perp_rng_signed(&d->rng),
                fast * perp_rng_signed(&d->rng), fast * perp_rng_signed(&d->rng) - 3.0);
    drawing_vector(d, "angular", perp_rng_below(&d->rng, 2) ? 2.0 : 15.0);
    drawing_put(d, ", \"position\": [%.5g, %.5g, %.5g]}", at[0], at[1], at[2]);
}

void drawing_on_ground(drawing *d, uint64_t seed)
{
    static const double steps[] = {0.002, 0.004, 0.005}, mu[] = {0.0, 0.2, 0.5, 1.0},
                        e[] = {0.0, 0.0, 0.3, 0.8, 1.0};
    memset(d, 0, sizeof *d);
    d->rng.state = seed;
    d->bodies = 1 + perp_rng_below(&d->rng, DRAWING_BODIES);
    double friction = drawing_pick(d, mu, 4);
    drawing_put(d, "{\"version\": 1, \"time\": {\"step\": %g, \"until\": 1}, ",
                drawing_pick(d, steps, 3));
    drawing_put(d, "\"gravity\": [0, 0, -9.81], \"contacts\": {\"mu\": %g, \"e\": %g", friction,
                drawing_pick(d, e, 5));
    if (friction > 0.0 && perp_rng_below(&d->rng, 5) == 0)
        drawing_put(d, ", \"rolling\": 0.005");
    if (friction > 0.0 && perp_rng_below(&d->rng, 5) == 0)
        drawing_put(d, ", \"torsion\": 0.005");
    if (perp_rng_below(&d->rng, 8) == 0)
        drawing_put(d, ", \"skin\": %g", perp_rng_below(&d->rng, 2) ? 0.002 : -0.002);
    drawing_put(d, "}, \"bodies\": [");
    int surfaces = put_ground(d);
    for (int k = 0; k < d->bodies; k++)
        put_body(d, k, &surfaces);
    drawing_put(d, "]}");
}
