/* SPDX-License-Identifier: BSD-3-Clause */
/* One-step problems of a heap in motion, solved by auto from warm starts: some end by the few
 * contacts that hold their residual, solved apart; in other storages, with a callback, within less
 * work, and where memory ends. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>

#include "generators/rigid_scene.h"
#include "linalg/csc.h"
#include "tests/fixtures/contract.h"

enum { STEPS = 100 };
static const double TOL = 1e-6;

typedef struct tally {
    long solves, clustered, ended; /* with the stage; ended by it */
    double worst;   /* error over tolerance of a problem that was said to be solved with it */
    long assembled; /* with the stage in another storage */
    long asked;     /* calls of the callback within the stage */
    int rest;       /* 1: other ways to solve such a problem were tried */
} tally;

/* Measured again. */
static double error_of(const perp_problem *problem, const double *z)
{
    perp_residuals residuals = {.size = sizeof residuals};
    ck_assert_int_eq(perp_residual(problem, z, NULL, NULL, &residuals), PERP_SOLVED);
    return fmin(residuals.natural, residuals.scaled);
}

static int has_clusters(const perp_info *info)
{
    int has = 0;
    for (int k = 0; k < info->nstages; k++)
        has |= strcmp(info->stages[k].solver, "clusters") == 0;
    return has;
}

/* From the start z, which stays: an answer of this status and error, or memory was out. */
static perp_info solve_again(const perp_problem *problem, const perp_settings *settings,
                             const double *start, const perp_allocator *memory, double *z)
{
    size_t n = (size_t)problem->M.rows;
    double *w = calloc(n, sizeof *w);
    perp_info info = {.size = sizeof info};
    perp_solver *solver = NULL;
    memcpy(z, start, n * sizeof *z);
    perp_status status =
        perp_solver_create(&solver, perp_solver_find("auto"), settings, memory, NULL);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, &info);
    if (status == PERP_SOLVED)
        ck_assert_double_le(error_of(problem, z), settings->tol);
    ck_assert_msg(status >= 0 || (memory && status == PERP_ERR_MEMORY), "%s",
                  perp_status_text(status));
    info.status = status;
    perp_solver_destroy(solver);
    free(w);
    return info;
}

/* W as its entries, then as its blocks: the same contacts hold the residual. */
static int solve_assembled(const perp_problem *problem, const perp_settings *settings,
                           const double *start, double *z)
{
    perp_problem other = *problem;
    perp_arena arena;
    perp_csc W;
    int seen = 0;
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_csc_from_mat(&W, &problem->M, &arena), PERP_SOLVED);
    for (int block = 0; block < 4; block += 3) {
        perp_info info;
        if (block == 0)
            ck_assert_int_eq(perp_mat_init_csc(&other.M, W.rows, W.cols, W.colptr, W.row, W.x),
                             PERP_SOLVED);
        else
            ck_assert_int_eq(perp_bsr_from_csc(&other.M, &W, block, &arena), PERP_SOLVED);
        info = solve_again(&other, settings, start, NULL, z);
        seen += has_clusters(&info);
    }
    perp_arena_free(&arena);
    return seen;
}

typedef struct asked {
    int calls, left, iteration;
} asked;

/* Iterations never go back, and nobody asks again after stop. */
static int watch(void *ctx, const perp_progress *progress)
{
    asked *a = ctx;
    a->calls++;
    ck_assert_int_ge(progress->iteration, 0);
    ck_assert_int_ge(a->left, 0);
    a->iteration = progress->iteration;
    return a->left-- == 0;
}

/* Stopped at each of a row of calls. */
static int solve_interrupted(const perp_problem *problem, perp_settings settings,
                             const double *start, double *z)
{
    asked all = {.left = 1 << 30};
    settings.progress = watch;
    settings.progress_ctx = &all;
    perp_info info = solve_again(problem, &settings, start, NULL, z);
    for (int left = 0; left < all.calls; left += 1 + all.calls / 40) {
        asked some = {.left = left};
        settings.progress_ctx = &some;
        info = solve_again(problem, &settings, start, NULL, z);
        ck_assert_int_eq(info.status, PERP_INTERRUPTED);
        ck_assert_int_eq(some.calls, left + 1);
    }
    return all.calls;
}

/* Blocks of memory that are taken in so many iterations. */
static long blocks_until(const perp_problem *problem, perp_settings settings, const double *start,
                         int iterations, double *z)
{
    counter memory = {.fail_at = 0};
    perp_allocator allocator = block_allocator(&memory);
    settings.max_iter = iterations;
    perp_info info = solve_again(problem, &settings, start, &allocator, z);
    ck_assert_int_le(info.iterations, iterations);
    return memory.allocations;
}

/* Each of those that the stage takes fails once; info: of the solve. */
static void fail_blocks(const perp_problem *problem, const perp_settings *settings,
                        const double *start, const perp_info *info, double *z)
{
    int first = 0, k = 0;
    while (strcmp(info->stages[k].solver, "clusters") != 0)
        first += info->stages[k++].iterations;
    long before = blocks_until(problem, *settings, start, first, z);
    long after = blocks_until(problem, *settings, start, first + info->stages[k].iterations, z);
    ck_assert_int_gt(after, before);
    for (long at = before; at <= after; at++) {
        counter memory = {.fail_at = at, .once = 1};
        perp_allocator allocator = block_allocator(&memory);
        (void)solve_again(problem, settings, start, &allocator, z);
        ck_assert_int_eq(memory.live, 0);
    }
}

static void solve_otherwise(tally *s, const perp_problem *problem, const perp_settings *settings,
                            const double *start, double *z)
{
    s->assembled += solve_assembled(problem, settings, start, z);
    if (s->rest)
        return;
    s->rest = 1;
    s->asked = solve_interrupted(problem, *settings, start, z);
    perp_settings less = *settings;
    perp_info info = solve_again(problem, settings, start, NULL, z);
    for (int part = 1; part < 20; part++) {
        less.budget = info.work * part / 20.0;
        perp_info some = solve_again(problem, &less, start, NULL, z);
        ck_assert(some.status == PERP_WORK_LIMIT || some.status == PERP_SOLVED ||
                  some.status == PERP_STALLED);
        ck_assert_double_le(some.work, less.budget * (1.0 + 1e-12) + 1.0);
    }
    fail_blocks(problem, settings, start, &info, z);
}

static perp_status solve(void *ctx, const perp_problem *problem, const perp_mat *mass,
                         const perp_settings *settings, double *z, perp_info *info)
{
    tally *s = ctx;
    perp_solver *solver = NULL;
    size_t bytes = (size_t)problem->M.rows * sizeof(double);
    double *w = malloc(bytes), *start = malloc(bytes), *other = malloc(bytes);
    (void)mass;
    memcpy(start, z, bytes);
    perp_status status =
        perp_solver_create(&solver, perp_solver_find("auto"), settings, NULL, NULL);
    ck_assert_int_eq(status, PERP_SOLVED);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, info);
    const perp_info *own = perp_solver_info(solver);
    int has = has_clusters(own), last = own->nstages - 1;
    s->solves++;
    s->clustered += has;
    s->ended += status == PERP_SOLVED && strcmp(own->stages[last].solver, "clusters") == 0;
    if (status == PERP_SOLVED && has)
        s->worst = fmax(s->worst, error_of(problem, z) / settings->tol);
    if (has)
        solve_otherwise(s, problem, settings, start, other);
    perp_solver_destroy(solver);
    free(w);
    free(start);
    free(other);
    return status;
}

static void add_ball(perp_model *model, perp_collider *collider, const rigid_scene *scene, int k)
{
    const rigid_body *ball = &scene->body[k];
    perp_body_def def;
    perp_system_id id;
    perp_body_def_init(&def, sizeof def);
    def.mass = ball->mass;
    for (int i = 0; i < 3; i++) {
        def.inertia[4 * i] = ball->inertia[i];
        def.position[i] = ball->position[i];
        def.force[i] = ball->mass * scene->gravity[i];
    }
    ck_assert_int_eq(perp_model_add_body(model, &def, &id, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_add_sphere(collider, id, ball->radius, NULL, NULL, NULL),
                     PERP_SOLVED);
}

static void add_plane(perp_collider *collider, const rigid_plane *plane)
{
    double point[3];
    for (int i = 0; i < 3; i++)
        point[i] = plane->offset * plane->normal[i];
    ck_assert_int_eq(perp_collider_add_plane(collider, point, plane->normal, NULL, NULL),
                     PERP_SOLVED);
}

START_TEST(a_heap_in_motion)
{
    char message[160];
    rigid_scene scene;
    perp_model *model;
    perp_collider *collider;
    perp_sim *sim;
    perp_sim_options options;
    perp_settings settings;
    tally seen = {0};
    ck_assert_int_eq(rigid_scene_make(&scene, "heap:300", message, sizeof message), RIGID_MADE);
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = TOL;
    options.settings = &settings;
    options.h = scene.h;
    ck_assert_int_eq(perp_model_create(&model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&collider, model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_material(collider, 0, 0, scene.e, scene.mu), PERP_SOLVED);
    for (int k = 0; k < scene.bodies; k++)
        add_ball(model, collider, &scene, k);
    for (int k = 0; k < scene.planes; k++)
        add_plane(collider, &scene.plane[k]);
    ck_assert_int_eq(perp_sim_create(&sim, model, &options, NULL, NULL), PERP_SOLVED);
    perp_sim_set_before_step(sim, perp_collider_step, collider);
    perp_sim_set_solve(sim, 300, solve, &seen);
    for (int k = 0; k < STEPS; k++)
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
    ck_assert_int_gt(seen.clustered, 0);
    ck_assert_int_gt(seen.ended, 0);
    ck_assert_double_le(seen.worst, 1.0);
    ck_assert_int_gt(seen.assembled, 0);
    ck_assert_int_gt(seen.asked, 0);
    perp_sim_destroy(sim);
    perp_collider_destroy(collider);
    perp_model_destroy(model);
    rigid_scene_free(&scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clusters");
    TCase *cases = tcase_create("clusters");
    tcase_set_timeout(cases, 300.0);
    tcase_add_test(cases, a_heap_in_motion);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
