# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx: all pages, and the interface as Doxygen read it from the headers.  `make html` runs it."""
import os

project = "Perp"
copyright = "the authors of Perp"
version = release = os.environ.get("PERP_VERSION", "")

extensions = ["breathe", "myst_parser"]
root_doc = "docs/html/contents"
include_patterns = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/guide/*", "docs/reference/*",
                    "docs/notes/*", "docs/html/*.rst"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # pages that begin with a lower heading

breathe_projects = {"perp": os.environ.get("PERP_XML", "")}
breathe_default_project = "perp"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
highlight_language = "none"

html_theme = "alabaster"
html_theme_options = {"page_width": "75em", "sidebar_width": "16em", "fixed_sidebar": True,
                      "description": "Nonsmooth mechanics in C", "show_powered_by": False}
html_show_copyright = False
html_copy_source = False
html_extra_path = ["start/index.html"]  # leads to docs/index.html
