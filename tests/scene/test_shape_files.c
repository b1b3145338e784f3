/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of scenes from files and lists: scales, mirrors, triangles that are inside out, copies of
 * bodies of several shapes, and what is refused. */
#define _DEFAULT_SOURCE /* mkstemps */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/scene_text.h"

#define HEAD "{\"version\": 1, \"time\": {\"until\": 0.01, \"step\": 0.01}, "

static char file[64];

/* A tetrahedron with the volume 1/6 and its centre at 1/4. */
static void make_file(void)
{
    static const char obj[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    strcpy(file, "/tmp/perp-shape-XXXXXX.obj");
    int fd = mkstemps(file, 4);
    ck_assert_int_ge(fd, 0);
    FILE *f = fdopen(fd, "w");
    ck_assert(f != NULL && fputs(obj, f) >= 0 && fclose(f) == 0);
}

static void remove_file(void)
{
    remove(file);
}

/* The scene of one body with a density of 6 and a velocity of 1 along x; its mass is twice the
 * kinetic energy of the first row, its centre the position there. */
static perp_scene *body_of(const char *shape)
{
    char text[1200];
    snprintf(text, sizeof text,
             HEAD "\"bodies\": [{\"name\": \"b\", \"density\": 6, \"velocity\": [1, 0, 0], %s}], "
                  "\"record\": {\"quantities\": [\"b.q\", \"kinetic\"]}}",
             shape);
    return scene_of(text, NULL);
}

static void has(const char *shape, double mass, const double centre[3])
{
    perp_scene *scene = body_of(shape);
    const double *row = scene_last_row(scene);
    ck_assert_double_eq_tol(2.0 * row[8], mass, 1e-12 * mass);
    ck_assert_double_eq_tol(row[1] - 0.01, centre[0], 1e-12);
    ck_assert_double_eq_tol(row[2], centre[1], 1e-12);
    ck_assert_double_eq_tol(row[3], centre[2], 1e-12);
    perp_scene_destroy(scene);
}

static void has_file(const char *type, const char *scale, double mass, const double centre[3])
{
    char shape[300];
    snprintf(shape, sizeof shape, "\"shape\": {\"type\": \"%s\", \"file\": \"%s\"%s}", type, file,
             scale);
    has(shape, mass, centre);
}

START_TEST(scales)
{
    static const char *const types[] = {"surface", "hull"};
    for (int k = 0; k < 2; k++) {
        has_file(types[k], "", 1.0, (double[]){0.25, 0.25, 0.25});
        has_file(types[k], ", \"scale\": 2", 8.0, (double[]){0.5, 0.5, 0.5});
        has_file(types[k], ", \"scale\": [2, 1, 4]", 8.0, (double[]){0.5, 0.25, 1.0});
        /* One or three mirrors turn the triangles round, two do not. */
        has_file(types[k], ", \"scale\": [-2, 1, 1]", 2.0, (double[]){-0.5, 0.25, 0.25});
        has_file(types[k], ", \"scale\": [-1, -1, 1]", 1.0, (double[]){-0.25, -0.25, 0.25});
        has_file(types[k], ", \"scale\": -1", 1.0, (double[]){-0.25, -0.25, -0.25});
    }
}
END_TEST

/* A scale is 0 where one of its numbers is, not where their product is too small for a double. */
START_TEST(small_scales)
{
    char text[700];
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text,
                 HEAD "\"bodies\": [{\"name\": \"b\", \"fixed\": true, \"shape\": {\"type\": "
                      "\"surface\", \"file\": \"%s\", \"scale\": %s}}]}",
                 file, k == 0 ? "1e-110" : "[-1e-110, 1e-110, 1e-110]");
        perp_scene_destroy(scene_of(text, NULL));
    }
}
END_TEST

/* Each triangle the other way: turned, and said. */
START_TEST(inside_out)
{
    static const char outside[] = "[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]",
                      inside[] = "[[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]";
    for (int k = 0; k < 2; k++) {
        char shape[400];
        snprintf(
            shape, sizeof shape,
            "\"shape\": {\"type\": \"surface\", \"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], "
            "[0, 0, 1]], \"triangles\": %s}",
            k == 0 ? outside : inside);
        has(shape, 1.0, (double[]){0.25, 0.25, 0.25});
        perp_scene *scene = body_of(shape);
        ck_assert_int_eq(scene_warns(scene, "the triangles are inside out"), k);
        perp_scene_destroy(scene);
    }
}
END_TEST

/* Each copy has its own shapes: a ball on each end of a rod, which both lie on the floor. */
START_TEST(copies_of_several_shapes)
{
    perp_scene *scene = scene_of(
        "{\"version\": 1, \"time\": {\"until\": 0.1, \"step\": 0.01}, \"gravity\": [0, 0, -9.81], "
        "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, "
        "1]}}, "
        "{\"name\": \"b\", \"mass\": 2, \"position\": [0, 0, 0.1], \"copies\": {\"count\": [2, 2, "
        "1], "
        "\"spacing\": [3, 3, 1]}, \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}, {\"type\": "
        "\"sphere\", \"radius\": 0.1, \"position\": [1, 0, 0]}, {\"type\": \"sphere\", \"radius\": "
        "0.1, \"position\": [0, 1, 0]}]}], \"contacts\": {\"mu\": 0.5}, \"record\": "
        "{\"quantities\": "
        "[\"active\", \"b-0.q\", \"b-3.q\"]}}",
        NULL);
    const double *row = scene_last_row(scene);
    ck_assert_double_eq(row[1], 12.0);
    for (int k = 0; k < 2; k++) {
        ck_assert_double_eq_tol(row[2 + 7 * k], 1.0 / 3.0 + 3.0 * k, 1e-9);
        ck_assert_double_eq_tol(row[3 + 7 * k], 1.0 / 3.0 + 3.0 * k, 1e-9);
        ck_assert_double_eq_tol(row[4 + 7 * k], 0.1, 1e-7);
    }
    perp_scene_destroy(scene);
}
END_TEST

START_TEST(refusals)
{
#define SURFACE(rest) "\"shape\": {\"type\": \"surface\", " rest "}"
#define POINTS "\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"
#define FIELD(rest) "\"fixed\": true, \"shape\": {\"type\": \"height-field\", " rest "}"
    static const struct {
        const char *body, *words;
    } all[] = {
        {"\"shape\": {}", "shape.type: missing; one of sphere|box"},
        {"\"shape\": {\"type\": 7}", "shape.type"},
        {"\"shapes\": 7", "shapes: an array is expected"},
        {"\"shapes\": [7]", "shapes[0]: an object is expected"},
        {"\"shapes\": [{\"type\": \"sphere\", \"radius\": 1}, {\"type\": \"sphere\"}]",
         "shapes[1].radius: missing"},
        {"\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1], \"odd\": 1}",
         "shape.odd: unknown"},
        {"\"shape\": {\"type\": \"plane\"}", "shape.normal: missing"},
        {"\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": \"a\"}",
         "shape.offset"},
        {"\"shape\": {\"type\": \"line\", \"normal\": [0, 0, 1]}", "shape.normal"},
        {"\"shape\": {\"type\": \"box\", \"sides\": [1, 1]}", "shape.sides"},
        {"\"shape\": {\"type\": \"box\", \"sides\": [1, 0, 1]}", "every side is to be positive"},
        {"\"shape\": {\"type\": \"box\", \"odd\": 1}", "shape.odd: unknown key"},
        {"\"shape\": {\"type\": \"ellipsoid\", \"radii\": [1, 1, -1]}",
         "every one is to be positive"},
        {"\"shape\": {\"type\": \"ellipsoid\", \"odd\": 1}", "shape.odd: unknown key"},
        {"\"shape\": {\"type\": \"sphere\", \"odd\": 1}", "shape.odd: unknown key"},
        {"\"shape\": {\"type\": \"sphere\", \"radius\": 0}", "shape.radius"},
        {"\"shape\": {\"type\": \"cone\", \"odd\": 1}", "shape.odd: unknown key"},
        {"\"shape\": {\"type\": \"capsule\", \"odd\": 1}", "shape.odd: unknown key"},
        {"\"shape\": {\"type\": \"cylinder\", \"radius\": 1}", "shape.length: missing"},
        {"\"shape\": {\"type\": \"sphere\", \"radius\": 1, \"category\": -1}", "shape.category"},
        {"\"shape\": {\"type\": \"sphere\", \"radius\": 1, \"touches\": -1}", "shape.touches"},
        {"\"shape\": {\"type\": \"sphere\", \"radius\": 1, \"material\": 7}", "shape.material"},
        {"\"shape\": {\"type\": \"sphere\", \"radius\": 1, \"category\": 0, \"touches\": 0}",
         "the shape touches nothing"},
        {"\"shape\": {\"type\": \"hull\", \"odd\": 1}", "shape.odd: unknown key"},
        {"\"shape\": {\"type\": \"hull\", \"file\": 7}", "shape.file: a string is expected"},
        {"\"shape\": {\"type\": \"hull\", \"points\": [[0, 0], [1, 1]]}", "shape.points"},
        {SURFACE("\"odd\": 1"), "shape.odd: unknown key"},
        {SURFACE(POINTS), "shape.triangles: missing"},
        {SURFACE(POINTS ", \"triangles\": [[0, 1]]"), "shape.triangles"},
        {SURFACE(POINTS ", \"triangles\": [[0, 1, 4]]"), "numbers of vertices, from 0"},
        {SURFACE(POINTS ", \"triangles\": [[0, 1, -1]]"), "numbers of vertices, from 0"},
        {SURFACE(POINTS ", \"triangles\": [[0, 1, 1.5]]"), "numbers of vertices, from 0"},
        {SURFACE(POINTS ", \"triangles\": [[0, 1, 2]]"), "are to enclose it"},
        {SURFACE("\"vertices\": 7"), "shape.vertices"},
        {SURFACE("\"triangles\": [[0, 1, 2]]"), "shape.vertices: missing, and so is file"},
        {FIELD("\"odd\": 1"), "shape.odd: unknown key"},
        {FIELD("\"heights\": 7"), "shape.heights"},
        {FIELD("\"heights\": [[0, 0], [0, 0]]"), "shape.spacing: missing"},
        {FIELD("\"spacing\": [1, 1]"), "shape.heights: two rows of two numbers at least"},
        {FIELD("\"heights\": [[0, 0]], \"spacing\": [1, 1]"), "two rows of two numbers at least"},
        {FIELD("\"heights\": [[0], [0]], \"spacing\": [1, 1]"), "two rows of two numbers at least"},
        {FIELD("\"heights\": [[0, 0], [0, 0]], \"spacing\": [0, 1]"), "both are to be positive"},
        {FIELD("\"heights\": [[0, 0], [0, 0]], \"spacing\": [1, 0]"), "both are to be positive"},
        {"\"mass\": 1, \"inertia\": [[1, 0], [0, 1]]", "inertia"},
        {"\"mass\": 1, \"inertia\": [1, 1]", "inertia"},
        {"\"mass\": 1", "inertia: missing; it follows from the shape"},
        {"\"density\": 0, \"shape\": {\"type\": \"sphere\", \"radius\": 1}", "density"},
        {"\"density\": 1, \"inertia\": [1, 1, 1]", "a density needs a shape with a volume"},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char text[1000];
        perp_scene_error error;
        snprintf(text, sizeof text, HEAD "\"bodies\": [{\"name\": \"b\", %s}]}", all[k].body);
        ck_assert_int_eq(scene_refusal(&error, text, all[k].words), PERP_ERR_FORMAT);
        ck_assert_msg(strstr(error.text, "bodies[0]") != NULL, "%s", error.text);
    }
}
END_TEST

static void refuse_file(const char *name, const char *scale, const char *words)
{
    char *text = malloc(strlen(name) + 400);
    ck_assert_ptr_nonnull(text);
    sprintf(text,
            HEAD "\"bodies\": [{\"name\": \"b\", \"fixed\": true, \"shape\": {\"type\": "
                 "\"surface\", \"file\": \"%s\"%s}}]}",
            name, scale);
    scene_ill_formed(text, words);
    free(text);
}

START_TEST(files_that_are_refused)
{
    char *name = malloc(5001);
    ck_assert_ptr_nonnull(name);
    memset(name, 'n', 5000);
    name[5000] = '\0';
    refuse_file(name, "", "shape.file: the path is too long");
    free(name);
    refuse_file(file, ", \"scale\": 0", "shape.scale: 0 leaves nothing of it");
    refuse_file(file, ", \"scale\": [1, 0, 1]", "shape.scale: 0 leaves nothing of it");
    refuse_file(file, ", \"scale\": [1, 1]", "shape.scale");
    refuse_file(file, ", \"scale\": \"two\"", "shape.scale");
    refuse_file(file, ", \"scale\": 1e301", "shape.scale");
    refuse_file("/nowhere/a.stl", "", "shape.file: '/nowhere/a.stl': ");
}
END_TEST

static perp_status attempt(const void *text, const perp_allocator *allocator,
                           perp_scene_error *error)
{
    perp_scene *scene;
    perp_status status = perp_scene_create_from_text(&scene, text, NULL, allocator, error);
    ck_assert((status == PERP_SOLVED) == (scene != NULL));
    perp_scene_destroy(scene);
    return status;
}

START_TEST(memory)
{
    char text[1600];
    snprintf(text, sizeof text,
             HEAD
             "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": \"surface\", "
             "\"file\": \"%s\"}}, {\"name\": \"h\", \"mass\": 1, \"position\": [9, 0, 0], "
             "\"shape\": {\"type\": \"hull\", "
             "\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"
             "}}, {\"name\": \"c\", \"mass\": 1, "
             "\"position\": [20, 0, 0], \"copies\": {\"count\": [2, 1, 1], \"spacing\": [5, 1, "
             "1]}, \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}, {\"type\": \"box\", "
             "\"sides\": [1, 1, 1]}]}, {\"name\": \"f\", \"fixed\": true, \"position\": [0, 0, "
             "-9], \"shape\": {\"type\": \"height-field\", \"heights\": [[0, 0], [0, 0]], "
             "\"spacing\": [1, 1]}}, {\"name\": \"t\", \"mass\": 1, \"position\": [0, 9, 0], "
             "\"shape\": {\"type\": \"surface\", " POINTS ", \"triangles\": [[0, 2, 1], [0, 1, "
             "3], [1, 2, 3], [0, 3, 2]]}}]}",
             file);
    ck_assert_int_gt(scene_attempts(attempt, text), 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shape files");
    TCase *tcase = tcase_create("shape files");
    tcase_add_checked_fixture(tcase, make_file, remove_file);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, scales);
    tcase_add_test(tcase, small_scales);
    tcase_add_test(tcase, inside_out);
    tcase_add_test(tcase, copies_of_several_shapes);
    tcase_add_test(tcase, refusals);
    tcase_add_test(tcase, files_that_are_refused);
    tcase_add_test(tcase, memory);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
