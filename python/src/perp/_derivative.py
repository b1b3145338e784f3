# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of solutions: along directions, and as gradients."""
from __future__ import annotations

import threading
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _matrices
from ._arrays import doubles, numbers, spread, vector
from ._perp import ffi, lib
from ._problem import Problem
from ._status import OF_VALUE, ArgumentError, Status, check

Parameters = Union[Dict[str, Any], Sequence[Optional[Dict[str, Any]]]]


class Directional(NamedTuple):
    """The derivative along one direction, or along k of them: z and w (n,) or (k, n).

    status : `Status`: SOLVED, or ONE_SIDED on a kink (for steps t > 0 alone), NOT_UNIQUE (of least
        norm), NOT_DIFFERENTIABLE (none was found); the last of them for several directions
    each : statuses of the k directions
    """

    z: np.ndarray
    w: np.ndarray
    status: Status
    each: List[Status]


class Gradient:
    """Gradients of a sum of z_bar.z + w_bar.w.

    q : (n,), or (k, n) for k cotangents
    sets : list of dictionaries, one for each set of the problem: the parameters by name, a number where
        it was one number for all blocks
    M : of the entries of M: an array, or a matrix with the pattern and the format of M; of a
        `Delassus` None, but H (dofs, n), mass (dofs, dofs) as the product -left right', and compliance (n,)
    status : `Status`: SOLVED, or ONE_SIDED, NOT_UNIQUE
    """

    def __init__(self, derivative: "Derivative", q: np.ndarray, sets: list, status: int) -> None:
        self._derivative = derivative
        self.q = q
        self.sets = sets
        self.status = OF_VALUE[status]
        self.H = self.mass_left = self.mass_right = self.compliance = None

    @property
    def M(self):
        matrix, z, q = self._derivative.problem.M, self._derivative.z, self.q
        if isinstance(matrix, _matrices.Delassus):
            return None
        if q.ndim != 1:
            raise ArgumentError("M: the gradient of one cotangent at a time has one")
        if not _matrices.is_sparse(matrix):
            return np.outer(q, z)
        entries = matrix.tocoo()
        if matrix.format == "bsr":
            b = matrix.blocksize[0]
            row = np.repeat(np.arange(matrix.shape[0] // b), np.diff(matrix.indptr))
            data = np.einsum("ki,kj->kij", q.reshape(-1, b)[row], z.reshape(-1, b)[matrix.indices])
            return type(matrix)((data, matrix.indices, matrix.indptr), shape=matrix.shape)
        made = type(entries)((q[entries.row] * z[entries.col], (entries.row, entries.col)), shape=matrix.shape)
        return made.asformat(matrix.format)

    @property
    def mass(self) -> Optional[np.ndarray]:
        if self.mass_left is None or self.mass_right is None:
            return None
        return -np.outer(self.mass_left, self.mass_right)

    def __repr__(self) -> str:
        return f"Gradient({self.status.name}, n={self.q.shape[-1]})"


class Derivative:
    """The derivative of the solution z of a problem, made once for products both ways.

    >>> import numpy as np, perp
    >>> problem = perp.Problem(np.eye(3), [-1, 2, 0], perp.Coulomb(0.3))
    >>> d = perp.Derivative(problem, perp.solve(problem, tol=1e-12).z)
    >>> d.status.name, np.round(d.jvp(q=[-1, 0, 0]).z, 6) + 0.0
    ('SOLVED', array([ 1. , -0.3,  0. ]))
    >>> round(d.vjp(z=[0, 1, 0]).sets[0]["mu"], 6)
    -1.0

    problem : `Problem`, whose arrays must not change meanwhile
    z : (n,) its solution
    kink : what is below this share of the largest entry, in scaled units, counts as zero

    status : SOLVED, or ONE_SIDED where rows are on a kink, NOT_UNIQUE where z is not
    kinks, z_unique, w_unique : (n,) of bool
    free : how many directions z may move in with nothing else changed
    system : rows of the linear system
    """

    def __init__(self, problem: Problem, z, *, kink: float = 1e-9) -> None:
        self._lock = threading.Lock()
        self.problem = problem
        self.z = vector(z, "z", problem.n).copy()
        settings = ffi.new("perp_derivative_settings *")
        lib.perp_derivative_settings_init(settings, ffi.sizeof("perp_derivative_settings"))
        settings.kink = kink
        made, where = ffi.new("perp_derivative **"), ffi.new("perp_where *")
        check(lib.perp_derivative_create(made, settings, ffi.NULL, where), where)
        self._c = ffi.gc(made[0], lib.perp_derivative_destroy)
        status = lib.perp_derivative_factor(self._c, problem._c, doubles(self.z), where)
        check(status, where, name=_matrices.name_in(problem._matrix, where))
        info = ffi.new("perp_derivative_info *", {"size": ffi.sizeof("perp_derivative_info")})
        check(lib.perp_derivative_info_get(self._c, info))
        self._info = info
        self.status = OF_VALUE[status]
        flags = np.zeros(problem.n, np.uint8)
        check(lib.perp_derivative_rows(self._c, ffi.from_buffer("unsigned char[]", flags)))
        self.kinks = (flags & lib.PERP_ROW_KINK) != 0
        self.z_unique = (flags & lib.PERP_ROW_Z_NOT_UNIQUE) == 0
        self.w_unique = (flags & lib.PERP_ROW_W_NOT_UNIQUE) == 0

    def __reduce__(self):
        raise TypeError("a Derivative is neither copied nor pickled: perp.Derivative(problem, z) makes it again")

    def __repr__(self) -> str:
        return f"Derivative({self.status.name}, n={self.problem.n}, kinks={int(self.kinks.sum())})"

    @property
    def free(self) -> int:
        return self._info.free_z

    @property
    def system(self) -> int:
        return self._info.system

    def jvp(self, q=None, M=None, sets: Optional[Parameters] = None, *, H=None, mass=None,
            compliance=None) -> Directional:
        """Along the change of everything that is given.

        q : (n,), or (k, n) for k directions; the other arguments are then the same for all of them
        M : change of M: an array or a sparse matrix of any pattern, or a function of z (n,)
        sets : changes of parameters by name, one dictionary (or None) for each set; one number or
            one for each block.  A dictionary alone belongs to the first set
        H, mass, compliance : of a `Delassus`; H on the pattern of its H
        """
        n = self.problem.n
        change = self._rows(q, "q")
        many = change.shape[0]
        if M is not None:
            product = M(self.z) if callable(M) and not hasattr(M, "shape") else M @ self.z
            change = change + vector(product, "M z", n)
        along = ffi.new("perp_tangent *", {"size": ffi.sizeof("perp_tangent")})
        change = np.ascontiguousarray(change)
        keep: list = [change, doubles(change)]
        along.q = keep[1]
        for p, values in enumerate(self._changes(sets)):
            if values is not None:
                keep += [np.tile(values, (many, 1))]
                keep += [doubles(keep[-1])]
                along.par[p] = keep[-1]
        self._of_factors(along, many, H, mass, compliance, keep)
        z, w = np.empty((2, many, n))
        each = ffi.new("perp_status[]", max(many, 1))
        with self._lock:
            status = lib.perp_derivative_jvp(self._c, many, along, doubles(z), doubles(w), each)
        check(status, argument="direction")
        shape = np.shape(q) if q is not None else (n,)
        return Directional(z.reshape(shape), w.reshape(shape), OF_VALUE[status],
                           [OF_VALUE[each[k]] for k in range(many)])

    def vjp(self, z=None, w=None) -> Gradient:
        """Gradients of z.dz + w.dw for cotangents z and w, (n,) or (k, n)."""
        n, first = self.problem.n, z if z is not None else w
        if first is None:
            raise ArgumentError("z, w: one of them is needed")
        z_bar, w_bar = self._rows(z, "z"), self._rows(w, "w")
        many = self._rows(first, "z").shape[0]
        if (z is not None and z_bar.shape[0] != many) or (w is not None and w_bar.shape[0] != many):
            raise ArgumentError("z, w: as many of one as of the other are expected")
        of = ffi.new("perp_gradient *", {"size": ffi.sizeof("perp_gradient")})
        q = np.zeros((many, n))
        keep: list = [doubles(q)]
        of.q = keep[0]
        parameters = np.zeros((lib.PERP_PARAMETERS, many, max(self._info.blocks, 1)))
        for p in range(lib.PERP_PARAMETERS):
            keep.append(doubles(parameters[p]))
            of.par[p] = keep[-1]
        parts = self._factor_gradients(of, keep) if many == 1 else {}
        with self._lock:
            status = lib.perp_derivative_vjp(self._c, many, doubles(z_bar) if z is not None else ffi.NULL,
                                             doubles(w_bar) if w is not None else ffi.NULL, of)
        check(status, argument="cotangent")
        shape = np.shape(first)
        made = Gradient(self, q.reshape(shape), self._by_sets(parameters, len(shape) == 1), status)
        for name, value in parts.items():
            setattr(made, name, value)
        if made.H is not None:
            made.H = _with_data(self.problem.M.H, made.H)
        return made

    def _rows(self, x, name: str) -> np.ndarray:
        """(k, n), contiguous."""
        n = self.problem.n
        if x is None:
            return np.zeros((1, n))
        array = numbers(x, name)
        if array.ndim not in (1, 2) or array.shape[-1] != n:
            raise ArgumentError(f"{name}: shape ({n},) or (k, {n}) is expected, it is {array.shape}")
        return np.ascontiguousarray(array.reshape(-1, n))

    def _places(self):
        """(set, first block, blocks) of each set."""
        first = 0
        for k, part in enumerate(self.problem._segments.sets):
            count = self.problem._segments.c[k].count
            yield part, first, count
            first += count

    def _changes(self, sets: Optional[Parameters]) -> list:
        """For each parameter, an array over all blocks, or None."""
        found: list = [None] * lib.PERP_PARAMETERS
        given: list = [sets] if isinstance(sets, dict) else list(sets or [])
        places = list(self._places())
        if len(given) > len(places):
            raise ArgumentError(f"sets: the problem has {len(places)}, not {len(given)}")
        for k, change in enumerate(given):
            part, first, count = places[k]
            names = list(part.parameters)
            for name, value in (change or {}).items():
                if name not in names:
                    raise ArgumentError(f"sets[{k}]: {type(part).__name__} has no {name}" +
                                        (f"; it has {' and '.join(names)}" if names else ""))
                p = names.index(name)
                if found[p] is None:
                    found[p] = np.zeros(max(self._info.blocks, 1))
                found[p][first:first + count] = spread(value, f"sets[{k}].{name}", count)
        return found

    def _by_sets(self, parameters: np.ndarray, one: bool) -> list:
        made = []
        for part, first, count in self._places():
            values = {}
            for p, (name, given) in enumerate(part.parameters.items()):
                blocks = parameters[p][:, first:first + count]
                total = blocks.sum(axis=1) if given.ndim == 0 else blocks
                values[name] = (float(total[0]) if given.ndim == 0 else total[0].copy()) if one else total.copy()
            made.append(values)
        return made

    def _of_factors(self, along, many: int, H, mass, compliance, keep: list) -> None:
        matrix = self.problem.M
        if H is None and mass is None and compliance is None:
            return
        if not isinstance(matrix, _matrices.Delassus):
            raise ArgumentError("H, mass, compliance: M is no perp.Delassus")
        if H is not None:
            values = np.tile(_on_pattern(matrix.H, H), (many, 1))
            keep += [values, doubles(values)]
            along.M = keep[-1]
        if compliance is not None:
            values = np.tile(spread(compliance, "compliance", self.problem.n), (many, 1))
            keep += [values, doubles(values)]
            along.diagonal = keep[-1]
        if mass is not None:
            view = _matrices._mass_matrix(mass)
            made = ffi.new("perp_mat[]", [view.c[0]] * many)
            keep += [view, made]
            along.mass = made

    def _factor_gradients(self, of, keep: list) -> dict:
        if not isinstance(self.problem.M, _matrices.Delassus):
            return {}
        sizes = {"H": self._info.entries, "compliance": self.problem.n, "mass_left": self._info.dofs,
                 "mass_right": self._info.dofs}
        if self.problem.M.compliance is None:
            del sizes["compliance"]
        parts = {name: np.zeros(size) for name, size in sizes.items()}
        for name, value in parts.items():
            keep.append(doubles(value))
            setattr(of, {"H": "M", "compliance": "diagonal"}.get(name, name), keep[-1])
        return parts


def _columns(H):
    return H if H.format == "csc" else H.tocsc()


def _on_pattern(pattern, change) -> np.ndarray:
    """Values of a matrix in the places of another, which must hold all that is not zero."""
    columns = _columns(pattern)
    dense = change.toarray() if hasattr(change, "toarray") else numbers(change, "H")
    if dense.shape != columns.shape:
        raise ArgumentError(f"H: shape {columns.shape} is expected, it is {dense.shape}")
    column = np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr))
    values = np.ascontiguousarray(dense[columns.indices, column], np.float64)
    if np.count_nonzero(values) != np.count_nonzero(dense):
        raise ArgumentError("H: a change outside the pattern of H")
    return values


def _with_data(pattern, values: np.ndarray):
    columns = _columns(pattern)
    if isinstance(columns, _matrices._Columns):
        return _matrices._Columns(columns.indptr, columns.indices, values, columns.shape).toarray()
    return type(columns)((values, columns.indices, columns.indptr), shape=columns.shape)
