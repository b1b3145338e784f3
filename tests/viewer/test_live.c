/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run that goes on keeps for browsers: which instants, what becomes of the steps of those that
 * go, the events that tell of them, and requests cut at every place. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "viewer/live_client.h"
#include "viewer/live_events.h"
#include "viewer/motion_pack.h"

enum { ENTRIES = 3 };

static const char layout[] = "qqq";

static double entry(int64_t step, int k)
{
    return k == 2 ? 0.001 * (double)step : sin(0.1 * (double)step + k);
}

/* The step of this number: unsolved where it is a multiple of 7, its violation its number. */
static size_t make(unsigned char *bytes, int64_t step, uint32_t contacts)
{
    double numbers[PERP_CURVES + ENTRIES] = {0.01 * (double)step, 0.01, 1.0, step % 7 == 0};
    uint32_t first[2] = {1, sizeof numbers};
    uint32_t second[2] = {2, contacts * (uint32_t)sizeof(perp_motion_contact)};
    size_t size = sizeof first + sizeof numbers;

    numbers[PERP_CURVE_VIOLATION] = (double)step;
    numbers[PERP_CURVE_CERTIFICATE] = 1.0 / (double)(step + 1);
    numbers[PERP_CURVE_MEASURE] = (double)(step % 5);
    numbers[PERP_CURVE_FIRST] = step % 7 == 0 ? (double)step : 0.0;
    for (int k = 0; k < ENTRIES; k++)
        numbers[PERP_CURVES + k] = entry(step, k);
    memcpy(bytes, first, sizeof first);
    memcpy(bytes + sizeof first, numbers, sizeof numbers);
    if (contacts > 0) {
        memcpy(bytes + size, second, sizeof second);
        memset(bytes + size + sizeof second, 0, second[1]);
        size += sizeof second + second[1];
    }
    return size;
}

static void add(perp_live_store *store, int64_t step, int extra)
{
    unsigned char bytes[1024];

    ck_assert_int_eq(perp_live_store_add(store, step, bytes, make(bytes, step, 2), extra), 0);
}

static double curve(const perp_live_store *store, size_t k, int which)
{
    return perp_motion_number(&store->list[k].frame, (size_t)which);
}

START_TEST(keeps_every_instant_while_they_fit)
{
    perp_live_store store;

    ck_assert_int_eq(perp_live_store_open(&store, ENTRIES, 100, 1 << 20), 0);
    for (int64_t step = 0; step < 100; step++)
        add(&store, step, 0);
    ck_assert_uint_eq(store.count, 100);
    ck_assert_int_eq(store.stride, 1);
    ck_assert_uint_eq(perp_live_store_after(&store, -1), 0);
    ck_assert_uint_eq(perp_live_store_after(&store, 41), 42);
    ck_assert_uint_eq(perp_live_store_after(&store, 99), 100);
    ck_assert_uint_eq(store.list[5].frame.ncontacts, 2);
    perp_live_store_close(&store);
}
END_TEST

/* The kept ones are the multiples of the stride, and none of the steps is lost. */
static void check_kept(const perp_live_store *store, int64_t last)
{
    double steps = 0.0, unsolved = 0.0, worst = 0.0;

    for (size_t k = 0; k < store->count; k++) {
        int64_t step = store->list[k].step, before = k > 0 ? store->list[k - 1].step : -1;
        ck_assert_int_eq(step % store->stride, 0);
        ck_assert_double_eq(curve(store, k, PERP_CURVE_TIME), 0.01 * (double)step);
        ck_assert_double_eq(curve(store, k, PERP_CURVE_STEPS), (double)(step - before));
        ck_assert_double_eq(curve(store, k, PERP_CURVE_VIOLATION), (double)step);
        ck_assert_double_eq(curve(store, k, PERP_CURVE_CERTIFICATE), 1.0 / (double)(before + 2));
        ck_assert_double_eq(curve(store, k, PERP_CURVE_MEASURE), (double)((before + 1) % 5));
        int64_t multiple = (before / 7 + 1) * 7; /* the first in its steps */
        if (before >= 0)
            ck_assert_double_eq(curve(store, k, PERP_CURVE_FIRST),
                                multiple <= step ? (double)multiple : 0.0);
        steps += curve(store, k, PERP_CURVE_STEPS);
        unsolved += curve(store, k, PERP_CURVE_UNSOLVED);
        worst = fmax(worst, curve(store, k, PERP_CURVE_VIOLATION));
    }
    steps += store->pending[PERP_CURVE_STEPS];
    unsolved += store->pending[PERP_CURVE_UNSOLVED];
    ck_assert_double_eq(steps, (double)(last + 1));
    ck_assert_double_eq(unsolved, (double)(last / 7 + 1));
    ck_assert_double_le(worst, (double)last);
}

START_TEST(thins_by_halves)
{
    perp_live_store store;

    ck_assert_int_eq(perp_live_store_open(&store, ENTRIES, 100, 1 << 20), 0);
    for (int64_t step = 0; step < 5000; step++) {
        int64_t stride = store.stride;
        add(&store, step, 0);
        ck_assert_uint_le(store.count, 100);
        if (store.stride != stride || step % 61 == 0)
            check_kept(&store, step);
    }
    ck_assert_int_eq(store.stride, 64);
    perp_live_store_close(&store);
}
END_TEST

START_TEST(holds_its_bound_of_bytes)
{
    unsigned char bytes[1024];
    size_t each = make(bytes, 0, 2);
    perp_live_store store;

    ck_assert_int_eq(perp_live_store_open(&store, ENTRIES, 100000, 10 * each), 0);
    for (int64_t step = 0; step < 1000; step++) {
        add(&store, step, 0);
        ck_assert_uint_le(store.bytes, 10 * each);
        ck_assert_uint_eq(store.bytes, store.count * each);
    }
    check_kept(&store, 999);
    perp_live_store_close(&store);
    /* One that is larger than the bound: the first and the last. */
    ck_assert_int_eq(perp_live_store_open(&store, ENTRIES, 100, each / 2), 0);
    for (int64_t step = 0; step < 1000; step++) {
        add(&store, step, 0);
        ck_assert_uint_le(store.count, 2);
    }
    perp_live_store_close(&store);
}
END_TEST

START_TEST(keeps_single_steps_till_it_thins)
{
    perp_live_store store;

    ck_assert_int_eq(perp_live_store_open(&store, ENTRIES, 16, 1 << 20), 0);
    for (int64_t step = 0; step <= 16; step++)
        add(&store, step, 0);
    ck_assert_int_eq(store.stride, 2);
    ck_assert_uint_eq(store.count, 9);
    add(&store, 17, 1);
    ck_assert_uint_eq(store.count, 10);
    ck_assert_int_eq(store.list[9].step, 17);
    add(&store, 18, 0);
    add(&store, 19, 0);
    ck_assert_uint_eq(store.count, 11);
    ck_assert_double_eq(curve(&store, 10, PERP_CURVE_STEPS), 1.0);
    for (int64_t step = 20; step < 200; step++)
        add(&store, step, 0);
    check_kept(&store, 199);
    perp_live_store_close(&store);
}
END_TEST

START_TEST(refuses_what_is_no_instant)
{
    unsigned char bytes[1024];
    size_t size = make(bytes, 3, 2);
    perp_live_store store;

    ck_assert_int_eq(perp_live_store_open(&store, ENTRIES, 16, 1 << 20), 0);
    for (size_t cut = 0; cut < size; cut++) {
        size_t without = make(bytes, 3, 0);
        make(bytes, 3, 2);
        ck_assert_int_eq(perp_live_store_add(&store, (int64_t)cut + 1, bytes, cut, 1),
                         cut == without ? 0 : -1);
    }
    /* Another kind or length of one of its records; contacts that are no whole number of them. */
    size_t head = make(bytes, 3, 0), words[] = {0, 4, head, head + 4};
    for (int k = 0; k < 5; k++) {
        uint32_t word;
        make(bytes, 3, 2);
        memcpy(&word, bytes + words[k % 4], sizeof word);
        word += k < 4 ? 1 : 0;
        memcpy(bytes + words[k % 4], &word, sizeof word);
        uint32_t less = 2 * (uint32_t)sizeof(perp_motion_contact) - 8;
        if (k == 4)
            memcpy(bytes + head + 4, &less, sizeof less);
        ck_assert_int_eq(perp_live_store_add(&store, 1000, bytes, k < 4 ? size : size - 8, 1), -1);
    }
    make(bytes, 3, 2);
    ck_assert_int_eq(perp_live_store_add(&store, 1, bytes, size, 1), -1); /* out of order */
    ck_assert_uint_eq(store.count, 1);
    perp_live_store_close(&store);
}
END_TEST

static size_t from_base64(unsigned char *to, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = 0;

    for (; *text != '"' && *text != '='; text += 4) {
        unsigned long b = 0;
        int n = 0;
        for (int k = 0; k < 4; k++) {
            const char *digit = text[k] != '=' ? strchr(digits, text[k]) : NULL;
            b = b << 6 | (digit != NULL ? (unsigned long)(digit - digits) : 0);
            n += digit != NULL;
        }
        for (int k = 0; k < n - 1; k++)
            to[size++] = (unsigned char)(b >> (16 - 8 * k));
        if (n < 4)
            break;
    }
    return size;
}

static const char *after(const char *text, const char *what)
{
    const char *found = strstr(text, what);

    ck_assert_msg(found != NULL, "%s is missing", what);
    return found + strlen(what);
}

/* A number of so many bits. */
static uint64_t take(const unsigned char *at, size_t first, int width)
{
    uint64_t value = 0;

    for (int k = 0; k < width; k++)
        value |= (uint64_t)(at[(first + (size_t)k) / 8] >> ((first + (size_t)k) % 8) & 1) << k;
    return value;
}

/* The instants of an event against the functions they were made of. */
static void check_frames(const char *text, int64_t first, int64_t stride, size_t count)
{
    unsigned char exponent[64], chunk[8192];
    uint32_t head[2];
    const unsigned char *at;

    ck_assert_uint_eq(from_base64(exponent, after(text, "\"exponents\":\"")), ENTRIES);
    size_t size = from_base64(chunk, after(text, "\"bytes\":\""));
    memcpy(head, chunk, sizeof head);
    ck_assert_uint_eq(head[0], size);
    ck_assert_uint_eq(head[1], count);
    at = chunk + sizeof head + count * (8 + 4 * (PERP_CURVES - 1));
    for (int k = 0; k < ENTRIES; k++) {
        int width = *at++;
        double x1 = 0.0, x2 = 0.0;
        for (size_t f = 0; f < count; f++) {
            uint64_t code = take(at, f * (size_t)width, width);
            double d = code & 1 ? -(double)((code + 1) / 2) : (double)(code / 2);
            double x = f == 0 ? d : f == 1 ? x1 + d : 2.0 * x1 - x2 + d;
            x2 = x1;
            x1 = x;
            ck_assert_double_le(fabs(ldexp(x, (signed char)exponent[k]) -
                                     entry(first + stride * (int64_t)f, k)),
                                4.8e-7);
        }
        at += (count * (size_t)width + 7) / 8;
    }
}

START_TEST(events_hold_the_instants)
{
    perp_live_store store;
    size_t place = 0, size = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);

    ck_assert_int_eq(perp_live_store_open(&store, ENTRIES, 60, 1 << 20), 0);
    for (int64_t step = 0; step < 100; step++)
        add(&store, step, 0);
    while (place < store.count) {
        size_t count;
        char wanted[64];
        rewind(out);
        count = perp_live_frames_event(out, &store, layout, place);
        fflush(out);
        ck_assert_uint_eq(count, store.count - place < 32 ? store.count - place : 32);
        text[size] = '\0'; /* what is left of a longer one before */
        ck_assert_str_eq(text + size - 4, "\"}\n\n");
        snprintf(wanted, sizeof wanted, "id: %lld\nevent: frames\ndata: {\"stride\":2,\"steps\":[%lld",
                 (long long)store.list[place + count - 1].step, (long long)store.list[place].step);
        ck_assert_int_eq(strncmp(text, wanted, strlen(wanted)), 0);
        check_frames(text, store.list[place].step, 2, count);
        place += count;
    }
    rewind(out);
    perp_live_state_event(out, 1, "a \"b\"\n\n</script>", 1);
    fclose(out);
    ck_assert_str_eq(text, "event: state\ndata: {\"paused\":1,\"over\":\"a \\\"b\\\"\\u000a\\u000a"
                           "\\u003c/script>\",\"failed\":1}\n\n");
    free(text);
    perp_live_store_close(&store);
}
END_TEST

START_TEST(the_head_is_one_line)
{
    static const char json[] = "{\"a\":\n1}  ";
    perp_motion motion = {.head = json, .head_size = sizeof json - 1, .entries = 5};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    perp_live_head_event(out, &motion);
    fclose(out);
    ck_assert_str_eq(text, "event: head\ndata: {\"head\":{\"a\":1}  ,\"entries\":5}\n\n");
    free(text);
}
END_TEST

static int parse(perp_live_client *client, perp_request *request, const char *text, size_t size)
{
    perp_live_client_open(client, -1, 0.0);
    memcpy(client->request, text, size);
    client->got = size;
    return perp_live_client_parse(client, request);
}

START_TEST(requests_are_read_whole)
{
    static const char text[] = "POST /a/stop HTTP/1.1\r\nhost:  127.0.0.1:8\r\nORIGIN: http://x\r\n"
                               "Last-Event-ID: 12\r\nX: y\r\n\r\n";
    static const char *const bad[] = {"\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / FTP/1\r\n\r\n",
                                      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"};
    perp_live_client client;
    perp_request request;

    for (size_t cut = 0; cut < sizeof text - 1; cut++)
        ck_assert_int_eq(parse(&client, &request, text, cut), 0);
    ck_assert_int_eq(parse(&client, &request, text, sizeof text - 1), 1);
    ck_assert_str_eq(request.method, "POST");
    ck_assert_str_eq(request.path, "/a/stop");
    ck_assert_str_eq(request.host, "127.0.0.1:8");
    ck_assert_str_eq(request.origin, "http://x");
    ck_assert_str_eq(request.last, "12");
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        ck_assert_int_eq(parse(&client, &request, bad[k], strlen(bad[k])), -1);
    ck_assert_int_eq(parse(&client, &request, "GET /\0 HTTP/1.1", 15), -1);
    perp_live_client_open(&client, -1, 0.0);
    memset(client.request, 'a', sizeof client.request);
    client.got = sizeof client.request - 1;
    ck_assert_int_eq(perp_live_client_parse(&client, &request), -1); /* no end of it */
}
END_TEST

START_TEST(a_text_replaces_a_longer_one)
{
    perp_live_client client;
    char got[64] = "";
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    perp_live_client_open(&client, pair[0], 0.0);
    for (int k = 0; k < 2; k++) {
        fputs(k == 0 ? "a longer text" : "short", perp_live_client_text(&client));
        ck_assert_int_eq(perp_live_client_send(&client), 0);
        ck_assert_int_eq(perp_live_client_write(&client, 1.0), k == 0 ? 13 : 5);
        ck_assert_int_eq(perp_live_client_write(&client, 1.0), 0);
    }
    ck_assert_int_eq(read(pair[1], got, sizeof got - 1), 18);
    ck_assert_str_eq(got, "a longer textshort");
    close(pair[1]);
    fputs("nobody", perp_live_client_text(&client));
    ck_assert_int_eq(perp_live_client_send(&client), 0);
    ck_assert_int_eq(perp_live_client_write(&client, 1.0), -1); /* and no signal */
    perp_live_client_close(&client);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("live");
    TCase *all = tcase_create("live");

    tcase_add_test(all, keeps_every_instant_while_they_fit);
    tcase_add_test(all, thins_by_halves);
    tcase_add_test(all, holds_its_bound_of_bytes);
    tcase_add_test(all, keeps_single_steps_till_it_thins);
    tcase_add_test(all, refuses_what_is_no_instant);
    tcase_add_test(all, events_hold_the_instants);
    tcase_add_test(all, the_head_is_one_line);
    tcase_add_test(all, requests_are_read_whole);
    tcase_add_test(all, a_text_replaces_a_longer_one);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
