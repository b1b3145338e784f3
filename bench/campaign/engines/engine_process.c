/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sched_setaffinity, pipe2, F_SETPIPE_SZ */
#include <errno.h>
#include <fcntl.h>
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

#include "bench/campaign/engines/own_motion.h"
#include "bench/campaign/engines/scene_bench.h"

enum { RUN_FD = 3, PIECE = 1 << 20, ARGUMENTS = 12 };

typedef struct command {
    char fd[16], tol[32], h[32], until[32];
    char *argv[ARGUMENTS];
} command;

static void prepare(command *c, const scene_engine *engine, const rigid_scene *scene,
                    const char *json)
{
    int k = 0;

    snprintf(c->fd, sizeof c->fd, "%d", RUN_FD);
    snprintf(c->tol, sizeof c->tol, "%.17g", engine->tol);
    snprintf(c->h, sizeof c->h, "%.17g", scene->h);
    snprintf(c->until, sizeof c->until, "%.17g", scene->until);
    if (engine->program == NULL) {
        c->argv[k++] = (char *)"perp";
        c->argv[k++] = (char *)"bench";
        c->argv[k++] = (char *)"--motion";
    } else {
        c->argv[k++] = (char *)engine->path;
    }
    c->argv[k++] = c->fd;
    c->argv[k++] = (char *)scene->name;
    if (engine->program == NULL) {
        c->argv[k++] = c->tol;
    } else {
        c->argv[k++] = (char *)json;
        c->argv[k++] = (char *)engine->variant;
    }
    c->argv[k++] = c->h;
    c->argv[k++] = c->until;
    c->argv[k] = NULL;
}

/* In the new process: one thread for the linear algebra, no output but the pipe. */
static _Noreturn void become(const command *c, const scene_engine *engine, int cpu, int out,
                             pid_t parent)
{
    struct rlimit none = {0, 0};
    int null = open("/dev/null", O_RDWR);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(126);
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0)
            _exit(125);
    }
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    if (out == RUN_FD)
        fcntl(out, F_SETFD, 0);
    else
        dup2(out, RUN_FD);
    execv(engine->path, c->argv);
    _exit(127);
}

static double processor_time(pid_t child)
{
    clockid_t clock;
    struct timespec t = {0, 0};

    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef enum run_end { ENDED, TOO_LATE, INTERRUPTED, NO_STREAM, NO_MEMORY, NOT_READ } run_end;

/* Takes what is there and measures all records that are complete. */
static int take(motion_in *in, motion_measures *m, int fd, run_end *ending)
{
    char *to = motion_in_reserve(in, PIECE);
    size_t taken = 0;
    ssize_t got;
    int next;

    *ending = NO_MEMORY;
    if (to == NULL)
        return 1;
    got = read(fd, to, PIECE);
    *ending = got < 0 ? NOT_READ : ENDED;
    if (got <= 0)
        return !(got < 0 && (errno == EINTR || errno == EAGAIN));
    in->used += (size_t)got;
    while ((next = motion_in_next(in, &taken)) == 1)
        if (motion_measures_add(m, &in->record) != 0) {
            *ending = NO_MEMORY;
            return 1;
        }
    motion_in_drop(in, taken);
    *ending = next < 0 ? NO_STREAM : ENDED;
    return next < 0;
}

static run_end listen_until_end(motion_in *in, motion_measures *m, int fd, pid_t child,
                                const scene_options *options, perp_bench_tick tick, void *ctx)
{
    double begin = perp_bench_now(), shown = begin;
    run_end ending = ENDED;

    for (;;) {
        struct pollfd p = {fd, POLLIN, 0};
        double now = perp_bench_now();
        if (options->stop != NULL && options->stop())
            return INTERRUPTED;
        if (processor_time(child) > options->limit || now - begin > 10.0 * options->limit + 60.0)
            return TOO_LATE;
        if (poll(&p, 1, 200) > 0 && take(in, m, fd, &ending))
            return ending;
        if (tick != NULL && now - shown > 0.2) {
            tick(ctx, m->figures.t);
            shown = now;
        }
    }
}

static void say(scene_row *row, const char *status, const char *note)
{
    snprintf(row->status, sizeof row->status, "%s", status);
    snprintf(row->note, sizeof row->note, "%s", note);
    row->note[strcspn(row->note, ",\"\r\n|")] = '\0';
}

static void conclude(scene_row *row, const scene_engine *engine, const motion_in *in,
                     run_end ending, int status)
{
    char text[64];
    double left = row->until - row->figures.t;

    if (in->has_text && in->text[0] == '!')
        say(row, "refused", in->text + 1);
    else if (ending == TOO_LATE)
        say(row, "time-limit", "");
    else if (ending == NO_STREAM || ending == NO_MEMORY)
        say(row, "crash", ending == NO_MEMORY ? "no memory" : "no stream of states");
    else if (ending == NOT_READ)
        say(row, "crash", "its states could not be read");
    else if (!row->figures.finite)
        say(row, "not finite", "a state that is no number");
    else if (WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
        say(row, "crash", text);
    } else if (WIFEXITED(status) && WEXITSTATUS(status) > (engine->program == NULL)) {
        snprintf(text, sizeof text, "exit %d", WEXITSTATUS(status));
        say(row, "crash", text);
    } else if (left > 0.75 * row->h)
        say(row, "stopped", "a step was not made");
    else
        say(row, "done", "");
}

static void name_row(scene_row *row, const scene_engine *engine, const rigid_scene *scene,
                     const scene_options *options)
{
    memset(row, 0, sizeof *row);
    snprintf(row->scene, sizeof row->scene, "%s", scene->name);
    snprintf(row->engine, sizeof row->engine, "%s", engine->name);
    snprintf(row->variant, sizeof row->variant, "%s", engine->variant);
    snprintf(row->version, sizeof row->version, "%s", engine->version);
    row->h = scene->h;
    row->until = scene->until;
    row->limit = options->limit;
    row->bodies = scene->bodies;
    row->expected = scene->expected;
    row->peak_kb = -1;
}

int scene_engine_run(scene_row *row, const scene_engine *engine, const rigid_scene *scene,
                     const char *json, const scene_options *options, perp_bench_tick tick,
                     void *ctx, char *message, size_t size)
{
    command c;
    int pipe_of[2], status = 0;
    struct rusage usage = {0};
    motion_in in;
    motion_measures m;
    pid_t parent = getpid(), child;
    run_end ending;

    name_row(row, engine, scene, options);
    prepare(&c, engine, scene, json);
    if (motion_measures_begin(&m, scene) != 0 || pipe2(pipe_of, O_CLOEXEC) != 0) {
        snprintf(message, size, "%s: cannot start a run: %s", engine->name, strerror(errno));
        motion_measures_free(&m);
        return -1;
    }
    child = fork();
    if (child < 0) {
        snprintf(message, size, "%s: cannot start a run: %s", engine->name, strerror(errno));
        close(pipe_of[0]);
        close(pipe_of[1]);
        motion_measures_free(&m);
        return -1;
    }
    if (child == 0)
        become(&c, engine, options->cpu, pipe_of[1], parent);
    close(pipe_of[1]);
    fcntl(pipe_of[0], F_SETPIPE_SZ, PIECE);
    motion_in_init(&in, scene->bodies);
    ending = listen_until_end(&in, &m, pipe_of[0], child, options, tick, ctx);
    if (ending != ENDED) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
    }
    close(pipe_of[0]);
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    row->peak_kb = usage.ru_maxrss;
    motion_measures_end(&m, &row->figures);
    conclude(row, engine, &in, ending, status);
    motion_in_free(&in);
    motion_measures_free(&m);
    return ending == INTERRUPTED;
}

int scene_bench_child(int argc, char **argv)
{
    rigid_scene scene;
    int code;

    if (argc != 5 || rigid_scene_make(&scene, argv[1], NULL, 0) != RIGID_MADE)
        return 2;
    scene.h = strtod(argv[3], NULL);
    scene.until = strtod(argv[4], NULL);
    code = perp_own_motion(atoi(argv[0]), &scene, strtod(argv[2], NULL), perp_bench_commit());
    rigid_scene_free(&scene);
    return code < 0 ? 2 : code;
}
