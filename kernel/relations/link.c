/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of an interaction: one block that holds the struct, its systems and all its
 * arrays, so that contacts come and go at the price of one take from the pool. */
#include "kernel/relations/link.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Hands out doubles of a block; with block NULL it only counts. */
typedef struct carver {
    double *block;
    size_t used;
} carver;

static double *carve(carver *c, size_t count)
{
    double *part = c->block ? c->block + c->used : NULL;
    c->used += count;
    return count ? part : NULL;
}

static double *carve_copy(carver *c, const double *source, size_t count)
{
    double *part = carve(c, source ? count : 0);
    if (part)
        memcpy(part, source, count * sizeof(double));
    return part;
}

static int is_geometric(const perp_link *link)
{
    perp_relation_kind kind = link->relation.kind;
    return kind == PERP_RELATION_CONTACT || kind == PERP_RELATION_JOINT ||
           kind == PERP_RELATION_COUPLING;
}

/* Body coordinates meet callbacks or matrices that know them. */
static int has_body(const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k]->kind == PERP_SYSTEM_BODY)
            return 1;
    return 0;
}

/* Contacts and joints whose relations are in the index set together, with impulses: those
 * that leave it one by one, and boxes on rates, need D or a scale. */
static int always_symmetric(const perp_link *link)
{
    perp_law_kind law = link->law.kind;
    return is_geometric(link) && law != PERP_LAW_BOX &&
           (link->relations == 1 || law == PERP_LAW_EQUALITY);
}

/* Doubles that the evaluation needs on the way. */
static size_t work_size(const perp_link *link, int bodies)
{
    const perp_relation *r = &link->relation;
    size_t N = (size_t)link->N, nv = (size_t)link->nv, rows = (size_t)link->rows, size = 0;
    if (link->absent)
        size = largest(N, rows) + largest(rows, nv);
    if (bodies && r->g_x && link->inner)
        size = largest(size, nv * N);
    if (r->kind == PERP_RELATION_LINEAR) {
        size = r->C_at ? largest(size, rows + rows * N) : size;
        size = r->D_at ? largest(size, rows + rows * rows) : size;
        size = r->F_at ? largest(size, rows + rows * (size_t)r->nz) : size;
        size = r->e_at ? largest(size, rows + rows) : size;
        size = r->B_at ? largest(size, N * rows) : size;
    }
    return size;
}

static void carve_relation(perp_link *link, carver *c)
{
    perp_relation *r = &link->relation;
    size_t N = (size_t)link->N, rows = (size_t)link->rows, nz = (size_t)r->nz;
    int linear = r->kind == PERP_RELATION_LINEAR;
    link->z = carve_copy(c, r->z, nz);
    double *C = carve_copy(c, linear ? r->C : NULL, rows * N);
    double *D = carve_copy(c, linear ? r->D : NULL, rows * rows);
    double *F = carve_copy(c, linear ? r->F : NULL, rows * nz);
    double *e = carve_copy(c, linear ? r->e : NULL, rows);
    double *B = carve_copy(c, linear ? r->B : NULL, N * rows);
    double *lo = carve_copy(c, r->lo, rows);
    double *hi = carve_copy(c, r->hi, rows);
    if (!c->block)
        return;
    r->z = link->z;
    r->C = C;
    r->D = D;
    r->F = F;
    r->e = e;
    r->B = B;
    r->lo = lo;
    r->hi = hi;
}

static void carve_arrays(perp_link *link, carver *c)
{
    size_t N = (size_t)link->N, nv = (size_t)link->nv, rows = (size_t)link->rows;
    size_t inner = (size_t)link->inner;
    int bodies = has_body(link);
    link->y = carve(c, rows);
    link->u = carve(c, rows);
    link->y_start = carve(c, rows);
    link->u_start = carve(c, rows);
    link->lambda = carve(c, rows);
    link->lambda_start = carve(c, rows);
    link->flight = carve(c, 2 * (size_t)link->relations);
    link->offset = carve(c, rows);
    link->soft = carve(c, rows);
    link->centre = carve(c, rows);
    link->D = carve(c, rows * rows);
    link->X = carve(c, N);
    link->V = carve(c, nv);
    link->spare = carve(c, largest(largest(N, nv), rows));
    link->H = carve(c, rows * nv);
    link->left = carve(c, rows * nv);
    link->right = carve(c, always_symmetric(link) ? 0 : nv * rows);
    link->H_x = carve(c, bodies && !is_geometric(link) ? rows * N : 0);
    link->inner_left = carve(c, inner * nv);
    link->inner_D = carve(c, inner * rows);
    link->inner_right = carve(c, inner ? 1 : 0);
    link->inner_offset = carve(c, inner);
    link->rho = carve(c, inner);
    link->rho_start = carve(c, inner);
    link->work = carve(c, work_size(link, bodies));
    link->momentum = carve(c, link->second_order ? largest(nv, rows) : 0);
    link->mismatch = carve(c, link->second_order ? rows : 0);
    link->swing = carve(c, link->second_order ? rows : 0);
    link->ahead = carve(c, link->second_order ? rows : 0);
    link->smooth = carve(c, link->second_order ? rows : 0);
    link->turn = carve(c, link->second_order ? rows : 0);
    link->both = carve(c, link->guide ? 14 : 0);
    link->both_H = carve(c, link->guide ? 12 * rows : 0);
    carve_relation(link, c);
}

/* A matrix of zeros is none: y = C q + 0 lambda has no feedthrough. */
static const double *unless_zero(const double *x, size_t count)
{
    for (size_t k = 0; x && k < count; k++)
        if (x[k] != 0.0)
            return x;
    return NULL;
}

/* y affine in the states: quaternions enter H unless their columns are 0. */
static int is_linear(const perp_link *link)
{
    const perp_relation *r = &link->relation;
    size_t rows = (size_t)link->rows, at = 0;
    if (r->kind != PERP_RELATION_LINEAR)
        return 0;
    for (int k = 0; k < link->nsystems; k++) {
        int body = link->systems[k]->kind == PERP_SYSTEM_BODY;
        if (body && (r->C_at || unless_zero(r->C + rows * (at + 3), rows * 4)))
            return 0;
        at += (size_t)link->systems[k]->nq;
    }
    return 1;
}

static int is_steady(const perp_link *link)
{
    const perp_relation *r = &link->relation;
    if (r->kind == PERP_RELATION_LINEAR)
        return !r->C_at && !r->D_at && !r->F_at && !r->e_at && !r->B_at;
    return r->kind == PERP_RELATION_JOINT || r->kind == PERP_RELATION_COUPLING;
}

/* All that does not need memory. */
static void describe(perp_link *link, const perp_interaction_def *def, perp_system *const *systems,
                     int nsystems)
{
    perp_relation *r = &link->relation;
    *r = def->relation;
    link->law = def->law;
    link->rows = r->rows;
    link->relations = r->rows / def->law.dim;
    link->nsystems = nsystems;
    link->slot = -1;
    link->bound_scale = 1.0;
    link->second_order = systems[0]->kind != PERP_SYSTEM_FIRST_ORDER;
    for (int k = 0; k < nsystems; k++) {
        link->N += systems[k]->nq;
        link->nv += systems[k]->nv;
    }
    unsigned needs = perp_relation_needs(r, link->second_order);
    link->absent = needs & ~perp_relation_gives(r);
    link->differences = link->absent != 0;
    link->inner = needs & PERP_PART_G_X ? link->nv : 0;
    if (r->kind == PERP_RELATION_LINEAR)
        r->D = unless_zero(r->D, (size_t)link->rows * (size_t)link->rows);
}

static perp_status no_memory(perp_where *where, perp_status status)
{
    if (where)
        *where = (perp_where){"relation", -1, -1};
    return status;
}

perp_status perp_link_make(perp_link **link, const perp_interaction_def *def,
                           perp_system *const *systems, perp_pool *pool, perp_where *where)
{
    perp_status status = perp_link_check(def, systems, where);
    if (status != PERP_SOLVED)
        return status;

    /* The arrays are counted with a link of the stack, then carved from one block. */
    perp_link plan = {0};
    carver count = {NULL, 0};
    size_t head = round_up(sizeof(perp_link));
    int nsystems = def->nsystems;
    perp_system *moving = NULL, *free_ones[2 * PERP_JOINT_TERMS];
    perp_system *const *all = systems;
    if (def->relation.kind == PERP_RELATION_COUPLING) {
        nsystems = 0;
        for (int k = 0; k < def->nsystems; k++)
            if (!perp_system_is_prescribed(systems[k]))
                free_ones[nsystems++] = systems[k];
        systems = free_ones;
    } else if (nsystems == 2 &&
               (perp_system_is_prescribed(systems[0]) || perp_system_is_prescribed(systems[1]))) {
        plan.guide_first = perp_system_is_prescribed(systems[0]);
        plan.guide = systems[plan.guide_first ? 0 : 1];
        moving = systems[plan.guide_first ? 1 : 0];
        systems = &moving;
        nsystems = 1;
    }
    describe(&plan, def, systems, nsystems);
    size_t list = round_up((size_t)plan.nsystems * sizeof(perp_system *));
    size_t on = round_up(3 * (size_t)plan.relations);
    plan.systems = (perp_system **)(uintptr_t)systems;
    carve_arrays(&plan, &count);
    if (count.used > (SIZE_MAX - head - list - on) / sizeof(double))
        return no_memory(where, PERP_ERR_OVERFLOW);

    char *block = perp_pool_take(pool, head + list + on + count.used * sizeof(double));
    if (!block)
        return no_memory(where, PERP_ERR_MEMORY);
    perp_link *made = (perp_link *)(void *)block;
    carver arrays = {(double *)(void *)(block + head + list + on), 0};
    *made = plan;
    made->systems = (perp_system **)(void *)(block + head);
    memcpy(made->systems, systems, (size_t)plan.nsystems * sizeof(perp_system *));
    made->on = (unsigned char *)(block + head + list);
    made->on_start = made->on + plan.relations;
    made->mode = made->on_start + plan.relations;
    carve_arrays(made, &arrays);
    made->symmetric = !made->right;
    made->linear = is_linear(made);
    made->steady = is_steady(made);
    if (made->relation.kind == PERP_RELATION_JOINT)
        status = perp_joint_make(made, pool, where);
    if (made->relation.kind == PERP_RELATION_COUPLING)
        status = perp_coupling_make(made, all, pool, where);
    if (status != PERP_SOLVED) {
        perp_link_free(made, pool);
        return status;
    }
    *link = made;
    return PERP_SOLVED;
}

void perp_link_free(perp_link *link, perp_pool *pool)
{
    if (!link)
        return;
    perp_coupling_free(link, pool);
    perp_pool_give(pool, link->joint);
    perp_pool_give(pool, link);
}

double perp_link_place(const perp_link *link, perp_moment moment)
{
    double place = 0.0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        for (int i = 0; i < (s->kind == PERP_SYSTEM_BODY ? 3 : s->nq); i++)
            place = fmax(place, fabs(s->q[moment][i]));
    }
    return place;
}

const double *perp_link_gather_x(perp_link *link, perp_moment moment)
{
    double *x = link->X;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        memcpy(x, s->q[moment], (size_t)s->nq * sizeof(double));
        x += s->nq;
    }
    return link->X;
}

const double *perp_link_gather_v(perp_link *link, perp_moment moment)
{
    double *v = link->V;
    for (int k = 0; link->second_order && k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        memcpy(v, s->v[moment], (size_t)s->nv * sizeof(double));
        v += s->nv;
    }
    return link->V;
}

void perp_link_to_rates(double *out, const perp_link *link, const double *in, const double *x,
                        int rows)
{
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        perp_system_to_rates(out, s, in, x, rows);
        out += (size_t)rows * (size_t)s->nv;
        in += (size_t)rows * (size_t)s->nq;
        x += s->nq;
    }
}
