/* SPDX-License-Identifier: BSD-3-Clause */
/* Small deterministic generator (splitmix64), one state per user. */
#ifndef PERP_CORE_RNG_H
#define PERP_CORE_RNG_H

#include <stdint.h>

typedef struct perp_rng {
    uint64_t state;
} perp_rng;

static inline uint64_t perp_rng_next(perp_rng *rng)
{
    uint64_t x = (rng->state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* As if `count` numbers had been taken. */
static inline void perp_rng_skip(perp_rng *rng, uint64_t count)
{
    rng->state += count * 0x9e3779b97f4a7c15u;
}

/* Uniform in [0, 1). */
static inline double perp_rng_uniform(perp_rng *rng)
{
    return (double)(perp_rng_next(rng) >> 11) * 0x1p-53;
}

/* Uniform in [-1, 1). */
static inline double perp_rng_signed(perp_rng *rng)
{
    return 2.0 * perp_rng_uniform(rng) - 1.0;
}

/* Uniform in {0, ..., n - 1}, n > 0. */
static inline int perp_rng_below(perp_rng *rng, int n)
{
    return (int)(perp_rng_uniform(rng) * n);
}

#endif
