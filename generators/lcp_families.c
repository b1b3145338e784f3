/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/lcp_families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generators/coordinates.h"
#include "core/rng.h"

enum { ROWS_MOST = 10000000, GAME_MOST = 4000, PER_COLUMN = 4, COUPLINGS = 3 };
/* Entries lie so near to each other, so that a factorisation of a large matrix fills little. */
enum { WINDOW = 16 };

static const char *const names[] = {"pd",       "psd",     "low",        "twins",
                                    "monotone", "p",       "copositive", "degenerate",
                                    "bimatrix", "general", "infeasible"};

typedef struct maker {
    const perp_family_options *options;
    perp_rng rng;
    perp_coordinates entries;
    int n;
    int base; /* rows that are no copies: row i copies row i % base */
    perp_problem_file *file;
    double *z, *w;
} maker;

const char *perp_family_name(perp_family family)
{
    return (unsigned)family < PERP_FAMILY_COUNT ? names[family] : NULL;
}

perp_family perp_family_find(const char *name)
{
    int k = 0;
    while (k < PERP_FAMILY_COUNT && strcmp(names[k], name) != 0)
        k++;
    return (perp_family)k;
}

static double number(maker *m)
{
    return m->options->family == PERP_FAMILY_DEGENERATE ? perp_rng_below(&m->rng, 5) - 2
                                                        : perp_rng_signed(&m->rng);
}

/* A row near to `about`, below n. */
static int near(maker *m, int about, int n)
{
    int width = n < WINDOW ? n : WINDOW, first = about - width / 2;
    first = first < 0 ? 0 : first > n - width ? n - width : first;
    return first + perp_rng_below(&m->rng, width);
}

/* All copies of the entry. */
static void add_copies(maker *m, int row, int col, double x)
{
    for (int j = col; j < m->n; j += m->base)
        for (int i = row; i < m->n; i += m->base)
            perp_coordinates_add(&m->entries, i, j, x);
}

/* Adds g g' for a g of a few entries.  In `infeasible` the last row has minus the first one. */
static void add_square(maker *m)
{
    int row[2 * PER_COLUMN], count = 0;
    double g[2 * PER_COLUMN];
    int opposite = m->options->family == PERP_FAMILY_INFEASIBLE;
    int rows = m->base - (opposite && m->base > 1), about = perp_rng_below(&m->rng, rows);
    for (int k = 0; k < PER_COLUMN; k++) {
        row[count] = near(m, about, rows);
        g[count++] = number(m);
        if (opposite && row[count - 1] == 0) {
            row[count] = m->base - 1;
            g[count] = -g[count - 1];
            count++;
        }
    }
    for (int j = 0; j < count; j++)
        for (int i = 0; i < count; i++)
            add_copies(m, row[i], row[j], g[i] * g[j]);
}

static void add_squares(maker *m, int count)
{
    for (int k = 0; k < count; k++)
        add_square(m);
}

static void add_skew(maker *m)
{
    for (int j = 0; j < m->n; j++)
        for (int k = 0; k < COUPLINGS; k++) {
            int i = near(m, j, m->n);
            double x = perp_rng_signed(&m->rng);
            if (i == j)
                continue;
            perp_coordinates_add(&m->entries, i, j, x);
            perp_coordinates_add(&m->entries, j, i, -x);
        }
}

/* A few entries beside the diagonal in each row, from low to 1. */
static void add_rows(maker *m, double low, double diagonal)
{
    for (int i = 0; i < m->n; i++) {
        double sum = 0.0;
        for (int k = 0; k < COUPLINGS; k++) {
            int j = near(m, i, m->n);
            double x = low + (1.0 - low) * perp_rng_uniform(&m->rng);
            if (i == j)
                continue;
            perp_coordinates_add(&m->entries, i, j, x);
            sum += fabs(x);
        }
        perp_coordinates_add(&m->entries, i, i, diagonal * sum + 0.1 + perp_rng_uniform(&m->rng));
    }
}

static void add_game(maker *m)
{
    int half = m->n / 2;
    for (int j = 0; j < half; j++)
        for (int i = 0; i < half; i++) {
            perp_coordinates_add(&m->entries, i, half + j, 1 + perp_rng_below(&m->rng, 30));
            perp_coordinates_add(&m->entries, half + i, j, 1 + perp_rng_below(&m->rng, 30));
        }
}

static void add_anything(maker *m)
{
    for (int j = 0; j < m->n; j++)
        for (int k = 0; k <= COUPLINGS; k++)
            perp_coordinates_add(&m->entries, near(m, j, m->n), j, perp_rng_signed(&m->rng));
}

static void make_matrix(maker *m)
{
    switch (m->options->family) {
    case PERP_FAMILY_PD:
        add_squares(m, 2 * m->n);
        break;
    case PERP_FAMILY_LOW:
        add_squares(m, m->n / 3);
        break;
    case PERP_FAMILY_MONOTONE:
        add_squares(m, m->n / 2);
        add_skew(m);
        break;
    case PERP_FAMILY_P:
        add_rows(m, -1.0, 1.05);
        break;
    case PERP_FAMILY_COPOSITIVE:
        add_rows(m, 0.0, 0.0);
        break;
    case PERP_FAMILY_BIMATRIX:
        add_game(m);
        break;
    case PERP_FAMILY_GENERAL:
        add_anything(m);
        break;
    default:
        add_squares(m, 3 * m->base / 4);
        break;
    }
}

/* z between its bounds or at one of them, w of the right sign. */
static void plant(maker *m, int i, double lo, double hi)
{
    int exact = m->options->family == PERP_FAMILY_DEGENERATE, what = perp_rng_below(&m->rng, 3);
    double push = exact ? perp_rng_below(&m->rng, 2) : 0.1 + perp_rng_uniform(&m->rng);
    double from = isfinite(lo) ? lo : isfinite(hi) ? hi - 2.0 : -1.0;
    double to = isfinite(hi) ? hi : from + 2.0;
    double share = exact ? 0.5 : perp_rng_uniform(&m->rng);
    m->z[i] = from + share * (to - from);
    m->w[i] = 0.0;
    if (what == 1 && isfinite(lo)) {
        m->z[i] = lo;
        m->w[i] = push;
    } else if (what > 0 && isfinite(hi)) {
        m->z[i] = hi;
        m->w[i] = -push;
    } else if (what > 0 && isfinite(lo)) {
        m->z[i] = lo;
        m->w[i] = push;
    }
}

/* Bounds of row i by the class. */
static void make_bounds(maker *m, int i, double *lo, double *hi)
{
    perp_problem_class cls = m->file->cls;
    int is_free = cls != PERP_CLASS_LCP && i % 5 == 4;
    *lo = is_free || (cls == PERP_CLASS_RELAY && i % 5 == 3) ? -INFINITY : 0.0;
    *hi = INFINITY;
    if (cls == PERP_CLASS_RELAY && i % 5 < 2)
        *lo = -1.0;
    if (cls == PERP_CLASS_RELAY && !is_free && i % 5 != 2)
        *hi = 1.0;
    if (cls == PERP_CLASS_MLCP)
        m->file->is_free[i] = is_free;
    if (cls == PERP_CLASS_RELAY) {
        m->file->lo[i] = *lo;
        m->file->hi[i] = *hi;
    }
}

/* q, not planted. */
static void choose_q(maker *m)
{
    perp_family family = m->options->family;
    for (int i = 0; i < m->n; i++)
        m->file->q[i] = family == PERP_FAMILY_BIMATRIX ? -1.0 : perp_rng_signed(&m->rng);
    if (family != PERP_FAMILY_INFEASIBLE)
        return;
    m->file->q[0] = m->n > 1 ? 0.5 : -1.0;
    if (m->n > 1)
        m->file->q[m->n - 1] = -1.5;
}

static int is_planted(perp_family family)
{
    return family < PERP_FAMILY_BIMATRIX;
}

static void make_q(maker *m)
{
    const int *colptr = m->file->M.as.csc.colptr, *row = m->file->M.as.csc.row;
    for (int i = 0; i < m->n; i++) {
        double lo, hi;
        make_bounds(m, i, &lo, &hi);
        plant(m, i, lo, hi);
        m->file->q[i] = m->w[i];
    }
    if (!is_planted(m->options->family)) {
        choose_q(m);
        return;
    }
    for (int j = 0; j < m->n; j++)
        for (int k = colptr[j]; k < colptr[j + 1]; k++)
            m->file->q[row[k]] -= m->file->M.as.csc.x[k] * m->z[j];
}

static perp_status take_vectors(maker *m)
{
    perp_problem_file *file = m->file;
    size_t n = (size_t)m->n;
    file->q = perp_problem_file_take(file, n, sizeof(double));
    m->z = perp_problem_file_take(file, n, sizeof(double));
    m->w = perp_problem_file_take(file, n, sizeof(double));
    if (file->cls == PERP_CLASS_MLCP &&
        !(file->is_free = perp_problem_file_take(file, n, sizeof(int))))
        return PERP_ERR_MEMORY;
    if (file->cls == PERP_CLASS_RELAY) {
        file->lo = perp_problem_file_take(file, n, sizeof(double));
        file->hi = perp_problem_file_take(file, n, sizeof(double));
        if (!file->lo || !file->hi)
            return PERP_ERR_MEMORY;
    }
    return file->q && m->z && m->w ? PERP_SOLVED : PERP_ERR_MEMORY;
}

static perp_status make(maker *m)
{
    const perp_family_options *o = m->options;
    int alone = o->family == PERP_FAMILY_BIMATRIX || o->family == PERP_FAMILY_INFEASIBLE;
    m->file->cls = alone ? PERP_CLASS_LCP : o->cls;
    snprintf(m->file->title, sizeof m->file->title, "%s, %d rows, seed %llu", names[o->family],
             m->n, (unsigned long long)o->seed);
    make_matrix(m);
    perp_status status = perp_coordinates_to_csc(&m->file->M, &m->entries, m->n, m->file);
    if (status == PERP_SOLVED)
        status = take_vectors(m);
    if (status == PERP_SOLVED)
        make_q(m);
    return status;
}

perp_status perp_generate_family(perp_problem_file **file, const double **planted,
                                 const perp_family_options *options,
                                 const perp_allocator *allocator)
{
    maker m = {.options = options, .rng = {options->seed}, .n = options->rows};
    int game = options->family == PERP_FAMILY_BIMATRIX;
    *file = NULL;
    if ((unsigned)options->family >= PERP_FAMILY_COUNT || m.n < 1 ||
        m.n > (game ? GAME_MOST : ROWS_MOST) || options->cls < PERP_CLASS_LCP ||
        options->cls > PERP_CLASS_RELAY)
        return PERP_ERR_ARGUMENT;
    m.n += game && m.n % 2;
    m.base = options->family == PERP_FAMILY_TWINS ? (2 * m.n + 4) / 5 : m.n;
    perp_status status = perp_problem_file_create(&m.file, allocator);
    if (status == PERP_SOLVED)
        status = make(&m);
    perp_coordinates_free(&m.entries);
    if (status != PERP_SOLVED) {
        perp_problem_file_destroy(m.file);
        return status;
    }
    if (planted)
        *planted = is_planted(options->family) ? m.z : NULL;
    *file = m.file;
    return PERP_SOLVED;
}
