"""esker simulate: machine files, statistics of plans, and the closed form over them."""

from __future__ import annotations

import json
import resource
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from started import assert_ends_with_its_programs

import esker
from esker.cli import esker as command
from esker.planning import planner
from esker.tune import baselines, calibration, cost, loads, machine, simulation, statistics
from esker.tune.parameters import DEFINITIONS

STEP = {"block": (16, 16, 16), "fields": 2, "bits_per_block": 9, "blocks_per_file": 64}
LAYOUT = statistics.Layout(
    16, 1, servers=2, targets=4, targets_in_a_row=1, targets_per_file=2, stripe_bytes=100
)


def mira_text() -> str:
    return machine.to_toml(machine.read("mira"))


def loads_of(extents: list[tuple[int, ...]], ranks: int = 4) -> loads.Loads:
    """No exchange; (file, offset, size, rank, round) of each extent."""
    columns = np.array(extents, np.int64).reshape(-1, 5).T
    none = loads.of_separate_files(ranks, 1, 2)
    return replace(none, extents=loads.Extents(*columns, np.ones_like(columns[0])))


@pytest.mark.parametrize("name", ["edison", "franklin", "hopper", "intrepid", "jaguar", "mira", "ranger"])
def test_machines_that_come_with_esker_round_trip(name: str) -> None:
    known = machine.read(name)
    assert known.name == name and name in machine.names()
    assert machine.parse(machine.to_toml(known), "again") == known
    assert known.parameters["nodes"].source == "published"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('name = "mira"', 'nmae = "mira"', 1, "unknown key 'nmae'"),
        ('name = "mira"', "name = 3", 1, "expected a text 'name'"),
        ("[parameters.servers]", "[parameters.server]", 22, "unknown parameter 'server'"),
        ("value = 384\n", "value = 384\nvalues = 3\n", 24, "servers: unknown key 'values'"),
        ("range = [49_152, 49_152]\n", "", 4, "nodes: missing key 'range'"),
        ("range = [49_152, 49_152]", "range = [49_152]", 6, "nodes: expected a range [low, high]"),
        ("range = [49_152, 49_152]", "range = [1, 49_152]", 6, "nodes: expected a range of one value"),
        (
            "range = [384, 384]",
            "range = [1, 2]",
            23,
            "servers: expected a value in its range [1, 2], found 384",
        ),
        ("value = 384", "value = 0", 23, "servers: expected a whole number of at least 1, found 0"),
        ("value = 384", "value = true", 23, "servers: expected a whole number"),
        ("value = 384", "value = nan", 23, "servers: expected a whole number"),
        (
            'source = "published"',
            'source = "guessed"',
            7,
            "nodes: expected a source of published, fitted, assumed",
        ),
        (
            'reference = "ALCF: 786,432 cores, 16 per node"',
            'reference = ""',
            8,
            "nodes: expected a text that says",
        ),
        ("value = 384", "value = = 384", 23, "Invalid value"),
    ],
)
def test_errors_name_file_and_line(old: str, new: str, line: int, message: str) -> None:
    text = mira_text()
    assert old in text
    with pytest.raises(ValueError) as raised:
        machine.parse(text.replace(old, new, 1), "site.toml")
    assert str(raised.value).startswith(f"site.toml:{line}: {message}"), raised.value


def test_a_missing_parameter_and_a_missing_machine_are_named(tmp_path: Path) -> None:
    text = mira_text()
    begin, end = text.index("[parameters.overlap]"), len(text)
    with pytest.raises(ValueError, match="missing parameter 'overlap'"):
        machine.parse(text[:begin] + text[end:], "site.toml")
    with pytest.raises(FileNotFoundError, match="known are edison, franklin"):
        machine.read(tmp_path / "miar")


def test_targets_of_stripes_and_their_writers() -> None:
    """Two files on four targets: 0 on targets 0 and 1, 1 on 2 and 3. Ranks 0 and 1 share file 0."""
    found = statistics.of_loads(
        loads_of([(0, 0, 200, 0, 0), (0, 200, 200, 1, 0), (1, 0, 150, 2, 0), (1, 150, 50, 2, 1)]), LAYOUT
    )
    assert (found.files, found.objects, found.pairs, found.stored_bytes) == (2, 4, 6, 600)
    assert found.target.tolist() == [[200, 1, 1, 1]]  # both files' targets, of which 0 and 1 have two writers
    assert found.max_bytes_of_a_server == 300 and found.max_bytes_of_a_file == 400
    assert found.max_written_bytes_of_a_core == 200 and found.max_files_of_a_rank == 1


def test_statistics_do_not_depend_on_how_files_are_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    mira = machine.read("mira")
    asked = loads.of_plan(mira, 64, 16, **STEP)
    layout = replace(LAYOUT, stripe_bytes=4096)
    whole = statistics.of_loads(asked, layout)
    monkeypatch.setattr(statistics, "_PAIRS_AT_A_TIME", 7)
    apart = statistics.of_loads(asked, layout)
    assert all(np.array_equal(getattr(whole, name), getattr(apart, name)) for name in vars(whole))
    assert whole.stored_bytes == esker.plan(64, **STEP)["stored_bytes"]
    assert whole.files == esker.plan(64, **STEP)["files"]


@pytest.mark.parametrize("format", ["idx", "cdf5", "cdf5+idx", "netcdf4"])
def test_a_file_that_fields_share_counts_once(format: str) -> None:
    step = {"block": (16, 16, 16), "fields": 3, "format": format, "aggregators": 8}
    found = statistics.of_loads(loads.of_plan(machine.read("mira"), 64, 16, **step), LAYOUT)
    assert found.files == esker.plan(64, **step)["files"]
    if format == "cdf5":
        assert found.files == 1 and found.max_bytes_of_a_file == found.stored_bytes == found.data_bytes


def test_rows_that_are_left_out_are_never_the_slowest() -> None:
    random = np.random.default_rng(1)
    rows = random.integers(0, 50, (300, 3))
    kept = statistics.slowest(rows)
    assert len(kept) < 60
    for weights in random.random((50, 3)):
        assert (rows @ weights).max() == pytest.approx((kept @ weights).max())


def test_the_closed_form_by_hand() -> None:
    """128 ranks of 1 MB on 8 nodes, one file each."""
    found = statistics.of_loads(loads.of_separate_files(128, 10**6, 16), replace(LAYOUT, stripe_bytes=2**20))
    given = {d.name: np.array([1.0]) for d in DEFINITIONS if d.kind != "count"}
    given |= {name: np.array([np.inf]) for name in given if name.endswith("bandwidth")}
    given |= {"latency": np.array([0.0]), "overlap": np.array([0.0]), "target_bandwidth": np.array([1e6])}
    phases = cost.cost_of(found, given).phases
    assert phases["create"].seconds == [128 + found.max_objects_of_a_target]
    assert (
        phases["write"].seconds == [found.target[:, 0].max() / 1e6] and phases["write"].bound(0) == "targets"
    )
    slow = cost.cost_of(found, given | {"io_node_bandwidth": np.array([1e5])}).phases["write"]
    assert slow.seconds == [160] and slow.bound(0) == "I/O nodes"


def test_who_writes_hashes_or_swaps_bytes() -> None:
    asked = loads.of_separate_files(128, 10**6, 16)
    given = cost.corners(machine.read("mira")) | {"hash_bandwidth": np.array([1e6] * 3)}
    given |= {"swap_bandwidth": np.array([5e5] * 3)}

    def converting(**work: bool) -> float:
        found = statistics.of_loads(replace(asked, **work), LAYOUT)
        return float(cost.cost_of(found, given).phases["convert"].seconds[1])

    assert [converting(), converting(hashes=True), converting(swaps=True)] == [0, 1, 2]
    made = {}
    for name, options in (("idx", {}), ("plain", {"checksums": False}), ("cdf5", {"format": "cdf5"})):
        found = loads.of_plan(machine.read("mira"), 64, 16, **STEP, **options)
        made[name] = (found.hashes, found.swaps)
    assert made == {"idx": (True, False), "plain": (False, False), "cdf5": (False, True)}


def test_overlap_hides_the_shorter_part() -> None:
    asked = loads.of_plan(machine.read("mira"), 64, 16, **STEP, memory_budget="256K")
    found = statistics.of_loads(asked, LAYOUT)
    assert found.rounds > 1
    whole = cost.corners(machine.read("mira")) | {"overlap": np.array([1.0, 0.0, 0.0])}
    made = cost.cost_of(found, whole)
    exchange = made.phases["restructure"].seconds + made.phases["aggregate"].seconds
    hidden = np.minimum(exchange, made.phases["write"].seconds)[0] * (found.rounds - 1) / found.rounds
    assert made.hidden.tolist() == [pytest.approx(hidden), 0, 0]


@pytest.mark.parametrize("name", ["edison", "hopper", "intrepid", "mira", "ranger"])
def test_results_are_ordered_ranges(name: str) -> None:
    facts = esker.simulate(name, 256, **STEP, restructure="default")
    for amount in [
        facts["seconds"],
        facts["GBps"],
        *(phase["seconds"] for phase in facts["phases"].values()),
    ]:
        assert 0 <= amount["low"] <= amount["mid"] <= amount["high"]
    phases = facts["phases"].values()
    assert facts["seconds"]["mid"] == pytest.approx(sum(phase["seconds"]["mid"] for phase in phases))
    assert sum(facts["sources"].values()) == len(DEFINITIONS)


def test_many_parameter_sets_take_no_new_plan() -> None:
    mira = machine.read("mira")
    asked = loads.of_plan(mira, 4096, 16, block=(32, 32, 32), fields=4, bits_per_block=15)
    found = statistics.of_loads(asked, next(simulation._layouts(mira, {})))
    random = np.random.default_rng(1)
    sets = {name: values[1] * random.uniform(0.5, 2, 1000) for name, values in cost.corners(mira).items()}
    begin = time.process_time()
    seconds = cost.cost_of(found, sets).seconds
    assert time.process_time() - begin < 1 and seconds.shape == (1000,)
    one = {name: values[7:8] for name, values in sets.items()}
    assert cost.cost_of(found, one).seconds[0] == pytest.approx(seconds[7])


def test_stripes_follow_the_machine_or_the_arguments() -> None:
    step = {"block": (32, 32, 32), "format": "cdf5", "pattern": "stripes"}
    own = esker.simulate("ranger", 64, **step)["statistics"]
    given = esker.simulate("ranger", 64, **step, stripe_size="64K", stripe_count=8)["statistics"]
    assert own["objects"] == 17  # 16 MiB behind the header, in stripes of 1 MiB
    assert given["objects"] == 8


def test_one_phase_writes_its_samples_in_many_calls() -> None:
    """Rows of 8 samples, in a row-major block of 16 samples in x, of which each rank has half: no two join."""
    step = {"extent": (16, 8, 8), "fields": 3, "bits_per_block": 10, "in_block": "row_major"}
    mira = machine.read("mira")
    arguments = baselines.arguments_of("one-phase", mira, 2, 1, step)
    found = statistics.of_loads(baselines.loads_of("one-phase", mira, 2, 1, arguments), LAYOUT)
    assert found.stored_bytes == found.data_bytes == 16 * 8 * 8 * 3 * 8
    planned = esker.plan(2, **step, aggregate=False, checksums=False)
    assert found.pairs == 2 * found.objects and found.max_writes_of_a_core == 8 * 8 * 3
    assert planned["data_bytes"] == found.data_bytes


def test_queues_of_receives_and_of_locks_cost_more_than_their_length() -> None:
    """Half of them are passed, on average."""
    hopper = machine.read("hopper")
    given = cost.corners(hopper) | {"match_cost": np.array([1.0] * 3), "message_cost": np.zeros(3)}
    for ranks in (8, 16):
        asked = loads.of_plan(hopper, ranks, 1, block=(8, 8), aggregators=1, max_fan_in=ranks)
        assert asked.to_aggregators.compared.max() == (ranks - 1) ** 2 // 4
        aggregate = cost.cost_of(statistics.of_loads(asked, LAYOUT), given).phases["aggregate"]
        assert aggregate.bound(1) == "queues" and aggregate.parts["queues"][1] == (ranks - 1) ** 2 // 4
    shared = statistics.of_loads(
        loads.of_shared_file(16, 400, 1), replace(LAYOUT, targets_per_file=4, stripe_bytes=100)
    )
    assert shared.target.tolist() == [[1600, 15, 15, 64]]
    write = cost.cost_of(shared, given | {"queue_cost": np.array([1.0] * 3), "lock_cost": np.zeros(3)})
    assert write.phases["write"].parts["locks"].tolist() == [64] * 3


@pytest.mark.parametrize("case", baselines.CASES)
def test_baselines_store_the_same_samples(case: str) -> None:
    facts = esker.simulate("hopper", 64, case=case, **STEP)
    assert (
        facts["statistics"]["data_bytes"] == esker.simulate("hopper", 64, **STEP)["statistics"]["data_bytes"]
    )
    assert facts["statistics"]["stored_bytes"] >= facts["statistics"]["data_bytes"]
    files = {"file-per-process": 64, "shared-file": 1, "pnetcdf": 1}
    assert facts["statistics"]["files"] == files.get(case, esker.plan(64, **STEP)["files"])
    assert (facts["statistics"]["all_to_alls"] > 0) == (case == "pnetcdf")


@pytest.mark.parametrize(
    ("case", "stripes"), [("shared-file", 4), ("pnetcdf", 5)]
)  # 4 MiB, with a header in CDF
def test_a_file_of_all_ranks_is_on_all_targets(case: str, stripes: int) -> None:
    """Files on Hopper have two targets by default."""
    assert esker.simulate("hopper", 64, case=case, **STEP)["statistics"]["objects"] == stripes
    assert esker.simulate("hopper", 64, case=case, stripe_count=3, **STEP)["statistics"]["objects"] == 3


def test_reading_takes_no_locks_and_no_files_to_create() -> None:
    step = {"block": (32, 32, 32), "fields": 4}
    written, read = (esker.simulate("hopper", 256, read=reads, **step) for reads in (False, True))
    assert list(read["phases"])[-2:] == ["open", "read"]
    assert read["phases"]["read"]["seconds"]["mid"] <= written["phases"]["write"]["seconds"]["mid"]
    coarse = esker.simulate("hopper", 256, read_level=-6, **step)
    samples = read["statistics"]["data_bytes"] / 64
    assert samples <= coarse["statistics"]["data_bytes"] < 2 * samples
    assert coarse["seconds"]["mid"] < read["seconds"]["mid"]


def test_baselines_that_contradict_the_step() -> None:
    for given, message in (
        ({"case": "two-phase", **STEP}, "unknown case 'two-phase'"),
        ({"case": "pnetcdf", "read_level": -3, **STEP}, "a level is read of a step that Esker writes"),
        ({"read_level": -3, "keep": 0.5, **STEP}, "keeps completely"),
        ({"case": "shared-file", "extent": None}, "expected block or extent"),
        ({"case": "shared-file", "keep": 0.5, **STEP}, "the case shared-file does not go together with keep"),
        ({"case": "pnetcdf", "format": "idx", **STEP}, "the case pnetcdf does not go together with format"),
        ({"case": "one-phase", "restructure": "default", **STEP}, "one-phase .* with restructure"),
        ({"read": True, "sync": True, **STEP}, "leave out sync"),
    ):
        with pytest.raises(ValueError, match=message):
            esker.simulate("mira", 64, **given)


def test_meshes_and_given_ranks_per_node() -> None:
    patches = [(0, 0, ((0, 0), (64, 64))), (1, 1, ((8, 8), (40, 40)))]
    facts = esker.simulate("mira", 2, patches=patches, ratios=[2], ranks_per_node=1)
    assert facts["nodes"] == 2 and facts["statistics"]["max_messages_in"] == 1


def test_command_line(tmp_path: Path) -> None:
    site = tmp_path / "site.toml"
    site.write_text(mira_text())
    picture = tmp_path / "step.png"
    words = ["simulate", "--machine", str(site), "--ranks", "64", "--block", "16,16,16", "--fields", "2"]
    done = CliRunner().invoke(command, [*words, "--json", "--plot", str(picture)])
    assert done.exit_code == 0, done.output
    assert (
        json.loads(done.output)["seconds"]
        == esker.simulate("mira", 64, block=(16, 16, 16), fields=2)["seconds"]
    )
    assert picture.read_bytes().startswith(b"\x89PNG")
    shown = CliRunner().invoke(command, [*words, "--sync"])
    assert "bound by" in shown.output and "sync" in shown.output and "GB/s" in shown.output
    assert "mira" in CliRunner().invoke(command, ["simulate", "--machines"]).output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ranks", "4", "--block", "8,8"], "expected --machine"),
        (["--machine", "mira", "--block", "8,8"], "expected --ranks"),
        (["--machine", "miar", "--ranks", "4", "--block", "8,8"], "no such machine file"),
        (
            ["--machine", "mira", "--ranks", "4", "--block", "8,8", "--bits-per-block", "9,10"],
            "single values",
        ),
    ],
)
def test_wrong_usage(words: list[str], message: str) -> None:
    done = CliRunner().invoke(command, ["simulate", *words])
    assert done.exit_code == 2 and message in done.output


def test_the_planner_still_counts_the_same() -> None:
    report = planner.report_of_step(64, ranks_per_node=4, **STEP)
    facts = esker.plan(64, **STEP)
    sent = report.node_loads[:, [2, 4, 8, 10]].sum()
    assert sent == round(facts["sent_bytes"]["mean"] * 64)
    assert report.extents[:, 2].sum() == facts["stored_bytes"]


@pytest.mark.long
def test_a_million_ranks_in_a_minute() -> None:
    begin = time.process_time()
    mira = machine.read("mira")
    ranks = 1 << 20
    per_node = simulation.default_ranks_per_node(mira, ranks)
    asked = loads.of_plan(mira, ranks, per_node, block=(30, 30, 30), fields=16, bits_per_block=15)
    facts = simulation.simulate_loads(mira, asked)
    assert time.process_time() - begin < 60 and facts["ranks"] == ranks
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2 << 20  # KiB
    found = statistics.of_loads(asked, next(simulation._layouts(mira, {})))
    factors = np.linspace(0.5, 2, 1000)
    sets = {name: values[1] * factors for name, values in cost.corners(mira).items()}
    begin = time.process_time()
    cost.cost_of(found, sets)
    assert time.process_time() - begin < 10


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing_of_a_calibration(tmp_path: Path, number: signal.Signals) -> None:
    words = ["simulate", "--calibrate", str(tmp_path), "--repeat", "1000"]
    assert_ends_with_its_programs(words, tmp_path, number, "esker-calibrate-*", starts=False)


@pytest.mark.slow
def test_calibration_makes_a_machine_file(tmp_path: Path) -> None:
    place, output = tmp_path / "scratch", tmp_path / "site.toml"
    place.mkdir()
    words = ["simulate", "--calibrate", str(place), "--output", str(output), "--repeat", "2"]
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 0, done.output
    made = machine.read(output)
    assert made.name == "site" and list(place.iterdir()) == []
    rates = [f"{name}_bandwidth" for name in ("copy", "swap", "hash", "encode", "write", "file")]
    for name in (*rates, "create_cost"):
        parameter = made.parameters[name]
        assert parameter.source == "fitted" and 0 < parameter.low <= parameter.value <= parameter.high
    assert esker.simulate(str(output), 4, block=(32, 32, 32), fields=2)["nodes"] == 1


def test_calibration_without_mpi_assumes_messages(tmp_path: Path) -> None:
    quiet: list[str] = []
    made = calibration.calibrate(tmp_path, repeat=2, mpiexec=str(tmp_path / "none"), notify=quiet.append)
    assert made.parameters["latency"].source == "assumed" and "messages" in quiet
    assert machine.parse(machine.to_toml(made), "again").parameters.keys() == made.parameters.keys()


def test_calibration_needs_a_directory(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["simulate", "--calibrate", str(tmp_path / "none")])
    assert done.exit_code == 2 and "does not exist" in done.output
