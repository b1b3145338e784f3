/* SPDX-License-Identifier: BSD-3-Clause */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

#include "cli/commands.h"
#include "cli/entries.h"
#include "cli/equalities.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/report.h"
#include "cli/spectrum.h"

typedef struct request {
    const char *file;
    perp_dump_class cls;
} request;

enum { KEY_CLASS = 256, STEPS_MAX = 200 };

static const struct argp_option options[] = {{"class", KEY_CLASS, "CLASS", 0,
                                              "What a text file holds where its content does not "
                                              "tell: friction, global, rolling, lcp, mlcp, "
                                              "relay",
                                              0},
                                             {0}};

static error_t parse(int key, char *word, struct argp_state *state)
{
    request *wish = state->input;

    switch (key) {
    case KEY_CLASS:
        if (!perp_parse_class(&wish->cls, word))
            argp_error(state, "unknown class '%s'", word);
        break;
    case ARGP_KEY_ARG:
        if (wish->file != NULL)
            argp_error(state, "one FILE only, not '%s' too", word);
        wish->file = word;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no FILE given");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void print_range(const char *label, const double *x, int n)
{
    double low = INFINITY, high = -INFINITY, square = 0.0;

    for (int i = 0; i < n; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
        square += x[i] * x[i];
    }
    if (n > 0)
        perp_row(label, "%.6g to %.6g, norm %.6g", low, high, sqrt(square));
}

static void print_coefficients(const char *label, const double *x, int count)
{
    double low = INFINITY, high = -INFINITY;

    for (int k = 0; k < count; k++) {
        low = fmin(low, x[k]);
        high = fmax(high, x[k]);
    }
    if (low == high)
        perp_row(label, "%.6g at every contact", low);
    else
        perp_row(label, "%.6g to %.6g", low, high);
}

static void print_friction(const perp_dump *dump, const perp_problem *problem)
{
    int closing = 0;

    if (dump->contacts == 0 || dump->mu == NULL)
        return;
    for (int k = 0; k < dump->contacts; k++)
        closing += problem->q[(size_t)k * (size_t)dump->spacedim] < 0.0;
    print_coefficients("mu", dump->mu, dump->contacts);
    if (dump->mu_r != NULL)
        print_coefficients("mu_r", dump->mu_r, dump->contacts);
    perp_row("closing", "%d contacts have q_N < 0", closing);
    if (dump->cls == PERP_DUMP_GLOBAL && dump->dofs > 0) {
        perp_row("density", "%.4g contact rows per degree of freedom",
                 (double)dump->spacedim * dump->contacts / dump->dofs);
    }
}

static void print_condition(int n, double work, perp_apply_fn apply, void *ctx)
{
    perp_spectrum spectrum;
    int steps = work > 0.0 ? (int)fmin(STEPS_MAX, fmax(20.0, 2e9 / work)) : STEPS_MAX;

    if (!perp_spectrum_compute(&spectrum, n, steps, apply, ctx))
        return;
    if (spectrum.exact && spectrum.rank < n) {
        perp_row("condition", "singular: rank %d of %d, singular values up to %.4g", spectrum.rank,
                 n, spectrum.largest);
    } else if (spectrum.smallest <= 1e-15 * spectrum.largest) {
        perp_row("condition", "singular to working precision, singular values up to %.4g",
                 spectrum.largest);
    } else if (spectrum.exact) {
        perp_row("condition", "%.4g (singular values %.4g to %.4g)",
                 spectrum.largest / spectrum.smallest, spectrum.smallest, spectrum.largest);
    } else {
        perp_row("condition", "at least %.3g (singular values up to %.4g, down to %.4g; %d steps)",
                 spectrum.largest / spectrum.smallest, spectrum.largest, spectrum.smallest,
                 spectrum.steps);
    }
}

static void apply_entries(void *ctx, double *y, const double *x, int transposed)
{
    perp_entries_apply(y, ctx, x, transposed);
}

static void print_symmetry(const char *name, const perp_entries *entries)
{
    if (entries->asymmetry == 0.0) {
        perp_row("symmetry", "%s is symmetric", name);
    } else {
        perp_row("symmetry", "max |%s - %s'| / max |%s| = %.3g", name, name, name,
                 entries->asymmetry);
    }
}

static void print_explicit(const perp_mat *M)
{
    perp_entries entries;

    if (perp_entries_collect(&entries, M)) {
        perp_row("matrix", "%d x %d, %s, %zu entries, %zu of them not zero (%.3g %%)", M->rows,
                 M->cols, perp_matrix_kind_word(M->kind), entries.stored, entries.nonzero,
                 M->rows > 0 ? 100.0 * (double)entries.nonzero / ((double)M->rows * (double)M->cols)
                             : 0.0);
        print_symmetry("M", &entries);
        if (M->rows > 0)
            perp_row("diagonal", "%.6g to %.6g", entries.diagonal_low, entries.diagonal_high);
        print_condition(M->rows, (double)entries.nonzero, apply_entries, &entries);
    }
    perp_entries_free(&entries);
}

typedef struct product {
    const perp_mat *W;
    double *scratch;
} product;

/* W is symmetric when M is; that was printed before. */
static void apply_product(void *ctx, double *y, const double *x, int transposed)
{
    const product *p = ctx;

    (void)transposed;
    if (perp_mat_apply(p->W, x, p->scratch, y) != PERP_SOLVED)
        memset(y, 0, (size_t)p->W->rows * sizeof *y);
}

/* h_j' M^-1 h_j for some columns j, evenly spread. */
static void print_product_diagonal(const perp_mat *W, double *room)
{
    int dofs = W->as.delassus.dofs, many = dofs > 0 ? (int)fmin(W->cols, 2e8 / dofs + 64.0) : 0;
    double *h = room, *scratch = room + dofs, low = INFINITY, high = -INFINITY;

    for (int s = 0; s < many; s++) {
        int j = (int)((double)s * W->cols / many);
        double sum = 0.0;

        memset(h, 0, (size_t)dofs * sizeof *h);
        for (int k = W->as.delassus.colptr[j]; k < W->as.delassus.colptr[j + 1]; k++)
            h[W->as.delassus.row[k]] += W->as.delassus.x[k];
        perp_mass_solve(W->as.delassus.mass, h, scratch, h);
        for (int k = W->as.delassus.colptr[j]; k < W->as.delassus.colptr[j + 1]; k++)
            sum += W->as.delassus.x[k] * h[W->as.delassus.row[k]];
        low = fmin(low, sum);
        high = fmax(high, sum);
    }
    if (many > 0)
        perp_row("diagonal", "%.6g to %.6g%s", low, high, many < W->cols ? " (sampled)" : "");
}

/* A problem kept as its factors. */
static void print_product(const perp_dump *dump, const perp_mat *W)
{
    perp_entries mass;
    product p = {W, NULL};
    double *room;
    int symmetric = 0;

    perp_row("matrix", "%d x %d, kept as H' M^-1 H", W->rows, W->cols);
    perp_row("  H", "%d x %d, %zu entries", dump->H.rows, dump->H.cols,
             perp_entries_count(&dump->H));
    if (dump->has_G) {
        perp_row("  G", "%d x %d, %zu entries", dump->G.rows, dump->G.cols,
                 perp_entries_count(&dump->G));
    }
    if (perp_entries_collect(&mass, &dump->M)) {
        perp_row("  M", "%d x %d, %zu entries, diagonal %.6g to %.6g", dump->dofs, dump->dofs,
                 mass.stored, mass.diagonal_low, mass.diagonal_high);
        print_symmetry("M", &mass);
        symmetric = mass.asymmetry <= 1e-14;
    }
    perp_entries_free(&mass);
    if (W->rows > dump->dofs)
        perp_row("rank", "at most %d of %d", dump->dofs, W->rows);
    p.scratch = calloc(perp_mat_scratch(W) + 1, sizeof *p.scratch);
    room = calloc(2 * (size_t)dump->dofs + 1, sizeof *room);
    if (p.scratch != NULL && room != NULL) {
        print_product_diagonal(W, room);
        if (symmetric)
            print_condition(W->rows, 4.0 * (double)perp_entries_count(&dump->H), apply_product, &p);
    }
    free(p.scratch);
    free(room);
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

/* Says how well a solution stored in the file solves the problem. */
static void print_stored_solution(const char *path, perp_dump *dump, const perp_problem *problem)
{
    double *z;
    perp_residuals r = {.size = sizeof r};
    perp_io_error error;

    if (!is_hdf5(path) || (z = calloc((size_t)problem->M.rows + 1, sizeof *z)) == NULL)
        return;
    if (perp_solution_read(dump, path, z, &error) == PERP_SOLVED &&
        perp_residual(problem, z, NULL, NULL, &r) == PERP_SOLVED)
        perp_row("solution", "one is stored: natural %.3e, scaled %.3e", r.natural, r.scaled);
    free(z);
}

static int describe(perp_dump **dump, const request *wish)
{
    perp_problem problem;
    perp_io_error error;
    perp_where where = {NULL, -1, -1};
    perp_status status;

    memset(&error, 0, sizeof error);
    status = perp_dump_read(dump, wish->file, wish->cls, NULL, &error);
    if (status == PERP_SOLVED)
        status = perp_dump_problem(*dump, &problem, &error);
    if (status != PERP_SOLVED)
        return perp_complain_io(wish->file, status, &error);
    status = perp_problem_check(&problem, NULL, &where);
    if (status != PERP_SOLVED)
        return perp_complain_where(wish->file, status, &where, NULL);
    perp_report_problem(wish->file, *dump, &problem);
    print_friction(*dump, &problem);
    print_range("q", problem.q, problem.M.rows);
    if (problem.M.kind == PERP_DELASSUS)
        print_product(*dump, &problem.M);
    else
        print_explicit(&problem.M);
    perp_report_equalities(&problem);
    print_stored_solution(wish->file, *dump, &problem);
    return PERP_EXIT_DONE;
}

int perp_cmd_info(int argc, char **argv)
{
    static const char doc[] =
        "Prints sizes, sets, friction, contact density, symmetry, range of the diagonal and an "
        "estimate of the condition number of the problem in FILE.";
    const struct argp argp = {options, parse, "FILE", doc, NULL, NULL, NULL};
    request wish = {NULL, PERP_DUMP_AUTO};
    perp_dump *dump = NULL;
    int code;

    if (argp_parse(&argp, argc, argv, 0, NULL, &wish) != 0)
        return PERP_EXIT_ERROR;
    code = describe(&dump, &wish);
    perp_dump_destroy(dump);
    return code;
}
