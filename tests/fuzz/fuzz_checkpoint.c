/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints of two scenes, behind their checksum, and the states of a solver. */
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_scenes.h"

static void load_scene(const char *text, const uint8_t *data, size_t size)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene_run_options options;
    perp_scene *scene = NULL;
    uint8_t *block = malloc(size + 8);
    if (block == NULL ||
        perp_scene_create_from_text(&scene, text, NULL, NULL, &error) != PERP_SOLVED) {
        free(block);
        return;
    }
    memcpy(block, data, size);
    if (size > 8)
        fuzz_seal(block, size);
    if (perp_scene_load(scene, block, size, &error) == PERP_SOLVED) {
        perp_scene_run_options_init(&options, sizeof options);
        options.until = perp_sim_time(perp_scene_sim(scene)) + 0.02;
        if (options.until > -1.0 && options.until < 1.0)
            perp_scene_run(scene, &options, NULL);
    }
    perp_scene_destroy(scene);
    free(block);
}

static void load_solver(const uint8_t *data, size_t size)
{
    static const double M[] = {2.0, 1.0, 1.0, 2.0}, q[] = {-1.0, -1.0};
    static const char *const names[] = {"gs", "nsn", "direct", "lemke", "auto"};
    perp_segment segment = {.set = PERP_NONNEG, .dim = 1, .count = 2};
    perp_problem problem = {.q = q, .seg = &segment, .nseg = 1};
    perp_solver *solver = NULL;
    perp_info info = {.size = sizeof info};
    double z[2] = {0.0, 0.0}, w[2];
    perp_mat_init_dense(&problem.M, 2, 2, M, 2);
    if (size < 1 || perp_solver_create(&solver, perp_solver_find(names[data[0] % 5]), NULL, NULL,
                                       NULL) != PERP_SOLVED)
        return;
    if (perp_solver_setup(solver, &problem) == PERP_SOLVED)
        perp_solver_load(solver, data + 1, size - 1);
    if (perp_solver_solve(solver, z, w, &info) == PERP_SOLVED)
        FUZZ_PROMISE(info.error <= 1e-8);
    perp_solver_destroy(solver);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    if (data[0] < 2)
        load_scene(data[0] ? fuzz_heap : fuzz_ball, data + 1, size - 1);
    else
        load_solver(data + 1, size - 1);
    return 0;
}
