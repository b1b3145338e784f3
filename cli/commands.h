/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of perp.  Each takes its own arguments, argv[0] being the
 * name to show in messages ("perp solve"), and returns the exit status. */
#ifndef PERP_CLI_COMMANDS_H
#define PERP_CLI_COMMANDS_H

#include <perp/base.h>

enum {
    PERP_EXIT_DONE = 0,       /* solved, or done */
    PERP_EXIT_STOPPED = 1,    /* stopped early; the best iterate was reported */
    PERP_EXIT_ERROR = 2,      /* wrong usage, unreadable file, error of a call */
    PERP_EXIT_NO_SOLUTION = 3 /* the problem was shown to have no solution */
};

/* That of a solve. */
static inline int perp_exit_of(perp_status status)
{
    return status == PERP_SOLVED       ? PERP_EXIT_DONE
           : status == PERP_INFEASIBLE ? PERP_EXIT_NO_SOLUTION
           : status < 0                ? PERP_EXIT_ERROR
                                       : PERP_EXIT_STOPPED;
}

int perp_cmd_solve(int argc, char **argv);
int perp_cmd_run(int argc, char **argv);
int perp_cmd_verify(int argc, char **argv);
int perp_cmd_view(int argc, char **argv);
int perp_cmd_info(int argc, char **argv);
int perp_cmd_convert(int argc, char **argv);
int perp_cmd_generate(int argc, char **argv);
int perp_cmd_solvers(int argc, char **argv);
int perp_cmd_bench(int argc, char **argv);

#endif
