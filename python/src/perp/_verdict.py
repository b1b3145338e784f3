# SPDX-License-Identifier: BSD-3-Clause
"""Whether a run can be trusted."""
from __future__ import annotations

from typing import List, NamedTuple, Optional

from ._perp import ffi, lib
from ._status import OF_VALUE, Status, check, path_of, text


class Figure(NamedTuple):
    """One measure of a run: value, its thresholds, the step at which it failed (0: none)."""

    name: str
    text: str
    known: bool
    kind: str
    value: float
    verified: float
    remarks: float
    step: int
    t: float
    why: str


class Verdict:
    """The certificate of a run: each measure is computed again from states, multipliers and callbacks.

    kind : "verified", "done with remarks" or "not verified"
    first : the measure that was first beyond its threshold, at `step` and `t`; None: none
    figures : all measures, by name
    kinetic, potential, balance, external, contact, joint : energies of the run
    """

    def __init__(self, c, figures: List[Figure]) -> None:
        self.kind = text(lib.perp_verdict_name(c.kind))
        self.first: Optional[str] = text(c.first) or None
        self.step, self.t, self.steps = c.step, c.t, c.steps
        self.stopped: Status = OF_VALUE[c.stopped]
        self.unknown = c.unknown
        self.scale, self.kinetic, self.potential = c.scale, c.kinetic, c.potential
        self.contact, self.external, self.balance, self.joint = c.contact, c.external, c.balance, c.joint
        self.figures = {f.name: f for f in figures}

    @property
    def verified(self) -> bool:
        return self.kind == "verified"

    def __str__(self) -> str:
        words = f"{self.kind}, {self.steps} steps"
        return f"{words}; {self.first} at step {self.step}, t = {self.t:g}" if self.first else words

    def __repr__(self) -> str:
        return f"Verdict({self})"


def verdict_of(sim) -> Verdict:
    """Of a perp_sim."""
    c = ffi.new("perp_verdict *", {"size": ffi.sizeof("perp_verdict")})
    check(lib.perp_sim_verdict(sim, c, ffi.sizeof("perp_verdict")))
    figures, k = [], 0
    one = ffi.new("perp_figure *")
    while lib.perp_sim_figure(sim, k, one, ffi.sizeof("perp_figure")) == 0:
        figures.append(Figure(text(one.name), text(one.text), bool(one.known), text(lib.perp_verdict_name(one.kind)),
                              one.value, one.verified, one.remarks, one.step, one.t, text(one.why)))
        k += 1
    return Verdict(c, figures)


class Check(NamedTuple):
    """One check of `verify`."""

    name: str
    text: str
    known: bool
    contradicted: bool
    worst: float
    allowed: float
    row: int
    t: float
    where: str
    why: str


class Verification:
    """holds: nothing contradicts; checks: all of them; rows of the series that were looked at."""

    def __init__(self, holds: bool, rows: int, checks: List[Check]) -> None:
        self.holds, self.rows, self.checks = holds, rows, checks

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        known = sum(c.known for c in self.checks)
        return f"Verification(holds={self.holds}, {known} of {len(self.checks)} checks known, {self.rows} rows)"


def verify(folder) -> Verification:
    """Looks again at the files of a run, by code that shares nothing with the integrators."""
    made = ffi.new("perp_verification **")
    error = ffi.new("perp_scene_error *", {"size": ffi.sizeof("perp_scene_error")})
    check(lib.perp_verify_folder(made, path_of(folder), ffi.NULL, error), detail=error.text)
    found = ffi.gc(made[0], lib.perp_verification_destroy)
    one, checks = ffi.new("perp_check *", {"size": ffi.sizeof("perp_check")}), []
    for k in range(lib.perp_verification_checks(found)):
        check(lib.perp_verification_check(found, k, one))
        checks.append(Check(text(one.name), text(one.text), bool(one.known), bool(one.contradicted), one.worst,
                            one.allowed, one.row, one.t, text(one.where), text(one.why)))
    return Verification(bool(lib.perp_verification_holds(found)), lib.perp_verification_rows(found), checks)
