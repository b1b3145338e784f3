/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/node.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void perp_run_path(char *text, size_t room, const perp_run_node *at)
{
    size_t used;

    text[0] = '\0';
    if (at->up == NULL)
        return;
    perp_run_path(text, room, at->up);
    used = strlen(text);
    if (at->key != NULL)
        snprintf(text + used, room - used, "%s%s", used > 0 ? "." : "", at->key);
    else
        snprintf(text + used, room - used, "[%zu]", at->index);
}

int perp_run_fail(const perp_run_node *at, const char *format, ...)
{
    char *text = at->report->text;
    size_t room = sizeof at->report->text, used;
    va_list arguments;

    if (text[0] != '\0')
        return -1;
    perp_run_path(text, room, at);
    used = strlen(text);
    if (used > 0 && used + 2 < room) {
        memcpy(text + used, ": ", 3);
        used += 2;
    }
    va_start(arguments, format);
    vsnprintf(text + used, room - used, format, arguments);
    va_end(arguments);
    return -1;
}

int perp_run_fail_status(const perp_run_node *at, perp_status status, const perp_where *where)
{
    char place[96] = "";

    if (where != NULL && where->what != NULL) {
        if (where->index >= 0)
            snprintf(place, sizeof place, "%s, entry %d: ", where->what, where->index);
        else
            snprintf(place, sizeof place, "%s: ", where->what);
    }
    return perp_run_fail(at, "%s%s", place, perp_status_text(status));
}

perp_run_node perp_run_get(const perp_run_node *at, const char *key)
{
    perp_run_node child = {at, key, 0, json_object_get(at->json, key), at->report};
    return child;
}

perp_run_node perp_run_at(const perp_run_node *at, size_t index)
{
    perp_run_node child = {at, NULL, index, json_array_get(at->json, index), at->report};
    return child;
}

int perp_run_has(const perp_run_node *at, const char *key)
{
    return json_object_get(at->json, key) != NULL;
}

static int is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; *at != '\0'; at += strspn(at, " ")) {
        size_t span = strcspn(at, " ");
        if (span == length && memcmp(at, word, span) == 0)
            return 1;
        at += span;
    }
    return 0;
}

int perp_run_object(const perp_run_node *at, const char *keys)
{
    if (at->json == NULL)
        return perp_run_fail(at, "missing");
    if (!json_is_object(at->json))
        return perp_run_fail(at, "an object is expected");
    for (void *it = json_object_iter((json_t *)at->json); it != NULL;
         it = json_object_iter_next((json_t *)at->json, it)) {
        const char *key = json_object_iter_key(it);
        if (!is_listed(keys, key)) {
            perp_run_node child = perp_run_get(at, key);
            return perp_run_fail(&child, "unknown key; known here: %s", keys);
        }
    }
    return 0;
}

int perp_run_array(const perp_run_node *at, size_t *count)
{
    if (at->json == NULL)
        return perp_run_fail(at, "missing");
    if (!json_is_array(at->json))
        return perp_run_fail(at, "an array is expected");
    if (count != NULL)
        *count = json_array_size(at->json);
    return 0;
}

int perp_run_each(const perp_run_node *at, const char *key,
                  int (*read)(void *ctx, const perp_run_node *element), void *ctx)
{
    perp_run_node list = perp_run_get(at, key);
    size_t count = 0;

    if (list.json == NULL)
        return 0;
    if (perp_run_array(&list, &count) != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_run_node element = perp_run_at(&list, k);
        if (read(ctx, &element) != 0)
            return -1;
    }
    return 0;
}

int perp_run_number(double *value, const perp_run_node *node, double low, double high)
{
    double number;

    if (node->json == NULL)
        return perp_run_fail(node, "missing");
    if (!json_is_number(node->json))
        return perp_run_fail(node, "a number is expected");
    number = json_number_value(node->json);
    if (!isfinite(number) || number < low || number > high) {
        if (high >= 1e300)
            return perp_run_fail(node, "%g is less than %g", number, low);
        return perp_run_fail(node, "%g is not within %g and %g", number, low, high);
    }
    *value = number;
    return 0;
}

int perp_run_need_real(double *value, const perp_run_node *at, const char *key, double low,
                       double high)
{
    perp_run_node child = perp_run_get(at, key);
    return perp_run_number(value, &child, low, high);
}

int perp_run_real(double *value, const perp_run_node *at, const char *key, double low, double high)
{
    return perp_run_has(at, key) ? perp_run_need_real(value, at, key, low, high) : 0;
}

int perp_run_integer(int *value, const perp_run_node *at, const char *key, int low, int high)
{
    perp_run_node child = perp_run_get(at, key);
    json_int_t number;

    if (child.json == NULL)
        return 0;
    if (!json_is_integer(child.json))
        return perp_run_fail(&child, "a whole number is expected");
    number = json_integer_value(child.json);
    if (number < low || number > high)
        return perp_run_fail(&child, "%lld is not within %d and %d", (long long)number, low, high);
    *value = (int)number;
    return 0;
}

int perp_run_flag(int *value, const perp_run_node *at, const char *key)
{
    perp_run_node child = perp_run_get(at, key);

    if (child.json == NULL)
        return 0;
    if (!json_is_boolean(child.json))
        return perp_run_fail(&child, "true or false is expected");
    *value = json_is_true(child.json);
    return 0;
}

int perp_run_need_string(const char **value, const perp_run_node *at, const char *key)
{
    perp_run_node child = perp_run_get(at, key);

    if (child.json == NULL)
        return perp_run_fail(&child, "missing");
    if (!json_is_string(child.json))
        return perp_run_fail(&child, "a string is expected");
    *value = json_string_value(child.json);
    return 0;
}

int perp_run_string(const char **value, const perp_run_node *at, const char *key)
{
    return perp_run_has(at, key) ? perp_run_need_string(value, at, key) : 0;
}

int perp_run_need_reals(double *values, const perp_run_node *at, const char *key, int n)
{
    perp_run_node child = perp_run_get(at, key);
    size_t count = 0;

    if (perp_run_array(&child, &count) != 0)
        return -1;
    if (count != (size_t)n)
        return perp_run_fail(&child, "%d numbers expected, %zu given", n, count);
    for (size_t k = 0; k < count; k++) {
        perp_run_node entry = perp_run_at(&child, k);
        if (perp_run_number(&values[k], &entry, -INFINITY, INFINITY) != 0)
            return -1;
    }
    return 0;
}

int perp_run_reals(double *values, const perp_run_node *at, const char *key, int n)
{
    return perp_run_has(at, key) ? perp_run_need_reals(values, at, key, n) : 0;
}

int perp_run_choice(int *value, const perp_run_node *at, const char *key, const char *choices)
{
    perp_run_node child = perp_run_get(at, key);
    const char *word = NULL, *next = choices;
    int k = 0;

    if (child.json == NULL)
        return 0;
    if (perp_run_need_string(&word, at, key) != 0)
        return -1;
    for (;; k++) {
        size_t span = strcspn(next, "|");
        if (strlen(word) == span && memcmp(word, next, span) == 0)
            break;
        if (next[span] == '\0')
            return perp_run_fail(&child, "'%s' is none of %s", word, choices);
        next += span + 1;
    }
    *value = k;
    return 0;
}
