/* SPDX-License-Identifier: BSD-3-Clause */
/* What a scheme tells the certificate of a step: the equation of motion of each system, and the
 * Jacobian and the impulse of each interaction.  All of it is computed again from raw data (the
 * states at START and NOW, the multipliers, forces, masses and Jacobians as their callbacks give
 * them), never read from what the solve left behind, or the certificate would compare the step with
 * itself. */
#ifndef PERP_KERNEL_BALANCE_H
#define PERP_KERNEL_BALANCE_H

/* change = driven + sum of H' impulse over the interactions, and q_NOW = q_START (+) h mean.
 * First-order systems have the state in place of the velocity: change = M (x - x_k). */
typedef struct perp_balance {
    double *change;       /* nv: M (v+ - v-) with the mass of the step */
    double *driven;       /* nv: impulse of all its forces, as the scheme weighs them */
    double *mean;         /* nv: the velocity that moves it; impulses work on it */
    double weight;        /* of q_NOW against q_START in forces -K q; 0.5 at first */
    const double *before; /* nv: the velocity v- of `change`; v_START at first.  Where it differs,
                             the impacts of impacts.h made it from v_START */
    const double *lag;    /* nv: by what `mean` is less since these act late in the step; NULL, at
                             first: 0 */
    double inertial;      /* work on `mean` of the part of `driven` that is no force, such as
                             -h (omega x J omega); 0 at first */
    double tolerance; /* residual that the scheme leaves: over the largest terms of the equation, */
    double slack;     /* and absolute, in each entry; 0 at first */
    int staggered;    /* 1: `mean` is not what the impulses work on (positions and velocities belong
                         to different times, say), so that energies say nothing; 0 at first */
    int still;        /* 1: the change is none of positions: `mean` is not filled, staggered is 1;
                         0 at first */
} perp_balance;

typedef enum perp_pairing_kind {
    PERP_PAIRING_ROWS, /* the impulse acts by H', which the rates have too */
    PERP_PAIRING_INPUT /* an input of its own: `impulse` has nv entries and acts as it is; nothing
                          else is filled */
} perp_pairing_kind;

typedef struct perp_pairing {
    perp_pairing_kind kind; /* ROWS at first */
    double *H;              /* rows x nv column-major: the Jacobian of rates and impulse */
    double *drift;          /* rows: rate at rest, so that u = H v + drift; 0 at first */
    const double *swing; /* rows: by what the drift changes in the step; NULL, at first: nothing */
    double *offset;      /* rows: what the law adds to u+ (restitution and the like); 0 at first */
    double *impulse;     /* rows, or nv: h times the force where lambda is a force */
    int lawful;          /* 1: the law ties u+ + offset to the impulse (a box h times as wide where
                            `forces`); 0, at first: no statement, the law acts elsewhere */
    int staged;          /* 1: restitution is in the impacts before; 0 at first */
    int forces;          /* 1: lambda is a force; 0 at first */
    double box;          /* a box is h times this as wide as for forces; 1 at first */
    int at; /* the perp_moment at whose configuration H was taken; -1, at first: none of them */
    double tolerance; /* of the rates in the law, over the largest rates; that of the solver at
                         first */
    double rounding;  /* rates up to this are those of the rounding of places; 0 at first */
} perp_pairing;

#endif
