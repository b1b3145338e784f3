/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/view_pictures.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perp/io.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/live_progress.h"
#include "cli/message.h"
#include "cli/run_progress.h"
#include "viewer/film.h"
#include "viewer/pictures.h"

/* A film of more pictures is a slip of --speed or --fps. */
enum { MOST = 100000 };

void perp_view_pictures_init(perp_view_pictures *given)
{
    memset(given, 0, sizeof *given);
    given->at = given->from = NAN;
    given->speed = 1.0;
    given->fps = 25.0;
}

static void read_size(perp_view_pictures *given, const char *word, struct argp_state *state)
{
    char end;

    if (sscanf(word, "%4dx%4d%c", &given->width, &given->height, &end) != 2 || given->width < 16 ||
        given->height < 16)
        argp_error(state, "--size: two numbers from 16 to 9999 are expected, as in 1200x800");
}

/* Three numbers and commas alone, since it becomes part of an address. */
static void read_camera(perp_view_pictures *given, const char *word, struct argp_state *state)
{
    int commas = 0;

    for (const char *c = word; *c != '\0'; c++)
        commas += *c == ',';
    if (commas > 2 || strspn(word, "0123456789.,-") != strlen(word))
        argp_error(state, "--camera: up to three numbers are expected, as in 40,20,1.5");
    given->camera = word;
}

static void read_kind(perp_view_pictures *given, perp_picture_kind kind, const char *path,
                      struct argp_state *state)
{
    if (given->kind != PERP_NO_PICTURE)
        argp_error(state, "one of --png, --gif and --mp4 at a time");
    given->kind = kind;
    given->path = path;
}

static error_t film_option(perp_view_pictures *given, int key, char *word, struct argp_state *state)
{
    switch (key) {
    case PERP_KEY_FROM:
        given->film_only = "from";
        given->from = perp_option_real(state, "from", word, -1e300, 1e300);
        return 0;
    case PERP_KEY_SPEED:
        given->film_only = "speed";
        given->speed = perp_option_real(state, "speed", word, 1e-12, 1e12);
        return 0;
    case PERP_KEY_FPS:
        given->film_only = "fps";
        given->fps = perp_option_real(state, "fps", word, 0.1, 120.0);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

error_t perp_view_pictures_option(perp_view_pictures *given, int key, char *word,
                                  struct argp_state *state)
{
    switch (key) {
    case PERP_KEY_PNG:
        read_kind(given, PERP_PICTURE_PNG, word, state);
        return 0;
    case PERP_KEY_GIF:
        read_kind(given, PERP_PICTURE_GIF, word, state);
        return 0;
    case PERP_KEY_MP4:
        read_kind(given, PERP_PICTURE_MP4, word, state);
        return 0;
    case PERP_KEY_AT:
        given->at = perp_option_real(state, "at", word, -1e300, 1e300);
        return 0;
    case PERP_KEY_CAMERA:
        read_camera(given, word, state);
        return 0;
    case PERP_KEY_FOLLOW:
        given->follow = word;
        return 0;
    case PERP_KEY_SIZE:
        read_size(given, word, state);
        return 0;
    default:
        return film_option(given, key, word, state);
    }
}

void perp_view_pictures_check(const perp_view_pictures *given, struct argp_state *state)
{
    int film = given->kind == PERP_PICTURE_GIF || given->kind == PERP_PICTURE_MP4;

    if (given->film_only != NULL && !film)
        argp_error(state, "--%s is of films: it needs --gif or --mp4", given->film_only);
    if (!isnan(given->at) && film)
        argp_error(state, "--at is of a picture; a film has --from and --until");
    /* The pauses of a GIF are hundredths of a second, and viewers make longer those of one. */
    if (given->kind == PERP_PICTURE_GIF && given->fps > 50.0)
        argp_error(state, "--fps: a GIF has 50 pictures in a second at most");
}

/* What the page shows first, as the part of its address after #. */
static void write_fragment(char *text, size_t size, const perp_view_pictures *given)
{
    size_t used = (size_t)snprintf(text, size, "bare");

    if (given->camera != NULL)
        used += (size_t)snprintf(text + used, size - used, "&camera=%.60s", given->camera);
    if (given->follow == NULL)
        return;
    used += (size_t)snprintf(text + used, size - used, "&follow=");
    for (const char *c = given->follow; *c != '\0' && used + 4 < size; c++)
        used += (size_t)snprintf(text + used, size - used, "%%%02X", (unsigned char)*c);
}

typedef struct film_shoot {
    const perp_view_pictures *given;
    perp_film *film;
    const char *part; /* of a single picture */
    long done, count;
    int quiet, terminal;
    double begun, shown;
} film_shoot;

/* One line on a terminal, written again and again; elsewhere a line now and then. */
static void show_progress(film_shoot *shoot)
{
    double now = perp_run_seconds(), rate = (double)(shoot->done - 1) / (now - shoot->begun);

    if (shoot->done == 1) /* the start of the browser says nothing about the next one */
        shoot->begun = now;
    if (shoot->done < 2 || shoot->quiet || now - shoot->shown < (shoot->terminal ? 0.2 : 5.0))
        return;
    shoot->shown = now;
    fprintf(stderr, "%spicture %ld of %ld  %.1f a second  %.0f s left%s",
            shoot->terminal ? "\r\033[K" : "", shoot->done, shoot->count, rate,
            (double)(shoot->count - shoot->done) / rate, shoot->terminal ? "" : "\n");
    fflush(stderr);
}

static void end_progress(const film_shoot *shoot)
{
    if (shoot->terminal && !shoot->quiet && shoot->done > 1)
        fputs("\r\033[K", stderr);
}

static int write_picture(const char *path, const unsigned char *png, size_t size)
{
    FILE *out = fopen(path, "wb");

    if (out == NULL)
        return -1;
    if (size > 0 && fwrite(png, 1, size, out) != size) {
        fclose(out);
        return -1;
    }
    return fclose(out);
}

static int take(void *ctx, const unsigned char *png, size_t size)
{
    film_shoot *shoot = ctx;
    int bad = shoot->film != NULL ? perp_film_add(shoot->film, png, size)
                                  : write_picture(shoot->part, png, size);

    if (bad != 0) {
        perp_complain("%s: %s", shoot->film != NULL ? "a picture of the film" : shoot->part,
                      strerror(errno));
        return 2;
    }
    shoot->done++;
    show_progress(shoot);
    return 0;
}

/* Pictures from `from` on to the end; 0 after a message. */
static long count_pictures(const perp_view_pictures *given, double from, double until)
{
    double step = given->speed / given->fps, count = floor((until - from) / step + 1e-9) + 1.0;

    if (!(until >= from)) {
        perp_complain("%s: the run ends at t = %g, before the film begins", given->path, until);
        return 0;
    }
    if (count < 2.0)
        perp_complain(
            "%s: %g s of the run are one picture; --speed %.1g makes a film of 10 s of it",
            given->path, until - from, (until - from) / 10.0);
    else if (count > (double)MOST)
        perp_complain("%s: %.3g pictures, more than %d: --speed and --fps say how many",
                      given->path, count, MOST);
    else
        return (long)count;
    return 0;
}

/* Under another name until it is whole; the status of the browser, the film or the disk. */
static int shoot(film_shoot *shoot, perp_pictures *wish)
{
    const perp_view_pictures *given = shoot->given;
    char text[512] = "";
    int code = perp_pictures_take(wish, text, sizeof text);

    end_progress(shoot);
    if (code == 0 && shoot->film != NULL)
        code = perp_film_write(shoot->film, given->kind == PERP_PICTURE_GIF, given->fps,
                               shoot->part, perp_interrupted, text, sizeof text);
    if (code == 0 && perp_file_publish(shoot->part, given->path, NULL) != PERP_SOLVED) {
        snprintf(text, sizeof text, "%.400s: %s", given->path, strerror(errno));
        code = -1;
    }
    if (code != 0)
        remove(shoot->part);
    if (code == 1)
        perp_complain("%s: interrupted; no film was written", given->path);
    else if (text[0] != '\0')
        perp_complain("%s", text);
    return code == 0 ? PERP_EXIT_DONE : code == 1 ? PERP_EXIT_STOPPED : PERP_EXIT_ERROR;
}

int perp_view_pictures_make(const perp_view_pictures *given, const char *page, const double span[2],
                            int quiet)
{
    int gif = given->kind == PERP_PICTURE_GIF, png = given->kind == PERP_PICTURE_PNG, code;
    char part[4200], fragment[1024], text[512];
    perp_film film = {"", NULL};
    film_shoot all = {.given = given, .part = part, .quiet = quiet, .count = 1};
    perp_pictures wish = {
        .page = page, .fragment = fragment, .take = take, .ctx = &all, .stop = perp_interrupted};

    wish.width = given->width > 0 ? given->width : gif ? 600 : 1200;
    wish.height = given->height > 0 ? given->height : gif ? 400 : 800;
    wish.first = !png               ? fmax(isnan(given->from) ? span[0] : given->from, span[0])
                 : isnan(given->at) ? span[1]
                                    : given->at;
    wish.step = given->speed / given->fps;
    snprintf(part, sizeof part, "%.4090s.part", given->path);
    write_fragment(fragment, sizeof fragment, given);
    if (!png && (all.count = count_pictures(given, wish.first, span[1])) == 0)
        return PERP_EXIT_ERROR;
    wish.count = all.count;
    if (!png && perp_film_open(&film, text, sizeof text) != 0)
        return perp_complain("%s: %s", given->path, text);
    all.film = png ? NULL : &film;
    all.terminal = isatty(STDERR_FILENO);
    all.begun = all.shown = perp_run_seconds();
    if (write_picture(part, NULL, 0) != 0) { /* said before anything is drawn */
        code = perp_complain("%s: %s", part, strerror(errno));
        perp_film_close(&film);
        return code;
    }
    perp_catch_interrupts();
    code = shoot(&all, &wish);
    perp_film_close(&film);
    if (code == PERP_EXIT_DONE && !quiet && png)
        printf("%s: a picture\n", given->path);
    else if (code == PERP_EXIT_DONE && !quiet)
        printf("%s: %ld pictures, %.3g s\n", given->path, all.count,
               (double)all.count / given->fps);
    return code;
}
