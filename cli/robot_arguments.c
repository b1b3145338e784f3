/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/robot_arguments.h"

#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/message.h"

void perp_robot_arguments_init(perp_robot_arguments *given)
{
    memset(given, 0, sizeof *given);
    perp_robot_options_init(&given->options, sizeof given->options);
    given->options.search = given->search;
    given->options.pose = given->pose;
    given->options.control = given->control;
}

static void add(const char **list, int *count, const char *word, struct argp_state *state)
{
    if (*count == PERP_ROBOT_WORDS)
        argp_error(state, "more than %d words of one option", PERP_ROBOT_WORDS);
    else
        list[(*count)++] = word;
}

error_t perp_robot_argument(perp_robot_arguments *given, int key, char *word,
                            struct argp_state *state)
{
    static const char *const names[] = {"ignore", "search", "keyframe", "pose",  "control",
                                        "srdf",   "base",   "hold",     "floor", "no-self-contact",
                                        "friction"};
    static const char *const bases[] = {"fixed", "free", NULL};
    perp_robot_options *options = &given->options;

    if (key < PERP_KEY_IGNORE || key > PERP_KEY_FRICTION)
        return ARGP_ERR_UNKNOWN;
    given->given = names[key - PERP_KEY_IGNORE];
    switch (key) {
    case PERP_KEY_IGNORE:
        options->ignore = word != NULL ? word : "all";
        break;
    case PERP_KEY_SEARCH:
        add(given->search, &options->nsearch, word, state);
        break;
    case PERP_KEY_KEYFRAME:
        options->keyframe = word;
        break;
    case PERP_KEY_POSE:
        add(given->pose, &options->nposes, word, state);
        break;
    case PERP_KEY_CONTROL:
        add(given->control, &options->ncontrols, word, state);
        break;
    case PERP_KEY_SRDF:
        options->semantic = word;
        break;
    case PERP_KEY_BASE:
        options->base = perp_option_choice(state, "base", word, bases) == 0 ? PERP_ROBOT_BASE_FIXED
                                                                            : PERP_ROBOT_BASE_FREE;
        break;
    case PERP_KEY_HOLD:
        options->hold = 1;
        break;
    case PERP_KEY_NO_SELF:
        options->no_self_contact = 1;
        break;
    case PERP_KEY_FLOOR:
        options->floor = 1;
        if (word != NULL)
            options->floor_height = perp_option_real(state, "floor", word, -1e300, 1e300);
        break;
    default:
        options->mu = perp_option_real(state, "friction", word, 0.0, 1e300);
    }
    return 0;
}

static void tell(void *ctx, perp_robot_word word, const perp_scene_error *remark)
{
    const perp_robot_arguments *given = ctx;

    if (word == PERP_ROBOT_MISSING)
        fprintf(stderr, "%s: not done\n", remark->text);
    else if (!given->quiet)
        fprintf(stderr, "%s%s\n", remark->text, word == PERP_ROBOT_LEFT_OUT ? ": left out" : "");
}

char *perp_robot_open(perp_robot_arguments *given, const perp_input *input)
{
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;
    perp_status status;

    given->options.name = input->name;
    given->options.tell = tell;
    given->options.tell_ctx = given;
    status = perp_robot_read(&text, input->open, &given->options, NULL, &error);
    if (status == PERP_SOLVED)
        return text;
    perp_complain("%s%s", error.text,
                  status == PERP_ERR_UNSUPPORTED && error.line > 0 ? "; --ignore leaves out what is "
                                                                     "not done"
                                                                   : "");
    return NULL;
}
