/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/flow/root.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Where a function stands: at its zero since the start, beyond it already, or to be watched; a
 * watched one of direction 0 by its sign. */
enum { AT_ZERO, PAST, WATCHED, WATCHED_BELOW };
enum { EXTREMUM_ITERATIONS = 30, ROOT_ITERATIONS = 200 };

perp_status perp_root_prepare(perp_root *root, int count, int n, perp_pool *pool)
{
    if (count < 0 || n < 0)
        return PERP_ERR_ARGUMENT;
    if (count > INT_MAX / 8)
        return PERP_ERR_OVERFLOW;
    root->count = count;
    root->n = n;
    root->which = -1;
    if (root->intervals < 1)
        root->intervals = 4;
    if (root->x && count <= root->capacity_count && n <= root->capacity_n)
        return PERP_SOLVED;
    int capacity_count = count > root->capacity_count ? count : root->capacity_count;
    int capacity_n = n > root->capacity_n ? n : root->capacity_n;
    perp_root_free(root, pool);
    root->x = PERP_POOL_ARRAY(pool, double, capacity_n + 1);
    root->samples = perp_pool_take_array(pool, (size_t)capacity_count + 1, 5 * sizeof(double));
    root->state = PERP_POOL_ARRAY(pool, int, capacity_count + 1);
    if (!root->x || !root->samples || !root->state) {
        perp_root_free(root, pool);
        return PERP_ERR_MEMORY;
    }
    root->capacity_count = capacity_count;
    root->capacity_n = capacity_n;
    return PERP_SOLVED;
}

void perp_root_free(perp_root *root, perp_pool *pool)
{
    perp_pool_give(pool, root->x);
    perp_pool_give(pool, root->samples);
    perp_pool_give(pool, root->state);
    root->x = root->samples = NULL;
    root->state = NULL;
    root->capacity_count = root->capacity_n = 0;
}

/* What a search needs. */
typedef struct search {
    perp_root *root;
    perp_rk *rk;
    perp_event_fn g;
    void *ctx;
    double width;
    double *scratch; /* count */
    int i;           /* the function, and the sign that makes it positive before its event */
    double sign;
    perp_status status;
} search;

static int evaluate(double *out, search *s, double sigma)
{
    perp_rk *rk = s->rk;
    s->status = perp_rk_dense(s->root->x, rk, sigma);
    if (s->status == PERP_SOLVED)
        s->status = s->g(out, s->ctx, rk->t + sigma * rk->h, s->root->x);
    s->root->evaluations++;
    return s->status == PERP_SOLVED;
}

/* The function, with its sign; NAN where it failed. */
static double value(search *s, double sigma)
{
    return evaluate(s->scratch, s, sigma) ? s->sign * s->scratch[s->i] : NAN;
}

/* Narrows [*a, *b], fa > 0 >= fb, to the width: Illinois, kept off both ends by half a width, and
 * by more each time that the same end moves: within the noise of f it would crawl. */
static void bracket(search *s, double *a, double fa, double *b, double fb)
{
    int side = 0;
    double off = 0.5 * s->width;
    for (int k = 0; k<ROOT_ITERATIONS && * b - *a> s->width; k++) {
        double m = *a + (*b - *a) * (fa / (fa - fb));
        if (!isfinite(m))
            m = 0.5 * (*a + *b);
        m = fmin(fmax(m, *a + off), *b - off);
        if (m <= *a || m >= *b)
            m = 0.5 * (*a + *b);
        if (m <= *a || m >= *b)
            return;
        double f = value(s, m);
        if (s->status != PERP_SOLVED)
            return;
        off = side != 0 && side == (f > 0.0 ? 1 : -1) ? 4.0 * off : 0.5 * s->width;
        if (f > 0.0) {
            *a = m;
            fa = f;
            fb = side > 0 ? 0.5 * fb : fb;
            side = 1;
        } else {
            *b = m;
            fb = f;
            fa = side < 0 ? 0.5 * fa : fa;
            side = -1;
        }
    }
}

typedef struct end {
    double at, value, slope;
} end;

/* The value at which the tangents of both ends meet: below the minimum of a convex function. */
static double tangents_meet(const end *a, const end *b)
{
    double tau = (b->value - a->value - b->slope * (b->at - a->at)) / (a->slope - b->slope);
    return a->value + a->slope * tau;
}

/* Looks between a and b, slope < 0 < slope there, for a point at which sign f <= level; 1 where
 * *at is one. */
static int dips(search *s, end a, end b, double level, double *at)
{
    for (int k = 0; k < EXTREMUM_ITERATIONS; k++) {
        double length = b.at - a.at, step = 1e-3 * length;
        if (!(tangents_meet(&a, &b) <= level) || length <= fmax(s->width, 1e-7))
            return 0;
        double m = a.at - a.slope * length / (b.slope - a.slope);
        m = fmin(fmax(m, a.at + 0.1 * length), b.at - 0.1 * length);
        double f = value(s, m), next = s->status == PERP_SOLVED ? value(s, m + step) : NAN;
        if (s->status != PERP_SOLVED)
            return 0;
        *at = f <= next ? m : m + step;
        if (fmin(f, next) <= level)
            return 1;
        end middle = {m, f, (next - f) / step};
        if (middle.slope < 0.0)
            a = middle;
        else
            b = middle;
    }
    return 0;
}

static int rises_between(search *s, end a, end b, double level, double *at)
{
    end low = {a.at, -a.value, -a.slope}, high = {b.at, -b.value, -b.slope};
    s->sign = -s->sign;
    int found = dips(s, low, high, -level, at);
    s->sign = -s->sign;
    return found;
}

static int crossed(search *s, double a, double fa, double b, double fb)
{
    bracket(s, &a, fa, &b, fb);
    perp_root *root = s->root;
    if (s->status == PERP_SOLVED && (root->which < 0 || a < root->sigma)) {
        root->which = s->i;
        root->sigma = a;
        root->after = b;
    }
    return 1;
}

/* The sample of the function at both ends of an interval, oriented. */
static void ends(const search *s, double from, double to, end *a, end *b)
{
    const double *v = s->root->samples;
    int count = s->root->count, i = s->i;
    *a = (end){from, s->sign * v[i], s->sign * v[count + i]};
    *b = (end){to, s->sign * v[2 * count + i], s->sign * v[3 * count + i]};
}

/* One that was on its near side at `a`. */
static void look_watched(search *s, const end *a, const end *b)
{
    double m;
    if (b->value <= 0.0)
        crossed(s, a->at, a->value, b->at, b->value);
    else if (a->slope < 0.0 && b->slope > 0.0 && dips(s, *a, *b, 0.0, &m))
        crossed(s, a->at, a->value, m, value(s, m));
}

/* One at its zero or past it at `a`: *state may become WATCHED. */
static void look_other(search *s, const end *a, const end *b, double tol, int strict, int *state)
{
    double m;
    if (a->slope > 0.0 && b->slope < 0.0 && b->value <= 0.0 &&
        rises_between(s, *a, *b, fmax(tol, 1e-300), &m)) {
        crossed(s, m, value(s, m), b->at, b->value);
        return;
    }
    if (s->status != PERP_SOLVED)
        return;
    if (*state == AT_ZERO && strict) {
        int leaves = b->value < -tol;
        if (!leaves && a->slope < 0.0 && b->slope > 0.0)
            leaves = dips(s, *a, *b, -1.0000001 * tol - 1e-300, &m);
        if (leaves && a->value > 0.0 && a->at > 0.0)
            crossed(s, a->at, a->value, b->at, fmin(b->value, 0.0));
        else if (leaves && (s->root->which < 0 || a->at < s->root->sigma)) {
            s->root->which = s->i;
            s->root->sigma = s->root->after = a->at;
        }
    }
    if (b->value > tol)
        *state = WATCHED;
}

static void look(search *s, double from, double to, int direction, double tol)
{
    int *state = &s->root->state[s->i];
    end a, b;
    s->sign = direction > 0 ? -1.0 : 1.0;
    ends(s, from, to, &a, &b);
    if (direction == 0 && (*state == WATCHED_BELOW || (*state == AT_ZERO && a.slope < 0.0))) {
        s->sign = -1.0;
        ends(s, from, to, &a, &b);
    }
    if (*state == WATCHED || *state == WATCHED_BELOW) {
        look_watched(s, &a, &b);
        return;
    }
    look_other(s, &a, &b, tol, direction != 0, state);
    if (direction == 0 && fabs(b.value) > tol)
        *state = s->sign * b.value > 0.0 ? WATCHED : WATCHED_BELOW;
}

static void first_states(search *s, const int *direction, const double *tol)
{
    for (int i = 0; i < s->root->count; i++) {
        double g = s->root->samples[i], near = direction[i] > 0 ? -g : g;
        int *state = &s->root->state[i];
        if (fabs(g) <= tol[i])
            *state = AT_ZERO;
        else if (direction[i] == 0)
            *state = g > 0.0 ? WATCHED : WATCHED_BELOW;
        else
            *state = near > 0.0 ? WATCHED : PAST;
    }
}

/* Slopes at `from` and `to` and values at `to`; those at `from` are there. */
static int sample(search *s, double from, double to)
{
    int count = s->root->count;
    double *start = s->root->samples, *slope0 = start + count, *stop = slope0 + count;
    double *slope1 = stop + count, delta = 1e-4 * (to - from);
    if (!evaluate(stop, s, to) || !evaluate(slope0, s, from + delta) ||
        !evaluate(slope1, s, to - delta))
        return 0;
    for (int i = 0; i < count; i++) {
        slope0[i] = (slope0[i] - start[i]) / delta;
        slope1[i] = (stop[i] - slope1[i]) / delta;
    }
    return 1;
}

perp_status perp_root_first(perp_root *root, perp_rk *rk, perp_event_fn g, void *ctx,
                            const int *direction, const double *tol, double width)
{
    int count = root->count;
    search s = {root, rk,  g,          ctx, fmax(width, 1e-15), root->samples + 4 * (size_t)count,
                0,    1.0, PERP_SOLVED};
    root->which = -1;
    root->sigma = root->after = 1.0;
    if (count == 0)
        return PERP_SOLVED;
    if (!evaluate(root->samples, &s, 0.0))
        return s.status;
    first_states(&s, direction, tol);
    for (int k = 0; k < root->intervals && root->which < 0; k++) {
        double from = (double)k / root->intervals, to = (double)(k + 1) / root->intervals;
        if (!sample(&s, from, to))
            return s.status;
        for (s.i = 0; s.i < count; s.i++) {
            look(&s, from, to, direction[s.i], tol[s.i]);
            if (s.status != PERP_SOLVED)
                return s.status;
        }
        memcpy(root->samples, root->samples + 2 * (size_t)count, sizeof(double) * (size_t)count);
    }
    return PERP_SOLVED;
}
