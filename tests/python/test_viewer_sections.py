"""Sections along a line: the nearest samples of the finest level, by few boxes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import esker
from esker.viewer.answers import sections
from esker.viewer.reading.samples import Stale
from esker.viewer.reading.sources import Source, source_of
from esker.viewer.scenes.session import Scene
from esker.viewer.scenes.views import Views, fitted_views

SHAPE = (5, 300, 400)


@pytest.fixture(scope="module")
def ds(tmp_path_factory: pytest.TempPathFactory) -> esker.Dataset:
    path = tmp_path_factory.mktemp("sections") / "run.idx"
    z, y, x = np.mgrid[tuple(slice(0, n) for n in SHAPE)]
    array = (x + 1000.0 * y + 1e6 * z).astype("f8")
    coords = {"x": 10.0 * np.arange(SHAPE[2]), "y": 3000.0 - 10.0 * np.arange(SHAPE[1])}
    attrs = {name: {"units": "km"} for name in "xy"}
    with esker.Writer(
        path, dims=dict(zip("xyz", SHAPE[::-1])), coords=coords, attrs=attrs, report="none"
    ) as writer:
        field = writer.field("f", "f8")
        for n in range(2):
            with writer.step(n) as step:
                step.put(field, array + 7.0 * n)
    return esker.open(path)


def source(ds: esker.Dataset, **scene: Any) -> Source:
    found, _ = source_of(fitted_views(Views((Scene(field="f", **scene),)), [ds]), 0, [ds])
    assert found is not None
    return found


def boxes(source: Source, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The samples of each read that follows."""
    counts: list[int] = []
    read = type(source.field).read

    def counted(self: Any, step: int, box: Any, *rest: Any, **how: Any) -> Any:
        counts.append(int(np.prod([high - low for low, high in zip(*box)])))
        return read(self, step, box, *rest, **how)

    monkeypatch.setattr(type(source.field), "read", counted)
    return counts


@pytest.mark.parametrize(
    "ends", [(0.0, 3000.0, 3990.0, 10.0), (500.0, 20.0, 530.0, 2990.0), (100.0, 100.0, 104.0, 90.0)]
)
def test_a_section_has_the_nearest_samples(
    ds: esker.Dataset, monkeypatch: pytest.MonkeyPatch, ends: sections.Ends
) -> None:
    shown = source(ds, step=1, normal="z", place=3)
    counts = boxes(shown, monkeypatch)
    found = sections.section(shown, ends, lambda: True)
    assert found is not None and found.label == "distance [km]"
    count = int(max(abs(ends[2] - ends[0]), abs(ends[3] - ends[1])) / 10) + 1
    i = np.rint(np.linspace(ends[0], ends[2], count) / 10)
    j = np.rint((3000 - np.linspace(ends[1], ends[3], count)) / 10)
    np.testing.assert_allclose(found.values, i + 1000 * j + 3e6 + 7)
    np.testing.assert_allclose(found.at, 10 * np.hypot(i - i[0], j - j[0]))
    assert len(counts) <= 8 and max(counts) <= sections.BOX_SAMPLES


def test_a_section_has_a_limit_and_ends_at_the_edges(ds: esker.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "MAX_POINTS", 20)
    shown = source(ds, normal="z")
    found = sections.section(shown, (0.0, 10.0, 3990.0, 3000.0), lambda: True)
    assert found is not None and len(found.values) == 20
    outside = sections.section(shown, (-2000.0, 500.0, 1900.0, 500.0), lambda: True)
    assert outside is not None and len(outside.values) == 10
    assert sections.section(shown, (-20.0, -50.0, -90.0, -50.0), lambda: True) is None
    assert sections.text(shown, (0.0, -50.0, 9.0, -50.0)) == "The line has less than two samples."
    with pytest.raises(Stale):
        sections.section(shown, (0.0, 0.0, 900.0, 900.0), lambda: False)


def test_vertical_planes_and_differences(ds: esker.Dataset) -> None:
    shown = source(ds, step=0, normal="y", place=20)
    found = sections.section(shown, (100.0, 0.0, 130.0, 4.0), lambda: True)
    assert found is not None and found.label == "z [index]"
    np.testing.assert_array_equal(found.at, np.arange(5))
    np.testing.assert_allclose(found.values, [20010, 1020011, 2020012, 3020012, 4020013])
    said = sections.text(shown, (100.0, 0.0, 130.0, 4.0))
    assert said.startswith("section of 5 samples from x = 100 km (index 10), z = 0, y = 2800 km (index 20) to ")
    scene = Scene(field="f", step=1, normal="z", place=3)
    views = Views((scene, scene.but(step=0, place=2))).with_difference()
    difference, _ = source_of(fitted_views(views, [ds]), 2, [ds])
    assert difference is not None
    found = sections.section(difference, (0.0, 10.0, 900.0, 10.0), lambda: True)
    assert found is not None
    np.testing.assert_allclose(found.values, 1e6 + 7)
