#!/usr/bin/env python3
"""Where the processor time of a write or a read goes: samples of `perf`, by what the code at that place does.

    bench/where_time_goes.py                        # s3d and the ice sheet, each format, write and read; a table
    bench/where_time_goes.py --workload s3d --case cdf5 --most 15    # and the functions with the most samples

Needs perf (Debian: linux-perf) and a clock that it can sample; hardware counters are not needed. Waiting ranks spin, so what
they do is counted, too. The reading columns are what a run with reads has more than one without.
"""

from __future__ import annotations

import argparse
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from esker.bench import jobs

WORKLOADS = ("s3d", "icesheet")
CASES = ("posix", "idx_two_phase", "idx_vectors", "cdf5", "netcdf4", "hdf5_decomposition", "cdf5_and_idx")
KINDS = (
    ("lock", r"rwsem|down_write|up_write|osq_lock"),
    (
        "faults",
        r"clear_page|clear_huge|exc_page_fault|handle_mm_fault|do_fault|do_anonymous|do_user_addr|error_entry"
        r"|alloc_pages|get_page_from_freelist|free_unref|rmqueue|mm_fault|pte_|zap_|unmap_|folio_add|lru_|cgroup"
        r"|charge|rmap|prep_new|free_pages|tlb|vma|mmap|munmap",
    ),
    (
        "kernel copy",
        r"copy_from_iter|copy_to_iter|copyin|copyout|copy_user|rep_movs|_copy_|generic_perform_write|copy_folio|find_lock_entries|__list_del_entry|truncate|evict"
        r"|shmem_|filemap|xas_|xa_|folio|iov_iter|vfs_|ksys_|fault_in|file_update|pagecache",
    ),
    (
        "pack",
        r"copy_rows|copy_tiles|copy_columns|copy_axes|copy_samples|transpose|turn_|MoveFixed|MoveRun|copy_row"
        r"|esker::.*(gather|scatter)|memmove|memcpy|interleave",
    ),
    ("swap", r"swap|byte_order|encode"),
    ("hash", r"XXH|checksum|hash"),
    (
        "wait",
        r"opal_|mca_|ompi_|ucx|sched_yield|futex|poll|nanosleep|schedule|finish_task_switch|_raw_spin|update_curr|pick_next|dequeue|enqueue|load_balance|pthread|wait|progress|spin|yield|PMPI_|MPI_"
        r"|syscall|entry_SYSCALL|clock_gettime|vdso",
    ),
    ("check", r"value_at|expected|bench|workload|Workload|check_values|pattern"),
)
"""What a function does, by its name; the first that matches."""
NOT_COUNTED = re.compile(r"smaps|walk_p[gmu4]d|walk_page|vm_normal_page|pagewalk|seq_put|seq_read|show_smap")
"""What the first repetition, which is not timed, does to measure memory."""


def main() -> int:
    options = arguments()
    program = options.program or jobs.find_program()
    if not program:
        sys.exit("esker-bench is not built: make build")
    names = [kind for kind, _ in KINDS] + ["other"]
    print("| workload, case | | samples | " + " | ".join(names) + " |")
    print("| --- | --- | ---: |" + " ---: |" * len(names))
    for workload in options.workload or WORKLOADS:
        for case in options.case or CASES:
            both = sampled(program, workload, case, options, reads=True)
            writes = sampled(program, workload, case, options, reads=False)
            print_row(f"{workload}, {case}", "write", writes, names)
            print_row("", "read", both - writes, names)
            for function, count in writes.most_common(options.most):
                print(f"    {count:6} {function}", file=sys.stderr)
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workload", choices=WORKLOADS, action="append", help="repeatable (default: all)")
    parser.add_argument(
        "--case", action="append", help="of esker bench; repeatable (default: one for each format)"
    )
    parser.add_argument("--ranks", type=int, default=4, help="MPI ranks (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="timed repetitions (default: %(default)s)")
    parser.add_argument("--dir", default="/dev/shm", help="directory of the files (default: %(default)s)")
    parser.add_argument("--most", type=int, default=0, help="also print the functions with the most samples")
    parser.add_argument("--program", help="path of esker-bench (default: that of the package, or in PATH)")
    return parser.parse_args()


def sampled(
    program: str, workload: str, case: str, options: argparse.Namespace, *, reads: bool
) -> collections.Counter[str]:
    """The samples of each function in all ranks."""
    with tempfile.TemporaryDirectory(dir=options.dir) as scratch:
        data = Path(scratch) / "perf.data"
        command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", str(data), "--"]
        job = jobs.Job(program, workload, options.ranks, options.repeat, scratch, cases=(case,))
        command += job.command() + ([] if reads else ["--write-only"])
        subprocess.run(command, check=True, env=jobs.environment(), stdout=subprocess.DEVNULL)
        report = ["perf", "report", "-i", str(data), "--stdio", "--no-children", "--comm", Path(program).name]
        report += ["-F", "sample,dso,sym", "--percent-limit", "0"]
        text = subprocess.run(report, check=True, capture_output=True, text=True).stdout
    found = re.finditer(r"^\s*(\d+)\s+\S+\s+\[.\] (.*)$", text, re.M)
    counts = {match[2].strip(): int(match[1]) for match in found}
    return collections.Counter({name: n for name, n in counts.items() if not NOT_COUNTED.search(name)})


def print_row(title: str, way: str, samples: collections.Counter[str], names: list[str]) -> None:
    of_kind: collections.Counter[str] = collections.Counter()
    for function, count in samples.items():
        of_kind[kind_of(function)] += count
    total = max(1, sum(of_kind.values()))
    cells = [f"{100 * of_kind[name] / total:.0f} %" for name in names]
    print(f"| {title} | {way} | {total} | " + " | ".join(cells) + " |", flush=True)


def kind_of(function: str) -> str:
    return next((kind for kind, pattern in KINDS if re.search(pattern, function)), "other")


if __name__ == "__main__":
    sys.exit(main())
