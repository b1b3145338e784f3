# SPDX-License-Identifier: BSD-3-Clause
"""Makes the extension perp._perp by cffi: the public headers themselves are its declarations."""
import os
import re
import shlex
import subprocess
import sys

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import libraries  # noqa: E402

HEADERS = ["numerics.h", "io.h", "kernel.h", "scene.h", "robot.h", "verify.h"]
INCLUDES = "".join(f"#include <perp/{name}>\n" for name in HEADERS)

# Beside the headers: see support.h.
CALLBACKS = """
extern "Python" int perp_py_ask(void *, const perp_progress *);
extern "Python" int perp_py_apply(void *, double *, const double *);
extern "Python" int perp_py_value(void *, double *, const double *);
extern "Python" int perp_py_jacobian(void *, double *, const double *);
extern "Python" int perp_py_solution(void *, int, const double *, const double *, int);
extern "Python" int perp_py_step(void *, perp_sim *, perp_model *, double, double);
extern "Python" int perp_py_scene_ask(void *);
extern "Python" int perp_py_contact(void *, perp_collider *, perp_contact_event,
                                    const perp_contact_info *);
extern "Python" void perp_py_remark(void *, perp_robot_word, const perp_scene_error *);
extern "Python" double perp_py_record(void *, double);
extern "Python" int perp_py_cotangent(void *, perp_sim *, long, double *, double *);
typedef struct perp_py_watch { double next; int every, stopped; void *handle; ...; } perp_py_watch;
enum { PERP_PY_UNALIGNED, PERP_PY_PATTERN, PERP_PY_MASS, ... };
void perp_py_remember(perp_py_watch *, const perp_mat *, const int *);
int perp_py_progress(void *, const perp_progress *);
int perp_py_scene_progress(void *, perp_scene *, const perp_scene_run_info *);
int perp_py_scene_stop(void *);
int perp_py_solve(perp_solver *, perp_py_watch *, const double *, double *, int);
double perp_py_time_solves(perp_solver *, const double *, double *, double *, perp_info *, int);
void perp_py_before_fork(void);
"""


def declarations(include):
    """The text of the headers after the preprocessor, without what they include of the system's."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    command = compiler + ["-E", "-D__attribute__(x)=", *(f"-I{i}" for i in include), "-x", "c", "-"]
    done = subprocess.run(command, input=INCLUDES, stdout=subprocess.PIPE, text=True, check=True)
    kept, ours = [], False
    for line in done.stdout.splitlines():
        place = re.match(r'# \d+ "([^"]*)"', line)
        if place:
            ours = "/perp/" in place[1]
        elif ours and line.strip():
            kept.append(line)
    return "\n".join(kept)


def make():
    found = libraries.find()
    builder = cffi.FFI()
    builder.cdef(declarations(found.include) + CALLBACKS)
    with open(os.path.join(HERE, "support.h"), encoding="utf-8") as text:
        source = INCLUDES + text.read()
    # Old tags: this path also serves the libraries that the libraries need.
    run_path = ["-Wl,--no-as-needed", "-Wl,--disable-new-dtags"]
    if found.bundle:
        run_path.append("-Wl,-rpath,$ORIGIN/libraries")
    elif not found.of_the_system:
        run_path.append(f"-Wl,-rpath,{found.folder}")
    # A distribution has flags of its own, and keeps what debuggers need apart.
    flags = [] if os.environ.get("PERP_BUNDLE") == "system" else ["-O1", "-g0"]
    builder.set_source("perp._perp", source, include_dirs=found.include,
                       library_dirs=[found.folder], libraries=libraries.NAMES,
                       extra_compile_args=flags, extra_link_args=run_path)
    return builder


ffi = make()
