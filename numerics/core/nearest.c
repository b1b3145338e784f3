/* SPDX-License-Identifier: BSD-3-Clause */
/* The name that was meant: the fewest characters added, left out, changed or exchanged with their
 * neighbour (optimal string alignment), whatever the case. */
#include <perp/base.h>

#include <string.h>

enum { LONGEST = 63, FAR = 1000 };

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c == '_' ? '-' : c;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int distance(const char *a, size_t na, const char *b, size_t nb)
{
    int row[3][LONGEST + 1];

    if (na > LONGEST || nb > LONGEST)
        return FAR;
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int same = lower(a[i - 1]) == lower(b[j - 1]);
            now[j] = least(above[j - 1] + !same, least(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = least(now[j], two_above[j - 2] + 1);
        }
    }
    return row[na % 3][nb];
}

/* Farther than this is another word: a third of its characters, never all of them. */
static int first_too_far(size_t length)
{
    int third = (int)(length + 2) / 3 + 1;

    return length > LONGEST ? 0 : least(third, (int)length);
}

const char *perp_nearest_name(const char *word, const char *const *names, int count)
{
    const char *nearest = NULL;
    size_t length = word ? strlen(word) : 0;
    int best = first_too_far(length);

    for (int k = 0; names && k < count; k++) {
        int d = names[k] ? distance(word, length, names[k], strlen(names[k])) : FAR;
        if (d < best) {
            best = d;
            nearest = names[k];
        }
    }
    return nearest;
}

const char *perp_nearest_in_list(const char *word, const char *list, size_t *length)
{
    static const char separators[] = " |,";
    const char *nearest = NULL;
    size_t given = word ? strlen(word) : 0, found = 0;
    int best = first_too_far(given);

    for (const char *at = list; at && *at; at += strspn(at, separators)) {
        size_t span = strcspn(at, separators);
        int d = span > 0 ? distance(word, given, at, span) : FAR;
        if (d < best) {
            best = d;
            nearest = at;
            found = span;
        }
        at += span;
    }
    if (length)
        *length = found;
    return nearest;
}
