/* SPDX-License-Identifier: BSD-3-Clause */
/* Overlaps and the gaps of joints after a step are given back in the metric of the masses, what
 * was there at its start only by and by.  With y the gaps of contacts and limits, g those of the
 * joints, d the twists that the positions move along,
 *
 *     minimise |d|_M^2 / 2,    H d + y >= 0,    G d + g = 0,
 *
 * repeated, since y and g are not linear.  Where there are joints they are eliminated by their
 * saddle system: with d = d_0 + (what Lambda moves), d_0 from g alone,
 *
 *     0 <= W Lambda + y + H d_0 perp Lambda >= 0,
 *
 * W from half solves.  Of the contacts only those that overlap, or nearly do, have rows; the others
 * are looked at in the next pass.  Large islands without joints, and all where very many rows would
 * make W too large, are left to the general projection of positions, which does the same. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/integrators/projection_matrix.h"
#include "kernel/laws/law.h"
#include "kernel/step/stepper.h"

/* Rows of a W that is worth making, and that there is memory for from the first on. */
enum { MOST_ROWS = 1000, FEW_ROWS = 48 };
/* Contacts of an island without joints for which W is made. */
enum { SMALL = 100 };
/* Gaps below so many times the largest violation have rows.  Part of a violation at the start that
 * may stay; part that a solve may leave. */
static const double NEAR = 10.0, KEEP = 0.3, PART = 1e-3;
/* Of what may stay: corrections end there. */
static const double OF_SLACK = 0.5;
/* Corrections go on to so many times the number of the scheme while one of so many leaves this part
 * of the least violation: normals of curved bodies turn in them. */
enum { MORE_PASSES = 10, IDLE_PASSES = 12 };
static const double SLOWLY = 0.8;
/* What joints leave of the mobility of a row that they hold. */
static const double HELD = 1e-13;
/* Of a body in one displacement: turn, and move in units of the largest violation. */
static const double LARGEST_TURN = 0.5, LARGEST_MOVE = 100.0, LEAST_PART = 1e-3;

/* Rows that share no system or joints with the others are a problem of their own.  first, rows: of
 * such a group in the list of the rows. */
typedef struct group {
    int first, rows;
} group;

#define GROW(dg, array, capacity, count)                                                           \
    perp_pool_grow((dg)->pool, (void **)&(dg)->overlap.array, &(dg)->overlap.capacity, (count),    \
                   sizeof *(dg)->overlap.array)

/* Angles and lengths are one size: that of the arms of the joints. */
static double length_of(const perp_dg *dg, const perp_dg_overlap *row)
{
    return perp_dg_row_length(dg, row->link, row->component);
}

static double excess(const perp_link *link, int i)
{
    return link->y[i] - KEEP * fmin(0.0, link->y_start[i]);
}

static int is_contact(const perp_link *link)
{
    return perp_law_is_impact(&link->law) && perp_projection_takes(link);
}

static int is_of_large(const void *ctx, const perp_link *link)
{
    const perp_dg *dg = ctx;
    return perp_dg_island_of(dg, link->systems[0])->large;
}

static int is_of_small(const void *ctx, const perp_link *link)
{
    return !is_of_large(ctx, link);
}

/* With restitution those that took part alone: the others are the impacts of the next step. */
static int is_wanted(const perp_dg *dg, const perp_link *link, int r)
{
    return is_contact(link) && !is_of_large(dg, link) &&
           (!(link->law.e > 0.0) || (link->active && link->on[r]));
}

/* Which islands are large; 0: memory is out. */
static int find_islands(perp_dg *dg)
{
    if (!perp_dg_find_islands(dg, dg->links, dg->nlinks))
        return 0;
    dg->overlap.joined = dg->njoints > 0;
    dg->overlap.large = 0;
    for (int k = 0; k < dg->nsystems; k++)
        dg->islands[k] = (perp_dg_island){0};
    for (int k = 0; k < dg->nlinks; k++)
        if (is_contact(dg->links[k]))
            perp_dg_island_of(dg, dg->links[k]->systems[0])->links += dg->links[k]->relations;
    for (int k = 0; k < dg->nsystems; k++) {
        perp_dg_island *island = perp_dg_island_of(dg, dg->systems[k]);
        island->large = island->links > SMALL;
        dg->overlap.joined |= island->links > 0 && !island->large;
    }
    for (int k = 0; k < dg->njoints; k++)
        perp_dg_island_of(dg, dg->joints[k]->systems[0])->large = 0;
    for (int k = 0; k < dg->nsystems; k++)
        dg->overlap.large |= perp_dg_island_of(dg, dg->systems[k])->large;
    return 1;
}

static void note_violation(perp_dg *dg, const perp_link *link, int row, double violation,
                           double *worst)
{
    double arm = perp_joint_row_turns(link, row) ? perp_dg_arm(dg) : 1.0;
    *worst = fmax(*worst, violation * arm);
    dg->overlap.over = fmax(dg->overlap.over, violation / perp_dg_may_stay(dg, link));
}

/* y of all contacts and joints at the end, and the largest violation as a length; overlap.over has
 * it in units of what may stay. */
static perp_status look(perp_step *step, perp_dg *dg, double *worst)
{
    *worst = dg->overlap.over = 0.0;
    for (int k = 0; k < dg->njoints + dg->nlinks; k++) {
        perp_link *link = k < dg->njoints ? dg->joints[k] : dg->links[k - dg->njoints];
        int joint = k < dg->njoints;
        if (!joint && (!is_contact(link) || is_of_large(dg, link)))
            continue;
        const double *x = perp_link_gather_x(link, PERP_NOW);
        if (perp_link_output(link->y, link, step->t_end, x, link->lambda))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
        for (int i = 0; joint && i < link->rows; i++) {
            double gap = link->y[i] - KEEP * link->y_start[i];
            dg->gap[link->first_row + i] = -gap;
            note_violation(dg, link, i, fabs(gap), worst);
        }
        for (int r = 0; !joint && r < link->relations; r++) {
            if (!is_wanted(dg, link, r))
                continue;
            int row = r * link->law.dim;
            note_violation(dg, link, row, -excess(link, row), worst);
        }
    }
    return PERP_SOLVED;
}

static group group_of(const perp_dg *dg, int k)
{
    const perp_link_groups *groups = &dg->overlap.groups;
    return (group){groups->first[k], groups->first[k + 1] - groups->first[k]};
}

/* Memory for W, q and solutions; 0 when it is out. */
static int reserve(perp_dg *dg, int wanted)
{
    int rows = dg->overlap.rows, few = wanted < FEW_ROWS ? wanted : FEW_ROWS, n = few;
    for (int k = 0; k < dg->overlap.groups.count; k++)
        n = group_of(dg, k).rows > n ? group_of(dg, k).rows : n;
    int all = rows < few ? few : rows;
    return perp_one_step_grow_rows(&dg->overlap.one, n) && GROW(dg, W, capacity_W, n * n) &&
           GROW(dg, row, capacity_row, all) && GROW(dg, z, capacity_z, all) &&
           GROW(dg, w, capacity_w, all);
}

/* The rows in the order of their groups; 0 when memory is out. */
static int sort_rows(perp_dg *dg)
{
    perp_dg_overlaps *o = &dg->overlap;
    if (!GROW(dg, link, capacity_link, o->rows) || !GROW(dg, listed, capacity_listed, o->rows))
        return 0;
    for (int k = 0; k < o->rows; k++) {
        o->listed[k] = o->row[k];
        o->link[k] = o->row[k].link;
    }
    if (!perp_link_groups_find(&o->groups, dg->pool, o->link, o->rows,
                               dg->njoints > 0 ? &dg->saddle : NULL))
        return 0;
    for (int k = 0; k < o->rows; k++)
        o->row[k] = o->listed[o->groups.member[k]];
    return 1;
}

static int groups_fit(const perp_dg *dg)
{
    for (int k = 0; k < dg->overlap.groups.count; k++)
        if (group_of(dg, k).rows > MOST_ROWS)
            return 0;
    return 1;
}

/* Rows of what overlaps by `worst` at most; 0 when memory is out. */
static int list_rows(perp_dg *dg, double worst)
{
    int wanted = 0;
    dg->overlap.rows = 0;
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        for (int r = 0; r < link->relations; r++) {
            int i = r * link->law.dim;
            if (!is_wanted(dg, link, r))
                continue;
            wanted++;
            perp_dg_overlap row = {link, i, 0};
            if (excess(link, i) * length_of(dg, &row) > NEAR * worst)
                continue;
            if (!GROW(dg, row, capacity_row, dg->overlap.rows + 1))
                return 0;
            dg->overlap.row[dg->overlap.rows++] = row;
        }
    }
    return sort_rows(dg) && (!groups_fit(dg) || reserve(dg, wanted));
}

/* Masses, the factors of the joints, and the Jacobians of the rows at the end of the step. */
static perp_status linearise(perp_step *step, perp_dg *dg)
{
    perp_status status = perp_dg_set_masses(step, dg, PERP_NOW);
    const perp_link *last = NULL;
    for (int k = 0; k < dg->overlap.rows && status == PERP_SOLVED; k++) {
        perp_link *link = dg->overlap.row[k].link;
        if (link != last && perp_link_jacobian(link->H, link, step->t_end,
                                               perp_link_gather_x(link, PERP_NOW), link->lambda))
            status = perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
        last = link;
    }
    return status;
}

/* work of the systems = d, with these multipliers of the rows; NULL: of the joints alone. */
static void displace(perp_dg *dg, const double *z)
{
    for (int k = 0; k < dg->nsystems; k++)
        memset(dg->systems[k]->residual, 0, sizeof(double) * (size_t)dg->systems[k]->nv);
    for (int k = 0; z && k < dg->overlap.rows; k++) {
        const perp_link *link = dg->overlap.row[k].link;
        const double *H = link->H + dg->overlap.row[k].component;
        for (int m = 0; m < link->nsystems; m++)
            for (int j = 0; j < link->systems[m]->nv; j++, H += link->rows)
                link->systems[m]->residual[j] += *H * z[k];
    }
    perp_dg_increment(dg);
}

/* y + H d_0, d_0 being the displacement. */
static void fill_q(perp_dg *dg, group g)
{
    for (int k = 0; k < g.rows; k++) {
        const perp_dg_overlap *row = &dg->overlap.row[g.first + k];
        const perp_link *link = row->link;
        const double *H = link->H + row->component;
        double sum = excess(link, row->component);
        for (int m = 0; m < link->nsystems; m++)
            for (int j = 0; j < link->systems[m]->nv; j++, H += link->rows)
                sum += *H * link->systems[m]->work[j];
        dg->overlap.one.q[k] = sum;
    }
}

/* Columns M^-1 H' one after the other, as if there were no joints. */
static int solve_free(perp_dg *dg, group g)
{
    int at = 0;
    for (int k = 0; k < g.rows; k++) {
        perp_dg_overlap *row = &dg->overlap.row[g.first + k];
        const double *H = row->link->H + row->component;
        row->solved = at;
        if (!GROW(dg, solved, capacity_solved, at + row->link->nv))
            return 0;
        for (int m = 0; m < row->link->nsystems; m++) {
            perp_system *s = row->link->systems[m];
            for (int j = 0; j < s->nv; j++, H += row->link->rows)
                dg->overlap.solved[at + j] = *H;
            perp_system_solve(s, dg->overlap.solved + at, 1);
            at += s->nv;
        }
    }
    return 1;
}

/* Parts of systems without joints. */
static double free_product(const perp_dg *dg, const perp_dg_overlap *a, const perp_dg_overlap *b)
{
    const double *H = a->link->H + a->component;
    double sum = 0.0;
    for (int k = 0; k < a->link->nsystems; k++) {
        const perp_system *s = a->link->systems[k];
        const double *x = dg->overlap.solved + b->solved;
        for (int m = 0; m < b->link->nsystems; x += b->link->systems[m++]->nv)
            for (int j = 0; s->coupled < 0 && b->link->systems[m] == s && j < s->nv; j++)
                sum += H[j * a->link->rows] * x[j];
        H += s->nv * a->link->rows;
    }
    return sum;
}

/* A row that its joints hold: no displacement moves it, and it asks for none.  Its part of W is
 * rounding, beside what it would be without joints. */
static void leave_held(perp_dg *dg, group g)
{
    double *W = dg->overlap.W, *q = dg->overlap.one.q;
    int n = g.rows;
    for (int k = 0; k < n; k++) {
        const perp_dg_overlap *row = &dg->overlap.row[g.first + k];
        const double *x = dg->overlap.solved + row->solved;
        double sum = 0.0;
        for (int j = 0; j < row->link->nv; j++)
            sum += row->link->H[row->component + j * row->link->rows] * x[j];
        if (W[k + k * n] > HELD * sum)
            continue;
        for (int j = 0; j < n; j++)
            W[j + k * n] = W[k + j * n] = 0.0;
        W[k + k * n] = sum > 0.0 ? sum : 1.0;
        q[k] = perp_larger(q[k], 0.0);
    }
}

/* W, dense. */
static perp_status fill_matrix(perp_dg *dg, group g)
{
    perp_dg_overlaps *o = &dg->overlap;
    const perp_dg_overlap *row = o->row + g.first;
    int n = g.rows;
    perp_saddle_half_begin(&o->half, dg->pool);
    if (!solve_free(dg, g))
        return PERP_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        const perp_link *link = row[k].link;
        if (!perp_saddle_half_add(&o->half, &dg->saddle, link->systems, link->nsystems, link->H,
                                  link->rows, row[k].component, 1))
            return PERP_ERR_MEMORY;
    }
    for (int b = 0; b < n; b++)
        for (int a = b; a < n; a++) {
            double sum = free_product(dg, &row[a], &row[b]);
            perp_saddle_half_product(&sum, 1, &o->half, &dg->saddle, a, b);
            o->W[a + b * n] = o->W[b + a * n] = sum;
        }
    leave_held(dg, g);
    return perp_mat_init_dense(&o->one.problem.M, n, n, o->W, n);
}

static perp_status pose(perp_dg *dg, group g)
{
    perp_one_step *one = &dg->overlap.one;
    if (!perp_pool_grow(one->pool, (void **)&one->segments, &one->capacity_segments, 1,
                        sizeof *one->segments))
        return PERP_ERR_MEMORY;
    one->segments[0] = (perp_segment){PERP_NONNEG, 1, g.rows, {NULL, NULL}, {0, 0}};
    one->rows = g.rows;
    one->fills++;
    one->pattern++;
    fill_q(dg, g);
    one->problem.q = one->q;
    one->problem.seg = one->segments;
    one->problem.nseg = 1;
    return fill_matrix(dg, g);
}

/* Rows of angles as lengths. */
static void scale(perp_dg *dg, group g)
{
    const perp_dg_overlap *row = dg->overlap.row + g.first;
    for (int k = 0; k < g.rows; k++) {
        double length = length_of(dg, &row[k]);
        dg->overlap.one.q[k] *= length;
        for (int j = 0; length != 1.0 && j < g.rows; j++) {
            dg->overlap.W[k + j * g.rows] *= length;
            dg->overlap.W[j + k * g.rows] *= length;
        }
    }
}

/* Lambda of a group; *usable = 0: none was found. */
static perp_status solve_group(perp_step *step, perp_dg *dg, group g, double worst, int *usable)
{
    perp_status status = pose(dg, g);
    if (status != PERP_SOLVED)
        return status;
    perp_one_step *one = &dg->overlap.one;
    double largest = 0.0;
    scale(dg, g);
    one->linear = 1; /* to rounding: what a solve leaves of a gap has no derivative */
    for (int k = 0; k < one->rows; k++)
        largest = fmax(largest, fabs(one->q[k]));
    status = perp_projection_solve(one, step, fmax(1e-13, PART * worst / largest), 0, usable);
    for (int k = 0; k < one->rows; k++) {
        double length = length_of(dg, &dg->overlap.row[g.first + k]);
        dg->overlap.z[g.first + k] = one->z[k] * length;
        dg->overlap.w[g.first + k] = one->w[k] / length;
    }
    return status;
}

/* Lambda of all. */
static perp_status solve(perp_step *step, perp_dg *dg, double worst, int *usable)
{
    perp_status status = PERP_SOLVED;
    displace(dg, NULL);
    for (int k = 0; k < dg->overlap.groups.count && status == PERP_SOLVED && *usable; k++)
        status = solve_group(step, dg, group_of(dg, k), worst, usable);
    return status;
}

/* Rows that contradict each other have no small displacement, and a large one says nothing of what
 * is not linear: the part of it that does.  A light body between heavy ones is turned out of their
 * way so, pass by pass. */
static double small_part(const perp_dg *dg, double worst)
{
    double most = 1.0;
    for (int k = 0; k < dg->nsystems; k++) {
        const perp_system *s = dg->systems[k];
        for (int i = 0; s->kind == PERP_SYSTEM_BODY && i < 6; i++)
            most =
                perp_larger(most, fabs(s->work[i]) / (i < 3 ? LARGEST_MOVE * worst : LARGEST_TURN));
    }
    return 1.0 / most;
}

/* Positions along the part of the displacement. */
static void move_by(perp_step *step, perp_dg *dg, double part)
{
    dg->overlap.part = part;
    perp_dg_show(step, dg, PERP_PART_SEPARATED);
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        perp_system_move(s->q[PERP_NOW], s, s->q[PERP_NOW], s->work, part);
    }
}

/* *usable = 0: the positions are left as they are, or as they were before a part of a displacement
 * that was for nothing. */
static perp_status apply(perp_step *step, perp_dg *dg, double worst, int *usable)
{
    double left = 0.0;
    displace(dg, dg->overlap.rows > 0 ? dg->overlap.z : NULL);
    double part = small_part(dg, worst);
    *usable = part >= LEAST_PART;
    if (!*usable)
        return PERP_SOLVED;
    move_by(step, dg, part);
    if (part == 1.0)
        return PERP_SOLVED;
    perp_status status = look(step, dg, &left);
    *usable = left <= (1.0 - 0.5 * part) * worst;
    if (status == PERP_SOLVED && !*usable)
        move_by(step, dg, -part);
    return status;
}

/* The positions of least violation so far; 0: memory is out. */
static int keep_best(perp_dg *dg)
{
    int at = 0;
    for (int k = 0; k < dg->nsystems; k++)
        at += dg->systems[k]->nq;
    if (!GROW(dg, best, capacity_best, at))
        return 0;
    double *best = dg->overlap.best;
    for (int k = 0; k < dg->nsystems; best += dg->systems[k++]->nq)
        memcpy(best, dg->systems[k]->q[PERP_NOW], sizeof(double) * (size_t)dg->systems[k]->nq);
    return 1;
}

static perp_status take_best(perp_step *step, perp_dg *dg, double *left)
{
    const double *best = dg->overlap.best;
    dg->overlap.part = 0.0;
    perp_dg_show(step, dg, PERP_PART_SEPARATED);
    for (int k = 0; k < dg->nsystems; best += dg->systems[k++]->nq)
        memcpy(dg->systems[k]->q[PERP_NOW], best, sizeof(double) * (size_t)dg->systems[k]->nq);
    return look(step, dg, left);
}

/* One correction of violations up to `worst`; *done = 0: too many rows. */
static perp_status correct_joined(perp_step *step, perp_dg *dg, double worst, int *usable,
                                  int *done)
{
    if (!list_rows(dg, worst))
        return PERP_ERR_MEMORY;
    *done = groups_fit(dg);
    if (!*done)
        return PERP_SOLVED;
    perp_status status = linearise(step, dg);
    if (status == PERP_SOLVED && dg->overlap.rows > 0)
        status = solve(step, dg, worst, usable);
    return status == PERP_SOLVED && *usable ? apply(step, dg, worst, usable) : status;
}

/* With the joints eliminated.  *done = 0: too many rows. */
static perp_status separate_joined(perp_step *step, perp_dg *dg, int *done)
{
    double left = 0.0, least = HUGE_VAL;
    int usable = 1, idle = 0, passes = dg->scheme->projection_iter;
    *done = 1;
    for (int pass = 0;; pass++) {
        perp_status status = look(step, dg, &left);
        idle = left > SLOWLY * least ? idle + 1 : 0;
        int over = pass >= passes && (pass >= MORE_PASSES * passes || idle >= IDLE_PASSES);
        if (status != PERP_SOLVED || dg->overlap.over <= OF_SLACK)
            return status;
        if (left < least && !keep_best(dg))
            return PERP_ERR_MEMORY;
        least = fmin(least, left);
        if (!over && usable)
            status = correct_joined(step, dg, left, &usable, done);
        if (status != PERP_SOLVED || !*done)
            return status;
        if (over || !usable)
            return left > least ? take_best(step, dg, &left) : PERP_SOLVED;
    }
}

/* By the general projection; but for what `leaves` says. */
static perp_status separate_all(perp_step *step, perp_dg *dg, int scheme,
                                int (*leaves)(const void *, const perp_link *), double *left)
{
    const perp_projection_options options = {.contacts = PERP_PROJECT_ACTIVE_IF_BOUNCING,
                                             .metric = PERP_METRIC_MASS,
                                             .tol = OF_SLACK * dg->scheme->projection_tol,
                                             .of_slack = OF_SLACK,
                                             .passes = dg->scheme->projection_iter,
                                             .sweep_tol = 1e-2,
                                             .part = PART,
                                             .keep = KEEP,
                                             .leaves = leaves,
                                             .ctx = dg};
    perp_projection_report report = {0};
    if (!dg->projection)
        dg->projection = perp_projection_make(dg->pool);
    if (!dg->projection)
        return PERP_ERR_MEMORY;
    perp_status status = perp_project(step, scheme, dg->projection, &options, &report);
    *left = OF_SLACK * report.over;
    return status;
}

perp_status perp_dg_separate(perp_step *step, perp_dg *dg, int scheme, double *left)
{
    int done = 1;
    double others = 0.0;
    perp_status status = find_islands(dg) ? PERP_SOLVED : PERP_ERR_MEMORY;
    *left = dg->overlap.over = 0.0;
    if (status == PERP_SOLVED && dg->overlap.joined)
        status = separate_joined(step, dg, &done);
    *left = dg->overlap.over;
    if (status == PERP_SOLVED && !done)
        status = separate_all(step, dg, scheme, NULL, left);
    else if (status == PERP_SOLVED && dg->overlap.large)
        status = separate_all(step, dg, scheme, is_of_small, &others);
    *left = fmax(*left, others);
    return status == PERP_ERR_MEMORY ? perp_step_refuse(step, status, NULL, -1, NULL) : status;
}
