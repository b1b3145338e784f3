/* SPDX-License-Identifier: BSD-3-Clause */
/* The command, run as a process in a folder: with moments that fail, with signals, with streams
 * that are closed. */
#ifndef PERP_TESTS_TORTURE_COMMAND_H
#define PERP_TESTS_TORTURE_COMMAND_H

enum { TORTURE_TEXT = 4096, TORTURE_WORDS = 16 };

typedef enum torture_stream { TORTURE_KEPT, TORTURE_CLOSED, TORTURE_BROKEN_PIPE } torture_stream;

typedef struct torture_process {
    const char *folder;      /* where it runs */
    const char *const *word; /* the arguments, NULL at their end */
    const char *moment;      /* of PERP_TORTURE, NULL: none */
    const char *log;         /* of the moments, absolute; NULL: none */
    torture_stream stream[3];
    int signal; /* sent after `delay` microseconds, 0: none */
    long delay;
    /* What came of it. */
    int status, number; /* exit status, or -1 and the signal that ended it; number -1: it hung */
    char text[TORTURE_TEXT]; /* of standard error, where it was kept */
} torture_process;

/* 1: the library that makes moments fail is there. */
int torture_has_shim(void);
void torture_run(torture_process *process);

#endif
