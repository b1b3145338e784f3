/* SPDX-License-Identifier: BSD-3-Clause */
#include "viewer/motion_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = -20, COARSE = 28, FINEST = -100 };
/* What a run that went astray holds beyond this is shown as this: exponents are bytes, integers
 * have 32 bits. */
static const double farthest = 0x1p120, largest_integer = 0x1p29;
/* Contacts of a page, in bytes before base64; where there are more, some instants go without. */
enum { CONTACT_BYTES = 9000000, PACKED_CONTACT = 68 };

static int exponent_for(double largest)
{
    int power;

    if (!(largest > 0.0))
        return FINE;
    frexp(largest, &power); /* largest < 2^power */
    if (power <= 0)
        return power + FINE < FINEST ? FINEST : power + FINE;
    return power - COARSE > FINE ? power - COARSE : FINE;
}

static double state(const perp_motion *motion, size_t frame, size_t k)
{
    double x = perp_motion_number(&motion->frames[frame], PERP_CURVES + k);
    return isfinite(x) ? fmin(fmax(x, -farthest), farthest) : 0.0;
}

static void choose_steps(perp_pack *pack)
{
    const perp_motion *motion = pack->motion;
    const char *kind = motion->layout;

    for (size_t k = 0; k < motion->entries; k++) {
        size_t last = k;
        double largest = 0.0;
        while (last + 1 < motion->entries && kind[last + 1] == ' ')
            last++;
        for (size_t f = 0; kind[k] != 'u' && f < motion->nframes; f++)
            for (size_t i = k; i <= last; i++)
                largest = fmax(largest, fabs(state(motion, f, i)));
        for (size_t i = k; i <= last; i++)
            pack->exponent[i] = (signed char)(kind[k] == 'u' ? FINE : exponent_for(largest));
        k = last;
    }
}

static void choose_contacts(perp_pack *pack)
{
    size_t bytes = 0;

    for (size_t f = 0; f < pack->motion->nframes; f++)
        bytes += PACKED_CONTACT * pack->motion->frames[f].ncontacts;
    pack->contact_stride = 1 + bytes / CONTACT_BYTES;
}

int perp_pack_start(perp_pack *pack, const perp_motion *motion)
{
    size_t n = motion->entries + 1;

    memset(pack, 0, sizeof *pack);
    pack->motion = motion;
    pack->exponent = calloc(n, sizeof *pack->exponent);
    pack->before = calloc(n, sizeof *pack->before);
    pack->before2 = calloc(n, sizeof *pack->before2);
    if (pack->exponent == NULL || pack->before == NULL || pack->before2 == NULL) {
        perp_pack_release(pack);
        return -1;
    }
    choose_steps(pack);
    choose_contacts(pack);
    return 0;
}

static void put(perp_pack *pack, const void *data, size_t bytes)
{
    memcpy(pack->out + pack->size, data, bytes);
    pack->size += bytes;
}

static void put_curves(perp_pack *pack, size_t first, size_t count)
{
    for (size_t f = 0; f < count; f++) {
        double t = perp_motion_number(&pack->motion->frames[first + f], PERP_CURVE_TIME);
        put(pack, &t, sizeof t);
    }
    for (size_t f = 0; f < count; f++)
        for (size_t k = 1; k < PERP_CURVES; k++) {
            float x = (float)perp_motion_number(&pack->motion->frames[first + f], k);
            put(pack, &x, sizeof x);
        }
}

/* Second differences of one entry, the sign in the lowest bit. */
static int differences(uint64_t *code, perp_pack *pack, size_t entry, size_t first, size_t count)
{
    int64_t x1 = pack->before[entry], x2 = pack->before2[entry];
    uint64_t all = 0;
    int width = 0;

    for (size_t f = 0; f < count; f++) {
        double scaled = ldexp(state(pack->motion, first + f, entry), -pack->exponent[entry]);
        int64_t x = llround(fmin(fmax(scaled, -largest_integer), largest_integer));
        int64_t d = first + f == 0 ? x : first + f == 1 ? x - x1 : x - 2 * x1 + x2;
        code[f] = d < 0 ? ((uint64_t)(-d) << 1) - 1 : (uint64_t)d << 1;
        all |= code[f];
        x2 = x1;
        x1 = x;
    }
    pack->before[entry] = (int32_t)x1;
    pack->before2[entry] = (int32_t)x2;
    while (all >> width != 0)
        width++;
    return width;
}

static void put_entry(perp_pack *pack, size_t entry, size_t first, size_t count)
{
    uint64_t code[PERP_PACK_CHUNK], bits = 0;
    int width = differences(code, pack, entry, first, count), held = 0;

    pack->out[pack->size++] = (unsigned char)width;
    for (size_t f = 0; f < count && width > 0; f++) {
        bits |= code[f] << held;
        for (held += width; held >= 8; held -= 8) {
            pack->out[pack->size++] = (unsigned char)bits;
            bits >>= 8;
        }
    }
    if (held > 0)
        pack->out[pack->size++] = (unsigned char)bits;
}

static void put_contacts(perp_pack *pack, size_t frame)
{
    const perp_motion_frame *from = &pack->motion->frames[frame];
    uint32_t count = (uint32_t)from->ncontacts;

    if (from->contacts == NULL || frame % pack->contact_stride != 0)
        count = UINT32_MAX;
    put(pack, &count, sizeof count);
    for (size_t k = 0; count != UINT32_MAX && k < count; k++) {
        perp_motion_contact c;
        memcpy(&c, from->contacts + k * sizeof c, sizeof c);
        put(pack, &c, 3 * sizeof(int32_t)); /* without rows */
        put(pack, &c.gap, 14 * sizeof(float));
    }
}

int perp_pack_chunk(perp_pack *pack, size_t first, size_t count)
{
    const perp_motion *motion = pack->motion;
    uint32_t head[2] = {0, (uint32_t)count};
    size_t bytes = sizeof head + count * (8 + 4 * PERP_CURVES) + motion->entries * (2 + 5 * count);

    for (size_t f = first; f < first + count; f++)
        bytes += 4 + PACKED_CONTACT * motion->frames[f].ncontacts;
    if (bytes > pack->capacity) {
        unsigned char *more = realloc(pack->out, bytes);
        if (more == NULL)
            return -1;
        pack->out = more;
        pack->capacity = bytes;
    }
    pack->size = 0;
    put(pack, head, sizeof head);
    put_curves(pack, first, count);
    for (size_t k = 0; k < motion->entries; k++)
        put_entry(pack, k, first, count);
    for (size_t f = first; f < first + count; f++)
        put_contacts(pack, f);
    head[0] = (uint32_t)pack->size;
    memcpy(pack->out, head, sizeof head[0]);
    return 0;
}

void perp_pack_release(perp_pack *pack)
{
    free(pack->exponent);
    free(pack->before);
    free(pack->before2);
    free(pack->out);
    memset(pack, 0, sizeof *pack);
}
