/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: slots of systems and interactions behind identifiers with generations. */
#include "core/float_environment.h"
#include "kernel/model/model_inside.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "kernel/laws/law.h"
#include "kernel/model/away.h"
#include "numerics/core/sized.h"

perp_status perp_model_create(perp_model **model, const perp_allocator *allocator)
{
    if (!model)
        return PERP_ERR_ARGUMENT;
    perp_pool pool;
    perp_pool_init(&pool, allocator);
    perp_model *made = PERP_POOL_ARRAY(&pool, perp_model, 1);
    if (!made)
        return PERP_ERR_MEMORY;
    made->pool = pool;
    made->free_system = made->free_link = -1;
    made->version = 1;
    *model = made;
    return PERP_SOLVED;
}

/* The pool holds the model itself. */
void perp_model_destroy(perp_model *model)
{
    if (!model)
        return;
    for (int k = 0; k < model->nlinks; k++)
        if (model->links[k].link)
            perp_link_free(model->links[k].link, &model->pool);
    for (int k = 0; k < model->nsystems; k++)
        if (model->systems[k].system)
            perp_system_free(model->systems[k].system, &model->pool);
    perp_pool pool = model->pool;
    perp_pool_free(&pool);
}

perp_system *perp_model_system(const perp_model *model, perp_system_id id)
{
    if (!model || id.index >= (uint32_t)model->nsystems)
        return NULL;
    const perp_system_slot *slot = &model->systems[id.index];
    return slot->generation == id.generation ? slot->system : NULL;
}

perp_link *perp_model_link(const perp_model *model, perp_interaction_id id)
{
    if (!model || id.index >= (uint32_t)model->nlinks)
        return NULL;
    const perp_link_slot *slot = &model->links[id.index];
    return slot->generation == id.generation ? slot->link : NULL;
}

/* Its last steps were made, or are, elsewhere: all moments are that of its state. */
static void begin_again(perp_system *s)
{
    for (int k = 0; k < PERP_MOMENTS; k++) {
        if (k == PERP_NOW)
            continue;
        memcpy(s->q[k], s->q[PERP_NOW], (size_t)s->nq * sizeof(double));
        if (s->v[PERP_NOW])
            memcpy(s->v[k], s->v[PERP_NOW], (size_t)s->nv * sizeof(double));
    }
    if (s->q_kept)
        memcpy(s->q_kept, s->q[PERP_NOW], (size_t)s->nq * sizeof(double));
    s->h_kept = 0.0;
    s->started = s->quiet = s->stressed = 0;
    s->resting = PERP_REST_NONE;
}

perp_status perp_model_set_presence(perp_model *model, perp_system_id id, perp_presence presence)
{
    int known = presence >= PERP_PRESENCE_OWN && presence <= PERP_PRESENCE_ABSENT;
    if (perp_model_away(model, id) && known && presence != PERP_PRESENCE_ABSENT) {
        perp_status status = perp_model_bring_back(model, (int)id.index);
        if (status != PERP_SOLVED)
            return status;
    }
    perp_system *s = perp_model_system(model, id);
    if (!s && !perp_model_away(model, id))
        return PERP_ERR_STATE;
    if (!known || (s && perp_system_is_prescribed(s) && presence != PERP_PRESENCE_OWN))
        return PERP_ERR_ARGUMENT;
    if (!s)
        return PERP_SOLVED;
    model->version += s->presence != (int)presence;
    if ((s->presence == PERP_PRESENCE_ABSENT) != (presence == PERP_PRESENCE_ABSENT))
        begin_again(s);
    s->presence = (int)presence;
    perp_model_put_away(model, s);
    return PERP_SOLVED;
}

void perp_model_begin_absent(perp_model *model, int absent)
{
    if (model)
        model->begin_absent = absent;
}

/* Puts a free slot at the head of the list. */
static int reserve_for_system(perp_model *model)
{
    void *slots = model->systems;
    if (model->free_system >= 0)
        return 1;
    if (model->nsystems == INT_MAX ||
        !perp_pool_grow(&model->pool, &slots, &model->capacity_systems, model->nsystems + 1,
                        sizeof *model->systems))
        return 0;
    model->systems = slots;
    model->systems[model->nsystems] = (perp_system_slot){NULL, NULL, 1, -1};
    model->free_system = model->nsystems++;
    return 1;
}

static int reserve_for_link(perp_model *model)
{
    void *slots = model->links;
    if (model->free_link >= 0)
        return 1;
    if (model->nlinks == INT_MAX || !perp_pool_grow(&model->pool, &slots, &model->capacity_links,
                                                    model->nlinks + 1, sizeof *model->links))
        return 0;
    model->links = slots;
    model->links[model->nlinks] = (perp_link_slot){NULL, 1, -1};
    model->free_link = model->nlinks++;
    return 1;
}

/* Reads the definition over `own`, which holds the defaults. */
static perp_status read_def(void *own, size_t own_size, const perp_model *model, const void *def,
                            perp_where *where)
{
    perp_system_refuse(where, PERP_SOLVED, NULL, -1);
    if (!model)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, "model", -1);
    if (!def)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, "def", -1);
    if (perp_sized_read(own, own_size, def) != PERP_SOLVED)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, "size", -1);
    return PERP_SOLVED;
}

/* A new struct and a slot for it. */
static perp_status begin_system(perp_system **s, perp_model *model)
{
    if (!reserve_for_system(model))
        return PERP_ERR_MEMORY;
    *s = PERP_POOL_ARRAY(&model->pool, perp_system, 1);
    return *s ? PERP_SOLVED : PERP_ERR_MEMORY;
}

/* Puts the system into its slot, or takes it apart where its make failed. */
static perp_status end_system(perp_model *model, perp_system *s, perp_status status,
                              perp_system_id *id)
{
    if (status != PERP_SOLVED) {
        perp_system_free(s, &model->pool);
        perp_pool_give(&model->pool, s);
        return status;
    }
    for (int k = 0; k < PERP_MOMENTS; k++)
        if (k != PERP_NOW) {
            memcpy(s->q[k], s->q[PERP_NOW], (size_t)s->nq * sizeof(double));
            if (s->v[k])
                memcpy(s->v[k], s->v[PERP_NOW], (size_t)s->nv * sizeof(double));
        }
    memcpy(s->q_kept, s->q[PERP_NOW], (size_t)s->nq * sizeof(double));
    s->scheme = -1;
    s->active_head = s->coupled = s->island = -1;
    s->slot = model->free_system;
    perp_system_slot *slot = &model->systems[s->slot];
    model->free_system = slot->next_free;
    slot->system = s;
    model->alive_systems++;
    model->prescribed += perp_system_is_prescribed(s);
    model->version++;
    if (id)
        *id = (perp_system_id){(uint32_t)s->slot, slot->generation};
    if (model->begin_absent && s->kind == PERP_SYSTEM_BODY && !perp_system_is_prescribed(s)) {
        s->presence = PERP_PRESENCE_ABSENT;
        perp_model_put_away(model, s);
    }
    return PERP_SOLVED;
}

perp_status perp_model_add_first_order(perp_model *model, const perp_first_order_def *def,
                                       perp_system_id *id, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_system *s = NULL;
    perp_first_order_def own;
    perp_first_order_def_init(&own, sizeof own);
    perp_status status = read_def(&own, sizeof own, model, def, where);
    if (status == PERP_SOLVED)
        status = begin_system(&s, model);
    if (status != PERP_SOLVED)
        return status;
    return end_system(model, s, perp_first_order_make(s, &own, &model->pool, where), id);
}

perp_status perp_model_add_lagrangian(perp_model *model, const perp_lagrangian_def *def,
                                      perp_system_id *id, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_system *s = NULL;
    perp_lagrangian_def own;
    perp_lagrangian_def_init(&own, sizeof own);
    perp_status status = read_def(&own, sizeof own, model, def, where);
    if (status == PERP_SOLVED)
        status = begin_system(&s, model);
    if (status != PERP_SOLVED)
        return status;
    return end_system(model, s, perp_lagrangian_make(s, &own, &model->pool, where), id);
}

perp_status perp_model_add_body(perp_model *model, const perp_body_def *def, perp_system_id *id,
                                perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_system *s = NULL;
    perp_body_def own;
    perp_body_def_init(&own, sizeof own);
    perp_status status = read_def(&own, sizeof own, model, def, where);
    if (status == PERP_SOLVED)
        status = begin_system(&s, model);
    if (status != PERP_SOLVED)
        return status;
    return end_system(model, s, perp_body_make(s, &own, &model->pool, where), id);
}

/* 0 is kept for identifiers of nothing. */
static uint32_t next_generation(uint32_t generation)
{
    return generation == UINT32_MAX ? 1 : generation + 1;
}

/* Prescribed bodies that take part. */
static void count_guides(const perp_link *link, int by)
{
    if (link->guide)
        link->guide->interactions += by;
    for (int k = 0; perp_coupling_part(link, k); k++)
        count_guides(perp_coupling_part(link, k), by);
}

static void remove_link(perp_model *model, int k)
{
    perp_link_slot *slot = &model->links[k];
    for (int i = 0; i < slot->link->nsystems; i++) {
        slot->link->systems[i]->interactions--;
        perp_system_disturb(slot->link->systems[i]);
    }
    count_guides(slot->link, -1);
    for (int i = 0; i < slot->link->nsystems; i++)
        perp_model_put_away(model, slot->link->systems[i]);
    perp_link_free(slot->link, &model->pool);
    *slot = (perp_link_slot){NULL, next_generation(slot->generation), model->free_link};
    model->free_link = k;
    model->alive_links--;
    model->version++;
}

static int takes_part(const perp_link *link, const perp_system *s)
{
    for (int i = 0; i < link->nsystems; i++)
        if (link->systems[i] == s)
            return 1;
    return link->guide == s || perp_coupling_has_guide(link, s);
}

perp_status perp_model_remove_system(perp_model *model, perp_system_id id)
{
    if (perp_model_away(model, id)) {
        perp_status status = perp_model_bring_back(model, (int)id.index);
        if (status != PERP_SOLVED)
            return status;
    }
    perp_system *s = perp_model_system(model, id);
    if (!s)
        return PERP_ERR_STATE;
    s->presence = PERP_PRESENCE_OWN; /* it is not to be put away while its interactions go */
    for (int k = 0; s->interactions > 0 && k < model->nlinks; k++)
        if (model->links[k].link && takes_part(model->links[k].link, s))
            remove_link(model, k);
    perp_system_slot *slot = &model->systems[s->slot];
    *slot = (perp_system_slot){NULL, NULL, next_generation(slot->generation), model->free_system};
    model->free_system = s->slot;
    model->alive_systems--;
    model->prescribed -= perp_system_is_prescribed(s);
    model->version++;
    perp_system_free(s, &model->pool);
    perp_pool_give(&model->pool, s);
    return PERP_SOLVED;
}

void perp_interaction_def_init(perp_interaction_def *def, size_t size)
{
    perp_interaction_def begun = {.law = perp_law_complementarity()};
    perp_relation_init(&begun.relation, sizeof begun.relation);
    perp_sized_init(def, size, &begun, sizeof begun);
}

/* The systems behind the identifiers of a definition: alive, and each once. */
static perp_status find_systems(perp_system **systems, perp_model *model,
                                const perp_interaction_def *def, perp_where *where)
{
    perp_status status = PERP_SOLVED;
    for (int i = 0; i < def->nsystems && status == PERP_SOLVED; i++)
        if (perp_model_away(model, def->systems[i]))
            status = perp_model_bring_back(model, (int)def->systems[i].index);
    for (int i = 0; i < def->nsystems && status == PERP_SOLVED; i++) {
        systems[i] = perp_model_system(model, def->systems[i]);
        if (systems[i]) /* the last step may have left a mark */
            systems[i]->active_head = -1;
        else
            status = perp_system_refuse(where, PERP_ERR_STATE, "systems", i);
    }
    for (int i = 0; i < def->nsystems && status == PERP_SOLVED; i++)
        if (systems[i]->active_head == -2)
            status = perp_system_refuse(where, PERP_ERR_ARGUMENT, "systems", i);
        else
            systems[i]->active_head = -2;
    /* The mark was borrowed from assembly, which sets active_head before it reads it. */
    for (int i = 0; i < def->nsystems; i++) {
        perp_system *s = perp_model_system(model, def->systems[i]);
        if (s)
            s->active_head = -1;
    }
    return status;
}

perp_status perp_model_add_interaction(perp_model *model, const perp_interaction_def *def,
                                       perp_interaction_id *id, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_interaction_def own;
    perp_interaction_def_init(&own, sizeof own);
    perp_status status = read_def(&own, sizeof own, model, def, where);
    if (status != PERP_SOLVED)
        return status;
    if (own.nsystems < 1)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, "nsystems", -1);
    if (!own.systems)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, "systems", -1);
    perp_system **systems = PERP_POOL_ARRAY(&model->pool, perp_system *, own.nsystems);
    if (!systems || !reserve_for_link(model)) {
        perp_pool_give(&model->pool, systems);
        return PERP_ERR_MEMORY;
    }
    perp_link *link = NULL;
    status = find_systems(systems, model, &own, where);
    if (status == PERP_SOLVED)
        status = perp_link_make(&link, &own, systems, &model->pool, where);
    perp_pool_give(&model->pool, systems);
    if (status != PERP_SOLVED)
        return status;
    link->slot = model->free_link;
    perp_link_slot *slot = &model->links[link->slot];
    model->free_link = slot->next_free;
    slot->link = link;
    for (int i = 0; i < link->nsystems; i++) {
        link->systems[i]->interactions++;
        perp_system_disturb(link->systems[i]);
    }
    count_guides(link, 1);
    model->alive_links++;
    model->version++;
    if (id)
        *id = (perp_interaction_id){(uint32_t)link->slot, slot->generation};
    return PERP_SOLVED;
}

perp_status perp_model_remove_interaction(perp_model *model, perp_interaction_id id)
{
    perp_link *link = perp_model_link(model, id);
    if (!link)
        return PERP_ERR_STATE;
    remove_link(model, link->slot);
    return PERP_SOLVED;
}

perp_status perp_model_state(perp_model *model, perp_system_id id, double **x, double **v, int *nx,
                             int *nv)
{
    perp_system *s = perp_model_system(model, id);
    perp_away *away = perp_model_away(model, id);
    if (!s && !away)
        return PERP_ERR_STATE;
    if (away) {
        perp_away_state(away, x, v, nx, nv);
        return PERP_SOLVED;
    }
    if (x)
        *x = s->q[PERP_NOW];
    if (v)
        *v = s->v[PERP_NOW];
    if (nx)
        *nx = s->nq;
    if (nv)
        *nv = s->v[PERP_NOW] ? s->nv : 0;
    return PERP_SOLVED;
}

void perp_model_changed(perp_model *model)
{
    PERP_HOLD_ENVIRONMENT();
    if (model)
        model->changed = 1;
}

perp_status perp_model_input(const perp_model *model, perp_system_id id, const double **p)
{
    PERP_HOLD_ENVIRONMENT();
    static const double none[6] = {0.0}; /* what others do to it is not known here */
    const perp_system *s = perp_model_system(model, id);
    const perp_away *away = perp_model_away(model, id);
    if (!s && !away)
        return PERP_ERR_STATE;
    if (!p)
        return PERP_ERR_ARGUMENT;
    *p = away ? none : s->p;
    return PERP_SOLVED;
}

perp_status perp_model_parameters(perp_model *model, perp_system_id id, double **z, int *nz)
{
    const perp_system *s = perp_model_system(model, id);
    if (!s && !perp_model_away(model, id))
        return PERP_ERR_STATE;
    if (z)
        *z = s ? s->z : NULL;
    if (nz)
        *nz = s ? s->nz : 0;
    return PERP_SOLVED;
}

perp_status perp_model_set_force(perp_model *model, perp_system_id id, const double *F)
{
    PERP_HOLD_ENVIRONMENT();
    perp_system *s = perp_model_system(model, id);
    perp_away *away = perp_model_away(model, id);
    if (!s && !away)
        return PERP_ERR_STATE;
    int count = away || s->kind == PERP_SYSTEM_BODY ? 3 : s->nv;
    if ((s && s->kind == PERP_SYSTEM_FIRST_ORDER) || !F)
        return PERP_ERR_ARGUMENT;
    for (int i = 0; i < count; i++)
        if (!isfinite(F[i]))
            return PERP_ERR_NONFINITE;
    if (away) {
        perp_away_set_force(away, F);
        return PERP_SOLVED;
    }
    int turns = s->kind == PERP_SYSTEM_BODY && s->as.body.force_frame == PERP_BODY;
    double *to = turns ? s->as.body.force : s->constant;
    if (memcmp(to, F, (size_t)count * sizeof(double)) != 0)
        perp_system_disturb(s);
    memcpy(to, F, (size_t)count * sizeof(double));
    return PERP_SOLVED;
}

perp_status perp_model_output(const perp_model *model, perp_interaction_id id, const double **y,
                              const double **u, const double **lambda, int *rows, int *active)
{
    const perp_link *link = perp_model_link(model, id);
    if (!link)
        return PERP_ERR_STATE;
    if (y)
        *y = link->y;
    if (u)
        *u = link->u;
    if (lambda)
        *lambda = link->lambda;
    if (rows)
        *rows = link->rows;
    if (active)
        *active = link->active;
    return PERP_SOLVED;
}

int perp_model_interaction_systems(const perp_model *model, perp_interaction_id id,
                                   perp_system_id *systems, int capacity)
{
    const perp_link *link = model ? perp_model_link(model, id) : NULL;
    for (int k = 0; link && k < link->nsystems && k < capacity; k++) {
        int slot = link->systems[k]->slot;
        systems[k] = (perp_system_id){(uint32_t)slot, model->systems[slot].generation};
    }
    return link ? link->nsystems : 0;
}

perp_status perp_model_set_law(perp_model *model, perp_interaction_id id, const perp_law *law)
{
    PERP_HOLD_ENVIRONMENT();
    perp_link *link = perp_model_link(model, id);
    if (!link)
        return PERP_ERR_STATE;
    if (!law || law->kind != link->law.kind || law->dim != link->law.dim)
        return PERP_ERR_ARGUMENT;
    if (link->relation.kind == PERP_RELATION_CONTACT && perp_law_rolls(law) != (link->rows > 3))
        return PERP_ERR_ARGUMENT;
    perp_status status = perp_law_check(law, link->rows, NULL);
    if (status != PERP_SOLVED)
        return status;
    /* Other numbers of a drive leave the pattern and what schemes say of it as they are; solvers
     * may look at which bounds there are. */
    int same = law->drive != PERP_DRIVE_NONE && law->drive == link->law.drive &&
               isfinite(law->lo) == isfinite(link->law.lo) &&
               isfinite(law->hi) == isfinite(link->law.hi);
    if (memcmp(&link->law, law, sizeof *law) != 0)
        for (int k = 0; k < link->nsystems; k++)
            perp_system_disturb(link->systems[k]);
    link->law = *law;
    model->version += !same;
    return PERP_SOLVED;
}

int perp_model_is_prescribed(const perp_model *model, perp_system_id id)
{
    const perp_system *s = model ? perp_model_system(model, id) : NULL;
    return s && perp_system_is_prescribed(s);
}

int perp_model_systems(const perp_model *model)
{
    return model ? model->alive_systems : 0;
}

int perp_model_interactions(const perp_model *model)
{
    return model ? model->alive_links : 0;
}

perp_system_id perp_model_next_system(const perp_model *model, perp_system_id id)
{
    uint32_t k = id.generation ? id.index + 1 : 0;
    for (; model && k < (uint32_t)model->nsystems; k++)
        if (model->systems[k].system || model->systems[k].away)
            return (perp_system_id){k, model->systems[k].generation};
    return (perp_system_id){0, 0};
}

perp_interaction_id perp_model_next_interaction(const perp_model *model, perp_interaction_id id)
{
    uint32_t k = id.generation ? id.index + 1 : 0;
    for (; model && k < (uint32_t)model->nlinks; k++)
        if (model->links[k].link)
            return (perp_interaction_id){k, model->links[k].generation};
    return (perp_interaction_id){0, 0};
}

perp_status perp_model_kinetic_energy(perp_model *model, perp_system_id id, double t,
                                      double *energy)
{
    PERP_HOLD_ENVIRONMENT();
    perp_system *s = perp_model_system(model, id);
    perp_away *away = perp_model_away(model, id);
    (void)t;
    if (!s && !away)
        return PERP_ERR_STATE;
    if (!energy)
        return PERP_ERR_ARGUMENT;
    if (away) {
        *energy = perp_away_kinetic_energy(away);
        return PERP_SOLVED;
    }
    const double *v = perp_system_is_prescribed(s) ? NULL : s->v[PERP_NOW];
    double sum = 0.0;
    if (v && perp_system_mass_apply(s->base, s, s->q[PERP_NOW], v))
        return PERP_INTERRUPTED;
    for (int i = 0; v && i < s->nv; i++)
        sum += v[i] * s->base[i];
    *energy = 0.5 * sum;
    return PERP_SOLVED;
}
