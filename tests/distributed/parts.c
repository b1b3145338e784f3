/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems of which each rank reads or makes its part: the same problem as that of one process,
 * whatever the number of ranks; and parts that do not fit each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "distributed/on_ranks.h"
#include "generators/friction_problems.h"

/* The system of parts; 0 after a message. */
static int divide_parts(divided *d, const perp_problem_part *part)
{
    perp_petsc_where where;
    memset(d, 0, sizeof *d);
    perp_status status = perp_petsc_share_parts(&d->share, MPI_COMM_WORLD, part, NULL, &where);
    expect(status == PERP_SOLVED, "parts: %s %s %s", perp_status_name(status), where.what,
           where.text);
    if (status != PERP_SOLVED)
        return 0;
    const perp_petsc_problem *own = perp_petsc_share_problem(d->share);
    status = perp_petsc_create(&d->system, MPI_COMM_WORLD, own, NULL, &where);
    expect(status == PERP_SOLVED, "create: %s %s %s", perp_status_name(status), where.what,
           where.text);
    VecDuplicate(own->q, &d->z);
    VecDuplicate(own->q, &d->w);
    return status == PERP_SOLVED;
}

/* The path of a file that rank 0 wrote, on all ranks; removed by the caller. */
static void write_file(const packing *p, char *path, size_t size_of_path)
{
    perp_io_error error;
    perp_status status = PERP_SOLVED;
    const char *folder = getenv("TMPDIR");
    if (rank == 0) {
        snprintf(path, size_of_path, "%s/parts-%ld.hdf5", folder ? folder : "/tmp", (long)getpid());
        status = perp_problem_file_write(p->file, path, PERP_FORMAT_AUTO, &error);
    }
    expect(status == PERP_SOLVED, "write: %s", status == PERP_SOLVED ? "" : error.text);
    MPI_Bcast(path, (int)size_of_path, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void compare_q(const packing *p, divided *d)
{
    int n = p->problem.M.rows;
    double *q = calloc((size_t)n + 1, sizeof *q), most = 0.0;
    expect(perp_petsc_share_gather(d->share, perp_petsc_share_problem(d->share)->q, q) ==
               PERP_SOLVED,
           "gather q");
    for (int i = 0; i < n && rank == 0; i++)
        most = fmax(most, fabs(q[i] - p->problem.q[i]) / (1e-3 + fabs(p->problem.q[i])));
    expect(most < 1e-11, "q: %g apart", most);
    free(q);
}

static void check_file(const char *kind, int contacts, double mu_r, double mu_s)
{
    packing *p = packing_make_rolling(kind, contacts, 0.4, mu_r, mu_s);
    perp_problem_part *part;
    perp_io_error error;
    divided d;
    char path[400];
    write_file(p, path, sizeof path);
    perp_status status = perp_problem_part_read(&part, path, rank, size, NULL, &error);
    expect(status == PERP_SOLVED, "%s: read: %s", kind, status == PERP_SOLVED ? "" : error.text);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove(path);
    if (status == PERP_SOLVED && divide_parts(&d, part)) {
        const perp_petsc_cut *cut = perp_petsc_share_cut(d.share);
        expect(cut->cut <= cut->edges && (size > 1 || cut->cut == 0), "%s: cut", kind);
        expect(perp_petsc_share_problem(d.share)->nseg >= 0, "segments");
        compare_q(p, &d);
        compare_residuals(p, &d, 1.0);
        compare_residuals(p, &d, 0.0);
        divided_free(&d);
    }
    perp_problem_part_destroy(part);
    packing_free(p);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Contacts have other numbers there: all q together are the same. */
static void check_generated(int contacts)
{
    packing *p = packing_make("spheres", contacts, 0.3);
    int n = p->problem.M.rows, all = 0, before = 0;
    double *q = calloc((size_t)n + 1, sizeof *q), *serial = calloc((size_t)n + 1, sizeof *serial);
    double most = 0.0;
    const perp_generator *generator = perp_generator_find("spheres");
    perp_generate_options options;
    perp_problem_part *part;
    divided d;
    perp_generate_options_init(&options, generator);
    options.size = contacts;
    options.mu = 0.3;
    perp_status status = perp_generate_part(&part, generator, &options, rank, size, NULL);
    expect(status == PERP_SOLVED, "generate: %s", perp_status_name(status));
    MPI_Scan(&part->own_contacts, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&part->own_contacts, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    part->contacts = all;
    part->first_contact = before - part->own_contacts;
    for (int k = 0; k < part->H.count; k++)
        part->H.col[k] += 3 * part->first_contact;
    expect(all == p->file->contacts && part->dofs == p->file->dofs, "%d contacts, %d in one", all,
           p->file->contacts);
    if (3 * all == n && divide_parts(&d, part)) {
        perp_petsc_share_gather(d.share, perp_petsc_share_problem(d.share)->q, q);
        memcpy(serial, p->problem.q, (size_t)n * sizeof *serial);
        qsort(serial, (size_t)n, sizeof *serial, ascending);
        qsort(q, (size_t)n, sizeof *q, ascending);
        for (int i = 0; i < n && rank == 0; i++)
            most = fmax(most, fabs(q[i] - serial[i]) / (1e-3 + fabs(serial[i])));
        expect(most < 1e-11, "generated q: %g apart", most);
        divided_free(&d);
    }
    perp_problem_part_destroy(part);
    packing_free(p);
    free(q);
    free(serial);
}

void check_parts(void)
{
    static const char *const kinds[] = {"spheres", "boxes", "chains", "arch", "grains"};
    for (int k = 0; k < 5; k++) {
        check_file(kinds[k], 200, -1.0, -1.0);
        check_file(kinds[k], 2, -1.0, -1.0);
    }
    check_file("spheres", 150, 0.01, -1.0);
    check_file("spheres", 150, 0.01, 0.02);
    check_generated(1);
    check_generated(300);
    check_generated(3000);
}

enum { OTHER_PROBLEM, GAP, NO_F, NAN_IN_F, NAN_IN_H, NO_MASS, COUPLED, BAD_PARTS };

/* What the last rank has wrongly. */
static void spoil(perp_problem_part *part, int how)
{
    if (rank != size - 1)
        return;
    if (how == OTHER_PROBLEM)
        part->dofs += 6;
    if (how == GAP)
        part->own_contacts--;
    if (how == NO_F)
        part->f = NULL;
    if (how == NAN_IN_F)
        part->f[0] = NAN;
    if (how == NAN_IN_H)
        part->H.x[0] = INFINITY;
    for (int k = 0; how == NO_MASS && k < part->M.count; k++)
        part->M.x[k] = 0.0;
    if (how == COUPLED)
        part->M.row[0] = (part->M.row[0] + 6) % part->dofs;
}

static void check_bad_part(int how, perp_status wanted)
{
    packing *p = packing_make("spheres", 200, 0.3);
    perp_problem_part *part;
    perp_petsc_share *share = NULL;
    perp_petsc *system = NULL;
    perp_petsc_where where;
    char path[400];
    write_file(p, path, sizeof path);
    perp_status status = perp_problem_part_read(&part, path, rank, size, NULL, NULL);
    expect(status == PERP_SOLVED, "read");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove(path);
    spoil(part, how);
    status = perp_petsc_share_parts(&share, MPI_COMM_WORLD, part, NULL, &where);
    if (status == PERP_SOLVED)
        status = perp_petsc_create(&system, MPI_COMM_WORLD, perp_petsc_share_problem(share), NULL,
                                   &where);
    expect(alike(status) && alike(where.rank), "bad part %d: ranks differ", how);
    expect(status == wanted, "bad part %d: %s %s %s", how, perp_status_name(status), where.what,
           where.text);
    perp_petsc_destroy(system);
    perp_petsc_share_destroy(share);
    perp_problem_part_destroy(part);
    packing_free(p);
}

void check_bad_parts(void)
{
    static const perp_status wanted[BAD_PARTS] = {
        [OTHER_PROBLEM] = PERP_ERR_STRUCTURE, [GAP] = PERP_ERR_STRUCTURE,
        [NO_F] = PERP_ERR_ARGUMENT,           [NAN_IN_F] = PERP_ERR_NONFINITE,
        [NAN_IN_H] = PERP_ERR_NONFINITE,      [NO_MASS] = PERP_ERR_SINGULAR,
        [COUPLED] = PERP_ERR_UNSUPPORTED};
    perp_petsc_share *share = NULL;
    perp_problem_part *part = NULL;
    for (int how = 0; how < BAD_PARTS; how++)
        check_bad_part(how, wanted[how]);
    expect(perp_petsc_share_parts(&share, MPI_COMM_WORLD, NULL, NULL, NULL) == PERP_ERR_ARGUMENT,
           "no part");
    expect(perp_petsc_share_parts(NULL, MPI_COMM_WORLD, NULL, NULL, NULL) == PERP_ERR_ARGUMENT,
           "nowhere to put it");
    expect(perp_problem_part_read(&part, "/nowhere.hdf5", 0, 1, NULL, NULL) < 0 && part == NULL,
           "no file");
    expect(perp_problem_part_read(&part, "x", 2, 2, NULL, NULL) == PERP_ERR_ARGUMENT,
           "part 2 of 2");
    expect(perp_problem_part_read(NULL, "x", 0, 1, NULL, NULL) == PERP_ERR_ARGUMENT, "NULL");
}
