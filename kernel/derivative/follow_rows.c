/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a discrete-gradient step, differentiated.  With u = G v + drift and
 * sigma = (1 - theta) (G v' + drift) - G lag the law is on
 *
 *     w = u + weight sigma - ahead sigma_0 + gap y_0 + compliance p,
 *
 * sigma_0 with the Jacobian at the start in place of G, and where the discrete gradient closes its
 * row, theta u + sigma = (y_1 - y_0)/h, so that weight = 1/theta leaves outputs alone: y_1 = 0 of
 * joints, gaps of contacts. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/derivative/stage_build.h"
#include "kernel/laws/law.h"
#include "kernel/relations/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* What of a row its law adds. */
typedef struct row_law {
    double weight, ahead, gap, compliance;
    int edge_y, edge_v; /* another form begins near: where y_0 is 0, or h sigma_0, or their sum */
} row_law;

static const char *unsupported(const perp_link *link, perp_dg_role role)
{
    if (role == PERP_DG_COMPLIANT)
        return "outputs that depend on lambda are not recorded";
    if (role == PERP_DG_INPUT)
        return "inputs of their own are not recorded";
    if (link->relation.lo || link->relation.hi)
        return "bounds of each row are not recorded";
    if (perp_law_is_impact(&link->law) && link->law.relative_compliance > 0.0)
        return "relative_compliance is not recorded";
    if (perp_link_is_found_again(link))
        return "contacts whose points are found again in each detection are not recorded";
    return NULL;
}

/* What counts as 0 of a length of this relation. */
static double small(const perp_tape *tape, const perp_link *link, double h)
{
    double largest = 0.0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        int places = s->kind == PERP_SYSTEM_BODY ? 3 : s->nq;
        for (int i = 0; i < places; i++)
            largest = fmax(largest, fabs(s->q[PERP_START][i]) + h * fabs(s->v[PERP_NOW][i]));
    }
    return tape->settings.kink * largest;
}

static row_law law_of_drive(const perp_dg *dg, const perp_link *link)
{
    const perp_law *law = &link->law;
    row_law row = {0};
    double h = dg->h, theta = dg->theta;
    int kink = 0;
    if (law->drive == PERP_DRIVE_SERVO) {
        double place = law->place > 0.0 ? law->place : link->key[0];
        double C = 1.0 / (h * (place * h * law->stiffness + law->damping));
        row.weight = 1.0 / theta;
        row.gap = C * h * law->stiffness / theta;
        row.compliance = C / theta;
    } else if (law->drive == PERP_DRIVE_PROFILE) {
        row.gap = perp_tape_profile_slope(law, h, link->y_start[0], &kink);
        row.edge_y = kink;
    }
    if (link->mode[0] & PERP_DG_BACKWARD)
        row.weight += 1.0 / theta;
    return row;
}

/* Where gaps are none (no_gap) this is the law without them, which differences of runs see. */
static row_law law_of_gap(const perp_tape *tape, const perp_dg *dg, const perp_link *link, int i,
                          double ahead)
{
    const perp_law *law = &link->law;
    double h = dg->h, theta = dg->theta, y = link->y_start[i], zero = small(tape, link, h);
    row_law row = {0};
    int on = link->on[i / law->dim], backward = link->mode[i / law->dim] & PERP_DG_BACKWARD;
    if (i % law->dim != 0) {
        row.weight = backward ? 1.0 / theta : 0.0;
    } else if (perp_law_is_soft(law)) {
        double place = law->place > 0.0 ? law->place : 1.0;
        double C = 1.0 / (h * (place * h * law->stiffness + law->damping));
        row.compliance = C / theta;
        row.weight = 1.0 / theta;
        row.gap = (y > 0.0 ? 1.0 / (place * h) : C * h * law->stiffness) / theta;
        row.edge_y = fabs(y) <= zero && law->damping > 0.0;
    } else if (on) {
        double b = ahead + fmax(y, 0.0) / h;
        row.weight = 1.0 / theta;
        row.ahead = b > 0.0 ? 0.0 : 1.0 / theta;
        row.gap = b > 0.0 && y > 0.0 ? 1.0 / (h * theta) : 0.0;
        int open = dg->smooth.w[link->first_row + i] * h > zero, switches = fabs(b) * h <= zero;
        row.edge_y = !open && (switches ? y >= -zero : b > 0.0 && fabs(y) <= zero);
        row.edge_v = !open && switches;
    }
    return row;
}

/* Matrices of the rows of a link. */
typedef struct matrices {
    double *H0, *H1, *N, *by_q, *by_v, *by_lag;
    double *T0; /* of (1 - theta) (H0 v' + drift) - H0 lag by q_k; gaps alone */
    double *H1A, *H1B;
    int *outputs; /* rows that are written by outputs alone */
    perp_tape_gradient_turn turn;
} matrices;

static int make(matrices *r, perp_tape *tape, const perp_link *link)
{
    double **all[] = {&r->H0,     &r->H1, &r->N,   &r->by_q, &r->by_v,
                      &r->by_lag, &r->T0, &r->H1A, &r->H1B};
    r->outputs = PERP_TAPE_ARRAY(tape, int, link->rows);
    int fine = r->outputs != NULL;
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        fine &= (*all[k] = perp_tape_zeros(tape, link->rows, link->nv)) != NULL;
    return fine;
}

/* Row i by outputs alone: w = (y_1 - y_0)/(h theta) + gap y_0. */
static void row_of_outputs(matrices *r, const perp_link *link, int i, const perp_dg *dg, double gap)
{
    double scale = 1.0 / (dg->h * dg->theta), late = (1.0 - dg->theta) / dg->theta;
    for (int j = 0; j < link->nv; j++) {
        int at = i + j * link->rows;
        r->N[at] = r->H1B[at];
        r->by_q[at] = scale * (r->H1A[at] - r->H0[at]) + gap * r->H0[at];
        r->by_v[at] = late * r->H1B[at];
        r->by_lag[at] = -r->H1B[at] / dg->theta;
    }
}

/* Row i by rates: the turns of G count. */
static void row_of_rates(matrices *r, const perp_link *link, int i, const perp_dg *dg, row_law law)
{
    double h = dg->h, a = h * dg->theta, late = 1.0 - dg->theta;
    const perp_tape_gradient_turn *t = &r->turn;
    for (int j = 0; j < link->nv; j++) {
        int at = i + j * link->rows;
        double G = link->left[at], by_D = t->U_D[at] + law.weight * t->S_D[at];
        r->N[at] = G + a * by_D;
        r->by_q[at] = t->U_q[at] + law.weight * t->S_q[at] + law.gap * r->H0[at];
        r->by_v[at] = h * late * by_D + law.weight * late * G;
        r->by_lag[at] = -h * by_D - law.weight * G;
    }
}

/* - ahead sigma_0. */
static void leave_start(matrices *r, const perp_link *link, int i, const perp_dg *dg, double ahead)
{
    for (int j = 0; j < link->nv && ahead != 0.0; j++) {
        int at = i + j * link->rows;
        r->by_q[at] -= ahead * r->T0[at];
        r->by_v[at] -= ahead * (1.0 - dg->theta) * r->H0[at];
        r->by_lag[at] += ahead * r->H0[at];
    }
}

/* theta u + sigma, and sigma, of row i; *size: of its terms. */
static double mean_rate(const perp_dg *dg, const perp_link *link, int i, double drift,
                        double *sigma, double *size)
{
    double mean = dg->theta * drift;
    int at = 0;
    *sigma = (1.0 - dg->theta) * drift;
    *size = fabs(drift);
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *lag = perp_dg_lag(dg, s);
        for (int j = 0; j < s->nv; j++, at++) {
            double G = link->left[i + at * link->rows];
            double before = G * ((1.0 - dg->theta) * s->v_kept[j] - (lag ? lag[j] : 0.0));
            *sigma += before;
            mean += dg->theta * G * s->v[PERP_NOW][j];
            *size += fabs(before) + fabs(G * s->v[PERP_NOW][j]);
        }
    }
    return mean + *sigma;
}

static int add_edge(perp_tape *tape, const matrices *r, const perp_link *link, int i,
                    const int *place, const perp_dg *dg, const row_law *law, double ahead)
{
    static const int regs[] = {PERP_REG_Q, PERP_REG_V, PERP_REG_LAG};
    double *of[3], h = dg->h, by_v = law->edge_v * h;
    perp_tape_stage *stage = perp_tape_add_stage(tape, PERP_STAGE_EDGE);
    if (!stage)
        return 0;
    perp_tape_row *row = &stage->as.edge;
    *row = (perp_tape_row){.nsystems = link->nsystems, .nv = link->nv, .system = place};
    for (int k = 0; k < 3; k++)
        if (!(row->of[regs[k]] = of[k] = perp_tape_zeros(tape, 1, link->nv)))
            return 0;
    for (int j = 0; j < link->nv; j++) {
        int at = i + j * link->rows;
        of[0][j] = law->edge_y * r->H0[at] + by_v * r->T0[at];
        of[1][j] = by_v * (1.0 - dg->theta) * r->H0[at];
        of[2][j] = -by_v * r->H0[at];
    }
    row->value = law->edge_y * link->y_start[i] + by_v * ahead;
    row->zero = small(tape, link, h);
    return 1;
}

static perp_status law_rows(matrices *r, perp_tape *tape, const perp_dg *dg, const perp_link *link,
                            const int *place, const double *drift, double *diagonal)
{
    for (int i = 0; i < link->rows; i++) {
        double sigma, size, mean = mean_rate(dg, link, i, drift ? drift[i] : 0.0, &sigma, &size);
        int drive = perp_dg_role_of(link) == PERP_DG_RATE;
        double ahead = link->linear ? sigma : link->ahead[i];
        row_law law = drive ? law_of_drive(dg, link) : law_of_gap(tape, dg, link, i, ahead);
        double change = (link->y[i] - link->y_start[i]) / dg->h;
        int normal = i % link->law.dim == 0;
        int closes = normal && fabs(mean - change) <= 1e-9 * (size + fabs(link->y[i]) / dg->h +
                                                              fabs(link->y_start[i]) / dg->h);
        r->outputs[i] = closes && law.weight == 1.0 / dg->theta;
        if (r->outputs[i])
            row_of_outputs(r, link, i, dg, law.gap);
        else
            row_of_rates(r, link, i, dg, law);
        leave_start(r, link, i, dg, law.ahead);
        if ((law.edge_y || law.edge_v) && !add_edge(tape, r, link, i, place, dg, &law, ahead))
            return PERP_ERR_MEMORY;
        diagonal[i] = law.compliance;
    }
    return PERP_SOLVED;
}

/* rho of the forces of a link, G' lambda, and K. */
static int forces_of(perp_tape *tape, perp_tape_part *part, const matrices *r, const perp_dg *dg)
{
    size_t entries = (size_t)part->nv * (size_t)part->nv;
    const double *L_D = r->turn.L_D;
    double *K = perp_tape_zeros(tape, part->nv, part->nv);
    double *by_v = perp_tape_zeros(tape, part->nv, part->nv);
    double *by_lag = perp_tape_zeros(tape, part->nv, part->nv);
    int nothing = r->turn.nothing;
    if (!K || !by_v || !by_lag)
        return 0;
    for (size_t k = 0; k < entries && !nothing; k++) {
        K[k] = -dg->h * dg->theta * L_D[k];
        by_v[k] = dg->h * (1.0 - dg->theta) * L_D[k];
        by_lag[k] = -dg->h * L_D[k];
    }
    part->K = nothing ? NULL : K;
    return perp_tape_add_from(tape, part, PERP_REG_Q, nothing ? NULL : r->turn.L_q, r->by_q) &&
           perp_tape_add_from(tape, part, PERP_REG_V, nothing ? NULL : by_v, r->by_v) &&
           (dg->nhits == 0 ||
            perp_tape_add_from(tape, part, PERP_REG_LAG, nothing ? NULL : by_lag, r->by_lag));
}

static perp_status jacobians(matrices *r, perp_tape *tape, const perp_step *step, const perp_dg *dg,
                             perp_link *link, const int *place, const perp_tape_turns *whole)
{
    double *x = perp_tape_work(tape, (size_t)link->N);
    if (!x)
        return PERP_ERR_MEMORY;
    perp_tape_gather_q(x, link, PERP_START);
    if (perp_link_jacobian(r->H0, link, step->t, x, link->lambda))
        return PERP_INTERRUPTED;
    perp_tape_gather_q(x, link, PERP_NOW);
    if (perp_link_jacobian(r->H1, link, step->t_end, x, link->lambda))
        return PERP_INTERRUPTED;
    perp_tape_times_turns(r->H1A, r->H1, link->rows, tape, place, link->nsystems, whole->A, 1.0);
    perp_tape_times_turns(r->H1B, r->H1, link->rows, tape, place, link->nsystems, whole->B, 1.0);
    return link->linear || !perp_law_is_impact(&link->law)
               ? PERP_SOLVED
               : perp_tape_turn_start(r->T0, tape, step, dg, link);
}

/* Number of the first parameter that is of this law, by which terms are listed. */
static int is_of(const perp_tape *tape, const perp_link *link, const perp_tape_parameter *p)
{
    const perp_model *model = tape->sim->stepper.model;
    int all = p->interaction.generation == 0;
    return p->quantity < PERP_TAPE_MASS &&
           (all || ((int)p->interaction.index == link->slot &&
                    p->interaction.generation == model->links[link->slot].generation)) &&
           perp_tape_law_has(&link->law, p->quantity);
}

/* What the offset and the compliance of a servo or spring change by with its stiffness or damping.
 */
static double spring_term(const perp_dg *dg, const perp_link *link, int i, int by_stiffness)
{
    const perp_law *law = &link->law;
    double h = dg->h, y = link->y_start[i];
    double usual = perp_law_is_soft(law) ? 1.0 : link->key[0];
    double place = law->place > 0.0 ? law->place : usual;
    double C = 1.0 / (h * (place * h * law->stiffness + law->damping));
    double way = perp_law_is_soft(law) ? fmin(y, 0.0) : y - law->target;
    double grows = by_stiffness ? -C * C * h * h * place : -C * C * h;
    double offset = grows * h * law->stiffness * way + (by_stiffness ? C * h * way : 0.0);
    return (offset + grows * link->lambda[i]) / dg->theta;
}

static double rate_term(const perp_law *law, double h, double y)
{
    int kink;
    if (law->drive == PERP_DRIVE_MOTOR)
        return -1.0;
    if (perp_tape_profile_slope(law, h, y, &kink) != 0.0)
        return 0.0;
    return law->target > y ? -1.0 : 1.0;
}

static int terms(perp_tape *tape, perp_tape_solve_stage *solve, const perp_tape_part *part,
                 const perp_dg *dg, const perp_link *link, double scale)
{
    int fine = 1, dim = link->law.dim;
    for (int k = 0; k < tape->nparameters; k++) {
        const perp_tape_parameter *p = &tape->parameters[k];
        perp_tape_quantity what = p->quantity;
        int place = perp_tape_parameter_place(&link->law, what);
        int bound = what == PERP_TAPE_LO || what == PERP_TAPE_HI;
        if (!is_of(tape, link, p))
            continue;
        for (int r = 0; r < part->blocks; r++) {
            int row = part->first + r * dim;
            double value = 0.0;
            if (place >= 0) {
                if (!bound || isfinite(what == PERP_TAPE_HI ? link->law.hi : link->law.lo))
                    fine &= perp_tape_add_term(tape, solve, k, (perp_tape_target)place,
                                               part->block + r, bound ? scale : 1.0);
            } else if (what == PERP_TAPE_RATE) {
                value = rate_term(&link->law, dg->h, link->y_start[0]);
            } else if (what == PERP_TAPE_TARGET) {
                value = -law_of_drive(dg, link).gap;
            } else if (what == PERP_TAPE_STIFFNESS || what == PERP_TAPE_DAMPING) {
                value = spring_term(dg, link, r * dim, what == PERP_TAPE_STIFFNESS);
            }
            fine &= perp_tape_add_term(tape, solve, k, PERP_TAPE_BETA, row, value);
        }
    }
    return fine;
}

/* Masses turn the direction of a corrected row. */
static int direction_terms(perp_tape *tape, perp_tape_solve_stage *solve,
                           const perp_tape_part *part, const matrices *r)
{
    int fine = 1;
    for (const perp_tape_direction *d = r->turn.by_mass; d; d = d->next) {
        const double *force = d->force;
        for (int k = 0; k < part->nsystems; k++) {
            const perp_tape_system *s = &tape->systems[part->system[k]];
            for (int j = 0; j < s->nv; j++)
                fine &= perp_tape_add_term(tape, solve, d->parameter, PERP_TAPE_RHO, s->at + j,
                                           *force++);
        }
        if (!r->outputs[d->row])
            fine &= perp_tape_add_term(tape, solve, d->parameter, PERP_TAPE_BETA,
                                       part->first + d->row, d->rate);
    }
    return fine;
}

/* Drifts of the discrete gradient, which the law has added to; NULL: none. */
static perp_status drifts(perp_tape *tape, const perp_step *step, const perp_dg *dg,
                          perp_link *link, const double **drift)
{
    *drift = NULL;
    if (!perp_link_has_drift(link))
        return PERP_SOLVED;
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv;
    double *G = perp_tape_take(tape, rows * nv + 2 * rows, sizeof *G);
    if (!G)
        return PERP_ERR_MEMORY;
    *drift = G + rows * nv;
    return perp_link_discrete_gradient(G, G + rows * nv, G + rows * nv + rows, link, step->t, dg->h,
                                       link->y_start, link->lambda)
               ? PERP_INTERRUPTED
               : PERP_SOLVED;
}

static perp_status follow_link(perp_tape *tape, perp_step *step, const perp_dg *dg,
                               perp_tape_solve_stage *solve, perp_link *link,
                               const perp_tape_turns *whole, const perp_tape_turns *half)
{
    perp_dg_role role = perp_dg_role_of(link);
    const char *why = unsupported(link, role);
    const double *drift = NULL;
    matrices r;
    if (why)
        return perp_tape_refuse_link(tape, link, why);
    const int *place = perp_tape_places(tape, link);
    double *diagonal = PERP_TAPE_ARRAY(tape, double, link->rows);
    perp_tape_part *part =
        place ? perp_tape_add_part(tape, solve, place, link->nsystems, link->nv) : NULL;
    if (!part || !diagonal || !make(&r, tape, link))
        return PERP_ERR_MEMORY;
    perp_status status = jacobians(&r, tape, step, dg, link, place, whole);
    if (status == PERP_SOLVED)
        status = perp_tape_turn_gradient(tape, step, dg, link, whole, half, r.H0, r.H1, &r.turn);
    if (status == PERP_SOLVED)
        status = drifts(tape, step, dg, link, &drift);
    if (status != PERP_SOLVED)
        return status;
    int fine;
    double scale = link->law.kind == PERP_LAW_BOX ? dg->h : 1.0;
    if (role == PERP_DG_JOINT) {
        double gap = 1.0 / (dg->h * dg->theta);
        for (int i = 0; i < link->rows; i++)
            row_of_outputs(&r, link, i, dg, gap);
        fine = perp_tape_set_equalities(tape, solve, part, link->rows, link->lambda);
    } else {
        fine = perp_tape_set_rows(tape, solve, part, &link->law, link->rows,
                                  dg->smooth.z + link->first_row, dg->smooth.w + link->first_row,
                                  scale);
        status = law_rows(&r, tape, dg, link, place, drift, diagonal);
        if (fine)
            fine =
                terms(tape, solve, part, dg, link, scale) && direction_terms(tape, solve, part, &r);
    }
    part->G = perp_tape_new_copy(tape, link->left, link->rows, link->nv);
    part->N = r.N;
    part->diagonal = diagonal;
    fine = fine && part->G && forces_of(tape, part, &r, dg);
    return fine ? status : PERP_ERR_MEMORY;
}

perp_status perp_tape_follow_rows(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                  perp_tape_solve_stage *solve, const perp_tape_turns *whole,
                                  const perp_tape_turns *half)
{
    perp_status status = PERP_SOLVED;
    perp_tape_draft *draft = &tape->draft;
    if (!perp_pool_grow(&tape->pool, (void **)&draft->first, &draft->capacity_first, dg->nlinks + 1,
                        sizeof(int)))
        return PERP_ERR_MEMORY;
    draft->smooth = solve;
    for (int k = 0; k < dg->njoints + dg->nlinks && status == PERP_SOLVED; k++) {
        int joint = k < dg->njoints;
        perp_link *link = joint ? dg->joints[k] : dg->links[k - dg->njoints];
        if (!joint)
            draft->first[k - dg->njoints] = link->active ? solve->rows : -1;
        if (!link->active)
            continue;
        status = follow_link(tape, step, dg, solve, link, whole, half);
        if (status == PERP_INTERRUPTED && tape->info.status == PERP_SOLVED)
            status = perp_tape_end(tape, status, "interaction", link->slot, "a callback refused");
    }
    return status;
}
