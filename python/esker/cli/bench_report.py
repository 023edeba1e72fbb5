"""Prints the results of esker bench as tables."""

from __future__ import annotations

from itertools import product
from typing import Any

from rich.console import Console
from rich.table import Table

_PIPE_WIDTH = 120
_MOST_COLUMNS = 8


def print_results(results: dict[str, Any]) -> None:
    """Prints the results of one number of ranks."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_PIPE_WIDTH)
    config = results["config"]
    console.print(
        f"{config['workload']}: {config['ranks']} ranks, {config['data_MiB_per_step']:.1f} MiB per step, "
        f"{config['steps']} steps, {config['repeat']} repetitions, {results['machine']['file_system']}"
    )
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("case")
    for column in (
        "write GB/s",
        "read GB/s",
        "write / posix",
        "read / posix",
        "stored/data",
        "MiB/rank",
        "bad",
    ):
        table.add_column(column, justify="right")
    for case in results["cases"]:
        table.add_row(
            case["name"],
            f"{case['write_GBps']:.2f}",
            f"{case['read_GBps']:.2f}",
            _spread(case["ratio_to_posix_write"]),
            _spread(case["ratio_to_posix_read"]),
            f"{case['stored_over_data']:.3f}",
            f"{case['extra_MiB_per_rank']:.0f}",
            str(case["bad_values"]),
        )
    console.print(table)
    if any("levels" in case for case in results["cases"]):
        _print_levels(console, results)
    if any("over_raw" in case for case in results["cases"]):
        _print_compression(console, results)
    if any("over_full" in case for case in results["cases"]):
        _print_sparse(console, results)
    if any("over_default" in case for case in results["cases"]):
        _print_tuned(console, results)
    if any("total_s" in case for case in results["cases"]):
        _print_overlap(console, results)
    if results.get("esker_over_peers"):
        _print_over_peers(console, results)


def _print_compression(console: Console, results: dict[str, Any]) -> None:
    console.print("\nCompressed steps; codec: the codecs alone on the same blocks")
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("case")
    for column in ("compress ms", "decode ms", "write / raw", "write / (raw + codec)", "decode / read"):
        table.add_column(column, justify="right")
    for case in (case for case in results["cases"] if "over_raw" in case):
        times = (1e3 * case[f"{part}_alone_s_per_step"] for part in ("compress", "decode"))
        ratios = (case[key] for key in ("over_raw", "over_raw_plus_codec", "decode_alone_over_read"))
        table.add_row(case["name"], *(f"{ms:.1f}" for ms in times), *map(_spread, ratios))
    console.print(table)


def _print_sparse(console: Console, results: dict[str, Any]) -> None:
    console.print("\nSparse steps; full: idx_two_phase in the same repetition; planning: part of the step's time")
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("case")
    for column in ("stored / full", "write / full", "write / (full * stored share)", "planning"):
        table.add_column(column, justify="right")
    for case in (case for case in results["cases"] if "over_full" in case):
        ratios = (case[key] for key in ("over_full", "write_over_proportional", "planning"))
        table.add_row(case["name"], f"{case['stored_over_full']:.3f}", *map(_spread, ratios))
    console.print(table)


def _print_overlap(console: Console, results: dict[str, Any]) -> None:
    console.print(
        "\nA model that computes between steps; waiting: the case that is not asynchronous, in the same repetition"
    )
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("case")
    for column in ("in end_step ms", "computing ms", "run s", "in end_step / waiting", "run / waiting"):
        table.add_column(column, justify="right")
    for case in (case for case in results["cases"] if "total_s" in case):
        times = (1e3 * case[f"{part}_s_per_step"] for part in ("in_steps", "computing"))
        ratios = (
            _spread(case[key]) if key in case else "" for key in ("in_steps_over_waiting", "total_over_waiting")
        )
        table.add_row(case["name"], *(f"{ms:.1f}" for ms in times), f"{case['total_s']:.2f}", *ratios)
    console.print(table)


def _print_tuned(console: Console, results: dict[str, Any]) -> None:
    console.print("\nRuns that tune themselves; default: idx_two_phase in the same repetition; last: five steps")
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("case")
    for column in ("write speed / default", "last / default", "settings tried"):
        table.add_column(column, justify="right")
    for case in (case for case in results["cases"] if "over_default" in case):
        ratios = (case[key] for key in ("over_default", "last_steps_over_default"))
        table.add_row(case["name"], *map(_spread, ratios), ", ".join(map(str, case["probes"])))
    console.print(table)


def _print_levels(console: Console, results: dict[str, Any]) -> None:
    console.print(
        "\nReading a level: ms per step (ratio to the full read's time scaled by the number of samples)"
    )
    cases = [case for case in results["cases"] if "levels" in case]
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("case")
    for level in cases[0]["levels"]:
        table.add_column(f"1/{2 ** level['halvings']}", justify="right")
    for case in cases:
        table.add_row(case["name"], *map(_time_of_level, case["levels"]))
    console.print(table)


def _time_of_level(level: dict[str, Any]) -> str:
    return f"{level['read_ms_per_step']:.2f} ({level['over_proportional']['median']:.2f})"


def _print_over_peers(console: Console, results: dict[str, Any]) -> None:
    libraries = ", ".join(f"{name} {version}" for name, version in results["config"]["peers"].items())
    console.print(
        f"\nEsker's ratio to posix over that of peers ({libraries}); in parentheses the minimum over turns"
    )
    pairs = results["esker_over_peers"]
    found = {(pair["case"], pair["peer"]): pair for pair in pairs}
    called = list(dict.fromkeys(pair["peer"] for pair in pairs))
    columns = [called[first : first + _MOST_COLUMNS] for first in range(0, len(called), _MOST_COLUMNS)]
    for in_table, (key, verb) in product(columns, (("write", "written"), ("read", "read"))):
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(verb, no_wrap=True)
        for peer in in_table:
            table.add_column(peer.replace("_", "\n", 1), justify="right")
        for case in dict.fromkeys(pair["case"] for pair in pairs):
            table.add_row(case, *(_quotient(found[case, peer][key]) for peer in in_table))
        console.print(table)


def _quotient(of_ratios: dict[str, float]) -> str:
    return f"{of_ratios['quotient']:.2f} ({of_ratios['min']:.2f})"


def _spread(ratio: dict[str, float] | None) -> str:
    return f"{ratio['median']:.2f} ({ratio['min']:.2f}-{ratio['max']:.2f})" if ratio else ""
