/* SPDX-License-Identifier: BSD-3-Clause */
/* How the rows at the start of a discrete-gradient step turn, where the law of gaps reads them. */
#include "kernel/derivative/stage_build.h"

/* (1 - theta) v' - lag of its systems. */
static void start_velocities(double *v, const perp_link *link, const perp_dg *dg)
{
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *lag = perp_dg_lag(dg, s);
        for (int i = 0; i < s->nv; i++)
            *v++ = (1.0 - dg->theta) * s->v_kept[i] - (lag ? lag[i] : 0.0);
    }
}

perp_status perp_tape_turn_start(double *out, perp_tape *tape, const perp_step *step,
                                 const perp_dg *dg, perp_link *link)
{
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv, N = (size_t)link->N;
    size_t turn = perp_tape_turn_numbers(tape, link);
    double *v =
        perp_pool_take_array(&tape->pool, nv + N + rows * nv * (nv + 1) + turn + 1, sizeof *v);
    if (!v)
        return PERP_ERR_MEMORY;
    double *x = v + nv, *G = x + N, *drift = G + rows * nv * nv;
    start_velocities(v, link, dg);
    perp_tape_gather_q(x, link, PERP_START);
    perp_status status = perp_tape_turn_at(tape, link, step->t, x, G, drift, drift + rows * nv);
    if (status == PERP_SOLVED)
        perp_tape_along_velocity(out, G, drift, 1.0 - dg->theta, link->rows, link->nv, v);
    perp_pool_give(&tape->pool, v);
    return status;
}
