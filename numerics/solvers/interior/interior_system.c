/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/interior/interior_system.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"
#include "solvers/interior/inverse.h"

/* E of a FREE row: the equation is met by proximal steps, each of which gains this factor, so
 * that equations said twice do no harm. */
static const double free_weight = 1e-9;
/* Asymmetry that is rounding. */
static const double rounding = 1e-13;
static const double refined = 1e-12;
enum { REPAIRS = 6, REFINEMENTS = 3 };

static const perp_csc *matrix_of(const perp_interior_system *system)
{
    return system->in_bodies ? &system->bodies.form.A : &system->contact.K;
}

static perp_status load(perp_interior_system *system, const perp_mat *M,
                        const perp_allocator *allocator, int *symmetric)
{
    const perp_interior *in = system->interior;
    perp_status status = system->in_bodies
                             ? perp_interior_bodies_load(&system->bodies, M, in)
                             : perp_contact_form_load(&system->contact, M, in, allocator);
    *symmetric = in->shifted == 0 && (system->in_bodies ? system->bodies.form.definite
                                                        : system->contact.asymmetry <= rounding);
    return status;
}

perp_status perp_interior_system_load(perp_interior_system *system, const perp_mat *M,
                                      const perp_allocator *allocator)
{
    int symmetric = 0;
    perp_status status = load(system, M, allocator, &symmetric);
    if (status == PERP_SOLVED && system->symmetric && !symmetric)
        return PERP_ERR_STATE;
    return status;
}

static perp_status take(perp_interior_system *system, perp_arena *arena)
{
    const perp_blocks *blocks = system->interior->blocks;
    size_t entries = 0, n = (size_t)blocks->n, widest = 0;
    for (int k = 0; k < blocks->count; k++) {
        size_t dim = (size_t)blocks->at[k].dim;
        entries += dim * dim;
        widest = dim > widest ? dim : widest;
    }
    system->E = PERP_TAKE(arena, double, entries);
    system->inverse = system->in_bodies ? PERP_TAKE(arena, double, entries) : NULL;
    system->r = PERP_TAKE(arena, double, n);
    system->c = PERP_TAKE(arena, double, n);
    system->column = PERP_TAKE(arena, double, 2 * widest);
    system->unit = PERP_TAKE(arena, double, 2 * widest);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_interior_system_build(perp_interior_system *system, const perp_mat *M,
                                       const perp_interior *in, perp_interior_form form,
                                       perp_factor_kind kind, perp_ordering_kind ordering,
                                       perp_arena *arena)
{
    *system = (perp_interior_system){.interior = in};
    if (form == PERP_INTERIOR_AUTO) {
        char stack[PERP_ARENA_STACK];
        perp_arena temporary;
        perp_arena_init_with(&temporary, &arena->allocator, stack, sizeof stack);
        system->in_bodies = perp_interior_bodies_pay(M, in->blocks, &temporary);
        int failed = temporary.failed;
        perp_arena_free(&temporary);
        if (failed)
            return PERP_ERR_MEMORY;
    } else {
        system->in_bodies = form == PERP_INTERIOR_BODIES;
    }
    perp_status status = take(system, arena);
    if (status == PERP_SOLVED)
        status = system->in_bodies ? perp_interior_bodies_build(&system->bodies, M, in, arena)
                                   : perp_contact_form_build(&system->contact, M, in, arena);
    if (status == PERP_SOLVED)
        status = load(system, M, &arena->allocator, &system->symmetric);
    if (status != PERP_SOLVED)
        return status;
    if (kind == PERP_FACTOR_LDL && !system->symmetric)
        kind = PERP_FACTOR_AUTO;
    return perp_factor_create(&system->factor, kind, ordering, system->symmetric, matrix_of(system),
                              &arena->allocator);
}

/* Adds A' G F A of one cone, or its inverse, to the block that starts at E. */
static void add_matrix(double *E, const perp_interior *in, int c, double eta, const double *p,
                       const double *t, double *column)
{
    const perp_interior_cone *cone = &in->cones[c];
    const perp_block *block = &in->blocks->at[cone->block];
    int head = perp_interior_head(cone), ld = block->dim;
    for (int j = head; j < cone->dim; j++) {
        double *out = E + (perp_interior_row(cone, j) - block->row) * ld;
        double twice = 2.0 * p[j] * eta * eta;
        for (int i = head; i < cone->dim; i++)
            column[i] = twice * p[i];
        column[j] += j == 0 ? -eta * eta : eta * eta;
        if (cone->shifted)
            for (int i = 1; i < cone->dim; i++)
                column[0] -= t[i] * column[i];
        for (int i = head; i < cone->dim; i++)
            out[perp_interior_row(cone, i) - block->row] += column[i];
    }
}

static void divide_diagonal(double *x, const perp_interior_system *system, const double *b)
{
    const perp_interior *in = system->interior;
    const double *E = system->E;
    int c = 0;
    for (int k = 0; k < in->blocks->count; k++) {
        const perp_block *block = &in->blocks->at[k];
        perp_interior_divide(x + block->row, system, k, &c, E, b + block->row);
        E += (size_t)block->dim * (size_t)block->dim;
    }
}

/* E^-1, column by column. */
static void invert(perp_interior_system *system)
{
    const perp_interior *in = system->interior;
    const double *E = system->E;
    double *inverse = system->inverse;
    int c = 0;
    for (int k = 0; k < in->blocks->count; k++) {
        size_t dim = (size_t)in->blocks->at[k].dim;
        double *unit = system->column + dim;
        int first = c;
        memset(unit, 0, dim * sizeof(double));
        for (size_t j = 0; j < dim; j++, inverse += dim) {
            unit[j] = 1.0;
            c = first;
            perp_interior_divide(inverse, system, k, &c, E, unit);
            unit[j] = 0.0;
        }
        E += dim * dim;
    }
}

void perp_interior_system_weigh(perp_interior_system *system, const perp_interior_scaling *scaling,
                                double weight)
{
    const perp_interior *in = system->interior;
    double *E = system->E;
    int c = 0;
    system->scaling = scaling;
    system->weight = weight;
    for (int k = 0; k < in->blocks->count; k++) {
        const perp_block *block = &in->blocks->at[k];
        size_t size = (size_t)block->dim * (size_t)block->dim;
        memset(E, 0, size * sizeof(double));
        for (int i = 0; i < block->dim; i++) {
            int role = in->role[block->row + i];
            double least = role == PERP_ROW_FREE ? fmax(free_weight, weight) : weight;
            E[(size_t)i * (size_t)(block->dim + 1)] = role == PERP_ROW_PINNED ? 1.0 : least;
        }
        for (; c < in->count && in->cones[c].block == k; c++)
            add_matrix(E, in, c, scaling->eta[c], scaling->p + in->cones[c].slot,
                       scaling->t + in->cones[c].slot, system->column);
        E += size;
    }
    if (system->in_bodies)
        invert(system);
}

perp_status perp_interior_system_factorise(perp_interior_system *system, int *count)
{
    double shift = 0.0;
    for (int repair = 0; repair < REPAIRS; repair++) {
        if (system->in_bodies)
            perp_body_form_add(&system->bodies.form, system->interior->blocks, system->inverse,
                               shift);
        else
            perp_contact_form_add(&system->contact, system->interior, system->E, shift);
        perp_status status = perp_factor_numeric(system->factor, matrix_of(system));
        ++*count;
        if (status != PERP_ERR_SINGULAR && status != PERP_ERR_NUMERICAL)
            return status;
        shift = fmax(100.0 * shift, 1e-12);
    }
    return PERP_ERR_SINGULAR;
}

void perp_interior_system_apply(double *y, perp_interior_system *system, const double *x)
{
    if (system->in_bodies)
        perp_interior_bodies_apply(y, &system->bodies, system->interior, x);
    else
        perp_contact_form_apply(y, &system->contact, x);
}

/* out (+)= D x for block-diagonal D. */
static void add_diagonal(double *out, const perp_interior *in, const double *D, const double *x)
{
    for (int k = 0; k < in->blocks->count; k++) {
        int row = in->blocks->at[k].row, dim = in->blocks->at[k].dim;
        for (int j = 0; j < dim; j++)
            for (int i = 0; i < dim; i++)
                out[row + i] += *D++ * x[row + j];
    }
}

/* x = (Wb + E)^-1 b by the factors; b is lost. */
static void solve_once(double *x, perp_interior_system *system, double *b)
{
    const perp_interior *in = system->interior;
    size_t bytes = (size_t)in->n * sizeof(double);
    if (!system->in_bodies) {
        memcpy(x, b, bytes);
        perp_factor_solve(system->factor, x);
        return;
    }
    perp_interior_bodies *bodies = &system->bodies;
    divide_diagonal(x, system, b);
    perp_interior_bodies_forth(bodies, in, x);
    perp_factor_solve(system->factor, bodies->v);
    for (int i = 0; i < bodies->form.order; i++)
        bodies->v[i] = -bodies->v[i];
    perp_interior_bodies_back(b, bodies, in);
    divide_diagonal(x, system, b);
}

/* r = b - (Wb + E) x; its length. */
static double residual(perp_interior_system *system, const double *b, const double *x)
{
    int n = system->interior->n;
    double *r = system->r;
    perp_interior_system_apply(r, system, x);
    add_diagonal(r, system->interior, system->E, x);
    for (int i = 0; i < n; i++)
        r[i] = b[i] - r[i];
    return perp_norm(r, n);
}

void perp_interior_system_solve(double *dX, perp_interior_system *system, const double *b)
{
    int n = system->interior->n;
    double goal = refined * perp_norm(b, n);
    memcpy(system->r, b, (size_t)n * sizeof(double));
    solve_once(dX, system, system->r);
    /* These factorisations refine by themselves. */
    if (!system->in_bodies &&
        (system->factor->type == &perp_factor_klu || system->factor->type == &perp_factor_fronts))
        return;
    double length = residual(system, b, dX);
    for (int k = 0; k < REFINEMENTS && length > goal; k++) {
        double before = length;
        solve_once(system->c, system, system->r);
        for (int i = 0; i < n; i++)
            dX[i] += system->c[i];
        length = residual(system, b, dX);
        if (!(length < before)) {
            for (int i = 0; i < n; i++)
                dX[i] -= system->c[i];
            break;
        }
        if (length > 0.5 * before)
            break;
    }
}

void perp_interior_system_free(perp_interior_system *system)
{
    perp_factor_destroy(system->factor);
    system->factor = NULL;
}
