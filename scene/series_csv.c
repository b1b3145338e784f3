/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/series_csv.h"

#include <errno.h>
#include <unistd.h>

#include "scene/files.h"
#include "scene/plain_number.h"

int perp_scene_csv_start(perp_scene_csv *csv, const char *dir, const char *name)
{
    csv->dir = dir;
    csv->name = name;
    csv->synced = -1;
    csv->stream = perp_scene_open(dir, name);
    if (csv->stream == NULL)
        return -1;
    setvbuf(csv->stream, csv->held, _IOFBF, sizeof csv->held);
    return 0;
}

int perp_scene_csv_head(perp_scene_csv *csv, const perp_recorder *recorder)
{
    for (int k = 0; k < perp_recorder_columns(recorder); k++)
        fprintf(csv->stream, k > 0 ? ",%s" : "%s", perp_recorder_name(recorder, k));
    fputc('\n', csv->stream);
    return ferror(csv->stream) ? -1 : 0;
}

int perp_scene_csv_resume(perp_scene_csv *csv, const char *dir, const char *name, long long bytes)
{
    char part[64];
    perp_scene_path_text old = perp_scene_join(dir, name), now;

    snprintf(part, sizeof part, "%s.part", name);
    now = perp_scene_join(dir, part);
    csv->dir = dir;
    csv->name = name;
    csv->synced = -1;
    /* A run that came to its end, or was interrupted, left the file in its place. */
    if (access(now.text, F_OK) != 0 && rename(old.text, now.text) != 0)
        return -1;
    csv->stream = perp_scene_reopen(dir, name);
    if (csv->stream == NULL)
        return -1;
    setvbuf(csv->stream, csv->held, _IOFBF, sizeof csv->held);
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

/* Numbers of a line that goes on, with commas between them. */
static void put_numbers(FILE *stream, const double *x, int count, int given)
{
    char text[32 * (PERP_SCENE_NUMBER + 1)];
    size_t used = 0;

    for (int k = 0; k < count; k++) {
        if (used + PERP_SCENE_NUMBER + 1 > sizeof text) {
            fwrite(text, 1, used, stream);
            used = 0;
        }
        if (k > 0)
            text[used++] = ',';
        used += (size_t)perp_scene_number_put(text + used, k < given ? x[k] : 0.0, 17);
    }
    fwrite(text, 1, used, stream);
}

void perp_scene_csv_numbers(FILE *stream, const double *x, int count, int given)
{
    fputc(',', stream);
    put_numbers(stream, x, count, given);
}

int perp_scene_csv_row(perp_scene_csv *csv, const double *row, int columns)
{
    put_numbers(csv->stream, row, columns, columns);
    return fputc('\n', csv->stream) == EOF ? -1 : 0;
}

long long perp_scene_csv_sync(perp_scene_csv *csv)
{
    csv->synced = perp_scene_sync(csv->stream) != 0 ? -1 : (long long)ftello(csv->stream);
    return csv->synced;
}

int perp_scene_csv_finish(perp_scene_csv *csv)
{
    FILE *stream = csv->stream;
    int synced = csv->synced >= 0 && (long long)ftello(stream) == csv->synced && !ferror(stream);

    csv->stream = NULL;
    return perp_scene_close_growing(stream, synced, csv->dir, csv->name);
}

void perp_scene_csv_leave(perp_scene_csv *csv)
{
    if (csv->stream != NULL)
        fclose(csv->stream);
    csv->stream = NULL;
}
