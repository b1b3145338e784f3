/* SPDX-License-Identifier: BSD-3-Clause */
/* Rigid bodies in space, shapes that stand still, and regular copies of either. */
#include <math.h>
#include <string.h>

#include "scene/shapes.h"

int perp_scene_read_pose(double *position, double *quaternion, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "quaternion");
    double rotation[3] = {0.0, 0.0, 0.0};

    quaternion[0] = 1.0;
    if (perp_scene_reals(position, at, "position", 3) != 0 ||
        perp_scene_reals(rotation, at, "rotation", 3) != 0)
        return -1;
    if (perp_scene_has(at, "rotation")) {
        if (node.json != NULL)
            return perp_scene_fail(&node, "rotation and quaternion are both given");
        perp_quaternion_exp(rotation, quaternion);
        return 0;
    }
    if (perp_scene_reals(quaternion, at, "quaternion", 4) != 0)
        return -1;
    if (perp_quaternion_normalise(quaternion) != PERP_SOLVED)
        return perp_scene_fail(&node, "the norm is 0");
    return 0;
}

static int read_moving(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    perp_body_def *def = &s->as->body;
    double moved[3];

    perp_body_def_init(def, sizeof *def);
    if (perp_scene_read_mass(scene, s, moved, at) != 0 ||
        perp_scene_read_pose(def->position, def->quaternion, at) != 0 ||
        perp_scene_reals(def->velocity, at, "velocity", 3) != 0 ||
        perp_scene_reals(def->angular, at, "angular", 3) != 0 ||
        perp_scene_reals(def->moment, at, "moment", 3) != 0 ||
        perp_scene_reals(s->force, at, "force", 3) != 0)
        return -1;
    for (int k = 0; k < 3; k++)
        s->force[k] += def->mass * scene->gravity[k];
    perp_quaternion_rotate(def->quaternion, moved, moved);
    for (int k = 0; k < 3; k++)
        s->position[k] = def->position[k] + moved[k];
    def->force_frame = PERP_INERTIAL;
    def->moment_frame = PERP_BODY;
    return 0;
}

/* One body; `name` of a copy, else from the file. */
static perp_scene_member *read_body(perp_scene *scene, const perp_scene_node *at)
{
    perp_scene_node shape = perp_scene_get(at, "shape");
    perp_scene_member *s;

    if (perp_scene_object(
            at, "name shape shapes mass density inertia position quaternion rotation velocity "
                "angular force moment fixed material copies motion surface") != 0)
        return NULL;
    s = perp_scene_new_system(scene, at, "body");
    if (s == NULL || perp_scene_read_shapes(scene, s, at) != 0 ||
        perp_scene_flag(&s->fixed, at, "fixed") != 0 ||
        perp_scene_string(&s->material, at, "material") != 0)
        return NULL;
    s->kind = PERP_SCENE_BODY;
    s->nx = 7;
    s->nv = 6;
    s->dim = 3;
    s->points = -1;
    s->force = perp_scene_take(scene, 6, sizeof *s->force);
    if (s->force == NULL)
        return NULL;
    if (perp_scene_read_surface(scene, s, at) != 0)
        return NULL;
    if (perp_scene_has(at, "motion")) {
        perp_body_def_init(&s->as->body, sizeof s->as->body);
        return perp_scene_read_moves(scene, s, at) == 0 &&
                       perp_scene_read_pose(s->position, s->as->body.quaternion, at) == 0
                   ? s
                   : NULL;
    }
    if (s->shape.form == PERP_SCENE_PLANE)
        s->fixed = 1;
    if (!s->fixed)
        return read_moving(scene, s, at) == 0 ? s : NULL;
    if (perp_scene_has(at, "mass") || perp_scene_has(at, "density") ||
        perp_scene_has(at, "velocity") || perp_scene_has(at, "angular") ||
        perp_scene_has(at, "force") || perp_scene_has(at, "moment")) {
        perp_scene_fail(at, "a body that stands still has no mass, velocity or force");
        return NULL;
    }
    if (s->shape.form == PERP_SCENE_NO_SHAPE) {
        perp_scene_fail(&shape, "missing; a body that stands still is a shape");
        return NULL;
    }
    return perp_scene_read_pose(s->position, s->quaternion, at) == 0 ? s : NULL;
}

/* splitmix64, to a number within -1 and 1. */
static double next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (double)(x >> 11) / 4503599627370496.0 - 1.0;
}

static int copy_body(perp_scene *scene, const perp_scene_member *first, const char *base, int k,
                     const double *shift, const perp_scene_node *at)
{
    const char *name = perp_scene_text(scene, "%s-%d", base, k);
    perp_scene_member *s = name != NULL ? perp_scene_add_member(scene, at, name) : NULL;
    perp_scene_member kept;

    if (s == NULL)
        return -1;
    kept = *s;
    *s = *first;
    s->name = name;
    s->list = kept.list;
    s->place = kept.place;
    if (perp_scene_copy_shapes(scene, s) != 0)
        return -1;
    s->force = perp_scene_take(scene, 6, sizeof *s->force);
    if (s->force == NULL)
        return -1;
    memcpy(s->force, first->force, 6 * sizeof *s->force);
    for (int i = 0; i < 3; i++)
        s->position[i] += shift[i];
    return 0;
}

/* The names of copies are the name of the entry, "-" and a number from 0. */
static int read_copies(perp_scene *scene, perp_scene_member *first, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "copies"), counts = perp_scene_get(&node, "count");
    double count[3] = {1, 1, 1}, spacing[3] = {0, 0, 0}, jitter = 0.0;
    const char *base = first->name;
    int seed = 1, made = 0;
    uint64_t state;

    if (node.json == NULL)
        return 0;
    if (perp_scene_object(&node, "count spacing jitter seed") != 0 ||
        perp_scene_need_reals(count, &node, "count", 3) != 0 ||
        perp_scene_need_reals(spacing, &node, "spacing", 3) != 0 ||
        perp_scene_real(&jitter, &node, "jitter", 0.0, INFINITY) != 0 ||
        perp_scene_integer(&seed, &node, "seed", 0, INT32_MAX) != 0)
        return -1;
    for (int k = 0; k < 3; k++)
        if (count[k] < 1.0 || count[k] != floor(count[k]) || count[k] > 10000.0)
            return perp_scene_fail(&counts, "three whole numbers from 1 to 10000 are expected");
    scene->copies += count[0] * count[1] * count[2];
    if (scene->copies > 1e6)
        return perp_scene_fail(&counts, "more than a million copies in all");
    state = (uint64_t)seed;
    scene->nsystems--; /* the entry itself becomes the copies */
    for (int c = 0; c < (int)count[2]; c++)
        for (int b = 0; b < (int)count[1]; b++)
            for (int a = 0; a < (int)count[0]; a++) {
                double shift[3] = {a * spacing[0], b * spacing[1], c * spacing[2]};
                for (int i = 0; i < 3; i++)
                    shift[i] += jitter * next_random(&state);
                if (copy_body(scene, first, base, made++, shift, at) != 0)
                    return -1;
            }
    return 0;
}

static int read_bodies(void *ctx, const perp_scene_node *at)
{
    perp_scene *scene = ctx;
    perp_scene_member *s = read_body(scene, at);
    return s == NULL ? -1 : read_copies(scene, s, at);
}

int perp_scene_read_bodies(perp_scene *scene, const perp_scene_node *root)
{
    return perp_scene_each(root, "bodies", read_bodies, scene);
}
