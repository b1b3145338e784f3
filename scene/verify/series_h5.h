/* SPDX-License-Identifier: BSD-3-Clause */
/* series.h5 of a run, row by row. */
#ifndef PERP_SCENE_VERIFY_SERIES_H5_H
#define PERP_SCENE_VERIFY_SERIES_H5_H

#include "scene/verify/verify_inside.h"

/* v->h5 where FOLDER/series.h5 is there: 1; there is none, or this build has no HDF5: 0; -1 with
 * the error. */
int perp_verify_h5_open(perp_verification *v);
void perp_verify_h5_close(perp_verification *v);
int perp_verify_has_h5(void); /* this build has HDF5 */
/* Columns by the names that the CSV file has, the time first. */
int perp_verify_h5_columns(const perp_verify_h5 *h5);
const char *perp_verify_h5_name(const perp_verify_h5 *h5, int k);
long perp_verify_h5_rows(const perp_verify_h5 *h5);
/* The numbers of a row, NULL where they cannot be read; rows are asked for in their order. */
const double *perp_verify_h5_row(perp_verification *v, long row);

#endif
