/* SPDX-License-Identifier: BSD-3-Clause */
/* Rods and rings.  A link is 0.2 m and 1 kg. */
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
