/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What cannot be a file of numbers and may never end, or NULL. */
static const char *no_text(FILE *file)
{
    struct stat st = {0};
    fstat(fileno(file), &st);
    return S_ISDIR(st.st_mode)                          ? "is a directory"
           : S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) ? "is a device"
                                                        : NULL;
}

/* Size of a regular file, or a first guess for anything else. */
static size_t expected_size(FILE *file)
{
    struct stat st;
    if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0)
        return (size_t)st.st_size;
    return 65536;
}

static perp_status load(perp_text *text, FILE *file, perp_heap *heap)
{
    size_t capacity = expected_size(file) + 1, used = 0;
    char *buffer = PERP_HEAP_TAKE(heap, char, capacity + 1);
    while (buffer) {
        used += fread(buffer + used, 1, capacity - used, file);
        if (used < capacity)
            break;
        char *bigger =
            capacity > SIZE_MAX / 4 ? NULL : PERP_HEAP_TAKE(heap, char, 2 * capacity + 1);
        if (bigger)
            memcpy(bigger, buffer, used);
        buffer = bigger;
        capacity *= 2;
    }
    if (!buffer)
        return perp_text_fail(text, PERP_ERR_MEMORY, "no memory for the file");
    if (ferror(file))
        return perp_text_fail(text, PERP_ERR_OPEN, "cannot be read");
    buffer[used] = '\0';
    text->at = buffer;
    text->end = buffer + used;
    return PERP_SOLVED;
}

perp_status perp_text_open(perp_text *text, const char *path, perp_heap *heap, perp_io_error *error)
{
    *text = (perp_text){.path = path, .at = "", .line = 0, .error = error};
    text->end = text->at;
    char why[PERP_IO_REASON];
    FILE *file = fopen(path, "rb");
    if (!file)
        return perp_text_fail(text, PERP_ERR_OPEN, "%s", perp_io_reason(why, "cannot be opened"));
    const char *other = no_text(file);
    if (other)
        perp_text_fail(text, PERP_ERR_OPEN, "%s", other);
    else
        load(text, file, heap);
    fclose(file);
    if (!text->status)
        text->line = 1;
    return text->status;
}

perp_status perp_text_fail(perp_text *text, perp_status status, const char *format, ...)
{
    if (text->status)
        return text->status;
    text->status = status;
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return perp_io_fail(text->error, status, text->path, text->line, "%s", message);
}

size_t perp_text_left(const perp_text *text)
{
    return (size_t)(text->end - text->at);
}

int perp_text_fits(perp_text *text, size_t count, const char *what)
{
    if (text->status)
        return 0;
    if (count > perp_text_left(text) / 2 + 1) {
        perp_text_fail(text, PERP_ERR_FORMAT, "%s: the file is too short for its size", what);
        return 0;
    }
    return 1;
}

static int is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_blanks(perp_text *text)
{
    while (text->at < text->end && is_blank(*text->at)) {
        if (*text->at == '\n' && text->line < INT_MAX)
            text->line++;
        text->at++;
    }
}

/* The error for a word that is no number, with the word. */
static void bad_word(perp_text *text, const char *what, const char *wanted)
{
    char word[24];
    size_t k = 0;
    for (const char *p = text->at; p < text->end && !is_blank(*p) && k < sizeof word - 1; p++)
        word[k++] = (*p >= ' ' && *p < 127) ? *p : '?';
    word[k] = '\0';
    if (k == 0)
        perp_text_fail(text, PERP_ERR_FORMAT, "%s: the file ends where %s should stand", what,
                       wanted);
    else
        perp_text_fail(text, PERP_ERR_FORMAT, "%s: \"%s\" where %s should stand", what, word,
                       wanted);
}

/* One number at the cursor, which stands on a word.  NULL: it is none. */
static const char *scan_double(const perp_text *text, double *value)
{
    const char *stop = perp_number_read(text->at, value);
    if (!stop || (stop < text->end && !is_blank(*stop)))
        return NULL;
    return stop;
}

/* The next number; infinities only where they are allowed. */
static double next_double(perp_text *text, const char *what, int bounds)
{
    double value;
    skip_blanks(text);
    const char *stop = text->at < text->end ? scan_double(text, &value) : NULL;
    if (!stop) {
        bad_word(text, what, "a number");
        return 0.0;
    }
    if (!isfinite(value) && !(bounds && !isnan(value))) {
        perp_text_fail(text, PERP_ERR_NONFINITE, "%s: a NaN or an infinity", what);
        return 0.0;
    }
    text->at = stop;
    return value;
}

/* Plain digits, the usual case: 1 and the value, or 0. */
static int scan_digits(perp_text *text, int *value)
{
    const char *p = text->at;
    int v = 0, digits = 0;
    for (; *p >= '0' && *p <= '9' && digits < 9; p++, digits++)
        v = 10 * v + (*p - '0');
    if (digits == 0 || (p < text->end && !is_blank(*p)))
        return 0;
    *value = v;
    text->at = p;
    return 1;
}

int perp_text_int(perp_text *text, int lowest, int highest, const char *what)
{
    if (text->status)
        return 0;
    skip_blanks(text);
    int value;
    if (!scan_digits(text, &value)) {
        const char *start = text->at;
        double number = next_double(text, what, 0);
        if (text->status)
            return 0;
        if (number != floor(number)) {
            text->at = start;
            bad_word(text, what, "an integer");
            return 0;
        }
        if (fabs(number) > (double)INT_MAX) {
            perp_text_fail(text, PERP_ERR_OVERFLOW, "%s is beyond the range of int", what);
            return 0;
        }
        value = (int)number;
    }
    if (value < lowest || value > highest) {
        perp_text_fail(text, PERP_ERR_FORMAT, "%s is %d, outside %d to %d", what, value, lowest,
                       highest);
        return 0;
    }
    return value;
}

void perp_text_ints(perp_text *text, int *values, size_t count, int lowest, int highest,
                    const char *what)
{
    for (size_t k = 0; k < count; k++)
        values[k] = perp_text_int(text, lowest, highest, what);
}

void perp_text_doubles(perp_text *text, double *values, size_t count, const char *what)
{
    for (size_t k = 0; k < count && !text->status; k++)
        values[k] = next_double(text, what, 0);
}

void perp_text_bounds(perp_text *text, double *values, size_t count, const char *what)
{
    for (size_t k = 0; k < count && !text->status; k++)
        values[k] = next_double(text, what, 1);
}

int perp_text_is(const perp_text *text, const char *word)
{
    const char *p = text->at;
    while (p < text->end && is_blank(*p))
        p++;
    size_t length = strlen(word);
    if (text->status || (size_t)(text->end - p) < length || memcmp(p, word, length) != 0)
        return 0;
    return p + length == text->end || is_blank(p[length]);
}

void perp_text_expect(perp_text *text, const char *word, const char *what)
{
    if (text->status)
        return;
    skip_blanks(text);
    if (!perp_text_is(text, word)) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "\"%s\"", word);
        bad_word(text, what, quoted);
        return;
    }
    text->at += strlen(word);
}

const char *perp_text_line(perp_text *text, size_t *length)
{
    *length = 0;
    if (text->status || text->at >= text->end)
        return NULL;
    const char *start = text->at;
    const char *stop = memchr(start, '\n', perp_text_left(text));
    text->at = stop ? stop + 1 : text->end;
    if (stop && text->line < INT_MAX)
        text->line++;
    *length = (size_t)((stop ? stop : text->end) - start);
    if (*length > 0 && start[*length - 1] == '\r')
        (*length)--;
    return start;
}

size_t perp_text_count_numbers(const perp_text *text, size_t most, int *only)
{
    perp_text look = *text;
    double value;
    size_t count = 0;
    *only = 1;
    while (count < most) {
        skip_blanks(&look);
        if (look.at >= look.end)
            return count;
        const char *stop = scan_double(&look, &value);
        if (!stop || isnan(value)) {
            *only = 0;
            return count;
        }
        look.at = stop;
        count++;
    }
    skip_blanks(&look);
    *only = look.at >= look.end;
    return count;
}

/* "%.16e" always has one digit, the locale's decimal mark (of any length), 16
 * digits and an exponent: only the mark has to be put right. */
const char *perp_text_print(char *buffer, double value)
{
    char raw[PERP_TEXT_DOUBLE];
    if (!isfinite(value)) {
        strcpy(buffer, isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
        return buffer;
    }
    snprintf(raw, sizeof raw, "%.16e", value);
    const char *from = raw;
    char *to = buffer;
    if (*from == '-')
        *to++ = *from++;
    *to++ = *from++;
    while (*from && (*from < '0' || *from > '9'))
        from++;
    *to++ = '.';
    strcpy(to, from);
    return buffer;
}
