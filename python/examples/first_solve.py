# SPDX-License-Identifier: BSD-3-Clause
"""A first solve: a block is pushed over the floor, harder and harder, until it slides."""
import numpy as np

import perp

W = np.eye(3)  # impulse r of the contact -> its velocity u = W r + q; normal first
pushes, answers = (0.1, 0.2, 0.3, 0.4, 0.5), []
with perp.Solver(W, np.zeros(3), perp.Coulomb(0.3)) as solver:
    for push in pushes:
        r = solver.solve(q=[-1.0, push, 0.0])
        answers.append(r)
        print(f"push {push}: {r.status}, impulse {r.z.round(3) + 0.0}, it moves at {r.w[1]:.3f}")
        assert np.isclose(r.w[1], max(push - 0.3, 0), atol=1e-7)


def picture(axis):
    axis.plot(pushes, [-r.z[1] for r in answers], "o-", label="impulse of friction")
    axis.plot(pushes, [r.w[1] for r in answers], "s-", label="speed")
    axis.axhline(0.3, color="gray", linestyle=":")
    axis.set(xlabel="push")
    axis.legend()
