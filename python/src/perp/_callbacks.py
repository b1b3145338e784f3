# SPDX-License-Identifier: BSD-3-Clause
"""Functions of Python that C calls.  What they raise is kept, stops the computation, and is raised
again, the same object, once C has returned."""
from __future__ import annotations

from typing import Callable, Optional

import numpy as np

from ._perp import ffi, lib
from ._status import ArgumentError, ArgumentTypeError, NonfiniteError, text


class Calls:
    """The functions of one computation, and what one of them raised."""

    def __init__(self) -> None:
        self.raised: Optional[BaseException] = None
        self.functions: dict = {}
        self.ends = None  # the perp_py_watch of the run that ends where one of them raises
        self.handle = ffi.new_handle(self)

    def call(self, name: str, *arguments) -> int:
        """0; 1, and what was raised is kept, where it raises."""
        try:
            self.functions[name](*arguments)
            return 0
        except BaseException as raised:  # pylint: disable=broad-except
            self.keep(raised)
            return 1

    def keep(self, raised: BaseException) -> None:
        """What was raised, the first of all; the run ends."""
        if self.raised is None:
            self.raised = raised
        if self.ends is not None:
            self.ends.stopped = 1

    def check(self) -> None:
        """Raises what a function raised."""
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised

    def take_interrupt(self) -> bool:
        """True, once, where Ctrl-C was pressed; anything else that was raised is raised."""
        raised, self.raised = self.raised, None
        if raised is None:
            return False
        if isinstance(raised, KeyboardInterrupt):
            return True
        raise raised


class Watch:
    """Lets Ctrl-C (and a progress function) end what runs in C."""

    def __init__(self, calls: Calls, every: bool = False) -> None:
        self.calls = calls
        self.c = ffi.new("perp_py_watch *", {"handle": calls.handle, "every": every})

    def begin(self) -> None:
        self.c.next, self.c.stopped = 0.0, 0


class Progress:
    """Of a running solve: solver, stage, iteration, error, best, seconds."""

    __slots__ = ("solver", "stage", "iteration", "error", "best", "seconds")

    def __init__(self, c) -> None:
        self.solver = text(c.solver)
        self.stage = text(c.stage)
        self.iteration = c.iteration
        self.error = c.error
        self.best = c.best
        self.seconds = c.seconds

    def __repr__(self) -> str:
        return f"Progress(stage={self.stage!r}, iteration={self.iteration}, error={self.error:.2e})"


def _failed(kind, raised, trace):
    """cffi asks here where something was raised outside of the function itself: Ctrl-C between two
    lines, say."""
    frame = trace.tb_frame if trace is not None else None
    handle = frame.f_locals.get("handle") if frame is not None else None
    if handle:
        ffi.from_handle(handle).keep(raised)


@ffi.def_extern(error=1, onerror=_failed)
def perp_py_ask(handle, progress):
    calls = ffi.from_handle(handle)
    function = calls.functions.get("progress")
    if function is None:
        return 0
    return calls.call("progress", Progress(progress))


@ffi.def_extern(error=1, onerror=_failed)
def perp_py_scene_ask(handle):
    return 0 if ffi.from_handle(handle).raised is None else 1


def _view(pointer, n: int, writeable: bool) -> np.ndarray:
    array = np.frombuffer(ffi.buffer(pointer, 8 * n))
    if not writeable:
        array.flags.writeable = False
    return array


def _store(out, n: int, value, what: str, shape: Optional[tuple] = None) -> None:
    result = np.asarray(value)
    if result.dtype.kind not in "fiub":
        if value is None or result.dtype.kind == "c":
            said = "None" if value is None else f"dtype {result.dtype}"
            raise ArgumentTypeError(f"{what}: real numbers are expected, it returned {said}")
        result = result.astype(np.float64)
    if shape is not None and result.shape == shape:
        result = result.ravel(order="F")
    if result.shape != (n,):
        raise ArgumentError(f"{what}: shape {shape or (n,)} is expected, it returned {result.shape}")
    out[:] = result


class Product:
    """y = A x for an operator of n rows."""

    def __init__(self, function: Callable, n: int, name: str = "M") -> None:
        self.calls = Calls()
        self.n = n
        self.calls.functions["apply"] = self._apply
        self.function = function
        self.name = name

    def _apply(self, y, x) -> None:
        given, out = _view(x, self.n, False), _view(y, self.n, True)
        _store(out, self.n, self.function(given.copy()), self.name)
        if not np.isfinite(out.sum()) and np.isfinite(given).all():
            wrong = np.flatnonzero(~np.isfinite(out))
            if wrong.size:
                raise NonfiniteError(f"{self.name}: the function returned a NaN or an infinity at [{wrong[0]}]")


@ffi.def_extern(error=1, onerror=_failed)
def perp_py_apply(handle, y, x):
    return ffi.from_handle(handle).call("apply", y, x)


@ffi.def_extern(error=1, onerror=_failed)
def perp_py_value(handle, y, x):
    return ffi.from_handle(handle).call("value", y, x)


@ffi.def_extern(error=1, onerror=_failed)
def perp_py_jacobian(handle, y, x):
    return ffi.from_handle(handle).call("jacobian", y, x)


@ffi.def_extern(error=1, onerror=_failed)
def perp_py_solution(handle, k, z, w, piece):
    return ffi.from_handle(handle).call("solution", k, z, w, piece)


@ffi.def_extern(error=1, onerror=_failed)
def perp_py_step(handle, sim, model, t, h):
    calls = ffi.from_handle(handle)
    return 1 if calls.raised is not None else calls.call("step", t, h)


@ffi.def_extern(error=1, onerror=_failed)
def perp_py_contact(handle, collider, event, info):
    calls = ffi.from_handle(handle)
    return 1 if calls.raised is not None else calls.call("contact", event, info)


@ffi.def_extern(error=1, onerror=_failed)
def perp_py_cotangent(handle, sim, step, q_bar, v_bar):
    calls = ffi.from_handle(handle)
    return 1 if calls.raised is not None else calls.call("cotangent", step, q_bar, v_bar)


@ffi.def_extern()
def perp_py_remark(handle, word, remark):
    ffi.from_handle(handle).call("remark", word, remark)


@ffi.def_extern(error=float("nan"))
def perp_py_record(handle, t):
    return ffi.from_handle(handle).functions["record"](t)


PROGRESS = ffi.addressof(lib, "perp_py_progress")
SCENE_PROGRESS = ffi.addressof(lib, "perp_py_scene_progress")
SCENE_STOP = ffi.addressof(lib, "perp_py_scene_stop")
