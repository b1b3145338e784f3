# SPDX-License-Identifier: BSD-3-Clause
"""All solutions of a small problem."""
from __future__ import annotations

from typing import Any, List, NamedTuple

import numpy as np

from ._callbacks import PROGRESS, Calls, Watch
from ._perp import ffi, lib
from ._problem import as_problem
from ._settings import Settings
from ._status import OF_VALUE, Status, check


class Solution(NamedTuple):
    """z, w (n,); piece: one inner point of a polyhedron of solutions with the same modes."""

    z: np.ndarray
    w: np.ndarray
    piece: bool


class Enumeration(NamedTuple):
    """solutions, in the order of the search; status SOLVED: all with |z_i| < reach were found, at least
    one; INFEASIBLE: there is none; nodes of the search; undecided: choices that rounding left open."""

    status: Status
    solutions: List[Solution]
    reach: float
    nodes: int
    undecided: int
    worst: float


def all_solutions(M, q=None, sets=None, **settings: Any) -> Enumeration:
    """Every solution of a problem of Free, Nonneg, Box, and Tresca and Coulomb in two dimensions.

    The work grows like 2^n or less.  Arguments as of `Solver`.

    >>> import perp
    >>> found = perp.all_solutions([[1, 2], [2, 1]], [-1, -1], perp.Nonneg())
    >>> sorted(s.z.round(9).tolist() for s in found.solutions)
    [[0.0, 1.0], [0.333333333, 0.333333333], [1.0, 0.0]]
    """
    problem = as_problem(M, q, sets)
    n, found = problem.n, []
    chosen, calls = Settings(settings), Calls()
    watch = Watch(calls)
    chosen.c.progress, chosen.c.progress_ctx = PROGRESS, watch.c

    def keep(_, z, w, piece) -> None:
        found.append(Solution(np.array(ffi.unpack(z, n)), np.array(ffi.unpack(w, n)), bool(piece)))

    calls.functions["solution"] = keep
    info = ffi.new("perp_enumerate_info *", {"size": ffi.sizeof("perp_enumerate_info")})
    status = lib.perp_enumerate(problem._c, chosen.c, lib.perp_py_solution, calls.handle, ffi.NULL, info)
    problem._raise_from_product()
    calls.take_interrupt()
    check(status, info.where, info.detail)
    return Enumeration(OF_VALUE[status], found, info.reach, info.nodes, info.undecided, info.worst)
