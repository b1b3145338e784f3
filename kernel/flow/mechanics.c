/* SPDX-License-Identifier: BSD-3-Clause */
/* States as one vector, and the four problems of the mechanics: forces at two levels, impacts,
 * projections. */
#include "kernel/flow/mechanics.h"

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/step/stepper.h"

static void copy(double *to, const double *from, int count)
{
    if (count > 0)
        memcpy(to, from, sizeof(double) * (size_t)count);
}

int perp_mechanics_takes(const perp_link *link, const char **why)
{
    *why = NULL;
    if (perp_link_has_feedthrough(link))
        *why = "y must not depend on lambda: contacts are rigid here";
    else if (perp_link_has_input(link))
        *why = "the input of the systems must be H' lambda";
    else if (perp_law_rolls(&link->law))
        *why = "rolling and torsional friction are taken by discrete-gradient and moreau-jean";
    else if (perp_law_gives_way(&link->law))
        *why = "contacts that give way have the schemes discrete-gradient and moreau-jean";
    else if (!perp_law_is_impact(&link->law) && link->law.kind != PERP_LAW_EQUALITY)
        *why = "its laws are impact, friction and equality";
    return *why == NULL;
}

perp_status perp_mechanics_accepts(const perp_link *link, const perp_scheme *scheme,
                                   const char **why)
{
    (void)scheme;
    if (perp_mechanics_takes(link, why) && link->law.kind == PERP_LAW_FRICTION &&
        link->law.dim == 3)
        *why = "events between sticking and sliding are found in 2D only: use moreau-jean";
    return *why ? PERP_ERR_UNSUPPORTED : PERP_SOLVED;
}

int perp_mechanics_is_bilateral(const perp_step *step)
{
    for (int k = 0; k < step->nlinks; k++)
        if (step->links[k]->law.kind == PERP_LAW_EQUALITY)
            return 1;
    return 0;
}

int perp_mechanics_pushes(const perp_step *step)
{
    for (int k = 0; k < step->nlinks; k++)
        for (int r = 0; r < step->links[k]->relations; r++)
            if (step->links[k]->mode[r] != PERP_MODE_OPEN)
                return 1;
    return perp_mechanics_is_bilateral(step);
}

static void no_input(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++)
        memset(step->systems[k]->p, 0, sizeof(double) * (size_t)step->systems[k]->nv);
}

void perp_mechanics_no_forces(perp_step *step)
{
    for (int k = 0; k < step->nlinks; k++) {
        memset(step->links[k]->lambda, 0, sizeof(double) * (size_t)step->links[k]->rows);
        step->links[k]->active = 0;
    }
    no_input(step);
}

double perp_mechanics_free_acceleration(const perp_step *step)
{
    double largest = 0.0;
    for (int k = 0; k < step->nsystems; k++)
        for (int i = 0; i < step->systems[k]->nv; i++)
            largest = fmax(largest, fabs(step->systems[k]->free[i]));
    return largest;
}

perp_status perp_mechanics_prepare(perp_mechanics *m, perp_step *step)
{
    perp_pool *pool = &step->stepper->pool;
    if (!m->made) {
        perp_one_step_init(&m->bilateral, pool, PERP_FORM_AUTO);
        perp_one_step_init(&m->unilateral, pool, PERP_FORM_AUTO);
        perp_one_step_init(&m->impact, pool, PERP_FORM_AUTO);
        m->bilateral.bilateral = m->unilateral.by_mode = 1;
        m->made = 1;
    }
    m->step = step;
    m->nx = m->nv = 0;
    m->from = -HUGE_VAL;
    m->until = m->corner = HUGE_VAL;
    int curve = 0;
    for (int k = 0; k < step->nsystems; k++) {
        m->nx += step->systems[k]->nq + step->systems[k]->nv;
        m->nv += step->systems[k]->nv;
    }
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        int needed = 6 * link->rows + link->N;
        curve = needed > curve ? needed : curve;
    }
    return perp_pool_grow(pool, (void **)&m->curve, &m->capacity_curve, curve, sizeof(double))
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

void perp_mechanics_release(perp_mechanics *m, perp_pool *pool)
{
    if (!m->made)
        return;
    perp_one_step_free(&m->bilateral);
    perp_one_step_free(&m->unilateral);
    perp_one_step_free(&m->impact);
    perp_pool_give(pool, m->curve);
    perp_pool_give(pool, m->last);
    perp_pool_give(pool, m->q);
}

void perp_mechanics_pack(double *x, const perp_mechanics *m)
{
    double *v = x + m->nx - m->nv;
    for (int k = 0; k < m->step->nsystems; k++) {
        const perp_system *s = m->step->systems[k];
        copy(x, s->q[PERP_NOW], s->nq);
        copy(v, s->v[PERP_NOW], s->nv);
        x += s->nq;
        v += s->nv;
    }
}

static void normalise(double *q)
{
    double square = 0.0;
    for (int i = 3; i < 7; i++)
        square += q[i] * q[i];
    if (square > 0.0)
        for (int i = 3; i < 7; i++)
            q[i] /= sqrt(square);
}

void perp_mechanics_normalise(const perp_mechanics *m, double *x)
{
    for (int k = 0; k < m->step->nsystems; k++) {
        const perp_system *s = m->step->systems[k];
        if (s->kind == PERP_SYSTEM_BODY)
            normalise(x);
        x += s->nq;
    }
}

void perp_mechanics_unpack(const perp_mechanics *m, const double *x)
{
    const double *v = x + m->nx - m->nv;
    for (int k = 0; k < m->step->nsystems; k++) {
        perp_system *s = m->step->systems[k];
        copy(s->q[PERP_NOW], x, s->nq);
        copy(s->v[PERP_NOW], v, s->nv);
        if (s->kind == PERP_SYSTEM_BODY)
            normalise(s->q[PERP_NOW]);
        x += s->nq;
        v += s->nv;
    }
}

int perp_link_is_constant(const perp_link *link)
{
    const perp_relation *r = &link->relation;
    return link->linear && r->kind == PERP_RELATION_LINEAR && !r->C_at && !r->e_at && !r->F_at;
}

/* Row i keeps its place with w = lambda. */
static void silence_row(perp_link *link, int i)
{
    for (int j = 0; j < link->nv; j++)
        link->left[i + j * link->rows] = link->right[j + i * link->nv] = 0.0;
    link->D[i + i * link->rows] = 1.0;
    link->offset[i] = 0.0;
}

/* What the rows of a problem are for. */
typedef enum purpose {
    FREE,
    FORCES,
    LAWS_ON_FORCES,
    IMPULSES,
    TOUCHING, /* positions of the relations with link->on */
    POSITIONS,
    VELOCITIES
} purpose;

static int is_on(const perp_link *link, int r, purpose what)
{
    if (link->law.kind == PERP_LAW_EQUALITY)
        return 1;
    if (what == IMPULSES || what == TOUCHING)
        return link->on[r];
    return what != FREE && link->mode[r] != PERP_MODE_OPEN;
}

/* Silences what is off; sliding rows push with F_N (H_N' - s mu H_T'). */
static void shape_rows(perp_link *link, purpose what)
{
    int dim = link->law.dim;
    for (int r = 0; r < link->relations; r++) {
        int first = r * dim;
        int sliding = what != IMPULSES && perp_link_slides(link, r) && is_on(link, r, what);
        for (int i = first; i < first + dim; i++) {
            int tangential = i > first;
            if (!is_on(link, r, what) || (tangential && (what == POSITIONS || what == TOUCHING)) ||
                (tangential && sliding && what != LAWS_ON_FORCES))
                silence_row(link, i);
        }
        if (!sliding || (what != FORCES && what != LAWS_ON_FORCES))
            continue;
        double s = link->mode[r] == PERP_MODE_FORWARD ? link->law.mu : -link->law.mu;
        for (int j = 0; j < link->nv; j++)
            link->right[j + first * link->nv] -= s * link->H[first + 1 + j * link->rows];
    }
}

static int is_whole(const perp_link *link, purpose what)
{
    for (int r = 0; r < link->relations; r++)
        if (!is_on(link, r, what) ||
            (what != IMPULSES && what != TOUCHING && perp_link_slides(link, r)))
            return 0;
    return (what != POSITIONS && what != TOUCHING) || link->law.dim == 1;
}

static int fill_jacobian(perp_link *link, double t, purpose what)
{
    int rows = link->rows, nv = link->nv, whole = is_whole(link, what);
    if (link->ready && whole)
        return 0;
    if (perp_link_jacobian(link->H, link, t, perp_link_gather_x(link, PERP_NOW), link->lambda))
        return 1;
    copy(link->left, link->H, rows * nv);
    link->symmetric = whole || !link->right;
    link->ready = whole && perp_link_is_constant(link);
    if (link->symmetric)
        return 0;
    memset(link->D, 0, sizeof(double) * (size_t)rows * (size_t)rows);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < rows; i++)
            link->right[j + i * nv] = link->left[i + j * rows];
    return 0;
}

/* left, right, D and offset of one link for one purpose. */
static perp_status rows_of(perp_mechanics *m, perp_link *link, double t, purpose what)
{
    int refused = fill_jacobian(link, t, what);
    perp_status status = PERP_SOLVED;
    if (refused)
        return PERP_INTERRUPTED;
    if (what <= LAWS_ON_FORCES) {
        /* The differences overwrite link->H, which shape_rows() needs. */
        status = perp_mechanics_curvature(link->offset, m, link, t);
        copy(link->H, link->left, link->rows * link->nv);
    } else if (what == POSITIONS || what == TOUCHING) {
        copy(link->offset, link->y, link->rows);
    } else if (perp_link_has_drift(link)) {
        refused = perp_link_drift(link->offset, link, t, perp_link_gather_x(link, PERP_NOW),
                                  link->lambda);
    } else {
        memset(link->offset, 0, sizeof(double) * (size_t)link->rows);
    }
    if (what == IMPULSES)
        copy(link->u_start, link->u, link->rows);
    link->own_restitution = what != IMPULSES;
    if (!link->symmetric)
        shape_rows(link, what);
    return refused ? PERP_INTERRUPTED : status;
}

/* M of each system, and free: M^-1 F, v or 0. */
static perp_status free_motion(perp_mechanics *m, double t, purpose what)
{
    perp_step *step = m->step;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        const double *q = s->q[PERP_NOW], *v = s->v[PERP_NOW];
        perp_status status = perp_system_iteration(s, t, q, q, v, 0.0, 0.0, NULL, 0.0);
        if (status != PERP_SOLVED)
            return status;
        if (what == IMPULSES || what == VELOCITIES) {
            copy(s->free, v, s->nv);
        } else if (what == POSITIONS || what == TOUCHING) {
            memset(s->free, 0, sizeof(double) * (size_t)s->nv);
        } else {
            if (perp_system_force(s->free, s, t, q, v))
                return PERP_INTERRUPTED;
            perp_system_solve(s, s->free, 1);
        }
    }
    return PERP_SOLVED;
}

static void choose_active(perp_mechanics *m, purpose what)
{
    for (int k = 0; k < m->step->nlinks; k++) {
        perp_link *link = m->step->links[k];
        link->active = 0;
        for (int r = 0; r < link->relations; r++)
            link->active |= is_on(link, r, what);
        if (!link->active)
            memset(link->lambda, 0, sizeof(double) * (size_t)link->rows);
    }
}

/* A number for which relations slide: with another one the parameters of the sets change. */
static unsigned long sliding(const perp_mechanics *m)
{
    unsigned long sum = 5381;
    for (int k = 0; k < m->step->nlinks; k++)
        for (int r = 0; r < m->step->links[k]->relations; r++)
            sum = 33 * sum + (unsigned long)perp_link_slides(m->step->links[k], r);
    return sum;
}

/* Where a relation slides its tangential force stands in the column of the normal one. */
static void show_friction(perp_mechanics *m)
{
    for (int k = 0; k < m->step->nlinks; k++) {
        perp_link *link = m->step->links[k];
        for (int r = 0; r < link->relations; r++) {
            double *force = link->lambda + r * link->law.dim;
            if (perp_link_slides(link, r))
                force[1] =
                    (link->mode[r] == PERP_MODE_FORWARD ? -1.0 : 1.0) * link->law.mu * force[0];
        }
    }
}

enum { PROXIMAL_STEPS = 6 };

/* M z + q = 0 by proximal steps (M + shift) z_k+1 = shift z_k - q from 0: where contacts are
 * redundant this is the solution of least norm, which is continuous in time; elsewhere two or
 * three steps end at rounding. */
static perp_status solve_bilateral(perp_mechanics *m, perp_one_step *one)
{
    const perp_stepper *stepper = m->step->stepper;
    if (!perp_pool_grow(one->pool, (void **)&m->last, &m->capacity_last, one->rows,
                        sizeof(double)) ||
        !perp_pool_grow(one->pool, (void **)&m->q, &m->capacity_q, one->rows, sizeof(double)))
        return PERP_ERR_MEMORY;
    if (m->fills != one->fills)
        m->shift = perp_one_step_shift(one, 1e-7);
    m->fills = one->fills;
    memcpy(m->q, one->q, sizeof(double) * (size_t)one->rows);
    memset(m->last, 0, sizeof(double) * (size_t)one->rows);
    /* What has faded away has no digits left to solve with. */
    double largest = 0.0;
    for (int i = 0; i < one->rows; i++)
        largest = fmax(largest, fabs(one->q[i]));
    if (largest < 1e-290) {
        memset(one->z, 0, sizeof(double) * (size_t)one->rows);
        return PERP_SOLVED;
    }
    perp_info info = {.size = sizeof info};
    for (int k = 0; k < PROXIMAL_STEPS; k++) {
        double change = 0.0, size = 0.0;
        perp_status status = perp_one_step_solve(one, NULL, &stepper->settings, 0, &info);
        if (status != PERP_SOLVED)
            return status;
        for (int i = 0; i < one->rows; i++) {
            change = fmax(change, fabs(one->z[i] - m->last[i]));
            size = fmax(size, fabs(one->z[i]));
            m->last[i] = one->z[i];
            one->q[i] = m->q[i] - m->shift * one->z[i];
        }
        if (change <= 1e-14 * size)
            break;
    }
    return PERP_SOLVED;
}

/* Impulses that were not found to the tolerance are tried once more by gs; then it is as with
 * one-step problems that are not solved. */
static perp_status solve_laws(perp_mechanics *m, perp_one_step *one, purpose what)
{
    perp_stepper *stepper = m->step->stepper;
    const char *solver = stepper->options.solver;
    for (int again = 0;; again++) {
        perp_status status =
            perp_one_step_solve(one, solver, &stepper->settings,
                                again || stepper->options.warm_start, &stepper->solver_info);
        stepper->info.solves++;
        int stopped = status > 0 && status != PERP_INTERRUPTED;
        if (again && (stopped || status == PERP_ERR_UNSUPPORTED))
            return perp_step_unsolved(m->step, stopped ? status : PERP_STALLED, one,
                                      "the impact problem was not solved");
        if (what != IMPULSES || !stopped)
            return status;
        solver = "auto";
    }
}

/* Poses and solves one problem; lambda and s->p are its answer, free the motion without it. */
static perp_status solve(perp_mechanics *m, perp_one_step *one, double t, purpose what)
{
    perp_step *step = m->step;
    perp_stepper *stepper = step->stepper;
    choose_active(m, what);
    perp_status status = free_motion(m, t, what);
    if (status == PERP_SOLVED)
        status = perp_one_step_shape(one, step->links, step->nlinks, step->systems, step->nsystems,
                                     stepper->version);
    int same = 1;
    for (int k = 0; k < one->nactive && status == PERP_SOLVED; k++) {
        int ready = one->active[k]->ready;
        status = rows_of(m, one->active[k], t, what);
        same &= ready && one->active[k]->ready;
    }
    if (status != PERP_SOLVED)
        return status;
    if (one->rows == 0) {
        no_input(step);
        return PERP_SOLVED;
    }
    if (what == LAWS_ON_FORCES && sliding(m) != m->slides) {
        m->slides = sliding(m);
        one->pattern++;
    }
    status = perp_one_step_fill(one, step->systems, step->nsystems, same);
    if (status == PERP_SOLVED && one->bilateral) {
        status = solve_bilateral(m, one);
    } else if (status == PERP_SOLVED) {
        status = solve_laws(m, one, what);
        stepper->shown = one;
        stepper->beside = 0;
    }
    if (status == PERP_SOLVED)
        perp_one_step_scatter(one, step->systems, step->nsystems);
    if (status == PERP_SOLVED && (what == FORCES || what == LAWS_ON_FORCES))
        show_friction(m);
    return status;
}

static perp_status forces(perp_mechanics *m, double t, perp_level level)
{
    perp_step *step = m->step;
    if (level == PERP_LEVEL_BILATERAL)
        return solve(m, &m->bilateral, t, FORCES);
    if (level == PERP_LEVEL_UNILATERAL)
        return solve(m, &m->unilateral, t, LAWS_ON_FORCES);
    if (level == PERP_LEVEL_NONE) {
        no_input(step);
        return free_motion(m, t, FORCES);
    }
    return solve(m, &m->bilateral, t, FREE);
}

perp_status perp_mechanics_forces(perp_mechanics *m, double t, perp_level level)
{
    return forces(m, t, level);
}

perp_status perp_mechanics_rate(double *dx, void *mechanics, double t, const double *x)
{
    perp_mechanics *m = mechanics;
    double *dv = dx + m->nx - m->nv;
    perp_mechanics_unpack(m, x);
    perp_status status = forces(m, t, m->level);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < m->step->nsystems; k++) {
        perp_system *s = m->step->systems[k];
        perp_system_rates(dx, s, s->q[PERP_NOW], s->v[PERP_NOW]);
        copy(dv, s->p, s->nv);
        perp_system_solve(s, dv, 1);
        for (int i = 0; i < s->nv; i++)
            dv[i] += s->free[i];
        dx += s->nq;
        dv += s->nv;
    }
    return PERP_SOLVED;
}

/* delta = free + W^-1 p, left in s->free. */
static void moves(perp_system *s)
{
    copy(s->work, s->p, s->nv);
    perp_system_solve(s, s->work, 1);
    for (int i = 0; i < s->nv; i++)
        s->free[i] += s->work[i];
}

perp_status perp_mechanics_impact(perp_mechanics *m, double t)
{
    perp_status status = solve(m, &m->impact, t, IMPULSES);
    for (int k = 0; k < m->step->nsystems && status == PERP_SOLVED; k++) {
        perp_system *s = m->step->systems[k];
        moves(s);
        copy(s->ledger.kept, s->v[PERP_NOW], s->nv);
        copy(s->v[PERP_NOW], s->free, s->nv);
    }
    return status == PERP_SOLVED ? perp_step_certify_impact(m->step, t) : status;
}

static perp_status project_positions(perp_mechanics *m, double t, purpose what)
{
    perp_status status = solve(m, &m->bilateral, t, what);
    for (int k = 0; k < m->step->nsystems && status == PERP_SOLVED; k++) {
        perp_system *s = m->step->systems[k];
        moves(s);
        perp_system_move(s->q[PERP_NOW], s, s->q[PERP_NOW], s->free, 1.0);
    }
    return status;
}

perp_status perp_mechanics_touch(perp_mechanics *m, double t)
{
    perp_status status = project_positions(m, t, TOUCHING);
    return status == PERP_SOLVED ? perp_step_outputs(m->step, t) : status;
}

perp_status perp_mechanics_project(perp_mechanics *m, double t)
{
    perp_status status = perp_step_outputs(m->step, t);
    if (status == PERP_SOLVED)
        status = project_positions(m, t, POSITIONS);
    if (status == PERP_SOLVED)
        status = solve(m, &m->bilateral, t, VELOCITIES);
    for (int k = 0; k < m->step->nsystems && status == PERP_SOLVED; k++) {
        perp_system *s = m->step->systems[k];
        moves(s);
        copy(s->v[PERP_NOW], s->free, s->nv);
    }
    return status;
}

/* Row i is held (normal rows of what is not OPEN, tangential ones where it sticks) and off. */
static int row_drifted(const perp_link *link, int i, double gap, double rate, int stuck)
{
    int contact = perp_law_is_impact(&link->law);
    int mode = contact ? link->mode[i / link->law.dim] : PERP_MODE_CLOSED;
    int normal = !contact || i % link->law.dim == 0;
    if (normal)
        return mode != PERP_MODE_OPEN && (fabs(link->y[i]) > gap || fabs(link->u[i]) > rate);
    return stuck && mode == PERP_MODE_CLOSED && fabs(link->u[i]) > rate;
}

int perp_mechanics_drifted(const perp_step *step, double gap, double rate, int stuck)
{
    for (int k = 0; k < step->nlinks; k++)
        for (int i = 0; i < step->links[k]->rows; i++)
            if (row_drifted(step->links[k], i, gap, rate, stuck))
                return 1;
    return 0;
}
