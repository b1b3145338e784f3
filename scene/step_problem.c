/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/step_problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/problem_entries.h"
#include "scene/files.h"

#include "config.h"

#ifdef HAVE_HDF5
static const int has_hdf5 = 1;
#else
static const int has_hdf5 = 0;
#endif

/* How a problem goes into a file: the place of each row, and what pads it. */
typedef struct plan {
    const perp_allocator *memory;
    int dim;       /* of contacts; 0: no friction */
    int contacts;  /* COULOMB, and NONNEG as frictionless ones with tangential rows */
    int bilateral; /* FREE rows, behind the contacts */
    int boxes, nonneg, rows;
    int *place; /* of each row of the problem in the file */
    double *mu, *lo, *hi;
} plan;

static perp_status refuse(perp_io_error *error, const char *text)
{
    snprintf(error->text, sizeof error->text, "%s", text);
    return PERP_ERR_UNSUPPORTED;
}

static perp_status count_sets(plan *p, const perp_problem *problem, perp_io_error *error)
{
    for (int s = 0; s < problem->nseg; s++) {
        const perp_segment *seg = &problem->seg[s];
        if (seg->set == PERP_FREE) {
            p->bilateral += seg->count;
        } else if (seg->set == PERP_NONNEG) {
            p->nonneg += seg->count;
        } else if (seg->set == PERP_BOX) {
            p->boxes += seg->count;
        } else if (seg->set == PERP_COULOMB) {
            if (p->dim != 0 && p->dim != seg->dim)
                return refuse(error, "friction of two and of three rows together");
            p->dim = seg->dim;
            p->contacts += seg->count;
        } else {
            return refuse(error, "a set that no file format has");
        }
    }
    if (p->dim != 0 && p->boxes > 0)
        return refuse(error, "boxes together with friction");
    if (p->dim != 0)
        p->contacts += p->nonneg;
    return PERP_SOLVED;
}

/* Friction: contacts first, then equalities.  Else the rows as they are, with bounds. */
static void place_rows(plan *p, const perp_problem *problem)
{
    int contact = 0, equality = p->dim * p->contacts, row = 0;

    for (int s = 0; s < problem->nseg; s++) {
        const perp_segment *seg = &problem->seg[s];
        for (int k = 0; k < seg->count; k++) {
            for (int i = 0; i < seg->dim; i++, row++) {
                p->place[row] = p->dim == 0             ? row
                                : seg->set == PERP_FREE ? equality++
                                                        : p->dim * contact + i;
                p->lo[row] = seg->set == PERP_NONNEG ? 0.0
                             : seg->set == PERP_BOX  ? seg->par[0][k * seg->stride[0]]
                                                     : -INFINITY;
                p->hi[row] = seg->set == PERP_BOX ? seg->par[1][k * seg->stride[1]] : INFINITY;
            }
            if (p->dim != 0 && seg->set != PERP_FREE)
                p->mu[contact++] = seg->set == PERP_COULOMB ? seg->par[0][k * seg->stride[0]] : 0.0;
        }
    }
}

/* Frictionless contacts are padded by rows of the identity. */
static perp_status pad(perp_scene_entries *entries, const plan *p)
{
    int n = p->dim * p->contacts;
    char *taken = perp_scene_zeroed(p->memory, (size_t)n + 1, 1);
    perp_status status = taken == NULL ? PERP_ERR_MEMORY : PERP_SOLVED;

    for (int k = 0; k < p->rows && status == PERP_SOLVED; k++)
        if (p->place[k] < n)
            taken[p->place[k]] = 1;
    for (int k = 0; k < n && status == PERP_SOLVED; k++)
        if (!taken[k])
            status = perp_scene_add_entry(entries, k, k, 1.0);
    perp_scene_release(p->memory, taken);
    return status;
}

static perp_status fill_friction(perp_dump *dump, const plan *p, const perp_scene_entries *entries,
                                 const double *q, perp_io_error *error)
{
    int m = p->dim * p->contacts;
    perp_status status;

    dump->cls = PERP_DUMP_FRICTION;
    dump->spacedim = p->dim;
    dump->contacts = p->contacts;
    dump->bilateral = p->bilateral;
    dump->has_V = p->bilateral > 0;
    dump->mu = perp_dump_take(dump, (size_t)p->contacts, sizeof(double));
    dump->q = perp_dump_take(dump, (size_t)m, sizeof(double));
    dump->b = perp_dump_take(dump, (size_t)p->bilateral + 1, sizeof(double));
    if (dump->mu == NULL || dump->q == NULL || dump->b == NULL)
        return PERP_ERR_MEMORY;
    memcpy(dump->mu, p->mu, (size_t)p->contacts * sizeof(double));
    memcpy(dump->q, q, (size_t)m * sizeof(double));
    if (p->bilateral > 0)
        memcpy(dump->b, q + m, (size_t)p->bilateral * sizeof(double));
    status = perp_scene_take_block(&dump->M, dump, entries, 0, 0, m, m);
    if (status != PERP_SOLVED || !dump->has_V)
        return status;
    if (!perp_scene_couples_alike(entries, m))
        return refuse(error, "contacts and equalities that are not coupled symmetrically");
    status = perp_scene_take_block(&dump->V, dump, entries, 0, m, m, p->bilateral);
    return status != PERP_SOLVED
               ? status
               : perp_scene_take_block(&dump->R, dump, entries, m, m, p->bilateral, p->bilateral);
}

static perp_status fill_complementarity(perp_dump *dump, const plan *p,
                                        const perp_scene_entries *entries, const double *q)
{
    int n = p->rows;

    dump->cls = p->boxes > 0 ? PERP_DUMP_RELAY : p->bilateral > 0 ? PERP_DUMP_MLCP : PERP_DUMP_LCP;
    dump->q = perp_dump_take(dump, (size_t)n, sizeof(double));
    dump->lo = perp_dump_take(dump, (size_t)n, sizeof(double));
    dump->hi = perp_dump_take(dump, (size_t)n, sizeof(double));
    dump->is_free = perp_dump_take(dump, (size_t)n, sizeof(int));
    if (dump->q == NULL || dump->lo == NULL || dump->hi == NULL || dump->is_free == NULL)
        return PERP_ERR_MEMORY;
    memcpy(dump->q, q, (size_t)n * sizeof(double));
    memcpy(dump->lo, p->lo, (size_t)n * sizeof(double));
    memcpy(dump->hi, p->hi, (size_t)n * sizeof(double));
    for (int k = 0; k < n; k++)
        dump->is_free[k] = p->lo[k] == -INFINITY && p->hi[k] == INFINITY;
    return perp_scene_take_block(&dump->M, dump, entries, 0, 0, n, n);
}

static perp_status fill_dump(perp_dump *dump, plan *p, const perp_problem *problem,
                             perp_io_error *error)
{
    int n = p->dim != 0 ? p->dim * p->contacts + p->bilateral : p->rows;
    double *q = perp_scene_zeroed(p->memory, (size_t)n + 1, sizeof *q);
    perp_scene_entries entries = {p->memory, NULL, 0, 0};
    perp_status status = PERP_ERR_MEMORY;

    if (q != NULL) {
        place_rows(p, problem);
        for (int k = 0; k < p->rows; k++)
            q[p->place[k]] = problem->q[k];
        status = perp_scene_collect(&entries, &problem->M, p->place);
        if (status == PERP_SOLVED && p->dim != 0)
            status = pad(&entries, p);
        perp_scene_sort(&entries);
        if (status == PERP_SOLVED)
            status = p->dim != 0 ? fill_friction(dump, p, &entries, q, error)
                                 : fill_complementarity(dump, p, &entries, q);
    }
    perp_scene_free_entries(&entries);
    perp_scene_release(p->memory, q);
    return status;
}

static perp_status make_problem_file(perp_dump **dump, const perp_allocator *memory,
                                     const perp_problem *problem, perp_io_error *error)
{
    perp_status status;
    size_t rows = (size_t)problem->M.rows;
    plan p;

    memset(&p, 0, sizeof p);
    *dump = NULL;
    p.memory = memory;
    p.rows = problem->M.rows;
    status = count_sets(&p, problem, error);
    if (status != PERP_SOLVED)
        return status;
    status = perp_dump_create(dump, memory);
    if (status != PERP_SOLVED)
        return status;
    p.place = perp_scene_zeroed(memory, rows + 1, sizeof *p.place);
    p.mu = perp_scene_zeroed(memory, rows + 1, sizeof *p.mu);
    p.lo = perp_scene_zeroed(memory, rows + 1, sizeof *p.lo);
    p.hi = perp_scene_zeroed(memory, rows + 1, sizeof *p.hi);
    status = p.place != NULL && p.mu != NULL && p.lo != NULL && p.hi != NULL
                 ? fill_dump(*dump, &p, problem, error)
                 : PERP_ERR_MEMORY;
    perp_scene_release(memory, p.place);
    perp_scene_release(memory, p.mu);
    perp_scene_release(memory, p.lo);
    perp_scene_release(memory, p.hi);
    if (status != PERP_SOLVED) {
        perp_dump_destroy(*dump);
        *dump = NULL;
    }
    return status;
}

perp_status perp_scene_write_problem(const char *dir, const perp_scene *scene, char *text,
                                     size_t room, perp_io_error *error)
{
    const perp_step_info *info = perp_sim_info(scene->sim);
    perp_scene_path_text folder = perp_scene_join(dir, "problems");
    perp_problem problem;
    perp_dump *dump = NULL;
    perp_status status = perp_sim_last_problem(scene->sim, &problem, NULL, NULL);

    memset(error, 0, sizeof *error);
    if (status != PERP_SOLVED || problem.M.rows == 0)
        return status != PERP_SOLVED ? status : PERP_ERR_STATE;
    snprintf(text, room, "%s", folder.text);
    if (perp_scene_make_folder(folder.text) != 0)
        return PERP_ERR_OPEN;
    status = make_problem_file(&dump, &scene->memory, &problem, error);
    if (status != PERP_SOLVED)
        return status;
    snprintf(dump->title, sizeof dump->title, "step %ld of %s", info->step,
             scene->title != NULL ? scene->title : "a scene");
    snprintf(text, room, "%s/step-%07ld.%s", folder.text, info->step,
             dump->cls == PERP_DUMP_FRICTION && has_hdf5 ? "hdf5" : "dat");
    status = perp_dump_write(dump, text, PERP_FORMAT_AUTO, error);
    perp_dump_destroy(dump);
    return status;
}
