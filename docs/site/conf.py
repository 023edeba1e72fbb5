"""Sphinx's configuration of the site. scripts/docs.sh calls it; staging.py puts the pages together."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import builtin_names
import docstrings
from gallery import gallery_conf
from links import Links, setup_links
from staging import ROOT

_version = re.search(r'ESKER_VERSION "([0-9.]+)"', (ROOT / "include/esker/version.h").read_text("utf-8"))
assert _version

project = "Esker"
copyright = "The Esker developers"
release = version = _version[1]
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "breathe",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
exclude_patterns = ["scripts/**"]
default_role = "code"
highlight_language = "text"
nitpicky = False
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
links_of_the_repository = Links()

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
cpp_maximum_signature_line_length = 100
c_maximum_signature_line_length = 100

breathe_projects = {"esker": str(ROOT / "build/docs/doxygen/xml")}
breathe_default_project = "esker"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_order_parameters_first = False
c_id_attributes = ["ESKER_API"]

sphinx_gallery_conf = gallery_conf(ROOT)

html_theme = "pydata_sphinx_theme"
html_title = "Esker"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # browsers do not fetch pages from files
html_context = {"default_mode": "auto"}
html_baseurl = ""
html_theme_options = {
    "logo": {"text": "Esker"},
    "show_prev_next": False,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "show_version_warning_banner": False,
}
pygments_style = "default"


def setup(app) -> None:
    app.add_config_value("links_of_the_repository", None, "", [Links])
    app.connect("source-read", setup_links)
    app.connect("autodoc-process-docstring", docstrings.process)
    app.connect("autodoc-process-signature", docstrings.process_signature)
    app.connect("doctree-read", builtin_names.unlink)
