/* SPDX-License-Identifier: BSD-3-Clause */
/* What a saddle system consists of: islands, their systems and joints, one node for each. */
#include <limits.h>
#include <string.h>

#include "kernel/step/saddle.h"

/* A diagonal or sparse W of more entries than this is a node for each entry. */
enum { BLOCK_MOST = 16 };

#define TAKE(saddle, type, count)                                                                  \
    ((type *)perp_saddle_take((saddle), (size_t)(count), sizeof(type)))

void *perp_saddle_take(perp_saddle *saddle, size_t count, size_t size)
{
    void *taken = saddle->nheld < PERP_SADDLE_HELD
                      ? perp_pool_take_array(saddle->pool, count ? count : 1, size)
                      : NULL;
    if (taken)
        saddle->held[saddle->nheld++] = taken;
    return taken;
}

static int nodes_of(const perp_system *s)
{
    return s->W.kind == PERP_ITERATION_SPARSE ||
                   (s->W.kind == PERP_ITERATION_DIAGONAL && s->nv > BLOCK_MOST)
               ? s->nv
               : 1;
}

static int root_of(int *root, int k)
{
    while (root[k] != k)
        k = root[k] = root[root[k]];
    return k;
}

/* Each system of a joint once, s->coupled its place; the total of systems over the joints. */
static int list_systems(perp_saddle *saddle, perp_link *const *joints, int njoints, int *root)
{
    int ties = 0;
    saddle->nsystems = 0;
    for (int j = 0; j < njoints; j++)
        for (int k = 0; k < joints[j]->nsystems; k++, ties++) {
            perp_system *s = joints[j]->systems[k];
            if (s->coupled < 0) {
                s->coupled = saddle->nsystems++;
                root[s->coupled] = s->coupled;
            }
            int a = root_of(root, joints[j]->systems[0]->coupled), b = root_of(root, s->coupled);
            root[a > b ? a : b] = a > b ? b : a;
        }
    return ties;
}

/* Numbers the islands in the order of their first systems, and puts systems and joints in the
 * order of the islands. */
static void sort_by_island(perp_saddle *saddle, perp_link *const *joints, int *root, int *next)
{
    int *system_part = saddle->system_part, *joint_part = saddle->joint_part;
    saddle->islands = 0;
    for (int k = 0; k < saddle->nsystems; k++)
        if (root_of(root, k) == k)
            next[k] = saddle->islands++;
    for (int k = 0; k < saddle->nsystems; k++) {
        next[k] = next[root_of(root, k)];
        system_part[next[k] + 1]++;
    }
    for (int j = 0; j < saddle->njoints; j++)
        joint_part[next[joints[j]->systems[0]->coupled] + 1]++;
    for (int k = 0; k < saddle->islands; k++) {
        system_part[k + 1] += system_part[k];
        joint_part[k + 1] += joint_part[k];
    }
    for (int j = 0; j < saddle->njoints; j++) {
        int island = next[joints[j]->systems[0]->coupled];
        int at = joint_part[island]++;
        saddle->joints[at] = joints[j];
        saddle->given[at] = j;
        saddle->order[j] = at;
        for (int k = 0; k < joints[j]->nsystems; k++) {
            perp_system *s = joints[j]->systems[k];
            if (s->island < 0) {
                s->island = island;
                saddle->systems[system_part[island]++] = s;
            }
        }
    }
    for (int k = saddle->islands; k > 0; k--) {
        system_part[k] = system_part[k - 1];
        joint_part[k] = joint_part[k - 1];
    }
    system_part[0] = joint_part[0] = 0;
}

/* Offsets in x and l, and nodes: in each island those of its systems before its joints. */
static int number(perp_saddle *saddle)
{
    long dofs = 0, rows = 0, nodes = 0;
    for (int island = 0; island < saddle->islands; island++) {
        saddle->node_part[island] = (int)nodes;
        for (int k = saddle->system_part[island]; k < saddle->system_part[island + 1]; k++) {
            perp_system *s = saddle->systems[k];
            s->coupled = saddle->system_at[k] = (int)dofs;
            saddle->system_node[k] = (int)nodes;
            saddle->system_sizes[3 * k] = s->nv;
            saddle->system_sizes[3 * k + 1] = (int)s->W.kind;
            saddle->system_sizes[3 * k + 2] = perp_iteration_entries(&s->W);
            dofs += s->nv;
            nodes += nodes_of(s);
            if (dofs > INT_MAX / 2)
                return 0;
        }
        for (int j = saddle->joint_part[island]; j < saddle->joint_part[island + 1]; j++) {
            perp_link *link = saddle->joints[j];
            link->first_row = saddle->joint_at[j] = (int)rows;
            saddle->joint_node[j] = (int)nodes++;
            saddle->joint_sizes[2 * j] = link->rows;
            saddle->joint_sizes[2 * j + 1] = link->nv;
            rows += link->rows;
            if (rows > INT_MAX / 4 || nodes > INT_MAX / 2)
                return 0;
        }
    }
    saddle->dofs = saddle->system_at[saddle->nsystems] = (int)dofs;
    saddle->rows = saddle->joint_at[saddle->njoints] = (int)rows;
    saddle->nodes = saddle->node_part[saddle->islands] = (int)nodes;
    return 1;
}

static int take_nodes(perp_saddle *saddle)
{
    saddle->weight = TAKE(saddle, int, saddle->nodes);
    saddle->node_system = TAKE(saddle, int, saddle->nodes);
    saddle->node_at = TAKE(saddle, int, saddle->nodes);
    saddle->late = TAKE(saddle, unsigned char, saddle->nodes);
    saddle->dof_node = TAKE(saddle, int, saddle->dofs);
    saddle->dependent = TAKE(saddle, unsigned char, saddle->rows);
    if (saddle->dependent)
        memset(saddle->dependent, 0, (size_t)saddle->rows);
    return saddle->weight && saddle->node_system && saddle->node_at && saddle->late &&
           saddle->dof_node && saddle->dependent;
}

static void describe_nodes(perp_saddle *saddle)
{
    int at = 0;
    for (int k = 0; k < saddle->nsystems; k++) {
        int count = nodes_of(saddle->systems[k]), first = saddle->system_node[k];
        for (int i = 0; i < count; i++) {
            saddle->weight[first + i] = count > 1 ? 1 : saddle->systems[k]->nv;
            saddle->node_system[first + i] = k;
            saddle->node_at[first + i] = saddle->system_at[k] + i;
        }
        for (int i = 0; i < saddle->systems[k]->nv; i++)
            saddle->dof_node[saddle->system_at[k] + i] = first + (count > 1 ? i : 0);
        saddle->systems[k]->active_head = k;
    }
    for (int j = 0; j < saddle->njoints; j++) {
        const perp_link *link = saddle->joints[j];
        int node = saddle->joint_node[j], column = 0;
        saddle->weight[node] = link->rows;
        saddle->node_system[node] = -1;
        saddle->node_at[node] = saddle->dofs + saddle->joint_at[j];
        saddle->tie_ptr[j] = at;
        for (int k = 0; k < link->nsystems; k++, at++) {
            saddle->tie_system[at] = link->systems[k]->active_head;
            saddle->tie_column[at] = column;
            column += link->systems[k]->nv;
        }
    }
    saddle->tie_ptr[saddle->njoints] = at;
}

static int take_outline(perp_saddle *saddle, int nsystems, int njoints)
{
    int islands = nsystems + 1;
    saddle->systems = TAKE(saddle, perp_system *, nsystems);
    saddle->joints = TAKE(saddle, perp_link *, njoints);
    saddle->given = TAKE(saddle, int, njoints);
    saddle->order = TAKE(saddle, int, njoints);
    saddle->system_part = TAKE(saddle, int, islands);
    saddle->joint_part = TAKE(saddle, int, islands);
    saddle->node_part = TAKE(saddle, int, islands);
    saddle->system_sizes = TAKE(saddle, int, 3 * (size_t)nsystems);
    saddle->joint_sizes = TAKE(saddle, int, 2 * (size_t)njoints);
    saddle->system_at = TAKE(saddle, int, nsystems + 1);
    saddle->joint_at = TAKE(saddle, int, njoints + 1);
    saddle->system_node = TAKE(saddle, int, nsystems);
    saddle->joint_node = TAKE(saddle, int, njoints);
    saddle->tie_ptr = TAKE(saddle, int, njoints + 1);
    saddle->stiff = TAKE(saddle, unsigned char, njoints);
    return !saddle->pool->failed;
}

perp_status perp_saddle_outline(perp_saddle *saddle, perp_system *const *systems, int nsystems,
                                perp_link *const *joints, int njoints)
{
    for (int k = 0; k < nsystems; k++)
        systems[k]->coupled = systems[k]->island = -1;
    saddle->pool->failed = 0;
    saddle->njoints = njoints;
    int *root = PERP_POOL_ARRAY(saddle->pool, int, 2 * (size_t)nsystems + 1);
    int fits = root && take_outline(saddle, nsystems, njoints), small = 1;
    if (fits) {
        int ties = list_systems(saddle, joints, njoints, root);
        sort_by_island(saddle, joints, root, root + nsystems);
        saddle->tie_system = TAKE(saddle, int, ties);
        saddle->tie_column = TAKE(saddle, int, ties);
        small = number(saddle);
        fits = saddle->tie_system && saddle->tie_column && small && take_nodes(saddle);
    }
    perp_pool_give(saddle->pool, root);
    if (!small)
        return PERP_ERR_OVERFLOW;
    if (!fits)
        return PERP_ERR_MEMORY;
    describe_nodes(saddle);
    saddle->noutline = saddle->nheld;
    return PERP_SOLVED;
}
