/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs without a folder that are saved when they are asked, after each step or now and then: rows,
 * counts of iterations among them, are those of a run that is not saved. */
#include "config.h"
#include <stdio.h>

#include "tests/fixtures/scene_text.h"

/* Balls and a box without friction, a chain whose last joint is redundant and a swing with a stop.
 */
static const char world[] =
    "{\"version\": 1, %s\"time\": {\"until\": 0.24, \"step\": 0.004}, \"gravity\": [0, 0, -9.81], "
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}, "
    "{\"name\": \"ball\", \"mass\": 1, \"position\": [0, 0, 0.1], \"velocity\": [1, 0, 0], "
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}, "
    "{\"name\": \"other\", \"mass\": 2, \"position\": [0.205, 0.01, 0.1], "
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}, "
    "{\"name\": \"box\", \"mass\": 3, \"position\": [0.1, 0, 0.32], "
    "\"shape\": {\"type\": \"box\", \"sides\": [0.4, 0.2, 0.2]}}, "
    "{\"name\": \"post\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [3, 0, 1]}, "
    "{\"name\": \"arm\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [3.5, 0, 1]}], "
    "\"interactions\": [{\"systems\": [\"post\"], \"relation\": {\"type\": \"joint\", \"joint\": "
    "\"pivot\", \"anchor\": [3, 0, 1], \"axis\": [0, 1, 0]}}, "
    "{\"systems\": [\"post\", \"arm\"], \"relation\": {\"type\": \"joint\", \"joint\": \"pivot\", "
    "\"anchor\": [3.2, 0, 1], \"axis\": [0, 1, 0]}}, "
    "{\"systems\": [\"arm\"], \"relation\": {\"type\": \"linear\", \"C\": [[0, 0, 1, 0, 0, 0, 0]], "
    "\"e\": [-0.8]}, \"law\": {\"type\": \"impact\", \"e\": 0.3}}], "
    "\"contacts\": {\"mu\": 0, \"e\": 0.2}, \"record\": {\"quantities\": [\"ball.q\", \"other.q\", "
    "\"box.q\", \"arm.q\", \"energy\", \"solves\", \"iterations\"]}}";

static const char *const schemes[] = {"", "moreau-jean", "generalized-alpha",
                                      "discrete-gradient-adaptive", "moreau-jean-combined-projection"};

typedef struct due {
    int every, asked, said;
} due;

static int is_due(void *ctx)
{
    due *d = ctx;
    int says = d->every > 0 && ++d->asked % d->every == 0;
    d->said += says;
    return says;
}

/* All rows; of malloc(). */
static double *rows_of(int which, due *d, size_t *count)
{
    char text[sizeof world + 100], scheme[100] = "";
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    if (schemes[which][0] != '\0')
        snprintf(scheme, sizeof scheme, "\"schemes\": [{\"name\": \"%s\"}], ", schemes[which]);
    snprintf(text, sizeof text, world, scheme);
    perp_scene *scene = scene_of(text, NULL);
    perp_scene_run_options_init(&options, sizeof options);
    options.keep_rows = 1;
    options.checkpoint_due = is_due;
    options.checkpoint_ctx = d;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    const perp_recorder *recorder = perp_scene_recorder(scene);
    *count = (size_t)perp_recorder_rows(recorder) * (size_t)perp_recorder_columns(recorder);
    double *rows = malloc(*count * sizeof *rows);
    memcpy(rows, perp_recorder_data(recorder), *count * sizeof *rows);
    perp_scene_destroy(scene);
    return rows;
}

START_TEST(saves_change_no_row)
{
    static const int every[] = {1, 2, 7};
    size_t count, again;
    due never = {0};
    double *whole = rows_of(_i, &never, &count);
    for (int k = 0; k < 3; k++) {
        due d = {.every = every[k]};
        double *saved = rows_of(_i, &d, &again);
        ck_assert_int_eq(d.said, 60 / every[k]);
        ck_assert_uint_eq(again, count);
        ck_assert_msg(memcmp(whole, saved, count * sizeof *whole) == 0, "%s, every %d steps",
                      schemes[_i], every[k]);
        free(saved);
    }
    free(whole);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("saved runs");
    TCase *tcase = tcase_create("saved runs");
    tcase_add_loop_test(tcase, saves_change_no_row, 0, sizeof schemes / sizeof schemes[0]);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
