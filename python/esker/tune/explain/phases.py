"""What each phase of a step waits for, and which options matter to it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class About:
    """`meaning`: what a rank does in the phase; `advice`: what to try if it takes long."""

    meaning: str
    advice: str


PHASES: dict[str, About] = {
    "plan": About(
        "planning: who sends which samples to whom",
        "a plan is made again whenever the boxes of a rank change: keep them the same from step to step if you can",
    ),
    "pack": About(
        "copying samples into collective buffers",
        "this is memory bandwidth: try a smaller collective_buffer, which stays in the cache, and in_block=row_major",
    ),
    "exchange": About(
        "moving samples to aggregators, and waiting for ranks that are late",
        "try other values of transport, fewer aggregators (fewer, larger messages) and restructure=default",
    ),
    "place": About(
        "placing what has arrived in collective buffers",
        "try restructure=default, so that neighbors collect larger boxes first",
    ),
    "checksum": About(
        "hashing blocks",
        "checksums=false saves it, but damage of files is no longer found",
    ),
    "compress": About(
        "compressing blocks",
        "try compress_threads, more aggregators, or a faster codec (compression=lz4)",
    ),
    "store": About(
        "writing to files",
        "try more aggregators, a larger collective_buffer, store_thread=true, and larger or fewer files "
        "(blocks_per_file); on a striped file system pattern=stripes",
    ),
    "agree": About(
        "waiting for the slowest rank",
        "ranks do not finish at the same time: look for ranks with more samples, other jobs on a node, or few "
        "aggregators while all others wait (aggregators)",
    ),
    "commit": About(
        "making the step visible, and durable with fsync",
        "fsync=close or fsync=none if the death of the machine need not be survived; fewer files (blocks_per_file)",
    ),
}
