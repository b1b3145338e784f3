/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the command: the call of HDF5 by Perp that PERP_FAIL_HDF5 counts to fails, once;
 * what closes something closes it all the same. The functions have whole numbers and pointers
 * alone, up to eight, which are handed on as they lie in registers and on the stack. */
#define _GNU_SOURCE
#include "tests/torture/failing_place.h"

__attribute__((constructor)) static void begin(void)
{
    place_begin("PERP_FAIL_HDF5");
}

typedef long (*hdf5_call)(long, long, long, long, long, long, long, long);
#define GOES_ON(name) ((hdf5_call)(uintptr_t)dlsym(RTLD_NEXT, #name))(a, b, c, d, e, f, g, h)
#define FAILS_WITH(number, name)                                                                   \
    long name(long a, long b, long c, long d, long e, long f, long g, long h);                     \
    long name(long a, long b, long c, long d, long e, long f, long g, long h)                      \
    {                                                                                              \
        return place_fails() ? (number) : GOES_ON(name);                                           \
    }
#define CAN_FAIL(name) FAILS_WITH(-1, name)
#define CLOSES(name)                                                                               \
    long name(long a, long b, long c, long d, long e, long f, long g, long h);                     \
    long name(long a, long b, long c, long d, long e, long f, long g, long h)                      \
    {                                                                                              \
        int refused = place_fails();                                                               \
        long how = GOES_ON(name);                                                                  \
        return refused ? -1 : how;                                                                 \
    }

FAILS_WITH(0, H5Dget_storage_size)
FAILS_WITH(0, H5Tget_size)

CAN_FAIL(H5Acreate2)
CAN_FAIL(H5Aget_space)
CAN_FAIL(H5Aget_type)
CAN_FAIL(H5Aopen_by_name)
CAN_FAIL(H5Aread)
CAN_FAIL(H5Awrite)
CAN_FAIL(H5Dcreate2)
CAN_FAIL(H5Dget_space)
CAN_FAIL(H5Dget_type)
CAN_FAIL(H5Dopen2)
CAN_FAIL(H5Dread)
CAN_FAIL(H5Dwrite)
CAN_FAIL(H5Fcreate)
CAN_FAIL(H5Fflush)
CAN_FAIL(H5Fget_file_image)
CAN_FAIL(H5Fget_filesize)
CAN_FAIL(H5Fopen)
CAN_FAIL(H5Gcreate2)
CAN_FAIL(H5Gget_info)
CAN_FAIL(H5Iget_type)
CAN_FAIL(H5Ldelete)
CAN_FAIL(H5Lexists)
CAN_FAIL(H5Lget_name_by_idx)
CAN_FAIL(H5Oexists_by_name)
CAN_FAIL(H5Oopen)
CAN_FAIL(H5Pcreate)
CAN_FAIL(H5Pset_fapl_core)
CAN_FAIL(H5Pset_fclose_degree)
CAN_FAIL(H5Pset_file_locking)
CAN_FAIL(H5Pset_obj_track_times)
CAN_FAIL(H5Screate)
CAN_FAIL(H5Screate_simple)
CAN_FAIL(H5Sget_simple_extent_dims)
CAN_FAIL(H5Sget_simple_extent_ndims)
CAN_FAIL(H5Sget_simple_extent_npoints)
CAN_FAIL(H5Sget_simple_extent_type)
CAN_FAIL(H5Sselect_hyperslab)
CAN_FAIL(H5Tcopy)
CAN_FAIL(H5Tget_class)
CAN_FAIL(H5Tget_sign)
CAN_FAIL(H5Tis_variable_str)
CAN_FAIL(H5Tset_cset)
CAN_FAIL(H5Tset_size)

CLOSES(H5Aclose)
CLOSES(H5Dclose)
CLOSES(H5Fclose)
CLOSES(H5Gclose)
CLOSES(H5Oclose)
CLOSES(H5Pclose)
CLOSES(H5Sclose)
CLOSES(H5Tclose)
