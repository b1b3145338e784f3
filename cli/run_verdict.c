/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_verdict.h"

#include <stdio.h>
#include <string.h>

#include "cli/text_report.h"

static perp_verdict verdict_of(const perp_scene *scene)
{
    perp_verdict verdict = {.kind = PERP_VERDICT_NOT_VERIFIED};

    (void)perp_sim_verdict(perp_scene_sim(scene), &verdict, sizeof verdict);
    return verdict;
}

perp_verdict_kind perp_run_verdict(const perp_scene *scene)
{
    return verdict_of(scene).kind;
}

static const char *system_of(const perp_scene *scene, int slot)
{
    perp_scene_system_info system = {.size = sizeof system};

    for (int k = 0; perp_scene_system(scene, k, &system) == PERP_SOLVED; k++)
        if (system.kind != PERP_SCENE_FIXED && slot >= 0 && system.id.index == (uint32_t)slot)
            return system.name;
    return NULL;
}

static const char *interaction_of(const perp_scene *scene, const perp_where *where)
{
    perp_scene_interaction_info interaction = {.size = sizeof interaction};

    for (int k = 0; perp_scene_interaction(scene, k, &interaction) == PERP_SOLVED; k++)
        if (interaction.id.index == (uint32_t)where->index)
            return interaction.name;
    return NULL;
}

/* ", of 'arm'", ", at 'floor'", ", between 'a' and 'b'"; "" where nothing is named. */
static void place(char *text, size_t size, const perp_scene *scene, const perp_where *where,
                  const int *systems)
{
    const char *first = system_of(scene, systems[0]), *second = system_of(scene, systems[1]);

    text[0] = '\0';
    if (where->what == NULL)
        return;
    if (strcmp(where->what, "interaction") == 0 && interaction_of(scene, where) != NULL)
        snprintf(text, size, ", at '%.60s'", interaction_of(scene, where));
    else if (first != NULL && second != NULL)
        snprintf(text, size, ", between '%.60s' and '%.60s'", first, second);
    else if (first != NULL && strcmp(where->what, "interaction") == 0)
        snprintf(text, size, ", between '%.60s' and the world", first);
    else if (first != NULL)
        snprintf(text, size, ", of '%.60s'", first);
}

static int find(perp_figure *figure, const perp_scene *scene, const char *name)
{
    for (int k = 0;
         perp_sim_figure(perp_scene_sim(scene), k, figure, sizeof *figure) == PERP_SOLVED; k++)
        if (strcmp(figure->name, name) == 0)
            return 1;
    return 0;
}

/* Names of the measures that a scheme makes no statement about, and its reason; "" and NULL. */
static const char *silent_ones(char *text, size_t size, const perp_scene *scene)
{
    static const char *const names[] = {"dynamics",   "energy", "rises",    "contact_work",
                                        "joint_work", "law",    "momentum", NULL};
    const char *why = NULL;
    size_t used = 0;
    perp_figure figure;

    text[0] = '\0';
    for (int k = 0; names[k] != NULL; k++) {
        if (!find(&figure, scene, names[k]) || figure.known ||
            strncmp(figure.why, "no statement", strlen("no statement")) != 0)
            continue;
        why = figure.why;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", names[k]);
    }
    return why;
}

void perp_run_verdict_reason(char *text, size_t size, const perp_scene *scene)
{
    perp_verdict verdict = verdict_of(scene);
    const char *kind = perp_verdict_name(verdict.kind);
    int bad = verdict.kind == PERP_VERDICT_NOT_VERIFIED;
    char where[256], silent[256];
    perp_figure figure;

    (void)silent_ones(silent, sizeof silent, scene);
    if (verdict.first == NULL || !find(&figure, scene, verdict.first)) {
        snprintf(text, size, "%s%s%s", kind, silent[0] != '\0' ? ": no statement about " : "",
                 silent);
        return;
    }
    place(where, sizeof where, scene, &verdict.where, verdict.systems);
    snprintf(text, size, "%s: %s %.2g (limit %.0e), first in step %ld, t = %g%s", kind,
             verdict.first, figure.value, bad ? figure.remarks : figure.verified, verdict.step,
             verdict.t, where);
}

/* The known figures of a list of names, those that fail a threshold marked. */
static void describe_group(const perp_scene *scene, const char *label, const char *const *names)
{
    static const char *const marks[] = {"", " (remark)", " (bad)"};
    char text[512] = "";
    size_t used = 0;
    perp_figure figure;

    for (int k = 0; names[k] != NULL; k++) {
        if (!find(&figure, scene, names[k]) || !figure.known || used >= sizeof text)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.1e%s",
                                 used > 0 ? ", " : "", names[k], figure.value, marks[figure.kind]);
    }
    if (used > 0)
        perp_row(label, "%s", text);
}

void perp_run_verdict_text(const perp_scene *scene)
{
    static const char *const motion[] = {"dynamics", "law",      "impacts", "momentum",
                                         "rates",    "left_out", NULL};
    static const char *const energy[] = {
        "energy", "rises", "contact_work", "joint_work", "position_stage", "velocity_stage", NULL};
    static const char *const positions[] = {"joints", "joint_rates", "penetration",
                                            "flight", "compliance",  NULL};
    static const char *const resolution[] = {"closing", "spin", "resolution", NULL};
    char silent[256], reason[1024];

    perp_run_verdict_reason(reason, sizeof reason, scene);
    perp_row("verdict", "%s", reason);
    describe_group(scene, "motion", motion);
    describe_group(scene, "energy", energy);
    describe_group(scene, "positions", positions);
    describe_group(scene, "resolution", resolution);
    const char *why = silent_ones(silent, sizeof silent, scene);
    if (why != NULL)
        perp_row("not known", "%s: %s", silent, why);
}

static void figure_json(perp_json *json, const perp_scene *scene, const perp_figure *figure)
{
    char where[256];

    perp_json_object(json, NULL);
    perp_json_text(json, "name", figure->name);
    perp_json_text(json, "text", figure->text);
    perp_json_boolean(json, "known", figure->known);
    if (figure->why != NULL)
        perp_json_text(json, "why", figure->why);
    perp_json_text(json, "verdict", perp_verdict_name(figure->kind));
    perp_json_real(json, "value", figure->value);
    perp_json_real(json, "last", figure->last);
    perp_json_real(json, "verified", figure->verified);
    perp_json_real(json, "remarks", figure->remarks);
    if (figure->step > 0) {
        place(where, sizeof where, scene, &figure->where, figure->systems);
        perp_json_integer(json, "step", figure->step);
        perp_json_real(json, "t", figure->t);
        perp_json_text(json, "where", where[0] != '\0' ? where + 2 : NULL);
    }
    perp_json_end_object(json);
}

void perp_run_verdict_json(perp_json *json, const perp_scene *scene)
{
    perp_verdict verdict = verdict_of(scene);
    char where[256];
    perp_figure figure;

    perp_json_object(json, "verdict");
    perp_json_text(json, "verdict", perp_verdict_name(verdict.kind));
    perp_json_text(json, "first", verdict.first);
    perp_json_integer(json, "step", verdict.step);
    perp_json_real(json, "t", verdict.t);
    place(where, sizeof where, scene, &verdict.where, verdict.systems);
    perp_json_text(json, "where", where[0] != '\0' ? where + 2 : NULL);
    perp_json_integer(json, "unknown", verdict.unknown);
    perp_json_real(json, "energy_scale", verdict.scale);
    perp_json_real(json, "kinetic", verdict.kinetic);
    perp_json_real(json, "potential", verdict.potential);
    perp_json_real(json, "contact_work", verdict.contact);
    perp_json_real(json, "external_work", verdict.external);
    perp_json_real(json, "balance", verdict.balance);
    perp_json_real(json, "joint_work", verdict.joint);
    perp_json_real(json, "position_stage", verdict.stage);
    perp_json_real(json, "velocity_stage", verdict.projected);
    perp_json_array(json, "figures");
    for (int k = 0;
         perp_sim_figure(perp_scene_sim(scene), k, &figure, sizeof figure) == PERP_SOLVED; k++)
        figure_json(json, scene, &figure);
    perp_json_end_array(json);
    perp_json_end_object(json);
}
