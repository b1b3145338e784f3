/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sched_getaffinity */
#include "bench/campaign/campaign.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/campaign/commit.h"

static int cut_list(char **item, int capacity, char *text)
{
    char *next = NULL;
    int items = 0;
    for (char *word = strtok_r(text, ",", &next); word; word = strtok_r(NULL, ",", &next)) {
        if (items == capacity)
            return -1;
        item[items++] = word;
    }
    return items > 0 ? items : -1;
}

/* Later values of a name replace earlier ones. */
int perp_bench_add_setting(perp_bench_options *options, const char *text)
{
    const char *equal = strchr(text, '=');
    if (!equal || equal == text || strpbrk(text, " ,\t\n"))
        return -1;
    size_t name = (size_t)(equal - text) + 1;
    char *copy = strdup(text);
    if (!copy)
        return -1;
    for (int k = 0; k < options->settings; k++) {
        if (!strncmp(options->setting[k], text, name)) {
            free(options->setting[k]);
            options->setting[k] = copy;
            return 0;
        }
    }
    if (options->settings == PERP_BENCH_LIST) {
        free(copy);
        return -1;
    }
    options->setting[options->settings++] = copy;
    return 0;
}

int perp_bench_set_tols(perp_bench_options *options, const char *text)
{
    char *copy = strdup(text), *word[PERP_BENCH_LIST];
    int tols = copy ? cut_list(word, PERP_BENCH_LIST, copy) : -1, bad = tols < 0;
    for (int k = 0; k < tols && !bad; k++) {
        const char *end = perp_number_read(word[k], &options->tol[k]);
        bad = !end || *end || !(options->tol[k] >= 0.0 && options->tol[k] <= 1.0);
    }
    free(copy);
    options->tols = tols;
    return bad ? -1 : 0;
}

int perp_bench_set_solvers(perp_bench_options *options, const char *text)
{
    free(options->text);
    options->text = strdup(text);
    options->solvers =
        options->text ? cut_list(options->solver, PERP_BENCH_LIST, options->text) : -1;
    return options->solvers < 0 ? -1 : 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A CPU that is not ours would make a crash of every run. */
static int may_run_on(int cpu)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    return cpu < 0 || sched_getaffinity(0, sizeof allowed, &allowed) ||
           CPU_ISSET((size_t)cpu, &allowed);
}

/* Cut ones would make one run of two.  0 or -1. */
static int join_settings(perp_bench_options *options)
{
    size_t used = 0;
    for (int k = 0; k < options->settings && used < sizeof options->setting_line; k++) {
        used += (size_t)snprintf(options->setting_line + used, sizeof options->setting_line - used,
                                 "%s%s", k ? " " : "", options->setting[k]);
    }
    return used < sizeof options->setting_line ? 0 : -1;
}

const char *perp_bench_commit(void)
{
    return PERP_COMMIT;
}

int perp_bench_options_init(perp_bench_options *options)
{
    memset(options, 0, sizeof *options);
    options->time_limit = 60.0;
    options->memory_mb = 8192;
    options->repeats = 3;
    options->cpu = -1;
    options->out = "results.csv";
    options->commit = PERP_COMMIT;
    return perp_bench_set_solvers(options, "default") ||
                   perp_bench_set_tols(options, "1e-4,1e-8") ||
                   perp_bench_add_setting(options, "measure=natural")
               ? -1
               : 0;
}

const perp_solver_type *perp_bench_solver_of(const char *text, perp_settings *settings)
{
    char copy[128], *rest = copy;
    if (strlen(text) >= sizeof copy)
        return NULL;
    strcpy(copy, text);
    const perp_solver_type *type = perp_solver_find(strtok_r(copy, "+", &rest));
    for (char *setting; type && (setting = strtok_r(NULL, "+", &rest));) {
        char *equal = strchr(setting, '=');
        if (!equal)
            return NULL;
        *equal = '\0';
        if (perp_settings_set(settings, setting, equal + 1))
            return NULL;
    }
    return type;
}

int perp_bench_options_finish(perp_bench_options *options, char *message, size_t size)
{
    char limit[64], path[4096];
    snprintf(limit, sizeof limit, "time_limit=%g", options->time_limit);
    int bad = perp_bench_add_setting(options, limit);
    qsort(options->setting, (size_t)options->settings, sizeof *options->setting, by_text);
    if (bad || join_settings(options)) {
        snprintf(message, size, "too many settings");
        return -1;
    }
    if (!may_run_on(options->cpu)) {
        snprintf(message, size, "--cpu %d: this process may not run there", options->cpu);
        return -1;
    }
    for (int k = 0; k < options->solvers; k++) {
        if (perp_bench_peer(options->solver[k], path, sizeof path) == 0) {
            snprintf(message, size,
                     "%s: the peer's helper program is not there (was Perp configured with it?)",
                     options->solver[k]);
            return -1;
        }
    }
    return 0;
}

void perp_bench_options_free(perp_bench_options *options)
{
    for (int k = 0; k < options->settings; k++)
        free(options->setting[k]);
    free(options->text);
}
