/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/json.h"

#include <math.h>

#include <perp/numerics.h>

/* Bytes of the UTF-8 sequence at s, 0 where it is none. */
static int sequence(const unsigned char *s)
{
    int bytes = s[0] < 0x80                   ? 1
                : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                              : 0;

    for (int k = 1; k < bytes; k++)
        if ((s[k] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return bytes;
}

static void quote(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    fputc('"', out);
    while (*s != '\0') {
        int bytes = sequence(s);

        if (bytes == 0) {
            fputs("\\ufffd", out);
            s++;
        } else if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s++);
        } else if (*s < 0x20 || *s == 0x7f) {
            fprintf(out, "\\u%04x", *s++);
        } else {
            fwrite(s, 1, (size_t)bytes, out);
            s += bytes;
        }
    }
    fputc('"', out);
}

/* What stands before a value: the comma, the line, the key. */
static void begin(perp_json *json, const char *key)
{
    fprintf(json->out, "%s\n%*s", json->filled ? "," : "", 2 * json->depth, "");
    json->filled = 1;
    if (key != NULL) {
        quote(json->out, key);
        fputs(": ", json->out);
    }
}

static void enter(perp_json *json, const char *key, char bracket)
{
    begin(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->filled = 0;
}

static void leave(perp_json *json, char bracket)
{
    json->depth--;
    if (json->filled)
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->out);
    json->filled = 1;
}

void perp_json_open(perp_json *json, FILE *out, const char *command)
{
    json->out = out;
    json->depth = 1;
    json->filled = 0;
    fputc('{', out);
    perp_json_text(json, "perp", perp_version());
    perp_json_text(json, "command", command);
}

void perp_json_close(perp_json *json)
{
    leave(json, '}');
    fputc('\n', json->out);
}

void perp_json_object(perp_json *json, const char *key)
{
    enter(json, key, '{');
}

void perp_json_array(perp_json *json, const char *key)
{
    enter(json, key, '[');
}

void perp_json_end_object(perp_json *json)
{
    leave(json, '}');
}

void perp_json_end_array(perp_json *json)
{
    leave(json, ']');
}

void perp_json_text(perp_json *json, const char *key, const char *text)
{
    begin(json, key);
    if (text != NULL)
        quote(json->out, text);
    else
        fputs("null", json->out);
}

void perp_json_integer(perp_json *json, const char *key, long long value)
{
    begin(json, key);
    fprintf(json->out, "%lld", value);
}

void perp_json_boolean(perp_json *json, const char *key, int value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}

static void number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fputs("null", out);
}

void perp_json_real(perp_json *json, const char *key, double value)
{
    begin(json, key);
    number(json->out, value);
}

void perp_json_reals(perp_json *json, const char *key, const double *value, int count)
{
    begin(json, key);
    fputc('[', json->out);
    for (int k = 0; k < count; k++) {
        if (k > 0)
            fputs(", ", json->out);
        number(json->out, value[k]);
    }
    fputc(']', json->out);
}
