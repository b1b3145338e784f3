/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the order of a step calls the certificate. */
#ifndef PERP_KERNEL_STEP_CERTIFICATE_H
#define PERP_KERNEL_STEP_CERTIFICATE_H

#include "kernel/step/stepper.h"

/* A step, or another pass of it, begins. */
void perp_step_certificate_begin(perp_step *step);
/* Its outputs are there: the step goes into the sums. */
perp_status perp_step_certificate_end(perp_step *step);
/* The end of a step of a scheme that chooses its own instants: what outputs alone tell. */
perp_status perp_step_certificate_march(perp_step *step);

#endif
