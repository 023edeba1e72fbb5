"""The shape of accesses in a Darshan log, and advice for programs that do not write with Esker yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from esker.base.counts import count_of

_SIZES = (
    "0_100",
    "100_1K",
    "1K_10K",
    "10K_100K",
    "100K_1M",
    "1M_4M",
    "4M_10M",
    "10M_100M",
    "100M_1G",
    "1G_PLUS",
)
SMALL = _SIZES[:5]
"""Below 1 MB."""
Counters = Mapping[str, float]


def explain(log: dict[str, Any]) -> dict[str, Any]:
    """Facts as for JSON, from the counters of darshan_log.read()."""
    modules = {name: _module(name, counters) for name, counters in log["modules"].items()}
    facts = {"ranks": log["nprocs"], "seconds": log["seconds"], "modules": modules}
    facts["sentences"] = list(_sentences(facts, log["modules"]))
    return facts


def _module(name: str, counters: Counters) -> dict[str, Any]:
    suffix = "" if name == "POSIX" else "_AGG"
    writes = {size: counters.get(f"SIZE_WRITE{suffix}_{size}", 0.0) for size in _SIZES}
    return {
        "files": counters["files"],
        "shared_files": counters["shared_files"],
        "bytes_written": counters.get("BYTES_WRITTEN", 0.0),
        "bytes_read": counters.get("BYTES_READ", 0.0),
        "writes": sum(writes.values()),
        "writes_by_size": writes,
        "write_s": counters.get("F_WRITE_TIME", 0.0),
        "read_s": counters.get("F_READ_TIME", 0.0),
        "metadata_s": counters.get("F_META_TIME", 0.0),
        "slowest_rank_s": counters.get("slowest_rank_s", 0.0),
    }


def _sentences(facts: dict[str, Any], counters: Mapping[str, Counters]) -> Iterator[str]:
    if not facts["modules"]:
        yield "The log has neither POSIX nor MPI-IO counters: nothing can be said."
        return
    for name, module in facts["modules"].items():
        seconds = module["write_s"] + module["read_s"] + module["metadata_s"]
        yield (
            f"{name}: {seconds:.3g} s of all ranks ({module['write_s']:.3g} writing, {module['read_s']:.3g} reading, "
            f"{module['metadata_s']:.3g} opening, closing and seeking) in {count_of(module['files'], 'file')}."
        )
    if "POSIX" in facts["modules"]:
        yield from _of_posix(facts["modules"]["POSIX"], counters["POSIX"], facts["ranks"])
    if "MPI-IO" in counters:
        yield from _of_mpi_io(counters["MPI-IO"])


def _of_posix(module: dict[str, Any], counters: Counters, ranks: int) -> Iterator[str]:
    writes, sizes = module["writes"], module["writes_by_size"]
    small = sum(sizes[size] for size in SMALL)
    if writes and small > writes / 2:
        yield (
            f"{100 * small / writes:.0f} % of {writes:.0f} writes are smaller than 1 MB. Aggregation makes few large "
            "writes of them: Esker does it by default; with MPI-IO use collective writes."
        )
    accesses = counters.get("READS", 0.0) + counters.get("WRITES", 0.0)
    unaligned = counters.get("FILE_NOT_ALIGNED", 0.0)
    if accesses and unaligned > accesses / 2 and module["shared_files"]:
        yield (
            f"{100 * unaligned / accesses:.0f} % of the accesses are not aligned, and the ranks share "
            f"{count_of(module['shared_files'], 'file')}: they wait for locks of each other. Aligned file domains "
            "(pattern=stripes) avoid that."
        )
    if ranks > 1 and module["files"] - module["shared_files"] >= ranks:
        yield (
            f"{module['files']:.0f} files for {ranks} ranks: creating and reading them does not scale. "
            "One dataset of a few files per step serves the same ranks."
        )
    total = module["write_s"] + module["read_s"] + module["metadata_s"]
    if total and module["metadata_s"] > 0.3 * total:
        yield (
            f"{100 * module['metadata_s'] / total:.0f} % of the time is spent on opening, closing and seeking: open files "
            "once, by fewer ranks (aggregators)."
        )
    if counters.get("RW_SWITCHES", 0.0) > 0.1 * max(accesses, 1.0):
        yield "Reads and writes alternate: parts of blocks are read, changed and written. Write whole blocks."


def _of_mpi_io(counters: Counters) -> Iterator[str]:
    alone, together = counters.get("INDEP_WRITES", 0.0), counters.get("COLL_WRITES", 0.0)
    if alone > together:
        yield (
            f"{alone:.0f} MPI-IO writes are independent and {together:.0f} collective: collective ones let the library "
            "aggregate."
        )
