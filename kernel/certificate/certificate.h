/* SPDX-License-Identifier: BSD-3-Clause */
/* The certificate of a run: what each step says goes into one struct of sums and maxima.
 *
 *     perp_certificate_begin      a step, or another pass of it
 *     perp_certificate_motion     a system: what its scheme says of it
 *     perp_certificate_impulse    an active interaction: impulse, works, law, action = reaction
 *     perp_certificate_balance    a system: residual, energies, momentum
 *     perp_certificate_islands    momentum of those that the world does not touch
 *     perp_certificate_outputs    an interaction at the new state: openings, overlaps, rates
 *     perp_certificate_commit     the step stands
 *
 * Energy balance of a step, with the velocity `mean` that moves the system, u = H mean + drift:
 *
 *     mean . change = driven . mean + sum of impulse . H mean        of the equation of motion
 *     dV = -F . dq + (q_k + dq/2)' K dq,   dq from the positions     constant F, linear K q
 *     r_E = mean . change + dV - (1/2 - weight) dq' K dq - sum of impulse . H mean
 *           - (driven . mean - the part of F and K in it)
 *
 * which is 0 but for rounding where the equation of motion holds and `mean` moved the positions.
 * The kinetic energy grows by mean . change - (mean - (v_k + v)/2) . change. */
#ifndef PERP_KERNEL_CERTIFICATE_H
#define PERP_KERNEL_CERTIFICATE_H

#include <perp/verdict.h>

#include "kernel/certificate/balance.h"
#include "kernel/certificate/impacts.h"
#include "kernel/relations/link.h"
#include "kernel/systems/pool.h"

#define PERP_MEASURE(name, verified, remarks, text) PERP_MEASURE_##name,
typedef enum perp_measure {
#include <perp/verdict.def>
    PERP_MEASURES
} perp_measure;
#undef PERP_MEASURE

enum { PERP_PLACE_NONE, PERP_PLACE_SYSTEM, PERP_PLACE_INTERACTION };

/* Slots of an interaction and its first two systems, or of a system; -1: none. */
typedef struct perp_place {
    int what, slot, systems[2];
} perp_place;

/* A measure over the run: no padding, since checkpoints hold it. */
typedef struct perp_mark {
    double value, last;
    long seen;    /* times that there was something to measure */
    long step[2]; /* first step above each threshold, 0: none */
    double t[2];
    perp_place place[2];
} perp_mark;

typedef struct perp_certificate_sums {
    double t;
    double kinetic;                           /* largest */
    double potential, lowest, highest;        /* sum of dV, and its range */
    double contact, positive;                 /* works of contacts: sum of |W|, of W > 0 */
    double joint, joint_size;                 /* works of bilateral constraints: W, |W| */
    double external, balance, rises, missing; /* see <perp/verdict.h> */
    double stage, stage_size, projected;      /* energy of corrections; the second of |E| */
    double floor;                             /* what rounding may leave in `balance` */
    /* Energy that forces give in a step from rest, or along the size of a body. */
    double least;
    double impulse, rate; /* largest: impulse in sqrt(energy), relative speed */
    double drawn;         /* largest acceleration by a joint when h omega was last looked at */
    long steps, silent_motion, silent_impulse,
        silent_energy;          /* steps; those in which a scheme was silent */
    long stopped, stopped_step; /* status of an error that ended the run */
    double stopped_t;
    perp_mark marks[PERP_MEASURES];
} perp_certificate_sums;

typedef struct perp_noted {
    double value;
    int seen;
    const perp_system *system; /* whose it is, or */
    const perp_link *link;
    int elsewhere; /* it is in another process, at this place */
    perp_place place;
} perp_noted;

/* Of one step, until it stands. */
typedef struct perp_certificate_step {
    double change, kinetic, potential, springs; /* mean . change, dT, dV, its part of theta */
    double forces, inertial; /* driven . mean without F and K; its part of no force */
    double impulses, contact, positive, joint, joint_size;
    double walls, boxes; /* external: of moving obstacles, of boxes */
    double energy;       /* kinetic energy at the end */
    double stage, projected, floor, least, balance, impulse, rate, drawn;
    double struck,
        struck_walls; /* kinetic energy of impacts before the smooth step; impulse . drift */
    double crossed;   /* of it: work of contacts in the smooth step along the lag */
    /* Largest defect of a law beyond the tolerance, and of a rigid law: noted when all impulses are
     * known. */
    perp_noted law, defect;
    /* Of a stage of impacts: largest defect of a law in sqrt(energy), and whose; the impulses that
     * end the approaches; the largest rate, and the largest term of one. */
    double blow, approach, blow_rate, blow_term;
    const perp_link *blow_link;
    int silent_motion, silent_impulse, silent_energy;
    perp_noted at[PERP_MEASURES]; /* of sums: whose part is the largest */
} perp_certificate_step;

typedef struct perp_certificate {
    perp_certificate_sums sums;
    perp_certificate_step step;
    perp_thresholds thresholds;
    double h, t;                    /* of the step; t of its end */
    long index;                     /* of the step of the simulation, from 1 */
    int commits;                    /* in it */
    int checks;                     /* of Jacobians in this step */
    perp_noted held[PERP_MEASURES]; /* of what is at rest, in each step */
    perp_impacts impacts;           /* of the step */
    /* Memory of one interaction. */
    double *row;
    int capacity_row;
} perp_certificate;

/* A value of this step, of a system or an interaction (or NULL); the largest counts. */
static inline void perp_certificate_note(perp_certificate *c, perp_measure measure, double value,
                                         const perp_system *s, const perp_link *link)
{
    perp_noted *at = &c->step.at[measure];
    at->seen = 1;
    if (value <= at->value)
        return;
    at->value = value;
    at->system = s;
    at->link = link;
    at->elsewhere = 0;
}

/* As fmax(), but for numbers that are none: inlined. */
static inline double perp_larger(double a, double b)
{
    return a > b ? a : b;
}

/* Velocities that move places: the first ones; those behind them turn a body. */
static inline int perp_certificate_places(const perp_system *s)
{
    return s->kind == PERP_SYSTEM_BODY ? 3 : s->nv;
}

/* Where it was noted. */
perp_place perp_certificate_place(const perp_noted *at);

void perp_certificate_init(perp_certificate *c);
/* Memory for links of so many rows or velocities; 0 when memory is out. */
int perp_certificate_memory(perp_certificate *c, perp_pool *pool, int width);
void perp_certificate_begin(perp_certificate *c, double t_end, double h);
/* A step of the simulation was made, or not. */
void perp_certificate_stepped(perp_certificate *c, perp_status status, int halved);
void perp_certificate_failed(perp_certificate *c, perp_status status, double t);
void perp_certificate_commit(perp_certificate *c);

/* What the scheme says is in s->ledger, stated = 1.  Non-zero: a callback refused. */
int perp_certificate_motion(perp_certificate *c, perp_system *s, const perp_balance *balance);
/* Memory of a pairing, zeroed. */
void perp_certificate_pairing(perp_certificate *c, perp_link *link, perp_pairing *pairing);
/* Memory of its swing, which is not that of `swing` at first. */
double *perp_certificate_swing(perp_certificate *c, const perp_link *link);
/* 1: it may have been an impact that no stage has; perp_certificate_unstruck_impulse() is to be
 * called then, with the Jacobian and the drift at the start of the step in the pairing. */
int perp_certificate_impulse(perp_certificate *c, perp_link *link, const perp_pairing *pairing);
void perp_certificate_unstruck_impulse(perp_certificate *c, const perp_link *link,
                                       const perp_pairing *start);
void perp_certificate_balance(perp_certificate *c, perp_system *s);
/* Square of the momentum, over the mass, of the entries from to to - 1 that the rounding of
 * positions stands for in a step: what is less is rest. */
double perp_certificate_rest(const perp_system *s, double h, int from, int to);
/* Impacts before the equation of motion (stages.c): 1 where the velocity of a system jumped.  Begin
 * with each system; then of each stage its begin, its strikes, its end; then the whole of each
 * system.  A strike that is timed is asked for its time first, with its Jacobian at the start of
 * the step.  Non-zero: a callback refused. */
int perp_certificate_jumped(const perp_system *s);
void perp_certificate_begin_jumps(perp_system *s);
void perp_certificate_begin_stage(perp_certificate *c, int stage);
int perp_certificate_is_timed(const perp_certificate *c, int stage, const perp_strike *strike);
void perp_certificate_time(perp_certificate *c, const perp_strike *strike,
                           const perp_pairing *pairing);
void perp_certificate_strike(perp_certificate *c, const perp_strike *strike,
                             const perp_pairing *pairing);
/* tolerance: of the rates that the scheme leaves, over the largest of the stage. */
int perp_certificate_end_stage(perp_certificate *c, int stage, double tolerance);
int perp_certificate_jump(perp_certificate *c, perp_system *s);
/* Rate that the rounding of positions stands for in a step: what is slower rests, and no law can be
 * read from it. */
double perp_certificate_rest_rate(const perp_certificate *c, const perp_link *link);
/* unstruck.c: a contact that closed in the smooth step, faster than forces make it, though it has
 * restitution. before, after: its rates by the pairing of the step.  looks: by these alone, which
 * see the turn of the rows, too. */
int perp_certificate_looks_unstruck(const perp_certificate *c, const perp_link *link,
                                    const perp_pairing *pairing, const double *before,
                                    const double *after);
void perp_certificate_unstruck(perp_certificate *c, const perp_link *link,
                               const perp_pairing *start, const double *before,
                               const double *after);
/* Distance of an impulse from what the law makes of it with w, over sqrt(M); the compliance is the
 * diagonal of H M^-1 H', for friction with moments that of each row. */
double perp_certificate_defect(const perp_law *law, const double *impulse, const double *w,
                               const double *compliance, double h);
/* Islands: perp_certificate_motion() makes each system one, active links join them (linked: some
 * have), then each adds its momentum to the root, and roots are judged. */
perp_system *perp_certificate_root(perp_system *s);
void perp_certificate_join(perp_link *link);
void perp_certificate_add_momentum(perp_system *s);
void perp_certificate_island(perp_certificate *c, const perp_system *root);
/* What is at rest, noted in each step from here on: nothing; what the impulses of a system leave of
 * its forces, a part of them; openings and overlaps of an interaction. */
void perp_certificate_hold_none(perp_certificate *c);
void perp_certificate_hold_motion(perp_certificate *c, const perp_system *s, double unbalanced);
void perp_certificate_hold_outputs(perp_certificate *c, const perp_link *link);

/* stepped: the link has index set and outputs of an ordinary step, and so many Jacobians may be
 * checked in it.  Non-zero: a callback refused. */
int perp_certificate_outputs(perp_certificate *c, perp_link *link, int stepped, int budget);
void perp_certificate_spin(perp_certificate *c, const perp_system *s);
/* From s->ledger.kept to NOW, which is no part of the motion.  Non-zero: a callback refused. */
int perp_certificate_moved(perp_certificate *c, perp_system *s, int velocities);
/* Does output agree with Jacobian at NOW?  Non-zero: a callback refused. */
int perp_certificate_rates(perp_certificate *c, perp_link *link);

/* The smallest half-width of the bodies of a link; 0: not known. */
double perp_certificate_size(const perp_link *link);

/* PERP_ERR_SETTING: a threshold is negative or not a number. */
perp_status perp_certificate_set(perp_certificate *c, const perp_thresholds *callers);
void perp_certificate_verdict(const perp_certificate *c, perp_verdict *verdict);
void perp_certificate_figure(const perp_certificate *c, int k, perp_figure *figure);
void perp_certificate_step_figure(const perp_certificate *c, perp_step_figure *figure);
/* 1: some scheme made no statement about it. */
int perp_certificate_is_silent(const perp_certificate *c, int measure);
/* 1: the measure is a sum over the run, over the energy scale. */
int perp_certificate_is_sum(int measure);
double perp_certificate_scale(const perp_certificate *c);

#endif
