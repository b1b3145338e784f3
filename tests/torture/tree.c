/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tests/torture/tree.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void out_of_memory(void)
{
    fputs("torture: no memory\n", stderr);
    exit(99);
}

static void *keep(void *made)
{
    if (made == NULL)
        out_of_memory();
    return made;
}

static void add(torture_tree *tree, const char *path, const char *name)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (f == NULL || fstat(fileno(f), &st) != 0)
        return;
    if (tree->count == tree->capacity) {
        tree->capacity = 2 * tree->capacity + 16;
        tree->file = keep(realloc(tree->file, (size_t)tree->capacity * sizeof *tree->file));
    }
    torture_file *file = &tree->file[tree->count++];
    file->name = keep(strdup(name));
    file->bytes = keep(malloc((size_t)st.st_size + 1));
    file->size = fread(file->bytes, 1, (size_t)st.st_size, f);
    fclose(f);
}

static void walk(torture_tree *tree, const char *path, const char *name)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return;
    if (S_ISREG(st.st_mode)) {
        add(tree, path, name);
        return;
    }
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char below[4096], label[1024];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        snprintf(label, sizeof label, "%s%s%s", name, name[0] ? "/" : "", entry->d_name);
        walk(tree, below, label);
    }
    if (folder != NULL)
        closedir(folder);
}

void torture_tree_read(torture_tree *tree, const char *path)
{
    memset(tree, 0, sizeof *tree);
    walk(tree, path, "");
}

void torture_tree_free(torture_tree *tree)
{
    for (int k = 0; k < tree->count; k++) {
        free(tree->file[k].name);
        free(tree->file[k].bytes);
    }
    free(tree->file);
    memset(tree, 0, sizeof *tree);
}

const torture_file *torture_tree_find(const torture_tree *tree, const char *name)
{
    for (int k = 0; k < tree->count; k++)
        if (strcmp(tree->file[k].name, name) == 0)
            return &tree->file[k];
    return NULL;
}

int torture_same(const torture_file *a, const torture_file *b)
{
    return a != NULL && b != NULL && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

int torture_is_temporary(const char *name)
{
    const char *end = strrchr(name, '.');
    return end != NULL && (strcmp(end, ".part") == 0 || strcmp(end, ".tmp") == 0);
}

void torture_tree_write(const torture_tree *tree, const char *path)
{
    for (int k = 0; k < tree->count; k++) {
        const torture_file *file = &tree->file[k];
        char place[4096];
        snprintf(place, sizeof place, "%s%s%s", path, file->name[0] ? "/" : "", file->name);
        for (char *at = place + 1; *at != '\0'; at++) {
            if (*at != '/')
                continue;
            *at = '\0';
            mkdir(place, 0777);
            *at = '/';
        }
        FILE *f = fopen(place, "wb");
        if (f == NULL || fwrite(file->bytes, 1, file->size, f) != file->size || fclose(f) != 0) {
            perror(place);
            exit(99);
        }
    }
}

static int drop(const char *path, const struct stat *st, int flag, struct FTW *place)
{
    (void)st, (void)flag, (void)place;
    return remove(path);
}

void torture_remove(const char *path)
{
    nftw(path, drop, 16, FTW_DEPTH | FTW_PHYS);
}
