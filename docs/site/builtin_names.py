"""Names of Python's own types in signatures. Sphinx takes `bytes` for an attribute of that name."""

from __future__ import annotations

import builtins

from docutils import nodes
from sphinx import addnodes


def unlink(app, doctree: nodes.document) -> None:
    """Handler of doctree-read: replaces references to them by their names."""
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node.get("refdomain") == "py" and hasattr(builtins, node["reftarget"]):
            node.replace_self(nodes.Text(node["reftarget"]))
