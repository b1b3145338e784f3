# SPDX-License-Identifier: BSD-3-Clause
"""What a simulation consists of while it runs: systems, interactions, contacts."""
from __future__ import annotations

from typing import List, NamedTuple, Tuple

import numpy as np

from ._arrays import doubles, vector
from ._perp import ffi, lib
from ._status import ArgumentError, ArgumentTypeError, NonfiniteError, StateError, check, text
from .laws import Law

_KINDS = {lib.PERP_SCENE_FIRST_ORDER: "first-order", lib.PERP_SCENE_LAGRANGIAN: "lagrangian",
          lib.PERP_SCENE_BODY: "body", lib.PERP_SCENE_FIXED: "fixed"}


def copied(pointer, n: int) -> np.ndarray:
    """An array of its own."""
    if n == 0 or not pointer:
        return np.zeros(n)
    return np.frombuffer(ffi.buffer(pointer, 8 * n)).copy()


def _with_unit_quaternion(q: np.ndarray, name: str) -> np.ndarray:
    """q, its quaternion scaled to 1 where it is not that already but for rounding."""
    norm = float(np.linalg.norm(q[3:]))
    if norm == 0.0:
        raise ArgumentError(f"{name}.q: the quaternion q[3:] is 0")
    if abs(norm - 1.0) <= 1e-12:
        return q
    q = q.copy()
    q[3:] /= norm
    return q


class SystemState(NamedTuple):
    """q (x of first-order systems), v, and the impulse p of the interactions in the last step."""

    q: np.ndarray
    v: np.ndarray
    p: np.ndarray


class System:
    """A system or body of a simulation.  States are copies; assigning changes the simulation.

    Bodies: q = (centre of mass 3, unit quaternion 4, scalar first), v = (velocity 3, angular velocity
    in the frame of the body 3).
    """

    __slots__ = ("_simulation", "_number", "_kept", "name", "kind")  # what is misspelt is an error

    def __init__(self, simulation, number: int) -> None:
        self._simulation, self._number = simulation, number
        info = self._info()
        self.name, self.kind = text(info.name), _KINDS[info.kind]

    def _info(self):
        info = ffi.new("perp_scene_system_info *", {"size": ffi.sizeof("perp_scene_system_info")})
        check(lib.perp_scene_system(self._simulation._handle.c, self._number, info))
        self._kept = info  # info.id is a view into it
        return info

    def _state(self) -> Tuple:
        x, v, nx, nv = ffi.new("double **"), ffi.new("double **"), ffi.new("int *"), ffi.new("int *")
        if self.kind == "fixed":
            return ffi.NULL, ffi.NULL, 0, 0
        check(lib.perp_model_state(self._simulation._handle.model, self._info().id, x, v, nx, nv), argument=self.name)
        return x[0], v[0], nx[0], nv[0]

    def _write(self, pointer, n: int, value, name: str) -> None:
        array = vector(value, f"{self.name}.{name}", n)
        if not np.isfinite(array).all():
            raise NonfiniteError(f"{self.name}.{name}: the input holds a NaN or an infinity")
        if name == "q" and self.kind == "body":
            array = _with_unit_quaternion(array, self.name)
        ffi.buffer(pointer, 8 * n)[:] = memoryview(array.data).cast("B")
        lib.perp_model_changed(self._simulation._handle.model)

    @property
    def q(self) -> np.ndarray:
        x, _, nx, _ = self._state()
        return copied(x, nx)

    @q.setter
    def q(self, value) -> None:
        x, _, nx, _ = self._state()
        self._write(x, nx, value, "q")

    @property
    def v(self) -> np.ndarray:
        _, v, _, nv = self._state()
        return copied(v, nv)

    @v.setter
    def v(self, value) -> None:
        _, v, _, nv = self._state()
        self._write(v, nv, value, "v")

    @property
    def p(self) -> np.ndarray:
        """Impulse of the interactions in the last step (r of first-order systems)."""
        _, v, nx, nv = self._state()
        pointer = ffi.new("double **")
        if self.kind == "fixed":
            return np.zeros(0)
        check(lib.perp_model_input(self._simulation._handle.model, self._info().id, pointer), argument=self.name)
        return copied(pointer[0], nv if v else nx)

    @property
    def position(self) -> np.ndarray:
        """Centre of mass of a body (3,)."""
        return self.q[:3]

    @property
    def state(self) -> SystemState:
        return SystemState(self.q, self.v, self.p)

    @property
    def kinetic_energy(self) -> float:
        energy = ffi.new("double *")
        if self.kind != "fixed":
            simulation = self._simulation
            check(lib.perp_model_kinetic_energy(simulation._handle.model, self._info().id, simulation.t, energy))
        return energy[0]

    def set_force(self, force) -> None:
        """Replaces the constant force, the weight included: (3,) of a body in the inertial frame, (n,)
        of a Lagrangian system.  From a hook it is a force by feedback."""
        n = 3 if self.kind == "body" else self._state()[3]
        array = vector(force, f"{self.name}: force", n)
        check(lib.perp_model_set_force(self._simulation._handle.model, self._info().id, doubles(array)),
              argument=self.name)

    def __repr__(self) -> str:
        return f"System({self.name!r}, {self.kind})"


class Reaction(NamedTuple):
    """Of a joint on its first body in the last step: point, force, moment (3,), inertial frame."""

    point: np.ndarray
    force: np.ndarray
    moment: np.ndarray
    dependent: int


class Interaction:
    """An interaction that the scene names: gap or constraint y, its rate u, multiplier lambda."""

    __slots__ = ("_simulation", "_number", "_kept", "name")

    def __init__(self, simulation, number: int) -> None:
        self._simulation, self._number = simulation, number
        self.name = text(self._info().name)

    def _info(self):
        info = ffi.new("perp_scene_interaction_info *", {"size": ffi.sizeof("perp_scene_interaction_info")})
        check(lib.perp_scene_interaction(self._simulation._handle.c, self._number, info))
        self._kept = info  # info.id is a view into it
        return info

    def _output(self, which: int) -> np.ndarray:
        return self._outputs()[which]

    def _outputs(self) -> tuple:
        """y, u and lambda, and whether it was active."""
        pointers = [ffi.new("double **") for _ in range(3)]
        rows, active = ffi.new("int *"), ffi.new("int *")
        check(lib.perp_model_output(self._simulation._handle.model, self._info().id, *pointers, rows, active))
        return (*(copied(p[0], rows[0]) for p in pointers), bool(active[0]))

    @property
    def y(self) -> np.ndarray:
        return self._output(0)

    @property
    def u(self) -> np.ndarray:
        return self._output(1)

    @property
    def multiplier(self) -> np.ndarray:
        """lambda; what it is depends on the scheme: ``docs/reference/kernel.md``."""
        return self._output(2)

    @property
    def active(self) -> bool:
        """Whether it was in the one-step problem."""
        return self._outputs()[3]

    def set_law(self, law: Law) -> None:
        """Changes the numbers of its law (same kind and dimension), see `perp.laws`."""
        if not isinstance(law, Law):
            raise ArgumentTypeError(f"law: one of perp.laws is expected, not {type(law).__name__}")
        c = ffi.new("perp_law *", law.c)
        check(lib.perp_model_set_law(self._simulation._handle.model, self._info().id, c), argument=self.name)

    def reaction(self) -> Reaction:
        """What a joint did to its first body in the last step."""
        c = ffi.new("perp_reaction *", {"size": ffi.sizeof("perp_reaction")})
        check(lib.perp_sim_reaction(self._simulation._handle.sim, self._info().id, c), argument=self.name)
        point, force, moment = (np.array(list(a)) for a in (c.point, c.force, c.moment))
        return Reaction(point, force, moment, c.dependent)

    def __repr__(self) -> str:
        return f"Interaction({self.name!r})"


class Contacts(NamedTuple):
    """The m contacts that were detected, in their order; forces are means over the last step.

    names: m pairs "a, b"; gap (m,); normals (m, 3), unit, from the second body to the first;
    points_a, points_b (m, 3); velocities (m, 3) of the first against the second; impulses, forces
    (m, 3) on the first body; states: "open", "sticking", "sliding", "rolling" or "spinning"; spins (m, 3), angular
    velocities of the first against the second; moments (m, 3), impulses of the moments of friction on the first; mu (m,).
    """

    names: List[str]
    gap: np.ndarray
    normals: np.ndarray
    points_a: np.ndarray
    points_b: np.ndarray
    velocities: np.ndarray
    impulses: np.ndarray
    forces: np.ndarray
    states: List[str]
    spins: np.ndarray
    moments: np.ndarray
    mu: np.ndarray

    def __bool__(self) -> bool:
        return bool(self.names)


_STATES = ("open", "sticking", "sliding", "rolling", "spinning")


def contacts_of(handle, h: float) -> Contacts:
    """The contacts of a scene."""
    collider = handle.collider
    m = lib.perp_collider_contacts(collider) if collider else 0
    info = ffi.new("perp_contact_info *", {"size": ffi.sizeof("perp_contact_info")})
    numbers = np.zeros((m, 23))
    names, states = [], []
    for k in range(m):
        check(lib.perp_collider_contact(collider, k, info))
        numbers[k] = [info.point.gap, *info.point.normal, *info.point.point_a, *info.point.point_b, *info.velocity,
                      *info.impulse, *info.spin, *info.moment, info.mu]
        names.append(name_of(handle, info.interaction))
        states.append(_STATES[info.state])
    normals, points_a, points_b, velocities, impulses, spins, moments = (
        np.ascontiguousarray(numbers[:, k:k + 3]) for k in (1, 4, 7, 10, 13, 16, 19))
    forces = impulses / h if h else impulses * 0
    return Contacts(names, numbers[:, 0].copy(), normals, points_a, points_b, velocities, impulses, forces, states,
                    spins, moments, numbers[:, 22].copy())


def name_of(handle, interaction) -> str:
    """The name of an interaction, contacts too."""
    name = ffi.new("char[]", 256)
    status = lib.perp_scene_name_interaction(handle.c, interaction, name, 256)
    return text(name) if status == 0 else ""


def contact_of(handle, info) -> "Contact":
    return Contact(name_of(handle, info.interaction) if info.interaction.generation else "", info.point.gap,
                   np.array(list(info.point.normal)), np.array(list(info.point.point_a)),
                   np.array(list(info.impulse)), _STATES[info.state])


class Contact(NamedTuple):
    """One contact, as a function of `Simulation.on_contact` gets it."""

    name: str
    gap: float
    normal: np.ndarray
    point: np.ndarray
    impulse: np.ndarray
    state: str


class State:
    """A simulation after a step: t, h, step; ``state["ball"].q`` are copies that stay."""

    __slots__ = ("t", "h", "step", "status", "_systems", "_simulation")

    def __init__(self, simulation) -> None:
        self._simulation = simulation
        self.t, self.h, self.step = simulation.t, simulation.h, simulation.steps
        self.status = simulation.status
        self._systems = {name: s.state for name, s in simulation.systems.items() if s.kind != "fixed"}

    def __getitem__(self, name: str) -> SystemState:
        try:
            return self._systems[name]
        except KeyError:
            raise KeyError(f"{name}: the scene has no system of this name that moves") from None

    @property
    def contacts(self) -> Contacts:
        """Those of the present; once the simulation has gone on they are not known any more."""
        if self._simulation is None:
            raise StateError("contacts: the state was copied or pickled, and the simulation was not")
        if self._simulation.steps != self.step:
            raise StateError("contacts: the simulation has gone on since; ask for them within the loop")
        return self._simulation.contacts

    def __getstate__(self) -> dict:
        return {name: getattr(self, name) for name in self.__slots__ if name != "_simulation"}

    def __setstate__(self, state: dict) -> None:
        self._simulation = None
        for name, value in state.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"State(t={self.t:g}, step={self.step})"
