/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/torture/drawing.h"

void drawing_put(drawing *d, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    d->length += vsnprintf(d->text + d->length, (size_t)(DRAWING_TEXT - d->length), format, list);
    va_end(list);
    if (d->length >= DRAWING_TEXT)
        abort();
}

double drawing_pick(drawing *d, const double *from, int count)
{
    return from[perp_rng_below(&d->rng, count)];
}

void drawing_vector(drawing *d, const char *name, double size)
{
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = size * (perp_rng_uniform(&d->rng) + perp_rng_uniform(&d->rng) +
                       perp_rng_uniform(&d->rng) - 1.5);
    drawing_put(d, ", \"%s\": [%.4g, %.4g, %.4g]", name, x[0], x[1], x[2]);
}

/* Returns half its height. */
static double put_shape(drawing *d)
{
    static const double sizes[] = {0.05, 0.1, 0.2}, parts[] = {0.5, 1.0, 2.0};
    double s = drawing_pick(d, sizes, 3), a = s * drawing_pick(d, parts, 3),
           b = s * drawing_pick(d, parts, 3);
    switch (perp_rng_below(&d->rng, 7)) {
    case 0:
        drawing_put(d, "\"shape\": {\"type\": \"sphere\", \"radius\": %g}", s);
        return s;
    case 1:
    case 2:
        drawing_put(d, "\"shape\": {\"type\": \"box\", \"sides\": [%g, %g, %g]}", s, a, b);
        return 0.5 * b;
    case 3:
        drawing_put(d, "\"shape\": {\"type\": \"capsule\", \"radius\": %g, \"length\": %g}",
                    0.5 * s, s);
        return s;
    case 4:
        drawing_put(d, "\"shape\": {\"type\": \"cylinder\", \"radius\": %g, \"length\": %g}", s, s);
        return 0.5 * s;
    case 5:
        drawing_put(d, "\"shape\": {\"type\": \"cone\", \"radius\": %g, \"height\": %g}", s, s);
        return 2.0 * s; /* wherever its centre is */
    default:
        drawing_put(d, "\"shape\": {\"type\": \"ellipsoid\", \"radii\": [%g, %g, %g]}", s, 0.7 * s,
                    0.5 * s);
        return 0.5 * s;
    }
}

static void put_body(drawing *d, int k, double *top)
{
    static const double densities[] = {100.0, 1000.0, 7800.0}, apart[] = {0.0, 0.0, 0.01, 0.1};
    double *at = d->place[k];
    drawing_put(d, ", {\"name\": \"b%d\", ", k);
    double half = put_shape(d);
    if (perp_rng_below(&d->rng, 2))
        drawing_put(d, ", \"density\": %g", drawing_pick(d, densities, 3));
    else
        drawing_put(d, ", \"mass\": %.3g", pow(10.0, 5.0 * perp_rng_uniform(&d->rng) - 2.0));
    if (perp_rng_below(&d->rng, 2)) {
        at[0] = at[1] = 0.0;
        at[2] = *top + half;
        *top += 2.0 * half + drawing_pick(d, apart, 4);
    } else {
        at[0] = 0.7 * perp_rng_signed(&d->rng);
        at[1] = 0.7 * perp_rng_signed(&d->rng);
        at[2] = 1.0 + 0.5 * k;
        drawing_vector(d, "rotation", 2.0);
        if (!d->joined[k]) {
            drawing_vector(d, "velocity", 4.0);
            drawing_vector(d, "angular", perp_rng_below(&d->rng, 2) ? 2.0 : 20.0);
        }
    }
    drawing_put(d, ", \"position\": [%.6g, %.6g, %.6g]}", at[0], at[1], at[2]);
}

static void put_joint(drawing *d, int k)
{
    static const char *const kinds[] = {"point",     "pivot",       "fixed",   "universal",
                                        "prismatic", "cylindrical", "distance"};
    static const char *const axes[] = {"[1, 0, 0]", "[0, 0, 1]", "[0.3, 0.4, 0.5]"};
    int kind = perp_rng_below(&d->rng, 7), a = d->pair[k][0], b = d->pair[k][1];
    const double *p = d->place[a], *q = d->place[b];
    drawing_put(d, "%s{\"systems\": [\"b%d\", \"b%d\"], \"relation\": {\"type\": \"joint\", ",
                k > 0 ? ", " : ", \"interactions\": [", a, b);
    drawing_put(d, "\"joint\": \"%s\", ", kinds[kind]);
    if (kind == 6)
        drawing_put(d, "\"anchor\": [%.6g, %.6g, %.6g], \"anchor_b\": [%.6g, %.6g, %.6g]", p[0],
                    p[1], p[2], q[0], q[1], q[2]);
    else
        drawing_put(d, "\"anchor\": [%.6g, %.6g, %.6g]", 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]),
                    0.5 * (p[2] + q[2]));
    if (kind == 3)
        drawing_put(d, ", \"axis\": [1, 0, 0], \"axis_b\": [0, 1, 0]");
    else if (kind == 1 || kind == 4 || kind == 5)
        drawing_put(d, ", \"axis\": %s", axes[perp_rng_below(&d->rng, 3)]);
    drawing_put(d, "}}");
}

void drawing_of_bodies(drawing *d, uint64_t seed)
{
    static const double steps[] = {0.001, 0.002, 0.004}, mu[] = {0.0, 0.1, 0.5, 1.0, 3.0},
                        e[] = {0.0, 0.0, 0.3, 0.8, 1.0};
    double top = 0.0;
    memset(d, 0, sizeof *d);
    d->rng.state = seed;
    d->bodies = 1 + perp_rng_below(&d->rng, DRAWING_BODIES);
    d->joints = d->bodies > 1 ? perp_rng_below(&d->rng, DRAWING_JOINTS + 1) : 0;
    for (int k = 0; k < d->joints; k++) {
        int a = perp_rng_below(&d->rng, d->bodies), b = perp_rng_below(&d->rng, d->bodies - 1);
        d->pair[k][0] = a;
        d->pair[k][1] = b + (b >= a);
        d->joined[a] = d->joined[d->pair[k][1]] = 1;
    }
    drawing_put(d, "{\"version\": 1, \"time\": {\"step\": %g, \"until\": 1}, ",
                drawing_pick(d, steps, 3));
    drawing_put(d, "\"gravity\": [0, 0, %g], ", perp_rng_below(&d->rng, 8) ? -9.81 : 0.0);
    drawing_put(d, "\"contacts\": {\"mu\": %g, \"e\": %g}, \"bodies\": [", drawing_pick(d, mu, 5),
                drawing_pick(d, e, 5));
    drawing_put(d,
                "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}");
    for (int k = 0; k < d->bodies; k++)
        put_body(d, k, &top);
    drawing_put(d, "]");
    for (int k = 0; k < d->joints; k++)
        put_joint(d, k);
    drawing_put(d, "%s}", d->joints > 0 ? "]" : "");
}
