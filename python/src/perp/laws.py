# SPDX-License-Identifier: BSD-3-Clause
"""Laws of interactions, to be changed while a simulation runs: ``sim["hinge"].set_law(perp.laws.motor(2, 5))``."""
from __future__ import annotations

import math

from ._arrays import real
from ._perp import lib

INFINITE = math.inf


class Law:
    """A perp_law."""

    def __init__(self, c, words: str) -> None:
        self.c = c
        self._words = words

    def __repr__(self) -> str:
        return self._words


def complementarity() -> Law:
    """0 <= y perp lambda >= 0."""
    return Law(lib.perp_law_complementarity(), "complementarity()")


def equality() -> Law:
    """y = 0."""
    return Law(lib.perp_law_equality(), "equality()")


def relay(lo: float = -1.0, hi: float = 1.0) -> Law:
    """-y in N_[lo, hi](lambda)."""
    return Law(lib.perp_law_relay(real(lo, "lo"), real(hi, "hi")), f"relay({lo}, {hi})")


def impact(e: float) -> Law:
    """Newton's impact law with the restitution e in [0, 1]."""
    return Law(lib.perp_law_impact(real(e, "e")), f"impact({e})")


def friction(dim: int, e: float, mu: float) -> Law:
    """Impact with Coulomb friction, dim 2 or 3 rows."""
    return Law(lib.perp_law_friction(dim, real(e, "e"), real(mu, "mu")), f"friction({dim}, {e}, {mu})")


def motor(rate: float, largest: float = INFINITE) -> Law:
    """The rate of a coordinate, as far as a force or torque up to `largest` holds it."""
    return Law(lib.perp_law_motor(real(rate, "rate"), real(largest, "largest")), f"motor({rate}, {largest})")


def dry_friction(largest: float) -> Law:
    """Rest, as far as a force or torque up to `largest` goes."""
    return Law(lib.perp_law_dry_friction(real(largest, "largest")), f"dry_friction({largest})")


def servo(stiffness: float, damping: float, target: float, largest: float = INFINITE) -> Law:
    """force = -stiffness (y - target) - damping u, up to `largest`."""
    c = lib.perp_law_servo(real(stiffness, "stiffness"), real(damping, "damping"), real(target, "target"),
                           real(largest, "largest"))
    return Law(c, f"servo({stiffness}, {damping}, {target}, {largest})")


def profile(target: float, rate: float, acceleration: float, largest: float = INFINITE) -> Law:
    """Goes to a target within a rate, and brakes in time."""
    c = lib.perp_law_profile(real(target, "target"), real(rate, "rate"), real(acceleration, "acceleration"),
                             real(largest, "largest"))
    return Law(c, f"profile({target}, {rate}, {acceleration}, {largest})")
