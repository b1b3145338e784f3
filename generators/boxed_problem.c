/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/boxed_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

const char *const boxed_families[] = {"pd", "psd", "low", "ill", NULL};
const int boxed_sizes[] = {12, 24, 48, 96, 192, 0};

/* Box and Muller, one of each pair. */
static double normal(perp_rng *rng)
{
    double u = 1.0 - perp_rng_uniform(rng), v = perp_rng_uniform(rng);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static int columns_of(const char *family, int n)
{
    if (!strcmp(family, "psd"))
        return 3 * n / 4;
    if (!strcmp(family, "low"))
        return n / 3;
    return strcmp(family, "pd") && strcmp(family, "ill") ? 0 : 2 * n;
}

/* M = D G G' D / n; scale: D. */
static void fill_matrix(boxed_problem *p, const double *G, int columns, const double *scale)
{
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < columns; k++)
                sum += G[i * columns + k] * G[j * columns + k];
            p->M[i * p->n + j] = p->M[j * p->n + i] = sum / p->n * scale[i] * scale[j];
        }
}

/* Bounds about 0, a point z with w normal to the box there, and q = w - M z. */
static void plant(boxed_problem *p, perp_rng *rng, const double *scale, double *z)
{
    for (int i = 0; i < p->n; i++) {
        p->lo[i] = -(0.5 + perp_rng_uniform(rng)) / scale[i];
        p->hi[i] = (0.5 + perp_rng_uniform(rng)) / scale[i];
        double which = perp_rng_uniform(rng), size = 0.2 + perp_rng_uniform(rng);
        p->q[i] = 0.0;
        if (which < 0.25) {
            z[i] = p->lo[i];
            p->q[i] = size * scale[i];
        } else if (which < 0.5) {
            z[i] = p->hi[i];
            p->q[i] = -size * scale[i];
        } else {
            z[i] = p->lo[i] + (0.1 + 0.8 * perp_rng_uniform(rng)) * (p->hi[i] - p->lo[i]);
        }
    }
    for (int i = 0; i < p->n; i++) {
        double sum = -p->q[i];
        for (int j = 0; j < p->n; j++)
            sum += p->M[i * p->n + j] * z[j];
        p->q[i] = -sum;
    }
}

int boxed_make(boxed_problem *p, const char *family, int n, int seed)
{
    int columns = columns_of(family, n);
    size_t size = (size_t)n, width = (size_t)columns;
    perp_rng rng = {(unsigned)seed * 1000003u + (unsigned)n};
    *p = (boxed_problem){.n = n};
    p->M = columns > 0 ? malloc((size * size + 3 * size) * sizeof(double)) : NULL;
    double *G = malloc((size * width + 2 * size) * sizeof(double));
    if (!p->M || !G) {
        free(p->M);
        free(G);
        return -1;
    }
    p->q = p->M + size * size;
    p->lo = p->q + size;
    p->hi = p->lo + size;
    double *scale = G + size * width;
    for (size_t i = 0; i < size * width; i++)
        G[i] = normal(&rng);
    for (int i = 0; i < n; i++)
        scale[i] = strcmp(family, "ill") ? 1.0 : pow(10.0, 3.0 * perp_rng_uniform(&rng) - 1.5);
    fill_matrix(p, G, columns, scale);
    plant(p, &rng, scale, scale + n);
    free(G);
    return 0;
}

void boxed_free(boxed_problem *p)
{
    free(p->M);
    *p = (boxed_problem){.n = 0};
}

double boxed_error(const boxed_problem *p, const double *z)
{
    double error = 0.0, size = 0.0;
    for (int i = 0; i < p->n; i++) {
        double w = p->q[i];
        for (int j = 0; j < p->n; j++)
            w += p->M[i * p->n + j] * z[j];
        double e = fmin(fmax(z[i] - w, p->lo[i]), p->hi[i]) - z[i];
        error += e * e;
        size += p->q[i] * p->q[i];
    }
    error = sqrt(error) / fmax(1.0, sqrt(size));
    return isfinite(error) ? error : INFINITY;
}
