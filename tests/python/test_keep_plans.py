"""esker plan --keep: plans of steps that store a part of the grid, one or a sweep."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import esker
from esker.cli import esker as command
from esker.planning import keep_plans, rank_boxes

CUBES = ("--ranks", "512", "--block", "32,32,32", "--blocks-per-file", "64")


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(command, ["plan", *arguments])
    assert result.exit_code == status, result.output
    return result.output


def sweep(*arguments: str) -> list[dict[str, Any]]:
    return json.loads(run(*CUBES, *arguments, "--json"))


def test_efficiency_falls_as_blocks_grow_and_regions_scatter() -> None:
    shares, bits = (0.05, 0.2, 0.6), (11, 12, 13, 14, 15)
    plans = sweep(
        *("--keep", ",".join(map(str, shares)), "--keep-order", "z,bit-reversed"),
        *("--bits-per-block", ",".join(map(str, bits))),
    )
    found = {(p["keep_order"], p["keep"], p["bits_per_block"]): p for p in plans}
    assert len(found) == len(plans) == 30
    for share in shares:
        for order in rank_boxes.ORDERS:
            efficiency = [found[order, share, n]["efficiency"] for n in bits]
            assert all(small > large for small, large in itertools.pairwise(efficiency))
            for n in bits:
                samples = found[order, share, n]["samples"]
                assert samples["primary"] >= int(512 * share) * 32**3
                assert samples["blocks"] == found[order, share, n]["blocks"]
                stored = samples["primary"] + samples["secondary"] + samples["padding"]
                assert stored * 8 == found[order, share, n]["stored_bytes"]
        for n in bits:
            clustered, scattered = found["z", share, n], found["bit-reversed", share, n]
            assert clustered["efficiency"] > scattered["efficiency"]
            assert clustered["blocks"] < scattered["blocks"]
            assert clustered["files"] <= scattered["files"]


def test_dense_steps_have_files_for_all_blocks() -> None:
    """4096 ranks of 64^3 samples, 256 blocks in a file."""
    how = ("--ranks", "4096", "--block", "64,64,64", "--blocks-per-file", "256", "--json")
    dense = json.loads(run(*how, "--bits-per-block", "14,15,16,17,18"))
    assert [plan["files"] for plan in dense] == [256, 128, 64, 32, 16]
    assert all(plan["efficiency"] == 1 and plan["write_imbalance"] < 1.01 for plan in dense)
    (all_kept, _) = json.loads(run(*how, "--bits-per-block", "14,18", "--keep", "1"))
    assert (all_kept["files"], all_kept["efficiency"]) == (256, 1)


def test_efficiency_counts_what_is_kept_also_if_all_blocks_are_stored() -> None:
    how = ("--bits-per-block", "17", "--keep", "0.8", "--keep-order", "bit-reversed", "--json")
    facts = json.loads(run(*CUBES, *how))
    assert facts["stored_bytes"] == facts["data_bytes"]
    assert facts["efficiency"] == pytest.approx(409 / 512, rel=1e-3)


def test_a_plan_has_the_samples_of_a_run(tmp_path: Path) -> None:
    box = ((5, 0, 9), (31, 17, 40))
    dims = {"x": 48, "y": 40, "z": 50}
    with esker.Writer(tmp_path / "run.idx", dims=dims, bits_per_block=9, report="none") as w:
        field = w.field("T", "f8")
        with w.step(0.0) as step:
            step.put(field, np.zeros((50, 40, 48)))
            step.keep(boxes=[box])
            step.keep(level=-6)
    stored = esker.open(tmp_path / "run.idx")["T"].stored(step=0)
    assert stored is not None
    for ranks in (1, 4, 30):
        facts = esker.plan(ranks, extent=(48, 40, 50), bits_per_block=9, keep=[(0, box)], keep_level=-6)
        assert facts["samples"] == stored._asdict()
        assert facts["efficiency"] == stored.efficiency
    files = len(list((tmp_path / "run").rglob("*.bin")))
    assert facts["files"] == files


def test_the_level_of_everything_else() -> None:
    how = (*CUBES, "--bits-per-block", "12", "--json")
    region, coarse, both = (
        json.loads(run(*how, *given))
        for given in (("--keep", "0.1"), ("--keep-level", "-9"), ("--keep", "0.1", "--keep-level", "-9"))
    )
    assert coarse["efficiency"] == 1
    assert coarse["samples"]["primary"] == 256**3 // 512
    for key in ("blocks", "files", "stored_bytes"):
        assert max(region[key], coarse[key]) <= both[key] <= region[key] + coarse[key]


def test_nothing_may_be_kept() -> None:
    facts = json.loads(run(*CUBES, "--keep", "0.001", "--json"))
    assert (facts["blocks"], facts["files"], facts["stored_bytes"], facts["efficiency"]) == (0, 0, 0, 1)


def test_grids_of_a_dataset_keep_the_share_of_their_boxes(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run", dims={"x": 64, "y": 64, "z": 32}, report="none") as w:
        volume, plane = w.field("T", "f8"), w.field("h", "f4", grid=w.grid("xy", ("x", "y")))
        with w.step(0.0) as step:
            step.put(volume, np.zeros((32, 64, 64)))
            step.put(plane, np.zeros((64, 64), "f4"))
    facts = esker.plan(16, dataset=str(tmp_path / "run"), keep=0.25, bits_per_block=4)
    assert facts["samples"]["primary"] == 64 * 64 * 32 // 4 + 64 * 64 // 4


def test_boxes_in_order() -> None:
    boxes = rank_boxes.split((16, 16, 16), 64)
    assert len(boxes) == 64
    clustered = rank_boxes.first(boxes, 1 / 8, "z")
    assert sorted(clustered) == sorted(box for box in boxes if max(box[1]) <= 8)
    scattered = rank_boxes.first(boxes, 1 / 8, "bit-reversed")
    assert sorted(lo for lo, _ in scattered) == sorted(itertools.product((0, 8), repeat=3))
    uneven = rank_boxes.split((21, 10), 7)
    for order in rank_boxes.ORDERS:
        assert sorted(rank_boxes.first(uneven, 1, order)) == sorted(uneven)
        assert len(rank_boxes.first(uneven, 0.29, order)) == 2
    hundred = [((x,), (x + 1,)) for x in range(100)]
    assert len(rank_boxes.first(hundred, 0.29, "z")) == 29  # 0.29 * 100 is less than 29 in floating point


def test_a_sweep_is_a_table_and_a_picture(tmp_path: Path) -> None:
    for name, bits in (("sizes.png", "10,12"), ("shares.svg", "12")):
        given = ("--keep", "0.1,0.5", "--keep-order", "bit-reversed", "--bits-per-block", bits)
        text = run(*CUBES, *given, "--plot", str(tmp_path / name))
        assert "efficiency" in text and len(text.splitlines()) == 1 + 2 * len(bits.split(","))
        assert (tmp_path / name).stat().st_size > 0


def test_a_figure_shows_default_block_sizes_and_dense_steps() -> None:
    grid = {"block": (32, 32, 32), "blocks_per_file": 64}
    plans = keep_plans.sweep(64, [0.5], ["z"], [None, 14, 12], **grid)
    assert [plan["given_bits_per_block"] for plan in plans] == [None, 14, 12]
    assert [plan["bits_per_block"] for plan in plans] == [15, 14, 12]
    by_size = keep_plans.figure(plans)
    axes = by_size.axes[0]
    assert axes.lines[0].get_xdata().tolist() == [11, 14, 12]
    labels = [text.get_text() for text in by_size.axes[-1].get_xticklabels()]
    assert labels == ["default", "$2^{12}$", "$2^{14}$"]
    by_share = keep_plans.figure(keep_plans.sweep(64, [0.5, None], ["z"], [12], **grid))
    assert by_share.axes[0].lines[0].get_xdata().tolist() == [0.5, 1]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--keep", "1.5"], "shares from 0 to 1"),
        (["--keep", "0.1,x"], "shares from 0 to 1"),
        (["--keep", "nan"], "shares from 0 to 1"),
        (["--keep", "0.1", "--keep-order", "hilbert"], "z or bit-reversed"),
        (["--keep-order", "z"], "expected both"),
        (["--keep-level", "3"], "--keep-level"),
        (["--keep", "0.1", "--keep-level", "-99"], "expected -62 to 0"),
        (["--keep", "0.1,0.2", "--compare"], "--compare"),
        (["--bits-per-block", "14,many"], "numbers such as"),
    ],
)
def test_mistakes_are_named(arguments: list[str], text: str) -> None:
    assert text in run(*CUBES, *arguments, status=2)


def test_formats_without_parts_of_steps_are_named() -> None:
    text = run(*CUBES, "--keep", "0.1", "--format", "cdf5", status=1)
    assert "cdf5: this format stores fields completely" in text
