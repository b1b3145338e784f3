/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the discrete-gradient scheme, and the clusters of islands that it makes one after the
 * other in a step. */
#ifndef PERP_KERNEL_DISCRETE_GRADIENT_CLUSTERS_H
#define PERP_KERNEL_DISCRETE_GRADIENT_CLUSTERS_H

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/integrators/step_trial.h"

/* What is kept from step to step for the islands of a cluster. */
typedef struct perp_dg_cluster {
    perp_dg dg;
    int taken; /* by a cluster of this step */
} perp_dg_cluster;

/* A cluster of the step that is made. */
typedef struct perp_dg_share {
    perp_step step; /* that step with the systems and interactions of the cluster */
    perp_dg *dg;
    int cluster; /* its memory: made[cluster] */
    int overlaps,
        turned; /* after the Newton loop: contacts overlap; friction turned slips around */
} perp_dg_share;

/* Begins as zeros. */
typedef struct perp_dg_memory {
    perp_trial trial; /* of the trials that choose steps, first (walker.h) */
    perp_pool *pool;
    perp_dg_share *of_step; /* count, by the first system of each, small islands last */
    perp_dg_cluster **made;
    int count, nmade;
    unsigned long version; /* of the lists: what they were made of */
    int scheme, whole;
    perp_system **systems; /* members, cluster by cluster, where there are several */
    perp_link **links;
    int *work;
    int early; /* some island had its impacts at the start of the last step */
    int capacity_of_step, capacity_made, capacity_systems, capacity_links, capacity_work;
} perp_dg_memory;

/* NULL when memory is out. */
perp_dg_memory *perp_dg_memory_of(perp_step *step, int scheme);
/* That of the cluster of a system; NULL when memory is out. */
perp_dg *perp_dg_of(perp_step *step, const perp_system *s);
/* of_step for the systems and interactions of the step that have the scheme; 0: memory is out. */
int perp_dg_find_clusters(perp_dg_memory *memory, perp_step *step, int scheme);
/* A checkpoint is read, and what of it is there. */
void perp_dg_forget_memory(perp_dg_memory *memory);
void perp_dg_walk(struct perp_walk *w, struct perp_stepper *stepper, int scheme);
void perp_dg_release_memory(perp_dg_memory *memory, perp_pool *pool);

#endif
