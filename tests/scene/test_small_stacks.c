/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads with 128 kB of stack: runs of scenes with all that they write, robots, problem files of
 * every format, and verifications, with the bytes that threads with more stack give. */
#define _GNU_SOURCE /* mkdtemp, dl_iterate_phdr */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perp/robot.h>
#include <perp/scene.h>
#include <perp/verify.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/io_samples.h"
#include "tests/fixtures/small_stack.h"

enum { STEPS = 12 };
static const char *source;

#ifdef HAVE_JANSSON
static char folder[64];

typedef struct job {
    const char *scene, *out;
    perp_status status;
    char text[768];
} job;

/* Some steps, interrupted once, and all that can be written beside them. */
static void *run(void *ctx)
{
    job *j = ctx;
    perp_scene_error error = {.size = sizeof error};
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    for (int part = 1; part <= 2; part++) {
        perp_scene *scene = NULL;
        j->status = perp_scene_create_from_file(&scene, j->scene, NULL, NULL, &error);
        memcpy(j->text, error.text, sizeof j->text);
        if (j->status != PERP_SOLVED)
            return NULL;
        perp_scene_run_options_init(&options, sizeof options);
        options.folder = j->out;
        options.resume = part == 2;
        options.until = perp_scene_t0(scene) + 0.5 * STEPS * part * perp_scene_step(scene);
        options.problems = "rows>0";
        options.vtk = 4;
        options.checkpoint_seconds = 0.0;
        j->status = perp_scene_run(scene, &options, &info);
        snprintf(j->text, sizeof j->text, "%.700s", info.detail);
        perp_scene_destroy(scene);
        if (j->status != PERP_SOLVED)
            return NULL;
    }
    return NULL;
}

static void same_bytes(const char *scene, const char *name)
{
    char path[2][128];
    size_t bytes[2];
    char *text[2];
    for (int k = 0; k < 2; k++) {
        snprintf(path[k], sizeof path[k], "%s/%d/%s", folder, k, name);
        if (access(path[0], R_OK) != 0)
            return;
        text[k] = io_read(path[k], &bytes[k]);
    }
    ck_assert_msg(bytes[0] == bytes[1] && memcmp(text[0], text[1], bytes[0]) == 0, "%s: %s", scene,
                  name);
    free(text[0]);
    free(text[1]);
}

static void *verify(void *ctx)
{
    job *j = ctx;
    perp_scene_error error = {.size = sizeof error};
    perp_verification *found = NULL;
    j->status = perp_verify_folder(&found, j->out, NULL, &error);
    perp_verification_destroy(found);
    return NULL;
}

static void in_both(const char *scene)
{
    char out[2][80], command[128];
    job much = {.scene = scene, .out = out[0]}, little = {.scene = scene, .out = out[1]};
    strcpy(folder, "/tmp/perp-stacks-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (int k = 0; k < 2; k++)
        snprintf(out[k], sizeof out[k], "%s/%d", folder, k);
    run(&much);
    in_small_stack(run, &little);
    ck_assert_msg(much.status == PERP_SOLVED, "%s: %s", scene, much.text);
    ck_assert_msg(little.status == PERP_SOLVED, "%s: %s", scene, little.text);
    same_bytes(scene, "series.csv");
    same_bytes(scene, "motion.bin");
    same_bytes(scene, "contacts.csv");
    same_bytes(scene, "impacts.csv");
    verify(&much);
    in_small_stack(verify, &little);
    ck_assert_int_eq(little.status, much.status);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static const char *const scenes[] = {
    "arm",          "ball_adaptive", "ball_projected", "ball_two_step",  "box_stack",
    "cam_follower", "diode_bridge",  "disc_heap",      "gear_train",     "impacting_stick",
    "shapes",       "slider_crank",  "sliding_mode",   "soft_fingers",   "sphere_pile",
    "string",       "rolling_disc",  "conveyor",       "sampled_control"};

START_TEST(runs)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/examples/scenes/%s.json", source, scenes[_i]);
    in_both(path);
}
END_TEST

static void *read_robot(void *ctx)
{
    job *j = ctx;
    perp_scene_error error = {.size = sizeof error};
    perp_robot_options options;
    char *text = NULL;
    perp_robot_options_init(&options, sizeof options);
    options.ignore = "all";
    j->status = perp_robot_read(&text, j->scene, &options, NULL, &error);
    if (j->status == PERP_SOLVED) {
        perp_scene *scene = NULL;
        j->status = perp_scene_create_from_text(&scene, text, NULL, NULL, &error);
        perp_scene_destroy(scene);
    }
    perp_robot_release(text, NULL);
    return NULL;
}

START_TEST(robots)
{
    static const char *const names[] = {"arm.urdf", "cart.xml"};
    for (int k = 0; k < 2; k++) {
        char path[4096];
        job much = {.scene = path}, little = {.scene = path};
        snprintf(path, sizeof path, "%s/examples/robots/%s", source, names[k]);
        read_robot(&much);
        in_small_stack(read_robot, &little);
        ck_assert_int_eq(much.status, little.status);
    }
}
END_TEST
#endif

typedef struct passage {
    perp_problem_file *file;
    perp_file_format format;
    const char *path, *solution;
    perp_problem_file *back;
    perp_status status[4];
} passage;

static void *write_and_read(void *ctx)
{
    passage *p = ctx;
    perp_io_error error;
    perp_problem problem;
    p->status[0] = perp_problem_file_write(p->file, p->path, p->format, &error);
    p->status[1] = perp_problem_file_read(&p->back, p->path, p->file->cls, NULL, &error);
    p->status[2] = p->status[3] = PERP_SOLVED;
    if (p->status[1] != PERP_SOLVED ||
        perp_problem_file_get(p->back, &problem, &error) != PERP_SOLVED)
        return NULL;
    double *x = calloc((size_t)problem.M.rows + 1, sizeof *x);
    if (x == NULL)
        return NULL;
    p->status[2] = perp_solution_write(p->back, x, x, p->solution, &error);
    p->status[3] = perp_solution_read(p->back, p->solution, x, &error);
    free(x);
    return NULL;
}

START_TEST(files)
{
    perp_rng rng = {11};
    io_folder_make();
    for (int k = 0; k < IO_SAMPLES; k++)
        for (int h5 = 0; h5 < 2; h5++) {
            passage p = {.format = h5 ? PERP_FORMAT_FCLIB : PERP_FORMAT_SICONOS};
#ifndef HAVE_HDF5
            if (h5)
                continue;
#endif
            if (!io_sample_fits((io_sample)k, p.format))
                continue;
            p.file = io_sample_make((io_sample)k, 40, &rng);
            p.path = io_path(h5 ? "a.hdf5" : "a.dat");
            p.solution = io_path(h5 ? "z.hdf5" : "z.txt");
            in_small_stack(write_and_read, &p);
            for (int i = 0; i < 4; i++)
                ck_assert_msg(p.status[i] == PERP_SOLVED, "sample %d, %d: %s", k, i,
                              perp_status_name(p.status[i]));
            io_assert_same(p.file, p.back);
            perp_problem_file_destroy(p.file);
            perp_problem_file_destroy(p.back);
        }
    io_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("small stacks");
    TCase *tcase = tcase_create("small stacks");
    source = getenv("PERP_SOURCE") != NULL ? getenv("PERP_SOURCE") : ".";
    tcase_set_timeout(tcase, 300);
#ifdef HAVE_JANSSON
    tcase_add_loop_test(tcase, runs, 0, (int)(sizeof scenes / sizeof scenes[0]));
#ifdef HAVE_LIBXML2
    tcase_add_test(tcase, robots);
#endif
#endif
    tcase_add_test(tcase, files);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
