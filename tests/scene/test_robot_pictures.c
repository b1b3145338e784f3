/* SPDX-License-Identifier: BSD-3-Clause */
/* Heights from pictures, and from what is damaged. */
#include "config.h"
#include "tests/scene/robot_text.h"

#include <unistd.h>

#if defined HAVE_LIBXML2 && defined HAVE_ZLIB
#define PICTURES
#endif

#ifdef PICTURES
/* 200 100 0 and 0 50 100 in grey, by what is to the left and above. */
static const unsigned char picture[] = {
    137, 80,  78,  71,  13,  10, 26, 10, 0,   0,  0,   13,  73,  72,  68, 82, 0,   0,  0,
    3,   0,   0,   0,   2,   8,  0,  0,  0,   0,  184, 31,  57,  198, 0,  0,  0,   16, 73,
    68,  65,  84,  120, 218, 99, 60, 49, 103, 14, 147, 197, 185, 20,  0,  14, 236, 3,  110,
    169, 116, 100, 211, 0,   0,  0,  0,  73,  69, 78,  68,  174, 66,  96, 130};

/* 10 (x^2 + 3 y), y downwards, in seven parts (interlaced), by all filters. */
static const unsigned char seven_parts[] = {
    137, 80, 78,  71,  13,  10,  26,  10, 0,   0,   0,   13,  73,  72,  68,  82,  0,   0,
    0,   5,  0,   0,   0,   3,   8,   0,  0,   0,   1,   9,   90,  170, 178, 0,   0,   0,
    30,  73, 68,  65,  84,  120, 218, 99, 96,  96,  92,  192, 164, 193, 108, 227, 182, 138,
    133, 43, 128, 193, 109, 26,  163, 28, 151, 156, 145, 27,  0,   42,  208, 3,   244, 168,
    57,  85, 123, 0,   0,   0,   0,   73, 69,  78,  68,  174, 66,  96,  130};

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
    if (text == NULL)
        ck_assert(status == PERP_ERR_FORMAT || status == PERP_ERR_UNSUPPORTED);
    else
        ck_assert_int_eq(status, PERP_SOLVED);
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

START_TEST(pictures_in_seven_parts)
{
    perp_scene_error error = {.size = sizeof error};
    char *text = with_picture(seven_parts, sizeof seven_parts, &error);
    ck_assert_msg(text != NULL, "%s", error.text);
    const char *at = strstr(text, "\"heights\": ");
    ck_assert_ptr_nonnull(at);
    at += strlen("\"heights\": ");
    for (int y = 2; y >= 0; y--)
        for (int x = 0; x < 5; x++) {
            char *end;
            at += strspn(at, "[], \n");
            close_to(strtod(at, &end), 2.0 * (x * x + 3 * y) / 22.0, 1.0);
            at = end;
        }
    perp_robot_release(text, NULL);
}
END_TEST

/* Any bit changed: heights, or words about the picture. */
static void damage(const unsigned char *bytes, size_t size)
{
    unsigned char changed[200];
    ck_assert_uint_le(size, sizeof changed);
    for (size_t k = 0; k < size; k++)
        for (int bit = 0; bit < 8; bit += 3) {
            perp_scene_error error = {.size = sizeof error};
            memcpy(changed, bytes, size);
            changed[k] ^= (unsigned char)(1 << bit);
            char *text = with_picture(changed, size, &error);
            ck_assert(text != NULL || strstr(error.text, "picture") != NULL);
            perp_robot_release(text, NULL);
        }
}

START_TEST(damage_is_survived)
{
    damage(picture, sizeof picture);
    damage(seven_parts, sizeof seven_parts);
}
END_TEST
#endif

int main(void)
{
#ifndef PICTURES
    return 77;
#else
    Suite *suite = suite_create("pictures");
    TCase *tests = tcase_create("pictures");
    tcase_add_test(tests, pictures_are_heights);
    tcase_add_test(tests, pictures_in_seven_parts);
    tcase_add_test(tests, damage_is_survived);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
#endif
}
