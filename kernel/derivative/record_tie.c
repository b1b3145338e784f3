/* SPDX-License-Identifier: BSD-3-Clause */
/* The interactions of a step: rows at x_g, how they turn, what restitution and drives read at the
 * start, and contacts that are on the threshold of the index set. */
#include <math.h>
#include <string.h>

#include "kernel/derivative/relation_turn.h"
#include "kernel/derivative/tape.h"
#include "kernel/integrators/moreau_jean.h"
#include "kernel/laws/law.h"

/* Arrays of one interaction, all of its rows. */
typedef struct desk {
    double *x, *x_g;                 /* N */
    double *G, *drift, *H, *product; /* rows nv nv, rows nv, rows nv, nv nv */
    double *turn;                    /* for perp_link_turn() */
    int *on;                         /* rows that are in the problem */
    int rows;                        /* how many */
} desk;

/* The cube where rows turn alone: a wide linear relation needs none. */
static int lay_out(desk *d, perp_tape *tape, const perp_link *link)
{
    size_t N = (size_t)link->N, nv = (size_t)link->nv, rows = (size_t)link->rows;
    int turns = perp_tape_turn_source(tape, link) != PERP_TURN_NONE;
    size_t square = turns && nv > rows ? nv * nv : rows * nv;
    size_t cube = turns ? rows * nv * nv : 0, work = turns ? perp_link_turn_work(link) : 0;
    double *at = perp_tape_work(tape, 2 * N + cube + 2 * rows * nv + square + rows + work);
    if (!at)
        return 0;
    d->x = at;
    d->x_g = d->x + N;
    d->G = d->x_g + N;
    d->drift = d->G + cube;
    d->H = d->drift + rows * nv;
    d->product = d->H + rows * nv;
    d->on = (int *)(void *)(d->product + square);
    d->turn = d->product + square + rows;
    d->rows = 0;
    for (int r = 0; r < link->relations && link->active; r++)
        for (int i = 0; i < link->law.dim && link->on[r]; i++)
            d->on[d->rows++] = r * link->law.dim + i;
    return 1;
}

/* d->G and d->drift at x. */
static int turn(const perp_tape *tape, desk *d, perp_link *link, double t, const double *x)
{
    const perp_tape_turn *known = perp_tape_turn_given(tape, link);
    size_t each = (size_t)link->rows * (size_t)link->nv;
    if (!known)
        return perp_link_turn(d->G, d->drift, link, t, x, d->turn);
    memset(d->G, 0, sizeof(double) * each * (size_t)link->nv);
    memset(d->drift, 0, sizeof(double) * each);
    return known->fn(d->G, d->drift, t, x, known->user);
}

static const char *unsupported(const perp_link *link)
{
    if (perp_link_has_feedthrough(link))
        return "outputs that depend on lambda are not recorded";
    if (perp_link_has_input(link))
        return "inputs of their own are not recorded";
    if (link->relation.lo || link->relation.hi)
        return "bounds of each row are not recorded";
    if (perp_law_is_impact(&link->law) && link->law.relative_compliance > 0.0)
        return "relative_compliance is not recorded";
    if (perp_link_is_found_again(link))
        return "contacts whose points are found again in each detection are not recorded";
    return NULL;
}

/* Rows that turn are those of one configuration that the start alone decides. */
static perp_status check(perp_tape *tape, const perp_link *link, const perp_scheme *scheme)
{
    const char *why = unsupported(link);
    perp_turn_source source = perp_tape_turn_source(tape, link);
    int newton = tape->sim->stepper.info.newton;
    if (!why && source != PERP_TURN_NONE && scheme->configuration == PERP_CONFIGURATION_CONVERGED)
        why = "configuration converged is not recorded where rows turn: choose predicted";
    if (!why && source != PERP_TURN_NONE && newton > 1 &&
        scheme->configuration == PERP_CONFIGURATION_ITERATED)
        why = "configuration iterated took more than one iteration: choose predicted";
    if (!why && source == PERP_TURN_DIFFERENCES && !tape->settings.differences)
        why = "no derivative of its rows is known: give it by perp_tape_set_turn(), or set "
              "differences";
    tape->info.differences |= source == PERP_TURN_DIFFERENCES || link->differences;
    return why ? perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "interaction", link->slot, "%s", why)
               : PERP_SOLVED;
}

static perp_status refused(perp_tape *tape, const perp_link *link)
{
    return perp_tape_end(tape, PERP_INTERRUPTED, "interaction", link->slot, "a callback refused");
}

/* The places of its systems in the list, and its states at the start and at x_g. */
static const int *gather(desk *d, perp_tape *tape, const perp_step *step, const perp_link *link)
{
    int *place = PERP_TAPE_ARRAY(tape, int, link->nsystems);
    double *x = d->x, *x_g = d->x_g;
    for (int k = 0; place && k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const perp_scheme *scheme = perp_step_scheme(step, s);
        place[k] = tape->place[s->slot];
        memcpy(x, s->q[PERP_START], sizeof(double) * (size_t)s->nq);
        perp_tape_guess(x_g, s, perp_tape_moves_ahead(scheme) ? step->h * scheme->prediction : 0.0);
        x += s->nq;
        x_g += s->nq;
    }
    return place;
}

/* Those rows of a matrix that are in the problem; columns of nv. */
static const double *keep_rows(perp_tape *tape, const desk *d, const perp_link *link,
                               const double *x, int *failed)
{
    size_t rows = (size_t)d->rows, all = (size_t)link->rows;
    double *kept = perp_tape_take(tape, rows * (size_t)link->nv, sizeof *kept);
    *failed |= !kept;
    for (size_t j = 0; kept && j < (size_t)link->nv; j++)
        for (size_t i = 0; i < rows; i++)
            kept[i + j * rows] = x[(size_t)d->on[i] + j * all];
    return kept;
}

static double *keep_entries(perp_tape *tape, const desk *d, const double *x, double scale,
                            int *failed)
{
    double *kept = perp_tape_take(tape, (size_t)d->rows, sizeof *kept);
    *failed |= !kept;
    for (int i = 0; kept && i < d->rows; i++)
        kept[i] = scale * x[d->on[i]];
    return kept;
}

/* y of the first row of each relation that is in the problem. */
static const double *keep_gaps(perp_tape *tape, const desk *d, const perp_link *link, int *failed)
{
    int dim = link->law.dim;
    double *kept = perp_tape_take(tape, (size_t)(d->rows / dim), sizeof *kept);
    *failed |= !kept;
    for (int r = 0; kept && r < d->rows / dim; r++)
        kept[r] = link->y_start[d->on[r * dim]];
    return kept;
}

/* product = (dH) v + drift, rows x nv. */
static void along_velocity(desk *d, const perp_link *link, const double *v)
{
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv;
    memcpy(d->product, d->drift, sizeof(double) * rows * nv);
    for (size_t k = 0; k < nv; k++)
        for (size_t j = 0; j < nv; j++)
            for (size_t i = 0; i < rows; i++)
                d->product[i + k * rows] += d->G[i + (j + k * nv) * rows] * v[j];
}

/* product = (dH)' z, nv x nv. */
static void along_impulse(desk *d, const perp_link *link, const double *z)
{
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv;
    memset(d->product, 0, sizeof(double) * nv * nv);
    for (size_t k = 0; k < nv; k++)
        for (size_t j = 0; j < nv; j++)
            for (int i = 0; i < d->rows; i++)
                d->product[j + k * nv] += d->G[(size_t)d->on[i] + (j + k * nv) * rows] * z[i];
}

static perp_status turns_ahead(perp_tape *tape, perp_tape_tie *tie, desk *d, const perp_step *step,
                               perp_link *link)
{
    size_t nv = (size_t)link->nv;
    int failed = 0;
    if (perp_tape_turn_source(tape, link) == PERP_TURN_NONE)
        return PERP_SOLVED;
    if (turn(tape, d, link, step->t_end, d->x_g))
        return refused(tape, link);
    along_impulse(d, link, tie->z);
    tie->A1 = perp_tape_keep(tape, d->product, nv * nv, &failed);
    along_velocity(d, link, perp_link_gather_v(link, PERP_NOW));
    tie->A2 = keep_rows(tape, d, link, d->product, &failed);
    if (perp_tape_has_spring(&link->law)) {
        along_velocity(d, link, perp_link_gather_v(link, PERP_START));
        tie->A4 = keep_rows(tape, d, link, d->product, &failed);
    }
    return failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static int reads_start(const perp_law *law)
{
    return (perp_law_is_impact(law) && (law->e > 0.0 || law->e_t > 0.0)) ||
           perp_tape_has_spring(law) || law->drive == PERP_DRIVE_PROFILE;
}

/* H at the start in d->H, and (dH) v + drift in d->product. */
static perp_status turns_at_start(perp_tape *tape, desk *d, const perp_step *step, perp_link *link)
{
    memset(d->product, 0, sizeof(double) * (size_t)link->rows * (size_t)link->nv);
    if (perp_link_jacobian(d->H, link, step->t, d->x, link->lambda))
        return refused(tape, link);
    if (perp_tape_turn_source(tape, link) == PERP_TURN_NONE)
        return PERP_SOLVED;
    if (turn(tape, d, link, step->t, d->x))
        return refused(tape, link);
    along_velocity(d, link, perp_link_gather_v(link, PERP_START));
    return PERP_SOLVED;
}

static perp_status record_tie(perp_tape *tape, perp_tape_tie *tie, desk *d, const perp_step *step,
                              perp_link *link, const int *place)
{
    const perp_one_step *one = step->one;
    int box = link->law.kind == PERP_LAW_BOX, failed = 0;
    *tie = (perp_tape_tie){.slot = link->slot,
                           .generation = tape->sim->stepper.model->links[link->slot].generation,
                           .law = link->law,
                           .rows = d->rows,
                           .relations = d->rows / link->law.dim,
                           .nsystems = link->nsystems,
                           .nv = link->nv,
                           .system = place,
                           .scale = box ? step->h : 1.0};
    tie->H = keep_rows(tape, d, link, link->left, &failed);
    tie->z = keep_entries(tape, d, one->z + link->first_row, tie->scale, &failed);
    tie->w = keep_entries(tape, d, one->w + link->first_row, 1.0, &failed);
    tie->u = keep_entries(tape, d, link->u_start, 1.0, &failed);
    tie->y = keep_gaps(tape, d, link, &failed);
    if (failed)
        return PERP_ERR_MEMORY;
    perp_status status = turns_ahead(tape, tie, d, step, link);
    if (status != PERP_SOLVED || !reads_start(&link->law))
        return status;
    status = turns_at_start(tape, d, step, link);
    tie->Hs = keep_rows(tape, d, link, d->H, &failed);
    tie->A3 = keep_rows(tape, d, link, d->product, &failed);
    return failed ? PERP_ERR_MEMORY : status;
}

/* Lengths beside which a prediction is small. */
static double size_of(const desk *d, const perp_link *link, int row, double h)
{
    double largest = fmax(fabs(link->y_start[row]), h * fabs(link->u_start[row]));
    const double *x = d->x;
    for (int k = 0; k < link->nsystems; x += link->systems[k++]->nq) {
        int places = link->systems[k]->kind == PERP_SYSTEM_BODY ? 3 : link->systems[k]->nq;
        for (int i = 0; i < places; i++)
            largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

static perp_status record_edge(perp_tape *tape, perp_tape_edge *edge, const desk *d,
                               const perp_link *link, int row, double ahead)
{
    size_t rows = (size_t)link->rows;
    double *by_q = PERP_TAPE_ARRAY(tape, double, link->nv);
    double *by_v = PERP_TAPE_ARRAY(tape, double, link->nv);
    if (!by_q || !by_v)
        return PERP_ERR_MEMORY;
    for (size_t j = 0; j < (size_t)link->nv; j++) {
        by_q[j] = d->H[(size_t)row + j * rows] + ahead * d->product[(size_t)row + j * rows];
        by_v[j] = ahead * d->H[(size_t)row + j * rows];
    }
    edge->nsystems = link->nsystems;
    edge->nv = link->nv;
    edge->by_q = by_q;
    edge->by_v = by_v;
    return PERP_SOLVED;
}

/* The slope of the row is another one on the other side. */
static int on_slope(const perp_tape *tape, const desk *d, const perp_step *step,
                    const perp_link *link, int row)
{
    const perp_law *law = &link->law;
    int kink = 0;
    if (!link->active || !link->on[row / law->dim])
        return 0;
    if (law->drive == PERP_DRIVE_PROFILE)
        (void)perp_tape_profile_slope(law, step->h, link->y_start[row], &kink);
    else if (perp_law_is_soft(law) && law->damping > 0.0)
        kink = fabs(link->y_start[row]) <= tape->settings.kink * size_of(d, link, row, step->h);
    return kink;
}

/* The normal row is on the threshold.  ahead: h times the weight of its rate. */
static int on_threshold(const perp_tape *tape, const desk *d, const perp_step *step,
                        const perp_link *link, int row, double ahead)
{
    const perp_scheme *scheme = perp_link_scheme(step, link);
    double over = link->y_start[row] + ahead * link->u_start[row] - scheme->activate;
    return perp_law_is_impact(&link->law) &&
           fabs(over) <= tape->settings.kink * size_of(d, link, row, step->h);
}

/* The contacts of one interaction that are on an edge; edges NULL: counts them. */
static perp_status record_edges(perp_tape *tape, perp_tape_edge *edges, int *count, desk *d,
                                const perp_step *step, perp_link *link, const int *place)
{
    perp_status status = PERP_SOLVED;
    int ready = 0;
    for (int k = 0; k < 2 * link->relations; k++) {
        int row = k / 2 * link->law.dim, slope = k % 2;
        int in = link->active && link->on[k / 2];
        double ahead = slope ? 0.0 : perp_link_scheme(step, link)->activation * step->h;
        perp_tape_edge_kind kind = slope ? PERP_TAPE_EDGE_SLOPE
                                   : in  ? PERP_TAPE_EDGE_CLOSED
                                         : PERP_TAPE_EDGE_OPEN;
        if (slope ? !on_slope(tape, d, step, link, row)
                  : !on_threshold(tape, d, step, link, row, ahead))
            continue;
        if (edges && !ready)
            status = turns_at_start(tape, d, step, link);
        if (edges && status == PERP_SOLVED) {
            edges[*count] = (perp_tape_edge){.kind = kind, .system = place};
            status = record_edge(tape, &edges[*count], d, link, row, ahead);
        }
        if (status != PERP_SOLVED)
            return status;
        ready = 1;
        ++*count;
    }
    return PERP_SOLVED;
}

/* How many interactions are in the problem, and how many contacts on the threshold. */
static perp_status count(perp_tape *tape, const perp_step *step, int *ties, int *edges)
{
    desk d;
    *ties = *edges = 0;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        double *x;
        if (!lay_out(&d, tape, link))
            return PERP_ERR_MEMORY;
        x = d.x;
        for (int j = 0; j < link->nsystems; x += link->systems[j++]->nq)
            memcpy(x, link->systems[j]->q[PERP_START],
                   sizeof(double) * (size_t)link->systems[j]->nq);
        int before = *edges;
        perp_status status = record_edges(tape, NULL, edges, &d, step, link, NULL);
        if (status == PERP_SOLVED && (link->active || *edges > before))
            status = check(tape, link, perp_link_scheme(step, link));
        if (status != PERP_SOLVED)
            return status;
        *ties += d.rows > 0;
    }
    return PERP_SOLVED;
}

perp_status perp_tape_record_ties(perp_tape *tape, const perp_step *step, perp_tape_step *node)
{
    int ties = 0, edges = 0, block = 0;
    desk d;
    perp_status status = count(tape, step, &ties, &edges);
    if (status != PERP_SOLVED)
        return status;
    node->ties = PERP_TAPE_ARRAY(tape, perp_tape_tie, ties);
    node->edges = PERP_TAPE_ARRAY(tape, perp_tape_edge, edges);
    if (!node->ties || !node->edges)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < step->nlinks && status == PERP_SOLVED; k++) {
        perp_link *link = step->links[k];
        if (!link->active && node->nedges == edges)
            continue;
        const int *place = lay_out(&d, tape, link) ? gather(&d, tape, step, link) : NULL;
        if (!place)
            return PERP_ERR_MEMORY;
        if (d.rows > 0) {
            perp_tape_tie *tie = &node->ties[node->nties++];
            status = record_tie(tape, tie, &d, step, link, place);
            tie->first = node->rows;
            tie->block = block;
            node->rows += tie->rows;
            block += tie->relations;
        }
        if (status == PERP_SOLVED)
            status = record_edges(tape, node->edges, &node->nedges, &d, step, link, place);
    }
    return status;
}
