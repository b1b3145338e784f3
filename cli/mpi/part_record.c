/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/part_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <petscviewer.h>

/* Its header wants that of HDF5, of which only a type is used: any will do. */
#if defined(PETSC_HAVE_HDF5) && defined(PETSC_HDF5_HAVE_PARALLEL) && defined(__has_include)
#if __has_include(<hdf5.h>)
#include <petscviewerhdf5.h>
#define WRITES 1
#endif
#endif

static int can_be_written(const char *path)
{
    FILE *f = fopen(path, "ab");
    return f != NULL && fclose(f) == 0;
}

int perp_part_record_start(perp_part_record *record, const char *folder, int rank, long step,
                           long every)
{
    size_t size = folder != NULL ? strlen(folder) + 48 : 0;

    memset(record, 0, sizeof *record);
    if (folder == NULL || !perp_part_record_is_known())
        return 1;
    record->path = malloc(size);
    record->every = every > 0 ? every : 1;
    if (record->path == NULL)
        return 0;
    if (step == 0)
        snprintf(record->path, size, "%s/states.h5", folder);
    else
        snprintf(record->path, size, "%s/states-%ld.h5", folder, step);
    record->failed = rank == 0 && !can_be_written(record->path);
    return 1;
}

void perp_part_record_end(perp_part_record *record)
{
    free(record->path);
    memset(record, 0, sizeof *record);
}

#ifdef WRITES
int perp_part_record_is_known(void)
{
    return 1;
}

/* A vector of `count` entries of `width` numbers on each rank; *to: its own numbers. */
static PetscErrorCode begin(Vec *v, const char *name, int count, int width, PetscScalar **to)
{
    PetscCall(VecCreate(MPI_COMM_WORLD, v));
    PetscCall(VecSetSizes(*v, count * width, PETSC_DETERMINE));
    PetscCall(VecSetBlockSize(*v, width));
    PetscCall(VecSetType(*v, VECMPI));
    PetscCall(PetscObjectSetName((PetscObject)*v, name));
    PetscCall(VecGetArray(*v, to));
    return 0;
}

static PetscErrorCode end(Vec *v, PetscScalar **to, PetscViewer viewer)
{
    PetscInt size;
    PetscCall(VecRestoreArray(*v, to));
    PetscCall(VecGetSize(*v, &size));
    if (size > 0)
        PetscCall(VecView(*v, viewer));
    PetscCall(VecDestroy(v));
    return 0;
}

static void own_states(const perp_part_layout *layout, PetscScalar *bodies, PetscScalar *states)
{
    for (int k = 0, at = 0; k < layout->bodies; k++) {
        double *q, *v;
        if (layout->owner[k] != layout->rank)
            continue;
        perp_model_state(layout->model, layout->id[k], &q, &v, NULL, NULL);
        bodies[at] = k;
        memcpy(states + (size_t)PERP_PART_STATE * (size_t)at, q, 7 * sizeof *q);
        memcpy(states + (size_t)PERP_PART_STATE * (size_t)at + 7, v, 6 * sizeof *v);
        at++;
    }
}

static PetscErrorCode write_states(const perp_part_layout *layout, PetscViewer viewer)
{
    Vec bodies, states, ranks;
    PetscScalar *of_bodies, *of_states, *of_ranks;

    PetscCall(begin(&bodies, "bodies", layout->own, 1, &of_bodies));
    PetscCall(begin(&states, "states", layout->own, PERP_PART_STATE, &of_states));
    PetscCall(begin(&ranks, "ranks", layout->own, 1, &of_ranks));
    own_states(layout, of_bodies, of_states);
    for (int k = 0; k < layout->own; k++)
        of_ranks[k] = layout->rank;
    PetscCall(end(&bodies, &of_bodies, viewer));
    PetscCall(end(&states, &of_states, viewer));
    PetscCall(end(&ranks, &of_ranks, viewer));
    return 0;
}

static PetscErrorCode write_contacts(const perp_part_layout *layout, PetscViewer viewer)
{
    int count = perp_collider_contacts(layout->collider);
    perp_contact_info info = {.size = sizeof info};
    Vec contacts;
    PetscScalar *to, *x;

    PetscCall(begin(&contacts, "contacts", count, PERP_PART_CONTACT, &to));
    x = to;
    for (int k = 0; k < count; k++, x += PERP_PART_CONTACT) {
        if (perp_collider_contact(layout->collider, k, &info) != PERP_SOLVED)
            return PETSC_ERR_LIB;
        x[0] = info.first.index;
        x[1] = info.second.index;
        x[2] = info.feature;
        x[3] = info.point.gap;
        memcpy(x + 4, info.point.normal, 3 * sizeof *x);
        memcpy(x + 7, info.point.point_a, 3 * sizeof *x);
        memcpy(x + 10, info.impulse, 3 * sizeof *x);
    }
    PetscCall(end(&contacts, &to, viewer));
    return 0;
}

/* The file is closed between two instants, so that it can be read whatever becomes of the run. */
static PetscErrorCode write_all(perp_part_record *record, const perp_part_layout *layout, long step,
                                double t)
{
    PetscViewer viewer;
    char group[40];

    snprintf(group, sizeof group, "/step-%09ld", step);
    PetscCall(PetscViewerHDF5Open(MPI_COMM_WORLD, record->path,
                                  record->written == 0 ? FILE_MODE_WRITE : FILE_MODE_APPEND,
                                  &viewer));
    PetscCall(PetscViewerHDF5PushGroup(viewer, group));
    PetscCall(write_states(layout, viewer));
    PetscCall(write_contacts(layout, viewer));
    PetscCall(PetscViewerHDF5WriteAttribute(viewer, group, "t", PETSC_DOUBLE, &t));
    PetscCall(PetscViewerHDF5PopGroup(viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    record->written++;
    return 0;
}

void perp_part_record_step(perp_part_record *record, const perp_part_layout *layout, long step,
                           double t)
{
    PetscErrorCode code;
    int failed;

    if (record->path == NULL || record->failed || step % record->every != 0)
        return;
    PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL);
    code = write_all(record, layout, step, t);
    PetscPopErrorHandler();
    failed = code != 0;
    MPI_Allreduce(&failed, &record->failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}
#else
int perp_part_record_is_known(void)
{
    return 0;
}

void perp_part_record_step(perp_part_record *record, const perp_part_layout *layout, long step,
                           double t)
{
    (void)record, (void)layout, (void)step, (void)t;
}
#endif
