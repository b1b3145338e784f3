/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps of four contacts at once: the answers of other storages under every setting that changes
 * what a visit does, and the same bits for any number of threads. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "generators/friction_problems.h"

typedef struct scene {
    perp_problem_file *file;
    perp_problem problem;
    double *z, *w;
    int n;
} scene;

static void make(scene *s, const char *name, int size, double mu)
{
    const perp_generator *generator = perp_generator_find(name);
    perp_generate_options options;
    perp_io_error error = {.line = 0};
    perp_generate_options_init(&options, generator);
    options.size = size;
    options.mu = mu;
    ck_assert_int_eq(perp_generate(&s->file, generator, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_problem_file_get(s->file, &s->problem, &error), PERP_SOLVED);
    s->n = s->problem.M.rows;
    s->z = calloc((size_t)s->n, sizeof *s->z);
    s->w = calloc((size_t)s->n, sizeof *s->w);
}

static void drop(scene *s)
{
    perp_problem_file_destroy(s->file);
    free(s->z);
    free(s->w);
}

/* "name=value ..." */
static perp_settings settings_of(const char *text)
{
    perp_settings settings;
    char copy[200], *rest = copy;
    perp_settings_init(&settings, sizeof settings);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *item; (item = strtok_r(rest, " ", &rest));) {
        char *value = strchr(item, '=');
        *value++ = '\0';
        ck_assert_int_eq(perp_settings_set(&settings, item, value), PERP_SOLVED);
    }
    return settings;
}

static perp_info solve(const scene *s, const char *text, double *z)
{
    perp_settings settings = settings_of(text);
    perp_info info = {.size = sizeof info};
    memset(z, 0, (size_t)s->n * sizeof *z);
    perp_solve("gs", &s->problem, &settings, z, s->w, &info);
    return info;
}

static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
        size += a[i] * a[i];
    }
    return sqrt(sum / size);
}

/* Loose piles of which z is unique enough: the velocities w agree. */
START_TEST(every_setting)
{
    static const char *const more[] = {"",
                                       "sweep=symmetric",
                                       "relaxation=1.2",
                                       "relaxation=0.8",
                                       "local=quartic",
                                       "local=newton",
                                       "acceleration=none",
                                       "acceleration=nncg"};
    static const double friction[] = {0.0, 0.1, 0.3};
    scene s;
    make(&s, "spheres", 200, friction[_i]);
    double *other = calloc((size_t)s.n, sizeof *other), *w = calloc((size_t)s.n, sizeof *w);
    for (size_t k = 0; k < sizeof more / sizeof more[0]; k++) {
        char text[200];
        snprintf(text, sizeof text, "tol=1e-5 order=coloured measure=natural %s", more[k]);
        perp_info info = solve(&s, text, s.z);
        ck_assert_msg(info.status == PERP_SOLVED, "%s: %s", text, perp_status_text(info.status));
        memcpy(w, s.w, (size_t)s.n * sizeof *w);
        snprintf(text, sizeof text, "tol=1e-5 order=natural storage=in-place measure=natural");
        ck_assert_int_eq(solve(&s, text, other).status, PERP_SOLVED);
        ck_assert_double_lt(distance(s.w, w, s.n), 1e-2);
    }
    free(other);
    free(w);
    drop(&s);
}
END_TEST

/* Few sweeps of spheres on a floor and of boxes: the bits of one thread. */
START_TEST(threads)
{
    static const char *const names[] = {"spheres", "boxes", "arch"};
    scene s;
    make(&s, names[_i], 2500, 0.5);
    double *one = calloc((size_t)s.n, sizeof *one);
    perp_info info = solve(&s, "max_iter=23 tol=1e-15 order=coloured threads=1", one);
    for (int t = 2; t < 5; t++) {
        char text[100];
        snprintf(text, sizeof text, "max_iter=23 tol=1e-15 order=coloured threads=%d", t);
        perp_info again = solve(&s, text, s.z);
        ck_assert_mem_eq(s.z, one, (size_t)s.n * sizeof *one);
        ck_assert_double_eq(again.error, info.error);
    }
    free(one);
    drop(&s);
}
END_TEST

/* A kept handle reads q and the friction again without an update. */
START_TEST(new_numbers)
{
    scene s;
    make(&s, "spheres", 300, 0.2);
    perp_settings settings = settings_of("tol=1e-8 order=coloured measure=natural");
    double *q = malloc((size_t)s.n * sizeof *q), *z = calloc((size_t)s.n, sizeof *z);
    perp_solver *kept;
    ck_assert_int_eq(perp_solver_create(&kept, perp_solver_find("gs"), &settings, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(kept, &s.problem), PERP_SOLVED);
    perp_solver_solve(kept, z, s.w, NULL);
    for (int i = 0; i < s.n; i++)
        q[i] = s.problem.q[i] * (i % 3 ? 0.7 : 1.1);
    s.problem.q = q;
    ck_assert_int_eq(perp_solver_update_q(kept, q), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(kept, z, s.w, NULL), PERP_SOLVED);
    solve(&s, "tol=1e-8 order=coloured measure=natural", s.z);
    ck_assert_mem_eq(z, s.z, (size_t)s.n * sizeof *z);
    ck_assert_int_eq(perp_solver_update(kept, &s.problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(kept, z, s.w, NULL), PERP_SOLVED);
    ck_assert_mem_eq(z, s.z, (size_t)s.n * sizeof *z);
    perp_solver_destroy(kept);
    free(q);
    free(z);
    drop(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gs fours");
    TCase *tests = tcase_create("gs fours");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, every_setting, 0, 3);
    tcase_add_loop_test(tests, threads, 0, 3);
    tcase_add_test(tests, new_numbers);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
