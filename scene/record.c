/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 60, MOST = 100000 };

static const char *const whole_words[] = {
    "kinetic",    "potential", "energy",    "active", "rows",     "newton",      "solves",
    "iterations", "error",     "violation", "inner",  "rejected", "evaluations", "impacts"};
enum { WHOLES = sizeof whole_words / sizeof whole_words[0] };

/* The quantity NAME.FIELD of a system; 0 where there is no such field. */
static int system_field(perp_run_quantity *quantity, const perp_run_system *s, const char *field)
{
    static const char *const words[] = {"q", "v", "p", "kinetic", "potential", "x", "r"};
    int moves = s->kind != PERP_RUN_FIRST_ORDER;

    quantity->system = s;
    for (int k = 0; k < 7; k++) {
        if (strcmp(field, words[k]) != 0)
            continue;
        if (k == 5 || k == 6 ? moves : k != 0 && !moves)
            return 0;
        quantity->field = k == 5 ? PERP_RUN_X : k == 6 ? PERP_RUN_P : (perp_run_field)k;
        quantity->count = k == 0 || k == 5 ? s->nx : k == 3 || k == 4 ? 1 : s->nv;
        return 1;
    }
    return 0;
}

static int interaction_field(perp_run_quantity *quantity, const perp_run_interaction *i,
                             const char *field)
{
    static const char *const words[] = {"y", "u", "lambda", "active"};

    quantity->interaction = i;
    for (int k = 0; k < 4; k++) {
        if (strcmp(field, words[k]) != 0)
            continue;
        quantity->field = (perp_run_field)(PERP_RUN_Y + k);
        quantity->count = k == 3 ? 1 : i->rows;
        return 1;
    }
    return 0;
}

/* Splits "NAME.FIELD[INDEX]"; *index is -1 without one. */
static int split(char *name, char *field, int *index, const char *text)
{
    const char *dot = strchr(text, '.'), *bracket = strchr(text, '[');
    size_t length = strlen(text), stop = bracket != NULL ? (size_t)(bracket - text) : length;
    char *end;
    long number;

    *index = -1;
    if (length >= 127)
        return 0;
    name[0] = '\0';
    if (dot != NULL) {
        snprintf(name, 128, "%.*s", (int)(dot - text), text);
        snprintf(field, 128, "%.*s", (int)(stop - (size_t)(dot - text) - 1), dot + 1);
    } else {
        snprintf(field, 128, "%.*s", (int)stop, text);
    }
    if (bracket == NULL)
        return 1;
    number = strtol(bracket + 1, &end, 10);
    if (end == bracket + 1 || strcmp(end, "]") != 0 || number < 0 || number > MOST)
        return 0;
    *index = (int)number;
    return 1;
}

static int find_owner(perp_run_quantity *quantity, perp_run_scene *scene, const char *name,
                      const char *field, const perp_run_node *at)
{
    const perp_run_system *s = perp_run_find(scene, name);

    if (s != NULL && s->fixed)
        return perp_run_fail(at, "'%s' stands still", name);
    if (s != NULL) {
        if (system_field(quantity, s, field))
            return 0;
        return perp_run_fail(at, "'%s' has no '%s'; a system has %s", name, field,
                             s->kind == PERP_RUN_FIRST_ORDER ? "x and r"
                                                             : "q, v, p, kinetic and potential");
    }
    for (int k = 0; k < scene->ninteractions; k++) {
        if (strcmp(scene->interactions[k].name, name) != 0)
            continue;
        if (interaction_field(quantity, &scene->interactions[k], field))
            return 0;
        return perp_run_fail(at, "'%s' has no '%s'; an interaction has y, u, lambda and active",
                             name, field);
    }
    return perp_run_fail(at, "nothing is called '%s'", name);
}

static int read_quantity(perp_run_quantity *quantity, perp_run_scene *scene,
                         const perp_run_node *at)
{
    char name[128], field[128];
    const char *text;
    int index;

    if (!json_is_string(at->json))
        return perp_run_fail(at, "a string is expected");
    text = json_string_value(at->json);
    if (!split(name, field, &index, text))
        return perp_run_fail(at, "'%s' is not NAME.FIELD, NAME.FIELD[INDEX] or FIELD", text);
    quantity->label = text;
    if (name[0] == '\0') {
        quantity->field = PERP_RUN_STEP;
        quantity->count = 1;
        while (quantity->whole < WHOLES && strcmp(field, whole_words[quantity->whole]) != 0)
            quantity->whole++;
        if (quantity->whole == WHOLES)
            return perp_run_fail(at,
                                 "'%s' is none of kinetic, potential, energy, active, rows, "
                                 "newton, solves, iterations, error, violation, inner, rejected, "
                                 "evaluations, impacts",
                                 field);
    } else if (find_owner(quantity, scene, name, field, at) != 0) {
        return -1;
    }
    if (index >= quantity->count)
        return perp_run_fail(at, "there are %d entries", quantity->count);
    if (index >= 0) {
        quantity->first = index;
        quantity->count = 1;
        quantity->indexed = 1;
    }
    return 0;
}

static int read_list(perp_run_record *record, perp_run_scene *scene, const perp_run_node *list)
{
    size_t count;

    if (perp_run_array(list, &count) != 0)
        return -1;
    if (count < 1 || count > 10000)
        return perp_run_fail(list, "%zu quantities are given", count);
    record->quantities = perp_run_take(scene, count, sizeof *record->quantities);
    if (record->quantities == NULL)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_run_node node = perp_run_at(list, k);
        if (read_quantity(&record->quantities[k], scene, &node) != 0)
            return -1;
    }
    record->nquantities = (int)count;
    return 0;
}

static int add(perp_run_record *record, perp_run_scene *scene, const char *name, const char *field)
{
    perp_run_quantity *quantity = &record->quantities[record->nquantities];
    perp_run_node root = perp_run_root(scene);

    quantity->label = name != NULL ? perp_run_text(scene, "%s.%s", name, field) : field;
    if (quantity->label == NULL)
        return -1;
    record->nquantities++;
    if (name != NULL)
        return find_owner(quantity, scene, name, field, &root);
    quantity->field = PERP_RUN_STEP;
    quantity->count = 1;
    while (strcmp(field, whole_words[quantity->whole]) != 0)
        quantity->whole++;
    return 0;
}

/* States, outputs and multipliers of a small scene; of a large one the whole alone. */
static int take_standard(perp_run_record *record, perp_run_scene *scene)
{
    int numbers = 0, moving = 0, bad = 0;

    for (int k = 0; k < scene->nsystems; k++) {
        moving |= !scene->systems[k]->fixed && scene->systems[k]->kind != PERP_RUN_FIRST_ORDER;
        if (!scene->systems[k]->fixed)
            numbers += scene->systems[k]->nx + scene->systems[k]->nv;
    }
    for (int k = 0; k < scene->ninteractions; k++)
        numbers += 2 * scene->interactions[k].rows;
    record->quantities = perp_run_take(scene, SMALL + 8, sizeof *record->quantities);
    if (record->quantities == NULL)
        return -1;
    for (int k = 0; k < scene->nsystems && numbers <= SMALL; k++) {
        const perp_run_system *s = scene->systems[k];
        if (s->fixed)
            continue;
        bad |= add(record, scene, s->name, s->kind == PERP_RUN_FIRST_ORDER ? "x" : "q");
        if (s->kind != PERP_RUN_FIRST_ORDER)
            bad |= add(record, scene, s->name, "v");
    }
    for (int k = 0; k < scene->ninteractions && numbers <= SMALL; k++) {
        bad |= add(record, scene, scene->interactions[k].name, "y");
        bad |= add(record, scene, scene->interactions[k].name, "lambda");
    }
    if (moving) {
        bad |= add(record, scene, NULL, "kinetic");
        bad |= add(record, scene, NULL, "energy");
    }
    bad |= add(record, scene, NULL, "active");
    return bad ? -1 : 0;
}

/* "step", with its stride, or "instant". */
static int read_every(perp_run_record *record, const perp_run_node *node)
{
    perp_run_node every = perp_run_get(node, "every"), stride = perp_run_get(node, "stride");
    const char *text = json_string_value(every.json);

    if (every.json == NULL)
        return 0;
    if (text == NULL || (strcmp(text, "step") != 0 && strcmp(text, "instant") != 0))
        return perp_run_fail(&every, "one of step, instant is expected");
    record->instants = strcmp(text, "instant") == 0;
    if (record->instants && stride.json != NULL)
        return perp_run_fail(&stride, "every instant is recorded");
    return 0;
}

int perp_run_read_record(perp_run_record *record, perp_run_scene *scene)
{
    perp_run_node root = perp_run_root(scene), node = perp_run_get(&root, "record");
    perp_run_node list = perp_run_get(&node, "quantities");

    memset(record, 0, sizeof *record);
    record->stride = 1;
    if (node.json != NULL &&
        (perp_run_object(&node, "quantities stride every") != 0 ||
         perp_run_integer(&record->stride, &node, "stride", 1, INT32_MAX) != 0 ||
         read_every(record, &node) != 0))
        return -1;
    if ((list.json != NULL ? read_list(record, scene, &list) : take_standard(record, scene)) != 0)
        return -1;
    for (int k = 0; k < record->nquantities; k++)
        record->columns += record->quantities[k].count;
    return 0;
}

void perp_run_column(char *text, size_t room, const perp_run_quantity *quantity, int k)
{
    if (quantity->count == 1)
        snprintf(text, room, "%s", quantity->label);
    else
        snprintf(text, room, "%s[%d]", quantity->label, k);
}

static double whole(perp_run_scene *scene, int which)
{
    const perp_step_info *info = perp_sim_info(scene->sim);
    double kinetic = 0.0, potential = 0.0;

    if (which < 3) {
        for (int k = 0; k < scene->nsystems; k++) {
            kinetic += which != 1 ? perp_run_kinetic(scene, scene->systems[k]) : 0.0;
            potential += which != 0 ? perp_run_potential(scene, scene->systems[k]) : 0.0;
        }
        return kinetic + potential + (which != 0 ? perp_run_spring_energy(scene) : 0.0);
    }
    switch (which) {
    case 3:
        return info->active;
    case 4:
        return info->rows;
    case 5:
        return info->newton;
    case 6:
        return info->solves;
    case 7:
        return info->rows > 0 ? info->solver->iterations : 0.0;
    case 8:
        return info->rows > 0 ? info->solver->error : 0.0;
    case 9:
        return info->violation;
    case 10:
        return info->inner;
    case 11:
        return info->rejected;
    case 12:
        return (double)info->evaluations;
    default:
        return info->impacts;
    }
}

static void sample_one(double *row, const perp_run_quantity *quantity, perp_run_scene *scene)
{
    const double *y = NULL, *u = NULL, *lambda = NULL, *source = NULL;
    double *x = NULL, *v = NULL;
    int active = 0;

    if (quantity->system != NULL)
        perp_model_state(scene->model, quantity->system->id, &x, &v, NULL, NULL);
    if (quantity->interaction != NULL)
        perp_model_output(scene->model, quantity->interaction->id, &y, &u, &lambda, NULL, &active);
    switch (quantity->field) {
    case PERP_RUN_X:
        source = x;
        break;
    case PERP_RUN_V:
        source = v;
        break;
    case PERP_RUN_P:
        perp_model_input(scene->model, quantity->system->id, &source);
        break;
    case PERP_RUN_Y:
        source = y;
        break;
    case PERP_RUN_U:
        source = u;
        break;
    case PERP_RUN_LAMBDA:
        source = lambda;
        break;
    case PERP_RUN_KINETIC:
        row[0] = perp_run_kinetic(scene, quantity->system);
        return;
    case PERP_RUN_POTENTIAL:
        row[0] = perp_run_potential(scene, quantity->system);
        return;
    case PERP_RUN_ACTIVE:
        row[0] = active;
        return;
    default:
        row[0] = whole(scene, quantity->whole);
        return;
    }
    for (int k = 0; k < quantity->count; k++)
        row[k] = source != NULL ? source[quantity->first + k] : NAN;
}

void perp_run_sample(double *row, const perp_run_record *record, perp_run_scene *scene)
{
    for (int k = 0; k < record->nquantities; k++) {
        sample_one(row, &record->quantities[k], scene);
        row += record->quantities[k].count;
    }
}
