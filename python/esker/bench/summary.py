"""The results of `esker bench`, computed from the times that the ranks measured."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from esker import _core
from esker.bench import peers
from esker.bench.jobs import machine


def results(
    runs: Sequence[dict[str, Any]], directory: str, *peer_runs: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Rates, ratios to posix in the same repetition, and the machine and configuration they depend on.

    `runs` is the output of esker-bench and each of `peer_runs` that of a program that measures peers, one element per
    turn.
    """
    measured = peers.merged(runs)
    made = {
        "machine": {**machine(directory), "mpi": measured["mpi"].split(",")[0].strip().splitlines()[0]},
        "config": _config(measured),
        "cases": _cases(measured),
    }
    for of_program in peer_runs:
        others = peers.merged(of_program)
        made["config"].setdefault("peers", {}).update(others["libraries"])
        if "chunks" in others:
            made["config"]["chunks_of_peers"] = others["chunks"]
        names = peers.names(measured, others, peers.suffix_of(of_program))
        made["cases"] += [{**case, "name": names[case["name"]]} for case in _cases(others)]
        made.setdefault("esker_over_peers", []).extend(peers.over_peers(runs, of_program))
    return made


def _config(measured: dict[str, Any]) -> dict[str, Any]:
    keys = ("workload", "ranks", "steps", "repeat", "grids", "values")
    of_store = ("store_bytes_per_s", "store_contention", "overlap_ms")
    return {
        **{key: measured[key] for key in keys + of_store if key in measured},
        "data_MiB_per_step": measured["data_bytes_per_step"] / 2**20,
        "esker": _core.version(),
    }


def _cases(measured: dict[str, Any]) -> list[dict[str, Any]]:
    data_bytes = measured["data_bytes_per_step"] * measured["steps"]
    posix = next((case for case in measured["cases"] if case["name"] == "posix"), None)
    raw = next((case for case in measured["cases"] if case["name"] == "idx_two_phase"), None)
    return [
        {
            **_case(case, posix, measured, data_bytes),
            **_compression(case, raw, measured["steps"]),
            **_sparse(case, raw),
            **_tuned(case, raw),
            **_overlap(case, measured),
        }
        for case in measured["cases"]
    ]


def _compression(case: dict[str, Any], raw: dict[str, Any] | None, steps: int) -> dict[str, Any]:
    """For a compressed case, the time of the codecs alone on the same blocks; and the time of its writes relative
    to raw writes, and to raw writes and the codecs together, from the same repetitions."""
    alone = [report["codec_alone"] for report in case["reports"] if "codec_alone" in report]
    if not alone:
        return {}
    compress, decode = ([times[key] for times in alone] for key in ("compress_s", "decode_s"))
    facts: dict[str, Any] = {
        "compress_alone_s_per_step": statistics.median(compress) / steps,
        "decode_alone_s_per_step": statistics.median(decode) / steps,
        "decode_alone_over_read": _ratios(decode, case["read_s"]),
    }
    if raw:
        both = [storing + codec for storing, codec in zip(raw["write_s"], compress)]
        facts["over_raw"] = _ratios(case["write_s"], raw["write_s"])
        facts["over_raw_plus_codec"] = _ratios(case["write_s"], both)
    return facts


def _sparse(case: dict[str, Any], full: dict[str, Any] | None) -> dict[str, Any]:
    """For a case that stores a part of the samples: the time of its writes relative to that of full ones from the
    same repetitions, also divided by the part that it stores, and the fraction of its time spent on planning."""
    if not case.get("is_sparse") or not full:
        return {}
    totals = zip(case["reports"], full["reports"])
    shares = [sparse["total"]["stored_bytes"] / whole["total"]["stored_bytes"] for sparse, whole in totals]
    pairs = [sparse / whole for sparse, whole in zip(case["write_s"], full["write_s"])]
    phases = [report["phases_s"] for report in case["reports"]]
    return {
        "stored_over_full": statistics.mean(shares),
        "over_full": _spread(pairs),
        "write_over_proportional": _ratios(pairs, shares),
        "planning": _spread([phase["plan"]["mean"] / phase["end_step"]["mean"] for phase in phases]),
    }


def _num_tried(probes: list[dict[str, Any]]) -> int:
    return sum(not probe["verdict"].startswith("not tried") for probe in probes)


def _tuned(case: dict[str, Any], default: dict[str, Any] | None) -> dict[str, Any]:
    """For a run with tune=auto: its speed relative to the default in the same repetition, of all steps and of
    the last five (medians), how many settings it tried, and what it settled on."""
    records = [report["tuning"] for report in case["reports"] if "tuning" in report]
    if not records or not default:
        return {}

    def last(report: dict[str, Any]) -> float:
        return statistics.median(step["seconds"] for step in report["steps"][-5:])

    pairs = zip(default["reports"], case["reports"])
    return {
        "over_default": _ratios(default["write_s"], case["write_s"]),
        "last_steps_over_default": _spread([last(untuned) / last(tuned) for untuned, tuned in pairs]),
        "probes": [_num_tried(record["probes"]) for record in records],
        "settled_on": [record["best"] for record in records],
        "states": [record["state"] for record in records],
    }


_WAITING = {"idx_async": "idx_two_phase", "cdf5_async": "cdf5", "netcdf4_async": "netcdf4"}


def _overlap(case: dict[str, Any], measured: dict[str, Any]) -> dict[str, Any]:
    """For a run whose model computes between steps: the time in steps after the first one, in computing, and in all;
    and of a case that stores meanwhile, the time in steps over that of the case that waits, in the same repetition."""
    if "total_s" not in case:
        return {}
    steps = measured["steps"]
    facts: dict[str, Any] = {
        "in_steps_s_per_step": statistics.median(case["in_steps_s"]) / max(1, steps - 1),
        "computing_s_per_step": statistics.median(case["computing_s"]) / steps,
        "total_s": statistics.median(case["total_s"]),
    }
    waiting = _WAITING.get(case["name"])
    if other := next((other for other in measured["cases"] if other["name"] == waiting), None):
        facts["in_steps_over_waiting"] = _ratios(case["in_steps_s"], other["in_steps_s"])
        facts["total_over_waiting"] = _ratios(case["total_s"], other["total_s"])
    return facts


def _ratios(above: Sequence[float], below: Sequence[float]) -> dict[str, float]:
    return _spread([a / b for a, b in zip(above, below)])


def _case(
    case: dict[str, Any], posix: dict[str, Any] | None, measured: dict[str, Any], data_bytes: int
) -> dict[str, Any]:
    facts = {
        "name": case["name"],
        "write_GBps": data_bytes / 1e9 / statistics.median(case["write_s"]),
        "read_GBps": data_bytes / 1e9 / statistics.median(case["read_s"]),
        "ratio_to_posix_write": _ratio(posix, case, "write_s"),
        "ratio_to_posix_read": _ratio(posix, case, "read_s"),
        "stored_over_data": case["stored_bytes_per_step"] / measured["data_bytes_per_step"],
        "extra_MiB_per_rank": case["extra_bytes_per_rank"] / 2**20,
        "bad_values": case["bad_values"],
    }
    if levels := case.get("levels"):
        limits = {level["halvings"]: level for level in (posix or {}).get("levels", ())}
        facts["levels"] = [_level(level, case, limits.get(level["halvings"]), measured) for level in levels]
    if reports := case["reports"]:
        facts["phases_s_per_step"] = {
            name: statistics.median(report["phases_s"][name]["mean"] for report in reports)
            / measured["steps"]
            for name in reports[0]["phases_s"]
        }
        configuration = reports[0]["configuration"]
        facts["options"] = {
            name: option["value"] for name, option in configuration.items() if option["source"] != "built-in"
        }
    return facts


def _level(
    level: dict[str, Any], case: dict[str, Any], limit: dict[str, Any] | None, measured: dict[str, Any]
) -> dict[str, Any]:
    """Times of a level; `over_proportional` divides each by the full read's time scaled to the level's
    samples, in the same repetition."""
    fraction = level["data_bytes_per_step"] / measured["data_bytes_per_step"]
    pairs = zip(level["read_s"], case["read_s"])
    return {
        "halvings": level["halvings"],
        "fraction": fraction,
        "data_MiB_per_step": level["data_bytes_per_step"] / 2**20,
        "read_ms_per_step": 1e3 * statistics.median(level["read_s"]) / measured["steps"],
        "over_proportional": _spread([seconds / (full * fraction) for seconds, full in pairs]),
        "ratio_to_posix_read": _ratio(limit, level, "read_s"),
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def _ratio(posix: dict[str, Any] | None, case: dict[str, Any], key: str) -> dict[str, float] | None:
    """Speed relative to posix, from pairs measured one after the other."""
    if posix is None:
        return None
    return _ratios(posix[key], case[key])
