/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails once, and then each block of an arena or a pool, with the scenes that are shipped, which hold every kind of object: as
 * they are made, run and verified.  It is said, nothing is lost, and what was there goes on. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <glob.h>
#include <stdio.h>
#include <unistd.h>

#include <perp/verify.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/scene_text.h"

enum { MOST = 4096, STEPS = 12 };
static glob_t shipped;

static const char *path_of(int k)
{
    return shipped.gl_pathv[k % (int)shipped.gl_pathc];
}

/* Of the allocations first, then of the blocks. */
static perp_allocator failing(counter *memory, int k)
{
    return k < (int)shipped.gl_pathc ? counter_allocator(memory) : block_allocator(memory);
}

static perp_scene *made(const char *path, const perp_allocator *allocator)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene = NULL;
    perp_status status = perp_scene_create_from_file(&scene, path, NULL, allocator, &error);
    ck_assert_msg(status == PERP_SOLVED, "%s: %s", path, error.text);
    return scene;
}

START_TEST(a_scene_is_made_or_told)
{
    counter memory = {.fail_at = 0};
    do {
        perp_scene_error error = {.size = sizeof error};
        perp_scene *scene = NULL;
        memory = (counter){.fail_at = memory.fail_at + 1, .once = 1};
        perp_allocator allocator = failing(&memory, _i);
        perp_status status =
            perp_scene_create_from_file(&scene, path_of(_i), NULL, &allocator, &error);
        int failed = memory.allocations >= memory.fail_at;
        ck_assert_msg(status == (failed ? PERP_ERR_MEMORY : PERP_SOLVED), "%s, allocation %ld: %s",
                      path_of(_i), memory.fail_at, error.text);
        ck_assert_int_eq(scene == NULL, failed);
        ck_assert_int_eq(error.text[0] != '\0', failed);
        perp_scene_destroy(scene);
        ck_assert_msg(memory.live == 0, "%s, allocation %ld: %ld blocks", path_of(_i),
                      memory.fail_at, memory.live);
    } while (memory.allocations >= memory.fail_at);
    ck_assert_int_gt((int)memory.fail_at, 10);
}
END_TEST

/* Some steps from where the scene is. */
static perp_status some_steps(perp_scene *scene, double until, perp_scene_run_info *info)
{
    perp_scene_run_options options;
    perp_scene_run_options_init(&options, sizeof options);
    options.until = until;
    *info = (perp_scene_run_info){.size = sizeof *info};
    return perp_scene_run(scene, &options, info);
}

static int enough(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    (void)scene, (void)info;
    return ++*(int *)ctx >= STEPS;
}

static double time_of_steps(const char *path)
{
    int steps = 0;
    perp_scene *scene = made(path, NULL);
    perp_scene_run_options options;
    perp_scene_run_options_init(&options, sizeof options);
    options.progress = enough;
    options.progress_ctx = &steps;
    ck_assert_int_eq(perp_scene_run(scene, &options, NULL), PERP_INTERRUPTED);
    double t = perp_sim_time(perp_scene_sim(scene));
    perp_scene_destroy(scene);
    return t;
}

/* x and v of all systems that move, one behind the other; at most `most`. */
static int state_of(perp_scene *scene, double *out, int most)
{
    int count = 0;
    for (int k = 0; k < perp_scene_systems(scene); k++) {
        perp_scene_system_info info = {.size = sizeof info};
        double *x = NULL, *v = NULL;
        int nx = 0, nv = 0;
        ck_assert_int_eq(perp_scene_system(scene, k, &info), PERP_SOLVED);
        if (perp_model_state(perp_scene_model(scene), info.id, &x, &v, &nx, &nv) != PERP_SOLVED)
            continue;
        ck_assert_int_le(count + nx + nv, most);
        memcpy(out + count, x, (size_t)nx * sizeof *out);
        if (nv > 0)
            memcpy(out + count + nx, v, (size_t)nv * sizeof *out);
        count += nx + nv;
    }
    return count;
}

/* Where an allocation fails, the run says so at the start of a step, and goes on from there to the
 * state of a run without trouble, bit for bit.  Memory without which a solver has another way may
 * fail unsaid. */
START_TEST(a_run_goes_on)
{
    static double wanted[MOST], found[MOST];
    perp_scene_run_info info;
    double until = time_of_steps(path_of(_i));
    perp_scene *scene = made(path_of(_i), NULL);
    ck_assert_int_eq(some_steps(scene, until, &info), PERP_SOLVED);
    int size = state_of(scene, wanted, MOST), told = 0;
    perp_scene_destroy(scene);
    for (long k = 1, failed = 1; failed; k++) {
        counter memory = {.fail_at = 0};
        perp_allocator allocator = failing(&memory, _i);
        scene = made(path_of(_i), &allocator);
        memory.fail_at = memory.allocations + k;
        memory.once = 1;
        perp_status status = some_steps(scene, until, &info);
        failed = memory.allocations >= memory.fail_at;
        ck_assert_msg(status == PERP_SOLVED || (failed && status == PERP_ERR_MEMORY),
                      "%s, allocation %ld: %d, %s", path_of(_i), k, (int)status, info.detail);
        ck_assert_int_eq(info.detail[0] != '\0', status != PERP_SOLVED);
        told += status == PERP_ERR_MEMORY;
        memory.fail_at = 0;
        ck_assert_int_eq(some_steps(scene, until, &info), PERP_SOLVED);
        ck_assert_int_eq(state_of(scene, found, MOST), size);
        ck_assert_msg((failed && status == PERP_SOLVED) ||
                          memcmp(found, wanted, (size_t)size * sizeof *found) == 0,
                      "%s, allocation %ld: another state", path_of(_i), k);
        perp_scene_destroy(scene);
        ck_assert_int_eq((int)memory.live, 0);
    }
    ck_assert_int_gt(told, 1);
}
END_TEST

/* The folder of a run of some steps, which is to be removed. */
static void run_into(char *folder, const char *path)
{
    perp_scene_run_options options;
    perp_scene *scene = made(path, NULL);
    strcpy(folder, "/tmp/perp-shipped-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    options.until = time_of_steps(path);
    ck_assert_int_eq(perp_scene_run(scene, &options, NULL), PERP_SOLVED);
    perp_scene_destroy(scene);
}

/* What is looked at in a folder, without memory for a part of it: an error, and nothing is lost. */
START_TEST(a_folder_is_verified_or_told)
{
    char folder[40], command[100];
    perp_status status = PERP_ERR_MEMORY;
    run_into(folder, path_of(_i));
    for (long k = 1; status == PERP_ERR_MEMORY; k++) {
        counter memory = {.fail_at = k, .once = 1};
        perp_allocator allocator = failing(&memory, _i);
        perp_scene_error error = {.size = sizeof error};
        perp_verification *found = NULL;
        status = perp_verify_folder(&found, folder, &allocator, &error);
        int failed = memory.allocations >= k;
        ck_assert_msg(status == (failed ? PERP_ERR_MEMORY : PERP_SOLVED), "%s, allocation %ld: %s",
                      path_of(_i), k, error.text);
        ck_assert_int_eq(found == NULL, failed);
        perp_verification_destroy(found);
        ck_assert_msg(memory.live == 0, "%s, allocation %ld: %ld blocks", path_of(_i), k,
                      memory.live);
    }
    snprintf(command, sizeof command, "rm -r '%s'", folder);
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
    int count = (int)shipped.gl_pathc;
    Suite *suite = suite_create("shipped memory");
    TCase *tests = tcase_create("allocations");
    tcase_add_loop_test(tests, a_scene_is_made_or_told, 0, count);
    tcase_add_loop_test(tests, a_run_goes_on, 0, count);
    tcase_add_loop_test(tests, a_folder_is_verified_or_told, 0, count);
    tcase_set_timeout(tests, 300);
    suite_add_tcase(suite, tests);
    tests = tcase_create("blocks");
    tcase_add_loop_test(tests, a_scene_is_made_or_told, count, 2 * count);
    tcase_add_loop_test(tests, a_run_goes_on, count, 2 * count);
    tcase_add_loop_test(tests, a_folder_is_verified_or_told, count, 2 * count);
    tcase_set_timeout(tests, 300);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    globfree(&shipped);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
