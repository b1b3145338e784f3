# SPDX-License-Identifier: BSD-3-Clause
"""A scene that runs."""
from __future__ import annotations

import difflib
import os
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import count, real
from ._callbacks import SCENE_PROGRESS, SCENE_STOP, Calls, Watch
from ._parts import Contacts, Interaction, State, System, contact_of, contacts_of, copied, name_of
from ._perp import ffi, lib
from ._record import Record
from ._scene import Handle, Scene
from ._status import (OF_VALUE, ArgumentError, ArgumentTypeError, PerpError, StateError, Status, check, path_of, text)
from ._tape import MotionChange, MotionGradient, Tape
from ._verdict import Verdict, verdict_of

Quantity = Union[str, Tuple[str, Callable]]
_EVENTS = {lib.PERP_CONTACT_BEGINS: "begins", lib.PERP_CONTACT_PERSISTS: "persists",
           lib.PERP_CONTACT_ENDS: "ends"}


class StepError(PerpError, RuntimeError):
    """A step of ``for state in simulation`` was not made; status and the sentence say why."""


class _Hook:
    """A function of the user that C calls at a step."""

    def __init__(self, simulation: "Simulation", function: Callable, *arguments) -> None:
        if not callable(function):
            raise ArgumentTypeError(f"a function is expected, not {type(function).__name__}")
        self.function = function
        self.arguments = arguments  # time or period
        self.calls = Calls()
        self.calls.functions["step"] = lambda t, h: function(simulation)
        simulation._heed(self.calls)


class Simulation:
    """A `Scene` (or a path or a dict) that runs.

    until, step : end and length of a step, in place of those of the scene
    tol, solver, settings : of the one-step problems
    scheme : integrator of all systems that it takes

    >>> import perp
    >>> ball = {"name": "ball", "type": "lagrangian", "q0": [1.0], "F": [-9.81]}
    >>> floor = {"systems": ["ball"], "relation": {"type": "linear", "C": [[1]]},
    ...          "law": {"type": "impact", "e": 0.5}}
    >>> sim = perp.Simulation({"time": {"until": 1, "step": 0.01}, "systems": [ball], "interactions": [floor]})
    >>> for state in sim:
    ...     lowest = state["ball"].q
    >>> round(sim.t, 6), sim.verdict.kind
    (1.0, 'verified')
    """

    def __init__(self, scene, *, until: Optional[float] = None, step: Optional[float] = None,
                 tol: Optional[float] = None, solver: Optional[str] = None, scheme: Optional[str] = None,
                 settings: Optional[Dict[str, Any]] = None) -> None:
        self.scene = scene if isinstance(scene, Scene) else Scene(scene)
        self._options = {"until": until, "step": step, "tol": tol, "solver": solver, "scheme": scheme,
                         "settings": settings}
        self._lock = threading.Lock()
        self._calls = Calls()
        self._watch = Watch(self._calls)
        self._watched: List[Calls] = [self._calls]
        self._before: Optional[_Hook] = None
        self._after: Optional[_Hook] = None
        self._timed: List[_Hook] = []
        self._contact: Optional[Calls] = None
        self._recorded: Optional[dict] = None
        self._values: list = []
        self.record: Optional[Record] = None
        self._tape: Optional[Tape] = None
        self._adopt(self.scene._create(options=self._options))

    def _adopt(self, handle: Handle) -> None:
        self._handle = handle
        self.systems = {s.name: s for s in map(lambda k: System(self, k),
                                               range(lib.perp_scene_systems(handle.c)))}
        self.interactions = {i.name: i for i in map(lambda k: Interaction(self, k),
                                                    range(lib.perp_scene_interactions(handle.c)))}

    def __reduce__(self):
        raise TypeError("a Simulation is neither copied nor pickled: make another of the same scene, which can be, "
                        "and load() there what save() gave here")

    # What it is.

    @property
    def t(self) -> float:
        """The time reached."""
        return lib.perp_sim_time(self._handle.sim)

    @property
    def h(self) -> float:
        """Length of a step."""
        return lib.perp_scene_step(self._handle.c)

    @property
    def until(self) -> float:
        """End of the run."""
        return lib.perp_scene_until(self._handle.c)

    @property
    def title(self) -> str:
        return text(lib.perp_scene_title(self._handle.c))

    @property
    def steps(self) -> int:
        """How many were made."""
        return lib.perp_sim_info(self._handle.sim).step

    @property
    def status(self) -> Status:
        """Of the last step."""
        return OF_VALUE[lib.perp_sim_info(self._handle.sim).status]

    @property
    def warnings(self) -> List[str]:
        """What was not refused but may not be what was meant."""
        one = ffi.new("perp_scene_error *", {"size": ffi.sizeof("perp_scene_error")})
        found = []
        for k in range(lib.perp_scene_warnings(self._handle.c)):
            check(lib.perp_scene_warning(self._handle.c, k, one))
            found.append(text(one.text))
        return found

    @property
    def contacts(self) -> Contacts:
        """The contacts after the last step."""
        return contacts_of(self._handle, lib.perp_sim_info(self._handle.sim).h)

    @property
    def verdict(self) -> Verdict:
        """Whether the run so far can be trusted."""
        return verdict_of(self._handle.sim)

    @property
    def infeasibility(self) -> List[Tuple[str, int, float]]:
        """Where the last step was shown to have no solution: the rows of the proof as (interaction,
        component, weight)."""
        c = ffi.new("perp_infeasibility *", {"size": ffi.sizeof("perp_infeasibility")})
        check(lib.perp_sim_infeasibility(self._handle.sim, c))
        return [(name_of(self._handle, c.interaction[k]), c.component[k], c.weight[k]) for k in range(c.rows)]

    def __getitem__(self, name: str) -> Union[System, Interaction]:
        found = self.systems.get(name) or self.interactions.get(name)
        if found is None:
            near = difflib.get_close_matches(str(name), [*self.systems, *self.interactions], 1)
            raise KeyError(f"{name}: the scene has no system and no interaction of this name"
                           + (f"; did you mean {near[0]!r}?" if near else ""))
        return found

    def __repr__(self) -> str:
        return f"Simulation({self.title!r}, t={self.t:g} of {self.until:g})"

    # Functions of the user.

    def before_step(self, function: Optional[Callable]) -> None:
        """function(simulation) at the start of each step: forces, states, laws may be changed there."""
        self._before = None if function is None else _Hook(self, function)
        self._connect_hooks()

    def after_step(self, function: Optional[Callable]) -> None:
        """function(simulation) after each step that was made."""
        self._after = None if function is None else _Hook(self, function)
        self._connect_hooks()

    def every(self, period: float, function: Callable) -> None:
        """Sampled control: function(simulation) at t0, t0 + period, ...; what it sets holds until then."""
        self._timed.append(_Hook(self, function, "every", real(period, "period")))
        self._connect_timed(self._timed[-1])

    def at(self, time: float, function: Callable) -> None:
        """function(simulation) once, at the start of the first step at or after a time."""
        self._timed.append(_Hook(self, function, "at", real(time, "time")))
        self._connect_timed(self._timed[-1])

    def on_contact(self, function: Optional[Callable]) -> None:
        """function(event, contact) after each step, event "begins", "persists" or "ends"."""
        if function is not None and not self._handle.collider:
            raise ArgumentError('on_contact: the scene has no section "contacts"')
        self._contact = None
        if function is not None:
            self._contact = Calls()
            self._contact.functions["contact"] = lambda event, info: function(
                _EVENTS[event], contact_of(self._handle, info))
            self._heed(self._contact)
        self._connect_hooks()

    def _connect_hooks(self) -> None:
        c, sim, collider = self._handle.c, self._handle.sim, self._handle.collider
        lib.perp_scene_set_before_step(c, *_function(self._before))
        if self._contact is None:
            lib.perp_sim_set_after_step(sim, *_function(self._after))
            if collider:
                lib.perp_collider_set_on_contact(collider, ffi.NULL, ffi.NULL)
            return
        lib.perp_collider_set_on_contact(collider, lib.perp_py_contact, self._contact.handle)
        both = Calls()
        both.functions["step"] = self._after_with_contacts
        self._both = both
        self._heed(both)
        lib.perp_sim_set_after_step(sim, lib.perp_py_step, both.handle)

    def _after_with_contacts(self, t: float, h: float) -> None:
        handle = self._handle
        lib.perp_collider_after_step(handle.collider, handle.sim, handle.model, t, h)
        if self._contact is not None:
            self._contact.check()
        if self._after is not None:
            self._after.function(self)

    def _connect_timed(self, hook: _Hook) -> None:
        function = lib.perp_sim_add_sampler if hook.arguments[0] == "every" else lib.perp_sim_schedule
        check(function(self._handle.sim, hook.arguments[1], lib.perp_py_step, hook.calls.handle),
              argument="period" if hook.arguments[0] == "every" else "time")

    def _heed(self, calls: Calls) -> None:
        """What these functions raise ends a run."""
        calls.ends = self._watch.c
        self._watched.append(calls)

    def _raise(self) -> bool:
        """Raises what a function of the user raised; True: Ctrl-C."""
        interrupted = False
        for calls in self._watched:
            interrupted |= calls.take_interrupt()
        return interrupted

    # Running.

    def _run(self, until: float, **choices: Any):
        """perp_scene_run(); (status, sentence)."""
        if not self._lock.acquire(False):
            raise StateError("the simulation is running, in another thread or around the function that calls this")
        try:
            options = ffi.new("perp_scene_run_options *")
            lib.perp_scene_run_options_init(options, ffi.sizeof("perp_scene_run_options"))
            options.until, keep = until, []
            for name, value in choices.items():
                if isinstance(value, (str, bytes, os.PathLike)):
                    keep.append(ffi.new("char[]", path_of(value)))
                    value = keep[-1]
                setattr(options, name, value)
            self._watch.begin()
            options.progress, options.progress_ctx = SCENE_PROGRESS, self._watch.c
            options.stop, options.stop_ctx = SCENE_STOP, self._watch.c
            info = ffi.new("perp_scene_run_info *", {"size": ffi.sizeof("perp_scene_run_info")})
            status = lib.perp_scene_run(self._handle.c, options, info)
            interrupted = self._raise()
            check(status, detail=info.detail)
            return OF_VALUE[status], text(info.detail), interrupted
        finally:
            self._lock.release()

    def step(self) -> Status:
        """Makes one step.  SOLVED, or why it was not made or not solved: `status` says it again."""
        status, self._sentence, interrupted = self._run(self._next())
        if interrupted:
            raise KeyboardInterrupt
        return status

    def _next(self) -> float:
        return lib.perp_scene_t0(self._handle.c) + (self.steps + 1) * self.h

    def __iter__(self) -> Iterator[State]:
        """Steps until the end, with a `State` after each."""
        while self.t < self.until - 0.5 * self.h:
            made = self.steps
            status = self.step()
            if self.steps == made:
                error = StepError(self._sentence or status.sentence)
                error.status = status
                raise error
            yield State(self)

    def run(self, until: Optional[float] = None, record: Optional[Sequence[Quantity]] = None,
            every: Optional[int] = None, *, folder=None, resume: bool = False, pictures: bool = False,
            problems: Optional[str] = None) -> Record:
        """Runs to a time (default: the end of the scene) and gives what was recorded.

        record : names as in the section "record" of a scene: "ball.q", "ball.v[0]", "floor.lambda",
            "energy", ...; or pairs (name, function of the simulation that returns a number).  None:
            what the scene says, or what was recorded before
        every : a row each so many steps
        folder : files of the run as ``perp run --out`` writes them; resume: goes on from the
            checkpoint there; pictures: drawn by gnuplot; problems: "residual>1e-8", say

        Ctrl-C ends the run after a step: the status of the record is INTERRUPTED.  A step without a
        solution ends it, too: status INFEASIBLE_STEP, see `infeasibility`.
        """
        end = self.until if until is None else real(until, "until")
        if not np.isfinite(end):
            raise ArgumentError(f"until: {end} is not finite")
        self._choose_record(record, every)
        recorder = lib.perp_scene_recorder(self._handle.c)
        lib.perp_recorder_clear(recorder)
        choices: Dict[str, Any] = {"keep_rows": 1, "resume": resume, "pictures": pictures}
        if folder is not None:
            choices["folder"] = folder
        if problems is not None:
            choices["problems"] = problems
        status, sentence, _ = self._run(end, **choices)
        rows, columns = lib.perp_recorder_rows(recorder), lib.perp_recorder_columns(recorder)
        data = copied(lib.perp_recorder_data(recorder), rows * columns).reshape(rows, columns)
        names = [text(lib.perp_recorder_name(recorder, k)) for k in range(columns)]
        self.record = Record(names, data, status, sentence)
        return self.record

    def _choose_record(self, record: Optional[Sequence[Quantity]], every: Optional[int]) -> None:
        """Makes the scene again, at the same state, where it is to record something else."""
        if record is None and every is None:
            return
        if isinstance(record, (str, bytes)):
            raise ArgumentTypeError("record: a list of names is expected")
        wish: Dict[str, Any] = dict(self._recorded or {})
        values = []
        if record is not None:
            names = [r for r in record if isinstance(r, str)]
            values = [r for r in record if not isinstance(r, str)]
            for k, pair in enumerate(values):
                if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and callable(pair[1])):
                    raise ArgumentTypeError(f"record: {pair!r} is neither a name nor a pair (name, function)")
            wish["quantities"] = names or ["active"]  # an empty list is refused
        elif "quantities" not in wish and "quantities" in self.scene.data.get("record", {}):
            wish["quantities"] = self.scene.data["record"]["quantities"]
        if every is not None:
            wish["stride"] = count(every, "every")
        if wish == self._recorded and not values and not self._values:
            return
        self._make_again(wish)
        self._recorded, self._values = wish, []
        for name, function in values:
            self._add_value(name, function)

    def _add_value(self, name: str, function: Callable) -> None:
        calls = Calls()

        def value(_):
            try:
                return _one_number(function(self), name)
            except BaseException as raised:  # pylint: disable=broad-except
                calls.keep(raised)
                return float("nan")

        calls.functions["record"] = value
        self._values.append(calls)
        self._heed(calls)
        recorder = lib.perp_scene_recorder(self._handle.c)
        check(lib.perp_recorder_add_value(recorder, lib.perp_py_record, calls.handle), argument="record")
        check(lib.perp_recorder_set_name(recorder, lib.perp_recorder_columns(recorder) - 1, name.encode()))

    def _make_again(self, record: dict) -> None:
        if self._tape is not None:
            raise StateError("record: to be chosen before tape(), by run(sim.t, record=...)")
        old, new = self._handle, self.scene._create(record, self._options)
        timed = self._timed
        self._handle = new
        for hook in timed:
            self._connect_timed(hook)
        try:
            if old.collider:
                _move(lib.perp_collider_save, lib.perp_collider_load, old.collider, new.collider)
            _move(lib.perp_sim_save, lib.perp_sim_load, old.sim, new.sim)
        except PerpError:
            self._handle = old
            raise
        self._adopt(new)
        self._connect_hooks()

    # Derivatives.

    def tape(self, parameters: Sequence[Tuple] = (), *, differences: bool = False, kink: float = 1e-9,
             factors: int = 1 << 28) -> Tape:
        """Records the steps from now on for `jvp` and `vjp`, in place of what was recorded so.  Of steps of
        discrete-gradient, the default scheme, and of moreau-jean: see the chapter on derivatives for what is
        recorded.

        parameters : what the motion may be differentiated by: ("mu", interaction), and so mu_r, mu_s, e, e_t,
            lo, hi, rate, target, stiffness, damping; without a name for all interactions that have it; ("mass",
            body), ("inertia", body), ("mass", system, row, column), ("K", ...), ("C", ...); ("force", system,
            row); ("z", system, number), with differences
        differences : take what is not known in closed form by central differences
        kink : see `Derivative`
        factors : bytes of factors that the second product keeps for those after it, which cost a tenth then
        """
        self.end_tape()
        self._tape = Tape(self, parameters, differences=differences, kink=kink, factors=factors)
        return self._tape

    def end_tape(self) -> None:
        """Steps are not recorded for derivatives any more, and what was is forgotten."""
        if self._tape is not None:
            self._tape._end()
            self._tape = None

    def _recorded_tape(self) -> Tape:
        if self._tape is None:
            raise StateError("no tape: tape() records the steps from there on")
        return self._tape

    def jvp(self, *arguments, **choices) -> MotionChange:
        """`Tape.jvp` of the steps since `tape`."""
        return self._recorded_tape().jvp(*arguments, **choices)

    def vjp(self, *arguments, **choices) -> MotionGradient:
        """`Tape.vjp` of the steps since `tape`."""
        return self._recorded_tape().vjp(*arguments, **choices)

    def save(self) -> bytes:
        """The state, for `load` of a simulation of the same scene."""
        return _saved(lib.perp_scene_save, self._handle.c)

    def load(self, saved: bytes) -> None:
        """Goes back to a state of `save`; the run goes on from there with the same bits."""
        error = ffi.new("perp_scene_error *", {"size": ffi.sizeof("perp_scene_error")})
        memory = ffi.from_buffer(saved)
        check(lib.perp_scene_load(self._handle.c, memory, len(saved), error), detail=error.text, argument="saved")

    def plot(self, names: Optional[Sequence[str]] = None):
        """A panel for each quantity of the last `run`, by matplotlib."""
        if self.record is None:
            raise StateError("plot: nothing was recorded yet; run(...) does")
        return self.record.plot(names)


def _one_number(value, name: str) -> float:
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "fiub":
        said = f"shape {array.shape}" if array.dtype.kind in "fiub" else repr(value)
        raise ArgumentTypeError(f"record: the function of {name!r} returned {said}; one number is expected")
    return float(array.reshape(()))


def _function(hook: Optional[_Hook]) -> tuple:
    return (ffi.NULL, ffi.NULL) if hook is None else (lib.perp_py_step, hook.calls.handle)


def _saved(save, c) -> bytes:
    size = ffi.new("size_t *")
    save(c, ffi.NULL, size)
    state = ffi.new("char[]", max(size[0], 1))
    check(save(c, state, size))
    return ffi.buffer(state, size[0])[:]


def _move(save, load, old, new) -> None:
    saved = _saved(save, old)
    check(load(new, ffi.from_buffer(saved), len(saved)))
