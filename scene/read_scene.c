/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and names of a scene, and the parts of its text in their order. */
#include "scene/scene_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/contact_points.h"

perp_scene_node perp_scene_root(perp_scene *scene)
{
    perp_scene_node root = {NULL, NULL, 0, scene->json, &scene->report};
    return root;
}

enum { BLOCK_HEAD = 32 };

void *perp_scene_take(perp_scene *scene, size_t count, size_t size)
{
    size_t each = size > 0 ? size : 1;
    perp_scene_block *block = NULL;

    if (count <= (SIZE_MAX - 2 * BLOCK_HEAD) / each)
        block = perp_scene_zeroed(&scene->memory, count * each + BLOCK_HEAD, 1);
    if (block == NULL) {
        perp_scene_fail_memory(&scene->report);
        return NULL;
    }
    block->next = scene->blocks;
    scene->blocks = block;
    return (char *)block + BLOCK_HEAD;
}

char *perp_scene_text(perp_scene *scene, const char *format, ...)
{
    char text[256], *copy;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    copy = perp_scene_take(scene, strlen(text) + 1, 1);
    if (copy != NULL)
        strcpy(copy, text);
    return copy;
}

perp_scene_member *perp_scene_find_member(perp_scene *scene, const char *name)
{
    int k = perp_scene_find_system(scene, name);

    return k >= 0 ? scene->systems[k] : NULL;
}

/* "ball-0" of "ball". */
static int is_copy_of(const char *copy, const char *name)
{
    size_t length = strlen(name);

    return strncmp(copy, name, length) == 0 && strcmp(copy + length, "-0") == 0;
}

int perp_scene_fail_name(perp_scene *scene, const perp_scene_node *at, const char *reason,
                         const char *name)
{
    const char *best = NULL;

    for (int k = 0; k < scene->nsystems + scene->ninteractions; k++) {
        const char *pair[2] = {best, k < scene->nsystems
                                         ? scene->systems[k]->name
                                         : scene->interactions[k - scene->nsystems].name};
        best = perp_nearest_name(name, pair, 2);
    }
    for (int k = 0; best == NULL && k < scene->nsystems; k++)
        best = is_copy_of(scene->systems[k]->name, name) ? scene->systems[k]->name : NULL;
    if (best != NULL)
        return perp_scene_fail(at, "%s '%s'; did you mean '%s'?", reason, name, best);
    return perp_scene_fail(at, "%s '%s'", reason, name);
}

perp_scene_member *perp_scene_named(perp_scene *scene, const perp_scene_node *node)
{
    perp_scene_member *found;

    if (!perp_scene_is(node, JSON_STRING)) {
        perp_scene_fail(node, "the name of a system is expected");
        return NULL;
    }
    found = perp_scene_find_member(scene, json_string_value(node->json));
    if (found == NULL && strcmp(json_string_value(node->json), "world") == 0)
        perp_scene_fail(node, "the world is no system: leave it out");
    else if (found == NULL)
        perp_scene_fail_name(scene, node, "no system is called", json_string_value(node->json));
    return found;
}

static int check_new(perp_scene *scene, const perp_scene_node *at, const char *name)
{
    if (perp_scene_find_member(scene, name) != NULL || strcmp(name, "world") == 0 ||
        perp_scene_number_of(&scene->interaction_names, name) >= 0)
        return perp_scene_fail(at, "the name '%s' is taken", name);
    return 0;
}

int perp_scene_check_name(perp_scene *scene, const perp_scene_node *at, const char *name)
{
    if (name[0] == '\0' || strlen(name) > 100 || strpbrk(name, ".[], \t\r\n\"'/\\") != NULL)
        return perp_scene_fail(at,
                               "'%s' is no name: 1 to 100 characters without blanks, quotes, "
                               "slashes, and . , [ ]",
                               name);
    return check_new(scene, at, name);
}

perp_scene_member *perp_scene_add_member(perp_scene *scene, const perp_scene_node *at,
                                         const char *name)
{
    perp_scene_member *made;

    if (check_new(scene, at, name) != 0)
        return NULL;
    if (scene->nsystems == scene->systems_capacity) {
        int more = 2 * scene->systems_capacity + 16;
        perp_scene_member **grown =
            perp_scene_take(scene, (size_t)more, sizeof(perp_scene_member *));
        if (grown == NULL)
            return NULL;
        if (scene->nsystems > 0)
            memcpy(grown, scene->systems, (size_t)scene->nsystems * sizeof(perp_scene_member *));
        scene->systems = grown;
        scene->systems_capacity = more;
    }
    made = perp_scene_take(scene, 1, sizeof *made);
    if (made == NULL ||
        perp_scene_put_name(&scene->system_names, scene, name, scene->nsystems) != 0)
        return NULL;
    made->shape.turn[0] = 1.0;
    made->name = name;
    made->place = at->index;
    made->list = at->up != NULL && at->up->key != NULL ? at->up->key : "systems";
    scene->systems[scene->nsystems++] = made;
    return made;
}

perp_scene_member *perp_scene_new_system(perp_scene *scene, const perp_scene_node *at,
                                         const char *prefix)
{
    perp_scene_member *made;
    const char *name = NULL;

    if (perp_scene_string(&name, at, "name") != 0)
        return NULL;
    if (name == NULL)
        name = perp_scene_text(scene, "%s%zu", prefix, at->index);
    if (name == NULL || perp_scene_check_name(scene, at, name) != 0)
        return NULL;
    made = perp_scene_add_member(scene, at, name);
    if (made != NULL)
        made->as = perp_scene_take(scene, 1, sizeof *made->as);
    return made != NULL && made->as != NULL ? made : NULL;
}

static int set_real(json_t *object, const char *key, double value)
{
    return isnan(value) ? 0 : json_object_set_new(object, key, json_real(value));
}

/* "NAME=VALUE" into the section "solver". */
static int set_setting(perp_scene *scene, json_t *solver, const char *setting)
{
    perp_scene_node root = perp_scene_root(scene);
    const char *sign = setting != NULL ? strchr(setting, '=') : NULL;
    char *name;

    if (sign == NULL || sign == setting)
        return perp_scene_fail(&root, "'%s' is not NAME=VALUE", setting != NULL ? setting : "");
    name = perp_scene_text(scene, "%.*s", (int)(sign - setting), setting);
    if (name == NULL || json_object_set_new(solver, name, json_string(sign + 1)) != 0)
        return perp_scene_fail_memory(&scene->report);
    return 0;
}

/* The section under `key`, made where it is absent; NULL: no memory, or it is no object (its reader
 * says so). */
static json_t *section(perp_scene *scene, const char *key)
{
    json_t *found = json_object_get(scene->json, key);

    if (found == NULL && json_object_set_new(scene->json, key, json_object()) == 0)
        found = json_object_get(scene->json, key);
    return json_is_object(found) ? found : NULL;
}

/* Puts what the caller asks for into the tree, where the text would have it. */
static int apply(perp_scene *scene, const perp_scene_options *options)
{
    int changes = options->solver != NULL || !isnan(options->tol) || options->nsettings > 0;
    json_t *time = section(scene, "time"), *solver = changes ? section(scene, "solver") : NULL;
    int bad = 0;

    if (time != NULL)
        bad |= set_real(time, "until", options->until) | set_real(time, "step", options->step);
    if (solver != NULL) {
        if (options->solver != NULL)
            bad |= json_object_set_new(solver, "name", json_string(options->solver));
        bad |= set_real(solver, "tol", options->tol);
        for (int k = 0; k < options->nsettings; k++)
            if (set_setting(scene, solver, options->settings[k]) != 0)
                return -1;
    }
    if (options->scheme != NULL)
        bad |= json_object_set_new(scene->json, "schemes",
                                   json_pack("[{s:s}]", "name", options->scheme));
    return bad ? perp_scene_fail_memory(&scene->report) : 0;
}

static int check_top(const perp_scene_node *root)
{
    int version = 0;

    if (perp_scene_object(
            root,
            "version title time solver form newton warm_start failure schemes gravity systems "
            "bodies forces interactions contacts controllers record frames certificate") != 0)
        return -1;
    if (!perp_scene_has(root, "version")) {
        perp_scene_node missing = perp_scene_get(root, "version");
        return perp_scene_fail(&missing, "missing; this perp reads version 1");
    }
    return perp_scene_integer(&version, root, "version", 1, 1);
}

int perp_scene_read(perp_scene *scene, const perp_scene_options *options)
{
    perp_scene_node root = perp_scene_root(scene);
    perp_status status;

    if (check_top(&root) != 0 || perp_scene_string(&scene->title, &root, "title") != 0 ||
        apply(scene, options) != 0)
        return -1;
    status = perp_model_create(&scene->model, &scene->memory);
    if (status != PERP_SOLVED)
        return perp_scene_fail_status(&root, status, NULL);
    perp_model_begin_absent(scene->model, options->absent);
    if (perp_scene_reals(scene->gravity, &root, "gravity", 3) != 0 ||
        perp_scene_read_options(scene, &root) != 0 || perp_scene_read_systems(scene, &root) != 0 ||
        perp_scene_read_bodies(scene, &root) != 0 || perp_scene_read_forces(scene, &root) != 0 ||
        perp_scene_add_systems(scene) != 0 || perp_scene_read_interactions(scene, &root) != 0 ||
        perp_scene_read_controllers(scene, &root) != 0 || perp_scene_find_points(scene) != 0 ||
        perp_scene_read_contacts(scene, &root) != 0 ||
        perp_scene_read_schemes(scene, &root, options->scheme) != 0 ||
        perp_scene_start_controllers(scene) != 0 ||
        perp_scene_read_certificate(scene, &root) != 0 ||
        (!scene->anywhere && perp_scene_check_places(scene) != 0) ||
        perp_scene_read_record(scene) != 0)
        return -1;
    perp_scene_note_doubts(scene);
    return scene->report.status == PERP_SOLVED ? 0 : -1; /* a note may have found no memory */
}
