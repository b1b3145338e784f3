/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/certificate/impacts.h"

#include <string.h>

#define GROW(pool, impacts, array, count)                                                          \
    perp_pool_grow((pool), (void **)&(impacts)->array, &(impacts)->capacity_##array, (count),      \
                   sizeof *(impacts)->array)

void perp_impacts_clear(perp_impacts *impacts, double t, double h)
{
    perp_impacts_shorten(impacts, 0);
    impacts->t = t;
    impacts->h = h;
    impacts->cut = 0;
}

void perp_impacts_shorten(perp_impacts *impacts, int stages)
{
    if (stages >= impacts->nstages)
        return;
    int strike = perp_impacts_first_strike(impacts, stages);
    int jump = perp_impacts_first_jump(impacts, stages);
    int numbers = impacts->nnumbers;
    if (strike < impacts->nstrikes)
        numbers = impacts->strikes[strike].first;
    if (jump < impacts->njumps && impacts->jumps[jump].first < numbers)
        numbers = impacts->jumps[jump].first;
    impacts->nstages = stages;
    impacts->nstrikes = strike;
    impacts->njumps = jump;
    impacts->nnumbers = numbers;
}

int perp_impacts_begin(perp_impacts *impacts, perp_pool *pool, int scheme, perp_impact_kind kind)
{
    if (!GROW(pool, impacts, stages, impacts->nstages + 1))
        return 0;
    impacts->stages[impacts->nstages++] =
        (perp_impact_stage){kind, scheme, impacts->nstrikes, impacts->njumps};
    return 1;
}

/* So many numbers, zero; *first of them. */
static double *take(perp_impacts *impacts, perp_pool *pool, int count, int *first)
{
    if (!GROW(pool, impacts, numbers, impacts->nnumbers + count))
        return NULL;
    *first = impacts->nnumbers;
    impacts->nnumbers += count;
    return memset(impacts->numbers + *first, 0, sizeof(double) * (size_t)count);
}

double *perp_impacts_strike(perp_impacts *impacts, perp_pool *pool, perp_link *link, double at)
{
    int first;
    if (!GROW(pool, impacts, strikes, impacts->nstrikes + 1))
        return NULL;
    double *numbers = take(impacts, pool, 5 * link->rows + 2 * link->relations, &first);
    if (!numbers)
        return NULL;
    impacts->strikes[impacts->nstrikes++] = (perp_strike){link, first, at, 0};
    impacts->stages[impacts->nstages - 1].strikes++;
    return numbers;
}

double *perp_impacts_jump(perp_impacts *impacts, perp_pool *pool, perp_system *s, double time)
{
    int first;
    if (!GROW(pool, impacts, jumps, impacts->njumps + 1))
        return NULL;
    double *numbers = take(impacts, pool, 3 * s->nv, &first);
    if (!numbers)
        return NULL;
    impacts->jumps[impacts->njumps++] = (perp_jump){s, first, time};
    impacts->stages[impacts->nstages - 1].jumps++;
    return numbers;
}
