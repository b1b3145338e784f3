/* SPDX-License-Identifier: BSD-3-Clause */
/* A solve that its callback stops ends the step at its start, though it may be within the tolerance
 * by then: made again, the step has the bits that it has where nothing stops it. */
#include <stdlib.h>

#include "tests/fixtures/ball_pile.h"

enum { STEPS = 14, MOST = 60 };

static long calls, stop_at;

static int count(void *ctx, const perp_progress *progress)
{
    (void)ctx;
    (void)progress;
    return ++calls == stop_at;
}

static const struct {
    const char *scheme;
    double tol, pitch; /* between balls of diameter 0.2 */
} cases[] = {{"discrete-gradient", 1e-8, 0.198},
             {"discrete-gradient", 1e-4, 0.198},
             {"discrete-gradient-adaptive", 1e-8, 0.21},
             {"moreau-jean", 1e-8, 0.198},
             {"generalized-alpha", 1e-8, 0.198}};

/* Another simulation in the place of the first, whose solves ask. */
static void watch(world *w, const char *scheme_name)
{
    perp_sim_options options;
    perp_scheme scheme;
    perp_sim_options_init(&options, sizeof options);
    w->settings.progress = count;
    options.settings = &w->settings;
    options.h = 5e-3;
    perp_sim_destroy(w->sim);
    ck_assert_int_eq(perp_sim_create(&w->sim, w->model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_init(&scheme, scheme_name, sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(w->sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
    perp_sim_set_before_step(w->sim, perp_collider_step, w->collider);
}

/* The states after all steps, of which some was stopped where `stop` says so; 1: it was. */
static int run(double *state, int which, long stop)
{
    world w;
    const ball_pile pile = {3.0, 1.0, cases[which].pitch, 1e-3, cases[which].tol};
    int stopped = 0;
    calls = 0;
    stop_at = stop;
    open_pile(&w, &pile, cases[which].scheme);
    watch(&w, cases[which].scheme);
    for (int k = 0; k < STEPS; k++) {
        double before[BALLS * STATE];
        read_states(&w, before);
        perp_status status = perp_sim_step(w.sim);
        if (status == PERP_INTERRUPTED) {
            read_states(&w, state);
            ck_assert_msg(memcmp(before, state, sizeof before) == 0, "stop %ld", stop);
            stopped = 1;
            status = perp_sim_step(w.sim);
        }
        ck_assert_msg(status == PERP_SOLVED, "step %d: %s, %s", k, perp_status_name(status),
                      perp_sim_info(w.sim)->detail);
    }
    read_states(&w, state);
    close_world(&w);
    return stopped;
}

START_TEST(steps_are_made_again)
{
    double whole[BALLS * STATE], again[BALLS * STATE];
    ck_assert_int_eq(run(whole, _i, 0), 0);
    long all = calls, stride = all / MOST + 1;
    ck_assert_int_gt(all, STEPS);
    for (long stop = 1; stop <= all; stop += stride) {
        ck_assert_msg(run(again, _i, stop), "call %ld of %ld stops nothing", stop, all);
        ck_assert_msg(memcmp(whole, again, sizeof whole) == 0, "stopped at call %ld of %ld", stop,
                      all);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stopped solves");
    TCase *tcase = tcase_create("stopped solves");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, steps_are_made_again, 0, sizeof cases / sizeof cases[0]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
