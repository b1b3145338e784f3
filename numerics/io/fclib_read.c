/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/fclib.h"

#include <limits.h>

#include "io/dump.h"
#include "io/fclib_matrix.h"

static void read_local(perp_dump *dump, perp_h5 *h5)
{
    perp_heap *keep = perp_dump_heap(dump);
    dump->cls = PERP_DUMP_FRICTION;
    dump->spacedim = perp_h5_int(h5, "/fclib_local/spacedim", 2, 3);
    int rows = perp_h5_int(h5, "/fclib_local/W/m", 0, INT_MAX - 1);
    if (h5->status)
        return;
    if (rows % dump->spacedim != 0) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, "/fclib_local/W/m", "is %d, no multiple of %d", rows,
                     dump->spacedim);
        return;
    }
    dump->contacts = rows / dump->spacedim;
    dump->q = perp_h5_doubles(h5, "/fclib_local/vectors/q", rows, keep);
    dump->mu = perp_h5_doubles(h5, "/fclib_local/vectors/mu", dump->contacts, keep);
    dump->has_V = perp_h5_has(h5, "/fclib_local/V");
    if (!h5->status && perp_h5_has(h5, "/fclib_local/R") != dump->has_V)
        perp_h5_fail(h5, PERP_ERR_FORMAT, "/fclib_local", "V and R come both or not at all");
    if (!dump->has_V) {
        perp_fclib_blocks(&dump->M, h5, "/fclib_local/W", rows, dump->spacedim, dump);
        return;
    }
    dump->bilateral = perp_h5_int(h5, "/fclib_local/R/m", 0, INT_MAX - 1 - rows);
    dump->b = perp_h5_doubles(h5, "/fclib_local/vectors/s", dump->bilateral, keep);
    perp_fclib_symmetric(&dump->M, h5, "/fclib_local/W", rows, dump);
    perp_fclib_csc(&dump->V, h5, "/fclib_local/V", rows, dump->bilateral, dump);
    perp_fclib_csc(&dump->R, h5, "/fclib_local/R", dump->bilateral, dump->bilateral, dump);
}

static void read_global(perp_dump *dump, perp_h5 *h5)
{
    perp_heap *keep = perp_dump_heap(dump);
    dump->cls = PERP_DUMP_GLOBAL;
    dump->spacedim = perp_h5_int(h5, "/fclib_global/spacedim", 2, 3);
    dump->dofs = perp_h5_int(h5, "/fclib_global/M/m", 0, INT_MAX - 1);
    int cols = perp_h5_int(h5, "/fclib_global/H/n", 0, INT_MAX - 1);
    if (h5->status)
        return;
    if (cols % dump->spacedim != 0) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, "/fclib_global/H/n", "is %d, no multiple of %d", cols,
                     dump->spacedim);
        return;
    }
    dump->contacts = cols / dump->spacedim;
    dump->q = perp_h5_doubles(h5, "/fclib_global/vectors/f", dump->dofs, keep);
    dump->w = perp_h5_doubles(h5, "/fclib_global/vectors/w", cols, keep);
    dump->mu = perp_h5_doubles(h5, "/fclib_global/vectors/mu", dump->contacts, keep);
    perp_fclib_symmetric(&dump->M, h5, "/fclib_global/M", dump->dofs, dump);
    perp_fclib_csc(&dump->H, h5, "/fclib_global/H", dump->dofs, cols, dump);
    dump->has_G = perp_h5_has(h5, "/fclib_global/G");
    if (!dump->has_G)
        return;
    dump->bilateral = perp_h5_int(h5, "/fclib_global/G/n", 0, INT_MAX - 1 - cols);
    dump->b = perp_h5_doubles(h5, "/fclib_global/vectors/b", dump->bilateral, keep);
    perp_fclib_csc(&dump->G, h5, "/fclib_global/G", dump->dofs, dump->bilateral, dump);
}

static void read_problem(perp_dump *dump, perp_dump_class cls, perp_h5 *h5)
{
    int local = perp_h5_has(h5, "/fclib_local"), global = perp_h5_has(h5, "/fclib_global");
    if (local && (cls == PERP_DUMP_AUTO || cls == PERP_DUMP_FRICTION)) {
        read_local(dump, h5);
        perp_h5_string(h5, "/fclib_local/info/title", dump->title, sizeof dump->title);
    } else if (global && (cls == PERP_DUMP_AUTO || cls == PERP_DUMP_GLOBAL)) {
        read_global(dump, h5);
        perp_h5_string(h5, "/fclib_global/info/title", dump->title, sizeof dump->title);
    } else if (perp_h5_has(h5, "/fclib_global_rolling") ||
               perp_h5_has(h5, "/fclib_local_rolling")) {
        perp_h5_fail(h5, PERP_ERR_UNSUPPORTED, "/fclib_global_rolling",
                     "rolling friction is not supported");
    } else if (local || global) {
        perp_h5_fail(h5, PERP_ERR_FORMAT, NULL, "holds no problem of the class asked for");
    } else {
        perp_h5_fail(h5, PERP_ERR_FORMAT, NULL, "has no group /fclib_local or /fclib_global");
    }
}

static perp_status read_file(perp_dump *dump, perp_dump_class cls, const char *path,
                             perp_heap *work, perp_io_error *error)
{
    perp_h5 h5;
    if (!perp_h5_open(&h5, path, work, error))
        read_problem(dump, cls, &h5);
    /* What was read is complete; closing cannot change it. */
    perp_status status = h5.status;
    perp_h5_close(&h5);
    return status;
}

perp_status perp_fclib_read(perp_dump *dump, perp_dump_class cls, const char *path,
                            perp_io_error *error)
{
    perp_heap work;
    perp_status status = PERP_ERR_FORMAT;
    perp_heap_init(&work, &perp_dump_heap(dump)->allocator);
    H5E_BEGIN_TRY
    {
        status = read_file(dump, cls, path, &work, error);
    }
    H5E_END_TRY;
    perp_heap_free(&work);
    return status;
}

static void read_solution(double *z, int rows, int bilateral, perp_h5 *h5)
{
    const double *r = perp_h5_doubles(h5, "/solution/r", rows, h5->work);
    const double *l = NULL;
    if (bilateral > 0)
        l = perp_h5_doubles(h5, "/solution/l", bilateral, h5->work);
    if (h5->status)
        return;
    for (int i = 0; i < rows; i++)
        z[i] = r[i];
    for (int i = 0; i < bilateral; i++)
        z[rows + i] = l[i];
}

perp_status perp_fclib_read_solution(double *z, int rows, int bilateral, const char *path,
                                     const perp_allocator *allocator, perp_io_error *error)
{
    perp_heap work;
    perp_h5 h5;
    perp_status status = PERP_ERR_FORMAT;
    perp_heap_init(&work, allocator);
    H5E_BEGIN_TRY
    {
        if (!perp_h5_open(&h5, path, &work, error)) {
            if (perp_h5_has(&h5, "/solution"))
                read_solution(z, rows, bilateral, &h5);
            else
                perp_h5_fail(&h5, PERP_ERR_FORMAT, "/solution", "is missing");
        }
        status = h5.status;
        perp_h5_close(&h5);
    }
    H5E_END_TRY;
    perp_heap_free(&work);
    return status;
}
