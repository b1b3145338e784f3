/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <perp/base.h>

enum { LONGEST = 64 };

static int least(int a, int b, int c)
{
    int low = a < b ? a : b;
    return low < c ? low : c;
}

/* Letters to insert, delete, replace, or swap with their neighbour, that lead from a to b (optimal
 * string alignment); the lengths are at most LONGEST. */
static int distance(const char *a, int length_a, const char *b, int length_b)
{
    int row[3][LONGEST + 1];

    for (int j = 0; j <= length_b; j++)
        row[0][j] = j;
    for (int i = 1; i <= length_a; i++) {
        int *now = row[i % 3];
        const int *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];

        now[0] = i;
        for (int j = 1; j <= length_b; j++) {
            now[j] = least(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                earlier[j - 2] + 1 < now[j])
                now[j] = earlier[j - 2] + 1;
        }
    }
    return row[length_a % 3][length_b];
}

const char *perp_name_nearest(const char *word, perp_name_at_fn name_at, void *ctx)
{
    const char *name, *nearest = NULL;
    size_t length = word != NULL ? strlen(word) : 0;
    int best = 0;

    if (length == 0 || length > LONGEST || name_at == NULL)
        return NULL;
    for (int k = 0; (name = name_at(ctx, k)) != NULL; k++) {
        size_t letters = strlen(name), longer = letters > length ? letters : length;
        int edits;

        if (letters > LONGEST)
            continue;
        edits = distance(word, (int)length, name, (int)letters);
        /* A name that the word begins, or that begins with it, is near as well. */
        if (length >= 3 && strncmp(name, word, length) == 0)
            edits = 1;
        if (3 * edits <= (int)longer + 1 && (nearest == NULL || edits < best)) {
            nearest = name;
            best = edits;
        }
    }
    return nearest;
}
