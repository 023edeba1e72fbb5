"""What `make glusterfs` makes of the times that it measures. Nothing is mounted here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAM = Path(__file__).parents[1] / "glusterfs" / "order.py"


@pytest.fixture(scope="module")
def order() -> Any:
    sys.path.insert(0, str(PROGRAM.parent))
    try:
        import order
    finally:
        sys.path.pop(0)
    return order


def test_the_interval_leaves_out_the_ends(order: Any) -> None:
    """Of 15 ratios the fourth and the twelfth: fewer than four below or above the median have a probability of 3.5 %."""
    found = order.interval([float(n) for n in range(15, 0, -1)])
    assert (found.low, found.middle, found.high) == (4, 8, 12)
    assert order.interval([1.0, 2.0]) == order.Range(1, 1.5, 2)


def compared(order: Any, factor: float, predicted: float, jitter: float = 0.01) -> list[dict[str, Any]]:
    """The pairs, where the first way takes `factor` times as long as all others, which are equally fast."""
    noise = np.random.default_rng(1).uniform(1 - jitter, 1 + jitter, (len(order.WAYS) + 1, 15))
    names = [way.name for way in order.WAYS]
    measured = {name: list(row) for name, row in zip([*names, "again"], noise)}
    measured[names[0]] = [factor * s for s in measured[names[0]]]
    expected = {name: np.full(5, predicted if name == names[0] else 1.0) for name in names}
    return order.compare(measured, expected)["pairs"]


@pytest.mark.parametrize(
    ("factor", "predicted", "verdict", "passes"),
    [
        (2, 1.5, "as predicted", True),
        (0.5, 1.5, "CONTRADICTED", False),
        (2, 1, "not predicted", False),
        (1, 1.5, "a tie, not as predicted", False),
        (1, 1, "a tie, as predicted", False),
    ],
)
def test_verdicts(order: Any, factor: float, predicted: float, verdict: str, passes: bool) -> None:
    pairs = compared(order, factor, predicted)
    first = order.WAYS[0].name
    assert {pair["verdict"] for pair in pairs if first in pair["ways"]} == {verdict}
    assert {pair["verdict"] for pair in pairs if first not in pair["ways"]} == {"a tie, as predicted"}
    assert order.passes(pairs) == passes


def test_noise_hides_an_order(order: Any) -> None:
    pairs = compared(order, 1.3, 1.5, jitter=0.8)
    assert "as predicted" not in {pair["verdict"] for pair in pairs}


def test_a_machine_without_the_volume_is_an_error(order: Any, monkeypatch: Any, capsys: Any) -> None:
    """Not a test that is skipped."""
    monkeypatch.setattr(order.volume.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(sys, "argv", ["order.py", "esker-bench"])
    assert order.main() == 1
    assert "need root; found user id 1000" in capsys.readouterr().err
