/* SPDX-License-Identifier: BSD-3-Clause */
#include <argp.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/message.h"

static error_t parse(int key, char *word, struct argp_state *state)
{
    const char **name = state->input;

    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (*name != NULL)
        argp_error(state, "one NAME only, not '%s' too", word);
    *name = word;
    return 0;
}

static void describe(const perp_solver_type *type)
{
    const char *reads = perp_solver_reads(type);
    int used = printf("%-14s ", perp_solver_name(type));
    perp_help_wrap(stdout, perp_solver_summary(type), used, 15);
    printf("  %-12s ", "sets");
    perp_help_takes_sets(stdout, type);
    printf("\n  %-12s ", "matrices");
    perp_help_takes_matrices(stdout, type);
    used = printf("\n  %-12s ", "reads") - 1;
    perp_help_wrap(stdout, reads[0] != '\0' ? reads : "no settings of its own", used, 15);
}

int perp_cmd_solvers(int argc, char **argv)
{
    static const char doc[] = "Lists the solvers; with NAME, one solver and its settings.";
    const struct argp argp = {NULL, parse, "[NAME]", doc, NULL, NULL, NULL};
    const char *name = NULL;
    const perp_solver_type *type;

    if (argp_parse(&argp, argc, argv, 0, NULL, &name) != 0)
        return PERP_EXIT_ERROR;
    if (name == NULL) {
        for (int k = 0; (type = perp_solver_at(k)) != NULL; k++)
            describe(type);
        return PERP_EXIT_DONE;
    }
    type = perp_solver_find(name);
    if (type == NULL && perp_solver_renamed(name) != NULL) {
        perp_complain("%s", perp_solver_renamed(name));
        return PERP_EXIT_ERROR;
    }
    if (type == NULL) {
        perp_complain("unknown solver '%s'", name);
        fputs("solvers: ", stderr);
        perp_help_solver_names(stderr);
        fputc('\n', stderr);
        return PERP_EXIT_ERROR;
    }
    describe(type);
    if (perp_solver_reads(type)[0] != '\0') {
        puts("\nSettings it reads, with default and range:");
        perp_help_settings(stdout, perp_solver_reads(type));
    }
    return PERP_EXIT_DONE;
}
