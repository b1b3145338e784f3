/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "scene/robots/search_path.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A resolved path in memory of the job; NULL: there is none. */
static const char *resolve(perp_robot_job *job, const char *path)
{
    char *real = realpath(path, NULL);
    const char *kept = real != NULL ? perp_robot_text(job, "%s", real) : NULL;

    free(real);
    return kept;
}

static int is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || (length > 0 && folder[length - 1] == '/'));
}

static int is_allowed(perp_robot_job *job, const char *path)
{
    if (job->folder != NULL && is_below(path, job->folder))
        return 1;
    for (int k = 0; k < job->options->nsearch; k++) {
        const char *folder = resolve(job, job->options->search[k]);
        if (folder != NULL && is_below(path, folder))
            return 1;
    }
    return 0;
}

/* BASE/NAME where that is a file below an allowed folder. */
static const char *try_below(perp_robot_job *job, const char *base, const char *name, int *outside)
{
    const char *path =
        base != NULL ? perp_robot_text(job, "%s/%s", base, name) : perp_robot_text(job, "%s", name);
    const char *real = path != NULL ? resolve(job, path) : NULL;

    if (real != NULL && !is_allowed(job, real)) {
        *outside = 1;
        return NULL;
    }
    return real;
}

static const char *try_folders(perp_robot_job *job, const char *name, int *outside)
{
    const char *found = NULL;

    if (job->folder != NULL)
        found = try_below(job, job->folder, name, outside);
    for (int k = 0; k < job->options->nsearch && found == NULL; k++)
        found = try_below(job, job->options->search[k], name, outside);
    return found;
}

/* A file of the package that the model lies in: below the folder above it that has the name of the
 * package. */
static const char *try_own_package(perp_robot_job *job, const char *name, int *outside)
{
    size_t own = strcspn(name, "/");
    const char *folder = job->folder, *end = folder != NULL ? folder + strlen(folder) : NULL;

    while (end != NULL && end > folder) {
        const char *start = end;
        while (start > folder && start[-1] != '/')
            start--;
        if (own > 0 && name[own] == '/' && (size_t)(end - start) == own &&
            strncmp(start, name, own) == 0) {
            const char *root = perp_robot_text(job, "%.*s", (int)(end - folder), folder);
            const char *path = root != NULL ? perp_robot_text(job, "%s%s", root, name + own) : NULL;
            const char *real = path != NULL ? resolve(job, path) : NULL;
            if (real != NULL && is_below(real, root))
                return real;
            *outside |= real != NULL;
        }
        end = start > folder ? start - 1 : folder;
    }
    return NULL;
}

/* The path, or what it ends in, down to its last two words. */
static const char *try_ends(perp_robot_job *job, const char *path, int *outside)
{
    const char *found = NULL, *rest = path;

    while (found == NULL && rest != NULL && *rest != '\0' &&
           (rest == path || strchr(rest, '/') != NULL)) {
        found = try_folders(job, rest, outside);
        rest = strchr(rest, '/');
        rest = rest != NULL ? rest + 1 : NULL;
    }
    return found;
}

/* An absolute path; where it is that of another machine, as one of a package. */
static const char *try_absolute(perp_robot_job *job, const char *path, int *outside)
{
    const char *found = try_below(job, NULL, path, outside), *rest = path + strspn(path, "/");

    if (found == NULL)
        found = try_ends(job, rest, outside);
    while (found == NULL && (rest = strchr(rest, '/')) != NULL)
        found = try_own_package(job, ++rest, outside);
    return found;
}

const char *perp_robot_look_for_file(perp_robot_job *job, const char *name, const char *folder,
                                     int *outside)
{
    static const char package[] = "package://", model[] = "model://", file[] = "file://";
    const char *found = NULL, *rest = name;

    *outside = 0;
    if (strncmp(name, package, sizeof package - 1) == 0 ||
        strncmp(name, model, sizeof model - 1) == 0) {
        rest = strstr(name, "://") + 3;
        found = try_ends(job, rest, outside);
        return found != NULL ? found : try_own_package(job, rest, outside);
    }
    if (strncmp(name, file, sizeof file - 1) == 0)
        rest = name + sizeof file - 1;
    if (rest[0] == '/')
        return try_absolute(job, rest, outside);
    if (folder != NULL && folder[0] != '\0') {
        const char *within = perp_robot_text(job, "%s/%s", folder, rest);
        if (within != NULL && folder[0] == '/')
            found = try_absolute(job, within, outside);
        else if (within != NULL)
            found = try_folders(job, within, outside);
    }
    return found != NULL ? found : try_folders(job, rest, outside);
}

const char *perp_robot_look_beside(perp_robot_job *job, const char *name, const char *folder,
                                   const perp_xml *at, int *outside)
{
    const char *found = perp_robot_look_for_file(job, name, folder, outside);

    if (found == NULL && job->status == PERP_SOLVED && at->folder != NULL && name[0] != '/' &&
        strstr(name, "://") == NULL)
        found = try_below(job, at->folder, name, outside);
    return found;
}

const char *perp_robot_shown_path(perp_robot_job *job, const char *path)
{
    const char *last = job->name != NULL ? strrchr(job->name, '/') : NULL;

    if (job->folder == NULL || !is_below(path, job->folder))
        return path;
    path += strlen(job->folder);
    path += *path == '/';
    return last != NULL ? perp_robot_text(job, "%.*s/%s", (int)(last - job->name), job->name, path)
                        : path;
}

const char *perp_robot_find_file(perp_robot_job *job, const char *name, const char *folder,
                                 const perp_xml *at)
{
    int outside;
    const char *found = perp_robot_look_beside(job, name, folder, at, &outside);

    if (found == NULL && job->status == PERP_SOLVED)
        perp_robot_fail_status(job, PERP_ERR_OPEN, at,
                               outside
                                   ? "'%.300s' is outside of the folder of the model and of the "
                                     "search path"
                                   : "'%.300s' is not found in the folder of the model, nor in "
                                     "the search path",
                               name);
    return found;
}
