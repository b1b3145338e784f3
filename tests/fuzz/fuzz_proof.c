/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of proofs, read and checked against a problem of two rows. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/proof.h"
#include "tests/fuzz/fuzz.h"

/* w_1 = z_1 - 1, w_2 = -z_1 - 1: no solution, as y = (0, 1) shows. */
static const double M[4] = {1.0, -1.0, 0.0, 0.0}, q[2] = {-1.0, -1.0};

/* Each input that is refused is told on standard error. */
static int quiet(int kept)
{
    int now = kept < 0 ? dup(STDERR_FILENO) : kept, to = kept < 0 ? open("/dev/null", O_WRONLY) : kept;
    FUZZ_PROMISE(now >= 0 && to >= 0 && dup2(to, STDERR_FILENO) >= 0);
    close(to);
    return now;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    perp_proof proof;
    perp_segment seg = {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    FUZZ_PROMISE(perp_mat_init_dense(&problem.M, 2, 2, M, 2) == PERP_SOLVED);
    int kept = quiet(-1), how = perp_proof_read(&proof, fuzz_file(data, size));
    if (how == PERP_EXIT_DONE) {
        FUZZ_PROMISE(proof.y != NULL && proof.rows >= 0);
        for (int k = 0; proof.kind != PERP_CERTIFICATE_EXHAUSTED && k < proof.rows; k++)
            FUZZ_PROMISE(!isnan(proof.y[k]));
        how = perp_proof_confirm(&proof, "problem", &problem);
        if (how == PERP_EXIT_DONE && proof.kind == PERP_CERTIFICATE_INFEASIBLE &&
            proof.figures.holds)
            FUZZ_PROMISE(proof.rows == 2 && proof.y[1] > 0.0);
    }
    perp_proof_free(&proof);
    quiet(kept);
    return 0;
}
