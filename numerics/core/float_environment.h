/* SPDX-License-Identifier: BSD-3-Clause */
/* The floating-point environment of the caller, held while a library computes.  Inside, the default
 * one is in force: no traps, rounding to nearest, denormal numbers as they are; so a call has the
 * same bits whatever the host has set.  Afterwards all of the caller's is back, its flags too.
 *
 * A public call that computes begins with PERP_HOLD_ENVIRONMENT(); it holds until the call returns.
 * Inside a call that holds already, and for hosts that have changed nothing, it costs a look. */
#ifndef PERP_CORE_FLOAT_ENVIRONMENT_H
#define PERP_CORE_FLOAT_ENVIRONMENT_H

#include <fenv.h>

#ifdef __SSE2__
#include <xmmintrin.h>
/* Traps masked, to nearest, no flushing to zero; and the six flags. */
#define PERP_CONTROL_DEFAULT 0x1f80u
#define PERP_CONTROL_FLAGS 0x3fu
#endif

typedef struct perp_environment {
    fenv_t host;
    int changed;      /* host is to be put back */
    unsigned control; /* SSE: the register as it was */
} perp_environment;

static inline perp_environment perp_environment_hold(void)
{
    perp_environment held;
#ifdef __SSE2__
    held.control = _mm_getcsr();
    held.changed = (held.control & ~PERP_CONTROL_FLAGS) != PERP_CONTROL_DEFAULT;
#else
    held.control = 0;
    held.changed = 1;
#endif
    if (held.changed) {
        fegetenv(&held.host);
        fesetenv(FE_DFL_ENV);
    }
    return held;
}

static inline void perp_environment_release(const perp_environment *held)
{
    if (held->changed)
        fesetenv(&held->host);
#ifdef __SSE2__
    else if (_mm_getcsr() != held->control)
        _mm_setcsr(held->control);
#endif
}

#define PERP_HOLD_ENVIRONMENT()                                                                    \
    const perp_environment held_environment                                                        \
        __attribute__((cleanup(perp_environment_release), unused)) = perp_environment_hold()

#endif
