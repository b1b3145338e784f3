/* SPDX-License-Identifier: BSD-3-Clause */
/* perp convert: a problem file in another format or form; a model of a robot as a scene. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <perp/io.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/message.h"
#include "cli/read_apart.h"
#include "cli/robot_arguments.h"
#include "cli/text_report.h"

typedef struct request {
    perp_shared shared;
    const char *to, *part;
    int local;
    perp_robot_arguments robot;
} request;

enum { KEY_FORM = 256, KEY_PART };

static const struct argp_option options[] = {
    {"form", KEY_FORM, "FORM", 0, "local: form W and q from a global problem", 0},
    {"part", KEY_PART, "NAME", 0,
     "For .mtx: which matrix or vector, one of M H G V R q w b mu mu_r mu_s lo hi (M)", 0},
    PERP_ROBOT_ARGUMENTS,
    {0}};

static const char *const parts_known[] = {"M", "H",  "G",    "V",    "R",  "q",  "w",
                                          "b", "mu", "mu_r", "mu_s", "lo", "hi", NULL};

static int ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    static const char *const forms[] = {"local", NULL};
    request *wish = input;

    switch (key) {
    case KEY_FORM:
        perp_option_choice(state, "form", word, forms);
        wish->local = 1;
        return 0;
    case KEY_PART:
        wish->part = parts_known[perp_option_choice(state, "part", word, parts_known)];
        return 0;
    default:
        return perp_robot_argument(&wish->robot, key, word, state);
    }
}

static void check(void *input, struct argp_state *state)
{
    request *wish = input;

    wish->to = wish->shared.word[1];
    if (!ends_in(wish->to, ".mtx") && wish->part != NULL)
        argp_error(state, "--part is for .mtx files, not for '%s'", wish->to);
    else if (ends_in(wish->to, ".mtx") && wish->part == NULL)
        wish->part = "M";
}

typedef struct part {
    const char *name;
    const perp_mat *matrix;
    const double *vector;
    int length;
} part;

/* Matrix or vector of the problem file by name; 0 when the problem file has no such part. */
static int find_part(perp_mat *A, const perp_problem_file *d, const char *name)
{
    int rows = d->contacts * d->spacedim;
    int size = d->cls == PERP_CLASS_GLOBAL ? d->dofs : d->M.rows;
    int global = d->cls == PERP_CLASS_GLOBAL;
    const part parts[] = {{"M", &d->M, NULL, 0},
                          {"H", global ? &d->H : NULL, NULL, 0},
                          {"G", d->has_G ? &d->G : NULL, NULL, 0},
                          {"V", d->has_V ? &d->V : NULL, NULL, 0},
                          {"R", d->has_V ? &d->R : NULL, NULL, 0},
                          {"q", NULL, d->q, size},
                          {"w", NULL, d->w, rows},
                          {"b", NULL, d->b, d->bilateral},
                          {"mu", NULL, d->mu, d->contacts},
                          {"mu_r", NULL, d->mu_r, d->contacts},
                          {"mu_s", NULL, d->mu_s, d->contacts},
                          {"lo", NULL, d->lo, size},
                          {"hi", NULL, d->hi, size}};

    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        const part *p = &parts[k];

        if (strcmp(p->name, name) != 0)
            continue;
        if (p->matrix != NULL) {
            *A = *p->matrix;
            return 1;
        }
        return p->vector != NULL &&
               perp_mat_init_dense(A, p->length, 1, p->vector, p->length) == PERP_SOLVED;
    }
    return 0;
}

/* Replaces the global form by the local one, where that was asked for. */
static int make_local(perp_problem_file **file, const request *wish, const perp_input *input)
{
    perp_io_error error;
    perp_status status;
    perp_problem_file *local = NULL;

    memset(&error, 0, sizeof error);
    if (!wish->local || (*file)->cls == PERP_CLASS_FRICTION)
        return PERP_EXIT_DONE;
    if ((*file)->cls != PERP_CLASS_GLOBAL)
        return perp_complain("%s: --form local wants a friction problem, this is %s", input->name,
                             perp_class_word((*file)->cls));
    status = perp_problem_file_to_local(&local, *file, NULL, &error);
    if (status != PERP_SOLVED)
        return perp_input_complain(input, status, &error);
    perp_problem_file_destroy(*file);
    *file = local;
    return PERP_EXIT_DONE;
}

/* The text goes to a new file, which takes the place of the old one when it is whole. */
static int write_text(const char *path, const char *text)
{
    size_t length = strlen(path);
    char *beside = malloc(length + 6);
    FILE *f = NULL;
    int bad = 1;

    if (beside != NULL) {
        snprintf(beside, length + 6, "%s.part", path);
        f = fopen(beside, "wx");
    }
    if (f != NULL) {
        bad = fputs(text, f) < 0;
        bad |= fclose(f) != 0;
        bad = bad || perp_file_publish(beside, path, NULL) != PERP_SOLVED;
        if (bad)
            remove(beside);
    }
    if (bad)
        perp_complain("%s: %s", path, strerror(errno));
    free(beside);
    return bad ? PERP_EXIT_ERROR : PERP_EXIT_DONE;
}

static int convert_model(request *wish, const perp_input *input)
{
    char *text;
    int code;

    if (!ends_in(wish->to, ".json"))
        return perp_complain("%s: a model becomes a scene, whose name ends in .json", wish->to);
    wish->robot.quiet = wish->shared.quiet;
    text = perp_robot_open(&wish->robot, input);
    if (text == NULL)
        return PERP_EXIT_ERROR;
    code = write_text(wish->to, text);
    perp_robot_release(text, NULL);
    if (code == PERP_EXIT_DONE && !wish->shared.quiet)
        printf("%s: scene\n", wish->to);
    return code;
}

static int convert(perp_problem_file **file, perp_input *input, request *wish)
{
    perp_io_error error;
    perp_status status;
    perp_mat A;

    memset(&error, 0, sizeof error);
    if (perp_input_is(wish->shared.word[0], wish->to))
        return perp_complain("%s: it is the file to read", wish->to);
    if (perp_input_open(input, wish->shared.word[0]) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    if (perp_robot_is_model(input->open))
        return convert_model(wish, input);
    if (wish->robot.given != NULL)
        return perp_complain("--%s: %s is no model of a robot", wish->robot.given, input->name);
    status = perp_read_problem_apart(file, input->open, wish->shared.cls, NULL, NULL, &error);
    if (status != PERP_SOLVED)
        return perp_input_complain(input, status, &error);
    if (make_local(file, wish, input) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    if (wish->part != NULL) {
        if (!find_part(&A, *file, wish->part))
            return perp_complain("%s: it has no part '%s'", input->name, wish->part);
        status = perp_mtx_write(&A, wish->to, &error);
    } else {
        status = perp_problem_file_write(*file, wish->to, PERP_FORMAT_AUTO, &error);
    }
    if (status != PERP_SOLVED)
        return perp_complain_io(wish->to, status, &error);
    if (!wish->shared.quiet) {
        printf("%s: %s%s%s\n", wish->to, perp_describe_class(*file),
               (*file)->note[0] != '\0' ? "; " : "", (*file)->note);
    }
    return PERP_EXIT_DONE;
}

static void more_help(FILE *out, int all)
{
    (void)all;
    perp_help_wrap(out,
                   "The ending of B chooses the format: .hdf5 or .h5 FCLib (friction problems), "
                   ".dat Siconos text, .mtx Matrix Market (one matrix or vector, --part). A is "
                   "recognised by its content; - reads standard input. A URDF or MJCF becomes a scene "
                   "for perp run: B ends in .json.",
                   0, 0);
}

int perp_cmd_convert(int argc, char **argv)
{
    perp_command_line line = {.options = options,
                              .option = option,
                              .check = check,
                              .takes = PERP_TAKES_CLASS | PERP_TAKES_QUIET,
                              .words = "A B",
                              .about = "Reads the problem, or the model of a robot, in A and writes it to B.",
                              .missing = "two files A and B are needed",
                              .least = 2,
                              .most = 2,
                              .more = more_help};
    request wish;
    perp_input input = {.name = NULL};
    perp_problem_file *file = NULL;
    int code;

    memset(&wish, 0, sizeof wish);
    perp_robot_arguments_init(&wish.robot);
    perp_read_arguments(&wish.shared, &line, &wish, argc, argv);
    code = convert(&file, &input, &wish);
    perp_problem_file_destroy(file);
    perp_input_close(&input);
    free(wish.shared.word);
    return code;
}
