/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains, rings and linkages.  A link is 0.2 m and 1 kg. */
#include <math.h>

#include "bench/scenes/trust_scenes.h"

static const double length = 0.2, pi = 3.14159265358979323846;

/* A link from one place to another in the plane y = 0; its axis is the first of the body. */
static void add_link(perp_trust_list *list, const char *name, int k, const double from[2],
                     const double to[2])
{
    perp_trust_entry(list,
                     "{\"name\": \"%s-%d\", \"mass\": 1, \"inertia\": [0.0005, 0.0035, 0.0035], "
                     "\"position\": [%.17g, 0, %.17g], \"rotation\": [0, %.17g, 0]}",
                     name, k, 0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]),
                     atan2(from[1] - to[1], to[0] - from[0]));
}

static void add_ball(perp_trust_list *list, double mass, double x, double z)
{
    perp_trust_entry(list,
                     "{\"name\": \"ball\", \"mass\": %.17g, \"inertia\": [%.17g, %.17g, %.17g], "
                     "\"position\": [%.17g, 0, %.17g]}",
                     mass, 0.004 * mass, 0.004 * mass, 0.004 * mass, x, z);
}

/* both: the names of one or two bodies, in quotes. */
static void add_joint(perp_trust_list *list, int k, const char *both, const char *kind,
                      const double at[3])
{
    perp_trust_entry(list,
                     "{\"name\": \"joint-%d\", \"systems\": [%s], \"relation\": {\"type\": "
                     "\"joint\", %s, \"anchor\": [%.17g, %.17g, %.17g]}}",
                     k, both, kind, at[0], at[1], at[2]);
}

static const char point_joint[] = "\"joint\": \"point\"";
static const char pivot_joint[] = "\"joint\": \"pivot\", \"axis\": [0, 1, 0]";

/* From the origin along x, the ball at the end; joint-0 holds it at the world. */
static void chain_bodies(FILE *f, const perp_trust_scene *scene)
{
    perp_trust_list list = perp_trust_begin(f, "bodies");

    for (int k = 0; k < scene->count; k++)
        add_link(&list, "link", k, (double[2]){k * length, 0.0},
                 (double[2]){(k + 1) * length, 0.0});
    add_ball(&list, scene->size, scene->count * length, 0.0);
    perp_trust_end(&list);
}

static void chain_joints(perp_trust_list *list, const perp_trust_scene *scene)
{
    for (int k = 0; k <= scene->count; k++) {
        double at[3] = {k * length, 0.0, 0.0};
        char both[64];
        if (k == 0)
            snprintf(both, sizeof both, "\"link-0\"");
        else if (k < scene->count)
            snprintf(both, sizeof both, "\"link-%d\", \"link-%d\"", k - 1, k);
        else
            snprintf(both, sizeof both, "\"link-%d\", \"ball\"", k - 1);
        add_joint(list, k, both, point_joint, at);
    }
}

void perp_trust_chain(FILE *f, const perp_trust_scene *scene)
{
    perp_trust_list list;

    fputs(", \"gravity\": [0, 0, -9.81]", f);
    chain_bodies(f, scene);
    list = perp_trust_begin(f, "interactions");
    chain_joints(&list, scene);
    perp_trust_end(&list);
    perp_trust_record(f, 0, "");
}

/* The chain above a plane: spheres of 5 cm about its joints touch it. */
void perp_trust_dropped_chain(FILE *f, const perp_trust_scene *scene)
{
    perp_trust_list list;

    fputs(", \"gravity\": [0, 0, -9.81]", f);
    chain_bodies(f, scene);
    list = perp_trust_begin(f, "interactions");
    chain_joints(&list, scene);
    for (int k = 1; k <= scene->count; k++) {
        int tip = k == scene->count;
        char body[32];
        snprintf(body, sizeof body, tip ? "ball" : "link-%d", k);
        perp_trust_entry(
            &list,
            "{\"name\": \"ground-%d\", \"systems\": [\"%s\"], \"relation\": {\"type\": "
            "\"sphere-plane\", \"normal\": [0, 0, 1], \"offset\": -2, \"radius\": 0.05, "
            "\"point\": [%.17g, 0, 0]}, \"law\": {\"type\": \"friction\", \"e\": 0, "
            "\"mu\": 0.5}}",
            k, body, tip ? 0.0 : -0.5 * length);
    }
    perp_trust_end(&list);
    perp_trust_record(f, scene->count + 1, "");
}

static void add_mass(perp_trust_list *list, int k, double mass, double x, double z)
{
    perp_trust_entry(list,
                     "{\"name\": \"mass-%d\", \"type\": \"point-masses\", \"masses\": [%.17g], "
                     "\"positions\": [[%.17g, 0, %.17g]]}",
                     k, mass, x, z);
}

static void add_rod(perp_trust_list *list, int k, int from, int to)
{
    perp_trust_entry(list,
                     "{\"name\": \"joint-%d\", \"systems\": [\"mass-%d\", \"mass-%d\"], "
                     "\"relation\": {\"type\": \"distance\", \"point\": 0, \"to\": 0, \"length\": "
                     "%.17g}}",
                     k, from, to, length);
}

static void pin(perp_trust_list *list, double distance)
{
    perp_trust_entry(list,
                     "{\"name\": \"joint-0\", \"systems\": [\"mass-0\"], \"relation\": {\"type\": "
                     "\"distance\", \"point\": 0, \"anchor\": [0, 0, 0], \"length\": %.17g}}",
                     distance);
}

void perp_trust_rods(FILE *f, const perp_trust_scene *scene)
{
    perp_trust_list list;

    fputs(", \"gravity\": [0, 0, -9.81]", f);
    list = perp_trust_begin(f, "systems");
    for (int k = 0; k < scene->count; k++)
        add_mass(&list, k, k == scene->count - 1 ? scene->size : 1.0, (k + 1) * length, 0.0);
    perp_trust_end(&list);
    list = perp_trust_begin(f, "interactions");
    pin(&list, length);
    for (int k = 1; k < scene->count; k++)
        add_rod(&list, k, k - 1, k);
    perp_trust_end(&list);
    perp_trust_record(f, 0, "");
}

/* Corner k of the ring, a regular polygon whose corner 0 is the origin. */
static void corner(double at[2], int k, int count)
{
    double radius = 0.5 * length / sin(pi / count), angle = 2.0 * pi * k / count;

    at[0] = radius * (1.0 - cos(angle));
    at[1] = radius * sin(angle);
}

/* A ring of links, held at one corner, the ball at the opposite one. */
void perp_trust_ring(FILE *f, const perp_trust_scene *scene)
{
    int count = scene->count;
    double from[2], to[2];
    perp_trust_list list;
    char both[64];

    fputs(", \"gravity\": [0, 0, -9.81]", f);
    list = perp_trust_begin(f, "bodies");
    for (int k = 0; k < count; k++) {
        corner(from, k, count);
        corner(to, k + 1, count);
        add_link(&list, "link", k, from, to);
    }
    corner(from, count / 2, count);
    add_ball(&list, scene->size, from[0], from[1]);
    perp_trust_end(&list);
    list = perp_trust_begin(f, "interactions");
    for (int k = 0; k < count; k++) {
        corner(from, k, count);
        snprintf(both, sizeof both, "\"link-%d\", \"link-%d\"", (k + count - 1) % count, k);
        add_joint(&list, k, both, point_joint, (double[3]){from[0], 0.0, from[1]});
    }
    add_joint(&list, count, "\"link-0\"", point_joint, (double[3]){0.0, 0.0, 0.0});
    corner(from, count / 2, count);
    snprintf(both, sizeof both, "\"link-%d\", \"ball\"", count / 2);
    add_joint(&list, count + 1, both, point_joint, (double[3]){from[0], 0.0, from[1]});
    perp_trust_end(&list);
    perp_trust_record(f, 0, "");
}

/* A ring of rods between masses; mass-0 hangs on a rod of its own. */
void perp_trust_rod_ring(FILE *f, const perp_trust_scene *scene)
{
    int count = scene->count;
    double at[2];
    perp_trust_list list;

    fputs(", \"gravity\": [0, 0, -9.81]", f);
    list = perp_trust_begin(f, "systems");
    for (int k = 0; k < count; k++) {
        corner(at, k, count);
        add_mass(&list, k, k == count / 2 ? scene->size : 1.0, at[0] + length, at[1]);
    }
    perp_trust_end(&list);
    list = perp_trust_begin(f, "interactions");
    pin(&list, length);
    for (int k = 0; k < count; k++)
        add_rod(&list, k + 1, k, (k + 1) % count);
    perp_trust_end(&list);
    perp_trust_record(f, 0, "");
}

/* count 1: hinges as pivots, 3 redundant rows; 2: as two point joints each, 7 of them. */
void perp_trust_four_bar(FILE *f, const perp_trust_scene *scene)
{
    static const double at[4][2] = {{0.0, 0.0}, {0.3, 1.0}, {1.8, 1.2}, {1.5, 0.0}};
    static const char *const both[4] = {"\"crank\"", "\"crank\", \"coupler\"",
                                        "\"coupler\", \"rocker\"", "\"rocker\""};
    static const char *const name[3] = {"crank", "coupler", "rocker"};
    perp_trust_list list;

    fputs(", \"gravity\": [0, 0, -9.81]", f);
    list = perp_trust_begin(f, "bodies");
    for (int k = 0; k < 3; k++)
        perp_trust_entry(&list,
                         "{\"name\": \"%s\", \"mass\": 1, \"inertia\": [0.02, 0.1, 0.1], "
                         "\"position\": [%.17g, 0, %.17g], \"rotation\": [0, %.17g, 0]}",
                         name[k], 0.5 * (at[k][0] + at[k + 1][0]), 0.5 * (at[k][1] + at[k + 1][1]),
                         atan2(at[k][1] - at[k + 1][1], at[k + 1][0] - at[k][0]));
    perp_trust_end(&list);
    list = perp_trust_begin(f, "interactions");
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < scene->count; i++)
            add_joint(&list, scene->count * k + i, both[k],
                      scene->count == 2 ? point_joint : pivot_joint,
                      (double[3]){at[k][0], scene->count == 2 ? 0.2 * i - 0.1 : 0.0, at[k][1]});
    perp_trust_end(&list);
    perp_trust_record(f, 0, ", \"coupler.q\"");
}

/* Platforms that hang below each other on two parallel legs each: every level closes a loop with
 * the one above, 3 redundant rows each. */
void perp_trust_loops(FILE *f, const perp_trust_scene *scene)
{
    const double leg[2] = {0.4 * sin(0.5), -0.4 * cos(0.5)};
    perp_trust_list list;

    fputs(", \"gravity\": [0, 0, -9.81]", f);
    list = perp_trust_begin(f, "bodies");
    for (int k = 1; k <= scene->count; k++) {
        for (int side = -1; side <= 1; side += 2)
            add_link(&list, side < 0 ? "left" : "right", k,
                     (double[2]){0.3 * side + (k - 1) * leg[0], (k - 1) * leg[1]},
                     (double[2]){0.3 * side + k * leg[0], k * leg[1]});
        perp_trust_entry(
            &list,
            "{\"name\": \"platform-%d\", \"mass\": 2, \"inertia\": [0.01, 0.06, 0.06], "
            "\"position\": [%.17g, 0, %.17g]}",
            k, k * leg[0], k * leg[1]);
    }
    perp_trust_end(&list);
    list = perp_trust_begin(f, "interactions");
    for (int k = 1, joint = 0; k <= scene->count; k++)
        for (int side = -1; side <= 1; side += 2) {
            const char *name = side < 0 ? "left" : "right";
            char both[64];
            if (k == 1)
                snprintf(both, sizeof both, "\"%s-1\"", name);
            else
                snprintf(both, sizeof both, "\"platform-%d\", \"%s-%d\"", k - 1, name, k);
            add_joint(&list, joint++, both, pivot_joint,
                      (double[3]){0.3 * side + (k - 1) * leg[0], 0.0, (k - 1) * leg[1]});
            snprintf(both, sizeof both, "\"%s-%d\", \"platform-%d\"", name, k, k);
            add_joint(&list, joint++, both, pivot_joint,
                      (double[3]){0.3 * side + k * leg[0], 0.0, k * leg[1]});
        }
    perp_trust_end(&list);
    perp_trust_record(f, 0, "");
}
