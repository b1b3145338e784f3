/* SPDX-License-Identifier: BSD-3-Clause */
/* The private part of a dump. */
#ifndef PERP_IO_DUMP_H
#define PERP_IO_DUMP_H

#include <perp/io.h>

#include "io/heap.h"

/* What dump->owner points to. */
typedef struct perp_dump_owner {
    perp_heap heap;
    int made; /* the problem below is there */
    perp_problem problem;
    perp_mass *mass;
} perp_dump_owner;

perp_heap *perp_dump_heap(perp_dump *dump);
perp_dump_owner *perp_dump_owner_of(const perp_dump *dump);

#endif
