/* SPDX-License-Identifier: BSD-3-Clause */
/* Short simulations with one fault each, and what the certificate makes of them.
 *
 *     faults [RUNS [SEED]]
 *
 * First every scene without a fault: none may be condemned.  Then RUNS runs (1000), scene, fault,
 * first bad step and amount drawn at random: all have to be "not verified".  A line per kind of
 * fault: runs, caught, how many steps after the fault the first bad step is (median, largest),
 * which measures saw it first; a line for each run that was missed.  Exit status 1 where a clean
 * run was condemned or a fault was missed. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/fault_runs.h"

enum { KINDS = 64, SEEN = 512 };

typedef struct tally {
    int runs, caught;
    long lag[SEEN];
    int lags;
    char seen[256];
} tally;

static uint64_t state;

static double uniform(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

static int clean_runs(void)
{
    int condemned = 0;
    for (int k = 0; k < perp_fault_scenes(); k++) {
        const perp_fault_run run = {.scene = k, .fault = -1};
        perp_fault_result result;
        perp_fault_go(&result, &run);
        const perp_verdict *v = &result.verdict;
        printf("clean  %-26s %-18s %s %ld\n", perp_fault_scene_name(k), perp_verdict_name(v->kind),
               v->first ? v->first : "", v->step);
        condemned += v->kind == PERP_VERDICT_NOT_VERIFIED || result.status != PERP_SOLVED;
    }
    return condemned;
}

static void draw(perp_fault_run *run)
{
    do {
        run->scene = (int)(uniform() * perp_fault_scenes());
        run->fault = (int)(uniform() * perp_fault_kinds());
    } while (!perp_fault_applies(run->scene, run->fault));
    long steps = perp_fault_steps(run->scene);
    run->from = 1 + (long)(uniform() * 0.5 * (double)steps);
    run->amount = perp_fault_amount(run->fault) * pow(10.0, uniform());
}

static void note(tally *t, const perp_fault_run *run, const perp_verdict *v)
{
    t->caught++;
    if (t->lags < SEEN)
        t->lag[t->lags++] = v->step - run->from;
    if (v->first && !strstr(t->seen, v->first))
        snprintf(t->seen + strlen(t->seen), sizeof t->seen - strlen(t->seen), " %s", v->first);
}

static int by_size(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static tally tallies[KINDS];
    int runs = argc > 1 ? atoi(argv[1]) : 1000, missed = 0, early = 0;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int condemned = clean_runs();
    for (int k = 0; k < runs; k++) {
        perp_fault_run run;
        perp_fault_result result;
        draw(&run);
        perp_fault_go(&result, &run);
        const perp_verdict *v = &result.verdict;
        tallies[run.fault].runs++;
        early += v->kind == PERP_VERDICT_NOT_VERIFIED && v->step < run.from;
        if (v->kind == PERP_VERDICT_NOT_VERIFIED) {
            note(&tallies[run.fault], &run, v);
            continue;
        }
        missed++;
        printf("missed %s, %s from step %ld, amount %.2e: %s %s\n",
               perp_fault_scene_name(run.scene), perp_fault_name(run.fault), run.from, run.amount,
               perp_verdict_name(v->kind), v->first ? v->first : "");
    }
    for (int k = 0; k < perp_fault_kinds(); k++) {
        tally *t = &tallies[k];
        qsort(t->lag, (size_t)t->lags, sizeof t->lag[0], by_size);
        if (t->runs > 0)
            printf("%-34s runs %4d caught %4d  late by %ld, at most %ld steps  by%s\n",
                   perp_fault_name(k), t->runs, t->caught, t->lags ? t->lag[t->lags / 2] : -1,
                   t->lags ? t->lag[t->lags - 1] : -1, t->seen);
    }
    printf("%d clean runs condemned, %d of %d faults missed, %d named before they began\n",
           condemned, missed, runs, early);
    return condemned || missed || early;
}
