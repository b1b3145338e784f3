/* SPDX-License-Identifier: BSD-3-Clause */
/* Affine variational inequalities over boxes by pivots on the normal map: 0 in M z + q + N_B(z).
 * Lexicographic, so finite on degenerate problems; a ray is reported with its z part.
 *
 * A polyhedron {A z >= b} enters with multipliers, [[M, -A'], [A, 0]] (perp_avi_create()).  The
 * path starts at a vertex of it, found by a linear program in set-up; without libperp-lp, or where
 * there is none, the z without bounds are brought into the basis by pivots over their own rows
 * and, where M leaves them open, together with multipliers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "handle/solver_type.h"
#include "lp/library.h"
#include "solvers/avi/normal_path.h"
#include "solvers/avi/vertex.h"

/* Covering vectors that are tried, since a ray belongs to one. */
enum { ATTEMPTS = 4 };

typedef struct avi_state {
    perp_csc M; /* of the problem */
    perp_normal_path path;
    double *kept;         /* n */
    unsigned char *first; /* n: the basis of a vertex */
    int vertex;           /* 1: there is one */
    int iteration;
} avi_state;

/* The vertex for the current q. */
static perp_status find_vertex(perp_work *work)
{
    avi_state *state = work->state;
    perp_lp_library library = {NULL, NULL};
    perp_info unused = {0};
    state->vertex = 0;
    if (!perp_is_polyhedral(&state->M, &work->blocks))
        return PERP_SOLVED;
    perp_status status = perp_lp_library_open(&library, &unused);
    if (status == PERP_SOLVED)
        status = perp_polyhedron_vertex(state->first, &state->M, work->problem->q, &work->blocks,
                                        library.table, &work->arena->allocator);
    perp_lp_library_close(&library);
    state->vertex = status == PERP_SOLVED;
    return status == PERP_ERR_MEMORY ? status : PERP_SOLVED;
}

static perp_status avi_setup(perp_work *work)
{
    avi_state *state = PERP_TAKE(work->arena, avi_state, 1);
    work->certificate = PERP_TAKE(work->arena, double, work->blocks.n);
    if (work->arena->failed)
        return PERP_ERR_MEMORY;
    perp_status status = perp_csc_from_mat(&state->M, &work->problem->M, work->arena);
    if (status == PERP_SOLVED)
        status = perp_normal_path_take(&state->path, &work->problem->M, work->arena);
    state->kept = PERP_TAKE(work->arena, double, work->blocks.n);
    state->first = PERP_TAKE(work->arena, unsigned char, work->blocks.n);
    work->state = state;
    if (status != PERP_SOLVED || work->arena->failed)
        return work->arena->failed ? PERP_ERR_MEMORY : status;
    return find_vertex(work);
}

/* The end of the path, solved again; where that is worse, as the pivots have it. */
static int judge(perp_work *work, avi_state *state)
{
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    double error = INFINITY, other;
    perp_normal_path_point(state->kept, &state->path);
    if (perp_normal_path_solution(work->z, &state->path))
        error = perp_measure(work, work->z);
    if (error > work->settings->tol) {
        other = perp_measure(work, state->kept);
        if (!(error <= other))
            memcpy(work->z, state->kept, bytes);
        error = perp_measure(work, work->z);
    }
    return perp_stop(work, state->iteration, error);
}

static perp_status report_ray(perp_work *work, avi_state *state, int entering)
{
    double largest = 0.0;
    perp_normal_path_direction(work->certificate, &state->path, entering);
    for (int i = 0; i < work->blocks.n; i++)
        largest = fmax(largest, fabs(work->certificate[i]));
    for (int i = 0; i < work->blocks.n && largest > 0.0; i++)
        work->certificate[i] /= largest;
    work->certificate_kind = largest > 0.0 ? PERP_CERTIFICATE_RAY : PERP_CERTIFICATE_NONE;
    return largest > 0.0 ? PERP_RAY : PERP_STALLED;
}

static perp_status follow(perp_work *work, avi_state *state, int attempt, double error)
{
    int entering, left = 0;
    if (!state->vertex || !perp_normal_path_start_with(&state->path, state->first))
        left = perp_normal_path_start(&state->path);
    if (left > 0)
        snprintf(work->info->detail, sizeof work->info->detail,
                 "%d equality rows could not be met by a pivot and were left out", left);
    if (perp_normal_path_cover(&state->path, attempt, &entering)) {
        state->iteration++;
        return judge(work, state) ? work->monitor.verdict : PERP_STALLED;
    }
    for (;;) {
        if (perp_stop_light(work, ++state->iteration, error))
            return work->monitor.verdict;
        switch (perp_normal_path_pivot(&state->path, &entering)) {
        case PERP_PATH_GOES_ON:
            break;
        case PERP_PATH_DONE:
            return judge(work, state) ? work->monitor.verdict : PERP_STALLED;
        case PERP_PATH_RAY:
            return report_ray(work, state, entering);
        }
    }
}

static perp_status avi_solve(perp_work *work)
{
    avi_state *state = work->state;
    double error = perp_measure(work, work->z);
    state->iteration = 0;
    if (perp_stop(work, 0, error))
        return work->monitor.verdict;
    perp_normal_path_fill(&state->path, &state->M, work->problem->q, &work->blocks,
                          work->scaling.d);
    perp_status status = PERP_RAY;
    for (int attempt = 0; attempt < ATTEMPTS && status == PERP_RAY; attempt++)
        status = follow(work, state, attempt, error);
    if (status == PERP_STALLED || status == PERP_RAY) {
        memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
        work->info->notes |= PERP_NOTE_BEST;
    }
    return status;
}

const perp_solver_type perp_solver_avi = {
    .name = "avi",
    .summary = "pivoting on the normal map of an affine variational inequality",
    .reads = "",
    .sets = PERP_LINEAR_SETS,
    .matrices =
        PERP_BIT(PERP_DENSE) | PERP_BIT(PERP_CSC) | PERP_BIT(PERP_BSR) | PERP_BIT(PERP_DELASSUS),
    .max_iter = 100000,
    .stall = 0,
    .setup = avi_setup,
    .update_q = find_vertex,
    .solve = avi_solve,
};
