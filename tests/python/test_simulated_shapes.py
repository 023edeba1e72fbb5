"""Shapes that the literature on I/O of large machines reports: what the closed form shows of them.

"Over the whole band" means: for parameters drawn from the ranges of the machine file, not only for its values. No
parameter was fitted to these shapes. Shapes that are not reproduced are tested as such; docs/guide/scale.md says why.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from esker.tune import cost, loads, machine, simulation, statistics

NUM_SETS = 200


def drawn(of: machine.Machine) -> dict[str, NDArray[np.float64]]:
    """Parameter sets from the ranges, after the three corners."""
    sets = cost.drawn(of, NUM_SETS, seed=20)
    return {name: np.concatenate((corners, sets[name])) for name, corners in cost.corners(of).items()}


def cost_on(name: str, asked: loads.Loads, **stripes: int) -> tuple[cost.Cost, statistics.StepStatistics]:
    of = machine.read(name)
    found = statistics.of_loads(asked, next(simulation._layouts(of, stripes)))
    return cost.cost_of(found, drawn(of)), found


def planned(name: str, ranks: int, **step: Any) -> loads.Loads:
    of = machine.read(name)
    return loads.of_plan(of, ranks, simulation.default_ranks_per_node(of, ranks), **step)


def shared_file(n: int, pattern: str) -> tuple[cost.Cost, statistics.StepStatistics]:
    """n writers on min(n, 128) targets of Ranger, 16 MiB each, in stripes of 64 KiB: more stripes than targets."""
    targets = min(n, 128)
    step = {"block": (128, 128, 128), "fields": 1, "format": "cdf5", "pattern": pattern, "aggregators": n}
    asked = planned("ranger", n, **step, stripe_size="64K", stripe_count=targets)
    return cost_on("ranger", asked, targets_per_file=targets, stripe_bytes=1 << 16)


@pytest.mark.parametrize("n", [16, 32, 64, 128])
def test_pairs_of_writer_and_target(n: int) -> None:
    assert shared_file(n, "contiguous")[1].pairs == n * n
    assert shared_file(n, "stripes")[1].pairs == n


def test_pairs_of_twice_as_many_writers_as_targets() -> None:
    assert shared_file(256, "contiguous")[1].pairs == 32768
    assert shared_file(256, "stripes")[1].pairs == 256


def test_aligned_writers_stay_level_and_contiguous_ones_are_slower() -> None:
    """Over the whole band."""
    aligned = {n: shared_file(n, "stripes")[0].phases["write"].seconds for n in (16, 64, 128)}
    contiguous = {n: shared_file(n, "contiguous")[0].phases["write"].seconds for n in (16, 64, 128)}
    np.testing.assert_allclose(aligned[128], aligned[16], rtol=0.02)
    for n in (16, 64, 128):
        assert np.all(contiguous[n] >= aligned[n] * 0.99)


def test_not_reproduced_twice_the_time_for_twice_the_writers() -> None:
    """Twice the bytes per target double the time only without contention: two writers alternate on each target."""
    once, twice = (shared_file(n, "stripes")[0].phases["write"].seconds for n in (128, 256))
    assert (twice / once).min() < 2.1 and (twice / once).max() > 4


def aggregation_of_a_partition(partitions: int, **options: Any) -> cost.Phase:
    """One of the partitions of 32768 ranks, as a plan of its ranks alone. Samples are put, as in the published runs."""
    step = {"block": (16, 16, 16), "type": "f4", "bits_per_block": 12, "transport": "put"}
    return cost_on("mira", planned("mira", 32768 // partitions, **step, **options))[0].phases["aggregate"]


def test_fan_in_shrinks_with_each_doubling_of_the_partitions() -> None:
    """The messages of the busiest node over the whole band, by 1.9 to 3.4; five doublings take 1/90, where halving
    takes 1/32. The whole phase by 1.7 to 3 at the values of the file; at the end of the band where messages cost
    least, bytes on the network bound it and the shape is not reproduced."""
    phases = [aggregation_of_a_partition(p, max_fan_in=32768 // p) for p in (1, 2, 4, 8, 16, 32)]
    for before, after in zip(phases, phases[1:]):
        fan_in = before.parts["messages"] / after.parts["messages"]
        assert np.all((fan_in > 1.9) & (fan_in < 3.4)), (fan_in.min(), fan_in.max())
        assert 1.4 < before.seconds[1] / after.seconds[1] < 3
    assert 16 < phases[0].seconds[1] / phases[-1].seconds[1] < 90


def test_relays_leave_little_of_it() -> None:
    """With them, fan-in is bounded without partitions. Over the whole band."""
    unbounded = aggregation_of_a_partition(1, max_fan_in=32768)
    relayed = aggregation_of_a_partition(1)
    assert np.all(relayed.parts["messages"] < 0.2 * unbounded.parts["messages"])
    assert np.all(relayed.seconds < 0.7 * unbounded.seconds)


def test_one_file_per_aggregator_against_a_shared_file() -> None:
    """Over the whole band: on Hopper (Lustre, two targets per file) separate files win, on Intrepid (GPFS) the
    shared one."""
    step = {"block": (32, 32, 32), "fields": 4, "bits_per_block": 15, "aggregators": 1024}
    ratios = {}
    for name in ("hopper", "intrepid"):
        separate = cost_on(name, planned(name, 4096, **step, blocks_per_file=4))[0].seconds
        shared = cost_on(name, planned(name, 4096, **step, blocks_per_file=1 << 20))[0].seconds
        ratios[name] = shared / separate
    assert np.all(ratios["hopper"] > 1.2) and np.all(ratios["intrepid"] < 0.99)


RANK_BYTES = 8 << 20


def test_growth_ends_at_the_published_limit() -> None:
    """Writing grows with the I/O nodes, 4 GB/s per 2048 ranks, up to 240 GB/s, over the whole band. With 262,144 ranks
    the I/O nodes would reach 512 GB/s: the published limits contradict growth up to there."""

    def rate(ranks: int) -> NDArray[np.float64]:
        asked = loads.of_separate_files(ranks, RANK_BYTES, 16)
        return asked.data_bytes / cost_on("mira", asked)[0].phases["write"].seconds / 1e9

    for ranks, expected in ((2048, 4), (32768, 64), (131072, 240), (262144, 240)):
        np.testing.assert_allclose(rate(ranks), expected, rtol=0.01)


def test_file_per_process_stops_scaling_and_the_shared_file_does_not() -> None:
    """Files per rank saturate by 32,768 ranks, as published, over the whole band. Not reproduced: the shared file,
    whose ranks write whole blocks here, grows on to the limit of the file system."""

    def rate(make: Any, ranks: int) -> NDArray[np.float64]:
        asked = make(ranks, RANK_BYTES, 16)
        return asked.data_bytes / cost_on("mira", asked)[0].seconds

    separate, shared = loads.of_separate_files, loads.of_shared_file
    assert np.all(rate(separate, 262144) < 2 * rate(separate, 32768))
    assert np.median(rate(shared, 131072) / rate(shared, 32768)) > 2


@pytest.fixture(scope="module")
def gains() -> dict[int, NDArray[np.float64]]:
    """Time of a raw step of 1024 ranks on Mira over that with so many bits per sample."""
    step = {"block": (64, 64, 64), "fields": 8, "bits_per_block": 15}
    raw = cost_on("mira", planned("mira", 1024, **step))[0].seconds
    return {
        b: raw / cost_on("mira", planned("mira", 1024, **step, stored_bits=b))[0].seconds for b in (32, 1)
    }


def test_32_bits_halve_the_time(gains: dict[int, NDArray[np.float64]]) -> None:
    """Over the whole band by 1.4 to 2, because coding takes time; 1.7 at the values of the file."""
    assert np.all((gains[32] > 1.4) & (gains[32] < 2.05))
    assert gains[32][1] > 1.7


def test_not_reproduced_one_bit_gains_4_to_8(gains: dict[int, NDArray[np.float64]]) -> None:
    """It gains more, or as much only where coding is slowest: nothing is known of coding in the published runs."""
    assert gains[1].max() > 8
