/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/mesh_file.h"

#include <perp/base.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { STL_HEAD = 84, STL_RECORD = 50, MOST = 1 << 24 };
static const size_t most_bytes = (size_t)1 << 30;

/* What is read so far; the first failure stays. */
typedef struct reader {
    double *vertex;
    int *triangle;
    int vertices, triangles, vertices_capacity, triangles_capacity;
    const char *at, *end;
    int line;
    char *text;
    size_t size;
} reader;

static int fail(reader *r, const char *reason)
{
    if (r->line > 0)
        snprintf(r->text, r->size, "line %d: %s", r->line, reason);
    else
        snprintf(r->text, r->size, "%s", reason);
    return -1;
}

static int grow(void **array, int *capacity, int count, size_t size)
{
    if (count <= *capacity)
        return 0;
    int more = count > MOST / 2 ? MOST + 1 : 2 * count + 64;
    void *moved = count > MOST ? NULL : realloc(*array, (size_t)more * size);
    if (moved == NULL)
        return -1;
    *array = moved;
    *capacity = more;
    return 0;
}

static int add_vertex(reader *r, const double *x)
{
    if (grow((void **)&r->vertex, &r->vertices_capacity, r->vertices + 1, 3 * sizeof(double)) != 0)
        return fail(r, "too many vertices for the memory");
    for (int k = 0; k < 3; k++) {
        if (!isfinite(x[k]))
            return fail(r, "a coordinate is not finite");
        r->vertex[3 * r->vertices + k] = x[k] + 0.0;
    }
    r->vertices++;
    return 0;
}

static int add_triangle(reader *r, int a, int b, int c)
{
    if (grow((void **)&r->triangle, &r->triangles_capacity, r->triangles + 1, 3 * sizeof(int)) != 0)
        return fail(r, "too many triangles for the memory");
    int *to = r->triangle + 3 * r->triangles++;
    to[0] = a, to[1] = b, to[2] = c;
    return 0;
}

/* Numbers of binary STL are little endian, whatever the machine. */
static uint32_t take_u32(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double take_float(const char *at)
{
    uint32_t bits = take_u32(at);
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

/* Some write "solid" into the head of a binary file: the length decides. */
static int is_binary_stl(const char *bytes, size_t length)
{
    return length >= STL_HEAD &&
           length == STL_HEAD + (size_t)STL_RECORD * (size_t)take_u32(bytes + 80);
}

static int read_binary_stl(reader *r)
{
    uint32_t count = take_u32(r->at + 80);
    if (count > MOST)
        return fail(r, "too many triangles");
    for (uint32_t t = 0; t < count; t++) {
        const char *record = r->at + STL_HEAD + (size_t)STL_RECORD * t + 12;
        for (int i = 0; i < 3; i++) {
            double x[3];
            for (int k = 0; k < 3; k++)
                x[k] = take_float(record + 12 * i + 4 * k);
            if (add_vertex(r, x) != 0)
                return -1;
        }
        if (add_triangle(r, r->vertices - 3, r->vertices - 2, r->vertices - 1) != 0)
            return -1;
    }
    return 0;
}

/* The next word of the line, 0 at its end; *line is moved on by next_line(). */
static int next_word(reader *r, char *word, size_t size)
{
    size_t n = 0;
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
    while (r->at < r->end && *r->at != '\n' && *r->at != ' ' && *r->at != '\t' && *r->at != '\r') {
        if (n + 1 < size)
            word[n++] = *r->at;
        r->at++;
    }
    word[n] = '\0';
    return n > 0;
}

static int next_line(reader *r)
{
    while (r->at < r->end && *r->at != '\n')
        r->at++;
    if (r->at < r->end)
        r->at++;
    r->line++;
    return r->at < r->end;
}

static int read_numbers(reader *r, double *x)
{
    char word[64];
    for (int k = 0; k < 3; k++) {
        if (!next_word(r, word, sizeof word))
            return fail(r, "three numbers are expected");
        const char *end = perp_number_read(word, &x[k]);
        if (end == NULL || *end != '\0' || !isfinite(x[k]))
            return fail(r, "a number is expected");
    }
    return 0;
}

static int read_text_stl(reader *r)
{
    char word[64];
    double x[3];
    int corners = 0;
    r->line = 1;
    do {
        if (!next_word(r, word, sizeof word))
            continue;
        if (strcasecmp(word, "vertex") == 0) {
            if (read_numbers(r, x) != 0 || add_vertex(r, x) != 0)
                return -1;
            corners++;
        } else if (strcasecmp(word, "endloop") == 0) {
            if (corners != 3)
                return fail(r, "a facet without three vertices");
            if (add_triangle(r, r->vertices - 3, r->vertices - 2, r->vertices - 1) != 0)
                return -1;
            corners = 0;
        }
    } while (next_line(r));
    return corners == 0 ? 0 : fail(r, "the file ends within a facet");
}

/* "7", "7/1", "7//3", "-1": counts from 1, or back from the last one. */
static int obj_index(reader *r, const char *word, int *index)
{
    char *end;
    long i = strtol(word, &end, 10);
    if (end == word || (*end != '\0' && *end != '/'))
        return fail(r, "an index of a vertex is expected");
    i = i < 0 ? r->vertices + i : i - 1;
    if (i < 0 || i >= r->vertices)
        return fail(r, "no such vertex");
    *index = (int)i;
    return 0;
}

/* Polygons become fans. */
static int read_obj(reader *r)
{
    char word[64];
    double x[3];
    r->line = 1;
    do {
        if (!next_word(r, word, sizeof word))
            continue;
        if (strcmp(word, "v") == 0) {
            if (read_numbers(r, x) != 0 || add_vertex(r, x) != 0)
                return -1;
        } else if (strcmp(word, "f") == 0) {
            int corner[3], n = 0;
            for (; next_word(r, word, sizeof word); n++) {
                if (obj_index(r, word, &corner[n < 2 ? n : 2]) != 0)
                    return -1;
                if (n < 2)
                    continue;
                if (add_triangle(r, corner[0], corner[1], corner[2]) != 0)
                    return -1;
                corner[1] = corner[2];
            }
            if (n < 3)
                return fail(r, "a face with less than three vertices");
        }
    } while (next_line(r));
    return 0;
}

static uint64_t hash(const double *x)
{
    uint64_t sum = 1469598103934665603u, bits;
    for (int k = 0; k < 3; k++) {
        memcpy(&bits, &x[k], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
        sum ^= sum >> 29;
    }
    return sum;
}

static int join_vertices(reader *r, int *dropped)
{
    size_t slots = 16;
    while (slots < 2 * (size_t)r->vertices)
        slots *= 2;
    int *table = malloc(slots * sizeof *table);
    int *to = malloc(((size_t)r->vertices + 1) * sizeof *to), kept = 0, count = 0;
    if (table == NULL || to == NULL) {
        free(table);
        free(to);
        return fail(r, "too many vertices for the memory");
    }
    for (size_t i = 0; i < slots; i++)
        table[i] = -1;
    for (int i = 0; i < r->vertices; i++) {
        double *x = r->vertex + 3 * i;
        size_t at = (size_t)hash(x) & (slots - 1);
        while (table[at] >= 0 && memcmp(r->vertex + 3 * table[at], x, 3 * sizeof *x) != 0)
            at = (at + 1) & (slots - 1);
        if (table[at] < 0) {
            memmove(r->vertex + 3 * kept, x, 3 * sizeof *x);
            table[at] = kept++;
        }
        to[i] = table[at];
    }
    for (int t = 0; t < r->triangles; t++) {
        int a = to[r->triangle[3 * t]], b = to[r->triangle[3 * t + 1]],
            c = to[r->triangle[3 * t + 2]];
        if (a == b || b == c || c == a)
            continue;
        r->triangle[3 * count] = a;
        r->triangle[3 * count + 1] = b;
        r->triangle[3 * count + 2] = c;
        count++;
    }
    *dropped = r->triangles - count;
    r->vertices = kept;
    r->triangles = count;
    free(table);
    free(to);
    return 0;
}

static int ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && strcasecmp(name + n - m, ending) == 0;
}

int perp_scene_mesh_parse(perp_scene_mesh *mesh, const char *name, const char *bytes, size_t length,
                          char *text, size_t size)
{
    reader r = {.at = bytes, .end = bytes + length, .text = text, .size = size};
    int bad, dropped = 0;

    memset(mesh, 0, sizeof *mesh);
    if (ends_with(name, ".obj"))
        bad = read_obj(&r);
    else if (!ends_with(name, ".stl") && !ends_with(name, ".stlb"))
        bad = fail(&r, "not a file of triangles that is known here: .stl or .obj");
    else
        bad = is_binary_stl(bytes, length) ? read_binary_stl(&r) : read_text_stl(&r);
    r.line = 0;
    if (bad == 0)
        bad = join_vertices(&r, &dropped);
    int points = ends_with(name, ".obj") && dropped == 0 && r.vertices > 3; /* alone: of a hull */
    if (bad == 0 && r.triangles == 0 && !points)
        bad = fail(&r, "no triangles in it");
    *mesh = (perp_scene_mesh){r.vertex, r.triangle, r.vertices, r.triangles, dropped};
    if (bad != 0)
        perp_scene_mesh_free(mesh);
    return bad;
}

int perp_scene_mesh_read(perp_scene_mesh *mesh, const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    size_t length = 0, capacity = 0;
    int bad = f == NULL;

    memset(mesh, 0, sizeof *mesh);
    while (!bad && !feof(f) && !ferror(f)) {
        if (length == capacity) {
            capacity = 2 * capacity + 65536;
            char *more = capacity > most_bytes ? NULL : realloc(bytes, capacity);
            bad = more == NULL;
            bytes = bad ? bytes : more;
        }
        if (!bad)
            length += fread(bytes + length, 1, capacity - length, f);
    }
    bad = bad || ferror(f);
    if (f != NULL)
        fclose(f);
    if (bad)
        snprintf(text, size, "the file cannot be read");
    else
        bad = perp_scene_mesh_parse(mesh, path, bytes, length, text, size) != 0;
    free(bytes);
    return bad ? -1 : 0;
}

void perp_scene_mesh_free(perp_scene_mesh *mesh)
{
    free(mesh->vertex);
    free(mesh->triangle);
    memset(mesh, 0, sizeof *mesh);
}
