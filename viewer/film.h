/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures in a row as an animated GIF or as MP4, by ffmpeg.  The pictures wait in a file of a
 * folder of their own: a GIF needs two passes over them, the first for its 256 colours. */
#ifndef PERP_VIEWER_FILM_H
#define PERP_VIEWER_FILM_H

#include <stddef.h>
#include <stdio.h>

typedef struct perp_film {
    char folder[4096];
    FILE *frames;
} perp_film;

/* 0, or -1 with a sentence in text where there is no ffmpeg, or no place for the pictures. */
int perp_film_open(perp_film *film, char *text, size_t size);
/* One more picture; 0, or -1 with errno. */
int perp_film_add(perp_film *film, const unsigned char *png, size_t size);
/* Writes all of them to `path`, fps of them for a second; 0, 1 where `stop` said so, or -1 with a
 * sentence in text.  What ffmpeg itself has to say goes to standard error. */
int perp_film_write(perp_film *film, int gif, double fps, const char *path, int (*stop)(void),
                    char *text, size_t size);
void perp_film_close(perp_film *film);

#endif
