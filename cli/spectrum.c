/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/spectrum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

#include "core/rng.h"

static double norm(const double *x, int n)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static void scale(double *x, double factor, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= factor;
}

/* x = y - factor x */
static void subtract_from(double *x, const double *y, double factor, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = y[i] - factor * x[i];
}

/* off[0], off[1], ...: alpha_1, beta_2, alpha_2, ... of the bidiagonalisation,
 * beside the zero diagonal.  Returns how many were made. */
static int bidiagonalise(double *off, int n, int steps, perp_apply_fn apply, void *ctx, double *u,
                         double *v, double *t)
{
    double beta = 0.0, first = 0.0;
    int made = 0;

    for (int k = 0; k < steps; k++) {
        double alpha;

        apply(ctx, t, v, 0);
        subtract_from(u, t, beta, n);
        alpha = norm(u, n);
        off[made++] = alpha;
        first = k == 0 ? alpha : first;
        if (alpha <= 1e-15 * first)
            break;
        scale(u, 1.0 / alpha, n);
        if (k + 1 == steps)
            break;
        apply(ctx, t, u, 1);
        subtract_from(v, t, alpha, n);
        beta = norm(v, n);
        if (beta <= 1e-15 * first)
            break;
        off[made++] = beta;
        scale(v, 1.0 / beta, n);
    }
    return made;
}

/* Eigenvalues below x of the symmetric tridiagonal matrix with zero diagonal (Sturm). */
static int count_below(const double *off, int order, double x)
{
    double pivot = -x;
    int count = pivot < 0.0;

    for (int k = 0; k + 1 < order; k++) {
        if (fabs(pivot) < DBL_MIN)
            pivot = pivot < 0.0 ? -DBL_MIN : DBL_MIN;
        pivot = -x - off[k] * (off[k] / pivot);
        count += pivot < 0.0;
    }
    return count;
}

/* The eigenvalue number `index` (from 0, ascending) within [low, high]. */
static double eigenvalue(const double *off, int order, int index, double low, double high)
{
    for (int k = 0; k < 200 && high - low > 4.0 * DBL_EPSILON * fmax(fabs(low), fabs(high)); k++) {
        double middle = 0.5 * (low + high);

        if (count_below(off, order, middle) > index)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

int perp_spectrum_estimate(perp_spectrum *spectrum, int n, int steps, perp_apply_fn apply,
                           void *ctx)
{
    size_t length = n > 0 ? (size_t)n : 0;
    double *memory, *u, *v, *off, most = 0.0;
    perp_rng rng = {1};
    int made, order;

    if (n < 1)
        return 0;
    steps = steps < n ? steps : n;
    memory = calloc(3 * length + 2 * (size_t)steps, sizeof *memory);
    if (memory == NULL)
        return 0;
    u = memory;
    v = u + length;
    off = v + 2 * length;
    for (int i = 0; i < n; i++)
        v[i] = 2.0 * perp_rng_uniform(&rng) - 1.0;
    scale(v, 1.0 / norm(v, n), n);
    made = bidiagonalise(off, n, steps, apply, ctx, u, v, v + length);

    /* A trailing beta has no partner and is left out: the order is even. */
    made -= (made + 1) % 2;
    order = made + 1;
    for (int k = 0; k < made; k++)
        most = fmax(most, off[k]);
    spectrum->exact = 0;
    spectrum->rank = 0;
    spectrum->steps = order / 2;
    spectrum->largest = eigenvalue(off, order, order - 1, 0.0, 2.0 * most);
    spectrum->smallest = eigenvalue(off, order, order / 2, 0.0, 2.0 * most);
    free(memory);
    return 1;
}

/* The matrix column by column, then its singular values. */
static int dense_values(double *values, double *A, int n, perp_apply_fn apply, void *ctx)
{
    size_t length = (size_t)n;
    double *unit = values + length;

    memset(unit, 0, length * sizeof *unit);
    for (size_t j = 0; j < length; j++) {
        unit[j] = 1.0;
        apply(ctx, A + j * length, unit, 0);
        unit[j] = 0.0;
    }
    return LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', n, n, A, n, values, unit, 1, unit, 1) == 0;
}

int perp_spectrum_compute(perp_spectrum *spectrum, int n, int steps, perp_apply_fn apply, void *ctx)
{
    size_t length = n > 0 ? (size_t)n : 0;
    double *memory;
    int done;

    if (n < 1 || n > PERP_SPECTRUM_DENSE ||
        (memory = malloc((length + 2) * length * sizeof *memory)) == NULL)
        return perp_spectrum_estimate(spectrum, n, steps, apply, ctx);
    done = dense_values(memory, memory + 2 * length, n, apply, ctx);
    if (done) {
        spectrum->exact = 1;
        spectrum->steps = 0;
        spectrum->rank = 0;
        spectrum->largest = memory[0];
        spectrum->smallest = memory[n - 1];
        for (int i = 0; i < n; i++)
            spectrum->rank += memory[i] > n * DBL_EPSILON * memory[0];
    }
    free(memory);
    return done;
}
