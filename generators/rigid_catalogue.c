/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of scenes by families, and their names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generators/rigid_scene.h"

static const rigid_family families[] = {
    {"heavy", "A heavy cube on light ones of 1 kg", 1, "cubes", "mass of the top one, kg", 2, 100,
     1e3, 1e-6, 1e9, rigid_fill_heavy},
    {"ramp", "A box on a ramp inside the cone of friction, mu = 0.5", 2, "boxes", "angle, degrees",
     1, 1000, 20.0, 0.0, 80.0, rigid_fill_ramp},
    {"wall", "A brick wall", 3, "rows and bricks of a row",
     "speed of a ball that hits it, m/s; 0: none", 10, 200, 0.0, 0.0, 1e3, rigid_fill_wall},
    {"cards", "A tower of cards", 4, "levels", "cubes dropped on it", 4, 100, 0.0, 0.0, 16.0,
     rigid_fill_cards},
    {"arch", "A masonry arch", 5, "stones", "speed of a ball that hits it, m/s; 0: none", 25, 1001,
     0.0, 0.0, 1e3, rigid_fill_arch},
    {"thin-arch", "An arch near the least thickness that stands, 0.1075 of its radius", 5, "stones",
     "thickness over radius", 25, 1001, 0.09, 0.01, 0.5, rigid_fill_thin_arch},
    {"chain", "A chain from the horizontal with a heavy tip; links of 1 kg", 6, "links",
     "mass of the tip, kg", 20, 10000, 1e3, 1e-6, 1e9, rigid_fill_chain},
    {"four-bar", "A four-bar linkage with redundant joints", 7,
     "1: hinges, 2: two ball joints for each", NULL, 1, 2, 0.0, 0.0, 0.0, rigid_fill_four_bar},
    {"loops", "Platforms on parallel legs below each other, 3 redundant rows each", 7, "loops",
     NULL, 6, 1000, 0.0, 0.0, 0.0, rigid_fill_loops},
    {"pyramid", "A plane pyramid of cubes", 8, "cubes of the lowest row", NULL, 100, 1000, 0.0, 0.0,
     0.0, rigid_fill_pyramid},
    {"heap", "Spheres fall into a box", 9, "spheres", NULL, 1000, 1000000, 0.0, 0.0, 0.0,
     rigid_fill_heap},
    {"dominoes", "Dominoes in a row", 10, "dominoes", NULL, 20, 1000, 0.0, 0.0, 0.0,
     rigid_fill_dominoes},
    {"cradle", "A cradle with gaps: balls in a row, the first arrives with 6 m/s, e = 1", 11,
     "balls", "gap, m", 6, 1000, 1e-3, 0.0, 1.0, rigid_fill_cradle},
    {"rod", "A rod that slides on its tip, of Painleve", 12, "rods", "coefficient of friction", 1,
     1000, 1.8, 0.0, 100.0, rigid_fill_rod},
    {"turntable", "A ball rolls on a turning table: its velocity turns at 2/7 of the rate", 13,
     "balls", "rate, rad/s", 1, 1, 1.0, 0.01, 100.0, rigid_fill_turntable},
    {"backspin", "A ball that slides with backspin and returns", 14, "balls",
     "spin, rad/s backwards", 1, 1, 80.0, 0.0, 1e4, rigid_fill_backspin},
    {"top", "A top on a ball joint in steady precession", 15, "tops", "rate of precession, rad/s",
     1, 1, 2.0, 0.1, 20.0, rigid_fill_top},
    {"tippe-top", "A tippe top turns over: its axis is -1 in the end", 15, "tops", "spin, rad/s", 1,
     1, 150.0, 1.0, 1e3, rigid_fill_tippe_top},
    {"grasp", "Two fingers lift a nut and hold it for 10 s", 16, "nuts", "force, N", 1, 1, 5.0, 0.1,
     1e3, rigid_fill_grasp},
    {"bullet", "A bullet and a plate of 2 cm", 17, "bullets", "speed, m/s", 1, 1, 400.0, 0.1, 1e4,
     rigid_fill_bullet},
    {"rolling", "A ball on an incline of 20 degrees: it rolls from mu = 0.104 on, else slips", 18,
     "balls", "coefficient of friction", 1, 1, 0.5, 0.0, 10.0, rigid_fill_rolling},
    {"column", "A column of spheres collapses", 19, "spheres along a side", "height over radius", 6,
     60, 2.0, 0.5, 20.0, rigid_fill_column},
    {"grains", "A column of spheres with moments against rolling collapses", 19,
     "spheres along a side", "height over radius", 4, 60, 2.0, 0.5, 20.0, rigid_fill_grains},
    {"machine", "A crank with its ram that pushes a load, a lever at its limit", 20, "machines",
     "rate of the crank, rad/s", 1, 1, 3.0, 0.5, 5.0, rigid_fill_machine},
};

static const char *const catalogue[] = {
    "heavy:2:1",    "heavy:2:1e3", "heavy:2:1e6",   "ramp",
    "wall:10",      "wall:10:10",  "wall:20",       "wall:20:10",
    "cards:4",      "cards:4:4",   "cards:10",      "cards:10:4",
    "cards:20",     "arch:25",     "arch:25:5",     "arch:101",
    "arch:101:5",   "thin-arch",   "chain:20:1",    "chain:20:1e3",
    "chain:20:1e6", "four-bar:1",  "four-bar:2",    "loops",
    "pyramid:20",   "pyramid:100", "heap:1000",     "heap:10000",
    "heap:100000",  "dominoes",    "cradle",        "rod",
    "turntable",    "backspin",    "top",           "tippe-top",
    "grasp",        "bullet",      "rolling:1:0.5", "rolling:1:0.05",
    "column",       "grains",      "machine",       NULL};

const rigid_family *rigid_family_at(int k)
{
    return k >= 0 && (size_t)k < sizeof families / sizeof families[0] ? &families[k] : NULL;
}

const char *rigid_scene_at(int k)
{
    return k >= 0 && (size_t)k < sizeof catalogue / sizeof catalogue[0] ? catalogue[k] : NULL;
}

static const rigid_family *find(const char *name)
{
    size_t length = strcspn(name, ":");

    for (int k = 0; rigid_family_at(k) != NULL; k++)
        if (strlen(families[k].name) == length && strncmp(families[k].name, name, length) == 0)
            return &families[k];
    return NULL;
}

/* The numbers behind the colons.  0, or -1. */
static int read_parameters(int *count, double *size, const rigid_family *family, const char *name)
{
    const char *at = strchr(name, ':');
    char *end;

    *count = family->count;
    *size = family->size;
    if (at == NULL)
        return 0;
    {
        long asked = strtol(at + 1, &end, 10);
        if (end == at + 1 || (*end != '\0' && *end != ':') || asked < 1 || asked > family->most)
            return -1;
        *count = (int)asked;
    }
    if (*end == '\0')
        return 0;
    at = end;
    *size = strtod(at + 1, &end);
    if (end == at + 1 || *end != '\0' || family->size_text == NULL)
        return -1;
    return *size >= family->size_least && *size <= family->size_most ? 0 : -1;
}

static void describe(char *message, size_t size, const rigid_family *family)
{
    int used = snprintf(message, size, "%s takes %s from 1 to %d", family->name,
                        family->count_text != NULL ? family->count_text : "a number", family->most);

    if (family->size_text != NULL && used > 0 && (size_t)used < size)
        snprintf(message + used, size - (size_t)used, " and %s from %g to %g, as in %s:%d:%g",
                 family->size_text, family->size_least, family->size_most, family->name,
                 family->count, family->size);
}

rigid_made rigid_scene_make(rigid_scene *scene, const char *name, char *message, size_t capacity)
{
    const rigid_family *family = find(name);
    char none[1];
    int count;
    double size;

    memset(scene, 0, sizeof *scene);
    if (message == NULL) {
        message = none;
        capacity = sizeof none;
    }
    if (family == NULL) {
        snprintf(message, capacity, "no scene is called '%s'", name);
        return RIGID_UNKNOWN;
    }
    if (read_parameters(&count, &size, family, name) != 0) {
        describe(message, capacity, family);
        return RIGID_UNKNOWN;
    }
    snprintf(scene->name, sizeof scene->name, "%s", name);
    snprintf(scene->title, sizeof scene->title, "%s", family->title);
    scene->number = family->number;
    scene->gravity[2] = -9.81;
    scene->mu = 0.5;
    scene->h = 1.0 / 240.0;
    scene->until = 2.0;
    scene->expected = NAN;
    family->fill(scene, count, size);
    if (!scene->failed)
        return RIGID_MADE;
    rigid_scene_free(scene);
    snprintf(message, capacity, "no memory for '%s'", name);
    return RIGID_NO_MEMORY;
}
