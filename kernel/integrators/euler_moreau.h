/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_KERNEL_EULER_MOREAU_H
#define PERP_KERNEL_EULER_MOREAU_H

#include "kernel/step/integrator.h"

extern const perp_integrator perp_euler_moreau;

#endif
