"""esker tune explain: what bounds a run, limits, predictions, and Darshan logs."""

from __future__ import annotations

import copy
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
    phases = {name: (0.0, 0.0) for name in PHASES if name != "plan"} | {
        "store": (0.5, 1.0),
        "pack": (0.25, 0.25),
    }
    given: dict[str, Any] = {
        "ranks": 8, "steps": 4, "step_s": 1.0, "step_bytes": 8e8, "stored_bytes": 8e8, "writers": 2,
        "sent_bytes": 4e8, "buffer_bytes": 5e6, "phases": phases, "plan_s": 0.0, "planned_steps": 1,
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
    assert "4 steps on 1 ranks" in done.output and "Longest phase: " in done.output
    assert "would remain" in done.output and "No model is installed" in done.output
    assert (tmp_path / "run.png").stat().st_size > 1000
    facts = json.loads(explain(report, "--json").output)
    assert facts["bound"] in PHASES and sum(
        phase["share"] for phase in facts["phases"].values()
    ) == pytest.approx(1)
    assert "plan" not in facts["phases"], "one step of four planned"


def test_the_longest_phase_bounds_the_step() -> None:
    facts = run.explain(a_run(), None, None)
    assert facts["bound"] == "store" and facts["phases"]["store"]["share"] == pytest.approx(2 / 3)
    assert any("slowest rank takes 2.0 times" in sentence for sentence in facts["sentences"])
    assert "limits_s" not in facts and "effects" not in facts


def test_planning_is_mentioned_if_it_takes_longer_than_a_step() -> None:
    said = run.explain(a_run(plan_s=3.0), None, None)["sentences"]
    assert any("1 of 4 steps planned, for 3 s each" in sentence for sentence in said)


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
