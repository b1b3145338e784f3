/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/campaign/engines/motion.h"

double motion_processor_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int write_all(int fd, const void *bytes, size_t count)
{
    const char *at = bytes;

    while (count > 0) {
        ssize_t done = write(fd, at, count);
        if (done < 0 && errno != EINTR)
            return -1;
        at += done > 0 ? done : 0;
        count -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

static int write_text(int fd, const char *format, const char *what)
{
    char text[MOTION_TEXT] = "";

    snprintf(text, sizeof text, format, what);
    return write_all(fd, text, sizeof text);
}

int motion_refuse(int fd, const char *why)
{
    return write_text(fd, "!%s", why);
}

int motion_begin(motion_out *out, int fd, const rigid_scene *scene, const char *version)
{
    memset(out, 0, sizeof *out);
    out->fd = fd;
    out->bodies = scene->bodies;
    out->record.body =
        calloc((size_t)(scene->bodies > 0 ? scene->bodies : 1) * MOTION_BODY, sizeof(double));
    if (out->record.body == NULL)
        return -1;
    motion_start_values(out, scene);
    return write_text(fd, "perp-motion 1 %s", version);
}

void motion_start_values(motion_out *out, const rigid_scene *scene)
{
    motion_record *record = &out->record;

    record->t = record->seconds = 0.0;
    record->early = record->contacts = NAN;
    record->given = -1.0;
    for (int k = 0; k < scene->bodies; k++) {
        const rigid_body *b = &scene->body[k];
        double *to = record->body + (size_t)k * MOTION_BODY;
        memcpy(to, b->position, sizeof b->position);
        memcpy(to + 3, b->quaternion, sizeof b->quaternion);
        memcpy(to + 7, b->velocity, sizeof b->velocity);
        memcpy(to + 10, b->angular, sizeof b->angular);
    }
}

void motion_start_contacts(motion_out *out)
{
    out->record.given = 0.0;
}

int motion_add_contact(motion_out *out, const motion_contact *contact)
{
    int count = (int)out->record.given;

    if (count == out->capacity) {
        int capacity = 2 * out->capacity + 64;
        motion_contact *made = realloc(out->record.contact, (size_t)capacity * sizeof *made);
        if (made == NULL)
            return -1;
        out->record.contact = made;
        out->capacity = capacity;
    }
    out->record.contact[count] = *contact;
    out->record.given = count + 1;
    return 0;
}

int motion_write(motion_out *out)
{
    const motion_record *r = &out->record;
    const double head[MOTION_HEAD] = {r->t, r->seconds, r->early, r->contacts, r->given};
    size_t given = r->given > 0.0 ? (size_t)r->given : 0;

    if (write_all(out->fd, head, sizeof head) != 0 ||
        write_all(out->fd, r->body, (size_t)out->bodies * MOTION_BODY * sizeof(double)) != 0)
        return -1;
    return given > 0 ? write_all(out->fd, r->contact, given * sizeof *r->contact) : 0;
}

void motion_end(motion_out *out)
{
    free(out->record.body);
    free(out->record.contact);
    memset(out, 0, sizeof *out);
}
