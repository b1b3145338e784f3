# SPDX-License-Identifier: BSD-3-Clause
"""One linear complementarity problem by each solver that takes it, and all solutions of another."""
import numpy as np

import perp

problem = perp.generate.family("p", 60, seed=4)
errors = {}
for name, info in perp.solvers().items():
    if "NONNEG" not in info.sets:
        continue
    try:
        r = perp.solve(problem, solver=name, tol=1e-8, time_limit=2)
    except perp.UnsupportedError as error:
        print(f"{name:14} {error}")
        continue
    errors[name] = r.error
    print(f"{name:14} {r.status.name:16} error {r.error:.1e}, {r.iterations} iterations")

found = perp.all_solutions([[1, 2], [2, 1]], [-1, -1], perp.Nonneg())
print("all solutions:", sorted(tuple(s.z.round(6).tolist()) for s in found.solutions))
assert len(found.solutions) == 3 and np.isinf(found.reach)


def picture(axis):
    axis.barh(list(errors), [max(error, 1e-18) for error in errors.values()])
    axis.axvline(1e-8, color="gray", linestyle=":", label="tol")
    axis.set(xscale="log", xlabel="error, recomputed from M and q")
    axis.legend()
