/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/parts_input.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/message.h"

/* Contacts of the ranks before this one, and of all; H begins at the former. */
static perp_status number_contacts(perp_problem_part *part)
{
    long long own = part->own_contacts, to = 0, all = 0;

    MPI_Scan(&own, &to, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&own, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (all > INT_MAX / part->spacedim)
        return PERP_ERR_OVERFLOW;
    part->contacts = (int)all;
    part->first_contact = (int)(to - own);
    for (int k = 0; k < part->H.count; k++)
        part->H.col[k] += part->spacedim * part->first_contact;
    return PERP_SOLVED;
}

/* The first rank that failed says why.  0: none did. */
static int someone_failed(int rank, int ranks, perp_status status, const char *path,
                          const perp_io_error *error)
{
    int failing = status != PERP_SOLVED ? rank : ranks, first;

    MPI_Allreduce(&failing, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == rank && path != NULL && rank == 0)
        perp_complain_io(path, status, error);
    else if (first == rank && path != NULL)
        perp_complain("rank %d: %s", rank,
                      error->text[0] != '\0' ? error->text : perp_status_text(status));
    else if (first == rank)
        perp_complain("rank %d: --generate: %s", rank, perp_status_text(status));
    return first < ranks;
}

int perp_parts_load(perp_problem_part **part, const char *path, const perp_generator *generator,
                    const perp_generate_options *options)
{
    perp_io_error error;
    perp_status status;
    int rank, ranks;

    memset(&error, 0, sizeof error);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    status = path != NULL ? perp_problem_part_read(part, path, rank, ranks, NULL, &error)
                          : perp_generate_part(part, generator, options, rank, ranks, NULL);
    if (!someone_failed(rank, ranks, status, path, &error)) {
        if (path == NULL)
            status = number_contacts(*part);
        if (!someone_failed(rank, ranks, status, path, &error))
            return PERP_EXIT_DONE;
    }
    perp_problem_part_destroy(*part);
    *part = NULL;
    return PERP_EXIT_ERROR;
}

perp_status perp_parts_sizes(const perp_problem_part *part, const char *title,
                             perp_problem_file **file, perp_problem *problem)
{
    perp_status status = perp_problem_file_create(file, NULL);
    perp_segment *seg =
        status == PERP_SOLVED ? perp_problem_file_take(*file, 2, sizeof *seg) : NULL;

    if (seg == NULL)
        return PERP_ERR_MEMORY;
    (*file)->cls = PERP_CLASS_GLOBAL;
    (*file)->spacedim = part->spacedim;
    (*file)->contacts = part->contacts;
    (*file)->dofs = part->dofs;
    (*file)->bilateral = part->bilateral;
    (*file)->has_G = part->bilateral > 0;
    snprintf((*file)->title, sizeof(*file)->title, "%s", title);
    if (part->rolling) /* says so in reports; none has all of it */
        (*file)->mu_r = perp_problem_file_take(*file, 1, sizeof(double));
    if (part->rolling && (*file)->mu_r == NULL)
        return PERP_ERR_MEMORY;
    seg[0] = (perp_segment){.set = part->rolling ? PERP_ROLLING : PERP_COULOMB,
                            .dim = part->spacedim,
                            .count = part->contacts};
    seg[1] = (perp_segment){.set = PERP_FREE, .dim = 1, .count = part->bilateral};
    memset(problem, 0, sizeof *problem);
    problem->M.kind = PERP_DELASSUS;
    problem->M.rows = problem->M.cols = part->spacedim * part->contacts + part->bilateral;
    problem->seg = seg;
    problem->nseg = part->bilateral > 0 ? 2 : 1;
    return PERP_SOLVED;
}
