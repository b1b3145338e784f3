/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/enumeration/tree.h"

#include <math.h>
#include <string.h>

#include "solvers/enumeration/units.h"

/* A mode holds where the values miss it by this, in scaled units. */
static const double mode_slack = 1e-9;
/* A piece is more than a point where a variable moves by this. */
static const double piece_width[] = {1.0, 1e-3, 1e-6};
/* A unit that was fixed, and the modes of it that were tried. */
typedef struct level {
    int unit, mode, mark;
    unsigned tried;
} level;

typedef struct saved {
    int variable;
    double lo, hi;
} saved;

struct perp_tree {
    perp_dictionary d;
    int n, units;
    perp_unit *unit;
    int *fixed; /* units: 1 + mode, 0 while open */
    level *path;
    int depth;
    saved *trail; /* bounds as they were */
    int marks;
    double *middle; /* all variables: a point inside a piece */
    /* of the current search */
    perp_work *work;
    int every, iteration;
    double error;
    perp_tree_visit visit;
    void *ctx;
    perp_tree_end end;
};

int perp_tree_rows(const perp_blocks *blocks)
{
    int rows;
    perp_units_count(blocks, &rows);
    return rows;
}

perp_tree *perp_tree_take(const perp_work *work)
{
    perp_arena *arena = work->arena;
    perp_tree *tree = perp_arena_take_zero(arena, 1, sizeof *tree);
    int rows, units = perp_units_count(&work->blocks, &rows);
    if (!tree || !perp_dictionary_take(&tree->d, rows, work->blocks.n, arena))
        return NULL;
    tree->n = work->blocks.n;
    tree->units = units;
    tree->unit = PERP_TAKE(arena, perp_unit, units);
    tree->fixed = PERP_TAKE(arena, int, units);
    tree->path = PERP_TAKE(arena, level, units + 1);
    tree->trail = perp_arena_take(arena, (size_t)units * PERP_UNIT_BOUNDS + 1, sizeof(saved));
    tree->middle = PERP_TAKE(arena, double, rows + work->blocks.n);
    return arena->failed ? NULL : tree;
}

/* Adds bounds, keeping the present ones for the way back. */
static void narrow(perp_tree *tree, const perp_bound *bound)
{
    perp_dictionary *d = &tree->d;
    int v = bound->variable;
    tree->trail[tree->marks++] = (saved){v, d->lo[v], d->hi[v]};
    perp_dictionary_bound(d, v, fmax(d->lo[v], bound->lo), fmin(d->hi[v], bound->hi));
}

static void widen(perp_tree *tree, int mark)
{
    while (tree->marks > mark) {
        const saved *s = &tree->trail[--tree->marks];
        tree->d.lo[s->variable] = s->lo;
        tree->d.hi[s->variable] = s->hi;
    }
}

/* The untried mode that the values miss least; -1: none. */
static int nearest_mode(const perp_tree *tree, int k, unsigned tried, double *miss)
{
    int best = -1;
    for (int m = 0; m < tree->unit[k].modes; m++) {
        double by = tried >> m & 1 ? INFINITY : perp_unit_miss(&tree->unit[k], m, tree->d.value);
        if (!(tried >> m & 1) && (best < 0 || by < *miss)) {
            best = m;
            *miss = by;
        }
    }
    return best;
}

/* The open unit that is farthest from all of its modes; -1: every unit is fixed. */
static int worst_unit(const perp_tree *tree, double *miss)
{
    int worst = -1;
    for (int k = 0; k < tree->units; k++) {
        double by = 0.0;
        if (tree->fixed[k] || tree->unit[k].modes == 0)
            continue;
        nearest_mode(tree, k, 0, &by);
        if (worst < 0 || by > *miss) {
            worst = k;
            *miss = by;
        }
    }
    return worst;
}

static void values_to_z(perp_tree *tree, const double *value)
{
    for (int i = 0; i < tree->n; i++)
        tree->work->z[i] = value[i] * tree->d.scale[i];
}

/* 1: these values give a z within the tolerance. */
static int is_solution(perp_tree *tree, const double *value)
{
    perp_work *work = tree->work;
    values_to_z(tree, value);
    for (int i = 0; i < tree->n; i++)
        if (!isfinite(work->z[i]))
            return 0;
    tree->error = perp_measure(work, work->z);
    return tree->error <= work->settings->tol;
}

/* The same once more where the values come from a fresh basis. */
static int is_solution_at_last(perp_tree *tree)
{
    if (is_solution(tree, tree->d.value))
        return 1;
    perp_dictionary_refresh(&tree->d);
    return perp_dictionary_check(&tree->d) == PERP_FEASIBLE && is_solution(tree, tree->d.value);
}

/* 1: the nonbasic variable v can go beyond x + step; the values there are added to the middle. */
static int can_reach(perp_tree *tree, int v, double x, double step)
{
    perp_dictionary *d = &tree->d;
    double old_lo = d->lo[v], old_hi = d->hi[v], to = x + step * fmax(1.0, fabs(x));
    double lo = step > 0.0 ? to : old_lo, hi = step > 0.0 ? old_hi : to;
    if (!(lo <= old_hi && hi >= old_lo))
        return 0;
    perp_dictionary_bound(d, v, lo, hi);
    int reached = perp_dictionary_check(d) == PERP_FEASIBLE;
    d->lo[v] = old_lo;
    d->hi[v] = old_hi;
    for (int i = 0; reached && i < d->rows + d->cols; i++)
        tree->middle[i] += d->value[i];
    return reached;
}

/* All modes are fixed and the values fit.  1: there are more such values; the middle of those
 * seen goes to `middle`. */
static int is_piece(perp_tree *tree)
{
    perp_dictionary *d = &tree->d;
    int all = d->rows + d->cols, points = 1;
    memcpy(tree->middle, d->value, (size_t)all * sizeof(double));
    for (int v = 0; v < d->cols; v++) {
        double x = d->value[v];
        int up = 0, down = 0;
        for (int k = 0; d->lo[v] < d->hi[v] && k < 3; k++) {
            up = up || can_reach(tree, v, x, piece_width[k]);
            down = down || can_reach(tree, v, x, -piece_width[k]);
        }
        points += up + down;
        if (perp_dictionary_check(d) != PERP_FEASIBLE)
            break;
    }
    for (int v = 0; v < all; v++)
        tree->middle[v] /= points;
    return points > 1;
}

/* Each unit is in the first of the modes that hold at `middle`. */
static int is_first(const perp_tree *tree)
{
    for (int k = 0; k < tree->units; k++)
        for (int m = 0; m < tree->fixed[k] - 1; m++)
            if (perp_unit_miss(&tree->unit[k], m, tree->middle) <= mode_slack)
                return 0;
    return 1;
}

/* All modes are fixed and the relaxation, which is exact now, has values.  1: stop. */
static int at_leaf(perp_tree *tree)
{
    if (!is_solution_at_last(tree)) {
        tree->end.undecided++;
        return 0;
    }
    if (!tree->every)
        return perp_stop(tree->work, tree->iteration, tree->error);
    int piece = is_piece(tree);
    if (!is_first(tree))
        return 0;
    if (!is_solution(tree, tree->middle)) {
        tree->end.undecided++;
        return 0;
    }
    return tree->visit(tree->ctx, tree->work, piece);
}

/* The root was refuted: multipliers of the rows of M, in the caller's units. */
static void keep_vector(perp_tree *tree)
{
    const perp_dictionary *d = &tree->d;
    double largest = 0.0;
    for (int i = 0; i < tree->n; i++) {
        tree->work->certificate[i] = d->lambda[i] / d->scale[d->cols + i];
        largest = fmax(largest, fabs(tree->work->certificate[i]));
    }
    for (int i = 0; i < tree->n; i++)
        tree->work->certificate[i] /= largest;
    tree->end.has_vector = largest > 0.0 && isfinite(largest);
}

/* The current node.  -1: it is done with; -2: stop; else the unit to branch on. */
static int examine(perp_tree *tree)
{
    perp_dictionary *d = &tree->d;
    double miss = 0.0;
    if (perp_stop_light(tree->work, tree->iteration, tree->error))
        return -2;
    tree->end.nodes++;
    tree->iteration++;
    perp_verdict verdict = perp_dictionary_check(d);
    if (d->stopped)
        return -2;
    if (verdict == PERP_REFUTED) {
        tree->end.reach = fmin(tree->end.reach, d->reach);
        if (tree->depth == 0 && tree->work->certificate)
            keep_vector(tree);
        return -1;
    }
    int unit = worst_unit(tree, &miss);
    if (unit < 0 && verdict == PERP_UNDECIDED) {
        tree->end.undecided++;
        return -1;
    }
    if (unit < 0)
        return at_leaf(tree) ? -2 : -1;
    if (!tree->every && verdict == PERP_FEASIBLE && miss <= mode_slack &&
        is_solution(tree, d->value))
        return perp_stop(tree->work, tree->iteration, tree->error) ? -2 : unit;
    return unit;
}

/* The next mode of the deepest level, going up where it has none.  0: all are tried. */
static int advance(perp_tree *tree)
{
    while (tree->depth > 0) {
        level *top = &tree->path[tree->depth - 1];
        double miss = INFINITY;
        widen(tree, top->mark);
        int mode = nearest_mode(tree, top->unit, top->tried, &miss);
        if (mode >= 0) {
            const perp_unit *unit = &tree->unit[top->unit];
            top->tried |= 1u << mode;
            tree->fixed[top->unit] = mode + 1;
            for (int i = 0; i < unit->count[mode]; i++)
                narrow(tree, &unit->on[mode][i]);
            return 1;
        }
        tree->fixed[top->unit] = 0;
        tree->depth--;
    }
    return 0;
}

static int stop_pivots(void *ctx)
{
    perp_tree *tree = ctx;
    return perp_stop_light(tree->work, ++tree->iteration, tree->error);
}

static void start(perp_tree *tree, perp_work *work, const double *M)
{
    tree->work = work;
    tree->depth = tree->marks = 0;
    tree->end = (perp_tree_end){.reach = INFINITY};
    tree->iteration = work->info->iterations;
    tree->error = work->monitor.best;
    memset(tree->fixed, 0, (size_t)tree->units * sizeof(int));
    perp_units_write(tree->unit, &tree->d, &work->blocks, M, work->problem->q);
    perp_dictionary_start(&tree->d);
    tree->d.stop = stop_pivots;
    tree->d.stop_ctx = tree;
    tree->d.stopped = 0;
    perp_units_scale(tree->unit, tree->units, &tree->d);
}

perp_tree_end perp_tree_search(perp_tree *tree, perp_work *work, const double *M, int every,
                               perp_tree_visit visit, void *ctx)
{
    tree->every = every;
    tree->visit = visit;
    tree->ctx = ctx;
    start(tree, work, M);
    do {
        int unit = examine(tree);
        if (unit == -2) {
            tree->end.stopped = 1;
            return tree->end;
        }
        if (unit >= 0)
            tree->path[tree->depth++] = (level){unit, 0, tree->marks, 0};
    } while (advance(tree));
    work->info->iterations = tree->iteration;
    return tree->end;
}
