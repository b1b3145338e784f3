/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients of materials that combine, masks of what touches what, both as scenes and as models of
 * robots say them, and perp verify on the former. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/robot.h>
#include <perp/verify.h>

static perp_scene *open_scene(const char *text)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    ck_assert_msg(perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    return scene;
}

/* A box on a floor; what follows "contacts" is given. */
static const char slide[] =
    "{\"version\": 1, \"time\": {\"until\": 0.1, \"step\": 0.005}, \"gravity\": [0, 0, -9.81], "
    "\"bodies\": [{\"name\": \"floor\", \"material\": \"a\", \"shape\": {\"type\": \"plane\", "
    "\"normal\": [0, 0, 1]}}, {\"name\": \"box\", \"mass\": 1, \"position\": [0, 0, 0.1], "
    "\"velocity\": [2, 0, 0], \"shape\": {\"type\": \"box\", \"sides\": [0.4, 0.4, 0.2]%s}}], "
    "\"record\": {\"certify\": true}, \"contacts\": {%s}}";

static perp_contact_info first_contact(const char *material, const char *contacts)
{
    char text[1200];
    perp_contact_info info = {.size = sizeof info};
    snprintf(text, sizeof text, slide, material, contacts);
    perp_scene *scene = open_scene(text);
    ck_assert_int_eq(perp_sim_step(perp_scene_sim(scene)), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_contact(perp_scene_collider(scene), 0, &info), PERP_SOLVED);
    perp_scene_destroy(scene);
    return info;
}

#define OWN                                                                                        \
    "\"e\": 0.125, \"mu\": 0.5, \"materials\": ["                                                  \
    "{\"name\": \"a\", \"e\": 0.25, \"mu\": 0.2, \"rolling\": 0.01}, "                             \
    "{\"name\": \"b\", \"e\": 0.5, \"mu\": 0.8, \"rolling\": 0.04}"
#define IS_B ", \"material\": \"b\""

static const struct {
    const char *material, *contacts;
    double e, mu, rolling;
} table[] = {
    {IS_B, OWN "], \"combine\": \"minimum\"", 0.25, 0.2, 0.01},
    {IS_B, OWN "], \"combine\": \"mean\"", 0.375, 0.5, 0.025},
    {IS_B, OWN "], \"combine\": \"geometric\"", 0.35355339059327379, 0.4, 0.02},
    {IS_B, OWN "], \"combine\": \"maximum\"", 0.5, 0.8, 0.04},
    {IS_B, OWN "], \"combine\": \"product\"", 0.125, 0.16, 0.0004},
    {IS_B, OWN "]", 0.5, 0.4, 0.02},
    {IS_B, OWN "], \"combine\": {\"mu\": \"mean\", \"e\": \"minimum\"}", 0.25, 0.5, 0.02},
    /* A pair that is listed, whatever the rule; and one of which only one has its own. */
    {IS_B, OWN ", {\"between\": [\"b\", \"a\"], \"mu\": 0.7}], \"combine\": \"minimum\"", 0.0, 0.7,
     0.0},
    {"",
     "\"e\": 0.125, \"mu\": 0.5, \"materials\": [{\"name\": \"a\", \"e\": 0.25, \"mu\": 0.2, "
     "\"rolling\": 0.01}], \"combine\": \"maximum\"",
     0.25, 0.5, 0.01},
    /* Nothing rolls that slides without friction; what is left out is that of all. */
    {IS_B, "\"materials\": [{\"name\": \"b\", \"rolling\": 1}], \"combine\": \"maximum\"", 0.0, 0.0,
     0.0},
    {IS_B, "\"e\": 0.5, \"mu\": 0.3, \"materials\": [{\"name\": \"b\", \"mu\": 0.6}], "
           "\"combine\": \"mean\"",
     0.5, 0.45, 0.0},
};

START_TEST(coefficients_combine)
{
    perp_contact_info info = first_contact(table[_i].material, table[_i].contacts);
    ck_assert_double_eq_tol(info.e, table[_i].e, 1e-15);
    ck_assert_double_eq_tol(info.mu, table[_i].mu, 1e-15);
    ck_assert_double_eq_tol(info.mu_r, table[_i].rolling, 1e-15);
}
END_TEST

/* v = 2 - mu g t; the folder holds, and does not where the rule is another one. */
START_TEST(the_rule_is_verified)
{
    char folder[] = "/tmp/perp-materials-XXXXXX", text[1200], command[300];
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    perp_verification *found;
    double *q = NULL, *v = NULL;
    perp_scene_system_info box = {.size = sizeof box};

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(text, sizeof text, slide, "",
             "\"mu\": 0.3, \"materials\": [{\"name\": \"a\", \"mu\": 0.6}], \"combine\": "
             "\"mean\"");
    perp_scene *scene = open_scene(text);
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    perp_scene_system(scene, perp_scene_find_system(scene, "box"), &box);
    perp_model_state(perp_scene_model(scene), box.id, &q, &v, NULL, NULL);
    ck_assert_double_eq_tol(v[0], 2.0 - 0.45 * 9.81 * 0.1, 1e-9);
    perp_scene_destroy(scene);
    ck_assert_int_eq(perp_verify_folder(&found, folder, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_verification_holds(found), 1);
    perp_verification_destroy(found);
    snprintf(command, sizeof command, "sed -i 's/\"mean\"/\"minimum\"/' '%s/scene.json'", folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(perp_verify_folder(&found, folder, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_verification_holds(found), 0);
    perp_verification_destroy(found);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

enum { BALLS = 5 };
/* What each is, and what it touches; -1: said by none of the keys. */
static const int masks[BALLS][2] = {{-1, -1}, {2, 1}, {1, 2}, {4, 0}, {0, 6}};

/* 1: a pair of balls is in the list of contacts. */
static int touch(perp_scene *scene, int a, int b)
{
    const perp_collider *collider = perp_scene_collider(scene);
    char one[40], other[40], name[80];

    snprintf(one, sizeof one, "ball%d, ball%d", a, b);
    snprintf(other, sizeof other, "ball%d, ball%d", b, a);
    for (int k = 0; k < perp_collider_contacts(collider); k++) {
        perp_contact_info info = {.size = sizeof info};
        perp_collider_contact(collider, k, &info);
        perp_scene_name_interaction(scene, info.interaction, name, sizeof name);
        if (strcmp(name, one) == 0 || strcmp(name, other) == 0)
            return 1;
    }
    return 0;
}

START_TEST(masks_say_what_touches_what)
{
    char text[3000];
    size_t length = (size_t)snprintf(text, sizeof text,
                                     "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.001}, "
                                     "\"contacts\": {}, \"bodies\": [");
    for (int k = 0; k < BALLS; k++) {
        char mask[64] = "";
        if (masks[k][0] >= 0)
            snprintf(mask, sizeof mask, ", \"category\": %d, \"touches\": %d", masks[k][0],
                     masks[k][1]);
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%s{\"name\": \"ball%d\", \"mass\": 1, \"position\": [%g, 0, "
                                   "0], \"shape\": {\"type\": \"sphere\", \"radius\": 1%s}}",
                                   k > 0 ? ", " : "", k, 0.01 * k, mask);
    }
    snprintf(text + length, sizeof text - length, "]}");
    perp_scene *scene = open_scene(text);
    ck_assert_int_eq(perp_collider_detect(perp_scene_collider(scene), 0.0, 0.001), PERP_SOLVED);
    for (int a = 0; a < BALLS; a++)
        for (int b = 0; b < a; b++) {
            int is_a = masks[a][0] < 0 ? 1 : masks[a][0], is_b = masks[b][0] < 0 ? 1 : masks[b][0];
            int to_a = masks[a][1] < 0 ? 1 : masks[a][1], to_b = masks[b][1] < 0 ? 1 : masks[b][1];
            ck_assert_msg(touch(scene, a, b) == ((is_a & to_b) != 0 || (is_b & to_a) != 0),
                          "balls %d and %d", a, b);
        }
    perp_scene_destroy(scene);
}
END_TEST

/* contype and conaffinity of an MJCF with any bits, and a pair of two shapes that touch nothing else. */
START_TEST(masks_of_a_model)
{
    static const int bits[BALLS][2] = {{1, 1}, {2, 0}, {0, 0}, {0, 0}, {0, 1073741826}};
    char model[2000];
    size_t length = (size_t)snprintf(model, sizeof model, "<mujoco><worldbody>");
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;

    for (int k = 0; k < BALLS; k++)
        length += (size_t)snprintf(model + length, sizeof model - length,
                                   "<body name='ball%d' pos='%g 0 0'><freejoint/><geom "
                                   "name='g%d' size='1' contype='%d' conaffinity='%d'/></body>",
                                   k, 0.01 * k, k, bits[k][0], bits[k][1]);
    snprintf(model + length, sizeof model - length,
             "</worldbody><contact><pair geom1='g3' geom2='g2'/></contact></mujoco>");
    perp_status status = perp_robot_read_text(&text, model, strlen(model), NULL, NULL, &error);
    if (status == PERP_ERR_UNSUPPORTED)
        return; /* configured without libxml2 */
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    perp_scene *scene = open_scene(text);
    perp_robot_release(text, NULL);
    ck_assert_int_eq(perp_collider_detect(perp_scene_collider(scene), 0.0, 0.001), PERP_SOLVED);
    for (int a = 0; a < BALLS; a++)
        for (int b = 0; b < a; b++) {
            int wanted = (bits[a][0] & bits[b][1]) != 0 || (bits[b][0] & bits[a][1]) != 0 ||
                         (a == 3 && b == 2);
            ck_assert_msg(touch(scene, a, b) == wanted, "balls %d and %d", a, b);
        }
    perp_scene_destroy(scene);
}
END_TEST

static const struct {
    const char *material, *contacts, *said;
} refused[] = {
    {"", "\"combine\": \"largest\"", "combine"},
    {"", "\"combine\": {\"friction\": \"mean\"}", "friction"},
    {"", "\"materials\": [{\"name\": \"c\", \"mu\": 1}]", "no shape has the material 'c'"},
    {"", "\"materials\": [{\"name\": \"a\", \"e\": 2}]", "is not within"},
    {"", "\"materials\": [{\"name\": \"a\", \"compliance\": 1}]", "compliance"},
    {", \"category\": 0, \"touches\": 0", "", "touches nothing"},
    {", \"category\": -1", "", "category"},
};

START_TEST(refusals_name_the_place)
{
    char text[1200];
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    snprintf(text, sizeof text, slide, refused[_i].material, refused[_i].contacts);
    ck_assert_int_eq(perp_scene_create_from_text(&scene, text, NULL, NULL, &error),
                     PERP_ERR_FORMAT);
    ck_assert_msg(strstr(error.text, refused[_i].said) != NULL, "%s", error.text);
}
END_TEST

START_TEST(the_interface_refuses)
{
    char text[1200];
    snprintf(text, sizeof text, slide, "", "");
    perp_scene *scene = open_scene(text);
    perp_collider *c = perp_scene_collider(scene);
    ck_assert_int_eq(perp_collider_set_coefficients(c, -1, 0, 0, 0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_coefficients(c, 0, 1.5, 0, 0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_coefficients(c, 0, 0, NAN, 0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_coefficients(c, 0, 0, 1, INFINITY), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_coefficients(NULL, 0, 0, 0, 0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_combination(c, PERP_COMBINE_MEAN, (perp_combination)9,
                                                   PERP_COMBINE_MEAN),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_combination(NULL, PERP_COMBINE_MEAN, PERP_COMBINE_MEAN,
                                                   PERP_COMBINE_MEAN),
                     PERP_ERR_ARGUMENT);
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("materials");
    TCase *tcase = tcase_create("materials");
    tcase_add_loop_test(tcase, coefficients_combine, 0, sizeof table / sizeof table[0]);
    tcase_add_test(tcase, the_rule_is_verified);
    tcase_add_test(tcase, masks_say_what_touches_what);
    tcase_add_test(tcase, masks_of_a_model);
    tcase_add_loop_test(tcase, refusals_name_the_place, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tcase, the_interface_refuses);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
