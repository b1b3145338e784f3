/* SPDX-License-Identifier: BSD-3-Clause */
/* What a fuzzer calls: each fuzz_NAME.c has one entry, in the form of libFuzzer.  Without clang the
 * project's own driver calls it. */
#ifndef PERP_TESTS_FUZZ_FUZZ_H
#define PERP_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include <perp/base.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The name of a file in memory that holds these bytes, until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* A folder whose files are in memory, where there is one. */
const char *fuzz_folder(void);
/* The name of a file there to write to. */
const char *fuzz_output(void);
/* Gives at most `most` bytes until the next call: what is more answers NULL. */
const perp_allocator *fuzz_allocator(size_t most);
/* Ends the program where a promise is broken. */
#define FUZZ_PROMISE(holds) ((holds) ? (void)0 : fuzz_broken(#holds, __FILE__, __LINE__))
void fuzz_broken(const char *promise, const char *file, int line);

#endif
