/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_CORE_CLOCK_H
#define PERP_CORE_CLOCK_H

/* Monotonic, in seconds. */
double perp_clock_seconds(void);

#endif
