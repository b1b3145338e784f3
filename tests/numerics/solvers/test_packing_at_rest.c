/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of a packing that has come to rest, each solved from the impulses of the last: what is
 * within tol is not swept, and when what the steps leave has added up to tol, a sweep is enough. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "tests/fixtures/generated.h"

/* What the first steps leave adds up to tol once more before the packing rests: from the 24th step
 * on, and until the 52nd with one of the first answers seen, which lie anywhere within tol. */
enum { SETTLING = 100, SEQUENCE = 50, STEPS = 40 };

typedef struct packing {
    perp_problem_file *file;
    perp_problem problem;
    int n, dofs;
    const double *mass;
    double *weight, *v, *q, *z, *w;
} packing;

static double *doubles(int count)
{
    return calloc((size_t)count, sizeof(double));
}

/* Bodies whose mass is diagonal; the velocities at the start are thrown away. */
static void make(packing *p, const char *kind, int size)
{
    generated_make(&p->file, &p->problem, kind, size);
    p->n = p->problem.M.rows;
    p->dofs = p->file->dofs;
    p->mass = p->file->M.as.csc.x;
    ck_assert_int_eq(p->file->M.as.csc.colptr[p->dofs], p->dofs);
    p->v = doubles(p->dofs);
    p->weight = doubles(p->dofs);
    p->q = doubles(p->n);
    p->z = doubles(p->n);
    p->w = doubles(p->n);
    for (int i = 2; i < p->dofs; i += 6)
        p->weight[i] = -9.81e-3 * p->mass[i];
}

static void drop(packing *p)
{
    free(p->v);
    free(p->weight);
    free(p->q);
    free(p->z);
    free(p->w);
    perp_problem_file_destroy(p->file);
}

/* v and q after gravity alone. */
static void fall(packing *p)
{
    const perp_mat *H = &p->file->H;
    for (int i = 0; i < p->dofs; i++)
        p->v[i] += p->weight[i] / p->mass[i];
    for (int j = 0; j < p->n; j++) {
        p->q[j] = 0.0;
        for (int k = H->as.csc.colptr[j]; k < H->as.csc.colptr[j + 1]; k++)
            p->q[j] += H->as.csc.x[k] * p->v[H->as.csc.row[k]];
    }
}

static void push(packing *p)
{
    const perp_mat *H = &p->file->H;
    for (int j = 0; j < p->n; j++)
        for (int k = H->as.csc.colptr[j]; k < H->as.csc.colptr[j + 1]; k++)
            p->v[H->as.csc.row[k]] += H->as.csc.x[k] * p->z[j] / p->mass[H->as.csc.row[k]];
}

static perp_solver *open_solver(const packing *p, const char *name, double tol, int warm_start)
{
    perp_settings settings;
    perp_solver *solver;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    settings.warm_start = warm_start;
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find(name), &settings, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, &p->problem), PERP_SOLVED);
    return solver;
}

static perp_info step(packing *p, perp_solver *solver)
{
    perp_info info = {.size = sizeof info};
    fall(p);
    ck_assert_int_eq(perp_solver_update_q(solver, p->q), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, p->z, p->w, &info), PERP_SOLVED);
    push(p);
    return info;
}

START_TEST(a_packing_at_rest_takes_a_sweep_at_most)
{
    static const struct {
        const char *solver;
        double tol;
    } with[] = {{"auto", 1e-6}, {"auto", 1e-4}, {"gs", 1e-4}};
    packing p;
    make(&p, "spheres", 300);
    perp_solver *first = open_solver(&p, "auto", 1e-6, 1);
    for (int k = 0; k < SETTLING; k++)
        step(&p, first);
    perp_solver *solver = open_solver(&p, with[_i].solver, with[_i].tol, 1);
    for (int k = 0; k < STEPS; k++) {
        perp_info info = step(&p, solver);
        ck_assert_int_le(info.iterations, 1);
    }
    perp_solver_destroy(first);
    perp_solver_destroy(solver);
    drop(&p);
}
END_TEST

/* Where more than some sweeps were needed, and what they leave adds up, Newton steps follow: most
 * of such answers lie far below tol, and none above it. */
START_TEST(what_sweeps_leave_is_taken_away_in_a_sequence)
{
    int polished = 0, small = 0;
    packing p;
    make(&p, "boxes", 300);
    perp_solver *solver = open_solver(&p, "auto", 1e-6, 2);
    for (int k = 0; k < SEQUENCE; k++) {
        perp_info info = step(&p, solver);
        const perp_stage *last = &info.stages[info.nstages - 1];
        int newton = strcmp(last->solver, "prox") == 0 && last->first <= 1e-6;
        polished += newton;
        small += newton && info.error <= 1e-8;
        ck_assert_double_le(info.error, 1e-6);
    }
    ck_assert_int_gt(polished, 0);
    ck_assert_int_ge(2 * small, polished);
    perp_solver_destroy(solver);
    drop(&p);
}
END_TEST

/* From zero, far from the answer: to what is seen to rest at any tolerance, which is said. */
START_TEST(what_begins_at_rest_is_solved_to_rest)
{
    static const char *const kinds[] = {"spheres", "boxes"};
    packing p;
    perp_residuals residual = {.size = sizeof residual};
    make(&p, kinds[_i], 300);
    perp_solver *solver = open_solver(&p, "auto", 1e-4, 5);
    perp_info info = step(&p, solver);
    p.problem.q = p.q;
    ck_assert_int_eq(perp_residual(&p.problem, p.z, NULL, p.w, &residual), PERP_SOLVED);
    ck_assert_double_le(residual.natural, 1e-11);
    ck_assert_double_le(residual.scaled, 1e-11);
    ck_assert_int_ne(info.notes & PERP_NOTE_SETTLED, 0);
    perp_solver_destroy(solver);
    drop(&p);
}
END_TEST

static int stop_at_ipm(void *ctx, const perp_progress *progress)
{
    int *asked = ctx, stops = strcmp(progress->stage, "ipm") == 0;
    *asked += stops;
    return stops;
}

/* A callback that says stop is not asked again. */
START_TEST(the_first_step_can_be_interrupted)
{
    packing p;
    perp_settings settings;
    perp_solver *solver;
    int asked = 0;
    make(&p, "spheres", 300);
    fall(&p);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-4;
    settings.warm_start = 5;
    settings.progress = stop_at_ipm;
    settings.progress_ctx = &asked;
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), &settings, NULL, NULL),
                     PERP_SOLVED);
    p.problem.q = p.q;
    ck_assert_int_eq(perp_solver_setup(solver, &p.problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, p.z, p.w, NULL), PERP_INTERRUPTED);
    ck_assert_int_eq(asked, 1);
    perp_solver_destroy(solver);
    drop(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("at-rest");
    TCase *tcase = tcase_create("at-rest");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_packing_at_rest_takes_a_sweep_at_most, 0, 3);
    tcase_add_test(tcase, what_sweeps_leave_is_taken_away_in_a_sequence);
    tcase_add_loop_test(tcase, what_begins_at_rest_is_solved_to_rest, 0, 2);
    tcase_add_test(tcase, the_first_step_can_be_interrupted);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
