/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the one-step problem: M block by block, q, parameters of the sets; and the way
 * back from z to multipliers and inputs ([SDN] ch. 1, (1.15)-(1.18)). */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "kernel/step/one_step.h"
#include "kernel/step/one_step_give.h"
#include "kernel/step/one_step_pattern.h"
#include "kernel/step/one_step_tied.h"
#include "kernel/laws/law.h"

#define GROW(one, array, capacity, count)                                                          \
    perp_pool_grow((one)->pool, (void **)&(one)->array, &(one)->capacity, (count),                 \
                   sizeof *(one)->array)

static int width(const perp_link *link)
{
    return link->rows + link->inner;
}

/* solved = W^-1 right of one link, nv x width column-major, system by system: the part of
 * system k starts at nv-offset of k times width and has its own leading dimension.  Without
 * W^-1 for systems of a saddle system. */
static void solve_right(double *solved, const perp_link *link, int tied)
{
    int at = 0, columns = width(link);
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        double *part = solved + at * columns;
        for (int j = 0; j < link->rows; j++) {
            for (int i = 0; i < s->nv; i++)
                part[i + j * s->nv] = link->symmetric ? link->left[j + (at + i) * link->rows]
                                                      : link->right[at + i + j * link->nv];
        }
        if (link->inner) {
            memset(part + link->rows * s->nv, 0,
                   sizeof(double) * (size_t)link->inner * (size_t)s->nv);
            for (int i = 0; i < s->nv; i++)
                part[i + (link->rows + at + i) * s->nv] = *link->inner_right;
        }
        if (!tied || s->coupled < 0)
            perp_system_solve(s, part, columns);
        at += s->nv;
    }
}

/* block (3 x 3) += left part over nv coordinates, which is most of the work of a scene. */
static void add_product_of_three(double *block, int ld, const double *left, const double *part,
                                 int nv)
{
    for (int c = 0; c < 3; c++, block += ld, part += nv) {
        double sum[3] = {block[0], block[1], block[2]};
        for (int v = 0; v < nv; v++)
            for (int r = 0; r < 3; r++)
                sum[r] += left[r + 3 * v] * part[v];
        for (int r = 0; r < 3; r++)
            block[r] = sum[r];
    }
}

/* block (width(a) x columns, leading dimension ld) += left_a part, over the systems that a
 * and b share, without those of a saddle system. */
static void add_products(double *block, int ld, const perp_link *a, const perp_link *b,
                         const double *solved, int tied)
{
    int columns = width(b), at_a = 0;
    for (int i = 0; i < a->nsystems; i++) {
        const perp_system *s = a->systems[i];
        int at_b = 0;
        for (int k = 0; k < b->nsystems; k++) {
            if (b->systems[k] == s && (!tied || s->coupled < 0)) {
                const double *part = solved + at_b * columns;
                int threes = a->rows == 3 && columns == 3 && !a->inner;
                if (threes)
                    add_product_of_three(block, ld, a->left + at_a * 3, part, s->nv);
                for (int c = 0; c < columns && !threes; c++)
                    for (int v = 0; v < s->nv; v++) {
                        double x = part[v + c * s->nv];
                        const double *left = a->left + (at_a + v) * a->rows;
                        for (int r = 0; r < a->rows; r++)
                            block[r + c * ld] += left[r] * x;
                        for (int r = 0; r < a->inner; r++)
                            block[a->rows + r + c * ld] +=
                                a->inner_left[r + (at_a + v) * a->inner] * x;
                    }
            }
            at_b += b->systems[k]->nv;
        }
        at_a += s->nv;
    }
}

static void add_diagonal(double *block, int ld, const perp_link *link)
{
    int rows = link->rows;
    if (link->symmetric)
        return;
    for (int j = 0; j < rows; j++) {
        for (int i = 0; i < rows; i++)
            block[i + j * ld] += link->D[i + j * rows];
        for (int i = 0; i < link->inner; i++)
            block[rows + i + j * ld] += link->inner_D[i + j * link->inner];
    }
    for (int i = 0; i < link->inner; i++)
        block[rows + i + (rows + i) * ld] -= 1.0;
}

static void add_give(double *block, int ld, const perp_link *link)
{
    for (int i = 0; i < link->rows; i++)
        block[i + i * ld] += perp_one_step_give(link, i);
}

/* Where block (a, b) lies and its leading dimension; cursors move on for CSC and BSR. */
static double *place(perp_one_step *one, int a, int b, int *height, int *ld)
{
    const perp_link *row = one->active[a], *column = one->active[b];
    if (one->form == PERP_FORM_DENSE) {
        *ld = one->rows;
        return one->x + row->first_row + (size_t)column->first_row * (size_t)one->rows;
    }
    if (one->form == PERP_FORM_BSR) {
        *ld = row->rows;
        return one->x + (size_t)one->mark[a]++ * (size_t)(row->rows * row->rows);
    }
    int first = column->first_row;
    *ld = one->column[first + 1] - one->column[first];
    double *at = one->x + one->column[first] + *height;
    *height += width(row);
    return at;
}

/* The block of a before b from its mirror image, where the matrix is dense and symmetric. */
static int mirror(perp_one_step *one, int a, int b)
{
    if (!one->halved || one->form != PERP_FORM_DENSE || a >= b)
        return 0;
    size_t n = (size_t)one->rows;
    int row = one->active[a]->first_row, column = one->active[b]->first_row;
    for (int c = 0; c < one->active[b]->rows; c++)
        for (int r = 0; r < one->active[a]->rows; r++)
            one->x[(size_t)(row + r) + (size_t)(column + c) * n] =
                one->x[(size_t)(column + c) + (size_t)(row + r) * n];
    return 1;
}

/* The same where blocks are stored: entry k of the lists of neighbours is the block of b before a.
 */
static void mirror_block(const perp_one_step *one, double *block, int b, int k)
{
    int n = one->active[b]->rows;
    const double *from = one->x + (size_t)k * (size_t)(n * n);
    for (int c = 0; c < n; c++)
        for (int r = 0; r < n; r++)
            block[r + c * n] = from[c + r * n];
}

/* The same where columns are stored: the rows of b lie at `from` in the columns of a. */
static void mirror_columns(const perp_one_step *one, double *block, int ld, int a, int b, int from)
{
    int first = one->active[a]->first_row;
    for (int r = 0; r < one->active[a]->rows; r++) {
        const double *column = one->x + one->column[first + r] + from;
        for (int c = 0; c < one->active[b]->rows; c++)
            block[r + c * ld] = column[c];
    }
}

/* Is the matrix symmetric for sure, and one half of it to be made from the other? */
static int may_mirror(const perp_one_step *one)
{
    int may = one->may_mirror && one->form == PERP_FORM_BSR;
    for (int k = 0; may && k < one->ntouched; k++)
        may = one->touched[k]->W.kind == PERP_ITERATION_DIAGONAL ||
              (one->halved && one->touched[k]->coupled >= 0);
    for (int a = 0; may && a < one->nactive; a++)
        may = one->active[a]->symmetric && !one->active[a]->inner;
    return may;
}

/* Which blocks of a before b are made from their mirror images. */
typedef enum mirrors { NO_MIRROR, MIRROR_BLOCKS, MIRROR_COLUMNS } mirrors;

/* Cursors, and all entries 0. */
static mirrors begin_matrix(perp_one_step *one)
{
    mirrors how = may_mirror(one) ? MIRROR_BLOCKS : NO_MIRROR;
    size_t count = one->form == PERP_FORM_DENSE ? (size_t)one->rows * (size_t)one->rows
                   : one->form == PERP_FORM_CSC ? (size_t)one->column[one->rows]
                                                : 0;
    if (one->form == PERP_FORM_BSR) {
        int block = one->active[0]->rows;
        count = (size_t)one->neighbour_ptr[one->nactive] * (size_t)(block * block);
        memcpy(one->mark, one->neighbour_ptr, sizeof(int) * (size_t)one->nactive);
    }
    if (one->halved && one->form == PERP_FORM_CSC) {
        /* Rows of the links before the present one, in the columns of each. */
        memset(one->mark, 0, sizeof(int) * (size_t)one->nactive);
        how = MIRROR_COLUMNS;
    }
    memset(one->x, 0, sizeof(double) * count);
    return how;
}

/* 1: it is made; k: of a among the neighbours. */
static int is_mirrored(perp_one_step *one, mirrors how, double *block, int ld, int a, int b, int k)
{
    if (how == MIRROR_COLUMNS) {
        int from = one->mark[a];
        one->mark[a] += one->active[b]->rows;
        if (a < b)
            mirror_columns(one, block, ld, a, b, from);
    } else if (how == MIRROR_BLOCKS && a < b) {
        mirror_block(one, block, b, k);
    }
    return how != NO_MIRROR && a < b;
}

static void fill_block(perp_one_step *one, double *block, int ld, int a, int b)
{
    add_products(block, ld, one->active[a], one->active[b], one->solved, one->tied);
    if (one->tied)
        perp_one_step_add_tied(one, block, ld, a, b);
    if (a == b && one->gives)
        perp_one_step_soften(one->active[a], block, ld);
    if (a == b)
        add_diagonal(block, ld, one->active[a]);
    if (a == b && one->gives)
        add_give(block, ld, one->active[a]);
}

static void fill_matrix(perp_one_step *one)
{
    mirrors how = begin_matrix(one);
    for (int b = 0; b < one->nactive; b++) {
        int height = 0;
        solve_right(one->solved, one->active[b], one->tied);
        if (one->tied)
            perp_one_step_solve_tied(one, b);
        for (int k = one->neighbour_ptr[b]; k < one->neighbour_ptr[b + 1]; k++) {
            int a = one->neighbours[k], ld = 0;
            if (mirror(one, a, b))
                continue;
            double *block = place(one, a, b, &height, &ld);
            if (!is_mirrored(one, how, block, ld, a, b, k))
                fill_block(one, block, ld, a, b);
        }
    }
}

/* q (3) += left free of one system, in the order of the loop for any number of rows. */
static void add_rates_of_three(double *q, const double *left, const double *free, int nv)
{
    double sum[3] = {q[0], q[1], q[2]};
    for (int v = 0; v < nv; v++)
        for (int r = 0; r < 3; r++)
            sum[r] += left[r + 3 * v] * free[v];
    memcpy(q, sum, sizeof sum);
}

static void fill_q(perp_one_step *one)
{
    for (int k = 0; k < one->nactive; k++) {
        const perp_link *link = one->active[k];
        double *q = one->q + link->first_row, *inner = q + link->rows;
        int at = 0;
        memcpy(q, link->offset, sizeof(double) * (size_t)link->rows);
        if (link->inner)
            memcpy(inner, link->inner_offset, sizeof(double) * (size_t)link->inner);
        for (int i = 0; i < link->nsystems; i++) {
            const perp_system *s = link->systems[i];
            if (link->rows == 3 && !link->inner) {
                add_rates_of_three(q, link->left + 3 * at, s->free, s->nv);
                at += s->nv;
                continue;
            }
            for (int v = 0; v < s->nv; v++, at++) {
                for (int r = 0; r < link->rows; r++)
                    q[r] += link->left[r + at * link->rows] * s->free[v];
                for (int r = 0; r < link->inner; r++)
                    inner[r] += link->inner_left[r + at * link->inner] * s->free[v];
            }
        }
        for (int r = 0; one->gives == 1 && link->law.relative_compliance > 0.0 && r < link->rows;
             r++)
            q[r] -= link->soft[r] * link->centre[r];
        if (perp_law_is_impact(&link->law) && !link->own_restitution) {
            perp_law_restitution(q, &link->law, link->u_start, link->rows);
            /* Outside the index set w = lambda, or w = (1, 0, 0) where M has no D. */
            for (int r = 0; r < link->relations; r++)
                for (int i = 0; !link->on[r] && i < link->law.dim; i++)
                    q[r * link->law.dim + i] = link->symmetric && i == 0 ? 1.0 : 0.0;
        }
    }
}

static void parameters_of(double par[PERP_PARAMETERS], const perp_link *link, int r)
{
    perp_law law = perp_link_law(link, r);
    perp_law_parameters(par, &law);
    if (law.kind == PERP_LAW_BOX) {
        par[0] *= link->bound_scale;
        par[1] *= link->bound_scale;
    }
}

static void fill_parameters(perp_one_step *one)
{
    int block = 0;
    for (int k = 0; k < one->nactive; k++) {
        const perp_link *link = one->active[k];
        double par[PERP_PARAMETERS];
        if (one->bilateral) {
            block += link->rows + link->inner;
            continue;
        }
        const double *bound =
            one->tresca && link->law.kind == PERP_LAW_FRICTION ? link->bound : NULL;
        for (int r = 0; r < link->relations; r++, block++) {
            if (r == 0 || link->relation.lo || link->relation.hi)
                parameters_of(par, link, r);
            one->par[0][block] = bound                                       ? bound[r]
                                 : one->by_mode && perp_link_slides(link, r) ? 0.0
                                                                             : par[0];
            for (int p = 1; p < PERP_PARAMETERS; p++)
                one->par[p][block] = par[p];
        }
        block += link->inner;
    }
}

/* First iterate: what the active links had last time. */
static void fill_start(perp_one_step *one)
{
    for (int k = 0; k < one->nactive; k++) {
        const perp_link *link = one->active[k];
        memcpy(one->z + link->first_row, link->lambda, sizeof(double) * (size_t)link->rows);
        if (link->inner)
            memcpy(one->z + link->first_row + link->rows, link->rho,
                   sizeof(double) * (size_t)link->inner);
    }
}

static void fill_H(perp_one_step *one)
{
    size_t at = 0;
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        for (int i = 0; i < link->rows; i++)
            for (int j = 0; j < link->nv; j++)
                one->x[at++] = link->left[i + j * link->rows];
    }
}

/* A body that tumbles freely has a matrix that is not symmetric, and one such block would keep the
 * whole mass from its roots: of bodies that nothing touches the diagonal is left. */
static void drop_untouched(const perp_one_step *one, perp_system *const *systems, int nsystems,
                           double *x)
{
    for (int k = 0; k < nsystems; k++) {
        const perp_iteration *W = &systems[k]->W;
        if (systems[k]->kind != PERP_SYSTEM_BODY || W->kind != PERP_ITERATION_DENSE)
            continue;
        for (int j = 0, at = one->mass_column[systems[k]->first_row]; j < W->n; j++)
            for (int i = 0; i < W->n; i++, at++)
                x[at] = i == j ? x[at] : 0.0;
    }
    for (int k = 0; k < one->ntouched; k++) {
        const perp_system *s = one->touched[k];
        if (s->kind == PERP_SYSTEM_BODY && s->W.kind == PERP_ITERATION_DENSE)
            perp_iteration_append(&s->W, s->first_row, one->mass_column, one->mass_row, x);
    }
}

/* The mass is made once and gets new numbers where they changed. */
static perp_status fill_mass(perp_one_step *one, perp_system *const *systems, int nsystems)
{
    int entries = 0, dofs = one->mass_dofs;
    for (int k = 0; k < nsystems; k++)
        entries += perp_iteration_entries(&systems[k]->W);
    double *fresh = one->mass_x + entries;
    one->mass_column[0] = 0;
    for (int k = 0; k < nsystems; k++)
        perp_iteration_append(&systems[k]->W, systems[k]->first_row, one->mass_column,
                              one->mass_row, fresh);
    if (one->ntouched < nsystems)
        drop_untouched(one, systems, nsystems, fresh);
    int same = one->mass && one->mass_pattern == one->version && perp_mass_size(one->mass) == dofs;
    if (same && memcmp(fresh, one->mass_x, sizeof(double) * (size_t)entries) == 0)
        return PERP_SOLVED;
    memcpy(one->mass_x, fresh, sizeof(double) * (size_t)entries);
    if (one->rows == 0 && !same) { /* nobody asks for the inverse */
        one->mass_pattern = 0;
        return PERP_SOLVED;
    }
    perp_mat M;
    perp_status status =
        perp_mat_init_csc(&M, dofs, dofs, one->mass_column, one->mass_row, one->mass_x);
    if (status == PERP_SOLVED && same)
        return perp_mass_update(one->mass, &M, NULL);
    perp_mass_destroy(one->mass);
    one->mass = NULL;
    one->mass_pattern = one->version;
    return status == PERP_SOLVED ? perp_mass_create(&one->mass, &M, &one->allocator, NULL) : status;
}

int perp_one_step_gives_way(const perp_one_step *one)
{
    for (int a = 0; one->gives && a < one->nactive; a++)
        if (one->active[a]->law.relative_compliance > 0.0 || one->active[a]->give > 0.0)
            return 1;
    return 0;
}

/* The diagonal that is added to H' M^-1 H. */
static perp_status fill_give(perp_one_step *one)
{
    int widest = 0, most = 0;
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        widest = link->rows > widest ? link->rows : widest;
        most = link->nv * width(link) > most ? link->nv * width(link) : most;
    }
    if (!GROW(one, solved, capacity_solved, most) ||
        !GROW(one, own, capacity_own, widest * widest) ||
        !GROW(one, give, capacity_give, one->rows))
        return PERP_ERR_MEMORY;
    for (int a = 0; a < one->nactive; a++) {
        perp_link *link = one->active[a];
        if (link->law.relative_compliance > 0.0) {
            memset(one->own, 0, sizeof(double) * (size_t)(link->rows * link->rows));
            solve_right(one->solved, link, 0);
            add_products(one->own, link->rows, link, link, one->solved, 0);
            perp_one_step_soften(link, one->own, link->rows);
        }
        for (int i = 0; i < link->rows; i++)
            one->give[link->first_row + i] = perp_one_step_give(link, i);
    }
    return perp_mat_set_compliance(&one->problem.M, one->give);
}

static perp_status fill_delassus(perp_one_step *one, perp_system *const *systems, int nsystems)
{
    for (int a = 0; a < one->nactive; a++)
        if (!one->active[a]->symmetric)
            return PERP_ERR_UNSUPPORTED;
    one->fills++;
    fill_H(one);
    perp_status status = fill_mass(one, systems, nsystems);
    if (one->rows == 0) {
        one->problem.M = (perp_mat){.kind = PERP_DELASSUS};
        return status;
    }
    if (status == PERP_SOLVED)
        status = perp_mat_init_delassus(&one->problem.M, one->mass_dofs, one->rows, one->column,
                                        one->index, one->x, one->mass);
    if (status == PERP_SOLVED && perp_one_step_gives_way(one))
        status = fill_give(one);
    return status;
}

static unsigned long versions_of_W(const perp_one_step *one)
{
    unsigned long sum = 0;
    for (int k = 0; k < one->ntouched; k++)
        sum += one->touched[k]->W_version;
    return one->tied ? sum + one->saddle->version : sum;
}

static perp_status fill_formed(perp_one_step *one, int same)
{
    unsigned long versions = versions_of_W(one);
    if (same && one->filled == one->pattern && one->filled_W == versions)
        return PERP_SOLVED;
    int most = 0;
    for (int a = 0; a < one->nactive; a++) {
        int size = one->active[a]->nv * width(one->active[a]);
        most = size > most ? size : most;
    }
    if (!GROW(one, solved, capacity_solved, most))
        return PERP_ERR_MEMORY;
    one->halved = 0;
    if (one->tied && (!perp_one_step_reserve_tied(one) || !perp_one_step_halve_tied(one)))
        return PERP_ERR_MEMORY;
    fill_matrix(one);
    one->fills++;
    one->filled = one->pattern;
    one->filled_W = versions;
    if (one->form == PERP_FORM_DENSE)
        return perp_mat_init_dense(&one->problem.M, one->rows, one->rows, one->x, one->rows);
    if (one->form == PERP_FORM_CSC)
        return perp_mat_init_csc(&one->problem.M, one->rows, one->rows, one->column, one->index,
                                 one->x);
    return perp_mat_init_bsr(&one->problem.M, one->nactive, one->active[0]->rows, one->column,
                             one->index, one->x);
}

perp_status perp_one_step_fill(perp_one_step *one, perp_system *const *systems, int nsystems,
                               int same)
{
    for (int k = 0; k < one->ntouched; k++) {
        perp_system *s = one->touched[k];
        if (s->biased && (!one->tied || s->coupled < 0)) {
            memcpy(s->work, s->bias, sizeof(double) * (size_t)s->nv);
            perp_system_solve(s, s->work, 1);
            for (int i = 0; i < s->nv; i++)
                s->free[i] += s->work[i];
        }
    }
    one->posed = 0;
    if (one->tied && !perp_one_step_bias_tied(one, systems, nsystems))
        return PERP_ERR_MEMORY;
    perp_status status = one->form == PERP_FORM_DELASSUS ? fill_delassus(one, systems, nsystems)
                                                         : fill_formed(one, same);
    fill_q(one);
    fill_parameters(one);
    fill_start(one);
    one->problem.q = one->q;
    one->problem.seg = one->segments;
    one->problem.nseg = one->nsegments;
    one->posed = status == PERP_SOLVED;
    return status;
}

perp_status perp_one_step_from_start(perp_one_step *one)
{
    size_t count = perp_mat_scratch(&one->problem.M);
    if (count > INT_MAX || !GROW(one, solved, capacity_solved, (int)count))
        return PERP_ERR_MEMORY;
    perp_status status = perp_mat_apply(&one->problem.M, one->z, one->solved, one->w);
    for (int i = 0; status == PERP_SOLVED && i < one->rows; i++)
        one->q[i] -= one->w[i];
    return status;
}

/* The diagonal entry of row i. */
static double *diagonal(perp_one_step *one, int i)
{
    if (one->form == PERP_FORM_DENSE)
        return one->x + (size_t)i * ((size_t)one->rows + 1);
    int block = one->form == PERP_FORM_BSR ? one->active[0]->rows : 1;
    int k = one->column[i / block], inside = i % block;
    while (one->index[k] != i / block)
        k++;
    return one->x + (size_t)k * (size_t)(block * block) + inside * (block + 1);
}

double perp_one_step_diagonal(perp_one_step *one, int row)
{
    return one->form == PERP_FORM_DELASSUS ? 0.0 : *diagonal(one, row);
}

void perp_one_step_add_diagonal(perp_one_step *one, int row, double by)
{
    *diagonal(one, row) += by;
}

double perp_one_step_shift(perp_one_step *one, double delta)
{
    double largest = 0.0;
    for (int i = 0; i < one->rows; i++)
        largest = fmax(largest, fabs(*diagonal(one, i)));
    for (int i = 0; i < one->rows; i++)
        *diagonal(one, i) += delta * largest;
    return delta * largest;
}

/* p += left' z of one system, in the order of the loop for any number of rows. */
static void add_impulse_of_three(double *p, const double *left, const double *z, int nv)
{
    for (int v = 0; v < nv; v++) {
        double sum = p[v];
        for (int r = 0; r < 3; r++)
            sum += z[r] * left[r + 3 * v];
        p[v] = sum;
    }
}

void perp_one_step_scatter(perp_one_step *one, perp_system *const *systems, int nsystems)
{
    for (int k = 0; k < nsystems; k++)
        memset(systems[k]->p, 0, sizeof(double) * (size_t)systems[k]->nv);
    for (int k = 0; k < one->nactive; k++) {
        perp_link *link = one->active[k];
        const double *z = one->z + link->first_row;
        int at = 0;
        memcpy(link->lambda, z, sizeof(double) * (size_t)link->rows);
        if (link->inner)
            memcpy(link->rho, z + link->rows, sizeof(double) * (size_t)link->inner);
        for (int i = 0; i < link->nsystems; i++) {
            perp_system *s = link->systems[i];
            if (link->rows == 3 && link->symmetric && !link->inner) {
                add_impulse_of_three(s->p, link->left + 3 * at, z, s->nv);
                at += s->nv;
                continue;
            }
            for (int v = 0; v < s->nv; v++, at++) {
                for (int r = 0; r < link->rows; r++)
                    s->p[v] += z[r] * (link->symmetric ? link->left[r + at * link->rows]
                                                       : link->right[at + r * link->nv]);
                if (link->inner)
                    s->p[v] += *link->inner_right * link->rho[at];
            }
        }
    }
}
