/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_report.h"

#include <stdio.h>

#include "cli/report.h"

static void describe(const perp_scene *scene, const char *file)
{
    const char *title = perp_scene_title(scene);
    const perp_collider *collider = perp_scene_collider(scene);
    perp_scene_system_info system = {.size = sizeof system};
    int systems = perp_scene_systems(scene), bodies = 0, fixed = 0;

    for (int k = 0; k < systems; k++) {
        perp_scene_system(scene, k, &system);
        bodies += system.kind == PERP_SCENE_BODY;
        fixed += system.kind == PERP_SCENE_FIXED;
    }
    perp_row("scene", "%s%s%s", file, title != NULL ? ": " : "", title != NULL ? title : "");
    perp_row("systems", "%d, %d of them bodies; %d fixed shapes", systems - fixed, bodies, fixed);
    if (collider != NULL)
        perp_row("contacts", "%d at the end, detected between %d shapes",
                 perp_collider_contacts(collider), perp_collider_shapes(collider));
    perp_row("interactions", "%d", perp_scene_interactions(scene));
}

static void describe_files(const perp_scene_run_options *options, const perp_scene_run_info *info)
{
    const char *folder = options->folder;

    if (folder == NULL) {
        perp_row("series", "not written (--out DIR)");
        return;
    }
    perp_row("series", "%s/series.csv", folder);
    if (info->frames > 0)
        perp_row("frames", "%s/frames.pvd, %ld of them", folder, info->frames);
    if (options->pictures)
        perp_row("pictures", "%s/series.png and .svg", folder);
    if (options->problems != NULL)
        perp_row("problems", "%ld in %s/problems%s", info->problems, folder,
                 info->refused > 0 ? ", some not written" : "");
    if (info->status == PERP_INTERRUPTED)
        perp_row("checkpoint", "%s/checkpoint; go on with --resume", folder);
}

void perp_run_report(const perp_scene *scene, const char *file,
                     const perp_scene_run_options *options, const perp_scene_run_info *info)
{
    long made = info->steps - info->first;

    describe(scene, file);
    perp_row("status", info->status == PERP_INTERRUPTED ? "interrupted at t = %g" : "done, t = %g",
             info->t);
    perp_row("steps", "%ld of %g%s", info->steps, perp_scene_step(scene),
             info->first > 0 ? ", resumed" : "");
    if (made > 0 && info->seconds > 0.0)
        perp_row("speed", "%.0f steps/s, %.2f s", (double)made / info->seconds, info->seconds);
    perp_row("unsolved",
             info->unsolved == 0 ? "none: every step within its tolerances"
                                 : "%ld steps ended early and were accepted",
             info->unsolved);
    if (made > 0)
        perp_row("largest", "error %.1e of a one-step problem, violation %.1e", info->largest_error,
                 info->largest_violation);
    if (perp_sim_info(perp_scene_sim(scene))->differences)
        perp_row("note", "some Jacobians came from differences");
    describe_files(options, info);
}
