# SPDX-License-Identifier: BSD-3-Clause
"""The sets K of a problem: blocks of rows, in the order of z."""
from __future__ import annotations

from typing import List, Optional, Sequence, Tuple, Type, Union

import numpy as np

from ._arrays import count as whole
from ._arrays import doubles, numbers, seen, vector
from ._perp import ffi, lib
from ._status import ArgumentError, ArgumentTypeError


class Set:
    """`count` blocks of `dim` rows each; count None: all rows that the other sets leave.

    The sets of a problem follow each other as the rows of z do.  Parameters are one number for all
    blocks, or an array with one for each, whose length is then the count.
    """

    _kind = -1
    dim: int
    count: Optional[int]

    def __init__(self, dim: int, count: Optional[int], **parameters) -> None:
        self.dim = whole(dim, "dim")
        self.parameters = {}
        self.count = None if count is None else whole(count, "count")
        for name, value in parameters.items():
            array = numbers(value, name)
            if array.ndim > 1:
                raise ArgumentError(f"{name}: one number or an array of one dimension is expected, its shape is "
                                    f"{array.shape}")
            self.parameters[name] = array if array.ndim == 0 else vector(array, name)
            if array.ndim == 1 and self.count is None:
                self.count = array.shape[0]
            if array.ndim == 1 and array.shape[0] != self.count:
                raise ArgumentError(f"{name}: {self.count} entries are expected, it has {array.shape[0]}")

    @property
    def rows(self) -> Optional[int]:
        """Rows of z; None where they follow from the problem."""
        return None if self.count is None else self.dim * self.count

    def __repr__(self) -> str:
        words = [f"{name}={_short(value)}" for name, value in self.parameters.items()]
        if self.dim > 1:
            words.append(f"dim={self.dim}")
        if self.count is not None:
            words.append(f"count={self.count}")
        return f"{type(self).__name__}({', '.join(words)})"


def _short(value: np.ndarray) -> str:
    if value.ndim == 0:
        return f"{float(value):g}"
    if value.shape[0] > 4:
        return f"<{value.shape[0]} numbers>"
    return "[" + ", ".join(f"{float(one):g}" for one in value) + "]"


class Free(Set):
    """w = 0, z of any sign: an equation."""

    _kind = lib.PERP_FREE

    def __init__(self, count: Optional[int] = None) -> None:
        super().__init__(1, count)


class Nonneg(Set):
    """0 <= z perp w >= 0."""

    _kind = lib.PERP_NONNEG

    def __init__(self, count: Optional[int] = None) -> None:
        super().__init__(1, count)


class Box(Set):
    """lo <= z <= hi; w >= 0 where z = lo, w <= 0 where z = hi, w = 0 between.  Bounds may be infinite."""

    _kind = lib.PERP_BOX

    def __init__(self, lo, hi, count: Optional[int] = None) -> None:
        if count is None and np.ndim(lo) == 0 and np.ndim(hi) == 1:
            count = len(hi)
        super().__init__(1, count, lo=lo, hi=hi)


class Coulomb(Set):
    """Contacts with friction: |z_T| <= mu z_N, rows N, T (dim 2) or N, T1, T2 (dim 3).

    -(w + mu |w_T| e_N) is in the normal cone: w_T opposes z_T where it slips, and w_N >= 0.
    """

    _kind = lib.PERP_COULOMB

    def __init__(self, mu, dim: int = 3, count: Optional[int] = None) -> None:
        super().__init__(_one_of(dim, (2, 3)), count, mu=mu)


class Rolling(Set):
    """Contacts with friction and rolling friction mu_r, a length: |z_T| <= mu z_N, |z_R| <= mu_r z_N.

    Rows N, T, R (dim 3) or N, T1, T2, R1, R2 (dim 5); z_R are moments, w_R angular velocities.  Rows
    N, T1, T2, R (dim 4) are torsional friction: R about the normal.  Rows N, T1, T2, S, R1, R2 (dim 6)
    are both, with torsional friction mu_s: |z_S| <= mu_s z_N.
    """

    _kind = lib.PERP_ROLLING

    def __init__(self, mu, mu_r, dim: Optional[int] = None, count: Optional[int] = None, *, mu_s=None) -> None:
        more = {} if mu_s is None else {"mu_s": mu_s}
        for value in (mu, mu_r, *more.values()):
            if count is None and np.ndim(value) == 1:
                count = len(value)
        allowed = (3, 4, 5) if mu_s is None else (6,)
        super().__init__(_one_of(allowed[-1] if dim is None else dim, allowed), count, mu=mu, mu_r=mu_r, **more)


class Tresca(Set):
    """z_N >= 0, |z_T| <= r with a threshold r that does not depend on z_N."""

    _kind = lib.PERP_TRESCA

    def __init__(self, r, dim: int = 3, count: Optional[int] = None) -> None:
        super().__init__(_one_of(dim, (2, 3)), count, r=r)


class SOC(Set):
    """The second-order cone |z_T| <= mu z_N, without the term of friction: a convex problem."""

    _kind = lib.PERP_SOC

    def __init__(self, mu, dim: int = 3, count: Optional[int] = None) -> None:
        if whole(dim, "dim") < 2:
            raise ArgumentError(f"dim: at least 2 is expected, not {dim}")
        super().__init__(dim, count, mu=mu)


def _one_of(dim: int, choices: tuple) -> int:
    if dim not in choices:
        raise ArgumentError(f"dim: {' or '.join(map(str, choices))} is expected, not {dim!r}")
    return dim


_TYPES: Tuple[Type[Set], ...] = (Free, Nonneg, Box, Coulomb, Rolling, Tresca, SOC)
_CLASSES = {cls._kind: cls for cls in _TYPES}


class Segments:
    """The sets of a problem of n rows as perp_segment[]."""

    __slots__ = ("c", "n", "sets", "keep")

    def __init__(self, sets: Union[Set, Sequence[Set]], n: int) -> None:
        self.n = n
        try:
            self.sets: List[Set] = [sets] if isinstance(sets, Set) else list(sets)
        except TypeError:
            raise ArgumentTypeError("sets: a set such as perp.Coulomb(0.5), or a list of them, is expected, not "
                                    f"{sets!r}") from None
        counts = self._counts()
        self.c = ffi.new("perp_segment[]", max(len(self.sets), 1))
        self.keep: list = []
        for k, (part, number) in enumerate(zip(self.sets, counts)):
            segment = self.c[k]
            segment.set, segment.dim, segment.count = part._kind, part.dim, number
            for p, value in enumerate(part.parameters.values()):
                segment.par[p] = self._pointer(value)
                segment.stride[p] = 0 if value.ndim == 0 else 1

    def _pointer(self, value: np.ndarray):
        pointer = doubles(value.reshape(-1))
        self.keep.append(pointer)
        return pointer

    def _counts(self) -> List[int]:
        for k, part in enumerate(self.sets):
            if not isinstance(part, Set):
                raise ArgumentTypeError(f"sets[{k}]: a set such as perp.Coulomb(0.5) is expected, not "
                                        f"{type(part).__name__}")
        known = sum(part.rows or 0 for part in self.sets if part.count is not None)
        open_ends = [k for k, part in enumerate(self.sets) if part.count is None]
        if len(open_ends) > 1:
            raise ArgumentError(f"sets[{open_ends[0]}] and sets[{open_ends[1]}]: one set alone may take the rows that "
                                "are left; the others need a count")
        left = self.n - known
        if left < 0 or (left > 0 and not open_ends):
            raise ArgumentError(f"sets: they have {known} rows, and q has {self.n}")
        if open_ends and left % self.sets[open_ends[0]].dim:
            k = open_ends[0]
            raise ArgumentError(f"sets[{k}]: {left} rows are left, which is no multiple of its dimension "
                                f"{self.sets[k].dim}")
        return [left // part.dim if part.count is None else part.count for part in self.sets]


def from_c(segment, owner) -> Set:
    """The set of a perp_segment of C, over its memory."""
    cls = _CLASSES[segment.set]
    made = cls.__new__(cls)
    made.dim, made.count, made.parameters = segment.dim, segment.count, {}
    for p in range(lib.perp_set_parameters(segment.set, segment.dim)):
        name = ffi.string(lib.perp_set_parameter(segment.set, p)).decode()
        if segment.stride[p] == 0:
            made.parameters[name] = np.float64(segment.par[p][0]).reshape(())
        elif segment.count:
            all_of_them = seen(segment.par[p], ((segment.count - 1) * segment.stride[p] + 1,), owner)
            made.parameters[name] = np.ascontiguousarray(all_of_them[:: segment.stride[p]])
        else:
            made.parameters[name] = np.zeros(0)
    return made
