/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/hdf5_change.h"

#include "config.h"

#ifdef HAVE_HDF5
#include <hdf5.h>
#include <math.h>
#include <stdio.h>

enum { SETS = 64, NAME = 96, MOST = 4096 };

typedef struct names {
    char name[SETS][NAME];
    int count;
} names;

static herr_t note(hid_t group, const char *name, const H5O_info_t *info, void *ctx)
{
    names *n = ctx;
    (void)group;
    if (info->type == H5O_TYPE_DATASET && n->count < SETS)
        snprintf(n->name[n->count++], NAME, "%s", name);
    return 0;
}

static const double odd[] = {NAN,    INFINITY, -INFINITY, -1.0, 0.0, 1e308,
                             -1e308, 5e-324,   1e19,      0.5,  2.0, 3.0};
static const hsize_t lengths[] = {0, 1, 2, 3, 4, 9, 27, 65, 1000, 4000};

/* A dataset of this type and shape, with the old values where they fit, else with odd ones. */
static void put(hid_t file, const char *name, hid_t type, int rank, const hsize_t *shape,
                const double *old, int count, unsigned how)
{
    static double x[MOST];
    hsize_t most = 1;
    for (int k = 0; k < rank; k++)
        most *= shape[k];
    if (most > MOST)
        return;
    for (hsize_t k = 0; k < most; k++)
        x[k] = k < (hsize_t)count ? old[k] : odd[(k + how) % (sizeof odd / sizeof odd[0])];
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t space = rank == 0 ? H5Screate(how % 2 ? H5S_SCALAR : H5S_NULL)
                            : H5Screate_simple(rank, shape, NULL);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0 && rank > 0 && most > 0 && H5Tget_class(type) != H5T_STRING)
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    H5Dclose(set);
    H5Sclose(space);
}

static int old_values(hid_t file, const char *name, double *x, hsize_t *shape, int *rank,
                      hid_t *type)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set),
          own = H5Dget_type(set);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    *rank = H5Sget_simple_extent_dims(space, shape, NULL);
    *type = H5Tget_class(own) == H5T_INTEGER ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
    int fits = H5Tget_class(own) != H5T_STRING && count >= 0 && count <= MOST && *rank >= 0 &&
               *rank < 4 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
    H5Tclose(own);
    H5Sclose(space);
    H5Dclose(set);
    return fits ? (int)count : -1;
}

static void change(hid_t file, const char *name, const uint8_t *byte)
{
    static double x[MOST];
    hsize_t shape[4] = {1, 1, 1, 1};
    int rank = 0;
    hid_t type, text = -1;
    unsigned how = byte[2] + 256u * byte[3];
    int count = old_values(file, name, x, shape, &rank, &type);
    if (count < 0)
        return;
    switch (byte[1] % 6) {
    case 0:
        H5Ldelete(file, name, H5P_DEFAULT);
        return;
    case 1: /* shape */
        rank = byte[2] % 4;
        for (int k = 0; k < rank; k++)
            shape[k] = lengths[(byte[3] + 3u * (unsigned)k) % (sizeof lengths / sizeof lengths[0])];
        put(file, name, type, rank, shape, x, count, how);
        return;
    case 2: { /* type */
        const hid_t types[] = {H5T_NATIVE_INT,   H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT,
                               H5T_NATIVE_LLONG, H5T_NATIVE_CHAR,   H5T_STD_I32BE,
                               H5T_IEEE_F64BE};
        text = byte[2] % 8 == 7 ? H5Tcopy(H5T_C_S1) : -1;
        put(file, name, text >= 0 ? text : types[byte[2] % 8], rank, shape, x, count, how);
        if (text >= 0)
            H5Tclose(text);
        return;
    }
    case 3: /* one value */
        if (count > 0)
            x[byte[2] % count] = odd[byte[3] % (sizeof odd / sizeof odd[0])];
        break;
    case 4: /* all values: shifted, turned, scaled */
        for (int k = 0; k < count; k++)
            x[k] = byte[2] % 3 == 0   ? x[k] + byte[3] - 128
                   : byte[2] % 3 == 1 ? -x[k]
                                      : x[k] * byte[3];
        break;
    default: /* one longer or shorter */
        if (rank > 0)
            shape[0] = byte[2] % 2 ? shape[0] + 1 : shape[0] - (shape[0] > 0);
        break;
    }
    put(file, name, type, rank, shape, x, count, how);
}

void fuzz_hdf5_change(const char *path, const uint8_t *data, size_t size)
{
    static names n;
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    for (size_t at = 0; file >= 0 && at + 4 <= size && at < 40; at += 4) {
        n.count = 0;
        H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, note, &n);
        if (n.count > 0)
            change(file, n.name[data[at] % n.count], data + at);
    }
    if (file >= 0)
        H5Fclose(file);
}
#endif
