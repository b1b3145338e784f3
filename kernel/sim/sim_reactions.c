/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces and torques of joints.  Where joints close loops their rows may depend on each other: the
 * motion is then that of any choice of rows, and the multipliers are not determined.  Those of the
 * scheme are moved to the nearest ones to 0 with the same forces on all bodies, their part in the
 * span of the columns of H; moments count over the arm of their joint. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "core/float_environment.h"
#include "kernel/sim/sim_inside.h"
#include "kernel/step/link_groups.h"
#include "numerics/core/sized.h"

/* Parts of a vector that are rounding beside it. */
static const double DEPENDENT = 1e-9;

#define GROW(sim, array, count)                                                                    \
    perp_pool_grow(&(sim)->stepper.pool, (void **)&(sim)->reactions.array,                         \
                   &(sim)->reactions.capacity_##array, (count), sizeof *(sim)->reactions.array)

static int holds(const perp_link *link)
{
    return link->second_order && link->law.kind == PERP_LAW_EQUALITY && link->active;
}

/* Which systems joints tie together (up), and which of these islands have a loop; through the
 * world, too, which is the last node of `around`. */
static void find_loops(perp_sim *sim)
{
    perp_reactions *r = &sim->reactions;
    perp_stepper *stepper = &sim->stepper;
    int n = stepper->nsystems;
    for (int k = 0; k < n; k++) {
        stepper->systems[k]->active_head = k; /* a number, until the next step */
        r->up[k] = r->around[k] = k;
        r->loops[k] = 0;
    }
    r->around[n] = n;
    for (int k = 0; k < stepper->nlinks; k++) {
        perp_link *link = stepper->links[k];
        int first = holds(link) ? link->systems[0]->active_head : 0, world = link->nsystems < 2;
        int closed = link->nsystems > 2;
        if (!holds(link))
            continue;
        for (int i = 1; i < link->nsystems; i++) {
            closed |= !perp_class_join(r->around, first, link->systems[i]->active_head);
            perp_class_join(r->up, first, link->systems[i]->active_head);
        }
        closed |= world && !perp_class_join(r->around, first, n);
        r->dependent[k] = closed;
    }
    for (int k = 0; k < stepper->nlinks; k++)
        if (r->dependent[k])
            r->loops[perp_class_root(r->up, stepper->links[k]->systems[0]->active_head)] = 1;
    memset(r->dependent, 0, sizeof(int) * (size_t)stepper->nlinks);
}

static double weight_of(const perp_link *link, int row)
{
    double arm = link->joint ? perp_joint_arm(link) : 0.0;
    return link->joint && perp_joint_row_turns(link, row) && arm > 0.0 ? arm : 1.0;
}

/* Rows of the vectors of one island: vector j has the weight times H_ij of all its rows i. */
static int fill_vectors(perp_sim *sim, int root, int *rows, int *vectors)
{
    perp_stepper *stepper = &sim->stepper;
    perp_reactions *r = &sim->reactions;
    int n = 0, m = 0;
    for (int k = 0; k < stepper->nsystems; k++)
        if (perp_class_root(r->up, k) == root) {
            r->first[k] = m;
            m += stepper->systems[k]->nv;
        }
    for (int k = 0; k < stepper->nlinks; k++) {
        perp_link *link = stepper->links[k];
        if (holds(link) && perp_class_root(r->up, link->systems[0]->active_head) == root)
            n += link->rows;
    }
    *rows = n;
    *vectors = m;
    if (!GROW(sim, vector, n * m) || !GROW(sim, sum, 2 * n))
        return 0;
    memset(r->vector, 0, sizeof(double) * (size_t)n * (size_t)m);
    return 1;
}

static perp_status put_rows(perp_sim *sim, perp_link *link, int first, int rows)
{
    perp_reactions *r = &sim->reactions;
    const double *x = perp_link_gather_x(link, PERP_NOW);
    if (!GROW(sim, H, link->rows * link->nv))
        return PERP_ERR_MEMORY;
    if (perp_link_jacobian(r->H, link, sim->t, x, link->lambda))
        return PERP_INTERRUPTED;
    const double *H = r->H;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++, H += link->rows)
            for (int i = 0; i < link->rows; i++)
                r->vector[(size_t)(r->first[link->systems[k]->active_head] + j) * (size_t)rows +
                          (size_t)(first + i)] = weight_of(link, i) * H[i];
    return PERP_SOLVED;
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Makes the vectors orthonormal, dropping what follows from those before; how many are left. */
static int orthonormal(double *vector, int n, int m)
{
    int rank = 0;
    for (int j = 0; j < m; j++) {
        double *v = vector + (size_t)j * (size_t)n, size = sqrt(dot(v, v, n));
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < rank; k++) {
                const double *e = vector + (size_t)k * (size_t)n;
                double part = dot(e, v, n);
                for (int i = 0; i < n; i++)
                    v[i] -= part * e[i];
            }
        double left = sqrt(dot(v, v, n));
        if (!(left > DEPENDENT * size))
            continue;
        double *to = vector + (size_t)rank++ * (size_t)n;
        for (int i = 0; i < n; i++)
            to[i] = v[i] / left;
    }
    return rank;
}

/* Multipliers of one island, in the order of its links. */
static perp_status least_norm(perp_sim *sim, int root)
{
    perp_stepper *stepper = &sim->stepper;
    perp_reactions *r = &sim->reactions;
    int rows, vectors, at = 0;
    if (!fill_vectors(sim, root, &rows, &vectors))
        return PERP_ERR_MEMORY;
    double *given = r->sum, *least = r->sum + rows;
    for (int k = 0; k < stepper->nlinks; k++) {
        perp_link *link = stepper->links[k];
        if (!holds(link) || perp_class_root(r->up, link->systems[0]->active_head) != root)
            continue;
        perp_status status = put_rows(sim, link, at, rows);
        if (status != PERP_SOLVED)
            return status;
        for (int i = 0; i < link->rows; i++)
            given[at++] = link->lambda[i] / weight_of(link, i);
    }
    int rank = orthonormal(r->vector, rows, vectors);
    memset(least, 0, sizeof(double) * (size_t)rows);
    for (int k = 0; k < rank; k++) {
        const double *e = r->vector + (size_t)k * (size_t)rows;
        double part = dot(e, given, rows);
        for (int i = 0; i < rows; i++)
            least[i] += part * e[i];
    }
    at = 0;
    for (int k = 0; k < stepper->nlinks; k++) {
        perp_link *link = stepper->links[k];
        if (!holds(link) || perp_class_root(r->up, link->systems[0]->active_head) != root)
            continue;
        r->dependent[k] = rows - rank;
        for (int i = 0; i < link->rows; i++, at++)
            r->lambda[r->lambda_at[k] + i] = least[at] * weight_of(link, i);
    }
    return PERP_SOLVED;
}

/* All multipliers of the last step. */
static perp_status find_reactions(perp_sim *sim)
{
    perp_stepper *stepper = &sim->stepper;
    perp_reactions *r = &sim->reactions;
    int n = stepper->nsystems, rows = 0;
    if (!GROW(sim, up, n + 1) || !GROW(sim, around, n + 1) || !GROW(sim, loops, n + 1) ||
        !GROW(sim, first, n + 1) || !GROW(sim, lambda_at, stepper->nlinks + 1) ||
        !GROW(sim, dependent, stepper->nlinks + 1) || !GROW(sim, slot, stepper->nlinks + 1))
        return PERP_ERR_MEMORY;
    r->nlinks = stepper->nlinks;
    for (int k = 0; k < stepper->nlinks; k++) {
        r->slot[k] = stepper->links[k]->slot;
        r->lambda_at[k] = rows;
        r->dependent[k] = 0;
        rows += stepper->links[k]->rows;
    }
    if (!GROW(sim, lambda, rows))
        return PERP_ERR_MEMORY;
    for (int k = 0; k < stepper->nlinks; k++)
        memcpy(r->lambda + r->lambda_at[k], stepper->links[k]->lambda,
               sizeof(double) * (size_t)stepper->links[k]->rows);
    find_loops(sim);
    for (int k = 0; k < n; k++) {
        perp_status status = r->loops[k] ? least_norm(sim, k) : PERP_SOLVED;
        if (status != PERP_SOLVED)
            return status;
    }
    r->step = stepper->info.step;
    r->version = stepper->model->version;
    r->all = stepper->all;
    return PERP_SOLVED;
}

/* Those of what is here or, where a joint of another process is asked for whose state was loaded,
 * of all that there is. */
static perp_status renew_reactions(perp_sim *sim, const perp_link *asked)
{
    const perp_reactions *r = &sim->reactions;
    const perp_stepper *stepper = &sim->stepper;
    int all = asked->systems[0]->presence == PERP_PRESENCE_ABSENT && stepper->parts.total != NULL;
    if (r->step == stepper->info.step && r->version == stepper->model->version && r->all >= all)
        return PERP_SOLVED;
    perp_status status = all ? perp_sim_list_all(sim, 1) : PERP_SOLVED;
    if (status == PERP_SOLVED)
        status = find_reactions(sim);
    if (all)
        (void)perp_sim_list_all(sim, 0);
    return status;
}

/* Of the step or, where it was cut, of its last part. */
static double length_of(const perp_sim *sim, const perp_link *link)
{
    double kept = link->systems[0]->h_kept;
    return kept > 0.0 ? kept : sim->stepper.info.h;
}

/* The wrench of the multipliers on the first free body, about the anchor. */
static perp_status set_wrench(perp_reaction *out, perp_sim *sim, perp_link *link,
                              const double *lambda)
{
    const double *q = link->systems[0]->q[PERP_NOW];
    double p[6] = {0.0}, moment[3], arm[3],
           unit = link->law.kind == PERP_LAW_BOX ? 1.0 : 1.0 / length_of(sim, link);
    if (!GROW(sim, H, link->rows * link->nv))
        return PERP_ERR_MEMORY;
    if (perp_link_jacobian(sim->reactions.H, link, sim->t, perp_link_gather_x(link, PERP_NOW),
                           link->lambda))
        return PERP_INTERRUPTED;
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < link->rows; i++)
            p[j] += unit * sim->reactions.H[i + j * link->rows] * lambda[i];
    if (!perp_joint_anchor(out->point, link))
        memcpy(out->point, q, sizeof out->point);
    perp_quaternion_rotate(q + 3, p + 3, moment);
    for (int k = 0; k < 3; k++)
        arm[k] = out->point[k] - q[k];
    double sign = link->guide_first ? -1.0 : 1.0;
    out->force[0] = sign * p[0];
    out->force[1] = sign * p[1];
    out->force[2] = sign * p[2];
    out->moment[0] = sign * (moment[0] - (arm[1] * p[2] - arm[2] * p[1]));
    out->moment[1] = sign * (moment[1] - (arm[2] * p[0] - arm[0] * p[2]));
    out->moment[2] = sign * (moment[2] - (arm[0] * p[1] - arm[1] * p[0]));
    return PERP_SOLVED;
}

/* Systems that were never here have no scheme yet. */
static const perp_integrator *integrator_of(perp_sim *sim, const perp_link *link)
{
    const perp_system *s = link->systems[0];
    if (s->scheme < 0 && sim->stepper.parts.total) {
        (void)perp_sim_list_all(sim, 1);
        (void)perp_sim_list_all(sim, 0);
    }
    return s->scheme >= 0 ? sim->stepper.integrators[s->scheme] : NULL;
}

perp_status perp_sim_reaction(perp_sim *sim, perp_interaction_id id, perp_reaction *reaction)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !reaction)
        return PERP_ERR_ARGUMENT;
    perp_link *link = perp_model_link(sim->stepper.model, id);
    if (!link)
        return PERP_ERR_STATE;
    if (!perp_link_is_coordinate(link))
        return PERP_ERR_UNSUPPORTED;
    perp_status status = perp_sim_prepare(sim);
    if (status != PERP_SOLVED)
        return status;
    const perp_integrator *integrator = integrator_of(sim, link);
    if (!integrator || integrator->march || strcmp(integrator->name, "schatzman-paoli") == 0)
        return PERP_ERR_UNSUPPORTED;
    perp_reaction own = {.size = sizeof own};
    perp_reactions *r = &sim->reactions;
    if (sim->stepper.info.step > 0)
        status = renew_reactions(sim, link);
    for (int k = 0; sim->stepper.info.step > 0 && k < r->nlinks && status == PERP_SOLVED; k++)
        if (r->slot[k] == link->slot) {
            own.dependent = r->dependent[k];
            status = set_wrench(&own, sim, link, r->lambda + r->lambda_at[k]);
        }
    return status == PERP_SOLVED ? perp_sized_write(reaction, &own, sizeof own) : status;
}
