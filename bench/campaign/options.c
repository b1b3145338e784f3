/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sched_getaffinity */
#include "bench/campaign/bench.h"

#include <argp.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "bench/campaign/commit.h"

enum { KEY_SOLVERS = 256, KEY_TOLS, KEY_LIMIT, KEY_MEMORY, KEY_CPU, KEY_COMMIT };

static const char doc[] =
    "Runs solvers x files x tolerances, each run in a process of its own, and appends a line per "
    "run to a CSV file.  Runs that the file holds already are skipped, so an interrupted campaign "
    "goes on with the same command."
    "\v"
    "Folders are searched for .dat, .hdf5 and .h5.  A solver is one of Perp's (`perp solvers' "
    "lists them), also with settings of its own as in nsn+formulation=natural-map, `default', the one that the library chooses, or a peer's: siconos:NSGS, "
    "siconos:NSGS-QUARTIC, siconos:NSN_AC and others; "
    "siconos:all stands for all that it has for a file's class of problems.\n\n"
    "The measure is `natural' here, for peers know no other, unless --set measure=... says "
    "otherwise; a peer is judged by it too.  Reading is not timed; each repeat starts from zero "
    "and the fastest counts.  A peer's rows are labelled with its version, so that one campaign "
    "of a peer serves many commits; where it ran into a shorter time limit it runs again.\n\n"
    "  perp bench report RESULTS.csv [--out DIR]\n"
    "makes tables and performance profiles from the file.\n\n"
    "  perp bench order [--out DIR]\n  perp bench precision [--out DIR]\n"
    "measure the time integrators on examples with exact motions.";

static const struct argp_option option_table[] = {
    {"solvers", KEY_SOLVERS, "A,B", 0, "solvers, separated by commas [gs]", 0},
    {"tols", KEY_TOLS, "T,U", 0, "tolerances, separated by commas [1e-4,1e-8]", 0},
    {"set", 's', "NAME=VALUE", 0, "a setting of every solver; may be repeated", 0},
    {"time-limit", KEY_LIMIT, "S", 0, "seconds for set-up and solve [60]", 0},
    {"memory", KEY_MEMORY, "MB", 0, "address space of a run, 0: no limit [8192]", 0},
    {"repeat", 'r', "R", 0, "repeats at most; fewer when they take over a second [3]", 0},
    {"cpu", KEY_CPU, "N", 0, "pin the runs to this CPU", 0},
    {"out", 'o', "FILE", 0, "the CSV file [results.csv]", 0},
    {"commit", KEY_COMMIT, "NAME", 0, "label of the rows instead of the commit built from", 0},
    {0},
};

static int cut_list(char **item, int room, char *text)
{
    char *next = NULL;
    int items = 0;
    for (char *word = strtok_r(text, ",", &next); word; word = strtok_r(NULL, ",", &next)) {
        if (items == room)
            return -1;
        item[items++] = word;
    }
    return items > 0 ? items : -1;
}

static int read_real(double *x, const char *text, double low, double high)
{
    char *end;
    errno = 0;
    *x = strtod(text, &end);
    return end == text || *end || errno || !(*x >= low && *x <= high) ? -1 : 0;
}

static int read_whole(long *k, const char *text, long low, long high)
{
    char *end;
    errno = 0;
    *k = strtol(text, &end, 10);
    return end == text || *end || errno || *k < low || *k > high ? -1 : 0;
}

/* Later values of a name replace earlier ones. */
static int add_setting(perp_bench_options *options, const char *text)
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

static int read_tols(perp_bench_options *options, const char *text)
{
    char copy[512], *word[PERP_BENCH_LIST];
    snprintf(copy, sizeof copy, "%s", text);
    int tols = cut_list(word, PERP_BENCH_LIST, copy);
    for (int k = 0; k < tols; k++)
        if (read_real(&options->tol[k], word[k], 0.0, 1.0))
            return -1;
    options->tols = tols;
    return tols < 0 ? -1 : 0;
}

static int read_solvers(perp_bench_options *options, const char *text)
{
    free(options->text);
    options->text = strdup(text);
    options->solvers =
        options->text ? cut_list(options->solver, PERP_BENCH_LIST, options->text) : -1;
    return options->solvers < 0 ? -1 : 0;
}

static const char *option_name(int key)
{
    int k = 0;
    while (option_table[k].name && option_table[k].key != key)
        k++;
    return option_table[k].name ? option_table[k].name : "?";
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    perp_bench_options *options = state->input;
    long k = 0;
    int bad = 0;
    switch (key) {
    case KEY_SOLVERS:
        bad = read_solvers(options, arg);
        break;
    case KEY_TOLS:
        bad = read_tols(options, arg);
        break;
    case 's':
        bad = add_setting(options, arg);
        break;
    case KEY_LIMIT:
        bad = read_real(&options->time_limit, arg, 0.001, 1e7);
        break;
    case KEY_MEMORY:
        bad = read_whole(&options->memory_mb, arg, 0, 1L << 24);
        break;
    case 'r':
        bad = read_whole(&k, arg, 1, 1000);
        options->repeats = (int)k;
        break;
    case KEY_CPU:
        bad = read_whole(&k, arg, 0, 1023);
        options->cpu = (int)k;
        break;
    case 'o':
        options->out = arg;
        break;
    case KEY_COMMIT:
        options->commit = arg;
        options->commit_given = 1;
        break;
    case ARGP_KEY_ARGS:
        options->input = state->argv + state->next;
        options->inputs = state->argc - state->next;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which files?");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (bad) {
        argp_error(state, "`%s' is not a value of --%s", arg, option_name(key));
        return EINVAL;
    }
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A CPU that is not ours would make a crash of every run. */
static int check_cpu(int cpu)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (cpu < 0 || sched_getaffinity(0, sizeof allowed, &allowed) ||
        CPU_ISSET((size_t)cpu, &allowed))
        return 0;
    fprintf(stderr, "perp bench: --cpu %d: this process may not run there\n", cpu);
    return -1;
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

/* The settings of our solvers are checked here, once, and not in each run. */
static int check_settings(const perp_bench_options *options)
{
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    for (int k = 0; k < options->settings; k++) {
        char name[64], *equal = strchr(options->setting[k], '=');
        snprintf(name, sizeof name, "%.*s", (int)(equal - options->setting[k]),
                 options->setting[k]);
        if (!strcmp(name, "tol") || perp_settings_set(&settings, name, equal + 1)) {
            fprintf(stderr, "perp bench: --set %s: no such setting or value\n",
                    options->setting[k]);
            return -1;
        }
    }
    for (int k = 0; k < options->solvers; k++) {
        char path[4096];
        int peer = perp_bench_peer(options->solver[k], path, sizeof path);
        if (peer == 0) {
            fprintf(stderr,
                    "perp bench: %s: the peer's helper program is not there (was Perp "
                    "configured with it?)\n",
                    options->solver[k]);
            return -1;
        }
        const char *renamed = perp_solver_renamed(options->solver[k]);
        if (peer < 0 && renamed) {
            fprintf(stderr, "perp bench: %s\n", renamed);
            return -1;
        }
        if (peer < 0 && strcmp(options->solver[k], "default") &&
            !perp_bench_solver_of(options->solver[k], &settings)) {
            fprintf(stderr, "perp bench: no solver is called `%s', or it has no such setting\n",
                    options->solver[k]);
            return -1;
        }
    }
    return 0;
}

static void join_settings(perp_bench_options *options)
{
    size_t used = 0;
    for (int k = 0; k < options->settings && used < sizeof options->setting_line; k++) {
        used += (size_t)snprintf(options->setting_line + used, sizeof options->setting_line - used,
                                 "%s%s", k ? " " : "", options->setting[k]);
    }
}

int perp_bench_options_read(perp_bench_options *options, int argc, char **argv)
{
    const struct argp argp = {option_table, parse, "FILE|FOLDER...", doc, NULL, NULL, NULL};
    char limit[64];
    memset(options, 0, sizeof *options);
    options->time_limit = 60.0;
    options->memory_mb = 8192;
    options->repeats = 3;
    options->cpu = -1;
    options->out = "results.csv";
    options->commit = PERP_COMMIT;
    if (read_solvers(options, "gs") || read_tols(options, "1e-4,1e-8") ||
        add_setting(options, "measure=natural") || argp_parse(&argp, argc, argv, 0, NULL, options))
        return PERP_EXIT_ERROR;
    snprintf(limit, sizeof limit, "time_limit=%g", options->time_limit);
    if (add_setting(options, limit)) {
        fprintf(stderr, "perp bench: too many settings\n");
        return PERP_EXIT_ERROR;
    }
    qsort(options->setting, (size_t)options->settings, sizeof *options->setting, by_text);
    join_settings(options);
    return check_cpu(options->cpu) || check_settings(options) ? PERP_EXIT_ERROR : 0;
}

void perp_bench_options_free(perp_bench_options *options)
{
    for (int k = 0; k < options->settings; k++)
        free(options->setting[k]);
    free(options->text);
}
