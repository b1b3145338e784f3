/* SPDX-License-Identifier: BSD-3-Clause */
/* What one rank gives wrongly: all ranks return the same error and the same place, none waits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/chain.h"

enum { BODIES = 15 };

/* The rank that errs: the last. */
static int errs(void)
{
    return rank == size - 1;
}

static void spoil_q(chain *c)
{
    PetscScalar *x;
    VecGetArray(c->part.q, &x);
    if (errs())
        x[c->own_rows - 1] = NAN;
    VecRestoreArray(c->part.q, &x);
}

/* Sets an entry of a matrix from the last rank. */
static void set_entry(Mat A, int i, int j, double x)
{
    if (errs())
        MatSetValue(A, i, j, x, INSERT_VALUES);
    MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

static void spoil_H(chain *c)
{
    set_entry(c->part.H, BODIES - 2, BODIES - 1, INFINITY);
}

static void spoil_M(chain *c)
{
    set_entry(c->part.M, BODIES - 1, BODIES - 1, NAN);
}

static void make_singular(chain *c)
{
    set_entry(c->part.M, BODIES - 1, BODIES - 1, 0.0);
}

static void shorten_seg(chain *c)
{
    c->seg[0].count -= errs();
}

static void lose_H(chain *c)
{
    if (errs())
        c->part.H = NULL;
}

static void lose_seg(chain *c)
{
    if (errs())
        c->part.seg = NULL;
}

static void negative_count(chain *c)
{
    if (errs())
        c->seg[0].count = -1;
}

static void wrong_set(chain *c)
{
    if (errs())
        c->seg[0].set = PERP_SET_COUNT;
}

static void rolling(chain *c)
{
    if (errs())
        c->seg[0].set = PERP_ROLLING;
}

/* q of one rank more and of another one less. */
static void shift_q(chain *c)
{
    Vec q;
    VecCreateMPI(MPI_COMM_WORLD, c->own_rows + (rank == 0) - (errs() && size > 1), PETSC_DETERMINE,
                 &q);
    VecDestroy(&c->part.q);
    c->part.q = q;
}

static void serial_q(chain *c)
{
    if (errs()) {
        Vec q;
        VecCreateSeq(PETSC_COMM_SELF, c->own_rows, &q);
        c->part.q = q;
    }
}

static void negative_C(chain *c)
{
    VecDuplicate(c->part.q, &c->part.C);
    VecSet(c->part.C, errs() ? -1.0 : 1.0);
}

typedef struct bad {
    const char *name;
    void (*spoil)(chain *c);
    perp_status status;
    const char *what;
} bad;

static const bad cases[] = {
    {"NaN in q", spoil_q, PERP_ERR_NONFINITE, "q"},
    {"infinity in H", spoil_H, PERP_ERR_NONFINITE, NULL},
    {"NaN in M", spoil_M, PERP_ERR_NONFINITE, "M"},
    {"singular M", make_singular, PERP_SOLVED, NULL},
    {"too few rows in seg", shorten_seg, PERP_ERR_STRUCTURE, "seg"},
    {"no H", lose_H, PERP_ERR_ARGUMENT, "H"},
    {"no seg", lose_seg, PERP_ERR_ARGUMENT, "seg"},
    {"negative count", negative_count, PERP_ERR_STRUCTURE, "seg"},
    {"unknown set", wrong_set, PERP_ERR_ARGUMENT, "set"},
    {"ROLLING without parameters", rolling, PERP_ERR_ARGUMENT, NULL},
    {"q divided otherwise", shift_q, PERP_ERR_STRUCTURE, "q"},
    {"q of one process", serial_q, PERP_ERR_ARGUMENT, "q"},
    {"negative C", negative_C, PERP_ERR_ARGUMENT, NULL},
};

/* The ranks that lost an object kept no other reference. */
static void restore(chain *c, const chain *before)
{
    if (c->part.H != before->part.H)
        c->part.H = before->part.H;
}

static void check_case(const bad *b)
{
    chain c, before;
    perp_petsc *system = NULL;
    perp_petsc_where where;
    chain_make(&c, BODIES, EVEN);
    before = c;
    b->spoil(&c);
    if (b->spoil == serial_q && size == 1) {
        VecDestroy(&before.part.q);
        chain_free(&c);
        return;
    }
    perp_status status = perp_petsc_create(&system, MPI_COMM_WORLD, &c.part, NULL, &where);
    perp_status wanted = b->status;
    expect(alike(status) && alike(where.rank) && alike(where.index), "%s: ranks differ", b->name);
    expect(wanted == PERP_SOLVED || status == wanted, "%s: %s %s %s", b->name,
           perp_status_name(status), where.what, where.text);
    expect(!b->what || strcmp(where.what, b->what) == 0, "%s: at '%s'", b->name, where.what);
    expect((status == PERP_SOLVED) == (system != NULL), "%s: a system or an error", b->name);
    expect(status == PERP_SOLVED || b->spoil == spoil_H || b->spoil == spoil_M ||
               b->spoil == shift_q || where.rank == size - 1,
           "%s: rank %d", b->name, where.rank);
    perp_petsc_destroy(system);
    restore(&c, &before);
    if (c.part.q != before.part.q && b->spoil == serial_q)
        VecDestroy(&before.part.q);
    chain_free(&c);
}

/* Two unknowns in a block of zeros. */
static void check_singular(void)
{
    chain c;
    perp_petsc *system;
    perp_petsc_where where;
    chain_make(&c, 2, EVEN);
    MatZeroEntries(c.part.M);
    perp_status status = perp_petsc_create(&system, MPI_COMM_WORLD, &c.part, NULL, &where);
    expect(status == PERP_ERR_SINGULAR && system == NULL, "zeros: %s", perp_status_name(status));
    expect(alike(where.rank), "zeros: ranks differ");
    chain_free(&c);
}

/* One body of all unknowns. */
static void check_large_block(void)
{
    chain c;
    perp_petsc *system;
    perp_petsc_where where;
    chain_make(&c, 2, EVEN);
    MatDestroy(&c.part.M);
    MatDestroy(&c.part.H);
    MatCreateDense(MPI_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 13, 13, NULL, &c.part.M);
    MatShift(c.part.M, 1.0);
    PetscInt own, none;
    MatGetLocalSize(c.part.M, &own, &none);
    MatCreateDense(MPI_COMM_WORLD, c.own_rows, own, 1, 13, NULL, &c.part.H);
    MatAssemblyBegin(c.part.H, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(c.part.H, MAT_FINAL_ASSEMBLY);
    perp_status status = perp_petsc_create(&system, MPI_COMM_WORLD, &c.part, NULL, &where);
    expect(status == PERP_ERR_UNSUPPORTED && strcmp(where.what, "M") == 0, "13 unknowns: %s",
           perp_status_name(status));
    perp_petsc_destroy(system);
    chain_free(&c);
}

void check_bad_input(void)
{
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        check_case(&cases[k]);
    check_singular();
    check_large_block();
}

/* Calls on a good system that one rank makes otherwise than the rest. */
typedef struct call {
    const char *solver;
    perp_settings settings;
    Vec z, w;
} call;

static void expect_refused(perp_petsc *system, const call *c, perp_status wanted, const char *what)
{
    perp_petsc_where where;
    perp_petsc_info info = {.size = sizeof info};
    perp_status status =
        perp_petsc_solve(system, c->solver, &c->settings, c->z, c->w, &info, &where);
    expect(alike(status) && status == wanted, "%s: %s, at '%s'", what, perp_status_name(status),
           where.what);
    expect(strcmp(where.what, what) == 0, "'%s' and not '%s'", what, where.what);
    expect(info.status == status, "info: %s", what);
}

/* Stops the solve from the last rank alone. */
static int stop(void *ctx, const perp_progress *progress)
{
    (void)ctx;
    (void)progress;
    return errs();
}

static void vary_calls(perp_petsc *system, Vec z, Vec longer)
{
    call good = {.z = z}, c;
    perp_settings_init(&good.settings, sizeof good.settings);
    c = good;
    c.settings.tol = errs() ? 1e-3 : 1e-4;
    if (size > 1)
        expect_refused(system, &c, PERP_ERR_SETTING, "tol");
    c = good;
    c.settings.tol = errs() ? -1.0 : 1e-4;
    expect_refused(system, &c, PERP_ERR_SETTING, "tol");
    c = good;
    c.solver = errs() ? "apgd" : "schwarz";
    if (size > 1)
        expect_refused(system, &c, PERP_ERR_SETTING, "solver name");
    c = good;
    c.solver = errs() ? "newton" : "apgd";
    expect_refused(system, &c, PERP_ERR_SETTING, "solver name");
    c = good;
    c.w = errs() ? z : NULL;
    if (size > 1)
        expect_refused(system, &c, PERP_ERR_SETTING, "w");
    c = good;
    c.z = errs() ? NULL : z;
    expect_refused(system, &c, PERP_ERR_ARGUMENT, "z");
    c = good;
    c.z = longer;
    expect_refused(system, &c, PERP_ERR_STRUCTURE, "z");
    c = good;
    c.settings.warm_start = 1;
    VecSet(z, errs() ? NAN : 0.0);
    expect_refused(system, &c, PERP_ERR_NONFINITE, "z");
    c = good;
    c.settings.progress = stop;
    c.settings.tol = 1e-14;
    perp_status status = perp_petsc_solve(system, "apgd", &c.settings, z, NULL, NULL, NULL);
    expect(alike(status) && status == PERP_INTERRUPTED, "interrupted: %s",
           perp_status_name(status));
    c.settings.progress = NULL;
    c.settings.time_limit = 1e-9;
    status = perp_petsc_solve(system, "schwarz", &c.settings, z, NULL, NULL, NULL);
    expect(alike(status) && status == PERP_TIME_LIMIT, "time limit: %s", perp_status_name(status));
}

void check_bad_calls(void)
{
    chain c;
    perp_petsc *system;
    Vec z, longer;
    perp_residuals r = {.size = sizeof r};
    chain_make(&c, BODIES, EVEN);
    perp_status status = perp_petsc_create(&system, MPI_COMM_WORLD, &c.part, NULL, NULL);
    expect(status == PERP_SOLVED, "create");
    VecDuplicate(c.part.q, &z);
    VecCreateMPI(MPI_COMM_WORLD, c.own_rows + errs(), PETSC_DETERMINE, &longer);
    vary_calls(system, z, longer);
    VecSet(z, errs() ? INFINITY : 0.0);
    status = perp_petsc_residual(system, z, NULL, &r, NULL);
    expect(alike(status) && status == PERP_ERR_NONFINITE, "residual: %s", perp_status_name(status));
    expect(perp_petsc_solve(NULL, NULL, NULL, z, NULL, NULL, NULL) == PERP_ERR_ARGUMENT, "NULL");
    VecDestroy(&z);
    VecDestroy(&longer);
    perp_petsc_destroy(system);
    chain_free(&c);
}

/* The k-th allocation of the last rank fails. */
typedef struct shortage {
    long left, used;
} shortage;

static void *allocate(void *ctx, size_t bytes)
{
    shortage *s = ctx;
    s->used++;
    return s->left-- > 0 ? malloc(bytes) : NULL;
}

static void release(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static void create_short(const chain *c, shortage *s, perp_status *first, perp_status *second)
{
    perp_allocator memory = {allocate, release, s};
    perp_petsc *system = NULL;
    Vec z;
    VecDuplicate(c->part.q, &z);
    *second = PERP_SOLVED;
    *first = perp_petsc_create(&system, MPI_COMM_WORLD, &c->part, errs() ? &memory : NULL, NULL);
    if (*first == PERP_SOLVED)
        *second = perp_petsc_solve(system, "schwarz", NULL, z, NULL, NULL, NULL);
    perp_petsc_destroy(system);
    VecDestroy(&z);
}

/* The same while a problem is divided; rank 0 has the whole and runs short, or the last does. */
static void share_short(const packing *p, int who)
{
    const perp_mat *mass = rank || p->problem.M.kind != PERP_DELASSUS ? NULL : &p->file->M;
    for (long k = 0, done = 0; !done; k++) {
        shortage some = {k, 0};
        perp_allocator memory = {allocate, release, &some};
        perp_petsc_share *share = NULL;
        perp_status status =
            perp_petsc_share_create(&share, MPI_COMM_WORLD, rank ? NULL : &p->problem, mass,
                                    rank == who ? &memory : NULL, NULL);
        expect(alike(status), "sharing, allocation %ld: ranks differ", k);
        expect(status == (share ? PERP_SOLVED : PERP_ERR_MEMORY), "sharing, allocation %ld: %s", k,
               perp_status_name(status));
        done = status == PERP_SOLVED || k > 1000;
        perp_petsc_share_destroy(share);
    }
}

static void check_sharing_memory(void)
{
    packing *p = packing_make("boxes", 40, 0.3), *local = packing_make_local("boxes", 40, 0.3);
    share_short(p, 0);
    share_short(p, size - 1);
    share_short(local, 0);
    packing_free(p);
    packing_free(local);
}

void check_memory(void)
{
    chain c;
    shortage all = {1000000, 0};
    perp_status first, second;
    chain_make(&c, BODIES, EVEN);
    create_short(&c, &all, &first, &second);
    expect(first == PERP_SOLVED && second == PERP_SOLVED, "with memory");
    long most = all.used;
    MPI_Bcast(&most, 1, MPI_LONG, size - 1, MPI_COMM_WORLD);
    for (long k = 0; k < most; k++) {
        shortage some = {k, 0};
        create_short(&c, &some, &first, &second);
        expect(alike(first) && alike(second), "allocation %ld: ranks differ", k);
        expect(first == PERP_ERR_MEMORY || second == PERP_ERR_MEMORY, "allocation %ld: %s, %s", k,
               perp_status_name(first), perp_status_name(second));
    }
    chain_free(&c);
    check_sharing_memory();
}
