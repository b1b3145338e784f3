/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of a step of the kernel, beside Siconos' kernel doing the same steps.
 *
 *     steps [--rounds R] [--cpu K] [--steps N] [--form auto|dense|csc|bsr|delassus]
 *           [--solver NAME] [--set name=value] [--scheme NAME] [--beside-scheme NAME]
 *           [--peer [PROGRAM]] [SYSTEM[:SIZE]...]
 *
 * Systems: bench/step_systems.h; without any, all of them, growing.  A round makes the system,
 * does one step, and takes the time of the others; with --peer the rounds of both alternate in
 * one process tree on one CPU; so do those by --beside-scheme, in the columns of the peer.  Medians
 * over R rounds, microseconds a step.  Then one more run with the clock inside the step gives its
 * split: assembly (with the free motion and the index set), solve, update (outputs as well); what
 * is missing to the whole is that clock. allocs: calls of the allocator in the last half of the
 * steps.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"
#include "bench/step_systems.h"

enum { ROUNDS_MAX = 101 };

typedef struct options {
    int rounds, cpu, steps;
    perp_bench_how how;
    const char *beside; /* a scheme, or NULL */
    char peer[PATH_MAX];
} options;

typedef struct result {
    double us, checksum;
    double assembly, solve, update; /* shares of a step, us */
    double rows, newton, iterations;
    long allocations, early;
} result;

static int read_form(perp_form *form, const char *text)
{
    const char *const names[] = {"auto", "dense", "csc", "bsr", "delassus"};
    for (int k = 0; k < 5; k++) {
        if (!strcmp(text, names[k])) {
            *form = (perp_form)k;
            return 0;
        }
    }
    return -1;
}

static void default_peer(char *peer, const char *program)
{
    const char *slash = strrchr(program, '/');
    snprintf(peer, PATH_MAX, "%.*s../perp-peer-kernel", slash ? (int)(slash + 1 - program) : 0,
             program);
}

/* The first system among the arguments, -1 where they are wrong. */
static int read_options(options *o, int argc, char **argv)
{
    int k = 1;
    memset(o, 0, sizeof *o);
    o->rounds = 5;
    o->cpu = -1;
    for (; k < argc && argv[k][0] == '-'; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : NULL;
        if (!strcmp(argv[k], "--peer")) {
            default_peer(o->peer, argv[0]);
            if (value && strchr(value, '/'))
                snprintf(o->peer, sizeof o->peer, "%s", argv[++k]);
        } else if (!value) {
            return -1;
        } else {
            if (!strcmp(argv[k], "--rounds"))
                o->rounds = atoi(value);
            else if (!strcmp(argv[k], "--cpu"))
                o->cpu = atoi(value);
            else if (!strcmp(argv[k], "--steps"))
                o->steps = atoi(value);
            else if (!strcmp(argv[k], "--solver"))
                o->how.solver = value;
            else if (!strcmp(argv[k], "--set"))
                o->how.set = value;
            else if (!strcmp(argv[k], "--scheme"))
                o->how.scheme = value;
            else if (!strcmp(argv[k], "--beside-scheme"))
                o->beside = value;
            else if (strcmp(argv[k], "--form") || read_form(&o->how.form, value))
                return -1;
            k++;
        }
    }
    return o->rounds > 0 && o->rounds <= ROUNDS_MAX && o->steps >= 0 ? k : -1;
}

static int fail(const perp_bench_kind *kind, const perp_bench_system *s, perp_status status)
{
    const perp_step_info *info = perp_sim_info(s->sim);
    fprintf(stderr, "%s: %s%s%s\n", kind->name, perp_status_text(status),
            info && info->detail[0] ? ": " : "", info ? info->detail : "");
    return -1;
}

static void add_info(result *r, const perp_step_info *info, int timing)
{
    r->early += info->status != PERP_SOLVED;
    r->rows += info->rows;
    r->newton += info->newton;
    if (info->rows > 0)
        r->iterations += info->solver->iterations;
    if (timing) {
        r->assembly += 1e6 * info->assembly_seconds;
        r->solve += 1e6 * info->solve_seconds;
        r->update += 1e6 * info->update_seconds;
    }
}

static int our_run(result *r, const perp_bench_how *how, const perp_bench_kind *kind, int size,
                   int steps, int timing)
{
    perp_bench_system s;
    memset(r, 0, sizeof *r);
    perp_status status = perp_bench_make(&s, kind, size, timing, how);
    if (status == PERP_SOLVED)
        status = perp_sim_step(s.sim);
    long at_half = 0;
    double start = perp_measure_now();
    for (int k = 1; k < steps && status >= 0; k++) {
        if (k == steps / 2)
            at_half = s.allocations;
        status = perp_sim_step(s.sim);
        if (timing)
            add_info(r, perp_sim_info(s.sim), timing);
    }
    r->us = 1e6 * (perp_measure_now() - start) / (steps - 1);
    r->allocations = s.allocations - at_half;
    if (status >= 0)
        r->checksum = perp_bench_checksum(&s);
    int bad = status < 0 ? fail(kind, &s, status) : 0;
    perp_bench_destroy(&s);
    return bad;
}

static int peer_run(result *r, const options *o, const perp_bench_kind *kind, int size, int steps)
{
    char command[PATH_MAX + 128], line[256];
    int done = 0;
    double seconds = NAN;
    memset(r, 0, sizeof *r);
    snprintf(command, sizeof command, "'%s' %s %d %d 2>/dev/null", o->peer, kind->name, size,
             steps);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "steps %d seconds %lf checksum %lf", &done, &seconds, &r->checksum) != 3)
            r->early += !strncmp(line, "[kernel] Non smooth", 19);
    if (f)
        pclose(f);
    r->us = 1e6 * seconds / done;
    if (done == steps - 1)
        return 0;
    fprintf(stderr, "%s: the peer ended after %d of %d steps\n", kind->name, done, steps - 1);
    return -1;
}

/* By the peer, or by the other scheme. */
static int beside_run(result *r, const options *o, const perp_bench_kind *kind, int size, int steps)
{
    perp_bench_how how = o->how;
    if (!o->beside)
        return peer_run(r, o, kind, size, steps);
    how.scheme = o->beside;
    return our_run(r, &how, kind, size, steps, 0);
}

static int enough_steps(const options *o, const perp_bench_kind *kind, int size)
{
    if (o->steps > 1)
        return o->steps;
    if (kind->h == 1e-3)
        return kind->peer ? 20 : 500;
    return size >= 1000 ? 2001 : kind->h == 5e-4 ? 4001 : kind->h == 5e-3 ? 2001 : 4999;
}

static void print_result(const perp_bench_kind *kind, int size, int steps, const double *us,
                         const result *split, const result *peer, const double *peer_us)
{
    double n = steps - 1;
    printf("%-8s %5d %6d %10.3f %10.3f", kind->name, size, steps, us[0], us[1]);
    printf(" %10.3f %10.3f %10.3f", split->assembly / n, split->solve / n, split->update / n);
    printf(" %8.1f %6.2f %7.2f %6ld %6ld", split->rows / n, split->newton / n,
           split->iterations / n, split->allocations, split->early);
    if (peer)
        printf(" %12.3f %8.2f %6ld %10.2e", peer_us[0], peer_us[0] / us[0], peer->early,
               fabs(peer->checksum - split->checksum));
    printf("\n");
    fflush(stdout);
}

static int measure(const options *o, const perp_bench_kind *kind, int size)
{
    double ours[ROUNDS_MAX], theirs[ROUNDS_MAX], us[2], peer_us[1] = {NAN};
    int steps = enough_steps(o, kind, size), with_peer = o->beside || (o->peer[0] && kind->peer);
    result mine = {0}, split = {0}, peer = {0};
    for (int r = 0; r < o->rounds; r++) {
        if (our_run(&mine, &o->how, kind, size, steps, 0))
            return -1;
        if (with_peer && beside_run(&peer, o, kind, size, steps))
            with_peer = 0;
        ours[r] = mine.us;
        theirs[r] = peer.us;
    }
    if (our_run(&split, &o->how, kind, size, steps, 1))
        return -1;
    us[0] = perp_measure_quantile(ours, o->rounds, 0.5);
    us[1] = ours[0];
    peer_us[0] = perp_measure_quantile(theirs, o->rounds, 0.5);
    if (split.checksum != mine.checksum)
        fprintf(stderr, "%s: two runs ended apart\n", kind->name);
    print_result(kind, size, steps, us, &split, with_peer ? &peer : NULL, peer_us);
    return 0;
}

static int one(const options *o, const char *text)
{
    int size;
    const perp_bench_kind *kind = perp_bench_find(text, &size);
    if (kind)
        return measure(o, kind, size);
    fprintf(stderr, "%s: no such system\n", text);
    return -1;
}

int main(int argc, char **argv)
{
    static const char *const all[] = {"ball",        "bridge",     "column:10", "column:100",
                                      "column:1000", "stack:10",   "stack:100", "stack:1000",
                                      "pyramid:6",   "pyramid:11", "pile:500",  "pile:5000"};
    options o;
    int bad = 0, first = read_options(&o, argc, argv);
    if (first < 0 || perp_measure_pin(o.cpu)) {
        fprintf(stderr, "usage: steps [--rounds R] [--cpu K] [--steps N] [--form F] "
                        "[--solver NAME] [--set name=value] [--scheme NAME] [--beside-scheme NAME] "
                        "[--peer [PROGRAM]] [SYSTEM[:SIZE]...]\n");
        return 2;
    }
    /* The library reads it when it is loaded. */
    if (!getenv("OPENBLAS_NUM_THREADS") && !setenv("OPENBLAS_NUM_THREADS", "1", 1))
        execv("/proc/self/exe", argv);
    if (o.peer[0] && access(o.peer, X_OK)) {
        fprintf(stderr, "%s: no such program; without a peer\n", o.peer);
        o.peer[0] = '\0';
    }
    printf("%-8s %5s %6s %10s %10s %10s %10s %10s %8s %6s %7s %6s %6s %12s %8s %6s %10s\n",
           "system", "size", "steps", "median us", "fastest", "assembly", "solve", "update", "rows",
           "newton", "iter", "allocs", "early", "peer us", "x peer", "early", "difference");
    for (int k = first; k < argc; k++)
        bad |= one(&o, argv[k]) != 0;
    for (size_t k = 0; first == argc && k < sizeof all / sizeof *all; k++)
        bad |= one(&o, all[k]) != 0;
    return bad;
}
