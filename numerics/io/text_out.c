/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text_out.h"

#include <math.h>

#include "io/text.h"

/* With what errno says. */
static void fail_why(perp_text_out *out, const char *what)
{
    char text[PERP_IO_REASON];
    perp_text_out_fail(out, PERP_ERR_OPEN, perp_io_reason(text, what));
}

perp_status perp_text_out_begin(perp_text_out *out, const char *path, perp_heap *heap,
                                perp_io_error *error)
{
    *out = (perp_text_out){0};
    out->status = perp_atomic_begin(&out->file, path, heap, error);
    if (out->status)
        return out->status;
    out->stream = fopen(out->file.target, "w");
    if (!out->stream)
        fail_why(out, "cannot be opened for writing");
    return out->status;
}

void perp_text_out_fail(perp_text_out *out, perp_status status, const char *what)
{
    if (!out->status)
        out->status = perp_io_fail(out->file.error, status, out->file.path, 0, "%s", what);
}

static void put(perp_text_out *out, const char *text, char after)
{
    if (out->status)
        return;
    if (fputs(text, out->stream) < 0 || fputc(after, out->stream) < 0)
        fail_why(out, "cannot be written");
}

void perp_text_out_word(perp_text_out *out, const char *word)
{
    put(out, word, '\n');
}

void perp_text_out_ints(perp_text_out *out, const int *values, size_t count)
{
    char text[16];
    for (size_t k = 0; k < count; k++) {
        snprintf(text, sizeof text, "%d", values[k]);
        put(out, text, k + 1 < count ? ' ' : '\n');
    }
}

void perp_text_out_bounds(perp_text_out *out, const double *values, size_t count, char after)
{
    char text[PERP_TEXT_DOUBLE];
    for (size_t k = 0; k < count && !out->status; k++) {
        if (isnan(values[k]))
            perp_text_out_fail(out, PERP_ERR_NONFINITE, "a NaN cannot be written");
        put(out, perp_text_print(text, values[k]), after);
    }
}

void perp_text_out_doubles(perp_text_out *out, const double *values, size_t count, char after)
{
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k])) {
            perp_text_out_fail(out, PERP_ERR_NONFINITE, "a NaN or an infinity cannot be written");
            return;
        }
    perp_text_out_bounds(out, values, count, after);
}

perp_status perp_text_out_end(perp_text_out *out)
{
    if (out->stream) {
        int wrong = fflush(out->stream) != 0 || ferror(out->stream);
        if (fclose(out->stream) != 0 || wrong)
            fail_why(out, "cannot be written");
    }
    out->stream = NULL;
    return perp_atomic_end(&out->file, out->status);
}
