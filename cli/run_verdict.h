/* SPDX-License-Identifier: BSD-3-Clause */
/* The certificate of a run in its report. */
#ifndef PERP_CLI_RUN_VERDICT_H
#define PERP_CLI_RUN_VERDICT_H

#include <perp/scene.h>
#include <perp/verdict.h>

#include "cli/json.h"

perp_verdict_kind perp_run_verdict(const perp_scene *scene);
/* The verdict and what it is owed to. */
void perp_run_verdict_reason(char *text, size_t size, const perp_scene *scene);
/* The same, then the figures in groups, one row each. */
void perp_run_verdict_text(const perp_scene *scene);
/* "verdict": kind, the first bad step, energies, all figures. */
void perp_run_verdict_json(perp_json *json, const perp_scene *scene);

#endif
