# SPDX-License-Identifier: BSD-3-Clause
"""A problem without a solution: the answer is a proof that can be checked by hand."""
import numpy as np

import perp

M, q = np.array([[0.0, 1], [-1, 0]]), np.array([-1.0, -1])
r = perp.lcp(M, q)
y = r.certificate.y
print(r.status, r.certificate)
print("y >= 0:", y, " M'y <= 0:", M.T @ y, " q.y < 0:", q @ y)
assert r.status is perp.Status.INFEASIBLE and np.all(y >= 0) and np.all(M.T @ y <= 0) and q @ y < 0


def picture(axis):
    line = np.array([-3.0, 2.0])
    axis.fill([0, 2, 2, 0], [0, 0, 2, 2], alpha=0.3, label="w >= 0")
    axis.fill([-1, 2, 2, -1], [-1, -1, -3, -3], alpha=0.3, label="w = M z + q with z >= 0")
    axis.plot(line, (0.5 * (q @ y) - y[0] * line) / y[1], "k--", label="y separates them")
    axis.set(xlabel="first row", ylabel="second row", xlim=(-3, 2), ylim=(-3, 2))
    axis.legend()
