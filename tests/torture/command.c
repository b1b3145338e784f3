/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tests/torture/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 120 }; /* a command that takes longer hangs */

static const char *program(void)
{
    static char path[4096];
    const char *build = getenv("PERP_BUILD");
    snprintf(path, sizeof path, "%s/.libs/perp", build != NULL ? build : ".");
    if (access(path, X_OK) != 0)
        snprintf(path, sizeof path, "%s/perp", build != NULL ? build : ".");
    return path;
}

static const char *shim(void)
{
    static char path[4096];
    const char *build = getenv("PERP_BUILD");
    snprintf(path, sizeof path, "%s/tests/torture/failing_writes.so", build != NULL ? build : ".");
    return path;
}

int torture_has_shim(void)
{
    return access(shim(), R_OK) == 0;
}

static void put_stream(const torture_process *p, int fd, int pipe_end)
{
    int ends[2];
    if (p->stream[fd] == TORTURE_CLOSED) {
        close(fd);
    } else if (p->stream[fd] == TORTURE_BROKEN_PIPE && pipe(ends) == 0) {
        close(ends[0]);
        dup2(ends[1], fd);
        close(ends[1]);
    } else {
        int to = fd == STDERR_FILENO ? pipe_end : open("/dev/null", O_RDWR);
        dup2(to, fd);
    }
}

static void become(const torture_process *p, int pipe_end)
{
    static char *words[TORTURE_WORDS + 2];
    int count = 0;
    words[count++] = (char *)"perp";
    for (int k = 0; p->word[k] != NULL && count <= TORTURE_WORDS; k++)
        words[count++] = (char *)p->word[k];
    if (chdir(p->folder) != 0)
        _exit(98);
    if (p->moment != NULL || p->log != NULL)
        setenv("LD_PRELOAD", shim(), 1);
    if (p->moment != NULL)
        setenv("PERP_TORTURE", p->moment, 1);
    if (p->log != NULL)
        setenv("PERP_TORTURE_LOG", p->log, 1);
    signal(SIGPIPE, SIG_DFL);
    for (int fd = 2; fd >= 0; fd--)
        put_stream(p, fd, pipe_end);
    execv(program(), words);
    _exit(97);
}

static long microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000L + now.tv_nsec / 1000L;
}

/* The text until the process ends, with the signal at its time. */
static void follow(torture_process *p, pid_t child, int from)
{
    size_t used = 0;
    long begun = microseconds();
    int sent = p->signal == 0, hung = 0, state = 0;
    for (;;) {
        char lost[512];
        long since = microseconds() - begun;
        if (!sent && since >= p->delay) {
            kill(child, p->signal);
            sent = 1;
        }
        if (since > SECONDS * 1000000L && !hung) {
            kill(child, SIGKILL);
            hung = 1;
        }
        struct pollfd wait = {from, POLLIN, 0};
        long until = sent ? 1000000L : p->delay - since;
        struct timespec pause = {until / 1000000L, until % 1000000L * 1000L};
        if (until > 0 && ppoll(&wait, 1, &pause, NULL) <= 0)
            continue;
        if (until <= 0)
            continue;
        int full = used >= sizeof p->text - 1;
        ssize_t got = full ? read(from, lost, sizeof lost)
                           : read(from, p->text + used, sizeof p->text - 1 - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += full ? 0 : (size_t)got;
    }
    p->text[used] = '\0';
    if (!sent) { /* standard error ended first */
        long left = p->delay - (microseconds() - begun);
        if (left > 0)
            usleep((useconds_t)left);
        kill(child, p->signal);
    }
    while (waitpid(child, &state, WNOHANG) == 0) {
        if (microseconds() - begun > SECONDS * 1000000L && !hung) {
            kill(child, SIGKILL);
            hung = 1;
        }
        usleep(500);
    }
    p->status = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    p->number = hung ? -1 : WIFSIGNALED(state) ? WTERMSIG(state) : 0;
}

void torture_run(torture_process *p)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        perror("pipe");
        exit(99);
    }
    pid_t child = fork();
    if (child == 0)
        become(p, ends[1]);
    close(ends[1]);
    if (child < 0) {
        perror("fork");
        exit(99);
    }
    follow(p, child, ends[0]);
    close(ends[0]);
}
