/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of settings that have gone. */
#include <stddef.h>
#include <string.h>

#include <perp/settings.h>

#define PERP_RENAMED(old, now)                                                                     \
    {                                                                                              \
        old, "'" old "' is now '" now "'"                                                          \
    }
#define PERP_DROPPED(old)                                                                          \
    {                                                                                              \
        old, "'" old "' is no setting any more: auto takes a constant"                             \
    }
static const struct renamed {
    const char *name, *sentence;
} renamed[] = {
    PERP_RENAMED("outer_depth", "depth"),
    PERP_RENAMED("mixing", "depth"),
    PERP_RENAMED("over_relaxation", "relaxation"),
    PERP_DROPPED("cost_entry"),
    PERP_DROPPED("cost_block"),
    PERP_DROPPED("cost_flop"),
    PERP_DROPPED("cost_fill"),
    PERP_DROPPED("cost_analysis"),
};
#undef PERP_RENAMED
#undef PERP_DROPPED

const char *perp_setting_renamed(const char *name)
{
    for (size_t k = 0; name && k < sizeof renamed / sizeof renamed[0]; k++)
        if (strcmp(renamed[k].name, name) == 0)
            return renamed[k].sentence;
    return NULL;
}
