/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "cli/json.h"
#include "cli/run.h"
#include "cli/text_report.h"
#include "scene/contacts.h"

static void count_systems(const perp_run_scene *scene, int *bodies, int *fixed)
{
    *bodies = *fixed = 0;
    for (int k = 0; k < scene->nsystems; k++) {
        *bodies += scene->systems[k]->kind == PERP_RUN_BODY && !scene->systems[k]->fixed;
        *fixed += scene->systems[k]->fixed;
    }
}

static void describe(const perp_run_job *job)
{
    const perp_run_scene *scene = &job->scene;
    int bodies, fixed;

    count_systems(scene, &bodies, &fixed);
    perp_row("scene", "%s%s%s", job->wish->file, scene->title != NULL ? ": " : "",
             scene->title != NULL ? scene->title : "");
    perp_row("systems", "%d, %d of them bodies; %d fixed shapes", scene->nsystems - fixed, bodies,
             fixed);
    if (scene->contacts != NULL)
        perp_row("contacts", "%d at the end, detected between %d shapes",
                 perp_collider_contacts(perp_run_collider(scene->contacts)),
                 perp_collider_shapes(perp_run_collider(scene->contacts)));
    perp_row("interactions", "%d", scene->ninteractions);
}

static void describe_files(const perp_run_job *job)
{
    const char *dir = job->wish->out;

    if (dir == NULL) {
        perp_row("series", "not written (--out DIR)");
        return;
    }
    perp_row("series", "%s/series.csv", dir);
    if (job->frames.count > 0)
        perp_row("frames", "%s/frames.pvd, %d of them", dir, job->frames.count);
    if (job->wish->plot)
        perp_row("pictures", "%s/series.png and .svg", dir);
    if (job->wish->dump)
        perp_row("problems", "%ld in %s/dumps%s", (long)job->progress.dumps, dir,
                 job->refused > 0 ? ", some not written" : "");
    if (job->interrupted)
        perp_row("checkpoint", "%s/checkpoint; go on with --resume", dir);
}

void perp_run_summary(const perp_run_job *job)
{
    const perp_step_info *info = perp_sim_info(job->scene.sim);
    long made = (long)job->progress.steps - job->begun;

    describe(job);
    perp_row("status", job->interrupted ? "interrupted at t = %g" : "done, t = %g",
             perp_sim_time(job->scene.sim));
    perp_row("steps", "%ld of %g%s", (long)job->progress.steps, job->scene.step,
             job->begun > 0 ? ", resumed" : "");
    if (made > 0 && job->seconds > 0.0)
        perp_row("speed", "%.0f steps/s, %.2f s", (double)made / job->seconds, job->seconds);
    perp_row("unsolved",
             job->progress.unsolved == 0 ? "none: every step within its tolerances"
                                         : "%ld steps ended early and were accepted",
             (long)job->progress.unsolved);
    if (made > 0)
        perp_row("largest", "error %.1e of a one-step problem, violation %.1e", job->largest_error,
                 job->largest_violation);
    if (info->differences)
        perp_row("note", "some Jacobians came from differences");
    describe_files(job);
}

static void sizes_json(perp_json *json, const perp_run_job *job)
{
    const perp_run_scene *scene = &job->scene;
    int bodies, fixed;

    count_systems(scene, &bodies, &fixed);
    perp_json_text(json, "scene", job->wish->file);
    perp_json_text(json, "title", scene->title);
    perp_json_integer(json, "systems", scene->nsystems - fixed);
    perp_json_integer(json, "bodies", bodies);
    perp_json_integer(json, "fixed_shapes", fixed);
    perp_json_integer(json, "interactions", scene->ninteractions);
    perp_json_integer(
        json, "contacts",
        scene->contacts != NULL ? perp_collider_contacts(perp_run_collider(scene->contacts)) : 0);
}

void perp_run_summary_json(const perp_run_job *job, int exit_status)
{
    const perp_step_info *info = perp_sim_info(job->scene.sim);
    perp_json json;

    perp_json_open(&json, stdout, "run");
    sizes_json(&json, job);
    perp_json_text(&json, "status",
                   job->wish->check   ? "valid"
                   : job->interrupted ? "interrupted"
                                      : "done");
    perp_json_integer(&json, "exit", exit_status);
    perp_json_real(&json, "t", perp_sim_time(job->scene.sim));
    perp_json_real(&json, "step", job->scene.step);
    perp_json_integer(&json, "steps", job->progress.steps);
    perp_json_integer(&json, "resumed_at", job->begun);
    perp_json_integer(&json, "unsolved", job->progress.unsolved);
    perp_json_real(&json, "largest_error", job->largest_error);
    perp_json_real(&json, "largest_violation", job->largest_violation);
    perp_json_real(&json, "seconds", job->seconds);
    perp_json_boolean(&json, "differences", info->differences);
    perp_json_text(&json, "out", job->wish->out);
    perp_json_integer(&json, "frames", job->frames.count);
    perp_json_integer(&json, "problems", job->progress.dumps);
    perp_json_integer(&json, "problems_refused", job->refused);
    perp_json_close(&json);
}
