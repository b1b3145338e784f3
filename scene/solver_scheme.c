/* SPDX-License-Identifier: BSD-3-Clause */
/* Time, solver, form of the one-step problem, Newton loop; then schemes, and the simulation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/plain_number.h"
#include "scene/scene_inside.h"

typedef const perp_setting_info *list_of_settings(int k);

/* Is it one of a list that is not on or off?  What the list does not have is said later. */
static int is_no_switch(list_of_settings *list, const char *key)
{
    const perp_setting_info *info;
    for (int k = 0; (info = list(k)) != NULL; k++)
        if (strcmp(info->name, key) == 0)
            return info->type != PERP_SETTING_INTEGER || info->lowest != 0.0 ||
                   info->highest != 1.0;
    return 0;
}

/* A parameter of this list as the text that perp_settings_set() and perp_scheme_set() take. */
static int as_text(char *text, size_t size, const perp_scene_node *node, const char *key,
                   list_of_settings *list)
{
    if (perp_scene_is(node, JSON_STRING))
        snprintf(text, size, "%s", json_string_value(node->json));
    else if (perp_scene_is_flag(node) && is_no_switch(list, key))
        return perp_scene_fail(node, "%s is no number",
                               perp_scene_is(node, JSON_TRUE) ? "true" : "false");
    else if (perp_scene_is_flag(node))
        snprintf(text, size, "%d", perp_scene_is(node, JSON_TRUE));
    else if (perp_scene_is(node, JSON_INTEGER))
        snprintf(text, size, "%lld", (long long)json_integer_value(node->json));
    else if (perp_scene_is(node, JSON_REAL))
        snprintf(text, size, "%s", perp_scene_number_text(json_real_value(node->json), 17).text);
    else
        return perp_scene_fail(node, "a number or a string is expected");
    return 0;
}

/* Whole steps, the last of which ends where `until` is nearest. */
static int check_steps(perp_scene *scene, const perp_scene_node *node)
{
    double length = scene->until - scene->t0, steps = ceil(length / scene->step - 0.5);
    perp_scene_node until = perp_scene_get(node, "until"), step = perp_scene_get(node, "step");

    if (length / scene->step > 1e15)
        return perp_scene_fail(&until, "more than 1e15 steps");
    if (length > 0.0 && length < 0.999 * scene->step)
        return perp_scene_fail(&step, "%.10g is longer than the whole run, from %.10g to %.10g",
                               scene->step, scene->t0, scene->until);
    if (fabs(steps * scene->step - length) > 1e-3 * scene->step)
        perp_scene_warn(scene, &until,
                        "%.10g is no multiple of the step %.10g: the run ends at %.10g, after %.0f "
                        "steps",
                        scene->until, scene->step, scene->t0 + steps * scene->step, steps);
    return 0;
}

static int read_time(perp_scene *scene, const perp_scene_node *root)
{
    perp_scene_node node = perp_scene_get(root, "time"), until = perp_scene_get(&node, "until");

    if (perp_scene_object(&node, "t0 until step") != 0 ||
        perp_scene_real(&scene->t0, &node, "t0", -INFINITY, INFINITY) != 0 ||
        perp_scene_need_real(&scene->until, &node, "until", -INFINITY, INFINITY) != 0 ||
        perp_scene_need_real(&scene->step, &node, "step", -INFINITY, INFINITY) != 0)
        return -1;
    if (!(scene->step > 0.0)) {
        perp_scene_node step = perp_scene_get(&node, "step");
        return perp_scene_fail(&step, "%g is not positive", scene->step);
    }
    if (scene->until < scene->t0)
        return perp_scene_fail(&until, "%g lies before t0, %g", scene->until, scene->t0);
    scene->options.t0 = scene->t0;
    scene->options.h = scene->step;
    return check_steps(scene, &node);
}

static int fail_unknown_solver(const perp_scene_node *at, const char *name)
{
    const char *renamed = perp_solver_renamed(name), *best = NULL;

    if (renamed != NULL)
        return perp_scene_fail(at, "%s", renamed);
    for (int k = 0; perp_solver_at(k) != NULL; k++) {
        const char *pair[2] = {best, perp_solver_name(perp_solver_at(k))};
        best = perp_nearest_name(name, pair, 2);
    }
    if (best != NULL)
        return perp_scene_fail(at, "there is no solver '%s'; did you mean '%s'?", name, best);
    return perp_scene_fail(at, "there is no solver '%s'; see 'perp solvers'", name);
}

/* Says why a setting was refused. */
static int refuse_setting(const perp_scene_node *value, const char *key, const char *text)
{
    const perp_setting_info *info;
    size_t length;

    for (int k = 0; (info = perp_setting_at(k)) != NULL; k++) {
        if (strcmp(info->name, key) != 0)
            continue;
        if (info->choices != NULL)
            return perp_scene_fail(value, "'%s' is none of %s", text, info->choices);
        if (info->type == PERP_SETTING_NAME)
            return fail_unknown_solver(value, text);
        return perp_scene_fail(value, "'%s' is not %s from %.10g to %.10g", text,
                               info->type == PERP_SETTING_INTEGER ? "a whole number" : "a number",
                               info->lowest, info->highest);
    }
    if (perp_setting_renamed(key) != NULL)
        return perp_scene_fail(value, "%s", perp_setting_renamed(key));
    const char *best = NULL;
    for (int k = 0; (info = perp_setting_at(k)) != NULL; k++) {
        const char *pair[2] = {best, info->name};
        best = perp_nearest_name(key, pair, 2);
    }
    for (int k = 0; best == NULL && (info = perp_setting_at(k)) != NULL; k++)
        best = perp_scene_meant(key, info->name, &length);
    if (best != NULL)
        return perp_scene_fail(value, "unknown setting; did you mean '%s'?", best);
    return perp_scene_fail(value, "unknown setting; see 'perp solvers'");
}

static int read_solver(perp_scene *scene, const perp_scene_node *root)
{
    perp_scene_node node = perp_scene_get(root, "solver"), name = perp_scene_get(&node, "name");
    json_t *json = (json_t *)node.json;

    if (json == NULL)
        return 0;
    if (!perp_scene_is(&node, JSON_OBJECT))
        return perp_scene_fail(&node, "an object is expected");
    if (perp_scene_string(&scene->options.solver, &node, "name") != 0)
        return -1;
    if (scene->options.solver != NULL && perp_solver_find(scene->options.solver) == NULL)
        return fail_unknown_solver(&name, scene->options.solver);
    for (void *it = json_object_iter(json); it != NULL; it = json_object_iter_next(json, it)) {
        const char *key = json_object_iter_key(it);
        perp_scene_node value = perp_scene_get(&node, key);
        char text[64];
        if (strcmp(key, "name") == 0)
            continue;
        if (strcmp(key, "warm_start") == 0)
            return perp_scene_fail(&value,
                                   "the simulation sets it; see \"warm_start\" of the scene");
        if (as_text(text, sizeof text, &value, key, perp_setting_at) != 0)
            return -1;
        if (perp_settings_set(&scene->settings, key, text) != PERP_SOLVED)
            return refuse_setting(&value, key, text);
    }
    return 0;
}

static int read_newton(perp_scene *scene, const perp_scene_node *root)
{
    perp_scene_node node = perp_scene_get(root, "newton");

    if (node.json == NULL)
        return 0;
    if (perp_scene_object(&node, "tol iterations") != 0)
        return -1;
    if (perp_scene_real(&scene->options.newton_tol, &node, "tol", 0.0, INFINITY) != 0)
        return -1;
    return perp_scene_integer(&scene->options.newton_iter, &node, "iterations", 1, 1000000);
}

/* {"retry": [solvers], "then": "accept" | "stop" | "least"}; "halve" was "stop" before the step was
 * halved in any case. */
static int read_failure(perp_scene *scene, const perp_scene_node *root)
{
    static const perp_unsolved actions[] = {PERP_UNSOLVED_STOP, PERP_UNSOLVED_ACCEPT,
                                            PERP_UNSOLVED_LEAST, PERP_UNSOLVED_STOP};
    perp_scene_node node = perp_scene_get(root, "failure"), list = perp_scene_get(&node, "retry");
    size_t count = 0;
    int then = 0;

    if (node.json == NULL)
        return 0;
    if (perp_scene_object(&node, "retry then") != 0 ||
        perp_scene_choice(&then, &node, "then", "stop|accept|least|halve") != 0 ||
        (list.json != NULL && perp_scene_array(&list, &count) != 0))
        return -1;
    scene->options.on_unsolved = actions[then];
    if (count > 4)
        return perp_scene_fail(&list, "at most 4 solvers");
    for (size_t k = 0; k < count; k++) {
        perp_scene_node name = perp_scene_at(&list, k);
        if (!perp_scene_is(&name, JSON_STRING))
            return perp_scene_fail(&name, "the name of a solver is expected; see 'perp solvers'");
        if (perp_solver_find(json_string_value(name.json)) == NULL)
            return fail_unknown_solver(&name, json_string_value(name.json));
        scene->retry[scene->retries++] = json_string_value(name.json);
    }
    return 0;
}

static int read_output(perp_scene *scene, const perp_scene_node *root)
{
    perp_scene_node node = perp_scene_get(root, "frames");

    if (node.json == NULL)
        return 0;
    if (perp_scene_object(&node, "every") != 0)
        return -1;
    return perp_scene_integer(&scene->frames, &node, "every", 0, INT32_MAX);
}

/* Between the iterations of a solve. */
static int asks_to_stop(void *ctx, const perp_progress *progress)
{
    const perp_scene *scene = ctx;
    (void)progress;
    return scene->stop != NULL && scene->stop(scene->stop_ctx) != 0;
}

int perp_scene_read_options(perp_scene *scene, const perp_scene_node *root)
{
    int form = PERP_FORM_AUTO;

    scene->frames = -1;
    perp_sim_options_init(&scene->options, sizeof scene->options);
    perp_settings_init(&scene->settings, sizeof scene->settings);
    scene->settings.progress = asks_to_stop;
    scene->settings.progress_ctx = scene;
    scene->options.settings = &scene->settings;
    if (read_time(scene, root) != 0 || read_solver(scene, root) != 0 ||
        read_newton(scene, root) != 0 || read_failure(scene, root) != 0 ||
        read_output(scene, root) != 0 ||
        perp_scene_choice(&form, root, "form", "auto|dense|csc|bsr|global") != 0)
        return -1;
    scene->options.form = (perp_form)form;
    return perp_scene_flag(&scene->options.warm_start, root, "warm_start");
}

/* All parameters of a scheme, for messages. */
static const char parameters[] =
#define PERP_REAL(name, def, lo, hi, text) " " #name
#define PERP_INT(name, def, lo, hi, text) " " #name
#define PERP_CHOICE(name, def, choices, text) " " #name " (" choices ")"
#include <perp/scheme.def>
#undef PERP_REAL
#undef PERP_INT
#undef PERP_CHOICE
    ;

static int init_scheme(perp_scheme *scheme, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "name");
    const char *name = NULL;
    char known[512] = "";

    if (perp_scene_need_string(&name, at, "name") != 0)
        return -1;
    if (perp_scheme_init(scheme, name, sizeof *scheme) == PERP_SOLVED)
        return 0;
    for (int k = 0; perp_scheme_at(k) != NULL; k++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, " %s", perp_scheme_at(k));
    }
    return perp_scene_fail(&node, "'%s' is none of%s", name, known);
}

/* The weight that the start of the step has in the motion of positions. */
static double advance(const perp_scheme *scheme)
{
    int weighs = strncmp(scheme->name, "moreau-jean", 11) == 0 ||
                 strncmp(scheme->name, "discrete-gradient", 17) == 0;

    return weighs ? 1.0 - scheme->theta : 0.0;
}

static int give_scheme(perp_scene *scene, const perp_scheme *scheme, const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "systems");
    perp_status status;
    size_t count;

    if (list.json == NULL) {
        status = perp_sim_set_scheme(scene->sim, (perp_system_id){0, 0}, scheme);
        for (int k = 0; strcmp(scheme->name, "euler-moreau") != 0 && k < scene->nsystems; k++)
            scene->systems[k]->advance = advance(scheme);
        return status == PERP_SOLVED ? 0 : perp_scene_fail_status(at, status, NULL);
    }
    if (perp_scene_array(&list, &count) != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node name = perp_scene_at(&list, k);
        perp_scene_member *s = perp_scene_named(scene, &name);
        if (s == NULL)
            return -1;
        if (!perp_scene_is_integrated(s))
            return perp_scene_fail(&name, "'%s' is not integrated", s->name);
        status = perp_sim_set_scheme(scene->sim, s->id, scheme);
        if (status != PERP_SOLVED)
            return perp_scene_fail(&name, "%s does not take this system", scheme->name);
        s->advance = advance(scheme);
    }
    return 0;
}

static int read_scheme(perp_scene *scene, const perp_scene_node *at)
{
    json_t *json = (json_t *)at->json;
    perp_scheme scheme;

    if (!perp_scene_is(at, JSON_OBJECT))
        return perp_scene_fail(at, "an object is expected");
    if (init_scheme(&scheme, at) != 0)
        return -1;
    for (void *it = json_object_iter(json); it != NULL; it = json_object_iter_next(json, it)) {
        const char *key = json_object_iter_key(it);
        perp_scene_node value = perp_scene_get(at, key);
        char text[64];
        if (strcmp(key, "name") == 0 || strcmp(key, "systems") == 0)
            continue;
        if (as_text(text, sizeof text, &value, key, perp_scheme_parameter_at) != 0)
            return -1;
        if (perp_scheme_set(&scheme, key, text) != PERP_SOLVED)
            return perp_scene_fail(&value, "unknown or out of its range; parameters:%s",
                                   parameters);
        if (!perp_scene_is_listed(perp_scheme_reads(scheme.name), key))
            perp_scene_warn(scene, &value, "%s does not read it; it has no effect", scheme.name);
    }
    return give_scheme(scene, &scheme, at);
}

/* 1 where a system has a scheme of this name. */
static int is_taken(const perp_scene *scene, const char *name)
{
    perp_scheme scheme;

    if (perp_scheme_init(&scheme, name, sizeof scheme) != PERP_SOLVED)
        return 0;
    for (int k = 0; k < scene->nsystems; k++)
        if (perp_scene_is_integrated(scene->systems[k]) &&
            perp_sim_scheme(scene->sim, scene->systems[k]->id, &scheme) == PERP_SOLVED &&
            strcmp(scheme.name, name) == 0)
            return 1;
    return 0;
}

/* Schemes that no system has: an error where that is what the caller asks for. */
static int check_taken(perp_scene *scene, const perp_scene_node *list, size_t count,
                       const char *asked)
{
    perp_scene_node root = perp_scene_root(scene);

    for (size_t k = 0; k < count; k++) {
        perp_scene_node node = perp_scene_at(list, k), word = perp_scene_get(&node, "name");
        const char *name = json_string_value(word.json);
        if (is_taken(scene, name))
            continue;
        if (asked != NULL) {
            perp_scene_fail(&root, "the scheme %s takes no system of this scene", name);
            scene->report.line = 0;
            return -1;
        }
        perp_scene_warn(scene, &word, "%s is the scheme of no system here; it has no effect", name);
    }
    return 0;
}

static perp_failure_action on_failure(void *ctx, const perp_sim *sim, const perp_info *info,
                                      int attempt, const char **solver)
{
    const perp_scene *scene = ctx;

    (void)sim, (void)info;
    if (attempt >= scene->retries)
        return PERP_FAILURE_DEFAULT;
    *solver = scene->retry[attempt];
    return PERP_FAILURE_RETRY;
}

int perp_scene_read_schemes(perp_scene *scene, const perp_scene_node *root, const char *asked)
{
    perp_scene_node list = perp_scene_get(root, "schemes");
    perp_where where = {NULL, -1, -1};
    perp_status status;
    size_t count = 0;

    status = perp_sim_create(&scene->sim, scene->model, &scene->options, &scene->memory, &where);
    if (status != PERP_SOLVED)
        return perp_scene_fail_status(root, status, &where);
    if (scene->retries > 0)
        perp_sim_set_on_failure(scene->sim, on_failure, scene);
    if (list.json != NULL && perp_scene_array(&list, &count) != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node node = perp_scene_at(&list, k);
        if (read_scheme(scene, &node) != 0)
            return -1;
    }
    return check_taken(scene, &list, count, asked);
}
