# SPDX-License-Identifier: BSD-3-Clause
"""Builds the extension perp._perp, and puts Perp's libraries beside it where they are not the system's."""
import os
import shutil
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import libraries  # noqa: E402


class BuildWithLibraries(build_py):
    """The Python files, and copies of the libraries and of the command in perp/libraries."""

    def run(self):
        super().run()
        found = libraries.find()
        if found.bundle and not self.editable_mode:
            target = os.path.join(self.build_lib, "perp", "libraries")
            os.makedirs(target, exist_ok=True)
            for path in found.files():
                shutil.copy(path, os.path.join(target, libraries.name_to_load(path)))


class SourceArchive(sdist):
    """An archive that `python3 -m build` makes remembers the build tree that it came from."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        tree = libraries.build_tree()
        if tree:
            with open(os.path.join(base_dir, libraries.MEMORY), "w", encoding="utf-8") as memory:
                memory.write(tree + "\n")


setup(
    cffi_modules=["build_interface.py:ffi"],
    cmdclass={"build_py": BuildWithLibraries, "sdist": SourceArchive},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
