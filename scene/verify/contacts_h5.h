/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts of series.h5 beside contacts.csv. */
#ifndef PERP_SCENE_VERIFY_CONTACTS_H5_H
#define PERP_SCENE_VERIFY_CONTACTS_H5_H

#include "scene/verify/verify_inside.h"

/* v->contacts_h5 where FOLDER/series.h5 has contacts and contacts.csv has these names of columns,
 * as their line is; 0, -1 with the error.  Without HDF5: none. */
int perp_verify_contacts_h5_open(perp_verification *v, const char *names);
void perp_verify_contacts_h5_close(perp_verification *v);
/* The next line of contacts.csv against its row there: notes of the check of series.h5; -1 with the
 * error. */
int perp_verify_contacts_h5_next(perp_verification *v, const char *line);
/* After the last line. */
void perp_verify_contacts_h5_end(perp_verification *v);

#endif
