/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation of what reads, converts and writes fails once: memory is blamed, nothing is kept, no
 * file is made or changed; and the next call does what it does without trouble. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/io_samples.h"

/* One piece of work: what it makes is given back by it. */
typedef perp_status (*work)(const perp_allocator *allocator, io_memory *memory, const void *ctx);

static void each_fails(work does, const void *ctx, int at_least)
{
    perp_status status = PERP_ERR_MEMORY;
    int k = 0;
    for (; status == PERP_ERR_MEMORY; k++) {
        io_memory memory = {.fail_at = k};
        const perp_allocator allocator = io_allocator(&memory);
        status = does(&allocator, &memory, ctx);
        ck_assert_msg(status == PERP_SOLVED || status == PERP_ERR_MEMORY, "call %d: %s", k,
                      perp_status_name(status));
        ck_assert_int_eq(memory.live, 0);
        ck_assert_int_lt(k, 500);
    }
    ck_assert_msg(k > at_least, "%d calls", k - 1);
}

typedef struct text_case {
    const char *text;
    perp_problem_class cls;
} text_case;

static perp_status read_text(const perp_allocator *allocator, io_memory *memory, const void *ctx)
{
    const text_case *c = ctx;
    perp_problem_file *file = NULL;
    perp_problem problem;
    perp_io_error error;
    (void)memory;
    io_write(io_path("m.dat"), c->text, strlen(c->text));
    perp_status status =
        perp_problem_file_read(&file, io_path("m.dat"), c->cls, allocator, &error);
    ck_assert_msg(status != PERP_ERR_FORMAT, "%s: %s", c->text, error.text);
    ck_assert((status == PERP_SOLVED) == (file != NULL));
    if (status == PERP_SOLVED)
        status = perp_problem_file_get(file, &problem, &error);
    perp_problem_file_destroy(file);
    return status;
}

/* Layouts that the project itself does not write. */
START_TEST(texts)
{
    static const text_case cases[] = {
        {"0 1 1 2 1 6 7 8 9 2 3 4 5 -1 -2 -3", PERP_CLASS_AUTO},
        {"1 2 3 1 6 7 8 9 2 3 4 5 -1 -2 -3", PERP_CLASS_AUTO},
        {"1 1 1 2 0 1 3 0 1 0 3 3 3 3 1 4 5 2 6 8 3 7 9 -1 -2 -3 1 6 7 8 9 2 3 4 5 -1 -2 -3",
         PERP_CLASS_AUTO},
        {"1 0 1 1 0 1 2 0 1 0 3 2 3 2 1 -1 1 -1 -1 1 0 1 -1", PERP_CLASS_AUTO},
        {"1 1 1 1 0 1 2 0 1 0 3 2 3 2 1 -1 1 -1 -1 1 0 1 1 1 -1 1 0 -1", PERP_CLASS_AUTO},
        {"2 1 2 1 2 3 4 5 6 7 8", PERP_CLASS_AUTO},
        {"1 0 1 1 0 1 2 1 0 0 2 2 2 2 1 2 3 4 5 6", PERP_CLASS_AUTO},
        {"3\n1\n3\n3\n3\n2\n2\n2\t3\t\n2\t3\t\n3\n3\n0\t2\t3\t\n0\t1\t1\t\n"
         "2\n9\n0\n1\n2\n3\n4\n1\n5\n6\n-1 -2 -3",
         PERP_CLASS_LCP},
        {"2 1 0 2 2 2 2 4 0 0 4 0 2 2 2 2 1 2 3 5 7 8 9 10 0.5", PERP_CLASS_AUTO},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        each_fails(read_text, &cases[k], 3);
}
END_TEST

/* More unknowns than a dense square of them is worth. */
START_TEST(wide_texts)
{
    enum { MANY = 3000, SIZE = 64 + 4 * MANY };
    static char text[SIZE];
    int used = snprintf(text, SIZE, "%d 0 1", MANY);
    for (int j = 0; j < MANY + 1; j++)
        used += snprintf(text + used, SIZE - (size_t)used, " %d", j % 7 + 1);
    const text_case c = {text, PERP_CLASS_MLCP};
    each_fails(read_text, &c, 3);
}
END_TEST

typedef struct trip {
    io_sample sample;
    const char *ending;
} trip;

/* A solution of a file that was read, written and read again; z stays what it was where that fails. */
static perp_status solution_trip(const perp_allocator *allocator, io_memory *memory,
                                 const void *ctx)
{
    const trip *t = ctx;
    perp_rng rng = {7};
    perp_problem_file *file = NULL;
    int fail_at = memory->fail_at;
    perp_problem_file *made = io_sample_make(t->sample, 4, &rng);
    ck_assert_int_eq(perp_problem_file_write(made, io_path("p.dat"), PERP_FORMAT_SICONOS, NULL),
                     PERP_SOLVED);
    memory->fail_at = -1;
    ck_assert_int_eq(perp_problem_file_read(&file, io_path("p.dat"), made->cls, allocator, NULL),
                     PERP_SOLVED);
    memory->fail_at = memory->calls + fail_at;
    double z[128], w[128], back[128];
    int n = made->M.rows + (made->has_V ? made->R.rows : 0);
    if (made->cls == PERP_CLASS_GLOBAL)
        n = made->H.cols + made->bilateral;
    ck_assert_int_le(n, 128);
    for (int i = 0; i < n; i++) {
        z[i] = 0.25 + i;
        w[i] = -0.5 * i;
        back[i] = 77.0;
    }
    char path[300];
    snprintf(path, sizeof path, "%s", io_path(t->ending));
    perp_status status = perp_solution_write(file, z, w, path, NULL);
    if (status != PERP_SOLVED)
        ck_assert_ptr_null(fopen(path, "rb"));
    if (status == PERP_SOLVED) {
        status = perp_solution_read(file, path, back, NULL);
        for (int i = 0; i < n; i++)
            ck_assert(back[i] == (status == PERP_SOLVED ? z[i] : 77.0));
    }
    remove(path);
    perp_problem_file_destroy(file);
    perp_problem_file_destroy(made);
    return status;
}

START_TEST(solutions)
{
    static const trip text[] = {{IO_MLCP_DENSE, "s.sol"}, {IO_GLOBAL_3D, "s.sol"}};
    for (int k = 0; k < 2; k++)
        each_fails(solution_trip, &text[k], 2);
#ifdef HAVE_HDF5
    static const trip tables[] = {{IO_FRICTION_3D, "s.hdf5"}, {IO_GLOBAL_3D, "s.hdf5"}};
    for (int k = 0; k < 2; k++)
        each_fails(solution_trip, &tables[k], 5);
#endif
}
END_TEST

static perp_status local_form(const perp_allocator *allocator, io_memory *memory, const void *ctx)
{
    const io_sample *sample = ctx;
    perp_rng rng = {8};
    perp_problem_file *global = io_sample_make(*sample, 4, &rng), *local = NULL;
    perp_io_error error;
    (void)memory;
    perp_status status = perp_problem_file_to_local(&local, global, allocator, &error);
    ck_assert((status == PERP_SOLVED) == (local != NULL));
    perp_problem_file_destroy(local);
    perp_problem_file_destroy(global);
    return status;
}

START_TEST(local_forms)
{
    static const io_sample samples[] = {IO_GLOBAL_2D, IO_GLOBAL_3D, IO_GLOBAL_ROLLING, IO_GLOBAL_G};
    for (int k = 0; k < 4; k++)
        each_fails(local_form, &samples[k], 8);
}
END_TEST

enum { N = 8 };

typedef struct shape {
    perp_segment seg[3];
    int nseg;
    perp_mat_kind kind;
} shape;

/* 4 on the diagonal, and 1 where |i - j| = 2. */
static double entry(int i, int j)
{
    return i == j ? 4.0 : abs(i - j) == 2 ? 1.0 : 0.0;
}

static void fill_matrix(perp_mat *A, perp_mat_kind kind)
{
    static double dense[N * N], x[N * N], blocks[N * N];
    static int start[N + 1], row[N * N], col[N * N];
    int count = 0;
    for (int j = 0; j < N; j++) {
        start[j] = count;
        for (int i = 0; i < N; i++) {
            dense[i + N * j] = entry(i, j);
            row[count] = i;
            x[count] = entry(i, j);
            count += entry(i, j) != 0.0;
        }
    }
    start[N] = count;
    if (kind == PERP_DENSE)
        ck_assert_int_eq(perp_mat_init_dense(A, N, N, dense, N), PERP_SOLVED);
    if (kind == PERP_CSC)
        ck_assert_int_eq(perp_mat_init_csc(A, N, N, start, row, x), PERP_SOLVED);
    if (kind != PERP_BSR)
        return;
    for (int k = 0; k < N / 2; k++) {
        start[k] = k * N / 2;
        for (int l = 0; l < N / 2; l++) {
            col[k * N / 2 + l] = l;
            for (int e = 0; e < 4; e++)
                blocks[4 * (k * N / 2 + l) + e] = entry(2 * k + e % 2, 2 * l + e / 2);
        }
    }
    start[N / 2] = N * N / 4;
    ck_assert_int_eq(perp_mat_init_bsr(A, N / 2, 2, start, col, blocks), PERP_SOLVED);
}

static perp_status from_problem(const perp_allocator *allocator, io_memory *memory,
                                const void *ctx)
{
    static const double q[N] = {-1, 2, 3, -4, 5, 6, -7, 8};
    const shape *s = ctx;
    perp_problem problem = {.q = q, .seg = s->seg, .nseg = s->nseg};
    perp_problem_file *file = NULL;
    perp_io_error error;
    (void)memory;
    fill_matrix(&problem.M, s->kind);
    perp_status status = perp_problem_file_from_problem(&file, &problem, allocator, &error);
    ck_assert((status == PERP_SOLVED) == (file != NULL));
    ck_assert_msg(status == PERP_SOLVED || error.text[0] != '\0', "no words");
    if (file != NULL && s->nseg == 1) { /* rows keep their places */
        double *M = io_dense(&file->M);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                ck_assert(M[i + N * j] == entry(i, j));
        free(M);
    }
    perp_problem_file_destroy(file);
    return status;
}

START_TEST(problems_of_programs)
{
    static const double mu[1] = {0.4}, lo[1] = {-0.2}, hi[1] = {INFINITY};
    static const shape shapes[] = {
        {{{PERP_NONNEG, 1, N, {NULL, NULL}, {0, 0}}}, 1, PERP_DENSE},
        {{{PERP_NONNEG, 1, N, {NULL, NULL}, {0, 0}}}, 1, PERP_CSC},
        {{{PERP_BOX, 1, N, {lo, hi}, {0, 0}}}, 1, PERP_BSR},
        {{{PERP_FREE, 1, 3, {NULL, NULL}, {0, 0}}, {PERP_NONNEG, 1, 5, {NULL, NULL}, {0, 0}}},
         2,
         PERP_CSC},
        {{{PERP_COULOMB, 2, 3, {mu, NULL}, {0, 0}}, {PERP_FREE, 1, 2, {NULL, NULL}, {0, 0}}},
         2,
         PERP_DENSE},
        {{{PERP_COULOMB, 2, 3, {mu, NULL}, {0, 0}}, {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}}},
         2,
         PERP_BSR},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
        each_fails(from_problem, &shapes[k], 8);
}
END_TEST

/* Friction of two dimensions has no file. */
START_TEST(friction_of_two_kinds)
{
    static const double mu[1] = {0.4}, q[N] = {0};
    const perp_segment seg[] = {{PERP_COULOMB, 3, 2, {mu, NULL}, {0, 0}},
                                {PERP_COULOMB, 2, 1, {mu, NULL}, {0, 0}}};
    perp_problem problem = {.q = q, .seg = seg, .nseg = 2};
    perp_problem_file *file = NULL;
    perp_io_error error;
    fill_matrix(&problem.M, PERP_DENSE);
    ck_assert_int_eq(perp_problem_file_from_problem(&file, &problem, NULL, &error),
                     PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_null(file);
    ck_assert_ptr_nonnull(strstr(error.text, "friction of two and of three rows together"));
}
END_TEST

static perp_status matrix_trip(const perp_allocator *allocator, io_memory *memory, const void *ctx)
{
    const char *text = ctx;
    perp_problem_file *owner = NULL;
    perp_mat A;
    (void)memory;
    io_write(io_path("a.mtx"), text, strlen(text));
    perp_status status = perp_problem_file_create(&owner, allocator);
    if (status == PERP_SOLVED)
        status = perp_mtx_read(owner, io_path("a.mtx"), &A, NULL);
    perp_problem_file_destroy(owner);
    return status;
}

START_TEST(matrices)
{
    each_fails(matrix_trip,
               "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n3 1 5\n2 2 1\n", 4);
    each_fails(matrix_trip, "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 2\n2 1 5\n",
               4);
    each_fails(matrix_trip, "%%MatrixMarket matrix array real skew-symmetric\n2 2\n7\n", 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("io memory");
    TCase *tcase = tcase_create("io memory");
    io_folder_make();
    tcase_add_test(tcase, texts);
    tcase_add_test(tcase, wide_texts);
    tcase_add_test(tcase, solutions);
    tcase_add_test(tcase, local_forms);
    tcase_add_test(tcase, problems_of_programs);
    tcase_add_test(tcase, friction_of_two_kinds);
    tcase_add_test(tcase, matrices);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    io_folder_remove();
    return failed != 0;
}
