/* SPDX-License-Identifier: BSD-3-Clause */
/* Gauss-Seidel on packings: memory of a handle beside the arrays of the problem. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "linalg/csc.h"
#include "tests/fixtures/generated.h"

static double largest_between(const double *x, const double *y, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - (y ? y[i] : 0.0)));
    return most;
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

/* From 0; what the handle says that it holds is what it has. */
static perp_info solve(const char *solver, const perp_problem *problem,
                       const perp_settings *settings, counter *c, double *w)
{
    perp_allocator counting = {count_allocate, count_release, c};
    perp_info info = {.size = sizeof info};
    perp_solver *handle;
    double *z = calloc((size_t)problem->M.rows, sizeof *z);
    ck_assert_int_eq(
        perp_solver_create(&handle, perp_solver_find(solver), settings, &counting, NULL),
        PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(handle, problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(handle, z, w, &info), PERP_SOLVED);
    ck_assert_msg(info.bytes <= c->peak && info.bytes >= c->now / 10 * 9, "%zu held, of %zu",
                  info.bytes, c->now);
    perp_solver_destroy(handle);
    free(z);
    return info;
}

static perp_settings settings_of(double tol, const char *acceleration)
{
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    ck_assert_int_eq(perp_settings_set(&settings, "acceleration", acceleration), PERP_SOLVED);
    return settings;
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
    counter c = {0, 0}, of_bodies = {0, 0};
    perp_settings settings = settings_of(1e-4, acceleration[_i]);
    generated_make(&file, &bodies, "spheres", 1200);
    perp_arena_init(&arena, NULL);
    blocks = bodies;
    ck_assert_int_eq(perp_bsr_from_delassus(&blocks.M, &bodies.M, 3, &arena), PERP_SOLVED);
    size_t n = (size_t)bodies.M.rows, nc = n / 3, nb = (size_t)blocks.M.as.bsr.rowptr[nc];
    size_t arrays = nb * (9 * sizeof(double) + sizeof(int)) + (nc + 1) * sizeof(int) +
                    (n + nc) * sizeof(double);
    size_t most = (size_t)(share[_i] * (double)arrays);
    ck_assert_uint_ge(nc, 1000);
    double *w[2] = {calloc(n, sizeof(double)), calloc(n, sizeof(double))};
    perp_info first = solve("gs", &blocks, &settings, &c, w[0]);
    ck_assert_msg(c.peak <= most, "%s: %zu at most, beside %zu", acceleration[_i], c.peak, arrays);
    perp_info second = solve("gs", &bodies, &settings, &of_bodies, w[1]);
    ck_assert_int_le(abs(first.iterations - second.iterations), 2);
    ck_assert_double_le(largest_between(w[0], w[1], n), 1e-3 * largest_between(bodies.q, NULL, n));
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
    perp_settings settings = settings_of(1e-3, "nncg");
    ck_assert_int_eq(perp_settings_set(&settings, "storage", "in-place"), PERP_SOLVED);
    generated_make(&file, &problem, "spheres", 5000);
    size_t n = (size_t)problem.M.rows, dofs = (size_t)problem.M.as.delassus.dofs;
    size_t stored = (size_t)problem.M.as.delassus.colptr[n] + dofs;
    size_t arrays = stored * (sizeof(double) + sizeof(int)) + (n + dofs) * sizeof(int) +
                    (2 * n + dofs + n / 3) * sizeof(double);
    double *w = calloc(n, sizeof *w);
    (void)solve(solvers[_i], &problem, &settings, &c, w);
    ck_assert_msg(c.peak <= arrays, "%zu at most, beside %zu", c.peak, arrays);
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
