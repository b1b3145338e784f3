/* SPDX-License-Identifier: BSD-3-Clause */
/* What perp run says at its end. */
#ifndef PERP_CLI_RUN_REPORT_H
#define PERP_CLI_RUN_REPORT_H

#include <perp/scene.h>

void perp_run_report(const perp_scene *scene, const char *file,
                     const perp_scene_run_options *options, const perp_scene_run_info *info);

#endif
