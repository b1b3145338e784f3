/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/quantities.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/verdict.h>

#include "scene/scene_inside.h"

enum { SMALL = 60, MOST = 100000 };

/* Of the whole: energies and the diagnostics of a step. */
static const char whole_words[] =
    "kinetic|potential|energy|active|rows|newton|solves|iterations|"
    "error|violation|inner|rejected|evaluations|impacts|instant|halvings";
enum { KINETIC, POTENTIAL, ENERGY, INSTANT = 14 };

/* Where the entries of a quantity come from. */
typedef enum source {
    OF_SYSTEM,
    OF_INTERACTION,
    OF_WHOLE,
    OF_POTENTIAL,
    OF_ROW,
    OF_FIGURE,
    OF_JOINT, /* by its coordinates */
    OF_REACTION
} source;

/* A quantity as its text asks for it. */
typedef struct request {
    source source;
    perp_record what; /* of the model */
    const perp_scene_member *system;
    const perp_scene_named_interaction *interaction;
    int first, count; /* entries */
    int whole;        /* which of the whole */
} request;

/* What a column that the recorder calls back for stands for. */
typedef struct computed {
    perp_scene *scene;
    const perp_scene_member *system; /* its potential energy; NULL: of the whole */
    int whole, figure;               /* figure: of the certificate */
    const char *joint;               /* a coordinate of it, `whole` saying which quantity */
    const perp_interaction_id *reaction; /* of this joint; `whole`: which entry */
} computed;

/* The quantity NAME.FIELD of a system; 0 where there is no such field. */
static int system_field(request *wish, const perp_scene_member *s, const char *field)
{
    static const struct {
        const char *word;
        perp_record what;
        int moves; /* 1: of systems with a velocity, 0: of first-order ones */
    } fields[] = {{"q", PERP_RECORD_Q, 1},         {"v", PERP_RECORD_V, 1},
                  {"p", PERP_RECORD_P, 1},         {"kinetic", PERP_RECORD_KINETIC, 1},
                  {"potential", PERP_RECORD_Q, 1}, {"x", PERP_RECORD_Q, 0},
                  {"r", PERP_RECORD_P, 0}};
    int moves = s->kind != PERP_SCENE_FIRST_ORDER;

    wish->system = s;
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        if (strcmp(field, fields[k].word) != 0 || fields[k].moves != moves)
            continue;
        wish->source = k == 4 ? OF_POTENTIAL : OF_SYSTEM;
        wish->what = fields[k].what;
        wish->count = k == 3 || k == 4 ? 1 : wish->what == PERP_RECORD_Q ? s->nx : s->nv;
        return 1;
    }
    return 0;
}

static int interaction_field(request *wish, const perp_scene *scene,
                             const perp_scene_named_interaction *i, const char *field)
{
    static const char *const words[] = {"y", "u", "lambda", "active"};
    int which = perp_scene_word(field, perp_scene_joint_words);
    double value;

    wish->interaction = i;
    for (int k = 0; k < 4; k++) {
        if (strcmp(field, words[k]) != 0)
            continue;
        wish->source = OF_INTERACTION;
        wish->what = (perp_record)(PERP_RECORD_Y + k);
        wish->count = k == 3 ? 1 : i->rows;
        return 1;
    }
    if (strcmp(field, "reaction") == 0 && i->relation != NULL) {
        wish->source = OF_REACTION;
        wish->count = 6;
        return 1;
    }
    if (which >= 0 && perp_scene_joint_quantity(&value, scene, i->name, which)) {
        wish->source = OF_JOINT;
        wish->whole = which;
        wish->count = 1;
        return 1;
    }
    return 0;
}

/* Splits "NAME.FIELD[INDEX]"; *index is -1 without one. */
static int split(char *name, char *field, int *index, const char *text)
{
    /* The last one: names of coordinates have dots of their own. */
    const char *dot = NULL, *bracket = strchr(text, '[');
    size_t length = strlen(text), stop = bracket != NULL ? (size_t)(bracket - text) : length;
    char *end;
    long number;

    for (size_t k = 0; k < stop; k++)
        dot = text[k] == '.' ? text + k : dot;
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

/* certificate.MEASURE: its value in the last step. */
static int find_figure(request *wish, const perp_scene *scene, const char *field,
                       const perp_scene_node *at)
{
    perp_figure figure;
    const char *best = NULL;

    wish->source = OF_FIGURE;
    wish->count = 1;
    for (int k = 0; perp_sim_figure(scene->sim, k, &figure, sizeof figure) == PERP_SOLVED; k++) {
        const char *pair[2] = {best, figure.name};
        wish->whole = k;
        if (strcmp(figure.name, field) == 0)
            return 0;
        best = perp_nearest_name(field, pair, 2);
    }
    return perp_scene_fail(at, "the certificate has no '%s'%s%s%s", field,
                           best != NULL ? "; did you mean '" : "", best != NULL ? best : "",
                           best != NULL ? "'?" : "");
}

static int find_owner(request *wish, perp_scene *scene, const char *name, const char *field,
                      const perp_scene_node *at)
{
    const perp_scene_member *s = perp_scene_find_member(scene, name);

    if (s != NULL && s->fixed)
        return perp_scene_fail(at, "'%s' stands still", name);
    if (s != NULL) {
        if (system_field(wish, s, field))
            return 0;
        return perp_scene_fail(
            at, "'%s' has no '%s'; a system has %s", name, field,
            s->kind == PERP_SCENE_FIRST_ORDER ? "x and r" : "q, v, p, kinetic and potential");
    }
    int k = perp_scene_find_interaction(scene, name);
    if (k >= 0) {
        if (interaction_field(wish, scene, &scene->interactions[k], field))
            return 0;
        if (perp_scene_word(field, perp_scene_joint_words) >= 0)
            return perp_scene_fail(
                at,
                "'%s' has no '%s': that is of joints with limits, motor, friction, servo or "
                "spring (angle, rate, torque of a pivot; slide, speed, force of a prismatic); "
                "\"friction\": 0 in its relation lets them be recorded",
                name, field);
        return perp_scene_fail(at, "'%s' has no '%s'; an interaction has y, u, lambda and active",
                               name, field);
    }
    if (strcmp(name, "certificate") == 0)
        return find_figure(wish, scene, field, at);
    return perp_scene_fail_name(scene, at, "nothing is called", name);
}

static int find_whole(request *wish, const char *field, const perp_scene_node *at)
{
    wish->whole = perp_scene_word(field, whole_words);
    wish->source = wish->whole == INSTANT ? OF_ROW : OF_WHOLE;
    wish->count = 1;
    return wish->whole >= 0 ? 0 : perp_scene_fail_choice(at, field, whole_words);
}

static double whole(perp_scene *scene, int which)
{
    const perp_step_info *info = perp_sim_info(scene->sim);
    double kinetic = 0.0, potential = 0.0;

    if (which <= ENERGY) {
        for (int k = 0; k < scene->nsystems; k++) {
            kinetic += which != POTENTIAL ? perp_scene_kinetic(scene, scene->systems[k]) : 0.0;
            potential += which != KINETIC ? perp_scene_potential(scene, scene->systems[k]) : 0.0;
        }
        return kinetic + potential + (which != KINETIC ? perp_scene_spring_energy(scene) : 0.0);
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
    case 13:
        return info->impacts;
    default:
        return info->halvings;
    }
}

static double compute(void *ctx, double t)
{
    const computed *of = ctx;

    (void)t;
    if (of->reaction != NULL) {
        perp_reaction reaction = {.size = sizeof reaction};
        if (perp_sim_reaction(of->scene->sim, *of->reaction, &reaction) != PERP_SOLVED)
            return NAN;
        return of->whole < 3 ? reaction.force[of->whole] : reaction.moment[of->whole - 3];
    }
    if (of->joint != NULL) {
        double value;
        (void)perp_scene_joint_quantity(&value, of->scene, of->joint, of->whole);
        return value;
    }
    if (of->figure) {
        perp_figure figure = {.last = NAN};
        (void)perp_sim_figure(of->scene->sim, of->whole, &figure, sizeof figure);
        return figure.known || figure.name == NULL ? figure.last : NAN;
    }
    return of->system != NULL ? perp_scene_potential(of->scene, of->system)
                              : whole(of->scene, of->whole);
}

static double no_number(void *ctx, double t)
{
    (void)ctx, (void)t;
    return NAN;
}

/* One column; a quantity of the model that an interaction does not have is NaN. */
static perp_status add_column(perp_scene *scene, const request *wish, int entry)
{
    perp_recorder *recorder = scene->record.recorder;
    perp_status status;
    computed *of;

    if (wish->source == OF_SYSTEM || wish->source == OF_INTERACTION) {
        int of_system = wish->source == OF_SYSTEM;
        status = perp_recorder_add(
            recorder, wish->what, of_system ? wish->system->id.index : wish->interaction->id.index,
            of_system ? wish->system->id.generation : wish->interaction->id.generation,
            wish->first + entry);
        return status == PERP_ERR_ARGUMENT ? perp_recorder_add_value(recorder, no_number, NULL)
                                           : status;
    }
    if (wish->source == OF_ROW)
        return perp_recorder_add(recorder, PERP_RECORD_INSTANT, 0, 0, 0);
    of = perp_scene_take(scene, 1, sizeof *of);
    if (of == NULL)
        return PERP_ERR_MEMORY;
    of->scene = scene;
    of->system = wish->source == OF_POTENTIAL ? wish->system : NULL;
    of->whole = wish->whole;
    of->figure = wish->source == OF_FIGURE;
    of->joint = wish->source == OF_JOINT ? wish->interaction->name : NULL;
    if (wish->source == OF_REACTION) {
        perp_interaction_id *id = perp_scene_take(scene, 1, sizeof *id);
        if (id == NULL)
            return PERP_ERR_MEMORY;
        *id = wish->interaction->id;
        of->reaction = id;
        of->whole = wish->first + entry;
    }
    return perp_recorder_add_value(recorder, compute, of);
}

/* The columns of a quantity, and their names. */
static int add_columns(perp_scene *scene, const request *wish, const char *label,
                       const perp_scene_node *at)
{
    perp_scene_record *record = &scene->record;
    perp_scene_quantity *quantity = &record->quantities[record->nquantities++];
    perp_status status = PERP_SOLVED;

    if (perp_scene_put_name(&record->labels, scene, label, record->nquantities - 1) != 0)
        return -1;
    quantity->label = label;
    quantity->first = perp_recorder_columns(record->recorder);
    quantity->count = wish->count;
    for (int k = 0; k < wish->count && status == PERP_SOLVED; k++) {
        char name[256];
        if (wish->count == 1)
            snprintf(name, sizeof name, "%s", label);
        else
            snprintf(name, sizeof name, "%s[%d]", label, k);
        status = add_column(scene, wish, k);
        if (status == PERP_SOLVED)
            status = perp_recorder_set_name(record->recorder, quantity->first + k, name);
    }
    return status == PERP_SOLVED ? 0 : perp_scene_fail_status(at, status, NULL);
}

static int has(const perp_scene_record *record, const char *label)
{
    return perp_scene_number_of(&record->labels, label) >= 0;
}

static int read_quantity(perp_scene *scene, const perp_scene_node *at)
{
    char name[128], field[128];
    request wish = {.whole = -1};
    const char *text;
    int index;

    if (!perp_scene_is(at, JSON_STRING))
        return perp_scene_fail(at, "a string is expected");
    text = json_string_value(at->json);
    if (!split(name, field, &index, text))
        return perp_scene_fail(at, "'%s' is not NAME.FIELD, NAME.FIELD[INDEX] or FIELD", text);
    if ((name[0] == '\0' ? find_whole(&wish, field, at)
                         : find_owner(&wish, scene, name, field, at)) != 0)
        return -1;
    if (has(&scene->record, text))
        return perp_scene_fail(at, "'%s' is given twice", text);
    if (index >= wish.count)
        return perp_scene_fail(at, "there are %d entries", wish.count);
    if (index >= 0) {
        wish.first = index;
        wish.count = 1;
    }
    return add_columns(scene, &wish, text, at);
}

/* Quantities that add_all() adds. */
static size_t all_at_most(const perp_scene *scene)
{
    return scene->record.certify
               ? 3 * (size_t)scene->nsystems + 4 * (size_t)scene->ninteractions + 4
               : 0;
}

static int read_list(perp_scene *scene, const perp_scene_node *list)
{
    perp_scene_record *record = &scene->record;
    size_t count;

    if (perp_scene_array(list, &count) != 0)
        return -1;
    if (count < 1 || count > 10000)
        return perp_scene_fail(list, "%zu quantities are given", count);
    record->quantities =
        perp_scene_take(scene, count + 1 + all_at_most(scene), sizeof *record->quantities);
    if (record->quantities == NULL)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node node = perp_scene_at(list, k);
        if (read_quantity(scene, &node) != 0)
            return -1;
    }
    return 0;
}

static int add(perp_scene *scene, const char *name, const char *field)
{
    perp_scene_node root = perp_scene_root(scene);
    const char *label = name != NULL ? perp_scene_text(scene, "%s.%s", name, field) : field;
    request wish = {.whole = -1};

    if (label == NULL || (name != NULL ? find_owner(&wish, scene, name, field, &root)
                                       : find_whole(&wish, field, &root)) != 0)
        return -1;
    return add_columns(scene, &wish, label, &root);
}

static int add_missing(perp_scene *scene, const char *name, const char *field)
{
    char label[256];

    snprintf(label, sizeof label, "%s%s%s", name != NULL ? name : "", name != NULL ? "." : "",
             field);
    return has(&scene->record, label) ? 0 : add(scene, name, field);
}

/* States, outputs and multipliers of a small scene; of a large one the whole alone. */
static int take_default(perp_scene *scene)
{
    static const char *const figures[] = {"energy", "joints", "penetration", "unsolved"};
    perp_scene_record *record = &scene->record;
    int numbers = 0, moving = 0, bad = 0;

    for (int k = 0; k < scene->nsystems; k++) {
        moving |= !scene->systems[k]->fixed && scene->systems[k]->kind != PERP_SCENE_FIRST_ORDER;
        if (!scene->systems[k]->fixed)
            numbers += scene->systems[k]->nx + scene->systems[k]->nv;
    }
    for (int k = 0; k < scene->ninteractions; k++)
        numbers += 2 * scene->interactions[k].rows;
    record->quantities =
        perp_scene_take(scene, SMALL + 12 + all_at_most(scene), sizeof *record->quantities);
    if (record->quantities == NULL)
        return -1;
    for (int k = 0; k < scene->nsystems && numbers <= SMALL; k++) {
        const perp_scene_member *s = scene->systems[k];
        if (s->fixed)
            continue;
        bad |= add(scene, s->name, s->kind == PERP_SCENE_FIRST_ORDER ? "x" : "q");
        if (s->kind != PERP_SCENE_FIRST_ORDER)
            bad |= add(scene, s->name, "v");
    }
    for (int k = 0; k < scene->ninteractions && numbers <= SMALL; k++) {
        bad |= add(scene, scene->interactions[k].name, "y");
        bad |= add(scene, scene->interactions[k].name, "lambda");
    }
    if (moving) {
        bad |= add(scene, NULL, "kinetic");
        bad |= add(scene, NULL, "energy");
    }
    bad |= add(scene, NULL, "active");
    for (int k = 0; k < 4 && moving; k++)
        bad |= add(scene, "certificate", figures[k]);
    return bad ? -1 : 0;
}

/* What perp verify needs of every step: states, inputs, outputs and multipliers, energies. */
static int add_all(perp_scene *scene)
{
    static const char *const of_system[] = {"q", "v", "p"}, *const of_first_order[] = {"x", "r"},
                             *const of_interaction[] = {"y", "u", "lambda", "active"},
                             *const of_whole[] = {"kinetic", "potential", "energy", "halvings"};
    int bad = 0;

    for (int k = 0; k < scene->nsystems; k++) {
        const perp_scene_member *s = scene->systems[k];
        int first_order = s->kind == PERP_SCENE_FIRST_ORDER;
        for (int i = 0; !s->fixed && i < (first_order ? 2 : 3); i++)
            bad |= add_missing(scene, s->name, first_order ? of_first_order[i] : of_system[i]);
    }
    for (int k = 0; k < scene->ninteractions; k++)
        for (int i = 0; i < 4; i++)
            bad |= add_missing(scene, scene->interactions[k].name, of_interaction[i]);
    for (int i = 0; i < 4; i++)
        bad |= add_missing(scene, NULL, of_whole[i]);
    return bad ? -1 : 0;
}

/* "step", with its stride, or "instant". */
static int read_every(perp_scene_record *record, const perp_scene_node *node)
{
    perp_scene_node every = perp_scene_get(node, "every"), stride = perp_scene_get(node, "stride");
    const char *text = json_string_value(every.json);

    if (every.json == NULL)
        return 0;
    if (text == NULL || (strcmp(text, "step") != 0 && strcmp(text, "instant") != 0))
        return perp_scene_fail(&every, "one of step, instant is expected");
    record->instants = strcmp(text, "instant") == 0;
    if (record->instants && record->certify)
        return perp_scene_fail(&every, "certify records every step");
    if (record->instants && stride.json != NULL)
        return perp_scene_fail(&stride, "every instant is recorded");
    return 0;
}

int perp_scene_read_record(perp_scene *scene)
{
    perp_scene_record *record = &scene->record;
    perp_scene_node root = perp_scene_root(scene), node = perp_scene_get(&root, "record");
    perp_scene_node list = perp_scene_get(&node, "quantities");
    perp_status status;

    record->stride = 1;
    if (node.json != NULL &&
        (perp_scene_object(&node, "quantities stride every certify contacts") != 0 ||
         perp_scene_flag(&record->certify, &node, "certify") != 0 ||
         perp_scene_flag(&record->contacts, &node, "contacts") != 0 ||
         perp_scene_integer(&record->stride, &node, "stride", 1, INT32_MAX) != 0 ||
         read_every(record, &node) != 0))
        return -1;
    if (record->certify && record->stride != 1) {
        perp_scene_node stride = perp_scene_get(&node, "stride");
        return perp_scene_fail(&stride, "certify records every step");
    }
    status = perp_recorder_create(&record->recorder, scene->model, &scene->memory);
    if (status != PERP_SOLVED)
        return perp_scene_fail_status(&node, status, NULL);
    if ((list.json != NULL ? read_list(scene, &list) : take_default(scene)) != 0)
        return -1;
    if (record->certify && add_all(scene) != 0)
        return -1;
    return record->instants && !has(record, "instant") ? add(scene, NULL, "instant") : 0;
}
