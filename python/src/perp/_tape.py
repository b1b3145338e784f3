# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of motions: of states by the first state, by forces and by parameters."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import count, doubles, numbers
from ._callbacks import Calls, _view
from ._perp import ffi, lib
from ._status import OF_VALUE, ArgumentError, PerpError, StateError, Status, check, error, text

Tangents = Union[np.ndarray, Sequence[float], Dict[str, Any], None]

_OF_LAWS = {"mu": lib.PERP_TAPE_MU, "mu_r": lib.PERP_TAPE_MU_R, "mu_s": lib.PERP_TAPE_MU_S,
            "e": lib.PERP_TAPE_E, "e_t": lib.PERP_TAPE_E_T, "lo": lib.PERP_TAPE_LO,
            "hi": lib.PERP_TAPE_HI, "rate": lib.PERP_TAPE_RATE,
            "target": lib.PERP_TAPE_TARGET, "stiffness": lib.PERP_TAPE_STIFFNESS,
            "damping": lib.PERP_TAPE_DAMPING}
_OF_SYSTEMS = {"mass": lib.PERP_TAPE_MASS, "inertia": lib.PERP_TAPE_INERTIA, "force": lib.PERP_TAPE_FORCE,
               "C": lib.PERP_TAPE_C, "K": lib.PERP_TAPE_K, "z": lib.PERP_TAPE_Z}


class MotionChange(NamedTuple):
    """Along directions: q and v (dofs,), or (k, dofs); with path=True (steps + 1, dofs), or (k, steps + 1, dofs).

    status : `Status`: SOLVED, or ONE_SIDED, NOT_UNIQUE, NOT_DIFFERENTIABLE
    step : number of the first step that has it; None where all is smooth
    each : statuses of the directions
    """

    q: np.ndarray
    v: np.ndarray
    status: Status
    step: Optional[int]
    each: List[Status]


class MotionGradient(NamedTuple):
    """q and v (dofs,) by the first state, parameters (p,) in the order given, forces (steps, dofs); a first
    axis more for k cotangents.  status and step as in `MotionChange`."""

    q: np.ndarray
    v: np.ndarray
    parameters: np.ndarray
    forces: np.ndarray
    status: Status
    step: Optional[int]


class Tape:
    """The steps of a simulation as they are made, for their derivative: made by `Simulation.tape`.

    >>> import perp
    >>> block = {"name": "block", "type": "lagrangian", "q0": [0, -0.001], "v0": [1, 0], "F": [0, -9.81]}
    >>> floor = {"name": "floor", "systems": ["block"], "relation": {"type": "linear", "C": [[0, 1], [1, 0]]},
    ...          "law": {"type": "friction", "dim": 2, "mu": 0.3}}
    >>> scene = {"time": {"until": 0.2, "step": 0.01}, "systems": [block], "interactions": [floor]}
    >>> sim = perp.Simulation(scene, scheme="moreau-jean", tol=1e-12)
    >>> tape = sim.tape([("mu", "floor")])
    >>> _ = sim.run()
    >>> end = sim.jvp(parameters=[1.0])
    >>> end.status.name, round(float(end.v[0]), 9)           # -g t
    ('SOLVED', -1.962)
    >>> round(float(sim.vjp(q={"block": [1, 0]}).v[0]), 9)    # t
    0.2
    """

    def __init__(self, simulation, parameters: Sequence[Tuple] = (), *, differences: bool = False,
                 kink: float = 1e-9, factors: int = 1 << 28) -> None:
        self._simulation = simulation
        settings = ffi.new("perp_tape_settings *")
        lib.perp_tape_settings_init(settings, ffi.sizeof("perp_tape_settings"))
        settings.differences, settings.kink, settings.factors = bool(differences), kink, count(factors, "factors")
        made, where = ffi.new("perp_tape **"), ffi.new("perp_where *")
        check(lib.perp_tape_create(made, simulation._handle.sim, settings, ffi.NULL, where), where)
        self._made = ffi.gc(made[0], lib.perp_tape_destroy)
        self._handle = simulation._handle
        self.parameters = [tuple(p) if not isinstance(p, str) else (p,) for p in parameters]
        rows = [self._parameter(k, p) for k, p in enumerate(self.parameters)]
        array = ffi.new("perp_tape_parameter[]", max(len(rows), 1))
        for k, row in enumerate(rows):
            array[k] = row[0]
        check(lib.perp_tape_set_parameters(self._c, len(rows), array, where), where, name="parameters")

    def _parameter(self, k: int, given: Tuple):
        made = ffi.new("perp_tape_parameter *")
        kind, names = given[0] if given else None, list(given[1:])
        if kind in _OF_LAWS:
            made.quantity = _OF_LAWS[kind]
            if len(names) > 1:
                raise ArgumentError(f"parameters[{k}]: ({kind!r}, name of an interaction) is expected")
            if names:
                found = self._simulation.interactions.get(names[0])
                if found is None:
                    hint = f"; ({kind!r},) is of all contacts" if names[0] in self._simulation.systems else ""
                    raise ArgumentError(f"parameters[{k}]: the scene has no interaction {names[0]!r}{hint}")
                made.interaction = found._info().id
            return made
        if kind not in _OF_SYSTEMS:
            known = ", ".join([*_OF_LAWS, *_OF_SYSTEMS])
            raise ArgumentError(f"parameters[{k}]: {kind!r} is none of {known}")
        made.quantity = _OF_SYSTEMS[kind]
        found = self._simulation.systems.get(names[0]) if names else None
        if found is None or len(names) > 3:
            raise ArgumentError(f"parameters[{k}]: ({kind!r}, name of a system, row, column) is expected")
        made.system = found._info().id
        made.row = count(names[1], f"parameters[{k}]") if len(names) > 1 else 0
        made.column = count(names[2], f"parameters[{k}]") if len(names) > 2 else 0
        return made

    # What it holds.

    @property
    def _c(self):
        if self._made is None:
            raise StateError("the tape was ended, by end_tape() or another tape()")
        return self._made

    def _end(self) -> None:
        made, self._made = self._made, None
        ffi.release(made)

    @property
    def _info(self):
        info = ffi.new("perp_tape_info *", {"size": ffi.sizeof("perp_tape_info")})
        check(lib.perp_tape_info_get(self._c, info))
        return info

    @property
    def status(self) -> Status:
        """SOLVED, or why the tape ended: see `detail`."""
        return OF_VALUE[self._info.status]

    @property
    def detail(self) -> str:
        """One sentence on the end, or nothing."""
        info = self._info
        return f"step {info.step}: {text(info.detail)}" if info.status else ""

    @property
    def steps(self) -> int:
        """How many were recorded."""
        return self._info.steps

    @property
    def dofs(self) -> int:
        """Numbers of a change of all positions; as many of all velocities."""
        return self._info.dofs

    @property
    def memory(self) -> int:
        """Bytes of the record, and of the factors that products keep from the second one on."""
        return self._info.bytes + self._info.factors

    @property
    def differences(self) -> bool:
        """Something was taken by differences."""
        return bool(self._info.differences)

    @property
    def given(self) -> bool:
        """Functions of the user or controllers changed forces, laws or parameters between steps: these count
        as given, a feedback through them is not differentiated."""
        return bool(self._info.given)

    def place(self, name: str) -> slice:
        """Where the numbers of a system lie in q and v of all."""
        system = self._simulation.systems.get(name)
        if system is None:
            raise KeyError(f"{name}: the scene has no system of this name")
        at, size = ffi.new("int *"), ffi.new("int *")
        check(lib.perp_tape_place(self._c, system._info().id, at, size), argument=name)
        return slice(at[0], at[0] + size[0])

    def reset(self) -> None:
        """Forgets all steps; the parameters stay."""
        lib.perp_tape_reset(self._c)

    def _ready(self) -> None:
        info = self._info
        if info.status != 0:
            raise error(info.status if info.status < 0 else lib.PERP_ERR_STATE,
                        f"the tape ended at step {info.step}: {text(info.detail)}", text(info.where.what),
                        index=info.where.index)
        if info.steps == 0:
            raise StateError("no step was recorded yet")

    # Products.

    def _flat(self, x: Tangents, name: str, shape: Tuple[int, ...]) -> Tuple[Optional[np.ndarray], Optional[int]]:
        """(k, *shape) contiguous, and k where there was such an axis."""
        if x is None:
            return None, None
        if isinstance(x, dict):
            array = np.zeros(shape)
            for system, value in x.items():
                place = self.place(system)
                part = numbers(value, f"{name}[{system!r}]")
                wanted = shape[:-1] + (place.stop - place.start,)
                if part.shape != wanted:
                    raise ArgumentError(f"{name}[{system!r}]: shape {wanted} is expected, it is {part.shape}")
                array[..., place] = part
        else:
            array = numbers(x, name)
        if array.shape == shape:
            return np.ascontiguousarray(array[None]), None
        if array.ndim == len(shape) + 1 and array.shape[1:] == shape:
            return np.ascontiguousarray(array), array.shape[0]
        raise ArgumentError(f"{name}: shape {shape} is expected, or one axis more; it is {array.shape}")

    @staticmethod
    def _check(status: int, report, argument: str) -> None:
        if status == lib.PERP_ERR_NUMERICAL and report.step >= 0:
            raise error(status, f"step {report.step}: its derivative is not finite, or it was solved too loosely "
                        "(an error above 1e-4)", "step", index=report.step)
        check(status, argument=argument)

    @staticmethod
    def _many(given: Dict[str, Tuple[Optional[np.ndarray], Optional[int]]]) -> Tuple[int, bool]:
        counts = {k for _, k in given.values() if k is not None}
        if len(counts) > 1:
            raise ArgumentError(f"{', '.join(given)}: as many directions of one as of the other are expected")
        many = counts.pop() if counts else None
        return (1, False) if many is None else (many, True)

    def jvp(self, q: Tangents = None, v: Tangents = None, parameters=None, forces=None, *,
            path: bool = False) -> MotionChange:
        """The change of the last state (path: of all) along the change of everything that is given.

        q, v : of the state before the first step: (dofs,), (k, dofs), or by names of systems.  Of a body:
            change of the centre, small turn in its frame; velocity, angular velocity
        parameters : (p,), or (k, p)
        forces : (steps, dofs), or (k, steps, dofs): constant over each step
        """
        self._ready()
        n, steps, p = self.dofs, self.steps, len(self.parameters)
        given = {"q": self._flat(q, "q", (n,)), "v": self._flat(v, "v", (n,)),
                 "parameters": self._flat(parameters, "parameters", (p,)),
                 "forces": self._flat(forces, "forces", (steps, n))}
        many, axis = self._many(given)
        along = ffi.new("perp_tape_tangent *", {"size": ffi.sizeof("perp_tape_tangent")})
        keep = []
        for name, (array, k) in given.items():
            if array is not None:
                array = array if k is not None or many == 1 else np.repeat(array, many, axis=0)
                keep += [array, doubles(array)]
                setattr(along, name, keep[-1])
        shape = (many,) + ((steps + 1,) if path else ()) + (n,)
        dq, dv = np.empty((2,) + shape)
        each = ffi.new("perp_status[]", max(many, 1))
        report = ffi.new("perp_tape_report *", {"size": ffi.sizeof("perp_tape_report")})
        self._check(lib.perp_tape_jvp(self._c, many, along, bool(path), doubles(dq), doubles(dv), each, report),
                    report, "direction")
        return MotionChange(dq if axis else dq[0], dv if axis else dv[0], OF_VALUE[report.status],
                            report.step if report.step >= 0 else None, [OF_VALUE[each[k]] for k in range(many)])

    def vjp(self, q: Tangents = None, v: Tangents = None, *, path: bool = False) -> MotionGradient:
        """Gradients of q.dq + v.dv of the last state, or, path, of the sum over all states.

        q, v : (dofs,), (k, dofs), or by names of systems; with path (steps + 1, dofs), ...
        """
        self._ready()
        if q is None and v is None:
            raise ArgumentError("q, v: one of them is needed")
        n, steps, p = self.dofs, self.steps, len(self.parameters)
        shape = (steps + 1, n) if path else (n,)
        given = {"q": self._flat(q, "q", shape), "v": self._flat(v, "v", shape)}
        many, axis = self._many(given)
        bars = [ffi.NULL if a is None else doubles(a if k is not None or many == 1 else np.repeat(a, many, axis=0))
                for a, k in given.values()]
        found = {"q": np.zeros((many, n)), "v": np.zeros((many, n)), "parameters": np.zeros((many, p)),
                 "forces": np.zeros((many, steps, n))}
        of = ffi.new("perp_tape_gradient *", {"size": ffi.sizeof("perp_tape_gradient")})
        keep = {name: doubles(array) for name, array in found.items() if array.size}
        for name, pointer in keep.items():
            setattr(of, name, pointer)
        report = ffi.new("perp_tape_report *", {"size": ffi.sizeof("perp_tape_report")})
        self._check(lib.perp_tape_vjp(self._c, many, bool(path), bars[0], bars[1], of, report), report, "cotangent")
        parts = {name: array if axis else array[0] for name, array in found.items()}
        return MotionGradient(status=OF_VALUE[report.status], step=report.step if report.step >= 0 else None, **parts)

    def _places(self) -> Dict[str, slice]:
        """As place(), of all, before a step was recorded."""
        model = self._handle.model
        moving = [(s._info().id.index, s) for s in self._simulation.systems.values()
                  if s.kind != "fixed" and not lib.perp_model_is_prescribed(model, s._info().id)]
        found, at = {}, 0
        for _, system in sorted(moving, key=lambda pair: pair[0]):
            found[system.name] = slice(at, at + system.v.size)
            at += system.v.size
        return found

    def gradient_of_run(self, steps: int, cotangent: Callable) -> MotionGradient:
        """Makes `steps` steps, and gives the gradient by the present state of a sum over all states, in memory
        for about 2 sqrt(steps) of them: every step is made twice, with checkpoints.

        cotangent(simulation, step) : what the sum changes with the state after `step` steps (0: the present
            one), as a pair (q, v) of (dofs,) arrays or dictionaries of systems, each may be None; or None.  It is
            called with the simulation at that state, the last part of the motion first
        Functions of the user must do the same the second time.
        """
        steps, simulation = count(steps, "steps"), self._simulation
        places = self._places()
        n, calls = sum(p.stop - p.start for p in places.values()), Calls()

        def ask(step, q_bar, v_bar):
            asked = cotangent(simulation, step)
            for value, out in zip(asked or (None, None), (q_bar, v_bar)):
                parts = value.items() if isinstance(value, dict) else [] if value is None else [(None, value)]
                for name, part in parts:
                    view = _view(out, n, True)[places[name] if name is not None else slice(0, n)]
                    part = numbers(part, "cotangent")
                    if part.shape != view.shape:
                        raise ArgumentError(f"cotangent: shape {view.shape} is expected, it is {part.shape}")
                    view += part

        calls.functions["cotangent"] = ask
        found = {"q": np.zeros(n), "v": np.zeros(n), "parameters": np.zeros(len(self.parameters)),
                 "forces": np.zeros((steps, n))}
        of = ffi.new("perp_tape_gradient *", {"size": ffi.sizeof("perp_tape_gradient")})
        keep = [(name, doubles(array)) for name, array in found.items() if array.size]
        for name, pointer in keep:
            setattr(of, name, pointer)
        report = ffi.new("perp_tape_report *", {"size": ffi.sizeof("perp_tape_report")})
        if not simulation._lock.acquire(False):
            raise StateError("the simulation is running, in another thread or around the function that calls this")
        try:
            check(lib.perp_tape_set_collider(self._c, self._handle.collider or ffi.NULL))
            status = lib.perp_tape_gradient_of_run(self._c, steps, lib.perp_py_cotangent, calls.handle, of, report)
        finally:
            simulation._lock.release()
        calls.check()
        if simulation._raise():
            raise KeyboardInterrupt
        if status < 0 and self._info.status != 0:
            self._ready()
        self._check(status, report, "steps")
        if status != report.status:
            failed = PerpError(f"a step was not solved: {OF_VALUE[status].sentence}")
            failed.status = OF_VALUE[status]
            raise failed
        return MotionGradient(status=OF_VALUE[status], step=report.step if report.step >= 0 else None, **found)

    def __repr__(self) -> str:
        if self._made is None:
            return "Tape(ended)"
        return f"Tape({self.status.name}, steps={self.steps}, dofs={self.dofs})"
