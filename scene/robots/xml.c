/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/xml.h"

#include <perp/base.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libxml/SAX2.h>
#include <libxml/parser.h>

/* What the calls of the parser work on. */
typedef struct build {
    perp_robot_job *job;
    xmlParserCtxtPtr parser;
    const char *file, *folder;
    perp_xml *root, *open;
    int depth, more; /* more: something that is not read stands behind the root */
} build;

char *perp_xml_copy(perp_robot_job *job, const char *text, size_t length)
{
    char *made = perp_robot_take(job, length + 1, 1);

    return made != NULL ? memcpy(made, text, length) : NULL;
}

/* "name", or "prefix:name". */
static const char *full_name(perp_robot_job *job, const xmlChar *name, const xmlChar *prefix)
{
    if (prefix == NULL)
        return perp_xml_copy(job, (const char *)name, strlen((const char *)name));
    return perp_robot_text(job, "%s:%s", (const char *)prefix, (const char *)name);
}

static void stop(build *b)
{
    xmlStopParser(b->parser);
}

/* Each attribute is five words: name, prefix, namespace, begin and end of the value. */
static int take_attributes(build *b, perp_xml *made, int count, const xmlChar **word)
{
    perp_xml_attribute **last = &made->attributes;

    for (int k = 0; k < count; k++, word += 5) {
        perp_xml_attribute *one = perp_robot_take(b->job, 1, sizeof *one);
        if (one == NULL)
            return -1;
        one->name = full_name(b->job, word[0], word[1]);
        one->value = perp_xml_copy(b->job, (const char *)word[3], (size_t)(word[4] - word[3]));
        if (one->name == NULL || one->value == NULL)
            return -1;
        *last = one;
        last = &one->next;
    }
    return 0;
}

static void start_element(void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                          int spaces, const xmlChar **space, int count, int defaulted,
                          const xmlChar **word)
{
    build *b = ctx;
    perp_robot_job *job = b->job;
    perp_xml *made;

    (void)uri, (void)spaces, (void)space, (void)defaulted;
    if (job->status != PERP_SOLVED)
        return;
    made = perp_robot_take(job, 1, sizeof *made);
    if (made == NULL || (made->name = full_name(job, name, prefix)) == NULL ||
        take_attributes(b, made, count, word) != 0) {
        stop(b);
        return;
    }
    made->file = b->file;
    made->folder = b->folder;
    made->line = xmlSAX2GetLineNumber(b->parser);
    made->up = b->open;
    if (b->open == NULL)
        b->root = made;
    else if (b->open->first == NULL)
        b->open->first = b->open->last = made;
    else
        b->open->last = b->open->last->next = made;
    b->open = made;
    if (++b->depth > PERP_ROBOT_MOST_DEPTH) {
        perp_robot_fail(job, made, "elements stand in each other more than %d deep",
                        PERP_ROBOT_MOST_DEPTH);
        stop(b);
    } else if (++job->elements > PERP_ROBOT_MOST_ELEMENTS) {
        perp_robot_fail(job, made, "more than %d elements", PERP_ROBOT_MOST_ELEMENTS);
        stop(b);
    }
}

static void end_element(void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    build *b = ctx;

    (void)name, (void)prefix, (void)uri;
    if (b->job->status != PERP_SOLVED || b->open == NULL)
        return;
    b->open = b->open->up;
    b->depth--;
}

/* At the words <!DOCTYPE name, before anything in it is read. */
static void document_type(void *ctx, const xmlChar *name, const xmlChar *public,
                          const xmlChar *system)
{
    build *b = ctx;
    perp_xml at = {.name = "!DOCTYPE", .file = b->file, .line = xmlSAX2GetLineNumber(b->parser)};

    (void)name, (void)public, (void)system;
    perp_robot_fail(b->job, &at, "a document type, and with it entities, is not accepted");
    stop(b);
}

static void complaint(void *ctx, xmlErrorPtr error)
{
    build *b = ctx;
    size_t length = error->message != NULL ? strcspn(error->message, "\n") : 0;
    perp_xml at = {.name = "xml", .file = b->file, .line = error->line};

    if (error->level < XML_ERR_ERROR || error->code == XML_ERR_USER_STOP ||
        error->domain == XML_FROM_NAMESPACE)
        return;
    if (b->root != NULL && b->open == NULL && error->code != XML_ERR_NO_MEMORY) {
        if (!b->more)
            perp_robot_note(b->job, &at, "what stands behind the end of <%.40s> is not read",
                            b->root->name);
        b->more = 1;
        return;
    }
    if (error->code == XML_ERR_NO_MEMORY)
        perp_robot_fail_status(b->job, PERP_ERR_MEMORY, &at, "not enough memory");
    else if (error->code == XML_ERR_DOCUMENT_EMPTY)
        perp_robot_fail(b->job, &at, "no XML: the first '<' is missing");
    else
        perp_robot_fail(b->job, &at, "%.*s", (int)(length < 300 ? length : 300),
                        error->message != NULL ? error->message : "not XML");
}

static perp_xml *parse(perp_robot_job *job, const char *bytes, size_t size, const char *name,
                       const char *folder)
{
    xmlSAXHandler calls;
    build b = {.job = job, .folder = folder};

    if (size > PERP_ROBOT_MOST_BYTES) {
        perp_robot_fail(job, NULL, "more than %d bytes", PERP_ROBOT_MOST_BYTES);
        return NULL;
    }
    memset(&calls, 0, sizeof calls);
    calls.initialized = XML_SAX2_MAGIC;
    calls.startElementNs = start_element;
    calls.endElementNs = end_element;
    calls.internalSubset = document_type;
    calls.serror = complaint;
    b.file = perp_xml_copy(job, name, strlen(name));
    bytes = b.file != NULL ? perp_xml_repair(job, b.file, bytes, &size) : NULL;
    if (bytes == NULL)
        return NULL;
    b.parser = xmlCreatePushParserCtxt(&calls, &b, NULL, 0, NULL);
    if (b.parser == NULL) {
        perp_robot_fail_status(job, PERP_ERR_MEMORY, NULL, "not enough memory");
        return NULL;
    }
    xmlCtxtUseOptions(b.parser, XML_PARSE_NONET);
    xmlParseChunk(b.parser, bytes, (int)size, 1);
    if (job->status == PERP_SOLVED && ((!b.parser->wellFormed && !b.more) || b.root == NULL))
        perp_robot_fail(job, NULL, "no XML");
    xmlFreeParserCtxt(b.parser);
    return job->status == PERP_SOLVED ? b.root : NULL;
}

perp_xml *perp_xml_parse(perp_robot_job *job, const char *bytes, size_t size, const char *name)
{
    return parse(job, bytes, size, name, NULL);
}

char *perp_robot_bytes(perp_robot_job *job, size_t *size, const char *path, size_t most,
                       const perp_xml *at)
{
    struct stat st;
    char *bytes = NULL;
    size_t used = 0;
    ssize_t got = 1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || fstat(fd, &st) != 0) {
        perp_robot_fail_status(job, PERP_ERR_OPEN, at, "%.300s: %s", path, strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        perp_robot_fail_status(job, PERP_ERR_OPEN, at, "%.300s: no regular file", path);
    } else if ((uintmax_t)st.st_size > most) {
        perp_robot_fail(job, at, "%.300s: more than %zu bytes", path, most);
    } else if ((bytes = perp_robot_take(job, (size_t)st.st_size + 1, 1)) != NULL) {
        while (got > 0 && used < (size_t)st.st_size) {
            got = read(fd, bytes + used, (size_t)st.st_size - used);
            used += got > 0 ? (size_t)got : 0;
            got = got < 0 && errno == EINTR ? 1 : got;
        }
        if (got < 0) {
            perp_robot_fail_status(job, PERP_ERR_OPEN, at, "%.300s: %s", path, strerror(errno));
            bytes = NULL;
        }
    }
    if (fd >= 0)
        close(fd);
    *size = used;
    return bytes;
}

perp_xml *perp_xml_read(perp_robot_job *job, const char *path, const char *name)
{
    size_t size;
    char *bytes = perp_robot_bytes(job, &size, path, PERP_ROBOT_MOST_BYTES, NULL);
    const char *last = strrchr(path, '/'), *folder = NULL;

    if (bytes != NULL && last != NULL) {
        folder = perp_xml_copy(job, path, (size_t)(last - path));
        if (folder == NULL)
            return NULL;
    }
    return bytes != NULL ? parse(job, bytes, size, name, folder) : NULL;
}

const char *perp_xml_get(const perp_xml *at, const char *name)
{
    for (const perp_xml_attribute *a = at != NULL ? at->attributes : NULL; a != NULL; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a->value;
    return NULL;
}

int perp_xml_is(const perp_xml *at, const char *name)
{
    return strcmp(at->name, name) == 0;
}

perp_xml *perp_xml_child(const perp_xml *at, const char *name, const perp_xml *after)
{
    perp_xml *child = after != NULL ? after->next : at != NULL ? at->first : NULL;

    while (child != NULL && !perp_xml_is(child, name))
        child = child->next;
    return child;
}

int perp_xml_numbers(perp_robot_job *job, double *values, int most, const perp_xml *at,
                     const char *attribute, const char *text)
{
    int count = 0;

    for (const char *c = text + strspn(text, " \t\r\n"); *c != '\0'; c += strspn(c, " \t\r\n")) {
        size_t length = strcspn(c, " \t\r\n");
        double value;
        if (perp_number_read(c, &value) != c + length || !isfinite(value))
            return perp_robot_fail(job, at, "%s: '%.*s' is no number%s", attribute,
                                   (int)(length < 40 ? length : 40), c,
                                   strstr(text, "${") != NULL || strstr(text, "$(") != NULL
                                       ? ", but a word of xacro, which is to be run first"
                                       : "");
        if (count == most)
            return perp_robot_fail(job, at, "%s: more than %d number%s", attribute, most,
                                   most > 1 ? "s" : "");
        values[count++] = value;
        c += length;
    }
    return count;
}
