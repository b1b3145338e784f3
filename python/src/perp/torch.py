# SPDX-License-Identifier: BSD-3-Clause
"""Solutions as functions that torch differentiates.  Needs torch; nothing else of the package does.

    import torch, perp.torch
    mu = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    z, w = perp.torch.solve(M, q, [perp.Coulomb(0.3)], {(0, "mu"): mu}, tol=1e-12)
    z[1].backward()
    mu.grad
"""
from __future__ import annotations

import copy
import functools
import warnings
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

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


def _array(tensor) -> np.ndarray:
    return np.array(tensor.detach().numpy(), dtype=np.float64, order="C")
