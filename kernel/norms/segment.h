/* SPDX-License-Identifier: BSD-3-Clause */
/* Distance of a point to a segment in R x R^n, max(|t - s|, |x - y|) ([ACA10] (45)). */
#ifndef PERP_KERNEL_NORMS_SEGMENT_H
#define PERP_KERNEL_NORMS_SEGMENT_H

#include <perp/norms.h>

/* Points have 1 + n entries, the time first. */
double perp_segment_distance(const double *point, const double *from, const double *to, int n,
                             perp_vector_norm norm);

#endif
