/* SPDX-License-Identifier: BSD-3-Clause */
/* Spectral norm: eigenvalues of A'A for small blocks (by the cubic for three rows),
 * Lanczos on A'A above. */
#include "linalg/small.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "core/rng.h"

enum { EXACT_MAX = 6, STEPS_MAX = 120, VECTOR_MAX = 1024 };

static double largest_entry(const double *A, size_t count)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(A[i]))
            return A[i];
        if (fabs(A[i]) > largest)
            largest = fabs(A[i]);
    }
    return largest;
}

/* Largest eigenvalue of a symmetric 2 x 2 matrix. */
static double top_of_two(double a, double b, double c)
{
    double half = 0.5 * (a - c);
    return 0.5 * (a + c) + sqrt(half * half + b * b);
}

/* The largest root of y^3 - 3 y = 2 r, 0 <= r <= 1: a fit within 8e-5, and Newton. */
static double top_of_cubic(double r, int steps)
{
    double y = 1.73212376 + r * (0.33080833 - r * (0.08176201 - r * 0.01888711));
    for (int k = 0; k < steps; k++) {
        double square = y * y;
        y -= (y * (square - 3.0) - 2.0 * r) / (3.0 * (square - 1.0));
    }
    return y;
}

static void cross(double c[3], const double *a, const double *b)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The largest eigenvalue on the plane across the eigenvector of the least one. */
static double top_across(const double *g, double least)
{
    double m[9], e[3] = {0.0, 0.0, 0.0}, u[3], v[3], gu[3], gv[3], longest = 0.0;
    for (int i = 0; i < 9; i++)
        m[i] = i % 4 == 0 ? g[i] - least : g[i];
    for (int i = 0; i < 3; i++) {
        cross(u, m + 3 * i, m + 3 * ((i + 1) % 3));
        double square = dot3(u, u);
        if (square > longest) {
            longest = square;
            memcpy(e, u, sizeof e);
        }
    }
    int k = fabs(e[0]) <= fabs(e[1]) ? (fabs(e[0]) <= fabs(e[2]) ? 0 : 2)
                                     : (fabs(e[1]) <= fabs(e[2]) ? 1 : 2);
    double axis[3] = {k == 0, k == 1, k == 2};
    cross(u, e, axis);
    cross(v, e, u);
    for (int i = 0; i < 3; i++) {
        gu[i] = dot3(g + 3 * i, u);
        gv[i] = dot3(g + 3 * i, v);
    }
    double uu = 1.0 / dot3(u, u), vv = 1.0 / dot3(v, v), uv = dot3(u, gv);
    double a = uu * dot3(u, gu), c = vv * dot3(v, gv), half = 0.5 * (a - c);
    return 0.5 * (a + c) + sqrt(half * half + uu * vv * uv * uv);
}

/* Largest eigenvalue of a symmetric 3 x 3 matrix: a least row that is not coupled to the
 * others leaves two; else by its cubic, from the root that stands apart.  Near r = -1 the two
 * largest meet and the cubic tells them badly. */
static double top_of_three(const double *g)
{
    int s = g[0] <= g[4] ? (g[0] <= g[8] ? 0 : 2) : (g[4] <= g[8] ? 1 : 2);
    int i = (s + 1) % 3, j = (s + 2) % 3;
    double least = g[4 * s], top = top_of_two(g[4 * i], g[i + 3 * j], g[4 * j]);
    double lift = g[s + 3 * i] * g[s + 3 * i] + g[s + 3 * j] * g[s + 3 * j];
    if (lift <= 0.25 * DBL_EPSILON * top * (top - least))
        return top;
    double mean = (g[0] + g[4] + g[8]) * (1.0 / 3.0);
    double a = g[0] - mean, b = g[4] - mean, c = g[8] - mean, d = g[1], e = g[2], f = g[5];
    double p = sqrt((a * a + b * b + c * c + 2.0 * (d * d + e * e + f * f)) * (1.0 / 6.0));
    double det = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
    double cube = p * p * p, r = 0.5 * det / cube;
    if (!(cube > 0.0))
        return mean + p;
    if (r >= 0.0)
        return mean + p * top_of_cubic(r > 1.0 ? 1.0 : r, 2);
    if (r < -0.999) /* errors of the least one come in squared */
        return top_across(g, mean - p * top_of_cubic(r < -1.0 ? 1.0 : -r, 1));
    double apart = top_of_cubic(-r, 2); /* minus the least root */
    return mean + 0.5 * p * (apart + sqrt(apart * apart + 8.0 * r / apart));
}

/* g = A'A / scale^2, and the root of its largest eigenvalue. */
static double norm2_three(const double *A, double scale)
{
    double a[9], g[9], back = 1.0 / scale;
    for (int i = 0; i < 9; i++)
        a[i] = scale >= DBL_MIN ? A[i] * back : A[i] / scale;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            g[j + 3 * i] = g[i + 3 * j] =
                a[3 * i] * a[3 * j] + a[3 * i + 1] * a[3 * j + 1] + a[3 * i + 2] * a[3 * j + 2];
    return scale * sqrt(top_of_three(g));
}

static double norm2_two(const double *A, double scale)
{
    double a = A[0] / scale, b = A[1] / scale, c = A[2] / scale, d = A[3] / scale;
    return scale * sqrt(top_of_two(a * a + b * b, a * c + b * d, c * c + d * d));
}

static double norm2_exact(const double *A, int n, double scale)
{
    double a[EXACT_MAX * EXACT_MAX], gram[EXACT_MAX * EXACT_MAX], values[EXACT_MAX];
    if (n <= 3)
        return n == 2 ? norm2_two(A, scale) : norm2_three(A, scale);
    for (int i = 0; i < n * n; i++)
        a[i] = A[i] / scale;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            gram[i + j * n] = gram[j + i * n] = perp_dot(a + i * n, a + j * n, n);
    perp_small_eigenvalues(values, gram, n);
    return scale * sqrt(values[n - 1]);
}

/* sqrt(|A|_1 |A|_inf) / scale, an upper bound of the norm. */
static double norm2_bound(const double *A, int n, double scale)
{
    double columns = 0.0, rows = 0.0;
    for (int i = 0; i < n; i++) {
        double column = 0.0, row = 0.0;
        for (int j = 0; j < n; j++) {
            column += fabs(A[(size_t)j + (size_t)i * (size_t)n]) / scale;
            row += fabs(A[(size_t)i + (size_t)j * (size_t)n]) / scale;
        }
        columns = fmax(columns, column);
        rows = fmax(rows, row);
    }
    return sqrt(columns) * sqrt(rows);
}

/* Largest eigenvalue of the symmetric tridiagonal matrix (a, b) by bisection. */
static double tridiagonal_top(const double *a, const double *b, int m, double high)
{
    double low = 0.0;
    for (int step = 0; step < 80 && high - low > 2.0 * DBL_EPSILON * high; step++) {
        double middle = 0.5 * (low + high), d = 1.0;
        int above = 0;
        for (int i = 0; i < m && !above; i++) {
            d = a[i] - middle - (i > 0 ? b[i - 1] * b[i - 1] / d : 0.0);
            above = d >= 0.0;
        }
        if (above)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* next = A'(A v) / scale^2, by columns of A; t is scratch. */
static void apply_gram(double *next, double *t, const double *A, const double *v, int n,
                       double scale)
{
    for (int i = 0; i < n; i++)
        t[i] = 0.0;
    for (int j = 0; j < n; j++) {
        const double *a = A + (size_t)j * (size_t)n;
        double x = v[j] / scale;
        for (int i = 0; i < n; i++)
            t[i] += a[i] * x;
    }
    for (int j = 0; j < n; j++)
        next[j] = perp_dot(A + (size_t)j * (size_t)n, t, n) / scale;
}

static double norm2_lanczos(const double *A, int n, double scale)
{
    double v[VECTOR_MAX] = {0.0}, old[VECTOR_MAX] = {0.0}, next[VECTOR_MAX], t[VECTOR_MAX];
    double a[STEPS_MAX], b[STEPS_MAX], top = 0.0;
    double bound = norm2_bound(A, n, scale);
    perp_rng rng = {1};
    for (int i = 0; i < n; i++) {
        v[i] = perp_rng_uniform(&rng) - 0.5;
        old[i] = 0.0;
    }
    double length = perp_norm(v, n), beta = 0.0;
    for (int i = 0; i < n; i++)
        v[i] /= length;

    for (int m = 0; m < STEPS_MAX; m++) {
        apply_gram(next, t, A, v, n, scale);
        a[m] = perp_dot(next, v, n);
        for (int i = 0; i < n; i++)
            next[i] -= a[m] * v[i] + beta * old[i];
        beta = b[m] = perp_norm(next, n);
        double previous = top;
        if (m < 4 || m % 4 == 3 || beta <= DBL_EPSILON * bound * bound) {
            top = tridiagonal_top(a, b, m + 1, bound * bound);
            if (beta <= 4.0 * DBL_EPSILON * top || (m > 8 && top - previous <= 1e-13 * top))
                break;
        }
        for (int i = 0; i < n; i++) {
            old[i] = v[i];
            v[i] = next[i] / beta;
        }
    }
    return scale * sqrt(top);
}

/* Contacts of spheres and of flat bodies often have such blocks. */
static int is_small_diagonal(const double *A, int n)
{
    if (n == 2)
        return A[1] == 0.0 && A[2] == 0.0 && !isnan(A[0] + A[3]);
    return n == 3 && A[1] == 0.0 && A[2] == 0.0 && A[3] == 0.0 && A[5] == 0.0 && A[6] == 0.0 &&
           A[7] == 0.0 && !isnan(A[0] + A[4] + A[8]);
}

double perp_small_norm2(const double *A, int n)
{
    if (is_small_diagonal(A, n)) {
        double a = fabs(A[0]), b = fabs(A[n + 1]), c = fabs(A[n * n - 1]);
        return a > b && a > c ? a : b > c ? b : c;
    }
    double scale = largest_entry(A, (size_t)n * (size_t)n);
    if (n == 1 || !(scale > 0.0) || isinf(scale))
        return scale;
    if (n <= EXACT_MAX)
        return norm2_exact(A, n, scale);
    if (n <= VECTOR_MAX)
        return norm2_lanczos(A, n, scale);
    return scale * norm2_bound(A, n, scale);
}
