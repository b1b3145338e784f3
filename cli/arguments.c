/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/names.h"

enum { KEY_USAGE = 1024, KEY_VERSION = 'V' };

#define CLASS_TEXT                                                                                 \
    "What a text file holds, where its content does not tell: friction, global, rolling, lcp, "    \
    "mlcp or relay"

/* Rows of the table of options; which of them a command has depends on what it takes. */
static const struct shared_option {
    unsigned takes, unless;
    struct argp_option option;
} shared_options[] = {
    {PERP_TAKES_SOLVER,
     PERP_TAKES_LISTS,
     {"solver", 's', "NAME", 0, "Solver (the library's choice: auto)", 1}},
    {PERP_TAKES_LISTS,
     0,
     {"solver", 's', "A,B", 0, "Solvers, separated by commas (the library's choice)", 1}},
    {PERP_TAKES_SOLVER,
     PERP_TAKES_LISTS,
     {"tol", 't', "X", 0, "Tolerance on the residual (1e-8)", 1}},
    {PERP_TAKES_LISTS, 0, {"tol", 't', "X,Y", 0, "Tolerances, separated by commas (1e-4,1e-8)", 1}},
    {PERP_TAKES_SOLVER, 0, {"time-limit", 'T', "S", 0, "Seconds that a solve may take", 1}},
    {PERP_TAKES_SOLVER, 0, {"set", 'S', "NAME=VALUE", 0, "Change a setting; repeatable", 1}},
    {PERP_TAKES_CLASS, 0, {"class", 'c', "CLASS", 0, CLASS_TEXT, 2}},
    {PERP_TAKES_JSON, 0, {"json", 'j', NULL, 0, "Print one JSON document", 3}},
    {PERP_TAKES_QUIET, 0, {"quiet", 'q', NULL, 0, "Print errors only", 3}},
    {0, 0, {"help", 'h', NULL, 0, "Show this help", -1}},
    {0, 0, {"usage", KEY_USAGE, NULL, OPTION_HIDDEN, NULL, -1}},
    {0, 0, {"version", KEY_VERSION, NULL, OPTION_HIDDEN, NULL, -1}},
};

enum { SHARED_OPTIONS = sizeof shared_options / sizeof shared_options[0], MOST_OPTIONS = 64 };

static void fill_options(struct argp_option *table, const perp_command_line *line)
{
    int used = 0;

    for (int k = 0; line->options != NULL && line->options[k].name != NULL; k++)
        table[used++] = line->options[k];
    for (int k = 0; k < SHARED_OPTIONS; k++) {
        const struct shared_option *shared = &shared_options[k];

        if ((shared->takes == 0 || (shared->takes & line->takes)) &&
            !(shared->unless & line->takes))
            table[used++] = shared->option;
    }
    if (line->takes & PERP_TAKES_ALL)
        table[used++] = (struct argp_option){"all", 'a', NULL, 0, line->all_text, 3};
    table[used] = (struct argp_option){0};
}

void perp_show_help(const struct argp_state *state, unsigned what)
{
    argp_state_help(state, stdout, what & ~(unsigned)ARGP_HELP_EXIT_OK);
    perp_end(PERP_EXIT_DONE);
}

static void add_setting(perp_shared *shared, const char *pair, struct argp_state *state)
{
    if (shared->sets == PERP_MOST_SETTINGS)
        argp_error(state, "too many --set");
    if (perp_change_setting(&shared->settings, pair) != 0)
        exit(PERP_EXIT_ERROR);
    shared->set[shared->sets++] = pair;
}

/* An option that stands for --set NAME=VALUE. */
static void add_value(perp_shared *shared, char *pair, size_t size, const char *name,
                      const char *value, struct argp_state *state)
{
    for (int k = 0; k < shared->sets; k++) /* given twice: the later one counts */
        if (shared->set[k] == pair)
            shared->set[k] = shared->set[--shared->sets];
    snprintf(pair, size, "%s=%s", name, value);
    add_setting(shared, pair, state);
}

/* NAME, or NAME+setting=value+setting=value; cut in place. */
static void take_solver(perp_shared *shared, char *word, struct argp_state *state)
{
    char *next = strchr(word, '+');

    shared->solver = word;
    if (shared->line->takes & PERP_TAKES_LISTS)
        return;
    while (next != NULL) {
        char *pair = next + 1;

        *next = '\0';
        next = strchr(pair, '+');
        if (next != NULL)
            *next = '\0';
        add_setting(shared, pair, state);
    }
}

static error_t take_solver_option(perp_shared *shared, int key, char *word,
                                  struct argp_state *state)
{
    switch (key) {
    case 's':
        take_solver(shared, word, state);
        return 0;
    case 't':
        shared->tol = word;
        if (!(shared->line->takes & PERP_TAKES_LISTS))
            add_value(shared, shared->tol_pair, sizeof shared->tol_pair, "tol", word, state);
        return 0;
    case 'S':
        add_setting(shared, word, state);
        return 0;
    case 'T':
        shared->time_limit = word;
        add_value(shared, shared->limit_pair, sizeof shared->limit_pair, "time_limit", word, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *class_at(void *ctx, int k)
{
    (void)ctx;
    return k <= (int)PERP_CLASS_ROLLING ? perp_class_word((perp_problem_class)k) : NULL;
}

static error_t take_report_option(perp_shared *shared, int key, char *word,
                                  struct argp_state *state)
{
    switch (key) {
    case 'c':
        if (!perp_parse_class(&shared->cls, word))
            exit(perp_complain_unknown("class", word, class_at, NULL, NULL));
        return 0;
    case 'j':
        shared->json = 1;
        return 0;
    case 'q':
        shared->quiet = 1;
        return 0;
    case 'a':
        shared->all = 1;
        return 0;
    case 'h':
        shared->help = 1;
        return 0;
    case KEY_USAGE:
        perp_show_help(state, ARGP_HELP_USAGE);
    case KEY_VERSION:
        printf("perp %s\n", perp_version());
        perp_end(PERP_EXIT_DONE);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Words are all read; `state->next` may lie behind them. */
static void end_words(perp_shared *shared, struct argp_state *state)
{
    const perp_command_line *line = shared->line;

    if (shared->help)
        perp_show_help(state, ARGP_HELP_STD_HELP);
    if (shared->words < line->least)
        argp_error(state, "%s", line->missing);
    if (line->check != NULL)
        line->check(shared->request, state);
}

static error_t parse(int key, char *word, struct argp_state *state)
{
    perp_shared *shared = state->input;
    const perp_command_line *line = shared->line;
    error_t unknown;

    if (key == ARGP_KEY_ARG) {
        if (shared->words >= line->most && !shared->help)
            argp_error(state, "'%s' is an argument too many%s%s", word,
                       line->most > 0 ? "; wanted: " : "", line->words);
        shared->word[shared->words++] = word;
        return 0;
    }
    if (key == ARGP_KEY_END) {
        end_words(shared, state);
        return 0;
    }
    unknown =
        line->option != NULL ? line->option(shared->request, key, word, state) : ARGP_ERR_UNKNOWN;
    if (unknown == ARGP_ERR_UNKNOWN)
        unknown = take_solver_option(shared, key, word, state);
    return unknown == ARGP_ERR_UNKNOWN ? take_report_option(shared, key, word, state) : unknown;
}

/* The rest of the help, below the options. */
static char *help_text(int key, const char *text, void *input)
{
    perp_shared *shared = input;
    char *buffer = NULL;
    size_t size;
    FILE *out;

    if (key == ARGP_KEY_HELP_DUP_ARGS_NOTE)
        return NULL;
    if (key != ARGP_KEY_HELP_POST_DOC || shared == NULL || shared->line->more == NULL ||
        (out = open_memstream(&buffer, &size)) == NULL)
        return (char *)text;
    shared->line->more(out, shared->all);
    fclose(out);
    while (size > 0 && buffer[size - 1] == '\n')
        buffer[--size] = '\0';
    return buffer;
}

static const char *nearest_option(const struct argp_option *table, const char *word)
{
    const char *names[MOST_OPTIONS];
    int count = 0;

    for (; table[count].name != NULL; count++)
        names[count] = table[count].name;
    return perp_nearest_name(word, names, count);
}

/* The option that an old one has become, where the command has it; else NULL. */
static const char *renamed_option(const struct argp_option *table, const char *word)
{
    static const char *const renamed[][2] = {{"dump", "problems"}};

    for (size_t k = 0; k < sizeof renamed / sizeof renamed[0]; k++)
        for (int j = 0; strcmp(renamed[k][0], word) == 0 && table[j].name != NULL; j++)
            if (strcmp(table[j].name, renamed[k][1]) == 0)
                return renamed[k][1];
    return NULL;
}

/* An option --word that is none: said here, with its new name or the nearest one. */
static void check_options(const struct argp_option *table, int argc, char **argv)
{
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++) {
        char word[64];
        int known = 0, length = (int)strcspn(argv[k], "=") - 2;

        if (strncmp(argv[k], "--", 2) != 0 || length < 1 || length >= (int)sizeof word)
            continue;
        snprintf(word, sizeof word, "%.*s", length, argv[k] + 2);
        for (int j = 0; table[j].name != NULL && !known; j++)
            known = strncmp(table[j].name, word, (size_t)length) == 0;
        if (!known) {
            const char *now = renamed_option(table, word);
            const char *nearest = now != NULL ? NULL : nearest_option(table, word);

            fprintf(stderr, "%s: unknown option '--%s'", argv[0], word);
            if (now != NULL)
                fprintf(stderr, ": it is now '--%s'", now);
            if (nearest != NULL)
                fprintf(stderr, ": did you mean '--%s'?", nearest);
            fprintf(stderr, "\n'%s --help' lists the options\n", argv[0]);
            exit(PERP_EXIT_ERROR);
        }
        /* Its value may begin with dashes. */
        for (int j = 0; table[j].name != NULL; j++)
            if (strcmp(table[j].name, word) == 0 && table[j].arg != NULL &&
                argv[k][length + 2] == '\0') {
                k++;
                break;
            }
    }
}

void perp_read_arguments(perp_shared *shared, perp_command_line *line, void *request, int argc,
                         char **argv)
{
    struct argp_option table[MOST_OPTIONS];
    char doc[1024];
    struct argp argp = {table, parse, line->words, doc, NULL, help_text, NULL};

    memset(shared, 0, sizeof *shared);
    shared->line = line;
    shared->request = request;
    shared->cls = PERP_CLASS_AUTO;
    perp_settings_init(&shared->settings, sizeof shared->settings);
    shared->word = calloc((size_t)argc + 1, sizeof *shared->word);
    if (shared->word == NULL)
        exit(perp_complain("no memory"));
    snprintf(doc, sizeof doc, "%s\v ", line->about);
    fill_options(table, line);
    check_options(table, argc, argv);
    if (argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, shared) != 0)
        exit(PERP_EXIT_ERROR);
}

long long perp_option_integer(struct argp_state *state, const char *option, const char *word,
                              long long low, long long high)
{
    long long value;

    if (!perp_parse_integer(&value, word, low, high))
        argp_error(state, "--%s wants a whole number from %lld to %lld, not '%s'", option, low,
                   high, word);
    return value;
}

double perp_option_real(struct argp_state *state, const char *option, const char *word, double low,
                        double high)
{
    double value;

    if (!perp_parse_real(&value, word, low, high))
        argp_error(state, "--%s wants a number from %g to %g, not '%s'", option, low, high, word);
    return value;
}

int perp_option_choice(struct argp_state *state, const char *option, const char *word,
                       const char *const *names)
{
    char what[64];

    for (int k = 0; names[k] != NULL; k++)
        if (strcmp(names[k], word) == 0)
            return k;
    (void)state;
    snprintf(what, sizeof what, "value of --%s", option);
    exit(perp_complain_unknown(what, word, perp_name_in_array, (void *)names, NULL));
}
