// SPDX-License-Identifier: BSD-3-Clause
/* A block is pushed over the floor, harder and harder: one handle, a new q each time. */
#include <array>
#include <cmath>
#include <cstdio>
#include <perp/perp.hpp>

int main()
{
    const std::array<double, 9> W{1, 0, 0, 0, 1, 0, 0, 0, 1};
    std::array<double, 3> q{-1, 0, 0}, impulse{}, velocity{};
    perp::settings settings;
    settings.tol = 1e-10;
    perp::solver solver({perp::dense(3, W), q, {perp::coulomb(0.3)}}, settings);
    for (int k = 0; k < 5; k++) {
        q[1] = 0.1 * k;
        solver.update_q(q);
        if (solver.solve(impulse, velocity) != PERP_SOLVED)
            return 1;
        std::printf("push %.1f  impulse %.4f %.4f  speed %.4f\n", q[1], impulse[0], impulse[1], velocity[1]);
        if (std::abs(velocity[1] - std::fmax(q[1] - 0.3, 0)) > 1e-8)
            return 1;
    }
    try {
        q[2] = NAN;
        solver.update_q(q);
    } catch (const perp::error &wrong) {
        std::printf("refused: %s\n", wrong.what());
        return 0;
    }
    return 1;
}
