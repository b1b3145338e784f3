/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of whole datasets of an HDF5 file. */
#ifndef PERP_TESTS_FUZZ_HDF5_CHANGE_H
#define PERP_TESTS_FUZZ_HDF5_CHANGE_H

#include <stddef.h>
#include <stdint.h>

/* Each four bytes, ten times at most: dataset, kind of change, and two for how. */
void fuzz_hdf5_change(const char *path, const uint8_t *data, size_t size);

#endif
