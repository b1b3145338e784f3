/* SPDX-License-Identifier: BSD-3-Clause */
/* Gauss-Seidel on packings: memory of a handle beside the arrays of the problem. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "linalg/csc.h"
#include "tests/fixtures/generated.h"

static perp_settings settings_of(double tol, int max_iter)
{
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    settings.max_iter = max_iter;
    return settings;
}

static void set(perp_settings *settings, const char *name, const char *value)
{
    ck_assert_int_eq(perp_settings_set(settings, name, value), PERP_SOLVED);
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double distance(const double *x, const double *y, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static perp_solver *open_solver(const perp_problem *problem, const perp_settings *settings)
{
    perp_solver *solver = NULL;
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("gs"), settings, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, problem), PERP_SOLVED);
    return solver;
}

static perp_info solve(const perp_problem *problem, const perp_settings *settings, double *z,
                       double *w)
{
    perp_info info = {.size = sizeof info};
    perp_solver *solver = open_solver(problem, settings);
    ck_assert_int_ge(perp_solver_solve(solver, z, w, &info), 0);
    perp_solver_destroy(solver);
    return info;
}

typedef struct counter {
    size_t now, peak;
} counter;

typedef union head {
    size_t bytes;
    max_align_t align;
} head;

static void *count_allocate(void *ctx, size_t bytes)
{
    counter *c = ctx;
    head *h = malloc(sizeof *h + bytes);
    if (!h)
        return NULL;
    h->bytes = bytes;
    c->now += bytes;
    c->peak = c->now > c->peak ? c->now : c->peak;
    return h + 1;
}

static void count_release(void *ctx, void *block)
{
    if (block) {
        counter *c = ctx;
        head *h = (head *)block - 1;
        c->now -= h->bytes;
        free(h);
    }
}

/* A packing of 1200 contacts, temporary memory of setup included: beside the problem's arrays plain
 * sweeps hold 0.3 of them, conjugate gradients two vectors more, and with Anderson acceleration as
 * much again; and the same w in blocks and in bodies. */
START_TEST(a_packing_in_little_memory)
{
    static const char *const acceleration[] = {"none", "nncg", "auto"};
    static const double share[] = {0.3, 0.36, 1.0};
    perp_problem_file *file;
    perp_problem bodies, blocks;
    perp_arena arena;
    counter c = {0, 0};
    perp_allocator counting = {count_allocate, count_release, &c};
    perp_settings settings = settings_of(1e-4, 0);
    perp_solver *solver;
    perp_info info[2] = {{.size = sizeof info[0]}, {.size = sizeof info[0]}};
    set(&settings, "acceleration", acceleration[_i]);
    generated_make(&file, &bodies, "spheres", 1200);
    perp_arena_init(&arena, NULL);
    blocks = bodies;
    ck_assert_int_eq(perp_bsr_from_delassus(&blocks.M, &bodies.M, 3, &arena), PERP_SOLVED);
    size_t n = (size_t)bodies.M.rows, nc = n / 3, nb = (size_t)blocks.M.as.bsr.rowptr[nc];
    size_t arrays = nb * (9 * sizeof(double) + sizeof(int)) + (nc + 1) * sizeof(int) +
                    (n + nc) * sizeof(double);
    ck_assert_uint_ge(nc, 1000);
    double *z = calloc(n, sizeof *z), *w[2] = {calloc(n, sizeof *z), calloc(n, sizeof *z)};
    ck_assert_int_eq(
        perp_solver_create(&solver, perp_solver_find("gs"), &settings, &counting, NULL),
        PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, &blocks), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w[0], &info[0]), PERP_SOLVED);
    perp_solver_destroy(solver);
    size_t most = (size_t)(share[_i] * (double)arrays);
    ck_assert_msg(info[0].bytes <= most && c.peak <= most, "%s: %zu held, %zu at most, beside %zu",
                  acceleration[_i], info[0].bytes, c.peak, arrays);
    info[1] = solve(&bodies, &settings, z, w[1]);
    ck_assert_int_eq(info[1].status, PERP_SOLVED);
    ck_assert_int_le(abs(info[0].iterations - info[1].iterations), 2);
    ck_assert_double_le(distance(w[0], w[1], (int)n), 1e-3 * largest(bodies.q, (int)n));
    free(z);
    free(w[0]);
    free(w[1]);
    perp_arena_free(&arena);
    perp_problem_file_destroy(file);
}
END_TEST

/* From the global form, with H read in place and what the default takes there: the handle, its
 * temporary memory included, is smaller than the arrays M, H, f, w, q, mu. */
START_TEST(a_global_packing_in_twice_its_arrays)
{
    static const char *const solvers[] = {"gs", "auto"};
    perp_problem_file *file;
    perp_problem problem;
    counter c = {0, 0};
    perp_allocator counting = {count_allocate, count_release, &c};
    perp_settings settings = settings_of(1e-3, 0);
    perp_solver *solver;
    perp_info info = {.size = sizeof info};
    set(&settings, "storage", "in-place");
    set(&settings, "acceleration", "nncg");
    generated_make(&file, &problem, "spheres", 5000);
    size_t n = (size_t)problem.M.rows, dofs = (size_t)problem.M.as.delassus.dofs;
    size_t stored = (size_t)problem.M.as.delassus.colptr[n] + dofs;
    size_t arrays = stored * (sizeof(double) + sizeof(int)) + (n + dofs) * sizeof(int) +
                    (2 * n + dofs + n / 3) * sizeof(double);
    double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w);
    ck_assert_int_eq(
        perp_solver_create(&solver, perp_solver_find(solvers[_i]), &settings, &counting, NULL),
        PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, &problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
    ck_assert_msg(c.peak <= arrays && info.bytes <= c.peak && info.bytes >= c.now / 10 * 9,
                  "%zu held, %zu at most, beside %zu", info.bytes, c.peak, arrays);
    perp_solver_destroy(solver);
    free(z);
    free(w);
    perp_problem_file_destroy(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory of Gauss-Seidel");
    TCase *tc = tcase_create("packings");
    tcase_add_loop_test(tc, a_packing_in_little_memory, 0, 3);
    tcase_add_loop_test(tc, a_global_packing_in_twice_its_arrays, 0, 2);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
