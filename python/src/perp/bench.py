# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks: what ``perp bench`` measures, as a table; performance profiles as figures."""
from __future__ import annotations

import csv
import os
import tempfile
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _command
from ._arrays import real
from ._status import ArgumentError, FormatError, UnsupportedError

_NUMBERS = ("n", "contacts", "nnz", "tol", "iterations", "natural", "scaled", "primal", "dual", "gap", "error",
            "setup_s", "solve_s", "peak_kb", "repeats")


class Table:
    """Runs of solvers on problem files, one row each.

    names: the columns; ``table["solve_s"]`` an array of one; len(table) rows.
    """

    def __init__(self, columns: Dict[str, np.ndarray]) -> None:
        self._columns = columns

    @property
    def names(self) -> List[str]:
        return list(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()))) if self._columns else 0

    def __repr__(self) -> str:
        return f"Table({len(self)} runs of {', '.join(self.solvers)} on {len(set(self['problem']))} problems)"

    @property
    def solvers(self) -> List[str]:
        return list(dict.fromkeys(self["solver"].tolist()))

    def seconds(self) -> np.ndarray:
        """Set-up and solve of each run; infinite where it was not solved."""
        return np.where(self["status"] == "solved", self["setup_s"] + self["solve_s"], np.inf)

    def profile(self, tol: Optional[float] = None) -> Dict[str, Tuple[np.ndarray, np.ndarray]]:
        """Performance profiles [DolanMore2002]: for each solver ratios to the fastest time, ascending, and
        the share of problems that it solves within them."""
        chosen = np.ones(len(self), bool) if tol is None else np.isclose(self["tol"], tol, rtol=1e-9, atol=0)
        keys = np.array([f"{p} {t}" for p, t in zip(self["problem"], self["tol"])])
        seconds, found = self.seconds(), {}
        best = {key: seconds[chosen & (keys == key)].min() for key in set(keys[chosen])}
        for name in self.solvers:
            rows = chosen & (self["solver"] == name) & np.isfinite(seconds)
            ratio = np.sort([seconds[k] / best[keys[k]] for k in np.flatnonzero(rows)])
            found[name] = ratio, np.arange(1, ratio.size + 1) / max(len(best), 1)
        return found

    def plot(self, tol: Optional[float] = None, axis=None):
        """The profiles as a figure of matplotlib, or in the axis that is given."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise UnsupportedError("plot: matplotlib is not installed") from None
        if axis is None:
            axis = pyplot.subplots(layout="constrained")[1]
        for name, (ratio, share) in self.profile(tol).items():
            axis.step(np.r_[1, ratio], np.r_[0, share], where="post", label=name)
        axis.set(xscale="log", xlabel="time over that of the fastest", ylabel="share of problems", ylim=(0, 1.02))
        axis.legend()
        return axis.figure


def read(path) -> Table:
    """The file that ``perp bench --out`` writes."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        names, rows = reader.fieldnames or [], list(reader)
    if "solver" not in names or "status" not in names:
        raise FormatError(f"{os.fspath(path)}: it has no columns solver and status")
    columns = {}
    for name in names:
        values = [row[name] or "nan" if name in _NUMBERS else row[name] for row in rows]
        columns[name] = np.array(values, float) if name in _NUMBERS else np.array(values)
    return Table(columns)


def run(problems: Sequence, solvers: Sequence[str] = ("auto", "gs", "nsn"), tol: Sequence[float] = (1e-8,),
        time_limit: float = 10.0) -> Table:
    """Measures solvers on problem files or folders of them, each run in a process of its own."""
    if isinstance(problems, (str, os.PathLike)):
        problems = [problems]
    if not len(problems):
        raise ArgumentError("problems: none is given")
    with tempfile.TemporaryDirectory(prefix="perp-") as folder:
        out = os.path.join(folder, "results.csv")
        _command.run(["bench", *map(os.fspath, problems), "--solver", ",".join(solvers), "--tol",
                      ",".join(repr(real(t, "tol")) for t in np.atleast_1d(tol)), "--time-limit",
                      repr(real(time_limit, "time_limit")), "--out", out])
        return read(out)
