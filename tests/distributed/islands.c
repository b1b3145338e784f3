/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands that lie in several ranks, beside labels that are handed on until nothing changes. */
#include <string.h>

#include "cli/mpi/part_islands.h"
#include "distributed/on_ranks.h"

enum { BODIES = 60, MOST_RANKS = 16, MOST_ISLANDS = 6, SUMS = PERP_PART_SUMS };

/* Of all ranks, on each of them: the island of each body, -1: it is not there. */
typedef struct world {
    int island[MOST_RANKS][BODIES], islands[MOST_RANKS];
    double sums[MOST_RANKS][MOST_ISLANDS][SUMS];
    int label[MOST_RANKS][MOST_ISLANDS];
} world;

static int below(uint64_t *state, int n)
{
    int k = (int)((uniform(state) + 1.0) * 0.5 * n);
    return k < n ? k : n - 1;
}

/* Every third body is in two ranks or three.  Sums of whole numbers have no rounding. */
static void make_world(world *w, uint64_t seed)
{
    for (int r = 0; r < size; r++) {
        w->islands[r] = 1 + below(&seed, MOST_ISLANDS);
        for (int k = 0; k < MOST_ISLANDS; k++)
            for (int i = 0; i < SUMS; i++)
                w->sums[r][k][i] = below(&seed, 1000);
        for (int b = 0; b < BODIES; b++)
            w->island[r][b] = -1;
    }
    for (int b = 0; b < BODIES; b++)
        for (int k = 0; k < (b % 3 ? 1 : 3); k++) {
            int r = below(&seed, size);
            w->island[r][b] = below(&seed, w->islands[r]);
        }
}

static int ranks_of(const world *w, int body)
{
    int count = 0;
    for (int r = 0; r < size; r++)
        count += w->island[r][body] >= 0;
    return count;
}

static void hand_labels_on(world *w)
{
    int changes = 1;
    for (int r = 0; r < size; r++)
        for (int k = 0; k < w->islands[r]; k++)
            w->label[r][k] = MOST_ISLANDS * r + k;
    while (changes) {
        changes = 0;
        for (int b = 0; b < BODIES; b++)
            for (int r = 0; r < size; r++)
                for (int s = 0; s < size; s++) {
                    if (w->island[r][b] < 0 || w->island[s][b] < 0)
                        continue;
                    int *to = &w->label[r][w->island[r][b]], from = w->label[s][w->island[s][b]];
                    changes |= from < *to;
                    *to = from < *to ? from : *to;
                }
    }
}

static double sum_of(const world *w, int label, int i)
{
    double sum = 0.0;
    for (int r = 0; r < size; r++)
        for (int k = 0; k < w->islands[r]; k++)
            sum += w->label[r][k] == label ? w->sums[r][k][i] : 0.0;
    return sum;
}

static void check_world(uint64_t seed)
{
    static world w;
    int here[BODIES], number[BODIES], island[BODIES], shared = 0, right = 1;
    unsigned char presence[BODIES];
    double sums[MOST_ISLANDS][SUMS];
    perp_part_layout layout = {.rank = rank,
                               .ranks = size,
                               .bodies = BODIES,
                               .here = here,
                               .number = number,
                               .presence = presence};
    make_world(&w, seed);
    hand_labels_on(&w);
    for (int b = 0; b < BODIES; b++) {
        number[b] = BODIES - 1 - b;
        presence[b] = PERP_PRESENCE_ABSENT;
        if (w.island[rank][b] < 0)
            continue;
        presence[b] =
            (unsigned char)(ranks_of(&w, b) > 1 ? PERP_PRESENCE_SHARED : PERP_PRESENCE_OWN);
        here[layout.present++] = b;
        if (presence[b] == PERP_PRESENCE_SHARED)
            island[shared++] = w.island[rank][b];
    }
    layout.shared = shared;
    memcpy(sums, w.sums[rank], sizeof sums);
    int bad = perp_part_join_islands(&layout, island, shared, sums[0], w.islands[rank]);
    expect(bad == 0, "islands are joined");
    for (int k = 0; k < w.islands[rank]; k++)
        for (int i = 0; i < SUMS; i++)
            right &= sums[k][i] == sum_of(&w, w.label[rank][k], i);
    expect(right, "sums of islands, seed %d", (int)seed);
    expect(size == 1 || layout.messages > 0.0, "messages are counted");
    /* A rank that is wrong about what it shares: all say so. */
    bad = perp_part_join_islands(&layout, island, shared - (rank == size - 1), sums[0],
                                 w.islands[rank]);
    expect(bad != 0, "a rank that disagrees");
}

void check_islands(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        check_world(seed);
}
