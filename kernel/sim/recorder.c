/* SPDX-License-Identifier: BSD-3-Clause */
#include <perp/recorder.h>

#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "kernel/systems/pool.h"

typedef struct column {
    perp_record what;
    uint32_t index, generation;
    int component;
    perp_record_fn value; /* NULL: a quantity of the model */
    void *ctx;
    char *name; /* NULL: none */
} column;

struct perp_recorder {
    perp_pool pool;
    perp_model *model;
    column *columns;
    int ncolumns, capacity_columns;
    double *data;
    int nrows, capacity_data; /* rows; doubles */
    int every, calls;
    perp_instant_kind kind; /* of the row that is being taken */
    /* The step whose instants are shown, and what was there before its first. */
    long step;
    int rows_before, calls_before;
};

perp_status perp_recorder_create(perp_recorder **recorder, perp_model *model,
                                 const perp_allocator *allocator)
{
    if (!recorder)
        return PERP_ERR_ARGUMENT;
    *recorder = NULL;
    if (!model)
        return PERP_ERR_ARGUMENT;
    perp_pool pool;
    perp_pool_init(&pool, allocator);
    perp_recorder *made = pool.allocator.allocate(pool.allocator.ctx, sizeof *made);
    if (!made)
        return PERP_ERR_MEMORY;
    memset(made, 0, sizeof *made);
    made->pool = pool;
    made->model = model;
    made->every = 1;
    made->step = -1;
    *recorder = made;
    return PERP_SOLVED;
}

void perp_recorder_destroy(perp_recorder *recorder)
{
    if (!recorder)
        return;
    perp_allocator memory = recorder->pool.allocator;
    perp_pool_free(&recorder->pool);
    memory.release(memory.ctx, recorder);
}

/* Of a column that is neither of a system nor of an interaction. */
static int of_row(perp_record what)
{
    return what == PERP_RECORD_INSTANT;
}

static int of_system(perp_record what)
{
    return what <= PERP_RECORD_KINETIC;
}

/* The value of a column now. */
static perp_status value_of(double *value, const perp_recorder *recorder, const column *c, double t)
{
    const double *list = NULL;
    int count = 0, active = 0;
    perp_status status;
    if (c->value) {
        *value = c->value(c->ctx, t);
        return PERP_SOLVED;
    }
    if (of_row(c->what)) {
        *value = (double)recorder->kind;
        return c->component == 0 ? PERP_SOLVED : PERP_ERR_ARGUMENT;
    }
    if (of_system(c->what)) {
        perp_system_id id = {c->index, c->generation};
        double *x = NULL, *v = NULL;
        int nx = 0, nv = 0;
        status = perp_model_state(recorder->model, id, &x, &v, &nx, &nv);
        list = c->what == PERP_RECORD_Q ? x : v;
        count = c->what == PERP_RECORD_Q ? nx : nv;
        if (c->what == PERP_RECORD_P && !v) /* of a first-order system */
            count = nx;
        if (status == PERP_SOLVED && c->what == PERP_RECORD_P)
            status = perp_model_input(recorder->model, id, &list);
        if (status == PERP_SOLVED && c->what == PERP_RECORD_KINETIC)
            return c->component == 0 ? perp_model_kinetic_energy(recorder->model, id, t, value)
                                     : PERP_ERR_ARGUMENT;
    } else {
        perp_interaction_id id = {c->index, c->generation};
        const double *y = NULL, *u = NULL, *lambda = NULL;
        status = perp_model_output(recorder->model, id, &y, &u, &lambda, &count, &active);
        list = c->what == PERP_RECORD_Y ? y : c->what == PERP_RECORD_U ? u : lambda;
        if (c->what == PERP_RECORD_ACTIVE) {
            *value = active;
            return c->component == 0 ? status : PERP_ERR_ARGUMENT;
        }
    }
    if (status != PERP_SOLVED)
        return status;
    if (!list || c->component < 0 || c->component >= count)
        return PERP_ERR_ARGUMENT;
    *value = list[c->component];
    return PERP_SOLVED;
}

static perp_status add(perp_recorder *recorder, const column *added)
{
    if (recorder->nrows > 0)
        return PERP_ERR_STATE;
    if (!added->value) {
        double value;
        perp_status status = value_of(&value, recorder, added, 0.0);
        if (status != PERP_SOLVED)
            return status;
    }
    if (!perp_pool_grow(&recorder->pool, (void **)&recorder->columns, &recorder->capacity_columns,
                        recorder->ncolumns + 1, sizeof *recorder->columns))
        return PERP_ERR_MEMORY;
    recorder->columns[recorder->ncolumns++] = *added;
    return PERP_SOLVED;
}

perp_status perp_recorder_add(perp_recorder *recorder, perp_record what, uint32_t index,
                              uint32_t generation, int component)
{
    if (!recorder || (int)what < 0 || what > PERP_RECORD_INSTANT)
        return PERP_ERR_ARGUMENT;
    return add(recorder, &(column){what, index, generation, component, NULL, NULL, NULL});
}

perp_status perp_recorder_add_value(perp_recorder *recorder, perp_record_fn value, void *ctx)
{
    if (!recorder || !value)
        return PERP_ERR_ARGUMENT;
    return add(recorder, &(column){PERP_RECORD_Q, 0, 0, 0, value, ctx, NULL});
}

perp_status perp_recorder_set_name(perp_recorder *recorder, int k, const char *name)
{
    if (!recorder || !name || k < 1 || k > recorder->ncolumns)
        return PERP_ERR_ARGUMENT;
    char *copy = perp_pool_take(&recorder->pool, strlen(name) + 1);
    if (!copy)
        return PERP_ERR_MEMORY;
    strcpy(copy, name);
    perp_pool_give(&recorder->pool, recorder->columns[k - 1].name);
    recorder->columns[k - 1].name = copy;
    return PERP_SOLVED;
}

const char *perp_recorder_name(const perp_recorder *recorder, int k)
{
    if (!recorder || k < 0 || k > recorder->ncolumns)
        return NULL;
    return k == 0 ? "t" : recorder->columns[k - 1].name;
}

void perp_recorder_set_every(perp_recorder *recorder, int k)
{
    if (recorder)
        recorder->every = k > 0 ? k : 1;
}

perp_status perp_recorder_reserve(perp_recorder *recorder, int rows)
{
    if (!recorder)
        return PERP_ERR_ARGUMENT;
    long wanted = ((long)recorder->nrows + rows) * (recorder->ncolumns + 1);
    if (rows < 0 || wanted > INT_MAX)
        return PERP_ERR_OVERFLOW;
    return perp_pool_grow(&recorder->pool, (void **)&recorder->data, &recorder->capacity_data,
                          (int)wanted, sizeof *recorder->data)
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

perp_status perp_recorder_sample(perp_recorder *recorder, double t)
{
    PERP_HOLD_ENVIRONMENT();
    perp_status status = perp_recorder_reserve(recorder, 1);
    if (status != PERP_SOLVED)
        return status;
    double *row = recorder->data + (size_t)recorder->nrows * (size_t)(recorder->ncolumns + 1);
    row[0] = t;
    for (int k = 0; k < recorder->ncolumns; k++)
        if (value_of(&row[k + 1], recorder, &recorder->columns[k], t) != PERP_SOLVED)
            row[k + 1] = NAN;
    recorder->nrows++;
    return PERP_SOLVED;
}

int perp_recorder_step(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    PERP_HOLD_ENVIRONMENT();
    perp_recorder *recorder = ctx;
    (void)sim, (void)model, (void)h;
    if (!recorder)
        return 1;
    if (++recorder->calls < recorder->every)
        return 0;
    recorder->calls = 0;
    return perp_recorder_sample(recorder, t) != PERP_SOLVED;
}

int perp_recorder_instant(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *instant)
{
    PERP_HOLD_ENVIRONMENT();
    perp_recorder *recorder = ctx;
    if (!recorder || !instant)
        return 1;
    const perp_step_info *info = perp_sim_info(sim);
    if (info && info->step != recorder->step) {
        recorder->step = info->step;
        recorder->rows_before = recorder->nrows;
        recorder->calls_before = recorder->calls;
    } else if (instant->number == 0) { /* a step that is tried again */
        recorder->nrows = recorder->rows_before;
        recorder->calls = recorder->calls_before;
    }
    recorder->kind = instant->kind;
    int stop = perp_recorder_step(ctx, sim, model, instant->t, instant->h);
    recorder->kind = PERP_INSTANT_SMOOTH;
    return stop;
}

int perp_recorder_rows(const perp_recorder *recorder)
{
    return recorder ? recorder->nrows : 0;
}

int perp_recorder_columns(const perp_recorder *recorder)
{
    return recorder ? recorder->ncolumns + 1 : 0;
}

const double *perp_recorder_data(const perp_recorder *recorder)
{
    return recorder ? recorder->data : NULL;
}

void perp_recorder_clear(perp_recorder *recorder)
{
    if (recorder)
        recorder->nrows = recorder->calls = recorder->rows_before = recorder->calls_before = 0;
}
