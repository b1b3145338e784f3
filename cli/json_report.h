/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of documents that several commands write; docs/man/perp.1 describes them. */
#ifndef PERP_CLI_JSON_REPORT_H
#define PERP_CLI_JSON_REPORT_H

#include <perp/io.h>

#include "cli/json.h"

/* "problem": file, class, sizes, sets. */
void perp_json_problem(perp_json *json, const char *name, const perp_problem_file *file,
                       const perp_problem *problem);
/* "status", "sentence", "exit" and what was measured. */
void perp_json_result(perp_json *json, const perp_info *info, int exit_status);
void perp_json_residuals(perp_json *json, const char *key, const perp_residuals *residual);
/* "stages": what auto tried. */
void perp_json_stages(perp_json *json, const perp_info *info);
/* "settings": name and value of each. */
void perp_json_settings(perp_json *json, const perp_settings *settings);
/* A whole document for a command that failed: the message that was printed last. */
void perp_json_failure(const char *command);

#endif
