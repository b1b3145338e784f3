/* SPDX-License-Identifier: BSD-3-Clause */
/* perp: finds the subcommand and hands the rest of the line to it. */
#include <argp.h>
#include <cblas.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perp/numerics.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/names.h"

typedef struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"solve", "solve a problem file and certify the answer", perp_cmd_solve},
    {"run", "simulate a scene", perp_cmd_run},
    {"verify", "recompute what the files of a run say", perp_cmd_verify},
    {"view", "show a run in a page for a browser", perp_cmd_view},
    {"info", "sizes, sets and properties of a problem file", perp_cmd_info},
    {"convert", "write a problem file in another format or form", perp_cmd_convert},
    {"generate", "make a problem of any size", perp_cmd_generate},
    {"solvers", "list the solvers and their settings", perp_cmd_solvers},
    {"bench", "compare solvers over many files, schemes on exact motions", perp_cmd_bench},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

enum { KEY_USAGE = 256 };

static const struct argp_option options[] = {{"help", 'h', NULL, 0, "Show this help", 0},
                                             {"usage", KEY_USAGE, NULL, OPTION_HIDDEN, NULL, 0},
                                             {"version", 'V', NULL, 0, "Show the version", 0},
                                             {0}};

/* The list of commands below the options. */
static char *help_text(int key, const char *text, void *input)
{
    char *buffer = NULL;
    size_t size;
    FILE *out;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC || (out = open_memstream(&buffer, &size)) == NULL)
        return (char *)text;
    fputs("Commands:\n", out);
    for (int k = 0; k < COMMANDS; k++)
        fprintf(out, "  %-10s %s\n", commands[k].name, commands[k].summary);
    fputs("\n'perp COMMAND --help' says more about each.\n"
          "Exit status: 0 solved or done, 1 stopped early, 2 error, 3 no solution.",
          out);
    fclose(out);
    return buffer;
}

/* Stops at the first word that is no option: the command. */
static error_t parse(int key, char *word, struct argp_state *state)
{
    int *first = state->input;

    (void)word;
    if (key == 'h')
        perp_show_help(state, ARGP_HELP_STD_HELP);
    if (key == KEY_USAGE)
        perp_show_help(state, ARGP_HELP_USAGE);
    if (key == 'V') {
        printf("perp %s\n", perp_version());
        perp_end(PERP_EXIT_DONE);
    }
    if (key == ARGP_KEY_ARG) {
        *first = --state->next;
        state->next = state->argc;
        return 0;
    }
    if (key == ARGP_KEY_NO_ARGS)
        argp_error(state, "a command is needed");
    return key == 'h' || key == 'V' || key == KEY_USAGE ? 0 : ARGP_ERR_UNKNOWN;
}

static const char *command_at(void *ctx, int k)
{
    (void)ctx;
    return k < COMMANDS ? commands[k].name : NULL;
}

static int run_command(int argc, char **argv)
{
    char name[64];

    for (int k = 0; k < COMMANDS; k++) {
        if (strcmp(argv[0], commands[k].name) == 0) {
            snprintf(name, sizeof name, "perp %s", commands[k].name);
            argv[0] = name;
            return commands[k].run(argc, argv);
        }
    }
    return perp_complain_unknown("command", argv[0], command_at, NULL,
                                 "'perp --help' describes the commands");
}

/* A file that is opened must not get the number of a standard stream that was closed: what is printed
 * would go into it.  Reading and writing such a stream stays an error. */
static int hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    static const char doc[] =
        "Solves friction and complementarity problems and certifies the answers.\v ";
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .args_doc = "COMMAND ...",
                              .doc = doc,
                              .help_filter = help_text};
    static char program[] = "perp";
    int first = 0;

    argp_err_exit_status = PERP_EXIT_ERROR;
    if (hold_streams() != 0)
        return PERP_EXIT_ERROR;
    /* Our dense systems are small: threads only wait for each other. */
    if (getenv("OPENBLAS_NUM_THREADS") == NULL)
        openblas_set_num_threads(1);
    /* A pipe that breaks must not cost a solution that is still to be written. */
    signal(SIGPIPE, SIG_IGN);
    argv[0] = program;
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, &first) != 0 ||
        first == 0)
        return PERP_EXIT_ERROR;
    return perp_end_of_output(run_command(argc - first, argv + first));
}
