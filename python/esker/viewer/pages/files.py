"""Reads the files of the pages, which are in its folder."""

from __future__ import annotations

from importlib import resources


def static_text(name: str) -> str:
    """A file of this package."""
    return (resources.files("esker.viewer.pages") / name).read_text(encoding="utf-8")
