/* SPDX-License-Identifier: BSD-3-Clause */
#include <perp/base.h>

#define PERP_TEXT(x) #x
#define PERP_VERSION_TEXT(major, minor, patch)                                                     \
    PERP_TEXT(major) "." PERP_TEXT(minor) "." PERP_TEXT(patch)

const char *perp_version(void)
{
    return PERP_VERSION_TEXT(PERP_VERSION_MAJOR, PERP_VERSION_MINOR, PERP_VERSION_PATCH);
}

int perp_version_num(void)
{
    return PERP_VERSION_NUM;
}

const char *perp_status_name(perp_status status)
{
    switch (status) {
#define PERP_STATUS_CASE(name, value, text)                                                        \
    case name:                                                                                     \
        return #name;
        PERP_STATUS_LIST(PERP_STATUS_CASE)
#undef PERP_STATUS_CASE
    }
    return "PERP_UNKNOWN";
}

const char *perp_status_text(perp_status status)
{
    switch (status) {
#define PERP_STATUS_CASE(name, value, text)                                                        \
    case name:                                                                                     \
        return text;
        PERP_STATUS_LIST(PERP_STATUS_CASE)
#undef PERP_STATUS_CASE
    }
    return "not a status of Perp";
}
