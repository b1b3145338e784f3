/* SPDX-License-Identifier: BSD-3-Clause */
/* The largest g(n): GJK or EPA say which branches of the two cores meet there, Newton solves for n
 * on them.  g itself judges: no n gives more than the signed distance of its place. */
#include <math.h>
#include <string.h>

#include "kernel/collide/convex.h"
#include "kernel/relations/twist.h"

enum { ROUNDS = 16, ACTIVE = 4, CHANGES = 8 };
/* The angle between the normal of a face and what was it in the step before. */
static const double of_a_face = 1e-12;
/* The largest step of Newton, an angle. */
static const double most = 0.5;
/* Of the sizes: what g may be below the distance of two points before other branches are tried. */
static const double close_enough = 1e-12;

/* Branches of a core that meet at the place, with their weights in the nearest point. */
typedef struct active {
    const perp_convex *core;
    int branch[ACTIVE], count;
    double weight[ACTIVE];
} active;

/* A condition n . (p_i - p_0) = 0 of one core. */
typedef struct tie {
    const active *of;
    int branch;
} tie;

typedef struct system {
    active a, b;
    tie tie[2];
    int ties;
    double t[2][3]; /* across the n of the start */
    double size;
} system_of_place;

double perp_convex_gap(const perp_convex *a, const perp_convex *b, const double *n)
{
    perp_minkowski w;
    double down[3] = {-n[0], -n[1], -n[2]};
    perp_gjk_support(&w, a, b, down);
    return perp_dot3(n, w.m);
}

static void gather(active *out, const perp_convex *core, const perp_simplex *s, int second)
{
    *out = (active){.core = core};
    for (int k = 0; k < s->count; k++) {
        int branch = second ? s->vertex[k].branch_b : s->vertex[k].branch_a, i = 0;
        if (s->weight[k] <= 1e-7)
            continue;
        while (i < out->count && out->branch[i] != branch)
            i++;
        out->branch[i] = branch;
        out->weight[i] += s->weight[k];
        out->count = i == out->count ? i + 1 : out->count;
    }
}

static void point_of(double *out, const active *x, int i, const double *n, double sign)
{
    double d[3] = {sign * n[0], sign * n[1], sign * n[2]};
    perp_convex_branch(out, x->core, x->branch[i], d);
}

static void difference(double *out, const active *x, int i, const double *n, double sign)
{
    double p[3], q[3];
    point_of(p, x, i, n, sign);
    point_of(q, x, 0, n, sign);
    for (int k = 0; k < 3; k++)
        out[k] = p[k] - q[k];
}

static double sign_of(const system_of_place *s, const active *x)
{
    return x == &s->a ? -1.0 : 1.0;
}

static double normalise(double *n)
{
    double length = sqrt(perp_dot3(n, n));
    for (int k = 0; k < 3; k++)
        n[k] /= length;
    return length;
}

/* Of all ties the one that is longest, and one that is not along it. */
static void choose_ties(system_of_place *s, const double *n)
{
    tie all[2 * ACTIVE];
    double c[2 * ACTIVE][3];
    int count = 0, first = 0;
    for (int side = 0; side < 2; side++) {
        const active *x = side ? &s->b : &s->a;
        for (int i = 1; i < x->count; i++, count++) {
            all[count] = (tie){x, i};
            difference(c[count], x, i, n, sign_of(s, x));
        }
    }
    s->ties = 0;
    for (int k = 1; k < count; k++)
        if (perp_dot3(c[k], c[k]) > perp_dot3(c[first], c[first]))
            first = k;
    if (count == 0 || !(perp_dot3(c[first], c[first]) > 1e-24 * s->size * s->size))
        return;
    s->tie[s->ties++] = all[first];
    double best = 1e-6, length = sqrt(perp_dot3(c[first], c[first]));
    for (int k = 0; k < count; k++) {
        double across[3], own = sqrt(perp_dot3(c[k], c[k]));
        perp_cross3(across, c[first], c[k]);
        double angle =
            k == first || own == 0.0 ? 0.0 : sqrt(perp_dot3(across, across)) / (length * own);
        if (angle > best) {
            best = angle;
            s->tie[1] = all[k];
            s->ties = 2;
        }
    }
}

static void tangents(system_of_place *s, const double *n)
{
    int axis = fabs(n[0]) < 0.6 ? 0 : 1;
    double e[3] = {axis == 0, axis == 1, 0.0};
    perp_cross3(s->t[0], n, e);
    normalise(s->t[0]);
    perp_cross3(s->t[1], n, s->t[0]);
}

/* Two equations: ties, and that a - b has no part along what is left. */
static void residual(double *F, const system_of_place *s, const double *n)
{
    double c[3], a[3], b[3], along[3];
    point_of(a, &s->a, 0, n, -1.0);
    point_of(b, &s->b, 0, n, 1.0);
    for (int k = 0; k < 3; k++)
        a[k] -= b[k];
    for (int k = 0; k < s->ties; k++) {
        const tie *t = &s->tie[k];
        difference(c, t->of, t->branch, n, sign_of(s, t->of));
        F[k] = perp_dot3(n, c) / sqrt(perp_dot3(c, c));
    }
    if (s->ties == 1) {
        perp_cross3(along, n, c);
        normalise(along);
        F[1] = perp_dot3(along, a) / s->size;
    }
    double height = perp_dot3(n, a);
    for (int k = 0; k < 2 && s->ties == 0; k++) {
        F[k] = 0.0;
        for (int i = 0; i < 3; i++)
            F[k] += s->t[k][i] * (a[i] - height * n[i]) / s->size;
    }
}

static void tilt(double *out, const system_of_place *s, const double *n, double x, double y)
{
    for (int k = 0; k < 3; k++)
        out[k] = n[k] + x * s->t[0][k] + y * s->t[1][k];
    normalise(out);
}

/* How far n may turn until a rim turns round: the rim is smooth on that scale. */
static double scale_of(const perp_convex *c, const double *n)
{
    if (c->kind != PERP_CORE_CYLINDER && c->kind != PERP_CORE_CONE)
        return 1.0;
    double z = perp_dot3(c->R + 6, n);
    return sqrt(fmax(1.0 - z * z, 1e-16));
}

/* Newton from n; 0: it leaves the place, which it may where wide. */
static int solve(double *n, const system_of_place *s, int wide)
{
    double at[3], from[3];
    memcpy(from, n, sizeof from);
    memcpy(at, n, sizeof at);
    for (int round = 0; round < ROUNDS; round++) {
        double step = 1e-5 * fmin(scale_of(s->a.core, at), scale_of(s->b.core, at));
        double F[2], hi[2], lo[2], J[4], to[3];
        residual(F, s, at);
        for (int k = 0; k < 2; k++) {
            tilt(to, s, at, k ? 0.0 : step, k ? step : 0.0);
            residual(hi, s, to);
            tilt(to, s, at, k ? 0.0 : -step, k ? -step : 0.0);
            residual(lo, s, to);
            for (int i = 0; i < 2; i++)
                J[i + 2 * k] = (hi[i] - lo[i]) / (2.0 * step);
        }
        double det = J[0] * J[3] - J[1] * J[2];
        double x = -(J[3] * F[0] - J[2] * F[1]) / det, y = -(J[0] * F[1] - J[1] * F[0]) / det;
        double length = hypot(x, y);
        if (!isfinite(length) || (length > most && !wide))
            return 0;
        double part = length > most ? most / length : 1.0;
        tilt(to, s, at, part * x, part * y);
        memcpy(at, to, sizeof at);
        if (length < 1e-15 || (round > 3 && length < 1e-13))
            break;
    }
    memcpy(n, at, sizeof at);
    return wide || perp_dot3(at, from) > 0.9;
}

static int is_curved(const perp_convex *c)
{
    return c->kind == PERP_CORE_CYLINDER || c->kind == PERP_CORE_CONE ||
           c->kind == PERP_CORE_ELLIPSOID;
}

/* A face that n is nearly normal to, where g is no less there. */
static int try_face(double *n, double *g, const perp_convex *a, const perp_convex *b, int second,
                    double size)
{
    perp_facet face;
    double sign = second ? 1.0 : -1.0, d[3] = {sign * n[0], sign * n[1], sign * n[2]}, to[3];
    if (perp_convex_face(&face, second ? b : a, d, 0) < 0.95)
        return 0;
    for (int k = 0; k < 3; k++)
        to[k] = sign * face.normal[k];
    double there = perp_convex_gap(a, b, to);
    if (there < *g - 1e-13 * size)
        return 0;
    memcpy(n, to, sizeof to);
    *g = there;
    return 1;
}

/* Weights of the active points of both cores for which a - b is along n, by least squares. */
static void weigh(system_of_place *s, const double *n)
{
    double c[2][3], r[3], b[3], G[3], rhs[2] = {0.0, 0.0}, w[2] = {0.0, 0.0};
    choose_ties(s, n);
    for (int side = 0; side < 2; side++) {
        active *x = side ? &s->b : &s->a;
        memset(x->weight, 0, sizeof x->weight);
        x->weight[0] = 1.0;
    }
    if (s->ties == 0)
        return;
    point_of(r, &s->a, 0, n, -1.0);
    point_of(b, &s->b, 0, n, 1.0);
    for (int k = 0; k < 3; k++)
        r[k] -= b[k];
    for (int k = 0; k < s->ties; k++) {
        double sign = sign_of(s, s->tie[k].of);
        difference(c[k], s->tie[k].of, s->tie[k].branch, n, sign);
        double height = perp_dot3(n, c[k]);
        for (int i = 0; i < 3; i++)
            c[k][i] = -sign * (c[k][i] - height * n[i]);
        rhs[k] = -perp_dot3(c[k], r);
    }
    G[0] = perp_dot3(c[0], c[0]);
    w[0] = rhs[0] / G[0];
    if (s->ties == 2) {
        G[1] = perp_dot3(c[0], c[1]);
        G[2] = perp_dot3(c[1], c[1]);
        double det = G[0] * G[2] - G[1] * G[1];
        w[0] = (G[2] * rhs[0] - G[1] * rhs[1]) / det;
        w[1] = (G[0] * rhs[1] - G[1] * rhs[0]) / det;
    }
    for (int k = 0; k < s->ties; k++) {
        active *x = s->tie[k].of == &s->a ? &s->a : &s->b;
        double part = fmax(0.0, fmin(x->weight[0], w[k]));
        x->weight[s->tie[k].branch] += part;
        x->weight[0] -= part;
    }
}

static void place(double *out, const active *x, const double *n, double sign)
{
    double p[3];
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < x->count; i++) {
        point_of(p, x, i, n, sign);
        for (int k = 0; k < 3; k++)
            out[k] += x->weight[i] * p[k];
    }
}

static void place_by_simplex(double *out, const perp_simplex *simplex, int second)
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < simplex->count; i++)
        for (int k = 0; k < 3; k++)
            out[k] +=
                simplex->weight[i] * (second ? simplex->vertex[i].b[k] : simplex->vertex[i].a[k]);
}

/* The point of the other core as GJK found it, or better where its surface is curved there. */
static void place_other(double *out, const active *x, const perp_simplex *simplex, int second,
                        const double *n)
{
    if (is_curved(x->core) && scale_of(x->core, n) > 1e-3) {
        place(out, x, n, second ? 1.0 : -1.0);
        return;
    }
    place_by_simplex(out, simplex, second);
}

/* How far a - b is from gap n. */
static double mismatch(const perp_separation *s)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = s->point_a[k] - s->point_b[k] - s->gap * s->normal[k];
    return sqrt(perp_dot3(d, d));
}

/* A face of one of them: the points follow from that of the other. */
static int settle_on_face(perp_separation *out, const system_of_place *s,
                          const perp_simplex *simplex)
{
    for (int second = 0; second < 2; second++) {
        if (!try_face(out->normal, &out->gap, s->a.core, s->b.core, second, s->size))
            continue;
        double *from = second ? out->point_a : out->point_b;
        double *to = second ? out->point_b : out->point_a;
        place_other(from, second ? &s->a : &s->b, simplex, !second, out->normal);
        for (int k = 0; k < 3; k++)
            to[k] = from[k] + (second ? -1.0 : 1.0) * out->gap * out->normal[k];
        return 1;
    }
    return 0;
}

/* Newton from the normal of out, on the branches of s; 0: g is less than this there. */
static int improve(perp_separation *out, system_of_place *s, int wide, double least)
{
    double n[3];
    memcpy(n, out->normal, sizeof n);
    choose_ties(s, n);
    tangents(s, n);
    if (!solve(n, s, wide))
        return 0;
    double there = perp_convex_gap(s->a.core, s->b.core, n);
    if (!(there >= least))
        return 0;
    memcpy(out->normal, n, sizeof n);
    out->gap = there;
    weigh(s, n);
    return 1;
}

static void include(active *x, int branch)
{
    for (int i = 0; i < x->count; i++)
        if (x->branch[i] == branch)
            return;
    if (x->count == ACTIVE)
        return;
    x->branch[x->count] = branch;
    x->weight[x->count++] = 0.0;
}

/* Without the branches that have no part in the nearest point. */
static void prune(active *x)
{
    int kept = 0;
    for (int i = 0; i < x->count; i++)
        if (x->weight[i] > 0.0) {
            x->branch[kept] = x->branch[i];
            x->weight[kept++] = x->weight[i];
        }
    x->count = kept;
}

/* What g should reach: the distance of the points of GJK, but for rounding. */
static double least_gap(const perp_simplex *simplex, double size)
{
    double a[3], b[3], square = 0.0;
    place_by_simplex(a, simplex, 0);
    place_by_simplex(b, simplex, 1);
    for (int k = 0; k < 3; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(square) - close_enough * size;
}

/* 0: g did not. */
static int rise(perp_separation *out, system_of_place *s)
{
    if (!improve(out, s, 1, nextafter(out->gap, INFINITY)))
        return 0;
    prune(&s->a);
    prune(&s->b);
    return 1;
}

/* Where shapes nearly touch the weight of a branch of the nearest point may be lost in rounding,
 * though it decides on n: what lies farthest along n joins the branches, or is left out, while g
 * rises. */
static void widen(perp_separation *out, system_of_place *s, double least)
{
    prune(&s->a);
    prune(&s->b);
    for (int round = 0; round < CHANGES && out->gap < least; round++) {
        perp_minkowski w;
        system_of_place wider = *s;
        double down[3] = {-out->normal[0], -out->normal[1], -out->normal[2]};
        perp_gjk_support(&w, s->a.core, s->b.core, down);
        include(&wider.a, w.branch_a);
        include(&wider.b, w.branch_b);
        int risen = rise(out, s);
        if (rise(out, &wider))
            *s = wider;
        else if (!risen)
            return;
    }
}

/* normal: the last direction of GJK. */
static void find_overlap(perp_simplex *simplex, double *normal, const perp_convex *a,
                         const perp_convex *b)
{
    double last[3];
    if (perp_separating_axis(simplex, normal, a, b))
        return;
    memcpy(last, normal, sizeof last);
    perp_epa(simplex, normal, a, b);
    perp_climb(simplex, normal, last, a, b);
    perp_climb_from_likely(simplex, normal, a, b);
    perp_climb_on(simplex, normal, a, b);
}

/* Corners alone decide: a normal that parts as well is as good as any. */
static int is_sharp(const perp_convex *c)
{
    return c->ball == 0.0 && (c->kind == PERP_CORE_BOX || c->kind == PERP_CORE_HULL);
}

/* n without what many turns with a body leave in it: of norm 1, and that of a face where it was. */
static void renew(double *n, const perp_convex *a, const perp_convex *b)
{
    normalise(n);
    for (int second = 0; second < 2; second++) {
        perp_facet face;
        double sign = second ? 1.0 : -1.0, d[3] = {sign * n[0], sign * n[1], sign * n[2]}, off[3];
        if (perp_convex_face(&face, second ? b : a, d, 0) < 0.0)
            continue;
        perp_cross3(off, face.normal, d);
        if (!(perp_dot3(off, off) < of_a_face * of_a_face))
            continue;
        for (int k = 0; k < 3; k++)
            n[k] = sign * face.normal[k];
        return;
    }
}

int perp_convex_kept(double *n, const perp_convex *a, const perp_convex *b,
                     const perp_kept_normal *before)
{
    if (!before || !is_sharp(a) || !is_sharp(b))
        return 0;
    memcpy(n, before->n, sizeof before->n);
    renew(n, a, b);
    return 1;
}

/* The old normal where it is no worse; point_b follows from point_a. */
static int stay(perp_separation *out, const perp_convex *a, const perp_convex *b,
                const perp_simplex *simplex, const perp_kept_normal *before)
{
    double n[3];
    if (!perp_convex_kept(n, a, b, before))
        return 0;
    double gap = perp_convex_gap(a, b, n);
    if (!(gap >= out->gap - before->slack * fmin(a->size, b->size)))
        return 0;
    memcpy(out->normal, n, sizeof n);
    out->gap = gap;
    place_by_simplex(out->point_a, simplex, 0);
    for (int k = 0; k < 3; k++)
        out->point_b[k] = out->point_a[k] - gap * n[k];
    return 1;
}

int perp_convex_separation(perp_separation *out, const perp_convex *a, const perp_convex *b,
                           double limit, const perp_kept_normal *before)
{
    perp_simplex simplex;
    system_of_place s = {.size = a->size + b->size};
    int kind = perp_gjk(&simplex, out->normal, a, b, limit);
    if (kind == PERP_GJK_FAR)
        return 0;
    if (kind == PERP_GJK_OVERLAP ||
        perp_convex_gap(a, b, out->normal) < -1e-10 * s.size) /* a normal from a flat simplex */
        find_overlap(&simplex, out->normal, a, b);
    gather(&s.a, a, &simplex, 0);
    gather(&s.b, b, &simplex, 1);
    out->gap = perp_convex_gap(a, b, out->normal);
    int curved = is_curved(a) || is_curved(b);
    double least = curved && kind == PERP_GJK_APART ? least_gap(&simplex, s.size) : -INFINITY;
    if (stay(out, a, b, &simplex, before) ||
        (settle_on_face(out, &s, &simplex) && out->gap >= least))
        return out->gap <= limit;
    if (curved) {
        (void)improve(out, &s, 0, out->gap - 1e-13 * s.size);
        widen(out, &s, least);
    }
    place(out->point_a, &s.a, out->normal, -1.0);
    place(out->point_b, &s.b, out->normal, 1.0);
    double miss = mismatch(out);
    if (miss > 1e-10 * s.size) {
        perp_separation other = *out;
        place_by_simplex(other.point_a, &simplex, 0);
        place_by_simplex(other.point_b, &simplex, 1);
        if (mismatch(&other) < miss)
            *out = other;
    }
    return out->gap <= limit;
}
