"""The timeline of a run, from its JSON report: what each rank did when."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from esker.plot.legends import add_outside
from esker.tune.explain.run_report import read_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

_MOST_RANKS_LABELED = 32
_ROW = 0.4
"""Height of one of a rank's two rows."""
_GAP = 0.5
"""Between the labels of two steps, in heights of a label."""
_COLORS = {
    "plan": "#999933",
    "pack": "#332288",
    "exchange": "#88ccee",
    "place": "#44aa99",
    "checksum": "#ddcc77",
    "compress": "#aa4499",
    "store": "#117733",
    "async": "#882255",
    "wait": "#dddddd",
    "agree": "#bbbbbb",
    "commit": "#cc6677",
}
"""Of kinds of work: told apart also by people who do not see all colors (Paul Tol's muted ones); waiting is gray."""

_LOST: dict[str, Any] = {"facecolor": "none", "edgecolor": "#999999", "hatch": "////", "linewidth": 0}


@dataclass(frozen=True)
class Span:
    """An interval of one rank in one step."""

    step: int
    kind: str
    begin_s: float
    """Since the first step that is drawn began."""
    seconds: float


@dataclass(frozen=True)
class Row:
    """What one rank did."""

    rank: int
    work: Sequence[Span]
    store: Sequence[Span]
    """What was done to store; a thread may do that while the rank works."""
    lost: Sequence[Span] = ()
    """Begins of steps whose spans are not in the report, because later ones took their place. `kind` is the row:
    "work" or "store"."""


@dataclass(frozen=True)
class Timeline:
    """Of the last steps of a run."""

    rows: Sequence[Row]
    steps: Mapping[int, float]
    """When each step began, in seconds since the first of them."""


def read(path: Path, steps: int = 1) -> Timeline:
    """The last `steps` steps. Raises FileNotFoundError, OSError; ValueError with the path, also without a timeline."""
    found = read_json(path)
    if not isinstance(found, dict) or "timeline" not in found:
        raise ValueError(f"{path}: the report has no timeline; write the run with report_timeline=true")
    try:
        if not found["steps"]:
            raise ValueError("the run committed no step")
        return _parsed(found["timeline"], steps)
    except ValueError as error:
        raise ValueError(f"{path}: expected the timeline of a run: {error}") from error


def _parsed(found: Any, steps: int) -> Timeline:
    ranks = _member(found, "ranks", list)
    kinds = _member(found, "kinds", list)
    last = _member(ranks[0], "steps", list)[-steps:] if ranks else []
    if not last:
        raise ValueError("it has no steps: a step that failed had so many spans that it replaced them")
    begins = {_member(step, "step", int): _member(step, "begin_s", float, int) for step in last}
    first_s = min(begins.values())
    begin_s = {number: begin - first_s for number, begin in begins.items()}

    def steps_of(rank: Any) -> Iterator[tuple[int, Any]]:
        for step in _member(rank, "steps", list)[-steps:]:  # a run that was rewound has some twice
            if (number := _member(step, "step", int)) in begin_s:
                yield number, step

    def spans(rank: Any, row: str) -> Iterator[Span]:
        for number, step in steps_of(rank):
            for kind, begin, length in _triples(_member(step, row, str)):
                if not 0 <= kind < len(kinds) or length < 0:
                    raise ValueError(f"step {number} has a span of kind {kind} and {length} microseconds")
                yield Span(number, str(kinds[kind]), begin_s[number] + 1e-6 * begin, 1e-6 * length)

    rows = [
        Row(_member(rank, "rank", int), tuple(spans(rank, "work")), tuple(spans(rank, "store")))
        for rank in ranks
    ]
    cut = [
        [(number, row) for number, step in steps_of(rank) for row in ("work", "store") if row in step.get("cut", ())]
        for rank in ranks
    ]
    end_s = {number: 0.0 for number in begin_s}
    for span in (span for row in rows for span in (*row.work, *row.store)):
        end_s[span.step] = max(end_s[span.step], span.begin_s + span.seconds)
    return Timeline(
        [
            replace(row, lost=tuple(_lost(row, n, name, begin_s[n], end_s[n]) for n, name in of_rank))
            for row, of_rank in zip(rows, cut, strict=True)
        ],
        begin_s,
    )


def _lost(row: Row, step: int, name: str, begin_s: float, end_s: float) -> Span:
    """From the begin of a step to the first span that is left, or to the end of the step."""
    left = [span.begin_s for span in {"work": row.work, "store": row.store}[name] if span.step == step]
    return Span(step, name, begin_s, max(0.0, min([*left, end_s]) - begin_s))


_NAMES = {list: "a list", str: "a text", int: "a number", float: "a number"}


def _member(found: Any, name: str, *kinds: type) -> Any:
    """A member of a JSON object. Raises ValueError without one of a type in `kinds`."""
    value = found.get(name) if isinstance(found, dict) else None
    if not isinstance(value, kinds):
        raise ValueError(f"expected an object with {_NAMES[kinds[0]]} {name!r}, found {reprlib.repr(found)}")
    return value


def _triples(text: str) -> Iterator[tuple[int, int, int]]:
    """Kind, begin and length of each span."""
    try:
        values = [int(value) for value in text.split()]
        yield from zip(values[::3], values[1::3], values[2::3], strict=True)
    except ValueError:
        raise ValueError(f"expected three integers for each span, found {reprlib.repr(text)}") from None


def draw(timeline: Timeline) -> Figure:
    """A band for each rank: its own work below, storing above; time runs to the right."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    height = min(12.0, 2.2 + 0.45 * len(timeline.rows))
    drawn = Figure(figsize=(11, height), layout="constrained")
    axes = drawn.subplots()
    used: set[str] = set()
    for place, row in enumerate(timeline.rows):
        for spans, low in ((row.work, place), (row.store, place - _ROW)):
            used |= {span.kind for span in spans}
            spans = sorted(
                spans, key=lambda span: (span.begin_s, -span.seconds)
            )  # what lies in another one, after it
            axes.broken_barh(
                [(1e3 * span.begin_s, 1e3 * span.seconds) for span in spans],
                (low, _ROW),
                facecolors=[_COLORS.get(span.kind, "black") for span in spans],
            )
        for span in row.lost:
            axes.broken_barh(
                [(1e3 * span.begin_s, 1e3 * span.seconds)],
                (place - (_ROW if span.kind == "store" else 0), _ROW),
                **_LOST,
            )
    labels = []
    for number, begin_s in timeline.steps.items():
        axes.axvline(1e3 * begin_s, color="black", linewidth=0.8)
        labels.append(
            axes.annotate(
                f"step {number}",
                (1e3 * begin_s, 1),
                (3, 2),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                fontsize=8,
            )
        )
    every = -(-len(timeline.rows) // _MOST_RANKS_LABELED)
    ranks = [(place, row.rank) for place, row in enumerate(timeline.rows)][::every]
    axes.set_yticks([place for place, _ in ranks], [str(rank) for _, rank in ranks])
    axes.set_ylim(len(timeline.rows) - 1 + _ROW + 0.1, -_ROW - 0.1)
    axes.set_xlabel("milliseconds since the ranks agreed to begin the first step shown")
    axes.set_ylabel("rank (above: storing)")
    add_outside(
        drawn,
        "right center",
        handles=[
            *(Patch(color=color, label=kind) for kind, color in _COLORS.items() if kind in used),
            *([Patch(**_LOST, label="not recorded")] if any(row.lost for row in timeline.rows) else []),
        ],
    )
    _remove_overlapping(drawn, labels)
    return drawn


def _remove_overlapping(drawn: Figure, labels: Sequence[Annotation]) -> None:
    """Keeps labels, from left to right, where there is room for them."""
    drawn.draw_without_rendering()  # places everything
    end = -float("inf")
    for label in sorted(labels, key=lambda label: label.get_window_extent().x0):
        extent = label.get_window_extent()
        if extent.x0 < end:
            label.remove()
        else:
            end = extent.x1 + _GAP * extent.height
