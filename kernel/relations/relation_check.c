/* SPDX-License-Identifier: BSD-3-Clause */
/* What is asked of the definition of an interaction. */
#include "kernel/relations/link.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/laws/law.h"
#include "numerics/core/sized.h"

/* It lies in a perp_interaction_def. */
_Static_assert(sizeof(void *) != 8 || sizeof(perp_relation) == 344, "sizeof(perp_relation) stays");

void perp_relation_init(perp_relation *relation, size_t size)
{
    const perp_relation begun = {.kind = PERP_RELATION_LINEAR};
    perp_sized_init(relation, size, &begun, sizeof begun);
}

static perp_status refuse(perp_where *where, perp_status status, const char *what, int index)
{
    if (where)
        *where = (perp_where){what, -1, index};
    return status;
}

unsigned perp_relation_needs(const perp_relation *relation, int second_order)
{
    unsigned output = PERP_PART_H | PERP_PART_H_X, input = PERP_PART_G | PERP_PART_G_LAMBDA;
    switch (relation->kind) {
    case PERP_RELATION_TYPE1:
        return output | input;
    case PERP_RELATION_TYPE2:
        return output | PERP_PART_H_LAMBDA | input;
    case PERP_RELATION_NONLINEAR:
        return output | PERP_PART_H_LAMBDA | input | PERP_PART_G_X |
               (second_order ? (unsigned)PERP_PART_H_T : 0u);
    case PERP_RELATION_SCLERONOMOUS:
        return output;
    case PERP_RELATION_RHEONOMOUS:
        return output | PERP_PART_H_T;
    case PERP_RELATION_COMPLIANT:
        return output | PERP_PART_H_LAMBDA;
    case PERP_RELATION_LINEAR:
        return second_order &&
                       (relation->C_at || relation->D_at || relation->F_at || relation->e_at)
                   ? PERP_PART_H_T
                   : 0u;
    case PERP_RELATION_CONTACT:
    case PERP_RELATION_JOINT:
    case PERP_RELATION_COUPLING:
        break;
    }
    return 0u;
}

unsigned perp_relation_gives(const perp_relation *r)
{
    unsigned parts = 0u;
    parts |= r->h ? PERP_PART_H : 0u;
    parts |= r->h_x ? PERP_PART_H_X : 0u;
    parts |= r->h_t ? PERP_PART_H_T : 0u;
    parts |= r->h_lambda ? PERP_PART_H_LAMBDA : 0u;
    parts |= r->g ? PERP_PART_G : 0u;
    parts |= r->g_x ? PERP_PART_G_X : 0u;
    parts |= r->g_lambda ? PERP_PART_G_LAMBDA : 0u;
    return parts;
}

/* All of one order; that each comes once was seen when they were looked up. */
static perp_status check_systems(const perp_interaction_def *def, perp_system *const *systems,
                                 perp_where *where)
{
    int64_t N = 0;
    if (def->nsystems < 1)
        return refuse(where, PERP_ERR_ARGUMENT, "nsystems", -1);
    if (!systems)
        return refuse(where, PERP_ERR_ARGUMENT, "systems", -1);
    int first_order = systems[0]->kind == PERP_SYSTEM_FIRST_ORDER, prescribed = 0;
    for (int k = 0; k < def->nsystems; k++) {
        prescribed += perp_system_is_prescribed(systems[k]);
        if ((systems[k]->kind == PERP_SYSTEM_FIRST_ORDER) != first_order)
            return refuse(where, PERP_ERR_ARGUMENT, "systems", k);
        N += systems[k]->nq;
    }
    /* A contact or joint of a prescribed body and one that is free. */
    int geometric =
        def->relation.kind == PERP_RELATION_CONTACT || def->relation.kind == PERP_RELATION_JOINT;
    int coupled = def->relation.kind == PERP_RELATION_COUPLING && prescribed < def->nsystems;
    if (prescribed > 0 && !coupled && (!geometric || def->nsystems != 2 || prescribed == 2))
        return refuse(where, PERP_ERR_UNSUPPORTED, "systems", -1);
    return N > INT_MAX ? refuse(where, PERP_ERR_OVERFLOW, "systems", -1) : PERP_SOLVED;
}

/* Which kinds of systems and how many rows a relation takes. */
static perp_status check_kind(const perp_interaction_def *def, perp_system *const *systems,
                              perp_where *where)
{
    const perp_relation *r = &def->relation;
    int first_order = systems[0]->kind == PERP_SYSTEM_FIRST_ORDER, wrong = 0;
    switch (r->kind) {
    case PERP_RELATION_LINEAR:
    case PERP_RELATION_NONLINEAR:
        break;
    case PERP_RELATION_TYPE1:
    case PERP_RELATION_TYPE2:
        wrong = !first_order;
        break;
    case PERP_RELATION_SCLERONOMOUS:
    case PERP_RELATION_RHEONOMOUS:
    case PERP_RELATION_COMPLIANT:
        wrong = first_order;
        break;
    case PERP_RELATION_CONTACT:
    case PERP_RELATION_JOINT:
    case PERP_RELATION_COUPLING:
        if (def->nsystems > (r->kind == PERP_RELATION_COUPLING ? 2 * PERP_JOINT_TERMS : 2))
            return refuse(where, PERP_ERR_ARGUMENT, "nsystems", -1);
        for (int k = 0; k < def->nsystems; k++)
            if (systems[k]->kind != PERP_SYSTEM_BODY &&
                (r->kind != PERP_RELATION_COUPLING || systems[k]->kind != PERP_SYSTEM_LAGRANGIAN))
                return refuse(where, PERP_ERR_ARGUMENT, "systems", k);
        break;
    default:
        wrong = 1;
    }
    return wrong ? refuse(where, PERP_ERR_ARGUMENT, "relation.kind", -1) : PERP_SOLVED;
}

/* Side and origin are those of a coordinate. */
static perp_status check_coordinate(const perp_relation *r, perp_where *where)
{
    int is_one = r->joint == PERP_JOINT_SLIDE || r->joint == PERP_JOINT_ANGLE ||
                 r->joint == PERP_JOINT_TURN || r->joint == PERP_JOINT_SPIN;
    if (is_one ? r->side < -1 || r->side > 1 : r->side != 0)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.side", -1);
    if (!isfinite(r->origin))
        return refuse(where, PERP_ERR_NONFINITE, "relation.origin", -1);
    if (!is_one && r->origin != 0.0)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.origin", -1);
    return PERP_SOLVED;
}

/* A rate without a coordinate takes no law that looks at one. */
static int suits_spin(const perp_law *law)
{
    return law->kind == PERP_LAW_BOX && law->drive != PERP_DRIVE_PROFILE &&
           (law->drive != PERP_DRIVE_SERVO || law->stiffness == 0.0);
}

/* Rows of a contact or a joint, and laws that mean nothing there. */
static perp_status check_geometry(const perp_interaction_def *def, perp_where *where)
{
    const perp_relation *r = &def->relation;
    if (r->kind == PERP_RELATION_CONTACT) {
        if (r->rows != 1 && (r->rows < 3 || r->rows > 6))
            return refuse(where, PERP_ERR_ARGUMENT, "relation.rows", -1);
        if (!r->contact)
            return refuse(where, PERP_ERR_ARGUMENT, "relation.contact", -1);
        int unilateral =
            def->law.kind == PERP_LAW_IMPACT || def->law.kind == PERP_LAW_COMPLEMENTARITY;
        int rolls = perp_law_rolls(&def->law);
        if (rolls != (r->rows > 3) || (rolls && def->law.dim != r->rows))
            return refuse(where, PERP_ERR_ARGUMENT, "relation.rows", -1);
        if (r->rows == 3 && unilateral)
            return refuse(where, PERP_ERR_ARGUMENT, "law.kind", -1);
    } else if (r->kind == PERP_RELATION_JOINT) {
        int rows = perp_joint_rows(r->joint);
        if (rows == 0)
            return refuse(where, PERP_ERR_ARGUMENT, "relation.joint", -1);
        if (r->rows != rows)
            return refuse(where, PERP_ERR_ARGUMENT, "relation.rows", -1);
        if (def->law.kind == PERP_LAW_FRICTION ||
            (r->joint == PERP_JOINT_SPIN && !suits_spin(&def->law)))
            return refuse(where, PERP_ERR_ARGUMENT, "law.kind", -1);
        return check_coordinate(r, where);
    } else if (r->kind == PERP_RELATION_COUPLING) {
        return perp_coupling_check(def, where);
    }
    return PERP_SOLVED;
}

/* Bounds of each row, in place of those of the law. */
static perp_status check_bounds(const perp_interaction_def *def, perp_where *where)
{
    const perp_relation *r = &def->relation;
    perp_law law = def->law;
    if (!r->lo && !r->hi)
        return PERP_SOLVED;
    if (law.kind != PERP_LAW_BOX || law.drive != PERP_DRIVE_NONE)
        return refuse(where, PERP_ERR_ARGUMENT, r->lo ? "relation.lo" : "relation.hi", -1);
    for (int i = 0; i < r->rows; i++) {
        perp_where own = {NULL, -1, -1};
        law.lo = r->lo ? r->lo[i] : law.lo;
        law.hi = r->hi ? r->hi[i] : law.hi;
        perp_status status = perp_law_check(&law, 1, &own);
        if (status != PERP_SOLVED) {
            int upper = own.what && own.what[sizeof "law." - 1] == 'h';
            return refuse(where, status, upper ? "relation.hi" : "relation.lo", i);
        }
    }
    return PERP_SOLVED;
}

/* Drives act by H' on rates that do not depend on lambda. */
static perp_status check_drive(const perp_interaction_def *def, int second_order, perp_where *where)
{
    const perp_relation *r = &def->relation;
    unsigned parts = PERP_PART_H_LAMBDA | PERP_PART_G;
    int depends = (perp_relation_needs(r, second_order) & parts) != 0 || r->D || r->D_at;
    if (def->law.drive != PERP_DRIVE_NONE && (!second_order || depends))
        return refuse(where, PERP_ERR_ARGUMENT, "law.drive", -1);
    return PERP_SOLVED;
}

static perp_status check_functions(const perp_relation *r, int second_order, perp_where *where)
{
    static const struct {
        unsigned part;
        const char *what;
    } names[] = {{PERP_PART_H, "relation.h"},
                 {PERP_PART_G, "relation.g"},
                 {PERP_PART_H_X, "relation.h_x"},
                 {PERP_PART_H_T, "relation.h_t"},
                 {PERP_PART_H_LAMBDA, "relation.h_lambda"},
                 {PERP_PART_G_X, "relation.g_x"},
                 {PERP_PART_G_LAMBDA, "relation.g_lambda"}};
    unsigned missing = perp_relation_needs(r, second_order) & ~perp_relation_gives(r);
    if (r->differences)
        missing &= PERP_PART_H | PERP_PART_G;
    for (size_t k = 0; missing && k < sizeof names / sizeof names[0]; k++)
        if (missing & names[k].part)
            return refuse(where, PERP_ERR_ARGUMENT, names[k].what, -1);
    return PERP_SOLVED;
}

static perp_status check_array(const double *x, size_t rows, size_t cols, const char *what,
                               perp_where *where)
{
    if (rows * cols > INT_MAX)
        return refuse(where, PERP_ERR_OVERFLOW, what, -1);
    for (size_t k = 0; x && k < rows * cols; k++)
        if (!isfinite(x[k]))
            return refuse(where, PERP_ERR_NONFINITE, what, (int)k);
    return PERP_SOLVED;
}

/* Each term constant or at t, never both; p = C' lambda leaves no place for B. */
static perp_status check_linear(const perp_relation *r, size_t N, int second_order,
                                perp_where *where)
{
    size_t rows = (size_t)r->rows, nz = (size_t)r->nz;
    const char *twice = r->C && r->C_at   ? "relation.C_at"
                        : r->D && r->D_at ? "relation.D_at"
                        : r->F && r->F_at ? "relation.F_at"
                        : r->e && r->e_at ? "relation.e_at"
                        : r->B && r->B_at ? "relation.B_at"
                                          : NULL;
    if (twice)
        return refuse(where, PERP_ERR_ARGUMENT, twice, -1);
    if (second_order && (r->B || r->B_at))
        return refuse(where, PERP_ERR_ARGUMENT, "relation.B", -1);
    if (!r->C && !r->C_at && (second_order || (!r->D && !r->D_at)))
        return refuse(where, PERP_ERR_ARGUMENT, "relation.C", -1);
    if ((r->F || r->F_at) && r->nz == 0)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.F", -1);
    perp_status status = check_array(r->C, rows, N, "relation.C", where);
    if (status == PERP_SOLVED)
        status = check_array(r->D, rows, rows, "relation.D", where);
    if (status == PERP_SOLVED)
        status = check_array(r->F, rows, nz, "relation.F", where);
    if (status == PERP_SOLVED)
        status = check_array(r->e, rows, 1, "relation.e", where);
    if (status == PERP_SOLVED)
        status = check_array(r->B, N, rows, "relation.B", where);
    return status;
}

perp_status perp_link_check(const perp_interaction_def *def, perp_system *const *systems,
                            perp_where *where)
{
    const perp_relation *r = &def->relation;
    size_t N = 0;
    if (r->size != sizeof *r)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.size", -1);
    for (size_t k = 0; k < sizeof r->reserved / sizeof *r->reserved; k++)
        if (r->reserved[k])
            return refuse(where, PERP_ERR_ARGUMENT, "relation.reserved", (int)k);
    if (r->kind != PERP_RELATION_COUPLING && (r->nterms != 0 || r->terms))
        return refuse(where, PERP_ERR_ARGUMENT, "relation.terms", -1);
    perp_status status = check_systems(def, systems, where);
    if (status == PERP_SOLVED)
        status = check_kind(def, systems, where);
    if (status != PERP_SOLVED)
        return status;
    if (r->rows < 1)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.rows", -1);
    if (r->nz < 0 || (r->nz > 0 && !r->z))
        return refuse(where, PERP_ERR_ARGUMENT, r->nz < 0 ? "relation.nz" : "relation.z", -1);
    for (int k = 0; k < def->nsystems; k++)
        N += (size_t)systems[k]->nq;
    int second_order = systems[0]->kind != PERP_SYSTEM_FIRST_ORDER;
    status = perp_law_check(&def->law, r->rows, where);
    if (status == PERP_SOLVED)
        status = check_geometry(def, where);
    if (status == PERP_SOLVED)
        status = check_bounds(def, where);
    if (status == PERP_SOLVED)
        status = check_drive(def, second_order, where);
    if (status == PERP_SOLVED)
        status = check_functions(r, second_order, where);
    if (status == PERP_SOLVED)
        status = check_array(r->z, (size_t)r->nz, 1, "relation.z", where);
    if (status == PERP_SOLVED &&
        (size_t)r->rows * (N > (size_t)r->rows ? N : (size_t)r->rows) > INT_MAX)
        status = refuse(where, PERP_ERR_OVERFLOW, "relation.rows", -1);
    if (status == PERP_SOLVED && r->kind == PERP_RELATION_LINEAR)
        status = check_linear(r, N, second_order, where);
    return status;
}
