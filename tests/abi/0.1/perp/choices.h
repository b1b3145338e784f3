/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the settings (<perp/settings.h>) and of the parameters of a scheme (<perp/sim.h>)
 * that are choices: settings.sweep = PERP_SWEEP_SYMMETRIC.  Made by choices.awk from
 * settings.def and scheme.def; do not edit. */
#ifndef PERP_CHOICES_H
#define PERP_CHOICES_H

/* settings.measure: residual that must be within tol */
typedef enum perp_measure_kind {
    PERP_MEASURE_BOTH, /* default */
    PERP_MEASURE_NATURAL,
    PERP_MEASURE_SCALED
} perp_measure_kind;

/* settings.sweep: direction of a sweep; symmetric: forward, then backward */
typedef enum perp_sweep_kind {
    PERP_SWEEP_FORWARD, /* default */
    PERP_SWEEP_SYMMETRIC
} perp_sweep_kind;

/* settings.order: order of the blocks in a sweep; coloured: sorted so that threads can share
 * the work; auto: coloured from 2000 blocks on */
typedef enum perp_order_kind {
    PERP_ORDER_AUTO, /* default */
    PERP_ORDER_NATURAL,
    PERP_ORDER_COLOURED
} perp_order_kind;

/* settings.storage: gs on a Delassus matrix: uses a packed copy of H, which is faster, or H in
 * place; auto: in place from 100000 blocks on */
typedef enum perp_storage_kind {
    PERP_STORAGE_AUTO, /* default */
    PERP_STORAGE_PACKED,
    PERP_STORAGE_IN_PLACE
} perp_storage_kind;

/* settings.local: local solver of one frictional contact in 3D */
typedef enum perp_local_kind {
    PERP_LOCAL_HYBRID, /* default */
    PERP_LOCAL_QUARTIC,
    PERP_LOCAL_NEWTON,
    PERP_LOCAL_PROJECTION
} perp_local_kind;

/* settings.acceleration: acceleration of the sweeps; nncg: nonlinear conjugate gradients;
 * auto: anderson and nncg alternate */
typedef enum perp_acceleration_kind {
    PERP_ACCELERATION_NONE,
    PERP_ACCELERATION_ANDERSON,
    PERP_ACCELERATION_NNCG,
    PERP_ACCELERATION_AUTO /* default */
} perp_acceleration_kind;

/* settings.line_search: line search of a semismooth Newton method */
typedef enum perp_line_search_kind {
    PERP_LINE_SEARCH_NONE,
    PERP_LINE_SEARCH_ARMIJO, /* default */
    PERP_LINE_SEARCH_NONMONOTONE,
    PERP_LINE_SEARCH_GOLDSTEIN_PRICE
} perp_line_search_kind;

/* settings.formulation: nonsmooth equation of a Newton method; the first three differ only for
 * contacts with friction */
typedef enum perp_formulation_kind {
    PERP_FORMULATION_ALART_CURNIER, /* default */
    PERP_FORMULATION_JEAN_MOREAU,
    PERP_FORMULATION_NATURAL_MAP,
    PERP_FORMULATION_FISCHER_BURMEISTER
} perp_formulation_kind;

/* settings.factor: factorisation of the linear systems */
typedef enum perp_factor_kind {
    PERP_FACTOR_AUTO, /* default */
    PERP_FACTOR_LAPACK,
    PERP_FACTOR_KLU,
    PERP_FACTOR_LDL,
    PERP_FACTOR_MUMPS,
    PERP_FACTOR_FRONTS
} perp_factor_kind;

/* settings.ordering: fill-reducing ordering of the factorisation */
typedef enum perp_ordering_kind {
    PERP_ORDERING_AUTO, /* default */
    PERP_ORDERING_AMD,
    PERP_ORDERING_METIS
} perp_ordering_kind;

/* settings.pivot_rule: ppm: rows that change in a step; block: all wrong ones; murty: the
 * first; bard: the most infeasible; keller: one by Keller and Cottle-Dantzig */
typedef enum perp_pivot_rule_kind {
    PERP_PIVOT_RULE_BLOCK, /* default */
    PERP_PIVOT_RULE_MURTY,
    PERP_PIVOT_RULE_BARD,
    PERP_PIVOT_RULE_KELLER
} perp_pivot_rule_kind;

/* settings.restart: apgd: condition that resets the momentum */
typedef enum perp_restart_kind {
    PERP_RESTART_GRADIENT, /* default */
    PERP_RESTART_FUNCTION,
    PERP_RESTART_NONE
} perp_restart_kind;

/* settings.tracking: central-path: strict stays on one branch; loose takes longer steps and
 * may leave it */
typedef enum perp_tracking_kind {
    PERP_TRACKING_STRICT, /* default */
    PERP_TRACKING_LOOSE
} perp_tracking_kind;

/* settings.pgs_variant: pgs: plain sweeps, over-relaxation, nonlinear conjugate gradients, or
 * sweeps regularised by proximal points */
typedef enum perp_pgs_variant_kind {
    PERP_PGS_VARIANT_PLAIN, /* default */
    PERP_PGS_VARIANT_PSOR,
    PERP_PGS_VARIANT_NNCG,
    PERP_PGS_VARIANT_RPGS
} perp_pgs_variant_kind;

/* settings.lagged_law: lagged: what an iteration keeps fixed; tresca: friction bounds;
 * panagiotopoulos: tangential, then normal forces; de-saxce: sliding speeds */
typedef enum perp_lagged_law_kind {
    PERP_LAGGED_LAW_TRESCA, /* default */
    PERP_LAGGED_LAW_PANAGIOTOPOULOS,
    PERP_LAGGED_LAW_DE_SAXCE
} perp_lagged_law_kind;

/* settings.correction: projection: extragradient corrects each step by a second product */
typedef enum perp_correction_kind {
    PERP_CORRECTION_EXTRAGRADIENT, /* default */
    PERP_CORRECTION_NONE
} perp_correction_kind;

/* settings.prox_newton: prox: Newton steps for each proximal point; converged: as many as
 * needed; single: one; smoothed: one on smoothed equations */
typedef enum perp_prox_newton_kind {
    PERP_PROX_NEWTON_CONVERGED, /* default */
    PERP_PROX_NEWTON_SINGLE,
    PERP_PROX_NEWTON_SMOOTHED
} perp_prox_newton_kind;

/* settings.finish: auto: how an answer ends; tolerance: within tol, as sweeps leave it;
 * rounding: Newton's methods come first, up to 6000 rows, whose last step leaves what rounding
 * does; cheap: the same where it costs next to nothing, up to 48 rows */
typedef enum perp_finish_kind {
    PERP_FINISH_TOLERANCE, /* default */
    PERP_FINISH_CHEAP,
    PERP_FINISH_ROUNDING
} perp_finish_kind;

/* scheme.variant: euler-moreau: y and r at t_k+1 with r weighted by gamma, y and r at
 * t_k+gamma, or so with f at t_k+theta: [SDN] (9.5), (9.6), (9.7) */
typedef enum perp_variant_kind {
    PERP_VARIANT_THETA_GAMMA, /* default */
    PERP_VARIANT_FULL,
    PERP_VARIANT_MIDPOINT
} perp_variant_kind;

/* scheme.activation_at: position at which y is taken for that: q_k or q_k + h v_k */
typedef enum perp_activation_at_kind {
    PERP_ACTIVATION_AT_START, /* default */
    PERP_ACTIVATION_AT_PREDICTED
} perp_activation_at_kind;

/* scheme.configuration: where mass and Jacobians of relations are taken: current iterate
 * (Newton goes on for forces and masses alone), q_k, q_k + prediction h v_k, or iterate until
 * p = H' lambda holds there too */
typedef enum perp_configuration_kind {
    PERP_CONFIGURATION_ITERATED, /* default */
    PERP_CONFIGURATION_START,
    PERP_CONFIGURATION_PREDICTED,
    PERP_CONFIGURATION_CONVERGED
} perp_configuration_kind;

/* scheme.forces: theta-method, or forces at the start of the step [SDN] (11.79) */
typedef enum perp_forces_kind {
    PERP_FORCES_IMPLICIT, /* default */
    PERP_FORCES_EXPLICIT
} perp_forces_kind;

/* scheme.velocity: schatzman-paoli: (q_k+1 - q_k-1)/2h or (q_k+1 - q_k)/h */
typedef enum perp_velocity_kind {
    PERP_VELOCITY_CENTRED, /* default */
    PERP_VELOCITY_BACKWARD
} perp_velocity_kind;

/* scheme.start: schatzman-paoli: q_-1 from v_0 = (q_0 - q_-1)/h, or from (q_1 - q_-1)/2h */
typedef enum perp_start_kind {
    PERP_START_BACKWARD, /* default */
    PERP_START_CENTRED
} perp_start_kind;

/* scheme.projection_in: projection: in coordinates with |Q| = 1 as a row, or in twists with
 * (T'T)^-1 */
typedef enum perp_projection_in_kind {
    PERP_PROJECTION_IN_Q, /* default */
    PERP_PROJECTION_IN_V
} perp_projection_in_kind;

/* scheme.tableau: Runge-Kutta method of the smooth motion: orders 2, 3, 4, 5(4), 5(4), 3, 5
 * and 8(7); radau is implicit */
typedef enum perp_tableau_kind {
    PERP_TABLEAU_MIDPOINT,
    PERP_TABLEAU_HEUN3,
    PERP_TABLEAU_RK4,
    PERP_TABLEAU_DORMAND_PRINCE, /* default */
    PERP_TABLEAU_FEHLBERG,
    PERP_TABLEAU_RADAU3,
    PERP_TABLEAU_RADAU5,
    PERP_TABLEAU_DORMAND_PRINCE8
} perp_tableau_kind;

/* scheme.impacts: discrete-gradient: contacts that touch when one is struck: left alone, so
 * that each is struck in its turn; or all by one law, Newton's or Poisson's */
typedef enum perp_impacts_kind {
    PERP_IMPACTS_STAGED, /* default */
    PERP_IMPACTS_NEWTON,
    PERP_IMPACTS_POISSON
} perp_impacts_kind;

/* scheme.zeno: event-driven: impacts that accumulate are handed to a Moreau-Jean step, or end
 * the step */
typedef enum perp_zeno_kind {
    PERP_ZENO_SWITCH, /* default */
    PERP_ZENO_STOP
} perp_zeno_kind;

/* scheme.undetermined: event-driven: a contact whose force and acceleration stay 0 is taken as
 * closed, or ends the step */
typedef enum perp_undetermined_kind {
    PERP_UNDETERMINED_CLOSED, /* default */
    PERP_UNDETERMINED_STOP
} perp_undetermined_kind;

/* scheme.error_order: adaptive schemes: order of the practical error [ACA10] (55), (73);
 * variable: guessed in each step */
typedef enum perp_error_order_kind {
    PERP_ERROR_ORDER_VARIABLE, /* default */
    PERP_ERROR_ORDER_0,
    PERP_ERROR_ORDER_1,
    PERP_ERROR_ORDER_2
} perp_error_order_kind;

/* scheme.step_control: adaptive schemes: [ACA10] (75), the practical error alone, or (74)
 * alone */
typedef enum perp_step_control_kind {
    PERP_STEP_CONTROL_BOTH, /* default */
    PERP_STEP_CONTROL_ERROR,
    PERP_STEP_CONTROL_VIOLATION
} perp_step_control_kind;

/* scheme.error_in: part of the state in the error: q, and v (smooth: where no event lies in
 * the step); x of first-order systems always is */
typedef enum perp_error_in_kind {
    PERP_ERROR_IN_SMOOTH, /* default */
    PERP_ERROR_IN_Q,
    PERP_ERROR_IN_V,
    PERP_ERROR_IN_BOTH
} perp_error_in_kind;

/* scheme.at_h_min: a smallest step outside the tolerance ends with PERP_STEP_LIMIT, or is
 * accepted */
typedef enum perp_at_h_min_kind {
    PERP_AT_H_MIN_REFUSE, /* default */
    PERP_AT_H_MIN_ACCEPT
} perp_at_h_min_kind;

/* scheme.contact_forces: splitting: forces of contacts in the smooth motion: [ACA10] (86),
 * (87) or (88), (89) */
typedef enum perp_contact_forces_kind {
    PERP_CONTACT_FORCES_NONE, /* default */
    PERP_CONTACT_FORCES_CONTINUOUS
} perp_contact_forces_kind;

/* scheme.inner_steps: splitting: the smooth motion in one step, or in steps under control of
 * its error */
typedef enum perp_inner_steps_kind {
    PERP_INNER_STEPS_ONE, /* default */
    PERP_INNER_STEPS_CONTROLLED
} perp_inner_steps_kind;

/* scheme.crossing: moreau-jean-extrapolated: steps over events meet the tolerance by [ACA10]
 * (73), (74), or have the length h_min */
typedef enum perp_crossing_kind {
    PERP_CROSSING_TOLERANCE, /* default */
    PERP_CROSSING_H_MIN
} perp_crossing_kind;

/* scheme.smooth: event-driven: smooth motion by the tableau, or by CVODE (configure
 * --with-cvode) */
typedef enum perp_smooth_kind {
    PERP_SMOOTH_RUNGE_KUTTA, /* default */
    PERP_SMOOTH_ADAMS,
    PERP_SMOOTH_BDF
} perp_smooth_kind;

/* scheme.projection_of: projection: of all contacts, or of those in the index set of the step;
 * joints always are */
typedef enum perp_projection_of_kind {
    PERP_PROJECTION_OF_ALL, /* default */
    PERP_PROJECTION_OF_ACTIVE
} perp_projection_of_kind;

#endif
