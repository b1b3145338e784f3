/* SPDX-License-Identifier: BSD-3-Clause */
/* Making the stages of a step while a scheme makes the step itself (step/stepper.h, follower). */
#ifndef PERP_KERNEL_STAGE_BUILD_H
#define PERP_KERNEL_STAGE_BUILD_H

#include "kernel/derivative/relation_turn.h"
#include "kernel/derivative/tape.h"
#include "kernel/integrators/discrete_gradient/discrete_gradient.h"

/* Each returns NULL, or 0, when memory is out. */
perp_tape_stage *perp_tape_add_stage(perp_tape *tape, perp_tape_stage_kind kind);
perp_tape_part *perp_tape_add_part(perp_tape *tape, perp_tape_solve_stage *solve, const int *system,
                                   int nsystems, int nv);
/* Rows of a law in the part: z and w copied; scale: of the bounds of BOX. */
int perp_tape_set_rows(perp_tape *tape, perp_tape_solve_stage *solve, perp_tape_part *part,
                       const perp_law *law, int rows, const double *z, const double *w,
                       double scale);
/* Equalities, w = 0. */
int perp_tape_set_equalities(perp_tape *tape, perp_tape_solve_stage *solve, perp_tape_part *part,
                             int rows, const double *z);
int perp_tape_add_from(perp_tape *tape, perp_tape_part *part, int reg, const double *rho,
                       const double *beta);
int perp_tape_add_by(perp_tape *tape, perp_tape_part *part, int time, const double *rho,
                     const double *beta);
int perp_tape_add_term(perp_tape *tape, perp_tape_solve_stage *solve, int parameter,
                       perp_tape_target target, int at, double value);
double *perp_tape_zeros(perp_tape *tape, int rows, int columns);
double *perp_tape_new_copy(perp_tape *tape, const double *x, int rows, int columns);
/* Places of the systems of an interaction in the list. */
const int *perp_tape_places(perp_tape *tape, const perp_link *link);

/* How a body carries turns over a part of the step, by system in the order of the list; NULL of
 * Lagrangian systems. */
typedef struct perp_tape_turns {
    const double **A, **B;
} perp_tape_turns;
int perp_tape_take_turns(perp_tape *tape, perp_tape_turns *turns);
int perp_tape_set_turn_of(perp_tape *tape, perp_tape_turns *turns, int k, const double *omega,
                          double h);
/* out = scale in T, T the turns of the systems at these places (NULL: identity); rows x nv. */
void perp_tape_times_turns(double *out, const double *in, int rows, const perp_tape *tape,
                           const int *system, int nsystems, const double *const *T, double scale);

/* Derivative of a mass matrix times a by q at this moment, nv x nv; NULL: it is constant.
 * *status: why not. */
const double *perp_tape_mass_turn(perp_tape *tape, perp_system *s, const double *q, const double *a,
                                  perp_status *status);
const double *perp_tape_mass_at(perp_tape *tape, int k, perp_system *s, const double *q,
                                perp_status *status);

/* dH/dx at x into G (rows x nv x nv) and drift (rows x nv), by what the caller gave, in closed form
 * or by differences; PERP_SOLVED, or why not. */
perp_status perp_tape_turn_at(perp_tape *tape, perp_link *link, double t, const double *x,
                              double *G, double *drift, double *work);
size_t perp_tape_turn_numbers(const perp_tape *tape, const perp_link *link); /* of work */
/* out (rows x nv) = (dH) v + drift_part drift; out (nv x nv) = (dH)' z. */
void perp_tape_along_velocity(double *out, const double *G, const double *drift, double drift_part,
                              int rows, int nv, const double *v);
void perp_tape_along_impulse(double *out, const double *G, int rows, int nv, const double *z);
/* States and velocities of its systems one behind the other. */
void perp_tape_gather_q(double *x, const perp_link *link, perp_moment moment);
void perp_tape_gather_v(double *x, const perp_link *link, perp_moment moment);
void perp_tape_gather_kept(double *x, const perp_link *link); /* v_kept */

/* out (rows x nv, 0 at first) = (1 - theta) (H v' + h_t) - H lag at the start of a step by q_k. */
perp_status perp_tape_turn_start(double *out, perp_tape *tape, const perp_step *step,
                                 const perp_dg *dg, perp_link *link);

/* The parts of a step of discrete-gradient. */
perp_status perp_tape_follow_smooth(perp_tape *tape, perp_step *step, const perp_dg *dg);
perp_status perp_tape_follow_rows(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                  perp_tape_solve_stage *solve, const perp_tape_turns *whole,
                                  const perp_tape_turns *half);
perp_status perp_tape_follow_impacts(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                     perp_step_part part);
perp_status perp_tape_follow_positions(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                       perp_step_part part);
perp_status perp_tape_follow_velocities(perp_tape *tape, perp_step *step, const perp_dg *dg);
perp_status perp_tape_follow_slips(perp_tape *tape, perp_step *step, const perp_dg *dg);
/* Terms of the parameters: of the momenta of all systems in a solve without forces, M y = ...; of a
 * law in its rows. */
int perp_tape_mass_terms(perp_tape *tape, perp_tape_solve_stage *solve, const perp_step *step,
                         const double *const *increment);

/* Systems of a solve M y = ..., y in work, M at this moment, whose configuration is in `reg`. */
perp_status perp_tape_follow_masses(perp_tape *tape, const perp_step *step, const perp_dg *dg,
                                    perp_tape_solve_stage *solve, perp_moment moment, int reg);
/* The rows H y + H v + h_t = 0 of a joint in it; velocity: the register of v, which is v[NOW] or
 * v_kept; 0: H y = 0. */
typedef struct perp_tape_joint_rows {
    perp_moment moment;
    int reg, velocity;
    const double *lambda;
} perp_tape_joint_rows;
perp_status perp_tape_follow_joint(perp_tape *tape, const perp_step *step,
                                   perp_tape_solve_stage *solve, perp_link *link,
                                   const perp_tape_joint_rows *rows);
int perp_tape_add_to(perp_tape *tape, int reg);
/* J (6 x 6) += scale times the slope of the gyroscopic moment at omega. */
void perp_tape_add_gyroscopic(double *J, const perp_system *s, const double *omega, double scale);
/* Parameters in h F(q_k, v_k) of system k. */
int perp_tape_start_terms(perp_tape *tape, perp_tape_solve_stage *solve, const perp_dg *dg, int k);
/* Parameters z of system k by central differences: in its equation of motion, or, change NULL, in
 * h F(q_k, v_start). */
perp_status perp_tape_terms_of_z(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                 perp_tape_solve_stage *solve, int k, const double *change,
                                 const double *start);
/* dF/dq and dF/dv without the gyroscopic moment of a body; NULL: 0. */
perp_status perp_tape_forces_at(perp_tape *tape, int k, perp_system *s, double t, const double *q,
                                const double *v, const double **by_q, const double **by_v);

/* Derivatives of G by a discrete gradient over the step, by the configuration at the start and by
 * D = h v_b: of G' lambda (nv x nv), of G v + drift at the end, and of (1 - theta) (G v' + drift) -
 * G lag (rows x nv). */
typedef struct perp_tape_direction {
    int parameter, row;
    double *force, rate; /* nv: of G' lambda; of G v in this row */
    struct perp_tape_direction *next;
} perp_tape_direction;
typedef struct perp_tape_gradient_turn {
    double *L_q, *L_D, *U_q, *U_D, *S_q, *S_D;
    perp_tape_direction *by_mass; /* by masses and inertias that are parameters */
    int nothing;                  /* all are 0 */
} perp_tape_gradient_turn;
perp_status perp_tape_turn_gradient(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                    perp_link *link, const perp_tape_turns *whole,
                                    const perp_tape_turns *half, const double *H0, const double *H1,
                                    perp_tape_gradient_turn *out);
/* Of a joint or a coupling; v_1 and v_s: velocities of its systems at the end, and (1 - theta) v' -
 * lag.  U and S are for rows of rates: a law of equalities leaves them at 0. */
void perp_tape_turn_coordinate(perp_tape_gradient_turn *out, const perp_link *link,
                               const perp_dg *dg, const double *v_1, const double *v_s);

/* Reports a refusal by name. */
perp_status perp_tape_refuse_link(perp_tape *tape, const perp_link *link, const char *why);

#endif
