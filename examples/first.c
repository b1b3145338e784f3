/* SPDX-License-Identifier: BSD-3-Clause */
/* One block slides on the ground: W maps the contact impulse r to u = W r + q. */
#include <perp/numerics.h>
#include <stdio.h>

int main(void)
{
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 2, 0}, mu = 0.3;
    double r[3], u[3];
    perp_segment contact = {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &contact, .nseg = 1};
    perp_info info = {.size = sizeof info};

    perp_mat_init_dense(&problem.M, 3, 3, W, 3);
    perp_status status = perp_solve(NULL, &problem, NULL, r, u, &info);
    printf("%s\n", perp_status_text(status));
    printf("r = (%g, %g, %g), residual %.1e\n", r[0], r[1], r[2], info.residual.scaled);
    return status != PERP_SOLVED;
}
