/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "scene/series_hdf5.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/contacts_hdf5.h"
#include "scene/files.h"
#include "scene/scene_inside.h"
#include "scene/units.h"

enum { BATCH = 1024 };                                  /* rows held at a time */
enum { LEAST_GROWTH = 1 << 16, MOST_GROWTH = 1 << 20 }; /* bytes */

/* Up to here the file is made in memory and then written: HDF5 1.10 cannot close a file that it
 * cannot write, and then the process dies at its end. */
static const double most_in_memory = 268435456.0;

typedef struct tables {
    hid_t file;
    hid_t *set; /* of the time, then of each quantity */
    int nsets;
    perp_scene *scene;
    const perp_scene_record *record;
    int columns; /* with the time */
    hsize_t rows, done;
    double *batch; /* BATCH rows of the file */
} tables;

static int width(const tables *out, int k)
{
    return k == 0 ? 1 : out->record->quantities[k - 1].count;
}

static int note_units(tables *out, int k)
{
    char units[1024] = "s";

    return k > 0 && !perp_scene_units(units, sizeof units, out->scene,
                                      &out->record->quantities[k - 1])
               ? 0
               : perp_scene_hdf5_text(out->set[k], "units", units);
}

/* What the file is: of which program, of which layout, of which scene. */
static int describe(const tables *out)
{
    const int layout = 1;
    char software[32];
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t at = H5Acreate2(out->file, "layout", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    int bad = at < 0 || H5Awrite(at, H5T_NATIVE_INT, &layout) < 0;

    if (at >= 0)
        H5Aclose(at);
    H5Sclose(space);
    snprintf(software, sizeof software, "perp %s", perp_version());
    return bad || perp_scene_hdf5_text(out->file, "software", software) != 0 ||
                   perp_scene_hdf5_text(out->file, "version", perp_version()) != 0 ||
                   perp_scene_hdf5_text(out->file, "scene", "run/scene") != 0
               ? -1
               : perp_scene_hdf5_text(out->file, "title",
                                      out->scene->title != NULL ? out->scene->title : "");
}

/* Time stamps are left out, so that the same data gives the same bytes. */
static int create_sets(tables *out)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    int bad = H5Pset_obj_track_times(list, 0) < 0;

    for (int k = 0; k <= out->record->nquantities && !bad; k++) {
        hsize_t extent[2] = {out->rows, (hsize_t)width(out, k)};
        hid_t space = H5Screate_simple(k == 0 ? 1 : 2, extent, NULL);
        const char *label = k == 0 ? "t" : out->record->quantities[k - 1].label;
        out->set[k] =
            H5Dcreate2(out->file, label, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
        H5Sclose(space);
        bad = out->set[k] < 0;
        out->nsets += !bad;
        if (!bad)
            bad = note_units(out, k) != 0;
    }
    H5Pclose(list);
    return bad ? -1 : 0;
}

/* The columns of quantity k of the batch into its dataset. */
static int write_columns(tables *out, int k, int first, hsize_t count, double *packed)
{
    int columns = out->columns, entries = width(out, k);
    hsize_t start[2] = {out->done, 0}, extent[2] = {count, (hsize_t)entries};
    hid_t from = H5Screate_simple(k == 0 ? 1 : 2, extent, NULL), to = H5Dget_space(out->set[k]);
    int bad;

    for (hsize_t row = 0; row < count; row++)
        memcpy(packed + row * (hsize_t)entries, out->batch + row * (hsize_t)columns + first,
               (size_t)entries * sizeof *packed);
    bad = H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, extent, NULL) < 0 ||
          H5Dwrite(out->set[k], H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, packed) < 0;
    H5Sclose(from);
    H5Sclose(to);
    return bad ? -1 : 0;
}

static int flush(tables *out, hsize_t count)
{
    double *packed = perp_scene_zeroed(&out->scene->memory, (size_t)BATCH * (size_t)out->columns,
                                       sizeof *packed);
    int bad = packed == NULL;

    for (int k = 0, first = 0; k <= out->record->nquantities && !bad; first += width(out, k++))
        bad = write_columns(out, k, first, count, packed) != 0;
    perp_scene_release(&out->scene->memory, packed);
    out->done += count;
    return bad ? -1 : 0;
}

static int copy_rows(tables *out, FILE *csv)
{
    int columns = out->columns, bad = 0;
    hsize_t held = 0, total = 0;
    char *line = NULL;
    size_t capacity = 0;

    while (!bad && total < out->rows && getline(&line, &capacity, csv) > 0) {
        const char *at = line;
        for (int k = 0; k < columns && at != NULL; k++) {
            at = perp_number_read(at, &out->batch[held * (hsize_t)columns + (hsize_t)k]);
            at += at != NULL && *at == ',';
        }
        if (at == NULL) {
            bad = 1;
            break;
        }
        total++;
        if (++held == BATCH || total == out->rows) {
            bad = flush(out, held) != 0;
            held = 0;
        }
    }
    free(line);
    return bad || total != out->rows ? -1 : 0;
}

/* Rows that are in memory.  What is no number has the bits that reading it from text gives. */
static int take_rows(tables *out, const double *rows)
{
    hsize_t columns = (hsize_t)out->columns;
    int bad = 0;

    while (!bad && out->done < out->rows) {
        hsize_t left = out->rows - out->done, count = left < BATCH ? left : BATCH;
        const double *from = rows + out->done * columns;
        for (hsize_t k = 0; k < count * columns; k++)
            out->batch[k] = isnan(from[k]) ? (double)NAN : from[k];
        bad = flush(out, count) != 0;
    }
    return bad ? -1 : 0;
}

/* The file, in memory or where it will be; bytes: some more than it will have. */
static hid_t create(const char *dir, double bytes)
{
    int in_memory = bytes <= most_in_memory;
    size_t growth = bytes < MOST_GROWTH ? LEAST_GROWTH : MOST_GROWTH;
    hid_t list = H5Pcreate(H5P_FILE_ACCESS), file = -1;

    remove(perp_scene_join(dir, "series.h5.part").text);
    if (!in_memory || H5Pset_fapl_core(list, growth, 0) >= 0)
        file =
            H5Fcreate(perp_scene_join(dir, "series.h5.part").text, H5F_ACC_EXCL, H5P_DEFAULT, list);
    H5Pclose(list);
    return file;
}

/* What is in memory, to its file. */
static int save(const tables *out, const char *dir)
{
    const perp_allocator *memory = &out->scene->memory;
    ssize_t bytes =
        H5Fflush(out->file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(out->file, NULL, 0);
    unsigned char *image = bytes > 0 ? perp_scene_zeroed(memory, (size_t)bytes, 1) : NULL;
    FILE *f = image != NULL && H5Fget_file_image(out->file, image, (size_t)bytes) == bytes
                  ? perp_scene_open(dir, "series.h5")
                  : NULL;
    int bad = f == NULL || fwrite(image, 1, (size_t)bytes, f) != (size_t)bytes;

    if (f != NULL && fclose(f) != 0)
        bad = 1;
    perp_scene_release(memory, image);
    return bad ? -1 : 0;
}

/* Of the series in a file: its rows, and the place where they begin. */
static hsize_t find_rows(FILE *csv)
{
    hsize_t rows = perp_scene_hdf5_lines(csv) - 1;

    for (int c = getc(csv); c != '\n' && c != EOF; c = getc(csv))
        continue;
    return rows;
}

/* rows: out->rows of them, or NULL for those of the file csv. */
static int convert(tables *out, const double *rows, FILE *csv, FILE *contacts, const char *dir)
{
    int bad, cause;
    const perp_allocator *memory = &out->scene->memory;
    size_t columns = (size_t)out->columns;
    double bytes;

    if (rows == NULL)
        out->rows = find_rows(csv);
    bytes = (double)out->rows * (double)columns * sizeof(double) +
            perp_scene_contacts_hdf5_bytes(contacts);
    out->set = perp_scene_zeroed(memory, (size_t)out->record->nquantities + 1, sizeof *out->set);
    out->batch = perp_scene_zeroed(memory, BATCH * columns, sizeof *out->batch);
    out->file = out->set != NULL && out->batch != NULL ? create(dir, bytes) : -1;
    bad = out->file < 0 || create_sets(out) != 0 ||
          (rows != NULL ? take_rows(out, rows) : copy_rows(out, csv)) != 0 || describe(out) != 0 ||
          perp_scene_copy_hdf5(out->file, out->scene, dir) != 0 ||
          (contacts != NULL && perp_scene_contacts_hdf5(out->file, out->scene, contacts) != 0);
    cause = errno;
    for (int k = 0; k < out->nsets; k++)
        bad |= H5Dclose(out->set[k]) < 0;
    if (!bad && bytes <= most_in_memory) {
        bad = save(out, dir) != 0;
        cause = errno;
    }
    if (out->file >= 0)
        bad |= H5Fclose(out->file) < 0;
    perp_scene_release(memory, out->set);
    perp_scene_release(memory, out->batch);
    if (bad)
        errno = cause;
    return bad ? -1 : 0;
}

int perp_scene_hdf5(const char *dir, perp_scene *scene, const double *rows, int count, int contacts,
                    char *text, size_t size)
{
    FILE *csv = fopen(perp_scene_join(dir, "series.csv").text, "rb"), *table = NULL;
    H5E_auto2_t report = NULL;
    void *report_data = NULL;
    tables out;
    int bad, starved;

    memset(&out, 0, sizeof out);
    out.scene = scene;
    out.record = &scene->record;
    out.rows = (hsize_t)count;
    out.columns = perp_recorder_columns(scene->record.recorder);
    if (csv == NULL) {
        snprintf(text, size, "series.csv: %s", strerror(errno));
        return -1;
    }
    if (contacts && (table = fopen(perp_scene_join(dir, "contacts.csv").text, "rb")) == NULL) {
        snprintf(text, size, "contacts.csv: %s", strerror(errno));
        fclose(csv);
        return -1;
    }
    H5Eget_auto2(H5E_DEFAULT, &report, &report_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    bad = convert(&out, rows, csv, table, dir);
    starved = bad && errno == ENOMEM;
    H5Eset_auto2(H5E_DEFAULT, report, report_data);
    fclose(csv);
    if (table != NULL)
        fclose(table);
    if (bad || perp_scene_publish(dir, "series.h5") != 0) {
        remove(perp_scene_join(dir, "series.h5.part").text);
        snprintf(text, size, "series.h5 cannot be written%s", starved ? ": no memory" : "");
        return starved ? -2 : -1;
    }
    return 0;
}
