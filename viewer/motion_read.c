/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* stat */
#include "viewer/motion_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { INSTANT = 1, CONTACTS = 2, LAYOUT = 3, END = 4, BEFORE_HEAD = 24 };

static const char magic[] = "perp motion ";

static uint32_t word_at(const unsigned char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

static int check_head(perp_motion *motion, char *text, size_t size)
{
    const unsigned char *at = motion->bytes;

    if (motion->size < BEFORE_HEAD || memcmp(at, magic, sizeof magic - 1) != 0) {
        snprintf(text, size, "is no record of a motion");
        return -1;
    }
    if (memcmp(at + sizeof magic - 1, "1\n", 3) != 0) {
        int length = 0;
        while (length < 3 && at[sizeof magic - 1 + (size_t)length] > ' ' &&
               at[sizeof magic - 1 + (size_t)length] < 127)
            length++;
        snprintf(text, size,
                 "was written by another version of perp: its format is %.*s, this one reads 1",
                 length, (const char *)at + sizeof magic - 1);
        return -1;
    }
    if (word_at(at + 16) != 0x01020304u) {
        snprintf(text, size, "was written on a machine with another order of bytes");
        return -1;
    }
    motion->head = (const char *)at + BEFORE_HEAD;
    motion->head_size = word_at(at + 20);
    if (motion->head_size > motion->size - BEFORE_HEAD) {
        snprintf(text, size, "is cut off in its head: the run was stopped before its first step");
        return -1;
    }
    return 0;
}

/* Whole records; *frames: 1 to store them, 0 to count. */
static void scan(perp_motion *motion, int store)
{
    size_t at = BEFORE_HEAD + motion->head_size, count = 0;

    while (motion->size - at >= 8) {
        uint32_t tag = word_at(motion->bytes + at), bytes = word_at(motion->bytes + at + 4);
        const unsigned char *data = motion->bytes + at + 8;
        if (bytes > motion->size - at - 8)
            break;
        if (tag == INSTANT) {
            size_t numbers = bytes / sizeof(double);
            if (bytes % sizeof(double) != 0 || motion->layout == NULL ||
                numbers != PERP_CURVES + motion->entries)
                break;
            if (store)
                motion->frames[count].curves = data;
            motion->why = NULL;
            count++;
        } else if (tag == LAYOUT && count == 0) {
            motion->layout = (const char *)data;
            motion->entries = bytes;
        } else if (tag == CONTACTS && count > 0 && bytes % sizeof(perp_motion_contact) == 0) {
            if (store) {
                motion->frames[count - 1].contacts = data;
                motion->frames[count - 1].ncontacts = bytes / sizeof(perp_motion_contact);
            }
        } else if (tag == END && count > 0) {
            motion->why = (const char *)data;
            motion->why_size = bytes;
        } else {
            break;
        }
        at += 8 + (size_t)bytes;
    }
    motion->nframes = count;
    motion->cut |= at != motion->size;
}

int perp_motion_parse_head(perp_motion *motion, char *text, size_t size)
{
    if (check_head(motion, text, size) != 0)
        return -1;
    scan(motion, 0);
    return 0;
}

int perp_motion_parse(perp_motion *motion, char *text, size_t size)
{
    if (perp_motion_parse_head(motion, text, size) != 0)
        return -1;
    if (motion->nframes == 0) {
        snprintf(text, size, "holds no instant: the run was stopped before its first step");
        return -1;
    }
    motion->frames = calloc(motion->nframes, sizeof *motion->frames);
    if (motion->frames == NULL) {
        snprintf(text, size, "%s", strerror(ENOMEM));
        return -1;
    }
    scan(motion, 1);
    return 0;
}

static int read_file(perp_motion *motion, const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat info;

    if (f == NULL)
        return -1;
    if (fstat(fileno(f), &info) == 0) {
        motion->bytes = malloc((size_t)info.st_size + 1);
        if (motion->bytes != NULL)
            motion->size = fread(motion->bytes, 1, (size_t)info.st_size, f);
    }
    fclose(f);
    return motion->bytes != NULL ? 0 : -1;
}

/* What is wrong with a folder that has no record. */
static void explain(const char *dir, char *text, size_t size)
{
    char path[4096];
    struct stat info;

    snprintf(path, sizeof path, "%s/scene.json", dir);
    if (stat(path, &info) == 0)
        snprintf(
            text, size,
            "%s: the run has no motion.bin: its scene asks for no frames (\"every\": 0), or an "
            "older version of perp made it; perp view %s makes the run again",
            dir, path);
    else
        snprintf(text, size,
                 "%s: no run is in this folder: motion.bin is missing; perp run SCENE --out DIR "
                 "writes it",
                 dir);
}

int perp_motion_read(perp_motion *motion, const char *dir, char *text, size_t size)
{
    char whole[4096], part[4096], why[256];
    struct stat a, b;
    int has_whole, has_part;

    memset(motion, 0, sizeof *motion);
    snprintf(whole, sizeof whole, "%s/motion.bin", dir);
    snprintf(part, sizeof part, "%s/motion.bin.part", dir);
    has_whole = stat(whole, &a) == 0;
    has_part = stat(part, &b) == 0;
    if (!has_whole && !has_part) {
        explain(dir, text, size);
        return -1;
    }
    motion->cut = !has_whole || (has_part && b.st_mtime >= a.st_mtime);
    const char *path = motion->cut ? part : whole;
    if (read_file(motion, path) != 0)
        snprintf(text, size, "%s: %s", path, strerror(errno));
    else if (perp_motion_parse(motion, why, sizeof why) != 0)
        snprintf(text, size, "%s %s", path, why);
    else
        return 0;
    perp_motion_release(motion);
    return -1;
}

void perp_motion_release(perp_motion *motion)
{
    free(motion->bytes);
    free(motion->frames);
    memset(motion, 0, sizeof *motion);
}
