/* SPDX-License-Identifier: BSD-3-Clause */
/* C D C' of a projection of positions: dense where it is small, else as its factors. */
#include "kernel/integrators/projection_matrix.h"

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

/* Above, the matrix stays a product. */
enum { DENSE_ROWS = 128 };

#define GROW PERP_PROJECTION_GROW

double perp_projection_norm(const perp_system *s)
{
    const double *Q = s->q[PERP_NOW] + 3;
    return sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
}

/* dy_i/dq along one system, whose columns of H start at first: nq entries.  A relation that is
 * known on unit quaternions only gets the gradient without part along Q, H (T'T)^-1 T'. */
static void coordinate_gradient(double *out, const perp_link *link, const perp_system *s, int i,
                                const double *H, const double *H_q)
{
    int rows = link->rows;
    if (s->kind != PERP_SYSTEM_BODY || H_q) {
        const double *from = s->kind == PERP_SYSTEM_BODY ? H_q : H;
        for (int j = 0; j < s->nq; j++)
            out[j] = from[i + j * rows];
        return;
    }
    double T[42];
    perp_body_rates(s->q[PERP_NOW], T);
    for (int j = 0; j < 7; j++) {
        out[j] = j < 3 ? H[i + j * rows] : 0.0;
        for (int v = 3; v < 6 && j >= 3; v++)
            out[j] += 4.0 * H[i + v * rows] * T[j + 7 * v];
    }
}

/* Column of C' for one row of a link, behind `at`; returns the new end. */
static int link_column(perp_projection *p, const perp_projection_row *e, int at)
{
    const perp_link *link = e->link;
    perp_one_step *one = &p->one;
    const perp_relation *r = &link->relation;
    int own = link->H_x && (r->h_x || r->kind == PERP_RELATION_LINEAR);
    const double *H = link->H, *H_q = own ? link->H_x : NULL;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        if (p->metric == PERP_METRIC_Q)
            coordinate_gradient(one->x + at, link, s, e->component, H, H_q);
        for (int j = 0; j < perp_projection_width(p, s); j++, at++) {
            if (p->metric != PERP_METRIC_Q)
                one->x[at] = H[e->component + j * link->rows];
            one->index[at] = p->first_dof[s->slot] + j;
        }
        H += link->rows * s->nv;
        H_q = H_q ? H_q + link->rows * s->nq : NULL;
    }
    return at;
}

static int norm_column(perp_projection *p, const perp_projection_row *e, int at)
{
    double norm = perp_projection_norm(e->body);
    for (int j = 0; j < 4; j++, at++) {
        p->one.x[at] = e->body->q[PERP_NOW][3 + j] / norm;
        p->one.index[at] = p->first_dof[e->body->slot] + 3 + j;
    }
    return at;
}

static int entries_at_most(const perp_projection *p)
{
    int entries = 0;
    for (int k = 0; k < p->rows; k++) {
        const perp_link *link = p->entries[k].link;
        entries += link ? link->N : 4;
    }
    return entries;
}

/* C' as compressed columns. */
static perp_status fill_columns(perp_projection *p, double t)
{
    perp_one_step *one = &p->one;
    int most = entries_at_most(p), at = 0;
    if (!GROW(one->pool, one, column, capacity_column, p->rows + 1) ||
        !GROW(one->pool, one, index, capacity_index, most) ||
        !GROW(one->pool, one, x, capacity_x, most))
        return PERP_ERR_MEMORY;
    one->column[0] = 0;
    for (int k = 0; k < p->rows; k++) {
        const perp_projection_row *e = &p->entries[k];
        if (e->link && (k == 0 || p->entries[k - 1].link != e->link)) {
            const double *x = perp_link_gather_x(e->link, PERP_NOW);
            if (perp_link_jacobian(e->link->H, e->link, t, x, e->link->lambda))
                return PERP_INTERRUPTED;
        }
        at = e->link ? link_column(p, e, at) : norm_column(p, e, at);
        one->column[k + 1] = at;
    }
    return PERP_SOLVED;
}

/* Entries that M of one system has as a sparse matrix. */
static int mass_entries(const perp_system *s)
{
    if (s->mass_diagonal)
        return s->nv;
    if (s->mass.rows && s->mass.kind == PERP_CSC)
        return s->mass.as.csc.colptr[s->nv];
    return s->nv * s->nv;
}

/* M of one system, whose columns start at first; *at: entries so far.  Notes a change of numbers.
 */
static int append_mass(perp_projection *p, perp_system *s, int first, int *at, int *changed)
{
    int varies = s->kind == PERP_SYSTEM_LAGRANGIAN && s->as.lagrangian.mass != NULL;
    if (varies && perp_lagrangian_mass(s->matrix, s, s->q[PERP_NOW]))
        return 1;
    for (int j = 0; j < s->nv; j++) {
        int from = 0, to = s->nv;
        const double *x;
        if (s->mass_diagonal) {
            from = j, to = j + 1;
            x = s->mass_diagonal;
        } else if (varies) {
            x = s->matrix + (size_t)j * (size_t)s->nv;
        } else if (s->mass.kind == PERP_CSC) {
            from = s->mass.as.csc.colptr[j], to = s->mass.as.csc.colptr[j + 1];
            x = s->mass.as.csc.x;
        } else {
            x = s->mass.as.dense.x + (size_t)j * (size_t)s->mass.as.dense.ld;
        }
        int indexed = !s->mass_diagonal && !varies && s->mass.kind == PERP_CSC;
        for (int k = from; k < to; k++, ++*at) {
            int row = first + (indexed ? s->mass.as.csc.row[k] : k);
            *changed |= p->mass_x[*at] != x[k] || p->mass_row[*at] != row;
            p->mass_x[*at] = x[k];
            p->mass_row[*at] = row;
        }
        *changed |= p->mass_column[first + j + 1] != *at;
        p->mass_column[first + j + 1] = *at;
    }
    return 0;
}

/* The inverse of the matrix in mass_column, mass_row, mass_x. */
static perp_status invert_mass(perp_projection *p, int changed)
{
    int n = p->dofs;
    perp_mat M;
    if (p->mass && perp_mass_size(p->mass) == n && !changed)
        return PERP_SOLVED;
    perp_status status = perp_mat_init_csc(&M, n, n, p->mass_column, p->mass_row, p->mass_x);
    if (status == PERP_SOLVED && p->mass && perp_mass_size(p->mass) == n) {
        status = perp_mass_update(p->mass, &M, NULL);
    } else if (status == PERP_SOLVED) {
        perp_mass_destroy(p->mass);
        p->mass = NULL;
        status = perp_mass_create(&p->mass, &M, &p->one.allocator, NULL);
    }
    if (status != PERP_SOLVED) { /* what is left of it belongs to other numbers */
        perp_mass_destroy(p->mass);
        p->mass = NULL;
    }
    return status;
}

static perp_status masses(perp_projection *p)
{
    int n = p->dofs, entries = 0, at = 0, changed = 0;
    for (int k = 0; k < p->ntouched; k++)
        entries += mass_entries(p->touched[k]);
    if (!GROW(p->one.pool, p, mass_column, capacity_mass_column, n + 1) ||
        !GROW(p->one.pool, p, mass_row, capacity_mass_row, entries) ||
        !GROW(p->one.pool, p, mass_x, capacity_mass_x, entries))
        return PERP_ERR_MEMORY;
    p->mass_column[0] = 0;
    for (int k = 0; k < p->ntouched; k++) {
        perp_system *s = p->touched[k];
        if (append_mass(p, s, p->first_dof[s->slot], &at, &changed))
            return PERP_INTERRUPTED;
    }
    return invert_mass(p, changed);
}

/* D^-1 = diag(1 / weight), for problems that stay factors. */
static perp_status weights_as_mass(perp_projection *p)
{
    int n = p->dofs;
    if (!GROW(p->one.pool, p, mass_column, capacity_mass_column, n + 1) ||
        !GROW(p->one.pool, p, mass_row, capacity_mass_row, n) ||
        !GROW(p->one.pool, p, mass_x, capacity_mass_x, n))
        return PERP_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        p->mass_column[i] = p->mass_row[i] = i;
        p->mass_x[i] = 1.0 / p->weight[i];
    }
    p->mass_column[n] = n;
    return invert_mass(p, 1);
}

perp_status perp_projection_weights(perp_projection *p)
{
    if (!GROW(p->one.pool, p, weight, capacity_weight, p->dofs) ||
        !GROW(p->one.pool, p, move, capacity_move, p->dofs) ||
        !GROW(p->one.pool, p, scratch, capacity_scratch, p->dofs))
        return PERP_ERR_MEMORY;
    if (p->metric == PERP_METRIC_MASS)
        return masses(p);
    for (int k = 0; k < p->ntouched; k++) {
        const perp_system *s = p->touched[k];
        for (int i = 0; i < perp_projection_width(p, s); i++)
            p->weight[p->first_dof[s->slot] + i] =
                p->metric == PERP_METRIC_TWIST && s->kind == PERP_SYSTEM_BODY && i >= 3 ? 4.0 : 1.0;
    }
    return PERP_SOLVED;
}

/* move = D times column j of C'; move is zero at first and has `column` cleared afterwards. */
static void weighted_column(perp_projection *p, int j)
{
    const perp_one_step *one = &p->one;
    int mass = p->metric == PERP_METRIC_MASS;
    for (int k = one->column[j]; k < one->column[j + 1]; k++)
        p->move[one->index[k]] = (mass ? 1.0 : p->weight[one->index[k]]) * one->x[k];
    if (mass)
        perp_mass_solve(p->mass, p->move, p->scratch, p->move);
}

static void clear_column(perp_projection *p, int j)
{
    const perp_one_step *one = &p->one;
    if (p->metric == PERP_METRIC_MASS) /* the mass may couple what the column does not name */
        memset(p->move, 0, sizeof(double) * (size_t)p->dofs);
    for (int k = one->column[j]; k < one->column[j + 1]; k++)
        p->move[one->index[k]] = 0.0;
}

/* C D C', one column at a time through move as a dense vector. */
static perp_status fill_dense(perp_projection *p)
{
    const perp_one_step *one = &p->one;
    int n = p->rows;
    if (!GROW(p->one.pool, p, dense, capacity_dense, n * n))
        return PERP_ERR_MEMORY;
    memset(p->move, 0, sizeof(double) * (size_t)p->dofs);
    for (int j = 0; j < n; j++) {
        weighted_column(p, j);
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int k = one->column[i]; k < one->column[i + 1]; k++)
                sum += one->x[k] * p->move[one->index[k]];
            p->dense[i + j * n] = sum;
        }
        clear_column(p, j);
    }
    return perp_mat_init_dense(&p->one.problem.M, n, n, p->dense, n);
}

perp_status perp_projection_matrix(perp_projection *p, double t)
{
    perp_one_step *one = &p->one;
    perp_status status = fill_columns(p, t);
    if (status != PERP_SOLVED)
        return status;
    if (p->rows <= DENSE_ROWS)
        return fill_dense(p);
    if (p->metric != PERP_METRIC_MASS)
        status = weights_as_mass(p);
    if (status != PERP_SOLVED)
        return status;
    return perp_mat_init_delassus(&one->problem.M, p->dofs, p->rows, one->column, one->index,
                                  one->x, p->mass);
}

void perp_projection_displacement(perp_projection *p, const double *z)
{
    const perp_one_step *one = &p->one;
    int mass = p->metric == PERP_METRIC_MASS;
    memset(p->move, 0, sizeof(double) * (size_t)p->dofs);
    for (int j = 0; j < p->rows; j++)
        for (int k = one->column[j]; k < one->column[j + 1]; k++)
            p->move[one->index[k]] +=
                mass ? one->x[k] * z[j] : p->weight[one->index[k]] * one->x[k] * z[j];
    if (mass)
        perp_mass_solve(p->mass, p->move, p->scratch, p->move);
}
