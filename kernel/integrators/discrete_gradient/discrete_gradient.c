/* SPDX-License-Identifier: BSD-3-Clause */
/* The discrete-gradient scheme: a step in the order of finish() below.  The equations are in
 * discrete_gradient.h; sources: [Gonzalez1996], [BetschSteinmann2002] for constraints that do no
 * work, [Tournier2015] for the geometric stiffness, [Moreau1999] for the impacts. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/clusters.h"
#include "kernel/integrators/moreau_jean.h"
#include "kernel/integrators/position_projection.h"
#include "kernel/step/stepper.h"

#define GROW(dg, array, capacity, count)                                                           \
    perp_pool_grow((dg)->pool, (void **)&(dg)->array, &(dg)->capacity, (count), sizeof *(dg)->array)

enum { MORE_CORRECTIONS = 6 };

/* newton_tol of perp_sim_options that leaves the tolerances of newton_step.c as they are. */
static const double DEFAULT_TOL = 1e-10;
/* Of the size of what touches, overlaps that may stay where projection_tol is 0: of the tolerance
 * of the solver, which leaves so much of a gap itself, and at least. */
static const double OVERLAP = 1e-3, LEAST_OVERLAP = 1e-10;

static perp_status accepts(const perp_link *link, const perp_scheme *scheme, const char **why)
{
    if (scheme->theta < 0.5) {
        *why = "theta below 1/2 is not stable where joints hold on positions";
        return PERP_ERR_UNSUPPORTED;
    }
    if (scheme->impacts == PERP_IMPACTS_POISSON && perp_law_rolls(&link->law)) {
        *why = "Poisson's law knows no rolling or torsional friction";
        return PERP_ERR_UNSUPPORTED;
    }
    return perp_mj_accepts(link, scheme, why);
}

static perp_status begin(perp_step *step, perp_system *s)
{
    if (perp_system_force(s->force, s, step->t, s->q[PERP_START], s->v[PERP_START]))
        return PERP_INTERRUPTED;
    memcpy(s->v_kept, s->v[PERP_START], sizeof(double) * (size_t)s->nv);
    return PERP_SOLVED;
}

/* The common one-step problem has nothing of this scheme. */
static perp_status leave_link(perp_step *step, perp_link *link)
{
    (void)step;
    link->active = 0;
    return PERP_SOLVED;
}

static perp_status leave_system(perp_step *step, perp_system *s)
{
    (void)step;
    (void)s;
    return PERP_SOLVED;
}

static perp_status no_residual(double *square, perp_step *step, perp_system *s)
{
    (void)square;
    (void)step;
    (void)s;
    return PERP_SOLVED;
}

static int linear(const perp_link *link, const perp_scheme *scheme)
{
    (void)link;
    (void)scheme;
    return 1;
}

static int add_link(perp_dg *dg, perp_link *link)
{
    if (perp_dg_role_of(link) == PERP_DG_JOINT) {
        if (!GROW(dg, joints, capacity_joints, dg->njoints + 1))
            return 0;
        dg->joints[dg->njoints++] = link;
        return 1;
    }
    if (!GROW(dg, links, capacity_links, dg->nlinks + 1))
        return 0;
    dg->links[dg->nlinks++] = link;
    return 1;
}

/* Mechanical systems and interactions of the scheme. */
static int make_lists(perp_step *step, perp_dg *dg, int scheme)
{
    dg->nsystems = dg->njoints = dg->nlinks = dg->dofs = 0;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        if (s->scheme != scheme || s->kind == PERP_SYSTEM_FIRST_ORDER)
            continue;
        if (!GROW(dg, systems, capacity_systems, dg->nsystems + 1))
            return 0;
        s->place = dg->nsystems;
        dg->systems[dg->nsystems++] = s;
        dg->dofs += s->nv;
        s->coupled = s->island = -1;
    }
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        if (link->second_order && link->systems[0]->scheme == scheme && !add_link(dg, link))
            return 0;
    }
    dg->open = dg->systems;
    dg->nopen = dg->nsystems;
    return GROW(dg, lanczos, capacity_lanczos, dg->dofs);
}

/* Memory that depends on the joints. */
static int reserve(perp_dg *dg)
{
    int rows = perp_saddle_rows(&dg->saddle), numbers = 0;
    for (int k = 0; k < dg->njoints; k++)
        numbers += dg->joints[k]->nv * dg->joints[k]->nv;
    return GROW(dg, gap, capacity_gap, rows) &&
           GROW(dg, stiffness, capacity_stiffness, dg->njoints) &&
           GROW(dg, stiffness_block, capacity_stiffness_block, numbers) &&
           GROW(dg, saddle_x, capacity_saddle_x, rows + perp_saddle_dofs(&dg->saddle));
}

/* Both have the same offsets. */
static perp_status shape(perp_dg *dg)
{
    perp_saddle *both[] = {&dg->moving, &dg->saddle};
    perp_status status = PERP_SOLVED;
    for (int k = 0; status == PERP_SOLVED && k < 2; k++)
        status = perp_saddle_shape(both[k], dg->pool, dg->systems, dg->nsystems, dg->joints,
                                   dg->njoints);
    return status;
}

static perp_status prepare(perp_step *step, perp_dg *dg, int scheme)
{
    dg->scheme = &step->schemes[scheme];
    dg->h = step->h;
    dg->theta = dg->scheme->theta;
    dg->version = step->stepper->listed;
    dg->nhits = dg->early = dg->gave = 0;
    dg->factors = &dg->saddle;
    dg->told = step->stepper->certificate.impacts.nstages;
    dg->slack = fmax(LEAST_OVERLAP, OVERLAP * step->stepper->settings.tol);
    dg->no_work = fmax(1e-10, 10.0 * step->stepper->settings.tol);
    dg->strictness = step->stepper->options.newton_tol / DEFAULT_TOL;
    perp_status status = make_lists(step, dg, scheme) ? PERP_SOLVED : PERP_ERR_MEMORY;
    if (status == PERP_SOLVED && dg->njoints > 0)
        status = shape(dg);
    if (status == PERP_SOLVED && dg->njoints > 0 && !reserve(dg))
        status = PERP_ERR_MEMORY;
    return status == PERP_SOLVED ? status : perp_step_refuse(step, status, NULL, -1, NULL);
}

/* First multipliers: those of the last step, as impulses of this one, of many contacts without
 * impacts.  Forces are kept between steps for laws on forces. */
static void set_multipliers(const perp_dg *dg)
{
    for (int k = 0; k < dg->njoints + dg->nlinks; k++) {
        perp_link *link = k < dg->njoints ? dg->joints[k] : dg->links[k - dg->njoints];
        perp_dg_role role = perp_dg_role_of(link);
        double unit = role == PERP_DG_INPUT ? 1.0 : perp_dg_unit(dg, link), scale = unit;
        if (role == PERP_DG_JOINT || role == PERP_DG_CONTACT)
            scale = perp_dg_since(dg, link);
        const double *last = role == PERP_DG_CONTACT ? link->smooth : link->lambda_start;
        int many = dg->nlinks >= PERP_DG_MANY;
        link->bound_scale = unit;
        for (int i = 0; i < link->rows; i++) {
            link->centre[i] = scale * last[i];
            link->lambda[i] = many ? link->centre[i] : scale * link->lambda_start[i];
        }
    }
}

static void open_links(const perp_dg *dg)
{
    for (int k = 0; k < dg->njoints + dg->nlinks; k++) {
        perp_link *link = k < dg->njoints ? dg->joints[k] : dg->links[k - dg->njoints];
        link->active = 1;
        link->own_restitution = 1;
        link->hit = -1;
        perp_dg_clear_marks(link);
        memset(link->on, 1, (size_t)link->relations);
    }
}

/* lambda without impacts, for the next step. */
static void note_smooth(const perp_dg *dg, perp_link *link)
{
    memcpy(link->smooth, link->lambda, sizeof(double) * (size_t)link->rows);
    if (link->hit < 0)
        return;
    const double *until = dg->hit_block + dg->hits[link->hit].first + 3 * link->rows;
    for (int i = 0; i < link->rows; i++)
        link->smooth[i] += until[i];
}

/* Those of the step; a contact that was struck took part in it though the problem that followed
 * may not have it. */
static void report_multipliers(const perp_dg *dg)
{
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        perp_dg_clear_marks(link);
        if (!link->active)
            memset(link->lambda, 0, sizeof(double) * (size_t)link->rows);
        for (int i = 0; i < link->rows; i++)
            link->lambda[i] /= link->bound_scale;
        link->bound_scale = 1.0;
        note_smooth(dg, link);
    }
    perp_dg_add_strikes(dg); /* of contacts that the smooth problem left out, too */
}

/* s->p += M (to - from), s->work being free. */
static perp_status add_to_input(perp_step *step, perp_system *s, perp_moment moment,
                                const double *to, const double *from)
{
    for (int i = 0; i < s->nv; i++)
        s->work[i] = to[i] - from[i];
    if (perp_system_mass_apply(s->residual, s, s->q[moment], s->work))
        return perp_step_callback_refused(step, PERP_INTERRUPTED, "system", s->slot);
    for (int i = 0; i < s->nv; i++)
        s->p[i] += s->residual[i];
    return PERP_SOLVED;
}

/* The impulses of the impacts. */
static perp_status add_impacts(perp_step *step, const perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; dg->nhits > 0 && k < dg->nsystems && status == PERP_SOLVED; k++) {
        perp_system *s = dg->systems[k];
        status = add_to_input(step, s, PERP_START, s->v_kept, s->v[PERP_START]);
    }
    return status;
}

/* Those of the slip stage and of the projection of velocities, which left the velocities before
 * them in v_kept. */
static perp_status add_corrections(perp_step *step, const perp_dg *dg, int turned)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < dg->nsystems && status == PERP_SOLVED; k++) {
        perp_system *s = dg->systems[k];
        if (s->coupled >= 0 || turned)
            status = add_to_input(step, s, PERP_NOW, s->v[PERP_NOW], s->v_kept);
    }
    return status;
}

/* Forces and velocities as at the start. */
static perp_status begin_again(perp_step *step, const perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++)
        if (begin(step, dg->systems[k]) != PERP_SOLVED)
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "system",
                                              dg->systems[k]->slot);
    return PERP_SOLVED;
}

static void first_iterate(const perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        memcpy(s->v[PERP_NOW], s->v_kept, sizeof(double) * (size_t)s->nv);
        if (s->biased)
            memset(s->bias, 0, sizeof(double) * (size_t)s->nv);
        s->biased = 0;
    }
}

void perp_dg_begin_loop(const perp_dg *dg)
{
    set_multipliers(dg);
    first_iterate(dg);
}

/* Forces at velocities whose mean with those at the end is the mean velocity of the step. */
static perp_status forces_after_impacts(perp_step *step, perp_dg *dg)
{
    for (int k = 0; dg->nhits > 0 && k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        for (int i = 0; i < s->nv; i++)
            s->residual[i] = perp_dg_start_velocity(dg, s, i);
        if (perp_system_force(s->force, s, step->t, s->q[PERP_START], s->residual))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "system", s->slot);
        for (int i = 0; i < s->nv; i++)
            if (isnan(s->force[i]))
                return perp_step_refuse(step, PERP_ERR_NUMERICAL, "system", s->slot,
                                        "its force is not a number");
    }
    return PERP_SOLVED;
}

/* Does a contact overlap at the end of the step by more than is left?  With restitution those that
 * took part alone: the others are the impacts of the next step. */
static int overlaps(perp_step *step, perp_dg *dg)
{
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        if (!perp_law_is_impact(&link->law) || perp_law_is_soft(&link->law) ||
            (!link->active && link->law.e > 0.0))
            continue;
        if (!link->active && perp_link_output(link->y, link, step->t_end,
                                              perp_link_gather_x(link, PERP_NOW), link->lambda))
            return 1; /* the projection meets the refusal again and says so */
        for (int i = 0; i < link->rows; i += link->law.dim)
            if (link->y[i] < -perp_dg_may_stay(dg, link))
                return 1;
    }
    return 0;
}

/* What takes one overlap away may close a limit that was not in the problem, and limits of many
 * turns at once take more corrections than gaps. */
static perp_status separate_all(perp_step *step, perp_dg *dg, int scheme)
{
    int again = 1;
    for (int pass = 0; again && pass < MORE_CORRECTIONS; pass++) {
        double left = 0.0;
        perp_status status = perp_dg_separate(step, dg, scheme, &left);
        if (status != PERP_SOLVED)
            return status;
        int missed = perp_dg_catch_missed(step, dg);
        if (missed < 0)
            return PERP_INTERRUPTED;
        again = missed > 0 || (dg->coordinates > 0 && left > 1.0);
    }
    return PERP_SOLVED;
}

/* Its flags become those of the whole step. */
static perp_status failed(perp_step *step, const perp_dg_share *share, perp_status status)
{
    step->halve = share->step.halve;
    step->proved = share->step.proved;
    step->speed = share->step.speed;
    step->held = share->step.held;
    step->nheld = share->step.nheld;
    return status;
}

/* Positions of contacts that overlap. */
static perp_status correct_positions(perp_step *step, perp_dg_memory *memory, int scheme)
{
    int any = 0;
    for (int c = 0; c < memory->count; c++) {
        perp_dg_share *share = &memory->of_step[c];
        share->overlaps = share->dg->gave || overlaps(&share->step, share->dg);
        any |= share->overlaps;
    }
    if (!any)
        return PERP_SOLVED;
    perp_status status = perp_step_moved(step, scheme, PERP_MOVED_POSITIONS, 0);
    for (int c = 0; c < memory->count && status == PERP_SOLVED; c++) {
        perp_dg_share *share = &memory->of_step[c];
        if (share->overlaps)
            status = separate_all(&share->step, share->dg, scheme);
        if (status != PERP_SOLVED)
            return failed(step, share, status);
    }
    return status == PERP_SOLVED ? perp_step_moved(step, scheme, PERP_MOVED_POSITIONS, 1) : status;
}

/* Joints, then slips that friction turned around. */
static perp_status correct_velocities(perp_step *step, perp_dg_memory *memory, int scheme)
{
    int any = 0;
    for (int c = 0; c < memory->count; c++) {
        perp_dg_share *share = &memory->of_step[c];
        share->turned = perp_dg_has_turned(share->dg);
        any |= share->turned || share->dg->njoints > 0;
    }
    if (!any)
        return PERP_SOLVED;
    perp_status status = perp_step_moved(step, scheme, PERP_MOVED_VELOCITIES, 0);
    for (int c = 0; c < memory->count && status == PERP_SOLVED; c++) {
        perp_dg_share *share = &memory->of_step[c];
        if (!share->turned && share->dg->njoints == 0)
            continue;
        status = perp_dg_project_velocities(&share->step, share->dg);
        if (status == PERP_SOLVED && share->turned)
            status = perp_dg_stop_slips(&share->step, share->dg);
        if (status != PERP_SOLVED)
            return failed(step, share, status);
    }
    return status == PERP_SOLVED ? perp_step_moved(step, scheme, PERP_MOVED_VELOCITIES, 1) : status;
}

/* Impacts, then the equation of motion; *repeat: once more, since the impacts would give energy. */
static perp_status move(perp_step *step, perp_dg *dg, int attempt, int *repeat)
{
    perp_status status = attempt > 0 ? begin_again(step, dg) : PERP_SOLVED;
    *repeat = 0;
    open_links(dg);
    if (status == PERP_SOLVED)
        status = perp_dg_accelerations(step, dg);
    if (status == PERP_SOLVED)
        status = perp_dg_find_dependent(step, dg);
    if (status == PERP_SOLVED)
        status = perp_dg_begin_drives(step, dg);
    if (status == PERP_SOLVED)
        status = perp_dg_impacts(step, dg, attempt);
    if (status == PERP_SOLVED)
        status = perp_dg_index_set(step, dg);
    if (status == PERP_SOLVED)
        status = forces_after_impacts(step, dg);
    if (status != PERP_SOLVED)
        return status;
    perp_dg_begin_loop(dg);
    status = perp_dg_newton(step, dg);
    return status == PERP_SOLVED ? perp_dg_judge_impacts(step, dg, repeat) : status;
}

static perp_status move_cluster(perp_dg_share *share)
{
    perp_step *step = &share->step;
    perp_dg *dg = share->dg;
    perp_status status = PERP_SOLVED;
    step->held = dg->joints;
    step->nheld = dg->njoints;
    perp_dg_set_length(dg);
    perp_dg_set_slacks(dg);
    perp_dg_show(step, dg, PERP_PART_BEGINS);
    for (int attempt = 0, repeat = 1; repeat && status == PERP_SOLVED; attempt++)
        status = move(step, dg, attempt, &repeat);
    if (status == PERP_SOLVED)
        perp_dg_show(step, dg, PERP_PART_SMOOTH);
    if (status == PERP_SOLVED)
        perp_dg_note_reversals(dg);
    return status;
}

/* The last problem of a cluster, where it has rows, is one of the step. */
static perp_status list_problem(perp_step *step)
{
    perp_stepper *stepper = step->stepper;
    const perp_one_step *shown = stepper->shown;
    stepper->shown = &stepper->one;
    if (shown == &stepper->one || shown->rows == 0)
        return PERP_SOLVED;
    if (!perp_pool_grow(&stepper->pool, (void **)&stepper->earlier, &stepper->capacity_earlier,
                        stepper->nearlier + 1, sizeof *stepper->earlier))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    stepper->earlier[stepper->nearlier++] = shown;
    return PERP_SOLVED;
}

/* In its turn: prepare() lists what was recorded before. */
static perp_status step_cluster(perp_step *step, perp_dg_share *share, int scheme, int solves)
{
    perp_status status = prepare(&share->step, share->dg, scheme);
    share->dg->solves = step->stepper->info.solves - solves;
    if (status == PERP_SOLVED && share->dg->nsystems > 0)
        status = move_cluster(share);
    return status == PERP_SOLVED ? status : failed(step, share, status);
}

/* Each from the same report: iterates are those of the cluster with the most, and rest comes to
 * all or none. */
static perp_status step_clusters(perp_step *step, perp_dg_memory *memory, int scheme)
{
    perp_stepper *stepper = step->stepper;
    double *restless = perp_step_carry(step) + PERP_CARRY_RESTLESS;
    double before = *restless, after = 0.0;
    int newton = stepper->info.newton, most = newton, solves = stepper->info.solves;
    perp_status status = PERP_SOLVED;
    memory->early = 0;
    for (int c = 0; c < memory->count && status == PERP_SOLVED; c++) {
        stepper->info.newton = newton;
        *restless = before;
        status = step_cluster(step, &memory->of_step[c], scheme, solves);
        if (status == PERP_SOLVED && memory->count > 1)
            status = list_problem(step);
        memory->early |= memory->of_step[c].dg->early;
        most = stepper->info.newton > most ? stepper->info.newton : most;
        after = fmax(after, *restless);
    }
    if (status == PERP_SOLVED && stepper->nearlier > 0)
        stepper->shown = stepper->earlier[--stepper->nearlier];
    stepper->info.newton = most;
    *restless = after;
    return status;
}

static perp_status finish(perp_step *step, int scheme, int *again)
{
    *again = 0;
    perp_dg_memory *memory = perp_dg_memory_of(step, scheme);
    if (!memory || !perp_dg_find_clusters(memory, step, scheme))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    int newton = step->stepper->info.newton;
    perp_status status = step_clusters(step, memory, scheme);
    /* The common loop had nothing to do. */
    if (step->stepper->one.nactive == 0 && step->stepper->info.newton > newton)
        step->stepper->info.newton--;
    if (status == PERP_SOLVED)
        status = perp_step_certify(step, scheme);
    for (int c = 0; c < memory->count && status == PERP_SOLVED; c++)
        status = add_impacts(&memory->of_step[c].step, memory->of_step[c].dg);
    if (status == PERP_SOLVED)
        status = correct_positions(step, memory, scheme);
    if (status == PERP_SOLVED)
        status = correct_velocities(step, memory, scheme);
    for (int c = 0; c < memory->count && status == PERP_SOLVED; c++) {
        perp_dg_share *share = &memory->of_step[c];
        status = add_corrections(&share->step, share->dg, share->turned);
        if (status == PERP_SOLVED)
            status = perp_dg_resolution(&share->step, share->dg);
        if (status == PERP_SOLVED)
            report_multipliers(share->dg);
        else
            status = failed(step, share, status);
    }
    return status;
}

static void accepted(perp_step *step, perp_system *s)
{
    s->h_kept = step->h;
    s->stressed -= s->stressed > 0;
}

static void defaults(perp_scheme *scheme)
{
    scheme->projection_tol = 0.0;
    scheme->projection_iter = 4;
}

static void forget(void *memory)
{
    perp_dg_forget_memory(memory);
}

static void release(void *memory, perp_pool *pool)
{
    perp_dg_release_memory(memory, pool);
}

const perp_integrator perp_discrete_gradient = {
    .name = "discrete-gradient",
    .summary =
        "joints on positions, forces along discrete gradients, contacts by their gaps: energy "
        "does not grow, impacts at their times (order 2)",
    .reads = "theta projection_tol projection_iter impacts rest",
    .kinds = 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,
    .default_for = 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,
    .accepts = accepts,
    .begin = begin,
    .activate = leave_link,
    .iterate = leave_system,
    .rows = leave_link,
    .advance = leave_system,
    .residual = no_residual,
    .output = perp_mj_output,
    .is_linear = linear,
    .finish = finish,
    .accepted = accepted,
    .defaults = defaults,
    .release = release,
    .forget = forget,
    .walk = perp_dg_walk,
    .balance = perp_dg_balance,
    .paired = perp_dg_paired,
    .certifies = 1,
    .looks_out = 1,
    .rests = 1,
};
