"""Builds the site with Sphinx: `make site`."""

from __future__ import annotations

from jaxlint import __version__
from jaxlint.rules import HOME

project = "jaxlint"
author = "The jaxlint authors"
copyright = author  # noqa: A001 (the name that Sphinx reads)
version = release = __version__

extensions = ["myst_parser"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

html_theme = "furo"
html_title = f"jaxlint {version}"
html_baseurl = HOME
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
