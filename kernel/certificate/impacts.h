/* SPDX-License-Identifier: BSD-3-Clause */
/* The impacts before the smooth step, stage by stage, as a scheme tells them: which interactions
 * were struck, with which impulses, and what became of the velocities.  The certificate judges them
 * (stages.c), and perp_sim_strike() shows them.
 *
 * In a stage, from the velocity v' before it, and with the change of the velocity within the step
 * without any impact,
 *
 *     M dv = sum of H' impulse,         u- = H (v' + tau change),    u+ = u- + H dv,
 *     M lag = sum of H' delayed,        delayed = tau impulse,
 *
 * tau the time of a strike as a part of the step, and the sum of lag what the mean velocity of the
 * step leaves out.  The law between u-, u+ and the impulse is that of the kind. */
#ifndef PERP_KERNEL_IMPACTS_H
#define PERP_KERNEL_IMPACTS_H

#include "kernel/relations/link.h"
#include "kernel/systems/pool.h"

typedef enum perp_impact_kind {
    PERP_IMPACT_JOINTS,      /* joints alone, whose rates end at 0 */
    PERP_IMPACT_CARRIED,     /* no impact: what contacts that carry gave before the next stage */
    PERP_IMPACT_NEWTON,      /* 0 <= u+ + e u- perp p >= 0, friction against u+_T + e_t u-_T */
    PERP_IMPACT_COMPRESSION, /* the same with e = 0, followed by an expansion */
    PERP_IMPACT_EXPANSION    /* 0 <= u+ perp p - e p_c >= 0, p_c the impulse of the compression */
} perp_impact_kind;

/* Entries of `numbers` are found by `first`. */
typedef struct perp_strike {
    perp_link *link;
    int first; /* rows each: impulse, delayed, u-, u+, the latter two filled by the certificate;
                  relations each: tau or -1, not in the stage; the part of e that its law has;
                  rows: the diagonal of H M^-1 H', filled by the certificate */
    double at; /* H is that of q_k (+) at h v_k */
    int ended; /* the scheme leaves restitution out for the number of impacts before it */
} perp_strike;

typedef struct perp_jump {
    perp_system *system;
    int first;   /* nv each: dv, lag, change */
    double time; /* tau of the impact that it took part in, or until it was carried; -1: of none */
} perp_jump;

typedef struct perp_impact_stage {
    perp_impact_kind kind;
    int scheme;
    int strikes, jumps; /* of the stage and those before it */
} perp_impact_stage;

typedef struct perp_impacts {
    perp_impact_stage *stages;
    perp_strike *strikes;
    perp_jump *jumps;
    double *numbers;
    int nstages, nstrikes, njumps, nnumbers;
    int capacity_stages, capacity_strikes, capacity_jumps, capacity_numbers;
    double t, h; /* of the step that they began */
    int cut;     /* stages were left out: what they would have struck closes without restitution */
} perp_impacts;

/* For a step from t to t + h. */
void perp_impacts_clear(perp_impacts *impacts, double t, double h);
/* Takes back the stages from this one on. */
void perp_impacts_shorten(perp_impacts *impacts, int stages);
/* Begin a stage; add to the last one: their numbers, zero, until the next call.  0, NULL: memory is
 * out. */
int perp_impacts_begin(perp_impacts *impacts, perp_pool *pool, int scheme, perp_impact_kind kind);
double *perp_impacts_strike(perp_impacts *impacts, perp_pool *pool, perp_link *link, double at);
double *perp_impacts_jump(perp_impacts *impacts, perp_pool *pool, perp_system *s, double time);

/* The first entry of a stage. */
static inline int perp_impacts_first_strike(const perp_impacts *impacts, int stage)
{
    return stage > 0 ? impacts->stages[stage - 1].strikes : 0;
}
static inline int perp_impacts_first_jump(const perp_impacts *impacts, int stage)
{
    return stage > 0 ? impacts->stages[stage - 1].jumps : 0;
}

#endif
