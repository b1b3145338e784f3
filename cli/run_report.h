/* SPDX-License-Identifier: BSD-3-Clause */
/* What perp run says at its end, as text or as a JSON document. */
#ifndef PERP_CLI_RUN_REPORT_H
#define PERP_CLI_RUN_REPORT_H

#include <perp/scene.h>

#include "cli/json.h"

typedef struct perp_run_report {
    const perp_scene *scene;
    const char *file;
    const perp_scene_run_options *options;
    const perp_scene_run_info *info;
    int checked;    /* the scene was only checked */
    int of_model;   /* it was made of the model of a robot */
    long elsewhere; /* contacts at the end that other processes have */
    /* NULL, or what is said besides of the run: rows of the text, or members of the document. */
    void (*more)(const void *ctx, perp_json *json); /* json NULL: as text */
    const void *more_ctx;
} perp_run_report;

void perp_run_report_check(const perp_run_report *report); /* of --check */
void perp_run_report_text(const perp_run_report *report);
/* On standard error, where no report says it: why a run that came to its end has exit status 1.  A
 * step that was not made has been complained of, and an interruption was somebody's wish. */
void perp_run_report_failure(const perp_run_report *report);
void perp_run_report_json(const perp_run_report *report, int exit_status);
/* "(line N)" of the scene of a model is none of the model: says so. */
void perp_run_say_whose_line(perp_scene_error *error);

#endif
