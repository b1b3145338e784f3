# SPDX-License-Identifier: BSD-3-Clause
"""What type checkers and editors see of the package."""
import os
import subprocess
import sys

import pytest

import perp
from perp._perp import ffi

USER = """
import numpy as np
import perp

r = perp.solve(np.eye(3), [1.0, 2.0, 3.0], [perp.Coulomb(0.3, dim=3)], tol=1e-8)
z: np.ndarray = r.z
error: float = r.residuals.natural
status: perp.Status = r.status
known: bool = status is perp.Status.INFEASIBLE or status.sentence == ""
sim: perp.Simulation = perp.Scene(until=1, step=1e-3).simulation()
for state in sim:
    now: perp.State = state
record: perp.Record = sim.run(1.0)
gradient: perp.MotionGradient = sim.vjp(q=z)
"""
WRONG = USER + """
count: int = r.z
perp.Status.SOLVD
sim.runs()
"""


def test_statuses_are_those_of_c():
    values = {name[len("PERP_"):]: value for value, name in ffi.typeof("perp_status").elements.items()}
    assert {s.name: int(s) for s in perp.Status} == values


def check(path, package):
    """Lines that mypy finds wrong; skipped where it is not installed, here or in Debian's Python."""
    environment = {**os.environ, "MYPYPATH": os.path.dirname(package)}
    line = ["-m", "mypy", "--ignore-missing-imports", f"--cache-dir={path.parent / 'cache'}", str(path)]
    for python in (sys.executable, "/usr/bin/python3"):
        run = subprocess.run([python, *line], env=environment, capture_output=True, text=True)
        if "No module named mypy" not in run.stderr:
            return [text for text in run.stdout.splitlines() if ": error:" in text]
    pytest.skip("mypy is not installed")


def test_types(tmp_path):
    package = os.path.dirname(perp.__file__)
    assert os.path.exists(os.path.join(package, "py.typed"))
    source = tmp_path / "copy" / "perp"
    source.mkdir(parents=True)
    for name in os.listdir(package):
        if name.endswith(".py") or name == "py.typed":
            (source / name).write_bytes(open(os.path.join(package, name), "rb").read())
    user, wrong = tmp_path / "user.py", tmp_path / "wrong.py"
    user.write_text(USER)
    wrong.write_text(WRONG)
    assert check(user, str(source)) == []
    found = check(wrong, str(source))
    assert len(found) == 3 and all("wrong.py" in line for line in found)
