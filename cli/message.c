/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/message.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"

static char last_complaint[1024];

int perp_complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(last_complaint, sizeof last_complaint, format, arguments);
    va_end(arguments);
    fprintf(stderr, "perp: %s\n", last_complaint);
    return PERP_EXIT_ERROR;
}

const char *perp_last_complaint(void)
{
    return last_complaint;
}

int perp_complain_io(const char *path, perp_status status, const perp_io_error *error)
{
    if (error->text[0] == '\0')
        return perp_complain("%s: %s", path, perp_status_text(status));
    if (strstr(error->text, path) != NULL)
        return perp_complain("%s", error->text);
    return perp_complain("%s: %s", path, error->text);
}

int perp_complain_where(const char *doing, perp_status status, const perp_where *where,
                        const char *detail)
{
    char place[160] = "";
    size_t used = 0;

    if (where != NULL && where->what != NULL) {
        used += (size_t)snprintf(place, sizeof place, " (%s", where->what);
        if (where->segment >= 0 && used < sizeof place) {
            used +=
                (size_t)snprintf(place + used, sizeof place - used, ", segment %d", where->segment);
        }
        if (where->index >= 0 && used < sizeof place)
            used += (size_t)snprintf(place + used, sizeof place - used, ", index %d", where->index);
        if (used < sizeof place)
            snprintf(place + used, sizeof place - used, ")");
    }
    return perp_complain("%s: %s%s%s%s", doing, perp_status_text(status), place,
                         detail != NULL && detail[0] != '\0' ? ": " : "",
                         detail != NULL ? detail : "");
}

static const char *const class_words[] = {
    [PERP_CLASS_AUTO] = "auto",      [PERP_CLASS_FRICTION] = "friction",
    [PERP_CLASS_GLOBAL] = "global",  [PERP_CLASS_LCP] = "lcp",
    [PERP_CLASS_MLCP] = "mlcp",      [PERP_CLASS_RELAY] = "relay",
    [PERP_CLASS_ROLLING] = "rolling"};

enum { CLASS_WORDS = sizeof class_words / sizeof class_words[0] };

int perp_parse_class(perp_problem_class *cls, const char *word)
{
    for (int k = 0; k < CLASS_WORDS; k++) {
        if (strcmp(word, class_words[k]) == 0) {
            *cls = (perp_problem_class)k;
            return 1;
        }
    }
    return 0;
}

const char *perp_class_word(perp_problem_class cls)
{
    return (int)cls >= 0 && (int)cls < CLASS_WORDS ? class_words[cls] : "unknown";
}

int perp_parse_integer(long long *value, const char *text, long long low, long long high)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *value >= low && *value <= high;
}

int perp_parse_real(double *value, const char *text, double low, double high)
{
    const char *end = perp_number_read(text, value);

    return end != NULL && *end == '\0' && *value >= low && *value <= high;
}

/* A reader that left early, as head does, is no failure of ours. */
static int reader_left(void)
{
    struct pollfd out = {STDOUT_FILENO, POLLOUT, 0};

    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

int perp_end_of_output(int status)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && !reader_left())
        return perp_complain("standard output cannot be written");
    return status;
}

void perp_end(int status)
{
    exit(perp_end_of_output(status));
}
