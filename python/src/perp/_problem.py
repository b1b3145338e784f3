# SPDX-License-Identifier: BSD-3-Clause
"""The one problem that Perp solves, and files of it."""
from __future__ import annotations

import os
from typing import NamedTuple, Optional, Tuple

import numpy as np

from . import _matrices, _sets
from ._arrays import doubles, seen, vector
from ._perp import ffi, lib
from ._status import ArgumentError, check, path_of, text


class Residuals(NamedTuple):
    """How far z is from solving a problem, recomputed from its own arrays; NaN: not defined.

    natural: |z - P_K(z - (w + s))| over the largest of |q|, |z|, |w|; scaled: the same, whatever the
    units of rows; primal: distance of z from K; dual: of w + s from K*; gap: of z.(w + s) from 0.
    """

    natural: float
    scaled: float
    primal: float
    dual: float
    gap: float


def residuals_of(c) -> Residuals:
    return Residuals(c.natural, c.scaled, c.primal, c.dual, c.gap)


class Problem:
    """w = M z + q,  -(w + s(w)) in N_K(z).

    M : (n, n) array, ``scipy.sparse`` (CSC and BSR with `column_blocks` are not copied, CSR and COO
        are converted), `Delassus`, `Operator` or a function of z (n,)
    q : (n,)
    sets : one set or a list of them, in the order of the rows of z

    float64 and int32 arrays are used where they lie and must not change while a `Solver` has them,
    but by `Solver.update`.  Other types and orders are copied once.
    """

    def __init__(self, M, q, sets) -> None:
        self.q = vector(q, "q")
        self._matrix = _matrices.view(M, "M", self.q.shape[0])
        self._segments = _sets.Segments(sets, self.q.shape[0])
        self._c = ffi.new("perp_problem *")
        self._file = self._owner = None
        self._connect()

    @classmethod
    def _of_parts(cls, matrix, q: np.ndarray, segments, file=None) -> "Problem":
        """From what other problems have, too.  `file` only keeps memory alive."""
        made = cls.__new__(cls)
        made.q, made._matrix, made._segments = q, matrix, segments
        made._c = ffi.new("perp_problem *")
        made._file, made._owner = None, file
        made._connect()
        return made

    def _connect(self) -> None:
        self._c.M = self._matrix.c[0]
        self._q_pointer = doubles(self.q)
        self._c.q = self._q_pointer
        self._c.seg = self._segments.c
        self._c.nseg = len(self._segments.sets)

    @classmethod
    def _from_c(cls, c, owner) -> "Problem":
        """Over memory of C that `owner` keeps alive."""
        made = cls.__new__(cls)
        n = c.M.rows
        made.q = seen(c.q, (n,), owner)
        made._matrix = _matrices.View((n, n), None, (owner,), ffi.new("perp_mat *", c.M))
        made._segments = _sets.Segments([_sets.from_c(c.seg[k], owner) for k in range(c.nseg)], n)
        made._c = ffi.new("perp_problem *", c)
        made._q_pointer = made._c.q
        made._file = made._owner = owner
        return made

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.q.shape[0]

    @property
    def sets(self) -> list:
        """The sets, as they were given."""
        return list(self._segments.sets)

    @property
    def M(self):
        """The matrix: what was given, or (of a file) an array, a scipy.sparse matrix or a `Delassus`
        over the memory of the file."""
        if self._matrix.source is None:
            self._matrix.source = _as_python(self._matrix.c, self)
        return self._matrix.source

    def check(self) -> None:
        """Raises what is wrong with sizes, indices, parameters, and values that are not finite."""
        where = ffi.new("perp_where *")
        check(lib.perp_problem_check(self._c, ffi.NULL, where), where, name=_matrices.name_in(self._matrix, where))

    def residuals(self, z) -> Tuple[Residuals, np.ndarray]:
        """How far z (n,) is from a solution, and w = M z + q."""
        first = vector(z, "z", self.n)
        w = np.empty(self.n)
        found = ffi.new("perp_residuals *", {"size": ffi.sizeof("perp_residuals")})
        status = lib.perp_residual(self._c, doubles(first), ffi.NULL, doubles(w), found)
        self._raise_from_product()
        if status < 0:
            self.check()  # names what is wrong in the problem, where that is it
        check(status, argument="z")
        return residuals_of(found), w

    def _raise_from_product(self) -> None:
        if self._matrix.product is not None:
            self._matrix.product.calls.check()

    def save(self, path, z=None, w=None) -> None:
        """Writes the problem: ``.hdf5`` (FCLib) or ``.dat`` (text of Siconos).

        With z and w it writes the solution: the problem with it in HDF5, or a text of two columns.
        """
        error = ffi.new("perp_io_error *")
        name = path_of(path)
        file = self._file or self._make_file(error)
        if z is None:
            status = lib.perp_problem_file_write(file, name, lib.PERP_FORMAT_AUTO, error)
        else:
            first = vector(z, "z", self.n)
            second = self.residuals(first)[1] if w is None else vector(w, "w", self.n)
            status = lib.perp_solution_write(file, doubles(first), doubles(second), name, error)
        check(status, detail=error.text, argument="" if error.text[0] != b"\0" else os.fspath(path))

    def _make_file(self, error):
        made = ffi.new("perp_problem_file **")
        status = lib.perp_problem_file_from_problem(made, self._c, ffi.NULL, error)
        self._raise_from_product()
        check(status, detail=error.text)
        return ffi.gc(made[0], lib.perp_problem_file_destroy)

    def __reduce__(self) -> tuple:
        return Problem, (self.M, self.q, self.sets)

    def __repr__(self) -> str:
        return f"Problem(n={self.n}, sets={self.sets})"


def _as_python(c, owner):
    """A perp_mat over the memory of `owner`."""
    if c.kind == lib.PERP_DENSE:
        return seen(getattr(c, "as").dense.x, (c.cols, getattr(c, "as").dense.ld), owner).T[: c.rows]
    if c.kind == lib.PERP_DELASSUS:
        return _FileDelassus(getattr(c, "as").delassus, c.cols, owner)
    from scipy import sparse

    if c.kind == lib.PERP_CSC:
        return sparse.csc_matrix(_arrays_of(getattr(c, "as").csc, c.cols, owner), shape=(c.rows, c.cols))
    b = getattr(c, "as").bsr
    start = seen(b.rowptr, (c.rows // b.block + 1,), owner, np.int32)
    stored = int(start[-1]) if start.size else 0
    data = seen(b.x, (stored, b.block, b.block), owner).transpose(0, 2, 1)
    return sparse.bsr_matrix((data, seen(b.col, (stored,), owner, np.int32), start), shape=(c.rows, c.cols))


def _arrays_of(columns, cols: int, owner) -> tuple:
    start = seen(columns.colptr, (cols + 1,), owner, np.int32)
    stored = int(start[-1])
    return (seen(columns.x, (stored,), owner), seen(columns.row, (stored,), owner, np.int32), start)


class _FileDelassus(_matrices.Delassus):
    """The factors that a problem file has; the mass stays with the file."""

    def __init__(self, c, n: int, owner) -> None:
        self.n = n
        value, row, start = _arrays_of(c, n, owner)
        self.H = _matrices._Columns(start, row, value, (c.dofs, n))
        self.mass = _matrices.Mass.__new__(_matrices.Mass)
        self.mass._c = c.mass
        self.mass._changes = ffi.new("int *")
        self._owner = owner
        self.compliance = seen(c.diagonal, (n,), owner) if c.diagonal else None


_CLASSES = {
    "auto": lib.PERP_CLASS_AUTO,
    "friction": lib.PERP_CLASS_FRICTION,
    "global": lib.PERP_CLASS_GLOBAL,
    "lcp": lib.PERP_CLASS_LCP,
    "mlcp": lib.PERP_CLASS_MLCP,
    "relay": lib.PERP_CLASS_RELAY,
    "rolling": lib.PERP_CLASS_ROLLING,
}


def load(path, kind: str = "auto") -> Problem:
    """Reads a problem file: HDF5 of FCLib, or text of Siconos.

    kind : "auto" (recognised), "friction", "global", "lcp", "mlcp", "relay" or "rolling"
    """
    if kind not in _CLASSES:
        raise ArgumentError(f"kind: one of {', '.join(_CLASSES)} is expected, not {kind!r}")
    made = ffi.new("perp_problem_file **")
    error = ffi.new("perp_io_error *")
    status = lib.perp_problem_file_read(made, path_of(path), _CLASSES[kind], ffi.NULL, error)
    check(status, detail=error.text, argument="" if text(error.text) else os.fspath(path))
    file = ffi.gc(made[0], lib.perp_problem_file_destroy)
    problem = ffi.new("perp_problem *")
    check(lib.perp_problem_file_get(file, problem, error), detail=error.text)
    return Problem._from_c(problem[0], file)


def load_solution(problem: Problem, path) -> np.ndarray:
    """z (n,) of a solution that `Problem.save` or ``perp solve --out`` wrote.  Nothing is believed of it:
    `Problem.residuals` says how good it is."""
    error = ffi.new("perp_io_error *")
    file = problem._file or problem._make_file(error)
    z = np.zeros(problem.n)
    check(lib.perp_solution_read(file, path_of(path), doubles(z), error), detail=error.text)
    return z


def as_problem(M, q=None, sets: Optional[object] = None) -> Problem:
    """A Problem from (M, q, sets), or from one that stands in the place of M."""
    if isinstance(M, Problem):
        if q is not None or sets is not None:
            raise ArgumentError("q, sets: a Problem has its own")
        return M
    if q is None or sets is None:
        raise ArgumentError(f"{'q' if q is None else 'sets'}: is missing")
    return Problem(M, q, sets)
