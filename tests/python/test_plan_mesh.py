"""esker plan of meshes with several levels (AMR)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

import esker
from esker.cli import esker as command
from esker.planning import fine_patches, rank_boxes

PATCHES = [
    (0, 0, ((0, 0, 0), (8, 16, 16))),
    (1, 0, ((8, 0, 0), (16, 16, 16))),
    (2, 1, ((4, 8, 8), (20, 20, 20))),
    (1, 2, ((24, 40, 40), (56, 60, 61))),
]
RATIOS = [2, (4, 2, 2)]


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(command, ["plan", *arguments])
    assert result.exit_code == status, result.output
    return result.output


def plan(*arguments: str) -> dict[str, Any]:
    return json.loads(run(*arguments, "--json"))


@pytest.mark.parametrize(
    ("ranks", "fine", "files_of_patches"),
    [(1024, 1412, 4872), (2048, 3201, 10498), (4096, 5835, 19862), (8192, 10857, 38098)],
)
def test_flat_steps_have_a_hundredth_of_the_files_of_patches(
    ranks: int, fine: int, files_of_patches: int
) -> None:
    """Two files for each coarse patch of 25^3 cells and each fine one of 12^3, as AMR codes write."""
    facts = plan(
        *("--ranks", str(ranks), "--block", "25,25,25", "--fine-patches", str(fine)),
        *("--bits-per-block", "15", "--blocks-per-file", "128"),
    )
    coarse, finer = facts["levels"]
    assert 2 * (coarse[0] + finer[0]) == files_of_patches
    assert coarse[1] == ranks * 25**3 and 8 * coarse[2] == finer[1] <= fine * 12**3
    assert 100 * facts["files"] <= files_of_patches
    assert facts["samples"]["primary"] == coarse[1] - coarse[2] + finer[1]


def write(path: Path, patches: list[fine_patches.Patch], bits_per_block: int) -> None:
    with esker.Writer(path, dims={}, bits_per_block=bits_per_block, blocks_per_file=4, report="none") as w:
        mesh = w.mesh("amr", {"x": 16, "y": 16, "z": 16}, ratios=RATIOS)
        field = w.field("rho", "f4", grid=mesh)
        with w.step(0.0) as step:
            for _, level, (lo, hi) in patches:
                shape = tuple(b - a for a, b in zip(lo, hi))[::-1]
                step.put(field, np.ones(shape, "f4"), offset=lo, level=level)


@pytest.mark.parametrize("bits", [8, 12])
def test_a_plan_has_the_blocks_and_files_of_a_run(tmp_path: Path, bits: int) -> None:
    patches = PATCHES[1:]  # a part of the domain
    write(tmp_path / "run.idx", patches, bits)
    written = esker.open(tmp_path / "run.idx")["rho"]
    stored = written.stored(step=0)
    assert stored is not None
    files = [path for path in (tmp_path / "run").rglob("*.bin")]
    given = {"bits_per_block": bits, "blocks_per_file": 4, "type": "f4"}
    for ranks in (3, 4, 7):
        facts = esker.plan_mesh(ranks, patches, ratios=RATIOS, extent=(16, 16, 16), **given)
        assert facts["samples"] == stored._asdict()
        assert facts["files"] == len(files)
        assert facts["levels"] == written.level_covers(0)
        of_dataset = esker.plan(ranks, dataset=str(tmp_path / "run.idx"), **given)
        for key in ("samples", "files", "stored_bytes", "blocks", "levels", "data_bytes"):
            assert of_dataset[key] == facts[key], key


def test_a_plan_of_whole_levels_has_the_file_and_bytes_of_a_run(tmp_path: Path) -> None:
    given = {"format": "vtkhdf", "type": "f4", "alignment": 1}
    facts = esker.plan_mesh(3, PATCHES, ratios=[3, (4, 2, 2)], extent=(16, 16, 16), **given)
    with esker.Writer(tmp_path / "run", dims={}, format="vtkhdf", report="none") as w:
        mesh = w.mesh("amr", {"x": 16, "y": 16, "z": 16}, ratios=[3, (4, 2, 2)])
        field = w.field("rho", "f4", grid=mesh)
        with w.step(0.0) as step:
            for _, level, (lo, hi) in PATCHES:
                shape = tuple(b - a for a, b in zip(lo, hi))[::-1]
                step.put(field, np.ones(shape, "f4"), offset=lo, level=level)
    with h5py.File(tmp_path / "run.vtkhdf.steps/000000.vtkhdf") as file:
        stored = sum(file[f"VTKHDF/Level{level}/CellData/rho"].size * 4 for level in range(3))
    assert facts["files"] == 1 and facts["stored_bytes"] == facts["data_bytes"] == stored
    assert facts["levels"] == esker.open(tmp_path / "run.vtkhdf.series")["rho"].level_covers(0)
    of_dataset = esker.plan(3, dataset=str(tmp_path / "run.vtkhdf.series"), format="vtkhdf")
    for key in ("files", "stored_bytes", "data_bytes", "levels"):
        assert of_dataset[key] == facts[key], key


def test_both_formats_are_planned_together() -> None:
    one_by_one = [esker.plan_mesh(3, PATCHES, ratios=RATIOS, format=f, bits_per_block=8) for f in ("vtkhdf", "idx")]
    both = esker.plan_mesh(3, PATCHES, ratios=RATIOS, format="vtkhdf+idx", bits_per_block=8)
    for key in ("files", "stored_bytes", "blocks"):
        assert both[key] == sum(facts[key] for facts in one_by_one), key


def test_patches_are_read_from_a_file(tmp_path: Path) -> None:
    listed = tmp_path / "patches.txt"
    lines = [" ".join(map(str, (rank, level, *lo, *hi))) for rank, level, (lo, hi) in PATCHES]
    listed.write_text("# rank level lower upper\n" + "\n".join(lines) + "\n")
    facts = plan("--patches", str(listed), "--ratios", "2,4x2x2", "--fields", "3", "--bits-per-block", "8")
    expected = esker.plan_mesh(3, PATCHES, ratios=RATIOS, fields=3, bits_per_block=8)
    del expected["text"]
    assert facts == json.loads(json.dumps(expected))
    whole = plan("--patches", str(listed), "--ratios", "3,4x2x2", "--format", "vtkhdf", "--fields", "2")
    assert whole["files"] == 1 and whole["stored_bytes"] == 16 * sum(level[1] for level in whole["levels"])
    assert "level 1: 1 patches, 2304 samples" in run("--patches", str(listed), "--ratios", "2,4x2x2")
    listed.write_text("0 0 1 2 3\n")
    message = "patches.txt:1: expected a rank, a level and two corners"
    assert message in run("--patches", str(listed), status=2)


def test_generated_patches_follow_a_surface() -> None:
    patches = fine_patches.around_surfaces(64, (25, 25, 25), (12, 12, 12), 100)
    coarse = [box for _, level, box in patches if level == 0]
    fine = [(rank, box) for rank, level, box in patches if level == 1]
    assert coarse == rank_boxes.split((100, 100, 100), 64)
    assert len({box for _, box in fine}) == 100
    per_rank = np.bincount([rank for rank, _ in fine], minlength=64)
    assert per_rank.min() >= 1 and per_rank.max() <= 2
    assert all(0 <= low < high <= 200 for _, (lo, hi) in fine for low, high in zip(lo, hi))
    with pytest.raises(ValueError, match="expected 0 to 4913 patches"):
        fine_patches.around_surfaces(64, (25, 25, 25), (12, 12, 12), 5000)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--ranks", "8", "--block", "8,8,8", "--ratios", "2"], "expected --patches or --fine-patches"),
        (["--ranks", "8", "--block", "8,8,8", "--fine-patches", "1", "--keep", "0.1"], "do not apply to meshes"),
        (["--ranks", "8", "--global", "8,8,8", "--fine-patches", "1"], "expected --block X,Y,Z"),
        (["--ranks", "8", "--block", "8,8,8", "--fine-patches", "1", "--ratios", "a"], "ratios such as"),
    ],
)
def test_wrong_usage_is_named(arguments: list[str], text: str) -> None:
    assert text in " ".join(run(*arguments, status=2).split())


def test_wrong_patches_are_named() -> None:
    box = ((0, 0), (4, 4))
    with pytest.raises(ValueError, match="no patch of level 0"):
        esker.plan_mesh(1, [(0, 1, box)], ratios=[2])
    with pytest.raises(ValueError, match="overlap in"):
        esker.plan_mesh(2, [(0, 0, box), (1, 0, ((3, 3), (5, 5)))])
    with pytest.raises(IndexError, match="a patch of level 1, expected 0 to 0"):
        esker.plan_mesh(2, [(0, 0, box), (1, 1, box)])
    with pytest.raises(ValueError, match="patch of rank 2: expected ranks 0 to 1"):
        esker.plan_mesh(2, [(2, 0, box)])
    with pytest.raises(ValueError, match="ratio 3"):
        esker.plan_mesh(1, [(0, 0, box), (0, 1, box)], ratios=[3])
