"""The JSON report of a run, as far as it is needed, checked."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from esker.tune import json_file
from esker.tune.characterize.design import DEFAULTS
from esker.tune.explain.phases import PHASES, WAITING

_LARGEST = 2.0**63
"""Of bytes, ranks and seconds; no counter of a writer is larger."""


@dataclass(frozen=True)
class Phase:
    """Seconds of a typical step."""

    mean_s: float
    """Over the ranks."""
    max_s: float
    """Of the slowest rank."""
    critical_s: float
    """Of the rank that the others waited for."""


@dataclass(frozen=True)
class Tuning:
    """What tune=auto did."""

    state: str
    best: Mapping[str, str]
    """The setting at the end; empty: the default."""
    best_s: float
    default_s: float
    """Of a typical step; 0: not known."""
    tried: frozenset[str]
    """Options of settings that steps were written with."""


@dataclass(frozen=True)
class Run:
    """Of a typical step: the median of those that did not plan, of all if all planned. Seconds and bytes."""

    ranks: int
    steps: int
    step_s: float
    step_bytes: float
    stored_bytes: float
    writers: int
    sent_bytes: float
    """Of all ranks."""
    buffer_bytes: float
    """Of the rank with the most."""
    phases: Mapping[str, Phase]
    """Without planning, unless all steps planned."""
    plan_s: float
    """Of a step that planned, on the slowest rank; 0: none did."""
    planned_again: int
    """Steps after the first that planned, not because tune=auto changed a setting."""
    options: Mapping[str, str]
    """With the setting that tune=auto settled on."""
    has_stripes: bool = False
    """The stripe size is known, and files are not written in stripes."""
    tuning: Tuning | None = None
    files_per_step: float | None = None
    """None: reports of earlier versions do not tell."""

    def setting(self) -> dict[str, str]:
        """The options that are not left to Esker."""
        return {name: value for name, value in self.options.items() if value not in DEFAULTS}


def read(path: Path) -> Run:
    """Raises FileNotFoundError, OSError; ValueError with the path, for text that is no report."""
    found = read_json(path)
    try:
        return _parsed(found)
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        what = f"missing {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{path}: expected the JSON report of a run: {what}") from error


def read_json(path: Path) -> Any:
    """The report, unchecked. Raises FileNotFoundError, which says when there is a report; OSError; ValueError."""
    if not path.exists():
        raise FileNotFoundError(
            f"{path}: no such file; a run that has committed a step writes it when it closes its dataset, unless "
            "report=none"
        )
    return json_file.read(path, "the JSON report of a run")


def _parsed(found: Any) -> Run:
    steps = found["steps"]
    if not isinstance(steps, list) or not steps:
        raise ValueError("it has no steps")
    planned = [step for step in steps if step["planned"]]
    typical = [step for step in steps if not step["planned"]] or steps
    ranks, per_rank = int(_number(found["ranks"])), found["per_rank"]
    if ranks < 1:
        raise ValueError(f"expected at least one rank, found {ranks}")
    n, tuning, storage = len(steps), _tuning(found.get("tuning")), found["storage"]
    options = {str(name): str(option["value"]) for name, option in found["configuration"].items()}
    step_s = statistics.median(_number(step["seconds"]) for step in typical)
    if step_s <= 0:
        raise ValueError("expected steps that take time")
    return Run(
        ranks=ranks,
        steps=n,
        step_s=step_s,
        step_bytes=statistics.median(_number(step["data_bytes"]) for step in typical),
        stored_bytes=statistics.median(_number(step["stored_bytes"]) for step in typical),
        writers=int(statistics.median(_number(step["writers"]) for step in typical)),
        sent_bytes=_number(per_rank["sent_bytes"]["mean"]) * ranks / n,
        buffer_bytes=_number(per_rank["peak_buffer_bytes"]["max"]),
        phases={
            name: _phase(found, name, n)
            for name in PHASES
            if (name != "wait" or name in found["phases_s"]) and (name != "plan" or len(planned) == n)
        },
        plan_s=statistics.median(_number(step["plan_s"]) for step in planned) if planned else 0.0,
        planned_again=_planned_again(planned, steps[0], found.get("tuning")),
        options=options | (dict(tuning.best) if tuning else {}),
        has_stripes=_number(storage["stripe_size"]) > 0 and storage["pattern"] != "stripes",
        tuning=tuning,
        files_per_step=statistics.median(_number(step["files"]) for step in typical)
        if all("files" in step for step in typical)
        else None,
    )


def _phase(found: Mapping[str, Any], name: str, steps: int) -> Phase:
    """Reports of earlier versions do not name the rank that others waited for: it worked longest, and waited least."""
    given = found["phases_s"][name]
    waits = name == "exchange" or name in WAITING
    critical = (
        found["critical_path_s"][name] if "critical_path_s" in found else given["min" if waits else "max"]
    )
    return Phase(_number(given["mean"]) / steps, _number(given["max"]) / steps, _number(critical) / steps)


def _planned_again(planned: list[Any], first: Any, tuning: Any) -> int:
    tuned = set()
    if tuning:
        tuned |= {int(_number(probe["step"])) for probe in tuning["probes"]}
        tuned |= {int(_number(change["from_step"])) for change in tuning["changes"]}
    return sum(step is not first and int(_number(step["step"])) not in tuned for step in planned)


def _tuning(given: Any) -> Tuning | None:
    if given is None:
        return None
    tried = (
        option for probe in given["probes"] if _number(probe["steps"]) > 0 for option in probe["setting"]
    )
    return Tuning(
        state=str(given["state"]),
        best={str(option): str(value) for option, value in given["best"].items()},
        best_s=_number(given["best_s"]),
        default_s=_number(given["default_s"]),
        tried=frozenset(tried),
    )


def _number(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= _LARGEST:
        raise ValueError(f"expected a number from 0 to {_LARGEST:g}, found {repr(given)[:40]}")
    return float(given)
