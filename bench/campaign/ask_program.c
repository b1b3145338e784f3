/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* pipe2 */
#include "bench/campaign/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK = 2 }; /* milliseconds between two looks at a program that closed its output */

static int left(double deadline)
{
    double seconds = deadline - perp_bench_now();
    return seconds > 0.0 ? (int)(1000.0 * seconds) + 1 : 0;
}

/* Bytes until the end of the pipe, until size, or until the deadline. */
static size_t hear(char *answer, size_t size, int in, double deadline)
{
    size_t used = 0;
    struct pollfd p = {in, POLLIN, 0};
    while (used < size) {
        int wait = left(deadline), ready = wait > 0 ? poll(&p, 1, wait) : 0;
        if (ready == 0)
            break;
        ssize_t got = ready < 0 ? -1 : read(in, answer + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    return used;
}

/* 1: it ended by itself before the deadline, with status 0. */
static int ends_well(pid_t child, double deadline)
{
    int status = 1;
    for (;;) {
        pid_t gone = waitpid(child, &status, WNOHANG);
        if (gone == child)
            return status == 0;
        if ((gone < 0 && errno != EINTR) || left(deadline) == 0)
            break;
        if (gone == 0)
            (void)poll(NULL, 0, TICK);
    }
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return 0;
}

int perp_bench_ask(char *answer, size_t size, double seconds, const char *program, const char *what,
                   const char *file)
{
    int pipe_of[2];
    double deadline = perp_bench_now() + seconds;
    answer[0] = '\0';
    if (pipe2(pipe_of, O_CLOEXEC))
        return -1;
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(pipe_of[1], 1);
        if (!file)
            dup2(null, 2);
        execl(program, program, what, file, (char *)NULL);
        _exit(127);
    }
    close(pipe_of[1]);
    /* What does not fit leaves no byte for the end, and is heard no further. */
    size_t used = child > 0 ? hear(answer, size, pipe_of[0], deadline) : 0;
    close(pipe_of[0]);
    int ended = child > 0 && ends_well(child, deadline), fits = used < size;
    used = ended && fits ? used : 0;
    while (used > 0 && answer[used - 1] == '\n')
        used--;
    answer[used] = '\0';
    return !fits ? 1 : ended ? 0 : -1;
}
