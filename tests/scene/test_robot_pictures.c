/* SPDX-License-Identifier: BSD-3-Clause */
/* Heights from pictures: packed data of each kind, and what is damaged. */
#include "config.h"
#include "tests/scene/robot_text.h"

#include <unistd.h>

#include "scene/robots/inflate.h"

#ifdef HAVE_LIBXML2
/* zlib of (i^2 7 + i/9) mod 23 + 60, i < 1500, with codes of its own. */
static const unsigned char packed[] = {
    120, 218, 237, 207, 139, 1, 0, 17, 8, 0, 208, 197, 8, 229, 211, 69, 162, 253, 135, 185, 69,
    188, 13, 94, 160, 162, 71, 252, 142, 53, 206, 25, 139, 61, 44, 55, 106, 208, 200, 130, 66, 148,
    253, 185, 139, 77, 72, 59, 222, 198, 133, 187, 131, 229, 164, 119, 1, 172, 171, 25, 111, 142,
    44, 36, 12, 197, 9, 45, 236, 92, 44, 30, 170, 1, 211, 212, 174, 51, 83, 108, 205, 211, 37, 186,
    201, 251, 72, 13, 213, 216, 54, 245, 204, 35, 150, 208, 123, 68, 224, 175, 140, 118, 124, 250,
    105, 140, 83, 114, 77, 204, 169, 150, 185, 170, 12, 143, 10, 129, 103, 211, 133, 29, 231, 196,
    65, 186, 187, 10, 228, 147, 65, 148, 143, 181, 175, 170, 86, 233, 231, 126, 182, 50, 134, 215,
    121, 157, 215, 121, 157, 215, 113, 248, 1, 242, 250, 161, 154};
/* 200 100 0 and 0 50 100 in grey, by what is to the left and above. */
static const unsigned char picture[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0,
    0, 0, 184, 31, 57, 198, 0, 0, 0, 16, 73, 68, 65, 84, 120, 218, 99, 60, 49, 103, 14, 147, 197,
    185, 20, 0, 14, 236, 3, 110, 169, 116, 100, 211, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130};

START_TEST(packed_bytes_come_back)
{
    unsigned char out[1500];
    ck_assert_int_eq(perp_inflate(out, sizeof out, packed, sizeof packed), 0);
    for (int i = 0; i < 1500; i++)
        ck_assert_int_eq(out[i], (i * i * 7 + i / 9) % 23 + 60);
    /* One byte less or more is wanted, and data that end. */
    ck_assert_int_eq(perp_inflate(out, sizeof out - 1, packed, sizeof packed), -1);
    for (size_t size = 0; size + 8 < sizeof packed; size += 7)
        ck_assert_int_eq(perp_inflate(out, sizeof out, packed, size), -1);
    static const unsigned char stored[] = {0x78, 1, 1, 3, 0, 0xfc, 0xff, 7, 8, 9, 0, 0, 0, 0};
    ck_assert_int_eq(perp_inflate(out, 3, stored, sizeof stored), 0);
    ck_assert_int_eq(out[2], 9);
    ck_assert_int_eq(perp_inflate(out, 2, stored, sizeof stored), -1);
}
END_TEST

/* Any byte changed: some answer, within the memory. */
START_TEST(damage_is_survived)
{
    unsigned char out[1500], changed[sizeof packed];
    for (size_t k = 0; k < sizeof packed; k++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(changed, packed, sizeof packed);
            changed[k] ^= (unsigned char)(1 << bit);
            int said = perp_inflate(out, sizeof out, changed, sizeof changed);
            ck_assert(said == 0 || said == -1);
        }
}
END_TEST

/* A model beside its picture of `size` bytes; NULL after the error. */
static char *with_picture(const unsigned char *bytes, size_t size, perp_scene_error *error)
{
    static const char model[] =
        "<mujoco><asset><hfield name='h' file='h.png' size='2 1 2 .1'/></asset><worldbody><geom "
        "type='hfield' hfield='h'/><body pos='0 0 9'><joint/><geom size='1'/></body></worldbody>"
        "</mujoco>";
    char folder[] = "/tmp/perp-picture-XXXXXX", path[80], file[80], *text = NULL;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.xml", folder);
    snprintf(file, sizeof file, "%s/h.png", folder);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(model, f);
    fclose(f);
    f = fopen(file, "w");
    ck_assert_ptr_nonnull(f);
    fwrite(bytes, 1, size, f);
    fclose(f);
    perp_status status = perp_robot_read(&text, path, NULL, NULL, error);
    remove(file);
    remove(path);
    rmdir(folder);
    ck_assert_int_eq(status, text != NULL ? PERP_SOLVED : PERP_ERR_FORMAT);
    return text;
}

START_TEST(pictures_are_heights)
{
    perp_scene_error error = {.size = sizeof error};
    char *text = with_picture(picture, sizeof picture, &error);
    ck_assert_msg(text != NULL, "%s", error.text);
    /* From the row below. */
    const char *at = strstr(text, "\"heights\": ");
    ck_assert_ptr_nonnull(at);
    static const double wanted[] = {0.0, 0.5, 1.0, 2.0, 1.0, 0.0};
    at += strlen("\"heights\": ");
    for (int k = 0; k < 6; k++) {
        char *end;
        at += strspn(at, "[], \n");
        close_to(strtod(at, &end), wanted[k], 1.0);
        at = end;
    }
    perp_robot_release(text, NULL);
    for (size_t size = 4; size < sizeof picture - 12; size += 5) {
        ck_assert_ptr_null(with_picture(picture, size, &error));
        ck_assert_ptr_nonnull(strstr(error.text, "PNG"));
    }
}
END_TEST
#endif

int main(void)
{
#ifndef HAVE_LIBXML2
    return 77;
#else
    Suite *suite = suite_create("pictures");
    TCase *tests = tcase_create("pictures");
    tcase_add_test(tests, packed_bytes_come_back);
    tcase_add_test(tests, damage_is_survived);
    tcase_add_test(tests, pictures_are_heights);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
#endif
}
