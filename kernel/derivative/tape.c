/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of a tape. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "kernel/derivative/linear.h"
#include "kernel/derivative/stage_system.h"
#include "kernel/derivative/tape.h"

void perp_tape_settings_init(perp_tape_settings *settings, size_t size)
{
    const perp_tape_settings own = {.kink = 1e-9, .dense = 1000, .factors = (size_t)1 << 28};
    perp_sized_init(settings, size, &own, sizeof own);
}

static perp_status fail(perp_where *where, perp_status status, const char *what, int index)
{
    if (where)
        *where = (perp_where){what, -1, index};
    return status;
}

static perp_status read_settings(perp_tape_settings *own, const perp_tape_settings *callers,
                                 perp_where *where)
{
    *own = (perp_tape_settings){.size = sizeof *own};
    perp_tape_settings_init(own, sizeof *own);
    if (callers && perp_sized_read(own, sizeof *own, callers) != PERP_SOLVED)
        return fail(where, PERP_ERR_SETTING, "size", -1);
    if (!(own->kink >= 0.0 && own->kink <= 1e-2))
        return fail(where, PERP_ERR_SETTING, "kink", -1);
    if (own->dense < 0)
        return fail(where, PERP_ERR_SETTING, "dense", -1);
    if (own->differences != 0 && own->differences != 1)
        return fail(where, PERP_ERR_SETTING, "differences", -1);
    return PERP_SOLVED;
}

static void clear_info(perp_tape *tape)
{
    tape->info = (perp_tape_info){
        .size = sizeof tape->info, .parameters = tape->nparameters, .where = {NULL, -1, -1}};
}

static void sim_is_gone(void *ctx)
{
    ((perp_tape *)ctx)->sim = NULL;
}

perp_status perp_tape_create(perp_tape **tape, perp_sim *sim, const perp_tape_settings *settings,
                             const perp_allocator *allocator, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_tape_settings own;
    perp_pool pool;
    if (!tape)
        return fail(where, PERP_ERR_ARGUMENT, "tape", -1);
    *tape = NULL;
    if (!sim)
        return fail(where, PERP_ERR_ARGUMENT, "sim", -1);
    perp_status status = read_settings(&own, settings, where);
    if (status != PERP_SOLVED)
        return status;
    if (sim->witness.taken)
        return fail(where, PERP_ERR_STATE, "sim", -1);
    perp_pool_init(&pool, allocator);
    perp_tape *made = pool.allocator.allocate(pool.allocator.ctx, sizeof *made);
    if (!made)
        return fail(where, PERP_ERR_MEMORY, "tape", -1);
    *made = (perp_tape){.pool = pool, .sim = sim, .settings = own, .recording = 1};
    clear_info(made);
    sim->witness = (perp_sim_witness){perp_tape_record, sim_is_gone, made};
    sim->stepper.follower = (perp_step_follower){perp_tape_follow, made};
    *tape = made;
    return PERP_SOLVED;
}

void perp_tape_destroy(perp_tape *tape)
{
    if (!tape)
        return;
    if (tape->sim) {
        memset(&tape->sim->witness, 0, sizeof tape->sim->witness);
        memset(&tape->sim->stepper.follower, 0, sizeof tape->sim->stepper.follower);
    }
    perp_allocator memory = tape->pool.allocator;
    perp_tape_linear_destroy(tape);
    perp_tape_stage_system_destroy(tape);
    perp_pool_free(&tape->pool);
    memory.release(memory.ctx, tape);
}

void perp_tape_reset(perp_tape *tape)
{
    if (!tape)
        return;
    perp_tape_forget(tape);
    tape->draft.stages = NULL;
    tape->nsteps = tape->nsystems = tape->dofs = 0;
    clear_info(tape);
}

perp_status perp_tape_set_recording(perp_tape *tape, int on)
{
    if (!tape)
        return PERP_ERR_ARGUMENT;
    tape->recording = on != 0;
    return PERP_SOLVED;
}

perp_status perp_tape_set_parameters(perp_tape *tape, int count, const perp_tape_parameter *list,
                                     perp_where *where)
{
    if (where)
        *where = (perp_where){NULL, -1, -1};
    if (!tape || count < 0 || (count > 0 && !list))
        return fail(where, PERP_ERR_ARGUMENT, tape ? "list" : "tape", -1);
    if (tape->nsteps > 0 || tape->info.status != PERP_SOLVED)
        return fail(where, PERP_ERR_STATE, "steps", -1);
    if (!tape->sim)
        return fail(where, PERP_ERR_STATE, "sim", -1);
    for (int k = 0; k < count; k++) {
        const char *what = "quantity";
        perp_status status = perp_tape_check_parameter(tape, &list[k], &what);
        if (status != PERP_SOLVED)
            return fail(where, status, what, k);
    }
    if (!perp_pool_grow(&tape->pool, (void **)&tape->parameters, &tape->capacity_parameters, count,
                        sizeof *tape->parameters))
        return fail(where, PERP_ERR_MEMORY, "list", -1);
    if (count > 0)
        memcpy(tape->parameters, list, sizeof *list * (size_t)count);
    tape->info.parameters = tape->nparameters = count;
    return PERP_SOLVED;
}

perp_status perp_tape_set_turn(perp_tape *tape, perp_interaction_id interaction,
                               perp_tape_turn_fn fn, void *user)
{
    int k = 0;
    if (!tape)
        return PERP_ERR_ARGUMENT;
    if (!tape->sim || tape->nsteps > 0 || !perp_model_link(tape->sim->stepper.model, interaction))
        return PERP_ERR_STATE;
    while (k < tape->nturns && (tape->turns[k].id.index != interaction.index ||
                                tape->turns[k].id.generation != interaction.generation))
        k++;
    if (k == tape->nturns) {
        if (!perp_pool_grow(&tape->pool, (void **)&tape->turns, &tape->capacity_turns, k + 1,
                            sizeof *tape->turns))
            return PERP_ERR_MEMORY;
        tape->nturns++;
    }
    tape->turns[k] = (perp_tape_turn){interaction, fn, user};
    return PERP_SOLVED;
}

perp_status perp_tape_set_collider(perp_tape *tape, perp_collider *collider)
{
    if (!tape)
        return PERP_ERR_ARGUMENT;
    tape->collider = collider;
    return PERP_SOLVED;
}

perp_status perp_tape_info_get(const perp_tape *tape, perp_tape_info *info)
{
    return tape ? perp_sized_write(info, &tape->info, sizeof tape->info) : PERP_ERR_ARGUMENT;
}

perp_status perp_tape_place(const perp_tape *tape, perp_system_id system, int *at, int *count)
{
    if (!tape)
        return PERP_ERR_ARGUMENT;
    for (int k = 0; k < tape->nsystems; k++) {
        const perp_tape_system *s = &tape->systems[k];
        if (s->slot == (int)system.index && s->generation == system.generation) {
            if (at)
                *at = s->at;
            if (count)
                *count = s->nv;
            return PERP_SOLVED;
        }
    }
    return PERP_ERR_STATE;
}

perp_status perp_tape_end(perp_tape *tape, perp_status status, const char *what, int slot,
                          const char *format, ...)
{
    va_list arguments;
    tape->info.status = status;
    tape->info.where = (perp_where){what, -1, slot};
    tape->info.step = tape->sim ? tape->sim->stepper.info.step + tape->draft.during : 0;
    va_start(arguments, format);
    vsnprintf(tape->info.detail, sizeof tape->info.detail, format, arguments);
    va_end(arguments);
    return status;
}

const perp_tape_turn *perp_tape_turn_given(const perp_tape *tape, const perp_link *link)
{
    const perp_model *model = tape->sim->stepper.model;
    for (int k = 0; k < tape->nturns; k++) {
        const perp_tape_turn *turn = &tape->turns[k];
        if (turn->fn && (int)turn->id.index == link->slot &&
            turn->id.generation == model->links[link->slot].generation)
            return turn;
    }
    return NULL;
}

perp_turn_source perp_tape_turn_source(const perp_tape *tape, const perp_link *link)
{
    return perp_tape_turn_given(tape, link) ? PERP_TURN_GIVEN : perp_link_turn_source(link);
}
