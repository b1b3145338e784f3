/* SPDX-License-Identifier: BSD-3-Clause */
#include "viewer/live_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANT = 1, CONTACTS = 2, BEFORE = 8 };

int perp_live_store_open(perp_live_store *store, size_t entries, size_t most, size_t most_bytes)
{
    memset(store, 0, sizeof *store);
    store->entries = entries;
    store->most = most;
    store->most_bytes = most_bytes;
    store->stride = 1;
    store->list = calloc(most, sizeof *store->list);
    return store->list != NULL ? 0 : -1;
}

static void drop(perp_live_store *store, perp_live_instant *one)
{
    store->bytes -= one->size;
    free(one->bytes);
}

void perp_live_store_close(perp_live_store *store)
{
    for (size_t k = 0; k < store->count; k++)
        free(store->list[k].bytes);
    free(store->list);
    memset(store, 0, sizeof *store);
}

/* The worst of two intervals that follow each other, as that of both. */
static void join(double *curves, const double *before)
{
    if (before[PERP_CURVE_STEPS] == 0.0)
        return;
    curves[PERP_CURVE_STEPS] += before[PERP_CURVE_STEPS];
    curves[PERP_CURVE_UNSOLVED] += before[PERP_CURVE_UNSOLVED];
    curves[PERP_CURVE_VIOLATION] = fmax(curves[PERP_CURVE_VIOLATION], before[PERP_CURVE_VIOLATION]);
    curves[PERP_CURVE_ERROR] = fmax(curves[PERP_CURVE_ERROR], before[PERP_CURVE_ERROR]);
    if (before[PERP_CURVE_CERTIFICATE] > curves[PERP_CURVE_CERTIFICATE]) {
        curves[PERP_CURVE_CERTIFICATE] = before[PERP_CURVE_CERTIFICATE];
        curves[PERP_CURVE_MEASURE] = before[PERP_CURVE_MEASURE];
    }
    if (before[PERP_CURVE_FIRST] > 0.0)
        curves[PERP_CURVE_FIRST] = before[PERP_CURVE_FIRST];
}

static void take_pending(perp_live_store *store, perp_live_instant *one)
{
    double curves[PERP_CURVES];

    memcpy(curves, one->bytes + BEFORE, sizeof curves);
    join(curves, store->pending);
    memcpy(one->bytes + BEFORE, curves, sizeof curves);
    memset(store->pending, 0, sizeof store->pending);
}

/* One goes: what happened in its steps waits for the next one. */
static void give_pending(perp_live_store *store, const unsigned char *bytes)
{
    double curves[PERP_CURVES];

    memcpy(curves, bytes + BEFORE, sizeof curves);
    join(curves, store->pending);
    memcpy(store->pending, curves, sizeof curves);
}

static void thin(perp_live_store *store)
{
    size_t kept = 0;

    store->stride *= 2;
    for (size_t k = 0; k < store->count; k++) {
        perp_live_instant one = store->list[k];
        if (one.step % store->stride != 0) {
            give_pending(store, one.bytes);
            drop(store, &one);
            continue;
        }
        take_pending(store, &one);
        store->list[kept++] = one;
    }
    store->count = kept;
}

static uint32_t word_at(const unsigned char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

/* The records of one instant, whole and of the right lengths; 0 or -1. */
static int read_records(perp_motion_frame *frame, const perp_live_store *store,
                        const unsigned char *bytes, size_t size)
{
    size_t state = (PERP_CURVES + store->entries) * sizeof(double), rest;

    memset(frame, 0, sizeof *frame);
    if (size < BEFORE + state || word_at(bytes) != INSTANT || word_at(bytes + 4) != state)
        return -1;
    frame->curves = bytes + BEFORE;
    rest = size - BEFORE - state;
    if (rest == 0)
        return 0;
    bytes += BEFORE + state;
    if (rest < BEFORE || word_at(bytes) != CONTACTS || word_at(bytes + 4) != rest - BEFORE ||
        (rest - BEFORE) % sizeof(perp_motion_contact) != 0)
        return -1;
    frame->contacts = bytes + BEFORE;
    frame->ncontacts = (rest - BEFORE) / sizeof(perp_motion_contact);
    return 0;
}

int perp_live_store_add(perp_live_store *store, int64_t step, const unsigned char *bytes,
                        size_t size, int extra)
{
    perp_live_instant one = {.step = step, .size = size};

    if (read_records(&one.frame, store, bytes, size) != 0 ||
        (store->count > 0 && step <= store->list[store->count - 1].step))
        return -1;
    while (store->count > 1 &&
           (store->count == store->most || store->bytes + size > store->most_bytes) &&
           store->stride < INT64_MAX / 2)
        thin(store);
    if (extra || step % store->stride == 0)
        one.bytes = malloc(size);
    if (one.bytes == NULL || store->count == store->most) {
        free(one.bytes);
        give_pending(store, bytes);
        return 0;
    }
    memcpy(one.bytes, bytes, size);
    read_records(&one.frame, store, one.bytes, size);
    take_pending(store, &one);
    store->list[store->count++] = one;
    store->bytes += size;
    return 0;
}

size_t perp_live_store_after(const perp_live_store *store, int64_t step)
{
    size_t low = 0, high = store->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (store->list[middle].step <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
