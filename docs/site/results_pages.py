"""The page of measured results: charts of the newest bench/results/*-current.json, and what is faster and what is not."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

COMPARED = {
    "idx_two_phase": ("pnetcdf", "pnetcdf_nonblocking", "hdf5_of_peers", "hdf5_chunked", "netcdf4_of_peers", "mpi_io"),
    "cdf5": ("pnetcdf", "pnetcdf_nonblocking", "netcdf_gather"),
    "netcdf4": ("hdf5_chunked", "netcdf4_of_peers"),
}
"""Cases of Esker -> the peers that do the same task, or write the same kind of file."""

LIMITS = ("posix_of_peers", "memcpy")
"""Not drawn: they are limits of the machine; `posix` is 1."""

ROW, LEFT, WIDTH, TOP = 20, 170, 720, 22
Results = dict[str, Any]


def pages(root: Path) -> dict[str, str]:
    newest = sorted((root / "bench/results").glob("*-current.json"))[-1]
    return {"results/index.md": page(json.loads(newest.read_text("utf-8")))}


def page(current: Results) -> str:
    runs: list[Results] = current["runs"]
    machine = runs[0]["machine"]
    lines = [
        f"# Results of {machine['date']}",
        "",
        f"Measured on {machine['processor']}, {machine['cores']} cores, {machine['file_system']}, {machine['mpi']}, "
        f"{runs[0]['config']['ranks']} ranks, on one node. Quote ratios, and name both sides of them: the seconds of a "
        "shared machine vary by a quarter from day to day.",
        "",
        "## What is faster, and what is not",
        "",
        *comparison(runs),
        "",
    ]
    for run in runs:
        for key, verb in (("write", "Writing"), ("read", "Reading")):
            title = f"{verb} {run['config']['workload']}"
            lines += [f"## {title}", "", "```{raw} html", chart(run, key, title), "```", ""]
    toctree = ["```{toctree}", ":maxdepth: 1", "", "All tables <tables>", "Archive <archive>", "```", ""]
    return "\n".join([*lines, *toctree])


def comparison(runs: list[Results]) -> list[str]:
    """A table of Esker's speed over that of other libraries."""
    columns = [(run, key) for run in runs for key in ("write", "read")]
    titles = [f"{run['config']['workload']}, {key}" for run, key in columns]
    lines = [
        "Esker's speed over that of another library: the quotient of the medians, and the range of the quotients of single "
        "repetitions. **Faster** and *slower* are those with all of these numbers on one side of 1.",
        "",
        "| Esker | library | " + " | ".join(titles) + " |",
        "| --- | --- |" + " --- |" * len(titles),
    ]
    for case, peers in COMPARED.items():
        for peer in peers:
            cells = [cell(run, key, case, peer) for run, key in columns]
            if any(cells):
                lines.append(f"| `{case}` | `{peer}` | " + " | ".join(cells) + " |")
    return lines


def cell(run: Results, key: str, case: str, peer: str) -> str:
    for pair in run["esker_over_peers"]:
        if pair["case"] == case and pair["peer"] == peer:
            of = pair[key]
            text = f"{of['quotient']:.2f} ({of['min']:.2f}–{of['max']:.2f})"
            numbers = of["quotient"], of["min"], of["max"]
            return f"**{text}**" if min(numbers) > 1 else f"*{text}*" if max(numbers) < 1 else text
    return ""


def chart(run: Results, key: str, title: str) -> str:
    """A picture of the speed over `posix`, as SVG in the colors of the page."""
    cases = [case for case in run["cases"] if case["name"] not in LIMITS and case.get(f"ratio_to_posix_{key}")]
    first_peer = [case["name"] for case in run["cases"]].index("posix_of_peers")
    peers = {case["name"] for case in run["cases"][first_peer:]}
    most = max(1.0, *[case[f"ratio_to_posix_{key}"]["max"] for case in cases])
    scale = (WIDTH - LEFT - 60) / most
    bars = [bar(case, case["name"] in peers, key, TOP + ROW * n, scale) for n, case in enumerate(cases)]
    height = TOP + ROW * len(cases) + 6
    said = "; ".join(f"{case['name']} {case[f'ratio_to_posix_{key}']['median']:.2f}" for case in cases)
    label = escape(f"{title}, speed over one plain file per rank (posix): {said}", quote=True)
    legend = (
        f'<text x="{LEFT}" y="14" class="chart-note">speed over <tspan class="chart-name">posix</tspan>, one plain file '
        "per rank: median and range; dark: Esker, light: other libraries</text>"
    )
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">'
        + "".join([legend, *bars])
        + "</svg>"
    )


def bar(case: Results, is_peer: bool, key: str, y: int, scale: float) -> str:
    ratio = case[f"ratio_to_posix_{key}"]
    kind = "peer" if is_peer else "limit" if case["name"].startswith("posix") else "esker"
    width, low, high = (scale * ratio[name] for name in ("median", "min", "max"))
    middle = y + 8
    return (
        f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end" class="chart-name">{case["name"]}</text>'
        f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="15" class="chart-{kind}"/>'
        f'<path d="M{LEFT + low:.1f} {middle}H{LEFT + high:.1f}" class="chart-range"/>'
        f'<text x="{LEFT + max(width, high) + 6:.1f}" y="{y + 12}" class="chart-note">{ratio["median"]:.2f}</text>'
    )
