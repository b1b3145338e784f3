/* SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth of memory, of one thread and of several together.
 *
 *     bandwidth [THREADS,... [MIB]]
 *
 * For each number of threads: GB/s of reading two arrays (16 bytes an entry) and of a = b + s c as
 * in STREAM (24 bytes an entry, those that a cache fetches before it writes not counted).  Three
 * arrays of MIB / 3 (1536 in all) are divided among the threads, each of which fills and uses its
 * own part; all begin together, the slowest ends a pass, and the fastest of ten passes counts.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"

enum { MOST = 256, PASSES = 10 };

typedef struct team {
    pthread_barrier_t barrier;
    size_t entries; /* of each array and thread */
    double seconds[2];
} team;

typedef struct worker {
    team *all;
    int number, failed;
    double sum;
    pthread_t thread;
} worker;

/* Thread 0 looks at the clock between the barriers. */
static void pass(worker *w, int kind, double *a, const double *b, const double *c)
{
    size_t n = w->all->entries;
    double start;

    pthread_barrier_wait(&w->all->barrier);
    start = perp_measure_now();
    if (kind == 0)
        w->sum += perp_measure_dot(b, c, n);
    else
        perp_measure_add(a, b, c, n, 0.5);
    pthread_barrier_wait(&w->all->barrier);
    if (w->number == 0 && perp_measure_now() - start < w->all->seconds[kind])
        w->all->seconds[kind] = perp_measure_now() - start;
}

static void *work(void *argument)
{
    worker *w = argument;
    size_t n = w->all->entries;
    double *all = malloc(3 * n * sizeof *all);

    for (size_t k = 0; all != NULL && k < 3 * n; k++)
        all[k] = (double)(k % 7);
    w->failed = all == NULL;
    for (int k = 0; k < 2 * PASSES; k++)
        if (all != NULL)
            pass(w, k % 2, all, all + n, all + 2 * n);
        else { /* the others wait for it */
            pthread_barrier_wait(&w->all->barrier);
            pthread_barrier_wait(&w->all->barrier);
        }
    w->sum += all != NULL ? all[n / 2] : 0.0;
    free(all);
    return NULL;
}

static int measure(int threads, size_t bytes)
{
    static worker workers[MOST];
    static volatile double kept; /* so that no sum is left out */
    team all = {.entries = bytes / sizeof(double) / 3 / (size_t)threads, .seconds = {1e300, 1e300}};
    int started = 0, failed = 0;

    if (pthread_barrier_init(&all.barrier, NULL, (unsigned)threads) != 0)
        return -1;
    for (int k = 0; k < threads; k++, started++) {
        workers[k] = (worker){.all = &all, .number = k};
        if (pthread_create(&workers[k].thread, NULL, work, &workers[k]) != 0) {
            fprintf(stderr, "bandwidth: no thread %d\n", k + 1);
            exit(2); /* those before it would wait for ever */
        }
    }
    for (int k = 0; k < started; k++) {
        pthread_join(workers[k].thread, NULL);
        failed |= workers[k].failed;
        kept = kept + workers[k].sum;
    }
    pthread_barrier_destroy(&all.barrier);
    if (failed)
        return -1;
    double entries = (double)all.entries * threads;
    printf("%7d %10.1f %10.1f\n", threads, 16e-9 * entries / all.seconds[0],
           24e-9 * entries / all.seconds[1]);
    return 0;
}

int main(int argc, char **argv)
{
    char none[] = "1,2", *list = argc > 1 ? argv[1] : none;
    double mib = argc > 2 ? strtod(argv[2], NULL) : 1536.0;
    int bad = argc > 3 || !(mib >= 1.0 && mib < 1e7);

    if (!bad)
        printf("threads  read GB/s triad GB/s\n");
    for (char *item = strtok(list, ","); !bad && item != NULL; item = strtok(NULL, ",")) {
        int threads = atoi(item);
        bad = threads < 1 || threads > MOST || measure(threads, (size_t)(mib * 1048576.0)) != 0;
    }
    if (bad)
        fprintf(stderr, "usage: bandwidth [THREADS,... [MIB]]\n");
    return bad ? 2 : 0;
}
