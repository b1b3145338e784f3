/* SPDX-License-Identifier: BSD-3-Clause */
/* A stranger's program: compiled against the installed tree, as C and as C++. */
#include <math.h>
#include <perp/io.h>
#include <perp/numerics.h>
#include <stdio.h>

int main(void)
{
    /* One contact, sliding: the closed form is r = (1, -0.3, 0). */
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double q[3] = {-1, 2, 0};
    const double mu = 0.3;
    double r[3], u[3];
    perp_segment contact = {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}};
    perp_problem problem;
    perp_info info;
    info.size = sizeof info;
    perp_mat_init_dense(&problem.M, 3, 3, W, 3);
    problem.q = q;
    problem.seg = &contact;
    problem.nseg = 1;
    perp_status status = perp_solve("gs", &problem, NULL, r, u, &info);
    printf("%s: %s, r = (%g, %g, %g)\n", perp_version(), perp_status_text(status), r[0], r[1],
           r[2]);
    perp_problem_file *file = NULL;
    perp_io_error error;
    if (perp_problem_file_read(&file, "/nonexistent.dat", PERP_CLASS_AUTO, NULL, &error) !=
        PERP_ERR_OPEN)
        return 2;
    return status != PERP_SOLVED || fabs(r[0] - 1) > 1e-7 || fabs(r[1] + 0.3) > 1e-7;
}
