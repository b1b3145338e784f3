/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs of callers that were compiled with an older or a newer header: the first member of each
 * is its size there. */
#ifndef PERP_SCENE_CALLER_STRUCT_H
#define PERP_SCENE_CALLER_STRUCT_H

#include <perp/base.h>

/* An output: as much as the caller has, zeros behind it.  PERP_ERR_ARGUMENT without a size;
 * callers may be NULL. */
perp_status perp_scene_give(void *callers, const void *own, size_t own_size);
/* An input, over the defaults in *own.  PERP_ERR_ARGUMENT without a size, or where what the library
 * does not know is not zero; callers may be NULL. */
perp_status perp_scene_accept(void *own, size_t own_size, const void *callers);

#endif
