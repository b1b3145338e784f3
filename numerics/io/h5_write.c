/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/h5.h"

#include <string.h>

void perp_h5_put_group(perp_h5 *h5, const char *name)
{
    if (h5->status)
        return;
    hid_t group = H5Gcreate2(h5->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0 || H5Gclose(group) < 0)
        perp_h5_fail(h5, PERP_ERR_OPEN, name, "cannot be written");
}

/* Without time stamps, so that the same data gives the same bytes. */
static void put(perp_h5 *h5, const char *name, hid_t file_type, hid_t type, hid_t space,
                const void *values)
{
    if (h5->status)
        return;
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = -1;
    if (H5Pset_obj_track_times(list, 0) >= 0)
        set = H5Dcreate2(h5->file, name, file_type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    int bad = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
    H5Pclose(list);
    if (set < 0 || H5Dclose(set) < 0 || bad)
        perp_h5_fail(h5, PERP_ERR_OPEN, name, "cannot be written");
}

static void put_list(perp_h5 *h5, const char *name, hid_t file_type, hid_t type, const void *values,
                     int count)
{
    hsize_t extent = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &extent, NULL);
    put(h5, name, file_type, type, space, values);
    H5Sclose(space);
}

void perp_h5_put_ints(perp_h5 *h5, const char *name, const int *values, int count)
{
    put_list(h5, name, H5T_STD_I32LE, H5T_NATIVE_INT, values, count);
}

void perp_h5_put_doubles(perp_h5 *h5, const char *name, const double *values, int count)
{
    put_list(h5, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, count);
}

void perp_h5_put_string(perp_h5 *h5, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    if (H5Tset_size(type, strlen(text) + 1) < 0)
        perp_h5_fail(h5, PERP_ERR_OPEN, name, "cannot be written");
    put(h5, name, type, type, space, text);
    H5Sclose(space);
    H5Tclose(type);
}
