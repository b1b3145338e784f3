/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/parallel.h"

#include "core/float_environment.h"

#ifdef _OPENMP
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
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

#ifdef _OPENMP
/* Phases are shorter than the sleep and waking of a thread; but one whose mate is not on a core
 * gives its own away. */
enum { SPINS = 4000 };

typedef struct barrier {
    atomic_int arrived, turn;
} barrier;

static inline void rest(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void meet(barrier *b, int team)
{
    int turn = atomic_load_explicit(&b->turn, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) == team - 1) {
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&b->turn, turn + 1, memory_order_release);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&b->turn, memory_order_acquire) == turn; spins++) {
        if (spins < SPINS) {
            rest();
        } else {
            sched_yield();
            spins = SPINS;
        }
    }
}
#endif

void perp_parallel_phases(int threads, const int *first, int phases, int backward, perp_piece *work,
                          void *ctx)
{
#ifdef _OPENMP
    if (threads > 1) {
        barrier between;
        atomic_init(&between.arrived, 0);
        atomic_init(&between.turn, 0);
#pragma omp parallel num_threads(threads)
        {
            PERP_HOLD_ENVIRONMENT(); /* each thread has one of its own */
            int t = omp_get_thread_num(), team = omp_get_num_threads();
            for (int i = 0; i < phases; i++) {
                int p = backward ? phases - 1 - i : i;
                run_share(first[p], first[p + 1], t, team, work, ctx);
                if (i + 1 < phases)
                    meet(&between, team);
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
