# SPDX-License-Identifier: BSD-3-Clause
"""A nonlinear problem by functions: three firms in a market, each with a capacity (Nash-Cournot)."""
import numpy as np

import perp

cost, slope = np.array([2.0, 1.5, 1.0]), 0.5


def F(z):
    """Minus the marginal profit of each firm: price p = 10 / sqrt(1 + Q)."""
    Q = z.sum()
    return cost + slope * z - 10 / np.sqrt(1 + Q) + 5 * z / (1 + Q) ** 1.5


def J(z):
    Q = z.sum()
    both = 5 / (1 + Q) ** 1.5
    return np.diag(np.full(3, slope + both)) + (both - 7.5 * z / (1 + Q) ** 2.5)[:, None]


r = perp.ncp(F, J, np.ones(3), perp.Box(0.0, [2.0, 2.0, 1.0]), check_jacobian=True)
print(r, "quantities", r.z.round(4), "F", r.F.round(4))
assert r.solved and r.z[2] == 1.0 and np.allclose(r.F[:2][r.z[:2] < 2], 0, atol=1e-6)


def picture(axis):
    axis.bar(["first", "second", "third"], [2.0, 2.0, 1.0], fill=False, linestyle=":", label="capacity")
    axis.bar(["first", "second", "third"], r.z, width=0.5, label="quantity")
    axis.set(xlabel="firm")
    axis.legend()
