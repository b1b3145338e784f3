/* SPDX-License-Identifier: BSD-3-Clause */
/* COUPLING: y = sum of factor_i coordinate_i - origin over coordinates of joints and of Lagrangian
 * systems.  Each term of a joint is a link of its own (SLIDE or ANGLE) between systems of this one;
 * outputs, Jacobians, discrete gradients and stiffness are sums of theirs. */
#include <math.h>
#include <string.h>

#include "kernel/laws/law.h"
#include "kernel/relations/discrete_gradient.h"

typedef struct term {
    perp_link *link; /* NULL: of a Lagrangian system, which stands at x_at[0], v_at[0] */
    double factor;
    int x_at[2], v_at[2]; /* where the states of its systems stand in those of the whole */
    perp_system *system;
    int entry;
} term;

struct perp_coupling {
    int count, parts; /* terms; those of joints, which come first */
    double x[14], H[12], K[144];
    term terms[];
};

static perp_status refuse(perp_where *where, perp_status status, const char *what, int index)
{
    if (where)
        *where = (perp_where){what, -1, index};
    return status;
}

static perp_status check_term(const perp_joint_term *t, int nsystems, int k, perp_where *where)
{
    if (!t->lagrangian && t->coordinate != PERP_JOINT_SLIDE && t->coordinate != PERP_JOINT_ANGLE)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.terms.coordinate", k);
    if (t->first < 0 || t->first >= nsystems || t->second < -1 ||
        t->second >= (t->lagrangian ? 0 : nsystems) || t->first == t->second)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.terms.first", k);
    if (!isfinite(t->factor) || t->factor == 0.0)
        return refuse(where, isfinite(t->factor) ? PERP_ERR_ARGUMENT : PERP_ERR_NONFINITE,
                      "relation.terms.factor", k);
    return PERP_SOLVED;
}

/* The place of system k of a term among those of the whole. */
static void find_place(term *of, int k, const perp_link *link, const perp_system *s)
{
    of->x_at[k] = of->v_at[k] = 0;
    for (int i = 0; link->systems[i] != s; i++) {
        of->x_at[k] += link->systems[i]->nq;
        of->v_at[k] += link->systems[i]->nv;
    }
}

/* A coordinate of a Lagrangian system. */
static perp_status make_entry(perp_link *link, int k, perp_system *s, perp_where *where)
{
    const perp_joint_term *t = &link->relation.terms[k];
    if (s->kind != PERP_SYSTEM_LAGRANGIAN)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.terms.first", k);
    if (t->entry < 0 || t->entry >= s->nq)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.terms.entry", k);
    term *of = &link->coupling->terms[link->coupling->count];
    *of = (term){.factor = t->factor, .system = s, .entry = t->entry};
    find_place(of, 0, link, s);
    return PERP_SOLVED;
}

static perp_status make_term(perp_link *link, int k, perp_system *const *systems, perp_pool *pool,
                             perp_where *where)
{
    const perp_joint_term *t = &link->relation.terms[k];
    perp_system *pair[2] = {systems[t->first], t->second >= 0 ? systems[t->second] : NULL};
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    def.nsystems = t->second >= 0 ? 2 : 1;
    def.relation.kind = PERP_RELATION_JOINT;
    def.relation.joint = t->coordinate;
    def.relation.rows = 1;
    memcpy(def.relation.anchor, t->anchor, sizeof t->anchor);
    memcpy(def.relation.axis, t->axis, sizeof t->axis);
    def.law = perp_law_equality();
    term *of = &link->coupling->terms[link->coupling->count];
    of->factor = t->factor;
    perp_status status = perp_link_make(&of->link, &def, pair, pool, where);
    for (int i = 0; status == PERP_SOLVED && i < of->link->nsystems; i++)
        find_place(of, i, link, of->link->systems[i]);
    return status;
}

perp_status perp_coupling_make(perp_link *link, perp_system *const *systems, perp_pool *pool,
                               perp_where *where)
{
    size_t bytes = sizeof(perp_coupling) + sizeof(term) * (size_t)link->relation.nterms;
    perp_coupling *made = perp_pool_take(pool, bytes);
    perp_status status = PERP_SOLVED;
    if (!made)
        return refuse(where, PERP_ERR_MEMORY, "relation.terms", -1);
    memset(made, 0, bytes);
    link->coupling = made;
    for (int pass = 0; pass < 2; pass++) /* joints, then Lagrangian systems */
        for (int k = 0; k < link->relation.nterms && status == PERP_SOLVED; k++) {
            const perp_joint_term *t = &link->relation.terms[k];
            if ((t->lagrangian != 0) != pass)
                continue;
            status = pass ? make_entry(link, k, systems[t->first], where)
                          : make_term(link, k, systems, pool, where);
            made->count += status == PERP_SOLVED;
            made->parts += status == PERP_SOLVED && !pass;
        }
    link->relation.terms = NULL; /* the caller's */
    return status;
}

perp_status perp_coupling_check(const perp_interaction_def *def, perp_where *where)
{
    const perp_relation *r = &def->relation;
    if (r->rows != 1)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.rows", -1);
    if (def->law.kind == PERP_LAW_FRICTION)
        return refuse(where, PERP_ERR_ARGUMENT, "law.kind", -1);
    if (!r->terms || r->nterms < 1 || r->nterms > PERP_JOINT_TERMS)
        return refuse(where, PERP_ERR_ARGUMENT, r->terms ? "relation.nterms" : "relation.terms",
                      -1);
    if (!isfinite(r->origin))
        return refuse(where, PERP_ERR_NONFINITE, "relation.origin", -1);
    for (int k = 0; k < r->nterms; k++) {
        perp_status status = check_term(&r->terms[k], def->nsystems, k, where);
        if (status != PERP_SOLVED)
            return status;
    }
    for (int i = 0; i < def->nsystems; i++) { /* each in some term */
        int used = 0;
        for (int k = 0; k < r->nterms; k++)
            used |= r->terms[k].first == i || r->terms[k].second == i;
        if (!used)
            return refuse(where, PERP_ERR_ARGUMENT, "systems", i);
    }
    return PERP_SOLVED;
}

void perp_coupling_free(perp_link *link, perp_pool *pool)
{
    for (int k = 0; link->coupling && k < link->coupling->parts; k++)
        perp_link_free(link->coupling->terms[k].link, pool);
    perp_pool_give(pool, link->coupling);
    link->coupling = NULL;
}

perp_link *perp_coupling_part(const perp_link *link, int k)
{
    return link->coupling && k < link->coupling->parts ? link->coupling->terms[k].link : NULL;
}

double perp_coupling_factor(const perp_link *link, int k)
{
    return link->coupling->terms[k].factor;
}

int perp_coupling_has_guide(const perp_link *link, const perp_system *s)
{
    for (int k = 0; link->coupling && k < link->coupling->parts; k++)
        if (link->coupling->terms[k].link->guide == s)
            return 1;
    return 0;
}

static const double *part_of(perp_coupling *c, const term *of, const double *x)
{
    for (int k = 0; k < of->link->nsystems; k++)
        memcpy(c->x + 7 * k, x + of->x_at[k], 7 * sizeof(double));
    return c->x;
}

int perp_coupling_output(double *y, perp_link *link, double t, const double *x)
{
    perp_coupling *c = link->coupling;
    *y = -link->relation.origin;
    for (int k = c->parts; k < c->count; k++)
        *y += c->terms[k].factor * x[c->terms[k].x_at[0] + c->terms[k].entry];
    for (int k = 0; k < c->parts; k++) {
        double one;
        if (perp_link_output(&one, c->terms[k].link, t, part_of(c, &c->terms[k], x), NULL))
            return 1;
        *y += c->terms[k].factor * one;
    }
    return 0;
}

/* H += factor times the row of a term. */
static void add_row(double *H, const term *of, const double *row)
{
    for (int k = 0; k < of->link->nsystems; k++)
        for (int j = 0; j < 6; j++)
            H[of->v_at[k] + j] += of->factor * row[6 * k + j];
}

static void add_entries(double *H, const perp_coupling *c)
{
    for (int k = c->parts; k < c->count; k++)
        H[c->terms[k].v_at[0] + c->terms[k].entry] += c->terms[k].factor;
}

int perp_coupling_jacobian(double *H, perp_link *link, double t, const double *x)
{
    perp_coupling *c = link->coupling;
    memset(H, 0, sizeof(double) * (size_t)link->nv);
    add_entries(H, c);
    for (int k = 0; k < c->parts; k++) {
        if (perp_link_jacobian(c->H, c->terms[k].link, t, part_of(c, &c->terms[k], x), NULL))
            return 1;
        add_row(H, &c->terms[k], c->H);
    }
    return 0;
}

int perp_coupling_has_drift(const perp_link *link)
{
    for (int k = 0; k < link->coupling->parts; k++)
        if (perp_link_has_drift(link->coupling->terms[k].link))
            return 1;
    return 0;
}

int perp_coupling_drift(double *h_t, perp_link *link, double t, const double *x)
{
    perp_coupling *c = link->coupling;
    *h_t = 0.0;
    for (int k = 0; k < c->parts; k++) {
        double one;
        if (perp_link_drift(&one, c->terms[k].link, t, part_of(c, &c->terms[k], x), NULL))
            return 1;
        *h_t += c->terms[k].factor * one;
    }
    return 0;
}

void perp_coupling_settle(perp_link *link, const double *x)
{
    perp_coupling *c = link->coupling;
    for (int k = 0; k < c->parts; k++)
        perp_joint_settle(c->terms[k].link, part_of(c, &c->terms[k], x));
}

int perp_coupling_discrete_gradient(double *G, double *drift, double *y1, perp_link *link, double t,
                                    double h)
{
    perp_coupling *c = link->coupling;
    memset(G, 0, sizeof(double) * (size_t)link->nv);
    *drift = 0.0;
    *y1 = -link->relation.origin;
    add_entries(G, c);
    for (int k = c->parts; k < c->count; k++)
        *y1 += c->terms[k].factor * c->terms[k].system->q[PERP_NOW][c->terms[k].entry];
    for (int k = 0; k < c->parts; k++) {
        double end, rate;
        if (perp_link_discrete_gradient(c->H, &rate, &end, c->terms[k].link, t, h, NULL, NULL))
            return 1;
        add_row(G, &c->terms[k], c->H);
        *drift += c->terms[k].factor * rate;
        *y1 += c->terms[k].factor * end;
    }
    return 0;
}

/* The 6 x 6 block of K between two bodies of a term. */
static void add_block(double *restrict to, int stride, const double *restrict K, int nv)
{
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++)
            to[i + j * stride] += K[i + j * nv];
}

void perp_coupling_stiffness(double *K, const perp_link *link, double lambda)
{
    perp_coupling *c = link->coupling;
    memset(K, 0, sizeof(double) * (size_t)link->nv * (size_t)link->nv);
    for (int k = 0; k < c->parts; k++) {
        const term *of = &c->terms[k];
        double part = of->factor * lambda;
        int nv = of->link->nv;
        perp_joint_stiffness(c->K, of->link, &part);
        for (int b = 0; b < of->link->nsystems; b++)
            for (int a = 0; a < of->link->nsystems; a++)
                add_block(K + of->v_at[a] + of->v_at[b] * link->nv, link->nv,
                          c->K + 6 * a + 6 * b * nv, nv);
    }
}
