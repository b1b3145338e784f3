# SPDX-License-Identifier: BSD-3-Clause
"""What a run recorded."""
from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Iterator, List

import numpy as np

from ._status import Status, UnsupportedError


class Record(Mapping):
    """Rows of recorded quantities, as arrays by name.

    >>> import numpy as np
    >>> r = Record(["t", "ball.q[0]", "ball.q[1]"], np.arange(6.0).reshape(2, 3), Status.SOLVED, "")
    >>> r.t, r["ball.q[1]"], r["ball.q"].shape
    (array([0., 3.]), array([2., 5.]), (2, 2))

    t (rows,); ``record["energy"]`` (rows,); ``record["ball.q"]`` (rows, 7); data (rows, columns) and
    names of all columns; status and detail: how the run ended.
    """

    def __init__(self, names: List[str], data: np.ndarray, status: Status, detail: str) -> None:
        self.names, self.data, self.status, self.detail = names, data, status, detail
        self._columns: dict = {}
        for k, name in enumerate(names):
            self._columns.setdefault(name, k)
            whole = re.sub(r"\[\d+\]$", "", name)
            if whole != name:
                self._columns.setdefault(whole, []).append(k)

    @property
    def t(self) -> np.ndarray:
        return self.data[:, 0]

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            raise KeyError(f"{name}: not recorded; there are {', '.join(self._columns)}")
        return self.data[:, self._columns[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Record({self.status.name}, {self.data.shape[0]} rows of {', '.join(self.names[:6])}" + (
            ", ...)" if len(self.names) > 6 else ")")

    def plot(self, names=None):
        """A panel for each quantity, by matplotlib; returns its figure."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise UnsupportedError("plot: matplotlib is not installed") from None
        chosen = list(names) if names is not None else [n for n in self._quantities() if n != "t"][:8]
        figure, axes = pyplot.subplots(max(len(chosen), 1), 1, sharex=True, squeeze=False, layout="constrained")
        for axis, name in zip(axes[:, 0], chosen):
            axis.plot(self.t, self[name])
            axis.set_ylabel(name)
        axes[-1, 0].set_xlabel("t")
        return figure

    def _quantities(self) -> List[str]:
        """Whole vectors where all of their entries were recorded, in order."""
        found = dict.fromkeys(re.sub(r"\[\d+\]$", "", n) for n in self.names)
        return list(found)
