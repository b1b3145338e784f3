/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/float_environment.h"
#include "io/problem_file.h"
#include "io/problem_file_write.h"
#include "io/fclib.h"
#include "io/text.h"
#include "io/text_out.h"

/* v += C x */
static void add_product(double *v, const perp_mat *C, const double *x)
{
    for (int j = 0; j < C->cols; j++)
        for (int p = C->as.csc.colptr[j]; p < C->as.csc.colptr[j + 1]; p++)
            v[C->as.csc.row[p]] += C->as.csc.x[p] * x[j];
}

/* v = M^-1 (H r + G l + f) */
static perp_status velocities(double **v, perp_problem_file *file, const double *z, perp_heap *work,
                              perp_io_error *error)
{
    perp_problem problem; /* makes the mass, where that was not done */
    perp_status status = perp_problem_file_get(file, &problem, error);
    if (status)
        return status;
    size_t dofs = (size_t)file->dofs;
    double *f = PERP_HEAP_TAKE(work, double, 2 * dofs);
    if (!f)
        return perp_io_fail(error, PERP_ERR_MEMORY, NULL, 0, "no memory");
    memcpy(f, file->q, dofs * sizeof *f);
    add_product(f, &file->H, z);
    if (file->has_G)
        add_product(f, &file->G, z + file->H.cols);
    perp_mass_solve(perp_problem_file_owner_of(file)->mass, f, f + dofs, f);
    *v = f;
    return PERP_SOLVED;
}

static perp_status write_fclib(perp_problem_file *file, const double *z, const double *w,
                               const char *path, perp_heap *work, perp_io_error *error)
{
    double *v = NULL;
    perp_fclib_solution solution = {.u = w, .r = z};
    perp_status status = perp_problem_file_check(file, error);
    if (!status && file->cls == PERP_CLASS_GLOBAL)
        status = velocities(&v, file, z, work, error);
    if (status)
        return status;
    solution.v = v;
    if (file->has_V || file->has_G)
        solution.l = z + file->spacedim * file->contacts;
    return perp_fclib_write(file, &solution, path, error);
}

static perp_status write_text(const double *z, const double *w, int n, const char *path,
                              perp_heap *work, perp_io_error *error)
{
    char header[64];
    perp_text_out out;
    if (!perp_text_out_begin(&out, path, work, error)) {
        snprintf(header, sizeof header, "# z w, %d rows", n);
        perp_text_out_word(&out, header);
        for (int i = 0; i < n && !out.status; i++) {
            perp_text_out_doubles(&out, z + i, 1, ' ');
            perp_text_out_doubles(&out, w + i, 1, '\n');
        }
    }
    return perp_text_out_end(&out);
}

perp_status perp_solution_write(perp_problem_file *file, const double *z, const double *w,
                                const char *path, perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    if (error)
        *error = (perp_io_error){0};
    if (!file || !z || !w || !path)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "an argument is out of its range");
    perp_heap work;
    perp_heap_init(&work, &perp_problem_file_heap(file)->allocator);
    perp_status status = perp_format_of_ending(path) == PERP_FORMAT_FCLIB
                             ? write_fclib(file, z, w, path, &work, error)
                             : write_text(z, w, perp_problem_file_rows(file), path, &work, error);
    perp_heap_free(&work);
    return status;
}

/* Lines that begin with # are remarks; then z w in each row, or z alone. */
static perp_status read_text(double *z, int n, const char *path, perp_heap *work,
                             perp_io_error *error)
{
    perp_text text;
    int only;
    if (!perp_text_open(&text, path, work, error)) {
        size_t length, all = 2 * (size_t)n;
        while (text.at < text.end && *text.at == '#')
            perp_text_line(&text, &length);
        size_t found = perp_text_count_numbers(&text, all + 1, &only);
        int step = found == all && n > 0 ? 2 : 1;
        if (!only || found != (size_t)step * (size_t)n)
            perp_text_fail(&text, PERP_ERR_FORMAT, "no list of %d rows z w, or z", n);
        double w, *copy = PERP_HEAP_TAKE(work, double, n);
        if (!copy)
            perp_text_fail(&text, PERP_ERR_MEMORY, "no memory");
        for (int i = 0; i < n && !text.status; i++) {
            perp_text_doubles(&text, copy + i, 1, "z");
            if (step == 2)
                perp_text_doubles(&text, &w, 1, "w");
        }
        if (!text.status)
            memcpy(z, copy, (size_t)n * sizeof *z);
    }
    perp_status status = text.status;
    return status;
}

perp_status perp_solution_read(perp_problem_file *file, const char *path, double *z,
                               perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    if (error)
        *error = (perp_io_error){0};
    if (!file || !z || !path)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "an argument is out of its range");
    const perp_allocator *allocator = &perp_problem_file_heap(file)->allocator;
    int n = perp_problem_file_rows(file), friction = file->spacedim > 0;
    if (perp_is_hdf5(path)) {
        int rows = file->spacedim * file->contacts;
        if (!friction)
            return perp_io_fail(error, PERP_ERR_FORMAT, path, 0,
                                "an FCLib file has no solution of this class");
        return perp_fclib_read_solution(z, rows, n - rows, path, allocator, error);
    }
    perp_heap work;
    perp_heap_init(&work, allocator);
    perp_status status = read_text(z, n, path, &work, error);
    perp_heap_free(&work);
    return status;
}
