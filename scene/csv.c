/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "scene/files.h"

static const char name[] = "series.csv";

int perp_run_csv_start(perp_run_csv *csv, const char *dir, const perp_run_record *record)
{
    csv->dir = dir;
    csv->stream = perp_run_open(dir, name);
    if (csv->stream == NULL)
        return -1;
    fputs("t", csv->stream);
    for (int k = 0; k < record->nquantities; k++) {
        for (int i = 0; i < record->quantities[k].count; i++) {
            char text[256];
            perp_run_column(text, sizeof text, &record->quantities[k], i);
            fprintf(csv->stream, ",%s", text);
        }
    }
    fputc('\n', csv->stream);
    return ferror(csv->stream) ? -1 : 0;
}

int perp_run_csv_resume(perp_run_csv *csv, const char *dir, long long bytes)
{
    perp_run_path_text old = perp_run_join(dir, name), now = perp_run_join(dir, "series.csv.part");

    csv->dir = dir;
    /* A run that came to its end, or was interrupted, left the file in its place. */
    if (access(now.text, F_OK) != 0 && rename(old.text, now.text) != 0)
        return -1;
    csv->stream = fopen(now.text, "r+b");
    if (csv->stream == NULL)
        return -1;
    if (fseeko(csv->stream, 0, SEEK_END) != 0)
        return -1;
    if (ftello(csv->stream) < (off_t)bytes) {
        errno = EINVAL;
        return -1;
    }
    if (ftruncate(fileno(csv->stream), (off_t)bytes) != 0)
        return -1;
    return fseeko(csv->stream, 0, SEEK_END) == 0 ? 0 : -1;
}

int perp_run_csv_row(perp_run_csv *csv, double t, const double *row, int columns)
{
    fprintf(csv->stream, "%.17g", t);
    for (int k = 0; k < columns; k++)
        fprintf(csv->stream, ",%.17g", row[k]);
    return fputc('\n', csv->stream) == EOF ? -1 : 0;
}

long long perp_run_csv_sync(perp_run_csv *csv)
{
    return perp_run_sync(csv->stream) != 0 ? -1 : (long long)ftello(csv->stream);
}

int perp_run_csv_finish(perp_run_csv *csv)
{
    FILE *stream = csv->stream;

    csv->stream = NULL;
    return perp_run_close(stream, csv->dir, name);
}
