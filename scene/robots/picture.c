/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "scene/robots/picture.h"

#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
enum { UNPACKS = 1 };
#else
enum { UNPACKS = 0 };
#endif

typedef struct picture {
    size_t width, height, row; /* row: bytes of one */
    int depth, colour, channels;
    unsigned char *packed, *plain, *palette;
    size_t packed_size, palette_size;
} picture;

static size_t number_at(const unsigned char *b)
{
    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | (size_t)b[3];
}

static int read_head(picture *p, const unsigned char *b, size_t length, size_t most)
{
    static const int channels[] = {1, 0, 3, 1, 2, 0, 4};

    if (length != 13)
        return -1;
    p->width = number_at(b);
    p->height = number_at(b + 4);
    p->depth = b[8];
    p->colour = b[9];
    if (p->colour > 6 || channels[p->colour] == 0 || p->width < 2 || p->height < 2 ||
        p->width > most / p->height || b[10] != 0 || b[11] != 0)
        return -1;
    p->channels = channels[p->colour];
    int small = p->depth == 1 || p->depth == 2 || p->depth == 4;
    if (!(p->depth == 8 || (p->depth == 16 && p->colour != 3) ||
          (small && (p->colour == 0 || p->colour == 3))))
        return -1;
    p->row = (p->width * (size_t)p->channels * (size_t)p->depth + 7) / 8;
    return b[12] == 0 ? 0 : 1;
}

/* The sections: 0; 1: rows in turns (interlaced), -1. */
static int read_sections(picture *p, const unsigned char *bytes, size_t size, size_t most)
{
    size_t at = 8;
    int said = -1;

    while (size - at >= 12) {
        size_t length = number_at(bytes + at);
        const unsigned char *word = bytes + at + 4, *data = word + 4;
        if (length > size - at - 12)
            return -1;
        if (memcmp(word, "IHDR", 4) == 0 && said < 0 &&
            (said = read_head(p, data, length, most)) != 0)
            return said;
        if (memcmp(word, "PLTE", 4) == 0) {
            p->palette = p->packed + size;
            p->palette_size = length < 768 ? length : 768;
            memcpy(p->palette, data, p->palette_size);
        }
        if (memcmp(word, "IDAT", 4) == 0) {
            memcpy(p->packed + p->packed_size, data, length);
            p->packed_size += length;
        }
        at += 12 + length;
    }
    return said;
}

/* What each byte was guessed to be from those to the left, above, and above to the left. */
static int guess(int filter, int left, int up, int corner)
{
    int all = left + up - corner, a = abs(all - left), b = abs(all - up), c = abs(all - corner);

    return filter == 0        ? 0
           : filter == 1      ? left
           : filter == 2      ? up
           : filter == 3      ? (left + up) / 2
           : a <= b && a <= c ? left
           : b <= c           ? up
                              : corner;
}

static int unfilter(picture *p)
{
    size_t step = (size_t)(p->channels * p->depth + 7) / 8, stride = p->row + 1;

    for (size_t i = 0; i < p->height; i++) {
        unsigned char *row = p->plain + i * stride + 1, *above = row - stride;
        int filter = row[-1];
        if (filter > 4)
            return -1;
        for (size_t k = 0; k < p->row; k++) {
            int left = k >= step ? row[k - step] : 0, up = i > 0 ? above[k] : 0;
            int corner = k >= step && i > 0 ? above[k - step] : 0;
            row[k] = (unsigned char)(row[k] + guess(filter, left, up, corner));
        }
    }
    return 0;
}

/* The high byte of the first channel, or of what the palette has for it. */
static double value_at(const picture *p, size_t i, size_t k)
{
    const unsigned char *row = p->plain + i * (p->row + 1) + 1;
    size_t bit = k * (size_t)p->channels * (size_t)p->depth;
    int value = row[bit / 8];

    if (p->depth < 8)
        value = value >> (8 - p->depth - (int)(bit % 8)) & ((1 << p->depth) - 1);
    if (p->colour == 3)
        return 3 * (size_t)value < p->palette_size ? p->palette[3 * value] : 0.0;
    return value;
}

/* Exactly `wanted` bytes. */
static int unpack(unsigned char *out, size_t wanted, const unsigned char *data, size_t size)
{
#ifdef HAVE_ZLIB
    uLongf done = (uLongf)wanted;
    return uncompress(out, &done, data, (uLong)size) == Z_OK && done == wanted ? 0 : -1;
#else
    (void)out, (void)wanted, (void)data, (void)size;
    return -1;
#endif
}

int perp_robot_read_picture(perp_robot_job *job, const struct perp_xml *at,
                            const unsigned char *bytes, size_t size, int most, double **values,
                            int *rows, int *columns)
{
    static const unsigned char sign[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    picture p = {.packed = perp_robot_take(job, size + 768, 1)};
    int said = -1;

    if (!UNPACKS) {
        perp_robot_missing(job, at, "a picture, in a build without zlib");
        return 1;
    }
    if (p.packed == NULL)
        return -1;
    if (size >= 8 && memcmp(bytes, sign, 8) == 0)
        said = read_sections(&p, bytes, size, (size_t)most);
    if (said > 0) {
        perp_robot_missing(job, at, "a picture whose rows come in turns (interlaced)");
        return 1;
    }
    if (said == 0) {
        size_t all = p.height * (p.row + 1);
        p.plain = perp_robot_take(job, all, 1);
        *values = perp_robot_take(job, p.height * p.width, sizeof **values);
        if (p.plain == NULL || *values == NULL)
            return -1;
        said = unpack(p.plain, all, p.packed, p.packed_size) != 0 || unfilter(&p) != 0;
    }
    if (said != 0)
        return perp_robot_fail(job, at, "a picture (PNG) of at most %d places is expected", most);
    for (size_t i = 0; i < p.height; i++)
        for (size_t k = 0; k < p.width; k++)
            (*values)[i * p.width + k] = value_at(&p, i, k);
    *rows = (int)p.height;
    *columns = (int)p.width;
    return 0;
}
