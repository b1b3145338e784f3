/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/part_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/mpi/part_cells.h"
#include "cli/mpi/part_clusters.h"

/* Radii of the smallest shape that bodies may come nearer; the margin of detection is 1/50 of it.
 */
static const double SKIN_OF_MARGIN = 50.0;

static void *taken(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

/* Bodies and their places among the slots. */
static int list_bodies(perp_part_layout *layout)
{
    perp_system_id id = {0, 0};
    int slots = 0;

    while ((id = perp_model_next_system(layout->model, id)).generation != 0) {
        slots = (int)id.index + 1 > slots ? (int)id.index + 1 : slots;
        layout->bodies += !perp_model_is_prescribed(layout->model, id);
    }
    layout->slots = slots;
    layout->id = taken((size_t)layout->bodies, sizeof *layout->id);
    layout->place = taken((size_t)slots, sizeof *layout->place);
    if (layout->id == NULL || layout->place == NULL)
        return 0;
    for (int k = 0; k < slots; k++)
        layout->place[k] = -1;
    layout->bodies = 0;
    while ((id = perp_model_next_system(layout->model, id)).generation != 0)
        if (!perp_model_is_prescribed(layout->model, id)) {
            layout->place[id.index] = layout->bodies;
            layout->id[layout->bodies++] = id;
        }
    return 1;
}

/* The one-step problem of moreau-jean is divided by its rows.  Other schemes make more than one. */
static int needs_whole_islands(const perp_part_layout *layout, const perp_sim *sim)
{
    perp_scheme scheme = {.size = sizeof scheme};

    for (int k = 0; k < layout->bodies; k++)
        if (perp_sim_scheme(sim, layout->id[k], &scheme) == PERP_SOLVED &&
            strcmp(scheme.name, "moreau-jean") != 0)
            return 1;
    return 0;
}

/* Bodies of the ties, counted (tie and tied NULL) or listed. */
typedef struct tie_list {
    const perp_part_layout *layout;
    int *tie, *tied, ties, bodies;
} tie_list;

static int take_tie(void *ctx, const perp_system_id *systems, int count)
{
    tie_list *list = ctx;

    if (list->tie != NULL)
        list->tie[list->ties] = list->bodies;
    for (int k = 0; k < count; k++, list->bodies++)
        if (list->tied != NULL)
            list->tied[list->bodies] = list->layout->place[systems[k].index];
    list->ties++;
    return 0;
}

static int list_ties(perp_part_layout *layout, const perp_scene *scene)
{
    tie_list list = {.layout = layout};

    (void)perp_scene_each_tie(scene, take_tie, &list);
    layout->tie = taken((size_t)list.ties + 1, sizeof *layout->tie);
    layout->tied = taken((size_t)list.bodies, sizeof *layout->tied);
    if (layout->tie == NULL || layout->tied == NULL)
        return 0;
    list = (tie_list){.layout = layout, .tie = layout->tie, .tied = layout->tied};
    (void)perp_scene_each_tie(scene, take_tie, &list);
    layout->tie[list.ties] = list.bodies;
    layout->ties = list.ties;
    return 1;
}

perp_status perp_part_layout_create(perp_part_layout *layout, perp_scene *scene, double skin)
{
    size_t n;

    memset(layout, 0, sizeof *layout);
    MPI_Comm_rank(MPI_COMM_WORLD, &layout->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &layout->ranks);
    layout->model = perp_scene_model(scene);
    layout->collider = perp_scene_collider(scene);
    layout->skin = layout->widest = skin;
    if (!list_bodies(layout) || !list_ties(layout, scene))
        return PERP_ERR_MEMORY;
    layout->whole = layout->ties > 0 || needs_whole_islands(layout, perp_scene_sim(scene));
    n = (size_t)layout->bodies;
    layout->owner = taken(n, sizeof *layout->owner);
    layout->before = taken(n, sizeof *layout->before);
    layout->neighbours = taken(n, sizeof *layout->neighbours);
    layout->number = taken(n, sizeof *layout->number);
    layout->presence = taken(n, sizeof *layout->presence);
    layout->here = taken(n, sizeof *layout->here);
    layout->state = taken(n, PERP_PART_STATE * sizeof(double));
    layout->count = taken((size_t)layout->ranks, sizeof(int));
    layout->offset = taken((size_t)layout->ranks + 1, sizeof(int));
    if (layout->owner == NULL || layout->before == NULL || layout->neighbours == NULL ||
        layout->number == NULL || layout->presence == NULL || layout->here == NULL ||
        layout->state == NULL || layout->count == NULL || layout->offset == NULL)
        return PERP_ERR_MEMORY;
    /* Before the first division every rank has read all states. */
    for (int k = 0; k < layout->bodies; k++)
        layout->number[k] = k;
    layout->own = layout->rank == 0 ? layout->bodies : 0;
    return PERP_SOLVED;
}

static void drop_exchange(perp_part_layout *layout)
{
    (void)VecScatterDestroy(&layout->exchange);
    (void)VecDestroy(&layout->all);
    (void)VecDestroy(&layout->local);
}

void perp_part_layout_destroy(perp_part_layout *layout)
{
    drop_exchange(layout);
    free(layout->id);
    free(layout->place);
    free(layout->tie);
    free(layout->tied);
    free(layout->owner);
    free(layout->before);
    free(layout->neighbours);
    free(layout->number);
    free(layout->presence);
    free(layout->here);
    free(layout->state);
    free(layout->count);
    free(layout->offset);
    memset(layout, 0, sizeof *layout);
}

double perp_part_layout_way(perp_part_layout *layout, double h)
{
    double way = perp_collider_reach(layout->collider, h), most;

    way = isnan(way) ? HUGE_VAL : way; /* the detection says what is wrong */
    MPI_Allreduce(&way, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* In a step a body moves by no more than the larger of the velocities at its ends makes.  A
 * detection compares boxes that are enlarged by twice the way of each body; the guests, by the
 * skin. */
int perp_part_layout_is_used_up(const perp_part_layout *layout, double way)
{
    double before = fmax(way, layout->moved);
    return !layout->valid || !(layout->used + before + 2.0 * way <= layout->skin);
}

void perp_part_layout_count(perp_part_layout *layout, double way)
{
    layout->used += fmax(way, layout->moved);
    layout->moved = way;
}

static void read_state(perp_part_layout *layout, int body, double *to)
{
    double *q, *v;
    int nx, nv;

    perp_model_state(layout->model, layout->id[body], &q, &v, &nx, &nv);
    memcpy(to, q, 7 * sizeof *q);
    memcpy(to + 7, v, 6 * sizeof *v);
}

static void write_state(perp_part_layout *layout, int body, const double *from)
{
    double *q, *v;
    int nx, nv;

    perp_model_state(layout->model, layout->id[body], &q, &v, &nx, &nv);
    memcpy(q, from, 7 * sizeof *q);
    memcpy(v, from + 7, 6 * sizeof *v);
}

static double *state_of(const perp_part_layout *layout, int body)
{
    return layout->state + PERP_PART_STATE * (size_t)layout->number[body];
}

perp_status perp_part_layout_gather(perp_part_layout *layout, int everywhere)
{
    double *state = layout->state;
    int own = layout->own;

    if (layout->divisions == 0)
        return PERP_SOLVED;
    for (int k = 0; k < layout->bodies; k++)
        if (layout->owner[k] == layout->rank)
            read_state(layout, k, state_of(layout, k));
    if (everywhere)
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, state, layout->count, layout->offset,
                       MPI_DOUBLE, MPI_COMM_WORLD);
    else if (layout->rank == 0)
        MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, state, layout->count, layout->offset,
                    MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
        MPI_Gatherv(state + layout->offset[layout->rank], PERP_PART_STATE * own, MPI_DOUBLE, NULL,
                    NULL, NULL, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    layout->messages += layout->ranks > 1 ? (everywhere ? layout->ranks - 1 : layout->rank > 0) : 0;
    layout->bytes +=
        8.0 * PERP_PART_STATE * own * (everywhere ? layout->ranks - 1 : layout->rank > 0);
    if (!everywhere && layout->rank > 0)
        return PERP_SOLVED;
    for (int k = 0; k < layout->bodies; k++)
        if (layout->owner[k] != layout->rank)
            write_state(layout, k, state_of(layout, k));
    return PERP_SOLVED;
}

/* Cells of space for the ranks; a body weighs as much as its neighbours at the last division. */
static perp_status assign(perp_part_layout *layout)
{
    perp_part_key *keys = perp_part_keys(layout->bodies);

    if (keys == NULL)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < layout->bodies; k++) {
        double *q = NULL;
        perp_model_state(layout->model, layout->id[k], &q, NULL, NULL, NULL);
        perp_part_key_set(keys, k, q, 1.0 + layout->neighbours[k]);
    }
    perp_part_cells(keys, layout->bodies, layout->ranks);
    for (int k = 0; k < layout->bodies; k++) {
        int body, cell = perp_part_key_get(keys, k, &body);
        layout->migrated += layout->divisions > 0 && cell != layout->owner[body] &&
                            layout->owner[body] == layout->rank;
        layout->owner[body] = cell;
    }
    free(keys);
    return PERP_SOLVED;
}

/* The worst of all ranks; on those that did not fail PERP_INTERRUPTED. */
static perp_status agree(perp_status status)
{
    int own = -(int)status, worst;

    MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst == 0 || status != PERP_SOLVED ? status : PERP_INTERRUPTED;
}

perp_status perp_part_layout_begin(perp_part_layout *layout)
{
    perp_status status = PERP_SOLVED;

    if (layout->divisions > 0)
        return PERP_SOLVED;
    status = assign(layout);
    for (int k = 0; k < layout->bodies && status == PERP_SOLVED; k++)
        if (layout->owner[k] == layout->rank)
            status = perp_model_set_presence(layout->model, layout->id[k], PERP_PRESENCE_OWN);
    return agree(status);
}

/* Two bodies that may touch. */
static int meet(void *ctx, perp_system_id a, perp_system_id b)
{
    perp_part_layout *layout = ctx;
    int pair[2] = {layout->place[a.index], layout->place[b.index]};

    layout->edges++;
    layout->cut += layout->owner[pair[0]] != layout->owner[pair[1]];
    for (int k = 0; k < 2; k++) {
        int own = pair[k], other = pair[!k];
        layout->neighbours[own]++;
        if (layout->owner[own] != layout->rank || layout->owner[other] == layout->rank)
            continue;
        layout->presence[own] = PERP_PRESENCE_SHARED;
        layout->presence[other] = PERP_PRESENCE_GUEST;
    }
    return 0;
}

static void choose_own(perp_part_layout *layout)
{
    for (int k = 0; k < layout->bodies; k++)
        layout->presence[k] =
            (unsigned char)(layout->owner[k] == layout->rank ? PERP_PRESENCE_OWN
                                                             : PERP_PRESENCE_ABSENT);
}

static perp_status choose_guests(perp_part_layout *layout, double h)
{
    layout->edges = layout->cut = 0;
    memset(layout->neighbours, 0, (size_t)layout->bodies * sizeof *layout->neighbours);
    if (!(layout->skin > 0.0))
        layout->skin = SKIN_OF_MARGIN * perp_collider_margin(layout->collider);
    return perp_collider_neighbours(layout->collider, h, layout->skin, meet, layout);
}

static perp_status put_in_place(perp_part_layout *layout)
{
    perp_status status = PERP_SOLVED;

    layout->present = layout->shared = 0;
    for (int k = 0; k < layout->bodies && status == PERP_SOLVED; k++) {
        status = perp_model_set_presence(layout->model, layout->id[k], layout->presence[k]);
        if (layout->presence[k] == PERP_PRESENCE_ABSENT)
            continue;
        layout->here[layout->present++] = k;
        layout->shared += layout->presence[k] != PERP_PRESENCE_OWN;
    }
    return status;
}

static void number_bodies(perp_part_layout *layout)
{
    int *next = layout->offset, sum = 0;

    memset(layout->count, 0, (size_t)layout->ranks * sizeof(int));
    for (int k = 0; k < layout->bodies; k++)
        layout->count[layout->owner[k]]++;
    for (int r = 0; r < layout->ranks; r++) {
        next[r] = sum;
        sum += layout->count[r];
    }
    layout->own = layout->count[layout->rank];
    layout->first = next[layout->rank];
    for (int k = 0; k < layout->bodies; k++)
        layout->number[k] = next[layout->owner[k]]++;
    /* From here on in numbers of states, for the gathers. */
    for (int r = layout->ranks - 1; r >= 0; r--) {
        layout->offset[r] = PERP_PART_STATE * (next[r] - layout->count[r]);
        layout->count[r] *= PERP_PART_STATE;
    }
}

static PetscErrorCode make_exchange(perp_part_layout *layout)
{
    PetscInt n = PERP_PART_DOFS * layout->shared, at = 0, *global;
    IS from;

    drop_exchange(layout);
    PetscCall(PetscMalloc1(n > 0 ? n : 1, &global));
    for (int k = 0; k < layout->present; k++)
        for (int i = 0;
             layout->presence[layout->here[k]] != PERP_PRESENCE_OWN && i < PERP_PART_DOFS; i++)
            global[at++] = PERP_PART_DOFS * layout->number[layout->here[k]] + i;
    PetscCall(
        VecCreateMPI(MPI_COMM_WORLD, PERP_PART_DOFS * layout->own, PETSC_DETERMINE, &layout->all));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &layout->local));
    PetscCall(ISCreateGeneral(MPI_COMM_WORLD, n, global, PETSC_OWN_POINTER, &from));
    PetscCall(VecScatterCreate(layout->all, from, layout->local, NULL, &layout->exchange));
    PetscCall(ISDestroy(&from));
    return 0;
}

/* What a sum sends: to the owners of the guests, and back to those that have own bodies as guests.
 */
static void count_messages(perp_part_layout *layout)
{
    int *need = malloc(2 * (size_t)layout->ranks * sizeof *need), *give = need + layout->ranks;

    layout->each_messages = layout->each_bytes = 0.0;
    if (need == NULL)
        return;
    memset(need, 0, (size_t)layout->ranks * sizeof *need);
    for (int k = 0; k < layout->present; k++)
        need[layout->owner[layout->here[k]]] +=
            layout->presence[layout->here[k]] == PERP_PRESENCE_GUEST;
    MPI_Alltoall(need, 1, MPI_INT, give, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < layout->ranks; r++) {
        layout->each_messages += (need[r] > 0) + (give[r] > 0);
        layout->each_bytes += 8.0 * PERP_PART_DOFS * (need[r] + give[r]);
    }
    free(need);
}

perp_status perp_part_layout_divide(perp_part_layout *layout, double h, double way)
{
    perp_status status;

    if (layout->whole && !(layout->widest > 0.0))
        layout->widest = SKIN_OF_MARGIN * perp_collider_margin(layout->collider);
    memcpy(layout->before, layout->owner, (size_t)layout->bodies * sizeof *layout->before);
    status = layout->whole ? perp_part_clusters_assign(layout, h, way) : assign(layout);
    choose_own(layout);
    if (status == PERP_SOLVED && !layout->whole)
        status = choose_guests(layout, h);
    status = agree(status);
    if (status == PERP_SOLVED && layout->divisions > 0 && layout->leaving != NULL)
        status = layout->leaving(layout->leaving_ctx);
    if (status == PERP_SOLVED)
        status = put_in_place(layout);
    status = agree(status);
    if (status != PERP_SOLVED)
        return status;
    number_bodies(layout);
    if (make_exchange(layout) != 0)
        return PERP_ERR_MEMORY;
    count_messages(layout);
    perp_model_changed(layout->model);
    layout->used = 0.0;
    layout->moved = way;
    layout->valid = 1;
    layout->divisions++;
    return PERP_SOLVED;
}

int perp_part_layout_add(perp_part_layout *layout, double *x, int n)
{
    VecScatter s = layout->exchange;
    PetscScalar *local;

    if (n != PERP_PART_DOFS * layout->shared)
        return 1;
    if (VecGetArray(layout->local, &local) != 0)
        return 1;
    if (n > 0)
        memcpy(local, x, (size_t)n * sizeof *x);
    if (VecRestoreArray(layout->local, &local) != 0 || VecSet(layout->all, 0.0) != 0 ||
        VecScatterBegin(s, layout->local, layout->all, ADD_VALUES, SCATTER_REVERSE) != 0 ||
        VecScatterEnd(s, layout->local, layout->all, ADD_VALUES, SCATTER_REVERSE) != 0 ||
        VecScatterBegin(s, layout->all, layout->local, INSERT_VALUES, SCATTER_FORWARD) != 0 ||
        VecScatterEnd(s, layout->all, layout->local, INSERT_VALUES, SCATTER_FORWARD) != 0 ||
        VecGetArray(layout->local, &local) != 0)
        return 1;
    if (n > 0)
        memcpy(x, local, (size_t)n * sizeof *x);
    layout->messages += layout->each_messages;
    layout->bytes += layout->each_bytes;
    return VecRestoreArray(layout->local, &local) != 0;
}
