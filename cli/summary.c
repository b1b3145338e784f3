/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "cli/report.h"
#include "scene/contacts.h"
#include "cli/run.h"

static void describe(const perp_run_job *job)
{
    const perp_run_scene *scene = &job->scene;
    int bodies = 0, fixed = 0;

    for (int k = 0; k < scene->nsystems; k++) {
        bodies += scene->systems[k]->kind == PERP_RUN_BODY && !scene->systems[k]->fixed;
        fixed += scene->systems[k]->fixed;
    }
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
