/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/node.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <perp/base.h>

void perp_scene_path(char *text, size_t size, const perp_scene_node *at)
{
    size_t used;

    text[0] = '\0';
    if (at->up == NULL)
        return;
    perp_scene_path(text, size, at->up);
    used = strlen(text);
    if (at->key != NULL)
        snprintf(text + used, size - used, "%s%s", used > 0 ? "." : "", at->key);
    else
        snprintf(text + used, size - used, "[%zu]", at->index);
}

int perp_scene_fail(const perp_scene_node *at, const char *format, ...)
{
    perp_scene_report *report = at->report;
    char *text = report->text;
    size_t size = sizeof report->text, used;
    va_list arguments;

    if (report->status != PERP_SOLVED)
        return -1;
    report->status = PERP_ERR_FORMAT;
    perp_scene_path(report->key, sizeof report->key, at);
    if (report->source != NULL)
        report->line = perp_scene_line(report->source, at);
    used = (size_t)snprintf(text, size, "%s%s", report->key, report->key[0] != '\0' ? ": " : "");
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    return -1;
}

int perp_scene_fail_memory(perp_scene_report *report)
{
    report->status = PERP_ERR_MEMORY;
    snprintf(report->text, sizeof report->text, "%s", perp_status_text(PERP_ERR_MEMORY));
    return -1;
}

int perp_scene_fail_status(const perp_scene_node *at, perp_status status, const perp_where *where)
{
    char place[96] = "";

    if (status == PERP_ERR_MEMORY)
        return perp_scene_fail_memory(at->report);
    if (where != NULL && where->what != NULL) {
        if (where->index >= 0)
            snprintf(place, sizeof place, "%s, entry %d: ", where->what, where->index);
        else
            snprintf(place, sizeof place, "%s: ", where->what);
    }
    return perp_scene_fail(at, "%s%s", place, perp_status_text(status));
}

int perp_scene_fail_unknown(const perp_scene_node *at, const char *word, const char *known,
                            const char *what)
{
    size_t length;
    const char *near = perp_scene_meant(word, known, &length);

    if (near != NULL)
        return perp_scene_fail(at, "%s: did you mean '%.*s'? Known here: %s", what, (int)length,
                               near, known);
    return perp_scene_fail(at, "%s; known here: %s", what, known);
}

perp_scene_node perp_scene_get(const perp_scene_node *at, const char *key)
{
    perp_scene_node child = {at, key, 0, json_object_get(at->json, key), at->report};
    return child;
}

perp_scene_node perp_scene_at(const perp_scene_node *at, size_t index)
{
    perp_scene_node child = {at, NULL, index, json_array_get(at->json, index), at->report};
    return child;
}

int perp_scene_has(const perp_scene_node *at, const char *key)
{
    return json_object_get(at->json, key) != NULL;
}

int perp_scene_is(const perp_scene_node *at, json_type kind)
{
    return at->json != NULL && json_typeof(at->json) == kind;
}

int perp_scene_is_number(const perp_scene_node *at)
{
    return perp_scene_is(at, JSON_INTEGER) || perp_scene_is(at, JSON_REAL);
}

int perp_scene_is_flag(const perp_scene_node *at)
{
    return perp_scene_is(at, JSON_TRUE) || perp_scene_is(at, JSON_FALSE);
}

int perp_scene_is_listed(const char *list, const char *word)
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

int perp_scene_object(const perp_scene_node *at, const char *keys)
{
    if (at->json == NULL)
        return perp_scene_fail(at, "missing");
    if (!perp_scene_is(at, JSON_OBJECT))
        return perp_scene_fail(at, "an object is expected");
    for (void *it = json_object_iter((json_t *)at->json); it != NULL;
         it = json_object_iter_next((json_t *)at->json, it)) {
        const char *key = json_object_iter_key(it);
        if (!perp_scene_is_listed(keys, key)) {
            perp_scene_node child = perp_scene_get(at, key);
            return perp_scene_fail_unknown(&child, key, keys, "unknown key");
        }
    }
    return 0;
}

int perp_scene_array(const perp_scene_node *at, size_t *count)
{
    if (at->json == NULL)
        return perp_scene_fail(at, "missing");
    if (!perp_scene_is(at, JSON_ARRAY))
        return perp_scene_fail(at, "an array is expected");
    if (count != NULL)
        *count = json_array_size(at->json);
    return 0;
}

int perp_scene_each(const perp_scene_node *at, const char *key,
                    int (*read)(void *ctx, const perp_scene_node *element), void *ctx)
{
    perp_scene_node list = perp_scene_get(at, key);
    size_t count = 0;

    if (list.json == NULL)
        return 0;
    if (perp_scene_array(&list, &count) != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node element = perp_scene_at(&list, k);
        if (read(ctx, &element) != 0)
            return -1;
    }
    return 0;
}

int perp_scene_number(double *value, const perp_scene_node *node, double low, double high)
{
    double number;

    if (node->json == NULL)
        return perp_scene_fail(node, "missing");
    if (!perp_scene_is_number(node))
        return perp_scene_fail(node, "a number is expected");
    number = json_number_value(node->json);
    if (!isfinite(number) || number < low || number > high) {
        if (high >= 1e300 && low > 0.0 && low <= 1e-300)
            return perp_scene_fail(node, "%g is not positive", number);
        if (high >= 1e300)
            return perp_scene_fail(node, "%g is less than %g", number, low);
        return perp_scene_fail(node, "%g is not within %g and %g", number, low, high);
    }
    *value = number;
    return 0;
}

int perp_scene_need_real(double *value, const perp_scene_node *at, const char *key, double low,
                         double high)
{
    perp_scene_node child = perp_scene_get(at, key);
    return perp_scene_number(value, &child, low, high);
}

int perp_scene_real(double *value, const perp_scene_node *at, const char *key, double low,
                    double high)
{
    return perp_scene_has(at, key) ? perp_scene_need_real(value, at, key, low, high) : 0;
}

int perp_scene_integer(int *value, const perp_scene_node *at, const char *key, int low, int high)
{
    perp_scene_node child = perp_scene_get(at, key);
    json_int_t number;

    if (child.json == NULL)
        return 0;
    if (!perp_scene_is(&child, JSON_INTEGER))
        return perp_scene_fail(&child, "a whole number is expected");
    number = json_integer_value(child.json);
    if (number < low || number > high)
        return perp_scene_fail(&child, "%lld is not within %d and %d", (long long)number, low,
                               high);
    *value = (int)number;
    return 0;
}

int perp_scene_flag(int *value, const perp_scene_node *at, const char *key)
{
    perp_scene_node child = perp_scene_get(at, key);

    if (child.json == NULL)
        return 0;
    if (!perp_scene_is_flag(&child))
        return perp_scene_fail(&child, "true or false is expected");
    *value = perp_scene_is(&child, JSON_TRUE);
    return 0;
}

int perp_scene_need_string(const char **value, const perp_scene_node *at, const char *key)
{
    perp_scene_node child = perp_scene_get(at, key);

    if (child.json == NULL)
        return perp_scene_fail(&child, "missing");
    if (!perp_scene_is(&child, JSON_STRING))
        return perp_scene_fail(&child, "a string is expected");
    *value = json_string_value(child.json);
    return 0;
}

int perp_scene_string(const char **value, const perp_scene_node *at, const char *key)
{
    return perp_scene_has(at, key) ? perp_scene_need_string(value, at, key) : 0;
}

int perp_scene_need_reals(double *values, const perp_scene_node *at, const char *key, int n)
{
    perp_scene_node child = perp_scene_get(at, key);
    size_t count = 0;

    if (perp_scene_array(&child, &count) != 0)
        return -1;
    if (count != (size_t)n)
        return perp_scene_fail(&child, "%d numbers expected, %zu given", n, count);
    for (size_t k = 0; k < count; k++) {
        perp_scene_node entry = perp_scene_at(&child, k);
        if (perp_scene_number(&values[k], &entry, -INFINITY, INFINITY) != 0)
            return -1;
    }
    return 0;
}

int perp_scene_reals(double *values, const perp_scene_node *at, const char *key, int n)
{
    return perp_scene_has(at, key) ? perp_scene_need_reals(values, at, key, n) : 0;
}

int perp_scene_word(const char *word, const char *choices)
{
    const char *next = choices;

    for (int k = 0;; k++) {
        size_t span = strcspn(next, "|");
        if (strlen(word) == span && memcmp(word, next, span) == 0)
            return k;
        if (next[span] == '\0')
            return -1;
        next += span + 1;
    }
}

int perp_scene_fail_choice(const perp_scene_node *at, const char *word, const char *choices)
{
    size_t length;
    const char *near = perp_scene_meant(word, choices, &length);

    if (near != NULL)
        return perp_scene_fail(at, "'%s' is none of %s; did you mean '%.*s'?", word, choices,
                               (int)length, near);
    return perp_scene_fail(at, "'%s' is none of %s", word, choices);
}

int perp_scene_choice(int *value, const perp_scene_node *at, const char *key, const char *choices)
{
    perp_scene_node child = perp_scene_get(at, key);
    const char *word = NULL;
    int k;

    if (child.json == NULL)
        return 0;
    if (perp_scene_need_string(&word, at, key) != 0)
        return -1;
    k = perp_scene_word(word, choices);
    if (k < 0)
        return perp_scene_fail_choice(&child, word, choices);
    *value = k;
    return 0;
}
