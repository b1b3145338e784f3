/* SPDX-License-Identifier: BSD-3-Clause */
/* <perp/scene.h>: runs that are ended, that go on with the same bits, their files, and what stops
 * them. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "tests/fixtures/scene_text.h"

static int stop_at_seven(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    (void)ctx, (void)scene;
    return info->steps == 7;
}

static int refuse(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    (void)ctx, (void)sim, (void)model, (void)h;
    return t > 0.1;
}

START_TEST(a_run_is_ended_by_callbacks)
{
    perp_scene *scene = scene_of(scene_bouncing, NULL);
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};

    perp_scene_run_options_init(&options, sizeof options);
    options.progress = stop_at_seven;
    ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_INTERRUPTED);
    ck_assert_int_eq(info.steps, 7);
    ck_assert_ptr_nonnull(strstr(info.detail, "interrupted at t = 0.07"));
    options.progress = NULL;
    perp_scene_set_before_step(scene, refuse, NULL);
    ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_INTERRUPTED);
    ck_assert_ptr_nonnull(strstr(info.detail, "the step from t = 0.11"));
    perp_scene_set_before_step(scene, NULL, NULL);
    ck_assert_int_eq(perp_scene_run(scene, &options, NULL), PERP_SOLVED);
    perp_scene_destroy(scene);
}
END_TEST

static int at_once(void *ctx)
{
    ++*(int *)ctx;
    return 1;
}

/* Not before the first step, where it is asked twice. */
static int in_a_solve(void *ctx)
{
    return ++*(int *)ctx > 2;
}

/* Before anything is written: what the folder has stays. */
START_TEST(a_run_is_ended_before_it_begins)
{
    char folder[] = "/tmp/perp-scene-XXXXXX", command[128];
    perp_scene *scene = scene_of(scene_heap, NULL);
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    int asked = 0;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    options.stop = at_once;
    options.stop_ctx = &asked;
    ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_INTERRUPTED);
    ck_assert_int_eq(asked, 1);
    ck_assert_int_eq(info.steps, 0);
    ck_assert_ptr_nonnull(strstr(info.detail, "nothing was written"));
    snprintf(command, sizeof command, "rmdir %s", folder); /* empty */
    ck_assert_int_eq(system(command), 0);
    perp_scene_destroy(scene);
}
END_TEST

/* Within a solve: the step is given up, and made with the same bits when the run goes on. */
START_TEST(a_run_is_ended_within_a_step)
{
    perp_scene *scene = scene_of(scene_heap, NULL), *other = scene_of(scene_heap, NULL);
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    double *q, *same;
    int asked = 0;

    perp_scene_run_options_init(&options, sizeof options);
    options.stop = in_a_solve;
    options.stop_ctx = &asked;
    ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_INTERRUPTED);
    ck_assert_int_gt(asked, 2);
    ck_assert_double_lt(info.t, 0.5);
    ck_assert_int_eq(perp_scene_run(scene, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_run(other, NULL, NULL), PERP_SOLVED);
    for (int k = 1; k < 3; k++) {
        perp_scene_system_info system = {.size = sizeof system};
        ck_assert_int_eq(perp_scene_system(scene, k, &system), PERP_SOLVED);
        perp_model_state(perp_scene_model(scene), system.id, &q, NULL, NULL, NULL);
        ck_assert_int_eq(perp_scene_system(other, k, &system), PERP_SOLVED);
        perp_model_state(perp_scene_model(other), system.id, &same, NULL, NULL, NULL);
        ck_assert_mem_eq(q, same, 7 * sizeof *q);
    }
    perp_scene_destroy(scene);
    perp_scene_destroy(other);
}
END_TEST

START_TEST(a_saved_state_goes_on_with_the_same_bits)
{
    perp_scene *one = scene_of(scene_bouncing, NULL), *two = scene_of(scene_bouncing, NULL), *other;
    perp_scene_error error = {.size = sizeof error};
    perp_scene_run_options options;
    perp_scene_options changes;
    double *q[2] = {NULL, NULL};
    perp_scene_system_info ball = {.size = sizeof ball};
    size_t bytes = 0, small = 8;
    void *block;

    perp_scene_run_options_init(&options, sizeof options);
    options.until = 0.4;
    ck_assert_int_eq(perp_scene_run(one, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_save(one, NULL, &bytes), PERP_SOLVED);
    block = malloc(bytes);
    ck_assert_int_eq(perp_scene_save(one, block, &small), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scene_save(one, block, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_load(two, block, bytes, &error), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_run(one, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_run(two, NULL, NULL), PERP_SOLVED);
    perp_scene_system(one, 0, &ball);
    perp_model_state(perp_scene_model(one), ball.id, &q[0], NULL, NULL, NULL);
    perp_model_state(perp_scene_model(two), ball.id, &q[1], NULL, NULL, NULL);
    ck_assert_int_eq(memcmp(q[0], q[1], sizeof(double)), 0);
    perp_scene_options_init(&changes, sizeof changes);
    changes.step = 0.005;
    other = scene_of(scene_bouncing, &changes);
    ck_assert_int_eq(perp_scene_load(other, block, bytes, &error), PERP_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "another scene"));
    ((char *)block)[bytes / 2] ^= 1;
    ck_assert_int_eq(perp_scene_load(two, block, bytes, &error), PERP_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "damaged"));
    ck_assert_int_eq(perp_scene_load(two, block, 5, &error), PERP_ERR_FORMAT);
    free(block);
    perp_scene_destroy(one);
    perp_scene_destroy(two);
    perp_scene_destroy(other);
}
END_TEST

START_TEST(files_of_a_run)
{
    char folder[] = "/tmp/perp-scene-XXXXXX", path[256], line[64] = "";
    perp_scene *scene = scene_of(scene_bouncing, NULL);
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    FILE *f;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    options.problems = "rows>0";
    ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_SOLVED);
    ck_assert_int_eq(perp_recorder_rows(perp_scene_recorder(scene)), 0);
    ck_assert_int_gt(info.problems, 0);
    snprintf(path, sizeof path, "%s/series.csv", folder);
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    ck_assert_ptr_eq(strstr(line, "t,ball.q,ball.v,ground.y,ground.lambda,kinetic,energy,active,"),
                     line);
    fclose(f);
    snprintf(path, sizeof path, "%s/checkpoint", folder);
    ck_assert_int_eq(access(path, F_OK), 0);
    options.folder = path; /* no folder */
    ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_ERR_OPEN);
    ck_assert_ptr_nonnull(strstr(info.detail, path));
    options.folder = NULL;
    ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_ERR_ARGUMENT);
    perp_scene_destroy(scene);
    snprintf(path, sizeof path, "rm -r %s", folder);
    ck_assert_int_eq(system(path), 0);
}
END_TEST

START_TEST(a_run_without_memory_is_answered)
{
    for (int allowed = 0; allowed < 40; allowed++) {
        scene_meter m = {1 << 30, 0};
        perp_allocator allocator = {scene_meter_allocate, scene_meter_release, &m};
        perp_scene *scene;
        perp_scene_run_options options;
        perp_status status;
        ck_assert_int_eq(
            perp_scene_create_from_text(&scene, scene_bouncing, NULL, &allocator, NULL),
            PERP_SOLVED);
        perp_scene_run_options_init(&options, sizeof options);
        options.keep_rows = 1;
        m.left = allowed;
        status = perp_scene_run(scene, &options, NULL);
        ck_assert(status == PERP_ERR_MEMORY || status == PERP_SOLVED);
        perp_scene_destroy(scene);
        ck_assert_int_eq(m.live, 0);
    }
}
END_TEST

START_TEST(contacts_say_what_they_lack)
{
    perp_scene *scene = scene_of(scene_heap, NULL);
    perp_scene_run_info info = {.size = sizeof info};
    perp_status status = perp_scene_run(scene, NULL, &info);

#ifdef HAVE_ODE
    ck_assert_msg(status == PERP_SOLVED, "%s", info.detail);
#else
    ck_assert_int_eq(status, PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(info.detail, "contact detection at t = "));
    ck_assert_ptr_nonnull(strstr(info.detail, "libode-dev"));
#endif
    perp_scene_destroy(scene);
}
END_TEST

START_TEST(a_state_that_is_no_number_names_the_detection)
{
    perp_scene *scene = scene_of(scene_heap, NULL);
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene_system_info ball = {.size = sizeof ball};
    double *q = NULL;

    perp_scene_system(scene, 2, &ball);
    perp_scene_check(scene, NULL);
    perp_model_state(perp_scene_model(scene), ball.id, &q, NULL, NULL, NULL);
    q[2] = NAN;
    ck_assert_int_lt(perp_scene_run(scene, NULL, &info), 0);
    ck_assert_ptr_nonnull(strstr(info.detail, "scene: "));
    ck_assert(strlen(info.detail) > 20);
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scene runs");
    TCase *tcase = tcase_create("runs");
#ifdef HAVE_JANSSON
    tcase_add_test(tcase, a_run_is_ended_by_callbacks);
    tcase_add_test(tcase, a_run_is_ended_before_it_begins);
    tcase_add_test(tcase, a_run_is_ended_within_a_step);
    tcase_add_test(tcase, a_saved_state_goes_on_with_the_same_bits);
    tcase_add_test(tcase, files_of_a_run);
    tcase_add_test(tcase, a_run_without_memory_is_answered);
    tcase_add_test(tcase, contacts_say_what_they_lack);
    tcase_add_test(tcase, a_state_that_is_no_number_names_the_detection);
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
