/* SPDX-License-Identifier: BSD-3-Clause */
/* One-step problems of a heap in motion, solved by auto from warm starts: some end by the few
 * contacts that hold their residual, solved apart. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>

#include "generators/rigid_scene.h"

enum { STEPS = 85 };
static const double TOL = 1e-6;

typedef struct tally {
    long solves, clustered, ended; /* with the stage; ended by it */
    double worst;                  /* error of a problem that was said to be solved with it */
} tally;

/* Measured again. */
static double error_of(const perp_problem *problem, const double *z)
{
    perp_residuals residuals = {.size = sizeof residuals};
    ck_assert_int_eq(perp_residual(problem, z, NULL, NULL, &residuals), PERP_SOLVED);
    return fmin(residuals.natural, residuals.scaled);
}

static perp_status solve(void *ctx, const perp_problem *problem, const perp_mat *mass,
                         const perp_settings *settings, double *z, perp_info *info)
{
    tally *s = ctx;
    perp_solver *solver = NULL;
    double *w = calloc((size_t)problem->M.rows, sizeof *w);
    (void)mass;
    perp_status status =
        perp_solver_create(&solver, perp_solver_find("auto"), settings, NULL, NULL);
    ck_assert_int_eq(status, PERP_SOLVED);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, info);
    const perp_info *own = perp_solver_info(solver);
    int has = 0, last = own->nstages - 1;
    for (int k = 0; k < own->nstages; k++)
        has |= strcmp(own->stages[k].solver, "clusters") == 0;
    s->solves++;
    s->clustered += has;
    s->ended += status == PERP_SOLVED && strcmp(own->stages[last].solver, "clusters") == 0;
    if (status == PERP_SOLVED && has)
        s->worst = fmax(s->worst, error_of(problem, z));
    perp_solver_destroy(solver);
    free(w);
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
    ck_assert_double_le(seen.worst, TOL);
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
    tcase_set_timeout(cases, 120.0);
    tcase_add_test(cases, a_heap_in_motion);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
