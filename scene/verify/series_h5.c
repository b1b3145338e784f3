/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/verify/series_h5.h"

#include <hdf5.h>
#include <limits.h>
#include <string.h>

#include "scene/verify/hdf5_silence.h"

enum { BATCH = 512 };              /* rows held at a time, at most */
enum { NUMBERS_OF_A_BYTE = 150 }; /* a file that is packed as well as deflate can holds fewer */

typedef struct table {
    hid_t set;
    int first, entries; /* its columns */
} table;

struct perp_verify_h5 {
    hid_t file;
    table *tables; /* the time first */
    int ntables, tables_capacity, columns;
    char **names;
    long rows, first; /* first: of those held; -1: none are */
    double unpaid;    /* numbers that the file may still promise */
    hsize_t batch_rows;
    double *batch, *packed;
};

static int bad_file(perp_verification *v, const char *what)
{
    return perp_verify_fail(v, PERP_ERR_FORMAT, "%.400s/series.h5: %s", v->folder, what);
}

/* Space of a dataset that was never written costs nothing in a file: what is read, or held, is bounded
 * by what the file has. */
static int paid_for(perp_verify_h5 *h5, const hsize_t *extent)
{
    h5->unpaid -= (double)(extent[0] > 0 ? extent[0] : 1) * (double)extent[1];
    return h5->unpaid >= 0.0 && extent[1] <= (hsize_t)(INT_MAX - h5->columns);
}

/* One dataset: rows, or rows x entries. */
static int add_table(perp_verification *v, const char *label)
{
    perp_verify_h5 *h5 = v->h5;
    hsize_t extent[2] = {0, 1};
    hid_t set = H5Dopen2(h5->file, label, H5P_DEFAULT), space = set < 0 ? -1 : H5Dget_space(set);
    int rank = space < 0 ? 0 : H5Sget_simple_extent_ndims(space);

    if ((rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, extent, NULL) < 0)
        rank = 0;
    if (space >= 0)
        H5Sclose(space);
    if (set < 0 || rank < 1 || rank > 2 || extent[1] < 1 ||
        (h5->ntables > 0 && extent[0] != (hsize_t)h5->rows)) {
        if (set >= 0)
            H5Dclose(set);
        return bad_file(v, "its datasets are no columns of one length");
    }
    if (!paid_for(h5, extent)) {
        H5Dclose(set);
        return bad_file(v, "its datasets are larger than the file");
    }
    h5->rows = (long)extent[0];
    h5->tables[h5->ntables++] = (table){set, h5->columns, (int)extent[1]};
    h5->columns += (int)extent[1];
    return 0;
}

static int name_columns(perp_verification *v, const table *t, const char *label)
{
    perp_verify_h5 *h5 = v->h5;

    for (int i = 0; i < t->entries; i++) {
        char *name = perp_verify_take(v, strlen(label) + 16, 1);
        if (name == NULL)
            return -1;
        if (t->entries == 1)
            strcpy(name, label);
        else
            snprintf(name, strlen(label) + 16, "%s[%d]", label, i);
        h5->names[t->first + i] = name;
    }
    return 0;
}

/* Columns among the links of the file, which are asked for by their number in the order of names; not
 * the time, nor groups: they hold the contacts and the scene.  -1: not known. */
static int label_of(char *label, size_t size, const perp_verify_h5 *h5, hsize_t k)
{
    if (H5Lget_name_by_idx(h5->file, ".", H5_INDEX_NAME, H5_ITER_INC, k, label, size,
                           H5P_DEFAULT) <= 0)
        return -1;
    if (strcmp(label, "t") == 0)
        return 0;
    hid_t at = H5Oopen(h5->file, label, H5P_DEFAULT);
    H5I_type_t type = at < 0 ? H5I_BADID : H5Iget_type(at);

    if (at >= 0)
        H5Oclose(at);
    return type == H5I_BADID ? -1 : type != H5I_GROUP;
}

static int read_tables(perp_verification *v)
{
    perp_verify_h5 *h5 = v->h5;
    H5G_info_t group;
    hsize_t bytes = 0;
    char label[512];

    if (H5Gget_info(h5->file, &group) < 0 || H5Fget_filesize(h5->file, &bytes) < 0)
        return bad_file(v, "it has no datasets");
    h5->unpaid = NUMBERS_OF_A_BYTE * (double)bytes;
    h5->tables = perp_verify_take(v, (size_t)group.nlinks + 1, sizeof *h5->tables);
    if (h5->tables == NULL || add_table(v, "t") != 0)
        return -1;
    for (hsize_t k = 0; k < group.nlinks; k++) {
        int column = label_of(label, sizeof label, h5, k);
        if (column < 0)
            return bad_file(v, "what it holds cannot be named");
        if (column > 0 && add_table(v, label) != 0)
            return -1;
    }
    h5->names = perp_verify_take(v, (size_t)h5->columns, sizeof *h5->names);
    h5->batch_rows = h5->rows < BATCH ? (hsize_t)h5->rows : BATCH;
    size_t entries = (size_t)h5->columns * (size_t)h5->batch_rows;
    h5->batch = perp_verify_take(v, entries, sizeof *h5->batch);
    h5->packed = perp_verify_take(v, entries, sizeof *h5->packed);
    if (h5->names == NULL || h5->batch == NULL || h5->packed == NULL ||
        name_columns(v, &h5->tables[0], "t") != 0)
        return -1;
    int at = 1;
    for (hsize_t k = 0; k < group.nlinks && at < h5->ntables; k++)
        if (label_of(label, sizeof label, h5, k) > 0 &&
            name_columns(v, &h5->tables[at++], label) != 0)
            return -1;
    return at == h5->ntables ? 0 : bad_file(v, "what it holds cannot be named");
}

int perp_verify_h5_open(perp_verification *v)
{
    char path[4200];
    perp_verify_silence before;
    FILE *there;
    int bad;

    snprintf(path, sizeof path, "%.4000s/series.h5", v->folder);
    if (perp_verify_open(v, &there, "series.h5") != 0)
        return -1;
    if (there == NULL)
        return 0;
    fclose(there);
    v->h5 = perp_verify_take(v, 1, sizeof *v->h5);
    if (v->h5 == NULL)
        return -1;
    v->h5->first = -1;
    before = perp_verify_be_silent();
    v->h5->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bad = v->h5->file < 0 ? bad_file(v, "it is no HDF5 file") : read_tables(v);
    perp_verify_speak_again(&before);
    return bad ? -1 : 1;
}

void perp_verify_h5_close(perp_verification *v)
{
    if (v->h5 == NULL)
        return;
    for (int k = 0; k < v->h5->ntables; k++)
        H5Dclose(v->h5->tables[k].set);
    if (v->h5->file >= 0)
        H5Fclose(v->h5->file);
    v->h5 = NULL;
}

int perp_verify_has_h5(void)
{
    return 1;
}

int perp_verify_h5_columns(const perp_verify_h5 *h5)
{
    return h5->columns;
}

const char *perp_verify_h5_name(const perp_verify_h5 *h5, int k)
{
    return h5->names[k];
}

long perp_verify_h5_rows(const perp_verify_h5 *h5)
{
    return h5->rows;
}

static int fill_batch(perp_verify_h5 *h5, long first)
{
    hsize_t left = (hsize_t)(h5->rows - first), count = left < h5->batch_rows ? left : h5->batch_rows;

    for (int k = 0; k < h5->ntables; k++) {
        const table *t = &h5->tables[k];
        hsize_t start[2] = {(hsize_t)first, 0}, extent[2] = {count, (hsize_t)t->entries};
        hid_t from = H5Dget_space(t->set);
        hid_t to = H5Screate_simple(H5Sget_simple_extent_ndims(from), extent, NULL);
        int bad = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, extent, NULL) < 0 ||
                  H5Dread(t->set, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, h5->packed) < 0;
        H5Sclose(from);
        H5Sclose(to);
        if (bad)
            return -1;
        for (hsize_t row = 0; row < count; row++)
            memcpy(h5->batch + row * (hsize_t)h5->columns + t->first,
                   h5->packed + row * (hsize_t)t->entries, (size_t)t->entries * sizeof *h5->packed);
    }
    h5->first = first;
    return 0;
}

const double *perp_verify_h5_row(perp_verification *v, long row)
{
    perp_verify_h5 *h5 = v->h5;
    int held = h5->first >= 0 && row >= h5->first && row < h5->first + BATCH;

    if (!held) {
        perp_verify_silence before = perp_verify_be_silent();
        int bad = fill_batch(h5, row - row % BATCH) != 0;
        perp_verify_speak_again(&before);
        if (bad) {
            bad_file(v, "its numbers cannot be read");
            return NULL;
        }
    }
    return h5->batch + (size_t)(row - h5->first) * (size_t)h5->columns;
}
