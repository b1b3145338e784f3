/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "bench/campaign/engines/motion.h"

/* More contacts than any engine has: a stream that says so is none. */
static const double most_contacts = 1e8;

void motion_in_init(motion_in *in, int bodies)
{
    memset(in, 0, sizeof *in);
    in->bodies = bodies;
}

void motion_in_free(motion_in *in)
{
    free(in->bytes);
    memset(in, 0, sizeof *in);
}

char *motion_in_reserve(motion_in *in, size_t least)
{
    if (in->capacity - in->used < least) {
        size_t capacity = 2 * in->capacity + least;
        char *made = realloc(in->bytes, capacity);
        if (made == NULL)
            return NULL;
        in->bytes = made;
        in->capacity = capacity;
    }
    return in->bytes + in->used;
}

static int read_text(motion_in *in, size_t *taken)
{
    if (in->used - *taken < MOTION_TEXT)
        return 0;
    memcpy(in->text, in->bytes + *taken, MOTION_TEXT);
    in->text[MOTION_TEXT - 1] = '\0';
    *taken += MOTION_TEXT;
    in->has_text = 1;
    return in->text[0] == '!' || strncmp(in->text, "perp-motion 1 ", 14) == 0 ? 1 : -1;
}

int motion_in_next(motion_in *in, size_t *taken)
{
    double head[MOTION_HEAD];
    size_t left, bytes, states = (size_t)in->bodies * MOTION_BODY * sizeof(double);

    if (!in->has_text) {
        int text = read_text(in, taken);
        if (text <= 0)
            return text;
    }
    left = in->used - *taken;
    if (left < sizeof head)
        return 0;
    memcpy(head, in->bytes + *taken, sizeof head);
    if (!(head[4] >= -1.0 && head[4] <= most_contacts))
        return -1;
    bytes = sizeof head + states + (head[4] > 0.0 ? (size_t)head[4] : 0) * sizeof(motion_contact);
    if (left < bytes)
        return 0;
    in->record.t = head[0];
    in->record.seconds = head[1];
    in->record.early = head[2];
    in->record.contacts = head[3];
    in->record.given = head[4];
    in->record.body = (double *)(void *)(in->bytes + *taken + sizeof head);
    in->record.contact = (motion_contact *)(void *)(in->bytes + *taken + sizeof head + states);
    *taken += bytes;
    return 1;
}

void motion_in_drop(motion_in *in, size_t taken)
{
    memmove(in->bytes, in->bytes + taken, in->used - taken);
    in->used -= taken;
}
