# SPDX-License-Identifier: BSD-3-Clause
"""Nonlinear complementarity by functions."""
from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from . import _matrices, _sets
from ._arrays import count, doubles, indices, integers, real, vector
from ._callbacks import PROGRESS, Calls, Watch, _store, _view
from ._perp import ffi, lib
from ._settings import Settings, solver_type
from ._status import OF_VALUE, ArgumentError, ArgumentTypeError, Status, check, text

_METHODS = {"josephy": lib.PERP_NCP_JOSEPHY, "fischer": lib.PERP_NCP_FISCHER}


class NCPResult:
    """z, F (n,); status; error; iterations; values, jacobians: calls of the functions."""

    def __init__(self, z: np.ndarray, F: np.ndarray, info) -> None:
        self.z, self.F = z, F
        self.status: Status = OF_VALUE[info.status]
        self.error: float = info.error
        self.iterations: int = info.iterations
        self.values: int = info.values
        self.jacobians: int = info.jacobians
        self.inner_solves: int = info.inner_solves
        self.detail: str = text(info.detail)

    @property
    def solved(self) -> bool:
        return self.status == Status.SOLVED

    def __repr__(self) -> str:
        return f"NCPResult({self.status.name}, error={self.error:.2e}, iterations={self.iterations})"


class _Functions:
    """F and its Jacobian as a perp_ncp."""

    def __init__(self, F: Callable, J: Callable, n: int, sets, pattern) -> None:
        for function, name in ((F, "F"), (J, "J")):
            if not callable(function):
                raise ArgumentTypeError(f"{name}: a function of z is expected")
        self.F, self.J, self.n = F, J, n
        self.calls = Calls()
        self.calls.functions.update(value=self._value, jacobian=self._jacobian)
        self.segments = _sets.Segments(sets, n)
        self.c = ffi.new("perp_ncp *")
        self.c.n, self.c.F, self.c.J = n, lib.perp_py_value, lib.perp_py_jacobian
        self.c.ctx = self.calls.handle
        self.c.seg, self.c.nseg = self.segments.c, len(self.segments.sets)
        self._pattern(pattern)

    def _pattern(self, pattern) -> None:
        self.pattern = None
        if pattern is None:
            return
        if not _matrices.is_sparse(pattern):
            raise ArgumentTypeError("pattern: a scipy.sparse matrix is expected")
        columns = pattern.tocsc()
        if columns.shape != (self.n, self.n):
            raise ArgumentError(f"pattern: shape {(self.n, self.n)} is expected, it is {columns.shape}")
        self.pattern = (indices(columns.indptr, "pattern"), indices(columns.indices, "pattern"))
        self.pointers = tuple(integers(a) for a in self.pattern)
        self.c.colptr, self.c.row = self.pointers

    def _value(self, out, z) -> None:
        _store(_view(out, self.n, True), self.n, self.F(_view(z, self.n, False).copy()), "F")

    def _jacobian(self, out, z) -> None:
        value = self.J(_view(z, self.n, False).copy())
        if self.pattern is None:
            dense = value.toarray() if _matrices.is_sparse(value) else value
            _store(_view(out, self.n**2, True), self.n**2, dense, "J", (self.n, self.n))
            return
        if not _matrices.is_sparse(value):
            raise ArgumentTypeError("J: with a pattern a scipy.sparse matrix is expected")
        data = self._entries(value.tocsc())
        _store(_view(out, data.shape[0], True), data.shape[0], data, "J")

    def _entries(self, J) -> np.ndarray:
        """The entries of J in the order of the pattern, which may have more of them."""
        assert self.pattern is not None
        start, row = self.pattern
        if np.array_equal(J.indptr, start) and np.array_equal(J.indices, row):
            return J.data
        data = np.asarray(J[row, np.repeat(np.arange(self.n), np.diff(start))]).ravel()
        if np.count_nonzero(data) != np.count_nonzero(J.data):
            raise ArgumentError("J: it has entries outside of the pattern that was given")
        return data


def ncp(F: Callable, J: Callable, z0, sets=None, *, method: str = "josephy", tol: float = 1e-8,
        max_iter: int = 200, time_limit: float = 0.0, solver: Optional[str] = None, pattern=None,
        check_jacobian: bool = False, **inner: Any) -> NCPResult:
    """z in K with -F(z) in N_K(z), K of Free, Nonneg (default) and Box.

    F : function of z (n,) that returns (n,); NaN: not defined there, a shorter step is taken
    J : function of z that returns dF/dz, (n, n) dense, or sparse with `pattern`
    z0 : (n,) first iterate, put into K
    method : "josephy" (linear problems in turn) or "fischer" (one linear system a step)
    solver, inner : solver of the linear problems of josephy and its settings
    pattern : a ``scipy.sparse`` matrix with the pattern of J
    check_jacobian : compares J(z0) with differences of F first

    >>> import numpy as np, perp
    >>> r = perp.ncp(lambda z: z**3 - np.array([8, -1]), lambda z: np.diag(3 * z**2), [1.0, 1.0])
    >>> r.status.name, r.z.round(6)
    ('SOLVED', array([2., 0.]))
    """
    z = np.array(vector(z0, "z0"))
    functions = _Functions(F, J, z.shape[0], _sets.Nonneg() if sets is None else sets, pattern)
    if check_jacobian:
        _compare(functions, z)
    chosen, watch = ffi.new("perp_ncp_settings *"), Watch(functions.calls)
    lib.perp_ncp_settings_init(chosen, ffi.sizeof("perp_ncp_settings"))
    if method not in _METHODS:
        raise ArgumentError(f"method: josephy or fischer is expected, not {method!r}")
    chosen.method, chosen.tol, chosen.time_limit = _METHODS[method], real(tol, "tol"), real(time_limit, "time_limit")
    chosen.max_iter = count(max_iter, "max_iter")
    chosen.progress, chosen.progress_ctx = PROGRESS, watch.c
    settings = Settings({"tol": 1e-10, **inner})
    chosen.inner = settings.c
    name = None
    if solver is not None:
        solver_type(solver)
        name = ffi.new("char[]", solver.encode())
        chosen.solver = name
    value = np.empty_like(z)
    info = ffi.new("perp_ncp_info *", {"size": ffi.sizeof("perp_ncp_info")})
    status = lib.perp_ncp_solve(functions.c, chosen, doubles(z), doubles(value), info)
    functions.calls.take_interrupt()
    check(status, info.where, info.detail)
    return NCPResult(z, value, info)


def _compare(functions: _Functions, z: np.ndarray) -> None:
    worst, row, col = ffi.new("double *"), ffi.new("int *"), ffi.new("int *")
    status = lib.perp_ncp_check_jacobian(functions.c, doubles(z), ffi.NULL, worst, row, col)
    functions.calls.check()
    check(status, argument="J")
    if not worst[0] <= 1e-4:
        raise ArgumentError(f"J: entry ({row[0]}, {col[0]}) differs from differences of F by {worst[0]:.1e} of the "
                            "largest entry of its column")
