/* SPDX-License-Identifier: BSD-3-Clause */
#include <perp/norms.h>

#include <math.h>

#include "core/float_environment.h"

static double size_of(const double *value, const double *exact, size_t n, perp_vector_norm norm)
{
    double largest = 0.0, sum = 0.0;
    for (size_t k = 0; k < n; k++)
        largest = fmax(largest, fabs(value[k] - exact[k]));
    if (norm == PERP_NORM_MAX || n == 1 || !(largest > 0.0) || isinf(largest))
        return largest;
    for (size_t k = 0; k < n; k++) {
        double part = (value[k] - exact[k]) / largest;
        sum += part * part;
    }
    return largest * sqrt(sum);
}

static perp_status check(const double *h, size_t h_stride, const double *value, const double *exact,
                         size_t n, size_t points)
{
    for (size_t i = 0; i < points; i++)
        if (!isfinite(h[i * h_stride]))
            return PERP_ERR_NONFINITE;
    for (size_t i = 0; i < points; i++)
        if (h[i * h_stride] < 0.0)
            return PERP_ERR_ARGUMENT;
    for (size_t i = 0; i < n * points; i++)
        if (!isfinite(value[i]) || !isfinite(exact[i]))
            return PERP_ERR_NONFINITE;
    return PERP_SOLVED;
}

/* Errors relative to the largest, so that no power of them overflows. */
perp_status perp_error_lp(double p, perp_vector_norm norm, const double *h, int h_stride,
                          const double *value, const double *exact, int n, int points,
                          double *error)
{
    PERP_HOLD_ENVIRONMENT();
    if (!error || !h || !value || !exact || !(p >= 1.0) || h_stride < 0 || n < 1 || points < 1 ||
        (norm != PERP_NORM_MAX && norm != PERP_NORM_EUCLIDEAN))
        return PERP_ERR_ARGUMENT;
    size_t rows = (size_t)points, width = (size_t)n, stride = (size_t)h_stride;
    perp_status status = check(h, stride, value, exact, width, rows);
    double largest = 0.0, sum = 0.0;
    for (size_t i = 0; status == PERP_SOLVED && i < rows; i++)
        if (h[i * stride] > 0.0)
            largest = fmax(largest, size_of(value + i * width, exact + i * width, width, norm));
    if (status != PERP_SOLVED)
        return status;
    if (!(largest > 0.0) || isinf(p)) {
        *error = largest;
        return PERP_SOLVED;
    }
    for (size_t i = 0; i < rows; i++) {
        double part = size_of(value + i * width, exact + i * width, width, norm) / largest;
        sum += h[i * stride] * (p > 1.0 ? pow(part, p) : part);
    }
    *error = largest * (p > 1.0 ? pow(sum, 1.0 / p) : sum);
    return PERP_SOLVED;
}

perp_status perp_error_l1(perp_vector_norm norm, const double *h, int h_stride, const double *value,
                          const double *exact, int n, int points, double *error)
{
    PERP_HOLD_ENVIRONMENT();
    return perp_error_lp(1.0, norm, h, h_stride, value, exact, n, points, error);
}

perp_status perp_grid_weights(const double *t, int points, double *h)
{
    PERP_HOLD_ENVIRONMENT();
    if (!h || !t || points < 1)
        return PERP_ERR_ARGUMENT;
    for (int i = 0; i < points; i++)
        if (!isfinite(t[i]))
            return PERP_ERR_NONFINITE;
    for (int i = 1; i < points; i++)
        if (t[i] < t[i - 1])
            return PERP_ERR_ARGUMENT;
    for (int i = 0; i < points; i++)
        h[i] = 0.5 * (t[i + 1 < points ? i + 1 : i] - t[i > 0 ? i - 1 : i]);
    return PERP_SOLVED;
}
