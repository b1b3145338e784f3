/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/inflate.h"

#include <string.h>

enum { LONGEST = 15, LITERALS = 288, DISTANCES = 30, LENGTH_CODES = 19 };

/* Bits are taken from the low end of each byte; beyond the data they are 0, and `ended` says so. */
typedef struct stream {
    const unsigned char *data;
    size_t size, at;
    unsigned held;
    int bits, ended;
    unsigned char *out;
    size_t wanted, done;
} stream;

/* A canonical Huffman code: how many symbols have each length, and the symbols in order. */
typedef struct code {
    int count[LONGEST + 1], symbol[LITERALS];
} code;

static unsigned take(stream *s, int n)
{
    while (s->bits < n) {
        s->ended |= s->at >= s->size;
        s->held |= (s->ended ? 0u : (unsigned)s->data[s->at++]) << s->bits;
        s->bits += 8;
    }
    unsigned value = s->held & ((1u << n) - 1u);
    s->held >>= n;
    s->bits -= n;
    return value;
}

/* -1: more symbols than codes of these lengths. */
static int make_code(code *c, const unsigned char *length, int symbols)
{
    int first[LONGEST + 2] = {0}, left = 1;

    memset(c, 0, sizeof *c);
    for (int k = 0; k < symbols; k++)
        c->count[length[k]]++;
    c->count[0] = 0;
    for (int n = 1; n <= LONGEST; n++) {
        left = 2 * left - c->count[n];
        if (left < 0)
            return -1;
        first[n + 1] = first[n] + c->count[n];
    }
    for (int k = 0; k < symbols; k++)
        if (length[k] != 0)
            c->symbol[first[length[k]]++] = k;
    return 0;
}

static int next_symbol(stream *s, const code *c)
{
    int word = 0, first = 0, index = 0;

    for (int n = 1; n <= LONGEST; n++) {
        word |= (int)take(s, 1);
        if (word - first < c->count[n])
            return c->symbol[index + word - first];
        index += c->count[n];
        first = (first + c->count[n]) << 1;
        word <<= 1;
    }
    return -1;
}

static int put(stream *s, unsigned char byte)
{
    if (s->done == s->wanted)
        return -1;
    s->out[s->done++] = byte;
    return 0;
}

/* Bytes that were there before, again. */
static int repeat(stream *s, int symbol, const code *distances)
{
    static const int base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                               31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const int extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const int far[] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,
                              33,  49,  65,  97,  129, 193,  257,  385,  513,  769,
                              1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

    if (symbol >= 29)
        return -1;
    int length = base[symbol] + (int)take(s, extra[symbol]), place = next_symbol(s, distances);
    if (place < 0 || place >= DISTANCES)
        return -1;
    size_t back = (size_t)far[place] + take(s, place < 4 ? 0 : place / 2 - 1);
    if (back > s->done)
        return -1;
    for (int k = 0; k < length; k++)
        if (put(s, s->out[s->done - back]) != 0)
            return -1;
    return 0;
}

static int read_block(stream *s, const code *literals, const code *distances)
{
    for (;;) {
        int symbol = next_symbol(s, literals);
        if (symbol < 0 || s->ended)
            return -1;
        if (symbol == 256)
            return 0;
        if ((symbol < 256 ? put(s, (unsigned char)symbol) : repeat(s, symbol - 257, distances)) !=
            0)
            return -1;
    }
}

static int read_stored(stream *s)
{
    s->held = 0;
    s->bits = 0;
    if (s->size - s->at < 4)
        return -1;
    size_t length = (size_t)s->data[s->at] | (size_t)s->data[s->at + 1] << 8;
    size_t turned = (size_t)s->data[s->at + 2] | (size_t)s->data[s->at + 3] << 8;
    s->at += 4;
    if ((length ^ turned) != 0xffff || length > s->size - s->at || length > s->wanted - s->done)
        return -1;
    memcpy(s->out + s->done, s->data + s->at, length);
    s->at += length;
    s->done += length;
    return 0;
}

static int read_fixed(stream *s)
{
    unsigned char length[LITERALS];
    code literals, distances;

    for (int k = 0; k < LITERALS; k++)
        length[k] = k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8;
    (void)make_code(&literals, length, LITERALS);
    memset(length, 5, DISTANCES);
    (void)make_code(&distances, length, DISTANCES);
    return read_block(s, &literals, &distances);
}

/* The lengths of both codes, by a code of their own. */
static int read_lengths(stream *s, unsigned char *length, int wanted, const code *c)
{
    int n = 0;

    while (n < wanted) {
        int symbol = next_symbol(s, c), times = 1;
        unsigned char value = (unsigned char)symbol;
        if (symbol < 0 || s->ended || (symbol == 16 && n == 0))
            return -1;
        if (symbol >= 16) {
            value = symbol == 16 ? length[n - 1] : 0;
            times = symbol == 16   ? 3 + (int)take(s, 2)
                    : symbol == 17 ? 3 + (int)take(s, 3)
                                   : 11 + (int)take(s, 7);
        }
        if (times > wanted - n)
            return -1;
        memset(length + n, value, (size_t)times);
        n += times;
    }
    return 0;
}

static int read_dynamic(stream *s)
{
    static const unsigned char order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    unsigned char length[LITERALS + 32] = {0}, own[LENGTH_CODES] = {0};
    int nliterals = 257 + (int)take(s, 5), ndistances = 1 + (int)take(s, 5);
    int count = 4 + (int)take(s, 4);
    code literals, distances;

    if (nliterals > 286 || ndistances > DISTANCES)
        return -1;
    for (int k = 0; k < count; k++)
        own[order[k]] = (unsigned char)take(s, 3);
    if (make_code(&literals, own, LENGTH_CODES) != 0 ||
        read_lengths(s, length, nliterals + ndistances, &literals) != 0 ||
        make_code(&literals, length, nliterals) != 0 ||
        make_code(&distances, length + nliterals, ndistances) != 0)
        return -1;
    return read_block(s, &literals, &distances);
}

int perp_inflate(unsigned char *out, size_t wanted, const unsigned char *data, size_t size)
{
    stream s = {.data = data, .size = size, .at = 2, .out = out, .wanted = wanted};
    int last = 0, bad = 0;

    if (size < 2 || (data[0] & 15) != 8 || (data[0] * 256 + data[1]) % 31 != 0 || (data[1] & 32))
        return -1;
    while (!last && !bad) {
        last = (int)take(&s, 1);
        unsigned kind = take(&s, 2);
        bad = kind == 0   ? read_stored(&s)
              : kind == 1 ? read_fixed(&s)
              : kind == 2 ? read_dynamic(&s)
                          : -1;
    }
    return bad || s.ended || s.done != wanted ? -1 : 0;
}
