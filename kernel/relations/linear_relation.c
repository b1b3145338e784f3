/* SPDX-License-Identifier: BSD-3-Clause */
/* LINEAR: y = C x + D lambda + F z + e, r = B lambda or p = C' lambda; terms constant or at t. */
#include "kernel/relations/link.h"

#include <string.h>

/* A term at t, in work behind its first `rows` entries, or the constant one. */
static int term_at(const double **term, perp_link *link, const double *constant,
                   perp_relation_fn at, double t, const double *x, const double *lambda)
{
    *term = constant;
    if (!at)
        return 0;
    double *out = link->work + link->rows;
    *term = out;
    return at(out, t, x, lambda, link->z, link->relation.user);
}

/* y += A x for A: rows x cols. */
static void add_product(double *y, const double *A, const double *x, int rows, int cols)
{
    for (int j = 0; j < cols; j++) {
        const double *column = A + (size_t)j * (size_t)rows;
        double factor = x[j];
        for (int i = 0; i < rows; i++)
            y[i] += column[i] * factor;
    }
}

int perp_linear_output(double *y, perp_link *link, double t, const double *x, const double *lambda)
{
    const perp_relation *r = &link->relation;
    const double *term;
    int rows = link->rows, refused = term_at(&term, link, r->e, r->e_at, t, x, lambda);
    if (term)
        memcpy(y, term, (size_t)rows * sizeof(double));
    else
        memset(y, 0, (size_t)rows * sizeof(double));
    if (!refused)
        refused = term_at(&term, link, r->C, r->C_at, t, x, lambda);
    if (!refused && term)
        add_product(y, term, x, rows, link->N);
    if (!refused)
        refused = term_at(&term, link, r->D, r->D_at, t, x, lambda);
    if (!refused && term)
        add_product(y, term, lambda, rows, rows);
    if (!refused)
        refused = term_at(&term, link, r->F, r->F_at, t, x, lambda);
    if (!refused && term)
        add_product(y, term, link->z, rows, r->nz);
    return refused;
}

int perp_linear_jacobian(double *H, perp_link *link, double t, const double *x,
                         const double *lambda)
{
    const perp_relation *r = &link->relation;
    size_t bytes = (size_t)link->rows * (size_t)link->N * sizeof(double);
    double *C = link->H_x ? link->H_x : H;
    int refused = 0;
    if (r->C_at)
        refused = r->C_at(C, t, x, lambda, link->z, r->user);
    else if (r->C)
        memcpy(C, r->C, bytes);
    else
        memset(C, 0, bytes);
    if (link->H_x && !refused)
        perp_link_to_rates(H, link, C, x, link->rows);
    return refused;
}

int perp_linear_feedthrough(double *D, perp_link *link, double t, const double *x,
                            const double *lambda)
{
    const perp_relation *r = &link->relation;
    if (r->D_at)
        return r->D_at(D, t, x, lambda, link->z, r->user);
    memcpy(D, r->D, (size_t)link->rows * (size_t)link->rows * sizeof(double));
    return 0;
}

int perp_linear_input_lambda(double *B, perp_link *link, double t, const double *x,
                             const double *lambda)
{
    const perp_relation *r = &link->relation;
    size_t bytes = (size_t)link->N * (size_t)link->rows * sizeof(double);
    if (r->B_at)
        return r->B_at(B, t, x, lambda, link->z, r->user);
    if (r->B)
        memcpy(B, r->B, bytes);
    else
        memset(B, 0, bytes);
    return 0;
}
