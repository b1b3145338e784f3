/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands that write, and what must hold of their files. */
#ifndef PERP_TESTS_TORTURE_JOBS_H
#define PERP_TESTS_TORTURE_JOBS_H

#include "tests/torture/command.h"
#include "tests/torture/tree.h"

/* BYTES: the same bytes each time.  RUN: but for the checkpoint, which is there at any moment.
 * ROWS: a file that grows by whole lines.  TABLES: files of as many lines each time. */
typedef enum torture_kind { TORTURE_BYTES, TORTURE_RUN, TORTURE_ROWS, TORTURE_TABLES } torture_kind;

typedef struct torture_job {
    const char *name;
    torture_kind kind;
    const char *out; /* the file or folder, below the folder that it runs in */
    const char *word[TORTURE_WORDS];
} torture_job;

extern const torture_job torture_jobs[];
extern const int torture_job_count;

/* Writes what the jobs read into STAGE/input.  0, or -1. */
int torture_inputs(const char *stage);

/* NULL, or what is wrong with the files after an interruption: each is whole, of `reference` or of
 * `older`, or of a run or campaign that ended early.  killed: a file of rows may end within one. */
const char *torture_whole(const torture_job *job, const torture_tree *tree,
                          const torture_tree *reference, const torture_tree *older, int killed);
/* The same after the job went on to its end: all is there. */
const char *torture_complete(const torture_job *job, const torture_tree *tree,
                             const torture_tree *reference);
/* 1: the text names the file of a moment, by its final name or by that of its folder. */
int torture_names(const char *text, const char *moment);

#endif
