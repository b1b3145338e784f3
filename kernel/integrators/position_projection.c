/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/integrators/position_projection.h"

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/integrators/projection_matrix.h"
#include "kernel/laws/law.h"
#include "kernel/step/stepper.h"

#define GROW PERP_PROJECTION_GROW

/* From so many rows on factorisations cost more than overlaps that sweeps leave to the next step:
 * so many sweeps, that need not end, make up to so many corrections, some ones and not the least.
 */
enum { MANY_ROWS = 6000, SWEEPS = 200, SWEPT_PASSES = 8 };
/* From so many rows on a few sweeps are the start of the solver that finds the least correction. */
enum { FEW_ROWS = 100, FIRST_SWEEPS = 20 };
/* Of the user: from it on he wants no digits that only rounding has. */
static const double ROUGH_TOL = 1e-6;
/* Newton's method ends at rounding in some ten steps, or stands a little above it for ever where
 * bodies touch at more points than hold them. */
enum { NEWTON_STEPS = 60 };
/* Of rows that contradict each other: Lambda only grows in more sweeps. */
enum { CONTRADICTED_SWEEPS = 200 };

int perp_projection_takes(const perp_link *link)
{
    return (perp_law_is_impact(&link->law) || link->law.kind == PERP_LAW_EQUALITY) &&
           !perp_link_has_feedthrough(link) && !perp_law_is_soft(&link->law);
}

perp_projection *perp_projection_make(perp_pool *pool)
{
    perp_projection *p = perp_pool_take(pool, sizeof *p);
    if (p)
        perp_one_step_init(&p->one, pool, PERP_FORM_AUTO);
    return p;
}

static void release(perp_projection *p)
{
    perp_mass_destroy(p->mass);
    perp_one_step_free(&p->one);
}

void perp_projection_free(perp_projection *p)
{
    if (!p)
        return;
    perp_pool *pool = p->one.pool;
    void *own[] = {p->entries,    p->touched,     p->first_dof, p->weight,     p->move,
                   p->scratch,    p->mass_column, p->mass_row,  p->mass_x,     p->dense,
                   p->one.q,      p->one.z,       p->one.w,     p->one.par[0], p->one.par[1],
                   p->one.par[2], p->one.column,  p->one.index, p->one.x,      p->one.segments};
    release(p);
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
        perp_pool_give(pool, own[k]);
    perp_pool_give(pool, p);
}

void perp_projection_forget(perp_projection *p)
{
    if (p)
        perp_one_step_forget(&p->one);
}

void perp_projection_release(void *memory, perp_pool *pool)
{
    (void)pool;
    release(memory);
}

void perp_projection_forget_memory(void *memory)
{
    perp_projection_forget(memory);
}

/* Gives the systems of a link their places among the coordinates. */
static int touch(perp_projection *p, const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        int *first = &p->first_dof[s->slot];
        if (*first >= 0)
            continue;
        if (!GROW(p->one.pool, p, touched, capacity_touched, p->ntouched + 1))
            return 0;
        p->touched[p->ntouched++] = s;
        *first = p->dofs;
        p->dofs += perp_projection_width(p, s);
    }
    return 1;
}

static int add_row(perp_projection *p, perp_projection_row row)
{
    if (!GROW(p->one.pool, p, entries, capacity_entries, p->rows + 1))
        return 0;
    p->entries[p->rows++] = row;
    return 1;
}

static int is_active(const perp_link *link, int r)
{
    return link->active && link->on[r];
}

static int is_wanted(const perp_link *link, int r, const perp_projection_options *options)
{
    if (is_active(link, r) || link->law.kind == PERP_LAW_EQUALITY)
        return 1;
    return options->contacts == PERP_PROJECT_ALL ||
           (options->contacts == PERP_PROJECT_ACTIVE_IF_BOUNCING && !(link->law.e > 0.0));
}

/* Rows of the relations that are equalities (free = 1), or are not. */
static int list_links(perp_projection *p, const perp_step *step, int scheme,
                      const perp_projection_options *options, int free)
{
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        if (link->systems[0]->scheme != scheme || !perp_projection_takes(link) ||
            (options->leaves && options->leaves(options->ctx, link)))
            continue;
        for (int r = 0; r < link->relations; r++) {
            int bilateral =
                link->law.kind == PERP_LAW_EQUALITY || (options->equalities && is_active(link, r));
            if (bilateral != free || !is_wanted(link, r, options))
                continue;
            if (!touch(p, link) ||
                !add_row(p, (perp_projection_row){link, NULL, r * link->law.dim, free}))
                return 0;
        }
    }
    return 1;
}

/* Rows: equalities, inequalities, |Q| of the bodies. */
static int list_rows(perp_projection *p, const perp_step *step, int scheme,
                     const perp_projection_options *options)
{
    p->rows = p->ntouched = p->dofs = 0;
    int slots = 0;
    for (int k = 0; k < step->nsystems; k++)
        slots = step->systems[k]->slot >= slots ? step->systems[k]->slot + 1 : slots;
    if (!GROW(p->one.pool, p, first_dof, capacity_first_dof, slots))
        return 0;
    for (int k = 0; k < slots; k++)
        p->first_dof[k] = -1;
    if (!list_links(p, step, scheme, options, 1))
        return 0;
    int bilateral = p->rows;
    if (!list_links(p, step, scheme, options, 0))
        return 0;
    int unilateral = p->rows - bilateral;
    for (int k = 0; p->metric == PERP_METRIC_Q && k < p->ntouched; k++)
        if (p->touched[k]->kind == PERP_SYSTEM_BODY &&
            !add_row(p, (perp_projection_row){NULL, p->touched[k], 0, 1}))
            return 0;
    int norms = p->rows - bilateral - unilateral;
    perp_one_step *one = &p->one;
    if (!GROW(one->pool, one, segments, capacity_segments, 3))
        return 0;
    one->nsegments = 0;
    const int counts[] = {bilateral, unilateral, norms};
    for (int k = 0; k < 3; k++)
        if (counts[k] > 0)
            one->segments[one->nsegments++] = (perp_segment){
                k == 1 ? PERP_NONNEG : PERP_FREE, 1, counts[k], {NULL, NULL}, {0, 0}};
    return 1;
}

/* y of a row, less what may stay of a violation at the start of the step. */
static double excess(const perp_projection_row *row, double keep)
{
    const perp_link *link = row->link;
    double y = link->y[row->component], start = link->y_start[row->component];
    if (keep == 0.0)
        return y;
    return y - keep * (row->free ? start : fmin(0.0, start));
}

/* The largest violation that may stay, without of_slack. */
static double tolerance(const perp_projection *p, const perp_projection_options *options)
{
    double largest = 0.0;
    for (int k = 0; options->rtol > 0.0 && k < p->ntouched; k++) {
        const perp_system *s = p->touched[k];
        for (int i = 0; i < (s->kind == PERP_SYSTEM_BODY ? 3 : s->nq); i++)
            largest = fmax(largest, fabs(s->q[PERP_NOW][i]));
    }
    return fmax(options->tol, options->rtol * largest);
}

/* one.q = y at NOW, and the largest violations. */
static int evaluate(perp_projection *p, double t, const perp_projection_options *options,
                    perp_projection_report *report)
{
    perp_one_step *one = &p->one;
    double all = tolerance(p, options);
    report->after = report->over = 0.0;
    for (int k = 0; k < p->rows; k++) {
        const perp_projection_row *row = &p->entries[k];
        perp_link *link = row->link;
        if (link && (k == 0 || p->entries[k - 1].link != link)) {
            const double *x = perp_link_gather_x(link, PERP_NOW);
            if (perp_link_output(link->y, link, t, x, link->lambda))
                return 1;
        }
        one->q[k] = link ? excess(row, options->keep) : perp_projection_norm(row->body) - 1.0;
        double violation = row->free ? fabs(one->q[k]) : -one->q[k];
        if (!(violation <= report->after) && !isnan(report->after))
            report->after = violation;
        double own = all > 0.0 || !link ? all : options->of_slack * link->slack;
        if (violation > own)
            report->over = fmax(report->over, own > 0.0 ? violation / own : HUGE_VAL);
    }
    return 0;
}

static perp_status make_problem(perp_projection *p, double t)
{
    perp_one_step *one = &p->one;
    perp_status status = perp_projection_matrix(p, t);
    one->rows = p->rows;
    one->linear = p->metric == PERP_METRIC_MASS;
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

static int worth_a_move(const perp_one_step *one, perp_status status)
{
    return status >= 0 && is_finite(one->z, one->rows);
}

/* The tolerance that leaves a part of the largest violation, or a length where that is more;
 * measures are relative to the largest gap, open or not. */
static double tolerance_of_part(const perp_projection *p, double part, double length)
{
    double largest = 0.0, violation = 0.0;
    for (int k = 0; k < p->rows; k++) {
        int free = p->entries[k].free;
        largest = fmax(largest, fabs(p->one.q[k]));
        violation = fmax(violation, free ? fabs(p->one.q[k]) : -p->one.q[k]);
    }
    return fmax(1e-13, fmax(part * violation, length) / largest);
}

/* Lambda by sweeps that need not end (*ended = 1: they did): the violation is looked at again. */
static perp_status sweep(perp_projection *p, const perp_stepper *stepper, double part, int sweeps,
                         int *usable, int *ended)
{
    perp_settings settings = stepper->settings;
    perp_info info = {.size = sizeof info};
    settings.tol = tolerance_of_part(p, part, 0.0);
    settings.max_iter = sweeps;
    p->one.linear = 0; /* which would ask for rounding */
    perp_status status = perp_one_step_solve(&p->one, "gs", &settings, 0, &info);
    *usable = worth_a_move(&p->one, status);
    *ended = status == PERP_SOLVED;
    return status == PERP_ERR_MEMORY ? status : PERP_SOLVED;
}

perp_status perp_projection_solve(perp_one_step *one, const perp_step *step, double tol, int warm,
                                  int *usable)
{
    const perp_stepper *stepper = step->stepper;
    const char *const solvers[] = {stepper->options.solver, NULL, "gs"};
    perp_settings settings = stepper->settings;
    perp_info info = {.size = sizeof info};
    int newton = one->linear && !perp_solver_fits(perp_solver_find("direct"), &one->problem);
    int limit = settings.max_iter, contradict = 0;
    settings.tol = tol;
    *usable = 0;
    for (int k = stepper->options.solver ? 0 : 1; k < 3 && !*usable; k++) {
        int brief = k == 1 && newton && (limit == 0 || limit > NEWTON_STEPS);
        settings.max_iter = brief ? NEWTON_STEPS : limit;
        if (contradict && (limit == 0 || limit > CONTRADICTED_SWEEPS))
            settings.max_iter = CONTRADICTED_SWEEPS;
        perp_status status = perp_one_step_solve(one, solvers[k], &settings, warm, &info);
        if (status == PERP_ERR_MEMORY)
            return status;
        contradict |= status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN;
        *usable = worth_a_move(one, status) &&
                  (status == PERP_SOLVED || k == 2 || warm || info.error <= tol);
    }
    return PERP_SOLVED;
}

/* May a correction leave a part of the violation? */
static int is_rough(const perp_projection *p, const perp_projection_options *options, double tol)
{
    return options->part > 0.0 &&
           (p->rows > MANY_ROWS || (p->rows > FEW_ROWS && tol >= ROUGH_TOL));
}

static double least_tolerance(const perp_projection *p, const perp_projection_options *options)
{
    double least = options->tol > 0.0 ? options->tol : HUGE_VAL;
    for (int k = 0; !(options->tol > 0.0) && k < p->rows; k++)
        if (p->entries[k].link)
            least = fmin(least, options->of_slack * p->entries[k].link->slack);
    return isfinite(least) ? least : 0.0;
}

/* To rounding, else: what a solve leaves of a gap has no derivative. */
static perp_status solve(perp_projection *p, const perp_step *step,
                         const perp_projection_options *options, int warm, int *usable)
{
    perp_one_step *one = &p->one;
    double tol = step->stepper->settings.tol;
    if (is_rough(p, options, tol)) {
        tol = tolerance_of_part(p, options->part, 0.1 * least_tolerance(p, options));
        one->linear = 0; /* which would ask for rounding */
    }
    return perp_projection_solve(one, step, tol, warm, usable);
}

/* Lambda of a correction that begins with sweeps. */
static perp_status sweep_and_solve(perp_projection *p, const perp_step *step,
                                   const perp_projection_options *options, int *usable)
{
    int many = p->rows > MANY_ROWS, ended = 0;
    int rough = !many && is_rough(p, options, step->stepper->settings.tol);
    perp_status status =
        sweep(p, step->stepper, rough ? options->part : options->sweep_tol,
              many || rough ? SWEEPS : FIRST_SWEEPS, usable, &ended);
    if (status != PERP_SOLVED || many || (rough && ended))
        return status;
    p->one.linear = 1;
    return solve(p, step, options, *usable, usable);
}

/* q moves by D C' Lambda, in coordinates or along the twist. */
static void apply(perp_step *step, int scheme, perp_projection *p)
{
    perp_projection_displacement(p, p->one.z);
    perp_step_show_part(step, scheme, PERP_PART_PROJECTED);
    for (int k = 0; k < p->ntouched; k++) {
        perp_system *s = p->touched[k];
        double *q = s->q[PERP_NOW];
        const double *move = p->move + p->first_dof[s->slot];
        if (p->metric != PERP_METRIC_Q)
            perp_system_move(q, s, q, move, 1.0);
        for (int i = 0; p->metric == PERP_METRIC_Q && i < s->nq; i++)
            q[i] += move[i];
    }
}

/* The row of |Q| keeps a move on the tangent; what that leaves is of second order and goes
 * here, so that the violation is judged on unit quaternions. */
static void normalise(perp_projection *p)
{
    for (int k = 0; p->metric == PERP_METRIC_Q && k < p->ntouched; k++)
        if (p->touched[k]->kind == PERP_SYSTEM_BODY)
            (void)perp_quaternion_normalise(p->touched[k]->q[PERP_NOW] + 3);
}

/* One correction.  *usable = 0: none was found, and q is as it was. */
static perp_status correct(perp_step *step, int scheme, perp_projection *p,
                           const perp_projection_options *options, int swept, int *usable)
{
    perp_status status = perp_projection_weights(p);
    *usable = 0;
    if (status == PERP_SOLVED)
        status = make_problem(p, step->t_end);
    if (status == PERP_SOLVED)
        status =
            swept ? sweep_and_solve(p, step, options, usable) : solve(p, step, options, 0, usable);
    if (status != PERP_SOLVED || !*usable)
        return status;
    apply(step, scheme, p);
    normalise(p);
    return PERP_SOLVED;
}

perp_status perp_project(perp_step *step, int scheme, perp_projection *p,
                         const perp_projection_options *options, perp_projection_report *report)
{
    perp_projection_report own = {0};
    p->metric = options->metric;
    if (!list_rows(p, step, scheme, options) || !perp_one_step_grow_rows(&p->one, p->rows))
        return PERP_ERR_MEMORY;
    p->one.pattern++;
    own.rows = p->rows;
    int swept = options->sweep_tol > 0.0 && p->one.nsegments == 1 && !p->entries[0].free;
    swept = swept && p->rows > FEW_ROWS ? SWEPT_PASSES : 0;
    for (int usable = p->rows > 0; usable; own.passes += usable) {
        if (evaluate(p, step->t_end, options, &own))
            return PERP_INTERRUPTED;
        if (isnan(own.after))
            return perp_step_refuse(step, PERP_ERR_NUMERICAL, "scheme", -1,
                                    "an output in the projection is not a number");
        if (own.passes == 0)
            own.before = own.after;
        int most = swept > 0 && p->rows > MANY_ROWS ? swept : options->passes + swept;
        if (!(own.over > 0.0) || own.passes >= most)
            break;
        perp_status status = correct(step, scheme, p, options, own.passes < swept, &usable);
        if (status != PERP_SOLVED)
            return status;
    }
    if (report)
        *report = own;
    return PERP_SOLVED;
}

perp_status perp_project_by_scheme(perp_step *step, int scheme, int equalities)
{
    const perp_scheme *own = &step->schemes[scheme];
    perp_projection *p = perp_step_memory(step, scheme, sizeof *p);
    if (!p)
        return PERP_ERR_MEMORY;
    if (!p->one.pool)
        perp_one_step_init(&p->one, &step->stepper->pool, PERP_FORM_AUTO);
    const perp_projection_options options = {
        .contacts = own->projection_of == PERP_PROJECTION_OF_ACTIVE ? PERP_PROJECT_ACTIVE
                                                                    : PERP_PROJECT_ALL,
        .metric = own->projection_in == PERP_PROJECTION_IN_Q ? PERP_METRIC_Q : PERP_METRIC_TWIST,
        .equalities = equalities,
        .tol = own->projection_tol,
        .passes = own->projection_iter};
    perp_status status = perp_step_moved(step, scheme, PERP_MOVED_POSITIONS, 0);
    if (status == PERP_SOLVED)
        status = perp_project(step, scheme, p, &options, NULL);
    return status == PERP_SOLVED ? perp_step_moved(step, scheme, PERP_MOVED_POSITIONS, 1) : status;
}
