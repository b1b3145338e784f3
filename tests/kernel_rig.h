/* SPDX-License-Identifier: BSD-3-Clause */
/* A model and its simulation, set up in few lines; each call asserts success. */
#ifndef PERP_TESTS_KERNEL_RIG_H
#define PERP_TESTS_KERNEL_RIG_H

#include <perp/kernel.h>

typedef struct rig {
    perp_model *model;
    perp_sim *sim;            /* NULL until rig_start() */
    perp_sim_options options; /* solver lemke with tol 1e-12; to be changed before rig_start() */
    const perp_allocator *allocator;
} rig;

void rig_init(rig *r, double h);
/* All memory through this allocator, which has to live as long. */
void rig_init_with(rig *r, double h, const perp_allocator *allocator);
void rig_free(rig *r);

/* A dense view of rows x cols numbers, column-major. */
perp_mat rig_dense(const double *x, int rows, int cols);
/* Scheme with parameters as text: "theta=1 activation=0". */
perp_scheme rig_scheme(const char *name, const char *parameters);

/* x' = A x + r. */
perp_system_id rig_first_order(rig *r, int n, const double *x0, const double *A);
/* M v' = F + p; M dense, NULL: identity. */
perp_system_id rig_lagrangian(rig *r, int n, const double *q0, const double *v0, const double *M,
                              const double *F);
perp_system_id rig_add_first_order(rig *r, const perp_first_order_def *def);
perp_system_id rig_add_lagrangian(rig *r, const perp_lagrangian_def *def);
perp_system_id rig_add_body(rig *r, const perp_body_def *def);

perp_interaction_id rig_interact(rig *r, const perp_system_id *systems, int count,
                                 const perp_relation *relation, perp_law law);
/* y = C x + e on one system; C: rows x N column-major; e may be NULL. */
perp_interaction_id rig_linear(rig *r, perp_system_id system, int rows, const double *C,
                               const double *e, perp_law law);
/* An empty relation of this kind. */
perp_relation rig_relation(perp_relation_kind kind, int rows);

/* Makes the simulation; scheme NULL: the standard ones. */
void rig_start(rig *r, const perp_scheme *scheme);
/* One step that has to end with PERP_SOLVED. */
void rig_step(rig *r);
void rig_run(rig *r, double t_end);

double *rig_q(const rig *r, perp_system_id id);
double *rig_v(const rig *r, perp_system_id id);
const double *rig_input(const rig *r, perp_system_id id);
const double *rig_y(const rig *r, perp_interaction_id id);
const double *rig_u(const rig *r, perp_interaction_id id);
const double *rig_lambda(const rig *r, perp_interaction_id id);

#endif
