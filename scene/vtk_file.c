/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/vtk_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const opening[] = {[PERP_VTK_FIELD] = "<FieldData>\n",
                                      [PERP_VTK_POINTS] = "<Points>\n",
                                      [PERP_VTK_VERTS] = "<Verts>\n",
                                      [PERP_VTK_POLYS] = "<Polys>\n",
                                      [PERP_VTK_POINT_DATA] = "<PointData>\n"};
static const char *const closing[] = {
    [PERP_VTK_FIELD] = "</FieldData>\n",      [PERP_VTK_POINTS] = "</Points>\n",
    [PERP_VTK_VERTS] = "</Verts>\n",          [PERP_VTK_POLYS] = "</Polys>\n",
    [PERP_VTK_POINT_DATA] = "</PointData>\n", [PERP_VTK_CELL_DATA] = "</CellData>\n"};
static const char *const type_name[] = {
    [PERP_VTK_DOUBLE] = "Float64", [PERP_VTK_INT] = "Int32", [PERP_VTK_TEXT] = "String"};
static const size_t type_size[] = {
    [PERP_VTK_DOUBLE] = sizeof(double), [PERP_VTK_INT] = sizeof(int32_t), [PERP_VTK_TEXT] = 1};
static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";

enum { HEAD = 1024, ELEMENT = 256 }; /* more than the text of the file, and of an array */

const char *perp_vtk_byte_order(void)
{
    const uint16_t one = 1;

    return *(const unsigned char *)&one ? "LittleEndian" : "BigEndian";
}

static int reserve(perp_vtk_file *file, size_t bytes)
{
    size_t capacity =
        file->capacity > 0 ? bytes + bytes / 2 : bytes; /* one that grows does so again */

    if (bytes <= file->capacity)
        return 0;
    perp_vtk_free(file);
    file->bytes = capacity >= bytes ? perp_scene_zeroed(file->memory, capacity, 1) : NULL;
    if (file->bytes == NULL) {
        errno = ENOMEM;
        return -1;
    }
    file->capacity = capacity;
    return 0;
}

static void put_text(perp_vtk_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_text(perp_vtk_file *file, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    file->length += (size_t)vsnprintf((char *)file->bytes + file->length,
                                      file->capacity - file->length, format, arguments);
    va_end(arguments);
}

static size_t bytes_of(const perp_vtk_array *array)
{
    return array->count * type_size[array->type];
}

/* Before its bytes, an array has their number. */
static void put_element(perp_vtk_file *file, const perp_vtk_array *array, uint64_t offset)
{
    char tuples[48] = "";

    if (array->section == PERP_VTK_FIELD)
        snprintf(tuples, sizeof tuples, " NumberOfTuples=\"%zu\"", array->count);
    put_text(file,
             "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"%s format=\"appended\" "
             "offset=\"%llu\"/>\n",
             type_name[array->type], array->name, array->components, tuples,
             (unsigned long long)offset);
}

static void put_head(perp_vtk_file *file, const int *counts, const perp_vtk_array *arrays,
                     int count)
{
    uint64_t offset = 0;
    int in_piece = 0;

    put_text(file,
             "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
             "byte_order=\"%s\" header_type=\"UInt64\">\n<PolyData>\n",
             perp_vtk_byte_order());
    for (int k = 0; k < count; k++) {
        perp_vtk_section section = arrays[k].section;
        if (section != PERP_VTK_FIELD && !in_piece++)
            put_text(file,
                     "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" "
                     "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
                     counts[0], counts[1], counts[2]);
        if ((k == 0 || arrays[k - 1].section != section) && section == PERP_VTK_CELL_DATA)
            put_text(file, "<CellData Scalars=\"%s\">\n", arrays[k].name);
        else if (k == 0 || arrays[k - 1].section != section)
            put_text(file, "%s", opening[section]);
        put_element(file, &arrays[k], offset);
        if (k + 1 == count || arrays[k + 1].section != section)
            put_text(file, "%s", closing[section]);
        offset += sizeof offset + bytes_of(&arrays[k]);
    }
    put_text(file, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

int perp_vtk_lay_out(perp_vtk_file *file, int points, int verts, int polys, perp_vtk_array *arrays,
                     int count)
{
    size_t bytes = HEAD;

    for (int k = 0; k < count; k++)
        bytes += ELEMENT + bytes_of(&arrays[k]);
    if (reserve(file, bytes) != 0)
        return -1;
    file->length = 0;
    put_head(file, (const int[]){points, verts, polys}, arrays, count);
    for (int k = 0; k < count; k++) {
        uint64_t length = bytes_of(&arrays[k]);
        memcpy(file->bytes + file->length, &length, sizeof length);
        arrays[k].place = file->length + sizeof length;
        file->length = arrays[k].place + (size_t)length;
    }
    put_text(file, "%s", tail);
    return 0;
}

void perp_vtk_put(perp_vtk_file *file, const perp_vtk_array *array, size_t first, const void *data,
                  size_t count)
{
    size_t each = type_size[array->type];

    if (count > 0)
        memcpy(file->bytes + array->place + first * each, data, count * each);
}

void perp_vtk_free(perp_vtk_file *file)
{
    if (file->bytes != NULL)
        perp_scene_release(file->memory, file->bytes);
    file->bytes = NULL;
    file->capacity = file->length = 0;
}
