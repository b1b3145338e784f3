/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/campaign_file.h"

#include <errno.h>
#include <string.h>

#include "scene/files.h"

static void complain(const char *folder, const char *name)
{
    int kept = errno;
    fprintf(stderr, "perp bench: %s/%s: %s\n", folder, name, strerror(kept));
    errno = kept;
}

FILE *perp_bench_file_begin(const char *folder, const char *name)
{
    FILE *f = perp_scene_make_folder(folder) != 0 ? NULL : perp_scene_open(folder, name);
    if (f == NULL)
        complain(folder, name);
    return f;
}

int perp_bench_file_end(FILE *f, const char *folder, const char *name)
{
    if (perp_scene_close(f, folder, name) == 0)
        return 0;
    complain(folder, name);
    return -1;
}
