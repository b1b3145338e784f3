/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/model/away.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "kernel/model/model_inside.h"

enum { NQ = 7, NV = 6 };
/* The state lies in the definition as a system has it. */
_Static_assert(offsetof(perp_body_def, quaternion) ==
                       offsetof(perp_body_def, position) + 3 * sizeof(double) &&
                   offsetof(perp_body_def, angular) ==
                       offsetof(perp_body_def, velocity) + 3 * sizeof(double),
               "pose and twist are vectors");

static double *pose_of(perp_away *away)
{
    return (double *)((char *)&away->def + offsetof(perp_body_def, position));
}

static double *twist_of(perp_away *away)
{
    return (double *)((char *)&away->def + offsetof(perp_body_def, velocity));
}

perp_away *perp_model_away(const perp_model *model, perp_system_id id)
{
    if (!model || id.index >= (uint32_t)model->nsystems)
        return NULL;
    const perp_system_slot *slot = &model->systems[id.index];
    return slot->generation == id.generation ? slot->away : NULL;
}

int perp_model_is_absent(const perp_model *model, perp_system_id id)
{
    const perp_system *s = perp_model_system(model, id);
    return s ? s->presence == PERP_PRESENCE_ABSENT : perp_model_away(model, id) != NULL;
}

/* Constant forces are in the vector of the system where they do not turn with the body. */
static void take_forces(perp_body_def *def, const double *constant)
{
    if (def->force_frame == PERP_INERTIAL)
        memcpy(def->force, constant, 3 * sizeof(double));
    if (def->moment_frame == PERP_BODY)
        memcpy(def->moment, constant + 3, 3 * sizeof(double));
}

void perp_away_take(perp_away *away, const perp_system *s)
{
    away->def = s->as.body;
    memcpy(pose_of(away), s->q[PERP_NOW], NQ * sizeof(double));
    memcpy(twist_of(away), s->v[PERP_NOW], NV * sizeof(double));
    take_forces(&away->def, s->constant);
    away->unbalanced = s->unbalanced;
    away->scale = s->ledger.scale;
    away->turning = s->ledger.turning;
    away->size = s->ledger.size;
    away->scheme = s->scheme;
    away->started = s->started;
    away->quiet = s->quiet;
    away->stressed = s->stressed;
    away->resting = s->resting;
}

static void give_scalars(perp_system *s, const perp_away *away)
{
    s->unbalanced = away->unbalanced;
    s->ledger.scale = away->scale;
    s->ledger.turning = away->turning;
    s->ledger.size = away->size;
    s->scheme = away->scheme;
    s->started = away->started;
    s->quiet = away->quiet;
    s->stressed = away->stressed;
    s->resting = away->resting;
}

void perp_model_put_away(perp_model *model, perp_system *s)
{
    if (s->presence != PERP_PRESENCE_ABSENT || s->kind != PERP_SYSTEM_BODY || s->interactions > 0 ||
        s->as.body.C.rows > 0 || s->as.body.K.rows > 0 || s->nz > 0)
        return;
    perp_away *away = PERP_POOL_ARRAY(&model->pool, perp_away, 1);
    if (!away)
        return;
    perp_system_slot *slot = &model->systems[s->slot];
    perp_away_take(away, s);
    slot->away = away;
    slot->system = NULL;
    perp_system_free(s, &model->pool);
    perp_pool_give(&model->pool, s);
}

/* A state that is no number, or whose quaternion is only nearly of norm 1, comes back as it was. */
static void give_state(perp_system *s, perp_away *away)
{
    for (int k = 0; k < PERP_MOMENTS; k++) {
        memcpy(s->q[k], pose_of(away), NQ * sizeof(double));
        memcpy(s->v[k], twist_of(away), NV * sizeof(double));
    }
    memcpy(s->q_kept, pose_of(away), NQ * sizeof(double));
}

perp_status perp_model_bring_back(perp_model *model, int k)
{
    perp_system_slot *slot = &model->systems[k];
    perp_away *away = slot->away;
    perp_body_def def = away->def;
    perp_system *s = PERP_POOL_ARRAY(&model->pool, perp_system, 1);
    if (!s)
        return PERP_ERR_MEMORY;
    memset(def.position, 0, sizeof def.position);
    memset(def.velocity, 0, sizeof def.velocity);
    memset(def.angular, 0, sizeof def.angular);
    memcpy(def.quaternion, (double[4]){1.0, 0.0, 0.0, 0.0}, sizeof def.quaternion);
    perp_status status = perp_body_make(s, &def, &model->pool, NULL);
    if (status != PERP_SOLVED) {
        perp_system_free(s, &model->pool);
        perp_pool_give(&model->pool, s);
        return status;
    }
    give_state(s, away);
    give_scalars(s, away);
    s->active_head = s->coupled = s->island = -1;
    s->slot = k;
    s->presence = PERP_PRESENCE_ABSENT;
    slot->system = s;
    slot->away = NULL;
    perp_pool_give(&model->pool, away);
    return PERP_SOLVED;
}

void perp_away_state(perp_away *away, double **x, double **v, int *nx, int *nv)
{
    if (x)
        *x = pose_of(away);
    if (v)
        *v = twist_of(away);
    if (nx)
        *nx = NQ;
    if (nv)
        *nv = NV;
}

void perp_away_restart(perp_away *away)
{
    away->scheme = -1;
    away->started = away->quiet = away->stressed = 0;
    away->resting = PERP_REST_NONE;
}

double perp_away_kinetic_energy(perp_away *away)
{
    const double *v = twist_of(away);
    double M[NV * NV], momentum[NV] = {0.0}, sum = 0.0;
    perp_body_mass(M, &away->def);
    perp_mat view = {PERP_DENSE, NV, NV, {.dense = {M, NV}}};
    perp_system_add_product(momentum, &view, v, 1.0);
    for (int i = 0; i < NV; i++)
        sum += v[i] * momentum[i];
    return 0.5 * sum;
}

void perp_away_set_force(perp_away *away, const double *F)
{
    memcpy(away->def.force, F, 3 * sizeof(double));
}

void perp_away_show(perp_system *s, double *memory, perp_away *away)
{
    const double *pose = pose_of(away), *twist = twist_of(away), zero[NV] = {0.0};
    double *rest = memory;
    double **q[] = {&s->q[PERP_NOW], &s->q[PERP_GUESS], &s->q_kept};
    double **v[] = {&s->v[PERP_NOW], &s->v[PERP_GUESS], &s->p, &s->v_kept, &s->constant};
    memset(s, 0, sizeof *s);
    s->kind = PERP_SYSTEM_BODY;
    s->nq = NQ;
    s->nv = NV;
    s->as.body = away->def;
    give_scalars(s, away);
    for (size_t k = 0; k < sizeof q / sizeof *q; k++, rest += NQ)
        *q[k] = memcpy(rest, pose, NQ * sizeof(double));
    for (size_t k = 0; k < sizeof v / sizeof *v; k++, rest += NV)
        *v[k] = memcpy(rest, k < 2 ? twist : zero, NV * sizeof(double));
    if (away->def.force_frame == PERP_INERTIAL)
        memcpy(s->constant, away->def.force, 3 * sizeof(double));
    if (away->def.moment_frame == PERP_BODY)
        memcpy(s->constant + 3, away->def.moment, 3 * sizeof(double));
}
