/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/names.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 100 };

static size_t slot_of(const perp_robot_names *names, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

    for (const char *c = name; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    size_t slot = (size_t)(hash & (names->room - 1));
    while (names->name[slot] != NULL && strcmp(names->name[slot], name) != 0)
        slot = (slot + 1) & (names->room - 1);
    return slot;
}

static int grow(perp_robot_names *names)
{
    const char **old = names->name;
    size_t room = names->room;

    names->room = room > 0 ? 2 * room : 256;
    names->name = perp_robot_take(names->job, names->room, sizeof *names->name);
    if (names->name == NULL)
        return -1;
    for (size_t k = 0; k < room; k++)
        if (old[k] != NULL)
            names->name[slot_of(names, old[k])] = old[k];
    return 0;
}

const char *perp_robot_new_name(perp_robot_names *names, const char *wanted)
{
    char plain[LONGEST + 1], tried[LONGEST + 24];
    size_t slot, length = 0;

    if (2 * (names->count + 1) > names->room && grow(names) != 0)
        return NULL;
    for (const char *c = wanted; *c != '\0' && length < LONGEST - 12; c++)
        plain[length++] = strchr(".[], \t\r\n\"'/\\|%", *c) != NULL || (unsigned char)*c < 33 ||
                                  (unsigned char)*c > 126
                              ? '_'
                              : *c;
    plain[length] = '\0';
    snprintf(tried, sizeof tried, "%s", length > 0 ? plain : "part");
    for (int k = 2; names->name[slot = slot_of(names, tried)] != NULL; k++)
        snprintf(tried, sizeof tried, "%s-%d", plain, k);
    names->count++;
    return names->name[slot] = perp_robot_text(names->job, "%s", tried);
}
