/* SPDX-License-Identifier: BSD-3-Clause */
/* Materials: laws and skins of pairs, and coefficients that combine. */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "kernel/collide/collider.h"
#include "kernel/laws/law.h"

enum { MOST_MATERIALS = 1024, COEFFICIENTS = 4 };

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

static int rows_in_space(const perp_law *law)
{
    int rows = law->mu_r > 0.0 ? 5 : 3;
    return law->mu_s > 0.0 ? rows + 1 : rows;
}

perp_status perp_collider_set_law(perp_collider *collider, int a, int b, const perp_law *law)
{
    PERP_HOLD_ENVIRONMENT();
    int k = a >= 0 && b >= 0 ? law_index(a, b) : -1;
    if (!collider || k < 0 || !law || !perp_law_is_impact(law) ||
        (law->kind == PERP_LAW_FRICTION && law->dim != rows_in_space(law)) ||
        perp_law_check(law, law->dim, NULL) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    if (!perp_pool_grow(&collider->pool, (void **)&collider->laws, &collider->capacity_laws, k + 1,
                        sizeof(perp_law)))
        return PERP_ERR_MEMORY;
    for (; collider->nlaws <= k; collider->nlaws++)
        collider->laws[collider->nlaws] = (perp_law){0};
    collider->laws[k] = *law;
    collider->changed = 1;
    return PERP_SOLVED;
}

perp_status perp_collider_set_skin(perp_collider *collider, int a, int b, double skin)
{
    PERP_HOLD_ENVIRONMENT();
    int k = a >= 0 && b >= 0 ? law_index(a, b) : -1;
    if (!collider || k < 0 || !isfinite(skin))
        return PERP_ERR_ARGUMENT;
    if (!perp_pool_grow(&collider->pool, (void **)&collider->skins, &collider->capacity_skins,
                        k + 1, sizeof(double)))
        return PERP_ERR_MEMORY;
    for (; collider->nskins <= k; collider->nskins++)
        collider->skins[collider->nskins] = NAN;
    collider->skins[k] = skin;
    collider->most_skin = 0.0;
    for (int i = 0; i < collider->nskins; i++)
        collider->most_skin = fmax(collider->most_skin, collider->skins[i]);
    collider->changed = 1;
    return PERP_SOLVED;
}

double perp_collider_skin(const perp_collider *c, int material_a, int material_b)
{
    int k = law_index(material_a, material_b);
    if (c->nskins == 0)
        return 0.0;
    double skin = k >= 0 && k < c->nskins ? c->skins[k] : NAN;
    skin = isnan(skin) ? c->skins[0] : skin;
    return isnan(skin) ? 0.0 : skin;
}

perp_status perp_collider_set_coefficients(perp_collider *collider, int material, double e,
                                           double mu, double mu_r)
{
    PERP_HOLD_ENVIRONMENT();
    if (!collider || material < 0 || material >= MOST_MATERIALS || !(e >= 0.0) || !(e <= 1.0) ||
        !(mu >= 0.0) || !(mu_r >= 0.0) || !isfinite(mu) || !isfinite(mu_r))
        return PERP_ERR_ARGUMENT;
    if (!perp_pool_grow(&collider->pool, (void **)&collider->own, &collider->capacity_own,
                        COEFFICIENTS * (material + 1), sizeof(double)))
        return PERP_ERR_MEMORY;
    for (; collider->nown <= material; collider->nown++)
        collider->own[COEFFICIENTS * collider->nown] = NAN;
    double *own = collider->own + COEFFICIENTS * material;
    own[3] = isnan(own[0]) ? 0.0 : own[3];
    own[0] = e;
    own[1] = mu;
    own[2] = mu_r;
    collider->changed = 1;
    return PERP_SOLVED;
}

static int has_own(const perp_collider *c, int material)
{
    return material >= 0 && material < c->nown && !isnan(c->own[COEFFICIENTS * material]);
}

perp_status perp_collider_set_torsion(perp_collider *collider, int material, double mu_s)
{
    if (!collider || !(mu_s >= 0.0) || !isfinite(mu_s))
        return PERP_ERR_ARGUMENT;
    if (!has_own(collider, material))
        return PERP_ERR_STATE;
    collider->own[COEFFICIENTS * material + 3] = mu_s;
    collider->changed = 1;
    return PERP_SOLVED;
}

perp_status perp_collider_set_torsion_combination(perp_collider *collider, perp_combination mu_s)
{
    if (!collider || mu_s < PERP_COMBINE_MINIMUM || mu_s > PERP_COMBINE_PRODUCT)
        return PERP_ERR_ARGUMENT;
    collider->combine[3] = mu_s;
    collider->changed = 1;
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
    collider->changed = 1;
    return PERP_SOLVED;
}

/* Coefficients of a material: its own, else those of `general`; 1: its own. */
static int coefficients(double out[COEFFICIENTS], const perp_collider *c, int material,
                        const perp_law *general)
{
    const double of_all[COEFFICIENTS] = {general->e, general->mu, general->mu_r, general->mu_s};
    int has = has_own(c, material);
    memcpy(out, has ? c->own + COEFFICIENTS * material : of_all, sizeof of_all);
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
    double of_a[COEFFICIENTS], of_b[COEFFICIENTS];
    int own = coefficients(of_a, c, a, &general);
    own |= coefficients(of_b, c, b, &general);
    if (!own)
        return general;
    double e = combine(c->combine[0], of_a[0], of_b[0]);
    double mu = combine(c->combine[1], of_a[1], of_b[1]);
    double mu_r = combine(c->combine[2], of_a[2], of_b[2]);
    double mu_s = combine(c->combine[3], of_a[3], of_b[3]);
    law = mu > 0.0 ? perp_law_friction(3, e, mu) : perp_law_impact(e);
    law.mu_r = mu > 0.0 ? mu_r : 0.0;
    law.mu_s = mu > 0.0 ? mu_s : 0.0;
    law.dim = mu > 0.0 ? rows_in_space(&law) : 1;
    if (law.dim > 3) /* rigid */
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
    if (flat && law.dim > 1) {
        law.dim = law.mu_r > 0.0 ? 3 : 2;
        law.mu_s = 0.0; /* nothing turns about a normal in the plane */
    }
    return law;
}

perp_status perp_collider_pair_law(const perp_collider *collider, int a, int b, int flat,
                                   perp_law *law)
{
    if (!collider || !law || a < 0 || b < 0)
        return PERP_ERR_ARGUMENT;
    *law = perp_collider_law(collider, a, b, flat);
    return PERP_SOLVED;
}
