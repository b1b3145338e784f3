/* SPDX-License-Identifier: BSD-3-Clause */
/* Data compressed by zlib (RFC 1950, 1951). */
#ifndef PERP_SCENE_ROBOTS_INFLATE_H
#define PERP_SCENE_ROBOTS_INFLATE_H

#include <stddef.h>

/* Exactly `wanted` bytes: 0; -1 where the data are not that. */
int perp_inflate(unsigned char *out, size_t wanted, const unsigned char *data, size_t size);

#endif
