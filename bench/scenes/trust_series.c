/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/scenes/trust_series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *perp_trust_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (f == NULL)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
        text = malloc((size_t)size + 1);
        if (text != NULL)
            text[fread(text, 1, (size_t)size, f)] = '\0';
    }
    fclose(f);
    return text;
}

static int count(const char *text, char what)
{
    int found = 0;

    for (; *text != '\0'; text++)
        found += *text == what;
    return found;
}

/* Cuts the first line at its commas; where the numbers begin, or NULL. */
static char *read_names(perp_trust_series *series, char *text)
{
    char *end = strchr(text, '\n');

    if (end == NULL)
        return NULL;
    *end = '\0';
    series->columns = count(text, ',') + 1;
    series->name = calloc((size_t)series->columns, sizeof *series->name);
    for (int k = 0; series->name != NULL && k < series->columns; k++) {
        size_t length = strcspn(text, ",");
        series->name[k] = calloc(length + 1, 1);
        if (series->name[k] == NULL)
            return NULL;
        memcpy(series->name[k], text, length);
        text += length + 1;
    }
    return series->name != NULL ? end + 1 : NULL;
}

static int read_numbers(perp_trust_series *series, const char *text)
{
    size_t wanted = (size_t)count(text, '\n') * (size_t)series->columns, filled = 0;

    series->data = calloc(wanted > 0 ? wanted : 1, sizeof *series->data);
    if (series->data == NULL)
        return -1;
    while (filled < wanted) {
        char *end;
        series->data[filled] = strtod(text, &end);
        if (end == text)
            break;
        filled++;
        text = *end == ',' ? end + 1 : end;
    }
    series->rows = (int)(filled / (size_t)series->columns);
    return series->rows > 0 ? 0 : -1;
}

int perp_trust_series_read(perp_trust_series *series, const char *path)
{
    char *text = perp_trust_text(path), *numbers = NULL;
    int result = -1;

    memset(series, 0, sizeof *series);
    if (text != NULL)
        numbers = read_names(series, text);
    if (numbers != NULL)
        result = read_numbers(series, numbers);
    free(text);
    return result;
}

void perp_trust_series_free(perp_trust_series *series)
{
    for (int k = 0; series->name != NULL && k < series->columns; k++)
        free(series->name[k]);
    free(series->name);
    free(series->data);
    memset(series, 0, sizeof *series);
}

int perp_trust_column(const perp_trust_series *series, const char *name)
{
    size_t length = strcspn(name, "["); /* a quantity of one entry has no number */

    for (int k = 0; k < series->columns; k++)
        if (strcmp(series->name[k], name) == 0 ||
            (strcmp(name + length, "[0]") == 0 && strlen(series->name[k]) == length &&
             strncmp(series->name[k], name, length) == 0))
            return k;
    return -1;
}

double perp_trust_at(const perp_trust_series *series, int row, int column)
{
    if (row < 0 || row >= series->rows || column < 0 || column >= series->columns)
        return NAN;
    return series->data[(size_t)row * (size_t)series->columns + (size_t)column];
}
