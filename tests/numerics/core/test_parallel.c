/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces shared by threads: each runs once, phases follow each other, threads help and live on. */
#include <check.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "core/parallel.h"
#include "core/rng.h"

enum { PHASES = 12, PIECES = 4000 };

typedef struct counts {
    const int *first;
    int backward, threads;
    int phase_of[PIECES];
    atomic_int runs[PIECES], done[PHASES], wrong;
} counts;

static void count(void *ctx, int piece, int thread)
{
    counts *c = ctx;
    int p = c->phase_of[piece], before = c->backward ? p + 1 : p - 1;
    if (thread < 0 || thread >= c->threads)
        atomic_fetch_add(&c->wrong, 1);
    if (before >= 0 && before < PHASES &&
        atomic_load(&c->done[before]) != c->first[before + 1] - c->first[before])
        atomic_fetch_add(&c->wrong, 1);
    atomic_fetch_add(&c->runs[piece], 1);
    atomic_fetch_add(&c->done[p], 1);
}

/* Phases of all sizes, among them none and fewer than threads. */
START_TEST(each_piece_once)
{
    static counts c;
    perp_rng rng = {(uint64_t)_i + 1};
    int first[PHASES + 1] = {0}, teams[] = {1, 2, 3, 8, 70};
    c.first = first;
    c.backward = _i % 2;
    c.threads = teams[_i / 2 % 5];
    for (int p = 0; p < PHASES; p++) {
        int most = p % 3 == 0 ? 5 : p % 3 == 1 ? 40 : PIECES / PHASES;
        first[p + 1] = first[p] + (p == 5 ? 0 : perp_rng_below(&rng, most));
        atomic_store(&c.done[p], 0);
        for (int k = first[p]; k < first[p + 1]; k++) {
            c.phase_of[k] = p;
            atomic_store(&c.runs[k], 0);
        }
    }
    atomic_store(&c.wrong, 0);
    perp_parallel_phases(c.threads, first, PHASES, c.backward, count, &c);
    ck_assert_int_eq(atomic_load(&c.wrong), 0);
    for (int k = 0; k < first[PHASES]; k++)
        ck_assert_int_eq(atomic_load(&c.runs[k]), 1);
}
END_TEST

typedef struct slow {
    atomic_int others, late;
} slow;

/* The first piece lasts until all others are done. */
static void wait_for_others(void *ctx, int piece, int thread)
{
    slow *s = ctx;
    time_t begin = time(NULL);
    (void)thread;
    if (piece > 0)
        atomic_fetch_add(&s->others, 1);
    while (piece == 0 && atomic_load(&s->others) < 31 && !atomic_load(&s->late)) {
        sched_yield();
        atomic_store(&s->late, time(NULL) - begin > 20);
    }
}

START_TEST(threads_help)
{
    static slow s;
    if (perp_parallel_threads(2) < 2)
        return;
    perp_parallel_for(2, 32, wait_for_others, &s);
    ck_assert_int_eq(atomic_load(&s.others), 31);
    ck_assert_int_eq(atomic_load(&s.late), 0);
}
END_TEST

static atomic_int threads_seen;
static _Thread_local int seen;

static void look(void *ctx, int piece, int thread)
{
    (void)ctx;
    (void)piece;
    (void)thread;
    if (!seen)
        atomic_fetch_add(&threads_seen, 1);
    seen = 1;
}

/* Few pieces and many in turn. */
START_TEST(threads_live_on)
{
    for (int k = 0; k < 50; k++)
        perp_parallel_for(4, k % 2 ? 3 : 4, look, NULL);
    ck_assert_int_le(atomic_load(&threads_seen), 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parallel");
    TCase *pieces = tcase_create("pieces");
    tcase_add_loop_test(pieces, each_piece_once, 0, 40);
    tcase_add_test(pieces, threads_help);
    tcase_add_test(pieces, threads_live_on);
    tcase_set_timeout(pieces, 60);
    suite_add_tcase(suite, pieces);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
