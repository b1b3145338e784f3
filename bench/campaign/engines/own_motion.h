/* SPDX-License-Identifier: BSD-3-Clause */
/* A scene run by Perp, through the public headers of the kernel. */
#ifndef PERP_ENGINES_OWN_MOTION_H
#define PERP_ENGINES_OWN_MOTION_H

#include "bench/campaign/engines/motion.h"

/* Writes the whole motion to fd.  0; 1: a step was not made; -1: refused, or the reader is gone. */
int perp_own_motion(int fd, const rigid_scene *scene, double tol, const char *version);

#endif
