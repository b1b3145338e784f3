/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading JSON with errors that name the place: "systems[2].M: 3 rows expected, 2 given".
 *
 * A node is a value with the way to it; nodes live on the stack of the reader
 * and borrow each other.  Calls return 0, or -1 once something was refused; the
 * first refusal is kept in the report.
 */
#ifndef PERP_SCENE_NODE_H
#define PERP_SCENE_NODE_H

#include <jansson.h>
#include <perp/base.h>

typedef struct perp_scene_report {
    const char *source; /* the text that was read, for the lines of its values; or NULL */
    perp_status status; /* PERP_SOLVED until something was refused */
    int line;           /* 0: unknown */
    char key[128];      /* the way to the value */
    char text[640];     /* the way and the reason */
} perp_scene_report;

typedef struct perp_scene_node {
    const struct perp_scene_node *up; /* NULL: the whole file */
    const char *key;                  /* NULL: element `index` of `up` */
    size_t index;
    const json_t *json; /* NULL: absent */
    perp_scene_report *report;
} perp_scene_node;

int perp_scene_fail(const perp_scene_node *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A status of the kernel that concerns this node; where may be NULL. */
int perp_scene_fail_status(const perp_scene_node *at, perp_status status, const perp_where *where);
/* No memory: the report says so, whatever it said. */
int perp_scene_fail_memory(perp_scene_report *report);
/* "unknown key: did you mean 'step'? Known here: ...": word is what was read, known a list of names
 * separated by blanks or '|', what the reason. */
int perp_scene_fail_unknown(const perp_scene_node *at, const char *word, const char *known,
                            const char *what);
/* The word of such a list that was meant: what other programs call it, else the nearest; NULL. */
const char *perp_scene_meant(const char *word, const char *list, size_t *length);
/* The way to a node: "systems[2].M"; the whole text is "". */
void perp_scene_path(char *text, size_t size, const perp_scene_node *at);

/* The line of the text, from 1, in which the value of a node or, where it is absent, the nearest
 * value around it begins. */
int perp_scene_line(const char *source, const perp_scene_node *at);

/* A member or an element; json is NULL where it is absent. */
perp_scene_node perp_scene_get(const perp_scene_node *at, const char *key);
perp_scene_node perp_scene_at(const perp_scene_node *at, size_t index);
int perp_scene_has(const perp_scene_node *at, const char *key);
/* 1 where the value is there and of the kind. */
int perp_scene_is(const perp_scene_node *at, json_type kind);
int perp_scene_is_number(const perp_scene_node *at);
int perp_scene_is_flag(const perp_scene_node *at);

/* 1 where the word is in the list, separated by blanks. */
int perp_scene_is_listed(const char *list, const char *word);
/* Must be an object without keys but those in the list, separated by blanks. */
int perp_scene_object(const perp_scene_node *at, const char *keys);
/* Must be an array; *count may be NULL. */
int perp_scene_array(const perp_scene_node *at, size_t *count);

/* Calls read for each element of the array under `key`, until one is refused.  Nothing where it is
 * absent. */
int perp_scene_each(const perp_scene_node *at, const char *key,
                    int (*read)(void *ctx, const perp_scene_node *element), void *ctx);

/* A member of an object.  An absent one leaves the value as it is (0), or is
 * refused by the _need forms.  Numbers must lie in [low, high]. */
int perp_scene_real(double *value, const perp_scene_node *at, const char *key, double low,
                    double high);
int perp_scene_need_real(double *value, const perp_scene_node *at, const char *key, double low,
                         double high);
int perp_scene_integer(int *value, const perp_scene_node *at, const char *key, int low, int high);
int perp_scene_flag(int *value, const perp_scene_node *at, const char *key);
int perp_scene_string(const char **value, const perp_scene_node *at, const char *key);
int perp_scene_need_string(const char **value, const perp_scene_node *at, const char *key);
/* Exactly n numbers. */
int perp_scene_reals(double *values, const perp_scene_node *at, const char *key, int n);
int perp_scene_need_reals(double *values, const perp_scene_node *at, const char *key, int n);
/* The position of a word in "a|b|c", -1 for another; and the refusal of such a word. */
int perp_scene_word(const char *word, const char *choices);
int perp_scene_fail_choice(const perp_scene_node *at, const char *word, const char *choices);
/* A member of an object that is such a word. */
int perp_scene_choice(int *value, const perp_scene_node *at, const char *key, const char *choices);

/* The same for a node itself. */
int perp_scene_number(double *value, const perp_scene_node *node, double low, double high);

#endif
