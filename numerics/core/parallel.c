/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/parallel.h"

#include "core/float_environment.h"

#ifdef _OPENMP
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
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

/* Where the share of thread t in from .. to - 1 begins. */
static int share(int from, int to, int t, int threads)
{
    return from + (int)((long long)(to - from) * t / threads);
}

static void run_share(int from, int to, int t, int threads, perp_piece *work, void *ctx)
{
    int end = share(from, to, t + 1, threads);
    for (int k = share(from, to, t, threads); k < end; k++)
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

/* Larger teams keep to their shares. */
enum { HELPERS = 64 };

/* How far a share is: phase * stride + pieces begun, by its thread or a helper.  What is left from
 * the phase before, with what was counted beyond its end, is below phase * stride.  Each has a line
 * of the cache to itself. */
typedef struct progress {
    atomic_size_t begun;
    char apart[64 - sizeof(atomic_size_t)];
} progress;

typedef struct crew {
    barrier between;
    size_t stride; /* 0: nobody helps */
    progress share[HELPERS];
} crew;

static void begin_crew(crew *c, const int *first, int phases, int threads)
{
    size_t most = 0;
    atomic_init(&c->between.arrived, 0);
    atomic_init(&c->between.turn, 0);
    for (int p = 0; p < phases; p++) {
        size_t count = (size_t)(first[p + 1] - first[p]);
        most = count > most ? count : most;
    }
    most += 3 * (size_t)threads;
    c->stride = threads > HELPERS || most > SIZE_MAX / ((size_t)phases + 1) ? 0 : most;
    for (int t = 0; c->stride && t < threads; t++)
        atomic_init(&c->share[t].begun, 0);
}

/* The next piece of a share of `count` in this phase; count or more: none is left. */
static size_t next_piece(atomic_size_t *begun, size_t base, size_t count)
{
    size_t seen = atomic_load_explicit(begun, memory_order_relaxed);
    while (seen < base)
        if (atomic_compare_exchange_weak_explicit(begun, &seen, base + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
            return 0;
    return seen - base >= count ? count
                                : atomic_fetch_add_explicit(begun, 1, memory_order_relaxed) - base;
}

/* The own share, and then what others have not begun: cores are not equally fast all the time. */
static void run_phase(crew *c, int phase, int from, int to, int t, int team, perp_piece *work,
                      void *ctx)
{
    if (!c->stride || to - from <= team) {
        run_share(from, to, t, team, work, ctx);
        return;
    }
    for (int i = 0; i < team; i++) {
        int o = (t + i) % team, begin = share(from, to, o, team);
        size_t count = (size_t)(share(from, to, o + 1, team) - begin), k;
        while ((k = next_piece(&c->share[o].begun, (size_t)phase * c->stride, count)) < count)
            work(ctx, begin + (int)k, t);
    }
}
#endif

void perp_parallel_phases(int threads, const int *first, int phases, int backward, perp_piece *work,
                          void *ctx)
{
#ifdef _OPENMP
    if (threads > 1) {
        crew c;
        begin_crew(&c, first, phases, threads);
#pragma omp parallel num_threads(threads)
        {
            PERP_HOLD_ENVIRONMENT(); /* each thread has one of its own */
            int t = omp_get_thread_num(), team = omp_get_num_threads();
            for (int i = 0; i < phases; i++) {
                int p = backward ? phases - 1 - i : i;
                run_phase(&c, i + 1, first[p], first[p + 1], t, team, work, ctx);
                if (i + 1 < phases)
                    meet(&c.between, team);
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
    /* The whole team: GNU's OpenMP ends the threads that a smaller one leaves out, and makes new
     * ones for the next. */
    perp_parallel_phases(pieces > 1 ? threads : 1, first, 1, 0, work, ctx);
}
