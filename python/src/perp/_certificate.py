# SPDX-License-Identifier: BSD-3-Clause
"""Proofs that a problem has no solution."""
from __future__ import annotations

import enum
import math
from typing import Optional

import numpy as np

from ._arrays import doubles, vector
from ._perp import ffi, lib
from ._problem import Problem
from ._status import check


class CertificateKind(enum.IntEnum):
    """What a certificate is."""

    RAY = lib.PERP_CERTIFICATE_RAY
    INFEASIBLE = lib.PERP_CERTIFICATE_INFEASIBLE
    EXHAUSTED = lib.PERP_CERTIFICATE_EXHAUSTED


class Certificate:
    """Why there is no solution; checked by code that shares nothing with the solvers.

    kind : INFEASIBLE: y.w >= 0 for each w that a solution may have, and (M'y).z + q.y < 0 for all z
        in K.  EXHAUSTED: every complementary choice was refuted; there is no vector.  RAY: where
        pivoting ended; it proves nothing for a general matrix.
    y : (n,), or None where kind is EXHAUSTED
    holds : no solution exists (INFEASIBLE, EXHAUSTED), or the ray is one (RAY)
    reach : no solution has all |z_i| below this; infinite: there is none
    sign, column, value, row : figures of the check, see ``perp/certificate.h``
    """

    __slots__ = ("kind", "y", "holds", "reach", "sign", "column", "value", "row")

    def __init__(self, kind: CertificateKind, y: Optional[np.ndarray], figures, reach: float) -> None:
        self.kind = kind
        self.y = y
        self.holds = bool(figures.holds)
        self.reach = reach if kind == CertificateKind.EXHAUSTED else figures.reach
        self.sign, self.column, self.value, self.row = figures.sign, figures.column, figures.value, figures.row
        if kind == CertificateKind.EXHAUSTED:
            self.holds = math.isinf(reach)

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"Certificate({self.kind.name}, holds={self.holds}, reach={self.reach:g})"


def check_certificate(problem: Problem, y, kind: CertificateKind = CertificateKind.INFEASIBLE,
                      reach: float = 0.0) -> Certificate:
    """Checks a proof y (n,) against the numbers of a problem, whoever made it."""
    vector_of_proof = None if kind == CertificateKind.EXHAUSTED else vector(y, "y", problem.n)
    figures = ffi.new("perp_certificate_figures *", {"size": ffi.sizeof("perp_certificate_figures")})
    pointer = ffi.NULL if vector_of_proof is None else doubles(vector_of_proof)
    check(lib.perp_certificate_check(problem._c, int(kind), pointer, ffi.NULL, figures), argument="y")
    return Certificate(CertificateKind(kind), vector_of_proof, figures, reach)


def certificate_of(solver, problem: Problem, reach: float) -> Optional[Certificate]:
    """The certificate of the last solve of a handle."""
    kind = ffi.new("perp_certificate_kind *")
    y = np.zeros(problem.n)
    check(lib.perp_solver_certificate(solver, problem.n, kind, doubles(y)))
    if kind[0] == lib.PERP_CERTIFICATE_NONE:
        return None
    return check_certificate(problem, y, CertificateKind(kind[0]), reach)
