/* SPDX-License-Identifier: BSD-3-Clause */
/* perp view of a problem file: solves it, and what there is to see of problem and solve. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "cli/view_problem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/choose_solver.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/json_report.h"
#include "cli/message.h"
#include "cli/names.h"
#include "cli/problem_islands.h"
#include "cli/read_apart.h"
#include "cli/table_page.h"

enum { CELLS = 200, MOST_BLOCKS = 200000 };

typedef struct solved {
    perp_problem_file *file;
    perp_problem problem;
    perp_info info;
    double *z, *w;
    int *block_of, *island;
    int blocks, islands;
} solved;

int perp_is_problem(const char *path)
{
    FILE *f = fopen(path, "rb");
    int c = ' ';

    if (f == NULL)
        return 0;
    while (c != EOF && (isspace(c) || c == 0xef || c == 0xbb || c == 0xbf))
        c = fgetc(f);
    fclose(f);
    return c != EOF && c != '{' && c != '<';
}

static int number_blocks(solved *s)
{
    int row = 0;

    s->blocks = 0;
    for (int k = 0; k < s->problem.nseg; k++)
        for (int i = 0; i < s->problem.seg[k].count; i++, s->blocks++)
            for (int d = 0; d < s->problem.seg[k].dim; d++)
                s->block_of[row++] = s->blocks;
    s->island = calloc((size_t)s->blocks + 1, sizeof *s->island);
    if (s->island == NULL)
        return -1;
    s->islands = perp_problem_islands(s->island, &s->problem, s->block_of, s->blocks,
                                      s->file->cls == PERP_CLASS_GLOBAL ? &s->file->M : NULL);
    return s->islands < 0 ? -1 : 0;
}

static int load(solved *s, const char *path)
{
    perp_io_error error;
    perp_status status;
    size_t n;

    memset(&error, 0, sizeof error);
    status = perp_read_problem_apart(&s->file, path, PERP_CLASS_AUTO, NULL, NULL, &error);
    if (status == PERP_SOLVED)
        status = perp_problem_file_get(s->file, &s->problem, &error);
    if (status != PERP_SOLVED)
        return perp_complain_io(path, status, &error);
    n = (size_t)s->problem.M.rows + 1;
    s->z = calloc(n, sizeof *s->z);
    s->w = calloc(n, sizeof *s->w);
    s->block_of = calloc(n, sizeof *s->block_of);
    if (s->z == NULL || s->w == NULL || s->block_of == NULL || number_blocks(s) != 0)
        return perp_complain("no memory for %zu rows", n - 1);
    if (s->blocks > MOST_BLOCKS)
        return perp_complain("%s: %d blocks; a page shows %d at most", path, s->blocks,
                             MOST_BLOCKS);
    return PERP_EXIT_DONE;
}

static int solve(solved *s, const perp_shared *shared, const char *path)
{
    const perp_solver_type *type = perp_choose_solver(shared->solver, &s->problem);
    perp_solver *solver = NULL;
    perp_status status;

    if (type == NULL)
        return PERP_EXIT_ERROR;
    status = perp_solver_create(&solver, type, &shared->settings, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, &s->problem);
    s->info.size = sizeof s->info;
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, s->z, s->w, &s->info);
    if (status < 0) {
        const perp_info *failed = perp_solver_info(solver);
        if (solver == NULL)
            perp_complain("%s: %s", perp_solver_name(type), perp_status_text(status));
        else
            perp_complain_where(path, status, &failed->where, failed->detail);
    }
    perp_solver_destroy(solver);
    return status < 0 ? PERP_EXIT_ERROR : PERP_EXIT_DONE;
}

/* The natural residual of one block by itself, over the largest of |z| and |w| of all: the problem
 * with M = 0 and q = w has no other. */
static double block_residual(const perp_segment *segment, int k, const double *z, const double *w,
                             double scale)
{
    static const double zero[1] = {0.0};
    perp_segment one = *segment;
    perp_problem problem = {.q = w, .seg = &one, .nseg = 1};
    perp_residuals residuals = {.size = sizeof residuals};
    double *M = calloc((size_t)(one.dim * one.dim), sizeof *M), largest = 0.0, size_z = 0.0,
           size_w = 0.0;

    one.count = 1;
    for (int p = 0; p < PERP_PARAMETERS; p++) {
        one.par[p] =
            segment->par[p] != NULL ? segment->par[p] + (ptrdiff_t)k * segment->stride[p] : NULL;
        one.stride[p] = 0;
    }
    for (int i = 0; i < one.dim; i++) {
        size_z += z[i] * z[i];
        size_w += w[i] * w[i];
    }
    largest = sqrt(fmax(size_z, size_w));
    perp_mat_init_dense(&problem.M, one.dim, one.dim, M != NULL ? M : zero, one.dim);
    if (M == NULL || perp_residual(&problem, z, NULL, NULL, &residuals) != PERP_SOLVED)
        residuals.natural = NAN;
    free(M);
    return scale > 0.0 && largest > 0.0 ? residuals.natural * largest / scale : residuals.natural;
}

static double norm(const double *x, int n)
{
    double sum = 0.0;

    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

static void write_block(perp_json *json, const solved *s, const perp_segment *segment, int k,
                        int block, int row, double scale)
{
    perp_json_object(json, NULL);
    perp_json_text(json, "set", perp_set_name(segment->set));
    perp_json_integer(json, "row", row);
    perp_json_integer(json, "island", s->islands > 0 ? s->island[block] : -1);
    for (int p = 0; p < perp_set_parameters(segment->set, segment->dim); p++)
        perp_json_real(json, perp_set_parameter(segment->set, p),
                       segment->par[p][(ptrdiff_t)k * segment->stride[p]]);
    perp_json_reals(json, "z", s->z + row, segment->dim);
    perp_json_reals(json, "w", s->w + row, segment->dim);
    perp_json_real(json, "residual", block_residual(segment, k, s->z + row, s->w + row, scale));
    perp_json_end_object(json);
}

static void write_blocks(perp_json *json, const solved *s)
{
    int n = s->problem.M.rows, row = 0, block = 0;
    double scale = fmax(norm(s->problem.q, n), fmax(norm(s->z, n), norm(s->w, n)));

    perp_json_array(json, "blocks");
    for (int i = 0; i < s->problem.nseg; i++)
        for (int k = 0; k < s->problem.seg[i].count; k++, block++) {
            write_block(json, s, &s->problem.seg[i], k, block, row, scale);
            row += s->problem.seg[i].dim;
        }
    perp_json_end_array(json);
}

static void write_matrix(perp_json *json, const char *name, const perp_mat *A)
{
    static int cells[CELLS * CELLS];
    int rows = A->kind == PERP_DELASSUS ? A->as.delassus.dofs : A->rows;
    int size = rows > A->cols ? rows : A->cols;

    if (A->kind == PERP_OPERATOR || rows == 0 || A->cols == 0)
        return;
    size = size < CELLS ? size : CELLS;
    perp_matrix_cells(cells, size, A);
    perp_json_object(json, NULL);
    perp_json_text(json, "name", name);
    perp_json_integer(json, "rows", rows);
    perp_json_integer(json, "cols", A->cols);
    perp_json_integer(json, "size", size);
    perp_json_array(json, "cells");
    for (int k = 0; k < size * size; k++)
        perp_json_integer(json, NULL, cells[k]);
    perp_json_end_array(json);
    perp_json_end_object(json);
}

static void write_matrices(perp_json *json, const solved *s)
{
    perp_json_array(json, "matrices");
    if (s->file->cls == PERP_CLASS_GLOBAL) {
        write_matrix(json, "M, the mass", &s->file->M);
        write_matrix(json, "H", &s->file->H);
        if (s->file->has_G)
            write_matrix(json, "G", &s->file->G);
    }
    if (s->problem.M.kind != PERP_DELASSUS || s->file->cls != PERP_CLASS_GLOBAL)
        write_matrix(json, s->problem.M.kind == PERP_DELASSUS ? "H" : "M", &s->problem.M);
    perp_json_end_array(json);
}

static void write_info(perp_json *json, const solved *s, const perp_settings *settings)
{
    const perp_info *info = &s->info;

    perp_json_text(json, "solver", info->solver);
    perp_json_text(json, "status", perp_status_text(info->status));
    perp_json_boolean(json, "solved", info->status == PERP_SOLVED);
    perp_json_text(json, "detail", info->detail);
    perp_json_real(json, "error", info->error);
    perp_json_real(json, "tol", settings->tol);
    perp_json_integer(json, "iterations", info->iterations);
    perp_json_real(json, "seconds", info->setup_seconds + info->solve_seconds);
    perp_json_residuals(json, "residual", &info->residual);
    perp_json_stages(json, info);
}

static int write_page(const solved *s, const perp_shared *shared, const char *path, const char *out)
{
    perp_table_page page;
    perp_json json;
    int code;

    if (perp_table_page_open(&page) != 0)
        return PERP_EXIT_ERROR;
    perp_json_open(&json, page.data, "view");
    perp_json_text(&json, "file", path);
    perp_json_text(&json, "title", s->file->title);
    perp_json_integer(&json, "rows", s->problem.M.rows);
    perp_json_integer(&json, "islands", s->islands);
    write_info(&json, s, &shared->settings);
    write_matrices(&json, s);
    write_blocks(&json, s);
    perp_json_close(&json);
    code = perp_table_page_write(&page, "problem", path, out);
    if (code == PERP_EXIT_DONE && !shared->quiet)
        printf("%s: %d blocks, %s\n", out, s->blocks, perp_status_text(s->info.status));
    return code;
}

int perp_view_problem(const perp_shared *shared, const char *path, const char *out)
{
    solved s;
    int code;

    memset(&s, 0, sizeof s);
    code = load(&s, path);
    if (code == PERP_EXIT_DONE)
        code = solve(&s, shared, path);
    if (code == PERP_EXIT_DONE)
        code = write_page(&s, shared, path, out);
    perp_problem_file_destroy(s.file);
    free(s.z);
    free(s.w);
    free(s.block_of);
    free(s.island);
    return code;
}
