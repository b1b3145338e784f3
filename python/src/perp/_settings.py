# SPDX-License-Identifier: BSD-3-Clause
"""Settings of a solve: the names and ranges are those of the C library."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

from ._perp import ffi, lib
from ._status import ArgumentError, ArgumentTypeError, SettingError, text


class Setting(NamedTuple):
    """One setting: its name, what it does, its default, and its range or choices."""

    name: str
    text: str
    default: Any
    lowest: Optional[float]
    highest: Optional[float]
    choices: Optional[List[str]]


def _setting(c) -> Setting:
    name, sentence = text(c.name), text(c.text)
    if c.type == lib.PERP_SETTING_NAME:
        return Setting(name, sentence, text(c.initial_name), None, None, None)
    if c.type == lib.PERP_SETTING_CHOICE:
        choices = text(c.choices).split("|")
        return Setting(name, sentence, choices[int(c.initial)], None, None, choices)
    kind = int if c.type == lib.PERP_SETTING_INTEGER else float
    return Setting(name, sentence, kind(c.initial), kind(c.lowest), kind(c.highest), None)


def all_of(function) -> Dict[str, Setting]:
    """The table that perp_setting_at() or one like it shows."""
    found, k = {}, 0
    while function(k):
        one = _setting(function(k))
        found[one.name] = one
        k += 1
    return found


_ALL = all_of(lib.perp_setting_at)


def settings() -> Dict[str, Setting]:
    """All settings of solves, by name.

    >>> settings()["tol"].default
    1e-08
    """
    return dict(_ALL)


def as_text(value: Any, name: str) -> str:
    """A value as the C library reads it."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str):
        return value
    try:
        return str(value.__index__())
    except AttributeError:
        pass
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{name}: a number or a word is expected, not {type(value).__name__}") from None


def refuse(name: str, value: str, table: Dict[str, Setting], what: str = "setting") -> SettingError:
    """The exception for a setting that was not taken."""
    if name not in table:
        names = [ffi.new("char[]", n.encode()) for n in table]
        near = lib.perp_nearest_name(name.encode(), names, len(names))
        hint = f"; {text(near)!r} is near" if near else ""
        return SettingError(f"{name}: there is no {what} of this name{hint}")
    one = table[name]
    if one.choices:
        return SettingError(f"{name}: {value!r} is none of {', '.join(one.choices)}")
    if isinstance(one.lowest, int) and not value.lstrip("+-").isdigit():
        return SettingError(f"{name}: a whole number is expected, not {value}")
    return SettingError(f"{name}: {value} is not within {one.lowest:g} and {one.highest:g}")


class Settings:
    """A perp_settings with what it borrows."""

    def __init__(self, values: Dict[str, Any]) -> None:
        self.c = ffi.new("perp_settings *")
        self.keep: list = []
        lib.perp_settings_init(self.c, ffi.sizeof("perp_settings"))
        for name, value in values.items():
            self.set(name, value)

    def set(self, name: str, value: Any) -> None:
        if name == "inner" and isinstance(value, str):
            word = ffi.new("char[]", value.encode())
            self.keep.append(word)
            self.c.inner = word
            return
        word = as_text(value, name)
        if lib.perp_settings_set(self.c, name.encode(), word.encode()) != 0:
            raise refuse(name, word, _ALL)


class SolverInfo(NamedTuple):
    """A solver: its name, what it does, the settings of its method, and the sets that it takes."""

    name: str
    text: str
    settings: List[str]
    sets: List[str]


def _solver_info(c) -> SolverInfo:
    takes = [text(lib.perp_set_name(s)) for s in range(lib.PERP_SET_COUNT) if lib.perp_solver_takes_set(c, s)]
    return SolverInfo(text(lib.perp_solver_name(c)), text(lib.perp_solver_summary(c)),
                      text(lib.perp_solver_reads(c)).split(), takes)


def solvers() -> Dict[str, SolverInfo]:
    """All solvers, by name, those of everyday use first.

    >>> "gs" in solvers()
    True
    """
    found, k = {}, 0
    while lib.perp_solver_at(k):
        one = _solver_info(lib.perp_solver_at(k))
        found[one.name] = one
        k += 1
    return found


def solver_type(name: str):
    """perp_solver_type of a name."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"solver: a name is expected, not {type(name).__name__}")
    found = lib.perp_solver_find(name.encode())
    if found:
        return found
    renamed = text(lib.perp_solver_renamed(name.encode()))
    if renamed:
        raise ArgumentError(f"solver: {renamed}")
    names = [ffi.new("char[]", n.encode()) for n in solvers()]
    near = lib.perp_nearest_name(name.encode(), names, len(names))
    hint = f"; {text(near)!r} is near" if near else ""
    raise ArgumentError(f"solver: there is none called {name!r}{hint}")
