/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of every kind, and a solution chosen first: z and y = w + s(w) that are
 * complementary, w from y, q = w - W z. */
#include "generators/small_problem.h"

#include <math.h>
#include <string.h>

static void direction(double *c, int n, perp_rng *rng)
{
    double square = 0.0;
    do {
        square = 0.0;
        for (int i = 0; i < n; i++) {
            c[i] = small_between(rng, -1.0, 1.0);
            square += c[i] * c[i];
        }
    } while (square > 1.0 || square < 1e-3);
    for (int i = 0; i < n; i++)
        c[i] /= sqrt(square);
}

/* z in the cone, w by the law; now and then on the edge between two cases. */
static void plant_cone(double *z, double *w, perp_set set, double mu, int dim, perp_rng *rng)
{
    double c[2], size = pow(10.0, small_between(rng, -2.0, 1.0)), speed = perp_rng_uniform(rng);
    int what = perp_rng_below(rng, 3), edge = perp_rng_below(rng, 10) == 0;
    direction(c, dim - 1, rng);
    if (what == 0) { /* apart */
        w[0] = (set == PERP_SOC ? mu * speed : 0.0) + (edge ? 0.0 : perp_rng_uniform(rng));
        for (int i = 1; i < dim; i++)
            w[i] = speed * c[i - 1];
        return;
    }
    double share = what == 1 && !edge ? perp_rng_uniform(rng) : 1.0;
    z[0] = size;
    for (int i = 1; i < dim; i++)
        z[i] = share * mu * size * c[i - 1];
    if (what == 2) { /* slip; the convex cone lifts off as it slips */
        w[0] = set == PERP_SOC ? mu * speed : 0.0;
        for (int i = 1; i < dim; i++)
            w[i] = -speed * c[i - 1];
    }
}

static void plant_tresca(double *z, double *w, double bound, int dim, perp_rng *rng)
{
    double c[2];
    direction(c, dim - 1, rng);
    int slip = perp_rng_below(rng, 2);
    z[0] = perp_rng_below(rng, 2) ? perp_rng_uniform(rng) : 0.0;
    w[0] = z[0] > 0.0 ? 0.0 : perp_rng_uniform(rng);
    double share = slip ? 1.0 : perp_rng_uniform(rng), speed = slip ? perp_rng_uniform(rng) : 0.0;
    for (int i = 1; i < dim; i++) {
        z[i] = share * bound * c[i - 1];
        w[i] = -speed * c[i - 1];
    }
}

/* One block; lo and hi are its parameters, made here. */
static void plant(double *z, double *w, double *par, perp_set set, int dim, perp_rng *rng)
{
    int what = perp_rng_below(rng, 3);
    switch (set) {
    case PERP_FREE:
        z[0] = small_between(rng, -1.0, 1.0);
        return;
    case PERP_NONNEG:
        z[0] = what ? perp_rng_uniform(rng) : 0.0;
        w[0] = what ? 0.0 : perp_rng_uniform(rng);
        return;
    case PERP_BOX:
        par[0] = perp_rng_below(rng, 5) ? small_between(rng, -2.0, 0.0) : -INFINITY;
        par[1] = perp_rng_below(rng, 5) ? small_between(rng, 0.0, 2.0) : INFINITY;
        z[0] = what == 0 ? 0.0 : what == 1 ? par[0] : par[1];
        z[0] = isinf(z[0]) ? 0.3 * par[z[0] > 0.0 ? 0 : 1] : z[0];
        z[0] = isinf(z[0]) ? 0.7 : z[0];
        w[0] = z[0] <= par[0]   ? perp_rng_uniform(rng)
               : z[0] >= par[1] ? -perp_rng_uniform(rng)
                                : 0.0;
        return;
    case PERP_TRESCA:
        par[0] = perp_rng_uniform(rng);
        plant_tresca(z, w, par[0], dim, rng);
        return;
    default:
        par[0] = set == PERP_SOC ? small_between(rng, 0.1, 2.0) : small_mu(rng);
        plant_cone(z, w, set, par[0], dim, rng);
        return;
    }
}

static double *random_entries(small_problem *p, size_t count, perp_rng *rng)
{
    double *x = small_take(p, count);
    for (size_t k = 0; x && k < count; k++)
        x[k] = small_between(rng, -1.0, 1.0);
    return x;
}

/* W = G G' / rank, G with `rank` columns. */
static int gram(small_problem *p, int n, int rank, perp_rng *rng)
{
    size_t rows = (size_t)n;
    double *G = random_entries(p, rows * (size_t)rank, rng);
    p->dense = small_take(p, rows * rows);
    if (!G || !p->dense)
        return -1;
    for (int k = 0; k < rank; k++) {
        const double *g = G + (size_t)k * rows;
        for (size_t j = 0; j < rows; j++)
            for (size_t i = 0; i < rows; i++)
                p->dense[i + j * rows] += g[i] * g[j] / rank;
    }
    return 0;
}

/* Block k of the rows becomes a copy of an earlier one. */
static void make_twins(small_problem *p, int n, int dim, perp_rng *rng)
{
    size_t rows = (size_t)n, d = (size_t)dim;
    for (size_t k = 1; k < rows / d; k++) {
        size_t old = (size_t)perp_rng_below(rng, (int)k);
        if (perp_rng_below(rng, 3) == 0)
            continue;
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < rows; j++)
                p->dense[j + (k * d + i) * rows] = p->dense[j + (old * d + i) * rows];
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < rows; j++)
                p->dense[k * d + i + j * rows] = p->dense[old * d + i + j * rows];
    }
}

static int make_matrix(small_problem *p, int n, int dim, perp_rng *rng)
{
    size_t rows = (size_t)n;
    int rank = p->family == SMALL_SINGULAR ? 1 + perp_rng_below(rng, n) : n + 2;
    if (gram(p, n, rank, rng))
        return -1;
    if (p->family == SMALL_TWINS)
        make_twins(p, n, dim, rng);
    if (p->family == SMALL_UNSYMMETRIC) {
        double size = pow(10.0, small_between(rng, -4.0, -0.5));
        for (size_t k = 0; k < rows * rows; k++)
            p->dense[k] += size * small_between(rng, -1.0, 1.0) / sqrt((double)n);
    }
    if (p->family != SMALL_SINGULAR && p->family != SMALL_TWINS)
        for (size_t k = 0; k < rows; k++)
            p->dense[k * (rows + 1)] += 0.05;
    return 0;
}

/* D W D, z / D, w D with D over three decades, the same in a block. */
static void scale_rows(small_problem *p, double *z, double *w, int n, int dim, perp_rng *rng)
{
    size_t rows = (size_t)n;
    for (size_t k = 0; k < rows; k += (size_t)dim) {
        double d = pow(10.0, small_between(rng, -1.5, 1.5));
        for (size_t i = k; i < k + (size_t)dim; i++) {
            for (size_t j = 0; j < rows; j++) {
                p->dense[i + j * rows] *= d;
                p->dense[j + i * rows] *= d;
            }
            z[i] /= d;
            w[i] *= d;
        }
    }
}

/* Segments: one of COULOMB, or of each set and dimension some blocks. */
static int choose_segments(small_problem *p, perp_rng *rng)
{
    static const struct {
        perp_set set;
        int dim;
    } kind[] = {{PERP_FREE, 1},   {PERP_NONNEG, 1},  {PERP_BOX, 1},     {PERP_TRESCA, 2},
                {PERP_TRESCA, 3}, {PERP_COULOMB, 2}, {PERP_COULOMB, 3}, {PERP_SOC, 3}};
    int rows = 0;
    p->contacts = 1 + perp_rng_below(rng, SMALL_CONTACTS);
    if (p->family != SMALL_MIXED) {
        int dim = p->family == SMALL_PLANE ? 2 : 3;
        p->seg[0] = (perp_segment){PERP_COULOMB, dim, p->contacts, {NULL, NULL}, {1, 0}};
        p->problem.nseg = 1;
        return dim * p->contacts;
    }
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        int count = perp_rng_below(rng, 8);
        int two = kind[k].set == PERP_BOX;
        if (count == 0)
            continue;
        p->seg[p->problem.nseg++] =
            (perp_segment){kind[k].set, kind[k].dim, count, {NULL, NULL}, {1, two}};
        rows += count * kind[k].dim;
    }
    if (rows == 0) {
        p->seg[p->problem.nseg++] = (perp_segment){PERP_NONNEG, 1, 1, {NULL, NULL}, {1, 0}};
        rows = 1;
    }
    return rows;
}

static int plant_all(small_problem *p, double *z, double *w, perp_rng *rng)
{
    int row = 0;
    for (int s = 0; s < p->problem.nseg; s++) {
        perp_segment *seg = &p->seg[s];
        double *par[PERP_PARAMETERS] = {NULL};
        int parameters = perp_set_parameters(seg->set, seg->dim);
        for (int k = 0; k < parameters; k++)
            if (!(par[k] = small_take(p, (size_t)seg->count)))
                return -1;
        for (int k = 0; k < seg->count; k++, row += seg->dim) {
            double value[PERP_PARAMETERS] = {0.0};
            plant(z + row, w + row, value, seg->set, seg->dim, rng);
            for (int a = 0; a < parameters; a++)
                par[a][k] = value[a];
        }
        for (int k = 0; k < PERP_PARAMETERS; k++)
            seg->par[k] = par[k];
        p->first = s == 0 ? par[0] : p->first;
    }
    return 0;
}

/* What a solver should see at once. */
static void make_trivial(const small_problem *p, double *q, int n, perp_rng *rng)
{
    int what = perp_rng_below(rng, 3);
    for (int i = 0; i < n; i++)
        if (what == 0)
            q[i] = 0.0;
        else if (what == 1)
            q[i] = i % 3 ? small_between(rng, -1.0, 1.0) : perp_rng_uniform(rng);
    for (int k = 0; what == 2 && k < n / 3; k++)
        p->first[k] = 0.0;
}

int small_build_planted(small_problem *p, perp_rng *rng)
{
    int n = choose_segments(p, rng), dim = p->family == SMALL_MIXED ? 0 : p->seg[0].dim;
    double *z = small_take(p, (size_t)n), *w = small_take(p, (size_t)n);
    double *q = small_take(p, (size_t)n);
    if (!z || !w || !q || make_matrix(p, n, dim, rng) || plant_all(p, z, w, rng))
        return -1;
    if (p->family == SMALL_SCALED)
        scale_rows(p, z, w, n, dim, rng);
    for (size_t i = 0; i < (size_t)n; i++) {
        q[i] = w[i];
        for (size_t j = 0; j < (size_t)n; j++)
            q[i] -= p->dense[i + j * (size_t)n] * z[j];
    }
    p->planted = z;
    if (p->family == SMALL_TRIVIAL) {
        make_trivial(p, q, n, rng);
        p->planted = NULL;
    }
    p->problem.q = q;
    return small_store(p, rng, n, dim);
}
