"""esker tune: the options that change how fast a run writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import esker
from esker.cli import esker as command

_STEP = ("--ranks", "16", "--block", "32,32,32", "--fields", "4")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command, ["tune", "space", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_space_lists_options_with_values_and_costs() -> None:
    space = json.loads(run(*_STEP, "--json"))
    assert space["ranks"] == 16
    options = {option["option"]: option for option in space["options"]}
    assert options["transport"]["cost"] == "a new plan"
    assert "messages" in options["transport"]["values"]
    assert options["bits_per_block"]["cost"] == "a new dataset"
    assert options["storage"]["cost"] == "closing and appending"
    assert "0" in options["aggregators"]["values"]


def test_space_follows_format_and_what_is_set() -> None:
    space = json.loads(run(*_STEP, "--format", "cdf5", "--aggregators", "4", "--json"))
    options = {option["option"]: option for option in space["options"]}
    assert options["aggregators"]["is_set"] and not options["transport"]["is_set"]
    assert options["pattern"]["values"] == ["auto", "contiguous", "slabs"]
    assert options["aggregate"]["values"] == ["auto", "true", "false"]


def test_space_as_text() -> None:
    text = run(*_STEP, "--aggregators", "4")
    assert "aggregators" in text and "set by the user" in text and "a new plan" in text


def test_wrong_usage() -> None:
    result = CliRunner().invoke(command, ["tune", "space", *_STEP, "--keep", "0.1,0.2"])
    assert result.exit_code == 2 and "single values" in result.output


def write_steps(path: Path, **options: object) -> dict[str, object]:
    """Writes some steps; returns the member "tuning" of the report."""
    samples = np.arange(32.0 * 32).reshape(32, 32)
    with esker.Writer(str(path), dims={"x": 32, "y": 32}, **options) as writer:
        field = writer.field("f", "f8")
        for step in range(8):
            with writer.step(time=float(step)) as s:
                s.put(field, samples + step)
    report = json.loads(path.with_suffix(".report.json").read_text())
    return report["tuning"]


def test_a_run_tunes_itself_and_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tuned = write_steps(tmp_path / "a.idx", tune="auto", tune_seed=3)
    assert tuned["default_s"] > 0 and tuned["state"]
    assert set(tuned["best"]) <= {"store_thread", "collective_buffer"}, "one rank has no exchange"
    replayed = write_steps(tmp_path / "b.idx", tune=f"replay:{tmp_path / 'a.report.json'}")
    assert replayed["changes"] == tuned["changes"]


def test_values_of_tune(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="off, auto or replay:"):
        esker.Writer(str(tmp_path / "a.idx"), dims={"x": 4}, tune="perhaps")


def test_reads_tune_themselves(tmp_path: Path) -> None:
    write_steps(tmp_path / "run.idx", tune="auto", tune_cache=False)
    reader = esker.Reader(tmp_path / "run.idx", tune="auto", tune_cache=False)
    for step in range(8):
        read = reader.read({"f": None}, step)["f"]
        assert np.array_equal(read, np.arange(32.0 * 32).reshape(32, 32) + step)
    tuning = reader.tuning()
    assert tuning is not None and tuning["default_s"] > 0 and tuning["best"] == {}
    assert esker.Reader(tmp_path / "run.idx").tuning() is None
