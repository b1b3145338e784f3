# SPDX-License-Identifier: BSD-3-Clause
"""The program ``perp``: beside the libraries of this package, or on the path."""
from __future__ import annotations

import os
import shutil
import subprocess
from typing import Sequence

from ._status import FileError, PerpError, UnsupportedError


def path() -> str:
    """Where the program is."""
    beside = os.path.join(os.path.dirname(__file__), "libraries", "perp")
    found = beside if os.path.exists(beside) else shutil.which("perp")
    if not found:
        raise UnsupportedError("the program perp was found neither in the package nor on the path")
    return found


def run(arguments: Sequence[str]) -> str:
    """What the program prints; its complaint is an exception."""
    program = path()
    environment = dict(os.environ)
    if os.path.basename(os.path.dirname(program)) == "libraries":
        earlier = environment.get("LD_LIBRARY_PATH")
        folder = os.path.dirname(program)
        environment["LD_LIBRARY_PATH"] = folder + (os.pathsep + earlier if earlier else "")
    try:
        done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment, check=False)
    except OSError as failure:
        raise FileError(f"{program}: {failure.strerror}") from None
    if done.returncode == 2:
        raise PerpError(done.stderr.strip())
    return done.stdout
