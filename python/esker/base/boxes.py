"""Boxes: half open, x first, as everywhere in Esker."""

from __future__ import annotations

from collections.abc import Sequence

Corner = Sequence[int]
Box = tuple[Corner, Corner]
