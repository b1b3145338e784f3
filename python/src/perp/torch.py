# SPDX-License-Identifier: BSD-3-Clause
"""Solutions and motions as functions that torch differentiates.  Needs torch; nothing else of the package does.

    import torch, perp.torch
    mu = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    z, w = perp.torch.solve(M, q, [perp.Coulomb(0.3)], {(0, "mu"): mu}, tol=1e-12)
    z[1].backward()
    mu.grad

    q, v = perp.torch.motion(build, mu.reshape(1), [("mu",)])    # build(array): a Simulation with these parameters
"""
from __future__ import annotations

import copy
import functools
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._derivative import Derivative
from ._problem import Problem
from ._sets import Set
from ._solver import solve as _solve
from ._status import ArgumentError, NumericalError, Status

if TYPE_CHECKING:
    import torch


class NotSmoothWarning(UserWarning):
    """The gradient belongs to one side of a kink, or to forces that are not unique."""


def solve(M, q, sets, parameters: "Optional[Dict[Tuple[int, str], torch.Tensor]]" = None,
          **settings: Any) -> "Tuple[torch.Tensor, torch.Tensor]":
    """z and w (n,) of a problem, differentiable by q, by M where it is a tensor, and by parameters.

    M : (n, n) tensor; or what `Problem` takes, and is constant then
    q : (n,) tensor
    sets : as for `Problem`
    parameters : {(k, name): tensor}, in the place of parameter `name` of set k
    settings : of `solve`; tol is 1e-12 here, since gradients are taken at the solution

    Tensors are float64 on the CPU.  Raises `NumericalError` where the problem is not solved to 1e-6, and
    warns where a gradient is one-sided or of least norm.
    """
    import torch

    names = list(parameters or {})
    settings.setdefault("tol", 1e-12)
    constant = None if isinstance(M, torch.Tensor) else M
    tensor = M if constant is None else torch.zeros(0, dtype=torch.float64)
    listed = [sets] if isinstance(sets, Set) else list(sets)
    return _function().apply(constant, listed, names, settings, tensor, q, *(parameters or {}).values())


@functools.lru_cache(maxsize=None)
def _function():
    """The function of torch, made where it is first needed."""
    import torch

    class _Solution(torch.autograd.Function):
        @staticmethod
        def forward(ctx, constant, sets, names, settings, M, q, *values):
            changed = list(sets)
            for (k, name), value in zip(names, values):
                if not 0 <= k < len(changed) or name not in changed[k].parameters:
                    raise ArgumentError(f"parameters: set {k} has no {name}")
                changed[k] = copy.copy(changed[k])
                changed[k].parameters = dict(changed[k].parameters)
                changed[k].parameters[name] = _array(value).reshape(tuple(value.shape))
            problem = Problem(_array(M) if constant is None else constant, _array(q), changed)
            result = _solve(problem, **settings)
            if not result.error <= 1e-6:
                raise NumericalError(f"the problem was not solved: {result.status.name}, error {result.error:.2e}")
            ctx.problem, ctx.z, ctx.names, ctx.constant = problem, result.z, names, constant
            return torch.from_numpy(result.z.copy()), torch.from_numpy(result.w.copy())

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, z_bar, w_bar):
            gradient = Derivative(ctx.problem, ctx.z).vjp(_array(z_bar), _array(w_bar))
            if gradient.status != Status.SOLVED:
                warnings.warn(f"the gradient is {gradient.status.name}", NotSmoothWarning, stacklevel=2)
            by_M = torch.from_numpy(gradient.M) if ctx.constant is None and ctx.needs_input_grad[4] else None
            parts = [torch.from_numpy(np.asarray(gradient.sets[k][name], dtype=np.float64)) for k, name in ctx.names]
            return (None, None, None, None, by_M, torch.from_numpy(gradient.q), *parts)

    return _Solution


def motion(build: "Callable[[np.ndarray], Any]", parameters: "Optional[torch.Tensor]" = None,
           names: Sequence[Tuple] = (), velocity: "Optional[torch.Tensor]" = None, *, until: Optional[float] = None,
           differences: bool = False) -> "Tuple[torch.Tensor, torch.Tensor]":
    """Coordinates and velocities of all systems at the end of a run, differentiable by parameters and by the
    first velocities; those of the systems one behind the other, of a body 7 and 6 numbers.

    build : makes the simulation for an array of parameters (k,), whatever it does with them
    parameters : (k,) tensor, or None for no parameter
    names : what `Simulation.tape` calls them, k tuples: the derivative is the one by these
    velocity : tensor of all first velocities in the place of those of `build`; None leaves them
    until : time of the end; None for that of the scene
    differences : see `Simulation.tape`

    Tensors are float64 on the CPU.  Raises the error of the tape where a step is not recorded, and warns where
    a gradient is one-sided.
    """
    import torch

    given = torch.zeros(0, dtype=torch.float64) if parameters is None else parameters
    if given.ndim != 1 or given.shape[0] != len(names):
        raise ArgumentError(f"parameters: shape ({len(names)},) is expected, as many as names; it is "
                            f"{tuple(given.shape)}")
    return _motion().apply(build, list(names), until, differences, given, velocity)


def _systems(sim) -> List[Any]:
    return [s for s in sim.systems.values() if s.kind != "fixed"]


def _set_velocities(sim, velocity: np.ndarray) -> None:
    at = 0
    for system in _systems(sim):
        n = len(system.v)
        system.v = velocity[at:at + n]
        at += n
    if at != len(velocity):
        raise ArgumentError(f"velocity: {at} numbers are expected, it has {len(velocity)}")


def _tangent(q: np.ndarray, bar: np.ndarray) -> np.ndarray:
    """A cotangent of 7 coordinates as one of a shift and a small turn: dQ = Q (0, phi) / 2."""
    w, x, y, z = q[3:]
    a, b, c, d = bar[3:]
    turn = [-x * a + w * b + z * c - y * d, -y * a - z * b + w * c + x * d, -z * a + y * b - x * c + w * d]
    return np.concatenate([bar[:3], 0.5 * np.array(turn)])


@functools.lru_cache(maxsize=None)
def _motion():
    import torch

    class _Motion(torch.autograd.Function):
        @staticmethod
        def forward(ctx, build, names, until, differences, parameters, velocity):
            sim = build(_array(parameters))
            if velocity is not None:
                _set_velocities(sim, _array(velocity))
            ctx.tape = sim.tape(names, differences=differences)
            sim.run(until)
            systems = _systems(sim)
            ctx.sim, ctx.places = sim, [ctx.tape.place(s.name) for s in systems]
            ctx.coordinates = [np.array(s.q) for s in systems]
            ctx.has_velocity = velocity is not None
            q, v = np.concatenate(ctx.coordinates), np.concatenate([s.v for s in systems])
            return torch.from_numpy(q), torch.from_numpy(v)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, q_bar, v_bar):
            dofs, at = ctx.tape.dofs, 0
            q, v, given = np.zeros(dofs), np.zeros(dofs), _array(q_bar)
            for place, x in zip(ctx.places, ctx.coordinates):
                part = given[at:at + len(x)]
                q[place] = _tangent(x, part) if len(x) == 7 and place.stop - place.start == 6 else part
                at += len(x)
            at, given = 0, _array(v_bar)
            for place in ctx.places:
                n = place.stop - place.start
                v[place] = given[at:at + n]
                at += n
            gradient = ctx.tape.vjp(q, v)
            if gradient.status != Status.SOLVED:
                warnings.warn(f"the gradient is {gradient.status.name}", NotSmoothWarning, stacklevel=2)
            by_v = None
            if ctx.has_velocity:
                by_v = torch.from_numpy(np.concatenate([gradient.v[place] for place in ctx.places]))
            return None, None, None, None, torch.from_numpy(np.array(gradient.parameters)), by_v

    return _Motion


def _array(tensor) -> np.ndarray:
    return np.array(tensor.detach().numpy(), dtype=np.float64, order="C")
