/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference trajectories of ../shared/data/trajectories, column by column; skipped where that
 * folder is absent.  PERP_TRAJECTORY_TABLE names a file for the table of differences. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/kernel/trajectories/reference.h"

static void begin_table(void)
{
    const char *path = getenv("PERP_TRAJECTORY_TABLE");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file)
        fclose(file);
}

int main(void)
{
    TCase *(*const families[])(void) = {
        trajectories_circuits,   trajectories_relays, trajectories_balls, trajectories_variants,
        trajectories_structures, trajectories_bodies, trajectories_events};
    begin_table();
    Suite *suite = suite_create("trajectories");
    for (size_t k = 0; k < sizeof families / sizeof families[0]; k++)
        suite_add_tcase(suite, families[k]());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
