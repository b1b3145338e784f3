/* SPDX-License-Identifier: BSD-3-Clause */
/* What files of models have that is no XML, and that other readers of URDF and MJCF take: comments
 * with two hyphens, bytes of other encodings, declarations out of place.  Lines stay. */
#include <string.h>

#include "scene/robots/xml.h"

static const char *find(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);

    while (at + length <= end && memcmp(at, word, length) != 0)
        at++;
    return at + length <= end ? at : NULL;
}

/* Where the version that a declaration says stands, its length; NULL: it says none. */
static const char *version_of(const char *declaration, const char *end, size_t *length)
{
    static const char word[] = "version";
    const char *at = declaration, *last;

    while (at + sizeof word < end && memcmp(at, word, sizeof word - 1) != 0)
        at++;
    if (at + sizeof word >= end)
        return NULL;
    at += sizeof word - 1;
    while (at < end && *at != '\'' && *at != '"')
        at++;
    last = at < end ? memchr(at + 1, *at, (size_t)(end - at - 1)) : NULL;
    if (last == NULL)
        return NULL;
    *length = (size_t)(last - at - 1);
    return at + 1;
}

/* The bytes with another text in a place of theirs, line ends apart; NULL after a failure. */
static char *replaced(perp_robot_job *job, const char *bytes, size_t size, size_t from, size_t to,
                      const char *text)
{
    char *made = perp_xml_copy(job, bytes, size);

    for (size_t k = from; made != NULL && k < to; k++) {
        if (made[k] != '\n')
            made[k] = *text;
        text += text[1] != '\0';
    }
    return made;
}

/* Where "<?xml ... ?>" stands with something before it, or has no version or one that there is
 * not, as many files of robots have it: the bytes with blanks in its place, or with version 1.0.
 * NULL after a failure. */
static const char *without_stray_declaration(perp_robot_job *job, const char *file,
                                             const char *bytes, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t first = size >= 3 && memcmp(bytes, mark, 3) == 0 ? 3 : 0, at = 0, end, length = 0;
    perp_xml where = {.name = "?xml", .file = file, .line = 1};
    const char *version;

    while (at + 5 < size && memcmp(bytes + at, "<?xml", 5) != 0)
        at++;
    for (end = at + 5; end + 1 < size && memcmp(bytes + end, "?>", 2) != 0;)
        end++;
    if (end + 1 >= size || strchr(" \t\r\n?", bytes[at + 5]) == NULL)
        return bytes;
    version = at == first ? version_of(bytes + at, bytes + end, &length) : NULL;
    if (length >= 3 && memcmp(version, "1.", 2) == 0)
        return bytes;
    if (length >= 3) {
        size_t from = (size_t)(version - bytes);
        perp_robot_note(job, &where, "an XML declaration of version '%.*s': read as 1.0",
                        (int)(length < 40 ? length : 40), version);
        return replaced(job, bytes, size, from, from + length, "1.0");
    }
    for (size_t k = 0; k < at; k++)
        where.line += bytes[k] == '\n';
    perp_robot_note(job, &where, "an XML declaration %s: not read",
                    at == first ? "without version" : "behind the start");
    return replaced(job, bytes, size, at, end + 2, " ");
}

/* Comments are blank. */
static const char *without_comments(perp_robot_job *job, const char *bytes, size_t size)
{
    const char *end = bytes + size, *from = find(bytes, end, "<!--"), *to;
    char *made = NULL;

    for (; from != NULL; from = find(to, end, "<!--")) {
        to = find(from + 4, end, "-->");
        if (to == NULL)
            break;
        if (made == NULL && (made = perp_xml_copy(job, bytes, size)) == NULL)
            return NULL;
        for (const char *c = from + 4; c < to; c++)
            if (*c != '\n')
                made[c - bytes] = ' ';
    }
    return made != NULL ? made : bytes;
}

/* The length of a character of UTF-8; 0: it is none. */
static size_t character(const unsigned char *at, size_t left)
{
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

    if (length == 0 || length > left || at[0] > 0xf4)
        return 0;
    for (size_t k = 1; k < length; k++)
        if ((at[k] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* Does it say an encoding of its own? */
static int is_encoded(const char *bytes, size_t size)
{
    const char *end = size >= 2 ? find(bytes, bytes + size, "?>") : NULL, *word;

    if (size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
        return 1;
    word = end != NULL && find(bytes, end, "<?xml") != NULL ? find(bytes, end, "encoding") : NULL;
    return word != NULL && find(word, end, "utf") == NULL && find(word, end, "UTF") == NULL;
}

/* Bytes that are no UTF-8 as the characters that Latin-1 has there. */
static const char *to_utf8(perp_robot_job *job, const char *file, const char *bytes, size_t *size)
{
    const unsigned char *from = (const unsigned char *)bytes;
    perp_xml where = {.name = "?xml", .file = file, .line = 1};
    size_t bad = 0, length, used = 0;
    char *made;

    if (is_encoded(bytes, *size))
        return bytes;
    for (size_t k = 0; k < *size; k += length) {
        length = character(from + k, *size - k);
        where.line += bad == 0 && from[k] == '\n';
        bad += length == 0;
        length += length == 0;
    }
    if (bad == 0)
        return bytes;
    perp_robot_note(job, &where, "bytes that are no UTF-8 are read as Latin-1");
    made = perp_robot_take(job, *size + bad + 1, 1);
    for (size_t k = 0; made != NULL && k < *size; k += length) {
        length = character(from + k, *size - k);
        if (length == 0) {
            made[used++] = (char)(0xc0 | from[k] >> 6);
            made[used++] = (char)(0x80 | (from[k] & 0x3f));
            length = 1;
        } else {
            memcpy(made + used, bytes + k, length);
            used += length;
        }
    }
    *size = used;
    return made;
}

const char *perp_xml_repair(perp_robot_job *job, const char *file, const char *bytes, size_t *size)
{
    bytes = without_comments(job, bytes, *size);
    if (bytes != NULL)
        bytes = without_stray_declaration(job, file, bytes, *size);
    return bytes != NULL ? to_utf8(job, file, bytes, size) : NULL;
}
