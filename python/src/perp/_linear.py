# SPDX-License-Identifier: BSD-3-Clause
"""Linear complementarity and its relatives, by their own names."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _matrices
from ._arrays import count, doubles, spread, vector
from ._perp import ffi, lib
from ._problem import Problem
from ._sets import Box, Free, Nonneg
from ._solver import Result, solve
from ._status import ArgumentError, check


def lcp(M, q, **options: Any) -> Result:
    """0 <= z perp M z + q >= 0.  Options are those of `solve`.

    >>> import perp
    >>> perp.lcp([[2, 1], [1, 2]], [-5, -6]).z.round(9)
    array([1.33333333, 2.33333333])
    """
    return solve(M, q, Nonneg(), **options)


def mlcp(M, q, free, **options: Any) -> Result:
    """w_i = 0 on free rows, 0 <= z_i perp w_i >= 0 on the others.

    free : number of rows at the start that are free, or a mask (n,)
    """
    right = vector(q, "q")
    n = right.shape[0]
    if np.ndim(free) == 0 and not isinstance(free, (bool, np.bool_)):
        first = count(free, "free")
        if first > n:
            raise ArgumentError(f"free: {first} is more than the {n} rows of q")
        return solve(M, right, [Free(first), Nonneg(n - first)], **options)
    mask = np.asarray(free)
    if mask.dtype != np.bool_ or mask.shape != (n,):
        raise ArgumentError(f"free: a number or a mask of {n} entries is expected")
    return solve(M, right, Box(np.where(mask, -np.inf, 0.0), np.full(n, np.inf)), **options)


def boxed_lcp(M, q, lo, hi, **options: Any) -> Result:
    """lo <= z <= hi; w >= 0 at lo, w <= 0 at hi, w = 0 between.  lo, hi: (n,) or one number."""
    return solve(M, q, Box(lo, hi, count=vector(q, "q").shape[0]), **options)


def relay(M, q, lo=-1.0, hi=1.0, **options: Any) -> Result:
    """-w in N_[lo, hi](z): z = lo where w > 0, z = hi where w < 0."""
    return boxed_lcp(M, q, lo, hi, **options)


class Polyhedral:
    """An affine variational inequality as a `Problem`: see `avi`."""

    def __init__(self, M, q, A, b, lo=None, hi=None) -> None:
        right, bounds = vector(q, "q"), vector(b, "b")
        n, m = right.shape[0], bounds.shape[0]
        matrix, rows = _matrices.view(M, "M", n), _matrices.view(A, "A")
        if rows.shape != (m, n):
            raise ArgumentError(f"A: shape {(m, n)} is expected, it is {rows.shape}")
        low = None if lo is None else spread(lo, "lo", n)
        high = None if hi is None else spread(hi, "hi", n)
        made, where = ffi.new("perp_avi **"), ffi.new("perp_where *")
        check(lib.perp_avi_create(made, matrix.c, doubles(right), rows.c, doubles(bounds),
                                  ffi.NULL if low is None else doubles(low),
                                  ffi.NULL if high is None else doubles(high), ffi.NULL, where), where)
        owner = ffi.gc(made[0], lib.perp_avi_destroy)
        self.n, self.m = n, m
        self.problem = Problem._from_c(lib.perp_avi_problem(owner)[0], owner)
        self.problem._file = None


class PolyhedralResult:
    """Of `avi`: z (n,), multipliers (m,) of A z >= b, slack A z - b, and the `Result` of the whole."""

    def __init__(self, whole: Result, n: int) -> None:
        self.whole = whole
        self.z, self.multipliers, self.slack = whole.z[:n], whole.z[n:], whole.w[n:]
        self.status = whole.status

    def __repr__(self) -> str:
        return f"PolyhedralResult({self.status.name}, n={self.z.size}, m={self.multipliers.size})"


def avi(M, q, A, b, lo=None, hi=None, **options: Any) -> PolyhedralResult:
    """z in C with (M z + q).(y - z) >= 0 for all y in C = {z : A z >= b, lo <= z <= hi}.

    M : (n, n);  A : (m, n);  lo, hi : (n,), one number or None.  Everything is copied.

    >>> import perp
    >>> perp.avi([[1, 0], [0, 1]], [0, 0], A=[[1, 1]], b=[2]).z.round(9)
    array([1., 1.])
    """
    whole = Polyhedral(M, q, A, b, lo, hi)
    return PolyhedralResult(solve(whole.problem, **options), whole.n)
