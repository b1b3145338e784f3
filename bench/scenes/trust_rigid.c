/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes that perp bench scenes has, too: made by its generators, written for perp run. */
#include <math.h>
#include <string.h>

#include "bench/scenes/trust_scenes.h"
#include "generators/rigid_scene.h"

/* Bodies are turned about the y axis alone. */
static void write_bodies(FILE *f, const rigid_scene *made)
{
    perp_trust_list list = perp_trust_begin(f, "bodies");

    if (made->planes > 0)
        perp_trust_entry(&list, "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", "
                                "\"normal\": [0, 0, 1]}}");
    for (int k = 0; k < made->bodies; k++) {
        const rigid_body *b = &made->body[k];
        char shape[160] = "";
        if (b->shape == RIGID_BOX)
            snprintf(shape, sizeof shape,
                     "\"shape\": {\"type\": \"box\", \"sides\": [%.17g, %.17g, %.17g]}, ",
                     2.0 * b->half[0], 2.0 * b->half[1], 2.0 * b->half[2]);
        perp_trust_entry(&list,
                         "{\"name\": \"%s\", %s\"mass\": %.17g, \"inertia\": [%.17g, %.17g, "
                         "%.17g], \"position\": [%.17g, %.17g, %.17g], \"rotation\": [0, %.17g, "
                         "0]}",
                         b->name, shape, b->mass, b->inertia[0], b->inertia[1], b->inertia[2],
                         b->position[0], b->position[1], b->position[2],
                         2.0 * atan2(b->quaternion[2], b->quaternion[0]));
    }
    perp_trust_end(&list);
}

static void write_joints(perp_trust_list *list, const rigid_scene *made)
{
    for (int k = 0; k < made->joints; k++) {
        const rigid_joint *j = &made->joint[k];
        char both[64];
        if (j->b < 0)
            snprintf(both, sizeof both, "\"%s\"", made->body[j->a].name);
        else
            snprintf(both, sizeof both, "\"%s\", \"%s\"", made->body[j->b].name,
                     made->body[j->a].name);
        perp_trust_entry(list,
                         "{\"name\": \"joint-%d\", \"systems\": [%s], \"relation\": {\"type\": "
                         "\"joint\", %s, \"anchor\": [%.17g, %.17g, %.17g]}}",
                         k, both,
                         j->kind == RIGID_BALL ? "\"joint\": \"point\""
                                               : "\"joint\": \"pivot\", \"axis\": [0, 1, 0]",
                         j->at[0], j->at[1], j->at[2]);
    }
}

/* Of the family; the spheres about the joints of a chain that drops touch the ground. */
static void write_mechanism(FILE *f, const char *name, int drops, const char *more)
{
    rigid_scene made;
    perp_trust_list list;

    if (rigid_scene_make(&made, name, NULL, 0) != RIGID_MADE)
        return;
    fputs(", \"gravity\": [0, 0, -9.81]", f);
    write_bodies(f, &made);
    list = perp_trust_begin(f, "interactions");
    write_joints(&list, &made);
    for (int k = 1; drops && k < made.bodies; k++)
        perp_trust_entry(
            &list,
            "{\"name\": \"ground-%d\", \"systems\": [\"%s\"], \"relation\": {\"type\": "
            "\"sphere-plane\", \"normal\": [0, 0, 1], \"offset\": -2, \"radius\": 0.05, "
            "\"point\": [%.17g, 0, 0]}, \"law\": {\"type\": \"friction\", \"e\": 0, "
            "\"mu\": 0.5}}",
            k, made.body[k].name, k == made.bodies - 1 ? 0.0 : -0.1);
    perp_trust_end(&list);
    perp_trust_record(f, drops ? made.joints : 0, more);
    rigid_scene_free(&made);
}

static void write_pile(FILE *f, const char *name)
{
    rigid_scene made;

    if (rigid_scene_make(&made, name, NULL, 0) != RIGID_MADE)
        return;
    fputs(", \"gravity\": [0, 0, -9.81]", f);
    write_bodies(f, &made);
    fprintf(f, ",\n\"contacts\": {\"e\": %.17g, \"mu\": %.17g}", made.e, made.mu);
    perp_trust_record(f, 0, ", \"active\"");
    rigid_scene_free(&made);
}

static void chain(FILE *f, const perp_trust_scene *scene, int drops)
{
    char name[64];

    snprintf(name, sizeof name, "chain:%d:%.17g", scene->count, scene->size);
    write_mechanism(f, name, drops, "");
}

void perp_trust_chain(FILE *f, const perp_trust_scene *scene)
{
    chain(f, scene, 0);
}

void perp_trust_dropped_chain(FILE *f, const perp_trust_scene *scene)
{
    chain(f, scene, 1);
}

void perp_trust_four_bar(FILE *f, const perp_trust_scene *scene)
{
    char name[32];

    snprintf(name, sizeof name, "four-bar:%d", scene->count);
    write_mechanism(f, name, 0, ", \"coupler.q\"");
}

void perp_trust_loops(FILE *f, const perp_trust_scene *scene)
{
    char name[32];

    snprintf(name, sizeof name, "loops:%d", scene->count);
    write_mechanism(f, name, 0, "");
}

void perp_trust_cards(FILE *f, const perp_trust_scene *scene)
{
    char name[32];

    snprintf(name, sizeof name, "cards:%d:4", scene->count);
    write_pile(f, name);
}

void perp_trust_dominoes(FILE *f, const perp_trust_scene *scene)
{
    char name[32];

    snprintf(name, sizeof name, "dominoes:%d", scene->count);
    write_pile(f, name);
}
