/* SPDX-License-Identifier: BSD-3-Clause */
/* <hfield>: heights over a grid, in the text of the model, a file of numbers or a picture. */
#include <math.h>
#include <string.h>

#include "scene/robots/mjcf.h"
#include "scene/robots/picture.h"
#include "scene/robots/search_path.h"

enum { MOST_PLACES = 4000000 };

/* Rows and columns, and 32-bit numbers row by row, in the order of bytes of this machine or the
 * other. */
static int read_word(const char *bytes, int turned)
{
    unsigned char b[4];
    int value;

    memcpy(b, bytes, 4);
    for (int k = 0; k < 2 && turned; k++) {
        unsigned char keep = b[k];
        b[k] = b[3 - k];
        b[3 - k] = keep;
    }
    memcpy(&value, b, 4);
    return value;
}

/* From rows of which the first one is that of the largest y. */
static int lay_rows(perp_robot_job *job, perp_robot_field *field, const double *read)
{
    size_t rows = (size_t)field->rows, columns = (size_t)field->columns;

    field->height = perp_robot_take(job, rows * columns, sizeof(double));
    for (size_t i = 0; field->height != NULL && i < rows; i++)
        memcpy(field->height + (rows - 1 - i) * columns, read + i * columns,
               columns * sizeof(double));
    return field->height != NULL ? 0 : -1;
}

static int read_file(perp_mjcf *m, perp_robot_field *field, const char *file)
{
    static const char png[] = "\x89PNG";
    int outside;
    size_t size;
    const char *path = perp_robot_look_beside(m->job, file,
                                              perp_mjcf_settings_of(m, field->at)->mesh_folder,
                                              field->at, &outside),
               *bytes;

    if (path == NULL) {
        if (m->job->status == PERP_SOLVED)
            perp_robot_missing(m->job, field->at, "'%.120s' is %s the search path", file,
                               outside ? "outside of" : "not found in");
        return m->job->status == PERP_SOLVED ? 1 : -1;
    }
    bytes = perp_robot_bytes(m->job, &size, path, 8 + 4 * (size_t)MOST_PLACES, field->at);
    if (bytes == NULL)
        return -1;
    if (size >= 4 && memcmp(bytes, png, 4) == 0) {
        double *read;
        int said = perp_robot_read_picture(m->job, field->at, (const unsigned char *)bytes, size,
                                           MOST_PLACES, &read, &field->rows, &field->columns);
        return said != 0 ? said : lay_rows(m->job, field, read);
    }
    for (int turned = 0; turned < 2 && size >= 8; turned++) {
        int rows = read_word(bytes, turned), columns = read_word(bytes + 4, turned);
        if (rows < 2 || columns < 2 || rows > MOST_PLACES / columns ||
            size != 8 + 4 * (size_t)rows * (size_t)columns)
            continue;
        field->rows = rows;
        field->columns = columns;
        field->height = perp_robot_take(m->job, (size_t)rows * (size_t)columns, sizeof(double));
        for (size_t k = 0; field->height != NULL && k < (size_t)rows * (size_t)columns; k++) {
            int word = read_word(bytes + 8 + 4 * k, turned);
            float x;
            memcpy(&x, &word, 4);
            field->height[k] = (double)x;
        }
        return field->height != NULL ? 0 : -1;
    }
    return perp_robot_fail(m->job, field->at,
                           "%.120s: rows, columns and a number for each place are expected", file);
}

/* From the text, whose first row is the one with the largest y; without it all are 0. */
static int read_text(const perp_mjcf_reader *r, perp_robot_field *field)
{
    size_t all = (size_t)field->rows * (size_t)field->columns;
    const char *text = perp_xml_get(r->at, "elevation");
    double *read = perp_robot_take(r->m->job, all, sizeof *read);

    if (read == NULL)
        return -1;
    if (text == NULL)
        return lay_rows(r->m->job, field, read);
    int count = perp_xml_numbers(r->m->job, read, (int)all, r->at, "elevation", text);
    if (count != (int)all)
        return count < 0
                   ? -1
                   : perp_robot_fail(r->m->job, r->at,
                                     "elevation: %zu numbers are expected, %d given", all, count);
    return lay_rows(r->m->job, field, read);
}

/* Heights go from 0 to that of the size. */
static int stretch(perp_robot_job *job, perp_robot_field *field, double height)
{
    double low = INFINITY, high = -INFINITY;
    size_t all = (size_t)field->rows * (size_t)field->columns;

    for (size_t k = 0; k < all; k++) {
        if (!isfinite(field->height[k]))
            return perp_robot_fail(job, field->at, "a height is no number");
        low = fmin(low, field->height[k]);
        high = fmax(high, field->height[k]);
    }
    if (!isfinite(high - low))
        return perp_robot_fail(job, field->at, "its heights are too far apart");
    for (size_t k = 0; k < all; k++)
        field->height[k] = high > low ? height * ((field->height[k] - low) / (high - low)) : 0.0;
    return 0;
}

static int read_field(perp_mjcf *m, const perp_xml *at)
{
    perp_mjcf_reader r = {m, at, NULL, NULL};
    double size[4] = {0.0}, rows = 0.0, columns = 0.0;
    const char *file = perp_xml_get(at, "file"), *name = perp_xml_get(at, "name");
    perp_robot_field *field = perp_robot_add(m->job, (void **)&m->fields, &m->nfields,
                                             &m->fields_capacity, sizeof *field);
    int bad;

    perp_mjcf_check(&r, "name file nrow ncol size elevation", "content_type");
    if (field == NULL || perp_mjcf_exactly(&r, "size", size, 4) < 0 ||
        perp_mjcf_exactly(&r, "nrow", &rows, 1) < 0 ||
        perp_mjcf_exactly(&r, "ncol", &columns, 1) < 0)
        return -1;
    field->at = at;
    field->name = name != NULL ? name : "";
    for (int k = 0; k < 4; k++)
        if (!(size[k] > 0.0))
            return perp_robot_fail(m->job, at, "size: four positive numbers are expected");
    if (file == NULL) {
        if (!(rows >= 2.0 && columns >= 2.0 && rows * columns <= MOST_PLACES))
            return perp_robot_fail(m->job, at, "nrow, ncol: at least 2, and %d places in all",
                                   MOST_PLACES);
        field->rows = (int)rows;
        field->columns = (int)columns;
    }
    bad = file != NULL ? read_file(m, field, file) : read_text(&r, field);
    field->lost = bad > 0;
    if (bad != 0)
        return bad > 0 ? 0 : -1;
    field->spacing[0] = 2.0 * size[0] / (field->columns - 1);
    field->spacing[1] = 2.0 * size[1] / (field->rows - 1);
    return stretch(m->job, field, size[2]);
}

int perp_mjcf_read_fields(perp_mjcf *m)
{
    const perp_xml *section = NULL, *at;

    while ((section = perp_xml_child(m->root, "asset", section)) != NULL)
        for (at = NULL; (at = perp_xml_child(section, "hfield", at)) != NULL;)
            if (read_field(m, at) != 0)
                return -1;
    return 0;
}

int perp_mjcf_field_of(perp_mjcf *m, const perp_mjcf_reader *r, perp_robot_geom *geom)
{
    const char *name = perp_mjcf_get(r->at, r->from, NULL, "hfield");

    for (int k = 0; name != NULL && k < m->nfields; k++)
        if (strcmp(m->fields[k].name, name) == 0) {
            geom->field = &m->fields[k];
            return geom->field->lost;
        }
    return perp_robot_fail(m->job, r->at, "there is no hfield '%.80s'", name != NULL ? name : "");
}
