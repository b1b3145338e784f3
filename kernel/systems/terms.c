/* SPDX-License-Identifier: BSD-3-Clause */
/* Terms that the kinds of systems are made of: products with constant matrices, the control
 * T u, Jacobians as given or by differences. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/systems/dynamic_system.h"

/* Of a body: its mass, a damping. */
static void add_six(double *y, const double *A, size_t ld, const double *x, double scale)
{
    double sum[6];
    memcpy(sum, y, sizeof sum);
    for (int j = 0; j < 6; j++, A += ld)
        for (int i = 0; i < 6; i++)
            sum[i] += A[i] * (scale * x[j]);
    memcpy(y, sum, sizeof sum);
}

void perp_system_add_product(double *y, const perp_mat *A, const double *x, double scale)
{
    if (A->kind == PERP_DENSE && A->rows == 6 && A->cols == 6) {
        add_six(y, A->as.dense.x, (size_t)A->as.dense.ld, x, scale);
        return;
    }
    for (int j = 0; A->rows && j < A->cols; j++) {
        double factor = scale * x[j];
        if (A->kind == PERP_CSC) {
            for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
                y[A->as.csc.row[k]] += A->as.csc.x[k] * factor;
        } else {
            const double *column = A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld;
            for (int i = 0; i < A->rows; i++)
                y[i] += column[i] * factor;
        }
    }
}

void perp_system_add_matrix(double *J, const perp_mat *A, double scale)
{
    size_t rows = (size_t)A->rows;
    for (int j = 0; A->rows && j < A->cols; j++) {
        double *to = J + (size_t)j * rows;
        if (A->kind == PERP_CSC) {
            for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
                to[A->as.csc.row[k]] += scale * A->as.csc.x[k];
        } else {
            const double *column = A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld;
            for (size_t i = 0; i < rows; i++)
                to[i] += scale * column[i];
        }
    }
}

int perp_system_control(double *out, perp_system *s, perp_system_fn T, perp_system_fn u,
                        int controls, double t, const double *q, const double *v)
{
    double *input = s->control + (size_t)s->nv * (size_t)controls;
    if (T(s->control, t, q, v, s->z, s->user) || u(input, t, q, v, s->z, s->user))
        return 1;
    perp_mat view = {PERP_DENSE, s->nv, controls, {.dense = {s->control, s->nv}}};
    memset(out, 0, (size_t)s->nv * sizeof(double));
    perp_system_add_product(out, &view, input, 1.0);
    return 0;
}

int perp_system_differences(double *J, int rows, perp_system *s, perp_system_term term, double t,
                            const double *q, const double *v, int by_v)
{
    int columns = by_v ? s->nv : s->nq;
    const double *x = by_v ? v : q;
    s->differences = 1;
    memcpy(s->copy, x, (size_t)columns * sizeof(double));
    if (term(s->base, s, t, q, v))
        return 1;
    for (int j = 0; j < columns; j++) {
        s->copy[j] = x[j] + sqrt(DBL_EPSILON) * fmax(1.0, fabs(x[j]));
        if (term(s->shifted, s, t, by_v ? q : s->copy, by_v ? s->copy : v))
            return 1;
        double step = s->copy[j] - x[j];
        for (int i = 0; i < rows; i++)
            J[(size_t)i + (size_t)j * (size_t)rows] = (s->shifted[i] - s->base[i]) / step;
        s->copy[j] = x[j];
    }
    return 0;
}

int perp_system_add_jacobian(double *J, perp_system *s, perp_system_fn given, perp_system_term term,
                             double t, const double *q, const double *v, int by_v, double scale)
{
    int refused = given ? given(s->matrix, t, q, v, s->z, s->user)
                        : perp_system_differences(s->matrix, s->nv, s, term, t, q, v, by_v);
    size_t entries = (size_t)s->nv * (size_t)(by_v ? s->nv : s->nq);
    for (size_t k = 0; !refused && k < entries; k++)
        J[k] += scale * s->matrix[k];
    return refused;
}
