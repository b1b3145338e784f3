/* SPDX-License-Identifier: BSD-3-Clause */
/* A step that no motion satisfies, in the words of the scene: which bodies are squeezed between
 * what, by the proof of the simulation. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/contact_section.h"
#include "scene/scene_inside.h"

enum { NAMES = 8 };

/* Different names in the order of their first mention, each with the weights of its rows. */
typedef struct names {
    const char *name[NAMES];
    double weight[NAMES];
    int count, more; /* more: names left out */
} names;

static void mention(names *list, const char *name, double weight)
{
    for (int k = 0; k < list->count; k++)
        if (strcmp(list->name[k], name) == 0) {
            list->weight[k] += weight;
            return;
        }
    if (list->count == NAMES) {
        list->more++;
        return;
    }
    list->name[list->count] = name;
    list->weight[list->count++] = weight;
}

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* "a", "a and b", "a, b and c". */
static void append_names(char *text, size_t size, const names *list)
{
    for (int k = 0; k < list->count; k++) {
        int last = k + 1 == list->count && list->more == 0;
        append(text, size, "%s%.60s", k == 0 ? "" : last ? " and " : ", ", list->name[k]);
    }
    if (list->more > 0)
        append(text, size, " and others");
}

static const perp_scene_member *member_of(const perp_scene *scene, perp_system_id id)
{
    for (int k = 0; k < scene->nsystems; k++)
        if (!scene->systems[k]->fixed && scene->systems[k]->id.index == id.index &&
            scene->systems[k]->id.generation == id.generation)
            return scene->systems[k];
    return NULL;
}

static int is_squeezed(const perp_scene *scene, const perp_infeasibility *proof,
                       const perp_scene_member *s)
{
    for (int k = 0; k < proof->systems; k++)
        if (member_of(scene, proof->system[k]) == s)
            return 1;
    return 0;
}

/* What the bodies are squeezed between: interactions by name; of contacts the shapes that are not
 * squeezed themselves. */
static void list_sides(names *sides, const perp_scene *scene, const perp_infeasibility *proof)
{
    for (int k = 0; k < proof->rows; k++) {
        const perp_scene_member *pair[2] = {NULL, NULL};
        const char *name = perp_scene_find_interaction_id(pair, scene, proof->interaction[k]);
        if (name != NULL) {
            mention(sides, name, proof->weight[k]);
            continue;
        }
        for (int i = 0; i < 2; i++)
            if (pair[i] != NULL && !is_squeezed(scene, proof, pair[i]))
                mention(sides, pair[i]->name, proof->weight[k]);
    }
}

/* Of the rates of all rows of a proof; of angles and lengths together it has none. */
static const char *unit_of(const perp_scene *scene, const perp_infeasibility *proof)
{
    int angles = 0;

    for (int k = 0; k < proof->rows; k++)
        for (int i = 0; i < scene->ninteractions; i++)
            angles += scene->interactions[i].id.index == proof->interaction[k].index &&
                      scene->interactions[i].id.generation == proof->interaction[k].generation &&
                      scene->interactions[i].is_angle;
    return angles == 0 ? " m/s" : angles == proof->rows ? " rad/s" : "";
}

int perp_scene_squeezed_text(char *text, size_t size, const perp_scene *scene)
{
    perp_infeasibility proof = {.size = sizeof proof};
    names bodies, sides;

    memset(&bodies, 0, sizeof bodies);
    memset(&sides, 0, sizeof sides);
    text[0] = '\0';
    if (perp_sim_infeasibility(scene->sim, &proof) != PERP_SOLVED || proof.rows == 0)
        return 0;
    for (int k = 0; k < scene->nsystems; k++)
        if (is_squeezed(scene, &proof, scene->systems[k]))
            mention(&bodies, scene->systems[k]->name, 0.0);
    list_sides(&sides, scene, &proof);
    if (bodies.count == 0 || sides.count == 0)
        return 0;
    if (isinf(proof.speed)) {
        append_names(text, size, &sides);
        append(text, size,
               sides.count > 1 ? " contradict each other on " : " contradicts itself on ");
        append_names(text, size, &bodies);
        append(text, size, "; no motion satisfies %s", sides.count == 2 ? "both" : "all of them");
        return 1;
    }
    append_names(text, size, &bodies);
    append(text, size, " %s squeezed between ", bodies.count + bodies.more > 1 ? "are" : "is");
    append_names(text, size, &sides);
    /* Two sides have equal weights where their normals are opposite.  Then w (u_1 + u_2) = -s*,
     * however many gaps lie between them. */
    if (sides.count == 2 && sides.more == 0 && fabs(sides.weight[0] - sides.weight[1]) < 1e-6)
        append(text, size, ", which approach at %.6g%s; no motion satisfies both",
               proof.speed / sides.weight[0], unit_of(scene, &proof));
    else
        append(text, size,
               ": whatever the motion, one of the gaps closes at %.6g%s at least; no motion "
               "satisfies %s",
               proof.speed, unit_of(scene, &proof), sides.count == 2 ? "both" : "all of them");
    return 1;
}

perp_status perp_scene_name_interaction(const perp_scene *scene, perp_interaction_id id, char *text,
                                        size_t size)
{
    const perp_scene_member *pair[2] = {NULL, NULL};
    const char *name;

    if (scene == NULL || text == NULL || size == 0)
        return PERP_ERR_ARGUMENT;
    name = perp_scene_find_interaction_id(pair, scene, id);
    if (name == NULL && pair[0] == NULL)
        return PERP_ERR_STATE;
    if (name != NULL)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "%s, %s", pair[0]->name, pair[1]->name);
    return PERP_SOLVED;
}
