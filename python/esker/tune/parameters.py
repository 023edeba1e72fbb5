"""The parameters that a machine file sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["count", "rate", "cost", "share"]
"""count: of parts, which shapes the statistics; rate: faster if larger; cost: slower if larger; share: 0 to 1."""


@dataclass(frozen=True)
class Definition:
    """A parameter: what it is, and whether more of it makes a step faster."""

    name: str
    kind: Kind
    unit: str
    help: str


DEFINITIONS = (
    Definition("nodes", "count", "", "nodes of the machine"),
    Definition(
        "cores_per_node", "count", "", "cores of a node; as many ranks run there, more if nodes are few"
    ),
    Definition("nodes_per_io_node", "count", "", "nodes that share an I/O node; 1 if there are none"),
    Definition("servers", "count", "", "storage servers"),
    Definition("targets", "count", "", "storage targets"),
    Definition(
        "targets_in_a_row", "count", "", "consecutive targets on one server, before those of the next"
    ),
    Definition("targets_per_file", "count", "", "targets over which a file is striped"),
    Definition("stripe_bytes", "count", "B", "size of a stripe"),
    Definition("latency", "cost", "s", "latency of a message between nodes"),
    Definition("message_cost", "cost", "s", "time of a node for each message that arrives from another node"),
    Definition("send_cost", "cost", "s", "time of a rank for each message that it sends"),
    Definition(
        "match_cost", "cost", "s", "time of a rank for each waiting receive that a message is compared with"
    ),
    Definition("network_bandwidth", "rate", "B/s", "a node to and from the network"),
    Definition("copy_bandwidth", "rate", "B/s", "one core copying rows of samples in memory"),
    Definition("encode_bandwidth", "rate", "B/s", "one core coding samples of fields with stored_bits"),
    Definition("hash_bandwidth", "rate", "B/s", "one core hashing blocks (checksums of IDX)"),
    Definition("swap_bandwidth", "rate", "B/s", "one core converting samples to the byte order of CDF"),
    Definition("write_bandwidth", "rate", "B/s", "one core writing to files, storage aside"),
    Definition("request_cost", "cost", "s", "time of a core for each call that writes, bytes aside"),
    Definition("io_node_bandwidth", "rate", "B/s", "an I/O node; inf if there are none"),
    Definition("target_bandwidth", "rate", "B/s", "a storage target"),
    Definition("server_bandwidth", "rate", "B/s", "a storage server"),
    Definition(
        "file_bandwidth", "rate", "B/s", "one file, however many ranks write it; inf if there is no limit"
    ),
    Definition("system_bandwidth", "rate", "B/s", "the file system"),
    Definition("create_cost", "cost", "s", "creating a file, one after the other"),
    Definition("object_cost", "cost", "s", "creating a file's object on a target"),
    Definition("lock_cost", "cost", "s", "a lock that changes from one writer to another"),
    Definition(
        "lock_contention", "share", "", "0: a writer locks a file's object once; 1: at each change of writers"
    ),
    Definition(
        "queue_cost",
        "cost",
        "s",
        "time of a target for each waiting request that one for the same lock is compared with",
    ),
    Definition("sync_cost", "cost", "s", "syncing a file that has no new data"),
    Definition("sync_bandwidth", "rate", "B/s", "syncing data, all ranks together"),
    Definition("overlap", "share", "", "part of the shorter of exchange and writing that the other hides"),
)

BY_NAME = {definition.name: definition for definition in DEFINITIONS}
