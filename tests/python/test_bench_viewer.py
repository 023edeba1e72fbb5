"""bench/viewer: its proxy delays and limits what it passes on, and a case gives figures next to their limits."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "bench" / "viewer"


def answered(port: int) -> tuple[float, float]:
    """Seconds until the first and the last of 2 MB."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"GET / HTTP/1.1\r\n\r\n")
        count = len(line.recv(1))
        first = time.monotonic() - began
        while count < 2_000_000:
            count += len(line.recv(1 << 16))
    return first, time.monotonic() - began


def test_the_proxy_is_far_away_and_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    from proxy import BYTES_PER_S, ROUND_TRIP_S, far_away

    with socket.create_server(("127.0.0.1", 0)) as target:

        def answer() -> None:
            line, _ = target.accept()
            with line:
                line.recv(100)
                line.sendall(bytes(2_000_000))

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        with far_away(target.getsockname()[1]) as far:
            first, last = answered(far.port)
        thread.join()
    assert first >= 2 * ROUND_TRIP_S and last - first >= 0.9 * 2_000_000 / BYTES_PER_S
    assert far.sent == {"http": 2_000_000, "websocket": 0}


@pytest.mark.slow
def test_redraw_has_a_limit_of_the_same_run() -> None:
    pytest.importorskip("playwright")
    done = subprocess.run(
        [sys.executable, FOLDER / "run.py", "redraw"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["redraw"]
    assert (
        found["frame_with_a_copy_median_ms"] > 0 and 0 < found["redraw_median_ms"] <= found["redraw_p95_ms"]
    )
