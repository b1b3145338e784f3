/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of scenes: files of triangles, masses from density, surfaces, and what is refused. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>

#include "scene/mesh_file.h"

static const char obj[] = "# a tetrahedron\nv 0 0 0\nv 1 0 0\r\nv 0 1. 0\nv 0 0 1e0\nvn 0 0 1\n"
                          "f 1//1 3//1 2//1\nf -4 -3 -1\nf 2/1/1 3/1/1 4/1/1\nf 1 4 3\n";
static const char stl[] =
    "solid s\n facet normal 0 0 0\n outer loop\n vertex 0 0 0\n vertex 0 1 0\n"
    " vertex 1 0 0\n endloop\n endfacet\n facet normal 0 0 0\n outer loop\n"
    " VERTEX 0 0 0\n vertex 1 0 0\n vertex 0 0 1\n endloop\n endfacet\nendsolid\n";

static int parse(perp_scene_mesh *mesh, const char *name, const char *bytes, size_t length)
{
    char text[200];
    return perp_scene_mesh_parse(mesh, name, bytes, length, text, sizeof text);
}

START_TEST(files_of_text)
{
    perp_scene_mesh mesh;
    ck_assert_int_eq(parse(&mesh, "t.OBJ", obj, strlen(obj)), 0);
    ck_assert_int_eq(mesh.vertices, 4);
    ck_assert_int_eq(mesh.triangles, 4);
    const int want[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    for (int i = 0; i < 12; i++)
        ck_assert_int_eq(mesh.triangle[i], want[i]);
    perp_scene_mesh_free(&mesh);
    ck_assert_int_eq(parse(&mesh, "t.stl", stl, strlen(stl)), 0);
    ck_assert_int_eq(mesh.vertices, 4);
    ck_assert_int_eq(mesh.triangles, 2);
    perp_scene_mesh_free(&mesh);
    /* Points alone are those of a hull. */
    ck_assert_int_eq(parse(&mesh, "p.obj", obj, (size_t)(strstr(obj, "vn") - obj)), 0);
    ck_assert_int_eq(mesh.vertices, 4);
    ck_assert_int_eq(mesh.triangles, 0);
    perp_scene_mesh_free(&mesh);
}
END_TEST

/* A binary file may begin with "solid"; numbers are little endian. */
START_TEST(files_of_bytes)
{
    unsigned char bytes[84 + 100] = "solid but not text";
    const float corner[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 1, 0, 0, 1, 0}};
    perp_scene_mesh mesh;
    bytes[80] = 2;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 9; i++) {
            unsigned bits;
            memcpy(&bits, &corner[t][i], sizeof bits);
            for (int k = 0; k < 4; k++)
                bytes[84 + 50 * t + 12 + 4 * i + k] = (unsigned char)(bits >> 8 * k);
        }
    ck_assert_int_eq(parse(&mesh, "a.stl", (const char *)bytes, sizeof bytes), 0);
    ck_assert_int_eq(mesh.vertices, 4);
    ck_assert_int_eq(mesh.triangles, 2);
    ck_assert_double_eq(mesh.vertex[3], 1.0);
    perp_scene_mesh_free(&mesh);
    /* Cut short it is neither binary nor text. */
    ck_assert_int_eq(parse(&mesh, "a.stl", (const char *)bytes, sizeof bytes - 1), -1);
}
END_TEST

/* Each prefix and each byte changed: an answer, and no memory that is not there. */
START_TEST(broken_files)
{
    perp_scene_mesh mesh;
    const char *bad[] = {"v 0 0\nf 1 1 1\n", "v 0 0 x\n",   "f 1 2 3\n", "v 0 0 0\nf 0 1 1\n",
                         "v 0 0 0\nf 1 1\n", "v nan 0 0\n", ""};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ck_assert_int_eq(parse(&mesh, "b.obj", bad[k], strlen(bad[k])), -1);
    ck_assert_int_eq(parse(&mesh, "b.dae", obj, strlen(obj)), -1);
    for (int form = 0; form < 2; form++) {
        const char *text = form ? stl : obj;
        size_t length = strlen(text);
        char *copy = malloc(length);
        for (size_t k = 0; k < length; k++) {
            memcpy(copy, text, length);
            copy[k] = (char)(copy[k] ^ (1 << k % 8));
            for (size_t n = length; n + 40 > length; n -= 13)
                if (parse(&mesh, form ? "c.stl" : "c.obj", copy, n) == 0)
                    perp_scene_mesh_free(&mesh);
        }
        free(copy);
    }
}
END_TEST

#define HEAD                                                                                       \
    "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.002}, \"gravity\": [0, 0, -9.81],\n"
#define FLOOR "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}"

static perp_scene *open_scene(const char *text)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    ck_assert_msg(perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    return scene;
}

static const double *state(perp_scene *scene, const char *name)
{
    perp_scene_system_info info = {.size = sizeof info};
    double *q;
    ck_assert_int_eq(perp_scene_system(scene, perp_scene_find_system(scene, name), &info),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_model_state(perp_scene_model(scene), info.id, &q, NULL, NULL, NULL),
                     PERP_SOLVED);
    return q;
}

/* The state is the centre of mass, wherever the shapes have their origin. */
START_TEST(centres_of_mass)
{
    perp_scene *scene = open_scene(
        HEAD
        "\"bodies\": [" FLOOR
        ", {\"name\": \"cone\", \"shape\": {\"type\": \"cone\", \"radius\": 0.2, "
        "\"height\": 0.4}, \"density\": 100, \"position\": [1, 2, 3]},"
        "{\"name\": \"two\", \"shapes\": [{\"type\": \"box\", \"sides\": [0.2, 0.2, 0.2]}, "
        "{\"type\": "
        "\"box\", \"sides\": [0.2, 0.2, 0.6], \"position\": [1, 0, 0]}], \"mass\": 4, "
        "\"rotation\": "
        "[0, 0, 1.5707963267948966]},"
        "{\"name\": \"given\", \"shape\": {\"type\": \"cone\", \"radius\": 0.2, \"height\": 0.4}, "
        "\"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [5, 2, 3]}], \"contacts\": {}}");
    const double *cone = state(scene, "cone"), *two = state(scene, "two"),
                 *given = state(scene, "given");
    ck_assert_double_eq_tol(cone[0], 1.0, 1e-14);
    ck_assert_double_eq_tol(cone[2], 3.1, 1e-14);
    ck_assert_double_eq_tol(two[0], 0.0, 1e-14);
    ck_assert_double_eq_tol(two[1], 0.75, 1e-14);
    ck_assert_double_eq_tol(given[2], 3.0, 1e-14);
    perp_scene_destroy(scene);
}
END_TEST

/* What is put on a floor of heights lies there. */
START_TEST(a_field_carries)
{
    perp_scene *scene = open_scene(
        HEAD
        "\"bodies\": [{\"name\": \"field\", \"fixed\": true, \"position\": [0, 0, 1], \"shape\": "
        "{\"type\": \"height-field\", \"heights\": [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], "
        "\"spacing\": [1, 0.5]}},"
        "{\"name\": \"box\", \"shape\": {\"type\": \"box\", \"sides\": [0.4, 0.4, 0.2]}, "
        "\"density\": 100, \"position\": [0.1, 0.05, 1.1]},"
        "{\"name\": \"off\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 100, "
        "\"position\": [1.2, 0, 1.1]}], \"contacts\": {\"mu\": 0.5}}");
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene_run_options_init(&options, sizeof options);
    ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_SOLVED);
    ck_assert_double_eq_tol(state(scene, "box")[2], 1.1, 1e-9);
    ck_assert_double_lt(state(scene, "off")[2], 0.5);
    perp_scene_destroy(scene);
}
END_TEST

START_TEST(refused)
{
    static const char *const bad[][2] = {
        {"{\"type\": \"cylinder\", \"radius\": 0, \"length\": 1}", "radius"},
        {"{\"type\": \"cone\", \"radius\": 1, \"length\": 1}", "length"},
        {"{\"type\": \"ellipsoid\", \"radii\": [1, 1, 0]}", "radii"},
        {"{\"type\": \"hull\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}",
         "points"},
        {"{\"type\": \"hull\"}", "points"},
        {"{\"type\": \"hull\", \"file\": \"/no/such/file.stl\"}", "file"},
        {"{\"type\": \"torus\"}", "type"},
        {"{\"type\": \"height-field\", \"heights\": [[0, 0], [0, 0]], \"spacing\": [1, 1]}",
         "shape"},
        {"{\"type\": \"surface\", \"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "
         "\"triangles\": [[0, 1, 2]]}",
         "shape"},
        {"{\"type\": \"surface\", \"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "
         "\"triangles\": [[0, 1, 3]]}",
         "triangles"},
        {"{\"type\": \"box\", \"sides\": [1, 1, 1], \"quaternion\": [0, 0, 0, 0]}", "quaternion"},
        {"{\"type\": \"box\", \"sides\": [1, 1, 1], \"group\": -1}", "group"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[1000];
        perp_scene_error error = {.size = sizeof error};
        perp_scene *scene = NULL;
        strcpy(text, HEAD "\"bodies\": [" FLOOR ", {\"name\": \"b\", \"density\": 1, \"shape\": ");
        strcat(text, bad[k][0]);
        strcat(text, "}], \"contacts\": {}}");
        ck_assert_int_lt(perp_scene_create_from_text(&scene, text, NULL, NULL, &error), 0);
        ck_assert_msg(strstr(error.text, bad[k][1]) != NULL, "%s", error.text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shapes");
    TCase *tcase = tcase_create("shapes");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, files_of_text);
    tcase_add_test(tcase, files_of_bytes);
    tcase_add_test(tcase, broken_files);
    tcase_add_test(tcase, centres_of_mass);
    tcase_add_test(tcase, a_field_carries);
    tcase_add_test(tcase, refused);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
