/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes of which one value is another, one at a time, for all values of the scenes that are
 * shipped and of some that hold what these do not: what is of the wrong kind, or unknown, is
 * refused at its place; the rest is a scene, or refused in words. */
#define _XOPEN_SOURCE 700 /* mkdtemp, strdup */
#include <check.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/verify.h>

#include "tests/fixtures/scene_text.h"
#include "tests/scene/member_scenes.h"

#define HEAD "{\"version\": 1, \"time\": {\"t0\": 0, \"until\": 1, \"step\": 0.01}, "
static const char *const more[] = {
    HEAD
    "\"bodies\": [ {\"name\": \"field\", \"fixed\": true, \"shape\": {\"type\": \"height-field\", "
    "\"heights\": [[0, 0], [0, 0.1]], \"spacing\": [9, 9]}}, {\"name\": \"hull\", \"mass\": 1, "
    "\"position\": [0.2, 0.2, 1], \"shape\": {\"type\": \"hull\", \"points\": [[0, 0, 0], [1, 0, "
    "0], [0, "
    "1, 0], [0, 0, 1]], \"group\": 1, \"category\": 3, \"touches\": 1}}, {\"name\": \"skin\", "
    "\"fixed\": "
    "true, \"shape\": {\"type\": \"surface\", \"vertices\": [[0, 0, -1], [9, 0, -1], [0, 9, -1]], "
    "\"triangles\": [[0, 1, 2]]}}, {\"name\": \"ball\", \"mass\": 1, \"position\": [0, 0, 3], "
    "\"quaternion\": [1, 0, 0, 0], \"velocity\": [0, 0, 1], \"shape\": {\"type\": \"sphere\", "
    "\"radius\": "
    "0.1, \"material\": \"ice\"}}, {\"name\": \"many\", \"density\": 100, \"position\": [5, 5, 5], "
    "\"shape\": {\"type\": \"box\", \"sides\": [0.1, 0.1, 0.1]}, \"copies\": {\"count\": [2, 1, "
    "1], "
    "\"spacing\": [1, 1, 1], \"jitter\": 0.01, \"seed\": 3}}], \"contacts\": {\"e\": 0.1, \"mu\": "
    "0.5, "
    "\"rolling\": 0.01, \"torsion\": 0.02, \"skin\": 0.001, \"margin\": 0.02, \"combine\": {\"e\": "
    "\"minimum\", \"mu\": \"mean\", \"rolling\": \"product\", \"torsion\": \"geometric\"}, "
    "\"materials\": "
    "[{\"name\": \"ice\", \"mu\": 0.02, \"e\": 0, \"rolling\": 0.1, \"torsion\": 0.1}, "
    "{\"between\": "
    "[\"ice\", \"ice\"], \"mu\": 0, \"e\": 0.2, \"rolling\": 0, \"torsion\": 0, \"skin\": 0}], "
    "\"exclude\": [[\"hull\", \"ball\"]], \"joined\": true}, \"certificate\": {\"sizes\": "
    "{\"ball\": "
    "0.2}}, \"failure\": {\"retry\": [\"gs\"], \"then\": \"halve\"}, \"newton\": {\"tol\": 1e-9, "
    "\"iterations\": 20}, \"frames\": {\"every\": 3}, \"solver\": {\"name\": \"gs\", \"tol\": "
    "1e-8}, "
    "\"warm_start\": true"
    "}",
    HEAD
    "\"gravity\": [0, 0, -9.81], \"systems\": [ {\"name\": \"disc\", \"type\": \"planar\", "
    "\"mass\": 1, "
    "\"inertia\": 0.1, \"radius\": 0.1, \"position\": [0, 1], \"angle\": 0.1, \"velocity\": [0, "
    "0], "
    "\"rate\": 1, \"force\": [0, -9.81, 0]}, {\"name\": \"other\", \"type\": \"planar\", \"mass\": "
    "1, "
    "\"polygon\": [[0, 0], [1, 0], [0, 1]], \"position\": [9, 1], \"material\": \"wood\"}, "
    "{\"name\": "
    "\"points\", \"type\": \"point-masses\", \"positions\": [[0, 0, 5], [1, 0, 5]], \"masses\": "
    "[1, 2], "
    "\"velocities\": [[0, 0, 0], [0, 0, 1]]}, {\"name\": \"mass\", \"type\": \"lagrangian\", "
    "\"M\": [[2, "
    "0], [0, 3]], \"K\": {\"tridiagonal\": [-1, 2, -1], \"n\": 2}, \"C\": {\"diagonal\": [1, 1]}, "
    "\"q0\": "
    "[0, 0], \"v0\": {\"all\": 1, \"n\": 2}, \"F\": [0, 1]}, {\"name\": \"first\", \"type\": "
    "\"first-order\", \"x0\": [1, 0], \"A\": [[0, 1], [-1, 0]], \"b\": [0, 1], \"M\": [[1, 0], [0, "
    "1]]}], "
    "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [5, 0, 0], "
    "\"angular\": [0, 0, 1]}, {\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": "
    "[6, 0, "
    "0]}, {\"name\": \"told\", \"position\": [0, 9, 0], \"shape\": {\"type\": \"sphere\", "
    "\"radius\": "
    "0.1}, \"motion\": {\"slide\": {\"axis\": [1, 0, 0], \"amplitude\": 1, \"frequency\": 2, "
    "\"phase\": "
    "0}}}], \"forces\": [{\"type\": \"spring\", \"from\": {\"system\": \"a\", \"point\": [0, 0, "
    "0]}, "
    "\"to\": {\"system\": \"b\", \"point\": [0, 0, 0]}, \"stiffness\": 10, \"damping\": 0.1, "
    "\"length\": "
    "1}, {\"type\": \"spring\", \"from\": {\"system\": \"mass\", \"coordinate\": 0}, \"to\": "
    "{\"world\": "
    "[]}, \"stiffness\": 3}, {\"type\": \"turn-spring\", \"from\": \"a\", \"to\": \"b\", \"lag\": "
    "true, "
    "\"stiffness\": "
    "1, \"damping\": 0.1, \"turned\": [0.1, 0, 0]}, {\"type\": \"drag\", \"system\": \"a\", "
    "\"point\": "
    "[0, 0, 0], \"damping\": 0.1}, {\"type\": \"fluid\", \"system\": \"b\", \"point\": [0, 0, 0], "
    "\"rotation\": [0, 0, 0], \"damping\": [1, 1, 1], \"turn_damping\": [1, 1, 1], \"drag\": [1, "
    "1, 1], "
    "\"turn_drag\": [1, 1, 1]}, {\"type\": \"load\", \"system\": \"a\", \"vector\": [0, 0, 1, 0, "
    "0, 0], "
    "\"frame\": \"body\", \"point\": [0, 0, 0], \"amplitude\": 1, \"frequency\": 2, \"phase\": "
    "0.1}], "
    "\"interactions\": [{\"name\": \"hinge\", \"systems\": [\"a\", \"b\"], \"relation\": "
    "{\"type\": "
    "\"joint\", \"joint\": \"pivot\", \"anchor\": [5.5, 0, 0], \"axis\": [0, 0, 1], \"friction\": "
    "0.2, "
    "\"limits\": [-1, 1], \"e\": 0.1, \"spring\": {\"stiffness\": 1, \"rest\": 0.1}, \"damping\": "
    "0.1, "
    "\"servo\": {\"target\": 0.2, \"stiffness\": 5, \"damping\": 1, \"torque\": 2}}}, {\"name\": "
    "\"floor\", \"systems\": [\"disc\"], \"relation\": {\"type\": \"disc-line\", \"normal\": [0, "
    "1], "
    "\"offset\": 0}, \"law\": {\"type\": \"friction\", \"e\": 0.1, \"e_t\": 0, \"mu\": 0.3, "
    "\"dim\": 2}}, "
    "{\"name\": \"rope\", \"systems\": [\"a\"], \"relation\": {\"type\": \"distance\", \"point\": "
    "[0, 0, "
    "0], \"anchor\": [5, 0, 3], \"length\": 4, \"side\": \"at-most\"}, \"law\": {\"type\": "
    "\"impact\", "
    "\"e\": 0}}, {\"name\": \"tie\", \"systems\": [\"mass\"], \"relation\": {\"type\": "
    "\"coupling\", "
    "\"terms\": [{\"system\": \"mass\", \"coordinate\": 0, \"factor\": 1}], \"offset\": 0}, "
    "\"law\": "
    "{\"type\": \"equality\"}}, {\"name\": \"stops\", \"systems\": [\"mass\"], \"relation\": "
    "{\"type\": "
    "\"linear\", \"C\": [[1, 0], [0, 1]], \"e\": [1, 1], \"motion\": [{\"row\": 0, \"polynomial\": "
    "[0, "
    "1]}]}, \"law\": {\"type\": \"impact\", \"e\": 0, \"compliance\": 0.001}}], \"controllers\": "
    "[{\"name\": \"pid\", \"type\": \"pid\", \"system\": \"mass\", \"coordinate\": 1, \"period\": "
    "0.05, "
    "\"target\": 0.1, \"kp\": 1, \"ki\": 0.1, \"kd\": 0.01, \"force\": 0.1, \"largest\": 9}, "
    "{\"name\": "
    "\"table\", \"type\": \"table\", \"system\": \"mass\", \"coordinate\": 0, \"period\": 0.05, "
    "\"force\": {\"ramp\": {\"from\": 0, \"to\": 1, \"by\": 2}}}], \"schemes\": [{\"name\": "
    "\"discrete-gradient\", \"systems\": [\"a\", \"b\"]}], \"record\": {\"quantities\": "
    "[\"hinge.angle\", "
    "\"a.q\", \"energy\"], \"stride\": 2, \"contacts\": true}"
    "}",
};

enum {
    MORE = sizeof more / sizeof more[0],
    OTHERS = sizeof member_scenes / sizeof member_scenes[0]
};

/* One of `more`, and behind them of another list; valid until the next call. */
static const char *text_of(int k, const char *const (*others)[3])
{
    static char text[20000];
    if (k < MORE)
        snprintf(text, sizeof text, "%s", more[k]);
    else
        snprintf(text, sizeof text, "%s%s%s", others[k - MORE][0], others[k - MORE][1],
                 others[k - MORE][2]);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    return text;
}

static glob_t shipped;
static json_t *root;
static const char *folder; /* not NULL: that of a run, whose scene.json is changed */

/* A scene that perp run would refuse may be one for perp verify: it answers. */
static perp_status verify(const char *text, perp_scene_error *error)
{
    char path[100];
    perp_verification *found = NULL;
    snprintf(path, sizeof path, "%s/scene.json", folder);
    FILE *f = fopen(path, "w");
    ck_assert_msg(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
    perp_status status = perp_verify_folder(&found, folder, NULL, error);
    ck_assert_msg((status == PERP_SOLVED) == (found != NULL), "%s", text);
    ck_assert_msg(status == PERP_SOLVED || strlen(error->text) > 10, "%d '%s': %s", (int)status,
                  error->text, text);
    for (int k = 0; k < perp_verification_checks(found); k++) {
        perp_check check = {.size = sizeof check};
        ck_assert_int_eq(perp_verification_check(found, k, &check), PERP_SOLVED);
        ck_assert_msg(!check.known || check.worst >= 0.0, "%s: %g in %s", check.name, check.worst,
                      text);
    }
    perp_verification_destroy(found);
    return status;
}

/* The scene is made, or refused with a sentence. */
static perp_status outcome(perp_scene_error *error)
{
    perp_scene *scene = NULL;
    char *text = json_dumps(root, 0);
    *error = (perp_scene_error){.size = sizeof *error};
    if (folder != NULL) {
        perp_status answer = verify(text, error);
        free(text);
        return answer;
    }
    perp_status status = perp_scene_create_from_text(&scene, text, NULL, NULL, error);
    ck_assert_msg((status == PERP_SOLVED) == (scene != NULL), "%s", text);
    ck_assert_msg(status == PERP_SOLVED || (status < 0 && strlen(error->text) > 10), "%d '%s': %s",
                  (int)status, error->text, text);
    perp_scene_destroy(scene);
    free(text);
    return status;
}

/* Refused in words, in the entry of the scene that `path` leads to: "systems[0]", "time". */
static void refused_at(const char *path, const char *what)
{
    perp_scene_error error;
    perp_status status = outcome(&error);
    if (folder != NULL)
        return;
    size_t item = strcspn(path, ".]"), length = strlen(error.key) < item ? strlen(error.key) : item;
    ck_assert_msg(status == PERP_ERR_FORMAT, "%s, %s: %d", path, what, (int)status);
    ck_assert_msg(strncmp(error.key, path, length) == 0, "%s, %s: '%s': %s", path, what, error.key,
                  error.text);
}

/* Puts `other`, which is taken, in the place of a value of a list or an object. */
static void put(json_t *holder, const char *key, size_t place, json_t *other)
{
    ck_assert_int_eq(key != NULL ? json_object_set_new(holder, key, other)
                                 : json_array_set_new(holder, place, other),
                     0);
}

static void walk(json_t *value, const char *path);

static void change(json_t *holder, const char *key, size_t place, const char *path)
{
    json_t *value =
        json_incref(key != NULL ? json_object_get(holder, key) : json_array_get(holder, place));
    perp_scene_error error;

    put(holder, key, place,
        json_is_object(value) || json_is_array(value) ? json_true() : json_object());
    refused_at(path, "another kind");
    if (json_is_number(value)) {
        static const double numbers[] = {-1e301, -3.0, 0.0, 0.5, 1e301};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            put(holder, key, place, json_real(numbers[k]));
            (void)outcome(&error);
        }
    }
    if (json_is_string(value)) {
        put(holder, key, place, json_string("zzzz"));
        (void)outcome(&error);
    }
    put(holder, key, place, json_array());
    (void)outcome(&error);
    put(holder, key, place, json_object());
    (void)outcome(&error);
    put(holder, key, place, json_real(7.5));
    (void)outcome(&error);
    put(holder, key, place, value);
    walk(value, path);
}

static void walk(json_t *value, const char *path)
{
    char below[300];
    char *keys[32];
    const char *key;
    json_t *part;
    size_t k;
    int count = 0;
    perp_scene_error error;

    if (json_is_object(value)) {
        json_object_set_new(value, "zzzz", json_integer(1));
        refused_at(path, "an unknown member");
        json_object_del(value, "zzzz");
        json_object_foreach(value, key, part) keys[count++] = strdup(key);
    }
    for (int m = 0; m < count; m++) {
        snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "", keys[m]);
        change(value, keys[m], 0, below);
        json_t *kept = json_incref(json_object_get(value, keys[m]));
        json_object_del(value, keys[m]);
        (void)outcome(&error);
        json_object_set_new(value, keys[m], kept);
        free(keys[m]);
    }
    json_array_foreach(value, k, part)
    {
        snprintf(below, sizeof below, "%s[%zu]", path, k);
        change(value, NULL, k, below);
    }
    if (json_is_array(value)) {
        json_array_append_new(value, json_true());
        refused_at(path, "one more");
        json_array_remove(value, json_array_size(value) - 1);
    }
}

static void all_of(json_t *scene, const char *name)
{
    perp_scene_error error;
    root = scene;
    ck_assert_msg(root != NULL, "%s", name);
    json_object_del(root, "title");
    ck_assert_msg(outcome(&error) == PERP_SOLVED, "%s: %s: %s", name, error.key, error.text);
    walk(root, "");
    ck_assert_int_eq(outcome(&error), PERP_SOLVED); /* all is as it was */
    json_decref(root);
}

START_TEST(in_shipped_scenes)
{
    all_of(json_load_file(shipped.gl_pathv[_i], 0, NULL), shipped.gl_pathv[_i]);
}
END_TEST

START_TEST(in_more_scenes)
{
    all_of(json_loads(text_of(_i, member_scenes), 0, NULL), "more");
}
END_TEST

/* Beside the files of the run of the scene as it is. */
START_TEST(in_folders)
{
    char name[] = "/tmp/perp-members-XXXXXX", command[100];
    perp_scene_run_options options;
    perp_scene *scene = scene_of(text_of(_i, member_runs), NULL);
    ck_assert_ptr_nonnull(mkdtemp(name));
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = name;
    options.until = 0.03;
    ck_assert_int_eq(perp_scene_run(scene, &options, NULL), PERP_SOLVED);
    perp_scene_destroy(scene);
    folder = name;
    all_of(json_loads(text_of(_i, member_runs), 0, NULL), "more");
    snprintf(command, sizeof command, "rm -r '%s'", name);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
    char pattern[2000];
    const char *source = getenv("PERP_SOURCE");
    perp_scene *scene;
    if (source == NULL ||
        perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    snprintf(pattern, sizeof pattern, "%s/examples/scenes/*.json", source);
    if (glob(pattern, 0, NULL, &shipped) != 0)
        return 99;
    Suite *suite = suite_create("wrong members");
    TCase *tests = tcase_create("values");
    tcase_add_loop_test(tests, in_shipped_scenes, 0, (int)shipped.gl_pathc);
    tcase_add_loop_test(tests, in_more_scenes, 0, MORE + OTHERS);
    tcase_add_loop_test(tests, in_folders, 0, MORE + OTHERS);
    tcase_set_timeout(tests, 900);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    globfree(&shipped);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
