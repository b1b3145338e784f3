/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulations with a fault put in from outside: the certificate condemns every one, names a step
 * at or after the fault, and condemns none without a fault.  bench/faults makes many more. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "bench/fault_runs.h"

START_TEST(clean_runs_stand)
{
    const perp_fault_run run = {.scene = _i, .fault = -1};
    perp_fault_result result;
    ck_assert_int_eq(perp_fault_go(&result, &run), PERP_SOLVED);
    ck_assert_int_eq(result.status, PERP_SOLVED);
    ck_assert_msg(result.verdict.kind != PERP_VERDICT_NOT_VERIFIED, "%s: %s in step %ld",
                  perp_fault_scene_name(_i), result.verdict.first, result.verdict.step);
    ck_assert_int_eq(result.verdict.stopped, PERP_SOLVED);
    ck_assert_int_eq(result.verdict.steps, perp_fault_steps(_i));
}
END_TEST

/* Each fault that means something in the scene, at its smallest, from three steps on. */
START_TEST(faults_are_caught)
{
    for (int fault = 0; fault < perp_fault_kinds(); fault++) {
        if (!perp_fault_applies(_i, fault))
            continue;
        for (long part = 0; part < 3; part++) {
            const perp_fault_run run = {.scene = _i,
                                        .fault = fault,
                                        .from = (part + 1) * perp_fault_steps(_i) / 8,
                                        .amount = perp_fault_amount(fault)};
            perp_fault_result result;
            ck_assert_int_eq(perp_fault_go(&result, &run), PERP_SOLVED);
            const perp_verdict *verdict = &result.verdict;
            ck_assert_msg(verdict->kind == PERP_VERDICT_NOT_VERIFIED, "%s, %s from %ld: %s",
                          perp_fault_scene_name(_i), perp_fault_name(fault), run.from,
                          perp_verdict_name(verdict->kind));
            ck_assert_ptr_nonnull(verdict->first);
            ck_assert_int_ge(verdict->step, run.from);
        }
    }
}
END_TEST

/* What the scheme does wrong is seen in the step in which it does. */
START_TEST(the_step_is_named)
{
    static const char *const at_once[] = {"wrong mass", "step length off", "position moved",
                                          "force off", "gyroscopic term left out"};
    int runs = 0;
    for (int scene = 0; scene < perp_fault_scenes(); scene++)
        for (int fault = 0; fault < perp_fault_kinds(); fault++) {
            const perp_fault_run run = {
                .scene = scene, .fault = fault, .from = 100, .amount = perp_fault_amount(fault)};
            perp_fault_result result;
            size_t k = 0;
            while (k < 5 && strcmp(at_once[k], perp_fault_name(fault)) != 0)
                k++;
            if (k == 5 || !perp_fault_applies(scene, fault))
                continue;
            ck_assert_int_eq(perp_fault_go(&result, &run), PERP_SOLVED);
            ck_assert_str_eq(result.verdict.first, "dynamics");
            ck_assert_int_eq(result.verdict.step, run.from);
            ck_assert_str_eq(result.verdict.where.what, "system");
            runs++;
        }
    ck_assert_int_gt(runs, 15);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faults");
    TCase *tc = tcase_create("certificate");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, clean_runs_stand, 0, perp_fault_scenes());
    tcase_add_loop_test(tc, faults_are_caught, 0, perp_fault_scenes());
    tcase_add_test(tc, the_step_is_named);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
