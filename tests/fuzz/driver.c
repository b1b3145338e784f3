/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls the entry of a fuzzer where there is no libFuzzer:
 *     TARGET [-seconds=S] [-runs=N] [-seed=K] FILE|FOLDER...
 * each file once; then, where seconds or runs are given, files that were changed at random.  The
 * same seed and runs make the same inputs.  An input that ends the program is kept as crash-input.
 */
#define _GNU_SOURCE
#include "config.h"

#ifndef PERP_LIBFUZZER
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

enum { FILES = 4096, LONGEST = 1 << 16, HUNG = 20 };

static struct {
    uint8_t *bytes[FILES];
    size_t size[FILES];
    int files;
    uint64_t seed;
    uint8_t input[2 * LONGEST];
    size_t used;
} state = {.seed = 1};

static uint64_t next(uint64_t below) /* splitmix64 */
{
    uint64_t z = (state.seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return below > 0 ? (z ^ (z >> 31)) % below : 0;
}

static void keep_input(int number)
{
    int fd = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0 && write(fd, state.input, state.used) == (ssize_t)state.used)
        close(fd);
    signal(number, SIG_DFL);
    raise(number);
}

static void call(void)
{
    uint8_t *exact = malloc(state.used + 1); /* so that a sanitizer sees its end */
    if (exact == NULL)
        return;
    memcpy(exact, state.input, state.used);
    alarm(HUNG);
    LLVMFuzzerTestOneInput(exact, state.used);
    alarm(0);
    free(exact);
}

static void add_file(const char *path)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    if (f == NULL || fstat(fileno(f), &st) != 0 || state.files == FILES) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(99);
    }
    size_t size = st.st_size < LONGEST ? (size_t)st.st_size : LONGEST;
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL || fread(bytes, 1, size, f) != size)
        exit(99);
    state.bytes[state.files] = bytes;
    state.size[state.files++] = size;
    fclose(f);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add(const char *path)
{
    struct dirent **entry;
    int count = scandir(path, &entry, NULL, by_name);
    if (count < 0)
        add_file(path);
    for (int k = 0; k < count; k++) {
        char place[4096];
        snprintf(place, sizeof place, "%s/%s", path, entry[k]->d_name);
        if (entry[k]->d_name[0] != '.')
            add(place);
        free(entry[k]);
    }
    if (count >= 0)
        free(entry);
}

/* Makes a hole of this length, or closes one; 0 where it does not fit. */
static int shift(size_t at, size_t out, size_t in)
{
    if (at + out > state.used || state.used - out + in > sizeof state.input)
        return 0;
    memmove(state.input + at + in, state.input + at + out, state.used - at - out);
    state.used += in - out;
    return 1;
}

static void put_word(size_t at)
{
    static const char *const words[] = {
        "0",      "-1",    "1",   "2147483647", "-2147483648", "4294967296", "1e308", "-1e308",
        "1e-320", "nan",   "inf", "",           "99999999",    "46000",      "0.5",   "\n",
        "\"",     "{",     "}",   "[",          "]",           ",",          ":",     "null",
        "true",   "1e999", " ",   "\377\377",   "65536",       "3 3",        "%%",    "-0",
        "1e",     "0x1p4", "\r",  "#"};
    const char *word = words[next(sizeof words / sizeof words[0])];
    size_t length = strlen(word), out = next(4) ? 0 : next(6);
    if (at + out <= state.used && shift(at, out, length))
        memcpy(state.input + at, word, length);
}

/* Digits that stand at a place become another number. */
static void put_number(size_t at)
{
    size_t end = at;
    while (at < state.used && (state.input[at] < '0' || state.input[at] > '9'))
        at++;
    for (end = at; end < state.used && state.input[end] >= '0' && state.input[end] <= '9';)
        end++;
    if (end > at && shift(at, end - at, 0))
        put_word(at);
}

static void change(void)
{
    size_t at = next(state.used + 1), length = next(1 + next(64));
    int other = (int)next((uint64_t)state.files);
    switch (next(8)) {
    case 0:
        if (at < state.used)
            state.input[at] ^= (uint8_t)(1u << next(8));
        break;
    case 1:
        if (at < state.used)
            state.input[at] = (uint8_t)next(256);
        break;
    case 2:
        shift(at, length, 0);
        break;
    case 3:
        if (at + length <= state.used && shift(at, 0, length))
            memcpy(state.input + at, state.input + at + length, length);
        break;
    case 4: /* the rest of another one */
        if (state.size[other] > 0) {
            size_t from = next(state.size[other]), rest = state.size[other] - from;
            state.used = at;
            if (shift(at, 0, rest))
                memcpy(state.input + at, state.bytes[other] + from, rest);
        }
        break;
    case 5:
        state.used = at;
        break;
    case 6:
        put_number(at);
        break;
    default:
        put_word(at);
        break;
    }
}

static void start_from(int file)
{
    memcpy(state.input, state.bytes[file], state.size[file]);
    state.used = state.size[file];
}

int main(int argc, char **argv)
{
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM};
    double seconds = 0.0;
    long runs = 0, done = 0;
    struct timespec begun, now;
    for (int k = 1; k < argc; k++)
        if (sscanf(argv[k], "-seconds=%lf", &seconds) != 1 &&
            sscanf(argv[k], "-runs=%ld", &runs) != 1 &&
            sscanf(argv[k], "-seed=%lu", &state.seed) != 1)
            add(argv[k]);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        signal(numbers[k], keep_input);
    for (int k = 0; k < state.files; k++) {
        start_from(k);
        call();
    }
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (now = begun;
         state.files > 0 && (done < runs || (double)(now.tv_sec - begun.tv_sec) < seconds);
         done++) {
        start_from((int)next((uint64_t)state.files));
        for (uint64_t k = 1 + next(1 + next(6)); k > 0; k--)
            change();
        call();
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    printf("%d files, %ld changed inputs\n", state.files, done);
    for (int k = 0; k < state.files; k++)
        free(state.bytes[k]);
    return 0;
}
#else
typedef int perp_fuzz_driver_is_that_of_clang;
#endif
