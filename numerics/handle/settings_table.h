/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings as a table, and settings of callers that are older or newer than the library. */
#ifndef PERP_HANDLE_SETTINGS_TABLE_H
#define PERP_HANDLE_SETTINGS_TABLE_H

#include "core/option_table.h"

extern const perp_option_table perp_settings_table;

/* The first of the table are read for every solver. */
enum { PERP_COMMON_SETTINGS = 8 };

/* *own: the caller's settings, checked, with defaults for what they do not have.  callers NULL:
 * defaults.  PERP_ERR_SETTING names the setting in *where (may be NULL); *own is undefined then. */
perp_status perp_settings_read(perp_settings *own, const perp_settings *callers, perp_where *where);
/* The same where *before was read already: what is as there is not looked at again.  *method: a
 * setting beyond the common ones may differ. */
perp_status perp_settings_read_next(perp_settings *own, const perp_settings *before,
                                    const perp_settings *callers, int *method, perp_where *where);

#endif
