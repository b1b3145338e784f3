/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of values in a JSON text, which its tree does not know.  The text was read before: it is
 * valid. */
#include <string.h>

#include "scene/node.h"

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *after_string(const char *at)
{
    for (at++; *at != '\0' && *at != '"'; at++)
        if (*at == '\\' && at[1] != '\0')
            at++;
    return *at == '"' ? at + 1 : at;
}

static const char *after_value(const char *at)
{
    int depth = 0;

    do {
        at = skip_blanks(at);
        if (*at == '"') {
            at = after_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else if (*at == ',' || *at == ':') {
            at++;
        } else {
            at += strcspn(at, ",:{}[]\" \t\r\n");
        }
    } while (depth > 0 && *at != '\0');
    return at;
}

/* The member of the object that begins at `at`; NULL where there is none. */
static const char *member(const char *at, const char *key)
{
    size_t length = strlen(key);

    if (*at != '{')
        return NULL;
    at = skip_blanks(at + 1);
    while (*at == '"') {
        const char *name = at + 1, *value;
        at = after_string(at);
        value = skip_blanks(skip_blanks(at) + 1);
        if ((size_t)(at - name) == length + 1 && memcmp(name, key, length) == 0)
            return value;
        at = skip_blanks(after_value(value));
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    return NULL;
}

static const char *element(const char *at, size_t index)
{
    if (*at != '[')
        return NULL;
    at = skip_blanks(at + 1);
    for (; *at != ']' && *at != '\0'; index--) {
        if (index == 0)
            return at;
        at = skip_blanks(after_value(at));
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    return NULL;
}

/* Where a node begins; *whole is 0 where that is the nearest value around it. */
static const char *find(const char *source, const perp_scene_node *at, int *whole)
{
    const char *around, *found;

    if (at->up == NULL)
        return skip_blanks(source);
    around = find(source, at->up, whole);
    if (!*whole)
        return around;
    found = at->key != NULL ? member(around, at->key) : element(around, at->index);
    *whole = found != NULL;
    return found != NULL ? found : around;
}

int perp_scene_line(const char *source, const perp_scene_node *at)
{
    int whole = 1, line = 1;
    const char *end = find(source, at, &whole);

    for (const char *c = source; c < end; c++)
        line += *c == '\n';
    return line;
}
