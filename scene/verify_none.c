/* SPDX-License-Identifier: BSD-3-Clause */
/* The verification in a build without jansson. */
#include <perp/verify.h>

#include <stdio.h>

#include "scene/caller_struct.h"

perp_status perp_verify_folder(perp_verification **found, const char *folder,
                               const perp_allocator *allocator, perp_scene_error *error)
{
    perp_scene_error own = {.size = sizeof own};

    (void)folder, (void)allocator;
    if (found == NULL)
        return PERP_ERR_ARGUMENT;
    *found = NULL;
    snprintf(own.text, sizeof own.text,
             "this build reads no scenes: it was configured without jansson (Debian: "
             "libjansson-dev)");
    if (error != NULL)
        perp_scene_give(error, &own, sizeof own);
    return PERP_ERR_UNSUPPORTED;
}

void perp_verification_destroy(perp_verification *found)
{
    (void)found;
}

int perp_verification_holds(const perp_verification *found)
{
    (void)found;
    return 0;
}

long perp_verification_rows(const perp_verification *found)
{
    (void)found;
    return 0;
}

int perp_verification_first(const perp_verification *found)
{
    (void)found;
    return -1;
}

int perp_verification_checks(const perp_verification *found)
{
    (void)found;
    return 0;
}

perp_status perp_verification_check(const perp_verification *found, int k, perp_check *check)
{
    (void)found, (void)k, (void)check;
    return PERP_ERR_ARGUMENT;
}
