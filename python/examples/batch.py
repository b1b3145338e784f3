# SPDX-License-Identifier: BSD-3-Clause
"""Many problems in threads: solves do not hold the interpreter's lock."""
import time
from concurrent.futures import ThreadPoolExecutor

import perp

problems = [perp.generate.spheres(120, seed=k) for k in range(6)]
times = {}
for workers in (1, 2):
    start = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        answers = list(pool.map(perp.solve, problems))
    times[workers] = time.perf_counter() - start
    print(f"{workers} threads: {times[workers]:.3f} s, {sum(a.solved for a in answers)} of {len(answers)} solved")
assert all(a.solved for a in answers)


def picture(axis):
    axis.bar([f"{workers} at once" for workers in times], times.values(), width=0.4)
    axis.set(ylabel="seconds", title=f"{len(problems)} problems in threads")
