# SPDX-License-Identifier: BSD-3-Clause
"""The examples run as they stand, and their assertions hold."""
import pathlib
import runpy

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda p: p.stem)
def test_example(path):
    names = runpy.run_path(str(path), run_name="__main__")
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    if "picture" not in names:
        return
    figure, axis = pyplot.subplots()
    names["picture"](axis)
    assert axis.has_data() and (axis.get_xlabel() or axis.get_ylabel())
    pyplot.close(figure)
