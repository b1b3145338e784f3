/* SPDX-License-Identifier: BSD-3-Clause */
/* The files below a folder, with their bytes. */
#ifndef PERP_TESTS_TORTURE_TREE_H
#define PERP_TESTS_TORTURE_TREE_H

#include <stddef.h>

typedef struct torture_file {
    char *name; /* below the folder */
    unsigned char *bytes;
    size_t size;
} torture_file;

typedef struct torture_tree {
    torture_file *file;
    int count, capacity;
} torture_tree;

/* All regular files below the folder, or the file alone.  What is not there has none. */
void torture_tree_read(torture_tree *tree, const char *path);
void torture_tree_free(torture_tree *tree);
const torture_file *torture_tree_find(const torture_tree *tree, const char *name);
int torture_same(const torture_file *a, const torture_file *b);
/* NAME.part, NAME.12.0.tmp: not a final name. */
int torture_is_temporary(const char *name);
/* Writes the files of the tree below the folder. */
void torture_tree_write(const torture_tree *tree, const char *path);
void torture_remove(const char *path);

#endif
