/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* fork, kill, nanosleep */
#include "viewer/film.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "viewer/own_folder.h"

enum { NOT_FOUND = 127, WORDS = 24 };

/* Runs ffmpeg; its exit status, 128 where a signal ended it, -1 where `stop` did or there is none.
 */
static int run(const char *const *words, int loud, int (*stop)(void))
{
    const struct timespec pause = {0, 20000000};
    pid_t child;
    int status = 0;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        const char *line[WORDS + 8] = {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error"};
        int nothing = open("/dev/null", O_RDWR), n = 5;
        for (int k = 0; words[k] != NULL && k < WORDS; k++)
            line[n++] = words[k];
        dup2(nothing, 0);
        dup2(nothing, 1);
        if (!loud)
            dup2(nothing, 2);
        setpgid(0, 0); /* Ctrl-C reaches this program, which then ends it */
        execvp(line[0], (char *const *)line);
        _exit(NOT_FOUND);
    }
    while (child > 0) {
        pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
        if (done < 0 && errno != EINTR)
            return -1;
        if (stop != NULL && stop()) {
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return -1;
}

static void place(char *path, size_t size, const perp_film *film, const char *name)
{
    snprintf(path, size, "file:%s/%s", film->folder, name);
}

int perp_film_open(perp_film *film, char *text, size_t size)
{
    static const char *const words[] = {"-version", NULL};
    char path[4200];
    int status;

    memset(film, 0, sizeof *film);
    status = run(words, 0, NULL);
    if (status != 0) {
        snprintf(text, size, "a film needs ffmpeg, which %s",
                 status > 0 ? "is not installed (Debian: ffmpeg)" : "cannot be started");
        return -1;
    }
    if (perp_own_folder_make(film->folder, sizeof film->folder, "perp-film") == 0) {
        place(path, sizeof path, film, "frames");
        film->frames = fopen(path + strlen("file:"), "wb");
    }
    if (film->frames != NULL)
        return 0;
    snprintf(text, size, "no place for the pictures of a film: %s", strerror(errno));
    perp_film_close(film);
    return -1;
}

int perp_film_add(perp_film *film, const unsigned char *png, size_t size)
{
    return fwrite(png, 1, size, film->frames) == size ? 0 : -1;
}

int perp_film_write(perp_film *film, int gif, double fps, const char *path, int (*stop)(void),
                    char *text, size_t size)
{
    char rate[32], frames[4200], colours[4200], out[4200];
    int status;

    snprintf(rate, sizeof rate, "%.6g", fps);
    place(frames, sizeof frames, film, "frames");
    place(colours, sizeof colours, film, "colours.png");
    snprintf(out, sizeof out, "file:%s", path);
    if (fflush(film->frames) != 0) {
        snprintf(text, size, "%.200s: %s", film->folder, strerror(errno));
        return -1;
    }
    if (gif) {
        const char *first[] = {"-f",      "image2pipe", "-c:v", "png",        "-framerate", rate,
                               "-i",      frames,       "-vf",  "palettegen", "-frames:v",  "1",
                               "-update", "1",          "-y",   colours,      NULL};
        const char *second[] = {
            "-f",    "image2pipe", "-c:v",
            "png",   "-framerate", rate,
            "-i",    frames,       "-i",
            colours, "-lavfi",     "paletteuse=dither=sierra2_4a:diff_mode=rectangle",
            "-f",    "gif",        "-y",
            out,     NULL};
        status = run(first, 1, stop);
        if (status == 0)
            status = run(second, 1, stop);
    } else {
        /* Players want an even number of pixels, and this arrangement of colours. */
        const char *only[] = {"-f",         "image2pipe",
                              "-c:v",       "png",
                              "-framerate", rate,
                              "-i",         frames,
                              "-vf",        "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p",
                              "-movflags",  "+faststart",
                              "-f",         "mp4",
                              "-y",         out,
                              NULL};
        status = run(only, 1, stop);
    }
    if (status == -1 && stop != NULL && stop())
        return 1;
    if (status == 0)
        return 0;
    snprintf(text, size, "%.400s: ffmpeg wrote no film (status %d)", path, status);
    return -1;
}

void perp_film_close(perp_film *film)
{
    if (film->frames != NULL)
        fclose(film->frames);
    film->frames = NULL;
    perp_own_folder_drop(film->folder);
}
