"""What a model predicts of settings other than the one of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from esker.tune.characterize.attributes import NUMBERS, bytes_of
from esker.tune.explain.run_report import Run
from esker.tune.fit.trees import Trees, attributes_of


def effects(run: Run, model: Trees, fields: int) -> list[dict[str, Any]]:
    """For each option that the model knows, the predicted time of a step relative to that of the run, after the option
    is doubled, halved, or set to another value; the fastest first. Numbers that Esker chose are those in effect."""
    now = run.setting()
    before = _prediction(run, model, fields, now)
    found = []
    for option, change, old, new in _changes(run, model):
        after = _prediction(run, model, fields, {**now, option: new})
        ratio = 2.0 ** (after - before)
        found.append({"option": option, "change": change, "now": old, "then": new, "ratio": ratio})
    return sorted(found, key=lambda effect: float(effect["ratio"]))


def _changes(run: Run, model: Trees) -> Iterator[tuple[str, str, str, str]]:
    for option in NUMBERS:
        value = _in_effect(run, option)
        if not model.has(option) or value < 1:
            continue
        old = _text(option, value)
        if value * 2 <= _most(run, option):
            yield option, "doubled", old, _text(option, value * 2)
        if value >= 2:
            yield option, "halved", old, _text(option, value // 2)
    for name in model.attributes:
        option, is_value, value = name.partition("=")
        old = run.options.get(option, "")
        if is_value and option != "format" and value != old:
            yield option, "set", old, value


def _in_effect(run: Run, option: str) -> int:
    set_by_user = bytes_of(run.options.get(option) or "0")
    if set_by_user:
        return set_by_user
    chosen: Mapping[str, float] = {
        "aggregators": run.writers,
        "collective_buffer": _power_of_2(run.buffer_bytes),
    }
    return int(chosen.get(option, 0))


def _power_of_2(size: float) -> int:
    """The largest that is not above `size`; 0 if there is none."""
    return 1 << int(size).bit_length() - 1 if size >= 1 else 0


def _most(run: Run, option: str) -> float:
    return run.ranks if option == "aggregators" else float("inf")


def _text(option: str, value: int) -> str:
    if option != "collective_buffer":
        return str(value)
    for unit, size in (("M", 1 << 20), ("K", 1 << 10)):
        if value >= size and value % size == 0:
            return f"{value // size}{unit}"
    return str(value)


def _prediction(run: Run, model: Trees, fields: int, setting: Mapping[str, str]) -> float:
    known = {
        name: value for name, value in setting.items() if name in NUMBERS or model.has(f"{name}={value}")
    }
    return model.predict(attributes_of(run.ranks, fields, run.step_bytes, run.writers, known))
