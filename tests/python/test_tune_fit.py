"""esker tune fit: errors of models, models in files, and trees for writers."""

from __future__ import annotations

import copy
import json
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import esker
from conftest import ROOT
from esker import _core
from esker.cli import esker as command
from esker.cli import tune_fit
from esker.tune import extras, machine
from esker.tune.characterize import attributes, design, measuring, sweep, table
from esker.tune.characterize.design import Run
from esker.tune.fit import evaluation, extrapolation, features, figures, models, stored, trees
from esker.tune.fit.sound import is_sound

pytest.importorskip("pyarrow")
pytest.importorskip("sklearn")
pytest.importorskip("skops")
WORKLOADS = ("boxes_1", "boxes_4", "boxes_16", "s3d", "icesheet")


def known_law(machine_kind: str = "vm", noise: float = 0.0) -> table.Table:
    """Rows whose seconds are twice those of the cost model, and where one aggregator for all ranks takes half as
    long, put as long, as the default."""
    random = np.random.default_rng(2)
    rows = []
    for workload in WORKLOADS:
        for edge in (8, 16, 32):
            for ranks in (1, 2, 4, 8):
                for setting in ({}, {"aggregators": "1"}, {"transport": "put"}):
                    rows.append(a_row(workload, edge, ranks, setting, float(np.exp(noise * random.normal()))))
    about = {"kind": "measured", "machine_kind": machine_kind, "esker": "0.1.0"}
    made = table.of_rows(rows, about)
    made.columns["machine_kind"] = np.array([machine_kind] * len(rows), dtype=object)
    made.columns["quiet_seconds"] = made["seconds"]
    return made


def a_row(workload: str, edge: int, ranks: int, setting: dict[str, str], factor: float) -> dict[str, Any]:
    size = float(edge**3 * ranks * 8)
    model = 1e-3 + size / 1e9 * (1 + 0.2 * math.log2(ranks))
    ratio = 0.5 if setting == {"aggregators": "1"} else 1.0
    literature = dict.fromkeys(attributes.LITERATURE, 1.0) | {
        **{f"local_{axis}": float(edge) for axis in "xyz"},
        "ranks": float(ranks),
        "aggregators": 1.0 if ratio < 1 else float(ranks),
    }
    return {
        "run": f"{workload} {edge} {ranks}",
        "workload": workload,
        "group": f"{workload} {edge}",
        "mode": "both",
        "format": "idx",
        "setting": json.dumps(setting),
        "is_default": float(not setting),
        **literature,
        **dict.fromkeys(attributes.PLAN, 2.0 * ranks),
        "data_bytes": size,
        "model_s": model,
        "seconds": 2 * model * ratio * factor,
        "ratio": ratio * factor,
        "default_seconds": 2 * model,
    }


def test_there_are_thirteen_models_of_which_the_literature_has_twelve() -> None:
    assert len(models.MODELS) == 13
    assert [model.name for model in models.MODELS if model.literature is None] == ["RBF support vectors"]
    for model in models.MODELS:
        assert hasattr(model.pipeline(), "fit")


def test_a_workload_is_never_in_both_sets() -> None:
    given = known_law()
    tested = []
    for train, test in evaluation.folds(given):
        assert not set(given["group"][train]) & set(given["group"][test])
        tested += test.tolist()
    assert sorted(tested) == list(range(len(given)))
    with pytest.raises(ValueError, match="at least 5 workloads or sizes, found 1"):
        evaluation.folds(given.where(given["group"] == "s3d 8"))


def test_errors_are_in_percent_of_what_was_observed() -> None:
    found = evaluation.errors(np.array([1.0, 3.0]), np.array([2.0, 2.0]))
    assert (found.mean, found.median, found.rows) == (50.0, 50.0, 2)


@pytest.mark.slow
def test_the_hybrid_learns_what_the_cost_model_misses() -> None:
    rows = {row["model"]: row for row in evaluation.table_of_models(known_law(noise=0.02))}
    assert len(rows) == 16
    assert rows["cost model"]["mean"] > 30, "it is wrong by a factor of 2, or 1 with one aggregator"
    assert rows["cost model, scaled"]["mean"] < rows["cost model"]["mean"]
    assert rows["hybrid"]["mean"] < 5
    assert rows["gradient boosting"]["literature"] == 8.1


@pytest.mark.slow
def test_attributes_are_added_set_by_set() -> None:
    given = known_law()
    names = [set(features.matrix(given, which)[1]) for which in features.SETS]
    assert names[0] == set(attributes.LITERATURE) and names[1] - names[0] == set(attributes.PLAN)
    assert "transport=put" in names[2] - names[1] and names[3] - names[2] == {"model_s"}
    rows = list(evaluation.ablation(given))
    assert [row["attributes"] for row in rows] == [
        which for which in features.SETS for _ in evaluation.ABLATED
    ]
    given.columns["machine_kind"][:5] = "other"
    assert {"machine=vm", "machine=other"} <= set(features.matrix(given, "literature")[1])
    given.columns["messages"][3] = np.nan
    with pytest.raises(ValueError, match="lacks values of the attribute 'messages'"):
        features.matrix(given)


def test_extrapolation_trains_on_few_ranks_and_on_the_microbenchmark() -> None:
    given = known_law(noise=0.02)
    splits = {split.name: split for split in extrapolation.splits(given)}
    few = splits["up to 4 ranks, predict 8"]
    assert set(given["ranks"][few.train]) == {1, 2, 4} and set(given["ranks"][few.test]) == {8}
    micro = splits["microbenchmark, predict icesheet"]
    assert set(given["workload"][micro.test]) == {"icesheet"} and "s3d" not in given["workload"][micro.train]
    found = extrapolation.compare(given, few)
    assert found["hybrid_wins"] and found["best_pure"] in models.BY_NAME
    assert len(found["models"]) == 16


def test_updates_correct_a_constant_factor() -> None:
    observed = np.full(20, 3.0)
    found = extrapolation.updated(np.ones(20), observed)
    assert found[0] == 1 and abs(found[-1] / 3 - 1) < 0.15
    assert (extrapolation.updated(observed, observed) == observed).all()


def test_noise_is_that_of_the_default_against_itself() -> None:
    given = known_law()
    assert evaluation.noise(given) is None
    given.columns["best_seconds"] = given["default_seconds"] * np.where(given["ranks"] == 8, 1.1, 1.0)
    given.columns["default_best_seconds"] = given["default_seconds"]
    given.columns["is_default"] = np.zeros(len(given))
    chosen = given.where(given["ranks"] == 8)
    found = evaluation.noise(chosen)
    assert found is not None and found.percent == pytest.approx(10.0)
    assert (found.rows, found.groups) == (int((chosen["setting"] == "{}").sum()), 15)


def test_pictures_are_drawn(tmp_path: Path) -> None:
    given = known_law()
    rows = [{"model": "ridge", "mean": 3.0, "median": 2.0, "literature": 20.2}]
    split = extrapolation.splits(given)[0]
    figures.figure(given, rows, [(split, "ridge")]).savefig(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 1000


def a_model() -> stored.Stored:
    return next(model for model in stored.trained_on(known_law()) if model.name == "ridge")


@pytest.mark.slow
def test_a_model_is_what_was_stored(tmp_path: Path) -> None:
    given = known_law()
    for model in stored.trained_on(given):
        path = tmp_path / "m.skops"
        stored.write(model, path)
        found = stored.read(path, "vm", "0.1.0")
        assert (found.name, found.data) == (model.name, given.fingerprint())
        x = np.ones((2, len(model.attributes)))
        assert (found.predict(x) == model.predict(x)).all()


def test_models_of_other_machines_and_versions_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "m.skops"
    stored.write(a_model(), path)
    with pytest.raises(ValueError, match="another machine: expected 'login', found 'vm'"):
        stored.read(path, "login", "0.1.0")
    with pytest.raises(ValueError, match=r"another version of Esker: expected '9.9', found '0.1.0'"):
        stored.read(path, "vm", "9.9")


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("evil"),))


def test_hostile_models_are_refused_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "m.skops"
    with pytest.raises(FileNotFoundError, match="m.skops: no such model"):
        stored.read(path, "vm", "0.1.0")
    path.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(ValueError, match="m.skops: expected a model"):
        stored.read(path, "vm", "0.1.0")
    import skops.io

    skops.io.dump({"esker_model": 1, "about": {}, "estimator": subprocess.Popen}, path)
    with pytest.raises(ValueError, match="subprocess.Popen, which is no part of a model"):
        stored.read(path, "vm", "0.1.0")
    skops.io.dump({"esker_model": 1, "about": {"name": 3}, "estimator": None}, path)
    with pytest.raises(ValueError, match="expected the texts"):
        stored.read(path, "vm", "0.1.0")
    assert not (tmp_path / "evil").exists()


@pytest.fixture(scope="module")
def trained_models() -> dict[str, stored.Stored]:
    return {model.name: model for model in stored.trained_on(known_law())}


def cycle(tree: Any) -> None:
    tree.tree_.children_left[0] = 0


def foreign_tree(forest: Any) -> None:
    from sklearn.tree import ExtraTreeRegressor

    forest.estimators_[3].__class__ = ExtraTreeRegressor


def no_first_predictions(boosting: Any) -> None:
    boosting.init_.n_outputs_ = 0


def zero_first_predictions(boosting: Any) -> None:
    boosting.init_, boosting.n_trees_per_iteration_ = "zero", 0


def set_to(name: str, change: Callable[[Any], Any]) -> Callable[[Any], None]:
    return lambda model: setattr(model, name, change(getattr(model, name)))


_DAMAGES = [
    ("decision tree", cycle),
    ("random forest", foreign_tree),
    ("random forest", lambda forest: forest.estimators_[3].tree_.feature.fill(10_000)),
    ("gradient boosting", set_to("estimators_", lambda parts: parts.reshape(4, 50))),
    ("gradient boosting", no_first_predictions),
    ("gradient boosting", zero_first_predictions),
    ("RBF support vectors", set_to("kernel", lambda _: "precomputed")),
    ("RBF support vectors", set_to("_impl", lambda _: "c_svc")),
    ("RBF support vectors", set_to("_sparse", lambda _: True)),
    ("RBF support vectors", set_to("dual_coef_", lambda numbers: numbers[:, :-1])),
    ("RBF support vectors", set_to("_dual_coef_", lambda numbers: numbers[:, :-1].copy())),
    ("RBF support vectors", set_to("_n_support", lambda numbers: numbers[:1].copy())),
    ("polynomial support vectors", set_to("_n_support", lambda numbers: numbers * 1000)),
    ("polynomial support vectors", set_to("_intercept_", lambda numbers: numbers[:0].copy())),
]


@pytest.mark.parametrize(("name", "damage"), _DAMAGES)
def test_models_that_contradict_themselves_are_refused(
    trained_models: dict[str, stored.Stored], tmp_path: Path, name: str, damage: Callable[[Any], Any]
) -> None:
    model = copy.deepcopy(trained_models[name])
    damage(model.estimator[-1])
    stored.write(model, tmp_path / "m.skops")
    with pytest.raises(ValueError, match="m.skops: .* contradicts itself"):
        stored.read(tmp_path / "m.skops", "vm", "0.1.0")


def test_estimators_that_are_none_of_ours_are_refused(tmp_path: Path) -> None:
    from sklearn.neighbors import KNeighborsRegressor

    model = a_model()
    x = np.ones((8, len(model.attributes)))
    model.estimator.steps[-1] = ("model", KNeighborsRegressor().fit(x, np.ones(8)))
    stored.write(model, tmp_path / "m.skops")
    with pytest.raises(ValueError, match="m.skops: "):
        stored.read(tmp_path / "m.skops", "vm", "0.1.0")
    assert not is_sound(model.estimator, len(model.attributes))


def test_any_damage_of_a_model_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "m.skops"
    stored.write(a_model(), path)
    whole = path.read_bytes()
    for place in range(0, len(whole), len(whole) // 40):
        for damaged in (whole[:place], whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :]):
            path.write_bytes(damaged)
            try:
                stored.read(path, "vm", "0.1.0")  # a flipped byte that is not read may go unnoticed
            except ValueError as error:
                assert "m.skops" in str(error)


@pytest.mark.parametrize("kind", trees.KINDS)
def test_trees_predict_what_scikit_learn_predicts(kind: str, tmp_path: Path) -> None:
    given = known_law(noise=0.1)
    x, names = trees.matrix(given)
    estimator = trees.estimators()[kind].fit(x, trees.log_ratios(given))
    path = tmp_path / "deep" / "m.json"
    trees.write(trees.of_estimator(estimator, kind, names, given), path)
    found = trees.read(path, "vm", "0.1.0")
    expected = estimator.predict(x)
    for row, value in zip(x, expected):
        assert found.predict(dict(zip(names, map(float, row)))) == pytest.approx(value, abs=1e-9)
    better = found.predict(trees.attributes_of(8, 1, 8.0 * 32**3 * 8, 8, {"aggregators": "1"}))
    same = found.predict(trees.attributes_of(8, 1, 8.0 * 32**3 * 8, 8, {}))
    assert better < -0.7 and abs(same) < 0.2


def test_the_format_of_trees_is_that_of_writers() -> None:
    made = json.loads(trees.to_json(trees.fitted(known_law(), "random_forest")))
    assert list(made) == [
        *("esker_model", "predicts", "kind", "esker", "machine", "data"),
        *("attributes", "base", "scale", "trees"),
    ]
    assert made["esker_model"] == 1 and made["predicts"] == "log2_step_ratio" and made["machine"] == "vm"
    assert {"ranks", "fields", "step_bytes", "bytes_per_rank", "aggregators"} <= set(made["attributes"])
    assert {"collective_buffer", "ranks_per_aggregator", "transport=put"} <= set(made["attributes"])
    for tree in made["trees"]:
        assert set(tree) == {"attribute", "threshold", "left", "right", "value"}
        for node, attribute in enumerate(tree["attribute"]):
            assert attribute == -1 or min(tree["left"][node], tree["right"][node]) > node


def test_trees_have_the_version_that_was_measured() -> None:
    given = known_law()
    given.about["esker"] = "0.0.9"
    assert trees.fitted(given, "decision_tree").esker == "0.0.9"


def test_trees_of_several_machines_are_refused() -> None:
    given = known_law()
    given.columns["machine_kind"][:3] = "other"
    with pytest.raises(ValueError, match="measurements of one machine, found other, vm"):
        trees.fitted(given, "decision_tree")


class AnyBench(measuring.Bench):
    """Measures nothing: seconds are random."""

    def measure(self, run: Run) -> list[dict[str, Any]]:
        random = np.random.default_rng(int(run.key(), 16))
        cases = [{"name": "", "write_s": random.uniform(1, 3, 3).tolist(), "reports": []} for _ in range(4)]
        return measuring.results_of({"steps": 1, "cases": cases[: 1 + len(run.settings)]})


@pytest.mark.parametrize("kind", trees.KINDS)
def test_a_writer_reads_what_a_designed_table_gives(kind: str, tmp_path: Path) -> None:
    laptop, bench = machine.read("laptop"), AnyBench("bench", "mpiexec", str(tmp_path))
    rows = []
    for run in islice(design.runs((1, 4), seed=1, modes=("both",)), 40):
        rows += sweep.rows_of(Run(run.work, run.settings[:3]), bench, laptop)
    made = sweep.finished(rows, sweep.about(bench, laptop))
    path = tmp_path / "m.json"
    trees.write(trees.fitted(made, kind), path)
    assert {"aggregators", "transport=put"} <= set(json.loads(path.read_text())["attributes"])
    assert warnings_of_a_writer(path) == []
    path.write_text(path.read_text().replace("transport=put", "transport=other"))
    assert "transport=other" in warnings_of_a_writer(path)[0]


def warnings_of_a_writer(model: Path) -> list[str]:
    """Of its report, after it used the model."""
    path = model.with_name("a.idx")
    with esker.Writer(
        str(path), dims={"x": 64}, overwrite=True, tune="auto", tune_model=str(model), tune_cache=False
    ) as writer:
        field = writer.field("f", "f8")
        for step in range(3):
            with writer.step(time=float(step)) as s:
                s.put(field, np.arange(64.0))
    return list(json.loads(path.with_suffix(".report.json").read_text())["tuning"]["warnings"])


_BAD = [
    ({"esker_model": 2}, "expected esker_model 1"),
    ({"kind": "neural"}, "expected texts kind"),
    ({"attributes": [3]}, "expected the names"),
    ({"base": float("nan")}, "finite numbers base"),
    ({"scale": 10**400}, "finite numbers base"),
    ({"trees": []}, "expected trees"),
    ({"machine": "other"}, "another machine: expected 'vm', found 'other'"),
    ({"esker": "0.0.1"}, "another version of Esker"),
]
_BAD_TREES = [
    ({"left": [0, 0, 0]}, "node 0: expected children from 1 to 2"),
    ({"right": [1, 0, 7]}, None),
    ({"right": [7, 0, 0]}, "node 0: expected children"),
    ({"attribute": [99, -1, -1]}, "expected an attribute from -1"),
    ({"attribute": [0.5, -1, -1]}, "expected whole numbers"),
    ({"value": [0.0, float("inf"), 0.0]}, "expected finite numbers"),
    ({"value": [0.0, 1.0, 10**400]}, "expected finite numbers"),
    ({"left": [1, 0, 10**30]}, "expected whole numbers of 64 bits"),
    ({"value": [0.0]}, "the same size"),
    ({"value": None}, "expected arrays"),
]


@pytest.mark.parametrize(("change", "message"), _BAD)
def test_damaged_trees_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "m.json"
    made = json.loads(trees.to_json(trees.fitted(known_law(), "decision_tree")))
    path.write_text(json.dumps(made | change))
    with pytest.raises(ValueError, match=f"m.json: .*{message}"):
        trees.read(path, "vm", "0.1.0")


@pytest.mark.parametrize(("change", "message"), _BAD_TREES)
def test_damaged_nodes_are_refused(tmp_path: Path, change: dict[str, Any], message: str | None) -> None:
    path = tmp_path / "m.json"
    made = json.loads(trees.to_json(trees.fitted(known_law(), "decision_tree")))
    tree = {"attribute": [0, -1, -1], "threshold": [1.0, 0.0, 0.0], "left": [1, 0, 0], "right": [2, 0, 0]}
    path.write_text(json.dumps(made | {"trees": [{**tree, "value": [0.0, 1.0, 2.0], **change}]}))
    if message:
        with pytest.raises(ValueError, match=f"m.json: tree 0: .*{message}"):
            trees.read(path, "vm", "0.1.0")
    else:
        trees.read(path, "vm", "0.1.0")  # children of leaves mean nothing


def test_deep_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text("[" * 200_000)
    with pytest.raises(ValueError, match="m.json: expected JSON"):
        trees.read(path, "vm", "0.1.0")


@pytest.mark.slow
def test_a_fit_prints_stores_and_installs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "here.parquet"
    table.write(known_law(machine_kind=_core.machine_kind(), noise=0.02), path)
    arguments = [
        "--install",
        "--models",
        str(tmp_path / "models"),
        "--plot",
        str(tmp_path / "fit.png"),
        "--json",
    ]
    done = CliRunner().invoke(command, ["tune", "fit", str(path), *arguments])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert len(facts["models"]) == 16 and facts["data"].startswith("sha256:")
    assert len(list((tmp_path / "models").iterdir())) == 14
    installed = tmp_path / "cache" / "esker" / "tune_model.json"
    assert trees.read(installed, _core.machine_kind(), "0.1.0").data == facts["data"]


@pytest.mark.slow
def test_a_model_that_has_learned_nothing_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "here.parquet"
    given = known_law(machine_kind=_core.machine_kind())
    given.columns["ratio"] = np.exp(np.random.default_rng(3).normal(size=len(given)))
    table.write(given, path)
    done = CliRunner().invoke(command, ["tune", "fit", str(path), "--install", "--json"])
    assert done.exit_code == 0 and "not installed: on other workloads" in done.stderr
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("about", "arguments", "message"),
    [
        ({}, ("--mode", "storage", "--install"), "expected --mode both"),
        ({}, ("--mode", "network", "--export", "m.json"), "expected --mode both"),
        ({"kind": "simulated"}, ("--install",), "expected a table that was measured, found 'simulated'"),
        ({"store_rate": 1e6}, ("--install",), "without --store-rate, found storage of 1e"),
    ],
)
def test_models_of_what_no_writer_here_does_are_not_installed(
    tmp_path: Path, about: dict[str, Any], arguments: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "t.parquet"
    given = known_law()
    given.about.update(about)
    table.write(given, path)
    done = CliRunner().invoke(command, ["tune", "fit", str(path), *arguments])
    assert done.exit_code == 2 and message in " ".join(done.output.split())


def test_a_table_without_rows_of_a_mode_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    given = known_law()
    table.write(given, path)
    for chosen in (["--mode", "network"], []):
        done = CliRunner().invoke(command, ["tune", "fit", str(path), *chosen])
        assert done.exit_code == 2 and "no rows of --mode" in " ".join(done.output.split())
        table.write(given.where(np.zeros(len(given), bool)), path)
    given.columns["best_seconds"] = given.columns["default_best_seconds"] = given["seconds"]
    assert evaluation.noise(given.where(np.zeros(len(given), bool))) is None


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(ModuleNotFoundError, match=r"skops is not installed; .* 'esker\[tune\]'"):
        extras.needed("skops.io")
    done = CliRunner().invoke(command, ["tune", "fit", str(tmp_path / "t.parquet")])
    assert done.exit_code == 2 and "no such file" in done.output
    done = CliRunner().invoke(command, ["tune", "fit", str(tmp_path / "t.parquet"), "--models", "m"])
    assert done.exit_code == 1 and "skops is not installed" in done.output, "before anything is trained"


def test_facts_are_printed_although_a_file_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ratios = {"default": 1.0, "decision_tree": 0.5, "random_forest": 0.6, "gradient_boosting": 0.6}
    monkeypatch.setattr(tune_fit, "_facts", lambda chosen: {"rows": len(chosen), "ratios": ratios})
    path = tmp_path / "t.parquet"
    table.write(known_law(), path)
    done = CliRunner().invoke(command, ["tune", "fit", str(path), "--json", "--export", str(path / "m.json")])
    assert done.exit_code == 1 and "t.parquet: File exists" in done.stderr
    assert json.loads(done.stdout)["rows"] == len(known_law())


def test_the_example_of_the_format_page_is_a_model(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "formats" / "tune_model.md").read_text()
    path = tmp_path / "m.json"
    path.write_text(page.partition("```\n")[2].partition("```")[0])
    found = trees.read(path, "node", "0.1.0")
    assert [found.predict({"aggregators": float(n)}) for n in (0, 1, 2)] == pytest.approx([-0.4, -0.4, 0.35])
