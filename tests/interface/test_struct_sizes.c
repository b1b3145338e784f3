/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs that grow: callers that are older or newer than the library, and structs that were not
 * initialised. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/sized.h"

_Static_assert(sizeof(perp_residuals) == 128, "perp_residuals lies in perp_info: it cannot grow");
_Static_assert(sizeof(perp_stage) == 80, "perp_stage lies in perp_info: it cannot grow");

enum { MARK = 0xa5, MARGIN = 16 };

/* A struct of the caller: `size` bytes, filled with MARK and with its size, and a margin. */
static void *caller(size_t size)
{
    unsigned char *bytes = malloc(size + sizeof(size_t) + MARGIN);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, MARK, size + sizeof(size_t) + MARGIN);
    memcpy(bytes, &size, sizeof size);
    return bytes;
}

/* Nothing past the size was written; what a longer struct has more is zero. */
static void check_bytes(const void *sized, size_t own)
{
    const unsigned char *bytes = sized;
    size_t size;
    memcpy(&size, bytes, sizeof size);
    for (size_t k = own; k < size; k++)
        ck_assert_uint_eq(bytes[k], 0);
    for (size_t k = size < sizeof size ? sizeof size : size; k < size + MARGIN; k++)
        ck_assert_uint_eq(bytes[k], MARK);
}

static const double M[4] = {2.0, 0.0, 0.0, 2.0}, q[2] = {-2.0, 1.0};
static const perp_segment rows = {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};

static perp_problem problem(void)
{
    perp_problem made = {.q = q, .seg = &rows, .nseg = 1};
    perp_mat_init_dense(&made.M, 2, 2, M, 2);
    return made;
}

static int value(void *ctx, double *F, const double *z)
{
    (void)ctx;
    for (int i = 0; i < 2; i++)
        F[i] = 2.0 * z[i] + q[i];
    return 0;
}

static int jacobian(void *ctx, double *J, const double *z)
{
    (void)ctx, (void)z;
    memcpy(J, M, sizeof M);
    return 0;
}

static int show(void *ctx, int k, const double *z, const double *w, int piece)
{
    (void)ctx, (void)k, (void)z, (void)w, (void)piece;
    return 0;
}

/* One call that writes each of the outputs. */
typedef perp_status (*call)(void *output);

static perp_status call_solve(void *info)
{
    perp_problem p = problem();
    double z[2], w[2];
    return perp_solve("lemke", &p, NULL, z, w, info);
}

static perp_status call_solver_solve(void *info)
{
    perp_problem p = problem();
    double z[2], w[2];
    perp_solver *solver;
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("lemke"), NULL, NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, &p), PERP_SOLVED);
    perp_status status = perp_solver_solve(solver, z, w, info);
    perp_solver_destroy(solver);
    return status;
}

static perp_status call_residual(void *residuals)
{
    perp_problem p = problem();
    double z[2] = {1.0, 0.0}, w[2];
    return perp_residual(&p, z, NULL, w, residuals);
}

static perp_status call_certificate(void *figures)
{
    perp_problem p = problem();
    double y[2] = {1.0, 0.0};
    return perp_certificate_check(&p, PERP_CERTIFICATE_INFEASIBLE, y, NULL, figures);
}

static perp_status call_enumerate(void *info)
{
    perp_problem p = problem();
    return perp_enumerate(&p, NULL, show, NULL, NULL, info);
}

static perp_status call_ncp(void *info)
{
    perp_ncp ncp = {.n = 2, .F = value, .J = jacobian, .seg = &rows, .nseg = 1};
    double z[2] = {0.0, 0.0}, F[2];
    return perp_ncp_solve(&ncp, NULL, z, F, info);
}

static const struct output {
    const char *name;
    size_t size;
    call call;
} outputs[] = {
    {"perp_info of perp_solve()", sizeof(perp_info), call_solve},
    {"perp_info of perp_solver_solve()", sizeof(perp_info), call_solver_solve},
    {"perp_residuals", sizeof(perp_residuals), call_residual},
    {"perp_certificate_figures", sizeof(perp_certificate_figures), call_certificate},
    {"perp_enumerate_info", sizeof(perp_enumerate_info), call_enumerate},
    {"perp_ncp_info", sizeof(perp_ncp_info), call_ncp},
};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

START_TEST(outputs_of_other_releases)
{
    const struct output *o = &outputs[_i];
    void *whole = caller(o->size);
    ck_assert_msg(o->call(whole) == PERP_SOLVED, "%s", o->name);
    check_bytes(whole, o->size);
    const size_t sizes[] = {8, 12, 16, o->size / 2, o->size - 8, o->size + 1, o->size + 584, 65536};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        size_t both = sizes[k] < o->size ? sizes[k] : o->size;
        void *other = caller(sizes[k]);
        ck_assert_msg(o->call(other) == PERP_SOLVED, "%s of %zu bytes", o->name, sizes[k]);
        check_bytes(other, o->size);
        /* The seconds of an info differ, so its first fields are compared. */
        both = both < 24 ? both : 24;
        ck_assert(memcmp((char *)other + 8, (char *)whole + 8, both - 8) == 0);
        free(other);
    }
    free(whole);
}
END_TEST

START_TEST(outputs_without_a_size)
{
    const struct output *o = &outputs[_i];
    const size_t sizes[] = {0, 7, 65537, (size_t)-1, 0x5a5a5a5a5a5a5a5a};
    unsigned char *bytes = malloc(o->size);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        memset(bytes, MARK, o->size);
        memcpy(bytes, &sizes[k], sizeof sizes[k]);
        ck_assert_msg(o->call(bytes) == PERP_ERR_ARGUMENT, "%s of %zu bytes", o->name, sizes[k]);
        for (size_t i = sizeof(size_t); i < o->size; i++)
            ck_assert_uint_eq(bytes[i], MARK);
    }
    free(bytes);
}
END_TEST

START_TEST(settings_of_the_nonlinear_solver)
{
    perp_ncp ncp = {.n = 2, .F = value, .J = jacobian, .seg = &rows, .nseg = 1};
    perp_ncp_solver *solver;
    const size_t own = sizeof(perp_ncp_settings);
    const size_t sizes[] = {8, 16, own - 8, own, own + 24};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        perp_ncp_settings *s = caller(sizes[k]);
        perp_where where = {NULL, -1, -1};
        perp_ncp_settings_init(s, sizes[k]);
        check_bytes(s, own);
        ck_assert_int_eq(perp_ncp_solver_create(&solver, &ncp, s, NULL, &where), PERP_SOLVED);
        perp_ncp_solver_destroy(solver);
        if (sizes[k] > own) {
            ((unsigned char *)s)[sizes[k] - 1] = 1;
            ck_assert_int_eq(perp_ncp_solver_create(&solver, &ncp, s, NULL, &where),
                             PERP_ERR_SETTING);
            ck_assert_str_eq(where.what, "size");
        }
        s->size = 3;
        ck_assert_int_eq(perp_ncp_solver_create(&solver, &ncp, s, NULL, &where), PERP_ERR_SETTING);
        ck_assert_str_eq(where.what, "size");
        free(s);
    }
}
END_TEST

/* What a shorter input lacks has its default. */
START_TEST(inputs_keep_defaults)
{
    typedef struct pair {
        size_t size;
        double a, b;
    } pair;
    pair own = {sizeof own, 1.0, 2.0}, callers = {offsetof(pair, b), 5.0, 6.0};
    ck_assert_int_eq(perp_sized_read(&own, sizeof own, &callers), PERP_SOLVED);
    ck_assert(own.a == 5.0 && own.b == 2.0 && own.size == sizeof own);
    ck_assert(perp_sized_has(&callers, offsetof(pair, a), sizeof(double)));
    ck_assert(!perp_sized_has(&callers, offsetof(pair, b), sizeof(double)));
    ck_assert_uint_eq(perp_sized_claim(NULL), 0);
}
END_TEST

/* One sentence about an error of the interface. */
START_TEST(errors_are_explained)
{
    perp_problem p = problem();
    double z[2], w[2], bad[2] = {0.0, NAN};
    perp_info info = {.size = sizeof info};
    perp_segment many = rows;
    many.count = 297;
    p.seg = &many;
    ck_assert_int_eq(perp_solve("gs", &p, NULL, z, w, &info), PERP_ERR_STRUCTURE);
    ck_assert_str_eq(info.detail, "segments have 297 rows, M has 2");
    p = problem();
    p.q = bad;
    ck_assert_int_eq(perp_solve(NULL, &p, NULL, z, w, &info), PERP_ERR_NONFINITE);
    ck_assert_str_eq(info.detail, "q[1] is not finite");
    p = problem();
    perp_settings s;
    perp_settings_init(&s, sizeof s);
    s.tol = 2.0;
    ck_assert_int_eq(perp_solve("gs", &p, &s, z, w, &info), PERP_ERR_SETTING);
    ck_assert_str_eq(info.detail, "tol is outside its range, 0 to 1");
    s.tol = 1e-8;
    s.sweep = 9;
    ck_assert_int_eq(perp_solve("gs", &p, &s, z, w, &info), PERP_ERR_SETTING);
    ck_assert_str_eq(info.detail, "sweep is none of forward|symmetric");
    ck_assert_int_eq(perp_solve("no-such", &p, NULL, z, w, &info), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(info.detail, "no solver is called \"no-such\"");
    ck_assert_int_eq(perp_solve("gs", &p, NULL, z, w, &info), PERP_SOLVED);
    ck_assert_str_eq(info.detail, "");
}
END_TEST

START_TEST(null_is_answered)
{
    ck_assert_ptr_null(perp_solver_name(NULL));
    ck_assert_ptr_null(perp_solver_summary(NULL));
    ck_assert_ptr_null(perp_solver_reads(NULL));
    ck_assert_int_eq(perp_solver_takes_set(NULL, PERP_FREE), 0);
    ck_assert_int_eq(perp_solver_takes_matrix(NULL, PERP_DENSE), 0);
    ck_assert_int_eq(perp_solver_allocates(NULL), 0);
    ck_assert_int_eq(perp_solver_is_everyday(NULL), 0);
    ck_assert_int_eq(perp_solver_fits(NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_fits(perp_solver_at(0), NULL), 0);
    ck_assert_ptr_null(perp_solver_find(NULL));
    ck_assert_ptr_null(perp_solver_choose(NULL));
    ck_assert_ptr_null(perp_solver_info(NULL));
    ck_assert_uint_eq(perp_mat_scratch(NULL), 0);
    ck_assert_int_eq(perp_mass_size(NULL), 0);
    ck_assert_ptr_null(perp_avi_problem(NULL));
    ck_assert_int_eq(perp_mat_check(NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_check(NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_residual(NULL, NULL, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_solve("gs", NULL, NULL, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_solve(NULL, NULL, NULL, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_ncp_solver_solve(NULL, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_settings_check(NULL, NULL), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_settings_set(NULL, "tol", "1"), PERP_ERR_ARGUMENT);
    perp_mat A;
    double x = 1.0, y = 0.0;
    perp_mat_init_dense(&A, 1, 1, &x, 1);
    ck_assert_int_eq(perp_mat_apply(NULL, &x, NULL, &y), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_apply(&A, NULL, NULL, &y), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_apply(&A, &x, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_equalities_find(NULL, NULL, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    perp_solver_destroy(NULL);
    perp_ncp_solver_destroy(NULL);
    perp_avi_destroy(NULL);
    perp_mass_destroy(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("struct sizes");
    TCase *tcase = tcase_create("struct sizes");
    tcase_add_loop_test(tcase, outputs_of_other_releases, 0, OUTPUTS);
    tcase_add_loop_test(tcase, outputs_without_a_size, 0, OUTPUTS);
    tcase_add_test(tcase, settings_of_the_nonlinear_solver);
    tcase_add_test(tcase, inputs_keep_defaults);
    tcase_add_test(tcase, errors_are_explained);
    tcase_add_test(tcase, null_is_answered);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
