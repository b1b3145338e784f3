/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults in the staged impacts of the default scheme: its table with functions that err. */
#ifndef PERP_BENCH_STAGE_FAULTS_H
#define PERP_BENCH_STAGE_FAULTS_H

#include "kernel/step/integrator.h"

/* From the next step on; 0: none.
 * E, F    restitution of the impacts too small, friction too large by that part
 * V       restitution by so much that impulses are scaled by 1 + amount, and the motion with them
 * G       gaps by so much of the way of a step too large
 * N       no stage is made
 * I, D    of the stages that are told: an impulse scaled by 1 + amount; the last one dropped */
void perp_stage_fault_set(char letter, double amount);
void perp_stage_fault_table(perp_integrator *table);

#endif
