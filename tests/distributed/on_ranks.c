/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of distributed problems, run by mpirun: `on_ranks CHECK`.  Exit status 0: all hold.
 * tests/distributed/test_ranks.sh runs them on several numbers of ranks with a watchdog. */
#include "distributed/on_ranks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generators/friction_problems.h"

int rank, size, failures;

void expect(int holds, const char *format, ...)
{
    va_list arguments;
    int all;
    MPI_Allreduce(&holds, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    failures += !all;
    if (rank != 0 || all)
        return;
    fputs("# does not hold: ", stdout);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

int alike(long long x)
{
    long long both[2] = {x, -x}, most[2];
    MPI_Allreduce(both, most, 2, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
    return most[0] == -most[1];
}

double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11) * 0x1p-52 - 1.0;
}

packing *packing_make(const char *kind, int contacts, double mu)
{
    return packing_make_rolling(kind, contacts, mu, -1.0, -1.0);
}

packing *packing_make_rolling(const char *kind, int contacts, double mu, double mu_r, double mu_s)
{
    packing *p = calloc(1, sizeof *p);
    const perp_generator *generator = perp_generator_find(kind);
    perp_generate_options options;
    if (!p || !generator)
        abort();
    perp_generate_options_init(&options, generator);
    options.size = contacts;
    options.mu = mu;
    options.mu_r = mu_r;
    options.mu_s = mu_s;
    if (perp_generate(&p->file, generator, &options, NULL) != PERP_SOLVED ||
        perp_problem_file_get(p->file, &p->problem, NULL) != PERP_SOLVED)
        abort();
    return p;
}

packing *packing_make_local(const char *kind, int contacts, double mu)
{
    packing *p = packing_make(kind, contacts, mu);
    perp_problem_file *local;
    if (perp_problem_file_to_local(&local, p->file, NULL, NULL) != PERP_SOLVED)
        abort();
    perp_problem_file_destroy(p->file);
    p->file = local;
    if (perp_problem_file_get(p->file, &p->problem, NULL) != PERP_SOLVED)
        abort();
    return p;
}

void packing_free(packing *p)
{
    perp_problem_file_destroy(p->file);
    free(p->C);
    free(p);
}

int divide(divided *d, const packing *p)
{
    perp_petsc_where where;
    memset(d, 0, sizeof *d);
    const perp_mat *mass = rank || p->problem.M.kind != PERP_DELASSUS ? NULL : &p->file->M;
    perp_status status = perp_petsc_share_create(&d->share, MPI_COMM_WORLD,
                                                 rank ? NULL : &p->problem, mass, NULL, &where);
    expect(status == PERP_SOLVED, "share: %s %s", perp_status_name(status), where.what);
    if (status != PERP_SOLVED)
        return 0;
    const perp_petsc_problem *part = perp_petsc_share_problem(d->share);
    status = perp_petsc_create(&d->system, MPI_COMM_WORLD, part, NULL, &where);
    expect(status == PERP_SOLVED, "create: %s %s %s", perp_status_name(status), where.what,
           where.text);
    if (status != PERP_SOLVED)
        return 0;
    VecDuplicate(part->q, &d->z);
    VecDuplicate(part->q, &d->w);
    return 1;
}

void divided_free(divided *d)
{
    VecDestroy(&d->z);
    VecDestroy(&d->w);
    perp_petsc_destroy(d->system);
    perp_petsc_share_destroy(d->share);
}

typedef struct group {
    const char *name;
    void (*run)(void);
} group;

static const group groups[] = {
    {"residual", check_residual},
    {"assembled", check_assembled},
    {"answers", check_answers},
    {"rows", check_rows},
    {"empty", check_empty},
    {"bad-input", check_bad_input},
    {"bad-calls", check_bad_calls},
    {"memory", check_memory},
    {"failing-petsc", check_failing_petsc},
    {"parts", check_parts},
    {"bad-parts", check_bad_parts},
    {"rolling", check_rolling},
    {"islands", check_islands},
    {"assembled-rows", check_assembled_rows},
    {"bad-matrices", check_bad_matrices},
};

int main(int argc, char **argv)
{
    int known = 0;
    perp_petsc *none = NULL;
    if (argc != 2)
        return 2;
    if (perp_petsc_create(&none, MPI_COMM_NULL, NULL, NULL, NULL) != PERP_ERR_STATE)
        return 1;
    setenv("SCOTCH_PTHREAD_NUMBER", "1", 0);
    PetscOptionsSetValue(NULL, "-no_signal_handler", "true");
    if (PetscInitializeNoArguments())
        return 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++)
        if (strcmp(argv[1], groups[k].name) == 0) {
            groups[k].run();
            known = 1;
        }
    if (strncmp(argv[1], "bits-", 5) == 0) {
        print_bits(argv[1] + 5);
        known = 1;
    }
    PetscFinalize();
    return known ? failures > 0 : 2;
}
