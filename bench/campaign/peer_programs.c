/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/campaign.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int perp_bench_own_path(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0)
        return -1;
    path[length] = '\0';
    return 0;
}

static int is_program(char *path, size_t size, const char *folder, const char *name)
{
    int length = snprintf(path, size, "%s/%s", folder, name);
    return length > 0 && (size_t)length < size && access(path, X_OK) == 0;
}

/* Looked for in $PERP_PEERS, then beside this program, where a build tree has
 * it (libtool keeps the program itself in .libs).  Peers are not installed. */
int perp_bench_program(char *path, size_t size, const char *name)
{
    static const char *const beside[] = {"", "/..", "/bench/peers", "/../bench/peers"};
    const char *peers = getenv("PERP_PEERS");
    char folder[PATH_MAX], place[PATH_MAX + 32];
    if (peers && is_program(path, size, peers, name))
        return 1;
    if (perp_bench_own_path(folder, sizeof folder) == 0 && strrchr(folder, '/')) {
        *strrchr(folder, '/') = '\0';
        for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
            snprintf(place, sizeof place, "%s%s", folder, beside[k]);
            if (is_program(path, size, place, name))
                return 1;
        }
    }
    return 0;
}

int perp_bench_peer(const char *solver, char *path, size_t size)
{
    const char *colon = strchr(solver, ':');
    char name[64];
    if (!colon)
        return -1;
    snprintf(name, sizeof name, "perp-peer-%.*s", (int)(colon - solver), solver);
    return perp_bench_program(path, size, name);
}

void perp_bench_peer_version(char *version, size_t size, const char *solver)
{
    char program[PATH_MAX];
    version[0] = '\0';
    if (perp_bench_peer(solver, program, sizeof program) == 1)
        (void)perp_bench_ask(version, size, PERP_BENCH_VERSION_SECONDS, program, "--version", NULL);
}

static int ends_in_all(const char *solver)
{
    const char *colon = strchr(solver, ':');
    return colon && !strcmp(colon, ":all");
}

static int add(perp_bench_solvers *list, const char *peer, int length, const char *name)
{
    if (list->count == PERP_BENCH_SOLVERS)
        return -1;
    char *text = list->name[list->count];
    int used = snprintf(text, sizeof list->name[0], "%.*s%s", length, peer, name);
    if (used < 0 || (size_t)used >= sizeof list->name[0])
        return -1;
    for (int k = 0; k < list->count; k++)
        if (!strcmp(list->name[k], text))
            return 0;
    list->count++;
    return 0;
}

int perp_bench_solvers_for(perp_bench_solvers *list, const perp_bench_options *options,
                           const char *file)
{
    int bad = 0;
    list->count = 0;
    for (int k = 0; k < options->solvers && !bad; k++) {
        const char *solver = options->solver[k];
        char program[PATH_MAX], answer[sizeof list->name + PERP_BENCH_SOLVERS], *next = NULL;
        if (!ends_in_all(solver)) {
            bad = add(list, "", 0, solver);
            continue;
        }
        int length = (int)(strchr(solver, ':') - solver) + 1;
        if (perp_bench_peer(solver, program, sizeof program) != 1)
            return -1;
        bad = perp_bench_ask(answer, sizeof answer, PERP_BENCH_READ_SECONDS, program, "--list",
                             file) > 0;
        for (char *name = strtok_r(answer, "\n", &next); name && !bad;
             name = strtok_r(NULL, "\n", &next))
            bad = add(list, solver, length, name);
    }
    return bad;
}
