/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/integrators/position_projection.h"

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/step/one_step.h"
#include "kernel/laws/law.h"
#include "kernel/step/stepper.h"

/* One row: component of a link, or |Q| - 1 of a body. */
typedef struct entry {
    perp_link *link; /* NULL: of the body */
    perp_system *body;
    int component;
    int free; /* an equality */
} entry;

/* Memory of a scheme that projects. */
typedef struct perp_projection {
    perp_one_step one; /* handles, and room for the problem: q, z, w, H as column, index, x */
    entry *entries;
    int rows, room_entries;
    perp_system **touched;
    int ntouched, room_touched;
    int dofs;       /* coordinates, or twists, of the touched systems */
    int *first_dof; /* of each system by its slot, -1: not touched */
    int room_first_dof;
    double *weight, *move; /* dofs each: D, and D C' Lambda */
    int room_weight, room_move;
    int *mass_column, *mass_row; /* D^-1 as a matrix, for problems that stay factors */
    double *mass_x;
    int room_mass_column, room_mass_row, room_mass_x;
    perp_mass *mass;
    double *dense; /* rows x rows */
    int room_dense;
    int in_q;
    double worst; /* violation at the last evaluation */
} perp_projection;

/* Above, the matrix stays a product. */
enum { DENSE_ROWS = 128 };

#define GROW(pool, owner, array, room, count)                                                      \
    perp_pool_grow((pool), (void **)&(owner)->array, &(owner)->room, (count),                      \
                   sizeof *(owner)->array)

int perp_projection_takes(const perp_link *link)
{
    return (perp_law_is_impact(&link->law) || link->law.kind == PERP_LAW_EQUALITY) &&
           !perp_link_has_feedthrough(link);
}

static perp_projection *projection_of(perp_step *step, int scheme)
{
    perp_projection *p = perp_step_memory(step, scheme, sizeof *p);
    if (p && !p->one.pool)
        perp_one_step_init(&p->one, &step->stepper->pool, PERP_FORM_AUTO);
    return p;
}

void perp_projection_release(void *memory, perp_pool *pool)
{
    perp_projection *projection = memory;
    (void)pool;
    perp_mass_destroy(projection->mass);
    perp_one_step_free(&projection->one);
}

static int width(const perp_projection *p, const perp_system *s)
{
    return p->in_q ? s->nq : s->nv;
}

/* Gives the systems of a link their places among the coordinates. */
static int touch(perp_projection *p, const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        int *first = &p->first_dof[s->slot];
        if (*first >= 0)
            continue;
        if (!GROW(p->one.pool, p, touched, room_touched, p->ntouched + 1))
            return 0;
        p->touched[p->ntouched++] = s;
        *first = p->dofs;
        p->dofs += width(p, s);
    }
    return 1;
}

static int add_entry(perp_projection *p, entry e)
{
    if (!GROW(p->one.pool, p, entries, room_entries, p->rows + 1))
        return 0;
    p->entries[p->rows++] = e;
    return 1;
}

/* Rows of the links whose rows are equalities (free = 1), or are not. */
static int list_links(perp_projection *p, const perp_step *step, int scheme, int equalities,
                      int free)
{
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        int bilateral = equalities || link->law.kind == PERP_LAW_EQUALITY;
        if (link->systems[0]->scheme != scheme || bilateral != free || !perp_projection_takes(link))
            continue;
        for (int r = 0; r < link->relations; r++) {
            if (equalities && !(link->active && link->on[r]))
                continue;
            if (!touch(p, link) || !add_entry(p, (entry){link, NULL, r * link->law.dim, free}))
                return 0;
        }
    }
    return 1;
}

/* Rows: equalities, inequalities, |Q| of the bodies. */
static int list_rows(perp_projection *p, const perp_step *step, int scheme, int equalities)
{
    p->rows = p->ntouched = p->dofs = 0;
    int slots = 0;
    for (int k = 0; k < step->nsystems; k++)
        slots = step->systems[k]->slot >= slots ? step->systems[k]->slot + 1 : slots;
    if (!GROW(p->one.pool, p, first_dof, room_first_dof, slots))
        return 0;
    for (int k = 0; k < slots; k++)
        p->first_dof[k] = -1;
    if (!list_links(p, step, scheme, equalities, 1))
        return 0;
    int bilateral = p->rows;
    if (!list_links(p, step, scheme, equalities, 0))
        return 0;
    int unilateral = p->rows - bilateral;
    for (int k = 0; p->in_q && k < p->ntouched; k++)
        if (p->touched[k]->kind == PERP_SYSTEM_BODY &&
            !add_entry(p, (entry){NULL, p->touched[k], 0, 1}))
            return 0;
    int norms = p->rows - bilateral - unilateral;
    perp_one_step *one = &p->one;
    if (!GROW(one->pool, one, segments, room_segments, 3))
        return 0;
    one->nsegments = 0;
    const int counts[] = {bilateral, unilateral, norms};
    for (int k = 0; k < 3; k++)
        if (counts[k] > 0)
            one->segments[one->nsegments++] = (perp_segment){
                k == 1 ? PERP_NONNEG : PERP_FREE, 1, counts[k], {NULL, NULL}, {0, 0}};
    return 1;
}

static double norm_of(const perp_system *s)
{
    const double *Q = s->q[PERP_NOW] + 3;
    return sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
}

/* one.q = y at NOW, and the largest violation. */
static int evaluate(perp_projection *p, const perp_step *step)
{
    perp_one_step *one = &p->one;
    p->worst = 0.0;
    for (int k = 0; k < p->rows; k++) {
        const entry *e = &p->entries[k];
        perp_link *link = e->link;
        if (link && (k == 0 || p->entries[k - 1].link != link)) {
            const double *x = perp_link_gather_x(link, PERP_NOW);
            if (perp_link_output(link->y, link, step->t_end, x, link->lambda))
                return 1;
        }
        one->q[k] = link ? link->y[e->component] : norm_of(e->body) - 1.0;
        double violation = e->free ? fabs(one->q[k]) : -one->q[k];
        if (!(violation <= p->worst))
            p->worst = violation;
    }
    return 0;
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
static int link_column(perp_projection *p, const entry *e, int at)
{
    const perp_link *link = e->link;
    perp_one_step *one = &p->one;
    const perp_relation *r = &link->relation;
    int own = link->H_x && (r->h_x || r->kind == PERP_RELATION_LINEAR);
    const double *H = link->H, *H_q = own ? link->H_x : NULL;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        if (p->in_q)
            coordinate_gradient(one->x + at, link, s, e->component, H, H_q);
        for (int j = 0; j < width(p, s); j++, at++) {
            if (!p->in_q)
                one->x[at] = H[e->component + j * link->rows];
            one->index[at] = p->first_dof[s->slot] + j;
        }
        H += link->rows * s->nv;
        H_q = H_q ? H_q + link->rows * s->nq : NULL;
    }
    return at;
}

static int norm_column(perp_projection *p, const entry *e, int at)
{
    double norm = norm_of(e->body);
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
static perp_status fill_columns(perp_projection *p, const perp_step *step)
{
    perp_one_step *one = &p->one;
    int most = entries_at_most(p), at = 0;
    if (!GROW(one->pool, one, column, room_column, p->rows + 1) ||
        !GROW(one->pool, one, index, room_index, most) || !GROW(one->pool, one, x, room_x, most))
        return PERP_ERR_MEMORY;
    one->column[0] = 0;
    for (int k = 0; k < p->rows; k++) {
        const entry *e = &p->entries[k];
        if (e->link && (k == 0 || p->entries[k - 1].link != e->link)) {
            const double *x = perp_link_gather_x(e->link, PERP_NOW);
            if (perp_link_jacobian(e->link->H, e->link, step->t_end, x, e->link->lambda))
                return PERP_INTERRUPTED;
        }
        at = e->link ? link_column(p, e, at) : norm_column(p, e, at);
        one->column[k + 1] = at;
    }
    return PERP_SOLVED;
}

/* C D C', one column at a time through move as a dense vector. */
static perp_status fill_dense(perp_projection *p)
{
    const perp_one_step *one = &p->one;
    int n = p->rows;
    if (!GROW(p->one.pool, p, dense, room_dense, n * n))
        return PERP_ERR_MEMORY;
    memset(p->move, 0, sizeof(double) * (size_t)p->dofs);
    for (int j = 0; j < n; j++) {
        for (int k = one->column[j]; k < one->column[j + 1]; k++)
            p->move[one->index[k]] = p->weight[one->index[k]] * one->x[k];
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int k = one->column[i]; k < one->column[i + 1]; k++)
                sum += one->x[k] * p->move[one->index[k]];
            p->dense[i + j * n] = sum;
        }
        for (int k = one->column[j]; k < one->column[j + 1]; k++)
            p->move[one->index[k]] = 0.0;
    }
    return perp_mat_init_dense(&p->one.problem.M, n, n, p->dense, n);
}

/* The matrix as its factors, with D^-1 for the mass. */
static perp_status fill_factors(perp_projection *p)
{
    int n = p->dofs;
    perp_mat M;
    if (!GROW(p->one.pool, p, mass_column, room_mass_column, n + 1) ||
        !GROW(p->one.pool, p, mass_row, room_mass_row, n) ||
        !GROW(p->one.pool, p, mass_x, room_mass_x, n))
        return PERP_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        p->mass_column[i] = p->mass_row[i] = i;
        p->mass_x[i] = 1.0 / p->weight[i];
    }
    p->mass_column[n] = n;
    perp_status status = perp_mat_init_csc(&M, n, n, p->mass_column, p->mass_row, p->mass_x);
    if (status == PERP_SOLVED && p->mass && perp_mass_size(p->mass) == n) {
        status = perp_mass_update(p->mass, &M, NULL);
    } else if (status == PERP_SOLVED) {
        perp_mass_destroy(p->mass);
        p->mass = NULL;
        status = perp_mass_create(&p->mass, &M, &p->one.allocator, NULL);
    }
    if (status != PERP_SOLVED)
        return status;
    return perp_mat_init_delassus(&p->one.problem.M, n, p->rows, p->one.column, p->one.index,
                                  p->one.x, p->mass);
}

static perp_status make_problem(perp_projection *p, const perp_step *step)
{
    perp_one_step *one = &p->one;
    perp_status status = fill_columns(p, step);
    if (status == PERP_SOLVED)
        status = p->rows <= DENSE_ROWS ? fill_dense(p) : fill_factors(p);
    one->rows = p->rows;
    one->fills++;
    one->problem.q = one->q;
    one->problem.seg = one->segments;
    one->problem.nseg = one->nsegments;
    return status;
}

static int is_finite(const double *x, int count)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(x[k]))
            return 0;
    return 1;
}

/* Lambda by the solver that fits, else by gs.  *usable: it is worth a move; one that is not
 * quite solved is, since the violation is looked at again. */
static perp_status solve(perp_projection *p, int *usable)
{
    const char *const solvers[] = {NULL, "gs"};
    perp_one_step *one = &p->one;
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    perp_settings_init(&settings, sizeof settings);
    *usable = 0;
    for (int k = 0; k < 2 && !*usable; k++) {
        perp_status status = perp_one_step_solve(one, solvers[k], &settings, 0, &info);
        if (status == PERP_ERR_MEMORY)
            return status;
        *usable = is_finite(one->z, p->rows) && (status == PERP_SOLVED || (k == 1 && status > 0));
    }
    return PERP_SOLVED;
}

/* q moves by D C' Lambda, in coordinates or along the twist. */
static void apply(perp_projection *p)
{
    const perp_one_step *one = &p->one;
    memset(p->move, 0, sizeof(double) * (size_t)p->dofs);
    for (int j = 0; j < p->rows; j++)
        for (int k = one->column[j]; k < one->column[j + 1]; k++)
            p->move[one->index[k]] += p->weight[one->index[k]] * one->x[k] * one->z[j];
    for (int k = 0; k < p->ntouched; k++) {
        perp_system *s = p->touched[k];
        double *q = s->q[PERP_NOW];
        const double *move = p->move + p->first_dof[s->slot];
        if (!p->in_q)
            perp_system_move(q, s, q, move, 1.0);
        for (int i = 0; p->in_q && i < s->nq; i++)
            q[i] += move[i];
    }
}

/* Room for the rows and coordinates, and D. */
static int prepare(perp_projection *p)
{
    perp_one_step *one = &p->one;
    int rows = one->room_rows;
    double **arrays[] = {&one->q, &one->z, &one->w};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        int room = one->room_rows;
        if (!perp_pool_grow(one->pool, (void **)arrays[k], &room, p->rows, sizeof(double)))
            return 0;
        rows = room;
    }
    one->room_rows = rows;
    if (!GROW(p->one.pool, p, weight, room_weight, p->dofs) ||
        !GROW(p->one.pool, p, move, room_move, p->dofs))
        return 0;
    for (int k = 0; k < p->ntouched; k++) {
        const perp_system *s = p->touched[k];
        for (int i = 0; i < width(p, s); i++)
            p->weight[p->first_dof[s->slot] + i] =
                !p->in_q && s->kind == PERP_SYSTEM_BODY && i >= 3 ? 4.0 : 1.0;
    }
    one->pattern++;
    return 1;
}

/* The row of |Q| keeps a move on the tangent; what that leaves is of second order and goes
 * here, so that the violation is judged on unit quaternions. */
static void normalise(perp_projection *p)
{
    for (int k = 0; p->in_q && k < p->ntouched; k++)
        if (p->touched[k]->kind == PERP_SYSTEM_BODY)
            (void)perp_quaternion_normalise(p->touched[k]->q[PERP_NOW] + 3);
}

perp_status perp_project(perp_step *step, int scheme, int equalities)
{
    const perp_scheme *own = &step->schemes[scheme];
    perp_projection *p = projection_of(step, scheme);
    if (!p)
        return PERP_ERR_MEMORY;
    p->in_q = own->projection_in == PERP_PROJECTION_IN_Q;
    if (!list_rows(p, step, scheme, equalities) || (p->rows > 0 && !prepare(p)))
        return PERP_ERR_MEMORY;
    for (int k = 0; p->rows > 0; k++) {
        int usable = 0;
        if (evaluate(p, step))
            return PERP_INTERRUPTED;
        if (p->worst <= own->projection_tol || k >= own->projection_iter)
            break;
        perp_status status = make_problem(p, step);
        if (status == PERP_SOLVED)
            status = solve(p, &usable);
        if (status != PERP_SOLVED)
            return status;
        if (!usable)
            break;
        apply(p);
        normalise(p);
    }
    return PERP_SOLVED;
}

perp_status perp_project_certified(perp_step *step, int scheme, int equalities)
{
    perp_status status = perp_step_moved(step, scheme, PERP_MOVED_POSITIONS, 0);
    if (status == PERP_SOLVED)
        status = perp_project(step, scheme, equalities);
    return status == PERP_SOLVED ? perp_step_moved(step, scheme, PERP_MOVED_POSITIONS, 1) : status;
}
