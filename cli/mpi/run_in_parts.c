/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/run_in_parts.h"

#include "cli/mpi/part_common.h"

#include <stdlib.h>
#include <string.h>

/* Of the scene and its state; 0: no memory. */
static uint64_t bits_of_scene(perp_scene *scene)
{
    size_t bytes = 0;
    uint64_t bits = 0;
    double *state;

    perp_scene_save(scene, NULL, &bytes);
    state = calloc(bytes / sizeof *state + 1, sizeof *state);
    if (state != NULL && perp_scene_save(scene, state, &bytes) == PERP_SOLVED)
        bits = perp_bits_of(1, state, bytes / sizeof *state);
    free(state);
    return bits;
}

/* Where bodies may have come nearer than the guests were chosen for, all are divided again. */
static int before_step(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    perp_part_steps *steps = ctx;
    perp_part_layout *layout = &steps->layout;
    perp_status status;
    double way;

    (void)model, (void)t;
    /* Later the parts have other bits, and a checkpoint says whose it is. */
    if (!perp_meet(steps->meeting, PERP_MEET_DIVIDE, steps->begun ? 0 : steps->bits, 0, NULL))
        return 1;
    steps->begun = 1;
    status = perp_part_layout_begin(layout);
    way = perp_part_layout_way(layout, h);
    if (status == PERP_SOLVED && !perp_part_layout_is_used_up(layout, way)) {
        perp_part_layout_count(layout, way);
        return 0;
    }
    if (status == PERP_SOLVED) {
        perp_part_layout_gather(layout, 1);
        status = perp_part_layout_divide(layout, h, way);
    }
    if (status == PERP_SOLVED)
        return 0;
    perp_sim_set_reason(sim, status, NULL, "the bodies could not be divided");
    return 1;
}

/* Rank 0, which writes, has all states. */
static int after_step(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    perp_part_steps *steps = ctx;

    (void)model, (void)t, (void)h;
    if (!perp_meet(steps->meeting, PERP_MEET_GATHER, 0, 0, NULL))
        return 1;
    perp_part_layout_gather(&steps->layout, 0);
    if (perp_part_carry_gather(&steps->carry) != PERP_SOLVED) {
        perp_sim_set_reason(sim, PERP_ERR_MEMORY, NULL, "no memory for the joints of all");
        return 1;
    }
    perp_part_record_step(&steps->record, &steps->layout, perp_sim_info(sim)->step,
                          perp_sim_time(sim));
    return 0;
}

perp_status perp_part_start(perp_part_steps *steps, perp_scene *scene, double skin)
{
    perp_sim_parts parts = {.size = sizeof parts,
                            .ctx = steps,
                            .solve = perp_part_solve,
                            .add = perp_part_add,
                            .total = perp_part_total,
                            .largest = perp_part_largest,
                            .join = perp_part_join};
    perp_status status = perp_part_layout_create(&steps->layout, scene, skin);

    if (status == PERP_SOLVED)
        status = perp_part_carry_create(&steps->carry, &steps->layout, scene);
    steps->layout.leaving = perp_part_carry_along;
    steps->layout.leaving_ctx = &steps->carry;
    steps->most = MPI_OP_NULL;
    steps->totals = malloc(PERP_PART_TOTALS * (size_t)steps->layout.ranks * sizeof(double));
    if (status != PERP_SOLVED || steps->totals == NULL)
        return PERP_ERR_MEMORY;
    if (steps->layout.whole) {
        parts.solve = NULL;
        parts.add = NULL;
        parts.join = NULL;
        if (steps->layout.ranks > 1)
            perp_sim_set_solve(perp_scene_sim(scene), steps->whole_rows, perp_part_ask, steps);
    }
    perp_scene_set_before_step(scene, before_step, steps);
    perp_sim_set_after_step(perp_scene_sim(scene), after_step, steps);
    status = perp_sim_set_parts(perp_scene_sim(scene), &parts);
    steps->bits = bits_of_scene(scene);
    return status;
}

void perp_part_end(perp_part_steps *steps, perp_scene *scene)
{
    perp_scene_set_before_step(scene, NULL, NULL);
    perp_sim_set_after_step(perp_scene_sim(scene), NULL, NULL);
    perp_part_leave(steps);
    perp_part_carry_destroy(&steps->carry);
    perp_part_layout_destroy(&steps->layout);
    perp_part_record_end(&steps->record);
    free(steps->totals);
}

void perp_part_count(const perp_part_steps *steps, perp_part_counts *counts)
{
    const perp_part_layout *layout = &steps->layout;
    double own[6] = {(double)layout->migrated,
                     layout->present - layout->own,
                     layout->messages,
                     layout->bytes,
                     (double)steps->carry.handed,
                     layout->rank > 0 ? perp_collider_contacts(layout->collider) : 0},
           sum[6], most = layout->own, all;

    MPI_Allreduce(own, sum, 6, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    memset(counts, 0, sizeof *counts);
    counts->whole_islands = layout->whole;
    counts->divisions = (double)layout->divisions;
    counts->bodies = layout->bodies;
    counts->edges = (double)layout->edges;
    counts->cut = (double)layout->cut;
    counts->migrated = sum[0];
    counts->guests = sum[1];
    counts->messages = sum[2];
    counts->bytes = sum[3];
    counts->handed = sum[4];
    counts->elsewhere = sum[5];
    counts->ties = layout->ties;
    counts->most_bodies = all;
    counts->apart = (double)steps->apart;
    counts->rows_apart = (double)steps->rows_apart;
    counts->whole = (double)steps->whole;
    counts->ended = (double)steps->ended;
}
