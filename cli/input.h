/* SPDX-License-Identifier: BSD-3-Clause */
/* Input files by name: regular ones, pipes, and standard input by the name "-". */
#ifndef PERP_CLI_INPUT_H
#define PERP_CLI_INPUT_H

#include <perp/io.h>

typedef struct perp_input {
    const char *name; /* for messages: the file, or "standard input" */
    char path[4096];  /* where bytes that come once were copied to, "" without */
    const char *open; /* what to open */
} perp_input;

/* What comes from standard input or a named pipe is copied to a temporary file, so that every
 * format can be read from it.  0, PERP_EXIT_ERROR after a message, or PERP_EXIT_STOPPED where
 * an interrupt came meanwhile (perp_catch_interrupts()). */
int perp_input_open(perp_input *input, const char *word);
/* Removes that file; to be called as soon as all is read.  Again is no harm. */
void perp_input_close(perp_input *input);

/* 1: `out` is the very file that `word`, or standard input for "-", names. */
int perp_input_is(const char *word, const char *out);

/* Before hours of work: can the file of option --NAME be made, and is it not the one that `word`
 * names?  0, or PERP_EXIT_ERROR after a message. */
int perp_input_check_out(const char *name, const char *out, const char *word);

/* The first character that is no blank; EOF: there is none. */
int perp_input_begins(const perp_input *input);
/* A failed io call on it: a message in which the file has the name that the user gave it. */
int perp_input_complain(const perp_input *input, perp_status status, const perp_io_error *error);

#endif
