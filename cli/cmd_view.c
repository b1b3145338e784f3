/* SPDX-License-Identifier: BSD-3-Clause */
/* perp view: one HTML file of a run, or of a problem. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, nftw */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perp/io.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/live_progress.h"
#include "cli/message.h"
#include "cli/view_problem.h"
#include "cli/view_report.h"
#include "viewer/page.h"
#include "viewer/serve.h"
#include "viewer/snapshot.h"

typedef struct view_arguments {
    perp_shared shared;
    const char *word;  /* the folder, or the scene */
    const char *out;   /* the page */
    const char *three; /* three.js */
    const char *until, *step;
    const char *png, *camera;  /* a picture, and from where */
    double at;                 /* its time; NaN: the end */
    int width, height;
    int serve;
    char own_out[4096], folder[4096]; /* folder: of a run that was made for the page, "" without */
} view_arguments;

enum { KEY_THREE = 256, KEY_STEP, KEY_PNG, KEY_AT, KEY_CAMERA, KEY_SIZE, KEY_SERVE };

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "The page (DIR/view.html, or the name of the file with .html)", 0},
    {"png", KEY_PNG, "FILE", 0, "A picture, by Chromium without a window; no page without -o", 0},
    {"at", KEY_AT, "T", 0, "Time of the picture (the end)", 0},
    {"camera", KEY_CAMERA, "A,B,Z", 0, "Where it is seen from: turn and rise in degrees, and zoom", 0},
    {"size", KEY_SIZE, "WxH", 0, "Its size in pixels (1200x800)", 0},
    {"until", 'u', "T", 0, "Of a scene: the end of its run", 0},
    {"step", KEY_STEP, "H", 0, "Of a scene: length of a step", 0},
    {"serve", KEY_SERVE, NULL, 0, "Serve the page on a port of 127.0.0.1 until Ctrl-C", 0},
    {"three", KEY_THREE, "FILE", 0, "three.js to put into the page (" PERP_THREE ")", 0},
    {0}};

static void read_size(view_arguments *given, const char *word, struct argp_state *state)
{
    char end;

    if (sscanf(word, "%4dx%4d%c", &given->width, &given->height, &end) != 2 || given->width < 16 ||
        given->height < 16)
        argp_error(state, "--size: two numbers from 16 to 9999 are expected, as in 1200x800");
}

/* Three numbers and commas alone, since it becomes part of an address. */
static void read_camera(view_arguments *given, const char *word, struct argp_state *state)
{
    int commas = 0;

    for (const char *c = word; *c != '\0'; c++)
        commas += *c == ',';
    if (commas > 2 || strspn(word, "0123456789.,-") != strlen(word))
        argp_error(state, "--camera: up to three numbers are expected, as in 40,20,1.5");
    given->camera = word;
}

static error_t picture_option(view_arguments *given, int key, char *word, struct argp_state *state)
{
    switch (key) {
    case KEY_PNG:
        given->png = word;
        return 0;
    case KEY_AT:
        given->at = perp_option_real(state, "at", word, -1e300, 1e300);
        return 0;
    case KEY_CAMERA:
        read_camera(given, word, state);
        return 0;
    case KEY_SIZE:
        read_size(given, word, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    view_arguments *given = input;

    switch (key) {
    case 'o':
        given->out = word;
        return 0;
    case 'u':
        perp_option_real(state, "until", word, -1e300, 1e300);
        given->until = word;
        return 0;
    case KEY_STEP:
        perp_option_real(state, "step", word, 1e-300, 1e300);
        given->step = word;
        return 0;
    case KEY_SERVE:
        given->serve = 1;
        return 0;
    case KEY_THREE:
        given->three = word;
        return 0;
    default:
        return picture_option(given, key, word, state);
    }
}

static void more_help(FILE *out, int all)
{
    (void)all;
    fputs("\nThe page needs no network and no other file: three.js, the bodies and the motion are\n"
          "inside. What it shows is what the run wrote to motion.bin: --out DIR of perp run writes it.\n"
          "\nExample:\n  perp run examples/scenes/box_stack.json --out stack\n"
          "  perp view stack -o stack.html\n",
          out);
}

static int drop(const char *path, const struct stat *info, int flag, struct FTW *where)
{
    (void)info, (void)flag, (void)where;
    return remove(path);
}

static char own_folder[4096];

static void drop_folder(void)
{
    if (own_folder[0] != '\0')
        nftw(own_folder, drop, 16, FTW_DEPTH | FTW_PHYS);
    own_folder[0] = '\0';
}

/* Makes the run of a scene, as perp run does, in a folder of its own. */
static int make_run(view_arguments *given)
{
    const char *place = getenv("TMPDIR");
    char *line[16 + 2 * PERP_MOST_SETTINGS];
    int n = 0, code;

    snprintf(own_folder, sizeof own_folder, "%s/perp-view-XXXXXX",
             place != NULL && place[0] != '\0' ? place : "/tmp");
    if (mkdtemp(own_folder) == NULL) {
        own_folder[0] = '\0';
        return perp_complain("%s: %s", place != NULL ? place : "/tmp", strerror(errno));
    }
    atexit(drop_folder);
    line[n++] = (char *)"perp run";
    line[n++] = (char *)"--out";
    line[n++] = own_folder;
    line[n++] = (char *)"--quiet";
    if (given->until != NULL) {
        line[n++] = (char *)"--until";
        line[n++] = (char *)given->until;
    }
    if (given->step != NULL) {
        line[n++] = (char *)"--step";
        line[n++] = (char *)given->step;
    }
    if (given->shared.solver != NULL) {
        line[n++] = (char *)"--solver";
        line[n++] = (char *)given->shared.solver;
    }
    for (int k = 0; k < given->shared.sets; k++) {
        line[n++] = (char *)"--set";
        line[n++] = (char *)given->shared.set[k];
    }
    line[n++] = (char *)"--";
    line[n++] = (char *)given->word;
    line[n] = NULL;
    code = perp_cmd_run(n, line);
    snprintf(given->folder, sizeof given->folder, "%s", own_folder);
    return code == PERP_EXIT_STOPPED ? PERP_EXIT_DONE : code; /* the page shows what is not certified */
}

/* Where the page goes to if the user does not say. */
static void name_page(view_arguments *given, int is_folder)
{
    const char *name = strrchr(given->word, '/'), *end;

    if (given->out != NULL)
        return;
    given->out = given->own_out;
    if (given->png != NULL) {
        snprintf(given->own_out, sizeof given->own_out, "%s.html", given->png);
        return;
    }
    if (is_folder) {
        snprintf(given->own_out, sizeof given->own_out, "%s/view.html", given->word);
        return;
    }
    name = name != NULL ? name + 1 : given->word;
    end = strrchr(name, '.');
    snprintf(given->own_out, sizeof given->own_out, "%.*s.html",
             (int)(end != NULL && end != name ? (size_t)(end - name) : strlen(name)), name);
}

static void describe_cut(char *note, size_t size, const perp_motion *motion)
{
    double t = perp_motion_number(&motion->frames[motion->nframes - 1], PERP_CURVE_TIME);

    note[0] = '\0';
    if (motion->cut)
        snprintf(note, size, "The run goes on, or was cut off: shown up to t = %g", t);
}

/* Under another name until it is whole. */
static int write_page(const view_arguments *given, const perp_motion *motion)
{
    char part[4200], note[128], text[512] = "";
    FILE *out;
    long bytes;
    int bad;

    describe_cut(note, sizeof note, motion);
    snprintf(part, sizeof part, "%s.part", given->out);
    out = fopen(part, "wb");
    if (out == NULL)
        return perp_complain("%s: %s", part, strerror(errno));
    bad = perp_page_motion(out, motion, note, given->three, text, sizeof text);
    bytes = ftell(out);
    if ((ferror(out) | fclose(out)) != 0 && bad == 0) {
        bad = -1;
        snprintf(text, sizeof text, "%.400s: %s", part, strerror(errno));
    }
    if (bad == 0 && perp_file_publish(part, given->out, NULL) != PERP_SOLVED) {
        bad = -1;
        snprintf(text, sizeof text, "%.400s: %s", given->out, strerror(errno));
    }
    if (bad != 0) {
        remove(part);
        return perp_complain("%s", text);
    }
    if (!given->shared.quiet && !(given->png != NULL && given->out == given->own_out))
        printf("%s: %zu instants, %.1f MB\n", given->out, motion->nframes, 1e-6 * (double)bytes);
    if (note[0] != '\0' && !given->shared.quiet)
        perp_complain("%s: %s", given->word, note);
    return PERP_EXIT_DONE;
}

static int take_picture(const view_arguments *given, const perp_motion *motion)
{
    double end = perp_motion_number(&motion->frames[motion->nframes - 1], PERP_CURVE_TIME);
    char fragment[256], text[4600] = "";
    perp_snapshot wish = {given->out, fragment, given->png, given->width, given->height};
    int bad;

    snprintf(fragment, sizeof fragment, "bare&t=%.17g%s%s", isnan(given->at) ? end : given->at,
             given->camera != NULL ? "&camera=" : "", given->camera != NULL ? given->camera : "");
    bad = perp_snapshot_take(&wish, text, sizeof text);
    if (given->out == given->own_out)
        remove(given->out);
    if (bad != 0)
        return perp_complain("%s", text);
    if (!given->shared.quiet)
        printf("%s: a picture\n", given->png);
    return PERP_EXIT_DONE;
}

/* Until Ctrl-C; what the address holds is known to this terminal alone. */
static int serve_page(const view_arguments *given)
{
    perp_serve serve;
    char text[256];

    if (perp_serve_open(&serve, 0, text, sizeof text) != 0)
        return perp_complain("--serve: %s", text);
    perp_catch_interrupts();
    printf("%s\n", serve.url);
    fflush(stdout);
    perp_serve_file(&serve, given->out, perp_interrupted);
    perp_serve_close(&serve);
    return PERP_EXIT_DONE;
}

static int view(view_arguments *given)
{
    char text[4600];
    struct stat info;
    perp_motion motion;
    int code, is_folder;

    if (stat(given->word, &info) != 0)
        return perp_complain("%s: %s", given->word, strerror(errno));
    is_folder = S_ISDIR(info.st_mode);
    snprintf(given->folder, sizeof given->folder, "%s", given->word);
    name_page(given, is_folder);
    if (!is_folder && perp_is_campaign(given->word) && given->png == NULL)
        return perp_view_campaign(given->word, given->out, given->shared.quiet);
    if (!is_folder && perp_is_problem(given->word))
        return given->png != NULL
                   ? perp_complain("--png: %s is no run; pictures are made of runs", given->word)
                   : perp_view_problem(&given->shared, given->word, given->out);
    if (!is_folder && (code = make_run(given)) != PERP_EXIT_DONE)
        return code;
    if (perp_motion_read(&motion, given->folder, text, sizeof text) != 0)
        return perp_complain("%s", text);
    code = write_page(given, &motion);
    if (code == PERP_EXIT_DONE && given->png != NULL)
        code = take_picture(given, &motion);
    perp_motion_release(&motion);
    return code;
}

int perp_cmd_view(int argc, char **argv)
{
    perp_command_line line = {.options = options,
                              .option = option,
                              .takes = PERP_TAKES_SOLVER | PERP_TAKES_QUIET,
                              .words = "DIR|SCENE|PROBLEM",
                              .about = "Writes one HTML file that shows the run in DIR, a run of "
                                       "SCENE that it makes, a PROBLEM file and its solve, or "
                                       "the results of perp bench in a file .csv, in any browser.",
                              .missing = "no DIR, SCENE or PROBLEM given",
                              .least = 1,
                              .most = 1,
                              .more = more_help};
    view_arguments given;
    int code;

    memset(&given, 0, sizeof given);
    given.three = PERP_THREE;
    given.at = NAN;
    given.width = 1200;
    given.height = 800;
    perp_read_arguments(&given.shared, &line, &given, argc, argv);
    given.word = given.shared.word[0];
    if (given.serve && given.png != NULL)
        exit(perp_complain("--serve shows a page, --png makes a picture: not both"));
    code = view(&given);
    drop_folder();
    if (code == PERP_EXIT_DONE && given.serve)
        code = serve_page(&given);
    free(given.shared.word);
    return code;
}
