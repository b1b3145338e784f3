/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs scenes that show whether a simulation can be trusted, and prints what was measured:
 *
 *     trust [--perp PROGRAM] [--beside PROGRAM] [--scheme NAME] [--beside-scheme NAME]
 *           [--until T] [--step H] [--seconds N] [--keep DIR] [SCENE...]
 *     trust --list
 *     trust --write DIR [SCENE...]
 *
 * --perp is the perp of this build where it is absent; with --beside another one, of another build
 * say, makes the same runs, a line below.  A SCENE is a name or the beginning of some; without any,
 * all of them.  --seconds: CPU time of a run, 600.  --write: the scenes as files, to be run or
 * changed by hand.
 *
 *     joints     largest violation of a joint at any step, m
 *     deepest    largest violation of all interactions at any step, m;  lasting: at the end
 *     change     energy at the end less that at the start, as a part of its scale: the largest
 * energy, or the largest kinetic one and the range of the potential where that is more rise largest
 * rise of the energy in a step, of the same scale;  above: over its start unsolved   steps without
 * a solution within the tolerance;  halved: steps that were cut newton     iterations of a step,
 * mean and largest error      distance from a closed form: mean of |q - exact| (ball, oscillator),
 * velocities of the first and the last ball (cradle), largest tilt after an impact (rocking) */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/scenes/trust_run.h"

typedef struct options {
    perp_trust_wish here, beside;
    const char *write, *keep;
    char program[PATH_MAX];
    int list, first; /* first SCENE among the arguments */
} options;

static int wanted(const char *name, int argc, char **argv, int first)
{
    for (int k = first; k < argc; k++)
        if (strncmp(name, argv[k], strlen(argv[k])) == 0)
            return 1;
    return first >= argc;
}

static int read_number(double *value, const char *text)
{
    char *end;

    *value = strtod(text, &end);
    return end == text || *end != '\0' || !isfinite(*value) || !(*value > 0.0) ? -1 : 0;
}

static int read_option(options *o, const char *name, const char *value)
{
    double number = NAN;

    if (strcmp(name, "--perp") == 0)
        o->here.program = value;
    else if (strcmp(name, "--beside") == 0)
        o->beside.program = value;
    else if (strcmp(name, "--scheme") == 0)
        o->here.scheme = value;
    else if (strcmp(name, "--beside-scheme") == 0)
        o->beside.scheme = value;
    else if (strcmp(name, "--write") == 0)
        o->write = value;
    else if (strcmp(name, "--keep") == 0)
        o->keep = value;
    else if (read_number(&number, value) != 0)
        return -1;
    else if (strcmp(name, "--until") == 0)
        o->here.until = o->beside.until = number;
    else if (strcmp(name, "--step") == 0)
        o->here.step = o->beside.step = number;
    else if (strcmp(name, "--seconds") == 0)
        o->here.seconds = o->beside.seconds = number < 1e6 ? (int)ceil(number) : 1000000;
    else
        return -1;
    return 0;
}

static int read_arguments(options *o, int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');

    memset(o, 0, sizeof *o);
    snprintf(o->program, sizeof o->program, "%.*s../perp",
             slash != NULL ? (int)(slash + 1 - argv[0]) : 0, argv[0]);
    o->here = (perp_trust_wish){.program = o->program, .until = NAN, .step = NAN, .seconds = 600};
    o->beside = o->here;
    o->beside.program = NULL;
    for (o->first = 1; o->first < argc && argv[o->first][0] == '-'; o->first++) {
        if (strcmp(argv[o->first], "--list") == 0) {
            o->list = 1;
            continue;
        }
        if (o->first + 1 == argc || read_option(o, argv[o->first], argv[o->first + 1]) != 0)
            return -1;
        o->first++;
    }
    for (int k = o->first; k < argc; k++) {
        int known = 0;
        for (const perp_trust_scene *s = perp_trust_scenes; s->name != NULL; s++)
            known |= strncmp(s->name, argv[k], strlen(argv[k])) == 0;
        if (!known) {
            fprintf(stderr, "trust: no scene is called '%s'; see --list\n", argv[k]);
            return -1;
        }
    }
    return 0;
}

/* A figure in a column of ten; "-" where there is none. */
static void show(double value, const char *format)
{
    char text[32] = "-";

    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    printf(" %9s", text);
}

static void show_count(long value)
{
    if (value < 0)
        printf(" %8s", "-");
    else
        printf(" %8ld", value);
}

static void show_line(const char *name, const char *which, const perp_trust_figures *f)
{
    printf("%-16s %-6s", name, which);
    show(f->joints, "%.1e");
    show(f->deepest, "%.1e");
    show(f->lasting, "%.1e");
    show(f->change, "%.1e");
    show(f->rise, "%.1e");
    show(f->above, "%.1e");
    show_count(f->unsolved);
    show_count(f->halved);
    show(f->newton, "%.1f");
    show(f->most, "%.0f");
    show(f->speed, "%.0f");
    show(f->error, "%.1e");
    printf("  %s", f->verdict[0] != '\0' ? f->verdict : "stopped");
    if (f->exit != 0)
        printf(", exit %d at t = %.4g", f->exit, f->end);
    if (f->exit != 0 && f->message[0] != '\0')
        printf(": %.120s", f->message);
    putchar('\n');
    fflush(stdout);
}

static int run_all(options *o, int argc, char **argv)
{
    perp_trust_figures figures;

    printf("%-16s %-6s %9s %9s %9s %9s %9s %9s %8s %8s %9s %9s %9s %9s\n", "scene", "", "joints",
           "deepest", "lasting", "change", "rise", "above", "unsolved", "halved", "newton", "most",
           "steps/s", "error");
    for (const perp_trust_scene *s = perp_trust_scenes; s->name != NULL; s++) {
        perp_trust_wish *const wishes[2] = {&o->here, &o->beside};
        if (!wanted(s->name, argc, argv, o->first))
            continue;
        for (int k = 0; k < 2; k++) {
            if (wishes[k]->program == NULL)
                continue;
            if (perp_trust_run(&figures, s, wishes[k]) != 0) {
                fprintf(stderr, "trust: %s could not be run\n", wishes[k]->program);
                return 2;
            }
            show_line(k == 0 ? s->name : "", k == 0 ? "here" : "beside", &figures);
        }
    }
    return 0;
}

static int write_all(const options *o, int argc, char **argv)
{
    mkdir(o->write, 0777);
    for (const perp_trust_scene *s = perp_trust_scenes; s->name != NULL; s++) {
        char path[PATH_MAX];
        FILE *f;
        if (!wanted(s->name, argc, argv, o->first))
            continue;
        snprintf(path, sizeof path, "%.3000s/%s.json", o->write, s->name);
        f = fopen(path, "w");
        if (f != NULL)
            perp_trust_write(f, s);
        if (f == NULL || fclose(f) != 0) {
            perror(path);
            return 2;
        }
    }
    return 0;
}

static int drop(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

int main(int argc, char **argv)
{
    char folder[PATH_MAX];
    const char *tmp = getenv("TMPDIR");
    options o;
    int code;

    if (read_arguments(&o, argc, argv) != 0) {
        fputs("usage: trust [--perp PROGRAM] [--beside PROGRAM] [--scheme NAME] [--until T]\n"
              "             [--step H] [--seconds N] [--keep DIR] [--list] [--write DIR] "
              "[SCENE...]\n",
              stderr);
        return 2;
    }
    if (o.list) {
        for (const perp_trust_scene *s = perp_trust_scenes; s->name != NULL; s++)
            printf("%-16s %s\n", s->name, s->title);
        return 0;
    }
    if (o.write != NULL)
        return write_all(&o, argc, argv);
    snprintf(folder, sizeof folder, "%.3000s/perp-trust-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (o.keep != NULL)
        mkdir(o.keep, 0777);
    else if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 2;
    }
    o.here.folder = o.beside.folder = o.keep != NULL ? o.keep : folder;
    code = run_all(&o, argc, argv);
    if (o.keep == NULL)
        nftw(folder, drop, 16, FTW_DEPTH | FTW_PHYS);
    return code;
}
