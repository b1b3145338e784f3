/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/run_verdict.h"
#include "cli/text_report.h"

static void count_systems(const perp_scene *scene, int *bodies, int *fixed)
{
    perp_scene_system_info system = {.size = sizeof system};

    *bodies = *fixed = 0;
    for (int k = 0; perp_scene_system(scene, k, &system) == PERP_SOLVED; k++) {
        *bodies += system.kind == PERP_SCENE_BODY;
        *fixed += system.kind == PERP_SCENE_FIXED;
    }
}

static long contacts_of(const perp_run_report *report)
{
    const perp_collider *collider = perp_scene_collider(report->scene);

    return collider != NULL ? perp_collider_contacts(collider) + report->elsewhere : 0;
}

static void describe(const perp_run_report *report)
{
    const perp_scene *scene = report->scene;
    const char *title = perp_scene_title(scene);
    const perp_collider *collider = perp_scene_collider(scene);
    int bodies, fixed;

    count_systems(scene, &bodies, &fixed);
    perp_row("scene", "%s%s%s", report->file, title != NULL ? ": " : "",
             title != NULL ? title : "");
    perp_row("systems", "%d, %d of them bodies; %d fixed shapes", perp_scene_systems(scene) - fixed,
             bodies, fixed);
    if (collider != NULL)
        perp_row("contacts", "%ld at the end, detected between %d shapes", contacts_of(report),
                 perp_collider_shapes(collider));
    perp_row("interactions", "%d", perp_scene_interactions(scene));
    int resting = perp_sim_info(perp_scene_sim(scene))->resting;
    if (resting > 0)
        perp_row("at rest", "%d systems at the end, as they are until something disturbs them",
                 resting);
}

/* Schemes of the systems, each once. */
enum { SCHEMES = 32 };
typedef struct scheme_count {
    char name[64];
    int systems;
} scheme_count;

static int count_schemes(scheme_count *list, const perp_scene *scene)
{
    perp_scene_system_info system = {.size = sizeof system};
    const perp_sim *sim = perp_scene_sim(scene);
    perp_scheme scheme;
    int count = 0;

    perp_scheme_init(&scheme, perp_scheme_at(0), sizeof scheme);
    for (int k = 0; perp_scene_system(scene, k, &system) == PERP_SOLVED; k++) {
        int place = 0;
        if (system.kind == PERP_SCENE_FIXED ||
            perp_sim_scheme(sim, system.id, &scheme) != PERP_SOLVED)
            continue;
        while (place < count && strcmp(list[place].name, scheme.name) != 0)
            place++;
        if (place == count && count == SCHEMES)
            continue;
        if (place == count) {
            snprintf(list[place].name, sizeof list[place].name, "%s", scheme.name);
            list[place].systems = 0;
            count++;
        }
        list[place].systems++;
    }
    return count;
}

static void describe_schemes(const perp_scene *scene)
{
    scheme_count list[SCHEMES];
    int count = count_schemes(list, scene);
    char text[1024] = "";
    size_t used = 0;

    for (int k = 0; k < count && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s for %d system%s",
                                 k > 0 ? ", " : "", list[k].name, list[k].systems,
                                 list[k].systems > 1 ? "s" : "");
    perp_row(count > 1 ? "schemes" : "scheme", "%s, h = %g", text, perp_scene_step(scene));
}

/* What was asked for, or else what the last one-step problem had. */
static const char *solver_of(const perp_run_report *report)
{
    const char *asked = perp_scene_solver(report->scene);

    return asked != NULL ? asked : perp_sim_info(perp_scene_sim(report->scene))->solver->solver;
}

static void describe_solver(const perp_run_report *report)
{
    const char *solver = solver_of(report);

    perp_row("solver", "%s, tolerance %g", solver != NULL ? solver : "chosen for each problem",
             perp_scene_tol(report->scene));
}

void perp_run_say_whose_line(perp_scene_error *error)
{
    char *end = strstr(error->text, " (line ");
    size_t left = end != NULL ? sizeof error->text - (size_t)(end - error->text) : 0;

    if (error->line > 0 && left > 0)
        snprintf(end, left, " (line %d of the scene that 'perp convert' makes of it)", error->line);
}

static void describe_warnings(const perp_run_report *report)
{
    perp_scene_error warning = {.size = sizeof warning};

    for (int k = 0; perp_scene_warning(report->scene, k, &warning) == PERP_SOLVED; k++) {
        if (report->of_model)
            perp_run_say_whose_line(&warning);
        perp_row("warning", "%s", warning.text);
    }
}

static void describe_files(const perp_run_report *report)
{
    const perp_scene_run_info *info = report->info;
    const char *folder = report->options->folder;

    if (folder == NULL || (info->status == PERP_INTERRUPTED && info->last == 0)) {
        perp_row("series", folder == NULL ? "not written (--out DIR)" : "not written");
        return;
    }
    perp_row("series", "%s/series.csv", folder);
    if (info->frames > 0)
        perp_row("frames", "%s/frames.pvd, %ld of them", folder, info->frames);
    if (report->options->pictures)
        perp_row("pictures", "%s/series.png and .svg", folder);
    if (report->options->problems != NULL)
        perp_row("problems", "%ld in %s/problems%s", info->problems, folder,
                 info->refused > 0 ? ", some not written" : "");
    if (info->status == PERP_INTERRUPTED)
        perp_row("checkpoint", "%s/checkpoint; go on with --resume", folder);
}

/* A step was not solved and not made. */
static int is_stopped(const perp_scene_run_info *info)
{
    return info->status > 0 && info->status != PERP_INTERRUPTED;
}

static const char *status_text(const perp_scene_run_info *info)
{
    if (info->status == PERP_INTERRUPTED)
        return "interrupted at t = %g";
    if (is_stopped(info))
        return "stopped at t = %g, the last state that is solved";
    return info->unsolved > 0 ? "end reached at t = %g, not all of it solved" : "done, t = %g";
}

static void describe_proof(const perp_scene *scene)
{
    perp_infeasibility proof = {.size = sizeof proof};
    char name[128], text[512] = "";
    size_t used = 0;

    if (perp_sim_infeasibility(perp_scene_sim(scene), &proof) != PERP_SOLVED || proof.rows == 0)
        return;
    for (int k = 0; k < proof.rows && used < sizeof text; k++)
        if (perp_scene_name_interaction(scene, proof.interaction[k], name, sizeof name) ==
            PERP_SOLVED)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s y[%d]: %.6g",
                                     k > 0 ? "; " : "", name, proof.component[k], proof.weight[k]);
    perp_row("proof", "weights of rows that add up to 0 v - %.6g >= 0: %s", proof.speed, text);
}

static void describe_unsolved(const perp_run_report *report)
{
    const perp_scene_run_info *info = report->info;

    if (info->unsolved == 0 && !is_stopped(info)) {
        perp_row("unsolved", "none: every step within its tolerances");
        return;
    }
    if (info->unsolved > 0 && info->infeasible > 0)
        perp_row("unsolved", "%ld steps were made all the same, %ld of them without any solution",
                 info->unsolved, info->infeasible);
    else if (info->unsolved > 0)
        perp_row("unsolved", "%ld steps ended early and were accepted", info->unsolved);
    if (info->why_unsolved[0] != '\0')
        perp_row(info->unsolved > 0 ? "first" : "unsolved", "the step from t = %g: %s",
                 info->first_unsolved, info->why_unsolved);
    describe_proof(report->scene);
}

void perp_run_report_check(const perp_run_report *report)
{
    printf("%s: a valid scene\n", report->file);
    describe_warnings(report);
}

void perp_run_report_text(const perp_run_report *report)
{
    const perp_scene_run_info *info = report->info;
    long made = info->steps - info->first;

    describe(report);
    describe_schemes(report->scene);
    describe_solver(report);
    describe_warnings(report);
    perp_row("status", status_text(info), info->t);
    perp_row("steps", "%ld of %g%s", info->steps, perp_scene_step(report->scene),
             info->first > 0 ? ", resumed" : "");
    if (made > 0 && info->seconds > 0.0)
        perp_row("speed", "%.0f steps/s, %.2f s", (double)made / info->seconds, info->seconds);
    describe_unsolved(report);
    if (made > 0)
        perp_row("largest", "error %.1e of a one-step problem, violation %.1e", info->largest_error,
                 info->largest_violation);
    if (made > 0)
        perp_run_verdict_text(report->scene);
    if (report->more != NULL)
        report->more(report->more_ctx, NULL);
    if (perp_sim_info(perp_scene_sim(report->scene))->differences)
        perp_row("note", "some Jacobians came from differences");
    describe_files(report);
}

void perp_run_report_failure(const perp_run_report *report)
{
    const perp_scene_run_info *info = report->info;
    char reason[1024];

    if (is_stopped(info) || info->status == PERP_INTERRUPTED)
        return;
    if (info->unsolved > 0) {
        perp_complain("%s: %ld steps were not solved; the first, from t = %g: %s", report->file,
                      info->unsolved, info->first_unsolved, info->why_unsolved);
    } else {
        perp_run_verdict_reason(reason, sizeof reason, report->scene);
        perp_complain("%s: %s", report->file, reason);
    }
}

static void sizes_json(perp_json *json, const perp_run_report *report)
{
    const perp_scene *scene = report->scene;
    int bodies, fixed;

    count_systems(scene, &bodies, &fixed);
    perp_json_text(json, "scene", report->file);
    perp_json_text(json, "title", perp_scene_title(scene));
    perp_json_integer(json, "systems", perp_scene_systems(scene) - fixed);
    perp_json_integer(json, "bodies", bodies);
    perp_json_integer(json, "fixed_shapes", fixed);
    perp_json_integer(json, "interactions", perp_scene_interactions(scene));
    perp_json_integer(json, "contacts", contacts_of(report));
    perp_json_integer(json, "resting", perp_sim_info(perp_scene_sim(scene))->resting);
}

static void choices_json(perp_json *json, const perp_run_report *report)
{
    scheme_count list[SCHEMES];
    int count = count_schemes(list, report->scene);
    perp_scene_error warning = {.size = sizeof warning};

    perp_json_array(json, "schemes");
    for (int k = 0; k < count; k++) {
        perp_json_object(json, NULL);
        perp_json_text(json, "name", list[k].name);
        perp_json_integer(json, "systems", list[k].systems);
        perp_json_end_object(json);
    }
    perp_json_end_array(json);
    perp_json_text(json, "solver", solver_of(report));
    perp_json_real(json, "tol", perp_scene_tol(report->scene));
    perp_json_array(json, "warnings");
    for (int k = 0; perp_scene_warning(report->scene, k, &warning) == PERP_SOLVED; k++) {
        if (report->of_model)
            perp_run_say_whose_line(&warning);
        perp_json_object(json, NULL);
        perp_json_text(json, "key", warning.key);
        perp_json_integer(json, "line", warning.line);
        perp_json_text(json, "text", warning.text);
        perp_json_end_object(json);
    }
    perp_json_end_array(json);
}

static void unsolved_json(perp_json *json, const perp_run_report *report)
{
    const perp_scene_run_info *info = report->info;
    perp_infeasibility proof = {.size = sizeof proof};
    char name[128];

    perp_json_integer(json, "unsolved", info->unsolved);
    perp_json_integer(json, "infeasible", info->infeasible);
    perp_json_real(json, "first_unsolved",
                   info->why_unsolved[0] != '\0' ? info->first_unsolved : NAN);
    perp_json_text(json, "why_unsolved", info->why_unsolved[0] != '\0' ? info->why_unsolved : NULL);
    if (perp_sim_infeasibility(perp_scene_sim(report->scene), &proof) != PERP_SOLVED ||
        proof.rows == 0)
        return;
    perp_json_object(json, "proof");
    perp_json_real(json, "speed", proof.speed);
    perp_json_real(json, "breach", proof.breach);
    perp_json_real(json, "reach", proof.reach);
    perp_json_array(json, "rows");
    for (int k = 0; k < proof.rows; k++) {
        name[0] = '\0';
        perp_scene_name_interaction(report->scene, proof.interaction[k], name, sizeof name);
        perp_json_object(json, NULL);
        perp_json_text(json, "interaction", name);
        perp_json_integer(json, "component", proof.component[k]);
        perp_json_real(json, "weight", proof.weight[k]);
        perp_json_end_object(json);
    }
    perp_json_end_array(json);
    perp_json_end_object(json);
}

void perp_run_report_json(const perp_run_report *report, int exit_status)
{
    const perp_scene_run_info *info = report->info;
    const perp_sim *sim = perp_scene_sim(report->scene);
    perp_json json;

    perp_json_open(&json, stdout, "run");
    sizes_json(&json, report);
    choices_json(&json, report);
    perp_json_text(&json, "status",
                   report->checked                    ? "valid"
                   : info->status == PERP_INTERRUPTED ? "interrupted"
                   : is_stopped(info)                 ? "stopped"
                   : info->unsolved > 0               ? "unsolved"
                                                      : "done");
    perp_json_integer(&json, "exit", exit_status);
    perp_json_real(&json, "t", perp_sim_time(sim));
    perp_json_real(&json, "step", perp_scene_step(report->scene));
    perp_json_integer(&json, "steps", info->steps);
    perp_json_integer(&json, "resumed_at", info->first);
    unsolved_json(&json, report);
    perp_json_real(&json, "largest_error", info->largest_error);
    perp_json_real(&json, "largest_violation", info->largest_violation);
    perp_json_real(&json, "seconds", info->seconds);
    if (!report->checked)
        perp_run_verdict_json(&json, report->scene);
    perp_json_boolean(&json, "differences", perp_sim_info(sim)->differences);
    perp_json_text(&json, "out", report->options->folder);
    perp_json_integer(&json, "frames", info->frames);
    perp_json_integer(&json, "problems", info->problems);
    perp_json_integer(&json, "problems_refused", info->refused);
    if (report->more != NULL)
        report->more(report->more_ctx, &json);
    perp_json_close(&json);
}
