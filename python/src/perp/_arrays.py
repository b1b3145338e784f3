# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of numpy as pointers of C: nothing is copied that has the right type and order."""
from __future__ import annotations

from typing import Optional

import numpy as np

from ._perp import ffi
from ._status import ArgumentError, ArgumentTypeError, SizeError

INT_MAX = 2**31 - 1


def numbers(x, name: str) -> np.ndarray:
    """An array of float64: x itself where it is one."""
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise ArgumentTypeError(f"{name}: some of its entries are masked")
    try:
        array = np.asarray(x)
    except Exception as failure:
        raise ArgumentTypeError(f"{name}: an array of numbers is expected ({failure})") from None
    if array.dtype == np.float64:
        return array if array.flags.aligned else array.copy()
    if array.dtype.kind not in "buif":
        raise ArgumentTypeError(f"{name}: real numbers are expected, not dtype {array.dtype}")
    return array.astype(np.float64)


def vector(x, name: str, n: Optional[int] = None) -> np.ndarray:
    """float64, contiguous, one dimension, n entries (any number where n is None)."""
    array = numbers(x, name)
    if array.ndim != 1:
        raise ArgumentError(f"{name}: an array of one dimension is expected, its shape is {array.shape}")
    if n is not None and array.shape[0] != n:
        raise ArgumentError(f"{name}: {n} entries are expected, it has {array.shape[0]}")
    return np.ascontiguousarray(array)


def spread(x, name: str, n: int) -> np.ndarray:
    """As vector(); one number stands for n equal ones."""
    array = numbers(x, name)
    return vector(np.full(n, float(array)) if array.ndim == 0 else array, name, n)


def indices(x, name: str) -> np.ndarray:
    """int32, contiguous: x itself where it is so, a copy where it is of another integer type."""
    array = np.asarray(x)
    if array.dtype == np.int32:
        return np.ascontiguousarray(array if array.flags.aligned else array.copy())
    if array.dtype.kind not in "iu":
        raise ArgumentTypeError(f"{name}: integers are expected, not dtype {array.dtype}")
    if array.size and int(array.max()) > INT_MAX:
        raise SizeError(f"{name}: {int(array.max())} does not fit into 32 bits")
    return array.astype(np.int32)


def count(value, name: str) -> int:
    """A whole number >= 0."""
    try:
        number = value.__index__()
    except AttributeError:
        raise ArgumentTypeError(f"{name}: a whole number is expected, not {type(value).__name__}") from None
    if number < 0:
        raise ArgumentError(f"{name}: {number} is negative")
    if number > INT_MAX:
        raise SizeError(f"{name}: {number} does not fit into 32 bits")
    return number


def real(value, name: str) -> float:
    """One number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{name}: a number is expected, not {type(value).__name__}") from None


def doubles(array: np.ndarray):
    """const double * of a contiguous array, which has to live as long."""
    return ffi.from_buffer("double[]", array)


def integers(array: np.ndarray):
    """const int * of a contiguous array, which has to live as long."""
    return ffi.from_buffer("int[]", array)


def seen(pointer, shape, owner, kind=np.float64) -> np.ndarray:
    """A read-only array over memory of C, which `owner` keeps alive."""
    size = int(np.prod(shape, dtype=np.int64))
    if size == 0 or not pointer:
        return np.zeros(shape, kind)
    memory = ffi.gc(ffi.cast("char *", pointer), _Keep(owner))
    array = np.frombuffer(ffi.buffer(memory, size * np.dtype(kind).itemsize), kind).reshape(shape)
    array.flags.writeable = False
    return array


class _Keep:
    """The destructor of a pointer that owns nothing, but holds what does."""

    def __init__(self, owner):
        self.owner = owner

    def __call__(self, pointer):
        self.owner = None
