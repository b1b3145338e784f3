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

typedef struct perp_run_report {
    char text[512]; /* "" until something was refused */
} perp_run_report;

typedef struct perp_run_node {
    const struct perp_run_node *up; /* NULL: the whole file */
    const char *key;                /* NULL: element `index` of `up` */
    size_t index;
    const json_t *json; /* NULL: absent */
    perp_run_report *report;
} perp_run_node;

int perp_run_fail(const perp_run_node *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A status of the kernel that concerns this node; where may be NULL. */
int perp_run_fail_status(const perp_run_node *at, perp_status status, const perp_where *where);
/* The way to a node: "systems[2].M"; the whole file is "". */
void perp_run_path(char *text, size_t room, const perp_run_node *at);

/* A member or an element; json is NULL where it is absent. */
perp_run_node perp_run_get(const perp_run_node *at, const char *key);
perp_run_node perp_run_at(const perp_run_node *at, size_t index);
int perp_run_has(const perp_run_node *at, const char *key);

/* Must be an object without keys but those in the list, separated by blanks. */
int perp_run_object(const perp_run_node *at, const char *keys);
/* Must be an array; *count may be NULL. */
int perp_run_array(const perp_run_node *at, size_t *count);

/* Calls read for each element of the array under `key`, until one is refused.  Nothing where it is
 * absent. */
int perp_run_each(const perp_run_node *at, const char *key,
                  int (*read)(void *ctx, const perp_run_node *element), void *ctx);

/* A member of an object.  An absent one leaves the value as it is (0), or is
 * refused by the _need forms.  Numbers must lie in [low, high]. */
int perp_run_real(double *value, const perp_run_node *at, const char *key, double low, double high);
int perp_run_need_real(double *value, const perp_run_node *at, const char *key, double low,
                       double high);
int perp_run_integer(int *value, const perp_run_node *at, const char *key, int low, int high);
int perp_run_flag(int *value, const perp_run_node *at, const char *key);
int perp_run_string(const char **value, const perp_run_node *at, const char *key);
int perp_run_need_string(const char **value, const perp_run_node *at, const char *key);
/* Exactly n numbers. */
int perp_run_reals(double *values, const perp_run_node *at, const char *key, int n);
int perp_run_need_reals(double *values, const perp_run_node *at, const char *key, int n);
/* The position of a word in "a|b|c". */
int perp_run_choice(int *value, const perp_run_node *at, const char *key, const char *choices);

/* The same for a node itself. */
int perp_run_number(double *value, const perp_run_node *node, double low, double high);

#endif
