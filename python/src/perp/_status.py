# SPDX-License-Identifier: BSD-3-Clause
"""Statuses, and the exceptions that errors become."""
from __future__ import annotations

import enum
import os
from typing import Optional

import numpy as np

from ._perp import ffi, lib


def text(pointer, otherwise: str = "") -> str:
    """A C string as str."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else otherwise


def path_of(path) -> bytes:
    """A path for a call of C, which would end at a NUL without a word."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ArgumentError(f"{path!r} has a NUL in it")
    return name


class Status(enum.IntEnum):
    """How a call ended, by the names of C without ``PERP_``: ``Status.SOLVED`` is 0, early ends that
    left a valid iterate are positive (``ITERATION_LIMIT``, ``INFEASIBLE``, ...), errors negative.  Errors are
    raised as exceptions, so that a result never has one.

    >>> Status.INFEASIBLE.sentence
    'the problem was shown to have no solution'
    """

    SOLVED = 0
    ITERATION_LIMIT = 1
    TIME_LIMIT = 2
    STALLED = 3
    RAY = 4
    INFEASIBLE = 5
    INTERRUPTED = 6
    INFEASIBLE_WITHIN = 7
    WORK_LIMIT = 8
    ONE_SIDED = 9
    NOT_UNIQUE = 10
    NOT_DIFFERENTIABLE = 11
    STEP_LIMIT = 100
    EVENT_LOST = 101
    ZENO = 102
    UNDETERMINED = 103
    FLOW_FAILED = 104
    INFEASIBLE_STEP = 105
    ERR_ARGUMENT = -1
    ERR_MEMORY = -2
    ERR_NONFINITE = -3
    ERR_STRUCTURE = -4
    ERR_UNSUPPORTED = -5
    ERR_SETTING = -6
    ERR_SINGULAR = -7
    ERR_STATE = -8
    ERR_OVERFLOW = -9
    ERR_NUMERICAL = -10
    ERR_OPEN = -100
    ERR_FORMAT = -101

    @property
    def sentence(self) -> str:
        """What it means, in one sentence."""
        return text(lib.perp_status_text(int(self)))

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)


Status.__module__ = "perp"
OF_VALUE = {int(s): s for s in Status}


class PerpError(Exception):
    """What all exceptions of this package have in common.

    status: `Status`; what, segment, index: the argument that is wrong, the set in the list of sets
    and the entry in it (None where they mean nothing).
    """

    status: Status = Status.ERR_ARGUMENT
    what: Optional[str] = None
    segment: Optional[int] = None
    index: Optional[int] = None


class ArgumentError(PerpError, ValueError):
    """An argument is out of its range, has a wrong shape, or index arrays contradict each other."""


class NonfiniteError(ArgumentError):
    """An argument holds a NaN or an infinity."""


class SettingError(ArgumentError):
    """A setting is unknown or out of its range."""


class ArgumentTypeError(PerpError, TypeError):
    """An argument is of a type that is not taken."""


class SizeError(PerpError, OverflowError):
    """A size or an index does not fit into 32 bits."""


class UnsupportedError(PerpError, NotImplementedError):
    """What was chosen does not take this set, matrix, law or system, or the build lacks a library."""


class SingularError(PerpError, np.linalg.LinAlgError):
    """A matrix that must be inverted is singular."""


class StateError(PerpError, RuntimeError):
    """The calls came in the wrong order, or from two threads at once."""


class NumericalError(PerpError, ArithmeticError):
    """The computation broke down before a first iterate."""


class FileError(PerpError, OSError):
    """A file cannot be opened or written."""


class FormatError(PerpError, ValueError):
    """A file does not hold what its format demands."""


class OutOfMemoryError(PerpError, MemoryError):
    """No memory is left."""


_CLASSES = {
    Status.ERR_ARGUMENT: ArgumentError,
    Status.ERR_MEMORY: OutOfMemoryError,
    Status.ERR_NONFINITE: NonfiniteError,
    Status.ERR_STRUCTURE: ArgumentError,
    Status.ERR_UNSUPPORTED: UnsupportedError,
    Status.ERR_SETTING: SettingError,
    Status.ERR_SINGULAR: SingularError,
    Status.ERR_STATE: StateError,
    Status.ERR_OVERFLOW: SizeError,
    Status.ERR_NUMERICAL: NumericalError,
    Status.ERR_OPEN: FileError,
    Status.ERR_FORMAT: FormatError,
}


def error(status: int, sentence: str, what: Optional[str] = None, segment: int = -1,
          index: int = -1) -> PerpError:
    """An exception of the class that belongs to a status."""
    kind = OF_VALUE[status]
    made = _CLASSES[kind](sentence)
    made.status = kind
    made.what = what or None
    made.segment = segment if segment >= 0 else None
    made.index = index if index >= 0 else None
    return made


def place(where, argument: str = "") -> str:
    """'sets[1].mu[3]' of a perp_where; `argument` names the array where it stands in no set."""
    name = argument or text(where.what)
    if where.segment >= 0:
        name = f"sets[{where.segment}]" + (f".{name}" if name and name != "seg" else "")
    return f"{name}[{where.index}]" if where.index >= 0 else name


def check(status: int, where=None, detail=None, argument: str = "", name: str = "") -> int:
    """Raises what a negative status means; otherwise gives it back.

    argument: what is at fault where C does not say it; name: how users know what C calls where.what.
    """
    if status >= 0:
        return status
    sentence = text(detail) if detail is not None else ""
    at, segment, index = argument, -1, -1
    if where is not None and where.what:
        at, segment, index = name if name.endswith("]") else place(where, name), where.segment, where.index
        if argument and not at.startswith(argument):
            at = f"{argument}: {at}"
        if sentence.startswith(text(where.what)):  # it names the place once more
            sentence = ""
    sentence = sentence or text(lib.perp_status_text(status))
    raise error(status, f"{at}: {sentence}" if at else sentence, at, segment, index)
