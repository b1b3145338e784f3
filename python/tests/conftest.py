# SPDX-License-Identifier: BSD-3-Clause
"""What tests share."""
import os
import pathlib
import signal

import pytest


@pytest.fixture(autouse=True)
def ctrl_c():
    """A shell starts what it runs in the background with Ctrl-C ignored: tests of it would wait for ever."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before or signal.SIG_DFL)


@pytest.fixture
def resident():
    """A function: bytes of memory that the process has."""
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the address sanitizer keeps what is freed")
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("the system does not say")

    def measure():
        with open("/proc/self/statm", encoding="ascii") as numbers:
            return int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    return measure


@pytest.fixture
def scenes():
    """The folder of the scenes that ship."""
    here = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "scenes"
    folder = pathlib.Path(os.environ.get("PERP_SCENES", here))
    if not folder.is_dir():
        pytest.skip("the scenes of the repository are not here")
    return folder


@pytest.fixture
def falling():
    """A ball of 1 kg above the floor."""
    return {"time": {"until": 1, "step": 0.01}, "gravity": [0, 0, -10],
            "bodies": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}},
                       {"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "mass": 1,
                        "position": [0, 0, 0.3]}],
            "contacts": {"e": 0, "mu": 0.5}}
