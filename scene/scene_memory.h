/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory through the allocator of the caller.  The library of scenes is built on public headers
 * only, like a user's program, so it has a default allocator of its own. */
#ifndef PERP_SCENE_MEMORY_H
#define PERP_SCENE_MEMORY_H

#include <perp/base.h>

/* The allocator to use: malloc and free for NULL. */
perp_allocator perp_scene_memory(const perp_allocator *allocator);
/* count * size bytes that are 0; NULL, and ENOMEM in errno, where there are none. */
void *perp_scene_zeroed(const perp_allocator *memory, size_t count, size_t size);
void perp_scene_release(const perp_allocator *memory, void *block); /* NULL is accepted */

#endif
