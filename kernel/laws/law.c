/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws: constructors, ranges and what each becomes in the one-step problem. */
#include "kernel/laws/law.h"

#include <math.h>

/* It lies in a perp_interaction_def and is returned by value. */
_Static_assert(sizeof(perp_law) == sizeof(size_t) + 8 + 13 * sizeof(double),
               "sizeof(perp_law) stays");

perp_law perp_law_complementarity(void)
{
    return (perp_law){.size = sizeof(perp_law), .kind = PERP_LAW_COMPLEMENTARITY, .dim = 1};
}

perp_law perp_law_equality(void)
{
    return (perp_law){.size = sizeof(perp_law), .kind = PERP_LAW_EQUALITY, .dim = 1};
}

perp_law perp_law_relay(double lo, double hi)
{
    return (perp_law){.size = sizeof(perp_law), .kind = PERP_LAW_BOX, .dim = 1, .lo = lo, .hi = hi};
}

perp_law perp_law_impact(double e)
{
    return (perp_law){.size = sizeof(perp_law), .kind = PERP_LAW_IMPACT, .dim = 1, .e = e};
}

perp_law perp_law_friction(int dim, double e, double mu)
{
    return (perp_law){
        .size = sizeof(perp_law), .kind = PERP_LAW_FRICTION, .dim = dim, .e = e, .mu = mu};
}

static perp_status refuse(perp_where *where, perp_status status, const char *what)
{
    if (where)
        *where = (perp_where){what, -1, -1};
    return status;
}

static perp_status check_range(double value, double lowest, double highest, const char *what,
                               perp_where *where)
{
    if (!isfinite(value))
        return refuse(where, PERP_ERR_NONFINITE, what);
    if (value < lowest || value > highest)
        return refuse(where, PERP_ERR_ARGUMENT, what);
    return PERP_SOLVED;
}

static perp_status check_bounds(const perp_law *law, perp_where *where)
{
    if (isnan(law->lo))
        return refuse(where, PERP_ERR_NONFINITE, "law.lo");
    if (isnan(law->hi))
        return refuse(where, PERP_ERR_NONFINITE, "law.hi");
    if (law->lo > law->hi || law->lo == (double)INFINITY)
        return refuse(where, PERP_ERR_ARGUMENT, "law.lo");
    if (law->hi == -(double)INFINITY)
        return refuse(where, PERP_ERR_ARGUMENT, "law.hi");
    return PERP_SOLVED;
}

perp_status perp_law_check(const perp_law *law, int rows, perp_where *where)
{
    if (law->size != sizeof *law)
        return refuse(where, PERP_ERR_ARGUMENT, "law.size");
    for (size_t k = 0; k < sizeof law->reserved / sizeof *law->reserved; k++)
        if (law->reserved[k] != 0.0)
            return refuse(where, PERP_ERR_ARGUMENT, "law.reserved");
    if ((int)law->kind < 0 || law->kind > PERP_LAW_FRICTION)
        return refuse(where, PERP_ERR_ARGUMENT, "law.kind");
    int friction = law->kind == PERP_LAW_FRICTION;
    if (friction ? law->dim != 2 && law->dim != 3 : law->dim != 1)
        return refuse(where, PERP_ERR_ARGUMENT, "law.dim");
    if (rows < 1 || rows % law->dim != 0)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.rows");
    perp_status status = PERP_SOLVED;
    if (perp_law_is_impact(law))
        status = check_range(law->e, 0.0, 1.0, "law.e", where);
    if (status == PERP_SOLVED && friction)
        status = check_range(law->e_t, 0.0, 1.0, "law.e_t", where);
    if (status == PERP_SOLVED && friction)
        status = check_range(law->mu, 0.0, HUGE_VAL, "law.mu", where);
    if (status == PERP_SOLVED && law->kind == PERP_LAW_BOX)
        status = check_bounds(law, where);
    return status;
}

perp_set perp_law_set(const perp_law *law)
{
    switch (law->kind) {
    case PERP_LAW_EQUALITY:
        return PERP_FREE;
    case PERP_LAW_BOX:
        return PERP_BOX;
    case PERP_LAW_FRICTION:
        return PERP_COULOMB;
    case PERP_LAW_COMPLEMENTARITY:
    case PERP_LAW_IMPACT:
        break;
    }
    return PERP_NONNEG;
}

void perp_law_parameters(double *first, double *second, const perp_law *law)
{
    *first = law->kind == PERP_LAW_FRICTION ? law->mu : law->kind == PERP_LAW_BOX ? law->lo : 0.0;
    *second = law->kind == PERP_LAW_BOX ? law->hi : 0.0;
}

int perp_law_is_impact(const perp_law *law)
{
    return law->kind == PERP_LAW_IMPACT || law->kind == PERP_LAW_FRICTION;
}

void perp_law_restitution(double *q, const perp_law *law, const double *u_start, int rows)
{
    if (!perp_law_is_impact(law))
        return;
    for (int i = 0; i < rows; i++)
        q[i] += (i % law->dim == 0 ? law->e : law->e_t) * u_start[i];
}

double perp_law_violation(const perp_law *law, const double *y, int rows)
{
    double largest = 0.0;
    if (law->kind == PERP_LAW_BOX)
        return 0.0;
    for (int i = 0; i < rows; i += law->dim) {
        double violation = law->kind == PERP_LAW_EQUALITY ? fabs(y[i]) : -y[i];
        if (violation > largest)
            largest = violation;
    }
    return largest;
}
