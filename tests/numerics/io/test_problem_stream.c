/* SPDX-License-Identifier: BSD-3-Clause */
/* Problem files between processes: bit by bit what was sent; and of what was not sent so, whole or
 * changed anywhere, an error or a sound file, with no more memory than was allowed. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/io_samples.h"

typedef struct pipe_bytes {
    unsigned char *data;
    size_t size, at;
    int calls, fail_at; /* -1: never */
} pipe_bytes;

static int put(void *ctx, const void *data, size_t bytes)
{
    pipe_bytes *p = ctx;
    if (p->calls++ == p->fail_at)
        return 1;
    p->data = realloc(p->data, p->size + bytes);
    memcpy(p->data + p->size, data, bytes);
    p->size += bytes;
    return 0;
}

static int get(void *ctx, void *data, size_t bytes)
{
    pipe_bytes *p = ctx;
    if (p->calls++ == p->fail_at || bytes > p->size - p->at)
        return 1;
    memcpy(data, p->data + p->at, bytes);
    p->at += bytes;
    return 0;
}

static pipe_bytes sent(const perp_problem_file *d)
{
    pipe_bytes p = {.fail_at = -1};
    ck_assert_int_eq(perp_problem_file_send(d, put, &p), PERP_SOLVED);
    return p;
}

static perp_status receive(perp_problem_file **d, pipe_bytes *p, double most, io_memory *memory)
{
    perp_allocator allocator = io_allocator(memory);
    perp_io_error error;
    p->at = 0;
    p->calls = 0;
    perp_status status = perp_problem_file_receive(d, get, p, most, &allocator, &error);
    ck_assert((status == PERP_SOLVED) == (*d != NULL));
    ck_assert((status == PERP_SOLVED) == (error.text[0] == '\0'));
    return status;
}

START_TEST(what_was_sent)
{
    perp_rng rng = {71};
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++)
        for (int size = 0; size <= 6; size += 3) {
            perp_problem_file *d = io_sample_make(kind, size, &rng), *r;
            pipe_bytes p = sent(d);
            io_memory memory = {.fail_at = -1};
            strcpy(d->title, "");
            ck_assert_int_eq(receive(&r, &p, 1e6, &memory), PERP_SOLVED);
            ck_assert_uint_eq(p.at, p.size);
            io_assert_same(d, r);
            perp_problem_file_destroy(r);
            ck_assert_int_eq(memory.live, 0);
            perp_problem_file_destroy(d);
            free(p.data);
        }
}
END_TEST

/* Either end may fail at any of its calls, memory at any of its own, and the bytes may end anywhere. */
START_TEST(what_fails)
{
    perp_rng rng = {72};
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++) {
        perp_problem_file *d = io_sample_make(kind, 3, &rng), *r;
        pipe_bytes p = sent(d);
        int calls = p.calls;
        for (int k = 0; k < calls; k++) {
            pipe_bytes part = {.fail_at = k};
            ck_assert_int_eq(perp_problem_file_send(d, put, &part), PERP_ERR_OPEN);
            free(part.data);
        }
        io_memory memory = {.fail_at = -1};
        for (size_t size = 0, whole = p.size; size < whole; size += 1 + size / 64) {
            p.size = size;
            ck_assert_int_eq(receive(&r, &p, 1e6, &memory), PERP_ERR_FORMAT);
            p.size = whole;
        }
        ck_assert_int_eq(receive(&r, &p, 8.0, &memory), PERP_ERR_FORMAT);
        for (int k = 0; k < 3; k++) {
            io_memory none = {.fail_at = k};
            perp_status status = receive(&r, &p, 1e6, &none);
            ck_assert(status == PERP_SOLVED || status == PERP_ERR_MEMORY || status == PERP_ERR_FORMAT);
            ck_assert(status == PERP_SOLVED || none.calls > k);
            perp_problem_file_destroy(r);
            ck_assert_int_eq(none.live, 0);
        }
        ck_assert_int_eq(memory.live, 0);
        perp_problem_file_destroy(d);
        free(p.data);
    }
}
END_TEST

/* Integers of the heads become anything, and bytes too. */
START_TEST(what_was_changed)
{
    static const int numbers[] = {-1, 0, 1, 2, 3, 5, 6, 7, 46341, 1 << 20, 0x7fffffff, -0x7fffffff};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    perp_rng rng = {73};
    int sound = 0, refused = 0;
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++) {
        perp_problem_file *d = io_sample_make(kind, 3, &rng), *r;
        pipe_bytes p = sent(d);
        unsigned char *copy = malloc(p.size);
        memcpy(copy, p.data, p.size);
        for (int k = 0; k < 3000; k++) {
            io_memory memory = {.fail_at = -1};
            size_t at = (size_t)perp_rng_below(&rng, (int)(p.size / 4)) * 4;
            memcpy(p.data + at, &numbers[perp_rng_below(&rng, NUMBERS)], 4);
            if (k % 3 == 0)
                p.data[perp_rng_below(&rng, (int)p.size)] = (unsigned char)perp_rng_below(&rng, 256);
            perp_status status = receive(&r, &p, 1e5, &memory);
            ck_assert_uint_le(memory.bytes, 400000);
            if (status == PERP_SOLVED) {
                perp_problem problem;
                perp_io_error why = {0};
                perp_where where = {"", 0, 0};
                perp_status found = perp_problem_file_get(r, &problem, &why);
                if (found == PERP_SOLVED)
                    found = perp_problem_check(&problem, NULL, &where);
                /* Numbers may have changed, and a mass may have become singular; not the structure. */
                ck_assert_msg(found == PERP_SOLVED || found == PERP_ERR_NONFINITE ||
                                  found == PERP_ERR_ARGUMENT || found == PERP_ERR_SINGULAR,
                              "class %d: %s %s %s", r->cls, perp_status_name(found), why.text, where.what);
                sound++;
            } else {
                refused++;
            }
            perp_problem_file_destroy(r);
            ck_assert_int_eq(memory.live, 0);
            if (k % 4 == 3)
                memcpy(p.data, copy, p.size);
        }
        free(copy);
        free(p.data);
        perp_problem_file_destroy(d);
    }
    ck_assert_int_gt(sound, 1000);
    ck_assert_int_gt(refused, 1000);
}
END_TEST

START_TEST(arguments)
{
    perp_rng rng = {74};
    perp_problem_file *d = io_sample_make(IO_LCP_DENSE, 3, &rng), *r = NULL;
    pipe_bytes p = {.fail_at = -1};
    perp_io_error error;
    ck_assert_int_eq(perp_problem_file_send(NULL, put, &p), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_file_send(d, NULL, &p), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_file_receive(NULL, get, &p, 1e6, NULL, &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_file_receive(&r, NULL, &p, 1e6, NULL, NULL), PERP_ERR_ARGUMENT);
    perp_problem_file_destroy(d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem-stream");
    TCase *tcase = tcase_create("problem-stream");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, what_was_sent);
    tcase_add_test(tcase, what_fails);
    tcase_add_test(tcase, what_was_changed);
    tcase_add_test(tcase, arguments);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
