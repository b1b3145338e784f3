/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-mpi: commands of perp that several processes carry out together. */
#include <argp.h>
#include <cblas.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/mpi/cmd_run_ranks.h"
#include "cli/mpi/cmd_solve_ranks.h"
#include "cli/names.h"

static const char *command_at(void *ctx, int k)
{
    static const char *const names[] = {"solve", "run", NULL};

    (void)ctx;
    return names[k];
}

static int is(const char *word, const char *brief, const char *full)
{
    return strcmp(word, brief) == 0 || strcmp(word, full) == 0;
}

static int help(void)
{
    puts("Usage: mpirun -n RANKS perp-mpi COMMAND ...\n"
         "Solves friction problems by several processes and certifies the answer.\n\n"
         "Commands:\n"
         "  solve      solve a problem file and certify the answer\n"
         "  run        simulate a scene\n\n"
         "'perp-mpi COMMAND --help' says more.\n"
         "Exit status: 0 solved, 1 stopped early, 2 error.");
    return perp_end_of_output(PERP_EXIT_DONE);
}

int main(int argc, char **argv)
{
    static char solve[] = "perp-mpi solve", run[] = "perp-mpi run";

    argp_err_exit_status = PERP_EXIT_ERROR;
    /* Threads of PT-Scotch divide the bodies otherwise in each run. */
    setenv("SCOTCH_PTHREAD_NUMBER", "1", 0);
    /* Our dense systems are small: threads only wait for each other. */
    if (getenv("OPENBLAS_NUM_THREADS") == NULL)
        openblas_set_num_threads(1);
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2)
        return perp_complain("a command is needed; 'perp-mpi --help' lists them");
    if (is(argv[1], "-h", "--help"))
        return help();
    if (is(argv[1], "-V", "--version")) {
        printf("perp-mpi %s\n", perp_version());
        return perp_end_of_output(PERP_EXIT_DONE);
    }
    if (strcmp(argv[1], "solve") == 0) {
        argv[1] = solve;
        return perp_cmd_solve_ranks(argc - 1, argv + 1);
    }
    if (strcmp(argv[1], "run") == 0) {
        argv[1] = run;
        return perp_cmd_run_ranks(argc - 1, argv + 1);
    }
    return perp_complain_unknown("command", argv[1], command_at, NULL,
                                 "'perp-mpi --help' describes the commands");
}
