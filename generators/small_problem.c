/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/small_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generators/friction_problems.h"
#include "core/rng.h"

const char *small_family_name(small_family family)
{
    static const char *const name[SMALL_LINEAR] = {
        "spheres",     "boxes",       "arch",  "grains",   "chains",      "rigid",
        "rigid-ratio", "rigid-twins", "spd",   "singular", "unsymmetric", "scaled",
        "twins",       "plane",       "mixed", "trivial"};
    if (family >= SMALL_CIRCUIT)
        return family == SMALL_CIRCUIT ? "circuit" : "pyramid";
    if (family >= SMALL_LINEAR)
        return perp_family_name((perp_family)(family - SMALL_LINEAR));
    return name[family];
}

small_family small_family_of(small_class cls, long index)
{
    long k = cls == SMALL_OF_LINEAR ? SMALL_LINEAR + index % SMALL_LINEAR_FAMILIES
                                    : index % SMALL_LINEAR;
    return (small_family)k;
}

double small_between(perp_rng *rng, double low, double high)
{
    return low + (high - low) * perp_rng_uniform(rng);
}

double small_mu(perp_rng *rng)
{
    int k = perp_rng_below(rng, 12);
    return k == 0 ? 0.0 : k == 1 ? 1.0 : small_between(rng, 0.0, 2.0);
}

double *small_take(small_problem *p, size_t count)
{
    void *x = p->arrays < SMALL_ARRAYS ? calloc(count + 1, sizeof(double)) : NULL;
    if (x)
        p->array[p->arrays++] = x;
    return x;
}

static int *take_int(small_problem *p, size_t count)
{
    return (int *)(void *)small_take(p, count / 2 + 1);
}

static int block_is_zero(const double *x, int n, int block)
{
    for (int j = 0; j < block; j++)
        for (int i = 0; i < block; i++)
            if (fabs(x[(size_t)i + (size_t)j * (size_t)n]) > 0.0)
                return 0;
    return 1;
}

int small_store_blocks(small_problem *p, int n, int block)
{
    int rows = n / block, count = 0;
    size_t most = (size_t)rows * (size_t)rows, entries = (size_t)block * (size_t)block;
    int *ptr = take_int(p, (size_t)rows + 1), *col = take_int(p, most);
    double *x = small_take(p, most * entries);
    if (!ptr || !col || !x)
        return -1;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            const double *from =
                p->dense + (size_t)i * (size_t)block + (size_t)j * (size_t)block * (size_t)n;
            if (i != j && block_is_zero(from, n, block))
                continue;
            for (int c = 0; c < block; c++)
                memcpy(x + (size_t)count * entries + (size_t)c * (size_t)block,
                       from + (size_t)c * (size_t)n, (size_t)block * sizeof *x);
            col[count++] = j;
        }
        ptr[i + 1] = count;
    }
    return perp_mat_init_bsr(&p->problem.M, rows, block, ptr, col, x) == PERP_SOLVED ? 0 : -1;
}

static int store_csc(small_problem *p, int n)
{
    size_t most = (size_t)n * (size_t)n;
    int *ptr = take_int(p, (size_t)n + 1), *row = take_int(p, most), count = 0;
    double *x = small_take(p, most);
    if (!ptr || !row || !x)
        return -1;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double entry = p->dense[(size_t)i + (size_t)j * (size_t)n];
            if (fabs(entry) > 0.0) {
                row[count] = i;
                x[count++] = entry;
            }
        }
        ptr[j + 1] = count;
    }
    return perp_mat_init_csc(&p->problem.M, n, n, ptr, row, x) == PERP_SOLVED ? 0 : -1;
}

/* The dense matrix as one of the kinds; block 0: the rows are not in equal blocks. */
int small_store(small_problem *p, perp_rng *rng, int n, int block)
{
    int kind = perp_rng_below(rng, 4);
    if (block > 0 && kind >= 2)
        return small_store_blocks(p, n, block);
    if (kind == 1)
        return store_csc(p, n);
    return perp_mat_init_dense(&p->problem.M, n, n, p->dense, n) == PERP_SOLVED ? 0 : -1;
}

static int build_generated(small_problem *p, perp_rng *rng)
{
    static const char *const name[] = {"spheres", "boxes", "arch", "grains", "chains"};
    const perp_generator *generator = perp_generator_find(name[p->family]);
    perp_generate_options options;
    perp_problem_file *local = NULL;
    perp_generate_options_init(&options, generator);
    options.size = 1 + perp_rng_below(rng, SMALL_CONTACTS);
    options.mu = small_mu(rng);
    options.seed = perp_rng_next(rng);
    if (p->family == SMALL_BOXES)
        options.ratio = pow(10.0, small_between(rng, -6.0, 6.0));
    options.restitution = perp_rng_below(rng, 2) ? perp_rng_uniform(rng) : 0.0;
    int to_local = perp_rng_below(rng, 2);
    if (perp_generate(&p->file, generator, &options, NULL))
        return -1;
    p->contacts = p->file->contacts;
    if (to_local && perp_problem_file_to_local(&local, p->file, NULL, NULL) == PERP_SOLVED) {
        perp_problem_file_destroy(p->file);
        p->file = local;
    }
    return perp_problem_file_get(p->file, &p->problem, NULL) == PERP_SOLVED ? 0 : -1;
}

int small_make(small_problem *p, small_class cls, uint64_t seed, long index)
{
    perp_rng rng = {seed + 0x632be59bd9b4e019u * (uint64_t)(index + 1)};
    memset(p, 0, sizeof *p);
    p->family = small_family_of(cls, index);
    p->problem.seg = p->seg;
    perp_rng_next(&rng);
    if (p->family <= SMALL_CHAINS)
        return build_generated(p, &rng);
    if (p->family >= SMALL_LINEAR)
        return small_build_linear(p, &rng);
    return p->family <= SMALL_RIGID_TWINS ? small_build_rigid(p, &rng)
                                          : small_build_planted(p, &rng);
}

void small_free(small_problem *p)
{
    for (int k = 0; k < p->arrays; k++)
        free(p->array[k]);
    perp_problem_file_destroy(p->file);
    memset(p, 0, sizeof *p);
}

/* The dense matrix and one COULOMB segment as a friction problem. */
static perp_problem_file *friction_file(const small_problem *p)
{
    const perp_segment *seg = p->problem.seg;
    small_problem copy = {.dense = p->dense};
    perp_problem_file *file = NULL;
    int n = p->problem.M.rows;
    if (p->problem.nseg != 1 || seg->set != PERP_COULOMB ||
        small_store_blocks(&copy, n, seg->dim) || perp_problem_file_create(&file, NULL))
        return NULL;
    size_t rows = (size_t)seg->count, entries = (size_t)seg->dim * (size_t)seg->dim;
    int blocks = copy.problem.M.as.bsr.rowptr[rows];
    file->cls = PERP_CLASS_FRICTION;
    file->spacedim = seg->dim;
    file->contacts = seg->count;
    int *ptr = perp_problem_file_take(file, rows + 1, sizeof *ptr);
    int *col = perp_problem_file_take(file, (size_t)blocks, sizeof *col);
    double *x = perp_problem_file_take(file, (size_t)blocks * entries, sizeof *x);
    file->q = perp_problem_file_take(file, (size_t)n, sizeof *file->q);
    file->mu = perp_problem_file_take(file, rows, sizeof *file->mu);
    if (ptr && col && x && file->q && file->mu) {
        memcpy(ptr, copy.problem.M.as.bsr.rowptr, (rows + 1) * sizeof *ptr);
        memcpy(col, copy.problem.M.as.bsr.col, (size_t)blocks * sizeof *col);
        memcpy(x, copy.problem.M.as.bsr.x, (size_t)blocks * entries * sizeof *x);
        memcpy(file->q, p->problem.q, (size_t)n * sizeof *file->q);
        for (size_t k = 0; k < rows; k++)
            file->mu[k] = seg->par[0][k * (size_t)seg->stride[0]];
        perp_mat_init_bsr(&file->M, seg->count, seg->dim, ptr, col, x);
    }
    small_free(&copy);
    return file;
}

int small_write(const small_problem *p, const char *path)
{
    perp_problem_file *made = p->file ? NULL : friction_file(p);
    const perp_problem_file *file = p->file ? p->file : made;
    int bad = !file || perp_problem_file_write(file, path, PERP_FORMAT_AUTO, NULL) != PERP_SOLVED;
    perp_problem_file_destroy(made);
    return bad ? -1 : 0;
}
