"""Whether a page shows the right picture: colors on the screen against those of a formula."""

from __future__ import annotations

from typing import Any

import numpy as np
from chrome import Shown
from numpy.typing import NDArray

from esker.viewer.scenes.colors import palette

_MOST_OFF = 8
"""Of 255: a few colors of the palette, for the distance of a pixel from its sample."""
_MOST_WRONG = 0.02
"""Of the points: some may lie next to an edge of the field or below a label."""


def wrong(
    page: Shown, across: Any, up: Any, values: NDArray[Any], low: float, high: float
) -> NDArray[np.bool_]:
    """Which points (rows `up`, columns `across`, in coordinates) have another color than that of their value."""
    found = page.colors_at(across, up).astype(int)
    named = np.array([[int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in palette("viridis", False)])
    expected = named[np.clip(np.floor((values - low) / (high - low) * 256), 0, 255).astype(int)]
    return np.asarray(np.abs(found - expected).max(axis=-1) > _MOST_OFF)


def check(are_wrong: NDArray[np.bool_]) -> None:
    """Raises ValueError if the picture is another one."""
    if are_wrong.mean() > _MOST_WRONG:
        raise ValueError(
            f"{100 * are_wrong.mean():.1f} % of the compared pixels have other colors than their samples"
        )
