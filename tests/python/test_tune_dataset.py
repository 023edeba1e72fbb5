"""esker tune dataset: options that only a new dataset can have."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from started import assert_ends_with_its_programs

from conftest import ROOT
from esker.cli import esker as command
from esker.tune import dataset_search
from esker.tune.characterize import measuring
from esker.tune.characterize.design import Run, Work
from esker.tune.dataset_search import Tried

PROGRAM = Path(os.environ.get("BENCH_PROGRAM", ROOT / "build/release/bench/esker-bench"))
WORK = Work("boxes_4", (16, 16, 16), 4)


@dataclass(frozen=True)
class KnownMachine(measuring.Bench):
    """Measures nothing: the factors of options multiply the time of a step. Repetitions differ, and `lucky` is faster in
    `lucky_in` of them only; with `refused` the program fails."""

    repeat: int = dataset_search.REPEAT
    factors: dict[tuple[str, str], float] = field(default_factory=dict)
    lucky: tuple[str, str] | None = None
    lucky_in: int = 10
    refused: tuple[str, str] | None = None
    fast_jobs: int = 1000
    """In later jobs all settings are alike."""
    jobs: list[Run] = field(default_factory=list)

    def run(self, run: Run) -> dict[str, Any]:
        self.jobs.append(run)
        cases = [self._case(dict(setting)) for setting in ({}, *run.settings)]
        return {"steps": 1, "data_bytes_per_step": 8, "cases": cases}

    def _case(self, setting: dict[str, str]) -> dict[str, Any]:
        if self.refused in setting.items():
            raise RuntimeError("esker-bench: kUnsupported")
        seconds = []
        for repetition in range(self.repeat):
            step_s = 1 + 0.25 * (repetition % 3)
            for option in setting.items():
                if len(self.jobs) <= self.fast_jobs:
                    step_s *= self.factors.get(option, 1.0)
                if option == self.lucky:
                    step_s *= 0.8 if repetition < self.lucky_in else 1.3
            seconds.append(step_s)
        return {"name": "packed", "write_s": seconds, "reports": [], "stored_bytes_per_step": 8}


def machine(factors: dict[tuple[str, str], float], **given: Any) -> KnownMachine:
    return KnownMachine("esker-bench", "mpiexec", ".", factors=factors, **given)


def search(bench: measuring.Bench, *options: str) -> dataset_search.Found:
    return dataset_search.search(bench, WORK, options, lambda tried: None)


def test_the_options_have_values_around_those_in_effect() -> None:
    space = dataset_search.options_of(WORK)
    assert set(space) == {"partitions", "bits_per_block", "blocks_per_file", "in_block", "compression"}
    for now, others in space.values():
        assert others and now not in others
    of_netcdf = dataset_search.options_of(Work("boxes_4", (16, 16, 16), 4, "netcdf4"))
    assert of_netcdf == {
        "chunks": ("auto", ["decomposition"]),
        "compression": ("none", ["zip"]),
    }


def test_options_are_taken_one_after_the_other() -> None:
    fast = {("partitions", "2"): 0.9, ("in_block", "hz"): 0.8}
    found = search(machine(fast), "partitions", "in_block")
    assert found.best == dict(fast.keys())
    assert found.whole and found.whole.ratio == pytest.approx(0.72)
    assert [each.ratio for each in found.tried] == pytest.approx([0.9, 1.0, 0.8])
    assert found.tried[-1].setting == found.best, "measured on top of what was taken"


def test_the_default_stays_where_nothing_is_proven_to_be_faster() -> None:
    for bench in (
        machine({("in_block", "hz"): 1.2}),
        machine({("in_block", "hz"): 0.99}),
        machine({}, lucky=("in_block", "hz")),
    ):
        found = search(bench, "in_block")
        assert (found.best, found.whole) == ({}, None)


def test_a_value_that_cannot_be_written_is_told_and_others_are_measured() -> None:
    bench = machine({("partitions", "4"): 0.5}, refused=("partitions", "2"))
    refused, taken = search(bench, "partitions").tried
    assert "kUnsupported" in refused.failure and not refused.is_faster
    assert taken.ratio == pytest.approx(0.5) and taken.is_faster


@pytest.mark.parametrize("refused", [None, ("compression", "zip")])
def test_the_best_of_several_values_has_to_be_proven_more_clearly(refused: tuple[str, str] | None) -> None:
    """12 of 15 repetitions prove a single value (chance: 1.8 %), but not the best of three."""
    assert search(machine({}, lucky=("in_block", "hz"), lucky_in=12), "in_block").tried[0].is_faster
    several = machine({}, lucky=("compression", "lz4"), lucky_in=12, refused=refused)
    assert not any(each.is_faster for each in search(several, "compression").tried)


def test_what_is_not_faster_again_is_not_taken() -> None:
    found = search(machine({("in_block", "hz"): 0.8}, fast_jobs=1), "in_block")
    assert found.tried[0].is_faster and found.whole and not found.whole.is_faster
    assert found.best == {}


def test_a_machine_that_measures_nothing_is_an_error() -> None:
    class Broken(KnownMachine):
        def run(self, run: Run) -> dict[str, Any]:
            raise RuntimeError("no such host")

    with pytest.raises(RuntimeError, match="no such host"):
        search(Broken("esker-bench", "mpiexec", "."), "in_block")


def test_the_picture_shows_all_that_was_measured() -> None:
    found = search(machine({("in_block", "hz"): 0.8}, refused=("partitions", "2")), "partitions", "in_block")
    (axes,) = dataset_search.figure_of(found).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "partitions=4",
        "in_block=hz",
        "in_block=hz, all",
    ]


def test_chance_is_that_of_a_fair_coin() -> None:
    assert dataset_search.chance(12, 15) == pytest.approx(0.0176, abs=1e-4)


@pytest.mark.skipif(not PROGRAM.exists(), reason="esker-bench is not built")
def test_a_real_search_prints_lines_for_the_configuration(tmp_path: Path) -> None:
    arguments = ["tune", "dataset", "boxes_1", "--block", "16,16,16", "--ranks", "2", "--dir", str(tmp_path)]
    arguments += ["--program", str(PROGRAM), "--repeat", "2", "--option", "in_block", "--option", "compression"]
    picture = tmp_path / "ratios.png"
    result = CliRunner().invoke(command, [*arguments, "--plot", str(picture), "--json"])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert [tried["setting"] for tried in facts["tried"]] == [
        {"in_block": "hz"},
        {"compression": "zip"},
        {"compression": "lz4"},
        {"compression": "zfp-reversible"},
    ]
    of_order, of_zip, _, of_zfp = (tried["stored_over_data"] for tried in facts["tried"])
    assert of_order == 1 and of_zip < 1 and of_zfp < 1, "smooth data compress"
    assert facts["best"] == {}, "two repetitions prove nothing"
    assert picture.stat().st_size > 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ratios.png"], "nothing else is left behind"


def test_wrong_options_are_named() -> None:
    result = CliRunner().invoke(
        command, ["tune", "dataset", "boxes_1", "--block", "16,16,16", "--option", "aggregators"]
    )
    assert result.exit_code == 2 and "aggregators" in result.output and "bits_per_block" in result.output


def test_results_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    found = search(machine({("in_block", "hz"): 0.8}, refused=("partitions", "2")), "partitions", "in_block")
    monkeypatch.setattr(dataset_search, "search", lambda *_: found)
    monkeypatch.setattr("esker.cli.tune_dataset.program_and_launcher", lambda *_: ("esker-bench", "mpiexec"))
    result = CliRunner().invoke(command, ["tune", "dataset", "boxes_4", "--block", "16,16,16"])
    assert result.exit_code == 0, result.output
    assert 'in_block = "hz"' in result.output and "cannot be written" in result.output


def test_tried_settings_are_told() -> None:
    told: list[Tried] = []
    dataset_search.search(machine({}), WORK, ["in_block"], told.append)
    assert [each.setting for each in told] == [{"in_block": "hz"}]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_files_and_no_ranks(tmp_path: Path, number: signal.Signals) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    words = ["tune", "dataset", "s3d", "--block", "24,24,24", "--ranks", "2", "--repeat", "10000"]
    assert_ends_with_its_programs([*words, "--program", str(PROGRAM), "--dir", str(tmp_path)], tmp_path, number)
