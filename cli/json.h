/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON documents, written as they are made.  A key is NULL inside an array. */
#ifndef PERP_CLI_JSON_H
#define PERP_CLI_JSON_H

#include <stdio.h>

typedef struct perp_json {
    FILE *out;
    int depth, filled; /* filled: the present object or array has a member already */
} perp_json;

/* The document is one object, which begins with "perp" (the version) and "command". */
void perp_json_open(perp_json *json, FILE *out, const char *command);
void perp_json_close(perp_json *json);

void perp_json_object(perp_json *json, const char *key);
void perp_json_array(perp_json *json, const char *key);
void perp_json_end_object(perp_json *json);
void perp_json_end_array(perp_json *json);

/* text NULL: null.  Bytes that are no UTF-8 become U+FFFD. */
void perp_json_text(perp_json *json, const char *key, const char *text);
void perp_json_integer(perp_json *json, const char *key, long long value);
void perp_json_boolean(perp_json *json, const char *key, int value);
/* Seventeen digits, which read back to the same double; NaN and infinities are null. */
void perp_json_real(perp_json *json, const char *key, double value);
void perp_json_reals(perp_json *json, const char *key, const double *value, int count);

#endif
