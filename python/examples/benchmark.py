# SPDX-License-Identifier: BSD-3-Clause
"""Solvers beside each other on problem files: a table, and profiles."""
import os
import tempfile

import perp

with tempfile.TemporaryDirectory() as folder:
    paths = []
    for kind in ("spheres", "boxes", "grains"):
        paths.append(os.path.join(folder, kind + ".hdf5"))
        getattr(perp.generate, kind)(60).save(paths[-1])
    table = perp.bench.run(paths, solvers=["auto", "gs", "nsn"], tol=[1e-4], time_limit=5)
print(table)
for row in range(len(table)):
    print(f"{os.path.basename(table['problem'][row]):14} {table['solver'][row]:6} {table['status'][row]:10} "
          f"error {table['error'][row]:.1e}")
for name, (ratio, share) in table.profile().items():
    print(f"{name}: {share[-1] if share.size else 0:.0%} solved")
assert len(table) == 9


def picture(axis):
    table.plot(axis=axis)
