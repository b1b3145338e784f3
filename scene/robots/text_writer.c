/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/text_writer.h"

#include <perp/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/plain_number.h"

/* Space for `more` characters and the zero behind them; 0, or -1. */
static int grow(perp_text_writer *w, size_t more)
{
    size_t size = 2 * w->capacity + more + 4096;
    char *grown;

    if (w->capacity - w->used > more)
        return 0;
    grown = perp_robot_take(w->job, size, 1);
    if (grown == NULL)
        return -1;
    if (w->used > 0)
        memcpy(grown, w->text, w->used);
    w->text = grown;
    w->capacity = size;
    return 0;
}

void perp_write(perp_text_writer *w, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || grow(w, (size_t)length) != 0)
        return;
    va_start(arguments, format);
    vsnprintf(w->text + w->used, w->capacity - w->used, format, arguments);
    va_end(arguments);
    w->used += (size_t)length;
}

void perp_write_number(perp_text_writer *w, double x)
{
    double back = 0.0, plain = x == 0.0 ? 0.0 : x; /* no -0 */
    perp_scene_digits text = {0};

    for (int digits = 15; digits <= 17 && (digits == 15 || back != x); digits++) {
        text = perp_scene_number_text(plain, digits);
        perp_number_read(text.text, &back);
    }
    perp_write(w, "%s", text.text);
}

void perp_write_numbers(perp_text_writer *w, const double *x, int n)
{
    for (int k = 0; k < n; k++) {
        perp_write(w, "%s", k == 0 ? "[" : ", ");
        perp_write_number(w, x[k]);
    }
    perp_write(w, "]");
}

void perp_write_string(perp_text_writer *w, const char *text)
{
    perp_write(w, "\"");
    for (const char *c = text; *c != '\0'; c++)
        if (*c == '"' || *c == '\\')
            perp_write(w, "\\%c", *c);
        else if ((unsigned char)*c < 32)
            perp_write(w, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            perp_write(w, "%c", *c);
    perp_write(w, "\"");
}
