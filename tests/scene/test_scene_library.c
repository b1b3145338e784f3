/* SPDX-License-Identifier: BSD-3-Clause */
/* <perp/scene.h>: a scene from its text, its names and its rows, its errors and warnings, structs
 * of other sizes, and memory that runs out. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perp/narrow_phase.h>
#include <perp/scene.h>

#include "config.h"
#include "tests/fixtures/scene_text.h"

START_TEST(names_and_parts)
{
    perp_scene *scene = scene_of(scene_heap, NULL);
    perp_scene_system_info system = {.size = sizeof system};
    perp_scene_interaction_info interaction = {.size = sizeof interaction};

    ck_assert_int_eq(perp_scene_systems(scene), 3);
    ck_assert_int_eq(perp_scene_interactions(scene), 0);
    ck_assert_int_eq(perp_scene_find_system(scene, "box"), 1);
    ck_assert_int_eq(perp_scene_find_system(scene, "nothing"), -1);
    ck_assert_int_eq(perp_scene_find_system(scene, NULL), -1);
    ck_assert_int_eq(perp_scene_find_interaction(scene, "box"), -1);
    ck_assert_int_eq(perp_scene_system(scene, 0, &system), PERP_SOLVED);
    ck_assert_str_eq(system.name, "floor");
    ck_assert_int_eq(system.kind, PERP_SCENE_FIXED);
    ck_assert_int_eq(perp_scene_system(scene, 1, &system), PERP_SOLVED);
    ck_assert_int_eq(system.kind, PERP_SCENE_BODY);
    ck_assert_int_eq(system.nx, 7);
    ck_assert_int_eq(system.nv, 6);
    ck_assert_int_eq(perp_scene_system(scene, 3, &system), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scene_system(scene, 0, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scene_interaction(scene, 0, &interaction), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_shapes(perp_scene_collider(scene)), 3);
    ck_assert_ptr_null(perp_scene_title(scene));
    perp_scene_destroy(scene);

    scene = scene_of(scene_bouncing, NULL);
    ck_assert_int_eq(perp_scene_find_interaction(scene, "ground"), 0);
    ck_assert_int_eq(perp_scene_interaction(scene, 0, &interaction), PERP_SOLVED);
    ck_assert_int_eq(interaction.rows, 1);
    ck_assert_ptr_null(perp_scene_collider(scene));
    ck_assert_double_eq(perp_scene_until(scene), 1.0);
    ck_assert_double_eq(perp_scene_step(scene), 0.01);
    ck_assert_double_eq(perp_scene_t0(scene), 0.0);
    perp_scene_destroy(scene);
}
END_TEST

START_TEST(rows_stay_in_memory)
{
    perp_scene *scene = scene_of(scene_bouncing, NULL);
    perp_recorder *recorder = perp_scene_recorder(scene);
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    const double *last;

    const int columns = perp_recorder_columns(recorder);
    ck_assert_int_eq(columns, 12);
    ck_assert_str_eq(perp_recorder_name(recorder, 0), "t");
    ck_assert_str_eq(perp_recorder_name(recorder, 1), "ball.q");
    ck_assert_str_eq(perp_recorder_name(recorder, 4), "ground.lambda");
    ck_assert_str_eq(perp_recorder_name(recorder, 7), "active");
    for (int k = 8; k < columns; k++) /* those of the certificate */
        ck_assert_ptr_nonnull(perp_recorder_name(recorder, k));
    ck_assert_ptr_null(perp_recorder_name(recorder, columns));
    perp_scene_run_options_init(&options, sizeof options);
    options.keep_rows = 1;
    options.until = 0.2;
    ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_SOLVED);
    ck_assert_int_eq(info.status, PERP_SOLVED);
    ck_assert_int_eq(info.steps, 20);
    ck_assert_int_eq(info.last, 20);
    ck_assert_int_eq(perp_recorder_rows(recorder), 21);
    last = perp_recorder_data(recorder) + (size_t)20 * (size_t)columns;
    ck_assert_double_eq_tol(last[0], 0.2, 1e-15);
    ck_assert_double_eq_tol(last[2], -9.81 * 0.2, 1e-12);
    ck_assert_double_eq_tol(last[5], 0.5 * last[2] * last[2], 1e-12);
    /* Goes on from there. */
    options.until = 0.3;
    ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_SOLVED);
    ck_assert_int_eq(info.first, 20);
    ck_assert_int_eq(info.steps, 30);
    perp_scene_destroy(scene);
}
END_TEST

/* Names by hash: many copies, each found; and a name that is taken is refused, before or behind the
 * copies. */
START_TEST(names_of_many_copies)
{
    enum { SIDE = 220 };
    static const char *const taken[] = {
        "{\"name\": \"a-7\", \"fixed\": true, \"shape\": {\"type\": \"sphere\", \"radius\": 1}}, "
        "%s",
        "%s, {\"name\": \"a-7\", \"fixed\": true, \"shape\": {\"type\": \"sphere\", \"radius\": "
        "1}}"};
    char copies[256], bodies[512], text[1024], name[32];
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;

    snprintf(copies, sizeof copies,
             "{\"name\": \"a\", \"fixed\": true, \"shape\": {\"type\": \"sphere\", \"radius\": 1}, "
             "\"copies\": {\"count\": [%d, %d, 1], \"spacing\": [3, 3, 0]}}",
             SIDE, SIDE);
    snprintf(
        text, sizeof text,
        "{\"version\": 1, \"time\": {\"step\": 0.1, \"until\": 1}, \"bodies\": [%s, {\"name\": "
        "\"a\", \"mass\": 1, \"inertia\": [1, 1, 1]}]}",
        copies);
    scene = scene_of(text, NULL);
    ck_assert_int_eq(perp_scene_systems(scene), SIDE * SIDE + 1);
    for (int k = 0; k < SIDE * SIDE; k++) {
        snprintf(name, sizeof name, "a-%d", k);
        ck_assert_int_eq(perp_scene_find_system(scene, name), k);
    }
    ck_assert_int_eq(perp_scene_find_system(scene, "a"), SIDE * SIDE);
    ck_assert_int_eq(perp_scene_find_system(scene, "a-48400"), -1);
    ck_assert_int_eq(perp_scene_find_interaction(scene, "a"), -1);
    perp_scene_destroy(scene);
    for (size_t k = 0; k < 2; k++) {
        snprintf(bodies, sizeof bodies, taken[k], copies);
        snprintf(text, sizeof text,
                 "{\"version\": 1, \"time\": {\"step\": 0.1, \"until\": 1}, \"bodies\": [%s]}",
                 bodies);
        ck_assert_int_ne(perp_scene_create_from_text(&scene, text, NULL, NULL, &error),
                         PERP_SOLVED);
        ck_assert_ptr_nonnull(strstr(error.text, "bodies[1]"));
        ck_assert_ptr_nonnull(strstr(error.text, "the name 'a-7' is taken"));
    }
}
END_TEST

START_TEST(options_take_the_place_of_the_text)
{
    static const char *const settings[] = {"max_iter=77", "tol=1e-6"};
    perp_scene_options options;
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;

    perp_scene_options_init(&options, sizeof options);
    options.until = 0.5;
    options.step = 0.02;
    options.solver = "lemke";
    options.scheme = "moreau-jean";
    options.settings = settings;
    options.nsettings = 2;
    scene = scene_of(scene_bouncing, &options);
    ck_assert_double_eq(perp_scene_until(scene), 0.5);
    ck_assert_double_eq(perp_scene_step(scene), 0.02);
    ck_assert_int_eq(perp_scene_check(scene, &error), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_run(scene, NULL, NULL), PERP_SOLVED);
    perp_scene_destroy(scene);
    options.solver = "lemk";
    options.name = "here";
    ck_assert_int_eq(perp_scene_create_from_text(&scene, scene_bouncing, &options, NULL, &error),
                     PERP_ERR_FORMAT);
    ck_assert_ptr_null(scene);
    ck_assert_str_eq(error.key, "solver.name");
    ck_assert_ptr_nonnull(
        strstr(error.text, "here: solver.name: there is no solver 'lemk'; did you mean 'lemke'?"));
}
END_TEST

START_TEST(errors_name_key_and_line)
{
    static const struct {
        const char *text, *key, *says;
        int line;
    } cases[] = {
        {SCENE_TIME "\"sistems\": []}", "sistems", "did you mean 'systems'", 2},
        {SCENE_TIME "\"systems\": [\n {\"type\": \"lagrangian\",\n \"q0\": [1,\n \"x\"]}]}",
         "systems[0].q0[1]", "a number is expected", 5},
        {SCENE_TIME SCENE_SYSTEMS "\"record\": {\"quantities\": [\"bal.q\"]}}",
         "record.quantities[0]", "did you mean 'ball'", 4},
        {SCENE_TIME SCENE_SYSTEMS "\"schemes\": [\n{\"name\": \"moreau-jean\",\n\"theta\": 2}]}",
         "schemes[0].theta", "out of its range", 6},
        {"{\"version\": 1,\n \"time\": {\"until\": 1}}", "time.step", "missing", 2},
        {"{\"version\": 1,\n}", "", "line 2", 2},
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        perp_scene_error error = {.size = sizeof error};
        perp_scene *scene;
        ck_assert_int_eq(perp_scene_create_from_text(&scene, cases[k].text, NULL, NULL, &error),
                         PERP_ERR_FORMAT);
        ck_assert_ptr_null(scene);
        ck_assert_str_eq(error.key, cases[k].key);
        ck_assert_int_eq(error.line, cases[k].line);
        ck_assert_msg(strstr(error.text, cases[k].says) != NULL, "%s", error.text);
        ck_assert_msg(strncmp(error.text, "scene: ", 7) == 0, "%s", error.text);
    }
}
END_TEST

START_TEST(what_is_missing_is_answered)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene = (perp_scene *)&error;

    ck_assert_int_eq(perp_scene_create_from_file(&scene, "/nowhere/a.json", NULL, NULL, &error),
                     PERP_ERR_OPEN);
    ck_assert_ptr_null(scene);
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/a.json"));
    ck_assert_int_eq(perp_scene_create_from_file(NULL, "a", NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scene_create_from_text(&scene, NULL, NULL, NULL, NULL),
                     PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(perp_scene_model(NULL));
    ck_assert_ptr_null(perp_scene_sim(NULL));
    ck_assert_ptr_null(perp_scene_collider(NULL));
    ck_assert_ptr_null(perp_scene_recorder(NULL));
    ck_assert_ptr_null(perp_scene_title(NULL));
    ck_assert_int_eq(perp_scene_systems(NULL), 0);
    ck_assert_int_eq(perp_scene_find_system(NULL, "a"), -1);
    ck_assert_int_eq(perp_scene_check(NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scene_run(NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scene_save(NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scene_load(NULL, NULL, 0, NULL), PERP_ERR_ARGUMENT);
    perp_scene_destroy(NULL);
    perp_scene_options_init(NULL, 0);
    perp_scene_run_options_init(NULL, 0);
    ck_assert_int_eq(perp_scene_check_problems("rows >= 3"), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_check_problems("rows >= x"), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scene_check_problems(NULL), PERP_ERR_ARGUMENT);
}
END_TEST

START_TEST(structs_of_other_sizes)
{
    struct {
        perp_scene_run_options options;
        double more;
    } longer;
    struct {
        size_t size;
        perp_status status;
        double t;
        long guard;
    } shorter = {offsetof(perp_scene_run_info, steps), PERP_STALLED, -1.0, 42};
    perp_scene *scene = scene_of(scene_bouncing, NULL);

    memset(&longer, 0, sizeof longer);
    perp_scene_run_options_init(&longer.options, sizeof longer);
    longer.options.until = 0.1;
    ck_assert_int_eq(
        perp_scene_run(scene, &longer.options, (perp_scene_run_info *)(void *)&shorter),
        PERP_SOLVED);
    ck_assert_double_eq_tol(shorter.t, 0.1, 1e-15);
    ck_assert_int_eq(shorter.guard, 42);
    longer.more = 1.0;
    ck_assert_int_eq(perp_scene_run(scene, &longer.options, NULL), PERP_ERR_ARGUMENT);
    longer.options.size = 0;
    ck_assert_int_eq(perp_scene_run(scene, &longer.options, NULL), PERP_ERR_ARGUMENT);
    perp_scene_destroy(scene);
}
END_TEST

static void run_out(const char *text)
{
    perp_status status = PERP_ERR_MEMORY;

    for (int allowed = 0; allowed < 5000 && status == PERP_ERR_MEMORY; allowed++) {
        scene_meter m = {allowed, 0};
        perp_allocator allocator = {scene_meter_allocate, scene_meter_release, &m};
        perp_scene_error error = {.size = sizeof error};
        perp_scene *scene;
        status = perp_scene_create_from_text(&scene, text, NULL, &allocator, &error);
        ck_assert_msg(status == PERP_ERR_MEMORY || status == PERP_SOLVED, "%s", error.text);
        ck_assert(status == PERP_SOLVED || scene == NULL);
        perp_scene_destroy(scene);
        ck_assert_int_eq(m.live, 0);
    }
    ck_assert_int_eq(status, PERP_SOLVED);
}

START_TEST(memory_runs_out)
{
    run_out(scene_bouncing);
    run_out(scene_heap);
}
END_TEST

static const char odd[] =
    "{\"version\": 1, \"time\": {\"until\": 0.1, \"step\": 0.01},\n" SCENE_SYSTEMS
    "\"schemes\": [{\"name\": \"moreau-jean\", \"theta\": 0.5,\n \"gamma\": 0.5}],\n" SCENE_GROUND
    "}";
static const char deep[] =
    SCENE_TIME "\"bodies\": [\n"
               " {\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},\n"
               " {\"name\": \"ball\", \"mass\": 1, \"position\": [0, 0, 0.05],\n"
               "  \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}],\n"
               "\"contacts\": {}}";

START_TEST(warnings_say_what_was_done)
{
    perp_scene *scene = scene_of(scene_bouncing, NULL);
    perp_scene_error warning = {.size = sizeof warning};
    perp_scheme scheme;
    perp_scene_system_info ball = {.size = sizeof ball};

    ck_assert_int_eq(perp_scene_warnings(NULL), 0);
    ck_assert_int_eq(perp_scene_warnings(scene), 0);
    ck_assert_int_eq(perp_scene_warning(scene, 0, &warning), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(perp_scene_solver(scene));
    ck_assert_double_eq(perp_scene_tol(scene), 1e-8);
    ck_assert_double_eq(perp_scene_tol(NULL), 0.0);
    perp_scene_destroy(scene);

    scene = scene_of(odd, NULL);
    ck_assert_int_eq(perp_scene_warnings(scene), 1);
    ck_assert_int_eq(perp_scene_warning(scene, 0, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scene_warning(scene, -1, &warning), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scene_warning(scene, 0, &warning), PERP_SOLVED);
    ck_assert_str_eq(warning.key, "schemes[0].gamma");
    ck_assert_int_eq(warning.line, 5);
    ck_assert_str_eq(warning.text,
                     "scene: schemes[0].gamma: moreau-jean does not read it; it has no "
                     "effect (line 5)");
    perp_scene_system(scene, 0, &ball);
    perp_scheme_init(&scheme, "euler-moreau", sizeof scheme);
    ck_assert_int_eq(perp_sim_scheme(perp_scene_sim(scene), ball.id, &scheme), PERP_SOLVED);
    ck_assert_str_eq(scheme.name, "moreau-jean");
    ck_assert_double_eq(scheme.gamma, 0.5);
    ck_assert_ptr_nonnull(strstr(perp_scheme_reads("moreau-jean"), "theta"));
    ck_assert_ptr_null(perp_scheme_reads("moreau"));
    perp_scene_destroy(scene);

    /* What only the start shows, once. */
    scene = scene_of(deep, NULL);
    ck_assert_int_eq(perp_scene_warnings(scene), 0);
    ck_assert_int_eq(perp_scene_check(scene, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_check(scene, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_run(scene, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_warnings(scene), 1);
    ck_assert_int_eq(perp_scene_warning(scene, 0, &warning), PERP_SOLVED);
    ck_assert_str_eq(warning.key, "");
    ck_assert_int_eq(warning.line, 0);
    ck_assert_ptr_nonnull(strstr(warning.text, "'ball' and 'floor' by 0.05"));
    perp_scene_destroy(scene);
}
END_TEST

START_TEST(narrow_phases_by_themselves)
{
    perp_narrow_phase narrow;
    perp_status status = perp_narrow_phase_create(&narrow, NULL);

    ck_assert_int_eq(perp_narrow_phase_create(NULL, NULL), PERP_ERR_ARGUMENT);
    perp_narrow_phase_destroy(NULL);
#ifdef HAVE_ODE
    ck_assert_int_eq(status, PERP_SOLVED);
#else
    ck_assert_int_eq(status, PERP_ERR_UNSUPPORTED);
#endif
    perp_narrow_phase_destroy(&narrow);
    perp_narrow_phase_destroy(&narrow);
    for (int allowed = 0; allowed < 3 && status == PERP_SOLVED; allowed++) {
        scene_meter m = {allowed, 0};
        perp_allocator allocator = {scene_meter_allocate, scene_meter_release, &m};
        ck_assert_int_eq(perp_narrow_phase_create(&narrow, &allocator),
                         allowed < 2 ? PERP_ERR_MEMORY : PERP_SOLVED);
        perp_narrow_phase_destroy(&narrow);
        ck_assert_int_eq(m.live, 0);
    }
}
END_TEST

static TCase *cases_with_scenes(void)
{
    TCase *tcase = tcase_create("scenes");

    tcase_add_test(tcase, names_and_parts);
    tcase_add_test(tcase, rows_stay_in_memory);
    tcase_add_test(tcase, names_of_many_copies);
    tcase_add_test(tcase, options_take_the_place_of_the_text);
    tcase_add_test(tcase, errors_name_key_and_line);
    tcase_add_test(tcase, what_is_missing_is_answered);
    tcase_add_test(tcase, structs_of_other_sizes);
    tcase_add_test(tcase, memory_runs_out);
    tcase_add_test(tcase, warnings_say_what_was_done);
    return tcase;
}

START_TEST(without_jansson)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;

    ck_assert_int_eq(perp_scene_create_from_text(&scene, scene_bouncing, NULL, NULL, &error),
                     PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_null(scene);
    ck_assert_ptr_nonnull(strstr(error.text, "libjansson-dev"));
}
END_TEST

int main(void)
{
#ifdef HAVE_JANSSON
    const int has_scenes = 1;
#else
    const int has_scenes = 0;
#endif
    Suite *suite = suite_create("scene library");
    TCase *tcase = tcase_create("narrow phase");
    tcase_add_test(tcase, narrow_phases_by_themselves);
    if (!has_scenes)
        tcase_add_test(tcase, without_jansson);
    suite_add_tcase(suite, tcase);
    tcase = cases_with_scenes();
    if (has_scenes)
        suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
