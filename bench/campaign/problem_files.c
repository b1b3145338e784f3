/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/campaign.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct file_list {
    perp_bench_file *file;
    int files, capacity;
} file_list;

static int has_ending(const char *path)
{
    static const char *const ending[] = {".dat", ".hdf5", ".h5"};
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof ending / sizeof *ending; k++) {
        size_t e = strlen(ending[k]);
        if (length > e && !strcmp(path + length - e, ending[k]))
            return 1;
    }
    return 0;
}

/* The last folder and the file, of a path from the root: different folders hold files of the same
 * name. */
static const char *name_in(const char *path)
{
    const char *folder = strrchr(path, '/');
    while (folder > path && folder[-1] != '/')
        folder--;
    return folder;
}

static int add_file(file_list *list, const char *path, long bytes)
{
    if (list->files == list->capacity) {
        int capacity = 2 * list->capacity + 64;
        perp_bench_file *more = realloc(list->file, (size_t)capacity * sizeof *more);
        if (!more)
            return -1;
        list->file = more;
        list->capacity = capacity;
    }
    char *real = realpath(path, NULL);
    if (!real)
        return -1;
    list->file[list->files++] = (perp_bench_file){real, name_in(real), bytes};
    return 0;
}

static int add_input(file_list *list, const char *path, int depth);

static int add_folder(file_list *list, const char *path, int depth)
{
    struct dirent **entry;
    int bad = 0, entries = scandir(path, &entry, NULL, alphasort);
    if (entries < 0)
        return -1;
    for (int k = 0; k < entries; k++) {
        char inner[4096];
        int length = snprintf(inner, sizeof inner, "%s/%s", path, entry[k]->d_name);
        if (entry[k]->d_name[0] != '.' && length < (int)sizeof inner && !bad)
            bad = add_input(list, inner, depth + 1);
        free(entry[k]);
    }
    free(entry);
    return bad;
}

static int add_input(file_list *list, const char *path, int depth)
{
    struct stat info;
    if (stat(path, &info))
        return -1;
    if (S_ISDIR(info.st_mode))
        return depth < 16 ? add_folder(list, path, depth) : 0;
    if (depth > 0 && !(S_ISREG(info.st_mode) && has_ending(path)))
        return 0;
    return add_file(list, path, (long)info.st_size);
}

static int by_name(const void *a, const void *b)
{
    const perp_bench_file *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->path, y->path);
}

static int by_size(const void *a, const void *b)
{
    const perp_bench_file *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes > y->bytes) - (x->bytes < y->bytes) : by_name(a, b);
}

/* A file given twice counts once; two files of one name cannot be told apart. */
static int unique(file_list *list, char *message, size_t size)
{
    int kept = 0;
    if (list->files > 0)
        qsort(list->file, (size_t)list->files, sizeof *list->file, by_name);
    for (int k = 0; k < list->files; k++) {
        if (kept > 0 && !strcmp(list->file[k].name, list->file[kept - 1].name)) {
            if (strcmp(list->file[k].path, list->file[kept - 1].path)) {
                snprintf(message, size, "%s and %s would have the same name in the results",
                         list->file[kept - 1].path, list->file[k].path);
                return -1;
            }
            free(list->file[k].path);
            list->file[k].path = NULL;
            continue;
        }
        list->file[kept++] = list->file[k];
        if (kept - 1 < k)
            list->file[k].path = NULL;
    }
    list->files = kept;
    return 0;
}

int perp_bench_files(perp_bench_file **file, char **input, int inputs, char *message, size_t size)
{
    file_list list = {NULL, 0, 0};
    int bad = 0;
    for (int k = 0; k < inputs && !bad; k++) {
        errno = 0;
        bad = add_input(&list, input[k], 0);
        if (bad)
            snprintf(message, size, "%s: %s", input[k], strerror(errno ? errno : ENOMEM));
    }
    bad = bad ? bad : unique(&list, message, size);
    if (!bad && list.files == 0) {
        snprintf(message, size, "no problem file (.dat, .hdf5, .h5) was found");
        bad = -1;
    }
    if (bad) {
        perp_bench_files_free(list.file, list.files);
        return -1;
    }
    qsort(list.file, (size_t)list.files, sizeof *list.file, by_size);
    *file = list.file;
    return list.files;
}

void perp_bench_files_free(perp_bench_file *file, int files)
{
    for (int k = 0; file && k < files; k++)
        free(file[k].path);
    free(file);
}
