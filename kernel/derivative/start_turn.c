/* SPDX-License-Identifier: BSD-3-Clause */
/* How the rows at the start of a discrete-gradient step turn, where the law of gaps reads them. */
#include <string.h>

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

/* A matrix on the states of a body turns with it; column of one angle, to sixth order.  Non-zero:
 * refused. */
static int one_angle(double *out, perp_link *link, double t, double *x, perp_system *s, int angle,
                     const double *v, double *H)
{
    static const double weight[3] = {0.75, -0.15, 1.0 / 60.0}, by = 0.02;
    size_t rows = (size_t)link->rows;
    double turn[6] = {0.0};
    turn[3 + angle] = 1.0;
    for (int point = 0; point < 6; point++) {
        int far = point / 2, side = point % 2 ? -1 : 1;
        perp_system_move(x, s, s->q[PERP_START], turn, side * (far + 1) * by);
        if (perp_link_jacobian(H, link, t, link->X, link->lambda))
            return 1;
        for (int j = 0; j < link->nv; j++)
            for (size_t i = 0; i < rows; i++)
                out[i] += side * weight[far] / by * H[i + (size_t)j * rows] * v[j];
    }
    memcpy(x, s->q[PERP_START], sizeof(double) * (size_t)s->nq);
    return 0;
}

static perp_status matrix_turns(double *out, perp_tape *tape, const perp_step *step,
                                perp_link *link, const double *v)
{
    size_t rows = (size_t)link->rows;
    double *H = perp_tape_work(tape, rows * (size_t)link->nv), *x = link->X;
    if (!H)
        return PERP_ERR_MEMORY;
    perp_tape_gather_q(x, link, PERP_START);
    for (int k = 0; k < link->nsystems; x += link->systems[k++]->nq) {
        perp_system *s = link->systems[k];
        for (int a = 0; s->kind == PERP_SYSTEM_BODY && a < 3; a++)
            if (one_angle(out + (size_t)(3 + a) * rows, link, step->t, x, s, a, v, H))
                return PERP_INTERRUPTED;
        out += (size_t)s->nv * rows;
    }
    return PERP_SOLVED;
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
    perp_status status;
    start_velocities(v, link, dg);
    if (perp_tape_turn_source(tape, link) == PERP_TURN_NONE) {
        status = matrix_turns(out, tape, step, link, v);
    } else {
        perp_tape_gather_q(x, link, PERP_START);
        status = perp_tape_turn_at(tape, link, step->t, x, G, drift, drift + rows * nv);
        if (status == PERP_SOLVED)
            perp_tape_along_velocity(out, G, drift, 1.0 - dg->theta, link->rows, link->nv, v);
    }
    perp_pool_give(&tape->pool, v);
    return status;
}
