"""How fast a step could be on a machine: what remains if everything else took no time."""

from __future__ import annotations

from esker.tune.explain.run_report import Run
from esker.tune.machine import Machine
from esker.tune.simulation import default_ranks_per_node

MEMORY, NETWORK, TARGET = "memory copy", "network", "target"


def limits(run: Run, machine: Machine) -> dict[str, float]:
    """Seconds of a step in which each sample is copied once by the cores of its node, what was sent crosses the network
    of the nodes, and what was stored is written by all writers to all targets. 0: no limit known."""
    per_node = default_ranks_per_node(machine, run.ranks)
    nodes = -(-run.ranks // per_node)
    cores = min(run.ranks, nodes * min(per_node, machine.count("cores_per_node")))
    value = {name: parameter.value for name, parameter in machine.parameters.items()}
    storage = min(
        value["write_bandwidth"] * max(1, run.writers),
        value["system_bandwidth"],
        value["target_bandwidth"] * machine.count("targets"),
        value["server_bandwidth"] * machine.count("servers"),
    )
    return {
        MEMORY: run.step_bytes / (value["copy_bandwidth"] * cores),
        NETWORK: run.sent_bytes / (value["network_bandwidth"] * nodes) if nodes > 1 else 0.0,
        TARGET: run.stored_bytes / storage,
    }
