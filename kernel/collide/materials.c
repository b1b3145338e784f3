/* SPDX-License-Identifier: BSD-3-Clause */
/* Materials: laws of pairs, and coefficients that combine. */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "kernel/collide/collider.h"
#include "kernel/laws/law.h"

enum { MOST_MATERIALS = 1024 };

static int law_index(int a, int b)
{
    int high = a > b ? a : b, low = a > b ? b : a;
    return high < MOST_MATERIALS ? high * (high + 1) / 2 + low : -1;
}

perp_status perp_collider_set_material(perp_collider *collider, int a, int b, double e, double mu)
{
    perp_law law = mu > 0.0 ? perp_law_friction(3, e, mu) : perp_law_impact(e);
    if (!(mu >= 0.0))
        return PERP_ERR_ARGUMENT;
    return perp_collider_set_law(collider, a, b, &law);
}

perp_status perp_collider_set_law(perp_collider *collider, int a, int b, const perp_law *law)
{
    PERP_HOLD_ENVIRONMENT();
    int k = a >= 0 && b >= 0 ? law_index(a, b) : -1;
    if (!collider || k < 0 || !law || !perp_law_is_impact(law) ||
        (law->kind == PERP_LAW_FRICTION && law->dim != (perp_law_rolls(law) ? 5 : 3)) ||
        perp_law_check(law, law->dim, NULL) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    if (!perp_pool_grow(&collider->pool, (void **)&collider->laws, &collider->room_laws, k + 1,
                        sizeof(perp_law)))
        return PERP_ERR_MEMORY;
    for (; collider->nlaws <= k; collider->nlaws++)
        collider->laws[collider->nlaws] = (perp_law){0};
    collider->laws[k] = *law;
    return PERP_SOLVED;
}

perp_status perp_collider_set_coefficients(perp_collider *collider, int material, double e,
                                           double mu, double mu_r)
{
    PERP_HOLD_ENVIRONMENT();
    if (!collider || material < 0 || material >= MOST_MATERIALS || !(e >= 0.0) || !(e <= 1.0) ||
        !(mu >= 0.0) || !(mu_r >= 0.0) || !isfinite(mu) || !isfinite(mu_r))
        return PERP_ERR_ARGUMENT;
    if (!perp_pool_grow(&collider->pool, (void **)&collider->own, &collider->room_own,
                        3 * (material + 1), sizeof(double)))
        return PERP_ERR_MEMORY;
    for (; collider->nown <= material; collider->nown++)
        collider->own[3 * collider->nown] = NAN;
    const double own[3] = {e, mu, mu_r};
    memcpy(collider->own + 3 * material, own, sizeof own);
    return PERP_SOLVED;
}

perp_status perp_collider_set_combination(perp_collider *collider, perp_combination e,
                                          perp_combination mu, perp_combination mu_r)
{
    const perp_combination rules[3] = {e, mu, mu_r};
    for (int k = 0; k < 3; k++)
        if (rules[k] < PERP_COMBINE_MINIMUM || rules[k] > PERP_COMBINE_PRODUCT)
            return PERP_ERR_ARGUMENT;
    if (!collider)
        return PERP_ERR_ARGUMENT;
    memcpy(collider->combine, rules, sizeof rules);
    return PERP_SOLVED;
}

/* Coefficients of a material: its own, else those of `general`; 1: its own. */
static int coefficients(double out[3], const perp_collider *c, int material,
                        const perp_law *general)
{
    int has = material >= 0 && material < c->nown && !isnan(c->own[3 * material]);
    out[0] = has ? c->own[3 * material] : general->e;
    out[1] = has ? c->own[3 * material + 1] : general->mu;
    out[2] = has ? c->own[3 * material + 2] : general->mu_r;
    return has;
}

static double combine(perp_combination rule, double a, double b)
{
    switch (rule) {
    case PERP_COMBINE_MINIMUM:
        return fmin(a, b);
    case PERP_COMBINE_MEAN:
        return 0.5 * a + 0.5 * b;
    case PERP_COMBINE_GEOMETRIC: /* equal ones are kept to the bit */
        return a == b ? a : sqrt(a) * sqrt(b);
    case PERP_COMBINE_MAXIMUM:
        return fmax(a, b);
    default:
        return a * b;
    }
}

/* The law of a pair that was not set. */
static perp_law combined(const perp_collider *c, int a, int b)
{
    perp_law general = c->nlaws > 0 ? c->laws[0] : (perp_law){0}, law;
    double of_a[3], of_b[3];
    int own = coefficients(of_a, c, a, &general);
    own |= coefficients(of_b, c, b, &general);
    if (!own)
        return general;
    double e = combine(c->combine[0], of_a[0], of_b[0]);
    double mu = combine(c->combine[1], of_a[1], of_b[1]);
    double mu_r = combine(c->combine[2], of_a[2], of_b[2]);
    law = mu > 0.0 && mu_r > 0.0 ? perp_law_rolling(5, e, mu, mu_r)
          : mu > 0.0             ? perp_law_friction(3, e, mu)
                                 : perp_law_impact(e);
    if (law.dim == 5) /* rigid */
        return law;
    law.relative_compliance = general.relative_compliance;
    law.stiffness = general.stiffness;
    law.damping = general.damping;
    law.e = law.stiffness > 0.0 ? 0.0 : law.e;
    return law;
}

perp_law perp_collider_law(const perp_collider *c, int material_a, int material_b, int flat)
{
    perp_law law = {0};
    int k = law_index(material_a, material_b);
    if (k >= 0 && k < c->nlaws)
        law = c->laws[k];
    if (law.dim == 0)
        law = combined(c, material_a, material_b);
    if (law.dim == 0)
        law = perp_law_impact(0.0);
    if (flat && law.dim > 1)
        law.dim = law.dim == 5 ? 3 : 2;
    return law;
}
