# SPDX-License-Identifier: BSD-3-Clause
"""Matrices: arrays of numpy and scipy.sparse, products of factors, functions."""
from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np

from ._arrays import INT_MAX, count, doubles, indices, integers, numbers, spread, vector
from ._callbacks import Product
from ._perp import ffi, lib
from ._status import ArgumentError, ArgumentTypeError, SizeError, check, text


class View:
    """A perp_mat with all that it borrows."""

    __slots__ = ("c", "shape", "source", "keep", "product", "changes")

    def __init__(self, shape: tuple, source: Any, keep: tuple = (), c=None) -> None:
        self.c = ffi.new("perp_mat *") if c is None else c
        self.shape = shape
        self.source = source
        self.keep = keep
        self.product: Optional[Product] = None
        self.changes = ffi.NULL  # of the mass of a Delassus: see perp_py_watch


# Names that C has for arrays of a matrix, as scipy.sparse calls them.
_ARRAYS = {"colptr": "indptr", "rowptr": "indptr", "row": "indices", "col": "indices", "x": "data"}


def name_in(view: View, where, name: str = "M") -> str:
    """What users call the array of a matrix that C found at fault; "" where it is none of a matrix."""
    what = text(where.what)
    if view.c.kind == lib.PERP_DENSE and what == "x" and where.index >= 0:
        return f"{name}[{where.index % view.shape[0]}, {where.index // view.shape[0]}]"
    if what == "diagonal":
        return f"{name}.compliance" if view.c.kind == lib.PERP_DELASSUS else f"{name}.diagonal"
    if what not in _ARRAYS:
        return ""
    return f"{name}.H.{_ARRAYS[what]}" if view.c.kind == lib.PERP_DELASSUS else f"{name}.{_ARRAYS[what]}"


def is_sparse(x) -> bool:
    return hasattr(x, "tocsc") and hasattr(x, "format")


def _dense(x, name: str) -> View:
    array = numbers(x, name)
    if array.ndim != 2:
        raise ArgumentError(f"{name}: a matrix is expected, its shape is {array.shape}")
    if max(array.shape) > INT_MAX:
        raise SizeError(f"{name}: shape {array.shape} does not fit into 32 bits")
    columns = np.asfortranarray(array)
    view = View(array.shape, x, (columns,))
    rows, cols = array.shape
    check(lib.perp_mat_init_dense(view.c, rows, cols, doubles(columns.T), max(rows, 1)), argument=name)
    return view


def _compressed(x, name: str) -> View:
    """CSC as it is; CSR and COO are converted."""
    columns = x if x.format == "csc" else x.tocsc()
    start = indices(columns.indptr, f"{name}.indptr")
    row = indices(columns.indices, f"{name}.indices")
    value = np.ascontiguousarray(numbers(columns.data, f"{name}.data"))
    rows, cols = columns.shape
    if start.shape != (cols + 1,) or row.shape[0] < start[-1] or value.shape[0] < start[-1]:
        raise ArgumentError(f"{name}: indptr, indices and data do not fit a matrix of {cols} columns")
    view = View((rows, cols), x, (start, row, value))
    check(lib.perp_mat_init_csc(view.c, rows, cols, integers(start), integers(row), doubles(value)),
          argument=name)
    return view


def _blocks(x, name: str) -> Optional[View]:
    """BSR with square blocks of order 1 to 6; None where it has others."""
    height, width = x.blocksize
    if height != width or height > 6 or x.shape[0] != x.shape[1]:
        return None
    start = indices(x.indptr, f"{name}.indptr")
    column = indices(x.indices, f"{name}.indices")
    data = numbers(x.data, f"{name}.data")
    # Blocks lie column by column: those of column_blocks() do, others are copied.
    stored = np.ascontiguousarray(data.transpose(0, 2, 1))
    fits = start.shape == (x.shape[0] // height + 1,) and min(column.shape[0], stored.shape[0]) >= start[-1]
    if not fits:
        raise ArgumentError(f"{name}: indptr, indices and data do not fit the shape {x.shape}")
    view = View(x.shape, x, (start, column, stored))
    check(lib.perp_mat_init_bsr(view.c, x.shape[0] // height, height, integers(start), integers(column),
                                doubles(stored)), argument=name)
    return view


def column_blocks(matrix):
    """The same ``scipy.sparse`` BSR matrix with each block stored column by column.

    That is how Perp reads blocks: such a matrix is used where it lies, others are copied at each
    `solve` or `update`.  ``matrix.data`` keeps its shape (blocks, k, k).
    """
    if not is_sparse(matrix) or matrix.format != "bsr":
        raise ArgumentTypeError("matrix: a scipy.sparse matrix in BSR is expected")
    data = np.ascontiguousarray(matrix.data.transpose(0, 2, 1)).transpose(0, 2, 1)
    return type(matrix)((data, matrix.indices, matrix.indptr), shape=matrix.shape, copy=False)


class _Square:
    """n x n."""

    n: int

    @property
    def shape(self) -> Tuple[int, int]:
        """(n, n)."""
        return (self.n, self.n)


class Operator(_Square):
    """A matrix that is known by its products alone.

    apply : function of x (n,) that returns M x (n,)
    n : number of rows and columns
    diagonal : (n,), optional; with it more solvers and the scaled residual are available
    """

    def __init__(self, apply: Callable, n: int, diagonal=None) -> None:
        if not callable(apply):
            raise ArgumentTypeError("apply: a function is expected")
        self.apply = apply
        self.n = count(n, "n")  # rows and columns
        self.diagonal = None if diagonal is None else spread(diagonal, "diagonal", self.n)

    def _view(self, name: str) -> View:
        product = Product(self.apply, self.n, name)
        view = View((self.n, self.n), self, (product, self.diagonal))
        view.product = product
        check(lib.perp_mat_init_operator(view.c, self.n, lib.perp_py_apply, product.calls.handle,
                                         ffi.NULL if self.diagonal is None else doubles(self.diagonal)),
              argument=name)
        return view


class Mass:
    """The inverse of a mass matrix, made once: n x n, dense, sparse, or its diagonal (n,).

    >>> Mass([2.0, 4.0]).solve([1.0, 1.0])
    array([0.5 , 0.25])
    """

    def __init__(self, matrix) -> None:
        view = _mass_matrix(matrix)
        made = ffi.new("perp_mass **")
        where = ffi.new("perp_where *")
        check(lib.perp_mass_create(made, view.c, ffi.NULL, where), where, argument="mass",
              name=name_in(view, where, "mass"))
        self._c = ffi.gc(made[0], lib.perp_mass_destroy)
        self._changes = ffi.new("int *")

    def __reduce__(self) -> tuple:
        raise TypeError("a Mass is not pickled, as it does not keep its matrix: pickle the matrix, or Problem.save()")

    @property
    def n(self) -> int:
        """Number of rows."""
        return lib.perp_mass_size(self._c)

    def update(self, matrix) -> None:
        """New numbers; solvers that use it need `Solver.update`."""
        where = ffi.new("perp_where *")
        check(lib.perp_mass_update(self._c, _mass_matrix(matrix).c, where), where, argument="mass")
        self._changes[0] = (self._changes[0] + 1) % INT_MAX

    def solve(self, b) -> np.ndarray:
        """M^-1 b, (n,)."""
        right = spread(b, "b", self.n)
        x = np.empty(self.n)
        scratch = np.empty(self.n)
        lib.perp_mass_solve(self._c, doubles(right), doubles(scratch), doubles(x))
        return x


def _mass_matrix(matrix) -> View:
    if is_sparse(matrix):
        view = _compressed(matrix, "mass")
    else:
        array = numbers(matrix, "mass")
        if array.ndim != 1:
            return _dense(array, "mass")
        n = array.shape[0]
        start, row = np.arange(n + 1, dtype=np.int32), np.arange(n, dtype=np.int32)
        value = np.ascontiguousarray(array)
        view = View((n, n), matrix, (start, row, value))
        check(lib.perp_mat_init_csc(view.c, n, n, integers(start), integers(row), doubles(value)), argument="mass")
    return view


class Delassus(_Square):
    """M = H' mass^-1 H + diag(compliance), kept as its factors: M is never formed; `M @ z` is its product.

    >>> import numpy as np
    >>> M = Delassus(np.array([[1.0, 0.0], [1.0, 2.0]]), [1.0, 4.0])
    >>> M.shape, M @ [1.0, 0.0]
    ((2, 2), array([1.25, 0.5 ]))

    H : dofs x n, dense or sparse (CSC is not copied); column j is the direction of row j of z
    mass : dofs x dofs dense or sparse, its diagonal (dofs,), or a `Mass` that others share
    compliance : (n,) or one number >= 0, optional
    """

    def __init__(self, H, mass, compliance=None) -> None:
        if is_sparse(H):
            self.H = H
        else:
            self.H = _sparse_columns(numbers(H, "H"))
        self.mass = mass if isinstance(mass, Mass) else Mass(mass)
        self.n = self.H.shape[1]
        if self.H.shape[0] != self.mass.n:
            raise ArgumentError(f"H: {self.mass.n} rows are expected, as many as the mass has; it has "
                                f"{self.H.shape[0]}")
        self.compliance = None if compliance is None else spread(compliance, "compliance", self.n)

    def __matmul__(self, z) -> np.ndarray:
        right, view = vector(z, "z", self.n), self._view("M")
        product, scratch = np.empty(self.n), np.empty(max(lib.perp_mat_scratch(view.c), 1))
        check(lib.perp_mat_apply(view.c, doubles(right), doubles(scratch), doubles(product)), argument="M")
        return product

    def _view(self, name: str) -> View:
        columns = _compressed(self.H, f"{name}.H")
        start, row, value = columns.keep
        view = View((self.n, self.n), self, (columns, self.mass, self.compliance))
        view.changes = self.mass._changes
        check(lib.perp_mat_init_delassus(view.c, self.H.shape[0], self.n, integers(start), integers(row),
                                         doubles(value), self.mass._c), argument=name)
        if self.compliance is not None:
            check(lib.perp_mat_set_compliance(view.c, doubles(self.compliance)), argument=name)
        return view


class _Columns:
    """Compressed columns without scipy."""

    format = "csc"

    def __init__(self, start, row, value, shape) -> None:
        self.indptr, self.indices, self.data, self.shape = start, row, value, shape

    def tocsc(self):
        return self

    def toarray(self) -> np.ndarray:
        dense = np.zeros(self.shape)
        column = np.repeat(np.arange(self.shape[1]), np.diff(self.indptr))
        dense[self.indices, column] = self.data
        return dense


def _sparse_columns(array: np.ndarray) -> _Columns:
    if array.ndim != 2:
        raise ArgumentError(f"H: a matrix is expected, its shape is {array.shape}")
    column, row = np.nonzero(array.T)
    start = np.zeros(array.shape[1] + 1, np.int32)
    np.cumsum(np.bincount(column, minlength=array.shape[1]), out=start[1:])
    return _Columns(start, row.astype(np.int32), array[row, column], array.shape)


def view(x, name: str = "M", n: Optional[int] = None) -> View:
    """Whatever stands for a matrix, n x n where n is given; a function needs n."""
    if isinstance(x, (Operator, Delassus)):
        made = x._view(name)
    elif is_sparse(x):
        made = (_blocks(x, name) if x.format == "bsr" else None) or _compressed(x, name)
    elif hasattr(x, "matvec") and hasattr(x, "shape"):
        made = Operator(x.matvec, x.shape[0])._view(name)
    elif callable(x):
        if n is None:
            raise ArgumentError(f"{name}: perp.Operator(function, n) is needed, which says its size")
        made = Operator(x, n)._view(name)
    else:
        made = _dense(x, name)
    if made.shape[0] != made.shape[1] and n is not None:
        raise ArgumentError(f"{name}: a square matrix is expected, its shape is {made.shape}")
    if n is not None and made.shape[0] != n:
        raise ArgumentError(f"{name}: shape {(n, n)} is expected, as q has {n} entries; it is {made.shape}")
    return made
