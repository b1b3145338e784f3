/* SPDX-License-Identifier: BSD-3-Clause */
#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <perp/io.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/report.h"

typedef struct request {
    const char *from, *to, *part;
    perp_dump_class cls;
    int local, quiet;
} request;

enum { KEY_CLASS = 256, KEY_FORM, KEY_PART };

static const struct argp_option options[] = {
    {"class", KEY_CLASS, "CLASS", 0,
     "What a text file holds where its content does not tell: friction, global, rolling, lcp, "
     "mlcp, "
     "relay",
     0},
    {"form", KEY_FORM, "FORM", 0, "local: form W and q from a global problem", 0},
    {"part", KEY_PART, "NAME", 0,
     "For .mtx: which matrix or vector, one of M H G V R q w b mu lo hi (M)", 0},
    {"quiet", 'q', NULL, 0, "Print errors only", 0},
    {0}};

static int ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

static error_t parse(int key, char *word, struct argp_state *state)
{
    request *wish = state->input;

    switch (key) {
    case KEY_CLASS:
        if (!perp_parse_class(&wish->cls, word))
            argp_error(state, "unknown class '%s'", word);
        break;
    case KEY_FORM:
        wish->local = strcmp(word, "local") == 0;
        if (!wish->local)
            argp_error(state, "--form is local, not '%s'", word);
        break;
    case KEY_PART:
        wish->part = word;
        break;
    case 'q':
        wish->quiet = 1;
        break;
    case ARGP_KEY_ARG:
        if (wish->to != NULL)
            argp_error(state, "two files only, not '%s' too", word);
        *(wish->from == NULL ? &wish->from : &wish->to) = word;
        break;
    case ARGP_KEY_END:
        if (wish->to == NULL)
            argp_error(state, "two files A and B are needed");
        else if (!ends_in(wish->to, ".mtx") && wish->part != NULL)
            argp_error(state, "--part is for .mtx files, not for '%s'", wish->to);
        else if (ends_in(wish->to, ".mtx") && wish->part == NULL)
            wish->part = "M";
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

typedef struct part {
    const char *name;
    const perp_mat *matrix;
    const double *vector;
    int length;
} part;

/* Matrix or vector of the dump by name; 0 when the dump has no such part. */
static int find_part(perp_mat *A, const perp_dump *d, const char *name)
{
    int rows = d->contacts * d->spacedim;
    int size = d->cls == PERP_DUMP_GLOBAL ? d->dofs : d->M.rows;
    int global = d->cls == PERP_DUMP_GLOBAL;
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

/* Reads, brings to the local form where asked, writes. */
static int convert(perp_dump **dump, const request *wish)
{
    perp_io_error error;
    perp_status status;
    perp_dump *local = NULL;
    perp_mat A;

    memset(&error, 0, sizeof error);
    status = perp_dump_read(dump, wish->from, wish->cls, NULL, &error);
    if (status != PERP_SOLVED)
        return perp_complain_io(wish->from, status, &error);
    if (wish->local && (*dump)->cls == PERP_DUMP_GLOBAL) {
        status = perp_dump_to_local(&local, *dump, NULL, &error);
        if (status != PERP_SOLVED)
            return perp_complain_io(wish->from, status, &error);
        perp_dump_destroy(*dump);
        *dump = local;
    } else if (wish->local && (*dump)->cls != PERP_DUMP_FRICTION) {
        return perp_complain("%s: --form local wants a friction problem, this is %s", wish->from,
                             perp_class_word((*dump)->cls));
    }
    if (wish->part != NULL) {
        if (!find_part(&A, *dump, wish->part))
            return perp_complain("%s: it has no part '%s'", wish->from, wish->part);
        status = perp_mtx_write(&A, wish->to, &error);
    } else {
        status = perp_dump_write(*dump, wish->to, PERP_FORMAT_AUTO, &error);
    }
    if (status != PERP_SOLVED)
        return perp_complain_io(wish->to, status, &error);
    if (!wish->quiet) {
        printf("%s: %s%s%s\n", wish->to, perp_describe_class(*dump),
               (*dump)->note[0] != '\0' ? "; " : "", (*dump)->note);
    }
    return PERP_EXIT_DONE;
}

int perp_cmd_convert(int argc, char **argv)
{
    static const char doc[] =
        "Reads the problem in A and writes it to B.\vThe ending of B chooses the format: .hdf5 or "
        ".h5 FCLib (friction problems), .dat Siconos text, .mtx Matrix Market (one matrix or "
        "vector, --part).  A is recognised by its content.";
    const struct argp argp = {options, parse, "A B", doc, NULL, NULL, NULL};
    request wish = {.cls = PERP_DUMP_AUTO};
    perp_dump *dump = NULL;
    int code;

    if (argp_parse(&argp, argc, argv, 0, NULL, &wish) != 0)
        return PERP_EXIT_ERROR;
    code = convert(&dump, &wish);
    perp_dump_destroy(dump);
    return code;
}
