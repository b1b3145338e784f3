/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/json_report.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/text_report.h"

static void write_sets(perp_json *json, const perp_problem *problem)
{
    perp_json_array(json, "sets");
    for (int k = 0; k < problem->nseg;) {
        const perp_segment *seg = &problem->seg[k];
        long long count = perp_same_segments(problem, &k);

        if (count == 0)
            continue;
        perp_json_object(json, NULL);
        perp_json_text(json, "set", perp_set_name(seg->set));
        perp_json_integer(json, "dim", seg->dim);
        perp_json_integer(json, "count", count);
        perp_json_end_object(json);
    }
    perp_json_end_array(json);
}

void perp_json_problem(perp_json *json, const char *name, const perp_problem_file *file,
                       const perp_problem *problem)
{
    perp_json_object(json, "problem");
    perp_json_text(json, "file", name);
    perp_json_text(json, "title", file->title);
    perp_json_text(json, "class", perp_class_word(file->cls));
    perp_json_text(json, "description", perp_describe_class(file));
    perp_json_text(json, "note", file->note);
    perp_json_integer(json, "rows", problem->M.rows);
    perp_json_integer(json, "contacts", file->contacts);
    perp_json_integer(json, "dofs", file->dofs);
    perp_json_integer(json, "bilateral", file->bilateral);
    write_sets(json, problem);
    perp_json_end_object(json);
}

void perp_json_residuals(perp_json *json, const char *key, const perp_residuals *residual)
{
    perp_json_object(json, key);
    perp_json_real(json, "natural", residual->natural);
    perp_json_real(json, "scaled", residual->scaled);
    perp_json_real(json, "primal", residual->primal);
    perp_json_real(json, "dual", residual->dual);
    perp_json_real(json, "gap", residual->gap);
    perp_json_end_object(json);
}

void perp_json_stages(perp_json *json, const perp_info *info)
{
    perp_json_array(json, "stages");
    for (int k = 0; k < info->nstages; k++) {
        const perp_stage *stage = &info->stages[k];

        perp_json_object(json, NULL);
        perp_json_text(json, "solver", stage->solver);
        perp_json_text(json, "why", stage->why);
        perp_json_integer(json, "iterations", stage->iterations);
        perp_json_integer(json, "factorisations", stage->factorisations);
        perp_json_real(json, "first", stage->first);
        perp_json_real(json, "best", stage->best);
        perp_json_real(json, "seconds", stage->seconds);
        perp_json_end_object(json);
    }
    perp_json_end_array(json);
}

static void write_notes(perp_json *json, const perp_info *info)
{
    static const struct {
        unsigned bit;
        const char *word;
    } notes[] = {{PERP_NOTE_UNREAD, "unread"},
                 {PERP_NOTE_NO_SCALED, "no-scaled"},
                 {PERP_NOTE_SUBSTITUTE, "substitute"},
                 {PERP_NOTE_BEST, "best"},
                 {PERP_NOTE_DEAR, "dear"},
                 {PERP_NOTE_FLOOR, "floor"},
                 {PERP_NOTE_SETTLED, "settled"}};

    perp_json_array(json, "notes");
    for (size_t k = 0; k < sizeof notes / sizeof notes[0]; k++)
        if (info->notes & notes[k].bit)
            perp_json_text(json, NULL, notes[k].word);
    perp_json_end_array(json);
    perp_json_text(json, "unread_setting",
                   info->notes & PERP_NOTE_UNREAD ? info->where.what : NULL);
}

void perp_json_result(perp_json *json, const perp_info *info, int exit_status)
{
    perp_json_text(json, "status", perp_status_name(info->status));
    perp_json_text(json, "sentence", perp_status_text(info->status));
    perp_json_integer(json, "exit", exit_status);
    perp_json_text(json, "detail", info->detail);
    perp_json_text(json, "solver", info->solver);
    perp_json_integer(json, "iterations", info->iterations);
    perp_json_integer(json, "factorisations", info->factorisations);
    perp_json_real(json, "flops", info->flops);
    perp_json_real(json, "error", info->error);
    perp_json_real(json, "floor", info->floor);
    perp_json_real(json, "reach", info->reach);
    perp_json_residuals(json, "residuals", &info->residual);
    perp_json_real(json, "setup_seconds", info->setup_seconds);
    perp_json_real(json, "solve_seconds", info->solve_seconds);
    perp_json_integer(json, "bytes", (long long)info->bytes);
    write_notes(json, info);
    perp_json_stages(json, info);
}

static void write_choice(perp_json *json, const char *name, const char *choices, int value)
{
    char word[64];

    for (int k = 0; k < value; k++) {
        choices += strcspn(choices, "|");
        choices += *choices == '|';
    }
    snprintf(word, sizeof word, "%.*s", (int)strcspn(choices, "|"), choices);
    perp_json_text(json, name, word);
}

void perp_json_settings(perp_json *json, const perp_settings *settings)
{
    perp_json_object(json, "settings");
#define PERP_REAL(name, def, lo, hi, use, text) perp_json_real(json, #name, settings->name);
#define PERP_INT(name, def, lo, hi, use, text) perp_json_integer(json, #name, settings->name);
#define PERP_CHOICE(name, def, choices, use, text) write_choice(json, #name, choices, settings->name);
#define PERP_NAME(name, def, use, text) perp_json_text(json, #name, settings->name);
#include <perp/settings.def>
#undef PERP_REAL
#undef PERP_INT
#undef PERP_CHOICE
#undef PERP_NAME
    perp_json_end_object(json);
}

void perp_json_failure(const char *command)
{
    perp_json json;

    perp_json_open(&json, stdout, command);
    perp_json_text(&json, "status", "error");
    perp_json_text(&json, "sentence", perp_last_complaint());
    perp_json_integer(&json, "exit", PERP_EXIT_ERROR);
    perp_json_close(&json);
}
