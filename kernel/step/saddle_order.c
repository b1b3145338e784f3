/* SPDX-License-Identifier: BSD-3-Clause */
/* Minimum degree by a quotient graph: an eliminated node is an element, the list of the nodes that
 * it connects; a node sees other nodes and elements.  The list of an element is also the column of
 * the factor. */
#include "kernel/step/saddle_order.h"

#include <limits.h>
#include <string.h>

enum { ALIVE, ELEMENT, ABSORBED };

static int before(const perp_saddle_order *o, int a, int b)
{
    return o->key[a] != o->key[b] ? o->key[a] < o->key[b] : a < b;
}

static void heap_put(perp_saddle_order *o, int at, int node)
{
    o->heap[at] = node;
    o->heap_at[node] = at;
}

static void heap_settle(perp_saddle_order *o, int at)
{
    int node = o->heap[at];
    for (; at > 0 && before(o, node, o->heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap_put(o, at, o->heap[(at - 1) / 2]);
    for (int child = 2 * at + 1; child < o->heap_size; child = 2 * at + 1) {
        if (child + 1 < o->heap_size && before(o, o->heap[child + 1], o->heap[child]))
            child++;
        if (!before(o, o->heap[child], node))
            break;
        heap_put(o, at, o->heap[child]);
        at = child;
    }
    heap_put(o, at, node);
}

static void heap_set(perp_saddle_order *o, int node, long key)
{
    o->key[node] = key;
    if (o->heap_at[node] < 0)
        heap_put(o, o->heap_size++, node);
    heap_settle(o, o->heap_at[node]);
}

static void heap_remove(perp_saddle_order *o, int node)
{
    int at = o->heap_at[node];
    if (at < 0)
        return;
    o->heap_at[node] = -1;
    if (at == --o->heap_size)
        return;
    heap_put(o, at, o->heap[o->heap_size]);
    heap_settle(o, at);
}

/* A joint may go where its part of the eliminated nodes has a system for it, or where none of the
 * systems around is to come. */
static int may_go(const perp_saddle_order *o, const perp_saddle_graph *g, int node)
{
    const int *list = g->adjacent + g->ptr[node];
    int nodes = o->length[node] - o->elements[node], slack = 0, waiting = nodes;
    if (g->system[node] >= 0)
        return 1;
    for (int k = nodes; k < o->length[node]; k++) {
        slack += o->slack[list[k]];
        waiting += o->waiting[list[k]];
    }
    return waiting == 0 || (slack > 0 && !g->late[node]);
}

/* Unknowns that the elimination of the node would connect; a joint that would connect none goes
 * first, which closes a branch from its tip on. */
static long degree(perp_saddle_order *o, const perp_saddle_graph *g, int node)
{
    const int *list = g->adjacent + g->ptr[node];
    int nodes = o->length[node] - o->elements[node], count = 0;
    long weight = 0;
    o->mark[node] = ++o->stamp;
    for (int k = 0; k < nodes; k++) {
        o->mark[list[k]] = o->stamp;
        weight += g->weight[list[k]];
        count++;
    }
    for (int k = nodes; k < o->length[node]; k++) {
        int place = o->place[list[k]];
        for (int i = o->column_ptr[place]; i < o->column_ptr[place + 1]; i++) {
            int other = o->column[i];
            if (o->mark[other] == o->stamp)
                continue;
            o->mark[other] = o->stamp;
            weight += g->weight[other];
            count++;
        }
    }
    if (g->system[node] < 0 && count <= 1)
        return 0;
    return 2 * weight + (g->system[node] >= 0);
}

static void offer(perp_saddle_order *o, const perp_saddle_graph *g, int node)
{
    if (may_go(o, g, node))
        heap_set(o, node, degree(o, g, node));
    else
        heap_remove(o, node);
}

static int push(perp_saddle_order *o, perp_pool *pool, int count, int node)
{
    if (count == INT_MAX || !perp_pool_grow(pool, (void **)&o->column, &o->capacity_column,
                                            count + 1, sizeof *o->column))
        return 0;
    o->column[count] = node;
    return 1;
}

/* The list of the new element; the marks of this stamp are on it and on the node. */
static int collect(perp_saddle_order *o, const perp_saddle_graph *g, perp_pool *pool, int node,
                   int place)
{
    const int *list = g->adjacent + g->ptr[node];
    int nodes = o->length[node] - o->elements[node], count = o->column_ptr[place];
    o->mark[node] = ++o->stamp;
    for (int k = 0; k < o->length[node]; k++) {
        int from = 0, to = 1;
        if (k >= nodes) {
            int element = list[k];
            from = o->column_ptr[o->place[element]];
            to = o->column_ptr[o->place[element] + 1];
            o->state[element] = ABSORBED;
            o->slack[node] += o->slack[element];
        }
        for (int i = from; i < to; i++) {
            int other = k >= nodes ? o->column[i] : list[k];
            if (o->mark[other] == o->stamp)
                continue;
            o->mark[other] = o->stamp;
            o->waiting[node] += g->system[other] >= 0;
            if (!push(o, pool, count, other))
                return 0;
            count++;
        }
    }
    o->column_ptr[place + 1] = count;
    return 1;
}

/* Of a neighbour: what the new element connects leaves its list, the element enters it.  At least
 * one entry leaves: the node or an element that was absorbed. */
static void prune(perp_saddle_order *o, const perp_saddle_graph *g, int of, int node)
{
    int *list = g->adjacent + g->ptr[of], at = 0;
    int nodes = o->length[of] - o->elements[of];
    for (int k = 0; k < nodes; k++)
        if (o->mark[list[k]] != o->stamp)
            list[at++] = list[k];
    int elements = at;
    for (int k = nodes; k < o->length[of]; k++)
        if (o->state[list[k]] == ELEMENT)
            list[at++] = list[k];
    list[at++] = node;
    o->length[of] = at;
    o->elements[of] = at - elements;
}

static int eliminate(perp_saddle_order *o, const perp_saddle_graph *g, perp_pool *pool, int node,
                     int place)
{
    int system = g->system[node];
    heap_remove(o, node);
    o->order[place] = node;
    o->place[node] = place;
    o->state[node] = ELEMENT;
    o->slack[node] = system < 0 ? -1 : --g->pending[system] == 0 ? g->capacity[system] : 0;
    o->waiting[node] = 0;
    if (!collect(o, g, pool, node, place))
        return 0;
    o->last[place] = o->waiting[node] == 0;
    for (int k = o->column_ptr[place]; k < o->column_ptr[place + 1]; k++)
        prune(o, g, o->column[k], node);
    for (int k = o->column_ptr[place]; k < o->column_ptr[place + 1]; k++)
        offer(o, g, o->column[k]);
    return 1;
}

/* Columns sorted by place, and the same entries by rows. */
static int sort(perp_saddle_order *o, int nodes, perp_pool *pool)
{
    int count = o->column_ptr[nodes];
    if (!perp_pool_grow(pool, (void **)&o->row, &o->capacity_row, count, sizeof *o->row) ||
        !perp_pool_grow(pool, (void **)&o->row_column, &o->capacity_row_column, count,
                        sizeof *o->row_column))
        return 0;
    memset(o->row_ptr, 0, sizeof *o->row_ptr * ((size_t)nodes + 1));
    for (int k = 0; k < count; k++) {
        o->column[k] = o->place[o->column[k]];
        o->row_ptr[o->column[k] + 1]++;
    }
    for (int k = 0; k < nodes; k++) {
        o->row_ptr[k + 1] += o->row_ptr[k];
        o->length[k] = o->row_ptr[k];
        o->elements[k] = o->column_ptr[k];
    }
    for (int j = 0; j < nodes; j++)
        for (int k = o->column_ptr[j]; k < o->column_ptr[j + 1]; k++)
            o->row_column[o->length[o->column[k]]++] = j;
    for (int i = 0; i < nodes; i++)
        for (int k = o->row_ptr[i]; k < o->row_ptr[i + 1]; k++) {
            o->row[k] = o->elements[o->row_column[k]]++;
            o->column[o->row[k]] = i;
        }
    return 1;
}

int perp_saddle_order_make(perp_saddle_order *o, const perp_saddle_graph *g, perp_pool *pool)
{
    int place = 0;
    o->heap_size = o->stamp = 0;
    o->column_ptr[0] = 0;
    for (int k = 0; k < g->nodes; k++) {
        o->length[k] = g->ptr[k + 1] - g->ptr[k];
        o->elements[k] = o->mark[k] = 0;
        o->heap_at[k] = -1;
        o->state[k] = ALIVE;
    }
    for (int part = 0; part < g->parts; part++) {
        for (int k = g->part[part]; k < g->part[part + 1]; k++)
            offer(o, g, k);
        while (o->heap_size > 0)
            if (!eliminate(o, g, pool, o->heap[0], place++))
                return 0;
    }
    return sort(o, g->nodes, pool);
}
