/* SPDX-License-Identifier: BSD-3-Clause */
/* The evaluation of a relation, by kind. */
#include "kernel/relations/link.h"

#include <string.h>

#include "kernel/laws/law.h"

static void clear(double *x, int rows, int cols)
{
    memset(x, 0, (size_t)rows * (size_t)cols * sizeof(double));
}

int perp_link_has_drift(const perp_link *link)
{
    if (link->guide)
        return 1;
    if (link->coupling)
        return perp_coupling_has_drift(link);
    if (link->relation.kind == PERP_RELATION_CONTACT)
        return link->relation.h_t != NULL;
    return (perp_relation_needs(&link->relation, link->second_order) & PERP_PART_H_T) != 0;
}

int perp_link_has_feedthrough(const perp_link *link)
{
    const perp_relation *r = &link->relation;
    if (r->kind == PERP_RELATION_LINEAR)
        return r->D || r->D_at;
    return (perp_relation_needs(r, link->second_order) & PERP_PART_H_LAMBDA) != 0;
}

int perp_link_has_input(const perp_link *link)
{
    return !link->second_order || link->relation.kind == PERP_RELATION_NONLINEAR;
}

int perp_link_input_depends_on_x(const perp_link *link)
{
    return link->inner > 0;
}

static int joint_output(double *y, perp_link *link, double t, const double *x)
{
    x = perp_link_both(link, t, x);
    if (x)
        perp_joint_output(y, link, x);
    return !x;
}

static int joint_jacobian(double *H, perp_link *link, double t, const double *x)
{
    x = perp_link_both(link, t, x);
    if (x)
        perp_joint_jacobian(link->guide ? link->both_H : H, link, x);
    if (x && link->guide)
        perp_link_take_own(H, link);
    return !x;
}

int perp_link_output(double *y, perp_link *link, double t, const double *x, const double *lambda)
{
    const perp_relation *r = &link->relation;
    switch (r->kind) {
    case PERP_RELATION_LINEAR:
        return perp_linear_output(y, link, t, x, lambda);
    case PERP_RELATION_CONTACT:
        return perp_contact_evaluate(y, NULL, link, t, x);
    case PERP_RELATION_JOINT:
        return joint_output(y, link, t, x);
    case PERP_RELATION_COUPLING:
        return perp_coupling_output(y, link, t, x);
    default:
        return r->h(y, t, x, lambda, link->z, r->user);
    }
}

int perp_link_jacobian(double *H, perp_link *link, double t, const double *x, const double *lambda)
{
    switch (link->relation.kind) {
    case PERP_RELATION_LINEAR:
        return perp_linear_jacobian(H, link, t, x, lambda);
    case PERP_RELATION_CONTACT:
        return perp_contact_evaluate(NULL, H, link, t, x);
    case PERP_RELATION_JOINT:
        return joint_jacobian(H, link, t, x);
    case PERP_RELATION_COUPLING:
        return perp_coupling_jacobian(H, link, t, x);
    default:
        return perp_smooth_jacobian(H, link, t, x, lambda);
    }
}

int perp_link_evaluate(double *y, double *H, perp_link *link, double t, const double *x,
                       const double *lambda)
{
    if (link->relation.kind == PERP_RELATION_CONTACT)
        return perp_contact_evaluate(y, H, link, t, x);
    int refused = perp_link_output(y, link, t, x, lambda);
    return refused ? refused : perp_link_jacobian(H, link, t, x, lambda);
}

int perp_link_drift(double *h_t, perp_link *link, double t, const double *x, const double *lambda)
{
    if (link->coupling)
        return perp_coupling_drift(h_t, link, t, x);
    if (!link->guide && perp_link_has_drift(link))
        return perp_smooth_drift(h_t, link, t, x, lambda);
    clear(h_t, link->rows, 1);
    if (!link->guide)
        return 0;
    int refused = perp_link_guide_drift(h_t, link, t, x);
    double surface[PERP_LAW_ROWS];
    if (link->relation.kind != PERP_RELATION_CONTACT || !link->relation.h_t || refused)
        return refused;
    /* Of both bodies, which the drift of the guide has placed. */
    refused = link->relation.h_t(surface, t, link->both, lambda, link->z, link->relation.user);
    for (int i = 0; i < link->rows; i++)
        h_t[i] += surface[i];
    return refused;
}

int perp_link_swing(double *change, perp_link *link, double t, double h, const double *x,
                    const double *lambda)
{
    clear(change, link->rows, 1);
    if (!perp_link_has_drift(link))
        return 0;
    if (perp_link_drift(change, link, t + h, x, lambda) ||
        perp_link_drift(link->spare, link, t, x, lambda))
        return 1;
    for (int i = 0; i < link->rows; i++)
        change[i] -= link->spare[i];
    return 0;
}

int perp_link_feedthrough(double *D, perp_link *link, double t, const double *x,
                          const double *lambda)
{
    if (!perp_link_has_feedthrough(link)) {
        clear(D, link->rows, link->rows);
        return 0;
    }
    return link->relation.kind == PERP_RELATION_LINEAR
               ? perp_linear_feedthrough(D, link, t, x, lambda)
               : perp_smooth_feedthrough(D, link, t, x, lambda);
}

/* g = A lambda for A: nv x rows, or H' lambda for H: rows x nv. */
static void product(double *g, const double *A, const double *lambda, int nv, int rows)
{
    memset(g, 0, (size_t)nv * sizeof(double));
    for (int i = 0; i < rows; i++, A += nv)
        for (int j = 0; j < nv; j++)
            g[j] += A[j] * lambda[i];
}

static void product_transposed(double *g, const double *H, const double *lambda, int nv, int rows)
{
    for (int j = 0; j < nv; j++, H += rows) {
        double sum = 0.0;
        for (int i = 0; i < rows; i++)
            sum += H[i] * lambda[i];
        g[j] = sum;
    }
}

int perp_link_input(double *g, perp_link *link, double t, const double *x, const double *lambda)
{
    const perp_relation *r = &link->relation;
    int refused = 0;
    if (!perp_link_has_input(link)) {
        refused = perp_link_jacobian(link->H, link, t, x, lambda);
        if (!refused)
            product_transposed(g, link->H, lambda, link->nv, link->rows);
    } else if (r->kind != PERP_RELATION_LINEAR) {
        refused = r->g(g, t, x, lambda, link->z, r->user);
    } else if (!r->B && !r->B_at) {
        clear(g, link->nv, 1);
    } else {
        const double *B = r->B ? r->B : link->work;
        refused = r->B ? 0 : perp_linear_input_lambda(link->work, link, t, x, lambda);
        if (!refused)
            product(g, B, lambda, link->nv, link->rows);
    }
    return refused;
}

int perp_link_input_lambda(double *B, perp_link *link, double t, const double *x,
                           const double *lambda)
{
    if (perp_link_has_input(link))
        return link->relation.kind == PERP_RELATION_LINEAR
                   ? perp_linear_input_lambda(B, link, t, x, lambda)
                   : perp_smooth_input_lambda(B, link, t, x, lambda);
    int refused = perp_link_jacobian(link->H, link, t, x, lambda);
    size_t nv = (size_t)link->nv, rows = (size_t)link->rows;
    for (size_t j = 0; !refused && j < nv; j++)
        for (size_t i = 0; i < rows; i++)
            B[j + i * nv] = link->H[i + j * rows];
    return refused;
}

int perp_link_input_x(double *K, perp_link *link, double t, const double *x, const double *lambda)
{
    if (link->inner)
        return perp_smooth_input_x(K, link, t, x, lambda);
    clear(K, link->nv, link->nv);
    return 0;
}

static inline __attribute__((always_inline)) void
add_rates(double *restrict u, const double *restrict H, const double *restrict V, int rows, int nv)
{
    for (int j = 0; j < nv; j++, H += rows)
        for (int i = 0; i < rows; i++)
            u[i] += H[i] * V[j];
}

/* Pivots and coordinates, of which there are many, by their numbers of rows. */
void perp_link_add_rates(double *u, const double *H, const double *V, int rows, int nv)
{
    if (rows == 5)
        add_rates(u, H, V, 5, nv);
    else if (rows == 1)
        add_rates(u, H, V, 1, nv);
    else
        add_rates(u, H, V, rows, nv);
}

void perp_link_rate(double *u, const perp_link *link, const double *H, const double *V,
                    const double *h_t)
{
    int rows = link->rows;
    if (rows == 3) { /* contacts, of which there are many */
        double sum[3] = {0.0, 0.0, 0.0};
        add_rates(sum, H, V, 3, link->nv);
        for (int i = 0; i < 3; i++)
            u[i] = sum[i] + (h_t ? h_t[i] : 0.0);
        return;
    }
    for (int i = 0; i < rows; i++)
        u[i] = h_t ? h_t[i] : 0.0;
    perp_link_add_rates(u, H, V, rows, link->nv);
}
