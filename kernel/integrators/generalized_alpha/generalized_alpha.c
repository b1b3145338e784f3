/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonsmooth generalised-alpha method with constraints on positions and velocities [BrulsEtAl2014],
 * its three parts in sequence (as in [CosimoEtAl2020]).
 *
 * Smooth part, here:  M(q~) v~' = F(t, q~, v~) + H' lambda~,
 *     (1 - alpha_m) a + alpha_m a_k = (1 - alpha_f) v~' + alpha_f v~'_k,
 *     v~ = v_k + h (1 - gamma) a_k + h gamma a,
 *     q~ = q_k (+) h (v_k + h (1/2 - beta) a_k + h beta a),
 *     H v~ + h_t = 0 for equalities, the laws of unilateral contact and friction on H v~ + h_t and
 *     lambda~ for the contacts that were closed at the start (smooth_contacts = 1; the published
 *     scheme leaves them to the jumps, and is of order 1 where they bend the path).
 * The unknown is v~, with v^ = v~ - h share v~' known:
 *     M (v~ - v^) - h share F = H' z,  z = h share lambda~.
 * Where a phase begins (start, impact, a contact that opens, closes, sticks or slips) a_k means
 * nothing: the first step takes (alpha_m, alpha_f, beta, gamma) = (0, 0, 1/2, 1), in which a_k has
 * the weight 0; its error is of order h^2 once.  Systems that are joined begin together.
 *
 * Then the correction U of q and the jump W of v: generalized_alpha_position.c, _velocity.c. */
#include "kernel/integrators/generalized_alpha/generalized_alpha.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "kernel/integrators/moreau_jean.h"
#include "kernel/step/snapshot.h"
#include "kernel/step/stepper.h"

#define GROW(pool, owner, array, capacity, count)                                                  \
    perp_pool_grow((pool), (void **)&(owner)->array, &(owner)->capacity, (count),                  \
                   sizeof *(owner)->array)

static perp_status accepts(const perp_link *link, const perp_scheme *scheme, const char **why)
{
    (void)scheme;
    *why = NULL;
    if (perp_link_has_feedthrough(link))
        *why = "its constraints are rigid, y must not depend on lambda";
    else if (perp_link_has_input(link))
        *why = "the input of the systems must be H' lambda";
    else if (link->law.kind == PERP_LAW_COMPLEMENTARITY)
        *why = "complementarity on a relation of relative degree 2: use an impact law";
    else if (perp_law_rolls(&link->law))
        *why = "rolling and torsional friction are taken by discrete-gradient and moreau-jean";
    else if (perp_law_gives_way(&link->law))
        *why = "contacts that give way have the schemes discrete-gradient and moreau-jean";
    else if (link->law.drive != PERP_DRIVE_NONE)
        *why = "motors, servos and dry friction have the schemes discrete-gradient and moreau-jean";
    return *why ? PERP_ERR_UNSUPPORTED : PERP_SOLVED;
}

perp_alpha_weights perp_alpha_weights_of(const perp_step *step, const perp_system *s)
{
    double rho = perp_step_scheme(step, s)->rho_infinity;
    perp_alpha_weights w = {0.0, 0.0, 0.5, 1.0, 1.0};
    if (s->h_kept == 0.0)
        return w;
    w.alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
    w.alpha_f = rho / (rho + 1.0);
    w.gamma = 0.5 + w.alpha_f - w.alpha_m;
    w.beta = 0.25 * (w.gamma + 0.5) * (w.gamma + 0.5);
    w.share = w.gamma * (1.0 - w.alpha_f) / (1.0 - w.alpha_m);
    return w;
}

int perp_alpha_mass_alone(const perp_system *s)
{
    int body = s->kind == PERP_SYSTEM_BODY;
    return s->plain ||
           (s->W_constant &&
            !(body ? s->as.body.C.rows : s->as.lagrangian.C.rows || s->as.lagrangian.K.rows));
}

double perp_alpha_closed(perp_step *step, perp_link *link)
{
    double largest = 0.0;
    const double *x = perp_link_gather_x(link, PERP_NOW);
    for (int i = 0; i < link->N; i++)
        largest = fmax(largest, fabs(x[i]));
    return fmax(step->stepper->options.newton_tol, 32.0 * DBL_EPSILON * largest);
}

/* Contacts that persist; the others that act by forces always do. */
static int acts_smoothly(const perp_step *step, const perp_link *link, int r)
{
    return !perp_law_is_impact(&link->law) || (perp_link_scheme(step, link)->smooth_contacts &&
                                               (link->mode[r] & 15) >= PERP_ALPHA_STICK);
}

static int joins(const perp_step *step, const perp_link *link)
{
    for (int r = 0; r < link->relations; r++)
        if (acts_smoothly(step, link, r))
            return 1;
    return 0;
}

/* The first step, or a state that was changed by hand. */
static int is_new(const perp_system *s)
{
    return !s->started ||
           memcmp(s->q[PERP_GUESS], s->q[PERP_NOW], sizeof(double) * (size_t)s->nq) != 0 ||
           memcmp(s->v[PERP_GUESS], s->v[PERP_NOW], sizeof(double) * (size_t)s->nv) != 0;
}

static const double slow = 1e-10; /* of the present velocities: no impact of its own */

/* Modes of a link that has none yet, from y and u. */
static void first_modes(perp_step *step, perp_link *link)
{
    double closed = perp_alpha_closed(step, link), fastest = 0.0;
    const double *v = perp_link_gather_v(link, PERP_NOW);
    for (int i = 0; i < link->nv; i++)
        fastest = fmax(fastest, fabs(v[i]));
    for (int r = 0; r < link->relations; r++) {
        int i = r * link->law.dim;
        int rests = link->y[i] <= closed && link->u[i] >= -slow * fastest;
        link->mode[r] = (unsigned char)(rests ? PERP_ALPHA_STICK : PERP_ALPHA_OPEN);
    }
}

/* alpha->restart = links that join a system to others, 255 at most. */
static void count_joints(const perp_step *step, perp_alpha *alpha)
{
    memset(alpha->restart, 0, (size_t)alpha->slots);
    for (int k = 0; k < alpha->nlinks; k++) {
        const perp_link *link = alpha->links[k];
        int joined = joins(step, link);
        for (int i = 0; i < link->nsystems; i++) {
            unsigned char *count = &alpha->restart[link->systems[i]->slot];
            *count = (unsigned char)(*count + (joined && *count < UCHAR_MAX));
        }
    }
}

/* Modes of links that have none, or whose systems are new. */
static void find_modes(perp_step *step, perp_alpha *alpha)
{
    for (int k = 0; k < alpha->nsystems; k++)
        alpha->restart[alpha->systems[k]->slot] = (unsigned char)is_new(alpha->systems[k]);
    for (int k = 0; k < alpha->nlinks; k++) {
        perp_link *link = alpha->links[k];
        int fresh = link->mode[0] == PERP_ALPHA_UNSEEN;
        for (int i = 0; i < link->nsystems; i++)
            fresh |= alpha->restart[link->systems[i]->slot];
        if (fresh)
            first_modes(step, link);
    }
}

/* Which systems begin a phase: h_kept = 0.  New ones, those that gained or lost a link between
 * the steps, and all that are joined to them. */
static void find_phases(perp_step *step, perp_alpha *alpha)
{
    find_modes(step, alpha);
    for (int k = 0; k < alpha->nsystems; k++)
        if (alpha->restart[alpha->systems[k]->slot])
            alpha->systems[k]->h_kept = 0.0;
    count_joints(step, alpha);
    int known = fabs(step->t - alpha->joined_at) <= 1e-6 * step->h;
    for (int k = 0; k < alpha->nsystems; k++) {
        perp_system *s = alpha->systems[k];
        int before = known ? alpha->joined[s->slot] : 0;
        if (before > 0 && before != 1 + alpha->restart[s->slot])
            s->h_kept = 0.0;
    }
    for (int spread = 1; spread;) {
        spread = 0;
        for (int k = 0; k < alpha->nlinks; k++) {
            const perp_link *link = alpha->links[k];
            int begins = 0;
            for (int i = 0; i < link->nsystems; i++)
                begins += link->systems[i]->h_kept == 0.0;
            if (begins == 0 || begins == link->nsystems || !joins(step, link))
                continue;
            for (int i = 0; i < link->nsystems; i++)
                link->systems[i]->h_kept = 0.0;
            spread = 1;
        }
    }
}

void perp_alpha_mean(const perp_step *step, const perp_system *s, double *mean)
{
    perp_alpha_weights w = perp_alpha_weights_of(step, s);
    const double *v_k = s->v[PERP_START], *v = s->v[PERP_NOW], *a_k = s->q_kept;
    double h = step->h, ratio = w.beta / w.gamma;
    for (int i = 0; i < s->nv; i++)
        mean[i] = v_k[i] + h * (0.5 - w.beta) * a_k[i] +
                  ratio * (v[i] - v_k[i] - h * (1.0 - w.gamma) * a_k[i]);
}

/* q~ for v~ at NOW. */
static void place(perp_step *step, perp_system *s)
{
    perp_alpha_mean(step, s, s->work);
    perp_system_move(s->q[PERP_NOW], s, s->q[PERP_START], s->work, step->h);
}

static int is_own(const perp_step *step, const perp_system *s)
{
    return perp_step_integrator(step, s) == &perp_generalized_alpha;
}

static int is_first(const perp_step *step, const perp_system *s)
{
    int k = 0;
    while (step->systems[k] != s && !is_own(step, step->systems[k]))
        k++;
    return step->systems[k] == s;
}

static perp_alpha *memory_of(perp_step *step, int scheme)
{
    return perp_step_memory(step, scheme, sizeof(perp_alpha));
}

static int reserve_for_certificate(perp_alpha *alpha, perp_pool *pool)
{
    int at = 0;
    if (!GROW(pool, alpha, kept_at, capacity_kept_at, alpha->slots))
        return 0;
    for (int k = 0; k < alpha->nsystems; k++) {
        alpha->kept_at[alpha->systems[k]->slot] = at;
        at += 2 * alpha->systems[k]->nv + alpha->systems[k]->nq;
    }
    return GROW(pool, alpha, kept, capacity_kept, at);
}

static int list(perp_alpha *alpha, perp_step *step)
{
    perp_pool *pool = &step->stepper->pool;
    alpha->nsystems = alpha->nlinks = alpha->slots = 0;
    if (!GROW(pool, alpha, systems, capacity_systems, step->nsystems) ||
        !GROW(pool, alpha, links, capacity_links, step->nlinks))
        return 0;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        alpha->slots = s->slot >= alpha->slots ? s->slot + 1 : alpha->slots;
        if (is_own(step, s))
            alpha->systems[alpha->nsystems++] = s;
    }
    for (int boxes = 0; boxes < 2; boxes++) {
        for (int k = 0; k < step->nlinks; k++) {
            perp_link *link = step->links[k];
            if (is_own(step, link->systems[0]) && (link->law.kind == PERP_LAW_BOX) == boxes)
                alpha->links[alpha->nlinks++] = link;
        }
        alpha->nhard = boxes ? alpha->nhard : alpha->nlinks;
    }
    return GROW(pool, alpha, restart, capacity_restart, alpha->slots) &&
           GROW(pool, alpha, joined, capacity_joined, alpha->slots) &&
           reserve_for_certificate(alpha, pool);
}

static void changed(void *memory)
{
    perp_alpha *alpha = memory;
    alpha->version = alpha->position.version = alpha->velocity.version = 0;
}

/* The memory with its lists for the model of now; NULL when memory is out. */
static perp_alpha *listed(perp_step *step, int scheme)
{
    perp_stepper *stepper = step->stepper;
    perp_alpha *alpha = memory_of(step, scheme);
    if (!alpha || alpha->version == stepper->version)
        return alpha;
    if (!alpha->position.pool) {
        perp_form form =
            stepper->options.form == PERP_FORM_DELASSUS ? PERP_FORM_DELASSUS : PERP_FORM_AUTO;
        perp_one_step_init(&alpha->position, &stepper->pool, form);
        perp_one_step_init(&alpha->velocity, &stepper->pool, form);
    }
    changed(alpha);
    if (!list(alpha, step) || !perp_alpha_normals(alpha, &stepper->pool))
        return NULL;
    alpha->version = stepper->version;
    return alpha;
}

/* v^, and v~' of the step before as the first guess. */
static perp_status begin(perp_step *step, perp_system *s)
{
    if (is_first(step, s)) {
        perp_alpha *alpha = listed(step, s->scheme);
        if (!alpha)
            return PERP_ERR_MEMORY;
        find_phases(step, alpha);
    }
    perp_alpha_weights w = perp_alpha_weights_of(step, s);
    double h = step->h;
    for (int i = 0; i < s->nv; i++) {
        double a_k = s->q_kept[i], rate = s->v_kept[i], *known = &s->force[i];
        if (s->h_kept == 0.0)
            a_k = rate = s->q_kept[i] = 0.0;
        double carried = (w.alpha_f * rate - w.alpha_m * a_k) / (1.0 - w.alpha_m);
        *known = s->v[PERP_START][i] + h * (1.0 - w.gamma) * a_k + h * w.gamma * carried;
        s->v[PERP_NOW][i] = *known + h * w.share * rate;
    }
    place(step, s);
    return PERP_SOLVED;
}

static perp_status activate(perp_step *step, perp_link *link)
{
    int impulse = link->law.kind != PERP_LAW_BOX, dim = link->law.dim;
    double share = perp_alpha_weights_of(step, link->systems[0]).share;
    link->active = 0;
    link->ready = 0;
    link->own_restitution = 1;
    for (int r = 0; r < link->relations; r++) {
        int on = acts_smoothly(step, link, r);
        link->on[r] = (unsigned char)on;
        link->active |= on;
        for (int i = r * dim; impulse && i < (r + 1) * dim; i++)
            link->lambda[i] *= on ? share : 0.0;
    }
    return PERP_SOLVED;
}

/* out = M(q~) (v~ - v^) - h share F. */
static perp_status smooth_residual(double *out, perp_step *step, perp_system *s)
{
    double weight = step->h * perp_alpha_weights_of(step, s).share;
    const double *q = s->q[PERP_NOW], *v = s->v[PERP_NOW];
    for (int i = 0; i < s->nv; i++)
        s->work[i] = v[i] - s->force[i];
    if (perp_system_mass_apply(out, s, q, s->work) ||
        perp_system_force(s->work, s, step->t_end, q, v))
        return PERP_INTERRUPTED;
    for (int i = 0; i < s->nv; i++)
        out[i] -= weight * s->work[i];
    return PERP_SOLVED;
}

static perp_status iterate(perp_step *step, perp_system *s)
{
    perp_alpha_weights w = perp_alpha_weights_of(step, s);
    double a = step->h * w.share, c = step->h * w.beta / w.gamma;
    const double *q = s->q[PERP_NOW], *v = s->v[PERP_NOW];
    if (perp_alpha_mass_alone(s))
        a = 0.0;
    perp_alpha_note_place(step, s);
    for (int i = 0; i < s->nv; i++)
        s->residual[i] = v[i] - s->force[i];
    perp_status status = perp_system_iteration(s, step->t_end, q, q, v, a, a * c, s->residual, c);
    if (status == PERP_SOLVED)
        status = smooth_residual(s->free, step, s);
    if (status != PERP_SOLVED)
        return status;
    perp_system_solve(s, s->free, 1);
    for (int i = 0; i < s->nv; i++)
        s->free[i] = v[i] - s->free[i];
    return PERP_SOLVED;
}

static perp_status rows(perp_step *step, perp_link *link)
{
    const double *x = perp_link_gather_x(link, PERP_NOW);
    if (perp_link_jacobian(link->left, link, step->t_end, x, link->lambda) ||
        perp_link_drift(link->offset, link, step->t_end, x, link->lambda))
        return PERP_INTERRUPTED;
    perp_alpha_close_rows(step, link);
    return PERP_SOLVED;
}

static perp_status advance(perp_step *step, perp_system *s)
{
    double *v = s->v[PERP_NOW];
    memcpy(v, s->p, sizeof(double) * (size_t)s->nv);
    perp_system_solve(s, v, 1);
    for (int i = 0; i < s->nv; i++)
        v[i] += s->free[i];
    place(step, s);
    return PERP_SOLVED;
}

static perp_status residual(double *square, perp_step *step, perp_system *s)
{
    perp_status status = smooth_residual(s->residual, step, s);
    if (status == PERP_SOLVED)
        perp_step_add_squares(square, s, NULL);
    return status;
}

/* All systems with this scheme at once, whatever their parameters. */
static perp_status finish(perp_step *step, int scheme, int *again)
{
    int first = 0;
    *again = 0;
    while (step->stepper->integrators[first] != &perp_generalized_alpha)
        first++;
    perp_alpha *alpha = memory_of(step, scheme);
    if (scheme != first || !alpha || alpha->version != step->stepper->version)
        return PERP_SOLVED;
    perp_status status = perp_alpha_certify(step, alpha, 0);
    for (int k = 0; k < alpha->nsystems; k++) {
        perp_system *s = alpha->systems[k];
        double weight = step->h * perp_alpha_weights_of(step, s).share;
        for (int i = 0; i < s->nv; i++)
            s->force[i] = (s->v[PERP_NOW][i] - s->force[i]) / weight;
    }
    if (status == PERP_SOLVED)
        status = perp_alpha_positions(step, alpha);
    if (status == PERP_SOLVED)
        status = perp_alpha_velocities(step, alpha);
    return status == PERP_SOLVED ? perp_alpha_certify(step, alpha, 1) : status;
}

/* a and v~' for the next step, modes, and the state as it was accepted. */
static void accepted(perp_step *step, perp_system *s)
{
    perp_alpha *alpha = memory_of(step, s->scheme);
    perp_alpha_weights w = perp_alpha_weights_of(step, s);
    if (s == alpha->systems[0])
        for (int k = 0; k < alpha->nlinks; k++)
            for (int r = 0; r < alpha->links[k]->relations; r++)
                alpha->links[k]->mode[r] >>= 4;
    for (int i = 0; i < s->nv; i++) {
        double rate = s->force[i], *a = &s->q_kept[i];
        *a = ((1.0 - w.alpha_f) * rate + w.alpha_f * s->v_kept[i] - w.alpha_m * *a) /
             (1.0 - w.alpha_m);
        s->v_kept[i] = rate;
    }
    s->h_kept = alpha->restart[s->slot] ? 0.0 : step->h;
    memcpy(s->q[PERP_GUESS], s->q[PERP_NOW], sizeof(double) * (size_t)s->nq);
    memcpy(s->v[PERP_GUESS], s->v[PERP_NOW], sizeof(double) * (size_t)s->nv);
    if (s != alpha->systems[alpha->nsystems - 1])
        return;
    alpha->joined_at = step->t_end;
    count_joints(step, alpha);
    for (int k = 0; k < alpha->slots; k++)
        alpha->joined[k] = 1 + alpha->restart[k];
}

static void release(void *memory, perp_pool *pool)
{
    perp_alpha *alpha = memory;
    (void)pool;
    perp_one_step_free(&alpha->position);
    perp_one_step_free(&alpha->velocity);
}

static void forget(void *memory)
{
    perp_alpha *alpha = memory;
    perp_one_step_forget(&alpha->position);
    perp_one_step_forget(&alpha->velocity);
    if (alpha->capacity_joined > 0)
        memset(alpha->joined, 0, sizeof(int) * (size_t)alpha->capacity_joined);
}

/* What systems were joined by. */
static void walk(perp_walk *w, perp_stepper *stepper, int scheme)
{
    perp_alpha *alpha =
        perp_stepper_memory(stepper, scheme, w->mode == PERP_WALK_READ ? sizeof *alpha : 0);
    int count = w->mode < PERP_WALK_CHECK && alpha ? alpha->capacity_joined : 0;
    double at = alpha ? alpha->joined_at : 0.0;
    perp_walk_peek(w, &count, sizeof count);
    perp_walk_bytes(w, &count, sizeof count);
    perp_walk_bytes(w, &at, sizeof at);
    w->failed |= count < 0;
    if (w->failed)
        return;
    if (w->mode == PERP_WALK_READ) {
        w->failed = !alpha || !GROW(&stepper->pool, alpha, joined, capacity_joined, count);
        if (w->failed)
            return;
        alpha->joined_at = at;
    }
    perp_walk_bytes(w, alpha ? alpha->joined : NULL, sizeof(int) * (size_t)count);
}

const perp_integrator perp_generalized_alpha = {
    .name = "generalized-alpha",
    .summary = "nonsmooth generalised-alpha: constraints on positions and velocities (order 2 "
               "between impacts)",
    .reads = "rho_infinity smooth_contacts",
    .kinds = 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,
    .accepts = accepts,
    .begin = begin,
    .activate = activate,
    .iterate = iterate,
    .rows = rows,
    .advance = advance,
    .residual = residual,
    .finish = finish,
    .accepted = accepted,
    .output = perp_mj_output,
    .is_linear = perp_step_link_is_linear,
    .release = release,
    .changed = changed,
    .forget = forget,
    .walk = walk,
    .balance = perp_alpha_balance,
    .paired = perp_alpha_paired,
    .certifies = 1,
    .unstated = "no statement by generalized-alpha: its impulses act on other velocities than "
                "those that move the positions"};
