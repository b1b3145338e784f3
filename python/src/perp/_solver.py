# SPDX-License-Identifier: BSD-3-Clause
"""Solving: one call, or a handle that is used again."""
from __future__ import annotations

import os
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

from . import _matrices, _sets
from ._arrays import vector
from ._callbacks import PROGRESS, Calls, Watch
from ._certificate import Certificate, certificate_of
from ._derivative import Derivative, Directional, Gradient
from ._perp import ffi, lib
from ._problem import Problem, Residuals, as_problem, residuals_of
from ._settings import Settings, solver_type
from ._status import OF_VALUE, ArgumentError, ArgumentTypeError, StateError, Status, check, text

# A process may fork after a solve in threads (multiprocessing does): see support.h.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lib.perp_py_before_fork)

_PROVEN = (lib.PERP_RAY, lib.PERP_INFEASIBLE, lib.PERP_INFEASIBLE_WITHIN)
# A solve of a few contacts takes microseconds: what it needs has short names.
_FLOAT64 = np.dtype(np.float64)
_DOUBLES = ffi.typeof("double[]")
_INFO = ffi.typeof("perp_info *")
_ROOM = (ffi.sizeof("perp_info") + 7) // 8  # of a perp_info behind z and w, in doubles
_NULL = ffi.NULL
_ndarray = np.ndarray
_empty = np.empty
_from_buffer = ffi.from_buffer
_solve = lib.perp_py_solve


_UNALIGNED = lib.PERP_PY_UNALIGNED
_CHANGED = {
    lib.PERP_PY_PATTERN: "M: its index arrays were changed under the handle; Solver.update() or a new Solver is needed",
    lib.PERP_PY_MASS: "M.mass: it was updated; Solver.update() is needed before the next solve",
}


class Stage(NamedTuple):
    """What one of the solvers that ``auto`` ran did."""

    solver: str
    why: str
    iterations: int
    factorisations: int
    first: float
    best: float
    seconds: float


class Result:
    """An answer with the figures that say what it is worth.

    z, w : (n,) the solution and M z + q; where the status is not SOLVED the best iterate
    status : `Status`; SOLVED is said only after the residual was recomputed from your arrays
    residuals : `Residuals`
    error : what was compared with tol
    certificate : `Certificate` where there is no solution, else None
    iterations, stages, solver, work, seconds : what was done
    detail : one sentence more, or ""

    It can be copied and pickled; the problem, which may be large, does not go with a pickled one.
    """

    __slots__ = ("_memory", "_n", "_status", "_problem", "_q", "_proof", "_derivative")
    _proof: Optional[Certificate]

    def __init__(self, memory: np.ndarray, n: int, status: int, problem: Optional[Problem],
                 q: Optional[np.ndarray]) -> None:
        self._memory = memory  # z, w, and the perp_info of C: one array is made faster than two objects
        self._n = n
        self._status = status
        self._problem = problem
        self._q = q  # where it is not the problem's

    @property
    def z(self) -> np.ndarray:
        return self._memory[:self._n]

    @property
    def w(self) -> np.ndarray:
        return self._memory[self._n:2 * self._n]

    @property
    def _info(self):
        return _info_in(self._memory, self._n)

    @property
    def certificate(self) -> Optional[Certificate]:
        return getattr(self, "_proof", None)

    @property
    def status(self) -> Status:
        return OF_VALUE[self._status]

    @property
    def solved(self) -> bool:
        """True where the status is SOLVED."""
        return self._status == 0

    @property
    def residuals(self) -> Residuals:
        return residuals_of(self._info.residual)

    @property
    def error(self) -> float:
        return self._info.error

    @property
    def floor(self) -> float:
        """Where not solved: what rounding z adds to the error, estimated; 0: not known."""
        return self._info.floor

    @property
    def iterations(self) -> int:
        return self._info.iterations

    @property
    def solver(self) -> str:
        return text(self._info.solver)

    @property
    def work(self) -> float:
        """Counted, in sweeps over the problem; no clock is in it."""
        return self._info.work

    @property
    def reach(self) -> float:
        """No solution has all |z_i| below this, proven; 0: nothing is shown."""
        return self._info.reach

    @property
    def seconds(self) -> float:
        return self._info.solve_seconds

    @property
    def detail(self) -> str:
        return text(self._info.detail)

    @property
    def stages(self) -> List[Stage]:
        """The decision trail of ``auto``, oldest first."""
        info = self._info
        return [Stage(text(s.solver), text(s.why), s.iterations, s.factorisations, s.first, s.best, s.seconds)
                for s in info.stages[0:info.nstages]]

    @property
    def derivative(self) -> Derivative:
        """The derivative of this solution, made where it is first asked for, from the arrays of the
        problem as they are then."""
        if not hasattr(self, "_derivative"):
            problem = self._problem
            if problem is None:
                raise StateError("the result was pickled, and its problem was not: perp.Derivative(problem, r.z)")
            if self._status in _PROVEN:
                raise StateError(f"there is no solution to differentiate: the status is {self.status.name}")
            if self._q is not None:
                problem = Problem._of_parts(problem._matrix, self._q, problem._segments, problem._owner)
            self._derivative = Derivative(problem, self.z)
        return self._derivative

    def jvp(self, q=None, M=None, sets=None, **factors) -> Directional:
        """The derivative of z and w along changes of q, M and the sets: `Derivative.jvp`."""
        return self.derivative.jvp(q, M, sets, **factors)

    def vjp(self, z=None, w=None) -> Gradient:
        """Gradients of z_bar.z + w_bar.w for z = z_bar and w = w_bar: `Derivative.vjp`."""
        return self.derivative.vjp(z, w)

    def __copy__(self) -> "Result":
        made = Result(self._memory.copy(), self._n, self._status, self._problem, self._q)
        made._proof = self.certificate
        return made

    def __deepcopy__(self, _) -> "Result":
        return self.__copy__()

    def __reduce__(self) -> tuple:
        memory, words = self._memory.copy(), []
        info = _info_in(memory, self._n)
        for holder, name in _words_of(info):
            words.append(text(getattr(holder, name)))
            setattr(holder, name, _NULL)
        return _unpickled, (memory, self._n, self._status, words, self.certificate)

    def __bool__(self) -> bool:
        raise TypeError("a Result is neither true nor false: ask for r.solved, or for r.status")

    def __repr__(self) -> str:
        return (f"Result({self.status.name}, error={self.error:.2e}, iterations={self.iterations}, "
                f"n={self._n})")


def _info_in(memory: np.ndarray, n: int):
    """The perp_info behind z and w; valid as long as the array lives."""
    return ffi.cast(_INFO, ffi.from_buffer(_DOUBLES, memory) + 2 * n)


def _words_of(info) -> list:
    """Where a perp_info points to text."""
    words = [(info, "solver"), (info.where, "what")]
    for stage in info.stages[0:info.nstages]:
        words += [(stage, "solver"), (stage, "why")]
    return words


_lasting: Dict[str, Any] = {}  # text that results of other processes point to: a few names and reasons


def _unpickled(memory: np.ndarray, n: int, status: int, words: list, proof: Optional[Certificate]) -> Result:
    if memory.shape != (2 * n + _ROOM,) or _info_in(memory, n).size != ffi.sizeof("perp_info"):
        raise StateError("a Result of another version of Perp")
    for (holder, name), word in zip(_words_of(_info_in(memory, n)), words):
        if word not in _lasting:
            _lasting[word] = ffi.new("char[]", word.encode())
        setattr(holder, name, _lasting[word])
    made = Result(memory, n, status, None, None)
    made._proof = proof
    return made


class Solver:
    """A handle: set up once, solved as often as wanted.

    >>> import numpy as np, perp
    >>> with perp.Solver(np.eye(3), [-1, 2, 0], perp.Coulomb(0.3), tol=1e-10) as solver:
    ...     first = solver.solve()
    ...     second = solver.solve(q=[-2, 4, 0])
    >>> first.status.name, np.round(second.z, 6) + 0.0
    ('SOLVED', array([ 2. , -0.6,  0. ]))

    M, q, sets : see `Problem`; or a Problem in the place of M
    solver : a name of `solvers`; None: chosen by sets, matrix and size
    progress : function of a `Progress`, called while a solve runs; what it raises ends the solve
    settings : by name, see `settings`: tol, max_iter, time_limit, budget, warm_start, threads, ...

    A handle is for one thread at a time, which is checked; several handles run at once, without the
    GIL.
    """

    def __init__(self, M, q=None, sets=None, *, solver: Optional[str] = None,
                 progress: Optional[Callable] = None, **settings: Any) -> None:
        self._lock = threading.Lock()
        self._acquire, self._release = self._lock.acquire, self._lock.release
        self._c = None
        self._calls = Calls()
        if progress is not None:
            if not callable(progress):
                raise ArgumentTypeError("progress: a function is expected")
            self._calls.functions["progress"] = progress
        self._watch = Watch(self._calls, progress is not None)
        self._settings = Settings(settings)
        self._settings.c.progress = PROGRESS
        self._settings.c.progress_ctx = self._watch_c = self._watch.c
        self._warm = self._settings.c.warm_start
        self._q: Optional[np.ndarray] = None  # of the last solve, where it is not the problem's
        self._problem = as_problem(M, q, sets)
        self._create(solver)
        self._last_z: Optional[np.ndarray] = None

    def _create(self, name: Optional[str]) -> None:
        kind = lib.perp_solver_choose(self._problem._c) if name is None else solver_type(name)
        if not kind:
            raise ArgumentError("solver: none takes these sets with this matrix")
        self._name = text(lib.perp_solver_name(kind))
        made, where = ffi.new("perp_solver **"), ffi.new("perp_where *")
        check(lib.perp_solver_create(made, kind, self._settings.c, ffi.NULL, where), where)
        self._c = ffi.gc(made[0], lib.perp_solver_destroy)
        self._adopt(self._problem, lib.perp_solver_setup)

    def _adopt(self, problem: Problem, function) -> None:
        status = function(self._c, problem._c)
        if problem._matrix.product is not None:
            problem._matrix.product.calls.check()
        if status < 0:
            info = lib.perp_solver_info(self._c)
            check(status, info.where, info.detail, name=_matrices.name_in(problem._matrix, info.where))
        self._problem, self._q = problem, None
        self._n = problem.n
        lib.perp_py_remember(self._watch_c, ffi.addressof(problem._c.M), problem._matrix.changes)
        self._shape, self._length = (problem.n,), 2 * problem.n + _ROOM
        self._product = problem._matrix.product

    def __enter__(self) -> "Solver":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __reduce__(self):
        raise TypeError("a Solver is neither copied nor pickled: make another of its problem, which can be")

    def __repr__(self) -> str:
        if self._c is None:
            return "Solver(closed)"
        return f"Solver(n={self._n}, solver={self._name!r})"

    def close(self) -> None:
        """Gives the memory back; the handle is of no use afterwards."""
        with _Alone(self):
            if self._c is not None:
                ffi.release(self._c)
                self._c = None

    @property
    def closed(self) -> bool:
        return self._c is None

    def update(self, M=None, q=None, sets=None) -> None:
        """New numbers in the same shape and pattern; what is None stays as it is.

        It is also what to call after numbers of arrays that the handle uses were changed in place.
        """
        with _Alone(self):
            self._open()
            old = self.problem
            new = Problem._of_parts(
                old._matrix if M is None else _matrices.view(M, "M", self._n),
                old.q if q is None else vector(q, "q", self._n),
                old._segments if sets is None else _sets.Segments(sets, self._n), old._owner)
            self._adopt(new, lib.perp_solver_update)

    @property
    def problem(self) -> Problem:
        """The problem, with the q of the last solve."""
        if self._q is not None:
            old = self._problem
            self._problem = Problem._of_parts(old._matrix, self._q, old._segments, old._owner)
            self._q = None
        return self._problem

    def _open(self) -> None:
        if self._c is None:
            raise StateError("the solver is closed")

    def solve(self, q=None, z0=None) -> Result:
        """Solves with a new q (n,) or the last one.

        z0 : (n,) first iterate; without it the last answer is one where the setting warm_start is
            not 0, else the solve starts from zero
        """
        if not self._acquire(False):
            raise StateError("the solver is at work in another thread, or in a function that it calls")
        try:
            if self._c is None:
                raise StateError("the solver is closed")
            pointer = _NULL
            if q is not None:
                if q.__class__ is not _ndarray or q.dtype is not _FLOAT64 or q.shape != self._shape:
                    q = vector(q, "q", self._n)
                try:
                    pointer = _from_buffer(_DOUBLES, q)
                except ValueError:  # not contiguous
                    q = vector(q, "q", self._n)
                    pointer = _from_buffer(_DOUBLES, q)
            if z0 is None and not self._warm:
                memory = _empty(self._length)
            else:
                memory = self._begin(z0)
            status = _solve(self._c, self._watch_c, pointer, _from_buffer(_DOUBLES, memory), self._n)
            if status == _UNALIGNED:  # memory of another program's, perhaps
                q = np.array(q)
                status = _solve(self._c, self._watch_c, _from_buffer(_DOUBLES, q),
                                _from_buffer(_DOUBLES, memory), self._n)
            if status or self._warm or z0 is not None:
                return self._end(status, memory, q, z0)
            if q is not None:
                self._q = q
            return Result(memory, self._n, 0, self._problem, self._q)
        finally:
            self._release()

    def _begin(self, z0) -> np.ndarray:
        """Memory of an answer with a first iterate in z."""
        memory = np.zeros(self._length)
        if z0 is not None:
            memory[:self._n] = vector(z0, "z0", self._n)
        elif self._last_z is not None:
            memory[:self._n] = self._last_z
        if not self._warm:
            self._set_warm(1)
        return memory

    def _set_warm(self, warm: int) -> None:
        self._settings.c.warm_start = warm
        check(lib.perp_solver_set_settings(self._c, self._settings.c))

    def _end(self, status: int, memory: np.ndarray, q, z0) -> Result:
        """A solve that began with a first iterate, or did not end with SOLVED."""
        info = _info_in(memory, self._n)
        if z0 is not None and not self._warm:
            self._set_warm(0)
        if status in _CHANGED:
            raise StateError(_CHANGED[status])
        if status < 0 and not info.size:
            check(status, lib.perp_solver_info(self._c).where, argument="q")
        if q is not None:
            self._q = q
        # Ctrl-C is no exception here: the status is INTERRUPTED, z the best iterate.
        self._calls.take_interrupt()
        if self._product is not None:
            self._product.calls.take_interrupt()
        check(status, info.where, info.detail)
        result = Result(memory, self._n, status, self._problem, self._q)
        self._last_z = result.z
        if status in _PROVEN:
            result._proof = certificate_of(self._c, self.problem, info.reach)
        return result


class _Alone:
    """Holds a handle against other threads and against functions that it calls."""

    __slots__ = ("lock",)

    def __init__(self, solver: Solver) -> None:
        self.lock = solver._lock

    def __enter__(self) -> None:
        if not self.lock.acquire(False):
            raise StateError("the solver is at work in another thread, or in a function that it calls")

    def __exit__(self, *_) -> None:
        self.lock.release()


def solve(M, q=None, sets=None, *, solver: Optional[str] = None, z0=None,
          progress: Optional[Callable] = None, **settings: Any) -> Result:
    """Solves w = M z + q, -(w + s(w)) in N_K(z): one call.

    >>> import numpy as np, perp
    >>> r = perp.solve(np.eye(3), [-1, 2, 0], [perp.Coulomb(0.3)])
    >>> r.status.name, np.round(r.z, 6) + 0.0
    ('SOLVED', array([ 1. , -0.3,  0. ]))

    The arguments are those of `Solver`; z0 (n,) is a first iterate.  A problem without a solution is
    an answer: its status says so, and its certificate proves it.
    """
    with Solver(M, q, sets, solver=solver, progress=progress, **settings) as handle:
        return handle.solve(z0=z0)
