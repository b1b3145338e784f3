# SPDX-License-Identifier: BSD-3-Clause
"""What a call on a reused handle costs beside the same calls in C: five contacts, a new q each time."""
import statistics
import time

import numpy as np

import perp
from perp._perp import ffi, lib

N, CALLS, REPEATS = 15, 500, 200
rng = np.random.default_rng(1)
G = rng.normal(size=(N, N))
M, q = np.asfortranarray(G @ G.T + np.eye(N)), rng.normal(size=N)
for name in ("gs", "nsn"):
    solver = perp.Solver(M, q, perp.Coulomb(0.4), solver=name, timing=0)
    z, w, info = np.empty(N), np.empty(N), ffi.new("perp_info *", {"size": ffi.sizeof("perp_info")})
    pointers = [ffi.from_buffer("double[]", a) for a in (q, z, w)]
    python, alone = [], []
    for _ in range(REPEATS):
        start = time.thread_time()
        for _ in range(CALLS):
            solver.solve(q)
        middle = time.thread_time()
        lib.perp_py_time_solves(solver._c, *pointers, info, CALLS)
        end = time.thread_time()
        python.append(1e6 * (middle - start) / CALLS)
        alone.append(1e6 * (end - middle) / CALLS)
    print(f"{name}: from Python {statistics.median(python):.2f} us, in C {statistics.median(alone):.2f} us "
          f"(medians); best of both {min(python):.2f} and {min(alone):.2f}: {min(python) - min(alone):.2f} us more")
