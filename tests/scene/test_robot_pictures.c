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

/* Any bit changed: heights, or words about the picture. */
START_TEST(damage_is_survived)
{
    unsigned char changed[sizeof picture];
    for (size_t k = 0; k < sizeof picture; k++)
        for (int bit = 0; bit < 8; bit += 3) {
            perp_scene_error error = {.size = sizeof error};
            memcpy(changed, picture, sizeof picture);
            changed[k] ^= (unsigned char)(1 << bit);
            char *text = with_picture(changed, sizeof changed, &error);
            ck_assert(text != NULL || strstr(error.text, "picture") != NULL);
            perp_robot_release(text, NULL);
        }
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
    tcase_add_test(tests, damage_is_survived);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
#endif
}
