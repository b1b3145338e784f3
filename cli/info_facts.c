/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/info_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "cli/matrix_entries.h"
#include "cli/read_apart.h"

enum { STEPS_MAX = 200 };

static perp_range range_of(const double *x, int n)
{
    perp_range range = {INFINITY, -INFINITY, 0.0, n};
    double square = 0.0;

    for (int i = 0; i < n; i++) {
        range.low = fmin(range.low, x[i]);
        range.high = fmax(range.high, x[i]);
        square += x[i] * x[i];
    }
    range.norm = sqrt(square);
    return range;
}

static void gather_friction(perp_info_facts *facts, const perp_problem_file *file,
                            const perp_problem *problem)
{
    facts->closing = -1;
    facts->density = NAN;
    if (file->contacts == 0 || file->mu == NULL)
        return;
    facts->closing = 0;
    for (int k = 0; k < file->contacts; k++)
        facts->closing += problem->q[(size_t)k * (size_t)file->spacedim] < 0.0;
    facts->mu = range_of(file->mu, file->contacts);
    if (file->mu_r != NULL)
        facts->mu_r = range_of(file->mu_r, file->contacts);
    if (file->mu_s != NULL)
        facts->mu_s = range_of(file->mu_s, file->contacts);
    if (file->cls == PERP_CLASS_GLOBAL && file->dofs > 0)
        facts->density = (double)file->spacedim * file->contacts / file->dofs;
}

/* The others return 0 where there is no memory for what they gather. */
static int gather_spectrum(perp_info_facts *facts, int n, double work, perp_apply_fn apply,
                           void *ctx)
{
    int steps = work > 0.0 ? (int)fmin(STEPS_MAX, fmax(20.0, 2e9 / work)) : STEPS_MAX;

    facts->has_spectrum = perp_spectrum_compute(&facts->spectrum, n, steps, apply, ctx);
    return facts->has_spectrum || n < 1;
}

static void apply_entries(void *ctx, double *y, const double *x, int transposed)
{
    perp_entries_apply(y, ctx, x, transposed);
}

static void describe_entries(perp_matrix_facts *facts, const perp_mat *A,
                             const perp_entries *entries)
{
    facts->found = 1;
    facts->rows = A->rows;
    facts->cols = A->cols;
    facts->kind = perp_matrix_kind_word(A->kind);
    facts->stored = entries->stored;
    facts->nonzero = entries->nonzero;
    facts->asymmetry = entries->asymmetry;
    facts->diagonal = (perp_range){entries->diagonal_low, entries->diagonal_high, 0.0, A->rows};
}

static int gather_explicit(perp_info_facts *facts, const perp_mat *M)
{
    perp_entries entries;
    int done = perp_entries_collect(&entries, M);

    if (done) {
        describe_entries(&facts->matrix, M, &entries);
        done = gather_spectrum(facts, M->rows, (double)entries.nonzero, apply_entries, &entries);
    }
    perp_entries_free(&entries);
    return done;
}

typedef struct product {
    const perp_mat *W;
    double *scratch;
} product;

/* W is symmetric when M is. */
static void apply_product(void *ctx, double *y, const double *x, int transposed)
{
    const product *p = ctx;

    (void)transposed;
    if (perp_mat_apply(p->W, x, p->scratch, y) != PERP_SOLVED)
        memset(y, 0, (size_t)p->W->rows * sizeof *y);
}

/* h_j' M^-1 h_j for some columns j, evenly spread. */
static void gather_product_diagonal(perp_matrix_facts *facts, const perp_mat *W, double *values)
{
    int dofs = W->as.delassus.dofs, many = dofs > 0 ? (int)fmin(W->cols, 2e8 / dofs + 64.0) : 0;
    double *h = values, *scratch = values + dofs;
    perp_range range = {INFINITY, -INFINITY, 0.0, many};

    for (int s = 0; s < many; s++) {
        int j = (int)((double)s * W->cols / many);
        double sum = 0.0;

        memset(h, 0, (size_t)dofs * sizeof *h);
        for (int k = W->as.delassus.colptr[j]; k < W->as.delassus.colptr[j + 1]; k++)
            h[W->as.delassus.row[k]] += W->as.delassus.x[k];
        perp_mass_solve(W->as.delassus.mass, h, scratch, h);
        for (int k = W->as.delassus.colptr[j]; k < W->as.delassus.colptr[j + 1]; k++)
            sum += W->as.delassus.x[k] * h[W->as.delassus.row[k]];
        range.low = fmin(range.low, sum);
        range.high = fmax(range.high, sum);
    }
    facts->diagonal = range;
    facts->sampled = many < W->cols;
}

/* A problem kept as its factors. */
static int gather_product(perp_info_facts *facts, const perp_problem_file *file, const perp_mat *W)
{
    perp_entries mass;
    product p = {W, NULL};
    double *values;
    int done;

    facts->product = 1;
    facts->matrix.rows = W->rows;
    facts->matrix.cols = W->cols;
    facts->matrix.kind = perp_matrix_kind_word(W->kind);
    facts->stored_H = perp_entries_count(&file->H);
    facts->stored_G = file->has_G ? perp_entries_count(&file->G) : 0;
    done = perp_entries_collect(&mass, &file->M);
    if (done)
        describe_entries(&facts->mass, &file->M, &mass);
    perp_entries_free(&mass);
    if (W->rows > file->dofs)
        facts->rank = file->dofs;
    p.scratch = calloc(perp_mat_scratch(W) + 1, sizeof *p.scratch);
    values = calloc(2 * (size_t)file->dofs + 1, sizeof *values);
    done = done && p.scratch != NULL && values != NULL;
    if (done) {
        gather_product_diagonal(&facts->matrix, W, values);
        if (facts->mass.asymmetry <= 1e-14)
            done =
                gather_spectrum(facts, W->rows, 4.0 * (double)facts->stored_H, apply_product, &p);
    }
    free(p.scratch);
    free(values);
    return done;
}

static int is_hdf5(const char *path)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[8] = {0};
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return 0;
    if (fread(head, 1, sizeof head, file) != sizeof head)
        head[0] = 0;
    fclose(file);
    return memcmp(head, signature, sizeof head) == 0;
}

/* How well a solution that is stored in the file solves the problem. */
static int gather_solution(perp_info_facts *facts, perp_problem_file *file,
                           const perp_problem *problem, const char *path)
{
    double *z;
    perp_io_error error = {0};
    perp_status status = PERP_ERR_MEMORY;

    if (!is_hdf5(path))
        return 1;
    z = calloc((size_t)problem->M.rows + 1, sizeof *z);
    facts->solution.size = sizeof facts->solution;
    if (z != NULL)
        status = perp_read_solution_apart(file, path, NULL, z, problem->M.rows, &error);
    if (status == PERP_SOLVED)
        status = perp_residual(problem, z, NULL, NULL, &facts->solution);
    facts->has_solution = status == PERP_SOLVED;
    const char *about = status != PERP_SOLVED ? strstr(error.text, ": /solution") : NULL;
    if (status != PERP_SOLVED && strstr(error.text, ": /solution: is missing") == NULL)
        snprintf(facts->unread, sizeof facts->unread, "%s", error.text);
    free(z);
    /* Without a word on the solution it is not known whether there is one. */
    return status == PERP_SOLVED ||
           (status != PERP_ERR_MEMORY && (about != NULL || error.text[0] == '\0'));
}

int perp_info_gather(perp_info_facts *facts, perp_problem_file *file, const perp_problem *problem,
                     const char *path)
{
    memset(facts, 0, sizeof *facts);
    facts->rank = -1;
    gather_friction(facts, file, problem);
    facts->q = range_of(problem->q, problem->M.rows);
    return (problem->M.kind == PERP_DELASSUS ? gather_product(facts, file, &problem->M)
                                             : gather_explicit(facts, &problem->M)) &&
           gather_solution(facts, file, problem, path);
}
