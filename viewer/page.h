/* SPDX-License-Identifier: BSD-3-Clause */
/* One HTML file that needs nothing else: style, scripts and data inside. */
#ifndef PERP_VIEWER_PAGE_H
#define PERP_VIEWER_PAGE_H

#include <stdio.h>

#include "viewer/motion_read.h"

/* Opens the page with its style; title is text. */
void perp_page_begin(FILE *out, const char *title);
/* A script of the folder page. */
void perp_page_script(FILE *out, const char *name);
/* three.js from a file; 0, or -1 with a sentence. */
int perp_page_three(FILE *out, const char *path, char *text, size_t size);
/* JSON, or text, of `size` bytes as <script type="application/json" id="ID">; no element ends in
 * it. */
void perp_page_json(FILE *out, const char *id, const char *json, size_t size);
/* Bytes as <script type="text/plain" class="CLASS"> in base64. */
void perp_page_bytes(FILE *out, const char *name, const unsigned char *bytes, size_t size);
void perp_page_base64(FILE *out, const unsigned char *bytes, size_t size);
void perp_page_end(FILE *out);
/* A string of JSON with its quotes. */
void perp_page_string(FILE *out, const char *text);

/* The page of a motion.  note: "" or a sentence to show.  three: path of three.js.  0, or -1 with a
 * sentence in text. */
int perp_page_motion(FILE *out, const perp_motion *motion, const char *note, const char *three,
                     char *text, size_t size);
/* The page of a run that goes on: it asks for "events" beside it, viewer/live.h. */
int perp_page_live(FILE *out, const char *three, char *text, size_t size);

#endif
