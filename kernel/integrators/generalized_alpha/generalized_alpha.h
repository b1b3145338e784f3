/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the nonsmooth generalised-alpha method; the formulas are in generalized_alpha.c.
 *
 * Of a system, between the parts of a step:
 *     v[NOW]    v~ of the smooth part, then the new velocity
 *     force     v^ (the part of v~ that is known), then v~' at the end of the step
 *     residual  U, the correction of q, as a twist
 *     q_kept, v_kept   a_k and v~'_k, of the step before
 *     h_kept  0: the step begins a phase
 * Of a link: lambda is the smooth impulse z, kept in y of its normal link once the impulse of the
 * step is looked for; mode[r] & 15 is how a relation ended the last step, mode[r] >> 4 how it ends
 * this. */
#ifndef PERP_KERNEL_GENERALIZED_ALPHA_H
#define PERP_KERNEL_GENERALIZED_ALPHA_H

#include "kernel/step/one_step.h"
#include "kernel/step/integrator.h"

typedef enum perp_alpha_mode {
    PERP_ALPHA_UNSEEN,
    PERP_ALPHA_OPEN,  /* or closed with a velocity of separation */
    PERP_ALPHA_STICK, /* closed; without friction always this */
    PERP_ALPHA_SLIP,
    PERP_ALPHA_SLIP_BACK /* in the plane: along the negative tangent */
} perp_alpha_mode;

extern const perp_integrator perp_generalized_alpha;

/* alpha_m, alpha_f, beta, gamma of a step; share = gamma (1 - alpha_f) / (1 - alpha_m): h share is
 * the weight of v~' in v~. */
typedef struct perp_alpha_weights {
    double alpha_m, alpha_f, beta, gamma, share;
} perp_alpha_weights;

/* Memory of the scheme. */
typedef struct perp_alpha {
    perp_one_step position, velocity;
    unsigned long version; /* of the model when the lists were made; 0 never */
    perp_system **systems; /* with this scheme */
    perp_link **links;     /* with impacts or equalities, and boxes behind them */
    int nsystems, capacity_systems, nlinks, nhard, capacity_links;
    perp_link *normal;   /* nhard links of the same systems: the rows on the level of positions */
    perp_link **normals; /* their addresses */
    double *values;      /* their arrays */
    int capacity_normal, capacity_normals, capacity_values;
    /* By slot of the system: the next step begins a phase; 1 + links that join it to others
     * at the time joined_at, 0 where that is not known. */
    unsigned char *restart;
    int *joined;
    double joined_at;
    int slots, capacity_restart, capacity_joined;
    /* For the certificate: v~ and H(q*)' z of each system, nv entries each, and q*, from kept_at of
     * its slot on; the equation that is certified. */
    double *kept;
    int *kept_at;
    int capacity_kept, capacity_kept_at, jumping;
} perp_alpha;

perp_alpha_weights perp_alpha_weights_of(const perp_step *step, const perp_system *s);
/* Below it a gap counts as closed: newton_tol, or what rounding of the coordinates leaves. */
double perp_alpha_closed(perp_step *step, perp_link *link);
/* 1 where M is all that W holds. */
int perp_alpha_mass_alone(const perp_system *s);

/* The velocity by which q~ comes from q_k over the step, for v~ at NOW. */
void perp_alpha_mean(const perp_step *step, const perp_system *s, double *mean);
/* Adds what restitution puts into rows on u of contacts that are struck. */
void perp_alpha_restitution(double *offset, const perp_link *link);

/* For the certificate: q[NOW] is where H is taken; the smooth equation, then that of the jump. */
void perp_alpha_note_place(perp_step *step, const perp_system *s);
int perp_alpha_balance(perp_step *step, perp_system *s, perp_balance *balance);
int perp_alpha_paired(perp_step *step, perp_link *link, perp_pairing *pairing);
perp_status perp_alpha_certify(perp_step *step, perp_alpha *alpha, int jumping);

/* Rows of the problem on positions; 0 when memory is out. */
int perp_alpha_normals(perp_alpha *alpha, perp_pool *pool);
/* Finishes rows whose left and offset are those of u = H v + h_t. */
void perp_alpha_close_rows(perp_step *step, perp_link *link);

/* q[NOW] = q~ (+) U with 0 <= g perp nu >= 0; y of each link there. */
perp_status perp_alpha_positions(perp_step *step, perp_alpha *alpha);
/* v[NOW] = v~ + W with the laws on rates; multipliers, inputs and modes. */
perp_status perp_alpha_velocities(perp_step *step, perp_alpha *alpha);

#endif
