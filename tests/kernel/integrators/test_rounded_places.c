/* SPDX-License-Identifier: BSD-3-Clause */
/* discrete-gradient with joints and a tolerance below what rounding of places leaves in the rates
 * of contacts: rows that joints press against each other then contradict each other by that, no
 * impulse changes it, and a solver that is to come below it would go round for ever. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include <perp/collide.h>

#include "tests/fixtures/mechanism.h"

enum { LINKS = 6, STEPS = 180 };
static const double H = 1e-3;

typedef struct walker {
    mechanism m;
    perp_collider *collider;
    long iterations; /* of all solves */
} walker;

static int count(void *ctx, const perp_progress *progress)
{
    walker *w = ctx;
    w->iterations += progress->iteration > 0;
    return 0;
}

/* A chain of six bodies on pivots; the first and the last are feet, boxes with four corners on the
 * ground. */
static void build(walker *w)
{
    static const double height[LINKS] = {0.02 - 1e-7, 0.2, 0.45, 0.45, 0.2, 0.02 - 1e-7};
    const double foot[] = {0.08, 0.05, 0.02}, up[] = {0.0, 0.0, 1.0}, origin[] = {0.0, 0.0, 0.0};
    const double inertia[] = {0.01, 0.01, 0.01}, across[] = {0.0, 1.0, 0.0};
    mechanism *m = &w->m;
    mechanism_open(m, "");
    ck_assert_int_eq(perp_collider_create(&w->collider, m->run.model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_material(w->collider, 0, 0, 0.0, 0.5), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_add_plane(w->collider, origin, up, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < LINKS; k++) {
        const double position[] = {0.15 * k, 0.0, height[k]};
        mechanism_body(m, 1.0, inertia, position, NULL);
        if (k % 5 == 0)
            ck_assert_int_eq(perp_collider_add_box(w->collider, m->body[k], foot, NULL, NULL),
                             PERP_SOLVED);
        if (k == 0)
            continue;
        const double anchor[] = {0.15 * k - 0.075, 0.0, 0.5 * (height[k] + height[k - 1])};
        mechanism_join(m, PERP_JOINT_PIVOT, k - 1, k, anchor, across);
    }
}

static void start(walker *w, double tol)
{
    perp_sim_options options;
    perp_settings settings;
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    settings.progress = count;
    settings.progress_ctx = w;
    options.settings = &settings;
    options.h = w->m.h = H;
    ck_assert_int_eq(perp_sim_create(&w->m.run.sim, w->m.run.model, &options, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(w->m.run.sim, (perp_system_id){0, 0}, &w->m.run.scheme),
                     PERP_SOLVED);
    perp_sim_set_before_step(w->m.run.sim, perp_collider_step, w->collider);
}

static void finish(walker *w)
{
    perp_collider_destroy(w->collider);
    mechanism_close(&w->m);
}

/* Tolerances; iterations of the solvers in a step, on average, at most. */
static const struct {
    double tol, mean;
} asked[] = {{1e-8, 5.0}, {1e-11, 20.0}, {1e-12, 40.0}, {1e-14, 40.0}};
enum { ASKED = sizeof asked / sizeof asked[0] };

START_TEST(ends_at_rounding)
{
    static walker w;
    double tol = asked[_i].tol, most = 0.0, opening = 0.0;
    w.iterations = 0;
    build(&w);
    start(&w, tol);
    for (int k = 0; k < STEPS; k++) {
        mechanism_step(&w.m);
        const perp_step_info *info = perp_sim_info(w.m.run.sim);
        ck_assert_int_eq(info->status, PERP_SOLVED);
        ck_assert_int_eq(info->halvings, 0);
        /* The solver itself says what it did: no error above the tolerance is called solved. */
        ck_assert_int_eq(info->solver->status == PERP_SOLVED, info->solver->error <= tol);
        most = fmax(most, info->solver->error);
        opening = fmax(opening, mechanism_opening(&w.m));
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "tol %g: %.1f iterations a step, error %.2g at most\n", tol,
                (double)w.iterations / STEPS, most);
    /* 64 roundings of the farthest place in a step, beside the impulses of the weight */
    ck_assert_double_le(most, fmax(tol, 64.0 * DBL_EPSILON * 0.83 / H / 0.02));
    ck_assert_double_le((double)w.iterations, asked[_i].mean * STEPS);
    ck_assert_double_le(opening, 1e-10 * 0.075); /* of the shortest arm */
    finish(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("places that are rounded");
    TCase *tcase = tcase_create("joints");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, ends_at_rounding, 0, ASKED);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
