/* SPDX-License-Identifier: BSD-3-Clause */
/* The child reads and sends what it has through a pipe.  No signal is caught or sent: the kernel ends
 * a child that exceeds its limits, and what counts is whether the message is whole. */
#include "cli/read_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const double least_bytes = 4294967296.0, bytes_of_each = 1200.0;
static const double least_seconds = 60.0, bytes_of_second = 1e7;
static const char whole[8] = "perp end";

static int put(void *ctx, const void *data, size_t bytes)
{
    const char *at = data;

    while (bytes > 0) {
        ssize_t n = write(*(int *)ctx, at, bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 1;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

static int get(void *ctx, void *data, size_t bytes)
{
    char *at = data;

    while (bytes > 0) {
        ssize_t n = read(*(int *)ctx, at, bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 1;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

static perp_status fail(perp_io_error *error, perp_status status, const char *path,
                        const char *text)
{
    memset(error, 0, sizeof *error);
    snprintf(error->text, sizeof error->text, "%.200s: %s", path, text);
    return status;
}

static void limit(int what, double most)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0)
        return;
    rlim_t wanted = most < 9e18 ? (rlim_t)most : RLIM_INFINITY;
    if (now.rlim_cur == RLIM_INFINITY || wanted < now.rlim_cur)
        now.rlim_cur = wanted;
    setrlimit(what, &now);
}

static void confine_memory(double bytes)
{
    limit(RLIMIT_CORE, 0.0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit(RLIMIT_AS, bytes);
#else
    (void)bytes;
#endif
}

/* The child keeps to itself: no words, no core, no more memory and time than that. */
static void confine(const perp_read_limits *limits)
{
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
    }
    limit(RLIMIT_CPU, limits->seconds + 1.0);
    confine_memory(limits->bytes);
}

static void choose_limits(perp_read_limits *own, const char *path)
{
    struct stat st;
    double bytes = stat(path, &st) == 0 ? (double)st.st_size : 0.0;
    if (!(own->bytes > 0.0))
        own->bytes = least_bytes + bytes_of_each * bytes;
    if (!(own->seconds > 0.0))
        own->seconds = least_seconds + bytes / bytes_of_second;
}

/* How the child ended, where its message is not whole. */
static perp_status explain(perp_io_error *error, const char *path, int known, int ended,
                           const perp_read_limits *limits)
{
    char text[100] = "the process that read it did not end well";

    if (known && WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXCPU)
        snprintf(text, sizeof text, "the process that read it did not end within %g s",
                 limits->seconds);
    else if (known && WIFSIGNALED(ended))
        snprintf(text, sizeof text, "the process that read it died (signal %d)", WTERMSIG(ended));
    return fail(error, PERP_ERR_FORMAT, path, text);
}

/* What one side does: a problem to fill, or rows of a solution of one. */
typedef struct task {
    const char *path;
    perp_problem_class cls;
    const perp_allocator *allocator;
    perp_problem_file *file;
    double *z; /* NULL: a problem */
    size_t rows;
} task;

static void child(int fd, const task *t)
{
    perp_io_error error;
    perp_problem_file *file = NULL;
    perp_status status;

    memset(&error, 0, sizeof error);
    status = t->z != NULL ? perp_solution_read(t->file, t->path, t->z, &error)
                          : perp_problem_file_read(&file, t->path, t->cls, t->allocator, &error);
    if (put(&fd, &status, sizeof status) == 0 && put(&fd, &error, sizeof error) == 0 &&
        status == PERP_SOLVED) {
        if (t->z == NULL)
            perp_problem_file_send(file, put, &fd);
        else if (put(&fd, t->z, t->rows * sizeof *t->z) == 0)
            put(&fd, whole, sizeof whole);
    }
    _exit(0);
}

/* 1: the message is whole, with its status and error. */
static int listen_to(int fd, task *t, double most, perp_status *status, perp_io_error *error)
{
    char end[sizeof whole];

    if (get(&fd, status, sizeof *status) != 0 || get(&fd, error, sizeof *error) != 0)
        return 0;
    error->text[sizeof error->text - 1] = '\0';
    if (*status != PERP_SOLVED)
        return *status < 0;
    if (t->z == NULL) {
        *status = perp_problem_file_receive(&t->file, get, &fd, most, t->allocator, error);
        return *status == PERP_SOLVED || *status == PERP_ERR_MEMORY;
    }
    return get(&fd, t->z, t->rows * sizeof *t->z) == 0 && get(&fd, end, sizeof end) == 0 &&
           memcmp(end, whole, sizeof whole) == 0;
}

static int wait_for(pid_t pid, int *ended)
{
    int known;

    do
        known = waitpid(pid, ended, 0) == pid;
    while (!known && errno == EINTR);
    return known;
}

static perp_status run(task *t, const perp_read_limits *limits, perp_io_error *error)
{
    perp_read_limits own = {0.0, 0.0};
    perp_status status = PERP_ERR_FORMAT;
    int fd[2], ended = 0, known, heard;
    pid_t pid;

    if (limits != NULL)
        own = *limits;
    choose_limits(&own, t->path);
    memset(error, 0, sizeof *error);
    if (pipe(fd) != 0)
        return fail(error, PERP_ERR_MEMORY, t->path, "no pipe to a process");
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        close(fd[0]);
        confine(&own);
        child(fd[1], t);
    }
    close(fd[1]);
    if (pid < 0) {
        close(fd[0]);
        return fail(error, PERP_ERR_MEMORY, t->path, "no process to read it in");
    }
    heard = listen_to(fd[0], t, own.bytes, &status, error);
    close(fd[0]);
    known = wait_for(pid, &ended);
    return heard ? status : explain(error, t->path, known, ended, &own);
}

perp_status perp_read_problem_apart(perp_problem_file **file, const char *path,
                                    perp_problem_class cls, const perp_read_limits *limits,
                                    const perp_allocator *allocator, perp_io_error *error)
{
    task t = {.path = path, .cls = cls, .allocator = allocator};
    perp_status status = run(&t, limits, error);

    *file = status == PERP_SOLVED ? t.file : NULL;
    return status;
}

perp_status perp_read_solution_apart(perp_problem_file *file, const char *path,
                                     const perp_read_limits *limits, double *z, int rows,
                                     perp_io_error *error)
{
    task t = {.path = path, .file = file, .z = z, .rows = (size_t)rows};

    return run(&t, limits, error);
}

/* What the child sends comes before its end: what libraries do at an exit decides nothing. */
int perp_work_apart(const char *path, double bytes, int (*work)(void *ctx), void *ctx,
                    perp_io_error *error)
{
    const perp_read_limits none = {0.0, 0.0};
    int fd[2], ended = 0, known, code = -1, heard;
    pid_t pid;

    if (pipe(fd) != 0) {
        fail(error, PERP_ERR_MEMORY, path, "no pipe to a process");
        return -1;
    }
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        close(fd[0]);
        confine_memory(bytes);
        code = work(ctx);
        put(&fd[1], &code, sizeof code);
        exit(code);
    }
    close(fd[1]);
    if (pid < 0) {
        close(fd[0]);
        fail(error, PERP_ERR_MEMORY, path, "no process to read it in");
        return -1;
    }
    heard = get(&fd[0], &code, sizeof code) == 0;
    close(fd[0]);
    known = wait_for(pid, &ended);
    if (heard)
        return code;
    explain(error, path, known, ended, &none);
    return -1;
}
