/* SPDX-License-Identifier: BSD-3-Clause */
/* perp view: one HTML file of a run, or of a problem. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <perp/io.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/live_progress.h"
#include "cli/message.h"
#include "cli/view_pictures.h"
#include "cli/view_problem.h"
#include "cli/view_report.h"
#include "viewer/own_folder.h"
#include "viewer/page.h"
#include "viewer/serve.h"

typedef struct view_arguments {
    perp_shared shared;
    const char *word;  /* the folder, or the scene */
    const char *out;   /* the page */
    const char *three; /* three.js */
    const char *until, *step;
    double end; /* of --until */
    perp_view_pictures pictures;
    const char *problems; /* folder of those of a campaign */
    int serve;
    perp_serve_links links;           /* of the page of a campaign */
    char own_out[4096], folder[4096]; /* folder: of a run that was made for the page, "" without */
} view_arguments;

enum { KEY_THREE = 256, KEY_STEP, KEY_PROBLEMS, KEY_SERVE };
enum { LONGEST = 1000 }; /* bytes of a reason on a page */

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "The page (DIR/view.html, or the name of the file with .html)", 0},
    PERP_PICTURE_ARGUMENTS,
    {"until", 'u', "T", 0, "The end of a film, and of the run of a scene", 0},
    {"step", KEY_STEP, "H", 0, "Of a scene: length of a step", 0},
    {"problems", KEY_PROBLEMS, "DIR", 0,
     "Of results: the folder of the problems, whose pages the rows then open", 0},
    {"serve", KEY_SERVE, NULL, 0, "Serve the page on a port of 127.0.0.1 until Ctrl-C", 0},
    {"three", KEY_THREE, "FILE", 0, "three.js to put into the page (" PERP_THREE ")", 0},
    {0}};

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    view_arguments *given = input;

    switch (key) {
    case 'o':
        given->out = word;
        return 0;
    case 'u':
        given->end = perp_option_real(state, "until", word, -1e300, 1e300);
        given->until = word;
        return 0;
    case KEY_STEP:
        perp_option_real(state, "step", word, 1e-300, 1e300);
        given->step = word;
        return 0;
    case KEY_PROBLEMS:
        given->problems = word;
        return 0;
    case KEY_SERVE:
        given->serve = 1;
        return 0;
    case KEY_THREE:
        given->three = word;
        return 0;
    default:
        return perp_view_pictures_option(&given->pictures, key, word, state);
    }
}

static void check(void *input, struct argp_state *state)
{
    const view_arguments *given = input;

    perp_view_pictures_check(&given->pictures, state);
    if (given->serve && given->pictures.kind != PERP_NO_PICTURE)
        argp_error(state, "--serve shows a page; --png, --gif and --mp4 make pictures: not both");
}

static void more_help(FILE *out, int all)
{
    (void)all;
    fputs("\nThe page needs no network and no other file: three.js, the bodies and the motion are\n"
          "inside. What it shows is what the run wrote to motion.bin: --out DIR of perp run writes "
          "it.\n"
          "\nExample:\n  perp run examples/scenes/box_stack.json --out stack\n"
          "  perp view stack -o stack.html\n",
          out);
}

static char own_folder[4096];

static void drop_folder(void)
{
    perp_own_folder_drop(own_folder);
}

/* Makes the run of a scene, as perp run does, in a folder of its own. */
static int make_run(view_arguments *given)
{
    char *line[16 + 2 * PERP_MOST_SETTINGS];
    int n = 0, code;

    if (perp_own_folder_make(own_folder, sizeof own_folder, "perp-view") != 0)
        return perp_complain("a folder for the run: %s", strerror(errno));
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
    return code == PERP_EXIT_STOPPED ? PERP_EXIT_DONE
                                     : code; /* the page shows what is not certified */
}

/* Where the page goes to if the user does not say. */
static void name_page(view_arguments *given, int is_folder)
{
    const char *name = strrchr(given->word, '/'), *end;

    if (given->out != NULL)
        return;
    given->out = given->own_out;
    if (given->pictures.kind != PERP_NO_PICTURE) {
        snprintf(given->own_out, sizeof given->own_out, "%s.html", given->pictures.path);
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

static void describe_end(char *note, size_t size, const perp_motion *motion)
{
    double t = perp_motion_number(&motion->frames[motion->nframes - 1], PERP_CURVE_TIME);

    note[0] = '\0';
    if (motion->cut)
        snprintf(note, size, "The run goes on, or was cut off: shown up to t = %g", t);
    else if (motion->why != NULL)
        snprintf(note, size, "The run stopped: %.*s",
                 (int)(motion->why_size < LONGEST ? motion->why_size : LONGEST), motion->why);
}

/* 1: the page is there for its pictures alone, and goes when they are made. */
static int is_passing(const view_arguments *given)
{
    return given->pictures.kind != PERP_NO_PICTURE && given->out == given->own_out;
}

/* Under another name until it is whole. */
static int write_page(const view_arguments *given, const perp_motion *motion)
{
    char part[4200], note[LONGEST + 64], text[512] = "";
    FILE *out;
    long bytes;
    int bad;

    describe_end(note, sizeof note, motion);
    snprintf(part, sizeof part, "%s.part", given->out);
    out = fopen(part, "wb");
    if (out == NULL)
        return perp_complain("%s: %s", part, strerror(errno));
    bad = perp_page_motion(out, motion, note, given->three, text, sizeof text);
    bytes = ftell(out);
    if (((bytes < 0) | ferror(out) | fclose(out)) != 0 && bad == 0) {
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
    if (!given->shared.quiet && !is_passing(given))
        printf("%s: %zu instants, %.1f MB\n", given->out, motion->nframes, 1e-6 * (double)bytes);
    if (note[0] != '\0' && !given->shared.quiet)
        perp_complain("%s: %s", given->word, note);
    return PERP_EXIT_DONE;
}

static int take_pictures(const view_arguments *given, const perp_motion *motion)
{
    double span[2] = {perp_motion_number(&motion->frames[0], PERP_CURVE_TIME),
                      perp_motion_number(&motion->frames[motion->nframes - 1], PERP_CURVE_TIME)};
    int code;

    span[1] = given->until != NULL ? fmin(given->end, span[1]) : span[1];
    code = perp_view_pictures_make(&given->pictures, given->out, span, given->shared.quiet);
    if (is_passing(given))
        remove(given->out);
    return code;
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
    if (fflush(stdout) != 0) {
        perp_complain("--serve: its address cannot be printed: %s", strerror(errno));
        perp_serve_close(&serve);
        return PERP_EXIT_ERROR;
    }
    perp_serve_page(&serve, given->out, &given->links, perp_interrupted);
    perp_serve_close(&serve);
    return PERP_EXIT_DONE;
}

/* A report of perp bench: the page of the results that it was made of. */
static int view_report(view_arguments *given, const char *source)
{
    if (source[0] == '\0')
        return perp_complain(
            "%s is a report of perp bench; perp view RESULTS.csv, the file that it "
            "was made of, shows its profiles and tables",
            given->word);
    if (given->out == given->own_out) {
        given->word = source;
        given->out = NULL;
        name_page(given, 0);
    }
    return perp_view_campaign(&given->shared, source, given->problems, given->out, &given->links);
}

static int view(view_arguments *given)
{
    char text[4600], source[4096];
    struct stat info;
    perp_motion motion;
    int code, is_folder, pictures = given->pictures.kind != PERP_NO_PICTURE;

    if (stat(given->word, &info) != 0)
        return perp_complain("%s: %s", given->word, strerror(errno));
    is_folder = S_ISDIR(info.st_mode);
    snprintf(given->folder, sizeof given->folder, "%s", given->word);
    name_page(given, is_folder);
    if (is_folder && !pictures && perp_report_source(source, sizeof source, given->word))
        return view_report(given, source);
    if (!is_folder && perp_is_campaign(given->word) && !pictures)
        return perp_view_campaign(&given->shared, given->word, given->problems, given->out,
                                  &given->links);
    if (!is_folder && perp_is_problem(given->word))
        return pictures ? perp_complain("%s is no run; pictures are made of runs", given->word)
                        : perp_view_problem(&given->shared, given->word, given->out);
    if (!is_folder && (code = make_run(given)) != PERP_EXIT_DONE)
        return code;
    if (perp_motion_read(&motion, given->folder, text, sizeof text) != 0)
        return perp_complain("%s", text);
    code = write_page(given, &motion);
    if (code == PERP_EXIT_DONE && pictures)
        code = take_pictures(given, &motion);
    perp_motion_release(&motion);
    return code;
}

int perp_cmd_view(int argc, char **argv)
{
    perp_command_line line = {.options = options,
                              .option = option,
                              .check = check,
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
    perp_view_pictures_init(&given.pictures);
    perp_read_arguments(&given.shared, &line, &given, argc, argv);
    given.word = given.shared.word[0];
    code = view(&given);
    drop_folder();
    if (code == PERP_EXIT_DONE && given.serve)
        code = serve_page(&given);
    perp_serve_links_free(&given.links);
    free(given.shared.word);
    return code;
}
