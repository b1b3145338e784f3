/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs that may grow.  The first member of each is `size_t size`: sizeof where the caller was
 * compiled.  A caller may be older than the library (its struct is shorter) or newer (longer). */
#ifndef PERP_CORE_SIZED_H
#define PERP_CORE_SIZED_H

#include <perp/base.h>

/* No struct of the interface is larger; what claims to be was not initialised. */
enum { PERP_SIZED_MOST = 65536 };

/* The size that a caller's struct says; 0 where it is none: below sizeof(size_t) or above
 * PERP_SIZED_MOST.  sized may be NULL: 0. */
size_t perp_sized_claim(const void *sized);

/* An input.  `own` is the library's struct of own_size bytes and holds the defaults; what the
 * caller's has of it is copied over them.  own->size becomes own_size.
 * PERP_ERR_ARGUMENT, with *own as it was: no size, or bytes that are not zero past own_size. */
perp_status perp_sized_read(void *own, size_t own_size, const void *callers);

/* An output: as much of `own` as the caller has; the rest of a longer one becomes zero.  Its size
 * stays.  PERP_ERR_ARGUMENT, with *callers as it was: no size. */
perp_status perp_sized_write(void *callers, const void *own, size_t own_size);

/* What an init call does: callers->size = size, then perp_sized_write().  Sizes that are none
 * change nothing. */
void perp_sized_init(void *callers, size_t size, const void *own, size_t own_size);

/* 1 when the caller's struct has the `bytes` bytes at `offset`. */
int perp_sized_has(const void *callers, size_t offset, size_t bytes);

#endif
