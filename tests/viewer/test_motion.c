/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of a motion: read whole and cut at every place; packed and unpacked again by another
 * routine, within the error that viewer/motion_pack.h states. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/motion_pack.h"
#include "viewer/page.h"

enum { ENTRIES = 9, FRAMES = 71, CONTACTS_OF_LAST = 3 };

static const char layout[] = "p  u   qq";

/* Entries of all sizes: far away, small, turning, noise, at rest. */
static double entry(int frame, int k)
{
    double t = 0.01 * frame, a = 3.0 * t;

    switch (k) {
    case 0:
        return 812.5 + 30.0 * t;
    case 1:
        return sin(40.0 * t);
    case 2:
        return frame < 30 ? 1.0 - t : 0.7 + 0.3 * t;
    case 3:
        return cos(a);
    case 4:
        return sin(a);
    case 7:
        return 1e-7 * cos(9.0 * t);
    case 8:
        return frame % 7 == 3 ? -4e11 : 3e11;
    default:
        return 0.0;
    }
}

static void put(unsigned char **at, const void *data, size_t size)
{
    memcpy(*at, data, size);
    *at += size;
}

static void put_words(unsigned char **at, uint32_t a, uint32_t b)
{
    uint32_t words[2] = {a, b};
    put(at, words, sizeof words);
}

static unsigned char *make(size_t *size)
{
    static const char head[] = "{\"systems\":[]}  ";
    unsigned char *bytes = calloc(1, 100000), *at = bytes;
    char magic[16] = "perp motion 1\n";

    put(&at, magic, sizeof magic);
    put_words(&at, 0x01020304u, (uint32_t)strlen(head));
    put(&at, head, strlen(head));
    put_words(&at, 3, ENTRIES);
    put(&at, layout, ENTRIES);
    for (int f = 0; f < FRAMES; f++) {
        double curves[PERP_CURVES] = {0.01 * f, 0.01};
        put_words(&at, 1, (PERP_CURVES + ENTRIES) * sizeof(double));
        put(&at, curves, sizeof curves);
        for (int k = 0; k < ENTRIES; k++) {
            double x = entry(f, k);
            put(&at, &x, sizeof x);
        }
        int count = f == FRAMES - 1 ? CONTACTS_OF_LAST : 0;
        put_words(&at, 2, (uint32_t)count * (uint32_t)sizeof(perp_motion_contact));
        for (int k = 0; k < count; k++) {
            perp_motion_contact contact = {.first = k, .second = -1, .state = 2, .gap = -0.5f};
            contact.impulse[2] = 7.0f;
            put(&at, &contact, sizeof contact);
        }
    }
    *size = (size_t)(at - bytes);
    return bytes;
}

static void read_bytes(perp_motion *motion, const unsigned char *bytes, size_t size, int *status)
{
    char text[256];

    memset(motion, 0, sizeof *motion);
    motion->bytes = malloc(size + 1);
    memcpy(motion->bytes, bytes, size);
    motion->size = size;
    *status = perp_motion_parse(motion, text, sizeof text);
}

START_TEST(reads_what_was_written)
{
    size_t size;
    unsigned char *bytes = make(&size);
    perp_motion motion;
    int status;

    read_bytes(&motion, bytes, size, &status);
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(motion.nframes, FRAMES);
    ck_assert_uint_eq(motion.entries, ENTRIES);
    ck_assert_int_eq(motion.cut, 0);
    ck_assert_uint_eq(motion.frames[FRAMES - 1].ncontacts, CONTACTS_OF_LAST);
    ck_assert_double_eq(perp_motion_number(&motion.frames[5], PERP_CURVES + 1), entry(5, 1));
    perp_motion_release(&motion);
    free(bytes);
}
END_TEST

START_TEST(reads_what_is_left_of_a_run)
{
    size_t size, last = 0;
    unsigned char *bytes = make(&size);

    for (size_t cut = 0; cut < size; cut++) {
        perp_motion motion;
        int status;
        read_bytes(&motion, bytes, cut, &status);
        ck_assert(status == 0 || motion.nframes == 0);
        ck_assert(motion.nframes >= last); /* never fewer with more bytes */
        last = motion.nframes;
        perp_motion_release(&motion);
    }
    ck_assert_uint_eq(last, FRAMES);
    free(bytes);
}
END_TEST

START_TEST(refuses_other_versions_and_wrong_lengths)
{
    size_t size;
    unsigned char *bytes = make(&size);
    perp_motion motion;
    char text[256] = "";
    int status;

    bytes[12] = '7';
    memset(&motion, 0, sizeof motion);
    motion.bytes = malloc(size);
    memcpy(motion.bytes, bytes, size);
    motion.size = size;
    ck_assert_int_eq(perp_motion_parse(&motion, text, sizeof text), -1);
    ck_assert_ptr_nonnull(strstr(text, "another version"));
    perp_motion_release(&motion);
    bytes[12] = '1';
    for (size_t k = 16; k < 80; k++) { /* lengths and tags of the first records */
        unsigned char kept = bytes[k];
        bytes[k] = 0xff;
        read_bytes(&motion, bytes, size, &status);
        perp_motion_release(&motion);
        bytes[k] = kept;
    }
    free(bytes);
}
END_TEST

/* Bits of a chunk, one by one. */
static uint64_t take(const unsigned char *at, size_t first, int width)
{
    uint64_t value = 0;

    for (int k = 0; k < width; k++)
        value |= (uint64_t)(at[(first + (size_t)k) / 8] >> ((first + (size_t)k) % 8) & 1) << k;
    return value;
}

static const unsigned char *skip_curves(const perp_pack *pack, size_t count)
{
    return pack->out + 8 + count * (8 + 4 * (PERP_CURVES - 1));
}

START_TEST(unpacks_within_the_stated_error)
{
    size_t size;
    unsigned char *bytes = make(&size);
    double x1[ENTRIES] = {0}, x2[ENTRIES] = {0};
    perp_motion motion;
    perp_pack pack;
    int status;

    read_bytes(&motion, bytes, size, &status);
    ck_assert_int_eq(perp_pack_start(&pack, &motion), 0);
    for (size_t first = 0; first < FRAMES; first += PERP_PACK_CHUNK) {
        size_t count = FRAMES - first < PERP_PACK_CHUNK ? FRAMES - first : PERP_PACK_CHUNK;
        ck_assert_int_eq(perp_pack_chunk(&pack, first, count), 0);
        const unsigned char *at = skip_curves(&pack, count);
        for (int k = 0; k < ENTRIES; k++) {
            int width = *at++;
            for (size_t f = 0; f < count; f++) {
                uint64_t code = take(at, f * (size_t)width, width);
                double d = code & 1 ? -(double)((code + 1) / 2) : (double)(code / 2);
                double x = first + f == 0   ? d
                           : first + f == 1 ? x1[k] + d
                                            : 2.0 * x1[k] - x2[k] + d;
                double wanted = entry((int)(first + f), k);
                double allowed = k <= 2   ? 4e-9 * 1024.0
                                 : k == 7 ? 1e-13
                                 : k == 8 ? 4e-9 * 5.5e11
                                          : 4.8e-7;
                x2[k] = x1[k];
                x1[k] = x;
                ck_assert_double_le(fabs(ldexp(x, pack.exponent[k]) - wanted), allowed);
            }
            at += (count * (size_t)width + 7) / 8;
        }
    }
    perp_pack_release(&pack);
    perp_motion_release(&motion);
    free(bytes);
}
END_TEST

/* A run that went astray: widths stay below 32 bits, so that integers of a page hold them, and the
 * instants beside keep their states. */
START_TEST(packs_numbers_of_any_size)
{
    static const double wild[] = {1e300, -1e300, 1e60, INFINITY, NAN, 1e-300};
    size_t size;
    unsigned char *bytes = make(&size);
    perp_motion motion;
    perp_pack pack;
    int status;

    for (int k = 0; k < ENTRIES; k++)
        for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
            read_bytes(&motion, bytes, size, &status);
            unsigned char *at = motion.bytes + (motion.frames[5].curves - motion.bytes);
            memcpy(at + (PERP_CURVES + (size_t)k) * sizeof(double), &wild[i], sizeof(double));
            ck_assert_int_eq(perp_pack_start(&pack, &motion), 0);
            ck_assert_int_eq(perp_pack_chunk(&pack, 0, PERP_PACK_CHUNK), 0);
            const unsigned char *from = skip_curves(&pack, PERP_PACK_CHUNK);
            for (int e = 0; e < ENTRIES; e++) {
                int width = *from++;
                ck_assert_int_le(width, 33);
                from += (PERP_PACK_CHUNK * (size_t)width + 7) / 8;
                ck_assert_int_le(abs(pack.exponent[e]), 100);
            }
            ck_assert(from <= pack.out + pack.size);
            perp_pack_release(&pack);
            perp_motion_release(&motion);
        }
    free(bytes);
}
END_TEST

START_TEST(text_ends_no_element)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    static const char json[] = "{\"a\":\"</script><!--\"}";

    perp_page_begin(out, "</title><script>\"&");
    perp_page_json(out, "head", json, strlen(json));
    perp_page_string(out, "</script>\n\"\\");
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "<title>&lt;/title&gt;&lt;script&gt;&quot;&amp;</title>"));
    ck_assert_ptr_nonnull(strstr(text, "{\"a\":\"\\u003c/script>\\u003c!--\"}</script>"));
    ck_assert_ptr_nonnull(strstr(text, "\"\\u003c/script>\\u000a\\\"\\\\\""));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("motion");
    TCase *all = tcase_create("motion");

    tcase_add_test(all, reads_what_was_written);
    tcase_add_test(all, reads_what_is_left_of_a_run);
    tcase_add_test(all, refuses_other_versions_and_wrong_lengths);
    tcase_add_test(all, unpacks_within_the_stated_error);
    tcase_add_test(all, packs_numbers_of_any_size);
    tcase_add_test(all, text_ends_no_element);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
