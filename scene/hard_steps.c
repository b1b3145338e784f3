/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/hard_steps.h"

#include <string.h>

static const char *const quantities[] = {"residual", "iterations", "rows", "status"};
static const char *const relations[] = {">=", "<=", "==", "!=", ">", "<"};

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* The number of the word that begins at *at, which goes behind it; -1 for none. */
static int take_word(const char **at, const char *const *words, int count)
{
    *at = skip_blanks(*at);
    for (int k = 0; k < count; k++) {
        size_t length = strlen(words[k]);
        if (strncmp(*at, words[k], length) == 0) {
            *at += length;
            return k;
        }
    }
    return -1;
}

int perp_scene_parse_when(perp_scene_when *when, const char *text)
{
    const char *end;

    when->quantity = take_word(&text, quantities, 4);
    if (when->quantity < 0)
        return 0;
    when->relation = take_word(&text, relations, 6);
    if (when->relation < 0)
        return 0;
    text = skip_blanks(text);
    end = perp_number_read(text, &when->bound);
    return end != NULL && *skip_blanks(end) == '\0' && when->bound == when->bound;
}

int perp_scene_holds(const perp_scene_when *when, const perp_step_info *info)
{
    double value = 0.0;

    if (info->rows == 0)
        return 0;
    switch (when->quantity) {
    case 0:
        value = info->solver->error;
        break;
    case 1:
        value = info->solver->iterations;
        break;
    case 2:
        value = info->rows;
        break;
    default:
        value = (double)info->solver->status;
    }
    switch (when->relation) {
    case 0:
        return value >= when->bound;
    case 1:
        return value <= when->bound;
    case 2:
        return value == when->bound;
    case 3:
        return value != when->bound;
    case 4: /* an error that is no number is as bad as can be */
        return value > when->bound || value != value;
    default:
        return value < when->bound;
    }
}

perp_status perp_scene_check_problems(const char *text)
{
    perp_scene_when when;

    return text != NULL && perp_scene_parse_when(&when, text) ? PERP_SOLVED : PERP_ERR_ARGUMENT;
}
