"""The server of the viewer, if Bokeh is installed."""

from __future__ import annotations

from typing import Any


def server_class() -> Any:
    """esker.viewer.serving.server.ViewServer. Raises ImportError, with what to install, without Bokeh."""
    try:
        import bokeh.server  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "the viewer needs Bokeh, which is not installed: pip install 'esker[view]'"
        ) from error
    from esker.viewer.serving.server import ViewServer

    return ViewServer
