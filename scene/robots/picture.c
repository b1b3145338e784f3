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
    size_t width, height;
    int depth, colour, channels, interlaced;
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
    p->interlaced = b[12] == 1;
    return b[12] <= 1 ? 0 : -1;
}

/* The sections: 0 or -1. */
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

/* Points x0 + i dx, y0 + k dy of the whole: all of it, or one of seven parts (interlaced). */
typedef struct part {
    size_t x0, y0, dx, dy, width, height, row; /* row: bytes of one */
} part;

static int parts_of(const picture *p)
{
    return p->interlaced ? 7 : 1;
}

static part part_of(const picture *p, int k)
{
    static const size_t places[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                        {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    static const size_t whole[4] = {0, 0, 1, 1};
    const size_t *at = p->interlaced ? places[k] : whole;
    part one = {.x0 = at[0], .y0 = at[1], .dx = at[2], .dy = at[3]};

    one.width = p->width > one.x0 ? (p->width - one.x0 + one.dx - 1) / one.dx : 0;
    one.height = p->height > one.y0 ? (p->height - one.y0 + one.dy - 1) / one.dy : 0;
    one.row = (one.width * (size_t)p->channels * (size_t)p->depth + 7) / 8;
    return one;
}

/* Bytes of a part: each row has its filter before it. */
static size_t size_of(const part *one)
{
    return one->width > 0 ? one->height * (one->row + 1) : 0;
}

static int unfilter(const picture *p, const part *one, unsigned char *plain)
{
    size_t step = (size_t)(p->channels * p->depth + 7) / 8, stride = one->row + 1;

    for (size_t i = 0; i < one->height && one->width > 0; i++) {
        unsigned char *row = plain + i * stride + 1, *above = row - stride;
        int filter = row[-1];
        if (filter > 4)
            return -1;
        for (size_t k = 0; k < one->row; k++) {
            int left = k >= step ? row[k - step] : 0, up = i > 0 ? above[k] : 0;
            int corner = k >= step && i > 0 ? above[k - step] : 0;
            row[k] = (unsigned char)(row[k] + guess(filter, left, up, corner));
        }
    }
    return 0;
}

/* The high byte of the first channel, or of what the palette has for it. */
static double value_at(const picture *p, const unsigned char *row, size_t k)
{
    size_t bit = k * (size_t)p->channels * (size_t)p->depth;
    int value = row[bit / 8];

    if (p->depth < 8)
        value = value >> (8 - p->depth - (int)(bit % 8)) & ((1 << p->depth) - 1);
    if (p->colour == 3)
        return 3 * (size_t)value < p->palette_size ? p->palette[3 * value] : 0.0;
    return value;
}

/* The parts, one behind the other, into their places. */
static int lay_parts(const picture *p, double *values)
{
    unsigned char *plain = p->plain;

    for (int n = 0; n < parts_of(p); n++) {
        part one = part_of(p, n);
        if (unfilter(p, &one, plain) != 0)
            return -1;
        for (size_t i = 0; i < one.height; i++)
            for (size_t k = 0; k < one.width; k++)
                values[(one.y0 + i * one.dy) * p->width + one.x0 + k * one.dx] =
                    value_at(p, plain + i * (one.row + 1) + 1, k);
        plain += size_of(&one);
    }
    return 0;
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
    if (said == 0) {
        size_t all = 0;
        for (int k = 0; k < parts_of(&p); k++) {
            part one = part_of(&p, k);
            all += size_of(&one);
        }
        p.plain = perp_robot_take(job, all, 1);
        *values = perp_robot_take(job, p.height * p.width, sizeof **values);
        if (p.plain == NULL || *values == NULL)
            return -1;
        said = unpack(p.plain, all, p.packed, p.packed_size) != 0 || lay_parts(&p, *values) != 0;
    }
    if (said != 0)
        return perp_robot_fail(job, at, "a picture (PNG) of at most %d places is expected", most);
    *rows = (int)p.height;
    *columns = (int)p.width;
    return 0;
}
