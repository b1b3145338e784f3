/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

int perp_parallel_threads(int wanted)
{
#ifdef _OPENMP
    return wanted > 0 ? wanted : omp_get_max_threads();
#else
    (void)wanted;
    return 1;
#endif
}

/* The share of thread t in from .. to - 1. */
static void run_share(int from, int to, int t, int threads, perp_piece *work, void *ctx)
{
    long long count = to - from;
    int end = from + (int)(count * (t + 1) / threads);
    for (int k = from + (int)(count * t / threads); k < end; k++)
        work(ctx, k, t);
}

void perp_parallel_phases(int threads, const int *first, int phases, int backward, perp_piece *work,
                          void *ctx)
{
#ifdef _OPENMP
    if (threads > 1) {
#pragma omp parallel num_threads(threads)
        {
            int t = omp_get_thread_num(), team = omp_get_num_threads();
            for (int i = 0; i < phases; i++) {
                int p = backward ? phases - 1 - i : i;
                run_share(first[p], first[p + 1], t, team, work, ctx);
#pragma omp barrier
            }
        }
        return;
    }
#endif
    (void)threads;
    for (int i = 0; i < phases; i++) {
        int p = backward ? phases - 1 - i : i;
        run_share(first[p], first[p + 1], 0, 1, work, ctx);
    }
}

void perp_parallel_for(int threads, int pieces, perp_piece *work, void *ctx)
{
    const int first[2] = {0, pieces};
    perp_parallel_phases(threads < pieces ? threads : pieces, first, 1, 0, work, ctx);
}
