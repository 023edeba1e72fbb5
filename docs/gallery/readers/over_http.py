"""
A web server: a coarse map in a few kilobytes
=============================================

`esker.open` takes URLs. It fetches only the blocks that a read needs, by requests of ranges of bytes. Here the server is a thread
of the same program.
"""

# sphinx_gallery_alt = "Kilobytes that were fetched for each level of a map: about twice as many for each further level."
import http.server
import re
import threading
from pathlib import Path

import matplotlib.pyplot as plt

import esker


class Ranges(http.server.BaseHTTPRequestHandler):
    """Serves the current directory, and answers requests for a range of bytes."""

    def do_GET(self) -> None:
        path = Path(self.path.lstrip("/"))
        if not path.is_file():
            return self.send_error(404)
        content = path.read_bytes()
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        part = content[int(wanted[1]) : int(wanted[2]) + 1] if wanted else content
        self.send_response(206 if wanted else 200)
        if wanted:
            last = int(wanted[1]) + len(part) - 1
            self.send_header("Content-Range", f"bytes {wanted[1]}-{last}/{len(content)}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(part)

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        """Says nothing."""


# %%
# The dataset has blocks of 4096 samples.
bed = esker.open("data/greenland_5km.nc")["topg"].read()
esker.write("bed.idx", {"topg": bed}, bits_per_block=12)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
threading.Thread(target=server.serve_forever, daemon=True).start()

# %%
# Each level is read from a dataset that was opened again, so that no block is in the cache.
levels = range(8, 20)
fetched = []
for level in levels:
    cost = esker.ReadStatistics()
    ds = esker.open(f"http://127.0.0.1:{server.server_port}/bed.idx")
    ds["topg"].read(level=level, statistics=cost)
    fetched.append(cost.bytes / 1e3)
server.shutdown()
fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.bar(levels, fetched)
ax.set(yscale="log", xlabel="level", ylabel="fetched [kB]", xticks=levels)
plt.show()
