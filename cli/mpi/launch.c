/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/launch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <perp/petsc.h>

#include "cli/commands.h"
#include "cli/message.h"

/* The number that the launcher gave this process, 0 without one: before MPI is started. */
static int launched_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (getenv(names[k]) != NULL)
            return atoi(getenv(names[k]));
    return 0;
}

void perp_read_line_on_ranks(perp_shared *shared, perp_command_line *line, void *request, int argc,
                             char **argv)
{
    int nowhere = launched_rank() > 0 ? open("/dev/null", O_WRONLY) : -1;
    int out = -1, err = -1;

    if (nowhere >= 0) {
        out = dup(STDOUT_FILENO);
        err = dup(STDERR_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    perp_read_arguments(shared, line, request, argc, argv);
    if (out >= 0 && dup2(out, STDOUT_FILENO) >= 0)
        close(out);
    if (err >= 0 && dup2(err, STDERR_FILENO) >= 0)
        close(err);
}

int perp_start_ranks(void)
{
    PetscOptionsSetValue(NULL, "-no_signal_handler", "true");
    PetscOptionsSetValue(NULL, "-skip_petscrc", "true");
    return PetscInitializeNoArguments() != 0 ? perp_complain("PETSc cannot be started")
                                             : PERP_EXIT_DONE;
}

int perp_told(int code)
{
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

int perp_worst(int code)
{
    int worst = code;

    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}
