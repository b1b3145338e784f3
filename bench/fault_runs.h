/* SPDX-License-Identifier: BSD-3-Clause */
/* Short simulations with one fault each, put in from outside: by a callback of the model that errs,
 * or by a function of the scheme that is exchanged for one that errs.  The library has no switch
 * for faults. */
#ifndef PERP_BENCH_FAULT_RUNS_H
#define PERP_BENCH_FAULT_RUNS_H

#include <perp/kernel.h>

typedef struct perp_fault_run {
    int scene, fault; /* fault -1: none */
    long from;        /* first step with the fault, from 1 */
    double amount;    /* of faults that have one: 1e-4, say */
} perp_fault_run;

typedef struct perp_fault_result {
    perp_status status; /* of the run */
    perp_verdict verdict;
    long steps;
} perp_fault_result;

int perp_fault_scenes(void);
int perp_fault_kinds(void);
const char *perp_fault_scene_name(int scene);
const char *perp_fault_name(int fault);
double perp_fault_amount(int fault); /* smallest that is to be caught; 0: it has none */
/* 1 where the fault means something in the scene. */
int perp_fault_applies(int scene, int fault);
/* Steps that the scene makes. */
long perp_fault_steps(int scene);
/* Makes the run; one at a time in a program. */
perp_status perp_fault_go(perp_fault_result *result, const perp_fault_run *run);

#endif
