/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures and films of a run: perp view --png, --gif, --mp4. */
#ifndef PERP_CLI_VIEW_PICTURES_H
#define PERP_CLI_VIEW_PICTURES_H

#include <argp.h>

typedef enum perp_picture_kind {
    PERP_NO_PICTURE,
    PERP_PICTURE_PNG,
    PERP_PICTURE_GIF,
    PERP_PICTURE_MP4
} perp_picture_kind;

/* What the command line asks for. */
typedef struct perp_view_pictures {
    perp_picture_kind kind;
    const char *path;
    const char *camera, *follow; /* NULL: not given */
    double at, from, speed, fps; /* at, from: NaN: not given */
    int width, height;           /* 0: not given */
    const char *film_only;       /* an option that a picture does not have; NULL: none was given */
} perp_view_pictures;

enum {
    PERP_KEY_PNG = 500,
    PERP_KEY_GIF,
    PERP_KEY_MP4,
    PERP_KEY_AT,
    PERP_KEY_FROM,
    PERP_KEY_SPEED,
    PERP_KEY_FPS,
    PERP_KEY_CAMERA,
    PERP_KEY_FOLLOW,
    PERP_KEY_SIZE
};

#define PERP_PICTURE_ARGUMENTS                                                                       \
    {                                                                                                \
        "png",                                                                                       \
        PERP_KEY_PNG,                                                                                \
        "FILE",                                                                                      \
        0,                                                                                           \
        "A picture, by Chromium without a window; no page without -o",                               \
        0},                                                                                          \
        {"gif", PERP_KEY_GIF, "FILE", 0, "A film as an animated GIF, by Chromium and ffmpeg", 0},    \
        {"mp4", PERP_KEY_MP4, "FILE", 0, "A film as MP4, the same way", 0},                          \
        {"at", PERP_KEY_AT, "T", 0, "Time of the picture (the end)", 0},                             \
        {"from", PERP_KEY_FROM, "T", 0, "Where the film begins (the start); it ends at --until", 0}, \
        {"speed", PERP_KEY_SPEED, "X", 0, "Seconds of the run in a second of the film (1)", 0},      \
        {"fps", PERP_KEY_FPS, "N", 0, "Pictures in a second of the film (25)", 0},                   \
        {"camera",                                                                                   \
         PERP_KEY_CAMERA,                                                                            \
         "A,B,Z",                                                                                    \
         0,                                                                                          \
         "Where it is seen from: turn and rise in degrees, and zoom",                                \
         0},                                                                                         \
        {"follow", PERP_KEY_FOLLOW, "BODY", 0, "The camera goes with this body", 0},                 \
    {                                                                                                \
        "size", PERP_KEY_SIZE, "WxH", 0, "Size in pixels (1200x800, of a GIF 600x400)", 0            \
    }

void perp_view_pictures_init(perp_view_pictures *given);
/* An option of this list; 0, or ARGP_ERR_UNKNOWN. */
error_t perp_view_pictures_option(perp_view_pictures *given, int key, char *word,
                                  struct argp_state *state);
/* What does not go together; ends the program then. */
void perp_view_pictures_check(const perp_view_pictures *given, struct argp_state *state);

/* The picture or film of a page; of its run, the times of the first and the last instant. An exit
 * status after a message. */
int perp_view_pictures_make(const perp_view_pictures *given, const char *page, const double span[2],
                            int quiet);

#endif
