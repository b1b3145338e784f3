/* SPDX-License-Identifier: BSD-3-Clause */
/* scenes COUNT SEED FROM: scenes drawn at random (bodies of six shapes stacked or thrown, joints of
 * seven kinds that may be redundant, all coefficients, with and without weight) are run for a
 * while. Each is read, makes its steps or says why not, is finite, and has the same bits when it is
 * run again; what is not verified is listed by its number, and nearly all have to be verified.
 * COUNT 0 prints the scene FROM. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>
#include <perp/verdict.h>

#include "core/rng.h"

enum { TEXT = 16384, BODIES = 8, JOINTS = 3, STEPS = 100, COORDINATES = 13 * BODIES, AGAIN = 8 };

typedef struct drawing {
    perp_rng rng;
    char text[TEXT];
    int length, bodies;
    double place[BODIES][3];
    int joined[BODIES], pair[JOINTS][2], joints;
} drawing;

__attribute__((format(printf, 2, 3))) static void put(drawing *d, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    d->length += vsnprintf(d->text + d->length, (size_t)(TEXT - d->length), format, list);
    va_end(list);
    if (d->length >= TEXT)
        abort();
}

static double pick(drawing *d, const double *from, int count)
{
    return from[perp_rng_below(&d->rng, count)];
}

static void put_vector(drawing *d, const char *name, double size)
{
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = size * (perp_rng_uniform(&d->rng) + perp_rng_uniform(&d->rng) +
                       perp_rng_uniform(&d->rng) - 1.5);
    put(d, ", \"%s\": [%.4g, %.4g, %.4g]", name, x[0], x[1], x[2]);
}

/* Returns half its height. */
static double put_shape(drawing *d)
{
    static const double sizes[] = {0.05, 0.1, 0.2}, parts[] = {0.5, 1.0, 2.0};
    double s = pick(d, sizes, 3), a = s * pick(d, parts, 3), b = s * pick(d, parts, 3);
    switch (perp_rng_below(&d->rng, 7)) {
    case 0:
        put(d, "\"shape\": {\"type\": \"sphere\", \"radius\": %g}", s);
        return s;
    case 1:
    case 2:
        put(d, "\"shape\": {\"type\": \"box\", \"sides\": [%g, %g, %g]}", s, a, b);
        return 0.5 * b;
    case 3:
        put(d, "\"shape\": {\"type\": \"capsule\", \"radius\": %g, \"length\": %g}", 0.5 * s, s);
        return s;
    case 4:
        put(d, "\"shape\": {\"type\": \"cylinder\", \"radius\": %g, \"length\": %g}", s, s);
        return 0.5 * s;
    case 5:
        put(d, "\"shape\": {\"type\": \"cone\", \"radius\": %g, \"height\": %g}", s, s);
        return 2.0 * s; /* wherever its centre is */
    default:
        put(d, "\"shape\": {\"type\": \"ellipsoid\", \"radii\": [%g, %g, %g]}", s, 0.7 * s,
            0.5 * s);
        return 0.5 * s;
    }
}

static void put_body(drawing *d, int k, double *top)
{
    static const double densities[] = {100.0, 1000.0, 7800.0}, apart[] = {0.0, 0.0, 0.01, 0.1};
    double *at = d->place[k];
    put(d, ", {\"name\": \"b%d\", ", k);
    double half = put_shape(d);
    if (perp_rng_below(&d->rng, 2))
        put(d, ", \"density\": %g", pick(d, densities, 3));
    else
        put(d, ", \"mass\": %.3g", pow(10.0, 5.0 * perp_rng_uniform(&d->rng) - 2.0));
    if (perp_rng_below(&d->rng, 2)) {
        at[0] = at[1] = 0.0;
        at[2] = *top + half;
        *top += 2.0 * half + pick(d, apart, 4);
    } else {
        at[0] = 0.7 * perp_rng_signed(&d->rng);
        at[1] = 0.7 * perp_rng_signed(&d->rng);
        at[2] = 1.0 + 0.5 * k;
        put_vector(d, "rotation", 2.0);
        if (!d->joined[k]) {
            put_vector(d, "velocity", 4.0);
            put_vector(d, "angular", perp_rng_below(&d->rng, 2) ? 2.0 : 20.0);
        }
    }
    put(d, ", \"position\": [%.6g, %.6g, %.6g]}", at[0], at[1], at[2]);
}

static void put_joint(drawing *d, int k)
{
    static const char *const kinds[] = {"point",     "pivot",       "fixed",   "universal",
                                        "prismatic", "cylindrical", "distance"};
    static const char *const axes[] = {"[1, 0, 0]", "[0, 0, 1]", "[0.3, 0.4, 0.5]"};
    int kind = perp_rng_below(&d->rng, 7), a = d->pair[k][0], b = d->pair[k][1];
    const double *p = d->place[a], *q = d->place[b];
    put(d, "%s{\"systems\": [\"b%d\", \"b%d\"], \"relation\": {\"type\": \"joint\", ",
        k > 0 ? ", " : ", \"interactions\": [", a, b);
    put(d, "\"joint\": \"%s\", ", kinds[kind]);
    if (kind == 6)
        put(d, "\"anchor\": [%.6g, %.6g, %.6g], \"anchor_b\": [%.6g, %.6g, %.6g]", p[0], p[1], p[2],
            q[0], q[1], q[2]);
    else
        put(d, "\"anchor\": [%.6g, %.6g, %.6g]", 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]),
            0.5 * (p[2] + q[2]));
    if (kind == 3)
        put(d, ", \"axis\": [1, 0, 0], \"axis_b\": [0, 1, 0]");
    else if (kind == 1 || kind == 4 || kind == 5)
        put(d, ", \"axis\": %s", axes[perp_rng_below(&d->rng, 3)]);
    put(d, "}}");
}

static void draw(drawing *d, uint64_t seed)
{
    static const double steps[] = {0.001, 0.002, 0.004}, mu[] = {0.0, 0.1, 0.5, 1.0, 3.0},
                        e[] = {0.0, 0.0, 0.3, 0.8, 1.0};
    double top = 0.0;
    memset(d, 0, sizeof *d);
    d->rng.state = seed;
    d->bodies = 1 + perp_rng_below(&d->rng, BODIES);
    d->joints = d->bodies > 1 ? perp_rng_below(&d->rng, JOINTS + 1) : 0;
    for (int k = 0; k < d->joints; k++) {
        int a = perp_rng_below(&d->rng, d->bodies), b = perp_rng_below(&d->rng, d->bodies - 1);
        d->pair[k][0] = a;
        d->pair[k][1] = b + (b >= a);
        d->joined[a] = d->joined[d->pair[k][1]] = 1;
    }
    put(d, "{\"version\": 1, \"time\": {\"step\": %g, \"until\": 1}, ", pick(d, steps, 3));
    put(d, "\"gravity\": [0, 0, %g], ", perp_rng_below(&d->rng, 8) ? -9.81 : 0.0);
    put(d, "\"contacts\": {\"mu\": %g, \"e\": %g}, \"bodies\": [", pick(d, mu, 5), pick(d, e, 5));
    put(d, "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}");
    for (int k = 0; k < d->bodies; k++)
        put_body(d, k, &top);
    put(d, "]");
    for (int k = 0; k < d->joints; k++)
        put_joint(d, k);
    put(d, "%s}", d->joints > 0 ? "]" : "");
}

typedef struct outcome {
    perp_status created, stopped;
    perp_verdict verdict;
    perp_scene_error error;
    int finite;
    double state[COORDINATES];
} outcome;

static void look(outcome *o, const drawing *d, perp_scene *scene)
{
    perp_model *model = perp_scene_model(scene);
    o->finite = 1;
    for (int k = 0, at = 0; k < d->bodies; k++, at += 13) {
        char name[16];
        perp_scene_system_info info = {.size = sizeof info};
        double *q = NULL, *v = NULL;
        snprintf(name, sizeof name, "b%d", k);
        if (perp_scene_system(scene, perp_scene_find_system(scene, name), &info) != PERP_SOLVED ||
            perp_model_state(model, info.id, &q, &v, NULL, NULL) != PERP_SOLVED)
            abort();
        memcpy(o->state + at, q, 7 * sizeof *q);
        memcpy(o->state + at + 7, v, 6 * sizeof *v);
        for (int i = at; i < at + 13; i++)
            o->finite &= isfinite(o->state[i]);
    }
}

static void run(outcome *o, const drawing *d)
{
    perp_scene *scene = NULL;
    memset(o, 0, sizeof *o);
    o->error.size = sizeof o->error;
    o->created = perp_scene_create_from_text(&scene, d->text, NULL, NULL, &o->error);
    if (o->created != PERP_SOLVED)
        return;
    perp_sim *sim = perp_scene_sim(scene);
    for (int k = 0; k < STEPS && o->stopped == PERP_SOLVED; k++)
        o->stopped = perp_sim_step(sim);
    if (perp_sim_verdict(sim, &o->verdict, sizeof o->verdict) != PERP_SOLVED)
        abort();
    look(o, d, scene);
    perp_scene_destroy(scene);
}

static long counts[4]; /* verified, with remarks, not verified, of these stopped */

static void count(long number, const outcome *o)
{
    int verified = o->verdict.kind == PERP_VERDICT_VERIFIED,
        remarks = o->verdict.kind == PERP_VERDICT_REMARKS;
    counts[verified ? 0 : remarks ? 1 : 2]++;
    if (verified || remarks)
        return;
    counts[3] += o->stopped != PERP_SOLVED;
    printf("# %ld: not verified, %s, step %ld%s%s\n", number,
           o->verdict.first ? o->verdict.first : "-", o->verdict.step,
           o->stopped != PERP_SOLVED ? ": " : "",
           o->stopped != PERP_SOLVED ? perp_status_text(o->stopped) : "");
    fflush(stdout);
}

static int report(int number, int holds, const char *what, long bad)
{
    printf("%s %d - %s", holds ? "ok" : "not ok", number, what);
    if (bad > 0)
        printf(": %ld are not", bad);
    putchar('\n');
    return !holds;
}

int main(int argc, char **argv)
{
    static drawing d;
    static outcome first, second;
    long cases = argc > 1 ? strtol(argv[1], NULL, 10) : 60;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    long from = argc > 3 ? strtol(argv[3], NULL, 10) : 0, bad[4] = {0, 0, 0, 0};
    if (cases == 0) {
        draw(&d, seed * 1000003u + (uint64_t)from);
        puts(d.text);
        return 0;
    }
    for (long k = from; k < from + cases; k++) {
        draw(&d, seed * 1000003u + (uint64_t)k);
        run(&first, &d);
        if (first.created == PERP_ERR_UNSUPPORTED && k == from) {
            puts("1..0 # SKIP scenes need jansson");
            return 0;
        }
        if (first.created != PERP_SOLVED) {
            printf("# %ld: %s\n# %s\n", k, first.error.text, d.text);
            bad[0]++;
            continue;
        }
        bad[1] += first.stopped < 0;
        bad[2] += !first.finite;
        count(k, &first);
        if (k % AGAIN == 0) {
            run(&second, &d);
            bad[3] += memcmp(first.state, second.state, sizeof first.state) != 0;
        }
    }
    printf("# %ld scenes: %ld verified, %ld with remarks, %ld not verified, of which %ld stopped\n",
           cases, counts[0], counts[1], counts[2], counts[3]);
    int failed = report(1, bad[0] == 0, "scenes are read", bad[0]);
    failed |= report(2, bad[1] == 0, "steps end as solved, or as unsolved", bad[1]);
    failed |= report(3, bad[2] == 0, "states are finite", bad[2]);
    failed |= report(4, bad[3] == 0, "states have the same bits again", bad[3]);
    failed |= report(5, 20 * counts[2] <= cases, "nineteen of twenty are verified", counts[2]);
    puts("1..5");
    return failed;
}
