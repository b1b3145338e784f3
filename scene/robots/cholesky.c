/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/cholesky.h"

#include <math.h>

int perp_robot_cholesky(double *M, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = M[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= M[i * n + k] * M[j * n + k];
            if (i == j && !(sum > 0.0))
                return 0;
            M[i * n + j] = i == j ? sqrt(sum) : sum / M[j * n + j];
        }
    return 1;
}

void perp_robot_solve_lower(const double *L, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
}

void perp_robot_solve_upper(const double *L, size_t n, double *x)
{
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}
