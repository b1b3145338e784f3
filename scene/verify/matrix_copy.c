/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers, vectors and matrices of scene.json. */
#include <limits.h>

#include "scene/verify/verify_inside.h"

/* perp run takes no larger ones. */
enum { LARGEST = 4096, MOST_ENTRIES = 1000000 };

int perp_verify_is(const json_t *json, json_type kind)
{
    return json != NULL && json_typeof(json) == kind;
}

int perp_verify_is_number(const json_t *json)
{
    return perp_verify_is(json, JSON_INTEGER) || perp_verify_is(json, JSON_REAL);
}

double perp_verify_real(const json_t *object, const char *key, double initial)
{
    const json_t *value = json_object_get(object, key);
    return perp_verify_is_number(value) ? json_number_value(value) : initial;
}

int perp_verify_integer(double value)
{
    return value >= INT_MAX ? INT_MAX : value > INT_MIN ? (int)value : INT_MIN;
}

int perp_verify_whole(const json_t *object, const char *key, int initial)
{
    double value = perp_verify_real(object, key, initial);
    return value > -1.0 ? perp_verify_integer(value) : -1;
}

void perp_verify_reals(double *out, const json_t *list, size_t n)
{
    for (size_t k = 0; perp_verify_is(list, JSON_ARRAY) && k < n && k < json_array_size(list); k++)
        out[k] = json_number_value(json_array_get(list, k));
}

const char *perp_verify_word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

double *perp_verify_vector(perp_verification *v, const json_t *json, int n)
{
    if (n > MOST_ENTRIES) {
        perp_verify_fail(v, PERP_ERR_FORMAT, "%.400s/scene.json: a vector of %d entries, above %d",
                         v->folder, n, MOST_ENTRIES);
        return NULL;
    }
    double *out = perp_verify_take(v, (size_t)(n > 0 ? n : 1), sizeof *out);

    for (int k = 0; out != NULL && k < n; k++)
        out[k] = perp_verify_is(json, JSON_OBJECT)
                     ? perp_verify_real(json, "all", 0.0)
                     : json_number_value(json_array_get(json, (size_t)k));
    return out;
}

static void fill_diagonal(double *A, const json_t *json, int n)
{
    const json_t *entries = json_object_get(json, "diagonal"), *all = entries;

    for (int k = 0; k < n; k++)
        A[k + k * n] = perp_verify_is_number(all) ? json_number_value(all)
                       : perp_verify_is(all, JSON_OBJECT)
                           ? perp_verify_real(all, "all", 0.0)
                           : json_number_value(json_array_get(entries, (size_t)k));
}

static void fill_tridiagonal(double *A, const json_t *json, int n)
{
    const json_t *corners = json_object_get(json, "corners");
    double band[3] = {0.0, 0.0, 0.0};

    perp_verify_reals(band, json_object_get(json, "tridiagonal"), 3);
    for (int k = 0; k < n; k++) {
        A[k + k * n] = band[1];
        if (k > 0)
            A[k - 1 + k * n] = band[2];
        if (k + 1 < n)
            A[k + 1 + k * n] = band[0];
    }
    if (perp_verify_is(corners, JSON_ARRAY)) {
        A[0] = json_number_value(json_array_get(corners, 0));
        A[n * n - 1] = json_number_value(json_array_get(corners, 1));
    }
}

static void fill_entries(double *A, const json_t *list, int rows, int cols)
{
    for (size_t k = 0; k < json_array_size(list); k++) {
        double part[3];
        for (size_t i = 0; i < 3; i++)
            part[i] = json_number_value(json_array_get(json_array_get(list, k), i));
        if (part[0] >= 0.0 && part[0] < rows && part[1] >= 0.0 && part[1] < cols)
            A[(int)part[0] + (int)part[1] * rows] += part[2];
    }
}

int perp_verify_fits(perp_verification *v, int rows, int cols)
{
    if (rows <= LARGEST && cols <= LARGEST)
        return 1;
    perp_verify_fail(v, PERP_ERR_FORMAT,
                     "%.400s/scene.json: a matrix of %d x %d, above %d rows or columns", v->folder,
                     rows, cols, LARGEST);
    return 0;
}

double *perp_verify_matrix(perp_verification *v, const json_t *json, int rows, int cols)
{
    double *A;

    if (json == NULL || rows < 1 || cols < 1 || !perp_verify_fits(v, rows, cols))
        return NULL;
    A = perp_verify_take(v, (size_t)rows * (size_t)cols, sizeof *A);
    if (A == NULL)
        return NULL;
    for (int i = 0; perp_verify_is(json, JSON_ARRAY) && i < rows; i++)
        for (int j = 0; j < cols; j++)
            A[i + j * rows] =
                json_number_value(json_array_get(json_array_get(json, (size_t)i), (size_t)j));
    if (json_object_get(json, "diagonal") != NULL && rows == cols)
        fill_diagonal(A, json, rows);
    else if (json_object_get(json, "tridiagonal") != NULL && rows == cols)
        fill_tridiagonal(A, json, rows);
    else if (json_object_get(json, "entries") != NULL)
        fill_entries(A, json_object_get(json, "entries"), rows, cols);
    for (int k = 0; perp_verify_is(json, JSON_OBJECT) && k < rows * cols; k++)
        A[k] *= perp_verify_real(json, "scale", 1.0);
    return A;
}
