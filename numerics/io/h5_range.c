/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of datasets. */
#include <limits.h>
#include <math.h>

#include "io/h5.h"

static hid_t open_vector(perp_h5 *h5, const char *name, hsize_t *length)
{
    hid_t set = -1;
    *length = 0;
    if (h5->status)
        return -1;
    if (!perp_h5_has(h5, name) || (set = H5Dopen2(h5->file, name, H5P_DEFAULT)) < 0) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "is missing");
        return -1;
    }
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    H5T_class_t cls = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    size_t bytes = type >= 0 ? H5Tget_size(type) : 0;
    if (H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, length, NULL) != 1 ||
        (cls != H5T_INTEGER && cls != H5T_FLOAT) || bytes == 0 || *length > LLONG_MAX / 16)
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "is no vector of numbers");
    else if (!perp_h5_holds(h5, set, *length, bytes))
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "the file does not hold its %lld entries",
                     (long long)*length);
    H5Tclose(type);
    H5Sclose(space);
    if (!h5->status)
        return set;
    H5Dclose(set);
    return -1;
}

long long perp_h5_length(perp_h5 *h5, const char *name)
{
    hsize_t length;
    hid_t set = open_vector(h5, name, &length);
    if (set >= 0)
        H5Dclose(set);
    return set >= 0 ? (long long)length : 0;
}

/* The set, opened, of which there are so many entries; memory is taken for them after that. */
static hid_t open_range(perp_h5 *h5, const char *name, long long from, int count)
{
    hsize_t length;
    hid_t set = open_vector(h5, name, &length);
    if (set < 0)
        return -1;
    if (from >= 0 && count >= 0 && from <= (long long)length && count <= (long long)length - from)
        return set;
    perp_h5_fail(h5, PERP_ERR_FORMAT, name, "has %lld entries, and %d from %lld on are wanted",
                 (long long)length, count, from);
    H5Dclose(set);
    return -1;
}

/* Closes the set; 0 after an error. */
static int read_range(perp_h5 *h5, hid_t set, const char *name, long long from, int count,
                      hid_t type, void *values)
{
    hsize_t start = (hsize_t)from, n = (hsize_t)count;
    if (!values)
        perp_h5_fail(h5, PERP_ERR_MEMORY, name, "no memory");
    if (values && count > 0) {
        hid_t file = H5Dget_space(set), memory = H5Screate_simple(1, &n, NULL);
        if (H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, NULL, &n, NULL) < 0 ||
            H5Dread(set, type, memory, file, H5P_DEFAULT, values) < 0)
            perp_h5_fail(h5, PERP_ERR_FORMAT, name, "cannot be read");
        H5Sclose(memory);
        H5Sclose(file);
    }
    H5Dclose(set);
    return !h5->status;
}

int *perp_h5_some_ints(perp_h5 *h5, const char *name, long long from, int count, perp_heap *heap)
{
    hid_t set = open_range(h5, name, from, count);
    if (set < 0)
        return NULL;
    int *values = PERP_HEAP_TAKE(heap, int, count);
    long long *wide = values ? PERP_HEAP_TAKE(h5->work, long long, count) : NULL;
    if (!read_range(h5, set, name, from, count, H5T_NATIVE_LLONG, wide))
        return NULL;
    for (int k = 0; k < count; k++) {
        if (wide[k] < INT_MIN || wide[k] > INT_MAX) {
            perp_h5_fail(h5, PERP_ERR_OVERFLOW, name, "entry %lld is beyond the range of int",
                         from + k);
            return NULL;
        }
        values[k] = (int)wide[k];
    }
    return values;
}

double *perp_h5_some_doubles(perp_h5 *h5, const char *name, long long from, int count,
                             perp_heap *heap)
{
    hid_t set = open_range(h5, name, from, count);
    if (set < 0)
        return NULL;
    double *values = PERP_HEAP_TAKE(heap, double, count);
    if (!read_range(h5, set, name, from, count, H5T_NATIVE_DOUBLE, values))
        return NULL;
    for (int k = 0; k < count && !h5->status; k++)
        if (!isfinite(values[k]))
            perp_h5_fail(h5, PERP_ERR_NONFINITE, name, "entry %lld is a NaN or an infinity",
                         from + k);
    return h5->status ? NULL : values;
}
