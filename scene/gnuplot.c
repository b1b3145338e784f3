/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scene/files.h"

extern char **environ;

static int run(const char *folder, const char *script)
{
    char *argv[] = {(char *)"sh",
                    (char *)"-c",
                    (char *)"cd \"$0\" && command -v gnuplot >/dev/null || exit 127; "
                            "exec gnuplot \"$1\" 2>/dev/null",
                    (char *)folder,
                    (char *)script,
                    NULL};
    pid_t child;
    int status = 0;

    if (posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ) != 0)
        return 1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? 1 : -1;
}

int perp_scene_gnuplot(const char *folder, const char *script, const char *const *picture,
                       int count)
{
    int how;

    /* gnuplot would follow a link of that name. */
    for (int k = 0; k < count; k++) {
        char part[256];
        snprintf(part, sizeof part, "%s.part", picture[k]);
        unlink(perp_scene_join(folder, part).text);
    }
    how = run(folder, script);
    for (int k = 0; k < count; k++) {
        char part[256];
        if (how == 0 && perp_scene_publish(folder, picture[k]) != 0)
            how = -1;
        snprintf(part, sizeof part, "%s.part", picture[k]);
        if (how != 0)
            unlink(perp_scene_join(folder, part).text);
    }
    return how;
}
