/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/small.h"

#include <float.h>

enum { SMALL_MAX = 12, JACOBI_MAX = 6, JACOBI_SWEEPS = 40 };

double perp_dot(const double *x, const double *y, int n)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++)
        s0 += x[i] * y[i];
    return (s0 + s1) + (s2 + s3);
}

double perp_norm(const double *x, int n)
{
    double square = perp_dot(x, x, n);
    if (square > 1e-280 && square < 1e300)
        return sqrt(square);

    /* Squares that leave the range: scaled by the largest entry. */
    double largest = 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        if (isnan(x[i]))
            return x[i];
        if (fabs(x[i]) > largest)
            largest = fabs(x[i]);
    }
    if (largest == 0.0 || isinf(largest))
        return largest;
    for (int i = 0; i < n; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

void perp_small_gemv(double *y, const double *A, const double *x, int m, int n)
{
    if (m == 3 && n == 3) {
        double y0 = A[0] * x[0] + A[3] * x[1] + A[6] * x[2];
        double y1 = A[1] * x[0] + A[4] * x[1] + A[7] * x[2];
        double y2 = A[2] * x[0] + A[5] * x[1] + A[8] * x[2];
        y[0] += y0;
        y[1] += y1;
        y[2] += y2;
        return;
    }
    for (int j = 0; j < n; j++) {
        const double *a = A + (size_t)j * (size_t)m;
        for (int i = 0; i < m; i++)
            y[i] += a[i] * x[j];
    }
}

void perp_small_gemtv(double *y, const double *A, const double *x, int m, int n)
{
    for (int j = 0; j < n; j++) {
        const double *a = A + (size_t)j * (size_t)m;
        double sum = 0.0;
        for (int i = 0; i < m; i++)
            sum += a[i] * x[i];
        y[j] += sum;
    }
}

/* LU of the n x n matrix a in place, rows exchanged together with those of the
 * n x m matrix b, which is overwritten by the solution. */
static inline __attribute__((always_inline)) int eliminate(double *a, double *b, int n, int m)
{
    double largest = 0.0;
    for (int i = 0; i < n * n; i++)
        largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
    double tiny = n * DBL_EPSILON * largest;

    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i + k * n]) > fabs(a[pivot + k * n]))
                pivot = i;
        if (!(fabs(a[pivot + k * n]) > tiny) || isinf(a[pivot + k * n]))
            return 0;
        if (pivot != k) {
            for (int j = k; j < n; j++) {
                double t = a[k + j * n];
                a[k + j * n] = a[pivot + j * n];
                a[pivot + j * n] = t;
            }
            for (int j = 0; j < m; j++) {
                double t = b[k + j * n];
                b[k + j * n] = b[pivot + j * n];
                b[pivot + j * n] = t;
            }
        }
        for (int i = k + 1; i < n; i++) {
            double l = a[i + k * n] / a[k + k * n];
            for (int j = k + 1; j < n; j++)
                a[i + j * n] -= l * a[k + j * n];
            for (int j = 0; j < m; j++)
                b[i + j * n] -= l * b[k + j * n];
        }
    }
    for (int j = 0; j < m; j++) {
        for (int i = n - 1; i >= 0; i--) {
            double t = b[i + j * n];
            for (int k = i + 1; k < n; k++)
                t -= a[i + k * n] * b[k + j * n];
            b[i + j * n] = t / a[i + i * n];
        }
    }
    return 1;
}

static int eliminate_any(double *a, double *b, int n, int m)
{
    return eliminate(a, b, n, m);
}

int perp_small_invert(double *inverse, const double *A, int n)
{
    double a[SMALL_MAX * SMALL_MAX];
    for (int i = 0; i < n * n; i++) {
        a[i] = A[i];
        inverse[i] = 0.0;
    }
    for (int i = 0; i < n; i++)
        inverse[i + i * n] = 1.0;
    if (n == 3)
        return eliminate(a, inverse, 3, 3);
    return eliminate_any(a, inverse, n, n);
}

int perp_small_solve(double *x, const double *A, const double *b, int n)
{
    double a[SMALL_MAX * SMALL_MAX], y[SMALL_MAX];
    for (int i = 0; i < n * n; i++)
        a[i] = A[i];
    for (int i = 0; i < n; i++)
        y[i] = b[i];
    int regular;
    if (n == 2)
        regular = eliminate(a, y, 2, 1);
    else if (n == 3)
        regular = eliminate(a, y, 3, 1);
    else
        regular = eliminate_any(a, y, n, 1);
    for (int i = 0; regular && i < n; i++)
        x[i] = y[i];
    return regular;
}

int perp_small_cholesky(double *L, const double *A, int n)
{
    for (int j = 0; j < n; j++) {
        double d = A[j + j * n];
        for (int k = 0; k < j; k++)
            d -= L[j + k * n] * L[j + k * n];
        if (!(d > n * DBL_EPSILON * A[j + j * n]) || isinf(d))
            return 0;
        d = sqrt(d);
        L[j + j * n] = d;
        for (int i = 0; i < j; i++)
            L[i + j * n] = 0.0;
        for (int i = j + 1; i < n; i++) {
            double t = A[i + j * n];
            for (int k = 0; k < j; k++)
                t -= L[i + k * n] * L[j + k * n];
            L[i + j * n] = t / d;
        }
    }
    return 1;
}

/* One rotation of the symmetric matrix a that zeroes a(p,q). */
static void rotate(double *a, int n, int p, int q)
{
    double theta = (a[q + q * n] - a[p + p * n]) / (2.0 * a[p + q * n]);
    double t = fabs(theta) > 1e150
                   ? 0.5 / theta
                   : copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    double app = a[p + p * n] - t * a[p + q * n], aqq = a[q + q * n] + t * a[p + q * n];
    for (int k = 0; k < n; k++) {
        if (k == p || k == q)
            continue;
        double akp = a[k + p * n], akq = a[k + q * n];
        a[k + p * n] = a[p + k * n] = c * akp - s * akq;
        a[k + q * n] = a[q + k * n] = s * akp + c * akq;
    }
    a[p + p * n] = app;
    a[q + q * n] = aqq;
    a[p + q * n] = a[q + p * n] = 0.0;
}

void perp_small_eigenvalues(double *values, const double *A, int n)
{
    double a[JACOBI_MAX * JACOBI_MAX];
    for (int i = 0; i < n * n; i++)
        a[i] = A[i];
    for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++) {
        int rotations = 0;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                double small = fmin(fabs(a[p + p * n]), fabs(a[q + q * n]));
                if (fabs(a[p + q * n]) <= 0.25 * DBL_EPSILON * small || a[p + q * n] == 0.0)
                    continue;
                rotate(a, n, p, q);
                rotations++;
            }
        }
        if (rotations == 0)
            break;
    }
    for (int i = 0; i < n; i++) {
        int j = i;
        for (; j > 0 && values[j - 1] > a[i + i * n]; j--)
            values[j] = values[j - 1];
        values[j] = a[i + i * n];
    }
}
