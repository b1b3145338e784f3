/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "bench/scenes/trust_run.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/scenes/trust_series.h"

enum { ARGUMENTS = 16 };

typedef struct place {
    char text[PATH_MAX];
} place;

static place in_folder(const perp_trust_wish *wish, const char *name)
{
    place made;

    snprintf(made.text, sizeof made.text, "%.3000s/%s", wish->folder, name);
    return made;
}

static int write_scene(const perp_trust_scene *scene, const char *path)
{
    FILE *f = fopen(path, "w");

    if (f == NULL)
        return -1;
    perp_trust_write(f, scene);
    return fclose(f);
}

/* In the new process: output to files, a limit of time, and off it goes. */
static _Noreturn void become(char *const argv[], const perp_trust_wish *wish)
{
    struct rlimit limit = {(rlim_t)wish->seconds, (rlim_t)wish->seconds + 2};
    int out = open(in_folder(wish, "report.json").text, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    int err = open(in_folder(wish, "messages").text, O_CREAT | O_WRONLY | O_TRUNC, 0644);

    if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(127);
    setrlimit(RLIMIT_CPU, &limit);
    execvp(argv[0], argv);
    _exit(127);
}

/* The exit status, or -1. */
static int run_perp(const char *scene, const perp_trust_wish *wish)
{
    char until[40], step[40], *argv[ARGUMENTS];
    place out = in_folder(wish, "out");
    int count = 0, status;
    pid_t child;

    argv[count++] = (char *)wish->program;
    argv[count++] = (char *)"run";
    argv[count++] = (char *)scene;
    argv[count++] = (char *)"--json";
    argv[count++] = (char *)"-q";
    argv[count++] = (char *)"--out";
    argv[count++] = out.text;
    if (wish->scheme != NULL) {
        argv[count++] = (char *)"--scheme";
        argv[count++] = (char *)wish->scheme;
    }
    snprintf(until, sizeof until, "%.17g", wish->until);
    snprintf(step, sizeof step, "%.17g", wish->step);
    if (!isnan(wish->until)) {
        argv[count++] = (char *)"--until";
        argv[count++] = until;
    }
    if (!isnan(wish->step)) {
        argv[count++] = (char *)"--step";
        argv[count++] = step;
    }
    argv[count] = NULL;
    unlink(in_folder(wish, "out/series.csv").text);
    unlink(in_folder(wish, "out/series.csv.part").text);
    child = fork();
    if (child == 0)
        become(argv, wish);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The number of a member of the report, anywhere in it; NaN. */
static double number(const char *report, const char *key)
{
    char quoted[64];
    const char *found;
    char *end;
    double value;

    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    found = report != NULL ? strstr(report, quoted) : NULL;
    if (found == NULL)
        return NAN;
    value = strtod(found + strlen(quoted), &end);
    return end == found + strlen(quoted) ? NAN : value;
}

/* The value of a figure of the certificate: "name": NAME, ..., "value": x; NaN. */
static double figure(const char *report, const char *name)
{
    char quoted[64];
    const char *found;

    snprintf(quoted, sizeof quoted, "\"name\": \"%s\"", name);
    found = report != NULL ? strstr(report, quoted) : NULL;
    return number(found, "value");
}

static void word(char *text, size_t size, const char *report, const char *key)
{
    char quoted[64];
    const char *found;

    snprintf(quoted, sizeof quoted, "\"%s\": \"", key);
    found = report != NULL ? strstr(report, quoted) : NULL;
    if (found != NULL)
        snprintf(text, size, "%.*s", (int)strcspn(found + strlen(quoted), "\""),
                 found + strlen(quoted));
}

static void read_report(perp_trust_figures *figures, const perp_trust_wish *wish)
{
    char *report = perp_trust_text(in_folder(wish, "report.json").text);
    char *messages = perp_trust_text(in_folder(wish, "messages").text);
    double unsolved = number(report, "unsolved"), halved = figure(report, "halved");

    word(figures->verdict, sizeof figures->verdict, report, "status");
    word(figures->verdict, sizeof figures->verdict, report, "verdict");
    figures->unsolved = isnan(unsolved) ? -1 : (long)unsolved;
    figures->halved = isnan(halved) ? -1 : (long)halved;
    figures->end = number(report, "t");
    figures->speed = number(report, "steps") / number(report, "seconds");
    if (messages != NULL)
        snprintf(figures->message, sizeof figures->message, "%.*s", (int)strcspn(messages, "\n"),
                 messages);
    free(report);
    free(messages);
}

static void measure_energy(perp_trust_figures *figures, const perp_trust_series *series)
{
    int energy = perp_trust_column(series, "energy"),
        kinetic = perp_trust_column(series, "kinetic");
    int potential = perp_trust_column(series, "potential");
    double lowest = INFINITY, highest = -INFINITY, fastest = 0.0, largest = 0.0;
    double first = perp_trust_at(series, 0, energy), before = first;

    figures->rise = figures->above = 0.0;
    for (int k = 0; k < series->rows; k++) {
        double e = perp_trust_at(series, k, energy), v = perp_trust_at(series, k, potential);
        lowest = fmin(lowest, v);
        highest = fmax(highest, v);
        fastest = fmax(fastest, perp_trust_at(series, k, kinetic));
        largest = fmax(largest, fabs(e));
        figures->rise = fmax(figures->rise, e - before);
        figures->above = fmax(figures->above, e - first);
        before = e;
    }
    figures->scale = fmax(largest, fastest + highest - lowest);
    figures->change = before - first;
    if (figures->scale > 0.0) {
        figures->change /= figures->scale;
        figures->rise /= figures->scale;
        figures->above /= figures->scale;
    }
}

static void measure(perp_trust_figures *figures, const perp_trust_series *series,
                    const perp_trust_scene *scene)
{
    int violation = perp_trust_column(series, "violation");
    int newton = perp_trust_column(series, "newton");
    double sum = 0.0;

    figures->deepest = figures->most = 0.0;
    figures->joints = scene->has_joints ? 0.0 : NAN;
    for (int k = 0; k < series->rows; k++) {
        figures->deepest = fmax(figures->deepest, perp_trust_at(series, k, violation));
        figures->most = fmax(figures->most, perp_trust_at(series, k, newton));
        sum += k > 0 ? perp_trust_at(series, k, newton) : 0.0;
        for (int c = 0; scene->has_joints == 2 && c < series->columns; c++)
            if (strncmp(series->name[c], "joint-", 6) == 0)
                figures->joints = fmax(figures->joints, fabs(perp_trust_at(series, k, c)));
    }
    if (scene->has_joints == 1)
        figures->joints = figures->deepest;
    figures->lasting = perp_trust_at(series, series->rows - 1, violation);
    figures->newton = series->rows > 1 ? sum / (series->rows - 1) : 0.0;
    figures->end = perp_trust_at(series, series->rows - 1, 0);
    measure_energy(figures, series);
    if (scene->error != NULL)
        figures->error = scene->error(series);
}

int perp_trust_run(perp_trust_figures *figures, const perp_trust_scene *scene,
                   const perp_trust_wish *wish)
{
    place path = in_folder(wish, "scene.json");
    perp_trust_series series;

    *figures = (perp_trust_figures){.unsolved = -1,
                                    .halved = -1,
                                    .end = NAN,
                                    .joints = NAN,
                                    .deepest = NAN,
                                    .lasting = NAN,
                                    .scale = NAN,
                                    .change = NAN,
                                    .rise = NAN,
                                    .above = NAN,
                                    .newton = NAN,
                                    .most = NAN,
                                    .speed = NAN,
                                    .error = NAN};
    if (write_scene(scene, path.text) != 0)
        return -1;
    figures->exit = run_perp(path.text, wish);
    if (figures->exit < 0 || figures->exit == 127)
        return -1;
    read_report(figures, wish);
    if (perp_trust_series_read(&series, in_folder(wish, "out/series.csv").text) == 0 ||
        (perp_trust_series_free(&series),
         perp_trust_series_read(&series, in_folder(wish, "out/series.csv.part").text) == 0))
        measure(figures, &series, scene);
    perp_trust_series_free(&series);
    return 0;
}
