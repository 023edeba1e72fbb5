"""esker tune characterize: designs, sweeps that continue, tables, and the machines that it simulates."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import ROOT
from started import assert_ends_with_its_programs
from esker.tune import machine
from esker.tune.characterize import attributes, design, measuring, simulated, sweep, table, views, workloads
from esker.tune.characterize.design import Run, Work

pytest.importorskip("pyarrow")
pytest.importorskip("scipy")
PROGRAM = Path(os.environ.get("BENCH_PROGRAM", ROOT / "build/release/bench/esker-bench"))
LAPTOP = machine.read("laptop")


def measurement(default: Sequence[float], *settings: Sequence[float]) -> dict[str, Any]:
    """What esker-bench prints of packed buffers: seconds of two steps per repetition."""
    return {
        "steps": 2,
        "cases": [{"name": "packed", "write_s": list(s), "reports": []} for s in (default, *settings)],
    }


class FakeBench(measuring.Bench):
    """Measures nothing: the default takes 1 s, setting n takes n + 1 s. Fails if `fails`."""

    def measure(self, run: Run) -> list[dict[str, Any]]:
        if self.program == "fails":
            raise RuntimeError("no such host")
        seconds = [[2.0 * (n + 1)] * 3 for n in range(len(run.settings) + 1)]
        return measuring.results_of(measurement(*seconds))


def fake(program: str = "works") -> measuring.Bench:
    return FakeBench(program, "mpiexec", ".")


def a_sweep(path: Path, n_runs: int, **given: Any) -> table.Table:
    """Measures so many runs: the clock advances by a minute each time it is read, once before and once in a run."""
    ticks = count(0, 30)
    runs = design.runs((1, 2), seed=1, n_filling=20)
    bench = given.get("bench", fake())
    return sweep.sweep(
        path, runs, bench, LAPTOP, n_runs, notify=lambda _: None, clock=lambda: float(next(ticks))
    )


def test_ratios_are_of_pairs_of_repetitions() -> None:
    _, found = measuring.results_of(measurement([2.0, 4.0, 6.0], [1.0, 4.0, 12.0]))
    assert (found["ratio"], found["ratio_low"], found["ratio_high"]) == (1.0, 0.5, 2.0)
    assert (found["seconds"], found["best_seconds"], found["default_best_seconds"]) == (2.0, 0.5, 1.0)


def test_a_step_that_planned_does_not_count() -> None:
    steps = [{"seconds": s, "planned": s > 5, "plan_s": 0.25 if s > 5 else 0} for s in (9.0, 1.0, 3.0)]
    case = {"name": "idx_two_phase", "write_s": [13.0], "reports": [{"steps": steps}]}
    (found,) = measuring.results_of({"steps": 3, "cases": [case]})
    assert (found["seconds"], found["best_seconds"], found["plan_seconds"]) == (2.0, 1.0, 0.25)


def test_one_at_a_time_changes_one_option_and_has_the_default_against_itself() -> None:
    runs = design.one_at_a_time((4,))
    settings = [setting for run in runs for setting in run.settings]
    assert all(len(setting) <= 1 for setting in settings)
    assert (
        {"transport": "put"} in settings and {"aggregators": "2"} in settings and {"files": "16"} in settings
    )
    assert {"restructure": "off"} not in settings, "the default is no change"
    assert len({run.work.workload for run in runs if run.settings == ({}, {})}) > 3
    assert {run.work.mode for run in runs} == set(design.MODES)


def test_a_design_is_deterministic_and_fills_the_space() -> None:
    first, again = (list(design.space_filling((1, 2, 4), 5, 60)) for _ in range(2))
    assert [run.key() for run in first] == [run.key() for run in again]
    assert len({run.key() for run in first}) > 50
    assert {run.work.workload for run in first} >= {"boxes_1", "boxes_16", "s3d", "icesheet"}
    assert {len(setting) for run in first for setting in run.settings} >= {1, 2, 3}
    assert all(design.is_small(run.work) for run in first)


def test_settings_change_something_that_writers_do() -> None:
    runs = [*design.one_at_a_time((4,)), *design.space_filling((4,), 5, 30)]
    settings = [setting for run in runs for setting in run.settings]
    assert not {value for setting in settings for value in setting.values()} & set(design.DEFAULTS)
    assert not {"aggregate", "aggregate_reads"} & {option for setting in settings for option in setting}


def test_works_of_the_same_size_are_one_group_whatever_the_ranks() -> None:
    assert Work("s3d", (8, 8, 8), 1).group == Work("s3d", (8, 8, 8), 4, "cdf5", "network").group
    assert Work("s3d", (8, 8, 8), 1).group != Work("s3d", (8, 8, 9), 1).group


@pytest.mark.parametrize("workload", [*workloads.MICROBENCHMARK, *workloads.APPLICATIONS])
@pytest.mark.parametrize("ranks", [1, 4, 7])
def test_the_planner_knows_each_workload(workload: str, ranks: int) -> None:
    work = Work(workload, (20, 16, 12), ranks)
    facts = attributes.known(work, {}, LAPTOP)
    assert facts.data_bytes == sum(
        part.data_bytes for part in workloads.parts_of(workload, work.points, ranks)
    )
    assert facts.literature["ranks"] == ranks and facts.model_s[0] > 0
    assert set(facts.literature) == set(attributes.LITERATURE) and set(facts.plan) == set(attributes.PLAN)


def test_modes_are_parts_of_the_cost_model() -> None:
    seconds = {
        mode: float(attributes.known(Work("boxes_4", (32, 32, 32), 4, "idx", mode), {}, LAPTOP).model_s[0])
        for mode in design.MODES
    }
    assert 0 < seconds["network"] < seconds["both"] and seconds["storage"] > 0


@pytest.mark.parametrize("files", [1, 2, 3, 4, 9, 64])
def test_packed_buffers_cover_each_file_once(files: int) -> None:
    found = attributes.packed_loads(4, 1001, files, 4).extents
    file_bytes = -(-1001 // files)
    assert found.size.sum() == 1001 and len(set(found.file.tolist())) == -(-1001 // file_bytes)
    places = sorted((f * file_bytes + o, s) for f, o, s in zip(found.file, found.offset, found.size))
    assert [begin for begin, _ in places] == [0, *np.cumsum([size for _, size in places])[:-1]]


def test_a_sweep_ends_with_its_time_and_continues(tmp_path: Path) -> None:
    path = tmp_path / "here.parquet"
    first = a_sweep(path, 3)
    n_runs = len(set(first["run"]))
    assert 0 < n_runs < 10
    more = a_sweep(path, 12)
    assert set(first["run"]) < set(more["run"]), "no run is measured twice"
    assert len(more) == len(table.read(path)) == len(sweep.log_of(path).read_text().splitlines())


def test_a_killed_sweep_loses_at_most_the_run_that_it_measured(tmp_path: Path) -> None:
    path = tmp_path / "here.parquet"
    first = a_sweep(path, 3)
    log = sweep.log_of(path)
    log.write_text(log.read_text() + '{"run": "unfini')
    path.unlink()
    assert set(a_sweep(path, 12)["run"]) > set(first["run"])


def test_a_run_of_which_the_log_lacks_rows_is_measured_again(tmp_path: Path) -> None:
    path = tmp_path / "here.parquet"
    whole = a_sweep(path, 3)
    log = sweep.log_of(path)
    lines = log.read_text().splitlines(keepends=True)
    assert len({json.loads(line)["run"] for line in lines[-2:]}) == 1, "the last run has several rows"
    log.write_text("".join(lines[:-1]))
    made = a_sweep(path, 3)
    for given in (whole, made):
        counts = {run: int((given["run"] == run).sum()) for run in given["run"]}
        assert [counts[run] for run in given["run"]] == given["rows_of_run"].tolist()
    assert set(whole["run"]) <= set(made["run"])


def test_no_run_is_measured_twice(tmp_path: Path) -> None:
    path, ticks = tmp_path / "here.parquet", count(0, 30)
    run = Run(Work("boxes_1", (8, 8, 8), 1))
    made = sweep.sweep(
        path, [run, run], fake(), LAPTOP, 9, notify=lambda _: None, clock=lambda: float(next(ticks))
    )
    assert len(made) == 1


def test_a_foreign_log_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "here.parquet"
    sweep.log_of(path).write_text('{"run": "a"}\nhello\n')
    with pytest.raises(ValueError, match=r"here.parquet.log:2: expected a measurement .* found 'hello'"):
        a_sweep(path, 1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"store_rate": 1000.0}, "another store_rate: expected 1000.0, found 0.0"),
        ({"steps": 4}, "another steps: expected 4.0, found 3.0"),
        ({"repeat": 1}, "another repeat: expected 1.0, found 5.0"),
    ],
)
def test_a_log_of_other_measurements_is_not_continued(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    path = tmp_path / "here.parquet"
    a_sweep(path, 2)
    with pytest.raises(ValueError, match=f"log:1: .* {message}"):
        a_sweep(path, 2, bench=FakeBench("works", "mpiexec", ".", **changed))


@pytest.mark.parametrize("name", ["machine_kind", "esker", "cost_model", "file_system"])
def test_a_log_of_another_machine_is_not_continued(tmp_path: Path, name: str) -> None:
    path = tmp_path / "here.parquet"
    a_sweep(path, 2)
    log = sweep.log_of(path)
    log.write_text(log.read_text().replace(f'"{name}": "', f'"{name}": "other-'))
    with pytest.raises(ValueError, match=f"log:1: .* another {name}: expected .* found 'other-"):
        a_sweep(path, 2)


def test_runs_that_fail_are_left_out(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="nothing was measured"):
        a_sweep(tmp_path / "here.parquet", 2, bench=fake("fails"))
    assert not (tmp_path / "here.parquet").exists()


def test_quiet_seconds_are_those_of_the_fastest_step(tmp_path: Path) -> None:
    made = a_sweep(tmp_path / "here.parquet", 3)
    assert (made["quiet_seconds"] == made["best_seconds"]).all()


def test_a_table_is_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "here.parquet"
    made = a_sweep(path, 3)
    found = table.read(path)
    assert found.about == made.about and found.fingerprint() == made.fingerprint()
    assert found.where(np.arange(1)).fingerprint() != made.fingerprint()


def test_files_that_are_no_table_are_refused_by_name(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "t.parquet"
    with pytest.raises(FileNotFoundError, match="t.parquet: no such file"):
        table.read(path)
    path.write_bytes(b"PAR1 of something else")
    with pytest.raises(ValueError, match="t.parquet: expected a Parquet file"):
        table.read(path)
    parquet.write_table(pyarrow.table({"a": [1]}), path)
    with pytest.raises(ValueError, match="its metadata lack 'esker'"):
        table.read(path)
    parquet.write_table(pyarrow.table({"a": [1]}).replace_schema_metadata({b"esker": b"{}"}), path)
    with pytest.raises(ValueError, match="missing columns workload, group"):
        table.read(path)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("seconds", float("nan"), "above 0 in column 'seconds'"),
        ("ratio", -1.0, "above 0 in column 'ratio'"),
        ("default_best_seconds", 0.0, "above 0 in column 'default_best_seconds'"),
        ("data_bytes", 0.0, "above 0 in column 'data_bytes'"),
        ("machine_kind", None, "texts in column 'machine_kind'"),
        ("setting", "[1]", "JSON object in row 0 of 'setting'"),
        ("setting", '{"transport": 3}', "JSON object in row 0 of 'setting'"),
    ],
)
def test_bad_values_of_a_table_are_refused(tmp_path: Path, column: str, value: Any, message: str) -> None:
    path = tmp_path / "here.parquet"
    made = a_sweep(path, 2)
    made.columns[column][0] = value
    table.write(made, path)
    with pytest.raises(ValueError, match=message):
        table.read(path)


@pytest.mark.parametrize("name", ["format", "machine_kind", "is_default", "fields", "default_best_seconds"])
def test_a_table_without_a_column_that_models_need_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "here.parquet"
    made = a_sweep(path, 2)
    del made.columns[name]
    table.write(made, path)
    with pytest.raises(ValueError, match=f"here.parquet: .*{name}"):
        table.read(path)


@pytest.mark.parametrize(
    ("name", "value"), [("kind", 3), ("machine_kind", None), ("esker", []), ("store_rate", "x")]
)
def test_bad_metadata_of_a_table_are_refused(tmp_path: Path, name: str, value: Any) -> None:
    path = tmp_path / "here.parquet"
    made = a_sweep(path, 2)
    made.about[name] = value
    table.write(made, path)
    with pytest.raises(ValueError, match=f"here.parquet: expected .*{name}.* in its metadata"):
        table.read(path)


def test_simulated_tables_are_deterministic_and_differ_from_their_model() -> None:
    mira = machine.read("mira")

    def make() -> table.Table:
        ticks = count()
        return simulated.simulate(mira, (64,), 3, 0.1, lambda _: None, lambda: float(next(ticks)))

    made = make()
    assert made.fingerprint() == make().fingerprint()
    assert made.about["kind"] == "simulated" and made.about["machine_kind"] == "mira"
    assert np.std(np.log(made["seconds"] / made["model_s"])) > 0.01
    both = simulated.joined(
        [made, simulated.simulate(machine.read("edison"), (64,), 3, 0.02, lambda _: None)]
    )
    assert {group.split()[0] for group in both["group"]} == {"mira", "edison"}


def test_four_views_have_rows_and_are_drawn(tmp_path: Path) -> None:
    rows = []
    for run in islice(design.runs((1, 2, 4), seed=1), 40):
        rows += sweep.rows_of(run, fake(), LAPTOP)
    made = sweep.finished(rows, sweep.about(fake(), LAPTOP))
    assert all(len(views.rows_of(view, made)) > 0 for view in views.VIEWS)
    views.figure(made).savefig(tmp_path / "views.png")
    views.figure(made.where(made["mode"] == "storage")).savefig(tmp_path / "storage.png")
    assert (tmp_path / "storage.png").stat().st_size > 1000


def test_a_small_sweep_on_this_machine(
    esker_command: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    path = tmp_path / "here.parquet"
    arguments = (
        "--dir",
        tmp_path,
        "--minutes",
        "0.05",
        "--ranks",
        "1,2",
        "--repeat",
        "1",
        "--program",
        PROGRAM,
    )
    done = esker_command("tune", "characterize", path, *arguments, "--plot", tmp_path / "views.png")
    assert done.returncode == 0, done.stderr
    found = table.read(path)
    assert f"{len(found)} rows, measured" in done.stdout
    assert found["is_default"][0] == 1 and found["ratio"][0] == 1
    assert found.about["machine"]["file_system"] and json.loads(str(found["setting"][0])) == {}


def test_a_missing_program_is_named(
    esker_command: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    done = esker_command("tune", "characterize", tmp_path / "t.parquet", "--program", "/nowhere/bench")
    assert done.returncode == 1 and "/nowhere/bench" in done.stderr
    done = esker_command("tune", "characterize", tmp_path / "t.parquet", "--simulate", "nowhere")
    assert done.returncode == 2 and "no such machine file" in done.stderr


def a_program(tmp_path: Path, script: str) -> measuring.Bench:
    """A launcher that is a script; its last argument is the file for results."""
    launcher = tmp_path / "launcher"
    launcher.write_text(f"#!/bin/sh\n{script}\n")
    launcher.chmod(0o755)
    (tmp_path / "data").mkdir()
    return measuring.Bench("esker-bench", str(launcher), str(tmp_path / "data"), timeout_s=2)


def test_a_run_that_fails_or_hangs_is_named_and_leaves_no_files(tmp_path: Path) -> None:
    run = Run(Work("boxes_1", (8, 8, 8), 1))
    bench = a_program(tmp_path, "echo noise >&2; echo 'esker-bench: no space' >&2; exit 3")
    with pytest.raises(RuntimeError, match="launcher -n 1 .*: esker-bench: no space"):
        bench.measure(run)
    (tmp_path / "launcher").write_text("#!/bin/sh\nexec sleep 60\n")
    with pytest.raises(RuntimeError, match="did not end in 2 s"):
        bench.measure(run)
    assert not list((tmp_path / "data").iterdir())


def test_results_of_other_cases_are_an_error(tmp_path: Path) -> None:
    made = measurement([1.0], [2.0])
    made["cases"][1]["name"] = "packed files=8"
    (tmp_path / "made.json").write_text(json.dumps(made))
    bench = a_program(tmp_path, f'for last; do :; done; cp {tmp_path}/made.json "$last"')
    work = Work("boxes_1", (8, 8, 8), 1, mode="storage")
    assert [found["seconds"] for found in bench.measure(Run(work, ({"files": "8"},)))] == [0.5, 1.0]
    for settings in (({"files": "4"},), (), ({"files": "8"}, {"files": "4"})):
        with pytest.raises(RuntimeError, match=r"expected the cases \['packed'.*, found \['packed', 'packed f"):
            bench.measure(Run(work, settings))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_ranks(tmp_path: Path, number: signal.Signals) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    command = ["tune", "characterize", str(tmp_path.parent / f"{tmp_path.name}.parquet"), "--program", str(PROGRAM)]
    arguments = ["--dir", str(tmp_path), "--minutes", "1", "--ranks", "2", "--repeat", "1000"]
    assert_ends_with_its_programs([*command, *arguments], tmp_path, number)
