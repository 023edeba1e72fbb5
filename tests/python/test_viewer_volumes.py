"""What volumes need: which box and level, the codes of samples, and where they are drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import esker

pytest.importorskip("bokeh")
from esker.viewer.reading.samples import Kind  # noqa: E402
from esker.viewer.scenes.session import Scene  # noqa: E402
from esker.viewer.solids import volume_texts  # noqa: E402
from esker.viewer.solids.volume_page import volume_query  # noqa: E402
from esker.viewer.solids.volume_samples import CODES, coded, color_ends, ends_by_hand, placed, read_codes  # noqa: E402
from esker.viewer.solids.volumes import (  # noqa: E402
    FIRST_SAMPLES,
    MAX_EXTENT,
    MAX_SAMPLES,
    USUAL_SAMPLES,
    frame_of,
    plan_of,
    volume_fields,
    volume_of,
)

NX, NY, NZ = 40, 30, 9


@pytest.fixture(scope="module")
def ds(tmp_path_factory: pytest.TempPathFactory) -> esker.Dataset:
    """A volume with coordinates, y decreasing; fill values and NaN; a map."""
    path = tmp_path_factory.mktemp("volumes") / "run.idx"
    coords = {"x": 2.0 * np.arange(NX), "y": 100 - 2.0 * np.arange(NY), "z": 0.1 * np.arange(NZ)}
    attrs = {dim: {"units": "km"} for dim in "xyz"}
    z, y, x = np.mgrid[0:NZ, 0:NY, 0:NX]
    array = (x + 100 * y + 10000 * z).astype("f4")
    array[0, 0, :5], array[1, 1, 1] = -9, np.nan
    with esker.Writer(
        path, dims={"x": NX, "y": NY, "z": NZ}, coords=coords, attrs=attrs, report="none"
    ) as writer:
        flat = writer.field("thk", "f4", grid=writer.grid("xy", ("x", "y")))
        temp = writer.field("temp", "f4", attrs={"_FillValue": np.float32(-9), "units": "K"})
        for n in range(2):
            with writer.step(n) as step:
                step.put(flat, array[0])
                step.put(temp, array)
    return esker.open(path)


def large(path: Path, shape: tuple[int, ...]) -> esker.Field:
    """A field of many samples of which none is written; plans read none."""
    dims = dict(zip("xyz", reversed(shape)))
    with esker.Writer(path, dims=dims, report="none") as writer:
        writer.field("f", "f4")
        for n in range(1):
            with writer.step(n) as step:
                step.put("f", np.zeros(shape, "f4"))
    return esker.open(path)["f"]


def counts(field: esker.Field, level: int) -> tuple[int, ...]:
    return field.select(0, None, level).shape


@pytest.mark.parametrize("shape", [(8, 300, 1100), (160, 170, 180)])
def test_a_plan_reads_coarse_samples_first_then_the_finest_that_fit(
    tmp_path: Path, shape: tuple[int, ...]
) -> None:
    field = large(tmp_path / "a.idx", shape)
    volume, _ = volume_of({"field": "f"}, [field.dataset])
    plan = plan_of(field, volume)
    first, last = (counts(field, request.level) for request in plan.requests)
    assert np.prod(first) <= FIRST_SAMPLES and np.prod(last) <= USUAL_SAMPLES
    assert max(last) <= MAX_EXTENT and plan.requests[0].level < plan.requests[1].level < field.max_level
    finer = counts(field, plan.requests[1].level + 1)
    assert np.prod(finer) > USUAL_SAMPLES or max(finer) > MAX_EXTENT
    assert f"Level {plan.requests[1].level} is the finest with at most 2,097,152 samples" in plan.note
    small, _ = volume_of({"field": "f", "box": "0,40,0,40,0,8"}, [field.dataset])
    assert plan_of(field, small).requests[-1].level == field.max_level and not plan_of(field, small).note
    fixed, _ = volume_of({"field": "f", "level": str(field.max_level)}, [field.dataset])
    found = plan_of(field, fixed).requests[-1].level
    assert np.prod(counts(field, found)) <= MAX_SAMPLES and max(counts(field, found)) <= MAX_EXTENT
    assert found == field.max_level or "A smaller box shows finer levels" in plan_of(field, fixed).note
    weak = plan_of(field, volume, max_extent=64).requests[-1]
    assert max(counts(field, weak.level)) <= 64


def test_small_volumes_take_one_read_and_every_box_has_samples(ds: esker.Dataset) -> None:
    field = ds["temp"]
    volume, _ = volume_of({"field": "temp"}, [ds])
    assert [request.level for request in plan_of(field, volume).requests] == [field.max_level]
    for level in (0, 3, field.max_level):
        query = {"field": "temp", "box": "7,8,9,11,3,5", "level": str(level)}
        small, notes = volume_of(query, [ds])
        for request in plan_of(field, small).requests:
            assert field.select(0, request.box, request.level).shape[0] > 0 and notes == []
            assert np.prod(field.select(0, request.box, request.level).shape) > 0


def test_a_link_keeps_what_is_shown(ds: esker.Dataset) -> None:
    query = {
        "field": "temp",
        "step": "1",
        "normal": "z",
        "mode": "surface",
        "value": "0.125",
        "palette": "magma",
    }
    query |= {"box": "3,20,0,30,1,9", "ramp": "falling", "opacity": "0.75", "log": "1"}
    volume, notes = volume_of(query, [ds])
    assert notes == [] and volume_query(volume) == query
    assert volume_of(volume_query(volume), [ds]) == (volume, [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mode", "<b>"), ("ramp", ""), ("opacity", "0"), ("opacity", "nan"), ("value", "inf"), ("box", "1,2,3"),
        ("box", "3,3,0,1,0,1"), ("box", "a,b,c,d,e,f"),
    ],
)  # fmt: skip
def test_bad_links_have_sentences(ds: esker.Dataset, name: str, text: str) -> None:
    volume, notes = volume_of({"field": "temp", name: text}, [ds])
    assert len(notes) == 1 and ("The link" in notes[0]) and volume.scene.field == "temp"
    assert (volume.mode, volume.ramp, volume.opacity, volume.value, volume.box) == (
        "maximum", "rising", 0.3, None, None,
    )  # fmt: skip


def test_links_that_are_too_long_are_ignored(ds: esker.Dataset) -> None:
    volume, notes = volume_of({"field": "temp", "mode": "surface", "value": "1" * 9000}, [ds])
    assert "longer than" in notes[0] and volume.mode == "maximum" and volume.value is None


def test_maps_have_no_volume(ds: esker.Dataset) -> None:
    assert volume_fields(ds) == ["temp"]
    volume, notes = volume_of({"field": "thk"}, [ds])
    assert volume.scene.field == "temp" and notes == ["thk has 2 axes; a volume needs 3; shown is temp."]


def test_boxes_outside_are_cut(ds: esker.Dataset) -> None:
    volume, _ = volume_of({"field": "temp", "box": "-5,20,10,99,0,9"}, [ds])
    assert volume.box == ((0, 10, 0), (20, 30, 9))
    assert volume_of({"field": "temp", "box": "50,60,0,1,0,1"}, [ds])[0].box is None


def test_codes_keep_values_and_mark_samples_without(ds: esker.Dataset) -> None:
    field = ds["temp"]
    volume, _ = volume_of({"field": "temp"}, [ds])
    found = read_codes(field, plan_of(field, volume).requests[-1], False, lambda: True)
    raw = field.read(step=0)
    empty = np.isnan(raw) | (raw == -9)
    assert np.array_equal(found.codes == 0, empty)
    values = found.low + (found.codes.astype(float) - 1) / (CODES - 1) * (found.high - found.low)
    half = (found.high - found.low) / (CODES - 1) / 2
    assert np.abs(values - raw)[~empty].max() <= half * 1.001
    assert found.counts == {Kind.VALUE: raw.size - 6, Kind.FILL: 5, Kind.NAN: 1}
    assert found.greatest == (raw[~empty].max(), (NX - 1, NY - 1, NZ - 1)) and found.least == (5, (5, 0, 0))
    assert volume_texts.kinds(found.counts, found.codes.size) == "transparent: fill value 5 samples, NaN 1 samples"
    said = volume_texts.alternative(field, volume, frame_of(field, None), found)
    assert "greatest value 82939 at x = 78 km (index 39), y = 42 km (index 29)" in said


def test_codes_of_odd_values() -> None:
    values = np.array([np.nan, np.inf, -np.inf, 1.0, 2.0])
    assert coded(values, 1.0, 2.0).tolist() == [0, CODES, 1, 1, CODES]
    assert coded(np.array([7.0, np.nan]), 7.0, 7.0).tolist() == [1, 0]
    assert coded(np.array([-1.7e308, 1.7e308]), -1.7e308, 1.7e308).tolist() == [1, CODES]


def test_logarithms_leave_out_what_has_none(tmp_path: Path) -> None:
    array = np.array([0.0, -1.0, 1.0, 1000.0, np.nan, 10.0, 1.0, 1.0]).reshape(2, 2, 2)
    esker.write(tmp_path / "a.idx", {"f": array})
    field = esker.open(tmp_path / "a.idx")["f"]
    volume, _ = volume_of({"field": "f", "log": "1"}, [field.dataset])
    found = read_codes(field, plan_of(field, volume).requests[-1], True, lambda: True)
    assert (found.low, found.high) == (0, 3) and found.greatest == (1000, (1, 1, 0))
    assert found.codes.ravel()[:4].tolist() == [0, 0, 1, CODES]
    assert found.counts[Kind.NO_LOGARITHM] == 2


def test_axes_grow_to_the_right_and_are_to_scale_or_said_not_to_be(ds: esker.Dataset) -> None:
    field = ds["temp"]
    frame = frame_of(field, None)
    assert [axis.dim for axis in frame.axes] == ["x", "y", "z"]
    assert frame.sizes == pytest.approx((1, 58 / 78, 0.5)) and frame.stretched == "z is stretched 48.8 times"
    assert frame.place(1, 0) == frame.sizes[1] and frame.place(1, NY - 1) == 0, "y decreases"
    names = volume_texts.labels(field, frame)
    assert names[1] == {"name": "y [km]", "low": "42", "high": "100"}
    flat = frame_of(field, ((0, 0, 0), (4, 4, 9)))
    assert flat.sizes == pytest.approx((1, 1, 0.8 / 6)) and not flat.stretched
    volume, _ = volume_of({"field": "temp"}, [ds])
    found = read_codes(field, plan_of(field, volume).requests[-1], False, lambda: True)
    codes, origin, spacing = placed(found, frame)
    assert np.array_equal(codes, found.codes[:, ::-1]) and origin == [0, 0, 0]
    assert spacing == pytest.approx([1 / 39, 58 / 78 / 29, 0.5 / 8])


def test_a_coarse_level_is_drawn_where_its_samples_are(ds: esker.Dataset) -> None:
    field = ds["temp"]
    volume, _ = volume_of({"field": "temp", "level": str(field.max_level - 5)}, [ds])
    frame = frame_of(field, None)
    found = read_codes(field, plan_of(field, volume).requests[-1], False, lambda: True)
    codes, origin, spacing = placed(found, frame)
    for number, axis in ((0, 2), (1, 1), (2, 0)):
        stride, count = found.stride[number], codes.shape[axis]
        drawn = [origin[number] + i * spacing[number] for i in range(count)]
        expected = sorted(frame.place(number, i * stride) for i in range(count))
        assert drawn == pytest.approx(expected)


def test_one_sample_is_a_slab(tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"f": np.arange(12.0).reshape(1, 3, 4)})
    field = esker.open(tmp_path / "a.idx")["f"]
    volume, _ = volume_of({"field": "f"}, [field.dataset])
    found = read_codes(field, plan_of(field, volume).requests[-1], False, lambda: True)
    codes, origin, spacing = placed(found, frame_of(field, None))
    assert codes.shape == (2, 3, 4) and np.array_equal(codes[0], codes[1])
    assert spacing[2] > 0 and origin[2] == 0


def test_colors_of_volumes_end_where_those_of_planes_do() -> None:
    """The codes cover all values; colors cover four decades, and a single value is in the middle."""
    assert color_ends(Scene(), 2.0, 3.0, True) == [2.0, 3.0]
    assert color_ends(Scene(), 5.0, 5.0, True) == [2.5, 7.5]
    assert color_ends(Scene(log=True), -9.0, 2.0, True) == pytest.approx([-2.0, 2.0])
    assert color_ends(Scene(log=True), 0.0, 308.2547, True)[1] == pytest.approx(308.2547, abs=0.01)
    assert ends_by_hand(Scene()) == (None, "")
    hand = Scene(range="hand", low=-1.0, high=100.0)
    assert ends_by_hand(hand) == ([-1.0, 100.0], "")
    assert ends_by_hand(hand.but(log=True)) == (pytest.approx([-2.0, 2.0]), "")
    nothing = ends_by_hand(hand.but(log=True, high=-0.5))
    assert nothing[0] == [0.0, 1.0] and "No value is above 0" in nothing[1]
