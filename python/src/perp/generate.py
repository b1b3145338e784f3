# SPDX-License-Identifier: BSD-3-Clause
"""Problems of any size: one time step of a scene in contact, circuits, random families.

Same arguments, same numbers.  They are those of ``perp generate``.
"""
from __future__ import annotations

import os
import tempfile
from typing import Any

from . import _command
from ._arrays import count
from ._problem import Problem, load
from ._settings import as_text
from ._status import ArgumentError

#: Random linear complementarity problems, for `family`.
FAMILIES = ("pd", "psd", "low", "twins", "monotone", "p", "copositive", "degenerate", "bimatrix", "general",
            "infeasible")


def _made(kind: str, size: int, ending: str, read_as: str = "auto", **options: Any) -> Problem:
    if count(size, "size") == 0:
        raise ArgumentError("size: 0, and at least 1 is expected")
    words = [kind, "--size", str(count(size, "size"))]
    for name, value in options.items():
        if value is True:
            words.append("--" + name.replace("_", "-"))
        elif value is not None and value is not False:
            words += ["--" + name.replace("_", "-"), as_text(value, name)]
    with tempfile.TemporaryDirectory(prefix="perp-") as folder:
        path = os.path.join(folder, "problem" + ending)
        _command.run(["generate", "--quiet", *words, path])
        return load(path, read_as)


def _contacts(kind: str, size: int, **options: Any) -> Problem:
    if options.pop("local"):
        options["form"] = "local"
    rolling = options.get("mu_r") is not None
    return _made(kind, size, ".hdf5", "rolling" if rolling and size == 1 else "auto", **options)


def spheres(size: int = 400, *, mu=None, mu_r=None, mu_s=None, restitution=None, seed: int = 1,
            local: bool = False) -> Problem:
    """A random packing of spheres with about `size` contacts, a `Delassus` matrix; local: formed (BSR).

    mu_r, mu_s: rolling or torsional friction, lengths; both give contacts of six rows.
    """
    return _contacts("spheres", size, mu=mu, mu_r=mu_r, mu_s=mu_s, restitution=restitution, seed=seed, local=local)


def boxes(size: int = 400, *, mu=None, ratio=None, restitution=None, seed: int = 1, local: bool = False) -> Problem:
    """Stacks of boxes; ratio: mass of the top course over that of the bottom one."""
    return _contacts("boxes", size, mu=mu, ratio=ratio, restitution=restitution, seed=seed, local=local)


def arch(size: int = 400, *, mu=None, seed: int = 1, local: bool = False) -> Problem:
    """An arch of blocks."""
    return _contacts("arch", size, mu=mu, seed=seed, local=local)


def grains(size: int = 400, *, mu=None, restitution=None, seed: int = 1, local: bool = False) -> Problem:
    """Discs in the plane: contacts with two rows."""
    return _contacts("grains", size, mu=mu, restitution=restitution, seed=seed, local=local)


def chains(size: int = 400, *, mu=None, seed: int = 1, local: bool = False) -> Problem:
    """Chains with joints: contacts, then equations."""
    return _contacts("chains", size, mu=mu, seed=seed, local=local)


def ladder(rows: int = 400, *, relays: bool = False, seed: int = 1) -> Problem:
    """A ladder of diode bridges: a mixed problem, or one with bounds where it has relays."""
    return _made("ladder", rows, ".dat", "relay" if relays else "mlcp", relays=relays, seed=seed)


def family(name: str, rows: int = 100, *, seed: int = 1) -> Problem:
    """A random linear complementarity problem of one of `FAMILIES`."""
    if name not in FAMILIES:
        raise ArgumentError(f"name: one of {', '.join(FAMILIES)} is expected, not {name!r}")
    return _made(name, rows, ".dat", "lcp", seed=seed)
