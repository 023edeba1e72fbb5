"""Options that change the bytes of the files, measured before a dataset is created: `esker tune dataset`.

One option after the other: all of its values are measured in turn with the best setting so far, in one MPI
job. A value is taken if its steps are faster in so many repetitions that chance alone would do that in at most
5 % of searches of an option (sign test, corrected for the number of values). Last, the result is measured
against the default once more, because the best of many measurements owes a part to luck.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from esker.planning import planner
from esker.tune.characterize import measuring, workloads
from esker.tune.characterize.design import Run, Work

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("idx", "netcdf4")
"""The formats that have such options."""
ON_REQUEST = ("compression",)
"""Options that are measured only if they are named: their speed depends on the data, and these are not the user's."""
REPEAT = 15
"""Repetitions: of fewer, a sign test proves little."""

_CHANCE = 0.05
_NOTICEABLE = 0.97
"""A value that is not that much faster is not taken."""
_NOT_BETWEEN_STEPS = ("a new dataset", "closing and appending")

Setting = Mapping[str, str]


@dataclass(frozen=True)
class Tried:
    """A setting, measured in turn with another one. `ratio`: of the times of a step, the median of the repetitions, with
    quartiles; nan if it cannot be written."""

    setting: Setting
    ratio: float = math.nan
    low: float = math.nan
    high: float = math.nan
    stored_over_data: float = math.nan
    is_faster: bool = False
    failure: str = ""


@dataclass(frozen=True)
class Found:
    """The result of a search. `best`: empty if no setting is proven to be faster than the default. `whole`: what was taken,
    measured again next to the default; None if nothing was taken."""

    tried: Sequence[Tried]
    best: Setting
    whole: Tried | None


def options_of(work: Work) -> dict[str, tuple[str, list[str]]]:
    """The options that only a new dataset, or a new writer, can have, with the value as configured and the others that are
    worth trying here, see `esker tune space`."""
    given: dict[str, Any] = {"format": work.format}
    part = workloads.parts_of(work.workload, work.points, work.ranks)[0]
    plan = planner.plan(work.ranks, **part.arguments(), **given)
    return {
        option["option"]: (option["value"], [v for v in option["values"] if v != option["value"]])
        for option in planner.tuning_space(plan, given)
        if option["cost"] in _NOT_BETWEEN_STEPS and len(option["values"]) > 1
    }


def search(
    bench: measuring.Bench, work: Work, options: Sequence[str], notify: Callable[[Tried], None]
) -> Found:
    """Measures the values of these options, in their order. `notify` is told each of them.

    Raises KeyError for options without values here, RuntimeError if not even the default can be measured.
    """
    space = options_of(work)
    best: Setting = {}
    tried: list[Tried] = []
    for option in options:
        others = [{**best, option: value} for value in space[option][1]]
        found = _compared(bench, work, best, others)
        for each in found:
            notify(each)
        tried += found
        fastest = min((each for each in found if each.is_faster), key=lambda each: each.ratio, default=None)
        best = fastest.setting if fastest else best
    if not best:
        return Found(tried, {}, None)
    (whole,) = _compared(bench, work, {}, [best])
    return Found(tried, best if whole.is_faster else {}, whole)


def _compared(bench: measuring.Bench, work: Work, best: Setting, others: Sequence[Setting]) -> list[Tried]:
    """Measures the others in one job with `best`; if that job fails, each in a separate one."""
    try:
        return _measured(bench, work, best, others, len(others))
    except RuntimeError:
        bench.run(Run(work, _besides_default(best)))  # else nothing can be measured
    found = []
    for other in others:
        try:
            found += _measured(bench, work, best, [other], len(others))
        except RuntimeError as error:
            found.append(Tried(other, failure=str(error)))
    return found


def _besides_default(best: Setting) -> tuple[Setting, ...]:
    """What a job measures to have `best`: the default is measured in any case."""
    return (best,) if best else ()


def _measured(
    bench: measuring.Bench, work: Work, best: Setting, others: Sequence[Setting], comparisons: int
) -> list[Tried]:
    """`comparisons`: with so many settings `best` is compared, in this job or in others."""
    given = _besides_default(best)
    measured = bench.run(Run(work, (*given, *others)))
    reference, *cases = measured["cases"][len(given) :]
    steps = measured["steps"]
    seconds = measuring.seconds_of(reference, steps)
    data_bytes = measured["data_bytes_per_step"]
    return [
        _tried(
            Tried(setting, stored_over_data=case["stored_bytes_per_step"] / data_bytes),
            measuring.seconds_of(case, steps),
            seconds,
            comparisons,
        )
        for setting, case in zip(others, cases, strict=True)
    ]


def _tried(tried: Tried, seconds: Sequence[float], reference: Sequence[float], comparisons: int) -> Tried:
    """The same, with the ratios of these times; it is one of so many that were compared with the reference."""
    ratios = [mine / other for mine, other in zip(seconds, reference, strict=True)]
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    ratio = statistics.median(ratios)
    n_faster = sum(one < 1 for one in ratios)
    is_faster = ratio < _NOTICEABLE and chance(n_faster, len(ratios)) * comparisons < _CHANCE
    return replace(tried, ratio=ratio, low=low, high=high, is_faster=is_faster)


def chance(heads: int, tosses: int) -> float:
    """The probability of at least so many heads of a fair coin.

    >>> chance(2, 2), chance(0, 5)
    (0.25, 1.0)
    """
    return sum(math.comb(tosses, count) for count in range(heads, tosses + 1)) / 2**tosses


def text_of(setting: Setting) -> str:
    """
    >>> text_of({"bits_per_block": "14", "partitions": "2"})
    'bits_per_block=14 partitions=2'
    """
    return " ".join(f"{option}={value}" for option, value in setting.items())


def figure_of(found: Found) -> Figure:
    """The ratio of each setting, with quartiles. What is proven to be faster is filled."""
    from matplotlib.figure import Figure

    shown = [each for each in (*found.tried, *([found.whole] if found.whole else [])) if not each.failure]
    drawn = Figure(figsize=(8, 1.2 + 0.3 * len(shown)), layout="constrained")
    axes = drawn.subplots()
    for place, each in enumerate(shown):
        axes.plot((each.low, each.high), (place, place), color="C0", linewidth=1)
        axes.plot(each.ratio, place, "o", color="C0", fillstyle="full" if each.is_faster else "none")
    axes.axvline(1, color="gray", linewidth=0.7)
    names = [f"{text_of(each.setting)}{', all' if each is found.whole else ''}" for each in shown]
    axes.set_yticks(range(len(shown)), names)
    axes.invert_yaxis()
    axes.set_xlabel("time of a step, over that of the setting before it (all: the default); quartiles")
    return drawn
