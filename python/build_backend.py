# SPDX-License-Identifier: BSD-3-Clause
"""Builds with the setuptools, wheel and cffi that the interpreter sees, and asks for those that it does not.

pip builds in an environment where packages of the system are hidden, and would fetch what pyproject.toml
required.  Here nothing is required there, hidden packages are seen again, and only what is missing is asked for: so
`pip install ./python` works offline beside Debian's packages, and fetches setuptools in an empty environment.
"""
import importlib.metadata
import re
import site
import sys

NEEDED = {"setuptools": (61,), "wheel": (0,), "cffi": (1, 15)}

sys.path.extend(folder for folder in site.getsitepackages() if folder not in sys.path)


def _version(name):
    try:
        return tuple(int(part) for part in re.findall(r"\d+", importlib.metadata.version(name)))
    except importlib.metadata.PackageNotFoundError:
        return ()


def _missing():
    return [f"{name}>={'.'.join(map(str, least))}" for name, least in NEEDED.items() if _version(name) < least]


def get_requires_for_build_wheel(config_settings=None):
    return _missing()


def get_requires_for_build_sdist(config_settings=None):
    return _missing()


def get_requires_for_build_editable(config_settings=None):
    return _missing()


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    from setuptools import build_meta
    return build_meta.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def prepare_metadata_for_build_editable(metadata_directory, config_settings=None):
    from setuptools import build_meta
    return build_meta.prepare_metadata_for_build_editable(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    from setuptools import build_meta
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    from setuptools import build_meta
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    from setuptools import build_meta
    return build_meta.build_sdist(sdist_directory, config_settings)
