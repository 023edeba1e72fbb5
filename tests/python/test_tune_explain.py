"""esker tune explain: what bounds a run, limits, predictions, and Darshan logs."""

from __future__ import annotations

import copy
import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import esker
from esker import _core
from esker.cli import esker as command
from esker.tune import machine
from esker.tune.explain import access, effects, limits, run, run_report
from esker.tune.explain.phases import PHASES
from esker.tune.fit import trees

pytest.importorskip("pyarrow")


def explain(*arguments: object) -> Result:
    return CliRunner().invoke(command, ["tune", "explain", *map(str, arguments)])


@pytest.fixture(autouse=True)
def _no_installed_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Of a run of this library."""
    path = tmp_path / "run.idx"
    samples = np.arange(64.0 * 64 * 8).reshape(8, 64, 64)
    with esker.Writer(str(path), dims={"x": 64, "y": 64, "z": 8}) as writer:
        field = writer.field("f", "f8")
        for step in range(4):
            with writer.step(time=float(step)) as s:
                s.put(field, samples + step)
    return path.with_suffix(".report.json")


def a_run(**changed: Any) -> run_report.Run:
    """On 8 ranks with 2 writers: storing takes half of a step of one second."""
    phases = {name: run_report.Phase(0.0, 0.0, 0.0) for name in PHASES if name != "plan"} | {
        "store": run_report.Phase(0.5, 1.0, 0.75),
        "pack": run_report.Phase(0.25, 0.25, 0.25),
    }
    given: dict[str, Any] = {
        "ranks": 8, "steps": 4, "step_s": 1.0, "step_bytes": 8e8, "stored_bytes": 8e8, "writers": 2,
        "sent_bytes": 4e8, "buffer_bytes": 5e6, "phases": phases, "plan_s": 0.0, "planned_again": 0,
        "options": {"aggregators": "0", "transport": "auto", "collective_buffer": "0"},
    }
    return run_report.Run(**{**given, **changed})


def stump(attribute: str, threshold: float, below: float, above: float) -> trees.Trees:
    """A model with one decision; others are known, and do not matter."""
    names = (attribute, *({"aggregators", "collective_buffer", "transport=put"} - {attribute}))
    tree = {"attribute": [0, -1, -1], "threshold": [threshold, 0, 0], "left": [1, 0, 0], "right": [2, 0, 0]}
    arrays = {name: np.array(values) for name, values in (tree | {"value": [0, below, above]}).items()}
    return trees.Trees("decision_tree", "0.1.0", _core.machine_kind(), "sha256:0", names, 0.0, 1.0, (arrays,))


def test_a_report_of_a_run_is_explained(report: Path, tmp_path: Path) -> None:
    done = explain(report, "--machine", "laptop", "--plot", tmp_path / "run.png")
    assert done.exit_code == 0, done.output
    assert "4 steps on 1 rank," in done.output and "What bounds the step: " in done.output
    assert "would remain" in done.output and "No model is installed" in done.output
    assert (tmp_path / "run.png").stat().st_size > 1000
    facts = json.loads(explain(report, "--json").output)
    assert facts["bound"] in PHASES and sum(
        phase["share"] for phase in facts["phases"].values()
    ) == pytest.approx(1)
    assert "plan" not in facts["phases"], "one step of four planned"


def test_the_critical_path_bounds_the_step() -> None:
    facts = run.explain(a_run(), None, None)
    assert facts["bound"] == "store" and facts["phases"]["store"]["share"] == pytest.approx(3 / 4)
    assert "limits_s" not in facts and "effects" not in facts


def one_writer(**changed: Any) -> run_report.Run:
    """On 4 ranks: the store of one takes 5.4 of 7.3 ms, and the others wait for it."""
    phases = {name: run_report.Phase(0.0, 0.0, 0.0) for name in PHASES if name != "plan"} | {
        "store": run_report.Phase(1.35e-3, 5.4e-3, 5.4e-3),
        "exchange": run_report.Phase(0.5e-3, 0.6e-3, 0.6e-3),
        "wait": run_report.Phase(4.0e-3, 5.3e-3, 0.0),
        "pack": run_report.Phase(1.0e-3, 1.1e-3, 0.9e-3),
    }
    return a_run(ranks=4, writers=1, step_s=7.3e-3, phases=phases, **changed)


def test_waiting_is_booked_to_what_is_waited_for() -> None:
    facts = run.explain(one_writer(), None, None)
    assert facts["bound"] == "store" and facts["waiting"]["phase"] == "store"
    assert facts["waiting"]["mean_s"] == pytest.approx(4.0e-3)
    assert any("wait 4 ms of a step on average, most of it for store" in said for said in facts["sentences"])
    assert not run.explain(a_run(), None, None)["waiting"]["mean_s"], "no rank waits"


@pytest.mark.parametrize(("files", "may_be_fewer"), [(1, False), (2, True), (None, True)], ids=str)
def test_fewer_files_are_advised_only_where_a_step_has_several(
    files: float | None, may_be_fewer: bool
) -> None:
    advice = run.explain(a_run(options={"format": "idx"}, files_per_step=files), None, None)["advice"]
    assert ("fewer, larger files (blocks_per_file)" in advice) == may_be_fewer


def test_files_of_a_step_are_those_of_the_report(report: Path) -> None:
    assert run_report.read(report).files_per_step == 1
    found = json.loads(report.read_text())
    for step in found["steps"]:
        del step["files"]
    report.write_text(json.dumps(found))
    assert run_report.read(report).files_per_step is None


def test_a_run_is_not_advised_to_do_what_it_does() -> None:
    advice = run.explain(one_writer(), None, None)["advice"]
    assert "more aggregators" in advice and not any("fewer aggregators" in text for text in advice)
    assert "more aggregators" not in run.explain(dataclasses.replace(one_writer(), writers=4), None, None)["advice"]


def test_planning_again_is_mentioned_if_it_takes_long() -> None:
    first = run.explain(a_run(plan_s=3.0), None, None)["sentences"]
    assert not any("planned" in sentence for sentence in first), "the first plan is needed"
    said = run.explain(a_run(plan_s=3.0, planned_again=2), None, None)["sentences"]
    assert any("2 of 4 steps planned again, for 3 s each" in sentence for sentence in said)


def test_what_the_run_tried_itself_is_told_and_not_advised() -> None:
    tuning = run_report.Tuning(
        "settled on the default: 5 settings were tried", {}, 1.0, 1.0, frozenset({"aggregators"})
    )
    facts = run.explain(one_writer(tuning=tuning), None, None)
    assert any("tune=auto: settled on the default: 5 settings were tried." in said for said in facts["sentences"])
    assert not any("aggregators" in text for text in facts["advice"])


def test_steps_that_tuning_planned_are_no_fault(report: Path) -> None:
    found = json.loads(report.read_text())
    found["steps"][2]["planned"] = True
    report.write_text(json.dumps(found))
    assert run_report.read(report).planned_again == 1
    probe = {"step": 2, "setting": {"aggregators": "1"}, "steps": 1}
    found["tuning"] = {"state": "trying", "best": {}, "best_s": 1, "default_s": 1, "probes": [probe], "changes": []}
    report.write_text(json.dumps(found))
    tuned = run_report.read(report)
    assert tuned.planned_again == 0 and tuned.tuning is not None and tuned.tuning.tried == {"aggregators"}


def test_a_report_of_an_earlier_version_is_explained(report: Path) -> None:
    found = json.loads(report.read_text())
    del found["critical_path_s"], found["phases_s"]["wait"]
    found["phases_s"]["store"] = {"min": 0.0, "mean": 1.0, "max": 4.0}
    found["phases_s"]["exchange"] = {"min": 0.2, "mean": 3.2, "max": 4.0}
    report.write_text(json.dumps(found))
    facts = run.explain(run_report.read(report), None, None)
    assert facts["bound"] == "store" and facts["waiting"]["mean_s"] == pytest.approx(3.0 / 4, rel=0.01)


def test_limits_are_those_of_the_machine() -> None:
    laptop, mira = machine.read("laptop"), machine.read("mira")
    found = limits.limits(a_run(), laptop)
    rate = {name: laptop.parameters[name].value for name in ("copy_bandwidth", "write_bandwidth")}
    assert found["memory copy"] == pytest.approx(8e8 / (2 * rate["copy_bandwidth"]))
    assert found["network"] == 0 and found["target"] >= 8e8 / (2 * rate["write_bandwidth"])
    of_many = limits.limits(a_run(ranks=32), mira)
    assert of_many["network"] == pytest.approx(4e8 / (2 * mira.parameters["network_bandwidth"].value))
    facts = run.explain(a_run(), laptop, None)
    assert facts["times_the_limit"] == pytest.approx(1 / max(found.values()))


def test_effects_double_and_halve_what_is_in_effect() -> None:
    found = effects.effects(a_run(), stump("aggregators", 3.0, 0.0, -1.0), 1)
    by_change = {(effect["option"], effect["change"]): effect for effect in found}
    assert by_change["aggregators", "doubled"] == {
        "option": "aggregators", "change": "doubled", "now": "2", "then": "4", "ratio": 0.5
    }
    assert by_change["aggregators", "halved"]["ratio"] == 1
    assert by_change["collective_buffer", "doubled"]["now"] == "4M", "the largest power of two of 5 MB"
    assert found[0]["then"] == "4", "the fastest first"
    assert [effect["then"] for effect in found if effect["change"] == "set"] == ["put"]


def test_no_more_aggregators_than_ranks_are_proposed() -> None:
    found = effects.effects(a_run(writers=8), stump("aggregators", 3.0, 0.0, -1.0), 1)
    assert not [
        effect for effect in found if effect["option"] == "aggregators" and effect["change"] == "doubled"
    ]


def test_defaults_are_no_setting() -> None:
    options = {"aggregators": "0", "restructure": "off", "transport": "put", "compress": "", "pattern": "auto"}
    assert a_run(options=options).setting() == {"transport": "put"}


def test_a_setting_of_the_run_is_the_base_of_predictions() -> None:
    used = a_run(options={"aggregators": "4", "transport": "put", "collective_buffer": "64K"})
    found = effects.effects(used, stump("transport=put", 0.5, 0.0, 1.0), 1)
    assert not [effect for effect in found if effect["then"] == "put"]
    assert {effect["now"] for effect in found if effect["option"] == "collective_buffer"} == {"64K"}


def test_the_installed_model_is_used_or_its_refusal_is_said(report: Path, tmp_path: Path) -> None:
    model = stump("transport=put", 0.5, 0.0, -1.0)
    trees.write(model, trees.installed_path())
    done = explain(report)
    assert "The model predicts 0.50 of the time with transport=put (now auto)" in done.output
    text = trees.installed_path().read_text()
    trees.installed_path().write_text(
        text.replace(f'"machine":"{_core.machine_kind()}"', '"machine":"elsewhere"')
    )
    done = explain(report)
    assert done.exit_code == 0 and "another machine" in done.output and "'elsewhere'" in done.output
    done = explain(report, "--model", trees.installed_path())
    assert done.exit_code == 2 and "'elsewhere'" in done.output, "one that was asked for must be good"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("steps",), []),
        (("steps",), {"a": 1}),
        (("ranks",), 0),
        (("ranks",), float("nan")),
        (("ranks",), 10**400),
        (("steps", 1, "writers"), 1e308),
        (("phases_s", "store", "mean"), -1),
        (("phases_s",), {}),
        (("per_rank", "sent_bytes"), 3),
        (("configuration",), [1, 2]),
        (("critical_path_s", "store"), "long"),
        (("tuning",), [1]),
        (("storage", "stripe_size"), None),
        (("steps", 1, "seconds"), "long"),
        (("steps", 0, "planned"), None),
    ],
)
def test_damaged_reports_are_refused_by_name(report: Path, path: tuple[Any, ...], value: Any) -> None:
    found = json.loads(report.read_text())
    place = found = copy.deepcopy(found)
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    report.write_text(json.dumps(found))
    if path[-1] == "planned":
        run_report.read(report)  # means the same as false
        return
    with pytest.raises(ValueError, match=r"report.json: expected the JSON report of a run"):
        run_report.read(report)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", "[" * 100_000, '{"steps": [3]}'])
def test_text_that_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    done = explain(path)
    assert done.exit_code == 2 and "expected the JSON report of a run" in " ".join(done.output.split())


def test_a_missing_report_is_named(tmp_path: Path) -> None:
    done = explain(tmp_path / "none.json")
    assert done.exit_code == 2 and "no such file" in done.output


def logs() -> Path:
    """The examples that PyDarshan installs."""
    darshan = pytest.importorskip("darshan")
    return Path(darshan.__file__).parent / "examples" / "example_logs"


def test_a_darshan_log_is_explained(tmp_path: Path) -> None:
    done = explain(logs() / "ior_hdf5_example.darshan", "--plot", tmp_path / "log.png")
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split())
    assert "POSIX: 0.645 s of all ranks" in text and "MPI-IO: 0.806 s of all ranks" in text
    assert "100 % of 23 writes are smaller than 1 MB" in text
    assert "the ranks share 1 file: they wait for locks" in text
    assert "23 MPI-IO writes are independent and 0 collective" in text
    assert (tmp_path / "log.png").stat().st_size > 1000


def test_a_file_per_rank_is_seen() -> None:
    facts = json.loads(explain(logs() / "sample-badost.darshan", "--json").output)
    assert facts["ranks"] == 2048 and facts["modules"]["POSIX"]["files"] >= 2048
    assert any("does not scale" in sentence for sentence in facts["sentences"])


def test_a_log_without_counters_says_so() -> None:
    done = explain(logs() / "noposix.darshan")
    assert done.exit_code == 0 and "neither POSIX nor MPI-IO" in done.output


def test_damaged_logs_are_refused(tmp_path: Path) -> None:
    whole = (logs() / "ior_hdf5_example.darshan").read_bytes()
    path = tmp_path / "bad.darshan"
    for content in (b"", b"not a log", whole[: len(whole) // 4], whole[: len(whole) // 10]):
        path.write_bytes(content)
        done = explain(path)
        assert done.exit_code == 2 and "bad.darshan: expected a Darshan log" in " ".join(done.output.split())


def test_good_accesses_get_no_advice() -> None:
    counters = {
        "files": 1.0,
        "shared_files": 0.0,
        "SIZE_WRITE_4M_10M": 10.0,
        "WRITES": 10.0,
        "F_WRITE_TIME": 5.0,
    }
    facts = access.explain({"nprocs": 4, "seconds": 9.0, "modules": {"POSIX": counters}})
    assert len(facts["sentences"]) == 1
