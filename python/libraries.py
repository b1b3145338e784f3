# SPDX-License-Identifier: BSD-3-Clause
"""Where Perp's headers and libraries are.

In this order:
  PERP_BUILD       a build tree (`./quickstart` makes one in build/)
  pkg-config       an installed Perp of the same version (PKG_CONFIG_PATH counts)
  ../build         the build tree of the repository that this folder lies in

Libraries that are not in a folder of the system's loader are copied into the package, so that it
needs neither the build tree nor LD_LIBRARY_PATH.  PERP_BUNDLE=0 links to where they are instead,
PERP_BUNDLE=1 copies those of the system, too, and PERP_BUNDLE=system, for packages of a distribution,
leaves it to the system's loader to find them.
"""
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["perp-scene", "perp-kernel", "perp-io", "perp-numerics"]
MEMORY = "build-tree"  # a file in a source archive: the build tree that it was made beside
SYSTEM = ("/lib", "/usr/lib", "/lib64", "/usr/lib64")
MISSING = """Perp's libraries were not found.  One of:
    ./quickstart                          in the repository: makes ../build, which is used
    make install                          and pkg-config knows perp-scene {version}
                                          (PKG_CONFIG_PATH=PREFIX/lib/pkgconfig for another prefix)
    PERP_BUILD=DIR                        names a build tree"""


class Libraries:
    """include: folders of headers; folder: of the libraries; command: the program perp, or None."""

    def __init__(self, include, folder, command, dlopened):
        self.include = include
        self.folder = folder
        self.command = command if command and os.path.exists(command) else None
        self.dlopened = dlopened
        asked = os.environ.get("PERP_BUNDLE")
        self.of_the_system = asked == "system" or any(folder == s or folder.startswith(s + "/") for s in SYSTEM)
        self.bundle = not self.of_the_system if asked is None else asked not in ("0", "system")

    def files(self):
        """What is copied into the package."""
        names = [f"lib{n}.so" for n in NAMES] + ["libperp-lp.so"]
        paths = [os.path.realpath(os.path.join(self.folder, n)) for n in names]
        paths = [p for p in paths if os.path.exists(p)]
        return paths + ([os.path.realpath(self.command)] if self.command else [])


def version():
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as text:
        return re.search(r'^version = "([^"]*)"', text.read(), re.M)[1]


def name_to_load(path):
    """The name by which the loader asks for a library: its SONAME."""
    name = os.path.basename(path)
    found = re.match(r"(lib.*\.so)\.(\d+)", name)
    return f"{found[1]}.{found[2]}" if found else name.replace("lt-", "")


def build_tree():
    """The build tree beside this folder, or the one that a source archive remembers; None."""
    places = [os.path.join(HERE, "..", "build")]
    memory = os.path.join(HERE, MEMORY)
    if os.path.exists(memory):
        with open(memory, encoding="utf-8") as text:
            places.append(text.read().strip())
    for place in places:
        if os.path.exists(os.path.join(place, ".libs", "libperp-scene.so")):
            return os.path.realpath(place)
    return None


def from_tree(tree):
    tree = os.path.realpath(tree)
    with open(os.path.join(tree, "Makefile"), encoding="utf-8") as makefile:
        source = re.search(r"^abs_top_srcdir = (.*)$", makefile.read(), re.M)[1]
    libs = os.path.join(tree, ".libs")
    command = os.path.join(libs, "perp")
    return Libraries([os.path.join(source, "include")], libs,
                     command if os.path.exists(command) else os.path.join(tree, "perp"), libs)


def ask(*arguments):
    try:
        done = subprocess.run(["pkg-config", *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def from_pkg_config():
    if ask("--exists", f"perp-scene = {version()}") is None:
        return None
    folder = os.path.realpath(ask("--variable=libdir", "perp-scene"))
    include = ask("--variable=includedir", "perp-scene")
    prefix = ask("--variable=prefix", "perp-scene")
    return Libraries([include], folder, os.path.join(prefix, "bin", "perp"), folder)


def find():
    if os.environ.get("PERP_BUILD"):
        return from_tree(os.environ["PERP_BUILD"])
    found = from_pkg_config()
    if found:
        return found
    tree = build_tree()
    if tree:
        return from_tree(tree)
    raise SystemExit(MISSING.format(version=version()))
