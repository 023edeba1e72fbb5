"""esker report: the phases of a run, and its timeline."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import esker
from esker.cli import esker as command
from esker.tune.explain import timeline

STEPS = 3


def report(*arguments: object) -> Result:
    return CliRunner().invoke(command, ["report", *map(str, arguments)])


def write_run(path: Path, pause_s: float = 0, **options: object) -> Path:
    samples = np.arange(64.0 * 64 * 8).reshape(8, 64, 64)
    with esker.Writer(str(path), dims={"x": 64, "y": 64, "z": 8}, **options) as writer:
        field = writer.field("f", "f8")
        for step in range(STEPS):
            with writer.step(time=float(step)) as s:
                s.put(field, samples + step)
        time.sleep(pause_s)
    return path.with_suffix(".report.json")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run.idx", report_timeline=True)


def test_prints_the_phases_of_a_step(run: Path) -> None:
    printed = report(run)
    assert printed.exit_code == 0, printed.output
    assert f"{STEPS} steps on 1 rank," in printed.output
    assert "pack" in printed.output


def test_the_spans_of_a_step_lie_in_it_and_add_up_to_its_phases(run: Path) -> None:
    found = json.loads(run.read_text())
    read = timeline.read(run, STEPS)
    assert list(read.steps) == list(range(STEPS))
    (row,) = read.rows
    length_s = {step["step"]: step["seconds"] for step in found["steps"]}
    for span in (*row.work, *row.store):
        begin_s = span.begin_s - read.steps[span.step]
        assert -length_s[span.step] <= begin_s <= begin_s + span.seconds <= length_s[span.step] + 1e-3
    sums: dict[str, float] = {}
    for span in (*row.work, *row.store):
        sums[span.kind] = sums.get(span.kind, 0.0) + span.seconds
    for phase in ("pack", "commit"):
        assert sums[phase] == pytest.approx(found["phases_s"][phase]["mean"], rel=0.05, abs=1e-4)


def test_draws_the_last_steps(run: Path) -> None:
    drawn = timeline.draw(timeline.read(run, 2))
    axes = drawn.axes[0]
    assert [text.get_text() for text in axes.texts] == ["step 1", "step 2"]
    last = max(span.begin_s + span.seconds for span in timeline.read(run, 2).rows[0].work)
    low, high = axes.get_xlim()
    assert low <= 0 < 1e3 * last <= high < 2e3 * last


@pytest.mark.parametrize("begins", [range(100), (0, 0.2, 100, 101, 400)], ids=["many", "uneven"])
def test_steps_are_labeled_where_there_is_room(begins: Sequence[float]) -> None:
    spans = [timeline.Span(step, "store", begin_s, 0.1) for step, begin_s in enumerate(begins)]
    rows = [timeline.Row(rank, spans, ()) for rank in range(4)]
    drawn = timeline.draw(timeline.Timeline(rows, dict(enumerate(begins))))
    drawn.draw_without_rendering()
    labels = drawn.axes[0].texts
    assert "step 0" in [label.get_text() for label in labels] and 3 <= len(labels) < len(begins)
    ends = [label.get_window_extent() for label in labels]
    assert all(left.x1 < right.x0 for left, right in zip(ends, ends[1:]))


def test_the_picture_is_named_after_the_report(run: Path) -> None:
    drawn = report("--timeline", run)
    assert drawn.exit_code == 0, drawn.output
    picture = run.with_name("run.timeline.png")
    assert drawn.output.strip() == str(picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert report("--timeline", run, "-o", run.with_name("a.svg")).exit_code == 0
    assert "<svg" in run.with_name("a.svg").read_text()


@pytest.mark.parametrize("options", [(), ("--timeline",)], ids=["phases", "timeline"])
def test_a_report_that_is_missing_says_when_there_is_one(tmp_path: Path, options: tuple[str, ...]) -> None:
    failed = report(*options, tmp_path / "run.report.json")
    assert failed.exit_code == 2
    assert "no such file; a run that has committed a step writes it when it closes its dataset" in " ".join(failed.output.split())


def test_a_run_without_a_timeline_says_how_to_get_one(tmp_path: Path) -> None:
    failed = report("--timeline", write_run(tmp_path / "plain.idx"))
    assert failed.exit_code == 2
    assert "write the run with report_timeline=true" in failed.output


@pytest.mark.parametrize("option", [("-o", "a.png"), ("--steps", 2)], ids=str)
def test_options_of_a_picture_without_one_are_refused(run: Path, option: tuple[str, object]) -> None:
    refused = report(run, *option)
    assert refused.exit_code == 2
    assert f"{option[0]} is for --timeline" in refused.output


def test_what_happens_after_the_last_step_is_not_of_it(tmp_path: Path) -> None:
    report_file = write_run(tmp_path / "run.idx", pause_s=0.3, report_timeline=True, fsync="close")
    row = timeline.read(report_file).rows[0]
    assert max(span.begin_s + span.seconds for span in (*row.work, *row.store)) < 0.25


@pytest.mark.parametrize(
    "spans", ["1 2", "99 0 1", "-1 0 1", "0 0 -5", "a b c", None, 7], ids=lambda value: repr(value)
)
def test_a_damaged_timeline_is_an_error_in_a_sentence(run: Path, spans: object) -> None:
    found = json.loads(run.read_text())
    found["timeline"]["ranks"][0]["steps"][-1]["work"] = spans
    run.write_text(json.dumps(found))
    failed = report("--timeline", run)
    assert failed.exit_code == 2
    assert "expected the timeline of a run" in failed.output


def test_a_step_whose_begin_was_lost_is_hatched(run: Path) -> None:
    whole = timeline.read(run)
    assert not whole.rows[0].lost
    found = json.loads(run.read_text())
    step = found["timeline"]["ranks"][0]["steps"][-1]
    step["cut"] = ["work", "store"]
    kind, begin, length = step["work"].split()[-3:]
    step["work"], step["store"] = f"{kind} {begin} {length}", ""
    run.write_text(json.dumps(found))
    cut = timeline.read(run)
    work, store = cut.rows[0].lost
    assert (work.kind, work.begin_s, work.seconds) == ("work", 0, pytest.approx(1e-6 * int(begin)))
    assert (store.kind, store.seconds) == ("store", pytest.approx(1e-6 * (int(begin) + int(length))))
    hatched = [bars for bars in timeline.draw(cut).axes[0].collections if bars.get_hatch()]
    assert len(hatched) == 2
    (legend,) = timeline.draw(cut).legends
    assert "not recorded" in [text.get_text() for text in legend.get_texts()]
    assert not [bars for bars in timeline.draw(whole).axes[0].collections if bars.get_hatch()]


def test_a_timeline_without_steps_says_why(run: Path) -> None:
    found = json.loads(run.read_text())
    found["timeline"]["ranks"][0]["steps"] = []
    run.write_text(json.dumps(found))
    assert "a step that failed had so many spans that it replaced them" in report("--timeline", run).output
    found["steps"] = []
    run.write_text(json.dumps(found))
    failed = report("--timeline", run)
    assert failed.exit_code == 2
    assert "the run committed no step" in failed.output


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        ({}, "expected an object with a list 'ranks', found {}"),
        ([], "expected an object with a list 'ranks', found []"),
        ({"kinds": []}, "expected an object with a list 'ranks'"),
        ({"ranks": [], "kinds": []}, "it has no steps"),
        ({"ranks": [{"steps": []}], "kinds": []}, "it has no steps"),
        ({"ranks": [[7]], "kinds": []}, "expected an object with a list 'steps', found [7]"),
    ],
    ids=str,
)
def test_a_timeline_without_steps_is_an_error_in_a_sentence(run: Path, damaged: object, said: str) -> None:
    found = json.loads(run.read_text())
    found["timeline"] = damaged
    run.write_text(json.dumps(found))
    failed = report("--timeline", run)
    assert failed.exit_code == 2
    assert f"{run}: expected the timeline of a run: {said}" in failed.output
