/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of perp_settings as a table. */
#ifndef PERP_CORE_SETTING_FIELD_H
#define PERP_CORE_SETTING_FIELD_H

#include <perp/settings.h>

typedef struct perp_setting_field {
    perp_setting_info info;
    size_t offset;
} perp_setting_field;

/* NULL past the end; the first seven are those common to all solvers. */
const perp_setting_field *perp_setting_field_at(int k);
enum { PERP_COMMON_SETTINGS = 7 };

double perp_setting_value(const perp_settings *settings, const perp_setting_field *field);

#endif
