/* SPDX-License-Identifier: BSD-3-Clause */
#include "viewer/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/page_files.h"

static const perp_page_file *find(const char *name)
{
    for (const perp_page_file *f = perp_page_files; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

static void put_file(FILE *out, const char *name)
{
    const perp_page_file *f = find(name);

    if (f != NULL)
        fwrite(f->bytes, 1, f->size, out);
}

static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *instead = *text == '<'   ? "&lt;"
                              : *text == '>' ? "&gt;"
                              : *text == '&' ? "&amp;"
                              : *text == '"' ? "&quot;"
                                             : NULL;
        if (instead != NULL)
            fputs(instead, out);
        else
            fputc(*text, out);
    }
}

void perp_page_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"generator\" content=\"perp view\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
          "connect-src 'self'\">\n<title>",
          out);
    put_text(out, title);
    fputs("</title>\n<style>\n", out);
    put_file(out, "view.css");
    fputs("</style>\n</head>\n<body>\n", out);
}

void perp_page_script(FILE *out, const char *name)
{
    const perp_page_file *f = find(name);

    if (f != NULL && strstr(name, ".html") != NULL) {
        put_file(out, name);
        return;
    }
    fputs("<script>\n", out);
    put_file(out, name);
    fputs("</script>\n", out);
}

static char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long length;

    if (f == NULL)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (length = ftell(f)) > 0 && fseek(f, 0, SEEK_SET) == 0 &&
        (text = malloc((size_t)length + 1)) != NULL) {
        *size = fread(text, 1, (size_t)length, f);
        text[*size] = '\0';
    }
    fclose(f);
    return text;
}

/* A script as it stands, but for what would end the element or hide its end. */
static void put_script(FILE *out, const char *text, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        fputc(text[k], out);
        if (text[k] == '<' && (text[k + 1] == '/' || text[k + 1] == '!'))
            if (strncmp(text + k + 1, "/script", 7) == 0 || strncmp(text + k + 1, "!--", 3) == 0)
                fputc('\\', out);
    }
}

int perp_page_three(FILE *out, const char *path, char *text, size_t size)
{
    size_t length = 0;
    char *source = read_all(path, &length);

    if (source == NULL) {
        snprintf(text, size,
                 "three.js is not at %s (%s): Debian's libjs-three has it; --three FILE names "
                 "another place",
                 path, errno != 0 ? strerror(errno) : "empty");
        return -1;
    }
    if (strstr(source, "exports") == NULL || strstr(source, "InstancedMesh") == NULL) {
        free(source);
        snprintf(text, size,
                 "%s is no three.js that a page can hold: three.min.js (release 109 to 160) or "
                 "three.cjs is wanted",
                 path);
        return -1;
    }
    fputs("<script>\n/*\n", out);
    put_file(out, "three-licence.txt");
    fputs("*/\n(function () { var exports = window.THREE = {}, module = {exports: exports};\n", out);
    put_script(out, source, length);
    fputs("\n})();\n</script>\n", out);
    free(source);
    return 0;
}

void perp_page_json(FILE *out, const char *id, const char *json, size_t size)
{
    fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
    for (size_t k = 0; k < size; k++)
        if (json[k] == '<')
            fputs("\\u003c", out);
        else if (json[k] != '\0')
            fputc(json[k], out);
    fputs("</script>\n", out);
}

void perp_page_base64(FILE *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char block[4096];
    size_t used = 0;

    for (size_t k = 0; k < size; k += 3) {
        unsigned b = (unsigned)bytes[k] << 16;
        if (k + 1 < size)
            b |= (unsigned)bytes[k + 1] << 8;
        if (k + 2 < size)
            b |= bytes[k + 2];
        block[used++] = digits[b >> 18];
        block[used++] = digits[b >> 12 & 63];
        block[used++] = k + 1 < size ? digits[b >> 6 & 63] : '=';
        block[used++] = k + 2 < size ? digits[b & 63] : '=';
        if (used == sizeof block || k + 3 >= size) {
            fwrite(block, 1, used, out);
            used = 0;
        }
    }
}

void perp_page_bytes(FILE *out, const char *name, const unsigned char *bytes, size_t size)
{
    fprintf(out, "<script type=\"text/plain\" class=\"%s\">", name);
    perp_page_base64(out, bytes, size);
    fputs("</script>\n", out);
}

void perp_page_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 32 || *text == '<')
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}

void perp_page_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}
