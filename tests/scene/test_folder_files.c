/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a run, one by one: what has its final name is whole, what fails says why and leaves what
 * was there. */
#define _XOPEN_SOURCE 700
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene/files.h"
#include "tests/fixtures/run_folder.h"

static int exists(const char *name)
{
    struct stat st;
    return lstat(run_folder_path(name), &st) == 0;
}

static void holds(const char *name, const char *text)
{
    char read[64] = "";
    FILE *f = fopen(run_folder_path(name), "r");
    ck_assert_msg(f != NULL, "%s", name);
    size_t count = fread(read, 1, sizeof read - 1, f);
    read[count] = '\0';
    fclose(f);
    ck_assert_str_eq(read, text);
}

/* A stream that takes nothing: each write fails for want of space. */
static FILE *full_stream(void)
{
    FILE *f = fopen("/dev/full", "w");
    ck_assert(f != NULL && fputs("lost", f) >= 0);
    return f;
}

START_TEST(folders)
{
    errno = 0;
    ck_assert_int_eq(perp_scene_make_folder(""), -1);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(perp_scene_make_folder(run_folder_path("a/b/c")), 0);
    ck_assert_int_eq(perp_scene_make_folder(run_folder_path("a/b/c/")), 0);
    ck_assert(exists("a/b/c"));
    run_folder_write("a/file", "kept");
    ck_assert_int_eq(perp_scene_make_folder(run_folder_path("a/file")), -1);
    ck_assert_int_eq(errno, ENOTDIR);
    ck_assert_int_eq(perp_scene_make_folder(run_folder_path("a/file/below")), -1);
    ck_assert_int_eq(errno, ENOTDIR);
    ck_assert_int_eq(perp_scene_make_folder(run_folder_path("a/file/below/it")), -1);
    ck_assert_int_eq(errno, ENOTDIR);
    holds("a/file", "kept");
    ck_assert_int_eq(symlink("nowhere", run_folder_path("link")), 0);
    ck_assert_int_eq(perp_scene_make_folder(run_folder_path("link")), -1);
    ck_assert_int_eq(errno, ENOENT);
    char *name = malloc(5001);
    ck_assert_ptr_nonnull(name);
    memset(name, 'n', 5000);
    name[5000] = '\0';
    ck_assert_int_eq(perp_scene_make_folder(name), -1);
    ck_assert_int_eq(errno, ENAMETOOLONG);
    free(name);
}
END_TEST

/* Beyond 4096 bytes there is no path, and nothing is opened in place of it. */
START_TEST(paths_that_are_too_long)
{
    char *name = malloc(5001);
    ck_assert_ptr_nonnull(name);
    memset(name, 'n', 5000);
    name[5000] = '\0';
    ck_assert_str_eq(perp_scene_join("a", "b").text, "a/b");
    ck_assert_str_eq(perp_scene_join("a", name).text, "");
    name[4090] = '\0';
    ck_assert_uint_eq(strlen(perp_scene_join("abcd", name).text), 4095);
    ck_assert_str_eq(perp_scene_join("abcde", name).text, "");
    ck_assert_ptr_null(perp_scene_open("abcd", name));
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_ptr_null(perp_scene_reopen("abcd", name));
    ck_assert_int_eq(perp_scene_put("abcd", name, "x", 1), -1);
    ck_assert_int_eq(perp_scene_is_free("abcd", name), 0);
    free(name);
}
END_TEST

START_TEST(folders_in_the_place_of_files)
{
    ck_assert_int_eq(perp_scene_is_free(run_folder, "one"), 0);
    ck_assert_int_eq(mkdir(run_folder_path("one"), 0777), 0);
    ck_assert_int_eq(perp_scene_is_free(run_folder, "one"), -1);
    ck_assert_int_eq(errno, EISDIR);
    ck_assert_int_eq(mkdir(run_folder_path("two.part"), 0777), 0);
    ck_assert_int_eq(perp_scene_is_free(run_folder, "two"), -1);
    ck_assert_int_eq(errno, EISDIR);
    ck_assert_ptr_null(perp_scene_open(run_folder, "two"));
    ck_assert_int_eq(errno, EEXIST);
    ck_assert_int_eq(perp_scene_put(run_folder, "two", "x", 1), -1);
    ck_assert(!exists("two"));
    /* A folder that is not empty stands where the file is to go. */
    ck_assert_int_eq(mkdir(run_folder_path("one/in"), 0777), 0);
    ck_assert_int_eq(perp_scene_put(run_folder, "one", "x", 1), -1);
    ck_assert_int_eq(errno, EISDIR);
    FILE *f = perp_scene_open(run_folder, "one");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(perp_scene_keep(f, run_folder, "one"), -1);
    ck_assert_int_eq(errno, EISDIR);
    ck_assert(!exists("one.part"));
    f = perp_scene_open(run_folder, "one");
    ck_assert_int_eq(perp_scene_close(f, run_folder, "one"), -1);
    ck_assert(!exists("one.part"));
    /* What a run goes on with stays. */
    f = perp_scene_open(run_folder, "one");
    ck_assert(f != NULL && fputs("rows", f) >= 0);
    ck_assert_int_eq(perp_scene_close_growing(f, 0, run_folder, "one"), -1);
    ck_assert_int_eq(errno, EISDIR);
    holds("one.part", "rows");
}
END_TEST

START_TEST(what_is_whole)
{
    run_folder_write("name", "before");
    run_folder_write("name.part", "left by another");
    FILE *f = perp_scene_open(run_folder, "name");
    ck_assert(f != NULL && fputs("after", f) >= 0);
    holds("name", "before");
    ck_assert_int_eq(perp_scene_close(f, run_folder, "name"), 0);
    holds("name", "after");
    ck_assert(!exists("name.part"));
    ck_assert_int_eq(perp_scene_put(run_folder, "name", "bytes", 5), 0);
    holds("name", "bytes");
    run_folder_write("name.part", "left by another");
    ck_assert_int_eq(perp_scene_put(run_folder, "name", "", 0), 0);
    holds("name", "");
    f = perp_scene_open(run_folder, "name");
    ck_assert(f != NULL && fputs("kept", f) >= 0);
    ck_assert_int_eq(perp_scene_keep(f, run_folder, "name"), 0);
    holds("name", "kept");
    f = perp_scene_open(run_folder, "name");
    ck_assert(f != NULL && fputs("dropped", f) >= 0);
    perp_scene_drop(f, run_folder, "name");
    holds("name", "kept");
    ck_assert(!exists("name.part"));
    /* Grows over two openings. */
    ck_assert_ptr_null(perp_scene_reopen(run_folder, "name"));
    ck_assert_int_eq(errno, ENOENT);
    f = perp_scene_open(run_folder, "name");
    ck_assert(f != NULL && fputs("one", f) >= 0 && fclose(f) == 0);
    f = perp_scene_reopen(run_folder, "name");
    ck_assert(f != NULL && fseek(f, 0, SEEK_END) == 0 && fputs(" two", f) >= 0);
    ck_assert_int_eq(perp_scene_sync(f), 0);
    ck_assert_int_eq(perp_scene_close_growing(f, 1, run_folder, "name"), 0);
    holds("name", "one two");
}
END_TEST

/* A link at NAME.part is replaced, not followed. */
START_TEST(links)
{
    run_folder_write("precious", "mine");
    for (int way = 0; way < 3; way++) {
        ck_assert_int_eq(symlink(run_folder_path("precious"), run_folder_path("name.part")), 0);
        if (way == 0) {
            ck_assert_ptr_null(perp_scene_reopen(run_folder, "name"));
            ck_assert_int_eq(errno, ELOOP);
            ck_assert_int_eq(unlink(run_folder_path("name.part")), 0);
        } else if (way == 1) {
            ck_assert_int_eq(perp_scene_put(run_folder, "name", "put", 3), 0);
        } else {
            FILE *f = perp_scene_open(run_folder, "name");
            ck_assert(f != NULL && fputs("open", f) >= 0);
            ck_assert_int_eq(perp_scene_close(f, run_folder, "name"), 0);
        }
        holds("precious", "mine");
    }
    holds("name", "open");
}
END_TEST

/* What could not be written gets no final name, and the file of before stays. */
START_TEST(no_space)
{
    if (access("/dev/full", W_OK) != 0)
        return;
    run_folder_write("name", "before");
    for (int way = 0; way < 3; way++) {
        run_folder_write("name.part", "half");
        FILE *f = full_stream();
        int status = way == 0   ? perp_scene_close(f, run_folder, "name")
                     : way == 1 ? perp_scene_keep(f, run_folder, "name")
                                : perp_scene_close_growing(f, 0, run_folder, "name");
        ck_assert_int_eq(status, -1);
        ck_assert_msg(errno == ENOSPC, "%d: %s", way, strerror(errno));
        holds("name", "before");
        /* Only what a run goes on with is left. */
        ck_assert_int_eq(exists("name.part"), way == 2);
    }
    /* Lost in the last moment, after a sync that had nothing to write. */
    FILE *f = full_stream();
    ck_assert_int_eq(perp_scene_close_growing(f, 1, run_folder, "name"), -1);
    ck_assert_int_eq(errno, ENOSPC);
    holds("name", "before");
    /* A stream that lost bytes once is bad from then on. */
    f = full_stream();
    ck_assert_int_eq(perp_scene_sync(f), -1);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert_int_eq(perp_scene_sync(f), -1);
    ck_assert_int_eq(errno, EIO);
    ck_assert_int_eq(perp_scene_keep(f, run_folder, "name"), -1);
    holds("name", "before");
}
END_TEST

START_TEST(locks)
{
    int first = perp_scene_lock_folder(run_folder);
    ck_assert_int_ge(first, 0);
    ck_assert_int_eq(perp_scene_lock_folder(run_folder), -1);
    ck_assert_int_eq(errno, EWOULDBLOCK);
    perp_scene_unlock_folder(first);
    int second = perp_scene_lock_folder(run_folder);
    ck_assert_int_ge(second, 0);
    perp_scene_unlock_folder(second);
    perp_scene_unlock_folder(-1);
    ck_assert_int_eq(perp_scene_lock_folder(run_folder_path("nowhere")), -1);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(perp_scene_sync_kept(run_folder), 0);
    ck_assert_int_eq(perp_scene_sync_kept(run_folder_path("nowhere")), 0);
    /* It cannot be synced, but nothing is lost by that. */
    ck_assert_int_eq(perp_scene_sync_kept("/dev/null"), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("folder files");
    TCase *tcase = tcase_create("folder files");
    tcase_add_checked_fixture(tcase, run_folder_make, run_folder_remove);
    tcase_add_test(tcase, folders);
    tcase_add_test(tcase, paths_that_are_too_long);
    tcase_add_test(tcase, folders_in_the_place_of_files);
    tcase_add_test(tcase, what_is_whole);
    tcase_add_test(tcase, links);
    tcase_add_test(tcase, no_space);
    tcase_add_test(tcase, locks);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
