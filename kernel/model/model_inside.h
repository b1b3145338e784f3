/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a model: slots of systems and interactions with their generations. */
#ifndef PERP_KERNEL_MODEL_INSIDE_H
#define PERP_KERNEL_MODEL_INSIDE_H

#include <perp/model.h>

#include "kernel/systems/pool.h"
#include "kernel/systems/dynamic_system.h"
#include "kernel/relations/link.h"

/* A slot is free where its pointers are NULL; its generation grows at each removal. */
typedef struct perp_system_slot {
    perp_system *system;
    struct perp_away *away; /* in the place of system: see away.h */
    uint32_t generation;
    int next_free;
} perp_system_slot;

typedef struct perp_link_slot {
    perp_link *link;
    uint32_t generation;
    int next_free;
} perp_link_slot;

struct perp_model {
    perp_pool pool;
    perp_system_slot *systems;
    perp_link_slot *links;
    int nsystems, capacity_systems, free_system; /* slots in use at some time; -1 none free */
    int nlinks, capacity_links, free_link;
    int alive_systems, alive_links, prescribed; /* prescribed: bodies among the first */
    unsigned long version;                      /* grows at each addition and removal */
    int changed;      /* perp_model_changed() was called: outputs are stale */
    int begin_absent; /* perp_model_begin_absent() */
    const void *sim;  /* that was made last, which may be gone; NULL: none was */
};

/* The object behind an identifier, NULL where it is stale or was never given. */
perp_system *perp_model_system(const perp_model *model, perp_system_id id);
perp_link *perp_model_link(const perp_model *model, perp_interaction_id id);

#endif
