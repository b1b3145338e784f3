/* SPDX-License-Identifier: BSD-3-Clause */
/* Another kernel on the same example: a program that prints its instants and its counts,
 *
 *     PROGRAM SERIES EXAMPLE STEPS TOL REPEATS
 *     at T Q V
 *     done STEPS EVALUATIONS EVENTS SECONDS
 */
#include "bench/campaign/accuracy/accuracy.h"

#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/campaign/campaign.h"

extern char **environ;

static FILE *start(pid_t *child, char **argv)
{
    posix_spawn_file_actions_t actions;
    int ends[2], bad;
    if (pipe(ends))
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    bad = posix_spawn(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *f = bad ? NULL : fdopen(ends[0], "r");
    if (!f)
        close(ends[0]);
    return f;
}

static int read_answer(perp_accuracy_track *track, double done[4], FILE *f)
{
    char line[256];
    double x[3];
    int finished = 0;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "at ", 3) == 0 && perp_bench_read_numbers(line + 3, 3, x))
            perp_accuracy_track_add(track, x[0], x[1], x[2]);
        else if (strncmp(line, "done ", 5) == 0 && perp_bench_read_numbers(line + 5, 4, done))
            finished = 1;
    return finished;
}

static int fail(perp_accuracy_point *point, const perp_accuracy *a, const char *note)
{
    snprintf(point->status, sizeof point->status, "failed");
    snprintf(point->note, sizeof point->note, "%s", note);
    return a->stop() ? -1 : 2;
}

int perp_accuracy_peer_trial(perp_accuracy_point *point, const perp_accuracy *a,
                             const perp_impacts_motion *motion, int steps, double tol)
{
    const perp_accuracy_series *series = &a->series[point->series];
    char program[PATH_MAX], text[3][40];
    double done[4], error[PERP_ACCURACY_ERRORS];
    perp_accuracy_track track = {.points = 0};
    pid_t child;
    int status = 0;
    snprintf(text[0], sizeof text[0], "%d", steps);
    snprintf(text[1], sizeof text[1], "%.17g", isnan(tol) ? 0.0 : tol);
    snprintf(text[2], sizeof text[2], "%d", a->repeats);
    char *argv[] = {program,
                    (char *)(series->tols ? "event-driven" : "moreau-jean"),
                    (char *)motion->example->name,
                    text[0],
                    text[1],
                    text[2],
                    NULL};
    if (!perp_bench_program(program, sizeof program, series->peer))
        return fail(point, a, "its program is not there");
    FILE *f = start(&child, argv);
    if (!f)
        return fail(point, a, "its program could not be started");
    int finished = read_answer(&track, done, f);
    fclose(f);
    waitpid(child, &status, 0);
    if (!finished || track.failed || track.points < 2 ||
        perp_accuracy_errors(error, &track, motion) != PERP_SOLVED ||
        track.t[track.points - 1] < motion->example->end - 1e-6) {
        char note[96];
        snprintf(note, sizeof note, "ended at t = %g",
                 track.points > 0 ? track.t[track.points - 1] : 0.0);
        perp_accuracy_track_free(&track);
        return fail(point, a, note);
    }
    perp_accuracy_track_free(&track);
    point->steps += done[0];
    point->evaluations += done[1];
    point->events += done[2];
    point->seconds += done[3];
    for (int e = 0; e < PERP_ACCURACY_ERRORS; e++)
        point->error[e] += error[e];
    return a->stop() ? -1 : 0;
}
