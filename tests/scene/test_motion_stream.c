/* SPDX-License-Identifier: BSD-3-Clause */
/* The motion as bytes: those of motion.bin, without a change of the motion, without memory, and
 * with wrong arguments. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, open_memstream */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/scene_text.h"

static const char recorded[] = SCENE_TIME
    "\"gravity\": [0, 0, -9.81], \"bodies\": [\n"
    " {\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},\n"
    " {\"name\": \"box\", \"mass\": 1, \"position\": [0, 0, 0.11],\n"
    "  \"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.2, 0.2]}},\n"
    " {\"name\": \"ball\", \"mass\": 1, \"position\": [0.05, 0, 0.35],\n"
    "  \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}],\n"
    "\"contacts\": {\"mu\": 0.3}, \"frames\": {\"every\": 1}, \"record\": {\"contacts\": true}}";

typedef struct look {
    perp_motion_stream *stream;
    FILE *out;
} look;

static void put(look *on, int head)
{
    const void *bytes = NULL;
    size_t size = 0;

    ck_assert_int_eq(head ? perp_motion_stream_head(on->stream, &bytes, &size)
                          : perp_motion_stream_instant(on->stream, &bytes, &size),
                     PERP_SOLVED);
    ck_assert_uint_eq(fwrite(bytes, 1, size, on->out), size);
}

static int looks_on(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    (void)scene, (void)info;
    perp_motion_stream_note(((look *)ctx)->stream);
    put(ctx, 0);
    return 0;
}

static void final_state(double *q, const perp_scene *scene)
{
    for (int k = 1; k < 3; k++) {
        perp_scene_system_info system = {.size = sizeof system};
        double *x;
        ck_assert_int_eq(perp_scene_system(scene, k, &system), PERP_SOLVED);
        ck_assert_int_eq(perp_model_state(perp_scene_model(scene), system.id, &x, NULL, NULL, NULL),
                         PERP_SOLVED);
        memcpy(q + 7 * (k - 1), x, 7 * sizeof *x);
    }
}

START_TEST(gives_the_bytes_of_the_file)
{
    char folder[] = "/tmp/perp-stream-XXXXXX", path[64], command[128], *bytes = NULL;
    perp_scene *scene = scene_of(recorded, NULL), *alone = scene_of(recorded, NULL);
    perp_scene_run_options options;
    double q[14], same[14];
    unsigned char *file;
    size_t size = 0, count;
    look on;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(perp_scene_check(scene, NULL), PERP_SOLVED); /* as a run does first */
    on.out = open_memstream(&bytes, &size);
    ck_assert_int_eq(perp_motion_stream_create(&on.stream, scene), PERP_SOLVED);
    put(&on, 1);
    put(&on, 0);
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    options.progress = looks_on;
    options.progress_ctx = &on;
    ck_assert_int_eq(perp_scene_run(scene, &options, NULL), PERP_SOLVED);
    perp_motion_stream_destroy(on.stream);
    fclose(on.out);
    snprintf(path, sizeof path, "%s/motion.bin", folder);
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    file = malloc(size + 1);
    count = fread(file, 1, size + 1, f);
    fclose(f);
    ck_assert_uint_eq(count, size);
    ck_assert_mem_eq(file, bytes, size);
    /* Nobody looked on at this one. */
    ck_assert_int_eq(perp_scene_run(alone, NULL, NULL), PERP_SOLVED);
    final_state(q, scene);
    final_state(same, alone);
    ck_assert_mem_eq(q, same, sizeof q);
    free(file);
    free(bytes);
    perp_scene_destroy(scene);
    perp_scene_destroy(alone);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

typedef struct beginning {
    int calls, stops, steps_seen;
    double t;
    long steps;
} beginning;

static int begins(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    beginning *on = ctx;

    ck_assert_int_eq(on->steps_seen, 0);
    on->calls++;
    on->t = info->t;
    on->steps = info->steps;
    ck_assert(perp_sim_time(perp_scene_sim(scene)) == info->t);
    return on->stops;
}

static int counts(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    (void)scene, (void)info;
    ((beginning *)ctx)->steps_seen++;
    return 0;
}

/* `started` comes once, before the first step, with the state that the checkpoint holds. */
START_TEST(tells_where_a_run_goes_on)
{
    char folder[] = "/tmp/perp-stream-XXXXXX", command[128];
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    double half;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    options.started = begins;
    options.progress = counts;
    for (int part = 0; part < 3; part++) {
        perp_scene *scene = scene_of(recorded, NULL);
        beginning on = {.stops = part == 1};
        half = perp_scene_t0(scene) + 10.0 * perp_scene_step(scene);
        options.progress_ctx = &on;
        options.resume = part > 0;
        options.until = part == 0 ? half : half + 5.0 * perp_scene_step(scene);
        ck_assert_int_eq(perp_scene_run(scene, &options, &info),
                         part == 1 ? PERP_INTERRUPTED : PERP_SOLVED);
        ck_assert_int_eq(on.calls, 1);
        ck_assert_int_eq(on.steps_seen, part == 0 ? 10 : part == 1 ? 0 : 5);
        ck_assert_int_eq((int)on.steps, part == 0 ? 0 : 10);
        ck_assert_double_eq_tol(on.t, part == 0 ? perp_scene_t0(scene) : half, 1e-12);
        perp_scene_destroy(scene);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(runs_out_of_memory)
{
    scene_meter meter = {.left = 1000000};
    const perp_allocator memory = {
        .allocate = scene_meter_allocate, .release = scene_meter_release, .ctx = &meter};
    perp_scene *scene = NULL;
    perp_status status = PERP_ERR_MEMORY;
    const void *bytes;
    size_t size;

    ck_assert_int_eq(perp_scene_create_from_text(&scene, recorded, NULL, &memory, NULL),
                     PERP_SOLVED);
    for (int k = 0; status == PERP_ERR_MEMORY; k++) {
        perp_motion_stream *stream = NULL;
        ck_assert_int_lt(k, 100);
        meter.left = k;
        status = perp_motion_stream_create(&stream, scene);
        ck_assert(status == PERP_SOLVED || stream == NULL);
        if (status == PERP_SOLVED)
            status = perp_motion_stream_head(stream, &bytes, &size);
        if (status == PERP_SOLVED)
            status = perp_motion_stream_instant(stream, &bytes, &size);
        perp_motion_stream_destroy(stream);
    }
    ck_assert_int_eq(status, PERP_SOLVED);
    meter.left = 1000000;
    perp_scene_destroy(scene);
    ck_assert_int_eq(meter.live, 0);
}
END_TEST

/* A disc slides on a line, and another stands on it without friction. */
static const char discs[] = SCENE_TIME
    "\"gravity\": [0, -9.81, 0], \"systems\": [\n"
    " {\"name\": \"low\", \"type\": \"planar\", \"mass\": 2, \"inertia\": 1, \"radius\": 0.3,"
    " \"position\": [0, 0.4], \"velocity\": [3, 0]},\n"
    " {\"name\": \"high\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 1, \"radius\": 0.1,"
    " \"position\": [0, 0.8], \"velocity\": [3, 0]},\n"
    " {\"name\": \"far\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 1, \"radius\": 0.1,"
    " \"position\": [0, 90]}],\n"
    "\"interactions\": [\n"
    " {\"name\": \"floor\", \"systems\": [\"low\"], \"relation\": {\"type\": \"disc-line\","
    " \"normal\": [0, 1], \"offset\": 0.1}, \"law\": {\"type\": \"friction\", \"dim\": 2, \"mu\": "
    "0.2}},\n"
    " {\"systems\": [\"high\", \"low\"], \"relation\": {\"type\": \"disc-disc\"},"
    " \"law\": {\"type\": \"impact\"}},\n"
    " {\"systems\": [\"far\"], \"relation\": {\"type\": \"disc-line\", \"normal\": [0, 1]},"
    " \"law\": {\"type\": \"impact\"}}],\n"
    "\"schemes\": [{\"name\": \"moreau-jean\"}]}";

typedef struct touching {
    int32_t first, second, state, rows;
    float gap, point[3], normal[3], velocity[3], impulse[3], mu;
} touching;

/* Records behind an instant: its contacts. */
static size_t contacts_of(touching *list, size_t most, const unsigned char *bytes, size_t size)
{
    size_t count = 0;

    for (size_t at = 0; at + 8 <= size;) {
        uint32_t words[2];
        memcpy(words, bytes + at, sizeof words);
        at += sizeof words;
        ck_assert_uint_le(words[1], size - at);
        if (words[0] == 2) {
            count = words[1] / sizeof *list;
            ck_assert_uint_eq(words[1], count * sizeof *list);
            ck_assert_uint_le(count, most);
            memcpy(list, bytes + at, words[1]);
        }
        at += words[1];
    }
    return count;
}

static void near3(const float *x, double a, double b, double tol)
{
    ck_assert_double_eq_tol((double)x[0], a, tol);
    ck_assert_double_eq_tol((double)x[1], b, tol);
    ck_assert_double_eq_tol((double)x[2], 0.0, 1e-12);
}

/* Interactions that act at a point are contacts: weights and friction of what they carry. */
START_TEST(has_interactions_that_act_at_a_point)
{
    perp_scene *scene = scene_of(discs, NULL);
    perp_scene_run_options options;
    perp_motion_stream *stream = NULL;
    const void *bytes = NULL;
    size_t size = 0;
    touching list[4];
    const double h = perp_scene_step(scene), weight = 9.81 * h, t = 5.0 * h;
    const double slip =
        3.0 - 0.2 * 3.0 / 2.0 * 9.81 * t; /* of the lower disc, which carries both */

    ck_assert_int_eq(perp_scene_check(scene, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_motion_stream_create(&stream, scene), PERP_SOLVED);
    ck_assert_int_eq(perp_motion_stream_head(stream, &bytes, &size), PERP_SOLVED);
    ck_assert_int_eq(perp_motion_stream_instant(stream, &bytes, &size), PERP_SOLVED);
    ck_assert_uint_eq(contacts_of(list, 4, bytes, size), 0); /* before the first step */
    perp_scene_run_options_init(&options, sizeof options);
    options.until = t;
    ck_assert_int_eq(perp_scene_run(scene, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_motion_stream_instant(stream, &bytes, &size), PERP_SOLVED);
    ck_assert_uint_eq(contacts_of(list, 4, bytes, size), 2);
    ck_assert_int_eq(list[0].first, 0);
    ck_assert_int_eq(list[0].second, -1);
    ck_assert_int_eq(list[0].state, 2);
    ck_assert_double_eq_tol((double)list[0].gap, 0.0, 1e-6);
    near3(list[0].normal, 0.0, 1.0, 1e-6);
    ck_assert_double_eq_tol((double)list[0].point[1], 0.1, 1e-6);
    /* The upper disc is left behind, by less than 0.02 of the distance. */
    near3(list[0].impulse, -0.2 * 3.0 * weight, 3.0 * weight, 0.02 * weight);
    ck_assert_double_eq_tol((double)list[0].mu, 0.2, 1e-7);
    ck_assert_double_eq_tol((double)list[0].velocity[0], slip - 0.3 * 0.2 * 3.0 * 9.81 * 0.3 * t,
                            2e-3);
    ck_assert_int_eq(list[1].first, 1);
    ck_assert_int_eq(list[1].second, 0);
    near3(list[1].normal, 0.0, 1.0, 0.02);
    ck_assert_double_eq_tol((double)list[1].point[1], 0.7, 1e-3);
    near3(list[1].impulse, 0.0, weight, 0.02 * weight);
    ck_assert(list[1].mu == 0.0f);
    perp_motion_stream_destroy(stream);
    perp_scene_destroy(scene);
}
END_TEST

START_TEST(refuses_wrong_arguments)
{
    perp_scene *scene = scene_of(scene_bouncing, NULL);
    perp_motion_stream *stream = NULL;
    const void *bytes;
    size_t size;

    ck_assert_int_eq(perp_motion_stream_create(NULL, scene), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_motion_stream_create(&stream, NULL), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(stream);
    ck_assert_int_eq(perp_motion_stream_create(&stream, scene), PERP_SOLVED);
    ck_assert_int_eq(perp_motion_stream_head(NULL, &bytes, &size), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_motion_stream_head(stream, NULL, &size), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_motion_stream_instant(stream, &bytes, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_motion_stream_instant(NULL, &bytes, &size), PERP_ERR_ARGUMENT);
    perp_motion_stream_note(NULL);
    perp_motion_stream_destroy(NULL);
    perp_motion_stream_destroy(stream);
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("motion_stream");
    TCase *all = tcase_create("motion_stream");

    tcase_add_test(all, gives_the_bytes_of_the_file);
    tcase_add_test(all, tells_where_a_run_goes_on);
    tcase_add_test(all, runs_out_of_memory);
    tcase_add_test(all, has_interactions_that_act_at_a_point);
    tcase_add_test(all, refuses_wrong_arguments);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
