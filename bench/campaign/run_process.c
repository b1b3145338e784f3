/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sched_setaffinity, pipe2 */
#include "bench/campaign/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    RUN_FD = 3,          /* where the run finds its pipe */
    JUDGE_SECONDS = 120, /* for leaving after the last repeat */
    ARGUMENTS = PERP_BENCH_LIST + 16
};

double perp_bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct command {
    char program[PATH_MAX + 64];
    char tol[32], repeats[16], fd[16];
    char *argv[ARGUMENTS];
} command;

static int prepare(command *c, const perp_bench_run *run)
{
    const perp_bench_options *options = run->options;
    const char *colon = strchr(run->solver, ':');
    int k = 0;
    if (perp_bench_peer(run->solver, c->program, sizeof c->program) <= 0) {
        if (colon || perp_bench_own_path(c->program, sizeof c->program))
            return -1;
        c->argv[k++] = (char *)"perp";
        c->argv[k++] = (char *)"bench";
        c->argv[k++] = (char *)"--run";
    } else {
        c->argv[k++] = c->program;
    }
    snprintf(c->fd, sizeof c->fd, "%d", RUN_FD);
    snprintf(c->tol, sizeof c->tol, "%.17g", run->tol);
    snprintf(c->repeats, sizeof c->repeats, "%d", options->repeats);
    c->argv[k++] = c->fd;
    c->argv[k++] = (char *)run->path;
    c->argv[k++] = (char *)(colon ? colon + 1 : run->solver);
    c->argv[k++] = c->tol;
    c->argv[k++] = c->repeats;
    for (int s = 0; s < options->settings; s++)
        c->argv[k++] = options->setting[s];
    c->argv[k] = NULL;
    return 0;
}

static void set_limit(int what, rlim_t value)
{
    struct rlimit limit = {value, value};
    setrlimit((__rlimit_resource_t)what, &limit);
}

/* In the new process: limits, no output but the pipe, and off it goes. */
static _Noreturn void become(const command *c, const perp_bench_options *options, int out,
                             pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(126);
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    set_limit(RLIMIT_CORE, 0);
    if (options->memory_mb > 0)
        set_limit(RLIMIT_AS, (rlim_t)options->memory_mb << 20);
    if (options->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)options->cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set))
            _exit(125);
    }
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    if (out == RUN_FD)
        fcntl(out, F_SETFD, 0);
    else
        dup2(out, RUN_FD);
    execv(c->program, c->argv);
    _exit(127);
}

/* What has been heard so far, and until when the next line must come. */
typedef struct listener {
    perp_bench_record *record;
    pid_t child;
    int processor; /* the limit is on processor time: of a peer */
    double limit, deadline, begin, begin_processor;
    int timed; /* a repeat is running */
    size_t used;
    char line[1024];
} listener;

static double processor_time(pid_t child)
{
    clockid_t clock;
    struct timespec t = {0, 0};
    if (clock_getcpuclockid(child, &clock) || clock_gettime(clock, &t))
        return 0.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* On a machine that does other work too, the clock on the wall runs on while a
 * run waits: five times the limit is enough of that. */
static int too_late(const listener *l, double now)
{
    if (l->timed && l->processor && processor_time(l->child) - l->begin_processor > l->limit)
        return 1;
    return now > l->deadline;
}

static void hear_line(listener *l)
{
    int begun = l->record->begun, repeats = l->record->repeats;
    if (perp_bench_hear(l->record, l->line))
        return;
    if (l->record->begun > begun) {
        l->begin = perp_bench_now();
        l->begin_processor = processor_time(l->child);
        l->deadline = l->begin + (l->processor ? 5.0 * l->limit : l->limit);
        l->timed = 1;
    } else if (l->record->repeats > repeats) {
        l->deadline = perp_bench_now() + JUDGE_SECONDS;
        l->timed = 0;
    }
}

/* 1 at the end of the pipe. */
static int hear(listener *l, int in)
{
    char text[2048];
    ssize_t got = read(in, text, sizeof text);
    if (got <= 0)
        return !(got < 0 && (errno == EINTR || errno == EAGAIN));
    for (ssize_t k = 0; k < got; k++) {
        if (text[k] != '\n') {
            if (l->used + 1 < sizeof l->line)
                l->line[l->used++] = text[k];
            continue;
        }
        l->line[l->used] = '\0';
        hear_line(l);
        l->used = 0;
    }
    return 0;
}

enum { ENDED, TOO_LATE, INTERRUPTED };

static int listen_until_end(listener *l, int in, perp_bench_stop_fn stop, perp_bench_tick tick,
                            void *ctx)
{
    for (;;) {
        double now = perp_bench_now();
        if (stop())
            return INTERRUPTED;
        if (too_late(l, now))
            return TOO_LATE;
        double wait = fmin(l->deadline - now, fmin(0.2, 0.1 + 0.5 * l->limit));
        struct pollfd p = {in, POLLIN, 0};
        int ready = poll(&p, 1, (int)(1000.0 * wait) + 1);
        if (ready > 0 && hear(l, in))
            return ENDED;
        if (ready == 0 && tick)
            tick(ctx, perp_bench_now() - l->begin);
    }
}

static void say(perp_bench_record *record, const char *status, const char *format, int k)
{
    snprintf(record->status, sizeof record->status, "%s", status);
    snprintf(record->note, sizeof record->note, format, k);
}

/* Finished repeats count, whatever became of the process after them. */
static void conclude(perp_bench_record *record, const listener *l, int how, int status,
                     const struct rusage *usage)
{
    if (record->peak_kb < 0)
        record->peak_kb = usage->ru_maxrss;
    if (record->repeats > 0) {
        if (!record->note[0] && (how == TOO_LATE || !WIFEXITED(status) || WEXITSTATUS(status)))
            snprintf(record->note, sizeof record->note, "ended badly in a repeat");
        return;
    }
    if (how == TOO_LATE) {
        say(record, "time-limit", l->timed ? "killed" : "killed while reading", 0);
        record->solve = l->timed ? l->limit : NAN;
    } else if (WIFSIGNALED(status)) {
        say(record, "crash", "signal %d", WTERMSIG(status));
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == 125) {
        say(record, "crash", "cannot pin to the CPU", 0);
    } else {
        say(record, "crash", "exit %d without a result", WEXITSTATUS(status));
    }
    if (how != TOO_LATE || !l->timed)
        record->setup = record->solve = NAN;
}

int perp_bench_process(perp_bench_record *record, const perp_bench_run *run,
                       perp_bench_stop_fn stop, perp_bench_tick tick, void *ctx, char *message,
                       size_t size)
{
    command c;
    int pipe_of[2], status = 0;
    struct rusage usage = {0};
    perp_bench_record_init(record);
    if (prepare(&c, run) || pipe2(pipe_of, O_CLOEXEC)) {
        snprintf(message, size, "%s: cannot start a run", run->solver);
        return -1;
    }
    pid_t parent = getpid(), child = fork();
    if (child < 0) {
        snprintf(message, size, "fork: %s", strerror(errno));
        close(pipe_of[0]);
        close(pipe_of[1]);
        return -1;
    }
    if (child == 0)
        become(&c, run->options, pipe_of[1], parent);
    close(pipe_of[1]);

    /* Our own solvers stop at the limit by themselves and deliver an iterate;
     * they get a moment for it.  A peer does not know the limit. */
    double limit = run->options->time_limit, now = perp_bench_now();
    int peer = strchr(run->solver, ':') != NULL;
    double grace = peer ? 0.0 : 1.0 + 0.1 * limit;
    listener l = {
        .record = record, .child = child, .processor = peer, .limit = limit + grace, .begin = now};
    l.deadline = now + PERP_BENCH_READ_SECONDS;
    int how = listen_until_end(&l, pipe_of[0], stop, tick, ctx);
    if (how != ENDED) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
    }
    close(pipe_of[0]);
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    l.limit = limit;
    conclude(record, &l, how, status, &usage);
    return how == INTERRUPTED;
}
