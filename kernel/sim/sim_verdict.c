/* SPDX-License-Identifier: BSD-3-Clause */
/* The certificate of a run, as callers see it. */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "kernel/model/away.h"
#include "kernel/sim/sim_inside.h"
#include "numerics/core/sized.h"

/* An output whose size is given beside it. */
static perp_status give(void *callers, size_t size, const void *own, size_t own_size)
{
    if (!callers || perp_sized_claim(&size) == 0)
        return PERP_ERR_ARGUMENT;
    if (size == own_size) /* as callers of this version have it */
        memcpy(callers, own, own_size);
    else
        perp_sized_init(callers, size, own, own_size);
    return PERP_SOLVED;
}

perp_status perp_sim_verdict(const perp_sim *sim, perp_verdict *verdict, size_t size)
{
    PERP_HOLD_ENVIRONMENT();
    perp_verdict own;
    if (!sim)
        return PERP_ERR_ARGUMENT;
    perp_certificate_verdict(&sim->stepper.certificate, &own);
    return give(verdict, size, &own, sizeof own);
}

/* Why a measure is not known. */
static const char *why(const perp_sim *sim, int k)
{
    const perp_stepper *stepper = &sim->stepper;
    if (!perp_certificate_is_silent(&stepper->certificate, k))
        return "nothing was there to measure";
    for (int i = 0; i < stepper->nsystems; i++) {
        int scheme = stepper->systems[i]->scheme;
        if (scheme >= 0 && scheme < stepper->nschemes && stepper->integrators[scheme]->unstated)
            return stepper->integrators[scheme]->unstated;
    }
    return "no statement: what one Newton iteration alone leaves cannot be computed again";
}

perp_status perp_sim_figure(const perp_sim *sim, int k, perp_figure *figure, size_t size)
{
    PERP_HOLD_ENVIRONMENT();
    perp_figure own;
    if (!sim || k < 0 || k >= PERP_MEASURES)
        return PERP_ERR_ARGUMENT;
    perp_certificate_figure(&sim->stepper.certificate, k, &own);
    own.why = own.known ? NULL : why(sim, k);
    return give(figure, size, &own, sizeof own);
}

perp_status perp_sim_step_figure(const perp_sim *sim, perp_step_figure *figure, size_t size)
{
    PERP_HOLD_ENVIRONMENT();
    perp_step_figure own;
    if (!sim)
        return PERP_ERR_ARGUMENT;
    perp_certificate_step_figure(&sim->stepper.certificate, &own);
    return give(figure, size, &own, sizeof own);
}

perp_status perp_sim_set_thresholds(perp_sim *sim, const perp_thresholds *thresholds)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !thresholds)
        return PERP_ERR_ARGUMENT;
    return perp_certificate_set(&sim->stepper.certificate, thresholds);
}

perp_status perp_sim_set_size(perp_sim *sim, perp_system_id id, double size)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !(size >= 0.0) || !isfinite(size))
        return PERP_ERR_ARGUMENT;
    perp_system *s = perp_model_system(sim->stepper.model, id);
    perp_away *away = perp_model_away(sim->stepper.model, id);
    if (!s && !away)
        return PERP_ERR_STATE;
    *(s ? &s->ledger.size : &away->size) = size;
    return PERP_SOLVED;
}
