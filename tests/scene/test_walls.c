/* SPDX-License-Identifier: BSD-3-Clause */
/* A wall of bricks at rest, more contacts than most tests have: each step is solved, by sweeps
 * alone, and nothing moves. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <perp/scene.h>

enum { COURSES = 10, STEPS = 10, CONTACTS = 1000, MOST = 20000 };

static int brick(char *text, int at, double x, double length, int course)
{
    return snprintf(text + at, (size_t)(MOST - at),
                    ", {\"position\": [%g, 0, %g], \"density\": 1500, "
                    "\"shape\": {\"type\": \"box\", \"sides\": [%g, 0.1, 0.1]}}",
                    x, 0.1 * course + 0.05, length);
}

static perp_scene *wall(void)
{
    static char text[MOST];
    int at = snprintf(text, sizeof text,
                      "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.005}, "
                      "\"gravity\": [0, 0, -9.81], \"contacts\": {\"mu\": 0.6}, "
                      "\"bodies\": [{\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}");
    for (int course = 0; course < COURSES; course++) {
        int odd = course % 2;
        for (int i = 0; i < COURSES - odd; i++)
            at = at + brick(text, at, 0.2 * i + (odd ? 0.2 : 0.1), 0.2, course);
        if (odd) {
            at = at + brick(text, at, 0.05, 0.1, course);
            at = at + brick(text, at, 0.2 * COURSES - 0.05, 0.1, course);
        }
    }
    ck_assert_int_lt(at + 3, MOST);
    snprintf(text + at, (size_t)(MOST - at), "]}");
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    ck_assert_msg(perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    return scene;
}

START_TEST(a_wall_rests)
{
    perp_scene *scene = wall();
    perp_sim *sim = perp_scene_sim(scene);
    double work = 0.0;
    for (int k = 0; k < STEPS; k++) {
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
        const perp_step_info *info = perp_sim_info(sim);
        ck_assert_int_gt(info->active, CONTACTS);
        ck_assert_int_eq(info->halvings, 0);
        ck_assert_double_le(info->solver->error, perp_scene_tol(scene));
        work += info->solver->work;
    }
    /* Some thousand sweeps for the first step, a few hundred at most for one after it. */
    ck_assert_double_lt(work, 20000.0);
    for (int k = 0; k < perp_scene_systems(scene); k++) {
        perp_scene_system_info info = {.size = sizeof info};
        double *v = NULL;
        perp_scene_system(scene, k, &info);
        if (info.kind == PERP_SCENE_BODY)
            perp_model_state(perp_scene_model(scene), info.id, NULL, &v, NULL, NULL);
        for (int i = 0; v && i < info.nv; i++)
            ck_assert_double_le(fabs(v[i]), 1e-7);
    }
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("walls");
    TCase *tcase = tcase_create("walls");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, a_wall_rests);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
