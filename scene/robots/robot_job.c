/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/robot_job.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/robots/xml.h"
#include "scene/scene_memory.h"

void perp_robot_begin(perp_robot_job *job, const perp_allocator *allocator,
                      const perp_robot_options *options)
{
    memset(job, 0, sizeof *job);
    job->memory = perp_scene_memory(allocator);
    job->options = options;
    job->last_missing = &job->missing;
    job->last_note = &job->notes;
    job->error.size = sizeof job->error;
}

void perp_robot_end(perp_robot_job *job)
{
    for (perp_robot_block *block = job->blocks, *next; block != NULL; block = next) {
        next = block->next;
        perp_scene_release(&job->memory, block);
    }
    job->blocks = NULL;
}

static void *no_memory(perp_robot_job *job)
{
    job->status = PERP_ERR_MEMORY;
    job->error.line = 0;
    job->error.key[0] = '\0';
    snprintf(job->error.text, sizeof job->error.text, "%.200s: %s",
             job->name != NULL ? job->name : "model", perp_status_text(PERP_ERR_MEMORY));
    return NULL;
}

void *perp_robot_take(perp_robot_job *job, size_t count, size_t size)
{
    enum { HEAD = 32 };
    perp_robot_block *block;

    if (size > 0 && count > PERP_ROBOT_MOST_MEMORY / size)
        return no_memory(job);
    if (job->taken + count * size > PERP_ROBOT_MOST_MEMORY)
        return no_memory(job);
    block = perp_scene_zeroed(&job->memory, HEAD + count * size, 1);
    if (block == NULL)
        return no_memory(job);
    job->taken += count * size;
    block->next = job->blocks;
    job->blocks = block;
    return (char *)block + HEAD;
}

char *perp_robot_text(perp_robot_job *job, const char *format, ...)
{
    va_list arguments;
    char *text;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    text = length >= 0 ? perp_robot_take(job, (size_t)length + 1, 1) : no_memory(job);
    if (text == NULL)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void *perp_robot_add(perp_robot_job *job, void **array, int *count, int *capacity, size_t size)
{
    if (*count >= PERP_ROBOT_MOST_PARTS) {
        perp_robot_fail(job, NULL, "more than %d parts of a kind", PERP_ROBOT_MOST_PARTS);
        return NULL;
    }
    if (*count == *capacity) {
        int more = 2 * *capacity + 16;
        void *grown = perp_robot_take(job, (size_t)more, size);
        if (grown == NULL)
            return NULL;
        if (*count > 0)
            memcpy(grown, *array, (size_t)*count * size);
        *array = grown;
        *capacity = more;
    }
    return (char *)*array + (size_t)(*count)++ * size;
}

/* "FILE: <geom> REASON (line N)". */
static void write_error(perp_robot_job *job, perp_scene_error *error, const perp_xml *at,
                        const char *format, va_list arguments)
{
    const char *file = at != NULL && at->file != NULL ? at->file : job->name;
    const char *name = at != NULL ? perp_xml_get(at, "name") : NULL;
    size_t used = 0, size = sizeof error->text;

    memset(error, 0, sizeof *error);
    error->size = sizeof *error;
    error->line = at != NULL ? at->line : 0;
    if (at != NULL)
        snprintf(error->key, sizeof error->key, "%.120s", at->name);
    used = (size_t)snprintf(error->text, size, "%.200s: ", file != NULL ? file : "model");
    if (at != NULL && name != NULL)
        used +=
            (size_t)snprintf(error->text + used, size - used, "<%.40s> '%.80s': ", at->name, name);
    else if (at != NULL)
        used += (size_t)snprintf(error->text + used, size - used, "<%.40s>: ", at->name);
    vsnprintf(error->text + used, size - used - 20, format, arguments);
    used = strlen(error->text);
    if (error->line > 0)
        snprintf(error->text + used, size - used, " (line %d)", error->line);
    for (char *c = error->text; *c != '\0'; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = ' ';
}

int perp_robot_fail(perp_robot_job *job, const perp_xml *at, const char *format, ...)
{
    va_list arguments;

    if (job->status != PERP_SOLVED)
        return -1;
    job->status = PERP_ERR_FORMAT;
    va_start(arguments, format);
    write_error(job, &job->error, at, format, arguments);
    va_end(arguments);
    return -1;
}

int perp_robot_fail_status(perp_robot_job *job, perp_status status, const perp_xml *at,
                           const char *format, ...)
{
    va_list arguments;

    if (job->status != PERP_SOLVED)
        return -1;
    job->status = status;
    va_start(arguments, format);
    write_error(job, &job->error, at, format, arguments);
    va_end(arguments);
    return -1;
}

void perp_robot_missing(perp_robot_job *job, const perp_xml *at, const char *format, ...)
{
    perp_robot_remark *made = perp_robot_take(job, 1, sizeof *made);
    va_list arguments;

    if (made == NULL)
        return;
    made->element = at != NULL ? at->name : "";
    va_start(arguments, format);
    write_error(job, &made->said, at, format, arguments);
    va_end(arguments);
    *job->last_missing = made;
    job->last_missing = &made->next;
    job->nmissing++;
}

void perp_robot_note(perp_robot_job *job, const perp_xml *at, const char *format, ...)
{
    perp_robot_remark *made = perp_robot_take(job, 1, sizeof *made);
    va_list arguments;

    if (made == NULL)
        return;
    va_start(arguments, format);
    write_error(job, &made->said, at, format, arguments);
    va_end(arguments);
    *job->last_note = made;
    job->last_note = &made->next;
}

/* Whether a comma-separated list names the element; "all" names each. */
static int is_ignored(const char *list, const char *element)
{
    size_t length = strlen(element);

    if (list == NULL)
        return 0;
    for (const char *word = list; word != NULL; word = strchr(word, ',')) {
        word += *word == ',';
        size_t end = strcspn(word, ",");
        if ((end == length && strncmp(word, element, length) == 0) ||
            (end == 3 && strncmp(word, "all", 3) == 0))
            return 1;
    }
    return 0;
}

int perp_robot_tell(perp_robot_job *job)
{
    const perp_robot_options *options = job->options;
    const perp_robot_remark *first = NULL;
    int refused = 0;

    if (job->told)
        return job->status == PERP_SOLVED ? 0 : -1;
    job->told = 1;
    for (const perp_robot_remark *r = job->missing; r != NULL; r = r->next) {
        int ignored = is_ignored(options->ignore, r->element);
        if (!ignored && refused++ == 0)
            first = r;
        if (options->tell != NULL)
            options->tell(options->tell_ctx, ignored ? PERP_ROBOT_LEFT_OUT : PERP_ROBOT_MISSING,
                          &r->said);
    }
    for (const perp_robot_remark *r = job->notes; r != NULL; r = r->next)
        if (options->tell != NULL)
            options->tell(options->tell_ctx, PERP_ROBOT_NOTE, &r->said);
    if (refused == 0 || job->status != PERP_SOLVED)
        return job->status == PERP_SOLVED ? 0 : -1;
    job->status = PERP_ERR_UNSUPPORTED;
    job->error = first->said;
    if (refused > 1) {
        size_t used = strlen(job->error.text);
        snprintf(job->error.text + used, sizeof job->error.text - used,
                 "; and %d more that are not done", refused - 1);
    }
    return -1;
}
