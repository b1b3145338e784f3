/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/factor/ordering.h"

#include <limits.h>
#include <string.h>

#include <suitesparse/amd.h>

#if HAVE_CONFIG_H
#include "config.h"
#endif
#if HAVE_METIS
#include <metis.h>
#include <pthread.h>
#include <stdlib.h>
#endif

#if HAVE_METIS
/* Dissection takes about as long as so many flops per unknown. */
static const double dissection_flops = 2e4;
#endif

/* Pattern of A + A' without the diagonal, lists unsorted. */
typedef struct graph {
    int n;
    int *ptr, *index;
} graph;

static perp_status build_graph(graph *G, const perp_csc *A, perp_arena *arena)
{
    int n = A->cols;
    perp_csc T;
    perp_status status = perp_csc_transpose(&T, A, arena);
    int *seen = PERP_TAKE(arena, int, n);
    G->n = n;
    G->ptr = PERP_TAKE(arena, int, (size_t)n + 1);
    if (status != PERP_SOLVED || arena->failed)
        return PERP_ERR_MEMORY;
    if ((size_t)A->colptr[n] > INT_MAX / 2)
        return PERP_ERR_OVERFLOW;
    G->index = PERP_TAKE(arena, int, 2 * (size_t)A->colptr[n]);
    if (!G->index)
        return PERP_ERR_MEMORY;

    memset(seen, 0xff, (size_t)n * sizeof(int));
    int end = 0;
    for (int j = 0; j < n; j++) {
        const perp_csc *side[2] = {A, &T};
        G->ptr[j] = end;
        seen[j] = j;
        for (int s = 0; s < 2; s++) {
            for (int p = side[s]->colptr[j]; p < side[s]->colptr[j + 1]; p++) {
                int i = side[s]->row[p];
                if (seen[i] != j) {
                    seen[i] = j;
                    G->index[end++] = i;
                }
            }
        }
    }
    G->ptr[n] = end;
    return PERP_SOLVED;
}

/* Counts the columns of L by walking up the elimination tree (Liu). */
static perp_status count_fill(perp_fill *fill, const graph *G, const int *perm, perp_arena *arena)
{
    size_t n = (size_t)G->n;
    int *parent = PERP_TAKE(arena, int, n), *flag = PERP_TAKE(arena, int, n);
    int *inverse = PERP_TAKE(arena, int, n), *below = perp_arena_take_zero(arena, n, sizeof(int));
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < G->n; k++)
        inverse[perm[k]] = k;
    for (int k = 0; k < G->n; k++) {
        parent[k] = -1;
        flag[k] = k;
        for (int p = G->ptr[perm[k]]; p < G->ptr[perm[k] + 1]; p++) {
            int i = inverse[G->index[p]];
            if (i > k)
                continue;
            for (; flag[i] != k; i = parent[i]) {
                if (parent[i] < 0)
                    parent[i] = k;
                below[i]++;
                flag[i] = k;
            }
        }
    }
    fill->nnz = (double)G->n;
    fill->flops = 0.0;
    for (int k = 0; k < G->n; k++) {
        fill->nnz += below[k];
        fill->flops += (double)below[k] * ((double)below[k] + 2.0);
    }
    return PERP_SOLVED;
}

static perp_status order_amd(int *perm, const graph *G)
{
    double control[AMD_CONTROL];
    amd_defaults(control);
    int status = amd_order(G->n, G->ptr, G->index, perm, control, NULL);
    if (status == AMD_OUT_OF_MEMORY)
        return PERP_ERR_MEMORY;
    return status == AMD_OK || status == AMD_OK_BUT_JUMBLED ? PERP_SOLVED : PERP_ERR_STRUCTURE;
}

#if HAVE_METIS
static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

static perp_status order_metis(int *perm, const graph *G, perp_arena *arena)
{
    idx_t n = G->n, options[METIS_NOPTIONS];
    int *inverse = PERP_TAKE(arena, int, n);
    if (!inverse)
        return PERP_ERR_MEMORY;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;

    char random_state[128];
    pthread_mutex_lock(&metis_lock);
    char *callers_state = initstate(1, random_state, sizeof random_state);
    int status = METIS_NodeND(&n, G->ptr, G->index, NULL, options, perm, inverse);
    setstate(callers_state);
    pthread_mutex_unlock(&metis_lock);
    if (status == METIS_ERROR_MEMORY)
        return PERP_ERR_MEMORY;
    return status == METIS_OK ? PERP_SOLVED : PERP_ERR_NUMERICAL;
}
#else
static perp_status order_metis(int *perm, const graph *G, perp_arena *arena)
{
    (void)arena;
    return order_amd(perm, G);
}
#endif

/* Both orderings; the one with fewer flops. */
static perp_status order_best(int *perm, perp_fill *fill, const graph *G, perp_arena *arena)
{
    perp_status status = order_amd(perm, G);
    if (status == PERP_SOLVED)
        status = count_fill(fill, G, perm, arena);
#if HAVE_METIS
    if (status != PERP_SOLVED || fill->flops < dissection_flops * G->n)
        return status;
    perp_fill other;
    int *second = PERP_TAKE(arena, int, G->n);
    status = second ? order_metis(second, G, arena) : PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = count_fill(&other, G, second, arena);
    if (status == PERP_SOLVED && other.flops < fill->flops) {
        memcpy(perm, second, (size_t)G->n * sizeof(int));
        *fill = other;
    }
#endif
    return status;
}

perp_status perp_order(int *perm, perp_fill *fill, const perp_csc *A, perp_ordering_kind ordering,
                       const perp_allocator *allocator)
{
    perp_arena arena;
    graph G;
    perp_arena_init(&arena, allocator);
    perp_status status = build_graph(&G, A, &arena);
    if (status == PERP_SOLVED && ordering == PERP_ORDERING_AUTO) {
        status = order_best(perm, fill, &G, &arena);
    } else if (status == PERP_SOLVED) {
        /* METIS does not accept graphs without edges. */
        int dissect = ordering == PERP_ORDERING_METIS && G.ptr[G.n] > 0;
        status = dissect ? order_metis(perm, &G, &arena) : order_amd(perm, &G);
        if (status == PERP_SOLVED)
            status = count_fill(fill, &G, perm, &arena);
    }
    perp_arena_free(&arena);
    return status;
}
