# SPDX-License-Identifier: BSD-3-Clause
"""Perp: nonsmooth mechanics with certificates.

>>> import numpy as np, perp
>>> r = perp.solve(np.eye(3), [-1, 2, 0], [perp.Coulomb(0.3, dim=3)], tol=1e-8)
>>> r.status.name, np.round(r.z, 6) + 0.0
('SOLVED', array([ 1. , -0.3,  0. ]))
"""
from . import bench, generate, laws
from ._certificate import Certificate, CertificateKind, check_certificate
from ._derivative import Derivative, Directional, Gradient
from ._enumeration import Enumeration, Solution, all_solutions
from ._linear import PolyhedralResult, avi, boxed_lcp, lcp, mlcp, relay
from ._matrices import Delassus, Mass, Operator, column_blocks
from ._ncp import NCPResult, ncp
from ._parts import Contact, Contacts, Interaction, State, System
from ._problem import Problem, Residuals, load, load_solution
from ._record import Record
from ._scene import Scene
from ._sets import SOC, Box, Coulomb, Free, Nonneg, Rolling, Set, Tresca
from ._settings import settings, solvers
from ._simulation import Simulation, StepError
from ._solver import Result, Solver, Stage, solve
from ._status import (ArgumentError, ArgumentTypeError, FileError, FormatError, NonfiniteError, NumericalError,
                      OutOfMemoryError, PerpError, SettingError, SingularError, SizeError, StateError, Status,
                      UnsupportedError)
from ._tape import MotionChange, MotionGradient, Tape
from ._verdict import Verdict, Verification, verify

__version__ = "0.1.0"
