/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader of VTK XML files with appended raw data, written from the format and not from what
 * writes them: arrays by their names, every offset and length looked at. */
#ifndef PERP_TESTS_SCENE_VTK_READER_H
#define PERP_TESTS_SCENE_VTK_READER_H

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VTK_ARRAYS = 32 };

typedef struct vtk_array {
    char type[16], name[32];
    int components;
    const unsigned char *data;
    uint64_t bytes;
} vtk_array;

typedef struct vtk_poly_data {
    unsigned char *bytes;
    size_t size;
    int points, verts, polys, arrays;
    vtk_array array[VTK_ARRAYS];
} vtk_poly_data;

/* The value of an attribute of the element that begins at `at`. */
static inline void vtk_attribute(char *out, size_t size, const char *at, const char *name)
{
    const char *end = strchr(at, '>'), *from;
    char key[64];

    snprintf(key, sizeof key, " %s=\"", name);
    from = strstr(at, key);
    ck_assert_msg(from != NULL && from < end, "no attribute %s", name);
    from += strlen(key);
    size_t length = strcspn(from, "\"");
    ck_assert_uint_lt(length, size);
    memcpy(out, from, length);
    out[length] = '\0';
}

static inline int vtk_number(const char *at, const char *name)
{
    char text[32];
    vtk_attribute(text, sizeof text, at, name);
    return atoi(text);
}

static inline void vtk_read_arrays(vtk_poly_data *file, const char *head, size_t data)
{
    uint64_t expected = 0;
    char text[32];

    for (const char *at = strstr(head, "<DataArray"); at != NULL;
         at = strstr(at + 1, "<DataArray")) {
        vtk_array *array = &file->array[file->arrays++];
        ck_assert_int_le(file->arrays, VTK_ARRAYS);
        vtk_attribute(text, sizeof text, at, "format");
        ck_assert_str_eq(text, "appended");
        vtk_attribute(array->type, sizeof array->type, at, "type");
        vtk_attribute(array->name, sizeof array->name, at, "Name");
        array->components = vtk_number(at, "NumberOfComponents");
        vtk_attribute(text, sizeof text, at, "offset");
        uint64_t offset = strtoull(text, NULL, 10);
        ck_assert_uint_eq(offset, expected);
        ck_assert_uint_le(data + offset + 8, file->size);
        memcpy(&array->bytes, file->bytes + data + offset, 8);
        ck_assert_uint_le(data + offset + 8 + array->bytes, file->size);
        array->data = file->bytes + data + offset + 8;
        expected = offset + 8 + array->bytes;
    }
    static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
    ck_assert_uint_eq(data + expected + strlen(tail), file->size);
    ck_assert_int_eq(memcmp(file->bytes + data + expected, tail, strlen(tail)), 0);
}

static inline void vtk_read(vtk_poly_data *file, const char *path)
{
    static const char mark[] = "<AppendedData encoding=\"raw\">\n_";
    const uint16_t one = 1;
    FILE *f = fopen(path, "rb");
    char text[32];

    memset(file, 0, sizeof *file);
    ck_assert_msg(f != NULL, "no %s", path);
    fseek(f, 0, SEEK_END);
    file->size = (size_t)ftell(f);
    rewind(f);
    file->bytes = malloc(file->size + 1);
    ck_assert_uint_eq(fread(file->bytes, 1, file->size, f), file->size);
    file->bytes[file->size] = '\0';
    fclose(f);
    char *head = (char *)file->bytes, *end = strstr(head, mark);
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    ck_assert_int_eq(strncmp(head, "<?xml version=\"1.0\"?>\n<VTKFile ", 31), 0);
    const char *top = strstr(head, "<VTKFile"), *piece = strstr(head, "<Piece");
    vtk_attribute(text, sizeof text, top, "type");
    ck_assert_str_eq(text, "PolyData");
    vtk_attribute(text, sizeof text, top, "header_type");
    ck_assert_str_eq(text, "UInt64");
    vtk_attribute(text, sizeof text, top, "byte_order");
    ck_assert_str_eq(text, *(const char *)&one ? "LittleEndian" : "BigEndian");
    file->points = vtk_number(piece, "NumberOfPoints");
    file->verts = vtk_number(piece, "NumberOfVerts");
    file->polys = vtk_number(piece, "NumberOfPolys");
    vtk_read_arrays(file, head, (size_t)(end - head) + strlen(mark));
}

static inline void vtk_close(vtk_poly_data *file)
{
    free(file->bytes);
}

/* The array of that name, type and number of tuples. */
static inline const vtk_array *vtk_find(const vtk_poly_data *file, const char *name,
                                        const char *type, int tuples)
{
    for (int k = 0; k < file->arrays; k++) {
        const vtk_array *array = &file->array[k];
        size_t each = strcmp(type, "Float64") == 0 ? 8 : 4;
        if (strcmp(array->name, name) != 0)
            continue;
        ck_assert_str_eq(array->type, type);
        if (strcmp(type, "String") != 0 && tuples >= 0)
            ck_assert_uint_eq(array->bytes, (size_t)tuples * (size_t)array->components * each);
        return array;
    }
    ck_abort_msg("no array %s", name);
    return NULL;
}

static inline double vtk_double(const vtk_array *array, int k)
{
    double x;
    memcpy(&x, array->data + 8 * (size_t)k, sizeof x);
    return x;
}

static inline int vtk_int(const vtk_array *array, int k)
{
    int32_t x;
    memcpy(&x, array->data + 4 * (size_t)k, sizeof x);
    return x;
}

#endif
