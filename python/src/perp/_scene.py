# SPDX-License-Identifier: BSD-3-Clause
"""Scenes: what is simulated, as a file or built in Python."""
from __future__ import annotations

import copy
import json
import math
import os
import re
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple

from ._arrays import real
from ._callbacks import Calls
from ._perp import ffi, lib
from ._settings import as_text
from ._status import ArgumentError, ArgumentTypeError, FileError, NonfiniteError, check, path_of, text
from ._status import error as failed

if TYPE_CHECKING:
    from ._simulation import Simulation


def _plain(value: Any) -> Any:
    """For json: arrays and numbers of numpy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise ArgumentTypeError(f"scene: {type(value).__name__} cannot stand in a scene")


def _as_json(data: Dict[str, Any]) -> bytes:
    try:
        return json.dumps(data, default=_plain, allow_nan=False).encode()
    except ValueError:
        at = _not_finite(data, "")
        if not at:
            raise
        raise NonfiniteError(f"scene: {at}: it is a NaN or an infinity") from None


def _not_finite(value: Any, at: str) -> str:
    """Where a number is that JSON has no word for, or ""."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return "" if math.isfinite(value) else at
    parts: Iterable[Tuple[Any, str]] = ()
    if isinstance(value, dict):
        parts = ((v, f"{at}.{k}" if at else str(k)) for k, v in value.items())
    elif isinstance(value, (list, tuple)):
        parts = ((v, f"{at}[{k}]") for k, v in enumerate(value))
    return next(filter(None, (_not_finite(v, name) for v, name in parts)), "")


class Scene:
    """What is simulated: systems, bodies, forces, interactions, contacts, what to record.

    source : path of a scene (JSON) or of a robot (URDF, MJCF); a dict with the same keys as the file;
        None: an empty scene, filled by `body`, `system`, `interaction`, `force`
    robot : options of a robot: base ("model", "fixed", "free"), hold, floor (True or a height),
        no_self_contact, mu, ignore, keyframe, pose, control, search, semantic
    keys : further keys of the scene: until, step, gravity, title, contacts, solver, record, ...

    The format is that of ``docs/reference/scene.md``; lengths, masses and times have the units of
    the caller, angles are radians.

    >>> import perp
    >>> scene = perp.Scene(until=1, step=0.01, gravity=[0, 0, -9.81], contacts={"e": 0.5, "mu": 0.3})
    >>> _ = scene.body("floor", shape={"type": "plane", "normal": [0, 0, 1]})
    >>> _ = scene.body("ball", shape={"type": "sphere", "radius": 0.1}, density=1000, position=[0, 0, 1])
    >>> sim = scene.simulation()
    >>> sim.run(0.2, record=["ball.q[2]"])["ball.q[2]"][-1].round(3)
    0.804
    """

    def __init__(self, source=None, *, robot: Optional[Dict[str, Any]] = None, **keys: Any) -> None:
        self.path: Optional[str] = None
        self.remarks: List[str] = []
        self._text: Optional[bytes] = None
        self._data: Optional[dict] = None
        if source is None:
            self._data = {"version": 1}
        elif isinstance(source, dict):
            self._data = copy.deepcopy(source)
            self._data.setdefault("version", 1)
        elif isinstance(source, (str, os.PathLike)):
            self.path = os.fspath(source)
            if lib.perp_robot_is_model(path_of(self.path)):
                self._text = _read_robot(self.path, robot or {}, self.remarks)
                self._data = json.loads(self._text)
            elif robot is not None:
                raise ArgumentError(f"robot: {self.path} is no URDF and no MJCF file")
            elif not os.path.exists(self.path):
                raise FileError(f"{self.path}: No such file or directory")
        else:
            raise ArgumentTypeError(f"source: a path or a dict is expected, not {type(source).__name__}")
        if keys:
            self._set(keys)

    def _set(self, keys: Dict[str, Any]) -> None:
        time = {name: keys.pop(name) for name in ("t0", "until", "step") if name in keys}
        data = self.data
        if time:
            data["time"] = {**data.get("time", {}), **time}
        data.update(keys)

    @property
    def data(self) -> dict:
        """The scene as a dict, to be changed before a simulation is made of it."""
        if self._data is None:
            assert self.path is not None
            self._create().close()  # C says what is wrong with a file better than json does
            with open(self.path, encoding="utf-8") as file:
                self._data = json.load(file)
            _absolute(self._data.get("bodies", []), os.path.dirname(os.path.abspath(self.path)))
        self._text = None
        return self._data

    def _add(self, section: str, keys: Dict[str, Any]) -> "Scene":
        self.data.setdefault(section, []).append(keys)
        return self

    def body(self, name: str, **keys: Any) -> "Scene":
        """Adds a rigid body: shape, mass or density, position, velocity, ..."""
        return self._add("bodies", {"name": name, **keys})

    def system(self, name: str, type: str, **keys: Any) -> "Scene":  # pylint: disable=redefined-builtin
        """Adds a system: first-order, lagrangian, pendulum, planar, ..."""
        return self._add("systems", {"name": name, "type": type, **keys})

    def interaction(self, name: str, systems: Sequence[str], relation: dict, law: Optional[dict] = None) -> "Scene":
        """Adds a relation with its law between systems."""
        keys = {"name": name, "systems": list(systems), "relation": relation}
        return self._add("interactions", {**keys, "law": law} if law else keys)

    def force(self, type: str, **keys: Any) -> "Scene":  # pylint: disable=redefined-builtin
        """Adds a load or a spring."""
        return self._add("forces", {"type": type, **keys})

    def save(self, path) -> None:
        """Writes the scene as JSON, for ``perp run``."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.data, file, default=_plain, indent=2)
            file.write("\n")

    def simulation(self, **options: Any) -> Simulation:
        """A `Simulation` of the scene as it is now."""
        from ._simulation import Simulation

        return Simulation(self, **options)

    def _create(self, record: Optional[dict] = None, options: Optional[Dict[str, Any]] = None) -> "Handle":
        chosen = _Options(options or {}, self.path)
        if self._data is None and record is None and self.path is not None:
            return Handle(lib.perp_scene_create_from_file, path_of(self.path), chosen)
        data = dict(self.data)
        if record is not None:
            data["record"] = {**{k: v for k, v in data.get("record", {}).items() if k == "certify"}, **record}
        return Handle(lib.perp_scene_create_from_text, _as_json(data), chosen)

    def __repr__(self) -> str:
        return f"Scene({self.path!r})" if self.path else "Scene({...})"


def _absolute(bodies, folder: str) -> None:
    """Files of meshes are named beside the file of the scene."""
    for body in bodies:
        for shape in [body.get("shape"), *body.get("shapes", [])]:
            if isinstance(shape, dict) and isinstance(shape.get("file"), str):
                shape["file"] = os.path.join(folder, shape["file"])


class Handle:
    """A perp_scene."""

    def __init__(self, create, text_or_path: bytes, options: "_Options") -> None:
        made = ffi.new("perp_scene **")
        error = ffi.new("perp_scene_error *", {"size": ffi.sizeof("perp_scene_error")})
        status = create(made, text_or_path, options.c, ffi.NULL, error)
        if status < 0 and create is lib.perp_scene_create_from_text:  # made here, on one line
            raise failed(status, re.sub(r" \(line 1\)$", "", text(error.text)), "scene")
        check(status, detail=error.text)
        self.c = ffi.gc(made[0], lib.perp_scene_destroy)
        self.sim = lib.perp_scene_sim(self.c)
        self.model = lib.perp_scene_model(self.c)
        self.collider = lib.perp_scene_collider(self.c)

    def close(self) -> None:
        ffi.release(self.c)


class _Options:
    """A perp_scene_options with what it borrows."""

    def __init__(self, options: Dict[str, Any], name: Optional[str]) -> None:
        self.c = ffi.new("perp_scene_options *")
        self.keep: list = []
        lib.perp_scene_options_init(self.c, ffi.sizeof("perp_scene_options"))
        options = {key: value for key, value in options.items() if value is not None}
        for key in ("until", "step", "tol"):
            if key in options:
                setattr(self.c, key, real(options.pop(key), key))
        for key in ("solver", "scheme"):
            if key in options:
                setattr(self.c, key, self.word(options.pop(key)))
        if name:
            self.c.name = self.word(name)
        settings = [self.word(f"{k}={as_text(v, k)}") for k, v in options.pop("settings", {}).items()]
        if options:
            raise ArgumentError(f"{next(iter(options))}: there is no option of this name")
        if settings:
            array = ffi.new("const char *[]", settings)
            self.keep.append(array)
            self.c.settings, self.c.nsettings = array, len(settings)

    def word(self, value: str):
        made = ffi.new("char[]", path_of(value))
        self.keep.append(made)
        return made


_BASES = {"model": lib.PERP_ROBOT_BASE_BY_MODEL, "fixed": lib.PERP_ROBOT_BASE_FIXED,
          "free": lib.PERP_ROBOT_BASE_FREE}


def _read_robot(path: str, options: Dict[str, Any], remarks: List[str]) -> bytes:
    """The scene that a model of a robot stands for."""
    c = ffi.new("perp_robot_options *")
    lib.perp_robot_options_init(c, ffi.sizeof("perp_robot_options"))
    keep, options, calls = [], dict(options), Calls()

    def word(value: Any):
        keep.append(ffi.new("char[]", path_of(value)))
        return keep[-1]

    def words(field: str, values: Sequence[Any]):
        keep.append(ffi.new("const char *[]", [word(v) for v in values]))
        setattr(c, field, keep[-1])
        return len(values)

    if "base" in options:
        base = options.pop("base")
        if base not in _BASES:
            raise ArgumentError(f"base: one of {', '.join(_BASES)} is expected, not {base!r}")
        c.base = _BASES[base]
    floor = options.pop("floor", False)
    if floor is not False:
        c.floor = 1
        if floor is not True:
            c.floor_height = real(floor, "floor")
    for field in ("hold", "no_self_contact"):
        setattr(c, field, bool(options.pop(field, False)))
    for field in ("until", "step", "mu"):
        if field in options:
            setattr(c, field, real(options.pop(field), field))
    for field in ("ignore", "keyframe", "semantic"):
        if field in options:
            setattr(c, field, word(str(options.pop(field))))
    c.nsearch = words("search", options.pop("search", ()))
    for field, number in (("pose", "nposes"), ("control", "ncontrols")):
        values = options.pop(field, {})
        setattr(c, number, words(field, [f"{k}={real(v, k)!r}" for k, v in values.items()]))
    if options:
        raise ArgumentError(f"robot: there is no option {next(iter(options))!r}")
    calls.functions["remark"] = lambda _, remark: remarks.append(text(remark.text))
    c.tell, c.tell_ctx = lib.perp_py_remark, calls.handle
    made = ffi.new("char **")
    error = ffi.new("perp_scene_error *", {"size": ffi.sizeof("perp_scene_error")})
    check(lib.perp_robot_read(made, path_of(path), c, ffi.NULL, error), detail=error.text)
    try:
        return ffi.string(made[0])
    finally:
        lib.perp_robot_release(made[0], ffi.NULL)
