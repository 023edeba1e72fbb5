"""What each phase of a step is spent on, and what to try where it takes long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from esker.tune.explain.run_report import Run

_CACHE_BYTES = 1 << 20
"""A collective buffer of this size stays in the cache of a core."""


def _always(_: Run) -> bool:
    return True


@dataclass(frozen=True)
class Advice:
    """Something to try. `option`: what it changes, for example "transport"; empty: nothing of Esker's. `helps`:
    whether the run does not do it already."""

    text: str
    option: str = ""
    helps: Callable[[Run], bool] = _always


@dataclass(frozen=True)
class About:
    """`meaning`: what a rank does in the phase; `advice`: what to try if it takes long."""

    meaning: str
    advice: tuple[Advice, ...]


def _is(option: str, *values: str) -> Callable[[Run], bool]:
    return lambda run: run.options.get(option, "") in values


def _has_fewer_writers(run: Run) -> bool:
    return run.writers < run.ranks


def _has_several_writers(run: Run) -> bool:
    return run.writers > 1


def _exchanges(run: Run) -> bool:
    return run.ranks > 1


def _needs_rounds(run: Run) -> bool:
    return run.stored_bytes > run.buffer_bytes * max(1, run.writers)


def _may_store_in_stripes(run: Run) -> bool:
    return run.has_stripes and run.options.get("pattern") == "auto"


def _may_have_fewer_files(run: Run) -> bool:
    return run.options.get("format") == "idx" and run.files_per_step != 1


_FEWER_FILES = Advice("fewer, larger files (blocks_per_file)", "blocks_per_file", _may_have_fewer_files)
_MORE_AGGREGATORS = Advice("more aggregators", "aggregators", _has_fewer_writers)
_FEWER_AGGREGATORS = Advice("fewer aggregators", "aggregators", _has_several_writers)
_LARGER_BOXES = Advice(
    "restructure=default (neighbors collect larger boxes)", "restructure", _is("restructure", "off")
)

PHASES: dict[str, About] = {
    "plan": About(
        "planning: who sends which samples to whom",
        (
            Advice(
                "keep the boxes of a rank the same from step to step, if you can: a plan is made again whenever "
                "they change"
            ),
        ),
    ),
    "pack": About(
        "copying samples into messages and collective buffers",
        (
            Advice(
                "a smaller collective_buffer, which stays in the cache",
                "collective_buffer",
                lambda run: run.buffer_bytes > _CACHE_BYTES,
            ),
            Advice("in_block=row_major", "in_block", _is("in_block", "hz")),
        ),
    ),
    "exchange": About(
        "moving samples to aggregators",
        (
            Advice("another transport", "transport", _exchanges),
            _FEWER_AGGREGATORS,
            _LARGER_BOXES,
        ),
    ),
    "place": About("placing what has arrived in collective buffers", (_LARGER_BOXES,)),
    "checksum": About(
        "hashing blocks",
        (
            Advice(
                "checksums=false (damage of files is no longer found)", "checksums", _is("checksums", "true")
            ),
        ),
    ),
    "compress": About(
        "compressing blocks",
        (
            Advice("compress_threads=2", "compress_threads", _is("compress_threads", "0", "1")),
            _MORE_AGGREGATORS,
            Advice(
                "a faster codec (compression=lz4)",
                "compression",
                lambda run: not run.options.get("compression", "").startswith("lz4"),
            ),
        ),
    ),
    "store": About(
        "writing to files",
        (
            _MORE_AGGREGATORS,
            Advice("fewer aggregators, if they hinder each other", "aggregators", _has_several_writers),
            Advice("a larger collective_buffer", "collective_buffer", _needs_rounds),
            Advice(
                "store_thread=true",
                "store_thread",
                lambda run: _needs_rounds(run) and run.options.get("store_thread") != "true",
            ),
            _FEWER_FILES,
            Advice("pattern=stripes", "pattern", _may_store_in_stripes),
            Advice(
                "async=true (the model does not wait; costs memory)",
                "async",
                lambda run: run.options.get("async") != "true",
            ),
        ),
    ),
    "async": About(
        "copying for the thread that stores, and waiting for it",
        (
            Advice("more async_memory, so that a whole step fits", "async_memory", _is("async", "true")),
            _MORE_AGGREGATORS,
        ),
    ),
    "wait": About(
        "waiting for a rank of the node that stores",
        (
            _MORE_AGGREGATORS,
            Advice("a larger collective_buffer (fewer rounds)", "collective_buffer", _needs_rounds),
        ),
    ),
    "agree": About(
        "waiting until all ranks have begun the step, and have ended it",
        (
            Advice(
                "ranks do not begin the step at the same time: look for ranks with more work, or other jobs on a node"
            ),
        ),
    ),
    "commit": About(
        "making the step visible, and durable with fsync",
        (
            Advice(
                "fsync=close or fsync=none, if the death of the machine need not be survived",
                "fsync",
                _is("fsync", "step"),
            ),
            _FEWER_FILES,
        ),
    ),
}

WAITING = ("wait", "agree")
"""Phases in which a rank does nothing."""


def advice_for(phase: str, run: Run) -> Iterator[Advice]:
    """What the run does not do already, and tune=auto has not tried."""
    tried = run.tuning.tried if run.tuning else ()
    for advice in PHASES[phase].advice:
        if advice.option not in tried and advice.helps(run):
            yield advice
