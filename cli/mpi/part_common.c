/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/part_common.h"

#include <stdlib.h>

/* All ranks in their order, `rank` put first; made where it leads for the first time. */
static int led_by(perp_part_steps *steps, int rank, MPI_Comm *comm)
{
    const perp_part_layout *layout = &steps->layout;
    int bad = 0, worst;

    if (steps->led == NULL) {
        steps->led = malloc((size_t)layout->ranks * sizeof *steps->led);
        bad = steps->led == NULL;
        for (int r = 0; !bad && r < layout->ranks; r++)
            steps->led[r] = MPI_COMM_NULL;
    }
    MPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst)
        return 0;
    if (steps->led[rank] == MPI_COMM_NULL)
        MPI_Comm_split(MPI_COMM_WORLD, 0, layout->rank == rank ? 0 : 1 + layout->rank,
                       &steps->led[rank]);
    *comm = steps->led[rank];
    return 1;
}

/* problem NULL: of another rank. */
static perp_status solve(perp_part_steps *steps, int rank, const perp_problem *problem,
                         const perp_mat *mass, const perp_settings *settings, double *z,
                         perp_info *info)
{
    perp_settings used, own;
    MPI_Comm comm;

    perp_settings_init(&own, sizeof own);
    used = settings != NULL ? *settings : own;
    if (!led_by(steps, rank, &comm))
        return PERP_ERR_MEMORY;
    MPI_Bcast(&used, (int)sizeof used, MPI_BYTE, 0, comm);
    used.inner = settings != NULL ? settings->inner : own.inner;
    return perp_solve_led(steps->ranks, comm, problem, mass, &used, z, info);
}

perp_status perp_part_ask(void *ctx, const perp_problem *problem, const perp_mat *mass,
                          const perp_settings *settings, double *z, perp_info *info)
{
    perp_part_steps *steps = ctx;
    int turn = 0, own = 1 + steps->layout.rank;
    perp_info none = {.size = sizeof none};

    while (turn != own) {
        if (!perp_meet(steps->meeting, PERP_MEET_TOTAL, 0, own, &turn))
            return PERP_INTERRUPTED;
        if (turn != own)
            (void)solve(steps, turn - 1, NULL, NULL, NULL, NULL, &none);
    }
    return solve(steps, turn - 1, problem, mass, settings, z, info);
}

int perp_part_serve(perp_part_steps *steps)
{
    perp_info none = {.size = sizeof none};
    int turn = 1;

    while (turn != 0) {
        if (!perp_meet(steps->meeting, PERP_MEET_TOTAL, 0, 0, &turn))
            return 0;
        if (turn != 0)
            (void)solve(steps, turn - 1, NULL, NULL, NULL, NULL, &none);
    }
    return 1;
}

void perp_part_leave(perp_part_steps *steps)
{
    for (int r = 0; steps->led != NULL && r < steps->layout.ranks; r++)
        if (steps->led[r] != MPI_COMM_NULL)
            MPI_Comm_free(&steps->led[r]);
    free(steps->led);
    steps->led = NULL;
    if (steps->most != MPI_OP_NULL)
        MPI_Op_free(&steps->most);
}
