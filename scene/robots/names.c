/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/names.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 100 };

const char *perp_robot_new_name(perp_robot_names *names, const char *wanted)
{
    char plain[LONGEST + 1], tried[LONGEST + 24];
    const char *made;
    size_t length = 0;

    if (wanted == NULL)
        return NULL;
    for (const char *c = wanted; *c != '\0' && length < LONGEST - 12; c++)
        plain[length++] = strchr(".[], \t\r\n\"'/\\|%", *c) != NULL || (unsigned char)*c < 33 ||
                                  (unsigned char)*c > 126
                              ? '_'
                              : *c;
    plain[length] = '\0';
    if (length == 0)
        snprintf(plain, sizeof plain, "part");
    snprintf(tried, sizeof tried, "%s", plain);
    for (int k = 2; perp_name_index_find(&names->used, tried) >= 0; k++) {
        if (k == 2 && perp_name_index_find(&names->used, plain) >= k)
            k = perp_name_index_find(&names->used, plain) + 1;
        snprintf(tried, sizeof tried, "%s-%d", plain, k);
        perp_name_index_set(&names->used, plain, k);
    }
    made = perp_robot_text(names->job, "%s", tried);
    return made != NULL && perp_name_index_put(&names->used, names->job, made, 0) == 0 ? made
                                                                                       : NULL;
}
