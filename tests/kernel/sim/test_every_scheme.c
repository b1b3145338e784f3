/* SPDX-License-Identifier: BSD-3-Clause */
/* Every scheme with every choice and some numbers of every parameter that it reads, on motions with
 * each kind of system, relation and law: the motion is that of the defaults to the order of a step,
 * or it is said why there is none. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/each_choice.h"
#include "tests/fixtures/tape_world.h"

enum { STEPS = 24, FEWER = 8, NUMBERS = 3 };

static const perp_system_id everything = {0, 0};

/* The motion of a case under a scheme; 0 where the scheme does not take it, and says why. */
static int move(tape_world *w, const tape_case *c, const perp_scheme *scheme, const char *choice)
{
    perp_status status = PERP_SOLVED;
    int steps = perp_scheme_chooses_instants(scheme->name) ? FEWER : STEPS;
    tape_world_open(w, c, c->p, NULL);
    ck_assert_int_eq(perp_sim_set_scheme(w->r.sim, everything, scheme), PERP_SOLVED);
    for (int k = 0; k < steps && status == PERP_SOLVED; k++)
        status = perp_sim_step(w->r.sim);
    const perp_step_info *info = perp_sim_info(w->r.sim);
    if (status == PERP_SOLVED)
        return 1;
    if (status == PERP_STEP_LIMIT) {
        ck_assert_msg(strstr(scheme->name, "-adaptive") || strstr(scheme->name, "-extrapolated"),
                      "%s, %s, %s: %s", scheme->name, c->name, choice, info->detail);
        ck_assert_ptr_nonnull(strstr(info->detail, "times the tolerance"));
    } else {
        ck_assert_msg(status == PERP_ERR_UNSUPPORTED, "%s, %s, %s: %s: %s", scheme->name, c->name,
                      choice, perp_status_name(status), info->detail);
        if (strcmp(info->where.what, choice) != 0) { /* CVODE is not there */
            ck_assert_str_eq(info->where.what, "interaction");
            ck_assert_int_ge(info->where.index, 0);
            ck_assert_ptr_nonnull(strstr(info->detail, scheme->name));
        }
    }
    tape_world_close(w);
    return 0;
}

static double distance(const tape_world *a, const tape_world *b)
{
    double dq[TAPE_DOFS], dv[TAPE_DOFS], most = 0.0;
    tape_world_difference(dq, dv, a, b);
    for (int i = 0; i < tape_world_dofs(a); i++)
        most = fmax(most, isnan(dq[i]) ? HUGE_VAL : fabs(dq[i]));
    return most;
}

typedef struct beside {
    const tape_case *c;
    const tape_world *plain; /* by the defaults */
    perp_scheme scheme;
} beside;

/* A threshold that is no small one is another mechanism, and steps without a smallest one have no
 * end at an impact. */
static int is_threshold(const perp_setting_info *info)
{
    return strcmp(info->name, "activate") == 0 || strcmp(info->name, "h_min") == 0 ||
           strstr(info->name, "tol") != NULL;
}

static void with_choice(void *ctx, const perp_setting_info *info, const char *text)
{
    const beside *by = ctx;
    tape_world w;
    perp_scheme scheme = by->scheme;
    if (is_threshold(info))
        return;
    ck_assert_int_eq(perp_scheme_set(&scheme, info->name, text), PERP_SOLVED);
    if (!move(&w, by->c, &scheme, info->name))
        return;
    double apart = distance(&w, by->plain);
    ck_assert_msg(apart <= 8.0 * by->c->h, "%s, %s: %s=%s is %g from the motion of the defaults",
                  scheme.name, by->c->name, info->name, text, apart);
    tape_world_close(&w);
}

START_TEST(every_choice_of_every_parameter)
{
    perp_scheme plain = rig_scheme("moreau-jean", "");
    int inner = perp_scheme_chooses_instants(perp_scheme_at(_i)) &&
                choice_is_read(perp_scheme_reads(perp_scheme_at(_i)), "at_h_min");
    beside by = {.scheme = rig_scheme(perp_scheme_at(_i),
                                      inner ? "at_h_min=accept h_min=0.05 atol=1e-2" : "")};
    for (int k = 0; k < tape_case_count(); k++) {
        tape_world first, own;
        by.c = tape_case_at(k);
        by.plain = &own;
        if (!move(&own, by.c, &by.scheme, "defaults"))
            continue;
        ck_assert(move(&first, by.c, &plain, "defaults"));
        if (!perp_scheme_chooses_instants(by.scheme.name))
            ck_assert_double_le(distance(&own, &first), 0.3);
        tape_world_close(&first);
        choice_each(perp_scheme_parameter_at, perp_scheme_reads(by.scheme.name), NUMBERS,
                    with_choice, &by);
        tape_world_close(&own);
    }
}
END_TEST

int main(void)
{
    int count = 0;
    while (perp_scheme_at(count))
        count++;
    Suite *suite = suite_create("every scheme");
    TCase *tests = tcase_create("choices");
    tcase_add_loop_test(tests, every_choice_of_every_parameter, 0, count);
    tcase_set_timeout(tests, 200);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
