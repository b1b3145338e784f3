/* SPDX-License-Identifier: BSD-3-Clause */
#include "real_dumps.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int real_dump_path(char *path, size_t room, const char *name)
{
    const char *source = getenv("PERP_SOURCE");
    snprintf(path, room, "%s/../shared/data/problems/%s", source ? source : ".", name);
    return access(path, R_OK) == 0;
}

void real_dumps_each(const char *const *files, int count,
                     void (*check)(const char *file, const perp_problem *problem))
{
    char path[1024];
    for (int k = 0; k < count; k++) {
        perp_dump *dump;
        perp_problem problem;
        if (!real_dump_path(path, sizeof path, files[k]))
            continue;
        perp_status status = perp_dump_read(&dump, path, PERP_DUMP_AUTO, NULL, NULL);
        if (status == PERP_ERR_UNSUPPORTED) /* built without HDF5 */
            continue;
        ck_assert_msg(status == PERP_SOLVED, "%s", path);
        ck_assert_int_eq(perp_dump_problem(dump, &problem, NULL), 0);
        check(files[k], &problem);
        perp_dump_destroy(dump);
    }
}
