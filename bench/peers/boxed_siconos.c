/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-boxed-siconos: Siconos' relay solvers in the race of bench/boxed. */
#include <stdlib.h>
#include <string.h>

#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <RelayProblem.h>
#include <SolverOptions.h>
#include <relay_cst.h>

#include "bench/boxed_race.h"

/* Siconos frees what it is given. */
static double *copy(const double *x, size_t count)
{
    double *y = malloc(count * sizeof *y);
    if (!y)
        abort();
    return memcpy(y, x, count * sizeof *y);
}

static int solve(int id, const boxed_problem *p, double *z, double *seconds)
{
    size_t n = (size_t)p->n;
    RelayProblem *relay = relayProblem_new();
    double *w = calloc(n, sizeof *w);
    SolverOptions *options = solver_options_create(id);
    if (!relay || !w || !options)
        abort();
    numerics_set_verbose(0);
    relay->size = p->n;
    relay->M = NM_create_from_data(NM_DENSE, p->n, p->n, copy(p->M, n * n));
    relay->q = copy(p->q, n);
    relay->lb = copy(p->lo, n);
    relay->ub = copy(p->hi, n);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-12;
    double start = boxed_now();
    int failed = relay_driver(relay, z, w, options);
    *seconds = boxed_now() - start;
    solver_options_delete(options);
    freeRelay_problem(relay);
    free(w);
    return failed;
}

static int lemke(const boxed_problem *p, double *z, double *seconds)
{
    return solve(SICONOS_RELAY_LEMKE, p, z, seconds);
}

static int cao_ferris(const boxed_problem *p, double *z, double *seconds)
{
    return solve(SICONOS_RELAY_AVI_CAOFERRIS, p, z, seconds);
}

int main(int argc, char **argv)
{
    static const boxed_peer peers[] = {{"Siconos Lemke", lemke},
                                       {"Siconos AVI Cao-Ferris", cao_ferris}};
    return boxed_peer_main(argc, argv, peers, 2);
}
