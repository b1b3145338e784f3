/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of a scene: memory, names, and the parts of the file in their order. */
#include "scene/scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/contacts.h"

perp_run_node perp_run_root(perp_run_scene *scene)
{
    perp_run_node root = {NULL, NULL, 0, scene->json, &scene->report};
    return root;
}

void *perp_run_take(perp_run_scene *scene, size_t count, size_t size)
{
    perp_run_block *block = NULL;

    if (count <= (SIZE_MAX - 64) / (size > 0 ? size : 1))
        block = calloc(1, count * size + 64);
    if (block == NULL) {
        perp_run_node root = perp_run_root(scene);
        perp_run_fail(&root, "no memory for %zu entries", count);
        return NULL;
    }
    block->next = scene->blocks;
    scene->blocks = block;
    return (char *)block + 32;
}

char *perp_run_text(perp_run_scene *scene, const char *format, ...)
{
    char text[256], *copy;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    copy = perp_run_take(scene, strlen(text) + 1, 1);
    if (copy != NULL)
        strcpy(copy, text);
    return copy;
}

perp_run_system *perp_run_find(perp_run_scene *scene, const char *name)
{
    for (int k = 0; k < scene->nsystems; k++)
        if (strcmp(scene->systems[k]->name, name) == 0)
            return scene->systems[k];
    return NULL;
}

perp_run_system *perp_run_named(perp_run_scene *scene, const perp_run_node *node)
{
    perp_run_system *found;

    if (!json_is_string(node->json)) {
        perp_run_fail(node, "the name of a system is expected");
        return NULL;
    }
    found = perp_run_find(scene, json_string_value(node->json));
    if (found == NULL)
        perp_run_fail(node, "no system is called '%s'", json_string_value(node->json));
    return found;
}

int perp_run_check_name(perp_run_scene *scene, const perp_run_node *at, const char *name)
{
    if (name[0] == '\0' || strlen(name) > 100 || strpbrk(name, ".[], \t\r\n\"'/\\") != NULL)
        return perp_run_fail(at,
                             "'%s' is no name: 1 to 100 characters without blanks, quotes, "
                             "slashes, and . , [ ]",
                             name);
    if (perp_run_find(scene, name) != NULL || strcmp(name, "world") == 0)
        return perp_run_fail(at, "the name '%s' is taken", name);
    for (int k = 0; k < scene->ninteractions; k++)
        if (strcmp(scene->interactions[k].name, name) == 0)
            return perp_run_fail(at, "the name '%s' is taken", name);
    return 0;
}

perp_run_system *perp_run_new_system(perp_run_scene *scene, const perp_run_node *at,
                                     const char *standard)
{
    const char *name = NULL;
    perp_run_system *made;

    if (scene->nsystems == scene->room_systems) {
        int more = 2 * scene->room_systems + 16;
        perp_run_system **grown = perp_run_take(scene, (size_t)more, sizeof(perp_run_system *));
        if (grown == NULL)
            return NULL;
        if (scene->nsystems > 0)
            memcpy(grown, scene->systems, (size_t)scene->nsystems * sizeof(perp_run_system *));
        scene->systems = grown;
        scene->room_systems = more;
    }
    made = perp_run_take(scene, 1, sizeof *made);
    if (made == NULL || perp_run_string(&name, at, "name") != 0)
        return NULL;
    if (name == NULL)
        name = perp_run_text(scene, "%s%zu", standard, at->index);
    if (name == NULL || perp_run_check_name(scene, at, name) != 0)
        return NULL;
    made->name = name;
    made->place = at->index;
    made->list = at->up != NULL && at->up->key != NULL ? at->up->key : "systems";
    scene->systems[scene->nsystems++] = made;
    return made;
}

static int apply_setting(json_t *solver, const char *pair)
{
    char name[64];
    size_t length = strcspn(pair, "=");

    snprintf(name, sizeof name, "%.*s", (int)length, pair);
    return json_object_set_new(solver, name, json_string(pair + length + (pair[length] == '=')));
}

/* Puts what the command line asks for into the tree, where the file would have it. */
static int apply(perp_run_scene *scene, const perp_run_changes *changes)
{
    json_t *time = json_object_get(scene->json, "time");
    json_t *solver = json_object_get(scene->json, "solver");
    int bad = 0;

    if (!json_is_object(time)) {
        time = json_object();
        bad |= json_object_set_new(scene->json, "time", time);
    }
    if (!isnan(changes->until))
        bad |= json_object_set_new(time, "until", json_real(changes->until));
    if (!isnan(changes->step))
        bad |= json_object_set_new(time, "step", json_real(changes->step));
    if (changes->solver != NULL || changes->sets > 0) {
        if (solver == NULL) {
            solver = json_object();
            bad |= json_object_set_new(scene->json, "solver", solver);
        }
        if (changes->solver != NULL)
            bad |= json_object_set_new(solver, "name", json_string(changes->solver));
        for (int k = 0; k < changes->sets; k++)
            bad |= apply_setting(solver, changes->set[k]);
    }
    if (changes->scheme != NULL) {
        json_t *list = json_pack("[{s:s}]", "name", changes->scheme);
        bad |= json_object_set_new(scene->json, "schemes", list);
    }
    return bad;
}

static int load(perp_run_scene *scene, const char *file)
{
    json_error_t error;

    scene->json = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
    if (scene->json == NULL) {
        if (error.line > 0)
            snprintf(scene->report.text, sizeof scene->report.text, "line %d, column %d: %s",
                     error.line, error.column, error.text);
        else
            snprintf(scene->report.text, sizeof scene->report.text, "%s", error.text);
        return -1;
    }
    return 0;
}

static int check_top(const perp_run_node *root)
{
    int version = 0;

    if (perp_run_object(
            root,
            "version title time solver form newton warm_start failure schemes gravity systems "
            "bodies forces interactions contacts record frames") != 0)
        return -1;
    if (!perp_run_has(root, "version")) {
        perp_run_node missing = perp_run_get(root, "version");
        return perp_run_fail(&missing, "missing; this perp reads version 1");
    }
    return perp_run_integer(&version, root, "version", 1, 1);
}

int perp_run_read(perp_run_scene *scene, const char *file, const perp_run_changes *changes)
{
    perp_run_node root;
    perp_status status;

    memset(scene, 0, sizeof *scene);
    scene->file = file;
    if (load(scene, file) != 0)
        return -1;
    root = perp_run_root(scene);
    if (check_top(&root) != 0 || perp_run_string(&scene->title, &root, "title") != 0)
        return -1;
    if (apply(scene, changes) != 0)
        return perp_run_fail(&root, "no memory");
    status = perp_model_create(&scene->model, NULL);
    if (status != PERP_SOLVED)
        return perp_run_fail_status(&root, status, NULL);
    if (perp_run_reals(scene->gravity, &root, "gravity", 3) != 0 ||
        perp_run_read_options(scene, &root) != 0 || perp_run_read_systems(scene, &root) != 0 ||
        perp_run_read_bodies(scene, &root) != 0 || perp_run_read_forces(scene, &root) != 0 ||
        perp_run_add_systems(scene) != 0 || perp_run_read_interactions(scene, &root) != 0 ||
        perp_run_read_contacts(scene, &root) != 0 || perp_run_read_schemes(scene, &root) != 0)
        return -1;
    return 0;
}

void perp_run_destroy(perp_run_scene *scene)
{
    perp_run_contacts_destroy(scene->contacts);
    perp_sim_destroy(scene->sim);
    perp_model_destroy(scene->model);
    for (perp_run_block *block = scene->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    json_decref(scene->json);
    memset(scene, 0, sizeof *scene);
}
