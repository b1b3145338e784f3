/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/h5.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Deflate shrinks by at most 1032; anything beyond was never written. */
enum {
    PERP_H5_MOST_SHRUNK = 1100,
    PERP_H5_TYPE_BYTES = 16,
    PERP_H5_NAME = 160,
    PERP_H5_STRING = 1 << 20,
    PERP_H5_GROWTH = 1 << 20
};

static hid_t access_list(void)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
    H5Pset_file_locking(list, 1, 1); /* file systems without locks are no reason to fail */
#endif
    return list;
}

perp_status perp_h5_open(perp_h5 *h5, const char *path, perp_heap *work, perp_io_error *error)
{
    char text[PERP_IO_REASON];
    *h5 = (perp_h5){.path = path, .work = work, .error = error};
    hid_t list = access_list();
    h5->file = H5Fopen(path, H5F_ACC_RDONLY, list);
    H5Pclose(list);
    if (h5->file >= 0)
        return PERP_SOLVED;
    FILE *file = fopen(path, "rb");
    if (!file)
        return perp_h5_fail(h5, PERP_ERR_OPEN, NULL, "%s",
                            perp_io_reason(text, "cannot be opened"));
    fclose(file);
    return perp_h5_fail(h5, PERP_ERR_FORMAT, NULL, "HDF5 cannot open it");
}

/* In memory until perp_h5_save(): HDF5 1.10 cannot close a file that it cannot write, and then the
 * process dies at its end. */
perp_status perp_h5_create(perp_h5 *h5, const char *path, perp_heap *work, perp_io_error *error)
{
    *h5 = (perp_h5){.path = path, .work = work, .error = error};
    hid_t list = access_list();
    h5->file = -1;
    if (H5Pset_fapl_core(list, PERP_H5_GROWTH, 0) >= 0)
        h5->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list);
    H5Pclose(list);
    if (h5->file < 0)
        return perp_h5_fail(h5, PERP_ERR_OPEN, NULL, "HDF5 cannot create it");
    return PERP_SOLVED;
}

perp_status perp_h5_save(perp_h5 *h5, const char *place)
{
    char text[PERP_IO_REASON];
    if (h5->status)
        return h5->status;
    ssize_t bytes =
        H5Fflush(h5->file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(h5->file, NULL, 0);
    char *image = bytes > 0 ? PERP_HEAP_TAKE(h5->work, char, bytes) : NULL;
    if (bytes <= 0 || !image || H5Fget_file_image(h5->file, image, (size_t)bytes) != bytes)
        return perp_h5_fail(h5, PERP_ERR_MEMORY, NULL, "no memory for its bytes");
    FILE *file = fopen(place, "wb");
    int bad = !file || fwrite(image, 1, (size_t)bytes, file) != (size_t)bytes;
    perp_io_reason(text, "cannot be written");
    if (file && fclose(file) != 0 && !bad) {
        perp_io_reason(text, "cannot be written");
        bad = 1;
    }
    return bad ? perp_h5_fail(h5, PERP_ERR_OPEN, NULL, "%s", text) : PERP_SOLVED;
}

perp_status perp_h5_close(perp_h5 *h5)
{
    if (h5->file >= 0 && H5Fclose(h5->file) < 0)
        perp_h5_fail(h5, PERP_ERR_OPEN, NULL, "HDF5 cannot close it");
    h5->file = -1;
    return h5->status;
}

perp_status perp_h5_fail(perp_h5 *h5, perp_status status, const char *name, const char *format, ...)
{
    if (h5->status)
        return h5->status;
    h5->status = status;
    char message[160];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return perp_io_fail(h5->error, status, h5->path, 0, "%s%s%s", name ? name : "",
                        name ? ": " : "", message);
}

/* From the root on: HDF5 looks for nothing in a group that is not there. */
int perp_h5_has(perp_h5 *h5, const char *name)
{
    char part[PERP_H5_NAME];
    for (const char *end = name; end && !h5->status;) {
        end = strchr(end + 1, '/');
        snprintf(part, sizeof part, "%.*s", end ? (int)(end - name) : PERP_H5_NAME - 1, name);
        htri_t there = H5Lexists(h5->file, part, H5P_DEFAULT);
        if (there > 0)
            there = H5Oexists_by_name(h5->file, part, H5P_DEFAULT);
        if (there < 0)
            perp_h5_fail(h5, PERP_ERR_FORMAT, name, "HDF5 cannot look for it");
        if (there <= 0)
            return 0;
    }
    return !h5->status;
}

int perp_h5_holds(perp_h5 *h5, hid_t set, hsize_t points, size_t bytes)
{
    hsize_t stored = H5Dget_storage_size(set), whole = 0;
    H5Fget_filesize(h5->file, &whole);
    return stored <= whole && points / PERP_H5_MOST_SHRUNK <= stored / bytes + 1 &&
           points * bytes / PERP_H5_MOST_SHRUNK <= stored && (points == 0 || stored > 0);
}

/* Number of entries, after a look at rank and storage; -1 and an error. */
static int entries(perp_h5 *h5, hid_t set, const char *name)
{
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    hssize_t points = rank >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    size_t bytes = type >= 0 ? H5Tget_size(type) : 0;
    int is_null = space >= 0 && H5Sget_simple_extent_type(space) == H5S_NULL;
    H5Sclose(space);
    H5Tclose(type);
    if (rank < 0 || points < 0 || is_null || bytes == 0 || bytes > PERP_H5_TYPE_BYTES)
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "its shape or type cannot be read");
    else if (rank > 1)
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "its rank is %d, not 1", rank);
    else if (points > INT_MAX - 1)
        perp_h5_fail(h5, PERP_ERR_OVERFLOW, name, "more than 2^31-2 entries");
    else if (!perp_h5_holds(h5, set, (hsize_t)points, bytes))
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "the file does not hold its %d entries",
                     (int)points);
    return h5->status ? -1 : (int)points;
}

static hid_t open_set(perp_h5 *h5, const char *name)
{
    if (h5->status)
        return -1;
    if (!perp_h5_has(h5, name)) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "is missing");
        return -1;
    }
    hid_t set = H5Dopen2(h5->file, name, H5P_DEFAULT);
    if (set < 0)
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "is no dataset that can be opened");
    return set;
}

int perp_h5_count(perp_h5 *h5, const char *name)
{
    hid_t set = open_set(h5, name);
    int count = set >= 0 ? entries(h5, set, name) : 0;
    H5Dclose(set);
    return count < 0 ? 0 : count;
}

/* The set, opened, with the number of entries wanted and a numeric type. */
static hid_t open_numbers(perp_h5 *h5, const char *name, int count, int reals)
{
    hid_t set = open_set(h5, name);
    if (set < 0)
        return -1;
    int found = entries(h5, set, name);
    hid_t type = H5Dget_type(set);
    H5T_class_t cls = H5Tget_class(type);
    H5Tclose(type);
    if (!h5->status && cls != H5T_INTEGER && !(reals && cls == H5T_FLOAT))
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "holds no %s", reals ? "numbers" : "integers");
    if (!h5->status && found != count)
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "has %d entries, not %d", found, count);
    if (!h5->status)
        return set;
    H5Dclose(set);
    return -1;
}

static int is_plain_int(hid_t set)
{
    hid_t type = H5Dget_type(set);
    size_t bytes = H5Tget_size(type);
    int plain = bytes > 0 && bytes <= sizeof(int) && H5Tget_sign(type) == H5T_SGN_2;
    H5Tclose(type);
    return plain;
}

/* Wider or unsigned integers: HDF5 would clip what int cannot hold. */
static int *narrow(perp_h5 *h5, hid_t set, const char *name, int count, int *values)
{
    long long *wide = PERP_HEAP_TAKE(h5->work, long long, count);
    if (!wide) {
        perp_h5_fail(h5, PERP_ERR_MEMORY, name, "no memory");
        return NULL;
    }
    if (H5Dread(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide) < 0) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "cannot be read");
        return NULL;
    }
    for (int k = 0; k < count; k++) {
        if (wide[k] < INT_MIN || wide[k] > INT_MAX) {
            perp_h5_fail(h5, PERP_ERR_OVERFLOW, name, "entry %d is beyond the range of int", k);
            return NULL;
        }
        values[k] = (int)wide[k];
    }
    return values;
}

int *perp_h5_ints(perp_h5 *h5, const char *name, int count, perp_heap *heap)
{
    hid_t set = open_numbers(h5, name, count, 0);
    if (set < 0)
        return NULL;
    int *values = PERP_HEAP_TAKE(heap, int, count);
    if (!values)
        perp_h5_fail(h5, PERP_ERR_MEMORY, name, "no memory");
    else if (!is_plain_int(set))
        values = narrow(h5, set, name, count, values);
    else if (H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "cannot be read");
    H5Dclose(set);
    return h5->status ? NULL : values;
}

int perp_h5_int(perp_h5 *h5, const char *name, int lowest, int highest)
{
    const int *value = perp_h5_ints(h5, name, 1, h5->work);
    if (!value)
        return 0;
    if (*value < lowest || *value > highest) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "is %d, outside %d to %d", *value, lowest, highest);
        return 0;
    }
    return *value;
}

double *perp_h5_doubles(perp_h5 *h5, const char *name, int count, perp_heap *heap)
{
    hid_t set = open_numbers(h5, name, count, 1);
    if (set < 0)
        return NULL;
    double *values = PERP_HEAP_TAKE(heap, double, count);
    if (!values)
        perp_h5_fail(h5, PERP_ERR_MEMORY, name, "no memory");
    else if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "cannot be read");
    H5Dclose(set);
    for (int k = 0; k < count && !h5->status; k++)
        if (!isfinite(values[k]))
            perp_h5_fail(h5, PERP_ERR_NONFINITE, name, "entry %d is a NaN or an infinity", k);
    return h5->status ? NULL : values;
}

void perp_h5_string(perp_h5 *h5, const char *name, char *text, size_t size)
{
    text[0] = '\0';
    if (!perp_h5_has(h5, name))
        return;
    hid_t set = H5Dopen2(h5->file, name, H5P_DEFAULT);
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    size_t bytes = H5Tget_size(type);
    H5T_class_t cls = H5Tget_class(type);
    htri_t variable = cls == H5T_STRING ? H5Tis_variable_str(type) : 0;
    hssize_t points = H5Sget_simple_extent_npoints(space);
    int known = cls != H5T_NO_CLASS && bytes > 0 && variable >= 0 && points >= 0;
    int usable = known && cls == H5T_STRING && !variable && bytes < PERP_H5_STRING && points == 1;
    char *raw = usable ? PERP_HEAP_ZERO(h5->work, char, bytes) : NULL;
    if (!known || (raw && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) < 0)) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, name, "cannot be read");
    } else if (usable && !raw) {
        perp_h5_fail(h5, PERP_ERR_MEMORY, name, "no memory");
    } else if (usable) {
        size_t k = 0;
        for (; k < bytes && k < size - 1 && raw[k]; k++)
            text[k] = (unsigned char)raw[k] < ' ' || raw[k] == 127 ? ' ' : raw[k];
        text[k] = '\0';
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}
