/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/numbers.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 4096, SPARSE_FROM = 20 };

/* All the same: {"all": x, "n": N}. */
static int read_all(perp_scene *scene, double **values, int *n, const perp_scene_node *node)
{
    double value = 0.0;
    int given = *n;

    if (perp_scene_object(node, "all n") != 0 ||
        perp_scene_need_real(&value, node, "all", -INFINITY, INFINITY) != 0 ||
        perp_scene_integer(&given, node, "n", 1, 1000000) != 0)
        return -1;
    if (given < 0)
        return perp_scene_fail(node, "needs n, the number of entries");
    if (*n >= 0 && given != *n)
        return perp_scene_fail(node, "%d numbers expected, n is %d", *n, given);
    *values = perp_scene_take(scene, (size_t)given, sizeof **values);
    if (*values == NULL)
        return -1;
    for (int k = 0; k < given; k++)
        (*values)[k] = value;
    *n = given;
    return 0;
}

int perp_scene_vector(perp_scene *scene, double **values, int *n, const perp_scene_node *at,
                      const char *key)
{
    perp_scene_node node = perp_scene_get(at, key);
    size_t count;

    if (node.json == NULL)
        return 0;
    if (perp_scene_is(&node, JSON_OBJECT))
        return read_all(scene, values, n, &node);
    if (perp_scene_array(&node, &count) != 0)
        return -1;
    if (count == 0 || count > 1000000)
        return perp_scene_fail(&node, "%zu numbers are given", count);
    if (*n < 0)
        *n = (int)count;
    *values = perp_scene_take(scene, count, sizeof **values);
    return *values == NULL ? -1 : perp_scene_need_reals(*values, at, key, *n);
}

/* Takes the memory once the size is known and wanted. */
static double *take(perp_scene *scene, int *rows, int *cols, int has_rows, int has_cols,
                    const perp_scene_node *node)
{
    if (has_rows < 1 || has_cols < 1 || has_rows > LARGEST || has_cols > LARGEST) {
        perp_scene_fail(node, "a size from 1 to %d is needed, not %d x %d", LARGEST, has_rows,
                        has_cols);
        return NULL;
    }
    if (*rows >= 0 && has_rows != *rows) {
        perp_scene_fail(node, "%d rows expected, %d given", *rows, has_rows);
        return NULL;
    }
    if (*cols >= 0 && has_cols != *cols) {
        perp_scene_fail(node, "%d columns expected, %d given", *cols, has_cols);
        return NULL;
    }
    *rows = has_rows;
    *cols = has_cols;
    return perp_scene_take(scene, (size_t)has_rows * (size_t)has_cols, sizeof(double));
}

static int read_rows(perp_scene *scene, double **values, int *rows, int *cols,
                     const perp_scene_node *node)
{
    size_t count, width = 0;
    perp_scene_node first = perp_scene_at(node, 0);

    if (perp_scene_array(node, &count) != 0 || perp_scene_array(&first, &width) != 0)
        return -1;
    if (count > LARGEST || width > LARGEST)
        return perp_scene_fail(node, "more than %d rows or columns", LARGEST);
    *values = take(scene, rows, cols, (int)count, (int)width, node);
    if (*values == NULL)
        return -1;
    for (size_t i = 0; i < count; i++) {
        perp_scene_node row = perp_scene_at(node, i);
        size_t entries;
        if (perp_scene_array(&row, &entries) != 0)
            return -1;
        if (entries != width)
            return perp_scene_fail(&row, "%zu numbers expected, %zu given", width, entries);
        for (size_t j = 0; j < width; j++) {
            perp_scene_node entry = perp_scene_at(&row, j);
            if (perp_scene_number(&(*values)[i + j * count], &entry, -INFINITY, INFINITY) != 0)
                return -1;
        }
    }
    return 0;
}

static int read_diagonal(perp_scene *scene, double **values, int *rows, int *cols,
                         const perp_scene_node *node)
{
    perp_scene_node inner = perp_scene_get(node, "diagonal");
    int n = *rows >= 0 ? *rows : *cols, same = perp_scene_is_number(&inner);
    double value = 0.0, *given = NULL;

    if (perp_scene_object(node, "diagonal n scale") != 0 ||
        perp_scene_integer(&n, node, "n", 1, LARGEST) != 0)
        return -1;
    if (same && perp_scene_number(&value, &inner, -INFINITY, INFINITY) != 0)
        return -1;
    if (!same && perp_scene_vector(scene, &given, &n, node, "diagonal") != 0)
        return -1;
    if (n < 0)
        return perp_scene_fail(node, "needs n, the number of rows");
    *values = take(scene, rows, cols, n, n, node);
    if (*values == NULL)
        return -1;
    for (size_t k = 0; k < (size_t)n; k++)
        (*values)[k + k * (size_t)n] = same ? value : given[k];
    return 0;
}

static int read_tridiagonal(perp_scene *scene, double **values, int *rows, int *cols,
                            const perp_scene_node *node)
{
    double band[3] = {0}, corner[2] = {NAN, NAN};
    int n = *rows >= 0 ? *rows : *cols;
    size_t size;

    if (perp_scene_object(node, "tridiagonal n corners scale") != 0 ||
        perp_scene_need_reals(band, node, "tridiagonal", 3) != 0 ||
        perp_scene_reals(corner, node, "corners", 2) != 0 ||
        perp_scene_integer(&n, node, "n", 1, LARGEST) != 0)
        return -1;
    if (n < 0)
        return perp_scene_fail(node, "needs n, the number of rows");
    *values = take(scene, rows, cols, n, n, node);
    if (*values == NULL)
        return -1;
    size = (size_t)n;
    for (size_t k = 0; k < size; k++) {
        double *column = *values + k * size;
        if (k > 0)
            column[k - 1] = band[2];
        column[k] = band[1];
        if (k + 1 < size)
            column[k + 1] = band[0];
    }
    if (!isnan(corner[0])) {
        (*values)[0] = corner[0];
        (*values)[size * size - 1] = corner[1];
    }
    return 0;
}

static int read_entries(perp_scene *scene, double **values, int *rows, int *cols,
                        const perp_scene_node *node)
{
    perp_scene_node list = perp_scene_get(node, "entries");
    int has_rows = *rows, has_cols = *cols;
    size_t count;

    if (perp_scene_object(node, "entries rows cols scale") != 0 ||
        perp_scene_array(&list, &count) != 0 ||
        perp_scene_integer(&has_rows, node, "rows", 1, LARGEST) != 0 ||
        perp_scene_integer(&has_cols, node, "cols", 1, LARGEST) != 0)
        return -1;
    if (has_rows < 0 || has_cols < 0)
        return perp_scene_fail(node, "needs rows and cols");
    *values = take(scene, rows, cols, has_rows, has_cols, node);
    if (*values == NULL)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node entry = perp_scene_at(&list, k);
        double part[3];
        size_t given;
        if (perp_scene_array(&entry, &given) != 0)
            return -1;
        if (given != 3)
            return perp_scene_fail(&entry, "row, column and value expected");
        for (size_t i = 0; i < 3; i++) {
            perp_scene_node number = perp_scene_at(&entry, i);
            double high = i == 0 ? has_rows - 1.0 : i == 1 ? has_cols - 1.0 : (double)INFINITY;
            if (perp_scene_number(&part[i], &number, i < 2 ? 0.0 : -INFINITY, high) != 0)
                return -1;
        }
        if (part[0] != floor(part[0]) || part[1] != floor(part[1]))
            return perp_scene_fail(&entry, "row and column are whole numbers");
        (*values)[(size_t)part[0] + (size_t)part[1] * (size_t)has_rows] += part[2];
    }
    return 0;
}

int perp_scene_matrix(perp_scene *scene, double **values, int *rows, int *cols,
                      const perp_scene_node *at, const char *key)
{
    perp_scene_node node = perp_scene_get(at, key);
    double scale = 1.0;
    int status;

    if (node.json == NULL)
        return 0;
    if (perp_scene_is(&node, JSON_ARRAY))
        return read_rows(scene, values, rows, cols, &node);
    if (perp_scene_has(&node, "diagonal"))
        status = read_diagonal(scene, values, rows, cols, &node);
    else if (perp_scene_has(&node, "tridiagonal"))
        status = read_tridiagonal(scene, values, rows, cols, &node);
    else if (perp_scene_has(&node, "entries"))
        status = read_entries(scene, values, rows, cols, &node);
    else
        return perp_scene_fail(&node,
                               "an array of rows, or an object with diagonal, tridiagonal or "
                               "entries, is expected");
    if (status != 0 || perp_scene_real(&scale, &node, "scale", -INFINITY, INFINITY) != 0)
        return -1;
    for (size_t k = 0; scale != 1.0 && k < (size_t)*rows * (size_t)*cols; k++)
        (*values)[k] *= scale;
    return 0;
}

/* Compressed columns of a dense matrix. */
static int compress(perp_scene *scene, perp_mat *A, const double *dense, int rows, int cols,
                    size_t nonzeros)
{
    int *colptr = perp_scene_take(scene, (size_t)cols + 1, sizeof *colptr), used = 0;
    int *row = perp_scene_take(scene, nonzeros + 1, sizeof *row);
    double *x = perp_scene_take(scene, nonzeros + 1, sizeof *x);

    if (colptr == NULL || row == NULL || x == NULL)
        return -1;
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++) {
            double value = dense[(size_t)i + (size_t)j * (size_t)rows];
            if (value != 0.0) {
                row[used] = i;
                x[used++] = value;
            }
        }
        colptr[j + 1] = used;
    }
    return perp_mat_init_csc(A, rows, cols, colptr, row, x) == PERP_SOLVED ? 0 : -1;
}

int perp_scene_mat(perp_scene *scene, perp_mat *A, int *rows, int *cols, const perp_scene_node *at,
                   const char *key)
{
    double *dense = NULL;
    size_t entries, nonzeros = 0;

    if (perp_scene_matrix(scene, &dense, rows, cols, at, key) != 0)
        return -1;
    if (dense == NULL)
        return 0;
    entries = (size_t)*rows * (size_t)*cols;
    for (size_t k = 0; k < entries; k++)
        nonzeros += dense[k] != 0.0;
    if (*rows >= SPARSE_FROM && nonzeros < entries / 5)
        return compress(scene, A, dense, *rows, *cols, nonzeros);
    return perp_mat_init_dense(A, *rows, *cols, dense, *rows) == PERP_SOLVED ? 0 : -1;
}
