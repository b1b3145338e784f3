/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of all commands: options that mean the same everywhere, the words after
 * them, help.  A command adds options of its own. */
#ifndef PERP_CLI_ARGUMENTS_H
#define PERP_CLI_ARGUMENTS_H

#include <argp.h>
#include <stdio.h>

#include <perp/io.h>

/* Groups of shared options; -h, --usage and -V are in every command. */
enum {
    PERP_TAKES_SOLVER = 1, /* -s --solver, -t --tol, -S --set, -T --time-limit */
    PERP_TAKES_LISTS = 2,  /* -s and -t take several, separated by commas: perp bench */
    PERP_TAKES_CLASS = 4,  /* -c --class */
    PERP_TAKES_JSON = 8,   /* -j --json */
    PERP_TAKES_ALL = 16,   /* -a --all */
    PERP_TAKES_QUIET = 32  /* -q --quiet */
};

enum { PERP_MOST_SETTINGS = 64 };

/* What the shared options said. */
typedef struct perp_shared {
    char **word; /* the arguments that are no options */
    int words;
    const char *solver, *tol, *time_limit; /* as given; NULL: not */
    const char *set[PERP_MOST_SETTINGS];   /* "name=value" of all of them, in their order */
    int sets;
    char tol_pair[96], limit_pair[96]; /* what --tol and --time-limit add to it */
    perp_settings settings;            /* the defaults with all of these; checked */
    perp_problem_class cls;
    int json, all, quiet, help;
    struct perp_command_line *line;
    void *request;
} perp_shared;

/* An option of the command alone; 0, or ARGP_ERR_UNKNOWN. */
typedef error_t (*perp_option_fn)(void *request, int key, char *word, struct argp_state *state);

typedef struct perp_command_line {
    const struct argp_option *options; /* may be NULL */
    perp_option_fn option;             /* may be NULL */
    /* Called after the last word, to see whether all goes together; may be NULL. */
    void (*check)(void *request, struct argp_state *state);
    unsigned takes;
    const char *words, *about;        /* "FILE" and a sentence, for the help */
    const char *missing;              /* "no FILE given" */
    int least, most;                  /* words */
    void (*more)(FILE *out, int all); /* the rest of the help; may be NULL */
    const char *all_text;             /* what --all does */
} perp_command_line;

/* Reads the command line; request is handed to the calls above.  Ends the program after help and
 * wrong usage. */
void perp_read_arguments(perp_shared *shared, perp_command_line *line, void *request, int argc,
                         char **argv);

/* What argp says of a command (ARGP_HELP_STD_HELP, ARGP_HELP_USAGE), and the end of it. */
_Noreturn void perp_show_help(const struct argp_state *state, unsigned what);

/* Option values, for the commands' own options: they end the program with a message. */
long long perp_option_integer(struct argp_state *state, const char *option, const char *word,
                              long long low, long long high);
double perp_option_real(struct argp_state *state, const char *option, const char *word, double low,
                        double high);
/* The place of `word` in names (NULL after the last). */
int perp_option_choice(struct argp_state *state, const char *option, const char *word,
                       const char *const *names);

#endif
