/* SPDX-License-Identifier: BSD-3-Clause */
/* perp solvers: what the solvers are, take and read. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/names.h"

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

static int describe_one(const char *name)
{
    const perp_solver_type *type = perp_solver_by_name(name);

    if (type == NULL)
        return PERP_EXIT_ERROR;
    describe(type);
    if (perp_solver_reads(type)[0] != '\0') {
        puts("\nSettings it reads, with default and range:");
        perp_help_settings(stdout, perp_solver_reads(type));
    }
    return PERP_EXIT_DONE;
}

int perp_cmd_solvers(int argc, char **argv)
{
    perp_command_line line = {
        .takes = PERP_TAKES_ALL,
        .all_text = "The solvers for study too, and all settings",
        .words = "[NAME]",
        .about = "Lists the solvers of everyday use; with NAME, one solver and its settings.",
        .most = 1};
    const perp_solver_type *type;
    perp_shared shared;
    int code = PERP_EXIT_DONE, study = 0;

    perp_read_arguments(&shared, &line, NULL, argc, argv);
    if (shared.words > 0) {
        code = describe_one(shared.word[0]);
        free(shared.word);
        return code;
    }
    for (int k = 0; (type = perp_solver_at(k)) != NULL; k++)
        if (perp_solver_is_everyday(type))
            describe(type);
        else
            study++;
    if (shared.all) {
        puts("\nFor study:\n");
        for (int k = 0; (type = perp_solver_at(k)) != NULL; k++)
            if (!perp_solver_is_everyday(type))
                describe(type);
        puts("\nSettings (--set NAME=VALUE), with default and range:");
        perp_help_settings(stdout, NULL);
    } else {
        printf("\n%d more for study, and all settings: perp solvers --all\n", study);
    }
    free(shared.word);
    return code;
}
