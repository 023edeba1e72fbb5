"""A GlusterFS volume on loopback: bricks in the memory of this machine, files in shards, mounted through FUSE.

The volume needs no glusterd. Bricks and client read volume files with the translators that glusterd writes for a
distributed volume with features.shard, so that nothing outside of a temporary directory changes, and a glusterd that
runs here is not disturbed.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

_PROGRAMS = ("glusterfs", "glusterfsd", "setpriv", "umount")
_START_S = 30.0
"""How long a process may take until it answers."""
_END_S = 5.0
"""How long it may take to end before it is killed."""

_BRICK = """\
volume posix
  type storage/posix
  option directory {directory}
end-volume
volume access-control
  type features/access-control
  subvolumes posix
end-volume
volume locks
  type features/locks
  subvolumes access-control
end-volume
volume brick
  type performance/io-threads
  subvolumes locks
end-volume
volume server
  type protocol/server
  option transport-type tcp
  option transport.address-family inet
  option transport.socket.bind-address 127.0.0.1
  option transport.socket.listen-port {port}
  option auth.addr.brick.allow 127.0.0.1
  subvolumes brick
end-volume
"""

_CLIENT_OF_BRICK = """\
volume {name}
  type protocol/client
  option transport-type tcp
  option transport.address-family inet
  option remote-host 127.0.0.1
  option remote-port {port}
  option remote-subvolume brick
end-volume
"""

# Without performance/write-behind (performance.write-behind off): with it, several writes to a file are in flight, and the
# shards of GlusterFS 10.3 do not support that. Plain writes of four processes left a file of a wrong size, and esker-bench
# read other values than it had written.
_CLIENT = """\
volume distribute
  type cluster/distribute
  subvolumes {bricks}
end-volume
volume shard
  type features/shard
  option shard-block-size {shard_bytes}
  subvolumes distribute
end-volume
volume open-behind
  type performance/open-behind
  subvolumes shard
end-volume
"""


@dataclass(frozen=True)
class Volume:
    """A mounted volume."""

    mount: Path
    bricks: tuple[Path, ...]
    shard_bytes: int

    def shards_of_a_file(self, count: int) -> list[int]:
        """How many shards each brick gets of a file with `count` shards, without the first one. Raises RuntimeError if
        the file has another number of shards."""
        file = self.mount / "shards"
        file.write_bytes(bytes(count * self.shard_bytes))
        found = [len(list((brick / ".shard").glob("*-*.*"))) for brick in self.bricks]
        file.unlink()
        if sum(found) != count - 1:
            raise RuntimeError(f"a file of {count} shards: expected {count - 1} files in .shard, found {found}")
        return found


def missing() -> str | None:
    """Why this machine cannot mount a volume; None if it can."""
    if os.geteuid() != 0:
        return "bricks and mounts need root; found user id " + str(os.geteuid())
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        return f"the mount needs /dev/fuse: {error.strerror}"
    absent = [program for program in _PROGRAMS if shutil.which(program) is None]
    if absent:
        return f"{', '.join(absent)} not found; `scripts/setup.sh glusterfs` installs GlusterFS"
    return None


def version() -> str:
    """Of GlusterFS."""
    found = subprocess.run(["glusterfs", "--version"], check=True, capture_output=True, text=True)
    return found.stdout.splitlines()[0]


@contextmanager
def mounted(n_bricks: int, shard_bytes: int, parent: str = "/dev/shm") -> Iterator[Volume]:
    """A new volume in a directory below `parent`. At the end it is unmounted, its processes end, and the directory is
    removed, also after an error. If this process is killed, the processes end, and the directory remains."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="esker-glusterfs-", dir=parent)))
        stack.push(lambda *error: error[0] is not None and _print_logs(folder))
        ports = _free_ports(n_bricks)
        bricks = tuple(folder / f"brick{number}" for number in range(n_bricks))
        for brick, port in zip(bricks, ports):
            brick.mkdir()
            process = _start(stack, "glusterfsd", brick, _BRICK.format(directory=brick, port=port))
            _wait_until(lambda port=port: _is_open(port), process, f"the brick on port {port}")
        names = [brick.name for brick in bricks]
        graph = "".join(_CLIENT_OF_BRICK.format(name=name, port=port) for name, port in zip(names, ports))
        graph += _CLIENT.format(bricks=" ".join(names), shard_bytes=shard_bytes)
        mount = folder / "mount"
        mount.mkdir()
        process = _start(stack, "glusterfs", mount, graph, str(mount))
        stack.callback(_unmount, mount)  # called before the process is ended
        _wait_until(lambda: _is_writable(mount), process, f"the mount on {mount}")
        yield Volume(mount, bricks, shard_bytes)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _start(
    stack: ExitStack, program: str, place: Path, graph: str, *arguments: str
) -> subprocess.Popen[bytes]:
    """Starts a process in its own session, so that Ctrl-C does not reach it before the unmount."""
    file, log = place.with_suffix(".vol"), place.with_suffix(".log")
    file.write_text(graph)
    files = [f"--volfile={file}", f"--log-file={log}"]
    words = ["setpriv", "--pdeathsig", "TERM", program, "--no-daemon", *files, *arguments]
    process = subprocess.Popen(words, start_new_session=True)
    stack.callback(_end, process)
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _is_mounted(mount: Path) -> bool:
    """According to the kernel, also if the file system no longer answers."""
    return any(line.split()[1] == str(mount) for line in Path("/proc/self/mounts").read_text().splitlines())


def _unmount(mount: Path) -> None:
    if _is_mounted(mount) and subprocess.run(["umount", mount]).returncode != 0:
        subprocess.run(["umount", "--lazy", mount])


def _wait_until(holds: Callable[[], bool], process: subprocess.Popen[bytes], what: str) -> None:
    end = time.monotonic() + _START_S
    while not holds():
        if process.poll() is not None:
            raise RuntimeError(f"{what}: its process ended with status {process.returncode}")
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: no answer within {_START_S:.0f} s")
        time.sleep(0.1)


def _is_open(port: int) -> bool:
    with socket.socket() as tested:
        return tested.connect_ex(("127.0.0.1", port)) == 0


def _is_writable(mount: Path) -> bool:
    """Whether a directory can be made there: the mount appears before its bricks are connected."""
    try:
        if not _is_mounted(mount):
            return False
        (mount / "tried").mkdir()
        (mount / "tried").rmdir()
    except OSError:
        return False
    return True


def _print_logs(folder: Path) -> None:
    """What was wrong, as far as the processes know it."""
    for log in sorted(folder.glob("*.log")):
        lines = [line for line in log.read_text(errors="replace").splitlines() if "] I [" not in line]
        print(f"{log.name}:", *lines[-10:], sep="\n    ")
