"""Headless Chromium, as the tests start it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "python"))

from browser import FRAME, Shown, chromium, shown

__all__ = ["FRAME", "Shown", "chromium", "shown"]
