/* SPDX-License-Identifier: BSD-3-Clause */
/* perp verify and the staged impacts of a run: clean ones hold, changed ones do not. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>
#include <perp/scene.h>
#include <perp/verify.h>

#include "tests/fixtures/run_folder.h"

/* Balls and a box in flight and on the floor, masses in a row between stops. */
static const char text[] =
    "{\"version\": 1, \"time\": {\"until\": 0.6, \"step\": 0.004}, \"gravity\": [0, 0, -9.81], "
    "\"systems\": [{\"name\": \"row\", \"type\": \"lagrangian\", \"M\": {\"diagonal\": [1, 2, "
    "0.5]}, "
    "\"q0\": [0, 0.1, 0.2], \"v0\": [3, 0, 0]}], "
    "\"interactions\": [{\"name\": \"stops\", \"systems\": [\"row\"], \"relation\": {\"type\": "
    "\"linear\", \"C\": [[1, 0, 0], [-1, 1, 0], [0, -1, 1], [0, 0, -1]], \"e\": [0.1, -0.05, "
    "-0.05, "
    "0.4]}, \"law\": {\"type\": \"impact\", \"e\": 0.9}}], "
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}, "
    "{\"name\": \"one\", \"mass\": 1, \"position\": [0, 0, 0.2], \"velocity\": [1, 0, -1], "
    "\"angular\": [0, -9, 2], \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}, "
    "{\"name\": \"two\", \"mass\": 2, \"position\": [0.3, 0, 0.2], \"velocity\": [-1, 0.1, -0.4], "
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.12}}, "
    "{\"name\": \"box\", \"mass\": 3, \"position\": [0, 1, 0.4], \"angular\": [3, 1, 0], "
    "\"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.3, 0.2]}}], "
    "\"contacts\": {\"e\": 0.8, \"mu\": 0.2}, \"frames\": {\"every\": 0}, "
    "\"record\": {\"certify\": true}}";

static void run(void)
{
    run_folder_run_text(text);
}

static perp_check impacts_of(perp_verification **found)
{
    perp_check check = {.size = sizeof check};
    int k = 0;
    ck_assert_int_eq(perp_verify_folder(found, run_folder, NULL, NULL), PERP_SOLVED);
    while (perp_verification_check(*found, k, &check) == PERP_SOLVED &&
           strcmp(check.name, "impacts") != 0)
        k++;
    ck_assert_str_eq(check.name, "impacts");
    return check;
}

START_TEST(a_run_holds)
{
    perp_verification *found;
    perp_check check = impacts_of(&found);
    ck_assert_int_eq(check.known, 1);
    ck_assert_msg(perp_verification_holds(found), "impacts %g, %s", check.worst, check.where);
    perp_verification_destroy(found);
}
END_TEST

/* Each line N of those that the pattern finds; the check must name its time. */
static const struct {
    const char *file, *pattern, *change;
} changes[] = {
    {"impacts.csv", ",newton,stops,", "for (i = 25; i <= 27; i++) $i *= 1.0001"},
    {"impacts.csv", ",newton,,", "for (i = 25; i <= 27; i++) $i *= 1.0001"},
    {"impacts.csv", ",newton,stops,", "next"},
    {"impacts.csv", ",newton,,", "next"},
    {"impacts.csv", ",newton,,", "for (i = 34; i <= 36; i++) $i *= 1.0001"},
    {"impacts.csv", ",newton,,", "$14 = 0"},
    {"impacts.csv", ",newton,,", "$18 = 0.99"},
    {"scene.json", "\"e\": 0.8", "sub(/\"e\": 0.8/, \"\\\"e\\\": 0.801\")"},
    {"scene.json", "\"e\": 0.9", "sub(/\"e\": 0.9/, \"\\\"e\\\": 0.899\")"},
    {"scene.json", "\"mu\": 0.2", "sub(/\"mu\": 0.2/, \"\\\"mu\\\": 0.19\")"},
};

/* The line of a file that matches for the time-th time, or a file of one line. */
static void change(const char *file, const char *pattern, int time, const char *what)
{
    char command[800];
    snprintf(command, sizeof command,
             "cd '%s' && awk -F, -v OFS=, -v CONVFMT=%%.17g -v OFMT=%%.17g "
             "'/%s/ && ++n == %d || /%s/ && FILENAME ~ /json/ {%s} {print}' %s > new && mv new %s",
             run_folder, pattern, time, pattern, what, file, file);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(changes_are_found)
{
    perp_verification *found;
    change(changes[_i].file, changes[_i].pattern, 2, changes[_i].change);
    perp_check check = impacts_of(&found);
    ck_assert_msg(check.contradicted, "change %d: %g", _i, check.worst);
    ck_assert_int_ge(check.row, 1);
    perp_verification_destroy(found);
}
END_TEST

/* Numbers that no run writes.  What names rows that its matrix does not have, is refused; a point
 * of a system that is no body tells no rates, and is no reason to look for any. */
static const struct {
    const char *change;
    perp_status status;
} hostile[] = {
    {"$5 = 4", PERP_ERR_FORMAT},    {"$5 = -1", PERP_ERR_FORMAT},
    {"$5 = 1e11", PERP_ERR_FORMAT}, {"$5 = 100000000", PERP_ERR_FORMAT},
    {"$11 = 0", PERP_ERR_FORMAT},   {"$11 = -1e300", PERP_ERR_FORMAT},
    {"$11 = 5", PERP_ERR_FORMAT},   {"$5 = 2; $11 = 2", PERP_ERR_FORMAT},
    {"$12 = 1", PERP_SOLVED},       {"$2 = 1e11", PERP_SOLVED},
    {"$10 = 1e308", PERP_SOLVED},   {"$4 = \"\"; $6 = $7 = \"row\"; $12 = 1", PERP_SOLVED},
};

/* The same under Poisson's law, whose impacts are two stages each. */
static void run_poisson(void)
{
    static const char scheme[] =
        "{\"schemes\": [{\"name\": \"discrete-gradient\", \"impacts\": \"poisson\"}], ";
    char both[sizeof scheme + sizeof text];
    snprintf(both, sizeof both, "%s%s", scheme, text + 1);
    run_folder_run_text(both);
}

static const struct {
    const char *file, *pattern, *change;
} poisson_changes[] = {
    {"impacts.csv", ",compression,stops,", "for (i = 25; i <= 27; i++) $i *= 1.0001"},
    {"impacts.csv", ",expansion,stops,", "for (i = 25; i <= 27; i++) $i *= 1.0001"},
    {"impacts.csv", ",compression,,", "for (i = 25; i <= 27; i++) $i *= 1.0001"},
    {"impacts.csv", ",expansion,,", "for (i = 25; i <= 27; i++) $i *= 1.0001"},
    {"impacts.csv", ",compression,stops,", "next"},
    {"impacts.csv", ",expansion,stops,", "next"},
    {"impacts.csv", ",compression,,", "next"},
    {"impacts.csv", ",expansion,,", "for (i = 31; i <= 33; i++) $i *= 1.0001"},
    {"impacts.csv", ",expansion,,", "for (i = 34; i <= 36; i++) $i = $i * 1.0001 + 1e-4"},
    {"impacts.csv", ",compression,,", "for (i = 34; i <= 36; i++) $i += 1e-4"},
    {"scene.json", "\"e\": 0.8", "sub(/\"e\": 0.8/, \"\\\"e\\\": 0.801\")"},
    {"scene.json", "\"e\": 0.9", "sub(/\"e\": 0.9/, \"\\\"e\\\": 0.899\")"},
};

START_TEST(changes_of_two_phases_are_found)
{
    perp_verification *found;
    change(poisson_changes[_i].file, poisson_changes[_i].pattern, 2, poisson_changes[_i].change);
    perp_check check = impacts_of(&found);
    ck_assert_msg(check.contradicted, "change %d: %g", _i, check.worst);
    ck_assert_int_ge(check.row, 1);
    perp_verification_destroy(found);
}
END_TEST

START_TEST(hostile_numbers_are_survived)
{
    perp_verification *found = NULL;
    perp_scene_error error = {.size = sizeof error};
    change("impacts.csv", ",newton,stops,", 2, hostile[_i].change);
    perp_status status = perp_verify_folder(&found, run_folder, NULL, &error);
    ck_assert_msg(status == hostile[_i].status, "%s: %d, %s", hostile[_i].change, status,
                  error.text);
    if (status == PERP_ERR_FORMAT)
        ck_assert_ptr_nonnull(strstr(error.text, "is no impact"));
    perp_verification_destroy(found);
}
END_TEST

/* Without gravity: a plate that is accelerated and one that comes with a constant speed, each with
 * a ball before it, and the same with stops of masses; two balls far away that move on together and
 * come to touch, all but for what rounding stands for.  The accelerated ones come to touch in the
 * second step, slower than their acceleration makes it. */
static const char moved[] =
    "{\"version\": 1, \"time\": {\"until\": 0.2, \"step\": 0.004}, "
    "\"systems\": [{\"name\": \"masses\", \"type\": \"lagrangian\", \"M\": {\"diagonal\": [1, 2]}, "
    "\"q0\": [0, 0.01], \"v0\": [0, 0]}], "
    "\"interactions\": [{\"name\": \"stops\", \"systems\": [\"masses\"], \"relation\": {\"type\": "
    "\"linear\", \"C\": [[1, 0], [0, 1]], \"e\": [7e-5, 0], \"motion\": [{\"row\": 0, "
    "\"polynomial\": [0, -0.005, 2.5]}, {\"row\": 1, \"polynomial\": [0, 0.7]}]}, "
    "\"law\": {\"type\": \"impact\", \"e\": 0.9}}], "
    "\"bodies\": [{\"name\": \"pushing\", \"position\": [0, 0, -0.10007], \"motion\": {\"slide\": "
    "{\"axis\": [0, 0, 1], \"polynomial\": [0, -0.005, 2.5]}}, "
    "\"shape\": {\"type\": \"box\", \"sides\": [1, 1, 0.2]}}, "
    "{\"name\": \"pushed\", \"mass\": 1, \"position\": [0, 0, 0.1], "
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}, "
    "{\"name\": \"coming\", \"position\": [3, 0, -0.11], \"motion\": {\"slide\": "
    "{\"axis\": [0, 0, 1], \"polynomial\": [0, 0.7]}}, "
    "\"shape\": {\"type\": \"box\", \"sides\": [1, 1, 0.2]}}, "
    "{\"name\": \"hit\", \"mass\": 1, \"position\": [3, 0, 0.1], "
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}, "
    "{\"name\": \"left\", \"mass\": 1, \"position\": [1000, 5, 5], \"velocity\": [1, 0, 0], "
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.5}}, "
    "{\"name\": \"right\", \"mass\": 1, \"position\": [1001.0000000000015, 5, 5], "
    "\"velocity\": [0.9999999999, 0, 0], \"shape\": {\"type\": \"sphere\", \"radius\": 0.5}}], "
    "\"contacts\": {\"e\": 0.8, \"mu\": 0}, \"frames\": {\"every\": 0}, "
    "\"record\": {\"certify\": true}}";

static void run_moved(void)
{
    run_folder_run_text(moved);
}

static const struct {
    const char *pattern;
} gone[] = {{",newton,stops,"}, {",newton,,.*(hit|coming)"}};

/* What pushes strikes nothing; that what comes with a speed struck is looked for. */
START_TEST(what_moves_by_time_strikes)
{
    perp_verification *found;
    change("impacts.csv", gone[_i].pattern, 1, "next");
    perp_check check = impacts_of(&found);
    ck_assert_msg(check.contradicted, "line %d: %g", _i, check.worst);
    perp_verification_destroy(found);
}
END_TEST

/* Capsules, a ball on a joint and a box that bounce on each other without loss.  The work of such
 * an impact is 0 but for rounding, which must not make it plastic. */
static const char elastic[] =
    "{\"version\": 1, \"time\": {\"until\": 0.4, \"step\": 0.002}, \"gravity\": [0, 0, -9.81], "
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}, "
    "{\"name\": \"b0\", \"shape\": {\"type\": \"capsule\", \"radius\": 0.05, \"length\": 0.1}, "
    "\"density\": 100, \"position\": [0, 0, 0.1]}, "
    "{\"name\": \"b1\", \"shape\": {\"type\": \"capsule\", \"radius\": 0.1, \"length\": 0.2}, "
    "\"density\": 1000, \"rotation\": [-0.002757, 0.2884, 0.4793], "
    "\"position\": [-0.179251, -0.470687, 1.5]}, "
    "{\"name\": \"b2\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"density\": 7800, "
    "\"position\": [0, 0, 0.25]}, "
    "{\"name\": \"b3\", \"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.2, 0.2]}, "
    "\"density\": 1000, \"position\": [0, 0, 0.5]}], "
    "\"interactions\": [{\"systems\": [\"b1\", \"b2\"], \"relation\": {\"type\": \"joint\", "
    "\"joint\": \"cylindrical\", \"anchor\": [-0.0896254, -0.235344, 0.875], "
    "\"axis\": [0, 0, 1]}}], \"contacts\": {\"e\": 1}}";

START_TEST(elastic_impacts_stay_elastic)
{
    perp_scene *scene;
    perp_figure figure = {.size = sizeof figure};
    int k = 0, strikes = 0;
    ck_assert_int_eq(perp_scene_create_from_text(&scene, elastic, NULL, NULL, NULL), PERP_SOLVED);
    perp_sim *sim = perp_scene_sim(scene);
    for (int step = 0; step < 200; step++) {
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
        strikes += perp_sim_strikes(sim);
    }
    ck_assert_int_gt(strikes, 100);
    while (perp_sim_figure(sim, k, &figure, sizeof figure) == PERP_SOLVED &&
           strcmp(figure.name, "impacts") != 0)
        k++;
    ck_assert_int_eq(figure.known, 1);
    ck_assert_msg(figure.value <= 1e-6, "impacts %g in step %ld", figure.value, figure.step);
    perp_scene_destroy(scene);
}
END_TEST

/* In the plane, where the third row of a contact is the turn: a disc with rolling friction runs
 * into a box that rests. */
static const char in_plane[] =
    "{\"version\": 1, \"time\": {\"until\": 0.4, \"step\": 0.005}, \"gravity\": [0, -9.81, 0], "
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"line\", \"normal\": [0, 1]}}], "
    "\"systems\": [{\"name\": \"box\", \"type\": \"planar\", \"mass\": 1, \"position\": [0, 0.1], "
    "\"polygon\": [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]}, {\"name\": \"disc\", "
    "\"type\": \"planar\", \"mass\": 1, \"radius\": 0.1, \"position\": [-1, 0.1], \"velocity\": "
    "[3, "
    "0], \"rate\": -30}], \"contacts\": {\"mu\": 0.4, \"e\": 0.3, \"rolling\": 0.001}, "
    "\"record\": {\"certify\": true}}";

static void run_in_plane(void)
{
    run_folder_run_text(in_plane);
}

static const struct {
    const char *change;
} turned[] = {{"$26 *= 2"}, {"$27 *= 1.01"}};

START_TEST(friction_and_rolling_are_apart)
{
    perp_verification *found;
    change("impacts.csv", ",newton,.*box,disc", 1, turned[_i].change);
    perp_check check = impacts_of(&found);
    ck_assert_msg(check.contradicted, "%s: %g", turned[_i].change, check.worst);
    perp_verification_destroy(found);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("verified impacts");
    TCase *runs = tcase_create("runs");
    tcase_add_checked_fixture(runs, run, run_folder_remove);
    tcase_add_test(runs, a_run_holds);
    tcase_add_loop_test(runs, changes_are_found, 0, sizeof changes / sizeof changes[0]);
    tcase_add_loop_test(runs, hostile_numbers_are_survived, 0, sizeof hostile / sizeof hostile[0]);
    tcase_add_test(runs, elastic_impacts_stay_elastic);
    tcase_set_timeout(runs, 60);
    suite_add_tcase(suite, runs);
    TCase *moving = tcase_create("moving");
    tcase_add_checked_fixture(moving, run_moved, run_folder_remove);
    tcase_add_test(moving, a_run_holds);
    tcase_add_loop_test(moving, what_moves_by_time_strikes, 0, sizeof gone / sizeof gone[0]);
    suite_add_tcase(suite, moving);
    TCase *phases = tcase_create("phases");
    tcase_add_checked_fixture(phases, run_poisson, run_folder_remove);
    tcase_add_test(phases, a_run_holds);
    tcase_add_loop_test(phases, changes_of_two_phases_are_found, 0,
                        sizeof poisson_changes / sizeof poisson_changes[0]);
    suite_add_tcase(suite, phases);
    TCase *plane = tcase_create("plane");
    tcase_add_checked_fixture(plane, run_in_plane, run_folder_remove);
    tcase_add_test(plane, a_run_holds);
    tcase_add_loop_test(plane, friction_and_rolling_are_apart, 0, sizeof turned / sizeof turned[0]);
    suite_add_tcase(suite, plane);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
