/* SPDX-License-Identifier: BSD-3-Clause */
/* What a NULL allocator stands for, in all libraries but that of scenes. */
#ifndef PERP_CORE_ALLOCATOR_H
#define PERP_CORE_ALLOCATOR_H

#include <perp/base.h>

/* The allocator, or malloc and free where it is NULL. */
perp_allocator perp_allocator_or_malloc(const perp_allocator *allocator);

#endif
