#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The gallery of the package for Python: runs its examples, and writes a page with their text and pictures.

    python_examples.py EXAMPLES_FOLDER OUT_FOLDER      makes OUT_FOLDER/python-examples.rst and OUT_FOLDER/NAME.png

An example that ends with picture(axis) is drawn.  Without matplotlib, or without the package, the page has the texts
alone and says so.
"""
import contextlib
import io
import pathlib
import runpy
import sys

FIRST = ["first_solve", "lcp_by_all_solvers", "circuit", "bouncing_ball_orders", "leaning_cards", "robot",
         "derivative", "benchmark", "batch", "ncp"]


def tools():
    """What draws, or None; and one sentence where something is missing."""
    try:
        import perp  # noqa: F401
    except ImportError as missing:
        return None, f"No pictures: the package perp was not found when this page was made ({missing})."
    try:
        import matplotlib
    except ImportError:
        return None, "No pictures: matplotlib was not there when this page was made."
    matplotlib.use("Agg")
    from matplotlib import pyplot
    return pyplot, ""


def draw(pyplot, path, out):
    """What the example prints; its picture goes to `out`, where it has one."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        names = runpy.run_path(str(path), run_name="__main__")
    if "picture" in names:
        figure, axis = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
        names["picture"](axis)
        figure.savefig(out, dpi=100, metadata={"Software": None})
        pyplot.close(figure)
    return said.getvalue()


def section(path, said, picture):
    title = path.stem.replace("_", " ").capitalize()
    lines = [title, "-" * len(title), ""]
    if picture:
        lines += [f".. image:: {path.stem}.png", f"   :alt: {title}", ""]
    text = path.read_text(encoding="utf-8").split("\n", 1)[1]  # without the line of the licence
    lines += [".. code-block:: python", "", *("   " + line for line in text.rstrip().split("\n")), ""]
    if said:
        shown = said.rstrip().split("\n")
        shown = shown if len(shown) <= 12 else shown[:11] + ["..."]
        lines += ["It prints", "", ".. code-block:: text", "", *("   " + line for line in shown), ""]
    return lines


def main():
    examples, out = map(pathlib.Path, sys.argv[1:3])
    pyplot, missing = tools()
    paths = {path.stem: path for path in sorted(examples.glob("*.py"))}
    order = [name for name in FIRST if name in paths] + [name for name in paths if name not in FIRST]
    lines = [".. SPDX-License-Identifier: BSD-3-Clause", "", "Python: a gallery", "=================", "",
             "Short programs in Python, each as it stands in ``python/examples``.", ""]
    lines += [missing, ""] if missing else []
    for name in order:
        picture = out / (name + ".png")
        said = draw(pyplot, paths[name], picture) if pyplot else ""
        lines += section(paths[name], said, picture.exists())
    (out / "python-examples.rst").write_text("\n".join(lines), encoding="utf-8")


main()
