/* SPDX-License-Identifier: BSD-3-Clause */
/* What generalised-alpha tells the certificate, one equation after the other:
 *
 *     smooth    M(q~) (v~ - v^) = h share F + H(q*)' z    before the corrections, q~ by its mean
 *     jump      M(q) (v - v~) = H(q)' P - H(q*)' z        of the end
 *
 * each with its laws on rates, q* the last iterate of q~ at which constraints were linearised. What
 * moves the positions (v_k, a_k and v~ with other weights, then U) is not what the impulses work
 * on: energies have no identity. */
#include <string.h>

#include "kernel/integrators/generalized_alpha/generalized_alpha.h"
#include "kernel/step/stepper.h"

void perp_alpha_note_place(perp_step *step, const perp_system *s)
{
    perp_alpha *alpha = perp_step_memory(step, s->scheme, sizeof *alpha);
    if (alpha)
        memcpy(alpha->kept + alpha->kept_at[s->slot] + 2 * s->nv, s->q[PERP_NOW],
               sizeof(double) * (size_t)s->nq);
}

/* The states at which H is taken. */
static const double *places(const perp_alpha *alpha, perp_link *link)
{
    double *x = link->X;
    if (alpha->jumping)
        return perp_link_gather_x(link, PERP_NOW);
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        memcpy(x, alpha->kept + alpha->kept_at[s->slot] + 2 * s->nv,
               sizeof(double) * (size_t)s->nq);
        x += s->nq;
    }
    return link->X;
}

static int smooth_balance(perp_step *step, perp_alpha *alpha, perp_system *s, perp_balance *balance)
{
    double weight = step->h * perp_alpha_weights_of(step, s).share;
    double *kept = alpha->kept + alpha->kept_at[s->slot];
    const double *v = s->v[PERP_NOW], *q = s->q[PERP_NOW];
    memcpy(kept, v, sizeof(double) * (size_t)s->nv);
    memset(kept + s->nv, 0, sizeof(double) * (size_t)s->nv);
    if (perp_system_force(balance->driven, s, step->t_end, q, v))
        return -1;
    perp_alpha_mean(step, s, balance->mean);
    for (int i = 0; i < s->nv; i++) {
        balance->driven[i] *= weight;
        s->work[i] = v[i] - s->force[i];
    }
    return perp_system_mass_apply(balance->change, s, q, s->work) ? -1 : 1;
}

static int jump_balance(const perp_alpha *alpha, perp_system *s, perp_balance *balance)
{
    const double *kept = alpha->kept + alpha->kept_at[s->slot];
    for (int i = 0; i < s->nv; i++) {
        s->work[i] = s->v[PERP_NOW][i] - kept[i];
        balance->driven[i] = -kept[s->nv + i];
        balance->mean[i] = 0.0;
    }
    balance->still = 1;
    return perp_system_mass_apply(balance->change, s, s->q[PERP_NOW], s->work) ? -1 : 1;
}

int perp_alpha_balance(perp_step *step, perp_system *s, perp_balance *balance)
{
    perp_alpha *alpha = perp_step_memory(step, s->scheme, sizeof *alpha);
    if (!alpha)
        return -1;
    balance->staggered = 1;
    balance->slack = step->stepper->linear ? 0.0 : step->stepper->options.newton_tol;
    return alpha->jumping ? jump_balance(alpha, s, balance)
                          : smooth_balance(step, alpha, s, balance);
}

/* The part of the jump that takes the smooth impulses back: sum of H(q*)' z. */
static void keep_input(perp_alpha *alpha, const perp_link *link, const perp_pairing *pairing)
{
    const double *H = pairing->H;
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        double *input = alpha->kept + alpha->kept_at[s->slot] + s->nv;
        for (int j = 0; j < s->nv; j++, H += link->rows)
            for (int i = 0; i < link->rows; i++)
                input[j] += H[i] * pairing->impulse[i];
    }
}

/* h lambda~ + P - z is what lambda holds at the end. */
static void impulse_of_jump(perp_step *step, const perp_alpha *alpha, perp_link *link,
                            perp_pairing *pairing)
{
    double share = perp_alpha_weights_of(step, link->systems[0]).share;
    int k = 0;
    while (k < alpha->nhard && alpha->links[k] != link)
        k++;
    for (int i = 0; k < alpha->nhard && i < link->rows; i++)
        pairing->impulse[i] = link->lambda[i] - (1.0 / share - 1.0) * alpha->normal[k].y[i];
    perp_alpha_restitution(pairing->offset, link);
}

int perp_alpha_paired(perp_step *step, perp_link *link, perp_pairing *pairing)
{
    perp_alpha *alpha = perp_step_memory(step, link->systems[0]->scheme, sizeof *alpha);
    int box = link->law.kind == PERP_LAW_BOX;
    double share = perp_alpha_weights_of(step, link->systems[0]).share;
    if (!alpha)
        return -1;
    const double *x = places(alpha, link);
    if (perp_link_jacobian(pairing->H, link, step->t_end, x, link->lambda) ||
        perp_link_drift(pairing->drift, link, step->t_end, x, link->lambda))
        return -1;
    pairing->lawful = !(box && alpha->jumping);
    pairing->forces = box;
    pairing->box = share;
    pairing->at = alpha->jumping ? PERP_NOW : -1;
    if (alpha->jumping && !box)
        impulse_of_jump(step, alpha, link, pairing);
    if (alpha->jumping)
        return 1;
    for (int i = 0; i < link->rows; i++)
        pairing->impulse[i] = box ? step->h * share * link->lambda[i] : link->lambda[i];
    if (!box)
        keep_input(alpha, link, pairing);
    return 1;
}

perp_status perp_alpha_certify(perp_step *step, perp_alpha *alpha, int jumping)
{
    perp_status status = PERP_SOLVED;
    alpha->jumping = jumping;
    for (int k = 0; k < step->stepper->nschemes && status == PERP_SOLVED; k++)
        if (step->stepper->integrators[k] == &perp_generalized_alpha)
            status = perp_step_certify(step, k);
    return status;
}
