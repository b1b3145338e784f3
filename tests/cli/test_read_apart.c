/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 files read by a child process: the same problems and the same errors, and a parent that
 * lives whatever becomes of the child. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perp/io.h>

#include "cli/read_apart.h"
#include "core/rng.h"
#include "tests/fixtures/contract.h"
#include "tests/fixtures/io_samples.h"

static perp_io_error ignored;

/* NULL where the sample has no form in HDF5. */
static const char *written(io_sample kind, int size, perp_rng *rng)
{
    const char *path = io_path("apart.hdf5");
    if (!io_sample_fits(kind, PERP_FORMAT_FCLIB))
        return NULL;
    perp_problem_file *made = io_sample_make(kind, size, rng);
    ck_assert_int_eq(perp_problem_file_write(made, path, PERP_FORMAT_FCLIB, NULL), PERP_SOLVED);
    perp_problem_file_destroy(made);
    return path;
}

static void nobody_is_left(void)
{
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}

START_TEST(the_same_problem)
{
    perp_rng rng = {5};
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++)
        for (int size = 0; size < 6; size += 2) {
            perp_problem_file *here = NULL, *apart = NULL;
            perp_io_error error;
            const char *path = written(kind, size, &rng);
            if (!path)
                continue;
            ck_assert_int_eq(perp_problem_file_read(&here, path, 0, NULL, NULL), PERP_SOLVED);
            ck_assert_msg(perp_read_problem_apart(&apart, path, 0, NULL, NULL, &error) ==
                              PERP_SOLVED,
                          "%d: %s", (int)kind, error.text);
            io_assert_same(here, apart);
            perp_problem_file_destroy(here);
            perp_problem_file_destroy(apart);
        }
    nobody_is_left();
}
END_TEST

START_TEST(the_same_solution)
{
    perp_rng rng = {6};
    perp_problem_file *file;
    perp_problem problem;
    const char *path = written(IO_GLOBAL_G, 4, &rng), *out = io_path("solved.hdf5");
    ck_assert_int_eq(perp_read_problem_apart(&file, path, 0, NULL, NULL, &ignored), PERP_SOLVED);
    ck_assert_int_eq(perp_problem_file_get(file, &problem, NULL), PERP_SOLVED);
    size_t n = (size_t)problem.M.rows;
    double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w), *back = calloc(n, sizeof *back);
    for (size_t i = 0; i < n; i++)
        z[i] = perp_rng_signed(&rng);
    ck_assert_int_eq(perp_solution_write(file, z, w, out, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_read_solution_apart(file, out, NULL, back, (int)n, &ignored), PERP_SOLVED);
    ck_assert_int_eq(memcmp(z, back, n * sizeof *z), 0);
    free(z);
    free(w);
    free(back);
    perp_problem_file_destroy(file);
}
END_TEST

/* Cut short and changed: the same status and text, where the child lives. */
START_TEST(the_same_errors)
{
    perp_rng rng = {7};
    size_t bytes;
    const char *path = written(IO_FRICTION_3D, 4, &rng);
    char *data = io_read(path, &bytes);
    for (int k = 0; k < 60; k++) {
        perp_problem_file *here = NULL, *apart = NULL;
        perp_io_error own, sent;
        size_t cut = k % 2 ? bytes : bytes * (size_t)k / 60, at = (size_t)(k * 37) % bytes;
        data[at] = (char)(data[at] ^ (k % 2 ? 0x41 : 0));
        io_write(path, data, cut);
        data[at] = (char)(data[at] ^ (k % 2 ? 0x41 : 0));
        perp_status status = perp_problem_file_read(&here, path, 0, NULL, &own);
        ck_assert_int_eq(perp_read_problem_apart(&apart, path, 0, NULL, NULL, &sent), status);
        if (status)
            ck_assert_str_eq(own.text, sent.text);
        ck_assert((status == PERP_SOLVED) == (apart != NULL));
        perp_problem_file_destroy(here);
        perp_problem_file_destroy(apart);
    }
    free(data);
    nobody_is_left();
}
END_TEST

/* Whatever allocation fails, of HDF5's too, which dies of some: an answer, and nobody left. */
START_TEST(failing_allocations)
{
    perp_rng rng = {8};
    const char *path = written(IO_GLOBAL_3D, 3, &rng);
    for (int k = 0; k < 400 && malloc_is_seen(); k++) {
        perp_problem_file *file = NULL;
        perp_io_error error;
        counter seen;
        malloc_watch_start(k, k % 2);
        perp_status status = perp_read_problem_apart(&file, path, 0, NULL, NULL, &error);
        malloc_watch_stop(&seen);
        ck_assert_msg(status == PERP_SOLVED || status == PERP_ERR_MEMORY ||
                          status == PERP_ERR_FORMAT || status == PERP_ERR_OPEN,
                      "%d: %s", k, perp_status_name(status));
        ck_assert((status == PERP_SOLVED) == (file != NULL));
        perp_problem_file_destroy(file);
    }
    nobody_is_left();
}
END_TEST

/* An allocator that in a child dies, or does not come back, at a given call. */
typedef struct trap {
    pid_t parent;
    int calls, at, spins;
} trap;

static void *take_or_die(void *ctx, size_t bytes)
{
    trap *t = ctx;
    if (getpid() != t->parent && t->calls++ == t->at) {
        for (volatile int on = 1; on && t->spins;)
            continue;
        raise(SIGSEGV);
    }
    return malloc(bytes);
}

static void give_back(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

START_TEST(a_child_that_dies)
{
    perp_rng rng = {11};
    const char *path = written(IO_GLOBAL_G, 4, &rng);
    int died = 0;
    for (int k = 0; k < 40; k++) {
        trap t = {getpid(), 0, k, 0};
        const perp_allocator allocator = {take_or_die, give_back, &t};
        perp_problem_file *file = NULL;
        perp_io_error error;
        perp_status status = perp_read_problem_apart(&file, path, 0, NULL, &allocator, &error);
        ck_assert(status == PERP_SOLVED || status == PERP_ERR_FORMAT);
        if (status)
            ck_assert_ptr_nonnull(strstr(error.text, "died"));
        died += status != PERP_SOLVED;
        perp_problem_file_destroy(file);
    }
    ck_assert_int_gt(died, 10);
    nobody_is_left();
}
END_TEST

START_TEST(a_child_that_does_not_end)
{
    perp_rng rng = {12};
    const char *path = written(IO_FRICTION_3D, 4, &rng);
    trap t = {getpid(), 0, 3, 1};
    const perp_allocator allocator = {take_or_die, give_back, &t};
    const perp_read_limits soon = {.seconds = 0.1};
    perp_problem_file *file = NULL;
    perp_io_error error;
    ck_assert_int_eq(perp_read_problem_apart(&file, path, 0, &soon, &allocator, &error),
                     PERP_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "did not end"));
    nobody_is_left();
}
END_TEST

START_TEST(limits)
{
    perp_rng rng = {9};
    perp_problem_file *file = NULL;
    perp_io_error error;
    const char *path = written(IO_FRICTION_2D, 4, &rng);
    perp_read_limits little = {.bytes = 1e6};
    perp_status status = perp_read_problem_apart(&file, path, 0, &little, NULL, &error);
    ck_assert_int_lt(status, 0);
    ck_assert_ptr_null(file);
    perp_read_limits enough = {.seconds = 5.0};
    ck_assert_int_eq(perp_read_problem_apart(&file, path, 0, &enough, NULL, &error),
                     PERP_SOLVED);
    perp_problem_file_destroy(file);
    ck_assert_int_eq(perp_read_problem_apart(&file, "/no/such/file", 0, NULL, NULL, &error),
                     PERP_ERR_OPEN);
}
END_TEST

/* A host whose children are reaped by the system. */
START_TEST(a_host_without_children)
{
    perp_rng rng = {10};
    perp_problem_file *file;
    const char *path = written(IO_FRICTION_2D, 4, &rng);
    signal(SIGCHLD, SIG_IGN);
    ck_assert_int_eq(perp_read_problem_apart(&file, path, 0, NULL, NULL, &ignored), PERP_SOLVED);
    perp_problem_file_destroy(file);
    signal(SIGCHLD, SIG_DFL);
}
END_TEST

enum { RETURNS, DIES, DIES_LATE, TAKES };

static void die(void)
{
    raise(SIGSEGV);
}

/* TAKES: 1 where there was memory. */
static int do_work(void *ctx)
{
    int what = *(int *)ctx;
    if (what == DIES)
        die();
    if (what == DIES_LATE)
        atexit(die);
    if (what != TAKES)
        return 40 + what;
    char *block = malloc((size_t)1 << 32);
    int there = block != NULL;
    free(block);
    return there;
}

/* What was returned counts, also where the process dies of what libraries do at its end. */
START_TEST(work_of_a_child)
{
    perp_io_error error;
    int what = RETURNS;
    ck_assert_int_eq(perp_work_apart("place", 1e12, do_work, &what, &error), 40 + RETURNS);
    what = DIES_LATE;
    ck_assert_int_eq(perp_work_apart("place", 1e12, do_work, &what, &error), 40 + DIES_LATE);
    what = DIES;
    ck_assert_int_eq(perp_work_apart("place", 1e12, do_work, &what, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "place: the process that read it died"));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    what = TAKES;
    ck_assert_int_eq(perp_work_apart("place", 1e12, do_work, &what, &error), 1);
    ck_assert_int_eq(perp_work_apart("place", 4e9, do_work, &what, &error), 0);
#endif
    nobody_is_left();
}
END_TEST

int main(void)
{
    io_folder_make();
    Suite *suite = suite_create("read-apart");
    TCase *tcase = tcase_create("read-apart");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, the_same_problem);
    tcase_add_test(tcase, the_same_solution);
    tcase_add_test(tcase, the_same_errors);
    tcase_add_test(tcase, failing_allocations);
    tcase_add_test(tcase, a_child_that_dies);
    tcase_add_test(tcase, a_child_that_does_not_end);
    tcase_add_test(tcase, limits);
    tcase_add_test(tcase, work_of_a_child);
    tcase_add_test(tcase, a_host_without_children);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    io_folder_remove();
    return failed != 0;
}
