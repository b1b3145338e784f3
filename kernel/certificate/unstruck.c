/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts with restitution that closed in the smooth step, as if nothing had struck. */
#include <math.h>

#include "kernel/certificate/certificate.h"
#include "kernel/laws/law.h"

/* Speed that forces give in a step, along row i; HUGE_VAL: not known. */
static double slow_rate(const perp_link *link, const perp_pairing *pairing, int i)
{
    double sum = 0.0;
    const double *H = pairing->H + i;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *f = s->ledger.driven, *w = s->ledger.weight;
        if (s->coupled >= 0 || (s->kind != PERP_SYSTEM_BODY && !s->mass_diagonal))
            return HUGE_VAL;
        for (int j = 0; j < s->nv; j++, H += link->rows)
            sum += fabs(*H * f[j]) * w[j];
        if (s->kind == PERP_SYSTEM_BODY)
            sum += sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) * w[0];
    }
    return sum;
}

static int may_be_unstruck(const perp_link *link)
{
    return link->law.e > 0.0 && !perp_law_gives_way(&link->law);
}

/* Speed that row i gains in the step without an impact; HUGE_VAL: not known. */
static double gained_slowly(const perp_certificate *c, const perp_link *link,
                            const perp_pairing *pairing, int i)
{
    return slow_rate(link, pairing, i) + perp_certificate_rest_rate(c, link) +
           (pairing->swing ? fabs(pairing->swing[i]) : 0.0);
}

static int was_an_impact(double u, double gain, double slow)
{
    return u < -4.0 * slow && gain > 2.0 * slow - 0.5 * u;
}

int perp_certificate_looks_unstruck(const perp_certificate *c, const perp_link *link,
                                    const perp_pairing *pairing, const double *before,
                                    const double *after)
{
    for (int i = 0; may_be_unstruck(link) && i < link->rows; i += link->law.dim)
        if (before[i] < 0.0 && pairing->impulse[i] > 0.0 &&
            was_an_impact(before[i], after[i] - before[i], gained_slowly(c, link, pairing, i)))
            return 1;
    return 0;
}

/* The rates by the pairing are still there.  What the turn of the rows makes of the rate from the
 * start to the end of the step, twice what it does to the middle, is no approach. */
void perp_certificate_unstruck(perp_certificate *c, const perp_link *link,
                               const perp_pairing *start, const double *before, const double *after)
{
    for (int i = 0; i < link->rows; i += link->law.dim) {
        double u = start->drift[i], gain = after[i] - before[i];
        const double *H = start->H + i;
        for (int k = 0; k < link->nsystems; k++)
            for (int j = 0; j < link->systems[k]->nv; j++, H += link->rows)
                u += *H * link->systems[k]->ledger.before[j];
        double slow = gained_slowly(c, link, start, i) + 2.0 * fabs(before[i] - u);
        if (start->impulse[i] > 0.0 && was_an_impact(u, gain, slow))
            perp_certificate_note(c, PERP_MEASURE_impacts, gain / -u, NULL, link);
    }
}
